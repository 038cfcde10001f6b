/* SPDX-License-Identifier: MIT
 * Properties: reading a compound's headers when it is asked for, and finding by path. */
#include <string.h>

#include "alembic/alembic_priv.h"

enum { KIND_COMPOUND, KIND_SCALAR, KIND_ARRAY, KIND_SCALAR_LIKE };

/* A header as it stands in the file. */
typedef struct raw_header {
    uint32_t info;
    uint32_t sample_count, first, last, sampling;
    const uint8_t *name, *meta;
    uint32_t name_size, meta_size;
} raw_header;

static unsigned kind_of(const raw_header *raw) {
    return raw->info & BWI_INFO_KIND;
}

static bool take_samples(raw_header *raw, bwi_alembic_cursor *cursor, unsigned hint) {
    if (!bwi_alembic_take_hinted(&raw->sample_count, cursor, hint))
        return false;
    raw->first = 1;
    raw->last = raw->sample_count - 1;
    if (raw->info & BWI_INFO_CHANGES) {
        if (!bwi_alembic_take_hinted(&raw->first, cursor, hint) || !bwi_alembic_take_hinted(&raw->last, cursor, hint))
            return false;
    } else if (raw->info & BWI_INFO_CONSTANT || raw->sample_count < 2) {
        raw->first = 0;
        raw->last = 0;
    }
    return !(raw->info & BWI_INFO_SAMPLING) || bwi_alembic_take_hinted(&raw->sampling, cursor, hint);
}

/* False where it runs past the end, or its hint is none. */
static bool take_header(raw_header *raw, bwi_alembic_cursor *cursor) {
    *raw = (raw_header){0};
    if (!bwi_alembic_take_u32(&raw->info, cursor))
        return false;
    unsigned hint = raw->info >> BWI_INFO_HINT & 3;
    if (hint > 2 || (kind_of(raw) != KIND_COMPOUND && !take_samples(raw, cursor, hint)))
        return false;
    if (!bwi_alembic_take_hinted(&raw->name_size, cursor, hint) ||
        !bwi_alembic_take(&raw->name, cursor, raw->name_size))
        return false;
    if ((raw->info >> BWI_INFO_METADATA & 0xFF) != BWI_ALEMBIC_INLINE)
        return true;
    return bwi_alembic_take_hinted(&raw->meta_size, cursor, hint) &&
           bwi_alembic_take(&raw->meta, cursor, raw->meta_size);
}

static bw_result read_samples(bw_alembic_property *property, const bwi_alembic_place *place, const raw_header *raw,
                              uint64_t offset) {
    const bwi_alembic *a = place->a;
    uint32_t pod = raw->info >> BWI_INFO_POD & 15;
    property->kind = kind_of(raw) == KIND_SCALAR ? BW_ALEMBIC_SCALAR : BW_ALEMBIC_ARRAY;
    property->scalar_like = kind_of(raw) == KIND_SCALAR_LIKE;
    property->extent = raw->info >> BWI_INFO_EXTENT & 0xFF;
    property->sample_count = raw->sample_count;
    property->first_changed = raw->first;
    property->last_changed = raw->last;
    property->time_sampling = raw->sampling;
    if (pod >= BW_ALEMBIC_POD_END - BW_ALEMBIC_BOOL)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                "is of type %u, expected one up to %d; the file is damaged, export it again",
                                (unsigned)pod, BW_ALEMBIC_POD_END - BW_ALEMBIC_BOOL - 1);
    property->pod = (bw_alembic_pod)(pod + BW_ALEMBIC_BOOL);
    if (property->extent == 0)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                "has 0 values a point, expected 1 to 255; the file is damaged, export it again");
    if (raw->sampling >= a->archive.time_samplings.count)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                "uses time sampling %u, expected one of the archive's %zu; export it again",
                                (unsigned)raw->sampling, a->archive.time_samplings.count);
    bool constant = raw->first == 0 && raw->last == 0;
    if (!constant && (raw->first == 0 || raw->first > raw->last || raw->last >= raw->sample_count))
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                "changes between its samples %u and %u of %u, expected these in order and within; "
                                "export it again",
                                (unsigned)raw->first, (unsigned)raw->last, (unsigned)raw->sample_count);
    return BW_OK;
}

static bw_result read_property(bw_alembic_property *property, bwi_alembic *a, const bwi_alembic_place *place,
                               const raw_header *raw, bwi_alembic_child child, uint64_t offset) {
    bw_result result = bwi_alembic_get_name(&property->name, place, raw->name, raw->name_size, "a property's name");
    if (result != BW_OK)
        return result;
    const bwi_alembic_place inside = {a, place->object, property, -1, place->error};
    property->object = place->object;
    property->parent = place->property;
    property->offset = child.offset;
    result = bwi_alembic_get_metadata(&property->metadata, a, &inside, raw->info >> BWI_INFO_METADATA & 0xFF, raw->meta,
                                      raw->meta_size);
    if (result == BW_OK && child.is_data)
        return bwi_alembic_fail(&inside, BW_ERR_MALFORMED, child.offset,
                                "is marked as data, expected a group; export it again");
    if (result == BW_OK && kind_of(raw) != KIND_COMPOUND)
        result = read_samples(property, &inside, raw, offset);
    return result;
}

/* Groups of samples are used once, like all groups.  What a property's header claims beyond its group is found out when a sample is read. */
static bw_result charge_samples(bwi_alembic *a, const bwi_alembic_place *place, const bw_alembic_property *property) {
    const bwi_alembic_place silent = {a, NULL, NULL, -1, NULL};
    bwi_alembic_group group;
    if (property->kind == BW_ALEMBIC_COMPOUND ||
        bwi_alembic_open_group(&group, &silent, property->offset, "its group of samples") != BW_OK)
        return BW_OK;
    const uint64_t parts = (uint64_t)bwi_alembic_stored_count(property) * (property->kind == BW_ALEMBIC_SCALAR ? 1 : 2);
    return bwi_alembic_charge(a, place, property->offset, 8 * (parts < group.count ? parts : group.count));
}

static bw_result fail_headers(const bwi_alembic_place *place, uint64_t offset, size_t index) {
    return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                            "the header of member %zu runs past the end of its list; the file is damaged, export it "
                            "again",
                            index);
}

static bw_result read_members(bwi_alembic_compound *compound, bwi_alembic *a, const bwi_alembic_place *place,
                              const bwi_alembic_group *group, const bwi_alembic_data *headers) {
    size_t count = 0;
    raw_header raw;
    for (bwi_alembic_cursor cursor = {headers->bytes, headers->size}; cursor.left > 0; count++) {
        if (count == UINT32_MAX || !take_header(&raw, &cursor))
            return fail_headers(place, headers->offset, count);
    }
    if (count > group->count - 1)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, group->offset,
                                "its list names %zu properties, expected at most the %llu that its group holds; export "
                                "it again",
                                count, (unsigned long long)(group->count - 1));
    bw_alembic_property *members = bwi_arena_alloc(a->arena, count, sizeof(*members));
    if (!members)
        return bwi_fail_memory(place->error, a->archive.path, bwi_arena_mem(a->arena), count * sizeof(*members));
    bwi_alembic_cursor cursor = {headers->bytes, headers->size};
    for (size_t i = 0; i < count; i++) {
        uint64_t offset = headers->offset + (headers->size - cursor.left);
        (void)take_header(&raw, &cursor);
        bw_result result = read_property(&members[i], a, place, &raw, bwi_alembic_get_child(group, i), offset);
        if (result == BW_OK)
            result = charge_samples(a, place, &members[i]);
        if (result != BW_OK)
            return result;
        members[i].index = (uint32_t)i;
    }
    if (count > 0 && !bwi_alembic_names_build(&compound->names, a->arena, &members[0].name, count, sizeof(*members)))
        return bwi_fail_memory(place->error, a->archive.path, bwi_arena_mem(a->arena), count);
    compound->data = members;
    compound->count = count;
    return BW_OK;
}

static bw_result check_way(const bwi_alembic_place *place, uint64_t offset) {
    uint32_t depth = 1;
    for (const bw_alembic_property *above = place->property; above; above = above->parent, depth++) {
        if (above != place->property && above->offset == offset)
            return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                    "is the same group as a compound around it: they run in a circle; the file is "
                                    "damaged, export it again");
    }
    if (depth > BWI_ALEMBIC_DEPTH_MAX)
        return bwi_alembic_fail(place, BW_ERR_UNSUPPORTED, offset,
                                "is nested %u deep, expected at most %d; flatten the compounds", (unsigned)depth,
                                BWI_ALEMBIC_DEPTH_MAX);
    return BW_OK;
}

bw_result bwi_alembic_load_compound(bwi_alembic_compound **compound, bwi_alembic *a, const bw_alembic_object *object,
                                    const bw_alembic_property *parent, uint64_t offset, bw_error *error) {
    const bwi_alembic_place place = {a, object, parent, -1, error};
    bwi_alembic_group group;
    bwi_alembic_data headers;
    bwi_alembic_compound *read = bwi_arena_alloc(a->arena, 1, sizeof(*read));
    if (!read)
        return bwi_fail_memory(error, a->archive.path, bwi_arena_mem(a->arena), sizeof(*read));
    bw_result result = offset != 0 ? check_way(&place, offset) : BW_OK;
    if (result == BW_OK)
        result = bwi_alembic_open_group(&group, &place, offset, "its group of properties");
    if (result != BW_OK || group.count == 0) {
        if (result == BW_OK)
            *compound = read;
        return result;
    }
    result = bwi_alembic_charge(a, &place, group.offset, 8 + 8 * group.count);
    if (result == BW_OK)
        result = bwi_alembic_open_data(&headers, &place, bwi_alembic_get_child(&group, group.count - 1),
                                       "its list of properties");
    if (result == BW_OK)
        result = bwi_alembic_charge(a, &place, headers.offset, 8 + headers.size);
    if (result == BW_OK)
        result = read_members(read, a, &place, &group, &headers);
    if (result == BW_OK)
        *compound = read;
    return result;
}

bw_result bw_alembic_members(bw_alembic_property_list *members, bw_alembic *archive,
                             const bw_alembic_property *compound, bw_error *error) {
    if (compound->kind != BW_ALEMBIC_COMPOUND) {
        *members = (bw_alembic_property_list){0};
        return BW_OK;
    }
    if (!compound->state) {
        bwi_alembic_compound *read = NULL;
        bw_result result =
            bwi_alembic_load_compound(&read, archive->state, compound->object, compound, compound->offset, error);
        if (result != BW_OK)
            return result;
        /* Properties are handed out as const; they are the archive's own. */
        ((bw_alembic_property *)(uintptr_t)compound)->state = read;
    }
    *members = (bw_alembic_property_list){compound->state->data, compound->state->count};
    return BW_OK;
}

bw_result bw_alembic_find_property(const bw_alembic_property **property, bw_alembic *archive,
                                   const bw_alembic_object *object, const char *path, bw_error *error) {
    bw_alembic_property_list list;
    bw_result result = bw_alembic_properties(&list, archive, object, error);
    if (result != BW_OK)
        return result;
    const bwi_alembic_compound *compound = object->state->properties;
    const bw_alembic_property *found = NULL;
    for (const char *part = path; *part;) {
        size_t size = strcspn(part, "/");
        size_t index = compound->count > 0
                           ? bwi_alembic_names_find(&compound->names, &compound->data[0].name, compound->count,
                                                    sizeof(compound->data[0]), part, size)
                           : SIZE_MAX;
        found = index < compound->count ? &compound->data[index] : NULL;
        part += size;
        part += *part == '/';
        if (!found || !*part)
            break;
        if (found->kind != BW_ALEMBIC_COMPOUND) {
            found = NULL;
            break;
        }
        result = bw_alembic_members(&list, archive, found, error);
        if (result != BW_OK)
            return result;
        compound = found->state;
    }
    *property = found;
    return BW_OK;
}

bw_alembic_scope bw_alembic_property_scope(const bw_alembic_property *property) {
    static const char *const NAMES[] = {"con", "uni", "var", "vtx", "fvr"};
    const char *scope = bw_alembic_meta_value(property->metadata, "geoScope");
    if (!scope)
        return BW_ALEMBIC_SCOPE_CONSTANT;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcmp(scope, NAMES[i]) == 0)
            return (bw_alembic_scope)i;
    }
    return BW_ALEMBIC_SCOPE_UNKNOWN;
}

bw_result bw_alembic_instance_source(const char **source, bw_alembic *archive, const bw_alembic_object *object,
                                     bw_error *error) {
    const char *flag = bw_alembic_meta_value(object->metadata, "isInstance");
    const bw_alembic_property *property = NULL;
    const char *found = NULL;
    if (flag && strcmp(flag, "1") == 0) {
        bw_result result = bw_alembic_find_property(&property, archive, object, ".instanceSource", error);
        if (result != BW_OK)
            return result;
    }
    if (property && property->kind == BW_ALEMBIC_SCALAR && property->pod == BW_ALEMBIC_STRING &&
        property->sample_count > 0) {
        bw_alembic_sample sample;
        bw_result result = bw_alembic_view(&sample, archive, property, 0, error);
        if (result != BW_OK)
            return result;
        found = (const char *)sample.bytes;
    }
    *source = found;
    return BW_OK;
}
