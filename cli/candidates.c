/* SPDX-License-Identifier: MIT
 * The table of ways to bake. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { LINE_WIDTH = 100, INDENT = 10 };

/* Columns that a text takes: its bytes but those that continue a character of UTF-8. */
static int width_of(const char *text) {
    int width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return width;
}

static void print_column(const char *text, int width) {
    int padding = width - width_of(text);
    printf("%s%*s", text, padding > 0 ? padding : 0, "");
}

/* Words from a column on, on as many lines as it takes. */
static void print_wrapped(const char *text, int column, int indent) {
    bool begins = true;
    while (*text) {
        size_t size = strcspn(text, " ");
        char word[2 * LINE_WIDTH];
        (void)snprintf(word, sizeof(word), "%.*s", (int)(size < sizeof(word) ? size : sizeof(word) - 1), text);
        int width = width_of(word);
        if (!begins && column + 1 + width > LINE_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (!begins) {
            (void)putchar(' ');
            column++;
        }
        cli_print_name(word);
        column += width;
        begins = false;
        text += size + (text[size] == ' ');
    }
    printf("\n");
}

static void print_error(double max, double relative, int width) {
    char length[CLI_TEXT_SIZE];
    char percent[CLI_TEXT_SIZE];
    char both[2 * CLI_TEXT_SIZE + 2];
    (void)snprintf(both, sizeof(both), "%s, %s", cli_length(length, max), cli_percent(percent, relative));
    print_column(both, width);
}

/* In: many — rows of one mode that cannot be baked for one reason. */
static void print_candidate(const bw_vat_candidate *row, bool many) {
    char text[CLI_TEXT_SIZE];
    enum { FORMAT = 18, STORED = 44, STORED_WIDTH = 28 }; /* columns */
    printf("%-*s%-8s%-10s", INDENT, row->chosen ? "chosen" : "", row->mode, many ? "any" : row->format);
    (void)snprintf(text, sizeof(text), row->rate_divisor > 1 ? "1/%u" : "1", row->rate_divisor);
    print_column(text, 6);
    print_column(row->bytes ? cli_bytes(text, row->bytes) : "-", 10);
    if (!row->measured) {
        print_wrapped(row->note, STORED, STORED);
        return;
    }
    print_error(row->stored_max, row->stored_relative, STORED_WIDTH);
    print_error(row->between_max, row->between_relative, 0);
    printf("\n");
    if (row->note[0]) {
        printf("%*s", FORMAT, "");
        print_wrapped(row->note, FORMAT, FORMAT);
    }
}

static bool is_same_refusal(const bw_vat_candidate *a, const bw_vat_candidate *b) {
    return !a->bytes && !b->bytes && strcmp(a->mode, b->mode) == 0 && a->rate_divisor == b->rate_divisor &&
           strcmp(a->note, b->note) == 0;
}

/* The row with the fewest bytes after one of `bytes` and index `after`, those that cannot be baked last; `count` if there is none. */
static size_t next_row(const bw_vat_candidate *rows, size_t count, uint64_t bytes, size_t after, bool first) {
    size_t found = count;
    for (size_t i = 0; i < count; i++) {
        uint64_t size = rows[i].bytes ? rows[i].bytes : UINT64_MAX;
        bool later = first || size > bytes || (size == bytes && i > after);
        if (later && (found == count || size < (rows[found].bytes ? rows[found].bytes : UINT64_MAX))) {
            found = i;
        }
    }
    return found;
}

static bool is_tried(const bw_vat_candidate *row) {
    return row->measured || !row->bytes;
}

/* Whether a smaller one of its mode was not tried either: that one stands for all. */
static bool is_left_out(const bw_vat_candidate *rows, size_t count, size_t row) {
    for (size_t i = 0; i < count && !is_tried(&rows[row]); i++) {
        bool before = rows[i].bytes < rows[row].bytes || (rows[i].bytes == rows[row].bytes && i < row);
        if (before && !is_tried(&rows[i]) && strcmp(rows[i].mode, rows[row].mode) == 0) {
            return true;
        }
    }
    return false;
}

static void print_table(const bw_vat_candidate *rows, size_t count) {
    printf("%-*s%-8s%-10s%-6s%-10s%-28s%s\n", INDENT, "", "mode", "format", "rate", "memory", "stored", "between");
    size_t i = next_row(rows, count, 0, 0, true);
    size_t left_out = 0;
    while (i < count) {
        size_t next = i;
        size_t same = 0;
        do {
            next = next_row(rows, count, rows[next].bytes ? rows[next].bytes : UINT64_MAX, next, false);
            same++;
        } while (next < count && is_same_refusal(&rows[i], &rows[next]));
        if (is_left_out(rows, count, i)) {
            left_out++;
        } else {
            print_candidate(&rows[i], same > 1);
        }
        i = next;
    }
    if (left_out) {
        printf("%*sand %zu larger; --dry-run measures all\n", INDENT, "", left_out);
    }
}

void cli_print_candidates(const bw_vat_report *report) {
    if (report->candidates.count > 1) {
        printf("%-*s%s: ", INDENT, "mode", report->mode);
        print_wrapped(report->why, INDENT + (int)strlen(report->mode) + 2, INDENT);
        print_table(report->candidates.data, report->candidates.count);
    }
    if (report->bone_count) {
        char text[CLI_TEXT_SIZE];
        const bool pieces = strcmp(report->mode, "rigid") == 0;
        printf("%-*s%s", INDENT, pieces ? "pieces" : "bones",
               cli_count(text, report->bone_count, pieces ? "piece" : "bone"));
        if (report->skin_in) {
            printf(", joints and weights of a vertex in %s",
                   strcmp(report->skin_in, "mesh") == 0 ? "the mesh" : "a texture");
        }
        printf("%s\n", report->matrices ? "; float matrices, since some shear or scale unevenly" : "");
    }
}
