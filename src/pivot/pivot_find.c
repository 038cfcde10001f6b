/* SPDX-License-Identifier: MIT
 * From a scene to a plan: the mesh at rest, what its elements are, and their parents. */
#include <string.h>

#include "pivot/pivot_priv.h"

void *bwi_pivot_alloc(const bwi_pivot_work *work, size_t count, size_t size) {
    void *block = bwi_arena_alloc(work->scratch, count, size);
    size_t bytes;
    if (!block)
        bwi_fail_memory(work->error, work->scene->path, work->env->mem,
                        bwi_mul_size(&bytes, count, size) ? bytes : SIZE_MAX);
    return block;
}

double bwi_pivot_length(const bwi_pivot_work *work, bw_length length, double preset_fraction) {
    switch (length.unit) {
    case BW_LENGTH_METRE:
        return length.value;
    case BW_LENGTH_RELATIVE:
        return length.value * work->diagonal;
    default:
        return preset_fraction * work->diagonal;
    }
}

/* ---- the mesh ---- */

static bw_result measure_positions(bwi_pivot_work *work) {
    for (uint32_t i = 0; i < work->list->vertex_count; i++) {
        for (size_t k = 0; k < 3; k++) {
            if (!bwi_is_finite((double)work->positions[3 * (size_t)i + k]))
                return bwi_fail(work->error, BW_ERR_MALFORMED, work->scene->path, -1,
                                "node %s stands at rest where numbers end; its scale, or that of a node above it, is "
                                "too large: make it smaller",
                                bwi_part_name(work->list, i));
        }
    }
    work->diagonal = bwi_bounds_diagonal(work->positions, work->list->vertex_count);
    return BW_OK;
}

static bw_result pose(bwi_pivot_work *work) {
    const size_t v = work->list->vertex_count, matrices = work->scene->nodes.count;
    const bwi_clip_mix rest = {NULL, 0};
    bwi_sampler *sampler = NULL;
    work->positions = bwi_pivot_alloc(work, v, 3 * sizeof(float));
    work->normals = work->positions ? bwi_pivot_alloc(work, v, 3 * sizeof(float)) : NULL;
    work->world = work->normals ? bwi_pivot_alloc(work, matrices, 16 * sizeof(double)) : NULL;
    if (work->world && work->list->has_tangents)
        work->tangents = bwi_pivot_alloc(work, v, 4 * sizeof(float));
    if (!work->world || (work->list->has_tangents && !work->tangents))
        return BW_ERR_MEMORY;
    bw_result result = bwi_sampler_create(&sampler, work->list, work->env->mem, work->error);
    if (result != BW_OK)
        return result;
    bwi_sampler_evaluate(sampler, &rest, 0, work->positions, work->normals, work->tangents);
    result = bwi_sampler_status(sampler, work->error);
    memcpy(work->world, bwi_sampler_world_matrices(sampler), matrices * 16 * sizeof(double));
    bwi_sampler_free(sampler);
    return result == BW_OK ? measure_positions(work) : result;
}

static bw_result take_triangles(bwi_pivot_work *work) {
    const bwi_vertex_list *list = work->list;
    uint32_t others = 0, part = 0;
    for (uint32_t k = 0; k < list->primitive_count; k++) {
        const bwi_list_primitive *p = &list->primitives[k];
        work->triangle_count += p->mode == BW_PRIMITIVE_TRIANGLES ? p->index_count / 3 : 0;
        others += p->mode == BW_PRIMITIVE_TRIANGLES ? 0 : p->part_count;
    }
    if (work->triangle_count == 0)
        return bwi_fail(work->error, BW_ERR_NO_MESH, work->scene->path, -1,
                        "there is no triangle to bake: all %u parts are lines or points; give the plant a surface",
                        list->part_count);
    if (others > 0)
        bwi_warn(work->warnings, "lines-dropped", others,
                 "lines and points are left out; elements are made of triangles", "%s", work->scene->path);
    work->triangles = bwi_pivot_alloc(work, work->triangle_count, sizeof *work->triangles);
    work->triangle_parts = work->triangles ? bwi_pivot_alloc(work, work->triangle_count, sizeof(uint32_t)) : NULL;
    work->triangle_elements =
        work->triangle_parts ? bwi_pivot_alloc(work, work->triangle_count, sizeof(uint32_t)) : NULL;
    if (!work->triangle_elements)
        return BW_ERR_MEMORY;
    uint32_t at = 0;
    for (uint32_t k = 0; k < list->primitive_count; k++) {
        const bwi_list_primitive *p = &list->primitives[k];
        part = p->first_part;
        for (uint32_t i = 0; p->mode == BW_PRIMITIVE_TRIANGLES && i < p->index_count; i += 3) {
            const uint32_t v = p->indices[i];
            while (v >= list->parts[part].first_vertex + list->parts[part].vertex_count)
                part++; /* triangles are in the order of their parts */
            work->triangle_parts[at] = part;
            memcpy(work->triangles[at++], p->indices + i, sizeof *work->triangles);
        }
    }
    return BW_OK;
}

bw_result bwi_pivot_open(bwi_pivot_work *work, const bwi_node_filter *filter) {
    bw_result result =
        bwi_vertex_list_build(&work->list, work->scratch, work->scene, filter, work->env, work->warnings, work->error);
    if (result == BW_OK)
        result = pose(work);
    return result == BW_OK ? take_triangles(work) : result;
}

/* ---- which kind ---- */

static bool is_same_place(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Joints where all is skinned; nodes where several show triangles, at more than one place; else parts. */
static bw_pivot_elements choose(const bwi_pivot_work *work) {
    bool skinned = true, apart = false;
    const bwi_part *first = &work->list->parts[work->triangle_parts[0]];
    for (uint32_t t = 0; t < work->triangle_count; t++) {
        const bwi_part *part = &work->list->parts[work->triangle_parts[t]];
        skinned = skinned && part->skin != BW_NO_INDEX;
        apart = apart || part->instance != first->instance ||
                (part->node != first->node && !is_same_place(work->world + 16 * (size_t)part->node + 12,
                                                             work->world + 16 * (size_t)first->node + 12));
    }
    return skinned ? BW_PIVOT_ELEMENTS_JOINTS : apart ? BW_PIVOT_ELEMENTS_NODES : BW_PIVOT_ELEMENTS_PARTS;
}

static const char *const kind_names[] = {[BW_PIVOT_ELEMENTS_NODES] = "nodes",
                                         [BW_PIVOT_ELEMENTS_PARTS] = "parts",
                                         [BW_PIVOT_ELEMENTS_JOINTS] = "joints",
                                         [BW_PIVOT_ELEMENTS_MATERIAL] = "material"};

static bw_result find_kind(bwi_pivot_work *work, bw_pivot_elements kind) {
    if (work->opts->root && (kind == BW_PIVOT_ELEMENTS_NODES || kind == BW_PIVOT_ELEMENTS_JOINTS))
        return bwi_fail(work->error, BW_ERR_USAGE, work->scene->path, -1,
                        "--root=%s names the part that others grow from, but the elements are %s, whose parents are "
                        "known; leave it out, or add --elements=parts",
                        work->opts->root, kind_names[kind]);
    bw_result result;
    switch (kind) {
    case BW_PIVOT_ELEMENTS_NODES:
    case BW_PIVOT_ELEMENTS_JOINTS:
        result = bwi_pivot_find_nodes(work, kind == BW_PIVOT_ELEMENTS_JOINTS);
        return result == BW_OK ? bwi_pivot_name(work) : result;
    case BW_PIVOT_ELEMENTS_MATERIAL:
        result = bwi_pivot_find_materials(work);
        break;
    default:
        result = bwi_pivot_find_parts(work);
        break;
    }
    if (result == BW_OK && !work->opts->max_depth) /* before parents are found for so many */
        result = bwi_pivot_check_count(work);
    if (result == BW_OK)
        result = bwi_pivot_name(work);
    return result == BW_OK ? bwi_pivot_infer(work) : result;
}

/* ---- what the user should know ---- */

#define CROWN_SHARE 0.35 /* of its length: trunks are up to 0.15 as wide, a trunk with its branches 0.5 and more */

/* Trunk and branches in one piece: a root that others hang on, as wide as a crown. */
static void warn_of_crowns(bwi_warnings *warnings, const bw_pivot_plan *plan) {
    for (size_t i = 0; i < plan->elements.count; i++) {
        const uint32_t parent = plan->elements.data[i].parent;
        const bw_pivot_element *e = parent == BW_NO_INDEX ? NULL : &plan->elements.data[parent];
        const double width = !e ? 0 : e->extents[1] > e->extents[2] ? e->extents[1] : e->extents[2];
        if (!e || e->parent != BW_NO_INDEX || !(width > CROWN_SHARE * e->extents[0]))
            continue;
        bwi_warn(warnings, "limbs-joined", 1,
                 "the root is as wide as a crown: trunk and branches seem to be welded into one part, which turns as a "
                 "whole; separate the branches where they begin, or give the plant bones and bake --elements=joints",
                 "%s", e->name);
        return;
    }
}

/* Objects whose origin was left where it was: they would turn about the foot of the plant. */
static void warn_of_pivots(bwi_warnings *warnings, const bw_pivot_plan *plan) {
    const bw_pivot_element *elements = plan->elements.data;
    for (size_t i = 1; i < plan->elements.count; i++) {
        const uint32_t parent = elements[i].parent;
        if (is_same_place(elements[i].pivot, elements[parent == BW_NO_INDEX ? 0 : parent].pivot))
            bwi_warn(warnings, "pivots-shared", 1,
                     "nodes have their origin where the one above, or the first, has it, and turn about that; set each "
                     "origin to where its element begins, or have pivots found with --elements=parts",
                     "%s", elements[i].name);
    }
}

static void warn_of_elements(bwi_warnings *warnings, const bw_pivot_plan *plan) {
    const bw_pivot_element *elements = plan->elements.data;
    uint32_t roots = 0;
    for (size_t i = 0; i < plan->elements.count; i++)
        roots += elements[i].parent == BW_NO_INDEX;
    if (plan->elements.count == 1)
        bwi_warn(warnings, "one-element", 1,
                 "there is one element, which bends as a whole; split the plant into nodes, or into parts that do not "
                 "share vertices",
                 "%s", elements[0].name);
    else if (roots == plan->elements.count && strcmp(plan->kind, "nodes") == 0)
        bwi_warn(warnings, "no-parents", roots,
                 "no node that shows a mesh stands below another, so that each turns by itself; parent them in the "
                 "program that made them, name parents in an --override file, or have them found with --elements=parts",
                 "%s", elements[0].name);
    if (strcmp(plan->kind, "parts") == 0)
        warn_of_crowns(warnings, plan);
    else if (strcmp(plan->kind, "nodes") == 0)
        warn_of_pivots(warnings, plan);
}

bw_result bwi_pivot_find(bw_pivot_plan **plan, const bw_scene *scene, const bw_pivot_opts *opts, const bwi_env *env,
                         bwi_warnings *warnings, bw_error *error) {
    bwi_arena *scratch = bwi_arena_create(env->mem);
    if (!scratch)
        return bwi_fail_memory(error, scene->path, env->mem, 0);
    bwi_pivot_work work = {
        .scene = scene, .opts = opts, .env = env, .warnings = warnings, .error = error, .scratch = scratch};
    const bwi_node_filter filter = {opts->include, opts->exclude};
    bw_result result = bwi_pivot_open(&work, &filter);
    bw_pivot_elements kind = opts->elements;
    if (result == BW_OK) {
        kind = kind == BW_PIVOT_ELEMENTS_DEFAULT || kind == BW_PIVOT_ELEMENTS_AUTO ? choose(&work) : kind;
        result = find_kind(&work, kind);
    }
    if (result == BW_OK)
        result = bwi_pivot_override(&work);
    if (result == BW_OK)
        result = bwi_pivot_limit(&work);
    if (result == BW_OK)
        result = bwi_pivot_plan_fill(plan, &work, kind_names[kind]);
    if (result == BW_OK)
        warn_of_elements(warnings, *plan);
    bwi_arena_free(scratch);
    return result;
}

void bwi_pivot_plan_free(bw_pivot_plan *plan) {
    if (plan)
        bwi_arena_free(plan->arena);
}
