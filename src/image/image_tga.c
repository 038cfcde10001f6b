/* SPDX-License-Identifier: MIT
 * TGA in: true colour of 24 or 32 bits, plain or run-length packed, from the top or the bottom; a picture without alpha is opaque.  Other tools of
 * the field write it; Bakewell does not.  Source: Truevision TGA File Format Specification, version 2.0. */
#include <string.h>

#include "base/error.h"
#include "image/image_priv.h"

enum { HEAD_SIZE = 18, TYPE_TRUE_COLOR = 2, TYPE_PACKED_TRUE_COLOR = 10 };
enum { FROM_RIGHT = 0x10, FROM_TOP = 0x20, INTERLEAVED = 0xC0 };
/* A packet of 1 + 3 bytes gives at most 128 texels of 4 bytes. */
enum { PACKED_MOST_RATIO = 128 };

static uint32_t u16_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static void put_texel(uint8_t *texel, const uint8_t *bgra, size_t texel_size) {
    texel[0] = bgra[2];
    texel[1] = bgra[1];
    texel[2] = bgra[0];
    texel[3] = texel_size == 4 ? bgra[3] : UINT8_MAX;
}

/* Texels in the order of the file.  Returns whether the file holds them all; packets may run over the ends of rows. */
static bool unpack(uint8_t *texels, size_t count, const uint8_t *from, const uint8_t *end, size_t texel_size,
                   bool packed) {
    size_t done = 0;
    while (done < count) {
        size_t run = count, stored = count;
        if (packed) {
            if (from == end)
                return false;
            run = stored = (size_t)(*from & 0x7F) + 1;
            if (*from++ & 0x80)
                stored = 1;
        }
        if ((size_t)(end - from) / texel_size < stored)
            return false;
        for (size_t i = 0; i < run && done < count; i++, done++)
            put_texel(texels + 4 * done, from + (stored == 1 ? 0 : i * texel_size), texel_size);
        from += stored * texel_size;
    }
    return true;
}

static void turn_over(uint8_t *texels, uint32_t width, uint32_t height) {
    const size_t row = (size_t)width * 4;
    for (uint32_t y = 0; y < height / 2; y++) {
        uint8_t *above = texels + y * row, *below = texels + (height - 1 - y) * row;
        for (size_t i = 0; i < row; i++) {
            uint8_t byte = above[i];
            above[i] = below[i];
            below[i] = byte;
        }
    }
}

bw_result bwi_tga_read(bwi_texels *texels, const bwi_image_source *source, const bwi_texels *expected,
                       const bwi_env *env, bw_error *error) {
    const uint8_t *head = source->data;
    if (source->size < HEAD_SIZE)
        return bwi_fail(error, BW_ERR_TRUNCATED, source->path, (int64_t)source->size,
                        "ends after %zu bytes, inside the 18 bytes of a TGA's header; copy or save it again",
                        source->size);
    const unsigned type = head[2], depth = head[16], layout = head[17];
    if ((type != TYPE_TRUE_COLOR && type != TYPE_PACKED_TRUE_COLOR) || head[1] != 0 || (depth != 24 && depth != 32) ||
        (layout & (FROM_RIGHT | INTERLEAVED)))
        return bwi_fail(error, BW_ERR_UNSUPPORTED, source->path, 2,
                        "is a TGA of type %u with %u bits a texel and layout %u, expected true colour (type 2 or 10) "
                        "of 24 or 32 bits, "
                        "from the left; save it as such, or as PNG",
                        type, depth, layout);
    const size_t start = HEAD_SIZE + (size_t)head[0], texel_size = depth / 8;
    const bool packed = type == TYPE_PACKED_TRUE_COLOR;
    const uint64_t stored = source->size > start ? source->size - start : 0;
    bwi_texels read = {0};
    const bwi_texels claimed = {u16_at(head + 12), u16_at(head + 14), BWI_TEXEL_U8, NULL};
    const uint64_t most = packed ? stored * PACKED_MOST_RATIO : stored / texel_size * 4;
    bw_result result = bwi_image_claim(&read, claimed, most, source, expected, env, error);
    if (result != BW_OK)
        return result;
    if (!unpack(read.data, (size_t)read.width * read.height, source->data + start, source->data + source->size,
                texel_size, packed)) {
        bwi_texels_free(&read, env->mem);
        return bwi_fail(error, BW_ERR_TRUNCATED, source->path, (int64_t)source->size,
                        "ends before the last of its %u × %u texels; copy or save it again", claimed.width,
                        claimed.height);
    }
    if (!(layout & FROM_TOP))
        turn_over(read.data, read.width, read.height);
    *texels = read;
    return BW_OK;
}
