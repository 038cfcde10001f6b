/* SPDX-License-Identifier: MIT
 * Motion of repaired hair: samples of points and of transforms, in order and out of it, with what was done to the hair at rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "expect.h"
#include "hair_builder.h"

enum { SAMPLES = 3, POINTS = 7 };

static const int32_t COUNTS[] = {3, 4};
static const float REST[3 * POINTS] = {0, 0, 0, 0, 0, 1, 0, 0, 2, 5, 0, 0, 5, 0, 1, 5, 0, 2, 5, 0, 3};

typedef struct moving {
    hair_builder b;
    double times[SAMPLES];
    float offsets[SAMPLES]; /* along x, of a sample */
    float broken;           /* in the last sample, of the point before the last */
    bwi_hair_curves *curves;
    uint32_t xform;
} moving;

static bw_result read_points(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    (void)error;
    const moving *m = ctx;
    memcpy(dst, REST, sizeof REST);
    for (int p = 0; p < POINTS; p++)
        dst[3 * p] += m->offsets[sample] * REST[3 * p + 2];
    if (sample == SAMPLES - 1)
        dst[3 * (POINTS - 2)] += m->broken;
    return BW_OK;
}

static bw_result read_matrix(const void *ctx, uint32_t sample, double matrix[16], bool *inherits, bw_error *error) {
    (void)ctx;
    (void)error;
    const bwi_mat4 one = bwi_mat4_identity();
    memcpy(matrix, one.m, sizeof one.m);
    matrix[13] = 10 * sample; /* along y */
    *inherits = true;
    return BW_OK;
}

static void moving_init(moving *m) {
    hair_init(&m->b);
    m->xform = hair_xform(&m->b, "/x", BW_NO_INDEX, NULL);
    m->curves = hair_curves(&m->b, "/x/hair", m->xform, COUNTS, 2, REST, POINTS);
    m->curves->sample_count = SAMPLES;
    m->curves->times_s = m->times;
    m->curves->read = read_points;
    m->curves->ctx = m;
    m->broken = 0;
    for (int s = 0; s < SAMPLES; s++) {
        m->times[s] = 1 + s / 24.0;
        m->offsets[s] = (float)s;
    }
}

static void expect_tip(const bw_groom *g, uint32_t sample, double x, double y) {
    float points[3 * POINTS];
    assert_int_equal(g->point_count, POINTS);
    assert_int_equal(g->animation->read(g->animation->ctx, sample, points, NULL), BW_OK);
    EXPECT3(points + 6, x, y, 2, 1e-6);
}

static void samples_are_read_as_they_are_asked_for(void **state) {
    (void)state;
    moving m;
    hair_fix f;
    moving_init(&m);
    assert_int_equal(hair_repair(&f, &m.b, NULL, 1), BW_OK);
    assert_int_equal(f.groom->animation->sample_count, 3);
    EXPECT1(f.groom->animation->times_s[2], 1 + 2 / 24.0, 0);
    expect_tip(f.groom, 0, 0, 0);
    expect_tip(f.groom, 2, 4, 0);
    expect_tip(f.groom, 1, 2, 0);
    assert_int_equal(f.changes.count, 0);
    hair_close(&f);
}

static void moving_transforms_move_the_hair(void **state) {
    (void)state;
    static const double times[] = {1, 1 + 2 / 24.0}; /* half as often as the points */
    moving m;
    hair_fix f;
    moving_init(&m);
    m.b.objects[m.xform].moves = true;
    m.b.objects[m.xform].sample_count = 2;
    m.b.objects[m.xform].times_s = times;
    m.b.objects[m.xform].read = read_matrix;
    assert_int_equal(hair_repair(&f, &m.b, NULL, 1), BW_OK);
    assert_int_equal(f.groom->animation->sample_count, 3);
    expect_tip(f.groom, 1, 2, 5);
    expect_tip(f.groom, 2, 4, 10);
    hair_close(&f);
    m.curves->sample_count = 1; /* the transform alone */
    assert_int_equal(hair_repair(&f, &m.b, NULL, 1), BW_OK);
    assert_int_equal(f.groom->animation->sample_count, 2);
    expect_tip(f.groom, 1, 0, 10);
    hair_close(&f);
}

static void samples_out_of_order_are_sorted_and_twins_left_out(void **state) {
    (void)state;
    moving m;
    hair_fix f;
    moving_init(&m);
    m.times[0] = 2;
    m.times[2] = 1;
    m.times[1] = 1.5;
    assert_int_equal(hair_repair(&f, &m.b, NULL, 1), BW_OK);
    assert_int_equal(hair_change(&f, "samples-sorted"), 2);
    EXPECT1(f.groom->animation->times_s[0], 1, 0);
    expect_tip(f.groom, 0, 4, 0);
    EXPECT1(f.groom->positions[6], 4, 1e-6); /* at rest as the first sample */
    expect_tip(f.groom, 2, 0, 0);
    hair_close(&f);
    m.times[0] = 1;
    m.times[1] = 1;
    m.times[2] = 2;
    assert_int_equal(hair_repair(&f, &m.b, NULL, 1), BW_OK);
    assert_int_equal(hair_change(&f, "samples-left-out"), 1);
    assert_int_equal(f.groom->animation->sample_count, 2);
    expect_tip(f.groom, 1, 4, 0);
    hair_close(&f);
}

/* Shutter times, and times of no rhythm: an importer takes even ones only. */
static void uneven_times_are_evened(void **state) {
    (void)state;
    moving m;
    hair_fix f;
    moving_init(&m);
    m.times[0] = -0.1;
    m.times[1] = 0;
    m.times[2] = 0.3;
    assert_int_equal(hair_repair(&f, &m.b, NULL, 1), BW_OK);
    assert_int_equal(hair_change(&f, "samples-evened"), 5);
    assert_int_equal(f.groom->animation->sample_count, 5);
    EXPECT1(f.groom->animation->times_s[4], 0.3, 1e-12);
    expect_tip(f.groom, 1, 2, 0);
    expect_tip(f.groom, 2, 2 + 2 / 3.0, 0);
    expect_tip(f.groom, 4, 4, 0);
    hair_close(&f);
}

static void equal_samples_stand_still(void **state) {
    (void)state;
    moving m;
    hair_fix f;
    moving_init(&m);
    m.offsets[1] = m.offsets[2] = 0;
    assert_int_equal(hair_repair(&f, &m.b, NULL, 1), BW_OK);
    assert_null(f.groom->animation);
    assert_int_equal(hair_change(&f, "samples-equal"), 3);
    hair_close(&f);
}

static void what_no_cache_can_hold_is_told(void **state) {
    (void)state;
    moving m;
    hair_fix f;
    moving_init(&m);
    m.curves->topology_moves = true;
    assert_int_equal(hair_repair(&f, &m.b, NULL, 1), BW_OK);
    assert_null(f.groom->animation);
    assert_int_equal(hair_change(&f, "topology-moves"), 1);
    hair_close(&f);
    /* https://docs.unrealengine.com/5.2/en-US/using-groom-caches-with-hair-in-unreal-engine/: only widths move. */
    moving_init(&m);
    m.curves->sample_count = 1;
    m.curves->only_attributes_move = true;
    assert_int_equal(hair_repair(&f, &m.b, NULL, 1), BW_OK);
    assert_null(f.groom->animation);
    assert_int_equal(hair_change(&f, "only-attributes-move"), 1);
    hair_close(&f);
}

static void points_that_break_later_stay_where_they_were(void **state) {
    (void)state;
    moving m;
    hair_fix f;
    moving_init(&m);
    m.broken = NAN;
    assert_int_equal(hair_repair(&f, &m.b, NULL, 1), BW_OK);
    assert_int_equal(hair_change(&f, "samples-mended"), 1);
    float points[3 * POINTS];
    assert_int_equal(f.groom->animation->read(f.groom->animation->ctx, 2, points, NULL), BW_OK);
    EXPECT3(points + 3 * (POINTS - 2), 5, 0, 2, 0);
    EXPECT3(points + 3 * (POINTS - 1), 11, 0, 3, 1e-6);
    hair_close(&f);
}

/* Splines are evaluated in every sample at the places of the first: a motion that is the same everywhere moves every point alike. */
static void splines_move_at_the_places_of_rest(void **state) {
    (void)state;
    moving m;
    hair_fix f;
    moving_init(&m);
    m.curves->type = BWI_HAIR_CUBIC;
    m.curves->basis = BWI_HAIR_BSPLINE;
    assert_int_equal(hair_repair(&f, &m.b, &(bw_groom_opts){.points = 5}, 1), BW_OK);
    const bw_groom *g = f.groom;
    assert_int_equal(g->point_count, 10);
    float points[30];
    assert_int_equal(g->animation->read(g->animation->ctx, 2, points, NULL), BW_OK);
    for (int p = 0; p < 10; p++) {
        EXPECT1(points[3 * p], (double)g->positions[3 * p] + 2 * (double)g->positions[3 * p + 2], 1e-5);
        EXPECT1(points[3 * p + 2], g->positions[3 * p + 2], 0);
    }
    hair_close(&f);
}

static void chosen_points_move_alone(void **state) {
    (void)state;
    static const uint32_t chosen[] = {6, 2};
    moving m;
    hair_fix f;
    moving_init(&m);
    assert_int_equal(hair_repair(&f, &m.b, NULL, 1), BW_OK);
    const bw_cache *cache;
    assert_int_equal(bwi_groom_cache_select(&cache, f.arena, f.groom->animation, POINTS, chosen, 2, NULL), BW_OK);
    assert_int_equal(cache->sample_count, 3);
    float points[6];
    assert_int_equal(cache->read(cache->ctx, 1, points, NULL), BW_OK);
    EXPECT3(points, 8, 0, 3, 1e-6);
    EXPECT3(points + 3, 2, 0, 2, 1e-6);
    assert_int_equal(bwi_groom_cache_select(&cache, f.arena, NULL, POINTS, chosen, 2, NULL), BW_OK);
    assert_null(cache);
    hair_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_read_as_they_are_asked_for),
        cmocka_unit_test(moving_transforms_move_the_hair),
        cmocka_unit_test(samples_out_of_order_are_sorted_and_twins_left_out),
        cmocka_unit_test(uneven_times_are_evened),
        cmocka_unit_test(equal_samples_stand_still),
        cmocka_unit_test(what_no_cache_can_hold_is_told),
        cmocka_unit_test(points_that_break_later_stay_where_they_were),
        cmocka_unit_test(splines_move_at_the_places_of_rest),
        cmocka_unit_test(chosen_points_move_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
