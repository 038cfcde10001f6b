/* SPDX-License-Identifier: MIT
 * The plan that a search comes to: its own copies of elements and mesh, with a vertex for every element that shared it. */
#include <string.h>

#include "pivot/pivot_priv.h"

/* A vertex once more, for another element. */
typedef struct copy {
    uint32_t vertex, element;
} copy;

typedef struct splitter {
    const bwi_pivot_work *work;
    uint32_t *owners; /* [V of the list] element of the first triangle, BW_NO_INDEX: none */
    copy *copies;
    uint32_t *slots; /* hash table of copies + 1; 0: empty */
    uint32_t mask, copy_count;
} splitter;

static uint32_t hash(uint32_t vertex, uint32_t element) {
    uint64_t x = ((uint64_t)vertex << 32 | element) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 32);
}

/* The copy of a vertex for an element, made where there is none. */
static uint32_t copy_of(splitter *s, uint32_t vertex, uint32_t element) {
    uint32_t at = hash(vertex, element) & s->mask;
    for (; s->slots[at]; at = (at + 1) & s->mask) {
        const copy *c = &s->copies[s->slots[at] - 1];
        if (c->vertex == vertex && c->element == element)
            return s->slots[at] - 1;
    }
    s->copies[s->copy_count] = (copy){vertex, element};
    s->slots[at] = s->copy_count + 1;
    return s->copy_count++;
}

static bw_result find_owners(splitter *s) {
    const bwi_pivot_work *work = s->work;
    const uint32_t v = work->list->vertex_count;
    size_t shared = 0, size = 16;
    s->owners = bwi_pivot_alloc(work, v, sizeof *s->owners);
    if (!s->owners)
        return BW_ERR_MEMORY;
    memset(s->owners, 0xff, v * sizeof *s->owners);
    for (uint32_t t = 0; t < work->triangle_count; t++) {
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t *owner = &s->owners[work->triangles[t][c]];
            *owner = *owner == BW_NO_INDEX ? work->triangle_elements[t] : *owner;
            shared += *owner != work->triangle_elements[t];
        }
    }
    while (size < 2 * shared)
        size *= 2;
    if (size > UINT32_C(1) << 31)
        return bwi_fail(work->error, BW_ERR_TOO_LARGE, work->scene->path, -1,
                        "%zu corners share their vertex with another element; that is too many to split", shared);
    s->mask = (uint32_t)size - 1;
    s->copies = bwi_pivot_alloc(work, shared, sizeof *s->copies);
    s->slots = s->copies ? bwi_pivot_alloc(work, size, sizeof *s->slots) : NULL;
    return s->slots ? BW_OK : BW_ERR_MEMORY;
}

typedef struct mesh {
    bw_pivot_plan *plan;
    bwi_arena *arena;
    uint32_t *sources; /* [V of the plan] vertex of the list */
} mesh;

static const void *gather(const mesh *m, const float *values, size_t width) {
    float *out = bwi_arena_alloc(m->arena, m->plan->vertex_count, width * sizeof *out);
    for (uint32_t i = 0; out && i < m->plan->vertex_count; i++)
        memcpy(out + width * i, values + width * m->sources[i], width * sizeof *out);
    return out;
}

/* Numbers the vertices: those of a primitive, then its copies.  Triangles are given their new vertices. */
static bw_result split(mesh *m, splitter *s) {
    const bwi_pivot_work *work = s->work;
    const bwi_vertex_list *list = work->list;
    bw_pivot_primitive *primitives = bwi_arena_alloc(m->arena, list->primitive_count, sizeof *primitives);
    uint32_t *elements = NULL, t = 0;
    size_t count = 0;
    if (!primitives)
        return bwi_fail_memory(work->error, work->scene->path, bwi_arena_mem(m->arena), 0);
    for (uint32_t k = 0; k < list->primitive_count; k++) {
        const bwi_list_primitive *p = &list->primitives[k];
        if (p->mode != BW_PRIMITIVE_TRIANGLES)
            continue;
        const uint32_t first_copy = s->copy_count;
        uint32_t *indices = bwi_arena_alloc(m->arena, p->index_count, sizeof *indices);
        if (!indices)
            return bwi_fail_memory(work->error, work->scene->path, bwi_arena_mem(m->arena), p->index_count);
        for (uint32_t i = 0; i < p->index_count; i++) {
            const uint32_t v = p->indices[i], element = work->triangle_elements[t + i / 3];
            const uint32_t local =
                s->owners[v] == element ? v - p->first_vertex : p->vertex_count + copy_of(s, v, element) - first_copy;
            indices[i] = (uint32_t)count + local;
        }
        t += p->index_count / 3;
        primitives[m->plan->primitives.count++] = (bw_pivot_primitive){
            p->material, (uint32_t)count, p->vertex_count + s->copy_count - first_copy, {indices, p->index_count}};
        count += p->vertex_count + s->copy_count - first_copy;
        if (count > INT32_MAX)
            return bwi_fail(work->error, BW_ERR_TOO_LARGE, work->scene->path, -1,
                            "the mesh has more than %d vertices where elements that share some are split", INT32_MAX);
    }
    m->plan->vertex_count = (uint32_t)count;
    m->plan->primitives.data = primitives;
    m->sources = bwi_pivot_alloc(work, count, sizeof *m->sources);
    if (!m->sources)
        return BW_ERR_MEMORY;
    elements = bwi_arena_alloc(m->arena, count, sizeof *elements);
    if (!elements)
        return bwi_fail_memory(work->error, work->scene->path, bwi_arena_mem(m->arena), count * sizeof *elements);
    uint32_t at = 0, copied = 0;
    for (uint32_t k = 0; k < list->primitive_count; k++) {
        const bwi_list_primitive *p = &list->primitives[k];
        if (p->mode != BW_PRIMITIVE_TRIANGLES)
            continue;
        for (uint32_t i = 0; i < p->vertex_count; i++, at++) {
            m->sources[at] = p->first_vertex + i;
            elements[at] = s->owners[p->first_vertex + i];
        }
        for (; copied < s->copy_count && s->copies[copied].vertex - p->first_vertex < p->vertex_count; copied++, at++) {
            m->sources[at] = s->copies[copied].vertex;
            elements[at] = s->copies[copied].element;
        }
    }
    m->plan->vertex_elements = elements;
    return BW_OK;
}

static bw_result fill_attributes(mesh *m, const bwi_pivot_work *work) {
    const bwi_vertex_list *list = work->list;
    bw_pivot_plan *plan = m->plan;
    const uint32_t sets = bwi_vertex_list_uv_set_count(list), colors = bwi_vertex_list_color_count(list);
    const float **uv_lists = bwi_arena_alloc(m->arena, sets, sizeof *uv_lists);
    const float **color_lists = bwi_arena_alloc(m->arena, colors, sizeof *color_lists);
    float *values = bwi_pivot_alloc(work, list->vertex_count, 4 * sizeof *values);
    if (!values)
        return BW_ERR_MEMORY;
    plan->positions = gather(m, work->positions, 3);
    plan->normals = gather(m, work->normals, 3);
    plan->tangents = work->tangents ? gather(m, work->tangents, 4) : NULL;
    bool fits = uv_lists && color_lists && plan->positions && plan->normals && (!work->tangents || plan->tangents);
    for (uint32_t k = 0; fits && k < sets; k++) {
        if (!bwi_vertex_list_has_uv(list, k))
            continue;
        bwi_vertex_list_uv(list, k, values);
        fits = (uv_lists[k] = gather(m, values, 2)) != NULL;
    }
    for (uint32_t k = 0; fits && k < colors; k++) {
        bwi_vertex_list_color(list, k, values);
        fits = (color_lists[k] = gather(m, values, 4)) != NULL;
    }
    if (!fits)
        return bwi_fail_memory(work->error, work->scene->path, bwi_arena_mem(m->arena),
                               (size_t)plan->vertex_count * 4 * sizeof *values);
    plan->uv_sets.data = uv_lists;
    plan->uv_sets.count = sets;
    plan->colors.data = color_lists;
    plan->colors.count = colors;
    return BW_OK;
}

static bw_result fill_elements(mesh *m, bwi_pivot_work *work) {
    bw_pivot_element *elements = bwi_arena_alloc(m->arena, work->element_count, sizeof *elements);
    if (!elements)
        return bwi_fail_memory(work->error, work->scene->path, bwi_arena_mem(m->arena),
                               work->element_count * sizeof *elements);
    for (uint32_t i = 0; i < work->element_count; i++) {
        elements[i] = work->elements[i];
        elements[i].name = bwi_arena_string(m->arena, work->elements[i].name, SIZE_MAX);
        if (!elements[i].name)
            return bwi_fail_memory(work->error, work->scene->path, bwi_arena_mem(m->arena), 0);
    }
    m->plan->elements.data = elements;
    m->plan->elements.count = work->element_count;
    return bwi_pivot_shape(elements, m->plan, work->opts->extent, work->scratch, work->error);
}

static bw_result fill(mesh *m, bwi_pivot_work *work) {
    splitter s = {.work = work};
    bw_result result = find_owners(&s);
    if (result == BW_OK)
        result = split(m, &s);
    if (result == BW_OK)
        result = fill_attributes(m, work);
    if (result == BW_OK && work->base)
        m->plan->elements = work->base->elements;
    else if (result == BW_OK)
        result = fill_elements(m, work);
    return result;
}

bw_result bwi_pivot_plan_fill(bw_pivot_plan **plan, bwi_pivot_work *work, const char *kind) {
    bwi_arena *arena = bwi_arena_create_owning(bwi_mem_left(work->env->mem));
    mesh m = {arena ? bwi_arena_alloc(arena, 1, sizeof *m.plan) : NULL, arena, NULL};
    bw_result result = m.plan ? BW_OK : bwi_fail_memory(work->error, work->scene->path, work->env->mem, sizeof *m.plan);
    if (result == BW_OK) {
        *m.plan = (bw_pivot_plan){.scene = work->scene,
                                  .kind = kind,
                                  .dropped_count = work->dropped_count,
                                  .clustered_count = work->clustered_count,
                                  .merged_count = work->merged_count,
                                  .cluster_error = work->cluster_error,
                                  .arena = arena};
        result = fill(&m, work);
    }
    if (result != BW_OK) {
        bwi_arena_free(arena);
        return result;
    }
    work->env->mem->used += bwi_arena_mem(arena)->used; /* it outlives the call, and counts to its budget */
    *plan = m.plan;
    return BW_OK;
}
