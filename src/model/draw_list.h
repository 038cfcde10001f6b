/* SPDX-License-Identifier: MIT
 * The mesh that is written and drawn: plain arrays, one vertex list, one primitive a material and mode. */
#ifndef BWI_MODEL_DRAW_LIST_H
#define BWI_MODEL_DRAW_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "bakewell/scene.h"

/* A number a vertex that glTF knows no name for. */
typedef struct bwi_draw_scalar { const char *name; /* "_WIDTH" */ const float *values; /* [V] */ } bwi_draw_scalar;

typedef struct bwi_draw_primitive {
    bw_primitive_mode mode;
    uint32_t material; /* into the scene's materials, or BW_NO_INDEX */
    uint32_t first_vertex, vertex_count;
    const uint32_t *indices; /* into the whole list, all inside this primitive's vertices */
    uint32_t index_count;
} bwi_draw_primitive;

/* glTF space: right-handed, Y up, metres. */
typedef struct bwi_draw_list {
    uint32_t vertex_count;
    const float *positions; /* [V][3] */
    const float *normals;   /* [V][3]; NULL: none */
    const float *tangents;  /* [V][4]; NULL: none */
    const float *const *uv_sets; /* [uv_set_count][V][2], v from the top; none NULL */
    uint32_t uv_set_count;
    const float *const *colors; /* [color_count][V][4] */
    uint32_t color_count;
    uint32_t influence_count; /* a vertex: 4 or 8; 0: no skin data */
    const uint16_t *joints;   /* [V][influence_count]: written as JOINTS_0 (and _1) of a mesh without a skin */
    const uint16_t *weights;  /* [V][influence_count]: codes whose sum is 65535, written as normalised WEIGHTS_0 (and _1) */
    const bwi_draw_scalar *scalars;
    uint32_t scalar_count;
    const bwi_draw_primitive *primitives;
    uint32_t primitive_count;
} bwi_draw_list;

#endif
