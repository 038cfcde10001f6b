/* SPDX-License-Identifier: MIT
 * Curves and points of Alembic archives as lines and points of the scene, and what is left out with a warning while the rest is read. */
#include <math.h>
#include <string.h>

#include "abc_fixture.h"
#include "expect.h"

static const float points[2][21] = {{0, 0, 0, 1, 0, 0, 2, 0, 0, 5, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0},
                                    {0, 0, 0, 1, 0, 3, 2, 0, 6, 5, 0, 0, 0, 1, 0, 1, 1, 3, 2, 1, 6}};
static const int32_t strands[2][3] = {{3, 1, 3}, {3, 3, 1}};

/* Three curves of 3, 1 and 3 points.  In: kind — type, wrap, basis, and one byte more; NULL: none is said. */
static bw_alembic_id curves(abc_fixture *a, const char *name, const uint8_t *kind, uint32_t samples,
                            uint32_t count_samples) {
    const bw_alembic_id geom = abc_property(a, abc_object(a, BW_ALEMBIC_TOP, name, "AbcGeom_Curve_v2"), ".geom", NULL);
    abc_array(a, geom, "P", "vtx", BW_ALEMBIC_FLOAT32, 3, samples, points, 7);
    abc_array(a, geom, "nVertices", NULL, BW_ALEMBIC_INT32, 1, count_samples, strands, 3);
    if (kind)
        abc_scalar(a, geom, "curveBasisAndType", BW_ALEMBIC_UINT8, 4, 1, kind, 4);
    return geom;
}

/* In: ids — [samples][4], changing if the second sample's differ. */
static void particles(abc_fixture *a, const char *name, uint32_t samples, const uint64_t *ids, const uint64_t *counts) {
    const bw_alembic_id geom = abc_property(a, abc_object(a, BW_ALEMBIC_TOP, name, "AbcGeom_Points_v1"), ".geom", NULL);
    const bw_alembic_property_opts rows[] = {{BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, a->frames, NULL},
                                             {BW_ALEMBIC_ARRAY, BW_ALEMBIC_UINT64, 1, a->frames, NULL}};
    const bw_alembic_id p = abc_property(a, geom, "P", &rows[0]), id = abc_property(a, geom, ".pointIds", &rows[1]);
    for (uint32_t k = 0; k < samples; k++) {
        assert_int_equal(bw_alembic_put(a->w, p, points[k], counts[k], NULL), BW_OK);
        assert_int_equal(bw_alembic_put(a->w, id, ids + 4 * (size_t)k, counts[k], NULL), BW_OK);
    }
}

static const uint8_t linear[] = {1, 0, 0, 0}, periodic[] = {1, 1, 0, 0}, bspline[] = {0, 0, 2, 0},
                     catmull[] = {0, 0, 3, 0}, hermite[] = {0, 0, 4, 0};

static void curves_are_lines(void **state) {
    (void)state;
    static const uint32_t open[] = {0, 1, 1, 2, 3, 4, 4, 5}, closed[] = {0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3};
    static const float width = 0.1f;
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id geom = curves(&a, "hair", linear, 2, 1);
    abc_array(&a, geom, "width", "con", BW_ALEMBIC_FLOAT32, 1, 1, &width, 1);
    abc_array(&a, abc_property(&a, geom, ".arbGeomParams", NULL), "groom_id", "uni", BW_ALEMBIC_INT32, 1, 1, strands,
              3);
    curves(&a, "rings", periodic, 1, 1);
    abc_read_whole(&a);
    const bw_primitive *p = abc_primitive_of(a.scene, "hair");
    assert_int_equal(p->mode, BW_PRIMITIVE_LINES);
    assert_int_equal(p->vertex_count, 6); /* the strand of one point has no line */
    assert_int_equal(p->indices.count, 8);
    assert_memory_equal(p->indices.data, open, sizeof open);
    assert_null(p->normals);
    float values[18];
    assert_int_equal(p->position_cache->read(p->position_cache->ctx, 1, values, NULL), BW_OK);
    EXPECT3(values + 6, 2, 0, 6, 0);
    EXPECT3(values + 9, 0, 1, 0, 0);
    EXPECT1(a.scene->clips.data[0].key_rate_fps, 25, 1e-12);
    p = abc_primitive_of(a.scene, "rings");
    assert_int_equal(p->indices.count, 12);
    assert_memory_equal(p->indices.data, closed, sizeof closed);
    assert_null(p->position_cache);
    assert_int_equal(abc_warned(a.scene, "strands-without-line"), 2);
    assert_int_equal(abc_warned(a.scene, "attributes-left-out"), 2);
    assert_int_equal(abc_warned(a.scene, "control-polygons"), 0);
    abc_end(&a);
}

static void smooth_curves_are_their_polygons(void **state) {
    (void)state;
    abc_fixture a;
    abc_begin(&a);
    curves(&a, "bspline", bspline, 1, 1);
    curves(&a, "unsaid", NULL, 1, 1);
    curves(&a, "catmull", catmull, 1, 1);
    curves(&a, "hermite", hermite, 1, 1);
    abc_read_whole(&a);
    assert_int_equal(a.scene->meshes.count, 3);
    assert_int_equal(abc_primitive_of(a.scene, "bspline")->indices.count, 8);
    assert_int_equal(abc_primitive_of(a.scene, "unsaid")->indices.count, 8);
    assert_int_equal(abc_warned(a.scene, "control-polygons"), 2);
    assert_int_equal(abc_warned(a.scene, "curves-left-out"), 1);
    abc_end(&a);
}

static void points_are_points(void **state) {
    (void)state;
    static const uint64_t same[8] = {7, 8, 9, 5, 7, 8, 9, 5}, other[8] = {7, 8, 9, 5, 8, 7, 9, 5}, four[] = {4, 4},
                          fewer[] = {4, 3};
    abc_fixture a;
    abc_begin(&a);
    particles(&a, "dust", 2, same, four);
    particles(&a, "swapped", 2, other, four);
    particles(&a, "dying", 2, same, fewer);
    abc_read_whole(&a);
    assert_int_equal(a.scene->meshes.count, 1);
    const bw_primitive *p = abc_primitive_of(a.scene, "dust");
    assert_int_equal(p->mode, BW_PRIMITIVE_POINTS);
    assert_int_equal(p->vertex_count, 4);
    assert_int_equal(p->indices.count, 4);
    assert_int_equal(p->indices.data[3], 3);
    float values[12];
    assert_int_equal(p->position_cache->read(p->position_cache->ctx, 1, values, NULL), BW_OK);
    EXPECT3(values + 6, 2, 0, 6, 0);
    assert_int_equal(abc_warned(a.scene, "points-left-out"), 2);
    abc_end(&a);
}

/* The file's one object decides: alone it is refused with its sentence, beside a mesh it is a warning that says the same. */
static void what_cannot_be_baked_is_left_out(void **state) {
    (void)state;
    static const uint64_t ids[8] = {0, 1, 2, 3, 0, 1, 2, 3}, fewer[] = {4, 3};
    static const struct {
        const char *code, *part;
        bw_result result;
    } rows[] = {
        {"curves-left-out", "object /odd, property .geom/nVertices: changes over time, expected the same strands",
         BW_ERR_UNSUPPORTED},
        {"curves-left-out", "object /odd, property .geom/curveBasisAndType, sample 0: says Hermite basis",
         BW_ERR_UNSUPPORTED},
        {"points-left-out", "object /odd, property .geom/P: changes over time, expected as many points",
         BW_ERR_UNSUPPORTED},
        {"instances-broken", "object /odd: is an instance of /nowhere, which is not in the file", BW_ERR_MALFORMED},
        {"instances-broken", "object /odd: is an instance of an instance of an instance", BW_ERR_MALFORMED},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        for (int beside = 0; beside < 2; beside++) {
            abc_fixture a;
            abc_begin(&a);
            if (k == 0)
                curves(&a, "odd", linear, 2, 2);
            else if (k == 1)
                curves(&a, "odd", hermite, 1, 1);
            else if (k == 2)
                particles(&a, "odd", 2, ids, fewer);
            else
                abc_instance(&a, BW_ALEMBIC_TOP, "odd", k == 3 ? "/nowhere" : "/odd");
            if (beside)
                abc_mesh(&a, BW_ALEMBIC_TOP, "strip", 1);
            const bw_result result = abc_read_back(&a);
            assert_int_equal(result, beside ? BW_OK : rows[k].result);
            if (beside) {
                assert_int_equal(a.scene->meshes.count, 1);
                assert_int_equal(abc_warned(a.scene, rows[k].code), 1);
            }
            const char *said = beside ? a.scene->warnings.data[0].first : a.error.message;
            if (!strstr(said, rows[k].part))
                fail_msg("\"%s\" does not say \"%s\"", said, rows[k].part);
            abc_end(&a);
        }
}

static void an_instance_of_its_own_parent_does_not_keep_the_rest(void **state) {
    (void)state;
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id ring = abc_object(&a, BW_ALEMBIC_TOP, "ring", "AbcGeom_Xform_v3");
    abc_instance(&a, ring, "again", "/ring");
    abc_mesh(&a, ring, "strip", 1);
    abc_object(&a, BW_ALEMBIC_TOP, "eye", "AbcGeom_Camera_v1");
    abc_object(&a, BW_ALEMBIC_TOP, "sun", "AbcGeom_Light_v1");
    abc_read_whole(&a);
    assert_int_equal(a.scene->meshes.count, 1);
    assert_int_equal(abc_warned(a.scene, "instances-broken"), 1);
    assert_int_equal(abc_warned(a.scene, "objects-left-out"), 2);
    for (size_t k = 0; k < a.scene->warnings.count; k++)
        if (strcmp(a.scene->warnings.data[k].code, "objects-left-out") == 0)
            assert_string_equal(a.scene->warnings.data[k].first, "object /eye, AbcGeom_Camera_v1");
    abc_end(&a);
}

static void curves_that_show_nothing(void **state) {
    (void)state;
    static const int32_t none[] = {1, 0, 1};
    abc_fixture a;
    abc_begin(&a);
    const bw_alembic_id geom =
        abc_property(&a, abc_object(&a, BW_ALEMBIC_TOP, "stubs", "AbcGeom_Curve_v2"), ".geom", NULL);
    abc_array(&a, geom, "P", "vtx", BW_ALEMBIC_FLOAT32, 3, 1, points, 2);
    abc_array(&a, geom, "nVertices", NULL, BW_ALEMBIC_INT32, 1, 1, none, 3);
    const bw_alembic_id empty =
        abc_property(&a, abc_object(&a, BW_ALEMBIC_TOP, "bald", "AbcGeom_Curve_v2"), ".geom", NULL);
    abc_array(&a, empty, "P", "vtx", BW_ALEMBIC_FLOAT32, 3, 0, points, 0);
    abc_array(&a, empty, "nVertices", NULL, BW_ALEMBIC_INT32, 1, 0, none, 0);
    particles(&a, "void", 0, NULL, NULL);
    abc_read_whole(&a);
    assert_int_equal(a.scene->meshes.count, 0);
    assert_int_equal(abc_warned(a.scene, "curves-empty"), 2);
    assert_int_equal(abc_warned(a.scene, "points-empty"), 1);
    abc_end(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_lines),
        cmocka_unit_test(smooth_curves_are_their_polygons),
        cmocka_unit_test(points_are_points),
        cmocka_unit_test(what_cannot_be_baked_is_left_out),
        cmocka_unit_test(an_instance_of_its_own_parent_does_not_keep_the_rest),
        cmocka_unit_test(curves_that_show_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
