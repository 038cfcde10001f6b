/* SPDX-License-Identifier: MIT
 * Grooms as Alembic: every attribute with its type and scope, motion at even times, the same bytes each time. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bakewell/alembic.h"
#include "expect.h"
#include "groom_fixture.h"
#include "write/write_priv.h"

static char path[64];
static bwi_mem mem;
static bwi_arena *arena;
static bwi_warnings warnings;
static bw_error error;

static int begin(void **state) {
    (void)state;
    (void)snprintf(path, sizeof path, "/tmp/bakewell_groom_%ld.abc", (long)getpid());
    bwi_mem_init(&mem, 0);
    arena = bwi_arena_create(&mem);
    bwi_warnings_init(&warnings, arena);
    memset(&error, 0, sizeof error);
    return arena ? 0 : 1;
}

static int end(void **state) {
    (void)state;
    (void)remove(path);
    bwi_arena_free(arena);
    return 0;
}

static bw_result write_it(const groom_fixture *f, const char *name) {
    const bwi_env env = {&mem, 1, NULL};
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    const bw_result result =
        bwi_write_groom_abc(file, path, &f->groom, name, BW_GROOM_UNREAL_5_8, &env, &warnings, &error);
    assert_int_equal(fclose(file), 0);
    return result;
}

static bw_alembic *open_it(void) {
    bw_alembic *archive = NULL;
    if (bw_alembic_open(&archive, path, NULL, &error) != BW_OK)
        fail_msg("%s", error.message);
    return archive;
}

static const bw_alembic_property *find(bw_alembic *archive, const char *object_path, const char *property_path) {
    const bw_alembic_object *object = NULL;
    const bw_alembic_property *property = NULL;
    assert_int_equal(bw_alembic_find_object(&object, archive, object_path, &error), BW_OK);
    assert_non_null(object);
    assert_int_equal(bw_alembic_find_property(&property, archive, object, property_path, &error), BW_OK);
    return property;
}

/* The one sample of an attribute, its bytes and all that says what it is. */
static void expect_array(bw_alembic *archive, const char *name, bw_alembic_pod pod, uint32_t extent,
                         bw_alembic_scope scope, uint64_t count, const void *bytes) {
    char place[128];
    (void)snprintf(place, sizeof place, ".geom/.arbGeomParams/%s", name);
    const bw_alembic_property *p = find(archive, "/hair/strands", place);
    bw_alembic_sample sample;
    if (!p)
        fail_msg("%s is missing", name);
    assert_int_equal(p->kind, BW_ALEMBIC_ARRAY);
    assert_int_equal(p->pod, pod);
    assert_int_equal(p->extent, extent);
    assert_int_equal(p->sample_count, 1);
    assert_int_equal(bw_alembic_property_scope(p), scope);
    assert_string_equal(bw_alembic_meta_value(p->metadata, "isGeomParam"), "true");
    assert_int_equal(bw_alembic_view(&sample, archive, p, 0, &error), BW_OK);
    assert_int_equal(sample.point_count, count);
    if (bytes)
        assert_memory_equal(sample.bytes, bytes, sample.size);
}

static void every_attribute_is_written(void **state) {
    (void)state;
    groom_fixture f;
    groom_fill(&f);
    assert_int_equal(write_it(&f, "hair"), BW_OK);
    bw_alembic *a = open_it();
    assert_int_equal(a->time_samplings.count, 1);
    assert_null(a->date);
    assert_int_equal(strncmp(a->application, "Bakewell ", 9), 0);
    const int16_t guides[GROOM_STRANDS] = {0, 0, 1, 0, 1};
    const int32_t counts[GROOM_STRANDS] = {2, 3, 4, 2, 3};
    expect_array(a, "groom_width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, GROOM_POINTS, f.widths);
    expect_array(a, "groom_guide", BW_ALEMBIC_INT16, 1, BW_ALEMBIC_SCOPE_UNIFORM, GROOM_STRANDS, guides);
    expect_array(a, "groom_group_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, GROOM_STRANDS, f.group_of);
    expect_array(a, "groom_group_name", BW_ALEMBIC_STRING, 1, BW_ALEMBIC_SCOPE_UNIFORM, GROOM_STRANDS,
                 "fringe\0fringe\0fringe\0neck\0neck");
    expect_array(a, "groom_group_cards_id", BW_ALEMBIC_STRING, 1, BW_ALEMBIC_SCOPE_UNIFORM, GROOM_STRANDS,
                 "cards a\0cards a\0cards a\0\0");
    expect_array(a, "groom_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, GROOM_STRANDS, f.ids);
    expect_array(a, "groom_root_uv", BW_ALEMBIC_FLOAT32, 2, BW_ALEMBIC_SCOPE_UNIFORM, GROOM_STRANDS, f.root_uvs);
    expect_array(a, "groom_color", BW_ALEMBIC_FLOAT32, 3, BW_ALEMBIC_SCOPE_VERTEX, GROOM_POINTS, f.colors);
    expect_array(a, "groom_roughness", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, GROOM_POINTS, f.roughness);
    expect_array(a, "groom_ao", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, GROOM_POINTS, f.ao);
    expect_array(a, "groom_clumpid", BW_ALEMBIC_INT32, 3, BW_ALEMBIC_SCOPE_UNIFORM, GROOM_STRANDS, f.clump_ids);
    expect_array(a, "groom_closest_guides", BW_ALEMBIC_INT32, 3, BW_ALEMBIC_SCOPE_UNIFORM, GROOM_STRANDS,
                 f.closest_guides);
    expect_array(a, "groom_guide_weights", BW_ALEMBIC_FLOAT32, 3, BW_ALEMBIC_SCOPE_UNIFORM, GROOM_STRANDS,
                 f.guide_weights);
    bw_alembic_sample sample;
    assert_int_equal(bw_alembic_view(&sample, a, find(a, "/hair/strands", ".geom/P"), 0, &error), BW_OK);
    assert_memory_equal(sample.bytes, f.positions, sizeof f.positions);
    assert_int_equal(bw_alembic_view(&sample, a, find(a, "/hair/strands", ".geom/nVertices"), 0, &error), BW_OK);
    assert_memory_equal(sample.bytes, counts, sizeof counts);
    assert_int_equal(bw_alembic_view(&sample, a, find(a, "/hair/strands", ".geom/width"), 0, &error), BW_OK);
    assert_memory_equal(sample.bytes, f.widths, sizeof f.widths);
    assert_int_equal(bw_alembic_view(&sample, a, find(a, "/hair/strands", ".geom/curveBasisAndType"), 0, &error),
                     BW_OK);
    assert_memory_equal(sample.bytes, "\1\0\0", 4);
    double box[6];
    assert_int_equal(bw_alembic_read(box, sizeof box, a, find(a, "/hair/strands", ".geom/.selfBnds"), 0, &error),
                     BW_OK);
    EXPECT3(box, 0, -1.5, 3, 0);
    EXPECT3(box + 3, 4, 0, 6, 0);
    int16_t version[2];
    assert_int_equal(
        bw_alembic_read(version, 2, a, find(a, "/hair", ".xform/.userProperties/groom_version_major"), 0, &error),
        BW_OK);
    assert_int_equal(
        bw_alembic_read(version + 1, 2, a, find(a, "/hair", ".xform/.userProperties/groom_version_minor"), 0, &error),
        BW_OK);
    assert_int_equal(version[0], 1);
    assert_int_equal(version[1], 5);
    assert_int_equal(bw_alembic_view(&sample, a, find(a, "/hair", ".xform/.userProperties/groom_tool"), 0, &error),
                     BW_OK);
    assert_memory_equal(sample.bytes, "Tool 2.0", 9);
    assert_int_equal(
        bw_alembic_view(&sample, a, find(a, "/hair", ".xform/.userProperties/groom_properties"), 0, &error), BW_OK);
    assert_memory_equal(sample.bytes, "a=1;b=2", 8);
    assert_null(find(a, "/hair", ".xform/.ops"));
    bw_free_alembic(a);
    assert_int_equal(warnings.count, 0);
}

static void what_is_absent_is_not_written(void **state) {
    (void)state;
    groom_fixture f;
    groom_fill(&f);
    bw_groom *g = &f.groom;
    g->guides = NULL;
    g->group_of = NULL;
    g->groups.count = 1;
    f.groups[0].cards_id = NULL;
    g->ids = g->closest_guides = g->clump_ids = NULL;
    g->widths = g->root_uvs = g->guide_weights = g->colors = g->roughness = g->ao = NULL;
    g->tool = g->properties = NULL;
    assert_int_equal(write_it(&f, "a/b"), BW_OK);
    bw_alembic *a = open_it();
    const bw_alembic_property *arbitrary = find(a, "/a_b/strands", ".geom/.arbGeomParams");
    bw_alembic_property_list members;
    assert_int_equal(bw_alembic_members(&members, a, arbitrary, &error), BW_OK);
    assert_int_equal(members.count, 2);
    assert_string_equal(members.data[0].name, "groom_group_id");
    assert_string_equal(members.data[1].name, "groom_group_name");
    assert_null(find(a, "/a_b/strands", ".geom/width"));
    assert_null(find(a, "/a_b", ".xform/.userProperties/groom_properties"));
    bw_free_alembic(a);
}

static void expect_motion(double first_s, double step_s, uint32_t count) {
    bw_alembic *a = open_it();
    assert_int_equal(a->time_samplings.count, 2);
    const bw_alembic_time_sampling *s = &a->time_samplings.data[1];
    assert_int_equal(s->kind, BW_ALEMBIC_UNIFORM);
    EXPECT1(s->times_s.data[0], first_s, 0);
    EXPECT1(s->time_per_cycle_s, step_s, 0);
    static const char *const of_motion[] = {"P", "nVertices", "curveBasisAndType", ".selfBnds"};
    for (size_t k = 0; k < 4; k++) {
        char place[64];
        (void)snprintf(place, sizeof place, ".geom/%s", of_motion[k]);
        const bw_alembic_property *p = find(a, "/hair/strands", place);
        assert_int_equal(p->time_sampling, 1);
        assert_int_equal(p->sample_count, count);
        assert_int_equal(p->last_changed > 0, k == 0 || k == 3);
    }
    bw_free_alembic(a);
}

static float height_at(uint32_t sample) {
    bw_alembic *a = open_it();
    float positions[GROOM_POINTS][3];
    assert_int_equal(
        bw_alembic_read(positions, sizeof positions, a, find(a, "/hair/strands", ".geom/P"), sample, &error), BW_OK);
    bw_free_alembic(a);
    return positions[0][2] - 3.0f;
}

static void motion_is_at_even_times(void **state) {
    (void)state;
    groom_fixture f;
    groom_fill(&f);
    /* The step that rounding left is the rate's own again. */
    groom_move(&f, 1001 / 30.0, 1 / 30.0 + 1e-10);
    assert_int_equal(write_it(&f, "hair"), BW_OK);
    expect_motion(1001 / 30.0, 1 / 30.0, GROOM_SAMPLES);
    for (uint32_t k = 0; k < GROOM_SAMPLES; k++)
        EXPECT1(height_at(k), k, 0);
    groom_move(&f, 0, 1.001 / 24);
    assert_int_equal(write_it(&f, "hair"), BW_OK);
    expect_motion(0, 1.001 / 24, GROOM_SAMPLES);
    assert_int_equal(warnings.count, 0);
}

static void uneven_times_are_evened(void **state) {
    (void)state;
    groom_fixture f;
    groom_fill(&f);
    groom_move(&f, 0.25, 0.25);
    f.times_s[3] = 1.5; /* 0.25 0.5 0.75 1.5 */
    assert_int_equal(write_it(&f, "hair"), BW_OK);
    expect_motion(0.25, 0.25, 6);
    static const double heights[] = {0, 1, 2, 2 + 1 / 3.0, 2 + 2 / 3.0, 3};
    for (uint32_t k = 0; k < 6; k++)
        EXPECT1(height_at(k), heights[k], 1e-6); /* a float of that size */
    assert_int_equal(warnings.count, 1);
    assert_string_equal(warnings.data[0].code, "times-evened");
}

static void what_is_before_zero_is_moved(void **state) {
    (void)state;
    groom_fixture f;
    groom_fill(&f);
    groom_move(&f, -1, 0.5);
    assert_int_equal(write_it(&f, "hair"), BW_OK);
    expect_motion(0, 0.5, GROOM_SAMPLES);
    EXPECT1(height_at(0), 0, 0);
    assert_string_equal(warnings.data[0].code, "times-moved");
    /* Also where they are uneven: −1 −0.5 0 1. */
    f.times_s[3] = 1;
    assert_int_equal(write_it(&f, "hair"), BW_OK);
    expect_motion(0, 0.5, 5);
    static const double heights[] = {0, 1, 2, 2.5, 3};
    for (uint32_t k = 0; k < 5; k++)
        EXPECT1(height_at(k), heights[k], 1e-6); /* a float of that size */
}

static void bytes_are_the_same_each_time(void **state) {
    (void)state;
    groom_fixture f;
    groom_fill(&f);
    groom_move(&f, 0, 1 / 24.0);
    char *bytes[2] = {0};
    size_t size[2] = {0};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(write_it(&f, "hair"), BW_OK);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        bytes[k] = malloc(1 << 20);
        assert_non_null(bytes[k]);
        size[k] = fread(bytes[k], 1, 1 << 20, file);
        (void)fclose(file);
        (void)remove(path);
    }
    assert_true(size[0] > 1000);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static bw_result fail_to_read(const void *ctx, uint32_t sample, float *dst, bw_error *failure) {
    (void)ctx;
    (void)dst;
    return bwi_fail(failure, BW_ERR_MALFORMED, "cache", -1, "sample %u is broken", (unsigned)sample);
}

static void failures_are_told(void **state) {
    (void)state;
    groom_fixture f;
    groom_fill(&f);
    groom_move(&f, 0, 1 / 24.0);
    f.animation.read = fail_to_read;
    assert_int_equal(write_it(&f, "hair"), BW_ERR_MALFORMED);
    assert_string_equal(error.message, "cache: sample 0 is broken");
    /* Every allocation of ours that fails, fails the call. */
    groom_move(&f, 0, 1 / 24.0);
    bw_result result = BW_ERR_MEMORY;
    int64_t k = 0;
    for (; k < 1000 && result != BW_OK; k++) {
        mem.fail_after = k;
        result = write_it(&f, "hair");
        if (result != BW_OK)
            assert_int_equal(result, BW_ERR_MEMORY);
    }
    mem.fail_after = -1;
    assert_int_equal(result, BW_OK);
    assert_true(k > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_attribute_is_written, begin, end),
        cmocka_unit_test_setup_teardown(what_is_absent_is_not_written, begin, end),
        cmocka_unit_test_setup_teardown(motion_is_at_even_times, begin, end),
        cmocka_unit_test_setup_teardown(uneven_times_are_evened, begin, end),
        cmocka_unit_test_setup_teardown(what_is_before_zero_is_moved, begin, end),
        cmocka_unit_test_setup_teardown(bytes_are_the_same_each_time, begin, end),
        cmocka_unit_test_setup_teardown(failures_are_told, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
