/* SPDX-License-Identifier: MIT
 * Skins: joints and inverse bind matrices. */
#include <string.h>

#include "read/gltf/gltf_priv.h"

static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static bw_result read_inverse_bind(bwi_gltf *g, bw_skin *skin, const bwi_gltf_place *place, const json_t *json) {
    uint32_t accessor;
    size_t count = skin->joints.count;
    float *matrices;
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &accessor, place, json, "inverseBindMatrices", g->accessors_json));
    if (accessor == BW_NO_INDEX) {
        matrices = bwi_gltf_alloc(g, g->arena, count, sizeof(identity));
        if (!matrices) {
            return BW_ERR_MEMORY;
        }
        for (size_t i = 0; i < count; i++) {
            memcpy(matrices + 16 * i, identity, sizeof(identity));
        }
        bwi_gltf_warn(g, "inverse-bind-missing", 1, place,
                      "a skin without inverse bind matrices binds at the origin, as the specification says");
    } else {
        const bwi_gltf_place here = {place, "inverseBindMatrices", BW_NO_INDEX, NULL};
        BWI_GLTF_TRY(bwi_gltf_expect(g, &here, accessor, BWI_GLTF_BIT(BWI_GLTF_MAT4), BWI_GLTF_BIT(BWI_GLTF_F32)));
        if (g->accessors[accessor].count < count) {
            return bwi_gltf_malformed(g, &here, "there are %u matrices for %zu joints", g->accessors[accessor].count,
                                      count);
        }
        BWI_GLTF_TRY(bwi_gltf_floats(g, &matrices, g->arena, &here, accessor, false, BWI_GLTF_REFUSE_NOT_FINITE));
    }
    skin->inverse_bind = matrices;
    return BW_OK;
}

static bw_result read_skin(bwi_gltf *g, uint32_t index) {
    const json_t *json = json_array_get(g->skins_json, index);
    bwi_gltf_place place = bwi_gltf_place_of(NULL, "skin", index, json);
    bw_skin *skin = &g->skins[index];
    json_t *list;
    BWI_GLTF_TRY(bwi_gltf_copy_name(g, &skin->name, place.name, "skin", index));
    BWI_GLTF_TRY(bwi_gltf_get_array(g, &list, &place, json, "joints"));
    size_t count = json_array_size(list);
    if (count == 0) {
        return bwi_gltf_malformed(g, &place, "it has no joints, expected at least one");
    }
    uint32_t *joints = bwi_gltf_alloc(g, g->arena, count, sizeof(uint32_t));
    if (!joints) {
        return BW_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        BWI_GLTF_TRY(bwi_gltf_index_at(g, &joints[i], &place, list, i, "joints", g->nodes_json));
    }
    skin->joints = (bw_index_list){joints, count};
    return read_inverse_bind(g, skin, &place, json);
}

bw_result bwi_gltf_read_skins(bwi_gltf *g) {
    size_t count = json_array_size(g->skins_json);
    g->skins = bwi_gltf_alloc(g, g->arena, count, sizeof(*g->skins));
    if (!g->skins) {
        return BW_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        BWI_GLTF_TRY(read_skin(g, i));
    }
    g->scene->skins.data = g->skins;
    g->scene->skins.count = count;
    return BW_OK;
}
