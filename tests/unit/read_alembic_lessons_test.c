/* SPDX-License-Identifier: MIT
 * What went wrong elsewhere with Alembic scenes: rates and ranges told wrongly, attributes of other topologies, points welded too early, strands
 * that were lost.  Each test names where. */
#include <math.h>
#include <string.h>

#include "abc_fixture.h"
#include "expect.h"

enum { MOST = 61 };

/* A strip that moves, sampled in a rhythm of its own. */
static void sampled(abc_fixture *a, const bw_alembic_time_sampling *sampling, uint32_t samples) {
    float points[MOST][18];
    for (uint32_t k = 0; k < samples; k++)
        for (size_t i = 0; i < 18; i++)
            points[k][i] = abc_strip[0][i] + (float)k;
    assert_int_equal(bw_alembic_add_time_sampling(&a->frames, a->w, sampling, NULL), BW_OK);
    const bw_alembic_id geom =
        abc_property(a, abc_object(a, BW_ALEMBIC_TOP, "strip", "AbcGeom_PolyMesh_v1"), ".geom", NULL);
    abc_array(a, geom, "P", "vtx", BW_ALEMBIC_FLOAT32, 3, samples, points, 6);
    abc_array(a, geom, ".faceIndices", NULL, BW_ALEMBIC_INT32, 1, 1, abc_strip_corners, 8);
    abc_array(a, geom, ".faceCounts", NULL, BW_ALEMBIC_INT32, 1, 1, abc_strip_counts, 2);
}

/* 26 samples over a second are 25 a second, not 26; a rate is never taken for 24; the last of 31 samples is frame 30, its time scaled once.
 * https://github.com/Unity-Technologies/com.unity.formats.alembic/issues/44, https://github.com/PixarAnimationStudios/OpenUSD/issues/940,
 * https://github.com/PixarAnimationStudios/OpenUSD/issues/662, https://github.com/sharpen3d/openvat/issues/9 */
static void rates_and_ends(void **state) {
    (void)state;
    static const struct {
        double rate, start_s;
        uint32_t samples;
    } rows[] = {{25, 0, 26}, {30, 0, 31}, {60, 1 / 60.0, 61}, {24, 1 / 24.0, 10}};
    for (size_t k = 0; k < 4; k++) {
        const bw_alembic_time_sampling sampling = {.time_per_cycle_s = 1 / rows[k].rate,
                                                   .times_s = {&rows[k].start_s, 1}};
        abc_fixture a;
        abc_begin(&a);
        sampled(&a, &sampling, rows[k].samples);
        abc_read_whole(&a);
        const bw_clip *clip = a.scene->clips.data;
        EXPECT1(clip->key_rate_fps, rows[k].rate, 1e-9);
        EXPECT1(clip->start_s, rows[k].start_s, 1e-12);
        EXPECT1((clip->end_s - clip->start_s) * clip->key_rate_fps, rows[k].samples - 1, 1e-9);
        const bw_cache *cache = abc_primitive_of(a.scene, "strip")->position_cache;
        float values[18];
        assert_int_equal(cache->read(cache->ctx, rows[k].samples - 1, values, NULL), BW_OK);
        EXPECT1(values[0], rows[k].samples - 1, 0);
        abc_end(&a);
    }
}

/* What stands still has its one sample at 0, and no say in when the clip starts.
 * https://github.com/PixarAnimationStudios/OpenUSD/pull/798 */
static void what_stands_still_does_not_pull_the_start(void **state) {
    (void)state;
    static const double still[] = {1, 2, 3}, first = 1001 / 24.0;
    const bw_alembic_time_sampling sampling = {.time_per_cycle_s = 1 / 24.0, .times_s = {&first, 1}};
    abc_fixture a;
    abc_begin(&a);
    abc_xform(&a, BW_ALEMBIC_TOP, "still", 1, still, NULL);
    sampled(&a, &sampling, 24);
    abc_read_whole(&a);
    EXPECT1(a.scene->clips.data[0].start_s, 1001 / 24.0, 1e-12);
    EXPECT1(a.scene->clips.data[0].end_s, 1024 / 24.0, 1e-12);
    abc_end(&a);
}

/* The exporter's rate holds where samples keep none of their own.
 * https://github.com/PixarAnimationStudios/OpenUSD/pull/2944 */
static void the_exporter_says_the_rate(void **state) {
    (void)state;
    static const double times[] = {0, 0.04, 0.2};
    const bw_alembic_time_sampling sampling = {.kind = BW_ALEMBIC_ACYCLIC, .times_s = {times, 3}};
    const bw_alembic_meta pair = {"_ai_DCC_FPS", "25"};
    const bw_alembic_metadata metadata = {.data = &pair, .count = 1};
    for (int said = 0; said < 2; said++) {
        abc_fixture a;
        abc_begin(&a);
        bw_free_alembic_writer(a.w);
        const bw_alembic_write_opts opts = {.metadata = said ? &metadata : NULL};
        assert_int_equal(bw_alembic_create(&a.w, a.path, &opts, NULL), BW_OK);
        sampled(&a, &sampling, 3);
        abc_read_whole(&a);
        EXPECT1(a.scene->clips.data[0].key_rate_fps, said ? 25 : 0, 0);
        abc_end(&a);
    }
}

/* Two triangles that lie edge to edge at first, and part: points are never welded because they meet somewhere.
 * https://github.com/Unity-Technologies/com.unity.formats.alembic/issues/58 */
static void points_that_meet_stay_two(void **state) {
    (void)state;
    static const float points[2][18] = {{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0},
                                        {0, 0, 0, 1, 0, 0, 0, 1, 0, 3, 0, 0, 2, 1, 0, 3, 1, 0}};
    static const int32_t faces[] = {0, 2, 1, 3, 4, 5}, threes[] = {3, 3};
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id geom =
        abc_property(&a, abc_object(&a, BW_ALEMBIC_TOP, "halves", "AbcGeom_PolyMesh_v1"), ".geom", NULL);
    abc_array(&a, geom, "P", "vtx", BW_ALEMBIC_FLOAT32, 3, 2, points, 6);
    abc_array(&a, geom, ".faceIndices", NULL, BW_ALEMBIC_INT32, 1, 1, faces, 6);
    abc_array(&a, geom, ".faceCounts", NULL, BW_ALEMBIC_INT32, 1, 1, threes, 2);
    abc_read_whole(&a);
    const bw_primitive *p = abc_primitive_of(a.scene, "halves");
    assert_int_equal(p->vertex_count, 6);
    float values[18];
    assert_int_equal(p->position_cache->read(p->position_cache->ctx, 1, values, NULL), BW_OK);
    for (size_t k = 0; k < 6; k++) {
        const float *corner = points[1] + 3 * faces[k];
        EXPECT3(values + 3 * k, corner[0], corner[1], corner[2], 0);
    }
    abc_end(&a);
}

/* A mesh that grows while its UVs and normals stay as many as in the first sample.
 * https://github.com/Unity-Technologies/com.unity.formats.alembic/issues/88 */
static void attributes_of_the_first_sample_only(void **state) {
    (void)state;
    static const int32_t faces[] = {0, 2, 1, 1, 2, 3}, threes[] = {3, 3};
    static const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1},
                       uvs[] = {0, 0, 1, 0, 0, 1};
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id geom =
        abc_property(&a, abc_object(&a, BW_ALEMBIC_TOP, "grows", "AbcGeom_PolyMesh_v1"), ".geom", NULL);
    const struct {
        const char *name;
        bw_alembic_pod pod;
        uint32_t extent;
        const void *values;
        uint64_t points;
    } rows[] = {{"P", BW_ALEMBIC_FLOAT32, 3, points, 2},
                {".faceIndices", BW_ALEMBIC_INT32, 1, faces, 3},
                {".faceCounts", BW_ALEMBIC_INT32, 1, threes, 1}};
    for (size_t r = 0; r < 3; r++) {
        const bw_alembic_property_opts opts = {BW_ALEMBIC_ARRAY, rows[r].pod, rows[r].extent, a.frames, NULL};
        const bw_alembic_id id = abc_property(&a, geom, rows[r].name, &opts);
        for (uint64_t k = 1; k <= 2; k++)
            assert_int_equal(bw_alembic_put(a.w, id, rows[r].values, r == 0 ? 2 + k : k * rows[r].points, NULL), BW_OK);
    }
    abc_array(&a, geom, "N", "fvr", BW_ALEMBIC_FLOAT32, 3, 1, normals, 3);
    abc_array(&a, geom, "uv", "fvr", BW_ALEMBIC_FLOAT32, 2, 1, uvs, 3);
    abc_read_whole(&a);
    const bw_primitive *p = abc_primitive_of(a.scene, "grows");
    assert_true(p->topology_changes);
    assert_null(p->normals);
    assert_int_equal(p->uv_sets.count, 0);
    assert_int_equal(abc_warned(a.scene, "normals-unfit"), 1);
    assert_int_equal(abc_warned(a.scene, "uvs-of-changing-topology"), 1);
    abc_end(&a);
}

/* Strands of 2, 3 and 4 points: counts are no offsets, and the last strand is one.
 * https://github.com/Unity-Technologies/com.unity.formats.alembic/pull/391.  They are splines with orders and knots of their own:
 * https://github.com/alembic/alembic/issues/458 */
static void the_last_strand_is_there(void **state) {
    (void)state;
    static const uint32_t wanted[] = {0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 7, 8};
    static const int32_t counts[] = {2, 3, 4};
    static const uint8_t kind[] = {2, 0, 0, 0}, orders[] = {2, 3, 4};
    static const float knots[] = {0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1};
    float points[27];
    for (size_t k = 0; k < 27; k++)
        points[k] = (float)k;
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id geom =
        abc_property(&a, abc_object(&a, BW_ALEMBIC_TOP, "hair", "AbcGeom_Curve_v2"), ".geom", NULL);
    abc_array(&a, geom, "P", "vtx", BW_ALEMBIC_FLOAT32, 3, 1, points, 9);
    abc_array(&a, geom, "nVertices", NULL, BW_ALEMBIC_INT32, 1, 1, counts, 3);
    abc_scalar(&a, geom, "curveBasisAndType", BW_ALEMBIC_UINT8, 4, 1, kind, 4);
    const bw_alembic_property_opts opts = {BW_ALEMBIC_ARRAY, BW_ALEMBIC_UINT8, 1, 0, NULL};
    assert_int_equal(bw_alembic_put(a.w, abc_property(&a, geom, ".orders", &opts), orders, 3, NULL), BW_OK);
    abc_array(&a, geom, ".knots", NULL, BW_ALEMBIC_FLOAT32, 1, 1, knots, 18);
    abc_read_whole(&a);
    const bw_primitive *p = abc_primitive_of(a.scene, "hair");
    assert_int_equal(p->vertex_count, 9);
    assert_int_equal(p->indices.count, 12);
    assert_memory_equal(p->indices.data, wanted, sizeof wanted);
    EXPECT3(p->positions + 24, 24, 25, 26, 0);
    abc_end(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_and_ends),
        cmocka_unit_test(what_stands_still_does_not_pull_the_start),
        cmocka_unit_test(the_exporter_says_the_rate),
        cmocka_unit_test(points_that_meet_stay_two),
        cmocka_unit_test(attributes_of_the_first_sample_only),
        cmocka_unit_test(the_last_strand_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
