/* SPDX-License-Identifier: MIT
 * Root motion: which node is the root, and how it travels and turns in each clip.  Source: docs/FORMATS.md. */
#include <float.h>
#include <string.h>

#include "vat/vat.h"

/* Below this part of a quaternion there is no turn about up to be told: the swing is half a turn. */
#define LEAST_TWIST 1e-9

/* ---- which node ---- */

/* True if some key of the channel differs from the first. */
static bool changes(const bw_channel *channel) {
    const bool cubic = channel->interpolation == BW_INTERPOLATION_CUBICSPLINE;
    const size_t n = channel->component_count, stride = cubic ? 3 * n : n;
    const float *first = channel->values + (cubic ? n : 0);
    for (size_t key = 1; key < channel->key_count; ++key)
        for (size_t k = 0; k < n; ++k)
            if (first[key * stride + k] != first[k])
                return true;
    return false;
}

/* Out: animated — [nodes] moved by a baked clip. */
static void find_animated(bool *animated, const bwi_vat_plan *plan) {
    for (uint32_t c = 0; c < plan->clip_count; ++c) {
        const bwi_clip_mix *mix = &plan->clips[c].mix;
        for (size_t i = 0; i < mix->count; ++i) {
            for (size_t n = 0; mix->clips[i]->plays_caches && n < plan->list->scene->nodes.count; ++n) {
                const bw_cache *matrices = plan->list->scene->nodes.data[n].matrix_cache;
                animated[n] = animated[n] || (matrices && matrices->sample_count > 1);
            }
            for (size_t k = 0; k < mix->clips[i]->channels.count; ++k) {
                const bw_channel *channel = &mix->clips[i]->channels.data[k];
                if ((channel->path == BW_CHANNEL_TRANSLATION || channel->path == BW_CHANNEL_ROTATION) &&
                    changes(channel))
                    animated[channel->node] = true;
            }
        }
    }
}

static uint32_t depth_of(const bw_scene *scene, uint32_t node) {
    uint32_t depth = 0;
    for (uint32_t at = scene->nodes.data[node].parent; at != BW_NO_INDEX; at = scene->nodes.data[at].parent)
        ++depth;
    return depth;
}

static bool is_above(const bw_scene *scene, uint32_t node, uint32_t below) {
    while (below != node && below != BW_NO_INDEX)
        below = scene->nodes.data[below].parent;
    return below == node;
}

/* The animated joint of a skin that lies highest, the first of several. */
static uint32_t topmost_joint(const bw_scene *scene, const bw_skin *skin, const bool *animated) {
    uint32_t best = BW_NO_INDEX, best_depth = 0;
    for (size_t k = 0; k < skin->joints.count; ++k) {
        const uint32_t joint = skin->joints.data[k];
        const uint32_t depth = animated[joint] ? depth_of(scene, joint) : 0;
        if (animated[joint] && (best == BW_NO_INDEX || depth < best_depth)) {
            best = joint;
            best_depth = depth;
        }
    }
    return best;
}

static bool carries_part(const bw_scene *scene, uint32_t node, const bwi_part *part) {
    if (part->skin == BW_NO_INDEX)
        return is_above(scene, node, part->node);
    const bw_index_list joints = scene->skins.data[part->skin].joints;
    for (size_t k = 0; k < joints.count; ++k)
        if (!is_above(scene, node, joints.data[k]))
            return false;
    return true;
}

static uint32_t topmost_carrier(const bwi_vertex_list *list, const bool *animated) {
    const bw_scene *scene = list->scene;
    for (size_t i = 0; i < scene->node_order.count; ++i) {
        const uint32_t node = scene->node_order.data[i];
        bool carries = animated[node];
        for (uint32_t p = 0; carries && p < list->part_count; ++p)
            carries = carries_part(scene, node, &list->parts[p]);
        if (carries)
            return node;
    }
    return BW_NO_INDEX;
}

static const char *list_animated(bwi_arena *arena, const bw_scene *scene, const bool *animated) {
    enum { LISTED = 8 };
    const char *text = "";
    size_t count = 0;
    for (size_t i = 0; i < scene->node_order.count && text; ++i) {
        const uint32_t node = scene->node_order.data[i];
        if (!animated[node])
            continue;
        if (++count <= LISTED)
            text = bwi_arena_printf(arena, "%s%s%s", text, count > 1 ? ", " : "", scene->nodes.data[node].name);
    }
    if (text && count > LISTED)
        text = bwi_arena_printf(arena, "%s and %zu more", text, count - LISTED);
    return !text ? "" : *text ? text : "none";
}

bw_result bwi_vat_find_root(uint32_t *root, const bwi_vat_plan *plan, bwi_arena *arena, bw_error *error) {
    const bw_scene *scene = plan->list->scene;
    bool *animated = bwi_arena_alloc(arena, scene->nodes.count, sizeof *animated);
    if (!animated)
        return bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), scene->nodes.count);
    find_animated(animated, plan);
    uint32_t found = BW_NO_INDEX;
    for (uint32_t p = 0; p < plan->list->part_count; ++p) {
        const uint32_t skin = plan->list->parts[p].skin;
        const uint32_t joint =
            skin == BW_NO_INDEX ? BW_NO_INDEX : topmost_joint(scene, &scene->skins.data[skin], animated);
        if (joint == BW_NO_INDEX || (found != BW_NO_INDEX && is_above(scene, found, joint)))
            continue;
        if (found != BW_NO_INDEX && !is_above(scene, joint, found))
            return bwi_fail(error, BW_ERR_USAGE, scene->path, -1,
                            "--root-motion=extract finds two roots, '%s' and '%s', of which none carries the other; "
                            "name the one with --root, or bake the figures one at a time with --include",
                            scene->nodes.data[found].name, scene->nodes.data[joint].name);
        found = joint;
    }
    if (found == BW_NO_INDEX)
        found = topmost_carrier(plan->list, animated);
    if (found == BW_NO_INDEX)
        return bwi_fail(error, BW_ERR_USAGE, scene->path, -1,
                        "--root-motion=extract finds no animated node that carries every baked mesh; animated are: %s; "
                        "name one with --root, or leave the option out",
                        list_animated(arena, scene, animated));
    *root = found;
    return BW_OK;
}

/* ---- its motion ---- */

/* Where the root is and how far it has turned about glTF's up since the first frame. */
typedef struct root_pose {
    double x, z, yaw_rad;
} root_pose;

typedef struct axes {
    bwi_vec3 c[3]; /* orthonormal, of the matrix's own hand */
} axes;

static axes axes_of(const double *m) {
    axes out;
    for (int k = 0; k < 3; ++k) {
        bwi_vec3 c = {m[4 * k], m[4 * k + 1], m[4 * k + 2]};
        c = bwi_vec3_normalize(c);
        for (int i = 0; i < k; ++i)
            c = bwi_vec3_sub(c, bwi_vec3_scale(out.c[i], bwi_vec3_dot(out.c[i], c)));
        out.c[k] = bwi_vec3_normalize(c);
    }
    return out;
}

/* The turn about up in the rotation from one set of axes to the other: the twist of swing and twist.  False where it has none. */
static bool twist_about_up(double *yaw_rad, const axes *from, const axes *to) {
    double d[3][3] = {{0}}; /* rows of to · fromᵀ */
    for (int k = 0; k < 3; ++k) {
        const double t[3] = {to->c[k].x, to->c[k].y, to->c[k].z}, f[3] = {from->c[k].x, from->c[k].y, from->c[k].z};
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                d[row][column] += t[row] * f[column];
    }
    /* Of the quaternion only y and w are wanted, up to a common factor; of the four ways to get at them the one that divides by most. */
    const double squares[4] = {1.0 + d[0][0] + d[1][1] + d[2][2], 1.0 + d[0][0] - d[1][1] - d[2][2],
                               1.0 - d[0][0] + d[1][1] - d[2][2], 1.0 - d[0][0] - d[1][1] + d[2][2]};
    const double y_of[4] = {d[0][2] - d[2][0], d[0][1] + d[1][0], squares[2], d[1][2] + d[2][1]};
    const double w_of[4] = {squares[0], d[2][1] - d[1][2], d[0][2] - d[2][0], d[1][0] - d[0][1]};
    int most = 0;
    for (int k = 1; k < 4; ++k)
        most = squares[k] > squares[most] ? k : most;
    const double y = y_of[most] / squares[most], w = w_of[most] / squares[most];
    if (!(y * y + w * w > LEAST_TWIST * LEAST_TWIST))
        return false;
    *yaw_rad = 2.0 * bwi_atan2(y, w);
    return true;
}

/* The value that is the same angle and lies nearest to `before`. */
static double unwrap(double angle, double before) {
    const double turns = (angle - before) / (2.0 * BWI_PI);
    const double whole = (double)(int64_t)(turns + (turns < 0.0 ? -0.5 : 0.5));
    return angle - whole * 2.0 * BWI_PI;
}

static bw_result pose_root(root_pose *pose, const bwi_vat_plan *plan, bwi_sampler *sampler, const bwi_vat_clip *clip,
                           double time_s, const axes *first, bw_error *error) {
    bwi_sampler_pose(sampler, &clip->mix, time_s);
    bw_result result = bwi_sampler_status(sampler, error);
    if (result != BW_OK)
        return result;
    const double *m = bwi_sampler_world_matrices(sampler) + 16 * (size_t)plan->root;
    const double limit = (double)FLT_MAX / (2.0 * (double)bwi_vat_space(&plan->settings)->scale);
    for (int k = 0; k < 16; ++k)
        if (!(m[k] <= limit && m[k] >= -limit))
            return bwi_fail(error, BW_ERR_MALFORMED, plan->list->scene->path, -1,
                            "clip '%s' moves its root '%s' beyond what a float can hold at %g s; check its keys",
                            clip->out.name, clip->out.root.node, time_s);
    const axes now = axes_of(m);
    double yaw = 0.0;
    pose->x = m[12];
    pose->z = m[14];
    if (first && twist_about_up(&yaw, first, &now))
        pose->yaw_rad = unwrap(yaw, pose->yaw_rad);
    return BW_OK;
}

/* On the ground of the engine's space. */
static void store_ground(float out[3], double x, double z, const bwi_space_map *map) {
    const double gltf[3] = {x, 0.0, z};
    for (int k = 0; k < 3; ++k)
        out[k] = (float)((double)map->scale * map->sign[k] * gltf[map->axis[k]]) + 0.0f; /* no −0 */
}

/* A closing frame comes one more step like the last one on: turned with the root, so that a walk on a circle stays on it. */
static root_pose step_on(const root_pose *before, const root_pose *last) {
    const double step = last->yaw_rad - before->yaw_rad, x = last->x - before->x, z = last->z - before->z;
    const double sine = bwi_sin(step), cosine = bwi_cos(step);
    return (root_pose){last->x + cosine * x + sine * z, last->z + cosine * z - sine * x, last->yaw_rad + step};
}

static bw_result track_clip(bwi_vat_plan *plan, bwi_vat_clip *clip, bwi_sampler *sampler, bwi_arena *arena,
                            const bwi_env *env, bw_error *error) {
    const bwi_space_map *map = bwi_vat_space(&plan->settings);
    const double hand = bwi_space_map_hand(map);
    const uint32_t n = clip->out.frame_count;
    float *translation = bwi_arena_alloc(arena, (size_t)n + 1, 3 * sizeof *translation);
    float *yaw = bwi_arena_alloc(arena, (size_t)n + 1, sizeof *yaw);
    if (!translation || !yaw)
        return bwi_fail_memory(error, NULL, env->mem, ((size_t)n + 1) * 4 * sizeof *yaw);
    clip->out.root = (bwi_root_track){
        .node = plan->list->scene->nodes.data[plan->root].name, .translation = translation, .yaw_rad = yaw};
    axes first = {{{0}}};
    root_pose start = {0}, before = {0}, pose = {0};
    for (uint32_t f = 0; f <= n; ++f) {
        const root_pose last = pose;
        bw_result result = BW_OK;
        if (f == n)
            pose = step_on(&before, &last);
        else
            result = pose_root(&pose, plan, sampler, clip, bwi_manifest_clip_time(plan->settings.layout, &clip->out, f),
                               f ? &first : NULL, error);
        if (result != BW_OK)
            return result;
        if (f == 0) {
            first = axes_of(bwi_sampler_world_matrices(sampler) + 16 * (size_t)plan->root);
            start = pose;
            store_ground(clip->out.root.pivot, start.x, start.z, map);
        }
        before = f ? last : pose;
        store_ground(translation + 3 * (size_t)f, pose.x - start.x, pose.z - start.z, map);
        yaw[f] = (float)(hand * pose.yaw_rad) + 0.0f;
        if (bwi_progress_cancelled(env->progress))
            return bwi_fail_cancelled(error);
    }
    root_pose end = before; /* of the last frame: the turn goes on from there */
    bw_result result = pose_root(&end, plan, sampler, clip, clip->out.source_end_s, n > 1 ? &first : NULL, error);
    memcpy(clip->end.pivot, clip->out.root.pivot, sizeof clip->end.pivot);
    store_ground(clip->end.translation, end.x - start.x, end.z - start.z, map);
    clip->end.yaw_rad = (float)(hand * end.yaw_rad) + 0.0f;
    memcpy(clip->out.root.cycle_translation, clip->end.translation, sizeof clip->end.translation);
    clip->out.root.cycle_yaw_rad = clip->end.yaw_rad;
    return result;
}

bw_result bwi_vat_track_root(bwi_vat_plan *plan, bwi_arena *arena, const bwi_env *env, bw_error *error) {
    if (plan->root == BW_NO_INDEX)
        return BW_OK;
    bwi_sampler *sampler = NULL;
    bw_result result = bwi_sampler_create(&sampler, plan->list, env->mem, error);
    for (uint32_t c = 0; result == BW_OK && c < plan->clip_count; ++c)
        result = track_clip(plan, &plan->clips[c], sampler, arena, env, error);
    bwi_sampler_free(sampler);
    return result;
}
