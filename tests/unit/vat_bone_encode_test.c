/* SPDX-License-Identifier: MIT
 * Texels of bones against codes worked out by hand from docs/FORMATS.md §11, and how quaternions go on from frame to frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arm_scene.h"
#include "base/half.h"
#include "bone_player.h"
#include "expect.h"

static void encoded(plan_fixture *f, arm_scene *a, const bw_vat_opts *opts) {
    if (plan_open(f, builder_finish(&a->b), opts) != BW_OK || plan_encode(f, 0) != BW_OK)
        fail_msg("%s", f->list.error.message);
}

static void expect_codes(const plan_fixture *f, size_t column, size_t row, unsigned r, unsigned g, unsigned b,
                         unsigned alpha) {
    const uint16_t *at = (const uint16_t *)f->positions.data + 4 * (row * f->positions.width + column);
    if (at[0] != r || at[1] != g || at[2] != b || at[3] != alpha)
        fail_msg("texel (%zu, %zu) is %u %u %u %u", column, row, at[0], at[1], at[2], at[3]);
}

/* The knee shrinks to a quarter and turns by half a turn about y, the hip stands still.  Posed pivots are y = 0 and 1 in all frames. */
static void codes_by_hand(void **state) {
    (void)state;
    static const float turned[] = {0, 0, 0, 1, 0, 1, 0, 0}, quarter[] = {1, 1, 1, 0.25f, 0.25f, 0.25f},
                       times[] = {0, 1};
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    arm_clip(&a, ARM_KNEE, BW_CHANNEL_ROTATION, turned);
    builder_channel(&a.b, 0, ARM_KNEE, BW_CHANNEL_SCALE, BW_INTERPOLATION_LINEAR, 2, times, quarter);
    encoded(&f, &a, &(bw_vat_opts){.mode = BW_VAT_MODE_BONE, .fps = 1});
    assert_int_equal(f.positions.width, 4);
    assert_int_equal(f.positions.height, 3);
    for (size_t row = 0; row < 3; row++) {
        expect_codes(&f, 0, row, 0, 0, 0, 65535);
        expect_codes(&f, 1, row, 32768, 32768, 32768, 65535);
        expect_codes(&f, 2, row, 0, 65535, 0, row == 2 ? 16384 : 65535);
        expect_codes(&f, 3, row, 32768, row == 2 ? 65535 : 32768, 32768, row == 2 ? 32768 : 65535);
    }
    plan_close(&f);

    encoded(&f, &a, &(bw_vat_opts){.mode = BW_VAT_MODE_BONE, .fps = 1, .format = BW_VAT_FORMAT_EXR16});
    expect_codes(&f, 2, 2, 0, 0x3C00, 0, 0x3400); /* (0, 1, 0), ¼ */
    expect_codes(&f, 3, 2, 0, 0x3C00, 0, 0);
    plan_close(&f);

    encoded(
        &f, &a,
        &(bw_vat_opts){.mode = BW_VAT_MODE_BONE, .fps = 1, .format = BW_VAT_FORMAT_EXR32, .engine = BW_ENGINE_UNREAL});
    const float *at = (const float *)f.positions.data + 4 * (2 * 4 + 2);
    EXPECT4(at, 0, 0, 100, 0.25, 1e-5);
    EXPECT4(at + 4, 0, 0, 1, 0, 1e-6); /* half a turn about the engine's up, z */
    plan_close(&f);
}

static void rows_of_matrices(void **state) {
    (void)state;
    static const float wide[] = {1, 1, 1, 3, 1, 1};
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    arm_clip(&a, ARM_KNEE, BW_CHANNEL_SCALE, wide);
    encoded(&f, &a, &(bw_vat_opts){.mode = BW_VAT_MODE_BONE, .fps = 1});
    assert_int_equal(f.positions.type, BWI_TEXEL_F32);
    assert_int_equal(f.positions.width, 6);
    for (size_t row = 0; row < 3; row++)
        for (size_t k = 0; k < 3; k++) {
            const float *at = (const float *)f.positions.data + 4 * (row * 6 + 3 + k);
            EXPECT4(at, k == 0 ? (row == 2 ? 3 : 1) : 0, k == 1, k == 2, k == 1, 1e-6); /* the pivot is (0, 1, 0) */
        }
    plan_close(&f);
}

/* Of 256 lengths the best, which is a fifth of what the codes of unit quaternions are off by on average.  Where only one component is not
 * nearly 0 no length helps: half a code, and an angle is twice that. */
static void rotations_are_held_to_millionths(void **state) {
    (void)state;
    double most = 0, sum = 0;
    enum { TURNS = 200 };
    for (int k = 0; k < TURNS; k++) {
        const double angle = k * 0.0314159, x = sin(angle * 3), y = cos(angle * 3) * 0.6, z = cos(angle * 3) * 0.8;
        float keys[8];
        for (int i = 0; i < 8; i += 4) {
            keys[i] = (float)(x * sin(angle / 2));
            keys[i + 1] = (float)(y * sin(angle / 2));
            keys[i + 2] = (float)(z * sin(angle / 2));
            keys[i + 3] = (float)cos(angle / 2);
        }
        arm_scene a;
        plan_fixture f;
        arm_init(&a);
        arm_clip(&a, ARM_KNEE, BW_CHANNEL_ROTATION, keys);
        encoded(&f, &a, &(bw_vat_opts){.mode = BW_VAT_MODE_BONE, .fps = 1});
        const played_bone bone = play_bone(&f, 1, 1, &f.plan.clips[0].out);
        double square = 0, length = 0, dot = 0;
        for (int i = 0; i < 4; i++) {
            length += (double)keys[i] * (double)keys[i];
            dot += bone.q[i] * (double)keys[i];
        }
        for (int i = 0; i < 4; i++) {
            const double off = bone.q[i] - (dot < 0 ? -1 : 1) * (double)keys[i] / sqrt(length);
            square += off * off;
        }
        most = fmax(most, 2 * sqrt(square));
        sum += 2 * sqrt(square);
        plan_close(&f);
    }
    print_message("at most %g rad, on average %g\n", most, sum / TURNS);
    assert_true(most < 3.1e-5 && sum / TURNS < 7e-6);
}

enum { SPIN_KEYS = 9 };

/* Two whole turns of the knee about y, a quarter turn a key, written with changing signs as exporters do. */
static void spin(arm_scene *a) {
    static float times[SPIN_KEYS], keys[4 * SPIN_KEYS];
    for (int k = 0; k < SPIN_KEYS; k++) {
        const double half = k * 0.78539816339744831, sign = k % 3 == 1 ? -1 : 1;
        times[k] = (float)k;
        keys[4 * k + 1] = (float)(sign * sin(half));
        keys[4 * k + 3] = (float)(sign * cos(half));
    }
    arm_init(a);
    builder_channel(&a->b, builder_clip(&a->b, "Spin"), ARM_KNEE, BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR,
                    SPIN_KEYS, times, keys);
}

/* Every neighbour lies on the same side, so that mixing never goes the long way round. */
static void spins_stay_on_one_side(void **state) {
    (void)state;
    static const bw_vat_format FORMATS[] = {BW_VAT_FORMAT_PNG16, BW_VAT_FORMAT_EXR16, BW_VAT_FORMAT_EXR32};
    for (size_t i = 0; i < 6; i++) {
        arm_scene a;
        plan_fixture f;
        spin(&a);
        const uint32_t max_size =
            i < 3 ? 4096 : 5; /* then pages of four frames, each with the last one of the page before */
        encoded(&f, &a,
                &(bw_vat_opts){.mode = BW_VAT_MODE_BONE,
                               .fps = 2,
                               .format = FORMATS[i % 3],
                               .max_size = max_size,
                               .skin_in = BW_VAT_SKIN_IN_MESH});
        assert_true(f.plan.clips[0].out.loop); /* two whole turns */
        assert_int_equal(f.plan.page_count, i < 3 ? 1 : 6);
        const size_t block = bwi_carried_size(&f.plan);
        uint8_t last[64] = {0};
        played_bone before = play_bone(&f, 1, 1, &f.plan.clips[0].out);
        EXPECT4(before.q, 0, 0, 0, 1, 0);
        for (uint32_t p = 0; p < f.plan.page_count; p++) {
            if (p)
                assert_int_equal(plan_encode(&f, p), BW_OK);
            if (p)
                assert_memory_equal((const uint8_t *)f.positions.data + block, last, block);
            for (uint32_t l = 0; l < f.plan.pages[p].frame_count; l++) {
                const played_bone now = play_bone(&f, 1, l + 1, &f.plan.clips[0].out);
                const double half = (f.plan.pages[p].first_frame + l) * 0.39269908169872414;
                assert_true(before.q[1] * now.q[1] + before.q[3] * now.q[3] > 0.9);
                EXPECT4(now.q, 0, sin(half), 0, cos(half), 1e-3);
                before = now;
            }
            memcpy(last, (const uint8_t *)f.positions.data + f.plan.pages[p].frame_count * block,
                   block < sizeof last ? block : sizeof last);
        }
        plan_close(&f);
    }
}

/* What vanishes is 0, exactly, and keeps the rotation it had or will have. */
static void what_vanishes_keeps_its_rotation(void **state) {
    (void)state;
    static const float times[] = {0, 1, 2, 3, 4, 5}, sizes[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0},
                       turns[] = {0, 0, 0, 1, 0, 0, 0, 1, 0.6f, 0, 0, 0.8f, 0, 0.6f, 0, 0.8f, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 2; i++) {
        arm_scene a;
        plan_fixture f;
        arm_init(&a);
        const uint32_t clip = builder_clip(&a.b, "Show");
        builder_channel(&a.b, clip, ARM_KNEE, BW_CHANNEL_SCALE, BW_INTERPOLATION_LINEAR, 6, times, sizes);
        builder_channel(&a.b, clip, ARM_KNEE, BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR, 6, times, turns);
        encoded(&f, &a,
                &(bw_vat_opts){
                    .mode = BW_VAT_MODE_BONE, .fps = 1, .format = i ? BW_VAT_FORMAT_EXR32 : BW_VAT_FORMAT_PNG16});
        assert_int_equal(f.plan.bones.texel_count, 2);
        for (uint32_t l = 0; l < 6; l++) {
            const played_bone bone = play_bone(&f, 1, l + 1, &f.plan.clips[0].out);
            assert_true(bone.scale == (l == 2 || l == 3));
            EXPECT4(bone.q, l < 3 ? 0.6 : 0, l < 3 ? 0 : 0.6, 0, 0.8, 1e-5);
        }
        plan_close(&f);
    }
}

/* Every page begins with the reference block; pages share a frame, which says the same on both. */
static void pages_begin_with_the_reference(void **state) {
    (void)state;
    arm_scene a;
    plan_fixture f;
    arm_init(&a);
    arm_bend(&a);
    encoded(&f, &a,
            &(bw_vat_opts){.mode = BW_VAT_MODE_BONE, .fps = 9, .max_size = 5, .pow2 = false, .loop = BW_VAT_LOOP_NO});
    assert_int_equal(f.plan.width, 4); /* two bones of two texels */
    assert_int_equal(f.plan.rows_per_frame, 1);
    assert_int_equal(f.plan.frames_per_page, 4);
    assert_int_equal(f.plan.page_count, 3);
    double last[4] = {0};
    for (uint32_t p = 0; p < f.plan.page_count; p++) {
        assert_int_equal(plan_encode(&f, p), BW_OK);
        expect_codes(&f, 2, 0, 0, 65535, 0, 65535);
        expect_codes(&f, 3, 0, 32768, 32768, 32768, 65535);
        for (uint32_t l = 0; l < f.plan.pages[p].frame_count; l++) {
            const played_bone bone = play_bone(&f, 1, l + 1, &f.plan.clips[0].out);
            const double half = (f.plan.pages[p].first_frame + l) / 9.0 * 0.78539816339744831;
            EXPECT4(bone.q, 0, 0, sin(half), cos(half), 1e-5);
            if (p && l == 0)
                assert_memory_equal(bone.q, last, sizeof last);
            memcpy(last, bone.q, sizeof last);
        }
    }
    plan_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_by_hand),
        cmocka_unit_test(rows_of_matrices),
        cmocka_unit_test(rotations_are_held_to_millionths),
        cmocka_unit_test(spins_stay_on_one_side),
        cmocka_unit_test(what_vanishes_keeps_its_rotation),
        cmocka_unit_test(pages_begin_with_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
