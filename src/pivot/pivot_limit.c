/* SPDX-License-Identifier: MIT
 * No deeper and no more than wanted: what is deeper goes with the element above it, leaves of one twig go together, near ones first. */
#include <string.h>

#include "pivot/pivot_priv.h"

/* On the way to a root; no element is as deep. */
#define ON_WAY (BW_NO_INDEX - 1)

uint32_t bwi_pivot_depths(uint32_t *depths, const bw_pivot_element *elements, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        depths[i] = BW_NO_INDEX;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t steps = 0, at = i;
        for (; at != BW_NO_INDEX && depths[at] == BW_NO_INDEX; at = elements[at].parent, steps++)
            depths[at] = ON_WAY;
        if (at != BW_NO_INDEX && depths[at] == ON_WAY)
            return at;
        steps += at == BW_NO_INDEX ? 0 : depths[at] + 1;
        for (at = i; at != BW_NO_INDEX && depths[at] == ON_WAY; at = elements[at].parent)
            depths[at] = --steps;
    }
    return BW_NO_INDEX;
}

typedef struct limiter {
    bwi_pivot_work *work;
    uint32_t *into; /* [elements] which each becomes part of; itself: it stays */
} limiter;

/* Leaves out the elements that went into others. */
static bw_result compact(limiter *l) {
    bwi_pivot_work *work = l->work;
    uint32_t *numbers = bwi_pivot_alloc(work, work->element_count, sizeof *numbers), count = 0;
    if (!numbers)
        return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < work->element_count; i++) {
        if (l->into[i] == i)
            numbers[i] = count++;
    }
    for (uint32_t t = 0; t < work->triangle_count; t++)
        work->triangle_elements[t] = numbers[l->into[work->triangle_elements[t]]];
    for (uint32_t i = 0; i < work->element_count; i++) {
        if (l->into[i] != i)
            continue;
        bw_pivot_element e = work->elements[i];
        e.parent = e.parent == BW_NO_INDEX ? BW_NO_INDEX : numbers[l->into[e.parent]];
        work->elements[numbers[i]] = e; /* never past i */
    }
    work->element_count = count;
    for (uint32_t i = 0; i < count; i++)
        l->into[i] = i;
    return BW_OK;
}

static bw_result merge_deep(limiter *l, uint32_t max_depth) {
    bwi_pivot_work *work = l->work;
    uint32_t *depths = bwi_pivot_alloc(work, work->element_count, sizeof *depths);
    if (!depths)
        return BW_ERR_MEMORY;
    bwi_pivot_depths(depths, work->elements, work->element_count); /* there are no circles by now */
    uint32_t merged = 0;
    for (uint32_t i = 0; i < work->element_count; i++) {
        while (depths[l->into[i]] >= max_depth)
            l->into[i] = work->elements[l->into[i]].parent;
        merged += l->into[i] != i;
    }
    work->merged_count += merged;
    return merged ? compact(l) : BW_OK;
}

/* ---- leaves ---- */

static double apart(const bw_pivot_element *a, const bw_pivot_element *b) {
    const bwi_vec3 d = {a->pivot[0] - b->pivot[0], a->pivot[1] - b->pivot[1], a->pivot[2] - b->pivot[2]};
    return bwi_vec3_length(d);
}

static void join(limiter *l, uint32_t from, uint32_t to) {
    bwi_pivot_work *work = l->work;
    const double error = apart(&work->elements[from], &work->elements[to]);
    l->into[from] = to;
    work->cluster_error = error > work->cluster_error ? error : work->cluster_error;
    work->clustered_count++;
}

/* Joins spots into `groups` of neighbours; each goes with the one next to its middle. */
static void join_spots(limiter *l, bwi_spot *spots, size_t count, size_t groups) {
    while (groups > 1) {
        const size_t half = groups / 2, share = (size_t)((uint64_t)count * half / groups);
        bwi_spots_split(spots, count, share, bwi_spots_axis(spots, count));
        join_spots(l, spots, share, half);
        spots += share;
        count -= share;
        groups -= half;
    }
    bw_pivot_element mean = {0};
    uint32_t best = spots[0].item;
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            mean.pivot[k] += l->work->elements[spots[i].item].pivot[k] / (double)count;
    }
    for (size_t i = 1; i < count; i++) {
        const bw_pivot_element *e = &l->work->elements[spots[i].item], *b = &l->work->elements[best];
        const double off = apart(e, &mean), least = apart(b, &mean);
        if (off < least || (!(off > least) && spots[i].item < best))
            best = spots[i].item;
    }
    for (size_t i = 0; i < count; i++) {
        if (spots[i].item != best)
            join(l, spots[i].item, best);
    }
}

/* Childless elements by the one that they hang on; roots that have no child hang on nothing, together. */
typedef struct leaves {
    uint32_t *order, *first; /* of the twig + 1; those that are no leaves stand last */
    uint32_t count, twig_count;
    bool any_hangs;
} leaves;

static bw_result find_leaves(leaves *out, const limiter *l) {
    const bwi_pivot_work *work = l->work;
    const uint32_t n = work->element_count;
    bool *has_child = bwi_pivot_alloc(work, n, sizeof *has_child);
    uint32_t *twigs = has_child ? bwi_pivot_alloc(work, n, sizeof *twigs) : NULL;
    if (!twigs)
        return BW_ERR_MEMORY;
    *out = (leaves){0};
    for (uint32_t i = 0; i < n; i++) {
        if (work->elements[i].parent != BW_NO_INDEX)
            has_child[work->elements[i].parent] = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        twigs[i] = has_child[i] ? n + 1 : work->elements[i].parent + 1; /* BW_NO_INDEX + 1 is 0 */
        out->count += !has_child[i];
        out->any_hangs = out->any_hangs || (!has_child[i] && twigs[i] > 0);
    }
    bw_result result = bwi_pivot_group(&out->order, &out->first, work->scratch, twigs, n, n + 2, work->error);
    for (uint32_t t = 0; result == BW_OK && t <= n; t++)
        out->twig_count += out->first[t + 1] > out->first[t];
    return result;
}

/* Gives each twig its share of the groups, one at least. */
static bw_result join_leaves(limiter *l, const leaves *all, uint32_t wanted) {
    bwi_pivot_work *work = l->work;
    bwi_spot *spots = bwi_pivot_alloc(work, all->count, sizeof *spots);
    if (!spots)
        return BW_ERR_MEMORY;
    const uint64_t spare = wanted - all->twig_count, total = all->count - all->twig_count;
    for (uint32_t t = 0; t <= work->element_count; t++) {
        const uint32_t count = all->first[t + 1] - all->first[t];
        for (uint32_t i = 0; i < count; i++) {
            spots[i].item = all->order[all->first[t] + i];
            for (int k = 0; k < 3; k++)
                spots[i].p[k] = (float)work->elements[spots[i].item].pivot[k];
        }
        if (count > 1)
            join_spots(l, spots, count, 1 + (size_t)((count - 1) * spare / total));
    }
    return compact(l);
}

/* All leaves become part of their twigs; roots without children of one of them. */
static bw_result join_to_twigs(limiter *l, const leaves *all) {
    for (uint32_t t = 0; t <= l->work->element_count; t++) {
        for (uint32_t i = all->first[t]; i < all->first[t + 1]; i++) {
            const uint32_t leaf = all->order[i], to = t > 0 ? t - 1 : all->order[all->first[0]];
            if (leaf != to)
                join(l, leaf, to);
        }
    }
    return compact(l);
}

static bw_result limit_count(limiter *l, uint32_t most) {
    bwi_pivot_work *work = l->work;
    bw_result result = BW_OK;
    while (result == BW_OK && work->element_count > most) {
        leaves all;
        result = find_leaves(&all, l);
        if (result != BW_OK)
            break;
        const uint32_t others = work->element_count - all.count;
        result = most >= others + all.twig_count ? join_leaves(l, &all, most - others) : join_to_twigs(l, &all);
    }
    return result;
}

bw_result bwi_pivot_check_count(const bwi_pivot_work *work) {
    if (work->opts->max_elements || work->element_count <= BW_PIVOT_ELEMENTS_MAX)
        return BW_OK;
    return bwi_fail(work->error, BW_ERR_TOO_LARGE, work->scene->path, -1,
                    "there are %u elements, at most %u fit in the textures; join leaves of a twig with "
                    "--max-elements=%u, deep ones with --max-depth, or choose fewer nodes with --include",
                    work->element_count, BW_PIVOT_ELEMENTS_MAX, BW_PIVOT_ELEMENTS_MAX);
}

bw_result bwi_pivot_limit(bwi_pivot_work *work) {
    limiter l = {work, bwi_pivot_alloc(work, work->element_count, sizeof *l.into)};
    if (!l.into)
        return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < work->element_count; i++)
        l.into[i] = i;
    bw_result result = work->opts->max_depth ? merge_deep(&l, work->opts->max_depth) : BW_OK;
    if (result == BW_OK && work->opts->max_elements)
        result = limit_count(&l, work->opts->max_elements);
    return result == BW_OK ? bwi_pivot_check_count(work) : result;
}
