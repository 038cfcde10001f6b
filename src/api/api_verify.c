/* SPDX-License-Identifier: MIT
 * bw_verify: a bake's files against their manifest and their source. */
#include <string.h>

#include "api/api_priv.h"
#include "base/file.h"
#include "metric/metric.h"

/* The source, as the bake saw it. */
typedef struct verify_source {
    bw_scene *scene;
    bwi_vertex_list *list;
    bwi_levels levels;
    bool changed; /* since the bake */
} verify_source;

static bw_result load_levels(verify_source *source, bwi_call *call, bwi_arena *arena, const bw_verify_opts *opts,
                             const char *folder, const bwi_manifest *manifest, const bw_run_opts *run,
                             bw_error *error) {
    if (!manifest->levels.count)
        return BW_OK;
    const bool named = opts->lod.count > 0;
    bwi_named_files files;
    bw_result result = bwi_name_files(&files, arena, opts->against, named ? opts->lod : manifest->options.lod,
                                      named ? NULL : folder, "lod", error);
    if (result == BW_OK && files.count != manifest->levels.count)
        result = bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                          "the bake has %zu levels of detail, %zu files are named; name each with --lod, finest first",
                          manifest->levels.count, files.count);
    return result == BW_OK ? bwi_load_levels(&source->levels, call, arena, source->scene, &files, &manifest->options,
                                             run, true, error)
                           : result;
}

static bw_result load_source(verify_source *source, bwi_call *call, bwi_arena *arena, const bw_verify_opts *opts,
                             const bwi_manifest *manifest, bwi_warnings *warnings, bw_error *error) {
    bw_run_opts run = opts->run;
    run.memory_limit = bwi_mem_left(&call->mem); /* the bake's mesh and manifest are in memory already */
    const char *folder = bwi_path_folder(arena, opts->against);
    if (!folder)
        return bwi_fail_memory(error, opts->against, &call->mem, strlen(opts->against));
    const bool named = opts->anim.count > 0;
    bwi_named_files clips;
    bw_result result = bwi_name_files(&clips, arena, opts->against, named ? opts->anim : manifest->options.anim,
                                      named ? NULL : folder, "anim", error);
    if (result == BW_OK)
        result =
            bwi_call_load_scene(&source->scene, call, opts->against, &clips, &manifest->options, &run, true, error);
    if (result == BW_OK)
        result = load_levels(source, call, arena, opts, folder, manifest, &run, error);
    if (result != BW_OK)
        return result;
    source->changed = !bwi_compare_sources(source->scene, manifest->source.data, manifest->source.count, warnings);
    const bwi_node_filter filter = {manifest->options.include, manifest->options.exclude};
    return bwi_vertex_list_build(&source->list, arena, source->scene, &filter, &call->env, warnings, error);
}

/* Every run measures the same error; a larger one than the bake's own is of other texels, another mesh, or an edited manifest. */
static void compare_errors(const bw_error_report *measured, const bwi_manifest *manifest, bwi_warnings *findings) {
    const bw_error_stats *now = &measured->stored, *baked = &manifest->error.stored;
    if (now->max > baked->max * BWI_LARGER + 1e-9)
        bwi_warn(findings, "error-larger", 1,
                 "positions are farther from the source than when it was baked: texels, mesh or manifest were changed",
                 "clip '%s', frame %u, part '%s': %.4g mm, baked with %.4g mm", now->worst.clip, now->worst.frame,
                 now->worst.part, now->max * 1000.0, baked->max * 1000.0);
    else if (now->normal_deg > baked->normal_deg * BWI_LARGER + 1e-3)
        bwi_warn(findings, "error-larger", 1,
                 "normals are farther from the source's than when it was baked: texels, mesh or manifest were changed",
                 "%.4g degrees, baked with %.4g", now->normal_deg, baked->normal_deg);
}

/* OpenVAT's animations, which may overlap and need not cover the texture. */
static bw_result foreign_clips(bw_verify_report *report, const bwi_openvat_info *info, bw_error *error) {
    bw_baked_clip *clips = bwi_arena_alloc(report->arena, info->clips.count, sizeof *clips);
    bool fits = clips != NULL;
    for (size_t k = 0; fits && k < info->clips.count; ++k) {
        const bwi_openvat_clip *c = &info->clips.data[k];
        const int64_t count = c->end_frame < c->start_frame ? 0 : c->end_frame - c->start_frame + 1;
        clips[k] = (bw_baked_clip){
            .name = bwi_arena_string(report->arena, c->name, SIZE_MAX),
            .first_frame = c->start_frame > 1 ? (uint32_t)(c->start_frame - 1) : 0,
            .frame_count = (uint32_t)count,
            .rate_fps = c->rate_fps,
            .duration_s = c->rate_fps > 0.0 && count > 0 ? (double)(count - (c->loop ? 0 : 1)) / c->rate_fps : 0.0,
            .loop = c->loop};
        fits = clips[k].name != NULL;
    }
    if (!fits)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(report->arena), info->clips.count * sizeof *clips);
    report->clips.data = clips;
    report->clips.count = info->clips.count;
    return BW_OK;
}

static bw_result fill_report(bw_verify_report *report, const bwi_decoder *decoder, bw_error *error) {
    const bwi_manifest *manifest = bwi_decoder_manifest(decoder);
    bwi_arena *arena = report->arena;
    report->family = "vat";
    report->mode = bwi_mode_name(manifest->mode);
    report->layout = bwi_layout_name(manifest->layout);
    report->vertex_count = manifest->element_count;
    report->frame_count = manifest->frame_count;
    const bwi_openvat_info *foreign = bwi_decoder_foreign(decoder);
    report->foreign = foreign != NULL;
    return foreign ? foreign_clips(report, foreign, error)
                   : bwi_report_clips(&report->clips.data, &report->clips.count, arena, manifest, error);
}

/* What decoding trips over once a size or a hash differs follows from that: the answer is "differs", not "malformed". */
static bw_result settle(bw_result result, const bwi_warnings *findings, const char *path, bw_error *error) {
    bool malformed = bw_result_exit_status(result) == bw_result_exit_status(BW_ERR_MALFORMED);
    if ((result == BW_OK || result == BW_ERR_DIFFERS || malformed) && findings->lost)
        return bwi_fail_memory(error, path, bwi_arena_mem(findings->arena), sizeof(bw_warning));
    if (!findings->count || (result != BW_OK && !malformed))
        return result;
    return bwi_fail(error, BW_ERR_DIFFERS, path, -1, "%s (%s)", findings->data[0].message, findings->data[0].first);
}

static bw_result report_levels(bw_verify_report *report, bwi_decoder *decoder, const verify_source *source,
                               bwi_call *call, bwi_arena *arena, bw_error *error) {
    const bwi_manifest *manifest = bwi_decoder_manifest(decoder);
    bwi_level_error *errors = bwi_arena_alloc(arena, manifest->levels.count, sizeof *errors);
    if (!errors)
        return bwi_fail_memory(error, NULL, &call->mem, manifest->levels.count * sizeof *errors);
    bw_result result = bwi_measure_levels(errors, decoder, source->list, &source->levels, &call->env, error);
    return result == BW_OK ? bwi_report_levels(&report->levels.data, &report->levels.count, report->arena, manifest,
                                               source->levels.count ? errors : NULL, error)
                           : result;
}

static bw_result verify(bw_verify_report *report, bwi_call *call, bwi_arena *arena, const char *path,
                        const bw_verify_opts *opts, bwi_warnings *findings, bw_error *error) {
    bwi_decoder *decoder = NULL;
    verify_source source = {0};
    bwi_warnings warnings;
    bwi_warnings_init(&warnings, arena);
    bw_error_report measured = {0};
    bw_result result = bwi_decoder_open(&decoder, path, &call->env, findings, error);
    if (result != BW_OK)
        return settle(result, findings, path, error);
    const bwi_manifest *manifest = bwi_decoder_manifest(decoder);
    result = fill_report(report, decoder, error);
    if (result == BW_OK && opts->against && bwi_decoder_foreign(decoder))
        result =
            bwi_fail(error, BW_ERR_USAGE, path, -1,
                     "OpenVAT's JSON does not say how its source was sampled, so it cannot be compared with one; leave "
                     "--against out, or name the manifest of a bake");
    if (result == BW_OK && !opts->against)
        result = bwi_report_warnings(&report->warnings, (bw_warning_list){NULL, 0}, bwi_decoder_notes(decoder),
                                     report->arena, error);
    if (result == BW_OK && opts->against)
        result = load_source(&source, call, arena, opts, manifest, &warnings, error);
    if (result == BW_OK && source.scene)
        result = bwi_report_warnings(&report->warnings, source.scene->warnings, &warnings, report->arena, error);
    bool loaded = result == BW_OK;
    if (loaded)
        result = bwi_metric_walk(&measured, decoder, source.list, &call->env, findings, error);
    if (result == BW_OK)
        result = bwi_report_error(&report->error, &measured, report->arena, error);
    if (result == BW_OK)
        result = report_levels(report, decoder, &source, call, arena, error);
    report->compared = result == BW_OK && opts->against;
    if (report->compared && manifest->has_error && !source.changed)
        compare_errors(&measured, manifest, findings);
    if (loaded)
        result = settle(result, findings, path, error);
    if (result == BW_OK) {
        result = bwi_check_bounds(&report->error, opts->max_error, opts->max_between, manifest->layout,
                                  bwi_finer(NULL, manifest->bones.count), path, error);
        report->bounds_kept = result == BW_OK;
    }
    bwi_decoder_free(decoder);
    bwi_free_levels(&source.levels);
    bw_free_scene(source.scene);
    return result;
}

/* Told by the manifest alone; what cannot be read is for the decoder of frames to say. */
static bool is_of_pivots(const char *path, bwi_mem *mem) {
    bwi_map map;
    if (bwi_map_open(&map, path, mem, NULL) != BW_OK)
        return false;
    const bool found = bwi_manifest_is_of(map.data, map.size, "pivot");
    bwi_map_close(&map);
    return found;
}

static bw_result verify_any(bw_verify_report *report, bwi_call *call, bwi_arena *arena, const char *path,
                            const bw_verify_opts *opts, bwi_warnings *findings, bw_error *error) {
    if (!is_of_pivots(path, &call->mem))
        return verify(report, call, arena, path, opts, findings, error);
    const bw_result result = bwi_verify_pivot(report, call, arena, path, opts, findings, error);
    return result == BW_ERR_BOUND_MISSED ? result : settle(result, findings, path, error);
}

bw_result bw_verify(bw_verify_report **report, const char *manifest_path, const bw_verify_opts *opts, bw_error *error) {
    const bw_verify_opts defaults = {0};
    opts = opts ? opts : &defaults;
    bw_result result = bw_options_check(bw_verify_options(), opts, error);
    if (result != BW_OK)
        return result;
    if (!opts->against && (opts->anim.count || opts->lod.count))
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--%s names files of a source; name the source itself with --against",
                        opts->anim.count ? "anim" : "lod");
    if (!opts->against && (opts->max_error.unit || opts->max_between.unit))
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--max-error and --max-between compare with a source; name it with --against");
    bwi_call call;
    bwi_arena *kept = bwi_arena_create_owning(opts->run.memory_limit);
    bw_verify_report *out = kept ? bwi_arena_alloc(kept, 1, sizeof *out) : NULL;
    result = bwi_call_begin(&call, &opts->run, error);
    bwi_arena *arena = result == BW_OK ? bwi_arena_create(&call.mem) : NULL;
    if (result == BW_OK && (!out || !arena))
        result = bwi_fail_memory(error, manifest_path, &call.mem, sizeof *out);
    if (result == BW_OK) {
        bwi_warnings findings;
        bwi_warnings_init(&findings, kept);
        out->arena = kept;
        result = verify_any(out, &call, arena, manifest_path, opts, &findings, error);
        out->findings = bwi_warnings_list(&findings);
    }
    bwi_arena_free(arena);
    bwi_call_end(&call);
    if (result == BW_OK || result == BW_ERR_DIFFERS || result == BW_ERR_BOUND_MISSED) {
        *report = out;
        return result;
    }
    bwi_arena_free(kept);
    return result;
}

void bw_free_verify_report(bw_verify_report *report) {
    if (report)
        bwi_arena_free(report->arena);
}
