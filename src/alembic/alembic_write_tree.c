/* SPDX-License-Identifier: MIT
 * The tree of what a writer has open: names, metadata, and what is written when a part of it ends. */
#include <stdio.h>
#include <string.h>

#include "alembic/alembic_write_priv.h"
#include "base/error.h"
#include "base/hash.h"

enum { SHORT_LIST = 16 };

/* ---- what is open ---- */

bw_result bwi_alembic_writer_check(const bw_alembic_writer *writer, bw_error *error) {
    if (writer->store.failure.result != BW_OK) {
        if (error)
            *error = writer->store.failure;
        return writer->store.failure.result;
    }
    if (writer->finished)
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                        "the archive is finished already; nothing can be added to it");
    return BW_OK;
}

bw_result bwi_alembic_writer_find(bwi_alembic_node **node, const bw_alembic_writer *writer, bw_alembic_id id,
                                  bw_error *error) {
    bw_result result = bwi_alembic_writer_check(writer, error);
    if (result != BW_OK)
        return result;
    const uint32_t slot = (uint32_t)id;
    if (slot >= writer->slots.count || !writer->slots.data[slot].node ||
        writer->slots.data[slot].generation != id >> 32)
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                        "%llu is no open object or property; give an id from bw_alembic_add_object or "
                        "bw_alembic_add_property that has not "
                        "ended",
                        (unsigned long long)id);
    *node = writer->slots.data[slot].node;
    return BW_OK;
}

/* Prepends text to what is in the buffer from `start`; false if it does not fit. */
static bool prepend(char *buffer, size_t *start, const char *text, size_t size) {
    if (size > *start)
        return false;
    *start -= size;
    memcpy(buffer + *start, text, size);
    return true;
}

const char *bwi_alembic_node_place(bw_alembic_writer *writer, const bwi_alembic_node *node) {
    size_t start = sizeof(writer->place) - 1;
    writer->place[start] = 0;
    if (!node->parent)
        (void)prepend(writer->place, &start, "/", 1);
    for (bool fits = true; fits && node->parent; node = node->parent) {
        const bool top_property = node->kind != BWI_NODE_OBJECT && node->parent->kind == BWI_NODE_OBJECT;
        fits = prepend(writer->place, &start, node->name, node->name_size) &&
               prepend(writer->place, &start, top_property ? ":" : "/", 1);
        if (fits && top_property && !node->parent->parent)
            fits = prepend(writer->place, &start, "/", 1);
    }
    return writer->place + start;
}

static bool take_slot(bw_alembic_id *id, bw_alembic_writer *writer, bwi_alembic_node *node) {
    uint32_t slot = writer->slots.first_free;
    if (slot == BW_NO_INDEX) {
        if (writer->slots.count == writer->slots.capacity) {
            const uint32_t capacity = writer->slots.capacity ? 2 * writer->slots.capacity : 64;
            bwi_alembic_slot *grown = bwi_realloc(&writer->mem, writer->slots.data, capacity, sizeof(*grown));
            if (!grown)
                return false;
            writer->slots.data = grown;
            writer->slots.capacity = capacity;
        }
        slot = writer->slots.count++;
        writer->slots.data[slot] = (bwi_alembic_slot){.next_free = BW_NO_INDEX};
    } else {
        writer->slots.first_free = writer->slots.data[slot].next_free;
    }
    writer->slots.data[slot].node = node;
    node->slot = slot;
    *id = (uint64_t)writer->slots.data[slot].generation << 32 | slot;
    return true;
}

static void give_slot_back(bw_alembic_writer *writer, bwi_alembic_node *node) {
    bwi_alembic_slot *slot = &writer->slots.data[node->slot];
    /* A slot is not used again when its generations run out. */
    *slot = (bwi_alembic_slot){.generation = slot->generation + 1, .next_free = writer->slots.first_free};
    if (slot->generation != 0)
        writer->slots.first_free = node->slot;
    node->slot = BW_NO_INDEX;
}

/* ---- lists of siblings ---- */

static bool has_name(const bwi_alembic_node *node, const char *name, size_t size) {
    return node->name_size == size && memcmp(node->name, name, size) == 0;
}

/* Where a name stands in a list's table, or the free place where it would. */
static uint32_t *name_place(const bwi_alembic_node_list *list, const char *name, size_t size) {
    const bwi_hash128 hash = bwi_hash(name, size);
    uint32_t at;
    memcpy(&at, hash.bytes, sizeof(at));
    for (;; at++) {
        uint32_t *place = &list->names[at & (list->name_capacity - 1)];
        if (*place == 0 || has_name(list->data[*place - 1], name, size))
            return place;
    }
}

static bool holds_name(const bwi_alembic_node_list *list, const char *name, size_t size) {
    if (list->names)
        return *name_place(list, name, size) != 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (has_name(list->data[i], name, size))
            return true;
    }
    return false;
}

/* Makes room for one more node, and a table of names at least twice as large as a list that is no longer short. */
static bool reserve_node(bwi_alembic_node_list *list, bwi_mem *mem) {
    if (list->count < list->capacity)
        return true;
    if (list->capacity >= UINT32_MAX / 8)
        return false;
    const uint32_t capacity = list->capacity ? 2 * list->capacity : 4;
    uint32_t *names = NULL;
    if (capacity > SHORT_LIST && !(names = bwi_alloc(mem, 2 * (size_t)capacity, sizeof(*names))))
        return false;
    bwi_alembic_node **grown = bwi_realloc(mem, list->data, capacity, sizeof(bwi_alembic_node *));
    if (!grown) {
        bwi_free(mem, names);
        return false;
    }
    list->data = grown;
    list->capacity = capacity;
    if (names) {
        bwi_free(mem, list->names);
        list->names = names;
        list->name_capacity = 2 * capacity;
        for (uint32_t i = 0; i < list->count; i++)
            *name_place(list, list->data[i]->name, list->data[i]->name_size) = i + 1;
    }
    return true;
}

static void append_node(bwi_alembic_node_list *list, bwi_alembic_node *node) {
    list->data[list->count] = node;
    if (list->names)
        *name_place(list, node->name, node->name_size) = list->count + 1;
    list->count++;
}

static void free_list(bw_alembic_writer *writer, bwi_alembic_node_list *list) {
    for (uint32_t i = 0; i < list->count; i++)
        bwi_alembic_node_free(writer, list->data[i]);
    bwi_free(&writer->mem, list->data);
    bwi_free(&writer->mem, list->names);
    *list = (bwi_alembic_node_list){0};
}

static void free_samples(bw_alembic_writer *writer, bwi_alembic_node *node) {
    if (node->samples)
        bwi_free(&writer->mem, node->samples->stored.data);
    bwi_free(&writer->mem, node->samples);
    node->samples = NULL;
}

static void free_content(bw_alembic_writer *writer, bwi_alembic_node *node) {
    free_list(writer, &node->properties);
    free_list(writer, &node->objects);
    free_samples(writer, node);
}

void bwi_alembic_node_free(bw_alembic_writer *writer, bwi_alembic_node *node) {
    if (!node)
        return;
    free_content(writer, node);
    if (node->metadata_index == BWI_ALEMBIC_INLINE)
        bwi_free(&writer->mem, (char *)(uintptr_t)node->metadata);
    bwi_free(&writer->mem, node);
}

/* ---- adding ---- */

/* Gives a node its metadata: the entry of the archive's table if it is there or fits in, else a text of its own. */
static bw_result set_metadata(bw_alembic_writer *writer, bwi_alembic_node *node, const bw_alembic_metadata *metadata,
                              bool top, bw_error *error) {
    char *text;
    size_t size;
    bw_result result = bwi_alembic_metadata_text(&text, &size, writer, metadata, top, error);
    if (result != BW_OK)
        return result;
    node->metadata = text;
    node->metadata_size = (uint32_t)size;
    node->metadata_index = size > 0 ? BWI_ALEMBIC_INLINE : 0;
    /* The top object's stands in a place of its own. */
    if (size == 0 || size > UINT8_MAX || top)
        return BW_OK;
    uint32_t i = 0;
    while (i < writer->table.count &&
           (writer->table.sizes[i] != size || memcmp(writer->table.data[i], text, size) != 0))
        i++;
    if (i == BWI_ALEMBIC_INLINE - 1)
        return BW_OK;
    if (i == writer->table.count) {
        char *kept = bwi_arena_string(writer->arena, text, size);
        if (!kept)
            return BW_OK; /* it stays the node's own */
        writer->table.data[i] = kept;
        writer->table.sizes[i] = (uint8_t)size;
        writer->table.count++;
    }
    bwi_free(&writer->mem, text);
    node->metadata = writer->table.data[i];
    node->metadata_index = (uint8_t)(i + 1);
    return BW_OK;
}

static bw_result check_name(bw_alembic_writer *writer, const bwi_alembic_node *parent,
                            const bwi_alembic_node_list *siblings, const char *name, const char *what,
                            bw_error *error) {
    const size_t size = name ? strlen(name) : 0;
    if (size == 0 || size > UINT32_MAX / 2)
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1, "below %s: the new %s has no name; give it one",
                        bwi_alembic_node_place(writer, parent), what);
    if (memchr(name, '/', size))
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                        "below %s: the name '%.200s' holds a '/', which separates names in paths",
                        bwi_alembic_node_place(writer, parent), name);
    if (holds_name(siblings, name, size))
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                        "below %s: there is a %s called '%.200s' already; give another name",
                        bwi_alembic_node_place(writer, parent), what, name);
    if (parent->depth >= BWI_ALEMBIC_DEPTH_MAX)
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                        "below %s: nested deeper than %d, which few readers take",
                        bwi_alembic_node_place(writer, parent), BWI_ALEMBIC_DEPTH_MAX);
    return BW_OK;
}

bw_result bwi_alembic_node_add(bw_alembic_id *id, bw_alembic_writer *writer, bwi_alembic_node *parent, const char *name,
                               const bwi_alembic_node *like, const bw_alembic_metadata *metadata, bw_error *error) {
    const bool object = like->kind == BWI_NODE_OBJECT;
    bwi_alembic_node_list *siblings = parent ? object ? &parent->objects : &parent->properties : NULL;
    bw_result result =
        parent ? check_name(writer, parent, siblings, name, object ? "child object" : "property", error) : BW_OK;
    if (result != BW_OK)
        return result;
    const size_t size = strlen(name);
    bwi_alembic_node *node = bwi_alloc(&writer->mem, sizeof(*node) + size + 1, 1);
    if (!node)
        return bwi_fail_memory(error, writer->path, &writer->mem, sizeof(*node) + size);
    *node = (bwi_alembic_node){.parent = parent,
                               .kind = like->kind,
                               .slot = BW_NO_INDEX,
                               .depth = parent ? parent->depth + 1 : 0,
                               .name_size = (uint32_t)size,
                               .extent = like->extent,
                               .pod = like->pod,
                               .time_sampling = like->time_sampling,
                               .scalar_like = true,
                               .homogenous = true};
    memcpy(node->name, name, size);
    const bool has_samples = like->kind == BWI_NODE_SCALAR || like->kind == BWI_NODE_ARRAY;
    if (has_samples)
        node->samples = bwi_alloc(&writer->mem, 1, sizeof(*node->samples));
    bw_alembic_id given = 0;
    if ((has_samples && !node->samples) || (siblings && !reserve_node(siblings, &writer->mem)))
        result = bwi_fail_memory(error, writer->path, &writer->mem, sizeof(*node->samples));
    else
        result = set_metadata(writer, node, metadata, !parent, error);
    if (result == BW_OK && !take_slot(&given, writer, node))
        result = bwi_fail_memory(error, writer->path, &writer->mem, writer->slots.capacity * sizeof(bwi_alembic_slot));
    if (result != BW_OK) {
        bwi_alembic_node_free(writer, node);
        return result;
    }
    if (siblings)
        append_node(siblings, node);
    else
        writer->top = node;
    *id = given;
    return BW_OK;
}

/* ---- ending ---- */

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t size) {
    if (size > 0)
        memcpy(at, bytes, size);
    return at + size;
}

/* Puts the low bytes of a value, little-endian. */
static uint8_t *put_uint(uint8_t *at, uint32_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++)
        *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

/* How wide the small numbers of a property's header are, as a power of two.  The library counts metadata even where the table holds it. */
static unsigned hint_of(const bwi_alembic_node *node) {
    uint32_t largest = node->metadata_size;
    const uint32_t others[] = {node->name_size, node->sample_count, node->time_sampling};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        largest = others[i] > largest ? others[i] : largest;
    return largest <= UINT8_MAX ? 0 : largest <= UINT16_MAX ? 1 : 2;
}

static size_t property_header_size(const bwi_alembic_node *node) {
    const size_t width = (size_t)1 << hint_of(node);
    return 4 + 6 * width + node->name_size + (node->metadata_index == BWI_ALEMBIC_INLINE ? node->metadata_size : 0);
}

static uint8_t *put_property_header(uint8_t *at, const bwi_alembic_node *node) {
    const unsigned hint = hint_of(node);
    const unsigned width = 1u << hint;
    uint32_t info = hint << BWI_INFO_HINT | (uint32_t)node->metadata_index << BWI_INFO_METADATA;
    if (node->kind == BWI_NODE_COMPOUND) {
        at = put_uint(at, info, 4);
    } else {
        const bool scalar = node->kind == BWI_NODE_SCALAR;
        const bool constant = node->first_changed == 0 && node->last_changed == 0;
        const bool changes = !constant && (node->first_changed != 1 || node->last_changed != node->sample_count - 1);
        info |= (scalar ? 1u : 2u) | (scalar || node->scalar_like ? 1u : 0u) |
                (uint32_t)(node->pod - BW_ALEMBIC_BOOL) << BWI_INFO_POD | (uint32_t)node->extent << BWI_INFO_EXTENT |
                (node->time_sampling != 0 ? BWI_INFO_SAMPLING : 0u) | (changes ? BWI_INFO_CHANGES : 0u) |
                (node->homogenous ? BWI_INFO_HOMOGENOUS : 0u) | (constant ? BWI_INFO_CONSTANT : 0u);
        at = put_uint(put_uint(at, info, 4), node->sample_count, width);
        if (changes)
            at = put_uint(put_uint(at, node->first_changed, width), node->last_changed, width);
        if (node->time_sampling != 0)
            at = put_uint(at, node->time_sampling, width);
    }
    at = put_bytes(put_uint(at, node->name_size, width), node->name, node->name_size);
    if (node->metadata_index == BWI_ALEMBIC_INLINE)
        at = put_bytes(put_uint(at, node->metadata_size, width), node->metadata, node->metadata_size);
    return at;
}

static size_t object_header_size(const bwi_alembic_node *node) {
    return 4 + node->name_size + 1 + (node->metadata_index == BWI_ALEMBIC_INLINE ? 4 + node->metadata_size : 0);
}

static uint8_t *put_object_header(uint8_t *at, const bwi_alembic_node *node) {
    at = put_bytes(put_uint(at, node->name_size, 4), node->name, node->name_size);
    *at++ = node->metadata_index;
    if (node->metadata_index == BWI_ALEMBIC_INLINE)
        at = put_bytes(put_uint(at, node->metadata_size, 4), node->metadata, node->metadata_size);
    return at;
}

static bw_result end_all(bw_alembic_writer *writer, const bwi_alembic_node_list *list, bw_error *error) {
    bw_result result = BW_OK;
    for (uint32_t i = 0; i < list->count && result == BW_OK; i++)
        result = list->data[i]->slot == BW_NO_INDEX ? BW_OK : bwi_alembic_node_end(writer, list->data[i], error);
    return result;
}

/* Writes a group of `first` (unless NULL), the nodes of a list and a data node with their headers and `tail`. */
static bw_result write_list(uint64_t *child, bw_alembic_writer *writer, const bwi_alembic_node_list *list,
                            const uint64_t *first, const uint8_t *tail, size_t tail_size, bw_error *error) {
    const bool objects = first != NULL;
    size_t size = tail_size;
    for (uint32_t i = 0; i < list->count; i++)
        size += objects ? object_header_size(list->data[i]) : property_header_size(list->data[i]);
    uint64_t *children = bwi_alloc(&writer->mem, (size_t)list->count + 2, sizeof(*children));
    uint8_t *headers = bwi_alloc(&writer->mem, size, 1);
    bw_result result = BW_OK;
    if (!children || !headers) {
        result = bwi_fail_memory(error, writer->path, &writer->mem, size);
    } else {
        size_t count = 0;
        uint8_t *at = headers;
        if (first)
            children[count++] = *first;
        for (uint32_t i = 0; i < list->count; i++) {
            children[count++] = list->data[i]->child;
            at = objects ? put_object_header(at, list->data[i]) : put_property_header(at, list->data[i]);
        }
        at = put_bytes(at, tail, tail_size);
        result =
            bwi_alembic_store_data(&children[count], &writer->store, headers, (size_t)(at - headers), NULL, 0, error);
        if (result == BW_OK)
            result = bwi_alembic_store_group(child, &writer->store, children, count + 1, error);
    }
    bwi_free(&writer->mem, children);
    bwi_free(&writer->mem, headers);
    return result;
}

/* A compound without properties has no node. */
static bw_result write_properties(uint64_t *child, bw_alembic_writer *writer, const bwi_alembic_node *node,
                                  bw_error *error) {
    if (node->properties.count > 0)
        return write_list(child, writer, &node->properties, NULL, NULL, 0, error);
    *child = BWI_OGAWA_EMPTY_GROUP;
    return BW_OK;
}

static void add_hashes(bwi_spooky *spooky, const bwi_alembic_node_list *list) {
    for (uint32_t i = 0; i < list->count; i++)
        bwi_spooky_add(spooky, list->data[i]->hash, sizeof(list->data[i]->hash));
}

static bw_result end_object(bw_alembic_writer *writer, bwi_alembic_node *node, bw_error *error) {
    uint8_t tail[32] = {0}; /* hash of the properties, hash of the children */
    bwi_spooky spooky;
    bwi_spooky_init(&spooky);
    add_hashes(&spooky, &node->properties);
    bwi_spooky_end(tail, &spooky);
    bwi_spooky_init(&spooky);
    add_hashes(&spooky, &node->objects);
    if (node->objects.count > 0)
        bwi_spooky_end(tail + 16, &spooky);
    uint64_t properties;
    bw_result result = write_properties(&properties, writer, node, error);
    if (result == BW_OK)
        result = write_list(&node->child, writer, &node->objects, &properties, tail, sizeof(tail), error);
    if (result != BW_OK)
        return result;
    bwi_spooky_add(&spooky, tail, 16);
    bwi_spooky_add(&spooky, node->metadata, node->metadata_size);
    bwi_spooky_add(&spooky, node->name, node->name_size);
    bwi_spooky_end(node->hash, &spooky);
    return BW_OK;
}

static bw_result end_compound(bw_alembic_writer *writer, bwi_alembic_node *node, bw_error *error) {
    bw_result result = write_properties(&node->child, writer, node, error);
    if (result != BW_OK)
        return result;
    bwi_spooky spooky;
    bwi_spooky_init(&spooky);
    add_hashes(&spooky, &node->properties);
    bwi_spooky_add(&spooky, node->name, node->name_size);
    bwi_spooky_add(&spooky, node->metadata, node->metadata_size);
    bwi_spooky_end(node->hash, &spooky);
    return BW_OK;
}

static bw_result end_samples(bw_alembic_writer *writer, bwi_alembic_node *node, bw_error *error) {
    const bwi_alembic_samples *samples = node->samples;
    bw_result result =
        bwi_alembic_store_group(&node->child, &writer->store, samples->stored.data, samples->stored.count, error);
    if (result != BW_OK)
        return result;
    bw_alembic_time_sampling *sampling = &writer->samplings.data[node->time_sampling];
    const bwi_alembic_property_facts facts = {.name = node->name,
                                              .name_size = node->name_size,
                                              .metadata = node->metadata,
                                              .metadata_size = node->metadata_size,
                                              .pod = node->pod,
                                              .extent = node->extent,
                                              .scalar = node->kind == BWI_NODE_SCALAR,
                                              .sampling = sampling,
                                              .samples = samples->hash};
    bwi_alembic_property_hash(node->hash, &facts);
    /* A property that never changes counts as one sample. */
    const uint32_t count = node->last_changed == 0 && node->sample_count > 0 ? 1 : node->sample_count;
    if (count > sampling->max_sample_count)
        sampling->max_sample_count = count;
    return BW_OK;
}

bw_result bwi_alembic_node_end(bw_alembic_writer *writer, bwi_alembic_node *node, bw_error *error) {
    bw_result result = end_all(writer, &node->properties, error);
    if (result == BW_OK)
        result = end_all(writer, &node->objects, error);
    if (result == BW_OK && node->kind == BWI_NODE_OBJECT)
        result = end_object(writer, node, error);
    else if (result == BW_OK && node->kind == BWI_NODE_COMPOUND)
        result = end_compound(writer, node, error);
    else if (result == BW_OK)
        result = end_samples(writer, node, error);
    if (result == BW_OK) {
        free_content(writer, node);
        give_slot_back(writer, node);
    }
    return result;
}
