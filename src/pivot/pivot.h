/* SPDX-License-Identifier: MIT
 * Pivot Painter 2, the encoder's side: finding elements and their parents, laying them out, and the texels. */
#ifndef BWI_PIVOT_PIVOT_H
#define BWI_PIVOT_PIVOT_H

#include "bakewell/pivot.h"
#include "base/error.h"
#include "base/thread.h"
#include "model/draw_list.h"
#include "model/pivot_manifest.h"
#include "model/texels.h"

/* Half bits that name an element.  In: index < BW_PIVOT_INDEX_COUNT. */
uint16_t bwi_pivot_pack_index(uint32_t index);
uint8_t bwi_pivot_pack_extent(double extent_cm); /* 1 … 255 */
uint8_t bwi_pivot_pack_signed(double value);     /* −1 … 1 */
uint8_t bwi_pivot_pack_unit(double value);       /* 0 … 1 */

/* ---- pivot_check.c ---- */

/* Whether a plan can be baked, whoever made it.  In: path — for messages; NULL: none.
 * Err: USAGE (no elements or vertices; an element, parent or vertex out of range; parents in a circle; an element without a name or a vertex;
 * numbers that are not finite; an x axis that is no unit vector, a y or z axis that is neither one nor (0, 0, 0); primitives that don't follow one another to the last
 * vertex), TOO_LARGE (more elements than an index names), MEMORY. */
bw_result bwi_pivot_check(const bw_pivot_plan *plan, const char *path, bwi_mem *mem, bw_error *error);

/* ---- pivot_meet.c ---- */

/* Places where vertices of more than three elements stand, which Unreal's converter to a skeleton refuses.  Out: count; first_vertex — at the first
 * place, untouched where there is none.  In: plan — checked.  Err: MEMORY, CANCELLED.  Source: docs/PIVOT.md. */
bw_result bwi_pivot_find_crowds(uint32_t *count, uint32_t *first_vertex, const bw_pivot_plan *plan, const bwi_env *env, bw_error *error);

/* ---- pivot_order.c ---- */

/* Elements as their texels stand: roots, then their children, then theirs; those of one parent as the plan has them. */
typedef struct bwi_pivot_order {
    uint32_t count, root_count;
    uint32_t max_depth;                      /* levels: 1 where there are roots only */
    uint32_t level_counts[BW_PIVOT_LEVELS];  /* as bw_pivot_report's */
    const uint32_t *elements; /* [count] of the plan, by texel */
    const uint32_t *texels;   /* [count] the inverse */
    const uint32_t *parents;  /* [count] texel of the parent, by texel; a root's is its own */
    const uint32_t *depths;   /* [count] steps from a root, by texel */
} bwi_pivot_order;
/* In: plan — bwi_pivot_check has passed it.  Out: order — in the arena.  Err: MEMORY. */
bw_result bwi_pivot_order_make(bwi_pivot_order *order, bwi_arena *arena, const bw_pivot_plan *plan, bw_error *error);

/* ---- pivot_layout.c ---- */

typedef struct bwi_pivot_layout { uint32_t width, height; } bwi_pivot_layout;

/* Most texels a side: halves, in which engines keep UVs, tell no more apart. */
enum { BWI_PIVOT_SIDE_MAX = 2047 };

/* Whether the stock functions, which multiply by a float reciprocal of the width, find every index in its own row. */
bool bwi_pivot_width_is_safe(uint32_t width);
/* Sides for so many elements: powers of two, near a square, or the width that was asked for.
 * Err: USAGE (a width whose rows are found wrongly, or that needs too many rows; names the nearest that does). */
bw_result bwi_pivot_layout_make(bwi_pivot_layout *layout, uint32_t element_count, uint32_t width, bw_error *error);
/* UV of a texel's centre, v from the top. */
void bwi_pivot_uv(float uv[2], const bwi_pivot_layout *layout, uint32_t texel);

/* ---- pivot_encode.c ---- */

/* What texels are made of. */
typedef struct bwi_pivot_sheet {
    const bw_pivot_plan *plan;
    const bw_pivot_element *elements; /* of the plan, axes and extents completed by bwi_pivot_shape */
    const bwi_pivot_order *order;
    bwi_pivot_layout layout;
    const bwi_space_map *space;
    const struct bwi_pivot_box *boxes; /* [elements] */
} bwi_pivot_sheet;

/* Makes a sheet, its elements and boxes in the arena.  In: plan — checked; order of it.  Err: TOO_LARGE (a pivot so far out that no half holds
 * it), MEMORY. */
bw_result bwi_pivot_sheet_make(bwi_pivot_sheet *sheet, bwi_arena *arena, const bw_pivot_plan *plan, const bwi_pivot_order *order,
                               const bw_pivot_opts *opts, bw_error *error);

typedef struct bwi_pivot_pair { bwi_pivot_rgb rgb; bwi_pivot_alpha alpha; } bwi_pivot_pair;
/* The pairs of opts->rgb and opts->alpha.  Out: pairs — in the arena.
 * Err: USAGE (a name that is none, one list longer than the other, one pair twice, halves with bytes, more elements than alpha can count), MEMORY. */
bw_result bwi_pivot_pairs(const bwi_pivot_pair **pairs, size_t *count, bwi_arena *arena, const bw_pivot_opts *opts, uint32_t element_count,
                          bw_error *error);
/* EXR16 for halves, PNG8 for bytes. */
bw_vat_format bwi_pivot_format(bwi_pivot_pair pair);
/* Fills a texture; texels past the last element are 0.  Out: texels->data — [height][width] of the pair's format, given by the caller. */
void bwi_pivot_encode(const bwi_texels *texels, const bwi_pivot_sheet *sheet, bwi_pivot_pair pair);

/* ---- pivot_mesh.c ---- */

/* The UV set that points at texels.  Err: USAGE where it is one that the mesh has and the options do not name. */
bw_result bwi_pivot_uv_set(uint32_t *set, const bw_pivot_plan *plan, bw_engine engine, const bw_pivot_opts *opts, bw_error *error);
/* The mesh that is written, in the plan's order; what the plan has is pointed at, UVs are in the arena.  Err: MEMORY. */
bw_result bwi_pivot_draw_list(bwi_draw_list *list, bwi_arena *arena, const bw_pivot_plan *plan, const bwi_pivot_order *order,
                              const bwi_pivot_layout *layout, uint32_t uv_set, bw_error *error);

/* ---- pivot_find.c ---- */

/* Finds the elements of a scene.  Out: plan — new, in an arena of its own that draws on env->mem, free with bwi_pivot_plan_free; vertices as
 * bwi_vertex_list has them, at rest, triangles only; every element has a triangle; names differ, indices are any order; pivots, axes and
 * extents are set and finite.  It points into the scene for materials alone; its own warnings stay empty.  In: opts — resolved or not.
 * Err: USAGE (--root, joints without a skin), FILE_*, JSON and MALFORMED (the override file; places that are not finite), NO_MESH, TOO_LARGE,
 * MEMORY, CANCELLED.  Cost: O(vertices · log vertices).  The same with any number of threads. */
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
