/* SPDX-License-Identifier: MIT
 * Repairs and completes a groom, lets its strands follow their guides, and prints its arrays, each a line "name type count" and its bytes.
 * Usage: groom_arrays HAIR SCALP SAMPLE; SCALP "-": none; SAMPLE: of the animation, of which "own" and "followed" are printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groom/groom.h"
#include "read/read.h"
#include "scene/scene.h"

static void put(const char *name, const char *type, const void *values, size_t count, size_t size) {
    if (!values)
        return;
    printf("%s %s %zu\n", name, type, count);
    fwrite(values, size, count, stdout);
}

static void put_all(const bw_groom *g) {
    const size_t strands = g->strand_count, points = g->point_count;
    put("first_points", "u4", g->first_points, strands + 1, 4);
    put("positions", "f4", g->positions, 3 * points, 4);
    put("guides", "u1", g->guides, strands, 1);
    put("group_of", "u4", g->group_of, strands, 4);
    put("ids", "i4", g->ids, strands, 4);
    put("widths", "f4", g->widths, points, 4);
    put("root_uvs", "f4", g->root_uvs, 2 * strands, 4);
    put("closest_guides", "i4", g->closest_guides, 3 * strands, 4);
    put("guide_weights", "f4", g->guide_weights, 3 * strands, 4);
}

static bw_result put_sample(const char *name, const bw_groom *g, uint32_t sample, bwi_arena *arena, bw_error *error) {
    float *values = bwi_arena_alloc(arena, g->point_count, 3 * sizeof *values);
    if (!values)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), 0);
    const bw_result result = g->animation->read(g->animation->ctx, sample, values, error);
    if (result == BW_OK)
        put(name, "f4", values, 3 * (size_t)g->point_count, 4);
    return result;
}

int main(int argc, char **argv) {
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    bwi_arena *arena = bwi_arena_create(&mem);
    if (argc != 4 || !arena)
        return 2;
    const bwi_env env = {&mem, 2, NULL};
    const bw_groom_opts opts = {0};
    bw_error error = {0};
    bwi_warnings changes;
    bwi_warnings_init(&changes, arena);
    bwi_hair *hair = NULL;
    bw_scene *scalp = NULL;
    bw_groom *groom = NULL;
    bwi_groom_space space;
    bwi_groom_measures measures;
    double max_cm, rms_cm;
    bw_result result = bwi_read_hair(&hair, argv[1], NULL, &error);
    if (result == BW_OK && strcmp(argv[2], "-") != 0)
        result = bwi_read_scene(&scalp, argv[2], NULL, &error);
    if (result == BW_OK)
        result = bwi_groom_space_find(&space, arena, hair, &opts, &error);
    if (result == BW_OK)
        result = bwi_groom_fix(&groom, &measures, &changes, arena, hair, &opts, &space, &env, &error);
    if (result == BW_OK)
        result = bwi_groom_complete(groom, &changes, arena, &opts, scalp, &env, &error);
    if (result == BW_OK)
        put_all(groom);
    if (result == BW_OK && groom->animation) {
        const uint32_t sample = (uint32_t)strtoul(argv[3], NULL, 10);
        result = put_sample("own", groom, sample, arena, &error);
        if (result == BW_OK)
            result = bwi_groom_guides_only(groom, &max_cm, &rms_cm, arena, &env, &error);
        if (result == BW_OK)
            result = put_sample("followed", groom, sample, arena, &error);
        if (result == BW_OK)
            put("errors", "f8", (double[2]){max_cm, rms_cm}, 2, 8);
    }
    if (result != BW_OK)
        fprintf(stderr, "%s\n", error.message);
    bwi_arena_free(arena);
    bwi_hair_free(hair);
    bwi_scene_free(scalp);
    return result != BW_OK;
}
