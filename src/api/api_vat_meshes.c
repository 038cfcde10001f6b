/* SPDX-License-Identifier: MIT
 * Meshes of a bake: the one that is played, its levels of detail, OpenVAT's list of clips. */
#include <math.h>
#include <string.h>

#include "api/api_vat.h"
#include "base/math.h"
#include "model/openvat.h"
#include "write/write.h"

/* Out: file — as the manifest names it. */
static bw_result write_draw_list(bwi_manifest_file *file, uint8_t order_hash[16], bwi_vat_trial *trial,
                                 const char *file_name, const char *role, const bwi_draw_list *list,
                                 const bw_scene *scene, bw_error *error) {
    const bwi_glb_opts opts = {.name = trial->source->name,
                               .scene = trial->source->opts->materials == BW_VAT_MATERIALS_NONE ? NULL : scene};
    FILE *stream = NULL;
    bw_result result = bwi_outputs_open(trial->outputs, &stream, file_name, role, error);
    if (result == BW_OK)
        result = bwi_write_glb(stream, file_name, list, &opts, &trial->source->call->env, error);
    if (result == BW_OK)
        result = bwi_outputs_close(trial->outputs, error);
    if (result != BW_OK)
        return result;
    const bwi_output *output = bwi_vat_last_output(trial);
    *file = (bwi_manifest_file){file_name, output->size, {0}};
    memcpy(file->hash, output->hash.bytes, sizeof file->hash);
    bwi_hasher hasher;
    bwi_hasher_init(&hasher);
    bwi_hasher_add_floats(&hasher, list->positions, 3 * (size_t)list->vertex_count);
    const bwi_hash128 hash = bwi_hasher_end(&hasher);
    memcpy(order_hash, hash.bytes, sizeof hash.bytes);
    return BW_OK;
}

static bw_result write_mesh(bwi_vat_trial *trial, bw_error *error) {
    bwi_arena *arena = bwi_arena_create(&trial->source->call->mem);
    if (!arena)
        return bwi_fail_memory(error, NULL, &trial->source->call->mem, 0);
    bwi_draw_list list = {0};
    bw_result result = bwi_vat_draw_list(&list, &trial->manifest.uv_set, &trial->plan, arena, error);
    if (result == BW_OK && trial->manifest.uv_set > 1 && trial->manifest.uv_set != BW_NO_INDEX)
        bwi_warn(&trial->warnings, "uv-set-taken", 1,
                 "TEXCOORD_1 is taken, so the texels' UVs are in a higher set; point the shader at that one",
                 "TEXCOORD_%u", trial->manifest.uv_set);
    if (result == BW_OK)
        result = write_draw_list(&trial->manifest.mesh, trial->manifest.order_hash, trial, trial->mesh_file, "mesh",
                                 &list, trial->source->scene, error);
    if (result == BW_OK)
        trial->rest_diagonal = bwi_bounds_diagonal(list.positions, list.vertex_count);
    bwi_arena_free(arena);
    return result;
}

/* A rate over float key times is 29.99999996, and importers may take whole numbers only. */
static double whole_rate(double rate_fps) {
    const double whole = floor(rate_fps + 0.5);
    return fabs(rate_fps - whole) < 1e-3 && whole > 0.0 ? whole : rate_fps;
}

/* OpenVAT's own JSON: all clips on one time line, frames counted from 1. */
static bw_result write_remap_info(bwi_vat_trial *trial, bw_error *error) {
    const bwi_vat_plan *plan = &trial->plan;
    bwi_openvat_info info = {.frame_count = plan->frame_count};
    memcpy(info.min, plan->offset_min, sizeof info.min);
    memcpy(info.max, plan->offset_max, sizeof info.max);
    info.clips.count = plan->clip_count;
    info.clips.data = bwi_arena_alloc(trial->arena, plan->clip_count, sizeof *info.clips.data);
    if (!info.clips.data)
        return bwi_fail_memory(error, NULL, &trial->source->call->mem, plan->clip_count * sizeof *info.clips.data);
    for (uint32_t c = 0; c < plan->clip_count; ++c) {
        const bwi_manifest_clip *clip = &plan->clips[c].out;
        info.clips.data[c] =
            (bwi_openvat_clip){clip->name, (int64_t)clip->first_frame + 1,
                               (int64_t)clip->first_frame + clip->frame_count, whole_rate(clip->rate_fps), clip->loop};
    }
    FILE *file = NULL;
    bw_result result = bwi_outputs_open(trial->outputs, &file, trial->remap_info_file, "remap_info", error);
    if (result == BW_OK)
        result = bwi_openvat_write(file, trial->remap_info_file, &info, &trial->source->call->mem, error);
    if (result == BW_OK)
        result = bwi_outputs_close(trial->outputs, error);
    if (result != BW_OK)
        return result;
    trial->manifest.remap_info = (bwi_manifest_file){trial->remap_info_file, bwi_vat_last_output(trial)->size, {0}};
    memcpy(trial->manifest.remap_info.hash, bwi_vat_last_output(trial)->hash.bytes,
           sizeof trial->manifest.remap_info.hash);
    memcpy(trial->manifest.offset_min, plan->offset_min, sizeof info.min);
    memcpy(trial->manifest.offset_max, plan->offset_max, sizeof info.max);
    return BW_OK;
}

static bw_result write_level(bwi_vat_trial *trial, size_t index, bw_error *error) {
    const bwi_vertex_list *level = trial->source->levels.lists[index];
    bwi_manifest_level *row = &trial->manifest.levels.data[index];
    bwi_arena *arena = bwi_arena_create(&trial->source->call->mem);
    uint32_t *map = arena ? bwi_arena_alloc(arena, level->vertex_count, sizeof *map) : NULL;
    bwi_draw_list list = {0};
    bw_result result = map ? bwi_vat_map_level(map, trial->source->list, level, &trial->source->call->env, error)
                           : bwi_fail_memory(error, NULL, &trial->source->call->mem, level->vertex_count * sizeof *map);
    if (result == BW_OK)
        result = bwi_vat_level_draw_list(&list, &trial->plan, level, map, arena, error);
    if (result == BW_OK)
        result = write_draw_list(&row->mesh, row->order_hash, trial, trial->level_meshes[index], "level", &list,
                                 level->scene, error);
    row->vertex_count = level->vertex_count;
    bwi_arena_free(arena);
    return result;
}

static bw_result write_levels(bwi_vat_trial *trial, bw_error *error) {
    const size_t count = trial->source->levels.count;
    trial->manifest.levels.data = bwi_arena_alloc(trial->arena, count, sizeof *trial->manifest.levels.data);
    trial->level_errors = bwi_arena_alloc(trial->arena, count, sizeof *trial->level_errors);
    if (!trial->manifest.levels.data || !trial->level_errors)
        return bwi_fail_memory(error, NULL, &trial->source->call->mem, count * sizeof *trial->manifest.levels.data);
    trial->manifest.levels.count = count;
    bw_result result = BW_OK;
    for (size_t k = 0; result == BW_OK && k < count; ++k)
        result = write_level(trial, k, error);
    return result;
}

bw_result bwi_vat_write_meshes(bwi_vat_trial *trial, bw_error *error) {
    bw_result result = write_mesh(trial, error);
    if (result == BW_OK && trial->remap_info_file)
        result = write_remap_info(trial, error);
    return result == BW_OK ? write_levels(trial, error) : result;
}
