/* SPDX-License-Identifier: MIT
 * What a scene, an archive, an image, a cyHair file or a bake holds, counted for people; and the documents that --json prints. */
#ifndef BAKEWELL_INFO_H
#define BAKEWELL_INFO_H

#include <stdio.h>

#include "bakewell/alembic.h"
#include "bakewell/groom.h"
#include "bakewell/scene.h"
#include "bakewell/vat.h"
#include "bakewell/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bw_mesh_info {
    const char *name;
    uint64_t vertex_count, triangle_count; /* of all primitives */
    uint32_t primitive_count;
    uint32_t node_count;      /* that show the mesh */
    uint32_t joint_count;     /* of the largest skin it is bound to; 0: none */
    uint32_t influence_count; /* most that any vertex uses */
    uint32_t target_count;
    uint32_t uv_set_count;    /* most that any primitive has */
} bw_mesh_info;

typedef struct bw_clip_info {
    const char *name;
    double start_s, end_s, rate_fps; /* rate 0: the keys lie on no common grid */
    uint32_t channel_count;
    uint32_t linear_count, step_count, cubic_count; /* channels by interpolation */
} bw_clip_info;

/* A mesh that no skin moves, below a joint: a weapon, a hat. */
typedef struct bw_attachment_info {
    const char *node, *mesh, *joint;
} bw_attachment_info;

/* Names point into the scene, which must stay. */
typedef struct bw_scene_info {
    const char *path, *format, *generator; /* as in bw_scene */
    uint32_t node_count, hidden_node_count; /* hidden: outside the default scene */
    uint32_t skin_count, material_count, texture_count, image_count;
    struct { const bw_mesh_info *data; size_t count; } meshes;
    struct { const bw_clip_info *data; size_t count; } clips;
    struct { const bw_attachment_info *data; size_t count; } attachments;
    bw_warning_list warnings;
    void *arena;
} bw_scene_info;

/* Counts what a scene holds.  Out: info — new, free with bw_free_scene_info.  Err: MEMORY.  Cost: reads every vertex weight once. */
bw_result bw_scene_describe(bw_scene_info **info, const bw_scene *scene, bw_error *error);
void bw_free_scene_info(bw_scene_info *info);

typedef struct bw_texture_info {
    const char *file, *role, *format, *decode; /* "hero_vat_pos.png", "position", "png16", "bounds+oct8" */
    uint32_t page, width, height;
    uint64_t bytes; /* of the file */
} bw_texture_info;

/* What a bake's manifest says. */
typedef struct bw_bake_info {
    const char *path, *generator;
    const char *family;                 /* "vat", "pivot" */
    const char *engine;
    const char *mode, *layout, *format; /* of vat; else NULL */
    bw_pivot_facts pivot;               /* of pivot; else {0} */
    const char *up, *handedness, *unit; /* of the space of the texture data: "y", "right", "m" */
    const char *mesh;                   /* its file */
    uint64_t mesh_bytes;
    uint32_t vertex_count, frame_count;
    uint32_t uv_set;                    /* TEXCOORD of the texels; BW_NO_INDEX: none is needed */
    struct { const bw_texture_info *data; size_t count; } textures;
    uint64_t texture_bytes;             /* texels in GPU memory */
    bw_string_list bones;               /* names; none: vertex mode */
    const char *skin_in;                /* bone mode: "texture" or "mesh"; else NULL */
    uint32_t influence_count;           /* that a vertex has room for; 0: vertex mode */
    struct { const bw_baked_clip *data; size_t count; } clips;
    struct { const bw_baked_level *data; size_t count; } levels;
    bw_string_list sources;             /* files as the manifest names them */
    const char *root_node;              /* whose travel and turn were taken out; NULL: root motion was kept */
    bool has_error;
    bw_error_report error;
    void *arena;
} bw_bake_info;

/* Reads a bake's manifest; no other file is opened.  Out: info — new, free with bw_free_bake_info.  In: path; run — NULL: default.
 * Err: UNRECOGNISED (no manifest: a scene, perhaps; nothing was read from a pipe), FILE_*, EMPTY, JSON, MALFORMED, UNSUPPORTED, MEMORY. */
bw_result bw_bake_describe(bw_bake_info **info, const char *path, const bw_run_opts *run, bw_error *error);
void bw_free_bake_info(bw_bake_info *info); /* NULL-safe */

/* What an image's texels look like. */
typedef enum bw_image_kind {
    BW_IMAGE_PLAIN = 0,
    BW_IMAGE_PIVOT_POSITION, /* Pivot Painter 2: pivots and parents of elements ("Position and Index") */
    BW_IMAGE_PIVOT_AXIS      /* Pivot Painter 2: axes and lengths of elements ("X-Vector and X-Extent") */
} bw_image_kind;

enum { BW_IMAGE_DEPTHS = 8 };

/* An image file, of whatever tool. */
typedef struct bw_image_info {
    const char *path, *format; /* "exr", "png", "tga" */
    uint32_t width, height;
    const char *texels;        /* "16-bit floats" */
    bw_image_kind kind;
    uint32_t element_count, padding_count; /* PIVOT_POSITION; an axis texture does not tell its padding: 0 */
    uint32_t root_count, max_depth;
    uint32_t depth_counts[BW_IMAGE_DEPTHS]; /* elements by steps to their root; the last: and deeper */
    const char *packing;       /* of parents, in words */
    float least[3], most[3];   /* of pivots, as stored */
    double extent_least_cm, extent_most_cm; /* PIVOT_AXIS, as the stock functions read them */
    bw_warning_list findings;  /* what the stock functions would trip over: code, sentence, first place, count */
    void *arena;
} bw_image_info;

/* Reads an image and tells whether it is a Pivot Painter texture.  Out: info — new, free with bw_free_image_info.  In: path — .exr, .png or .tga;
 * run — NULL: default.  Err: UNRECOGNISED (no image), FILE_*, EMPTY, TRUNCATED, MALFORMED, UNSUPPORTED, TOO_LARGE, MEMORY.
 * Source: docs/PIVOT.md. */
bw_result bw_image_describe(bw_image_info **info, const char *path, const bw_run_opts *run, bw_error *error);
void bw_free_image_info(bw_image_info *info); /* NULL-safe */

/* One array of a cyHair file, or the value that its header has for all in place of one. */
typedef struct bw_hair_array {
    const char *name;     /* "segments", "points", "thickness", "transparency", "colors" */
    bool stored;          /* false: min and max are the header's value */
    uint64_t count;       /* values; 1 if not stored */
    uint32_t extent;      /* numbers of a value: 1 or 3 */
    float min[3], max[3]; /* of its finite values; NaN: there is none */
} bw_hair_array;

/* A cyHair file. */
typedef struct bw_hair_info {
    const char *path, *made_by; /* made_by: the header's text, "" if empty */
    uint32_t strand_count, point_count;
    bw_hair_array arrays[5];    /* in the order of the file */
    size_t array_count;         /* 4 without points, which have no value for all */
    void *arena;
} bw_hair_info;

/* Reads a cyHair file whole.  Out: info — new, free with bw_free_hair_info.  In: path; run — NULL: default.
 * Err: UNRECOGNISED (no cyHair file; nothing was read from a pipe), FILE_*, EMPTY, TRUNCATED, MALFORMED, MEMORY. */
bw_result bw_hair_describe(bw_hair_info **info, const char *path, const bw_run_opts *run, bw_error *error);
void bw_free_hair_info(bw_hair_info *info); /* NULL-safe */

/* Options of info; {0} is the default.  Meaning and range of each field stand in options_info.def. */
typedef struct bw_info_opts {
#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) ctype field;
#include "bakewell/options_info.def"
#undef BW_OPT
    bw_run_opts run;
} bw_info_opts;

/* True if a file is to be opened as an archive: it begins like one, or its name ends with ".abc". */
bool bw_is_alembic(const char *path);
/* Strands and points of a curves object's first sample, as its properties claim them.  Out: strands, points — 0 if the object is of another kind, or
 * holds no samples.  Err: MALFORMED (properties that are no arrays) and as bw_alembic_view. */
bw_result bw_alembic_count_curves(uint64_t *strands, uint64_t *points, bw_alembic *archive, const bw_alembic_object *object, bw_error *error);
/* Writes "bakewell/info/1" of an archive as it is read: its head, then objects and properties, and their samples if opts->values; with
 * opts->verify what verifying it found instead, or besides if both are asked.  Parts that cannot be read are marked in the document, and the rest
 * is written; the document is whole in any case.  In: out — a stream; archive — not used elsewhere at the time.
 * Err: that of the first part that could not be read; DIFFERS (verify found something); FILE_WRITE, MEMORY, CANCELLED.  Source: docs/ALEMBIC.md. */
bw_result bw_alembic_info_json(FILE *out, bw_alembic *archive, const bw_info_opts *opts, bw_error *error);

/* Documents of one line, ending in a newline; free with bw_free_text.  All return NULL if memory fails.  Source: docs/FORMATS.md. */

/* "bakewell/info/1". */
char *bw_scene_info_json(const bw_scene_info *info);
/* "bakewell/info/1", of format "bake". */
char *bw_bake_info_json(const bw_bake_info *info);
/* "bakewell/info/1", of format "image". */
char *bw_image_info_json(const bw_image_info *info);
/* "bakewell/info/1", of format "cyhair". */
char *bw_hair_info_json(const bw_hair_info *info);
/* "bakewell/result/1" of a bake.  In: error — NULL unless the bake ended with BW_ERR_BOUND_MISSED; seconds — wall time, for the reader. */
char *bw_vat_report_json(const bw_vat_report *report, const bw_error *error, double seconds);
/* "bakewell/result/1" of verify.  In: manifest — the path that was checked; error — NULL unless it ended with DIFFERS or BOUND_MISSED. */
char *bw_verify_report_json(const bw_verify_report *report, const char *manifest, const bw_error *error, double seconds);
/* "bakewell/result/1" of a bake of pivots.  In: seconds — wall time, for the reader. */
char *bw_pivot_report_json(const bw_pivot_report *report, double seconds);
/* "bakewell/groom/1".  In: error — NULL unless the engine would fail; seconds — wall time, for the reader. */
char *bw_groom_report_json(const bw_groom_report *report, const bw_error *error, double seconds);
/* "bakewell/result/1" of a command that failed.  In: command — "vat"; NULL: none was understood. */
char *bw_failure_json(const char *command, const bw_error *error);
/* "bakewell/result/1" of a command with many inputs.  In: status — of the whole; documents — one a result, each made by a call above. */
char *bw_results_json(const char *command, int status, const char *const *documents, size_t count);
void bw_free_text(char *text); /* NULL-safe */

#ifdef __cplusplus
}
#endif
#endif
