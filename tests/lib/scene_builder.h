/* SPDX-License-Identifier: MIT
 * Scenes made by hand in tests. */
#ifndef TESTS_SCENE_BUILDER_H
#define TESTS_SCENE_BUILDER_H

#include "bakewell/scene.h"

enum { BUILDER_NODES = 16, BUILDER_MESHES = 8, BUILDER_PRIMITIVES = 8, BUILDER_SKINS = 4, BUILDER_CLIPS = 4, BUILDER_CHANNELS = 8 };

/* Everything may be changed through the arrays; they hold pointers of the test, which must outlive the builder. */
typedef struct scene_builder {
    bw_scene scene;
    bw_node nodes[BUILDER_NODES];
    bw_mesh meshes[BUILDER_MESHES];
    bw_primitive primitives[BUILDER_MESHES][BUILDER_PRIMITIVES];
    bw_skin skins[BUILDER_SKINS];
    bw_clip clips[BUILDER_CLIPS];
    bw_channel channels[BUILDER_CLIPS][BUILDER_CHANNELS];
    bw_material materials[8];
    uint32_t order[BUILDER_NODES];
    float no_weights[8];
} scene_builder;

/* A cache in memory. */
typedef struct builder_cache {
    bw_cache cache;
    const float *values; /* [samples][size] */
    size_t size;
    uint32_t fails_at;   /* a sample whose reading fails; BW_NO_INDEX: none */
    uint32_t reads;      /* so far; of one thread */
} builder_cache;
/* Returns &c->cache. */
const bw_cache *builder_cached(builder_cache *c, uint32_t sample_count, const double *times_s, const float *values, size_t size);

void builder_init(scene_builder *b);
/* A node at the origin, in the scene.  Returns its index. */
uint32_t builder_node(scene_builder *b, const char *name, uint32_t parent);
/* A mesh without primitives; default weights 0.  Returns its index. */
uint32_t builder_mesh(scene_builder *b, const char *name, uint32_t target_count);
/* Triangles without material. */
bw_primitive *builder_primitive(scene_builder *b, uint32_t mesh, uint32_t vertex_count, const float *positions, const float *normals,
                                const uint32_t *indices, size_t index_count);
uint32_t builder_skin(scene_builder *b, const uint32_t *joints, size_t joint_count, const float *inverse_bind);
uint32_t builder_clip(scene_builder *b, const char *name);
/* A clip without channels that plays the scene's caches. */
uint32_t builder_cached_clip(scene_builder *b, const char *name, double start_s, double end_s, double rate_fps);
/* component_count follows from the path; for weights from the node's mesh. */
bw_channel *builder_channel(scene_builder *b, uint32_t clip, uint32_t node, bw_channel_path path, bw_interpolation interpolation,
                            uint32_t key_count, const float *times_s, const float *values);
/* Fills node_order and the clips' ranges. */
const bw_scene *builder_finish(scene_builder *b);

/* A node with one mesh of one triangle (0,0,0) (1,0,0) (0,1,0) with normals (0,0,1).  Returns the node. */
uint32_t builder_triangle(scene_builder *b, const char *name, uint32_t parent);

#endif
