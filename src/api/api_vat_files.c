/* SPDX-License-Identifier: MIT
 * Names of a bake's files. */
#include <string.h>

#include "api/api_vat.h"

/* A clip's name as a part of a file name that every file system takes. */
static const char *file_part(bwi_arena *arena, const char *name) {
    char *part = bwi_arena_string(arena, name, strlen(name) < 100 ? SIZE_MAX : 100);
    for (char *p = part; p && *p; ++p) {
        const bool plain =
            (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '-' || *p == '_';
        *p = plain ? *p : '_';
    }
    return part;
}

/* Names that differ by more than case, whatever the clips are called. */
static bool is_taken(const char *const *files, uint32_t count, const char *file) {
    for (uint32_t k = 0; k < count; ++k) {
        const char *a = files[k], *c = file;
        while (*a && (*a | 32) == (*c | 32))
            ++a, ++c;
        if (*a == 0 && *c == 0)
            return true;
    }
    return false;
}

static bool name_seed_file(bwi_vat_trial *trial, uint32_t page) {
    const char *name = trial->source->name, *extension = trial->plan.settings.format->extension;
    const char *part = file_part(trial->arena, trial->plan.clips[page].out.name);
    const char *file = part ? bwi_arena_printf(trial->arena, "%s_vat_pos.%s.%s", name, part, extension) : NULL;
    for (uint32_t k = 2; file && is_taken(trial->texel_files, page, file); ++k)
        file = bwi_arena_printf(trial->arena, "%s_vat_pos.%s-%u.%s", name, part, k, extension);
    trial->texel_files[page] = file;
    return file != NULL;
}

static bool name_native_file(const char **file, bwi_vat_trial *trial, const char *kind, uint32_t page,
                             const bwi_format_info *format) {
    const char *name = trial->source->name;
    *file = page ? bwi_arena_printf(trial->arena, "%s_vat_%s.%u.%s", name, kind, page, format->extension)
                 : bwi_arena_printf(trial->arena, "%s_vat_%s.%s", name, kind, format->extension);
    return *file != NULL;
}

/* OpenVAT's names, which its importers look for. */
static bool name_openvat_files(bwi_vat_trial *trial) {
    const bwi_vat_settings *s = &trial->plan.settings;
    const char *name = trial->source->name;
    trial->mesh_file = bwi_arena_printf(trial->arena, "%s.glb", name);
    trial->remap_info_file = bwi_arena_printf(trial->arena, "%s-remap_info.json", name);
    trial->texel_files[0] = bwi_arena_printf(trial->arena, "%s_vat.%s", name, s->format->extension);
    if (s->normal_format)
        trial->normal_files[0] = bwi_arena_printf(trial->arena, "%s_vnrm.%s", name, s->normal_format->extension);
    return trial->mesh_file && trial->remap_info_file && trial->texel_files[0] &&
           (!s->normal_format || trial->normal_files[0]);
}

static bool name_native_files(bwi_vat_trial *trial) {
    const bwi_vat_settings *s = &trial->plan.settings;
    const bool seed = s->layout == BW_VAT_LAYOUT_SEED;
    bool fits = true;
    for (uint32_t p = 0; fits && p < trial->plan.page_count; ++p) {
        fits =
            seed ? name_seed_file(trial, p)
                 : name_native_file(&trial->texel_files[p], trial, trial->plan.palette ? "bones" : "pos", p, s->format);
        if (fits && s->normal_format)
            fits = name_native_file(&trial->normal_files[p], trial, "nrm", p, s->normal_format);
    }
    if (fits && trial->plan.weight_rows)
        fits = name_native_file(&trial->weight_file, trial, "weights", 0, s->weight_format);
    return fits;
}

static bw_result guard(bwi_vat_trial *trial, const char *file, bw_error *error) {
    const bw_scene *scene = trial->source->scene;
    const char *folder = bwi_path_folder(trial->arena, scene->path);
    for (size_t k = 0; file && k < scene->files.count; ++k) {
        const char *input = k == 0   ? scene->path
                            : folder ? bwi_path_join(trial->arena, folder, scene->files.data[k].path)
                                     : NULL;
        if (!input)
            return bwi_fail_memory(error, NULL, &trial->source->call->mem, 0);
        bw_result result = bwi_outputs_guard(trial->outputs, file, input, error);
        if (result != BW_OK)
            return result;
    }
    return BW_OK;
}

bw_result bwi_vat_name_outputs(bwi_vat_trial *trial, bw_error *error) {
    const bwi_vat_source *source = trial->source;
    const uint32_t pages = trial->plan.page_count;
    trial->mesh_file = bwi_arena_printf(trial->arena, "%s_vat.glb", source->name);
    trial->texel_files = bwi_arena_alloc(trial->arena, pages, sizeof *trial->texel_files);
    trial->normal_files = bwi_arena_alloc(trial->arena, pages, sizeof *trial->normal_files);
    trial->level_meshes = bwi_arena_alloc(trial->arena, source->levels.count, sizeof *trial->level_meshes);
    bool fits = trial->mesh_file && trial->texel_files && trial->normal_files && trial->level_meshes;
    if (fits)
        fits =
            trial->plan.settings.layout == BW_VAT_LAYOUT_OPENVAT ? name_openvat_files(trial) : name_native_files(trial);
    for (size_t k = 0; fits && k < source->levels.count; ++k)
        fits =
            (trial->level_meshes[k] = bwi_arena_printf(trial->arena, "%s_vat.lod%zu.glb", source->name, k + 1)) != NULL;
    if (!fits)
        return bwi_fail_memory(error, NULL, &source->call->mem, 0);
    bw_result result = guard(trial, trial->mesh_file, error);
    for (size_t k = 0; result == BW_OK && k < source->levels.count; ++k)
        result = guard(trial, trial->level_meshes[k], error);
    if (result == BW_OK)
        result = guard(trial, source->manifest_file, error);
    if (result == BW_OK)
        result = guard(trial, trial->remap_info_file, error);
    if (result == BW_OK)
        result = guard(trial, trial->weight_file, error);
    for (uint32_t p = 0; result == BW_OK && p < pages; ++p) {
        result = guard(trial, trial->texel_files[p], error);
        if (result == BW_OK)
            result = guard(trial, trial->normal_files[p], error);
    }
    return result;
}
