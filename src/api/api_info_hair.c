/* SPDX-License-Identifier: MIT
 * What a cyHair file holds: its arrays, and what its header says in place of those it lacks. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "api/api_priv.h"
#include "bakewell/info.h"
#include "base/file.h"
#include "base/math.h"
#include "read/cyhair/cyhair.h"

static void take(bw_hair_array *array, const float *value) {
    for (uint32_t c = 0; c < array->extent; c++) {
        if (!bwi_is_finite((double)value[c]))
            continue;
        if (!(array->min[c] <= value[c]))
            array->min[c] = value[c];
        if (!(array->max[c] >= value[c]))
            array->max[c] = value[c];
    }
}

static bw_hair_array *begin(bw_hair_info *info, const char *name, bool stored, uint64_t count, uint32_t extent) {
    bw_hair_array *array = &info->arrays[info->array_count++];
    *array = (bw_hair_array){.name = name, .stored = stored, .count = stored ? count : 1, .extent = extent};
    for (int c = 0; c < 3; c++)
        array->min[c] = array->max[c] = NAN;
    return array;
}

static const bwi_hair_attribute *attribute_of(const bwi_hair *hair, const char *name) {
    for (size_t i = 0; i < hair->attributes.count; i++) {
        if (strcmp(hair->attributes.data[i].name, name) == 0)
            return &hair->attributes.data[i];
    }
    return NULL;
}

/* In: attribute — what the reader calls it; value — the header's, for all. */
static void fill_array(bw_hair_info *info, const char *name, const bwi_hair *hair, const char *attribute, bool stored,
                       uint32_t extent, const float *value) {
    const bwi_hair_attribute *values = stored ? attribute_of(hair, attribute) : NULL;
    bw_hair_array *array = begin(info, name, stored, values ? values->count : 0, extent);
    if (!stored)
        take(array, value);
    for (uint64_t i = 0; values && i < values->count; i++) {
        float here[3] = {0};
        for (uint32_t c = 0; c < extent; c++)
            here[c] = (float)bwi_hair_number(values, i, c);
        take(array, here);
    }
}

static void fill(bw_hair_info *info, const bwi_cyhair_head *head, const bwi_hair *hair) {
    const bwi_hair_curves *curves = hair->curves.data;
    const bool segments = head->arrays & BWI_CYHAIR_SEGMENTS;
    info->strand_count = head->strand_count;
    info->point_count = head->point_count;
    bw_hair_array *array = begin(info, "segments", segments, curves->curve_count, 1);
    if (!segments)
        take(array, &(float){(float)head->segments});
    for (uint64_t i = 0; segments && i < curves->curve_count; i++)
        take(array, &(float){(float)(curves->counts[i] - 1)});
    if (head->arrays & BWI_CYHAIR_POINTS) {
        array = begin(info, "points", true, curves->point_count, 3);
        for (uint64_t i = 0; i < curves->point_count; i++)
            take(array, curves->positions + 3 * i);
    }
    fill_array(info, "thickness", hair, "width", head->arrays & BWI_CYHAIR_THICKNESS, 1, &head->thickness);
    fill_array(info, "transparency", hair, "transparency", head->arrays & BWI_CYHAIR_TRANSPARENCY, 1,
               &head->transparency);
    fill_array(info, "colors", hair, "groom_color", head->arrays & BWI_CYHAIR_COLORS, 3, head->color);
}

static bw_result read_file(bw_hair_info *info, const char *path, const bw_run_opts *run, bw_error *error) {
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return bwi_fail(error, BW_ERR_UNRECOGNISED, path, -1, "is no file; name a cyHair file");
    bwi_map map;
    bwi_hair *hair = NULL;
    bwi_cyhair_head head;
    bw_result result = bwi_map_open(&map, path, bwi_arena_mem(info->arena), error);
    if (result != BW_OK)
        return result;
    if (!bwi_cyhair_recognise(map.data, map.size))
        result = bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0, "is no cyHair file");
    else
        result = bwi_read_cyhair(&hair, path, map.data, map.size, run, error);
    if (result == BW_OK && bwi_cyhair_read_head(&head, map.data, map.size)) {
        fill(info, &head, hair);
        info->path = bwi_arena_string(info->arena, path, SIZE_MAX);
        info->made_by = bwi_arena_string(info->arena, hair->made_by, SIZE_MAX);
        if (!info->path || !info->made_by)
            result = bwi_fail_memory(error, path, bwi_arena_mem(info->arena), 0);
    }
    bwi_hair_free(hair);
    bwi_map_close(&map);
    return result;
}

bw_result bw_hair_describe(bw_hair_info **info, const char *path, const bw_run_opts *run, bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(run ? run->memory_limit : 0);
    bw_hair_info *made = arena ? bwi_arena_alloc(arena, 1, sizeof *made) : NULL;
    if (!made) {
        bwi_arena_free(arena);
        return bwi_fail(error, BW_ERR_MEMORY, path, -1, "memory ran out before the hair was read");
    }
    made->arena = arena;
    bw_result result = read_file(made, path, run, error);
    if (result != BW_OK) {
        bwi_arena_free(arena);
        return result;
    }
    *info = made;
    return BW_OK;
}

void bw_free_hair_info(bw_hair_info *info) {
    if (info)
        bwi_arena_free(info->arena);
}

/* ---- the document ---- */

static void write_values(bwi_json_writer *w, const char *key, const float *values, uint32_t extent) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (uint32_t c = 0; c < extent; c++)
        bwi_json_float(w, values[c]);
    bwi_json_end_array(w);
}

char *bw_hair_info_json(const bw_hair_info *info) {
    bwi_document doc;
    if (!bwi_document_begin(&doc, "bakewell/info/1"))
        return NULL;
    bwi_json_writer *w = doc.w;
    bwi_json_key_string(w, "path", info->path);
    bwi_json_key_string(w, "format", "cyhair");
    bwi_json_key_string(w, "made_by", info->made_by);
    bwi_json_key_uint(w, "strands", info->strand_count);
    bwi_json_key_uint(w, "points", info->point_count);
    bwi_json_key(w, "arrays");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < info->array_count; i++) {
        const bw_hair_array *array = &info->arrays[i];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "name", array->name);
        bwi_json_key_bool(w, "stored", array->stored);
        bwi_json_key_uint(w, "count", array->count);
        write_values(w, "min", array->min, array->extent);
        write_values(w, "max", array->max, array->extent);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    return bwi_document_end(&doc);
}
