/* SPDX-License-Identifier: MIT
 * Numbers to their shortest text that reads back, and back from decimal text, in the "C" locale whatever the program
 * has set. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"

/* Digits of the longest whole number that is written without an exponent: readers, jansson too, take such text for a
 * 64-bit integer. */
enum { LONGEST_WHOLE = 17 };

/* Locale-independent by hand rather than by uselocale: the digits are ours, only the decimal point differs. */
typedef struct decimal {
    bool negative;
    char digits[20]; /* without a point; the value is 0.d0d1d2… × 10^point */
    size_t count;
    int point;
} decimal;

/* From the text of "%.*e". */
static void read_decimal(decimal *out, const char *text) {
    *out = (decimal){0};
    const char *c = text;
    if (*c == '-') {
        out->negative = true;
        c++;
    }
    for (; *c && *c != 'e'; c++) {
        if (*c >= '0' && *c <= '9') {
            out->digits[out->count++] = *c;
        }
    }
    while (out->count > 1 && out->digits[out->count - 1] == '0') {
        out->count--;
    }
    out->point = (int)strtol(*c == 'e' ? c + 1 : "0", NULL, 10) + 1;
}

static size_t write_decimal(char *buffer, const decimal *number) {
    char *out = buffer;
    const char *digits = number->digits;
    size_t count = number->count;
    int point = number->point;
    if (number->negative) {
        *out++ = '-';
    }
    if (point > LONGEST_WHOLE || point < -5) {
        *out++ = *digits;
        if (count > 1) {
            *out++ = '.';
            memcpy(out, digits + 1, count - 1);
            out += count - 1;
        }
        return (size_t)(out - buffer) + (size_t)sprintf(out, "e%d", point - 1);
    }
    if (point <= 0) {
        *out++ = '0';
        *out++ = '.';
        for (int i = point; i < 0; i++) {
            *out++ = '0';
        }
    }
    for (size_t i = 0; i < count || (int)i < point; i++) {
        if (point > 0 && i == (size_t)point) {
            *out++ = '.';
        }
        *out++ = i < count ? digits[i] : '0';
    }
    *out = 0;
    return (size_t)(out - buffer);
}

static size_t write_special(char *buffer, double value) {
    /* JSON has no infinity; a bare -0 would read back as the integer 0. */
    return (size_t)sprintf(buffer, "%s", !isfinite(value) ? "null" : signbit(value) ? "-0.0" : "0");
}

/* The shortest "%.*e" that reads back as the value.  More digits come nearer, so what reads back with some does with more, and halving finds the
 * fewest; not so at a power of two, below which numbers lie twice as near, and which takes all in turn. */
static void find_shortest(char text[32], double value, int last, bool is_float) {
    int exponent;
    const bool in_turn = fabs(frexp(value, &exponent)) == 0.5;
    int low = 0, high = last;
    while (low < high) {
        const int precision = in_turn ? low : (low + high) / 2;
        (void)snprintf(text, 32, "%.*e", precision, value);
        const bool same = is_float ? (double)strtof(text, NULL) == value : strtod(text, NULL) == value;
        high = same ? precision : high;
        low = same ? low : precision + 1;
    }
    (void)snprintf(text, 32, "%.*e", low, value);
}

static size_t format_shortest(char *buffer, double value, int last, bool is_float) {
    if (!isfinite(value) || value == 0.0) {
        return write_special(buffer, value);
    }
    char text[32];
    find_shortest(text, value, last, is_float);
    decimal number;
    read_decimal(&number, text);
    return write_decimal(buffer, &number);
}

size_t bwi_format_double(char *buffer, double value) {
    return format_shortest(buffer, value, 16, false);
}

size_t bwi_format_float(char *buffer, float value) {
    return format_shortest(buffer, (double)value, 8, true);
}

static const char *skip_digits(const char *c) {
    while (*c >= '0' && *c <= '9') {
        c++;
    }
    return c;
}

const char *bwi_parse_decimal(double *value, const char *text) {
    const char *start = *text == '-' || *text == '+' ? text + 1 : text;
    const char *end = skip_digits(start);
    size_t digit_count = (size_t)(end - start);
    const char *point = NULL;
    if (*end == '.') {
        point = end;
        end = skip_digits(end + 1);
        digit_count += (size_t)(end - point - 1);
    }
    if (digit_count == 0) {
        return NULL;
    }
    if (*end == 'e' || *end == 'E') {
        const char *power = end[1] == '-' || end[1] == '+' ? end + 2 : end + 1;
        const char *power_end = skip_digits(power);
        end = power_end > power ? power_end : end;
    }
    char copy[128];
    const char *locale_point = localeconv()->decimal_point;
    size_t point_length = strlen(locale_point);
    size_t length = (size_t)(end - text);
    if (length + point_length >= sizeof(copy)) {
        return NULL;
    }
    size_t before = point ? (size_t)(point - text) : length;
    memcpy(copy, text, before);
    size_t used = before;
    if (point) {
        memcpy(copy + used, locale_point, point_length);
        used += point_length;
        memcpy(copy + used, point + 1, length - before - 1);
        used += length - before - 1;
    }
    copy[used] = 0;
    *value = strtod(copy, NULL);
    return end;
}
