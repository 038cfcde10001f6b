/* SPDX-License-Identifier: MIT
 * Axes and lengths of elements: from their pivots and vertices. */
#include <stdlib.h>
#include <string.h>

#include "pivot/pivot_priv.h"

#define FAR_SHARE 0.9     /* of the farthest: what is as far counts to the tip */
#define MIDDLE_SHARE 0.25 /* of the farthest: a mean that near the pivot says that both ends are as far */

typedef struct shaper {
    const float *positions;
    const uint32_t *vertices; /* of the element */
    uint32_t count;
    float (*far)[3]; /* [count] scratch */
} shaper;

static bwi_vec3 offset_of(const float *p, const double pivot[3]) {
    return (bwi_vec3){(double)p[0] - pivot[0], (double)p[1] - pivot[1], (double)p[2] - pivot[2]};
}

static int compare_places(const void *a, const void *b) {
    const float *x = a, *y = b;
    for (int k = 0; k < 3; k++) {
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    }
    return 0;
}

/* Mean of places, each once: vertices that seams of UVs or normals split count as one. */
static bwi_vec3 mean_of_places(float (*places)[3], uint32_t count, const double pivot[3]) {
    bwi_vec3 sum = {0, 0, 0};
    uint32_t n = 0;
    qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && compare_places(places[i], places[i - 1]) == 0)
            continue;
        sum = bwi_vec3_add(sum, offset_of(places[i], pivot));
        n++;
    }
    return bwi_vec3_scale(sum, 1.0 / n);
}

/* From the pivot to the mean of what is farthest from it.  Where both ends are as far, to the end of the farthest vertex. */
static bwi_vec3 find_axis(const shaper *s, const double pivot[3]) {
    double most = 0;
    bwi_vec3 farthest = {0, 0, 0};
    for (uint32_t i = 0; i < s->count; i++) {
        const bwi_vec3 d = offset_of(s->positions + 3 * (size_t)s->vertices[i], pivot);
        const double length = bwi_vec3_length(d);
        if (length > most) {
            most = length;
            farthest = d;
        }
    }
    if (!(most > 0))
        return (bwi_vec3){0, 1, 0}; /* all in the pivot: up, as what grows */
    for (int side = 0; side < 2; side++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < s->count; i++) {
            const float *p = s->positions + 3 * (size_t)s->vertices[i];
            const bwi_vec3 d = offset_of(p, pivot);
            if (bwi_vec3_length(d) >= FAR_SHARE * most && (side == 0 || bwi_vec3_dot(d, farthest) > 0))
                memcpy(s->far[n++], p, sizeof *s->far);
        }
        const bwi_vec3 mean = mean_of_places(s->far, n, pivot);
        if (bwi_vec3_length(mean) > MIDDLE_SHARE * most)
            return bwi_vec3_normalize(mean);
    }
    return bwi_vec3_normalize(farthest);
}

static bool is_zero(const double v[3]) {
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

/* y and z at right angles to x: y as near as can be to the axis of space that x points along least. */
static void make_frame(double axes[3][3]) {
    const bwi_vec3 x = {axes[0][0], axes[0][1], axes[0][2]};
    int least = 0;
    for (int k = 1; k < 3; k++) {
        const double a = axes[0][k] < 0 ? -axes[0][k] : axes[0][k];
        const double b = axes[0][least] < 0 ? -axes[0][least] : axes[0][least];
        least = a < b ? k : least;
    }
    const bwi_vec3 up = {least == 0, least == 1, least == 2};
    const bwi_vec3 z = bwi_vec3_normalize(bwi_vec3_cross(x, up)), y = bwi_vec3_cross(z, x);
    memcpy(axes[1], &(double[3]){y.x, y.y, y.z}, sizeof axes[1]);
    memcpy(axes[2], &(double[3]){z.x, z.y, z.z}, sizeof axes[2]);
}

static void measure(double extents[3], const shaper *s, const bw_pivot_element *e, bw_pivot_extent kind) {
    for (int k = 0; k < 3; k++) {
        const bwi_vec3 axis = {e->axes[k][0], e->axes[k][1], e->axes[k][2]};
        double low = 0, high = 0;
        for (uint32_t i = 0; i < s->count; i++) {
            const double along = bwi_vec3_dot(offset_of(s->positions + 3 * (size_t)s->vertices[i], e->pivot), axis);
            low = i == 0 || along < low ? along : low;
            high = i == 0 || along > high ? along : high;
        }
        /* All behind the pivot: the axis points away from the element, and its length is what is left to tell. */
        const double length = k == 0 && kind != BW_PIVOT_EXTENT_BOUNDS && high > 0 ? high : high - low;
        if (e->extents[k] == 0.0)
            extents[k] = length;
    }
}

bw_result bwi_pivot_shape(bw_pivot_element *elements, const bw_pivot_plan *plan, bw_pivot_extent extent,
                          bwi_arena *scratch, bw_error *error) {
    uint32_t *order, *first;
    bw_result result = bwi_pivot_group(&order, &first, scratch, plan->vertex_elements, plan->vertex_count,
                                       (uint32_t)plan->elements.count, error);
    float(*far)[3] = bwi_arena_alloc(scratch, plan->vertex_count, sizeof *far);
    if (result == BW_OK && !far)
        result = bwi_fail_memory(error, NULL, bwi_arena_mem(scratch), plan->vertex_count * sizeof *far);
    for (uint32_t i = 0; result == BW_OK && i < plan->elements.count; i++) {
        bw_pivot_element *e = &elements[i];
        const shaper s = {plan->positions, order + first[i], first[i + 1] - first[i], far};
        if (is_zero(e->axes[0])) {
            const bwi_vec3 x = find_axis(&s, e->pivot);
            memcpy(e->axes[0], &(double[3]){x.x, x.y, x.z}, sizeof e->axes[0]);
        }
        if (is_zero(e->axes[1]) || is_zero(e->axes[2]))
            make_frame(e->axes);
        measure(e->extents, &s, e, extent);
    }
    return result;
}

bw_result bwi_pivot_group(uint32_t **order, uint32_t **first, bwi_arena *arena, const uint32_t *groups, uint32_t count,
                          uint32_t group_count, bw_error *error) {
    uint32_t *starts = bwi_arena_alloc(arena, (size_t)group_count + 2, sizeof *starts);
    uint32_t *sorted = bwi_arena_alloc(arena, count, sizeof *sorted);
    if (!starts || !sorted)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), (size_t)count * sizeof *sorted);
    for (uint32_t i = 0; i < count; i++) /* counted two places on: filling moves each start to where it belongs */
        starts[groups[i] + 2]++;
    for (uint32_t g = 0; g < group_count; g++)
        starts[g + 2] += starts[g + 1];
    for (uint32_t i = 0; i < count; i++)
        sorted[starts[groups[i] + 1]++] = i;
    *order = sorted;
    *first = starts;
    return BW_OK;
}
