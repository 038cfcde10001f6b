/* SPDX-License-Identifier: MIT
 * What an image holds, for people. */
#include <stdio.h>

#include "cli.h"

static void print_positions(const bw_image_info *info) {
    char text[CLI_TEXT_SIZE];
    printf("pivots    Pivot Painter positions and parents: %s", cli_count(text, info->element_count, "element"));
    printf(", %s", cli_count(text, info->root_count, "root"));
    printf(", %s of padding\n", cli_count(text, info->padding_count, "texel"));
    printf("depths   ");
    for (uint32_t i = 0; i < BW_IMAGE_DEPTHS && i <= info->max_depth; i++) {
        printf(" %u", info->depth_counts[i]);
    }
    printf("   elements by steps to their root%s\n",
           info->max_depth >= BW_IMAGE_DEPTHS ? "; the last: and deeper" : "");
    printf("parents   %s\n", info->packing);
    printf("bounds    (%g, %g, %g) to (%g, %g, %g) cm\n", (double)info->least[0], (double)info->least[1],
           (double)info->least[2], (double)info->most[0], (double)info->most[1], (double)info->most[2]);
}

void cli_print_image_info(const bw_image_info *info) {
    cli_print_name(info->path);
    printf(": %s image, %u × %u texels of %s\n", info->format, info->width, info->height, info->texels);
    if (info->kind == BW_IMAGE_PIVOT_POSITION) {
        print_positions(info);
    } else if (info->kind == BW_IMAGE_PIVOT_AXIS) {
        printf("axes      Pivot Painter axes and lengths: %g to %g cm, as the stock functions read them\n",
               info->extent_least_cm, info->extent_most_cm);
    }
    for (size_t i = 0; i < info->findings.count; i++) {
        const bw_warning *finding = &info->findings.data[i];
        printf("finding   %s: %s (%llu, first: %s)\n", finding->code, finding->message,
               (unsigned long long)finding->count, finding->first);
    }
}
