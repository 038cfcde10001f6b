/* SPDX-License-Identifier: MIT
 * Morph targets: displacements added in mesh space, before skin and node. */
#include <string.h>

#include "sample/sample_priv.h"

static const float *displacements_of(const bw_morph_target *target, bwi_morph_attribute attribute) {
    return attribute == BWI_MORPH_POSITIONS ? target->positions
           : attribute == BWI_MORPH_NORMALS ? target->normals
                                            : target->tangents;
}

static const float *base_of(const bw_primitive *primitive, bwi_morph_attribute attribute) {
    return attribute == BWI_MORPH_POSITIONS ? primitive->positions
           : attribute == BWI_MORPH_NORMALS ? primitive->normals
                                            : primitive->tangents;
}

void bwi_morph(float *values, const bwi_selection *selection, const bw_primitive *primitive,
               bwi_morph_attribute attribute, const double *weights) {
    size_t stride = attribute == BWI_MORPH_TANGENTS ? 4 : 3;
    size_t count = selection->used_count;
    const float *base = base_of(primitive, attribute);
    bool whole =
        count == primitive->vertex_count; /* then used vertex i is vertex i, and the loop below needs no gather */
    if (whole) {
        memcpy(values, base, count * stride * sizeof *values);
    } else {
        for (size_t i = 0; i < count; i++) {
            memcpy(values + stride * i, base + stride * selection->used[i], stride * sizeof *values);
        }
    }
    for (size_t t = 0; t < primitive->targets.count; t++) {
        float weight = (float)weights[t];
        const float *moves = displacements_of(&primitive->targets.data[t], attribute);
        if (weight == 0.0f || moves == NULL) {
            continue;
        }
        if (whole && stride == 3) {
            for (size_t i = 0; i < 3 * count; i++) {
                values[i] += weight * moves[i];
            }
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            const float *move = moves + 3 * (size_t)selection->used[i];
            for (size_t k = 0; k < 3; k++) {
                values[stride * i + k] += weight * move[k];
            }
        }
    }
}
