/* SPDX-License-Identifier: MIT
 * Prints what the schema layer makes of an archive: one JSON list of objects, each with all samples of what its schema holds, or the sentence that
 * refuses it.  Usage: abc_geom FILE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alembic/schema.h"
#include "base/half.h"
#include "base/json.h"

static bwi_json_writer *w;
static bw_alembic *archive;

static void put_floats(const char *key, const bw_alembic_sample *sample) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (uint64_t k = 0; k < sample->value_count; k++)
        bwi_json_double(w, (double)bwi_abc_float(sample, k));
    bwi_json_end_array(w);
}

static void put_ints(const char *key, const bw_alembic_sample *sample, uint64_t count) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (uint64_t k = 0; k < count; k++)
        bwi_json_int(w, bwi_abc_int(sample, k));
    bwi_json_end_array(w);
}

static void put_value(bw_alembic_pod pod, const uint8_t *values, const bw_string_list *strings, uint64_t k) {
#define AS(type) (((const type *)(const void *)values)[k])
    switch (pod) {
    case BW_ALEMBIC_BOOL:
        bwi_json_uint(w, AS(uint8_t) != 0);
        break;
    case BW_ALEMBIC_UINT8:
        bwi_json_uint(w, AS(uint8_t));
        break;
    case BW_ALEMBIC_INT8:
        bwi_json_int(w, AS(int8_t));
        break;
    case BW_ALEMBIC_UINT16:
        bwi_json_uint(w, AS(uint16_t));
        break;
    case BW_ALEMBIC_INT16:
        bwi_json_int(w, AS(int16_t));
        break;
    case BW_ALEMBIC_UINT32:
        bwi_json_uint(w, AS(uint32_t));
        break;
    case BW_ALEMBIC_INT32:
        bwi_json_int(w, AS(int32_t));
        break;
    case BW_ALEMBIC_UINT64:
        bwi_json_uint(w, AS(uint64_t));
        break;
    case BW_ALEMBIC_INT64:
        bwi_json_int(w, AS(int64_t));
        break;
    case BW_ALEMBIC_FLOAT16:
        bwi_json_double(w, (double)bwi_half_to_float(AS(uint16_t)));
        break;
    case BW_ALEMBIC_FLOAT32:
        bwi_json_double(w, (double)AS(float));
        break;
    case BW_ALEMBIC_FLOAT64:
        bwi_json_double(w, AS(double));
        break;
    default:
        bwi_json_string(w, strings ? strings->data[k] : NULL);
    }
#undef AS
}

/* Every element, through the indices. */
static void put_param_sample(const bwi_abc_param *param, uint32_t index) {
    bwi_abc_param_sample sample;
    bw_error error;
    bw_string_list *strings = NULL;
    bwi_json_begin_object(w);
    bw_result result = bwi_abc_param_view(&sample, archive, param, index, &error);
    uint8_t *values = NULL;
    const uint32_t last = param->values->sample_count ? param->values->sample_count - 1 : 0;
    const uint32_t at = index < last ? index : last;
    if (result == BW_OK && bw_alembic_pod_size(param->values->pod) == 0) {
        result = bw_alembic_read_strings(&strings, archive, param->values, at, &error);
    } else if (result == BW_OK) {
        values = calloc(sample.values.size + 16, 1);
        result = bw_alembic_read(values, sample.values.size, archive, param->values, at, &error);
    }
    if (result != BW_OK) {
        bwi_json_key_string(w, "error", error.message);
    } else {
        bool in_range = true;
        bwi_json_key(w, "expanded");
        bwi_json_begin_array(w);
        for (uint64_t k = 0; k < sample.count; k++) {
            const uint64_t stored = bwi_abc_param_element(&sample, k);
            in_range = in_range && stored != UINT64_MAX;
            for (uint64_t i = 0; in_range && i < sample.width; i++)
                put_value(param->values->pod, values, strings, sample.width * stored + i);
        }
        bwi_json_end_array(w);
        bwi_json_key_bool(w, "in_range", in_range);
    }
    bw_free_alembic_strings(strings);
    free(values);
    bwi_json_end_object(w);
}

static void put_param(const char *key, const bwi_abc_param *param) {
    static const char *const scopes[] = {"con", "uni", "var", "vtx", "fvr", "unknown"};
    if (!param->values)
        return;
    bwi_json_key(w, key);
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "scope", scopes[param->scope]);
    bwi_json_key_bool(w, "indexed", param->indices != NULL);
    bwi_json_key_uint(w, "array_extent", param->width / param->values->extent);
    bwi_json_key_uint(w, "num_samples", param->sample_count);
    bwi_json_key(w, "samples");
    bwi_json_begin_array(w);
    for (uint32_t k = 0; k < param->sample_count; k++)
        put_param_sample(param, k);
    bwi_json_end_array(w);
    bwi_json_end_object(w);
}

static bw_result put_extras(const bw_alembic_object *object, bw_error *error) {
    const bw_alembic_property *arbitrary, *user;
    bw_result result = bwi_abc_extras_open(&arbitrary, &user, archive, object, error);
    bw_alembic_property_list members = {0};
    if (result == BW_OK && arbitrary)
        result = bw_alembic_members(&members, archive, arbitrary, error);
    bwi_json_key(w, "arb");
    bwi_json_begin_object(w);
    for (size_t k = 0; result == BW_OK && k < members.count; k++) {
        bwi_abc_param param;
        bw_error unused;
        if (bwi_abc_param_open(&param, archive, &members.data[k], &unused) == BW_OK)
            put_param(members.data[k].name, &param);
    }
    bwi_json_end_object(w);
    return result;
}

static bw_result put_xform(const bw_alembic_object *object, bw_error *error) {
    bwi_abc_xform xform;
    bw_result result = bwi_abc_xform_open(&xform, archive, object, error);
    if (result != BW_OK)
        return result;
    bwi_json_key_uint(w, "num_ops", xform.op_count);
    bwi_json_key_bool(w, "animated", bwi_abc_xform_is_animated(&xform));
    bwi_json_key(w, "matrices");
    bwi_json_begin_array(w);
    for (uint32_t k = 0; result == BW_OK && k < xform.sample_count; k++) {
        bwi_mat4 m;
        bool inherits;
        result = bwi_abc_xform_sample(&m, &inherits, archive, &xform, k, error);
        if (result != BW_OK)
            break;
        bwi_json_begin_object(w);
        bwi_json_key_bool(w, "inherits", inherits);
        bwi_json_key_double(w, "time", bwi_abc_xform_time(archive, &xform, k));
        bwi_json_key(w, "m");
        bwi_json_begin_array(w);
        for (int i = 0; i < 16; i++)
            bwi_json_double(w, m.m[i]);
        bwi_json_end_array(w);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    return result == BW_OK ? put_extras(object, error) : result;
}

static bw_result put_mesh(const bw_alembic_object *object, bw_error *error) {
    bwi_abc_mesh mesh;
    bool same = false;
    bw_result result = bwi_abc_mesh_open(&mesh, archive, object, error);
    if (result != BW_OK)
        return result;
    put_param("uv", &mesh.uv);
    put_param("N", &mesh.normals);
    bwi_json_key(w, "samples");
    bwi_json_begin_array(w);
    for (uint32_t k = 0; result == BW_OK && k < mesh.positions->sample_count; k++) {
        bw_alembic_sample points;
        bwi_abc_faces faces;
        result = bwi_abc_vectors_view(&points, archive, mesh.positions, k, error);
        if (result == BW_OK)
            result = bwi_abc_faces_view(&faces, archive, &mesh, k, points.point_count, error);
        if (result != BW_OK)
            break;
        bwi_json_begin_object(w);
        bwi_json_key_double(w, "time", bwi_abc_time(archive, mesh.positions, k));
        put_floats("P", &points);
        put_ints("faceIndices", &faces.indices, faces.corner_count);
        put_ints("faceCounts", &faces.counts, faces.face_count);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    if (result == BW_OK)
        result = bwi_abc_mesh_has_one_topology(&same, archive, &mesh, error);
    bwi_json_key_bool(w, "one_topology", same);
    return result == BW_OK ? put_extras(object, error) : result;
}

static bw_result put_points(const bw_alembic_object *object, bw_error *error) {
    bwi_abc_points points;
    bw_result result = bwi_abc_points_open(&points, archive, object, error);
    if (result != BW_OK)
        return result;
    put_param("width", &points.width);
    bwi_json_key(w, "samples");
    bwi_json_begin_array(w);
    for (uint32_t k = 0; result == BW_OK && k < points.positions->sample_count; k++) {
        bwi_abc_points_sample sample;
        result = bwi_abc_points_view(&sample, archive, &points, k, error);
        if (result != BW_OK)
            break;
        bwi_json_begin_object(w);
        put_floats("P", &sample.positions);
        bwi_json_key_uint(w, "ids", sample.ids.point_count);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    return result;
}

static bw_result put_curves(const bw_alembic_object *object, bw_error *error) {
    bwi_abc_curves curves;
    bw_result result = bwi_abc_curves_open(&curves, archive, object, error);
    if (result != BW_OK)
        return result;
    put_param("uv", &curves.uv);
    put_param("N", &curves.normals);
    put_param("width", &curves.width);
    bwi_json_key(w, "samples");
    bwi_json_begin_array(w);
    for (uint32_t k = 0; result == BW_OK && k < curves.positions->sample_count; k++) {
        bwi_abc_curves_sample s;
        result = bwi_abc_curves_view(&s, archive, &curves, k, error);
        if (result != BW_OK)
            break;
        bwi_json_begin_object(w);
        bwi_json_key_double(w, "time", bwi_abc_time(archive, curves.positions, k));
        bwi_json_key_uint(w, "type", s.type);
        bwi_json_key_uint(w, "wrap", s.periodic);
        bwi_json_key_uint(w, "basis", s.basis);
        put_floats("P", &s.positions);
        put_ints("nVertices", &s.counts, s.curve_count);
        if (s.weights.point_count)
            put_floats("w", &s.weights);
        if (s.knots.point_count)
            put_floats("knots", &s.knots);
        if (s.orders.point_count) {
            bwi_json_key(w, "orders");
            bwi_json_begin_array(w);
            for (uint64_t i = 0; i < s.orders.point_count; i++)
                bwi_json_uint(w, s.orders.bytes[i]);
            bwi_json_end_array(w);
        }
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    return result == BW_OK ? put_extras(object, error) : result;
}

static bw_result put_visibility(const bw_alembic_object *object, bw_error *error) {
    const bw_alembic_property *visible;
    bw_result result = bwi_abc_visibility_open(&visible, archive, object, error);
    if (result != BW_OK || !visible)
        return result;
    bwi_json_key(w, "visible");
    bwi_json_begin_array(w);
    for (uint32_t k = 0; result == BW_OK && k < visible->sample_count; k++) {
        int value = 0;
        result = bwi_abc_visibility(&value, archive, visible, k, error);
        bwi_json_int(w, value);
    }
    bwi_json_end_array(w);
    return result;
}

static bw_result put_object(const bw_alembic_object *object, bw_error *error) {
    static char path[1 << 20];
    const char *source = NULL;
    bw_result result = bw_alembic_instance_source(&source, archive, object, error);
    (void)bw_alembic_object_path(path, sizeof path, object);
    const bwi_abc_schema schema = bwi_abc_schema_of(object);
    static const char *const names[] = {"", "xform", "polymesh", "subd", "points", "curves", "faceset", "other"};
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "path", path);
    bwi_json_key_string(w, "schema", names[schema]);
    bwi_json_key_string(w, "source", source);
    if (result == BW_OK && !source)
        result = put_visibility(object, error);
    if (result == BW_OK && !source) {
        result = schema == BWI_ABC_XFORM                                ? put_xform(object, error)
                 : schema == BWI_ABC_POLYMESH || schema == BWI_ABC_SUBD ? put_mesh(object, error)
                 : schema == BWI_ABC_POINTS                             ? put_points(object, error)
                 : schema == BWI_ABC_CURVES                             ? put_curves(object, error)
                                                                        : BW_OK;
    }
    if (result != BW_OK)
        bwi_json_key_string(w, "error", error->message);
    bwi_json_end_object(w);
    bw_alembic_object_list children;
    result = bw_alembic_children(&children, archive, object, error);
    for (size_t k = 0; result == BW_OK && k < children.count; k++)
        result = put_object(&children.data[k], error);
    return result;
}

int main(int argc, char **argv) {
    bw_error error;
    bwi_mem mem;
    if (argc != 2 || bw_alembic_open(&archive, argv[1], NULL, &error) != BW_OK) {
        fprintf(stderr, "abc_geom: %s\n", argc == 2 ? error.message : "usage: abc_geom FILE");
        return 1;
    }
    bwi_mem_init(&mem, 0);
    w = bwi_json_writer_create(&mem, stdout, 0);
    bwi_json_begin_array(w);
    const bw_result result = put_object(archive->top, &error);
    bwi_json_end_array(w);
    const bool written = bwi_json_writer_end(w, NULL, NULL);
    bw_free_alembic(archive);
    if (result != BW_OK)
        fprintf(stderr, "abc_geom: %s\n", error.message);
    return result == BW_OK && written ? 0 : 1;
}
