/* SPDX-License-Identifier: MIT
 * The scene: plain data that a reader fills and everything else reads.  Right-handed, Y up, metres, seconds. */
#ifndef BAKEWELL_SCENE_H
#define BAKEWELL_SCENE_H

#include "bakewell/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* After bw_scene_load every index below is in range or BW_NO_INDEX where said, every count is true, every float is finite,
 * nodes form a forest, key times ascend strictly, weights are >= 0 and sum to one.  Users need no checks of their own. */

typedef struct bw_float_list { const float *data; size_t count; } bw_float_list;
typedef struct bw_index_list { const uint32_t *data; size_t count; } bw_index_list;

/* Values that stay in their file and are read one sample at a time.  Between samples they are mixed linearly; a time within 10 µs of a sample
 * gives that sample; before the first and after the last they stand still. */
typedef struct bw_cache {
    const double *times_s; /* [sample_count], strictly ascending */
    uint32_t sample_count; /* >= 1 */
    /* Fills dst with sample 0 … sample_count − 1, always the same number of finite floats.  Thread-safe.
     * Err: MALFORMED and what reading a file gives; dst may then hold anything. */
    bw_result (*read)(const void *ctx, uint32_t sample, float *dst, bw_error *error);
    const void *ctx;
} bw_cache;

/* One copy of a node's mesh (EXT_mesh_gpu_instancing), relative to the node. */
typedef struct bw_instance {
    float translation[3], rotation[4], scale[3]; /* quaternion x y z w, unit */
} bw_instance;

typedef struct bw_node {
    const char *name;   /* never NULL; made up ("node 3") if the file has none */
    uint32_t parent;    /* or BW_NO_INDEX */
    uint32_t mesh;      /* or BW_NO_INDEX */
    uint32_t skin;      /* or BW_NO_INDEX; skinned meshes ignore the node's own transform */
    bool in_scene;      /* reached from the default scene (without scenes in the file: from any root) */
    bool has_matrix;    /* `matrix` instead of TRS; no channel animates such a node */
    float matrix[16];   /* column-major */
    const bw_cache *matrix_cache; /* [16], column-major; `matrix` holds the first sample; NULL: it stands still */
    const bw_cache *visibility_cache; /* [1], 0: the node's own mesh is hidden from then on; NULL: always shown.  The rest pose shows it */
    float translation[3], rotation[4], scale[3];
    bw_float_list weights; /* overrides the mesh's; count 0: none */
    struct { const bw_instance *data; size_t count; } instances; /* count 0: the mesh once */
} bw_node;

typedef enum bw_primitive_mode { BW_PRIMITIVE_TRIANGLES = 0, BW_PRIMITIVE_LINES, BW_PRIMITIVE_POINTS } bw_primitive_mode;

/* Displacements at weight 1, each [vertex_count][3]; NULL: none. */
typedef struct bw_morph_target { const float *positions, *normals, *tangents; } bw_morph_target;

typedef struct bw_primitive {
    bw_primitive_mode mode; /* strips, fans and loops are lists by now */
    uint32_t material;      /* or BW_NO_INDEX */
    uint32_t vertex_count;
    const float *positions; /* [vertex_count][3] */
    const float *normals;   /* [vertex_count][3], unit; NULL: none */
    const float *tangents;  /* [vertex_count][4], w = ±1; NULL: none */
    /* Of a primitive without skin data and targets; `positions` and `normals` hold the first sample.  NULL: they stand still. */
    const bw_cache *position_cache, *normal_cache; /* [vertex_count][3]; normals of any length */
    /* Triangles without shared vertices that are others in every sample, as many as the largest sample has; those a sample leaves over are one
     * point.  Its samples are never mixed: a time shows the one before it, moved on by the velocities. */
    bool topology_changes;
    const bw_cache *velocity_cache; /* [vertex_count][3], metres a second, samples at the positions' times; NULL: none */
    struct { const float *const *data; size_t count; } uv_sets; /* [n][vertex_count][2], v from the top; a set may be NULL (a gap) */
    struct { const float *const *data; size_t count; } colors;  /* [n][vertex_count][4], linear 0…1; a set may be NULL */
    uint32_t influence_count; /* a vertex: 4 × the file's sets; 0: no skin data */
    /* Of a mesh without a skin (bw_scene_opts.loose_joints) any numbers, any finite weights. */
    const uint32_t *joints;   /* [vertex_count][influence_count], into skin.joints */
    const float *weights;     /* [vertex_count][influence_count], sum 1; an unused influence is joint 0, weight 0 */
    struct { const bw_morph_target *data; size_t count; } targets; /* count = the mesh's target_count */
    bw_index_list indices;    /* lists of 3, 2 or 1; never empty; all < vertex_count */
} bw_primitive;

typedef struct bw_mesh {
    const char *name; /* never NULL */
    struct { const bw_primitive *data; size_t count; } primitives;
    uint32_t target_count;
    bw_float_list weights;       /* default, target_count long */
    bw_string_list target_names; /* target_count long or empty */
} bw_mesh;

typedef struct bw_skin {
    const char *name;
    bw_index_list joints;      /* nodes; never empty */
    const float *inverse_bind; /* [joints.count][16], column-major; identity where the file has none */
} bw_skin;

typedef enum bw_channel_path { BW_CHANNEL_TRANSLATION = 1, BW_CHANNEL_ROTATION, BW_CHANNEL_SCALE, BW_CHANNEL_WEIGHTS } bw_channel_path;
typedef enum bw_interpolation { BW_INTERPOLATION_LINEAR = 0, BW_INTERPOLATION_STEP, BW_INTERPOLATION_CUBICSPLINE } bw_interpolation;

typedef struct bw_channel {
    uint32_t node;
    bw_channel_path path;
    bw_interpolation interpolation;
    uint32_t component_count; /* 3, 4, or the mesh's target_count */
    uint32_t key_count;       /* >= 1 */
    const float *times_s;     /* [key_count], strictly ascending; clamped before the first and after the last */
    const float *values;      /* [key_count][component_count]; CUBICSPLINE: [key_count][3][component_count] = in-tangent, value, out-tangent */
} bw_channel;

typedef struct bw_clip {
    const char *name; /* never NULL; unique in the scene ("Run", "Run.1") */
    struct { const bw_channel *data; size_t count; } channels; /* a node and path once; empty only where the clip plays caches */
    bool plays_caches;     /* the scene's caches run with it; one clip at most */
    double start_s, end_s; /* first and last key of all channels; with caches also first and last sample of those that have several */
    double key_rate_fps;   /* 24, 25, 30, 48, 50 or 60 if all keys lie on that grid within 1 ms (from 0 or from start_s); 0: none.  With caches
                            * any rate: that of their samples */
} bw_clip;

/* Carried through to the written mesh, not interpreted.  `json` is the object's text in glTF's form; texture indices in it point into
 * bw_scene.textures. */
typedef struct bw_material { const char *name, *json; } bw_material;
typedef struct bw_texture { const char *json; uint32_t image; } bw_texture; /* json without "source"; image or BW_NO_INDEX */
typedef struct bw_image {
    const char *name, *mime; /* "image/png"; never NULL */
    const void *data;        /* the encoded file; NULL where it was missing (a warning says so) */
    size_t size;
} bw_image;

/* A file that was read, for hashes in the manifest.  path is relative to the scene file's folder.  An image that was missing has 0 bytes. */
typedef struct bw_source_file { const char *path; uint64_t bytes; uint8_t hash[16]; } bw_source_file;

typedef struct bw_scene {
    const char *path;      /* as given to bw_scene_load */
    const char *format;    /* "glb", "gltf", "alembic" */
    const char *generator; /* "" if none is named */
    struct { const bw_node *data; size_t count; } nodes; /* file order */
    bw_index_list node_order; /* every node, parents before children */
    struct { const bw_mesh *data; size_t count; } meshes;
    struct { const bw_skin *data; size_t count; } skins;
    struct { const bw_clip *data; size_t count; } clips; /* file order */
    struct { const bw_material *data; size_t count; } materials;
    struct { const bw_texture *data; size_t count; } textures;
    struct { const bw_image *data; size_t count; } images;
    struct { const char *const *data; size_t count; } samplers; /* JSON text of texture samplers */
    bw_string_list material_extensions; /* names used inside materials, textures and samplers */
    struct { const bw_source_file *data; size_t count; } files; /* the scene file first, then its buffers and images */
    bw_warning_list warnings;
    void *arena;
    void (*close)(void *ctx); /* closes what the caches read from; bw_free_scene calls it.  NULL: nothing is open */
    void *close_ctx;
} bw_scene;

typedef struct bw_scene_opts {
    bool any_folder; /* true: files named in the file may lie outside its folder; default no */
    bool no_images;  /* true: images are not read */
    bool loose_joints; /* true: joints and weights of meshes without a skin are kept, as the file has them; default no */
    bw_up up;        /* axis that is up in an Alembic file; default Y */
    bw_unit units;   /* one unit of an Alembic file; default that of the program that made it, else metres */
    bw_run_opts run;
} bw_scene_opts;

/* Reads a scene file.  Out: scene — new, free with bw_free_scene.  In: path — .glb, .gltf or .abc, told by content; opts — NULL: defaults.
 * Err: FILE_*, EMPTY, UNRECOGNISED, TRUNCATED, JSON, MALFORMED, UNSUPPORTED, MEMORY, CANCELLED.  Thread-safe.  Source: glTF 2.0, docs/ALEMBIC.md. */
bw_result bw_scene_load(bw_scene **scene, const char *path, const bw_scene_opts *opts, bw_error *error);
void bw_free_scene(bw_scene *scene);

/* Adds the clips of other files to a scene: channels go to the nodes of the same names, joints before others.  Clips that share a name are named
 * after their files: "walk" where the file holds one clip, else "walk.Run"; the scene's own keep theirs.  What does not fit is a warning of the
 * scene.  Out: scene — its clips, files and warnings; unchanged on failure.  In: files — paths, or patterns whose '*' and '?' stand for
 * characters of one part, or several of them between commas; the scene's own file is passed over, as are files without clips that a pattern
 * found; prefix — such as "mixamorig:", dropped from the names of both sides; NULL: none; opts — NULL: defaults.
 * Err: as bw_scene_load, FILE_MISSING (a pattern that matches nothing), NO_CLIP (a file of which nothing fits: what it drives and what was
 * expected is in the message). */
bw_result bw_scene_add_clips(bw_scene *scene, bw_string_list files, const char *prefix, const bw_scene_opts *opts, bw_error *error);

#ifdef __cplusplus
}
#endif
#endif
