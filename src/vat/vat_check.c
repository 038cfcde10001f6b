/* SPDX-License-Identifier: MIT
 * How well the pieces of a vertex animation move rigidly, and which pose of theirs the mesh is written in. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vat/vat_priv.h"

/* A piece is written where it is at rest unless it grows to more than this many times that size. */
#define LARGEST_GROWTH 4.0

/* Frames that are looked at first: most of what bends shows it there. */
enum { FIRST_LOOK = 8, NAMED = 3 };

/* What a piece is like over all frames; grown by all threads, as bits of doubles >= 0, which are ordered as they are. */
typedef struct piece_fit {
    uint64_t size;       /* largest, against the mesh as written; of what is a point there the largest reach, metres */
    uint64_t error;      /* largest, metres */
    uint64_t part;       /* largest, of what is allowed */
    uint32_t take_frame; /* the first that shows it in good size */
    bool is_point;       /* as written */
} piece_fit;

typedef struct fit_walk {
    bwi_vat_plan *plan;
    const bwi_palette *palette;
    uint32_t first; /* fitted bone */
    uint32_t count;
    const double *allowed; /* [clips] metres */
    piece_fit *fits;       /* [count] */
    const bwi_mesh_arrays *mesh;
    const bwi_env *env;
    bw_error *error;
    bool samples;        /* only a few frames are walked */
    uint32_t from_frame; /* that a walk's indices count from */
} fit_walk;

static void raise(uint64_t *largest, double value) {
    uint64_t bits, seen = __atomic_load_n(largest, __ATOMIC_RELAXED);
    value = fabs(value);
    memcpy(&bits, &value, sizeof bits);
    while (bits > seen &&
           !__atomic_compare_exchange_n(largest, &seen, bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

static double value_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double size_in_frame(const piece_fit *fit, const bwi_mat4 *pose, double error) {
    const double *m = pose->m;
    return fit->is_point ? error : bwi_sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
}

static bw_result measure_frame(void *ctx, size_t index, const bwi_frame *frame, bw_error *error) {
    fit_walk *w = ctx;
    const double allowed = w->allowed[frame->clip - w->plan->clips];
    bwi_mat4 *poses = frame->scratch;
    (void)index;
    (void)error;
    bwi_fit_poses(poses, w->plan, frame->positions);
    for (uint32_t bone = w->first; bone < w->first + w->count; ++bone) {
        piece_fit *fit = &w->fits[bone - w->first];
        const double off = bwi_fit_error(w->plan, bone, &poses[bone], frame->positions);
        raise(&fit->size, size_in_frame(fit, &poses[bone], off));
        raise(&fit->error, off);
        raise(&fit->part, off > 0.0 ? off / allowed : off);
    }
    return BW_OK;
}

/* The first frame that shows a piece in a good part of its largest size. */
static bw_result seek_frame(void *ctx, size_t index, const bwi_frame *frame, bw_error *error) {
    fit_walk *w = ctx;
    bwi_mat4 *poses = frame->scratch;
    const uint32_t number = w->from_frame + (uint32_t)index;
    (void)error;
    bwi_fit_poses(poses, w->plan, frame->positions);
    for (uint32_t bone = w->first; bone < w->first + w->count; ++bone) {
        piece_fit *fit = &w->fits[bone - w->first];
        const double off = bwi_fit_error(w->plan, bone, &poses[bone], frame->positions);
        const double size = size_in_frame(fit, &poses[bone], off);
        uint32_t seen = __atomic_load_n(&fit->take_frame, __ATOMIC_RELAXED);
        while (
            size * LARGEST_GROWTH >= value_of(fit->size) && number < seen &&
            !__atomic_compare_exchange_n(&fit->take_frame, &seen, number, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    }
    return BW_OK;
}

static bw_result walk(fit_walk *w, bwi_frame_fn fn) {
    const uint32_t count = w->plan->frame_count, looks = w->samples && count > FIRST_LOOK ? FIRST_LOOK : 1;
    bw_result result = BW_OK;
    bwi_progress_begin(w->env->progress, "fit pieces", looks > 1 ? looks : count);
    for (uint32_t k = 0; result == BW_OK && k < looks; ++k) {
        w->from_frame = looks > 1 ? (uint32_t)((uint64_t)k * (count - 1) / (looks - 1)) : 0;
        result = bwi_walk_frames(w->plan, w->from_frame, looks > 1 ? 1 : count, BWI_WALK_POSITIONS,
                                 w->palette->bone_count * sizeof(bwi_mat4), fn, w, w->env, w->error);
    }
    return result;
}

static bool is_point(const bwi_palette *palette, uint32_t bone) {
    const uint32_t first = palette->first_member[bone], end = palette->first_member[bone + 1];
    const float *own = palette->positions + 3 * (size_t)palette->members[first];
    for (uint32_t k = first + 1; k < end; ++k) {
        const float *other = palette->positions + 3 * (size_t)palette->members[k];
        if (own[0] != other[0] || own[1] != other[1] || own[2] != other[2])
            return false;
    }
    return true;
}

static bw_result measure_fits(fit_walk *w) {
    for (uint32_t i = 0; i < w->count; ++i)
        w->fits[i] = (piece_fit){.take_frame = BW_NO_INDEX, .is_point = is_point(w->palette, w->first + i)};
    return walk(w, measure_frame);
}

/* ---- another pose than that at rest ---- */

/* True for what is much smaller at rest than it becomes, or of another shape. */
static bool needs_frame(const piece_fit *fit) {
    return !(value_of(fit->part) <= 1.0) || (!fit->is_point && value_of(fit->size) > LARGEST_GROWTH);
}

static void take_from_frame(const fit_walk *w, bwi_sampler *sampler, uint32_t frame, const bwi_mesh_arrays *posed) {
    uint32_t local = 0;
    const bwi_vat_clip *clip = bwi_vat_clip_of_frame(w->plan, frame, &local);
    bwi_sampler_evaluate(sampler, &clip->mix, bwi_manifest_clip_time(w->plan->settings.layout, &clip->out, local),
                         posed->positions, posed->normals, posed->tangents);
    for (uint32_t i = 0; i < w->count; ++i)
        if (needs_frame(&w->fits[i]) && w->fits[i].take_frame == frame)
            for (uint32_t k = w->palette->first_member[w->first + i]; k < w->palette->first_member[w->first + i + 1];
                 ++k)
                bwi_copy_vertex(w->mesh, posed, w->palette->members[k]);
}

static bw_result rewrite_mesh(const fit_walk *w) {
    const size_t v = w->plan->list->vertex_count;
    bwi_sampler *sampler = NULL;
    float *floats = bwi_alloc(w->env->mem, v, 10 * sizeof *floats);
    bool *taken = bwi_alloc(w->env->mem, w->plan->frame_count, sizeof *taken);
    bw_result result = floats && taken ? bwi_sampler_create(&sampler, w->plan->list, w->env->mem, w->error)
                                       : bwi_fail_memory(w->error, NULL, w->env->mem, v * 10 * sizeof *floats);
    for (uint32_t i = 0; result == BW_OK && i < w->count; ++i)
        if (needs_frame(&w->fits[i]) && w->fits[i].take_frame != BW_NO_INDEX)
            taken[w->fits[i].take_frame] = true;
    for (uint32_t frame = 0; result == BW_OK && frame < w->plan->frame_count; ++frame) {
        const bwi_mesh_arrays posed = {floats, floats + 3 * v, w->mesh->tangents ? floats + 6 * v : NULL};
        if (taken[frame])
            take_from_frame(w, sampler, frame, &posed);
        result = bwi_sampler_status(sampler, w->error);
        if (result == BW_OK && bwi_progress_cancelled(w->env->progress))
            result = bwi_fail_cancelled(w->error);
    }
    bwi_sampler_free(sampler);
    bwi_free(w->env->mem, taken);
    bwi_free(w->env->mem, floats);
    return result;
}

/* ---- all ---- */

/* Names the pieces that are farthest off. */
static bw_result fail_fit(const fit_walk *w) {
    uint32_t worst[NAMED], named = 0, failed = 0;
    char text[400] = "";
    for (uint32_t i = 0; i < w->count; ++i) {
        if (value_of(w->fits[i].part) <= 1.0)
            continue;
        ++failed;
        uint32_t at = named;
        for (; at > 0 && w->fits[worst[at - 1]].error < w->fits[i].error; --at)
            if (at < NAMED)
                worst[at] = worst[at - 1];
        if (at < NAMED)
            worst[at] = i;
        named = named < NAMED ? named + 1 : NAMED;
    }
    for (uint32_t k = 0, length = 0; k < named && length < sizeof text; ++k) {
        const uint32_t bone = w->first + worst[k], *first = w->palette->first_member;
        const int written = snprintf(text + length, sizeof text - length, "%s'%.48s' of %u vertices by %s%.3g mm",
                                     k ? ", " : "", w->palette->bones[bone].name, first[bone + 1] - first[bone],
                                     w->samples ? "at least " : "", 1e3 * value_of(w->fits[worst[k]].error));
        length += written > 0 ? (uint32_t)written : 0;
    }
    return bwi_fail(w->error, BW_ERR_UNSUPPORTED, w->plan->list->scene->path, -1,
                    "%u of %u pieces bend or stretch, which rigid ones cannot: %s%s; use %s--mode=vertex", failed,
                    w->count, text, failed > named ? ", …" : "",
                    w->plan->list->scene->skins.count ? "--mode=bone where a skin moves them, else " : "");
}

/* Every piece, in the pose that fits it best. */
static bw_result check(fit_walk *w) {
    bw_result result = measure_fits(w);
    bool again = false;
    for (uint32_t i = 0; i < w->count; ++i)
        again = again || needs_frame(&w->fits[i]);
    if (result == BW_OK && again) {
        result = walk(w, seek_frame);
        if (result == BW_OK)
            result = rewrite_mesh(w);
        if (result == BW_OK)
            result = measure_fits(w);
    }
    for (uint32_t i = 0; result == BW_OK && i < w->count; ++i)
        if (!(value_of(w->fits[i].part) <= 1.0))
            result = fail_fit(w);
    return result;
}

bw_result bwi_check_pieces(bwi_vat_plan *plan, uint32_t first_fitted, const double *allowed,
                           const bwi_mesh_arrays *mesh, bwi_arena *scratch, const bwi_env *env, bwi_warnings *warnings,
                           bw_error *error) {
    fit_walk w = {plan,
                  plan->palette,
                  first_fitted,
                  plan->palette->bone_count - first_fitted,
                  allowed,
                  NULL,
                  mesh,
                  env,
                  error,
                  false,
                  0};
    w.fits = bwi_arena_alloc(scratch, w.count, sizeof *w.fits);
    if (!w.fits)
        return bwi_fail_memory(error, NULL, env->mem, w.count * sizeof *w.fits);
    w.samples = plan->frame_count > FIRST_LOOK;
    bw_result result = w.samples ? check(&w) : BW_OK;
    w.samples = false;
    if (result == BW_OK)
        result = check(&w);
    double most = 0.0;
    for (uint32_t i = 0; result == BW_OK && i < w.count; ++i)
        most = value_of(w.fits[i].error) > most ? value_of(w.fits[i].error) : most;
    if (result == BW_OK)
        bwi_warn(warnings, "pieces-fitted", w.count, "pieces were found by vertices that move together",
                 "%.3g mm off at most", 1e3 * most);
    return result;
}
