/* SPDX-License-Identifier: MIT
 * What completing, decimating, splitting and following share: chosen strands, even choices, guides by id. */
#ifndef BWI_GROOM_COMPLETE_PRIV_H
#define BWI_GROOM_COMPLETE_PRIV_H

#include "base/nearest.h"
#include "groom/groom.h"

/* Ids of guides are read as floats by Unreal, which tells whole numbers apart up to here. */
#define BWI_GUIDE_ID_MAX 16777216

/* Group of a strand, and whether it is a guide, where arrays may be absent. */
static inline uint32_t bwi_group_of(const bw_groom *groom, uint32_t strand) { return groom->group_of ? groom->group_of[strand] : 0; }
static inline bool bwi_is_guide(const bw_groom *groom, uint32_t strand) { return groom->guides && groom->guides[strand]; }

/* ---- groom_select.c ---- */

/* The groom of some strands, in that order, each as often as it is named; ids are then not each once.  Out: part — arrays and animation in the
 * arena, group_of as before, no arena of its own.  Err: TOO_LARGE (2^32 points), MEMORY. */
bw_result bwi_groom_select(bw_groom *part, bwi_arena *arena, const bw_groom *groom, const uint32_t *strands, uint32_t count, bw_error *error);

/* ---- groom_spread.c ---- */

/* Chooses `wanted` of the spots, spread as evenly as they themselves are: space is halved until each cell holds its share of them, of which the
 * one next to their mean is taken.  Out: chosen — [wanted] items, ascending.  In: spots — reordered; 1 <= wanted <= count. */
void bwi_spread(uint32_t *chosen, bwi_spot *spots, size_t count, size_t wanted);
/* How many of n a fraction is: the nearest, at least one. */
uint32_t bwi_share(uint32_t n, double fraction);
/* Numbers of strands by group: in order of groups, ascending in each.  Out: order — [strands], first — [groups + 1]; in the arena.  Err: MEMORY. */
bw_result bwi_groom_by_group(uint32_t **order, uint32_t **first, bwi_arena *arena, const bw_groom *groom, bw_error *error);

/* ---- groom_roots.c ---- */

/* Makes root UVs where they are absent; from a scalp all of them.  In: uvs — [strands][2], NaN: absent.  Err: as bwi_groom_complete. */
bw_result bwi_groom_roots(float *uvs, const bw_groom *groom, bwi_warnings *changes, const bw_groom_opts *opts, const bw_scene *scalp,
                          const bwi_env *env, bw_error *error);

/* ---- groom_ids.c ---- */

/* Makes ids sound: each once, none negative, those of guides up to BWI_GUIDE_ID_MAX.  In: made — strands at the end that are new and have none.
 * Err: MEMORY. */
bw_result bwi_groom_ids(bw_groom *groom, uint32_t made, bwi_warnings *changes, bwi_arena *arena, bw_error *error);
/* Numbers strands anew in their order, so that no number is left out; closest guides go along, and are -1 where the groom has no such guide.
 * In: groom — its arrays are changed; one without ids stays.  Err: MEMORY. */
bw_result bwi_groom_renumber(bw_groom *groom, bwi_arena *arena, bw_error *error);

/* ---- groom_follow.c ---- */

/* Guides by id: of equal ids the last, as Unreal does it. */
typedef struct bwi_guide_map {
    struct { int32_t id; uint32_t strand; } *slots; /* strand BW_NO_INDEX: empty */
    uint32_t mask;
} bwi_guide_map;
/* In: groom — with guides and ids.  Err: MEMORY. */
bw_result bwi_guide_map_build(bwi_guide_map *map, bwi_arena *arena, const bw_groom *groom, bw_error *error);
uint32_t bwi_guide_map_find(const bwi_guide_map *map, int32_t id); /* a strand, or BW_NO_INDEX */

/* ---- groom_closest.c ---- */

/* Fills closest guides and weights, keeping those that hold.  In: groom — with ids; changed in place, arrays in the arena.
 * Err: MEMORY, CANCELLED. */
bw_result bwi_groom_closest(bw_groom *groom, bwi_warnings *changes, bwi_arena *arena, const bwi_env *env, bw_error *error);

#endif
