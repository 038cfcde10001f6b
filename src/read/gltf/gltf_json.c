/* SPDX-License-Identifier: MIT
 * Places in messages, and typed access to the file's JSON: what is absent, what has the wrong type, what points past its list. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "read/gltf/gltf_priv.h"

/* Room for the deepest place (five levels) with names cut to SHOWN_NAME bytes. */
enum { PLACE_SIZE = 400, SHOWN_NAME = 48 };

/* Largest whole number that a double holds exactly; JSON numbers beyond it are no sizes or indices. */
#define LARGEST_WHOLE ((uint64_t)1 << 53)

static size_t shown_length(const char *name) {
    size_t length = strlen(name);
    if (length <= SHOWN_NAME) {
        return length;
    }
    length = SHOWN_NAME;
    while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80) {
        length--;
    }
    return length;
}

static size_t write_place(char *text, size_t size, const bwi_gltf_place *place) {
    if (!place) {
        text[0] = 0;
        return 0;
    }
    size_t used = write_place(text, size, place->outer);
    int length;
    const char *comma = used ? ", " : "";
    if (place->index == BW_NO_INDEX) {
        length = snprintf(text + used, size - used, "%s%s", comma, place->noun);
    } else if (place->name && place->name[0]) {
        length = snprintf(text + used, size - used, "%s%s %u (%.*s)", comma, place->noun, place->index,
                          (int)shown_length(place->name), place->name);
    } else {
        length = snprintf(text + used, size - used, "%s%s %u", comma, place->noun, place->index);
    }
    used += length > 0 ? (size_t)length : 0;
    return used < size ? used : size - 1;
}

static bw_result fail_list(bwi_gltf *g, bw_result result, const bwi_gltf_place *place, const char *next_step,
                           const char *format, va_list args) {
    char where[PLACE_SIZE];
    char text[sizeof(g->error->message)];
    write_place(where, sizeof(where), place);
    vsnprintf(text, sizeof(text), format, args);
    return bwi_fail(g->error, result, g->path, -1, "%s%s%s%s", where, where[0] ? ": " : "", text, next_step);
}

bw_result bwi_gltf_fail(bwi_gltf *g, bw_result result, const bwi_gltf_place *place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail_list(g, result, place, "", format, args);
    va_end(args);
    return result;
}

bw_result bwi_gltf_malformed(bwi_gltf *g, const bwi_gltf_place *place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail_list(g, BW_ERR_MALFORMED, place, "; export the file again", format, args);
    va_end(args);
    return BW_ERR_MALFORMED;
}

void bwi_gltf_warn(bwi_gltf *g, const char *code, uint64_t count, const bwi_gltf_place *place, const char *message) {
    char where[PLACE_SIZE];
    write_place(where, sizeof(where), place);
    bwi_warn(&g->warnings, code, count, message, "%s", where);
}

void *bwi_gltf_alloc(bwi_gltf *g, bwi_arena *arena, size_t count, size_t size) {
    void *block = bwi_arena_alloc(arena, count, size);
    if (!block) {
        size_t wanted;
        bwi_fail_memory(g->error, g->path, g->mem, bwi_mul_size(&wanted, count, size) ? wanted : SIZE_MAX);
    }
    return block;
}

bw_result bwi_gltf_copy_name(bwi_gltf *g, const char **out, const char *text, const char *noun, uint32_t index) {
    char *name =
        text && text[0] ? bwi_arena_string(g->arena, text, SIZE_MAX) : bwi_arena_printf(g->arena, "%s %u", noun, index);
    if (!name) {
        return bwi_fail_memory(g->error, g->path, g->mem, text ? strlen(text) + 1 : 32);
    }
    *out = name;
    return BW_OK;
}

/* What a value is, for "found …": numbers are written out. */
static const char *describe(char buffer[48], const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "text";
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    case JSON_NULL:
        return "null";
    case JSON_INTEGER:
        snprintf(buffer, 48, "%lld", (long long)json_integer_value(value));
        return buffer;
    case JSON_REAL:
        snprintf(buffer, 48, "%.9g", json_real_value(value));
        return buffer;
    }
    return "something else";
}

static bw_result fail_type(bwi_gltf *g, const bwi_gltf_place *place, const char *key, const json_t *value,
                           const char *expected) {
    char buffer[48];
    return bwi_gltf_malformed(g, place, "\"%s\" is %s, expected %s", key, describe(buffer, value), expected);
}

bw_result bwi_gltf_get_array(bwi_gltf *g, json_t **out, const bwi_gltf_place *place, const json_t *object,
                             const char *key) {
    json_t *value = json_object_get(object, key);
    if (value && !json_is_array(value)) {
        return fail_type(g, place, key, value, "a list");
    }
    *out = value;
    return BW_OK;
}

bw_result bwi_gltf_get_object(bwi_gltf *g, json_t **out, const bwi_gltf_place *place, const json_t *object,
                              const char *key) {
    json_t *value = json_object_get(object, key);
    if (value && !json_is_object(value)) {
        return fail_type(g, place, key, value, "an object");
    }
    *out = value;
    return BW_OK;
}

bw_result bwi_gltf_get_string(bwi_gltf *g, const char **out, const bwi_gltf_place *place, const json_t *object,
                              const char *key) {
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_string(value)) {
        return fail_type(g, place, key, value, "text");
    }
    *out = value ? json_string_value(value) : NULL;
    return BW_OK;
}

bw_result bwi_gltf_get_bool(bwi_gltf *g, bool *out, const bwi_gltf_place *place, const json_t *object,
                            const char *key) {
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_boolean(value)) {
        return fail_type(g, place, key, value, "true or false");
    }
    *out = json_is_true(value);
    return BW_OK;
}

/* Whole numbers written with a fraction of zero ("1.0") are numbers too: glTF asks readers to take them. */
static bool whole_number(uint64_t *out, const json_t *value) {
    if (json_is_integer(value)) {
        json_int_t number = json_integer_value(value);
        if (number < 0 || (uint64_t)number > LARGEST_WHOLE) {
            return false;
        }
        *out = (uint64_t)number;
        return true;
    }
    if (json_is_real(value)) {
        double number = json_real_value(value);
        if (!(number >= 0.0 && number <= (double)LARGEST_WHOLE) || floor(number) != number) {
            return false;
        }
        *out = (uint64_t)number;
        return true;
    }
    return false;
}

bw_result bwi_gltf_get_uint(bwi_gltf *g, uint64_t *out, const bwi_gltf_place *place, const json_t *object,
                            const char *key, uint64_t fallback) {
    const json_t *value = json_object_get(object, key);
    if (!value) {
        if (fallback == BWI_GLTF_REQUIRED) {
            return bwi_gltf_malformed(g, place, "\"%s\" is missing, expected a whole number", key);
        }
        *out = fallback;
        return BW_OK;
    }
    if (!whole_number(out, value)) {
        return fail_type(g, place, key, value, "a whole number from 0 to 2^53");
    }
    return BW_OK;
}

static bw_result read_index(bwi_gltf *g, uint32_t *out, const bwi_gltf_place *place, const json_t *value,
                            const char *key, const json_t *array) {
    uint64_t number;
    size_t count = json_array_size(array);
    if (!whole_number(&number, value)) {
        return fail_type(g, place, key, value, "an index");
    }
    if (number >= count || number >= BW_NO_INDEX) {
        return bwi_gltf_malformed(g, place, "\"%s\" is %llu, expected an index below %zu", key,
                                  (unsigned long long)number, count);
    }
    *out = (uint32_t)number;
    return BW_OK;
}

bw_result bwi_gltf_get_index(bwi_gltf *g, uint32_t *out, const bwi_gltf_place *place, const json_t *object,
                             const char *key, const json_t *array) {
    const json_t *value = json_object_get(object, key);
    if (!value) {
        *out = BW_NO_INDEX;
        return BW_OK;
    }
    return read_index(g, out, place, value, key, array);
}

bw_result bwi_gltf_index_at(bwi_gltf *g, uint32_t *out, const bwi_gltf_place *place, const json_t *list,
                            size_t position, const char *key, const json_t *array) {
    return read_index(g, out, place, json_array_get(list, position), key, array);
}

static bw_result read_floats(bwi_gltf *g, float *out, const bwi_gltf_place *place, const json_t *list,
                             const char *key) {
    size_t i;
    const json_t *value;
    json_array_foreach(list, i, value) {
        if (!json_is_number(value)) {
            return fail_type(g, place, key, value, "numbers");
        }
        float number = (float)json_number_value(value);
        if (!isfinite(number)) {
            return fail_type(g, place, key, value, "numbers in the range of 32-bit floats");
        }
        out[i] = number;
    }
    return BW_OK;
}

bw_result bwi_gltf_get_floats(bwi_gltf *g, float *out, size_t count, bool *found, const bwi_gltf_place *place,
                              const json_t *object, const char *key) {
    json_t *list = NULL;
    BWI_GLTF_TRY(bwi_gltf_get_array(g, &list, place, object, key));
    *found = list != NULL;
    if (!list) {
        return BW_OK;
    }
    if (json_array_size(list) != count) {
        return bwi_gltf_malformed(g, place, "\"%s\" holds %zu numbers, expected %zu", key, json_array_size(list),
                                  count);
    }
    return read_floats(g, out, place, list, key);
}

bw_result bwi_gltf_get_float_list(bwi_gltf *g, bw_float_list *out, const bwi_gltf_place *place, const json_t *object,
                                  const char *key) {
    json_t *list = NULL;
    BWI_GLTF_TRY(bwi_gltf_get_array(g, &list, place, object, key));
    size_t count = json_array_size(list);
    if (count == 0) {
        *out = (bw_float_list){NULL, 0};
        return BW_OK;
    }
    float *values = bwi_gltf_alloc(g, g->arena, count, sizeof(float));
    if (!values) {
        return BW_ERR_MEMORY;
    }
    BWI_GLTF_TRY(read_floats(g, values, place, list, key));
    *out = (bw_float_list){values, count};
    return BW_OK;
}

json_t *bwi_gltf_extension(const json_t *object, const char *name) {
    json_t *extension = json_object_get(json_object_get(object, "extensions"), name);
    return json_is_object(extension) ? extension : NULL;
}

const char *bwi_gltf_name(const json_t *object) {
    return json_string_value(json_object_get(object, "name"));
}

bwi_gltf_place bwi_gltf_place_of(const bwi_gltf_place *outer, const char *noun, uint32_t index, const json_t *object) {
    return (bwi_gltf_place){outer, noun, index, bwi_gltf_name(object)};
}
