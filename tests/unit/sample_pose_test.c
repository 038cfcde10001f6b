/* SPDX-License-Identifier: MIT
 * Node transforms at a time, as seen by the vertices they move. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "expect.h"
#include "list_fixture.h"
#include "scene_builder.h"

/* Results are rounded to float once; values are below 32. */
static const double ROUNDED = 2e-6;

#define HALF_SQRT2 0.70710678f
#define QUARTER_TURN_Z \
    { 0, 0, HALF_SQRT2, HALF_SQRT2 }

static void set3(float out[3], float x, float y, float z) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static void set_rotation(bw_node *node, const float rotation[4]) {
    memcpy(node->rotation, rotation, 4 * sizeof(float));
}

static void scale_rotation_translation_in_that_order(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    uint32_t node = builder_triangle(&b, "a", BW_NO_INDEX);
    set3(b.nodes[node].translation, 10, 0, 0);
    set_rotation(&b.nodes[node], (float[])QUARTER_TURN_Z);
    set3(b.nodes[node].scale, 2, 3, 1);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 10, 0, 0, ROUNDED);
    EXPECT3(f.positions + 3, 10, 2, 0, ROUNDED);
    EXPECT3(f.positions + 6, 7, 0, 0, ROUNDED);
    EXPECT3(f.normals, 0, 0, 1, ROUNDED);
    fixture_close(&f);
}

static void children_follow_parents_that_come_later_in_the_file(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    builder_triangle(&b, "child", 1);
    uint32_t parent = builder_node(&b, "parent", 2), root = builder_node(&b, "root", BW_NO_INDEX);
    set3(b.nodes[0].translation, 1, 0, 0);
    set_rotation(&b.nodes[parent], (float[])QUARTER_TURN_Z);
    set3(b.nodes[root].translation, 0, 0, 5);
    set3(b.nodes[root].scale, 2, 1, 1);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 0, 1, 5, ROUNDED);
    EXPECT3(f.positions + 3, 0, 2, 5, ROUNDED);
    EXPECT3(f.positions + 6, -2, 1, 5, ROUNDED);
    const double *worlds = bwi_sampler_world_matrices(f.sampler);
    EXPECT3(worlds + 12, 0, 1, 5, ROUNDED);      /* node 0, column 3 */
    EXPECT3(worlds + 16, 0, 1, 0, ROUNDED);      /* node 1, column 0 */
    EXPECT3(worlds + 16 + 4, -2, 0, 0, ROUNDED); /* node 1, column 1 */
    EXPECT3(worlds + 32 + 12, 0, 0, 5, ROUNDED); /* node 2, column 3 */
    fixture_close(&f);
}

static void a_matrix_is_taken_as_it_is(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    builder_triangle(&b, "a", BW_NO_INDEX);
    b.nodes[0].has_matrix = true;
    set3(b.nodes[0].translation, 99, 99, 99);                                     /* not to be used */
    const float matrix[16] = {1, 2, 0, 0, 0.5f, 1, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1}; /* sheared: no TRS has it */
    memcpy(b.nodes[0].matrix, matrix, sizeof matrix);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 7, 8, 9, ROUNDED);
    EXPECT3(f.positions + 3, 8, 10, 9, ROUNDED);
    EXPECT3(f.positions + 6, 7.5, 9, 9, ROUNDED);
    fixture_close(&f);
}

static void rotations_are_normalised(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    builder_triangle(&b, "a", BW_NO_INDEX);
    set_rotation(&b.nodes[0], (float[]){0, 0, 3, 3});
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions + 3, 0, 1, 0, ROUNDED);
    fixture_close(&f);
}

static void instances_are_placed_inside_the_node(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    builder_triangle(&b, "a", BW_NO_INDEX);
    set3(b.nodes[0].scale, 2, 2, 2);
    const bw_instance instances[] = {
        {{1, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
        {{0, 0, 3}, QUARTER_TURN_Z, {1, 4, 1}},
    };
    b.nodes[0].instances.data = instances;
    b.nodes[0].instances.count = 2;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(f.list->vertex_count, 6);
    assert_int_equal(f.list->parts[1].instance, 1);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 2, 0, 0, ROUNDED);
    EXPECT3(f.positions + 3, 4, 0, 0, ROUNDED);
    EXPECT3(f.positions + 9, 0, 0, 6, ROUNDED);
    EXPECT3(f.positions + 12, 0, 2, 6, ROUNDED);
    EXPECT3(f.positions + 15, -8, 0, 6, ROUNDED);
    fixture_close(&f);
}

/* The pose of one evaluation must not leak into the next. */
static void a_clip_moves_only_what_it_names(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    builder_triangle(&b, "a", BW_NO_INDEX);
    set3(b.nodes[0].scale, 3, 1, 1);
    static const float times[] = {1, 2}, moves[] = {0, 0, 0, 8, 0, 0},
                       turns[] = {0, 0, 0, 1, 0, 0, HALF_SQRT2, HALF_SQRT2};
    builder_channel(&b, builder_clip(&b, "move"), 0, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, times, moves);
    builder_channel(&b, builder_clip(&b, "turn"), 0, BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR, 2, times, turns);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, &b.clips[0], 1.5);
    EXPECT3(f.positions + 3, 7, 0, 0, ROUNDED);
    fixture_evaluate(&f, &b.clips[1], 2);
    EXPECT3(f.positions + 3, 0, 3, 0, ROUNDED);
    fixture_evaluate(&f, NULL, 2);
    EXPECT3(f.positions + 3, 3, 0, 0, ROUNDED);
    fixture_close(&f);
}

static void clips_play_together_and_the_later_wins(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    builder_triangle(&b, "a", BW_NO_INDEX);
    static const float times[] = {1, 2}, moves[] = {0, 0, 0, 8, 0, 0}, others[] = {0, 0, 0, 0, 6, 0};
    static const float turns[] = {0, 0, 0, 1, 0, 0, HALF_SQRT2, HALF_SQRT2};
    builder_channel(&b, builder_clip(&b, "move"), 0, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, times, moves);
    builder_channel(&b, builder_clip(&b, "turn"), 0, BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR, 2, times, turns);
    builder_channel(&b, builder_clip(&b, "other"), 0, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, times,
                    others);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    const bw_clip *const clips[] = {&b.clips[0], &b.clips[1], &b.clips[2]};
    bwi_sampler_evaluate(f.sampler, &(bwi_clip_mix){clips, 2}, 2, f.positions, NULL, NULL);
    EXPECT3(f.positions + 3, 8, 1, 0, ROUNDED);
    bwi_sampler_evaluate(f.sampler, &(bwi_clip_mix){clips, 3}, 2, f.positions, NULL, NULL);
    EXPECT3(f.positions + 3, 0, 7, 0, ROUNDED);
    fixture_close(&f);
}

static void evaluation_allocates_nothing(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    builder_triangle(&b, "a", BW_NO_INDEX);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    size_t used = f.mem.used;
    f.mem.peak = used;
    f.mem.fail_after = 0;
    fixture_evaluate(&f, NULL, 0);
    assert_int_equal(f.mem.used, used);
    assert_int_equal(f.mem.peak, used);
    EXPECT3(f.positions + 3, 1, 0, 0, ROUNDED);
    fixture_close(&f);
}

/* A part under two nodes, one of them moved by a clip that plays no part here. */
static void parts_are_placed_by_matrices(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    uint32_t root = builder_node(&b, "root", BW_NO_INDEX), child = builder_triangle(&b, "child", root);
    set3(b.nodes[root].translation, 0, 0, 5);
    set3(b.nodes[root].scale, 2, 1, 1);
    set3(b.nodes[child].translation, 1, 0, 0);
    set_rotation(&b.nodes[child], (float[])QUARTER_TURN_Z);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    const bwi_part *part = &f.list->parts[0];
    bwi_mat4 below = bwi_part_rest_matrix(f.list, part, root), whole = bwi_part_rest_matrix(f.list, part, BW_NO_INDEX);
    bwi_mat4 none = bwi_part_rest_matrix(f.list, part, child);
    bwi_vec3 p = bwi_mat4_point(&below, (bwi_vec3){1, 0, 0}), q = bwi_mat4_point(&whole, (bwi_vec3){0, 1, 0}),
             r = bwi_mat4_point(&none, (bwi_vec3){0, 1, 0});
    EXPECT3(&p.x, 1, 1, 0, ROUNDED);
    EXPECT3(&q.x, 0, 0, 5, ROUNDED);
    EXPECT3(&r.x, 0, 1, 0, 0);
    bwi_mat4 mirror = bwi_mat4_identity();
    mirror.m[10] = -3;
    mirror.m[12] = 9;
    bwi_sampler_place(f.sampler, &mirror, f.positions, f.normals, NULL);
    EXPECT3(f.positions + 6, 9, 1, 0, 0);
    EXPECT3(f.normals, 0, 0, -1, 0);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scale_rotation_translation_in_that_order),
        cmocka_unit_test(children_follow_parents_that_come_later_in_the_file),
        cmocka_unit_test(a_matrix_is_taken_as_it_is),
        cmocka_unit_test(rotations_are_normalised),
        cmocka_unit_test(instances_are_placed_inside_the_node),
        cmocka_unit_test(a_clip_moves_only_what_it_names),
        cmocka_unit_test(clips_play_together_and_the_later_wins),
        cmocka_unit_test(evaluation_allocates_nothing),
        cmocka_unit_test(parts_are_placed_by_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
