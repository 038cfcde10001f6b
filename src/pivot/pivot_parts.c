/* SPDX-License-Identifier: MIT
 * Elements that are parts: triangles that share points, over all meshes; or all triangles of a material. */
#include <string.h>

#include "pivot/pivot_priv.h"

#define TOLERANCE 1e-4 /* of the diagonal: options_pivot.def */

/* Numbers sets of triangles in the order of their first ones.  In: sets — their names; number_of_set — zeroes. */
static uint32_t number_sets(uint32_t *sets, uint32_t *number_of_set, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *number = &number_of_set[sets[i]];
        *number = *number ? *number : ++found;
        sets[i] = *number - 1;
    }
    return found;
}

static bw_result make_elements(bwi_pivot_work *work, uint32_t count) {
    work->elements = bwi_pivot_alloc(work, count, sizeof *work->elements);
    if (!work->elements)
        return BW_ERR_MEMORY;
    work->element_count = count;
    for (uint32_t i = 0; i < count; i++)
        work->elements[i].parent = BW_NO_INDEX;
    return BW_OK;
}

/* A part is named after the node of its first triangle: "bark", or "leaves/12" where the node has several, counted from 0. */
static bw_result name_parts(bwi_pivot_work *work) {
    const size_t nodes = work->scene->nodes.count;
    uint32_t *counts = bwi_pivot_alloc(work, nodes, sizeof *counts);
    uint32_t *numbers = counts ? bwi_pivot_alloc(work, nodes, sizeof *numbers) : NULL;
    uint32_t *owners = numbers ? bwi_pivot_alloc(work, work->element_count, sizeof *owners) : NULL;
    if (!owners)
        return BW_ERR_MEMORY;
    uint32_t seen = 0;
    for (uint32_t t = 0; t < work->triangle_count; t++) {
        if (work->triangle_elements[t] != seen)
            continue; /* they are numbered by their first triangles */
        owners[seen] = work->list->parts[work->triangle_parts[t]].node;
        counts[owners[seen++]]++;
    }
    for (uint32_t i = 0; i < work->element_count; i++) {
        const char *node = work->scene->nodes.data[owners[i]].name;
        work->elements[i].name =
            counts[owners[i]] == 1 ? node : bwi_arena_printf(work->scratch, "%s/%u", node, numbers[owners[i]]++);
        if (!work->elements[i].name)
            return bwi_fail_memory(work->error, work->scene->path, work->env->mem, 0);
    }
    return BW_OK;
}

bw_result bwi_pivot_number_parts(uint32_t *numbers, uint32_t *count, const bwi_pivot_work *work) {
    const uint32_t v = work->list->vertex_count;
    uint32_t *points = bwi_pivot_alloc(work, v, sizeof *points);
    uint32_t *number_of_point = points ? bwi_pivot_alloc(work, v, sizeof *number_of_point) : NULL;
    if (!number_of_point)
        return BW_ERR_MEMORY;
    bw_result result =
        bwi_pivot_weld(points, work->positions, v, bwi_pivot_length(work, work->opts->tolerance, TOLERANCE),
                       work->scratch, work->env, work->error);
    if (result != BW_OK)
        return result;
    for (uint32_t t = 0; t < work->triangle_count; t++) {
        const uint32_t *corners = work->triangles[t];
        bwi_set_join(points, corners[0], corners[1]);
        bwi_set_join(points, corners[1], corners[2]);
    }
    for (uint32_t t = 0; t < work->triangle_count; t++)
        numbers[t] = bwi_set_root(points, work->triangles[t][0]);
    *count = number_sets(numbers, number_of_point, work->triangle_count);
    return BW_OK;
}

bw_result bwi_pivot_find_parts(bwi_pivot_work *work) {
    uint32_t count;
    bw_result result = bwi_pivot_number_parts(work->triangle_elements, &count, work);
    if (result == BW_OK)
        result = make_elements(work, count);
    return result == BW_OK ? name_parts(work) : result;
}

bw_result bwi_pivot_find_materials(bwi_pivot_work *work) {
    const size_t materials = work->scene->materials.count;
    uint32_t *numbers = bwi_pivot_alloc(work, materials + 1, sizeof *numbers);
    if (!numbers)
        return BW_ERR_MEMORY;
    for (uint32_t t = 0; t < work->triangle_count; t++) {
        const bwi_part *part = &work->list->parts[work->triangle_parts[t]];
        const uint32_t material = work->scene->meshes.data[part->mesh].primitives.data[part->primitive].material;
        work->triangle_elements[t] = material == BW_NO_INDEX ? (uint32_t)materials : material;
    }
    bw_result result = make_elements(work, number_sets(work->triangle_elements, numbers, work->triangle_count));
    for (size_t m = 0; result == BW_OK && m <= materials; m++) {
        if (numbers[m] > 0)
            work->elements[numbers[m] - 1].name = m == materials ? "no material" : work->scene->materials.data[m].name;
    }
    return result;
}
