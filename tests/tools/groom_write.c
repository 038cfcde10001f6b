/* SPDX-License-Identifier: MIT
 * Writes a small groom with all that the schema has as Alembic.  Usage: groom_write still|moving FILE */
#include <stdio.h>
#include <string.h>

#include "groom_fixture.h"
#include "write/write_priv.h"

int main(int argc, char **argv) {
    groom_fixture f;
    bwi_mem mem;
    bw_error error = {0};
    if (argc != 3)
        return 2;
    bwi_mem_init(&mem, 0);
    bwi_arena *arena = bwi_arena_create(&mem);
    bwi_warnings warnings;
    bwi_warnings_init(&warnings, arena);
    const bwi_env env = {&mem, 1, NULL};
    groom_fill(&f);
    if (strcmp(argv[1], "moving") == 0)
        groom_move(&f, 1 / 24.0, 1 / 24.0);
    FILE *file = fopen(argv[2], "wb");
    if (!file)
        return 3;
    bw_result result =
        bwi_write_groom_abc(file, argv[2], &f.groom, "hair", BW_GROOM_UNREAL_5_8, &env, &warnings, &error);
    bwi_arena_free(arena);
    if (fclose(file) != 0)
        return 3;
    if (result != BW_OK)
        fprintf(stderr, "%s\n", error.message);
    return (int)bw_result_exit_status(result);
}
