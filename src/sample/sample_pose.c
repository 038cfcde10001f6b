/* SPDX-License-Identifier: MIT
 * The skeleton at a time: node transforms, morph weights, joint matrices; all in double, joint matrices rounded at the end. */
#include "sample/sample_priv.h"

static bool create_caches(bwi_pose *p, bwi_arena *arena) {
    const bw_scene *scene = p->scene;
    bool matrices = false, hidden = false;
    for (size_t i = 0; i < scene->nodes.count; i++) {
        const bw_node *node = &scene->nodes.data[i];
        matrices = matrices || node->matrix_cache != NULL;
        hidden = hidden || node->visibility_cache != NULL;
        p->cache_count += node->matrix_cache != NULL || node->visibility_cache != NULL;
    }
    p->caches = bwi_arena_alloc(arena, p->cache_count, sizeof *p->caches);
    p->matrices = matrices ? bwi_arena_alloc(arena, scene->nodes.count, sizeof *p->matrices) : NULL;
    p->hidden = hidden ? bwi_arena_alloc(arena, scene->nodes.count, sizeof *p->hidden) : NULL;
    bool ok = p->caches != NULL && (p->matrices != NULL || !matrices) && (p->hidden != NULL || !hidden);
    bwi_node_cache *cache = p->caches;
    for (uint32_t i = 0; ok && i < scene->nodes.count; i++) {
        const bw_node *node = &scene->nodes.data[i];
        if (node->matrix_cache == NULL && node->visibility_cache == NULL) {
            continue;
        }
        cache->node = i;
        ok = bwi_cache_slots_create(&cache->matrix, arena, node->matrix_cache, 16) &&
             bwi_cache_slots_create(&cache->visibility, arena, node->visibility_cache, 1);
        cache++;
    }
    return ok;
}

bool bwi_pose_create(bwi_pose *pose, bwi_arena *arena, const bw_scene *scene, const bwi_part *parts,
                     uint32_t part_count) {
    bwi_pose p = {.scene = scene};
    p.locals = bwi_arena_alloc(arena, scene->nodes.count, sizeof *p.locals);
    p.worlds = bwi_arena_alloc(arena, scene->nodes.count, sizeof *p.worlds);
    p.weight_offsets = bwi_arena_alloc(arena, scene->nodes.count, sizeof *p.weight_offsets);
    p.joint_offsets = bwi_arena_alloc(arena, scene->skins.count, sizeof *p.joint_offsets);
    if (p.locals == NULL || p.worlds == NULL || p.weight_offsets == NULL || p.joint_offsets == NULL) {
        return false;
    }
    size_t weight_count = 0;
    for (size_t i = 0; i < scene->nodes.count; i++) {
        p.weight_offsets[i] = weight_count;
        if (scene->nodes.data[i].mesh != BW_NO_INDEX) {
            weight_count += scene->meshes.data[scene->nodes.data[i].mesh].target_count;
        }
    }
    for (size_t i = 0; i < scene->skins.count; i++) {
        p.joint_offsets[i] = SIZE_MAX;
    }
    size_t joint_count = 0;
    for (uint32_t i = 0; i < part_count; i++) {
        uint32_t skin = parts[i].skin;
        if (skin != BW_NO_INDEX && p.joint_offsets[skin] == SIZE_MAX) {
            p.joint_offsets[skin] = joint_count;
            joint_count += scene->skins.data[skin].joints.count;
        }
    }
    p.weights = bwi_arena_alloc(arena, weight_count, sizeof *p.weights);
    p.joints = bwi_arena_alloc(arena, joint_count, 12 * sizeof *p.joints);
    if (p.weights == NULL || p.joints == NULL || !create_caches(&p, arena)) {
        return false;
    }
    *pose = p;
    return true;
}

static bwi_trs trs_of(const float translation[3], const float rotation[4], const float scale[3]) {
    return (bwi_trs){
        {(double)translation[0], (double)translation[1], (double)translation[2]},
        bwi_quat_normalize(
            (bwi_quat){(double)rotation[0], (double)rotation[1], (double)rotation[2], (double)rotation[3]}),
        {(double)scale[0], (double)scale[1], (double)scale[2]},
    };
}

static bwi_mat4 local_matrix(const bw_node *node, const bwi_trs *trs) {
    return node->has_matrix ? bwi_mat4_from_floats(node->matrix)
                            : bwi_mat4_from_trs(trs->translation, trs->rotation, trs->scale);
}

/* Animated weights override the node's, the node's those of the mesh. */
static void set_rest(bwi_pose *pose) {
    const bw_scene *scene = pose->scene;
    for (size_t i = 0; i < scene->nodes.count; i++) {
        const bw_node *node = &scene->nodes.data[i];
        pose->locals[i] = trs_of(node->translation, node->rotation, node->scale);
        if (node->mesh == BW_NO_INDEX) {
            continue;
        }
        const bw_mesh *mesh = &scene->meshes.data[node->mesh];
        const float *weights = node->weights.count > 0 ? node->weights.data : mesh->weights.data;
        for (size_t k = 0; k < mesh->target_count; k++) {
            pose->weights[pose->weight_offsets[i] + k] = (double)weights[k];
        }
    }
}

static void apply_channel(bwi_pose *pose, const bw_channel *channel, double time_s) {
    bwi_trs *local = &pose->locals[channel->node];
    double v[4];
    switch (channel->path) {
    case BW_CHANNEL_TRANSLATION:
        bwi_channel_sample(v, channel, time_s);
        local->translation = (bwi_vec3){v[0], v[1], v[2]};
        break;
    case BW_CHANNEL_ROTATION:
        bwi_channel_sample(v, channel, time_s);
        local->rotation = (bwi_quat){v[0], v[1], v[2], v[3]};
        break;
    case BW_CHANNEL_SCALE:
        bwi_channel_sample(v, channel, time_s);
        local->scale = (bwi_vec3){v[0], v[1], v[2]};
        break;
    case BW_CHANNEL_WEIGHTS:
        bwi_channel_sample(pose->weights + pose->weight_offsets[channel->node], channel, time_s);
        break;
    }
}

bool bwi_mix_plays_caches(const bwi_clip_mix *mix) {
    for (size_t i = 0; mix != NULL && i < mix->count; i++) {
        if (mix->clips[i]->plays_caches) {
            return true;
        }
    }
    return false;
}

/* At rest matrices are the nodes' own, which are the first samples, and everything is shown. */
static void apply_caches(bwi_pose *pose, const bwi_clip_mix *mix, double time_s) {
    const bw_scene *scene = pose->scene;
    for (size_t i = 0; pose->matrices != NULL && i < scene->nodes.count; i++) {
        pose->matrices[i] = bwi_mat4_from_floats(scene->nodes.data[i].matrix);
    }
    const bool plays = bwi_mix_plays_caches(mix);
    for (size_t i = 0; i < pose->cache_count; i++) {
        bwi_node_cache *cache = &pose->caches[i];
        if (plays && cache->matrix.cache != NULL) {
            bwi_matrix_cache_sample(&pose->matrices[cache->node], &cache->matrix, time_s, &pose->failure);
        }
        if (cache->visibility.cache != NULL) {
            const float *shown = plays ? bwi_cache_step(&cache->visibility, time_s, &pose->failure) : NULL;
            pose->hidden[cache->node] = shown != NULL && *shown == 0.0f;
        }
    }
}

static void compose_worlds(bwi_pose *pose) {
    const bw_scene *scene = pose->scene;
    for (size_t i = 0; i < scene->node_order.count; i++) {
        uint32_t index = scene->node_order.data[i];
        const bw_node *node = &scene->nodes.data[index];
        bwi_mat4 local = node->has_matrix && pose->matrices != NULL ? pose->matrices[index]
                                                                    : local_matrix(node, &pose->locals[index]);
        pose->worlds[index] = node->parent == BW_NO_INDEX ? local : bwi_mat4_mul(&pose->worlds[node->parent], &local);
    }
}

static void compose_joints(bwi_pose *pose) {
    const bw_scene *scene = pose->scene;
    for (size_t s = 0; s < scene->skins.count; s++) {
        if (pose->joint_offsets[s] == SIZE_MAX) {
            continue;
        }
        const bw_skin *skin = &scene->skins.data[s];
        float *rows = pose->joints + 12 * pose->joint_offsets[s];
        for (size_t j = 0; j < skin->joints.count; j++, rows += 12) {
            bwi_mat4 inverse_bind = bwi_mat4_from_floats(skin->inverse_bind + 16 * j);
            bwi_mat4 joint = bwi_mat4_mul(&pose->worlds[skin->joints.data[j]], &inverse_bind);
            for (size_t k = 0; k < 12; k++) {
                rows[k] = (float)joint.m[4 * (k % 4) + k / 4];
            }
        }
    }
}

void bwi_pose_evaluate(bwi_pose *pose, const bwi_clip_mix *mix, double time_s) {
    set_rest(pose);
    for (size_t i = 0; mix != NULL && i < mix->count; i++) {
        for (size_t j = 0; j < mix->clips[i]->channels.count; j++) {
            apply_channel(pose, &mix->clips[i]->channels.data[j], time_s);
        }
    }
    apply_caches(pose, mix, time_s);
    compose_worlds(pose);
    compose_joints(pose);
}

static bwi_mat4 instance_matrix(const bw_node *node, const bwi_part *part) {
    if (part->instance == BW_NO_INDEX) {
        return bwi_mat4_identity();
    }
    const bw_instance *instance = &node->instances.data[part->instance];
    bwi_trs trs = trs_of(instance->translation, instance->rotation, instance->scale);
    return bwi_mat4_from_trs(trs.translation, trs.rotation, trs.scale);
}

bwi_mat4 bwi_pose_part_matrix(const bwi_pose *pose, const bwi_part *part) {
    bwi_mat4 instance = instance_matrix(&pose->scene->nodes.data[part->node], part);
    return part->instance == BW_NO_INDEX ? pose->worlds[part->node]
                                         : bwi_mat4_mul(&pose->worlds[part->node], &instance);
}

bwi_mat4 bwi_part_rest_matrix(const bwi_vertex_list *list, const bwi_part *part, uint32_t above) {
    const bw_node *nodes = list->scene->nodes.data;
    bwi_mat4 matrix = instance_matrix(&nodes[part->node], part);
    for (uint32_t at = part->node; at != above; at = nodes[at].parent) {
        bwi_trs trs = trs_of(nodes[at].translation, nodes[at].rotation, nodes[at].scale);
        bwi_mat4 local = local_matrix(&nodes[at], &trs);
        matrix = bwi_mat4_mul(&local, &matrix);
    }
    return matrix;
}

double bwi_mirror_sign(const bwi_mat4 *matrix) {
    const double *m = matrix->m;
    double most = bwi_sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) *
                  bwi_sqrt(m[4] * m[4] + m[5] * m[5] + m[6] * m[6]) *
                  bwi_sqrt(m[8] * m[8] + m[9] * m[9] + m[10] * m[10]);
    return bwi_mat4_det3(matrix) < -1e-12 * most ? -1.0 : 1.0;
}
