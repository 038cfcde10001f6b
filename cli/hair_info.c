/* SPDX-License-Identifier: MIT
 * What a cyHair file holds, for people. */
#include <math.h>
#include <stdio.h>

#include "cli.h"

static void print_value(const float *value, uint32_t extent) {
    printf("%s", extent > 1 ? "(" : "");
    for (uint32_t c = 0; c < extent; c++) {
        printf(isnan(value[c]) ? "%sno number" : "%s%g", c ? ", " : "", (double)value[c]);
    }
    printf("%s", extent > 1 ? ")" : "");
}

static bool is_one(const bw_hair_array *array) {
    for (uint32_t c = 0; c < array->extent; c++) {
        if (array->min[c] < array->max[c]) {
            return false;
        }
    }
    return true;
}

void cli_print_hair_info(const bw_hair_info *info) {
    char a[CLI_TEXT_SIZE], b[CLI_TEXT_SIZE];
    cli_print_name(info->path);
    printf(": cyHair");
    if (info->made_by[0]) {
        printf(", ");
        cli_print_name(info->made_by);
    }
    printf("\nstrands   %s, %s\n", cli_count(a, info->strand_count, "strand"),
           cli_count(b, info->point_count, "point"));
    for (size_t i = 0; i < info->array_count; i++) {
        const bw_hair_array *array = &info->arrays[i];
        printf("%-9s %s: ", array->stored ? "array" : "default", array->name);
        if (array->stored) {
            printf("%s, ", cli_count(a, array->count, "value"));
        }
        print_value(array->min, array->extent);
        if (!is_one(array)) {
            printf(" to ");
            print_value(array->max, array->extent);
        }
        printf("\n");
    }
}
