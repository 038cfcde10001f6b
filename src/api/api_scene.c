/* SPDX-License-Identifier: MIT
 * Scenes: loading and freeing. */
#include "bakewell/scene.h"

#include "api/api_priv.h"
#include "read/read.h"
#include "scene/scene.h"

bw_result bw_scene_load(bw_scene **scene, const char *path, const bw_scene_opts *opts, bw_error *error) {
    return bwi_read_scene(scene, path, opts, error);
}

void bw_free_scene(bw_scene *scene) {
    bwi_scene_free(scene);
}

bw_result bw_scene_add_clips(bw_scene *scene, bw_string_list files, const char *prefix, const bw_scene_opts *opts,
                             bw_error *error) {
    const bw_scene_opts defaults = {0};
    bwi_arena *scratch = bwi_arena_create(bwi_arena_mem(scene->arena));
    if (!scratch)
        return bwi_fail_memory(error, scene->path, bwi_arena_mem(scene->arena), 0);
    bwi_named_files named;
    bw_result result = bwi_name_files(&named, scratch, scene->path, files, NULL, "anim", error);
    if (result == BW_OK && named.count)
        result = bwi_add_clips(scene, &named, prefix, opts ? opts : &defaults, error);
    bwi_arena_free(scratch);
    return result;
}
