/* SPDX-License-Identifier: MIT
 * How far pieces turn from one frame to the next, and the rate at which that stays below what a mix of two rotations shows. */
#include <string.h>

#include "vat/vat_priv.h"

/* Beyond it the mix of two quaternions lags, and from half a turn on goes round the other way. */
#define LARGEST_TURN (BWI_PI * 2.0 / 3.0)

/* What turns too far even so does not turn but jumps: two keys side by side are meant as a step. */
#define LARGEST_RATE 480.0

/* Keys nearer than this are one. */
#define LEAST_SPACING 5e-4

/* What is smaller than this part of the mesh as written has vanished. */
#define LEAST_SCALE 1e-3

enum { MOST_SAMPLES = 1024, MOST_FRAMES = 1 << 30 };

typedef struct turn_worker {
    bwi_sampler *sampler;
    float *positions;
    bwi_mat4 *poses, *before; /* [B] */
    double *turned;           /* [B] */
} turn_worker;

typedef struct turn_walk {
    const bwi_vat_plan *plan;
    const bwi_vat_clip *clip;
    const bool *used; /* [B] bones of vertices */
    turn_worker *workers;
    uint32_t samples;  /* steps that an interval is looked at in */
    uint32_t divisor;  /* largest that the rate may grow by */
    bool *fast;        /* [intervals] a higher rate helps */
    uint32_t *jumping; /* [intervals] bone that no rate helps; BW_NO_INDEX: none */
    double allowed;    /* metres; of fitted pieces */
    uint8_t bends;     /* set by any thread */
} turn_walk;

/* Linear parts alone: what turns in glTF's space turns as far in every other. */
static void pose_at(const turn_walk *walk, turn_worker *w, double time_s) {
    const bwi_palette *palette = walk->plan->palette;
    if (palette->members) {
        bwi_sampler_evaluate(w->sampler, &walk->clip->mix, time_s, w->positions, NULL, NULL);
        bwi_space_map_positions(w->positions, w->positions, walk->plan->list->vertex_count,
                                bwi_vat_space(&walk->plan->settings));
        bwi_fit_poses(w->poses, walk->plan, w->positions);
    } else {
        bwi_sampler_pose(w->sampler, &walk->clip->mix, time_s);
    }
    const double *worlds = bwi_sampler_world_matrices(w->sampler);
    for (uint32_t b = 0; b < palette->bone_count; ++b) {
        const bwi_bone *bone = &palette->bones[b];
        bwi_mat4 world = bwi_mat4_identity();
        if (bone->fitted)
            continue;
        if (bone->node != BW_NO_INDEX)
            memcpy(world.m, worlds + 16 * (size_t)bone->node, sizeof world.m);
        w->poses[b] = bwi_mat4_mul(&world, &bone->bind);
    }
}

/* Angle between the rotations of two matrices; 0 where one has vanished. */
static double angle_between(const bwi_mat4 *a, const bwi_mat4 *b) {
    double aa = 0.0, bb = 0.0, ab = 0.0;
    for (int k = 0; k < 11; ++k) /* the fourth of each column is 0 */
        if (k % 4 != 3) {
            aa += a->m[k] * a->m[k];
            bb += b->m[k] * b->m[k];
            ab += a->m[k] * b->m[k];
        }
    const double scale_a = bwi_sqrt(aa / 3.0), scale_b = bwi_sqrt(bb / 3.0);
    if (!(scale_a > LEAST_SCALE && scale_b > LEAST_SCALE))
        return 0.0;
    return bwi_acos(0.5 * (ab / (scale_a * scale_b) - 1.0));
}

/* Follows all bones through a span.  Returns the lowest that turns too far on the way; BW_NO_INDEX: none does. */
static uint32_t follow(const turn_walk *walk, turn_worker *w, double from_s, double to_s, uint32_t samples) {
    const uint32_t count = walk->plan->palette->bone_count;
    memset(w->turned, 0, count * sizeof *w->turned);
    for (uint32_t k = 0; k <= samples; ++k) {
        pose_at(walk, w, k == samples ? to_s : from_s + (to_s - from_s) * k / samples);
        for (uint32_t b = 0; k > 0 && b < count; ++b)
            if (walk->used[b] && (w->turned[b] += angle_between(&w->before[b], &w->poses[b])) > LARGEST_TURN)
                return b;
        memcpy(w->before, w->poses, count * sizeof *w->before);
    }
    return BW_NO_INDEX;
}

static double time_of(const turn_walk *walk, size_t frame) {
    return bwi_manifest_clip_time(walk->plan->settings.layout, &walk->clip->out, (uint32_t)frame);
}

static bw_result look_at_interval(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    const turn_walk *walk = ctx;
    turn_worker *w = &walk->workers[worker];
    const double from_s = time_of(walk, index), to_s = time_of(walk, index + 1);
    walk->jumping[index] = BW_NO_INDEX;
    if (bwi_sampler_steps_between(w->sampler, &walk->clip->mix, from_s, to_s) ||
        follow(walk, w, from_s, to_s, walk->samples) == BW_NO_INDEX)
        return bwi_sampler_status(w->sampler, error);
    const uint32_t samples = walk->samples / walk->divisor > 2 ? walk->samples / walk->divisor : 2;
    for (uint32_t k = 0; k < walk->divisor && walk->jumping[index] == BW_NO_INDEX; ++k)
        walk->jumping[index] = follow(walk, w, from_s + (to_s - from_s) * k / walk->divisor,
                                      from_s + (to_s - from_s) * (k + 1) / walk->divisor, samples);
    walk->fast[index] = walk->jumping[index] == BW_NO_INDEX;
    return bwi_sampler_status(w->sampler, error);
}

static double least_gap(const bw_cache *cache, double least) {
    for (uint32_t k = 1; cache && k < cache->sample_count; ++k) {
        const double gap = cache->times_s[k] - cache->times_s[k - 1];
        least = gap < least && gap > LEAST_SPACING ? gap : least;
    }
    return least;
}

/* So many steps that no key is passed over, and a few more: rotations between two keys take the short way round. */
static uint32_t samples_of(const bwi_vat_plan *plan, const bwi_vat_clip *clip, double interval_s) {
    const bw_scene *scene = plan->list->scene;
    double spacing = interval_s;
    for (size_t i = 0; i < scene->nodes.count; ++i)
        spacing = least_gap(scene->nodes.data[i].matrix_cache, spacing);
    for (uint32_t p = 0; p < plan->list->part_count; ++p) {
        const bwi_part *part = &plan->list->parts[p];
        spacing = least_gap(scene->meshes.data[part->mesh].primitives.data[part->primitive].position_cache, spacing);
    }
    for (size_t i = 0; i < clip->mix.count; ++i)
        for (size_t c = 0; c < clip->mix.clips[i]->channels.count; ++c) {
            const bw_channel *channel = &clip->mix.clips[i]->channels.data[c];
            if (channel->path != BW_CHANNEL_ROTATION && channel->path != BW_CHANNEL_WEIGHTS)
                continue;
            for (uint32_t k = 1; k < channel->key_count; ++k) {
                const double gap = (double)channel->times_s[k] - (double)channel->times_s[k - 1];
                spacing = gap < spacing && gap > LEAST_SPACING ? gap : spacing;
            }
        }
    bool turns = false; /* else vertices are mixed between keys, which takes the short way round by itself */
    for (uint32_t b = 0; b < plan->palette->bone_count; ++b)
        turns = turns || plan->palette->bones[b].node != BW_NO_INDEX;
    const double samples = (turns ? 3.0 : 1.0) * interval_s / spacing + 0.5;
    return samples < (double)MOST_SAMPLES ? (uint32_t)samples : MOST_SAMPLES;
}

/* One look at every interval of the clip.  Out: fast — a higher rate helps; jumps — intervals that none does; when the first begins, its bone. */
typedef struct findings {
    bool fast;
    uint32_t jumps, bone;
    double first_jump_s;
} findings;

static bw_result look_at_clip(findings *out, turn_walk *walk, const bwi_env *env, bw_error *error) {
    const size_t count = walk->clip->out.frame_count - 1;
    const double interval_s = 1.0 / walk->clip->out.rate_fps;
    walk->samples = samples_of(walk->plan, walk->clip, interval_s);
    walk->divisor = 1;
    while (walk->clip->out.rate_fps * 2.0 * walk->divisor <= LARGEST_RATE && count * 2 * walk->divisor < MOST_FRAMES)
        walk->divisor *= 2;
    walk->fast = bwi_alloc(env->mem, count, sizeof *walk->fast);
    walk->jumping = bwi_alloc(env->mem, count, sizeof *walk->jumping);
    bw_result result = walk->fast && walk->jumping ? bwi_parallel_for(env, count, look_at_interval, walk, error)
                                                   : bwi_fail_memory(error, NULL, env->mem, count * 5);
    *out = (findings){false, 0, 0, 0.0};
    for (uint32_t k = 0; result == BW_OK && k < count; ++k) {
        out->fast = out->fast || walk->fast[k];
        if (walk->jumping[k] == BW_NO_INDEX)
            continue;
        out->first_jump_s = out->jumps ? out->first_jump_s : time_of(walk, k); /* the rate may be taken back */
        out->bone = out->jumps++ ? out->bone : walk->jumping[k];
    }
    bwi_free(env->mem, walk->jumping);
    bwi_free(env->mem, walk->fast);
    return result;
}

/* Between the frames of a vertex animation a source mixes vertices: pieces that turn shrink and bend there. */
static bw_result look_at_fit(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    turn_walk *walk = ctx;
    turn_worker *w = &walk->workers[worker];
    const bwi_palette *palette = walk->plan->palette;
    pose_at(walk, w, time_of(walk, index));
    for (uint32_t b = 0; b < palette->bone_count; ++b)
        if (palette->bones[b].fitted && !(bwi_fit_error(walk->plan, b, &w->poses[b], w->positions) <= walk->allowed))
            __atomic_store_n(&walk->bends, 1, __ATOMIC_RELAXED);
    return bwi_sampler_status(w->sampler, error);
}

static bw_result raise_clip(bwi_vat_clip *clip, turn_walk *walk, const bwi_env *env, bwi_warnings *warnings,
                            bw_error *error) {
    const double rate_fps = clip->out.rate_fps;
    const uint32_t frame_count = clip->out.frame_count;
    findings found = {.fast = true};
    bw_result result = BW_OK;
    walk->clip = clip;
    while (clip->out.frame_count > 1) {
        result = look_at_clip(&found, walk, env, error);
        if (result != BW_OK || !found.fast || walk->divisor == 1)
            break;
        clip->out.frame_count = 2 * (clip->out.frame_count - 1) + 1;
        clip->out.rate_fps *= 2.0;
    }
    walk->bends = 0;
    if (result == BW_OK && clip->out.rate_fps > rate_fps && walk->plan->palette->members)
        result = bwi_parallel_for(env, clip->out.frame_count, look_at_fit, walk, error);
    if (result == BW_OK && walk->bends) {
        bwi_warn(
            warnings, "rate-kept", 1,
            "pieces turn by more than 120° from one frame to the next, but bend between these frames, so they take "
            "the short way; export more frames a second",
            "clip '%s', %.6g frames a second", clip->out.name, rate_fps);
        clip->out.frame_count = frame_count;
        clip->out.rate_fps = rate_fps;
    }
    if (result == BW_OK && clip->out.rate_fps > rate_fps)
        bwi_warn(warnings, "rate-raised", 1,
                 "pieces turn by more than 120° from one frame to the next, so clips were sampled more often",
                 "clip '%s', from %.6g to %.6g frames a second", clip->out.name, rate_fps, clip->out.rate_fps);
    if (result == BW_OK && clip->out.frame_count > 1 && found.jumps)
        bwi_warn(warnings, "turns-jump", found.jumps,
                 "pieces turn by more than 120° from one frame to the next at any rate, so they take the short way",
                 "clip '%s', piece '%s', at %.4g s", clip->out.name, walk->plan->palette->bones[found.bone].name,
                 found.first_jump_s);
    return result;
}

bw_result bwi_raise_rates(bwi_vat_plan *plan, const double *allowed, const bwi_env *env, bwi_warnings *warnings,
                          bw_error *error) {
    const size_t count = plan->palette->bone_count, v = plan->palette->members ? plan->list->vertex_count : 0;
    bool *used = bwi_alloc(env->mem, count, sizeof *used);
    turn_walk walk = {
        .plan = plan, .used = used, .workers = bwi_alloc(env->mem, env->thread_count, sizeof *walk.workers)};
    bw_result result = used && walk.workers ? BW_OK : bwi_fail_memory(error, NULL, env->mem, count);
    for (size_t i = 0; result == BW_OK && i < plan->list->vertex_count; ++i)
        used[plan->palette->indices[i]] = true;
    for (uint32_t t = 0; result == BW_OK && t < env->thread_count; ++t) {
        turn_worker *w = &walk.workers[t];
        result = bwi_sampler_create(&w->sampler, plan->list, env->mem, error);
        w->positions = bwi_alloc(env->mem, v, 3 * sizeof *w->positions);
        w->poses = bwi_alloc(env->mem, count, sizeof *w->poses);
        w->before = bwi_alloc(env->mem, count, sizeof *w->before);
        w->turned = bwi_alloc(env->mem, count, sizeof *w->turned);
        if (result == BW_OK && (!w->positions || !w->poses || !w->before || !w->turned))
            result = bwi_fail_memory(error, NULL, env->mem, count * 2 * sizeof *w->poses);
    }
    for (uint32_t c = 0; result == BW_OK && c < plan->clip_count; ++c) {
        walk.allowed = allowed ? allowed[c] : 0.0;
        result = raise_clip(&plan->clips[c], &walk, env, warnings, error);
    }
    for (uint32_t t = 0; walk.workers && t < env->thread_count; ++t) {
        turn_worker *w = &walk.workers[t];
        bwi_sampler_free(w->sampler);
        bwi_free(env->mem, w->positions);
        bwi_free(env->mem, w->poses);
        bwi_free(env->mem, w->before);
        bwi_free(env->mem, w->turned);
    }
    bwi_free(env->mem, walk.workers);
    bwi_free(env->mem, used);
    return result;
}
