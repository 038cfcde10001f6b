/* SPDX-License-Identifier: MIT
 * What an Alembic archive holds, as a JSON document that is written while the archive is read. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bakewell/info.h"
#include "alembic/schema.h"
#include "bakewell/options.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"

#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) \
    {key, kind, metavar, choices, preset, min, max, help, offsetof(bw_info_opts, field), sizeof(ctype)},
static const bw_option INFO_ROWS[] = {
#include "bakewell/options_info.def"
};
#undef BW_OPT

bw_option_list bw_info_options(void) {
    return (bw_option_list){INFO_ROWS, sizeof(INFO_ROWS) / sizeof(INFO_ROWS[0])};
}

bool bw_is_alembic(const char *path) {
    static const char MAGIC[] = "Ogawa";
    static const char ENDING[] = ".abc";
    size_t length = strlen(path);
    if (length >= sizeof(ENDING) - 1 && strcmp(path + length - (sizeof(ENDING) - 1), ENDING) == 0) {
        return true;
    }
    /* A pipe would lose what is read here. */
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
    if (!file) {
        return false;
    }
    char start[sizeof(MAGIC) - 1];
    bool is_archive = fread(start, 1, sizeof(start), file) == sizeof(start) && memcmp(start, MAGIC, sizeof(start)) == 0;
    (void)fclose(file);
    return is_archive;
}

bw_result bw_alembic_count_curves(uint64_t *strands, uint64_t *points, bw_alembic *archive,
                                  const bw_alembic_object *object, bw_error *error) {
    static const char *const PATHS[] = {".geom/nVertices", ".geom/P"};
    uint64_t counts[2] = {0, 0};
    const bool is_curves = bwi_abc_schema_of(object) == BWI_ABC_CURVES;
    for (size_t i = 0; is_curves && i < 2; i++) {
        const bw_alembic_property *property = NULL;
        bw_alembic_sample sample;
        bw_result result = bw_alembic_find_property(&property, archive, object, PATHS[i], error);
        if (result == BW_OK && property && property->kind != BW_ALEMBIC_ARRAY) {
            result = bwi_abc_fail(error, BW_ERR_MALFORMED, archive, object, property, -1,
                                  "is no array; export the file again");
        }
        const bool holds = result == BW_OK && property && property->sample_count > 0;
        result = holds ? bw_alembic_view(&sample, archive, property, 0, error) : result;
        if (result != BW_OK) {
            return result;
        }
        counts[i] = holds ? sample.point_count : 0;
    }
    *strands = counts[0];
    *points = counts[1];
    return BW_OK;
}

/* One document on its way.  The first failure of any part is kept. */
typedef struct dump {
    bwi_json_writer *w;
    bw_alembic *archive;
    bool values;
    bwi_mem *mem;
    char *path; /* a buffer for paths, grown as needed */
    size_t path_size;
    uint64_t failure_count;
    bw_error first;
} dump;

/* Says within a part that it could not be read. */
static void write_part_failure(dump *d, const bw_error *error) {
    if (d->failure_count++ == 0) {
        d->first = *error;
    }
    bwi_json_key_string(d->w, "failure", error->message);
}

static void write_hex(bwi_json_writer *w, const char *key, const uint8_t bytes[16]) {
    char hex[33];
    bwi_hash_hex(hex, bytes);
    bwi_json_key_string(w, key, hex);
}

static void write_metadata(bwi_json_writer *w, const bw_alembic_metadata *metadata) {
    bwi_json_key(w, "metadata");
    bwi_json_begin_object(w);
    for (size_t i = 0; i < metadata->count; i++) {
        bwi_json_key_string(w, metadata->data[i].key, metadata->data[i].value);
    }
    bwi_json_end_object(w);
}

/* ---- samples ---- */

/* JSON has no number for what is not finite. */
static void write_double(bwi_json_writer *w, double value) {
    if (isfinite(value)) {
        bwi_json_double(w, value);
    } else {
        bwi_json_string(w, isnan(value) ? "NaN" : value > 0.0 ? "Infinity" : "-Infinity");
    }
}

static void write_number(bwi_json_writer *w, bw_alembic_pod pod, const uint8_t *bytes) {
    const double value = bw_alembic_float(bytes, pod);
    switch (pod) {
    case BW_ALEMBIC_FLOAT16:
    case BW_ALEMBIC_FLOAT32:
        if (isfinite(value)) {
            bwi_json_float(w, (float)value);
            break;
        }
        /* fall through */
    case BW_ALEMBIC_FLOAT64:
        write_double(w, value);
        break;
    case BW_ALEMBIC_UINT64:
        bwi_json_uint(w, (uint64_t)bw_alembic_int(bytes, pod));
        break;
    default:
        bwi_json_int(w, bw_alembic_int(bytes, pod));
        break;
    }
}

static bw_result write_values(dump *d, const bw_alembic_property *property, uint32_t index,
                              const bw_alembic_sample *sample, bw_error *error) {
    bw_string_list *strings = NULL;
    const bool is_text = property->pod == BW_ALEMBIC_STRING || property->pod == BW_ALEMBIC_WSTRING;
    bw_result result = is_text ? bw_alembic_read_strings(&strings, d->archive, property, index, error) : BW_OK;
    if (result != BW_OK) {
        return result;
    }
    bwi_json_key(d->w, "values");
    bwi_json_begin_array(d->w);
    for (size_t i = 0; strings && i < strings->count; i++) {
        bwi_json_string(d->w, strings->data[i]);
    }
    const size_t size = bw_alembic_pod_size(property->pod);
    for (uint64_t i = 0; !is_text && i < sample->value_count; i++) {
        write_number(d->w, property->pod, sample->bytes + i * size);
    }
    bwi_json_end_array(d->w);
    bw_free_alembic_strings(strings);
    return BW_OK;
}

static bw_result write_sample(dump *d, const bw_alembic_property *property, uint32_t index) {
    bw_error error;
    bw_alembic_sample sample;
    bwi_json_begin_object(d->w);
    bwi_json_key_uint(d->w, "index", index);
    bw_result result = bw_alembic_view(&sample, d->archive, property, index, &error);
    if (result == BW_OK) {
        if (property->kind == BW_ALEMBIC_ARRAY) {
            bwi_json_key(d->w, "dimensions");
            bwi_json_begin_array(d->w);
            for (uint32_t i = 0; i < sample.rank; i++) {
                bwi_json_uint(d->w, sample.dimensions[i]);
            }
            bwi_json_end_array(d->w);
        }
        write_hex(d->w, "key", sample.key);
        result = write_values(d, property, index, &sample, &error);
    }
    if (result != BW_OK) {
        write_part_failure(d, &error);
    }
    bwi_json_end_object(d->w);
    return result;
}

/* Samples that repeat the one before them are not written again: an entry holds from its index to the next entry's.  The count of samples is a
 * claim of the file: the first that is missing ends the list. */
static void write_samples(dump *d, const bw_alembic_property *property) {
    bwi_json_key(d->w, "samples");
    bwi_json_begin_array(d->w);
    bw_result result = property->sample_count > 0 ? write_sample(d, property, 0) : BW_OK;
    const uint32_t first = property->first_changed;
    for (uint32_t i = first; first > 0 && i <= property->last_changed && result != BW_ERR_TRUNCATED; i++) {
        result = write_sample(d, property, i);
    }
    bwi_json_end_array(d->w);
}

/* ---- properties and objects ---- */

typedef size_t path_fn(char *buffer, size_t size, const void *of);

static size_t object_path(char *buffer, size_t size, const void *of) {
    return bw_alembic_object_path(buffer, size, of);
}

static size_t property_path(char *buffer, size_t size, const void *of) {
    return bw_alembic_property_path(buffer, size, of);
}

static void write_path(dump *d, path_fn *path, const void *of) {
    size_t size = path(d->path, d->path_size, of) + 1;
    if (size > d->path_size) {
        char *grown = bwi_realloc(d->mem, d->path, size, 1);
        if (grown) {
            d->path = grown;
            d->path_size = size;
            (void)path(d->path, d->path_size, of);
        } else if (d->failure_count++ == 0) {
            (void)bwi_fail_memory(&d->first, d->archive->path, d->mem, size);
        }
    }
    bwi_json_key_string(d->w, "path", d->path);
}

static void write_type(dump *d, const bw_alembic_property *property) {
    static const char *const SCOPES[] = {"constant", "uniform", "varying", "vertex", "facevarying", "unknown"};
    static const char *const KINDS[] = {"compound", "scalar", "array"};
    bwi_json_writer *w = d->w;
    bwi_json_key_string(w, "kind", KINDS[property->kind]);
    if (property->kind != BW_ALEMBIC_COMPOUND) {
        bwi_json_key_string(w, "pod", bw_alembic_pod_name(property->pod));
        bwi_json_key_uint(w, "extent", property->extent);
        bwi_json_key_uint(w, "time_sampling", property->time_sampling);
        bwi_json_key_uint(w, "sample_count", property->sample_count);
        bwi_json_key_uint(w, "first_changed", property->first_changed);
        bwi_json_key_uint(w, "last_changed", property->last_changed);
    }
    if (property->kind == BW_ALEMBIC_ARRAY) {
        bwi_json_key_bool(w, "scalar_like", property->scalar_like);
    }
    if (bw_alembic_meta_value(property->metadata, "geoScope")) {
        bwi_json_key_string(w, "scope", SCOPES[bw_alembic_property_scope(property)]);
    }
    write_metadata(w, property->metadata);
}

static void write_properties(dump *d, bw_alembic_property_list list) {
    for (size_t i = 0; i < list.count; i++) {
        const bw_alembic_property *property = &list.data[i];
        bw_error error;
        bw_alembic_property_list members;
        bwi_json_begin_object(d->w);
        write_path(d, property_path, property);
        write_type(d, property);
        bw_result result = bw_alembic_members(&members, d->archive, property, &error);
        if (result != BW_OK) {
            write_part_failure(d, &error);
        } else if (d->values && property->kind != BW_ALEMBIC_COMPOUND) {
            write_samples(d, property);
        }
        bwi_json_end_object(d->w);
        if (result == BW_OK) {
            write_properties(d, members);
        }
    }
}

static void write_object(dump *d, const bw_alembic_object *object) {
    bw_error error;
    uint8_t hashes[2][16];
    const char *source = NULL;
    bw_alembic_object_list children = {0};
    bw_alembic_property_list properties;
    bwi_json_begin_object(d->w);
    write_path(d, object_path, object);
    bwi_json_key_string(d->w, "schema", bw_alembic_meta_value(object->metadata, "schema"));
    write_metadata(d->w, object->metadata);
    bw_result result = bw_alembic_children(&children, d->archive, object, &error);
    if (result == BW_OK) {
        result = bw_alembic_hashes(hashes[0], hashes[1], d->archive, object, &error);
    }
    if (result == BW_OK) {
        write_hex(d->w, "properties_hash", hashes[0]);
        write_hex(d->w, "children_hash", hashes[1]);
        result = bw_alembic_instance_source(&source, d->archive, object, &error);
    }
    if (result == BW_OK) {
        if (source) {
            bwi_json_key_string(d->w, "instance_of", source);
        }
        result = bw_alembic_properties(&properties, d->archive, object, &error);
    }
    if (result == BW_OK) {
        bwi_json_key(d->w, "properties");
        bwi_json_begin_array(d->w);
        write_properties(d, properties);
        bwi_json_end_array(d->w);
    } else {
        write_part_failure(d, &error);
    }
    bwi_json_end_object(d->w);
    for (size_t i = 0; i < children.count; i++) {
        write_object(d, &children.data[i]);
    }
}

static void write_curves(dump *d, const bw_alembic_object *object) {
    bw_error error;
    uint64_t strands = 0;
    uint64_t points = 0;
    bw_alembic_object_list children = {0};
    bw_result result = bw_alembic_count_curves(&strands, &points, d->archive, object, &error);
    if (bwi_abc_schema_of(object) == BWI_ABC_CURVES) {
        bwi_json_begin_object(d->w);
        write_path(d, object_path, object);
        if (result == BW_OK) {
            bwi_json_key_uint(d->w, "strands", strands);
            bwi_json_key_uint(d->w, "points", points);
        } else {
            write_part_failure(d, &error);
        }
        bwi_json_end_object(d->w);
    }
    /* What fails here has failed among the objects. */
    (void)bw_alembic_children(&children, d->archive, object, NULL);
    for (size_t i = 0; i < children.count; i++) {
        write_curves(d, &children.data[i]);
    }
}

/* ---- the head ---- */

static void write_samplings(bwi_json_writer *w, const bw_alembic *archive) {
    static const char *const KINDS[] = {"uniform", "cyclic", "acyclic"};
    bwi_json_key(w, "time_samplings");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < archive->time_samplings.count; i++) {
        const bw_alembic_time_sampling *sampling = &archive->time_samplings.data[i];
        const bool rhythm = sampling->kind != BW_ALEMBIC_ACYCLIC;
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "kind", KINDS[sampling->kind]);
        if (rhythm) {
            bwi_json_key_double(w, "time_per_cycle_s", sampling->time_per_cycle_s);
            bwi_json_key_double(w, "fps", (double)sampling->times_s.count / sampling->time_per_cycle_s);
        }
        bwi_json_key(w, "times_s");
        bwi_json_begin_array(w);
        for (size_t k = 0; k < sampling->times_s.count; k++) {
            bwi_json_double(w, sampling->times_s.data[k]);
        }
        bwi_json_end_array(w);
        bwi_json_key_uint(w, "max_sample_count", sampling->max_sample_count);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_head(bwi_json_writer *w, const bw_alembic *archive) {
    bwi_json_key_string(w, "schema", "bakewell/info/1");
    bwi_json_key_string(w, "path", archive->path);
    bwi_json_key_string(w, "format", "Alembic");
    bwi_json_key(w, "archive");
    bwi_json_begin_object(w);
    bwi_json_key_uint(w, "bytes", archive->size);
    bwi_json_key_uint(w, "library_version", (uint64_t)archive->library_version);
    bwi_json_key_string(w, "library", archive->library);
    bwi_json_key_string(w, "application", archive->application);
    bwi_json_key_string(w, "date", archive->date);
    bwi_json_key_string(w, "description", archive->description);
    if (archive->fps > 0.0) {
        bwi_json_key_double(w, "fps", archive->fps);
    }
    write_metadata(w, archive->metadata);
    write_samplings(w, archive);
    bwi_json_end_object(w);
}

static bw_result write_verify(dump *d, const bw_run_opts *run, bw_error *error) {
    static const char *const KINDS[] = {"none", "structure", "key", "properties", "children"};
    bw_alembic_report *report = NULL;
    bwi_json_writer *w = d->w;
    bw_result result = bw_alembic_verify(&report, d->archive, run, error);
    if (!report) {
        return result;
    }
    bwi_json_key(w, "verify");
    bwi_json_begin_object(w);
    bwi_json_key_uint(w, "objects", report->object_count);
    bwi_json_key_uint(w, "properties", report->property_count);
    bwi_json_key_uint(w, "samples", report->sample_count);
    bwi_json_key_uint(w, "bytes", report->byte_count);
    bwi_json_key_uint(w, "damaged", report->finding_count);
    bwi_json_key(w, "findings");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < report->findings.count; i++) {
        const bw_alembic_finding *finding = &report->findings.data[i];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "kind", KINDS[finding->kind]);
        bwi_json_key_string(w, "object", finding->object);
        if (finding->property) {
            bwi_json_key_string(w, "property", finding->property);
        }
        if (finding->sample != BW_NO_INDEX) {
            bwi_json_key_uint(w, "sample", finding->sample);
        }
        if (finding->offset >= 0) {
            bwi_json_key_uint(w, "offset", (uint64_t)finding->offset);
        }
        bwi_json_key_string(w, "message", finding->message);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    bwi_json_end_object(w);
    bw_free_alembic_report(report);
    return result;
}

/* In: failure — filled unless result is OK. */
static bw_result end_document(dump *d, bw_result result, const bw_error *failure) {
    bwi_json_writer *w = d->w;
    bwi_json_key_uint(w, "unreadable", d->failure_count);
    if (result != BW_OK) {
        bwi_json_key(w, "failure");
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "code", bw_result_name(failure->result));
        bwi_json_key_string(w, "message", failure->message);
        bwi_json_key(w, "offset");
        if (failure->offset >= 0) {
            bwi_json_int(w, failure->offset);
        } else {
            bwi_json_raw(w, "null");
        }
        bwi_json_end_object(w);
    }
    bwi_json_end_object(w);
    return bwi_json_writer_end(w, NULL, NULL) ? BW_OK : BW_ERR_FILE_WRITE;
}

bw_result bw_alembic_info_json(FILE *out, bw_alembic *archive, const bw_info_opts *opts, bw_error *error) {
    const bw_info_opts defaults = {0};
    opts = opts ? opts : &defaults;
    bwi_mem mem;
    bwi_mem_init(&mem, opts->run.memory_limit);
    bwi_json_writer *w = bwi_json_writer_create(&mem, out, 0);
    if (!w) {
        return bwi_fail_memory(error, archive->path, &mem, 1);
    }
    dump d = {.w = w, .archive = archive, .values = opts->values, .mem = &mem};
    bwi_json_begin_object(w);
    write_head(w, archive);
    if (opts->values || !opts->verify) {
        bwi_json_key(w, "objects");
        bwi_json_begin_array(w);
        write_object(&d, archive->top);
        bwi_json_end_array(w);
        bwi_json_key(w, "curves");
        bwi_json_begin_array(w);
        write_curves(&d, archive->top);
        bwi_json_end_array(w);
    }
    bw_error failure;
    bw_result result = opts->verify ? write_verify(&d, &opts->run, &failure) : BW_OK;
    if (result == BW_OK && d.failure_count > 0) {
        failure = d.first;
        result = failure.result;
    }
    bw_result written = end_document(&d, result, &failure);
    bwi_free(&mem, d.path);
    if (written != BW_OK) {
        return bwi_fail(error, written, NULL, -1,
                        "the document could not be written; free some space or write elsewhere");
    }
    if (result != BW_OK && error) {
        *error = failure;
    }
    return result;
}
