/* SPDX-License-Identifier: MIT
 * Archives that lie: claims of counts, circles, shared groups, missing samples, wrong names and strings.  Each is refused with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alembic/alembic_priv.h"
#include "archive_builder.h"

static const bw_alembic_time_sampling SAMPLING = {BW_ALEMBIC_UNIFORM, 1.0, {(const double[1]){0.0}, 1}, 1};

static void store(uint8_t *out, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static bw_alembic *finish(archive_builder *b, const archive_part *properties, size_t count) {
    archive_part top;
    bw_alembic *archive = NULL;
    archive_object(b, &top, "ABC", "", 255, properties, count, NULL, 0);
    archive_end(b, &top, "", &SAMPLING, 1, NULL, 0);
    bw_error error;
    if (bw_alembic_open_bytes(&archive, b->bytes, b->size, "x.abc", NULL, &error) != BW_OK)
        fail_msg("%s", error.message);
    return archive;
}

/* Writes an archive around a group that stands for the top object's. */
static bw_alembic *finish_top(archive_builder *b, uint64_t group) {
    const archive_part top = {.child = group};
    bw_alembic *archive = NULL;
    archive_end(b, &top, "", &SAMPLING, 1, NULL, 0);
    bw_error error;
    if (bw_alembic_open_bytes(&archive, b->bytes, b->size, "x.abc", NULL, &error) != BW_OK)
        fail_msg("%s", error.message);
    return archive;
}

static void expect(bw_result result, bw_result wanted, const bw_error *error, const char *phrase) {
    if (result != wanted || !strstr(error->message, phrase))
        fail_msg("%s: %s, wanted %s: %s", bw_result_name(result), error->message, bw_result_name(wanted), phrase);
}

/* One sample of a scalar or an array, and how looking at it ends. */
static void expect_sample(bw_alembic_kind kind, bw_alembic_pod pod, uint32_t extent, const archive_sample *sample,
                          bw_result wanted, const char *phrase) {
    archive_builder b;
    archive_part part;
    bw_error error = {0};
    bw_alembic_sample seen;
    bw_alembic_property_list list;
    archive_begin(&b);
    archive_simple(&b, &part, "p", "", kind, pod, extent, 0, &SAMPLING, sample, 1);
    bw_alembic *archive = finish(&b, &part, 1);
    assert_int_equal(bw_alembic_properties(&list, archive, archive->top, NULL), BW_OK);
    expect(bw_alembic_view(&seen, archive, &list.data[0], 0, &error), wanted, &error, phrase);
    bw_free_alembic(archive);
    archive_free(&b);
}

static void test_samples(void **state) {
    (void)state;
    static const uint8_t BYTES[24] = {1, 2, 3};
    static const uint64_t SIX[2] = {2, 3};
    static const uint64_t HUGE_2[2] = {UINT64_C(1) << 40, UINT64_C(1) << 40};
    static const uint64_t NONE_OF_MANY[3] = {UINT64_MAX, UINT64_MAX, 0};
    static const uint64_t MANY[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6};
    const bw_alembic_kind array = BW_ALEMBIC_ARRAY;
    const bw_alembic_kind scalar = BW_ALEMBIC_SCALAR;
    archive_sample six = {BYTES, 24, SIX, 2, 6};
    expect_sample(array, BW_ALEMBIC_INT32, 1, &six, BW_OK, "");
    expect_sample(array, BW_ALEMBIC_INT16, 1, &six, BW_ERR_MALFORMED, "ask for 6 points, expected the 12");
    expect_sample(array, BW_ALEMBIC_INT32, 5, &six, BW_ERR_MALFORMED, "no whole number of points of 5 int32");
    six.dimensions = HUGE_2;
    expect_sample(array, BW_ALEMBIC_INT32, 1, &six, BW_ERR_MALFORMED, "or more points");
    six = (archive_sample){BYTES, 24, MANY, 16, 6};
    expect_sample(array, BW_ALEMBIC_INT32, 1, &six, BW_OK, "");
    /* No points, whatever the other dimensions are. */
    const archive_sample none = {NULL, 0, NONE_OF_MANY, 3, 0};
    expect_sample(array, BW_ALEMBIC_INT32, 1, &none, BW_OK, "");
    const archive_sample three = {BYTES, 3, NULL, 0, 1};
    expect_sample(scalar, BW_ALEMBIC_UINT8, 3, &three, BW_OK, "");
    expect_sample(scalar, BW_ALEMBIC_UINT8, 1, &three, BW_ERR_MALFORMED, "has 3 values, expected the 1");
    expect_sample(scalar, BW_ALEMBIC_UINT16, 1, &three, BW_ERR_MALFORMED, "no whole number");
    expect_sample(scalar, BW_ALEMBIC_UINT8, 1, &none, BW_ERR_MALFORMED, "has 0 values, expected the 1");
}

static void test_strings(void **state) {
    (void)state;
    static const uint64_t TWO[1] = {2};
    static const uint64_t MANY[1] = {UINT64_C(1) << 62};
    archive_sample strings = {"ab\0cd", 6, TWO, 1, 2};
    expect_sample(BW_ALEMBIC_ARRAY, BW_ALEMBIC_STRING, 1, &strings, BW_OK, "");
    strings.size = 5; /* without its last zero */
    expect_sample(BW_ALEMBIC_ARRAY, BW_ALEMBIC_STRING, 1, &strings, BW_ERR_MALFORMED, "does not end, expected a zero");
    strings = (archive_sample){"ab\0cd", 6, MANY, 1, 2};
    expect_sample(BW_ALEMBIC_ARRAY, BW_ALEMBIC_STRING, 1, &strings, BW_ERR_MALFORMED, "expected the 2 that are stored");
    expect_sample(BW_ALEMBIC_SCALAR, BW_ALEMBIC_STRING, 1, &strings, BW_ERR_MALFORMED, "has 2 values, expected the 1");
    expect_sample(BW_ALEMBIC_ARRAY, BW_ALEMBIC_STRING, 3, &strings, BW_ERR_MALFORMED, "expected a multiple of the 3");
    strings = (archive_sample){"a\0\0\0\0\0\0", 7, NULL, 1, 1};
    expect_sample(BW_ALEMBIC_SCALAR, BW_ALEMBIC_WSTRING, 1, &strings, BW_ERR_MALFORMED, "a multiple of 4");
    strings = (archive_sample){"a\0\0\0b\0\0", 8, NULL, 1, 1};
    expect_sample(BW_ALEMBIC_SCALAR, BW_ALEMBIC_WSTRING, 1, &strings, BW_ERR_MALFORMED,
                  "does not end, expected a zero");
}

/* What is no Unicode: a high half alone and a low half alone; between them a character of its own. */
static void test_wide_strings_without_meaning(void **state) {
    (void)state;
    archive_builder b;
    archive_part part;
    bw_alembic_property_list list;
    bw_string_list *strings = NULL;
    uint8_t wide[16] = {0x00, 0xd8, 0, 0, 0x00, 0xdc, 1, 0, 0x01, 0xdc, 0, 0, 0, 0, 0, 0};
    const archive_sample sample = {wide, sizeof(wide), NULL, 0, 1};
    archive_begin(&b);
    archive_simple(&b, &part, "p", "", BW_ALEMBIC_SCALAR, BW_ALEMBIC_WSTRING, 1, 0, &SAMPLING, &sample, 1);
    bw_alembic *archive = finish(&b, &part, 1);
    assert_int_equal(bw_alembic_properties(&list, archive, archive->top, NULL), BW_OK);
    assert_int_equal(bw_alembic_read_strings(&strings, archive, &list.data[0], 0, NULL), BW_OK);
    assert_string_equal(strings->data[0], "\xef\xbf\xbd\xf0\x9d\xb0\x80\xef\xbf\xbd");
    bw_free_alembic_strings(strings);
    bw_free_alembic(archive);
    archive_free(&b);
}

/* A header says four thousand million samples; one is there.  Sizes that crafted files claim: https://github.com/alembic/alembic/issues/453. */
static void test_claimed_samples(void **state) {
    (void)state;
    archive_builder b;
    archive_part part;
    bw_error error;
    bw_alembic_sample seen;
    bw_alembic_property_list list;
    bw_alembic_report *report = NULL;
    static const uint8_t BYTES[4] = {1, 2, 3, 4};
    uint8_t header[16];
    const archive_sample sample = {BYTES, 4, NULL, 0, 1};
    archive_begin(&b);
    archive_simple(&b, &part, "p", "", BW_ALEMBIC_SCALAR, BW_ALEMBIC_INT32, 1, 0, &SAMPLING, &sample, 1);
    /* Numbers of 32 bits, no time sampling, no first and last: all samples differ. */
    store(header, 1u | 2u << 2 | 6u << 4 | 1u << 12, 4);
    store(header + 4, UINT32_MAX, 4);
    store(header + 8, 1, 4);
    header[12] = 'p';
    memcpy(part.header, header, 13);
    part.header_size = 13;
    bw_alembic *archive = finish(&b, &part, 1);
    assert_int_equal(bw_alembic_properties(&list, archive, archive->top, NULL), BW_OK);
    assert_int_equal(list.data[0].sample_count, UINT32_MAX);
    assert_int_equal(list.data[0].last_changed, UINT32_MAX - 1);
    assert_int_equal(bw_alembic_view(&seen, archive, &list.data[0], 0, NULL), BW_OK);
    expect(bw_alembic_view(&seen, archive, &list.data[0], 1, &error), BW_ERR_TRUNCATED, &error,
           "object /, property p, sample 1: is missing");
    expect(bw_alembic_view(&seen, archive, &list.data[0], UINT32_MAX - 1, &error), BW_ERR_TRUNCATED, &error, "missing");
    expect(bw_alembic_verify(&report, archive, NULL, &error), BW_ERR_DIFFERS, &error, "claims 4294967295 samples");
    bw_free_alembic_report(report);
    bw_free_alembic(archive);
    archive_free(&b);
}

/* Headers of properties with one thing wrong. */
static void test_headers(void **state) {
    (void)state;
    static const struct {
        uint32_t info;
        uint8_t rest[8];
        size_t rest_size;
        const char *phrase;
    } CASES[] = {
        {1u | 14u << 4 | 1u << 12, {1, 1, 'p'}, 3, "property p: is of type 14"},
        {1u | 6u << 4, {1, 1, 'p'}, 3, "property p: has 0 values a point"},
        {1u | 6u << 4 | 1u << 12 | 0x100, {1, 7, 1, 'p'}, 4, "uses time sampling 7"},
        {1u | 6u << 4 | 1u << 12 | 0x200, {5, 3, 2, 1, 'p'}, 5, "changes between its samples 3 and 2 of 5"},
        {1u | 6u << 4 | 1u << 12 | 0x200, {5, 1, 5, 1, 'p'}, 5, "changes between its samples 1 and 5 of 5"},
        {1u | 6u << 4 | 1u << 12 | 3u << 2, {1, 1, 'p'}, 3, "member 0 runs past the end"},
        {1u | 6u << 4 | 1u << 12, {1, 9, 'p'}, 3, "member 0 runs past the end"},
        {1u | 6u << 4 | 1u << 12, {1, 0}, 2, "a property's name is \"\" (empty)"},
        {1u | 6u << 4 | 1u << 12, {1, 3, 'a', '/', 'b'}, 5, "a property's name is \"a/b\""},
        {1u | 6u << 4 | 1u << 12, {1, 3, 'a', 0, 'b'}, 5, "with a zero byte inside"},
        {1u | 6u << 4 | 1u << 12 | 9u << 20, {1, 1, 'p'}, 3, "entry 9 of the metadata table"},
        {1u | 6u << 4 | 1u << 12 | 255u << 20, {1, 1, 'p', 9, 'x'}, 5, "member 0 runs past the end"},
        {0, {1}, 1, "member 0 runs past the end"},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        archive_builder b;
        archive_part part = {.header_size = 4 + CASES[i].rest_size};
        bw_error error;
        bw_alembic_property_list list;
        archive_begin(&b);
        store(part.header, CASES[i].info, 4);
        memcpy(part.header + 4, CASES[i].rest, CASES[i].rest_size);
        bw_alembic *archive = finish(&b, &part, 1);
        expect(bw_alembic_properties(&list, archive, archive->top, &error), BW_ERR_MALFORMED, &error, CASES[i].phrase);
        bw_free_alembic(archive);
        archive_free(&b);
    }
}

static size_t put_child_header(uint8_t *out, const char *name, size_t size) {
    store(out, size, 4);
    memcpy(out + 4, name, size);
    out[4 + size] = 0; /* the empty metadata */
    return 5 + size;
}

static void test_child_names(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t size;
        const char *phrase;
    } CASES[] = {
        {"a/b", 3, "object /: a child's name is \"a/b\", expected one without separators"},
        {"", 0, "(empty)"},
        {"a\0b", 3, "with a zero byte inside"},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        archive_builder b;
        uint8_t list[64];
        bw_error error;
        bw_alembic_object_list children;
        archive_begin(&b);
        size_t size = put_child_header(list, CASES[i].name, CASES[i].size);
        memset(list + size, 0, 32);
        const uint64_t words[3] = {0, 0, archive_data(&b, list, size + 32)};
        bw_alembic *archive = finish_top(&b, archive_group(&b, words, 3));
        expect(bw_alembic_children(&children, archive, archive->top, &error), BW_ERR_MALFORMED, &error,
               CASES[i].phrase);
        bw_free_alembic(archive);
        archive_free(&b);
    }
}

/* The list of children, and what is wrong with it. */
static void test_child_lists(void **state) {
    (void)state;
    archive_builder b;
    bw_error error;
    bw_alembic *archive;
    bw_alembic_object_list children;
    uint8_t list[64] = {0};
    size_t size = put_child_header(list, "a", 1);
    archive_begin(&b);
    uint64_t words[3] = {0, archive_data(&b, list, size + 32), 0};
    archive = finish_top(&b, archive_group(&b, words, 2)); /* a header more than there are groups */
    expect(bw_alembic_children(&children, archive, archive->top, &error), BW_ERR_MALFORMED, &error,
           "its list names 1 children, expected at most the 0");
    bw_free_alembic(archive);
    archive_free(&b);

    archive_begin(&b);
    store(list, 60, 4); /* a name that is longer than what is left */
    words[1] = archive_data(&b, list, size + 32);
    archive = finish_top(&b, archive_group(&b, words, 2));
    expect(bw_alembic_children(&children, archive, archive->top, &error), BW_ERR_MALFORMED, &error,
           "child 0 runs past the end");
    bw_free_alembic(archive);
    archive_free(&b);

    archive_begin(&b);
    words[1] = archive_data(&b, list, 31);
    archive = finish_top(&b, archive_group(&b, words, 2));
    expect(bw_alembic_children(&children, archive, archive->top, &error), BW_ERR_MALFORMED, &error,
           "takes 31 bytes, expected at least the 32");
    bw_free_alembic(archive);
    archive_free(&b);

    archive_begin(&b);
    archive = finish_top(&b, 0);
    expect(bw_alembic_children(&children, archive, archive->top, &error), BW_ERR_MALFORMED, &error, "holds 0 parts");
    bw_free_alembic(archive);
    archive_free(&b);
}

/* A child that is its own grandparent. */
static void test_circle(void **state) {
    (void)state;
    archive_builder b;
    bw_error error;
    bw_alembic_object_list children;
    bw_alembic_report *report = NULL;
    uint8_t list[64] = {0};
    archive_begin(&b);
    const size_t size = put_child_header(list, "a", 1) + 32;
    const uint64_t data = archive_data(&b, list, size);
    const uint64_t here = b.size;
    const uint64_t below = here + 8 + 3 * 8;
    const uint64_t upper[3] = {0, below, data};
    const uint64_t lower[3] = {0, here, data};
    (void)archive_group(&b, upper, 3);
    (void)archive_group(&b, lower, 3);
    bw_alembic *archive = finish_top(&b, here);
    const bw_alembic_object *object = archive->top;
    bw_result result = BW_OK;
    for (int i = 0; i < 5 && result == BW_OK; i++) {
        result = bw_alembic_children(&children, archive, object, &error);
        object = result == BW_OK ? children.data : object;
    }
    expect(result, BW_ERR_MALFORMED, &error, "object /a/a: is the same group as an object above it");
    assert_int_equal(bw_alembic_verify(&report, archive, NULL, NULL), BW_ERR_DIFFERS);
    size_t found = 0;
    for (size_t i = 0; i < report->findings.count; i++)
        found += report->findings.data[i].kind == BW_ALEMBIC_DAMAGE_STRUCTURE &&
                 strstr(report->findings.data[i].message, "circle") != NULL;
    assert_int_equal(found, 1);
    bw_free_alembic_report(report);
    bw_free_alembic(archive);
    archive_free(&b);
}

/* Each of 40 groups has the next one as two children: 2^40 objects in 2 kB.  The whole is refused soon, whatever way it is walked. */
static uint64_t count_objects(bw_alembic *archive, const bw_alembic_object *object, bw_result *last, bw_error *error) {
    bw_alembic_object_list children;
    *last = bw_alembic_children(&children, archive, object, error);
    uint64_t count = 1;
    for (size_t i = 0; *last == BW_OK && i < children.count; i++)
        count += count_objects(archive, &children.data[i], last, error);
    return count;
}

static void test_doubling(void **state) {
    (void)state;
    archive_builder b;
    bw_error error;
    bw_result result;
    uint8_t list[96] = {0};
    archive_begin(&b);
    size_t size = put_child_header(list, "a", 1);
    size += put_child_header(list + size, "b", 1) + 32;
    const uint64_t data = archive_data(&b, list, size);
    const uint64_t end[2] = {0, archive_data(&b, "01234567890123456789012345678901", 32)};
    uint64_t group = archive_group(&b, end, 2);
    for (int i = 0; i < 40; i++) {
        const uint64_t words[4] = {0, group, group, data};
        group = archive_group(&b, words, 4);
    }
    bw_alembic *archive = finish_top(&b, group);
    uint64_t count = count_objects(archive, archive->top, &result, &error);
    expect(result, BW_ERR_MALFORMED, &error, "unfold to more than the file's");
    assert_true(count < 200); /* a group of 40 bytes and its list of 50 in a file of 2 kB */
    bw_free_alembic(archive);
    archive_free(&b);
}

/* Compounds likewise. */
static void test_depth_of_compounds(void **state) {
    (void)state;
    archive_builder b;
    archive_part parts[2] = {0};
    archive_part top;
    bw_error error;
    bw_alembic *archive = NULL;
    bw_alembic_property_list members;
    archive_begin(&b);
    for (int i = 0; i < BWI_ALEMBIC_DEPTH_MAX + 1; i++) {
        parts[0] = parts[1];
        archive_compound(&b, &parts[1], "c", "", parts, i > 0 ? 1 : 0);
    }
    archive_object(&b, &top, "ABC", "", 255, &parts[1], 1, NULL, 0);
    archive_end(&b, &top, "", NULL, 0, NULL, 0);
    assert_int_equal(bw_alembic_open_bytes(&archive, b.bytes, b.size, "deep.abc", NULL, NULL), BW_OK);
    bw_result result = bw_alembic_properties(&members, archive, archive->top, &error);
    int depth = 0;
    for (; result == BW_OK && members.count > 0; depth++)
        result = bw_alembic_members(&members, archive, &members.data[0], &error);
    expect(result, BW_ERR_UNSUPPORTED, &error, "is nested 1001 deep, expected at most 1000; flatten the compounds");
    assert_int_equal(depth, BWI_ALEMBIC_DEPTH_MAX);
    bw_free_alembic(archive);
    archive_free(&b);
}

/* A chain deeper than is read; of the last level that is, the children can be listed. */
static void test_depth(void **state) {
    (void)state;
    archive_builder b;
    bw_error error;
    uint8_t list[64] = {0};
    const size_t size = put_child_header(list, "a", 1) + 32;
    archive_begin(&b);
    const uint64_t end[2] = {0, archive_data(&b, "01234567890123456789012345678901", 32)};
    uint64_t group = archive_group(&b, end, 2);
    for (int i = 0; i < BWI_ALEMBIC_DEPTH_MAX + 1; i++) {
        const uint64_t words[3] = {0, group, archive_data(&b, list, size)};
        group = archive_group(&b, words, 3);
    }
    bw_alembic *archive = finish_top(&b, group);
    bw_result result = BW_OK;
    uint64_t count = count_objects(archive, archive->top, &result, &error);
    expect(result, BW_ERR_UNSUPPORTED, &error, "is nested 1001 deep, expected at most 1000");
    assert_int_equal(count, BWI_ALEMBIC_DEPTH_MAX + 2);
    bw_free_alembic(archive);
    archive_free(&b);
}

/* A compound that holds itself, by way of another. */
static void test_compound_in_a_circle(void **state) {
    (void)state;
    archive_builder b;
    bw_error error;
    bw_alembic_property_list list;
    static const uint8_t HEADER[6] = {0, 0, 0, 0, 1, 'c'};
    archive_begin(&b);
    const uint64_t data = archive_data(&b, HEADER, sizeof(HEADER));
    const uint64_t here = b.size;
    const uint64_t words[2] = {here + 24, data};
    const uint64_t back[2] = {here, data};
    (void)archive_group(&b, words, 2);
    (void)archive_group(&b, back, 2);
    const uint64_t top[2] = {here, archive_data(&b, "01234567890123456789012345678901", 32)};
    bw_alembic *archive = finish_top(&b, archive_group(&b, top, 2));
    bw_result result = bw_alembic_properties(&list, archive, archive->top, &error);
    for (int i = 0; i < 9 && result == BW_OK; i++)
        result = bw_alembic_members(&list, archive, list.data, &error);
    expect(result, BW_ERR_MALFORMED, &error, "same group as a compound around it");
    bw_free_alembic(archive);
    archive_free(&b);
}

/* Every byte of an archive, and every word of eight, replaced: no call crashes, and none that fails says nothing. */
static void test_every_byte(void **state) {
    (void)state;
    static const uint8_t VALUES[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    archive_builder b;
    archive_cloth(&b);
    size_t damaged = 0;
    for (size_t at = 0; at < b.size; at++) {
        for (size_t k = 0; k < sizeof(VALUES); k++) {
            bw_alembic *archive = NULL;
            bw_alembic_report *report = NULL;
            bw_error error = {0};
            const uint8_t kept = b.bytes[at];
            b.bytes[at] = VALUES[k];
            bw_result result = bw_alembic_open_bytes(&archive, b.bytes, b.size, "x.abc", NULL, &error);
            if (result == BW_OK)
                result = bw_alembic_verify(&report, archive, NULL, &error);
            assert_true(result == BW_OK || error.message[0] != 0);
            damaged += result != BW_OK;
            bw_free_alembic_report(report);
            bw_free_alembic(archive);
            b.bytes[at] = kept;
        }
    }
    /* What no hash covers: 83 bytes of the archive's metadata, its head, unused times, and values that were the same before. */
    assert_true(damaged > b.size * sizeof(VALUES) * 3 / 5);
    archive_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_wide_strings_without_meaning),
        cmocka_unit_test(test_claimed_samples),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_child_names),
        cmocka_unit_test(test_child_lists),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_doubling),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_depth_of_compounds),
        cmocka_unit_test(test_compound_in_a_circle),
        cmocka_unit_test(test_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
