/* SPDX-License-Identifier: MIT
 * The reports of bakes and checks, in words that an artist understands. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* A rate or a time without needless digits: 30, 23.976, 0.7333. */
static const char *short_number(char text[CLI_TEXT_SIZE], double value) {
    (void)snprintf(text, CLI_TEXT_SIZE, "%.5g", value);
    return text;
}

/* "between   max 1.2 mm (0.07 % of the size) at clip Jump, frame 3, part Body; p99 0.4 mm; normals 0.4°" */
static void print_stats(const char *label, const bw_error_stats *stats) {
    char max[CLI_TEXT_SIZE];
    char relative[CLI_TEXT_SIZE];
    char p99[CLI_TEXT_SIZE];
    printf("%-9s max %s (%s of the size) at clip ", label, cli_length(max, stats->max),
           cli_percent(relative, stats->max_relative));
    cli_print_name(stats->worst.clip);
    printf(", frame %u, part ", stats->worst.frame);
    cli_print_name(stats->worst.part);
    printf("; p99 %s", cli_length(p99, stats->p99));
    if (stats->normal_deg > 0.0) {
        printf("; normals %.2g°", stats->normal_deg);
    }
    printf("\n");
}

void cli_print_errors(const bw_error_report *error) {
    if (error->stored.count) {
        print_stats("stored", &error->stored);
    }
    if (error->between.count) {
        print_stats("between", &error->between);
    }
    if (error->between_step.count) {
        print_stats("jumps", &error->between_step);
        printf("          (between frames where a stepped key falls: mixing the two frames cannot follow it)\n");
    }
}

void cli_print_levels(const bw_baked_level *levels, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const bw_baked_level *level = &levels[i];
        char text[CLI_TEXT_SIZE];
        char rms[CLI_TEXT_SIZE];
        printf("level %-3zu ", i + 1);
        cli_print_name(level->file);
        printf(": %s", cli_count(text, level->vertex_count, "vertex"));
        if (level->frames.count) {
            printf("; at rest up to %s off, rms %s; over all frames:\n", cli_length(text, level->rest_max),
                   cli_length(rms, level->rest_rms));
            print_stats("", &level->frames);
        } else {
            printf("\n");
        }
    }
}

static const bw_baked_clip *find_clip(const bw_baked_clip *clips, size_t count, const char *name) {
    for (size_t i = 0; name && i < count; i++) {
        if (strcmp(clips[i].name, name) == 0) {
            return &clips[i];
        }
    }
    return NULL;
}

/* Containers that keep few digits, and what people do about it. */
static const struct {
    const char *format, *keeps, *keeps_offset; /* the latter: where positions count from the rest pose */
} coarse_formats[] = {
    {"png8", "8 bits of a position", "8 bits of the longest way from the rest pose"},
    {"ktx2-u10", "10 bits of a position", NULL},
    {"exr16", "11 bits of a position, counted from the origin", "11 bits of the longest way from the rest pose"},
    {"ktx2-f16", "11 bits of a position, counted from the origin", NULL},
};

static bool stores_steps(const char *format) {
    return strcmp(format, "png8") == 0 || strcmp(format, "png16") == 0 || strcmp(format, "ktx2-u16") == 0 ||
           strcmp(format, "ktx2-u10") == 0 || strcmp(format, "raw") == 0;
}

/* The texel's range is the clip's bounds: a clip that travels far spends its digits on the way. */
static bool advise_on_travel(const bw_vat_report *report) {
    const double many_sizes = 8.0; /* then a 16-bit step is above a ten-thousandth of the figure */
    const bw_baked_clip *clip = find_clip(report->clips.data, report->clips.count, report->error.stored.worst.clip);
    if (!clip || report->rest_diagonal <= 0.0 || clip->diagonal < many_sizes * report->rest_diagonal ||
        !stores_steps(report->format)) {
        return false;
    }
    char span[CLI_TEXT_SIZE];
    char error[CLI_TEXT_SIZE];
    printf("hint      clip ");
    cli_print_name(clip->name);
    printf(" travels %s, and its texels spread over that: up to %s off; --root-motion=extract takes the "
           "travel\n          out for the engine to move the object by, --format=exr32 stores floats\n",
           cli_length(span, clip->diagonal), cli_length(error, report->error.stored.max));
    return true;
}

static void advise_on_format(const bw_vat_report *report) {
    const double visible = 2e-5; /* of the size: what 16-bit integers stay under */
    for (size_t i = 0; i < sizeof(coarse_formats) / sizeof(coarse_formats[0]); i++) {
        if (strcmp(report->format, coarse_formats[i].format) == 0 && report->error.stored.max_relative > visible) {
            const bool openvat = strcmp(report->layout, "openvat") == 0;
            printf("hint      %s keeps %s; %s\n", report->format,
                   openvat ? coarse_formats[i].keeps_offset : coarse_formats[i].keeps,
                   openvat ? "png16 is finer" : "png16 or exr32 in the native layout are finer");
        }
    }
}

/* Half-way between frames a straight line is taken for a curve; that error falls with the square of the rate. */
static void advise_on_rate(const bw_vat_report *report) {
    const double visible = 1e-3; /* of the size */
    const bw_error_stats *between = &report->error.between;
    const bw_baked_clip *clip = find_clip(report->clips.data, report->clips.count, between->worst.clip);
    if (clip && clip->rate_fps > 0.0 && clip->rate_fps <= 500.0 && between->max_relative > visible &&
        between->max > 4.0 * report->error.stored.max) {
        char rate[CLI_TEXT_SIZE];
        printf(
            "hint      the frame rate loses more than the texels: %s--fps=%s would leave about a quarter of the error "
            "between frames\n",
            strcmp(report->layout, "seed") == 0 ? "--layout=native with " : "",
            short_number(rate, ceil(2.0 * clip->rate_fps)));
    }
}

void cli_print_clips(const bw_baked_clip *clips, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char frames[CLI_TEXT_SIZE];
        char rate[CLI_TEXT_SIZE];
        char duration[CLI_TEXT_SIZE];
        printf("clip      ");
        cli_print_name(clips[i].name);
        printf(": %s, %s fps, %s s%s\n", cli_count(frames, clips[i].frame_count, "frame"),
               short_number(rate, clips[i].rate_fps), short_number(duration, clips[i].duration_s),
               clips[i].loop ? ", loops" : "");
    }
}

void cli_print_vat_report(const bw_vat_report *report) {
    if (report->up_to_date) {
        char files[CLI_TEXT_SIZE];
        printf("up to date: ");
        cli_print_name(report->manifest);
        printf(" and its %s\n", cli_count(files, report->outputs.count - 1, "other file"));
        cli_print_errors(&report->error);
        cli_print_levels(report->levels.data, report->levels.count);
        return;
    }
    cli_print_clips(report->clips.data, report->clips.count);
    cli_print_candidates(report);
    if (report->root_node) {
        printf("root      ");
        cli_print_name(report->root_node);
        printf(": its travel and turn are in the manifest, the texels hold every clip in place\n");
    }
    for (size_t i = 0; i < report->outputs.count; i++) {
        const bw_output_file *file = &report->outputs.data[i];
        char bytes[CLI_TEXT_SIZE];
        printf("%-9s ", report->dry_run ? "dry run" : file->changed ? "wrote" : "unchanged");
        cli_print_name(file->path);
        printf(": %s, %s\n", file->role, cli_bytes(bytes, file->bytes));
    }
    cli_print_errors(&report->error);
    cli_print_levels(report->levels.data, report->levels.count);
    if (!advise_on_travel(report)) {
        advise_on_format(report);
    }
    advise_on_rate(report);
}

void cli_print_verify_report(const bw_verify_report *report, const char *manifest, bool has_source) {
    char vertices[CLI_TEXT_SIZE];
    char frames[CLI_TEXT_SIZE];
    char clips[CLI_TEXT_SIZE];
    cli_print_name(manifest);
    if (report->mode) {
        printf(": %s, %s mode, %s layout; %s, %s in %s\n", report->family, report->mode, report->layout,
               cli_count(vertices, report->vertex_count, "vertex"), cli_count(frames, report->frame_count, "frame"),
               cli_count(clips, report->clips.count, "clip"));
    } else if (report->family) {
        printf(": %s; %s\n", report->family, cli_count(vertices, report->vertex_count, "vertex"));
        cli_print_pivot_facts(&report->pivot);
    } else {
        printf(": its files could not be decoded\n");
    }
    if (report->foreign) {
        cli_print_clips(report->clips.data, report->clips.count);
    }
    for (size_t i = 0; i < report->findings.count; i++) {
        const bw_warning *finding = &report->findings.data[i];
        char times[CLI_TEXT_SIZE];
        printf("differs   %s (%s, first: %s)\n", finding->message, cli_count(times, finding->count, "time"),
               finding->first);
    }
    if (!report->findings.count) {
        printf("files     as %s\n", report->foreign ? "OpenVAT's format has them" : "the manifest says");
    }
    if (report->compared && report->mode) {
        cli_print_errors(&report->error);
    } else if (report->compared) {
        cli_print_pivot_error(&report->pivot.error);
    } else if (!has_source && !report->foreign) {
        printf("compared  with no source: --against=SCENE measures the error\n");
    }
    cli_print_levels(report->levels.data, report->levels.count);
}

static void print_mesh(const bw_mesh_info *mesh) {
    char text[CLI_TEXT_SIZE];
    printf("mesh      ");
    cli_print_name(mesh->name);
    printf(": %s", cli_count(text, mesh->vertex_count, "vertex"));
    printf(", %s", cli_count(text, mesh->triangle_count, "triangle"));
    printf(", %s", cli_count(text, mesh->primitive_count, "primitive"));
    printf(", %s", cli_count(text, mesh->uv_set_count, "UV set"));
    if (mesh->joint_count) {
        printf(", skinned to %s", cli_count(text, mesh->joint_count, "joint"));
        printf(" with up to %s a vertex", cli_count(text, mesh->influence_count, "influence"));
    }
    if (mesh->target_count) {
        printf(", %s", cli_count(text, mesh->target_count, "morph target"));
    }
    if (mesh->node_count != 1) {
        printf(", shown by %s", cli_count(text, mesh->node_count, "node"));
    }
    printf("\n");
}

static void print_clip(const bw_clip_info *clip) {
    char start[CLI_TEXT_SIZE];
    char end[CLI_TEXT_SIZE];
    char text[CLI_TEXT_SIZE];
    printf("clip      ");
    cli_print_name(clip->name);
    printf(": %s s to %s s", short_number(start, clip->start_s), short_number(end, clip->end_s));
    if (clip->rate_fps > 0.0) {
        printf(", keys on a grid of %s fps", short_number(text, clip->rate_fps));
    } else {
        printf(", keys on no common grid");
    }
    printf(", %s", cli_count(text, clip->channel_count, "channel"));
    const struct {
        uint32_t count;
        const char *name;
    } kinds[] = {{clip->linear_count, "linear"}, {clip->step_count, "step"}, {clip->cubic_count, "cubic"}};
    const char *separator = " (";
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (kinds[i].count) {
            printf("%s%u %s", separator, kinds[i].count, kinds[i].name);
            separator = ", ";
        }
    }
    printf(")\n");
}

void cli_print_scene_info(const bw_scene_info *info) {
    char text[CLI_TEXT_SIZE];
    cli_print_name(info->path);
    printf(": %s", info->format);
    if (info->generator[0]) {
        printf(", made by ");
        cli_print_name(info->generator);
    }
    printf("\nscene     %s", cli_count(text, info->node_count, "node"));
    if (info->hidden_node_count) {
        printf(" (%u outside the default scene)", info->hidden_node_count);
    }
    printf(", %s", cli_count(text, info->meshes.count, "mesh"));
    printf(", %s", cli_count(text, info->skin_count, "skin"));
    printf(", %s", cli_count(text, info->clips.count, "clip"));
    printf(", %s", cli_count(text, info->material_count, "material"));
    printf(", %s", cli_count(text, info->texture_count, "texture"));
    printf(", %s\n", cli_count(text, info->image_count, "image"));
    for (size_t i = 0; i < info->meshes.count; i++) {
        print_mesh(&info->meshes.data[i]);
    }
    for (size_t i = 0; i < info->clips.count; i++) {
        print_clip(&info->clips.data[i]);
    }
    for (size_t i = 0; i < info->attachments.count; i++) {
        const bw_attachment_info *part = &info->attachments.data[i];
        printf("rides     ");
        cli_print_name(part->node);
        printf(" (mesh ");
        cli_print_name(part->mesh);
        printf(") on joint ");
        cli_print_name(part->joint);
        printf("\n");
    }
    for (size_t i = 0; i < info->warnings.count; i++) {
        const bw_warning *warning = &info->warnings.data[i];
        printf("unusual   %s (%s, first: %s)\n", warning->message, cli_count(text, warning->count, "time"),
               warning->first);
    }
}
