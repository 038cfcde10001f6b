/* SPDX-License-Identifier: MIT
 * Grooms with fewer strands: a part of each group, or one group. */
#include <stdlib.h>
#include <string.h>

#include "groom/groom_complete_priv.h"

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Strands kept, ascending; wider[group]: by how much, so that as much is covered as before: n strands of width w cover what m of n/m · w do. */
static bw_result choose(uint32_t **kept, uint32_t *kept_count, double *wider, const bw_groom *groom, double fraction,
                        bwi_arena *scratch, bw_error *error) {
    uint32_t *order, *first;
    const bw_result result = bwi_groom_by_group(&order, &first, scratch, groom, error);
    if (result != BW_OK)
        return result;
    uint32_t *all = bwi_arena_alloc(scratch, groom->strand_count, sizeof *all), count = 0;
    bwi_spot *spots = bwi_arena_alloc(scratch, groom->strand_count, sizeof *spots);
    if (!all || !spots)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(scratch), groom->strand_count * sizeof *spots);
    for (size_t g = 0; g < groom->groups.count; g++) {
        uint32_t hair = 0;
        for (uint32_t k = first[g]; k < first[g + 1]; k++) {
            const uint32_t strand = order[k];
            if (bwi_is_guide(groom, strand)) {
                all[count++] = strand;
                continue;
            }
            memcpy(spots[hair].p, groom->positions + 3 * (size_t)groom->first_points[strand], sizeof spots[hair].p);
            spots[hair++].item = strand;
        }
        wider[g] = 1;
        if (hair == 0)
            continue;
        const uint32_t wanted = bwi_share(hair, fraction);
        bwi_spread(all + count, spots, hair, wanted);
        wider[g] = (double)hair / wanted;
        count += wanted;
    }
    qsort(all, count, sizeof *all, ascending);
    *kept = all;
    *kept_count = count;
    return BW_OK;
}

bw_result bwi_groom_decimate(bw_groom *groom, bwi_warnings *changes, bwi_arena *arena, double fraction,
                             const bwi_env *env, bw_error *error) {
    bwi_arena *scratch = bwi_arena_create(env->mem);
    double *wider = scratch ? bwi_arena_alloc(scratch, groom->groups.count, sizeof *wider) : NULL;
    uint32_t *kept = NULL, kept_count = 0;
    bw_groom part;
    bw_result result = wider ? choose(&kept, &kept_count, wider, groom, fraction, scratch, error)
                             : bwi_fail_memory(error, NULL, env->mem, 0);
    const uint32_t dropped = groom->strand_count - kept_count;
    if (result == BW_OK && dropped > 0)
        result = bwi_groom_select(&part, arena, groom, kept, kept_count, error);
    if (result == BW_OK && dropped > 0)
        result = bwi_groom_renumber(&part, arena, error);
    if (result == BW_OK && dropped > 0) {
        for (uint32_t i = 0; part.widths && i < part.strand_count; i++) {
            if (bwi_is_guide(&part, i))
                continue;
            for (uint32_t k = part.first_points[i]; k < part.first_points[i + 1]; k++)
                part.widths[k] = (float)((double)part.widths[k] * wider[bwi_group_of(&part, i)]);
        }
        bwi_warn(
            changes, "strands-decimated", dropped,
            "strands were left out evenly over the roots, and the others widened by as much as covers the same area",
            "strand %u", kept[0] > 0 ? 0 : 1);
        part.arena = groom->arena;
        *groom = part;
    }
    bwi_arena_free(scratch);
    return result;
}

/* Names of guides that are not in the part: closest guides are looked for again there. */
static bw_result hold_in_itself(bw_groom *part, bwi_arena *arena, bw_error *error) {
    if (!part->closest_guides || !part->ids)
        return BW_OK;
    bwi_mem *mem = bwi_arena_mem(arena);
    const bwi_env env = {mem, 1, NULL};
    bool has_guides = false;
    for (uint32_t i = 0; i < part->strand_count; i++)
        has_guides = has_guides || bwi_is_guide(part, i);
    if (has_guides)
        return bwi_groom_closest(part, NULL, arena, &env, error);
    part->closest_guides = NULL;
    part->guide_weights = NULL;
    return BW_OK;
}

bw_result bwi_groom_take_group(bw_groom **part, bwi_arena *arena, const bw_groom *groom, uint32_t group,
                               bw_error *error) {
    bwi_mem *mem = bwi_arena_mem(arena);
    bw_groom *taken = bwi_arena_alloc(arena, 1, sizeof *taken);
    bw_groom_group *groups = bwi_arena_alloc(arena, 1, sizeof *groups);
    uint32_t *strands = bwi_alloc(mem, groom->strand_count, sizeof *strands), count = 0;
    if (!taken || !groups || !strands) {
        bwi_free(mem, strands);
        return bwi_fail_memory(error, NULL, mem, groom->strand_count * sizeof *strands);
    }
    for (uint32_t i = 0; i < groom->strand_count; i++) {
        if (bwi_group_of(groom, i) == group)
            strands[count++] = i;
    }
    bw_result result = bwi_groom_select(taken, arena, groom, strands, count, error);
    bwi_free(mem, strands);
    if (result != BW_OK)
        return result;
    groups[0] = groom->groups.data[group];
    taken->groups.data = groups;
    taken->groups.count = 1;
    taken->group_of = NULL;
    result = bwi_groom_renumber(taken, arena, error);
    if (result == BW_OK)
        result = hold_in_itself(taken, arena, error);
    if (result == BW_OK)
        *part = taken;
    return result;
}

bw_result bwi_groom_without_guides(bw_groom **part, bwi_arena *arena, const bw_groom *groom, bw_error *error) {
    bwi_mem *mem = bwi_arena_mem(arena);
    bw_groom *taken = bwi_arena_alloc(arena, 1, sizeof *taken);
    uint32_t *strands = bwi_alloc(mem, groom->strand_count, sizeof *strands), count = 0;
    if (!taken || !strands) {
        bwi_free(mem, strands);
        return bwi_fail_memory(error, NULL, mem, groom->strand_count * sizeof *strands);
    }
    for (uint32_t i = 0; i < groom->strand_count; i++) {
        if (!bwi_is_guide(groom, i))
            strands[count++] = i;
    }
    const bw_result result = bwi_groom_select(taken, arena, groom, strands, count, error);
    bwi_free(mem, strands);
    if (result != BW_OK)
        return result;
    taken->groups = groom->groups;
    taken->guides = NULL;
    taken->closest_guides = NULL;
    taken->guide_weights = NULL;
    *part = taken;
    return BW_OK;
}
