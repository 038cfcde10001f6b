/* SPDX-License-Identifier: MIT
 * Hair: grooms by Unreal's "Alembic for Grooms" schema, checked, repaired, completed and written. */
#ifndef BAKEWELL_GROOM_H
#define BAKEWELL_GROOM_H

#include "bakewell/common.h"
#include "bakewell/scene.h"
#include "bakewell/vat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whose importer. */
typedef enum bw_groom_engine {
    BW_GROOM_ENGINE_DEFAULT = 0, /* unreal5.8 */
    BW_GROOM_UNREAL_5_0, BW_GROOM_UNREAL_5_3, BW_GROOM_UNREAL_5_4, BW_GROOM_UNREAL_5_8, BW_GROOM_UNITY
} bw_groom_engine;

/* Which axes and units a file has; by default told by what made it, else as Unreal takes it. */
typedef enum bw_groom_from {
    BW_GROOM_FROM_DEFAULT = 0,
    BW_GROOM_FROM_MAYA, BW_GROOM_FROM_BLENDER, BW_GROOM_FROM_HOUDINI, BW_GROOM_FROM_MAX, BW_GROOM_FROM_UNREAL
} bw_groom_from;
typedef enum bw_groom_hand { BW_GROOM_HAND_DEFAULT = 0, BW_GROOM_HAND_RIGHT, BW_GROOM_HAND_LEFT } bw_groom_hand;
typedef enum bw_groom_group_by {
    BW_GROOM_GROUP_BY_DEFAULT = 0, BW_GROOM_GROUP_BY_ATTRIBUTE, BW_GROOM_GROUP_BY_OBJECT, BW_GROOM_GROUP_BY_NONE
} bw_groom_group_by;
typedef enum bw_groom_split_by { BW_GROOM_SPLIT_BY_DEFAULT = 0, /* one file */ BW_GROOM_SPLIT_BY_GROUP } bw_groom_split_by;

/* Options; {0} is the default.  Meaning, default and range of each field stand in options_groom.def. */
typedef struct bw_groom_opts {
#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) ctype field;
#include "bakewell/options_groom.def"
#undef BW_OPT
    bw_write_opts write;
    bw_run_opts run;
} bw_groom_opts;

/* ---- a groom in memory ---- */

/* Strands that grow and look alike.  Its number in bw_groom.groups is its dense id in files. */
typedef struct bw_groom_group {
    int32_t id;           /* as the file had it, for reports */
    const char *name;     /* never NULL; "Group_0" where the file has none */
    const char *cards_id; /* NULL: none */
} bw_groom_group;

/* Strands as polylines in Unreal's space: left-handed, X forward, Y right, Z up, centimetres.  Guides are strands like the others, flagged.  A
 * program may fill one itself: arrays that are NULL are absent. */
typedef struct bw_groom {
    uint32_t strand_count, point_count;
    uint32_t *first_points; /* [strand_count + 1], ascending, the last point_count; 2 to 255 points a strand */
    float *positions;       /* [point_count][3], root first; finite */
    uint8_t *guides;        /* [strand_count] 1: a guide; NULL: none is */
    uint32_t *group_of;     /* [strand_count], into groups; NULL: all are of the first */
    struct { bw_groom_group *data; size_t count; } groups; /* at least one */
    int32_t *ids;           /* [strand_count], >= 0, each once */
    float *widths;          /* [point_count], diameters in cm */
    float *root_uvs;        /* [strand_count][2] */
    int32_t *closest_guides; /* [strand_count][3], ids of guides; of a guide its own */
    float *guide_weights;   /* [strand_count][3], >= 0, sum 1 */
    float *colors;          /* [point_count][3], linear */
    float *roughness, *ao;  /* [point_count] */
    int32_t *clump_ids;     /* [strand_count][clump_width], 0 … 65535 */
    uint32_t clump_width;   /* 1 or 3; 0 without clump_ids */
    const char *tool, *properties; /* groom_tool and groom_properties of the file; NULL: none */
    const bw_cache *animation; /* positions, [point_count][3] a sample; `positions` hold the first; NULL: it stands still */
    void *arena;            /* owner of all of it; NULL: the program that filled it */
} bw_groom;

/* Positions of strands that follow their guides: rest + Σ weight · (guide − guide at rest), a guide taken at the point's own part of the strand's
 * length: at u = k/(n − 1), k the point and n the strand's points, linearly between the guide's own points.  Guides are where they are told to be.
 * Out: positions — [point_count][3].  In: groom — with guides, ids, closest_guides and guide_weights; guide_positions — [point_count][3], of which
 * only the guides' points are read.  Err: USAGE (the groom lacks one of these, a closest guide is none).  Cost: O(points); allocates a table of
 * guides by id.  Thread-safe.  Source: docs/FORMATS.md, "Strands from their guides". */
bw_result bw_groom_follow(float *positions, const bw_groom *groom, const float *guide_positions, bw_error *error);

/* ---- reports ---- */

typedef enum bw_groom_level {
    BW_GROOM_INFO = 0,
    BW_GROOM_WARNING, /* ignored without a word, or wrong */
    BW_GROOM_ERROR    /* the import is refused, or the engine crashes */
} bw_groom_level;

/* "error", "warning", "info". */
const char *bw_groom_level_name(bw_groom_level level);

/* One rule that a file breaks: one entry a rule and object, counted. */
typedef struct bw_groom_finding {
    const char *code;    /* stable, kebab-case; docs/GROOM.md lists them */
    bw_groom_level level;
    bool doubtful;       /* the rule is not sure, the message says so */
    const char *place;   /* "/groom/hair, groom_width": the first */
    const char *message; /* one sentence: found, expected, what the engine does */
    const char *fix;     /* one sentence: what to do, or what -o does */
    uint64_t count;      /* strands, points or values, as the message says */
} bw_groom_finding;

typedef struct bw_groom_attribute_report {
    const char *name;   /* "groom_width", "width" for Alembic's own */
    const char *object; /* path */
    const char *type;   /* "float32", "int16", "string" */
    uint32_t extent;
    const char *scope;  /* "constant", "uniform", "varying", "vertex", "facevarying", "unknown"; "groom" for properties of the whole groom */
    uint64_t count;     /* elements */
    bool used;          /* by the engine */
    const char *reason; /* why not, or as what; "" : as it is */
} bw_groom_attribute_report;

/* As the engine ends up with it. */
typedef struct bw_groom_group_report {
    int64_t id;
    const char *name;
    uint64_t strands, guides, points; /* render strands; guides; points of both */
} bw_groom_group_report;

typedef struct bw_groom_numbers {
    double min, median, max;
} bw_groom_numbers;

/* Owned by one arena: bw_free_groom_report. */
typedef struct bw_groom_report {
    const char *path, *format;   /* "alembic", "cyhair", "glb", "gltf" */
    const char *made_by;         /* program; "" if the file names none */
    const char *engine;          /* "unreal5.8" */
    bool accepted;               /* the engine would take the file and not crash */
    uint64_t strands, points, guides; /* render strands and guides; points of both */
    uint64_t frames;             /* of an animated groom; 1: it stands still */
    bw_groom_numbers length_cm, width_cm; /* of strands and of points, by the axes and units below; 0 without */
    float bounds_min[3], bounds_max[3];   /* cm, Unreal's axes */
    const char *from, *from_reason; /* "maya, y up, cm, right-handed"; "named by the file" */
    struct { const bw_groom_group_report *data; size_t count; } groups;
    struct { const bw_groom_attribute_report *data; size_t count; } attributes;
    struct { const bw_groom_finding *data; size_t count; } findings; /* errors first, then in the order of the file */
    /* Of a repair; else empty and 0: */
    bw_warning_list changes; /* what was changed: code ("spline-evaluated"), sentence, first place, count */
    struct { const bw_output_file *data; size_t count; } outputs;
    bool dry_run; /* no file is there */
    uint64_t written_strands, written_guides, written_points; /* of all outputs together */
    double shape_error_cm;   /* farthest that a written polyline is from its spline */
    bool follows;            /* strands were moved by their guides over all frames: */
    double follow_max_cm, follow_rms_cm; /* how far they then are from their own motion */
    void *arena;
} bw_groom_report;

/* Reads a groom and says what an engine would make of it.  Out: report — new, free with bw_free_groom_report; also set when NOT_ACCEPTED.
 * In: path — .abc, .hair, .glb or .gltf, told by content; opts — NULL: defaults.
 * Err: NOT_ACCEPTED (the engine refuses the file or crashes: the findings of level error say why), what reading files gives.
 * Cost: one pass over the file; memory is its attributes.  Thread-safe.  Source: docs/GROOM.md. */
bw_result bw_groom_check(bw_groom_report **report, const char *path, const bw_groom_opts *opts, bw_error *error);

/* Reads a groom, repairs and completes it, writes it, reads it back and checks it again.  Out: report — new; it tells of the source, its changes and
 * outputs; not set on failure.  In: out — .abc, .glb, .hair or .usda by its ending; with split_by a folder.
 * Err: what reading files gives; NOT_ACCEPTED (what would be written is not what the engine takes: the message says why), NO_CURVES (nothing is left to write), USAGE, FILE_WRITE, OVERWRITES_INPUT; on any failure no file has changed. */
bw_result bw_groom_repair(bw_groom_report **report, const char *path, const char *out, const bw_groom_opts *opts, bw_error *error);
void bw_free_groom_report(bw_groom_report *report);

/* Reads and repairs a groom as bw_groom_repair does, and hands it over in place of writing it.  Out: groom — new, free with bw_free_groom. */
bw_result bw_groom_load(bw_groom **groom, const char *path, const bw_groom_opts *opts, bw_error *error);
void bw_free_groom(bw_groom *groom); /* NULL-safe; not for one that the program filled itself */

#ifdef __cplusplus
}
#endif
#endif
