/* SPDX-License-Identifier: MIT
 * Samples: a view into the file, copies of it, and strings. */
#include <string.h>

#include "alembic/alembic_priv.h"

enum { KEY_SIZE = 16 };

bool bwi_alembic_is_text(bw_alembic_pod pod) {
    return pod == BW_ALEMBIC_STRING || pod == BW_ALEMBIC_WSTRING;
}

uint32_t bwi_alembic_stored_index(const bw_alembic_property *property, uint32_t index) {
    uint32_t first = property->first_changed;
    uint32_t last = property->last_changed;
    if ((first == 0 && last == 0) || index < first)
        return 0;
    return (index < last ? index : last) - first + 1;
}

uint32_t bwi_alembic_stored_count(const bw_alembic_property *property) {
    if (property->sample_count == 0)
        return 0;
    return bwi_alembic_stored_index(property, property->sample_count - 1) + 1;
}

bool bwi_alembic_count_strings(uint64_t *count, bw_alembic_pod pod, const uint8_t *bytes, size_t size) {
    bool ended = true;
    *count = 0;
    if (pod == BW_ALEMBIC_STRING) {
        for (const uint8_t *at = bytes; size > 0 && ended; ++*count) {
            const uint8_t *zero = memchr(at, 0, size);
            ended = zero != NULL;
            size -= ended ? (size_t)(zero + 1 - at) : 0;
            at = ended ? zero + 1 : at;
        }
        return ended;
    }
    for (size_t i = 0; i + 4 <= size; i += 4) {
        ended = bwi_alembic_u32(bytes + i) == 0;
        *count += ended;
    }
    return ended && size % 4 == 0;
}

uint64_t bwi_alembic_count_points(const uint64_t *dimensions, uint32_t rank) {
    uint64_t product = 1;
    bool fits = true;
    for (uint32_t i = 0; i < rank; i++) {
        if (dimensions[i] == 0)
            return 0;
        fits = fits && !__builtin_mul_overflow(product, dimensions[i], &product);
    }
    return fits ? product : UINT64_MAX;
}

static bw_result count_texts(uint64_t *count, const bwi_alembic_place *place, const bw_alembic_sample *sample) {
    const bw_alembic_pod pod = place->property->pod;
    if (pod == BW_ALEMBIC_WSTRING && sample->size % 4 != 0)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, sample->offset,
                                "its wide strings take %zu bytes, expected a multiple of 4; export it again",
                                sample->size);
    if (!bwi_alembic_count_strings(count, pod, sample->bytes, sample->size))
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, sample->offset,
                                "the last of its strings does not end, expected a zero behind it; export it again");
    return BW_OK;
}

/* How many values the bytes hold. */
static bw_result count_values(uint64_t *count, const bwi_alembic_place *place, const bw_alembic_sample *sample) {
    bw_alembic_pod pod = place->property->pod;
    if (bwi_alembic_is_text(pod))
        return count_texts(count, place, sample);
    size_t size = bw_alembic_pod_size(pod);
    if (sample->size % (size * place->property->extent) != 0)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, sample->offset,
                                "its %zu bytes hold no whole number of points of %u %s, expected a multiple of %zu "
                                "bytes; export it again",
                                sample->size, (unsigned)place->property->extent, bw_alembic_pod_name(pod),
                                size * place->property->extent);
    *count = sample->size / size;
    return BW_OK;
}

static bw_result read_values(bw_alembic_sample *sample, const bwi_alembic_place *place, bwi_alembic_child child) {
    bwi_alembic_data data;
    bw_result result = bwi_alembic_open_data(&data, place, child, "its values");
    if (result != BW_OK || data.size == 0)
        return result;
    if (data.size < KEY_SIZE)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, data.offset,
                                "its values take %zu bytes, expected none or at least the %d of the key; export it "
                                "again",
                                data.size, KEY_SIZE);
    memcpy(sample->key, data.bytes, KEY_SIZE);
    sample->bytes = data.bytes + KEY_SIZE;
    sample->size = data.size - KEY_SIZE;
    sample->offset = data.offset + KEY_SIZE;
    size_t alignment = bw_alembic_pod_size(place->property->pod);
    if (alignment > 0 && (uintptr_t)sample->bytes % alignment == 0)
        sample->values = sample->bytes;
    return BW_OK;
}

static bw_result read_dimensions(bw_alembic_sample *sample, const bwi_alembic_place *place, bwi_alembic_child child) {
    bwi_alembic_data data;
    bw_result result = bwi_alembic_open_data(&data, place, child, "its dimensions");
    if (result != BW_OK)
        return result;
    if (data.size == 0) {
        sample->rank = 1;
        sample->dimensions[0] = sample->point_count;
        return BW_OK;
    }
    if (data.size % 8 != 0)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, data.offset,
                                "its dimensions take %zu bytes, expected a multiple of 8; export it again", data.size);
    if (data.size / 8 > BW_ALEMBIC_RANK_MAX)
        return bwi_alembic_fail(place, BW_ERR_UNSUPPORTED, data.offset,
                                "has %zu dimensions, expected at most %d; export it with fewer", data.size / 8,
                                BW_ALEMBIC_RANK_MAX);
    sample->rank = (uint32_t)(data.size / 8);
    sample->dimensions_stored = true;
    for (uint32_t i = 0; i < sample->rank; i++)
        sample->dimensions[i] = bwi_alembic_u64(data.bytes + (size_t)8 * i);
    const uint64_t product = bwi_alembic_count_points(sample->dimensions, sample->rank);
    if (product != sample->point_count)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, data.offset,
                                "its dimensions ask for %llu%s points, expected the %llu that are stored; export it "
                                "again",
                                (unsigned long long)product, product < UINT64_MAX ? "" : " or more",
                                (unsigned long long)sample->point_count);
    return BW_OK;
}

static bw_result read_array(bw_alembic_sample *sample, const bwi_alembic_place *place, bwi_alembic_child values,
                            bwi_alembic_child dimensions) {
    const uint32_t extent = place->property->extent;
    bw_result result = read_values(sample, place, values);
    if (result == BW_OK)
        result = count_values(&sample->value_count, place, sample);
    if (result == BW_OK && sample->value_count % extent != 0)
        result = bwi_alembic_fail(place, BW_ERR_MALFORMED, sample->offset,
                                  "has %llu strings, expected a multiple of the %u of a point; export it again",
                                  (unsigned long long)sample->value_count, (unsigned)extent);
    sample->point_count = sample->value_count / extent;
    return result == BW_OK ? read_dimensions(sample, place, dimensions) : result;
}

static bw_result read_scalar(bw_alembic_sample *sample, const bwi_alembic_place *place, bwi_alembic_child values) {
    const uint32_t extent = place->property->extent;
    bw_result result = read_values(sample, place, values);
    if (result == BW_OK)
        result = count_values(&sample->value_count, place, sample);
    if (result == BW_OK && sample->value_count != extent)
        result = bwi_alembic_fail(place, BW_ERR_MALFORMED, sample->offset,
                                  "has %llu values, expected the %u of its type; export it again",
                                  (unsigned long long)sample->value_count, (unsigned)extent);
    sample->point_count = 1;
    return result;
}

bw_result bw_alembic_view(bw_alembic_sample *sample, const bw_alembic *archive, const bw_alembic_property *property,
                          uint32_t index, bw_error *error) {
    const bwi_alembic_place place = {archive->state, property->object, property, (int64_t)index, error};
    if (property->kind == BW_ALEMBIC_COMPOUND || index >= property->sample_count)
        return bwi_alembic_fail(&place, BW_ERR_USAGE, 0, "there is no such sample, expected one below %u",
                                (unsigned)property->sample_count);
    bwi_alembic_group group;
    bw_result result = bwi_alembic_open_group(&group, &place, property->offset, "its group of samples");
    if (result != BW_OK)
        return result;
    const uint64_t stored = bwi_alembic_stored_index(property, index);
    const uint64_t nodes = property->kind == BW_ALEMBIC_SCALAR ? 1 : 2;
    if (nodes * (stored + 1) > group.count)
        return bwi_alembic_fail(&place, BW_ERR_TRUNCATED, property->offset,
                                "is missing: its group holds %llu parts, expected at least %llu; the file is damaged, "
                                "export it again",
                                (unsigned long long)group.count, (unsigned long long)(nodes * (stored + 1)));
    bw_alembic_sample read = {0};
    bwi_alembic_child values = bwi_alembic_get_child(&group, nodes * stored);
    if (property->kind == BW_ALEMBIC_SCALAR)
        result = read_scalar(&read, &place, values);
    else
        result = read_array(&read, &place, values, bwi_alembic_get_child(&group, nodes * stored + 1));
    if (result == BW_OK)
        *sample = read;
    return result;
}

bw_result bw_alembic_read(void *values, size_t size, const bw_alembic *archive, const bw_alembic_property *property,
                          uint32_t index, bw_error *error) {
    const bwi_alembic_place place = {archive->state, property->object, property, (int64_t)index, error};
    bw_alembic_sample sample;
    bw_result result = bw_alembic_view(&sample, archive, property, index, error);
    if (result != BW_OK)
        return result;
    if (bwi_alembic_is_text(property->pod))
        return bwi_alembic_fail(&place, BW_ERR_USAGE, 0, "holds strings; read them with bw_alembic_read_strings");
    if (size < sample.size)
        return bwi_alembic_fail(&place, BW_ERR_USAGE, 0, "takes %zu bytes, expected a buffer of that size, got %zu",
                                sample.size, size);
    if (sample.size > 0)
        memcpy(values, sample.bytes, sample.size);
    return BW_OK;
}

/* ---- strings ---- */

typedef struct kept_strings {
    bw_string_list list;
    bwi_arena *arena;
} kept_strings;

static size_t put_utf8(char *out, uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

/* One character of wide text.  Units are those of the writer's wchar_t, so that UTF-16 of Windows comes in pairs of 32-bit units. */
static uint32_t take_wide(const uint8_t **at) {
    uint32_t unit = bwi_alembic_u32(*at);
    *at += 4;
    if (unit >= 0xD800 && unit < 0xDC00) {
        uint32_t low = bwi_alembic_u32(*at); /* the zero at the end, if nothing else */
        if (low >= 0xDC00 && low < 0xE000) {
            *at += 4;
            return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return unit > 0x10FFFF || (unit >= 0xD800 && unit < 0xE000) ? 0xFFFD : unit;
}

/* UTF-8 takes at most the four bytes that a unit has. */
static void split_wide(const char **strings, char *out, const bw_alembic_sample *sample) {
    const uint8_t *at = sample->bytes;
    for (uint64_t i = 0; i < sample->value_count; i++) {
        strings[i] = out;
        uint32_t c;
        do {
            c = take_wide(&at);
            out += put_utf8(out, c);
        } while (c != 0);
    }
}

static void split_narrow(const char **strings, const bw_alembic_sample *sample) {
    const char *at = (const char *)sample->bytes;
    for (uint64_t i = 0; i < sample->value_count; i++) {
        strings[i] = at;
        at += strlen(at) + 1;
    }
}

bw_result bw_alembic_read_strings(bw_string_list **strings, const bw_alembic *archive,
                                  const bw_alembic_property *property, uint32_t index, bw_error *error) {
    const bwi_alembic_place place = {archive->state, property->object, property, (int64_t)index, error};
    bw_alembic_sample sample;
    bw_result result = bw_alembic_view(&sample, archive, property, index, error);
    if (result != BW_OK)
        return result;
    if (!bwi_alembic_is_text(property->pod))
        return bwi_alembic_fail(&place, BW_ERR_USAGE, 0, "holds %s, no strings; read it with bw_alembic_read",
                                bw_alembic_pod_name(property->pod));
    const size_t text_size = property->pod == BW_ALEMBIC_WSTRING ? sample.size : 0;
    bwi_arena *arena = bwi_arena_create_owning(bwi_arena_mem(place.a->arena)->limit);
    kept_strings *kept = arena ? bwi_arena_alloc(arena, 1, sizeof(*kept)) : NULL;
    const char **list = kept ? bwi_arena_alloc(arena, (size_t)sample.value_count, sizeof(*list)) : NULL;
    char *text = list ? bwi_arena_alloc(arena, text_size, 1) : NULL;
    if (!text) {
        bwi_arena_free(arena);
        return bwi_alembic_fail(&place, BW_ERR_MEMORY, sample.offset,
                                "memory ran out for its %llu strings; raise --memory-limit",
                                (unsigned long long)sample.value_count);
    }
    if (property->pod == BW_ALEMBIC_WSTRING)
        split_wide(list, text, &sample);
    else
        split_narrow(list, &sample);
    *kept = (kept_strings){{list, (size_t)sample.value_count}, arena};
    *strings = &kept->list;
    return BW_OK;
}

void bw_free_alembic_strings(bw_string_list *strings) {
    if (strings)
        bwi_arena_free(((kept_strings *)(void *)strings)->arena);
}
