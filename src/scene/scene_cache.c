/* SPDX-License-Identifier: MIT
 * Scenes whose values stay in a file: the span of their caches, and how they end. */
#include "scene/scene.h"

void bwi_scene_free(bw_scene *scene) {
    if (!scene)
        return;
    if (scene->close)
        scene->close(scene->close_ctx);
    bwi_arena_free(scene->arena);
}

static void widen(const bw_cache *cache, double *start_s, double *end_s, bool *found) {
    if (!cache || cache->sample_count < 2)
        return;
    const double first = cache->times_s[0], last = cache->times_s[cache->sample_count - 1];
    *start_s = *found && *start_s < first ? *start_s : first;
    *end_s = *found && *end_s > last ? *end_s : last;
    *found = true;
}

bool bwi_scene_cache_span(const bw_scene *scene, double *start_s, double *end_s) {
    bool found = false;
    for (size_t n = 0; n < scene->nodes.count; n++) {
        widen(scene->nodes.data[n].matrix_cache, start_s, end_s, &found);
        widen(scene->nodes.data[n].visibility_cache, start_s, end_s, &found);
    }
    for (size_t m = 0; m < scene->meshes.count; m++) {
        const bw_mesh *mesh = &scene->meshes.data[m];
        for (size_t p = 0; p < mesh->primitives.count; p++) {
            widen(mesh->primitives.data[p].position_cache, start_s, end_s, &found);
            widen(mesh->primitives.data[p].normal_cache, start_s, end_s, &found);
        }
    }
    return found;
}
