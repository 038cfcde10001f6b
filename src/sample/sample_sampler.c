/* SPDX-License-Identifier: MIT
 * The vertex list at a time: morph, then skin or node, then what normals and tangents are missing. */
#include <stddef.h>

#include "sample/sample_priv.h"

/* Caches of a primitive, and its values in this evaluation; NULL: the primitive's own. */
typedef struct shape_cache {
    const bw_primitive *primitive;
    bwi_cache_slots positions, normals, velocities;
    const float *positions_now, *normals_now;
} shape_cache;

struct bwi_sampler {
    bwi_arena *arena;
    const bwi_list *list;
    bwi_pose pose;
    /* Morphed attributes of one primitive, in order of its used vertices. */
    float *morphed_positions, *morphed_normals, *morphed_tangents;
    float *weld_normals;
    float *determinants;                      /* of one flat skinned part */
    uint32_t morphed_node, morphed_primitive; /* what the three hold in this evaluation; instances share it */
    shape_cache *caches;                      /* of the primitives that have some */
    size_t cache_count;
    uint32_t *cache_of_part; /* [parts], or BW_NO_INDEX */
};

static const bw_primitive *primitive_of(const bwi_sampler *s, const bwi_part *part) {
    return &s->list->list.scene->meshes.data[part->mesh].primitives.data[part->primitive];
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static bool create_shape_cache(shape_cache *cache, bwi_arena *arena, const bw_primitive *primitive) {
    const size_t size = 3 * (size_t)primitive->vertex_count;
    cache->primitive = primitive;
    return bwi_cache_slots_create(&cache->positions, arena, primitive->position_cache, size) &&
           bwi_cache_slots_create(&cache->normals, arena, primitive->normal_cache, size) &&
           bwi_cache_slots_create(&cache->velocities, arena, primitive->velocity_cache, size);
}

/* Parts of one primitive share its caches.  False if memory fails. */
static bool create_caches(bwi_sampler *s) {
    const bwi_vertex_list *list = &s->list->list;
    size_t primitives = 0;
    size_t *first = bwi_arena_alloc(s->arena, list->scene->meshes.count, sizeof *first);
    for (size_t m = 0; first != NULL && m < list->scene->meshes.count; m++) {
        first[m] = primitives;
        primitives += list->scene->meshes.data[m].primitives.count;
    }
    uint32_t *numbers = bwi_arena_alloc(s->arena, primitives, sizeof *numbers); /* cache + 1; 0: none yet */
    s->cache_of_part = bwi_arena_alloc(s->arena, list->part_count, sizeof *s->cache_of_part);
    if (first == NULL || numbers == NULL || s->cache_of_part == NULL) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->part_count; i++) {
        const bw_primitive *primitive = primitive_of(s, &list->parts[i]);
        uint32_t *number = &numbers[first[list->parts[i].mesh] + list->parts[i].primitive];
        if (*number == 0 && (primitive->position_cache != NULL || primitive->normal_cache != NULL)) {
            *number = ++count;
        }
        s->cache_of_part[i] = *number - 1; /* BW_NO_INDEX for 0 */
    }
    s->caches = bwi_arena_alloc(s->arena, count, sizeof *s->caches);
    bool ok = s->caches != NULL;
    for (uint32_t i = 0; ok && i < list->part_count; i++) {
        if (s->cache_of_part[i] == s->cache_count) {
            ok = create_shape_cache(&s->caches[s->cache_count++], s->arena, primitive_of(s, &list->parts[i]));
        }
    }
    return ok;
}

/* What creating a sampler takes at least, for the message. */
static size_t cached_floats(const bwi_vertex_list *list) {
    size_t most = 0;
    for (uint32_t i = 0; i < list->part_count; i++) {
        const bw_primitive *primitive =
            &list->scene->meshes.data[list->parts[i].mesh].primitives.data[list->parts[i].primitive];
        most = larger(most, primitive->position_cache != NULL ? 9 * (size_t)primitive->vertex_count : 0);
    }
    return most;
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
        ok = bwi_pose_create(&s->pose, arena, list->scene, list->parts, list->part_count) && create_caches(s) &&
             s->morphed_positions != NULL && s->morphed_normals != NULL && s->morphed_tangents != NULL &&
             s->weld_normals != NULL && s->determinants != NULL;
    }
    if (!ok) {
        bwi_arena_free(arena);
        return bwi_fail_memory(error, list->scene->path, mem,
                               (3 * positions + 3 * normals + 4 * tangents + cached_floats(list)) * sizeof(float));
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

/* The samples of this time.  At rest the primitives' own values are the first ones. */
static void read_caches(bwi_sampler *s, const bwi_clip_mix *mix, double time_s, bool wants_normals) {
    const bool plays = bwi_mix_plays_caches(mix);
    for (size_t i = 0; i < s->cache_count; i++) {
        shape_cache *c = &s->caches[i];
        bwi_failure *failure = &s->pose.failure;
        const bool changes = c->primitive->topology_changes;
        c->positions_now = c->normals_now = NULL;
        if (plays && c->positions.cache != NULL) {
            c->positions_now = changes ? bwi_cache_moved(&c->positions, &c->velocities, time_s, failure)
                                       : bwi_cache_values(&c->positions, time_s, failure);
        }
        if (plays && c->normals.cache != NULL && wants_normals) {
            c->normals_now =
                changes ? bwi_cache_step(&c->normals, time_s, failure) : bwi_cache_values(&c->normals, time_s, failure);
        }
    }
}

/* Triangles without a size are not drawn. */
static void collapse(float *positions, uint32_t count) {
    for (size_t i = 3; i < 3 * (size_t)count; i++) {
        positions[i] = positions[i % 3];
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
    } else if (s->cache_of_part[part_index] != BW_NO_INDEX) {
        const shape_cache *cache = &s->caches[s->cache_of_part[part_index]];
        shape.positions = cache->positions_now != NULL ? cache->positions_now : shape.positions;
        shape.normals = shape.normals != NULL && cache->normals_now != NULL ? cache->normals_now : shape.normals;
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
    if (s->pose.hidden != NULL && s->pose.hidden[part->node]) {
        collapse(out->positions, part->vertex_count);
    }
}

static void evaluate(bwi_sampler *sampler, const bwi_clip_mix *mix, double time_s, const bwi_mat4 *places,
                     float *positions, float *normals, float *tangents) {
    const bwi_vertex_list *list = &sampler->list->list;
    bwi_pose_evaluate(&sampler->pose, mix, time_s);
    sampler->morphed_node = BW_NO_INDEX;
    read_caches(sampler, mix, time_s, normals != NULL || tangents != NULL);
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

bw_result bwi_sampler_status(const bwi_sampler *sampler, bw_error *error) {
    const bwi_failure *failure = &sampler->pose.failure;
    if (failure->result != BW_OK && error != NULL) {
        *error = failure->error;
    }
    return failure->result;
}

static bool shown(bwi_sampler *s, bwi_cache_slots *visibility, double time_s) {
    const float *value = bwi_cache_step(visibility, time_s, &s->pose.failure);
    return value == NULL || *value != 0.0f;
}

bool bwi_sampler_steps_between(bwi_sampler *sampler, const bwi_clip_mix *mix, double from_s, double to_s) {
    if (bwi_mix_steps_between(mix, from_s, to_s)) {
        return true;
    }
    const bool plays = bwi_mix_plays_caches(mix);
    for (size_t i = 0; plays && i < sampler->cache_count; i++) {
        const bw_primitive *primitive = sampler->caches[i].primitive;
        if (primitive->topology_changes && bwi_cache_find(primitive->position_cache, from_s).sample !=
                                               bwi_cache_find(primitive->position_cache, to_s).sample) {
            return true;
        }
    }
    for (size_t i = 0; plays && i < sampler->pose.cache_count; i++) {
        bwi_cache_slots *visibility = &sampler->pose.caches[i].visibility;
        if (visibility->cache != NULL && shown(sampler, visibility, from_s) != shown(sampler, visibility, to_s)) {
            return true;
        }
    }
    return false;
}
