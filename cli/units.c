/* SPDX-License-Identifier: MIT
 * Names and numbers for people: counts, sizes, lengths. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

const char *cli_count(char text[CLI_TEXT_SIZE], uint64_t count, const char *noun) {
    char digits[24];
    int size = snprintf(digits, sizeof(digits), "%" PRIu64, count);
    size_t used = 0;
    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0) {
            text[used++] = ',';
        }
        text[used++] = digits[i];
    }
    const char *ending = count == 1 ? "" : "s";
    int stem = (int)strlen(noun);
    if (count != 1 && strcmp(noun, "vertex") == 0) {
        stem = 4;
        ending = "ices";
    } else if (count != 1 && strcmp(noun, "mesh") == 0) {
        ending = "es";
    } else if (count != 1 && strcmp(noun, "property") == 0) {
        stem = 7;
        ending = "ies";
    }
    (void)snprintf(text + used, CLI_TEXT_SIZE - used, " %.*s%s", stem, noun, ending);
    return text;
}

const char *cli_bytes(char text[CLI_TEXT_SIZE], uint64_t bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        (void)snprintf(text, CLI_TEXT_SIZE, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
        return text;
    }
    double value = (double)bytes / 1024.0;
    size_t unit = 0;
    while (value >= 1024.0 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024.0;
        unit++;
    }
    (void)snprintf(text, CLI_TEXT_SIZE, value < 99.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return text;
}

/* Two digits that count, as people read them: 0.031, 1.2, 12, 760. */
static void print_short(char text[CLI_TEXT_SIZE], double value, const char *unit) {
    if (value >= 10.0) {
        (void)snprintf(text, CLI_TEXT_SIZE, "%.0f %s", value, unit);
    } else {
        (void)snprintf(text, CLI_TEXT_SIZE, "%.2g %s", value, unit);
    }
}

const char *cli_length(char text[CLI_TEXT_SIZE], double metres) {
    if (metres == 0.0) {
        (void)snprintf(text, CLI_TEXT_SIZE, "0 mm");
    } else if (metres < 1e-9) {
        (void)snprintf(text, CLI_TEXT_SIZE, "under 0.001 µm");
    } else if (metres < 1e-5) {
        print_short(text, metres * 1e6, "µm");
    } else if (metres < 1e-2) {
        print_short(text, metres * 1e3, "mm");
    } else if (metres < 1.0) {
        print_short(text, metres * 1e2, "cm");
    } else {
        print_short(text, metres, "m");
    }
    return text;
}

const char *cli_percent(char text[CLI_TEXT_SIZE], double fraction) {
    double percent = fraction * 100.0;
    if (percent > 0.0 && percent < 1e-4) {
        (void)snprintf(text, CLI_TEXT_SIZE, "under 0.0001 %%");
    } else {
        print_short(text, percent, "%");
    }
    return text;
}

void cli_print_name(const char *name) {
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
        bool c1 = *c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0;
        (void)putchar(*c < 0x20 || *c == 0x7F || c1 ? '?' : *c);
        c += c1;
    }
}
