/* SPDX-License-Identifier: MIT
 * Which three guides a strand follows, and how much each: among the guides of its group whose roots are nearest those that are most like it. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "groom/groom_complete_priv.h"

enum {
    CANDIDATES = 8,   /* nearest guides that are compared */
    SHAPE_POINTS = 8, /* evenly along a strand's points, the root among them */
    CHUNK = 2048,     /* strands a task */
    WEIGHT_ONE =
        1 << 20 /* weights are whole multiples of its inverse: their sum is exactly 1 in floats, in any order */
};
#define SAME_CM 1e-4   /* a guide as near and alike as this is followed alone */
#define SUM_SLACK 1e-3 /* weights that sum to 1 within this are left as they are */

typedef struct shape {
    float p[SHAPE_POINTS][3];
} shape;

static void take_shape(shape *out, const bw_groom *groom, uint32_t strand) {
    const uint32_t first = groom->first_points[strand], n = groom->first_points[strand + 1] - first;
    for (uint32_t s = 0; s < SHAPE_POINTS; s++) {
        const uint32_t product = s * (n - 1), at = product / (SHAPE_POINTS - 1), left = product % (SHAPE_POINTS - 1);
        const float *a = groom->positions + 3 * (size_t)(first + at), *b = left ? a + 3 : a;
        const float part = (float)left / (SHAPE_POINTS - 1);
        for (uint32_t c = 0; c < 3; c++)
            out->p[s][c] = a[c] * (1 - part) + b[c] * part;
    }
}

typedef enum outcome { HELD = 0, MADE, REPLACED, NORMALISED, OUTCOMES } outcome;

typedef struct closest {
    bw_groom *groom;
    int32_t *ids;   /* [strands][3] */
    float *weights; /* [strands][3] */
    bool had_ids, had_weights;
    bwi_guide_map map;
    const uint32_t *guides; /* [guides] strands, group by group */
    const uint32_t *first;  /* [groups + 1] into guides */
    uint32_t *rank;         /* [strands] of a guide into guides */
    shape *shapes;          /* [guides] */
    float *roots;           /* [guides][3] */
    bwi_box_tree *trees;    /* [groups] */
    struct chunk_counts {
        uint32_t of[OUTCOMES], first[OUTCOMES];
    } * of_chunk;
} closest;

typedef struct group_roots {
    const float *roots;
} group_roots;

static double root_distance(const void *ctx, uint32_t item, const double p[3]) {
    const float *root = ((const group_roots *)ctx)->roots + 3 * (size_t)item;
    double sum = 0;
    for (uint32_t c = 0; c < 3; c++) {
        const double off = (double)root[c] - p[c];
        sum += off * off;
    }
    return sum;
}

/* From root to root, and how far the strands then come apart: the root mean square over their length, in cm. */
static double unlikeness(const shape *a, const shape *b) {
    double root[3], squared = 0, apart = 0;
    for (uint32_t c = 0; c < 3; c++) {
        root[c] = (double)a->p[0][c] - (double)b->p[0][c];
        squared += root[c] * root[c];
    }
    for (uint32_t s = 1; s < SHAPE_POINTS; s++) {
        for (uint32_t c = 0; c < 3; c++) {
            const double off = (double)a->p[s][c] - (double)b->p[s][c] - root[c];
            apart += off * off;
        }
    }
    return bwi_sqrt(squared) + bwi_sqrt(apart / (SHAPE_POINTS - 1));
}

/* Weights in inverse proportion, as Unreal's own are.  In: apart — negative: not used.  The largest is what the others leave. */
static void weigh(float weights[3], const double apart[3]) {
    double part[3], sum = 0;
    uint32_t best = 0;
    for (uint32_t j = 0; j < 3; j++) {
        part[j] = apart[j] < 0 ? 0 : 1 / (apart[j] > SAME_CM ? apart[j] : SAME_CM);
        sum += part[j];
        best = part[j] > part[best] ? j : best;
    }
    uint32_t left = WEIGHT_ONE;
    uint32_t codes[3] = {0, 0, 0};
    for (uint32_t j = 0; j < 3; j++) {
        if (j == best || !(sum > 0))
            continue;
        codes[j] = apart[best] <= SAME_CM ? 0 : (uint32_t)(part[j] / sum * WEIGHT_ONE + 0.5);
        left -= codes[j];
    }
    codes[best] = left;
    for (uint32_t j = 0; j < 3; j++)
        weights[j] = (float)codes[j] / WEIGHT_ONE;
}

static void find_closest(const closest *c, uint32_t strand, int32_t ids[3], float weights[3]) {
    const uint32_t group = bwi_group_of(c->groom, strand), start = c->first[group];
    const float *root = c->groom->positions + 3 * (size_t)c->groom->first_points[strand];
    const double p[3] = {(double)root[0], (double)root[1], (double)root[2]};
    const group_roots roots = {c->roots + 3 * (size_t)start};
    uint32_t near[CANDIDATES];
    double squared[CANDIDATES];
    const uint32_t count =
        bwi_box_tree_nearest(near, squared, &c->trees[group], p, CANDIDATES, HUGE_VAL, 0, root_distance, &roots);
    assert(count > 0); /* where there are guides every group has one */
    shape own;
    take_shape(&own, c->groom, strand);
    uint32_t kept = 0, best[4] = {0};
    double apart[4];
    for (uint32_t k = 0; k < count; k++) {
        const double off = unlikeness(&own, &c->shapes[start + near[k]]);
        uint32_t at = kept;
        for (; at > 0 && off < apart[at - 1]; at--) {
            apart[at] = apart[at - 1];
            best[at] = best[at - 1];
        }
        apart[at] = off;
        best[at] = near[k];
        kept += kept < 3;
    }
    for (uint32_t j = 0; j < 3; j++) {
        ids[j] = c->groom->ids[c->guides[start + best[j < kept ? j : 0]]];
        apart[j] = j < kept ? apart[j] : -1;
    }
    weigh(weights, apart);
}

/* The guide of that id in the strand's own group; BW_NO_INDEX: there is none. */
static uint32_t guide_of(const closest *c, uint32_t strand, int32_t id) {
    const uint32_t guide = id < 0 ? BW_NO_INDEX : bwi_guide_map_find(&c->map, id);
    return guide == BW_NO_INDEX || bwi_group_of(c->groom, guide) != bwi_group_of(c->groom, strand) ? BW_NO_INDEX
                                                                                                   : guide;
}

static bool same3(const int32_t a[3], int32_t id) {
    return a[0] == id && a[1] == id && a[2] == id;
}

static outcome set_guide(const closest *c, uint32_t strand, int32_t ids[3], float weights[3]) {
    const bool held = c->had_ids && c->had_weights && same3(ids, c->groom->ids[strand]) && weights[0] == 1 &&
                      weights[1] == 0 && weights[2] == 0;
    const bool absent = !c->had_ids || ids[0] < 0;
    for (uint32_t j = 0; j < 3; j++) {
        ids[j] = c->groom->ids[strand];
        weights[j] = j == 0;
    }
    return held ? HELD : absent ? MADE : REPLACED;
}

/* Weights of the guides that a file names, where it gives none that can be used. */
static void weigh_named(const closest *c, uint32_t strand, const uint32_t guides[3], float weights[3]) {
    shape own;
    double apart[3];
    take_shape(&own, c->groom, strand);
    for (uint32_t j = 0; j < 3; j++) {
        const bool again = (j > 0 && guides[j] == guides[0]) || (j > 1 && guides[j] == guides[1]);
        apart[j] = guides[j] == BW_NO_INDEX || again ? -1 : unlikeness(&own, &c->shapes[c->rank[guides[j]]]);
    }
    weigh(weights, apart);
}

static outcome set_strand(const closest *c, uint32_t strand, int32_t ids[3], float weights[3]) {
    const bool absent = !c->had_ids || ids[0] < 0;
    uint32_t guides[3], known = BW_NO_INDEX;
    double sum = 0;
    bool usable = c->had_weights, names_all = !absent;
    for (uint32_t j = 0; j < 3 && !absent; j++) {
        guides[j] = guide_of(c, strand, ids[j]);
        known = known == BW_NO_INDEX ? guides[j] : known;
        usable = usable && isfinite(weights[j]) && weights[j] >= 0;
        names_all = names_all && (guides[j] != BW_NO_INDEX || (usable && !(weights[j] > 0)));
        sum += (double)weights[j];
    }
    if (!names_all || known == BW_NO_INDEX) {
        find_closest(c, strand, ids, weights);
        return absent ? MADE : REPLACED;
    }
    bool complete = true;
    for (uint32_t j = 0; j < 3; j++) {
        complete = complete && guides[j] != BW_NO_INDEX;
        ids[j] = guides[j] == BW_NO_INDEX ? c->groom->ids[known] : ids[j];
    }
    if (!usable || !(sum > 0) || !isfinite(sum)) {
        weigh_named(c, strand, guides, weights);
        return c->had_weights ? NORMALISED : MADE;
    }
    if (fabs(sum - 1) <= SUM_SLACK)
        return complete ? HELD : REPLACED;
    double apart[3];
    for (uint32_t j = 0; j < 3; j++)
        apart[j] = weights[j] > 0 ? 1 / (double)weights[j] : -1;
    const double least = fmin(apart[0] < 0 ? HUGE_VAL : apart[0],
                              fmin(apart[1] < 0 ? HUGE_VAL : apart[1], apart[2] < 0 ? HUGE_VAL : apart[2]));
    for (uint32_t j = 0; j < 3; j++)
        apart[j] /= least; /* the nearest is 1 away: far from what counts as the same */
    weigh(weights, apart);
    return NORMALISED;
}

static bw_result set_chunk(void *ctx, size_t chunk, uint32_t worker, bw_error *error) {
    (void)worker;
    const closest *c = ctx;
    struct chunk_counts *counts = &c->of_chunk[chunk];
    const uint32_t first = (uint32_t)chunk * CHUNK, rest = c->groom->strand_count - first,
                   end = first + (rest < CHUNK ? rest : CHUNK);
    for (uint32_t i = first; i < end; i++) {
        int32_t *ids = c->ids + 3 * (size_t)i;
        float *weights = c->weights + 3 * (size_t)i;
        const outcome o = bwi_is_guide(c->groom, i) ? set_guide(c, i, ids, weights) : set_strand(c, i, ids, weights);
        if (counts->of[o]++ == 0)
            counts->first[o] = i;
    }
    (void)error;
    return BW_OK;
}

static bw_result prepare(closest *c, bwi_arena *scratch, bw_error *error) {
    const bw_groom *groom = c->groom;
    const size_t n = groom->strand_count, groups = groom->groups.count;
    uint32_t *order, *first;
    bw_result result = bwi_guide_map_build(&c->map, scratch, groom, error);
    if (result == BW_OK)
        result = bwi_groom_by_group(&order, &first, scratch, groom, error);
    if (result != BW_OK)
        return result;
    uint32_t *starts = bwi_arena_alloc(scratch, groups + 1, sizeof *starts), guides = 0;
    c->rank = bwi_arena_alloc(scratch, n, sizeof *c->rank);
    if (!starts || !c->rank)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(scratch), n * sizeof *c->rank);
    for (size_t g = 0; g < groups; g++) {
        starts[g] = guides;
        for (uint32_t k = first[g]; k < first[g + 1]; k++) {
            if (!bwi_is_guide(groom, order[k]))
                continue;
            c->rank[order[k]] = guides;
            order[guides++] = order[k]; /* never past k */
        }
    }
    starts[groups] = guides;
    c->guides = order;
    c->first = starts;
    c->shapes = bwi_arena_alloc(scratch, guides, sizeof *c->shapes);
    c->roots = bwi_arena_alloc(scratch, guides, 3 * sizeof *c->roots);
    c->trees = bwi_arena_alloc(scratch, groups, sizeof *c->trees);
    c->of_chunk = bwi_arena_alloc(scratch, n / CHUNK + 1, sizeof *c->of_chunk);
    if (!c->shapes || !c->roots || !c->trees || !c->of_chunk)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(scratch), guides * sizeof *c->shapes);
    for (uint32_t k = 0; k < guides; k++) {
        take_shape(&c->shapes[k], groom, order[k]);
        memcpy(c->roots + 3 * (size_t)k, groom->positions + 3 * (size_t)groom->first_points[order[k]],
               3 * sizeof(float));
    }
    for (size_t g = 0; g < groups && result == BW_OK; g++) {
        const float *roots = c->roots + 3 * (size_t)starts[g];
        result = bwi_box_tree_build(&c->trees[g], scratch, roots, roots, 3, starts[g + 1] - starts[g], error);
    }
    return result;
}

static void tell(const closest *c, bwi_warnings *changes) {
    static const struct {
        const char *code, *message;
    } told[OUTCOMES] = {
        [MADE] =
            {"closest-guides-added",
             "strands were given the three guides of their group that are nearest and most like them, and weights"},
        [REPLACED] = {"closest-guides-replaced",
                      "strands named closest guides that are none, or guides of another group, and were given others"},
        [NORMALISED] = {"guide-weights-changed",
                        "weights of closest guides were negative, not finite or did not sum to 1, and do now"}};
    for (outcome o = MADE; o < OUTCOMES; o++) {
        uint64_t count = 0;
        uint32_t strand = 0;
        for (size_t k = 0; k * CHUNK < c->groom->strand_count; k++) {
            if (count == 0 && c->of_chunk[k].of[o] > 0)
                strand = c->of_chunk[k].first[o];
            count += c->of_chunk[k].of[o];
        }
        if (count > 0)
            bwi_warn(changes, told[o].code, count, told[o].message, "strand %u", strand);
    }
}

static void *copy_or_new(bwi_arena *arena, const void *values, size_t count, size_t size) {
    void *copy = bwi_arena_alloc(arena, count, size);
    if (copy && values)
        memcpy(copy, values, count * size);
    return copy;
}

bw_result bwi_groom_closest(bw_groom *groom, bwi_warnings *changes, bwi_arena *arena, const bwi_env *env,
                            bw_error *error) {
    const size_t n = groom->strand_count;
    bwi_arena *scratch = bwi_arena_create(env->mem);
    if (!scratch)
        return bwi_fail_memory(error, NULL, env->mem, 0);
    closest c = {.groom = groom, .had_ids = groom->closest_guides != NULL, .had_weights = groom->guide_weights != NULL};
    c.ids = copy_or_new(arena, groom->closest_guides, n, 3 * sizeof *c.ids);
    c.weights = copy_or_new(arena, groom->guide_weights, n, 3 * sizeof *c.weights);
    bw_result result = c.ids && c.weights ? prepare(&c, scratch, error)
                                          : bwi_fail_memory(error, NULL, env->mem, n * 3 * sizeof *c.ids);
    if (result == BW_OK)
        result = bwi_parallel_for(env, (n + CHUNK - 1) / CHUNK, set_chunk, &c, error);
    if (result == BW_OK) {
        tell(&c, changes);
        groom->closest_guides = c.ids;
        groom->guide_weights = c.weights;
    }
    bwi_arena_free(scratch);
    return result;
}
