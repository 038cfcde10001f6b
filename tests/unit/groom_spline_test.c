/* SPDX-License-Identifier: MIT
 * Splines of every basis against shapes that are known without them: circles, straight lines, curves through their points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "hair_builder.h"

enum { N = 16 };

static const int32_t FOUR[] = {4}, FIVE[] = {5}, SIX[] = {6}, SEVEN[] = {7}, EIGHT[] = {8}, NINE[] = {9};
/* Rounding of floats of size 10. */
static const double ROUNDING = 2e-6;

static bwi_hair_curves *one(hair_builder *b, const int32_t *count, const float *points, bwi_hair_type type,
                            bwi_hair_basis basis) {
    hair_init(b);
    bwi_hair_curves *c = hair_curves(b, "/hair", BW_NO_INDEX, count, 1, points, (uint64_t)*count);
    c->type = type;
    c->basis = basis;
    return c;
}

static const float *last_of(const bw_groom *g) {
    return g->positions + 3 * (g->point_count - 1);
}

/* A circle of radius 10 as a quadratic NURBS: only the right weights and knots give it. */
static void a_nurbs_circle_is_round(void **state) {
    (void)state;
    static const float points[] = {10, 0,   0,   10, 10, 0,   0, 10, 0,   -10, 10, 0, -10, 0,
                                   0,  -10, -10, 0,  0,  -10, 0, 10, -10, 0,   10, 0, 0};
    static const float knots[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    const float w = 0.70710678f, weights[] = {1, w, 1, w, 1, w, 1, w, 1};
    static const uint8_t orders[] = {3};
    for (int maya = 0; maya < 2; maya++) { /* Maya leaves out the first and the last knot */
        hair_builder b;
        bwi_hair_curves *c = one(&b, NINE, points, BWI_HAIR_VARIABLE_ORDER, BWI_HAIR_BSPLINE);
        c->orders = orders;
        c->order_count = 1;
        c->knots = knots + maya;
        c->knot_count = maya ? 10 : 12;
        c->weights = weights;
        c->weight_count = 9;
        hair_fix f;
        assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.tolerance = {0.001, BW_LENGTH_METRE}}, 1), BW_OK);
        assert_int_equal(f.groom->strand_count, 1);
        assert_true(f.groom->point_count >= 17);
        for (uint32_t i = 0; i < f.groom->point_count; i++) {
            const float *p = f.groom->positions + 3 * i;
            EXPECT1(sqrt((double)p[0] * (double)p[0] + (double)p[1] * (double)p[1]), 10, 4 * ROUNDING);
        }
        EXPECT3(f.groom->positions, 10, 0, 0, ROUNDING);
        EXPECT3(last_of(f.groom), 10, 0, 0, ROUNDING);
        /* The sagitta of the widest chord is what is said of the shape. */
        double widest = 0;
        for (uint32_t i = 0; i + 1 < f.groom->point_count; i++) {
            const float *p = f.groom->positions + 3 * i;
            widest = fmax(widest, hypot((double)p[3] - (double)p[0], (double)p[4] - (double)p[1]));
        }
        const double sagitta = 10 - sqrt(100 - widest * widest / 4);
        assert_true(f.measures.shape_error_cm <= 0.1);
        EXPECT1(f.measures.shape_error_cm, sagitta, 0.05 * sagitta); /* it is sampled, 16 a piece */
        assert_int_equal(hair_change(&f, "splines-evaluated"), 1);
        hair_close(&f);
    }
}

static void without_weights_it_is_no_circle(void **state) {
    (void)state;
    static const float points[] = {10, 0, 0, 10, 10, 0, 0, 10, 0, -10, 10, 0, -10, 0, 0};
    static const float knots[] = {0, 0, 0, 1, 1, 2, 2, 2}, weights[] = {1, 1, 1};
    static const uint8_t orders[] = {3};
    hair_builder b;
    bwi_hair_curves *c = one(&b, FIVE, points, BWI_HAIR_VARIABLE_ORDER, BWI_HAIR_BSPLINE);
    c->orders = orders;
    c->order_count = 1;
    c->knots = knots;
    c->knot_count = 8;
    c->weights = weights;
    c->weight_count = 3; /* of five points */
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.points = 5}, 1), BW_OK);
    assert_int_equal(hair_change(&f, "weights-left-out"), 1);
    const float *p = f.groom->positions + 3; /* a quarter of the way: the middle of the first parabola */
    EXPECT3(p, 7.5, 7.5, 0, 0.05);           /* by length in 8 steps a segment */
    hair_close(&f);
}

/* Points of a line, evenly: every basis whose shares are right reproduces the parts of it that it covers. */
static void lines_stay_lines(void **state) {
    (void)state;
    static const struct {
        const int32_t *count;
        bwi_hair_basis basis;
        float from, to;
    } CASES[] = {
        {SEVEN, BWI_HAIR_BEZIER, 0, 6}, {SIX, BWI_HAIR_BEZIER, 0, 5}, /* a segment and two straight pieces */
        {SIX, BWI_HAIR_BSPLINE, 1, 4},  {SIX, BWI_HAIR_CATMULL_ROM, 1, 4}, {FOUR, BWI_HAIR_BSPLINE, 1, 2},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        float points[3 * N];
        for (int k = 0; k < N; k++) {
            points[3 * k] = (float)k;
            points[3 * k + 1] = 2 * (float)k;
            points[3 * k + 2] = 5;
        }
        hair_builder b;
        one(&b, CASES[i].count, points, BWI_HAIR_CUBIC, CASES[i].basis);
        hair_fix f;
        assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.points = 9}, 1), BW_OK);
        assert_int_equal(f.groom->point_count, 9);
        for (int k = 0; k < 9; k++) {
            const float x = CASES[i].from + (CASES[i].to - CASES[i].from) * (float)k / 8;
            EXPECT3(f.groom->positions + 3 * k, x, 2 * x, 5, 1e-5); /* places are floats */
        }
        EXPECT1(f.measures.shape_error_cm, 0, 1e-5);
        hair_close(&f);
    }
}

/* https://github.com/ImageEngine/cortex/pull/1017: knots that repeat at the ends bring a B-spline to its first and last point. */
static void knots_bring_a_bspline_to_its_ends(void **state) {
    (void)state;
    static const float points[] = {0, 0, 0, 3, 4, 0, 5, 5, 1, 9, 1, 0, 12, 0, 0};
    static const float knots[] = {0, 0, 0, 0, 1, 2, 2, 2, 2};
    hair_builder b;
    bwi_hair_curves *c = one(&b, FIVE, points, BWI_HAIR_CUBIC, BWI_HAIR_BSPLINE);
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    EXPECT3(f.groom->positions, (0 + 4 * 3 + 5) / 6.0, (0 + 4 * 4 + 5) / 6.0, 1 / 6.0, ROUNDING);
    hair_close(&f);
    c->knots = knots;
    c->knot_count = 9;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    EXPECT3(f.groom->positions, 0, 0, 0, 0);
    EXPECT3(last_of(f.groom), 12, 0, 0, ROUNDING);
    assert_int_equal(hair_change(&f, "knots-replaced"), 0);
    hair_close(&f);
    c->knot_count = 8; /* one is missing */
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_int_equal(hair_change(&f, "knots-replaced"), 1);
    EXPECT1(f.groom->positions[0], (0 + 4 * 3 + 5) / 6.0, ROUNDING);
    hair_close(&f);
    static const float falling[] = {0, 0, 0, 0, 2, 1, 2, 2, 2};
    c->knots = falling;
    c->knot_count = 9;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_int_equal(hair_change(&f, "knots-replaced"), 1);
    assert_int_equal(f.groom->strand_count, 1);
    hair_close(&f);
}

static void hermite_takes_points_and_tangents_in_turn(void **state) {
    (void)state;
    /* From (0,0,0) to (1,0,0) to (2,0,0) with tangents up and down: at the middle of a segment y = (t0 − t1) / 8. */
    static const float points[] = {0, 0, 0, 0, 8, 0, 1, 0, 0, 0, -8, 0, 2, 0, 0, 0, 8, 0};
    const double moved[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 20, 30, 1};
    hair_builder b;
    hair_init(&b);
    const uint32_t xform = hair_xform(&b, "/top", BW_NO_INDEX, moved);
    bwi_hair_curves *c = hair_curves(&b, "/top/hair", xform, SIX, 1, points, 6);
    c->type = BWI_HAIR_CUBIC;
    c->basis = BWI_HAIR_HERMITE;
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.tolerance = {0.01, BW_LENGTH_METRE}}, 1), BW_OK);
    bool seen = false;
    for (uint32_t i = 0; i < f.groom->point_count; i++) {
        const float *p = f.groom->positions + 3 * i;
        if (p[0] == 10.5f) {
            EXPECT3(p, 10.5, 22, 30, ROUNDING * 5);
            seen = true;
        }
    }
    assert_true(seen);
    EXPECT3(f.groom->positions, 10, 20, 30, 0);
    EXPECT3(last_of(f.groom), 12, 20, 30, 0);
    hair_close(&f);
}

static void power_takes_coefficients(void **state) {
    (void)state;
    /* (t, t², t³), then a piece that begins elsewhere: both its ends are points. */
    static const float points[] = {0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 5, 0, 0};
    hair_builder b;
    one(&b, EIGHT, points, BWI_HAIR_CUBIC, BWI_HAIR_POWER);
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    const bw_groom *g = f.groom;
    EXPECT3(g->positions + 3 * (g->point_count - 1), 8, 0, 0, 0);
    EXPECT3(g->positions + 3 * (g->point_count - 2), 5, 0, 0, 0);
    EXPECT3(g->positions + 3 * (g->point_count - 3), 1, 1, 1, 0);
    for (uint32_t i = 0; i + 2 < g->point_count; i++) {
        const float *p = g->positions + 3 * i;
        EXPECT1(p[1], (double)p[0] * (double)p[0], 1e-6);
        EXPECT1(p[2], (double)p[0] * (double)p[0] * (double)p[0], 1e-6);
    }
    hair_close(&f);
}

static void periodic_curves_end_where_they_begin(void **state) {
    (void)state;
    /* The third repeats its first three points, as Maya does. */
    static const float square[] = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0, 0, 0, 1, 4, 0, 0};
    static const float overlapped[] = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0, 4, 4, 0};
    static const struct {
        const int32_t *count;
        const float *points;
        bwi_hair_type type;
        bwi_hair_basis basis;
        double first[3];
    } CASES[] = {
        {FOUR, square, BWI_HAIR_LINEAR, BWI_HAIR_NO_BASIS, {0, 0, 0}},
        {FOUR, square, BWI_HAIR_CUBIC, BWI_HAIR_BSPLINE, {(0 + 16 + 4) / 6.0, 4 / 6.0, 0}},
        {SEVEN, overlapped, BWI_HAIR_CUBIC, BWI_HAIR_BSPLINE, {(0 + 16 + 4) / 6.0, 4 / 6.0, 0}},
        {FOUR, square, BWI_HAIR_CUBIC, BWI_HAIR_CATMULL_ROM, {4, 0, 0}},
        {SIX, square, BWI_HAIR_CUBIC, BWI_HAIR_BEZIER, {0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        hair_builder b;
        one(&b, CASES[i].count, CASES[i].points, CASES[i].type, CASES[i].basis)->periodic = true;
        hair_fix f;
        assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
        EXPECT3(f.groom->positions, CASES[i].first[0], CASES[i].first[1], CASES[i].first[2], ROUNDING);
        EXPECT3(last_of(f.groom), CASES[i].first[0], CASES[i].first[1], CASES[i].first[2], ROUNDING);
        hair_close(&f);
    }
}

/* https://github.com/alembic/alembic/issues/458: orders that differ in one object. */
static void orders_differ_between_strands(void **state) {
    (void)state;
    static const int32_t counts[] = {3, 4};
    static const float points[] = {0, 0, 0, 1, 2, 0, 2, 0, 0, 0, 0, 1, 1, 2, 1, 2, 2, 1, 3, 0, 1};
    static const float knots[] = {0, 0, 1, 2, 2, 0, 0, 0, 0, 1, 1, 1, 1};
    static const uint8_t orders[] = {2, 4};
    hair_builder b;
    hair_init(&b);
    bwi_hair_curves *c = hair_curves(&b, "/hair", BW_NO_INDEX, counts, 2, points, 7);
    c->type = BWI_HAIR_VARIABLE_ORDER;
    c->orders = orders;
    c->order_count = 2;
    c->knots = knots;
    c->knot_count = 13;
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    const bw_groom *g = f.groom;
    assert_int_equal(g->first_points[1], 3); /* of order 2: its points */
    assert_memory_equal(g->positions, points, 9 * sizeof *points);
    assert_true(g->point_count > 6);
    EXPECT3(g->positions + 9, 0, 0, 1, 0);
    EXPECT3(last_of(g), 3, 0, 1, ROUNDING);
    bool middle = false;
    for (uint32_t i = 3; i < g->point_count; i++)
        middle |= fabs((double)g->positions[3 * i] - 1.5) < 1e-6 && fabs((double)g->positions[3 * i + 1] - 1.5) < 1e-6;
    assert_true(middle); /* Bezier at ½: y = ¾ · 2 */
    hair_close(&f);
}

/* Widths and colours go along: at the very places where the points stand. */
static void values_go_along(void **state) {
    (void)state;
    static const float points[] = {0, 0, 0, 1, 3, 0, 2, 3, 0, 3, 0, 0, 4, -3, 0, 5, -3, 0, 6, 0, 0};
    static const float keys[] = {0.1f, 0.3f, 0.2f};     /* one a key point, as Blender writes them */
    static const float along[] = {0, 1, 2, 3, 4, 5, 6}; /* one a control point: as the x of each */
    hair_builder b;
    one(&b, SEVEN, points, BWI_HAIR_CUBIC, BWI_HAIR_BEZIER);
    hair_attribute(&b, "width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, 3, keys)->place = BWI_HAIR_NATIVE;
    hair_attribute(&b, "groom_roughness", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, 7, along);
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.points = 21}, 1), BW_OK);
    const bw_groom *g = f.groom;
    EXPECT1(g->widths[0], 0.1, 1e-7);
    EXPECT1(g->widths[10], 0.3, 1e-5);
    EXPECT1(g->widths[20], 0.2, 1e-7);
    for (uint32_t i = 0; i < 21; i++)
        EXPECT1(g->roughness[i], g->positions[3 * i], 1e-5);
    hair_close(&f);
}

static void few_control_points_stay_a_line(void **state) {
    (void)state;
    static const int32_t three[] = {3};
    static const float points[] = {0, 0, 0, 1, 2, 0, 2, 0, 0};
    for (int basis = BWI_HAIR_NO_BASIS; basis <= BWI_HAIR_POWER; basis++) {
        hair_builder b;
        one(&b, three, points, BWI_HAIR_CUBIC, (bwi_hair_basis)basis);
        hair_fix f;
        assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
        assert_int_equal(f.groom->point_count, 3);
        assert_memory_equal(f.groom->positions, points, sizeof points);
        assert_int_equal(hair_change(&f, "control-points-kept"), 1);
        hair_close(&f);
    }
}

/* https://github.com/Unity-Technologies/com.unity.demoteam.hair/issues/39: a resampler that knows one program's point counts: strands of 2 to 16
 * points, of every basis, each resampled; ends of those that pass through their ends stay. */
static void any_point_count_is_resampled(void **state) {
    (void)state;
    enum { STRANDS = 15, ALL = (2 + 16) * STRANDS / 2, WANTED = 12 };
    int32_t counts[STRANDS];
    float points[3 * ALL];
    uint32_t at = 0;
    for (int s = 0; s < STRANDS; s++) {
        counts[s] = s + 2;
        for (int k = 0; k < counts[s]; k++, at++) {
            points[3 * at] = (float)s;
            points[3 * at + 1] = (float)(k % 3);
            points[3 * at + 2] = (float)k;
        }
    }
    for (int basis = BWI_HAIR_NO_BASIS; basis <= BWI_HAIR_POWER; basis++) {
        hair_builder b;
        hair_init(&b);
        bwi_hair_curves *c = hair_curves(&b, "/hair", BW_NO_INDEX, counts, STRANDS, points, ALL);
        c->type = basis == BWI_HAIR_NO_BASIS ? BWI_HAIR_LINEAR : BWI_HAIR_CUBIC;
        c->basis = (bwi_hair_basis)basis;
        hair_fix f;
        assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.points = WANTED}, 1), BW_OK);
        assert_int_equal(f.groom->strand_count, STRANDS);
        at = 0;
        for (uint32_t s = 0; s < STRANDS; s++) {
            assert_int_equal(f.groom->first_points[s + 1], WANTED * (s + 1));
            const float *first = f.groom->positions + 3 * (size_t)f.groom->first_points[s], *end = points + 3 * at;
            if (basis <= BWI_HAIR_BEZIER || counts[s] < 4) { /* these begin and end on control points */
                assert_memory_equal(first, end, 3 * sizeof *end);
                assert_memory_equal(first + 3 * (WANTED - 1), end + 3 * (counts[s] - 1), 3 * sizeof *end);
            }
            at += (uint32_t)counts[s];
        }
        hair_close(&f);
    }
}

/* https://github.com/poly-hammer/BlenderTools/issues/191: a strand of 300 points beside one of 5. */
static void long_strands_are_resampled_to_255(void **state) {
    (void)state;
    static const int32_t counts[] = {300, 5};
    float points[3 * 305];
    for (int i = 0; i < 305; i++) {
        points[3 * i] = (float)(i % 300);
        points[3 * i + 1] = i < 300 ? 0 : 1;
        points[3 * i + 2] = 2;
    }
    hair_builder b;
    hair_init(&b);
    hair_curves(&b, "/hair", BW_NO_INDEX, counts, 2, points, 305);
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    const bw_groom *g = f.groom;
    assert_int_equal(g->first_points[1], 255);
    assert_int_equal(g->point_count, 260);
    for (int i = 0; i < 255; i++)
        EXPECT1(g->positions[3 * i], 299.0 * i / 254, 1e-4);
    assert_memory_equal(g->positions + 3 * 255, points + 900, 15 * sizeof *points);
    assert_int_equal(hair_change(&f, "strands-too-long"), 1);
    hair_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nurbs_circle_is_round),
        cmocka_unit_test(without_weights_it_is_no_circle),
        cmocka_unit_test(lines_stay_lines),
        cmocka_unit_test(knots_bring_a_bspline_to_its_ends),
        cmocka_unit_test(hermite_takes_points_and_tangents_in_turn),
        cmocka_unit_test(power_takes_coefficients),
        cmocka_unit_test(periodic_curves_end_where_they_begin),
        cmocka_unit_test(orders_differ_between_strands),
        cmocka_unit_test(values_go_along),
        cmocka_unit_test(few_control_points_stay_a_line),
        cmocka_unit_test(any_point_count_is_resampled),
        cmocka_unit_test(long_strands_are_resampled_to_255),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
