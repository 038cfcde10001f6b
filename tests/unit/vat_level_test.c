/* SPDX-License-Identifier: MIT
 * Which element of the base each vertex of a level of detail reads: against a search of all pairs, and by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "list_fixture.h"
#include "scene_builder.h"
#include "vat/vat.h"

enum { MOST = 3000, JOINTS = 4 };

/* A skinned mesh; vertex k is vertex k of the list, since each is a point of its own. */
typedef struct cloud {
    scene_builder b;
    float positions[MOST * 3], weights[MOST * 4], inverse_bind[JOINTS * 16];
    uint32_t influences[MOST * 4], indices[MOST], joints[JOINTS], count;
} cloud;

static uint32_t state = 1;

static float random_unit(void) {
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (float)(1u << 24);
}

static void start(cloud *c, uint32_t count, const char *mesh_node) {
    builder_init(&c->b);
    static const char *const names[JOINTS] = {"hips", "arm", "hand", "tail"};
    for (uint32_t j = 0; j < JOINTS; j++) {
        c->joints[j] = builder_node(&c->b, names[j], BW_NO_INDEX);
        for (uint32_t k = 0; k < 16; k++)
            c->inverse_bind[16 * j + k] = k % 5 == 0 ? 1.0f : 0.0f;
    }
    c->count = count;
    for (uint32_t i = 0; i < count; i++) {
        c->indices[i] = i;
        memcpy(&c->weights[4 * i], (float[]){1, 0, 0, 0}, 4 * sizeof(float));
        memset(&c->influences[4 * i], 0, 4 * sizeof(uint32_t));
    }
    uint32_t node = builder_node(&c->b, mesh_node, BW_NO_INDEX), mesh = builder_mesh(&c->b, "mesh", 0);
    bw_primitive *p = builder_primitive(&c->b, mesh, count, c->positions, NULL, c->indices, count);
    p->mode = BW_PRIMITIVE_POINTS;
    p->influence_count = 4;
    p->joints = c->influences;
    p->weights = c->weights;
    c->b.nodes[node].mesh = mesh;
    c->b.nodes[node].skin = builder_skin(&c->b, c->joints, JOINTS, c->inverse_bind);
}

/* Two influences a vertex, on a coarse lattice so that many vertices share a place and many distances are equal. */
static void fill_random(cloud *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        for (uint32_t k = 0; k < 3; k++)
            c->positions[3 * i + k] = floorf(random_unit() * 12.0f) / 8.0f;
        c->influences[4 * i] = (uint32_t)(random_unit() * 3.99f);
        c->influences[4 * i + 1] = (c->influences[4 * i] + 1) % JOINTS;
        c->weights[4 * i] = floorf(random_unit() * 4.0f) / 4.0f;
        c->weights[4 * i + 1] = 1.0f - c->weights[4 * i];
    }
}

static double cost_of(const cloud *base, uint32_t a, const cloud *level, uint32_t b, double diagonal) {
    double square = 0.0, shared = 0.0;
    for (uint32_t k = 0; k < 3; k++) {
        const double d = (double)level->positions[3 * b + k] - (double)base->positions[3 * a + k];
        square += d * d;
    }
    for (uint32_t j = 0; j < 4; j++)
        for (uint32_t k = 0; k < 4; k++)
            if (base->influences[4 * a + j] == level->influences[4 * b + k])
                shared += fmin((double)base->weights[4 * a + j], (double)level->weights[4 * b + k]);
    return sqrt(square) + 0.05 * diagonal * (1.0 - shared) + (shared < 0.001 ? diagonal : 0.0);
}

static void map_clouds(uint32_t *map, cloud *base, cloud *level, uint32_t threads) {
    list_fixture b, l;
    assert_int_equal(fixture_open(&b, builder_finish(&base->b), NULL), BW_OK);
    assert_int_equal(fixture_open(&l, builder_finish(&level->b), NULL), BW_OK);
    assert_int_equal(b.list->vertex_count, base->count);
    b.env.thread_count = threads;
    bw_run_opts run = {0};
    b.env.progress = bwi_progress_create(&b.mem, &run);
    assert_int_equal(bwi_vat_map_level(map, b.list, l.list, &b.env, &b.error), BW_OK);
    bwi_progress_free(b.env.progress);
    fixture_close(&b);
    fixture_close(&l);
}

static void nearest_of_all(void **unused) {
    (void)unused;
    cloud *base = calloc(1, sizeof *base), *level = calloc(1, sizeof *level);
    uint32_t *map = calloc(MOST, sizeof *map), *again = calloc(MOST, sizeof *again);
    start(base, 900, "Body_LOD0");
    start(level, MOST, "Body_LOD1");
    fill_random(base);
    fill_random(level);
    map_clouds(map, base, level, 1);
    map_clouds(again, base, level, 3);
    assert_memory_equal(map, again, MOST * sizeof *map);
    double low[3] = {9, 9, 9}, high[3] = {-9, -9, -9}, diagonal = 0;
    for (uint32_t i = 0; i < 3 * base->count; i++) {
        low[i % 3] = fmin(low[i % 3], (double)base->positions[i]);
        high[i % 3] = fmax(high[i % 3], (double)base->positions[i]);
    }
    for (uint32_t k = 0; k < 3; k++)
        diagonal += (high[k] - low[k]) * (high[k] - low[k]);
    diagonal = sqrt(diagonal);
    for (uint32_t v = 0; v < MOST; v++) {
        double best = INFINITY;
        for (uint32_t i = 0; i < base->count; i++)
            best = fmin(best, cost_of(base, i, level, v, diagonal));
        /* Sums of four floats in another order: some 1e-15 of the diagonal. */
        assert_true(cost_of(base, map[v], level, v, diagonal) <= best + 1e-12);
        for (uint32_t i = 0; i < map[v]; i++)
            assert_true(cost_of(base, i, level, v, diagonal) > best - 1e-12);
        for (uint32_t i = 0; i < map[v]; i++) /* the lowest of those that lie and move alike */
            assert_false(memcmp(&base->positions[3 * i], &base->positions[3 * map[v]], 12) == 0 &&
                         memcmp(&base->weights[4 * i], &base->weights[4 * map[v]], 16) == 0 &&
                         memcmp(&base->influences[4 * i], &base->influences[4 * map[v]], 16) == 0);
    }
    free(base);
    free(level);
    free(map);
    free(again);
}

/* A hand on a thigh: what is nearest hangs on another joint. */
static void skin_decides(void **unused) {
    (void)unused;
    cloud *base = calloc(1, sizeof *base), *level = calloc(1, sizeof *level);
    uint32_t map[2];
    start(base, 3, "Body");
    memcpy(base->positions, (float[]){0, 0, 0, 0.1f, 0, 0, 1, 0, 0}, 9 * sizeof(float));
    base->influences[0] = 2; /* the hand */
    start(level, 2, "Body");
    memcpy(level->positions, (float[]){0.01f, 0, 0, 0.01f, 0, 0}, 6 * sizeof(float));
    level->influences[4] = 3; /* the tail, which moves nothing of the base: the place alone counts */
    map_clouds(map, base, level, 1);
    assert_int_equal(map[0], 1);
    assert_int_equal(map[1], 0);
    free(base);
    free(level);
}

/* Parts without a skin are told apart by their nodes, whatever level their names say. */
static void nodes_decide(void **unused) {
    (void)unused;
    scene_builder b, l;
    list_fixture base, level;
    builder_init(&b);
    builder_init(&l);
    builder_triangle(&b, "Box_LOD0", BW_NO_INDEX);
    uint32_t lid = builder_triangle(&b, "Lid_LOD0", BW_NO_INDEX);
    b.nodes[lid].translation[0] = 0.25f;
    uint32_t other = builder_triangle(&l, "Lid_lod2", BW_NO_INDEX);
    l.nodes[other].translation[0] = 0.05f; /* nearer the box */
    assert_int_equal(fixture_open(&base, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(fixture_open(&level, builder_finish(&l), NULL), BW_OK);
    bw_run_opts run = {0};
    base.env.progress = bwi_progress_create(&base.mem, &run);
    uint32_t map[3];
    assert_int_equal(bwi_vat_map_level(map, base.list, level.list, &base.env, NULL), BW_OK);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(map[i], 3 + i);
    bwi_progress_free(base.env.progress);
    fixture_close(&base);
    fixture_close(&level);
}

/* The same mesh keeps its order, also where vertices share a place. */
static void same_lists_keep_indices(void **unused) {
    (void)unused;
    cloud *base = calloc(1, sizeof *base), *level = calloc(1, sizeof *level);
    uint32_t *map = calloc(MOST, sizeof *map);
    start(base, 100, "Body");
    start(level, 100, "Body");
    map_clouds(map, base, level, 1);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(map[i], i);
    free(base);
    free(level);
    free(map);
}

static void memory_runs_out(void **unused) {
    (void)unused;
    cloud *base = calloc(1, sizeof *base), *level = calloc(1, sizeof *level);
    uint32_t map[20];
    start(base, 50, "Body");
    start(level, 20, "Body");
    fill_random(base);
    fill_random(level);
    list_fixture b, l;
    assert_int_equal(fixture_open(&b, builder_finish(&base->b), NULL), BW_OK);
    assert_int_equal(fixture_open(&l, builder_finish(&level->b), NULL), BW_OK);
    bw_run_opts run = {0};
    b.env.progress = bwi_progress_create(&b.mem, &run);
    bw_result result = BW_ERR_MEMORY;
    for (int64_t k = 0; result != BW_OK; k++) {
        const size_t used = b.mem.used;
        b.mem.fail_after = k;
        result = bwi_vat_map_level(map, b.list, l.list, &b.env, NULL);
        b.mem.fail_after = -1;
        assert_true(result == BW_OK ? k > 0 : result == BW_ERR_MEMORY);
        assert_int_equal(b.mem.used, used);
    }
    bwi_progress_free(b.env.progress);
    fixture_close(&b);
    fixture_close(&l);
    free(base);
    free(level);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nearest_of_all), cmocka_unit_test(skin_decides),
                                       cmocka_unit_test(nodes_decide), cmocka_unit_test(same_lists_keep_indices),
                                       cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
