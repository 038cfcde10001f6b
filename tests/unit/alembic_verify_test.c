/* SPDX-License-Identifier: MIT
 * Verifying: what rotted is named by object, property and sample, at the deepest place, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alembic/alembic_priv.h"
#include "archive_builder.h"

static size_t find_bytes(const archive_builder *b, const void *wanted, size_t size) {
    for (size_t at = 0; at + size <= b->size; at++) {
        if (memcmp(b->bytes + at, wanted, size) == 0)
            return at;
    }
    fail_msg("the bytes are not there");
    return 0;
}

static bw_result verify(bw_alembic_report **report, bw_alembic **archive, const archive_builder *b) {
    assert_int_equal(bw_alembic_open_bytes(archive, b->bytes, b->size, "cloth.abc", NULL, NULL), BW_OK);
    bw_error error = {0};
    bw_result result = bw_alembic_verify(report, *archive, NULL, &error);
    if (result == BW_ERR_DIFFERS)
        assert_non_null(strstr(error.message, "cloth.abc: "));
    return result;
}

static void test_whole(void **state) {
    (void)state;
    archive_builder b;
    bw_alembic *archive = NULL;
    bw_alembic_report *report = NULL;
    archive_cloth(&b);
    assert_int_equal(verify(&report, &archive, &b), BW_OK);
    assert_int_equal(report->finding_count, 0);
    assert_int_equal(report->object_count, 4);
    assert_int_equal(report->property_count, 11);
    assert_int_equal(report->sample_count, 13);
    /* 3 × 48 of P, 24 of .faceIndices, 8 of .faceCounts, 11 of names, 48 of grid, 20 of wide, 24 of big, 7 of .instanceSource. */
    assert_int_equal(report->byte_count, 144 + 24 + 8 + 11 + 48 + 20 + 24 + 7);
    bw_free_alembic_report(report);
    bw_free_alembic(archive);
    bw_free_alembic_report(NULL);
    archive_free(&b);
}

/* Changes one byte and expects one finding. */
static void expect_one(const void *around, size_t size, size_t at, bw_alembic_damage kind, const char *object,
                       const char *property, uint32_t sample) {
    archive_builder b;
    bw_alembic *archive = NULL;
    bw_alembic_report *report = NULL;
    archive_cloth(&b);
    b.bytes[find_bytes(&b, around, size) + at] ^= 0x40;
    assert_int_equal(verify(&report, &archive, &b), BW_ERR_DIFFERS);
    if (report->finding_count != 1)
        fail_msg("%zu findings, the first: %s", (size_t)report->finding_count, report->findings.data[0].message);
    const bw_alembic_finding *finding = &report->findings.data[0];
    assert_int_equal(finding->kind, kind);
    assert_string_equal(finding->object, object);
    assert_int_equal(finding->property != NULL, property != NULL);
    if (property)
        assert_string_equal(finding->property, property);
    assert_int_equal(finding->sample, sample);
    assert_true(finding->offset > 0);
    bw_free_alembic_report(report);
    bw_free_alembic(archive);
    archive_free(&b);
}

static void test_one_byte(void **state) {
    (void)state;
    static const float LAST_POINT[3] = {0, 1, -0.25f};
    static const int32_t INDICES[6] = {0, 2, 1, 0, 3, 2};
    expect_one(LAST_POINT, sizeof(LAST_POINT), 7, BW_ALEMBIC_DAMAGE_KEY, "/cloth/shape", ".geom/P", 2);
    expect_one(INDICES, sizeof(INDICES), 20, BW_ALEMBIC_DAMAGE_KEY, "/cloth/shape", ".geom/.faceIndices", 0);
    expect_one("left\0right", 11, 3, BW_ALEMBIC_DAMAGE_KEY, "/cloth/shape", ".geom/names", 0);
    expect_one("/cloth\0", 7, 3, BW_ALEMBIC_DAMAGE_KEY, "/again", ".instanceSource", 0);
    expect_one("grid", 4, 0, BW_ALEMBIC_DAMAGE_PROPERTIES, "/cloth/shape", NULL, BW_NO_INDEX);
    expect_one("geoScope=vtx", 12, 11, BW_ALEMBIC_DAMAGE_PROPERTIES, "/cloth/shape", NULL, BW_NO_INDEX);
    expect_one("again", 5, 2, BW_ALEMBIC_DAMAGE_CHILDREN, "/", NULL, BW_NO_INDEX);
    expect_one("AbcGeom_Xform_v3", 16, 15, BW_ALEMBIC_DAMAGE_CHILDREN, "/", NULL, BW_NO_INDEX);
    /* Only the deepest object that differs is named: not the top one too. */
    static const uint8_t SHAPE[9] = {5, 0, 0, 0, 's', 'h', 'a', 'p', 'e'};
    expect_one(SHAPE, sizeof(SHAPE), 5, BW_ALEMBIC_DAMAGE_CHILDREN, "/cloth", NULL, BW_NO_INDEX);
}

/* A sample that several properties share is checked once, and one that overlaps others is not hashed again and again. */
static void test_shared_bytes(void **state) {
    (void)state;
    enum { COUNT = 40, SIZE = 4096 };
    static const double ZERO[1] = {0.0};
    const bw_alembic_time_sampling sampling = {BW_ALEMBIC_UNIFORM, 1.0, {ZERO, 1}, 1};
    archive_builder b;
    archive_part parts[COUNT];
    archive_part top;
    bw_alembic *archive = NULL;
    bw_alembic_report *report = NULL;
    uint8_t *bytes = calloc(1, SIZE);
    char name[4] = "p00";
    archive_begin(&b);
    for (size_t i = 0; i < COUNT; i++) {
        const archive_sample sample = {bytes, i == 0 ? SIZE : 0, NULL, 1, i == 0 ? SIZE : 0};
        name[1] = (char)('a' + i / 10);
        name[2] = (char)('0' + i % 10);
        archive_simple(&b, &parts[i], name, "", BW_ALEMBIC_ARRAY, BW_ALEMBIC_UINT8, 1, 0, &sampling, &sample, 1);
        if (i > 0) { /* the group of the first one's sample, again */
            const uint64_t words[2] = {bwi_alembic_u64(b.bytes + parts[0].child + 8), UINT64_C(1) << 63};
            parts[i].child = archive_group(&b, words, 2);
        }
    }
    archive_object(&b, &top, "ABC", "", 255, parts, COUNT, NULL, 0);
    archive_end(&b, &top, "", &sampling, 1, NULL, 0);
    assert_int_equal(verify(&report, &archive, &b), BW_ERR_DIFFERS); /* the hashes are those of empty samples */
    assert_int_equal(report->finding_count, 1);
    assert_int_equal(report->sample_count, COUNT);
    assert_int_equal(report->byte_count, SIZE);
    bw_free_alembic_report(report);
    bw_free_alembic(archive);
    archive_free(&b);
    free(bytes);
}

/* An array without samples' values may have had rank 0, which its file does not tell; the hash does. */
static void test_rank_0(void **state) {
    (void)state;
    static const double ZERO[1] = {0.0};
    const bw_alembic_time_sampling sampling = {BW_ALEMBIC_UNIFORM, 1.0, {ZERO, 1}, 1};
    for (unsigned ranks = 0; ranks < 4; ranks++) {
        archive_builder b;
        archive_part parts[2];
        archive_part top;
        bw_alembic *archive = NULL;
        bw_alembic_report *report = NULL;
        archive_begin(&b);
        for (unsigned i = 0; i < 2; i++) {
            const archive_sample sample = {NULL, 0, NULL, ranks >> i & 1, 0};
            archive_simple(&b, &parts[i], i ? "q" : "p", "", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, 0, &sampling,
                           &sample, 1);
        }
        archive_object(&b, &top, "ABC", "", 255, parts, 2, NULL, 0);
        archive_end(&b, &top, "", &sampling, 1, NULL, 0);
        assert_int_equal(verify(&report, &archive, &b), BW_OK);
        bw_free_alembic_report(report);
        bw_free_alembic(archive);
        archive_free(&b);
    }
}

/* Ranks of more properties than are tried one by one: all 0, as an exporter of empty lists writes them, is tried too. */
static void test_rank_0_of_many(void **state) {
    (void)state;
    enum { COUNT = 9 };
    static const double ZERO[1] = {0.0};
    const bw_alembic_time_sampling sampling = {BW_ALEMBIC_UNIFORM, 1.0, {ZERO, 1}, 1};
    const archive_sample sample = {NULL, 0, NULL, 0, 0};
    archive_builder b;
    archive_part parts[COUNT];
    archive_part top;
    bw_alembic *archive = NULL;
    bw_alembic_report *report = NULL;
    archive_begin(&b);
    for (size_t i = 0; i < COUNT; i++) {
        const char name[2] = {(char)('a' + i), 0};
        archive_simple(&b, &parts[i], name, "", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, 0, &sampling, &sample, 1);
    }
    archive_object(&b, &top, "ABC", "", 255, parts, COUNT, NULL, 0);
    archive_end(&b, &top, "", &sampling, 1, NULL, 0);
    assert_int_equal(verify(&report, &archive, &b), BW_OK);
    bw_free_alembic_report(report);
    bw_free_alembic(archive);
    archive_free(&b);
}

/* An empty array that claims so many samples that both ranks cannot be tried: it was called whole, whatever its hash. */
static void test_rank_0_of_too_many_samples(void **state) {
    (void)state;
    static const double ZERO[1] = {0.0};
    const bw_alembic_time_sampling sampling = {BW_ALEMBIC_UNIFORM, 1.0, {ZERO, 1}, 1};
    const archive_sample sample = {NULL, 0, NULL, 1, 0};
    /* Array, numbers of 4 bytes, float32, a time sampling, constant, extent 1, metadata in place; 10,000,000 samples. */
    static const uint8_t HEADER[] = {0xAA, 0x19, 0xF0, 0x0F, 0x80, 0x96, 0x98, 0, 0, 0, 0,
                                     0,    1,    0,    0,    0,    'p',  0,    0, 0, 0};
    archive_builder b;
    archive_part part;
    archive_part top;
    bw_alembic *archive = NULL;
    bw_alembic_report *report = NULL;
    archive_begin(&b);
    archive_simple(&b, &part, "p", "", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 1, 0, &sampling, &sample, 1);
    memcpy(part.header, HEADER, sizeof(HEADER));
    part.header_size = sizeof(HEADER);
    archive_object(&b, &top, "ABC", "", 255, &part, 1, NULL, 0);
    archive_end(&b, &top, "", &sampling, 1, NULL, 0);
    assert_int_equal(verify(&report, &archive, &b), BW_ERR_DIFFERS);
    assert_int_equal(report->finding_count, 1);
    assert_int_equal(report->findings.data[0].kind, BW_ALEMBIC_DAMAGE_STRUCTURE);
    assert_non_null(strstr(report->findings.data[0].message, "was not checked"));
    bw_free_alembic_report(report);
    bw_free_alembic(archive);
    archive_free(&b);
}

/* Two siblings of one name: the second cannot be found. */
static void test_names_twice(void **state) {
    (void)state;
    archive_builder b;
    archive_part objects[3];
    archive_part top;
    bw_alembic *archive = NULL;
    bw_alembic_report *report = NULL;
    archive_begin(&b);
    archive_object(&b, &objects[0], "a", "", 255, NULL, 0, NULL, 0);
    archive_object(&b, &objects[1], "b", "", 255, NULL, 0, NULL, 0);
    archive_object(&b, &objects[2], "a", "", 255, NULL, 0, NULL, 0);
    archive_object(&b, &top, "ABC", "", 255, NULL, 0, objects, 3);
    archive_end(&b, &top, "", NULL, 0, NULL, 0);
    assert_int_equal(verify(&report, &archive, &b), BW_ERR_DIFFERS);
    assert_int_equal(report->finding_count, 1);
    assert_int_equal(report->findings.data[0].kind, BW_ALEMBIC_DAMAGE_STRUCTURE);
    assert_string_equal(report->findings.data[0].object, "/a");
    assert_non_null(strstr(report->findings.data[0].message, "the name of a sibling"));
    bw_free_alembic_report(report);
    bw_free_alembic(archive);
    archive_free(&b);
}

static bool stop(void *ctx, const char *phase, uint64_t done, uint64_t total) {
    assert_string_equal(phase, "verify");
    assert_true(done <= total);
    return ++*(int *)ctx < 3;
}

static void test_cancelled(void **state) {
    (void)state;
    archive_builder b;
    bw_alembic *archive = NULL;
    bw_alembic_report *report = NULL;
    bw_error error;
    int calls = 0;
    const bw_run_opts run = {.progress = stop, .progress_ctx = &calls};
    archive_cloth(&b);
    assert_int_equal(bw_alembic_open_bytes(&archive, b.bytes, b.size, "x.abc", NULL, NULL), BW_OK);
    assert_int_equal(bw_alembic_verify(&report, archive, &run, &error), BW_ERR_CANCELLED);
    assert_null(report);
    assert_int_equal(calls, 3);
    bw_free_alembic(archive);
    archive_free(&b);
}

static void test_memory(void **state) {
    (void)state;
    archive_builder b;
    bw_alembic *archive = NULL;
    bw_alembic_report *report = NULL;
    bw_error error;
    size_t refused = 0;
    bw_result result = BW_ERR_MEMORY;
    archive_cloth(&b);
    assert_int_equal(bw_alembic_open_bytes(&archive, b.bytes, b.size, "x.abc", NULL, NULL), BW_OK);
    for (uint64_t limit = 1024; result == BW_ERR_MEMORY && limit < 1 << 24; limit *= 2) {
        const bw_run_opts run = {.memory_limit = limit};
        result = bw_alembic_verify(&report, archive, &run, &error);
        refused += result == BW_ERR_MEMORY;
    }
    assert_int_equal(result, BW_OK);
    assert_true(refused > 0);
    bw_free_alembic_report(report);
    bw_free_alembic(archive);
    archive_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_one_byte),
        cmocka_unit_test(test_shared_bytes),
        cmocka_unit_test(test_rank_0),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_names_twice),
        cmocka_unit_test(test_rank_0_of_many),
        cmocka_unit_test(test_rank_0_of_too_many_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
