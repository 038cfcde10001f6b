/* SPDX-License-Identifier: MIT
 * Objects: reading a group of children when it is asked for, and finding by path. */
#include <string.h>

#include "alembic/alembic_priv.h"

enum { HASHES = 32 };

static bw_result fail_headers(const bwi_alembic_place *place, uint64_t offset, size_t index) {
    return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                            "the header of child %zu runs past the end of its list; the file is damaged, export it "
                            "again",
                            index);
}

/* A header: u32 size of the name, name, u8 metadata index, and if that is 255 u32 size, text. */
static bool take_header(bwi_alembic_cursor *cursor, const uint8_t **name, uint32_t *name_size, uint32_t *meta_index,
                        const uint8_t **meta, uint32_t *meta_size) {
    *meta = NULL;
    *meta_size = 0;
    return bwi_alembic_take_u32(name_size, cursor) && bwi_alembic_take(name, cursor, *name_size) &&
           bwi_alembic_take_hinted(meta_index, cursor, 0) &&
           (*meta_index != BWI_ALEMBIC_INLINE ||
            (bwi_alembic_take_u32(meta_size, cursor) && bwi_alembic_take(meta, cursor, *meta_size)));
}

static bw_result count_headers(size_t *count, const bwi_alembic_place *place, bwi_alembic_cursor cursor,
                               uint64_t offset) {
    const uint8_t *name = NULL;
    const uint8_t *meta = NULL;
    uint32_t name_size = 0;
    uint32_t meta_index = 0;
    uint32_t meta_size = 0;
    *count = 0;
    for (; cursor.left > 0; (*count)++) {
        if (*count == UINT32_MAX || !take_header(&cursor, &name, &name_size, &meta_index, &meta, &meta_size))
            return fail_headers(place, offset, *count);
    }
    return BW_OK;
}

static bw_result read_children(bwi_alembic_object *state, bwi_alembic *a, const bwi_alembic_place *place,
                               const bwi_alembic_group *group, bwi_alembic_cursor cursor, uint64_t offset) {
    size_t count = 0;
    bw_result result = count_headers(&count, place, cursor, offset);
    if (result != BW_OK || count == 0)
        return result;
    /* Between the group of properties and the headers. */
    if (count > group->count - 2)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, group->offset,
                                "its list names %zu children, expected at most the %llu that its group holds; export "
                                "it again",
                                count, (unsigned long long)(group->count - 2));
    bw_alembic_object *children = bwi_arena_alloc(a->arena, count, sizeof(*children));
    if (!children)
        return bwi_fail_memory(place->error, a->archive.path, bwi_arena_mem(a->arena), count * sizeof(*children));
    for (size_t i = 0; i < count; i++) {
        const uint8_t *name = NULL;
        const uint8_t *meta = NULL;
        uint32_t name_size = 0;
        uint32_t meta_index = 0;
        uint32_t meta_size = 0;
        bwi_alembic_child child = bwi_alembic_get_child(group, i + 1);
        (void)take_header(&cursor, &name, &name_size, &meta_index, &meta, &meta_size);
        result = bwi_alembic_get_name(&children[i].name, place, name, name_size, "a child's name");
        if (result == BW_OK)
            result = bwi_alembic_get_metadata(&children[i].metadata, a, place, meta_index, meta, meta_size);
        if (result == BW_OK && child.is_data)
            result =
                bwi_alembic_fail(place, BW_ERR_MALFORMED, child.offset,
                                 "its child %s is marked as data, expected a group; export it again", children[i].name);
        if (result != BW_OK)
            return result;
        children[i].parent = place->object;
        children[i].index = (uint32_t)i;
        children[i].depth = place->object->depth + 1;
        children[i].offset = child.offset;
    }
    if (!bwi_alembic_names_build(&state->names, a->arena, &children[0].name, count, sizeof(*children)))
        return bwi_fail_memory(place->error, a->archive.path, bwi_arena_mem(a->arena), count);
    state->children = children;
    state->child_count = count;
    return BW_OK;
}

static bw_result check_way(const bwi_alembic_place *place) {
    const bw_alembic_object *object = place->object;
    if (object->depth > BWI_ALEMBIC_DEPTH_MAX)
        return bwi_alembic_fail(place, BW_ERR_UNSUPPORTED, object->offset,
                                "is nested %u deep, expected at most %d; flatten the hierarchy",
                                (unsigned)object->depth, BWI_ALEMBIC_DEPTH_MAX);
    for (const bw_alembic_object *above = object->parent; above; above = above->parent) {
        if (above->offset == object->offset)
            return bwi_alembic_fail(place, BW_ERR_MALFORMED, object->offset,
                                    "is the same group as an object above it: the hierarchy runs in a circle; the file "
                                    "is damaged, export it again");
    }
    return BW_OK;
}

static bw_result read_object(bwi_alembic_object *state, bwi_alembic *a, const bwi_alembic_place *place) {
    bwi_alembic_group group;
    bw_result result = bwi_alembic_open_group(&group, place, place->object->offset, "its group");
    if (result == BW_OK && group.count < 2)
        result =
            bwi_alembic_fail(place, BW_ERR_MALFORMED, group.offset,
                             "its group holds %llu parts, expected at least its properties and its hashes; the file "
                             "is damaged, export it again",
                             (unsigned long long)group.count);
    if (result != BW_OK)
        return result;
    result = bwi_alembic_charge(a, place, group.offset, 8 + 8 * group.count);
    bwi_alembic_data headers;
    if (result == BW_OK)
        result = bwi_alembic_open_data(&headers, place, bwi_alembic_get_child(&group, group.count - 1),
                                       "its list of children");
    if (result == BW_OK)
        result = bwi_alembic_charge(a, place, headers.offset, 8 + headers.size);
    if (result == BW_OK && headers.size < HASHES)
        result = bwi_alembic_fail(place, BW_ERR_MALFORMED, headers.offset,
                                  "its list of children takes %zu bytes, expected at least the %d of its hashes; the "
                                  "file is damaged, export it again",
                                  headers.size, HASHES);
    if (result != BW_OK)
        return result;
    memcpy(state->hashes, headers.bytes + headers.size - HASHES, HASHES);
    return read_children(state, a, place, &group, (bwi_alembic_cursor){headers.bytes, headers.size - HASHES},
                         headers.offset);
}

bw_result bwi_alembic_load_object(bwi_alembic_object **state, bwi_alembic *a, const bw_alembic_object *object,
                                  bw_error *error) {
    if (object->state) {
        *state = object->state;
        return BW_OK;
    }
    const bwi_alembic_place place = {a, object, NULL, -1, error};
    bw_result result = check_way(&place);
    if (result != BW_OK)
        return result;
    bwi_alembic_object *read = bwi_arena_alloc(a->arena, 1, sizeof(*read));
    if (!read)
        return bwi_fail_memory(error, a->archive.path, bwi_arena_mem(a->arena), sizeof(*read));
    result = read_object(read, a, &place);
    if (result != BW_OK)
        return result;
    /* Objects are handed out as const; they are the archive's own. */
    ((bw_alembic_object *)(uintptr_t)object)->state = read;
    *state = read;
    return BW_OK;
}

bw_result bw_alembic_children(bw_alembic_object_list *children, bw_alembic *archive, const bw_alembic_object *object,
                              bw_error *error) {
    bwi_alembic_object *state = NULL;
    bw_result result = bwi_alembic_load_object(&state, archive->state, object, error);
    if (result == BW_OK)
        *children = (bw_alembic_object_list){state->children, state->child_count};
    return result;
}

bw_result bw_alembic_hashes(uint8_t properties_hash[16], uint8_t children_hash[16], bw_alembic *archive,
                            const bw_alembic_object *object, bw_error *error) {
    bwi_alembic_object *state = NULL;
    bw_result result = bwi_alembic_load_object(&state, archive->state, object, error);
    if (result == BW_OK) {
        memcpy(properties_hash, state->hashes, 16);
        memcpy(children_hash, state->hashes + 16, 16);
    }
    return result;
}

bw_result bw_alembic_properties(bw_alembic_property_list *properties, bw_alembic *archive,
                                const bw_alembic_object *object, bw_error *error) {
    bwi_alembic *a = archive->state;
    bwi_alembic_object *state = NULL;
    bw_result result = bwi_alembic_load_object(&state, a, object, error);
    if (result != BW_OK)
        return result;
    if (!state->properties) {
        const bwi_alembic_place place = {a, object, NULL, -1, error};
        bwi_alembic_group group;
        bwi_alembic_child child = {0};
        result = bwi_alembic_open_group(&group, &place, object->offset, "its group");
        if (result == BW_OK) {
            child = bwi_alembic_get_child(&group, 0);
            if (child.is_data)
                result = bwi_alembic_fail(&place, BW_ERR_MALFORMED, child.offset,
                                          "its properties are marked as data, expected a group; export it again");
        }
        if (result == BW_OK)
            result = bwi_alembic_load_compound(&state->properties, a, object, NULL, child.offset, error);
        if (result != BW_OK)
            return result;
    }
    *properties = (bw_alembic_property_list){state->properties->data, state->properties->count};
    return BW_OK;
}

bw_result bw_alembic_find_object(const bw_alembic_object **object, bw_alembic *archive, const char *path,
                                 bw_error *error) {
    const bw_alembic_object *at = archive->top;
    for (const char *part = path; at;) {
        part += strspn(part, "/");
        size_t size = strcspn(part, "/");
        if (size == 0)
            break;
        bwi_alembic_object *state = NULL;
        bw_result result = bwi_alembic_load_object(&state, archive->state, at, error);
        if (result != BW_OK)
            return result;
        size_t index = state->child_count > 0
                           ? bwi_alembic_names_find(&state->names, &state->children[0].name, state->child_count,
                                                    sizeof(state->children[0]), part, size)
                           : SIZE_MAX;
        at = index < state->child_count ? &state->children[index] : NULL;
        part += size;
    }
    *object = at;
    return BW_OK;
}

/* ---- paths ---- */

/* Puts a part before what is written: paths are built from their end.  `end` is where the part ends in the whole path. */
static void put_part(char *buffer, size_t size, const char *part, size_t part_size, size_t end) {
    size_t start = end - part_size;
    if (size > 0 && start < size - 1) {
        size_t fits = size - 1 - start;
        memcpy(buffer + start, part, part_size < fits ? part_size : fits);
    }
}

size_t bw_alembic_object_path(char *buffer, size_t size, const bw_alembic_object *object) {
    size_t whole = 0;
    for (const bw_alembic_object *at = object; at->parent; at = at->parent)
        whole += strlen(at->name) + 1;
    size_t end = whole;
    for (const bw_alembic_object *at = object; at->parent; at = at->parent) {
        size_t length = strlen(at->name);
        put_part(buffer, size, at->name, length, end);
        put_part(buffer, size, "/", 1, end - length);
        end -= length + 1;
    }
    if (whole == 0) {
        put_part(buffer, size, "/", 1, 1);
        whole = 1;
    }
    if (size > 0)
        buffer[whole < size ? whole : size - 1] = 0;
    return whole;
}

size_t bw_alembic_property_path(char *buffer, size_t size, const bw_alembic_property *property) {
    size_t whole = strlen(property->name);
    for (const bw_alembic_property *at = property->parent; at; at = at->parent)
        whole += strlen(at->name) + 1;
    size_t end = whole;
    for (const bw_alembic_property *at = property; at; at = at->parent) {
        size_t length = strlen(at->name);
        put_part(buffer, size, at->name, length, end);
        if (at->parent)
            put_part(buffer, size, "/", 1, end - length);
        end -= length + 1;
    }
    if (size > 0)
        buffer[whole < size ? whole : size - 1] = 0;
    return whole;
}
