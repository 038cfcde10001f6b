/* SPDX-License-Identifier: MIT
 * Which bones a skinned scene has, how the mesh is written for them, and what vertices follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arm_scene.h"
#include "expect.h"
#include "plan_fixture.h"

static const bw_vat_opts BONE = {.mode = BW_VAT_MODE_BONE, .fps = 4};

static void opened(plan_fixture *f, arm_scene *a, const bw_vat_opts *opts) {
    if (plan_open(f, builder_finish(&a->b), opts) != BW_OK)
        fail_msg("%s", f->list.error.message);
}

static const bwi_bone *bone_named(const plan_fixture *f, const char *name) {
    for (uint32_t b = 0; b < f->plan.palette->bone_count; b++)
        if (strcmp(f->plan.palette->bones[b].name, name) == 0)
            return &f->plan.palette->bones[b];
    fail_msg("no bone '%s'", name);
    return NULL;
}

/* https://github.com/KhronosGroup/glTF-Blender-IO/issues/828: an armature of scale 0.01 must not come out as a mesh of another size, nor as
 * bones of scale 0.01, whose rotations would be held in fewer digits. */
static void an_armature_of_a_hundredth_leaves_no_trace(void **state) {
    (void)state;
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    arm_bend(&a);
    opened(&f, &a, &BONE);
    const bwi_palette *p = f.plan.palette;
    assert_int_equal(p->bone_count, 2);
    assert_string_equal(p->bones[0].name, "hip");
    EXPECT3(p->bones[0].pivot, 0, 0, 0, 1e-7);
    EXPECT3(bone_named(&f, "knee")->pivot, 0, 1, 0, 1e-7);
    for (size_t i = 0; i < 3 * ARM_VERTICES; i++)
        EXPECT1(p->positions[i], a.positions[i], 1e-6);
    EXPECT3(p->normals, 0, 0, 1, 1e-6);
    EXPECT1(f.plan.clips[0].out.max_scale, 1, 1e-6);
    assert_int_equal(p->indices[4 * 4], 1);
    assert_int_equal(p->weights[4 * 4], 65535);
    plan_close(&f);
}

/* https://github.com/assimp/assimp/issues/5526: the bind pose is that of the inverse bind matrices, not of the nodes at rest; the first joint's
 * place at rest is where the mesh of the bind pose stands. */
static void the_mesh_is_in_the_bind_pose(void **state) {
    (void)state;
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    a.b.nodes[ARM_HIP].translation[0] = 300;       /* three metres to the side at rest */
    a.b.nodes[ARM_KNEE].rotation[2] = 0.70710678f; /* and bent there, which the bind pose is not */
    a.b.nodes[ARM_KNEE].rotation[3] = 0.70710678f;
    arm_bend(&a);
    opened(&f, &a, &BONE);
    for (size_t v = 0; v < ARM_VERTICES; v++)
        EXPECT3(f.plan.palette->positions + 3 * v, a.positions[3 * v] + 3, a.positions[3 * v + 1], 0, 1e-6);
    EXPECT3(bone_named(&f, "knee")->pivot, 3, 1, 0, 1e-6);
    plan_close(&f);
}

/* Several meshes of one skeleton, each with a skin of its own, as exporters write them: their joints are one. */
static void skins_share_bones(void **state) {
    (void)state;
    static const uint32_t reversed[] = {ARM_KNEE, ARM_HIP};
    static float inverse_bind[32];
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    memcpy(inverse_bind, a.inverse_bind + 16, 64);
    memcpy(inverse_bind + 16, a.inverse_bind, 64);
    a.b.nodes[ARM_KNEE].rotation[0] =
        0.6f; /* at rest the knee does not stand as it was bound: skins by their own first joints would differ */
    a.b.nodes[ARM_KNEE].rotation[3] = 0.8f;
    const uint32_t other = builder_node(&a.b, "other", BW_NO_INDEX);
    a.b.nodes[other].mesh = a.b.nodes[ARM_BODY].mesh;
    a.b.nodes[other].skin = builder_skin(&a.b, reversed, 2, inverse_bind);
    arm_bend(&a);
    opened(&f, &a, &BONE);
    assert_int_equal(f.plan.list->vertex_count, 2 * ARM_VERTICES);
    assert_int_equal(f.plan.palette->bone_count, 2);
    plan_close(&f);

    inverse_bind[12] = 5; /* 5 cm: bound elsewhere, so it is another bone of the same node */
    opened(&f, &a, &BONE);
    assert_int_equal(f.plan.palette->bone_count, 3);
    plan_close(&f);
}

/* https://github.com/KhronosGroup/glTF-Blender-IO/issues/406: what is parented to a joint must follow it; so does what nothing moves stay. */
static void props_and_static_parts_are_bones(void **state) {
    (void)state;
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    const uint32_t sword = builder_triangle(&a.b, "sword", ARM_KNEE),
                   floor = builder_triangle(&a.b, "floor", BW_NO_INDEX);
    a.b.nodes[sword].translation[0] = 20;
    a.b.nodes[floor].translation[1] = -1;
    arm_bend(&a);
    opened(&f, &a, &BONE);
    const bwi_palette *p = f.plan.palette;
    assert_int_equal(p->bone_count, 3); /* the sword's carrier is the joint that is there */
    assert_int_equal(bone_named(&f, "static")->node, BW_NO_INDEX);
    for (uint32_t k = 0; k < f.plan.list->part_count; k++) {
        const bwi_part *part = &f.plan.list->parts[k];
        const float *x = p->positions + 3 * (size_t)part->first_vertex;
        const bwi_bone *bone = &p->bones[p->indices[4 * (size_t)part->first_vertex]];
        if (part->node == sword) {
            EXPECT3(x, 0.2, 1, 0, 1e-6);
            EXPECT3(x + 3, 0.21, 1, 0, 1e-6);
            assert_int_equal(bone->node, ARM_KNEE);
        } else if (part->node == floor) {
            EXPECT3(x, 0, -1, 0, 0);
            assert_int_equal(bone->node, BW_NO_INDEX);
        }
    }
    plan_close(&f);
}

static void attachments_are_bones(void **state) {
    (void)state;
    static const char *const names[] = {"hand,knee"};
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    const uint32_t hand = builder_node(&a.b, "hand", ARM_KNEE);
    a.b.nodes[hand].translation[1] = 5000; /* far outside: its pivot is kept all the same */
    arm_bend(&a);
    bw_vat_opts opts = BONE;
    opts.attach = (bw_string_list){names, 1};
    opened(&f, &a, &opts);
    assert_int_equal(f.plan.palette->bone_count, 3);
    EXPECT3(bone_named(&f, "hand")->pivot, 0, 51, 0, 1e-5);
    assert_string_equal(f.plan.bones.names[2], "hand");
    plan_close(&f);
}

/* A pivot beside the mesh turns vertices as well as a far one, and does not cost the codes of all the others. */
static void far_pivots_are_drawn_near(void **state) {
    (void)state;
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    a.inverse_bind[12] = -100000; /* the hip was bound a kilometre away */
    a.b.nodes[ARM_HIP].translation[0] = 100000;
    arm_bend(&a);
    opened(&f, &a, &BONE);
    assert_true(f.plan.bones.pivot_max[0] <
                2000); /* a mesh that is a kilometre long, and half of that on either side */
    plan_close(&f);
}

static void no_skin_says_what_fits(void **state) {
    (void)state;
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    a.b.nodes[ARM_BODY].skin = BW_NO_INDEX;
    arm_bend(&a);
    assert_int_equal(plan_open(&f, builder_finish(&a.b), &BONE), BW_ERR_UNSUPPORTED);
    assert_non_null(strstr(f.list.error.message, "--mode=rigid"));
    assert_non_null(strstr(f.list.error.message, "--mode=vertex"));
    plan_close(&f);
}

/* A matrix that cannot be inverted still moves vertices; only where its joint lies is not told. */
static void flat_binds_turn_about_their_vertices(void **state) {
    (void)state;
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    a.inverse_bind[16 + 10] = 0; /* the knee's z */
    arm_bend(&a);
    opened(&f, &a, &BONE);
    assert_int_equal(fixture_warned(&f.list, "bind-not-invertible"), 1);
    EXPECT3(bone_named(&f, "knee")->pivot, 0.25, 1.5, 0, 1e-6);
    plan_close(&f);

    a.inverse_bind[10] = 0; /* the first joint's as well: the mesh is written as it is */
    opened(&f, &a, &BONE);
    assert_int_equal(fixture_warned(&f.list, "bind-not-invertible"), 2);
    EXPECT3(f.plan.palette->positions + 3 * 5, 0.5, 2, 0, 0);
    plan_close(&f);
}

static void morphs_stand_still(void **state) {
    (void)state;
    static const float offsets[3 * ARM_VERTICES] = {0, 0, 4}, rest[] = {0.5f}, keys[] = {0, 1};
    static const bw_morph_target target = {offsets, NULL, NULL};
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    bw_mesh *mesh = &a.b.meshes[a.b.nodes[ARM_BODY].mesh];
    mesh->target_count = 1;
    mesh->weights = (bw_float_list){rest, 1};
    a.primitive->targets.data = &target;
    a.primitive->targets.count = 1;
    arm_bend(&a);
    opened(&f, &a, &BONE);
    assert_false(f.plan.palette->morphs_frozen);
    EXPECT3(f.plan.palette->positions, 0, 0, 2, 1e-6); /* at the rest weights */
    plan_close(&f);

    arm_clip(&a, ARM_BODY, BW_CHANNEL_WEIGHTS, keys);
    opened(&f, &a, &BONE);
    assert_true(f.plan.palette->morphs_frozen);
    assert_int_equal(fixture_warned(&f.list, "morphs-frozen"), 1);
    EXPECT3(f.plan.palette->positions, 0, 0, 2, 1e-6);
    plan_close(&f);
}

/* One joint for each vertex of a mesh of 65,536: one more than texels can number. */
static void too_many_bones_are_refused(void **state) {
    (void)state;
    enum { MANY = 65536 };
    scene_builder b;
    plan_fixture f;
    builder_init(&b);
    bw_node *nodes = calloc(MANY + 1, sizeof *nodes);
    uint32_t *order = calloc(MANY + 1, sizeof *order), *joints = calloc(MANY, sizeof *joints),
             *influences = calloc(4 * MANY, sizeof *influences), *triangles = calloc(3 * MANY, sizeof *triangles);
    float *positions = calloc(3 * MANY, sizeof *positions), *weights = calloc(4 * MANY, sizeof *weights),
          *binds = calloc(16 * MANY, sizeof *binds);
    builder_node(&b, "joint", BW_NO_INDEX);
    for (uint32_t i = 0; i < MANY; i++) {
        nodes[i] = b.nodes[0];
        order[i] = joints[i] = influences[4 * i] = triangles[3 * i] = i;
        weights[4 * i] = binds[16 * i] = binds[16 * i + 5] = binds[16 * i + 10] = binds[16 * i + 15] = 1;
    }
    b.scene.nodes.data = nodes;
    b.scene.nodes.count = MANY + 1;
    b.scene.node_order = (bw_index_list){order, MANY + 1};
    order[MANY] = MANY;
    nodes[MANY] = nodes[0];
    nodes[MANY].mesh = builder_mesh(&b, "many", 0);
    nodes[MANY].skin = builder_skin(&b, joints, MANY, binds);
    bw_primitive *p = builder_primitive(&b, nodes[MANY].mesh, MANY, positions, NULL, triangles, 3 * MANY);
    p->influence_count = 4;
    p->joints = influences;
    p->weights = weights;
    const bw_vat_opts opts = {.mode = BW_VAT_MODE_BONE, .static_pose = true, .max_bytes = UINT64_C(1) << 40};
    assert_int_equal(plan_open(&f, &b.scene, &opts), BW_ERR_TOO_LARGE);
    assert_non_null(strstr(f.list.error.message, "65535 joints"));
    plan_close(&f);
    influences[4 * (MANY - 1)] = 0; /* one vertex fewer follows a joint of its own */
    assert_int_equal(plan_open(&f, &b.scene, &opts), BW_OK);
    assert_int_equal(f.plan.palette->bone_count, MANY - 1);
    plan_close(&f);
    free(nodes), free(order), free(joints), free(influences), free(triangles), free(positions), free(weights),
        free(binds);
}

/* Every allocation of planning and encoding fails once. */
static void out_of_memory_is_said(void **state) {
    (void)state;
    arm_scene a;
    arm_init(&a);
    builder_triangle(&a.b, "sword", ARM_KNEE);
    a.weights[4 * ARM_MIDDLE] = 0.25f;
    a.weights[4 * ARM_MIDDLE + 1] = 0.75f;
    arm_bend(&a);
    bw_vat_opts opts = BONE;
    opts.influences = 1;
    plan_fixture f;
    opened(&f, &a, &opts);
    bwi_vat_plan fresh = {
        .list = f.plan.list, .clips = f.plan.clips, .clip_count = 1, .settings = f.plan.settings, .root = BW_NO_INDEX};
    int64_t k = 0;
    for (bw_result result = BW_ERR_MEMORY; result != BW_OK; k++) {
        bwi_mem mem;
        bwi_mem_init(&mem, 0);
        bwi_arena *arena = bwi_arena_create(&mem);
        const bwi_env env = {&mem, 2, NULL};
        uint64_t texels[64] = {0};
        bwi_texels image = {0};
        bw_error error = {0};
        bwi_vat_plan plan = fresh;
        mem.fail_after = k;
        result = bwi_vat_palette_of_skins(&plan, arena, &env, NULL, &error);
        if (result == BW_OK)
            result = bwi_vat_measure_bones(&plan, arena, &env, NULL, &error);
        image = (bwi_texels){plan.width, plan.height, BWI_TEXEL_U16, texels};
        if (result == BW_OK)
            result = bwi_vat_encode_page(&plan, 0, &image, NULL, NULL, &env, &error);
        mem.fail_after = -1;
        if (result != BW_OK)
            assert_int_equal(error.result, BW_ERR_MEMORY);
        bwi_arena_free(arena);
        assert_true(mem.used == 0);
        assert_true(k < 200);
    }
    assert_true(k > 20);
    plan_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_armature_of_a_hundredth_leaves_no_trace),
        cmocka_unit_test(the_mesh_is_in_the_bind_pose),
        cmocka_unit_test(skins_share_bones),
        cmocka_unit_test(props_and_static_parts_are_bones),
        cmocka_unit_test(attachments_are_bones),
        cmocka_unit_test(far_pivots_are_drawn_near),
        cmocka_unit_test(no_skin_says_what_fits),
        cmocka_unit_test(flat_binds_turn_about_their_vertices),
        cmocka_unit_test(morphs_stand_still),
        cmocka_unit_test(too_many_bones_are_refused),
        cmocka_unit_test(out_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
