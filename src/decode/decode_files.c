/* SPDX-License-Identifier: MIT
 * What reading back a bake of any family begins with: whether its files are those of the manifest, and the way back from an engine's space. */
#include <string.h>

#include "base/file.h"
#include "decode/decode_priv.h"

bw_result bwi_check_file(const bwi_manifest_file *file, const char *folder, bwi_arena *arena, bwi_warnings *findings,
                         bw_error *error) {
    bwi_mem *mem = bwi_arena_mem(arena);
    char *path = bwi_path_join(arena, folder, file->file);
    if (!path)
        return bwi_fail_memory(error, file->file, mem, 0);
    bwi_map map = {0};
    bw_error why = {0};
    bw_result result = bwi_map_open(&map, path, mem, &why);
    if (result == BW_ERR_MEMORY)
        return bwi_fail_memory(error, file->file, mem, (size_t)file->bytes);
    if (result != BW_OK) {
        bwi_warn(findings, "file-unreadable", 1, "a file of the bake is missing or cannot be read; bake again", "%s",
                 why.message);
        return BW_OK;
    }
    const bwi_hash128 hash = bwi_hash(map.data, map.size);
    if (map.size != file->bytes)
        bwi_warn(findings, "file-size", 1,
                 "a file has another size than the manifest says: the files are of different bakes, or one was edited",
                 "%s: %zu bytes, expected %llu", file->file, map.size, (unsigned long long)file->bytes);
    else if (memcmp(hash.bytes, file->hash, sizeof hash.bytes) != 0)
        bwi_warn(findings, "file-hash", 1,
                 "a file has other bytes than the manifest says: the files are of different bakes, or one was edited",
                 "%s", file->file);
    bwi_map_close(&map);
    return BW_OK;
}

void bwi_invert_space(int axis[3], float sign[3], float *metres, const bwi_space_name *space) {
    const bool z_up = strcmp(space->up, "z") == 0, left = strcmp(space->handedness, "left") == 0;
    axis[0] = 0;
    axis[1] = z_up ? 2 : 1;
    axis[2] = z_up ? 1 : 2;
    sign[0] = left && !z_up ? -1.0f : 1.0f;
    sign[1] = z_up && !left ? -1.0f : 1.0f;
    sign[2] = 1.0f;
    *metres = strcmp(space->unit, "cm") == 0 ? 0.01f : 1.0f;
}
