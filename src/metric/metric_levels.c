/* SPDX-License-Identifier: MIT
 * Levels of detail: where a coarser mesh's vertices are, and where the base's texels put them. */
#include <string.h>

#include "base/math.h"
#include "metric/metric.h"
#include "metric/metric_priv.h"

typedef struct level_worker {
    bwi_sampler *sampler;
    float *decoded, *sampled; /* [V of the level][3] */
    float *scratch;           /* the decoder's */
    bwi_histogram histogram;
} level_worker;

typedef struct level_walk {
    const bwi_decoder *decoder;
    const bwi_manifest *manifest;
    const bwi_vertex_list *list;
    size_t level;
    bwi_clip_mix *mixes; /* [clips] */
    level_worker *workers;
    bwi_frame_error *records; /* of the page's frames */
    bwi_page_range page;
    bwi_progress *progress;
} level_walk;

static bw_result walk_frame(void *ctx, size_t index, uint32_t worker_index, bw_error *error) {
    level_walk *walk = ctx;
    level_worker *w = &walk->workers[worker_index];
    const uint32_t frame = walk->page.first_frame + (uint32_t)index;
    const uint32_t c = bwi_metric_clip_of_frame(walk->manifest, frame);
    const bwi_manifest_clip *clip = &walk->manifest->clips.data[c];
    const bwi_decoded decoded = {w->decoded, NULL, NULL};
    const size_t v = walk->list->vertex_count;
    bwi_decoder_level_frame(walk->decoder, walk->level, w->decoded, c, frame, w->scratch);
    bwi_decoder_restore_root(walk->decoder, &decoded, v, c, frame - clip->first_frame, 0.0);
    bwi_decoder_to_gltf(walk->decoder, &decoded, v);
    bwi_sampler_evaluate(w->sampler, &walk->mixes[c],
                         bwi_manifest_clip_time(walk->manifest->layout, clip, frame - clip->first_frame), w->sampled,
                         NULL, NULL);
    bw_result result = bwi_sampler_status(w->sampler, error);
    if (result != BW_OK)
        return result;
    bwi_frame_error_measure(&walk->records[index], &w->histogram, w->decoded, w->sampled, NULL, NULL, v);
    return bwi_progress_step(walk->progress, 1) ? BW_OK : bwi_fail_cancelled(error);
}

static bw_result create_workers(level_walk *walk, const bwi_env *env, bw_error *error) {
    const size_t v = walk->list->vertex_count, floats = 6 * v + bwi_decoder_scratch_size(walk->decoder);
    walk->workers = bwi_alloc(env->mem, env->thread_count, sizeof *walk->workers);
    if (!walk->workers)
        return bwi_fail_memory(error, NULL, env->mem, env->thread_count * sizeof *walk->workers);
    for (uint32_t t = 0; t < env->thread_count; ++t) {
        level_worker *w = &walk->workers[t];
        w->decoded = bwi_alloc(env->mem, floats, sizeof *w->decoded);
        if (!w->decoded)
            return bwi_fail_memory(error, NULL, env->mem, floats * sizeof *w->decoded);
        w->sampled = w->decoded + 3 * v;
        w->scratch = w->sampled + 3 * v;
        bw_result result = bwi_sampler_create(&w->sampler, walk->list, env->mem, error);
        if (result != BW_OK)
            return result;
    }
    return BW_OK;
}

static void free_workers(level_walk *walk, const bwi_env *env) {
    for (uint32_t t = 0; walk->workers && t < env->thread_count; ++t) {
        bwi_sampler_free(walk->workers[t].sampler);
        bwi_free(env->mem, walk->workers[t].decoded);
    }
    bwi_free(env->mem, walk->workers);
}

/* The first worker's arrays are as good as any. */
static bw_result measure_rest(bwi_level_error *out, const level_walk *walk, const bwi_vertex_list *base,
                              const bwi_env *env, bw_error *error) {
    static const bwi_clip_mix none = {NULL, 0};
    const level_worker *w = &walk->workers[0];
    const uint32_t *elements = bwi_decoder_level_elements(walk->decoder, walk->level);
    const size_t v = walk->list->vertex_count;
    bwi_histogram *unused = bwi_alloc(env->mem, 1, sizeof *unused);
    float *at_rest = bwi_alloc(env->mem, base->vertex_count, 3 * sizeof *at_rest);
    bwi_sampler *sampler = NULL;
    bw_result result = unused && at_rest ? bwi_sampler_create(&sampler, base, env->mem, error)
                                         : bwi_fail_memory(error, NULL, env->mem, sizeof *unused);
    if (result == BW_OK) {
        bwi_frame_error rest = {0};
        bwi_sampler_evaluate(sampler, &none, 0.0, at_rest, NULL, NULL);
        bwi_sampler_evaluate(w->sampler, &none, 0.0, w->sampled, NULL, NULL);
        for (size_t i = 0; i < v; ++i)
            memcpy(w->decoded + 3 * i, at_rest + 3 * (size_t)elements[i], 3 * sizeof *w->decoded);
        bwi_frame_error_measure(&rest, unused, w->decoded, w->sampled, NULL, NULL, v);
        out->rest_max = bwi_sqrt(rest.max_square);
        out->rest_rms = bwi_sqrt(rest.sum_square / (double)v);
    }
    bwi_sampler_free(sampler);
    bwi_free(env->mem, at_rest);
    bwi_free(env->mem, unused);
    return result;
}

static void reduce_page(const level_walk *walk, bw_error_stats *stats) {
    for (uint32_t index = 0; index < walk->page.frame_count; ++index) {
        const uint32_t frame = walk->page.first_frame + index;
        const bwi_manifest_clip *clip = &walk->manifest->clips.data[bwi_metric_clip_of_frame(walk->manifest, frame)];
        const uint32_t local = frame - clip->first_frame;
        const bwi_error_place place = {
            clip->name, bwi_manifest_clip_time(walk->manifest->layout, clip, local) - clip->source_start_s, local,
            bwi_manifest_clip_diagonal(walk->manifest, clip)};
        bwi_stats_add(stats, &walk->records[index], &place, walk->list);
    }
}

static bw_result walk_pages(level_walk *walk, bw_error_stats *stats, bwi_decoder *decoder, const bwi_env *env,
                            bw_error *error) {
    bw_result result = BW_OK;
    const uint32_t frames = walk->manifest->frame_count;
    walk->records = bwi_alloc(env->mem, frames, sizeof *walk->records);
    if (!walk->records)
        return bwi_fail_memory(error, NULL, env->mem, frames * sizeof *walk->records);
    bwi_progress_begin(env->progress, "verify levels", frames);
    for (uint32_t p = 0; result == BW_OK && p < bwi_decoder_page_count(decoder); ++p) {
        walk->page = bwi_decoder_page_range(decoder, p);
        memset(walk->records, 0, frames * sizeof *walk->records);
        result = bwi_decoder_load_page(decoder, p, env, error);
        if (result == BW_OK)
            result = bwi_parallel_for(env, walk->page.frame_count, walk_frame, walk, error);
        if (result == BW_OK)
            reduce_page(walk, stats);
    }
    bwi_free(env->mem, walk->records);
    return result;
}

bw_result bwi_metric_level(bwi_level_error *out, bwi_decoder *decoder, size_t level, const bwi_vertex_list *base,
                           const bwi_vertex_list *list, const bwi_env *env, bw_error *error) {
    level_walk walk = {.decoder = decoder,
                       .manifest = bwi_decoder_manifest(decoder),
                       .list = list,
                       .level = level,
                       .progress = env->progress};
    bwi_level_error measured = {0};
    if (list->vertex_count != walk.manifest->levels.data[level].vertex_count)
        return bwi_fail(error, BW_ERR_DIFFERS, list->scene->path, -1,
                        "the level has %u vertices with the bake's options, the bake has %u; it was baked from another "
                        "version of it",
                        list->vertex_count, walk.manifest->levels.data[level].vertex_count);
    bwi_arena *arena = bwi_arena_create(env->mem);
    bw_result result = arena ? bwi_metric_find_mixes(&walk.mixes, arena, walk.manifest, list->scene, error)
                             : bwi_fail_memory(error, NULL, env->mem, 0);
    if (result == BW_OK)
        result = create_workers(&walk, env, error);
    if (result == BW_OK && bwi_decoder_level_elements(decoder, level))
        result = measure_rest(&measured, &walk, base, env, error);
    if (result == BW_OK)
        result = walk_pages(&walk, &measured.frames, decoder, env, error);
    if (result == BW_OK) {
        for (uint32_t t = 1; t < env->thread_count; ++t)
            bwi_histogram_add(&walk.workers[0].histogram, &walk.workers[t].histogram);
        bwi_stats_finish(&measured.frames, &walk.workers[0].histogram);
        *out = measured;
    }
    free_workers(&walk, env);
    bwi_arena_free(arena);
    return result;
}
