/* SPDX-License-Identifier: MIT
 * The mesh that reads the textures: as the plan has it, with one UV set in which all vertices of an element point at its texel. */
#include <string.h>

#include "pivot/pivot.h"

enum { SET_MOST = 7 }; /* as options_pivot.def has it */

static bool is_taken(const bw_pivot_plan *plan, uint32_t set) {
    return set < plan->uv_sets.count && plan->uv_sets.data[set];
}

bw_result bwi_pivot_uv_set(uint32_t *set, const bw_pivot_plan *plan, bw_engine engine, const bw_pivot_opts *opts,
                           bw_error *error) {
    if (opts->uv_set) {
        *set = opts->uv_set;
        return BW_OK;
    }
    if (engine == BW_ENGINE_UNREAL && is_taken(plan, 1))
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "the mesh has a TEXCOORD_1, and Unreal's stock functions look there for texels; replace it "
                        "with --uv-set=1, or write another set with --uv-set=2 and point the material at it");
    for (uint32_t n = 1; n <= SET_MOST; n++) {
        if (!is_taken(plan, n)) {
            *set = n;
            return BW_OK;
        }
    }
    return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                    "the mesh has all of TEXCOORD_1 to TEXCOORD_%d; name one to replace with --uv-set", SET_MOST);
}

static const float *make_uvs(bwi_arena *arena, const bw_pivot_plan *plan, const bwi_pivot_order *order,
                             const bwi_pivot_layout *layout) {
    float *uvs = bwi_arena_alloc(arena, plan->vertex_count, 2 * sizeof *uvs);
    for (size_t v = 0; uvs && v < plan->vertex_count; v++)
        bwi_pivot_uv(uvs + 2 * v, layout, order->texels[plan->vertex_elements[v]]);
    return uvs;
}

bw_result bwi_pivot_draw_list(bwi_draw_list *list, bwi_arena *arena, const bw_pivot_plan *plan,
                              const bwi_pivot_order *order, const bwi_pivot_layout *layout, uint32_t uv_set,
                              bw_error *error) {
    const uint32_t given = (uint32_t)plan->uv_sets.count, set_count = given > uv_set ? given : uv_set + 1;
    const float **sets = bwi_arena_alloc(arena, set_count, sizeof *sets);
    bwi_draw_primitive *primitives = bwi_arena_alloc(arena, plan->primitives.count, sizeof *primitives);
    bool fits = sets && primitives;
    for (uint32_t n = 0; fits && n < set_count; n++) {
        sets[n] = n == uv_set         ? make_uvs(arena, plan, order, layout)
                  : is_taken(plan, n) ? plan->uv_sets.data[n]
                                      : bwi_arena_alloc(arena, plan->vertex_count, 2 * sizeof(float));
        fits = sets[n] != NULL;
    }
    if (!fits)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), (size_t)plan->vertex_count * 2 * sizeof(float));
    for (size_t p = 0; p < plan->primitives.count; p++) {
        const bw_pivot_primitive *from = &plan->primitives.data[p];
        primitives[p] = (bwi_draw_primitive){BW_PRIMITIVE_TRIANGLES, from->material,     from->first_vertex,
                                             from->vertex_count,     from->indices.data, (uint32_t)from->indices.count};
    }
    *list = (bwi_draw_list){.vertex_count = plan->vertex_count,
                            .positions = plan->positions,
                            .normals = plan->normals,
                            .tangents = plan->tangents,
                            .uv_sets = sets,
                            .uv_set_count = set_count,
                            .colors = plan->colors.data,
                            .color_count = (uint32_t)plan->colors.count,
                            .primitives = primitives,
                            .primitive_count = (uint32_t)plan->primitives.count};
    return BW_OK;
}
