/* SPDX-License-Identifier: MIT
 * Planted: good C11 that is no C++17. */
#ifndef BAKEWELL_C_ONLY_H
#define BAKEWELL_C_ONLY_H
int bw_c_only(int class);
#endif
