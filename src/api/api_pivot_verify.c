/* SPDX-License-Identifier: MIT
 * bw_verify of a Pivot Painter 2 bake: its files, and every element against the source. */
#include "api/api_pivot.h"

#include <string.h>

typedef struct checking {
    bw_verify_report *report;
    bwi_call *call;
    bwi_arena *arena;
    const char *path, *folder;
    const bw_verify_opts *opts;
    bwi_warnings *findings;
    bwi_pivot_manifest *manifest;
    bwi_pivot_bake bake;
} checking;

static void compare_errors(const bw_pivot_error *now, const bw_pivot_error *baked, bwi_warnings *findings) {
    if (now->wrong_parent_count > baked->wrong_parent_count || now->pivot_max > baked->pivot_max * BWI_LARGER + 1e-9 ||
        now->axis_max_deg > baked->axis_max_deg * BWI_LARGER + 1e-6 ||
        now->extent_max > baked->extent_max * BWI_LARGER + 1e-9)
        bwi_warn(findings, "error-larger", 1,
                 "elements are farther from the source than when it was baked: texels, mesh or manifest were changed",
                 "%u wrong parents, pivots %.4g mm, axes %.4g degrees, extents %.4g mm off", now->wrong_parent_count,
                 now->pivot_max * 1000, now->axis_max_deg, now->extent_max * 1000);
}

static bw_result keep_bound(checking *c, const bw_pivot_plan *plan, bw_error *error) {
    const bw_length bound = c->opts->max_error;
    const double most = bound.unit == BW_LENGTH_RELATIVE
                            ? bound.value * bwi_bounds_diagonal(plan->positions, plan->vertex_count)
                            : bound.value;
    c->report->bounds_kept = bound.unit == BW_LENGTH_NONE || c->report->pivot.error.pivot_max <= most;
    return c->report->bounds_kept
               ? BW_OK
               : bwi_fail(error, BW_ERR_BOUND_MISSED, c->path, -1,
                          "a pivot is %.4g mm off, and --max-error allows %.4g mm; halves round coarser the farther a "
                          "pivot is from the origin, so stand the tree there",
                          c->report->pivot.error.pivot_max * 1000, most * 1000);
}

static bw_result compare(checking *c, bw_error *error) {
    const bwi_pivot_manifest *m = c->manifest;
    const bw_verify_opts *opts = c->opts;
    bw_pivot_opts baked = m->options;
    baked.run = opts->run;
    bwi_named_files levels = {0};
    bwi_pivot_source source = {0};
    bwi_pivot_order order;
    bwi_pivot_sheet sheet;
    bwi_warnings warnings;
    bwi_warnings_init(&warnings, c->arena);
    const bool named = opts->lod.count > 0;
    const char *folder = bwi_path_folder(c->arena, opts->against);
    bw_result result = folder ? BW_OK : bwi_fail_memory(error, opts->against, &c->call->mem, 0);
    if (result == BW_OK && m->levels.count)
        result = bwi_name_files(&levels, c->arena, opts->against, named ? opts->lod : baked.lod, named ? NULL : folder,
                                "lod", error);
    if (result == BW_OK)
        result =
            bwi_pivot_source_load(&source, c->call, c->arena, opts->against, &levels, &baked, true, &warnings, error);
    if (result == BW_OK)
        result = bwi_pivot_check(source.found, opts->against, &c->call->mem, error);
    if (result == BW_OK)
        result = bwi_pivot_order_make(&order, c->arena, source.found, error);
    if (result == BW_OK)
        result = bwi_pivot_sheet_make(&sheet, c->arena, source.found, &order, &baked, error);
    if (result == BW_OK)
        result =
            bwi_metric_pivot(&c->report->pivot.error, source.found, sheet.elements, &c->bake, &c->call->mem, error);
    if (result == BW_OK) {
        const bool same = bwi_compare_sources(source.scene, m->source.data, m->source.count, &warnings);
        c->report->compared = true;
        if (same)
            compare_errors(&c->report->pivot.error, &m->facts.error, c->findings);
        else if (c->report->pivot.error.wrong_parent_count)
            bwi_warn(c->findings, "wrong-parent", c->report->pivot.error.wrong_parent_count,
                     "elements hang on others than in the source", "%s", opts->against);
        result = bwi_report_warnings(&c->report->warnings, source.scene->warnings, &warnings, c->report->arena, error);
    }
    if (result == BW_OK)
        result = keep_bound(c, source.found, error);
    bwi_pivot_source_end(&source);
    return result;
}

static bw_result check_options(const bw_verify_opts *opts, bw_error *error) {
    if (!opts->anim.count && !opts->max_between.unit)
        return BW_OK;
    return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                    "--%s is for bakes of frames, and this is one of pivots; leave it out",
                    opts->anim.count ? "anim" : "max-between");
}

bw_result bwi_verify_pivot(bw_verify_report *report, bwi_call *call, bwi_arena *arena, const char *path,
                           const bw_verify_opts *opts, bwi_warnings *findings, bw_error *error) {
    checking c = {report, call, arena, path, bwi_path_folder(arena, path), opts, findings, NULL, {0}};
    bw_result result = c.folder ? check_options(opts, error) : bwi_fail_memory(error, path, &call->mem, 0);
    if (result == BW_OK)
        result = bwi_pivot_manifest_read(&c.manifest, arena, path, error);
    if (result != BW_OK)
        return result;
    result = bwi_pivot_bake_read(&c.bake, arena, c.folder, c.manifest, &call->env, findings, error);
    if (result == BW_OK) {
        report->family = "pivot";
        report->vertex_count = c.manifest->vertex_count;
        result = bwi_pivot_facts_copy(&report->pivot, report->arena, c.manifest)
                     ? BW_OK
                     : bwi_fail_memory(error, path, bwi_arena_mem(report->arena), 0);
        report->pivot.error = (bw_pivot_error){0};
        report->bounds_kept = result == BW_OK;
    }
    if (result == BW_OK && opts->against)
        result = compare(&c, error);
    return result;
}
