/* SPDX-License-Identifier: MIT
 * Levels of detail: which texel of the base each vertex of a coarser mesh reads.  A k-d tree over the base's rest positions; the distance that
 * counts is that in space, plus one for how differently two vertices are moved. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "vat/vat.h"

/* A node's name without what tells levels apart: "Body_LOD2" is "Body". */
typedef struct named_node {
    const char *name;
    size_t length;
    uint32_t node;
} named_node;

/* What moves each vertex of a list: nodes of the base's scene and their weights, `width` a vertex; unused ones have weight 0. */
typedef struct movers {
    uint32_t width;
    uint32_t *nodes; /* [V][width] */
    float *weights;  /* [V][width], sum 1 */
} movers;

typedef struct tree_point {
    float p[3];
    uint32_t element;
} tree_point;

typedef struct level_map {
    const bwi_vertex_list *base, *level;
    const float *positions; /* of the level, at rest */
    tree_point *tree;       /* [V of the base]: each range's middle divides it, along x, y, z in turn */
    movers base_movers, level_movers;
    double slack;  /* metres that a full difference of skin weights counts */
    double gap;    /* metres that being moved by nothing in common counts on top */
    uint32_t *map; /* out */
    bwi_progress *progress;
} level_map;

static int compare_text(const named_node *a, const named_node *b) {
    const size_t shorter = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->name, b->name, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int compare_names(const void *a, const void *b) {
    const named_node *x = a, *y = b;
    const int order = compare_text(x, y);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

static named_node name_of(const bw_scene *scene, uint32_t node) {
    const char *name = scene->nodes.data[node].name;
    return (named_node){name, bwi_level_name_length(name), node};
}

/* For each node of `scene` the first of the base's with its name; a number of its own, past those, where there is none. */
static bool map_nodes(uint32_t **out, bwi_arena *arena, const bw_scene *base, const bw_scene *scene) {
    const size_t count = base->nodes.count;
    named_node *names = bwi_arena_alloc(arena, count, sizeof *names);
    uint32_t *nodes = bwi_arena_alloc(arena, scene->nodes.count, sizeof *nodes);
    if (!names || !nodes)
        return false;
    for (uint32_t n = 0; n < count; ++n)
        names[n] = name_of(base, n);
    qsort(names, count, sizeof *names, compare_names);
    for (uint32_t n = 0; n < scene->nodes.count; ++n) {
        const named_node wanted = name_of(scene, n);
        size_t low = 0, high = count;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (compare_text(&names[middle], &wanted) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        const bool found = low < count && compare_text(&names[low], &wanted) == 0;
        nodes[n] = found ? names[low].node : (uint32_t)count + n;
    }
    *out = nodes;
    return true;
}

static bool collect_movers(movers *out, bwi_arena *arena, const bwi_vertex_list *list, const uint32_t *node_map) {
    const bw_scene *scene = list->scene;
    out->width = 1;
    for (uint32_t k = 0; k < list->part_count; ++k) {
        const bwi_part *part = &list->parts[k];
        const bw_primitive *p = &scene->meshes.data[part->mesh].primitives.data[part->primitive];
        if (part->skin != BW_NO_INDEX && p->influence_count > out->width)
            out->width = p->influence_count;
    }
    out->nodes = bwi_arena_alloc(arena, list->vertex_count, out->width * sizeof *out->nodes);
    out->weights = bwi_arena_alloc(arena, list->vertex_count, out->width * sizeof *out->weights);
    if (!out->nodes || !out->weights)
        return false;
    for (uint32_t k = 0; k < list->part_count; ++k) {
        const bwi_part *part = &list->parts[k];
        const bw_primitive *p = &scene->meshes.data[part->mesh].primitives.data[part->primitive];
        const bool skinned = part->skin != BW_NO_INDEX && p->influence_count;
        for (uint32_t i = 0; i < part->vertex_count; ++i) {
            const size_t at = (size_t)(part->first_vertex + i) * out->width;
            const size_t source = (size_t)part->source_vertices[i] * p->influence_count;
            out->nodes[at] = node_map[part->node];
            out->weights[at] = 1.0f;
            for (uint32_t j = 0; skinned && j < p->influence_count; ++j) {
                out->nodes[at + j] = node_map[scene->skins.data[part->skin].joints.data[p->joints[source + j]]];
                out->weights[at + j] = p->weights[source + j];
            }
        }
    }
    return true;
}

/* Nodes that move nothing of the base tell nothing of it: a vertex that only such nodes move has no movers, and the place alone counts. */
static bool drop_unknown(movers *level, bwi_arena *arena, const movers *base, uint32_t base_count, uint32_t level_count,
                         size_t node_count) {
    bool *known = bwi_arena_alloc(arena, node_count, sizeof *known);
    if (!known)
        return false;
    for (size_t k = 0; k < (size_t)base_count * base->width; ++k)
        if (base->weights[k] > 0.0f)
            known[base->nodes[k]] = true;
    for (size_t i = 0; i < level_count; ++i) {
        float sum = 0.0f;
        for (size_t j = i * level->width; j < (i + 1) * level->width; ++j) {
            if (!known[level->nodes[j]])
                level->weights[j] = 0.0f;
            sum += level->weights[j];
        }
        for (size_t j = i * level->width; sum > 0.0f && j < (i + 1) * level->width; ++j)
            level->weights[j] /= sum;
    }
    return true;
}

static int compare_points(const tree_point *a, const tree_point *b, int axis) {
    if (a->p[axis] != b->p[axis])
        return a->p[axis] < b->p[axis] ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

static int compare_x(const void *a, const void *b) {
    return compare_points(a, b, 0);
}

static int compare_y(const void *a, const void *b) {
    return compare_points(a, b, 1);
}

static int compare_z(const void *a, const void *b) {
    return compare_points(a, b, 2);
}

/* Ranges are halved, so this nests no deeper than a number has bits. */
static void build_tree(tree_point *points, size_t count, int axis) {
    static int (*const compare[3])(const void *, const void *) = {compare_x, compare_y, compare_z};
    if (count < 2)
        return;
    qsort(points, count, sizeof *points, compare[axis]);
    const size_t middle = count / 2;
    build_tree(points, middle, (axis + 1) % 3);
    build_tree(points + middle + 1, count - middle - 1, (axis + 1) % 3);
}

/* 0: moved alike … 1: by nothing in common. */
static double mover_difference(const level_map *m, uint32_t element, uint32_t vertex) {
    const uint32_t a_width = m->base_movers.width, b_width = m->level_movers.width;
    const uint32_t *a = m->base_movers.nodes + (size_t)element * a_width;
    const uint32_t *b = m->level_movers.nodes + (size_t)vertex * b_width;
    const float *a_weights = m->base_movers.weights + (size_t)element * a_width;
    const float *b_weights = m->level_movers.weights + (size_t)vertex * b_width;
    double shared = 0.0, known = 0.0;
    for (uint32_t j = 0; j < b_width; ++j) {
        known += (double)b_weights[j];
        for (uint32_t k = 0; b_weights[j] > 0.0f && k < a_width; ++k)
            if (a_weights[k] > 0.0f && a[k] == b[j])
                shared += (double)(a_weights[k] < b_weights[j] ? a_weights[k] : b_weights[j]);
    }
    return known > 0.0 && shared < 1.0 ? 1.0 - shared : 0.0;
}

typedef struct nearest {
    uint32_t element;
    double cost; /* metres */
} nearest;

static void search(const level_map *m, nearest *best, const tree_point *points, size_t count, int axis,
                   uint32_t vertex) {
    const float *q = m->positions + 3 * (size_t)vertex;
    while (count) {
        const size_t middle = count / 2;
        const tree_point *point = &points[middle];
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double d = (double)q[k] - (double)point->p[k];
            square += d * d;
        }
        const double distance = bwi_sqrt(square);
        if (distance <= best->cost) {
            const double difference = mover_difference(m, point->element, vertex);
            const double cost = distance + m->slack * difference + (difference > 0.999 ? m->gap : 0.0);
            if (cost < best->cost || (cost == best->cost && point->element < best->element))
                *best = (nearest){point->element, cost};
        }
        const double side = (double)q[axis] - (double)point->p[axis];
        const tree_point *after = points + middle + 1;
        const size_t after_count = count - middle - 1;
        const int next = (axis + 1) % 3;
        search(m, best, side < 0.0 ? points : after, side < 0.0 ? middle : after_count, next, vertex);
        if ((side < 0.0 ? -side : side) > best->cost)
            return;
        count = side < 0.0 ? after_count : middle;
        points = side < 0.0 ? after : points;
        axis = next;
    }
}

enum { MAP_BLOCK = 1024 };

static bw_result map_block(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    const level_map *m = ctx;
    (void)worker;
    const uint32_t first = (uint32_t)index * MAP_BLOCK, left = m->level->vertex_count - first;
    const uint32_t end = first + (left < MAP_BLOCK ? left : MAP_BLOCK);
    for (uint32_t v = first; v < end; ++v) {
        nearest best = {UINT32_MAX, DBL_MAX};
        search(m, &best, m->tree, m->base->vertex_count, 0, v);
        m->map[v] = best.element;
    }
    return bwi_progress_step(m->progress, end - first) ? BW_OK : bwi_fail_cancelled(error);
}

static bw_result rest_positions(float **out, bwi_arena *arena, const bwi_vertex_list *list, bw_error *error) {
    bwi_sampler *sampler = NULL;
    bwi_mem *mem = bwi_arena_mem(arena);
    *out = bwi_arena_alloc(arena, list->vertex_count, 3 * sizeof **out);
    if (!*out)
        return bwi_fail_memory(error, list->scene->path, mem, list->vertex_count * 3 * sizeof **out);
    bw_result result = bwi_sampler_create(&sampler, list, mem, error);
    if (result != BW_OK)
        return result;
    const bwi_clip_mix none = {NULL, 0};
    bwi_sampler_evaluate(sampler, &none, 0.0, *out, NULL, NULL);
    bwi_sampler_free(sampler);
    return BW_OK;
}

static double diagonal_of(const float *positions, size_t count) {
    double square = 0.0;
    for (size_t k = 0; k < 3; ++k) {
        float min = positions[k], max = min;
        for (size_t i = 1; i < count; ++i) {
            min = positions[3 * i + k] < min ? positions[3 * i + k] : min;
            max = positions[3 * i + k] > max ? positions[3 * i + k] : max;
        }
        square += ((double)max - (double)min) * ((double)max - (double)min);
    }
    return bwi_sqrt(square);
}

static bw_result prepare(level_map *m, bwi_arena *arena, const float *base_positions, bw_error *error) {
    const bw_scene *base = m->base->scene, *level = m->level->scene;
    const uint32_t v = m->base->vertex_count;
    uint32_t *base_nodes = NULL, *level_nodes = NULL;
    m->tree = bwi_arena_alloc(arena, v, sizeof *m->tree);
    if (!m->tree || !map_nodes(&base_nodes, arena, base, base) || !map_nodes(&level_nodes, arena, base, level) ||
        !collect_movers(&m->base_movers, arena, m->base, base_nodes) ||
        !collect_movers(&m->level_movers, arena, m->level, level_nodes) ||
        !drop_unknown(&m->level_movers, arena, &m->base_movers, v, m->level->vertex_count,
                      base->nodes.count + level->nodes.count))
        return bwi_fail_memory(error, level->path, bwi_arena_mem(arena), v * sizeof *m->tree);
    for (uint32_t i = 0; i < v; ++i) {
        memcpy(m->tree[i].p, base_positions + 3 * (size_t)i, sizeof m->tree[i].p);
        m->tree[i].element = i;
    }
    build_tree(m->tree, v, 0);
    /* A tenth more or less of a joint moves a vertex by about 1/200 of a figure's size when the joint bends by a right angle. */
    m->gap = diagonal_of(base_positions, v);
    m->slack = 0.05 * m->gap;
    return BW_OK;
}

bw_result bwi_vat_map_level(uint32_t *map, const bwi_vertex_list *base, const bwi_vertex_list *level,
                            const bwi_env *env, bw_error *error) {
    bwi_arena *arena = bwi_arena_create(env->mem);
    if (!arena)
        return bwi_fail_memory(error, level->scene->path, env->mem, 0);
    level_map m = {.base = base, .level = level, .map = map, .progress = env->progress};
    float *base_positions = NULL, *positions = NULL;
    bw_result result = rest_positions(&base_positions, arena, base, error);
    if (result == BW_OK)
        result = rest_positions(&positions, arena, level, error);
    const bool same = result == BW_OK && base->vertex_count == level->vertex_count &&
                      memcmp(base_positions, positions, base->vertex_count * 3 * sizeof *positions) == 0;
    for (uint32_t i = 0; same && i < base->vertex_count; ++i)
        map[i] = i;
    if (result == BW_OK && !same) {
        m.positions = positions;
        result = prepare(&m, arena, base_positions, error);
        bwi_progress_begin(env->progress, "map levels", level->vertex_count);
        if (result == BW_OK)
            result = bwi_parallel_for(env, (level->vertex_count + MAP_BLOCK - 1) / MAP_BLOCK, map_block, &m, error);
    }
    bwi_arena_free(arena);
    return result;
}
