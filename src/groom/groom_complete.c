/* SPDX-License-Identifier: MIT
 * Completing a groom with what engines would invent: widths, root UVs, guides, ids, closest guides. */
#include <math.h>
#include <string.h>

#include "groom/groom_complete_priv.h"

#define DEFAULT_WIDTH_CM 0.01 /* what Unreal takes */
#define DEFAULT_GUIDES 0.1    /* likewise */

static bw_result complete_groups(bw_groom *groom, bwi_arena *arena, bw_error *error) {
    const size_t count = groom->groups.count ? groom->groups.count : 1;
    bw_groom_group *groups = bwi_arena_alloc(arena, count, sizeof *groups);
    if (!groups)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), count * sizeof *groups);
    if (groom->groups.count)
        memcpy(groups, groom->groups.data, count * sizeof *groups);
    for (size_t g = 0; g < count; g++) {
        if (!groups[g].name)
            groups[g].name = bwi_arena_printf(arena, "Group_%zu", g);
        if (!groups[g].name)
            return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), 16);
    }
    groom->groups.data = groups;
    groom->groups.count = count;
    return BW_OK;
}

/* Points without a width get one by their place along the strand. */
static bw_result complete_widths(bw_groom *groom, bwi_warnings *changes, bwi_arena *arena, const bw_groom_opts *opts,
                                 bw_error *error) {
    const double root = opts->width > 0 ? opts->width : DEFAULT_WIDTH_CM, taper = opts->taper > 0 ? opts->taper : 1;
    float *widths = bwi_arena_alloc(arena, groom->point_count, sizeof *widths);
    if (!widths)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), groom->point_count * sizeof *widths);
    uint64_t made = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < groom->strand_count; i++) {
        const uint32_t start = groom->first_points[i], n = groom->first_points[i + 1] - start;
        bool is_new = false;
        for (uint32_t k = 0; k < n; k++) {
            widths[start + k] = groom->widths ? groom->widths[start + k] : NAN;
            if (isfinite(widths[start + k]))
                continue;
            widths[start + k] = (float)(root + (root * taper - root) * k / (n - 1));
            is_new = true;
        }
        if (is_new && made++ == 0)
            first = i;
    }
    if (made > 0)
        bwi_warn(changes, "widths-added", made,
                 bwi_arena_printf(arena, "strands without a width got one of %g cm at the root and %g cm at the tip",
                                  root, root * taper),
                 "strand %u", first);
    groom->widths = widths;
    return BW_OK;
}

static bw_result complete_roots(bw_groom *groom, bwi_warnings *changes, bwi_arena *arena, const bw_groom_opts *opts,
                                const bw_scene *scalp, const bwi_env *env, bw_error *error) {
    const size_t n = groom->strand_count;
    float *uvs = bwi_arena_alloc(arena, n, 2 * sizeof *uvs);
    if (!uvs)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), n * 2 * sizeof *uvs);
    for (size_t i = 0; i < 2 * n; i++)
        uvs[i] = groom->root_uvs ? groom->root_uvs[i] : NAN;
    const bw_result result = bwi_groom_roots(uvs, groom, changes, opts, scalp, env, error);
    if (result == BW_OK)
        groom->root_uvs = uvs;
    return result;
}

/* Strands that are in a groom twice: as hair and as guide. */
typedef struct copies {
    uint32_t *strands; /* all strands, then those that are copied */
    uint32_t count;
    uint32_t guides, renders; /* how many copies become one or the other */
} copies;

static uint32_t spread_of_group(uint32_t *chosen, bwi_spot *spots, const bw_groom *groom, const uint32_t *order,
                                uint32_t count, double fraction) {
    for (uint32_t k = 0; k < count; k++) {
        memcpy(spots[k].p, groom->positions + 3 * (size_t)groom->first_points[order[k]], sizeof spots[k].p);
        spots[k].item = order[k];
    }
    const uint32_t wanted = bwi_share(count, fraction);
    bwi_spread(chosen, spots, count, wanted);
    return wanted;
}

/* A strand that is marked as a guide is no longer drawn, so guides are copies.  A group of guides alone, on which Unreal fails, gets its hair
 * the same way. */
static bw_result choose_copies(copies *c, const bw_groom *groom, double fraction, bwi_arena *scratch, bw_error *error) {
    const uint32_t n = groom->strand_count;
    uint32_t *order, *first;
    const bw_result result = bwi_groom_by_group(&order, &first, scratch, groom, error);
    if (result != BW_OK)
        return result;
    c->strands = bwi_arena_alloc(scratch, (size_t)n * 2, sizeof *c->strands);
    bwi_spot *spots = bwi_arena_alloc(scratch, n, sizeof *spots);
    if (!c->strands || !spots)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(scratch), n * sizeof *spots);
    for (uint32_t i = 0; i < n; i++)
        c->strands[i] = i;
    c->count = n;
    c->guides = c->renders = 0;
    for (size_t g = 0; g < groom->groups.count; g++) {
        const uint32_t count = first[g + 1] - first[g];
        uint32_t guides = 0;
        for (uint32_t k = first[g]; k < first[g + 1]; k++)
            guides += bwi_is_guide(groom, order[k]);
        if (count == 0 || (guides > 0 && guides < count))
            continue;
        const uint32_t added =
            spread_of_group(c->strands + c->count, spots, groom, order + first[g], count, guides > 0 ? 1 : fraction);
        c->count += added;
        c->guides += guides > 0 ? 0 : added;
        c->renders += guides > 0 ? added : 0;
    }
    return BW_OK;
}

static bw_result add_copies(bw_groom *groom, const copies *c, bwi_warnings *changes, bwi_arena *arena,
                            bw_error *error) {
    const uint32_t n = groom->strand_count;
    bw_groom grown;
    bw_result result = bwi_groom_select(&grown, arena, groom, c->strands, c->count, error);
    if (result != BW_OK)
        return result;
    if (!grown.guides)
        grown.guides = bwi_arena_alloc(arena, c->count, sizeof *grown.guides);
    if (!grown.guides)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), c->count);
    for (uint32_t i = n; i < c->count; i++) {
        grown.guides[i] = !grown.guides[i];
        for (uint32_t j = 0; grown.closest_guides && j < 3; j++)
            grown.closest_guides[3 * (size_t)i + j] = -1;
    }
    if (c->guides > 0)
        bwi_warn(
            changes, "guides-added", c->guides,
            "guides were added to groups without one: copies of strands that lie evenly over the roots, so that all "
            "hair is still drawn",
            "strand %u", c->strands[n]);
    if (c->renders > 0)
        bwi_warn(changes, "hair-added", c->renders,
                 "groups held nothing but guides, on which Unreal fails; copies of the guides are their hair",
                 "strand %u", c->strands[n]);
    *groom = grown;
    return BW_OK;
}

static bool has_guides(const bw_groom *groom) {
    for (uint32_t i = 0; i < groom->strand_count; i++) {
        if (bwi_is_guide(groom, i))
            return true;
    }
    return false;
}

static bw_result complete_guides(bw_groom *groom, bwi_warnings *changes, bwi_arena *arena, const bw_groom_opts *opts,
                                 const bwi_env *env, bw_error *error) {
    uint32_t made = 0;
    /* Unity's package knows no guides: it would draw their copies. */
    if (opts->engine != BW_GROOM_UNITY || has_guides(groom)) {
        bwi_arena *scratch = bwi_arena_create(env->mem);
        copies c = {0};
        bw_result result =
            scratch ? choose_copies(&c, groom, opts->guides > 0 ? opts->guides : DEFAULT_GUIDES, scratch, error)
                    : bwi_fail_memory(error, NULL, env->mem, 0);
        made = c.count - groom->strand_count;
        if (result == BW_OK && made > 0)
            result = add_copies(groom, &c, changes, arena, error);
        bwi_arena_free(scratch);
        if (result != BW_OK)
            return result;
    }
    bw_result result = bwi_groom_ids(groom, made, changes, arena, error);
    if (result != BW_OK)
        return result;
    if (has_guides(groom))
        return bwi_groom_closest(groom, changes, arena, env, error);
    if (groom->closest_guides)
        bwi_warn(changes, "closest-guides-dropped", groom->strand_count,
                 "closest guides were left out, since there are no guides", "strand 0");
    groom->closest_guides = NULL;
    groom->guide_weights = NULL;
    return BW_OK;
}

bw_result bwi_groom_complete(bw_groom *groom, bwi_warnings *changes, bwi_arena *arena, const bw_groom_opts *opts,
                             const bw_scene *scalp, const bwi_env *env, bw_error *error) {
    bw_groom whole = *groom;
    bw_result result = complete_groups(&whole, arena, error);
    if (result == BW_OK)
        result = complete_widths(&whole, changes, arena, opts, error);
    if (result == BW_OK)
        result = complete_roots(&whole, changes, arena, opts, scalp, env, error);
    if (result == BW_OK)
        result = complete_guides(&whole, changes, arena, opts, env, error);
    if (result == BW_OK) {
        whole.arena = groom->arena;
        *groom = whole;
    }
    return result;
}
