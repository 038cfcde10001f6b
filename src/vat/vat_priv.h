/* SPDX-License-Identifier: MIT
 * What the layouts share: texels, and the rules of OpenVAT's layout. */
#ifndef BWI_VAT_VAT_PRIV_H
#define BWI_VAT_VAT_PRIV_H

#include "vat/vat.h"

uint32_t bwi_pow2_up(uint32_t x); /* the least power of two >= x; x <= 2^31 */

/* A texel before its bits are laid down: codes for integer types, values for floats. */
typedef struct bwi_texel {
    uint32_t code[4];
    float value[4];
} bwi_texel;
/* Channel k from x in [0, 1]: the code floor(largest · x + ½), and x itself. */
void bwi_texel_set(bwi_texel *texel, int k, double x, bwi_texel_type type);
void bwi_texel_put(const bwi_texels *image, size_t column, size_t row, const bwi_texel *texel);

bw_result bwi_fail_side(const bwi_vat_plan *plan, const char *what, uint64_t side, const char *help, bw_error *error);

/* The nodes that some clip of the bake moves by its translation, rotation or scale.  Out: moved — [nodes]. */
void bwi_moved_nodes(bool *moved, const bwi_vat_plan *plan);
/* The nearest node, a part's own or above it, that is moved; BW_NO_INDEX: none is. */
uint32_t bwi_carrier(const bool *moved, const bw_scene *scene, uint32_t node);
/* The pose of carriers in which the mesh is written: at rest, or where that has no extent in the first frame of a clip that gives it some;
 * identity where no frame does.  Out: reference — [nodes], of carriers alone.  Err: MEMORY. */
bw_result bwi_carrier_references(bwi_mat4 *reference, const bwi_vat_plan *plan, const bool *moved, const bwi_env *env, bw_error *error);

/* OpenVAT's rules: docs/FORMATS.md §9.  Resolving refuses options that its players could not follow. */
bw_result bwi_openvat_resolve(bwi_vat_settings *settings, const bw_vat_opts *opts, bw_error *error);
bw_result bwi_openvat_layout(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error);
/* Column, and row of an element in its first frame. */
void bwi_openvat_place(const bwi_vat_plan *plan, uint32_t element, uint32_t *column, uint32_t *row);
/* One frame's texels.  In: positions, normals — [V][3] in the space of the texture data; normals NULL: none wanted. */
void bwi_openvat_encode_frame(const bwi_vat_plan *plan, uint32_t frame, const float *positions, const float *normals,
                              const bwi_texels *position_image, const bwi_texels *normal_image);
/* Rounds [min, max] outward to multiples of 0.1. */
void bwi_openvat_round_bounds(float min[3], float max[3]);

#endif
