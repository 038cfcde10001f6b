/* SPDX-License-Identifier: MIT
 * Vertex animation textures: the bake. */
#ifndef BAKEWELL_VAT_H
#define BAKEWELL_VAT_H

#include "bakewell/common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bw_engine {
    BW_ENGINE_DEFAULT = 0, /* generic */
    BW_ENGINE_GENERIC, BW_ENGINE_UNITY, BW_ENGINE_UNREAL, BW_ENGINE_GODOT, BW_ENGINE_THREE, BW_ENGINE_BABYLON, BW_ENGINE_PLAYCANVAS
} bw_engine;

/* What a texture holds.  AUTO: the smallest whose stored error keeps the bound. */
typedef enum bw_vat_mode {
    BW_VAT_MODE_DEFAULT = 0, /* auto */
    BW_VAT_MODE_AUTO,
    BW_VAT_MODE_VERTEX, /* the position of each vertex */
    BW_VAT_MODE_BONE,   /* pivot and rotation of each joint; vertices follow several by weights */
    BW_VAT_MODE_RIGID,  /* pivot and rotation of each piece; a vertex follows one */
    BW_VAT_MODE_SOUP    /* the position of each corner of triangles that are others in every frame, which are never mixed */
} bw_vat_mode;

/* Where bone mode's joints and weights of a vertex are. */
typedef enum bw_vat_skin_in { BW_VAT_SKIN_IN_DEFAULT = 0, /* by engine */ BW_VAT_SKIN_IN_TEXTURE, BW_VAT_SKIN_IN_MESH } bw_vat_skin_in;

typedef enum bw_vat_layout { BW_VAT_LAYOUT_DEFAULT = 0, BW_VAT_LAYOUT_NATIVE, BW_VAT_LAYOUT_SEED, BW_VAT_LAYOUT_OPENVAT } bw_vat_layout;

typedef enum bw_vat_format {
    BW_VAT_FORMAT_DEFAULT = 0, /* by engine */
    BW_VAT_FORMAT_PNG8, BW_VAT_FORMAT_PNG16, BW_VAT_FORMAT_EXR16, BW_VAT_FORMAT_EXR32,
    BW_VAT_FORMAT_KTX2_U16, BW_VAT_FORMAT_KTX2_U10, BW_VAT_FORMAT_KTX2_F16, BW_VAT_FORMAT_KTX2_F32, BW_VAT_FORMAT_RAW,
    BW_VAT_FORMAT_RAW_F32
} bw_vat_format;

typedef enum bw_vat_loop { BW_VAT_LOOP_DEFAULT = 0, BW_VAT_LOOP_AUTO, BW_VAT_LOOP_YES, BW_VAT_LOOP_NO } bw_vat_loop;
typedef enum bw_vat_normals { BW_VAT_NORMALS_DEFAULT = 0, BW_VAT_NORMALS_PACKED, BW_VAT_NORMALS_SEPARATE, BW_VAT_NORMALS_OFF } bw_vat_normals;
typedef enum bw_vat_root_motion { BW_VAT_ROOT_MOTION_DEFAULT = 0, BW_VAT_ROOT_MOTION_KEEP, BW_VAT_ROOT_MOTION_EXTRACT } bw_vat_root_motion;
typedef enum bw_vat_tangents { BW_VAT_TANGENTS_DEFAULT = 0, BW_VAT_TANGENTS_ON, BW_VAT_TANGENTS_OFF } bw_vat_tangents;
typedef enum bw_vat_materials { BW_VAT_MATERIALS_DEFAULT = 0, BW_VAT_MATERIALS_KEEP, BW_VAT_MATERIALS_NONE } bw_vat_materials;

/* The sizes of a bake, known before any work. */
typedef struct bw_vat_sizes {
    uint32_t vertex_count, clip_count, frame_count;
    size_t candidate_count;             /* ways to bake among which errors will decide; 1: the rest is what will be baked, else the smallest */
    const char *mode;                   /* "vertex", "bone", "rigid", "soup" */
    uint32_t bone_count;                /* of bone and rigid mode, else 0 */
    uint32_t width, height, page_count; /* of the position or bone texture; seed: of the largest clip, and the number of clips */
    const char *format;                 /* "png16" */
    bool normal_texture;                /* a second texture of the same size */
    uint64_t texture_bytes;             /* of all texels in GPU memory, and of joints and weights in the mesh */
} bw_vat_sizes;

/* Called once, before any frame is evaluated for texels.  Returns false to stop: BW_ERR_CANCELLED. */
typedef bool (*bw_vat_plan_fn)(void *ctx, const bw_vat_sizes *sizes);

/* Something that happens in a clip, carried to the manifest: a footstep, a hit. */
typedef struct bw_vat_event {
    const char *clip; /* of the bake */
    const char *name;
    double time_s; /* after the clip's first frame; 0 … its length */
} bw_vat_event;

/* Options of a bake; {0} is the default.  Meaning, default and range of each field stand in options_vat.def. */
typedef struct bw_vat_opts {
#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) ctype field;
#include "bakewell/options_vat.def"
#undef BW_OPT
    bw_write_opts write;
    struct { const bw_vat_event *data; size_t count; } events; /* none; job files name them, no flag does */
    bw_run_opts run;
    bw_vat_plan_fn plan; /* NULL: none */
    void *plan_ctx;
} bw_vat_opts;

/* Where an error is largest. */
typedef struct bw_error_place {
    const char *clip;
    double time_s;   /* after the clip's first frame */
    uint32_t frame;  /* of the clip; the earlier one for an error between frames */
    uint32_t vertex; /* element of the texture, 0 … V − 1 */
    const char *part; /* name of the node it came from */
} bw_error_place;

/* Distances between decoded and sampled positions, over all clips, frames and vertices; in metres of the source. */
typedef struct bw_error_stats {
    uint64_t count; /* of distances measured; 0: the rest is 0 */
    double max, p99, rms;
    double max_relative; /* largest of distance / diagonal of its clip's bounds; a clip whose bounds are a point is passed over */
    double normal_deg;   /* largest angle between decoded and sampled normals, degrees; 0 without; bones that have vanished have none */
    bw_error_place worst;
} bw_error_stats;

typedef struct bw_error_report {
    bw_error_stats stored;       /* at the stored frames: what encoding lost */
    bw_error_stats between;      /* half-way between them, of bones a fifth of the way too: what the frame rate lost; without a step key */
    bw_error_stats between_step; /* the same of intervals in which a STEP channel changes */
} bw_error_report;

typedef struct bw_output_file {
    const char *path; /* as written: out_dir/name */
    const char *role; /* "mesh", "level", "position", "normal", "bones", "weights", "remap_info", "manifest" */
    uint64_t bytes;
    bool changed; /* false: the file stood there with the same bytes and was left alone; or it is a dry run's, and is not there */
} bw_output_file;

typedef struct bw_baked_clip {
    const char *name;
    uint32_t first_frame, frame_count;
    double rate_fps, duration_s;
    bool loop;
    double diagonal; /* of its bounds, metres of the source */
} bw_baked_clip;

/* A coarser mesh that reads the same textures. */
typedef struct bw_baked_level {
    const char *file; /* beside the manifest */
    uint32_t vertex_count;
    double rest_max, rest_rms; /* distance from each of its vertices at rest to the base's vertex whose texels it reads, metres */
    bw_error_stats frames;     /* from its own vertices, posed, to where the texels put them; vertices are the level's */
} bw_baked_level;

/* One way to bake that was looked at. */
typedef struct bw_vat_candidate {
    const char *mode, *format; /* "bone", "png16": as options name them; `note` says where matrices make another format of it */
    uint32_t rate_divisor;     /* the clips' rates over this */
    uint64_t bytes;            /* in GPU memory: texels, and joints and weights in the mesh; 0: it does not get that far */
    bool measured;             /* baked, read back and compared; else the errors are 0 */
    double stored_max, stored_relative;   /* as bw_error_stats: metres, and part of the diagonal */
    double between_max, between_relative;
    bool fits;                 /* within the bounds */
    bool chosen;
    const char *note;          /* why it does not fit or was not tried, what is special about it; "": nothing */
} bw_vat_candidate;

/* What a bake made.  Owned by one arena: bw_free_vat_report. */
typedef struct bw_vat_report {
    const char *manifest; /* path */
    struct { const bw_output_file *data; size_t count; } outputs; /* the manifest last */
    struct { const bw_baked_clip *data; size_t count; } clips;
    uint32_t vertex_count, frame_count, page_count, width, height;
    uint64_t texture_bytes; /* texels in GPU memory */
    const char *mode;       /* "vertex", "bone", "rigid", "soup" */
    const char *why;        /* the mode was taken, half a sentence; NULL where the bake is up to date */
    struct { const bw_vat_candidate *data; size_t count; } candidates; /* the simpler first; none where the bake is up to date */
    uint32_t bone_count;    /* of bone and rigid mode, else 0 */
    bool matrices;          /* bones are float matrices, since some shear or scale unevenly; else quaternions */
    const char *skin_in;    /* bone mode: "texture" or "mesh"; else NULL */
    double shear, shear_relative; /* what quaternions cost, or would cost: metres, and part of its clip's diagonal; 0 where up to date */
    double dropped;         /* what joints beyond `influences` cost at most, metres; likewise */
    const char *layout;     /* "native", "seed", "openvat" */
    const char *format;     /* of the textures: "png16" */
    const char *root_node;  /* whose travel and turn were taken out; NULL: root motion was kept */
    double rest_diagonal;   /* of the written mesh's bounds, metres of the source: a clip that travels is many times longer */
    bw_string_list sources; /* paths of the scene and every file it names */
    bool up_to_date;        /* the files were there, and nothing was read but them: no warnings, rest_diagonal 0, errors from the manifest */
    bw_warning_list warnings;
    bw_error_report error;
    struct { const bw_baked_level *data; size_t count; } levels;
    bool bounds_kept; /* max_error and max_between hold, or were not given; levels are not asked */
    bool dry_run;     /* no file is there */
    void *arena;
} bw_vat_report;

/* Bakes a scene to textures, a mesh and a manifest, reads them back and measures the error; of several ways to bake (mode auto) takes the
 * smallest that keeps the bounds.
 * Out: report — new, free with bw_free_vat_report; also set when BW_ERR_BOUND_MISSED.  In: scene_path — .glb, .gltf or .abc; out_dir — made if
 * missing; NULL: the working folder; opts — NULL or {0}: defaults.
 * Err: all of results.def; on any but BW_ERR_BOUND_MISSED no file has changed.
 * Where the manifest in out_dir names the same version, options and hashes of the source, and every file is as it says, nothing is done
 * (report->up_to_date) unless opts->write.force.
 * Cost: O(vertices × frames) for each way that is tried, with opts->write.dry_run for all; memory is the input, one page of texels and 64 MiB.  Thread-safe for distinct out_dir.
 * Source: docs/FORMATS.md. */
bw_result bw_vat_bake(bw_vat_report **report, const char *scene_path, const char *out_dir, const bw_vat_opts *opts, bw_error *error);
void bw_free_vat_report(bw_vat_report *report);

#ifdef __cplusplus
}
#endif
#endif
