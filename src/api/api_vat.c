/* SPDX-License-Identifier: MIT
 * bw_vat_bake: read, choose, measure, encode, write, read back, compare, appear. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api_vat.h"

/* A dry run writes and reads as a bake does, into a folder that nobody sees. */
static bw_result make_scratch(bwi_vat_source *source, bw_error *error) {
    const char *given = getenv("TMPDIR"), *folder = given && given[0] ? given : "/tmp";
    char *path = bwi_path_join(source->arena, folder, "bakewell-XXXXXX");
    if (!path)
        return bwi_fail_memory(error, NULL, &source->call->mem, 0);
    if (!mkdtemp(path))
        return bwi_fail(error, BW_ERR_FILE_WRITE, folder, -1,
                        "--dry-run cannot make a folder here for its files: %s; set TMPDIR to one that can be written",
                        strerror(errno));
    source->scratch = path;
    return BW_OK;
}

static bool is_current(bw_vat_report *report, bwi_vat_source *source) {
    const bw_write_opts *write = &source->opts->write;
    if (write->force || write->dry_run ||
        !bwi_vat_is_current(report, source->call, source->arena, source->scene_path, source->out_dir,
                            source->manifest_file, source->opts))
        return false;
    bwi_outputs_sweep(source->out_dir, source->set, &source->call->mem);
    return true;
}

static bw_result run_bake(bw_vat_report *report, bwi_vat_source *source, bw_error *error) {
    bw_result result = bwi_vat_source_name(source, error);
    if (result != BW_OK)
        return result;
    if (is_current(report, source)) {
        result =
            bwi_check_bounds(&report->error, source->opts->max_error, source->opts->max_between, source->opts->layout,
                             bwi_finer(source->opts, report->bone_count), report->manifest, error);
        report->bounds_kept = result == BW_OK;
        return result;
    }
    result = bwi_vat_source_load(source, error);
    if (result == BW_OK && source->opts->write.dry_run)
        result = make_scratch(source, error);
    return result == BW_OK ? bwi_vat_choose(report, source, error) : result;
}

bw_result bw_vat_bake(bw_vat_report **report, const char *scene_path, const char *out_dir, const bw_vat_opts *opts,
                      bw_error *error) {
    const bw_vat_opts defaults = {0};
    opts = opts ? opts : &defaults;
    bw_result result = bw_options_check(bw_vat_options(), opts, error);
    if (result == BW_OK)
        result = bw_options_check(bw_write_options(), &opts->write, error);
    if (result != BW_OK)
        return result;
    bwi_call call;
    bwi_arena *kept = bwi_arena_create_owning(opts->run.memory_limit);
    bw_vat_report *out = kept ? bwi_arena_alloc(kept, 1, sizeof *out) : NULL;
    result = bwi_call_begin(&call, &opts->run, error);
    bwi_vat_source source = {.call = &call,
                             .own_opts = *opts,
                             .scene_path = scene_path,
                             .out_dir = out_dir ? out_dir : ".",
                             .arena = result == BW_OK ? bwi_arena_create(&call.mem) : NULL};
    if (result == BW_OK && (!out || !source.arena))
        result = bwi_fail_memory(error, scene_path, &call.mem, sizeof *out);
    if (result == BW_OK) {
        out->arena = kept;
        source.opts = &source.own_opts;
        bwi_warnings_init(&source.warnings, source.arena);
        result = run_bake(out, &source, error);
    }
    bwi_vat_source_end(&source);
    bwi_call_end(&call);
    if (result == BW_OK || result == BW_ERR_BOUND_MISSED) {
        *report = out;
        return result;
    }
    bwi_arena_free(kept);
    return result;
}

void bw_free_vat_report(bw_vat_report *report) {
    if (report)
        bwi_arena_free(report->arena);
}
