/* SPDX-License-Identifier: MIT
 * Transcendental functions against libm's long double, slerp at its awkward angles, matrices; and the same bits with
 * every compiler. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/math.h"

static uint64_t random_state = 1;

/* Deterministic, in [0, 1). */
static double random_unit(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) * 0x1p-53;
}

static double random_in(double low, double high) {
    return low + (high - low) * random_unit();
}

/* Distance in units of the last place of the exact value, subnormal spacing below. */
static double ulps(double found, long double exact) {
    int exponent;
    (void)frexpl(exact, &exponent);
    long double unit = ldexpl(1.0L, exponent - 53 < -1074 ? -1074 : exponent - 53);
    return (double)(fabsl((long double)found - exact) / unit);
}

/* What kernels with a compensated argument give. */
static const double ONE_ULP = 1.0;

static void sine_and_cosine_match_libm(void **state) {
    (void)state;
    double worst = 0.0;
    for (int i = 0; i < 300000; i++) {
        double range = i % 3 == 0 ? BWI_PI : i % 3 == 1 ? 100.0 : 1e6;
        double x = random_in(-range, range);
        worst = fmax(worst, ulps(bwi_sin(x), sinl((long double)x)));
        worst = fmax(worst, ulps(bwi_cos(x), cosl((long double)x)));
    }
    /* Near multiples of π/2, where the reduction cancels. */
    for (int n = -600000; n <= 600000; n += 997) {
        double x = (double)n * (BWI_PI / 2.0);
        worst = fmax(worst, ulps(bwi_sin(x), sinl((long double)x)));
        worst = fmax(worst, ulps(bwi_cos(x), cosl((long double)x)));
    }
    assert_true(worst <= ONE_ULP);
}

static void sine_at_special_arguments(void **state) {
    (void)state;
    assert_true(bwi_sin(0.0) == 0.0 && !signbit(bwi_sin(0.0)));
    assert_true(signbit(bwi_sin(-0.0)));
    assert_true(bwi_cos(0.0) == 1.0);
    assert_true(bwi_sin(1e-300) == 1e-300);
    assert_true(bwi_sin(0x1p-1074) == 0x1p-1074);
    assert_true(isnan(bwi_sin(NAN)) && isnan(bwi_cos(NAN)));
    assert_true(isnan(bwi_sin(INFINITY)) && isnan(bwi_cos(-INFINITY)));
    assert_true(isnan(bwi_sin(1e300)) && isnan(bwi_cos(1.1e6)));
    assert_true(isfinite(bwi_sin(1e6)) && isfinite(bwi_cos(-1e6)));
}

static void atan2_matches_libm(void **state) {
    (void)state;
    double worst = 0.0;
    for (int i = 0; i < 300000; i++) {
        double scale = i % 4 == 0 ? 1e-150 : i % 4 == 1 ? 1e150 : 1.0;
        double y = random_in(-1.0, 1.0) * scale;
        double x = random_in(-1.0, 1.0) * scale * (i % 5 == 0 ? 1e-9 : 1.0);
        worst = fmax(worst, ulps(bwi_atan2(y, x), atan2l((long double)y, (long double)x)));
    }
    assert_true(worst <= 1.5); /* rounded quotient, rounded sum */
    static const double VALUES[] = {0.0,      -0.0,      1.0,        -1.0,    INFINITY, -INFINITY, DBL_MAX,
                                    -DBL_MAX, 0x1p-1074, -0x1p-1074, DBL_MIN, 1e-310,   1e300};
    enum { COUNT = sizeof(VALUES) / sizeof(VALUES[0]) };
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < COUNT; k++) {
            double found = bwi_atan2(VALUES[i], VALUES[k]);
            double exact = atan2(VALUES[i], VALUES[k]);
            assert_true((signbit(found) != 0) == (signbit(exact) != 0));
            assert_true(found == exact || ulps(found, (long double)exact) <= 2.0); /* and libm's own half */
        }
        assert_true(isnan(bwi_atan2(NAN, VALUES[i])) && isnan(bwi_atan2(VALUES[i], NAN)));
    }
}

static void acos_matches_libm(void **state) {
    (void)state;
    double worst = 0.0;
    for (int i = 0; i < 200000; i++) {
        double x =
            i % 2 ? random_in(-1.0, 1.0) : copysign(1.0 - pow(10.0, random_in(-16.0, -1.0)), random_in(-1.0, 1.0));
        worst = fmax(worst, ulps(bwi_acos(x), acosl((long double)x)));
    }
    assert_true(worst <= 3.0); /* two rounded square roots and the arc */
    assert_true(bwi_acos(1.0) == 0.0 && bwi_acos(2.0) == 0.0);
    assert_true(bwi_acos(-1.0) == BWI_PI && bwi_acos(-7.0) == BWI_PI);
}

static void finite_numbers_are_told(void **state) {
    (void)state;
    assert_true(bwi_is_finite(0.0) && bwi_is_finite(-DBL_MAX) && bwi_is_finite(0x1p-1074));
    assert_false(bwi_is_finite(INFINITY) || bwi_is_finite(-INFINITY) || bwi_is_finite(NAN));
    assert_true(bwi_sqrt(2.0) == sqrt(2.0));
}

/* The bits that gcc gave at -O0.  Any other compiler, level or machine gives the same, or bakes would differ between
 * them. */
static void results_have_the_same_bits_everywhere(void **state) {
    (void)state;
    random_state = 12345;
    bwi_hasher hasher;
    bwi_hasher_init(&hasher);
    for (int i = 0; i < 20000; i++) {
        double x = random_in(-1000.0, 1000.0);
        double y = random_in(-1.0, 1.0);
        bwi_quat a = bwi_quat_normalize((bwi_quat){y, x, 1.0, random_unit()});
        bwi_quat b = bwi_quat_normalize((bwi_quat){x, 1.0, y, random_unit()});
        bwi_quat q = bwi_quat_slerp(a, b, random_unit());
        bwi_mat4 m = bwi_mat4_from_trs((bwi_vec3){x, y, 1.0}, q, (bwi_vec3){y, 2.0, x});
        double values[] = {bwi_sin(x), bwi_cos(x), bwi_atan2(x, y), bwi_acos(y), q.x, q.y, q.z, q.w, bwi_mat4_det3(&m)};
        for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
            uint64_t bits;
            memcpy(&bits, &values[k], sizeof(bits));
            uint8_t bytes[8];
            for (unsigned byte = 0; byte < 8; byte++) {
                bytes[byte] = (uint8_t)(bits >> (8u * byte));
            }
            bwi_hasher_add(&hasher, bytes, sizeof(bytes));
        }
    }
    char hex[33];
    bwi_hash_hex(hex, bwi_hasher_end(&hasher).bytes);
    assert_string_equal(hex, "8679b52db2c1a1081f014e90e51b5a80");
}

static bool near(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance;
}

/* A few roundings of numbers near 1. */
static const double ROUNDING = 4e-16;

static bool same_quat(bwi_quat a, bwi_quat b, double tolerance) {
    return near(a.x, b.x, tolerance) && near(a.y, b.y, tolerance) && near(a.z, b.z, tolerance) &&
           near(a.w, b.w, tolerance);
}

static bwi_quat turn_about_z(double angle) {
    return (bwi_quat){0.0, 0.0, sin(angle / 2.0), cos(angle / 2.0)};
}

static void slerp_is_even_in_angle(void **state) {
    (void)state;
    for (double angle = 1e-12; angle < 3.1; angle *= 1.7) {
        for (double t = 0.0; t <= 1.0; t += 0.125) {
            bwi_quat q = bwi_quat_slerp(turn_about_z(0.3), turn_about_z(0.3 + angle), t);
            assert_true(same_quat(q, turn_about_z(0.3 + t * angle), ROUNDING));
        }
    }
}

static void slerp_takes_the_short_way_and_meets_its_ends(void **state) {
    (void)state;
    bwi_quat a = turn_about_z(0.2);
    bwi_quat b = turn_about_z(0.6);
    bwi_quat minus_b = {-b.x, -b.y, -b.z, -b.w};
    assert_true(same_quat(bwi_quat_slerp(a, minus_b, 0.5), turn_about_z(0.4), ROUNDING));
    assert_true(same_quat(bwi_quat_slerp(a, b, 0.0), a, 0.0));
    assert_true(same_quat(bwi_quat_slerp(a, b, 1.0), b, 0.0));
    /* q and −q are one rotation, and so are their neighbours: cglm's slerp loses these. */
    bwi_quat minus_a = {-a.x, -a.y, -a.z, -a.w};
    assert_true(same_quat(bwi_quat_slerp(a, minus_a, 0.5), a, 0.0));
    assert_true(same_quat(bwi_quat_slerp(a, a, 0.7), a, 0.0));
    bwi_quat nearby = turn_about_z(0.2 + 1e-9);
    bwi_quat minus_nearby = {-nearby.x, -nearby.y, -nearby.z, -nearby.w};
    bwi_quat half = bwi_quat_slerp(a, minus_nearby, 0.5);
    assert_true(same_quat(half, turn_about_z(0.2 + 5e-10), ROUNDING));
    /* Quaternions a quarter circle apart: half a turn, where both ways are equal. */
    bwi_quat across = bwi_quat_slerp((bwi_quat){0.0, 0.0, 0.0, 1.0}, (bwi_quat){1.0, 0.0, 0.0, 0.0}, 0.5);
    assert_true(same_quat(across, (bwi_quat){sqrt(0.5), 0.0, 0.0, sqrt(0.5)}, ROUNDING));
}

static void quaternions_rotate_as_their_matrices(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        bwi_quat a =
            bwi_quat_normalize((bwi_quat){random_in(-1, 1), random_in(-1, 1), random_in(-1, 1), random_in(-1, 1)});
        bwi_quat b =
            bwi_quat_normalize((bwi_quat){random_in(-1, 1), random_in(-1, 1), random_in(-1, 1), random_in(-1, 1)});
        bwi_vec3 v = {random_in(-1, 1), random_in(-1, 1), random_in(-1, 1)};
        bwi_mat4 m = bwi_mat4_from_trs((bwi_vec3){0.0, 0.0, 0.0}, a, (bwi_vec3){1.0, 1.0, 1.0});
        bwi_vec3 by_quat = bwi_quat_rotate(a, v);
        bwi_vec3 by_matrix = bwi_mat4_point(&m, v);
        assert_true(bwi_vec3_length(bwi_vec3_sub(by_quat, by_matrix)) < 1e-14);
        bwi_vec3 twice = bwi_quat_rotate(a, bwi_quat_rotate(b, v));
        bwi_vec3 product = bwi_quat_rotate(bwi_quat_mul(a, b), v);
        assert_true(bwi_vec3_length(bwi_vec3_sub(twice, product)) < 1e-14);
    }
    /* A quarter turn about z takes x to y: right-handed. */
    bwi_vec3 turned = bwi_quat_rotate(turn_about_z(BWI_PI / 2.0), (bwi_vec3){1.0, 0.0, 0.0});
    assert_true(near(turned.x, 0.0, ROUNDING) && near(turned.y, 1.0, ROUNDING) && turned.z == 0.0);
    assert_true(same_quat(bwi_quat_normalize((bwi_quat){0.0, 0.0, 0.0, 0.0}), (bwi_quat){0.0, 0.0, 0.0, 1.0}, 0.0));
    assert_true(same_quat(bwi_quat_normalize((bwi_quat){0.0, 0.0, 0.0, -4.0}), (bwi_quat){0.0, 0.0, 0.0, -1.0}, 0.0));
}

static void vectors_add_cross_and_normalize(void **state) {
    (void)state;
    bwi_vec3 a = {1.0, 2.0, 3.0};
    bwi_vec3 b = {4.0, -5.0, 6.0};
    bwi_vec3 cross = bwi_vec3_cross(a, b);
    assert_true(cross.x == 27.0 && cross.y == 6.0 && cross.z == -13.0);
    assert_true(bwi_vec3_dot(a, b) == 12.0);
    bwi_vec3 sum = bwi_vec3_add(a, bwi_vec3_scale(b, 2.0));
    assert_true(sum.x == 9.0 && sum.y == -8.0 && sum.z == 15.0);
    assert_true(bwi_vec3_length((bwi_vec3){3.0, 0.0, -4.0}) == 5.0);
    bwi_vec3 zero = bwi_vec3_normalize((bwi_vec3){0.0, 0.0, 0.0});
    assert_true(zero.x == 0.0 && zero.y == 0.0 && zero.z == 0.0);
    bwi_vec3 unit = bwi_vec3_normalize((bwi_vec3){0.0, -9.0, 0.0});
    assert_true(unit.x == 0.0 && unit.y == -1.0 && unit.z == 0.0);
    bwi_vec3 tiny = bwi_vec3_normalize((bwi_vec3){1e-45, 0.0, 0.0}); /* the smallest float */
    assert_true(tiny.x == 1.0);
}

static void matrices_multiply_and_invert(void **state) {
    (void)state;
    bwi_mat4 identity = bwi_mat4_identity();
    for (int i = 0; i < 1000; i++) {
        bwi_quat q =
            bwi_quat_normalize((bwi_quat){random_in(-1, 1), random_in(-1, 1), random_in(-1, 1), random_in(-1, 1)});
        bwi_vec3 scale = {random_in(0.1, 2.0), -random_in(0.1, 2.0), random_in(0.1, 2.0)};
        bwi_mat4 m = bwi_mat4_from_trs((bwi_vec3){random_in(-5, 5), random_in(-5, 5), random_in(-5, 5)}, q, scale);
        assert_true(near(bwi_mat4_det3(&m), scale.x * scale.y * scale.z, 1e-14));
        bwi_mat4 inverse;
        assert_true(bwi_mat4_inverse_affine(&inverse, &m));
        bwi_mat4 product = bwi_mat4_mul(&m, &inverse);
        for (int k = 0; k < 16; k++) {
            assert_true(near(product.m[k], identity.m[k], 1e-12)); /* condition up to 20, numbers up to 5 */
        }
    }
    /* Order: scale, then turn, then move. */
    bwi_mat4 trs = bwi_mat4_from_trs((bwi_vec3){10.0, 0.0, 0.0}, turn_about_z(BWI_PI / 2.0), (bwi_vec3){2.0, 3.0, 4.0});
    bwi_vec3 point = bwi_mat4_point(&trs, (bwi_vec3){1.0, 1.0, 1.0});
    assert_true(near(point.x, 7.0, 4e-15) && near(point.y, 2.0, 4e-15) && near(point.z, 4.0, 4e-15));
    bwi_vec3 direction = bwi_mat4_direction(&trs, (bwi_vec3){1.0, 1.0, 1.0});
    assert_true(near(direction.x, -3.0, 4e-15));
    bwi_mat4 first = bwi_mat4_from_trs((bwi_vec3){1.0, 0.0, 0.0}, turn_about_z(0.0), (bwi_vec3){1.0, 1.0, 1.0});
    bwi_mat4 both = bwi_mat4_mul(&trs, &first); /* `first` acts first */
    bwi_vec3 moved = bwi_mat4_point(&both, (bwi_vec3){0.0, 1.0, 1.0});
    assert_true(near(moved.x, 7.0, 4e-15) && near(moved.y, 2.0, 4e-15));
}

static void singular_matrices_are_refused(void **state) {
    (void)state;
    bwi_quat still = {0.0, 0.0, 0.0, 1.0};
    bwi_vec3 origin = {0.0, 0.0, 0.0};
    static const double SCALES[] = {0.0, INFINITY, NAN, 1e-110};
    for (size_t i = 0; i < 4; i++) {
        bwi_mat4 m = bwi_mat4_from_trs(origin, still, (bwi_vec3){1.0, SCALES[i], i == 3 ? 1e-210 : 1.0});
        bwi_mat4 out = bwi_mat4_identity();
        assert_false(bwi_mat4_inverse_affine(&out, &m) && i < 3);
        if (i < 3) {
            bwi_mat4 identity = bwi_mat4_identity();
            assert_memory_equal(&out, &identity, sizeof(out));
        } else {
            for (int k = 0; k < 16; k++) {
                assert_true(bwi_is_finite(out.m[k]));
            }
        }
    }
    float floats[16];
    for (int i = 0; i < 16; i++) {
        floats[i] = (float)i * 0.1f;
    }
    bwi_mat4 wide = bwi_mat4_from_floats(floats);
    for (int i = 0; i < 16; i++) {
        assert_true(wide.m[i] == (double)floats[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine_match_libm),
        cmocka_unit_test(sine_at_special_arguments),
        cmocka_unit_test(atan2_matches_libm),
        cmocka_unit_test(acos_matches_libm),
        cmocka_unit_test(finite_numbers_are_told),
        cmocka_unit_test(results_have_the_same_bits_everywhere),
        cmocka_unit_test(slerp_is_even_in_angle),
        cmocka_unit_test(slerp_takes_the_short_way_and_meets_its_ends),
        cmocka_unit_test(quaternions_rotate_as_their_matrices),
        cmocka_unit_test(vectors_add_cross_and_normalize),
        cmocka_unit_test(matrices_multiply_and_invert),
        cmocka_unit_test(singular_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
