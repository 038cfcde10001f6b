/* SPDX-License-Identifier: MIT
 * Counts what a scene holds. */
#include "bakewell/info.h"

#include "base/error.h"
#include "base/mem.h"

static uint32_t most(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Largest number of weights above 0 at one vertex. */
static uint32_t influences_used(const bw_primitive *primitive) {
    uint32_t used = 0;
    for (size_t i = 0; i < primitive->vertex_count; i++) {
        uint32_t here = 0;
        for (uint32_t k = 0; k < primitive->influence_count; k++) {
            here += primitive->weights[i * primitive->influence_count + k] > 0.0f;
        }
        used = most(used, here);
    }
    return used;
}

static void count_mesh(bw_mesh_info *info, const bw_mesh *mesh) {
    info->name = mesh->name;
    info->primitive_count = (uint32_t)mesh->primitives.count;
    info->target_count = mesh->target_count;
    for (size_t p = 0; p < mesh->primitives.count; p++) {
        const bw_primitive *primitive = &mesh->primitives.data[p];
        info->vertex_count += primitive->vertex_count;
        info->triangle_count += primitive->mode == BW_PRIMITIVE_TRIANGLES ? primitive->indices.count / 3 : 0;
        info->influence_count = most(info->influence_count, influences_used(primitive));
        uint32_t sets = 0;
        for (size_t k = 0; k < primitive->uv_sets.count; k++) {
            sets += primitive->uv_sets.data[k] != NULL;
        }
        info->uv_set_count = most(info->uv_set_count, sets);
    }
}

static void count_clip(bw_clip_info *info, const bw_clip *clip) {
    *info = (bw_clip_info){.name = clip->name,
                           .start_s = clip->start_s,
                           .end_s = clip->end_s,
                           .rate_fps = clip->key_rate_fps,
                           .channel_count = (uint32_t)clip->channels.count};
    for (size_t c = 0; c < clip->channels.count; c++) {
        bw_interpolation kind = clip->channels.data[c].interpolation;
        info->linear_count += kind == BW_INTERPOLATION_LINEAR;
        info->step_count += kind == BW_INTERPOLATION_STEP;
        info->cubic_count += kind == BW_INTERPOLATION_CUBICSPLINE;
    }
}

/* Finds what rides on joints: nearest[n] is the joint at or above node n, or BW_NO_INDEX. */
static size_t list_attachments(bw_attachment_info *attachments, uint32_t *nearest, const bw_scene *scene) {
    for (size_t n = 0; n < scene->nodes.count; n++) {
        nearest[n] = BW_NO_INDEX;
    }
    for (size_t s = 0; s < scene->skins.count; s++) {
        const bw_index_list *joints = &scene->skins.data[s].joints;
        for (size_t j = 0; j < joints->count; j++) {
            nearest[joints->data[j]] = joints->data[j];
        }
    }
    for (size_t k = 0; k < scene->node_order.count; k++) {
        uint32_t n = scene->node_order.data[k];
        uint32_t parent = scene->nodes.data[n].parent;
        if (nearest[n] == BW_NO_INDEX && parent != BW_NO_INDEX) {
            nearest[n] = nearest[parent];
        }
    }
    size_t count = 0;
    for (size_t n = 0; n < scene->nodes.count; n++) {
        const bw_node *node = &scene->nodes.data[n];
        if (node->mesh != BW_NO_INDEX && node->skin == BW_NO_INDEX && nearest[n] != BW_NO_INDEX) {
            attachments[count++] = (bw_attachment_info){node->name, scene->meshes.data[node->mesh].name,
                                                        scene->nodes.data[nearest[n]].name};
        }
    }
    return count;
}

static void count_scene(bw_scene_info *info, const bw_scene *scene, bw_mesh_info *meshes, bw_clip_info *clips) {
    info->path = scene->path;
    info->format = scene->format;
    info->generator = scene->generator;
    info->node_count = (uint32_t)scene->nodes.count;
    info->skin_count = (uint32_t)scene->skins.count;
    info->material_count = (uint32_t)scene->materials.count;
    info->texture_count = (uint32_t)scene->textures.count;
    info->image_count = (uint32_t)scene->images.count;
    info->warnings = scene->warnings;
    for (size_t i = 0; i < scene->meshes.count; i++) {
        count_mesh(&meshes[i], &scene->meshes.data[i]);
    }
    for (size_t n = 0; n < scene->nodes.count; n++) {
        const bw_node *node = &scene->nodes.data[n];
        info->hidden_node_count += !node->in_scene;
        if (node->mesh != BW_NO_INDEX) {
            bw_mesh_info *mesh = &meshes[node->mesh];
            mesh->node_count++;
            if (node->skin != BW_NO_INDEX) {
                mesh->joint_count = most(mesh->joint_count, (uint32_t)scene->skins.data[node->skin].joints.count);
            }
        }
    }
    for (size_t i = 0; i < scene->clips.count; i++) {
        count_clip(&clips[i], &scene->clips.data[i]);
    }
}

bw_result bw_scene_describe(bw_scene_info **info, const bw_scene *scene, bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(0);
    size_t node_count = scene->nodes.count;
    bw_scene_info *out = arena ? bwi_arena_alloc(arena, 1, sizeof(*out)) : NULL;
    bw_mesh_info *meshes = out ? bwi_arena_alloc(arena, scene->meshes.count, sizeof(*meshes)) : NULL;
    bw_clip_info *clips = meshes ? bwi_arena_alloc(arena, scene->clips.count, sizeof(*clips)) : NULL;
    bw_attachment_info *attachments = clips ? bwi_arena_alloc(arena, node_count, sizeof(*attachments)) : NULL;
    uint32_t *nearest = attachments ? bwi_arena_alloc(arena, node_count, sizeof(*nearest)) : NULL;
    if (!nearest) {
        bwi_arena_free(arena);
        return bwi_fail(error, BW_ERR_MEMORY, scene->path, -1, "memory ran out while its parts were counted");
    }
    count_scene(out, scene, meshes, clips);
    out->meshes.data = meshes;
    out->meshes.count = scene->meshes.count;
    out->clips.data = clips;
    out->clips.count = scene->clips.count;
    out->attachments.data = attachments;
    out->attachments.count = list_attachments(attachments, nearest, scene);
    out->arena = arena;
    *info = out;
    return BW_OK;
}

void bw_free_scene_info(bw_scene_info *info) {
    if (info) {
        bwi_arena_free(info->arena);
    }
}
