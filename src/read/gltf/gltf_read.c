/* SPDX-License-Identifier: MIT
 * The order in which the parts of a glTF file are read, and what one call owns. */
#include "read/gltf/gltf.h"

#include <string.h>

#include "read/gltf/gltf_priv.h"
#include "scene/scene.h"

static bw_result find_lists(bwi_gltf *g) {
    const struct {
        const char *key;
        json_t **list;
    } lists[] = {
        {"buffers", &g->buffers_json},     {"bufferViews", &g->views_json}, {"accessors", &g->accessors_json},
        {"images", &g->images_json},       {"samplers", &g->samplers_json}, {"textures", &g->textures_json},
        {"materials", &g->materials_json}, {"meshes", &g->meshes_json},     {"skins", &g->skins_json},
        {"nodes", &g->nodes_json},         {"scenes", &g->scenes_json},     {"animations", &g->animations_json},
    };
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        size_t k;
        const json_t *value;
        BWI_GLTF_TRY(bwi_gltf_get_array(g, lists[i].list, NULL, g->root, lists[i].key));
        json_array_foreach(*lists[i].list, k, value) {
            if (!json_is_object(value)) {
                return bwi_gltf_malformed(g, NULL, "\"%s\" holds something at %zu that is no object", lists[i].key, k);
            }
        }
    }
    return BW_OK;
}

static bw_result list_files(bwi_gltf *g, const uint8_t *data, size_t size) {
    bw_source_file *files = bwi_gltf_alloc(g, g->arena, g->file_count + 1, sizeof(*files));
    if (!files) {
        return BW_ERR_MEMORY;
    }
    for (size_t i = 0; i <= g->file_count; i++) {
        const bwi_gltf_file *file = i > 0 ? &g->files[i - 1] : NULL;
        const char *path = file ? file->path : bwi_path_basename(g->path);
        bwi_hash128 hash = file ? bwi_hash(file->map.data, file->map.size) : bwi_hash(data, size);
        files[i].path = bwi_arena_string(g->arena, path, SIZE_MAX);
        if (!files[i].path) {
            return bwi_fail_memory(g->error, g->path, g->mem, strlen(path) + 1);
        }
        files[i].bytes = file ? file->map.size : size;
        memcpy(files[i].hash, hash.bytes, sizeof(hash.bytes));
    }
    g->scene->files.data = files;
    g->scene->files.count = g->file_count + 1;
    return BW_OK;
}

static bw_result read_parts(bwi_gltf *g, bwi_hair *hair, const uint8_t *data, size_t size) {
    BWI_GLTF_TRY(bwi_gltf_open_container(g, data, size));
    BWI_GLTF_TRY(bwi_gltf_check_version(g));
    BWI_GLTF_TRY(bwi_gltf_check_extensions(g));
    BWI_GLTF_TRY(find_lists(g));
    bwi_progress_begin(g->progress, "reading",
                       json_array_size(g->images_json) + json_array_size(g->meshes_json) +
                           json_array_size(g->animations_json));
    BWI_GLTF_TRY(bwi_gltf_read_buffers(g));
    BWI_GLTF_TRY(bwi_gltf_read_accessors(g));
    BWI_GLTF_TRY(bwi_gltf_read_nodes(g));
    BWI_GLTF_TRY(bwi_gltf_read_skins(g));
    BWI_GLTF_TRY(bwi_gltf_read_meshes(g));
    BWI_GLTF_TRY(bwi_gltf_finish_nodes(g));
    BWI_GLTF_TRY(bwi_gltf_read_animations(g));
    BWI_GLTF_TRY(bwi_gltf_read_images(g));
    BWI_GLTF_TRY(bwi_gltf_read_materials(g));
    BWI_GLTF_TRY(list_files(g, data, size));
    g->scene->path = bwi_arena_string(g->arena, g->path, SIZE_MAX);
    g->scene->format = g->format;
    if (!g->scene->path || g->warnings.lost) {
        return bwi_fail_memory(g->error, g->path, g->mem, strlen(g->path) + 1);
    }
    g->scene->warnings = bwi_warnings_list(&g->warnings);
    BWI_GLTF_TRY(bwi_scene_validate(g->scene, g->error));
    if (hair) {
        BWI_GLTF_TRY(bwi_gltf_read_hair(g, hair));
        hair->path = g->scene->path;
        hair->made_by = g->scene->generator;
        hair->scene = g->scene;
        hair->arena = g->arena;
    }
    return BW_OK;
}

/* hair NULL: it is not asked for. */
static bw_result read_gltf(bw_scene **scene, bwi_hair **hair, const char *path, const char *folder, const uint8_t *data,
                           size_t size, const bw_scene_opts *opts, bw_error *error) {
    bwi_mem refused;
    bwi_mem_init(&refused, opts->run.memory_limit);
    bwi_gltf g = {.path = path,
                  .folder = folder,
                  .any_folder = opts->any_folder,
                  .no_images = opts->no_images,
                  .loose_joints = opts->loose_joints,
                  .error = error};
    g.arena = bwi_arena_create_owning(opts->run.memory_limit);
    if (!g.arena) {
        return bwi_fail_memory(error, path, &refused, sizeof(bw_scene));
    }
    g.mem = bwi_arena_mem(g.arena);
    g.scratch = bwi_arena_create(g.mem);
    g.progress = bwi_progress_create(g.mem, &opts->run);
    g.scene = bwi_arena_alloc(g.arena, 1, sizeof(*g.scene));
    bwi_hair *made = hair ? bwi_arena_alloc(g.arena, 1, sizeof(*made)) : NULL;
    bw_result result;
    if (g.scratch && g.progress && g.scene && (made || !hair)) {
        g.scene->arena = g.arena;
        bwi_warnings_init(&g.warnings, g.arena);
        result = read_parts(&g, made, data, size);
    } else {
        result = bwi_fail_memory(error, path, g.mem, sizeof(bw_scene));
    }
    bwi_gltf_close_files(&g);
    json_decref(g.root);
    bwi_progress_free(g.progress);
    bwi_arena_free(g.scratch);
    if (result != BW_OK) {
        bwi_arena_free(g.arena);
        return result;
    }
    *scene = g.scene;
    if (hair) {
        *hair = made;
    }
    return BW_OK;
}

bw_result bwi_read_gltf(bw_scene **scene, const char *path, const char *folder, const uint8_t *data, size_t size,
                        const bw_scene_opts *opts, bw_error *error) {
    static const bw_scene_opts defaults = {0};
    return read_gltf(scene, NULL, path, folder, data, size, opts ? opts : &defaults, error);
}

bw_result bwi_read_gltf_hair(bwi_hair **hair, const char *path, const char *folder, const uint8_t *data, size_t size,
                             const bw_run_opts *run, bw_error *error) {
    bw_scene *scene;
    bw_scene_opts opts = {.no_images = true};
    if (run) {
        opts.run = *run;
    }
    return read_gltf(&scene, hair, path, folder, data, size, &opts, error);
}
