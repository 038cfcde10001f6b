/* SPDX-License-Identifier: MIT
 * The pieces of rigid mode: what nodes and joints carry, and what vertices that move together make up. */
#include <string.h>

#include "vat/vat_priv.h"

enum { MOST_BONES = UINT16_MAX };

/* Part of the mesh's diagonal that a pivot may lie outside of its box. */
#define PIVOT_REACH 0.5

typedef struct box {
    double min[3], max[3];
    bool any;
} box;

typedef struct pieces_builder {
    bwi_vat_plan *plan;
    const bwi_vertex_list *list;
    const bw_scene *scene;
    bwi_arena *arena, *scratch;
    const bwi_env *env;
    bw_error *error;
    bool *fitted; /* [parts] whose pieces are found from their vertices */
    bwi_node_bones nodes;
    bwi_pieces pieces;
    uint32_t first_fitted; /* bone */
    bwi_palette *palette;
    bwi_bone *bones;
} pieces_builder;

static bw_result no_memory(const pieces_builder *b, size_t bytes) {
    return bwi_fail_memory(b->error, b->scene->path, b->env->mem, bytes);
}

static const bw_primitive *primitive_of(const pieces_builder *b, const bwi_part *part) {
    return &b->scene->meshes.data[part->mesh].primitives.data[part->primitive];
}

/* ---- which parts are carried whole ---- */

/* True where every vertex follows one joint. */
static bool follows_single_joints(const bw_primitive *primitive, const bwi_part *part) {
    const size_t width = primitive->influence_count;
    for (uint32_t i = 0; i < part->vertex_count; ++i) {
        uint32_t used = 0;
        for (size_t k = part->source_vertices[i] * width, end = k + width; k < end; ++k)
            used += primitive->weights[k] > 0.0f;
        if (used != 1)
            return false;
    }
    return true;
}

/* Out: fitted — [parts].  Returns whether any is. */
static bool choose_fitted(pieces_builder *b) {
    bool any = false;
    for (uint32_t p = 0; p < b->list->part_count; ++p) {
        const bwi_part *part = &b->list->parts[p];
        b->fitted[p] = bwi_is_deformed(b->plan, part) ||
                       (part->skin != BW_NO_INDEX && !follows_single_joints(primitive_of(b, part), part));
        any = any || b->fitted[p];
    }
    return any;
}

/* ---- the palette ---- */

/* The bones of found pieces behind those of nodes.  Out: of_piece — [pieces]. */
static bw_result list_bones(uint32_t *of_piece, pieces_builder *b) {
    uint32_t count = b->nodes.bone_count, still = BW_NO_INDEX;
    if ((uint64_t)count + b->pieces.count > MOST_BONES)
        return bwi_fail(b->error, BW_ERR_TOO_LARGE, b->scene->path, -1,
                        "the animation falls into %u pieces, more than the %u that can be numbered; use --mode=vertex",
                        count + b->pieces.count, (unsigned)MOST_BONES);
    b->bones = bwi_arena_alloc(b->arena, count + (size_t)b->pieces.count, sizeof *b->bones);
    if (!b->bones)
        return no_memory(b, (count + (size_t)b->pieces.count) * sizeof *b->bones);
    memcpy(b->bones, b->nodes.bones, count * sizeof *b->bones);
    for (uint32_t i = 0; i < count; ++i)
        still = b->bones[i].node == BW_NO_INDEX ? i : still; /* what nothing moves, which is one bone */
    if (b->pieces.still != BW_NO_INDEX && still == BW_NO_INDEX) {
        still = count;
        b->bones[count++] = (bwi_bone){.name = "static", .node = BW_NO_INDEX, .bind = bwi_mat4_identity()};
    }
    b->first_fitted = count;
    for (uint32_t i = 0; i < b->pieces.count; ++i) {
        of_piece[i] = i == b->pieces.still ? still : count;
        if (i != b->pieces.still)
            b->bones[count++] = (bwi_bone){.node = BW_NO_INDEX, .fitted = true, .bind = bwi_mat4_identity()};
    }
    b->palette->bones = b->bones;
    b->palette->bone_count = count;
    return BW_OK;
}

static uint32_t bone_of(const pieces_builder *b, uint32_t part_index, uint32_t i, const uint32_t *of_piece) {
    const bwi_part *part = &b->list->parts[part_index];
    if (b->fitted[part_index])
        return of_piece[b->pieces.of_vertex[part->first_vertex + i]];
    if (part->skin == BW_NO_INDEX)
        return b->nodes.part_bones[part_index];
    const bw_primitive *primitive = primitive_of(b, part);
    size_t k = part->source_vertices[i] * (size_t)primitive->influence_count;
    while (!(primitive->weights[k] > 0.0f))
        ++k;
    return b->nodes.bone_of_joint[part->skin][primitive->joints[k]];
}

/* Bones of vertices, members of fitted bones, and the names of these. */
static bw_result assign_vertices(pieces_builder *b, const uint32_t *of_piece) {
    bwi_palette *out = b->palette;
    const size_t v = b->list->vertex_count;
    uint16_t *indices = bwi_arena_alloc(b->arena, v, sizeof *indices);
    uint16_t *weights = bwi_arena_alloc(b->arena, v, sizeof *weights);
    uint32_t *first = bwi_arena_alloc(b->arena, out->bone_count + 1, sizeof *first);
    uint32_t *members = bwi_arena_alloc(b->arena, v, sizeof *members);
    uint32_t *filled = bwi_arena_alloc(b->scratch, out->bone_count, sizeof *filled);
    if (!indices || !weights || !first || !members || !filled)
        return no_memory(b, v * 8);
    for (uint32_t p = 0; p < b->list->part_count; ++p)
        for (uint32_t i = 0; i < b->list->parts[p].vertex_count; ++i) {
            const uint32_t bone = bone_of(b, p, i, of_piece);
            indices[b->list->parts[p].first_vertex + i] = (uint16_t)bone;
            first[bone + 1] += b->bones[bone].fitted;
        }
    for (uint32_t i = 0; i < out->bone_count; ++i)
        first[i + 1] += first[i];
    for (uint32_t p = 0, numbered = 0; p < b->list->part_count; ++p, numbered = 0)
        for (uint32_t i = 0; i < b->list->parts[p].vertex_count; ++i) {
            const uint32_t vertex = b->list->parts[p].first_vertex + i, bone = indices[vertex];
            if (b->bones[bone].fitted && filled[bone] == 0)
                b->bones[bone].name =
                    bwi_arena_printf(b->arena, "%s.%u", b->scene->nodes.data[b->list->parts[p].node].name, ++numbered);
            if (b->bones[bone].fitted && !b->bones[bone].name)
                return no_memory(b, 64);
            if (b->bones[bone].fitted)
                members[first[bone] + filled[bone]++] = vertex;
        }
    memset(weights, 0xFF, v * sizeof *weights);
    out->indices = indices;
    out->weights = weights;
    out->members = out->bone_count > b->first_fitted ? members : NULL;
    out->first_member = first;
    return BW_OK;
}

/* ---- the mesh and its pivots ---- */

void bwi_copy_vertex(const bwi_mesh_arrays *mesh, const bwi_mesh_arrays *from, size_t vertex) {
    memcpy(mesh->positions + 3 * vertex, from->positions + 3 * vertex, 3 * sizeof *mesh->positions);
    memcpy(mesh->normals + 3 * vertex, from->normals + 3 * vertex, 3 * sizeof *mesh->normals);
    if (from->tangents)
        memcpy(mesh->tangents + 4 * vertex, from->tangents + 4 * vertex, 4 * sizeof *mesh->tangents);
}

/* Fitted parts as they are at rest, by skins and morphs too. */
static bw_result place_fitted(pieces_builder *b) {
    const size_t v = b->list->vertex_count;
    const bwi_clip_mix none = {NULL, 0};
    bwi_sampler *sampler = NULL;
    float *floats = bwi_alloc(b->env->mem, v, 10 * sizeof *floats);
    bw_result result =
        floats ? bwi_sampler_create(&sampler, b->list, b->env->mem, b->error) : no_memory(b, v * 10 * sizeof *floats);
    if (result == BW_OK) {
        const bwi_mesh_arrays rest = {floats, floats + 3 * v, b->nodes.mesh.tangents ? floats + 6 * v : NULL};
        bwi_sampler_evaluate(sampler, &none, 0.0, rest.positions, rest.normals, rest.tangents);
        for (uint32_t p = 0; p < b->list->part_count; ++p)
            for (uint32_t i = 0; b->fitted[p] && i < b->list->parts[p].vertex_count; ++i)
                bwi_copy_vertex(&b->nodes.mesh, &rest, b->list->parts[p].first_vertex + i);
    }
    bwi_sampler_free(sampler);
    bwi_free(b->env->mem, floats);
    return result;
}

static void box_add(box *out, const float *p) {
    for (int k = 0; k < 3; ++k) {
        out->min[k] = out->any && out->min[k] <= (double)p[k] ? out->min[k] : (double)p[k];
        out->max[k] = out->any && out->max[k] >= (double)p[k] ? out->max[k] : (double)p[k];
    }
    out->any = true;
}

/* Between frames a node's origin goes straight, and what turns about it goes round: so that is the pivot, if it is anywhere near the mesh, for
 * a far one would cost the codes of all others.  Else it is the middle of the piece. */
static void set_pivot(bwi_bone *bone, const box *own, const box *whole) {
    double square = 0.0;
    bwi_mat4 back;
    bool near = bone->node != BW_NO_INDEX && bwi_mat4_inverse_affine(&back, &bone->bind);
    for (int k = 0; k < 3; ++k)
        square += (whole->max[k] - whole->min[k]) * (whole->max[k] - whole->min[k]);
    const double slack = PIVOT_REACH * bwi_sqrt(square);
    for (int k = 0; near && own->any && k < 3; ++k)
        near = back.m[12 + k] >= whole->min[k] - slack && back.m[12 + k] <= whole->max[k] + slack;
    for (int k = 0; k < 3; ++k)
        bone->pivot[k] = near ? back.m[12 + k] : own->any ? 0.5 * (own->min[k] + own->max[k]) : 0.0;
}

static bw_result set_pivots(pieces_builder *b) {
    box *boxes = bwi_arena_alloc(b->scratch, b->palette->bone_count, sizeof *boxes), whole = {.any = false};
    if (!boxes)
        return no_memory(b, b->palette->bone_count * sizeof *boxes);
    for (size_t v = 0; v < b->list->vertex_count; ++v) {
        box_add(&whole, b->palette->positions + 3 * v);
        box_add(&boxes[b->palette->indices[v]], b->palette->positions + 3 * v);
    }
    for (uint32_t i = 0; i < b->palette->bone_count; ++i)
        set_pivot(&b->bones[i], &boxes[i], &whole);
    return BW_OK;
}

/* ---- all ---- */

/* Frames are walked before they are laid out. */
static void number_frames(bwi_vat_plan *plan) {
    plan->frame_count = 0;
    for (uint32_t c = 0; c < plan->clip_count; ++c) {
        plan->clips[c].out.first_frame = plan->frame_count;
        plan->frame_count += plan->clips[c].out.frame_count;
    }
}

static bw_result build(pieces_builder *b, bwi_warnings *warnings) {
    b->fitted = bwi_arena_alloc(b->scratch, b->list->part_count, sizeof *b->fitted);
    if (!b->fitted)
        return no_memory(b, b->list->part_count * sizeof *b->fitted);
    const bool any = choose_fitted(b);
    b->pieces.still = BW_NO_INDEX;
    number_frames(b->plan);
    bw_result result = bwi_find_node_bones(&b->nodes, b->plan, b->fitted, b->arena, b->scratch, b->env, b->error);
    if (result == BW_OK && any)
        result = bwi_find_pieces(&b->pieces, b->plan, b->fitted, b->scratch, b->env, b->error);
    if (result == BW_OK && any)
        result = place_fitted(b);
    uint32_t *of_piece = bwi_arena_alloc(b->scratch, b->pieces.count, sizeof *of_piece);
    if (result == BW_OK)
        result = of_piece ? list_bones(of_piece, b) : no_memory(b, b->pieces.count * sizeof *of_piece);
    if (result != BW_OK)
        return result;
    b->palette->influence_count = 1;
    b->palette->positions = b->nodes.mesh.positions;
    b->palette->normals = b->nodes.mesh.normals;
    b->palette->tangents = b->nodes.mesh.tangents;
    result = assign_vertices(b, of_piece);
    b->plan->palette = b->palette;
    if (result == BW_OK && b->palette->members)
        result = bwi_check_pieces(b->plan, b->first_fitted, b->pieces.allowed, &b->nodes.mesh, b->scratch, b->env,
                                  warnings, b->error);
    if (result == BW_OK)
        result = set_pivots(b);
    return result == BW_OK ? bwi_raise_rates(b->plan, b->pieces.allowed, b->env, warnings, b->error) : result;
}

bw_result bwi_vat_palette_of_pieces(bwi_vat_plan *plan, bwi_arena *arena, const bwi_env *env, bwi_warnings *warnings,
                                    bw_error *error) {
    pieces_builder b = {.plan = plan,
                        .list = plan->list,
                        .scene = plan->list->scene,
                        .arena = arena,
                        .scratch = bwi_arena_create(env->mem),
                        .env = env,
                        .error = error,
                        .palette = bwi_arena_alloc(arena, 1, sizeof *b.palette)};
    bw_result result = b.scratch && b.palette ? build(&b, warnings) : no_memory(&b, sizeof *b.palette);
    bwi_arena_free(b.scratch);
    if (result != BW_OK)
        plan->palette = NULL;
    return result;
}
