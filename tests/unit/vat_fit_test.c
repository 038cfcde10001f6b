/* SPDX-License-Identifier: MIT
 * Poses from vertices: known ones are found again, in every space; points, lines and what vanishes have one answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "vat/vat_priv.h"

enum { MOST = 8 };

typedef struct fixture {
    bwi_bone bones[2];
    uint32_t members[MOST], first_member[3];
    float rest[3 * MOST], frame[3 * MOST];
    bwi_palette palette;
    bwi_vat_plan plan;
    bwi_mat4 poses[2];
} fixture;

/* A box that is no cube, of which every other test takes some corners. */
static const float BOX[24] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 2, 0, 0, 0, 3, 1, 0, 3, 0, 2, 3, 1, 2, 3};

static void begin(fixture *f, bw_engine engine, const float *rest, uint32_t count) {
    memset(f, 0, sizeof *f);
    f->bones[0].node = f->bones[1].node = BW_NO_INDEX;
    f->bones[1].fitted = true;
    for (uint32_t k = 0; k < count; ++k)
        f->members[k] = k;
    f->first_member[2] = count;
    memcpy(f->rest, rest, 3 * count * sizeof *rest);
    f->palette = (bwi_palette){.bones = f->bones,
                               .bone_count = 2,
                               .influence_count = 1,
                               .positions = f->rest,
                               .members = f->members,
                               .first_member = f->first_member};
    f->plan.palette = &f->palette;
    f->plan.settings.engine = bwi_engine_info_of(engine);
    f->plan.settings.layout = BW_VAT_LAYOUT_NATIVE;
}

static bwi_quat turn(double x, double y, double z, double angle) {
    const bwi_vec3 axis = bwi_vec3_normalize((bwi_vec3){x, y, z});
    const double s = sin(0.5 * angle);
    return (bwi_quat){axis.x * s, axis.y * s, axis.z * s, cos(0.5 * angle)};
}

/* The frame that a pose in glTF's space makes, in that of the texture data. */
static void pose(fixture *f, bwi_vec3 t, bwi_quat q, double scale) {
    const bwi_mat4 m = bwi_mat4_from_trs(t, q, (bwi_vec3){scale, scale, scale});
    for (uint32_t k = 0; k < f->first_member[2]; ++k) {
        const float *x = &f->rest[3 * k];
        const bwi_vec3 p = bwi_mat4_point(&m, (bwi_vec3){(double)x[0], (double)x[1], (double)x[2]});
        f->frame[3 * k] = (float)p.x;
        f->frame[3 * k + 1] = (float)p.y;
        f->frame[3 * k + 2] = (float)p.z;
    }
    bwi_space_map_positions(f->frame, f->frame, f->first_member[2], bwi_vat_space(&f->plan.settings));
}

static double fit(fixture *f) {
    f->poses[0].m[0] = 77.0; /* not fitted: left alone */
    bwi_fit_poses(f->poses, &f->plan, f->frame);
    EXPECT1(f->poses[0].m[0], 77, 0);
    return bwi_fit_error(&f->plan, 1, &f->poses[1], f->frame);
}

static double scale_of(const fixture *f) {
    const double *m = f->poses[1].m;
    return bwi_sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
}

/* Frames are floats of coordinates up to 10. */
static const double ROUNDED = 2e-6;

static void poses_are_found_again(void **state) {
    (void)state;
    static const bw_engine engines[] = {BW_ENGINE_GENERIC, BW_ENGINE_UNITY, BW_ENGINE_UNREAL};
    for (size_t e = 0; e < 3; ++e)
        for (int n = 0; n < 60; ++n) {
            fixture f;
            begin(&f, engines[e], BOX, n % 2 ? 8 : 3); /* a box, or the plane of one face */
            const double scale = n % 5 == 4 ? 0.25 : 1.0;
            pose(&f, (bwi_vec3){4, -1, 0.1 * n}, turn(1, 0.3 * n, -2, n == 7 ? BWI_PI : 0.1 * n), scale);
            EXPECT1(fit(&f), 0, ROUNDED);
            EXPECT1(scale_of(&f), scale, ROUNDED);
        }
}

static void what_stands_still_is_exact(void **state) {
    (void)state;
    fixture f;
    begin(&f, BW_ENGINE_GENERIC, BOX, 8);
    pose(&f, (bwi_vec3){0, 0, 0}, (bwi_quat){0, 0, 0, 1}, 1);
    assert_true(fit(&f) == 0.0);
    const bwi_mat4 none = bwi_mat4_identity();
    for (int k = 0; k < 16; ++k)
        EXPECT1(f.poses[1].m[k], none.m[k], 0);
}

static void one_vertex_only_travels(void **state) {
    (void)state;
    fixture f;
    const float point[3] = {5, 6, 7};
    begin(&f, BW_ENGINE_GENERIC, point, 1);
    pose(&f, (bwi_vec3){1, 2, 3}, turn(1, 1, 1, 2), 1);
    assert_true(fit(&f) == 0.0);
    EXPECT1(f.poses[1].m[0], 1, 0);
    EXPECT1(f.poses[1].m[1], 0, 0);
}

/* Two vertices, and several in a line, turn by the shortest way: not about themselves, though floats leave them a little off it. */
static void lines_do_not_twist(void **state) {
    (void)state;
    const float line[9] = {100, 100, 100, 100.3f, 100.9f, 97.9f, 100.1f, 100.3f, 99.3f};
    const bwi_quat identity = {0, 0, 0, 1};
    for (uint32_t count = 2; count <= 3; ++count)
        for (int n = 0; n < 20; ++n) {
            fixture f;
            begin(&f, BW_ENGINE_GENERIC, line, count);
            const bwi_quat q = bwi_quat_mul(turn(0, 0, 1, 0.1 * n), turn(0, 1, 0, 0.3 * n));
            pose(&f, (bwi_vec3){1e3, 2, 3}, q, 1);
            EXPECT1(fit(&f), 0, 1e-4); /* floats of a thousand */
            const bwi_vec3 from = {1, 3, -7}, to = bwi_quat_rotate(q, from);
            const double h[9] = {to.x * from.x, to.x * from.y, to.x * from.z, to.y * from.x, to.y * from.y,
                                 to.y * from.z, to.z * from.x, to.z * from.y, to.z * from.z};
            const bwi_quat shortest = bwi_quat_fit(h, identity);
            bwi_quat found;
            double scale;
            bwi_mat4_similarity(&found, &scale, &f.poses[1], identity);
            const double sign = found.w * shortest.w < 0 ? -1 : 1;
            /* A tilt of that over the line's length. */
            EXPECT4(&found.x, sign * shortest.x, sign * shortest.y, sign * shortest.z, sign * shortest.w, 1e-4);
        }
}

/* Also where floats leave the vertices a last place apart. */
static void what_vanishes_has_scale_0(void **state) {
    (void)state;
    fixture f;
    begin(&f, BW_ENGINE_GENERIC, BOX, 8);
    pose(&f, (bwi_vec3){4, 5, 6}, turn(1, 0, 0, 1), 0);
    assert_true(fit(&f) == 0.0);
    assert_true(scale_of(&f) == 0.0);
    EXPECT3(&f.poses[1].m[12], 4, 5, 6, 0);
    f.frame[3] = nextafterf(f.frame[3], 10);
    f.frame[7] = nextafterf(f.frame[7], 0);
    EXPECT1(fit(&f), 0, ROUNDED);
    assert_true(scale_of(&f) == 0.0);
    /* A piece of that size at rest is shown, though: it is a speck, not gone. */
    pose(&f, (bwi_vec3){0, 0, 0}, (bwi_quat){0, 0, 0, 1}, 0.01);
    EXPECT1(fit(&f), 0, ROUNDED);
    EXPECT1(scale_of(&f), 0.01, 1e-6);
}

/* What is a point at rest, and a mirror image, which no rotation gives. */
static void what_cannot_fit_says_how_far_off(void **state) {
    (void)state;
    fixture f;
    float none[24] = {0};
    begin(&f, BW_ENGINE_GENERIC, none, 8);
    memcpy(f.frame, BOX, sizeof BOX);
    EXPECT1(fit(&f), bwi_sqrt(0.25 + 1 + 2.25), ROUNDED);
    begin(&f, BW_ENGINE_UNREAL, BOX, 8);
    pose(&f, (bwi_vec3){0, 0, 0}, (bwi_quat){0, 0, 0, 1}, 1);
    for (size_t k = 0; k < 8; ++k)
        f.frame[3 * k] = -f.frame[3 * k];
    const double off = fit(&f);
    assert_true(off > 0.1 && off < 1.0); /* metres, though the frame is in centimetres */
    begin(&f, BW_ENGINE_GENERIC, BOX, 8);
    pose(&f, (bwi_vec3){0, 0, 0}, (bwi_quat){0, 0, 0, 1}, 1);
    f.frame[4] = NAN;
    assert_true(isnan(fit(&f)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_found_again),     cmocka_unit_test(what_stands_still_is_exact),
        cmocka_unit_test(one_vertex_only_travels),   cmocka_unit_test(lines_do_not_twist),
        cmocka_unit_test(what_vanishes_has_scale_0), cmocka_unit_test(what_cannot_fit_says_how_far_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
