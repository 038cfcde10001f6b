/* SPDX-License-Identifier: MIT
 * How far a point is from the surface of an element. */
#include <math.h>

#include "pivot/pivot_priv.h"

/* Cosine between the way to the nearest triangle and its front: inside a limb it is 1, past its open end, where the rim is nearest, near 0. */
#define BEHIND 0.7

static void bound_triangle(float box[6], const bwi_pivot_surface *s, uint32_t triangle) {
    for (uint32_t c = 0; c < 3; c++) {
        const float *p = s->positions + 3 * (size_t)s->triangles[triangle][c];
        for (uint32_t k = 0; k < 3; k++) {
            box[k] = c == 0 || p[k] < box[k] ? p[k] : box[k];
            box[k + 3] = c == 0 || p[k] > box[k + 3] ? p[k] : box[k + 3];
        }
    }
}

bw_result bwi_pivot_surface_build(bwi_pivot_surface *surface, bwi_arena *arena, const float *positions,
                                  const uint32_t (*triangles)[3], const uint32_t *groups, uint32_t triangle_count,
                                  uint32_t element_count, bw_error *error) {
    bwi_mem *mem = bwi_arena_mem(arena);
    bwi_pivot_surface s = {.positions = positions,
                           .triangles = triangles,
                           .element_count = element_count,
                           .triangle_count = triangle_count};
    bw_result result = bwi_pivot_group(&s.order, &s.first, arena, groups, triangle_count, element_count, error);
    if (result != BW_OK)
        return result;
    float(*boxes)[6] = bwi_alloc(mem, triangle_count, sizeof *boxes);
    s.trees = bwi_arena_alloc(arena, element_count, sizeof *s.trees);
    s.bounds = bwi_arena_alloc(arena, element_count, sizeof *s.bounds);
    if (!boxes || !s.trees || !s.bounds)
        result = bwi_fail_memory(error, NULL, mem, (size_t)triangle_count * sizeof *boxes);
    for (uint32_t t = 0; result == BW_OK && t < triangle_count; t++)
        bound_triangle(boxes[t], &s, s.order[t]);
    for (uint32_t e = 0; result == BW_OK && e < element_count; e++) {
        const uint32_t first = s.first[e], count = s.first[e + 1] - first;
        if (count == 0)
            continue;
        result = bwi_box_tree_build(&s.trees[e], arena, boxes[first], boxes[first] + 3, 6, count, error);
        for (uint32_t k = 0; result == BW_OK && k < 3; k++) {
            s.bounds[e][k] = s.trees[e].nodes[0].low[k];
            s.bounds[e][k + 3] = s.trees[e].nodes[0].high[k];
        }
    }
    bwi_free(mem, boxes);
    *surface = s;
    return result;
}

typedef struct element_view {
    const bwi_pivot_surface *surface;
    uint32_t first;
} element_view;

/* From the point to the triangle's nearest; the triangle's corners. */
static bwi_vec3 offset_to(double corners[3][3], const element_view *view, uint32_t item, const double p[3]) {
    const uint32_t *triangle = view->surface->triangles[view->surface->order[view->first + item]];
    double part[3], off[3];
    for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t k = 0; k < 3; k++)
            corners[c][k] = (double)view->surface->positions[3 * (size_t)triangle[c] + k];
    }
    bwi_closest_on_triangle(part, p, corners);
    for (uint32_t k = 0; k < 3; k++)
        off[k] = part[0] * corners[0][k] + part[1] * corners[1][k] + part[2] * corners[2][k] - p[k];
    return (bwi_vec3){off[0], off[1], off[2]};
}

static double triangle_distance(const void *ctx, uint32_t item, const double p[3]) {
    double corners[3][3];
    const bwi_vec3 off = offset_to(corners, ctx, item, p);
    return bwi_vec3_dot(off, off);
}

/* A tree of one leaf looks at its triangles at once; most elements are as small, and most points far from them. */
static bool is_out_of_reach(const float bounds[6], const double p[3], double within) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double off = fmax(fmax((double)bounds[k] - p[k], p[k] - (double)bounds[k + 3]), 0);
        square += off * off;
    }
    return square * (1 - BWI_PIVOT_BOX_SLACK) > within * within;
}

double bwi_pivot_surface_distance(bool *behind, const bwi_pivot_surface *surface, uint32_t element, const double p[3],
                                  double within) {
    const element_view view = {surface, surface->first[element]};
    double squared = 0, corners[3][3];
    uint32_t item;
    if (is_out_of_reach(surface->bounds[element], p, within))
        return HUGE_VAL;
    if (bwi_box_tree_nearest(&item, &squared, &surface->trees[element], p, 1, within, BWI_PIVOT_BOX_SLACK,
                             triangle_distance, &view) == 0)
        return HUGE_VAL;
    if (behind) {
        const bwi_vec3 off = offset_to(corners, &view, item, p);
        const double *a = corners[0], *b = corners[1], *c = corners[2];
        const bwi_vec3 normal = bwi_vec3_cross((bwi_vec3){b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                                               (bwi_vec3){c[0] - a[0], c[1] - a[1], c[2] - a[2]});
        *behind = bwi_vec3_dot(off, normal) > BEHIND * bwi_vec3_length(off) * bwi_vec3_length(normal);
    }
    return bwi_sqrt(squared);
}
