/* SPDX-License-Identifier: MIT
 * Scenes of trees: the base and its levels of detail, and the plans that are found in them. */
#include "api/api_pivot.h"
#include "scene/scene.h"

static bw_result load(bw_scene **scene, bwi_call *call, const char *path, const bw_pivot_opts *opts, bool no_images,
                      bw_error *error) {
    bw_scene_opts read = {.no_images = no_images, .up = opts->up, .units = opts->units, .run = opts->run};
    read.run.memory_limit = bwi_mem_left(&call->mem);
    bw_result result = bw_scene_load(scene, path, &read, error);
    if (result == BW_OK)
        call->mem.used += bwi_arena_mem((*scene)->arena)->used;
    return result;
}

static bw_result load_level(bwi_pivot_source *source, bwi_call *call, const bwi_named_file *file,
                            const bw_pivot_opts *opts, bool no_images, bwi_warnings *warnings, bw_error *error) {
    const size_t index = source->level_count;
    double farthest = 0;
    bw_result result = load(&source->level_scenes[index], call, file->path, opts, no_images, error);
    if (result != BW_OK)
        return result;
    source->level_count++;
    result = bwi_pivot_level(&source->level_plans[index], &farthest, source->found, source->level_scenes[index], opts,
                             &call->env, warnings, error);
    return result == BW_OK ? bwi_add_sources(source->scene, source->level_scenes[index], file->relative, error)
                           : result;
}

bw_result bwi_pivot_source_load(bwi_pivot_source *source, bwi_call *call, bwi_arena *arena, const char *path,
                                const bwi_named_files *level_files, const bw_pivot_opts *opts, bool no_images,
                                bwi_warnings *warnings, bw_error *error) {
    const size_t count = level_files->count;
    *source = (bwi_pivot_source){.level_scenes = bwi_arena_alloc(arena, count, sizeof *source->level_scenes),
                                 .level_plans = bwi_arena_alloc(arena, count, sizeof *source->level_plans)};
    if (!source->level_scenes || !source->level_plans)
        return bwi_fail_memory(error, path, &call->mem, count * sizeof *source->level_scenes);
    bw_result result = load(&source->scene, call, path, opts, no_images, error);
    if (result == BW_OK)
        result = bwi_pivot_find(&source->found, source->scene, opts, &call->env, warnings, error);
    for (size_t k = 0; result == BW_OK && k < count; k++)
        result = load_level(source, call, &level_files->data[k], opts, no_images, warnings, error);
    return result;
}

void bwi_pivot_source_end(bwi_pivot_source *source) {
    for (size_t k = 0; k < source->level_count; k++) {
        bwi_pivot_plan_free(source->level_plans[k]);
        bw_free_scene(source->level_scenes[k]);
    }
    bwi_pivot_plan_free(source->found);
    bw_free_scene(source->scene);
    *source = (bwi_pivot_source){0};
}
