/* SPDX-License-Identifier: MIT
 * cyHair files: every array and every default, each place where a file can end, and sizes that are claimed. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "read/cyhair/cyhair.h"

enum { HEADER = 128, STRANDS = 3, POINTS = 7, ALL = 31, MAX_SIZE = HEADER + STRANDS * 2 + POINTS * 32 };

typedef struct hair_file {
    uint8_t bytes[MAX_SIZE];
    size_t size;
} hair_file;

static void put(hair_file *f, const void *bytes, size_t size) {
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static void put_u32(hair_file *f, uint32_t value) {
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    put(f, bytes, 4);
}

static void put_float(hair_file *f, float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    put_u32(f, bits);
}

/* Value k of an array that starts at 100, 200 …. */
static void put_floats(hair_file *f, int start, int count) {
    for (int k = 0; k < count; k++)
        put_float(f, (float)(start + k));
}

static void build(hair_file *f, unsigned arrays) {
    static const uint8_t segments[STRANDS * 2] = {1, 0, 2, 0, 1, 0}; /* points: 2 3 2 */
    static const char info[88] = "made by hand";
    f->size = 0;
    put(f, "HAIR", 4);
    put_u32(f, STRANDS);
    put_u32(f, POINTS);
    put_u32(f, arrays);
    put_u32(f, 4);
    put_float(f, 0.25f);
    put_float(f, 0.5f);
    put_floats(f, 7, 3);
    put(f, info, sizeof info);
    assert_int_equal(f->size, HEADER);
    if (arrays & 1)
        put(f, segments, sizeof segments);
    if (arrays & 2)
        put_floats(f, 100, POINTS * 3);
    if (arrays & 4)
        put_floats(f, 200, POINTS);
    if (arrays & 8)
        put_floats(f, 300, POINTS);
    if (arrays & 16)
        put_floats(f, 400, POINTS * 3);
}

/* From a block of its own, so that reading past its end shows under a sanitizer. */
static bw_result read_bytes(bwi_hair **hair, const uint8_t *bytes, size_t size, uint64_t limit, bw_error *error) {
    uint8_t *copy = malloc(size + !size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const bw_run_opts run = {.memory_limit = limit};
    *hair = NULL;
    bw_result result = bwi_read_cyhair(hair, "a.hair", copy, size, &run, error);
    free(copy);
    return result;
}

static bwi_hair *read_whole(const hair_file *f) {
    bwi_hair *hair;
    bw_error error = {0};
    if (read_bytes(&hair, f->bytes, f->size, 0, &error) != BW_OK)
        fail_msg("%s", error.message);
    return hair;
}

static const bwi_hair_attribute *find(const bwi_hair *hair, const char *name) {
    for (size_t k = 0; k < hair->attributes.count; k++)
        if (strcmp(hair->attributes.data[k].name, name) == 0)
            return &hair->attributes.data[k];
    return NULL;
}

static void expect_attribute(const bwi_hair *hair, const char *name, bwi_hair_place place, uint32_t extent, bool each,
                             double first) {
    const bwi_hair_attribute *a = find(hair, name);
    assert_non_null(a);
    assert_int_equal(a->place, place);
    assert_int_equal(a->extent, extent);
    assert_int_equal(a->scope, each ? BW_ALEMBIC_SCOPE_VERTEX : BW_ALEMBIC_SCOPE_CONSTANT);
    assert_int_equal(a->count, each ? POINTS : 1);
    for (uint64_t k = 0; k < a->count; k++)
        for (uint32_t i = 0; i < extent; i++)
            EXPECT1(bwi_hair_number(a, k, i), first + (double)(k * extent + i), 0);
}

static void arrays_are_read(void **state) {
    (void)state;
    hair_file f;
    build(&f, ALL);
    bwi_hair *hair = read_whole(&f);
    assert_string_equal(hair->format, "cyhair");
    assert_string_equal(hair->path, "a.hair");
    assert_string_equal(hair->made_by, "made by hand");
    assert_int_equal(hair->has_transform, false);
    assert_int_equal(hair->objects.count, 1);
    assert_int_equal(hair->objects.data[0].kind, BWI_HAIR_CURVES);
    assert_null(hair->objects.data[0].problem);
    const bwi_hair_curves *c = &hair->curves.data[0];
    const int32_t counts[STRANDS] = {2, 3, 2};
    float positions[POINTS * 3];
    assert_int_equal(c->curve_count, STRANDS);
    assert_memory_equal(c->counts, counts, sizeof counts);
    assert_int_equal(c->point_count, POINTS);
    assert_int_equal(c->type, BWI_HAIR_LINEAR);
    assert_int_equal(c->sample_count, 1);
    assert_int_equal(c->read(c->ctx, 0, positions, NULL), BW_OK);
    for (int k = 0; k < POINTS * 3; k++) {
        EXPECT1(c->positions[k], 100 + k, 0);
        EXPECT1(positions[k], 100 + k, 0);
    }
    assert_int_equal(c->attribute_count, 3);
    expect_attribute(hair, "width", BWI_HAIR_NATIVE, 1, true, 200);
    expect_attribute(hair, "transparency", BWI_HAIR_ARBITRARY, 1, true, 300);
    expect_attribute(hair, "groom_color", BWI_HAIR_ARBITRARY, 3, true, 400);
    bwi_hair_free(hair);
}

static void defaults_stand_for_arrays(void **state) {
    (void)state;
    hair_file f;
    build(&f, 2);
    bwi_hair *hair = read_whole(&f);
    for (int k = 0; k < STRANDS; k++)
        assert_int_equal(hair->curves.data[0].counts[k], 5); /* more than there are points: for lint to say */
    expect_attribute(hair, "width", BWI_HAIR_NATIVE, 1, false, 0.25);
    expect_attribute(hair, "transparency", BWI_HAIR_ARBITRARY, 1, false, 0.5);
    expect_attribute(hair, "groom_color", BWI_HAIR_ARBITRARY, 3, false, 7);
    bwi_hair_free(hair);
    /* A thickness of 0 is none. */
    memset(f.bytes + 20, 0, 4);
    hair = read_whole(&f);
    assert_null(find(hair, "width"));
    bwi_hair_free(hair);
    /* Nor are there points that are not there. */
    build(&f, 1);
    hair = read_whole(&f);
    assert_string_equal(hair->objects.data[0].problem, "it has no array of points");
    assert_int_equal(hair->curves.data[0].point_count, 0);
    assert_int_equal(hair->curves.data[0].sample_count, 0);
    bwi_hair_free(hair);
}

static void every_truncation_is_refused(void **state) {
    (void)state;
    for (unsigned arrays = 0; arrays <= ALL; arrays++) {
        hair_file f;
        build(&f, arrays);
        for (size_t size = 4; size < f.size; size++) {
            bwi_hair *hair;
            bw_error error = {0};
            assert_int_equal(read_bytes(&hair, f.bytes, size, 0, &error), BW_ERR_TRUNCATED);
            assert_null(hair);
            assert_int_equal(error.offset >= 0 && error.offset <= (int64_t)size, 1);
            assert_non_null(strstr(error.message, "a.hair: ends in its "));
        }
    }
}

static void claims_cost_nothing(void **state) {
    (void)state;
    hair_file f;
    bw_error error = {0};
    bwi_hair *hair;
    for (unsigned arrays = 0; arrays <= ALL; arrays++) {
        build(&f, arrays);
        memset(f.bytes + 4, 0xff, 8); /* 4,294,967,295 strands and points; no memory for them */
        bw_result result = read_bytes(&hair, f.bytes, f.size, 1 << 20, &error);
        /* Only a file without an array of points, or of anything a strand or a point, has nothing that is missing. */
        assert_int_equal(result, arrays & ALL ? BW_ERR_TRUNCATED : BW_OK);
        bwi_hair_free(result == BW_OK ? hair : NULL);
    }
    /* Without an array of them, strands are as many as points at most. */
    build(&f, 2);
    f.bytes[4] = POINTS + 1;
    assert_int_equal(read_bytes(&hair, f.bytes, f.size, 0, &error), BW_ERR_MALFORMED);
    assert_string_equal(error.message,
                        "a.hair: claims 8 strands of 7 points, expected a point or more a strand; export it again");
    /* So many segments that their points cannot be counted. */
    build(&f, 2);
    memset(f.bytes + 16, 0xff, 4);
    hair = read_whole(&f);
    assert_int_equal(hair->curves.data[0].counts[0], INT32_MAX);
    bwi_hair_free(hair);
}

static void too_little_memory_is_said(void **state) {
    (void)state;
    hair_file f;
    build(&f, ALL);
    bw_result result = BW_ERR_MEMORY;
    int failed = 0;
    for (uint64_t limit = 1; limit < 1 << 20 && result != BW_OK; limit += 64) {
        bwi_hair *hair;
        bw_error error = {0};
        result = read_bytes(&hair, f.bytes, f.size, limit, &error);
        if (result != BW_OK) {
            assert_int_equal(result, BW_ERR_MEMORY);
            assert_null(hair);
            failed++;
        }
        bwi_hair_free(hair);
    }
    assert_int_equal(result, BW_OK);
    assert_true(failed > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_read),
        cmocka_unit_test(defaults_stand_for_arrays),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(claims_cost_nothing),
        cmocka_unit_test(too_little_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
