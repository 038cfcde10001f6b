/* SPDX-License-Identifier: MIT
 * The first walk over every frame: exact bounds, and which clips end where they begin. */
#include <float.h>
#include <string.h>

#include "base/math.h"
#include "vat/vat_priv.h"

/* End pose against start pose, as a part of the clip's diagonal (DESIGN §3). */
#define LOOP_TOLERANCE 1e-4

typedef struct frame_bounds {
    float min[3], max[3];
    float offset_min[3], offset_max[3]; /* of the way from the rest pose, where the layout stores that */
} frame_bounds;

typedef struct walk {
    const bwi_vat_plan *plan;
    frame_bounds *frames; /* [N]: reduced in order afterwards */
} measure_walk;

static void bound(frame_bounds *box, const float *positions, size_t count) {
    for (int k = 0; k < 3; ++k)
        box->min[k] = box->max[k] = positions[k];
    for (size_t i = 1; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const float p = positions[3 * i + (size_t)k];
            box->min[k] = p < box->min[k] ? p : box->min[k];
            box->max[k] = p > box->max[k] ? p : box->max[k];
        }
}

static void bound_offsets(frame_bounds *box, const float *positions, const float *rest, size_t count) {
    for (size_t k = 0; k < 3; ++k)
        box->offset_min[k] = box->offset_max[k] = positions[k] - rest[k];
    for (size_t i = 1; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) {
            const float offset = positions[3 * i + k] - rest[3 * i + k];
            box->offset_min[k] = offset < box->offset_min[k] ? offset : box->offset_min[k];
            box->offset_max[k] = offset > box->offset_max[k] ? offset : box->offset_max[k];
        }
}

static bw_result measure_frame(void *ctx, size_t index, const bwi_frame *frame, bw_error *error) {
    const measure_walk *walk = ctx;
    const bwi_vat_plan *plan = walk->plan;
    const bwi_manifest_clip *clip = &frame->clip->out;
    if (!bwi_all_finite(frame->positions, 3 * (size_t)plan->list->vertex_count))
        return bwi_fail(error, BW_ERR_MALFORMED, plan->list->scene->path, -1,
                        "clip '%s' moves vertices beyond what a float can hold at %g s; check its scale keys",
                        clip->name, bwi_manifest_clip_time(plan->settings.layout, clip, frame->local));
    bound(&walk->frames[index], frame->positions, plan->list->vertex_count);
    if (plan->rest)
        bound_offsets(&walk->frames[index], frame->positions, plan->rest, plan->list->vertex_count);
    return BW_OK;
}

/* From the first pose of each clip to its last.  Out: gaps — [clips], in the engine's unit. */
static bw_result measure_loops(double *gaps, const bwi_vat_plan *plan, const bwi_env *env, bw_error *error) {
    const size_t v = plan->list->vertex_count;
    float *first = bwi_alloc(env->mem, v, 3 * sizeof *first), *last = bwi_alloc(env->mem, v, 3 * sizeof *last);
    bwi_sampler *sampler = NULL;
    bw_result result = first && last ? bwi_sampler_create(&sampler, plan->list, env->mem, error)
                                     : bwi_fail_memory(error, NULL, env->mem, v * 3 * sizeof *first);
    for (uint32_t c = 0; result == BW_OK && c < plan->clip_count; ++c) {
        double most = 0.0;
        bwi_vat_sample(plan, sampler, &plan->clips[c], 0, first, NULL, NULL);
        bwi_vat_sample_end(plan, sampler, &plan->clips[c], last);
        for (size_t i = 0; i < v; ++i) {
            double square = 0.0;
            for (size_t k = 0; k < 3; ++k) {
                const double delta = (double)last[3 * i + k] - (double)first[3 * i + k];
                square += delta * delta;
            }
            most = square > most ? square : most;
        }
        gaps[c] = bwi_sqrt(most);
        result = bwi_progress_cancelled(env->progress) ? bwi_fail_cancelled(error) : bwi_sampler_status(sampler, error);
    }
    bwi_sampler_free(sampler);
    bwi_free(env->mem, first);
    bwi_free(env->mem, last);
    return result;
}

static void bound_clip(bwi_manifest_clip *out, const frame_bounds *frames) {
    memcpy(out->bounds_min, frames[0].min, sizeof out->bounds_min);
    memcpy(out->bounds_max, frames[0].max, sizeof out->bounds_max);
    for (uint32_t f = 1; f < out->frame_count; ++f)
        for (int k = 0; k < 3; ++k) {
            out->bounds_min[k] = frames[f].min[k] < out->bounds_min[k] ? frames[f].min[k] : out->bounds_min[k];
            out->bounds_max[k] = frames[f].max[k] > out->bounds_max[k] ? frames[f].max[k] : out->bounds_max[k];
        }
}

/* OpenVAT's players go from the last frame of a loop to its first one, so the pose that both would show is stored once. */
static void open_loop(bwi_manifest_clip *out, bool closes_itself) {
    if (closes_itself) {
        out->source_end_s = bwi_manifest_clip_time(BW_VAT_LAYOUT_OPENVAT, out, out->frame_count - 2);
        out->frame_count -= 1;
    }
    out->duration_s = (double)out->frame_count / out->rate_fps;
}

/* A clip that is made to loop takes one more step, from its last frame to the pose of its first: the track holds an entry for it. */
static void step_to_start(bwi_root_track *root, uint32_t frame_count) {
    if (!root->node)
        return;
    memcpy(root->cycle_translation, root->translation + 3 * (size_t)frame_count, sizeof root->cycle_translation);
    root->cycle_yaw_rad = root->yaw_rad[frame_count];
}

static void finish_clip(bwi_vat_plan *plan, uint32_t c, const measure_walk *walk, double gap) {
    bwi_vat_clip *clip = &plan->clips[c];
    bwi_manifest_clip *out = &clip->out;
    const frame_bounds *frames = &walk->frames[out->first_frame];
    bound_clip(out, frames);
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double side = (double)out->bounds_max[k] - (double)out->bounds_min[k];
        square += side * side;
    }
    const double diagonal = bwi_sqrt(square);
    const bool closes_itself = gap <= LOOP_TOLERANCE * diagonal;
    clip->diagonal = diagonal / (double)bwi_vat_space(&plan->settings)->scale;
    out->loop = out->frame_count > 1 && plan->settings.loop != BW_VAT_LOOP_NO &&
                (closes_itself || plan->settings.loop == BW_VAT_LOOP_YES);
    if (out->loop && !closes_itself)
        step_to_start(&out->root, out->frame_count);
    if (out->loop && plan->settings.layout == BW_VAT_LAYOUT_OPENVAT) {
        open_loop(out, closes_itself);
        bound_clip(out, frames);
    } else if (out->loop && !closes_itself) {
        out->closed = true;
        out->frame_count += 1;
        out->duration_s = (double)(out->frame_count - 1) / out->rate_fps;
    }
}

/* Over the frames that are stored. */
static void finish_offsets(bwi_vat_plan *plan, const measure_walk *walk) {
    memcpy(plan->offset_min, walk->frames[0].offset_min, sizeof plan->offset_min);
    memcpy(plan->offset_max, walk->frames[0].offset_max, sizeof plan->offset_max);
    for (uint32_t c = 0; c < plan->clip_count; ++c) {
        const bwi_manifest_clip *clip = &plan->clips[c].out;
        for (uint32_t f = clip->first_frame; f < clip->first_frame + clip->frame_count; ++f)
            for (int k = 0; k < 3; ++k) {
                const float low = walk->frames[f].offset_min[k], high = walk->frames[f].offset_max[k];
                plan->offset_min[k] = low < plan->offset_min[k] ? low : plan->offset_min[k];
                plan->offset_max[k] = high > plan->offset_max[k] ? high : plan->offset_max[k];
            }
    }
    bwi_openvat_round_bounds(plan->offset_min, plan->offset_max);
}

/* What a decoder computes with, must hold in the floats of the container. */
static bw_result check_range(const bwi_vat_plan *plan, const bwi_manifest_clip *clip, bw_error *error) {
    const bool half = plan->settings.format->type == BWI_TEXEL_F16 && !plan->rest;
    for (int k = 0; k < 3; ++k) {
        const float low = clip->bounds_min[k], high = clip->bounds_max[k];
        const float reach = high > -low ? high : -low;
        if (half && reach > BWI_LARGEST_HALF)
            return bwi_fail(error, BW_ERR_TOO_LARGE, plan->list->scene->path, -1,
                            "clip '%s' reaches %g %s from the origin, half floats end at %g; use --format=%s",
                            clip->name, (double)reach, bwi_vat_space(&plan->settings)->name.unit,
                            (double)BWI_LARGEST_HALF,
                            plan->settings.format->container == BWI_CONTAINER_EXR ? "exr32" : "ktx2-f32");
        if (!(high - low <= FLT_MAX))
            return bwi_fail(error, BW_ERR_MALFORMED, plan->list->scene->path, -1,
                            "clip '%s' extends from %g to %g, farther than a float can hold; check its scale keys",
                            clip->name, (double)low, (double)high);
    }
    return BW_OK;
}

bw_result bwi_vat_measure(bwi_vat_plan *plan, const bwi_env *env, bw_error *error) {
    measure_walk walk = {plan, bwi_alloc(env->mem, plan->frame_count, sizeof *walk.frames)};
    double *gaps = bwi_alloc(env->mem, plan->clip_count, sizeof *gaps);
    bw_result result = BW_OK;
    if (!walk.frames || !gaps)
        result = bwi_fail_memory(error, NULL, env->mem, plan->frame_count * sizeof *walk.frames);
    if (result == BW_OK) {
        bwi_progress_begin(env->progress, "measure", plan->frame_count);
        result = bwi_walk_frames(plan, 0, plan->frame_count, BWI_WALK_POSITIONS, 0, measure_frame, &walk, env, error);
    }
    if (result == BW_OK)
        result = measure_loops(gaps, plan, env, error);
    for (uint32_t c = 0; result == BW_OK && c < plan->clip_count; ++c) {
        finish_clip(plan, c, &walk, gaps[c]);
        result = check_range(plan, &plan->clips[c].out, error);
    }
    if (result == BW_OK && plan->rest)
        finish_offsets(plan, &walk);
    bwi_free(env->mem, gaps);
    bwi_free(env->mem, walk.frames);
    return result;
}
