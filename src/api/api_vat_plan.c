/* SPDX-License-Identifier: MIT
 * From a way to bake to its plan: clips, tracks, bones, sizes. */
#include "api/api_vat.h"

bool bwi_vat_rejects(bw_result result) {
    return result == BW_ERR_UNSUPPORTED || result == BW_ERR_TOO_LARGE || result == BW_ERR_MALFORMED;
}

static bw_result choose_clips(bwi_vat_motion *motion, bwi_vat_source *source, bw_error *error) {
    bwi_vat_plan *plan = &motion->plan;
    bw_result result = bwi_vat_choose_clips(&plan->clips, &plan->clip_count, source->arena, source->scene,
                                            &plan->settings, source->opts, &motion->warnings, error);
    if (result == BW_ERR_NO_CLIP)
        return bwi_advise_no_clip(source->call, source->arena, source->scene, error);
    return result == BW_OK ? bwi_vat_choose_tracks(plan, source->arena, source->opts, error) : result;
}

static bw_result find_bones(bwi_vat_motion *motion, bwi_vat_source *source, bw_error *error) {
    switch (motion->mode) {
    case BW_VAT_MODE_BONE:
        return bwi_vat_palette_of_skins(&motion->plan, source->arena, &source->call->env, &motion->warnings, error);
    case BW_VAT_MODE_RIGID:
        return bwi_vat_palette_of_pieces(&motion->plan, source->arena, &source->call->env, &motion->warnings, error);
    default:
        return BW_OK;
    }
}

bw_result bwi_vat_motion_make(bwi_vat_motion *motion, bwi_vat_source *source, const bwi_vat_candidate *candidate,
                              bw_error *error) {
    bwi_vat_plan *plan = &motion->plan;
    *motion = (bwi_vat_motion){.mode = candidate->mode, .rate_divisor = candidate->rate_divisor};
    bwi_warnings_init(&motion->warnings, source->arena);
    plan->list = source->list;
    plan->levels = (const bwi_vertex_list *const *)source->levels.lists;
    plan->level_count = (uint32_t)source->levels.count;
    bw_result result = bwi_vat_resolve(&plan->settings, source->opts, candidate, source->list->has_normals,
                                       source->list->has_tangents, error);
    if (result == BW_OK)
        result = choose_clips(motion, source, error);
    if (result != BW_OK)
        return result;
    result = find_bones(motion, source, &motion->failure);
    if (result == BW_OK || bwi_vat_rejects(result)) {
        motion->failure.result = result;
        return BW_OK;
    }
    if (error)
        *error = motion->failure;
    return result;
}

/* What the GPU holds. */
static uint64_t bytes_of(const bwi_vat_plan *plan) {
    const size_t influence = 2 * sizeof(uint16_t); /* a joint and its weight in the mesh */
    const bwi_vat_settings *s = &plan->settings;
    const bool in_mesh = plan->palette && s->mode == BW_VAT_MODE_BONE && s->skin_in == BW_VAT_SKIN_IN_MESH;
    return plan->texture_bytes +
           (in_mesh ? (uint64_t)plan->list->vertex_count * plan->palette->influence_count * influence : 0);
}

bw_result bwi_vat_trial_size(bwi_vat_trial *trial, bw_error *error) {
    bwi_vat_source *source = trial->source;
    bwi_vat_plan *plan = &trial->plan;
    trial->arena = bwi_arena_create(&source->call->mem);
    if (!trial->arena)
        return bwi_fail_memory(error, NULL, &source->call->mem, 0);
    bwi_warnings_init(&trial->warnings, trial->arena);
    *plan = trial->motion->plan;
    plan->clips = bwi_arena_alloc(trial->arena, plan->clip_count, sizeof *plan->clips);
    if (!plan->clips)
        return bwi_fail_memory(error, NULL, &source->call->mem, plan->clip_count * sizeof *plan->clips);
    for (uint32_t c = 0; c < plan->clip_count; ++c) /* measuring closes them */
        plan->clips[c] = trial->motion->plan.clips[c];
    bw_result result = bwi_vat_resolve(&plan->settings, source->opts, &trial->candidate, source->list->has_normals,
                                       source->list->has_tangents, error);
    if (result == BW_OK)
        result = bwi_vat_layout(plan, trial->arena, error);
    trial->bytes = result == BW_OK ? bytes_of(plan) : 0;
    return result;
}

bw_result bwi_vat_trial_plan(bwi_vat_trial *trial, bw_error *error) {
    const bwi_env *env = &trial->source->call->env;
    bwi_vat_plan *plan = &trial->plan;
    bw_result result = bwi_vat_rest(plan, trial->arena, error);
    if (result == BW_OK)
        result = bwi_vat_track_root(plan, trial->arena, env, error);
    if (result == BW_OK)
        result = bwi_vat_measure(plan, env, error);
    if (result == BW_OK && plan->palette)
        result = bwi_vat_measure_bones(plan, trial->arena, env, &trial->warnings, error);
    if (result == BW_OK)
        result = bwi_vat_track_attachments(plan, trial->arena, env, &trial->warnings, error);
    if (result == BW_OK)
        result = bwi_vat_layout(plan, trial->arena, error); /* again: clips may have been closed */
    if (result != BW_OK)
        return result;
    trial->bytes = bytes_of(plan);
    trial->planned = true;
    return BW_OK;
}
