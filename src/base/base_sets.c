/* SPDX-License-Identifier: MIT
 * Union and find: which things belong together, by pairs that do. */
#include "base/nearest.h"

uint32_t bwi_set_root(uint32_t *parents, uint32_t v) {
    while (parents[v] != v)
        v = parents[v] = parents[parents[v]];
    return v;
}

void bwi_set_join(uint32_t *parents, uint32_t a, uint32_t b) {
    const uint32_t x = bwi_set_root(parents, a), y = bwi_set_root(parents, b);
    parents[x > y ? x : y] = x > y ? y : x;
}
