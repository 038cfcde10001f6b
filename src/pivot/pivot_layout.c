/* SPDX-License-Identifier: MIT
 * Sides of the textures, and whether a shader finds every texel of them. */
#include "format.h"
#include "pivot/pivot.h"

/* Shaders divide by multiplying with a float reciprocal of the width: row = floor(index × (1 / width)).  For a width such as 121 that is one row
 * too few at the first index of some rows. */
bool bwi_pivot_width_is_safe(uint32_t width) {
    const float reciprocal = 1.0f / (float)width;
    for (uint32_t index = 0; index < BW_PIVOT_INDEX_COUNT; index++) {
        const float row = (float)index * reciprocal; /* whole part below: no value here is negative */
        if ((uint32_t)row != index / width)
            return false;
    }
    return true;
}

static uint32_t power_above(uint32_t count) {
    uint32_t power = 1;
    while (power < count)
        power *= 2;
    return power;
}

static bool is_good(uint32_t width, uint32_t count) {
    return width >= 1 && width <= BWI_PIVOT_SIDE_MAX && bwi_pivot_width_is_safe(width) &&
           (count + width - 1) / width <= BWI_PIVOT_SIDE_MAX;
}

static uint32_t nearest_good(uint32_t width, uint32_t count) {
    for (uint32_t step = 1; step <= BWI_PIVOT_SIDE_MAX; step++) {
        if (width > step && is_good(width - step, count))
            return width - step;
        if (is_good(width + step, count))
            return width + step;
    }
    return 256; /* holds any count */
}

bw_result bwi_pivot_layout_make(bwi_pivot_layout *layout, uint32_t element_count, uint32_t width, bw_error *error) {
    if (width == 0) {
        uint32_t side = 1;
        while (side * side < element_count)
            side++;
        layout->width = power_above(side);
        layout->height = power_above((element_count + layout->width - 1) / layout->width);
        return BW_OK;
    }
    if (!bwi_pivot_width_is_safe(width))
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--width=%u would make shaders read a row too far up for some elements, since they multiply by "
                        "1/%u in floats; give %u, or a power of two",
                        width, width, nearest_good(width, element_count));
    const uint32_t height = (element_count + width - 1) / width;
    if (height > BWI_PIVOT_SIDE_MAX)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--width=%u needs %u rows for %u elements, and UVs that engines keep as halves tell %d apart; "
                        "give %u or more",
                        width, height, element_count, BWI_PIVOT_SIDE_MAX, nearest_good(width, element_count));
    *layout = (bwi_pivot_layout){width, height};
    return BW_OK;
}

void bwi_pivot_uv(float uv[2], const bwi_pivot_layout *layout, uint32_t texel) {
    uv[0] = (float)((texel % layout->width + 0.5) / layout->width);
    uv[1] = (float)((texel / layout->width + 0.5) / layout->height);
}
