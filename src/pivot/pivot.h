/* SPDX-License-Identifier: MIT
 * Pivot Painter 2, the encoder's side: finding elements and their parents, laying them out, and the texels. */
#ifndef BWI_PIVOT_PIVOT_H
#define BWI_PIVOT_PIVOT_H

#include "bakewell/pivot.h"
#include "base/error.h"
#include "base/thread.h"

/* Half bits that name an element.  In: index < BW_PIVOT_INDEX_COUNT. */
uint16_t bwi_pivot_pack_index(uint32_t index);
uint8_t bwi_pivot_pack_extent(double extent_cm); /* 1 … 255 */
uint8_t bwi_pivot_pack_signed(double value);     /* −1 … 1 */
uint8_t bwi_pivot_pack_unit(double value);       /* 0 … 1 */

/* ---- pivot_find.c ---- */

/* Finds the elements of a scene.  Out: plan — new, in an arena of its own that draws on env->mem, free with bwi_pivot_plan_free; vertices as
 * bwi_vertex_list has them, at rest, triangles only; every element has a triangle; names differ, indices are any order; pivots, axes and
 * extents are set and finite.  It points into the scene for materials alone; its own warnings stay empty.  In: opts — resolved or not.
 * Err: USAGE (--root, --max-elements, an override that names what is not there), FILE_* and JSON, MALFORMED (the override file), NO_MESH,
 * TOO_LARGE, MEMORY, CANCELLED.  Cost: O(vertices · log vertices).  The same with any number of threads. */
bw_result bwi_pivot_find(bw_pivot_plan **plan, const bw_scene *scene, const bw_pivot_opts *opts, const bwi_env *env, bwi_warnings *warnings,
                         bw_error *error);
void bwi_pivot_plan_free(bw_pivot_plan *plan); /* NULL-safe */

/* ---- pivot_shape.c ---- */

/* Completes the elements of a plan, whoever made it: x axes of (0, 0, 0) point from the pivot to what is farthest, other axes of (0, 0, 0)
 * make a right-handed frame with x, extents of 0 are measured.  In: elements — those of the plan, where they may be written; vertex_elements in
 * range.  Err: MEMORY. */
bw_result bwi_pivot_shape(bw_pivot_element *elements, const bw_pivot_plan *plan, bw_pivot_extent extent, bwi_arena *scratch, bw_error *error);

/* ---- pivot_level.c ---- */

/* A coarser mesh of the same elements, as a plan: its elements are the base's, by pointer, and some may have no vertex; its mesh is the
 * level's.  Triangles go with the element of their node's or joint's name ("twig_LOD1" is "twig"); without one, a connected part that lies along
 * an element goes with it as a whole, other triangles with that whose surface is nearest.
 * Out: level — new, free with bwi_pivot_plan_free before the base; farthest — of its vertices from the surface of its element, metres.
 * Err: as bwi_vertex_list_build, CANCELLED. */
bw_result bwi_pivot_level(bw_pivot_plan **level, double *farthest, const bw_pivot_plan *base, const bw_scene *scene, const bw_pivot_opts *opts,
                          const bwi_env *env, bwi_warnings *warnings, bw_error *error);

#endif
