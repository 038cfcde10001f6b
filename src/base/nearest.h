/* SPDX-License-Identifier: MIT
 * Things in space: which are nearest, which belong together. */
#ifndef BWI_BASE_NEAREST_H
#define BWI_BASE_NEAREST_H

#include "base/error.h"

/* ---- base_spots.c ---- */

typedef struct bwi_spot { float p[3]; uint32_t item; } bwi_spot;
/* Puts the `nth` least by (p[axis], item) before the others.  Cost: O(count); at worst a sort. */
void bwi_spots_split(bwi_spot *spots, size_t count, size_t nth, unsigned axis);
/* The axis along which spots reach farthest, the first of equals. */
unsigned bwi_spots_axis(const bwi_spot *spots, size_t count);

/* ---- base_nearest.c ---- */

/* A balanced tree of boxes around items. */
typedef struct bwi_box_tree {
    struct { float low[3], high[3]; uint32_t least; } *nodes; /* node i has 2i + 1 and 2i + 2 below it; least: item */
    uint32_t *items;
    uint32_t count;
    size_t node_count;
} bwi_box_tree;
enum { BWI_NEAREST_MAX = 16 };
/* In: low, high — corners of the boxes, `stride` floats apart; may be the same.  Out: in the arena.  Err: MEMORY. */
bw_result bwi_box_tree_build(bwi_box_tree *tree, bwi_arena *arena, const float *low, const float *high, size_t stride, uint32_t count,
                             bw_error *error);
/* Squared distance from a point to an item. */
typedef double bwi_distance_fn(const void *ctx, uint32_t item, const double p[3]);
/* The items nearest to a point.  Out: items, squared — of at most `most` (<= BWI_NEAREST_MAX), nearest first, of equally near ones that of the
 * lower number.  In: within — farthest that counts, HUGE_VAL: any; slack — part by which a distance may come out below that of its box.
 * Returns how many.  Thread-safe. */
uint32_t bwi_box_tree_nearest(uint32_t *items, double *squared, const bwi_box_tree *tree, const double p[3], uint32_t most, double within,
                              double slack, bwi_distance_fn *distance, const void *ctx);
/* Calls fn with each item of the leaves whose boxes meet the box from low to high.  In: live — of bwi_box_tree_live, where nodes without any
 * are passed over; NULL: all. */
typedef void bwi_item_fn(void *ctx, uint32_t item);
void bwi_box_tree_visit(const bwi_box_tree *tree, const uint32_t *live, const float low[3], const float high[3], bwi_item_fn *fn, void *ctx);
/* Out: live — [node_count] items below each node; homes — [count] the leaf of each item. */
void bwi_box_tree_live(uint32_t *live, uint32_t *homes, const bwi_box_tree *tree);
/* Takes an item out of the counts. */
void bwi_box_tree_take(uint32_t *live, uint32_t home);

/* ---- base_triangle.c ---- */

/* The point of a triangle that is closest to p, as parts of its corners.  Without area: a point of it. */
void bwi_closest_on_triangle(double part[3], const double p[3], double t[3][3]);

/* ---- base_sets.c ---- */

/* Things that belong together: parents[i] starts as i; the root of a set is its lowest member. */
uint32_t bwi_set_root(uint32_t *parents, uint32_t v);
void bwi_set_join(uint32_t *parents, uint32_t a, uint32_t b);

#endif
