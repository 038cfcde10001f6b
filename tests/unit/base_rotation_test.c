/* SPDX-License-Identifier: MIT
 * The rotation that fits best: known ones are found again, nothing near does better, and where the vectors leave a choice the nearest is
 * taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/math.h"
#include "expect.h"

static const bwi_quat IDENTITY = {0, 0, 0, 1};

/* Sums of a few products of doubles, and an eigenvector that a gap of at least a thousandth sets apart. */
static const double ROUNDED = 1e-12;

static uint64_t random_state = 7;

/* Deterministic, in [−1, 1). */
static double random_signed(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) * 0x1p-52 - 1.0;
}

static bwi_vec3 random_vector(void) {
    return (bwi_vec3){random_signed(), random_signed(), random_signed()};
}

static bwi_quat random_rotation(void) {
    bwi_quat q;
    double square;
    do {
        q = (bwi_quat){random_signed(), random_signed(), random_signed(), random_signed()};
        square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    } while (square > 1.0 || square < 0.01);
    return bwi_quat_normalize(q);
}

static bwi_quat turn(double x, double y, double z, double angle) {
    bwi_vec3 axis = bwi_vec3_normalize((bwi_vec3){x, y, z});
    double s = sin(angle / 2);
    return (bwi_quat){axis.x * s, axis.y * s, axis.z * s, cos(angle / 2)};
}

static double dot(bwi_quat a, bwi_quat b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/* Distance of two rotations as quaternions: half the angle between them, where that is small. */
static double apart(bwi_quat a, bwi_quat b) {
    double sign = dot(a, b) < 0.0 ? -1.0 : 1.0;
    bwi_quat d = {a.x - sign * b.x, a.y - sign * b.y, a.z - sign * b.z, a.w - sign * b.w};
    return sqrt(dot(d, d));
}

static void add_outer(double h[9], bwi_vec3 to, bwi_vec3 from) {
    const double t[3] = {to.x, to.y, to.z}, f[3] = {from.x, from.y, from.z};
    for (int i = 0; i < 9; i++) {
        h[i] += t[i / 3] * f[i % 3];
    }
}

static double fit_of(const double h[9], bwi_quat q) {
    bwi_mat4 r = bwi_mat4_from_trs((bwi_vec3){0, 0, 0}, q, (bwi_vec3){1, 1, 1});
    double sum = 0.0;
    for (int i = 0; i < 9; i++) {
        sum += h[i] * r.m[4 * (i % 3) + i / 3];
    }
    return sum;
}

static void rotations_are_found_again(void **state) {
    (void)state;
    for (int n = 0; n < 2000; n++) {
        /* Every third is half a turn or nearly that, where w is 0 and its sign means nothing. */
        bwi_vec3 a = random_vector();
        bwi_quat q = n % 3 ? random_rotation() : turn(a.x, a.y, a.z, BWI_PI - (n % 2 ? 1e-9 : 0.0));
        double h[9] = {0}, scale = n % 5 ? 1.0 : 1e150;
        for (int k = 0; k < 3; k++) {
            bwi_vec3 from = {k == 0 ? 1.0 : 0.3 * random_signed(), k == 1 ? 1.0 : 0.3 * random_signed(),
                             k == 2 ? 0.5 : 0.1};
            add_outer(h, bwi_vec3_scale(bwi_quat_rotate(q, from), scale), from);
        }
        EXPECT1(apart(bwi_quat_fit(h, IDENTITY), q), 0, ROUNDED);
    }
}

/* Any H, mirrored ones too: a rotation a little beside the answer fits no better. */
static void nothing_near_fits_better(void **state) {
    (void)state;
    for (int n = 0; n < 2000; n++) {
        double h[9];
        for (int i = 0; i < 9; i++) {
            h[i] = random_signed();
        }
        bwi_quat found = bwi_quat_fit(h, IDENTITY);
        EXPECT1(dot(found, found), 1, ROUNDED);
        double best = fit_of(h, found);
        for (int k = 0; k < 20; k++) {
            bwi_vec3 axis = random_vector();
            bwi_quat beside = bwi_quat_mul(turn(axis.x, axis.y, axis.z, k < 10 ? 1e-3 : 1.5), found);
            assert_true(fit_of(h, beside) <= best + ROUNDED);
        }
    }
}

/* A plane's vectors have one rotation that fits, for the turn over needs the third axis. */
static void planar_vectors_are_enough(void **state) {
    (void)state;
    for (int n = 0; n < 200; n++) {
        bwi_quat q = random_rotation();
        double h[9] = {0};
        bwi_vec3 a = {1, 0, 0}, b = {0.3, 0.2, 0};
        add_outer(h, bwi_quat_rotate(q, a), a);
        add_outer(h, bwi_quat_rotate(q, b), b);
        EXPECT1(apart(bwi_quat_fit(h, turn(1, 2, 3, 1)), q), 0, ROUNDED);
    }
}

/* One vector leaves the turn about itself open. */
static void one_vector_turns_by_the_shortest_way(void **state) {
    (void)state;
    double h[9] = {0};
    add_outer(h, (bwi_vec3){0, 3, 0}, (bwi_vec3){2, 0, 0});
    EXPECT1(apart(bwi_quat_fit(h, IDENTITY), turn(0, 0, 1, BWI_PI / 2)), 0, ROUNDED);
    for (int n = 0; n < 200; n++) {
        bwi_quat q = random_rotation(), about = turn(1, 0, 0, random_signed());
        double one[9] = {0};
        add_outer(one, bwi_quat_rotate(q, (bwi_vec3){1, 0, 0}), (bwi_vec3){1, 0, 0});
        /* What is asked for is admissible: it is the answer, with its sign. */
        bwi_quat like = bwi_quat_mul(q, about), found = bwi_quat_fit(one, like);
        EXPECT1(apart(found, like), 0, ROUNDED);
        assert_true(dot(found, like) > 0.0);
    }
}

/* Turned to its opposite, every half turn across it does; one is taken, always the same. */
static void an_opposite_vector_is_half_a_turn(void **state) {
    (void)state;
    double h[9] = {0};
    add_outer(h, (bwi_vec3){-1, 0, 0}, (bwi_vec3){1, 0, 0});
    bwi_quat q = bwi_quat_fit(h, IDENTITY);
    bwi_vec3 moved = bwi_quat_rotate(q, (bwi_vec3){1, 0, 0});
    EXPECT3(&moved.x, -1, 0, 0, ROUNDED);
    EXPECT1(q.w, 0, ROUNDED);
    EXPECT1(apart(bwi_quat_fit(h, turn(0, 1, 0, 3)), turn(0, 1, 0, BWI_PI)), 0, ROUNDED);
}

static void no_vector_leaves_all_open(void **state) {
    (void)state;
    const double none[9] = {0}, broken[9] = {1, 0, 0, 0, NAN, 0, 0, 0, 1}, endless[9] = {INFINITY};
    bwi_quat like = turn(1, 2, 3, 0.7);
    EXPECT1(apart(bwi_quat_fit(none, like), like), 0, 0);
    EXPECT1(apart(bwi_quat_fit(broken, like), like), 0, 0);
    EXPECT1(apart(bwi_quat_fit(endless, like), like), 0, 0);
}

static void similarities_are_taken_apart(void **state) {
    (void)state;
    bwi_quat q;
    double scale;
    bwi_mat4 m = bwi_mat4_identity();
    bwi_mat4_similarity(&q, &scale, &m, IDENTITY);
    assert_true(q.x == 0.0 && q.y == 0.0 && q.z == 0.0 && q.w == 1.0 &&
                scale == 1.0); /* a bone that stands still is exact */
    for (int n = 0; n < 1000; n++) {
        bwi_quat wanted = random_rotation();
        double s = n % 2 ? 1.0 : exp(10 * random_signed());
        m = bwi_mat4_from_trs(random_vector(), wanted, (bwi_vec3){s, s, s});
        bwi_mat4_similarity(&q, &scale, &m, IDENTITY);
        EXPECT1(apart(q, wanted), 0, ROUNDED);
        EXPECT1(scale / s, 1, ROUNDED);
    }
    m = bwi_mat4_from_trs((bwi_vec3){1, 2, 3}, IDENTITY, (bwi_vec3){0, 0, 0});
    bwi_mat4_similarity(&q, &scale, &m, turn(1, 0, 0, 1));
    EXPECT1(scale, 0, 0);
    EXPECT1(apart(q, turn(1, 0, 0, 1)), 0, 0);
    /* 3, 1, 1 is nearest to 5/3 in each; a mirror that scales evenly to a third of it. */
    m = bwi_mat4_from_trs((bwi_vec3){0, 0, 0}, turn(0, 1, 0, 1), (bwi_vec3){3, 1, 1});
    bwi_mat4_similarity(&q, &scale, &m, IDENTITY);
    EXPECT1(scale, 5.0 / 3.0, ROUNDED);
    EXPECT1(apart(q, turn(0, 1, 0, 1)), 0, ROUNDED);
    m = bwi_mat4_from_trs((bwi_vec3){0, 0, 0}, IDENTITY, (bwi_vec3){-1, -1, -1});
    bwi_mat4_similarity(&q, &scale, &m, IDENTITY);
    EXPECT1(scale, 1.0 / 3.0, ROUNDED);
}

/* The bits that gcc gave at -O2; any other compiler, level or machine gives the same. */
static void results_are_the_same_everywhere(void **state) {
    (void)state;
    random_state = 99;
    bwi_hasher hasher;
    bwi_hasher_init(&hasher);
    for (int n = 0; n < 100; n++) {
        double h[9];
        for (int i = 0; i < 9; i++) {
            h[i] = random_signed();
        }
        bwi_quat q = bwi_quat_fit(h, IDENTITY);
        const double values[4] = {q.x, q.y, q.z, q.w};
        uint8_t bytes[32];
        for (int i = 0; i < 32; i++) {
            uint64_t bits;
            memcpy(&bits, &values[i / 8], sizeof(bits));
            bytes[i] = (uint8_t)(bits >> 8 * (i % 8));
        }
        bwi_hasher_add(&hasher, bytes, sizeof(bytes));
    }
    char hex[33];
    bwi_hash_hex(hex, bwi_hasher_end(&hasher).bytes);
    assert_string_equal(hex, "c0176d6efac152c172db8f36d727490b");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_are_found_again),         cmocka_unit_test(nothing_near_fits_better),
        cmocka_unit_test(planar_vectors_are_enough),         cmocka_unit_test(one_vector_turns_by_the_shortest_way),
        cmocka_unit_test(an_opposite_vector_is_half_a_turn), cmocka_unit_test(no_vector_leaves_all_open),
        cmocka_unit_test(similarities_are_taken_apart),      cmocka_unit_test(results_are_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
