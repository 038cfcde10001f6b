/* SPDX-License-Identifier: MIT
 * What is said of a bake of pivots, for people. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static void print_levels(const bw_pivot_facts *facts) {
    char text[CLI_TEXT_SIZE];
    const uint32_t levels = facts->max_depth < BW_PIVOT_LEVELS ? facts->max_depth : BW_PIVOT_LEVELS;
    printf("levels    %s: ", cli_count(text, facts->max_depth, "level"));
    for (uint32_t k = 0; k < levels; k++) {
        printf("%s%u%s", k ? " / " : "", facts->level_counts[k],
               k + 1 == BW_PIVOT_LEVELS && facts->max_depth > BW_PIVOT_LEVELS ? " and deeper" : "");
    }
    printf("\n");
}

static void print_joined(const bw_pivot_facts *facts) {
    char text[CLI_TEXT_SIZE], length[CLI_TEXT_SIZE];
    if (facts->dropped_count) {
        printf("dropped   %s without triangles; children went to the one above\n",
               cli_count(text, facts->dropped_count, "element"));
    }
    if (facts->clustered_count) {
        printf("joined    %s to others of the same twig, pivots up to %s away\n",
               cli_count(text, facts->clustered_count, "element"), cli_length(length, facts->cluster_error));
    }
    if (facts->merged_count) {
        printf("joined    %s to those above, to keep the depth\n", cli_count(text, facts->merged_count, "element"));
    }
}

void cli_print_pivot_facts(const bw_pivot_facts *facts) {
    char count[CLI_TEXT_SIZE], roots[CLI_TEXT_SIZE];
    printf("elements  %s from %s, %s; lengths %s\n", cli_count(count, facts->element_count, "element"),
           strcmp(facts->kind, "program") == 0 ? "a program's plan" : facts->kind,
           cli_count(roots, facts->root_count, "root"), facts->tip ? "from the pivot to the tip" : "of the bounds");
    print_levels(facts);
    print_joined(facts);
}

void cli_print_pivot_error(const bw_pivot_error *error) {
    char a[CLI_TEXT_SIZE], b[CLI_TEXT_SIZE], c[CLI_TEXT_SIZE];
    if (error->wrong_parent_count) {
        printf("parents   %s on others than they should\n", cli_count(a, error->wrong_parent_count, "element"));
    } else {
        printf("parents   every element's chain is as it should be\n");
    }
    printf("error     pivots %s at most (element %u), %s on average; axes %.2f degrees; lengths %s\n",
           cli_length(a, error->pivot_max), error->pivot_worst, cli_length(b, error->pivot_mean), error->axis_max_deg,
           cli_length(c, error->extent_max));
    if (error->long_count || error->short_count) {
        printf("limits    %s above 20.48 m, ", cli_count(a, error->long_count, "element"));
        printf("%s under 8 cm: a byte holds no such length\n", cli_count(a, error->short_count, "element"));
    }
}

/* How the parents were found, and the least certain of each way. */
static void print_guesses(const bw_pivot_report *report) {
    static const struct {
        const char *found, *text;
    } WAYS[] = {{"ring", "by the open end at the parent's surface"},
                {"contact", "by touch"},
                {"nearest", "as the nearest, touching none"},
                {"root", "taken for roots"}};
    for (size_t k = 0; k < sizeof(WAYS) / sizeof(WAYS[0]); k++) {
        const bw_pivot_guess *least = NULL;
        uint64_t count = 0;
        for (size_t i = 0; i < report->guesses.count; i++) {
            const bw_pivot_guess *guess = &report->guesses.data[i];
            if (strcmp(guess->found, WAYS[k].found) != 0) {
                continue;
            }
            count++;
            least = !least || guess->confidence < least->confidence ? guess : least;
        }
        if (!count) {
            continue;
        }
        char text[CLI_TEXT_SIZE], length[CLI_TEXT_SIZE];
        printf("guessed   %s %s; least sure (%.0f %%): ", cli_count(text, count, "element"), WAYS[k].text,
               100 * least->confidence);
        cli_print_name(least->element);
        if (least->parent) {
            printf(" on ");
            cli_print_name(least->parent);
            printf(", %s away", cli_length(length, least->distance));
        }
        printf("\n");
    }
}

static void print_import_notes(const bw_pivot_report *report) {
    if (strcmp(report->engine, "unreal") == 0) {
        printf("import    mesh: combine meshes, full-precision UVs, no generated lightmap UVs in TEXCOORD_%u\n"
               "          textures: no mipmaps, no sRGB, nearest filter; the .exr as HDR (RGBA16F), the .png as vector "
               "displacement map (RGBA8)\n"
               "          material: tangent space normals off where the functions' normals are used\n",
               report->uv_set);
    }
}

void cli_print_pivot_report(const bw_pivot_report *report) {
    char text[CLI_TEXT_SIZE];
    if (report->up_to_date) {
        printf("up to date: ");
        cli_print_name(report->manifest);
        printf(" and its %s\n", cli_count(text, report->outputs.count - 1, "other file"));
        cli_print_pivot_facts(&report->facts);
        cli_print_pivot_error(&report->facts.error);
        return;
    }
    cli_print_pivot_facts(&report->facts);
    print_guesses(report);
    printf("texture   %u × %u texels, read by TEXCOORD_%u\n", report->width, report->height, report->uv_set);
    for (size_t i = 0; i < report->outputs.count; i++) {
        const bw_output_file *file = &report->outputs.data[i];
        printf("%-9s ", file->changed ? "wrote" : "unchanged");
        cli_print_name(file->path);
        printf(": %s, %s\n", file->role, cli_bytes(text, file->bytes));
    }
    cli_print_pivot_error(&report->facts.error);
    print_import_notes(report);
}
