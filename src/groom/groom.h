/* SPDX-License-Identifier: MIT
 * Grooms: judge what a file has, repair it into strands that engines take, complete what they would invent.  Plain data in and out, no files. */
#ifndef BWI_GROOM_GROOM_H
#define BWI_GROOM_GROOM_H

#include "base/error.h"
#include "base/thread.h"
#include "model/hair.h"

/* ---- judging: groom_judge*.c ---- */

/* One row of groom_findings.def: every rule there is.  docs/GROOM.md holds the same table. */
typedef struct bwi_groom_rule {
    const char *code;
    const char *levels;  /* a letter an engine, in the order of bw_groom_engine: E, W, I; -: no rule there */
    bool doubtful;
    const char *summary; /* half a sentence for the docs */
    const char *fix;     /* one sentence */
} bwi_groom_rule;
extern const bwi_groom_rule bwi_groom_rules[]; /* ends with code NULL */

/* What an engine makes of a file.  Lists are in the arena. */
typedef struct bwi_groom_verdict {
    bool accepted;
    uint64_t strands, guides, points;
    struct { bw_groom_group_report *data; size_t count; } groups;
    struct { bw_groom_attribute_report *data; size_t count; } attributes;
    struct { bw_groom_finding *data; size_t count; } findings;
} bwi_groom_verdict;

/* In: engine — never DEFAULT; space — of the file, for sizes and widths.  Err: MEMORY, CANCELLED.  A file without curves is a verdict like any. */
struct bwi_groom_space;
bw_result bwi_groom_judge(bwi_groom_verdict *verdict, bwi_arena *arena, const bwi_hair *hair, bw_groom_engine engine,
                          const struct bwi_groom_space *space, const bwi_env *env, bw_error *error);

/* ---- axes and units: groom_space.c ---- */

typedef struct bwi_groom_space {
    double to_unreal[16]; /* from the file's axes and units to Unreal's, column-major; of a rotation, permutation or mirror and one scale */
    double unit_cm;       /* one unit of the file in cm */
    const char *text;     /* "maya: y up, right-handed, cm" */
    const char *reason;   /* "named by the file's exporter", "given", "nothing is known: taken as Unreal would" */
} bwi_groom_space;
/* In: opts — from, up, units, hand.  Err: USAGE (they contradict a format that fixes its axes), MEMORY. */
bw_result bwi_groom_space_find(bwi_groom_space *space, bwi_arena *arena, const bwi_hair *hair, const bw_groom_opts *opts, bw_error *error);

/* ---- sizes: groom_sizes.c ---- */

typedef struct bwi_groom_sizes {
    bw_groom_numbers length_cm, width_cm; /* of strands of two and more finite points, as polylines; of widths that the file gives; 0 without */
    float bounds_min[3], bounds_max[3];   /* of finite points, Unreal's axes, cm */
    uint64_t frames;                      /* most samples of any positions */
} bwi_groom_sizes;
/* How large a file's hair is, every curves object in its place.  Err: MEMORY, CANCELLED.  Cost: a pass over the points. */
bw_result bwi_groom_sizes_of(bwi_groom_sizes *sizes, const bwi_hair *hair, const bwi_groom_space *space, const bwi_env *env, bw_error *error);

/* ---- repairing: groom_fix*.c, groom_spline.c ---- */

/* What a repair measured. */
typedef struct bwi_groom_measures {
    double shape_error_cm; /* as bw_groom_report's */
} bwi_groom_measures;

/* Makes a groom of what a file has: objects chosen, transforms baked (local to parent, as they are meant), axes and unit turned to Unreal's,
 * splines evaluated on their basis and knots, curves resampled, merged and cleaned, attributes brought to the type and scope of the schema.
 * Out: groom — in the arena, all arrays owned by it; changes — every kind of change, counted.  The same file and options give the same groom; a groom
 * that Bakewell wrote comes back as it is, without changes.  In: hair — must stay while groom->animation is read.
 * Err: NO_CURVES (says what the file holds), USAGE (a pattern that matches nothing), MEMORY, CANCELLED. */
bw_result bwi_groom_fix(bw_groom **groom, bwi_groom_measures *measures, bwi_warnings *changes, bwi_arena *arena, const bwi_hair *hair,
                        const bw_groom_opts *opts, const bwi_groom_space *space, const bwi_env *env, bw_error *error);

/* Repeats the animation of a groom for chosen points: in: of_points — [count] old point of each new one.  NULL stays NULL. */
bw_result bwi_groom_cache_select(const bw_cache **cache, bwi_arena *arena, const bw_cache *old, uint32_t old_count, const uint32_t *of_points,
                                 uint32_t count, bw_error *error);

/* ---- completing: groom_complete.c, groom_guides.c, groom_roots.c, groom_nearest.c ---- */

/* Adds what engines would invent: widths, ids, groups, guides, root UVs, closest guides and their weights; replaces closest guides that do not
 * hold.  Guides are copies of strands, behind all others, since an engine draws no strand that is marked as one; groups that have some get none,
 * groups of guides alone get copies of them as hair, and neither is done for Unity, which draws them all.  A groom that is whole stays as it is.
 * In: groom — changed in place; NaN in widths and root_uvs and -1 in closest_guides are absent values; scalp — NULL: a sphere around the roots;
 * its triangles' first UVs, in glTF's space, which replace those of the groom.  Err: MEMORY, CANCELLED, USAGE (a scalp without UVs or triangles). */
bw_result bwi_groom_complete(bw_groom *groom, bwi_warnings *changes, bwi_arena *arena, const bw_groom_opts *opts, const bw_scene *scalp,
                             const bwi_env *env, bw_error *error);
/* Fewer strands: the fraction of each group, evenly over the roots; guides are kept; widths grow by as much as strands grow fewer, so that the
 * area covered stays; ids are numbered from 0.  In: groom — with widths.  Err: MEMORY, CANCELLED. */
bw_result bwi_groom_decimate(bw_groom *groom, bwi_warnings *changes, bwi_arena *arena, double fraction, const bwi_env *env, bw_error *error);
/* The strands of one group as a groom of its own, numbered from 0; closest guides and weights hold in themselves. */
bw_result bwi_groom_take_group(bw_groom **part, bwi_arena *arena, const bw_groom *groom, uint32_t group, bw_error *error);
/* The strands that are no guides, for formats that know none.  Err: MEMORY. */
bw_result bwi_groom_without_guides(bw_groom **part, bwi_arena *arena, const bw_groom *groom, bw_error *error);
/* opts->guides_only: how far strands that follow their guides are from their own motion, over all samples of the animation; and the groom whose
 * animation is that of its guides, strands following. */
bw_result bwi_groom_guides_only(bw_groom *groom, double *max_cm, double *rms_cm, bwi_arena *arena, const bwi_env *env, bw_error *error);

#endif
