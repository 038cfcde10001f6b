/* SPDX-License-Identifier: MIT
 * Halves: all 65,536 of them, and the rounding between every two. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/half.h"

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* From the definition in IEEE 754, in double. */
static double value_of(uint16_t half) {
    int exponent = (half >> 10) & 0x1F;
    int significand = half & 0x3FF;
    double magnitude = exponent == 0 ? ldexp(significand, -24) : ldexp(1024 + significand, exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

static void every_half_is_exact_and_comes_back(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t half = (uint16_t)i;
        float value = bwi_half_to_float(half);
        if ((half & 0x7C00) == 0x7C00) {
            bool nan = (half & 0x3FF) != 0;
            assert_true(nan ? isnan(value) : isinf(value));
            assert_true((signbit(value) != 0) == ((half & 0x8000) != 0));
            assert_int_equal(bwi_half_from_float(value), nan ? half | 0x200 : half);
        } else {
            assert_true((double)value == value_of(half));
            assert_true((signbit(value) != 0) == ((half & 0x8000) != 0));
            assert_int_equal(bwi_half_from_float(value), half);
        }
    }
}

static void between_two_halves_the_nearer_wins_and_ties_go_even(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 0x7BFF; i++) {
        uint16_t low = (uint16_t)i;
        uint16_t high = (uint16_t)(i + 1);
        float middle = (float)((value_of(low) + value_of(high)) / 2.0); /* exact: one bit more than a half has */
        uint16_t even = i % 2 == 0 ? low : high;
        assert_int_equal(bwi_half_from_float(middle), even);
        assert_int_equal(bwi_half_from_float(nextafterf(middle, 0.0f)), low);
        assert_int_equal(bwi_half_from_float(nextafterf(middle, INFINITY)), high);
        assert_int_equal(bwi_half_from_float(-middle), even | 0x8000);
    }
}

static void the_ends_of_the_range(void **state) {
    (void)state;
    assert_int_equal(bwi_half_from_float(65504.0f), 0x7BFF);
    assert_int_equal(bwi_half_from_float(nextafterf(65520.0f, 0.0f)), 0x7BFF);
    assert_int_equal(bwi_half_from_float(65520.0f), 0x7C00);
    assert_int_equal(bwi_half_from_float(-1e30f), 0xFC00);
    assert_int_equal(bwi_half_from_float(INFINITY), 0x7C00);
    assert_int_equal(bwi_half_from_float(0x1p-25f), 0x0000); /* tie with 0, which is even */
    assert_int_equal(bwi_half_from_float(nextafterf(0x1p-25f, 1.0f)), 0x0001);
    assert_int_equal(bwi_half_from_float(-1e-40f), 0x8000);
    assert_int_equal(bwi_half_from_float(-0.0f), 0x8000);
}

static void nans_stay_nans(void **state) {
    (void)state;
    static const uint32_t NANS[] = {0x7F800001u, 0x7FC00000u, 0xFF800001u, 0xFFFFFFFFu, 0x7F802000u};
    for (size_t i = 0; i < sizeof(NANS) / sizeof(NANS[0]); i++) {
        uint16_t half = bwi_half_from_float(float_of(NANS[i]));
        assert_true((half & 0x7E00) == 0x7E00); /* quiet */
        assert_int_equal(half >> 15, NANS[i] >> 31);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_is_exact_and_comes_back),
        cmocka_unit_test(between_two_halves_the_nearer_wins_and_ties_go_even),
        cmocka_unit_test(the_ends_of_the_range),
        cmocka_unit_test(nans_stay_nans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
