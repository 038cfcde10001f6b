/* SPDX-License-Identifier: MIT
 * Alembic scenes from archives written here: vertices that part in a late sample, visibility, instances, transforms, topologies that change, and
 * attributes that do not fit. */
#include <math.h>
#include <string.h>

#include "abc_fixture.h"
#include "expect.h"

static void a_mesh_that_moves(void **state) {
    (void)state;
    abc_fixture a;
    abc_begin(&a);
    abc_mesh(&a, BW_ALEMBIC_TOP, "strip", 2);
    abc_read_whole(&a);
    const bw_primitive *p = abc_primitive_of(a.scene, "strip");
    assert_int_equal(p->vertex_count, 6);
    static const uint32_t wanted[] = {0, 2, 1, 0, 3, 2, 3, 4, 2, 3, 5, 4};
    assert_int_equal(p->indices.count, 12);
    assert_memory_equal(p->indices.data, wanted, sizeof wanted);
    EXPECT3(p->positions + 3, 0, 1, 0, 0); /* point 3 is the second corner met */
    float values[18];
    assert_int_equal(p->position_cache->read(p->position_cache->ctx, 1, values, NULL), BW_OK);
    EXPECT3(values + 6, 1, 1, 1, 0);
    const bw_clip *clip = a.scene->clips.data;
    assert_int_equal(a.scene->clips.count, 1);
    assert_true(clip->plays_caches && clip->channels.count == 0);
    EXPECT1(clip->start_s, 0.2, 0);
    EXPECT1(clip->end_s, 0.24, 1e-15);
    EXPECT1(clip->key_rate_fps, 25, 1e-12);
    abc_end(&a);
}

/* Both sides of the middle edge have one normal first, and two in the second sample: they must be two vertices in every frame. */
static void vertices_part_where_any_sample_parts_them(void **state) {
    (void)state;
    float normals[2][24], uv[16];
    for (size_t k = 0; k < 8; k++) {
        const float n[2][3] = {{0, 0, 1}, {k < 4 ? -1.0f : 1.0f, 0, 0}};
        memcpy(normals[0] + 3 * k, n[0], sizeof n[0]);
        memcpy(normals[1] + 3 * k, n[1], sizeof n[1]);
        uv[2 * k] = abc_strip[0][3 * abc_strip_corners[k]];
        uv[2 * k + 1] = 0.25f;
    }
    abc_fixture a;
    abc_begin(&a);
    bw_alembic_id geom = abc_mesh(&a, BW_ALEMBIC_TOP, "strip", 2);
    abc_array(&a, geom, "uv", "fvr", BW_ALEMBIC_FLOAT32, 2, 1, uv, 8);
    abc_array(&a, geom, "N", "fvr", BW_ALEMBIC_FLOAT32, 3, 2, normals, 8);
    abc_read_whole(&a);
    const bw_primitive *p = abc_primitive_of(a.scene, "strip");
    assert_int_equal(p->vertex_count, 8);
    assert_non_null(p->normal_cache);
    EXPECT1(p->uv_sets.data[0][1], 0.75, 0); /* v runs the other way */
    float values[24];
    assert_int_equal(p->normal_cache->read(p->normal_cache->ctx, 1, values, NULL), BW_OK);
    EXPECT3(values, -1, 0, 0, 0);
    EXPECT3(values + 21, 1, 0, 0, 0);
    abc_end(&a);

    abc_begin(&a);
    geom = abc_mesh(&a, BW_ALEMBIC_TOP, "strip", 1);
    abc_array(&a, geom, "N", "fvr", BW_ALEMBIC_FLOAT32, 3, 1, normals, 8);
    abc_read_whole(&a);
    assert_int_equal(abc_primitive_of(a.scene, "strip")->vertex_count, 6);
    assert_null(abc_primitive_of(a.scene, "strip")->normal_cache);
    assert_int_equal(a.scene->clips.count, 0);
    abc_end(&a);
}

static void attributes_that_do_not_fit_are_left_out(void **state) {
    (void)state;
    static const float values[24] = {0};
    abc_fixture a;
    abc_begin(&a);
    bw_alembic_id geom = abc_mesh(&a, BW_ALEMBIC_TOP, "strip", 1);
    abc_array(&a, geom, "uv", "fvr", BW_ALEMBIC_FLOAT32, 2, 1, values, 7);
    abc_array(&a, geom, "N", "vtx", BW_ALEMBIC_FLOAT32, 3, 1, values, 8);
    abc_read_whole(&a);
    assert_int_equal(abc_warned(a.scene, "uvs-unfit"), 1);
    assert_int_equal(abc_warned(a.scene, "normals-unfit"), 1);
    assert_null(abc_primitive_of(a.scene, "strip")->normals);
    assert_int_equal(abc_primitive_of(a.scene, "strip")->uv_sets.count, 0);
    abc_end(&a);

    abc_begin(&a); /* normals of the first frame only */
    geom = abc_mesh(&a, BW_ALEMBIC_TOP, "strip", 2);
    abc_array(&a, geom, "N", "vtx", BW_ALEMBIC_FLOAT32, 3, 1, abc_strip, 6);
    abc_read_whole(&a);
    assert_int_equal(abc_warned(a.scene, "normals-still"), 1);
    assert_null(abc_primitive_of(a.scene, "strip")->normals);
    abc_end(&a);
}

/* The nearest that says something decides; a child may show itself below a hidden parent. */
static void visibility_is_handed_down(void **state) {
    (void)state;
    static const int8_t hidden = 0, shown = 1, deferred = -1, blinks[] = {1, 0, -1};
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id top = abc_object(&a, BW_ALEMBIC_TOP, "top", "AbcGeom_Xform_v3");
    abc_scalar(&a, top, "visible", BW_ALEMBIC_INT8, 1, 1, &hidden, 1);
    static const struct {
        const char *name;
        const int8_t *values;
        uint32_t count;
    } rows[] = {{"silent", NULL, 0}, {"deferred", &deferred, 1}, {"shown", &shown, 1}, {"blinks", blinks, 3}};
    for (size_t k = 0; k < 4; k++) {
        const bw_alembic_id parent = abc_object(&a, top, rows[k].name, "AbcGeom_Xform_v3");
        if (rows[k].count)
            abc_scalar(&a, parent, "visible", BW_ALEMBIC_INT8, 1, rows[k].count, rows[k].values, 1);
        abc_mesh(&a, parent, "mesh", 1);
    }
    abc_read_whole(&a);
    assert_int_equal(a.scene->nodes.count, 9);
    const bw_node *nodes = a.scene->nodes.data;
    assert_false(nodes[2].in_scene);
    assert_false(nodes[4].in_scene);
    assert_true(nodes[6].in_scene && !nodes[6].visibility_cache);
    assert_true(nodes[8].in_scene);
    assert_int_equal(abc_warned(a.scene, "hidden-objects"), 2);
    const bw_cache *cache = nodes[8].visibility_cache;
    assert_int_equal(cache->sample_count, 3);
    static const float wanted[] = {1, 0, 0}; /* what is left to the parent in the third is hidden there */
    for (uint32_t k = 0; k < 3; k++) {
        float value = 9;
        assert_int_equal(cache->read(cache->ctx, k, &value, NULL), BW_OK);
        assert_true(value == wanted[k]);
    }
    abc_end(&a);
}

static void transforms_and_instances(void **state) {
    (void)state;
    static const double travel[] = {1, 0, 0, 1, 2, 0}, up[] = {0, 5, 0};
    static const bool alone = false;
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id moving = abc_xform(&a, BW_ALEMBIC_TOP, "moving", 2, travel, NULL);
    abc_mesh(&a, moving, "strip", 1);
    const bw_alembic_id free = abc_xform(&a, moving, "free", 1, up, &alone);
    abc_instance(&a, free, "copy", "/moving/strip");
    abc_read_whole(&a);
    assert_int_equal(a.scene->nodes.count, 4);
    assert_int_equal(a.scene->meshes.count, 1);
    const bw_node *nodes = a.scene->nodes.data;
    assert_string_equal(nodes[3].name, "copy");
    assert_int_equal(nodes[3].mesh, nodes[1].mesh);
    assert_int_equal(nodes[2].parent, BW_NO_INDEX); /* it does not inherit */
    EXPECT1(nodes[2].matrix[13], 5, 0);
    float matrix[16];
    assert_int_equal(nodes[0].matrix_cache->read(nodes[0].matrix_cache->ctx, 1, matrix, NULL), BW_OK);
    EXPECT3(matrix + 12, 1, 2, 0, 0);
    abc_end(&a);
}

static void an_instance_of_its_own_parent_has_no_end(void **state) {
    (void)state;
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id ring = abc_object(&a, BW_ALEMBIC_TOP, "ring", "AbcGeom_Xform_v3");
    abc_instance(&a, ring, "again", "/ring");
    assert_int_equal(abc_read_back(&a), BW_ERR_MALFORMED);
    assert_non_null(strstr(a.error.message, "object /ring/again"));
    abc_end(&a);
}

/* One triangle, none, then two: what is left over is one point, and stands where a triangle was if there is none. */
static void a_topology_that_changes(void **state) {
    (void)state;
    static const float points[] = {2, 0, 0, 3, 0, 0, 2, 1, 0, 3, 1, 0}, speeds[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const int32_t faces[] = {0, 1, 2, 1, 3, 2}, threes[] = {3, 3};
    static const uint64_t point_counts[] = {3, 0, 4}, face_counts[] = {1, 0, 2};
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id geom =
        abc_property(&a, abc_object(&a, BW_ALEMBIC_TOP, "splash", "AbcGeom_PolyMesh_v1"), ".geom", NULL);
    static const struct {
        const char *name;
        bw_alembic_pod pod;
        uint32_t extent;
        const void *values;
        uint32_t per_face; /* 0: of points */
    } rows[] = {{"P", BW_ALEMBIC_FLOAT32, 3, points, 0},
                {".velocities", BW_ALEMBIC_FLOAT32, 3, speeds, 0},
                {".faceIndices", BW_ALEMBIC_INT32, 1, faces, 3},
                {".faceCounts", BW_ALEMBIC_INT32, 1, threes, 1}};
    for (size_t r = 0; r < 4; r++) {
        const bw_alembic_id id =
            abc_property(&a, geom, rows[r].name,
                         &(bw_alembic_property_opts){BW_ALEMBIC_ARRAY, rows[r].pod, rows[r].extent, a.frames, NULL});
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(bw_alembic_put(a.w, id, rows[r].values,
                                            rows[r].per_face ? rows[r].per_face * face_counts[k] : point_counts[k],
                                            NULL),
                             BW_OK);
    }
    abc_read_whole(&a);
    const bw_primitive *p = abc_primitive_of(a.scene, "splash");
    assert_true(p->topology_changes);
    assert_int_equal(p->vertex_count, 6);
    static const float wanted[3][18] = {{2, 0, 0, 2, 1, 0, 3, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0},
                                        {2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0},
                                        {2, 0, 0, 2, 1, 0, 3, 0, 0, 3, 0, 0, 2, 1, 0, 3, 1, 0}};
    float values[18];
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(p->position_cache->read(p->position_cache->ctx, k, values, NULL), BW_OK);
        assert_memory_equal(values, wanted[k], sizeof values);
    }
    assert_int_equal(p->velocity_cache->read(p->velocity_cache->ctx, 0, values, NULL), BW_OK);
    EXPECT3(values + 6, 0, 0, 1, 0);
    EXPECT3(values + 9, 0, 0, 0, 0);
    abc_end(&a);
}

/* An L whose fan would lie outside it; in its second sample it is drawn out to a convex face.  The triangles are those of the first. */
static void concave_faces_keep_their_triangles(void **state) {
    (void)state;
    static const float ell[2][18] = {{1, 1, 0, 1, 3, 0, 0, 3, 0, 0, 0, 0, 3, 0, 0, 3, 1, 0},
                                     {4, 2, 0, 1, 3, 0, 0, 3, 0, 0, 0, 0, 3, 0, 0, 4, 1, 0}};
    static const int32_t corners[] = {4, 3, 2, 1, 0, 5}, six[] = {6};
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id geom =
        abc_property(&a, abc_object(&a, BW_ALEMBIC_TOP, "ell", "AbcGeom_PolyMesh_v1"), ".geom", NULL);
    abc_array(&a, geom, "P", "vtx", BW_ALEMBIC_FLOAT32, 3, 2, ell, 6);
    abc_array(&a, geom, ".faceIndices", NULL, BW_ALEMBIC_INT32, 1, 1, corners, 6);
    abc_array(&a, geom, ".faceCounts", NULL, BW_ALEMBIC_INT32, 1, 1, six, 1);
    abc_read_whole(&a);
    const bw_primitive *p = abc_primitive_of(a.scene, "ell");
    assert_int_equal(p->indices.count, 12);
    for (uint32_t sample = 0; sample < 2; sample++) {
        float values[18];
        double area = 0;
        assert_int_equal(p->position_cache->read(p->position_cache->ctx, sample, values, NULL), BW_OK);
        for (size_t k = 0; k < 12; k += 3) {
            const float *q = values + 3 * p->indices.data[k], *r = values + 3 * p->indices.data[k + 1],
                        *s = values + 3 * p->indices.data[k + 2];
            const double turn = (double)((r[0] - q[0]) * (s[1] - q[1]) - (r[1] - q[1]) * (s[0] - q[0]));
            assert_true(turn > 0);
            area += turn / 2;
        }
        EXPECT1(area, sample ? 10 : 5, 1e-6); /* by the shoelace formula */
    }
    abc_end(&a);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    static const float nan_points[] = {0, 0, 0, 1, NAN, 0, 0, 1, 0};
    static const int32_t three[] = {3}, far[] = {0, 1, 3}, near[] = {0, 1, 2}, minus[] = {-3};
    static const struct {
        const float *points;
        const int32_t *faces, *counts;
        const char *part;
    } rows[] = {{abc_strip[0], far, three, "property .geom/.faceIndices, sample 0: corner 2 is point 3 of 3"},
                {abc_strip[0], near, minus, "face 0 has -3 corners"},
                {nan_points, near, three, "property .geom/P, sample 0: component 1 of point 1 is not finite"},
                {abc_strip[0], near, NULL, "has no property .geom/.faceCounts"}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        abc_fixture a;
        abc_begin(&a);
        const bw_alembic_id geom =
            abc_property(&a, abc_object(&a, BW_ALEMBIC_TOP, "bad", "AbcGeom_PolyMesh_v1"), ".geom", NULL);
        abc_array(&a, geom, "P", "vtx", BW_ALEMBIC_FLOAT32, 3, 1, rows[k].points, 3);
        abc_array(&a, geom, ".faceIndices", NULL, BW_ALEMBIC_INT32, 1, 1, rows[k].faces, 3);
        if (rows[k].counts)
            abc_array(&a, geom, ".faceCounts", NULL, BW_ALEMBIC_INT32, 1, 1, rows[k].counts, 1);
        assert_int_equal(abc_read_back(&a), BW_ERR_MALFORMED);
        if (!strstr(a.error.message, rows[k].part) || !strstr(a.error.message, "object /bad"))
            fail_msg("\"%s\" does not say \"%s\"", a.error.message, rows[k].part);
        abc_end(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_that_moves),
        cmocka_unit_test(vertices_part_where_any_sample_parts_them),
        cmocka_unit_test(attributes_that_do_not_fit_are_left_out),
        cmocka_unit_test(visibility_is_handed_down),
        cmocka_unit_test(transforms_and_instances),
        cmocka_unit_test(an_instance_of_its_own_parent_has_no_end),
        cmocka_unit_test(a_topology_that_changes),
        cmocka_unit_test(concave_faces_keep_their_triangles),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
