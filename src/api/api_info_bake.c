/* SPDX-License-Identifier: MIT
 * What a bake's manifest says. */
#define _POSIX_C_SOURCE 200809L

#include <sys/stat.h>

#include "api/api_priv.h"
#include "base/file.h"
#include "bakewell/info.h"
#include "model/pivot_manifest.h"
#include "vat/vat.h"

/* A pipe gives its bytes once: they are the scene's. */
static bw_result recognise(bool *is_pivot, const char *path, bwi_mem *mem, bw_error *error) {
    struct stat status;
    bwi_map map;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return BW_ERR_UNRECOGNISED;
    bw_result result = bwi_map_open(&map, path, mem, error);
    if (result != BW_OK)
        return result;
    const bool is_manifest = bwi_manifest_recognise(map.data, map.size);
    *is_pivot = bwi_manifest_is_of(map.data, map.size, "pivot");
    bwi_map_close(&map);
    return is_manifest ? BW_OK
                       : bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0,
                                  "is no manifest of a bake; name the .json file "
                                  "that a bake wrote");
}

static bw_result fill_textures(bw_bake_info *info, const bwi_manifest *m, bw_error *error) {
    bw_texture_info *list = bwi_arena_alloc(info->arena, m->textures.count, sizeof *list);
    if (!list)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(info->arena), m->textures.count * sizeof *list);
    for (size_t k = 0; k < m->textures.count; ++k) {
        const bwi_manifest_texture *t = &m->textures.data[k];
        const bwi_format_info *format = bwi_format_info_of(t->format);
        list[k] = (bw_texture_info){.file = t->file,
                                    .role = bwi_texture_role_name(t->role),
                                    .format = format->name,
                                    .decode = bwi_texture_decode_name(t->decode),
                                    .page = t->page,
                                    .width = t->width,
                                    .height = t->height,
                                    .bytes = t->bytes};
        info->texture_bytes += (uint64_t)t->width * t->height * bwi_texel_size(format->type);
    }
    info->textures.data = list;
    info->textures.count = m->textures.count;
    return BW_OK;
}

static bw_result fill_levels(bw_bake_info *info, const bwi_manifest *m, bw_error *error) {
    const size_t count = m->levels.count;
    bwi_level_error *errors = bwi_arena_alloc(info->arena, count, sizeof *errors);
    if (!errors)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(info->arena), count * sizeof *errors);
    for (size_t k = 0; k < count; ++k)
        errors[k] = (bwi_level_error){m->levels.data[k].rest_max, m->levels.data[k].rest_rms, m->levels.data[k].frames};
    return bwi_report_levels(&info->levels.data, &info->levels.count, info->arena, m, errors, error);
}

static bw_result fill_sources(bw_bake_info *info, const bwi_manifest_file *files, size_t count, bw_error *error) {
    const char **sources = bwi_arena_alloc(info->arena, count, sizeof *sources);
    if (!sources)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(info->arena), count * sizeof *sources);
    for (size_t k = 0; k < count; ++k)
        sources[k] = files[k].file;
    info->sources = (bw_string_list){sources, count};
    return BW_OK;
}

static bw_result fill(bw_bake_info *info, const bwi_manifest *m, bw_error *error) {
    info->mode = bwi_mode_name(m->mode);
    info->layout = bwi_layout_name(m->layout);
    info->format = bwi_format_info_of(m->format)->name;
    info->vertex_count = m->element_count;
    info->frame_count = m->frame_count;
    info->uv_set = m->uv_set;
    info->bones = (bw_string_list){m->bones.names, m->bones.count};
    info->influence_count = m->bones.count ? m->bones.influence_count : 0;
    info->skin_in = bwi_vat_skin_in_name(&m->bones);
    info->root_node = m->clips.data[0].root.node;
    info->has_error = m->has_error;
    info->error = m->error;
    info->family = "vat";
    info->generator = m->generator;
    info->engine = bwi_engine_name(m->engine);
    info->up = m->space.up;
    info->handedness = m->space.handedness;
    info->unit = m->space.unit;
    info->mesh = m->mesh.file;
    info->mesh_bytes = m->mesh.bytes;
    bw_result result = fill_sources(info, m->source.data, m->source.count, error);
    if (result == BW_OK)
        result = fill_textures(info, m, error);
    if (result == BW_OK)
        result = fill_levels(info, m, error);
    return result == BW_OK ? bwi_report_clips(&info->clips.data, &info->clips.count, info->arena, m, error) : result;
}

static bw_result fill_pivot(bw_bake_info *info, const bwi_pivot_manifest *m, bw_error *error) {
    bw_texture_info *textures = bwi_arena_alloc(info->arena, m->textures.count, sizeof *textures);
    bw_baked_level *levels = bwi_arena_alloc(info->arena, m->levels.count, sizeof *levels);
    if (!textures || !levels)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(info->arena), m->textures.count * sizeof *textures);
    for (size_t k = 0; k < m->textures.count; k++) {
        const bwi_pivot_texture *t = &m->textures.data[k];
        const bwi_format_info *format = bwi_format_info_of(t->format);
        textures[k] = (bw_texture_info){.file = t->file.file,
                                        .role = bwi_pivot_role_name(t->role),
                                        .format = format->name,
                                        .decode = bwi_arena_printf(info->arena, "%s+%s", bwi_pivot_rgb_name(t->rgb),
                                                                   bwi_pivot_alpha_name(t->alpha)),
                                        .width = t->width,
                                        .height = t->height,
                                        .bytes = t->file.bytes};
        info->texture_bytes += (uint64_t)t->width * t->height * bwi_texel_size(format->type);
        if (!textures[k].decode)
            return bwi_fail_memory(error, NULL, bwi_arena_mem(info->arena), 0);
    }
    for (size_t k = 0; k < m->levels.count; k++)
        levels[k] =
            (bw_baked_level){.file = m->levels.data[k].mesh.file, .vertex_count = m->levels.data[k].vertex_count};
    info->pivot = m->facts;
    info->textures.data = textures;
    info->textures.count = m->textures.count;
    info->levels.data = levels;
    info->levels.count = m->levels.count;
    info->vertex_count = m->vertex_count;
    info->uv_set = m->uv_set;
    info->family = "pivot";
    info->generator = m->generator;
    info->engine = bwi_engine_name(m->engine);
    info->up = m->space.up;
    info->handedness = m->space.handedness;
    info->unit = m->space.unit;
    info->mesh = m->mesh.file;
    info->mesh_bytes = m->mesh.bytes;
    return fill_sources(info, m->source.data, m->source.count, error);
}

/* In: is_pivot — of which family the manifest is. */
static bw_result read_and_fill(bw_bake_info *info, const char *path, bool is_pivot, bw_error *error) {
    bwi_manifest *manifest = NULL;
    bwi_pivot_manifest *pivot = NULL;
    bw_result result = is_pivot ? bwi_pivot_manifest_read(&pivot, info->arena, path, error)
                                : bwi_manifest_read(&manifest, info->arena, path, error);
    if (result != BW_OK)
        return result;
    return is_pivot ? fill_pivot(info, pivot, error) : fill(info, manifest, error);
}

bw_result bw_bake_describe(bw_bake_info **info, const char *path, const bw_run_opts *run, bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(run ? run->memory_limit : 0);
    bw_bake_info *out = arena ? bwi_arena_alloc(arena, 1, sizeof *out) : NULL;
    if (!out) {
        bwi_arena_free(arena);
        return bwi_fail(error, BW_ERR_MEMORY, path, -1, "memory ran out before the manifest was read");
    }
    out->arena = arena;
    bool is_pivot = false;
    bw_result result = recognise(&is_pivot, path, bwi_arena_mem(arena), error);
    if (result == BW_OK)
        result = read_and_fill(out, path, is_pivot, error);
    if (result == BW_OK) {
        out->path = bwi_arena_string(arena, path, SIZE_MAX);
        if (!out->path)
            result = bwi_fail_memory(error, path, bwi_arena_mem(arena), 0);
    }
    if (result != BW_OK) {
        bwi_arena_free(arena);
        return result;
    }
    *info = out;
    return BW_OK;
}

void bw_free_bake_info(bw_bake_info *info) {
    if (info)
        bwi_arena_free(info->arena);
}
