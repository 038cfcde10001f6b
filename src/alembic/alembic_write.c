/* SPDX-License-Identifier: MIT
 * An archive that is written: its beginning, its time samplings, metadata as text, and its end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alembic/alembic_write_priv.h"
#include "alembic/write_file.h"
#include "base/error.h"

/* The layout of the file is that of the reference library 1.8.12. */
static const int32_t ARCHIVE_VERSION = 0, LIBRARY_VERSION = 10812;
static const bw_alembic_meta VERSION_PAIR = {"_ai_AlembicVersion", "Alembic 1.8.12 (Bakewell)"};

enum { ROOT_CHILDREN = 6, TIME_HEAD = 16, LARGEST_METADATA = 1 << 30 };

/* ---- metadata ---- */

static int compare_keys(const void *a, const void *b) {
    return strcmp((*(const bw_alembic_meta *const *)a)->key, (*(const bw_alembic_meta *const *)b)->key);
}

static bw_result check_pair(const bw_alembic_writer *writer, const bw_alembic_meta *pair, bw_error *error) {
    if (!pair->key || !pair->value || pair->key[0] == 0)
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                        "metadata: a pair lacks its key or its value; give both");
    if (strpbrk(pair->key, ";=") || strpbrk(pair->value, ";="))
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                        "metadata: '%.100s=%.100s' holds a ';' or a '=', which separate pairs; write it without",
                        pair->key, pair->value);
    return BW_OK;
}

/* Lists the pairs that are written, by key.  In: pairs — room for one more than metadata has. */
static bw_result sort_pairs(const bw_alembic_meta **pairs, size_t *count, const bw_alembic_writer *writer,
                            const bw_alembic_metadata *metadata, bool version, bw_error *error) {
    *count = 0;
    for (size_t i = 0; metadata && i < metadata->count; i++) {
        bw_result result = check_pair(writer, &metadata->data[i], error);
        if (result != BW_OK)
            return result;
        version = version && strcmp(metadata->data[i].key, VERSION_PAIR.key) != 0;
        pairs[(*count)++] = &metadata->data[i];
    }
    if (version)
        pairs[(*count)++] = &VERSION_PAIR;
    qsort(pairs, *count, sizeof(const bw_alembic_meta *), compare_keys);
    for (size_t i = 1; i < *count; i++) {
        if (strcmp(pairs[i - 1]->key, pairs[i]->key) == 0)
            return bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                            "metadata: the key '%.200s' is there twice; give it once", pairs[i]->key);
    }
    return BW_OK;
}

/* Copies text to `at` unless that is NULL; returns its length. */
static size_t add_text(char *at, const char *text) {
    const size_t length = strlen(text);
    if (at)
        memcpy(at, text, length);
    return length;
}

static size_t join_pairs(char *text, const bw_alembic_meta *const *pairs, size_t count) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (pairs[i]->value[0] == 0)
            continue;
        size += size > 0 ? add_text(text ? text + size : NULL, ";") : 0;
        size += add_text(text ? text + size : NULL, pairs[i]->key);
        size += add_text(text ? text + size : NULL, "=");
        size += add_text(text ? text + size : NULL, pairs[i]->value);
    }
    return size;
}

bw_result bwi_alembic_metadata_text(char **text, size_t *size, bw_alembic_writer *writer,
                                    const bw_alembic_metadata *metadata, bool version, bw_error *error) {
    const bool given = metadata && metadata->text;
    const size_t pair_count = metadata && !given ? metadata->count : 0;
    const bw_alembic_meta **pairs = bwi_alloc(&writer->mem, pair_count + 1, sizeof(*pairs));
    if (!pairs)
        return bwi_fail_memory(error, writer->path, &writer->mem, pair_count * sizeof(*pairs));
    size_t count = 0;
    bw_result result = given ? BW_OK : sort_pairs(pairs, &count, writer, metadata, version, error);
    const size_t length = result != BW_OK ? 0 : given ? metadata->text_size : join_pairs(NULL, pairs, count);
    if (length > LARGEST_METADATA)
        result = bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                          "metadata: it is longer than 1 GiB; keep data in properties");
    char *made = NULL;
    if (result == BW_OK && length > 0) {
        made = bwi_alloc(&writer->mem, length, 1);
        if (!made)
            result = bwi_fail_memory(error, writer->path, &writer->mem, length);
        else if (given)
            memcpy(made, metadata->text, length);
        else
            join_pairs(made, pairs, count);
    }
    bwi_free(&writer->mem, pairs);
    if (result == BW_OK) {
        *text = made;
        *size = length;
    }
    return result;
}

/* ---- time samplings ---- */

static bw_result check_sampling(const bw_alembic_writer *writer, const bw_alembic_time_sampling *sampling,
                                bw_error *error) {
    const double *times = sampling->times_s.data;
    const size_t count = sampling->times_s.count;
    const char *wrong = NULL;
    if (count == 0 || !times || count > UINT32_MAX)
        wrong = "it has no times; give at least one";
    else if (sampling->kind > BW_ALEMBIC_ACYCLIC)
        wrong = "its kind is none of uniform, cyclic and acyclic";
    else if (sampling->kind == BW_ALEMBIC_UNIFORM && count != 1)
        wrong = "a uniform one has one time, that of the first sample";
    else if (sampling->kind == BW_ALEMBIC_CYCLIC && count == 1)
        wrong = "a cyclic one has at least two times a cycle; with one it is uniform";
    else if (sampling->kind != BW_ALEMBIC_ACYCLIC &&
             !(isfinite(sampling->time_per_cycle_s) && sampling->time_per_cycle_s > 0 &&
               sampling->time_per_cycle_s < BW_ALEMBIC_ACYCLIC_TIME))
        wrong = "its time per cycle is no finite number above 0";
    for (size_t i = 0; i < count && !wrong; i++) {
        if (!isfinite(times[i]))
            wrong = "one of its times is not finite";
        else if (i > 0 && times[i] <= times[i - 1])
            wrong = "its times do not increase strictly";
    }
    if (!wrong && sampling->kind == BW_ALEMBIC_CYCLIC && times[count - 1] - times[0] > sampling->time_per_cycle_s)
        wrong = "its times span more than one cycle";
    return wrong
               ? bwi_fail(error, BW_ERR_USAGE, writer->path, -1, "time sampling %u: %s", writer->samplings.count, wrong)
               : BW_OK;
}

static bool has_same_bits(const double *a, const double *b, size_t count) {
    return memcmp(a, b, count * sizeof(*a)) == 0;
}

bw_result bw_alembic_add_time_sampling(uint32_t *index, bw_alembic_writer *writer,
                                       const bw_alembic_time_sampling *sampling, bw_error *error) {
    bw_result result = bwi_alembic_writer_check(writer, error);
    if (result == BW_OK)
        result = check_sampling(writer, sampling, error);
    if (result != BW_OK)
        return result;
    bw_alembic_time_sampling added = {
        .kind = sampling->kind,
        .time_per_cycle_s = sampling->kind == BW_ALEMBIC_ACYCLIC ? BW_ALEMBIC_ACYCLIC_TIME : sampling->time_per_cycle_s,
        .times_s = {sampling->times_s.data, sampling->times_s.count}};
    for (uint32_t i = 0; i < writer->samplings.count; i++) {
        const bw_alembic_time_sampling *there = &writer->samplings.data[i];
        if (there->kind == added.kind && there->times_s.count == added.times_s.count &&
            has_same_bits(&there->time_per_cycle_s, &added.time_per_cycle_s, 1) &&
            has_same_bits(there->times_s.data, added.times_s.data, added.times_s.count)) {
            *index = i;
            return BW_OK;
        }
    }
    double *times = bwi_arena_alloc(writer->arena, added.times_s.count, sizeof(*times));
    if (times && writer->samplings.count == writer->samplings.capacity) {
        const uint32_t capacity = writer->samplings.capacity ? 2 * writer->samplings.capacity : 4;
        bw_alembic_time_sampling *grown = bwi_realloc(&writer->mem, writer->samplings.data, capacity, sizeof(*grown));
        if (grown) {
            writer->samplings.data = grown;
            writer->samplings.capacity = capacity;
        }
    }
    if (!times || writer->samplings.count == writer->samplings.capacity)
        return bwi_fail_memory(error, writer->path, &writer->mem, added.times_s.count * sizeof(*times));
    memcpy(times, added.times_s.data, added.times_s.count * sizeof(*times));
    added.times_s.data = times;
    *index = writer->samplings.count;
    writer->samplings.data[writer->samplings.count++] = added;
    return BW_OK;
}

/* ---- adding ---- */

bw_result bw_alembic_add_object(bw_alembic_id *object, bw_alembic_writer *writer, bw_alembic_id parent,
                                const char *name, const bw_alembic_metadata *metadata, bw_error *error) {
    bwi_alembic_node *above;
    bw_result result = bwi_alembic_writer_find(&above, writer, parent, error);
    if (result != BW_OK)
        return result;
    if (above->kind != BWI_NODE_OBJECT)
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1, "%s: is a property; an object goes below an object",
                        bwi_alembic_node_place(writer, above));
    return bwi_alembic_node_add(object, writer, above, name, &(bwi_alembic_node){.kind = BWI_NODE_OBJECT}, metadata,
                                error);
}

static bw_result check_property(bw_alembic_writer *writer, const bwi_alembic_node *parent,
                                const bw_alembic_property_opts *opts, bw_error *error) {
    const char *wrong = NULL;
    if (opts->kind > BW_ALEMBIC_ARRAY)
        wrong = "its kind is none of compound, scalar and array";
    else if (opts->kind != BW_ALEMBIC_COMPOUND && (opts->pod <= BW_ALEMBIC_NO_POD || opts->pod >= BW_ALEMBIC_POD_END))
        wrong = "the type of its values is missing or unknown; give a pod";
    else if (opts->kind != BW_ALEMBIC_COMPOUND && opts->extent > UINT8_MAX)
        wrong = "its extent is above 255; use an array of more points";
    else if (opts->kind != BW_ALEMBIC_COMPOUND && opts->time_sampling >= writer->samplings.count)
        wrong = "its time sampling is unknown; give an index from bw_alembic_add_time_sampling";
    return wrong ? bwi_fail(error, BW_ERR_USAGE, writer->path, -1, "below %s: the new property: %s",
                            bwi_alembic_node_place(writer, parent), wrong)
                 : BW_OK;
}

bw_result bw_alembic_add_property(bw_alembic_id *property, bw_alembic_writer *writer, bw_alembic_id parent,
                                  const char *name, const bw_alembic_property_opts *opts, bw_error *error) {
    const bw_alembic_property_opts given = opts ? *opts : (bw_alembic_property_opts){0};
    bwi_alembic_node *above;
    bw_result result = bwi_alembic_writer_find(&above, writer, parent, error);
    if (result == BW_OK)
        result = check_property(writer, above, &given, error);
    if (result != BW_OK)
        return result;
    if (above->kind != BWI_NODE_OBJECT && above->kind != BWI_NODE_COMPOUND)
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                        "%s: holds samples; a property goes below an object or a compound",
                        bwi_alembic_node_place(writer, above));
    bwi_alembic_node like = {.kind = BWI_NODE_COMPOUND};
    if (given.kind != BW_ALEMBIC_COMPOUND) {
        like.kind = given.kind == BW_ALEMBIC_SCALAR ? BWI_NODE_SCALAR : BWI_NODE_ARRAY;
        like.pod = given.pod;
        like.extent = (uint8_t)(given.extent ? given.extent : 1);
        like.time_sampling = given.time_sampling;
    }
    return bwi_alembic_node_add(property, writer, above, name, &like, given.metadata, error);
}

bw_result bw_alembic_end(bw_alembic_writer *writer, bw_alembic_id id, bw_error *error) {
    bwi_alembic_node *node;
    bw_result result = bwi_alembic_writer_find(&node, writer, id, error);
    if (result != BW_OK)
        return result;
    if (node == writer->top)
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                        "the top object ends with the archive; call bw_alembic_finish");
    return bwi_alembic_node_end(writer, node, error);
}

/* ---- beginning and end ---- */

bw_result bw_alembic_create(bw_alembic_writer **writer, const char *path, const bw_alembic_write_opts *opts,
                            bw_error *error) {
    return bwi_alembic_create_in(writer, NULL, path, opts, error);
}

bw_result bwi_alembic_create_in(bw_alembic_writer **writer, FILE *file, const char *path,
                                const bw_alembic_write_opts *opts, bw_error *error) {
    const bw_alembic_write_opts given = opts ? *opts : (bw_alembic_write_opts){0};
    bwi_mem mem;
    bwi_mem_init(&mem, given.run.memory_limit);
    bw_alembic_writer *made = calloc(1, sizeof(*made));
    if (!made)
        return bwi_fail_memory(error, path, &mem, sizeof(*made));
    made->mem = mem;
    made->slots.first_free = BW_NO_INDEX;
    made->arena = bwi_arena_create(&made->mem);
    made->path = made->arena ? bwi_arena_string(made->arena, path, SIZE_MAX) : NULL;
    const char *command = given.write.before_write;
    made->before_write = command && made->path ? bwi_arena_string(made->arena, command, SIZE_MAX) : NULL;
    bw_result result = BW_OK;
    if (!made->path || (command && !made->before_write))
        result = bwi_fail_memory(error, path, &made->mem, strlen(path));
    if (result == BW_OK)
        result = bwi_alembic_store_open(&made->store, file, path, &made->mem, error);
    bw_alembic_id top;
    if (result == BW_OK)
        result = bwi_alembic_node_add(&top, made, NULL, "ABC", &(bwi_alembic_node){.kind = BWI_NODE_OBJECT},
                                      given.metadata, error);
    uint32_t index;
    const double start = 0;
    const bw_alembic_time_sampling each_second = {.time_per_cycle_s = 1, .times_s = {&start, 1}};
    if (result == BW_OK)
        result = bw_alembic_add_time_sampling(&index, made, &each_second, error);
    if (result != BW_OK) {
        bw_free_alembic_writer(made);
        return result;
    }
    *writer = made;
    return BW_OK;
}

/* Writes all time samplings, one after the other. */
static bw_result write_samplings(uint64_t *child, bw_alembic_writer *writer, bw_error *error) {
    size_t size = 0;
    for (uint32_t i = 0; i < writer->samplings.count; i++)
        size += TIME_HEAD + writer->samplings.data[i].times_s.count * sizeof(double);
    uint8_t *bytes = bwi_alloc(&writer->mem, size, 1);
    if (!bytes)
        return bwi_fail_memory(error, writer->path, &writer->mem, size);
    uint8_t *at = bytes;
    for (uint32_t i = 0; i < writer->samplings.count; i++) {
        const bw_alembic_time_sampling *sampling = &writer->samplings.data[i];
        const uint32_t count = (uint32_t)sampling->times_s.count;
        memcpy(at, &sampling->max_sample_count, 4);
        memcpy(at + 4, &sampling->time_per_cycle_s, 8);
        memcpy(at + 12, &count, 4);
        memcpy(at + TIME_HEAD, sampling->times_s.data, count * sizeof(double));
        at += TIME_HEAD + count * sizeof(double);
    }
    bw_result result = bwi_alembic_store_data(child, &writer->store, NULL, 0, bytes, size, error);
    bwi_free(&writer->mem, bytes);
    return result;
}

/* Writes the metadata that headers name by index: a byte of length before each. */
static bw_result write_table(uint64_t *child, bw_alembic_writer *writer, bw_error *error) {
    uint8_t bytes[(BWI_ALEMBIC_INLINE - 1) * (1 + UINT8_MAX)];
    size_t size = 0;
    for (uint32_t i = 0; i < writer->table.count; i++) {
        bytes[size++] = writer->table.sizes[i];
        memcpy(bytes + size, writer->table.data[i], writer->table.sizes[i]);
        size += writer->table.sizes[i];
    }
    return bwi_alembic_store_data(child, &writer->store, NULL, 0, bytes, size, error);
}

static bw_result write_root(uint64_t *root, bw_alembic_writer *writer, bw_error *error) {
    bwi_alembic_store *store = &writer->store;
    const bwi_alembic_node *top = writer->top;
    uint64_t children[ROOT_CHILDREN];
    bw_result result =
        bwi_alembic_store_data(&children[0], store, NULL, 0, &ARCHIVE_VERSION, sizeof(ARCHIVE_VERSION), error);
    if (result == BW_OK)
        result = bwi_alembic_store_data(&children[1], store, NULL, 0, &LIBRARY_VERSION, sizeof(LIBRARY_VERSION), error);
    children[2] = top->child;
    if (result == BW_OK)
        result = bwi_alembic_store_data(&children[3], store, NULL, 0, top->metadata, top->metadata_size, error);
    if (result == BW_OK)
        result = write_samplings(&children[4], writer, error);
    if (result == BW_OK)
        result = write_table(&children[5], writer, error);
    return result == BW_OK ? bwi_alembic_store_group(root, store, children, ROOT_CHILDREN, error) : result;
}

bw_result bw_alembic_finish(bw_alembic_writer *writer, bw_error *error) {
    bw_result result = bwi_alembic_writer_check(writer, error);
    /* Ended already if memory was short after that the last time. */
    if (result == BW_OK && writer->top->slot != BW_NO_INDEX)
        result = bwi_alembic_node_end(writer, writer->top, error);
    uint64_t root;
    if (result == BW_OK)
        result = write_root(&root, writer, error);
    if (result == BW_OK)
        result = bwi_alembic_store_finish(&writer->store, root, writer->before_write, error);
    writer->finished = writer->finished || result == BW_OK;
    return result;
}

void bw_free_alembic_writer(bw_alembic_writer *writer) {
    if (!writer)
        return;
    bwi_alembic_node_free(writer, writer->top);
    bwi_free(&writer->mem, writer->slots.data);
    bwi_free(&writer->mem, writer->samplings.data);
    bwi_alembic_store_close(&writer->store);
    bwi_arena_free(writer->arena);
    free(writer);
}
