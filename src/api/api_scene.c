/* SPDX-License-Identifier: MIT
 * Scenes: loading and freeing. */
#include "bakewell/scene.h"

#include "read/read.h"

bw_result bw_scene_load(bw_scene **scene, const char *path, const bw_scene_opts *opts, bw_error *error) {
    return bwi_read_scene(scene, path, opts, error);
}

void bw_free_scene(bw_scene *scene) {
    if (scene) {
        bwi_arena_free(scene->arena);
    }
}
