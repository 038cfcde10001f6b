/* SPDX-License-Identifier: MIT
 * Curves in an Alembic archive for made assets, by the library's own writer. */
#include "abc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(bw_result result, const bw_error *error) {
    if (result == BW_OK)
        return;
    fprintf(stderr, "make_assets: %s\n", error->message);
    exit(3);
}

static bw_alembic_id add_property(abc *a, bw_alembic_id parent, const char *name, bw_alembic_kind kind,
                                  bw_alembic_pod pod, uint32_t extent, uint32_t sampling, const bw_alembic_meta *pairs,
                                  size_t pair_count) {
    bw_error error = {0};
    bw_alembic_id id = BW_ALEMBIC_TOP;
    const bw_alembic_metadata metadata = {.data = pairs, .count = pair_count};
    const bw_alembic_property_opts opts = {kind, pod, extent, sampling, &metadata};
    check(bw_alembic_add_property(&id, a->writer, parent, name, &opts, &error), &error);
    return id;
}

static void put(abc *a, bw_alembic_id property, const void *values, size_t count) {
    bw_error error = {0};
    check(bw_alembic_put(a->writer, property, values, count, &error), &error);
}

static void add_transform(abc *a, bw_alembic_id object, const double translation[3]) {
    static const bw_alembic_meta schema[] = {{"schema", "AbcGeom_Xform_v3"}};
    const uint8_t translate = 1 << 4;
    const bool inherits = true;
    const bw_alembic_id xform =
        add_property(a, object, ".xform", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0, 0, schema, 1);
    put(a, add_property(a, xform, ".inherits", BW_ALEMBIC_SCALAR, BW_ALEMBIC_BOOL, 1, 0, NULL, 0), &inherits, 1);
    put(a, add_property(a, xform, ".ops", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, 1, 0, NULL, 0), &translate, 1);
    put(a, add_property(a, xform, ".vals", BW_ALEMBIC_SCALAR, BW_ALEMBIC_FLOAT64, 3, 0, NULL, 0), translation, 1);
}

void abc_begin(abc *a, const char *folder, const char *name, const char *application, const double translation[3],
               const int32_t *counts, size_t curve_count, double rate) {
    static const bw_alembic_meta xform[] = {{"schema", "AbcGeom_Xform_v3"},
                                            {"schemaObjTitle", "AbcGeom_Xform_v3:.xform"}};
    static const bw_alembic_meta curves[] = {{"schema", "AbcGeom_Curve_v2"},
                                             {"schemaObjTitle", "AbcGeom_Curve_v2:.geom"},
                                             {"schemaBaseType", "AbcGeom_GeomBase_v1"}};
    static const bw_alembic_meta geometry[] = {{"schema", "AbcGeom_Curve_v2"},
                                               {"schemaBaseType", "AbcGeom_GeomBase_v1"}};
    static const bw_alembic_meta point[] = {{"geoScope", "vtx"}, {"interpretation", "point"}},
                                 box[] = {{"interpretation", "box"}};
    static const uint8_t linear[4] = {1, 0, 0, 0}; /* type, wrap, basis, basis */
    bw_error error = {0};
    *a = (abc){0};
    char path[4096], shape[256];
    if (snprintf(path, sizeof path, "%s/%s.abc", folder, name) >= (int)sizeof path ||
        snprintf(shape, sizeof shape, "%sShape", name) >= (int)sizeof shape) {
        fprintf(stderr, "make_assets: the path of %s is too long\n", name);
        exit(2);
    }
    const bw_alembic_meta made_by[] = {{"_ai_Application", application}};
    const bw_alembic_metadata metadata = {.data = made_by, .count = 1};
    const bw_alembic_write_opts opts = {.metadata = &metadata};
    check(bw_alembic_create(&a->writer, path, &opts, &error), &error);
    const double start = 0;
    const bw_alembic_time_sampling film = {.time_per_cycle_s = 1 / rate, .times_s = {&start, 1}};
    uint32_t sampling;
    check(bw_alembic_add_time_sampling(&sampling, a->writer, &film, &error), &error);
    bw_alembic_id top;
    const bw_alembic_metadata of_xform = {.data = xform, .count = 2}, of_curves = {.data = curves, .count = 3};
    check(bw_alembic_add_object(&top, a->writer, BW_ALEMBIC_TOP, name, &of_xform, &error), &error);
    add_transform(a, top, translation);
    check(bw_alembic_add_object(&a->curves, a->writer, top, shape, &of_curves, &error), &error);
    a->geometry = add_property(a, a->curves, ".geom", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0, 0, geometry, 2);
    a->bounds = add_property(a, a->geometry, ".selfBnds", BW_ALEMBIC_SCALAR, BW_ALEMBIC_FLOAT64, 6, sampling, box, 1);
    a->positions = add_property(a, a->geometry, "P", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, sampling, point, 2);
    put(a, add_property(a, a->geometry, "nVertices", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, 0, NULL, 0), counts,
        curve_count);
    put(a, add_property(a, a->geometry, "curveBasisAndType", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, 4, 0, NULL, 0),
        linear, 1);
    a->attributes =
        add_property(a, a->geometry, ".arbGeomParams", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0, 0, NULL, 0);
    for (size_t i = 0; i < curve_count; i++)
        a->point_count += (size_t)counts[i];
}

void abc_attribute(abc *a, const char *name, const char *scope, bw_alembic_pod pod, uint32_t extent, const void *values,
                   size_t count) {
    const bw_alembic_meta pairs[] = {{"geoScope", scope}, {"isGeomParam", "true"}};
    const bw_alembic_id id = add_property(a, a->attributes, name, BW_ALEMBIC_ARRAY, pod, extent, 0, pairs, 2);
    put(a, id, values, count);
}

void abc_frame(abc *a, const float *positions) {
    double bounds[6];
    for (size_t k = 0; k < 3; k++)
        bounds[k] = bounds[k + 3] = (double)positions[k];
    for (size_t i = 0; i < 3 * a->point_count; i++) {
        const double value = (double)positions[i];
        if (value < bounds[i % 3])
            bounds[i % 3] = value;
        if (value > bounds[i % 3 + 3])
            bounds[i % 3 + 3] = value;
    }
    put(a, a->bounds, bounds, 1);
    put(a, a->positions, positions, a->point_count);
}

void abc_end(abc *a) {
    bw_error error = {0};
    check(bw_alembic_finish(a->writer, &error), &error);
    bw_free_alembic_writer(a->writer);
}
