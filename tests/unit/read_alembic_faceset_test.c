/* SPDX-License-Identifier: MIT
 * Face sets of Alembic meshes as materials. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "abc_fixture.h"
#include "expect.h"

/* The fixture's strip, and a triangle along its lower edge. */
static const int32_t counts[] = {4, 4, 3}, corners[] = {0, 3, 4, 1, 1, 4, 5, 2, 0, 1, 2};

static bw_alembic_id mesh(abc_fixture *a, const char *name, bw_alembic_id *object) {
    *object = abc_object(a, BW_ALEMBIC_TOP, name, "AbcGeom_PolyMesh_v1");
    const bw_alembic_id geom = abc_property(a, *object, ".geom", NULL);
    abc_array(a, geom, "P", "vtx", BW_ALEMBIC_FLOAT32, 3, 2, abc_strip, 6);
    abc_array(a, geom, ".faceIndices", NULL, BW_ALEMBIC_INT32, 1, 1, corners, 11);
    abc_array(a, geom, ".faceCounts", NULL, BW_ALEMBIC_INT32, 1, 1, counts, 3);
    return geom;
}

static void set(abc_fixture *a, bw_alembic_id mesh_object, const char *name, uint32_t samples, const int32_t *faces,
                uint64_t count) {
    const bw_alembic_id compound =
        abc_property(a, abc_object(a, mesh_object, name, "AbcGeom_FaceSet_v1"), ".faceset", NULL);
    abc_array(a, compound, ".faces", NULL, BW_ALEMBIC_INT32, 1, samples, faces, count);
}

static const bw_mesh *mesh_of(const bw_scene *scene, const char *name) {
    for (size_t k = 0; k < scene->nodes.count; k++)
        if (strcmp(scene->nodes.data[k].name, name) == 0)
            return &scene->meshes.data[scene->nodes.data[k].mesh];
    fail_msg("no node %s", name);
    return NULL;
}

static void sets_are_materials(void **state) {
    (void)state;
    static const int32_t second[] = {1}, first[] = {0};
    float uv[22];
    for (size_t k = 0; k < 11; k++) {
        uv[2 * k] = (float)k;
        uv[2 * k + 1] = 1;
    }
    abc_fixture a;
    bw_alembic_id object;
    abc_begin(&a);
    const bw_alembic_id geom = mesh(&a, "body", &object);
    abc_array(&a, geom, "uv", "fvr", BW_ALEMBIC_FLOAT32, 2, 1, uv, 11);
    set(&a, object, "cloth \"A\"", 1, second, 1);
    set(&a, object, "skin", 1, first, 1);
    mesh(&a, "other", &object);
    set(&a, object, "skin", 1, second, 1);
    abc_read_whole(&a);
    assert_int_equal(a.scene->materials.count, 2);
    assert_string_equal(a.scene->materials.data[0].name, "cloth \"A\"");
    assert_string_equal(a.scene->materials.data[0].json, "{\"name\":\"cloth \\\"A\\\"\"}");
    assert_string_equal(a.scene->materials.data[1].name, "skin");
    const bw_mesh *body = mesh_of(a.scene, "body"), *other = mesh_of(a.scene, "other");
    assert_int_equal(body->primitives.count, 3);
    assert_int_equal(other->primitives.count, 2);
    assert_int_equal(other->primitives.data[0].material, 1);
    assert_int_equal(other->primitives.data[1].material, BW_NO_INDEX);
    static const struct {
        uint32_t material, vertices, indices, first_corner;
    } rows[] = {{0, 4, 6, 4}, {1, 4, 6, 0}, {BW_NO_INDEX, 3, 3, 8}};
    for (size_t k = 0; k < 3; k++) {
        const bw_primitive *p = &body->primitives.data[k];
        assert_int_equal(p->material, rows[k].material);
        assert_int_equal(p->vertex_count, rows[k].vertices);
        assert_int_equal(p->indices.count, rows[k].indices);
        float moved[12];
        assert_int_equal(p->position_cache->read(p->position_cache->ctx, 1, moved, NULL), BW_OK);
        for (uint32_t v = 0; v < p->vertex_count; v++) {
            const size_t point = 3 * (size_t)corners[rows[k].first_corner + v];
            EXPECT3(p->positions + 3 * v, abc_strip[0][point], abc_strip[0][point + 1], abc_strip[0][point + 2], 0);
            EXPECT3(moved + 3 * v, abc_strip[1][point], abc_strip[1][point + 1], abc_strip[1][point + 2], 0);
            EXPECT1(p->uv_sets.data[0][2 * v], rows[k].first_corner + v, 0);
        }
    }
    abc_end(&a);
}

static void sets_that_do_not_fit(void **state) {
    (void)state;
    static const int32_t both[] = {0, 1, 0}, again[] = {1, 2, 3, -1}, empty[] = {7}, moving[] = {0, 2};
    abc_fixture a;
    bw_alembic_id object;
    abc_begin(&a);
    mesh(&a, "body", &object);
    set(&a, object, "both", 1, both, 3);
    set(&a, object, "again", 1, again, 4);
    set(&a, object, "empty", 1, empty, 1);
    mesh(&a, "other", &object);
    set(&a, object, "moving", 2, moving, 1);
    abc_read_whole(&a);
    assert_int_equal(abc_warned(a.scene, "face-sets-overlap"), 1);
    assert_int_equal(abc_warned(a.scene, "face-sets-unfit"), 3);
    assert_int_equal(abc_warned(a.scene, "face-sets-change"), 1);
    assert_int_equal(a.scene->materials.count, 3); /* both, again, moving */
    const bw_mesh *body = mesh_of(a.scene, "body");
    assert_int_equal(body->primitives.count, 2);
    assert_int_equal(body->primitives.data[0].indices.count, 12);
    assert_int_equal(body->primitives.data[1].indices.count, 3);
    abc_end(&a);
}

/* Each set is read apart, so their number is bounded. */
static void sets_without_end(void **state) {
    (void)state;
    enum { SETS = 260 };
    int32_t threes[SETS], triangles[3 * SETS];
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id object = abc_object(&a, BW_ALEMBIC_TOP, "many", "AbcGeom_PolyMesh_v1"),
                        geom = abc_property(&a, object, ".geom", NULL);
    for (int32_t k = 0; k < SETS; k++) {
        char name[16];
        threes[k] = 3;
        for (int32_t i = 0; i < 3; i++)
            triangles[3 * k + i] = i == 2 ? 3 : i;
        snprintf(name, sizeof name, "set%d", k);
        set(&a, object, name, 1, &k, 1);
    }
    abc_array(&a, geom, "P", "vtx", BW_ALEMBIC_FLOAT32, 3, 1, abc_strip, 6);
    abc_array(&a, geom, ".faceIndices", NULL, BW_ALEMBIC_INT32, 1, 1, triangles, 3 * SETS);
    abc_array(&a, geom, ".faceCounts", NULL, BW_ALEMBIC_INT32, 1, 1, threes, SETS);
    abc_read_whole(&a);
    assert_int_equal(a.scene->materials.count, 256);
    assert_int_equal(mesh_of(a.scene, "many")->primitives.count, 257);
    assert_int_equal(mesh_of(a.scene, "many")->primitives.data[256].indices.count, 12);
    assert_int_equal(abc_warned(a.scene, "face-sets-many"), 4);
    abc_end(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_materials),
        cmocka_unit_test(sets_that_do_not_fit),
        cmocka_unit_test(sets_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
