/* SPDX-License-Identifier: MIT
 * Reads and checks a manifest.  Every size in it is a claim: arrays are as long as the JSON text made them, and no
 * count of elements, frames or pages is trusted before it agrees with the rest. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "model/model_priv.h"

enum { UV_SET_END = 64 };

/* Schema, family and mode say whether the rest can be understood at all. */
static bool read_head(bwi_reader *r, bwi_manifest *m, const json_t *root) {
    if (!bwi_get_family(r, &m->generator, root, "vat"))
        return false;
    int mode, layout, engine;
    if (!bwi_get_choice(r, &mode, root, "mode", BW_ERR_UNSUPPORTED))
        return false;
    m->mode = (bw_vat_mode)mode;
    if (m->mode == BW_VAT_MODE_AUTO)
        return bwi_refuse(r, &(bwi_place){NULL, "mode", 0}, json_object_get(root, "mode"), "what auto chose");
    if (!bwi_get_choice(r, &layout, root, "layout", BW_ERR_UNSUPPORTED) ||
        !bwi_get_choice(r, &engine, root, "engine", BW_ERR_MALFORMED))
        return false;
    m->layout = (bw_vat_layout)layout;
    if (m->mode != BW_VAT_MODE_VERTEX && m->layout != BW_VAT_LAYOUT_NATIVE)
        return bwi_refuse(r, &(bwi_place){NULL, "layout", 0}, json_object_get(root, "layout"),
                          "native, the only layout of this mode");
    m->engine = (bw_engine)engine;
    const json_t *options;
    if (!bwi_get_format(r, &m->format, NULL, root) || !bwi_get_space(r, &m->space, root) ||
        !bwi_get_object(r, &options, NULL, root, "options"))
        return false;
    r->result = bwi_manifest_options_read(&m->options, bw_vat_options(), r->arena, options, r->path, r->error);
    return r->result == BW_OK;
}

static bool read_names(bwi_reader *r, bwi_manifest_bones *bones, const json_t *names) {
    static const bwi_place bones_at = {NULL, "bones", 0}, names_at = {&bones_at, "names", 0};
    if (json_array_size(names) != bones->count)
        return bwi_refuse(r, &names_at, names, "a name for each bone");
    const char **texts = bwi_take(r, bones->count, sizeof *texts);
    for (size_t k = 0; texts && k < bones->count; k++) {
        const json_t *name = json_array_get(names, k);
        if (!json_is_string(name))
            return bwi_refuse(r, &(bwi_place){&names_at, NULL, k}, name, "a string");
        if (!bwi_keep_string(r, &texts[k], json_string_value(name)))
            return false;
    }
    bones->names = texts;
    return texts != NULL;
}

/* What only bone and rigid mode have. */
static bool read_bones(bwi_reader *r, bwi_manifest *m, const json_t *root) {
    static const bwi_place bones_at = {NULL, "bones", 0}, skin_at = {NULL, "skin", 0};
    static const char *const places[] = {"texture", "mesh", NULL};
    bwi_manifest_bones *bones = &m->bones;
    const json_t *object, *names, *skin;
    if (m->mode == BW_VAT_MODE_VERTEX || m->mode == BW_VAT_MODE_SOUP)
        return true;
    if (!bwi_get_object(r, &object, NULL, root, "bones") ||
        !bwi_get_uint(r, &bones->count, &bones_at, object, "count", 1, UINT16_MAX) ||
        !bwi_get_uint(r, &bones->texel_count, &bones_at, object, "texels", 2, 3) ||
        !bwi_get_uint(r, &bones->per_row, &bones_at, object, "per_row", 1, BWI_LARGEST_SIDE) ||
        !bwi_get_array(r, &names, &bones_at, object, "names") || !read_names(r, bones, names) ||
        !bwi_get_box(r, bones->pivot_min, bones->pivot_max, &bones_at, object, "pivots"))
        return false;
    bones->influence_count = 1;
    if (m->mode == BW_VAT_MODE_RIGID)
        return true;
    int in;
    if (!bwi_get_object(r, &skin, NULL, root, "skin") || !bwi_get_name(r, &in, &skin_at, skin, "in", places) ||
        !bwi_get_uint(r, &bones->influence_count, &skin_at, skin, "influences", 4, 8))
        return false;
    if (bones->influence_count % 4)
        return bwi_refuse(r, &(bwi_place){&skin_at, "influences", 0}, json_object_get(skin, "influences"), "4 or 8");
    bones->skin_in = in == 0 ? BW_VAT_SKIN_IN_TEXTURE : BW_VAT_SKIN_IN_MESH;
    return true;
}

/* A mesh that has joints and weights itself has no texels to point at. */
static bool read_uv_set(bwi_reader *r, bwi_manifest *m, const json_t *root) {
    m->uv_set = BW_NO_INDEX;
    return m->bones.skin_in == BW_VAT_SKIN_IN_MESH ||
           bwi_get_uint(r, &m->uv_set, NULL, root, "uv_set", 0, UV_SET_END - 1);
}

/* Rows that bones need. */
static bool check_rows(bwi_reader *r, const bwi_manifest *m, const bwi_place *frames_at, const json_t *frames) {
    return !m->bones.count || m->rows_per_frame == bwi_blocks_of(m->bones.count, m->bones.per_row) ||
           bwi_refuse(r, &(bwi_place){frames_at, "rows_per_frame", 0}, json_object_get(frames, "rows_per_frame"),
                      "as many rows as bones.count and bones.per_row make");
}

static bool read_frames(bwi_reader *r, bwi_manifest *m, const json_t *root) {
    static const bwi_place elements_at = {NULL, "elements", 0}, frames_at = {NULL, "frames", 0};
    static const char *const kinds[] = {"vertex", NULL};
    const json_t *elements, *frames;
    const char *kind;
    bool seed = m->layout == BW_VAT_LAYOUT_SEED;
    return read_uv_set(r, m, root) && bwi_get_object(r, &elements, NULL, root, "elements") &&
           bwi_keep_name(r, &kind, &elements_at, elements, "kind", kinds) &&
           bwi_get_uint(r, &m->element_count, &elements_at, elements, "count", 1, INT32_MAX) &&
           bwi_get_hash(r, m->order_hash, &elements_at, elements, "order_hash") &&
           bwi_get_object(r, &frames, NULL, root, "frames") &&
           bwi_get_uint(r, &m->frame_count, &frames_at, frames, "count", 1, INT32_MAX) &&
           bwi_get_uint(r, &m->rows_per_frame, &frames_at, frames, "rows_per_frame", 1, seed ? 1 : BWI_LARGEST_SIDE) &&
           check_rows(r, m, &frames_at, frames) &&
           bwi_get_uint(r, &m->frames_per_page, &frames_at, frames, "per_page",
                        seed                                 ? 0
                        : m->layout == BW_VAT_LAYOUT_OPENVAT ? m->frame_count
                                                             : 1,
                        seed ? 0 : BWI_LARGEST_SIDE);
}

/* Ranges of what the bones' codes stand for. */
static bool read_pivots(bwi_reader *r, bwi_manifest_clip *clip, const bwi_manifest *m, const bwi_place *at,
                        const json_t *item) {
    if (m->bones.texel_count != 2)
        return true;
    bwi_place pivots_at = {at, "pivots", 0};
    double scale = 0.0;
    if (!bwi_get_box(r, clip->pivot_min, clip->pivot_max, at, item, "pivots"))
        return false;
    const json_t *pivots = json_object_get(item, "pivots"), *value = json_object_get(pivots, "max_scale");
    scale = json_number_value(value);
    clip->max_scale = scale > 0.0 && scale <= (double)FLT_MAX ? (float)scale : 0.0f;
    return clip->max_scale > 0.0f ||
           bwi_refuse(r, &(bwi_place){&pivots_at, "max_scale", 0}, value, "a 32-bit float above 0");
}

/* In: first_frame — where the clip before it ended: clips follow each other without gaps. */
static bool read_clip(bwi_reader *r, bwi_manifest_clip *clip, uint32_t first_frame, const bwi_manifest *m,
                      const bwi_place *at, const json_t *item) {
    if (!json_is_object(item))
        return bwi_refuse(r, at, item, "an object");
    bwi_place source_at = {at, "source", 0}, names_at = {&source_at, "names", 0};
    const json_t *source, *names;
    if (!bwi_get_string(r, &clip->name, at, item, "name") ||
        !bwi_get_uint(r, &clip->first_frame, at, item, "first_frame", first_frame, first_frame) ||
        !bwi_get_uint(r, &clip->frame_count, at, item, "frame_count", 1, m->frame_count - clip->first_frame) ||
        !bwi_get_real(r, &clip->rate_fps, at, item, "rate", 0) ||
        !bwi_get_real(r, &clip->duration_s, at, item, "duration_s", 0) ||
        !bwi_get_bool(r, &clip->loop, at, item, "loop") ||
        !bwi_get_bounds(r, clip->bounds_min, clip->bounds_max, at, item) || !read_pivots(r, clip, m, at, item) ||
        !bwi_get_object(r, &source, at, item, "source") || !bwi_get_array(r, &names, &source_at, source, "names") ||
        !bwi_get_real(r, &clip->source_start_s, &source_at, source, "start_s", -DBL_MAX) ||
        !bwi_get_real(r, &clip->source_end_s, &source_at, source, "end_s", clip->source_start_s) ||
        !bwi_get_bool(r, &clip->closed, &source_at, source, "closed"))
        return false;
    size_t count = json_array_size(names);
    const char **texts = bwi_take(r, count, sizeof *texts);
    if (!texts)
        return false;
    for (size_t k = 0; k < count; k++) {
        const json_t *name = json_array_get(names, k);
        if (!json_is_string(name))
            return bwi_refuse(r, &(bwi_place){&names_at, NULL, k}, name, "a string");
        if (!bwi_keep_string(r, &texts[k], json_string_value(name)))
            return false;
    }
    clip->source_names = (bw_string_list){texts, count};
    return true;
}

/* Out: by_name — object: name of a clip to its index. */
static bool read_clips(bwi_reader *r, bwi_manifest *m, const json_t *root, json_t *by_name) {
    static const bwi_place clips_at = {NULL, "clips", 0};
    const json_t *clips;
    if (!bwi_get_array(r, &clips, NULL, root, "clips"))
        return false;
    size_t count = json_array_size(clips);
    if (!count)
        return bwi_refuse(r, &clips_at, clips, "at least one clip");
    m->clips.data = bwi_take(r, count, sizeof *m->clips.data);
    if (!m->clips.data)
        return false;
    m->clips.count = count;
    uint32_t next = 0;
    for (size_t k = 0; k < count; k++) {
        bwi_place at = {&clips_at, NULL, k}, name_at = {&at, "name", 0};
        const json_t *item = json_array_get(clips, k);
        if (next == m->frame_count)
            return bwi_refuse(r, &clips_at, clips, "no clip after the last frame");
        if (!read_clip(r, &m->clips.data[k], next, m, &at, item))
            return false;
        next += m->clips.data[k].frame_count;
        const char *name = m->clips.data[k].name;
        if (json_object_get(by_name, name))
            return bwi_refuse(r, &name_at, json_object_get(item, "name"), "a name that no other clip has");
        if (json_object_set_new(by_name, name, json_integer((json_int_t)k)) != 0)
            return bwi_refuse_memory(r, strlen(name));
        r->result = bwi_manifest_tracks_read(&m->clips.data[k], r->arena, item, k, r->path, r->error);
        if (r->result != BW_OK)
            return false;
    }
    if (next != m->frame_count)
        return bwi_refuse(r, &clips_at, clips, "clips that hold every frame of frames.count");
    return bwi_get_bounds(r, m->bounds_min, m->bounds_max, NULL, root);
}

/* Index of the clip that `key` names. */
static bool get_clip(bwi_reader *r, uint32_t *out, const bwi_place *up, const json_t *object, const char *key,
                     const json_t *by_name) {
    const char *name = NULL;
    if (!bwi_get_raw_string(r, &name, up, object, key))
        return false;
    const json_t *index = json_object_get(by_name, name);
    if (!index)
        return bwi_refuse(r, &(bwi_place){up, key, 0}, json_object_get(object, key),
                          "the name of a clip of the manifest");
    *out = (uint32_t)json_integer_value(index);
    return true;
}

/* In: vertex_count — of the mesh that was measured. */
static bool read_stats(bwi_reader *r, bw_error_stats *stats, const bwi_manifest *m, uint32_t vertex_count,
                       const bwi_place *up, const json_t *object, const char *key, const json_t *by_name) {
    const json_t *section = json_object_get(object, key), *worst;
    if (json_is_null(section))
        return true;
    bwi_place at = {up, key, 0}, worst_at = {&at, "worst", 0};
    uint32_t clip = 0;
    if (!bwi_get_object(r, &section, up, object, key) ||
        !bwi_get_uint64(r, &stats->count, &at, section, "count", 1, INT64_MAX) ||
        !bwi_get_real(r, &stats->max, &at, section, "max", 0) ||
        !bwi_get_real(r, &stats->p99, &at, section, "p99", 0) ||
        !bwi_get_real(r, &stats->rms, &at, section, "rms", 0) ||
        !bwi_get_real(r, &stats->max_relative, &at, section, "max_relative", 0) ||
        !bwi_get_real(r, &stats->normal_deg, &at, section, "normal_deg", 0) ||
        !bwi_get_object(r, &worst, &at, section, "worst") || !get_clip(r, &clip, &worst_at, worst, "clip", by_name) ||
        !bwi_get_real(r, &stats->worst.time_s, &worst_at, worst, "time_s", -DBL_MAX) ||
        !bwi_get_uint(r, &stats->worst.frame, &worst_at, worst, "frame", 0, m->clips.data[clip].frame_count - 1) ||
        !bwi_get_uint(r, &stats->worst.vertex, &worst_at, worst, "vertex", 0, vertex_count - 1) ||
        !bwi_get_string(r, &stats->worst.part, &worst_at, worst, "part"))
        return false;
    stats->worst.clip = m->clips.data[clip].name;
    return true;
}

static bool read_error(bwi_reader *r, bwi_manifest *m, const json_t *root, const json_t *by_name) {
    static const bwi_place at = {NULL, "error", 0};
    static const char *const units[] = {"m", NULL};
    const json_t *object = json_object_get(root, "error");
    if (json_is_null(object))
        return true;
    int unit;
    m->has_error = true;
    return bwi_get_object(r, &object, NULL, root, "error") && bwi_get_name(r, &unit, &at, object, "unit", units) &&
           read_stats(r, &m->error.stored, m, m->element_count, &at, object, "stored", by_name) &&
           read_stats(r, &m->error.between, m, m->element_count, &at, object, "between", by_name) &&
           read_stats(r, &m->error.between_step, m, m->element_count, &at, object, "between_step", by_name);
}

static bool read_level_error(bwi_reader *r, bwi_manifest_level *level, const bwi_manifest *m, const bwi_place *up,
                             const json_t *item, const json_t *by_name) {
    static const char *const units[] = {"m", NULL};
    const json_t *object = json_object_get(item, "error"), *rest;
    if (json_is_null(object))
        return true;
    bwi_place at = {up, "error", 0}, rest_at = {&at, "rest", 0};
    int unit;
    level->has_error = true;
    return bwi_get_object(r, &object, up, item, "error") && bwi_get_name(r, &unit, &at, object, "unit", units) &&
           bwi_get_object(r, &rest, &at, object, "rest") &&
           bwi_get_real(r, &level->rest_max, &rest_at, rest, "max", 0) &&
           bwi_get_real(r, &level->rest_rms, &rest_at, rest, "rms", 0) &&
           read_stats(r, &level->frames, m, level->vertex_count, &at, object, "frames", by_name);
}

/* Bakes without levels have no such key. */
static bool read_levels(bwi_reader *r, bwi_manifest *m, const json_t *root, const json_t *by_name) {
    static const bwi_place levels_at = {NULL, "lods", 0};
    const json_t *levels;
    if (!json_object_get(root, "lods"))
        return true;
    if (!bwi_get_array(r, &levels, NULL, root, "lods"))
        return false;
    size_t count = json_array_size(levels);
    m->levels.data = bwi_take(r, count, sizeof *m->levels.data);
    if (!m->levels.data)
        return false;
    m->levels.count = count;
    for (size_t k = 0; k < count; k++) {
        bwi_manifest_level *level = &m->levels.data[k];
        bwi_place at = {&levels_at, NULL, k};
        const json_t *item = json_array_get(levels, k);
        if (!json_is_object(item))
            return bwi_refuse(r, &at, item, "an object");
        if (!bwi_get_file(r, &level->mesh, &at, item, true) ||
            !bwi_get_uint(r, &level->vertex_count, &at, item, "vertex_count", 1, INT32_MAX) ||
            !bwi_get_hash(r, level->order_hash, &at, item, "order_hash") ||
            !read_level_error(r, level, m, &at, item, by_name))
            return false;
    }
    return true;
}

static bool read_probes(bwi_reader *r, bwi_manifest *m, const json_t *root, const json_t *by_name) {
    static const bwi_place probes_at = {NULL, "probes", 0};
    const json_t *probes;
    if (!bwi_get_array(r, &probes, NULL, root, "probes"))
        return false;
    size_t count = json_array_size(probes);
    m->probes.data = bwi_take(r, count, sizeof *m->probes.data);
    if (!m->probes.data)
        return false;
    m->probes.count = count;
    for (size_t k = 0; k < count; k++) {
        bwi_probe *probe = &m->probes.data[k];
        bwi_place at = {&probes_at, NULL, k};
        const json_t *item = json_array_get(probes, k);
        if (!json_is_object(item))
            return bwi_refuse(r, &at, item, "an object");
        if (!bwi_get_uint(r, &probe->element, &at, item, "element", 0, m->element_count - 1) ||
            !get_clip(r, &probe->clip, &at, item, "clip", by_name) ||
            !bwi_get_uint(r, &probe->frame, &at, item, "frame", 0, m->clips.data[probe->clip].frame_count - 1) ||
            !bwi_get_vec3(r, probe->position, &at, item, "position"))
            return false;
    }
    return true;
}

/* What only OpenVAT's layout has. */
static bool read_openvat(bwi_reader *r, bwi_manifest *m, const json_t *root) {
    static const bwi_place openvat_at = {NULL, "openvat", 0}, info_at = {&openvat_at, "remap_info", 0};
    const json_t *openvat, *info;
    return m->layout != BW_VAT_LAYOUT_OPENVAT ||
           (bwi_get_object(r, &openvat, NULL, root, "openvat") &&
            bwi_get_bounds(r, m->offset_min, m->offset_max, &openvat_at, openvat) &&
            bwi_get_object(r, &info, &openvat_at, openvat, "remap_info") &&
            bwi_get_file(r, &m->remap_info, &info_at, info, true));
}

bw_result bwi_manifest_parse(bwi_manifest **manifest, bwi_arena *arena, const char *text, size_t size, const char *path,
                             bw_error *error) {
    json_t *root;
    bw_result result = bwi_manifest_json(&root, text, size, bwi_arena_mem(arena), path, error);
    if (result != BW_OK)
        return result;
    bwi_reader r = {path, arena, error, BW_OK};
    json_t *by_name = json_object();
    bwi_manifest *m = bwi_take(&r, 1, sizeof *m);
    if (!by_name)
        bwi_refuse_memory(&r, sizeof(json_t));
    else if (m && read_head(&r, m, root) && bwi_get_mesh(&r, &m->mesh, root) && read_bones(&r, m, root) &&
             read_frames(&r, m, root) && read_clips(&r, m, root, by_name) && bwi_manifest_read_textures(&r, m, root) &&
             read_error(&r, m, root, by_name) && read_levels(&r, m, root, by_name) &&
             read_probes(&r, m, root, by_name) && bwi_get_source(&r, &m->source.data, &m->source.count, root) &&
             read_openvat(&r, m, root))
        *manifest = m;
    json_decref(by_name);
    json_decref(root);
    return r.result;
}

bw_result bwi_manifest_read(bwi_manifest **manifest, bwi_arena *arena, const char *path, bw_error *error) {
    bwi_map map;
    bw_result result = bwi_map_open(&map, path, bwi_arena_mem(arena), error);
    if (result != BW_OK)
        return result;
    result = bwi_manifest_parse(manifest, arena, (const char *)map.data, map.size, path, error);
    bwi_map_close(&map);
    return result;
}
