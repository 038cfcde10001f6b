/* SPDX-License-Identifier: MIT
 * Which vertices of a primitive make up its parts. */
#include "sample/sample_priv.h"

bool bwi_is_flat(const bw_primitive *primitive) {
    return primitive->mode == BW_PRIMITIVE_TRIANGLES && primitive->normals == NULL;
}

/* Numbers the vertices that indices use, ascending.  Out: number — [vertex_count], valid where used. */
static uint32_t *number_used(bwi_arena *arena, const bw_primitive *primitive, uint32_t *number, uint32_t *used_count) {
    for (size_t i = 0; i < primitive->indices.count; i++) {
        number[primitive->indices.data[i]] = 1;
    }
    uint32_t count = 0;
    for (uint32_t v = 0; v < primitive->vertex_count; v++) {
        count += number[v];
    }
    uint32_t *used = bwi_arena_alloc(arena, count, sizeof *used);
    if (used == NULL) {
        return NULL;
    }
    *used_count = count;
    count = 0;
    for (uint32_t v = 0; v < primitive->vertex_count; v++) {
        if (number[v] != 0) {
            used[count] = v;
            number[v] = count++;
        }
    }
    return used;
}

bwi_selection *bwi_select(bwi_arena *arena, bwi_arena *scratch, const bw_mesh *mesh, const bw_primitive *primitive) {
    bool flat = bwi_is_flat(primitive);
    size_t index_count = primitive->indices.count;
    bwi_selection *selection = bwi_arena_alloc(arena, 1, sizeof *selection);
    uint32_t *number = bwi_arena_alloc(scratch, primitive->vertex_count, sizeof *number);
    if (selection == NULL || number == NULL) {
        return NULL;
    }
    uint32_t used_count = 0;
    uint32_t *used = number_used(arena, primitive, number, &used_count);
    uint32_t *indices = flat ? NULL : bwi_arena_alloc(arena, index_count, sizeof *indices);
    if (used == NULL || (!flat && indices == NULL)) {
        return NULL;
    }
    for (size_t i = 0; !flat && i < index_count; i++) {
        indices[i] = number[primitive->indices.data[i]];
    }
    *selection = (bwi_selection){
        .vertex_count = flat ? (uint32_t)index_count : used_count,
        .source_vertices = flat ? primitive->indices.data : used,
        .indices = indices,
        .index_count = (uint32_t)index_count,
        .used_count = used_count,
        .used = used,
    };
    if (mesh->target_count == 0) {
        return selection;
    }
    uint32_t *used_of_vertex = bwi_arena_alloc(arena, selection->vertex_count, sizeof *used_of_vertex);
    if (used_of_vertex == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < selection->vertex_count; i++) {
        used_of_vertex[i] = number[selection->source_vertices[i]];
    }
    selection->used_of_vertex = used_of_vertex;
    if (bwi_needs_weld(primitive)) {
        selection->weld = bwi_weld_create(arena, scratch, selection, primitive);
        if (selection->weld == NULL) {
            return NULL;
        }
    }
    return selection;
}
