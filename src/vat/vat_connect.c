/* SPDX-License-Identifier: MIT
 * Which vertices of a vertex animation are one piece: those that triangles and lines join, and those that stay in one place together at rest
 * and in every frame, as the corners of faces with edges do.  What merely touches at rest parts company in some frame. */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "vat/vat_priv.h"

typedef struct track {
    uint64_t hash; /* of where the vertex is, at rest and in every frame */
    uint32_t vertex;
} track;

typedef struct frame_box {
    float min[3], max[3];
} frame_box;

typedef struct track_walk {
    const float *rest; /* [V][3], space of the texture data */
    const uint32_t *candidates;
    size_t candidate_count;
    uint64_t *hashes; /* [V], added to by all threads: the sum does not depend on their order */
    uint8_t *moved;   /* [V] */
    frame_box *boxes; /* [N] */
    size_t vertex_count;
} track_walk;

/* Finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t hash_place(uint64_t frame, const float *p) {
    uint64_t hash = mix(frame + UINT64_C(0x9e3779b97f4a7c15));
    for (int k = 0; k < 3; ++k) {
        const float value = p[k] + 0.0f; /* −0 is 0 */
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = mix(hash + UINT64_C(0x9e3779b97f4a7c15) + bits);
    }
    return hash;
}

static void bound(frame_box *box, const float *positions, size_t count) {
    memcpy(box->min, positions, sizeof box->min);
    memcpy(box->max, positions, sizeof box->max);
    for (size_t i = 1; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) {
            const float p = positions[3 * i + k];
            box->min[k] = p < box->min[k] ? p : box->min[k];
            box->max[k] = p > box->max[k] ? p : box->max[k];
        }
}

static bw_result track_frame(void *ctx, size_t index, const bwi_frame *frame, bw_error *error) {
    const track_walk *walk = ctx;
    (void)error;
    bound(&walk->boxes[index], frame->positions, walk->vertex_count);
    for (size_t k = 0; k < walk->candidate_count; ++k) {
        const size_t v = walk->candidates[k];
        const float *p = frame->positions + 3 * v, *r = walk->rest + 3 * v;
        __atomic_fetch_add(&walk->hashes[v], hash_place(index + 1, p), __ATOMIC_RELAXED);
        if (p[0] != r[0] || p[1] != r[1] || p[2] != r[2])
            __atomic_store_n(&walk->moved[v], 1, __ATOMIC_RELAXED);
    }
    return BW_OK;
}

static int by_track(const void *a, const void *b) {
    const track *x = a, *y = b;
    const int order = (x->hash > y->hash) - (x->hash < y->hash);
    return order ? order : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* ---- pieces ---- */

static void join_elements(uint32_t *parents, const bwi_vertex_list *list) {
    static const uint32_t corners[] = {
        [BW_PRIMITIVE_TRIANGLES] = 3, [BW_PRIMITIVE_LINES] = 2, [BW_PRIMITIVE_POINTS] = 1};
    for (uint32_t p = 0; p < list->primitive_count; ++p) {
        const bwi_list_primitive *primitive = &list->primitives[p];
        for (uint32_t i = 0; i < primitive->index_count; ++i)
            if (i % corners[primitive->mode])
                bwi_set_join(parents, primitive->indices[i - 1], primitive->indices[i]);
    }
}

static void join_tracks(uint32_t *parents, track *tracks, size_t count) {
    qsort(tracks, count, sizeof *tracks, by_track);
    for (size_t k = 1; k < count; ++k)
        if (tracks[k].hash == tracks[k - 1].hash)
            bwi_set_join(parents, tracks[k - 1].vertex, tracks[k].vertex);
}

/* ---- all ---- */

/* What a piece may be off by in a clip, metres. */
static double allow(const bwi_vat_plan *plan, const bwi_manifest_clip *clip, const frame_box *frames) {
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        float min = frames[0].min[k], max = frames[0].max[k];
        for (uint32_t f = 1; f < clip->frame_count; ++f) {
            min = frames[f].min[k] < min ? frames[f].min[k] : min;
            max = frames[f].max[k] > max ? frames[f].max[k] : max;
        }
        square += ((double)max - (double)min) * ((double)max - (double)min);
    }
    const bwi_vat_settings *s = &plan->settings;
    const double diagonal = bwi_sqrt(square) / (double)bwi_vat_space(s)->scale;
    return 2.0 * (s->bone_bound_m > 0.0 ? s->bone_bound_m : s->bone_bound * diagonal);
}

static void number_pieces(bwi_pieces *out, uint32_t *parents, const track_walk *walk, size_t vertex_count) {
    for (size_t k = 0; k < walk->candidate_count; ++k) /* a piece moves if any vertex of it does */
        if (walk->moved[walk->candidates[k]])
            walk->moved[bwi_set_root(parents, walk->candidates[k])] = 1;
    out->count = 0;
    out->still = BW_NO_INDEX;
    for (size_t v = 0; v < vertex_count; ++v)
        out->of_vertex[v] = BW_NO_INDEX;
    for (size_t k = 0; k < walk->candidate_count; ++k)
        out->of_vertex[walk->candidates[k]] = bwi_set_root(parents, walk->candidates[k]);
    for (size_t k = 0; k < walk->candidate_count; ++k) {
        const uint32_t v = walk->candidates[k], root = out->of_vertex[v];
        if (root != v) {
            out->of_vertex[v] = out->of_vertex[root]; /* numbered by now: it is lower */
        } else if (walk->moved[v] || out->still == BW_NO_INDEX) {
            out->still = walk->moved[v] ? out->still : out->count;
            out->of_vertex[v] = out->count++;
        } else {
            out->of_vertex[v] = out->still;
        }
    }
}

static bw_result sample_rest(float *rest, const bwi_vat_plan *plan, const bwi_env *env, bw_error *error) {
    const bwi_clip_mix none = {NULL, 0};
    bwi_sampler *sampler = NULL;
    bw_result result = bwi_sampler_create(&sampler, plan->list, env->mem, error);
    if (result != BW_OK)
        return result;
    bwi_sampler_evaluate(sampler, &none, 0.0, rest, NULL, NULL);
    bwi_space_map_positions(rest, rest, plan->list->vertex_count, bwi_vat_space(&plan->settings));
    bwi_sampler_free(sampler);
    return BW_OK;
}

bw_result bwi_find_pieces(bwi_pieces *out, const bwi_vat_plan *plan, const bool *wanted, bwi_arena *scratch,
                          const bwi_env *env, bw_error *error) {
    const bwi_vertex_list *list = plan->list;
    const size_t v = list->vertex_count;
    uint32_t *candidates = bwi_arena_alloc(scratch, v, sizeof *candidates);
    uint32_t *parents = bwi_arena_alloc(scratch, v, sizeof *parents);
    float *rest = bwi_arena_alloc(scratch, v, 3 * sizeof *rest);
    track_walk walk = {rest,
                       candidates,
                       0,
                       bwi_arena_alloc(scratch, v, sizeof *walk.hashes),
                       bwi_arena_alloc(scratch, v, sizeof *walk.moved),
                       bwi_arena_alloc(scratch, plan->frame_count, sizeof *walk.boxes),
                       v};
    track *tracks = bwi_arena_alloc(scratch, v, sizeof *tracks);
    out->of_vertex = bwi_arena_alloc(scratch, v, sizeof *out->of_vertex);
    out->allowed = bwi_arena_alloc(scratch, plan->clip_count, sizeof *out->allowed);
    if (!out->allowed || !candidates || !parents || !rest || !walk.hashes || !walk.moved || !walk.boxes || !tracks ||
        !out->of_vertex)
        return bwi_fail_memory(error, list->scene->path, env->mem, v * 64);
    for (uint32_t i = 0; i < v; ++i)
        parents[i] = i;
    for (uint32_t p = 0; p < list->part_count; ++p)
        for (uint32_t i = 0; wanted[p] && i < list->parts[p].vertex_count; ++i)
            candidates[walk.candidate_count++] = list->parts[p].first_vertex + i;
    bw_result result = sample_rest(rest, plan, env, error);
    if (result == BW_OK) {
        bwi_progress_begin(env->progress, "find pieces", plan->frame_count);
        result = bwi_walk_frames(plan, 0, plan->frame_count, BWI_WALK_POSITIONS, 0, track_frame, &walk, env, error);
    }
    if (result != BW_OK)
        return result;
    for (size_t k = 0; k < walk.candidate_count; ++k) {
        const uint32_t at = candidates[k];
        tracks[k] = (track){walk.hashes[at] + hash_place(0, rest + 3 * (size_t)at), at};
    }
    for (uint32_t k = 0; k < plan->clip_count; ++k)
        out->allowed[k] = allow(plan, &plan->clips[k].out, &walk.boxes[plan->clips[k].out.first_frame]);
    join_elements(parents, list);
    join_tracks(parents, tracks, walk.candidate_count);
    number_pieces(out, parents, &walk, v);
    return BW_OK;
}
