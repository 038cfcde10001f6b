/* SPDX-License-Identifier: MIT
 * Tells a file's format by its first bytes and calls that format's reader. */
#include "read/read.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/format_name.h"
#include "read/alembic/abc.h"
#include "read/cyhair/cyhair.h"
#include "read/gltf/gltf.h"

static bw_result fail_unrecognised(const char *path, const bwi_map *map, bw_error *error) {
    const char *name = bwi_format_name(map->data, map->size);
    if (bwi_cyhair_recognise(map->data, map->size)) {
        return bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0,
                        "is a cyHair file, strands without a scene; write it as an archive: bakewell groom %s -o "
                        "hair.abc",
                        path);
    }
    if (name) {
        return bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0,
                        "is %s, expected glTF 2.0 or Alembic; export the model as .glb, .gltf or .abc", name);
    }
    char bytes[3 * 4 + 1] = "";
    for (size_t i = 0; i < 4 && i < map->size; i++) {
        snprintf(bytes + 3 * i, sizeof(bytes) - 3 * i, " %02x", (unsigned)map->data[i]);
    }
    return bwi_fail(
        error, BW_ERR_UNRECOGNISED, path, 0,
        "starts with the bytes%s, expected \"glTF\", JSON or \"Ogawa\"; export the model as .glb, .gltf or .abc",
        bytes);
}

/* A bake's manifest names its schema at the beginning. */
static bool is_manifest(const bwi_map *map) {
    static const char schema[] = "\"bakewell/bake/";
    const size_t size = sizeof(schema) - 1;
    const size_t beginning = 256;
    for (size_t i = 0; i < beginning && i + size <= map->size; i++) {
        if (memcmp(map->data + i, schema, size) == 0) {
            return true;
        }
    }
    return false;
}

/* What is called an archive is told by its reader what else it is. */
static bool is_called_archive(const char *path) {
    const size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".abc") == 0;
}

bw_result bwi_read_scene(bw_scene **scene, const char *path, const bw_scene_opts *opts, bw_error *error) {
    bwi_mem mem;
    bwi_mem_init(&mem, opts ? opts->run.memory_limit : 0);
    bwi_map map;
    bw_result result = bwi_map_open(&map, path, &mem, error);
    if (result != BW_OK) {
        return result;
    }
    if (is_manifest(&map)) {
        result = bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0,
                          "is the manifest of a bake, not a scene; \"bakewell verify\" checks it");
    } else if (bwi_abc_recognise(map.data, map.size)) {
        result = bwi_read_alembic(scene, path, &map, opts, error);
    } else if (bwi_gltf_recognise(map.data, map.size)) {
        bwi_arena *paths = bwi_arena_create(&mem);
        char *folder = paths ? bwi_path_folder(paths, path) : NULL;
        result = folder ? bwi_read_gltf(scene, path, folder, map.data, map.size, opts, error)
                        : bwi_fail_memory(error, path, &mem, strlen(path));
        bwi_arena_free(paths);
    } else if (is_called_archive(path)) {
        result = bwi_read_alembic(scene, path, &map, opts, error);
    } else {
        result = fail_unrecognised(path, &map, error);
    }
    bwi_map_close(&map);
    return result;
}
