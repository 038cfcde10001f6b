/* SPDX-License-Identifier: MIT
 * A Pivot Painter 2 bake against the plan it was made of: every element's chain of parents, pivot, axis and extent. */
#include <math.h>

#include "base/math.h"
#include "metric/metric.h"

#define RANGE_CM 2048.0 /* of the byte that holds an extent */
#define LEAST_CM 8.0
#define DEGREES (180.0 / BWI_PI)

/* Which texel is an element's, told by the UVs of its vertices alone. */
static bw_result find_texels(uint32_t *texels, const bw_pivot_plan *plan, const bwi_pivot_bake *bake, bw_error *error) {
    for (size_t e = 0; e < plan->elements.count; e++)
        texels[e] = BW_NO_INDEX;
    for (size_t v = 0; v < plan->vertex_count; v++) {
        uint32_t *texel = &texels[plan->vertex_elements[v]];
        if (*texel != BW_NO_INDEX && *texel != bake->mesh.elements[v])
            return bwi_fail(error, BW_ERR_DIFFERS, bake->manifest->mesh.file, -1,
                            "vertex %zu reads element %u, and others of '%s' read %u; bake again", v,
                            bake->mesh.elements[v], plan->elements.data[plan->vertex_elements[v]].name, *texel);
        *texel = bake->mesh.elements[v];
    }
    return BW_OK;
}

static void texel_of(bwi_pivot_texel *out, const bwi_pivot_bake *bake, uint32_t texel) {
    float uv[2];
    bwi_pivot_uv_of(&bake->maps, texel, uv);
    *out = bwi_pivot_texel_at(&bake->maps, uv);
}

/* Elements whose chain has a wrong link: its own, or one above. */
static uint32_t count_wrong(const uint32_t *texels, uint8_t *state, const bw_pivot_plan *plan,
                            const bwi_pivot_bake *bake) {
    enum { UNKNOWN = 0, RIGHT, WRONG };
    uint32_t wrong = 0;
    for (size_t e = 0; e < plan->elements.count; e++) {
        const uint32_t parent = plan->elements.data[e].parent;
        bwi_pivot_texel texel;
        texel_of(&texel, bake, texels[e]);
        if (texel.parent != texels[parent == BW_NO_INDEX ? e : parent])
            state[e] = WRONG;
    }
    for (size_t e = 0; e < plan->elements.count; e++) {
        size_t top = e;
        while (state[top] == UNKNOWN && plan->elements.data[top].parent != BW_NO_INDEX)
            top = plan->elements.data[top].parent;
        const uint8_t found = state[top] == UNKNOWN ? RIGHT : state[top];
        state[top] = found;
        for (size_t at = e; state[at] == UNKNOWN; at = plan->elements.data[at].parent)
            state[at] = found;
        wrong += found == WRONG;
    }
    return wrong;
}

static bwi_vec3 vector(const double v[3]) {
    return (bwi_vec3){v[0], v[1], v[2]};
}

static void add_element(bw_pivot_error *out, const bw_pivot_element *element, uint32_t texel_index,
                        const bwi_pivot_bake *bake, double sums[3], uint32_t *extent_count) {
    bwi_pivot_texel texel;
    texel_of(&texel, bake, texel_index);
    bwi_pivot_to_gltf(texel.pivot, texel.pivot, &bake->manifest->space, true);
    bwi_pivot_to_gltf(texel.axis, texel.axis, &bake->manifest->space, false);
    const double pivot = bwi_vec3_length(bwi_vec3_sub(vector(texel.pivot), vector(element->pivot)));
    const bwi_vec3 axis = vector(texel.axis), meant = vector(element->axes[0]);
    const double angle = bwi_atan2(bwi_vec3_length(bwi_vec3_cross(axis, meant)), bwi_vec3_dot(axis, meant)) * DEGREES;
    const double extent_cm = element->extents[0] * 100.0, extent = fabs(texel.extent - extent_cm) / 100.0;
    if (pivot > out->pivot_max) {
        out->pivot_max = pivot;
        out->pivot_worst = texel_index;
    }
    out->axis_max_deg = fmax(out->axis_max_deg, angle);
    sums[0] += pivot;
    sums[1] += angle;
    if (extent_cm > RANGE_CM) {
        out->long_count++;
    } else if (extent_cm < LEAST_CM) {
        out->short_count++;
    } else {
        out->extent_max = fmax(out->extent_max, extent);
        sums[2] += extent;
        ++*extent_count;
    }
}

bw_result bwi_metric_pivot(bw_pivot_error *out, const bw_pivot_plan *plan, const bw_pivot_element *elements,
                           const bwi_pivot_bake *bake, bwi_mem *mem, bw_error *error) {
    const size_t count = plan->elements.count;
    if (plan->vertex_count != bake->mesh.vertex_count || count != bake->manifest->facts.element_count)
        return bwi_fail(error, BW_ERR_DIFFERS, bake->manifest->mesh.file, -1,
                        "the bake has %u vertices in %u elements, and its source %u in %zu: the source or the options "
                        "are others; bake again",
                        bake->mesh.vertex_count, bake->manifest->facts.element_count, plan->vertex_count, count);
    uint32_t *texels = bwi_alloc(mem, count, sizeof *texels);
    uint8_t *state = bwi_alloc(mem, count, 1);
    bw_result result = texels && state ? find_texels(texels, plan, bake, error)
                                       : bwi_fail_memory(error, NULL, mem, count * (sizeof *texels + 1));
    if (result == BW_OK) {
        double sums[3] = {0};
        uint32_t extent_count = 0;
        *out = (bw_pivot_error){.wrong_parent_count = count_wrong(texels, state, plan, bake)};
        for (size_t e = 0; e < count; e++)
            add_element(out, &elements[e], texels[e], bake, sums, &extent_count);
        out->pivot_mean = sums[0] / (double)count;
        out->axis_mean_deg = sums[1] / (double)count;
        out->extent_mean = extent_count ? sums[2] / extent_count : 0;
    }
    bwi_free(mem, texels);
    bwi_free(mem, state);
    return result;
}
