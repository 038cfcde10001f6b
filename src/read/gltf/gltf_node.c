/* SPDX-License-Identifier: MIT
 * Nodes: transforms, the forest they form, the default scene, instances.  Nothing here recurses: chains of nodes may be as long as a file. */
#include <string.h>

#include "read/gltf/gltf_priv.h"

/* ---- One node. ---- */

static bw_result read_transform(bwi_gltf *g, bw_node *node, const bwi_gltf_place *place, const json_t *json) {
    static const float ones[3] = {1, 1, 1}, no_rotation[4] = {0, 0, 0, 1};
    bool has_translation, has_rotation, has_scale;
    memcpy(node->rotation, no_rotation, sizeof(no_rotation));
    memcpy(node->scale, ones, sizeof(ones));
    BWI_GLTF_TRY(bwi_gltf_get_floats(g, node->matrix, 16, &node->has_matrix, place, json, "matrix"));
    BWI_GLTF_TRY(bwi_gltf_get_floats(g, node->translation, 3, &has_translation, place, json, "translation"));
    BWI_GLTF_TRY(bwi_gltf_get_floats(g, node->rotation, 4, &has_rotation, place, json, "rotation"));
    BWI_GLTF_TRY(bwi_gltf_get_floats(g, node->scale, 3, &has_scale, place, json, "scale"));
    if (node->has_matrix && (has_translation || has_rotation || has_scale)) {
        bwi_gltf_warn(g, "node-matrix-and-trs", 1, place,
                      "a node has a matrix and translation, rotation or scale; the matrix was taken");
    }
    if (bwi_gltf_normalise_quats(node->rotation, 1, bwi_gltf_unit_tolerance(BWI_GLTF_F32))) {
        bwi_gltf_warn(g, "rotation-not-unit", 1, place, "a node's rotation was no unit quaternion; it was normalised");
    }
    return BW_OK;
}

static bw_result read_node(bwi_gltf *g, uint32_t index) {
    const json_t *json = json_array_get(g->nodes_json, index);
    bwi_gltf_place place = bwi_gltf_place_of(NULL, "node", index, json);
    bw_node *node = &g->nodes[index];
    node->parent = BW_NO_INDEX;
    BWI_GLTF_TRY(bwi_gltf_copy_name(g, &node->name, place.name, "node", index));
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &node->mesh, &place, json, "mesh", g->meshes_json));
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &node->skin, &place, json, "skin", g->skins_json));
    if (node->skin != BW_NO_INDEX && node->mesh == BW_NO_INDEX) {
        bwi_gltf_warn(g, "skin-without-mesh", 1, &place, "a node has a skin but no mesh; the skin was ignored");
        node->skin = BW_NO_INDEX;
    }
    BWI_GLTF_TRY(bwi_gltf_get_float_list(g, &node->weights, &place, json, "weights"));
    return read_transform(g, node, &place, json);
}

/* ---- The forest. ---- */

static bw_result read_children(bwi_gltf *g, uint32_t index) {
    const json_t *json = json_array_get(g->nodes_json, index);
    bwi_gltf_place place = bwi_gltf_place_of(NULL, "node", index, json);
    json_t *list;
    BWI_GLTF_TRY(bwi_gltf_get_array(g, &list, &place, json, "children"));
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint32_t child;
        BWI_GLTF_TRY(bwi_gltf_index_at(g, &child, &place, list, i, "children", g->nodes_json));
        if (g->nodes[child].parent == index) {
            return bwi_gltf_malformed(g, &place, "node %u (%.80s) is its child twice", child, g->nodes[child].name);
        }
        if (g->nodes[child].parent != BW_NO_INDEX) {
            return bwi_gltf_malformed(g, &place, "node %u (%.80s) is its child, but also that of node %u (%.80s)",
                                      child, g->nodes[child].name, g->nodes[child].parent,
                                      g->nodes[g->nodes[child].parent].name);
        }
        g->nodes[child].parent = index;
    }
    return BW_OK;
}

/* Every node has at most one parent by now, so what no root reaches leads up into a cycle. */
static bw_result fail_cycle(bwi_gltf *g, const bool *reached, size_t count) {
    uint32_t node = 0;
    while (reached[node]) {
        node++;
    }
    for (size_t i = 0; i < count; i++) {
        node = g->nodes[node].parent;
    }
    const bwi_gltf_place place = {NULL, "node", node, bwi_gltf_name(json_array_get(g->nodes_json, node))};
    return bwi_gltf_malformed(g, &place, "it is its own ancestor (its parent is node %u), expected a tree",
                              g->nodes[node].parent);
}

/* node_order: roots in file order, then level by level. */
static bw_result order_nodes(bwi_gltf *g, size_t count) {
    uint32_t *order = bwi_gltf_alloc(g, g->arena, count, sizeof(uint32_t));
    bool *reached = order ? bwi_gltf_alloc(g, g->scratch, count, sizeof(bool)) : NULL;
    if (!reached) {
        return BW_ERR_MEMORY;
    }
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (g->nodes[i].parent == BW_NO_INDEX) {
            reached[i] = true;
            order[used++] = i;
        }
    }
    for (size_t next = 0; next < used; next++) {
        const json_t *list = json_object_get(json_array_get(g->nodes_json, order[next]), "children");
        for (size_t i = 0; i < json_array_size(list); i++) {
            const bwi_gltf_place place = {NULL, "node", order[next], NULL};
            uint32_t child;
            BWI_GLTF_TRY(bwi_gltf_index_at(g, &child, &place, list, i, "children", g->nodes_json));
            reached[child] = true;
            order[used++] = child;
        }
    }
    if (used < count) {
        return fail_cycle(g, reached, count);
    }
    g->scene->node_order = (bw_index_list){order, count};
    return BW_OK;
}

/* Marks the roots of the default scene, then what hangs below them. */
static bw_result mark_scene(bwi_gltf *g, size_t node_count) {
    uint32_t chosen;
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &chosen, NULL, g->root, "scene", g->scenes_json));
    size_t scene_count = json_array_size(g->scenes_json);
    if (scene_count == 0) {
        for (size_t i = 0; i < node_count; i++) {
            g->nodes[i].in_scene = true;
        }
        return BW_OK;
    }
    if (chosen == BW_NO_INDEX) {
        chosen = 0;
        if (scene_count > 1) {
            bwi_gltf_warn(g, "scene-not-chosen", 1, NULL, "the file names no default scene; its first one was taken");
        }
    }
    const json_t *json = json_array_get(g->scenes_json, chosen);
    bwi_gltf_place place = bwi_gltf_place_of(NULL, "scene", chosen, json);
    json_t *list;
    BWI_GLTF_TRY(bwi_gltf_get_array(g, &list, &place, json, "nodes"));
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint32_t node;
        BWI_GLTF_TRY(bwi_gltf_index_at(g, &node, &place, list, i, "nodes", g->nodes_json));
        g->nodes[node].in_scene = true;
        if (g->nodes[node].parent != BW_NO_INDEX) {
            bwi_gltf_warn(g, "scene-lists-child", 1, &place,
                          "a scene lists a node that has a parent; it keeps its parent's transform");
        }
    }
    for (size_t i = 0; i < node_count; i++) {
        bw_node *node = &g->nodes[g->scene->node_order.data[i]];
        node->in_scene = node->in_scene || (node->parent != BW_NO_INDEX && g->nodes[node->parent].in_scene);
    }
    return BW_OK;
}

bw_result bwi_gltf_read_nodes(bwi_gltf *g) {
    size_t count = json_array_size(g->nodes_json);
    g->nodes = bwi_gltf_alloc(g, g->arena, count, sizeof(*g->nodes));
    if (!g->nodes) {
        return BW_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        BWI_GLTF_TRY(read_node(g, i));
    }
    for (uint32_t i = 0; i < count; i++) {
        BWI_GLTF_TRY(read_children(g, i));
    }
    g->scene->nodes.data = g->nodes;
    g->scene->nodes.count = count;
    BWI_GLTF_TRY(order_nodes(g, count));
    return mark_scene(g, count);
}

/* ---- What depends on meshes and skins. ---- */

static bw_result finish_weights(bwi_gltf *g, bw_node *node, const bwi_gltf_place *place) {
    uint32_t target_count = node->mesh == BW_NO_INDEX ? 0 : g->meshes[node->mesh].target_count;
    if (node->weights.count == 0 || node->weights.count == target_count) {
        return BW_OK;
    }
    bwi_gltf_warn(g, "morph-weights-length", 1, place,
                  "there is not one weight a morph target; missing ones are 0, others are ignored");
    if (target_count == 0) {
        node->weights = (bw_float_list){NULL, 0};
        return BW_OK;
    }
    float *weights = bwi_gltf_alloc(g, g->arena, target_count, sizeof(float));
    if (!weights) {
        return BW_ERR_MEMORY;
    }
    for (size_t i = 0; i < target_count && i < node->weights.count; i++) {
        weights[i] = node->weights.data[i];
    }
    node->weights = (bw_float_list){weights, target_count};
    return BW_OK;
}

static void finish_skin(bwi_gltf *g, bw_node *node, const bwi_gltf_place *place) {
    if (node->skin == BW_NO_INDEX) {
        return;
    }
    const bw_mesh *mesh = &g->meshes[node->mesh];
    size_t skinned = 0;
    for (size_t i = 0; i < mesh->primitives.count; i++) {
        skinned += mesh->primitives.data[i].influence_count > 0;
    }
    if (skinned == mesh->primitives.count) {
        return;
    }
    bwi_gltf_warn(g, "mesh-without-joints", mesh->primitives.count - skinned, place,
                  "primitives without joints and weights follow their node, though the node has a skin");
    if (skinned == 0) {
        node->skin = BW_NO_INDEX;
    }
}

/* One attribute of EXT_mesh_gpu_instancing; absent: *out NULL. */
static bw_result read_instance_attribute(bwi_gltf *g, const float **out, uint32_t *count, const bwi_gltf_place *place,
                                         const json_t *attributes, const char *key, bwi_gltf_type type) {
    uint32_t accessor;
    *out = NULL;
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &accessor, place, attributes, key, g->accessors_json));
    if (accessor == BW_NO_INDEX) {
        return BW_OK;
    }
    const bwi_gltf_place here = {place, key, BW_NO_INDEX, NULL};
    BWI_GLTF_TRY(
        bwi_gltf_expect(g, &here, accessor, BWI_GLTF_BIT(type), BWI_GLTF_ANY_COMPONENT & ~BWI_GLTF_BIT(BWI_GLTF_U32)));
    if (*count != BW_NO_INDEX && *count != g->accessors[accessor].count) {
        return bwi_gltf_malformed(g, &here, "it has %u elements, expected %u as the other attributes have",
                                  g->accessors[accessor].count, *count);
    }
    *count = g->accessors[accessor].count;
    float *values;
    bool rotation = type == BWI_GLTF_VEC4;
    BWI_GLTF_TRY(bwi_gltf_floats(g, &values, g->scratch, &here, accessor, rotation, BWI_GLTF_REFUSE_NOT_FINITE));
    if (rotation) {
        uint64_t off =
            bwi_gltf_normalise_quats(values, *count, bwi_gltf_unit_tolerance(g->accessors[accessor].component));
        if (off) {
            bwi_gltf_warn(g, "rotation-not-unit", off, &here,
                          "rotations of instances were no unit quaternions; they were normalised");
        }
    }
    *out = values;
    return BW_OK;
}

static bw_result finish_instances(bwi_gltf *g, bw_node *node, const bwi_gltf_place *place, const json_t *json) {
    const json_t *extension = bwi_gltf_extension(json, "EXT_mesh_gpu_instancing");
    if (!extension || node->mesh == BW_NO_INDEX) {
        return BW_OK;
    }
    const bwi_gltf_place here = {place, "EXT_mesh_gpu_instancing", BW_NO_INDEX, NULL};
    if (node->skin != BW_NO_INDEX) {
        bwi_gltf_warn(g, "instances-of-skin", 1, &here,
                      "a skinned mesh ignores its node's transform, so its instances were left out");
        return BW_OK;
    }
    json_t *attributes;
    uint32_t count = BW_NO_INDEX;
    const float *translations, *rotations, *scales;
    BWI_GLTF_TRY(bwi_gltf_get_object(g, &attributes, &here, extension, "attributes"));
    BWI_GLTF_TRY(read_instance_attribute(g, &translations, &count, &here, attributes, "TRANSLATION", BWI_GLTF_VEC3));
    BWI_GLTF_TRY(read_instance_attribute(g, &rotations, &count, &here, attributes, "ROTATION", BWI_GLTF_VEC4));
    BWI_GLTF_TRY(read_instance_attribute(g, &scales, &count, &here, attributes, "SCALE", BWI_GLTF_VEC3));
    size_t known = (translations != NULL) + (size_t)(rotations != NULL) + (scales != NULL);
    if (json_object_size(attributes) > known) {
        bwi_gltf_warn(g, "attribute-ignored", json_object_size(attributes) - known, &here,
                      "vertex attributes of an application's own are left out");
    }
    if (count == BW_NO_INDEX || count == 0) {
        bwi_gltf_warn(g, "instances-empty", 1, &here, "there are no instances; the mesh is drawn once");
        return BW_OK;
    }
    bw_instance *instances = bwi_gltf_alloc(g, g->arena, count, sizeof(*instances));
    if (!instances) {
        return BW_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        instances[i] = (bw_instance){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
        if (translations) {
            memcpy(instances[i].translation, translations + 3 * i, 3 * sizeof(float));
        }
        if (rotations) {
            memcpy(instances[i].rotation, rotations + 4 * i, 4 * sizeof(float));
        }
        if (scales) {
            memcpy(instances[i].scale, scales + 3 * i, 3 * sizeof(float));
        }
    }
    node->instances.data = instances;
    node->instances.count = count;
    return BW_OK;
}

bw_result bwi_gltf_finish_nodes(bwi_gltf *g) {
    for (uint32_t i = 0; i < g->scene->nodes.count; i++) {
        const json_t *json = json_array_get(g->nodes_json, i);
        bwi_gltf_place place = bwi_gltf_place_of(NULL, "node", i, json);
        finish_skin(g, &g->nodes[i], &place);
        BWI_GLTF_TRY(finish_weights(g, &g->nodes[i], &place));
        BWI_GLTF_TRY(finish_instances(g, &g->nodes[i], &place, json));
    }
    return BW_OK;
}
