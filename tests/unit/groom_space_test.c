/* SPDX-License-Identifier: MIT
 * Axes, units and transforms: hair of three strands that no mirror leaves as it is arrives unmirrored from every program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "hair_builder.h"

static const int32_t COUNTS[] = {2, 2, 2};
/* As it stands in Unreal, cm: 10 forward, 20 to the right, 30 up, from (1, 2, 3). */
static const float WANTED[18] = {1, 2, 3, 11, 2, 3, 1, 2, 3, 1, 22, 3, 1, 2, 3, 1, 2, 33};

/* That hair in other axes: row[i] tells which of Unreal's axes, 1 to 3 and signed, is the file's axis i. */
static void express(float *out, const int row[3], double unit_cm) {
    for (int p = 0; p < 6; p++) {
        for (int i = 0; i < 3; i++) {
            const int axis = row[i] < 0 ? -row[i] - 1 : row[i] - 1;
            out[3 * p + i] = (float)((row[i] < 0 ? -1 : 1) * (double)WANTED[3 * p + axis] / unit_cm);
        }
    }
}

static void expect_wanted(const hair_fix *f) {
    assert_int_equal(f->groom->point_count, 6);
    for (int k = 0; k < 18; k++)
        EXPECT1(f->groom->positions[k], WANTED[k], 1e-5);
}

/* https://github.com/EpicGames/BlenderTools/issues/136: three strands of different length and side. */
static void each_preset_arrives_unmirrored(void **state) {
    (void)state;
    static const int Y_UP[] = {1, 3, 2}, Z_RIGHT[] = {1, -2, 3}, AS_IS[] = {1, 2, 3};
    static const struct {
        const char *made_by;
        bw_groom_from from;
        const int *axes;
        double unit_cm;
    } CASES[] = {
        {"Maya 2024 AbcExport v1.0", BW_GROOM_FROM_MAYA, Y_UP, 1},
        {"Blender 4.1.0", BW_GROOM_FROM_BLENDER, Y_UP, 100},
        {"Houdini 20.5.332", BW_GROOM_FROM_HOUDINI, Y_UP, 100},
        {"Autodesk 3ds Max 2025", BW_GROOM_FROM_MAX, Z_RIGHT, 1},
        {"Unreal Engine 5.4", BW_GROOM_FROM_UNREAL, AS_IS, 1},
        {"Bakewell 0.1", BW_GROOM_FROM_UNREAL, AS_IS, 1},
        {"Maximus hair", BW_GROOM_FROM_DEFAULT, AS_IS, 1}, /* no word of it names a program */
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        float points[18];
        express(points, CASES[i].axes, CASES[i].unit_cm);
        for (int given = 0; given < 2; given++) {
            hair_builder b;
            hair_init(&b);
            hair_curves(&b, "/hair", BW_NO_INDEX, COUNTS, 3, points, 6);
            b.hair.made_by = given ? "" : CASES[i].made_by;
            hair_fix f;
            assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.from = given ? CASES[i].from : 0}, 1), BW_OK);
            expect_wanted(&f);
            EXPECT1(f.space.unit_cm, CASES[i].unit_cm, 0);
            assert_int_equal(hair_change(&f, "axes-turned"), CASES[i].axes != AS_IS);
            hair_close(&f);
        }
    }
}

static void options_stand_before_the_program(void **state) {
    (void)state;
    static const int LEFT_Y[] = {-1, 3, 2};
    float points[18];
    express(points, LEFT_Y, 2.54);
    hair_builder b;
    hair_init(&b);
    hair_curves(&b, "/hair", BW_NO_INDEX, COUNTS, 3, points, 6);
    b.hair.made_by = "Houdini 20";
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.hand = BW_GROOM_HAND_LEFT, .units = BW_UNIT_IN}, 1), BW_OK);
    expect_wanted(&f);
    assert_string_equal(f.space.text, "houdini: y up, left-handed, in");
    hair_close(&f);
    static const int Y_UP[] = {1, 3, 2};
    express(points, Y_UP, 100);
    b.hair.made_by = "";
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.up = BW_UP_Y, .units = BW_UNIT_M}, 1), BW_OK);
    expect_wanted(&f);
    assert_string_equal(f.space.reason, "given");
    hair_close(&f);
}

/* Unreal doesn't read cyHair, so that its axes are no guess: left-handed ones would mirror the hair of every other program. */
static void cyhair_is_right_handed(void **state) {
    (void)state;
    static const int Z_RIGHT[] = {1, -2, 3}, Y_UP[] = {1, 3, 2};
    static const struct {
        const char *made_by, *text;
        const int *axes;
        double unit_cm;
        bw_groom_opts opts;
    } CASES[] = {
        {"", "unknown: z up, right-handed, cm", Z_RIGHT, 1, {0}},
        {"Bakewell, right-handed, Z up, centimetres", "cyhair: z up, right-handed, cm", Z_RIGHT, 1, {0}},
        {"Blender 4.1", "blender: y up, right-handed, m", Y_UP, 100, {0}},
        {"", "as given: y up, right-handed, m", Y_UP, 100, {.up = BW_UP_Y, .units = BW_UNIT_M}},
        {"", "max: z up, right-handed, cm", Z_RIGHT, 1, {.from = BW_GROOM_FROM_MAX}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        float points[18];
        express(points, CASES[i].axes, CASES[i].unit_cm);
        hair_builder b;
        hair_init(&b);
        hair_curves(&b, "/hair", BW_NO_INDEX, COUNTS, 3, points, 6);
        b.hair.format = "cyhair";
        b.hair.made_by = CASES[i].made_by;
        hair_fix f;
        assert_int_equal(hair_repair(&f, &b, &CASES[i].opts, 1), BW_OK);
        expect_wanted(&f);
        assert_string_equal(f.space.text, CASES[i].text);
        hair_close(&f);
    }
}

/* https://ta-note.com/?p=940: exporters and scripts mirror by a transform at the top: twice would be wrong again. */
static void what_is_mirrored_already_is_not_mirrored_again(void **state) {
    (void)state;
    static const int Y_UP[] = {1, 3, 2};
    const double swap[16] = {100, 0, 0, 0, 0, 0, 100, 0, 0, 100, 0, 0, 0, 0, 0, 1}; /* (x, y, z) to (x, z, y) · 100 */
    float points[18];
    express(points, Y_UP, 100);
    hair_builder b;
    hair_init(&b);
    const uint32_t top = hair_xform(&b, "/groom", BW_NO_INDEX, swap);
    hair_curves(&b, "/groom/hair", top, COUNTS, 3, points, 6);
    b.hair.made_by = "Houdini 20.5";
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    expect_wanted(&f);
    assert_non_null(strstr(f.space.reason, "not mirrored again"));
    assert_string_equal(f.space.text, "houdini: z up, left-handed, cm");
    assert_int_equal(hair_change(&f, "transforms-baked"), 1);
    assert_int_equal(hair_change(&f, "axes-turned"), 0);
    hair_close(&f);
    /* One side of a head, made by mirroring the other, stays a mirror image. */
    const double mirror[16] = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    memcpy(b.objects[top].matrix, mirror, sizeof mirror);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    for (int p = 0; p < 6; p++)
        EXPECT3(f.groom->positions + 3 * p, -WANTED[3 * p], WANTED[3 * p + 1], WANTED[3 * p + 2], 1e-5);
    assert_null(strstr(f.space.reason, "not mirrored again"));
    hair_close(&f);
}

/* Rotations and scales that do not commute: what stands below is turned first. */
static void nested_transforms_are_baked_as_they_are_meant(void **state) {
    (void)state;
    static const int32_t two[] = {2};
    static const float points[] = {1, 0, 0, 2, 0, 0};
    const double turn[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1}; /* x to y, then 5 along x */
    const double stretch[16] = {2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 7, 1};
    hair_builder b;
    hair_init(&b);
    const uint32_t outer = hair_xform(&b, "/a", BW_NO_INDEX, turn);
    const uint32_t group = hair_object(&b, "/a/group", outer, BWI_HAIR_GROUP);
    const uint32_t inner = hair_xform(&b, "/a/group/b", group, stretch);
    hair_curves(&b, "/a/group/b/hair", inner, two, 1, points, 2);
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    EXPECT3(f.groom->positions, 5, 2, 7,
            0); /* stretched along its own x, then turned; the other way round is (5, 1, 7) */
    EXPECT3(f.groom->positions + 3, 5, 4, 7, 0);
    hair_close(&f);
    b.objects[inner].inherits = false;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    EXPECT3(f.groom->positions, 2, 0, 7, 0);
    hair_close(&f);
}

static void a_format_with_axes_takes_no_options(void **state) {
    (void)state;
    static const int32_t two[] = {2};
    static const float points[] = {1, 2, 3, 4, 5, 6};
    hair_builder b;
    hair_init(&b);
    hair_curves(&b, "/hair", BW_NO_INDEX, two, 1, points, 2);
    b.hair.format = "glb";
    b.hair.has_transform = true;
    for (int k = 0; k < 4; k++)
        b.hair.transform[5 * k] = 1;
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    EXPECT3(f.groom->positions, 100, 300, 200, 1e-4);
    EXPECT1(f.space.unit_cm, 100, 0);
    hair_close(&f);
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.up = BW_UP_Z}, 1), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "--up"));
    hair_close(&f);
}

/* https://github.com/boberfly/GafferCycles/pull/23, https://github.com/ChaosGroup/vray-for-houdini/issues/138: a radius is half a width; and lengths
 * across are of the file's unit, but for groom_width. */
static void widths_are_diameters_in_cm(void **state) {
    (void)state;
    static const int32_t two[] = {2};
    static const float points[] = {0, 0, 0, 0, 1, 0}, value[] = {0.25f, 0.25f};
    static const struct {
        const char *name;
        bwi_hair_place place;
        double wanted;
    } CASES[] = {{"width", BWI_HAIR_NATIVE, 25},
                 {"groom_width", BWI_HAIR_ARBITRARY, 0.25},
                 {"pscale", BWI_HAIR_ARBITRARY, 50},
                 {"radius", BWI_HAIR_ARBITRARY, 50}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        hair_builder b;
        hair_init(&b);
        hair_curves(&b, "/hair", BW_NO_INDEX, two, 1, points, 2);
        hair_attribute(&b, CASES[i].name, BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, 2, value)->place =
            CASES[i].place;
        b.hair.made_by = "Blender 4.1";
        hair_fix f;
        assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
        EXPECT1(f.groom->widths[1], CASES[i].wanted, 1e-5);
        assert_int_equal(hair_change(&f, "widths-scaled"), CASES[i].wanted != 0.25);
        hair_close(&f);
    }
    /* What scales the points scales what is across them. */
    const double ten[16] = {10, 0, 0, 0, 0, 10, 0, 0, 0, 0, 10, 0, 0, 0, 0, 1};
    hair_builder b;
    hair_init(&b);
    const uint32_t xform = hair_xform(&b, "/x", BW_NO_INDEX, ten);
    hair_curves(&b, "/x/hair", xform, two, 1, points, 2);
    hair_attribute(&b, "width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, 2, value)->place = BWI_HAIR_NATIVE;
    hair_fix f;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    EXPECT1(f.groom->widths[0], 2.5, 1e-6);
    assert_int_equal(hair_change(&f, "widths-scaled"), 1);
    hair_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_preset_arrives_unmirrored),
        cmocka_unit_test(options_stand_before_the_program),
        cmocka_unit_test(cyhair_is_right_handed),
        cmocka_unit_test(what_is_mirrored_already_is_not_mirrored_again),
        cmocka_unit_test(nested_transforms_are_baked_as_they_are_meant),
        cmocka_unit_test(a_format_with_axes_takes_no_options),
        cmocka_unit_test(widths_are_diameters_in_cm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
