/* SPDX-License-Identifier: MIT
 * Values of points and roots: widths, colours, roughness, occlusion, root UVs, clump ids, in the schema's types and scopes. */
#include <math.h>
#include <string.h>

#include "groom/groom_fix_priv.h"

enum { CHUNK = 512 };

typedef struct filler {
    bwi_fix *fix;
    const bwi_view *views; /* [sources] */
    float *out;            /* [points][width] */
    uint32_t width;
    float missing;
} filler;

/* Whether a strand's values lie in the file as they are wanted. */
static bool is_plain(const bwi_view *view, const bwi_strand *strand, uint32_t width) {
    const bwi_hair_attribute *a = view->attribute;
    return view->scope == BWI_VIEW_VERTEX && !strand->is_placed && a->pod == BW_ALEMBIC_FLOAT32 && !a->indices &&
           !view->flat && a->extent == width && view->width == width && view->factor == 1 &&
           strand->first + strand->cv_count <= view->count;
}

static bw_result fill_chunk(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    (void)worker;
    (void)error;
    const filler *f = ctx;
    const bwi_fix *fix = f->fix;
    const uint32_t *first_points = fix->groom->first_points;
    const size_t begin = index * CHUNK, left = fix->strands.count - begin, count = left < CHUNK ? left : CHUNK;
    for (size_t i = begin; i < begin + count; i++) {
        const bwi_strand *strand = &fix->strands.data[i];
        const bwi_view *view = &f->views[strand->source];
        float *out = f->out + (size_t)f->width * first_points[i];
        const size_t values = (size_t)f->width * strand->point_count;
        if (view->scope == BWI_VIEW_NONE) {
            for (size_t k = 0; k < values; k++)
                out[k] = f->missing;
            continue;
        }
        if (is_plain(view, strand, f->width)) {
            memcpy(out, view->attribute->bytes + strand->first * f->width * sizeof *out, values * sizeof *out);
            continue;
        }
        bwi_view_point_numbers(out, view, &fix->sources.data[strand->source], strand,
                               strand->is_placed ? fix->places + first_points[i] : NULL);
        if (view->width < f->width) { /* grey: from the last point on, since they share the place */
            for (size_t k = strand->point_count; k-- > 0;) {
                const float grey = out[k];
                for (uint32_t c = 0; c < f->width; c++)
                    out[k * f->width + c] = grey;
            }
        }
    }
    return BW_OK;
}

/* Looks in every source.  Out: views — [sources], in scratch; any — whether one has it; all — whether every one that has strands does. */
static bw_result find_views(bwi_view **views, bool *any, bool *all, bwi_fix *fix, const char *name, bw_error *error) {
    *views = bwi_arena_alloc(fix->scratch, fix->sources.count, sizeof **views);
    if (!*views)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, fix->sources.count * sizeof **views);
    *any = false;
    *all = true;
    for (size_t s = 0; s < fix->sources.count; s++) {
        const bw_result result = bwi_fix_find(&(*views)[s], fix, &fix->sources.data[s], name, error);
        if (result != BW_OK)
            return result;
        if (fix->sources.data[s].strand_count == 0)
            continue;
        *any |= (*views)[s].scope != BWI_VIEW_NONE;
        *all &= (*views)[s].scope != BWI_VIEW_NONE;
    }
    return BW_OK;
}

static bw_result fill_points(float **out, bwi_fix *fix, const char *name, uint32_t width, float missing,
                             bw_error *error) {
    bwi_view *views;
    bool any, all;
    bw_result result = find_views(&views, &any, &all, fix, name, error);
    *out = NULL;
    if (result != BW_OK || !any)
        return result;
    if (!all && missing == missing)
        bwi_warn(fix->changes, "values-missing", 1,
                 "attributes that some objects have and others lack: these were given the engine's own value", "%s",
                 name);
    float *values = bwi_arena_alloc(fix->arena, fix->groom->point_count, width * sizeof *values);
    if (!values)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, fix->groom->point_count * width * sizeof *values);
    filler f = {fix, views, values, width, missing};
    result = bwi_parallel_for(fix->env, (fix->strands.count + CHUNK - 1) / CHUNK, fill_chunk, &f, error);
    *out = values;
    return result;
}

static const char *place_of(const bwi_fix *fix, uint32_t strand) {
    return fix->sources.data[fix->strands.data[strand].source].object->path;
}

/* A strand without any width above 0 has none (completing gives it one); else what is negative or not finite is 0. */
static void clean_widths(bwi_fix *fix) {
    bw_groom *g = fix->groom;
    bool any = false;
    for (uint32_t s = 0; s < g->strand_count; s++) {
        float *widths = g->widths + g->first_points[s];
        const uint32_t n = g->first_points[s + 1] - g->first_points[s];
        bool has = false, bad = false, told = false;
        for (uint32_t k = 0; k < n; k++) {
            has |= widths[k] > 0 && bwi_is_finite((double)widths[k]);
            bad |= !(widths[k] >= 0) || !bwi_is_finite((double)widths[k]);
            told |= widths[k] == widths[k];
        }
        for (uint32_t k = 0; k < n; k++) {
            if (!has)
                widths[k] = NAN;
            else if (!(widths[k] >= 0) || !bwi_is_finite((double)widths[k]))
                widths[k] = 0;
        }
        any |= has;
        if (!has && told)
            bwi_warn(fix->changes, "widths-replaced", 1, "strands without a width above 0 were given one",
                     "%s, strand %u", place_of(fix, s), fix->strands.data[s].index);
        else if (has && bad)
            bwi_warn(fix->changes, "widths-mended", 1,
                     "strands with widths that are negative or not finite were given 0 there", "%s, strand %u",
                     place_of(fix, s), fix->strands.data[s].index);
    }
    if (!any)
        g->widths = NULL;
}

/* Values that are not finite, or below `least`, become `least`. */
static void clean_values(bwi_fix *fix, float *values, uint32_t width, float least, const char *name) {
    uint64_t bad = 0;
    for (size_t k = 0; values && k < (size_t)fix->groom->point_count * width; k++) {
        if (values[k] >= least && bwi_is_finite((double)values[k]))
            continue;
        values[k] = least;
        bad++;
    }
    if (bad)
        bwi_warn(fix->changes, "values-mended", bad, "values that are negative or not finite became 0", "%s", name);
}

static bw_result fix_root_uvs(bwi_fix *fix, bw_error *error) {
    bwi_view *views;
    bool any, all;
    bw_groom *g = fix->groom;
    const bw_result result = find_views(&views, &any, &all, fix, "groom_root_uv", error);
    if (result != BW_OK || !any)
        return result;
    g->root_uvs = bwi_arena_alloc(fix->arena, g->strand_count, 2 * sizeof *g->root_uvs);
    if (!g->root_uvs)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, g->strand_count * 2 * sizeof *g->root_uvs);
    uint64_t bad = 0, good = 0;
    for (uint32_t i = 0; i < g->strand_count; i++) {
        const bwi_strand *strand = &fix->strands.data[i];
        const bwi_view *view = &views[strand->source];
        float *uv = g->root_uvs + 2 * (size_t)i;
        for (uint32_t c = 0; c < 2; c++)
            uv[c] = view->scope == BWI_VIEW_NONE
                        ? NAN
                        : (float)bwi_view_strand_number(view, &fix->sources.data[strand->source], strand, c);
        const bool finite = bwi_is_finite((double)uv[0]) && bwi_is_finite((double)uv[1]);
        good += finite;
        bad += !finite && view->scope != BWI_VIEW_NONE;
        if (!finite)
            uv[0] = uv[1] = NAN;
        else if (fix->opts->flip_v)
            uv[1] = 1 - uv[1];
    }
    if (bad)
        bwi_warn(fix->changes, "root-uvs-replaced", bad, "root UVs that are not finite were replaced", "groom_root_uv");
    if (good && fix->opts->flip_v)
        bwi_warn(fix->changes, "root-uvs-flipped", good, "root UVs were turned over: v became 1 - v", "groom_root_uv");
    if (!good)
        g->root_uvs = NULL;
    return BW_OK;
}

static bw_result fix_clumps(bwi_fix *fix, bw_error *error) {
    bwi_view *views;
    bool any, all;
    bw_groom *g = fix->groom;
    const bw_result result = find_views(&views, &any, &all, fix, "groom_clumpid", error);
    if (result != BW_OK || !any)
        return result;
    uint32_t width = 1;
    for (size_t s = 0; s < fix->sources.count; s++)
        width = views[s].scope != BWI_VIEW_NONE && views[s].width > width ? views[s].width : width;
    g->clump_width = width;
    g->clump_ids = bwi_arena_alloc(fix->arena, g->strand_count, width * sizeof *g->clump_ids);
    if (!g->clump_ids)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, g->strand_count * width * sizeof *g->clump_ids);
    uint64_t clamped = 0;
    for (uint32_t i = 0; i < g->strand_count; i++) {
        const bwi_strand *strand = &fix->strands.data[i];
        const bwi_view *view = &views[strand->source];
        for (uint32_t c = 0; c < width && view->scope != BWI_VIEW_NONE; c++) {
            double id =
                bwi_view_strand_number(view, &fix->sources.data[strand->source], strand, c < view->width ? c : 0);
            const bool fits = id >= 0 && id <= 65535;
            clamped += !fits;
            id = id > 65535 ? 65535 : id >= 0 ? id : 0;
            g->clump_ids[(size_t)i * width + c] = (int32_t)id;
        }
    }
    if (clamped)
        bwi_warn(fix->changes, "clump-ids-clamped", clamped, "clump ids outside 0 to 65535 were brought into it",
                 "groom_clumpid");
    if (!all)
        bwi_warn(fix->changes, "values-missing", 1,
                 "attributes that some objects have and others lack: these were given the engine's own value",
                 "groom_clumpid");
    return BW_OK;
}

bw_result bwi_fix_values(bwi_fix *fix, bw_error *error) {
    bw_groom *g = fix->groom;
    bw_result result = fill_points(&g->widths, fix, "groom_width", 1, NAN, error);
    if (result == BW_OK && g->widths)
        clean_widths(fix);
    if (result == BW_OK)
        result = fill_points(&g->colors, fix, "groom_color", 3, 0, error);
    if (result == BW_OK)
        result = fill_points(&g->roughness, fix, "groom_roughness", 1, 0, error);
    if (result == BW_OK)
        result = fill_points(&g->ao, fix, "groom_ao", 1, 1, error);
    if (result != BW_OK)
        return result;
    clean_values(fix, g->colors, 3, 0, "groom_color");
    clean_values(fix, g->roughness, 1, 0, "groom_roughness");
    clean_values(fix, g->ao, 1, 0, "groom_ao");
    result = fix_root_uvs(fix, error);
    return result == BW_OK ? fix_clumps(fix, error) : result;
}
