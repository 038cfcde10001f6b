/* SPDX-License-Identifier: MIT
 * Which sample is taken at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bakewell/alembic.h"
#include "expect.h"

static void expect_indices(const bw_alembic_time_sampling *sampling, uint32_t count, double time_s,
                           uint32_t floor_index, uint32_t ceil_index, uint32_t near_index) {
    assert_int_equal(bw_alembic_floor_index(sampling, count, time_s), floor_index);
    assert_int_equal(bw_alembic_ceil_index(sampling, count, time_s), ceil_index);
    assert_int_equal(bw_alembic_near_index(sampling, count, time_s), near_index);
}

static void test_uniform(void **state) {
    (void)state;
    static const double FIRST[1] = {1.0 / 24.0};
    const bw_alembic_time_sampling sampling = {BW_ALEMBIC_UNIFORM, 1.0 / 24.0, {FIRST, 1}, 5};
    EXPECT1(bw_alembic_time(&sampling, 0), 1.0 / 24.0, 0.0);
    EXPECT1(bw_alembic_time(&sampling, 4), 5.0 / 24.0, 1e-15); /* one rounding of the product, one of the sum */
    expect_indices(&sampling, 5, -10.0, 0, 0, 0);
    expect_indices(&sampling, 5, 2.0 / 24.0, 1, 1, 1);
    expect_indices(&sampling, 5, 2.4 / 24.0, 1, 2, 1);
    expect_indices(&sampling, 5, 2.6 / 24.0, 1, 2, 2);
    expect_indices(&sampling, 5, 10.0, 4, 4, 4);
    /* Within the slack of 1e-5 s a time counts as the sample's. */
    expect_indices(&sampling, 5, 2.0 / 24.0 - 0.9e-5, 1, 1, 1);
    expect_indices(&sampling, 5, 2.0 / 24.0 + 0.9e-5, 1, 1, 1);
    expect_indices(&sampling, 5, 2.0 / 24.0 - 1.1e-5, 0, 1, 1);
    expect_indices(&sampling, 5, 2.0 / 24.0 + 1.1e-5, 1, 2, 1);
    expect_indices(&sampling, 1, 3.0, 0, 0, 0);
    expect_indices(&sampling, 0, 3.0, 0, 0, 0);
    /* A claim of the file: four thousand million samples cost no more than a few. */
    expect_indices(&sampling, UINT32_MAX, 1e12, UINT32_MAX - 1, UINT32_MAX - 1, UINT32_MAX - 1);
}

static void test_cyclic(void **state) {
    (void)state;
    static const double SHUTTER[3] = {0.0, 0.125, 0.375};
    const bw_alembic_time_sampling sampling = {BW_ALEMBIC_CYCLIC, 1.0, {SHUTTER, 3}, 7};
    EXPECT1(bw_alembic_time(&sampling, 5), 1.375, 0.0);
    EXPECT1(bw_alembic_time(&sampling, 6), 2.0, 0.0);
    expect_indices(&sampling, 7, 0.15, 1, 2, 1);
    expect_indices(&sampling, 7, 0.25, 1, 2, 1); /* as near to both: the earlier */
    expect_indices(&sampling, 7, 0.7, 2, 3, 3);
    expect_indices(&sampling, 7, 1.125, 4, 4, 4);
}

static void test_acyclic(void **state) {
    (void)state;
    static const double TIMES[4] = {-3.0, 0.5, 0.75, 10.0};
    const bw_alembic_time_sampling sampling = {BW_ALEMBIC_ACYCLIC, BW_ALEMBIC_ACYCLIC_TIME, {TIMES, 4}, 4};
    EXPECT1(bw_alembic_time(&sampling, 3), 10.0, 0.0);
    EXPECT1(bw_alembic_time(&sampling, 400), 10.0, 0.0);
    expect_indices(&sampling, 4, 0.0, 0, 1, 1);
    expect_indices(&sampling, 4, 0.76, 2, 3, 2);
    expect_indices(&sampling, 4, 11.0, 3, 3, 3);
    /* More samples than times: all that are behind the last time are at it. */
    expect_indices(&sampling, 6, 0.76, 2, 3, 2);
}

static void test_not_a_number(void **state) {
    (void)state;
    static const double FIRST[1] = {(double)NAN};
    const bw_alembic_time_sampling sampling = {BW_ALEMBIC_UNIFORM, 1.0, {FIRST, 1}, 5};
    assert_true(bw_alembic_floor_index(&sampling, 5, 2.0) < 5);
    assert_true(bw_alembic_ceil_index(&sampling, 5, 2.0) < 5);
    assert_true(bw_alembic_near_index(&sampling, 5, (double)NAN) < 5);
}

static void test_pods(void **state) {
    (void)state;
    assert_int_equal(bw_alembic_pod_size(BW_ALEMBIC_BOOL), 1);
    assert_int_equal(bw_alembic_pod_size(BW_ALEMBIC_FLOAT16), 2);
    assert_int_equal(bw_alembic_pod_size(BW_ALEMBIC_FLOAT64), 8);
    assert_int_equal(bw_alembic_pod_size(BW_ALEMBIC_STRING), 0);
    assert_int_equal(bw_alembic_pod_size(BW_ALEMBIC_NO_POD), 0);
    assert_int_equal(bw_alembic_pod_size((bw_alembic_pod)99), 0);
    assert_string_equal(bw_alembic_pod_name(BW_ALEMBIC_INT64), "int64");
    assert_string_equal(bw_alembic_pod_name(BW_ALEMBIC_WSTRING), "wstring");
}

static void test_numbers(void **state) {
    (void)state;
    /* At an odd address: samples lie anywhere. */
    static const uint8_t BYTES[] = {0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x80}, HALF[] = {0, 0x01, 0x3C};
    static const uint8_t SINGLE[] = {0, 0, 0, 0x20, 0xC1}, DOUBLE[] = {0, 1, 0, 0, 0, 0, 0, 0xF0, 0x3F};
    const uint8_t *bytes = BYTES + 1;
    assert_int_equal(bw_alembic_int(bytes, BW_ALEMBIC_UINT8), 0xFE);
    assert_int_equal(bw_alembic_int(bytes, BW_ALEMBIC_BOOL), 0xFE);
    assert_int_equal(bw_alembic_int(bytes, BW_ALEMBIC_INT8), -2);
    assert_int_equal(bw_alembic_int(bytes, BW_ALEMBIC_UINT16), 0xFFFE);
    assert_int_equal(bw_alembic_int(bytes, BW_ALEMBIC_INT16), -2);
    assert_int_equal(bw_alembic_int(bytes, BW_ALEMBIC_UINT32), 0xFFFFFFFE);
    assert_int_equal(bw_alembic_int(bytes, BW_ALEMBIC_INT32), -2);
    assert_true((uint64_t)bw_alembic_int(bytes, BW_ALEMBIC_UINT64) == 0x80FFFFFFFFFFFFFE);
    assert_true(bw_alembic_int(bytes, BW_ALEMBIC_INT64) == -0x7F00000000000002);
    assert_int_equal(bw_alembic_int(bytes, BW_ALEMBIC_FLOAT32), 0);
    assert_int_equal(bw_alembic_int(bytes, BW_ALEMBIC_STRING), 0);
    EXPECT1(bw_alembic_float(HALF + 1, BW_ALEMBIC_FLOAT16), 1.0009765625, 0.0);
    EXPECT1(bw_alembic_float(SINGLE + 1, BW_ALEMBIC_FLOAT32), -10.0, 0.0);
    EXPECT1(bw_alembic_float(DOUBLE + 1, BW_ALEMBIC_FLOAT64), 1.0000000000000002, 0.0);
    EXPECT1(bw_alembic_float(bytes, BW_ALEMBIC_INT32), 0.0, 0.0);
    EXPECT1(bw_alembic_float(bytes, BW_ALEMBIC_WSTRING), 0.0, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform),      cmocka_unit_test(test_cyclic), cmocka_unit_test(test_acyclic),
        cmocka_unit_test(test_not_a_number), cmocka_unit_test(test_pods),   cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
