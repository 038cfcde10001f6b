/* SPDX-License-Identifier: MIT
 * Alembic archives: any bytes are refused with a message or read; every object, property, sample and string is then looked at, found by its
 * path, and verified. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bakewell/alembic.h"

/* A file may show the same bytes in many samples: what is looked at is bounded here, as a caller's own limits would. */
enum { LOOKED_AT_MAX = 1 << 22, MEMORY_LIMIT = 64 << 20 };

typedef struct walk {
    bw_alembic *archive;
    uint64_t looked_at;
    uint64_t sum;
} walk;

/* Not assert: these hold in every build. */
static void must(bool held) {
    if (!held)
        abort();
}

/* What has a path is found by it, unless something on the way has the name of a sibling before it: then the way leads to that one. */
static bool name_is_taken(bw_alembic *archive, const bw_alembic_object *object) {
    for (; object->parent; object = object->parent) {
        bw_alembic_object_list list;
        must(bw_alembic_children(&list, archive, object->parent, NULL) == BW_OK);
        for (size_t i = 0; i < object->index; i++) {
            if (strcmp(list.data[i].name, object->name) == 0)
                return true;
        }
    }
    return false;
}

static bool property_name_is_taken(bw_alembic *archive, const bw_alembic_property *property) {
    for (; property; property = property->parent) {
        bw_alembic_property_list list;
        must((property->parent ? bw_alembic_members(&list, archive, property->parent, NULL)
                               : bw_alembic_properties(&list, archive, property->object, NULL)) == BW_OK);
        for (size_t i = 0; i < property->index; i++) {
            if (strcmp(list.data[i].name, property->name) == 0)
                return true;
        }
    }
    return false;
}

static void check_error(bw_result result, const bw_error *error) {
    must(error->result == result && error->message[0] != 0);
}

static void look_at_strings(walk *w, const bw_alembic_property *property, uint32_t index) {
    bw_error error;
    bw_string_list *strings = NULL;
    bw_result result = bw_alembic_read_strings(&strings, w->archive, property, index, &error);
    if (result != BW_OK)
        check_error(result, &error);
    for (size_t i = 0; strings && i < strings->count; i++)
        w->sum += strlen(strings->data[i]);
    bw_free_alembic_strings(strings);
}

static void look_at_values(walk *w, const bw_alembic_property *property, uint32_t index,
                           const bw_alembic_sample *sample) {
    bw_error error;
    uint8_t *values = malloc(sample->size + 1);
    if (!values)
        return;
    bw_result result = bw_alembic_read(values, sample->size, w->archive, property, index, &error);
    must(result == BW_OK);
    for (size_t i = 0; i < sample->size; i++)
        w->sum += values[i];
    free(values);
}

static bool look_at_sample(walk *w, const bw_alembic_property *property, uint32_t index) {
    bw_error error;
    bw_alembic_sample sample;
    bw_result result = bw_alembic_view(&sample, w->archive, property, index, &error);
    if (result != BW_OK) {
        check_error(result, &error);
        return result != BW_ERR_TRUNCATED;
    }
    must(sample.value_count == sample.point_count * property->extent);
    w->looked_at += sample.size + 16;
    if (property->pod == BW_ALEMBIC_STRING || property->pod == BW_ALEMBIC_WSTRING)
        look_at_strings(w, property, index);
    else
        look_at_values(w, property, index, &sample);
    return w->looked_at < LOOKED_AT_MAX;
}

static void look_at_samples(walk *w, const bw_alembic_property *property) {
    const bw_alembic_time_sampling *sampling = &w->archive->time_samplings.data[property->time_sampling];
    const uint32_t count = property->sample_count;
    const uint32_t first = property->first_changed;
    const uint32_t last = property->last_changed;
    bool more = count > 0 && look_at_sample(w, property, 0);
    for (uint32_t i = first; more && first > 0 && i <= last; i++)
        more = look_at_sample(w, property, i);
    if (count > 0) {
        const double end_s = bw_alembic_time(sampling, count - 1);
        (void)look_at_sample(w, property, count - 1);
        w->sum += bw_alembic_floor_index(sampling, count, end_s) + bw_alembic_ceil_index(sampling, count, 0.5 * end_s) +
                  bw_alembic_near_index(sampling, count, -end_s);
        must(bw_alembic_near_index(sampling, count, end_s) < count);
    }
}

static void look_at_properties(walk *w, const bw_alembic_object *object, bw_alembic_property_list list) {
    for (size_t i = 0; i < list.count && w->looked_at < LOOKED_AT_MAX; i++) {
        const bw_alembic_property *property = &list.data[i];
        bw_error error;
        bw_alembic_property_list members;
        char path[300];
        w->looked_at += 64;
        w->sum += (uint64_t)bw_alembic_property_scope(property) + property->metadata->count;
        if (bw_alembic_property_path(path, sizeof(path), property) < sizeof(path)) {
            const bw_alembic_property *found = NULL;
            bw_result result = bw_alembic_find_property(&found, w->archive, object, path, &error);
            must((result == BW_OK && found == property) || property_name_is_taken(w->archive, property));
        }
        if (property->kind != BW_ALEMBIC_COMPOUND)
            look_at_samples(w, property);
        bw_result result = bw_alembic_members(&members, w->archive, property, &error);
        if (result == BW_OK)
            look_at_properties(w, object, members);
        else
            check_error(result, &error);
    }
}

static void look_at_object(walk *w, const bw_alembic_object *object) {
    bw_error error;
    bw_alembic_object_list children;
    bw_alembic_property_list properties;
    const char *source = NULL;
    char path[300];
    w->looked_at += 64;
    if (bw_alembic_object_path(path, sizeof(path), object) < sizeof(path)) {
        const bw_alembic_object *found = NULL;
        bw_result result = bw_alembic_find_object(&found, w->archive, path, &error);
        must((result == BW_OK && found == object) || name_is_taken(w->archive, object));
    }
    bw_result result = bw_alembic_properties(&properties, w->archive, object, &error);
    if (result == BW_OK)
        look_at_properties(w, object, properties);
    else
        check_error(result, &error);
    if (bw_alembic_instance_source(&source, w->archive, object, &error) == BW_OK && source)
        w->sum += strlen(source);
    result = bw_alembic_children(&children, w->archive, object, &error);
    if (result != BW_OK) {
        check_error(result, &error);
        return;
    }
    for (size_t i = 0; i < children.count && w->looked_at < LOOKED_AT_MAX; i++)
        look_at_object(w, &children.data[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const bw_run_opts run = {.memory_limit = MEMORY_LIMIT};
    bw_alembic *archive = NULL;
    bw_alembic_report *report = NULL;
    bw_error error;
    bw_result result = bw_alembic_open_bytes(&archive, data, size, "fuzz.abc", &run, &error);
    if (result != BW_OK) {
        check_error(result, &error);
        return 0;
    }
    walk w = {.archive = archive};
    look_at_object(&w, archive->top);
    result = bw_alembic_verify(&report, archive, &run, &error);
    if (result != BW_OK)
        check_error(result, &error);
    bw_free_alembic_report(report);
    bw_free_alembic(archive);
    return 0;
}
