/* SPDX-License-Identifier: MIT
 * Which node carries a part, and in which pose of it the mesh is written. */
#include "vat/vat_priv.h"

/* Rotations nearer than this are one: exporters round the keys of a node that stands still. */
#define SAME_ROTATION 1e-6

/* A pose is fit to write a mesh in if its volume is at least this part of the largest: smaller by four on each side.  A vertex is a float, and
 * what is small there must be made large again. */
#define LEAST_VOLUME (1.0 / 64.0)

/* ---- what is moved ---- */

static bool same_rotation(const float *a, const float *b) {
    bwi_quat p = bwi_quat_normalize((bwi_quat){(double)a[0], (double)a[1], (double)a[2], (double)a[3]});
    bwi_quat q = bwi_quat_normalize((bwi_quat){(double)b[0], (double)b[1], (double)b[2], (double)b[3]});
    if (p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0.0)
        q = (bwi_quat){-q.x, -q.y, -q.z, -q.w};
    const double x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, w = p.w - q.w;
    return 4.0 * (x * x + y * y + z * z + w * w) <= SAME_ROTATION * SAME_ROTATION;
}

static bool is_cubic(const bw_channel *channel) {
    return channel->interpolation == BW_INTERPOLATION_CUBICSPLINE;
}

static const float *key_value(const bw_channel *channel, size_t key) {
    return channel->values + (is_cubic(channel) ? 3 * key + 1 : key) * channel->component_count;
}

/* True if a spline leaves its keys' values between them, though they may be equal. */
static bool swings(const bw_channel *channel) {
    const size_t n = channel->component_count;
    for (size_t key = 0; is_cubic(channel) && channel->key_count > 1 && key < channel->key_count; ++key)
        for (size_t k = 0; k < n; ++k)
            if (channel->values[3 * key * n + k] != 0.0f || channel->values[(3 * key + 2) * n + k] != 0.0f)
                return true;
    return false;
}

/* True if some key puts the node elsewhere than at rest, or a spline leaves it between keys. */
static bool moves(const bw_channel *channel, const bw_node *node) {
    const float *rest = channel->path == BW_CHANNEL_TRANSLATION ? node->translation
                        : channel->path == BW_CHANNEL_ROTATION  ? node->rotation
                        : channel->path == BW_CHANNEL_SCALE     ? node->scale
                                                                : NULL;
    if (!rest)
        return false;
    for (size_t key = 0; key < channel->key_count; ++key) {
        const float *value = key_value(channel, key);
        if (channel->path == BW_CHANNEL_ROTATION && !same_rotation(value, rest))
            return true;
        for (size_t k = 0; channel->path != BW_CHANNEL_ROTATION && k < channel->component_count; ++k)
            if (value[k] != rest[k])
                return true;
    }
    return swings(channel);
}

static bool plays_caches(const bwi_vat_plan *plan) {
    for (uint32_t c = 0; c < plan->clip_count; ++c)
        for (size_t i = 0; i < plan->clips[c].mix.count; ++i)
            if (plan->clips[c].mix.clips[i]->plays_caches)
                return true;
    return false;
}

static bool changes(const bw_cache *cache) {
    return cache && cache->sample_count > 1;
}

void bwi_moved_nodes(bool *moved, const bwi_vat_plan *plan) {
    const bw_scene *scene = plan->list->scene;
    const bool plays = plays_caches(plan);
    for (size_t i = 0; i < scene->nodes.count; ++i)
        moved[i] = plays && changes(scene->nodes.data[i].matrix_cache);
    for (uint32_t c = 0; c < plan->clip_count; ++c) {
        const bwi_clip_mix *mix = &plan->clips[c].mix;
        for (size_t i = 0; i < mix->count; ++i)
            for (size_t k = 0; k < mix->clips[i]->channels.count; ++k) {
                const bw_channel *channel = &mix->clips[i]->channels.data[k];
                moved[channel->node] = moved[channel->node] || moves(channel, &scene->nodes.data[channel->node]);
            }
    }
}

static bool changes_weights(const bw_channel *channel, const bw_node *node, const bw_mesh *mesh) {
    const float *rest = node->weights.count ? node->weights.data : mesh->weights.data;
    for (size_t key = 0; key < channel->key_count; ++key)
        for (size_t k = 0; k < channel->component_count; ++k)
            if (key_value(channel, key)[k] != rest[k])
                return true;
    return swings(channel);
}

bool bwi_is_deformed(const bwi_vat_plan *plan, const bwi_part *part) {
    const bw_scene *scene = plan->list->scene;
    const bw_mesh *mesh = &scene->meshes.data[part->mesh];
    if (plays_caches(plan) && (changes(mesh->primitives.data[part->primitive].position_cache) ||
                               changes(scene->nodes.data[part->node].visibility_cache)))
        return true;
    if (mesh->primitives.data[part->primitive].targets.count == 0)
        return false;
    for (uint32_t c = 0; c < plan->clip_count; ++c)
        for (size_t i = 0; i < plan->clips[c].mix.count; ++i) {
            const bw_clip *clip = plan->clips[c].mix.clips[i];
            for (size_t k = 0; k < clip->channels.count; ++k) {
                const bw_channel *channel = &clip->channels.data[k];
                if (channel->path == BW_CHANNEL_WEIGHTS && channel->node == part->node &&
                    changes_weights(channel, &scene->nodes.data[part->node], mesh))
                    return true;
            }
        }
    return false;
}

uint32_t bwi_carrier(const bool *moved, const bw_scene *scene, uint32_t node) {
    while (node != BW_NO_INDEX && !moved[node])
        node = scene->nodes.data[node].parent;
    return node;
}

/* ---- where carriers stand in the mesh ---- */

static bool is_scaled(const bwi_vat_plan *plan) {
    for (size_t i = 0; plays_caches(plan) && i < plan->list->scene->nodes.count; ++i)
        if (changes(plan->list->scene->nodes.data[i].matrix_cache))
            return true;
    for (uint32_t c = 0; c < plan->clip_count; ++c)
        for (size_t i = 0; i < plan->clips[c].mix.count; ++i) {
            const bw_clip *clip = plan->clips[c].mix.clips[i];
            for (size_t k = 0; k < clip->channels.count; ++k) {
                const bw_channel *channel = &clip->channels.data[k];
                if (channel->path == BW_CHANNEL_SCALE && moves(channel, &plan->list->scene->nodes.data[channel->node]))
                    return true;
            }
        }
    return false;
}

static bwi_mat4 world_of(const bwi_sampler *sampler, size_t node) {
    bwi_mat4 world;
    for (size_t k = 0; k < 16; ++k)
        world.m[k] = bwi_sampler_world_matrices(sampler)[16 * node + k];
    return world;
}

/* Volume of the unit cube; 0 where that is only rounding: a flattened axis under rotation. */
static double volume(const bwi_mat4 *m) {
    double most = 1.0, square = 0.0;
    for (int column = 0; column < 3; ++column, most *= bwi_sqrt(square)) {
        const double *c = &m->m[4 * column];
        square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    }
    double size = bwi_mat4_det3(m);
    size = size < 0.0 ? -size : size;
    bwi_mat4 inverse;
    return size > 1e-12 * most && bwi_mat4_inverse_affine(&inverse, m) ? size : 0.0;
}

typedef struct reference_search {
    bwi_mat4 *reference; /* [nodes] */
    double *largest;     /* [nodes] volume of a moved node's unit cube, over all frames */
    const bool *moved;
    bool taking; /* else only `largest` is sought */
} reference_search;

/* The pose that the sampler shows. */
static void look_at_pose(const reference_search *search, const bw_scene *scene, const bwi_sampler *sampler) {
    for (size_t i = 0; i < scene->nodes.count; ++i) {
        if (!search->moved[i] || (search->taking && !(search->largest[i] > 0.0)))
            continue;
        const bwi_mat4 world = world_of(sampler, i);
        const double size = volume(&world);
        if (!search->taking) {
            search->largest[i] = size > search->largest[i] ? size : search->largest[i];
        } else if (size >= LEAST_VOLUME * search->largest[i]) {
            search->reference[i] = world;
            search->largest[i] = 0.0; /* found */
        }
    }
}

static bw_result look_at_poses(const reference_search *search, const bwi_vat_plan *plan, bwi_sampler *sampler,
                               const bwi_env *env, bw_error *error) {
    const bw_scene *scene = plan->list->scene;
    bwi_sampler_pose(sampler, NULL, 0.0);
    look_at_pose(search, scene, sampler);
    /* Without keys of scale all poses are as large as the one at rest. */
    const uint32_t clip_count = is_scaled(plan) ? plan->clip_count : 0;
    for (uint32_t c = 0; c < clip_count; ++c) {
        const bwi_vat_clip *clip = &plan->clips[c];
        for (uint32_t f = 0; f < clip->out.frame_count; ++f) {
            if (bwi_progress_cancelled(env->progress))
                return bwi_fail_cancelled(error);
            bwi_sampler_pose(sampler, &clip->mix, bwi_manifest_clip_time(plan->settings.layout, &clip->out, f));
            look_at_pose(search, scene, sampler);
        }
    }
    return bwi_sampler_status(sampler, error);
}

bw_result bwi_carrier_references(bwi_mat4 *reference, const bwi_vat_plan *plan, const bool *moved, const bwi_env *env,
                                 bw_error *error) {
    const size_t count = plan->list->scene->nodes.count;
    reference_search search = {reference, bwi_alloc(env->mem, count, sizeof(double)), moved, false};
    bwi_sampler *sampler = NULL;
    bw_result result = search.largest ? bwi_sampler_create(&sampler, plan->list, env->mem, error)
                                      : bwi_fail_memory(error, NULL, env->mem, count * sizeof(double));
    for (size_t i = 0; i < count; ++i)
        reference[i] = bwi_mat4_identity();
    if (result == BW_OK)
        result = look_at_poses(&search, plan, sampler, env, error);
    search.taking = true;
    if (result == BW_OK)
        result = look_at_poses(&search, plan, sampler, env, error);
    bwi_sampler_free(sampler);
    bwi_free(env->mem, search.largest);
    return result;
}
