/* SPDX-License-Identifier: MIT
 * Elements of a scene, found without baking them. */
#include "api/api_pivot.h"

/* Takes the plan and the scene it points into out of what was read. */
static bw_result take(bw_pivot_plan **plan, bwi_pivot_source *source, const bwi_warnings *warnings, bw_error *error) {
    bw_pivot_plan *found = source->found;
    bw_result result = bwi_report_warnings(&found->warnings, source->scene->warnings, warnings, found->arena, error);
    if (result == BW_OK) {
        *plan = found;
        source->found = NULL;
        source->scene = NULL;
    }
    return result;
}

bw_result bw_pivot_plan_make(bw_pivot_plan **plan, const char *scene_path, const bw_pivot_opts *opts, bw_error *error) {
    static const bw_pivot_opts defaults = {0};
    const bw_pivot_opts *o = opts ? opts : &defaults;
    const bwi_named_files none = {0};
    bwi_call call = {0};
    bwi_arena *scratch = NULL;
    bwi_pivot_source source = {0};
    bwi_warnings warnings;
    bw_result result = bw_options_check(bw_pivot_options(), o, error);
    if (result != BW_OK)
        return result;
    result = bwi_call_begin(&call, &o->run, error);
    if (result == BW_OK && !(scratch = bwi_arena_create(&call.mem)))
        result = bwi_fail_memory(error, scene_path, &call.mem, 0);
    if (result == BW_OK) {
        bwi_warnings_init(&warnings, scratch);
        result = bwi_pivot_source_load(&source, &call, scratch, scene_path, &none, o,
                                       o->materials == BW_VAT_MATERIALS_NONE, &warnings, error);
    }
    if (result == BW_OK)
        result = take(plan, &source, &warnings, error);
    bwi_pivot_source_end(&source);
    bwi_arena_free(scratch);
    bwi_call_end(&call);
    return result;
}

void bw_free_pivot_plan(bw_pivot_plan *plan) {
    if (!plan || !plan->arena)
        return;
    bw_free_scene((bw_scene *)plan->scene); /* the plan's own, const to its readers */
    bwi_pivot_plan_free(plan);
}
