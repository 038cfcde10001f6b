/* SPDX-License-Identifier: MIT
 * Vertices that are one: those nearer than a tolerance, and those that others of them join.  Space is cut into cells so small that all of one
 * cell are one; what is left are cells next to each other, of which one pair of vertices decides. */
#include <string.h>

#include "pivot/pivot_priv.h"

enum { REACH = 2 }; /* cells: their side is the tolerance over √3 */

typedef struct cell {
    int64_t at[3];
    uint32_t first; /* vertex; further ones by `next` */
    uint32_t next_slot;
} cell;

typedef struct welder {
    const float *positions;
    double low[3], side, square;
    cell *cells;
    uint32_t cell_count;
    uint32_t *slots; /* hash table: cell + 1, further ones by next_slot */
    uint32_t mask;
    uint32_t *next;   /* [count] next vertex + 1 of the cell, 0: the last */
    uint32_t *points; /* [count] sets */
} welder;

static uint32_t hash(const int64_t at[3]) {
    uint64_t x = 0;
    for (int k = 0; k < 3; k++) {
        x = (x ^ (uint64_t)at[k]) * UINT64_C(0x9e3779b97f4a7c15);
        x ^= x >> 29;
    }
    return (uint32_t)(x >> 32);
}

static uint32_t find_cell(const welder *w, const int64_t at[3]) {
    uint32_t c = w->slots[hash(at) & w->mask];
    while (c && memcmp(w->cells[c - 1].at, at, sizeof w->cells->at) != 0)
        c = w->cells[c - 1].next_slot;
    return c - 1;
}

static void place(welder *w, uint32_t vertex) {
    int64_t at[3];
    for (int k = 0; k < 3; k++) {
        const double p = (double)w->positions[3 * (size_t)vertex + (size_t)k];
        if (w->side > 0) {
            at[k] = (int64_t)((p - w->low[k]) / w->side);
        } else {
            const float value = w->positions[3 * (size_t)vertex + (size_t)k] + 0.0f; /* −0 is 0 */
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            at[k] = bits;
        }
    }
    const uint32_t c = find_cell(w, at);
    if (c != BW_NO_INDEX) { /* behind the first, which is the lowest */
        const uint32_t first = w->cells[c].first;
        w->next[vertex] = w->next[first];
        w->next[first] = vertex + 1;
        bwi_set_join(w->points, first, vertex);
        return;
    }
    uint32_t *slot = &w->slots[hash(at) & w->mask];
    w->cells[w->cell_count] = (cell){{at[0], at[1], at[2]}, vertex, *slot};
    *slot = ++w->cell_count;
}

static bool are_near(const welder *w, const cell *a, const cell *b) {
    for (uint32_t i = a->first + 1; i; i = w->next[i - 1]) {
        const float *p = w->positions + 3 * (size_t)(i - 1);
        for (uint32_t j = b->first + 1; j; j = w->next[j - 1]) {
            const float *q = w->positions + 3 * (size_t)(j - 1);
            const double x = (double)p[0] - (double)q[0], y = (double)p[1] - (double)q[1],
                         z = (double)p[2] - (double)q[2];
            if (x * x + y * y + z * z <= w->square)
                return true;
        }
    }
    return false;
}

/* Half of the cells around: the others look at this one. */
static void join_around(welder *w, const cell *c) {
    for (int64_t x = 0; x <= REACH; x++) {
        for (int64_t y = x == 0 ? 0 : -REACH; y <= REACH; y++) {
            for (int64_t z = x == 0 && y == 0 ? 1 : -REACH; z <= REACH; z++) {
                const int64_t at[3] = {c->at[0] + x, c->at[1] + y, c->at[2] + z};
                const uint32_t other = find_cell(w, at);
                if (other != BW_NO_INDEX &&
                    bwi_set_root(w->points, c->first) != bwi_set_root(w->points, w->cells[other].first) &&
                    are_near(w, c, &w->cells[other]))
                    bwi_set_join(w->points, c->first, w->cells[other].first);
            }
        }
    }
}

static void bound(welder *w, uint32_t count, double tolerance) {
    double widest = 0;
    for (int k = 0; k < 3; k++) {
        double low = 0, high = 0;
        for (uint32_t i = 0; i < count; i++) {
            const double p = (double)w->positions[3 * (size_t)i + (size_t)k];
            low = i == 0 || p < low ? p : low;
            high = i == 0 || p > high ? p : high;
        }
        w->low[k] = low;
        widest = high - low > widest ? high - low : widest;
    }
    w->square = tolerance * tolerance;
    w->side = tolerance / bwi_sqrt(3.0) *
              (1.0 - 1e-12); /* the corners of a cell are within the tolerance, rounded as it may be */
    if (!(widest / 1e15 < w->side))
        w->side = 0; /* finer than numbers of that size are: equal ones */
}

bw_result bwi_pivot_weld(uint32_t *points, const float *positions, uint32_t count, double tolerance, bwi_arena *scratch,
                         const bwi_env *env, bw_error *error) {
    welder w = {.positions = positions, .points = points};
    size_t size = 16;
    while (size < 2 * (size_t)count)
        size *= 2;
    w.mask = (uint32_t)(size - 1);
    w.cells = bwi_arena_alloc(scratch, count, sizeof *w.cells);
    w.slots = bwi_arena_alloc(scratch, size, sizeof *w.slots);
    w.next = bwi_arena_alloc(scratch, count, sizeof *w.next);
    if (!w.cells || !w.slots || !w.next)
        return bwi_fail_memory(error, NULL, env->mem, (size_t)count * sizeof *w.cells);
    bound(&w, count, tolerance);
    for (uint32_t i = 0; i < count; i++)
        points[i] = i;
    for (uint32_t i = 0; i < count; i++)
        place(&w, i);
    for (uint32_t c = 0; w.side > 0 && c < w.cell_count; c++) {
        if (c % 4096 == 0 && bwi_progress_cancelled(env->progress))
            return bwi_fail_cancelled(error);
        join_around(&w, &w.cells[c]);
    }
    for (uint32_t i = 0; i < count; i++)
        points[i] = bwi_set_root(points, i);
    return BW_OK;
}
