/* SPDX-License-Identifier: MIT
 * Option values to JSON and back, by the option table alone. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/model_priv.h"
#include "model/option_json.h"

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

typedef union value {
    uint32_t uint_value;
    double real_value;
    uint64_t bytes_value;
    bw_length length_value;
    int choice_value;
} value;

/* The default as a value, where its text is one: "4096" is, "by engine" is not.  False: *preset is 0. */
static bool preset_of(value *preset, const bw_option *option) {
    memset(preset, 0, sizeof *preset);
    if (!option->preset || option->kind == BW_OPTION_STRING || option->kind == BW_OPTION_STRINGS)
        return false;
    bw_option alone = *option;
    alone.offset = 0;
    return bw_option_set(preset, &alone, option->preset, NULL) == BW_OK;
}

static bool is_default(const bw_option *option, const void *field) {
    static const value ZERO;
    switch (option->kind) {
    case BW_OPTION_FLAG:
        return !*(const bool *)field;
    case BW_OPTION_STRING:
        return !*(const char *const *)field;
    case BW_OPTION_STRINGS:
        return ((const bw_string_list *)field)->count == 0;
    case BW_OPTION_LENGTH:
        return ((const bw_length *)field)->unit == BW_LENGTH_NONE;
    default: {
        value preset;
        assert(option->size <= sizeof preset);
        preset_of(&preset, option);
        return memcmp(field, &preset, option->size) == 0 || memcmp(field, &ZERO, option->size) == 0;
    }
    }
}

static void write_value(bwi_json_writer *w, const bw_option *option, const void *field) {
    switch (option->kind) {
    case BW_OPTION_FLAG:
        bwi_json_bool(w, *(const bool *)field);
        break;
    case BW_OPTION_UINT:
        bwi_json_uint(w, *(const uint32_t *)field);
        break;
    case BW_OPTION_REAL:
        bwi_json_double(w, *(const double *)field);
        break;
    case BW_OPTION_BYTES:
        bwi_json_uint(w, *(const uint64_t *)field);
        break;
    case BW_OPTION_LENGTH: {
        char text[40];
        format_length(text, *(const bw_length *)field);
        bwi_json_string(w, text);
        break;
    }
    case BW_OPTION_STRING:
        bwi_json_string(w, *(const char *const *)field);
        break;
    case BW_OPTION_STRINGS: {
        const bw_string_list *list = field;
        bwi_json_begin_array(w);
        for (size_t k = 0; k < list->count; k++)
            bwi_json_string(w, list->data[k]);
        bwi_json_end_array(w);
        break;
    }
    case BW_OPTION_CHOICE: {
        char name[64];
        const bool known = bwi_choice_name(name, option, choice_field(field, option->size));
        bwi_json_string(w, known ? name : NULL);
        break;
    }
    }
}

static void write_default(bwi_json_writer *w, const bw_option *option) {
    value preset;
    static const bw_string_list NONE;
    static const bool OFF;
    if (option->kind == BW_OPTION_FLAG)
        write_value(w, option, &OFF);
    else if (option->kind == BW_OPTION_STRINGS)
        write_value(w, option, &NONE);
    else if (preset_of(&preset, option))
        write_value(w, option, &preset);
    else
        bwi_json_string(w, NULL);
}

void bwi_options_write(bwi_json_writer *w, bw_option_list table, const void *opts, bool all) {
    for (size_t i = 0; i < table.count; i++) {
        const bw_option *option = &table.data[i];
        const void *field = (const char *)opts + option->offset;
        const bool at_default = is_default(option, field);
        if (at_default && !all)
            continue;
        bwi_json_key(w, option->key);
        if (at_default)
            write_default(w, option);
        else
            write_value(w, option, field);
    }
}

static bw_result fail_value(bw_error *error, const bwi_option_place *place, const bw_option *option,
                            const char *expected) {
    return bwi_fail(error, place->result, place->path, -1, "%s.%s is not %s; %s", place->owner, option->key, expected,
                    place->help);
}

static bw_result read_strings(bw_string_list *list, bwi_arena *arena, const json_t *json, const bwi_option_place *place,
                              const bw_option *option, bw_error *error) {
    static const char expected[] = "an array of strings";
    if (!json_is_array(json))
        return fail_value(error, place, option, expected);
    size_t count = json_array_size(json);
    const char **data = bwi_arena_alloc(arena, count, sizeof *data);
    if (!data)
        return bwi_fail_memory(error, place->path, bwi_arena_mem(arena), count * sizeof *data);
    for (size_t k = 0; k < count; k++) {
        const json_t *item = json_array_get(json, k);
        if (!json_is_string(item))
            return fail_value(error, place, option, expected);
        data[k] = bwi_arena_string(arena, json_string_value(item), json_string_length(item));
        if (!data[k])
            return bwi_fail_memory(error, place->path, bwi_arena_mem(arena), json_string_length(item));
    }
    *list = (bw_string_list){data, count};
    return BW_OK;
}

/* Text as the command line has it.  False: the value is of another type, and *expected says what is due. */
static bool text_of(const char **text, char number[40], const char **expected, const bw_option *option,
                    const json_t *json) {
    *text = number;
    switch (option->kind) {
    case BW_OPTION_FLAG:
        *expected = "true or false";
        *text = json_is_true(json) ? "true" : "false";
        return json_is_boolean(json);
    case BW_OPTION_UINT:
    case BW_OPTION_BYTES:
        *expected = option->kind == BW_OPTION_UINT ? "a whole number" : "a whole number, or text such as \"512MiB\"";
        if (option->kind == BW_OPTION_BYTES && json_is_string(json))
            *text = json_string_value(json);
        else
            snprintf(number, 40, "%lld", (long long)json_integer_value(json));
        return json_is_integer(json) || *text != number;
    case BW_OPTION_REAL:
        *expected = "a number";
        bwi_format_double(number, json_number_value(json));
        return json_is_number(json);
    default:
        *expected = "a string";
        *text = json_string_value(json);
        return json_is_string(json);
    }
}

bw_result bwi_option_read(void *opts, const bw_option *option, bwi_arena *arena, const json_t *json,
                          const bwi_option_place *place, bw_error *error) {
    char *field = (char *)opts + option->offset;
    if (json_is_null(json)) {
        memset(field, 0, option->size);
        return BW_OK;
    }
    if (option->kind == BW_OPTION_STRINGS)
        return read_strings((bw_string_list *)(void *)field, arena, json, place, option, error);
    char number[40];
    const char *text, *expected;
    if (!text_of(&text, number, &expected, option, json))
        return fail_value(error, place, option, expected);
    if (option->kind == BW_OPTION_STRING) { /* kept by pointer */
        text = bwi_arena_string(arena, text, json_string_length(json));
        if (!text)
            return bwi_fail_memory(error, place->path, bwi_arena_mem(arena), json_string_length(json));
    }
    bw_error inner;
    if (bw_option_set(opts, option, text, &inner) != BW_OK)
        return bwi_fail(error, place->result, place->path, -1, "%s.%s: %s", place->owner, option->key, inner.message);
    return BW_OK;
}
