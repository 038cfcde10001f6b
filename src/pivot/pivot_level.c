/* SPDX-License-Identifier: MIT
 * Levels of detail: which element of the base each triangle of a coarser mesh goes with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pivot/pivot_priv.h"

enum {
    CHUNK = 256, /* triangles or vertices a task */
    TRIED = 4    /* elements that most of a part is next to */
};
/* Of a part's size: if it lies within as much of an element, it is that one, coarser, and stays whole. */
#define WHOLE_SHARE 0.1

typedef struct element_name {
    const char *name;
    size_t length;
    uint32_t element;
} element_name;

typedef struct matcher {
    bwi_pivot_work *work;
    const bw_pivot_plan *base;
    uint32_t (*triangles)[3]; /* of the base */
    bwi_pivot_surface surface;
    bwi_box_tree tree;   /* of the elements' bounds */
    element_name *names; /* [elements] sorted */
    double *areas;       /* [triangle_count] of the level */
    const bw_pivot_plan *level;
    double *distances; /* [vertices of the level] */
} matcher;

/* ---- by name ---- */

static int compare_text(const element_name *a, const element_name *b) {
    const size_t shorter = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->name, b->name, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int compare_names(const void *a, const void *b) {
    const element_name *x = a, *y = b;
    const int order = compare_text(x, y);
    return order ? order : (x->element > y->element) - (x->element < y->element);
}

static bw_result sort_names(matcher *m) {
    const size_t n = m->base->elements.count;
    m->names = bwi_pivot_alloc(m->work, n, sizeof *m->names);
    if (!m->names)
        return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = m->base->elements.data[i].name;
        m->names[i] = (element_name){name, bwi_level_name_length(name), i};
    }
    qsort(m->names, n, sizeof *m->names, compare_names);
    return BW_OK;
}

/* The first that is not before the name. */
static size_t find_name(const matcher *m, const element_name *wanted) {
    size_t low = 0, high = m->base->elements.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_text(&m->names[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The one element of a node's name; BW_NO_INDEX where there is none, or several had it, which "leaf.1" tells. */
static uint32_t named(const matcher *m, const char *node, char *buffer, size_t size) {
    const element_name wanted = {node, bwi_level_name_length(node), 0};
    const size_t at = find_name(m, &wanted), n = m->base->elements.count;
    if (at == n || compare_text(&m->names[at], &wanted) != 0 ||
        (at + 1 < n && compare_text(&m->names[at + 1], &wanted) == 0) || wanted.length + 3 > size)
        return BW_NO_INDEX;
    memcpy(buffer, node, wanted.length);
    memcpy(buffer + wanted.length, ".1", 3);
    const element_name second = {buffer, wanted.length + 2, 0};
    const size_t other = find_name(m, &second);
    return other < n && compare_text(&m->names[other], &second) == 0 ? BW_NO_INDEX : m->names[at].element;
}

static bw_result match_names(const matcher *m, bool joints) {
    bwi_pivot_work *work = m->work;
    const size_t nodes = work->scene->nodes.count;
    uint32_t *elements = bwi_pivot_alloc(work, nodes, sizeof *elements);
    size_t longest = 0;
    for (size_t n = 0; n < nodes; n++) {
        const size_t length = strlen(work->scene->nodes.data[n].name);
        longest = length > longest ? length : longest;
    }
    char *buffer = elements ? bwi_pivot_alloc(work, longest + 3, 1) : NULL;
    if (!buffer)
        return BW_ERR_MEMORY;
    for (size_t n = 0; n < nodes; n++)
        elements[n] = named(m, work->scene->nodes.data[n].name, buffer, longest + 3);
    for (uint32_t t = 0; t < work->triangle_count; t++)
        work->triangle_elements[t] = elements[bwi_pivot_node_of(work, t, joints)];
    return BW_OK;
}

/* ---- by place ---- */

static double element_distance(const void *ctx, uint32_t item, const double p[3]) {
    const matcher *m = ctx;
    const double distance = bwi_pivot_surface_distance(NULL, &m->surface, item, p, HUGE_VAL);
    return distance * distance;
}

static bw_result match_chunk(void *ctx, size_t chunk, uint32_t worker, bw_error *error) {
    const matcher *m = ctx;
    bwi_pivot_work *work = m->work;
    (void)worker;
    for (uint32_t t = (uint32_t)chunk * CHUNK; t < (uint32_t)(chunk + 1) * CHUNK && t < work->triangle_count; t++) {
        double middle[3], squared;
        bwi_vec3 corners[3];
        for (int c = 0; c < 3; c++) {
            const float *p = work->positions + 3 * (size_t)work->triangles[t][c];
            corners[c] = (bwi_vec3){(double)p[0], (double)p[1], (double)p[2]};
        }
        const bwi_vec3 normal =
            bwi_vec3_cross(bwi_vec3_sub(corners[1], corners[0]), bwi_vec3_sub(corners[2], corners[0]));
        const bwi_vec3 sum = bwi_vec3_add(bwi_vec3_add(corners[0], corners[1]), corners[2]);
        middle[0] = sum.x / 3;
        middle[1] = sum.y / 3;
        middle[2] = sum.z / 3;
        m->areas[t] = 0.5 * bwi_vec3_length(normal);
        if (work->triangle_elements[t] == BW_NO_INDEX)
            (void)bwi_box_tree_nearest(&work->triangle_elements[t], &squared, &m->tree, middle, 1, HUGE_VAL,
                                       BWI_PIVOT_BOX_SLACK, element_distance, m);
    }
    return bwi_progress_step(work->env->progress, CHUNK) ? BW_OK : bwi_fail_cancelled(error);
}

typedef struct vote {
    uint32_t part, element;
    double area;
    uint32_t triangle;
} vote;

static int compare_votes(const void *a, const void *b) {
    const vote *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->element != y->element)
        return x->element < y->element ? -1 : 1;
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

/* The elements that most of a part is next to, largest first.  Returns how many. */
static uint32_t choose_tried(uint32_t tried[TRIED], const vote *votes, uint32_t count) {
    double areas[TRIED];
    uint32_t kept = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        double area = 0;
        for (end = i; end < count && votes[end].element == votes[i].element; end++)
            area += votes[end].area;
        if (kept == TRIED && !(area > areas[TRIED - 1]))
            continue;
        uint32_t at = kept < TRIED ? kept++ : TRIED - 1;
        for (; at > 0 && area > areas[at - 1]; at--) {
            areas[at] = areas[at - 1];
            tried[at] = tried[at - 1];
        }
        areas[at] = area;
        tried[at] = votes[i].element;
    }
    return kept;
}

static const float *corner_of(const bwi_pivot_work *work, const vote *v, int corner) {
    return work->positions + 3 * (size_t)work->triangles[v->triangle][corner];
}

static double size_of(const bwi_pivot_work *work, const vote *votes, uint32_t count) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        float low = corner_of(work, votes, 0)[k], high = low;
        for (uint32_t i = 0; i < 3 * count; i++) {
            const float value = corner_of(work, &votes[i / 3], (int)(i % 3))[k];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        square += ((double)high - (double)low) * ((double)high - (double)low);
    }
    return bwi_sqrt(square);
}

/* The farthest of a part's corners from an element; HUGE_VAL where that is above `within`. */
static double farthest_of(const matcher *m, const vote *votes, uint32_t count, uint32_t element, double within) {
    double most = 0;
    for (uint32_t i = 0; i < 3 * count && most <= within; i++) {
        const float *q = corner_of(m->work, &votes[i / 3], (int)(i % 3));
        const double p[3] = {(double)q[0], (double)q[1], (double)q[2]};
        most = fmax(most, bwi_pivot_surface_distance(NULL, &m->surface, element, p, within));
    }
    return most;
}

/* A part that is an element, coarser, goes with it, also where it begins in another. */
static bw_result keep_whole(const matcher *m) {
    bwi_pivot_work *work = m->work;
    const uint32_t n = work->triangle_count;
    uint32_t *parts = bwi_pivot_alloc(work, n, sizeof *parts), count;
    vote *votes = parts ? bwi_pivot_alloc(work, n, sizeof *votes) : NULL;
    if (!votes)
        return BW_ERR_MEMORY;
    bw_result result = bwi_pivot_number_parts(parts, &count, work);
    if (result != BW_OK)
        return result;
    for (uint32_t t = 0; t < n; t++)
        votes[t] = (vote){parts[t], work->triangle_elements[t], m->areas[t], t};
    qsort(votes, n, sizeof *votes, compare_votes);
    for (uint32_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && votes[end].part == votes[first].part; end++) {}
        uint32_t tried[TRIED], best = BW_NO_INDEX;
        const uint32_t tries = choose_tried(tried, votes + first, end - first);
        double least = WHOLE_SHARE * size_of(work, votes + first, end - first);
        for (uint32_t k = 0; k < tries; k++) {
            const double most = farthest_of(m, votes + first, end - first, tried[k], least);
            if (most < least || (best == BW_NO_INDEX && most <= least)) {
                least = most;
                best = tried[k];
            }
        }
        for (uint32_t i = first; best != BW_NO_INDEX && i < end; i++)
            work->triangle_elements[votes[i].triangle] = best;
    }
    return BW_OK;
}

/* The base's triangles, by the element of their first corner. */
static bw_result take_base(matcher *m) {
    const bw_pivot_plan *base = m->base;
    size_t count = 0;
    for (size_t k = 0; k < base->primitives.count; k++)
        count += base->primitives.data[k].indices.count / 3;
    m->triangles = bwi_pivot_alloc(m->work, count, sizeof *m->triangles);
    uint32_t *groups = m->triangles ? bwi_pivot_alloc(m->work, count, sizeof *groups) : NULL;
    if (!groups)
        return BW_ERR_MEMORY;
    size_t at = 0;
    for (size_t k = 0; k < base->primitives.count; k++) {
        const bw_index_list *indices = &base->primitives.data[k].indices;
        for (size_t i = 0; i + 2 < indices->count; i += 3, at++) {
            memcpy(m->triangles[at], indices->data + i, sizeof *m->triangles);
            groups[at] = base->vertex_elements[indices->data[i]];
        }
    }
    bw_result result =
        bwi_pivot_surface_build(&m->surface, m->work->scratch, base->positions, (const uint32_t(*)[3])m->triangles,
                                groups, (uint32_t)count, (uint32_t)base->elements.count, m->work->error);
    if (result == BW_OK)
        result = bwi_box_tree_build(&m->tree, m->work->scratch, m->surface.bounds[0], m->surface.bounds[0] + 3, 6,
                                    (uint32_t)base->elements.count, m->work->error);
    return result;
}

static bw_result match(matcher *m) {
    bwi_pivot_work *work = m->work;
    const char *kind = m->base->kind;
    const bool joints = kind && strcmp(kind, "joints") == 0, nodes = kind && strcmp(kind, "nodes") == 0;
    m->areas = bwi_pivot_alloc(work, work->triangle_count, sizeof *m->areas);
    if (!m->areas)
        return BW_ERR_MEMORY;
    memset(work->triangle_elements, 0xff, work->triangle_count * sizeof *work->triangle_elements);
    bw_result result = take_base(m);
    if (result == BW_OK && (joints || nodes))
        result = sort_names(m);
    if (result == BW_OK && (joints || nodes))
        result = match_names(m, joints);
    if (result != BW_OK)
        return result;
    bwi_progress_begin(work->env->progress, "fit level", work->triangle_count);
    result = bwi_parallel_for(work->env, (work->triangle_count + CHUNK - 1) / CHUNK, match_chunk, m, work->error);
    return result == BW_OK && !joints && !nodes ? keep_whole(m) : result;
}

/* ---- how well it fits ---- */

static bw_result measure_chunk(void *ctx, size_t chunk, uint32_t worker, bw_error *error) {
    const matcher *m = ctx;
    (void)worker;
    for (uint32_t v = (uint32_t)chunk * CHUNK; v < (uint32_t)(chunk + 1) * CHUNK && v < m->level->vertex_count; v++) {
        const float *q = m->level->positions + 3 * (size_t)v;
        const double p[3] = {(double)q[0], (double)q[1], (double)q[2]};
        m->distances[v] = bwi_pivot_surface_distance(NULL, &m->surface, m->level->vertex_elements[v], p, HUGE_VAL);
    }
    return bwi_progress_cancelled(m->work->env->progress) ? bwi_fail_cancelled(error) : BW_OK;
}

static bw_result measure(double *farthest, matcher *m) {
    const uint32_t v = m->level->vertex_count;
    double most = 0;
    m->distances = bwi_pivot_alloc(m->work, v, sizeof *m->distances);
    if (!m->distances)
        return BW_ERR_MEMORY;
    bw_result result = bwi_parallel_for(m->work->env, (v + CHUNK - 1) / CHUNK, measure_chunk, m, m->work->error);
    for (uint32_t i = 0; i < v; i++)
        most = m->distances[i] > most ? m->distances[i] : most;
    *farthest = result == BW_OK ? most : *farthest;
    return result;
}

bw_result bwi_pivot_level(bw_pivot_plan **level, double *farthest, const bw_pivot_plan *base, const bw_scene *scene,
                          const bw_pivot_opts *opts, const bwi_env *env, bwi_warnings *warnings, bw_error *error) {
    bwi_arena *scratch = bwi_arena_create(env->mem);
    if (!scratch)
        return bwi_fail_memory(error, scene->path, env->mem, 0);
    bwi_pivot_work work = {.scene = scene,
                           .opts = opts,
                           .env = env,
                           .warnings = warnings,
                           .error = error,
                           .scratch = scratch,
                           .element_count = (uint32_t)base->elements.count,
                           .base = base};
    matcher m = {.work = &work, .base = base};
    const bwi_node_filter wanted = {opts->include, opts->exclude};
    bwi_node_filter filter;
    bw_pivot_plan *made = NULL;
    bw_result result = bwi_node_filter_narrow(&filter, scratch, scene, &wanted, error);
    if (result == BW_OK)
        result = bwi_pivot_open(&work, &filter);
    if (result == BW_OK)
        result = match(&m);
    if (result == BW_OK)
        result = bwi_pivot_plan_fill(&made, &work, base->kind);
    m.level = made;
    if (result == BW_OK)
        result = measure(farthest, &m);
    bwi_arena_free(scratch);
    if (result != BW_OK) {
        bwi_pivot_plan_free(made);
        return result;
    }
    *level = made;
    return BW_OK;
}
