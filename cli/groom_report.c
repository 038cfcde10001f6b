/* SPDX-License-Identifier: MIT
 * What is said of a groom, for people. */
#include <stdio.h>

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

static void print_attributes(const bw_groom_report *report) {
    for (size_t i = 0; i < report->attributes.count; i++) {
        const bw_groom_attribute_report *attribute = &report->attributes.data[i];
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
        printf("\n");
    }
}

static void print_findings(const bw_groom_report *report) {
    for (size_t i = 0; i < report->findings.count; i++) {
        const bw_groom_finding *finding = &report->findings.data[i];
        printf("%-9s %s: ", bw_groom_level_name(finding->level), finding->code);
        cli_print_name(finding->place);
        printf(": ");
        cli_print_name(finding->message);
        if (finding->fix[0]) {
            printf("; ");
            cli_print_name(finding->fix);
        }
        printf("\n");
    }
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
    printf("written   %s, %s, %s", cli_count(a, report->written_strands, "strand"),
           cli_count(b, report->written_guides, "guide"), cli_count(c, report->written_points, "point"));
    printf("; at most %s off the splines\n", centimetres(a, report->shape_error_cm));
    if (report->follows) {
        printf("follow    strands that follow their guides are at most %s off their own motion, RMS %s\n",
               centimetres(a, report->follow_max_cm), centimetres(b, report->follow_rms_cm));
    }
    for (size_t i = 0; i < report->outputs.count; i++) {
        printf("file      ");
        cli_print_name(report->outputs.data[i].path);
        printf(": %s%s\n", cli_bytes(a, report->outputs.data[i].bytes),
               report->outputs.data[i].changed ? "" : ", as it was");
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
    printf("\n%-9s %s\n", report->accepted ? "takes" : "fails", report->engine);
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
