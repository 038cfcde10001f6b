/* SPDX-License-Identifier: MIT
 * Reads and checks a manifest.  Every size in it is a claim: arrays are as long as the JSON text made them, and no
 * count of elements, frames or pages is trusted before it agrees with the rest. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "model/model_priv.h"

enum { LARGEST_SIDE = 16384, UV_SET_END = 64 };

typedef struct reader {
    const char *path;
    bwi_arena *arena;
    bw_error *error;
    bw_result result; /* of the first failure */
} reader;

/* Where a value stands: a chain to the root, made into text only for a message. */
typedef struct place {
    const struct place *up;
    const char *key; /* NULL: `index` of an array */
    size_t index;
} place;

static size_t place_text(char *text, size_t size, const place *at) {
    size_t length = at->up ? place_text(text, size, at->up) : 0;
    int added = at->key ? snprintf(text + length, size - length, "%s%s", length ? "." : "", at->key)
                        : snprintf(text + length, size - length, "[%zu]", at->index);
    size_t sum = length + (size_t)added;
    return sum < size ? sum : size - 1;
}

static void describe(char text[80], const json_t *value) {
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_INTEGER:
        snprintf(text, 80, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        bwi_format_double(text, json_real_value(value));
        break;
    case JSON_STRING: {
        const char *string = json_string_value(value);
        size_t length = strlen(string);
        size_t shown = length < 60 ? length : 60;
        while (shown < length && shown > 0 && ((unsigned char)string[shown] & 0xC0u) == 0x80u)
            shown--;
        snprintf(text, 80, "\"%.*s\"", (int)shown, string);
        break;
    }
    case JSON_OBJECT:
        snprintf(text, 80, "an object");
        break;
    case JSON_ARRAY:
        snprintf(text, 80, "an array of %zu", json_array_size(value));
        break;
    case JSON_TRUE:
        snprintf(text, 80, "true");
        break;
    case JSON_FALSE:
        snprintf(text, 80, "false");
        break;
    case JSON_NULL:
        snprintf(text, 80, "%s", value ? "null" : "missing");
        break;
    }
}

static bool fail_as(reader *r, bw_result result, const place *at, const json_t *value, const char *expected) {
    char where[160], found[80];
    place_text(where, sizeof where, at);
    describe(found, value);
    r->result = bwi_fail(r->error, result, r->path, -1, "%s is %s, expected %s; bake again, or restore the file", where,
                         found, expected);
    return false;
}

static bool fail_value(reader *r, const place *at, const json_t *value, const char *expected) {
    return fail_as(r, BW_ERR_MALFORMED, at, value, expected);
}

static bool fail_memory(reader *r, size_t wanted) {
    r->result = bwi_fail_memory(r->error, r->path, bwi_arena_mem(r->arena), wanted);
    return false;
}

static void *take(reader *r, size_t count, size_t size) {
    void *block = bwi_arena_alloc(r->arena, count, size);
    if (!block)
        fail_memory(r, count * size);
    return block;
}

/* Getters of one key of `object`, which stands at `up`.  Each fails with the key's place. */

static bool get_object(reader *r, const json_t **out, const place *up, const json_t *object, const char *key) {
    *out = json_object_get(object, key);
    return json_is_object(*out) || fail_value(r, &(place){up, key, 0}, *out, "an object");
}

static bool get_array(reader *r, const json_t **out, const place *up, const json_t *object, const char *key) {
    *out = json_object_get(object, key);
    return json_is_array(*out) || fail_value(r, &(place){up, key, 0}, *out, "an array");
}

static bool get_raw_string(reader *r, const char **out, const place *up, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        return fail_value(r, &(place){up, key, 0}, value, "a string");
    *out = json_string_value(value);
    return true;
}

static bool keep_string(reader *r, const char **out, const char *text) {
    const char *copy = bwi_arena_string(r->arena, text, SIZE_MAX);
    if (!copy)
        return fail_memory(r, strlen(text) + 1);
    *out = copy;
    return true;
}

static bool get_string(reader *r, const char **out, const place *up, const json_t *object, const char *key) {
    const char *text = NULL;
    return get_raw_string(r, &text, up, object, key) && keep_string(r, out, text);
}

static bool get_uint64(reader *r, uint64_t *out, const place *up, const json_t *object, const char *key, int64_t min,
                       int64_t max) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < min || json_integer_value(value) > max) {
        char expected[80];
        snprintf(expected, sizeof expected, "a whole number from %lld to %lld", (long long)min, (long long)max);
        return fail_value(r, &(place){up, key, 0}, value, expected);
    }
    *out = (uint64_t)json_integer_value(value);
    return true;
}

static bool get_uint(reader *r, uint32_t *out, const place *up, const json_t *object, const char *key, uint32_t min,
                     uint32_t max) {
    uint64_t wide;
    if (!get_uint64(r, &wide, up, object, key, min, max))
        return false;
    *out = (uint32_t)wide;
    return true;
}

static bool get_real(reader *r, double *out, const place *up, const json_t *object, const char *key, double min) {
    const json_t *value = json_object_get(object, key);
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= min)) {
        char least[40], expected[60];
        bwi_format_double(least, min);
        snprintf(expected, sizeof expected, "a number from %s", least);
        return fail_value(r, &(place){up, key, 0}, value, expected);
    }
    *out = number;
    return true;
}

static bool get_bool(reader *r, bool *out, const place *up, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_boolean(value))
        return fail_value(r, &(place){up, key, 0}, value, "true or false");
    *out = json_is_true(value);
    return true;
}

static bool get_vec3(reader *r, float out[3], const place *up, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    place at = {up, key, 0};
    if (!json_is_array(value) || json_array_size(value) != 3)
        return fail_value(r, &at, value, "an array of 3 numbers");
    for (size_t k = 0; k < 3; k++) {
        const json_t *item = json_array_get(value, k);
        double number = json_number_value(item);
        if (!json_is_number(item) || fabs(number) > (double)FLT_MAX)
            return fail_value(r, &(place){&at, NULL, k}, item, "a number in the range of a 32-bit float");
        out[k] = (float)number;
    }
    return true;
}

/* An object with "min" and "max". */
static bool get_box(reader *r, float min[3], float max[3], const place *up, const json_t *object, const char *key) {
    const json_t *bounds;
    place at = {up, key, 0};
    if (!get_object(r, &bounds, up, object, key) || !get_vec3(r, min, &at, bounds, "min") ||
        !get_vec3(r, max, &at, bounds, "max"))
        return false;
    for (size_t k = 0; k < 3; k++) {
        place min_at = {&at, "min", 0};
        if (min[k] > max[k]) {
            const json_t *item = json_array_get(json_object_get(bounds, "min"), k);
            return fail_value(r, &(place){&min_at, NULL, k}, item, "at most the same entry of max");
        }
    }
    return true;
}

static bool get_bounds(reader *r, float min[3], float max[3], const place *up, const json_t *object) {
    return get_box(r, min, max, up, object, "bounds");
}

static bool get_hash(reader *r, uint8_t hash[16], const place *up, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    if (!text || strlen(text) != 32 || strspn(text, "0123456789abcdef") != 32)
        return fail_value(r, &(place){up, key, 0}, value, "32 lower-case hexadecimal digits");
    for (size_t k = 0; k < 16; k++) {
        unsigned byte;
        sscanf(text + 2 * k, "%2x", &byte);
        hash[k] = (uint8_t)byte;
    }
    return true;
}

/* A file beside the manifest: a name without folders, so that a manifest cannot point anywhere else. */
static bool get_file_name(reader *r, const char **out, const place *up, const json_t *object, const char *key) {
    const char *text = NULL;
    if (!get_raw_string(r, &text, up, object, key))
        return false;
    if (!*text || strpbrk(text, "/\\") || strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
        return fail_value(r, &(place){up, key, 0}, json_object_get(object, key), "a plain file name without folders");
    return keep_string(r, out, text);
}

/* Index of a name in a NULL-terminated list. */
static bool get_name(reader *r, int *out, const place *up, const json_t *object, const char *key,
                     const char *const *names) {
    const char *text = NULL;
    if (!get_raw_string(r, &text, up, object, key))
        return false;
    char expected[120] = "one of";
    for (int k = 0; names[k]; k++) {
        if (strcmp(names[k], text) == 0) {
            *out = k;
            return true;
        }
        size_t length = strlen(expected);
        snprintf(expected + length, sizeof expected - length, "%s %s", k ? "," : "", names[k]);
    }
    return fail_value(r, &(place){up, key, 0}, json_object_get(object, key), expected);
}

static bool keep_name(reader *r, const char **out, const place *up, const json_t *object, const char *key,
                      const char *const *names) {
    int index;
    if (!get_name(r, &index, up, object, key, names))
        return false;
    *out = names[index];
    return true;
}

/* Value of an enum whose names an option row holds; `unknown` is the result for a name that is not there. */
static bool get_choice(reader *r, int *out, const json_t *root, const char *key, bw_result unknown) {
    const char *text = NULL;
    if (!get_raw_string(r, &text, NULL, root, key))
        return false;
    const bw_option *option = bw_option_find(bw_vat_options(), key);
    int value = option ? bwi_choice_value(option, text) : 0;
    if (!value) {
        char expected[160];
        snprintf(expected, sizeof expected, "one of %s", option ? option->choices : "none");
        return fail_as(r, unknown, &(place){NULL, key, 0}, json_object_get(root, key), expected);
    }
    *out = value;
    return true;
}

static bool get_format(reader *r, bw_vat_format *out, const place *up, const json_t *object) {
    const char *text = NULL;
    if (!get_raw_string(r, &text, up, object, "format"))
        return false;
    const bwi_format_info *info = bwi_format_info_named(text);
    if (!info)
        return fail_value(r, &(place){up, "format", 0}, json_object_get(object, "format"),
                          "a texture format such as png16");
    *out = info->format;
    return true;
}

static bool read_file(reader *r, bwi_manifest_file *file, const place *at, const json_t *object, bool plain) {
    return (plain ? get_file_name(r, &file->file, at, object, "file")
                  : get_string(r, &file->file, at, object, "file")) &&
           get_uint64(r, &file->bytes, at, object, "bytes", 0, INT64_MAX) &&
           get_hash(r, file->hash, at, object, "hash");
}

/* Schema, family and mode say whether the rest can be understood at all. */
static bool read_head(reader *r, bwi_manifest *m, const json_t *root) {
    const char *text = NULL;
    if (!get_raw_string(r, &text, NULL, root, "schema"))
        return false;
    if (strcmp(text, BWI_MANIFEST_SCHEMA) != 0) {
        r->result = bwi_fail(r->error, BW_ERR_UNSUPPORTED, r->path, -1,
                             "schema is \"%.60s\", this version reads \"" BWI_MANIFEST_SCHEMA
                             "\"; use the version of Bakewell that made the "
                             "bake, or bake again",
                             text);
        return false;
    }
    if (!get_string(r, &m->generator, NULL, root, "generator") || !get_raw_string(r, &text, NULL, root, "family"))
        return false;
    if (strcmp(text, "vat") != 0)
        return fail_as(r, BW_ERR_UNSUPPORTED, &(place){NULL, "family", 0}, json_object_get(root, "family"), "\"vat\"");
    int mode, layout, engine;
    if (!get_choice(r, &mode, root, "mode", BW_ERR_UNSUPPORTED))
        return false;
    m->mode = (bw_vat_mode)mode;
    if (m->mode == BW_VAT_MODE_AUTO)
        return fail_value(r, &(place){NULL, "mode", 0}, json_object_get(root, "mode"), "what auto chose");
    if (!get_choice(r, &layout, root, "layout", BW_ERR_UNSUPPORTED) ||
        !get_choice(r, &engine, root, "engine", BW_ERR_MALFORMED))
        return false;
    m->layout = (bw_vat_layout)layout;
    if (m->mode != BW_VAT_MODE_VERTEX && m->layout != BW_VAT_LAYOUT_NATIVE)
        return fail_value(r, &(place){NULL, "layout", 0}, json_object_get(root, "layout"),
                          "native, which alone holds bones");
    m->engine = (bw_engine)engine;
    const json_t *space, *options;
    static const place space_at = {NULL, "space", 0};
    static const char *const ups[] = {"y", "z", NULL}, *const hands[] = {"right", "left", NULL},
                             *const units[] = {"m", "cm", NULL};
    if (!get_format(r, &m->format, NULL, root) || !get_object(r, &space, NULL, root, "space") ||
        !keep_name(r, &m->space.up, &space_at, space, "up", ups) ||
        !keep_name(r, &m->space.handedness, &space_at, space, "handedness", hands) ||
        !keep_name(r, &m->space.unit, &space_at, space, "unit", units) ||
        !get_object(r, &options, NULL, root, "options"))
        return false;
    r->result = bwi_manifest_options_read(&m->options, r->arena, options, r->path, r->error);
    return r->result == BW_OK;
}

static bool read_names(reader *r, bwi_manifest_bones *bones, const json_t *names) {
    static const place bones_at = {NULL, "bones", 0}, names_at = {&bones_at, "names", 0};
    if (json_array_size(names) != bones->count)
        return fail_value(r, &names_at, names, "a name for each bone");
    const char **texts = take(r, bones->count, sizeof *texts);
    for (size_t k = 0; texts && k < bones->count; k++) {
        const json_t *name = json_array_get(names, k);
        if (!json_is_string(name))
            return fail_value(r, &(place){&names_at, NULL, k}, name, "a string");
        if (!keep_string(r, &texts[k], json_string_value(name)))
            return false;
    }
    bones->names = texts;
    return texts != NULL;
}

/* What only bone and rigid mode have. */
static bool read_bones(reader *r, bwi_manifest *m, const json_t *root) {
    static const place bones_at = {NULL, "bones", 0}, skin_at = {NULL, "skin", 0};
    static const char *const places[] = {"texture", "mesh", NULL};
    bwi_manifest_bones *bones = &m->bones;
    const json_t *object, *names, *skin;
    if (m->mode == BW_VAT_MODE_VERTEX)
        return true;
    if (!get_object(r, &object, NULL, root, "bones") ||
        !get_uint(r, &bones->count, &bones_at, object, "count", 1, UINT16_MAX) ||
        !get_uint(r, &bones->texel_count, &bones_at, object, "texels", 2, 3) ||
        !get_uint(r, &bones->per_row, &bones_at, object, "per_row", 1, LARGEST_SIDE) ||
        !get_array(r, &names, &bones_at, object, "names") || !read_names(r, bones, names) ||
        !get_box(r, bones->pivot_min, bones->pivot_max, &bones_at, object, "pivots"))
        return false;
    bones->influence_count = 1;
    if (m->mode == BW_VAT_MODE_RIGID)
        return true;
    int in;
    if (!get_object(r, &skin, NULL, root, "skin") || !get_name(r, &in, &skin_at, skin, "in", places) ||
        !get_uint(r, &bones->influence_count, &skin_at, skin, "influences", 4, 8))
        return false;
    if (bones->influence_count % 4)
        return fail_value(r, &(place){&skin_at, "influences", 0}, json_object_get(skin, "influences"), "4 or 8");
    bones->skin_in = in == 0 ? BW_VAT_SKIN_IN_TEXTURE : BW_VAT_SKIN_IN_MESH;
    return true;
}

/* A mesh that has joints and weights itself has no texels to point at. */
static bool read_uv_set(reader *r, bwi_manifest *m, const json_t *root) {
    m->uv_set = BW_NO_INDEX;
    return m->bones.skin_in == BW_VAT_SKIN_IN_MESH || get_uint(r, &m->uv_set, NULL, root, "uv_set", 0, UV_SET_END - 1);
}

static uint32_t blocks_of(uint32_t count, uint32_t size) {
    return count / size + (count % size != 0);
}

/* Rows that bones need. */
static bool check_rows(reader *r, const bwi_manifest *m, const place *frames_at, const json_t *frames) {
    return !m->bones.count || m->rows_per_frame == blocks_of(m->bones.count, m->bones.per_row) ||
           fail_value(r, &(place){frames_at, "rows_per_frame", 0}, json_object_get(frames, "rows_per_frame"),
                      "as many rows as bones.count and bones.per_row make");
}

static bool read_frames(reader *r, bwi_manifest *m, const json_t *root) {
    static const place elements_at = {NULL, "elements", 0}, frames_at = {NULL, "frames", 0};
    static const char *const kinds[] = {"vertex", NULL};
    const json_t *elements, *frames;
    const char *kind;
    bool seed = m->layout == BW_VAT_LAYOUT_SEED;
    return read_uv_set(r, m, root) && get_object(r, &elements, NULL, root, "elements") &&
           keep_name(r, &kind, &elements_at, elements, "kind", kinds) &&
           get_uint(r, &m->element_count, &elements_at, elements, "count", 1, INT32_MAX) &&
           get_hash(r, m->order_hash, &elements_at, elements, "order_hash") &&
           get_object(r, &frames, NULL, root, "frames") &&
           get_uint(r, &m->frame_count, &frames_at, frames, "count", 1, INT32_MAX) &&
           get_uint(r, &m->rows_per_frame, &frames_at, frames, "rows_per_frame", 1, seed ? 1 : LARGEST_SIDE) &&
           check_rows(r, m, &frames_at, frames) &&
           get_uint(r, &m->frames_per_page, &frames_at, frames, "per_page",
                    seed                                 ? 0
                    : m->layout == BW_VAT_LAYOUT_OPENVAT ? m->frame_count
                                                         : 1,
                    seed ? 0 : LARGEST_SIDE);
}

/* Ranges of what the bones' codes stand for. */
static bool read_pivots(reader *r, bwi_manifest_clip *clip, const bwi_manifest *m, const place *at,
                        const json_t *item) {
    if (m->bones.texel_count != 2)
        return true;
    place pivots_at = {at, "pivots", 0};
    double scale = 0.0;
    if (!get_box(r, clip->pivot_min, clip->pivot_max, at, item, "pivots"))
        return false;
    const json_t *pivots = json_object_get(item, "pivots"), *value = json_object_get(pivots, "max_scale");
    scale = json_number_value(value);
    clip->max_scale = scale > 0.0 && scale <= (double)FLT_MAX ? (float)scale : 0.0f;
    return clip->max_scale > 0.0f ||
           fail_value(r, &(place){&pivots_at, "max_scale", 0}, value, "a 32-bit float above 0");
}

/* In: first_frame — where the clip before it ended: clips follow each other without gaps. */
static bool read_clip(reader *r, bwi_manifest_clip *clip, uint32_t first_frame, const bwi_manifest *m, const place *at,
                      const json_t *item) {
    if (!json_is_object(item))
        return fail_value(r, at, item, "an object");
    place source_at = {at, "source", 0}, names_at = {&source_at, "names", 0};
    const json_t *source, *names;
    if (!get_string(r, &clip->name, at, item, "name") ||
        !get_uint(r, &clip->first_frame, at, item, "first_frame", first_frame, first_frame) ||
        !get_uint(r, &clip->frame_count, at, item, "frame_count", 1, m->frame_count - clip->first_frame) ||
        !get_real(r, &clip->rate_fps, at, item, "rate", 0) ||
        !get_real(r, &clip->duration_s, at, item, "duration_s", 0) || !get_bool(r, &clip->loop, at, item, "loop") ||
        !get_bounds(r, clip->bounds_min, clip->bounds_max, at, item) || !read_pivots(r, clip, m, at, item) ||
        !get_object(r, &source, at, item, "source") || !get_array(r, &names, &source_at, source, "names") ||
        !get_real(r, &clip->source_start_s, &source_at, source, "start_s", -DBL_MAX) ||
        !get_real(r, &clip->source_end_s, &source_at, source, "end_s", clip->source_start_s) ||
        !get_bool(r, &clip->closed, &source_at, source, "closed"))
        return false;
    size_t count = json_array_size(names);
    const char **texts = take(r, count, sizeof *texts);
    if (!texts)
        return false;
    for (size_t k = 0; k < count; k++) {
        const json_t *name = json_array_get(names, k);
        if (!json_is_string(name))
            return fail_value(r, &(place){&names_at, NULL, k}, name, "a string");
        if (!keep_string(r, &texts[k], json_string_value(name)))
            return false;
    }
    clip->source_names = (bw_string_list){texts, count};
    return true;
}

/* Out: by_name — object: name of a clip to its index. */
static bool read_clips(reader *r, bwi_manifest *m, const json_t *root, json_t *by_name) {
    static const place clips_at = {NULL, "clips", 0};
    const json_t *clips;
    if (!get_array(r, &clips, NULL, root, "clips"))
        return false;
    size_t count = json_array_size(clips);
    if (!count)
        return fail_value(r, &clips_at, clips, "at least one clip");
    m->clips.data = take(r, count, sizeof *m->clips.data);
    if (!m->clips.data)
        return false;
    m->clips.count = count;
    uint32_t next = 0;
    for (size_t k = 0; k < count; k++) {
        place at = {&clips_at, NULL, k}, name_at = {&at, "name", 0};
        const json_t *item = json_array_get(clips, k);
        if (next == m->frame_count)
            return fail_value(r, &clips_at, clips, "no clip after the last frame");
        if (!read_clip(r, &m->clips.data[k], next, m, &at, item))
            return false;
        next += m->clips.data[k].frame_count;
        const char *name = m->clips.data[k].name;
        if (json_object_get(by_name, name))
            return fail_value(r, &name_at, json_object_get(item, "name"), "a name that no other clip has");
        if (json_object_set_new(by_name, name, json_integer((json_int_t)k)) != 0)
            return fail_memory(r, strlen(name));
        r->result = bwi_manifest_tracks_read(&m->clips.data[k], r->arena, item, k, r->path, r->error);
        if (r->result != BW_OK)
            return false;
    }
    if (next != m->frame_count)
        return fail_value(r, &clips_at, clips, "clips that hold every frame of frames.count");
    return get_bounds(r, m->bounds_min, m->bounds_max, NULL, root);
}

/* Index of the clip that `key` names. */
static bool get_clip(reader *r, uint32_t *out, const place *up, const json_t *object, const char *key,
                     const json_t *by_name) {
    const char *name = NULL;
    if (!get_raw_string(r, &name, up, object, key))
        return false;
    const json_t *index = json_object_get(by_name, name);
    if (!index)
        return fail_value(r, &(place){up, key, 0}, json_object_get(object, key), "the name of a clip of the manifest");
    *out = (uint32_t)json_integer_value(index);
    return true;
}

static bwi_texture_role role_of(bwi_texture_decode decode) {
    switch (decode) {
    case BWI_DECODE_BOUNDS:
    case BWI_DECODE_BOUNDS_OCT8:
    case BWI_DECODE_ABSOLUTE:
    case BWI_DECODE_OFFSET:
    case BWI_DECODE_OFFSET_NORMAL:
        return BWI_ROLE_POSITION;
    case BWI_DECODE_OCT:
    case BWI_DECODE_OCT_OCT:
    case BWI_DECODE_NORMAL:
        return BWI_ROLE_NORMAL;
    case BWI_DECODE_BONE_QUATERNION:
    case BWI_DECODE_BONE_MATRIX:
        return BWI_ROLE_BONES;
    case BWI_DECODE_WEIGHTS:
        return BWI_ROLE_WEIGHTS;
    }
    return BWI_ROLE_POSITION;
}

static bool read_texture(reader *r, bwi_manifest_texture *texture, const place *at, const json_t *item) {
    int role, decode;
    if (!json_is_object(item))
        return fail_value(r, at, item, "an object");
    if (!get_file_name(r, &texture->file, at, item, "file") ||
        !get_name(r, &role, at, item, "role", bwi_texture_role_names) ||
        !get_uint(r, &texture->page, at, item, "page", 0, INT32_MAX) ||
        !get_uint(r, &texture->width, at, item, "width", 1, LARGEST_SIDE) ||
        !get_uint(r, &texture->height, at, item, "height", 1, LARGEST_SIDE) ||
        !get_format(r, &texture->format, at, item) ||
        !get_name(r, &decode, at, item, "decode", bwi_texture_decode_names) ||
        !get_uint64(r, &texture->bytes, at, item, "bytes", 0, INT64_MAX) ||
        !get_hash(r, texture->hash, at, item, "hash"))
        return false;
    texture->role = (bwi_texture_role)role;
    texture->decode = (bwi_texture_decode)decode;
    if (role_of(texture->decode) != texture->role)
        return fail_value(r, &(place){at, "decode", 0}, json_object_get(item, "decode"), "one that fits the role");
    return true;
}

/* Pages of frames, or with the seed layout one page a clip. */
static uint64_t page_count(const bwi_manifest *m) {
    if (m->layout == BW_VAT_LAYOUT_SEED)
        return m->clips.count;
    uint64_t frames = m->frame_count, per_page = m->frames_per_page;
    if (frames <= per_page)
        return 1;
    return per_page < 2 ? UINT64_MAX : (frames - 1 + per_page - 2) / (per_page - 1);
}

/* Each page has one position texture, and either each or none has one of normals; every frame's rows lie inside. */
static bool check_positions(reader *r, const bwi_manifest *m, const json_t *textures) {
    static const place textures_at = {NULL, "textures", 0};
    uint64_t pages = page_count(m), count = m->textures.count;
    if (count != pages && count != 2 * pages) {
        char expected[120];
        snprintf(expected, sizeof expected, "%llu pages of positions, with or without as many of normals",
                 (unsigned long long)pages);
        return fail_value(r, &textures_at, textures, expected);
    }
    uint8_t *seen = take(r, (size_t)count, sizeof *seen);
    if (!seen)
        return false;
    for (size_t k = 0; k < count; k++) {
        const bwi_manifest_texture *texture = &m->textures.data[k];
        const json_t *item = json_array_get(textures, k);
        place at = {&textures_at, NULL, k};
        if (texture->role != BWI_ROLE_POSITION && texture->role != BWI_ROLE_NORMAL)
            return fail_value(r, &(place){&at, "role", 0}, json_object_get(item, "role"), "position or normal");
        uint64_t slot = texture->page + (texture->role == BWI_ROLE_NORMAL ? pages : 0);
        if (texture->page >= pages || slot >= count || seen[slot]++)
            return fail_value(r, &(place){&at, "page", 0}, json_object_get(item, "page"),
                              "each page once for each role");
        uint64_t frames = m->frame_count;
        if (m->layout == BW_VAT_LAYOUT_SEED)
            frames = m->clips.data[texture->page].frame_count;
        else if (frames > m->frames_per_page)
            frames = m->frames_per_page;
        if ((uint64_t)texture->width * m->rows_per_frame < m->element_count)
            return fail_value(r, &(place){&at, "width", 0}, json_object_get(item, "width"),
                              "room for every element of a frame");
        if (texture->height < frames * m->rows_per_frame)
            return fail_value(r, &(place){&at, "height", 0}, json_object_get(item, "height"),
                              "room for every frame of the page");
        if (texture->width != m->textures.data[0].width)
            return fail_value(r, &(place){&at, "width", 0}, json_object_get(item, "width"),
                              "the width of every other texture");
    }
    return true;
}

/* Whether texels of a format can hold bones: codes of 16 bits or floats, matrices in 32 bits. */
static bool holds_bones(const bwi_manifest_texture *texture, const bwi_manifest_bones *bones) {
    const bwi_texel_type type = bwi_format_info_of(texture->format)->type;
    if (bones->texel_count == 3)
        return texture->decode == BWI_DECODE_BONE_MATRIX && type == BWI_TEXEL_F32;
    return texture->decode == BWI_DECODE_BONE_QUATERNION && (type == BWI_TEXEL_U16 || bwi_texel_is_float(type));
}

static bool check_bone_page(reader *r, const bwi_manifest *m, const bwi_manifest_texture *texture, const place *at,
                            const json_t *item) {
    const bwi_manifest_bones *bones = &m->bones;
    const uint64_t frames = m->frame_count < m->frames_per_page ? m->frame_count : m->frames_per_page;
    const uint32_t fit = texture->width / bones->texel_count;
    if (!holds_bones(texture, bones))
        return fail_value(r, &(place){at, "decode", 0}, json_object_get(item, "decode"),
                          "what bones.texels says, in a format that can hold it");
    if (texture->format != m->format)
        return fail_value(r, &(place){at, "format", 0}, json_object_get(item, "format"), "the format of the bake");
    /* Powers of two may be wider than their bones. */
    if (fit != bones->per_row || (!m->options.pow2 && texture->width % bones->texel_count))
        return fail_value(r, &(place){at, "width", 0}, json_object_get(item, "width"), "bones.texels × bones.per_row");
    if (texture->height < (frames + 1) * m->rows_per_frame)
        return fail_value(r, &(place){at, "height", 0}, json_object_get(item, "height"),
                          "room for the reference block and every frame of the page");
    return true;
}

static bool check_weights(reader *r, const bwi_manifest *m, const bwi_manifest_texture *texture, const place *at,
                          const json_t *item) {
    const bwi_texel_type type = bwi_format_info_of(texture->format)->type;
    const uint64_t rows = blocks_of(m->element_count, texture->width), blocks = m->bones.influence_count / 2;
    if (type != BWI_TEXEL_U16 && type != BWI_TEXEL_F32)
        return fail_value(r, &(place){at, "format", 0}, json_object_get(item, "format"),
                          "one of 16-bit codes or 32-bit floats");
    if (texture->height < blocks * rows || texture->height % blocks)
        return fail_value(r, &(place){at, "height", 0}, json_object_get(item, "height"),
                          "blocks of equal height with room for the bones and weights of every vertex");
    return true;
}

/* Each page has one bone texture; one texture has the weights, where the mesh has not. */
static bool check_bones(reader *r, const bwi_manifest *m, const json_t *textures) {
    static const place textures_at = {NULL, "textures", 0};
    const bool weights = m->bones.skin_in == BW_VAT_SKIN_IN_TEXTURE;
    const uint64_t pages = page_count(m), count = m->textures.count;
    if (pages > count || count != pages + (weights ? 1 : 0)) {
        char expected[120];
        snprintf(expected, sizeof expected, "%llu pages of bones%s", (unsigned long long)pages,
                 weights ? ", and a texture of weights" : "");
        return fail_value(r, &textures_at, textures, expected);
    }
    uint8_t *seen = take(r, (size_t)count, sizeof *seen);
    if (!seen)
        return false;
    for (size_t k = 0; k < count; k++) {
        const bwi_manifest_texture *texture = &m->textures.data[k];
        const json_t *item = json_array_get(textures, k);
        const place at = {&textures_at, NULL, k};
        const bool bones = texture->role == BWI_ROLE_BONES;
        if (!bones && !(weights && texture->role == BWI_ROLE_WEIGHTS))
            return fail_value(r, &(place){&at, "role", 0}, json_object_get(item, "role"),
                              weights ? "bones or weights" : "bones");
        if (texture->page >= (bones ? pages : 1) || seen[bones ? texture->page : pages]++)
            return fail_value(r, &(place){&at, "page", 0}, json_object_get(item, "page"),
                              "each page of bones once, weights as page 0");
        if (!(bones ? check_bone_page : check_weights)(r, m, texture, &at, item))
            return false;
    }
    return true;
}

static bool read_textures(reader *r, bwi_manifest *m, const json_t *root) {
    static const place textures_at = {NULL, "textures", 0};
    const json_t *textures;
    if (!get_array(r, &textures, NULL, root, "textures"))
        return false;
    size_t count = json_array_size(textures);
    m->textures.data = take(r, count, sizeof *m->textures.data);
    if (!m->textures.data)
        return false;
    m->textures.count = count;
    for (size_t k = 0; k < count; k++) {
        if (!read_texture(r, &m->textures.data[k], &(place){&textures_at, NULL, k}, json_array_get(textures, k)))
            return false;
    }
    return (m->bones.count ? check_bones : check_positions)(r, m, textures);
}

/* In: vertex_count — of the mesh that was measured. */
static bool read_stats(reader *r, bw_error_stats *stats, const bwi_manifest *m, uint32_t vertex_count, const place *up,
                       const json_t *object, const char *key, const json_t *by_name) {
    const json_t *section = json_object_get(object, key), *worst;
    if (json_is_null(section))
        return true;
    place at = {up, key, 0}, worst_at = {&at, "worst", 0};
    uint32_t clip = 0;
    if (!get_object(r, &section, up, object, key) ||
        !get_uint64(r, &stats->count, &at, section, "count", 1, INT64_MAX) ||
        !get_real(r, &stats->max, &at, section, "max", 0) || !get_real(r, &stats->p99, &at, section, "p99", 0) ||
        !get_real(r, &stats->rms, &at, section, "rms", 0) ||
        !get_real(r, &stats->max_relative, &at, section, "max_relative", 0) ||
        !get_real(r, &stats->normal_deg, &at, section, "normal_deg", 0) ||
        !get_object(r, &worst, &at, section, "worst") || !get_clip(r, &clip, &worst_at, worst, "clip", by_name) ||
        !get_real(r, &stats->worst.time_s, &worst_at, worst, "time_s", -DBL_MAX) ||
        !get_uint(r, &stats->worst.frame, &worst_at, worst, "frame", 0, m->clips.data[clip].frame_count - 1) ||
        !get_uint(r, &stats->worst.vertex, &worst_at, worst, "vertex", 0, vertex_count - 1) ||
        !get_string(r, &stats->worst.part, &worst_at, worst, "part"))
        return false;
    stats->worst.clip = m->clips.data[clip].name;
    return true;
}

static bool read_error(reader *r, bwi_manifest *m, const json_t *root, const json_t *by_name) {
    static const place at = {NULL, "error", 0};
    static const char *const units[] = {"m", NULL};
    const json_t *object = json_object_get(root, "error");
    if (json_is_null(object))
        return true;
    int unit;
    m->has_error = true;
    return get_object(r, &object, NULL, root, "error") && get_name(r, &unit, &at, object, "unit", units) &&
           read_stats(r, &m->error.stored, m, m->element_count, &at, object, "stored", by_name) &&
           read_stats(r, &m->error.between, m, m->element_count, &at, object, "between", by_name) &&
           read_stats(r, &m->error.between_step, m, m->element_count, &at, object, "between_step", by_name);
}

static bool read_level_error(reader *r, bwi_manifest_level *level, const bwi_manifest *m, const place *up,
                             const json_t *item, const json_t *by_name) {
    static const char *const units[] = {"m", NULL};
    const json_t *object = json_object_get(item, "error"), *rest;
    if (json_is_null(object))
        return true;
    place at = {up, "error", 0}, rest_at = {&at, "rest", 0};
    int unit;
    level->has_error = true;
    return get_object(r, &object, up, item, "error") && get_name(r, &unit, &at, object, "unit", units) &&
           get_object(r, &rest, &at, object, "rest") && get_real(r, &level->rest_max, &rest_at, rest, "max", 0) &&
           get_real(r, &level->rest_rms, &rest_at, rest, "rms", 0) &&
           read_stats(r, &level->frames, m, level->vertex_count, &at, object, "frames", by_name);
}

/* Bakes without levels have no such key. */
static bool read_levels(reader *r, bwi_manifest *m, const json_t *root, const json_t *by_name) {
    static const place levels_at = {NULL, "lods", 0};
    const json_t *levels;
    if (!json_object_get(root, "lods"))
        return true;
    if (!get_array(r, &levels, NULL, root, "lods"))
        return false;
    size_t count = json_array_size(levels);
    m->levels.data = take(r, count, sizeof *m->levels.data);
    if (!m->levels.data)
        return false;
    m->levels.count = count;
    for (size_t k = 0; k < count; k++) {
        bwi_manifest_level *level = &m->levels.data[k];
        place at = {&levels_at, NULL, k};
        const json_t *item = json_array_get(levels, k);
        if (!json_is_object(item))
            return fail_value(r, &at, item, "an object");
        if (!read_file(r, &level->mesh, &at, item, true) ||
            !get_uint(r, &level->vertex_count, &at, item, "vertex_count", 1, INT32_MAX) ||
            !get_hash(r, level->order_hash, &at, item, "order_hash") ||
            !read_level_error(r, level, m, &at, item, by_name))
            return false;
    }
    return true;
}

static bool read_probes(reader *r, bwi_manifest *m, const json_t *root, const json_t *by_name) {
    static const place probes_at = {NULL, "probes", 0};
    const json_t *probes;
    if (!get_array(r, &probes, NULL, root, "probes"))
        return false;
    size_t count = json_array_size(probes);
    m->probes.data = take(r, count, sizeof *m->probes.data);
    if (!m->probes.data)
        return false;
    m->probes.count = count;
    for (size_t k = 0; k < count; k++) {
        bwi_probe *probe = &m->probes.data[k];
        place at = {&probes_at, NULL, k};
        const json_t *item = json_array_get(probes, k);
        if (!json_is_object(item))
            return fail_value(r, &at, item, "an object");
        if (!get_uint(r, &probe->element, &at, item, "element", 0, m->element_count - 1) ||
            !get_clip(r, &probe->clip, &at, item, "clip", by_name) ||
            !get_uint(r, &probe->frame, &at, item, "frame", 0, m->clips.data[probe->clip].frame_count - 1) ||
            !get_vec3(r, probe->position, &at, item, "position"))
            return false;
    }
    return true;
}

static bool read_source(reader *r, bwi_manifest *m, const json_t *root) {
    static const place source_at = {NULL, "source", 0}, files_at = {&source_at, "files", 0};
    const json_t *source, *files;
    if (!get_object(r, &source, NULL, root, "source") || !get_array(r, &files, &source_at, source, "files"))
        return false;
    size_t count = json_array_size(files) + 1;
    m->source.data = take(r, count, sizeof *m->source.data);
    if (!m->source.data)
        return false;
    m->source.count = count;
    if (!read_file(r, &m->source.data[0], &source_at, source, true))
        return false;
    for (size_t k = 1; k < count; k++) {
        place at = {&files_at, NULL, k - 1};
        const json_t *item = json_array_get(files, k - 1);
        if (!json_is_object(item))
            return fail_value(r, &at, item, "an object");
        if (!read_file(r, &m->source.data[k], &at, item, false))
            return false;
    }
    return true;
}

/* What only OpenVAT's layout has. */
static bool read_openvat(reader *r, bwi_manifest *m, const json_t *root) {
    static const place openvat_at = {NULL, "openvat", 0}, info_at = {&openvat_at, "remap_info", 0};
    const json_t *openvat, *info;
    return m->layout != BW_VAT_LAYOUT_OPENVAT || (get_object(r, &openvat, NULL, root, "openvat") &&
                                                  get_bounds(r, m->offset_min, m->offset_max, &openvat_at, openvat) &&
                                                  get_object(r, &info, &openvat_at, openvat, "remap_info") &&
                                                  read_file(r, &m->remap_info, &info_at, info, true));
}

static bool read_mesh(reader *r, bwi_manifest *m, const json_t *root) {
    static const place mesh_at = {NULL, "mesh", 0};
    const json_t *mesh;
    return get_object(r, &mesh, NULL, root, "mesh") && read_file(r, &m->mesh, &mesh_at, mesh, true);
}

/* JSON errors would mislead where another file than a manifest was named: a scene, a texture. */
static bool begins_object(const char *text, size_t size) {
    size_t i = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < size && strchr(" \t\r\n", text[i]) && text[i])
        i++;
    return i < size && text[i] == '{';
}

bw_result bwi_manifest_parse(bwi_manifest **manifest, bwi_arena *arena, const char *text, size_t size, const char *path,
                             bw_error *error) {
    if (!begins_object(text, size))
        return bwi_fail(error, BW_ERR_MALFORMED, path, -1,
                        "holds no JSON object, so it is no manifest; name the .json file of a bake");
    json_t *root;
    bw_result result = bwi_json_parse(&root, text, size, bwi_arena_mem(arena), path, error);
    if (result != BW_OK)
        return result;
    reader r = {path, arena, error, BW_OK};
    json_t *by_name = json_object();
    bwi_manifest *m = take(&r, 1, sizeof *m);
    if (!by_name)
        fail_memory(&r, sizeof(json_t));
    else if (m && read_head(&r, m, root) && read_mesh(&r, m, root) && read_bones(&r, m, root) &&
             read_frames(&r, m, root) && read_clips(&r, m, root, by_name) && read_textures(&r, m, root) &&
             read_error(&r, m, root, by_name) && read_levels(&r, m, root, by_name) &&
             read_probes(&r, m, root, by_name) && read_source(&r, m, root) && read_openvat(&r, m, root))
        *manifest = m;
    json_decref(by_name);
    json_decref(root);
    return r.result;
}

bool bwi_manifest_recognise(const void *data, size_t size) {
    static const char schema[] = "\"bakewell/bake/"; /* the first key's value */
    const size_t length = sizeof(schema) - 1, beginning = 256;
    for (size_t i = 0; i < beginning && i + length <= size; ++i)
        if (memcmp((const char *)data + i, schema, length) == 0)
            return true;
    return false;
}

bw_result bwi_manifest_read(bwi_manifest **manifest, bwi_arena *arena, const char *path, bw_error *error) {
    bwi_map map;
    bw_result result = bwi_map_open(&map, path, bwi_arena_mem(arena), error);
    if (result != BW_OK)
        return result;
    result = bwi_manifest_parse(manifest, arena, (const char *)map.data, map.size, path, error);
    bwi_map_close(&map);
    return result;
}
