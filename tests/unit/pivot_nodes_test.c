/* SPDX-License-Identifier: MIT
 * Elements that the scene knows: nodes, instances, joints, materials; what auto takes; their parents, pivots, axes, names. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/math.h"
#include "expect.h"
#include "pivot_fixture.h"
#include "plant_fixture.h"
#include "scene_builder.h"

static const bw_pivot_opts nodes = {.elements = BW_PIVOT_ELEMENTS_NODES},
                           joints = {.elements = BW_PIVOT_ELEMENTS_JOINTS},
                           automatic = {.elements = BW_PIVOT_ELEMENTS_AUTO};

static void move(scene_builder *b, uint32_t node, float x, float y, float z) {
    memcpy(b->nodes[node].translation, (float[]){x, y, z}, 3 * sizeof(float));
}

static void nodes_hang_on_the_nearest_with_a_mesh(void **state) {
    (void)state;
    plant p;
    pivot_fixture f;
    plant_grow(&p, &(plant_shape){3, {4, 5, 6}, false, false, false, false, 0, 1});
    plant_as_nodes(&p, "");
    assert_int_equal(pivot_find(&f, &p.scene, &automatic), BW_OK);
    assert_string_equal(f.plan->kind, "nodes");
    assert_int_equal(f.plan->elements.count, p.count);
    for (uint32_t i = 0; i < p.count; i++) {
        const bw_pivot_element *e = &f.plan->elements.data[i];
        assert_int_equal(e->parent, p.parents[i]);
        assert_int_equal(e->found, BW_PIVOT_FOUND_GIVEN);
        EXPECT1(e->confidence, 1, 0);
        EXPECT3(e->pivot, p.pivots[i][0], p.pivots[i][1], p.pivots[i][2], 1e-5); /* floats of a chain of three */
        const bwi_vec3 tip = {p.tips[i][0] - p.pivots[i][0], p.tips[i][1] - p.pivots[i][1],
                              p.tips[i][2] - p.pivots[i][2]};
        const bwi_vec3 x = {e->axes[0][0], e->axes[0][1], e->axes[0][2]};
        assert_true(bwi_vec3_dot(bwi_vec3_normalize(tip), x) >
                    0.999); /* the mean of the last ring, or of a card's end */
        EXPECT1(e->extents[0], bwi_vec3_length(tip), 0.02);
    }
    pivot_close(&f);
    plant_free(&p);
}

/* "group" shows nothing: its child hangs on what is above.  Names that occur again are told apart, and one that is taken is passed over. */
static void empty_nodes_are_passed_over(void **state) {
    (void)state;
    scene_builder b;
    pivot_fixture f;
    builder_init(&b);
    const uint32_t trunk = builder_triangle(&b, "trunk", BW_NO_INDEX), group = builder_node(&b, "group", trunk);
    const uint32_t first = builder_triangle(&b, "leaf", group), second = builder_triangle(&b, "leaf", group);
    const uint32_t third = builder_triangle(&b, "leaf.1", second);
    move(&b, group, 0, 1, 0);
    move(&b, first, 0, 1, 0);
    move(&b, second, 1, 0, 0);
    move(&b, third, 0, 0, 2);
    assert_int_equal(pivot_find(&f, builder_finish(&b), &nodes), BW_OK);
    assert_int_equal(f.plan->elements.count, 4);
    assert_int_equal(f.plan->dropped_count, 0);
    assert_string_equal(pivot_parent(&f, "trunk"), "");
    assert_string_equal(pivot_parent(&f, "leaf"), "trunk");
    assert_string_equal(pivot_parent(&f, "leaf.2"), "trunk");
    assert_string_equal(pivot_parent(&f, "leaf.1"), "leaf.2");
    EXPECT3(pivot_named(&f, "leaf")->pivot, 0, 2, 0, 0);
    EXPECT3(pivot_named(&f, "leaf.2")->pivot, 1, 1, 0, 0);
    EXPECT3(pivot_named(&f, "leaf.1")->pivot, 1, 1, 2, 0);
    assert_null(pivot_warning(&f, "no-parents"));
    assert_null(pivot_warning(&f, "pivots-shared"));
    pivot_close(&f);
    move(&b, third, 0, 0, 0);
    assert_int_equal(pivot_find(&f, builder_finish(&b), &nodes), BW_OK);
    assert_int_equal(pivot_warning(&f, "pivots-shared")->count, 1);
    assert_string_equal(pivot_warning(&f, "pivots-shared")->first, "leaf.1");
    pivot_close(&f);
}

static void instances_are_elements_and_children_hang_on_the_nearest(void **state) {
    (void)state;
    scene_builder b;
    pivot_fixture f;
    builder_init(&b);
    const uint32_t trunk = builder_triangle(&b, "trunk", BW_NO_INDEX), twigs = builder_triangle(&b, "twigs", trunk);
    const uint32_t leaf = builder_triangle(&b, "leaf", twigs);
    static const bw_instance copies[] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                         {{0, 3, 0}, {0, 0, 0, 1}, {2, 2, 2}},
                                         {{0, 0, 5}, {0, 0, 0, 1}, {1, 1, 1}}};
    b.nodes[twigs].instances.data = copies;
    b.nodes[twigs].instances.count = 3;
    move(&b, twigs, 10, 0, 0);
    move(&b, leaf, 0, 2.5f, 0);
    assert_int_equal(pivot_find(&f, builder_finish(&b), &automatic), BW_OK);
    assert_string_equal(f.plan->kind, "nodes");
    assert_int_equal(f.plan->elements.count, 5);
    EXPECT3(pivot_named(&f, "twigs")->pivot, 10, 0, 0, 0);
    EXPECT3(pivot_named(&f, "twigs.1")->pivot, 10, 3, 0, 0);
    EXPECT3(pivot_named(&f, "twigs.2")->pivot, 10, 0, 5, 0);
    assert_string_equal(pivot_parent(&f, "twigs.2"), "trunk");
    assert_string_equal(pivot_parent(&f, "leaf"), "twigs.1"); /* 0.5 m, not 2.5 or 5.6 */
    /* The second is twice as large: its corners are (0, 0), (2, 0), (0, 2) from its pivot. */
    const bw_pivot_element *large = pivot_named(&f, "twigs.1");
    EXPECT3(large->axes[0], 0.70710678, 0.70710678, 0, 1e-7);
    EXPECT1(large->extents[0], 1.41421356, 1e-6);
    pivot_close(&f);
}

/* Columns of a node that is mirrored and scaled unevenly stay unit, at right angles and right-handed. */
static void axes_of_nodes_survive_scale_and_mirrors(void **state) {
    (void)state;
    static const struct {
        bw_pivot_axis axis;
        double x[3];
    } cases[] = {{BW_PIVOT_AXIS_X, {-1, 0, 0}},     {BW_PIVOT_AXIS_Y, {0, 1, 0}},
                 {BW_PIVOT_AXIS_Z, {0, 0, 1}},      {BW_PIVOT_AXIS_NEG_X, {1, 0, 0}},
                 {BW_PIVOT_AXIS_NEG_Y, {0, -1, 0}}, {BW_PIVOT_AXIS_NEG_Z, {0, 0, -1}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        scene_builder b;
        pivot_fixture f;
        builder_init(&b);
        const uint32_t trunk = builder_triangle(&b, "trunk", BW_NO_INDEX), leaf = builder_triangle(&b, "leaf", trunk);
        memcpy(b.nodes[leaf].scale, (float[]){-2, 3, 0.5f}, 3 * sizeof(float));
        move(&b, leaf, 0, 1, 0);
        bw_pivot_opts opts = nodes;
        opts.axis = cases[k].axis;
        assert_int_equal(pivot_find(&f, builder_finish(&b), &opts), BW_OK);
        const bw_pivot_element *e = pivot_named(&f, "leaf");
        EXPECT3(e->axes[0], cases[k].x[0], cases[k].x[1], cases[k].x[2], 1e-12);
        bwi_vec3 a[3];
        for (int i = 0; i < 3; i++)
            a[i] = (bwi_vec3){e->axes[i][0], e->axes[i][1], e->axes[i][2]};
        const bwi_vec3 z = bwi_vec3_cross(a[0], a[1]);
        EXPECT3(e->axes[2], z.x, z.y, z.z, 1e-12);
        EXPECT1(bwi_vec3_length(a[1]), 1, 1e-12);
        /* The mirror turned the triangle round: (0,0,0) (−2,0,0) (0,3,0) is seen from behind as it was. */
        const uint32_t *t = f.plan->primitives.data[0].indices.data + 3;
        const float *p = f.plan->positions;
        assert_int_equal(f.plan->vertex_elements[t[0]], 1);
        EXPECT3(p + 3 * t[1], 0, 4, 0, 0);
        EXPECT3(p + 3 * t[2], -2, 1, 0, 0);
        pivot_close(&f);
    }
}

/* Two bones, one bends the upper half; a triangle goes with the one that holds most of it, and vertices between are split. */
static void triangles_go_with_the_joint_that_holds_most(void **state) {
    (void)state;
    scene_builder b;
    pivot_fixture f;
    builder_init(&b);
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0};
    static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const uint32_t indices[] = {0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4};
    static const uint32_t influences[6 * 4] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0};
    static const float weights[6 * 4] = {1,    0,    0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0,
                                         0.5f, 0.5f, 0, 0, 0, 1, 0, 0, 1,    0,    0, 0};
    static const float inverse_bind[3 * 16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,
                                               1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1,
                                               1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1};
    uint32_t bones[3];
    bones[0] = builder_node(&b, "low", BW_NO_INDEX);
    bones[2] = builder_node(&b, "between", bones[0]);
    bones[1] = builder_node(&b, "high", bones[2]);
    move(&b, bones[2], 0, 1, 0);
    const uint32_t node = builder_node(&b, "skin", BW_NO_INDEX), mesh = builder_mesh(&b, "mesh", 0);
    bw_primitive *p = builder_primitive(&b, mesh, 6, positions, normals, indices, 12);
    p->influence_count = 4;
    p->joints = influences;
    p->weights = weights;
    b.nodes[node].mesh = mesh;
    b.nodes[node].skin = builder_skin(&b, bones, 3, inverse_bind);
    assert_int_equal(pivot_find(&f, builder_finish(&b), &automatic), BW_OK);
    assert_string_equal(f.plan->kind, "joints");
    assert_int_equal(f.plan->elements.count, 2);
    assert_int_equal(f.plan->dropped_count, 1); /* "between" holds nothing */
    assert_string_equal(pivot_parent(&f, "high"), "low");
    EXPECT3(pivot_named(&f, "high")->pivot, 0, 1, 0, 0);
    /* Of the second triangle 2 is the lower joint's and 1 the upper's, of the third 1 and 2: six vertices, two of them twice. */
    assert_int_equal(f.plan->vertex_count, 8);
    assert_int_equal(f.plan->primitives.data[0].vertex_count, 8);
    const uint32_t *t = f.plan->primitives.data[0].indices.data;
    for (uint32_t i = 0; i < 12; i++) {
        assert_int_equal(f.plan->vertex_elements[t[i]], i >= 6);
        EXPECT3(f.plan->positions + 3 * t[i], positions[3 * indices[i]], positions[3 * indices[i] + 1], 0, 0);
        EXPECT3(f.plan->normals + 3 * t[i], 0, 0, 1, 0);
    }
    pivot_close(&f);
    /* A mesh without a skin on a joint hangs on it. */
    const uint32_t leaf = builder_triangle(&b, "leaf", bones[2]);
    (void)leaf;
    assert_int_equal(pivot_find(&f, builder_finish(&b), &joints), BW_OK);
    assert_string_equal(pivot_parent(&f, "leaf"), "low");
    pivot_close(&f);
}

static void joints_need_a_skin(void **state) {
    (void)state;
    scene_builder b;
    pivot_fixture f;
    builder_init(&b);
    builder_triangle(&b, "leaf", BW_NO_INDEX);
    assert_int_equal(pivot_find(&f, builder_finish(&b), &joints), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "the scene has no skin; choose nodes or parts"));
    pivot_close(&f);
}

static void auto_takes_parts_of_what_has_one_place(void **state) {
    (void)state;
    scene_builder b;
    pivot_fixture f;
    builder_init(&b);
    builder_triangle(&b, "bark", BW_NO_INDEX);
    builder_triangle(&b, "leaves", BW_NO_INDEX);
    assert_int_equal(pivot_find(&f, builder_finish(&b), &automatic), BW_OK);
    assert_string_equal(f.plan->kind, "parts");
    assert_int_equal(f.plan->elements.count, 1); /* they lie on one another: welded */
    assert_non_null(pivot_warning(&f, "one-element"));
    pivot_close(&f);
    move(&b, 1, 0, 0.5f, 0);
    assert_int_equal(pivot_find(&f, builder_finish(&b), &automatic), BW_OK);
    assert_string_equal(f.plan->kind, "nodes");
    const bw_warning *w = pivot_warning(&f, "no-parents");
    assert_non_null(w);
    assert_int_equal(w->count, 2);
    pivot_close(&f);
}

static void materials_are_elements(void **state) {
    (void)state;
    plant p;
    pivot_fixture f;
    plant_grow(&p, &(plant_shape){2, {4, 3}, false, false, false, false, 0, 1});
    plant_flattened(&p);
    assert_int_equal(pivot_find(&f, &p.scene, &(bw_pivot_opts){.elements = BW_PIVOT_ELEMENTS_MATERIAL}), BW_OK);
    assert_string_equal(f.plan->kind, "material");
    assert_int_equal(f.plan->elements.count, 2);
    assert_string_equal(pivot_parent(&f, "leaves"), "bark");
    assert_string_equal(pivot_parent(&f, "bark"), "");
    EXPECT3(pivot_named(&f, "bark")->pivot, 0, 0, 0, 0.05);
    pivot_close(&f);
    /* Without materials all is one. */
    p.scene.materials.count = 0;
    for (size_t m = 0; m < 2; m++)
        ((bw_primitive *)p.scene.meshes.data[m].primitives.data)->material = BW_NO_INDEX;
    assert_int_equal(pivot_find(&f, &p.scene, &(bw_pivot_opts){.elements = BW_PIVOT_ELEMENTS_MATERIAL}), BW_OK);
    assert_int_equal(f.plan->elements.count, 1);
    assert_string_equal(f.plan->elements.data[0].name, "no material");
    pivot_close(&f);
    plant_free(&p);
}

static void lines_and_points_are_left_out(void **state) {
    (void)state;
    scene_builder b;
    pivot_fixture f;
    builder_init(&b);
    const uint32_t leaf = builder_triangle(&b, "leaf", BW_NO_INDEX), wire = builder_triangle(&b, "wire", leaf);
    move(&b, wire, 0, 1, 0);
    b.primitives[b.nodes[wire].mesh][0].mode = BW_PRIMITIVE_POINTS;
    assert_int_equal(pivot_find(&f, builder_finish(&b), &nodes), BW_OK);
    assert_int_equal(f.plan->elements.count, 1);
    assert_int_equal(f.plan->dropped_count, 1);
    assert_int_equal(f.plan->vertex_count, 3);
    assert_int_equal(pivot_warning(&f, "lines-dropped")->count, 1);
    pivot_close(&f);
    b.primitives[b.nodes[leaf].mesh][0].mode = BW_PRIMITIVE_POINTS;
    assert_int_equal(pivot_find(&f, builder_finish(&b), &nodes), BW_ERR_NO_MESH);
    assert_non_null(strstr(f.error.message, "there is no triangle to bake: all 2 parts are lines or points"));
    pivot_close(&f);
}

/* Scales that multiply past the largest float. */
static void places_where_numbers_end_are_refused(void **state) {
    (void)state;
    scene_builder b;
    pivot_fixture f;
    builder_init(&b);
    const uint32_t one = builder_node(&b, "one", BW_NO_INDEX), two = builder_triangle(&b, "two", one);
    for (int k = 0; k < 3; k++)
        b.nodes[one].scale[k] = b.nodes[two].scale[k] = 1e30f;
    assert_int_equal(pivot_find(&f, builder_finish(&b), &nodes), BW_ERR_MALFORMED);
    assert_non_null(strstr(f.error.message, "node two stands at rest where numbers end"));
    pivot_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_hang_on_the_nearest_with_a_mesh),
        cmocka_unit_test(empty_nodes_are_passed_over),
        cmocka_unit_test(instances_are_elements_and_children_hang_on_the_nearest),
        cmocka_unit_test(axes_of_nodes_survive_scale_and_mirrors),
        cmocka_unit_test(triangles_go_with_the_joint_that_holds_most),
        cmocka_unit_test(joints_need_a_skin),
        cmocka_unit_test(auto_takes_parts_of_what_has_one_place),
        cmocka_unit_test(materials_are_elements),
        cmocka_unit_test(lines_and_points_are_left_out),
        cmocka_unit_test(places_where_numbers_end_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
