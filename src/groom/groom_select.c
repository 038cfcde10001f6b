/* SPDX-License-Identifier: MIT
 * Grooms made of the strands of another: fewer, repeated, of one group. */
#include <string.h>

#include "groom/groom_complete_priv.h"

typedef struct picker {
    bwi_arena *arena;
    const bw_groom *from;
    const uint32_t *strands;
    uint32_t count;
    bool failed;
} picker;

/* One value of `size` bytes a strand. */
static void *pick_strands(picker *p, const void *values, size_t size) {
    if (!values)
        return NULL;
    uint8_t *picked = bwi_arena_alloc(p->arena, p->count, size);
    if (!picked) {
        p->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < p->count; i++)
        memcpy(picked + i * size, (const uint8_t *)values + p->strands[i] * size, size);
    return picked;
}

/* One value of `size` bytes a point. */
static void *pick_points(picker *p, const bw_groom *to, const void *values, size_t size) {
    if (!values)
        return NULL;
    uint8_t *picked = bwi_arena_alloc(p->arena, to->point_count, size);
    if (!picked) {
        p->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < p->count; i++)
        memcpy(picked + to->first_points[i] * size,
               (const uint8_t *)values + p->from->first_points[p->strands[i]] * size,
               (to->first_points[i + 1] - to->first_points[i]) * size);
    return picked;
}

static bw_result pick_animation(picker *p, bw_groom *to, bw_error *error) {
    bwi_mem *mem = bwi_arena_mem(p->arena);
    uint32_t *of_points = bwi_alloc(mem, to->point_count, sizeof *of_points);
    if (!of_points)
        return bwi_fail_memory(error, NULL, mem, to->point_count * sizeof *of_points);
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t k = to->first_points[i]; k < to->first_points[i + 1]; k++)
            of_points[k] = p->from->first_points[p->strands[i]] + (k - to->first_points[i]);
    }
    const bw_result result = bwi_groom_cache_select(&to->animation, p->arena, p->from->animation, p->from->point_count,
                                                    of_points, to->point_count, error);
    bwi_free(mem, of_points);
    return result;
}

bw_result bwi_groom_select(bw_groom *part, bwi_arena *arena, const bw_groom *groom, const uint32_t *strands,
                           uint32_t count, bw_error *error) {
    bw_groom to = *groom;
    to.arena = NULL;
    to.strand_count = count;
    to.first_points = bwi_arena_alloc(arena, (size_t)count + 1, sizeof *to.first_points);
    if (!to.first_points)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), ((size_t)count + 1) * sizeof *to.first_points);
    uint64_t points = 0;
    for (uint32_t i = 0; i < count; i++) {
        points += groom->first_points[strands[i] + 1] - groom->first_points[strands[i]];
        if (points >= UINT32_MAX)
            return bwi_fail(error, BW_ERR_TOO_LARGE, NULL, -1,
                            "the groom would have more than %u points; keep fewer strands (--decimate) or guides "
                            "(--guides)",
                            UINT32_MAX - 1);
        to.first_points[i + 1] = (uint32_t)points;
    }
    to.point_count = (uint32_t)points;
    picker p = {arena, groom, strands, count, false};
    to.positions = pick_points(&p, &to, groom->positions, 3 * sizeof(float));
    to.guides = pick_strands(&p, groom->guides, sizeof *groom->guides);
    to.group_of = pick_strands(&p, groom->group_of, sizeof *groom->group_of);
    to.ids = pick_strands(&p, groom->ids, sizeof *groom->ids);
    to.widths = pick_points(&p, &to, groom->widths, sizeof *groom->widths);
    to.root_uvs = pick_strands(&p, groom->root_uvs, 2 * sizeof *groom->root_uvs);
    to.closest_guides = pick_strands(&p, groom->closest_guides, 3 * sizeof *groom->closest_guides);
    to.guide_weights = pick_strands(&p, groom->guide_weights, 3 * sizeof *groom->guide_weights);
    to.colors = pick_points(&p, &to, groom->colors, 3 * sizeof *groom->colors);
    to.roughness = pick_points(&p, &to, groom->roughness, sizeof *groom->roughness);
    to.ao = pick_points(&p, &to, groom->ao, sizeof *groom->ao);
    to.clump_ids = pick_strands(&p, groom->clump_ids, groom->clump_width * sizeof *groom->clump_ids);
    if (p.failed)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), to.point_count * 3 * sizeof(float));
    if (groom->animation) {
        const bw_result result = pick_animation(&p, &to, error);
        if (result != BW_OK)
            return result;
    }
    *part = to;
    return BW_OK;
}
