/* SPDX-License-Identifier: MIT
 * The decoder's state. */
#ifndef BWI_DECODE_DECODE_PRIV_H
#define BWI_DECODE_DECODE_PRIV_H

#include "decode/decode.h"

/* Textures of a page. */
typedef struct bwi_decoder_page {
    const bwi_manifest_texture *position, *normal; /* normal: or NULL */
} bwi_decoder_page;

struct bwi_decoder {
    bwi_mem *mem;
    bwi_arena *arena;
    const char *folder;
    bwi_manifest *manifest;
    uint32_t width, rows;     /* columns, rows a frame */
    bwi_decoder_page *pages; /* [page_count] */
    uint32_t page_count;
    bool has_normals, has_tangents;
    uint32_t *texel; /* [V]: row × width + column, of a page's first frame */
    /* gltf[axis[k]] = sign[k] × metres × engine[k] */
    int axis[3];
    float sign[3], metres;
    /* the page loaded last */
    bwi_page_range page;
    bwi_texels position, normal;
    bwi_texture_decode position_decode;
};

#endif
