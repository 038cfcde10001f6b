/* SPDX-License-Identifier: MIT
 * The manifest: what a bake's files are, as a struct and as JSON ("bakewell/bake/1").  Source: docs/FORMATS.md. */
#ifndef BWI_MODEL_MANIFEST_H
#define BWI_MODEL_MANIFEST_H

#include <stdio.h>

#include "bakewell/options.h"
#include "bakewell/vat.h"
#include "base/error.h"
#include "base/json.h"
#include "base/thread.h"
#include "model/space.h"
#include "model/texels.h"

#define BWI_MANIFEST_SCHEMA "bakewell/bake/1"
/* No patch version: it changes no file. */
#define BWI_MANIFEST_GENERATOR "Bakewell " BWI_TEXT_OF(BW_VERSION_MAJOR) "." BWI_TEXT_OF(BW_VERSION_MINOR)
#define BWI_TEXT_OF(number) BWI_TEXT_OF_(number)
#define BWI_TEXT_OF_(number) #number

typedef enum bwi_texture_role {
    BWI_ROLE_POSITION = 0, /* "position" */
    BWI_ROLE_NORMAL,       /* "normal" */
    BWI_ROLE_BONES,        /* "bones": of bone and rigid mode, in place of positions */
    BWI_ROLE_WEIGHTS       /* "weights": one page, whatever the bones have */
} bwi_texture_role;

/* What a texel means; names in JSON in quotes. */
typedef enum bwi_texture_decode {
    BWI_DECODE_BOUNDS = 0,  /* "bounds": RGB over the clip's bounds, A = largest code */
    BWI_DECODE_BOUNDS_OCT8, /* "bounds+oct8": A = octahedral normal, 2 × 8 bits */
    BWI_DECODE_ABSOLUTE,    /* "absolute": RGB = position, A = 1 */
    BWI_DECODE_OCT,         /* "oct": RG = octahedral normal, B = 0, A = largest */
    BWI_DECODE_OCT_OCT,     /* "oct+oct": RG = normal, BA = tangent */
    BWI_DECODE_OFFSET,      /* "offset": RGB over the range of all offsets, added to the mesh's position, A = 1 */
    BWI_DECODE_OFFSET_NORMAL, /* "offset+normal": the same; half the height below it the normal */
    BWI_DECODE_NORMAL,      /* "normal": RGB = ½ normal + ½, A = 1 */
    BWI_DECODE_BONE_QUATERNION, /* "pivot+quaternion": 2 texels a bone */
    BWI_DECODE_BONE_MATRIX, /* "matrix+pivot": 3 float texels a bone */
    BWI_DECODE_WEIGHTS      /* "weights": blocks of bone numbers, then blocks of weights */
} bwi_texture_decode;

typedef struct bwi_manifest_texture {
    const char *file; /* name beside the manifest */
    bwi_texture_role role;
    uint32_t page; /* 0 … ; for the seed layout the clip's index */
    uint32_t width, height;
    bw_vat_format format;
    bwi_texture_decode decode;
    uint64_t bytes;
    uint8_t hash[16];
} bwi_manifest_texture;

/* Root motion that was taken out of a clip's frames: what is stored at p stands at pivot + translation + turn(p − pivot).  In the space of the
 * texture data; nothing along up. */
typedef struct bwi_root_track {
    const char *node; /* NULL: none was taken out */
    float pivot[3];   /* where the node stands on the ground in the first frame */
    const float *translation; /* [frame_count][3], the first 0 */
    const float *yaw_rad;     /* [frame_count] about up, by the rule of the space's hand; the first 0, never a jump by a whole turn */
    float cycle_translation[3], cycle_yaw_rad; /* from the first frame to where the next cycle begins */
} bwi_root_track;

/* Values of an attachment in every frame, or one for all of them. */
typedef struct bwi_track { const float *data; uint32_t count; /* frame_count or 1 */ } bwi_track;

/* A node's transform in each frame of a clip, root motion taken out; space of the texture data. */
typedef struct bwi_attachment {
    const char *node;
    bwi_track translation, rotation, scale; /* of 3, 4 (unit quaternion x y z w, neighbours on one side) and 3 floats */
} bwi_attachment;

typedef struct bwi_manifest_event {
    const char *name;
    double time_s; /* after the clip's first frame */
} bwi_manifest_event;

typedef struct bwi_manifest_clip {
    const char *name;
    uint32_t first_frame, frame_count;
    double rate_fps, duration_s;
    bool loop;
    float bounds_min[3], bounds_max[3]; /* space of the texture data */
    bw_string_list source_names;        /* clips played together; empty: the rest pose */
    double source_start_s;              /* time in the source of the first frame */
    double source_end_s;                /* and its end; not seed: of the last frame, or of the one before a closing copy */
    bool closed;                        /* the last frame is an appended copy of the first */
    float pivot_min[3], pivot_max[3];   /* bones of 2 texels: range of the posed pivots, space of the texture data */
    float max_scale;                    /* and of their scales; 1 where nothing has a scale above 0 */
    bwi_root_track root;
    struct { bwi_attachment *data; size_t count; } attachments; /* the same nodes in every clip */
    struct { bwi_manifest_event *data; size_t count; } events;  /* in order of time */
} bwi_manifest_clip;

/* Time in the source of a clip's frame: all but seed spread source_start_s … source_end_s evenly, both ends exact; seed steps by 1/60 s. */
double bwi_manifest_clip_time(bw_vat_layout layout, const bwi_manifest_clip *clip, uint32_t frame);

/* Bones of bone and rigid mode: docs/FORMATS.md §11. */
typedef struct bwi_manifest_bones {
    uint32_t count;                   /* B; 0: vertex mode, and the rest is unset */
    uint32_t texel_count;             /* T, texels a bone: 2 (pivot, quaternion) or 3 (matrix) */
    uint32_t per_row;                 /* bones a row */
    uint32_t influence_count;         /* that a vertex has room for: 1 (rigid), 4 or 8 */
    bw_vat_skin_in skin_in;           /* bone mode: TEXTURE or MESH; rigid: DEFAULT */
    float pivot_min[3], pivot_max[3]; /* of the pivots in the reference block, space of the texture data */
    const char *const *names;         /* [count] */
} bwi_manifest_bones;

/* An expected position, so that a script inside an engine can check itself. */
typedef struct bwi_probe {
    uint32_t element;
    uint32_t clip;
    uint32_t frame; /* of the clip */
    float position[3]; /* space of the texture data */
} bwi_probe;

typedef struct bwi_manifest_file { const char *file; uint64_t bytes; uint8_t hash[16]; } bwi_manifest_file;

/* A coarser mesh that reads the base's texels. */
typedef struct bwi_manifest_level {
    bwi_manifest_file mesh;
    uint32_t vertex_count;
    uint8_t order_hash[16];
    bool has_error;
    double rest_max, rest_rms; /* metres */
    bw_error_stats frames;     /* as bw_error_report's; vertices are the level's */
} bwi_manifest_level;

typedef struct bwi_manifest {
    const char *generator; /* "Bakewell 0.1" */
    bw_vat_mode mode;      /* never DEFAULT or AUTO */
    bw_vat_layout layout;
    bw_engine engine;
    bw_vat_format format;
    bwi_space_name space;
    bw_vat_opts options;       /* those that were given; `run` is {0} */
    bwi_manifest_file mesh;    /* the GLB */
    struct { bwi_manifest_texture *data; size_t count; } textures;
    bwi_manifest_bones bones;
    uint32_t uv_set;           /* TEXCOORD index; BW_NO_INDEX: none, since joints and weights are in the mesh */
    uint32_t element_count;    /* V */
    uint8_t order_hash[16];
    uint32_t frame_count;      /* N */
    uint32_t rows_per_frame;   /* R; of bones where there are some */
    uint32_t frames_per_page;  /* K; seed: 0 */
    struct { bwi_manifest_clip *data; size_t count; } clips;
    float bounds_min[3], bounds_max[3]; /* of all clips */
    float offset_min[3], offset_max[3]; /* openvat: range of the offsets */
    bwi_manifest_file remap_info;       /* openvat: its own JSON file */
    bool has_error;
    bw_error_report error; /* metres of the source; worst.clip and worst.part are strings of the manifest */
    struct { bwi_manifest_level *data; size_t count; } levels;
    struct { bwi_probe *data; size_t count; } probes;
    struct { bwi_manifest_file *data; size_t count; } source; /* the scene file first; names only, no folders for the first */
} bwi_manifest;

/* True if both sets of options say the same, so that the same files come of the same source.  False also where memory fails. */
bool bwi_manifest_options_equal(const bw_vat_opts *a, const bw_vat_opts *b, bwi_mem *mem);

/* Name of a mode, as typed and in JSON; NULL for DEFAULT and unknown values. */
const char *bwi_mode_name(bw_vat_mode mode);
/* Names of what a texture is for and of what its texels mean, as in JSON. */
const char *bwi_texture_role_name(bwi_texture_role role);
const char *bwi_texture_decode_name(bwi_texture_decode decode);
/* Name of a layout, as typed; NULL for DEFAULT and unknown values. */
const char *bwi_layout_name(bw_vat_layout layout);

/* Diagonal of a clip's bounds in metres of the source. */
double bwi_manifest_clip_diagonal(const bwi_manifest *manifest, const bwi_manifest_clip *clip);

/* Writes {"unit", "stored", "between", "between_step"}; a section that measured nothing is null. */
void bwi_error_report_write(bwi_json_writer *w, const bw_error_report *report);
/* One of its sections under a key; null where nothing was measured. */
void bwi_error_stats_write(bwi_json_writer *w, const char *key, const bw_error_stats *stats);
/* The error of a level of detail. */
void bwi_level_error_write(bwi_json_writer *w, double rest_max, double rest_rms, const bw_error_stats *frames);

/* Writes the manifest as JSON, 2 blanks indent, keys in the order of docs/FORMATS.md.  In: path — for messages.  An error section that
 * measured nothing is null.  Err: FILE_WRITE, MEMORY.  The same struct gives the same bytes. */
bw_result bwi_manifest_write(FILE *file, const char *path, const bwi_manifest *manifest, bwi_mem *mem, bw_error *error);
/* True for the beginning of a manifest of any version. */
bool bwi_manifest_recognise(const void *data, size_t size);
/* True for one of a family, "vat" or "pivot", as Bakewell writes it. */
bool bwi_manifest_is_of(const void *data, size_t size, const char *family);
/* Reads and checks a manifest: schema, types, ranges, counts that agree, names without folders; unknown keys are passed over.
 * Out: manifest — in the arena.
 * Err: FILE_*, EMPTY, JSON, MEMORY, MALFORMED (names the key), UNSUPPORTED (another schema, family, mode, layout). */
bw_result bwi_manifest_read(bwi_manifest **manifest, bwi_arena *arena, const char *path, bw_error *error);
/* The same from text in memory; path is for messages. */
bw_result bwi_manifest_parse(bwi_manifest **manifest, bwi_arena *arena, const char *text, size_t size, const char *path, bw_error *error);

#endif
