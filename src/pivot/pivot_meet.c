/* SPDX-License-Identifier: MIT
 * Places where more elements meet than Unreal's converter to a skeleton takes: it gives a vertex at most three pivots. */
#include "pivot/pivot_priv.h"

enum { MOST = 3 };

/* Whether vertices are of more than MOST elements. */
static bool is_crowded(const uint32_t *vertices, uint32_t count, const uint32_t *vertex_elements) {
    uint32_t met[MOST], met_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (k < met_count && met[k] != vertex_elements[vertices[i]])
            k++;
        if (k < met_count)
            continue;
        if (met_count == MOST)
            return true;
        met[met_count++] = vertex_elements[vertices[i]];
    }
    return false;
}

bw_result bwi_pivot_find_crowds(uint32_t *count, uint32_t *first_vertex, const bw_pivot_plan *plan, const bwi_env *env,
                                bw_error *error) {
    const uint32_t vertices = plan->vertex_count;
    bwi_arena *scratch = bwi_arena_create(env->mem);
    uint32_t *points = scratch ? bwi_arena_alloc(scratch, vertices, sizeof *points) : NULL, *order = NULL,
             *first = NULL;
    bw_result result = points ? bwi_pivot_weld(points, plan->positions, vertices, 0, scratch, env, error)
                              : bwi_fail_memory(error, NULL, env->mem, vertices * sizeof *points);
    if (result == BW_OK)
        result = bwi_pivot_group(&order, &first, scratch, points, vertices, vertices, error);
    if (result == BW_OK) {
        *count = 0;
        for (uint32_t v = 0; v < vertices; v++) {
            if (!is_crowded(order + first[v], first[v + 1] - first[v], plan->vertex_elements))
                continue;
            if ((*count)++ == 0)
                *first_vertex = v;
        }
    }
    bwi_arena_free(scratch);
    return result;
}
