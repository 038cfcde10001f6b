/* SPDX-License-Identifier: MIT
 * Error statistics against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "list_fixture.h"
#include "metric/metric_priv.h"
#include "scene_builder.h"

typedef struct sums {
    scene_builder b;
    list_fixture list;
    bw_error_stats stats;
    bwi_histogram histogram;
} sums;

static int begin(void **state) {
    sums *s = calloc(1, sizeof *s);
    builder_init(&s->b);
    builder_triangle(&s->b, "one", BW_NO_INDEX);
    builder_triangle(&s->b, "two", BW_NO_INDEX);
    *state = s;
    return fixture_open(&s->list, builder_finish(&s->b), NULL) == BW_OK ? 0 : -1;
}

static int end(void **state) {
    sums *s = *state;
    fixture_close(&s->list);
    free(s);
    return 0;
}

/* Adds a frame in which vertex i is off[i] away along x, and normals point as they should but for one. */
static void add(sums *s, const float *off, size_t count, const char *clip, uint32_t frame, double diagonal) {
    static const float zero[18], up[18] = {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0};
    float decoded[18] = {0};
    for (size_t i = 0; i < count; i++)
        decoded[3 * i] = off[i];
    bwi_frame_error error;
    bwi_frame_error_measure(&error, &s->histogram, decoded, zero, up, up, count);
    assert_int_equal(error.count, count);
    const bwi_error_place place = {clip, frame * 0.5, frame, diagonal};
    bwi_stats_add(&s->stats, &error, &place, s->list.list);
}

static void largest_mean_and_place(void **state) {
    sums *s = *state;
    add(s, (float[]){0, 0.25f, 0}, 3, "A", 0, 1);
    add(s, (float[]){0.5f, 0, 0, 0, -3, 0}, 6, "B", 7, 100);
    add(s, (float[]){1, 1, 0, 0}, 4, "C", 2, 10);
    bwi_stats_finish(&s->stats, &s->histogram);
    assert_int_equal(s->stats.count, 13);
    assert_true(s->stats.max == 3);
    EXPECT1(s->stats.rms, sqrt((0.0625 + 0.25 + 9 + 2) / 13), 1e-12);
    EXPECT1(s->stats.max_relative, 0.25, 1e-12); /* of A: 0.25 m of 1 m; B's 3 m are 0.03, C's 1 m is 0.1 */
    assert_string_equal(s->stats.worst.clip, "B");
    assert_string_equal(s->stats.worst.part, "two");
    assert_int_equal(s->stats.worst.frame, 7);
    assert_int_equal(s->stats.worst.vertex, 4);
    assert_true(s->stats.worst.time_s == 3.5);
    assert_true(s->stats.normal_deg == 0);
}

/* Of equals the first counts: the lowest vertex of the earliest frame. */
static void ties_go_to_the_first(void **state) {
    sums *s = *state;
    add(s, (float[]){0, 1, -1, 1}, 4, "A", 3, 1);
    add(s, (float[]){1, 1, 1, 1}, 4, "A", 4, 1);
    bwi_stats_finish(&s->stats, &s->histogram);
    assert_int_equal(s->stats.worst.frame, 3);
    assert_int_equal(s->stats.worst.vertex, 1);
}

/* Without any error there is still a place, and no division by a diagonal of 0. */
static void no_error_at_all(void **state) {
    sums *s = *state;
    add(s, (float[]){0}, 1, "Still", 0, 0);
    add(s, (float[]){0}, 1, "Still", 1, 0);
    bwi_stats_finish(&s->stats, &s->histogram);
    assert_true(s->stats.max == 0 && s->stats.p99 == 0 && s->stats.rms == 0 && s->stats.max_relative == 0);
    assert_string_equal(s->stats.worst.clip, "Still");
    assert_int_equal(s->stats.worst.frame, 0);
}

/* A bin ends at most 17/16 of a square above its beginning. */
#define BIN_WIDTH 1.0308

/* 1 of 100 may lie above p99. */
static void ninety_ninth_percentile(void **state) {
    sums *s = *state;
    for (uint32_t k = 0; k < 100; k++)
        add(s, (float[]){k == 17 ? 8.0f : k == 60 ? 0.4f : 0.1f}, 1, "A", k, 1);
    bwi_stats_finish(&s->stats, &s->histogram);
    assert_true(s->stats.p99 >= (double)0.4f && s->stats.p99 <= (double)0.4f * BIN_WIDTH);
    assert_true(s->stats.max == 8);
}

static void percentile_of_few(void **state) {
    sums *s = *state;
    for (uint32_t k = 0; k < 99; k++) /* not even one of 99 may lie above */
        add(s, (float[]){k == 17 ? 8.0f : 0.1f}, 1, "A", k, 1);
    bwi_stats_finish(&s->stats, &s->histogram);
    assert_true(s->stats.p99 == 8); /* never above the largest */
}

static void percentile_of_mostly_nothing(void **state) {
    sums *s = *state;
    for (uint32_t k = 0; k < 200; k++)
        add(s, (float[]){k < 2 ? 1.0f : 0.0f}, 1, "A", k, 1);
    bwi_stats_finish(&s->stats, &s->histogram);
    assert_true(s->stats.p99 == 0 && s->stats.max == 1);
}

static void percentile_bins_are_narrow(void **state) {
    sums *s = *state;
    for (float x = 1e-7f; x < 1e5f; x *= 1.37f) {
        s->stats = (bw_error_stats){0};
        s->histogram = (bwi_histogram){{0}};
        for (uint32_t k = 0; k < 3; k++)
            add(s, (float[]){k ? x : 1e6f}, 1, "A", k, 1);
        s->stats.count = 100; /* as if one of a hundred were the largest */
        bwi_stats_finish(&s->stats, &s->histogram);
        assert_true(s->stats.p99 >= (double)x && s->stats.p99 <= (double)x * BIN_WIDTH);
    }
}

/* What is no number is infinitely wrong, stays the worst, and passes no bound. */
static void no_number_is_the_worst(void **state) {
    sums *s = *state;
    add(s, (float[]){0, 1}, 2, "A", 0, 1);
    add(s, (float[]){5, NAN, 7, INFINITY}, 4, "B", 1, 1);
    add(s, (float[]){9}, 1, "C", 2, 1);
    bwi_stats_finish(&s->stats, &s->histogram);
    assert_true(isinf(s->stats.max) && isinf(s->stats.rms) && isinf(s->stats.max_relative) && isinf(s->stats.p99));
    assert_string_equal(s->stats.worst.clip, "B");
    assert_int_equal(s->stats.worst.vertex, 1);
    assert_false(bwi_metric_keeps(&s->stats, (bw_length){1e6, BW_LENGTH_METRE}));
    assert_false(bwi_metric_keeps(&s->stats, (bw_length){1e6, BW_LENGTH_RELATIVE}));
}

static void normals_are_measured_in_degrees(void **state) {
    sums *s = *state;
    static const float zero[6];
    static const struct {
        float a[3], b[3];
        double degrees;
    } ROWS[] = {
        {{0, 0, 1}, {0, 0, 1}, 0},
        {{1, 0, 0}, {0, 1, 0}, 90},
        {{1, 0, 0}, {-1, 0, 0}, 180},
        {{0.5f, 0.8660254f, 0}, {1, 0, 0}, 60},
        {{1, 0, 0}, {0.9998477f, 0.017452406f, 0}, 1},
        {{1, 0, 0}, {1, 1.7453292e-5f, 0}, 0.001},
        {{NAN, 0, 0}, {1, 0, 0}, 180},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        bwi_frame_error error;
        bw_error_stats stats = {0};
        float a[6] = {0, 1, 0}, b[6] = {0, 1, 0};
        memcpy(a + 3, ROWS[k].a, sizeof ROWS[k].a);
        memcpy(b + 3, ROWS[k].b, sizeof ROWS[k].b);
        bwi_frame_error_measure(&error, &s->histogram, zero, zero, a, b, 2);
        bwi_stats_add(&stats, &error, &(bwi_error_place){"A", 0, 0, 1}, s->list.list);
        bwi_stats_finish(&stats, &s->histogram);
        EXPECT1(stats.normal_deg, ROWS[k].degrees, 2e-5); /* a float's rounding near 1 is 1e-5 of a degree */
    }
}

static void bounds_are_kept_up_to_equality(void **state) {
    (void)state;
    const bw_error_stats stats = {.count = 1, .max = 0.002, .max_relative = 0.0005};
    assert_true(bwi_metric_keeps(&stats, (bw_length){0}));
    assert_true(bwi_metric_keeps(&stats, (bw_length){0.002, BW_LENGTH_METRE}));
    assert_false(bwi_metric_keeps(&stats, (bw_length){0.00199, BW_LENGTH_METRE}));
    assert_true(bwi_metric_keeps(&stats, (bw_length){0.0005, BW_LENGTH_RELATIVE}));
    assert_false(bwi_metric_keeps(&stats, (bw_length){0.0004, BW_LENGTH_RELATIVE}));
    assert_true(bwi_metric_keeps(&(bw_error_stats){0}, (bw_length){0, BW_LENGTH_METRE})); /* nothing was measured */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(largest_mean_and_place),
        TEST(ties_go_to_the_first),
        TEST(no_error_at_all),
        TEST(ninety_ninth_percentile),
        TEST(percentile_of_few),
        TEST(percentile_of_mostly_nothing),
        TEST(percentile_bins_are_narrow),
        TEST(no_number_is_the_worst),
        TEST(normals_are_measured_in_degrees),
        cmocka_unit_test(bounds_are_kept_up_to_equality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
