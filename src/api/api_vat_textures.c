/* SPDX-License-Identifier: MIT
 * Textures of a bake: a page at a time from the plan to its file. */
#include <string.h>

#include "api/api_vat.h"
#include "image/image.h"

const bwi_output *bwi_vat_last_output(const bwi_vat_trial *trial) {
    return bwi_outputs_get(trial->outputs, bwi_outputs_count(trial->outputs) - 1);
}

static bw_result write_texture(bwi_vat_trial *trial, const bwi_manifest_texture *row, const bwi_texels *texels,
                               bw_error *error) {
    FILE *file = NULL;
    bw_result result = bwi_outputs_open(trial->outputs, &file, row->file, bwi_texture_role_name(row->role), error);
    if (result == BW_OK)
        result = bwi_image_write(file, row->file, bwi_format_info_of(row->format)->container, texels,
                                 &trial->source->call->env, error);
    if (result == BW_OK)
        result = bwi_outputs_close(trial->outputs, error);
    if (result != BW_OK)
        return result;
    const bwi_output *output = bwi_vat_last_output(trial);
    bwi_manifest_texture *kept = &trial->manifest.textures.data[trial->manifest.textures.count++];
    *kept = *row;
    kept->width = texels->width;
    kept->height = texels->height;
    kept->bytes = output->size;
    memcpy(kept->hash, output->hash.bytes, sizeof kept->hash);
    return BW_OK;
}

static bw_result write_page(bwi_vat_trial *trial, uint32_t page, void *carried, bw_error *error) {
    const bwi_vat_page *p = &trial->plan.pages[page];
    const bwi_vat_settings *s = &trial->plan.settings;
    const bwi_env *env = &trial->source->call->env;
    const size_t count = (size_t)p->width * p->height;
    bwi_texels texels = {p->width, p->height, s->format->type, NULL}, normals = {0};
    texels.data = bwi_alloc(env->mem, count, bwi_texel_size(texels.type));
    bool fits = texels.data != NULL;
    if (s->normal_format) {
        normals = (bwi_texels){p->width, p->height, s->normal_format->type, NULL};
        normals.data = bwi_alloc(env->mem, count, bwi_texel_size(normals.type));
        fits = fits && normals.data;
    }
    bw_result result =
        fits ? bwi_vat_encode_page(&trial->plan, page, &texels, normals.data ? &normals : NULL, carried, env, error)
             : bwi_fail_memory(error, NULL, env->mem, count * 2 * bwi_texel_size(texels.type));
    if (result == BW_OK) {
        const bwi_manifest_texture row = {.file = trial->texel_files[page],
                                          .role = trial->plan.palette ? BWI_ROLE_BONES : BWI_ROLE_POSITION,
                                          .page = page,
                                          .format = s->format->format,
                                          .decode = s->position_decode};
        result = write_texture(trial, &row, &texels, error);
    }
    if (result == BW_OK && normals.data) {
        const bwi_manifest_texture row = {.file = trial->normal_files[page],
                                          .role = BWI_ROLE_NORMAL,
                                          .page = page,
                                          .format = s->normal_format->format,
                                          .decode = s->normal_decode};
        result = write_texture(trial, &row, &normals, error);
    }
    bwi_free(env->mem, texels.data);
    bwi_free(env->mem, normals.data);
    return result;
}

static bw_result write_weights(bwi_vat_trial *trial, bw_error *error) {
    const bwi_vat_plan *plan = &trial->plan;
    const bwi_format_info *format = plan->settings.weight_format;
    bwi_mem *mem = &trial->source->call->mem;
    bwi_texels texels = {plan->weight_width, plan->weight_height, format->type, NULL};
    const size_t count = (size_t)texels.width * texels.height;
    texels.data = bwi_alloc(mem, count, bwi_texel_size(texels.type));
    if (!texels.data)
        return bwi_fail_memory(error, NULL, mem, count * bwi_texel_size(texels.type));
    bwi_vat_encode_weights(plan, &texels);
    const bwi_manifest_texture row = {
        .file = trial->weight_file, .role = BWI_ROLE_WEIGHTS, .format = format->format, .decode = BWI_DECODE_WEIGHTS};
    bw_result result = write_texture(trial, &row, &texels, error);
    bwi_free(mem, texels.data);
    return result;
}

bw_result bwi_vat_write_textures(bwi_vat_trial *trial, bw_error *error) {
    const bwi_vat_plan *plan = &trial->plan;
    const size_t most = 2 * (size_t)plan->page_count + 1;
    uint64_t frames = 0;
    for (uint32_t p = 0; p < plan->page_count; ++p)
        frames += plan->pages[p].frame_count;
    trial->manifest.textures.data = bwi_arena_alloc(trial->arena, most, sizeof *trial->manifest.textures.data);
    if (!trial->manifest.textures.data)
        return bwi_fail_memory(error, NULL, &trial->source->call->mem, most * sizeof *trial->manifest.textures.data);
    void *carried = bwi_alloc(&trial->source->call->mem, bwi_carried_size(plan), 1);
    bw_result result =
        carried ? BW_OK : bwi_fail_memory(error, NULL, &trial->source->call->mem, bwi_carried_size(plan));
    bwi_progress_begin(trial->source->call->env.progress, "encode", frames);
    for (uint32_t p = 0; result == BW_OK && p < plan->page_count; ++p)
        result = write_page(trial, p, carried, error);
    bwi_free(&trial->source->call->mem, carried);
    return result == BW_OK && trial->weight_file ? write_weights(trial, error) : result;
}
