/* SPDX-License-Identifier: MIT
 * Elements of a scene, found without baking them. */
#include "api/api_priv.h"
#include "pivot/pivot.h"

static bw_result find(bw_pivot_plan **out, bwi_call *call, bwi_arena *scratch, const bw_scene *scene,
                      const bw_pivot_opts *opts, bw_error *error) {
    bwi_warnings warnings;
    bw_pivot_plan *plan = NULL;
    bwi_warnings_init(&warnings, scratch);
    bw_result result = bwi_pivot_find(&plan, scene, opts, &call->env, &warnings, error);
    if (result == BW_OK)
        result = bwi_report_warnings(&plan->warnings, scene->warnings, &warnings, plan->arena, error);
    if (result != BW_OK) {
        bwi_pivot_plan_free(plan);
        return result;
    }
    *out = plan;
    return BW_OK;
}

bw_result bw_pivot_plan_make(bw_pivot_plan **plan, const char *scene_path, const bw_pivot_opts *opts, bw_error *error) {
    static const bw_pivot_opts defaults = {0};
    const bw_pivot_opts *o = opts ? opts : &defaults;
    const bwi_named_files none = {0};
    const bw_vat_opts read = {.up = o->up, .units = o->units};
    bwi_call call = {0};
    bw_scene *scene = NULL;
    bwi_arena *scratch = NULL;
    bw_result result = bw_options_check(bw_pivot_options(), o, error);
    if (result != BW_OK)
        return result;
    result = bwi_call_begin(&call, &o->run, error);
    if (result == BW_OK && !(scratch = bwi_arena_create(&call.mem)))
        result = bwi_fail_memory(error, scene_path, &call.mem, 0);
    if (result == BW_OK)
        result = bwi_call_load_scene(&scene, &call, scene_path, &none, &read, &o->run,
                                     o->materials == BW_VAT_MATERIALS_NONE, error);
    if (result == BW_OK)
        result = find(plan, &call, scratch, scene, o, error);
    if (result != BW_OK)
        bw_free_scene(scene);
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
