/* SPDX-License-Identifier: MIT
 * Tells the format of a file with hair by its first bytes and calls that format's reader. */
#include "base/file.h"
#include "read/alembic/abc.h"
#include "read/read.h"

bw_result bwi_read_hair(bwi_hair **hair, const char *path, const bw_run_opts *run, bw_error *error) {
    bwi_mem mem;
    bwi_mem_init(&mem, run ? run->memory_limit : 0);
    bwi_map map;
    bw_result result = bwi_map_open(&map, path, &mem, error);
    if (result != BW_OK)
        return result;
    if (bwi_abc_recognise(map.data, map.size))
        result = bwi_read_alembic_hair(hair, path, &map, run, error);
    else
        result = bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0,
                          "holds no hair that is read, expected Alembic, cyHair or glTF; export the hair as .abc");
    bwi_map_close(&map);
    return result;
}
