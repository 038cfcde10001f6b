/* SPDX-License-Identifier: MIT
 * Channels at a time: values worked out by hand from glTF 2.0, appendix C. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "expect.h"
#include "sample/sample_priv.h"

/* Values are computed in double from small binary fractions: exact, or a few roundings where quaternions are normalised. */
static const float EXACT = 0.0f;
static const float ROUNDED = 1e-7f;

static bw_channel channel_of(bw_channel_path path, bw_interpolation interpolation, uint32_t components, uint32_t keys,
                             const float *times_s, const float *values) {
    return (bw_channel){0, path, interpolation, components, keys, times_s, values};
}

static void sample(float *out, const bw_channel *channel, double time_s) {
    double value[8];
    bwi_channel_sample(value, channel, time_s);
    for (uint32_t i = 0; i < channel->component_count; i++) {
        out[i] = (float)value[i];
    }
}

static void linear_mixes_and_clamps(void **state) {
    (void)state;
    static const float times[] = {1, 3, 4}, values[] = {1, 2, 3, 5, 6, 7, 9, 9, 9};
    bw_channel channel = channel_of(BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 3, 3, times, values);
    float v[3];
    sample(v, &channel, -5);
    EXPECT3(v, 1, 2, 3, EXACT);
    sample(v, &channel, 1);
    EXPECT3(v, 1, 2, 3, EXACT);
    sample(v, &channel, 1.5);
    EXPECT3(v, 2, 3, 4, EXACT);
    sample(v, &channel, 3);
    EXPECT3(v, 5, 6, 7, EXACT);
    sample(v, &channel, 3.5);
    EXPECT3(v, 7, 7.5, 8, EXACT);
    sample(v, &channel, 4);
    EXPECT3(v, 9, 9, 9, EXACT);
    sample(v, &channel, 1e9);
    EXPECT3(v, 9, 9, 9, EXACT);
}

static void step_holds_until_the_next_key(void **state) {
    (void)state;
    static const float times[] = {1, 3}, values[] = {1, 2, 3, 5, 6, 7};
    bw_channel channel = channel_of(BW_CHANNEL_SCALE, BW_INTERPOLATION_STEP, 3, 2, times, values);
    float v[3];
    sample(v, &channel, 0);
    EXPECT3(v, 1, 2, 3, EXACT);
    sample(v, &channel, 3 - 2e-5);
    EXPECT3(v, 1, 2, 3, EXACT);
    sample(v, &channel, 3);
    EXPECT3(v, 5, 6, 7, EXACT);
    sample(v, &channel, 8);
    EXPECT3(v, 5, 6, 7, EXACT);
}

/* Frame k at 30 a second, in double, meets the key at float k/30, whichever of both is larger: no step shows a frame late. */
static void a_step_on_a_frame_is_not_late(void **state) {
    (void)state;
    uint32_t above = 0;
    for (int k = 1; k < 3000; k++) {
        const float times[] = {0, (float)k / 30.0f}, values[] = {0, 0, 0, 1, 1, 1};
        bw_channel channel = channel_of(BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_STEP, 3, 2, times, values);
        float v[3];
        above += (double)times[1] > k / 30.0;
        sample(v, &channel, k / 30.0);
        EXPECT3(v, 1, 1, 1, EXACT);
        sample(v, &channel, (k - 0.001) / 30.0);
        EXPECT3(v, 0, 0, 0, EXACT);
    }
    assert_true(above > 1000); /* the case is met */
}

/* Interval 2 s.  At its middle: ½, ¼, ½, −¼ of value, out-tangent, value, in-tangent; the outer tangents (9) must not count. */
static void cubic_scales_tangents_by_the_interval(void **state) {
    (void)state;
    static const float times[] = {1, 3};
    static const float values[] = {9, 9, 9, 1, 0, 0, 2, 0, -1, 4, 0, 3, 3, 1, 0, 9, 9, 9};
    bw_channel channel = channel_of(BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_CUBICSPLINE, 3, 2, times, values);
    float v[3];
    sample(v, &channel, 2);
    EXPECT3(v, 1.5, 0.5, -1, EXACT);
    sample(v, &channel, 1.5);
    EXPECT3(v, 1.5, 0.15625, -0.5625, EXACT);
    sample(v, &channel, 0);
    EXPECT3(v, 1, 0, 0, EXACT);
    sample(v, &channel, 1);
    EXPECT3(v, 1, 0, 0, EXACT);
    sample(v, &channel, 3);
    EXPECT3(v, 3, 1, 0, EXACT);
    sample(v, &channel, 7);
    EXPECT3(v, 3, 1, 0, EXACT);
}

/* With zero tangents a quarter of the way mixes 27/32 and 5/32 of the keys: not where slerp would be (sin 22.5°). */
static void cubic_rotation_is_normalised_after_mixing(void **state) {
    (void)state;
    static const float times[] = {0, 1};
    static const float values[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    bw_channel channel = channel_of(BW_CHANNEL_ROTATION, BW_INTERPOLATION_CUBICSPLINE, 4, 2, times, values);
    float v[4];
    sample(v, &channel, 0.25);
    EXPECT4(v, 0, 0, 0.18208926, 0.98328200, ROUNDED);
}

/* Two targets, three keys: a key is all in-tangents, all values, all out-tangents. */
static void cubic_weights_keep_targets_apart(void **state) {
    (void)state;
    static const float times[] = {0, 1, 2};
    static const float values[] = {7, 7, 0.25f, 0.5f, 0, 8, 0, 0, 0.75f, 1, 0, 0, 0, 16, 0, 0, 7, 7};
    bw_channel channel = channel_of(BW_CHANNEL_WEIGHTS, BW_INTERPOLATION_CUBICSPLINE, 2, 3, times, values);
    float v[2];
    sample(v, &channel, 0.5);
    EXPECT1(v[0], 0.5, EXACT);
    EXPECT1(v[1], 1.75, EXACT); /* (0.5 + 1)/2 + 8/8 */
    sample(v, &channel, 1.5);
    EXPECT1(v[0], 0.375, EXACT);
    EXPECT1(v[1], -1.5, EXACT); /* 1/2 − 16/8 */
}

static void linear_rotation_is_slerp_on_the_short_path(void **state) {
    (void)state;
    static const float times[] = {0, 1};
    static const float r = 0.70710678f;
    const float to_90[] = {0, 0, 0, 1, 0, 0, r, r}, to_minus_90[] = {0, 0, 0, 1, 0, 0, -r, -r};
    bw_channel channel = channel_of(BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR, 4, 2, times, to_90);
    float v[4];
    sample(v, &channel, 0.25);
    EXPECT4(v, 0, 0, 0.19509032, 0.98078528, ROUNDED); /* 22.5°; normalised lerp would give 20.8° */
    channel.values = to_minus_90;                      /* the same rotation written with the other sign */
    sample(v, &channel, 0.25);
    EXPECT4(v, 0, 0, 0.19509032, 0.98078528, ROUNDED);
}

static void rotation_keys_are_normalised(void **state) {
    (void)state;
    static const float times[] = {0, 1}, values[] = {0, 0, 0, 2, 0, 0, 3, 3};
    bw_channel channel = channel_of(BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR, 4, 2, times, values);
    float v[4];
    sample(v, &channel, 0);
    EXPECT4(v, 0, 0, 0, 1, ROUNDED);
    sample(v, &channel, 0.25);
    EXPECT4(v, 0, 0, 0.19509032, 0.98078528, ROUNDED);
    channel.interpolation = BW_INTERPOLATION_STEP;
    sample(v, &channel, 1);
    EXPECT4(v, 0, 0, 0.70710678, 0.70710678, ROUNDED);
}

static void a_single_key_holds_for_all_time(void **state) {
    (void)state;
    static const float times[] = {2}, values[] = {9, 9, 9, 4, 5, 6, 9, 9, 9};
    const bw_interpolation kinds[] = {BW_INTERPOLATION_STEP, BW_INTERPOLATION_LINEAR, BW_INTERPOLATION_CUBICSPLINE};
    for (size_t i = 0; i < 3; i++) {
        bool cubic = kinds[i] == BW_INTERPOLATION_CUBICSPLINE;
        bw_channel channel = channel_of(BW_CHANNEL_TRANSLATION, kinds[i], 3, 1, times, cubic ? values : values + 3);
        for (double t = 0; t <= 4; t += 2) {
            float v[3];
            sample(v, &channel, t);
            EXPECT3(v, 4, 5, 6, EXACT);
        }
    }
}

static void keys_are_found_among_many(void **state) {
    (void)state;
    float times[1000];
    for (uint32_t i = 0; i < 1000; i++) {
        times[i] = (float)i * 0.5f;
    }
    bw_channel channel = channel_of(BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 3, 1000, times, NULL);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(bwi_channel_key(&channel, (double)times[i]), i);
        assert_int_equal(bwi_channel_key(&channel, (double)times[i] + 0.25), i);
    }
    assert_int_equal(bwi_channel_key(&channel, -1), 0);
}

static bool steps(const bw_channel *channel, const bw_channel *later, double from_s, double to_s) {
    bw_clip clips[2] = {{.name = "a", .channels = {channel, 1}},
                        {.name = "b", .channels = {later, later != NULL ? 1 : 0}}};
    const bw_clip *const pointers[] = {&clips[0], &clips[1]};
    bwi_clip_mix mix = {pointers, 2};
    return bwi_mix_steps_between(&mix, from_s, to_s);
}

/* Keys at 1, 2, 3 s; the last repeats the second. */
static void steps_are_found_where_the_value_changes(void **state) {
    (void)state;
    static const float times[] = {1, 2, 3}, values[] = {1, 1, 1, 1, 1, 2, 1, 1, 2};
    bw_channel channel = channel_of(BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_STEP, 3, 3, times, values);
    assert_true(steps(&channel, NULL, 1, 2)); /* the end belongs to the interval */
    assert_true(steps(&channel, NULL, 1.5, 2.5));
    assert_true(steps(&channel, NULL, 0, 9));
    assert_false(steps(&channel, NULL, 2, 3));   /* the start does not; the key at 3 repeats */
    assert_false(steps(&channel, NULL, 0, 1.5)); /* clamped: nothing happens at the first key */
    assert_false(steps(&channel, NULL, 3, 9));
    bw_channel later = channel;
    later.interpolation = BW_INTERPOLATION_LINEAR;
    assert_false(steps(&channel, &later, 1, 2));
    later.path = BW_CHANNEL_SCALE;
    assert_true(steps(&channel, &later, 1, 2));
    channel.interpolation = BW_INTERPOLATION_LINEAR;
    assert_false(steps(&channel, NULL, 1, 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_mixes_and_clamps),
        cmocka_unit_test(step_holds_until_the_next_key),
        cmocka_unit_test(a_step_on_a_frame_is_not_late),
        cmocka_unit_test(cubic_scales_tangents_by_the_interval),
        cmocka_unit_test(cubic_rotation_is_normalised_after_mixing),
        cmocka_unit_test(cubic_weights_keep_targets_apart),
        cmocka_unit_test(linear_rotation_is_slerp_on_the_short_path),
        cmocka_unit_test(rotation_keys_are_normalised),
        cmocka_unit_test(a_single_key_holds_for_all_time),
        cmocka_unit_test(keys_are_found_among_many),
        cmocka_unit_test(steps_are_found_where_the_value_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
