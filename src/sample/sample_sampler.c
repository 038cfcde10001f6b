/* SPDX-License-Identifier: MIT
 * The vertex list at a time: morph, then skin or node, then what normals and tangents are missing. */
#include <stddef.h>

#include "sample/sample_priv.h"

struct bwi_sampler {
    bwi_arena *arena;
    const bwi_list *list;
    bwi_pose pose;
    /* Morphed attributes of one primitive, in order of its used vertices. */
    float *morphed_positions, *morphed_normals, *morphed_tangents;
    float *weld_normals;
    float *determinants;                      /* of one flat skinned part */
    uint32_t morphed_node, morphed_primitive; /* what the three hold in this evaluation; instances share it */
};

static const bw_primitive *primitive_of(const bwi_sampler *s, const bwi_part *part) {
    return &s->list->list.scene->meshes.data[part->mesh].primitives.data[part->primitive];
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

bw_result bwi_sampler_create(bwi_sampler **sampler, const bwi_vertex_list *list, bwi_mem *mem, bw_error *error) {
    const bwi_list *whole = (const bwi_list *)list;
    size_t positions = 0, normals = 0, tangents = 0, groups = 0, determinants = 0;
    for (uint32_t i = 0; i < list->part_count; i++) {
        const bwi_part *part = &list->parts[i];
        const bwi_selection *selection = whole->selections[i];
        if (selection->used_of_vertex != NULL) {
            positions = larger(positions, selection->used_count);
            normals = larger(normals, part->has_normals ? selection->used_count : 0);
            tangents = larger(tangents, part->has_tangents ? selection->used_count : 0);
        }
        groups = larger(groups, selection->weld != NULL ? selection->weld->group_count : 0);
        determinants = larger(determinants, part->skin != BW_NO_INDEX && !part->has_normals ? part->vertex_count : 0);
    }
    bwi_arena *arena = bwi_arena_create(mem);
    bwi_sampler *s = arena != NULL ? bwi_arena_alloc(arena, 1, sizeof *s) : NULL;
    bool ok = s != NULL;
    if (ok) {
        *s = (bwi_sampler){
            .arena = arena,
            .list = whole,
            .morphed_positions = bwi_arena_alloc(arena, positions, 3 * sizeof(float)),
            .morphed_normals = bwi_arena_alloc(arena, normals, 3 * sizeof(float)),
            .morphed_tangents = bwi_arena_alloc(arena, tangents, 4 * sizeof(float)),
            .weld_normals = bwi_arena_alloc(arena, groups, 3 * sizeof(float)),
            .determinants = bwi_arena_alloc(arena, determinants, sizeof(float)),
        };
        ok = bwi_pose_create(&s->pose, arena, list->scene, list->parts, list->part_count) &&
             s->morphed_positions != NULL && s->morphed_normals != NULL && s->morphed_tangents != NULL &&
             s->weld_normals != NULL && s->determinants != NULL;
    }
    if (!ok) {
        bwi_arena_free(arena);
        return bwi_fail_memory(error, list->scene->path, mem,
                               (3 * positions + 3 * normals + 4 * tangents) * sizeof(float));
    }
    *sampler = s;
    return BW_OK;
}

void bwi_sampler_free(bwi_sampler *sampler) {
    if (sampler != NULL) {
        bwi_arena_free(sampler->arena);
    }
}

/* Points the shape at morphed attributes, if any weight is not 0. */
static void morph_shape(bwi_sampler *s, bwi_shape *shape, const bwi_part *part, const bwi_selection *selection) {
    const bw_primitive *primitive = primitive_of(s, part);
    const double *weights = s->pose.weights + s->pose.weight_offsets[part->node];
    bool moved = false;
    for (size_t t = 0; t < primitive->targets.count; t++) {
        moved = moved || weights[t] != 0;
    }
    if (!moved) {
        return;
    }
    bool fresh = s->morphed_node != part->node || s->morphed_primitive != part->primitive;
    s->morphed_node = part->node;
    s->morphed_primitive = part->primitive;
    if (fresh) {
        bwi_morph(s->morphed_positions, selection, primitive, BWI_MORPH_POSITIONS, weights);
    }
    if (fresh && shape->normals != NULL) {
        bwi_morph(s->morphed_normals, selection, primitive, BWI_MORPH_NORMALS, weights);
        if (selection->weld != NULL) {
            bwi_weld_apply(s->morphed_normals, s->weld_normals, selection->weld, selection->used_count,
                           s->morphed_positions);
        }
    }
    if (fresh && shape->tangents != NULL) {
        bwi_morph(s->morphed_tangents, selection, primitive, BWI_MORPH_TANGENTS, weights);
    }
    shape->vertices = selection->used_of_vertex;
    shape->positions = s->morphed_positions;
    shape->normals = shape->normals != NULL ? s->morphed_normals : NULL;
    shape->tangents = shape->tangents != NULL ? s->morphed_tangents : NULL;
}

/* Lines and points have no surface to take normals from. */
static void fill_up(float *normals, uint32_t count) {
    for (size_t i = 0; i < count; i++) {
        bwi_store_unit(normals + 3 * i, 0.0f, 1.0f, 0.0f);
    }
}

/* Lines and points without tangents, in a list whose triangles have them. */
static void fill_tangents(float *tangents, uint32_t count) {
    for (size_t i = 0; i < count; i++) {
        tangents[4 * i] = 1.0f;
        tangents[4 * i + 1] = 0.0f;
        tangents[4 * i + 2] = 0.0f;
        tangents[4 * i + 3] = 1.0f;
    }
}

/* In: place — where the part shall stand; NULL: where its skin or node puts it. */
static void evaluate_part(bwi_sampler *s, uint32_t part_index, const bwi_mat4 *place, const bwi_target *out) {
    const bwi_part *part = &s->list->list.parts[part_index];
    const bwi_selection *selection = s->list->selections[part_index];
    const bw_primitive *primitive = primitive_of(s, part);
    bool wants_tangents = out->tangents != NULL && part->has_tangents;
    bool wants_normals = out->normals != NULL || wants_tangents;
    bwi_shape shape = {
        .count = part->vertex_count,
        .vertices = part->source_vertices,
        .positions = primitive->positions,
        .normals = wants_normals ? primitive->normals : NULL,
        .tangents = wants_tangents ? primitive->tangents : NULL,
    };
    if (primitive->targets.count > 0) {
        morph_shape(s, &shape, part, selection);
    }
    const float *determinants = NULL;
    double sign = 1;
    bool needs_flat = out->normals != NULL && bwi_is_flat(primitive);
    if (place == NULL && part->skin != BW_NO_INDEX) {
        const float *joints = s->pose.joints + 12 * s->pose.joint_offsets[part->skin];
        bwi_skin(out, &shape, primitive, part->source_vertices, joints);
        if (needs_flat) {
            bwi_skin_determinants(s->determinants, primitive, part->source_vertices, part->vertex_count, joints);
            determinants = s->determinants;
        }
    } else {
        bwi_mat4 matrix = place != NULL ? *place : bwi_pose_part_matrix(&s->pose, part);
        bwi_transform(out, &shape, &matrix);
        sign = bwi_mirror_sign(&matrix);
    }
    if (needs_flat) {
        bwi_flat_normals(out->normals, out->positions, part->vertex_count, sign, determinants);
    } else if (out->normals != NULL && primitive->normals == NULL) {
        fill_up(out->normals, part->vertex_count);
    }
    if (out->tangents != NULL && !part->has_tangents) {
        fill_tangents(out->tangents, part->vertex_count);
    }
}

static void evaluate(bwi_sampler *sampler, const bwi_clip_mix *mix, double time_s, const bwi_mat4 *places,
                     float *positions, float *normals, float *tangents) {
    const bwi_vertex_list *list = &sampler->list->list;
    bwi_pose_evaluate(&sampler->pose, mix, time_s);
    sampler->morphed_node = BW_NO_INDEX;
    for (uint32_t i = 0; i < list->part_count; i++) {
        size_t first = list->parts[i].first_vertex;
        bwi_target out = {
            .positions = positions + 3 * first,
            .normals = normals != NULL ? normals + 3 * first : NULL,
            .tangents = tangents != NULL && list->has_tangents ? tangents + 4 * first : NULL,
        };
        evaluate_part(sampler, i, places != NULL ? &places[i] : NULL, &out);
    }
}

void bwi_sampler_evaluate(bwi_sampler *sampler, const bwi_clip_mix *mix, double time_s, float *positions,
                          float *normals, float *tangents) {
    evaluate(sampler, mix, time_s, NULL, positions, normals, tangents);
}

void bwi_sampler_place(bwi_sampler *sampler, const bwi_mat4 *matrices, float *positions, float *normals,
                       float *tangents) {
    evaluate(sampler, NULL, 0.0, matrices, positions, normals, tangents);
}

void bwi_sampler_pose(bwi_sampler *sampler, const bwi_clip_mix *mix, double time_s) {
    bwi_pose_evaluate(&sampler->pose, mix, time_s);
}

const double *bwi_sampler_world_matrices(const bwi_sampler *sampler) {
    return sampler->pose.worlds->m;
}
