/* SPDX-License-Identifier: MIT
 * The mesh that reads the textures: the vertex list in rest pose, with a UV set that points at each vertex's texel. */
#include <string.h>

#include "vat/vat_priv.h"

static bool is_used(const bwi_vat_plan *plan, uint32_t set) {
    bool used = bwi_vertex_list_has_uv(plan->list, set);
    for (uint32_t k = 0; k < plan->level_count; ++k)
        used = used || bwi_vertex_list_has_uv(plan->levels[k], set);
    return used;
}

/* Lowest TEXCOORD >= 1 that no part uses, of any level, since one shader plays them all; OpenVAT appends its own. */
static uint32_t free_uv_set(const bwi_vat_plan *plan) {
    uint32_t set = 1;
    if (plan->settings.layout == BW_VAT_LAYOUT_OPENVAT && bwi_vertex_list_uv_set_count(plan->list) > 1)
        return bwi_vertex_list_uv_set_count(plan->list);
    while (is_used(plan, set))
        ++set;
    return set;
}

typedef struct texel_place {
    uint32_t column, row, width, height;
} texel_place;

/* The texel that an element reads: of its positions, of its weights, or of the bone that carries it. */
static texel_place place_of(const bwi_vat_plan *plan, uint32_t element) {
    texel_place at = {element % plan->width, element / plan->width, plan->width, plan->height};
    if (plan->weight_rows)
        at = (texel_place){element % plan->weight_width, element / plan->weight_width, plan->weight_width,
                           plan->weight_height};
    else if (plan->palette) {
        const uint32_t bone = plan->palette->indices[(size_t)element * plan->palette->influence_count];
        at.column = plan->bones.texel_count * (bone % plan->bones.per_row);
        at.row = bone / plan->bones.per_row;
    } else if (plan->settings.layout == BW_VAT_LAYOUT_OPENVAT) {
        bwi_openvat_place(plan, element, &at.column, &at.row);
    }
    return at;
}

/* In: map — elements of the list's vertices; NULL: their own. */
static void fill_texel_uv(float *uv, const bwi_vat_plan *plan, const bwi_vertex_list *list, const uint32_t *map) {
    for (uint32_t k = 0; k < list->vertex_count; ++k, uv += 2) {
        const texel_place at = place_of(plan, map ? map[k] : k);
        uv[0] = (float)(((double)at.column + 0.5) / at.width);
        uv[1] = plan->settings.layout == BW_VAT_LAYOUT_SEED ? 0.5f : (float)(((double)at.row + 0.5) / at.height);
    }
}

/* Joints and weights of the vertices, where no texture holds them. */
static bw_result fill_skin(bwi_draw_list *out, const bwi_vat_plan *plan, const bwi_vertex_list *list,
                           const uint32_t *map, bwi_arena *arena, bw_error *error) {
    const bwi_palette *palette = plan->palette;
    const size_t v = list->vertex_count, width = palette->influence_count;
    uint16_t *joints = bwi_arena_alloc(arena, v, width * sizeof *joints);
    uint16_t *weights = bwi_arena_alloc(arena, v, width * sizeof *weights);
    if (!joints || !weights)
        return bwi_fail_memory(error, list->scene->path, bwi_arena_mem(arena), v * width * 2 * sizeof *joints);
    for (size_t k = 0; k < v; ++k) {
        const size_t from = width * (map ? map[k] : k);
        memcpy(joints + width * k, palette->indices + from, width * sizeof *joints);
        memcpy(weights + width * k, palette->weights + from, width * sizeof *weights);
    }
    out->influence_count = palette->influence_count;
    out->joints = joints;
    out->weights = weights;
    return BW_OK;
}

/* Lines and points have none of their own, but normals of textures start from some, and OpenVAT's players read them. */
static bool needs_normals(const bwi_vat_plan *plan, const bwi_vertex_list *list) {
    const bwi_vat_settings *s = &plan->settings;
    return list->has_normals || s->layout == BW_VAT_LAYOUT_OPENVAT || s->normal_format ||
           s->position_decode == BWI_DECODE_BOUNDS_OCT8;
}

/* The rest pose; with bones that from which they start.  In: map — elements of a level's vertices; NULL: the base itself. */
static bw_result pose_mesh(bwi_draw_list *out, const bwi_vat_plan *plan, const bwi_vertex_list *list,
                           const uint32_t *map, bwi_arena *arena, bw_error *error) {
    const size_t v = list->vertex_count;
    bwi_mem *mem = bwi_arena_mem(arena);
    out->vertex_count = list->vertex_count;
    if (plan->palette && !map) {
        out->positions = plan->palette->positions;
        out->normals = needs_normals(plan, list) ? plan->palette->normals : NULL;
        out->tangents = plan->palette->tangents;
        return BW_OK;
    }
    float *positions = bwi_arena_alloc(arena, v, 3 * sizeof(float));
    float *normals = bwi_arena_alloc(arena, v, 3 * sizeof(float));
    float *tangents = list->has_tangents ? bwi_arena_alloc(arena, v, 4 * sizeof(float)) : NULL;
    if (!positions || !normals || (list->has_tangents && !tangents))
        return bwi_fail_memory(error, list->scene->path, mem, v * 10 * sizeof(float));
    bwi_sampler *sampler = NULL;
    bw_result result = bwi_sampler_create(&sampler, list, mem, error);
    if (result != BW_OK)
        return result;
    const bwi_clip_mix none = {NULL, 0};
    bwi_sampler_evaluate(sampler, &none, 0.0, positions, normals, tangents);
    bwi_sampler_free(sampler);
    if (plan->palette)
        result = bwi_palette_unpose(positions, normals, tangents, plan, map, list->vertex_count, mem, error);
    out->positions = positions;
    out->normals = needs_normals(plan, list) ? normals : NULL;
    out->tangents = tangents;
    return result;
}

static bw_result fill(bwi_draw_list *draw_list, uint32_t *uv_set, const bwi_vat_plan *plan, const bwi_vertex_list *list,
                      const uint32_t *map, bwi_arena *arena, bw_error *error) {
    const size_t v = list->vertex_count;
    const uint32_t authored = bwi_vertex_list_uv_set_count(list);
    const bool in_mesh = plan->palette && plan->settings.skin_in == BW_VAT_SKIN_IN_MESH;
    const uint32_t texel_set = in_mesh ? BW_NO_INDEX : free_uv_set(plan);
    bwi_draw_list out = {0};
    bw_result result = pose_mesh(&out, plan, list, map, arena, error);
    if (result == BW_OK && in_mesh)
        result = fill_skin(&out, plan, list, map, arena, error);
    if (result != BW_OK)
        return result;
    out.uv_set_count = !in_mesh && texel_set + 1 > authored ? texel_set + 1 : authored;
    out.color_count = bwi_vertex_list_color_count(list);
    float **uv_sets = bwi_arena_alloc(arena, out.uv_set_count, sizeof *uv_sets);
    float **colors = bwi_arena_alloc(arena, out.color_count, sizeof *colors);
    bwi_draw_primitive *primitives = bwi_arena_alloc(arena, list->primitive_count, sizeof *primitives);
    bool fits = uv_sets && colors && primitives;
    for (uint32_t set = 0; fits && set < out.uv_set_count; ++set) {
        fits = (uv_sets[set] = bwi_arena_alloc(arena, v, 2 * sizeof(float))) != NULL;
        if (fits && set == texel_set)
            fill_texel_uv(uv_sets[set], plan, list, map);
        else if (fits)
            bwi_vertex_list_uv(list, set, uv_sets[set]);
    }
    for (uint32_t set = 0; fits && set < out.color_count; ++set) {
        fits = (colors[set] = bwi_arena_alloc(arena, v, 4 * sizeof(float))) != NULL;
        if (fits)
            bwi_vertex_list_color(list, set, colors[set]);
    }
    if (!fits)
        return bwi_fail_memory(error, list->scene->path, bwi_arena_mem(arena), v * 4 * sizeof(float));
    for (uint32_t k = 0; k < list->primitive_count; ++k) {
        const bwi_list_primitive *p = &list->primitives[k];
        primitives[k] =
            (bwi_draw_primitive){p->mode, p->material, p->first_vertex, p->vertex_count, p->indices, p->index_count};
    }
    out.uv_sets = (const float *const *)uv_sets;
    out.colors = (const float *const *)colors;
    out.primitives = primitives;
    out.primitive_count = list->primitive_count;
    *draw_list = out;
    *uv_set = texel_set;
    return BW_OK;
}

bw_result bwi_vat_draw_list(bwi_draw_list *draw_list, uint32_t *uv_set, const bwi_vat_plan *plan, bwi_arena *arena,
                            bw_error *error) {
    return fill(draw_list, uv_set, plan, plan->list, NULL, arena, error);
}

bw_result bwi_vat_level_draw_list(bwi_draw_list *draw_list, const bwi_vat_plan *plan, const bwi_vertex_list *level,
                                  const uint32_t *map, bwi_arena *arena, bw_error *error) {
    uint32_t uv_set = 0; /* the base's */
    return fill(draw_list, &uv_set, plan, level, map, arena, error);
}

/* Spread evenly, ends included; fewer where there are fewer. */
static uint32_t spread(uint32_t k, uint32_t wanted, uint32_t available) {
    return available <= wanted ? k : (uint32_t)((uint64_t)k * (available - 1) / (wanted - 1));
}

bw_result bwi_vat_probes(bwi_probe **probes, size_t *count, const bwi_vat_plan *plan, bwi_arena *arena,
                         bw_error *error) {
    enum { ELEMENTS = 8, TIMES = 4 };
    const uint32_t v = plan->list->vertex_count;
    const uint32_t elements = v < ELEMENTS ? v : ELEMENTS,
                   times = plan->frame_count < TIMES ? plan->frame_count : TIMES;
    bwi_mem *mem = bwi_arena_mem(arena);
    bwi_probe *list = bwi_arena_alloc(arena, (size_t)elements * times, sizeof *list);
    const size_t bones = plan->palette ? plan->palette->bone_count : 0;
    float *positions = bwi_alloc(mem, v, 3 * sizeof(float));
    bwi_mat4 *poses = bwi_alloc(mem, bones, sizeof *poses);
    bwi_sampler *sampler = NULL;
    bw_result result = list && positions && poses ? bwi_sampler_create(&sampler, plan->list, mem, error)
                                                  : bwi_fail_memory(error, NULL, mem, v * 3 * sizeof(float));
    for (uint32_t k = 0; result == BW_OK && k < times; ++k) {
        uint32_t local = 0;
        const bwi_vat_clip *clip = bwi_vat_clip_of_frame(plan, spread(k, TIMES, plan->frame_count), &local);
        if (plan->palette) {
            bwi_palette_pose(poses, plan, sampler, clip, local, positions);
            bwi_palette_apply(positions, plan, poses);
        } else {
            bwi_vat_sample(plan, sampler, clip, local, positions, NULL, NULL);
        }
        result = bwi_sampler_status(sampler, error);
        for (uint32_t i = 0; i < elements; ++i) {
            bwi_probe *probe = &list[k * elements + i];
            probe->element = spread(i, ELEMENTS, v);
            probe->clip = (uint32_t)(clip - plan->clips);
            probe->frame = local;
            for (int axis = 0; axis < 3; ++axis)
                probe->position[axis] = positions[3 * (size_t)probe->element + (size_t)axis];
        }
    }
    bwi_sampler_free(sampler);
    bwi_free(mem, poses);
    bwi_free(mem, positions);
    if (result == BW_OK) {
        *probes = list;
        *count = (size_t)elements * times;
    }
    return result;
}
