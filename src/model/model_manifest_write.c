/* SPDX-License-Identifier: MIT
 * Writes the manifest as JSON. */
#include <assert.h>

#include "model/model_priv.h"

static void write_box(bwi_json_writer *w, const char *key, const float min[3], const float max[3]) {
    bwi_json_key(w, key);
    bwi_json_begin_object(w);
    bwi_put_vec3(w, "min", min);
    bwi_put_vec3(w, "max", max);
    bwi_json_end_object(w);
}

static void write_texture(bwi_json_writer *w, const bwi_manifest_texture *texture) {
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "file", texture->file);
    bwi_json_key_string(w, "role", bwi_texture_role_names[texture->role]);
    bwi_json_key_uint(w, "page", texture->page);
    bwi_json_key_uint(w, "width", texture->width);
    bwi_json_key_uint(w, "height", texture->height);
    bwi_json_key_string(w, "format", bwi_format_info_of(texture->format)->name);
    bwi_json_key_string(w, "decode", bwi_texture_decode_names[texture->decode]);
    bwi_json_key_uint(w, "bytes", texture->bytes);
    bwi_put_hash(w, texture->hash);
    bwi_json_end_object(w);
}

/* What only bone and rigid mode have. */
static void write_bones(bwi_json_writer *w, const bwi_manifest *manifest) {
    const bwi_manifest_bones *bones = &manifest->bones;
    if (!bones->count)
        return;
    bwi_json_key(w, "bones");
    bwi_json_begin_object(w);
    bwi_json_key_uint(w, "count", bones->count);
    bwi_json_key_uint(w, "texels", bones->texel_count);
    bwi_json_key_uint(w, "per_row", bones->per_row);
    bwi_json_key(w, "names");
    bwi_json_begin_array(w);
    for (uint32_t k = 0; k < bones->count; k++)
        bwi_json_string(w, bones->names[k]);
    bwi_json_end_array(w);
    write_box(w, "pivots", bones->pivot_min, bones->pivot_max);
    bwi_json_end_object(w);
    if (manifest->mode == BW_VAT_MODE_RIGID)
        return;
    bwi_json_key(w, "skin");
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "in", bones->skin_in == BW_VAT_SKIN_IN_MESH ? "mesh" : "texture");
    bwi_json_key_uint(w, "influences", bones->influence_count);
    bwi_json_end_object(w);
}

static void write_pivots(bwi_json_writer *w, const bwi_manifest_clip *clip) {
    bwi_json_key(w, "pivots");
    bwi_json_begin_object(w);
    bwi_put_vec3(w, "min", clip->pivot_min);
    bwi_put_vec3(w, "max", clip->pivot_max);
    bwi_json_key(w, "max_scale");
    bwi_json_float(w, clip->max_scale);
    bwi_json_end_object(w);
}

static void write_clip(bwi_json_writer *w, const bwi_manifest_clip *clip, const bwi_manifest_bones *bones) {
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "name", clip->name);
    bwi_json_key_uint(w, "first_frame", clip->first_frame);
    bwi_json_key_uint(w, "frame_count", clip->frame_count);
    bwi_json_key_double(w, "rate", clip->rate_fps);
    bwi_json_key_double(w, "duration_s", clip->duration_s);
    bwi_json_key_bool(w, "loop", clip->loop);
    write_box(w, "bounds", clip->bounds_min, clip->bounds_max);
    if (bones->texel_count == 2)
        write_pivots(w, clip);
    bwi_json_key(w, "source");
    bwi_json_begin_object(w);
    bwi_json_key(w, "names");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < clip->source_names.count; k++)
        bwi_json_string(w, clip->source_names.data[k]);
    bwi_json_end_array(w);
    bwi_json_key_double(w, "start_s", clip->source_start_s);
    bwi_json_key_double(w, "end_s", clip->source_end_s);
    bwi_json_key_bool(w, "closed", clip->closed);
    bwi_json_end_object(w);
    bwi_manifest_tracks_write(w, clip);
    bwi_json_end_object(w);
}

static void write_error(bwi_json_writer *w, const bwi_manifest *manifest) {
    bwi_json_key(w, "error");
    if (manifest->has_error)
        bwi_error_report_write(w, &manifest->error);
    else
        bwi_json_string(w, NULL);
}

/* Only where there are levels: other bakes keep their bytes. */
static void write_levels(bwi_json_writer *w, const bwi_manifest *manifest) {
    if (!manifest->levels.count)
        return;
    bwi_json_key(w, "lods");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < manifest->levels.count; k++) {
        const bwi_manifest_level *level = &manifest->levels.data[k];
        char hex[33];
        bwi_json_begin_object(w);
        bwi_put_file(w, &level->mesh);
        bwi_json_key_uint(w, "vertex_count", level->vertex_count);
        bwi_hash_hex(hex, level->order_hash);
        bwi_json_key_string(w, "order_hash", hex);
        bwi_json_key(w, "error");
        if (level->has_error)
            bwi_level_error_write(w, level->rest_max, level->rest_rms, &level->frames);
        else
            bwi_json_string(w, NULL);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_probes(bwi_json_writer *w, const bwi_manifest *manifest) {
    bwi_json_key(w, "probes");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < manifest->probes.count; k++) {
        const bwi_probe *probe = &manifest->probes.data[k];
        bwi_json_begin_object(w);
        bwi_json_key_uint(w, "element", probe->element);
        bwi_json_key_string(w, "clip", manifest->clips.data[probe->clip].name);
        bwi_json_key_uint(w, "frame", probe->frame);
        bwi_put_vec3(w, "position", probe->position);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_frames(bwi_json_writer *w, const bwi_manifest *manifest) {
    char hex[33];
    bwi_json_key(w, "elements");
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "kind", "vertex");
    bwi_json_key_uint(w, "count", manifest->element_count);
    bwi_hash_hex(hex, manifest->order_hash);
    bwi_json_key_string(w, "order_hash", hex);
    bwi_json_end_object(w);
    bwi_json_key(w, "frames");
    bwi_json_begin_object(w);
    bwi_json_key_uint(w, "count", manifest->frame_count);
    bwi_json_key_uint(w, "rows_per_frame", manifest->rows_per_frame);
    bwi_json_key_uint(w, "per_page", manifest->frames_per_page);
    bwi_json_end_object(w);
    bwi_json_key(w, "clips");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < manifest->clips.count; k++)
        write_clip(w, &manifest->clips.data[k], &manifest->bones);
    bwi_json_end_array(w);
}

bw_result bwi_manifest_write(FILE *file, const char *path, const bwi_manifest *manifest, bwi_mem *mem,
                             bw_error *error) {
    assert(manifest->source.count >= 1);
    bwi_json_writer *w = bwi_json_writer_create(mem, file, 2);
    if (!w)
        return bwi_fail_memory(error, path, mem, 0);
    bwi_json_begin_object(w);
    bwi_put_family(w, manifest->generator, "vat");
    bwi_put_choice(w, "mode", (int)manifest->mode);
    bwi_put_choice(w, "layout", (int)manifest->layout);
    bwi_json_key_string(w, "format", bwi_format_info_of(manifest->format)->name);
    bwi_put_choice(w, "engine", (int)manifest->engine);
    bwi_put_space(w, &manifest->space);
    bwi_json_key(w, "options");
    bwi_manifest_options_write(w, bw_vat_options(), &manifest->options);
    bwi_json_key(w, "mesh");
    bwi_json_begin_object(w);
    bwi_put_file(w, &manifest->mesh);
    bwi_json_end_object(w);
    bwi_json_key(w, "textures");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < manifest->textures.count; k++)
        write_texture(w, &manifest->textures.data[k]);
    bwi_json_end_array(w);
    if (manifest->uv_set != BW_NO_INDEX)
        bwi_json_key_uint(w, "uv_set", manifest->uv_set);
    write_bones(w, manifest);
    write_frames(w, manifest);
    write_box(w, "bounds", manifest->bounds_min, manifest->bounds_max);
    if (manifest->layout == BW_VAT_LAYOUT_OPENVAT) {
        bwi_json_key(w, "openvat");
        bwi_json_begin_object(w);
        write_box(w, "bounds", manifest->offset_min, manifest->offset_max);
        bwi_json_key(w, "remap_info");
        bwi_json_begin_object(w);
        bwi_put_file(w, &manifest->remap_info);
        bwi_json_end_object(w);
        bwi_json_end_object(w);
    }
    write_error(w, manifest);
    write_levels(w, manifest);
    write_probes(w, manifest);
    bwi_put_source(w, manifest->source.data, manifest->source.count);
    bwi_json_end_object(w);
    return bwi_put_end(w, file, path, mem, error);
}
