/* SPDX-License-Identifier: MIT
 * Accessors read for what they mean: which types may hold it, and the repairs that make normals, tangents and rotations unit. */
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "read/gltf/gltf_priv.h"

#define FLOAT BWI_GLTF_BIT(BWI_GLTF_F32)
#define SIGNED (BWI_GLTF_BIT(BWI_GLTF_I8) | BWI_GLTF_BIT(BWI_GLTF_I16))
#define UNSIGNED (BWI_GLTF_BIT(BWI_GLTF_U8) | BWI_GLTF_BIT(BWI_GLTF_U16))

/* KHR_mesh_quantization's types are taken from every file: what they hold is never in doubt. */
static const struct {
    unsigned types, components;
    bool normalise;
    bwi_gltf_not_finite policy;
} meanings[BWI_GLTF_MEANING_COUNT] = {
    [BWI_GLTF_POSITION] = {BWI_GLTF_BIT(BWI_GLTF_VEC3), FLOAT | SIGNED | UNSIGNED, false, BWI_GLTF_REFUSE_NOT_FINITE},
    [BWI_GLTF_NORMAL] = {BWI_GLTF_BIT(BWI_GLTF_VEC3), FLOAT | SIGNED, true, BWI_GLTF_ZERO_NOT_FINITE},
    [BWI_GLTF_TANGENT] = {BWI_GLTF_BIT(BWI_GLTF_VEC4), FLOAT | SIGNED, true, BWI_GLTF_ZERO_NOT_FINITE},
    [BWI_GLTF_UV] = {BWI_GLTF_BIT(BWI_GLTF_VEC2), FLOAT | SIGNED | UNSIGNED, false, BWI_GLTF_ZERO_NOT_FINITE},
    [BWI_GLTF_COLOR] = {BWI_GLTF_BIT(BWI_GLTF_VEC3) | BWI_GLTF_BIT(BWI_GLTF_VEC4), FLOAT | UNSIGNED, true,
                        BWI_GLTF_ZERO_NOT_FINITE},
    [BWI_GLTF_MORPH_POSITION] = {BWI_GLTF_BIT(BWI_GLTF_VEC3), FLOAT | SIGNED | UNSIGNED, false,
                                 BWI_GLTF_REFUSE_NOT_FINITE},
    [BWI_GLTF_MORPH_DIRECTION] = {BWI_GLTF_BIT(BWI_GLTF_VEC3), FLOAT | SIGNED, true, BWI_GLTF_ZERO_NOT_FINITE},
    [BWI_GLTF_KEY_TIMES] = {BWI_GLTF_BIT(BWI_GLTF_SCALAR), FLOAT, false, BWI_GLTF_REFUSE_NOT_FINITE},
};

/* How far from 1 rounding alone can bring the length of a unit vector.  Integers: half a step on each of four axes is at most one step, and
 * exporters store 8 to 10 bits in 16-bit integers too.  Floats: they often come from single precision trigonometry. */
double bwi_gltf_unit_tolerance(bwi_gltf_component component) {
    return component == BWI_GLTF_F32 ? 1e-3 : 1.0 / 127.0;
}

/* Normalises the first three of every `stride` floats; vectors without a direction become `fallback`. */
static void make_unit(bwi_gltf *g, float *values, uint32_t count, size_t stride, const float fallback[3],
                      double tolerance, const bwi_gltf_place *place) {
    uint64_t missing = 0, off = 0;
    for (uint32_t i = 0; i < count; i++) {
        float *v = values + i * stride;
        double length = bwi_sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
        if (length == 0.0) {
            memcpy(v, fallback, 3 * sizeof(float));
            missing++;
            continue;
        }
        off += fabs(length - 1.0) > tolerance;
        for (int k = 0; k < 3; k++) {
            v[k] = (float)((double)v[k] / length);
        }
    }
    if (missing) {
        bwi_gltf_warn(g, "directions-missing", missing, place,
                      "normals or tangents of length 0 were replaced by an axis");
    }
    if (off) {
        bwi_gltf_warn(g, "directions-not-unit", off, place,
                      "normals or tangents were not of unit length; they were normalised");
    }
}

static void finish_tangents(bwi_gltf *g, float *values, uint32_t count, const bwi_gltf_place *place) {
    uint64_t repaired = 0;
    for (size_t i = 0; i < count; i++) {
        float *w = values + 4 * i + 3;
        float sign = *w < 0.0f ? -1.0f : 1.0f;
        repaired += *w != sign;
        *w = sign;
    }
    if (repaired) {
        bwi_gltf_warn(g, "tangent-handedness", repaired, place,
                      "the handedness of tangents was neither 1 nor -1; its sign was taken");
    }
}

static bw_result add_alpha(bwi_gltf *g, float **values, uint32_t count) {
    float *rgba = bwi_gltf_alloc(g, g->arena, count, 4 * sizeof(float));
    if (!rgba) {
        return BW_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(rgba + 4 * i, *values + 3 * i, 3 * sizeof(float));
        rgba[4 * i + 3] = 1.0f;
    }
    *values = rgba;
    return BW_OK;
}

bw_result bwi_gltf_attribute(bwi_gltf *g, const float **out, const bwi_gltf_place *place, uint32_t accessor,
                             bwi_gltf_meaning meaning) {
    const float **decoded = &g->decoded[(size_t)accessor * BWI_GLTF_MEANING_COUNT + meaning];
    if (!*decoded) {
        static const float z_axis[3] = {0, 0, 1}, x_axis[3] = {1, 0, 0};
        const bwi_gltf_accessor *a = &g->accessors[accessor];
        float *values;
        BWI_GLTF_TRY(bwi_gltf_expect(g, place, accessor, meanings[meaning].types, meanings[meaning].components));
        bool three = meaning == BWI_GLTF_COLOR && a->type == BWI_GLTF_VEC3;
        BWI_GLTF_TRY(bwi_gltf_floats(g, &values, three ? g->scratch : g->arena, place, accessor,
                                     meanings[meaning].normalise, meanings[meaning].policy));
        if (three) {
            BWI_GLTF_TRY(add_alpha(g, &values, a->count));
        }
        double tolerance = bwi_gltf_unit_tolerance(a->component);
        if (meaning == BWI_GLTF_NORMAL) {
            make_unit(g, values, a->count, 3, z_axis, tolerance, place);
        } else if (meaning == BWI_GLTF_TANGENT) {
            make_unit(g, values, a->count, 4, x_axis, tolerance, place);
            finish_tangents(g, values, a->count, place);
        }
        *decoded = values;
    }
    *out = *decoded;
    return BW_OK;
}

uint64_t bwi_gltf_normalise_quats(float *quats, size_t count, double tolerance) {
    uint64_t off = 0;
    for (size_t i = 0; i < count; i++) {
        float *q = quats + 4 * i;
        double length = bwi_sqrt((double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2] + (double)q[3] * q[3]);
        off += fabs(length - 1.0) <= tolerance ? 0 : 1;
        if (length == 1.0) {
            continue;
        }
        bwi_quat unit = bwi_quat_normalize((bwi_quat){q[0], q[1], q[2], q[3]});
        q[0] = (float)unit.x;
        q[1] = (float)unit.y;
        q[2] = (float)unit.z;
        q[3] = (float)unit.w;
    }
    return off;
}
