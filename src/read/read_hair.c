/* SPDX-License-Identifier: MIT
 * Tells the format of a file with hair by its first bytes and calls that format's reader. */
#include <string.h>

#include "base/file.h"
#include "base/format_name.h"
#include "read/alembic/abc.h"
#include "read/cyhair/cyhair.h"
#include "read/gltf/gltf.h"
#include "read/read.h"

static bw_result fail_unrecognised(const char *path, const bwi_map *map, bw_error *error) {
    const char *name = bwi_format_name(map->data, map->size);
    if (name)
        return bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0,
                        "is %s, expected Alembic, cyHair or glTF with lines; open it in the program that made it and "
                        "export the hair as .abc",
                        name);
    return bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0,
                    "is of no known format, expected Alembic, cyHair or glTF with lines; export the hair as .abc");
}

static bw_result read_gltf(bwi_hair **hair, const char *path, const bwi_map *map, const bw_run_opts *run, bwi_mem *mem,
                           bw_error *error) {
    bwi_arena *paths = bwi_arena_create(mem);
    char *folder = paths ? bwi_path_folder(paths, path) : NULL;
    bw_result result = folder ? bwi_read_gltf_hair(hair, path, folder, map->data, map->size, run, error)
                              : bwi_fail_memory(error, path, mem, strlen(path));
    bwi_arena_free(paths);
    return result;
}

bw_result bwi_read_hair(bwi_hair **hair, const char *path, const bw_run_opts *run, bw_error *error) {
    bwi_mem mem;
    bwi_mem_init(&mem, run ? run->memory_limit : 0);
    bwi_map map;
    bw_result result = bwi_map_open(&map, path, &mem, error);
    if (result != BW_OK)
        return result;
    if (bwi_abc_recognise(map.data, map.size))
        result = bwi_read_alembic_hair(hair, path, &map, run, error);
    else if (bwi_cyhair_recognise(map.data, map.size))
        result = bwi_read_cyhair(hair, path, map.data, map.size, run, error);
    else if (bwi_gltf_recognise(map.data, map.size))
        result = read_gltf(hair, path, &map, run, &mem, error);
    else
        result = fail_unrecognised(path, &map, error);
    bwi_map_close(&map);
    return result;
}
