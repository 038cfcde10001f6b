/* SPDX-License-Identifier: MIT
 * Meshes: primitives, their attributes and morph targets. */
#include <stdlib.h>
#include <string.h>

#include "read/gltf/gltf_priv.h"

/* More sets than any exporter writes; a larger number in a name would only make a long list of gaps. */
enum { MOST_SETS = 16 };

static const char draco[] = "KHR_draco_mesh_compression";

/* The n of "TEXCOORD_n"; BW_NO_INDEX if the key is another one. */
static uint32_t set_of(const char *key, const char *prefix) {
    size_t length = strlen(prefix);
    if (strncmp(key, prefix, length) != 0 || key[length] < '0' || key[length] > '9' ||
        (key[length] == '0' && key[length + 1])) {
        return BW_NO_INDEX;
    }
    uint32_t number = 0;
    for (const char *c = key + length; *c; c++) {
        if (*c < '0' || *c > '9' || number > 1000000) {
            return BW_NO_INDEX;
        }
        number = number * 10 + (uint32_t)(*c - '0');
    }
    return number;
}

/* One attribute of the primitive's (or target's) vertices; absent: *out NULL. */
static bw_result read_attribute(bwi_gltf *g, const float **out, const bwi_gltf_place *place, const json_t *attributes,
                                const char *key, bwi_gltf_meaning meaning, uint32_t vertex_count) {
    uint32_t accessor;
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &accessor, place, attributes, key, g->accessors_json));
    if (accessor == BW_NO_INDEX) {
        *out = NULL;
        return BW_OK;
    }
    const bwi_gltf_place here = {place, key, BW_NO_INDEX, NULL};
    if (g->accessors[accessor].count != vertex_count) {
        return bwi_gltf_malformed(g, &here, "it has %u elements, expected %u as POSITION has",
                                  g->accessors[accessor].count, vertex_count);
    }
    return bwi_gltf_attribute(g, out, &here, accessor, meaning);
}

/* TEXCOORD_n or COLOR_n, n = 0 … count − 1. */
static bw_result read_sets(bwi_gltf *g, const float *const **out, uint32_t count, const bwi_gltf_place *place,
                           const json_t *attributes, const char *prefix, bwi_gltf_meaning meaning,
                           uint32_t vertex_count) {
    const float **sets = bwi_gltf_alloc(g, g->arena, count, sizeof(*sets));
    if (!sets) {
        return BW_ERR_MEMORY;
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)attributes, key, value) {
        uint32_t set = set_of(key, prefix);
        if (set < count) {
            BWI_GLTF_TRY(read_attribute(g, &sets[set], place, attributes, key, meaning, vertex_count));
        }
    }
    *out = sets;
    return BW_OK;
}

/* Counts the sets, and notes what is left out. */
static void survey(bwi_gltf *g, uint32_t *uv_count, uint32_t *color_count, const bwi_gltf_place *place,
                   const json_t *attributes) {
    *uv_count = 0;
    *color_count = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)attributes, key, value) {
        uint32_t uv = set_of(key, "TEXCOORD_"), color = set_of(key, "COLOR_");
        bool known = strcmp(key, "POSITION") == 0 || strcmp(key, "NORMAL") == 0 || strcmp(key, "TANGENT") == 0 ||
                     set_of(key, "JOINTS_") != BW_NO_INDEX || set_of(key, "WEIGHTS_") != BW_NO_INDEX;
        if (uv < MOST_SETS) {
            *uv_count = uv >= *uv_count ? uv + 1 : *uv_count;
        } else if (color < MOST_SETS) {
            *color_count = color >= *color_count ? color + 1 : *color_count;
        } else if (!known) {
            const bwi_gltf_place here = {place, key, BW_NO_INDEX, NULL};
            bwi_gltf_warn(g, "attribute-ignored", 1, &here, "vertex attributes of an application's own are left out");
        }
    }
}

static bw_result read_target(bwi_gltf *g, bw_morph_target *out, const bwi_gltf_place *place, const json_t *json,
                             const bw_primitive *primitive) {
    uint32_t count = primitive->vertex_count;
    BWI_GLTF_TRY(read_attribute(g, &out->positions, place, json, "POSITION", BWI_GLTF_MORPH_POSITION, count));
    if (primitive->normals) {
        BWI_GLTF_TRY(read_attribute(g, &out->normals, place, json, "NORMAL", BWI_GLTF_MORPH_DIRECTION, count));
    }
    if (primitive->tangents) {
        BWI_GLTF_TRY(read_attribute(g, &out->tangents, place, json, "TANGENT", BWI_GLTF_MORPH_DIRECTION, count));
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)json, key, value) {
        bool used = strcmp(key, "POSITION") == 0 || (strcmp(key, "NORMAL") == 0 && primitive->normals) ||
                    (strcmp(key, "TANGENT") == 0 && primitive->tangents);
        if (!used) {
            const bwi_gltf_place here = {place, key, BW_NO_INDEX, NULL};
            bwi_gltf_warn(g, "morph-attribute-ignored", 1, &here,
                          "displacements of what the primitive lacks, of texture coordinates or colours are left out");
        }
    }
    return BW_OK;
}

/* target_count: of the mesh; a primitive with fewer keeps {NULL} for the rest. */
static bw_result read_targets(bwi_gltf *g, bw_primitive *primitive, const bwi_gltf_place *place, const json_t *json,
                              uint32_t target_count) {
    json_t *list;
    BWI_GLTF_TRY(bwi_gltf_get_array(g, &list, place, json, "targets"));
    size_t count = json_array_size(list);
    if (count != target_count) {
        bwi_gltf_warn(g, "morph-count-differs", 1, place,
                      "a primitive has fewer morph targets than others of its mesh; the missing ones move nothing");
    }
    bw_morph_target *targets = bwi_gltf_alloc(g, g->arena, target_count, sizeof(*targets));
    if (!targets) {
        return BW_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bwi_gltf_place here = {place, "target", i, NULL};
        const json_t *target = json_array_get(list, i);
        if (!json_is_object(target)) {
            return bwi_gltf_malformed(g, &here, "it is no object, expected one with POSITION");
        }
        BWI_GLTF_TRY(read_target(g, &targets[i], &here, target, primitive));
    }
    primitive->targets.data = targets;
    primitive->targets.count = target_count;
    return BW_OK;
}

/* A Draco primitive can be read only where it also brings uncompressed accessors. */
static bw_result check_draco(bwi_gltf *g, const bwi_gltf_place *place, const json_t *json, const json_t *attributes,
                             uint32_t indices) {
    if (!bwi_gltf_extension(json, draco)) {
        return BW_OK;
    }
    bool whole = indices == BW_NO_INDEX || g->accessors[indices].view != BW_NO_INDEX;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)attributes, key, value) {
        uint32_t accessor;
        BWI_GLTF_TRY(bwi_gltf_get_index(g, &accessor, place, attributes, key, g->accessors_json));
        whole = whole && (g->accessors[accessor].view != BW_NO_INDEX || g->accessors[accessor].sparse_count > 0);
    }
    if (!whole) {
        return bwi_gltf_fail(g, BW_ERR_UNSUPPORTED, place,
                             "its data are compressed with %s, which is not supported; decompress the model with "
                             "\"npx @gltf-transform/cli copy in.glb out.glb\"",
                             draco);
    }
    bwi_gltf_warn(g, "draco-fallback", 1, place, "Draco-compressed primitives were read from their uncompressed copy");
    return BW_OK;
}

/* *kept false: nothing that can be drawn.  skin: the one with the fewest joints that a node uses the mesh with; BW_NO_INDEX: none does. */
static bw_result read_primitive(bwi_gltf *g, bw_primitive *out, bool *kept, const bwi_gltf_place *place,
                                const json_t *json, uint32_t target_count, uint32_t skin) {
    json_t *attributes;
    uint64_t mode;
    uint32_t indices, position, uv_count, color_count;
    *kept = false;
    BWI_GLTF_TRY(bwi_gltf_get_object(g, &attributes, place, json, "attributes"));
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &mode, place, json, "mode", 4));
    if (mode > 6) {
        return bwi_gltf_malformed(g, place, "\"mode\" is %llu, expected 0 to 6", (unsigned long long)mode);
    }
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &indices, place, json, "indices", g->accessors_json));
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &out->material, place, json, "material", g->materials_json));
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &position, place, attributes, "POSITION", g->accessors_json));
    if (position == BW_NO_INDEX) {
        /* A target that is no object is a contradiction even here. */
        BWI_GLTF_TRY(read_targets(g, out, place, json, target_count));
        bwi_gltf_warn(g, "primitive-without-position", 1, place,
                      "a primitive without POSITION draws nothing; it was left out");
        return BW_OK;
    }
    BWI_GLTF_TRY(check_draco(g, place, json, attributes, indices));
    out->vertex_count = g->accessors[position].count;
    out->mode = mode == 0 ? BW_PRIMITIVE_POINTS : mode <= 3 ? BW_PRIMITIVE_LINES : BW_PRIMITIVE_TRIANGLES;
    BWI_GLTF_TRY(bwi_gltf_indices(g, &out->indices, place, indices, (uint32_t)mode, out->vertex_count));
    if (out->indices.count == 0) {
        bwi_gltf_warn(g, "primitive-empty", 1, place,
                      "a primitive without a whole point, line or triangle was left out");
        return BW_OK;
    }
    BWI_GLTF_TRY(
        read_attribute(g, &out->positions, place, attributes, "POSITION", BWI_GLTF_POSITION, out->vertex_count));
    BWI_GLTF_TRY(read_attribute(g, &out->normals, place, attributes, "NORMAL", BWI_GLTF_NORMAL, out->vertex_count));
    BWI_GLTF_TRY(read_attribute(g, &out->tangents, place, attributes, "TANGENT", BWI_GLTF_TANGENT, out->vertex_count));
    survey(g, &uv_count, &color_count, place, attributes);
    BWI_GLTF_TRY(
        read_sets(g, &out->uv_sets.data, uv_count, place, attributes, "TEXCOORD_", BWI_GLTF_UV, out->vertex_count));
    BWI_GLTF_TRY(
        read_sets(g, &out->colors.data, color_count, place, attributes, "COLOR_", BWI_GLTF_COLOR, out->vertex_count));
    out->uv_sets.count = uv_count;
    out->colors.count = color_count;
    BWI_GLTF_TRY(read_targets(g, out, place, json, target_count));
    if (skin != BW_NO_INDEX || g->loose_joints) {
        BWI_GLTF_TRY(bwi_gltf_read_influences(g, out, place, attributes, skin));
    } else if (json_object_get(attributes, "JOINTS_0")) {
        bwi_gltf_warn(g, "joints-without-skin", 1, place,
                      "joints and weights are ignored, since no node gives the mesh a skin");
    }
    *kept = true;
    return BW_OK;
}

static bw_result read_target_names(bwi_gltf *g, bw_mesh *mesh, const bwi_gltf_place *place, const json_t *json) {
    const json_t *names = json_object_get(json_object_get(json, "extras"), "targetNames");
    size_t i;
    const json_t *value;
    bool usable = json_is_array(names) && json_array_size(names) == mesh->target_count && mesh->target_count > 0;
    json_array_foreach(names, i, value) {
        usable = usable && json_is_string(value);
    }
    if (!usable) {
        if (json_array_size(names) > 0) {
            bwi_gltf_warn(g, "morph-names-ignored", 1, place,
                          "extras.targetNames is no list of one name a morph target");
        }
        return BW_OK;
    }
    const char **list = bwi_gltf_alloc(g, g->arena, mesh->target_count, sizeof(*list));
    if (!list) {
        return BW_ERR_MEMORY;
    }
    for (uint32_t k = 0; k < mesh->target_count; k++) {
        BWI_GLTF_TRY(bwi_gltf_copy_name(g, &list[k], json_string_value(json_array_get(names, k)), "target", k));
    }
    mesh->target_names = (bw_string_list){list, mesh->target_count};
    return BW_OK;
}

/* The mesh's default weights: one a target, 0 where the file says nothing. */
static bw_result read_weights(bwi_gltf *g, bw_mesh *mesh, const bwi_gltf_place *place, const json_t *json) {
    bw_float_list given;
    BWI_GLTF_TRY(bwi_gltf_get_float_list(g, &given, place, json, "weights"));
    if (given.count > 0 && given.count != mesh->target_count) {
        bwi_gltf_warn(g, "morph-weights-length", 1, place,
                      "there is not one weight a morph target; missing ones are 0, others are ignored");
    }
    float *weights = bwi_gltf_alloc(g, g->arena, mesh->target_count, sizeof(float));
    if (!weights) {
        return BW_ERR_MEMORY;
    }
    for (size_t i = 0; i < mesh->target_count && i < given.count; i++) {
        weights[i] = given.data[i];
    }
    mesh->weights = (bw_float_list){weights, mesh->target_count};
    return BW_OK;
}

static bw_result read_mesh(bwi_gltf *g, uint32_t index, uint32_t skin) {
    const json_t *json = json_array_get(g->meshes_json, index);
    bwi_gltf_place place = bwi_gltf_place_of(NULL, "mesh", index, json);
    bw_mesh *mesh = &g->meshes[index];
    json_t *list;
    BWI_GLTF_TRY(bwi_gltf_copy_name(g, &mesh->name, place.name, "mesh", index));
    BWI_GLTF_TRY(bwi_gltf_get_array(g, &list, &place, json, "primitives"));
    size_t count = json_array_size(list);
    size_t i, target_count = 0;
    const json_t *value;
    json_array_foreach(list, i, value) {
        size_t targets = json_array_size(json_object_get(value, "targets"));
        target_count = targets > target_count ? targets : target_count;
    }
    mesh->target_count = (uint32_t)target_count;
    bw_primitive *primitives = bwi_gltf_alloc(g, g->arena, count, sizeof(*primitives));
    g->kept_json[index] = bwi_gltf_alloc(g, g->scratch, count, sizeof(**g->kept_json));
    if (!primitives || !g->kept_json[index]) {
        return BW_ERR_MEMORY;
    }
    size_t kept_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        const bwi_gltf_place here = {&place, "primitive", k, NULL};
        const json_t *primitive = json_array_get(list, k);
        bw_primitive read = {0};
        bool kept;
        if (!json_is_object(primitive)) {
            return bwi_gltf_malformed(g, &here, "it is no object");
        }
        if (bwi_gltf_extension(primitive, "KHR_materials_variants")) {
            bwi_gltf_warn(g, "material-variants-dropped", 1, &here,
                          "material variants are left out; the default material stays");
        }
        BWI_GLTF_TRY(read_primitive(g, &read, &kept, &here, primitive, mesh->target_count, skin));
        if (kept) {
            g->kept_json[index][kept_count] = primitive;
            primitives[kept_count++] = read;
        }
    }
    if (kept_count == 0) {
        bwi_gltf_warn(g, "mesh-empty", 1, &place, "a mesh without primitives draws nothing");
    }
    mesh->primitives.data = primitives;
    mesh->primitives.count = kept_count;
    BWI_GLTF_TRY(read_target_names(g, mesh, &place, json));
    return read_weights(g, mesh, &place, json);
}

bw_result bwi_gltf_read_meshes(bwi_gltf *g) {
    size_t count = json_array_size(g->meshes_json);
    g->meshes = bwi_gltf_alloc(g, g->arena, count, sizeof(*g->meshes));
    g->kept_json = g->meshes ? bwi_gltf_alloc(g, g->scratch, count, sizeof(*g->kept_json)) : NULL;
    uint32_t *skins = g->kept_json ? bwi_gltf_alloc(g, g->scratch, count, sizeof(*skins)) : NULL;
    if (!skins) {
        return BW_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        skins[i] = BW_NO_INDEX;
    }
    for (size_t i = 0; i < g->scene->nodes.count; i++) {
        const bw_node *node = &g->nodes[i];
        if (node->mesh != BW_NO_INDEX && node->skin != BW_NO_INDEX) {
            uint32_t *skin = &skins[node->mesh];
            bool fewer = *skin == BW_NO_INDEX || g->skins[node->skin].joints.count < g->skins[*skin].joints.count;
            *skin = fewer ? node->skin : *skin;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        BWI_GLTF_TRY(read_mesh(g, i, skins[i]));
        if (!bwi_progress_step(g->progress, 1)) {
            return bwi_fail_cancelled(g->error);
        }
    }
    g->scene->meshes.data = g->meshes;
    g->scene->meshes.count = count;
    return BW_OK;
}
