/* SPDX-License-Identifier: MIT
 * Moves a tree by its files alone through a cycle of wind, both ways, and prints one JSON object.  Usage: pivot_wind MANIFEST (of Unreal). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "decode/pivot.h"

enum { PHASES = 24 };

typedef struct tree {
    bwi_pivot_bake bake;
    float *rest, *normals, *moved, *turned; /* [vertices][3] Unreal's axes, cm */
} tree;

static void fail(const bw_error *error) {
    fprintf(stderr, "pivot_wind: %s\n", error->message);
    exit(1);
}

static void *take(size_t count, size_t size) {
    void *block = calloc(count, size);
    if (!block)
        exit(1);
    return block;
}

static void evaluate(const tree *t, const bw_wind *wind, bw_wind_evaluator evaluator, float *positions, float *normals,
                     const float *uvs, const float *rest, const float *rest_normals, size_t count) {
    static float scratch[BW_WIND_MAP_SIDE * BW_WIND_MAP_SIDE * 4];
    bwi_wind_sampler sampler;
    bw_error error;
    if (bwi_wind_sampler_make(&sampler, wind, scratch, &error) != BW_OK)
        fail(&error);
    bwi_pivot_evaluate(positions, normals, &t->bake.maps, &sampler, evaluator, uvs, rest, rest_normals, count);
}

/* Where the wind takes vertices, over a cycle. */
static void cycle(const tree *t, const char *name, bw_wind_evaluator evaluator) {
    const bwi_pivot_mesh *mesh = &t->bake.mesh;
    bw_wind wind;
    bw_wind_default(&wind);
    wind.gust_world_scale = 300;
    wind.speed = 1;
    uint64_t not_finite = 0, not_unit = 0;
    double farthest = 0, least = INFINITY;
    for (int phase = 0; phase < PHASES; phase++) {
        double now = 0;
        wind.time_s = (double)phase / PHASES;
        evaluate(t, &wind, evaluator, t->moved, t->normals ? t->turned : NULL, mesh->uvs, t->rest, t->normals,
                 mesh->vertex_count);
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            double square = 0, length = 0;
            for (size_t k = 0; k < 3; k++) {
                const double d = (double)t->moved[3 * v + k] - (double)t->rest[3 * v + k];
                square += d * d;
                length += t->normals ? (double)t->turned[3 * v + k] * (double)t->turned[3 * v + k] : 1.0 / 3;
            }
            not_finite += !isfinite(square) || !isfinite(length);
            not_unit += fabs(sqrt(length) - 1) > 1e-5;
            now = fmax(now, sqrt(square));
        }
        farthest = fmax(farthest, now);
        least = fmin(least, now);
    }
    printf("\"%s\":{\"not_finite\":%llu,\"not_unit\":%llu,\"farthest_cm\":%.9g,\"stillest_cm\":%.9g},", name,
           (unsigned long long)not_finite, (unsigned long long)not_unit, farthest, least);
}

/* Farthest that an element's pivot, moved with the element, is from the same point moved with its parent. */
static double part(const tree *t, const bw_wind *wind, bw_wind_evaluator evaluator) {
    double most = 0;
    for (uint32_t e = 0; e < t->bake.manifest->facts.element_count; e++) {
        float uv[2][2], rest[2][3], moved[2][3];
        bwi_pivot_uv_of(&t->bake.maps, e, uv[0]);
        const bwi_pivot_texel texel = bwi_pivot_texel_at(&t->bake.maps, uv[0]);
        bwi_pivot_uv_of(&t->bake.maps, texel.parent, uv[1]);
        for (int k = 0; k < 3; k++)
            rest[0][k] = rest[1][k] = (float)texel.pivot[k];
        evaluate(t, wind, evaluator, &moved[0][0], NULL, &uv[0][0], &rest[0][0], NULL, 2);
        double square = 0;
        for (int k = 0; k < 3; k++)
            square += pow((double)moved[0][k] - (double)moved[1][k], 2);
        most = fmax(most, sqrt(square));
    }
    return most;
}

/* Farthest that the two evaluators are apart. */
static double apart(const tree *t, const bw_wind *wind) {
    const bwi_pivot_mesh *mesh = &t->bake.mesh;
    double most = 0;
    evaluate(t, wind, BW_WIND_STOCK, t->moved, NULL, mesh->uvs, t->rest, NULL, mesh->vertex_count);
    evaluate(t, wind, BW_WIND_CHAINED, t->turned, NULL, mesh->uvs, t->rest, NULL, mesh->vertex_count);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double square = 0;
        for (size_t k = 0; k < 3; k++)
            square += pow((double)t->moved[3 * v + k] - (double)t->turned[3 * v + k], 2);
        most = fmax(most, sqrt(square));
    }
    return most;
}

/* A wind in which each level turns by so many degrees, with no gust. */
static bw_wind steady(double degrees) {
    bw_wind wind;
    bw_wind_default(&wind);
    for (int k = 0; k < BW_WIND_LEVELS; k++) {
        wind.levels[k].max_rotation = degrees / 360;
        wind.levels[k].angle_offset = 1;
        wind.levels[k].random_influence = 0;
        wind.levels[k].use_shelter = false;
    }
    static const float calm[4] = {0.5f, 0.5f, 0.5f, 0};
    wind.map = (bw_wind_map){1, 1, calm};
    return wind;
}

int main(int argc, char **argv) {
    bwi_mem mem;
    bw_error error;
    bwi_mem_init(&mem, 0);
    bwi_arena *arena = bwi_arena_create(&mem);
    bwi_warnings findings;
    bwi_warnings_init(&findings, arena);
    const bwi_env env = {&mem, 1, NULL};
    bwi_pivot_manifest *manifest = NULL;
    tree t = {0};
    if (argc != 2 || bwi_pivot_manifest_read(&manifest, arena, argv[1], &error) != BW_OK ||
        bwi_pivot_bake_read(&t.bake, arena, bwi_path_folder(arena, argv[1]), manifest, &env, &findings, &error) !=
            BW_OK ||
        findings.count)
        fail(&error);
    const bwi_pivot_mesh *mesh = &t.bake.mesh;
    const bwi_space_map *space = bwi_engine_space(BW_ENGINE_UNREAL);
    t.rest = take(mesh->vertex_count, 3 * sizeof *t.rest);
    t.moved = take(mesh->vertex_count, 3 * sizeof *t.moved);
    t.turned = take(mesh->vertex_count, 3 * sizeof *t.turned);
    bwi_space_map_positions(t.rest, mesh->positions, mesh->vertex_count, space);
    if (mesh->normals) {
        t.normals = take(mesh->vertex_count, 3 * sizeof *t.normals);
        bwi_space_map_directions(t.normals, mesh->normals, mesh->vertex_count, 3, space);
    }
    printf("{");
    cycle(&t, "stock", BW_WIND_STOCK);
    cycle(&t, "chained", BW_WIND_CHAINED);
    bw_wind wind = steady(30);
    printf("\"parted_cm\":%.9g,", part(&t, &wind, BW_WIND_CHAINED));
    for (int degrees = 8; degrees >= 1; degrees /= 2) {
        wind = steady(degrees);
        printf("\"apart_%d_cm\":%.9g%s", degrees, apart(&t, &wind), degrees > 1 ? "," : "}\n");
    }
    bwi_arena_free(arena);
    return 0;
}
