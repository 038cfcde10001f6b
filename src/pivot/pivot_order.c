/* SPDX-License-Identifier: MIT
 * The order of elements in the textures: a parent before its children, as Unreal's converter to a skeleton sorts them too. */
#include "pivot/pivot.h"

/* Children of each element, one list after the other, each in the plan's order. */
typedef struct families {
    uint32_t *first;    /* [elements + 1] */
    uint32_t *children; /* [elements] */
} families;

static void find_families(families *f, const bw_pivot_plan *plan) {
    const size_t count = plan->elements.count;
    for (size_t i = 0; i < count; i++) {
        if (plan->elements.data[i].parent != BW_NO_INDEX)
            f->first[plan->elements.data[i].parent + 1]++;
    }
    for (size_t i = 0; i < count; i++)
        f->first[i + 1] += f->first[i];
    for (size_t i = count; i-- > 0;) { /* from the last: each list is filled from its end */
        const uint32_t parent = plan->elements.data[i].parent;
        if (parent != BW_NO_INDEX)
            f->children[--f->first[parent + 1]] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++) /* first[parent + 1] came down to the list's beginning */
        f->first[i] = f->first[i + 1];
}

bw_result bwi_pivot_order_make(bwi_pivot_order *order, bwi_arena *arena, const bw_pivot_plan *plan, bw_error *error) {
    const uint32_t count = (uint32_t)plan->elements.count;
    bwi_mem *mem = bwi_arena_mem(arena);
    uint32_t *elements = bwi_arena_alloc(arena, count, sizeof *elements);
    uint32_t *texels = bwi_arena_alloc(arena, count, sizeof *texels);
    uint32_t *parents = bwi_arena_alloc(arena, count, sizeof *parents);
    uint32_t *depths = bwi_arena_alloc(arena, count, sizeof *depths);
    uint32_t *counts = bwi_alloc(mem, count, sizeof *counts);
    families f = {bwi_alloc(mem, (size_t)count + 1, sizeof *f.first), bwi_alloc(mem, count, sizeof *f.children)};
    bw_result result = BW_OK;
    if (elements && texels && parents && depths && counts && f.first && f.children) {
        for (uint32_t i = 0; i < count; i++) {
            if (plan->elements.data[i].parent != BW_NO_INDEX)
                counts[plan->elements.data[i].parent]++;
        }
        find_families(&f, plan);
        *order = (bwi_pivot_order){
            .count = count, .elements = elements, .texels = texels, .parents = parents, .depths = depths};
        uint32_t filled = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (plan->elements.data[i].parent == BW_NO_INDEX) {
                texels[i] = parents[filled] = filled;
                elements[filled++] = i;
            }
        }
        order->root_count = filled;
        for (uint32_t texel = 0; texel < filled; texel++) {
            const uint32_t element = elements[texel];
            const uint32_t level = depths[texel] < BW_PIVOT_LEVELS ? depths[texel] : BW_PIVOT_LEVELS - 1;
            order->level_counts[level]++;
            order->max_depth = depths[texel] + 1;
            for (uint32_t k = 0; k < counts[element]; k++) {
                const uint32_t child = f.children[f.first[element] + k];
                texels[child] = filled;
                parents[filled] = texel;
                depths[filled] = depths[texel] + 1;
                elements[filled++] = child;
            }
        }
    } else {
        result = bwi_fail_memory(error, NULL, mem, 8 * (size_t)count * sizeof *elements);
    }
    bwi_free(mem, counts);
    bwi_free(mem, f.first);
    bwi_free(mem, f.children);
    return result;
}
