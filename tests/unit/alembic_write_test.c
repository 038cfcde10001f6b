/* SPDX-License-Identifier: MIT
 * Writing archives: what is stored of samples, what is refused, and that nothing half appears. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "alembic/alembic_write_priv.h"

static char folder[64], path[96];

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/bakewell-alembic-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a.abc", folder);
    return 0;
}

static size_t count_files(void) {
    DIR *opened = opendir(folder);
    size_t count = 0;
    assert_non_null(opened);
    while (readdir(opened))
        count++;
    closedir(opened);
    return count - 2; /* . and .. */
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void expect_ok(bw_result result, const bw_error *error, int line) {
    if (result != BW_OK)
        fail_msg("line %d: %s: %s", line, bw_result_name(result), error->message);
}
#define OK(call)                             \
    do {                                     \
        bw_error error = {0};                \
        expect_ok((call), &error, __LINE__); \
    } while (0)

static bw_alembic_writer *begin(void) {
    bw_alembic_writer *writer = NULL;
    OK(bw_alembic_create(&writer, path, NULL, &error));
    return writer;
}

static bw_alembic *finish(bw_alembic_writer *writer) {
    bw_alembic *archive = NULL;
    OK(bw_alembic_finish(writer, &error));
    bw_free_alembic_writer(writer);
    OK(bw_alembic_open(&archive, path, NULL, &error));
    bw_alembic_report *report = NULL;
    OK(bw_alembic_verify(&report, archive, NULL, &error));
    bw_free_alembic_report(report);
    return archive;
}

static bw_alembic_id add(bw_alembic_writer *writer, bw_alembic_id parent, const char *name, bw_alembic_kind kind,
                         bw_alembic_pod pod, uint32_t extent) {
    const bw_alembic_property_opts opts = {.kind = kind, .pod = pod, .extent = extent};
    bw_alembic_id id = 0;
    OK(bw_alembic_add_property(&id, writer, parent, name, &opts, &error));
    return id;
}

static const bw_alembic_property *find(bw_alembic *archive, const char *object_path, const char *property_path) {
    const bw_alembic_object *object = NULL;
    const bw_alembic_property *property = NULL;
    OK(bw_alembic_find_object(&object, archive, object_path, &error));
    assert_non_null(object);
    OK(bw_alembic_find_property(&property, archive, object, property_path, &error));
    assert_non_null(property);
    return property;
}

static bw_alembic_sample view(bw_alembic *archive, const bw_alembic_property *property, uint32_t index) {
    bw_alembic_sample sample;
    OK(bw_alembic_view(&sample, archive, property, index, &error));
    return sample;
}

/* ---- what is written ---- */

static void test_empty(void **state) {
    (void)state;
    bw_alembic *archive = finish(begin());
    assert_string_equal(archive->metadata->text, "_ai_AlembicVersion=Alembic 1.8.12 (Bakewell)");
    assert_int_equal(archive->library_version, 10812);
    assert_int_equal(archive->time_samplings.count, 1);
    assert_true(archive->time_samplings.data[0].time_per_cycle_s == 1 &&
                archive->time_samplings.data[0].times_s.data[0] == 0);
    assert_int_equal(archive->time_samplings.data[0].max_sample_count, 0);
    bw_free_alembic(archive);
    assert_int_equal(count_files(), 1);
}

/* Pairs are sorted, those without a value left out; text stays as it is. */
static void test_metadata(void **state) {
    (void)state;
    const bw_alembic_meta pairs[] = {{"zebra", "1"}, {"empty", ""}, {"_ai_Application", "a test"}};
    const bw_alembic_metadata of_archive = {.data = pairs, .count = 3};
    const bw_alembic_write_opts opts = {.metadata = &of_archive};
    bw_alembic_writer *writer = NULL;
    OK(bw_alembic_create(&writer, path, &opts, &error));
    const bw_alembic_metadata text = {.text = "b=2;;a=1;b=3", .text_size = 12};
    bw_alembic_id object;
    OK(bw_alembic_add_object(&object, writer, BW_ALEMBIC_TOP, "o", &text, &error));
    bw_alembic *archive = finish(writer);
    assert_string_equal(archive->metadata->text,
                        "_ai_AlembicVersion=Alembic 1.8.12 (Bakewell);_ai_Application=a test;zebra=1");
    const bw_alembic_object *found = NULL;
    OK(bw_alembic_find_object(&found, archive, "/o", &error));
    assert_string_equal(found->metadata->text, "b=2;;a=1;b=3");
    bw_free_alembic(archive);
}

/* Samples as letters, and what the header must say of them. */
static void test_compaction(void **state) {
    (void)state;
    static const struct {
        const char *samples;
        uint32_t first, last;
    } CASES[] = {{"", 0, 0},         {"a", 0, 0},        {"aaaaaaaaa", 0, 0}, {"ab", 1, 1},
                 {"aab", 2, 2},      {"abb", 1, 1},      {"abcd", 1, 3},      {"aabbcc", 2, 4},
                 {"abababab", 1, 7}, {"aaaabaaa", 4, 5}, {"aba", 1, 2},       {"abbbba", 1, 5}};
    enum { COUNT = sizeof CASES / sizeof CASES[0] };
    bw_alembic_writer *writer = begin();
    for (uint32_t way = 0; way < 2; way++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            char name[16];
            snprintf(name, sizeof name, "%c%u", way ? 'r' : 'p', i);
            const bw_alembic_id id =
                add(writer, BW_ALEMBIC_TOP, name, way ? BW_ALEMBIC_ARRAY : BW_ALEMBIC_SCALAR, BW_ALEMBIC_INT32, 1);
            for (const char *c = CASES[i].samples; *c; c++) {
                const int32_t values[2] = {*c, -*c};
                if (way && c > CASES[i].samples && c[-1] == *c)
                    OK(bw_alembic_repeat(writer, id, &error));
                else
                    OK(bw_alembic_put(writer, id, values, way ? 2 : 1, &error));
            }
        }
    }
    bw_alembic *archive = finish(writer);
    /* The nine that stay the same count as one. */
    assert_int_equal(archive->time_samplings.data[0].max_sample_count, 8);
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "%c%u", i < COUNT ? 'p' : 'r', i % COUNT);
        const bw_alembic_property *property = find(archive, "/", name);
        const char *samples = CASES[i % COUNT].samples;
        assert_int_equal(property->sample_count, strlen(samples));
        assert_int_equal(property->first_changed, CASES[i % COUNT].first);
        assert_int_equal(property->last_changed, CASES[i % COUNT].last);
        for (uint32_t k = 0; samples[k]; k++) {
            int32_t values[2];
            OK(bw_alembic_read(values, sizeof values, archive, property, k, &error));
            assert_int_equal(values[0], samples[k]);
        }
    }
    bw_free_alembic(archive);
}

/* An array of which every sample has one point says so; one sample with another number takes it back. */
static void test_scalar_like(void **state) {
    (void)state;
    bw_alembic_writer *writer = begin();
    const float values[6] = {1, 2, 3, 4, 5, 6};
    const bw_alembic_id one = add(writer, 0, "one", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3);
    const bw_alembic_id two = add(writer, 0, "two", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3);
    const bw_alembic_id none = add(writer, 0, "none", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3);
    OK(bw_alembic_put(writer, one, values, 1, &error));
    OK(bw_alembic_put(writer, one, values + 3, 1, &error));
    OK(bw_alembic_put(writer, two, values, 1, &error));
    OK(bw_alembic_put(writer, two, values, 2, &error));
    OK(bw_alembic_put(writer, none, NULL, 0, &error));
    bw_alembic *archive = finish(writer);
    assert_true(find(archive, "/", "one")->scalar_like);
    assert_false(find(archive, "/", "two")->scalar_like);
    assert_false(find(archive, "/", "none")->scalar_like);
    const bw_alembic_sample empty = view(archive, find(archive, "/", "none"), 0);
    assert_int_equal(empty.size, 0);
    assert_int_equal(empty.offset, 0);
    bw_free_alembic(archive);
}

static void test_dimensions(void **state) {
    (void)state;
    bw_alembic_writer *writer = begin();
    const uint16_t values[24] = {7};
    const bw_alembic_id id = add(writer, 0, "grid", BW_ALEMBIC_ARRAY, BW_ALEMBIC_UINT16, 2);
    bw_alembic_sample sample = {
        .bytes = (const uint8_t *)values, .size = sizeof values, .rank = 3, .dimensions = {2, 3, 2}};
    OK(bw_alembic_put_sample(writer, id, &sample, &error));
    /* The same bytes in another shape are another sample. */
    sample.dimensions[0] = 3, sample.dimensions[1] = 2;
    OK(bw_alembic_put_sample(writer, id, &sample, &error));
    sample.dimensions[2] = 3;
    assert_int_equal(bw_alembic_put_sample(writer, id, &sample, NULL), BW_ERR_USAGE);
    sample.dimensions[0] = UINT64_C(1) << 63, sample.dimensions[1] = 24;
    assert_int_equal(bw_alembic_put_sample(writer, id, &sample, NULL), BW_ERR_USAGE);
    bw_alembic *archive = finish(writer);
    const bw_alembic_property *grid = find(archive, "/", "grid");
    assert_int_equal(grid->sample_count, 2);
    const bw_alembic_sample first = view(archive, grid, 0), second = view(archive, grid, 1);
    assert_int_equal(first.rank, 3);
    assert_int_equal(first.dimensions[1], 3);
    assert_int_equal(second.dimensions[1], 2);
    assert_int_equal(first.offset, second.offset);
    bw_free_alembic(archive);
}

static void test_strings(void **state) {
    (void)state;
    bw_alembic_writer *writer = begin();
    static const char *const NAMES[] = {"", "one", "\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x90\x91", "four"};
    const bw_alembic_id narrow = add(writer, 0, "narrow", BW_ALEMBIC_ARRAY, BW_ALEMBIC_STRING, 1);
    const bw_alembic_id wide = add(writer, 0, "wide", BW_ALEMBIC_ARRAY, BW_ALEMBIC_WSTRING, 2);
    const bw_alembic_id single = add(writer, 0, "single", BW_ALEMBIC_SCALAR, BW_ALEMBIC_STRING, 1);
    OK(bw_alembic_put_strings(writer, narrow, NAMES, 4, &error));
    OK(bw_alembic_put_strings(writer, narrow, NULL, 0, &error));
    OK(bw_alembic_put_strings(writer, wide, NAMES, 4, &error));
    OK(bw_alembic_put_strings(writer, single, NAMES + 1, 1, &error));
    static const char *const WRONG[] = {"\xC3", "\xED\xA0\x80", "\xC0\x80", "\xF4\x90\x80\x80", "\x80", "\xFF"};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        const char *const pair[2] = {"good", WRONG[i]};
        assert_int_equal(bw_alembic_put_strings(writer, wide, pair, 2, NULL), BW_ERR_USAGE);
    }
    assert_int_equal(bw_alembic_put_strings(writer, wide, NAMES, 3, NULL), BW_ERR_USAGE);
    assert_int_equal(bw_alembic_put_strings(writer, single, NAMES, 2, NULL), BW_ERR_USAGE);
    assert_int_equal(
        bw_alembic_put_sample(writer, narrow, &(bw_alembic_sample){.bytes = (const uint8_t *)"ab", .size = 2}, NULL),
        BW_ERR_USAGE);
    assert_int_equal(bw_alembic_put_sample(writer, wide,
                                           &(bw_alembic_sample){.bytes = (const uint8_t *)"a\0\0\0\0\0\0", .size = 7},
                                           NULL),
                     BW_ERR_USAGE);
    bw_alembic *archive = finish(writer);
    static const char *const PROPERTIES[] = {"narrow", "wide"};
    for (int i = 0; i < 2; i++) {
        bw_string_list *read = NULL;
        OK(bw_alembic_read_strings(&read, archive, find(archive, "/", PROPERTIES[i]), 0, &error));
        assert_int_equal(read->count, 4);
        for (size_t k = 0; k < 4; k++)
            assert_string_equal(read->data[k], NAMES[k]);
        bw_free_alembic_strings(read);
    }
    assert_int_equal(view(archive, find(archive, "/", "narrow"), 1).point_count, 0);
    assert_int_equal(view(archive, find(archive, "/", "wide"), 0).point_count, 2);
    bw_free_alembic(archive);
}

/* Wide strings of equal length that begin alike have equal keys; the reference library takes them for equal, and loses the second. */
static void test_wide_strings_with_equal_keys(void **state) {
    (void)state;
    bw_alembic_writer *writer = begin();
    static const char *const FIRST[] = {"the same beginning, left"}, *const SECOND[] = {"the same beginning, turn"};
    const bw_alembic_id a = add(writer, 0, "a", BW_ALEMBIC_SCALAR, BW_ALEMBIC_WSTRING, 1);
    const bw_alembic_id b = add(writer, 0, "b", BW_ALEMBIC_SCALAR, BW_ALEMBIC_WSTRING, 1);
    OK(bw_alembic_put_strings(writer, a, FIRST, 1, &error));
    OK(bw_alembic_put_strings(writer, a, SECOND, 1, &error));
    OK(bw_alembic_put_strings(writer, b, SECOND, 1, &error));
    bw_alembic *archive = finish(writer);
    const bw_alembic_sample first = view(archive, find(archive, "/", "a"), 0),
                            second = view(archive, find(archive, "/", "a"), 1);
    assert_memory_equal(first.key, second.key, 16);
    assert_memory_not_equal(first.bytes, second.bytes, first.size);
    assert_int_equal(view(archive, find(archive, "/", "b"), 0).offset, second.offset);
    bw_free_alembic(archive);
}

static uint64_t file_size(void) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return (uint64_t)status.st_size;
}

/* Samples of a megabyte are found again on the disk, small ones in memory; memory does not grow with the file. */
static void test_sharing_and_streaming(void **state) {
    (void)state;
    enum { VALUES = 300000, FRAMES = 24 };
    const bw_alembic_write_opts opts = {.run = {.memory_limit = UINT64_C(2) << 20}};
    bw_alembic_writer *writer = NULL;
    OK(bw_alembic_create(&writer, path, &opts, &error));
    const bw_alembic_id a = add(writer, 0, "a", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3);
    const bw_alembic_id b = add(writer, 0, "b", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1);
    uint32_t *values = calloc(VALUES, sizeof *values);
    assert_non_null(values);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t i = 0; i < VALUES; i++)
            values[i] = i * (frame % 2 + 1) + frame / 12;
        OK(bw_alembic_put(writer, a, values, VALUES / 3, &error));
        OK(bw_alembic_put(writer, b, values, VALUES, &error));
        OK(bw_alembic_put(writer, b, values, 100, &error));
    }
    assert_true(writer->mem.peak <= UINT64_C(2) << 20);
    bw_alembic *archive = finish(writer);
    /* Two kinds of frame in each half: four large samples, four small. */
    assert_in_range(file_size(), 4 * (sizeof(uint32_t) * VALUES + 400), 4 * (sizeof(uint32_t) * VALUES + 400) + 4096);
    const bw_alembic_property *of_a = find(archive, "/", "a");
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        OK(bw_alembic_read(values, VALUES * sizeof *values, archive, of_a, frame, &error));
        assert_int_equal(values[VALUES - 1], (VALUES - 1) * (frame % 2 + 1) + frame / 12);
    }
    free(values);
    bw_free_alembic(archive);
}

/* What alembic_write.h promises of a property's memory; just past a power of two, where the most of it is free. */
static void test_memory_of_samples(void **state) {
    (void)state;
    enum { SAMPLES = (1 << 16) + 1 };
    bw_alembic_writer *writer = begin();
    const uint64_t before = writer->mem.peak;
    const bw_alembic_id id = add(writer, 0, "p", BW_ALEMBIC_SCALAR, BW_ALEMBIC_INT32, 1);
    for (int32_t i = 0; i < SAMPLES; i++)
        OK(bw_alembic_put(writer, id, &(int32_t){i % 2}, 1, &error));
    assert_in_range(writer->mem.peak - before, 8 * SAMPLES, 16 * SAMPLES);
    OK(bw_alembic_end(writer, id, &error));
    bw_free_alembic(finish(writer));
}

/* The small numbers of headers are as wide as the largest of them asks for. */
static void test_widths(void **state) {
    (void)state;
    static char name[70001], text[70001];
    memset(name, 'n', 70000);
    memset(text, 't', 70000);
    text[1] = '=';
    static const uint32_t SIZES[] = {1, 255, 256, 65535, 65536, 70000};
    enum { COUNT = sizeof SIZES / sizeof SIZES[0] };
    bw_alembic_writer *writer = begin();
    bw_alembic_id by_meta, by_name, by_count;
    OK(bw_alembic_add_object(&by_meta, writer, 0, "metadata", NULL, &error));
    OK(bw_alembic_add_object(&by_name, writer, 0, "names", NULL, &error));
    OK(bw_alembic_add_object(&by_count, writer, 0, "counts", NULL, &error));
    for (uint32_t i = 0; i < COUNT; i++) {
        char number[16];
        snprintf(number, sizeof number, "p%u", i);
        const bw_alembic_metadata metadata = {.text = text, .text_size = SIZES[i]};
        const bw_alembic_property_opts opts = {
            .kind = BW_ALEMBIC_SCALAR, .pod = BW_ALEMBIC_UINT8, .metadata = &metadata};
        bw_alembic_id id;
        OK(bw_alembic_add_property(&id, writer, by_meta, number, &opts, &error));
        name[SIZES[i]] = 0;
        (void)add(writer, by_name, name, BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0);
        name[SIZES[i]] = 'n';
        const bw_alembic_id count = add(writer, by_count, number, BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT32, 1);
        for (uint32_t k = 0; k < SIZES[i]; k++)
            OK(bw_alembic_put(writer, count, &k, 1, &error));
    }
    bw_alembic *archive = finish(writer);
    for (uint32_t i = 0; i < COUNT; i++) {
        char number[16];
        snprintf(number, sizeof number, "p%u", i);
        assert_int_equal(find(archive, "/metadata", number)->metadata->text_size, SIZES[i]);
        name[SIZES[i]] = 0;
        (void)find(archive, "/names", name);
        name[SIZES[i]] = 'n';
        const bw_alembic_property *count = find(archive, "/counts", number);
        assert_int_equal(count->sample_count, SIZES[i]);
        uint32_t last = 0;
        OK(bw_alembic_read(&last, sizeof last, archive, count, SIZES[i] - 1, &error));
        assert_int_equal(last, SIZES[i] - 1);
    }
    bw_free_alembic(archive);
}

/* More kinds of metadata than the table holds, and enough siblings that names are looked up in a table. */
static void test_many(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    bw_alembic_writer *writer = begin();
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16], value[16];
        snprintf(name, sizeof name, "o%u", i);
        snprintf(value, sizeof value, "%u", i % 500);
        const bw_alembic_meta pair = {"kind", value};
        const bw_alembic_metadata metadata = {.data = &pair, .count = 1};
        bw_alembic_id id;
        OK(bw_alembic_add_object(&id, writer, 0, name, &metadata, &error));
        if (i % 2)
            OK(bw_alembic_end(writer, id, &error));
        if (i % 100 == 99)
            assert_int_equal(bw_alembic_add_object(&id, writer, 0, "o7", NULL, NULL), BW_ERR_USAGE);
    }
    bw_alembic *archive = finish(writer);
    bw_alembic_object_list children;
    OK(bw_alembic_children(&children, archive, archive->top, &error));
    assert_int_equal(children.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16], value[16];
        snprintf(name, sizeof name, "o%u", i);
        snprintf(value, sizeof value, "%u", i % 500);
        assert_string_equal(children.data[i].name, name);
        assert_string_equal(bw_alembic_meta_value(children.data[i].metadata, "kind"), value);
    }
    bw_free_alembic(archive);
}

static void test_time_samplings(void **state) {
    (void)state;
    const double times[] = {0.25, 0.5, 1.5};
    const bw_alembic_time_sampling good[] = {
        {.kind = BW_ALEMBIC_UNIFORM, .time_per_cycle_s = 1 / 24., .times_s = {times, 1}},
        {.kind = BW_ALEMBIC_CYCLIC, .time_per_cycle_s = 1.25, .times_s = {times, 3}},
        {.kind = BW_ALEMBIC_ACYCLIC, .times_s = {times, 3}},
    };
    const double equal[] = {1, 1}, infinite[] = {0, 1.0 / 0.0};
    const bw_alembic_time_sampling bad[] = {
        {.kind = BW_ALEMBIC_UNIFORM, .time_per_cycle_s = 1},
        {.kind = BW_ALEMBIC_UNIFORM, .time_per_cycle_s = 1, .times_s = {times, 2}},
        {.kind = BW_ALEMBIC_UNIFORM, .time_per_cycle_s = 0, .times_s = {times, 1}},
        {.kind = BW_ALEMBIC_UNIFORM, .time_per_cycle_s = -1, .times_s = {times, 1}},
        {.kind = BW_ALEMBIC_UNIFORM, .time_per_cycle_s = 0.0 / 0.0, .times_s = {times, 1}},
        {.kind = BW_ALEMBIC_UNIFORM, .time_per_cycle_s = BW_ALEMBIC_ACYCLIC_TIME, .times_s = {times, 1}},
        {.kind = BW_ALEMBIC_CYCLIC, .time_per_cycle_s = 1.2, .times_s = {times, 3}},
        {.kind = BW_ALEMBIC_CYCLIC, .time_per_cycle_s = 1, .times_s = {times, 1}},
        {.kind = BW_ALEMBIC_ACYCLIC, .times_s = {equal, 2}},
        {.kind = BW_ALEMBIC_ACYCLIC, .times_s = {infinite, 2}},
        {.kind = (bw_alembic_time_kind)7, .times_s = {times, 1}},
    };
    bw_alembic_writer *writer = begin();
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t index = 99;
            OK(bw_alembic_add_time_sampling(&index, writer, &good[i], &error));
            assert_int_equal(index, i + 1);
        }
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint32_t index = 99;
        bw_error error = {0};
        assert_int_equal(bw_alembic_add_time_sampling(&index, writer, &bad[i], &error), BW_ERR_USAGE);
        assert_int_equal(index, 99);
        assert_non_null(strstr(error.message, "time sampling 4: "));
    }
    const bw_alembic_property_opts opts = {.kind = BW_ALEMBIC_SCALAR, .pod = BW_ALEMBIC_BOOL, .time_sampling = 3};
    bw_alembic_id id;
    OK(bw_alembic_add_property(&id, writer, 0, "p", &opts, &error));
    for (uint8_t i = 0; i < 3; i++)
        OK(bw_alembic_put(writer, id, &i, 1, &error));
    assert_int_equal(bw_alembic_repeat(writer, id, NULL), BW_ERR_USAGE);
    bw_alembic *archive = finish(writer);
    assert_int_equal(archive->time_samplings.count, 4);
    for (size_t i = 0; i < 3; i++) {
        const bw_alembic_time_sampling *read = &archive->time_samplings.data[i + 1];
        assert_int_equal(read->kind, good[i].kind);
        assert_int_equal(read->times_s.count, good[i].times_s.count);
        assert_memory_equal(read->times_s.data, times, read->times_s.count * sizeof *times);
        assert_int_equal(read->max_sample_count, i == 2 ? 3 : 0);
    }
    assert_int_equal(find(archive, "/", "p")->time_sampling, 3);
    bw_free_alembic(archive);
}

/* ---- what is refused ---- */

#define REFUSED(call, phrase)                                   \
    do {                                                        \
        bw_error error = {0};                                   \
        assert_int_equal((call), BW_ERR_USAGE);                 \
        if (!strstr(error.message, phrase))                     \
            fail_msg("'%s' lacks '%s'", error.message, phrase); \
    } while (0)

static void test_misuse(void **state) {
    (void)state;
    bw_alembic_writer *writer = NULL;
    REFUSED(bw_alembic_create(&writer, "/tmp/", NULL, &error), "ends in a name");
    assert_null(writer);
    writer = begin();
    bw_alembic_id object, ended, compound, made = 77;
    OK(bw_alembic_add_object(&object, writer, 0, "o", NULL, &error));
    OK(bw_alembic_add_object(&ended, writer, 0, "ended", NULL, &error));
    OK(bw_alembic_add_property(&compound, writer, object, ".geom", NULL, &error));
    const bw_alembic_id of_ended = add(writer, ended, "p", BW_ALEMBIC_SCALAR, BW_ALEMBIC_INT8, 1);
    const bw_alembic_id numbers = add(writer, compound, "P", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3);
    const bw_alembic_id scalar = add(writer, object, "s", BW_ALEMBIC_SCALAR, BW_ALEMBIC_FLOAT32, 3);
    const bw_alembic_id text = add(writer, object, "t", BW_ALEMBIC_ARRAY, BW_ALEMBIC_STRING, 1);
    OK(bw_alembic_end(writer, ended, &error));
    const float values[6] = {0};
    const char *const strings[] = {"a"};

    REFUSED(bw_alembic_add_object(&made, writer, ended, "x", NULL, &error), "no open object");
    REFUSED(bw_alembic_add_object(&made, writer, 12345, "x", NULL, &error), "12345 is no open object");
    REFUSED(bw_alembic_add_object(&made, writer, compound, "x", NULL, &error), "/o:.geom: is a property");
    REFUSED(bw_alembic_add_object(&made, writer, object, "", NULL, &error), "no name");
    REFUSED(bw_alembic_add_object(&made, writer, object, NULL, NULL, &error), "no name");
    REFUSED(bw_alembic_add_object(&made, writer, object, "a/b", NULL, &error), "below /o: the name 'a/b'");
    REFUSED(bw_alembic_add_object(&made, writer, 0, "o", NULL, &error), "below /: there is a child object called 'o'");
    REFUSED(bw_alembic_add_property(&made, writer, object, "s", NULL, &error), "there is a property called 's'");
    REFUSED(bw_alembic_add_property(&made, writer, numbers, "x", NULL, &error), "/o:.geom/P: holds samples");
    const bw_alembic_property_opts wrong[] = {{.kind = BW_ALEMBIC_SCALAR},
                                              {.kind = BW_ALEMBIC_SCALAR, .pod = BW_ALEMBIC_POD_END},
                                              {.kind = BW_ALEMBIC_SCALAR, .pod = BW_ALEMBIC_INT8, .extent = 256},
                                              {.kind = BW_ALEMBIC_SCALAR, .pod = BW_ALEMBIC_INT8, .time_sampling = 1},
                                              {.kind = (bw_alembic_kind)3, .pod = BW_ALEMBIC_INT8}};
    static const char *const PHRASES[] = {"give a pod", "give a pod", "extent is above 255", "time sampling is unknown",
                                          "kind is none"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        REFUSED(bw_alembic_add_property(&made, writer, object, "x", &wrong[i], &error), PHRASES[i]);
    static const bw_alembic_meta PAIRS[] = {{"a;b", "c"}, {"a", "b=c"}, {"", "b"}, {"a", NULL}};
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++)
        REFUSED(
            bw_alembic_add_object(&made, writer, 0, "x", &(bw_alembic_metadata){.data = &PAIRS[i], .count = 1}, &error),
            "metadata: ");
    const bw_alembic_meta twice[] = {{"a", "1"}, {"a", "2"}};
    REFUSED(bw_alembic_add_object(&made, writer, 0, "x", &(bw_alembic_metadata){.data = twice, .count = 2}, &error),
            "'a' is there twice");

    REFUSED(bw_alembic_put(writer, object, values, 1, &error), "/o: is no scalar");
    REFUSED(bw_alembic_put(writer, compound, values, 1, &error), "/o:.geom: is no scalar");
    REFUSED(bw_alembic_put(writer, of_ended, values, 1, &error), "no open object");
    REFUSED(bw_alembic_put(writer, scalar, values, 2, &error), "/o:s: sample 0: a scalar has exactly one point");
    REFUSED(bw_alembic_put(writer, scalar, values, 0, &error), "a scalar has exactly one point");
    REFUSED(bw_alembic_put(writer, numbers, NULL, 1, &error), "no bytes");
    REFUSED(bw_alembic_put(writer, numbers, values, UINT64_MAX / 2, &error), "more points");
    REFUSED(bw_alembic_put(writer, text, values, 1, &error), "bw_alembic_put_strings");
    REFUSED(bw_alembic_put_strings(writer, numbers, strings, 1, &error), "bw_alembic_put");
    REFUSED(bw_alembic_put_strings(writer, text, (const char *const[]){NULL}, 1, &error), "NULL");
    REFUSED(bw_alembic_put_sample(writer, numbers, &(bw_alembic_sample){.bytes = (const uint8_t *)values, .size = 13},
                                  &error),
            "multiple");
    REFUSED(bw_alembic_put_sample(writer, numbers, &(bw_alembic_sample){.bytes = (const uint8_t *)values, .size = 16},
                                  &error),
            "extent");
    REFUSED(bw_alembic_put_sample(writer, numbers, &(bw_alembic_sample){.rank = 17}, &error), "16 dimensions");
    REFUSED(bw_alembic_repeat(writer, numbers, &error), "could be repeated");
    REFUSED(bw_alembic_end(writer, BW_ALEMBIC_TOP, &error), "bw_alembic_finish");
    REFUSED(bw_alembic_end(writer, ended, &error), "no open object");
    assert_int_equal(made, 77);

    OK(bw_alembic_finish(writer, &error));
    REFUSED(bw_alembic_finish(writer, &error), "finished already");
    REFUSED(bw_alembic_put(writer, numbers, values, 1, &error), "finished already");
    REFUSED(bw_alembic_add_object(&made, writer, 0, "x", NULL, &error), "finished already");
    bw_free_alembic_writer(writer);
    bw_free_alembic_writer(NULL);
    /* Nothing of what was refused is there. */
    bw_alembic *archive = NULL;
    OK(bw_alembic_open(&archive, path, NULL, &error));
    bw_alembic_object_list children;
    OK(bw_alembic_children(&children, archive, archive->top, &error));
    assert_int_equal(children.count, 2);
    assert_int_equal(find(archive, "/o", ".geom/P")->sample_count, 0);
    bw_free_alembic(archive);
}

static void test_depth(void **state) {
    (void)state;
    bw_alembic_writer *writer = begin();
    bw_alembic_id id = BW_ALEMBIC_TOP;
    for (int i = 0; i < 1000; i++)
        OK(bw_alembic_add_object(&id, writer, id, "deep", NULL, &error));
    bw_alembic_id more;
    REFUSED(bw_alembic_add_object(&more, writer, id, "deeper", NULL, &error), "nested deeper than 1000");
    bw_free_alembic(finish(writer));
}

/* An id of what has ended is not that of what took its place. */
static void test_ids(void **state) {
    (void)state;
    bw_alembic_writer *writer = begin();
    bw_alembic_id seen[50];
    for (uint32_t i = 0; i < 50; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        OK(bw_alembic_add_object(&seen[i], writer, 0, name, NULL, &error));
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(seen[k], seen[i]);
        OK(bw_alembic_end(writer, seen[i], &error));
    }
    assert_in_range(writer->slots.count, 1, 2);
    bw_free_alembic(finish(writer));
}

/* ---- files ---- */

static void test_appears_whole(void **state) {
    (void)state;
    FILE *old = fopen(path, "wb");
    assert_true(old && fputs("old", old) >= 0 && fclose(old) == 0);
    bw_alembic_writer *writer = begin();
    const bw_alembic_id id = add(writer, 0, "p", BW_ALEMBIC_ARRAY, BW_ALEMBIC_UINT8, 1);
    OK(bw_alembic_put(writer, id, "values", 6, &error));
    assert_int_equal(file_size(), 3);
    bw_free_alembic_writer(writer);
    assert_int_equal(file_size(), 3);
    assert_int_equal(count_files(), 1);
    bw_free_alembic(finish(begin()));
    assert_true(file_size() > 100);
    assert_int_equal(count_files(), 1);
}

/* A disk that is full: the call that meets it fails, all further ones say the same, and the old file stays. */
static void test_full_disk(void **state) {
    (void)state;
    enum { SIZE = 4 << 20 };
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    uint8_t *values = calloc(SIZE, 1);
    bw_alembic_writer *writer = begin();
    const bw_alembic_id id = add(writer, 0, "p", BW_ALEMBIC_ARRAY, BW_ALEMBIC_UINT8, 1);
    const struct rlimit small = {1 << 20, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bw_error first = {0}, second = {0};
    const bw_result result = bw_alembic_put(writer, id, values, SIZE, &first);
    const bw_result again = bw_alembic_put(writer, id, values, 1, &second);
    const bw_result finished = bw_alembic_finish(writer, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(result, BW_ERR_FILE_WRITE);
    assert_int_equal(again, BW_ERR_FILE_WRITE);
    assert_int_equal(finished, BW_ERR_FILE_WRITE);
    assert_string_equal(first.message, second.message);
    assert_non_null(strstr(first.message, path));
    bw_free_alembic_writer(writer);
    free(values);
    assert_int_equal(count_files(), 0);
}

/* ---- memory that runs out ---- */

/* Makes a call; where its `allowed`-th allocation is refused it must fail and change nothing, so that calling it once more goes well. */
#define AGAIN(call)                         \
    do {                                    \
        bw_error error = {0};               \
        writer->mem.fail_after = allowed;   \
        bw_result tried = (call);           \
        writer->mem.fail_after = -1;        \
        if (tried == BW_ERR_MEMORY) {       \
            refused++;                      \
            tried = (call);                 \
        }                                   \
        expect_ok(tried, &error, __LINE__); \
    } while (0)

static int write_under(int64_t allowed) {
    int refused = 0;
    bw_alembic_writer *writer = begin();
    const double times[] = {0, 0.5};
    const bw_alembic_time_sampling sampling = {.kind = BW_ALEMBIC_ACYCLIC, .times_s = {times, 2}};
    const bw_alembic_meta pair = {"schema", "test"};
    const bw_alembic_metadata metadata = {.data = &pair, .count = 1};
    static const char *const STRINGS[] = {"first", "second"};
    uint32_t index;
    bw_alembic_id object, id;
    AGAIN(bw_alembic_add_time_sampling(&index, writer, &sampling, &error));
    for (uint32_t i = 0; i < 70; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        AGAIN(bw_alembic_add_object(&object, writer, 0, name, &metadata, &error));
    }
    const bw_alembic_property_opts numbers = {
        .kind = BW_ALEMBIC_ARRAY, .pod = BW_ALEMBIC_UINT32, .metadata = &metadata};
    AGAIN(bw_alembic_add_property(&id, writer, object, "numbers", &numbers, &error));
    for (uint32_t i = 0; i < 300; i++)
        AGAIN(bw_alembic_put(writer, id, &i, 1, &error));
    const bw_alembic_property_opts text = {.kind = BW_ALEMBIC_ARRAY, .pod = BW_ALEMBIC_WSTRING, .time_sampling = index};
    AGAIN(bw_alembic_add_property(&id, writer, object, "text", &text, &error));
    AGAIN(bw_alembic_put_strings(writer, id, STRINGS, 2, &error));
    AGAIN(bw_alembic_repeat(writer, id, &error));
    AGAIN(bw_alembic_end(writer, object, &error));
    AGAIN(bw_alembic_finish(writer, &error));
    bw_free_alembic_writer(writer);
    return refused;
}

static void read_file(uint8_t **bytes, size_t *size) {
    FILE *file = fopen(path, "rb");
    *size = (size_t)file_size();
    *bytes = malloc(*size);
    assert_true(file && *bytes && fread(*bytes, 1, *size, file) == *size);
    fclose(file);
}

/* Also: the same calls give the same bytes. */
static void test_memory(void **state) {
    (void)state;
    uint8_t *wanted, *found;
    size_t wanted_size, found_size;
    assert_int_equal(write_under(-1), 0);
    read_file(&wanted, &wanted_size);
    int refused = 1;
    for (int64_t allowed = 0; refused > 0; allowed++) {
        refused = write_under(allowed);
        /* Every call that allocates is refused once. */
        if (allowed == 0)
            assert_true(refused > 80);
        bw_alembic *archive = NULL;
        OK(bw_alembic_open(&archive, path, NULL, &error));
        bw_alembic_report *report = NULL;
        OK(bw_alembic_verify(&report, archive, NULL, &error));
        assert_int_equal(report->object_count, 71);
        bw_free_alembic_report(report);
        bw_free_alembic(archive);
    }
    read_file(&found, &found_size);
    assert_int_equal(found_size, wanted_size);
    assert_memory_equal(found, wanted, wanted_size);
    free(wanted);
    free(found);
}

static void test_memory_at_start(void **state) {
    (void)state;
    const bw_alembic_write_opts opts = {.run = {.memory_limit = 1 << 20}};
    bw_alembic_writer *writer = NULL;
    bw_error error = {0};
    assert_int_equal(bw_alembic_create(&writer, path, &opts, &error), BW_ERR_MEMORY);
    assert_null(writer);
    assert_int_equal(count_files(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_empty),
        TEST(test_metadata),
        TEST(test_compaction),
        TEST(test_scalar_like),
        TEST(test_dimensions),
        TEST(test_strings),
        TEST(test_wide_strings_with_equal_keys),
        TEST(test_sharing_and_streaming),
        TEST(test_memory_of_samples),
        TEST(test_widths),
        TEST(test_many),
        TEST(test_time_samplings),
        TEST(test_misuse),
        TEST(test_depth),
        TEST(test_ids),
        TEST(test_appears_whole),
        TEST(test_full_disk),
        TEST(test_memory),
        TEST(test_memory_at_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
