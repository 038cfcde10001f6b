/* SPDX-License-Identifier: MIT
 * KTX 2.0 out and in: one 2D image of one mip level; written without supercompression, so that it can be mapped; read
 * with zstd too.
 * Source: KTX File Format Specification 2.0; Khronos Data Format Specification 1.3 §5 (basic descriptor block).
 *
 * Codes are stored as unsigned integers, not as normalised ones: RGBA16UI can be fetched from everywhere in GLES 3,
 * WebGL 2, WebGPU and Vulkan, RGBA16_UNORM is optional in all of them. */
#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#include "base/error.h"
#include "image/image_priv.h"

enum {
    IDENTIFIER_SIZE = 12,
    LEVEL_OFFSET = 80, /* of the level index */
    DFD_OFFSET = LEVEL_OFFSET + 24,
    DFD_SIZE = 4 + 24 + 4 * 16,
    KVD_OFFSET = DFD_OFFSET + DFD_SIZE,
    SCHEME_NONE = 0,
    SCHEME_ZSTD = 2,
    SAMPLE_SIGNED = 0x40,
    SAMPLE_FLOAT = 0x80,
};

static const uint8_t identifier[IDENTIFIER_SIZE] = {0xAB, 'K', 'T', 'X', ' ', '2', '0', 0xBB, '\r', '\n', 0x1A, '\n'};

/* Key and value, each with its zero, in the order that the specification asks for: by key.  "rd": columns go right,
 * rows go down. */
static const char *const key_values[][2] = {{"KTXorientation", "rd"}, {"KTXwriter", "Bakewell"}};

typedef struct ktx2_format {
    uint32_t vk_format, type_size;
    bwi_texel_type type;
    uint8_t bits[4]; /* of R, G, B, A */
} ktx2_format;

static const ktx2_format formats[] = {
    {95, 2, BWI_TEXEL_U16, {16, 16, 16, 16}},  /* VK_FORMAT_R16G16B16A16_UINT */
    {68, 4, BWI_TEXEL_U10, {10, 10, 10, 2}},   /* VK_FORMAT_A2B10G10R10_UINT_PACK32 */
    {97, 2, BWI_TEXEL_F16, {16, 16, 16, 16}},  /* VK_FORMAT_R16G16B16A16_SFLOAT */
    {109, 4, BWI_TEXEL_F32, {32, 32, 32, 32}}, /* VK_FORMAT_R32G32B32A32_SFLOAT */
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static uint8_t *put32(uint8_t *to, uint32_t value) {
    for (int i = 0; i < 4; ++i)
        to[i] = (uint8_t)(value >> (8 * i));
    return to + 4;
}

static uint8_t *put64(uint8_t *to, uint64_t value) {
    return put32(put32(to, (uint32_t)value), (uint32_t)(value >> 32));
}

static uint32_t get32(const uint8_t *from) {
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint64_t get64(const uint8_t *from) {
    return get32(from) | (uint64_t)get32(from + 4) << 32;
}

/* The data format descriptor says again, for readers that don't know the format, which bits are which channel. */
static uint8_t *put_descriptor(uint8_t *to, const ktx2_format *format) {
    static const uint8_t channel_ids[4] = {0, 1, 2, 15};
    const bool is_float = bwi_texel_is_float(format->type);
    to = put32(to, DFD_SIZE);
    to = put32(to, 0);                                      /* Khronos, basic */
    to = put32(to, 2 | (uint32_t)(DFD_SIZE - 4) << 16);     /* version 1.3 */
    to = put32(to, 1 | 0u << 8 | 1u << 16);                 /* RGBSDA, no primaries since this is no colour, linear */
    to = put32(to, 0);                                      /* texel block of 1 × 1 */
    to = put32(to, (uint32_t)bwi_texel_size(format->type)); /* bytes in plane 0 */
    to = put32(to, 0);
    uint32_t bit = 0;
    for (int i = 0; i < 4; ++i) {
        uint32_t kind = channel_ids[i] | (is_float ? SAMPLE_SIGNED | SAMPLE_FLOAT : 0u);
        to = put32(to, bit | (uint32_t)(format->bits[i] - 1) << 16 | kind << 24);
        to = put32(to, 0);
        to = put32(to, is_float ? 0xBF800000u : 0u); /* −1.0f or 0 */
        to = put32(to, is_float ? 0x3F800000u : 1u); /* 1.0f; an integer stands for itself */
        bit += format->bits[i];
    }
    return to;
}

static uint8_t *put_key_values(uint8_t *to) {
    for (size_t i = 0; i < sizeof key_values / sizeof *key_values; ++i) {
        const size_t key_size = strlen(key_values[i][0]) + 1, value_size = strlen(key_values[i][1]) + 1;
        to = put32(to, (uint32_t)(key_size + value_size));
        memcpy(to, key_values[i][0], key_size);
        memcpy(to + key_size, key_values[i][1], value_size);
        to += (key_size + value_size + 3) / 4 * 4;
    }
    return to;
}

bw_result bwi_ktx2_write(const bwi_image_sink *sink, const bwi_texels *texels, bw_error *error) {
    const ktx2_format *format = formats;
    while (format->type != texels->type)
        ++format;
    uint8_t head[512] = {0};
    const size_t texel_size = bwi_texel_size(texels->type);
    const size_t kvd_end = (size_t)(put_key_values(head + KVD_OFFSET) - head);
    /* A level begins at a multiple of its texels' size, all of which are multiples of 4. */
    const size_t data_offset = (kvd_end + texel_size - 1) / texel_size * texel_size;
    const uint64_t bytes = (uint64_t)texels->width * texels->height * texel_size;
    uint8_t *to = head;
    memcpy(to, identifier, IDENTIFIER_SIZE);
    to = put32(to + IDENTIFIER_SIZE, format->vk_format);
    to = put32(to, format->type_size);
    to = put32(to, texels->width);
    to = put32(to, texels->height);
    to = put32(to, 0); /* depth: 2D */
    to = put32(to, 0); /* layers: no array */
    to = put32(to, 1); /* faces */
    to = put32(to, 1); /* levels */
    to = put32(to, SCHEME_NONE);
    to = put32(to, DFD_OFFSET);
    to = put32(to, DFD_SIZE);
    to = put32(to, KVD_OFFSET);
    to = put32(to, (uint32_t)(kvd_end - KVD_OFFSET));
    to = put64(to, 0); /* no global data of a supercompression */
    to = put64(to, 0);
    to = put64(to, data_offset);
    to = put64(to, bytes);
    to = put64(to, bytes);
    put_descriptor(to, format);
    bw_result result = bwi_image_put(sink, head, data_offset, error);
    return result != BW_OK ? result : bwi_image_put_texels(sink, texels, error);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

typedef struct ktx2_head {
    const ktx2_format *format;
    uint32_t width, height, scheme;
    uint64_t offset, stored_size, texel_bytes; /* of the level */
} ktx2_head;

static bw_result fail_unsupported(const bwi_image_source *source, int64_t offset, const char *what, uint32_t found,
                                  const char *expected, bw_error *error) {
    return bwi_fail(error, BW_ERR_UNSUPPORTED, source->path, offset,
                    "the KTX2 file has %s %" PRIu32 ", expected %s; convert it or bake it again", what, found,
                    expected);
}

static bw_result fail_malformed(const bwi_image_source *source, int64_t offset, const char *what, bw_error *error) {
    return bwi_fail(error, BW_ERR_MALFORMED, source->path, offset, "%s; copy or bake the KTX2 file again", what);
}

static bw_result check_identifier(const bwi_image_source *source, bw_error *error) {
    const size_t size = source->size < IDENTIFIER_SIZE ? source->size : IDENTIFIER_SIZE;
    if (memcmp(source->data, identifier, size) != 0)
        return bwi_fail(error, BW_ERR_MALFORMED, source->path, 0,
                        "does not begin with the KTX 2.0 identifier, expected a KTX2 file; check what the file is");
    if (source->size < DFD_OFFSET)
        return bwi_fail(error, BW_ERR_TRUNCATED, source->path, (int64_t)source->size,
                        "ends after %zu bytes, expected a KTX2 header of %d; copy or bake it again", source->size,
                        DFD_OFFSET);
    return BW_OK;
}

/* Rows that go up would be read upside down.  A file that doesn't say has rows that go down. */
static bw_result check_orientation(const bwi_image_source *source, bw_error *error) {
    const uint64_t begin = get32(source->data + 56), size = get32(source->data + 60);
    if (begin + size > source->size)
        return fail_malformed(source, 56, "the key/value data lie outside the file, expected them inside", error);
    static const char key[] = "KTXorientation";
    for (uint64_t at = begin; at + 4 <= begin + size;) {
        const uint64_t entry = get32(source->data + at);
        at += 4;
        if (entry > begin + size - at)
            return fail_malformed(source, (int64_t)at, "a key and value reach past the key/value data", error);
        if (entry >= sizeof key + 2 && memcmp(source->data + at, key, sizeof key) == 0 &&
            memcmp(source->data + at + sizeof key, "rd", 2) != 0)
            return bwi_fail(error, BW_ERR_UNSUPPORTED, source->path, (int64_t)at,
                            "the KTX2 file's KTXorientation is not \"rd\", expected rows that go down; bake it again");
        at += (entry + 3) / 4 * 4;
    }
    return BW_OK;
}

/* Whether the level can be where and as large as the index says. */
static bw_result check_level(const bwi_image_source *source, const ktx2_head *head, bw_error *error) {
    if (head->offset < DFD_OFFSET)
        return fail_malformed(source, LEVEL_OFFSET, "the texels begin inside the header, expected them after it",
                              error);
    if (head->offset > source->size || head->stored_size > source->size - head->offset)
        return bwi_fail(error, BW_ERR_TRUNCATED, source->path, (int64_t)source->size,
                        "ends after %zu bytes, expected %" PRIu64 " bytes of texels from byte %" PRIu64
                        "; copy or bake it again",
                        source->size, head->stored_size, head->offset);
    if (head->scheme == SCHEME_NONE && head->stored_size != head->texel_bytes)
        return fail_malformed(source, LEVEL_OFFSET + 8,
                              "the level's length and uncompressed length differ, expected the same", error);
    return BW_OK;
}

static bw_result read_head(ktx2_head *head, const bwi_image_source *source, bw_error *error) {
    bw_result result = check_identifier(source, error);
    if (result != BW_OK)
        return result;
    const uint8_t *data = source->data;
    const uint32_t vk_format = get32(data + 12);
    size_t index = 0;
    while (index < FORMAT_COUNT && formats[index].vk_format != vk_format)
        ++index;
    if (index == FORMAT_COUNT)
        return fail_unsupported(source, 12, "vkFormat", vk_format,
                                "95 (RGBA16UI), 68 (RGB10A2UI), 97 (RGBA16F) or 109 (RGBA32F)", error);
    if (get32(data + 16) != formats[index].type_size)
        return fail_malformed(source, 16, "typeSize does not fit vkFormat", error);
    if (get32(data + 28) != 0)
        return fail_unsupported(source, 28, "pixelDepth", get32(data + 28), "0 (a 2D image)", error);
    if (get32(data + 32) != 0)
        return fail_unsupported(source, 32, "layerCount", get32(data + 32), "0 (no array)", error);
    if (get32(data + 36) != 1)
        return fail_unsupported(source, 36, "faceCount", get32(data + 36), "1 (no cube map)", error);
    if (get32(data + 40) != 1)
        return fail_unsupported(source, 40, "levelCount", get32(data + 40), "1 (no mip levels)", error);
    *head = (ktx2_head){
        .format = &formats[index],
        .width = get32(data + 20),
        .height = get32(data + 24),
        .scheme = get32(data + 44),
        .offset = get64(data + LEVEL_OFFSET),
        .stored_size = get64(data + LEVEL_OFFSET + 8),
        .texel_bytes = get64(data + LEVEL_OFFSET + 16),
    };
    if (head->scheme != SCHEME_NONE && head->scheme != SCHEME_ZSTD)
        return fail_unsupported(source, 44, "supercompressionScheme", head->scheme, "0 (none) or 2 (zstd)", error);
    result = check_orientation(source, error);
    return result != BW_OK ? result : check_level(source, head, error);
}

/* The most that a level of this size can hold: a zstd block of at most 128 KiB takes at least 4 bytes. */
static uint64_t most_bytes(const ktx2_head *head) {
    return head->scheme == SCHEME_NONE ? head->stored_size : (head->stored_size / 4 + 1) << 17;
}

bw_result bwi_ktx2_read(bwi_texels *texels, const bwi_image_source *source, const bwi_texels *expected,
                        const bwi_env *env, bw_error *error) {
    ktx2_head head = {0};
    bw_result result = read_head(&head, source, error);
    if (result != BW_OK)
        return result;
    bwi_texels read = {0};
    const bwi_texels claimed = {head.width, head.height, head.format->type, NULL};
    result = bwi_image_claim(&read, claimed, most_bytes(&head), source, expected, env, error);
    if (result != BW_OK)
        return result;
    const size_t component_size = bwi_image_component_size(read.type);
    const size_t size = (size_t)read.width * read.height * bwi_texel_size(read.type);
    const uint8_t *stored = source->data + head.offset;
    if (head.texel_bytes != size) {
        result = fail_malformed(source, LEVEL_OFFSET + 16, "the level's length does not fit the image's sides", error);
    } else if (head.scheme == SCHEME_ZSTD) {
        if (ZSTD_decompress(read.data, size, stored, (size_t)head.stored_size) == size)
            bwi_image_swap_little(read.data, read.data, component_size, size / component_size);
        else
            result = fail_malformed(source, (int64_t)head.offset, "the zstd data are damaged", error);
    } else {
        bwi_image_swap_little(read.data, stored, component_size, size / component_size);
    }
    if (result != BW_OK) {
        bwi_texels_free(&read, env->mem);
        return result;
    }
    *texels = read;
    return BW_OK;
}
