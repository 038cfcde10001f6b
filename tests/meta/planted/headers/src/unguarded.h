/* SPDX-License-Identifier: MIT
 * Planted: a header without a guard. */
typedef struct bwi_unguarded {
    int value;
} bwi_unguarded;
