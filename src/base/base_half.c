/* SPDX-License-Identifier: MIT
 * IEEE 754 binary16 from and to binary32. */
#include "base/half.h"

#include <string.h>

uint16_t bwi_half_from_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint32_t sign = (bits >> 16) & 0x8000u;
    uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) {
        return (uint16_t)(sign | 0x7E00u | ((magnitude >> 13) & 0x1FFu));
    }
    if (magnitude >= 0x477FF000u) { /* 65520 and above round to 65536, which is infinity */
        return (uint16_t)(sign | 0x7C00u);
    }
    if (magnitude >= 0x38800000u) { /* 2^-14: normal halves */
        uint32_t rebiased = magnitude - (112u << 23);
        return (uint16_t)(sign | ((rebiased + 0xFFFu + ((rebiased >> 13) & 1u)) >> 13));
    }
    uint32_t exponent = magnitude >> 23;
    if (exponent < 102u) { /* below 2^-25, half of the smallest */
        return (uint16_t)sign;
    }
    /* Subnormal: the significand in units of 2^-24; a carry into the exponent makes the smallest normal, as it
     * should. */
    uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
    uint32_t shift = 126u - exponent;
    uint32_t kept = significand >> shift;
    uint32_t rest = significand & ((1u << shift) - 1u);
    uint32_t tie = 1u << (shift - 1u);
    kept += rest > tie || (rest == tie && (kept & 1u));
    return (uint16_t)(sign | kept);
}

float bwi_half_to_float(uint16_t half) {
    uint32_t sign = ((uint32_t)half & 0x8000u) << 16;
    uint32_t exponent = ((uint32_t)half >> 10) & 0x1Fu;
    uint32_t significand = (uint32_t)half & 0x3FFu;
    uint32_t bits;
    if (exponent == 0x1Fu) {
        bits = sign | 0x7F800000u | (significand << 13);
    } else if (exponent > 0u) {
        bits = sign | ((exponent + 112u) << 23) | (significand << 13);
    } else {
        float magnitude = (float)significand * 0x1p-24f;
        memcpy(&bits, &magnitude, sizeof(bits));
        bits |= sign;
    }
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}
