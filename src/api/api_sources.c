/* SPDX-License-Identifier: MIT
 * Sources of a bake, of any family: as a manifest lists them, whether they are still those, and whether files are, by their bytes alone. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <sys/stat.h>

#include "api/api_priv.h"
#include "base/file.h"

/* A pipe gives its bytes once, and they are the bake's. */
static bool is_pipe(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

bool bwi_has_bytes(const char *path, const bwi_manifest_file *file, bwi_mem *mem) {
    bwi_map map;
    if (path && is_pipe(path))
        return false;
    const bw_result result = path ? bwi_map_open(&map, path, mem, NULL) : BW_ERR_MEMORY;
    if (result == BW_ERR_FILE_MISSING || result == BW_ERR_EMPTY)
        return file->bytes == 0;
    if (result != BW_OK)
        return false;
    bool same = map.size == file->bytes;
    if (same) {
        const bwi_hash128 now = bwi_hash(map.data, map.size);
        same = memcmp(now.bytes, file->hash, sizeof now.bytes) == 0;
    }
    bwi_map_close(&map);
    return same;
}

/* A manifest that was tampered with must not make this read elsewhere than below the scene, or where the options say. */
static bool may_read(const char *file, const bw_string_list *named, size_t named_count) {
    for (size_t i = 0; i < named_count; ++i)
        for (size_t k = 0; k < named[i].count; ++k)
            if (strcmp(named[i].data[k], file) == 0)
                return true;
    return bwi_path_is_below(file);
}

bool bwi_sources_stand(const bwi_manifest_file *files, size_t count, const bw_string_list *paths,
                       const bw_string_list *named, size_t named_count, bwi_mem *mem) {
    for (size_t k = 0; k < count; ++k)
        if (!may_read(files[k].file, named, named_count) || !bwi_has_bytes(paths->data[k], &files[k], mem))
            return false;
    return true;
}

bw_result bwi_report_sources(bw_string_list *sources, bwi_arena *arena, const char *scene_path,
                             const bwi_manifest_file *files, size_t count, bw_error *error) {
    const char **paths = bwi_arena_alloc(arena, count, sizeof *paths);
    const char *folder = paths ? bwi_path_folder(arena, scene_path) : NULL;
    bool fits = folder != NULL;
    for (size_t k = 0; fits && k < count; ++k) {
        paths[k] = k == 0 || files[k].file[0] == '/' ? bwi_arena_string(arena, k ? files[k].file : scene_path, SIZE_MAX)
                   : strcmp(folder, ".") == 0        ? bwi_arena_string(arena, files[k].file, SIZE_MAX)
                                                     : bwi_path_join(arena, folder, files[k].file);
        fits = paths[k] != NULL;
    }
    if (!fits)
        return bwi_fail_memory(error, scene_path, bwi_arena_mem(arena), count * sizeof *paths);
    *sources = (bw_string_list){paths, count};
    return BW_OK;
}

bw_result bwi_list_sources(bwi_manifest_file **out, size_t *out_count, bwi_arena *arena, const bw_scene *scene,
                           bw_error *error) {
    const size_t count = scene->files.count;
    bwi_manifest_file *files = bwi_arena_alloc(arena, count, sizeof *files);
    if (!files)
        return bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), count * sizeof *files);
    for (size_t k = 0; k < count; ++k) {
        const bw_source_file *file = &scene->files.data[k];
        files[k] = (bwi_manifest_file){k ? file->path : bwi_path_basename(scene->path), file->bytes, {0}};
        memcpy(files[k].hash, file->hash, sizeof files[k].hash);
    }
    *out = files;
    *out_count = count;
    return BW_OK;
}

/* Whether a file is one of those that were baked, wherever it lies now. */
static bool was_baked(const bw_source_file *file, const bwi_manifest_file *files, size_t count) {
    for (size_t k = 0; k < count; ++k)
        if (memcmp(file->hash, files[k].hash, sizeof file->hash) == 0)
            return true;
    return false;
}

bool bwi_compare_sources(const bw_scene *scene, const bwi_manifest_file *files, size_t count, bwi_warnings *warnings) {
    bool same = true;
    for (size_t i = 0; i < scene->files.count; ++i) {
        const bw_source_file *file = &scene->files.data[i];
        if (was_baked(file, files, count))
            continue;
        same = false;
        bwi_warn(warnings, "source-changed", 1,
                 "the source is not the file that was baked: it was edited since, or is another", "%s",
                 i == 0 ? scene->path : file->path);
    }
    return same;
}
