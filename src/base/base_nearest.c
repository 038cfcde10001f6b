/* SPDX-License-Identifier: MIT
 * The things nearest to a point: a balanced tree of boxes, exact, with equal distances told apart by number. */
#include "base/nearest.h"

enum { LEAF_SIZE = 4 };

typedef struct builder {
    bwi_box_tree *tree;
    bwi_spot *spots;
    const float *low, *high;
    size_t stride;
} builder;

static void add_item(const builder *b, uint32_t node, uint32_t item) {
    for (unsigned k = 0; k < 3; k++) {
        const float low = b->low[item * b->stride + k], high = b->high[item * b->stride + k];
        if (low < b->tree->nodes[node].low[k])
            b->tree->nodes[node].low[k] = low;
        if (high > b->tree->nodes[node].high[k])
            b->tree->nodes[node].high[k] = high;
    }
    if (item < b->tree->nodes[node].least)
        b->tree->nodes[node].least = item;
}

static void build(const builder *b, uint32_t node, uint32_t first, uint32_t end) {
    bwi_box_tree *tree = b->tree;
    for (unsigned k = 0; k < 3; k++) {
        tree->nodes[node].low[k] = b->low[b->spots[first].item * b->stride + k];
        tree->nodes[node].high[k] = b->high[b->spots[first].item * b->stride + k];
    }
    tree->nodes[node].least = b->spots[first].item;
    for (uint32_t i = first; i < end; i++)
        add_item(b, node, b->spots[i].item);
    if (end - first <= LEAF_SIZE) {
        for (uint32_t i = first; i < end; i++)
            tree->items[i] = b->spots[i].item;
        return;
    }
    const uint32_t half = (end - first) / 2;
    bwi_spots_split(b->spots + first, end - first, half, bwi_spots_axis(b->spots + first, end - first));
    build(b, 2 * node + 1, first, first + half);
    build(b, 2 * node + 2, first + half, end);
}

/* Nodes of a tree of so many items: halves differ by one at most, so the depth is that of the larger ones. */
static size_t node_count(uint32_t count) {
    size_t nodes = 1;
    for (uint32_t n = count; n > LEAF_SIZE; n = n - n / 2)
        nodes = 2 * nodes + 1;
    return nodes;
}

bw_result bwi_box_tree_build(bwi_box_tree *tree, bwi_arena *arena, const float *low, const float *high, size_t stride,
                             uint32_t count, bw_error *error) {
    bwi_mem *mem = bwi_arena_mem(arena);
    bwi_box_tree t = {.count = count, .node_count = node_count(count)};
    t.nodes = bwi_arena_alloc(arena, t.node_count, sizeof *t.nodes);
    t.items = bwi_arena_alloc(arena, count, sizeof *t.items);
    bwi_spot *spots = bwi_alloc(mem, count, sizeof *spots);
    if (!t.nodes || !t.items || !spots) {
        bwi_free(mem, spots);
        return bwi_fail_memory(error, NULL, mem, count * sizeof *spots);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < 3; k++)
            spots[i].p[k] = 0.5f * low[i * stride + k] + 0.5f * high[i * stride + k];
        spots[i].item = i;
    }
    const builder b = {&t, spots, low, high, stride};
    if (count > 0)
        build(&b, 0, 0, count);
    bwi_free(mem, spots);
    *tree = t;
    return BW_OK;
}

typedef struct search {
    const bwi_box_tree *tree;
    const double *p;
    double slack;
    bwi_distance_fn *distance;
    const void *ctx;
    double within; /* squared: nothing farther is kept */
    uint32_t *items;
    double *squared;
    uint32_t count, most;
} search;

/* Squared distance to a node's box: never above that to a point in it, as subtracting, squaring and adding round up and down together. */
static double box_distance(const search *s, uint32_t node) {
    double sum = 0;
    for (unsigned k = 0; k < 3; k++) {
        const double under = (double)s->tree->nodes[node].low[k] - s->p[k],
                     over = s->p[k] - (double)s->tree->nodes[node].high[k];
        const double off = under > 0 ? under : over > 0 ? over : 0;
        sum += off * off;
    }
    return sum;
}

static bool is_nearer(double squared, uint32_t item, double than, uint32_t than_item) {
    return squared < than || (!(squared > than) && item < than_item);
}

static void offer(search *s, uint32_t item) {
    const double squared = s->distance(s->ctx, item, s->p);
    if (!(squared <= s->within))
        return;
    if (s->count == s->most && !is_nearer(squared, item, s->squared[s->most - 1], s->items[s->most - 1]))
        return;
    uint32_t at = s->count < s->most ? s->count++ : s->most - 1;
    for (; at > 0 && is_nearer(squared, item, s->squared[at - 1], s->items[at - 1]); at--) {
        s->squared[at] = s->squared[at - 1];
        s->items[at] = s->items[at - 1];
    }
    s->squared[at] = squared;
    s->items[at] = item;
}

/* Many things in one place: of those that are as near as the last one kept, only lower numbers are looked at. */
static bool is_worth(const search *s, uint32_t node, double box) {
    const double reached = box - s->slack * box;
    if (s->count < s->most)
        return reached <= s->within;
    const double last = s->squared[s->most - 1];
    return reached < last || (!(reached > last) && s->tree->nodes[node].least < s->items[s->most - 1]);
}

static void visit(search *s, uint32_t node, uint32_t first, uint32_t end) {
    if (end - first <= LEAF_SIZE) {
        for (uint32_t i = first; i < end; i++)
            offer(s, s->tree->items[i]);
        return;
    }
    const uint32_t middle = first + (end - first) / 2, left = 2 * node + 1, right = left + 1;
    const double to_left = box_distance(s, left), to_right = box_distance(s, right);
    const bool left_first =
        to_left < to_right || (!(to_left > to_right) && s->tree->nodes[left].least < s->tree->nodes[right].least);
    if (left_first && is_worth(s, left, to_left))
        visit(s, left, first, middle);
    if (is_worth(s, right, to_right))
        visit(s, right, middle, end);
    if (!left_first && is_worth(s, left, to_left))
        visit(s, left, first, middle);
}

uint32_t bwi_box_tree_nearest(uint32_t *items, double *squared, const bwi_box_tree *tree, const double p[3],
                              uint32_t most, double within, double slack, bwi_distance_fn *distance, const void *ctx) {
    search s = {tree, p, slack, distance, ctx, within * within, items, squared, 0, most};
    if (tree->count > 0 && most > 0)
        visit(&s, 0, 0, tree->count);
    return s.count;
}

typedef struct tour {
    const bwi_box_tree *tree;
    const uint32_t *live;
    const float *low, *high;
    bwi_item_fn *fn;
    void *ctx;
} tour;

static void tour_node(const tour *t, uint32_t node, uint32_t first, uint32_t end) {
    if (t->live && t->live[node] == 0)
        return;
    for (unsigned k = 0; k < 3; k++) {
        if (t->tree->nodes[node].low[k] > t->high[k] || t->tree->nodes[node].high[k] < t->low[k])
            return;
    }
    if (end - first <= LEAF_SIZE) {
        for (uint32_t i = first; i < end; i++)
            t->fn(t->ctx, t->tree->items[i]);
        return;
    }
    const uint32_t middle = first + (end - first) / 2;
    tour_node(t, 2 * node + 1, first, middle);
    tour_node(t, 2 * node + 2, middle, end);
}

void bwi_box_tree_visit(const bwi_box_tree *tree, const uint32_t *live, const float low[3], const float high[3],
                        bwi_item_fn *fn, void *ctx) {
    const tour t = {tree, live, low, high, fn, ctx};
    if (tree->count > 0)
        tour_node(&t, 0, 0, tree->count);
}

static void count_node(uint32_t *live, uint32_t *homes, const bwi_box_tree *tree, uint32_t node, uint32_t first,
                       uint32_t end) {
    live[node] = end - first;
    if (end - first <= LEAF_SIZE) {
        for (uint32_t i = first; i < end; i++)
            homes[tree->items[i]] = node;
        return;
    }
    const uint32_t middle = first + (end - first) / 2;
    count_node(live, homes, tree, 2 * node + 1, first, middle);
    count_node(live, homes, tree, 2 * node + 2, middle, end);
}

void bwi_box_tree_live(uint32_t *live, uint32_t *homes, const bwi_box_tree *tree) {
    if (tree->count > 0)
        count_node(live, homes, tree, 0, 0, tree->count);
}

void bwi_box_tree_take(uint32_t *live, uint32_t home) {
    for (uint32_t node = home; live[node]--, node > 0; node = (node - 1) / 2) {}
}
