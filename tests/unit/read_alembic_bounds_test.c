/* SPDX-License-Identifier: MIT
 * Small archives that ask for much: instances that double at every step, samples by the million that are one and the same, times without end.
 * What each takes stays in proportion to the file, or it is refused. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, clock_gettime */

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "bakewell/alembic_write.h"
#include "read/read.h"
#include "scene/scene.h"

/* Each takes a tenth of a second or less; without bounds it would be minutes.  Sanitizers and a busy machine are the rest. */
enum { MOST_SECONDS = 20, MOST_BYTES = 20000, MEMORY_LIMIT = 256 << 20 };

typedef struct archive {
    char folder[32], path[64];
    bw_alembic_writer *w;
    bw_scene *scene;
    bw_error error;
    off_t most_bytes;
    uint64_t memory_limit;
} archive;

static void begin(archive *a) {
    *a = (archive){.folder = "/tmp/bw-abc-XXXXXX", .most_bytes = MOST_BYTES, .memory_limit = MEMORY_LIMIT};
    assert_non_null(mkdtemp(a->folder));
    snprintf(a->path, sizeof a->path, "%s/test.abc", a->folder);
    assert_int_equal(bw_alembic_create(&a->w, a->path, NULL, NULL), BW_OK);
}

static bw_result read_back(archive *a) {
    struct stat file;
    struct timespec from, to;
    assert_int_equal(bw_alembic_finish(a->w, &a->error), BW_OK);
    bw_free_alembic_writer(a->w);
    assert_true(stat(a->path, &file) == 0 && file.st_size < a->most_bytes);
    const bw_scene_opts opts = {.up = BW_UP_Y, .units = BW_UNIT_M, .run.memory_limit = a->memory_limit};
    clock_gettime(CLOCK_MONOTONIC, &from);
    const bw_result result = bwi_read_scene(&a->scene, a->path, &opts, &a->error);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert_in_range(to.tv_sec - from.tv_sec, 0, MOST_SECONDS);
    return result;
}

static void end(archive *a) {
    bwi_scene_free(a->scene);
    unlink(a->path);
    rmdir(a->folder);
}

static void expect_refusal(archive *a, bw_result wanted, const char *part) {
    const bw_result result = read_back(a);
    if (result != wanted || !strstr(a->error.message, part))
        fail_msg("%s: %s, wanted \"%s\"", bw_result_name(result), result ? a->error.message : "", part);
    end(a);
}

static bw_alembic_id object(archive *a, bw_alembic_id parent, const char *name, const char *metadata) {
    bw_alembic_id id;
    const bw_alembic_metadata text = {.text = metadata, .text_size = strlen(metadata)};
    assert_int_equal(bw_alembic_add_object(&id, a->w, parent, name, &text, NULL), BW_OK);
    return id;
}

static bw_alembic_id property(archive *a, bw_alembic_id parent, const char *name,
                              const bw_alembic_property_opts *opts) {
    bw_alembic_id id;
    assert_int_equal(bw_alembic_add_property(&id, a->w, parent, name, opts, NULL), BW_OK);
    return id;
}

static void instance(archive *a, bw_alembic_id parent, const char *name, const char *source) {
    static const bw_alembic_property_opts text = {BW_ALEMBIC_SCALAR, BW_ALEMBIC_STRING, 1, 0, NULL};
    const bw_alembic_id id = property(a, object(a, parent, name, "isInstance=1"), ".instanceSource", &text);
    assert_int_equal(bw_alembic_put_strings(a->w, id, &source, 1, NULL), BW_OK);
}

/* Forty groups, each of which shows the next one twice: a million million objects, and not one node. */
static void instances_that_double(void **state) {
    (void)state;
    static const char *const schemas[] = {"", "schema=AbcGeom_Camera_v1", "schema=AbcGeom_Xform_v3"};
    for (size_t s = 0; s < 3; s++) {
        archive a;
        begin(&a);
        for (int k = 0; k < 40; k++) {
            char name[16], next[8];
            snprintf(name, sizeof name, "g%d", k);
            snprintf(next, sizeof next, "/g%d", k + 1);
            const bw_alembic_id group = object(&a, BW_ALEMBIC_TOP, name, schemas[s]);
            instance(&a, group, "a", next);
            instance(&a, group, "b", next);
        }
        object(&a, BW_ALEMBIC_TOP, "g40", schemas[s]);
        if (s < 2)
            expect_refusal(&a, BW_ERR_TOO_LARGE, "objects with all its instances");
        else
            expect_refusal(&a, BW_ERR_MEMORY, "raise --memory-limit"); /* of nodes a limit may take fewer */
    }
}

static uint32_t sampling(archive *a, double first_s, double step_s) {
    const bw_alembic_time_sampling rhythm = {.time_per_cycle_s = step_s, .times_s = {&first_s, 1}};
    uint32_t index;
    assert_int_equal(bw_alembic_add_time_sampling(&index, a->w, &rhythm, NULL), BW_OK);
    return index;
}

/* Puts values, those of the second sample again and again.  In: values — of two samples. */
static void put_many(archive *a, bw_alembic_id parent, const char *name, const bw_alembic_property_opts *opts,
                     const void *values, const uint64_t points[2], uint32_t samples) {
    const bw_alembic_id id = property(a, parent, name, opts);
    const size_t size = bw_alembic_pod_size(opts->pod) * opts->extent;
    assert_int_equal(bw_alembic_put(a->w, id, values, points[0], NULL), BW_OK);
    if (samples > 1)
        assert_int_equal(bw_alembic_put(a->w, id,
                                        (const uint8_t *)values + size * (points[0] > points[1] ? 0 : points[0]),
                                        points[1], NULL),
                         BW_OK);
    for (uint32_t k = 2; k < samples; k++)
        assert_int_equal(bw_alembic_repeat(a->w, id, NULL), BW_OK);
}

/* A triangle that moves once; or grows by a face where it is a splash. */
static void triangle(archive *a, bw_alembic_id parent, const char *name, uint32_t sampling_index, uint32_t samples,
                     bool splash) {
    static const float points[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1};
    static const int32_t faces[12] = {0, 1, 2, 0, 1, 2, 0, 2, 1, 0, 2, 1}, counts[6] = {3, 3, 3, 3, 3, 3};
    static const uint64_t three[2] = {3, 3}, one[2] = {1, 1}, six[2] = {3, 6}, two[2] = {1, 2};
    const bw_alembic_id geom = property(a, object(a, parent, name, "schema=AbcGeom_PolyMesh_v1"), ".geom", NULL);
    put_many(a, geom, "P", &(bw_alembic_property_opts){BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, sampling_index, NULL},
             points, three, samples);
    put_many(a, geom, ".faceIndices",
             &(bw_alembic_property_opts){BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, splash ? sampling_index : 0, NULL},
             faces, splash ? six : three, splash ? samples : 1);
    put_many(a, geom, ".faceCounts",
             &(bw_alembic_property_opts){BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, splash ? sampling_index : 0, NULL},
             counts, splash ? two : one, splash ? samples : 1);
}

/* Seventeen steps that double lead to a mesh with a long name: what shows it keeps the name and the mesh once. */
static void names_of_instances(void **state) {
    (void)state;
    static char name[8001];
    memset(name, 'n', sizeof name - 1);
    archive a;
    begin(&a);
    for (int k = 0; k < 17; k++) {
        char group[16], next[8];
        snprintf(group, sizeof group, "g%d", k);
        snprintf(next, sizeof next, "/g%d", k + 1);
        const bw_alembic_id id = object(&a, BW_ALEMBIC_TOP, group, "");
        instance(&a, id, "a", next);
        instance(&a, id, "b", next);
    }
    triangle(&a, object(&a, BW_ALEMBIC_TOP, "g17", ""), name, 0, 1, false);
    if (read_back(&a) != BW_OK)
        fail_msg("%s", a.error.message);
    assert_int_equal(a.scene->meshes.count, 2); /* where it stands, and wherever it is shown */
    assert_true(a.scene->nodes.count > 200000);
    end(&a);
}

/* Many meshes whose bytes are the same ones in the file: what is needed while one is made is not needed for all. */
static void meshes_one_after_the_other(void **state) {
    (void)state;
    enum { CORNERS = 3 << 15, MESHES = 60 };
    static float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static int32_t faces[CORNERS], counts[CORNERS / 3];
    for (int32_t k = 0; k < CORNERS; k++)
        faces[k] = k % 3;
    for (int32_t k = 0; k < CORNERS / 3; k++)
        counts[k] = 3;
    archive a;
    begin(&a);
    a.most_bytes = 1 << 20;
    for (int k = 0; k < MESHES; k++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", k);
        const bw_alembic_id geom =
            property(&a, object(&a, BW_ALEMBIC_TOP, name, "schema=AbcGeom_PolyMesh_v1"), ".geom", NULL);
        const struct {
            const char *name;
            bw_alembic_pod pod;
            uint32_t extent;
            const void *values;
            uint64_t points;
        } rows[] = {{"P", BW_ALEMBIC_FLOAT32, 3, points, 3},
                    {".faceIndices", BW_ALEMBIC_INT32, 1, faces, CORNERS},
                    {".faceCounts", BW_ALEMBIC_INT32, 1, counts, CORNERS / 3}};
        for (size_t i = 0; i < 3; i++) {
            const bw_alembic_property_opts opts = {BW_ALEMBIC_ARRAY, rows[i].pod, rows[i].extent, 0, NULL};
            assert_int_equal(
                bw_alembic_put(a.w, property(&a, geom, rows[i].name, &opts), rows[i].values, rows[i].points, NULL),
                BW_OK);
        }
    }
    /* 60 × 98,304 corners of 4 bytes are 24 MB that stay; of 28 and more while a mesh is made they would be 190 MB. */
    a.memory_limit = 64 << 20;
    if (read_back(&a) != BW_OK)
        fail_msg("%s", a.error.message);
    assert_int_equal(a.scene->meshes.count, MESHES);
    end(&a);
}

/* Hair is listed with the path of every instance: these would take gigabytes. */
static void paths_of_instances(void **state) {
    (void)state;
    archive a;
    begin(&a);
    for (int k = 0; k < 40; k++) {
        char name[16], next[8], shown[129];
        snprintf(name, sizeof name, "g%d", k);
        snprintf(next, sizeof next, "/g%d", k + 1);
        memset(shown, 'n', sizeof shown - 1);
        shown[128] = 0;
        const bw_alembic_id group = object(&a, BW_ALEMBIC_TOP, name, "");
        instance(&a, group, shown, next);
        shown[127] = 'm';
        instance(&a, group, shown, next);
    }
    object(&a, BW_ALEMBIC_TOP, "g40", "");
    assert_int_equal(bw_alembic_finish(a.w, NULL), BW_OK);
    bw_free_alembic_writer(a.w);
    bwi_hair *hair = NULL;
    assert_int_equal(bwi_read_hair(&hair, a.path, NULL, &a.error), BW_ERR_TOO_LARGE);
    if (!strstr(a.error.message, "paths take more than"))
        fail_msg("%s", a.error.message);
    end(&a);
}

/* Samples that repeat take no bytes in the file: they must take few here, however many objects say so. */
static void samples_that_repeat(void **state) {
    (void)state;
    for (int splash = 0; splash < 2; splash++) {
        archive a;
        begin(&a);
        const uint32_t index = sampling(&a, 0, 1.0 / 24);
        for (int k = 0; k < 10; k++) {
            char name[16];
            snprintf(name, sizeof name, "m%d", k);
            triangle(&a, BW_ALEMBIC_TOP, name, index, 400000, splash);
        }
        if (read_back(&a) != BW_OK)
            fail_msg("%s", a.error.message);
        assert_int_equal(a.scene->meshes.count, 10);
        const bw_cache *cache = a.scene->meshes.data[9].primitives.data[0].position_cache;
        assert_true(cache->times_s[cache->sample_count - 1] == 399999 * (1.0 / 24));
        end(&a);
    }
}

/* Likewise of what shows and hides, above many meshes. */
static void visibility_that_repeats(void **state) {
    (void)state;
    static const int8_t blink[2] = {1, 0};
    static const uint64_t one[2] = {1, 1};
    archive a;
    begin(&a);
    const uint32_t index = sampling(&a, 0, 1.0 / 24);
    const bw_alembic_id top = object(&a, BW_ALEMBIC_TOP, "top", "schema=AbcGeom_Xform_v3");
    put_many(&a, top, "visible", &(bw_alembic_property_opts){BW_ALEMBIC_SCALAR, BW_ALEMBIC_INT8, 1, index, NULL}, blink,
             one, 400000);
    for (int k = 0; k < 40; k++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", k);
        triangle(&a, top, name, 0, 1, false);
    }
    if (read_back(&a) != BW_OK)
        fail_msg("%s", a.error.message);
    const bw_cache *cache = a.scene->nodes.data[40].visibility_cache;
    float shown = 9;
    assert_int_equal(cache->read(cache->ctx, 1, &shown, NULL), BW_OK);
    assert_true(shown == 0.0f && cache->times_s[1] == 1.0 / 24);
    assert_true(cache->times_s[cache->sample_count - 1] == 399999 * (1.0 / 24));
    end(&a);
}

/* Times that a clip can have, and such as are too close: these came out as a rate that is infinite, which is nobody's fault but ours. */
static void times_without_sense(void **state) {
    (void)state;
    static const struct {
        double first_s, step_s;
        const char *part; /* of the refusal; NULL: it is read */
    } rows[] = {
        {0, 1e-320, "object /m, property .geom/P: is sampled every 9.99989e-321 s, expected at most 1e+09 samples"},
        {0, 5e-324, "expected at most 1e+09 samples a second"},
        {1e17, 1, "property .geom/P, sample 1: is at 1e+17 s, not after the sample before it"},
        {0, 1e-9 * 1.001, NULL},
        {0, 1e300, NULL},
        {-DBL_MAX, DBL_MAX / 64, NULL}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        archive a;
        begin(&a);
        triangle(&a, BW_ALEMBIC_TOP, "m", sampling(&a, rows[k].first_s, rows[k].step_s), 2, false);
        if (rows[k].part) {
            expect_refusal(&a, BW_ERR_MALFORMED, rows[k].part);
            continue;
        }
        if (read_back(&a) != BW_OK)
            fail_msg("%s", a.error.message);
        assert_true(a.scene->clips.data[0].key_rate_fps == 1 / rows[k].step_s);
        end(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_without_sense),        cmocka_unit_test(samples_that_repeat),
        cmocka_unit_test(visibility_that_repeats),    cmocka_unit_test(instances_that_double),
        cmocka_unit_test(names_of_instances),         cmocka_unit_test(paths_of_instances),
        cmocka_unit_test(meshes_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
