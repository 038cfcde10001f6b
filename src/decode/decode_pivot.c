/* SPDX-License-Identifier: MIT
 * Texels of Pivot Painter 2: where an element's is, what it holds, and which elements move a vertex.
 * Look-ups are in float as the stock functions have them, their flaws included. */
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "decode/pivot.h"

enum { INDEX_BIAS = 1024 };
static const double EXTENT_RANGE_CM = 2048, EXTENT_LEAST_CM = 8;

static uint32_t texel_of(float coordinate, uint32_t side) {
    float place = floorf(coordinate * (float)side);
    if (!(place > 0))
        return 0;
    return place < (float)side ? (uint32_t)place : side - 1;
}

uint32_t bwi_pivot_element_at(const bwi_pivot_maps *maps, const float uv[2]) {
    return texel_of(uv[0], maps->width) + texel_of(uv[1], maps->height) * maps->width;
}

void bwi_pivot_uv_of(const bwi_pivot_maps *maps, uint32_t element, float uv[2]) {
    float index = (float)element, width = (float)maps->width, height = (float)maps->height;
    float column = fmodf(index, width);
    float row = floorf(index * (1.0f / width));
    uv[0] = (column + 0.5f) * (1.0f / width);
    uv[1] = (row + 0.5f) * (1.0f / height);
}

uint32_t bwi_pivot_parent_of(float alpha) {
    uint32_t bits;
    memcpy(&bits, &alpha, sizeof bits);
    uint32_t exponent = ((bits >> 23) & 255u) - 112u;
    uint32_t half = ((bits >> 16) & 0x8000u) | (exponent << 10) | ((bits >> 13) & 0x3FFu);
    return half - INDEX_BIAS;
}

bwi_pivot_texel bwi_pivot_texel_at(const bwi_pivot_maps *maps, const float uv[2]) {
    size_t at = (size_t)bwi_pivot_element_at(maps, uv) * 4;
    const float *position = maps->positions + at;
    const float *axis = maps->axes + at;
    bwi_pivot_texel texel = {.parent = bwi_pivot_parent_of(position[3])};
    bwi_vec3 along = {((double)axis[0] - 0.5) * 2, ((double)axis[1] - 0.5) * 2, ((double)axis[2] - 0.5) * 2};
    along = bwi_vec3_normalize(along);
    for (int i = 0; i < 3; i++)
        texel.pivot[i] = (double)position[i];
    texel.axis[0] = along.x;
    texel.axis[1] = along.y;
    texel.axis[2] = along.z;
    double extent = (double)axis[3] * EXTENT_RANGE_CM;
    texel.extent = extent > EXTENT_LEAST_CM ? extent : EXTENT_LEAST_CM;
    return texel;
}

uint32_t bwi_pivot_chain(bwi_pivot_texel *chain, const bwi_pivot_maps *maps, const float uv[2], uint32_t most) {
    uint64_t texel_count = (uint64_t)maps->width * maps->height;
    uint32_t index = bwi_pivot_element_at(maps, uv), count = 0;
    float at[2] = {uv[0], uv[1]};
    while (count < most) {
        chain[count] = bwi_pivot_texel_at(maps, at);
        uint32_t parent = chain[count++].parent;
        if (parent == index || parent >= texel_count)
            break;
        index = parent;
        bwi_pivot_uv_of(maps, parent, at);
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        bwi_pivot_texel other = chain[i];
        chain[i] = chain[count - 1 - i];
        chain[count - 1 - i] = other;
    }
    return count;
}
