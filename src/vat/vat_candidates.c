/* SPDX-License-Identifier: MIT
 * The ways to bake a scene: modes that it suits, formats that its engine holds, rates that are asked for. */
#include "vat/vat.h"

enum { MOST_FORMATS = 6, MOST_MODES = 3 };

/* What of the list follows joints, and whether a vertex follows several. */
typedef struct skinning {
    bool any, several;
} skinning;

static bool follows_several(const bw_primitive *primitive, const bwi_part *part) {
    for (uint32_t i = 0; i < part->vertex_count; ++i) {
        const float *weights = primitive->weights + (size_t)part->source_vertices[i] * primitive->influence_count;
        uint32_t used = 0;
        for (uint32_t k = 0; k < primitive->influence_count; ++k)
            used += weights[k] > 0.0f;
        if (used > 1)
            return true;
    }
    return false;
}

static skinning skinning_of(const bwi_vertex_list *list) {
    skinning found = {false, false};
    for (uint32_t p = 0; p < list->part_count; ++p) {
        const bwi_part *part = &list->parts[p];
        if (part->skin == BW_NO_INDEX)
            continue;
        found.any = true;
        found.several = found.several ||
                        follows_several(&list->scene->meshes.data[part->mesh].primitives.data[part->primitive], part);
    }
    return found;
}

/* Parts whose triangles are others in every frame: nothing but those frames can hold them. */
static const bwi_part *changing_part(const bwi_vertex_list *list) {
    for (uint32_t p = 0; p < list->part_count; ++p) {
        const bwi_part *part = &list->parts[p];
        if (list->scene->meshes.data[part->mesh].primitives.data[part->primitive].topology_changes)
            return part;
    }
    return NULL;
}

static bw_result check_topology(const bwi_vertex_list *list, const bwi_part *changing, const bw_vat_opts *opts,
                                bool free, bw_error *error) {
    const bool native = opts->layout == BW_VAT_LAYOUT_DEFAULT || opts->layout == BW_VAT_LAYOUT_NATIVE;
    if (changing && (!free || !native) && opts->mode != BW_VAT_MODE_SOUP)
        return bwi_fail(error, BW_ERR_UNSUPPORTED, list->scene->path, -1,
                        "the triangles of '%s' are others in every frame, and %s cannot hold that; use --mode=soup%s",
                        list->scene->nodes.data[changing->node].name, native ? "other modes" : "other layouts",
                        native ? "" : " and --layout=native");
    if (!changing && opts->mode == BW_VAT_MODE_SOUP)
        return bwi_fail(error, BW_ERR_UNSUPPORTED, list->scene->path, -1,
                        "--mode=soup is for meshes whose triangles are others in every frame, and there are none; use "
                        "--mode=vertex, which is smaller and smooth between frames");
    return BW_OK;
}

static size_t list_modes(bw_vat_mode modes[MOST_MODES], const bwi_vertex_list *list, const bw_vat_opts *opts) {
    const bool native = opts->layout == BW_VAT_LAYOUT_DEFAULT || opts->layout == BW_VAT_LAYOUT_NATIVE;
    size_t count = 0;
    if (changing_part(list)) {
        modes[count++] = BW_VAT_MODE_SOUP;
        return count;
    }
    modes[count++] = BW_VAT_MODE_VERTEX;
    if (!native)
        return count;
    const skinning found = skinning_of(list);
    if (!found.several)
        modes[count++] = BW_VAT_MODE_RIGID; /* it may: whether pieces move rigidly is known once they are looked at */
    if (found.any)
        modes[count++] = BW_VAT_MODE_BONE;
    return count;
}

/* Other layouts and what is named are one format; DEFAULT leaves it to resolving. */
static size_t list_formats(bw_vat_format formats[MOST_FORMATS], const bw_vat_opts *opts) {
    const bwi_engine_info *engine = bwi_engine_info_of(opts->engine);
    const bool native = opts->layout == BW_VAT_LAYOUT_DEFAULT || opts->layout == BW_VAT_LAYOUT_NATIVE;
    size_t count = 0;
    if (opts->format != BW_VAT_FORMAT_DEFAULT || !native || !engine)
        formats[count++] = opts->format;
    else
        for (; engine->held[count] != BW_VAT_FORMAT_DEFAULT; ++count)
            formats[count] = engine->held[count];
    return count;
}

static bw_result check_rates(const bw_vat_opts *opts, bool chooses, bw_error *error) {
    const char *why = NULL;
    if (opts->rate_fractions <= 1)
        return BW_OK;
    if (!chooses)
        why = "chooses among rates, which --mode=auto in the native layout does";
    else if (opts->max_between.unit == BW_LENGTH_NONE)
        why = "needs --max-between, a bound for the error between frames: without one the lowest rate always wins";
    return why ? bwi_fail(error, BW_ERR_USAGE, NULL, -1, "--rate-fractions=%u %s", opts->rate_fractions, why) : BW_OK;
}

bw_result bwi_vat_candidates(bwi_vat_candidate **candidates, size_t *count, bwi_arena *arena,
                             const bwi_vertex_list *list, const bw_vat_opts *opts, bw_error *error) {
    const bool chooses = opts->mode == BW_VAT_MODE_DEFAULT || opts->mode == BW_VAT_MODE_AUTO;
    const bool native = opts->layout == BW_VAT_LAYOUT_DEFAULT || opts->layout == BW_VAT_LAYOUT_NATIVE;
    const bwi_part *changing = changing_part(list);
    bw_vat_mode modes[MOST_MODES] = {opts->mode};
    bw_vat_format formats[MOST_FORMATS] = {opts->format};
    bw_result result = check_rates(opts, chooses && native, error);
    if (result == BW_OK)
        result = check_topology(list, changing, opts, chooses, error);
    if (result != BW_OK)
        return result;
    const size_t mode_count = chooses ? list_modes(modes, list, opts) : 1;
    const size_t format_count = chooses ? list_formats(formats, opts) : 1;
    const uint32_t divisors = opts->rate_fractions ? opts->rate_fractions : 1;
    const size_t most = mode_count * format_count * divisors;
    bwi_vat_candidate *list_of = bwi_arena_alloc(arena, most, sizeof *list_of);
    if (!list_of)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), most * sizeof *list_of);
    size_t kept = 0;
    bw_error first = {.result = BW_OK};
    for (uint32_t divisor = 1; divisor <= divisors; ++divisor)
        for (size_t m = 0; m < mode_count; ++m)
            for (size_t f = 0; f < format_count; ++f) {
                const bwi_vat_candidate candidate = {modes[m], formats[f], divisor};
                bwi_vat_settings settings;
                bw_error why = {0};
                result = bwi_vat_resolve(&settings, opts, &candidate, list->has_normals, list->has_tangents, &why);
                if (result == BW_OK) {
                    list_of[kept] = candidate;
                    list_of[kept++].format = settings.format->format;
                } else if (first.result == BW_OK) {
                    first = why;
                }
            }
    if (!kept) {
        if (error)
            *error = first;
        return first.result;
    }
    *candidates = list_of;
    *count = kept;
    return BW_OK;
}
