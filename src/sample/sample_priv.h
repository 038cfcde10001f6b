/* SPDX-License-Identifier: MIT
 * What the files of this room share: chosen vertices, poses, kernels. */
#ifndef BWI_SAMPLE_PRIV_H
#define BWI_SAMPLE_PRIV_H

#include "sample/sample.h"

/* For primitives whose morph targets bring no normals: vertices that share position and normal at rest form a group with one smooth normal. */
typedef struct bwi_weld {
    uint32_t group_count;
    const uint32_t *groups;  /* [used_count] group of a used vertex */
    const uint32_t *corners; /* [corner_count] triangles, as used vertices */
    uint32_t corner_count;
    const float *signs;      /* [group_count] −1 where the authored normal is against the winding */
    const float *rest;       /* [group_count][3] smooth normals without morphs */
} bwi_weld;

/* The vertices of a primitive that parts are made of; shared by all parts of the primitive. */
typedef struct bwi_selection {
    uint32_t vertex_count;
    const uint32_t *source_vertices; /* [vertex_count] into the primitive's arrays */
    const uint32_t *indices;         /* [index_count] into the selection; NULL: 0, 1, 2, … (unindexed) */
    uint32_t index_count;
    /* Morphs are added once a used vertex, though unindexed selections repeat it. */
    uint32_t used_count;
    const uint32_t *used;           /* [used_count] into the primitive's arrays, ascending */
    const uint32_t *used_of_vertex; /* [vertex_count] into `used`; NULL where the mesh has no targets */
    const bwi_weld *weld;           /* or NULL */
} bwi_selection;

typedef struct bwi_list {
    bwi_vertex_list list; /* first: a bwi_vertex_list * from bwi_vertex_list_build points here */
    const bwi_selection *const *selections; /* [part_count] */
} bwi_list;

/* Nodes with a mesh that the list realises.  Out: chosen — [nodes].  Err: USAGE, NO_MESH. */
bw_result bwi_choose_nodes(bool *chosen, const bw_scene *scene, const bwi_node_filter *filter, bw_error *error);

/* Out: selection — in the arena; NULL if memory fails.  scratch is freed by the caller. */
bwi_selection *bwi_select(bwi_arena *arena, bwi_arena *scratch, const bw_mesh *mesh, const bw_primitive *primitive);
/* True for triangles without normals: every corner is a vertex of its own, so that each face can be flat. */
bool bwi_is_flat(const bw_primitive *primitive);

/* Value of a channel at a time, in double; rotations are unit.  Out: value — [component_count]. */
void bwi_channel_sample(double *value, const bw_channel *channel, double time_s);
/* Index of the last key at or before time_s; 0 where there is none. */
uint32_t bwi_channel_key(const bw_channel *channel, double time_s);

typedef struct bwi_trs {
    bwi_vec3 translation;
    bwi_quat rotation;
    bwi_vec3 scale;
} bwi_trs;

/* The first failure to read a cache; nothing is read after it. */
typedef struct bwi_failure {
    bw_result result;
    bw_error error;
} bwi_failure;

/* Two samples of a cache, and what lies between them. */
typedef struct bwi_cache_slots {
    const bw_cache *cache; /* NULL: none, and no memory */
    size_t size;           /* floats a sample */
    float *samples[2];
    float *mixed;
    uint32_t held[2]; /* samples in memory; BW_NO_INDEX: none */
} bwi_cache_slots;

/* Where a time lies: `part` of the way from a sample to the next, 0 at a sample; since_s after it, 0 at and after the last. */
typedef struct bwi_cache_place {
    uint32_t sample;
    double part, since_s;
} bwi_cache_place;
bwi_cache_place bwi_cache_find(const bw_cache *cache, double time_s);

/* False if memory fails.  In: cache — may be NULL. */
bool bwi_cache_slots_create(bwi_cache_slots *slots, bwi_arena *arena, const bw_cache *cache, size_t size);
/* The samples that a place lies between; twice the same at a sample.  False if reading fails. */
bool bwi_cache_pair(const float *pair[2], bwi_cache_slots *slots, const bwi_cache_place *place, bwi_failure *failure);
/* Values at a time: mixed linearly; of the sample before it; that sample moved on by another cache's values a second (its cache may be NULL).
 * NULL if reading fails; they hold until the next call with these slots. */
const float *bwi_cache_values(bwi_cache_slots *slots, double time_s, bwi_failure *failure);
const float *bwi_cache_step(bwi_cache_slots *slots, double time_s, bwi_failure *failure);
const float *bwi_cache_moved(bwi_cache_slots *slots, bwi_cache_slots *velocities, double time_s, bwi_failure *failure);

/* Caches of a node. */
typedef struct bwi_node_cache {
    uint32_t node;
    bwi_cache_slots matrix, visibility;
} bwi_node_cache;

/* The matrix at a time.  Samples that are translation, rotation and scale are mixed as such, the rotation on the shortest way; others element by
 * element.  False if reading fails. */
bool bwi_matrix_cache_sample(bwi_mat4 *matrix, bwi_cache_slots *slots, double time_s, bwi_failure *failure);
/* Translation, rotation, scale of an affine matrix; false if it shears or flattens an axis. */
bool bwi_matrix_split(bwi_trs *trs, const bwi_mat4 *matrix);

typedef struct bwi_pose {
    const bw_scene *scene;
    bwi_trs *locals;        /* [nodes] */
    bwi_mat4 *worlds;       /* [nodes] */
    double *weights;        /* morph weights of every node with targets */
    size_t *weight_offsets; /* [nodes] */
    float *joints;          /* [joints of used skins][12]: rows of world(joint) × inverse bind */
    size_t *joint_offsets;  /* [skins] first joint; SIZE_MAX: no part uses the skin */
    bwi_node_cache *caches; /* of nodes that have some */
    size_t cache_count;
    bwi_mat4 *matrices;     /* [nodes] of those with has_matrix; NULL: no node has a cache of them, and the scene's are taken */
    bool *hidden;           /* [nodes]; NULL: none ever is */
    bwi_failure failure;
} bwi_pose;

/* False if memory fails. */
bool bwi_pose_create(bwi_pose *pose, bwi_arena *arena, const bw_scene *scene, const bwi_part *parts, uint32_t part_count);
/* True if a clip of the mix plays the scene's caches. */
bool bwi_mix_plays_caches(const bwi_clip_mix *mix);
/* mix NULL or empty: the rest pose. */
void bwi_pose_evaluate(bwi_pose *pose, const bwi_clip_mix *mix, double time_s);
/* World matrix of a part that no skin moves: node × instance. */
bwi_mat4 bwi_pose_part_matrix(const bwi_pose *pose, const bwi_part *part);
/* −1 where the matrix mirrors, else +1; a determinant that is only rounding noise (a flattened axis under rotation) gives +1. */
double bwi_mirror_sign(const bwi_mat4 *matrix);

/* What a kernel reads of one part; normals and tangents NULL: not wanted. */
typedef struct bwi_shape {
    uint32_t count;
    const uint32_t *vertices; /* [count] into positions, normals, tangents */
    const float *positions, *normals, *tangents;
} bwi_shape;

/* Where a kernel writes; NULL: not wanted. */
typedef struct bwi_target {
    float *positions; /* [count][3] */
    float *normals;   /* [count][3] */
    float *tangents;  /* [count][4] */
} bwi_target;

/* Skinned part: joints — rows of 3 × 4 matrices; sources — [count] into the primitive's joints and weights. */
void bwi_skin(const bwi_target *out, const bwi_shape *shape, const bw_primitive *primitive, const uint32_t *sources, const float *joints);
/* Determinants of the blended matrices.  Out: determinants — [count]. */
void bwi_skin_determinants(float *determinants, const bw_primitive *primitive, const uint32_t *sources, uint32_t count,
                           const float *joints);
/* Part that its node moves. */
void bwi_transform(const bwi_target *out, const bwi_shape *shape, const bwi_mat4 *matrix);

/* (x, y, z) / length into out; (0, 1, 0) where the length is 0 or not finite. */
void bwi_store_unit(float out[3], float x, float y, float z);

/* Base values plus weighted displacements of the used vertices.  Out: values — [used_count][stride], the first 3 of each moved. */
typedef enum bwi_morph_attribute { BWI_MORPH_POSITIONS, BWI_MORPH_NORMALS, BWI_MORPH_TANGENTS } bwi_morph_attribute;
void bwi_morph(float *values, const bwi_selection *selection, const bw_primitive *primitive, bwi_morph_attribute attribute,
               const double *weights);

/* Builds groups for a primitive; out of memory: NULL. */
const bwi_weld *bwi_weld_create(bwi_arena *arena, bwi_arena *scratch, const bwi_selection *selection, const bw_primitive *primitive);
/* True if the normals' change must be computed: targets move positions and none brings a normal. */
bool bwi_needs_weld(const bw_primitive *primitive);
/* Smooth area-weighted normals of the groups.  Out: normals — [group_count][3], unit or 0.  In: positions — [used_count][3]. */
void bwi_weld_normals(float *normals, const bwi_weld *weld, const float *positions);
/* Adds what the deformation changes.  In, out: normals — [used_count][3]; scratch — [group_count][3]. */
void bwi_weld_apply(float *normals, float *scratch, const bwi_weld *weld, uint32_t used_count, const float *positions);

/* Face normals of an unindexed part, times ±1 (determinants NULL: sign for all, else the sign of their sum a triangle). */
void bwi_flat_normals(float *normals, const float *positions, uint32_t count, double sign, const float *determinants);

#endif
