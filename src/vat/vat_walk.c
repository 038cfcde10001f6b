/* SPDX-License-Identifier: MIT
 * Frames in parallel: what encoders and measures need of each, evaluated by a sampler a thread. */
#include "vat/vat_priv.h"

bool bwi_all_finite(const float *values, size_t count) {
    float sum = 0.0f;
    for (size_t i = 0; i < count; ++i)
        sum += values[i] * 0.0f; /* 0 for finite values, NaN else */
    return sum == 0.0f;
}

typedef struct walk_worker {
    bwi_sampler *sampler;
    float *floats;
    bwi_mat4 *poses;
    void *scratch;
} walk_worker;

typedef struct frame_walk {
    const bwi_vat_plan *plan;
    uint32_t first;
    unsigned what;
    walk_worker *workers;
    bwi_frame_fn fn;
    void *ctx;
    bwi_progress *progress;
} frame_walk;

static bw_result visit(void *ctx, size_t index, uint32_t worker_index, bw_error *error) {
    const frame_walk *walk = ctx;
    const walk_worker *w = &walk->workers[worker_index];
    const size_t v = walk->plan->list->vertex_count;
    bwi_frame frame = {.scratch = w->scratch};
    frame.clip = bwi_vat_clip_of_frame(walk->plan, walk->first + (uint32_t)index, &frame.local);
    if (walk->what & BWI_WALK_POSES) {
        frame.poses = w->poses;
        bwi_palette_pose(w->poses, walk->plan, w->sampler, frame.clip, frame.local, w->floats);
    }
    if (walk->what & BWI_WALK_POSITIONS) {
        frame.positions = w->floats;
        frame.normals = walk->what & BWI_WALK_NORMALS ? w->floats + 3 * v : NULL;
        frame.tangents = walk->what & BWI_WALK_TANGENTS ? w->floats + 6 * v : NULL;
        bwi_vat_sample(walk->plan, w->sampler, frame.clip, frame.local, frame.positions, frame.normals, frame.tangents);
    }
    bw_result result = bwi_sampler_status(w->sampler, error);
    if (result == BW_OK)
        result = walk->fn(walk->ctx, index, &frame, error);
    if (result != BW_OK)
        return result;
    return bwi_progress_step(walk->progress, 1) ? BW_OK : bwi_fail_cancelled(error);
}

bw_result bwi_walk_frames(const bwi_vat_plan *plan, uint32_t first, uint32_t count, unsigned what, size_t scratch_size,
                          bwi_frame_fn fn, void *ctx, const bwi_env *env, bw_error *error) {
    const bool fits_bones = (what & BWI_WALK_POSES) && plan->palette->members; /* found from the vertices */
    const size_t v = plan->list->vertex_count, bones = what & BWI_WALK_POSES ? plan->palette->bone_count : 0;
    const size_t floats = (what & BWI_WALK_POSITIONS || fits_bones ? 3U : 0U) +
                          (what & (BWI_WALK_NORMALS | BWI_WALK_TANGENTS) ? 3U : 0U) +
                          (what & BWI_WALK_TANGENTS ? 4U : 0U);
    frame_walk walk = {plan, first, what, NULL, fn, ctx, env->progress};
    bw_result result = BW_OK;
    walk.workers = bwi_alloc(env->mem, env->thread_count, sizeof *walk.workers);
    if (!walk.workers)
        result = bwi_fail_memory(error, NULL, env->mem, env->thread_count * sizeof *walk.workers);
    for (uint32_t t = 0; result == BW_OK && t < env->thread_count; ++t) {
        walk_worker *w = &walk.workers[t];
        result = bwi_sampler_create(&w->sampler, plan->list, env->mem, error);
        w->floats = bwi_alloc(env->mem, v, floats * sizeof *w->floats);
        w->poses = bwi_alloc(env->mem, bones, sizeof *w->poses);
        w->scratch = bwi_alloc(env->mem, scratch_size, 1);
        if (result == BW_OK && (!w->floats || !w->poses || !w->scratch))
            result = bwi_fail_memory(error, NULL, env->mem,
                                     v * floats * sizeof *w->floats + bones * sizeof *w->poses + scratch_size);
    }
    if (result == BW_OK)
        result = bwi_parallel_for(env, count, visit, &walk, error);
    for (uint32_t t = 0; walk.workers && t < env->thread_count; ++t) {
        walk_worker *w = &walk.workers[t];
        bwi_sampler_free(w->sampler);
        bwi_free(env->mem, w->floats);
        bwi_free(env->mem, w->poses);
        bwi_free(env->mem, w->scratch);
    }
    bwi_free(env->mem, walk.workers);
    return result;
}
