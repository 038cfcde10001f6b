/* SPDX-License-Identifier: MIT
 * A block of RGBA texels, and the table of containers that can hold one. */
#ifndef BWI_MODEL_TEXELS_H
#define BWI_MODEL_TEXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bakewell/vat.h"

typedef enum bwi_texel_type {
    BWI_TEXEL_U8 = 0, /* 4 × uint8_t */
    BWI_TEXEL_U16,    /* 4 × uint16_t */
    BWI_TEXEL_U10,    /* one uint32_t: R bits 0-9, G 10-19, B 20-29, A 30-31 */
    BWI_TEXEL_F16,    /* 4 × binary16 */
    BWI_TEXEL_F32     /* 4 × float */
} bwi_texel_type;

/* Tight rows, row 0 = top scanline, column 0 = left, host byte order. */
typedef struct bwi_texels {
    uint32_t width, height;
    bwi_texel_type type;
    void *data; /* [height][width] texels of bwi_texel_size(type) bytes */
} bwi_texels;

size_t bwi_texel_size(bwi_texel_type type); /* bytes: 4, 8, 4, 8, 16 */
bool bwi_texel_is_float(bwi_texel_type type);
uint32_t bwi_texel_max_code(bwi_texel_type type); /* of R, G, B: 255, 65535, 1023; 0 for floats */

typedef enum bwi_container { BWI_CONTAINER_PNG = 0, BWI_CONTAINER_EXR, BWI_CONTAINER_KTX2, BWI_CONTAINER_RAW, BWI_CONTAINER_TGA /* read only */ } bwi_container;

/* One row a bw_vat_format. */
typedef struct bwi_format_info {
    bw_vat_format format;
    const char *name; /* as typed and as in the manifest: "png16" */
    bwi_container container;
    bwi_texel_type type;
    const char *extension; /* "png" */
} bwi_format_info;
const bwi_format_info *bwi_format_info_of(bw_vat_format format);       /* NULL for DEFAULT and unknown values */
const bwi_format_info *bwi_format_info_named(const char *name);        /* NULL if none */

#endif
