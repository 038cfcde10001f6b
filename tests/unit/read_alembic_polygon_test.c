/* SPDX-License-Identifier: MIT
 * Faces cut into triangles: as large together as the face is by the shoelace formula, all turned one way, none outside it; fans where fans hold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "read/alembic/abc_priv.h"

typedef struct face {
    uint32_t count;
    float flat[BWI_ABC_CUT_MAX][2];   /* as it is drawn */
    float points[BWI_ABC_CUT_MAX][3]; /* as it lies in space */
    int32_t corners[BWI_ABC_CUT_MAX];
    bw_alembic_sample sample;
    bwi_abc_faces faces;
    bwi_abc_cuts cuts;
    bool cut;
} face;

static face shape; /* too large for the stack beside what cutting takes */

/* Lays the shape into the plane that is right-angled to an axis, leaning towards the others, starting at another corner, perhaps the other way round. */
static void place(const float (*corners)[2], uint32_t count, int axis, uint32_t start, bool reversed) {
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t from = (start + (reversed ? count - k : k)) % count;
        memcpy(shape.flat[k], corners[from], sizeof *corners);
        const float u = corners[from][0], v = corners[from][1];
        shape.points[k][axis] = 0.25f * u - 0.125f * v + 3;
        shape.points[k][(axis + 1) % 3] = u;
        shape.points[k][(axis + 2) % 3] = v;
        shape.corners[k] = (int32_t)k;
    }
    shape.count = count;
    shape.sample = (bw_alembic_sample){
        .bytes = (const uint8_t *)shape.points, .point_count = count, .value_count = 3 * (uint64_t)count};
    shape.faces =
        (bwi_abc_faces){.indices.bytes = (const uint8_t *)shape.corners, .face_count = 1, .corner_count = count};
    shape.cut = bwi_abc_cut(&shape.cuts, &shape.sample, &shape.faces, 0, count);
}

static double area3(const float *a, const float *b, const float *c) {
    return (((double)b[0] - (double)a[0]) * ((double)c[1] - (double)a[1]) -
            ((double)b[1] - (double)a[1]) * ((double)c[0] - (double)a[0])) /
           2;
}

static double shoelace(void) {
    double sum = 0;
    for (uint32_t k = 0; k < shape.count; k++) {
        const float *p = shape.flat[k], *q = shape.flat[(k + 1) % shape.count];
        sum += ((double)p[0] * (double)q[1] - (double)p[1] * (double)q[0]) / 2;
    }
    return sum;
}

/* Whether a place is inside, by how often the outline runs around it. */
static bool is_inside(double x, double y) {
    int winding = 0;
    for (uint32_t k = 0; k < shape.count; k++) {
        const float *p = shape.flat[k], *q = shape.flat[(k + 1) % shape.count];
        const bool up = (double)p[1] <= y && (double)q[1] > y, down = (double)p[1] > y && (double)q[1] <= y;
        const double side =
            ((double)q[0] - (double)p[0]) * (y - (double)p[1]) - (x - (double)p[0]) * ((double)q[1] - (double)p[1]);
        winding += up && side > 0 ? 1 : down && side < 0 ? -1 : 0;
    }
    return winding != 0;
}

/* Sums up to the face's area without turning over: so no triangle overlaps another or lies outside. */
static void check(const char *name) {
    const double whole = shoelace(), sign = whole < 0 ? -1 : 1;
    double sum = 0;
    for (uint32_t k = 0; k + 2 < shape.count; k++) {
        const float *p[3];
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t corner = bwi_abc_cut_corner(&shape.cuts, shape.cut, k, i);
            assert_in_range(corner, 0, shape.count - 1);
            p[i] = shape.flat[corner];
        }
        const double area = area3(p[0], p[1], p[2]);
        if (sign * area < 0)
            fail_msg("%s: triangle %u is turned over", name, k);
        const double x = ((double)p[0][0] + (double)p[1][0] + (double)p[2][0]) / 3,
                     y = ((double)p[0][1] + (double)p[1][1] + (double)p[2][1]) / 3;
        if (area != 0 && !is_inside(x, y))
            fail_msg("%s: triangle %u lies outside", name, k);
        sum += area;
    }
    if (!(fabs(sum - whole) <= 1e-9 * fabs(whole)))
        fail_msg("%s: triangles cover %g, the face is %g", name, sum, whole);
}

/* In every plane, from every corner, both ways round. */
static void check_everywhere(const char *name, const float (*corners)[2], uint32_t count) {
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t start = 0; start < count; start++)
            for (int reversed = 0; reversed < 2; reversed++) {
                place(corners, count, axis, start, reversed);
                check(name);
            }
}

static const float ell[][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
static const float arrow[][2] = {{0, 0}, {2, 2}, {0, 1}, {-2, 2}};
/* A square with a square hole, reached by a seam that is run along twice. */
static const float frame[][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}};
/* Corners on straight edges, and a spike. */
static const float tee[][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {2, 1}, {2, 2}, {2, 3}, {1, 3}, {1, 1}, {0, 1}};
static const float spiral[][2] = {{0, 0}, {6, 0}, {6, 6}, {1, 6}, {1, 2}, {4, 2}, {4, 4},
                                  {3, 4}, {3, 3}, {2, 3}, {2, 5}, {5, 5}, {5, 1}, {0, 1}};

static void concave_faces(void **state) {
    (void)state;
    check_everywhere("L", ell, 6);
    check_everywhere("arrow", arrow, 4);
    check_everywhere("frame", frame, 10);
    check_everywhere("T", tee, 11);
    check_everywhere("spiral", spiral, 14);
    for (uint32_t tips = 3; tips <= 9; tips += 2) {
        float star[18][2];
        for (uint32_t k = 0; k < 2 * tips; k++) {
            const double angle = 3.14159265358979 * k / tips, radius = k % 2 ? 0.3 : 1.0;
            star[k][0] = (float)(radius * cos(angle));
            star[k][1] = (float)(radius * sin(angle));
        }
        check_everywhere("star", (const float(*)[2])star, 2 * tips);
    }
}

/* A fan around the first corner, as before: existing bakes keep their triangles. */
static void faces_that_fans_hold_for(void **state) {
    (void)state;
    static const float octagon[][2] = {{2, 0}, {3, 0}, {4, 1}, {4, 2}, {3, 3}, {2, 3}, {1, 2}, {1, 1}},
                       straight[][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}};
    for (uint32_t start = 0; start < 8; start++) {
        place(octagon, 8, 0, start, start % 2);
        assert_false(shape.cut);
        check("octagon");
    }
    for (uint32_t start = 0; start < 5; start++) {
        place(straight, 5, 1, start, false);
        assert_false(shape.cut);
        check("a corner on an edge");
    }
    /* Of a concave quad one diagonal lies inside: the fan's if its first corner is the one that goes in, or the one across. */
    for (uint32_t start = 0; start < 4; start++) {
        place(arrow, 4, 2, start, false);
        assert_int_equal(shape.cut, start % 2 == 1);
    }
}

/* Nothing is better than a fan for what has no area, crosses itself, or lies beyond what can be reckoned with. */
static void faces_that_nothing_holds_for(void **state) {
    (void)state;
    static const float line[][2] = {{0, 0}, {1, 1}, {3, 3}, {2, 2}}, point[][2] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}},
                       bow[][2] = {{0, 0}, {2, 2}, {2, 0}, {0, 2}},
                       far[][2] = {{0, 0}, {3e38f, 0}, {1e38f, 1e38f}, {0, 3e38f}, {-3e38f, -3e38f}};
    place(line, 4, 0, 0, false);
    assert_false(shape.cut);
    place(point, 4, 0, 0, false);
    assert_false(shape.cut);
    place(bow, 4, 0, 0, false);
    assert_false(shape.cut);
    place(far, 5, 0, 0, false);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < 3; i++)
            assert_in_range(bwi_abc_cut_corner(&shape.cuts, shape.cut, k, i), 0, 4);
}

/* Teeth of a comb, a spiral of a thousand turns of the corner: the most corners that are cut, in no time to speak of. */
static void large_faces(void **state) {
    (void)state;
    static float comb[BWI_ABC_CUT_MAX + 2][2];
    uint32_t count = 0;
    for (uint32_t k = 0; k < (BWI_ABC_CUT_MAX - 2) / 2; k++) {
        comb[count][0] = comb[count + 1][0] = (float)k;
        comb[count][1] = k % 2 ? 5.0f : 1.0f;
        comb[count + 1][1] = k % 2 ? 4.5f : 0.5f;
        comb[count + 1][0] += 0.5f;
        count += 2;
    }
    comb[count][0] = (float)BWI_ABC_CUT_MAX / 2;
    comb[count++][1] = -1;
    comb[count][0] = 0;
    comb[count++][1] = -1;
    assert_int_equal(count, BWI_ABC_CUT_MAX);
    place((const float(*)[2])comb, count, 0, 7, false);
    assert_true(shape.cut);
    check("comb");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concave_faces),
        cmocka_unit_test(faces_that_fans_hold_for),
        cmocka_unit_test(faces_that_nothing_holds_for),
        cmocka_unit_test(large_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
