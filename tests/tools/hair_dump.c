/* SPDX-License-Identifier: MIT
 * Prints what a reader makes of the hair of files, every value of it, as JSON, a line a file.  Usage: hair_dump [--summary] FILE… */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "read/read.h"

static bwi_json_writer *w;

static void put_matrix(const char *key, const double matrix[16]) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (size_t k = 0; k < 16; k++)
        bwi_json_double(w, matrix[k]);
    bwi_json_end_array(w);
}

static bool put_object(const bwi_hair_object *o, bw_error *error) {
    static const char *const kinds[] = {"group", "xform", "curves", "mesh", "subd", "points", "other"};
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "path", o->path);
    bwi_json_key_string(w, "kind", kinds[o->kind]);
    bwi_json_key(w, "parent");
    bwi_json_int(w, o->parent == BW_NO_INDEX ? -1 : (int64_t)o->parent);
    bwi_json_key_bool(w, "hidden", o->hidden);
    bwi_json_key_bool(w, "is_instance", o->is_instance);
    bwi_json_key_string(w, "problem", o->problem);
    put_matrix("matrix", o->matrix);
    bwi_json_key_bool(w, "inherits", o->inherits);
    bwi_json_key(w, "samples");
    bwi_json_begin_array(w);
    bool good = true;
    for (uint32_t k = 0; o->moves && good && k < o->sample_count; k++) {
        double matrix[16];
        bool inherits;
        good = o->read(o->ctx, k, matrix, &inherits, error) == BW_OK;
        if (!good)
            break;
        bwi_json_begin_object(w);
        bwi_json_key_double(w, "time", o->times_s[k]);
        bwi_json_key_bool(w, "inherits", inherits);
        put_matrix("matrix", matrix);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    bwi_json_end_object(w);
    return good;
}

static void put_floats(const char *key, const float *values, uint64_t count) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (uint64_t k = 0; k < count; k++)
        bwi_json_float(w, values[k]);
    bwi_json_end_array(w);
}

/* A sample that cannot be read gives the sentence. */
static bool put_samples(const bwi_hair_curves *c) {
    float *positions = malloc((size_t)c->point_count * 3 * sizeof *positions + 1);
    if (!positions)
        return false;
    bwi_json_key(w, "samples");
    bwi_json_begin_array(w);
    for (uint32_t k = 0; k < c->sample_count; k++) {
        bw_error error = {0};
        bwi_json_begin_object(w);
        bwi_json_key_double(w, "time", c->times_s[k]);
        if (c->read(c->ctx, k, positions, &error) == BW_OK)
            put_floats("P", positions, 3 * c->point_count);
        else
            bwi_json_key_string(w, "error", error.message);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    free(positions);
    return true;
}

static bool put_curves(const bwi_hair_curves *c, bool values) {
    static const char *const types[] = {"linear", "cubic", "variable"};
    bwi_json_begin_object(w);
    bwi_json_key_uint(w, "object", c->object);
    bwi_json_key_uint(w, "curve_count", c->curve_count);
    bwi_json_key_uint(w, "point_count", c->point_count);
    bwi_json_key_string(w, "type", types[c->type]);
    bwi_json_key_uint(w, "basis", c->basis);
    bwi_json_key_bool(w, "periodic", c->periodic);
    bwi_json_key_bool(w, "known_basis", c->known_basis);
    bwi_json_key(w, "raw_basis");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < 4; k++)
        bwi_json_int(w, c->raw_basis[k]);
    bwi_json_end_array(w);
    bwi_json_key_uint(w, "sample_count", c->sample_count);
    bwi_json_key_bool(w, "moves", c->moves);
    bwi_json_key_bool(w, "topology_moves", c->topology_moves);
    bwi_json_key_bool(w, "only_attributes_move", c->only_attributes_move);
    bwi_json_key_uint(w, "first_attribute", c->first_attribute);
    bwi_json_key_uint(w, "attribute_count", c->attribute_count);
    bool good = true;
    if (values) {
        bwi_json_key(w, "nVertices");
        bwi_json_begin_array(w);
        for (uint64_t k = 0; k < c->curve_count; k++)
            bwi_json_int(w, c->counts[k]);
        bwi_json_end_array(w);
        put_floats("P", c->positions, 3 * c->point_count);
        bwi_json_key(w, "orders");
        bwi_json_begin_array(w);
        for (uint64_t k = 0; k < c->order_count; k++)
            bwi_json_uint(w, c->orders[k]);
        bwi_json_end_array(w);
        put_floats("knots", c->knots, c->knot_count);
        put_floats("w", c->weights, c->weight_count);
        good = put_samples(c);
    }
    bwi_json_end_object(w);
    return good;
}

static void put_attribute(const bwi_hair_attribute *a, bool values) {
    static const char *const places[] = {"native", "arbitrary", "user"};
    static const char *const scopes[] = {"con", "uni", "var", "vtx", "fvr", "unknown"};
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "name", a->name);
    bwi_json_key_uint(w, "object", a->object);
    bwi_json_key_string(w, "place", places[a->place]);
    bwi_json_key_string(w, "pod", bw_alembic_pod_name(a->pod));
    bwi_json_key_uint(w, "extent", a->extent);
    bwi_json_key_bool(w, "is_scalar", a->is_scalar);
    bwi_json_key_bool(w, "is_compound", a->is_compound);
    bwi_json_key_bool(w, "indexed", a->indices != NULL);
    bwi_json_key_bool(w, "has_scope", a->has_scope);
    bwi_json_key_string(w, "scope", scopes[a->scope]);
    bwi_json_key_uint(w, "sample_count", a->sample_count);
    bwi_json_key_bool(w, "moves", a->moves);
    bwi_json_key_uint(w, "value_count", a->value_count);
    bwi_json_key_uint(w, "count", a->count);
    bwi_json_key_string(w, "problem", a->problem);
    if (values) {
        bwi_json_key(w, "values");
        bwi_json_begin_array(w);
        for (uint64_t k = 0; k < a->count; k++) {
            for (uint32_t i = 0; i < (a->strings ? 1 : a->extent); i++) {
                if (a->strings)
                    bwi_json_string(w, bwi_hair_text(a, k));
                else
                    bwi_json_double(w, bwi_hair_number(a, k, i));
            }
        }
        bwi_json_end_array(w);
    }
    bwi_json_end_object(w);
}

static int put_file(const char *path, bool values) {
    bwi_mem mem;
    bw_error error = {0};
    bwi_hair *hair = NULL;
    bw_result result = bwi_read_hair(&hair, path, NULL, &error);
    if (result != BW_OK) {
        fprintf(stderr, "%s\n", error.message);
        return (int)bw_result_exit_status(result);
    }
    bwi_mem_init(&mem, 0);
    w = bwi_json_writer_create(&mem, stdout, 0);
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "path", hair->path);
    bwi_json_key_string(w, "format", hair->format);
    bwi_json_key_string(w, "made_by", hair->made_by);
    bwi_json_key_bool(w, "has_transform", hair->has_transform);
    put_matrix("transform", hair->transform);
    bwi_json_key(w, "samplings");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < hair->samplings.count; k++) {
        const bwi_hair_sampling *s = &hair->samplings.data[k];
        bwi_json_begin_object(w);
        bwi_json_key_uint(w, "kind", s->kind);
        bwi_json_key_double(w, "time_per_cycle_s", s->time_per_cycle_s);
        bwi_json_key_double(w, "first_s", s->first_s);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    bool good = true;
    bwi_json_key(w, "objects");
    bwi_json_begin_array(w);
    for (size_t k = 0; good && k < hair->objects.count; k++)
        good = put_object(&hair->objects.data[k], &error);
    bwi_json_end_array(w);
    bwi_json_key(w, "curves");
    bwi_json_begin_array(w);
    for (size_t k = 0; good && k < hair->curves.count; k++)
        good = put_curves(&hair->curves.data[k], values);
    bwi_json_end_array(w);
    bwi_json_key(w, "attributes");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < hair->attributes.count; k++)
        put_attribute(&hair->attributes.data[k], values);
    bwi_json_end_array(w);
    bwi_json_end_object(w);
    good = bwi_json_writer_end(w, NULL, NULL) && good;
    bwi_hair_free(hair);
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    const bool summary = argc > 1 && strcmp(argv[1], "--summary") == 0;
    int status = argc > 1 + summary ? 0 : 2;
    for (int k = 1 + summary; k < argc && status == 0; k++)
        status = put_file(argv[k], !summary);
    return status;
}
