/* SPDX-License-Identifier: MIT
 * Walking an archive and reading its samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alembic/alembic_priv.h"
#include "archive_builder.h"
#include "expect.h"

typedef struct fixture {
    archive_builder b;
    bw_alembic *archive;
    const bw_alembic_object *shape;
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof(*f));
    archive_cloth(&f->b);
    assert_int_equal(bw_alembic_open_bytes(&f->archive, f->b.bytes, f->b.size, "cloth.abc", NULL, NULL), BW_OK);
    assert_int_equal(bw_alembic_find_object(&f->shape, f->archive, "/cloth/shape", NULL), BW_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    bw_free_alembic(f->archive);
    archive_free(&f->b);
    free(f);
    return 0;
}

static const bw_alembic_property *find(const fixture *f, const char *path) {
    const bw_alembic_property *property = NULL;
    assert_int_equal(bw_alembic_find_property(&property, f->archive, f->shape, path, NULL), BW_OK);
    return property;
}

static void test_objects(void **state) {
    fixture *f = *state;
    bw_alembic_object_list children;
    char path[64];
    assert_int_equal(bw_alembic_children(&children, f->archive, f->archive->top, NULL), BW_OK);
    assert_int_equal(children.count, 2);
    assert_string_equal(children.data[0].name, "cloth");
    assert_string_equal(children.data[1].name, "again");
    assert_ptr_equal(children.data[1].parent, f->archive->top);
    assert_int_equal(children.data[1].index, 1);
    assert_string_equal(bw_alembic_meta_value(children.data[0].metadata, "schema"), "AbcGeom_Xform_v3");
    /* From the table of metadata. */
    assert_string_equal(bw_alembic_meta_value(f->shape->metadata, "schema"), "AbcGeom_PolyMesh_v1");
    assert_int_equal(f->shape->depth, 2);
    assert_int_equal(bw_alembic_object_path(path, sizeof(path), f->shape), 12);
    assert_string_equal(path, "/cloth/shape");
    assert_int_equal(bw_alembic_object_path(path, 8, f->shape), 12);
    assert_string_equal(path, "/cloth/");
    assert_int_equal(bw_alembic_object_path(path, sizeof(path), f->archive->top), 1);
    assert_string_equal(path, "/");
    assert_int_equal(bw_alembic_object_path(NULL, 0, f->shape), 12);
}

static void test_finding(void **state) {
    fixture *f = *state;
    const bw_alembic_object *object = f->shape;
    assert_int_equal(bw_alembic_find_object(&object, f->archive, "/", NULL), BW_OK);
    assert_ptr_equal(object, f->archive->top);
    assert_int_equal(bw_alembic_find_object(&object, f->archive, "/cloth/none", NULL), BW_OK);
    assert_null(object);
    assert_int_equal(bw_alembic_find_object(&object, f->archive, "/cloth/shape/deeper", NULL), BW_OK);
    assert_null(object);
    assert_int_equal(bw_alembic_find_object(&object, f->archive, "/clot", NULL), BW_OK);
    assert_null(object);
    assert_null(find(f, "none"));
    assert_null(find(f, ".geom/none"));
    assert_null(find(f, "big/none")); /* no compound */
    assert_null(find(f, ".geom/P/none"));
    assert_null(find(f, ""));
    const bw_alembic_property *names = find(f, ".geom/names");
    char path[64];
    assert_int_equal(bw_alembic_property_path(path, sizeof(path), names), 11);
    assert_string_equal(path, ".geom/names");
    assert_int_equal(bw_alembic_property_path(path, 4, names), 11);
    assert_string_equal(path, ".ge");
    assert_ptr_equal(names->object, f->shape);
    assert_string_equal(names->parent->name, ".geom");
}

static void test_types(void **state) {
    fixture *f = *state;
    const bw_alembic_property *points = find(f, ".geom/P");
    assert_int_equal(points->kind, BW_ALEMBIC_ARRAY);
    assert_int_equal(points->pod, BW_ALEMBIC_FLOAT32);
    assert_int_equal(points->extent, 3);
    assert_int_equal(points->sample_count, 3);
    assert_int_equal(points->first_changed, 1);
    assert_int_equal(points->last_changed, 2);
    assert_int_equal(points->time_sampling, 1);
    assert_false(points->scalar_like);
    assert_int_equal(bw_alembic_property_scope(points), BW_ALEMBIC_SCOPE_VERTEX);
    assert_int_equal(bw_alembic_property_scope(find(f, ".geom/names")), BW_ALEMBIC_SCOPE_UNIFORM);
    assert_int_equal(bw_alembic_property_scope(find(f, ".geom/.faceCounts")), BW_ALEMBIC_SCOPE_CONSTANT);
    const bw_alembic_property *geometry = find(f, ".geom");
    assert_int_equal(geometry->kind, BW_ALEMBIC_COMPOUND);
    assert_int_equal(geometry->pod, BW_ALEMBIC_NO_POD);
    bw_alembic_property_list members;
    assert_int_equal(bw_alembic_members(&members, f->archive, geometry, NULL), BW_OK);
    assert_int_equal(members.count, 6);
    assert_int_equal(bw_alembic_members(&members, f->archive, points, NULL), BW_OK);
    assert_int_equal(members.count, 0);
    assert_int_equal(bw_alembic_properties(&members, f->archive, f->shape, NULL), BW_OK);
    assert_int_equal(members.count, 4);
    assert_string_equal(members.data[1].name, "wide");
    assert_int_equal(members.data[1].index, 1);
}

static void test_values(void **state) {
    fixture *f = *state;
    const bw_alembic_property *points = find(f, ".geom/P");
    bw_alembic_sample sample;
    float values[12] = {0};
    assert_int_equal(bw_alembic_view(&sample, f->archive, points, 1, NULL), BW_OK);
    assert_int_equal(sample.size, sizeof(values));
    assert_int_equal(sample.point_count, 4);
    assert_int_equal(sample.value_count, 12);
    assert_int_equal(sample.rank, 1);
    assert_int_equal(sample.dimensions[0], 4);
    assert_false(sample.dimensions_stored);
    assert_ptr_equal(sample.bytes, f->b.bytes + sample.offset);
    assert_int_equal(bw_alembic_read(values, sizeof(values), f->archive, points, 1, NULL), BW_OK);
    EXPECT3(values + 3, 1, 0, 0.25, 0);
    EXPECT3(values + 6, 1, 1, 0.5, 0);
    assert_int_equal(bw_alembic_view(&sample, f->archive, find(f, ".geom/grid"), 0, NULL), BW_OK);
    assert_int_equal(sample.rank, 2);
    assert_int_equal(sample.dimensions[0], 3);
    assert_int_equal(sample.dimensions[1], 4);
    assert_int_equal(sample.point_count, 12);
    uint64_t big = 5;
    assert_int_equal(bw_alembic_read(&big, sizeof(big), f->archive, find(f, "big"), 0, NULL), BW_OK);
    assert_true(big == UINT64_MAX);
}

/* Wherever the file lies in memory, values are shown as an array only where they are aligned, and bytes always. */
static void test_alignment(void **state) {
    fixture *f = *state;
    uint8_t *memory = malloc(f->b.size + 8);
    size_t shown = 0;
    for (size_t shift = 0; shift < 8; shift++) {
        bw_alembic *archive = NULL;
        const bw_alembic_object *shape = NULL;
        const bw_alembic_property *points = NULL;
        bw_alembic_sample sample;
        memcpy(memory + shift, f->b.bytes, f->b.size);
        assert_int_equal(bw_alembic_open_bytes(&archive, memory + shift, f->b.size, "x", NULL, NULL), BW_OK);
        assert_int_equal(bw_alembic_find_object(&shape, archive, "/cloth/shape", NULL), BW_OK);
        assert_int_equal(bw_alembic_find_property(&points, archive, shape, ".geom/P", NULL), BW_OK);
        assert_int_equal(bw_alembic_view(&sample, archive, points, 0, NULL), BW_OK);
        assert_non_null(sample.bytes);
        assert_true(sample.values == NULL || (const uint8_t *)sample.values == sample.bytes);
        assert_int_equal(sample.values != NULL, (uintptr_t)sample.bytes % 4 == 0);
        shown += sample.values != NULL;
        bw_free_alembic(archive);
    }
    assert_int_equal(shown, 2);
    free(memory);
}

static void test_strings(void **state) {
    fixture *f = *state;
    bw_string_list *strings = NULL;
    bw_alembic_sample sample;
    assert_int_equal(bw_alembic_read_strings(&strings, f->archive, find(f, ".geom/names"), 0, NULL), BW_OK);
    assert_int_equal(strings->count, 2);
    assert_string_equal(strings->data[0], "left");
    assert_string_equal(strings->data[1], "right");
    bw_free_alembic_strings(strings);
    assert_int_equal(bw_alembic_view(&sample, f->archive, find(f, ".geom/names"), 0, NULL), BW_OK);
    assert_int_equal(sample.point_count, 2);
    assert_null(sample.values);
    /* w, é, and a pair of UTF-16 as Windows writes it. */
    assert_int_equal(bw_alembic_read_strings(&strings, f->archive, find(f, "wide"), 0, NULL), BW_OK);
    assert_int_equal(strings->count, 1);
    assert_string_equal(strings->data[0], "w\xc3\xa9\xf0\x9f\x98\x80");
    bw_free_alembic_strings(strings);
    bw_free_alembic_strings(NULL);
}

static void test_nothing(void **state) {
    fixture *f = *state;
    bw_alembic_sample sample;
    assert_int_equal(bw_alembic_view(&sample, f->archive, find(f, ".geom/nothing"), 0, NULL), BW_OK);
    assert_int_equal(sample.size, 0);
    assert_int_equal(sample.point_count, 0);
    assert_int_equal(sample.rank, 1);
    assert_int_equal(sample.dimensions[0], 0);
    assert_int_equal(bw_alembic_read(NULL, 0, f->archive, find(f, ".geom/nothing"), 0, NULL), BW_OK);
    assert_int_equal(find(f, "never")->sample_count, 0);
}

static void test_wrong_calls(void **state) {
    fixture *f = *state;
    bw_error error;
    bw_alembic_sample sample = {.size = 77};
    bw_string_list *strings = NULL;
    float values[12];
    const bw_alembic_property *points = find(f, ".geom/P");
    assert_int_equal(bw_alembic_view(&sample, f->archive, points, 3, &error), BW_ERR_USAGE);
    assert_non_null(strstr(error.message, "cloth.abc: object /cloth/shape, property .geom/P, sample 3:"));
    assert_int_equal(bw_alembic_view(&sample, f->archive, find(f, ".geom"), 0, &error), BW_ERR_USAGE);
    assert_int_equal(bw_alembic_view(&sample, f->archive, find(f, "never"), 0, &error), BW_ERR_USAGE);
    assert_int_equal(sample.size, 77); /* untouched */
    assert_int_equal(bw_alembic_read(values, sizeof(values) - 1, f->archive, points, 0, &error), BW_ERR_USAGE);
    assert_non_null(strstr(error.message, "48 bytes"));
    assert_int_equal(bw_alembic_read(values, sizeof(values), f->archive, find(f, ".geom/names"), 0, &error),
                     BW_ERR_USAGE);
    assert_int_equal(bw_alembic_read_strings(&strings, f->archive, points, 0, &error), BW_ERR_USAGE);
    assert_null(strings);
}

static void test_instance(void **state) {
    fixture *f = *state;
    const bw_alembic_object *again = NULL;
    const char *source = "x";
    assert_int_equal(bw_alembic_find_object(&again, f->archive, "/again", NULL), BW_OK);
    assert_int_equal(bw_alembic_instance_source(&source, f->archive, again, NULL), BW_OK);
    assert_string_equal(source, "/cloth");
    assert_int_equal(bw_alembic_instance_source(&source, f->archive, f->shape, NULL), BW_OK);
    assert_null(source);
}

static void test_hashes(void **state) {
    fixture *f = *state;
    static const uint8_t NONE[16] = {0};
    uint8_t properties[16];
    uint8_t children[16];
    assert_int_equal(bw_alembic_hashes(properties, children, f->archive, f->shape, NULL), BW_OK);
    assert_memory_equal(children, NONE, 16);
    assert_memory_not_equal(properties, NONE, 16);
    assert_int_equal(bw_alembic_hashes(properties, children, f->archive, f->archive->top, NULL), BW_OK);
    assert_memory_not_equal(children, NONE, 16);
}

/* Which stored sample holds a logical one: 10 samples, the 4th to 7th of their own. */
static void test_compaction(void **state) {
    (void)state;
    const bw_alembic_property property = {.sample_count = 10, .first_changed = 3, .last_changed = 6};
    static const uint32_t STORED[10] = {0, 0, 0, 1, 2, 3, 4, 4, 4, 4};
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(bwi_alembic_stored_index(&property, i), STORED[i]);
    assert_int_equal(bwi_alembic_stored_count(&property), 5);
    const bw_alembic_property constant = {.sample_count = 10};
    assert_int_equal(bwi_alembic_stored_index(&constant, 9), 0);
    assert_int_equal(bwi_alembic_stored_count(&constant), 1);
    const bw_alembic_property none = {.sample_count = 0};
    assert_int_equal(bwi_alembic_stored_count(&none), 0);
}

/* 50,000 children: finding each by name takes a table, not a walk each time; and the names of equal siblings give the first. */
static void test_many_children(void **state) {
    (void)state;
    enum { COUNT = 50000 };
    char(*texts)[16] = malloc(COUNT * sizeof(*texts));
    const char **names = malloc(COUNT * sizeof(*names));
    bwi_arena *arena = bwi_arena_create_owning(0);
    bwi_alembic_names table;
    for (size_t i = 0; i < COUNT; i++) {
        (void)snprintf(texts[i], sizeof(texts[i]), "strand%zu", i);
        names[i] = texts[i];
    }
    names[700] = texts[3];
    assert_true(bwi_alembic_names_build(&table, arena, names, COUNT, sizeof(*names)));
    assert_non_null(table.slots);
    for (size_t i = 0; i < COUNT; i++) {
        size_t found = bwi_alembic_names_find(&table, names, COUNT, sizeof(*names), texts[i], strlen(texts[i]));
        assert_int_equal(found, i == 700 ? SIZE_MAX : i);
    }
    assert_int_equal(bwi_alembic_names_find(&table, names, COUNT, sizeof(*names), "strand", 6), SIZE_MAX);
    /* All of one name: no table, and the first is found. */
    for (size_t i = 0; i < COUNT; i++)
        names[i] = "same";
    assert_true(bwi_alembic_names_build(&table, arena, names, COUNT, sizeof(*names)));
    assert_int_equal(bwi_alembic_names_find(&table, names, COUNT, sizeof(*names), "same", 4), 0);
    bwi_arena_free(arena);
    free(names);
    free(texts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_objects, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_finding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_types, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_alignment, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_strings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_calls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_instance, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hashes, set_up, tear_down),
        cmocka_unit_test(test_compaction),
        cmocka_unit_test(test_many_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
