/* SPDX-License-Identifier: MIT
 * Skinned vertices, and what uneven, mirrored and zero scale make of their normals, tangents and winding. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "expect.h"
#include "list_fixture.h"
#include "scene_builder.h"

/* Float kernels over values below 16: a few roundings. */
static const double ROUNDED = 5e-6;

#define IDENTITY 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1

static const float identities[] = {IDENTITY, IDENTITY, IDENTITY, IDENTITY, IDENTITY, IDENTITY, IDENTITY, IDENTITY};
static const float normals_x[] = {1, 0, 0, 1, 0, 0, 1, 0, 0};
static const float tangents_x[] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
static const float first_of_four[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
static const uint32_t joint_zero[12];

static void set3(float out[3], float x, float y, float z) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* A triangle skinned to `joint_count` new nodes (joint0, joint1, …) under `parent`; all weight on the first.  Returns the mesh's node. */
static uint32_t skinned_triangle(scene_builder *b, uint32_t parent, const float *inverse_bind, const uint32_t *joints,
                                 size_t joint_count) {
    uint32_t node = builder_triangle(b, "body", BW_NO_INDEX);
    for (size_t i = 0; i < joint_count; i++) {
        builder_node(b, "joint", parent);
    }
    b->nodes[node].skin = builder_skin(b, joints, joint_count, inverse_bind);
    bw_primitive *primitive = &b->primitives[b->nodes[node].mesh][0];
    primitive->influence_count = 4;
    primitive->joints = joint_zero;
    primitive->weights = first_of_four;
    return node;
}

static void the_node_of_a_skinned_mesh_moves_nothing(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const uint32_t joints[] = {1};
    uint32_t node = skinned_triangle(&b, BW_NO_INDEX, identities, joints, 1);
    set3(b.nodes[node].translation, 50, 60, 70);
    set3(b.nodes[node].scale, -1, 2, 3);
    set3(b.nodes[1].translation, 1, 2, 3);
    static const float times[] = {0, 1}, moves[] = {0, 0, 0, 8, 0, 0};
    builder_channel(&b, builder_clip(&b, "slide"), node, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, times,
                    moves);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, &b.clips[0], 1);
    EXPECT3(f.positions, 1, 2, 3, ROUNDED);
    EXPECT3(f.positions + 3, 2, 2, 3, ROUNDED);
    assert_int_equal(f.list->primitives[0].indices[1], 1); /* the node's mirror does not count either */
    fixture_close(&f);
}

/* Bound one metre below the joint's place in the bind pose; the rest pose is another. */
static void the_inverse_bind_matrix_is_not_the_inverse_of_rest(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const uint32_t joints[] = {1};
    static const float bind[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1};
    skinned_triangle(&b, BW_NO_INDEX, bind, joints, 1);
    set3(b.nodes[1].translation, 0, 5, 0);
    memcpy(b.nodes[1].rotation, (float[]){0, 0, 0.70710678f, 0.70710678f}, 4 * sizeof(float));
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 1, 5, 0, ROUNDED);
    EXPECT3(f.positions + 3, 1, 6, 0, ROUNDED);
    EXPECT3(f.positions + 6, 0, 5, 0, ROUNDED);
    fixture_close(&f);
}

static void joints_are_places_in_the_skin_not_nodes(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const uint32_t joints[] = {3, 2, 1};
    skinned_triangle(&b, BW_NO_INDEX, identities, joints, 3);
    set3(b.nodes[1].translation, 1, 0, 0);
    set3(b.nodes[2].translation, 2, 0, 0);
    set3(b.nodes[3].translation, 4, 0, 0);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 4, 0, 0, ROUNDED);
    fixture_close(&f);
}

/* Joint k stands at x = 2^k, so the result tells which weights counted. */
static void all_influences_count_in_any_order(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const uint32_t joints[] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint32_t node = skinned_triangle(&b, BW_NO_INDEX, identities, joints, 8);
    for (uint32_t k = 0; k < 8; k++) {
        set3(b.nodes[1 + k].translation, (float)(1 << k), 0, 0);
    }
    static const uint32_t influences[] = {0, 3, 0, 1, 7, 2, 0, 5, 7, 6, 5, 4, 3, 2, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0};
    static const float weights[] = {0,      0.125f, 0,      0.0625f, 0.5f,   0.0625f, 0,      0.25f,
                                    0.125f, 0.125f, 0.125f, 0.125f,  0.125f, 0.125f,  0.125f, 0.125f,
                                    0.5f,   0.5f,   0,      0,       0,      0,       0,      0};
    bw_primitive *primitive = &b.primitives[b.nodes[node].mesh][0];
    primitive->influence_count = 8;
    primitive->joints = influences;
    primitive->weights = weights;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 8 * 0.125 + 2 * 0.0625 + 128 * 0.5 + 4 * 0.0625 + 32 * 0.25, 0, 0, ROUNDED);
    EXPECT3(f.positions + 3, 1 + 255 * 0.125, 0, 0, ROUNDED);
    EXPECT3(f.positions + 6, 2, 1, 0, ROUNDED); /* the same joint twice */
    fixture_close(&f);
}

/* S(2,1,1) · R(45°): a vector (1,0,0) goes to (2c, c, 0), a normal to diag(1,2,2)·(c, c, 0). */
static void normals_survive_shear(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const uint32_t joints[] = {1};
    uint32_t node = skinned_triangle(&b, 2, identities, joints, 1);
    builder_node(&b, "squash", BW_NO_INDEX);
    set3(b.nodes[2].scale, 2, 1, 1);
    const float eighth[] = {0, 0, 0.38268343f, 0.92387953f};
    memcpy(b.nodes[1].rotation, eighth, sizeof eighth);
    b.primitives[b.nodes[node].mesh][0].normals = normals_x;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions + 3, 1.41421356, 0.70710678, 0, ROUNDED);
    EXPECT3(f.normals, 0.44721360, 0.89442719, 0, ROUNDED);

    /* The same through a node instead of a skin. */
    b.nodes[node].skin = BW_NO_INDEX;
    b.nodes[node].parent = 2;
    memcpy(b.nodes[node].rotation, eighth, sizeof eighth);
    list_fixture g;
    assert_int_equal(fixture_open(&g, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&g, NULL, 0);
    EXPECT3(g.positions + 3, 1.41421356, 0.70710678, 0, ROUNDED);
    EXPECT3(g.normals, 0.44721360, 0.89442719, 0, ROUNDED);
    fixture_close(&g);
    fixture_close(&f);
}

/* Under a mirror the normal keeps to its side, the bitangent cross(n, t)·w goes where the matrix takes it, triangles turn round. */
static void mirrors_turn_winding_and_handedness(void **state) {
    (void)state;
    for (int skinned = 0; skinned < 2; skinned++) {
        scene_builder b;
        builder_init(&b);
        static const uint32_t joints[] = {1};
        uint32_t node = skinned_triangle(&b, BW_NO_INDEX, identities, joints, 1);
        b.primitives[b.nodes[node].mesh][0].tangents = tangents_x;
        if (skinned != 0) {
            set3(b.nodes[1].scale, -1, 1, 1);
        } else {
            b.nodes[node].skin = BW_NO_INDEX;
            set3(b.nodes[node].scale, -1, 1, 1);
        }
        list_fixture f;
        assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
        assert_true(f.list->has_tangents);
        fixture_evaluate(&f, NULL, 0);
        EXPECT3(f.positions + 3, -1, 0, 0, ROUNDED);
        EXPECT3(f.normals, 0, 0, 1, ROUNDED);
        EXPECT4(f.tangents, -1, 0, 0, -1, ROUNDED);
        const uint32_t *indices = f.list->primitives[0].indices;
        assert_int_equal(indices[0], 0);
        assert_int_equal(indices[1], 2);
        assert_int_equal(indices[2], 1);
        fixture_close(&f);
    }
}

/* Two joints, one mirrors: the corners' determinants are summed. */
static void winding_follows_the_sum_of_the_corners(void **state) {
    (void)state;
    static const uint32_t joints[] = {1, 2};
    static const uint32_t one[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, two[] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    for (int mirrored = 1; mirrored <= 2; mirrored++) {
        scene_builder b;
        builder_init(&b);
        uint32_t node = skinned_triangle(&b, BW_NO_INDEX, identities, joints, 2);
        b.primitives[b.nodes[node].mesh][0].joints = mirrored == 1 ? one : two;
        set3(b.nodes[2].scale, 1, 1, -1);
        list_fixture f;
        assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
        assert_int_equal(f.list->primitives[0].indices[1], mirrored == 1 ? 1 : 2);
        fixture_close(&f);
    }
}

static uint64_t random_state = 7;

static double random_in(double low, double high) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ((double)(random_state >> 11) * 0x1p-53);
}

/* Whatever the matrix, the face of the list's triangle and its vertices' normals look the same way. */
static void normals_agree_with_the_list_s_winding(void **state) {
    (void)state;
    int mirrored_count = 0;
    for (int round = 0; round < 200; round++) {
        scene_builder b;
        builder_init(&b);
        static const uint32_t joints[] = {1};
        uint32_t node = skinned_triangle(&b, 2, identities, joints, 1);
        builder_node(&b, "parent", BW_NO_INDEX);
        for (uint32_t n = 0; n < 3; n++) {
            for (int k = 0; k < 3; k++) {
                double s = random_in(0.2, 3);
                b.nodes[n].scale[k] = (float)(random_in(0, 1) < 0.5 ? -s : s);
            }
            bwi_quat q =
                bwi_quat_normalize((bwi_quat){random_in(-1, 1), random_in(-1, 1), random_in(-1, 1), random_in(-1, 1)});
            memcpy(b.nodes[n].rotation, (float[]){(float)q.x, (float)q.y, (float)q.z, (float)q.w}, 4 * sizeof(float));
        }
        if (round % 2 != 0) {
            b.nodes[node].skin = BW_NO_INDEX;
            b.nodes[node].parent = 2;
        }
        list_fixture f;
        assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
        fixture_evaluate(&f, NULL, 0);
        const uint32_t *indices = f.list->primitives[0].indices;
        double p[3][3], face[3];
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                p[c][k] = (double)f.positions[3 * indices[c] + (uint32_t)k] -
                          (double)f.positions[3 * indices[0] + (uint32_t)k];
            }
        }
        for (int k = 0; k < 3; k++) {
            face[k] = p[1][(k + 1) % 3] * p[2][(k + 2) % 3] - p[1][(k + 2) % 3] * p[2][(k + 1) % 3];
        }
        double length = sqrt(face[0] * face[0] + face[1] * face[1] + face[2] * face[2]);
        /* Conditions of up to 15² per matrix pair magnify float rounding. */
        EXPECT3(f.normals, face[0] / length, face[1] / length, face[2] / length, 2e-4);
        mirrored_count += indices[1] == 2 ? 1 : 0;
        fixture_close(&f);
    }
    assert_in_range(mirrored_count, 50, 150);
}

static void flattened_and_vanished_matrices_leave_finite_normals(void **state) {
    (void)state;
    for (int skinned = 0; skinned < 2; skinned++) {
        scene_builder b;
        builder_init(&b);
        static const uint32_t joints[] = {1};
        uint32_t node = skinned_triangle(&b, BW_NO_INDEX, identities, joints, 1);
        b.primitives[b.nodes[node].mesh][0].tangents = tangents_x;
        static const float normals[] = {0, 0, 1, 1, 0, 0, 0, 0, 1};
        b.primitives[b.nodes[node].mesh][0].normals = normals;
        uint32_t mover = skinned != 0 ? 1 : node;
        b.nodes[node].skin = skinned != 0 ? b.nodes[node].skin : BW_NO_INDEX;
        static const float times[] = {0, 1, 2, 3}, scales[] = {1, 1, 1, 1, 1, 0, 0, 0, 0, 1e-12f, 1e-12f, 1e-12f};
        builder_channel(&b, builder_clip(&b, "shrink"), mover, BW_CHANNEL_SCALE, BW_INTERPOLATION_LINEAR, 4, times,
                        scales);
        list_fixture f;
        assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
        fixture_evaluate(&f, &b.clips[0], 1); /* flat: the cofactor still knows the plane's normal */
        EXPECT3(f.normals, 0, 0, 1, ROUNDED);
        EXPECT3(f.normals + 3, 0, 1, 0, ROUNDED);
        EXPECT4(f.tangents, 1, 0, 0, 1, ROUNDED);
        fixture_evaluate(&f, &b.clips[0], 2); /* nothing left */
        EXPECT3(f.positions, 0, 0, 0, ROUNDED);
        EXPECT3(f.normals, 0, 1, 0, ROUNDED);
        EXPECT1(f.tangents[0] * f.tangents[0] + f.tangents[2] * f.tangents[2], 1, ROUNDED);
        EXPECT1(f.tangents[1], 0, ROUNDED);
        fixture_evaluate(&f, &b.clips[0], 3); /* tiny, but whole */
        EXPECT3(f.normals, 0, 0, 1, ROUNDED);
        EXPECT3(f.normals + 3, 1, 0, 0, ROUNDED);
        fixture_close(&f);
    }
}

/* R · S(1,1,0) · R′ has a determinant of rounding noise only: its sign must not turn the normal. */
static void flattening_between_rotations_does_not_flip(void **state) {
    (void)state;
    for (int round = 0; round < 64; round++) {
        scene_builder b;
        builder_init(&b);
        static const uint32_t joints[] = {1};
        uint32_t node = skinned_triangle(&b, 2, identities, joints, 1);
        builder_node(&b, "flat", BW_NO_INDEX);
        bwi_quat outer =
            bwi_quat_normalize((bwi_quat){random_in(-1, 1), random_in(-1, 1), random_in(-1, 1), random_in(-1, 1)});
        /* Inner rotation by 30° at most: the normal's part along the flattened axis stays positive. */
        bwi_quat inner =
            bwi_quat_normalize((bwi_quat){random_in(-0.15, 0.15), random_in(-0.15, 0.15), random_in(-0.15, 0.15), 1});
        memcpy(b.nodes[2].rotation, (float[]){(float)outer.x, (float)outer.y, (float)outer.z, (float)outer.w},
               4 * sizeof(float));
        set3(b.nodes[2].scale, 1, 1, 0);
        memcpy(b.nodes[1].rotation, (float[]){(float)inner.x, (float)inner.y, (float)inner.z, (float)inner.w},
               4 * sizeof(float));
        if (round % 2 != 0) {
            b.nodes[node].skin = BW_NO_INDEX;
            b.nodes[node].parent = 2;
            memcpy(b.nodes[node].rotation, b.nodes[1].rotation, 4 * sizeof(float));
        }
        list_fixture f;
        assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
        fixture_evaluate(&f, NULL, 0);
        bwi_vec3 wanted = bwi_quat_rotate(outer, (bwi_vec3){0, 0, 1});
        EXPECT3(f.normals, wanted.x, wanted.y, wanted.z, ROUNDED);
        fixture_close(&f);
    }
}

/* Tangents a thousandth of a right angle from the normal: what is left after the normal's part has few digits, yet has to be square. */
static void tangents_are_square_to_normals(void **state) {
    (void)state;
    for (int round = 0; round < 100; round++) {
        scene_builder b;
        builder_init(&b);
        uint32_t node = builder_triangle(&b, "a", BW_NO_INDEX);
        bwi_quat q =
            bwi_quat_normalize((bwi_quat){random_in(-1, 1), random_in(-1, 1), random_in(-1, 1), random_in(-1, 1)});
        memcpy(b.nodes[node].rotation, (float[]){(float)q.x, (float)q.y, (float)q.z, (float)q.w}, 4 * sizeof(float));
        static const float steep[] = {1e-3f, 0, 1, 1, 0, 1e-3f, 1, -1, 1, 0, 0, 1};
        b.primitives[b.nodes[node].mesh][0].tangents = steep;
        list_fixture f;
        assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
        fixture_evaluate(&f, NULL, 0);
        for (size_t i = 0; i < 3; i++) {
            const float *n = f.normals + 3 * i, *t = f.tangents + 4 * i;
            EXPECT1(n[0] * t[0] + n[1] * t[1] + n[2] * t[2], 0, 3e-7);
            EXPECT1(t[0] * t[0] + t[1] * t[1] + t[2] * t[2], 1, 3e-7);
            EXPECT1(t[3], steep[4 * i + 3], 0);
        }
        fixture_close(&f);
    }
}

/* A mirror so thin that float could not tell it from rounding noise; nodes are judged in double, as their winding is. */
static void a_thin_mirror_is_still_one(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    uint32_t node = builder_triangle(&b, "a", 1), parent = builder_node(&b, "turned", BW_NO_INDEX);
    set3(b.nodes[node].scale, 1, 1, -1e-7f);
    memcpy(b.nodes[parent].rotation, (float[]){0.38268343f, 0, 0, 0.92387953f}, 4 * sizeof(float));
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    assert_int_equal(f.list->primitives[0].indices[1], 2);
    EXPECT3(f.normals, 0, 0.70710678, -0.70710678, ROUNDED);
    fixture_close(&f);
}

static void one_mesh_with_two_skins_and_without(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const uint32_t joints[] = {1}, others[] = {2};
    uint32_t node = skinned_triangle(&b, BW_NO_INDEX, identities, joints, 1);
    uint32_t joint = builder_node(&b, "other joint", BW_NO_INDEX);
    uint32_t twin = builder_node(&b, "twin", BW_NO_INDEX), plain = builder_node(&b, "plain", BW_NO_INDEX);
    b.nodes[twin].mesh = b.nodes[plain].mesh = b.nodes[node].mesh;
    b.nodes[twin].skin = builder_skin(&b, others, 1, identities);
    set3(b.nodes[1].translation, 1, 0, 0);
    set3(b.nodes[joint].translation, 2, 0, 0);
    set3(b.nodes[plain].translation, 3, 0, 0);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(f.list->vertex_count, 9);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 1, 0, 0, ROUNDED);
    EXPECT3(f.positions + 9, 2, 0, 0, ROUNDED);
    EXPECT3(f.positions + 18, 3, 0, 0, ROUNDED);
    assert_int_equal(f.list->parts[2].skin, BW_NO_INDEX);
    fixture_close(&f);
}

static void a_primitive_without_weights_stays_with_its_node(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const uint32_t joints[] = {1};
    uint32_t node = skinned_triangle(&b, BW_NO_INDEX, identities, joints, 1);
    b.primitives[b.nodes[node].mesh][0].influence_count = 0;
    set3(b.nodes[node].translation, 5, 0, 0);
    set3(b.nodes[1].translation, 1, 0, 0);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 5, 0, 0, ROUNDED);
    fixture_close(&f);
}

static void instances_of_a_skinned_mesh_are_one(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    static const uint32_t joints[] = {1};
    uint32_t node = skinned_triangle(&b, BW_NO_INDEX, identities, joints, 1);
    static const bw_instance instances[2] = {{{9, 9, 9}, {0, 0, 0, 1}, {1, 1, 1}},
                                             {{8, 8, 8}, {0, 0, 0, 1}, {1, 1, 1}}};
    b.nodes[node].instances.data = instances;
    b.nodes[node].instances.count = 2;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(f.list->vertex_count, 3);
    assert_int_equal(fixture_warned(&f, "skinned-instances-ignored"), 2);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions, 0, 0, 0, ROUNDED);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_node_of_a_skinned_mesh_moves_nothing),
        cmocka_unit_test(the_inverse_bind_matrix_is_not_the_inverse_of_rest),
        cmocka_unit_test(joints_are_places_in_the_skin_not_nodes),
        cmocka_unit_test(all_influences_count_in_any_order),
        cmocka_unit_test(normals_survive_shear),
        cmocka_unit_test(mirrors_turn_winding_and_handedness),
        cmocka_unit_test(winding_follows_the_sum_of_the_corners),
        cmocka_unit_test(normals_agree_with_the_list_s_winding),
        cmocka_unit_test(flattened_and_vanished_matrices_leave_finite_normals),
        cmocka_unit_test(flattening_between_rotations_does_not_flip),
        cmocka_unit_test(tangents_are_square_to_normals),
        cmocka_unit_test(a_thin_mirror_is_still_one),
        cmocka_unit_test(one_mesh_with_two_skins_and_without),
        cmocka_unit_test(a_primitive_without_weights_stays_with_its_node),
        cmocka_unit_test(instances_of_a_skinned_mesh_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
