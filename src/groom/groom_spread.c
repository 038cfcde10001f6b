/* SPDX-License-Identifier: MIT
 * Choosing some of many roots so that they lie as evenly as all of them: space is halved at medians, every cell gives one. */
#include <stdlib.h>

#include "groom/groom_complete_priv.h"

static uint32_t next_to_mean(const bwi_spot *spots, size_t count) {
    double mean[3] = {0, 0, 0}, least = 0;
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < 3; k++)
            mean[k] += (double)spots[i].p[k];
    }
    for (unsigned k = 0; k < 3; k++)
        mean[k] /= (double)count;
    uint32_t nearest = BW_NO_INDEX;
    for (size_t i = 0; i < count; i++) {
        const double x = (double)spots[i].p[0] - mean[0], y = (double)spots[i].p[1] - mean[1],
                     z = (double)spots[i].p[2] - mean[2], squared = x * x + y * y + z * z;
        if (nearest == BW_NO_INDEX || squared < least || (!(squared > least) && spots[i].item < nearest)) {
            nearest = spots[i].item;
            least = squared;
        }
    }
    return nearest;
}

/* Depth is that of halving `wanted`. */
static void spread(uint32_t *chosen, bwi_spot *spots, size_t count, size_t wanted) {
    while (wanted > 1) {
        const size_t half = wanted / 2;
        const size_t share = (size_t)((uint64_t)count * half / wanted);
        bwi_spots_split(spots, count, share, bwi_spots_axis(spots, count));
        spread(chosen, spots, share, half);
        chosen += half;
        spots += share;
        count -= share;
        wanted -= half;
    }
    *chosen = next_to_mean(spots, count);
}

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

void bwi_spread(uint32_t *chosen, bwi_spot *spots, size_t count, size_t wanted) {
    spread(chosen, spots, count, wanted);
    qsort(chosen, wanted, sizeof *chosen, ascending);
}

uint32_t bwi_share(uint32_t n, double fraction) {
    const double share = (double)n * fraction + 0.5;
    return share < 1 ? 1 : share >= (double)n ? n : (uint32_t)share;
}

bw_result bwi_groom_by_group(uint32_t **order, uint32_t **first, bwi_arena *arena, const bw_groom *groom,
                             bw_error *error) {
    const size_t groups = groom->groups.count;
    uint32_t *all = bwi_arena_alloc(arena, groom->strand_count, sizeof *all),
             *start = bwi_arena_alloc(arena, groups + 2, sizeof *start);
    if (!all || !start)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), groom->strand_count * sizeof *all);
    /* Counted two places on, so that filling leaves each group's start where it belongs. */
    for (uint32_t i = 0; i < groom->strand_count; i++)
        start[bwi_group_of(groom, i) + 2]++;
    for (size_t g = 2; g < groups + 2; g++)
        start[g] += start[g - 1];
    for (uint32_t i = 0; i < groom->strand_count; i++)
        all[start[bwi_group_of(groom, i) + 1]++] = i;
    *order = all;
    *first = start;
    return BW_OK;
}
