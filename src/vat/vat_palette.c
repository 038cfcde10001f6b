/* SPDX-License-Identifier: MIT
 * The bones of bone mode: joints of skins, nodes that carry other parts, nodes of attachments; the mesh in the pose they start from. */
#include <math.h>
#include <string.h>

#include "vat/vat_priv.h"

/* Part of their size by which two binds may differ and be one bone; what that moves vertices by is a tenth of what codes of 16 bits do. */
#define SAME_BONE 1e-6

/* The same for two skins to be bound in one pose, which costs nothing. */
#define SAME_POSE 1e-5

/* Determinant of unit columns below which a matrix counts as flat. */
#define LEAST_DETERMINANT 1e-6

enum { MOST_BONES = 65535 };

/* Part of the rest pose's diagonal that a pivot may lie outside of the mesh's box: a farther one would cost the codes of all others. */
#define PIVOT_REACH 0.5

typedef struct skin_bones {
    bool used;
    bwi_mat4 place;  /* A: from the mesh's own vertices to where they are written */
    uint32_t *bones; /* [joints]; BW_NO_INDEX: no vertex follows it */
} skin_bones;

typedef struct palette_builder {
    const bwi_vat_plan *plan;
    const bool *left_out; /* [parts] whose bones are found otherwise; NULL: none */
    const bwi_vertex_list *list;
    const bw_scene *scene;
    bwi_arena *arena, *scratch;
    const bwi_env *env;
    bwi_warnings *warnings;
    bw_error *error;
    bwi_mat4 *worlds;        /* [nodes] at rest */
    double reach;            /* largest coordinate at rest, metres */
    skin_bones *skins;       /* [skins] */
    uint32_t *part_bones;    /* [parts] that no skin moves */
    bwi_mat4 *part_places;   /* [parts] */
    bwi_bone *bones;         /* [bone_capacity] */
    uint32_t *next_of_node;  /* [bone_capacity]: the next bone of the same node */
    uint32_t *first_of_node; /* [nodes + 1], the last of what nothing moves */
    uint32_t bone_count, bone_capacity;
} palette_builder;

static bw_result no_memory(const palette_builder *b, size_t bytes) {
    return bwi_fail_memory(b->error, b->scene->path, b->env->mem, bytes);
}

static bool is_left_out(const palette_builder *b, uint32_t part) {
    return b->left_out && b->left_out[part];
}

static const bw_primitive *primitive_of(const palette_builder *b, const bwi_part *part) {
    return &b->scene->meshes.data[part->mesh].primitives.data[part->primitive];
}

/* ---- transforms ---- */

static double largest_of(const double *m, int count) {
    double most = 0.0;
    for (int k = 0; k < count; ++k)
        most = fabs(m[k]) > most ? fabs(m[k]) : most;
    return most;
}

/* False where the matrix is flat or not finite. */
static bool invert(bwi_mat4 *out, const bwi_mat4 *m) {
    double lengths = 1.0;
    for (int c = 0; c < 3; ++c)
        lengths *= bwi_vec3_length((bwi_vec3){m->m[4 * c], m->m[4 * c + 1], m->m[4 * c + 2]});
    return fabs(bwi_mat4_det3(m)) > LEAST_DETERMINANT * lengths && bwi_mat4_inverse_affine(out, m);
}

/* In: reach — of the points that they transform. */
static bool nearly_equal(const bwi_mat4 *a, const bwi_mat4 *b, double part, double reach) {
    const double turn = part * largest_of(a->m, 11), travel = turn * reach;
    for (int k = 0; k < 16; ++k)
        if (!(fabs(a->m[k] - b->m[k]) <= (k < 12 ? turn : travel)))
            return false;
    return true;
}

/* ---- bones ---- */

/* The bone of this node and bind, a new one where there is none.  BW_NO_INDEX: memory, or more than there may be (the count tells). */
static uint32_t find_or_add(palette_builder *b, uint32_t node, const bwi_mat4 *bind, const char *name) {
    uint32_t *first = &b->first_of_node[node == BW_NO_INDEX ? b->scene->nodes.count : node];
    for (uint32_t at = *first; at != BW_NO_INDEX; at = b->next_of_node[at])
        if (nearly_equal(&b->bones[at].bind, bind, SAME_BONE, b->reach))
            return at;
    if (b->bone_count == b->bone_capacity) {
        ++b->bone_count;
        return BW_NO_INDEX;
    }
    b->bones[b->bone_count] = (bwi_bone){.name = name, .node = node, .bind = *bind};
    b->next_of_node[b->bone_count] = *first;
    *first = b->bone_count;
    return b->bone_count++;
}

static bw_result check_count(const palette_builder *b) {
    if (b->bone_count <= b->bone_capacity)
        return BW_OK;
    return bwi_fail(b->error, BW_ERR_TOO_LARGE, b->scene->path, -1,
                    "the skins have more than %u joints that move vertices, which is all that 16 bits can number; "
                    "leave nodes out with --exclude, or use --mode=vertex",
                    b->bone_capacity);
}

/* Marks the joints that move a vertex: their entry is no longer BW_NO_INDEX. */
static void mark_joints(palette_builder *b) {
    for (uint32_t p = 0; p < b->list->part_count; ++p) {
        const bwi_part *part = &b->list->parts[p];
        if (part->skin == BW_NO_INDEX || is_left_out(b, p))
            continue;
        const bw_primitive *primitive = primitive_of(b, part);
        const size_t width = primitive->influence_count;
        for (uint32_t i = 0; i < part->vertex_count; ++i)
            for (size_t k = part->source_vertices[i] * width, end = k + width; k < end; ++k)
                if (primitive->weights[k] > 0.0f)
                    b->skins[part->skin].bones[primitive->joints[k]] = 0;
        b->skins[part->skin].used = true;
    }
}

static bwi_mat4 inverse_bind(const bw_skin *skin, size_t joint) {
    return bwi_mat4_from_floats(skin->inverse_bind + 16 * joint);
}

/* Where the mesh of a skin is written: as its first joint stands at rest; with an earlier skin that shares a joint, since then both were bound
 * in one pose and their other joints can be one as well.  In: skin_of_node — the first skin that uses a node as a joint, and the joint. */
static void place_skin(palette_builder *b, uint32_t s, uint32_t (*skin_of_node)[2]) {
    const bw_skin *skin = &b->scene->skins.data[s];
    skin_bones *out = &b->skins[s];
    size_t first = SIZE_MAX;
    for (size_t j = 0; j < skin->joints.count; ++j) {
        const uint32_t *earlier = skin_of_node[skin->joints.data[j]];
        if (out->bones[j] == BW_NO_INDEX)
            continue;
        first = first == SIZE_MAX ? j : first;
        if (earlier[0] == BW_NO_INDEX)
            continue;
        const bwi_mat4 mine = inverse_bind(skin, j),
                       other = inverse_bind(&b->scene->skins.data[earlier[0]], earlier[1]);
        if (nearly_equal(&mine, &other, SAME_POSE, largest_of(mine.m + 12, 3) / largest_of(mine.m, 11))) {
            out->place = b->skins[earlier[0]].place;
            return;
        }
    }
    bwi_mat4 unused, bind = inverse_bind(skin, first == SIZE_MAX ? 0 : first);
    out->place = bwi_mat4_mul(&b->worlds[skin->joints.data[first == SIZE_MAX ? 0 : first]], &bind);
    if (!invert(&unused, &out->place))
        out->place = bwi_mat4_identity();
}

static bw_result add_joints(palette_builder *b) {
    uint32_t(*skin_of_node)[2] = bwi_arena_alloc(b->scratch, b->scene->nodes.count, sizeof *skin_of_node);
    if (!skin_of_node)
        return no_memory(b, b->scene->nodes.count * sizeof *skin_of_node);
    for (size_t n = 0; n < b->scene->nodes.count; ++n)
        skin_of_node[n][0] = BW_NO_INDEX;
    for (uint32_t s = 0; s < b->scene->skins.count; ++s) {
        const bw_skin *skin = &b->scene->skins.data[s];
        skin_bones *of = &b->skins[s];
        if (!of->used)
            continue;
        place_skin(b, s, skin_of_node);
        bwi_mat4 back;
        bwi_mat4_inverse_affine(&back, &of->place);
        for (size_t j = 0; j < skin->joints.count; ++j) {
            const uint32_t node = skin->joints.data[j];
            if (of->bones[j] == BW_NO_INDEX)
                continue;
            const bwi_mat4 own = inverse_bind(skin, j), bind = bwi_mat4_mul(&own, &back);
            of->bones[j] = find_or_add(b, node, &bind, b->scene->nodes.data[node].name);
            if (skin_of_node[node][0] == BW_NO_INDEX) {
                skin_of_node[node][0] = s;
                skin_of_node[node][1] = (uint32_t)j;
            }
        }
        if (bwi_progress_cancelled(b->env->progress))
            return bwi_fail_cancelled(b->error);
    }
    return check_count(b);
}

static bw_result add_carriers(palette_builder *b) {
    const size_t nodes = b->scene->nodes.count;
    bool *moved = bwi_arena_alloc(b->scratch, nodes, sizeof *moved);
    bwi_mat4 *references = bwi_arena_alloc(b->scratch, nodes, sizeof *references);
    if (!moved || !references)
        return no_memory(b, nodes * sizeof *references);
    bwi_moved_nodes(moved, b->plan);
    bw_result result = bwi_carrier_references(references, b->plan, moved, b->env, b->error);
    for (uint32_t p = 0; result == BW_OK && p < b->list->part_count; ++p) {
        const bwi_part *part = &b->list->parts[p];
        if (is_left_out(b, p)) {
            b->part_places[p] = bwi_part_rest_matrix(b->list, part, BW_NO_INDEX);
            continue;
        }
        if (part->skin != BW_NO_INDEX) {
            b->part_places[p] = b->skins[part->skin].place;
            continue;
        }
        const uint32_t carrier = bwi_carrier(moved, b->scene, part->node);
        const bwi_mat4 below = bwi_part_rest_matrix(b->list, part, carrier);
        bwi_mat4 bind = bwi_mat4_identity(), reference = bind;
        if (carrier != BW_NO_INDEX)
            bwi_mat4_inverse_affine(&bind, &references[carrier]);
        b->part_bones[p] =
            find_or_add(b, carrier, &bind, carrier == BW_NO_INDEX ? "static" : b->scene->nodes.data[carrier].name);
        result = check_count(b);
        if (result == BW_OK &&
            carrier != BW_NO_INDEX) /* the bone's own bind, which may be that of a joint: then nothing is lost */
            bwi_mat4_inverse_affine(&reference, &b->bones[b->part_bones[p]].bind);
        b->part_places[p] = bwi_mat4_mul(&reference, &below);
    }
    return result;
}

/* Nodes of attachments that are no bones yet. */
static bw_result add_attachments(palette_builder *b) {
    for (uint32_t k = 0; k < b->plan->attachment_count; ++k) {
        const uint32_t node = b->plan->attachments[k];
        bwi_mat4 bind;
        if (b->first_of_node[node] != BW_NO_INDEX)
            continue;
        if (!invert(&bind, &b->worlds[node]))
            bind = bwi_mat4_identity();
        find_or_add(b, node, &bind, b->scene->nodes.data[node].name);
    }
    return check_count(b);
}

/* ---- the mesh ---- */

static bw_result place_mesh(bwi_node_bones *out, palette_builder *b, bwi_sampler *sampler) {
    const size_t v = b->list->vertex_count;
    float *positions = bwi_arena_alloc(b->arena, v, 3 * sizeof(float));
    float *normals = bwi_arena_alloc(b->arena, v, 3 * sizeof(float));
    float *tangents = b->list->has_tangents ? bwi_arena_alloc(b->arena, v, 4 * sizeof(float)) : NULL;
    if (!positions || !normals || (b->list->has_tangents && !tangents))
        return no_memory(b, v * 10 * sizeof(float));
    bwi_sampler_place(sampler, b->part_places, positions, normals, tangents);
    if (!bwi_all_finite(positions, 3 * v))
        return bwi_fail(b->error, BW_ERR_MALFORMED, b->scene->path, -1,
                        "a skin's inverse bind matrices put vertices beyond what a float can hold; check them");
    out->mesh = (bwi_mesh_arrays){positions, normals, tangents};
    return BW_OK;
}

static void freeze_morphs(bwi_palette *out, palette_builder *b) {
    for (uint32_t p = 0; p < b->list->part_count; ++p)
        if (bwi_is_deformed(b->plan, &b->list->parts[p])) {
            out->morphs_frozen = true;
            bwi_warn(b->warnings, "morphs-frozen", 1,
                     "morph targets that clips move stand still, since bones cannot show them; --mode=vertex can",
                     "node '%s'", b->scene->nodes.data[b->list->parts[p].node].name);
        }
}

/* ---- pivots ---- */

typedef struct box {
    double min[3], max[3];
    bool any;
} box;

static void box_add(box *out, const float *p) {
    for (int k = 0; k < 3; ++k) {
        out->min[k] = out->any && out->min[k] <= (double)p[k] ? out->min[k] : (double)p[k];
        out->max[k] = out->any && out->max[k] >= (double)p[k] ? out->max[k] : (double)p[k];
    }
    out->any = true;
}

static bool is_attachment(const bwi_vat_plan *plan, uint32_t node) {
    for (uint32_t k = 0; k < plan->attachment_count; ++k)
        if (plan->attachments[k] == node)
            return true;
    return false;
}

/* The origin of its node, as near as the mesh's surroundings reach; the middle of its vertices where the bind tells no origin. */
static void set_pivots(bwi_bone *bones, const bwi_palette *palette, const palette_builder *b, const box *boxes,
                       const box *whole) {
    double diagonal = 0.0;
    for (int k = 0; k < 3; ++k)
        diagonal += (whole->max[k] - whole->min[k]) * (whole->max[k] - whole->min[k]);
    const double slack = PIVOT_REACH * bwi_sqrt(diagonal);
    for (uint32_t i = 0; i < palette->bone_count; ++i) {
        const box *own = &boxes[i];
        bwi_mat4 back;
        const bool inverted = bones[i].node != BW_NO_INDEX && invert(&back, &bones[i].bind);
        if (!inverted && bones[i].node != BW_NO_INDEX)
            bwi_warn(
                b->warnings, "bind-not-invertible", 1,
                "inverse bind matrices cannot be inverted, so those joints turn about the middle of their vertices",
                "node '%s'", bones[i].name);
        for (int k = 0; k < 3; ++k) {
            double pivot = inverted ? back.m[12 + k] : own->any ? 0.5 * (own->min[k] + own->max[k]) : 0.0;
            if (!is_attachment(b->plan, bones[i].node)) {
                const double low = whole->min[k] - slack, high = whole->max[k] + slack;
                pivot = pivot < low ? low : pivot > high ? high : pivot;
            }
            bones[i].pivot[k] = pivot;
        }
    }
}

static bw_result add_pivots(bwi_palette *palette, palette_builder *b) {
    box *boxes = bwi_arena_alloc(b->scratch, palette->bone_count, sizeof *boxes), whole = {.any = false};
    if (!boxes)
        return no_memory(b, palette->bone_count * sizeof *boxes);
    for (size_t v = 0; v < b->list->vertex_count; ++v) {
        box_add(&whole, palette->positions + 3 * v);
        for (size_t i = v * palette->influence_count, end = i + palette->influence_count; i < end; ++i)
            if (palette->weights[i])
                box_add(&boxes[palette->indices[i]], palette->positions + 3 * v);
    }
    set_pivots(b->bones, palette, b, boxes, &whole);
    return BW_OK;
}

/* ---- all ---- */

static bw_result prepare(palette_builder *b, bwi_sampler *sampler) {
    const size_t nodes = b->scene->nodes.count, v = b->list->vertex_count;
    size_t most = (size_t)b->list->part_count + b->plan->attachment_count;
    for (size_t s = 0; s < b->scene->skins.count; ++s)
        most += b->scene->skins.data[s].joints.count;
    b->bone_capacity = most < MOST_BONES ? (uint32_t)most : MOST_BONES;
    b->worlds = bwi_arena_alloc(b->scratch, nodes, sizeof *b->worlds);
    b->skins = bwi_arena_alloc(b->scratch, b->scene->skins.count, sizeof *b->skins);
    b->part_bones = bwi_arena_alloc(b->scratch, b->list->part_count, sizeof *b->part_bones);
    b->part_places = bwi_arena_alloc(b->scratch, b->list->part_count, sizeof *b->part_places);
    b->next_of_node = bwi_arena_alloc(b->scratch, b->bone_capacity, sizeof *b->next_of_node);
    b->first_of_node = bwi_arena_alloc(b->scratch, nodes + 1, sizeof *b->first_of_node);
    b->bones = bwi_arena_alloc(b->scratch, b->bone_capacity, sizeof *b->bones);
    float *rest = bwi_alloc(b->env->mem, v, 3 * sizeof *rest);
    bool fits = b->worlds && b->skins && b->part_bones && b->part_places && b->next_of_node && b->first_of_node &&
                b->bones && rest;
    for (size_t s = 0; fits && s < b->scene->skins.count; ++s) {
        const size_t joints = b->scene->skins.data[s].joints.count;
        fits = (b->skins[s].bones = bwi_arena_alloc(b->scratch, joints, sizeof(uint32_t))) != NULL;
        for (size_t j = 0; fits && j < joints; ++j)
            b->skins[s].bones[j] = BW_NO_INDEX;
    }
    for (size_t n = 0; fits && n <= nodes; ++n)
        b->first_of_node[n] = BW_NO_INDEX;
    if (fits) {
        const bwi_clip_mix none = {NULL, 0};
        bwi_sampler_evaluate(sampler, &none, 0.0, rest, NULL, NULL);
        memcpy(b->worlds, bwi_sampler_world_matrices(sampler), nodes * sizeof *b->worlds);
        for (size_t i = 0; i < 3 * v; ++i)
            b->reach = rest[i] - rest[i] == 0.0f && fabs((double)rest[i]) > b->reach ? fabs((double)rest[i]) : b->reach;
    }
    bwi_free(b->env->mem, rest);
    return fits ? BW_OK : no_memory(b, b->bone_capacity * sizeof *b->bones);
}

/* Every bone and what follows it, but pivots and weights. */
static bw_result find_bones(bwi_node_bones *out, palette_builder *b) {
    bwi_sampler *sampler = NULL;
    bw_result result = bwi_sampler_create(&sampler, b->list, b->env->mem, b->error);
    if (result == BW_OK)
        result = prepare(b, sampler);
    if (result == BW_OK) {
        mark_joints(b);
        result = add_joints(b);
    }
    if (result == BW_OK)
        result = add_carriers(b);
    if (result == BW_OK)
        result = add_attachments(b);
    if (result == BW_OK)
        result = place_mesh(out, b, sampler);
    bwi_sampler_free(sampler);
    const uint32_t **bone_of_joint = bwi_arena_alloc(b->scratch, b->scene->skins.count, sizeof *bone_of_joint);
    if (result != BW_OK || !bone_of_joint)
        return result == BW_OK ? no_memory(b, b->scene->skins.count * sizeof *bone_of_joint) : result;
    for (size_t s = 0; s < b->scene->skins.count; ++s)
        bone_of_joint[s] = b->skins[s].bones;
    out->bones = b->bones;
    out->bone_count = b->bone_count;
    out->bone_of_joint = bone_of_joint;
    out->part_bones = b->part_bones;
    return BW_OK;
}

bw_result bwi_find_node_bones(bwi_node_bones *out, const bwi_vat_plan *plan, const bool *left_out, bwi_arena *arena,
                              bwi_arena *scratch, const bwi_env *env, bw_error *error) {
    palette_builder b = {.plan = plan,
                         .left_out = left_out,
                         .list = plan->list,
                         .scene = plan->list->scene,
                         .arena = arena,
                         .scratch = scratch,
                         .env = env,
                         .error = error};
    return find_bones(out, &b);
}

static bw_result build(bwi_palette *out, palette_builder *b) {
    bwi_node_bones found = {0};
    bw_result result = find_bones(&found, b);
    if (result != BW_OK)
        return result;
    bwi_bone *bones = bwi_arena_alloc(b->arena, b->bone_count, sizeof *bones);
    if (!bones)
        return no_memory(b, b->bone_count * sizeof *bones);
    out->bone_count = b->bone_count;
    out->influence_count = b->plan->settings.influence_count;
    out->positions = found.mesh.positions;
    out->normals = found.mesh.normals;
    out->tangents = found.mesh.tangents;
    freeze_morphs(out, b);
    result = bwi_weigh_vertices(out, b->plan, found.bone_of_joint, b->part_bones, b->arena, b->env, b->error);
    if (result == BW_OK)
        result = add_pivots(out, b);
    memcpy(bones, b->bones, b->bone_count * sizeof *bones);
    out->bones = bones;
    return result;
}

static bool any_skinned(const bwi_vertex_list *list) {
    for (uint32_t p = 0; p < list->part_count; ++p)
        if (list->parts[p].skin != BW_NO_INDEX)
            return true;
    return false;
}

bw_result bwi_vat_palette_of_skins(bwi_vat_plan *plan, bwi_arena *arena, const bwi_env *env, bwi_warnings *warnings,
                                   bw_error *error) {
    const bwi_vertex_list *list = plan->list;
    if (!any_skinned(list))
        return bwi_fail(error, BW_ERR_UNSUPPORTED, list->scene->path, -1,
                        "--mode=bone needs a skin, and no mesh that is baked has one; use --mode=rigid where nodes "
                        "move the meshes, else --mode=vertex");
    palette_builder b = {.plan = plan,
                         .list = list,
                         .scene = list->scene,
                         .arena = arena,
                         .scratch = bwi_arena_create(env->mem),
                         .env = env,
                         .warnings = warnings,
                         .error = error};
    bwi_palette *out = bwi_arena_alloc(arena, 1, sizeof *out);
    bw_result result = out && b.scratch ? build(out, &b) : no_memory(&b, sizeof *out);
    bwi_arena_free(b.scratch);
    if (result == BW_OK)
        plan->palette = out;
    return result;
}
