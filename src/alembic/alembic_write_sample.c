/* SPDX-License-Identifier: MIT
 * Putting samples: which are stored, and how a property that rarely changes is kept short. */
#include <string.h>

#include "alembic/alembic_write_priv.h"
#include "base/error.h"

enum { WIDE = 4 };

/* ---- what may be put ---- */

static bw_result fail_put(bw_alembic_writer *writer, const bwi_alembic_node *node, const char *what, bw_error *error) {
    return bwi_fail(error, BW_ERR_USAGE, writer->path, -1, "%s: sample %u: %s", bwi_alembic_node_place(writer, node),
                    node->sample_count, what);
}

/* The open scalar or array of an id, if its time sampling has a time for one more sample. */
static bw_result find_property(bwi_alembic_node **node, bw_alembic_writer *writer, bw_alembic_id id, bw_error *error) {
    bw_result result = bwi_alembic_writer_find(node, writer, id, error);
    if (result != BW_OK)
        return result;
    if ((*node)->kind != BWI_NODE_SCALAR && (*node)->kind != BWI_NODE_ARRAY)
        return bwi_fail(error, BW_ERR_USAGE, writer->path, -1,
                        "%s: is no scalar and no array; samples are put into those only",
                        bwi_alembic_node_place(writer, *node));
    const bw_alembic_time_sampling *sampling = &writer->samplings.data[(*node)->time_sampling];
    if (sampling->kind == BW_ALEMBIC_ACYCLIC && (*node)->sample_count >= sampling->times_s.count)
        return fail_put(
            writer, *node,
            "its acyclic time sampling has no time for it; give the sampling as many times as there are samples",
            error);
    if ((*node)->sample_count == UINT32_MAX)
        return fail_put(writer, *node, "an archive holds no more than 4,294,967,295 samples of a property", error);
    return BW_OK;
}

/* ---- putting ---- */

/* A sample that is about to be put. */
typedef struct new_sample {
    const void *bytes;
    size_t size;
    uint64_t point_count;
    uint32_t rank; /* at least 1 */
    const uint64_t *dimensions;
} new_sample;

static bool reserve_stored(bwi_alembic_samples *samples, size_t count, bwi_mem *mem) {
    size_t wanted;
    if (!bwi_add_size(&wanted, samples->stored.count, count))
        return false;
    if (wanted <= samples->stored.capacity)
        return true;
    const size_t doubled = samples->stored.capacity > SIZE_MAX / 2 ? SIZE_MAX : 2 * samples->stored.capacity;
    const size_t capacity = wanted > doubled ? wanted : doubled;
    uint64_t *grown = bwi_realloc(mem, samples->stored.data, capacity, sizeof(*grown));
    if (!grown)
        return false;
    samples->stored.data = grown;
    samples->stored.capacity = capacity;
    return true;
}

static void push_stored(bwi_alembic_node *node, const bwi_alembic_samples *from) {
    bwi_alembic_samples *samples = node->samples;
    samples->stored.data[samples->stored.count++] = from->last.child;
    if (node->kind == BWI_NODE_ARRAY)
        samples->stored.data[samples->stored.count++] = from->last_dimensions_child;
}

static bool has_same_dimensions(const bwi_alembic_samples *samples, const new_sample *sample) {
    return samples->last_rank == sample->rank &&
           memcmp(samples->last_dimensions, sample->dimensions, sample->rank * sizeof(*sample->dimensions)) == 0;
}

/* Writes dimensions, unless a reader can tell them from the size of the values. */
static bw_result write_dimensions(uint64_t *child, bw_alembic_writer *writer, const bwi_alembic_node *node,
                                  const new_sample *sample, bw_error *error) {
    *child = BWI_OGAWA_EMPTY_DATA;
    if (node->kind == BWI_NODE_SCALAR || (sample->rank == 1 && !bwi_alembic_is_text(node->pod)))
        return BW_OK;
    if (has_same_dimensions(node->samples, sample)) {
        *child = node->samples->last_dimensions_child;
        return BW_OK;
    }
    return bwi_alembic_store_data(child, &writer->store, NULL, 0, sample->dimensions,
                                  sample->rank * sizeof(*sample->dimensions), error);
}

/* Stores a sample that differs from the last one, and before it, if there were changes already, the last one once for each repeat. */
static bw_result store_change(bw_alembic_writer *writer, bwi_alembic_node *node, bwi_alembic_stored *stored,
                              const new_sample *sample, bw_error *error) {
    bwi_alembic_samples *samples = node->samples;
    const uint64_t repeats = node->first_changed != 0 ? node->sample_count - node->last_changed - 1 : 0;
    uint64_t dimensions_child;
    const size_t added = (node->kind == BWI_NODE_ARRAY ? 2 : 1) * (size_t)(repeats + 1);
    if (!reserve_stored(samples, added, &writer->mem))
        return bwi_fail_memory(error, writer->path, &writer->mem, added * sizeof(uint64_t));
    bw_result result = bwi_alembic_store_sample(stored, &writer->store, sample->bytes, error);
    if (result == BW_OK)
        result = write_dimensions(&dimensions_child, writer, node, sample, error);
    if (result != BW_OK)
        return result;
    for (uint64_t i = 0; i < repeats; i++)
        push_stored(node, samples);
    samples->last = *stored;
    samples->last_dimensions_child = dimensions_child;
    samples->last_rank = sample->rank;
    memcpy(samples->last_dimensions, sample->dimensions, sample->rank * sizeof(*sample->dimensions));
    push_stored(node, samples);
    if (node->first_changed == 0)
        node->first_changed = node->sample_count;
    node->last_changed = node->sample_count;
    if (node->kind == BWI_NODE_ARRAY) {
        node->scalar_like = node->scalar_like && sample->point_count == 1;
        /* The library means to compare numbers of points, and compares with the number of values; readers ignore it. */
        node->homogenous = node->homogenous && stored->value_count == sample->point_count;
    }
    return BW_OK;
}

static bw_result put(bw_alembic_writer *writer, bwi_alembic_node *node, const new_sample *sample, bw_error *error) {
    bwi_alembic_samples *samples = node->samples;
    bwi_alembic_stored stored = {.size = sample->size,
                                 .value_count = sample->point_count * node->extent,
                                 .of = node->pod == BW_ALEMBIC_STRING    ? BWI_ALEMBIC_STRINGS
                                       : node->pod == BW_ALEMBIC_WSTRING ? BWI_ALEMBIC_WIDE_STRINGS
                                                                         : BWI_ALEMBIC_NUMBERS};
    if (sample->size > 0)
        bwi_alembic_key(stored.key, node->pod, sample->bytes, sample->size);
    /* Equal keys do not make equal bytes: those of wide strings cover a quarter of them. */
    const bool same = node->sample_count > 0 && stored.size == samples->last.size &&
                      memcmp(stored.key, samples->last.key, sizeof(stored.key)) == 0 &&
                      has_same_dimensions(samples, sample) &&
                      bwi_alembic_store_holds(&writer->store, &samples->last, sample->bytes);
    if (!same) {
        bw_result result = store_change(writer, node, &stored, sample, error);
        if (result != BW_OK)
            return result;
        const bool scalar = node->kind == BWI_NODE_SCALAR;
        bwi_alembic_digest(samples->last_digest, scalar ? 0 : sample->rank, sample->dimensions, stored.key);
    }
    bwi_alembic_samples_hash_add(&samples->hash, samples->last_digest);
    node->sample_count++;
    return BW_OK;
}

bw_result bw_alembic_put_sample(bw_alembic_writer *writer, bw_alembic_id property, const bw_alembic_sample *sample,
                                bw_error *error) {
    bwi_alembic_node *node;
    bw_result result = find_property(&node, writer, property, error);
    if (result != BW_OK)
        return result;
    if (sample->size > 0 && !sample->bytes)
        return fail_put(writer, node, "it has a size and no bytes", error);
    uint64_t value_count = 0;
    if (bwi_alembic_is_text(node->pod)) {
        if (!bwi_alembic_count_strings(&value_count, node->pod, sample->bytes, sample->size))
            return fail_put(writer, node, "the last of its strings has no zero at its end", error);
    } else {
        const size_t value_size = bw_alembic_pod_size(node->pod);
        if (sample->size % value_size != 0)
            return fail_put(writer, node, "its size is no multiple of the size of a value", error);
        value_count = sample->size / value_size;
    }
    if (value_count % node->extent != 0)
        return fail_put(writer, node, "the number of its values is no multiple of the property's extent", error);
    const uint64_t counted = value_count / node->extent;
    new_sample added = {
        .bytes = sample->bytes, .size = sample->size, .point_count = counted, .rank = 1, .dimensions = &counted};
    if (node->kind == BWI_NODE_SCALAR) {
        if (counted != 1)
            return fail_put(writer, node, "a scalar has exactly one point, of as many values as its extent says",
                            error);
    } else if (sample->rank > 0) {
        if (sample->rank > BW_ALEMBIC_RANK_MAX)
            return fail_put(writer, node, "it has more than 16 dimensions", error);
        if (bwi_alembic_count_points(sample->dimensions, sample->rank) != counted)
            return fail_put(writer, node, "the product of its dimensions is not the number of its points", error);
        added.rank = sample->rank;
        added.dimensions = sample->dimensions;
    }
    return put(writer, node, &added, error);
}

bw_result bw_alembic_put(bw_alembic_writer *writer, bw_alembic_id property, const void *values, uint64_t point_count,
                         bw_error *error) {
    bwi_alembic_node *node;
    bw_result result = find_property(&node, writer, property, error);
    if (result != BW_OK)
        return result;
    if (bwi_alembic_is_text(node->pod))
        return fail_put(writer, node, "it is of strings; put them with bw_alembic_put_strings", error);
    uint64_t size;
    if (__builtin_mul_overflow(point_count, bw_alembic_pod_size(node->pod) * node->extent, &size) ||
        size > SIZE_MAX / 2)
        return fail_put(writer, node, "it has more points than memory can hold", error);
    const bw_alembic_sample sample = {.bytes = values, .size = (size_t)size};
    return bw_alembic_put_sample(writer, property, &sample, error);
}

/* ---- strings ---- */

/* Decodes one character of UTF-8.  Returns the bytes read, 0 for what is none (overlong, a surrogate, past U+10FFFF, cut off by the zero). */
static size_t decode(uint32_t *character, const uint8_t *text) {
    static const uint32_t SMALLEST[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t lead = text[0];
    const size_t size = lead < 0x80                   ? 1
                        : lead >= 0xF0 && lead < 0xF8 ? 4
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xC0 && lead < 0xE0 ? 2
                                                      : 0;
    if (size < 2) {
        *character = lead;
        return size;
    }
    uint32_t value = lead & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (text[i] & 0x3Fu);
    }
    *character = value;
    return value < SMALLEST[size] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000) ? 0 : size;
}

/* Puts a string's 32-bit units with their zero at `at`.  Returns where they end, or NULL if it is no UTF-8. */
static uint8_t *put_wide(uint8_t *at, const char *string) {
    uint32_t character = 1;
    for (const uint8_t *text = (const uint8_t *)string; character != 0;) {
        const size_t read = decode(&character, text);
        if (read == 0)
            return NULL;
        text += read;
        memcpy(at, &character, WIDE);
        at += WIDE;
    }
    return at;
}

bw_result bw_alembic_put_strings(bw_alembic_writer *writer, bw_alembic_id property, const char *const *strings,
                                 size_t count, bw_error *error) {
    bwi_alembic_node *node;
    bw_result result = find_property(&node, writer, property, error);
    if (result != BW_OK)
        return result;
    if (!bwi_alembic_is_text(node->pod))
        return fail_put(writer, node, "it is not of strings; put numbers with bw_alembic_put", error);
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (!strings[i])
            return fail_put(writer, node, "one of its strings is NULL; give \"\" for an empty one", error);
        size += strlen(strings[i]) + 1;
    }
    const size_t width = node->pod == BW_ALEMBIC_WSTRING ? WIDE : 1;
    uint8_t *bytes = bwi_alloc(&writer->mem, size, width);
    if (!bytes)
        return bwi_fail_memory(error, writer->path, &writer->mem, size);
    uint8_t *at = bytes;
    for (size_t i = 0; i < count && at; i++) {
        if (width == WIDE) {
            at = put_wide(at, strings[i]);
        } else {
            const size_t length = strlen(strings[i]) + 1;
            memcpy(at, strings[i], length);
            at += length;
        }
    }
    if (at) {
        const bw_alembic_sample sample = {.bytes = bytes, .size = (size_t)(at - bytes)};
        result = bw_alembic_put_sample(writer, property, &sample, error);
    } else {
        result = fail_put(writer, node, "one of its strings is no UTF-8, so that it cannot be made wide", error);
    }
    bwi_free(&writer->mem, bytes);
    return result;
}

bw_result bw_alembic_repeat(bw_alembic_writer *writer, bw_alembic_id property, bw_error *error) {
    bwi_alembic_node *node;
    bw_result result = find_property(&node, writer, property, error);
    if (result != BW_OK)
        return result;
    if (node->sample_count == 0)
        return fail_put(writer, node, "there is none before it that could be repeated; put one", error);
    bwi_alembic_samples_hash_add(&node->samples->hash, node->samples->last_digest);
    node->sample_count++;
    return BW_OK;
}
