/* SPDX-License-Identifier: MIT
 * Writing archives: bytes are taken for calls that add, put, repeat and end in any order.  Calls that make no sense are refused; what the others
 * put is read back, value for value, and every key and hash is right. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bakewell/alembic_write.h"

enum { NODES_MAX = 64, SAMPLES_MAX = 256, BYTES_MAX = 1 << 16 };

/* What was added, and what was put into it. */
typedef struct node {
    bw_alembic_id id;
    int parent; /* -1: the top object */
    bool is_object;
    bw_alembic_kind kind;
    bw_alembic_pod pod;
    uint32_t extent, time_sampling, sample_count;
    char name[8];
} node;

typedef struct sample {
    int node;
    size_t at, size; /* in `bytes` */
    uint32_t rank;
    uint64_t dimensions[3];
} sample;

typedef struct model {
    const uint8_t *data;
    size_t size;
    bw_alembic_writer *writer;
    node nodes[NODES_MAX];
    int node_count;
    sample samples[SAMPLES_MAX];
    int sample_count;
    uint8_t bytes[BYTES_MAX];
    size_t used;
} model;

static char folder[] = "/tmp/bakewell-fuzz-XXXXXX", path[sizeof folder + 8];

static void remove_folder(void) {
    unlink(path);
    rmdir(folder);
}

static void must(bool held, const char *what) {
    if (!held) {
        fprintf(stderr, "alembic_write_fuzz: %s\n", what);
        abort();
    }
}

static uint32_t take(model *m) {
    if (m->size == 0)
        return 0;
    m->size--;
    return *m->data++;
}

/* True if a call went well; only misuse may make it fail. */
static bool went_well(bw_result result, const bw_error *error) {
    must(result == BW_OK || result == BW_ERR_USAGE, "failed by something else than misuse");
    must(result == BW_OK || error->message[0] != 0, "failed without a message");
    return result == BW_OK;
}

static int pick(model *m) {
    return m->node_count ? (int)take(m) % (m->node_count + 1) - 1 : -1;
}

static bw_alembic_id id_of(const model *m, int index) {
    return index < 0 ? BW_ALEMBIC_TOP : m->nodes[index].id;
}

static void add_node(model *m, bool object) {
    if (m->node_count == NODES_MAX)
        return;
    bw_error error;
    node added = {.parent = pick(m), .is_object = object};
    const uint32_t choice = take(m);
    snprintf(added.name, sizeof added.name, "%c%u", object ? 'o' : 'p', choice % 16);
    char value[16];
    snprintf(value, sizeof value, "%u", choice);
    const bw_alembic_meta pair = {"kind", value};
    const bw_alembic_metadata metadata = {.data = &pair, .count = choice % 3 ? 1 : 0};
    if (object) {
        if (!went_well(
                bw_alembic_add_object(&added.id, m->writer, id_of(m, added.parent), added.name, &metadata, &error),
                &error))
            return;
    } else {
        added.kind = (bw_alembic_kind)(take(m) % 3);
        added.pod = (bw_alembic_pod)(BW_ALEMBIC_BOOL + take(m) % (BW_ALEMBIC_POD_END - BW_ALEMBIC_BOOL));
        added.extent = take(m) % 4 + 1;
        added.time_sampling = take(m) % 4;
        const bw_alembic_property_opts opts = {added.kind, added.pod, added.extent, added.time_sampling, &metadata};
        if (!went_well(bw_alembic_add_property(&added.id, m->writer, id_of(m, added.parent), added.name, &opts, &error),
                       &error))
            return;
    }
    m->nodes[m->node_count++] = added;
}

/* Makes a payload: numbers of a few values, so that equal ones come again, or strings, wide ones with equal beginnings. */
static size_t make_payload(model *m, const node *into, uint64_t points) {
    const size_t value_size = bw_alembic_pod_size(into->pod);
    const size_t count = (size_t)points * into->extent;
    uint8_t *at = m->bytes + m->used;
    for (size_t i = 0; i < count; i++) {
        const uint32_t choice = take(m);
        if (into->pod == BW_ALEMBIC_STRING) {
            memset(at, 'a' + (int)(choice % 3), choice % 5);
            at += choice % 5;
            *at++ = 0;
        } else if (into->pod == BW_ALEMBIC_WSTRING) {
            const uint32_t units[8] = {'b', 'e', 'g', 'i', 'n', 's', 'a' + choice % 3, 0};
            memcpy(at, units + choice % 2 * 7, (choice % 2 ? 1 : 8) * sizeof *units);
            at += (choice % 2 ? 1 : 8) * sizeof *units;
        } else {
            memset(at, (int)(choice % 4), value_size);
            at += value_size;
        }
    }
    return (size_t)(at - m->bytes) - m->used;
}

static void put(model *m) {
    const int index = pick(m);
    if (index < 0 || m->sample_count == SAMPLES_MAX || m->nodes[index].is_object ||
        m->nodes[index].kind == BW_ALEMBIC_COMPOUND)
        return;
    node *into = &m->nodes[index];
    bw_error error;
    sample added = {.node = index, .at = m->used, .rank = 1};
    const uint32_t shape = take(m);
    added.dimensions[0] = into->kind == BW_ALEMBIC_SCALAR && shape % 16 ? 1 : shape / 16;
    if (m->used + added.dimensions[0] * into->extent * 32 > BYTES_MAX)
        return;
    added.size = make_payload(m, into, added.dimensions[0]);
    if (shape % 3 == 1 && into->kind == BW_ALEMBIC_ARRAY) {
        added.rank = 2;
        added.dimensions[1] = shape % 2 ? 1 : 2; /* the latter is refused */
    }
    bw_alembic_sample given = {.bytes = m->bytes + added.at, .size = added.size, .rank = added.rank};
    memcpy(given.dimensions, added.dimensions, sizeof added.dimensions);
    const bool plain = shape % 3 == 0 && into->pod < BW_ALEMBIC_STRING;
    const bw_result result = plain ? bw_alembic_put(m->writer, into->id, given.bytes, added.dimensions[0], &error)
                                   : bw_alembic_put_sample(m->writer, into->id, &given, &error);
    if (!went_well(result, &error))
        return;
    into->sample_count++;
    m->used += added.size;
    m->samples[m->sample_count++] = added;
}

static void repeat(model *m) {
    const int index = pick(m);
    bw_error error;
    if (m->sample_count == SAMPLES_MAX || !went_well(bw_alembic_repeat(m->writer, id_of(m, index), &error), &error))
        return;
    int last = m->sample_count - 1;
    while (m->samples[last].node != index)
        last--;
    m->samples[m->sample_count++] = m->samples[last];
    m->nodes[index].sample_count++;
}

static void write_archive(model *m) {
    bw_error error;
    must(bw_alembic_create(&m->writer, path, NULL, &error) == BW_OK, "cannot be begun");
    static const double TIMES[] = {0, 0.5, 2};
    for (uint32_t i = 1; i < 3; i++) {
        const bw_alembic_time_sampling sampling = {(bw_alembic_time_kind)i, 2.0, {TIMES, 3}, 0};
        uint32_t index;
        must(bw_alembic_add_time_sampling(&index, m->writer, &sampling, &error) == BW_OK && index == i,
             "a time sampling is refused");
    }
    while (m->size > 0) {
        switch (take(m) % 8) {
        case 0:
            add_node(m, true);
            break;
        case 1:
        case 2:
            add_node(m, false);
            break;
        case 3:
            (void)went_well(bw_alembic_end(m->writer, id_of(m, pick(m)), &error), &error);
            break;
        case 4:
            repeat(m);
            break;
        default:
            put(m);
            break;
        }
    }
    must(bw_alembic_finish(m->writer, &error) == BW_OK, "cannot be finished");
    bw_free_alembic_writer(m->writer);
}

/* Where a node stands: the path of its object, and its own below that; either may be "". */
static void place_of(const model *m, int index, char object_path[512], char property_path[512]) {
    char *to = m->nodes[index].is_object ? object_path : property_path;
    if (m->nodes[index].parent >= 0)
        place_of(m, m->nodes[index].parent, object_path, property_path);
    const size_t length = strlen(to);
    snprintf(to + length, 512 - length, "%s%s", to == object_path || length > 0 ? "/" : "", m->nodes[index].name);
}

static const bw_alembic_property *find(const model *m, bw_alembic *archive, int index) {
    char object_path[512] = "", property_path[512] = "";
    const bw_alembic_object *object = NULL;
    const bw_alembic_property *property = NULL;
    place_of(m, index, object_path, property_path);
    must(bw_alembic_find_object(&object, archive, object_path[0] ? object_path : "/", NULL) == BW_OK && object,
         "an object is missing");
    if (m->nodes[index].is_object)
        return NULL;
    must(bw_alembic_find_property(&property, archive, object, property_path, NULL) == BW_OK && property,
         "a property is missing");
    return property;
}

static void check_archive(const model *m) {
    bw_alembic *archive = NULL;
    bw_alembic_report *report = NULL;
    must(bw_alembic_open(&archive, path, NULL, NULL) == BW_OK, "cannot be opened");
    must(bw_alembic_verify(&report, archive, NULL, NULL) == BW_OK, "keys or hashes are wrong");
    uint64_t object_count = 1;
    for (int i = 0; i < m->node_count; i++)
        object_count += m->nodes[i].is_object;
    must(report->object_count == object_count && report->property_count == (uint64_t)m->node_count + 1 - object_count,
         "other counts");
    bw_free_alembic_report(report);
    uint32_t next[NODES_MAX] = {0};
    for (int i = 0; i < m->sample_count; i++) {
        const sample *wanted = &m->samples[i];
        const bw_alembic_property *property = find(m, archive, wanted->node);
        bw_alembic_sample found;
        must(bw_alembic_view(&found, archive, property, next[wanted->node]++, NULL) == BW_OK, "a sample is missing");
        must(found.size == wanted->size &&
                 memcmp(found.bytes ? found.bytes : (const uint8_t *)"", m->bytes + wanted->at, found.size) == 0,
             "other values");
        if (property->kind == BW_ALEMBIC_ARRAY && wanted->size > 0)
            must(found.rank == wanted->rank &&
                     memcmp(found.dimensions, wanted->dimensions, found.rank * sizeof(uint64_t)) == 0,
                 "other dimensions");
    }
    for (int i = 0; i < m->node_count; i++) {
        const bw_alembic_property *property = find(m, archive, i);
        const node *n = &m->nodes[i];
        if (property)
            must(property->kind == n->kind && property->sample_count == n->sample_count &&
                     (n->kind == BW_ALEMBIC_COMPOUND || (property->pod == n->pod && property->extent == n->extent &&
                                                         property->time_sampling == n->time_sampling)),
                 "another property");
    }
    bw_free_alembic(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static model m;
    if (!path[0]) {
        must(mkdtemp(folder) != NULL, "no folder");
        snprintf(path, sizeof path, "%s/a.abc", folder);
        must(atexit(remove_folder) == 0, "no exit handler");
    }
    memset(&m, 0, sizeof m);
    m.data = data;
    m.size = size;
    write_archive(&m);
    check_archive(&m);
    return 0;
}
