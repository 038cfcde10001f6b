/* SPDX-License-Identifier: MIT
 * Image files of every container: picks the writer or reader, and makes the checks that all of them share. */
#include "image/image.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "image/image_priv.h"

const char *bwi_texel_type_text(bwi_texel_type type) {
    switch (type) {
    case BWI_TEXEL_U8:
        return "8-bit integers";
    case BWI_TEXEL_U16:
        return "16-bit integers";
    case BWI_TEXEL_U10:
        return "10-bit integers";
    case BWI_TEXEL_F16:
        return "16-bit floats";
    case BWI_TEXEL_F32:
        return "32-bit floats";
    }
    return "unknown texels";
}

static bool container_holds(bwi_container container, bwi_texel_type type) {
    switch (container) {
    case BWI_CONTAINER_PNG:
        return type == BWI_TEXEL_U8 || type == BWI_TEXEL_U16;
    case BWI_CONTAINER_EXR:
        return bwi_texel_is_float(type);
    case BWI_CONTAINER_KTX2:
        return type != BWI_TEXEL_U8;
    case BWI_CONTAINER_RAW:
        return true;
    case BWI_CONTAINER_TGA:
        break;
    }
    return false;
}

bw_result bwi_image_write(FILE *file, const char *path, bwi_container container, const bwi_texels *texels,
                          const bwi_env *env, bw_error *error) {
    assert(texels->width >= 1 && texels->height >= 1);
    assert(texels->width <= BWI_IMAGE_MAX_SIDE && texels->height <= BWI_IMAGE_MAX_SIDE);
    if (!container_holds(container, texels->type))
        return bwi_fail(error, BW_ERR_INTERNAL, path, -1, "a container was asked to hold %s",
                        bwi_texel_type_text(texels->type));
    const bwi_image_sink sink = {file, path};
    bw_result result = BW_OK;
    switch (container) {
    case BWI_CONTAINER_PNG:
        result = bwi_png_write(&sink, texels, env, error);
        break;
    case BWI_CONTAINER_EXR:
        result = bwi_exr_write(&sink, texels, env, error);
        break;
    case BWI_CONTAINER_KTX2:
        result = bwi_ktx2_write(&sink, texels, error);
        break;
    case BWI_CONTAINER_RAW:
        result = bwi_image_put_texels(&sink, texels, error);
        break;
    case BWI_CONTAINER_TGA:
        break;
    }
    /* What stdio still holds is written now, so that a full disk is this image's error. */
    return result != BW_OK ? result : bwi_image_put(&sink, NULL, 0, error);
}

bw_result bwi_image_put(const bwi_image_sink *sink, const void *data, size_t size, bw_error *error) {
    errno = 0;
    bool good = size > 0 ? fwrite(data, 1, size, sink->file) == size : fflush(sink->file) == 0;
    if (good)
        return BW_OK;
    return bwi_fail(error, BW_ERR_FILE_WRITE, sink->path, -1,
                    "the image could not be written: %s; make room or choose another folder",
                    errno ? strerror(errno) : "the file took no more bytes");
}

bw_result bwi_image_put_texels(const bwi_image_sink *sink, const bwi_texels *texels, bw_error *error) {
    uint8_t buffer[65536];
    const size_t component_size = bwi_image_component_size(texels->type);
    const size_t size = (size_t)texels->width * texels->height * bwi_texel_size(texels->type);
    const uint8_t *texel_bytes = texels->data;
    for (size_t done = 0; done < size;) {
        size_t part = size - done < sizeof buffer ? size - done : sizeof buffer;
        bwi_image_swap_little(buffer, texel_bytes + done, component_size, part / component_size);
        bw_result result = bwi_image_put(sink, buffer, part, error);
        if (result != BW_OK)
            return result;
        done += part;
    }
    return BW_OK;
}

size_t bwi_image_component_size(bwi_texel_type type) {
    return type == BWI_TEXEL_U10 ? 4 : bwi_texel_size(type) / 4;
}

void bwi_image_swap_little(void *dst, const void *src, size_t component_size, size_t count) {
    uint8_t *to = dst;
    const uint8_t *from = src;
    switch (component_size) {
    case 2:
        for (size_t i = 0; i < count; ++i) {
            uint16_t value;
            memcpy(&value, from + 2 * i, 2);
            to[2 * i] = (uint8_t)value;
            to[2 * i + 1] = (uint8_t)(value >> 8);
        }
        break;
    case 4:
        for (size_t i = 0; i < count; ++i) {
            uint32_t value;
            memcpy(&value, from + 4 * i, 4);
            to[4 * i] = (uint8_t)value;
            to[4 * i + 1] = (uint8_t)(value >> 8);
            to[4 * i + 2] = (uint8_t)(value >> 16);
            to[4 * i + 3] = (uint8_t)(value >> 24);
        }
        break;
    default:
        memmove(to, from, count);
    }
}

bw_result bwi_image_claim(bwi_texels *texels, bwi_texels claimed, uint64_t most_bytes, const bwi_image_source *source,
                          const bwi_texels *expected, const bwi_env *env, bw_error *error) {
    const uint32_t width = claimed.width, height = claimed.height;
    if (width == 0 || height == 0)
        return bwi_fail(error, BW_ERR_MALFORMED, source->path, -1,
                        "the header says %" PRIu32 " × %" PRIu32
                        " texels, expected at least one; bake or save it again",
                        width, height);
    if (expected && (width != expected->width || height != expected->height || claimed.type != expected->type))
        return bwi_fail(error, BW_ERR_DIFFERS, source->path, -1,
                        "holds %" PRIu32 " × %" PRIu32 " texels of %s, expected %" PRIu32 " × %" PRIu32
                        " of %s; bake again, or use the files of one bake together",
                        width, height, bwi_texel_type_text(claimed.type), expected->width, expected->height,
                        bwi_texel_type_text(expected->type));
    if (width > BWI_IMAGE_MAX_SIDE || height > BWI_IMAGE_MAX_SIDE)
        return bwi_fail(error, BW_ERR_TOO_LARGE, source->path, -1,
                        "holds %" PRIu32 " × %" PRIu32 " texels, expected sides of at most %u; split it", width, height,
                        BWI_IMAGE_MAX_SIDE);
    const uint64_t bytes = (uint64_t)width * height * bwi_texel_size(claimed.type);
    if (bytes > most_bytes)
        return bwi_fail(error, BW_ERR_TRUNCATED, source->path, (int64_t)source->size,
                        "ends after %zu bytes, too few for the %" PRIu32 " × %" PRIu32
                        " texels that its header says; copy or bake it again",
                        source->size, width, height);
    if (bytes > SIZE_MAX)
        return bwi_fail_memory(error, source->path, env->mem, SIZE_MAX);
    claimed.data = bwi_alloc(env->mem, (size_t)bytes, 1);
    if (!claimed.data)
        return bwi_fail_memory(error, source->path, env->mem, (size_t)bytes);
    *texels = claimed;
    return BW_OK;
}

bw_result bwi_image_read(bwi_texels *texels, const char *path, bwi_container container, const bwi_texels *expected,
                         const bwi_env *env, bw_error *error) {
    bwi_map map = {0};
    bw_result result = bwi_map_open(&map, path, env->mem, error);
    if (result != BW_OK)
        return result;
    const bwi_image_source source = {map.data, map.size, path};
    bwi_texels read = {0};
    switch (container) {
    case BWI_CONTAINER_PNG:
        result = bwi_png_read(&read, &source, expected, env, error);
        break;
    case BWI_CONTAINER_EXR:
        result = bwi_exr_read(&read, &source, expected, env, error);
        break;
    case BWI_CONTAINER_KTX2:
        result = bwi_ktx2_read(&read, &source, expected, env, error);
        break;
    case BWI_CONTAINER_RAW:
        result = bwi_raw_read(&read, &source, expected, env, error);
        break;
    case BWI_CONTAINER_TGA:
        result = bwi_tga_read(&read, &source, expected, env, error);
        break;
    }
    bwi_map_close(&map);
    if (result == BW_OK)
        *texels = read;
    return result;
}

bool bwi_image_recognise(bwi_container *container, const char *path, const void *data, size_t size) {
    static const struct {
        bwi_container container;
        const char *magic;
        size_t size;
    } KINDS[] = {{BWI_CONTAINER_PNG, "\x89PNG\r\n\x1a\n", 8}, {BWI_CONTAINER_EXR, "\x76\x2f\x31\x01", 4}};
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (size >= KINDS[i].size && memcmp(data, KINDS[i].magic, KINDS[i].size) == 0) {
            *container = KINDS[i].container;
            return true;
        }
    }
    const size_t length = strlen(path);
    if (length < 4 || strcasecmp(path + length - 4, ".tga") != 0)
        return false;
    *container = BWI_CONTAINER_TGA;
    return true;
}

void bwi_texels_free(bwi_texels *texels, bwi_mem *mem) {
    bwi_free(mem, texels->data);
    *texels = (bwi_texels){0};
}
