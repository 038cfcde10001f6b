/* SPDX-License-Identifier: MIT
 * Attachments: the world transform of chosen nodes in every frame, root motion taken out, as translation, rotation and scale. */
#include <float.h>
#include <string.h>

#include "vat/vat_priv.h"

/* Cosine between two axes of a node from which on it counts as sheared: a hundredth of a degree. */
#define LEAST_SHEAR 1.7e-4

typedef struct node_frame {
    float translation[3], rotation[4], scale[3];
    bool sheared;
} node_frame;

/* Unit quaternion of three orthonormal right-handed axes. */
static bwi_quat quat_of(const bwi_vec3 axis[3]) {
    const double xx = axis[0].x, yy = axis[1].y, zz = axis[2].z;
    const double squares[4] = {1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz, 1.0 + xx + yy + zz};
    int most = 0;
    for (int k = 1; k < 4; ++k)
        most = squares[k] > squares[most] ? k : most;
    const double xy = axis[1].x + axis[0].y, xz = axis[2].x + axis[0].z, yz = axis[2].y + axis[1].z;
    const double wx = axis[1].z - axis[2].y, wy = axis[2].x - axis[0].z, wz = axis[0].y - axis[1].x;
    const bwi_quat quats[4] = {
        {squares[0], xy, xz, wx}, {xy, squares[1], yz, wy}, {xz, yz, squares[2], wz}, {wx, wy, wz, squares[3]}};
    return bwi_quat_normalize(quats[most]);
}

/* Mirrored nodes get a negative scale along x.  False where a float cannot hold it. */
static bool split(node_frame *out, const bwi_mat4 *m) {
    bwi_vec3 axis[3];
    double scale[3];
    *out = (node_frame){.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    for (int k = 0; k < 16; ++k)
        if (!(m->m[k] <= 0.5 * (double)FLT_MAX && m->m[k] >= -0.5 * (double)FLT_MAX)) /* its length must fit too */
            return false;
    for (int k = 0; k < 3; ++k) {
        axis[k] = (bwi_vec3){m->m[4 * k], m->m[4 * k + 1], m->m[4 * k + 2]};
        scale[k] = bwi_vec3_length(axis[k]);
        axis[k] = bwi_vec3_normalize(axis[k]);
    }
    for (int k = 0; k < 3; ++k) {
        const double cosine = bwi_vec3_dot(axis[k], axis[(k + 1) % 3]);
        out->sheared = out->sheared || cosine > LEAST_SHEAR || cosine < -LEAST_SHEAR;
    }
    if (bwi_mat4_det3(m) < 0.0) {
        scale[0] = -scale[0];
        axis[0] = bwi_vec3_scale(axis[0], -1.0);
    }
    if (scale[0] == 0.0)
        axis[0] = bwi_vec3_normalize(bwi_vec3_cross(axis[1], axis[2]));
    if (scale[1] == 0.0)
        axis[1] = bwi_vec3_normalize(bwi_vec3_cross(axis[2], axis[0]));
    axis[1] = bwi_vec3_normalize(bwi_vec3_sub(axis[1], bwi_vec3_scale(axis[0], bwi_vec3_dot(axis[0], axis[1]))));
    axis[2] = bwi_vec3_cross(axis[0], axis[1]);
    if (bwi_vec3_length(axis[2]) > 0.5) { /* else flattened to a line, which tells no rotation */
        const bwi_quat q = quat_of(axis);
        const double values[4] = {q.x, q.y, q.z, q.w};
        for (int k = 0; k < 4; ++k)
            out->rotation[k] = (float)values[k];
    }
    for (int k = 0; k < 3; ++k) {
        out->translation[k] = (float)m->m[12 + k];
        out->scale[k] = (float)scale[k];
    }
    return true;
}

/* q and −q are one rotation: the one nearer to the frame before is kept, so that neighbours mix. */
static void keep_side(float *rotation, const float *before) {
    float dot = 0.0f;
    for (int k = 0; k < 4; ++k)
        dot += rotation[k] * before[k];
    for (int k = 0; k < 4 && dot < 0.0f; ++k)
        rotation[k] = -rotation[k];
}

static float largest_of(const float *values, size_t count) {
    float most = 0.0f;
    for (size_t k = 0; k < count; ++k) {
        const float size = values[k] < 0.0f ? -values[k] : values[k];
        most = size > most ? size : most;
    }
    return most;
}

/* One entry for all frames, where they differ by no more than the root's move is rounded by.  In: reach — size of what was rounded. */
static void shorten(bwi_track *track, size_t components, float reach) {
    const float rounding = reach * 0x1p-21f;
    for (size_t k = components; k < track->count * components; ++k) {
        const float off = track->data[k] - track->data[k % components];
        if (!(off <= rounding && off >= -rounding))
            return;
    }
    track->count = 1;
}

static bw_result track_clip(const bwi_vat_plan *plan, bwi_vat_clip *clip, bwi_sampler *sampler, bool *sheared,
                            bwi_arena *arena, const bwi_env *env, bw_error *error) {
    const bw_scene *scene = plan->list->scene;
    const bwi_space_map *map = bwi_vat_space(&plan->settings);
    const size_t n = clip->out.frame_count, count = plan->attachment_count;
    bwi_attachment *list = bwi_arena_alloc(arena, count, sizeof *list);
    float *floats = bwi_arena_alloc(arena, n * count, 10 * sizeof *floats);
    if (!list || !floats)
        return bwi_fail_memory(error, NULL, env->mem, n * count * 10 * sizeof *floats);
    for (size_t f = 0; f < n; ++f) {
        const bwi_ground_move move = bwi_vat_move(clip, (uint32_t)f);
        bwi_sampler_pose(sampler, &clip->mix, bwi_manifest_clip_time(plan->settings.layout, &clip->out, (uint32_t)f));
        bw_result result = bwi_sampler_status(sampler, error);
        if (result != BW_OK)
            return result;
        for (size_t k = 0; k < count; ++k) {
            const uint32_t node = plan->attachments[k];
            bwi_mat4 gltf;
            memcpy(gltf.m, bwi_sampler_world_matrices(sampler) + 16 * (size_t)node, sizeof gltf.m);
            bwi_mat4 world = bwi_space_map_matrix(&gltf, map);
            world = bwi_undo_move(&world, &move, bwi_space_map_up(map));
            node_frame frame;
            if (!split(&frame, &world))
                return bwi_fail(error, BW_ERR_MALFORMED, scene->path, -1,
                                "clip '%s' moves node '%s' beyond what a float can hold; check its keys",
                                clip->out.name, scene->nodes.data[node].name);
            sheared[k] = sheared[k] || frame.sheared;
            float *translation = floats + 10 * n * k + 3 * f, *rotation = floats + 10 * n * k + 3 * n + 4 * f;
            memcpy(translation, frame.translation, sizeof frame.translation);
            memcpy(rotation, frame.rotation, sizeof frame.rotation);
            memcpy(floats + 10 * n * k + 7 * n + 3 * f, frame.scale, sizeof frame.scale);
            if (f)
                keep_side(rotation, rotation - 4);
        }
        if (bwi_progress_cancelled(env->progress))
            return bwi_fail_cancelled(error);
    }
    for (size_t k = 0; k < count; ++k) {
        const float *of_node = floats + 10 * n * k;
        list[k] = (bwi_attachment){scene->nodes.data[plan->attachments[k]].name,
                                   {of_node, (uint32_t)n},
                                   {of_node + 3 * n, (uint32_t)n},
                                   {of_node + 7 * n, (uint32_t)n}};
        const float travel = clip->out.root.node ? largest_of(clip->out.root.translation, 3 * n) : 0.0f;
        const float place = largest_of(of_node, 3 * n);
        shorten(&list[k].translation, 3, travel > place ? travel : place);
        shorten(&list[k].rotation, 4, 1.0f);
        shorten(&list[k].scale, 3, largest_of(of_node + 7 * n, 3 * n));
    }
    clip->out.attachments.data = list;
    clip->out.attachments.count = count;
    return BW_OK;
}

bw_result bwi_vat_track_attachments(bwi_vat_plan *plan, bwi_arena *arena, const bwi_env *env, bwi_warnings *warnings,
                                    bw_error *error) {
    if (plan->attachment_count == 0)
        return BW_OK;
    bwi_sampler *sampler = NULL;
    bool *sheared = bwi_arena_alloc(arena, plan->attachment_count, sizeof *sheared);
    bw_result result = sheared ? bwi_sampler_create(&sampler, plan->list, env->mem, error)
                               : bwi_fail_memory(error, NULL, env->mem, plan->attachment_count);
    for (uint32_t c = 0; result == BW_OK && c < plan->clip_count; ++c)
        result = track_clip(plan, &plan->clips[c], sampler, sheared, arena, env, error);
    for (uint32_t k = 0; result == BW_OK && k < plan->attachment_count; ++k)
        if (sheared[k])
            bwi_warn(warnings, "attachment-sheared", 1,
                     "attachments are sheared, which translation, rotation and scale cannot tell: the nearest is kept",
                     "node '%s'", plan->list->scene->nodes.data[plan->attachments[k]].name);
    bwi_sampler_free(sampler);
    return result;
}
