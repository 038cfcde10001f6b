/* SPDX-License-Identifier: MIT
 * Repair of strands and objects: what is left out and why, with all attributes kept in step; groups, guides and ids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "hair_builder.h"

/* Seven strands; the fates of all but the first, the fourth and the last are sealed. */
static const int32_t COUNTS[] = {2, 1, 0, 3, 2, 2, 2};
static const float POINTS[] = {0, 0, 0, 0,   0, 1, 9, 9, 9, 1, 0, 0, 1, 0, 1, 1, 0, 2,
                               2, 0, 0, NAN, 0, 1, 3, 0, 0, 3, 0, 0, 4, 0, 0, 4, 0, 1};
static const int32_t IDS[] = {6, 5, 4, 3, 2, 1, 0};
static const float WIDTHS[] = {0.1f, 0.1f, 0.9f, 0.2f, 0.3f, 0.4f, 0.5f, 0.5f, 0.6f, 0.6f, 0.7f, 0.8f};
static const float UVS[] = {0, 0.5f, 1, 0.5f, 2, 0.5f, 3, 0.5f, 4, 0.5f, 5, 0.5f, 6, 0.5f};

static void strands_go_one_by_one_and_attributes_with_them(void **state) {
    (void)state;
    hair_builder b;
    hair_fix f;
    hair_init(&b);
    hair_curves(&b, "/hair", BW_NO_INDEX, COUNTS, 7, POINTS, 12);
    hair_attribute(&b, "groom_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 7, IDS);
    hair_attribute(&b, "groom_width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, 12, WIDTHS);
    hair_attribute(&b, "groom_root_uv", BW_ALEMBIC_FLOAT32, 2, BW_ALEMBIC_SCOPE_UNIFORM, 7, UVS);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    const bw_groom *g = f.groom;
    assert_int_equal(g->strand_count, 3);
    /* https://github.com/Unity-Technologies/com.unity.formats.alembic/pull/391: counts are not offsets, and the last strand has an end. */
    const uint32_t first[] = {0, 2, 5, 7};
    assert_memory_equal(g->first_points, first, sizeof first);
    const float wanted[] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 2, 4, 0, 0, 4, 0, 1};
    assert_memory_equal(g->positions, wanted, sizeof wanted);
    const float widths[] = {0.1f, 0.1f, 0.2f, 0.3f, 0.4f, 0.7f, 0.8f}, uvs[] = {0, 0.5f, 3, 0.5f, 6, 0.5f};
    assert_memory_equal(g->widths, widths, sizeof widths);
    assert_memory_equal(g->root_uvs, uvs, sizeof uvs);
    const int32_t ids[] = {0, 1, 2}; /* 6, 3 and 0 have gaps */
    assert_memory_equal(g->ids, ids, sizeof ids);
    static const char *const CODES[] = {"strands-of-one-point", "strands-without-points", "strands-not-finite",
                                        "strands-without-length"};
    for (int i = 0; i < 4; i++)
        assert_int_equal(hair_change(&f, CODES[i]), 1);
    assert_int_equal(hair_change(&f, "ids-renumbered"), 3);
    assert_string_equal(f.changes.data[0].first, "/hair, strand 1");
    hair_close(&f);
}

/* https://github.com/Unity-Technologies/com.unity.demoteam.hair/issues/34: counts and points that do not add up. */
static void counts_that_do_not_add_up(void **state) {
    (void)state;
    static const float points[] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 2, 0, 0, 2, 0, 1};
    static const struct {
        int32_t counts[4];
        uint32_t strands;
        const char *code;
        uint64_t count;
    } CASES[] = {
        {{2, 2, 3, 2}, 2, "strands-past-points", 2}, {{2, 2, 0x7fffffff, 2}, 2, "strands-past-points", 2},
        {{2, -2, 2, 2}, 3, "strands-negative", 1},   {{INT32_MIN, 2, 2, 2}, 3, "strands-negative", 1},
        {{2, 2, 0, 0}, 2, "points-dropped", 2},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        hair_builder b;
        hair_fix f;
        hair_init(&b);
        hair_curves(&b, "/hair", BW_NO_INDEX, CASES[i].counts, 4, points, 6);
        assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
        assert_int_equal(f.groom->strand_count, CASES[i].strands);
        assert_int_equal(hair_change(&f, CASES[i].code), CASES[i].count);
        EXPECT1(f.groom->positions[6], 1, 0);
        hair_close(&f);
    }
}

static const int32_t TWO[] = {2}, TWO_TWO[] = {2, 2};
static const float LINE[] = {0, 0, 0, 0, 0, 1}, LINES[] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1};

static void nothing_left_says_what_there_was(void **state) {
    (void)state;
    hair_builder b;
    hair_fix f;
    /* https://github.com/EpicGames/BlenderTools/issues/668, https://github.com/eth-ait/GaussianHaircut/issues/20: no curves at all. */
    hair_init(&b);
    hair_object(&b, "/head", BW_NO_INDEX, BWI_HAIR_MESH);
    hair_object(&b, "/strands", BW_NO_INDEX, BWI_HAIR_POINTS);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_ERR_NO_CURVES);
    assert_non_null(strstr(f.error.message, "1 polygon mesh, 1 set of points and no curves"));
    hair_close(&f);
    /* https://github.com/GPUOpen-Effects/TressFX/issues/31: a description of hair, without any. */
    hair_init(&b);
    hair_object(&b, "/description", BW_NO_INDEX, BWI_HAIR_OTHER);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_ERR_NO_CURVES);
    assert_non_null(strstr(f.error.message, "1 other object and no curves"));
    hair_close(&f);
    hair_init(&b);
    static const int32_t ones[] = {1, 1};
    hair_curves(&b, "/hair", BW_NO_INDEX, ones, 2, LINE, 2);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_ERR_NO_CURVES);
    assert_non_null(strstr(f.error.message, "one point"));
    hair_close(&f);
    static const char *const all[] = {"*"};
    hair_init(&b);
    hair_curves(&b, "/hair", BW_NO_INDEX, TWO, 1, LINE, 2);
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.exclude = {all, 1}}, 1), BW_ERR_NO_CURVES);
    assert_non_null(strstr(f.error.message, "leave none of 1 objects"));
    hair_close(&f);
}

static bw_string_list list(const char *const *data, size_t count) {
    return (bw_string_list){data, count};
}

/* https://github.com/EpicGames/BlenderTools/issues/354: hidden and other objects beside the hair. */
static void objects_are_chosen(void **state) {
    (void)state;
    static const char *const left[] = {"left*"}, *const hidden[] = {"/head/hidden"}, *const none[] = {"beard"};
    hair_builder b;
    hair_fix f;
    hair_init(&b);
    const uint32_t head = hair_xform(&b, "/head", BW_NO_INDEX, NULL);
    hair_object(&b, "/head/scalp", head, BWI_HAIR_MESH);
    hair_curves(&b, "/head/left_hair", head, TWO, 1, LINE, 2);
    hair_curves(&b, "/head/right_hair", head, TWO, 1, LINE, 2);
    hair_curves(&b, "/head/hidden", head, TWO_TWO, 2, LINES, 4);
    b.objects[4].hidden = true;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_int_equal(f.groom->strand_count, 2);
    assert_int_equal(hair_change(&f, "hidden-left-out"), 1);
    assert_int_equal(hair_change(&f, "objects-left-out"), 1);
    assert_int_equal(hair_change(&f, "objects-merged"), 2);
    hair_close(&f);
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.include = list(left, 1)}, 1), BW_OK);
    assert_int_equal(f.groom->strand_count, 1);
    hair_close(&f);
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.exclude = list(left, 1)}, 1), BW_OK);
    assert_int_equal(f.groom->strand_count, 1);
    hair_close(&f);
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.include = list(hidden, 1)}, 1), BW_OK);
    assert_int_equal(f.groom->strand_count, 2);
    assert_int_equal(hair_change(&f, "hidden-shown"), 1);
    hair_close(&f);
    b.objects[2].hidden = b.objects[3].hidden = true; /* all there is */
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_int_equal(f.groom->strand_count, 4);
    assert_int_equal(hair_change(&f, "hidden-shown"), 3);
    hair_close(&f);
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.include = list(none, 1)}, 1), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "/head/left_hair, /head/right_hair, /head/hidden"));
    hair_close(&f);
}

/* ---- groups ---- */

enum { MANY = 70 };

/* One object of `count` strands of two points. */
static void comb(hair_builder *b, const char *path, uint32_t count) {
    static int32_t counts[MANY];
    static float points[MANY * 6];
    for (uint32_t i = 0; i < MANY; i++) {
        counts[i] = 2;
        points[6 * i] = points[6 * i + 3] = (float)i;
        points[6 * i + 5] = 1;
    }
    hair_curves(b, path, BW_NO_INDEX, counts, count, points, 2 * count);
}

/* Houdini's guide to Unreal's grooms: 1000 becomes 0, and says so. */
static void groups_are_numbered_without_gaps(void **state) {
    (void)state;
    static const int32_t ids[] = {2000, -7, 1000, 2000};
    static const char *const names[] = {"beard", "", "brow", "moustache"};
    hair_builder b;
    hair_fix f;
    hair_init(&b);
    comb(&b, "/hair", 4);
    hair_attribute(&b, "groom_group_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 4, ids);
    hair_texts(&b, "groom_group_name", BW_ALEMBIC_SCOPE_UNIFORM, 4, names);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    const bw_groom *g = f.groom;
    assert_int_equal(g->groups.count, 3);
    const uint32_t of[] = {2, 0, 1, 2};
    assert_memory_equal(g->group_of, of, sizeof of);
    assert_int_equal(g->groups.data[0].id, -7);
    assert_string_equal(g->groups.data[0].name, "Group_-7");
    assert_string_equal(g->groups.data[1].name, "brow");
    assert_string_equal(g->groups.data[2].name, "beard");
    assert_int_equal(hair_change(&f, "groups-renumbered"), 3);
    assert_int_equal(hair_change(&f, "group-names-differ"), 1);
    hair_close(&f);
    b.attributes[0].count = b.attributes[0].value_count = 0; /* names alone */
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_int_equal(f.groom->groups.count, 4);
    assert_string_equal(f.groom->groups.data[1].name, "beard"); /* the one without a name is number 0 */
    assert_int_equal(f.groom->group_of[0], 1);
    hair_close(&f);
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.group_by = BW_GROOM_GROUP_BY_NONE}, 1), BW_OK);
    assert_int_equal(f.groom->groups.count, 1);
    assert_null(f.groom->group_of);
    hair_close(&f);
}

static void groups_past_the_64th_become_one(void **state) {
    (void)state;
    int32_t ids[MANY];
    for (int i = 0; i < MANY; i++)
        ids[i] = i < 66 ? i : 65; /* the last is the largest */
    hair_builder b;
    hair_fix f;
    hair_init(&b);
    comb(&b, "/hair", MANY);
    hair_attribute(&b, "groom_group_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, MANY, ids);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    const bw_groom *g = f.groom;
    assert_int_equal(g->groups.count, 64);
    assert_int_equal(hair_change(&f, "groups-merged"), 3);
    assert_string_equal(g->groups.data[63].name, "Group_65");
    assert_int_equal(g->group_of[69], 63);
    assert_int_equal(g->group_of[62], 62);
    assert_int_equal(g->group_of[63], 62);
    assert_int_equal(g->group_of[64], 62);
    hair_close(&f);
}

/* https://github.com/ynput/ayon-maya/issues/72: several palettes in one file; https://github.com/EpicGames/BlenderTools/issues/557: no group ids. */
static void objects_become_groups_where_nothing_else_says(void **state) {
    (void)state;
    hair_builder b;
    hair_fix f;
    hair_init(&b);
    comb(&b, "/palettes/beard", 3);
    comb(&b, "/palettes/brow", 2);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_int_equal(f.groom->groups.count, 2);
    assert_string_equal(f.groom->groups.data[1].name, "brow");
    assert_int_equal(f.groom->group_of[2], 0);
    assert_int_equal(f.groom->group_of[3], 1);
    assert_int_equal(hair_change(&f, "groups-by-object"), 2);
    hair_close(&f);
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.group_by = BW_GROOM_GROUP_BY_ATTRIBUTE}, 1), BW_OK);
    assert_int_equal(f.groom->groups.count, 1);
    hair_close(&f);
    hair_init(&b); /* an object a hair means nothing */
    comb(&b, "/hair1", 1);
    comb(&b, "/hair2", 1);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_int_equal(f.groom->groups.count, 1);
    hair_close(&f);
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.group_by = BW_GROOM_GROUP_BY_OBJECT}, 1), BW_OK);
    assert_int_equal(f.groom->groups.count, 2);
    hair_close(&f);
}

/* https://blenderartists.org/t/1415778: guides as int8, int, bool or float, "guides" for "guide". */
static void guides_are_told_from_strands(void **state) {
    (void)state;
    static const uint8_t bytes[] = {0, 1, 0};
    static const int16_t words[] = {0, 1, 0};
    static const float floats[] = {0, 1, 0};
    static const int64_t longs[] = {0, 1, 0};
    static const uint16_t halves[] = {0, 0x3c00, 0};
    static const struct {
        const char *name;
        bw_alembic_pod pod;
        const void *values;
    } CASES[] = {{"groom_guide", BW_ALEMBIC_INT8, bytes},   {"groom_guide", BW_ALEMBIC_BOOL, bytes},
                 {"groom_guides", BW_ALEMBIC_INT16, words}, {"groom_guide", BW_ALEMBIC_FLOAT32, floats},
                 {"groom_guide", BW_ALEMBIC_INT64, longs},  {"groom_guide", BW_ALEMBIC_FLOAT16, halves}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        hair_builder b;
        hair_fix f;
        hair_init(&b);
        comb(&b, "/hair", 3);
        hair_attribute(&b, CASES[i].name, CASES[i].pod, 1, BW_ALEMBIC_SCOPE_UNIFORM, 3, CASES[i].values);
        assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
        const uint8_t wanted[] = {0, 1, 0};
        assert_memory_equal(f.groom->guides, wanted, 3);
        const bool narrow = CASES[i].pod == BW_ALEMBIC_INT8 || CASES[i].pod == BW_ALEMBIC_INT16;
        assert_int_equal(hair_change(&f, "attributes-retyped"), !narrow);
        assert_int_equal(hair_change(&f, "attributes-renamed"), i == 2);
        hair_close(&f);
    }
}

static void a_group_of_guides_alone_is_mended(void **state) {
    (void)state;
    static const int32_t groups[] = {0, 0, 1, 1}, guides[] = {0, 0, 1, 1}, three[] = {0, 1, 2, 2};
    static const char *const patterns[] = {"guides"};
    hair_builder b;
    hair_fix f;
    hair_init(&b);
    comb(&b, "/hair", 4);
    hair_attribute(&b, "groom_group_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 4, groups);
    hair_attribute(&b, "groom_guide", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 4, guides);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_int_equal(f.groom->groups.count, 1); /* one has strands: the guides are its own */
    assert_int_equal(f.groom->guides[3], 1);
    assert_int_equal(hair_change(&f, "guides-moved"), 2);
    hair_close(&f);
    b.attributes[0].bytes = (const uint8_t *)three;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_int_equal(f.groom->groups.count, 3); /* several have: whose they are is not known */
    assert_null(f.groom->guides);
    assert_int_equal(hair_change(&f, "guides-made-strands"), 2);
    hair_close(&f);
    hair_init(&b);
    comb(&b, "/hair", 3);
    comb(&b, "/guides", 2);
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.guide_objects = list(patterns, 1)}, 1), BW_OK);
    assert_int_equal(f.groom->groups.count, 1);
    const uint8_t wanted[] = {0, 0, 0, 1, 1};
    assert_memory_equal(f.groom->guides, wanted, 5);
    hair_close(&f);
}

/* Two objects that number their strands from 0 each, with guides of their own: every strand keeps its guides. */
static void closest_guides_follow_new_ids(void **state) {
    (void)state;
    static const int32_t ids[] = {0, 1, 2}, guide[] = {1, 0, 0}, group[] = {0};
    static const int32_t closest[] = {0, 0, 0, 0, 0, 0, 9, 0, 0};
    static const float weights[] = {1, 0, 0, 2, 1, 1, 1, 0, 0};
    hair_builder b;
    hair_fix f;
    hair_init(&b);
    for (int k = 0; k < 2; k++) {
        comb(&b, k ? "/right" : "/left", 3);
        hair_attribute(&b, "groom_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 3, ids);
        hair_attribute(&b, "groom_guide", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 3, guide);
        hair_attribute(&b, "groom_group_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_CONSTANT, 1, group);
        hair_attribute(&b, "groom_closest_guides", BW_ALEMBIC_INT32, 3, BW_ALEMBIC_SCOPE_UNIFORM, 3, closest);
        hair_attribute(&b, "groom_guide_weights", BW_ALEMBIC_FLOAT32, 3, BW_ALEMBIC_SCOPE_UNIFORM, 3, weights);
    }
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    const bw_groom *g = f.groom;
    const int32_t wanted[] = {0, 0, 0, 0, 0, 0, -1, -1, -1, 3, 3, 3, 3, 3, 3, -1, -1, -1};
    assert_memory_equal(g->closest_guides, wanted, sizeof wanted);
    const float halves[] = {0.5f, 0.25f, 0.25f};
    assert_memory_equal(g->guide_weights + 3, halves, sizeof halves);
    assert_int_equal(hair_change(&f, "closest-guides-replaced"), 2); /* 9 is the id of none */
    assert_int_equal(hair_change(&f, "guide-weights-normalised"), 2);
    hair_close(&f);
}

/* ---- sameness ---- */

static void threads_change_nothing(void **state) {
    (void)state;
    enum { STRANDS = 2000, CVS = 9 };
    int32_t *counts = malloc(STRANDS * sizeof *counts);
    float *points = malloc(sizeof *points * STRANDS * CVS * 3);
    assert_non_null(counts);
    assert_non_null(points);
    uint32_t noise = 1;
    for (int i = 0; i < STRANDS; i++) {
        counts[i] = i % 7 == 3 ? 1 : CVS;
    }
    for (int i = 0; i < STRANDS * CVS * 3; i++) {
        noise = noise * 1664525u + 1013904223u;
        points[i] = (float)(noise >> 8) / 1e6f;
    }
    uint64_t total = 0;
    for (int i = 0; i < STRANDS; i++)
        total += (uint64_t)counts[i];
    hair_builder b;
    hair_fix one, many;
    hair_init(&b);
    bwi_hair_curves *c = hair_curves(&b, "/hair", BW_NO_INDEX, counts, STRANDS, points, total);
    c->type = BWI_HAIR_CUBIC;
    c->basis = BWI_HAIR_CATMULL_ROM;
    hair_attribute(&b, "groom_width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, total, points);
    assert_int_equal(hair_repair(&one, &b, NULL, 1), BW_OK);
    assert_int_equal(hair_repair(&many, &b, NULL, 5), BW_OK);
    assert_int_equal(one.groom->point_count, many.groom->point_count);
    assert_memory_equal(one.groom->positions, many.groom->positions, one.groom->point_count * 12);
    assert_memory_equal(one.groom->widths, many.groom->widths, one.groom->point_count * 4);
    assert_true(one.measures.shape_error_cm == many.measures.shape_error_cm && one.measures.shape_error_cm > 0);
    assert_int_equal(one.changes.count, many.changes.count);
    hair_close(&one);
    hair_close(&many);
    free(counts);
    free(points);
}

/* Each allocation in turn is refused: the repair says so, and leaves nothing behind (the sanitizers would tell). */
static void memory_that_fails_is_told(void **state) {
    (void)state;
    static const int32_t counts[] = {6, 6};
    static const float points[36] = {0, 0, 0, 1, 2, 0, 2, 0, 0, 3, 1, 0, 4, 0, 0, 5, 5, 5, 1};
    static const int32_t ids[] = {4, 7};
    hair_builder b;
    hair_init(&b);
    bwi_hair_curves *c = hair_curves(&b, "/hair", BW_NO_INDEX, counts, 2, points, 12);
    c->type = BWI_HAIR_CUBIC;
    c->basis = BWI_HAIR_BSPLINE;
    hair_attribute(&b, "groom_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 2, ids);
    hair_attribute(&b, "Cd", BW_ALEMBIC_FLOAT32, 3, BW_ALEMBIC_SCOPE_VERTEX, 12, points);
    bool done = false;
    int failed = 0;
    for (int64_t k = 0; k < 1000 && !done; k++) {
        bwi_mem mem;
        bwi_mem_init(&mem, 0);
        bwi_arena *arena = bwi_arena_create(&mem);
        assert_non_null(arena);
        bwi_env env = {&mem, 1, NULL};
        bwi_warnings changes;
        bwi_groom_space space;
        bwi_groom_measures measures;
        bw_groom *groom = NULL;
        bw_error error;
        bwi_warnings_init(&changes, arena);
        assert_int_equal(bwi_groom_space_find(&space, arena, &b.hair, NULL, NULL), BW_OK);
        mem.fail_after = k;
        const bw_result result = bwi_groom_fix(&groom, &measures, &changes, arena, &b.hair, NULL, &space, &env, &error);
        assert_true(result == BW_OK ? groom != NULL : result == BW_ERR_MEMORY && groom == NULL);
        done = result == BW_OK;
        failed += !done;
        bwi_arena_free(arena);
        assert_int_equal(mem.used, 0);
    }
    assert_true(done && failed > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_go_one_by_one_and_attributes_with_them),
        cmocka_unit_test(counts_that_do_not_add_up),
        cmocka_unit_test(nothing_left_says_what_there_was),
        cmocka_unit_test(objects_are_chosen),
        cmocka_unit_test(groups_are_numbered_without_gaps),
        cmocka_unit_test(groups_past_the_64th_become_one),
        cmocka_unit_test(objects_become_groups_where_nothing_else_says),
        cmocka_unit_test(guides_are_told_from_strands),
        cmocka_unit_test(a_group_of_guides_alone_is_mended),
        cmocka_unit_test(closest_guides_follow_new_ids),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(memory_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
