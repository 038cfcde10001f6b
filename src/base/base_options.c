/* SPDX-License-Identifier: MIT
 * The option table at work: finding a row, setting a field from text, checking ranges. */
#include "bakewell/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/number.h"

enum { NAME_SIZE = 64, CHOICES_SIZE = 256 };

static void *field_of(void *opts, const bw_option *option) {
    return (unsigned char *)opts + option->offset;
}

static const void *const_field_of(const void *opts, const bw_option *option) {
    return (const unsigned char *)opts + option->offset;
}

/* "max_size" gives "--max-size". */
static const char *flag_of(char flag[NAME_SIZE], const bw_option *option) {
    (void)snprintf(flag, NAME_SIZE, "--%s", option->key);
    for (char *c = flag; *c; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    return flag;
}

/* "a|b|c" gives "a, b, c". */
static const char *list_of(char list[CHOICES_SIZE], const char *choices) {
    size_t used = 0;
    for (const char *c = choices; *c && used + 3 < CHOICES_SIZE; c++) {
        list[used++] = *c == '|' ? ',' : *c;
        if (*c == '|') {
            list[used++] = ' ';
        }
    }
    list[used] = 0;
    return list;
}

const bw_option *bw_option_find(bw_option_list table, const char *name) {
    const char *wanted = strncmp(name, "--", 2) == 0 ? name + 2 : name;
    for (size_t i = 0; i < table.count; i++) {
        const char *key = table.data[i].key;
        size_t k = 0;
        while (key[k] && (key[k] == wanted[k] || (key[k] == '_' && wanted[k] == '-'))) {
            k++;
        }
        if (key[k] == 0 && wanted[k] == 0) {
            return &table.data[i];
        }
    }
    return NULL;
}

/* ---- the nearest name ---- */

enum { NEAR_SIZE = 40 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static char plain(char c) {
    return c == '-' ? '_' : c;
}

/* Edits (insert, delete, replace) that turn one name into another.  Source: Wagner and Fischer 1974. */
static size_t edit_distance(const char *a, const char *b) {
    size_t b_size = strlen(b);
    size_t row[NEAR_SIZE + 1];
    for (size_t k = 0; k <= b_size; k++) {
        row[k] = k;
    }
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t k = 0; k < b_size; k++) {
            size_t above = row[k + 1];
            row[k + 1] = least(least(above, row[k]) + 1, diagonal + (plain(a[i]) != plain(b[k])));
            diagonal = above;
        }
    }
    return row[b_size];
}

const char *bw_nearest_name(const char *mistyped, const char *const *names, size_t count) {
    const char *best = NULL;
    size_t best_distance = strlen(mistyped) / 3 + 1; /* more edits than that are another word */
    for (size_t i = 0; i < count; i++) {
        size_t distance = strlen(names[i]) <= NEAR_SIZE ? edit_distance(mistyped, names[i]) : SIZE_MAX;
        if (distance < best_distance + (best == NULL)) {
            best = names[i];
            best_distance = distance;
        }
    }
    return best;
}

/* ---- text to values ---- */

/* `shown` is how the option and its value stand in the message: "--max-size=3" or "max_size 3". */
static bw_result check_range(const bw_option *option, const char *shown, double value, const char *unit,
                             bw_error *error) {
    char least[32];
    char most[32];
    (void)bwi_format_double(least, option->min);
    (void)bwi_format_double(most, option->max);
    if (!(value >= option->min)) {
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s is below %s%s; give %s to %s", shown, least, unit, least,
                        most);
    }
    if (!(value <= option->max)) {
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s is above %s%s; give %s to %s", shown, most, unit, least,
                        most);
    }
    return BW_OK;
}

typedef struct unit {
    const char *name;
    double factor;
} unit;

/* A number and one of `units` (ended by name NULL) to the end of text.  Returns the unit, or NULL. */
static const unit *read_with_unit(double *number, const char *text, const unit *units) {
    double value;
    const char *rest = bwi_parse_decimal(&value, text);
    if (!rest || !isfinite(value)) {
        return NULL;
    }
    for (const unit *u = units; u->name; u++) {
        if (strcmp(rest, u->name) == 0) {
            *number = value;
            return u;
        }
    }
    return NULL;
}

static const unit NO_UNIT[] = {{"", 1.0}, {NULL, 0.0}};
static const unit BYTE_UNITS[] = {{"", 1.0},   {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30},
                                  {"kB", 1e3}, {"MB", 1e6},     {"GB", 1e9},     {NULL, 0.0}};
/* Divisors, since 1/1000 has no exact double. */
static const unit LENGTH_UNITS[] = {{"mm", 1000.0}, {"cm", 100.0}, {"m", 1.0}, {"%", 100.0}, {NULL, 0.0}};

/* Out: typed — the number as written, its unit's name in *unit_name. */
static bool read_length(bw_length *length, double *typed, const char **unit_name, const char *text) {
    double number;
    const unit *found = read_with_unit(&number, text, LENGTH_UNITS);
    if (!found) {
        return false;
    }
    *length = (bw_length){number / found->factor, found->name[0] == '%' ? BW_LENGTH_RELATIVE : BW_LENGTH_METRE};
    *typed = number;
    *unit_name = found->name;
    return true;
}

static bw_result fail_length(const char *shown, const char *text, bw_error *error) {
    double number;
    const char *rest = bwi_parse_decimal(&number, text);
    if (rest && rest[0] == 0 && isfinite(number)) {
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s has no unit; write %smm, %scm, %sm or %s%%", shown, text,
                        text, text, text);
    }
    return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s is no length; write a number and mm, cm, m or %%, as in 0.5mm",
                    shown);
}

bw_result bw_length_parse(bw_length *length, const char *text, bw_error *error) {
    bw_length value;
    double typed;
    const char *unit_name;
    if (!read_length(&value, &typed, &unit_name, text)) {
        return fail_length(text[0] ? text : "the empty text", text, error);
    }
    if (typed < 0.0) {
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s is below 0; a length is 0 or more", text);
    }
    *length = value;
    return BW_OK;
}

static bw_result set_number(void *field, const bw_option *option, const char *shown, const char *text,
                            bw_error *error) {
    double number;
    const unit *found = read_with_unit(&number, text, option->kind == BW_OPTION_BYTES ? BYTE_UNITS : NO_UNIT);
    if (!found) {
        const char *expected = option->kind == BW_OPTION_BYTES
                                   ? "a size in bytes, or with KiB, MiB, GiB, kB, MB or GB, as in 512MiB"
                               : option->kind == BW_OPTION_UINT ? "a whole number"
                                                                : "a number";
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s is not understood; give %s", shown, expected);
    }
    double value = number * found->factor;
    bw_result result = check_range(option, shown, value, option->kind == BW_OPTION_BYTES ? " bytes" : "", error);
    if (result != BW_OK) {
        return result;
    }
    if (option->kind == BW_OPTION_REAL) {
        memcpy(field, &value, sizeof(value));
        return BW_OK;
    }
    if (value != floor(value)) {
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s is not a whole number; give one without a fraction", shown);
    }
    if (option->kind == BW_OPTION_UINT) {
        uint32_t whole = (uint32_t)value;
        memcpy(field, &whole, sizeof(whole));
    } else {
        uint64_t whole = (uint64_t)value;
        memcpy(field, &whole, sizeof(whole));
    }
    return BW_OK;
}

static bw_result set_length(void *field, const bw_option *option, const char *shown, const char *text,
                            bw_error *error) {
    bw_length length;
    double typed;
    const char *unit_name;
    if (!read_length(&length, &typed, &unit_name, text)) {
        return fail_length(shown, text, error);
    }
    bw_result result = check_range(option, shown, typed, unit_name, error);
    if (result == BW_OK) {
        memcpy(field, &length, sizeof(length));
    }
    return result;
}

static bw_result set_flag(void *field, const char *shown, const char *text, bw_error *error) {
    bool value = !text || strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0) {
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s takes no such value; give true, false or nothing", shown);
    }
    memcpy(field, &value, sizeof(value));
    return BW_OK;
}

static int choice_count(const char *choices) {
    int count = 1;
    for (const char *c = choices; *c; c++) {
        count += *c == '|';
    }
    return count;
}

static bw_result set_choice(void *field, const bw_option *option, const char *shown, const char *text,
                            bw_error *error) {
    size_t length = strlen(text);
    int value = 1;
    for (const char *choice = option->choices;; value++) {
        size_t choice_length = strcspn(choice, "|");
        if (choice_length == length && memcmp(choice, text, length) == 0) {
            memcpy(field, &value, sizeof(value));
            return BW_OK;
        }
        if (choice[choice_length] == 0) {
            break;
        }
        choice += choice_length + 1;
    }
    char list[CHOICES_SIZE];
    return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s is no choice; give one of %s", shown,
                    list_of(list, option->choices));
}

static bw_result append_string(void *field, const char *text, bw_error *error) {
    bw_string_list list;
    memcpy(&list, field, sizeof(list));
    const char **grown = realloc((void *)(uintptr_t)list.data, (list.count + 1) * sizeof(*grown));
    if (!grown) {
        return bwi_fail(error, BW_ERR_MEMORY, NULL, -1, "the system refused memory for an option");
    }
    grown[list.count] = text;
    list = (bw_string_list){grown, list.count + 1};
    memcpy(field, &list, sizeof(list));
    return BW_OK;
}

bw_result bw_option_set(void *opts, const bw_option *option, const char *text, bw_error *error) {
    void *field = field_of(opts, option);
    char flag[NAME_SIZE];
    (void)flag_of(flag, option);
    if (option->kind != BW_OPTION_FLAG && (!text || text[0] == 0)) {
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s needs a value: %s=%s", flag, flag, option->metavar);
    }
    char shown[256];
    (void)snprintf(shown, sizeof(shown), "%s=%s", flag, text ? text : "");
    switch (option->kind) {
    case BW_OPTION_FLAG:
        return set_flag(field, shown, text, error);
    case BW_OPTION_UINT:
    case BW_OPTION_REAL:
    case BW_OPTION_BYTES:
        return set_number(field, option, shown, text, error);
    case BW_OPTION_LENGTH:
        return set_length(field, option, shown, text, error);
    case BW_OPTION_STRING:
        memcpy(field, &text, sizeof(text));
        return BW_OK;
    case BW_OPTION_STRINGS:
        return append_string(field, text, error);
    case BW_OPTION_CHOICE:
        return set_choice(field, option, shown, text, error);
    }
    return bwi_fail(error, BW_ERR_INTERNAL, NULL, -1, "option %s has no known kind", flag);
}

void bw_options_free(bw_option_list table, void *opts) {
    for (size_t i = 0; opts && i < table.count; i++) {
        if (table.data[i].kind == BW_OPTION_STRINGS) {
            void *field = field_of(opts, &table.data[i]);
            bw_string_list list;
            memcpy(&list, field, sizeof(list));
            free((void *)(uintptr_t)list.data);
            list = (bw_string_list){0};
            memcpy(field, &list, sizeof(list));
        }
    }
}

/* ---- fields to a verdict ---- */

static bw_result check_number(const bw_option *option, double value, bw_error *error) {
    if (value == 0.0) {
        return BW_OK; /* the default */
    }
    char text[32];
    char shown[NAME_SIZE + 32];
    (void)bwi_format_double(text, value);
    (void)snprintf(shown, sizeof(shown), "%s %s", option->key, isfinite(value) ? text : "(not finite)");
    return check_range(option, shown, value, "", error);
}

static bw_result check_length(const bw_option *option, bw_length length, bw_error *error) {
    if (length.unit == BW_LENGTH_NONE && length.value == 0.0) {
        return BW_OK;
    }
    if (length.unit != BW_LENGTH_METRE && length.unit != BW_LENGTH_RELATIVE) {
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s has no unit; set it to metres or relative", option->key);
    }
    /* The range is of what is typed in any unit, so the field's own bounds are these. */
    if (!(length.value >= 0.0 && length.value <= option->max)) {
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s is negative, not finite or too large; give 0 or more",
                        option->key);
    }
    return BW_OK;
}

static bw_result check_strings(const bw_option *option, bw_string_list list, bw_error *error) {
    for (size_t i = 0; i < list.count; i++) {
        if (!list.data || !list.data[i]) {
            return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s holds a NULL at %zu; expected text", option->key, i);
        }
    }
    return BW_OK;
}

static bw_result check_field(const bw_option *option, const void *field, bw_error *error) {
    switch (option->kind) {
    case BW_OPTION_FLAG:
    case BW_OPTION_STRING:
        return BW_OK;
    case BW_OPTION_UINT: {
        uint32_t value;
        memcpy(&value, field, sizeof(value));
        return check_number(option, (double)value, error);
    }
    case BW_OPTION_REAL: {
        double value;
        memcpy(&value, field, sizeof(value));
        return check_number(option, value, error);
    }
    case BW_OPTION_BYTES: {
        uint64_t value;
        memcpy(&value, field, sizeof(value));
        return check_number(option, (double)value, error);
    }
    case BW_OPTION_LENGTH: {
        bw_length length;
        memcpy(&length, field, sizeof(length));
        return check_length(option, length, error);
    }
    case BW_OPTION_STRINGS: {
        bw_string_list list;
        memcpy(&list, field, sizeof(list));
        return check_strings(option, list, error);
    }
    case BW_OPTION_CHOICE: {
        int value;
        memcpy(&value, field, sizeof(value));
        if (value < 0 || value > choice_count(option->choices)) {
            char list[CHOICES_SIZE];
            return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "%s is %d; give 0 for the default, or one of %s",
                            option->key, value, list_of(list, option->choices));
        }
        return BW_OK;
    }
    }
    return bwi_fail(error, BW_ERR_INTERNAL, NULL, -1, "option %s has no known kind", option->key);
}

bw_result bw_options_check(bw_option_list table, const void *opts, bw_error *error) {
    for (size_t i = 0; i < table.count; i++) {
        bw_result result = check_field(&table.data[i], const_field_of(opts, &table.data[i]), error);
        if (result != BW_OK) {
            return result;
        }
    }
    return BW_OK;
}
