/* SPDX-License-Identifier: MIT
 * The vertex list: what is baked, in which order, with which winding. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sample/sample_priv.h"

/* A primitive of a node's mesh that will be a part, with its place in the list's order. */
typedef struct candidate {
    uint32_t material, mode, node, primitive, instance;
} candidate;

typedef struct builder {
    const bw_scene *scene;
    bwi_arena *arena, *scratch;
    const bwi_env *env;
    bwi_warnings *warnings;
    bw_error *error;
    bool *chosen;               /* [nodes] */
    size_t *first_selections;   /* [meshes] */
    bwi_selection **selections; /* [all primitives], made when first needed */
    candidate *candidates;
    uint32_t part_count;
    bwi_part *parts;
    const bwi_selection **part_selections;
    bwi_list_primitive *primitives;
    uint32_t primitive_count;
    uint32_t vertex_count;
} builder;

static bw_result fail_memory(const builder *b, size_t wanted) {
    return bwi_fail_memory(b->error, b->scene->path, b->env->mem, wanted);
}

static bw_result fail_too_large(const builder *b, uint64_t count, const char *what) {
    return bwi_fail(b->error, BW_ERR_TOO_LARGE, b->scene->path, -1,
                    "the scene has %" PRIu64 " %s with all its instances, at most %" PRIu32
                    " fit; choose fewer nodes with --include or "
                    "--exclude",
                    count, what, (uint32_t)INT32_MAX);
}

static const bw_mesh *mesh_of(const bw_scene *scene, uint32_t node) {
    return &scene->meshes.data[scene->nodes.data[node].mesh];
}

/* Instances are placed by the node, whose transform a skin ignores: such a mesh is shown once. */
static size_t instances_of(const bw_scene *scene, uint32_t node) {
    const bw_node *n = &scene->nodes.data[node];
    return n->skin == BW_NO_INDEX ? n->instances.count : 0;
}

static int compare_uint(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int compare_candidates(const void *left, const void *right) {
    const candidate *a = left, *b = right;
    int order = compare_uint(a->material, b->material); /* BW_NO_INDEX comes last by itself */
    order = order != 0 ? order : compare_uint(a->mode, b->mode);
    order = order != 0 ? order : compare_uint(a->node, b->node);
    order = order != 0 ? order : compare_uint(a->primitive, b->primitive);
    return order != 0 ? order : compare_uint(a->instance, b->instance);
}

static bw_result collect_candidates(builder *b) {
    const bw_scene *scene = b->scene;
    uint64_t count = 0;
    for (uint32_t n = 0; n < scene->nodes.count; n++) {
        if (b->chosen[n]) {
            size_t instances = instances_of(scene, n);
            count += (uint64_t)mesh_of(scene, n)->primitives.count * (instances > 0 ? instances : 1);
        }
    }
    if (count > INT32_MAX) {
        return fail_too_large(b, count, "parts");
    }
    b->candidates = bwi_arena_alloc(b->scratch, (size_t)count, sizeof *b->candidates);
    if (b->candidates == NULL) {
        return fail_memory(b, (size_t)count * sizeof *b->candidates);
    }
    for (uint32_t n = 0; n < scene->nodes.count; n++) {
        if (!b->chosen[n]) {
            continue;
        }
        const bw_mesh *mesh = mesh_of(scene, n);
        size_t instances = instances_of(scene, n);
        if (instances == 0 && scene->nodes.data[n].instances.count > 0) {
            bwi_warn(b->warnings, "skinned-instances-ignored", scene->nodes.data[n].instances.count,
                     "instances of a skinned mesh share its joints and would lie on one another, so it is shown once",
                     "node %" PRIu32 " (%s)", n, scene->nodes.data[n].name);
        }
        for (uint32_t p = 0; p < mesh->primitives.count; p++) {
            const bw_primitive *primitive = &mesh->primitives.data[p];
            for (size_t i = 0; i < (instances > 0 ? instances : 1); i++) {
                b->candidates[b->part_count++] =
                    (candidate){primitive->material, primitive->mode, n, p, instances > 0 ? (uint32_t)i : BW_NO_INDEX};
            }
        }
    }
    qsort(b->candidates, b->part_count, sizeof *b->candidates, compare_candidates);
    return BW_OK;
}

/* Tells once a primitive what it lacks or loses. */
static void warn_of_selection(const builder *b, const candidate *c, const bwi_selection *selection,
                              const bw_primitive *primitive) {
    uint32_t mesh_index = b->scene->nodes.data[c->node].mesh;
    const char *name = b->scene->meshes.data[mesh_index].name;
    if (bwi_is_flat(primitive)) {
        bwi_warn(b->warnings, "normals-missing", 1,
                 "primitives without normals are split into single triangles and shaded flat; export normals to keep "
                 "them whole",
                 "mesh %" PRIu32 " (%s), primitive %" PRIu32, mesh_index, name, c->primitive);
    }
    if (selection->weld != NULL) {
        bwi_warn(
            b->warnings, "morph-normals-computed", 1,
            "primitives whose morph targets move vertices but bring no normals get theirs from the deformed surface",
            "mesh %" PRIu32 " (%s), primitive %" PRIu32, mesh_index, name, c->primitive);
    }
    if (selection->used_count < primitive->vertex_count) {
        bwi_warn(b->warnings, "vertices-unused", primitive->vertex_count - selection->used_count,
                 "vertices that their primitive's indices do not name are left out",
                 "mesh %" PRIu32 " (%s), primitive %" PRIu32, mesh_index, name, c->primitive);
    }
}

static const bwi_selection *selection_of(builder *b, const candidate *c) {
    uint32_t mesh_index = b->scene->nodes.data[c->node].mesh;
    const bw_mesh *mesh = &b->scene->meshes.data[mesh_index];
    bwi_selection **selection = &b->selections[b->first_selections[mesh_index] + c->primitive];
    if (*selection == NULL) {
        bwi_arena *scratch = bwi_arena_create(b->env->mem);
        if (scratch != NULL) {
            *selection = bwi_select(b->arena, scratch, mesh, &mesh->primitives.data[c->primitive]);
        }
        bwi_arena_free(scratch);
        if (*selection != NULL) {
            warn_of_selection(b, c, *selection, &mesh->primitives.data[c->primitive]);
        }
    }
    return *selection;
}

static bw_result make_parts(builder *b) {
    const bw_scene *scene = b->scene;
    b->parts = bwi_arena_alloc(b->arena, b->part_count, sizeof *b->parts);
    b->part_selections = bwi_arena_alloc(b->arena, b->part_count, sizeof(const bwi_selection *));
    if (b->parts == NULL || b->part_selections == NULL) {
        return fail_memory(b, b->part_count * sizeof *b->parts);
    }
    uint64_t vertex_count = 0;
    for (uint32_t i = 0; i < b->part_count; i++) {
        const candidate *c = &b->candidates[i];
        const bw_node *node = &scene->nodes.data[c->node];
        const bw_primitive *primitive = &scene->meshes.data[node->mesh].primitives.data[c->primitive];
        const bwi_selection *selection = selection_of(b, c);
        if (selection == NULL) {
            return fail_memory(b, primitive->indices.count * sizeof(uint32_t));
        }
        bool first_of_primitive = i == 0 || c->material != c[-1].material || c->mode != c[-1].mode;
        b->primitive_count += first_of_primitive ? 1 : 0;
        b->part_selections[i] = selection;
        b->parts[i] = (bwi_part){
            .node = c->node,
            .mesh = node->mesh,
            .primitive = c->primitive,
            .instance = c->instance,
            .skin = primitive->influence_count > 0 ? node->skin : BW_NO_INDEX,
            .first_vertex = (uint32_t)vertex_count,
            .vertex_count = selection->vertex_count,
            .source_vertices = selection->source_vertices,
            .has_normals = primitive->normals != NULL,
            .has_tangents = primitive->normals != NULL && primitive->tangents != NULL,
            .computes_morph_normals = selection->weld != NULL,
        };
        vertex_count += selection->vertex_count;
        if (vertex_count > INT32_MAX) {
            return fail_too_large(b, vertex_count, "vertices or more");
        }
    }
    b->vertex_count = (uint32_t)vertex_count;
    return BW_OK;
}

static bw_result make_primitives(builder *b) {
    b->primitives = bwi_arena_alloc(b->arena, b->primitive_count, sizeof *b->primitives);
    if (b->primitives == NULL) {
        return fail_memory(b, b->primitive_count * sizeof *b->primitives);
    }
    bwi_list_primitive *primitive = b->primitives - 1;
    uint64_t index_count = 0;
    for (uint32_t i = 0; i < b->part_count; i++) {
        const candidate *c = &b->candidates[i];
        if (i == 0 || c->material != c[-1].material || c->mode != c[-1].mode) {
            primitive++;
            *primitive = (bwi_list_primitive){.mode = (bw_primitive_mode)c->mode,
                                              .material = c->material,
                                              .first_part = i,
                                              .first_vertex = b->parts[i].first_vertex};
            index_count = 0;
        }
        primitive->part_count++;
        primitive->vertex_count += b->parts[i].vertex_count;
        index_count += b->part_selections[i]->index_count;
        if (index_count > INT32_MAX) {
            return fail_too_large(b, index_count, "indices of one material or more");
        }
        primitive->index_count = (uint32_t)index_count;
    }
    return BW_OK;
}

/* Writes a part's triangles; those that the rest pose mirrors the other way round. */
static void put_triangles(const builder *b, uint32_t *indices, uint32_t part_index, const bwi_pose *rest,
                          float *determinants) {
    const bwi_part *part = &b->parts[part_index];
    const bwi_selection *selection = b->part_selections[part_index];
    bool all_mirrored = false;
    if (part->skin != BW_NO_INDEX) {
        bwi_skin_determinants(determinants, &b->scene->meshes.data[part->mesh].primitives.data[part->primitive],
                              part->source_vertices, part->vertex_count,
                              rest->joints + 12 * rest->joint_offsets[part->skin]);
    } else {
        bwi_mat4 matrix = bwi_pose_part_matrix(rest, part);
        all_mirrored = bwi_mirror_sign(&matrix) < 0;
    }
    for (uint32_t i = 0; i < selection->index_count; i += 3) {
        uint32_t corners[3];
        double sum = 0;
        for (uint32_t k = 0; k < 3; k++) {
            corners[k] = selection->indices != NULL ? selection->indices[i + k] : i + k;
            sum += part->skin != BW_NO_INDEX ? (double)determinants[corners[k]] : 0;
        }
        bool mirrored = part->skin != BW_NO_INDEX ? sum < 0 : all_mirrored;
        indices[i] = part->first_vertex + corners[0];
        indices[i + 1] = part->first_vertex + corners[mirrored ? 2 : 1];
        indices[i + 2] = part->first_vertex + corners[mirrored ? 1 : 2];
    }
}

static bw_result make_indices(builder *b) {
    bwi_pose rest;
    uint32_t longest_skinned = 0;
    for (uint32_t i = 0; i < b->part_count; i++) {
        if (b->parts[i].skin != BW_NO_INDEX && b->parts[i].vertex_count > longest_skinned) {
            longest_skinned = b->parts[i].vertex_count;
        }
    }
    float *determinants = bwi_arena_alloc(b->scratch, longest_skinned, sizeof *determinants);
    if (determinants == NULL || !bwi_pose_create(&rest, b->scratch, b->scene, b->parts, b->part_count)) {
        return fail_memory(b, longest_skinned * sizeof *determinants);
    }
    bwi_pose_evaluate(&rest, NULL, 0);
    for (uint32_t p = 0; p < b->primitive_count; p++) {
        bwi_list_primitive *primitive = &b->primitives[p];
        uint32_t *indices = bwi_arena_alloc(b->arena, primitive->index_count, sizeof *indices);
        if (indices == NULL) {
            return fail_memory(b, primitive->index_count * sizeof *indices);
        }
        primitive->indices = indices;
        for (uint32_t i = primitive->first_part; i < primitive->first_part + primitive->part_count; i++) {
            const bwi_selection *selection = b->part_selections[i];
            if (primitive->mode == BW_PRIMITIVE_TRIANGLES) {
                put_triangles(b, indices, i, &rest, determinants);
            } else {
                for (uint32_t k = 0; k < selection->index_count; k++) {
                    indices[k] = b->parts[i].first_vertex + selection->indices[k];
                }
            }
            indices += selection->index_count;
        }
    }
    return BW_OK;
}

/* Triangles have normals, others those that the file gives. */
static bool any_has_normals(const builder *b) {
    for (uint32_t i = 0; i < b->part_count; i++) {
        if (b->parts[i].has_normals || b->candidates[i].mode == BW_PRIMITIVE_TRIANGLES) {
            return true;
        }
    }
    return false;
}

/* Tangents are all or nothing: a baked mesh has one vertex layout. */
static bool all_have_tangents(const builder *b) {
    uint32_t with = 0, without = 0, first_without = 0;
    for (uint32_t p = 0; p < b->primitive_count; p++) {
        const bwi_list_primitive *primitive = &b->primitives[p];
        for (uint32_t i = primitive->first_part;
             primitive->mode == BW_PRIMITIVE_TRIANGLES && i < primitive->first_part + primitive->part_count; i++) {
            with += b->parts[i].has_tangents ? 1 : 0;
            if (!b->parts[i].has_tangents && without++ == 0) {
                first_without = i;
            }
        }
    }
    if (with > 0 && without > 0) {
        const bwi_part *part = &b->parts[first_without];
        bwi_warn(b->warnings, "tangents-dropped", with,
                 "tangents of some parts are left out because other parts have none; export tangents for all or none",
                 "node %" PRIu32 " (%s), primitive %" PRIu32, part->node, b->scene->nodes.data[part->node].name,
                 part->primitive);
    }
    return with > 0 && without == 0;
}

static bw_result build(builder *b, bwi_vertex_list **list, const bwi_node_filter *filter) {
    const bw_scene *scene = b->scene;
    size_t primitive_total = 0;
    b->chosen = bwi_arena_alloc(b->scratch, scene->nodes.count, sizeof *b->chosen);
    b->first_selections = bwi_arena_alloc(b->scratch, scene->meshes.count, sizeof *b->first_selections);
    if (b->chosen == NULL || b->first_selections == NULL) {
        return fail_memory(b, scene->nodes.count * sizeof *b->chosen);
    }
    for (size_t i = 0; i < scene->meshes.count; i++) {
        b->first_selections[i] = primitive_total;
        primitive_total += scene->meshes.data[i].primitives.count;
    }
    b->selections = bwi_arena_alloc(b->scratch, primitive_total, sizeof(bwi_selection *));
    bwi_list *out = bwi_arena_alloc(b->arena, 1, sizeof *out);
    if (b->selections == NULL || out == NULL) {
        return fail_memory(b, primitive_total * sizeof(bwi_selection *));
    }
    bw_result result = bwi_choose_nodes(b->chosen, scene, filter, b->error);
    result = result == BW_OK ? collect_candidates(b) : result;
    result = result == BW_OK ? make_parts(b) : result;
    result = result == BW_OK ? make_primitives(b) : result;
    result = result == BW_OK ? make_indices(b) : result;
    if (result != BW_OK) {
        return result;
    }
    *out = (bwi_list){
        .list = {scene, b->vertex_count, b->parts, b->part_count, b->primitives, b->primitive_count, any_has_normals(b),
                 all_have_tangents(b)},
        .selections = b->part_selections,
    };
    *list = &out->list;
    return BW_OK;
}

bw_result bwi_vertex_list_build(bwi_vertex_list **list, bwi_arena *arena, const bw_scene *scene,
                                const bwi_node_filter *filter, const bwi_env *env, bwi_warnings *warnings,
                                bw_error *error) {
    builder b = {.scene = scene,
                 .arena = arena,
                 .scratch = bwi_arena_create(env->mem),
                 .env = env,
                 .warnings = warnings,
                 .error = error};
    bw_result result = b.scratch != NULL ? build(&b, list, filter) : fail_memory(&b, sizeof b);
    bwi_arena_free(b.scratch);
    return result;
}

const char *bwi_part_name(const bwi_vertex_list *list, uint32_t vertex) {
    uint32_t low = 0, high = list->part_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (list->parts[middle].first_vertex <= vertex) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return list->scene->nodes.data[list->parts[low].node].name;
}
