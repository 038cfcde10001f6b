/* SPDX-License-Identifier: MIT
 * What a bake holds, for people. */
#include <stdio.h>

#include "cli.h"

static void print_bones(const bw_bake_info *info) {
    enum { MOST_NAMES = 8 };
    char text[CLI_TEXT_SIZE];
    printf("%-9s %s", info->skin_in ? "bones" : "pieces",
           cli_count(text, info->bones.count, info->skin_in ? "bone" : "piece"));
    if (info->skin_in) {
        printf(", up to %u a vertex, in the %s", info->influence_count,
               info->skin_in[0] == 'm' ? "mesh" : "weight texture");
    }
    printf(": ");
    for (size_t i = 0; i < info->bones.count && i < MOST_NAMES; i++) {
        printf("%s", i ? ", " : "");
        cli_print_name(info->bones.data[i]);
    }
    printf("%s\n", info->bones.count > MOST_NAMES ? " …" : "");
}

void cli_print_bake_info(const bw_bake_info *info) {
    char text[CLI_TEXT_SIZE];
    cli_print_name(info->path);
    printf(": bake, made by ");
    cli_print_name(info->generator);
    if (info->mode) {
        printf("\nmode      %s, layout %s, format %s, engine %s\n", info->mode, info->layout, info->format,
               info->engine);
    } else {
        printf("\nfamily    %s, engine %s\n", info->family, info->engine);
        cli_print_pivot_facts(&info->pivot);
    }
    printf("space     %s up, %s-handed, %s\n", info->up, info->handedness, info->unit);
    printf("mesh      ");
    cli_print_name(info->mesh);
    printf(": %s", cli_count(text, info->vertex_count, "vertex"));
    if (info->uv_set != BW_NO_INDEX) {
        printf(", texels by TEXCOORD_%u", info->uv_set);
    }
    printf(", %s\n", cli_bytes(text, info->mesh_bytes));
    for (size_t i = 0; i < info->textures.count; i++) {
        const bw_texture_info *texture = &info->textures.data[i];
        printf("texture   ");
        cli_print_name(texture->file);
        printf(": %s, %u × %u %s, %s\n", texture->role, texture->width, texture->height, texture->format,
               cli_bytes(text, texture->bytes));
    }
    printf("memory    %s of texels\n", cli_bytes(text, info->texture_bytes));
    if (info->bones.count) {
        print_bones(info);
    }
    cli_print_clips(info->clips.data, info->clips.count);
    if (info->root_node) {
        printf("root      ");
        cli_print_name(info->root_node);
        printf(": its travel and turn are in the manifest\n");
    }
    for (size_t i = 0; i < info->sources.count; i++) {
        printf("source    ");
        cli_print_name(info->sources.data[i]);
        printf("\n");
    }
    if (info->mode) {
        cli_print_errors(&info->error);
    } else {
        cli_print_pivot_error(&info->pivot.error);
    }
    cli_print_levels(info->levels.data, info->levels.count);
}
