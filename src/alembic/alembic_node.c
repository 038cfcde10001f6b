/* SPDX-License-Identifier: MIT
 * Nodes of the mapped file, each checked against its end; and failing with a place. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "alembic/alembic_priv.h"

static const uint64_t DATA_BIT = UINT64_C(1) << 63;

uint16_t bwi_alembic_u16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

uint32_t bwi_alembic_u32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

uint64_t bwi_alembic_u64(const uint8_t *bytes) {
    return bwi_alembic_u32(bytes) | (uint64_t)bwi_alembic_u32(bytes + 4) << 32;
}

double bwi_alembic_f64(const uint8_t *bytes) {
    uint64_t bits = bwi_alembic_u64(bytes);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

bw_result bwi_alembic_fail(const bwi_alembic_place *place, bw_result result, uint64_t offset, const char *format, ...) {
    if (!place->error)
        return result;
    /* Long paths keep their beginning: the sentence behind them matters more than their end. */
    char object[256];
    char property[128];
    char text[640];
    char sample[32] = "";
    char where[sizeof(object) + sizeof(property) + sizeof(sample) + 32] = "";
    if (place->sample >= 0)
        (void)snprintf(sample, sizeof(sample), ", sample %lld", (long long)place->sample);
    if (place->object) {
        (void)bw_alembic_object_path(object, sizeof(object), place->object);
        if (place->property) {
            (void)bw_alembic_property_path(property, sizeof(property), place->property);
            (void)snprintf(where, sizeof(where), "object %s, property %s%s: ", object, property, sample);
        } else {
            (void)snprintf(where, sizeof(where), "object %s: ", object);
        }
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return bwi_fail(place->error, result, place->a->archive.path, (int64_t)offset, "%s%s", where, text);
}

/* Whether a node with a head of 8 bytes fits at an offset; *left: bytes behind that head. */
static bool node_fits(const bwi_alembic *a, uint64_t offset, uint64_t *left) {
    if (offset < BWI_ALEMBIC_HEAD || offset > a->size || a->size - offset < 8)
        return false;
    *left = a->size - offset - 8;
    return true;
}

bw_result bwi_alembic_open_group(bwi_alembic_group *group, const bwi_alembic_place *place, uint64_t offset,
                                 const char *what) {
    const bwi_alembic *a = place->a;
    uint64_t left = 0;
    if (offset == 0) {
        *group = (bwi_alembic_group){0};
        return BW_OK;
    }
    if (!node_fits(a, offset, &left))
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                "%s should be at byte %llu, expected inside the file's %zu bytes; export it again",
                                what, (unsigned long long)offset, a->size);
    uint64_t count = bwi_alembic_u64(a->data + offset);
    if (count > left / 8)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                "%s, at byte %llu, claims %llu parts, expected at most the %llu that fit the file; "
                                "export it again",
                                what, (unsigned long long)offset, (unsigned long long)count,
                                (unsigned long long)(left / 8));
    *group = (bwi_alembic_group){offset, a->data + offset + 8, count};
    return BW_OK;
}

bwi_alembic_child bwi_alembic_get_child(const bwi_alembic_group *group, uint64_t index) {
    uint64_t word = bwi_alembic_u64(group->children + 8 * index);
    return (bwi_alembic_child){word & ~DATA_BIT, (word & DATA_BIT) != 0};
}

bw_result bwi_alembic_open_data(bwi_alembic_data *data, const bwi_alembic_place *place, bwi_alembic_child child,
                                const char *what) {
    const bwi_alembic *a = place->a;
    uint64_t left = 0;
    if (!child.is_data)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, child.offset,
                                "%s, at byte %llu, is marked as a group, expected data; export it again", what,
                                (unsigned long long)child.offset);
    if (child.offset == 0) {
        *data = (bwi_alembic_data){0};
        return BW_OK;
    }
    if (!node_fits(a, child.offset, &left))
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, child.offset,
                                "%s should be at byte %llu, expected inside the file's %zu bytes; export it again",
                                what, (unsigned long long)child.offset, a->size);
    uint64_t size = bwi_alembic_u64(a->data + child.offset);
    if (size > left)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, child.offset,
                                "%s, at byte %llu, claims %llu bytes, expected at most the %llu left in the file; "
                                "export it again",
                                what, (unsigned long long)child.offset, (unsigned long long)size,
                                (unsigned long long)left);
    *data = (bwi_alembic_data){child.offset + 8, a->data + child.offset + 8, (size_t)size};
    return BW_OK;
}

bw_result bwi_alembic_charge(bwi_alembic *a, const bwi_alembic_place *place, uint64_t offset, uint64_t bytes) {
    if (bytes > a->unread)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                "its groups unfold to more than the file's %zu bytes, expected each to be used once; "
                                "the file is damaged, export it again",
                                a->size);
    a->unread -= bytes;
    return BW_OK;
}

bool bwi_alembic_take(const uint8_t **bytes, bwi_alembic_cursor *cursor, size_t size) {
    if (cursor->left < size)
        return false;
    *bytes = cursor->at;
    cursor->at += size;
    cursor->left -= size;
    return true;
}

bool bwi_alembic_take_u32(uint32_t *value, bwi_alembic_cursor *cursor) {
    return bwi_alembic_take_hinted(value, cursor, 2);
}

bool bwi_alembic_take_hinted(uint32_t *value, bwi_alembic_cursor *cursor, unsigned hint) {
    const uint8_t *bytes = NULL;
    if (!bwi_alembic_take(&bytes, cursor, (size_t)1 << hint))
        return false;
    *value = hint == 0 ? bytes[0] : hint == 1 ? bwi_alembic_u16(bytes) : bwi_alembic_u32(bytes);
    return true;
}
