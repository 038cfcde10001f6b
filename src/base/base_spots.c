/* SPDX-License-Identifier: MIT
 * Points in space, divided at a median. */
#include <stdlib.h>

#include "base/nearest.h"

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
