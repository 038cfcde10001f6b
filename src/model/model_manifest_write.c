/* SPDX-License-Identifier: MIT
 * Writes the manifest as JSON. */
#include <assert.h>

#include "model/model_priv.h"

static void write_hash(bwi_json_writer *w, const uint8_t hash[16]) {
    char hex[33];
    bwi_hash_hex(hex, hash);
    bwi_json_key_string(w, "hash", hex);
}

static void write_vec3(bwi_json_writer *w, const char *key, const float v[3]) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (int k = 0; k < 3; k++)
        bwi_json_float(w, v[k]);
    bwi_json_end_array(w);
}

static void write_box(bwi_json_writer *w, const char *key, const float min[3], const float max[3]) {
    bwi_json_key(w, key);
    bwi_json_begin_object(w);
    write_vec3(w, "min", min);
    write_vec3(w, "max", max);
    bwi_json_end_object(w);
}

/* A value of an enum whose name an option row holds. */
static void write_choice(bwi_json_writer *w, const char *key, int value) {
    char name[64] = "";
    const bw_option *option = bw_option_find(bw_vat_options(), key);
    bool known = option && bwi_choice_name(name, option, value);
    assert(known);
    (void)known;
    bwi_json_key_string(w, key, name);
}

static void write_file(bwi_json_writer *w, const bwi_manifest_file *file) {
    bwi_json_key_string(w, "file", file->file);
    bwi_json_key_uint(w, "bytes", file->bytes);
    write_hash(w, file->hash);
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
    write_hash(w, texture->hash);
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
    write_vec3(w, "min", clip->pivot_min);
    write_vec3(w, "max", clip->pivot_max);
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
        write_file(w, &level->mesh);
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
        write_vec3(w, "position", probe->position);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_source(bwi_json_writer *w, const bwi_manifest *manifest) {
    bwi_json_key(w, "source");
    bwi_json_begin_object(w);
    write_file(w, &manifest->source.data[0]);
    bwi_json_key(w, "files");
    bwi_json_begin_array(w);
    for (size_t k = 1; k < manifest->source.count; k++) {
        bwi_json_begin_object(w);
        write_file(w, &manifest->source.data[k]);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    bwi_json_end_object(w);
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
    bwi_json_key_string(w, "schema", BWI_MANIFEST_SCHEMA);
    bwi_json_key_string(w, "generator", manifest->generator);
    bwi_json_key_string(w, "family", "vat");
    write_choice(w, "mode", (int)manifest->mode);
    write_choice(w, "layout", (int)manifest->layout);
    bwi_json_key_string(w, "format", bwi_format_info_of(manifest->format)->name);
    write_choice(w, "engine", (int)manifest->engine);
    bwi_json_key(w, "space");
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "up", manifest->space.up);
    bwi_json_key_string(w, "handedness", manifest->space.handedness);
    bwi_json_key_string(w, "unit", manifest->space.unit);
    bwi_json_end_object(w);
    bwi_json_key(w, "options");
    bwi_manifest_options_write(w, &manifest->options);
    bwi_json_key(w, "mesh");
    bwi_json_begin_object(w);
    write_file(w, &manifest->mesh);
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
        write_file(w, &manifest->remap_info);
        bwi_json_end_object(w);
        bwi_json_end_object(w);
    }
    write_error(w, manifest);
    write_levels(w, manifest);
    write_probes(w, manifest);
    write_source(w, manifest);
    bwi_json_end_object(w);
    if (!bwi_json_writer_end(w, NULL, NULL) && !ferror(file))
        return bwi_fail_memory(error, path, mem, 0);
    if (ferror(file))
        return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1,
                        "could not be written whole; free some space or choose another folder");
    return BW_OK;
}
