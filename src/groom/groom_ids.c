/* SPDX-License-Identifier: MIT
 * Ids of strands: each once, none negative, those of guides small enough for a float. */
#include <stdlib.h>

#include "groom/groom_complete_priv.h"

typedef struct claim {
    int32_t id;
    uint32_t strand;
    bool guide;
} claim;

/* By id; of those that claim the same, guides first, and of them the last, which is the one that Unreal finds. */
static int by_claim(const void *a, const void *b) {
    const claim *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->guide != y->guide)
        return x->guide ? -1 : 1;
    return x->strand > y->strand ? -1 : 1;
}

static bool is_sound(int32_t id, bool guide) {
    return id >= 0 && !(guide && id > BWI_GUIDE_ID_MAX);
}

/* The least numbers that nobody has, in the order of strands.  In: claims — sorted; ids — −1 where one is wanted. */
static void number_rest(int32_t *ids, uint32_t count, const claim *claims, size_t claim_count) {
    size_t at = 0;
    int32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i] >= 0)
            continue;
        for (; at < claim_count && claims[at].id <= next; at++)
            next += claims[at].id == next;
        ids[i] = next++;
    }
}

bw_result bwi_groom_ids(bw_groom *groom, uint32_t made, bwi_warnings *changes, bwi_arena *arena, bw_error *error) {
    const uint32_t n = groom->strand_count, given = n - made;
    bwi_mem *mem = bwi_arena_mem(arena);
    int32_t *ids = bwi_arena_alloc(arena, n, sizeof *ids);
    claim *claims = bwi_alloc(mem, n, sizeof *claims);
    if (!ids || !claims) {
        bwi_free(mem, claims);
        return bwi_fail_memory(error, NULL, mem, n * sizeof *claims);
    }
    size_t claim_count = 0, held = 0;
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = -1;
        if (groom->ids && i < given && is_sound(groom->ids[i], bwi_is_guide(groom, i)))
            claims[claim_count++] = (claim){groom->ids[i], i, bwi_is_guide(groom, i)};
    }
    qsort(claims, claim_count, sizeof *claims, by_claim);
    for (size_t k = 0; k < claim_count; k++) {
        if (held > 0 && claims[held - 1].id == claims[k].id)
            continue;
        claims[held++] = claims[k];
        ids[claims[k].strand] = claims[k].id;
    }
    uint64_t changed = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; groom->ids && i < given; i++) {
        if (ids[i] < 0 && changed++ == 0)
            first = i;
    }
    number_rest(ids, n, claims, held);
    if (!groom->ids)
        bwi_warn(changes, "ids-added", given, "strands were numbered in their order", "strand 0");
    if (changed > 0)
        bwi_warn(
            changes, "ids-changed", changed,
            "ids were negative, used twice or, of guides, above 16777216, and are now the least numbers that were free",
            "strand %u", first);
    groom->ids = ids;
    bwi_free(mem, claims);
    return BW_OK;
}

bw_result bwi_groom_renumber(bw_groom *groom, bwi_arena *arena, bw_error *error) {
    bwi_arena *scratch = groom->ids ? bwi_arena_create(bwi_arena_mem(arena)) : NULL;
    bwi_guide_map map;
    if (!groom->ids)
        return BW_OK;
    const bw_result result = scratch ? bwi_guide_map_build(&map, scratch, groom, error)
                                     : bwi_fail_memory(error, NULL, bwi_arena_mem(arena), 0);
    for (size_t i = 0; result == BW_OK && groom->closest_guides && i < (size_t)groom->strand_count * 3; i++) {
        const uint32_t guide = bwi_guide_map_find(&map, groom->closest_guides[i]);
        groom->closest_guides[i] = guide == BW_NO_INDEX ? -1 : (int32_t)guide;
    }
    for (uint32_t i = 0; result == BW_OK && i < groom->strand_count; i++)
        groom->ids[i] = (int32_t)i;
    bwi_arena_free(scratch);
    return result;
}
