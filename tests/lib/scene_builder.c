/* SPDX-License-Identifier: MIT
 * Scenes made by hand in tests. */
#include "scene_builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A test that outgrows the builder is a mistake of the test. */
static void need(bool ok) {
    if (!ok) {
        fputs("scene_builder: out of room\n", stderr);
        abort();
    }
}

static bw_result read_cached(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    builder_cache *c = (builder_cache *)(uintptr_t)ctx; /* only to count */
    c->reads++;
    need(sample < c->cache.sample_count);
    if (sample == c->fails_at) {
        if (error) {
            *error = (bw_error){.result = BW_ERR_MALFORMED, .offset = 64 + (int64_t)sample};
            snprintf(error->message, sizeof error->message, "test.abc: sample %" PRIu32 " is damaged", sample);
        }
        return BW_ERR_MALFORMED;
    }
    memcpy(dst, c->values + sample * c->size, c->size * sizeof *dst);
    return BW_OK;
}

const bw_cache *builder_cached(builder_cache *c, uint32_t sample_count, const double *times_s, const float *values,
                               size_t size) {
    *c = (builder_cache){{times_s, sample_count, read_cached, c}, values, size, BW_NO_INDEX, 0};
    return &c->cache;
}

void builder_init(scene_builder *b) {
    memset(b, 0, sizeof *b);
    b->scene.path = "test.gltf";
    b->scene.format = "gltf";
    b->scene.generator = "";
    b->scene.nodes.data = b->nodes;
    b->scene.meshes.data = b->meshes;
    b->scene.skins.data = b->skins;
    b->scene.clips.data = b->clips;
    b->scene.materials.data = b->materials;
    b->scene.node_order.data = b->order;
    for (size_t i = 0; i < 8; i++) {
        b->materials[i] = (bw_material){"material", "{}"};
    }
    b->scene.materials.count = 8;
}

uint32_t builder_node(scene_builder *b, const char *name, uint32_t parent) {
    need(b->scene.nodes.count < BUILDER_NODES);
    b->nodes[b->scene.nodes.count] = (bw_node){.name = name,
                                               .parent = parent,
                                               .mesh = BW_NO_INDEX,
                                               .skin = BW_NO_INDEX,
                                               .in_scene = true,
                                               .rotation = {0, 0, 0, 1},
                                               .scale = {1, 1, 1}};
    return (uint32_t)b->scene.nodes.count++;
}

uint32_t builder_mesh(scene_builder *b, const char *name, uint32_t target_count) {
    need(b->scene.meshes.count < BUILDER_MESHES && target_count <= 8);
    bw_mesh *mesh = &b->meshes[b->scene.meshes.count];
    *mesh = (bw_mesh){.name = name, .target_count = target_count, .weights = {b->no_weights, target_count}};
    mesh->primitives.data = b->primitives[b->scene.meshes.count];
    return (uint32_t)b->scene.meshes.count++;
}

bw_primitive *builder_primitive(scene_builder *b, uint32_t mesh, uint32_t vertex_count, const float *positions,
                                const float *normals, const uint32_t *indices, size_t index_count) {
    need(b->meshes[mesh].primitives.count < BUILDER_PRIMITIVES);
    bw_primitive *primitive = &b->primitives[mesh][b->meshes[mesh].primitives.count++];
    *primitive = (bw_primitive){.material = BW_NO_INDEX,
                                .vertex_count = vertex_count,
                                .positions = positions,
                                .normals = normals,
                                .indices = {indices, index_count}};
    return primitive;
}

uint32_t builder_skin(scene_builder *b, const uint32_t *joints, size_t joint_count, const float *inverse_bind) {
    need(b->scene.skins.count < BUILDER_SKINS);
    b->skins[b->scene.skins.count] = (bw_skin){"skin", {joints, joint_count}, inverse_bind};
    return (uint32_t)b->scene.skins.count++;
}

uint32_t builder_clip(scene_builder *b, const char *name) {
    need(b->scene.clips.count < BUILDER_CLIPS);
    bw_clip *clip = &b->clips[b->scene.clips.count];
    *clip = (bw_clip){.name = name};
    clip->channels.data = b->channels[b->scene.clips.count];
    return (uint32_t)b->scene.clips.count++;
}

uint32_t builder_cached_clip(scene_builder *b, const char *name, double start_s, double end_s, double rate_fps) {
    uint32_t clip = builder_clip(b, name);
    b->clips[clip].plays_caches = true;
    b->clips[clip].start_s = start_s;
    b->clips[clip].end_s = end_s;
    b->clips[clip].key_rate_fps = rate_fps;
    return clip;
}

bw_channel *builder_channel(scene_builder *b, uint32_t clip, uint32_t node, bw_channel_path path,
                            bw_interpolation interpolation, uint32_t key_count, const float *times_s,
                            const float *values) {
    need(b->clips[clip].channels.count < BUILDER_CHANNELS);
    bw_channel *channel = &b->channels[clip][b->clips[clip].channels.count++];
    uint32_t components = path == BW_CHANNEL_ROTATION ? 4 : 3;
    if (path == BW_CHANNEL_WEIGHTS) {
        components = b->meshes[b->nodes[node].mesh].target_count;
    }
    *channel = (bw_channel){node, path, interpolation, components, key_count, times_s, values};
    return channel;
}

const bw_scene *builder_finish(scene_builder *b) {
    bool placed[BUILDER_NODES] = {false};
    size_t count = 0;
    for (size_t pass = 0; pass < b->scene.nodes.count; pass++) {
        for (uint32_t i = 0; i < b->scene.nodes.count; i++) {
            uint32_t parent = b->nodes[i].parent;
            if (!placed[i] && (parent == BW_NO_INDEX || placed[parent])) {
                placed[i] = true;
                b->order[count++] = i;
            }
        }
    }
    need(count == b->scene.nodes.count);
    b->scene.node_order.count = count;
    for (size_t i = 0; i < b->scene.clips.count; i++) {
        bw_clip *clip = &b->clips[i];
        for (size_t k = 0; k < clip->channels.count; k++) {
            const bw_channel *channel = &clip->channels.data[k];
            double first = (double)channel->times_s[0], last = (double)channel->times_s[channel->key_count - 1];
            bool alone = k == 0 && !clip->plays_caches;
            clip->start_s = alone || first < clip->start_s ? first : clip->start_s;
            clip->end_s = alone || last > clip->end_s ? last : clip->end_s;
        }
    }
    return &b->scene;
}

uint32_t builder_triangle(scene_builder *b, const char *name, uint32_t parent) {
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const uint32_t indices[] = {0, 1, 2};
    uint32_t node = builder_node(b, name, parent);
    b->nodes[node].mesh = builder_mesh(b, name, 0);
    builder_primitive(b, b->nodes[node].mesh, 3, positions, normals, indices, 3);
    return node;
}
