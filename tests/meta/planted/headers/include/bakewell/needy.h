/* SPDX-License-Identifier: MIT
 * Planted: a header that needs stdint.h and does not include it. */
#ifndef BAKEWELL_NEEDY_H
#define BAKEWELL_NEEDY_H
uint32_t bw_needy(void);
#endif
