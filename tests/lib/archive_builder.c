/* SPDX-License-Identifier: MIT
 * Alembic archives built node by node in memory. */
#include "archive_builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "alembic/alembic_priv.h"

static const uint64_t DATA_BIT = UINT64_C(1) << 63;

static void put(archive_builder *b, const void *bytes, size_t size) {
    if (b->size + size > b->capacity) {
        b->capacity = 2 * (b->size + size) + 1024;
        b->bytes = realloc(b->bytes, b->capacity);
        assert(b->bytes);
    }
    if (size > 0)
        memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
}

static void store(uint8_t *out, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static void put_number(archive_builder *b, uint64_t value, size_t size) {
    uint8_t bytes[8];
    store(bytes, value, size);
    put(b, bytes, size);
}

static void put_double(archive_builder *b, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_number(b, bits, 8);
}

void archive_begin(archive_builder *b) {
    *b = (archive_builder){0};
    put(b, "Ogawa\xff\x00\x01", 8);
    put_number(b, 0, 8);
}

void archive_free(archive_builder *b) {
    free(b->bytes);
    *b = (archive_builder){0};
}

uint64_t archive_data(archive_builder *b, const void *bytes, size_t size) {
    if (size == 0)
        return DATA_BIT;
    uint64_t offset = b->size;
    put_number(b, size, 8);
    put(b, bytes, size);
    return offset | DATA_BIT;
}

uint64_t archive_group(archive_builder *b, const uint64_t *children, size_t count) {
    if (count == 0)
        return 0;
    uint64_t offset = b->size;
    put_number(b, count, 8);
    for (size_t i = 0; i < count; i++)
        put_number(b, children[i], 8);
    return offset;
}

uint64_t archive_values(archive_builder *b, bw_alembic_pod pod, const void *bytes, size_t size, uint8_t key[16]) {
    uint8_t made[16] = {0};
    uint64_t offset = b->size;
    if (size > 0) {
        bwi_alembic_key(made, pod, bytes, size);
        put_number(b, size + sizeof(made), 8);
        put(b, made, sizeof(made));
        put(b, bytes, size);
    }
    if (key)
        memcpy(key, made, sizeof(made));
    return size > 0 ? offset | DATA_BIT : DATA_BIT;
}

/* ---- properties ---- */

static void add_header(archive_part *part, const void *bytes, size_t size) {
    assert(part->header_size + size <= sizeof(part->header));
    memcpy(part->header + part->header_size, bytes, size);
    part->header_size += size;
}

static void add_number(archive_part *part, uint64_t value, size_t size) {
    uint8_t bytes[8];
    store(bytes, value, size);
    add_header(part, bytes, size);
}

enum { INLINE_META = 255, META_SHIFT = 20, EXTENT_SHIFT = 12, POD_SHIFT = 4, HINT_16 = 1 << 2 };

void archive_simple(archive_builder *b, archive_part *part, const char *name, const char *metadata,
                    bw_alembic_kind kind, bw_alembic_pod pod, uint32_t extent, uint32_t time_sampling,
                    const bw_alembic_time_sampling *sampling, const archive_sample *samples, uint32_t count) {
    uint64_t children[64];
    size_t child_count = 0;
    bool scalar_like = kind == BW_ALEMBIC_ARRAY;
    bwi_alembic_property_facts facts = {.name = name,
                                        .name_size = strlen(name),
                                        .metadata = metadata,
                                        .metadata_size = strlen(metadata),
                                        .pod = pod,
                                        .extent = extent,
                                        .scalar = kind == BW_ALEMBIC_SCALAR,
                                        .sampling = sampling};
    for (uint32_t i = 0; i < count; i++) {
        uint8_t key[16];
        uint8_t digest[16];
        uint8_t stored[8 * BW_ALEMBIC_RANK_MAX];
        const archive_sample *sample = &samples[i];
        children[child_count++] = archive_values(b, pod, sample->bytes, sample->size, key);
        if (kind == BW_ALEMBIC_ARRAY) {
            const uint64_t *dimensions = sample->dimensions ? sample->dimensions : &sample->point_count;
            for (uint32_t k = 0; k < sample->rank; k++)
                store(stored + 8 * k, dimensions[k], 8);
            children[child_count++] = archive_data(b, stored, sample->dimensions ? 8 * sample->rank : 0);
            bwi_alembic_digest(digest, sample->rank, dimensions, key);
            scalar_like = scalar_like && sample->point_count == 1;
        } else {
            memcpy(digest, key, sizeof(key));
        }
        bwi_alembic_samples_hash_add(&facts.samples, digest);
    }
    *part = (archive_part){.child = archive_group(b, children, child_count)};
    bwi_alembic_property_hash(part->hash, &facts);
    const unsigned code = kind == BW_ALEMBIC_SCALAR ? 1 : scalar_like ? 3 : 2;
    const bool constant = count < 2;
    add_number(part,
               code | HINT_16 | (uint32_t)(pod - BW_ALEMBIC_BOOL) << POD_SHIFT | 0x100u | (constant ? 0x800u : 0u) |
                   extent << EXTENT_SHIFT | (uint32_t)INLINE_META << META_SHIFT,
               4);
    add_number(part, count, 2);
    add_number(part, time_sampling, 2);
    add_number(part, strlen(name), 2);
    add_header(part, name, strlen(name));
    add_number(part, strlen(metadata), 2);
    add_header(part, metadata, strlen(metadata));
}

/* The group of a compound, or of an object's properties. */
static uint64_t put_members(archive_builder *b, const archive_part *members, size_t count, bwi_spooky *hashes) {
    uint64_t children[64];
    uint8_t headers[4096];
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        children[i] = members[i].child;
        assert(size + members[i].header_size <= sizeof(headers));
        memcpy(headers + size, members[i].header, members[i].header_size);
        size += members[i].header_size;
        bwi_spooky_add(hashes, members[i].hash, sizeof(members[i].hash));
    }
    if (count == 0)
        return 0;
    children[count] = archive_data(b, headers, size);
    return archive_group(b, children, count + 1);
}

void archive_compound(archive_builder *b, archive_part *part, const char *name, const char *metadata,
                      const archive_part *members, size_t count) {
    bwi_spooky spooky;
    bwi_spooky_init(&spooky);
    *part = (archive_part){.child = put_members(b, members, count, &spooky)};
    bwi_spooky_add(&spooky, name, strlen(name));
    bwi_spooky_add(&spooky, metadata, strlen(metadata));
    bwi_spooky_end(part->hash, &spooky);
    add_number(part, (uint32_t)INLINE_META << META_SHIFT, 4);
    add_number(part, strlen(name), 1);
    add_header(part, name, strlen(name));
    add_number(part, strlen(metadata), 1);
    add_header(part, metadata, strlen(metadata));
}

/* ---- objects ---- */

void archive_object(archive_builder *b, archive_part *part, const char *name, const char *metadata, uint8_t table_index,
                    const archive_part *properties, size_t property_count, const archive_part *children,
                    size_t child_count) {
    uint64_t words[64];
    uint8_t tail[4096];
    size_t size = 0;
    uint8_t hashes[32] = {0};
    bwi_spooky own;
    bwi_spooky below;
    bwi_spooky_init(&own);
    bwi_spooky_init(&below);
    words[0] = put_members(b, properties, property_count, &own);
    bwi_spooky_end(hashes, &own);
    for (size_t i = 0; i < child_count; i++) {
        words[i + 1] = children[i].child;
        assert(size + children[i].header_size + sizeof(hashes) <= sizeof(tail));
        memcpy(tail + size, children[i].header, children[i].header_size);
        size += children[i].header_size;
        bwi_spooky_add(&below, children[i].hash, sizeof(children[i].hash));
    }
    if (child_count > 0)
        bwi_spooky_end(hashes + 16, &below);
    memcpy(tail + size, hashes, sizeof(hashes));
    words[child_count + 1] = archive_data(b, tail, size + sizeof(hashes));
    *part = (archive_part){.child = archive_group(b, words, child_count + 2)};
    bwi_spooky_add(&below, hashes, 16);
    bwi_spooky_add(&below, metadata, strlen(metadata));
    bwi_spooky_add(&below, name, strlen(name));
    bwi_spooky_end(part->hash, &below);
    add_number(part, strlen(name), 4);
    add_header(part, name, strlen(name));
    add_number(part, table_index, 1);
    if (table_index == INLINE_META) {
        add_number(part, strlen(metadata), 4);
        add_header(part, metadata, strlen(metadata));
    }
}

void archive_end(archive_builder *b, const archive_part *top, const char *metadata,
                 const bw_alembic_time_sampling *samplings, size_t sampling_count, const char *const *table,
                 size_t table_count) {
    const uint8_t version[4] = {0};
    const uint8_t library[4] = {0x3c, 0x2a, 0, 0}; /* 10812 */
    uint64_t root[6] = {archive_data(b, version, 4), archive_data(b, library, 4), top->child,
                        archive_data(b, metadata, strlen(metadata))};
    archive_builder times = {0};
    for (size_t i = 0; i < sampling_count; i++) {
        put_number(&times, samplings[i].max_sample_count, 4);
        put_double(&times, samplings[i].time_per_cycle_s);
        put_number(&times, samplings[i].times_s.count, 4);
        for (size_t k = 0; k < samplings[i].times_s.count; k++)
            put_double(&times, samplings[i].times_s.data[k]);
    }
    root[4] = archive_data(b, times.bytes, times.size);
    archive_builder entries = {0};
    for (size_t i = 0; i < table_count; i++) {
        put_number(&entries, strlen(table[i]), 1);
        put(&entries, table[i], strlen(table[i]));
    }
    root[5] = archive_data(b, entries.bytes, entries.size);
    archive_free(&times);
    archive_free(&entries);
    store(b->bytes + 8, archive_group(b, root, 6), 8);
}

/* ---- a whole one ---- */

enum { FRAMES = 3, POINTS = 4 };

static void build_shape(archive_builder *b, archive_part *shape, const bw_alembic_time_sampling *samplings) {
    static const float POSITIONS[FRAMES][POINTS * 3] = {{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},
                                                        {0, 0, 0, 1, 0, 0.25f, 1, 1, 0.5f, 0, 1, 0.25f},
                                                        {0, 0, 0, 1, 0, -0.25f, 1, 1, -0.5f, 0, 1, -0.25f}};
    static const int32_t COUNTS[2] = {3, 3};
    static const int32_t INDICES[6] = {0, 2, 1, 0, 3, 2};
    static const char NAMES[] = "left\0right"; /* two, each with its zero */
    static const uint64_t TWO[1] = {2};
    static const uint64_t GRID[2] = {3, 4};
    static const uint8_t WIDE[] = {'w', 0, 0, 0, 0xe9, 0, 0, 0, 0x3d, 0xd8, 0, 0, 0x00, 0xde, 0, 0, 0, 0, 0, 0};
    archive_sample frames[FRAMES];
    archive_part geometry[6];
    archive_part properties[4];
    for (size_t i = 0; i < FRAMES; i++)
        frames[i] = (archive_sample){POSITIONS[i], sizeof(POSITIONS[i]), NULL, 1, POINTS};
    const char *vertex = "geoScope=vtx;interpretation=point;isGeomParam=true";
    archive_simple(b, &geometry[0], "P", vertex, BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, 1, &samplings[1], frames,
                   FRAMES);
    archive_sample sample = {INDICES, sizeof(INDICES), NULL, 1, 6};
    archive_simple(b, &geometry[1], ".faceIndices", "", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, 0, &samplings[0],
                   &sample, 1);
    sample = (archive_sample){COUNTS, sizeof(COUNTS), NULL, 1, 2};
    archive_simple(b, &geometry[2], ".faceCounts", "", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, 0, &samplings[0], &sample,
                   1);
    sample = (archive_sample){NAMES, sizeof(NAMES), TWO, 1, 2};
    archive_simple(b, &geometry[3], "names", "geoScope=uni", BW_ALEMBIC_ARRAY, BW_ALEMBIC_STRING, 1, 0, &samplings[0],
                   &sample, 1);
    sample = (archive_sample){NULL, 0, NULL, 1, 0};
    archive_simple(b, &geometry[4], "nothing", "", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT64, 1, 0, &samplings[0], &sample,
                   1);
    sample = (archive_sample){POSITIONS[1], sizeof(POSITIONS[1]), GRID, 2, 12};
    archive_simple(b, &geometry[5], "grid", "", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 1, 0, &samplings[0], &sample, 1);
    archive_compound(b, &properties[0], ".geom", "schema=AbcGeom_PolyMesh_v1", geometry, 6);
    sample = (archive_sample){WIDE, sizeof(WIDE), NULL, 0, 1};
    archive_simple(b, &properties[1], "wide", "", BW_ALEMBIC_SCALAR, BW_ALEMBIC_WSTRING, 1, 0, &samplings[0], &sample,
                   1);
    static const uint64_t BIG[FRAMES] = {UINT64_MAX, 0, 7};
    for (size_t i = 0; i < FRAMES; i++)
        frames[i] = (archive_sample){&BIG[i], sizeof(BIG[i]), NULL, 0, 1};
    archive_simple(b, &properties[2], "big", "", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT64, 1, 2, &samplings[2], frames,
                   FRAMES);
    archive_simple(b, &properties[3], "never", "", BW_ALEMBIC_SCALAR, BW_ALEMBIC_BOOL, 1, 0, &samplings[0], NULL, 0);
    archive_object(b, shape, "shape", "schema=AbcGeom_PolyMesh_v1", 1, properties, 4, NULL, 0);
}

void archive_cloth(archive_builder *b) {
    static const double ZERO[1] = {0.0};
    static const double FIRST[1] = {1.0 / 24.0};
    static const double UNEVEN[FRAMES] = {0.0, 0.5, 2.0};
    const bw_alembic_time_sampling samplings[3] = {{BW_ALEMBIC_UNIFORM, 1.0, {ZERO, 1}, 1},
                                                   {BW_ALEMBIC_UNIFORM, 1.0 / 24.0, {FIRST, 1}, FRAMES},
                                                   {BW_ALEMBIC_ACYCLIC, BW_ALEMBIC_ACYCLIC_TIME, {UNEVEN, 3}, FRAMES}};
    static const char *const TABLE[1] = {"schema=AbcGeom_PolyMesh_v1"};
    const char *metadata = "_ai_AlembicVersion=made for tests;_ai_Application=archive_builder;_ai_DCC_FPS=24";
    archive_part shape;
    archive_part objects[2];
    archive_part source;
    archive_part top;
    archive_begin(b);
    build_shape(b, &shape, samplings);
    archive_object(b, &objects[0], "cloth", "schema=AbcGeom_Xform_v3", 255, NULL, 0, &shape, 1);
    archive_sample sample = {"/cloth", 7, NULL, 0, 1};
    archive_simple(b, &source, ".instanceSource", "", BW_ALEMBIC_SCALAR, BW_ALEMBIC_STRING, 1, 0, &samplings[0],
                   &sample, 1);
    archive_object(b, &objects[1], "again", "isInstance=1", 255, &source, 1, NULL, 0);
    archive_object(b, &top, "ABC", metadata, 255, NULL, 0, objects, 2);
    archive_end(b, &top, metadata, samplings, 3, TABLE, 1);
}
