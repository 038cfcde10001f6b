/* SPDX-License-Identifier: MIT
 * Values of a manifest, each checked for its type and range; a failure names the key and what was expected. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model_priv.h"

static size_t place_text(char *text, size_t size, const bwi_place *at) {
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

bool bwi_refuse_as(bwi_reader *r, bw_result result, const bwi_place *at, const json_t *value, const char *expected) {
    char where[160], found[80];
    place_text(where, sizeof where, at);
    describe(found, value);
    r->result = bwi_fail(r->error, result, r->path, -1, "%s is %s, expected %s; bake again, or restore the file", where,
                         found, expected);
    return false;
}

bool bwi_refuse(bwi_reader *r, const bwi_place *at, const json_t *value, const char *expected) {
    return bwi_refuse_as(r, BW_ERR_MALFORMED, at, value, expected);
}

bool bwi_refuse_memory(bwi_reader *r, size_t wanted) {
    r->result = bwi_fail_memory(r->error, r->path, bwi_arena_mem(r->arena), wanted);
    return false;
}

void *bwi_take(bwi_reader *r, size_t count, size_t size) {
    void *block = bwi_arena_alloc(r->arena, count, size);
    if (!block)
        bwi_refuse_memory(r, count * size);
    return block;
}

bool bwi_get_object(bwi_reader *r, const json_t **out, const bwi_place *up, const json_t *object, const char *key) {
    *out = json_object_get(object, key);
    return json_is_object(*out) || bwi_refuse(r, &(bwi_place){up, key, 0}, *out, "an object");
}

bool bwi_get_array(bwi_reader *r, const json_t **out, const bwi_place *up, const json_t *object, const char *key) {
    *out = json_object_get(object, key);
    return json_is_array(*out) || bwi_refuse(r, &(bwi_place){up, key, 0}, *out, "an array");
}

bool bwi_get_raw_string(bwi_reader *r, const char **out, const bwi_place *up, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        return bwi_refuse(r, &(bwi_place){up, key, 0}, value, "a string");
    *out = json_string_value(value);
    return true;
}

bool bwi_keep_string(bwi_reader *r, const char **out, const char *text) {
    const char *copy = bwi_arena_string(r->arena, text, SIZE_MAX);
    if (!copy)
        return bwi_refuse_memory(r, strlen(text) + 1);
    *out = copy;
    return true;
}

bool bwi_get_string(bwi_reader *r, const char **out, const bwi_place *up, const json_t *object, const char *key) {
    const char *text = NULL;
    return bwi_get_raw_string(r, &text, up, object, key) && bwi_keep_string(r, out, text);
}

bool bwi_get_uint64(bwi_reader *r, uint64_t *out, const bwi_place *up, const json_t *object, const char *key,
                    int64_t min, int64_t max) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < min || json_integer_value(value) > max) {
        char expected[80];
        snprintf(expected, sizeof expected, "a whole number from %lld to %lld", (long long)min, (long long)max);
        return bwi_refuse(r, &(bwi_place){up, key, 0}, value, expected);
    }
    *out = (uint64_t)json_integer_value(value);
    return true;
}

bool bwi_get_uint(bwi_reader *r, uint32_t *out, const bwi_place *up, const json_t *object, const char *key,
                  uint32_t min, uint32_t max) {
    uint64_t wide;
    if (!bwi_get_uint64(r, &wide, up, object, key, min, max))
        return false;
    *out = (uint32_t)wide;
    return true;
}

bool bwi_get_real(bwi_reader *r, double *out, const bwi_place *up, const json_t *object, const char *key, double min) {
    const json_t *value = json_object_get(object, key);
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= min)) {
        char least[40], expected[60];
        bwi_format_double(least, min);
        snprintf(expected, sizeof expected, "a number from %s", least);
        return bwi_refuse(r, &(bwi_place){up, key, 0}, value, expected);
    }
    *out = number;
    return true;
}

bool bwi_get_bool(bwi_reader *r, bool *out, const bwi_place *up, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_boolean(value))
        return bwi_refuse(r, &(bwi_place){up, key, 0}, value, "true or false");
    *out = json_is_true(value);
    return true;
}

bool bwi_get_vec3(bwi_reader *r, float out[3], const bwi_place *up, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    bwi_place at = {up, key, 0};
    if (!json_is_array(value) || json_array_size(value) != 3)
        return bwi_refuse(r, &at, value, "an array of 3 numbers");
    for (size_t k = 0; k < 3; k++) {
        const json_t *item = json_array_get(value, k);
        double number = json_number_value(item);
        if (!json_is_number(item) || fabs(number) > (double)FLT_MAX)
            return bwi_refuse(r, &(bwi_place){&at, NULL, k}, item, "a number in the range of a 32-bit float");
        out[k] = (float)number;
    }
    return true;
}

bool bwi_get_box(bwi_reader *r, float min[3], float max[3], const bwi_place *up, const json_t *object,
                 const char *key) {
    const json_t *bounds;
    bwi_place at = {up, key, 0};
    if (!bwi_get_object(r, &bounds, up, object, key) || !bwi_get_vec3(r, min, &at, bounds, "min") ||
        !bwi_get_vec3(r, max, &at, bounds, "max"))
        return false;
    for (size_t k = 0; k < 3; k++) {
        bwi_place min_at = {&at, "min", 0};
        if (min[k] > max[k]) {
            const json_t *item = json_array_get(json_object_get(bounds, "min"), k);
            return bwi_refuse(r, &(bwi_place){&min_at, NULL, k}, item, "at most the same entry of max");
        }
    }
    return true;
}

bool bwi_get_bounds(bwi_reader *r, float min[3], float max[3], const bwi_place *up, const json_t *object) {
    return bwi_get_box(r, min, max, up, object, "bounds");
}

bool bwi_get_hash(bwi_reader *r, uint8_t hash[16], const bwi_place *up, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    if (!text || strlen(text) != 32 || strspn(text, "0123456789abcdef") != 32)
        return bwi_refuse(r, &(bwi_place){up, key, 0}, value, "32 lower-case hexadecimal digits");
    for (size_t k = 0; k < 16; k++) {
        unsigned byte;
        sscanf(text + 2 * k, "%2x", &byte);
        hash[k] = (uint8_t)byte;
    }
    return true;
}

bool bwi_get_file_name(bwi_reader *r, const char **out, const bwi_place *up, const json_t *object, const char *key) {
    const char *text = NULL;
    if (!bwi_get_raw_string(r, &text, up, object, key))
        return false;
    if (!*text || strpbrk(text, "/\\") || strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
        return bwi_refuse(r, &(bwi_place){up, key, 0}, json_object_get(object, key),
                          "a plain file name without folders");
    return bwi_keep_string(r, out, text);
}

bool bwi_get_name(bwi_reader *r, int *out, const bwi_place *up, const json_t *object, const char *key,
                  const char *const *names) {
    const char *text = NULL;
    if (!bwi_get_raw_string(r, &text, up, object, key))
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
    return bwi_refuse(r, &(bwi_place){up, key, 0}, json_object_get(object, key), expected);
}

bool bwi_keep_name(bwi_reader *r, const char **out, const bwi_place *up, const json_t *object, const char *key,
                   const char *const *names) {
    int index;
    if (!bwi_get_name(r, &index, up, object, key, names))
        return false;
    *out = names[index];
    return true;
}

bool bwi_get_choice(bwi_reader *r, int *out, const json_t *root, const char *key, bw_result unknown) {
    const char *text = NULL;
    if (!bwi_get_raw_string(r, &text, NULL, root, key))
        return false;
    const bw_option *option = bw_option_find(bw_vat_options(), key);
    int value = option ? bwi_choice_value(option, text) : 0;
    if (!value) {
        char expected[160];
        snprintf(expected, sizeof expected, "one of %s", option ? option->choices : "none");
        return bwi_refuse_as(r, unknown, &(bwi_place){NULL, key, 0}, json_object_get(root, key), expected);
    }
    *out = value;
    return true;
}

bool bwi_get_format(bwi_reader *r, bw_vat_format *out, const bwi_place *up, const json_t *object) {
    const char *text = NULL;
    if (!bwi_get_raw_string(r, &text, up, object, "format"))
        return false;
    const bwi_format_info *info = bwi_format_info_named(text);
    if (!info)
        return bwi_refuse(r, &(bwi_place){up, "format", 0}, json_object_get(object, "format"),
                          "a texture format such as png16");
    *out = info->format;
    return true;
}

uint32_t bwi_blocks_of(uint32_t count, uint32_t size) {
    return count / size + (count % size != 0);
}
