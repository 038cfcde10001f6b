/* SPDX-License-Identifier: MIT
 * Opening an archive: its head, the root group, metadata, time samplings and the table of metadata. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "alembic/alembic_priv.h"
#include "base/number.h"

/* Children of the root group. */
enum { ROOT_VERSION, ROOT_LIBRARY, ROOT_TOP, ROOT_METADATA, ROOT_TIMES, ROOT_TABLE, ROOT_COUNT };

enum { OLDEST_LIBRARY = 9999 };

static bw_result check_head(const bwi_alembic *a, bw_error *error) {
    const char *path = a->archive.path;
    if (a->size < BWI_ALEMBIC_HEAD || memcmp(a->data, "Ogawa", 5) != 0)
        return bwi_alembic_fail_foreign(a, error);
    if (a->data[5] == 0)
        return bwi_fail(error, BW_ERR_TRUNCATED, path, 5,
                        "was never finished: the exporter stopped before it closed the file; export it again");
    if (a->data[5] != 0xFF)
        return bwi_fail(error, BW_ERR_MALFORMED, path, 5,
                        "byte 5 is 0x%02x, expected 0xff as in every finished archive; the file is damaged, export it "
                        "again",
                        (unsigned)a->data[5]);
    unsigned version = (unsigned)a->data[6] << 8 | a->data[7];
    if (version != 1)
        return bwi_fail(error, BW_ERR_UNSUPPORTED, path, 6,
                        "is of Ogawa's version %u, expected 1; export it again, or check that the file is whole",
                        version);
    return BW_OK;
}

static bw_result open_root(bwi_alembic_group *root, const bwi_alembic_place *place) {
    const bwi_alembic *a = place->a;
    uint64_t offset = bwi_alembic_u64(a->data + 8);
    /* Writers put the root group last, so a file that was cut off has lost it. */
    if (offset >= a->size)
        return bwi_fail(place->error, BW_ERR_TRUNCATED, a->archive.path, 8,
                        "ends after %zu bytes, expected the root group at byte %llu; copy or export it again", a->size,
                        (unsigned long long)offset);
    bw_result result = bwi_alembic_open_group(root, place, offset, "the root group");
    if (result != BW_OK)
        return result;
    if (root->count < ROOT_COUNT)
        return bwi_fail(place->error, BW_ERR_MALFORMED, a->archive.path, (int64_t)offset,
                        "the root group has %llu parts, expected at least %d; export it again",
                        (unsigned long long)root->count, ROOT_COUNT);
    return BW_OK;
}

static bw_result read_int32(int32_t *value, const bwi_alembic_place *place, bwi_alembic_child child, const char *what) {
    bwi_alembic_data data;
    bw_result result = bwi_alembic_open_data(&data, place, child, what);
    if (result != BW_OK)
        return result;
    if (data.size != 4)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, data.offset, "%s has %zu bytes, expected 4; export it again",
                                what, data.size);
    *value = (int32_t)bwi_alembic_u32(data.bytes);
    return BW_OK;
}

static bw_result read_versions(bwi_alembic *a, const bwi_alembic_place *place, const bwi_alembic_group *root) {
    int32_t version = 0;
    bw_result result = read_int32(&version, place, bwi_alembic_get_child(root, ROOT_VERSION), "the file's version");
    if (result == BW_OK)
        result = read_int32(&a->archive.library_version, place, bwi_alembic_get_child(root, ROOT_LIBRARY),
                            "the library's version");
    if (result == BW_OK && version != 0)
        return bwi_fail(place->error, BW_ERR_UNSUPPORTED, a->archive.path, -1,
                        "is of Alembic's file version %d, expected 0; export it again", (int)version);
    if (result == BW_OK && a->archive.library_version < OLDEST_LIBRARY)
        return bwi_fail(place->error, BW_ERR_UNSUPPORTED, a->archive.path, -1,
                        "was written by version %d of the library, expected at least %d; export it again",
                        (int)a->archive.library_version, OLDEST_LIBRARY);
    return result;
}

static bw_result read_table(bwi_alembic *a, const bwi_alembic_place *place, bwi_alembic_child child) {
    bwi_alembic_data data;
    bw_result result = bwi_alembic_open_data(&data, place, child, "the metadata table");
    if (result != BW_OK)
        return result;
    a->table[0] = (bw_alembic_metadata){.text = ""};
    a->table_count = 1;
    bwi_alembic_cursor cursor = {data.bytes, data.size};
    while (cursor.left > 0) {
        uint32_t size = 0;
        const uint8_t *text = NULL;
        (void)bwi_alembic_take_hinted(&size, &cursor, 0);
        if (a->table_count == BWI_ALEMBIC_TABLE_MAX || !bwi_alembic_take(&text, &cursor, size))
            return bwi_alembic_fail(place, BW_ERR_MALFORMED, data.offset,
                                    "the metadata table does not end with its entry %zu, expected at most %d that fill "
                                    "its %zu bytes; export it again",
                                    a->table_count, BWI_ALEMBIC_TABLE_MAX - 1, data.size);
        if (!bwi_alembic_parse_metadata(&a->table[a->table_count], a, text, size))
            return bwi_fail_memory(place->error, a->archive.path, bwi_arena_mem(a->arena), size);
        a->table_count++;
    }
    return BW_OK;
}

/* ---- time samplings ---- */

static bw_result check_times(const bw_alembic_time_sampling *sampling, size_t index, const bwi_alembic_place *place,
                             uint64_t offset) {
    const double cycle = sampling->time_per_cycle_s;
    const double *times = sampling->times_s.data;
    const size_t count = sampling->times_s.count;
    if (sampling->kind != BW_ALEMBIC_ACYCLIC && !(cycle > 0.0 && cycle <= DBL_MAX))
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                "time sampling %zu repeats every %g s, expected a time above 0; export it again", index,
                                cycle);
    for (size_t i = 1; i < count; i++) {
        if (!(times[i] > times[i - 1]))
            return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                    "time %zu of time sampling %zu is %g s, expected one after the %g s before it; "
                                    "export it again",
                                    i, index, times[i], times[i - 1]);
    }
    if (sampling->kind == BW_ALEMBIC_CYCLIC && times[count - 1] - times[0] > cycle)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                "the times of time sampling %zu span %g s, expected at most its cycle of %g s; export "
                                "it again",
                                index, times[count - 1] - times[0], cycle);
    return BW_OK;
}

/* A record: u32 most samples, f64 time per cycle, u32 count, that many f64. */
static bw_result take_sampling(bw_alembic_time_sampling *sampling, size_t index, const bwi_alembic_place *place,
                               bwi_alembic_cursor *cursor, uint64_t offset) {
    const bwi_alembic *a = place->a;
    const uint8_t *cycle = NULL;
    const uint8_t *stored = NULL;
    uint32_t count = 0;
    bool whole = bwi_alembic_take_u32(&sampling->max_sample_count, cursor) && bwi_alembic_take(&cycle, cursor, 8) &&
                 bwi_alembic_take_u32(&count, cursor) && count > 0 && count <= cursor->left / 8 &&
                 bwi_alembic_take(&stored, cursor, (size_t)8 * count);
    if (!whole)
        return bwi_alembic_fail(place, BW_ERR_MALFORMED, offset,
                                "time sampling %zu has %u times, expected at least one and no more than the %zu bytes "
                                "left for them; export it again",
                                index, (unsigned)count, cursor->left);
    double *times = bwi_arena_alloc(a->arena, count, sizeof(*times));
    if (!times)
        return bwi_fail_memory(place->error, a->archive.path, bwi_arena_mem(a->arena), (size_t)8 * count);
    for (uint32_t i = 0; i < count; i++)
        times[i] = bwi_alembic_f64(stored + (size_t)8 * i);
    sampling->time_per_cycle_s = bwi_alembic_f64(cycle);
    sampling->times_s.data = times;
    sampling->times_s.count = count;
    sampling->kind = sampling->time_per_cycle_s == BW_ALEMBIC_ACYCLIC_TIME ? BW_ALEMBIC_ACYCLIC
                     : count == 1                                          ? BW_ALEMBIC_UNIFORM
                                                                           : BW_ALEMBIC_CYCLIC;
    return check_times(sampling, index, place, offset);
}

static bw_result read_samplings(bwi_alembic *a, const bwi_alembic_place *place, bwi_alembic_child child) {
    enum { SMALLEST_RECORD = 24 };
    bwi_alembic_data data;
    bw_result result = bwi_alembic_open_data(&data, place, child, "the list of time samplings");
    if (result != BW_OK)
        return result;
    bw_alembic_time_sampling *samplings =
        bwi_arena_alloc(a->arena, data.size / SMALLEST_RECORD + 1, sizeof(*samplings));
    if (!samplings)
        return bwi_fail_memory(place->error, a->archive.path, bwi_arena_mem(a->arena), data.size);
    size_t count = 0;
    bwi_alembic_cursor cursor = {data.bytes, data.size};
    while (cursor.left > 0) {
        result = take_sampling(&samplings[count], count, place, &cursor, data.offset);
        if (result != BW_OK)
            return result;
        count++;
    }
    a->archive.time_samplings.data = samplings;
    a->archive.time_samplings.count = count;
    return BW_OK;
}

/* ---- the archive ---- */

static bw_result read_metadata(bwi_alembic *a, const bwi_alembic_place *place, bwi_alembic_child child) {
    bwi_alembic_data data;
    bw_result result = bwi_alembic_open_data(&data, place, child, "the archive's metadata");
    if (result == BW_OK)
        result = bwi_alembic_get_metadata(&a->top.metadata, a, place, BWI_ALEMBIC_INLINE, data.bytes, data.size);
    if (result != BW_OK)
        return result;
    const bw_alembic_metadata *metadata = a->top.metadata;
    bw_alembic *out = &a->archive;
    out->metadata = metadata;
    out->application = bw_alembic_meta_value(metadata, "_ai_Application");
    out->library = bw_alembic_meta_value(metadata, "_ai_AlembicVersion");
    out->date = bw_alembic_meta_value(metadata, "_ai_DateWritten");
    out->description = bw_alembic_meta_value(metadata, "_ai_Description");
    const char *fps = bw_alembic_meta_value(metadata, "_ai_DCC_FPS");
    double value = 0.0;
    if (fps && bwi_parse_decimal(&value, fps) && value > 0.0)
        out->fps = value;
    return BW_OK;
}

static bw_result read_archive(bwi_alembic *a, bw_error *error) {
    const bwi_alembic_place place = {a, NULL, NULL, -1, error};
    bwi_alembic_group root;
    bw_result result = check_head(a, error);
    if (result == BW_OK)
        result = open_root(&root, &place);
    if (result == BW_OK)
        result = read_versions(a, &place, &root);
    if (result == BW_OK)
        result = read_table(a, &place, bwi_alembic_get_child(&root, ROOT_TABLE));
    if (result == BW_OK)
        result = read_metadata(a, &place, bwi_alembic_get_child(&root, ROOT_METADATA));
    if (result == BW_OK)
        result = read_samplings(a, &place, bwi_alembic_get_child(&root, ROOT_TIMES));
    if (result != BW_OK)
        return result;
    bwi_alembic_child top = bwi_alembic_get_child(&root, ROOT_TOP);
    if (top.is_data)
        return bwi_fail(error, BW_ERR_MALFORMED, a->archive.path, (int64_t)top.offset,
                        "the top object is marked as data, expected a group; export it again");
    a->top.name = "ABC";
    a->top.offset = top.offset;
    return BW_OK;
}

static bw_result out_of_memory(bwi_arena *arena, const char *path, bw_error *error) {
    if (!arena)
        return bwi_fail(error, BW_ERR_MEMORY, path, -1, "memory ran out as it was opened; raise --memory-limit");
    return bwi_fail_memory(error, path, bwi_arena_mem(arena), sizeof(bwi_alembic));
}

/* In: path — NULL: the bytes are there already. */
static bw_result open_archive(bw_alembic **archive, const void *bytes, size_t size, const char *path, bool is_file,
                              const bw_run_opts *run, bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(run ? run->memory_limit : 0);
    bwi_alembic *a = arena ? bwi_arena_alloc(arena, 1, sizeof(*a)) : NULL;
    char *kept_path = a ? bwi_arena_string(arena, path, SIZE_MAX) : NULL;
    bw_result result = kept_path ? BW_OK : out_of_memory(arena, path, error);
    if (result == BW_OK && is_file)
        result = bwi_map_open(&a->map, path, bwi_arena_mem(arena), error);
    if (result == BW_OK) {
        a->data = is_file ? a->map.data : bytes;
        a->size = is_file ? a->map.size : size;
        a->arena = arena;
        a->unread = a->size;
        a->archive.path = kept_path;
        a->archive.size = a->size;
        a->archive.top = &a->top;
        a->archive.state = a;
        result = a->size > 0 ? read_archive(a, error)
                             : bwi_fail(error, BW_ERR_EMPTY, path, -1, "is empty; expected an Alembic archive");
    }
    if (result == BW_OK) {
        *archive = &a->archive;
    } else {
        if (a)
            bwi_map_close(&a->map);
        bwi_arena_free(arena);
    }
    return result;
}

bw_result bw_alembic_open(bw_alembic **archive, const char *path, const bw_run_opts *run, bw_error *error) {
    return open_archive(archive, NULL, 0, path, true, run, error);
}

bw_result bw_alembic_open_bytes(bw_alembic **archive, const void *bytes, size_t size, const char *path,
                                const bw_run_opts *run, bw_error *error) {
    return open_archive(archive, bytes, size, path, false, run, error);
}

void bw_free_alembic(bw_alembic *archive) {
    if (archive) {
        bwi_alembic *a = archive->state;
        bwi_map_close(&a->map);
        bwi_arena_free(a->arena);
    }
}
