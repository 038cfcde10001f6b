/* SPDX-License-Identifier: MIT
 * Pivot Painter 2, the encoder's side: finding elements and their parents, laying them out, and the texels. */
#ifndef BWI_PIVOT_PIVOT_H
#define BWI_PIVOT_PIVOT_H

#include "bakewell/pivot.h"

/* Half bits that name an element.  In: index < BW_PIVOT_INDEX_COUNT. */
uint16_t bwi_pivot_pack_index(uint32_t index);
uint8_t bwi_pivot_pack_extent(double extent_cm); /* 1 … 255 */
uint8_t bwi_pivot_pack_signed(double value);     /* −1 … 1 */
uint8_t bwi_pivot_pack_unit(double value);       /* 0 … 1 */

#endif
