/* SPDX-License-Identifier: MIT
 * IEEE 754 binary16. */
#ifndef BWI_BASE_HALF_H
#define BWI_BASE_HALF_H

#include <stddef.h>
#include <stdint.h>

/* Round to nearest, ties to even; overflow gives infinity, NaN stays NaN (quiet). */
uint16_t bwi_half_from_float(float value);
float bwi_half_to_float(uint16_t half); /* exact */

#endif
