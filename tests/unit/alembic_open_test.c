/* SPDX-License-Identifier: MIT
 * Opening archives: the head, metadata and times; what is no archive, cut off or unfinished; and memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alembic/alembic_priv.h"
#include "archive_builder.h"
#include "expect.h"

static void test_head(void **state) {
    (void)state;
    archive_builder b;
    bw_alembic *archive = NULL;
    archive_cloth(&b);
    assert_int_equal(bw_alembic_open_bytes(&archive, b.bytes, b.size, "cloth.abc", NULL, NULL), BW_OK);
    assert_string_equal(archive->path, "cloth.abc");
    assert_int_equal(archive->size, b.size);
    assert_int_equal(archive->library_version, 10812);
    assert_string_equal(archive->application, "archive_builder");
    assert_string_equal(archive->library, "made for tests");
    assert_null(archive->date);
    EXPECT1(archive->fps, 24.0, 0.0);
    assert_int_equal(archive->time_samplings.count, 3);
    const bw_alembic_time_sampling *samplings = archive->time_samplings.data;
    assert_int_equal(samplings[0].kind, BW_ALEMBIC_UNIFORM);
    assert_int_equal(samplings[1].kind, BW_ALEMBIC_UNIFORM);
    EXPECT1(samplings[1].time_per_cycle_s, 1.0 / 24.0, 0.0);
    EXPECT1(samplings[1].times_s.data[0], 1.0 / 24.0, 0.0);
    assert_int_equal(samplings[1].max_sample_count, 3);
    assert_int_equal(samplings[2].kind, BW_ALEMBIC_ACYCLIC);
    assert_int_equal(samplings[2].times_s.count, 3);
    EXPECT1(samplings[2].times_s.data[1], 0.5, 0.0);
    bw_free_alembic(archive);
    archive_free(&b);
}

static bw_result open_text(const char *text, size_t size, bw_error *error) {
    bw_alembic *archive = NULL;
    bw_result result = bw_alembic_open_bytes(&archive, text, size, "x.abc", NULL, error);
    assert_null(archive);
    return result;
}

static void test_other_formats(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t size; /* 0: strlen */
        bw_result result;
        const char *phrase;
    } CASES[] = {
        {"\x89HDF\r\n\x1a\nand more", 0, BW_ERR_UNRECOGNISED, "abcconvert -toOgawa"},
        {"version https://git-lfs.github.com/spec/v1\n", 0, BW_ERR_UNRECOGNISED, "git lfs pull"},
        {" \r\n<!DOCTYPE html><html>", 0, BW_ERR_UNRECOGNISED, "a web page"},
        {"<HTML>", 0, BW_ERR_UNRECOGNISED, "a web page"},
        {"glTF\2\0\0\0", 8, BW_ERR_UNRECOGNISED, "glTF"},
        {"{\"asset\":{}}", 0, BW_ERR_UNRECOGNISED, "JSON"},
        {"Kaydara FBX Binary  ", 0, BW_ERR_UNRECOGNISED, "FBX"},
        {"# Blender\no Cube\nv 1 1 1\n", 0, BW_ERR_UNRECOGNISED, "OBJ"},
        {"\x89PNG\r\n", 0, BW_ERR_UNRECOGNISED, "PNG"},
        {"PK\3\4", 0, BW_ERR_UNRECOGNISED, "ZIP"},
        {"PXR-USDC", 0, BW_ERR_UNRECOGNISED, "USD"},
        {"#usda 1.0", 0, BW_ERR_UNRECOGNISED, "USD"},
        {"ply\nformat", 0, BW_ERR_UNRECOGNISED, "PLY"},
        {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 19, BW_ERR_UNRECOGNISED, "zeros"},
        {"# just words\n", 0, BW_ERR_UNRECOGNISED, "starts with the bytes 23 20 6a 75 73"},
        {"ogawa\xff\0\1", 8, BW_ERR_UNRECOGNISED, "expected \"Ogawa\""},
        {"O", 1, BW_ERR_TRUNCATED, "ends after 1 bytes"},
        {"Ogawa\xff\0\1", 8, BW_ERR_TRUNCATED, "ends after 8 bytes"},
        {"", 0, BW_ERR_EMPTY, "is empty"},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        bw_error error;
        size_t size = CASES[i].size ? CASES[i].size : strlen(CASES[i].text);
        bw_result result = open_text(CASES[i].text, size, &error);
        if (result != CASES[i].result || !strstr(error.message, CASES[i].phrase))
            fail_msg("case %zu: %s: %s", i, bw_result_name(result), error.message);
    }
}

/* HDF5 may stand behind 512, 1024, 2048 … bytes, and nowhere else. */
static void test_hdf5_behind_a_block(void **state) {
    (void)state;
    static char text[5000];
    for (size_t at = 512; at <= 4096; at += 256) {
        bw_error error;
        memset(text, 'u', sizeof(text));
        memcpy(text + at, "\x89HDF\r\n\x1a\n", 8);
        bool doubled = at == 512 || at == 1024 || at == 2048 || at == 4096;
        assert_int_equal(open_text(text, sizeof(text), &error), BW_ERR_UNRECOGNISED);
        assert_int_equal(strstr(error.message, "abcconvert") != NULL, doubled);
    }
}

/* One byte of the head is put in, at an offset from its beginning. */
static void test_wrong_heads(void **state) {
    (void)state;
    static const struct {
        size_t offset;
        uint8_t byte;
        bw_result result;
        const char *phrase;
    } CASES[] = {
        {5, 0, BW_ERR_TRUNCATED, "never finished"},
        {5, 0x7f, BW_ERR_MALFORMED, "byte 5 is 0x7f"},
        {6, 1, BW_ERR_UNSUPPORTED, "version 257"},
        {7, 0, BW_ERR_UNSUPPORTED, "version 0"},
        {9, 0xff, BW_ERR_TRUNCATED, "expected the root group"},
        {15, 0x40, BW_ERR_TRUNCATED, "expected the root group"},
    };
    archive_builder b;
    archive_cloth(&b);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        bw_error error;
        uint8_t kept = b.bytes[CASES[i].offset];
        b.bytes[CASES[i].offset] = CASES[i].byte;
        bw_result result = open_text((const char *)b.bytes, b.size, &error);
        if (result != CASES[i].result || !strstr(error.message, CASES[i].phrase))
            fail_msg("case %zu: %s: %s", i, bw_result_name(result), error.message);
        b.bytes[CASES[i].offset] = kept;
    }
    archive_free(&b);
}

/* An archive with nothing but a top object. */
static bw_result open_with(const bw_alembic_time_sampling *samplings, size_t count, const char *metadata,
                           bw_error *error, bw_alembic **archive, archive_builder *b) {
    archive_part top;
    archive_begin(b);
    archive_object(b, &top, "ABC", metadata, 255, NULL, 0, NULL, 0);
    archive_end(b, &top, metadata, samplings, count, NULL, 0);
    return bw_alembic_open_bytes(archive, b->bytes, b->size, "x.abc", NULL, error);
}

static void test_times(void **state) {
    (void)state;
    static const double RISING[3] = {0.0, 0.25, 0.5};
    static const double LEVEL[3] = {0.0, 0.25, 0.25};
    static const double NAN_FIRST[1] = {(double)NAN};
    const struct {
        bw_alembic_time_sampling sampling;
        bw_alembic_time_kind kind;
        bw_result result;
    } CASES[] = {
        {{BW_ALEMBIC_CYCLIC, 1.0, {RISING, 3}, 0}, BW_ALEMBIC_CYCLIC, BW_OK},
        {{BW_ALEMBIC_CYCLIC, 0.5, {RISING, 3}, 0}, BW_ALEMBIC_CYCLIC, BW_OK},
        {{BW_ALEMBIC_CYCLIC, 0.4, {RISING, 3}, 0}, BW_ALEMBIC_CYCLIC, BW_ERR_MALFORMED},
        {{BW_ALEMBIC_CYCLIC, 1.0, {LEVEL, 3}, 0}, BW_ALEMBIC_CYCLIC, BW_ERR_MALFORMED},
        {{BW_ALEMBIC_ACYCLIC, BW_ALEMBIC_ACYCLIC_TIME, {RISING, 3}, 0}, BW_ALEMBIC_ACYCLIC, BW_OK},
        {{BW_ALEMBIC_ACYCLIC, BW_ALEMBIC_ACYCLIC_TIME, {RISING, 1}, 0}, BW_ALEMBIC_ACYCLIC, BW_OK},
        {{BW_ALEMBIC_ACYCLIC, BW_ALEMBIC_ACYCLIC_TIME, {LEVEL, 3}, 0}, BW_ALEMBIC_ACYCLIC, BW_ERR_MALFORMED},
        {{BW_ALEMBIC_UNIFORM, 0.0, {RISING, 1}, 0}, BW_ALEMBIC_UNIFORM, BW_ERR_MALFORMED},
        {{BW_ALEMBIC_UNIFORM, -1.0, {RISING, 1}, 0}, BW_ALEMBIC_UNIFORM, BW_ERR_MALFORMED},
        {{BW_ALEMBIC_UNIFORM, (double)NAN, {RISING, 1}, 0}, BW_ALEMBIC_UNIFORM, BW_ERR_MALFORMED},
        {{BW_ALEMBIC_UNIFORM, (double)INFINITY, {RISING, 1}, 0}, BW_ALEMBIC_UNIFORM, BW_ERR_MALFORMED},
        {{BW_ALEMBIC_UNIFORM, 1.0, {RISING, 0}, 0}, BW_ALEMBIC_UNIFORM, BW_ERR_MALFORMED},
        /* The reference library takes it. */
        {{BW_ALEMBIC_UNIFORM, 1.0, {NAN_FIRST, 1}, 0}, BW_ALEMBIC_UNIFORM, BW_OK},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        archive_builder b;
        bw_alembic *archive = NULL;
        bw_error error;
        bw_result result = open_with(&CASES[i].sampling, 1, "", &error, &archive, &b);
        if (result != CASES[i].result)
            fail_msg("case %zu: %s", i, bw_result_name(result));
        if (result == BW_OK)
            assert_int_equal(archive->time_samplings.data[0].kind, CASES[i].kind);
        bw_free_alembic(archive);
        archive_free(&b);
    }
}

static void test_metadata(void **state) {
    (void)state;
    archive_builder b;
    bw_alembic *archive = NULL;
    assert_int_equal(open_with(NULL, 0, "z=1;a=b=c;z=2;;word;empty=", NULL, &archive, &b), BW_OK);
    const bw_alembic_metadata *metadata = archive->metadata;
    assert_int_equal(metadata->count, 3);
    assert_string_equal(bw_alembic_meta_value(metadata, "z"), "1"); /* the first of two */
    assert_string_equal(bw_alembic_meta_value(metadata, "a"), "b=c");
    assert_string_equal(bw_alembic_meta_value(metadata, "empty"), "");
    assert_null(bw_alembic_meta_value(metadata, "word"));
    assert_string_equal(metadata->data[0].key, "a");
    assert_string_equal(metadata->text, "z=1;a=b=c;z=2;;word;empty=");
    bw_free_alembic(archive);
    archive_free(&b);
}

/* Reads all there is, in the manner of a caller who stops at the first failure. */
static bw_result read_properties(bw_alembic *archive, bw_alembic_property_list list, bw_error *error) {
    bw_result result = BW_OK;
    for (size_t i = 0; i < list.count && result == BW_OK; i++) {
        bw_alembic_property_list members;
        const bw_alembic_property *property = &list.data[i];
        const bool is_text = property->pod == BW_ALEMBIC_STRING || property->pod == BW_ALEMBIC_WSTRING;
        for (uint32_t k = 0; k < property->sample_count && result == BW_OK; k++) {
            bw_alembic_sample sample;
            bw_string_list *strings = NULL;
            result = is_text ? bw_alembic_read_strings(&strings, archive, property, k, error)
                             : bw_alembic_view(&sample, archive, property, k, error);
            bw_free_alembic_strings(strings);
        }
        if (result == BW_OK)
            result = bw_alembic_members(&members, archive, property, error);
        if (result == BW_OK)
            result = read_properties(archive, members, error);
    }
    return result;
}

static bw_result read_object(bw_alembic *archive, const bw_alembic_object *object, bw_error *error) {
    bw_alembic_object_list children = {0};
    bw_alembic_property_list properties = {0};
    bw_result result = bw_alembic_properties(&properties, archive, object, error);
    if (result == BW_OK)
        result = read_properties(archive, properties, error);
    if (result == BW_OK)
        result = bw_alembic_children(&children, archive, object, error);
    for (size_t i = 0; i < children.count && result == BW_OK; i++)
        result = read_object(archive, &children.data[i], error);
    return result;
}

/* Cut anywhere, an archive is refused: the root group comes last. */
static void test_every_truncation(void **state) {
    (void)state;
    archive_builder b;
    archive_cloth(&b);
    for (size_t size = 1; size < b.size; size++) {
        bw_error error;
        uint8_t *cut = malloc(size); /* of its own, so that a sanitizer sees a byte read too far */
        memcpy(cut, b.bytes, size);
        bw_result result = open_text((const char *)cut, size, &error);
        if (result != BW_ERR_TRUNCATED && result != BW_ERR_MALFORMED)
            fail_msg("%zu bytes: %s", size, bw_result_name(result));
        free(cut);
    }
    archive_free(&b);
}

/* Cut anywhere, with a root group that says otherwise: it is put where the file now ends.  Where its bytes happen to fill what is missing, verifying
 * finds out. */
static void test_every_truncation_with_a_root(void **state) {
    (void)state;
    archive_builder b;
    archive_cloth(&b);
    const size_t root = (size_t)bwi_alembic_u64(b.bytes + 8);
    const size_t root_size = b.size - root;
    for (size_t size = 16; size < root; size++) {
        bw_error error;
        bw_alembic *archive = NULL;
        uint8_t *cut = malloc(size + root_size);
        memcpy(cut, b.bytes, size);
        memcpy(cut + size, b.bytes + root, root_size);
        for (size_t i = 0; i < 8; i++)
            cut[8 + i] = (uint8_t)((uint64_t)size >> (8 * i));
        bw_result result = bw_alembic_open_bytes(&archive, cut, size + root_size, "x.abc", NULL, &error);
        if (result == BW_OK)
            result = read_object(archive, archive->top, &error);
        bw_alembic_report *report = NULL;
        if (result == BW_OK)
            result = bw_alembic_verify(&report, archive, NULL, &error);
        bw_free_alembic_report(report);
        if (result != BW_ERR_DIFFERS && result != BW_ERR_UNSUPPORTED && bw_result_exit_status(result) != 4)
            fail_msg("%zu bytes: %s", size, bw_result_name(result));
        bw_free_alembic(archive);
        free(cut);
    }
    archive_free(&b);
}

/* Memory that runs out at the k-th allocation gives an error that says so, until k is past all. */
static void test_every_failed_allocation(void **state) {
    (void)state;
    archive_builder b;
    bw_alembic *archive = NULL;
    archive_cloth(&b);
    int64_t k = 0;
    for (;; k++) {
        bw_error error;
        assert_int_equal(bw_alembic_open_bytes(&archive, b.bytes, b.size, "x.abc", NULL, NULL), BW_OK);
        bwi_arena_mem(archive->state->arena)->fail_after = k;
        bw_result result = BW_OK;
        /* Enough for many blocks of an arena. */
        for (int round = 0; round < 200 && result == BW_OK; round++)
            result = bwi_arena_alloc(archive->state->arena, 1, 1000) ? BW_OK : BW_ERR_MEMORY;
        if (result == BW_OK || k > 0)
            result = read_object(archive, archive->top, &error);
        bw_free_alembic(archive);
        archive = NULL;
        if (result == BW_OK)
            break;
        assert_int_equal(result, BW_ERR_MEMORY);
    }
    assert_true(k > 0);
    archive_free(&b);
}

/* A limit below what the lists of an archive need. */
static void test_memory_limit(void **state) {
    (void)state;
    archive_builder b;
    bw_error error;
    bw_result result = BW_OK;
    archive_cloth(&b);
    size_t refused = 0;
    for (uint64_t limit = 256; limit <= 1 << 20 && (result != BW_OK || limit == 256); limit *= 2) {
        const bw_run_opts run = {.memory_limit = limit};
        bw_alembic *archive = NULL;
        result = bw_alembic_open_bytes(&archive, b.bytes, b.size, "x.abc", &run, &error);
        if (result == BW_OK)
            result = read_object(archive, archive->top, &error);
        refused += result == BW_ERR_MEMORY;
        assert_true(result == BW_OK || result == BW_ERR_MEMORY);
        bw_free_alembic(archive);
    }
    assert_int_equal(result, BW_OK);
    assert_true(refused > 0);
    archive_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_other_formats),
        cmocka_unit_test(test_hdf5_behind_a_block),
        cmocka_unit_test(test_wrong_heads),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_every_truncation_with_a_root),
        cmocka_unit_test(test_every_failed_allocation),
        cmocka_unit_test(test_memory_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
