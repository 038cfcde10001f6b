/* SPDX-License-Identifier: MIT
 * Reads and writes OpenVAT's "…-remap_info.json". */
#include "model/openvat.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/json.h"

/* More rows than any texture has. */
enum { MOST_FRAMES = 16384 };

static bool contains(const char *text, size_t size, const char *word) {
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++) {
        if (text[i] == word[0] && memcmp(text + i, word, length) == 0)
            return true;
    }
    return false;
}

bool bwi_openvat_recognise(const char *text, size_t size) {
    return contains(text, size, "\"os-remap\"") && !contains(text, size, "\"bakewell/");
}

/* Turns commas before a closing bracket into blanks; those in strings stay. */
static void blank_trailing_commas(char *text, size_t size) {
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        if (in_string && text[i] == '\\') {
            i++;
        } else if (text[i] == '"') {
            in_string = !in_string;
        } else if (!in_string && text[i] == ',') {
            size_t next = i + 1;
            while (next < size && memchr(" \t\r\n", text[next], 4))
                next++;
            if (next < size && (text[next] == ']' || text[next] == '}'))
                text[i] = ' ';
        }
    }
}

static bw_result fail_key(const char *path, const char *key, const char *expected, bw_error *error) {
    return bwi_fail(error, BW_ERR_MALFORMED, path, -1,
                    "%s is not %s; correct the file, or export it again with OpenVAT", key, expected);
}

static bool read_vec3(float out[3], const json_t *array) {
    if (json_array_size(array) != 3)
        return false;
    for (size_t k = 0; k < 3; k++) {
        const json_t *item = json_array_get(array, k);
        if (!json_is_number(item) || !(fabs(json_number_value(item)) <= (double)FLT_MAX))
            return false;
        out[k] = (float)json_number_value(item);
    }
    return true;
}

/* Whole numbers may be written with a point. */
static bool read_whole(int64_t *out, const json_t *value, double min, double max) {
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= min && number <= max) || number != floor(number))
        return false;
    *out = (int64_t)number;
    return true;
}

static bw_result read_clip(bwi_openvat_clip *clip, bwi_arena *arena, const char *name, const json_t *item,
                           const char *path, bw_error *error) {
    const json_t *rate = json_object_get(item, "framerate");
    const double most = 1e9;
    if (!read_whole(&clip->start_frame, json_object_get(item, "startFrame"), -most, most))
        return fail_key(path, "an animation's startFrame", "a whole number", error);
    if (!read_whole(&clip->end_frame, json_object_get(item, "endFrame"), -most, most))
        return fail_key(path, "an animation's endFrame", "a whole number", error);
    if (!json_is_number(rate) || !(json_number_value(rate) >= 0.0))
        return fail_key(path, "an animation's framerate", "a number from 0", error);
    clip->rate_fps = json_number_value(rate);
    clip->loop = json_is_true(json_object_get(item, "looping"));
    clip->name = bwi_arena_string(arena, name, SIZE_MAX);
    return clip->name ? BW_OK : bwi_fail_memory(error, path, bwi_arena_mem(arena), strlen(name));
}

static bw_result read_info(bwi_openvat_info *info, bwi_arena *arena, json_t *root, const char *path, bw_error *error) {
    const json_t *remap = json_object_get(root, "os-remap");
    json_t *animations = json_object_get(root, "animations");
    int64_t frames = 0;
    if (!read_vec3(info->min, json_object_get(remap, "Min")))
        return fail_key(path, "os-remap.Min", "an array of 3 numbers", error);
    if (!read_vec3(info->max, json_object_get(remap, "Max")))
        return fail_key(path, "os-remap.Max", "an array of 3 numbers", error);
    if (!read_whole(&frames, json_object_get(remap, "Frames"), 1, MOST_FRAMES))
        return fail_key(path, "os-remap.Frames", "a whole number from 1 to 16384", error);
    if (animations && !json_is_object(animations))
        return fail_key(path, "animations", "an object", error);
    info->frame_count = (uint32_t)frames;
    const size_t count = json_object_size(animations);
    info->clips.data = bwi_arena_alloc(arena, count, sizeof *info->clips.data);
    if (!info->clips.data)
        return bwi_fail_memory(error, path, bwi_arena_mem(arena), count * sizeof *info->clips.data);
    const char *name;
    json_t *item;
    json_object_foreach(animations, name, item) {
        bw_result result = read_clip(&info->clips.data[info->clips.count++], arena, name, item, path, error);
        if (result != BW_OK)
            return result;
    }
    return BW_OK;
}

bw_result bwi_openvat_parse(bwi_openvat_info **info, bwi_arena *arena, const char *text, size_t size, const char *path,
                            bw_error *error) {
    bwi_mem *mem = bwi_arena_mem(arena);
    char *strict = bwi_alloc(mem, size, 1);
    bwi_openvat_info *out = bwi_arena_alloc(arena, 1, sizeof *out);
    if (!strict || !out) {
        bwi_free(mem, strict);
        return bwi_fail_memory(error, path, mem, size);
    }
    memcpy(strict, text, size);
    blank_trailing_commas(strict, size);
    json_t *root = NULL;
    bw_result result = bwi_json_parse(&root, strict, size, mem, path, error);
    bwi_free(mem, strict);
    if (result != BW_OK)
        return result;
    result = read_info(out, arena, root, path, error);
    json_decref(root);
    if (result == BW_OK)
        *info = out;
    return result;
}

static void write_vec3(bwi_json_writer *w, const char *key, const float v[3]) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (int k = 0; k < 3; k++)
        bwi_json_float(w, v[k]);
    bwi_json_end_array(w);
}

bw_result bwi_openvat_write(FILE *file, const char *path, const bwi_openvat_info *info, bwi_mem *mem, bw_error *error) {
    bwi_json_writer *w = bwi_json_writer_create(mem, file, 4);
    if (!w)
        return bwi_fail_memory(error, path, mem, 0);
    bwi_json_begin_object(w);
    bwi_json_key(w, "os-remap");
    bwi_json_begin_object(w);
    write_vec3(w, "Min", info->min);
    write_vec3(w, "Max", info->max);
    bwi_json_key_uint(w, "Frames", info->frame_count);
    bwi_json_end_object(w);
    bwi_json_key(w, "animations");
    bwi_json_begin_object(w);
    for (size_t k = 0; k < info->clips.count; k++) {
        const bwi_openvat_clip *clip = &info->clips.data[k];
        bwi_json_key(w, clip->name);
        bwi_json_begin_object(w);
        bwi_json_key_uint(w, "startFrame", (uint64_t)clip->start_frame);
        bwi_json_key_uint(w, "endFrame", (uint64_t)clip->end_frame);
        bwi_json_key_double(w, "framerate", clip->rate_fps);
        bwi_json_key_bool(w, "looping", clip->loop);
        bwi_json_end_object(w);
    }
    bwi_json_end_object(w);
    bwi_json_end_object(w);
    if (!bwi_json_writer_end(w, NULL, NULL) && !ferror(file))
        return bwi_fail_memory(error, path, mem, 0);
    if (ferror(file))
        return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1,
                        "could not be written whole; free some space or choose another folder");
    return BW_OK;
}
