/* SPDX-License-Identifier: MIT
 * What is said of a groom, for people. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli.h"

static const char *centimetres(char text[CLI_TEXT_SIZE], double cm) {
    return cli_length(text, cm / 100);
}

static void print_sizes(const bw_groom_report *report) {
    char a[CLI_TEXT_SIZE], b[CLI_TEXT_SIZE], c[CLI_TEXT_SIZE];
    if (report->length_cm.max > 0) {
        printf("lengths   %s to %s, half above %s\n", centimetres(a, report->length_cm.min),
               centimetres(b, report->length_cm.max), centimetres(c, report->length_cm.median));
    }
    if (report->width_cm.max > 0) {
        printf("widths    %s to %s, half above %s\n", centimetres(a, report->width_cm.min),
               centimetres(b, report->width_cm.max), centimetres(c, report->width_cm.median));
    }
    printf("bounds    (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) cm, Unreal's axes\n", (double)report->bounds_min[0],
           (double)report->bounds_min[1], (double)report->bounds_min[2], (double)report->bounds_max[0],
           (double)report->bounds_max[1], (double)report->bounds_max[2]);
}

static void print_groups(const bw_groom_report *report) {
    char a[CLI_TEXT_SIZE], b[CLI_TEXT_SIZE], c[CLI_TEXT_SIZE];
    for (size_t i = 0; i < report->groups.count; i++) {
        const bw_groom_group_report *group = &report->groups.data[i];
        printf("group     %lld ", (long long)group->id);
        cli_print_name(group->name);
        printf(": %s, %s, %s\n", cli_count(a, group->strands, "strand"), cli_count(b, group->guides, "guide"),
               cli_count(c, group->points, "point"));
    }
}

enum {
    KINDS_MAX = 64, /* of attributes that are told apart; further ones are printed one by one */
    PLACES_MAX = 3  /* of a finding: a file of an object a strand has thousands */
};

static bool same_attribute(const bw_groom_attribute_report *a, const bw_groom_attribute_report *b) {
    return strcmp(a->name, b->name) == 0 && strcmp(a->type, b->type) == 0 && strcmp(a->scope, b->scope) == 0 &&
           strcmp(a->reason, b->reason) == 0 && a->extent == b->extent && a->used == b->used;
}

static void print_attribute(const bw_groom_attribute_report *attribute, uint64_t others) {
    char count[CLI_TEXT_SIZE];
    printf("%-9s ", attribute->used ? "used" : "ignored");
    cli_print_name(attribute->object);
    printf(" ");
    cli_print_name(attribute->name);
    printf(": %s", attribute->type);
    if (attribute->extent > 1) {
        printf("[%u]", attribute->extent);
    }
    printf(", %s, %s", attribute->scope, cli_count(count, attribute->count, "value"));
    if (attribute->reason[0]) {
        printf("; ");
        cli_print_name(attribute->reason);
    }
    if (others) {
        printf("; so of %s", cli_count(count, others, "other object"));
    }
    printf("\n");
}

/* What several objects have alike is printed once, at the first. */
static void print_attributes(const bw_groom_report *report) {
    const bw_groom_attribute_report *kinds[KINDS_MAX] = {NULL};
    uint64_t others[KINDS_MAX] = {0};
    size_t count = 0;
    for (size_t i = 0; i < report->attributes.count; i++) {
        const bw_groom_attribute_report *attribute = &report->attributes.data[i];
        size_t k = 0;
        while (k < count && !same_attribute(kinds[k], attribute)) {
            k++;
        }
        if (k < count) {
            others[k]++;
        } else if (count < KINDS_MAX) {
            kinds[count++] = attribute;
        } else {
            print_attribute(attribute, 0);
        }
    }
    for (size_t k = 0; k < count; k++) {
        print_attribute(kinds[k], others[k]);
    }
}

static void print_finding(const bw_groom_finding *finding) {
    printf("%-9s %s: ", bw_groom_level_name(finding->level), finding->code);
    if (finding->place[0]) {
        cli_print_name(finding->place);
        printf(": ");
    }
    cli_print_name(finding->message);
    printf("\n");
}

static void print_fix(const bw_groom_finding *finding) {
    if (finding->fix[0]) {
        printf("          to do: ");
        cli_print_name(finding->fix);
        printf("\n");
    }
}

/* Findings of one code stand together: its first places, and how many more there are. */
static void print_findings(const bw_groom_report *report) {
    for (size_t i = 0; i < report->findings.count; i++) {
        const bw_groom_finding *finding = &report->findings.data[i];
        bool is_first = true;
        for (size_t k = 0; k < i && is_first; k++) {
            is_first = strcmp(report->findings.data[k].code, finding->code) != 0 ||
                       report->findings.data[k].level != finding->level;
        }
        if (!is_first) {
            continue;
        }
        size_t found = 0;
        const bw_groom_finding *last = finding;
        for (size_t k = i; k < report->findings.count; k++) {
            const bw_groom_finding *other = &report->findings.data[k];
            if (strcmp(other->code, finding->code) == 0 && other->level == finding->level) {
                last = other;
                if (found++ < PLACES_MAX) {
                    print_finding(other);
                }
            }
        }
        char count[CLI_TEXT_SIZE];
        if (found > PLACES_MAX) {
            /* The last of many stands for all that are not listed. */
            printf("          and at %s%s; --json lists them\n", cli_count(count, found - PLACES_MAX, "more place"),
                   strstr(last->place, ", and more") ? " and further ones" : "");
        }
        print_fix(finding);
    }
}

/* Archives alone are read back and judged as an engine would: a repair ends with an error if that finds anything. */
static bool is_archive(const char *path) {
    const size_t length = strlen(path);
    return length >= 4 && strcasecmp(path + length - 4, ".abc") == 0;
}

static void print_repair(const bw_groom_report *report) {
    char a[CLI_TEXT_SIZE], b[CLI_TEXT_SIZE], c[CLI_TEXT_SIZE];
    for (size_t i = 0; i < report->changes.count; i++) {
        const bw_warning *change = &report->changes.data[i];
        printf("changed   %s: ", change->code);
        cli_print_name(change->message);
        printf(" (%s, the first: ", cli_count(a, change->count, "case"));
        cli_print_name(change->first);
        printf(")\n");
    }
    printf("%-9s %s, %s, %s", report->dry_run ? "would be" : "written", cli_count(a, report->written_strands, "strand"),
           cli_count(b, report->written_guides, "guide"), cli_count(c, report->written_points, "point"));
    if (report->shape_error_cm > 0) {
        printf("; at most %s off the splines", centimetres(a, report->shape_error_cm));
    }
    printf("\n");
    if (report->follows) {
        printf("follow    strands that follow their guides are at most %s off their own motion, RMS %s\n",
               centimetres(a, report->follow_max_cm), centimetres(b, report->follow_rms_cm));
    }
    for (size_t i = 0; i < report->outputs.count; i++) {
        const bw_output_file *file = &report->outputs.data[i];
        printf("file      ");
        cli_print_name(file->path);
        printf(": %s%s", cli_bytes(a, file->bytes),
               report->dry_run ? ", not written"
               : file->changed ? ""
                               : ", as it was");
        if (is_archive(file->path)) {
            printf("; %s takes it as it is", report->engine);
        }
        printf("\n");
    }
}

void cli_print_groom_report(const bw_groom_report *report) {
    char a[CLI_TEXT_SIZE], b[CLI_TEXT_SIZE], c[CLI_TEXT_SIZE];
    cli_print_name(report->path);
    printf(": groom, %s", report->format);
    if (report->made_by[0]) {
        printf(", made by ");
        cli_print_name(report->made_by);
    }
    printf("\n%-9s %s", report->accepted ? "takes" : "fails", report->engine);
    if (strcmp(report->format, "alembic") != 0) {
        printf(" (judged as an archive of the same hair, which -o writes)");
    }
    printf("\n");
    printf("strands   %s, %s, %s", cli_count(a, report->strands, "strand"), cli_count(b, report->guides, "guide"),
           cli_count(c, report->points, "point"));
    if (report->frames > 1) {
        printf(", %s", cli_count(a, report->frames, "frame"));
    }
    printf("\naxes      ");
    cli_print_name(report->from);
    printf(" (");
    cli_print_name(report->from_reason);
    printf(")\n");
    print_sizes(report);
    print_groups(report);
    print_attributes(report);
    print_findings(report);
    if (report->outputs.count) {
        print_repair(report);
    }
}
