/* SPDX-License-Identifier: MIT
 * Pivot Painter 2: a tree's elements, their parents, pivots, axes and lengths in two small textures, and a mesh that reads them. */
#ifndef BAKEWELL_PIVOT_H
#define BAKEWELL_PIVOT_H

#include "bakewell/scene.h"
#include "bakewell/vat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is an element.  AUTO: joints where all meshes are skinned, nodes where several show a mesh about pivots of their own, else parts. */
typedef enum bw_pivot_elements {
    BW_PIVOT_ELEMENTS_DEFAULT = 0, /* auto */
    BW_PIVOT_ELEMENTS_AUTO,
    BW_PIVOT_ELEMENTS_NODES,   /* each node with a mesh, and each instance; parents are the nodes' */
    BW_PIVOT_ELEMENTS_PARTS,   /* connected parts of all meshes; parents are found */
    BW_PIVOT_ELEMENTS_JOINTS,  /* joints of skins; a triangle goes with the joint that holds most of it */
    BW_PIVOT_ELEMENTS_MATERIAL /* all triangles of a material; parents are found */
} bw_pivot_elements;

/* Axis of a node or joint that runs along its element. */
typedef enum bw_pivot_axis {
    BW_PIVOT_AXIS_DEFAULT = 0, /* auto */
    BW_PIVOT_AXIS_AUTO,        /* from the pivot to the mean of the vertices farthest from it */
    BW_PIVOT_AXIS_X, BW_PIVOT_AXIS_Y, BW_PIVOT_AXIS_Z, BW_PIVOT_AXIS_NEG_X, BW_PIVOT_AXIS_NEG_Y, BW_PIVOT_AXIS_NEG_Z
} bw_pivot_axis;

typedef enum bw_pivot_extent { BW_PIVOT_EXTENT_DEFAULT = 0, BW_PIVOT_EXTENT_TIP, BW_PIVOT_EXTENT_BOUNDS } bw_pivot_extent;

/* Most elements that a packed index can name. */
enum { BW_PIVOT_ELEMENTS_MAX = 30720, BW_PIVOT_LEVELS = 8 };

/* Options of a bake; {0} is the default.  Meaning, default and range of each field stand in options_pivot.def. */
typedef struct bw_pivot_opts {
#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) ctype field;
#include "bakewell/options_pivot.def"
#undef BW_OPT
    bw_write_opts write; /* dry_run: USAGE */
    bw_run_opts run;
} bw_pivot_opts;

/* How an element's parent was found; the less is known, the lower bw_pivot_element.confidence. */
typedef enum bw_pivot_found {
    BW_PIVOT_FOUND_GIVEN = 0, /* by nodes, joints, the program or the override file: confidence 1 */
    BW_PIVOT_FOUND_ROOT,      /* it stands on the ground and touches none, or none is near: a root */
    BW_PIVOT_FOUND_RING,      /* its open end lies at the parent's surface */
    BW_PIVOT_FOUND_CONTACT,   /* it touches the parent */
    BW_PIVOT_FOUND_NEAREST    /* nothing touches it: the nearest */
} bw_pivot_found;

/* A part of the tree that turns about its pivot.  Space: glTF's, right-handed, Y up, metres. */
typedef struct bw_pivot_element {
    const char *name;     /* never NULL */
    uint32_t parent;      /* index of an element, or BW_NO_INDEX: a root */
    double pivot[3];
    double axes[3][3];    /* x, y, z of its frame, unit; x runs along it.  y and z may be (0, 0, 0): made up */
    double extents[3];    /* lengths along the axes, metres; 0: measured from the mesh, by opts->extent */
    double confidence;    /* 0 … 1, of the parent and the pivot; in a program's own plan 1 */
    bw_pivot_found found;
    double distance;      /* from the parent's surface, metres; 0 where given */
} bw_pivot_element;

typedef struct bw_pivot_primitive {
    uint32_t material; /* of plan.scene, or BW_NO_INDEX */
    uint32_t first_vertex, vertex_count;
    bw_index_list indices; /* triangles, into the plan's vertices, inside this primitive's */
} bw_pivot_primitive;

/* What is baked: elements in any order, and the mesh at rest with the element of each vertex.  Plain: a program may fill one itself. */
typedef struct bw_pivot_plan {
    struct { const bw_pivot_element *data; size_t count; } elements;
    uint32_t vertex_count;
    const float *positions; /* [vertex_count][3], metres */
    const float *normals;   /* [vertex_count][3]; NULL: none */
    const float *tangents;  /* [vertex_count][4]; NULL: none */
    const uint32_t *vertex_elements; /* [vertex_count] */
    struct { const float *const *data; size_t count; } uv_sets; /* [n][vertex_count][2], v from the top; NULL: a gap */
    struct { const float *const *data; size_t count; } colors;  /* [n][vertex_count][4] */
    struct { const bw_pivot_primitive *data; size_t count; } primitives;
    const bw_scene *scene;  /* whose materials the primitives name; NULL: none */
    const char *kind;       /* "nodes", "parts", "joints", "material"; NULL: made by a program */
    uint32_t dropped_count; /* elements without triangles that were left out; their children went to the one above */
    uint32_t clustered_count, merged_count; /* elements joined to keep max_elements and max_depth */
    double cluster_error;   /* farthest that the pivot of a leaf is from that of the element it was joined to, metres */
    bw_warning_list warnings;
    void *arena;            /* NULL in a program's own */
} bw_pivot_plan;

/* What rounding and the textures' formats cost, measured by decoding the files that were written. */
typedef struct bw_pivot_error {
    uint32_t wrong_parent_count;  /* elements whose chain of parents reads otherwise than it was written */
    double pivot_max, pivot_mean; /* metres */
    uint32_t pivot_worst;         /* element, in the order of the texels */
    double axis_max_deg, axis_mean_deg;
    double extent_max, extent_mean; /* metres, of elements that no limit cut */
    uint32_t long_count, short_count; /* elements above 2048 cm or under 8 cm, which a byte cannot hold */
} bw_pivot_error;

/* What the textures hold. */
typedef struct bw_pivot_facts {
    const char *kind;     /* of elements: as bw_pivot_plan's; "program" where that is NULL */
    uint32_t element_count, root_count;
    uint32_t level_counts[BW_PIVOT_LEVELS]; /* elements by their steps from a root; the last: and deeper */
    uint32_t max_depth;   /* levels: 1 where there are roots only */
    bool tip;             /* extents run from the pivot to the tip, else over the bounds */
    uint32_t dropped_count, clustered_count, merged_count; /* as bw_pivot_plan's */
    double cluster_error;
    bw_pivot_error error; /* as the bake measured it */
} bw_pivot_facts;

/* An element whose parent was guessed; in the order of the texels. */
typedef struct bw_pivot_guess {
    const char *element, *parent; /* parent NULL: a root */
    const char *found;            /* "root", "ring", "contact", "nearest" */
    double confidence, distance;  /* as bw_pivot_element's */
} bw_pivot_guess;

/* What a bake made.  Owned by one arena: bw_free_pivot_report. */
typedef struct bw_pivot_report {
    const char *manifest; /* path */
    struct { const bw_output_file *data; size_t count; } outputs; /* roles "mesh", "level", "position", "axis", "extra", "manifest"; the manifest last */
    const char *engine;
    uint32_t vertex_count, width, height, uv_set;
    bw_pivot_facts facts;
    struct { const bw_pivot_guess *data; size_t count; } guesses; /* none where the bake is up to date */
    bool up_to_date;      /* the files were there, and nothing was read but them */
    bw_warning_list warnings;
    bw_string_list sources; /* paths of the scene and every file it names; none for a program's plan */
    void *arena;
} bw_pivot_report;

/* Finds the elements of a scene, without baking them.  Out: plan — new, free with bw_free_pivot_plan.
 * Err: as bw_scene_load; USAGE, NO_MESH, TOO_LARGE (more elements than fit), MALFORMED (an override file), MEMORY, CANCELLED.
 * Cost: O(vertices · log vertices).  Source: docs/PIVOT.md. */
bw_result bw_pivot_plan_make(bw_pivot_plan **plan, const char *scene_path, const bw_pivot_opts *opts, bw_error *error);
void bw_free_pivot_plan(bw_pivot_plan *plan);

/* Bakes a scene to textures, a mesh and a manifest, reads them back and checks every element.
 * Out: report — new, free with bw_free_pivot_report.  In: as bw_vat_bake.
 * Err: as bw_pivot_plan_make and FILE_WRITE; INTERNAL where the files read otherwise than they were meant.  On failure no file has changed. */
bw_result bw_pivot_bake(bw_pivot_report **report, const char *scene_path, const char *out_dir, const bw_pivot_opts *opts, bw_error *error);

/* The same of a plan, whoever made it.  In: plan — checked here; opts — what finds elements is not asked; opts->name is needed.
 * Err: USAGE (an element index or a parent out of range, parents in a circle, an axis without length, numbers that are not finite, elements
 * without a vertex), TOO_LARGE (more than 30,720 elements), and as bw_pivot_bake. */
bw_result bw_pivot_write(bw_pivot_report **report, const bw_pivot_plan *plan, const char *out_dir, const bw_pivot_opts *opts, bw_error *error);
void bw_free_pivot_report(bw_pivot_report *report);

#ifdef __cplusplus
}
#endif
#endif
