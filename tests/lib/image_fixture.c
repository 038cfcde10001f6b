/* SPDX-License-Identifier: MIT
 * Images for tests: every kind of file, texels with edge values, a temporary folder. */
#define _POSIX_C_SOURCE 200809L
#include "image_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const image_kind image_kinds[IMAGE_KIND_COUNT] = {
    {"png8", BWI_CONTAINER_PNG, BWI_TEXEL_U8},       {"png16", BWI_CONTAINER_PNG, BWI_TEXEL_U16},
    {"exr16", BWI_CONTAINER_EXR, BWI_TEXEL_F16},     {"exr32", BWI_CONTAINER_EXR, BWI_TEXEL_F32},
    {"ktx2-u16", BWI_CONTAINER_KTX2, BWI_TEXEL_U16}, {"ktx2-u10", BWI_CONTAINER_KTX2, BWI_TEXEL_U10},
    {"ktx2-f16", BWI_CONTAINER_KTX2, BWI_TEXEL_F16}, {"ktx2-f32", BWI_CONTAINER_KTX2, BWI_TEXEL_F32},
    {"raw-u8", BWI_CONTAINER_RAW, BWI_TEXEL_U8},     {"raw-u16", BWI_CONTAINER_RAW, BWI_TEXEL_U16},
    {"raw-u10", BWI_CONTAINER_RAW, BWI_TEXEL_U10},   {"raw-f16", BWI_CONTAINER_RAW, BWI_TEXEL_F16},
    {"raw-f32", BWI_CONTAINER_RAW, BWI_TEXEL_F32},
};

static char folder[64];

static void die(const char *what, const char *path) {
    fprintf(stderr, "image_fixture: %s: %s\n", what, path);
    abort();
}

static void *allocate(size_t size) {
    void *block = malloc(size > 0 ? size : 1);
    if (!block)
        die("no memory", "");
    return block;
}

size_t image_size(const bwi_texels *texels) {
    return (size_t)texels->width * texels->height * bwi_texel_size(texels->type);
}

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8 ^ *state << 16;
}

static uint32_t edge_value(bwi_texel_type type, size_t i) {
    static const uint32_t f16[] = {0x0000, 0x8000, 0x0001, 0x83FF, 0x7BFF, 0xFBFF,
                                   0x7C00, 0xFC00, 0x7C01, 0x7E55, 0xFFFF, 0x3C00};
    static const uint32_t f32[] = {0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x7F7FFFFF, 0xFF7FFFFF,
                                   0x7F800000, 0xFF800000, 0x7F800001, 0x7FC12345, 0xFFFFFFFF, 0x3F800000};
    static const uint32_t codes[] = {0,    0xFFFFFFFF, 1,      0xFFFFFFFE, 0x01020304, 0x80,
                                     0x7F, 0x8000,     0x7FFF, 0xFF,       0x100,      2};
    return type == BWI_TEXEL_F16 ? f16[i] : type == BWI_TEXEL_F32 ? f32[i] : codes[i];
}

bwi_texels image_make(uint32_t width, uint32_t height, bwi_texel_type type, uint32_t seed) {
    bwi_texels texels = {width, height, type, NULL};
    const size_t component_size = type == BWI_TEXEL_U10 ? 4 : bwi_texel_size(type) / 4;
    const size_t per_row = width * bwi_texel_size(type) / component_size;
    uint8_t *bytes = texels.data = allocate(image_size(&texels));
    uint32_t state = seed;
    for (size_t i = 0; i < per_row * height; ++i) {
        const size_t row = i / per_row;
        uint32_t value = next_random(&state);
        if (i < 12)
            value = edge_value(type, i);
        else if (row % 3 == 1)
            value = (uint32_t)(row * 40 + i % per_row * 3 + value % 7);
        else if (row % 3 == 2)
            value = seed;
        const uint8_t component8 = (uint8_t)value;
        const uint16_t component16 = (uint16_t)value;
        memcpy(bytes + i * component_size,
               component_size == 1   ? (const void *)&component8
               : component_size == 2 ? (const void *)&component16
                                     : (const void *)&value,
               component_size);
    }
    return texels;
}

bw_result image_save(const char *path, const image_kind *kind, const bwi_texels *texels, const bwi_env *env,
                     bw_error *error) {
    FILE *file = fopen(path, "wb");
    if (!file)
        die("cannot be opened", path);
    bw_result result = bwi_image_write(file, path, kind->container, texels, env, error);
    if (fclose(file) != 0 && result == BW_OK)
        die("cannot be closed", path);
    return result;
}

int image_make_folder(void **state) {
    (void)state;
    const char *parent = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/bakewell-image-XXXXXX", parent && strlen(parent) < 40 ? parent : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

int image_remove_folder(void **state) {
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

const char *image_path(const char *name) {
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

void image_write_bytes(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        die("cannot be written", path);
}

uint8_t *image_read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        die("cannot be read", path);
    long end = ftell(file);
    uint8_t *data = allocate((size_t)end);
    rewind(file);
    if (fread(data, 1, (size_t)end, file) != (size_t)end)
        die("cannot be read", path);
    fclose(file);
    *size = (size_t)end;
    return data;
}
