/* SPDX-License-Identifier: MIT
 * What an Alembic archive holds, in words: its head, objects, properties and, if asked for, samples. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* A listing on its way: parts that cannot be read are named where they stand, and the first is kept. */
typedef struct listing {
    bw_alembic *archive;
    bool values;
    bw_result result;
    bw_error *error;
} listing;

static void print_part_failure(listing *r, const bw_error *error) {
    printf("          cannot be read: ");
    cli_print_name(error->message);
    printf("\n");
    if (r->result == BW_OK) {
        r->result = error->result;
        *r->error = *error;
    }
}

static void print_sampling(const bw_alembic_time_sampling *sampling, size_t index) {
    const double *times = sampling->times_s.data;
    const size_t count = sampling->times_s.count;
    char text[CLI_TEXT_SIZE];
    printf("times %-3zu ", index);
    switch (sampling->kind) {
    case BW_ALEMBIC_UNIFORM:
        printf("uniform, %.6g fps from %.6g s", 1.0 / sampling->time_per_cycle_s, times[0]);
        break;
    case BW_ALEMBIC_CYCLIC:
        printf("cyclic, %zu every %.6g s (%.6g fps) from %.6g s", count, sampling->time_per_cycle_s,
               (double)count / sampling->time_per_cycle_s, times[0]);
        break;
    case BW_ALEMBIC_ACYCLIC:
        printf("acyclic, %.6g s to %.6g s", times[0], times[count - 1]);
        break;
    }
    printf("; up to %s\n", cli_count(text, sampling->max_sample_count, "sample"));
}

static void print_named(const char *label, const char *text) {
    if (text) {
        printf("%-9s ", label);
        cli_print_name(text);
        printf("\n");
    }
}

static void print_head(const bw_alembic *archive) {
    const int32_t version = archive->library_version;
    char bytes[CLI_TEXT_SIZE];
    cli_print_name(archive->path);
    printf(": Alembic (Ogawa), %s, library %d.%d.%d\n", cli_bytes(bytes, archive->size), (int)(version / 10000),
           (int)(version / 100 % 100), (int)(version % 100));
    print_named("exporter", archive->application);
    print_named("library", archive->library);
    print_named("date", archive->date);
    print_named("about", archive->description);
    if (archive->fps > 0.0) {
        printf("fps       %.6g, as the exporter says\n", archive->fps);
    }
    for (size_t i = 0; i < archive->time_samplings.count; i++) {
        print_sampling(&archive->time_samplings.data[i], i);
    }
}

/* ---- samples ---- */

static void print_number(bw_alembic_pod pod, const uint8_t *bytes) {
    switch (pod) {
    case BW_ALEMBIC_FLOAT16:
        printf(" %.5g", bw_alembic_float(bytes, pod));
        break;
    case BW_ALEMBIC_FLOAT32:
        printf(" %.9g", bw_alembic_float(bytes, pod));
        break;
    case BW_ALEMBIC_FLOAT64:
        printf(" %.17g", bw_alembic_float(bytes, pod));
        break;
    case BW_ALEMBIC_UINT64:
        printf(" %" PRIu64, (uint64_t)bw_alembic_int(bytes, pod));
        break;
    default:
        printf(" %" PRId64, bw_alembic_int(bytes, pod));
        break;
    }
}

static bw_result print_values(listing *r, const bw_alembic_property *property, uint32_t index,
                              const bw_alembic_sample *sample, bw_error *error) {
    if (property->pod != BW_ALEMBIC_STRING && property->pod != BW_ALEMBIC_WSTRING) {
        const size_t size = bw_alembic_pod_size(property->pod);
        for (uint64_t i = 0; i < sample->value_count; i++) {
            print_number(property->pod, sample->bytes + i * size);
        }
        return BW_OK;
    }
    bw_string_list *strings = NULL;
    bw_result result = bw_alembic_read_strings(&strings, r->archive, property, index, error);
    for (size_t i = 0; result == BW_OK && i < strings->count; i++) {
        printf(" \"");
        cli_print_name(strings->data[i]);
        printf("\"");
    }
    bw_free_alembic_strings(strings);
    return result;
}

static bw_result print_sample(listing *r, const bw_alembic_property *property, uint32_t index) {
    bw_error error;
    bw_alembic_sample sample;
    bw_result result = bw_alembic_view(&sample, r->archive, property, index, &error);
    if (result != BW_OK) {
        print_part_failure(r, &error);
        return result;
    }
    const bw_alembic_time_sampling *sampling = &r->archive->time_samplings.data[property->time_sampling];
    printf("            sample %u at %.6g s, ", index, bw_alembic_time(sampling, index));
    for (uint32_t i = 0; i < sample.rank; i++) {
        printf("%s%llu", i == 0 ? "[" : " × ", (unsigned long long)sample.dimensions[i]);
    }
    printf("%skey ", sample.rank > 0 ? "], " : "");
    for (size_t i = 0; i < sizeof(sample.key); i++) {
        printf("%02x", (unsigned)sample.key[i]);
    }
    printf(":");
    result = print_values(r, property, index, &sample, &error);
    printf("\n");
    if (result != BW_OK) {
        print_part_failure(r, &error);
    }
    return result;
}

/* Samples that repeat the one before them are not printed again.  The count is a claim of the file: the first that is missing ends it. */
static void print_samples(listing *r, const bw_alembic_property *property) {
    bw_result result = property->sample_count > 0 ? print_sample(r, property, 0) : BW_OK;
    const uint32_t first = property->first_changed;
    for (uint32_t i = first; first > 0 && i <= property->last_changed && result != BW_ERR_TRUNCATED; i++) {
        result = print_sample(r, property, i);
    }
}

/* ---- properties and objects ---- */

typedef size_t path_fn(char *buffer, size_t size, const void *of);

static size_t object_path(char *buffer, size_t size, const void *of) {
    return bw_alembic_object_path(buffer, size, of);
}

static size_t property_path(char *buffer, size_t size, const void *of) {
    return bw_alembic_property_path(buffer, size, of);
}

/* Paths have no longest; one that memory does not hold is cut. */
static void print_path(path_fn *path, const void *of, int width) {
    char text[256];
    size_t length = path(text, sizeof(text), of);
    char *whole = length >= sizeof(text) ? malloc(length + 1) : NULL;
    if (whole) {
        (void)path(whole, length + 1, of);
    }
    cli_print_name(whole ? whole : text);
    for (size_t i = length; width > 0 && i < (size_t)width; i++) {
        (void)putchar(' ');
    }
    free(whole);
}

static void print_type(const bw_alembic_property *property) {
    static const char *const SCOPES[] = {"constant", "uniform", "varying", "vertex", "facevarying", "unknown scope"};
    const char *interpretation = bw_alembic_meta_value(property->metadata, "interpretation");
    char text[CLI_TEXT_SIZE];
    if (property->kind == BW_ALEMBIC_COMPOUND) {
        printf(" compound");
    } else {
        printf(" %s", bw_alembic_pod_name(property->pod));
        if (property->extent > 1) {
            printf("[%u]", property->extent);
        }
        printf("%s", property->kind == BW_ALEMBIC_ARRAY ? " array" : "");
    }
    if (bw_alembic_meta_value(property->metadata, "geoScope")) {
        printf(", %s", SCOPES[bw_alembic_property_scope(property)]);
    }
    if (interpretation && interpretation[0]) {
        printf(", ");
        cli_print_name(interpretation);
    }
    if (property->kind != BW_ALEMBIC_COMPOUND) {
        printf(", %s", cli_count(text, property->sample_count, "sample"));
        if (property->sample_count > 1) {
            const bool constant = property->last_changed == 0;
            printf(", times %u%s", property->time_sampling, constant ? ", all equal" : "");
        }
    }
    printf("\n");
}

static void print_properties(listing *r, bw_alembic_property_list list) {
    for (size_t i = 0; i < list.count; i++) {
        const bw_alembic_property *property = &list.data[i];
        bw_error error;
        bw_alembic_property_list members = {0};
        printf("          ");
        print_path(property_path, property, 31);
        print_type(property);
        if (bw_alembic_members(&members, r->archive, property, &error) != BW_OK) {
            print_part_failure(r, &error);
        } else if (r->values && property->kind != BW_ALEMBIC_COMPOUND) {
            print_samples(r, property);
        }
        print_properties(r, members);
    }
}

static bw_result print_object_properties(listing *r, const bw_alembic_object *object, bw_error *error) {
    bw_alembic_property_list properties;
    const char *source = NULL;
    bw_result result = bw_alembic_instance_source(&source, r->archive, object, error);
    if (result == BW_OK && source) {
        printf("          instance of ");
        cli_print_name(source);
        printf("\n");
    }
    if (result == BW_OK) {
        result = bw_alembic_properties(&properties, r->archive, object, error);
    }
    if (result == BW_OK) {
        print_properties(r, properties);
    }
    return result;
}

static bw_result print_strands(listing *r, const bw_alembic_object *object, bw_error *error) {
    uint64_t strands = 0;
    uint64_t points = 0;
    char texts[2][CLI_TEXT_SIZE];
    bw_result result = bw_alembic_count_curves(&strands, &points, r->archive, object, error);
    if (result == BW_OK && strands + points > 0) {
        printf("          %s, %s\n", cli_count(texts[0], strands, "strand"), cli_count(texts[1], points, "point"));
    }
    return result;
}

static void print_object(listing *r, const bw_alembic_object *object) {
    bw_error error;
    bw_alembic_object_list children = {0};
    const char *schema = bw_alembic_meta_value(object->metadata, "schema");
    printf("object    ");
    print_path(object_path, object, 0);
    if (schema) {
        printf(": ");
        cli_print_name(schema);
    }
    printf("\n");
    bw_result result = print_strands(r, object, &error);
    if (result != BW_OK) {
        print_part_failure(r, &error);
    }
    result = print_object_properties(r, object, &error);
    if (result != BW_OK) {
        print_part_failure(r, &error);
    }
    if (bw_alembic_children(&children, r->archive, object, &error) != BW_OK && result == BW_OK) {
        print_part_failure(r, &error);
    }
    for (size_t i = 0; i < children.count; i++) {
        print_object(r, &children.data[i]);
    }
}

static bw_result print_verify(bw_alembic *archive, const bw_run_opts *run, bw_error *error) {
    bw_alembic_report *report = NULL;
    bw_result result = bw_alembic_verify(&report, archive, run, error);
    if (!report) {
        return result;
    }
    for (size_t i = 0; i < report->findings.count; i++) {
        printf("damaged   %s\n", report->findings.data[i].message);
    }
    if (report->finding_count > report->findings.count) {
        printf("          and %llu more\n", (unsigned long long)(report->finding_count - report->findings.count));
    }
    char objects[CLI_TEXT_SIZE];
    char properties[CLI_TEXT_SIZE];
    char samples[CLI_TEXT_SIZE];
    char bytes[CLI_TEXT_SIZE];
    printf("verified  %s, %s, %s, %s: %s\n", cli_count(objects, report->object_count, "object"),
           cli_count(properties, report->property_count, "property"),
           cli_count(samples, report->sample_count, "sample"), cli_bytes(bytes, report->byte_count),
           report->finding_count == 0 ? "as they were written" : "damaged");
    bw_free_alembic_report(report);
    return result;
}

bw_result cli_print_alembic(bw_alembic *archive, const bw_info_opts *opts, bw_error *error) {
    listing r = {archive, opts->values, BW_OK, error};
    print_head(archive);
    if (opts->values || !opts->verify) {
        print_object(&r, archive->top);
    }
    return opts->verify ? print_verify(archive, &opts->run, error) : r.result;
}
