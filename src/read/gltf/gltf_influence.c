/* SPDX-License-Identifier: MIT
 * Skin weights: any number of JOINTS_n and WEIGHTS_n sets become one list of influences a vertex, whose weights are safe and sum to one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "read/gltf/gltf_priv.h"

typedef struct repairs {
    uint64_t negative, zero, unnormalised, unused_joints;
} repairs;

static json_t *find_set(const json_t *attributes, const char *prefix, uint32_t set) {
    char key[32];
    snprintf(key, sizeof(key), "%s%u", prefix, set);
    return json_object_get(attributes, key);
}

static uint32_t count_sets(bwi_gltf *g, const bwi_gltf_place *place, const json_t *attributes) {
    uint32_t count = 0, named = 0;
    while (find_set(attributes, "JOINTS_", count) && find_set(attributes, "WEIGHTS_", count)) {
        count++;
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)attributes, key, value) {
        named += strncmp(key, "JOINTS_", 7) == 0 || strncmp(key, "WEIGHTS_", 8) == 0;
    }
    if (named != 2 * count) {
        bwi_gltf_warn(g, "influence-set-alone", 1, place,
                      "joints without weights, weights without joints, or sets after a gap were ignored");
    }
    return count;
}

/* How far a vertex's sum may be from 1 by storage alone: a step of each of two weights; floats by the rounding of exporters. */
static double sum_tolerance(bwi_gltf_component component) {
    return component == BWI_GLTF_U8 ? 2.0 / 255.0 : component == BWI_GLTF_U16 ? 2.0 / 65535.0 : 1e-4;
}

/* Makes one vertex safe.  False: a joint past the skin carries weight. */
static bool repair_vertex(uint32_t *joints, float *weights, uint32_t count, uint32_t joint_count, double tolerance,
                          repairs *found) {
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        if (weights[i] < 0.0f) {
            weights[i] = 0.0f;
            found->negative++;
        }
        if (joints[i] >= joint_count) {
            if (weights[i] > 0.0f) {
                return false;
            }
            joints[i] = 0;
            found->unused_joints++;
        }
        sum += (double)weights[i];
    }
    if (sum == 0.0) {
        weights[0] = 1.0f;
        found->zero++;
    } else if (sum != 1.0) {
        found->unnormalised += fabs(sum - 1.0) > tolerance;
        for (uint32_t i = 0; i < count; i++) {
            weights[i] = (float)((double)weights[i] / sum);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = weights[i] > 0.0f ? joints[i] : 0;
    }
    return true;
}

static bw_result repair_all(bwi_gltf *g, uint32_t *joints, float *weights, uint32_t vertex_count, uint32_t influences,
                            double tolerance, uint32_t skin, const bwi_gltf_place *place) {
    repairs found = {0};
    uint32_t joint_count = (uint32_t)g->skins[skin].joints.count;
    for (size_t v = 0; v < vertex_count; v++) {
        uint32_t *joint = joints + v * influences;
        if (!repair_vertex(joint, weights + v * influences, influences, joint_count, tolerance, &found)) {
            uint32_t i = 0;
            while (joint[i] < joint_count) {
                i++;
            }
            return bwi_gltf_malformed(g, place, "vertex %zu is moved by joint %u, expected one below the %u of skin %u",
                                      v, joint[i], joint_count, skin);
        }
    }
    if (found.negative) {
        bwi_gltf_warn(g, "weights-negative", found.negative, place, "negative skin weights were set to 0");
    }
    if (found.zero) {
        bwi_gltf_warn(g, "weights-zero", found.zero, place,
                      "vertices without any skin weight were given wholly to their first joint");
    }
    if (found.unnormalised) {
        bwi_gltf_warn(g, "weights-not-normalised", found.unnormalised, place,
                      "skin weights of a vertex do not sum to 1; they were normalised");
    }
    if (found.unused_joints) {
        bwi_gltf_warn(g, "joint-out-of-range", found.unused_joints, place,
                      "joints past the skin that carry no weight were set to 0");
    }
    return BW_OK;
}

/* Decodes one set: joints and weights [vertex_count][4]. */
static bw_result read_set(bwi_gltf *g, uint32_t **joints, float **weights, double *tolerance, bwi_arena *arena,
                          const bwi_gltf_place *place, const json_t *attributes, uint32_t set, uint32_t vertex_count) {
    uint32_t joint_accessor, weight_accessor;
    char key[32];
    const bwi_gltf_place here = {place, key, BW_NO_INDEX, NULL};
    snprintf(key, sizeof(key), "JOINTS_%u", set);
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &joint_accessor, place, attributes, key, g->accessors_json));
    BWI_GLTF_TRY(bwi_gltf_expect(g, &here, joint_accessor, BWI_GLTF_BIT(BWI_GLTF_VEC4),
                                 BWI_GLTF_BIT(BWI_GLTF_U8) | BWI_GLTF_BIT(BWI_GLTF_U16) | BWI_GLTF_BIT(BWI_GLTF_U32)));
    if (g->accessors[joint_accessor].count != vertex_count) {
        return bwi_gltf_malformed(g, &here, "it has %u elements, expected %u as POSITION has",
                                  g->accessors[joint_accessor].count, vertex_count);
    }
    BWI_GLTF_TRY(bwi_gltf_uints(g, joints, arena, &here, joint_accessor));
    snprintf(key, sizeof(key), "WEIGHTS_%u", set);
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &weight_accessor, place, attributes, key, g->accessors_json));
    BWI_GLTF_TRY(bwi_gltf_expect(g, &here, weight_accessor, BWI_GLTF_BIT(BWI_GLTF_VEC4),
                                 BWI_GLTF_BIT(BWI_GLTF_U8) | BWI_GLTF_BIT(BWI_GLTF_U16) | BWI_GLTF_BIT(BWI_GLTF_F32)));
    if (g->accessors[weight_accessor].count != vertex_count) {
        return bwi_gltf_malformed(g, &here, "it has %u elements, expected %u as POSITION has",
                                  g->accessors[weight_accessor].count, vertex_count);
    }
    *tolerance = fmax(*tolerance, sum_tolerance(g->accessors[weight_accessor].component));
    return bwi_gltf_floats(g, weights, arena, &here, weight_accessor, true, BWI_GLTF_ZERO_NOT_FINITE);
}

bw_result bwi_gltf_read_influences(bwi_gltf *g, bw_primitive *primitive, const bwi_gltf_place *place,
                                   const json_t *attributes, uint32_t skin) {
    uint32_t set_count = count_sets(g, place, attributes);
    if (set_count == 0) {
        return BW_OK;
    }
    uint32_t *joints, vertex_count = primitive->vertex_count, influences = 4 * set_count;
    float *weights;
    double tolerance = 0.0;
    /* One set, the common case, lies as the scene wants it. */
    BWI_GLTF_TRY(read_set(g, &joints, &weights, &tolerance, set_count == 1 ? g->arena : g->scratch, place, attributes,
                          0, vertex_count));
    if (set_count > 1) {
        uint32_t *all_joints = bwi_gltf_alloc(g, g->arena, vertex_count, influences * sizeof(uint32_t));
        float *all_weights = all_joints ? bwi_gltf_alloc(g, g->arena, vertex_count, influences * sizeof(float)) : NULL;
        if (!all_weights) {
            return BW_ERR_MEMORY;
        }
        for (uint32_t set = 0; set < set_count; set++) {
            if (set > 0) {
                BWI_GLTF_TRY(
                    read_set(g, &joints, &weights, &tolerance, g->scratch, place, attributes, set, vertex_count));
            }
            for (size_t v = 0; v < vertex_count; v++) {
                memcpy(all_joints + v * influences + 4 * set, joints + 4 * v, 4 * sizeof(uint32_t));
                memcpy(all_weights + v * influences + 4 * set, weights + 4 * v, 4 * sizeof(float));
            }
        }
        joints = all_joints;
        weights = all_weights;
    }
    if (skin != BW_NO_INDEX) {
        BWI_GLTF_TRY(repair_all(g, joints, weights, vertex_count, influences, tolerance, skin, place));
    }
    primitive->influence_count = influences;
    primitive->joints = joints;
    primitive->weights = weights;
    return BW_OK;
}
