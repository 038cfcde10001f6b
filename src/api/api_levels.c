/* SPDX-License-Identifier: MIT
 * Levels of detail: which files they are, and their vertex lists, moved by the base's clips. */
#include <string.h>

#include "api/api_priv.h"
#include "base/file.h"
#include "metric/metric.h"
#include "read/read.h"
#include "scene/scene.h"

enum { MOST_LEVELS = 16 };

/* Where the digit of "hero_LOD0" stands, or NULL. */
static const char *level_digit(const char *stem) {
    const size_t length = strlen(stem);
    const char *end = stem + length - 5;
    const bool marked = length > 5 && end[0] == '_' && (end[1] | 32) == 'l' && (end[2] | 32) == 'o' &&
                        (end[3] | 32) == 'd' && end[4] == '0';
    return marked ? end + 4 : NULL;
}

static bw_result find_beside(const char **path, bwi_arena *arena, const char *scene_path, const char *beginning,
                             uint32_t level, bw_error *error) {
    const char *dot = strrchr(bwi_path_basename(scene_path), '.'), *folder = bwi_path_folder(arena, scene_path);
    const char *const endings[] = {dot ? dot : "", ".glb", ".gltf"};
    *path = NULL;
    for (size_t k = 0; folder && !*path && k < sizeof endings / sizeof endings[0]; ++k) {
        const char *name = bwi_arena_printf(arena, "%s%u%s", beginning, level, endings[k]);
        const char *candidate = name ? bwi_path_join(arena, folder, name) : NULL;
        if (!candidate)
            return bwi_fail_memory(error, scene_path, bwi_arena_mem(arena), 0);
        if (bwi_path_same_file(candidate, candidate))
            *path = candidate;
    }
    return folder ? BW_OK : bwi_fail_memory(error, scene_path, bwi_arena_mem(arena), 0);
}

bw_result bwi_find_levels(bwi_named_files *files, bool *found, bwi_arena *arena, const char *scene_path,
                          bw_string_list names, bw_error *error) {
    *files = (bwi_named_files){0};
    *found = false;
    if (names.count == 1 && strcmp(names.data[0], "none") == 0)
        return BW_OK;
    if (names.count)
        return bwi_name_files(files, arena, scene_path, names, NULL, "lod", error);
    const char *stem = bwi_path_stem(arena, scene_path), *digit = stem ? level_digit(stem) : NULL;
    const char *beginning = digit ? bwi_arena_string(arena, stem, (size_t)(digit - stem)) : NULL;
    const char **paths = bwi_arena_alloc(arena, MOST_LEVELS, sizeof *paths);
    if (!stem || !paths || (digit && !beginning))
        return bwi_fail_memory(error, scene_path, bwi_arena_mem(arena), MOST_LEVELS * sizeof *paths);
    bw_string_list beside = {paths, 0};
    for (uint32_t k = 1; digit && k <= MOST_LEVELS; ++k) {
        const char *path = NULL;
        bw_result result = find_beside(&path, arena, scene_path, beginning, k, error);
        if (result != BW_OK)
            return result;
        if (!path)
            break;
        paths[beside.count++] = path;
    }
    *found = beside.count > 0;
    return bwi_name_files(files, arena, scene_path, beside, NULL, "lod", error);
}

/* The base's clips, by names; a level that lacks some of the joints says nothing, since its error is measured. */
static bw_result take_clips(bw_scene *level, const bw_scene *base, bwi_arena *scratch, bw_error *error) {
    bwi_clip_adopter *adopter = NULL;
    level->clips.count = 0;
    if (!base->clips.count)
        return BW_OK;
    bw_result result = bwi_clip_adopter_begin(&adopter, scratch, level, NULL, error);
    if (result == BW_OK)
        result = bwi_clip_adopter_add(adopter, base, NULL, error);
    return result == BW_OK ? bwi_clip_adopter_end(adopter, error) : result;
}

static bw_result load_level(bwi_levels *levels, bwi_call *call, bwi_arena *arena, bw_scene *base,
                            const bwi_named_file *file, const bw_vat_opts *opts, const bw_run_opts *run, bool no_images,
                            bw_error *error) {
    bw_scene_opts read = {.no_images = no_images, .up = opts->up, .units = opts->units, .run = *run};
    read.run.memory_limit = bwi_mem_left(&call->mem);
    bw_scene *scene = NULL;
    bw_result result = bwi_read_scene(&scene, file->path, &read, error);
    if (result != BW_OK)
        return result;
    levels->scenes[levels->count] = scene;
    result = take_clips(scene, base, arena, error);
    call->mem.used += bwi_arena_mem(scene->arena)->used;
    const bwi_node_filter wanted = {opts->include, opts->exclude};
    bwi_node_filter filter;
    if (result == BW_OK)
        result = bwi_node_filter_narrow(&filter, arena, scene, &wanted, error);
    if (result == BW_OK)
        result = bwi_vertex_list_build(&levels->lists[levels->count], arena, scene, &filter, &call->env, NULL, error);
    ++levels->count;
    return result == BW_OK ? bwi_add_sources(base, scene, file->relative, error) : result;
}

bw_result bwi_load_levels(bwi_levels *levels, bwi_call *call, bwi_arena *arena, bw_scene *base,
                          const bwi_named_files *files, const bw_vat_opts *opts, const bw_run_opts *run, bool no_images,
                          bw_error *error) {
    *levels = (bwi_levels){bwi_arena_alloc(arena, files->count, sizeof *levels->scenes),
                           bwi_arena_alloc(arena, files->count, sizeof *levels->lists), 0};
    if (!levels->scenes || !levels->lists)
        return bwi_fail_memory(error, base->path, &call->mem, files->count * sizeof *levels->scenes);
    bw_result result = BW_OK;
    for (size_t k = 0; result == BW_OK && k < files->count; ++k)
        result = load_level(levels, call, arena, base, &files->data[k], opts, run, no_images, error);
    return result;
}

void bwi_free_levels(bwi_levels *levels) {
    for (size_t k = 0; k < levels->count; ++k)
        bw_free_scene(levels->scenes[k]);
    levels->count = 0;
}

bw_result bwi_measure_levels(bwi_level_error *errors, bwi_decoder *decoder, const bwi_vertex_list *base,
                             const bwi_levels *levels, const bwi_env *env, bw_error *error) {
    bw_result result = BW_OK;
    for (size_t k = 0; result == BW_OK && k < levels->count; ++k)
        result = bwi_metric_level(&errors[k], decoder, k, base, levels->lists[k], env, error);
    return result;
}

bw_result bwi_report_levels(const bw_baked_level **out, size_t *count, bwi_arena *arena, const bwi_manifest *manifest,
                            const bwi_level_error *errors, bw_error *error) {
    const size_t levels = manifest->levels.count;
    bw_baked_level *list = bwi_arena_alloc(arena, levels, sizeof *list);
    if (!list)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), levels * sizeof *list);
    for (size_t k = 0; k < levels; ++k) {
        const bwi_manifest_level *level = &manifest->levels.data[k];
        bw_error_report report = {.stored = errors ? errors[k].frames : (bw_error_stats){0}};
        bw_result result = bwi_report_error(&report, &report, arena, error);
        if (result != BW_OK)
            return result;
        list[k] = (bw_baked_level){bwi_arena_string(arena, level->mesh.file, SIZE_MAX), level->vertex_count,
                                   errors ? errors[k].rest_max : 0.0, errors ? errors[k].rest_rms : 0.0, report.stored};
        if (!list[k].file)
            return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), 0);
    }
    *out = list;
    *count = levels;
    return BW_OK;
}
