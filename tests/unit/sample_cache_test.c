/* SPDX-License-Identifier: MIT
 * Values that stay in a file: between samples, at their ends, of every kind, and where reading fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "list_fixture.h"
#include "sample/sample_priv.h"
#include "scene_builder.h"

/* Float kernels over values below 16: a few roundings. */
static const double ROUNDED = 2e-6;

static const double times[] = {1.0, 1.5, 2.0};
/* A triangle whose corners move along x by 1, 2 and 4, then up by 1. */
static const float moves[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 3, 0, 0, 4, 1, 0, 1, 1, 0, 3, 1, 0, 4, 2, 0};

typedef struct cloth {
    scene_builder b;
    builder_cache positions, normals, velocities, matrix, visibility;
    bw_primitive *primitive;
    bw_node *node;
    const bw_clip *clip;
    list_fixture f;
} cloth;

static void make(cloth *c) {
    memset(c, 0, sizeof *c);
    builder_init(&c->b);
    const uint32_t node = builder_triangle(&c->b, "cloth", BW_NO_INDEX);
    c->node = &c->b.nodes[node];
    c->primitive = &c->b.primitives[c->node->mesh][0];
    c->primitive->position_cache = builder_cached(&c->positions, 3, times, moves, 9);
    c->clip = &c->b.clips[builder_cached_clip(&c->b, "play", 1, 2, 2)];
}

static void open_cloth(cloth *c) {
    assert_int_equal(fixture_open(&c->f, builder_finish(&c->b), NULL), BW_OK);
}

static void positions_are_mixed_between_samples(void **state) {
    (void)state;
    static const struct {
        double time_s;
        float x1, y2; /* of the second corner; of the third */
        bool exact;
    } ROWS[] = {
        {0.0, 1, 1, true},
        {1.0, 1, 1, true},
        {1.25, 2, 1, false},
        {1.5, 3, 1, true},
        {1.75, 3, 1.5f, false},
        {2.0, 3, 2, true},
        {7.0, 3, 2, true},
        /* Frame times are rounded: ten microseconds are no way between samples. */
        {1.500009, 3, 1, true},
        {1.499991, 3, 1, true},
        {1.5001, 3, 1.0002f, false},
        {1.4999, 2.9996f, 1, false},
    };
    cloth c;
    make(&c);
    open_cloth(&c);
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        print_message("at %g s\n", ROWS[k].time_s);
        fixture_evaluate(&c.f, c.clip, ROWS[k].time_s);
        EXPECT1(c.f.positions[3], ROWS[k].x1, ROWS[k].exact ? 0 : ROUNDED);
        EXPECT1(c.f.positions[7], ROWS[k].y2, ROWS[k].exact ? 0 : ROUNDED);
        EXPECT3(c.f.normals, 0, 0, 1, 0);
    }
    assert_int_equal(bwi_sampler_status(c.f.sampler, NULL), BW_OK);
    fixture_close(&c.f);
}

/* The rest pose is the primitive's own values, and reads nothing; nor does a clip that plays no caches. */
static void at_rest_nothing_is_read(void **state) {
    (void)state;
    cloth c;
    make(&c);
    open_cloth(&c);
    fixture_evaluate(&c.f, NULL, 2.0);
    EXPECT3(c.f.positions + 3, 1, 0, 0, 0);
    bw_clip other = *c.clip;
    other.plays_caches = false;
    fixture_evaluate(&c.f, &other, 2.0);
    EXPECT3(c.f.positions + 3, 1, 0, 0, 0);
    assert_int_equal(c.positions.reads, 0);
    fixture_close(&c.f);
}

/* Two samples are kept, so that a walk at any rate reads each once, for all nodes that show the mesh. */
static void a_walk_reads_each_sample_once(void **state) {
    (void)state;
    cloth c;
    make(&c);
    const uint32_t twin = builder_node(&c.b, "twin", BW_NO_INDEX);
    c.b.nodes[twin].mesh = c.node->mesh;
    c.b.nodes[twin].translation[2] = 5;
    open_cloth(&c);
    for (int k = 0; k <= 100; k++) {
        fixture_evaluate(&c.f, c.clip, 1.0 + k / 100.0);
        EXPECT3(c.f.positions + 9, c.f.positions[0], c.f.positions[1], 5, 0);
    }
    assert_int_equal(c.positions.reads, 3);
    fixture_close(&c.f);
}

static void normals_are_mixed_and_normalised(void **state) {
    (void)state;
    /* Of other lengths than 1, and at other times than the positions. */
    static const double two[] = {1.0, 2.0};
    static const float turned[] = {0, 0, 2, 0, 0, 2, 0, 0, 2, 2, 0, 0, 0, 0, 2, 0, 0, -2};
    cloth c;
    make(&c);
    c.primitive->normal_cache = builder_cached(&c.normals, 2, two, turned, 9);
    open_cloth(&c);
    fixture_evaluate(&c.f, c.clip, 1.5);
    EXPECT3(c.f.normals, 0.70710678, 0, 0.70710678, ROUNDED);
    EXPECT3(c.f.normals + 3, 0, 0, 1, ROUNDED);
    EXPECT3(c.f.normals + 6, 0, 1, 0, ROUNDED); /* opposite ones leave none */
    EXPECT3(c.f.positions + 3, 3, 0, 0, 0);
    fixture_evaluate(&c.f, NULL, 0);
    EXPECT3(c.f.normals, 0, 0, 1, 0);
    fixture_close(&c.f);
}

static void missing_normals_are_flat_in_every_frame(void **state) {
    (void)state;
    static const float folding[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, 0};
    cloth c;
    make(&c);
    c.primitive->normals = NULL;
    c.positions.values = folding;
    open_cloth(&c);
    static const float wanted[3][3] = {{0, 0, 1}, {0, -1, 0}, {0, 0, -1}};
    for (int k = 0; k < 3; k++) {
        fixture_evaluate(&c.f, c.clip, times[k]);
        EXPECT3(c.f.normals + 6, wanted[k][0], wanted[k][1], wanted[k][2], ROUNDED);
    }
    fixture_close(&c.f);
}

/* A changing topology: the sample before, moved on by the velocities up to the last sample, never mixed. */
static void a_changing_topology_moves_by_velocities(void **state) {
    (void)state;
    static const float speeds[] = {2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    cloth c;
    make(&c);
    c.primitive->topology_changes = true;
    c.primitive->velocity_cache = builder_cached(&c.velocities, 3, times, speeds, 9);
    open_cloth(&c);
    fixture_evaluate(&c.f, c.clip, 1.25);
    EXPECT3(c.f.positions, 0.5, 0, 0, ROUNDED);
    EXPECT3(c.f.positions + 3, 1.5, 0, 0, ROUNDED);
    fixture_evaluate(&c.f, c.clip, 1.499995);
    EXPECT3(c.f.positions + 3, 3, 0, 0, 0);
    fixture_evaluate(&c.f, c.clip, 1.75);
    EXPECT3(c.f.positions + 6, 4, 2, 0, ROUNDED);
    fixture_evaluate(&c.f, c.clip, 9);
    EXPECT3(c.f.positions + 6, 4, 2, 0, 0);
    const bwi_clip_mix mix = {&c.clip, 1};
    assert_true(bwi_sampler_steps_between(c.f.sampler, &mix, 1.25, 1.5));
    assert_false(bwi_sampler_steps_between(c.f.sampler, &mix, 1.5, 1.75));
    fixture_close(&c.f);

    make(&c);
    c.primitive->topology_changes = true;
    open_cloth(&c);
    fixture_evaluate(&c.f, c.clip, 1.25);
    EXPECT3(c.f.positions + 3, 1, 0, 0, 0);
    fixture_close(&c.f);
}

/* A cloth that stands still on a node moved by two matrices, at 1 and 2 s. */
static void make_moved(cloth *c, const float matrices[32]) {
    static const double two[] = {1.0, 2.0};
    make(c);
    c->primitive->position_cache = NULL;
    c->node->has_matrix = true;
    memcpy(c->node->matrix, matrices, sizeof c->node->matrix);
    c->node->matrix_cache = builder_cached(&c->matrix, 2, two, matrices, 16);
}

/* Column-major: a scale by 2, then a turn about z by 0 or 90 degrees, then a travel along x. */
static void matrices_turn_on_an_arc(void **state) {
    (void)state;
    static const float matrices[] = {2, 0, 0, 0, 0,  2, 0, 0, 0, 0, 2, 0, 0,  0, 0, 1,
                                     0, 4, 0, 0, -4, 0, 0, 0, 0, 0, 4, 0, 10, 0, 0, 1};
    cloth c;
    make_moved(&c, matrices);
    const uint32_t child = builder_triangle(&c.b, "child", 0);
    c.b.nodes[child].translation[0] = 1;
    open_cloth(&c);
    fixture_evaluate(&c.f, c.clip, 1.5);
    const double side = 3 * 0.70710678118654752;
    EXPECT3(c.f.positions, 5, 0, 0, ROUNDED);
    EXPECT3(c.f.positions + 3, 5 + side, side, 0, ROUNDED);
    EXPECT3(c.f.positions + 6, 5 - side, side, 0, ROUNDED);
    EXPECT3(c.f.positions + 9, 5 + side, side, 0, ROUNDED); /* what hangs below moves with it */
    fixture_evaluate(&c.f, c.clip, 2);
    EXPECT3(c.f.positions + 3, 10, 4, 0, 0);
    fixture_evaluate(&c.f, NULL, 2);
    EXPECT3(c.f.positions + 3, 2, 0, 0, 0);
    fixture_close(&c.f);
}

static void matrices_that_mirror_stay_mirrors(void **state) {
    (void)state;
    /* Mirrored in y; then turned by 180 degrees about x, and mirrored in y again. */
    static const float matrices[] = {1, 0, 0, 0, 0, -1, 0,  0, 0, 0,  1, 0, 0, 0, 0, 1,
                                     1, 0, 0, 0, 0, 0,  -1, 0, 0, -1, 0, 0, 0, 0, 0, 1};
    static const double two[] = {1.0, 2.0};
    bwi_mat4 m;
    bwi_failure failure = {0};
    builder_cache cache;
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    bwi_arena *arena = bwi_arena_create(&mem);
    bwi_cache_slots slots;
    assert_true(bwi_cache_slots_create(&slots, arena, builder_cached(&cache, 2, two, matrices, 16), 16));
    for (int k = 0; k <= 10; k++) {
        assert_true(bwi_matrix_cache_sample(&m, &slots, 1.0 + k / 10.0, &failure));
        EXPECT1(bwi_mat4_det3(&m), -1, 1e-12);
    }
    bwi_arena_free(arena);
}

/* Every rotation is found again, whichever of its components is the largest. */
static void matrices_are_split(void **state) {
    (void)state;
    static const double turns[][4] = {{0, 0, 0, 1},  {1, 0, 0, 0},       {0, 1, 0, 0},        {0, 0, 1, 0},
                                      {1, 2, 3, 4},  {4, 1, -2, 3},      {-1, 4, 2, -3},      {2, -1, 4, 3},
                                      {1, 1, 1, -1}, {0.1, 0.2, 0.3, 9}, {9, 0.1, -0.2, 0.3}, {1, 0, 0, 1e-9}};
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        for (int mirror = 0; mirror < 2; mirror++) {
            const bwi_quat q = bwi_quat_normalize((bwi_quat){turns[k][0], turns[k][1], turns[k][2], turns[k][3]});
            const bwi_mat4 m = bwi_mat4_from_trs((bwi_vec3){1, 2, 3}, q, (bwi_vec3){mirror ? -2 : 2, 0.5, 7});
            bwi_trs trs;
            assert_true(bwi_matrix_split(&trs, &m));
            const bwi_mat4 again = bwi_mat4_from_trs(trs.translation, trs.rotation, trs.scale);
            for (size_t i = 0; i < 16; i++) {
                EXPECT1(again.m[i], m.m[i], 1e-13);
            }
        }
    }
    bwi_trs trs;
    const bwi_mat4 sheared = {{1, 0, 0, 0, 0.1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    const bwi_mat4 flat = {{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    assert_false(bwi_matrix_split(&trs, &sheared));
    assert_false(bwi_matrix_split(&trs, &flat));
}

static void sheared_matrices_are_mixed_by_elements(void **state) {
    (void)state;
    static const float matrices[] = {1, 0, 0, 0, 1,  1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                                     0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1};
    cloth c;
    make_moved(&c, matrices);
    open_cloth(&c);
    fixture_evaluate(&c.f, c.clip, 1.5);
    EXPECT3(c.f.positions + 3, 1.5, 0.5, 0, ROUNDED);
    EXPECT3(c.f.positions + 6, 1, 0.5, 0, ROUNDED);
    fixture_close(&c.f);
}

/* Hidden triangles have no size, so that nothing of them is drawn; at rest everything is shown. */
static void what_is_hidden_is_one_point(void **state) {
    (void)state;
    static const float shown[] = {1, 0, 1};
    cloth c;
    make(&c);
    c.node->visibility_cache = builder_cached(&c.visibility, 3, times, shown, 1);
    builder_triangle(&c.b, "child", 0);
    open_cloth(&c);
    fixture_evaluate(&c.f, c.clip, 1.75);
    for (size_t i = 0; i < 3; i++) {
        EXPECT3(c.f.positions + 3 * i, 1, 0.5, 0, 0);
    }
    EXPECT3(c.f.positions + 12, 1, 0, 0, 0); /* a node's children are not its mesh */
    fixture_evaluate(&c.f, c.clip, 1.25);
    EXPECT3(c.f.positions + 3, 2, 0, 0, ROUNDED);
    fixture_evaluate(&c.f, c.clip, 2);
    EXPECT3(c.f.positions + 3, 3, 1, 0, 0);
    fixture_evaluate(&c.f, NULL, 1.75);
    EXPECT3(c.f.positions + 3, 1, 0, 0, 0);
    const bwi_clip_mix mix = {&c.clip, 1}, none = {NULL, 0};
    assert_true(bwi_sampler_steps_between(c.f.sampler, &mix, 1.25, 1.5));
    assert_true(bwi_sampler_steps_between(c.f.sampler, &mix, 1.75, 2.0));
    assert_false(bwi_sampler_steps_between(c.f.sampler, &mix, 1.5, 1.75));
    assert_false(bwi_sampler_steps_between(c.f.sampler, &none, 1.25, 1.5));
    fixture_close(&c.f);
}

/* The first failure stays, with its sentence; nothing is read after it, and values stay finite. */
static void a_failed_read_stays(void **state) {
    (void)state;
    cloth c;
    make(&c);
    c.positions.fails_at = 1;
    open_cloth(&c);
    bw_error error = {.result = BW_OK};
    fixture_evaluate(&c.f, c.clip, 1.0);
    assert_int_equal(bwi_sampler_status(c.f.sampler, &error), BW_OK);
    assert_int_equal(error.result, BW_OK);
    fixture_evaluate(&c.f, c.clip, 1.25);
    for (size_t i = 0; i < 9; i++) {
        assert_true(isfinite(c.f.positions[i]));
    }
    assert_int_equal(bwi_sampler_status(c.f.sampler, &error), BW_ERR_MALFORMED);
    assert_string_equal(error.message, "test.abc: sample 1 is damaged");
    assert_int_equal(c.positions.reads, 2);
    fixture_evaluate(&c.f, c.clip, 2.0);
    assert_int_equal(c.positions.reads, 2);
    assert_int_equal(bwi_sampler_status(c.f.sampler, NULL), BW_ERR_MALFORMED);
    fixture_close(&c.f);

    make(&c);
    static const float matrix[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    c.node->has_matrix = true;
    memcpy(c.node->matrix, matrix, sizeof matrix);
    c.node->matrix_cache = builder_cached(&c.matrix, 1, times, matrix, 16);
    c.matrix.fails_at = 0;
    open_cloth(&c);
    const bwi_clip_mix mix = {&c.clip, 1};
    bwi_sampler_pose(c.f.sampler, &mix, 1.0);
    assert_int_equal(bwi_sampler_status(c.f.sampler, &error), BW_ERR_MALFORMED);
    assert_string_equal(error.message, "test.abc: sample 0 is damaged");
    assert_true(bwi_sampler_world_matrices(c.f.sampler)[0] == 1);
    fixture_close(&c.f);
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    cloth c;
    make(&c);
    static const float matrix[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    c.node->has_matrix = true;
    c.node->matrix_cache = builder_cached(&c.matrix, 1, times, matrix, 16);
    c.node->visibility_cache = builder_cached(&c.visibility, 1, times, matrix, 1);
    open_cloth(&c);
    bw_result result = BW_ERR_MEMORY;
    for (int64_t k = 0; result == BW_ERR_MEMORY; k++) {
        bwi_sampler *sampler = NULL;
        assert_true(k < 1000);
        c.f.mem.fail_after = k;
        result = bwi_sampler_create(&sampler, c.f.list, &c.f.mem, &c.f.error);
        c.f.mem.fail_after = -1;
        bwi_sampler_free(sampler);
    }
    assert_int_equal(result, BW_OK);
    fixture_close(&c.f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_mixed_between_samples),
        cmocka_unit_test(at_rest_nothing_is_read),
        cmocka_unit_test(a_walk_reads_each_sample_once),
        cmocka_unit_test(normals_are_mixed_and_normalised),
        cmocka_unit_test(missing_normals_are_flat_in_every_frame),
        cmocka_unit_test(a_changing_topology_moves_by_velocities),
        cmocka_unit_test(matrices_turn_on_an_arc),
        cmocka_unit_test(matrices_that_mirror_stay_mirrors),
        cmocka_unit_test(matrices_are_split),
        cmocka_unit_test(sheared_matrices_are_mixed_by_elements),
        cmocka_unit_test(what_is_hidden_is_one_point),
        cmocka_unit_test(a_failed_read_stays),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
