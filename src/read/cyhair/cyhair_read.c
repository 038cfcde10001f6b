/* SPDX-License-Identifier: MIT
 * Hair files of Cem Yuksel's format: a header of 128 bytes, then up to five arrays one after the other. */
#include "read/cyhair/cyhair.h"

#include <string.h>

#include "base/math.h"

enum { HEADER_SIZE = 128, THICKNESS_OFFSET = 20, TRANSPARENCY_OFFSET = 24, COLOR_OFFSET = 28, TEXT_OFFSET = 40 };
enum { ATTRIBUTES_MAX = 3 };

typedef struct cyhair {
    bwi_arena *arena;
    const char *path;
    const uint8_t *data;
    size_t size, at; /* of what is read next */
    bwi_cyhair_head head;
    bwi_hair_attribute *attributes;
    size_t attribute_count;
    bw_error *error;
} cyhair;

static uint32_t u32_at(const uint8_t *bytes) {
    return (uint32_t)bw_alembic_int(bytes, BW_ALEMBIC_UINT32);
}

bool bwi_cyhair_recognise(const uint8_t *data, size_t size) {
    return size >= 4 && memcmp(data, "HAIR", 4) == 0;
}

static float float_at(const uint8_t *bytes) {
    return (float)bw_alembic_float(bytes, BW_ALEMBIC_FLOAT32);
}

bool bwi_cyhair_read_head(bwi_cyhair_head *head, const uint8_t *data, size_t size) {
    if (size < HEADER_SIZE)
        return false;
    *head = (bwi_cyhair_head){.strand_count = u32_at(data + 4),
                              .point_count = u32_at(data + 8),
                              .arrays = u32_at(data + 12),
                              .segments = u32_at(data + 16),
                              .thickness = float_at(data + THICKNESS_OFFSET),
                              .transparency = float_at(data + TRANSPARENCY_OFFSET)};
    for (size_t k = 0; k < 3; k++)
        head->color[k] = float_at(data + COLOR_OFFSET + 4 * k);
    return true;
}

static void *take_memory(const cyhair *h, size_t count, size_t size) {
    void *block = bwi_arena_alloc(h->arena, count, size);
    if (!block)
        bwi_fail_memory(h->error, h->path, bwi_arena_mem(h->arena), count * size);
    return block;
}

/* The bytes of an array, past which reading goes on. */
static bw_result take_array(const uint8_t **bytes, cyhair *h, const char *what, uint64_t count, size_t size) {
    const uint64_t left = h->size - h->at;
    if (count > left / size)
        return bwi_fail(h->error, BW_ERR_TRUNCATED, h->path, (int64_t)h->at,
                        "ends in its %s: %llu bytes are left, expected %llu; copy or export it again", what,
                        (unsigned long long)left, (unsigned long long)count * size);
    *bytes = h->data + h->at;
    h->at += (size_t)count * size;
    return BW_OK;
}

static bw_result copy_floats(const float **floats, const cyhair *h, const uint8_t *bytes, size_t count) {
    float *copy = take_memory(h, count, sizeof *copy);
    if (!copy)
        return BW_ERR_MEMORY;
    for (size_t k = 0; k < count; k++)
        copy[k] = float_at(bytes + 4 * k);
    *floats = copy;
    return BW_OK;
}

static bw_result add_attribute(cyhair *h, const char *name, bwi_hair_place place, uint32_t extent, bool each,
                               const uint8_t *bytes) {
    const uint64_t count = each ? h->head.point_count : 1;
    uint8_t *copy = take_memory(h, (size_t)count * extent, 4);
    if (!copy)
        return BW_ERR_MEMORY;
    if (count > 0)
        memcpy(copy, bytes, (size_t)count * extent * 4);
    h->attributes[h->attribute_count++] =
        (bwi_hair_attribute){.name = name,
                             .place = place,
                             .pod = BW_ALEMBIC_FLOAT32,
                             .extent = extent,
                             .has_scope = true,
                             .scope = each ? BW_ALEMBIC_SCOPE_VERTEX : BW_ALEMBIC_SCOPE_CONSTANT,
                             .sample_count = 1,
                             .value_count = count,
                             .count = count,
                             .bytes = copy};
    return BW_OK;
}

/* An array of the file, or what its header says for all points. */
static bw_result take_attribute(cyhair *h, unsigned bit, const char *name, const char *what, bwi_hair_place place,
                                uint32_t extent, const uint8_t *fallback) {
    const uint8_t *bytes = fallback;
    const bool each = (h->head.arrays & bit) != 0;
    bw_result result =
        each ? take_array(&bytes, h, what, (uint64_t)h->head.point_count * extent, sizeof(float)) : BW_OK;
    return result == BW_OK ? add_attribute(h, name, place, extent, each, bytes) : result;
}

/* Without an array of segments, strands are as many as points at most, and these are as many as there are bytes for them. */
static bw_result check_claims(cyhair *h) {
    const uint64_t there = h->head.arrays & BWI_CYHAIR_POINTS ? (h->size - h->at) / 12 : 0;
    if (there < h->head.point_count && h->head.arrays & BWI_CYHAIR_POINTS)
        return bwi_fail(h->error, BW_ERR_TRUNCATED, h->path, (int64_t)h->at,
                        "ends in its points: there are %llu, expected %u; copy or export it again",
                        (unsigned long long)there, (unsigned)h->head.point_count);
    if (there < h->head.strand_count && h->head.arrays & BWI_CYHAIR_POINTS)
        return bwi_fail(h->error, BW_ERR_MALFORMED, h->path, 4,
                        "claims %u strands of %u points, expected a point or more a strand; export it again",
                        (unsigned)h->head.strand_count, (unsigned)h->head.point_count);
    h->head.strand_count = h->head.arrays & BWI_CYHAIR_POINTS ? h->head.strand_count : 0;
    return BW_OK;
}

static bw_result take_counts(bwi_hair_curves *c, cyhair *h) {
    const uint32_t same = h->head.segments;
    const uint8_t *segments = NULL;
    bw_result result = h->head.arrays & BWI_CYHAIR_SEGMENTS
                           ? take_array(&segments, h, "segments", h->head.strand_count, 2)
                           : check_claims(h);
    if (result != BW_OK)
        return result;
    int32_t *counts = take_memory(h, h->head.strand_count, sizeof *counts);
    if (!counts)
        return BW_ERR_MEMORY;
    for (size_t k = 0; k < h->head.strand_count; k++)
        counts[k] = segments           ? (int32_t)bw_alembic_int(segments + 2 * k, BW_ALEMBIC_UINT16) + 1
                    : same < INT32_MAX ? (int32_t)same + 1
                                       : INT32_MAX;
    c->counts = counts;
    c->curve_count = h->head.strand_count;
    return BW_OK;
}

static bw_result read_positions(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const bwi_hair_curves *c = ctx;
    (void)sample;
    (void)error;
    if (c->point_count > 0)
        memcpy(dst, c->positions, (size_t)c->point_count * 3 * sizeof *dst);
    return BW_OK;
}

static bw_result take_arrays(bwi_hair_curves *c, bwi_hair_object *object, cyhair *h) {
    static const double start[1] = {0.0};
    const uint8_t *bytes = NULL;
    const uint8_t *const thickness = h->data + THICKNESS_OFFSET, *const transparency = h->data + TRANSPARENCY_OFFSET;
    bw_result result = take_counts(c, h);
    if (result == BW_OK && h->head.arrays & BWI_CYHAIR_POINTS) {
        result = take_array(&bytes, h, "points", (uint64_t)h->head.point_count * 3, sizeof(float));
        if (result == BW_OK)
            result = copy_floats(&c->positions, h, bytes, 3 * (size_t)h->head.point_count);
        if (result == BW_OK)
            c->point_count = h->head.point_count;
    } else {
        object->problem = "it has no array of points";
    }
    /* A thickness of nothing, or of no number, is none. */
    const double width = (double)h->head.thickness;
    if (result == BW_OK && (h->head.arrays & BWI_CYHAIR_THICKNESS || (width > 0 && bwi_is_finite(width))))
        result = take_attribute(h, BWI_CYHAIR_THICKNESS, "width", "thickness", BWI_HAIR_NATIVE, 1, thickness);
    if (result == BW_OK)
        result = take_attribute(h, BWI_CYHAIR_TRANSPARENCY, "transparency", "transparency", BWI_HAIR_ARBITRARY, 1,
                                transparency);
    if (result == BW_OK)
        result = take_attribute(h, BWI_CYHAIR_COLORS, "groom_color", "colours", BWI_HAIR_ARBITRARY, 3,
                                h->data + COLOR_OFFSET);
    c->type = BWI_HAIR_LINEAR;
    c->raw_basis[0] = 1;
    c->known_basis = true;
    c->attribute_count = (uint32_t)h->attribute_count;
    c->times_s = start;
    c->sample_count = h->head.arrays & BWI_CYHAIR_POINTS ? 1 : 0;
    c->read = read_positions;
    c->ctx = c;
    return result;
}

/* The header's text, which ends where it is full or at a zero. */
static const char *take_text(const cyhair *h) {
    const char *text = (const char *)h->data + TEXT_OFFSET;
    size_t length = 0;
    while (length < HEADER_SIZE - TEXT_OFFSET && text[length])
        length++;
    return bwi_arena_string(h->arena, text, length);
}

static bw_result read_all(bwi_hair **hair, cyhair *h) {
    static const bwi_hair_sampling second = {BW_ALEMBIC_UNIFORM, 1.0, 0.0};
    if (!bwi_cyhair_read_head(&h->head, h->data, h->size))
        return bwi_fail(h->error, BW_ERR_TRUNCATED, h->path, 0,
                        "ends in its header: it has %zu bytes, expected %d or more; copy or export it again", h->size,
                        HEADER_SIZE);
    h->at = HEADER_SIZE;
    bwi_hair *made = take_memory(h, 1, sizeof *made);
    bwi_hair_object *object = made ? take_memory(h, 1, sizeof *object) : NULL;
    bwi_hair_curves *curves = object ? take_memory(h, 1, sizeof *curves) : NULL;
    h->attributes = curves ? take_memory(h, ATTRIBUTES_MAX, sizeof *h->attributes) : NULL;
    if (!h->attributes)
        return BW_ERR_MEMORY;
    *object = (bwi_hair_object){
        .path = "/hair", .schema = "", .parent = BW_NO_INDEX, .kind = BWI_HAIR_CURVES, .inherits = true};
    for (size_t k = 0; k < 4; k++)
        object->matrix[5 * k] = made->transform[5 * k] = 1.0;
    bw_result result = take_arrays(curves, object, h);
    if (result != BW_OK)
        return result;
    made->path = bwi_arena_string(h->arena, h->path, SIZE_MAX);
    made->made_by = take_text(h);
    if (!made->path || !made->made_by)
        return bwi_fail_memory(h->error, h->path, bwi_arena_mem(h->arena), strlen(h->path) + HEADER_SIZE);
    made->format = "cyhair";
    made->objects.data = object;
    made->curves.data = curves;
    made->samplings.data = &second;
    made->objects.count = made->curves.count = made->samplings.count = 1;
    made->attributes.data = h->attributes;
    made->attributes.count = h->attribute_count;
    made->arena = h->arena;
    *hair = made;
    return BW_OK;
}

bw_result bwi_read_cyhair(bwi_hair **hair, const char *path, const uint8_t *data, size_t size, const bw_run_opts *run,
                          bw_error *error) {
    bwi_mem refused;
    const uint64_t limit = run ? run->memory_limit : 0;
    bwi_mem_init(&refused, limit);
    cyhair h = {.arena = bwi_arena_create_owning(limit), .path = path, .data = data, .size = size, .error = error};
    if (!h.arena)
        return bwi_fail_memory(error, path, &refused, sizeof **hair);
    bw_result result = read_all(hair, &h);
    if (result != BW_OK)
        bwi_arena_free(h.arena);
    return result;
}
