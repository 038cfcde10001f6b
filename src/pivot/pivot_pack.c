/* SPDX-License-Identifier: MIT
 * Numbers as texels hold them: indices as the bits of halves, extents and axes as bytes. */
#include <math.h>

#include "format.h"
#include "pivot/pivot.h"

uint16_t bwi_pivot_pack_index(uint32_t index) {
    return (uint16_t)(index + BW_PIVOT_INDEX_BIAS);
}

uint8_t bwi_pivot_pack_extent(double extent_cm) {
    const double code = floor(extent_cm * 255.0 / BW_PIVOT_EXTENT_CM + 0.5);
    return (uint8_t)(code < 1.0 ? 1.0 : code > 255.0 ? 255.0 : code);
}

uint8_t bwi_pivot_pack_signed(double value) {
    const double code = floor(255.0 * (0.5 * value + 0.5) + 0.5);
    return (uint8_t)(code < 0.0 ? 0.0 : code > 255.0 ? 255.0 : code);
}

uint8_t bwi_pivot_pack_unit(double value) {
    const double code = floor(255.0 * value + 0.5);
    return (uint8_t)(code < 0.0 ? 0.0 : code > 255.0 ? 255.0 : code);
}
