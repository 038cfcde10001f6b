/* SPDX-License-Identifier: MIT
 * Whether a plan can be baked: one that a program made may hold anything. */
#include "pivot/pivot_priv.h"

#define UNIT_TOLERANCE 1e-3 /* of an axis' length: floats that were normalised are far nearer */

static bool all_finite(const double *values, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (!bwi_is_finite(values[k]))
            return false;
    }
    return true;
}

static bool all_finite_floats(const float *values, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (!bwi_is_finite((double)values[k]))
            return false;
    }
    return true;
}

/* A unit vector, or of y and z (0, 0, 0), which is to be made up. */
static bool is_axis(const double axis[3], bool may_be_zero) {
    const double square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    return (may_be_zero && square == 0) || (square > (1 - UNIT_TOLERANCE) * (1 - UNIT_TOLERANCE) &&
                                            square < (1 + UNIT_TOLERANCE) * (1 + UNIT_TOLERANCE));
}

static bw_result check_element(const bw_pivot_plan *plan, size_t index, const char *path, bw_error *error) {
    const bw_pivot_element *e = &plan->elements.data[index];
    if (!e->name)
        return bwi_fail(error, BW_ERR_USAGE, path, -1, "element %zu has no name; give each one", index);
    if (e->parent != BW_NO_INDEX && e->parent >= plan->elements.count)
        return bwi_fail(error, BW_ERR_USAGE, path, -1,
                        "element %zu '%s' has the parent %u, and there are %zu elements; give an index below that, or "
                        "BW_NO_INDEX for a root",
                        index, e->name, e->parent, plan->elements.count);
    if (e->parent == index)
        return bwi_fail(error, BW_ERR_USAGE, path, -1, "element %zu '%s' is its own parent; give a root BW_NO_INDEX",
                        index, e->name);
    if (!all_finite(e->pivot, 3) || !all_finite(&e->axes[0][0], 9) || !all_finite(e->extents, 3))
        return bwi_fail(error, BW_ERR_USAGE, path, -1,
                        "element %zu '%s' has a pivot, axis or extent that is not finite; give finite numbers", index,
                        e->name);
    for (int k = 0; k < 3; k++) {
        if (!is_axis(e->axes[k], k > 0))
            return bwi_fail(error, BW_ERR_USAGE, path, -1,
                            "element %zu '%s' has its %c axis of length %g; give a unit vector%s", index, e->name,
                            "xyz"[k], bwi_vec3_length((bwi_vec3){e->axes[k][0], e->axes[k][1], e->axes[k][2]}),
                            k ? ", or (0, 0, 0) for one that is made up" : "");
        if (e->extents[k] < 0)
            return bwi_fail(error, BW_ERR_USAGE, path, -1, "element %zu '%s' has an extent of %g m; give 0 or more",
                            index, e->name, e->extents[k]);
    }
    return BW_OK;
}

static bw_result check_circles(const bw_pivot_plan *plan, const char *path, bwi_mem *mem, bw_error *error) {
    const size_t count = plan->elements.count;
    uint32_t *depths = bwi_alloc(mem, count, sizeof *depths);
    if (!depths)
        return bwi_fail_memory(error, path, mem, count * sizeof *depths);
    const uint32_t circle = bwi_pivot_depths(depths, plan->elements.data, (uint32_t)count);
    bwi_free(mem, depths);
    return circle == BW_NO_INDEX
               ? BW_OK
               : bwi_fail(error, BW_ERR_USAGE, path, -1,
                          "the parents of element %u '%s' lead back to itself; let a chain of parents end in a root",
                          circle, plan->elements.data[circle].name);
}

static bw_result check_primitives(const bw_pivot_plan *plan, const char *path, bw_error *error) {
    uint64_t next = 0;
    for (size_t p = 0; p < plan->primitives.count; p++) {
        const bw_pivot_primitive *primitive = &plan->primitives.data[p];
        const uint64_t end = (uint64_t)primitive->first_vertex + primitive->vertex_count;
        if (primitive->first_vertex != next || primitive->vertex_count == 0 || end > plan->vertex_count)
            return bwi_fail(error, BW_ERR_USAGE, path, -1,
                            "primitive %zu has the vertices %u to %llu; let primitives follow one another, each with "
                            "a vertex, from 0 to %u",
                            p, primitive->first_vertex, (unsigned long long)end, plan->vertex_count);
        if (primitive->indices.count == 0 || primitive->indices.count % 3 != 0)
            return bwi_fail(error, BW_ERR_USAGE, path, -1,
                            "primitive %zu has %zu indices; give three a triangle, at least one", p,
                            primitive->indices.count);
        for (size_t i = 0; i < primitive->indices.count; i++) {
            const uint32_t index = primitive->indices.data[i];
            if (index < primitive->first_vertex || index >= end)
                return bwi_fail(error, BW_ERR_USAGE, path, -1,
                                "primitive %zu names vertex %u, which is none of its own; give %u to %llu", p, index,
                                primitive->first_vertex, (unsigned long long)end - 1);
        }
        if (primitive->material != BW_NO_INDEX && (!plan->scene || primitive->material >= plan->scene->materials.count))
            return bwi_fail(error, BW_ERR_USAGE, path, -1,
                            "primitive %zu has material %u, which the plan's scene lacks; give one of its own, or "
                            "BW_NO_INDEX",
                            p, primitive->material);
        next = end;
    }
    return next == plan->vertex_count
               ? BW_OK
               : bwi_fail(error, BW_ERR_USAGE, path, -1, "%llu of %u vertices are in primitives; put each into one",
                          (unsigned long long)next, plan->vertex_count);
}

static bw_result check_vertices(const bw_pivot_plan *plan, const char *path, bwi_mem *mem, bw_error *error) {
    const size_t count = plan->vertex_count;
    if (!all_finite_floats(plan->positions, 3 * count) ||
        (plan->normals && !all_finite_floats(plan->normals, 3 * count)) ||
        (plan->tangents && !all_finite_floats(plan->tangents, 4 * count)))
        return bwi_fail(error, BW_ERR_USAGE, path, -1,
                        "a position, normal or tangent is not finite; give finite numbers");
    uint8_t *used = bwi_alloc(mem, plan->elements.count, 1);
    if (!used)
        return bwi_fail_memory(error, path, mem, plan->elements.count);
    bw_result result = BW_OK;
    for (size_t v = 0; result == BW_OK && v < count; v++) {
        if (plan->vertex_elements[v] < plan->elements.count)
            used[plan->vertex_elements[v]] = 1;
        else
            result = bwi_fail(error, BW_ERR_USAGE, path, -1,
                              "vertex %zu is of element %u, and there are %zu elements; give an index below that", v,
                              plan->vertex_elements[v], plan->elements.count);
    }
    for (size_t e = 0; result == BW_OK && e < plan->elements.count; e++) {
        if (!used[e])
            result = bwi_fail(error, BW_ERR_USAGE, path, -1,
                              "element %zu '%s' has no vertex; leave it out, and give its children another parent", e,
                              plan->elements.data[e].name);
    }
    bwi_free(mem, used);
    return result;
}

bw_result bwi_pivot_check(const bw_pivot_plan *plan, const char *path, bwi_mem *mem, bw_error *error) {
    const size_t count = plan->elements.count;
    if (!count || !plan->vertex_count || !plan->positions || !plan->vertex_elements || !plan->primitives.count)
        return bwi_fail(error, BW_ERR_USAGE, path, -1,
                        "the plan has %zu elements, %u vertices, %zu primitives; give at least one of each, with "
                        "positions and vertex_elements",
                        count, plan->vertex_count, plan->primitives.count);
    if (count > BW_PIVOT_ELEMENTS_MAX)
        return bwi_fail(error, BW_ERR_TOO_LARGE, path, -1,
                        "there are %zu elements, and an index names at most %d; join some with --max-elements=%d",
                        count, BW_PIVOT_ELEMENTS_MAX, BW_PIVOT_ELEMENTS_MAX);
    bw_result result = BW_OK;
    for (size_t i = 0; result == BW_OK && i < count; i++)
        result = check_element(plan, i, path, error);
    if (result == BW_OK)
        result = check_circles(plan, path, mem, error);
    if (result == BW_OK)
        result = check_vertices(plan, path, mem, error);
    return result == BW_OK ? check_primitives(plan, path, error) : result;
}
