/* SPDX-License-Identifier: MIT
 * The manifest's "options": values as a job file would have them, by the option table alone. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "model/model_priv.h"

const char *const bwi_texture_role_names[] = {"position", "normal", NULL};
const char *const bwi_texture_decode_names[] = {"bounds", "bounds+oct8", "absolute", "oct", "oct+oct",
                                                "offset", "offset+normal", "normal", NULL};

bool bwi_choice_name(char name[64], const bw_option *option, int value) {
    const char *at = option->choices;
    for (int k = 1; at; k++) {
        const char *bar = strchr(at, '|');
        if (k == value) {
            size_t length = bar ? (size_t)(bar - at) : strlen(at);
            assert(length < 64);
            memcpy(name, at, length);
            name[length] = 0;
            return true;
        }
        at = bar ? bar + 1 : NULL;
    }
    return false;
}

int bwi_choice_value(const bw_option *option, const char *name) {
    char choice[64];
    for (int value = 1; bwi_choice_name(choice, option, value); value++) {
        if (strcmp(choice, name) == 0)
            return value;
    }
    return 0;
}

const char *bwi_layout_name(bw_vat_layout layout) {
    static const char *const names[] = {NULL, "native", "seed", "openvat"};
    return (size_t)layout < sizeof names / sizeof names[0] ? names[layout] : NULL;
}

/* Text of a length in metres or percent that reads back to the same number: ×100 and ÷100 may not undo each other, so
 * the neighbours of the product are tried too. */
static void format_length(char text[40], bw_length length) {
    if (length.unit == BW_LENGTH_METRE) {
        snprintf(text + bwi_format_double(text, length.value), 2, "m");
        return;
    }
    double percent = length.value * 100;
    const double steps[] = {0, 0x1p-52, -0x1p-53, 0x1p-51};
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        snprintf(text + bwi_format_double(text, percent + percent * steps[k]), 2, "%%");
        bw_length back;
        if (bw_length_parse(&back, text, NULL) == BW_OK && back.value == length.value)
            return;
    }
}

static int choice_field(const void *field, size_t size) {
    int value;
    assert(size == sizeof value);
    memcpy(&value, field, size);
    return value;
}

void bwi_manifest_options_write(bwi_json_writer *w, const bw_vat_opts *opts) {
    const bw_option_list options = bw_vat_options();
    bwi_json_begin_object(w);
    for (size_t i = 0; i < options.count; i++) {
        const bw_option *option = &options.data[i];
        const void *field = (const char *)opts + option->offset;
        switch (option->kind) {
        case BW_OPTION_FLAG:
            if (*(const bool *)field)
                bwi_json_key_bool(w, option->key, true);
            break;
        case BW_OPTION_UINT:
            if (*(const uint32_t *)field)
                bwi_json_key_uint(w, option->key, *(const uint32_t *)field);
            break;
        case BW_OPTION_REAL:
            if (*(const double *)field != 0)
                bwi_json_key_double(w, option->key, *(const double *)field);
            break;
        case BW_OPTION_BYTES:
            if (*(const uint64_t *)field)
                bwi_json_key_uint(w, option->key, *(const uint64_t *)field);
            break;
        case BW_OPTION_LENGTH: {
            const bw_length *length = field;
            if (length->unit != BW_LENGTH_NONE) {
                char text[40];
                format_length(text, *length);
                bwi_json_key_string(w, option->key, text);
            }
            break;
        }
        case BW_OPTION_STRING: {
            const char *text = *(const char *const *)field;
            if (text)
                bwi_json_key_string(w, option->key, text);
            break;
        }
        case BW_OPTION_STRINGS: {
            const bw_string_list *list = field;
            if (!list->count)
                break;
            bwi_json_key(w, option->key);
            bwi_json_begin_array(w);
            for (size_t k = 0; k < list->count; k++)
                bwi_json_string(w, list->data[k]);
            bwi_json_end_array(w);
            break;
        }
        case BW_OPTION_CHOICE: {
            char name[64];
            if (bwi_choice_name(name, option, choice_field(field, option->size)))
                bwi_json_key_string(w, option->key, name);
            break;
        }
        }
    }
    bwi_json_end_object(w);
}

/* Text of the options as the manifest holds them; NULL if memory fails.  Free with bwi_free. */
static char *options_text(const bw_vat_opts *opts, size_t *size, bwi_mem *mem) {
    char *text = NULL;
    bwi_json_writer *w = bwi_json_writer_create(mem, NULL, 0);
    if (!w)
        return NULL;
    bwi_manifest_options_write(w, opts);
    return bwi_json_writer_end(w, &text, size) ? text : NULL;
}

bool bwi_manifest_options_equal(const bw_vat_opts *a, const bw_vat_opts *b, bwi_mem *mem) {
    size_t a_size = 0, b_size = 0;
    char *a_text = options_text(a, &a_size, mem), *b_text = options_text(b, &b_size, mem);
    const bool equal = a_text && b_text && a_size == b_size && memcmp(a_text, b_text, a_size) == 0;
    bwi_free(mem, a_text);
    bwi_free(mem, b_text);
    return equal;
}

static bw_result fail_value(bw_error *error, const char *path, const bw_option *option, const char *expected) {
    return bwi_fail(error, BW_ERR_MALFORMED, path, -1, "options.%s is not %s; bake again, or restore the file",
                    option->key, expected);
}

static bw_result read_strings(bw_string_list *list, bwi_arena *arena, const json_t *array, const char *path,
                              const bw_option *option, bw_error *error) {
    size_t count = json_array_size(array);
    const char **data = bwi_arena_alloc(arena, count, sizeof *data);
    if (!data)
        return bwi_fail_memory(error, path, bwi_arena_mem(arena), count * sizeof *data);
    for (size_t k = 0; k < count; k++) {
        const json_t *item = json_array_get(array, k);
        if (!json_is_string(item))
            return fail_value(error, path, option, "an array of strings");
        data[k] = bwi_arena_string(arena, json_string_value(item), json_string_length(item));
        if (!data[k])
            return bwi_fail_memory(error, path, bwi_arena_mem(arena), json_string_length(item));
    }
    *list = (bw_string_list){data, count};
    return BW_OK;
}

bw_result bwi_manifest_options_read(bw_vat_opts *opts, bwi_arena *arena, const json_t *object, const char *path,
                                    bw_error *error) {
    const bw_option_list options = bw_vat_options();
    for (size_t i = 0; i < options.count; i++) {
        const bw_option *option = &options.data[i];
        const json_t *value = json_object_get(object, option->key);
        if (!value)
            continue;
        char number[40];
        const char *text = number;
        switch (option->kind) {
        case BW_OPTION_FLAG:
            if (!json_is_boolean(value))
                return fail_value(error, path, option, "true or false");
            if (json_is_false(value))
                continue;
            text = NULL;
            break;
        case BW_OPTION_UINT:
        case BW_OPTION_BYTES:
            if (!json_is_integer(value))
                return fail_value(error, path, option, "a whole number");
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
            break;
        case BW_OPTION_REAL:
            if (!json_is_number(value))
                return fail_value(error, path, option, "a number");
            bwi_format_double(number, json_number_value(value));
            break;
        case BW_OPTION_STRINGS: {
            if (!json_is_array(value))
                return fail_value(error, path, option, "an array of strings");
            bw_string_list *list = (bw_string_list *)(void *)((char *)opts + option->offset);
            bw_result result = read_strings(list, arena, value, path, option, error);
            if (result != BW_OK)
                return result;
            continue;
        }
        case BW_OPTION_LENGTH:
        case BW_OPTION_STRING:
        case BW_OPTION_CHOICE:
            if (!json_is_string(value))
                return fail_value(error, path, option, "a string");
            text = bwi_arena_string(arena, json_string_value(value), json_string_length(value));
            if (!text)
                return bwi_fail_memory(error, path, bwi_arena_mem(arena), json_string_length(value));
            break;
        }
        bw_error inner;
        if (bw_option_set(opts, option, text, &inner) != BW_OK)
            return bwi_fail(error, BW_ERR_MALFORMED, path, -1, "options.%s: %s", option->key, inner.message);
    }
    return BW_OK;
}
