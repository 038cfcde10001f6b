/* SPDX-License-Identifier: MIT
 * Nodes of an archive that is being written: data and groups go to the disk as they come; samples of equal bytes share a node. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "alembic/alembic_write_priv.h"
#include "base/error.h"

enum {
    TAIL_SIZE = 1 << 20,
    COMPARED_SIZE = 64 << 10,
    FIRST_INDEX = 256,
    LARGEST_INDEX = 1 << 20, /* slots; past that, samples are forgotten for newer ones and may be stored again */
    PROBES = 8
};
_Static_assert(sizeof(bwi_alembic_stored) <= 48,
               "alembic_write.h promises 72 MiB, for this index and one half as large that becomes it");

static const uint8_t HEAD[16] = {'O', 'g', 'a', 'w', 'a', 0, 0, 1};
enum { HEAD_SIZE = 16, WHOLE_AT = 5, ROOT_AT = 8 };

/* ---- opening ---- */

static bw_result open_outputs(bwi_alembic_store *store, const char **written, const char *path, bwi_arena *arena,
                              bw_error *error) {
    const char *name = bwi_path_basename(path);
    if (name[0] == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return bwi_fail(error, BW_ERR_USAGE, path, -1,
                        "is not the path of a file; give one that ends in a name, as in 'out/hair.abc'");
    char *folder = bwi_path_folder(arena, path);
    if (!folder)
        return bwi_fail_memory(error, path, store->mem, strlen(path));
    bw_result result = bwi_outputs_begin(&store->outputs, folder, name, store->mem, error);
    if (result == BW_OK)
        result = bwi_outputs_open(store->outputs, &store->file, name, "archive", error);
    if (result != BW_OK)
        return result;
    *written = bwi_path_join(arena, bwi_outputs_folder(store->outputs), name);
    return *written ? BW_OK : bwi_fail_memory(error, path, store->mem, strlen(path));
}

static bw_result open_files(bwi_alembic_store *store, FILE *file, const char *path, bwi_arena *arena, bw_error *error) {
    const char *written = path;
    store->file = file;
    bw_result result = file ? BW_OK : open_outputs(store, &written, path, arena, error);
    if (result != BW_OK)
        return result;
    store->read_fd = open(written, O_RDONLY | O_CLOEXEC);
    if (store->read_fd < 0)
        return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1, "cannot be read back while it is written: %s",
                        strerror(errno));
    return BW_OK;
}

bw_result bwi_alembic_store_open(bwi_alembic_store *store, FILE *file, const char *path, bwi_mem *mem,
                                 bw_error *error) {
    *store = (bwi_alembic_store){.mem = mem, .read_fd = -1};
    bwi_arena *arena = bwi_arena_create(mem);
    store->tail = bwi_alloc(mem, TAIL_SIZE, 1);
    store->compared = bwi_alloc(mem, COMPARED_SIZE, 1);
    store->samples = bwi_alloc(mem, FIRST_INDEX, sizeof(*store->samples));
    store->sample_capacity = FIRST_INDEX;
    bw_result result = BW_OK;
    if (!arena || !store->tail || !store->compared || !store->samples)
        result = bwi_fail_memory(error, path, mem, TAIL_SIZE);
    else
        result = open_files(store, file, path, arena, error);
    bwi_arena_free(arena);
    if (result != BW_OK) {
        bwi_alembic_store_close(store);
        return result;
    }
    memcpy(store->tail, HEAD, HEAD_SIZE);
    store->position = HEAD_SIZE;
    return BW_OK;
}

void bwi_alembic_store_close(bwi_alembic_store *store) {
    if (!store->mem)
        return;
    if (store->read_fd >= 0)
        (void)close(store->read_fd);
    bwi_outputs_end(store->outputs);
    bwi_free(store->mem, store->tail);
    bwi_free(store->mem, store->compared);
    bwi_free(store->mem, store->samples);
    *store = (bwi_alembic_store){.read_fd = -1};
}

/* ---- bytes ---- */

/* Remembers why the file is lost.  What failed is told by closing it: stdio's errno may be that of a later call. */
static bw_result lose(bwi_alembic_store *store, bw_error *error) {
    store->file = NULL;
    if (!store->outputs || bwi_outputs_close(store->outputs, &store->failure) == BW_OK)
        bwi_fail(&store->failure, BW_ERR_FILE_WRITE, NULL, -1, "the archive could not be written; try again");
    if (error)
        *error = store->failure;
    return store->failure.result;
}

static bw_result flush(bwi_alembic_store *store, bw_error *error) {
    const size_t used = (size_t)(store->position - store->flushed);
    if (fwrite(store->tail, 1, used, store->file) != used || fflush(store->file) != 0)
        return lose(store, error);
    store->flushed = store->position;
    return BW_OK;
}

static bw_result append(bwi_alembic_store *store, const void *bytes, size_t size, bw_error *error) {
    if (size > TAIL_SIZE - (size_t)(store->position - store->flushed)) {
        bw_result result = flush(store, error);
        if (result != BW_OK)
            return result;
    }
    if (size > TAIL_SIZE) {
        if (fwrite(bytes, 1, size, store->file) != size || fflush(store->file) != 0)
            return lose(store, error);
        store->flushed += size;
    } else if (size > 0) {
        memcpy(store->tail + (store->position - store->flushed), bytes, size);
    }
    store->position += size;
    return BW_OK;
}

static bw_result append_node(uint64_t *child, bwi_alembic_store *store, uint64_t count, const void *head,
                             size_t head_size, const void *bytes, size_t size, bw_error *error) {
    const uint64_t at = store->position;
    bw_result result = append(store, &count, sizeof(count), error);
    if (result == BW_OK)
        result = append(store, head, head_size, error);
    if (result == BW_OK)
        result = append(store, bytes, size, error);
    if (result == BW_OK)
        *child = at;
    return result;
}

bw_result bwi_alembic_store_data(uint64_t *child, bwi_alembic_store *store, const void *head, size_t head_size,
                                 const void *bytes, size_t size, bw_error *error) {
    if (head_size + size == 0) {
        *child = BWI_OGAWA_EMPTY_DATA;
        return BW_OK;
    }
    bw_result result = append_node(child, store, head_size + size, head, head_size, bytes, size, error);
    if (result == BW_OK)
        *child |= BWI_OGAWA_EMPTY_DATA;
    return result;
}

bw_result bwi_alembic_store_group(uint64_t *child, bwi_alembic_store *store, const uint64_t *children, size_t count,
                                  bw_error *error) {
    if (count == 0) {
        *child = BWI_OGAWA_EMPTY_GROUP;
        return BW_OK;
    }
    return append_node(child, store, count, NULL, 0, children, count * sizeof(*children), error);
}

/* ---- equal samples ---- */

static bool is_on_disk(const bwi_alembic_store *store, const uint8_t *bytes, size_t size, uint64_t at) {
    for (size_t done = 0; done < size;) {
        const size_t wanted = size - done < COMPARED_SIZE ? size - done : COMPARED_SIZE;
        const ssize_t got = pread(store->read_fd, store->compared, wanted, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        /* What cannot be read back counts as other bytes: the sample is then stored once more. */
        if (got <= 0 || memcmp(store->compared, bytes + done, (size_t)got) != 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

bool bwi_alembic_store_holds(const bwi_alembic_store *store, const bwi_alembic_stored *stored, const void *bytes) {
    if (stored->size == 0)
        return true;
    const uint64_t at = (stored->child & ~BWI_OGAWA_EMPTY_DATA) + sizeof(uint64_t) + sizeof(stored->key);
    const size_t size = (size_t)stored->size;
    /* append flushes before a part that would not fit, so that none lies on both sides. */
    if (at < store->flushed)
        return is_on_disk(store, bytes, size, at);
    return memcmp(store->tail + (at - store->flushed), bytes, size) == 0;
}

static bool has_same_key(const bwi_alembic_stored *a, const bwi_alembic_stored *b) {
    return a->size == b->size && a->of == b->of && memcmp(a->key, b->key, sizeof(a->key)) == 0;
}

static size_t home_of(const bwi_alembic_stored *sample, size_t capacity) {
    uint64_t start;
    memcpy(&start, sample->key, sizeof(start));
    return (size_t)start & (capacity - 1);
}

/* Where a sample goes: a free slot near its home, or, in a full neighbourhood, its home. */
static void remember(bwi_alembic_stored *slots, size_t capacity, size_t *count, const bwi_alembic_stored *sample) {
    const size_t home = home_of(sample, capacity);
    for (size_t i = 0; i < PROBES; i++) {
        bwi_alembic_stored *slot = &slots[(home + i) & (capacity - 1)];
        if (slot->child == 0) {
            *slot = *sample;
            ++*count;
            return;
        }
    }
    slots[home] = *sample;
}

/* Doubles the index once it is half full.  Where memory is short it stays as it is: it only saves space. */
static void grow_index(bwi_alembic_store *store) {
    if (store->sample_count < store->sample_capacity / 2 || store->sample_capacity == LARGEST_INDEX)
        return;
    const size_t capacity = 2 * store->sample_capacity;
    bwi_alembic_stored *grown = bwi_alloc(store->mem, capacity, sizeof(*grown));
    if (!grown)
        return;
    size_t count = 0;
    for (size_t i = 0; i < store->sample_capacity; i++) {
        if (store->samples[i].child != 0)
            remember(grown, capacity, &count, &store->samples[i]);
    }
    bwi_free(store->mem, store->samples);
    store->samples = grown;
    store->sample_capacity = capacity;
    store->sample_count = count;
}

bw_result bwi_alembic_store_sample(bwi_alembic_stored *sample, bwi_alembic_store *store, const void *bytes,
                                   bw_error *error) {
    if (sample->size == 0) {
        sample->child = BWI_OGAWA_EMPTY_DATA;
        return BW_OK;
    }
    const size_t home = home_of(sample, store->sample_capacity);
    for (size_t i = 0; i < PROBES; i++) {
        const bwi_alembic_stored *slot = &store->samples[(home + i) & (store->sample_capacity - 1)];
        if (slot->child != 0 && has_same_key(slot, sample) && bwi_alembic_store_holds(store, slot, bytes)) {
            *sample = *slot;
            return BW_OK;
        }
    }
    bw_result result = bwi_alembic_store_data(&sample->child, store, sample->key, sizeof(sample->key), bytes,
                                              (size_t)sample->size, error);
    if (result == BW_OK) {
        grow_index(store);
        remember(store->samples, store->sample_capacity, &store->sample_count, sample);
    }
    return result;
}

/* ---- the end ---- */

bw_result bwi_alembic_store_finish(bwi_alembic_store *store, uint64_t root, const char *before_write, bw_error *error) {
    bw_result result = flush(store, error);
    if (result != BW_OK)
        return result;
    /* The mark last: a file without it is not whole. */
    const uint8_t whole = 0xFF;
    if (fseek(store->file, ROOT_AT, SEEK_SET) != 0 || fwrite(&root, 1, sizeof(root), store->file) != sizeof(root) ||
        fflush(store->file) != 0 || fseek(store->file, WHOLE_AT, SEEK_SET) != 0 ||
        fwrite(&whole, 1, 1, store->file) != 1)
        return lose(store, error);
    if (!store->outputs)
        return fflush(store->file) == 0 ? BW_OK : lose(store, error);
    store->file = NULL;
    bwi_outputs_before_write(store->outputs, before_write);
    result = bwi_outputs_close(store->outputs, &store->failure);
    if (result == BW_OK)
        result = bwi_outputs_commit(store->outputs, &store->failure);
    if (result != BW_OK && error)
        *error = store->failure;
    return result;
}
