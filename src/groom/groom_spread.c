/* SPDX-License-Identifier: MIT
 * Choosing some of many roots so that they lie as evenly as all of them: space is halved at medians, every cell gives one. */
#include <stdlib.h>

#include "groom/groom_complete_priv.h"

static int before(const bwi_spot *a, const bwi_spot *b, unsigned axis) {
    if (a->p[axis] != b->p[axis])
        return a->p[axis] < b->p[axis];
    return a->item < b->item;
}

static int compare_x(const void *a, const void *b) {
    return before(a, b, 0) ? -1 : before(b, a, 0);
}
static int compare_y(const void *a, const void *b) {
    return before(a, b, 1) ? -1 : before(b, a, 1);
}
static int compare_z(const void *a, const void *b) {
    return before(a, b, 2) ? -1 : before(b, a, 2);
}

static void swap(bwi_spot *a, bwi_spot *b) {
    const bwi_spot kept = *a;
    *a = *b;
    *b = kept;
}

static const bwi_spot *median_of_three(const bwi_spot *a, const bwi_spot *b, const bwi_spot *c, unsigned axis) {
    if (before(b, a, axis)) {
        const bwi_spot *kept = a;
        a = b;
        b = kept;
    }
    if (before(c, a, axis))
        return a;
    return before(c, b, axis) ? c : b;
}

void bwi_spots_split(bwi_spot *spots, size_t count, size_t nth, unsigned axis) {
    static int (*const compare[3])(const void *, const void *) = {compare_x, compare_y, compare_z};
    unsigned tries = 8;
    for (size_t n = count; n > 1; n /= 2)
        tries += 2;
    /* Hoare's selection; a range that stays large, since somebody chose the points so, is sorted. */
    while (count > 1 && nth > 0 && nth < count) {
        if (tries-- == 0) {
            qsort(spots, count, sizeof *spots, compare[axis]);
            return;
        }
        const bwi_spot pivot = *median_of_three(spots, spots + count / 2, spots + count - 1, axis);
        size_t i = 0, j = count - 1;
        for (;;) {
            while (before(&spots[i], &pivot, axis))
                i++;
            while (before(&pivot, &spots[j], axis))
                j--;
            if (i >= j)
                break;
            swap(&spots[i++], &spots[j--]);
        }
        /* Before i: none above the pivot; from i on: none below it. */
        if (i == 0)
            i = 1;
        if (nth < i) {
            count = i;
        } else {
            spots += i;
            count -= i;
            nth -= i;
        }
    }
}

unsigned bwi_spots_axis(const bwi_spot *spots, size_t count) {
    double low[3], high[3];
    for (unsigned k = 0; k < 3; k++)
        low[k] = high[k] = (double)spots[0].p[k];
    for (size_t i = 1; i < count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            const double value = (double)spots[i].p[k];
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
        }
    }
    unsigned axis = 0;
    for (unsigned k = 1; k < 3; k++) {
        if (high[k] - low[k] > high[axis] - low[axis])
            axis = k;
    }
    return axis;
}

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
