/* SPDX-License-Identifier: MIT
 * Normals that the file does not bring. */
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

/* Two faces at a right angle over the edge from (0,0,0) to (0,1,0): normals (0,0,1) and (1,0,0). */
static const float fold[] = {0, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0, -1};
static const uint32_t fold_indices[] = {0, 1, 2, 0, 3, 1};

static uint32_t folded(scene_builder *b) {
    builder_init(b);
    uint32_t node = builder_node(b, "fold", BW_NO_INDEX);
    b->nodes[node].mesh = builder_mesh(b, "fold", 0);
    builder_primitive(b, 0, 4, fold, NULL, fold_indices, 6);
    return node;
}

static void faces_without_normals_share_no_vertex(void **state) {
    (void)state;
    scene_builder b;
    folded(&b);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(f.list->vertex_count, 6);
    assert_false(f.list->parts[0].has_normals);
    assert_int_equal(fixture_warned(&f, "normals-missing"), 1);
    assert_memory_equal(f.list->parts[0].source_vertices, fold_indices, sizeof fold_indices);
    assert_int_equal(f.list->primitives[0].index_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(f.list->primitives[0].indices[i], i);
    }
    fixture_evaluate(&f, NULL, 0);
    for (size_t i = 0; i < 3; i++) {
        EXPECT3(f.normals + 3 * i, 0, 0, 1, ROUNDED);
        EXPECT3(f.normals + 9 + 3 * i, 1, 0, 0, ROUNDED);
    }
    fixture_close(&f);
}

/* Under a mirror triangles turn round and normals stay outside; also when only the animation mirrors. */
static void flat_normals_stay_outside_under_a_mirror(void **state) {
    (void)state;
    scene_builder b;
    uint32_t node = folded(&b);
    b.nodes[node].scale[1] = -1;
    static const float times[] = {0, 1}, scales[] = {1, 1, 1, 1, -1, 1};
    builder_channel(&b, builder_clip(&b, "flip"), node, BW_CHANNEL_SCALE, BW_INTERPOLATION_STEP, 2, times, scales);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    static const uint32_t turned[] = {0, 2, 1, 3, 5, 4};
    assert_memory_equal(f.list->primitives[0].indices, turned, sizeof turned);
    for (int clip = 0; clip < 3; clip++) {
        fixture_evaluate(&f, clip == 0 ? NULL : &b.clips[0], clip - 1);
        EXPECT3(f.normals, 0, 0, 1, ROUNDED);
        EXPECT3(f.normals + 15, 1, 0, 0, ROUNDED);
    }
    fixture_close(&f);
}

static void flat_normals_follow_skin_and_morph(void **state) {
    (void)state;
    scene_builder b;
    uint32_t node = folded(&b);
    uint32_t joint = builder_node(&b, "joint", BW_NO_INDEX), still = builder_node(&b, "still", BW_NO_INDEX);
    static const uint32_t joints[] = {1, 2}, influences[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    static const float weights[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    static const float identities[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                                       1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    b.nodes[node].skin = builder_skin(&b, joints, 2, identities);
    bw_primitive *primitive = &b.primitives[0][0];
    primitive->influence_count = 4;
    primitive->joints = influences;
    primitive->weights = weights;
    b.meshes[0].target_count = 1;
    b.meshes[0].weights = (bw_float_list){(float[]){0}, 1};
    static const float moves[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0};
    const bw_morph_target target = {.positions = moves};
    primitive->targets.data = &target;
    primitive->targets.count = 1;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(fixture_warned(&f, "morph-normals-computed"), 0); /* flat ones are recomputed anyway */
    b.nodes[still].translation[2] = 1;                                 /* source vertex 2 to (−1, 0, 1) */
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.normals, 0.70710678, 0, 0.70710678, ROUNDED);
    EXPECT3(f.normals + 9, 1, 0, 0, ROUNDED);
    b.meshes[0].weights.data = (float[]){1}; /* source vertex 3 to (−1, 0, −1) */
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions + 12, -1, 0, -1, 0);
    EXPECT3(f.normals + 9, 0.70710678, 0, -0.70710678, ROUNDED);
    b.nodes[joint].scale[0] =
        -1; /* mirrors the second face, whose normal must stay outside: away from the first's side */
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.normals + 9, -0.70710678, 0, -0.70710678, ROUNDED);
    fixture_close(&f);
}

static void what_has_no_surface_points_up(void **state) {
    (void)state;
    static const bw_primitive_mode modes[] = {BW_PRIMITIVE_LINES, BW_PRIMITIVE_POINTS};
    static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    for (int authored = 0; authored < 2; authored++) {
        for (size_t i = 0; i < 2; i++) {
            scene_builder b;
            folded(&b);
            b.primitives[0][0].mode = modes[i];
            b.primitives[0][0].normals = authored != 0 ? normals : NULL;
            list_fixture f;
            assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
            assert_int_equal(f.list->vertex_count, 4); /* not split */
            assert_int_equal(fixture_warned(&f, "normals-missing"), 0);
            assert_memory_equal(f.list->primitives[0].indices, fold_indices, sizeof fold_indices);
            fixture_evaluate(&f, NULL, 0);
            EXPECT3(f.normals + 9, 0, authored != 0 ? 0 : 1, authored != 0 ? 1 : 0, 0);
            EXPECT3(f.positions + 9, 0, 0, -1, 0);
            fixture_close(&f);
        }
    }
}

static void degenerate_triangles_point_up(void **state) {
    (void)state;
    scene_builder b;
    folded(&b);
    static const uint32_t indices[] = {0, 0, 1, 0, 1, 2};
    b.primitives[0][0].indices.data = indices;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.normals, 0, 1, 0, 0);
    EXPECT3(f.normals + 9, 0, 0, 1, ROUNDED);
    fixture_close(&f);
}

static void tangents_are_all_or_nothing(void **state) {
    (void)state;
    static const float tangents[] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
    scene_builder b;
    builder_init(&b);
    builder_triangle(&b, "with", BW_NO_INDEX);
    builder_triangle(&b, "lines", BW_NO_INDEX);
    builder_triangle(&b, "without", BW_NO_INDEX);
    b.primitives[0][0].tangents = tangents;
    b.primitives[1][0].mode = BW_PRIMITIVE_POINTS;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_false(f.list->has_tangents);
    assert_int_equal(fixture_warned(&f, "tangents-dropped"), 1);
    fixture_close(&f);

    b.nodes[2].in_scene = false;
    assert_int_equal(fixture_open(&f, &b.scene, NULL), BW_OK);
    assert_true(f.list->has_tangents);
    assert_int_equal(fixture_warned(&f, "tangents-dropped"), 0);
    fixture_evaluate(&f, NULL, 0);
    EXPECT4(f.tangents, 1, 0, 0, 1, 0);
    EXPECT4(f.tangents + 12, 1, 0, 0, 1, 0); /* points, which have none: some unit vector */
    fixture_close(&f);

    b.primitives[0][0].normals = NULL; /* glTF: tangents without normals do not count */
    assert_int_equal(fixture_open(&f, &b.scene, NULL), BW_OK);
    assert_false(f.list->has_tangents);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_without_normals_share_no_vertex),
        cmocka_unit_test(flat_normals_stay_outside_under_a_mirror),
        cmocka_unit_test(flat_normals_follow_skin_and_morph),
        cmocka_unit_test(what_has_no_surface_points_up),
        cmocka_unit_test(degenerate_triangles_point_up),
        cmocka_unit_test(tangents_are_all_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
