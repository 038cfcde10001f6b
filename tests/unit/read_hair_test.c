/* SPDX-License-Identifier: MIT
 * Hair of archives written here: what is wrong with an object is told and fails nothing else; every truncation and every damaged byte; samples that
 * are claimed; circles of instances; too little memory. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bakewell/alembic_write.h"
#include "expect.h"
#include "read/alembic/abc.h"
#include "read/read.h"

typedef struct archive {
    char path[64];
    bw_alembic_writer *w;
    uint32_t frames; /* time sampling: 25 a second from 0.2 s */
    bwi_hair *hair;
    bw_error error;
} archive;

static const float points[4][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1}};
static const int32_t two_each[2] = {2, 2};
static const uint8_t linear[4] = {1, 0, 0, 0};
static const double bounds[6] = {0, 0, 0, 1, 0, 1};

static void begin(archive *a) {
    static const double first = 0.2;
    *a = (archive){0};
    snprintf(a->path, sizeof a->path, "/tmp/bw-hair-%ld.abc", (long)getpid());
    assert_int_equal(bw_alembic_create(&a->w, a->path, NULL, NULL), BW_OK);
    const bw_alembic_time_sampling sampling = {.time_per_cycle_s = 0.04, .times_s = {&first, 1}};
    assert_int_equal(bw_alembic_add_time_sampling(&a->frames, a->w, &sampling, NULL), BW_OK);
}

static void read_it(archive *a) {
    assert_int_equal(bw_alembic_finish(a->w, &a->error), BW_OK);
    bw_free_alembic_writer(a->w);
    if (bwi_read_hair(&a->hair, a->path, NULL, &a->error) != BW_OK)
        fail_msg("%s", a->error.message);
}

static void end(archive *a) {
    bwi_hair_free(a->hair);
    unlink(a->path);
}

static bw_alembic_id add_object(archive *a, bw_alembic_id parent, const char *name, const char *schema) {
    bw_alembic_id id;
    const bw_alembic_meta pair = {"schema", schema};
    const bw_alembic_metadata metadata = {.data = &pair, .count = *schema ? 1 : 0};
    assert_int_equal(bw_alembic_add_object(&id, a->w, parent, name, &metadata, NULL), BW_OK);
    return id;
}

static bw_alembic_id compound(archive *a, bw_alembic_id parent, const char *name) {
    bw_alembic_id id;
    assert_int_equal(bw_alembic_add_property(&id, a->w, parent, name, NULL, NULL), BW_OK);
    return id;
}

/* `samples` of `count` points each, one after the other in values. */
static bw_alembic_id put(archive *a, bw_alembic_id parent, const char *name, bw_alembic_kind kind, bw_alembic_pod pod,
                         uint32_t extent, const void *values, uint64_t count, uint32_t samples) {
    bw_alembic_id id;
    const bw_alembic_property_opts opts = {kind, pod, extent, samples > 1 ? a->frames : 0, NULL};
    assert_int_equal(bw_alembic_add_property(&id, a->w, parent, name, &opts, &a->error), BW_OK);
    for (uint32_t k = 0; k < samples; k++)
        assert_int_equal(bw_alembic_put(a->w, id, (const char *)values + k * count * extent * bw_alembic_pod_size(pod),
                                        count, &a->error),
                         BW_OK);
    return id;
}

static bw_alembic_id array(archive *a, bw_alembic_id parent, const char *name, bw_alembic_pod pod, uint32_t extent,
                           const void *values, uint64_t count) {
    return put(a, parent, name, BW_ALEMBIC_ARRAY, pod, extent, values, count, 1);
}

enum { NO_BOUNDS = 1, NO_POINTS = 2, NO_COUNTS = 4, NO_BASIS = 8 };

/* Two curves of two points without some of what they need.  Returns ".geom". */
static bw_alembic_id curves(archive *a, bw_alembic_id parent, const char *name, unsigned without) {
    const bw_alembic_id geometry = compound(a, add_object(a, parent, name, "AbcGeom_Curve_v2"), ".geom");
    if (!(without & NO_BOUNDS))
        put(a, geometry, ".selfBnds", BW_ALEMBIC_SCALAR, BW_ALEMBIC_FLOAT64, 6, bounds, 1, 1);
    if (!(without & NO_POINTS))
        array(a, geometry, "P", BW_ALEMBIC_FLOAT32, 3, points, 4);
    if (!(without & NO_COUNTS))
        array(a, geometry, "nVertices", BW_ALEMBIC_INT32, 1, two_each, 2);
    if (!(without & NO_BASIS))
        put(a, geometry, "curveBasisAndType", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, 4, linear, 1, 1);
    return geometry;
}

static const bwi_hair_object *find_object(const archive *a, const char *path) {
    for (size_t k = 0; k < a->hair->objects.count; k++)
        if (strcmp(a->hair->objects.data[k].path, path) == 0)
            return &a->hair->objects.data[k];
    fail_msg("%s is missing", path);
    return NULL;
}

static const bwi_hair_curves *find_curves(const archive *a, const char *path) {
    const bwi_hair_object *o = find_object(a, path);
    for (size_t k = 0; k < a->hair->curves.count; k++)
        if (&a->hair->objects.data[a->hair->curves.data[k].object] == o)
            return &a->hair->curves.data[k];
    fail_msg("%s has no curves", path);
    return NULL;
}

static const bwi_hair_attribute *find_attribute(const archive *a, const char *name) {
    for (size_t k = 0; k < a->hair->attributes.count; k++)
        if (strcmp(a->hair->attributes.data[k].name, name) == 0)
            return &a->hair->attributes.data[k];
    fail_msg("%s is missing", name);
    return NULL;
}

static void expect_problem(const archive *a, const char *path, const char *problem) {
    const bwi_hair_object *o = find_object(a, path);
    if (!problem)
        assert_null(o->problem);
    else
        assert_string_equal(o->problem ? o->problem : "none", problem);
}

static void problems_are_told_one_by_one(void **state) {
    (void)state;
    archive a;
    begin(&a);
    curves(&a, BW_ALEMBIC_TOP, "good", 0);
    curves(&a, BW_ALEMBIC_TOP, "boundless", NO_BOUNDS);
    curves(&a, BW_ALEMBIC_TOP, "pointless", NO_POINTS);
    curves(&a, BW_ALEMBIC_TOP, "countless", NO_COUNTS);
    curves(&a, BW_ALEMBIC_TOP, "baseless", NO_BASIS);
    (void)add_object(&a, BW_ALEMBIC_TOP, "empty", "AbcGeom_Curve_v2");
    static const double far[4][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1}};
    bw_alembic_id geometry = curves(&a, BW_ALEMBIC_TOP, "double", NO_POINTS);
    array(&a, geometry, "P", BW_ALEMBIC_FLOAT64, 3, far, 4);
    static const int64_t many[3] = {2, -5, INT64_MAX};
    geometry = curves(&a, BW_ALEMBIC_TOP, "long", NO_COUNTS);
    array(&a, geometry, "nVertices", BW_ALEMBIC_INT64, 1, many, 3);
    geometry = curves(&a, BW_ALEMBIC_TOP, "wide", 0);
    array(&a, geometry, "width", BW_ALEMBIC_FLOAT64, 1, far, 4);
    geometry = curves(&a, BW_ALEMBIC_TOP, "knotty", 0);
    array(&a, geometry, ".knots", BW_ALEMBIC_FLOAT64, 1, far, 4);
    static const uint8_t odd[4] = {7, 0, 1, 1};
    geometry = curves(&a, BW_ALEMBIC_TOP, "odd", NO_BASIS);
    put(&a, geometry, "curveBasisAndType", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, 4, odd, 1, 1);
    read_it(&a);
    expect_problem(&a, "/good", NULL);
    expect_problem(&a, "/boundless", "it has no .selfBnds");
    expect_problem(&a, "/pointless", "it has no P");
    expect_problem(&a, "/countless", "it has no nVertices");
    expect_problem(&a, "/baseless", "it has no curveBasisAndType");
    expect_problem(&a, "/empty", "it has no P");
    expect_problem(&a, "/double", "its P is an array of 3 float64, expected an array of 3 float32");
    expect_problem(&a, "/long", "its nVertices is an array of 1 int64, expected an array of int32");
    expect_problem(&a, "/wide", "its width is an array of 1 float64, expected an array of float32");
    expect_problem(&a, "/knotty", "its .knots is an array of 1 float64, expected an array of float32");
    expect_problem(&a, "/odd", NULL);
    assert_int_equal(a.hair->curves.count, 11);
    /* What could be read is there. */
    const bwi_hair_curves *c = find_curves(&a, "/double");
    assert_int_equal(c->point_count, 4);
    assert_memory_equal(c->positions, points, sizeof points);
    float again[4][3];
    assert_int_equal(c->read(c->ctx, 0, again[0], &a.error), BW_OK);
    assert_memory_equal(again, points, sizeof points);
    c = find_curves(&a, "/long");
    assert_int_equal(c->curve_count, 3);
    assert_int_equal(c->counts[1], -5);
    assert_int_equal(c->counts[2], INT32_MAX);
    assert_int_equal(find_curves(&a, "/boundless")->curve_count, 2);
    assert_int_equal(find_curves(&a, "/wide")->attribute_count, 1);
    c = find_curves(&a, "/baseless");
    assert_int_equal(c->raw_basis[0], -1);
    assert_false(c->known_basis);
    c = find_curves(&a, "/odd");
    assert_int_equal(c->raw_basis[0], 7);
    assert_false(c->known_basis);
    assert_int_equal(c->type, BWI_HAIR_LINEAR);
    assert_true(find_curves(&a, "/good")->known_basis);
    assert_int_equal(find_curves(&a, "/empty")->sample_count, 0);
    end(&a);
}

static void attributes_of_every_form_are_read(void **state) {
    (void)state;
    archive a;
    begin(&a);
    const bw_alembic_id xform = add_object(&a, BW_ALEMBIC_TOP, "groom", "AbcGeom_Xform_v3");
    const bw_alembic_id user = compound(&a, compound(&a, xform, ".xform"), ".userProperties");
    static const int16_t version = 1;
    static const char *const tool[] = {"Ornatrix 2.3.4"};
    put(&a, user, "groom_version_major", BW_ALEMBIC_SCALAR, BW_ALEMBIC_INT16, 1, &version, 1, 1);
    bw_alembic_id id;
    const bw_alembic_property_opts text = {BW_ALEMBIC_SCALAR, BW_ALEMBIC_STRING, 1, 0, NULL};
    assert_int_equal(bw_alembic_add_property(&id, a.w, user, "groom_tool", &text, &a.error), BW_OK);
    assert_int_equal(bw_alembic_put_strings(a.w, id, tool, 1, &a.error), BW_OK);
    const bw_alembic_id arbitrary = compound(&a, curves(&a, xform, "hair", 0), ".arbGeomParams");
    static const uint16_t halves[2] = {0x3c00, 0xc000}; /* 1, −2 */
    static const uint32_t chosen[3] = {1, 0, 9};
    static const char *const names[] = {"a", "", "b\xc3\xa4"};
    array(&a, arbitrary, "half", BW_ALEMBIC_FLOAT16, 1, halves, 2);
    bw_alembic_id pair = compound(&a, arbitrary, "indexed");
    array(&a, pair, ".vals", BW_ALEMBIC_FLOAT16, 1, halves, 2);
    array(&a, pair, ".indices", BW_ALEMBIC_UINT32, 1, chosen, 3);
    pair = compound(&a, arbitrary, "nested");
    array(&a, pair, "other", BW_ALEMBIC_FLOAT16, 1, halves, 2);
    const bw_alembic_meta uniform = {"geoScope", "uni"};
    const bw_alembic_metadata metadata = {.data = &uniform, .count = 1};
    const bw_alembic_property_opts wide = {BW_ALEMBIC_ARRAY, BW_ALEMBIC_WSTRING, 1, 0, &metadata};
    assert_int_equal(bw_alembic_add_property(&id, a.w, arbitrary, "wide", &wide, &a.error), BW_OK);
    assert_int_equal(bw_alembic_put_strings(a.w, id, names, 3, &a.error), BW_OK);
    const bw_alembic_property_opts none = {BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, 0, NULL};
    assert_int_equal(bw_alembic_add_property(&id, a.w, arbitrary, "without_samples", &none, &a.error), BW_OK);
    read_it(&a);
    assert_string_equal(a.hair->made_by, "Ornatrix 2.3.4"); /* no application is named */
    assert_int_equal(a.hair->attributes.count, 7);
    assert_int_equal(find_curves(&a, "/groom/hair")->first_attribute, 2);
    assert_int_equal(find_curves(&a, "/groom/hair")->attribute_count, 5);
    const bwi_hair_attribute *at = find_attribute(&a, "groom_version_major");
    assert_true(at->is_scalar && at->place == BWI_HAIR_USER && at->object == 0 && at->count == 1);
    EXPECT1(bwi_hair_number(at, 0, 0), 1, 0);
    at = find_attribute(&a, "half");
    assert_int_equal(at->pod, BW_ALEMBIC_FLOAT16);
    assert_int_equal(at->place, BWI_HAIR_ARBITRARY);
    assert_false(at->has_scope);
    EXPECT1(bwi_hair_number(at, 1, 0), -2, 0);
    at = find_attribute(&a, "indexed");
    assert_true(at->is_compound && at->indices);
    assert_int_equal(at->value_count, 2);
    assert_int_equal(at->count, 3);
    EXPECT1(bwi_hair_number(at, 0, 0), -2, 0);
    EXPECT1(bwi_hair_number(at, 2, 0), 0, 0); /* past the values */
    at = find_attribute(&a, "nested");
    assert_true(at->is_compound && at->pod == BW_ALEMBIC_NO_POD && at->count == 0);
    at = find_attribute(&a, "wide");
    assert_true(at->has_scope && at->scope == BW_ALEMBIC_SCOPE_UNIFORM);
    for (uint64_t k = 0; k < 3; k++)
        assert_string_equal(bwi_hair_text(at, k), names[k]);
    at = find_attribute(&a, "without_samples");
    assert_true(at->sample_count == 0 && at->count == 0 && !at->problem);
    end(&a);
}

static void samples_are_told_apart(void **state) {
    (void)state;
    static const float moved[3][4][3] = {{{0}}, {{1, 1, 1}}, {{2, 2, 2}}};
    static const int32_t twice[4] = {2, 2, 3, 1};
    static const float widths[2] = {1, 2};
    archive a;
    begin(&a);
    bw_alembic_id geometry = curves(&a, BW_ALEMBIC_TOP, "moves", NO_POINTS);
    put(&a, geometry, "P", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, moved, 4, 3);
    geometry = curves(&a, BW_ALEMBIC_TOP, "repeats", NO_POINTS);
    const bw_alembic_id p = put(&a, geometry, "P", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, points, 4, 1);
    assert_int_equal(bw_alembic_repeat(a.w, p, &a.error), BW_OK);
    geometry = curves(&a, BW_ALEMBIC_TOP, "recounts", NO_COUNTS);
    put(&a, geometry, "nVertices", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, twice, 2, 2);
    geometry = curves(&a, BW_ALEMBIC_TOP, "widens", 0);
    put(&a, geometry, "width", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 1, widths, 1, 2);
    read_it(&a);
    const bwi_hair_curves *c = find_curves(&a, "/moves");
    assert_true(c->moves && !c->topology_moves && !c->only_attributes_move && c->sample_count == 3);
    for (uint32_t k = 0; k < 3; k++) {
        float positions[4][3];
        EXPECT1(c->times_s[k], 0.2 + 0.04 * k, 1e-15); /* of a double */
        assert_int_equal(c->read(c->ctx, k, positions[0], &a.error), BW_OK);
        assert_memory_equal(positions, moved[k], sizeof positions);
    }
    c = find_curves(&a, "/repeats");
    assert_true(!c->moves && c->sample_count == 2 && !c->only_attributes_move);
    c = find_curves(&a, "/recounts");
    assert_true(!c->moves && c->topology_moves);
    c = find_curves(&a, "/widens");
    assert_true(!c->moves && !c->topology_moves && c->only_attributes_move);
    assert_true(find_attribute(&a, "width")->moves);
    end(&a);
}

/* An object that shows another one. */
static void add_instance(archive *a, bw_alembic_id parent, const char *name, const char *source) {
    bw_alembic_id id;
    const bw_alembic_meta pair = {"isInstance", "1"};
    const bw_alembic_metadata metadata = {.data = &pair, .count = 1};
    bw_alembic_id object;
    assert_int_equal(bw_alembic_add_object(&object, a->w, parent, name, &metadata, &a->error), BW_OK);
    const bw_alembic_property_opts text = {BW_ALEMBIC_SCALAR, BW_ALEMBIC_STRING, 1, 0, NULL};
    assert_int_equal(bw_alembic_add_property(&id, a->w, object, ".instanceSource", &text, &a->error), BW_OK);
    assert_int_equal(bw_alembic_put_strings(a->w, id, &source, 1, &a->error), BW_OK);
}

static void instances_are_walked_but_not_in_circles(void **state) {
    (void)state;
    archive a;
    begin(&a);
    const bw_alembic_id xform = add_object(&a, BW_ALEMBIC_TOP, "groom", "AbcGeom_Xform_v3");
    (void)compound(&a, xform, ".xform");
    curves(&a, xform, "hair", 0);
    add_instance(&a, xform, "circle", "/groom");
    add_instance(&a, BW_ALEMBIC_TOP, "again", "/groom/hair");
    add_instance(&a, BW_ALEMBIC_TOP, "self", "/self");
    add_instance(&a, BW_ALEMBIC_TOP, "lost", "/nowhere");
    read_it(&a);
    assert_int_equal(a.hair->objects.count, 6);
    expect_problem(&a, "/groom/hair", NULL);
    expect_problem(&a, "/groom/circle", "it is an instance of an object that it is in, which has no end");
    expect_problem(&a, "/again", NULL);
    expect_problem(&a, "/self", "it is an instance of an instance of an instance, and so on");
    expect_problem(&a, "/lost", "it is an instance of /nowhere, which is not in the file");
    assert_true(find_object(&a, "/again")->is_instance);
    assert_false(find_object(&a, "/groom/hair")->is_instance);
    assert_int_equal(find_object(&a, "/again")->kind, BWI_HAIR_CURVES);
    assert_ptr_equal(find_curves(&a, "/again")->positions, find_curves(&a, "/groom/hair")->positions);
    end(&a);
}

/* ---- damage ---- */

static void add_everything(archive *a) {
    static const float moved[2][4][3] = {{{0}}, {{1, 1, 1}}};
    static const float uvs[2][2] = {{0, 1}, {1, 0}};
    static const char *const names[] = {"left", "right"};
    static const uint8_t ops[1] = {1 << 4};
    static const double offset[3] = {1, 2, 3};
    const bw_alembic_id xform = add_object(a, BW_ALEMBIC_TOP, "groom", "AbcGeom_Xform_v3");
    const bw_alembic_id transform = compound(a, xform, ".xform");
    array(a, transform, ".ops", BW_ALEMBIC_UINT8, 1, ops, 1);
    array(a, transform, ".vals", BW_ALEMBIC_FLOAT64, 1, offset, 3);
    const bw_alembic_id geometry = curves(a, xform, "hair", NO_POINTS);
    put(a, geometry, "P", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, moved, 4, 2);
    const bw_alembic_id arbitrary = compound(a, geometry, ".arbGeomParams");
    array(a, arbitrary, "groom_root_uv", BW_ALEMBIC_FLOAT32, 2, uvs, 2);
    const bw_alembic_property_opts text = {BW_ALEMBIC_ARRAY, BW_ALEMBIC_STRING, 1, 0, NULL};
    bw_alembic_id id;
    assert_int_equal(bw_alembic_add_property(&id, a->w, arbitrary, "groom_group_name", &text, &a->error), BW_OK);
    assert_int_equal(bw_alembic_put_strings(a->w, id, names, 2, &a->error), BW_OK);
    add_instance(a, BW_ALEMBIC_TOP, "again", "/groom");
}

static uint8_t *load(const archive *a, size_t *size) {
    FILE *file = fopen(a->path, "rb");
    assert_non_null(file);
    uint8_t *bytes = malloc(1 << 16);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 16, file);
    assert_int_equal(fclose(file), 0);
    assert_true(*size > 1000 && *size < 1 << 16);
    return bytes;
}

static double looked_at; /* what is read must not be left out by the compiler */

/* Reads bytes of a block of their own, and every value of what is read. */
static bw_result read_bytes(const uint8_t *bytes, size_t size, uint64_t limit, bw_error *error) {
    bwi_hair *hair = NULL;
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    uint8_t *copy = malloc(size + !size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const bwi_map map = {copy, size, &mem}; /* as of a pipe: kept in memory */
    const bw_run_opts run = {.memory_limit = limit};
    bw_result result = bwi_read_alembic_hair(&hair, "a.abc", &map, &run, error);
    free(copy);
    for (size_t k = 0; hair && k < hair->attributes.count; k++)
        for (uint64_t i = 0; i < hair->attributes.data[k].count; i++)
            looked_at += bwi_hair_number(&hair->attributes.data[k], i, 0) +
                         (bwi_hair_text(&hair->attributes.data[k], i) != NULL);
    for (size_t k = 0; hair && k < hair->curves.count; k++) {
        const bwi_hair_curves *c = &hair->curves.data[k];
        float *positions = malloc((size_t)c->point_count * 12 + 1);
        assert_non_null(positions);
        for (uint32_t i = 0; i < c->sample_count && i < 4; i++)
            (void)c->read(c->ctx, i, positions, NULL);
        free(positions);
    }
    bwi_hair_free(hair);
    assert_int_equal(mem.used, 0);
    return result;
}

static void every_truncation_is_refused(void **state) {
    (void)state;
    archive a;
    size_t size;
    begin(&a);
    add_everything(&a);
    read_it(&a);
    uint8_t *bytes = load(&a, &size);
    bw_error error = {0};
    assert_int_equal(read_bytes(bytes, size, 0, &error), BW_OK);
    for (size_t k = 0; k < size; k++) {
        bw_error found = {0};
        bw_result result = read_bytes(bytes, k, 0, &found);
        if (result == BW_OK || !found.message[0])
            fail_msg("%zu of %zu bytes were read: %s", k, size, found.message);
    }
    free(bytes);
    end(&a);
}

static void damage_is_told_or_harmless(void **state) {
    (void)state;
    archive a;
    size_t size, refused = 0;
    begin(&a);
    add_everything(&a);
    read_it(&a);
    uint8_t *bytes = load(&a, &size);
    static const uint8_t masks[] = {0xff, 0x80, 0x01};
    for (size_t k = 0; k < size; k++) {
        for (size_t m = 0; m < sizeof masks; m++) {
            bw_error error = {0};
            bytes[k] ^= masks[m];
            bw_result result = read_bytes(bytes, size, 64 << 20, &error);
            bytes[k] ^= masks[m];
            if (result != BW_OK && (error.result != result || !error.message[0]))
                fail_msg("byte %zu: status %d without a message", k, (int)result);
            refused += result != BW_OK;
        }
    }
    /* Most of a file is the inside of objects, which never fails the whole. */
    assert_true(refused > 0 && refused < size);
    free(bytes);
    end(&a);
}

static void too_little_memory_is_said(void **state) {
    (void)state;
    archive a;
    size_t size;
    begin(&a);
    add_everything(&a);
    read_it(&a);
    uint8_t *bytes = load(&a, &size);
    bw_result result = BW_ERR_MEMORY;
    int failed = 0;
    for (uint64_t limit = 1; limit < 1 << 22 && result != BW_OK; limit += 512) {
        bw_error error = {0};
        result = read_bytes(bytes, size, limit, &error);
        assert_true(result == BW_OK || result == BW_ERR_MEMORY);
        failed += result != BW_OK;
    }
    assert_int_equal(result, BW_OK);
    assert_true(failed > 10);
    free(bytes);
    end(&a);
}

static void other_formats_are_named(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *part;
    } cases[] = {
        {"version 2.0\nscale 1.0\n", 22, "is a TressFX file in text form, expected"},
        {"\0\0\x80\x40\xe4\0\0\0", 8, "is a TressFX file, expected"},
        {"<?xml version=\"1.0\"?>\n<scene>", 30, "is an XML scene, as of Embree or Mitsuba, expected"},
        {"-1.0 0 0 1\n", 11, "is numbers in text form, expected"},
        {"BINARY_HAIR", 11, "is a hair file of Mitsuba, expected"},
        {"what", 4, "is of no known format, expected"},
    };
    char path[64];
    snprintf(path, sizeof path, "/tmp/bw-hair-%ld.txt", (long)getpid());
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(cases[k].bytes, 1, cases[k].size, file), cases[k].size);
        assert_int_equal(fclose(file), 0);
        bwi_hair *hair = NULL;
        bw_error error = {0};
        assert_int_equal(bwi_read_hair(&hair, path, NULL, &error), BW_ERR_UNRECOGNISED);
        if (!strstr(error.message, cases[k].part) || !strstr(error.message, "export the hair as .abc"))
            fail_msg("%s", error.message);
    }
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_are_told_one_by_one), cmocka_unit_test(attributes_of_every_form_are_read),
        cmocka_unit_test(samples_are_told_apart),       cmocka_unit_test(instances_are_walked_but_not_in_circles),
        cmocka_unit_test(every_truncation_is_refused),  cmocka_unit_test(damage_is_told_or_harmless),
        cmocka_unit_test(too_little_memory_is_said),    cmocka_unit_test(other_formats_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
