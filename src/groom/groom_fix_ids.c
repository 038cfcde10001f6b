/* SPDX-License-Identifier: MIT
 * Ids of a repair, each once and without gaps, and the closest guides that refer to them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "groom/groom_fix_priv.h"

/* Weights whose sum is this near to 1 are left as they are. */
static const double SUM_NEAR = 1e-4;

/* An id as the file has it, of a guide. */
typedef struct link {
    double id;
    uint32_t source, strand;
} link;

static int compare_links(const void *a, const void *b) {
    const link *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->strand < y->strand ? -1 : x->strand > y->strand;
}

/* The guide that has an id: of the same object, else the last of all, as the importer takes it.  BW_NO_INDEX: none has. */
static uint32_t find_guide(const link *links, size_t count, double id, uint32_t source) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (links[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    size_t after = low, end = count;
    while (after < end) { /* the first past all of that id */
        const size_t middle = after + (end - after) / 2;
        if (links[middle].id <= id)
            after = middle + 1;
        else
            end = middle;
    }
    if (low == after)
        return BW_NO_INDEX;
    /* Those of one id are in the order of strands, and so of sources. */
    size_t own = low, stop = after;
    while (own < stop) {
        const size_t middle = own + (stop - own) / 2;
        if (links[middle].source <= source)
            own = middle + 1;
        else
            stop = middle;
    }
    return own > low && links[own - 1].source == source ? links[own - 1].strand : links[after - 1].strand;
}

/* Whether ids are the numbers from 0 to one less than there are strands, each once. */
static bool are_dense(bool *fits, const bwi_fix *fix, const double *raw, uint32_t count, bw_error *error) {
    uint8_t *seen = bwi_arena_alloc(fix->scratch, count, 1);
    if (!seen) {
        (void)bwi_fail_memory(error, fix->hair->path, fix->env->mem, count);
        return false;
    }
    *fits = true;
    for (uint32_t i = 0; i < count && *fits; i++) {
        *fits = raw[i] >= 0 && raw[i] < count && (double)(uint32_t)raw[i] == raw[i] && !seen[(uint32_t)raw[i]];
        if (*fits)
            seen[(uint32_t)raw[i]] = 1;
    }
    return true;
}

typedef struct closest_views {
    bwi_view guides, weights;
} closest_views;

/* Normalises; false: not finite, below 0, or nothing. */
static bool take_weights(float out[3], const double in[3], uint64_t *normalised) {
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        if (!bwi_is_finite(in[c]) || in[c] < 0)
            return false;
        sum += in[c];
    }
    if (!(sum > 0) || !bwi_is_finite(sum))
        return false;
    const bool near = sum > 1 - SUM_NEAR && sum < 1 + SUM_NEAR;
    *normalised += !near;
    for (int c = 0; c < 3; c++)
        out[c] = (float)(near ? in[c] : in[c] / sum);
    return true;
}

static bw_result fix_closest(bwi_fix *fix, const link *links, size_t link_count, bw_error *error) {
    bw_groom *g = fix->groom;
    closest_views *v = bwi_arena_alloc(fix->scratch, fix->sources.count, sizeof *v);
    if (!v)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, fix->sources.count * sizeof *v);
    bool any = false;
    for (size_t s = 0; s < fix->sources.count; s++) {
        bw_result result = bwi_fix_find(&v[s].guides, fix, &fix->sources.data[s], "groom_closest_guides", error);
        if (result == BW_OK)
            result = bwi_fix_find(&v[s].weights, fix, &fix->sources.data[s], "groom_guide_weights", error);
        if (result != BW_OK)
            return result;
        any |= fix->sources.data[s].strand_count > 0 && v[s].guides.scope != BWI_VIEW_NONE &&
               v[s].weights.scope != BWI_VIEW_NONE;
    }
    if (!any)
        return BW_OK;
    if (link_count == 0) {
        bwi_warn(fix->changes, "closest-guides-left-out", 1,
                 "closest guides were left out: they name guides by groom_id, and the file has no guide with one",
                 "groom_closest_guides");
        return BW_OK;
    }
    g->closest_guides = bwi_arena_alloc(fix->arena, g->strand_count, 3 * sizeof *g->closest_guides);
    g->guide_weights = bwi_arena_alloc(fix->arena, g->strand_count, 3 * sizeof *g->guide_weights);
    if (!g->closest_guides || !g->guide_weights)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, (size_t)g->strand_count * 24);
    uint64_t unknown = 0, normalised = 0;
    for (uint32_t i = 0; i < g->strand_count; i++) {
        const bwi_strand *strand = &fix->strands.data[i];
        const bwi_source *source = &fix->sources.data[strand->source];
        const closest_views *w = &v[strand->source];
        int32_t *closest = g->closest_guides + 3 * (size_t)i;
        float *weights = g->guide_weights + 3 * (size_t)i;
        const bool is_guide = g->guides && g->guides[i];
        const bool has = w->guides.scope != BWI_VIEW_NONE && w->weights.scope != BWI_VIEW_NONE;
        bool holds = has;
        double given[3] = {0, 0, 0};
        for (uint32_t c = 0; c < 3 && has; c++) {
            const uint32_t guide =
                find_guide(links, link_count, bwi_view_strand_number(&w->guides, source, strand, c), strand->source);
            given[c] = bwi_view_strand_number(&w->weights, source, strand, c);
            holds = holds && guide != BW_NO_INDEX;
            closest[c] = guide != BW_NO_INDEX ? g->ids[guide] : -1;
        }
        holds = holds && take_weights(weights, given, &normalised);
        if (is_guide) { /* follows itself */
            closest[0] = closest[1] = closest[2] = g->ids[i];
            weights[0] = 1;
            weights[1] = weights[2] = 0;
        } else if (!holds) {
            closest[0] = closest[1] = closest[2] = -1;
            weights[0] = weights[1] = weights[2] = 0;
            unknown += has;
        }
    }
    if (unknown)
        bwi_warn(fix->changes, "closest-guides-replaced", unknown,
                 "strands whose closest guides or weights do not hold were given new ones", "groom_closest_guides");
    if (normalised)
        bwi_warn(fix->changes, "guide-weights-normalised", normalised,
                 "guide weights that do not sum up to 1 were made to", "groom_guide_weights");
    return BW_OK;
}

bw_result bwi_fix_ids(bwi_fix *fix, bw_error *error) {
    bw_groom *g = fix->groom;
    const uint32_t count = g->strand_count;
    double *raw = bwi_arena_alloc(fix->scratch, count, sizeof *raw);
    if (!raw)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, count * sizeof *raw);
    bool any = false;
    for (size_t s = 0; s < fix->sources.count; s++) {
        bwi_source *source = &fix->sources.data[s];
        bwi_view view;
        const bw_result result = bwi_fix_find(&view, fix, source, "groom_id", error);
        if (result != BW_OK)
            return result;
        any |= view.scope != BWI_VIEW_NONE && source->strand_count > 0;
        for (uint32_t i = source->first_strand; i < source->first_strand + source->strand_count; i++)
            raw[i] =
                view.scope != BWI_VIEW_NONE ? bwi_view_strand_number(&view, source, &fix->strands.data[i], 0) : NAN;
    }
    if (!any)
        return fix_closest(fix, NULL, 0, error);
    bool dense = false;
    if (!are_dense(&dense, fix, raw, count, error))
        return BW_ERR_MEMORY;
    g->ids = bwi_arena_alloc(fix->arena, count, sizeof *g->ids);
    link *links = bwi_arena_alloc(fix->scratch, count, sizeof *links);
    if (!g->ids || !links)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, count * sizeof *links);
    size_t link_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        g->ids[i] = (int32_t)(dense ? raw[i] : i);
        if (g->guides && g->guides[i] && raw[i] == raw[i])
            links[link_count++] = (link){raw[i], fix->strands.data[i].source, i};
    }
    if (!dense)
        bwi_warn(fix->changes, "ids-renumbered", count, "strands were numbered anew from 0, each once", "groom_id");
    qsort(links, link_count, sizeof *links, compare_links);
    return fix_closest(fix, links, link_count, error);
}
