/* SPDX-License-Identifier: MIT
 * Attributes that do not move, in list order. */
#include <string.h>

#include "sample/sample_priv.h"

static const bw_primitive *primitive_of(const bwi_vertex_list *list, const bwi_part *part) {
    return &list->scene->meshes.data[part->mesh].primitives.data[part->primitive];
}

static const float *uv_of(const bw_primitive *primitive, uint32_t set) {
    return set < primitive->uv_sets.count ? primitive->uv_sets.data[set] : NULL;
}

/* Copies [n] values a vertex; `missing` where the part has none. */
static void gather(float *out, const bwi_part *part, const float *values, size_t n, float missing) {
    out += n * part->first_vertex;
    for (size_t i = 0; i < part->vertex_count; i++) {
        for (size_t k = 0; k < n; k++) {
            out[n * i + k] = values != NULL ? values[n * part->source_vertices[i] + k] : missing;
        }
    }
}

void bwi_vertex_list_uv(const bwi_vertex_list *list, uint32_t set, float *uv) {
    for (uint32_t i = 0; i < list->part_count; i++) {
        gather(uv, &list->parts[i], uv_of(primitive_of(list, &list->parts[i]), set), 2, 0.0f);
    }
}

void bwi_vertex_list_color(const bwi_vertex_list *list, uint32_t set, float *color) {
    for (uint32_t i = 0; i < list->part_count; i++) {
        const bw_primitive *primitive = primitive_of(list, &list->parts[i]);
        gather(color, &list->parts[i], set < primitive->colors.count ? primitive->colors.data[set] : NULL, 4, 1.0f);
    }
}

uint32_t bwi_vertex_list_uv_set_count(const bwi_vertex_list *list) {
    size_t count = 0;
    for (uint32_t i = 0; i < list->part_count; i++) {
        const bw_primitive *primitive = primitive_of(list, &list->parts[i]);
        for (size_t set = primitive->uv_sets.count; set > count; set--) {
            if (primitive->uv_sets.data[set - 1] != NULL) {
                count = set;
            }
        }
    }
    return (uint32_t)count;
}

bool bwi_vertex_list_has_uv(const bwi_vertex_list *list, uint32_t set) {
    for (uint32_t i = 0; i < list->part_count; i++) {
        if (uv_of(primitive_of(list, &list->parts[i]), set) != NULL) {
            return true;
        }
    }
    return false;
}

uint32_t bwi_vertex_list_color_count(const bwi_vertex_list *list) {
    size_t count = 0;
    for (uint32_t i = 0; i < list->part_count; i++) {
        const bw_primitive *primitive = primitive_of(list, &list->parts[i]);
        for (size_t set = primitive->colors.count; set > count; set--) {
            if (primitive->colors.data[set - 1] != NULL) {
                count = set;
            }
        }
    }
    return (uint32_t)count;
}
