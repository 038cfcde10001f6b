/* SPDX-License-Identifier: MIT
 * Morph targets: which weights count, in which space displacements are added, what becomes of normals and tangents. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "expect.h"
#include "list_fixture.h"
#include "scene_builder.h"

/* Float kernels over values below 16: a few roundings. */
static const double ROUNDED = 2e-6;

static const float lift_last[] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
static const float push_all[] = {1, 0, 0, 1, 0, 0, 1, 0, 0};
static const float ones[] = {1, 1}, halves[] = {0.5f, 0.25f}, zeros[] = {0, 0};
static const float normals_z[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};

static void set3(float out[3], float x, float y, float z) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* The builder's triangle with targets. */
static bw_primitive *morphed_triangle(scene_builder *b, const bw_morph_target *targets, uint32_t count) {
    uint32_t node = builder_triangle(b, "face", BW_NO_INDEX);
    bw_mesh *mesh = &b->meshes[b->nodes[node].mesh];
    mesh->target_count = count;
    mesh->weights = (bw_float_list){zeros, count};
    bw_primitive *primitive = &b->primitives[b->nodes[node].mesh][0];
    primitive->targets.data = targets;
    primitive->targets.count = count;
    return primitive;
}

static void animated_weights_win_over_the_node_s_and_those_over_the_mesh_s(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    const bw_morph_target target = {.positions = push_all};
    morphed_triangle(&b, &target, 1);
    static const float times[] = {0, 1}, keys[] = {0, 8};
    builder_channel(&b, builder_clip(&b, "talk"), 0, BW_CHANNEL_WEIGHTS, BW_INTERPOLATION_LINEAR, 2, times, keys);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 0, 0, 0, 0);
    b.meshes[0].weights.data = ones;
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 1, 0, 0, 0);
    b.nodes[0].weights = (bw_float_list){halves, 1};
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 0.5, 0, 0, 0);
    b.nodes[0].weights.data = zeros; /* 0 is a weight too */
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 0, 0, 0, 0);
    b.nodes[0].weights.data = ones;
    fixture_evaluate(&f, &b.clips[0], 0); /* and so is an animated 0 */
    EXPECT3(f.positions, 0, 0, 0, 0);
    fixture_evaluate(&f, &b.clips[0], 0.5);
    EXPECT3(f.positions, 4, 0, 0, 0);
    fixture_close(&f);
}

static void displacements_add_up_in_mesh_space(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    const bw_morph_target targets[] = {{.positions = push_all}, {.positions = lift_last}};
    morphed_triangle(&b, targets, 2);
    b.meshes[0].weights.data = halves;
    set3(b.nodes[0].translation, 0, 0, 7);
    set3(b.nodes[0].scale, 2, 1, 4);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 1, 0, 7, ROUNDED);
    EXPECT3(f.positions + 6, 1, 1, 8, ROUNDED);
    fixture_close(&f);
}

static void morphs_come_before_the_skin(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    const bw_morph_target target = {.positions = push_all};
    bw_primitive *primitive = morphed_triangle(&b, &target, 1);
    b.meshes[0].weights.data = ones;
    static const uint32_t joints[] = {1}, influences[12];
    static const float weights[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    static const float identity[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    uint32_t joint = builder_node(&b, "joint", BW_NO_INDEX);
    b.nodes[0].skin = builder_skin(&b, joints, 1, identity);
    memcpy(b.nodes[joint].rotation, (float[]){0, 0, 0.70710678f, 0.70710678f}, 4 * sizeof(float));
    primitive->influence_count = 4;
    primitive->joints = influences;
    primitive->weights = weights;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 0, 1, 0, ROUNDED);
    EXPECT3(f.positions + 3, 0, 2, 0, ROUNDED);
    fixture_close(&f);
}

/* N = (0,0,1) + ½·(2,0,0) = (1,0,1)/√2; the tangent (0,1,0) + ½·(0,0,2) = (0,1,1) less its part along N: (−½, 1, ½)/√1.5. */
static void normals_and_tangents_get_displacements(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const float tilt[] = {2, 0, 0, 2, 0, 0, 2, 0, 0}, twist[] = {0, 0, 2, 0, 0, 2, 0, 0, 2};
    static const float tangents[] = {0, 1, 0, -1, 0, 1, 0, -1, 0, 1, 0, -1};
    const bw_morph_target target = {lift_last, tilt, twist};
    bw_primitive *primitive = morphed_triangle(&b, &target, 1);
    primitive->tangents = tangents;
    b.meshes[0].weights.data = halves;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    for (size_t i = 0; i < 3; i++) {
        EXPECT3(f.normals + 3 * i, 0.70710678, 0, 0.70710678, ROUNDED);
        EXPECT4(f.tangents + 4 * i, -0.40824829, 0.81649658, 0.40824829, -1, ROUNDED);
    }
    assert_int_equal(fixture_warned(&f, "morph-normals-computed"), 0);
    assert_false(f.list->parts[0].computes_morph_normals);
    fixture_close(&f);
}

/* Vertices 1 and 3 of 5 are not used: displacements must be picked by source vertex. */
static void unused_vertices_do_not_shift_displacements(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const float positions[] = {0, 0, 0, 9, 9, 9, 1, 0, 0, 9, 9, 9, 0, 1, 0};
    static const float normals[] = {0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1};
    static const float tangents[] = {1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, -1, 0, 1, 0, 1, 1, 0, 0, 1};
    static const float moves[] = {1, 0, 0, 50, 50, 50, 2, 0, 0, 50, 50, 50, 3, 0, 0};
    static const float turns[] = {0, 1, 0, 50, 50, 50, 0, 2, 0, 50, 50, 50, 0, 3, 0};
    static const uint32_t indices[] = {4, 0, 2};
    uint32_t node = builder_node(&b, "a", BW_NO_INDEX);
    b.nodes[node].mesh = builder_mesh(&b, "a", 1);
    b.meshes[0].weights.data = ones;
    bw_primitive *primitive = builder_primitive(&b, 0, 5, positions, normals, indices, 3);
    primitive->tangents = tangents;
    const bw_morph_target target = {moves, turns, turns};
    primitive->targets.data = &target;
    primitive->targets.count = 1;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(f.list->vertex_count, 3);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 1, 0, 0, 0);
    EXPECT3(f.positions + 3, 3, 0, 0, 0);
    EXPECT3(f.positions + 6, 3, 1, 0, 0);
    EXPECT3(f.normals + 6, 0, 0.94868330, 0.31622777, ROUNDED);
    EXPECT1(f.tangents[3], 1, 0);
    EXPECT1(f.tangents[7], -1, 0);
    /* (1, 2, 0) less its part along (0, 1, 1)·2/√… : normal of vertex 2 is (0, 2, 1)/√5. */
    EXPECT3(f.tangents + 4, 0.74535599, 0.29814240, -0.59628479, ROUNDED);
    fixture_close(&f);
}

static void two_nodes_of_one_mesh_have_weights_of_their_own(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    const bw_morph_target target = {.positions = push_all};
    morphed_triangle(&b, &target, 1);
    uint32_t twin = builder_node(&b, "twin", BW_NO_INDEX);
    b.nodes[twin].mesh = 0;
    b.nodes[0].weights = (bw_float_list){ones, 1};
    b.nodes[twin].weights = (bw_float_list){halves, 1};
    static const bw_instance instances[] = {{{0, 2, 0}, {0, 0, 0, 1}, {1, 1, 1}}, {{0, 4, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
    b.nodes[twin].instances.data = instances;
    b.nodes[twin].instances.count = 2;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 1, 0, 0, 0);
    EXPECT3(f.positions + 9, 0.5, 2, 0, 0);
    EXPECT3(f.positions + 18, 0.5, 4, 0, 0);
    b.nodes[twin].weights.data = zeros;
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions + 9, 0, 2, 0, 0);
    assert_int_equal(fixture_warned(&f, "morph-normals-computed"), 1); /* a primitive counts once */
    fixture_close(&f);
}

/* Lifting the last vertex turns the face from (0,0,1) to (0,−1,1)/√2; the authored normal keeps its tilt: N + (C(w) − C(0)). */
static void normals_follow_a_surface_whose_targets_bring_none(void **state) {
    (void)state;
    static const float tilted[] = {0.6f, 0, 0.8f, 0, 0, 1, 0, 0, -1};
    const bw_morph_target cases[] = {{.positions = lift_last}, {.positions = lift_last, .normals = (float[9]){0}}};
    for (size_t i = 0; i < 2; i++) {
        scene_builder b;
        builder_init(&b);
        bw_primitive *primitive = morphed_triangle(&b, &cases[i], 1);
        primitive->normals = tilted;
        list_fixture f;
        assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
        assert_int_equal(fixture_warned(&f, "morph-normals-computed"), 1);
        assert_true(f.list->parts[0].computes_morph_normals);
        fixture_evaluate(&f, NULL, 0);
        EXPECT3(f.normals, 0.6, 0, 0.8, ROUNDED);
        EXPECT3(f.normals + 6, 0, 0, -1, ROUNDED);
        b.meshes[0].weights.data = ones;
        fixture_evaluate(&f, NULL, 0);
        /* (0.6, −1/√2, 0.8 + 1/√2 − 1) normalised */
        EXPECT3(f.normals, 0.56766758, -0.66900265, 0.47978022, ROUNDED);
        EXPECT3(f.normals + 3, 0, -0.70710678, 0.70710678, ROUNDED);
        /* A normal authored against the winding turns with its own side of the surface. */
        EXPECT3(f.normals + 6, 0, 0.70710678, -0.70710678, ROUNDED);
        fixture_close(&f);
    }
}

/* Two triangles of a fold, vertices doubled along the crease (0,0,0)–(0,1,0).  Doubles with equal normals are one group, so both get the
 * mean of the faces; where normals differ each keeps to its face. */
static void doubled_vertices_share_a_normal_only_where_they_did_at_rest(void **state) {
    (void)state;
    static const float positions[] = {1, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 1, -0.0f};
    static const float moves[] = {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    static const float smooth[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const float hard[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0.6f, 0.8f, 0, 0.6f, 0.8f, 0, 0.6f, 0.8f};
    static const uint32_t indices[] = {0, 1, 2, 3, 4, 5};
    for (int welded = 0; welded < 2; welded++) {
        scene_builder b;
        builder_init(&b);
        uint32_t node = builder_node(&b, "fold", BW_NO_INDEX);
        b.nodes[node].mesh = builder_mesh(&b, "fold", 1);
        b.meshes[0].weights.data = ones;
        bw_primitive *primitive = builder_primitive(&b, 0, 6, positions, welded != 0 ? smooth : hard, indices, 6);
        const bw_morph_target target = {.positions = moves};
        primitive->targets.data = &target;
        primitive->targets.count = 1;
        list_fixture f;
        assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
        fixture_evaluate(&f, NULL, 0);
        /* Faces: (−1,0,1) of length √2 and (0,0,1): their sum (−1,0,2), by area. */
        EXPECT3(f.normals, -0.70710678, 0, 0.70710678, ROUNDED);
        if (welded != 0) {
            EXPECT3(f.normals + 3, -0.44721360, 0, 0.89442719, ROUNDED);
            EXPECT3(f.normals + 15, -0.44721360, 0, 0.89442719, ROUNDED);
            EXPECT3(f.normals + 9, 0, 0, 1, ROUNDED);
        } else {
            EXPECT3(f.normals + 3, -0.70710678, 0, 0.70710678, ROUNDED);
            EXPECT3(f.normals + 15, 0, 0.6, 0.8, ROUNDED);
        }
        fixture_close(&f);
    }
}

static void a_surface_that_collapses_keeps_its_normals(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const float collapse[] = {0, 0, 0, -1, 0, 0, 0, -1, 0};
    const bw_morph_target target = {.positions = collapse};
    morphed_triangle(&b, &target, 1)->normals = normals_z;
    b.meshes[0].weights.data = ones;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions + 3, 0, 0, 0, 0);
    EXPECT3(f.normals + 3, 0, 0, 1, ROUNDED);
    fixture_close(&f);
}

static void one_target_with_normals_is_enough_to_trust_the_file(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const float tilt[] = {0, 0, 0, 0, 0, 0, 1, 0, 0};
    const bw_morph_target targets[] = {{.positions = lift_last}, {.positions = lift_last, .normals = tilt}};
    morphed_triangle(&b, targets, 2);
    b.meshes[0].weights.data = (float[]){1, 0};
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(fixture_warned(&f, "morph-normals-computed"), 0);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.normals + 6, 0, 0, 1, ROUNDED);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(animated_weights_win_over_the_node_s_and_those_over_the_mesh_s),
        cmocka_unit_test(displacements_add_up_in_mesh_space),
        cmocka_unit_test(morphs_come_before_the_skin),
        cmocka_unit_test(normals_and_tangents_get_displacements),
        cmocka_unit_test(unused_vertices_do_not_shift_displacements),
        cmocka_unit_test(two_nodes_of_one_mesh_have_weights_of_their_own),
        cmocka_unit_test(normals_follow_a_surface_whose_targets_bring_none),
        cmocka_unit_test(doubled_vertices_share_a_normal_only_where_they_did_at_rest),
        cmocka_unit_test(a_surface_that_collapses_keeps_its_normals),
        cmocka_unit_test(one_target_with_normals_is_enough_to_trust_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
