/* SPDX-License-Identifier: MIT
 * Writes and reads the manifest of a Pivot Painter 2 bake. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "model/model_priv.h"
#include "model/pivot_manifest.h"

static const char *const role_names[] = {"position", "axis", "extra", NULL};
static const char *const rgb_names[] = {"pivot", "origin", "extents", "x-axis", "y-axis", "z-axis", NULL};
static const char *const alpha_names[] = {"parent",   "parent-number", "steps",    "diameter", "order",
                                          "x-width",  "y-depth",       "z-height", "random",   "level",
                                          "x-extent", "y-extent",      "z-extent", NULL};
static const char *const kind_names[] = {"nodes", "parts", "joints", "material", "program", NULL};
static const char *const extent_names[] = {"bounds", "tip", NULL};

const char *bwi_pivot_role_name(bwi_pivot_role role) {
    return role_names[role];
}

const char *bwi_pivot_rgb_name(bwi_pivot_rgb rgb) {
    return rgb_names[rgb];
}

const char *bwi_pivot_alpha_name(bwi_pivot_alpha alpha) {
    return alpha_names[alpha];
}

bool bwi_pivot_options_equal(const bw_pivot_opts *a, const bw_pivot_opts *b, bwi_mem *mem) {
    return bwi_options_equal(bw_pivot_options(), a, b, mem);
}

/* ---- writing ---- */

static void put_order_hash(bwi_json_writer *w, const uint8_t hash[16]) {
    char hex[33];
    bwi_hash_hex(hex, hash);
    bwi_json_key_string(w, "order_hash", hex);
}

static void put_texture(bwi_json_writer *w, const bwi_pivot_texture *texture) {
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "file", texture->file.file);
    bwi_json_key_string(w, "role", role_names[texture->role]);
    bwi_json_key_uint(w, "width", texture->width);
    bwi_json_key_uint(w, "height", texture->height);
    bwi_json_key_string(w, "format", bwi_format_info_of(texture->format)->name);
    bwi_json_key_string(w, "rgb", rgb_names[texture->rgb]);
    bwi_json_key_string(w, "alpha", alpha_names[texture->alpha]);
    bwi_json_key_uint(w, "bytes", texture->file.bytes);
    bwi_put_hash(w, texture->file.hash);
    bwi_json_end_object(w);
}

void bwi_pivot_facts_write(bwi_json_writer *w, const bw_pivot_facts *facts) {
    bwi_json_key(w, "elements");
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "kind", facts->kind);
    bwi_json_key_uint(w, "count", facts->element_count);
    bwi_json_key_uint(w, "roots", facts->root_count);
    bwi_json_key_uint(w, "depth", facts->max_depth);
    bwi_json_key(w, "levels");
    bwi_json_begin_array(w);
    for (uint32_t k = 0; k < BW_PIVOT_LEVELS && k < facts->max_depth; k++)
        bwi_json_uint(w, facts->level_counts[k]);
    bwi_json_end_array(w);
    bwi_json_key_string(w, "extent", extent_names[facts->tip]);
    bwi_json_key_uint(w, "dropped", facts->dropped_count);
    bwi_json_key_uint(w, "clustered", facts->clustered_count);
    bwi_json_key_double(w, "cluster_error", facts->cluster_error);
    bwi_json_key_uint(w, "merged", facts->merged_count);
    bwi_json_end_object(w);
}

static void put_error(bwi_json_writer *w, const bw_pivot_error *error) {
    bwi_json_key(w, "error");
    bwi_pivot_error_write(w, error);
}

void bwi_pivot_error_write(bwi_json_writer *w, const bw_pivot_error *error) {
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "unit", "m");
    bwi_json_key_uint(w, "wrong_parents", error->wrong_parent_count);
    bwi_json_key_double(w, "pivot_max", error->pivot_max);
    bwi_json_key_double(w, "pivot_mean", error->pivot_mean);
    bwi_json_key_uint(w, "pivot_worst", error->pivot_worst);
    bwi_json_key_double(w, "axis_max_deg", error->axis_max_deg);
    bwi_json_key_double(w, "axis_mean_deg", error->axis_mean_deg);
    bwi_json_key_double(w, "extent_max", error->extent_max);
    bwi_json_key_double(w, "extent_mean", error->extent_mean);
    bwi_json_key_uint(w, "long", error->long_count);
    bwi_json_key_uint(w, "short", error->short_count);
    bwi_json_end_object(w);
}

static void put_levels(bwi_json_writer *w, const bwi_pivot_manifest *m) {
    if (!m->levels.count)
        return;
    bwi_json_key(w, "lods");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < m->levels.count; k++) {
        bwi_json_begin_object(w);
        bwi_put_file(w, &m->levels.data[k].mesh);
        bwi_json_key_uint(w, "vertex_count", m->levels.data[k].vertex_count);
        put_order_hash(w, m->levels.data[k].order_hash);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void put_probes(bwi_json_writer *w, const bwi_pivot_manifest *m) {
    bwi_json_key(w, "probes");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < m->probes.count; k++) {
        const bwi_pivot_probe *probe = &m->probes.data[k];
        bwi_json_begin_object(w);
        bwi_json_key_uint(w, "element", probe->element);
        bwi_json_key_uint(w, "parent", probe->parent);
        bwi_json_key(w, "uv");
        bwi_json_begin_array(w);
        bwi_json_float(w, probe->uv[0]);
        bwi_json_float(w, probe->uv[1]);
        bwi_json_end_array(w);
        bwi_put_vec3(w, "pivot", probe->pivot);
        bwi_put_vec3(w, "axis", probe->axis);
        bwi_json_key_double(w, "extent_cm", probe->extent_cm);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

bw_result bwi_pivot_manifest_write(FILE *file, const char *path, const bwi_pivot_manifest *m, bwi_mem *mem,
                                   bw_error *error) {
    bwi_json_writer *w = bwi_json_writer_create(mem, file, 2);
    if (!w)
        return bwi_fail_memory(error, path, mem, 0);
    bwi_json_begin_object(w);
    bwi_put_family(w, m->generator, "pivot");
    bwi_json_key_string(w, "engine", bwi_engine_name(m->engine));
    bwi_put_space(w, &m->space);
    bwi_json_key(w, "options");
    bwi_manifest_options_write(w, bw_pivot_options(), &m->options);
    bwi_json_key(w, "mesh");
    bwi_json_begin_object(w);
    bwi_put_file(w, &m->mesh);
    bwi_json_key_uint(w, "vertex_count", m->vertex_count);
    put_order_hash(w, m->order_hash);
    bwi_json_end_object(w);
    bwi_json_key(w, "textures");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < m->textures.count; k++)
        put_texture(w, &m->textures.data[k]);
    bwi_json_end_array(w);
    bwi_json_key_uint(w, "uv_set", m->uv_set);
    bwi_pivot_facts_write(w, &m->facts);
    put_error(w, &m->facts.error);
    put_levels(w, m);
    put_probes(w, m);
    if (m->source.count)
        bwi_put_source(w, m->source.data, m->source.count);
    bwi_json_end_object(w);
    return bwi_put_end(w, file, path, mem, error);
}

/* ---- reading ---- */

static bool get_head(bwi_reader *r, bwi_pivot_manifest *m, const json_t *root) {
    static const bwi_place mesh_at = {NULL, "mesh", 0};
    const json_t *options, *mesh;
    int engine;
    if (!bwi_get_family(r, &m->generator, root, "pivot") ||
        !bwi_get_choice(r, &engine, root, "engine", BW_ERR_MALFORMED) || !bwi_get_space(r, &m->space, root) ||
        !bwi_get_object(r, &options, NULL, root, "options"))
        return false;
    m->engine = (bw_engine)engine;
    r->result = bwi_manifest_options_read(&m->options, bw_pivot_options(), r->arena, options, r->path, r->error);
    return r->result == BW_OK && bwi_get_mesh(r, &m->mesh, root) && bwi_get_object(r, &mesh, NULL, root, "mesh") &&
           bwi_get_uint(r, &m->vertex_count, &mesh_at, mesh, "vertex_count", 1, INT32_MAX) &&
           bwi_get_hash(r, m->order_hash, &mesh_at, mesh, "order_hash") &&
           bwi_get_uint(r, &m->uv_set, NULL, root, "uv_set", 0, 63);
}

static bool get_elements(bwi_reader *r, bwi_pivot_manifest *m, const json_t *root) {
    static const bwi_place at = {NULL, "elements", 0}, levels_at = {&at, "levels", 0};
    const json_t *object, *levels;
    int tip;
    if (!bwi_get_object(r, &object, NULL, root, "elements") ||
        !bwi_keep_name(r, &m->facts.kind, &at, object, "kind", kind_names) ||
        !bwi_get_uint(r, &m->facts.element_count, &at, object, "count", 1, BW_PIVOT_ELEMENTS_MAX) ||
        !bwi_get_uint(r, &m->facts.root_count, &at, object, "roots", 1, m->facts.element_count) ||
        !bwi_get_uint(r, &m->facts.max_depth, &at, object, "depth", 1, m->facts.element_count) ||
        !bwi_get_array(r, &levels, &at, object, "levels") ||
        !bwi_get_name(r, &tip, &at, object, "extent", extent_names) ||
        !bwi_get_uint(r, &m->facts.dropped_count, &at, object, "dropped", 0, INT32_MAX) ||
        !bwi_get_uint(r, &m->facts.clustered_count, &at, object, "clustered", 0, INT32_MAX) ||
        !bwi_get_real(r, &m->facts.cluster_error, &at, object, "cluster_error", 0) ||
        !bwi_get_uint(r, &m->facts.merged_count, &at, object, "merged", 0, INT32_MAX))
        return false;
    m->facts.tip = tip == 1;
    const size_t count = json_array_size(levels);
    uint64_t sum = 0;
    for (size_t k = 0; k < count && k < BW_PIVOT_LEVELS; k++) {
        const json_int_t value = json_integer_value(json_array_get(levels, k));
        if (value < 1 || value > BW_PIVOT_ELEMENTS_MAX)
            return bwi_refuse(r, &(bwi_place){&levels_at, NULL, k}, json_array_get(levels, k), "a count of elements");
        m->facts.level_counts[k] = (uint32_t)value;
        sum += (uint64_t)value;
    }
    if (sum != m->facts.element_count ||
        count != (m->facts.max_depth < BW_PIVOT_LEVELS ? m->facts.max_depth : BW_PIVOT_LEVELS))
        return bwi_refuse(r, &levels_at, levels, "a count for each level whose sum is elements.count");
    return true;
}

static bool get_textures(bwi_reader *r, bwi_pivot_manifest *m, const json_t *root) {
    static const bwi_place textures_at = {NULL, "textures", 0};
    const json_t *textures;
    if (!bwi_get_array(r, &textures, NULL, root, "textures"))
        return false;
    const size_t count = json_array_size(textures);
    if (count < 2)
        return bwi_refuse(r, &textures_at, textures, "at least two textures");
    m->textures.data = bwi_take(r, count, sizeof *m->textures.data);
    if (!m->textures.data)
        return false;
    m->textures.count = count;
    for (size_t k = 0; k < count; k++) {
        bwi_pivot_texture *texture = &m->textures.data[k];
        const bwi_place at = {&textures_at, NULL, k};
        const json_t *item = json_array_get(textures, k);
        int role, rgb, alpha;
        if (!json_is_object(item))
            return bwi_refuse(r, &at, item, "an object");
        if (!bwi_get_file(r, &texture->file, &at, item, true) ||
            !bwi_get_name(r, &role, &at, item, "role", role_names) ||
            !bwi_get_uint(r, &texture->width, &at, item, "width", 1, BWI_LARGEST_SIDE) ||
            !bwi_get_uint(r, &texture->height, &at, item, "height", 1, BWI_LARGEST_SIDE) ||
            !bwi_get_format(r, &texture->format, &at, item) || !bwi_get_name(r, &rgb, &at, item, "rgb", rgb_names) ||
            !bwi_get_name(r, &alpha, &at, item, "alpha", alpha_names))
            return false;
        texture->role = (bwi_pivot_role)role;
        texture->rgb = (bwi_pivot_rgb)rgb;
        texture->alpha = (bwi_pivot_alpha)alpha;
        const bwi_pivot_texture *first = &m->textures.data[0];
        if ((k < 2 || role < 2) && (size_t)role != k)
            return bwi_refuse(r, &(bwi_place){&at, "role", 0}, json_object_get(item, "role"),
                              "position, axis, then extra");
        if (texture->width != first->width || texture->height != first->height)
            return bwi_refuse(r, &(bwi_place){&at, "width", 0}, json_object_get(item, "width"),
                              "sides of the first texture");
        if (texture->format != BW_VAT_FORMAT_EXR16 && texture->format != BW_VAT_FORMAT_PNG8)
            return bwi_refuse(r, &(bwi_place){&at, "format", 0}, json_object_get(item, "format"), "exr16 or png8");
    }
    if ((uint64_t)m->textures.data[0].width * m->textures.data[0].height < m->facts.element_count)
        return bwi_refuse(r, &textures_at, textures, "sides that hold every element");
    return true;
}

static bool get_error(bwi_reader *r, bwi_pivot_manifest *m, const json_t *root) {
    static const bwi_place at = {NULL, "error", 0};
    bw_pivot_error *e = &m->facts.error;
    const json_t *object;
    return bwi_get_object(r, &object, NULL, root, "error") &&
           bwi_get_uint(r, &e->wrong_parent_count, &at, object, "wrong_parents", 0, m->facts.element_count) &&
           bwi_get_real(r, &e->pivot_max, &at, object, "pivot_max", 0) &&
           bwi_get_real(r, &e->pivot_mean, &at, object, "pivot_mean", 0) &&
           bwi_get_uint(r, &e->pivot_worst, &at, object, "pivot_worst", 0, m->facts.element_count - 1) &&
           bwi_get_real(r, &e->axis_max_deg, &at, object, "axis_max_deg", 0) &&
           bwi_get_real(r, &e->axis_mean_deg, &at, object, "axis_mean_deg", 0) &&
           bwi_get_real(r, &e->extent_max, &at, object, "extent_max", 0) &&
           bwi_get_real(r, &e->extent_mean, &at, object, "extent_mean", 0) &&
           bwi_get_uint(r, &e->long_count, &at, object, "long", 0, m->facts.element_count) &&
           bwi_get_uint(r, &e->short_count, &at, object, "short", 0, m->facts.element_count);
}

static bool get_levels(bwi_reader *r, bwi_pivot_manifest *m, const json_t *root) {
    static const bwi_place levels_at = {NULL, "lods", 0};
    const json_t *levels;
    if (!json_object_get(root, "lods"))
        return true;
    if (!bwi_get_array(r, &levels, NULL, root, "lods"))
        return false;
    const size_t count = json_array_size(levels);
    m->levels.data = bwi_take(r, count, sizeof *m->levels.data);
    if (!m->levels.data)
        return false;
    m->levels.count = count;
    for (size_t k = 0; k < count; k++) {
        const bwi_place at = {&levels_at, NULL, k};
        const json_t *item = json_array_get(levels, k);
        if (!json_is_object(item))
            return bwi_refuse(r, &at, item, "an object");
        if (!bwi_get_file(r, &m->levels.data[k].mesh, &at, item, true) ||
            !bwi_get_uint(r, &m->levels.data[k].vertex_count, &at, item, "vertex_count", 1, INT32_MAX) ||
            !bwi_get_hash(r, m->levels.data[k].order_hash, &at, item, "order_hash"))
            return false;
    }
    return true;
}

static bool get_probes(bwi_reader *r, bwi_pivot_manifest *m, const json_t *root) {
    static const bwi_place probes_at = {NULL, "probes", 0};
    const json_t *probes;
    if (!bwi_get_array(r, &probes, NULL, root, "probes"))
        return false;
    const size_t count = json_array_size(probes);
    m->probes.data = bwi_take(r, count, sizeof *m->probes.data);
    if (!m->probes.data)
        return false;
    m->probes.count = count;
    for (size_t k = 0; k < count; k++) {
        bwi_pivot_probe *probe = &m->probes.data[k];
        const bwi_place at = {&probes_at, NULL, k};
        const json_t *item = json_array_get(probes, k), *uv;
        if (!json_is_object(item))
            return bwi_refuse(r, &at, item, "an object");
        if (!bwi_get_uint(r, &probe->element, &at, item, "element", 0, m->facts.element_count - 1) ||
            !bwi_get_uint(r, &probe->parent, &at, item, "parent", 0, m->facts.element_count - 1) ||
            !bwi_get_array(r, &uv, &at, item, "uv") || !bwi_get_vec3(r, probe->pivot, &at, item, "pivot") ||
            !bwi_get_vec3(r, probe->axis, &at, item, "axis") ||
            !bwi_get_real(r, &probe->extent_cm, &at, item, "extent_cm", 0))
            return false;
        for (size_t i = 0; i < 2; i++) {
            const double value = json_number_value(json_array_get(uv, i));
            if (json_array_size(uv) != 2 || !(value > 0 && value < 1))
                return bwi_refuse(r, &(bwi_place){&at, "uv", 0}, uv, "two numbers between 0 and 1");
            probe->uv[i] = (float)value;
        }
    }
    return true;
}

bw_result bwi_pivot_manifest_parse(bwi_pivot_manifest **manifest, bwi_arena *arena, const char *text, size_t size,
                                   const char *path, bw_error *error) {
    json_t *root;
    bw_result result = bwi_manifest_json(&root, text, size, bwi_arena_mem(arena), path, error);
    if (result != BW_OK)
        return result;
    bwi_reader r = {path, arena, error, BW_OK};
    bwi_pivot_manifest *m = bwi_take(&r, 1, sizeof *m);
    if (m && get_head(&r, m, root) && get_elements(&r, m, root) && get_textures(&r, m, root) &&
        get_error(&r, m, root) && get_levels(&r, m, root) && get_probes(&r, m, root) &&
        (!json_object_get(root, "source") || bwi_get_source(&r, &m->source.data, &m->source.count, root)))
        *manifest = m;
    json_decref(root);
    return r.result;
}

bw_result bwi_pivot_manifest_read(bwi_pivot_manifest **manifest, bwi_arena *arena, const char *path, bw_error *error) {
    bwi_map map;
    bw_result result = bwi_map_open(&map, path, bwi_arena_mem(arena), error);
    if (result != BW_OK)
        return result;
    result = bwi_pivot_manifest_parse(manifest, arena, (const char *)map.data, map.size, path, error);
    bwi_map_close(&map);
    return result;
}
