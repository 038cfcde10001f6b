/* SPDX-License-Identifier: MIT
 * The order of elements in the textures: a parent before its children, as Unreal's converter to a skeleton sorts them too. */
#include "pivot/pivot_priv.h"

/* Elements by their parent, those of one parent in the plan's order; roots last.  Out: first — [elements + 2]. */
static bw_result find_families(uint32_t **children, uint32_t **first, bwi_arena *scratch, const bw_pivot_plan *plan,
                               bw_error *error) {
    const uint32_t count = (uint32_t)plan->elements.count;
    uint32_t *parents = bwi_arena_alloc(scratch, count, sizeof *parents);
    if (!parents)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(scratch), count * sizeof *parents);
    for (uint32_t i = 0; i < count; i++)
        parents[i] = plan->elements.data[i].parent == BW_NO_INDEX ? count : plan->elements.data[i].parent;
    return bwi_pivot_group(children, first, scratch, parents, count, count + 1, error);
}

/* Level by level: what has a texel gives the next ones to its children. */
static void fill(bwi_pivot_order *order, uint32_t *elements, uint32_t *texels, uint32_t *parents, uint32_t *depths,
                 const uint32_t *children, const uint32_t *first) {
    uint32_t filled = 0;
    for (uint32_t k = first[order->count]; k < first[order->count + 1]; k++) {
        texels[children[k]] = parents[filled] = filled;
        elements[filled++] = children[k];
    }
    order->root_count = filled;
    for (uint32_t texel = 0; texel < filled; texel++) {
        const uint32_t element = elements[texel];
        order->level_counts[depths[texel] < BW_PIVOT_LEVELS ? depths[texel] : BW_PIVOT_LEVELS - 1]++;
        order->max_depth = depths[texel] + 1;
        for (uint32_t k = first[element]; k < first[element + 1]; k++) {
            texels[children[k]] = filled;
            parents[filled] = texel;
            depths[filled] = depths[texel] + 1;
            elements[filled++] = children[k];
        }
    }
}

bw_result bwi_pivot_order_make(bwi_pivot_order *order, bwi_arena *arena, const bw_pivot_plan *plan, bw_error *error) {
    const uint32_t count = (uint32_t)plan->elements.count;
    bwi_mem *mem = bwi_arena_mem(arena);
    uint32_t *elements = bwi_arena_alloc(arena, count, sizeof *elements);
    uint32_t *texels = bwi_arena_alloc(arena, count, sizeof *texels);
    uint32_t *parents = bwi_arena_alloc(arena, count, sizeof *parents);
    uint32_t *depths = bwi_arena_alloc(arena, count, sizeof *depths);
    bwi_arena *scratch = bwi_arena_create(mem);
    uint32_t *children = NULL, *first = NULL;
    bw_result result = elements && texels && parents && depths && scratch
                           ? find_families(&children, &first, scratch, plan, error)
                           : bwi_fail_memory(error, NULL, mem, 4 * (size_t)count * sizeof *elements);
    if (result == BW_OK) {
        *order = (bwi_pivot_order){
            .count = count, .elements = elements, .texels = texels, .parents = parents, .depths = depths};
        fill(order, elements, texels, parents, depths, children, first);
    }
    bwi_arena_free(scratch);
    return result;
}
