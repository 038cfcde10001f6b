/* SPDX-License-Identifier: MIT
 * One public call: budget, threads, progress, and the parts of reports that calls share. */
#include "api/api_priv.h"
#include "metric/metric.h"

bw_result bwi_call_begin(bwi_call *call, const bw_run_opts *run, bw_error *error) {
    *call = (bwi_call){0};
    bwi_mem_init(&call->mem, run->memory_limit);
    bw_result result = bw_options_check(bw_run_options(), run, error);
    if (result != BW_OK)
        return result;
    call->env = (bwi_env){&call->mem, bwi_thread_count(run), bwi_progress_create(&call->mem, run)};
    return call->env.progress ? BW_OK : bwi_fail_memory(error, NULL, &call->mem, 0);
}

void bwi_call_end(bwi_call *call) {
    bwi_progress_free(call->env.progress);
    call->env.progress = NULL;
}

bw_result bwi_call_load_scene(bw_scene **scene, bwi_call *call, const char *path, const bwi_named_files *clips,
                              const bw_vat_opts *opts, const bw_run_opts *run, bool no_images, bw_error *error) {
    const bw_scene_opts read = {.no_images = no_images, .up = opts->up, .units = opts->units, .run = *run};
    bw_scene *loaded = NULL;
    bw_result result = bw_scene_load(&loaded, path, &read, error);
    if (result == BW_OK && clips->count)
        result = bwi_add_clips(loaded, clips, opts->anim_prefix, &read, error);
    if (result != BW_OK) {
        bw_free_scene(loaded);
        return result;
    }
    call->mem.used += bwi_arena_mem(loaded->arena)->used;
    *scene = loaded;
    return BW_OK;
}

bw_result bwi_report_clips(const bw_baked_clip **clips, size_t *count, bwi_arena *arena, const bwi_manifest *manifest,
                           bw_error *error) {
    bw_baked_clip *list = bwi_arena_alloc(arena, manifest->clips.count, sizeof *list);
    if (!list)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), manifest->clips.count * sizeof *list);
    for (size_t k = 0; k < manifest->clips.count; ++k) {
        const bwi_manifest_clip *clip = &manifest->clips.data[k];
        const char *name = bwi_arena_string(arena, clip->name, SIZE_MAX);
        if (!name)
            return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), 0);
        list[k] = (bw_baked_clip){name,
                                  clip->first_frame,
                                  clip->frame_count,
                                  clip->rate_fps,
                                  clip->duration_s,
                                  clip->loop,
                                  bwi_manifest_clip_diagonal(manifest, clip)};
    }
    *clips = list;
    *count = manifest->clips.count;
    return BW_OK;
}

bw_result bwi_report_error(bw_error_report *out, const bw_error_report *in, bwi_arena *arena, bw_error *error) {
    *out = *in;
    bw_error_stats *stats[] = {&out->stored, &out->between, &out->between_step};
    for (size_t k = 0; k < sizeof stats / sizeof stats[0]; ++k) {
        if (stats[k]->count == 0)
            continue;
        stats[k]->worst.clip = bwi_arena_string(arena, stats[k]->worst.clip, SIZE_MAX);
        stats[k]->worst.part = bwi_arena_string(arena, stats[k]->worst.part, SIZE_MAX);
        if (!stats[k]->worst.clip || !stats[k]->worst.part)
            return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), 0);
    }
    return BW_OK;
}

bw_result bwi_report_warnings(bw_warning_list *out, bw_warning_list first, const bwi_warnings *second, bwi_arena *arena,
                              bw_error *error) {
    const size_t count = first.count + second->count;
    bw_warning *list = bwi_arena_alloc(arena, count, sizeof *list);
    bool fits = list && !second->lost;
    for (size_t k = 0; fits && k < count; ++k) {
        list[k] = k < first.count ? first.data[k] : second->data[k - first.count];
        list[k].code = bwi_arena_string(arena, list[k].code, SIZE_MAX);
        list[k].message = bwi_arena_string(arena, list[k].message, SIZE_MAX);
        list[k].first = bwi_arena_string(arena, list[k].first, SIZE_MAX);
        fits = list[k].code && list[k].message && list[k].first;
    }
    if (!fits)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), count * sizeof *list);
    *out = (bw_warning_list){list, count};
    return BW_OK;
}

static bw_result check_bound(const bw_error_stats *stats, bw_length bound, const char *what, const char *option,
                             const char *help, const char *path, bw_error *error) {
    if (bwi_metric_keeps(stats, bound))
        return BW_OK;
    const char *clip = stats->worst.clip, *part = stats->worst.part;
    if (bound.unit == BW_LENGTH_RELATIVE)
        return bwi_fail(
            error, BW_ERR_BOUND_MISSED, path, -1,
            "the %s error is %.4g %% of a clip's diagonal, above --%s=%.4g%% (farthest off: clip '%s', part '%s'); %s",
            what, stats->max_relative * 100.0, option, bound.value * 100.0, clip, part, help);
    return bwi_fail(error, BW_ERR_BOUND_MISSED, path, -1,
                    "the %s error is %.4g mm, above --%s=%.4gmm (worst: clip '%s', frame %u, part '%s'); %s", what,
                    stats->max * 1000.0, option, bound.value * 1000.0, clip, stats->worst.frame, part, help);
}

const char *bwi_finer(const bw_vat_opts *opts, uint32_t bone_count) {
    if (opts && opts->format == BW_VAT_FORMAT_DEFAULT && opts->layout <= BW_VAT_LAYOUT_NATIVE &&
        opts->mode <= BW_VAT_MODE_AUTO)
        return "no way to bake comes nearer: raise the bound, or --max-bytes where that refused one";
    return bone_count ? "use a format of more bits, such as exr32, or --mode=vertex"
                      : "use a format of more bits, such as exr32";
}

bw_result bwi_check_bounds(const bw_error_report *report, bw_length max_error, bw_length max_between,
                           bw_vat_layout layout, const char *finer, const char *path, bw_error *error) {
    const bool seed = layout == BW_VAT_LAYOUT_SEED;
    bw_result result = check_bound(&report->stored, max_error, "stored", "max-error", finer, path, error);
    if (result == BW_OK)
        result = check_bound(&report->between, max_between, "between-frames", "max-between",
                             seed ? "use --layout=native and raise --fps" : "raise --fps", path, error);
    return result;
}
