/* SPDX-License-Identifier: MIT
 * What went wrong for users of hair elsewhere, each as a small file of which lint must say so.  Each test names the public report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hair_builder.h"

enum { MOST_POINTS = 512 };

/* Hair by hand and what an engine makes of it. */
typedef struct lesson {
    hair_builder b;
    float positions[3 * MOST_POINTS], values[MOST_POINTS];
    double times[2];
    bwi_hair_sampling samplings[2];
    bwi_mem mem;
    bwi_arena *arena;
    bwi_groom_verdict verdict;
} lesson;

static int setup(void **state) {
    static lesson l;
    memset(&l, 0, sizeof l);
    hair_init(&l.b);
    for (int i = 0; i < MOST_POINTS; i++) {
        l.positions[3 * i] = (float)(i % 7);
        l.positions[3 * i + 2] = (float)(i % 50);
        l.values[i] = 0.01f;
    }
    l.times[1] = 1.0 / 24;
    l.samplings[0] = l.samplings[1] = (bwi_hair_sampling){BW_ALEMBIC_UNIFORM, 1.0 / 24, 0};
    l.b.hair.samplings.data = l.samplings;
    l.b.hair.samplings.count = 2;
    *state = &l;
    return 0;
}

static int teardown(void **state) {
    bwi_arena_free(((lesson *)*state)->arena);
    return 0;
}

static bwi_hair_curves *hair_of(lesson *l, const char *path, const int32_t *counts, uint64_t strands) {
    uint64_t points = 0;
    for (uint64_t i = 0; i < strands; i++)
        points += (uint64_t)counts[i];
    return hair_curves(&l->b, path, BW_NO_INDEX, counts, strands, l->positions, points);
}

static bwi_hair_attribute *native_width(lesson *l, bw_alembic_scope scope, uint64_t count) {
    bwi_hair_attribute *a = hair_attribute(&l->b, "width", BW_ALEMBIC_FLOAT32, 1, scope, count, l->values);
    a->place = BWI_HAIR_NATIVE;
    return a;
}

static void judge(lesson *l, bw_groom_engine engine) {
    bw_error error;
    bwi_groom_space space;
    bwi_arena_free(l->arena);
    bwi_mem_init(&l->mem, 0);
    l->arena = bwi_arena_create(&l->mem);
    const bwi_env env = {&l->mem, 1, NULL};
    assert_int_equal(bwi_groom_space_find(&space, l->arena, &l->b.hair, NULL, &error), BW_OK);
    assert_int_equal(bwi_groom_judge(&l->verdict, l->arena, &l->b.hair, engine, &space, &env, &error), BW_OK);
}

static const bw_groom_finding *find(const lesson *l, const char *code) {
    for (size_t i = 0; i < l->verdict.findings.count; i++) {
        if (strcmp(l->verdict.findings.data[i].code, code) == 0)
            return &l->verdict.findings.data[i];
    }
    return NULL;
}

/* The finding is there, at its level, and says the words. */
static void expect(const lesson *l, const char *code, bw_groom_level level, const char *words) {
    const bw_groom_finding *f = find(l, code);
    if (!f)
        fail_msg("%s is not found", code);
    assert_int_equal(f->level, level);
    if (!strstr(f->message, words))
        fail_msg("%s: \"%s\" does not say \"%s\"", code, f->message, words);
}

static const bw_groom_attribute_report *row(const lesson *l, const char *name) {
    for (size_t i = 0; i < l->verdict.attributes.count; i++) {
        if (strcmp(l->verdict.attributes.data[i].name, name) == 0)
            return &l->verdict.attributes.data[i];
    }
    fail_msg("no row of %s", name);
    return NULL;
}

static const int32_t TWO[] = {4, 4};

/* https://github.com/EpicGames/BlenderTools/issues/136 */
static void says_what_to_type_into_the_dialog(void **state) {
    lesson *l = *state;
    static const struct {
        const char *maker, *typed;
    } makers[] = {{"Blender 4.2", "rotation X 90, scale (100, -100, 100)"},
                  {"Autodesk Maya 2024", "rotation X 90, scale (1, -1, 1)"},
                  {"Autodesk 3ds Max 2024", "type scale (1, -1, 1)"}};
    hair_of(l, "/hair", TWO, 2);
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        l->b.hair.made_by = makers[i].maker;
        judge(l, BW_GROOM_UNREAL_5_8);
        expect(l, "axes", BW_GROOM_WARNING, makers[i].typed);
    }
    l->b.hair.made_by = "Unreal Engine";
    judge(l, BW_GROOM_UNREAL_5_8);
    assert_null(find(l, "axes"));
}

/* https://github.com/EpicGames/BlenderTools/issues/668 */
static void no_strands_is_an_error_that_names_what_is_there(void **state) {
    lesson *l = *state;
    hair_object(&l->b, "/head", BW_NO_INDEX, BWI_HAIR_MESH);
    judge(l, BW_GROOM_UNREAL_5_8);
    assert_false(l->verdict.accepted);
    expect(l, "no-curves", BW_GROOM_ERROR, "but 1 polygon mesh:");
    expect(l, "mesh-in-file", BW_GROOM_ERROR, "geometry cache");
    hair_of(l, "/hair", NULL, 0);
    judge(l, BW_GROOM_UNITY);
    expect(l, "no-strands", BW_GROOM_ERROR, "without a strand");
}

/* https://github.com/poly-hammer/BlenderTools/issues/191 */
static void limits_of_points_a_strand(void **state) {
    lesson *l = *state;
    static const int32_t counts[] = {300, 5}, single[] = {1, 5};
    bwi_hair_curves *c = hair_of(l, "/hair", counts, 2);
    judge(l, BW_GROOM_UNREAL_5_8);
    expect(l, "strand-long", BW_GROOM_WARNING, "1 strand of more than 255 points");
    assert_int_equal(l->verdict.points, 255 + 5);
    c->counts = single;
    c->point_count = 6;
    judge(l, BW_GROOM_UNREAL_5_8);
    expect(l, "strand-one-point", BW_GROOM_ERROR, "asserts");
    assert_false(l->verdict.accepted);
}

/* https://github.com/eth-ait/GaussianHaircut/issues/20 */
static void strands_that_were_saved_as_points(void **state) {
    lesson *l = *state;
    hair_object(&l->b, "/strands", BW_NO_INDEX, BWI_HAIR_POINTS);
    judge(l, BW_GROOM_UNREAL_5_8);
    expect(l, "no-curves", BW_GROOM_ERROR, "saved as points");
}

/* https://github.com/Unity-Technologies/com.unity.demoteam.hair/issues/34 */
static void counts_of_every_object_against_its_points(void **state) {
    lesson *l = *state;
    static const int32_t more[] = {2, 3, 4};
    hair_of(l, "/a", TWO, 2);
    bwi_hair_curves *c = hair_of(l, "/b", more, 3);
    judge(l, BW_GROOM_UNITY);
    assert_int_equal(l->verdict.strands, 5);
    assert_null(find(l, "counts-past"));
    assert_null(find(l, "counts-left"));
    c->point_count = 8;
    judge(l, BW_GROOM_UNITY);
    expect(l, "counts-past", BW_GROOM_ERROR, "strand 2 ends past the 8 points");
    assert_int_equal(l->verdict.strands, 2); /* the whole set is gone */
    judge(l, BW_GROOM_UNREAL_5_8);
    assert_int_equal(l->verdict.strands, 4); /* its last strand is gone */
}

/* https://github.com/Unity-Technologies/com.unity.demoteam.hair/issues/39 */
static void any_count_of_points_is_fine(void **state) {
    lesson *l = *state;
    static int32_t counts[15];
    for (int i = 0; i < 15; i++)
        counts[i] = i + 2;
    hair_of(l, "/hair", counts, 15);
    judge(l, BW_GROOM_UNITY);
    assert_true(l->verdict.accepted);
    assert_int_equal(l->verdict.strands, 15);
}

/* https://github.com/Unity-Technologies/com.unity.formats.alembic/pull/391 */
static void the_last_strand_counts(void **state) {
    lesson *l = *state;
    static const int32_t counts[] = {2, 3, 4};
    hair_of(l, "/hair", counts, 3);
    judge(l, BW_GROOM_UNREAL_5_8);
    assert_int_equal(l->verdict.strands, 3);
    assert_int_equal(l->verdict.points, 9);
}

/* https://github.com/ImageEngine/cortex/pull/1017 and https://github.com/alembic/alembic/pull/239 */
static void width_is_a_property_of_curves_in_every_scope(void **state) {
    lesson *l = *state;
    static const struct {
        bw_alembic_scope scope;
        uint64_t count;
        bool used;
    } scopes[] = {{BW_ALEMBIC_SCOPE_CONSTANT, 1, true},
                  {BW_ALEMBIC_SCOPE_UNIFORM, 2, true},
                  {BW_ALEMBIC_SCOPE_VERTEX, 8, true},
                  {BW_ALEMBIC_SCOPE_VARYING, 8, false},
                  {BW_ALEMBIC_SCOPE_UNKNOWN, 8, false}};
    hair_of(l, "/hair", TWO, 2);
    bwi_hair_attribute *a = native_width(l, BW_ALEMBIC_SCOPE_CONSTANT, 1);
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        a->scope = scopes[i].scope;
        a->count = a->value_count = scopes[i].count;
        judge(l, BW_GROOM_UNREAL_5_8);
        assert_int_equal(row(l, "width")->used, scopes[i].used);
        assert_int_equal(find(l, "width-none") == NULL, scopes[i].used);
        if (!scopes[i].used)
            expect(l, "attribute-scope", BW_GROOM_WARNING, "ignored");
    }
}

/* https://github.com/Autodesk/arnold-usd/issues/917 and
 * https://docs.unrealengine.com/5.2/en-US/using-groom-caches-with-hair-in-unreal-engine/ */
static void widths_that_move_alone_are_no_cache(void **state) {
    lesson *l = *state;
    bwi_hair_curves *c = hair_of(l, "/hair", TWO, 2);
    bwi_hair_attribute *a = native_width(l, BW_ALEMBIC_SCOPE_VERTEX, 8);
    a->moves = true;
    a->sample_count = 2;
    c->only_attributes_move = true;
    judge(l, BW_GROOM_UNREAL_5_8);
    expect(l, "cache-still", BW_GROOM_WARNING, "positions don't");
    expect(l, "attribute-moves", BW_GROOM_WARNING, "only the first is read");
    static const int32_t guides[] = {1, 1};
    c->only_attributes_move = false;
    c->moves = true;
    c->times_s = l->times;
    c->sample_count = 2;
    hair_attribute(&l->b, "groom_guide", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 2, guides);
    judge(l, BW_GROOM_UNREAL_5_8);
    expect(l, "cache-guides", BW_GROOM_INFO, "only guides move");
}

/* https://github.com/boberfly/GafferCycles/pull/23 */
static void width_is_a_diameter(void **state) {
    lesson *l = *state;
    static const float one[] = {1, 1};
    hair_of(l, "/hair", TWO, 2);
    hair_attribute(&l->b, "groom_width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 2, one);
    judge(l, BW_GROOM_UNREAL_5_8);
    expect(l, "width-suspect", BW_GROOM_INFO, "the median width is 1 cm, which is rope");
}

/* https://github.com/ynput/ayon-maya/issues/72 */
static void palettes_are_told_apart(void **state) {
    lesson *l = *state;
    hair_of(l, "/hair/brows", TWO, 2);
    hair_of(l, "/hair/lashes", TWO, 2);
    hair_of(l, "/hair/scalp", TWO, 2);
    judge(l, BW_GROOM_UNREAL_5_8);
    expect(l, "groups-none", BW_GROOM_INFO, "3 objects have no group ids or names");
    judge(l, BW_GROOM_UNITY);
    assert_int_equal(l->verdict.groups.count, 3);
    assert_string_equal(l->verdict.groups.data[1].name, "/hair/lashes");
}

/* https://github.com/alembic/alembic/issues/458 */
static void curves_of_any_order(void **state) {
    lesson *l = *state;
    static const uint8_t orders[] = {4, 3};
    bwi_hair_curves *c = hair_of(l, "/hair", TWO, 2);
    c->type = BWI_HAIR_VARIABLE_ORDER;
    c->orders = orders;
    c->order_count = 2;
    judge(l, BW_GROOM_UNREAL_5_8);
    expect(l, "spline", BW_GROOM_WARNING, "2 NURBS curves");
    expect(l, "spline-knots", BW_GROOM_INFO, "not used");
}

/* https://docs.unrealengine.com/4.26/en-US/WorkingWithContent/Hair/AlembicForGrooms */
static void no_width_is_said(void **state) {
    lesson *l = *state;
    hair_of(l, "/hair", TWO, 2);
    judge(l, BW_GROOM_UNREAL_5_8);
    expect(l, "width-none", BW_GROOM_WARNING, "1 cm, like ropes");
    expect(l, "groom-version", BW_GROOM_INFO, "groom_version_major is missing");
}

/* https://github.com/GPUOpen-Effects/TressFX/issues/31 */
static void placeholders_are_not_hair(void **state) {
    lesson *l = *state;
    hair_xform(&l->b, "/description1", BW_NO_INDEX, NULL);
    judge(l, BW_GROOM_UNREAL_5_8);
    expect(l, "no-curves", BW_GROOM_ERROR, "but 1 transform:");
    expect(l, "no-curves", BW_GROOM_ERROR, "never generated or converted to curves");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(says_what_to_type_into_the_dialog),
        TEST(no_strands_is_an_error_that_names_what_is_there),
        TEST(limits_of_points_a_strand),
        TEST(strands_that_were_saved_as_points),
        TEST(counts_of_every_object_against_its_points),
        TEST(any_count_of_points_is_fine),
        TEST(the_last_strand_counts),
        TEST(width_is_a_property_of_curves_in_every_scope),
        TEST(widths_that_move_alone_are_no_cache),
        TEST(width_is_a_diameter),
        TEST(palettes_are_told_apart),
        TEST(curves_of_any_order),
        TEST(no_width_is_said),
        TEST(placeholders_are_not_hair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
