/* SPDX-License-Identifier: MIT
 * One walk over a bake's pages: stored and between errors, normals, bounds.  Each frame fills a record of its own; records are added up in
 * frame order, so that threads do not show in the sums. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "metric/metric.h"
#include "metric/metric_priv.h"

/* Triangles whose sides are shorter than this part of the clip's diagonal are nothing to look at: those of pieces that have vanished.  Their
 * normals are whatever is left of them. */
#define LEAST_SIDE 1e-5

typedef struct metric_worker {
    bwi_sampler *sampler;
    float *sampled, *sampled_normals;  /* [V][3] */
    bwi_decoded decoded, between_pose; /* of the frame, and on the way to the one after it */
    float *scratch;                    /* the decoder's */
    bool *seen;                        /* [V] is of a triangle that has some size; of bones with normals, else NULL */
    bwi_histogram stored, between, between_step;
} metric_worker;

/* What one frame gave; `between` is of the interval to the next frame. */
typedef struct frame_record {
    bwi_frame_error stored, between;
    bool has_between, steps;
    float min[3], max[3]; /* decoded, texture space */
    bool finite;
} frame_record;

typedef struct metric_walk {
    bwi_decoder *decoder;
    const bwi_manifest *manifest;
    const bwi_vertex_list *list;
    bwi_clip_mix *mixes; /* [clips] */
    metric_worker *workers;
    frame_record *records; /* of the page's frames */
    bwi_page_range page;
    bwi_progress *progress;
} metric_walk;

uint32_t bwi_metric_clip_of_frame(const bwi_manifest *m, uint32_t frame) {
    uint32_t low = 0, high = (uint32_t)m->clips.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (m->clips.data[middle].first_frame <= frame)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void bound_frame(frame_record *record, const float *positions, size_t count) {
    memcpy(record->min, positions, sizeof record->min);
    memcpy(record->max, positions, sizeof record->max);
    float sum = 0.0f;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) {
            const float p = positions[3 * i + k];
            sum += p * 0.0f; /* 0 for finite values, NaN else, which comparisons would pass over */
            record->min[k] = p < record->min[k] ? p : record->min[k];
            record->max[k] = p > record->max[k] ? p : record->max[k];
        }
    record->finite = sum == 0.0f;
}

static double square_area(const float *positions, const uint32_t *corners) {
    bwi_vec3 p[3];
    for (int k = 0; k < 3; ++k) {
        const float *q = positions + 3 * (size_t)corners[k];
        p[k] = (bwi_vec3){(double)q[0], (double)q[1], (double)q[2]};
    }
    const bwi_vec3 cross = bwi_vec3_cross(bwi_vec3_sub(p[1], p[0]), bwi_vec3_sub(p[2], p[0]));
    return bwi_vec3_dot(cross, cross);
}

/* Takes the source's normals for those of vertices that have vanished there. */
static void pass_over_vanished(const metric_walk *walk, const metric_worker *w, const bwi_decoded *decoded,
                               double diagonal) {
    const double side = LEAST_SIDE * diagonal, least = side * side * side * side;
    memset(w->seen, 0, walk->manifest->element_count * sizeof *w->seen);
    for (uint32_t p = 0; p < walk->list->primitive_count; ++p) {
        const bwi_list_primitive *primitive = &walk->list->primitives[p];
        for (uint32_t i = 0; i < primitive->index_count; i += primitive->mode == BW_PRIMITIVE_TRIANGLES ? 3 : 1)
            if (primitive->mode != BW_PRIMITIVE_TRIANGLES)
                w->seen[primitive->indices[i]] = true;
            else if (square_area(w->sampled, primitive->indices + i) > least)
                for (uint32_t k = i; k < i + 3; ++k)
                    w->seen[primitive->indices[k]] = true;
    }
    for (size_t v = 0; v < walk->manifest->element_count; ++v)
        if (!w->seen[v])
            memcpy(decoded->normals + 3 * v, w->sampled_normals + 3 * v, 3 * sizeof *decoded->normals);
}

static void measure(bwi_frame_error *out, bwi_histogram *histogram, const metric_walk *walk, const metric_worker *w,
                    const bwi_decoded *decoded, double diagonal) {
    if (w->seen)
        pass_over_vanished(walk, w, decoded, diagonal);
    bwi_frame_error_measure(out, histogram, decoded->positions, w->sampled, decoded->normals, w->sampled_normals,
                            walk->manifest->element_count);
}

/* Ways between two frames that are measured.  Straight lines are farthest from the curves they stand for half-way.  The normalised mix of two
 * rotations is exact there, and farthest from an even turn about a fifth from either. */
static const double ways[] = {0.5, 0.2};
enum { WAYS_OF_VERTICES = 1, WAYS_OF_BONES = 2 };

static void measure_between(frame_record *record, const metric_walk *walk, metric_worker *w, uint32_t clip_index,
                            uint32_t local, double diagonal) {
    const bwi_manifest_clip *clip = &walk->manifest->clips.data[clip_index];
    const bwi_clip_mix *mix = &walk->mixes[clip_index];
    const uint32_t v = walk->manifest->element_count;
    const double time_s = bwi_manifest_clip_time(walk->manifest->layout, clip, local);
    const double next_s = bwi_manifest_clip_time(walk->manifest->layout, clip, local + 1);
    record->steps = bwi_sampler_steps_between(w->sampler, mix, time_s, next_s);
    for (int k = 0; k < (walk->manifest->bones.count ? WAYS_OF_BONES : WAYS_OF_VERTICES); ++k) {
        bwi_frame_error part;
        bwi_decoder_between(walk->decoder, &w->between_pose, &w->decoded, clip_index, clip->first_frame + local,
                            (float)ways[k], w->scratch);
        bwi_decoder_restore_root(walk->decoder, &w->between_pose, v, clip_index, local, ways[k]);
        bwi_decoder_to_gltf(walk->decoder, &w->between_pose, v);
        bwi_sampler_evaluate(w->sampler, mix, time_s + ways[k] * (next_s - time_s), w->sampled, w->sampled_normals,
                             NULL);
        measure(&part, record->steps ? &w->between_step : &w->between, walk, w, &w->between_pose, diagonal);
        bwi_frame_error_add(&record->between, &part);
    }
}

static bw_result walk_frame(void *ctx, size_t index, uint32_t worker_index, bw_error *error) {
    metric_walk *walk = ctx;
    metric_worker *w = &walk->workers[worker_index];
    frame_record *record = &walk->records[index];
    const uint32_t v = walk->manifest->element_count, frame = walk->page.first_frame + (uint32_t)index;
    const uint32_t c = bwi_metric_clip_of_frame(walk->manifest, frame);
    const bwi_manifest_clip *clip = &walk->manifest->clips.data[c];
    const uint32_t local = frame - clip->first_frame;

    bwi_decoder_frame(walk->decoder, &w->decoded, c, frame, w->scratch);
    bound_frame(record, w->decoded.positions, v);
    if (walk->list) {
        const double diagonal = bwi_manifest_clip_diagonal(walk->manifest, clip);
        /* The step into a closing copy of the first frame has no counterpart in the source. */
        const uint32_t last = clip->frame_count - (clip->closed ? 2 : 1);
        /* Soups are never mixed: the frame before is shown until the next. */
        record->has_between =
            walk->manifest->mode != BW_VAT_MODE_SOUP && local < last && index + 1 < walk->page.frame_count;
        if (record->has_between) /* before the frame is turned to glTF's axes: mixing is done in the texture's */
            measure_between(record, walk, w, c, local, diagonal);
        bwi_decoder_restore_root(walk->decoder, &w->decoded, v, c, local, 0.0);
        bwi_decoder_to_gltf(walk->decoder, &w->decoded, v);
        bwi_sampler_evaluate(w->sampler, &walk->mixes[c], bwi_manifest_clip_time(walk->manifest->layout, clip, local),
                             w->sampled, w->sampled_normals, NULL);
        measure(&record->stored, &w->stored, walk, w, &w->decoded, diagonal);
        bw_result result = bwi_sampler_status(w->sampler, error);
        if (result != BW_OK)
            return result;
    }
    return bwi_progress_step(walk->progress, 1) ? BW_OK : bwi_fail_cancelled(error);
}

/* Decoded bounds of each clip so far, over all pages. */
typedef struct clip_box {
    float min[3], max[3];
    bool seen, infinite;
} clip_box;

static void widen(clip_box *box, const frame_record *record) {
    for (int k = 0; k < 3; ++k) {
        box->min[k] = !box->seen || record->min[k] < box->min[k] ? record->min[k] : box->min[k];
        box->max[k] = !box->seen || record->max[k] > box->max[k] ? record->max[k] : box->max[k];
    }
    box->seen = true;
    box->infinite = box->infinite || !record->finite;
}

/* How far decoded bounds may be from the clips', beside the texels' resolution; texture space.  Clips' bounds are the source's own.  Bones come
 * as near to it as the bake's error says: influences that were dropped, a little shear, morph targets.  Where that was never measured, or
 * measures nothing, nothing can be said. */
static float bounds_slack(const bwi_manifest *m, const bw_error_stats *stored) {
    const bw_error_stats *known = stored->count ? stored : &m->error.stored;
    if (!m->bones.count)
        return 0.0f;
    return known->count ? (float)(known->max * (strcmp(m->space.unit, "cm") == 0 ? 100.0 : 1.0)) : INFINITY;
}

static void compare_bounds(const bwi_decoder *decoder, const clip_box *boxes, const bw_error_stats *stored,
                           bwi_warnings *findings) {
    const bwi_manifest *m = bwi_decoder_manifest(decoder);
    const float slack = bounds_slack(m, stored);
    for (uint32_t c = 0; c < m->clips.count; ++c) {
        float step[3];
        bwi_decoder_resolution(decoder, c, step);
        for (int k = 0; k < 3; ++k) {
            const float low = boxes[c].min[k] - m->clips.data[c].bounds_min[k];
            const float high = boxes[c].max[k] - m->clips.data[c].bounds_max[k];
            const float tolerance = step[k] + slack;
            if (boxes[c].infinite || !(fabsf(low) <= tolerance && fabsf(high) <= tolerance))
                bwi_warn(findings, "bounds", 1,
                         "decoded positions do not fill the clip's bounds: texels or bounds are not of this bake",
                         "clip '%s', axis %c: %g … %g, expected %g … %g", m->clips.data[c].name, 'x' + k,
                         (double)boxes[c].min[k], (double)boxes[c].max[k], (double)m->clips.data[c].bounds_min[k],
                         (double)m->clips.data[c].bounds_max[k]);
        }
    }
}

/* The bounds of all clips together hold no more and no less than theirs. */
static void compare_union(const bwi_manifest *m, bwi_warnings *findings) {
    for (int k = 0; k < 3; ++k) {
        float low = m->clips.data[0].bounds_min[k], high = m->clips.data[0].bounds_max[k];
        for (size_t c = 1; c < m->clips.count; ++c) {
            low = fminf(low, m->clips.data[c].bounds_min[k]);
            high = fmaxf(high, m->clips.data[c].bounds_max[k]);
        }
        if (low != m->bounds_min[k] || high != m->bounds_max[k])
            bwi_warn(findings, "bounds-of-clips", 1, "the bake's bounds are not those of its clips together",
                     "axis %c: %g … %g, expected %g … %g", 'x' + k, (double)m->bounds_min[k], (double)m->bounds_max[k],
                     (double)low, (double)high);
    }
}

/* The one thing that tells without the source whether codes are read over the right bounds, in the right place and order. */
static void compare_probes(const metric_walk *walk, bwi_warnings *findings) {
    const bwi_manifest *m = walk->manifest;
    for (size_t i = 0; i < m->probes.count; ++i) {
        const bwi_probe *probe = &m->probes.data[i];
        const bwi_manifest_clip *clip = &m->clips.data[probe->clip];
        const uint32_t frame = clip->first_frame + probe->frame;
        if (frame < walk->page.first_frame || frame - walk->page.first_frame >= walk->page.frame_count)
            continue;
        float position[3], step[3];
        bool close = true;
        bwi_decoder_position(walk->decoder, position, probe->clip, frame, probe->element);
        bwi_decoder_resolution(walk->decoder, probe->clip, step);
        for (int k = 0; k < 3; ++k) {
            /* A decoder adds in floats: half a unit in the last place of the larger bound. */
            const float reach = step[k] > 0.0f ? fmaxf(fabsf(clip->bounds_min[k]), fabsf(clip->bounds_max[k])) : 0.0f;
            close = close && fabsf(position[k] - probe->position[k]) <= step[k] + reach * FLT_EPSILON;
        }
        if (!close)
            bwi_warn(findings, "probes", 1,
                     "decoded positions are not those that the manifest's probes expect: texels, bounds or mesh are "
                     "not of this bake",
                     "clip '%s', frame %u, element %u: %g %g %g, expected %g %g %g", clip->name, probe->frame,
                     probe->element, (double)position[0], (double)position[1], (double)position[2],
                     (double)probe->position[0], (double)probe->position[1], (double)probe->position[2]);
    }
}

bw_result bwi_metric_find_mixes(bwi_clip_mix **out, bwi_arena *arena, const bwi_manifest *m, const bw_scene *scene,
                                bw_error *error) {
    bwi_clip_mix *mixes = bwi_arena_alloc(arena, m->clips.count, sizeof *mixes);
    if (!mixes)
        return bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), m->clips.count * sizeof *mixes);
    for (uint32_t c = 0; c < m->clips.count; ++c) {
        const bw_string_list names = m->clips.data[c].source_names;
        const bw_clip **clips = bwi_arena_alloc(arena, names.count + 1, sizeof *clips);
        if (!clips)
            return bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), names.count * sizeof *clips);
        for (size_t i = 0; i < names.count; ++i) {
            for (size_t k = 0; k < scene->clips.count && !clips[i]; ++k)
                if (strcmp(scene->clips.data[k].name, names.data[i]) == 0)
                    clips[i] = &scene->clips.data[k];
            if (!clips[i])
                return bwi_fail(error, BW_ERR_DIFFERS, scene->path, -1,
                                "the source has no clip '%s', which the bake was made from", names.data[i]);
        }
        mixes[c] = (bwi_clip_mix){clips, names.count};
    }
    *out = mixes;
    return BW_OK;
}

static bw_result find_mixes(metric_walk *walk, bwi_arena *arena, bw_error *error) {
    const bwi_manifest *m = walk->manifest;
    const bw_scene *scene = walk->list->scene;
    if (walk->list->vertex_count != m->element_count)
        return bwi_fail(error, BW_ERR_DIFFERS, scene->path, -1,
                        "the source has %u vertices with the bake's options, the bake has %u; it was baked from "
                        "another version of it",
                        walk->list->vertex_count, m->element_count);
    return bwi_metric_find_mixes(&walk->mixes, arena, m, scene, error);
}

static bw_result create_workers(metric_walk *walk, const bwi_env *env, bw_error *error) {
    const size_t v = walk->manifest->element_count;
    const size_t scratch = bwi_decoder_scratch_size(walk->decoder), floats = v * (walk->list ? 18 : 3);
    const bool normals = walk->list && bwi_decoder_has_normals(walk->decoder);
    walk->workers = bwi_alloc(env->mem, env->thread_count, sizeof *walk->workers);
    if (!walk->workers)
        return bwi_fail_memory(error, NULL, env->mem, env->thread_count * sizeof *walk->workers);
    for (uint32_t t = 0; t < env->thread_count; ++t) {
        metric_worker *w = &walk->workers[t];
        float *block = bwi_alloc(env->mem, floats + scratch, sizeof(float));
        if (!block)
            return bwi_fail_memory(error, NULL, env->mem, (floats + scratch) * sizeof(float));
        w->decoded.positions = block;
        w->scratch = block + floats;
        if (!walk->list)
            continue;
        w->between_pose.positions = block + 3 * v;
        w->sampled = block + 6 * v;
        if (normals) {
            w->decoded.normals = block + 9 * v;
            w->between_pose.normals = block + 12 * v;
            w->sampled_normals = block + 15 * v;
        }
        if (normals && walk->manifest->bones.count && !(w->seen = bwi_alloc(env->mem, v, sizeof *w->seen)))
            return bwi_fail_memory(error, NULL, env->mem, v);
        bw_result result = bwi_sampler_create(&w->sampler, walk->list, env->mem, error);
        if (result != BW_OK)
            return result;
    }
    return BW_OK;
}

static void free_workers(metric_walk *walk, const bwi_env *env) {
    for (uint32_t t = 0; walk->workers && t < env->thread_count; ++t) {
        bwi_sampler_free(walk->workers[t].sampler);
        bwi_free(env->mem, walk->workers[t].seen);
        bwi_free(env->mem, walk->workers[t].decoded.positions);
    }
    bwi_free(env->mem, walk->workers);
}

/* Adds a page's records, in frame order. */
static void reduce_page(metric_walk *walk, bw_error_report *report, clip_box *boxes) {
    for (uint32_t index = 0; index < walk->page.frame_count; ++index) {
        const frame_record *record = &walk->records[index];
        const uint32_t frame = walk->page.first_frame + index, c = bwi_metric_clip_of_frame(walk->manifest, frame);
        const bwi_manifest_clip *clip = &walk->manifest->clips.data[c];
        widen(&boxes[c], record);
        if (!walk->list)
            continue;
        bwi_error_place place = {clip->name,
                                 bwi_manifest_clip_time(walk->manifest->layout, clip, frame - clip->first_frame) -
                                     clip->source_start_s,
                                 frame - clip->first_frame, bwi_manifest_clip_diagonal(walk->manifest, clip)};
        bwi_stats_add(&report->stored, &record->stored, &place, walk->list);
        if (record->has_between)
            bwi_stats_add(record->steps ? &report->between_step : &report->between, &record->between, &place,
                          walk->list);
    }
}

static bw_result walk_pages(metric_walk *walk, bw_error_report *report, clip_box *boxes, const bwi_env *env,
                            bwi_warnings *findings, bw_error *error) {
    bw_result result = BW_OK;
    uint32_t most = 0;
    uint64_t frames = 0; /* more than the bake's: neighbouring pages share one */
    for (uint32_t p = 0; p < bwi_decoder_page_count(walk->decoder); ++p) {
        const bwi_page_range range = bwi_decoder_page_range(walk->decoder, p);
        most = range.frame_count > most ? range.frame_count : most;
        frames += range.frame_count;
    }
    walk->records = bwi_alloc(env->mem, most, sizeof *walk->records);
    if (!walk->records)
        return bwi_fail_memory(error, NULL, env->mem, most * sizeof *walk->records);
    bwi_progress_begin(env->progress, "verify", frames);
    for (uint32_t p = 0; result == BW_OK && p < bwi_decoder_page_count(walk->decoder); ++p) {
        walk->page = bwi_decoder_page_range(walk->decoder, p);
        memset(walk->records, 0, most * sizeof *walk->records);
        result = bwi_decoder_load_page(walk->decoder, p, env, error);
        if (result == BW_OK)
            result = bwi_parallel_for(env, walk->page.frame_count, walk_frame, walk, error);
        if (result == BW_OK) {
            reduce_page(walk, report, boxes);
            compare_probes(walk, findings);
        }
    }
    bwi_free(env->mem, walk->records);
    return result;
}

bw_result bwi_metric_walk(bw_error_report *report, bwi_decoder *decoder, const bwi_vertex_list *list,
                          const bwi_env *env, bwi_warnings *findings, bw_error *error) {
    metric_walk walk = {
        .decoder = decoder, .manifest = bwi_decoder_manifest(decoder), .list = list, .progress = env->progress};
    bw_error_report measured = {0};
    bwi_arena *arena = bwi_arena_create(env->mem);
    clip_box *boxes = arena ? bwi_arena_alloc(arena, walk.manifest->clips.count, sizeof *boxes) : NULL;
    bw_result result =
        boxes ? BW_OK : bwi_fail_memory(error, NULL, env->mem, walk.manifest->clips.count * sizeof *boxes);
    if (result == BW_OK && list)
        result = find_mixes(&walk, arena, error);
    if (result == BW_OK && list)
        result = bwi_compare_attachments(decoder, list, walk.mixes, env, findings, error);
    if (result == BW_OK)
        result = create_workers(&walk, env, error);
    if (result == BW_OK)
        result = walk_pages(&walk, &measured, boxes, env, findings, error);
    if (result == BW_OK) {
        for (uint32_t t = 1; t < env->thread_count; ++t) {
            bwi_histogram_add(&walk.workers[0].stored, &walk.workers[t].stored);
            bwi_histogram_add(&walk.workers[0].between, &walk.workers[t].between);
            bwi_histogram_add(&walk.workers[0].between_step, &walk.workers[t].between_step);
        }
        bwi_stats_finish(&measured.stored, &walk.workers[0].stored);
        bwi_stats_finish(&measured.between, &walk.workers[0].between);
        bwi_stats_finish(&measured.between_step, &walk.workers[0].between_step);
        compare_bounds(decoder, boxes, &measured.stored, findings);
        compare_union(walk.manifest, findings);
        *report = measured;
    }
    free_workers(&walk, env);
    bwi_arena_free(arena);
    return result;
}
