/* SPDX-License-Identifier: MIT
 * What the walk over bones finds: ranges, shear against bounds, mirrors, dropped influences, and what no format holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arm_scene.h"
#include "bone_player.h"
#include "expect.h"

static const bw_vat_opts BONE = {.mode = BW_VAT_MODE_BONE, .fps = 4};

static void opened(plan_fixture *f, arm_scene *a, const bw_vat_opts *opts) {
    if (plan_open(f, builder_finish(&a->b), opts) != BW_OK)
        fail_msg("%s", f->list.error.message);
}

/* Largest distance, metres, between what the texels of page 0 put a vertex at and where the source has it. */
static double worst(plan_fixture *f) {
    double most = 0, unit = (double)bwi_vat_space(&f->plan.settings)->scale;
    assert_int_equal(plan_encode(f, 0), BW_OK);
    for (uint32_t l = 0; l < f->plan.pages[0].frame_count; l++) {
        double played[3 * 4 * ARM_VERTICES];
        float truth[3 * 4 * ARM_VERTICES];
        uint32_t local = 0;
        const bwi_vat_clip *clip = bwi_vat_clip_of_frame(&f->plan, l, &local);
        play_vertices(played, f, l, 0);
        bwi_vat_sample(&f->plan, f->list.sampler, clip, local, truth, NULL, NULL);
        for (size_t i = 0; i < 3 * f->plan.list->vertex_count; i++)
            most = fmax(most, fabs(played[i] - (double)truth[i]) / unit);
    }
    return most;
}

static void ranges_are_of_posed_pivots(void **state) {
    (void)state;
    static const float up[] = {0, 0, 0, 0, 300, 0};
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    arm_clip(&a, ARM_HIP, BW_CHANNEL_TRANSLATION, up);
    bw_vat_opts opts = BONE;
    opts.engine = BW_ENGINE_UNREAL; /* (x, z, y) · 100 */
    opened(&f, &a, &opts);
    const bwi_manifest_clip *clip = &f.plan.clips[0].out;
    EXPECT3(f.plan.bones.pivot_min, 0, 0, 0, 1e-4);
    EXPECT3(f.plan.bones.pivot_max, 0, 0, 100, 1e-4);
    EXPECT3(clip->pivot_min, 0, 0, 0, 1e-4);
    EXPECT3(clip->pivot_max, 0, 0, 400, 1e-4);
    assert_int_equal(f.plan.bones.count, 2);
    assert_int_equal(f.plan.bones.skin_in, BW_VAT_SKIN_IN_TEXTURE);
    assert_int_equal(f.plan.bones.influence_count, 4);
    assert_string_equal(f.plan.bones.names[1], "knee");
    assert_true(worst(&f) < 1e-6); /* floats of a few metres */
    plan_close(&f);
}

/* One case a row: what a clip does to the knee, and whether rotations can show it. */
static void shear_and_mirrors_become_matrices(void **state) {
    (void)state;
    static const float half[] = {1, 1, 1, 0.5f, 0.5f, 0.5f}, none[] = {1, 1, 1, 0, 0, 0}, uneven[] = {1, 1, 1, 1, 2, 1},
                       mirror[] = {1, 1, 1, -1, 1, 1}, hair[] = {1, 1, 1, 1.00001f, 1, 1};
    static const struct {
        const float *scale;
        float armature; /* its scale along x, as a part of that along y and z */
        uint32_t texels;
    } ROWS[] = {
        {half, 1, 2},   {none, 1, 2},   {hair, 1, 2}, /* 10 µm of an arm two metres long */
        {half, 2, 2}, /* an uneven scale that never changes cancels, https://github.com/KhronosGroup/glTF-Blender-IO/issues/2040 */
        {half, -1, 2}, /* nor does a mirror that never changes */
        {uneven, 1, 3}, {mirror, 1, 3},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        static const bw_vat_format FORMATS[][2] = {
            {BW_VAT_FORMAT_PNG16, BW_VAT_FORMAT_EXR32},       {BW_VAT_FORMAT_EXR16, BW_VAT_FORMAT_EXR32},
            {BW_VAT_FORMAT_KTX2_U16, BW_VAT_FORMAT_KTX2_F32}, {BW_VAT_FORMAT_KTX2_F16, BW_VAT_FORMAT_KTX2_F32},
            {BW_VAT_FORMAT_RAW, BW_VAT_FORMAT_RAW_F32},       {BW_VAT_FORMAT_RAW_F32, BW_VAT_FORMAT_RAW_F32}};
        for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; i++) {
            arm_scene a;
            plan_fixture f;
            arm_init(&a);
            a.b.nodes[ARM_ARMATURE].scale[0] *= ROWS[k].armature;
            a.inverse_bind[0] /= ROWS[k].armature;
            a.inverse_bind[16] /= ROWS[k].armature;
            arm_clip(&a, ARM_KNEE, BW_CHANNEL_SCALE, ROWS[k].scale);
            bw_vat_opts opts = BONE;
            opts.format = FORMATS[i][0];
            opened(&f, &a, &opts);
            print_message("row %zu, format %zu: shear %g\n", k, i, f.plan.shear_part);
            assert_int_equal(f.plan.bones.texel_count, ROWS[k].texels);
            assert_int_equal(f.plan.settings.format->format, FORMATS[i][ROWS[k].texels == 3]);
            assert_int_equal(f.plan.settings.position_decode,
                             ROWS[k].texels == 3 ? BWI_DECODE_BONE_MATRIX : BWI_DECODE_BONE_QUATERNION);
            assert_int_equal(f.plan.width, 2 * ROWS[k].texels);
            assert_int_equal(fixture_warned(&f.list, "bones-sheared"), ROWS[k].texels == 3);
            /* Two metres: half a code of 16 bits on each axis, and what a quaternion's codes turn an arm of a metre by; eleven bits of halves. */
            const bool halves = f.plan.settings.format->type == BWI_TEXEL_F16;
            assert_true(worst(&f) < (halves ? 2e-3 : 4e-5));
            plan_close(&f);
        }
    }
}

/* The bound is half of --max-error, in its unit. */
static void the_bound_decides(void **state) {
    (void)state;
    static const float stretched[] = {
        1, 1, 1, 1, 1.001f, 1}; /* a metre by a thousandth: 1 mm less what the nearest even scale takes */
    static const struct {
        bw_length max_error;
        uint32_t texels;
    } ROWS[] = {
        {{0, BW_LENGTH_NONE}, 3},         {{0.004, BW_LENGTH_METRE}, 2},     {{0.0004, BW_LENGTH_METRE}, 3},
        {{0.002, BW_LENGTH_RELATIVE}, 2}, {{0.0002, BW_LENGTH_RELATIVE}, 3},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        arm_scene a;
        plan_fixture f;
        arm_init(&a);
        arm_clip(&a, ARM_KNEE, BW_CHANNEL_SCALE, stretched);
        bw_vat_opts opts = BONE;
        opts.max_error = ROWS[k].max_error;
        opened(&f, &a, &opts);
        print_message("row %zu\n", k);
        assert_int_equal(f.plan.bones.texel_count, ROWS[k].texels);
        EXPECT1(f.plan.shear, 0.00067, 0.0002);
        EXPECT1(f.plan.shear_part, f.plan.shear / f.plan.clips[0].diagonal, 1e-6);
        assert_true(ROWS[k].texels == 3 || worst(&f) <= f.plan.shear + 4e-5); /* it says no less than what it costs */
        plan_close(&f);
    }
}

/* What was left out is measured where it matters most: vertex 3 stands on the knee, which its dropped joint would leave behind. */
static void dropped_influences_are_measured(void **state) {
    (void)state;
    static const float away[] = {0, 100, 0, 100, 100, 0}; /* the knee goes a metre to the side */
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    a.weights[4 * ARM_MIDDLE] = 0.75f;
    a.weights[4 * ARM_MIDDLE + 1] = 0.25f;
    arm_clip(&a, ARM_KNEE, BW_CHANNEL_TRANSLATION, away);
    bw_vat_opts opts = BONE;
    opened(&f, &a, &opts);
    assert_true(f.plan.dropped == 0);
    assert_int_equal(fixture_warned(&f.list, "influences-dropped"), 0);
    plan_close(&f);
    opts.influences = 1;
    opts.engine = BW_ENGINE_UNREAL;
    opened(&f, &a, &opts);
    EXPECT1(f.plan.dropped, 0.25, 1e-6);
    assert_int_equal(fixture_warned(&f.list, "influences-dropped"), 1);
    EXPECT1(worst(&f), 0.25, 1e-5);
    plan_close(&f);
}

static void what_no_format_holds_is_refused(void **state) {
    (void)state;
    static const float far[] = {0, 0, 0, 7e6f, 0, 0}; /* 70 km */
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    for (int v = 0; v < ARM_VERTICES; v++)
        a.joints[4 * v] = a.joints[4 * v + 1] = 0; /* the vertices stay: it is the pivot alone that goes */
    static const char *const names[] = {"knee"};
    arm_clip(&a, ARM_KNEE, BW_CHANNEL_TRANSLATION, far);
    bw_vat_opts opts = BONE;
    opts.attach = (bw_string_list){names, 1};
    opts.format = BW_VAT_FORMAT_EXR16;
    assert_int_equal(plan_open(&f, builder_finish(&a.b), &opts), BW_ERR_TOO_LARGE);
    assert_non_null(strstr(f.list.error.message, "bone 'knee' 70000 m"));
    assert_non_null(strstr(f.list.error.message, "--format=exr32"));
    plan_close(&f);
    opts.format = BW_VAT_FORMAT_PNG16;
    opened(&f, &a, &opts);
    plan_close(&f);
}

static void what_no_float_holds_is_refused(void **state) {
    (void)state;
    static const float huge[] = {1, 1, 1, 3e38f, 3e38f, 3e38f};
    static const char *const names[] = {"knee"};
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    for (int v = 0; v < ARM_VERTICES; v++)
        a.joints[4 * v] = a.joints[4 * v + 1] = 0; /* no vertex follows */
    arm_clip(&a, ARM_KNEE, BW_CHANNEL_SCALE, huge);
    bw_vat_opts opts = BONE;
    opts.attach = (bw_string_list){names, 1};
    assert_int_equal(plan_open(&f, builder_finish(&a.b), &opts), BW_ERR_MALFORMED);
    assert_non_null(strstr(f.list.error.message, "clip 'Move' moves bone 'knee'"));
    plan_close(&f);

    arm_init(&a);
    const uint32_t far = builder_node(&a.b, "far", BW_NO_INDEX);
    a.b.nodes[far].translation[0] = 3e38f;
    static const char *const attached[] = {"far"};
    arm_bend(&a);
    opts.attach = (bw_string_list){attached, 1};
    assert_int_equal(plan_open(&f, builder_finish(&a.b), &opts), BW_ERR_MALFORMED);
    assert_non_null(strstr(f.list.error.message, "bone 'far' stands beyond"));
    plan_close(&f);
}

/* Root motion goes out of the bones as it does out of vertices. */
static void root_motion_is_taken_out(void **state) {
    (void)state;
    static const float travel[] = {0, 0, 0, 500, 100, 300};
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    arm_clip(&a, ARM_HIP, BW_CHANNEL_TRANSLATION, travel);
    bw_vat_opts opts = BONE;
    opts.root_motion = BW_VAT_ROOT_MOTION_EXTRACT;
    opts.engine = BW_ENGINE_UNITY;
    opened(&f, &a, &opts);
    EXPECT3(f.plan.clips[0].out.pivot_max, 0, 2, 0, 1e-5);
    assert_true(worst(&f) < 4e-5);
    plan_close(&f);
}

/* A clip that is closed shows its first frame again. */
static void closed_clips_end_in_their_first_pose(void **state) {
    (void)state;
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    arm_bend(&a);
    bw_vat_opts opts = BONE;
    opts.loop = BW_VAT_LOOP_YES;
    opened(&f, &a, &opts);
    assert_int_equal(f.plan.clips[0].out.frame_count, 6);
    assert_true(worst(&f) < 4e-5);
    const played_bone first = play_bone(&f, 1, 1, &f.plan.clips[0].out),
                      last = play_bone(&f, 1, 6, &f.plan.clips[0].out);
    EXPECT4(last.q, first.q[0], first.q[1], first.q[2], first.q[3], 0);
    plan_close(&f);
}

static void threads_do_not_show(void **state) {
    (void)state;
    static const float uneven[] = {1, 1, 1, 1.00002f, 1, 1};
    arm_scene a;
    plan_fixture one, many;
    arm_init(&a);
    arm_bend(&a);
    arm_clip(&a, ARM_KNEE, BW_CHANNEL_SCALE, uneven);
    bw_vat_opts opts = BONE;
    opts.fps = 100;
    opened(&one, &a, &opts);
    opened(&many, &a, &opts);
    many.list.env.thread_count = 5;
    assert_int_equal(bwi_vat_measure_bones(&many.plan, many.list.arena, &many.list.env, NULL, NULL), BW_OK);
    assert_true(one.plan.shear > 0 && one.plan.shear == many.plan.shear);
    assert_int_equal(plan_encode(&one, 0), BW_OK);
    assert_int_equal(plan_encode(&many, 0), BW_OK);
    assert_memory_equal(one.positions.data, many.positions.data,
                        (size_t)one.positions.width * one.positions.height * 8);
    plan_close(&one);
    plan_close(&many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_of_posed_pivots),
        cmocka_unit_test(shear_and_mirrors_become_matrices),
        cmocka_unit_test(the_bound_decides),
        cmocka_unit_test(dropped_influences_are_measured),
        cmocka_unit_test(what_no_format_holds_is_refused),
        cmocka_unit_test(what_no_float_holds_is_refused),
        cmocka_unit_test(root_motion_is_taken_out),
        cmocka_unit_test(closed_clips_end_in_their_first_pose),
        cmocka_unit_test(threads_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
