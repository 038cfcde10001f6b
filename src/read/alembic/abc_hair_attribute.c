/* SPDX-License-Identifier: MIT
 * Attributes of hair in archives as they stand there, of any type and shape: lint judges them. */
#include <string.h>

#include "read/alembic/abc_hair_priv.h"

/* Says whether an exporter named a scope at all: without one "constant" is only what the library falls back to. */
static bool names_scope(const bw_alembic_property *property) {
    const char *scope = bw_alembic_meta_value(property->metadata, "geoScope");
    return scope && *scope;
}

static bool is_text(bw_alembic_pod pod) {
    return pod == BW_ALEMBIC_STRING || pod == BW_ALEMBIC_WSTRING;
}

/* Strings of the file already end in zeros: only wide ones are copied. */
static bw_result take_strings(bwi_hair_attribute *a, const bwi_abc_hair *h, const bw_alembic_property *property,
                              const bw_alembic_sample *sample) {
    const char **strings = bwi_abc_hair_alloc(h, (size_t)sample->value_count, sizeof *strings);
    if (!strings)
        return BW_ERR_MEMORY;
    if (property->pod == BW_ALEMBIC_STRING) {
        const char *at = (const char *)sample->bytes;
        for (uint64_t k = 0; k < sample->value_count; k++) {
            strings[k] = at;
            at += strlen(at) + 1;
        }
    } else {
        bw_string_list *wide;
        bw_result result = bw_alembic_read_strings(&wide, h->archive, property, 0, h->error);
        if (result != BW_OK)
            return result;
        for (size_t k = 0; k < wide->count && result == BW_OK; k++) {
            strings[k] = bwi_arena_string(h->arena, wide->data[k], SIZE_MAX);
            if (!strings[k])
                result = bwi_fail_memory(h->error, h->archive->path, h->mem, strlen(wide->data[k]) + 1);
        }
        bw_free_alembic_strings(wide);
        if (result != BW_OK)
            return result;
    }
    a->strings = strings;
    return BW_OK;
}

static bw_result take_values(bwi_hair_attribute *a, const bwi_abc_hair *h, const bw_alembic_property *values) {
    bw_alembic_sample sample;
    if (values->sample_count == 0)
        return BW_OK;
    bw_result result = bw_alembic_view(&sample, h->archive, values, 0, h->error);
    if (result == BW_OK && is_text(values->pod))
        result = take_strings(a, h, values, &sample);
    if (result != BW_OK)
        return result;
    a->bytes = is_text(values->pod) ? NULL : sample.bytes;
    a->value_count = a->count = sample.point_count;
    return BW_OK;
}

/* Without indices, values stand for themselves. */
static bw_result take_indices(bwi_hair_attribute *a, const bwi_abc_hair *h, const bw_alembic_property *indices) {
    bw_alembic_sample sample;
    if (indices->sample_count == 0)
        return BW_OK;
    bw_result result = bw_alembic_view(&sample, h->archive, indices, 0, h->error);
    if (result != BW_OK || sample.point_count == 0)
        return result;
    a->indices = bwi_abc_hair_values(h, &sample);
    if (!a->indices)
        return BW_ERR_MEMORY;
    a->count = sample.point_count;
    return BW_OK;
}

static const bw_alembic_property *find_values(const bw_alembic_property_list *members) {
    for (size_t k = 0; k < members->count; k++)
        if (members->data[k].kind == BW_ALEMBIC_ARRAY && strcmp(members->data[k].name, ".vals") == 0)
            return &members->data[k];
    return NULL;
}

static const bw_alembic_property *find_indices(const bw_alembic_property_list *members) {
    for (size_t k = 0; k < members->count; k++) {
        const bw_alembic_property *p = &members->data[k];
        if (p->kind == BW_ALEMBIC_ARRAY && p->pod == BW_ALEMBIC_UINT32 && p->extent == 1 &&
            strncmp(p->name, ".i", 2) == 0)
            return p;
    }
    return NULL;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

bw_result bwi_abc_hair_add_attribute(bwi_abc_hair *h, uint32_t object, bwi_hair_place place,
                                     const bw_alembic_property *property) {
    const bw_alembic_property *values = property, *indices = NULL;
    bwi_hair_attribute a = {.name = property->name,
                            .object = object,
                            .place = place,
                            .is_scalar = property->kind == BW_ALEMBIC_SCALAR,
                            .is_compound = property->kind == BW_ALEMBIC_COMPOUND,
                            .has_scope = names_scope(property),
                            .scope = bw_alembic_property_scope(property)};
    bw_result result = BW_OK;
    if (a.is_compound) {
        bw_alembic_property_list members = {0};
        result = bw_alembic_members(&members, h->archive, property, h->error);
        values = find_values(&members);
        indices = find_indices(&members);
        if (!indices)
            values = NULL;
    }
    if (result == BW_OK && values) {
        a.pod = values->pod;
        a.extent = values->extent;
        a.sample_count = larger(values->sample_count, indices ? indices->sample_count : 0);
        a.moves = bwi_abc_is_animated(values) || bwi_abc_is_animated(indices);
        result = take_values(&a, h, values);
        if (result == BW_OK && indices)
            result = take_indices(&a, h, indices);
    }
    if (result != BW_OK) {
        if (bwi_abc_hair_is_fatal(&a.problem, h, result))
            return result;
        a.bytes = NULL;
        a.strings = NULL;
        a.indices = NULL;
        a.count = a.value_count = 0;
    }
    result = bwi_abc_hair_grow((void **)&h->attributes, &h->attribute_capacity, h->attribute_count,
                               sizeof *h->attributes, h);
    if (result != BW_OK)
        return result;
    h->attributes[h->attribute_count++] = a;
    if (!h->tool && a.strings && a.count > 0 && strcmp(a.name, "groom_tool") == 0)
        h->tool = a.strings[0];
    return BW_OK;
}

bw_result bwi_abc_hair_add_extras(const char **problem, bwi_abc_hair *h, uint32_t object,
                                  const bw_alembic_property_list *schema) {
    static const struct {
        const char *name;
        bwi_hair_place place;
    } rows[] = {{".arbGeomParams", BWI_HAIR_ARBITRARY}, {".userProperties", BWI_HAIR_USER}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const bw_alembic_property *compound = bwi_abc_hair_find(schema, rows[k].name);
        bw_alembic_property_list members = {0};
        if (!compound || compound->kind != BW_ALEMBIC_COMPOUND)
            continue;
        bw_result result = bw_alembic_members(&members, h->archive, compound, h->error);
        if (result != BW_OK && bwi_abc_hair_is_fatal(problem, h, result))
            return result;
        for (size_t i = 0; result == BW_OK && i < members.count; i++) {
            result = bwi_abc_hair_add_attribute(h, object, rows[k].place, &members.data[i]);
            if (result != BW_OK)
                return result;
        }
    }
    return BW_OK;
}
