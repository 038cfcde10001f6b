/* SPDX-License-Identifier: MIT
 * Names and metadata: copies of the file's text, with a zero at the end of each. */
#include <stdlib.h>
#include <string.h>

#include "alembic/alembic_priv.h"

char *bwi_alembic_copy(const bwi_alembic *a, const void *text, size_t size) {
    char *copy = bwi_arena_alloc(a->arena, size + 1, 1);
    if (copy && size > 0)
        memcpy(copy, text, size);
    return copy;
}

/* By key, then by place: keys and values point into one copy of the text. */
static int compare_meta(const void *left, const void *right) {
    const bw_alembic_meta *a = left;
    const bw_alembic_meta *b = right;
    int order = strcmp(a->key, b->key);
    return order != 0 ? order : (a->key > b->key) - (a->key < b->key);
}

static size_t count_pairs(const char *text, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '=';
    return count;
}

/* Splits at ';', then at the first '='.  A piece without '=' says nothing. */
static size_t split(bw_alembic_meta *pairs, char *text, size_t size) {
    size_t count = 0;
    for (char *piece = text; piece < text + size;) {
        char *end = memchr(piece, ';', (size_t)(text + size - piece));
        if (!end)
            end = text + size;
        char *equals = memchr(piece, '=', (size_t)(end - piece));
        if (equals) {
            *equals = 0;
            *end = 0;
            pairs[count++] = (bw_alembic_meta){piece, equals + 1};
        }
        piece = end + 1;
    }
    return count;
}

bool bwi_alembic_parse_metadata(bw_alembic_metadata *metadata, const bwi_alembic *a, const void *text, size_t size) {
    char *kept = bwi_alembic_copy(a, text, size);
    char *cut = kept ? bwi_alembic_copy(a, text, size) : NULL;
    bw_alembic_meta *pairs = cut ? bwi_arena_alloc(a->arena, count_pairs(kept, size), sizeof(*pairs)) : NULL;
    if (!pairs)
        return false;
    size_t count = split(pairs, cut, size);
    if (count > 1)
        qsort(pairs, count, sizeof(*pairs), compare_meta);
    size_t unique = 0;
    for (size_t i = 0; i < count; i++) {
        if (unique == 0 || strcmp(pairs[unique - 1].key, pairs[i].key) != 0)
            pairs[unique++] = pairs[i];
    }
    *metadata = (bw_alembic_metadata){pairs, unique, kept, size};
    return true;
}

bw_result bwi_alembic_get_metadata(const bw_alembic_metadata **metadata, bwi_alembic *a, const bwi_alembic_place *place,
                                   uint32_t index, const uint8_t *text, size_t size) {
    if (index < a->table_count) {
        *metadata = &a->table[index];
        return BW_OK;
    }
    if (index != BWI_ALEMBIC_INLINE)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, 0,
                                "entry %u of the metadata table is used, expected one below %zu; export it again",
                                (unsigned)index, a->table_count);
    /* Siblings mostly say the same. */
    if (a->last_own && a->last_own->text_size == size && size > 0 && memcmp(a->last_own->text, text, size) == 0) {
        *metadata = a->last_own;
        return BW_OK;
    }
    bw_alembic_metadata *own = bwi_arena_alloc(a->arena, 1, sizeof(*own));
    if (!own || !bwi_alembic_parse_metadata(own, a, text, size))
        return bwi_fail_memory(place->error, a->archive.path, bwi_arena_mem(a->arena), size);
    a->last_own = own;
    *metadata = own;
    return BW_OK;
}

const char *bw_alembic_meta_value(const bw_alembic_metadata *metadata, const char *key) {
    size_t low = 0;
    size_t high = metadata->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(metadata->data[middle].key, key);
        if (order == 0)
            return metadata->data[middle].value;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bw_result bwi_alembic_get_name(const char **name, const bwi_alembic_place *place, const uint8_t *text, size_t size,
                               const char *what) {
    const bwi_alembic *a = place->a;
    if (size == 0 || memchr(text, '/', size) || memchr(text, 0, size)) {
        const int shown = size < 64 ? (int)size : 64;
        return bwi_alembic_fail(
            place, BW_ERR_MALFORMED, size > 0 ? (uint64_t)(text - a->data) : 0,
            "%s is \"%.*s\"%s, expected one without separators; rename it where it was exported from", what, shown,
            size > 0 ? (const char *)text : "",
            size == 0               ? " (empty)"
            : memchr(text, 0, size) ? " (with a zero byte inside)"
                                    : "");
    }
    *name = bwi_alembic_copy(a, text, size);
    return *name ? BW_OK : bwi_fail_memory(place->error, a->archive.path, bwi_arena_mem(a->arena), size);
}

/* ---- finding a name ---- */

enum { SHORT_LIST = 16, STEPS_MAX = 128 };

/* FNV-1a. */
static uint64_t hash_name(const char *name, size_t size) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)name[i]) * UINT64_C(0x100000001B3);
    return hash ^ hash >> 32;
}

static const char *name_at(const char *const *first, size_t stride, size_t index) {
    return *(const char *const *)(const void *)((const char *)(const void *)first + index * stride);
}

static bool is_name(const char *name, const char *wanted, size_t size) {
    return strncmp(name, wanted, size) == 0 && name[size] == 0;
}

/* Many names that fall together make a table slow, not wrong: a search gives up where it would be slower than looking through. */
bool bwi_alembic_names_build(bwi_alembic_names *names, bwi_arena *arena, const char *const *first, size_t count,
                             size_t stride) {
    *names = (bwi_alembic_names){0};
    if (count <= SHORT_LIST)
        return true;
    size_t slot_count = 64;
    while (slot_count < 2 * count)
        slot_count *= 2;
    uint32_t *slots = bwi_arena_alloc(arena, slot_count, sizeof(*slots));
    if (!slots)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *name = name_at(first, stride, i);
        size_t at = (size_t)hash_name(name, strlen(name)) & (slot_count - 1);
        size_t steps = 0;
        for (; slots[at] != 0 && steps < STEPS_MAX; steps++)
            at = (at + 1) & (slot_count - 1);
        if (slots[at] != 0)
            return true; /* no table: the names were made to fall together */
        slots[at] = (uint32_t)i + 1;
    }
    *names = (bwi_alembic_names){slots, slot_count};
    return true;
}

size_t bwi_alembic_names_find(const bwi_alembic_names *names, const char *const *first, size_t count, size_t stride,
                              const char *name, size_t size) {
    if (!names->slots) {
        for (size_t i = 0; i < count; i++) {
            if (is_name(name_at(first, stride, i), name, size))
                return i;
        }
        return SIZE_MAX;
    }
    size_t at = (size_t)hash_name(name, size) & (names->slot_count - 1);
    for (; names->slots[at] != 0; at = (at + 1) & (names->slot_count - 1)) {
        if (is_name(name_at(first, stride, names->slots[at] - 1), name, size))
            return names->slots[at] - 1;
    }
    return SIZE_MAX;
}
