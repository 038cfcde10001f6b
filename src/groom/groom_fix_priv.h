/* SPDX-License-Identifier: MIT
 * What the files of the repair share: strands on their way, splines, attributes as a file has them. */
#ifndef BWI_GROOM_FIX_PRIV_H
#define BWI_GROOM_FIX_PRIV_H

#include "base/math.h"
#include "groom/groom.h"

/* ---- splines: groom_spline.c ---- */

typedef enum bwi_curve_form {
    BWI_FORM_LINEAR = 0, BWI_FORM_BEZIER, BWI_FORM_BSPLINE, BWI_FORM_CATMULL_ROM, BWI_FORM_HERMITE, BWI_FORM_POWER, BWI_FORM_NURBS
} bwi_curve_form;

enum { BWI_MAX_ORDER = 32, BWI_MAX_STRAND_POINTS = 255 };

/* One curve: how its control points make a line.  Segments are numbered along it, each runs over t in [0, 1]. */
typedef struct bwi_curve {
    bwi_curve_form form;
    bool closed;
    uint32_t cv_count;
    uint32_t segment_count;  /* >= 1 */
    uint32_t order;          /* of NURBS: 2 … BWI_MAX_ORDER, at most cv_count */
    const float *knots;      /* of NURBS: [cv_count + order], or without the first and the last; NULL: uniform, through both ends */
    bool short_knots;        /* without the first and the last */
    const float *weights;    /* [cv_count] > 0; NULL: all the same */
} bwi_curve;

/* A place on a curve. */
typedef struct bwi_curve_point { uint32_t segment; float t; } bwi_curve_point;

/* The part each control point has in a place.  Shares sum to 1 but for Hermite tangents and power coefficients; `values` are for what goes along
 * with the control points, such as widths: there they always do. */
typedef struct bwi_curve_mix {
    uint32_t count;
    uint32_t cvs[BWI_MAX_ORDER];
    double shares[BWI_MAX_ORDER], values[BWI_MAX_ORDER];
} bwi_curve_mix;

/* Fills segment_count; false: too few control points for the form, or knots that do not ascend: the curve then becomes linear. */
bool bwi_curve_prepare(bwi_curve *curve);
bool bwi_curve_segment_is_empty(const bwi_curve *curve, uint32_t segment);
void bwi_curve_mix_at(bwi_curve_mix *mix, const bwi_curve *curve, bwi_curve_point at);
void bwi_curve_share(bwi_curve_mix *mix, const bwi_curve *curve, bwi_curve_point at); /* without values */

/* Places, growing. */
typedef struct bwi_curve_points {
    bwi_mem *mem;
    bwi_curve_point *data;
    size_t count, capacity;
} bwi_curve_points;

/* In what follows: cvs — [cv_count][3].  Appends places between which straight lines stay within the tolerance of the curve; every segment's start and the curve's end are among them,
 * so that what goes along with control points keeps its detail.  Stops after `most` places.  False: memory. */
bool bwi_curve_flatten(bwi_curve_points *points, const bwi_curve *curve, const double *cvs, double tolerance, size_t most);
/* Appends `count` places, evenly along the curve's length; none where it has no length.  False: memory. */
bool bwi_curve_spread(bwi_curve_points *points, const bwi_curve *curve, const double *cvs, uint32_t count);
/* Farthest that the curve is from the straight lines between places. */
double bwi_curve_error(const bwi_curve *curve, const double *cvs, const bwi_curve_point *points, size_t count);

/* ---- strands: groom_fix.c, groom_fix_strands.c ---- */

typedef enum bwi_strand_fate {
    BWI_STRAND_KEPT = 0, BWI_STRAND_NEGATIVE, BWI_STRAND_PAST_END, BWI_STRAND_NO_POINTS, BWI_STRAND_ONE_POINT, BWI_STRAND_NOT_FINITE,
    BWI_STRAND_NO_LENGTH, BWI_STRAND_FATES
} bwi_strand_fate;

typedef struct bwi_strand {
    uint32_t source;    /* into sources */
    uint32_t index;     /* of the source's curves */
    uint64_t first;     /* control point of the source's */
    uint32_t cv_count;
    uint16_t point_count;
    uint8_t fate;       /* bwi_strand_fate */
    uint8_t is_placed;  /* its points stand at places on a curve; else they are the control points */
    bool is_linear;     /* what its basis cannot be evaluated on: a polyline */
    bool was_resampled, was_too_long, was_closed, knots_replaced;
} bwi_strand;

/* How an object's knots are laid out: by curve or one vector for all, whole or without each first and last. */
typedef enum bwi_knots_layout { BWI_KNOTS_NONE = 0, BWI_KNOTS_WHOLE, BWI_KNOTS_SHORT, BWI_KNOTS_SHARED, BWI_KNOTS_SHARED_SHORT } bwi_knots_layout;

/* One object's curves. */
typedef struct bwi_source {
    const bwi_hair_curves *curves;
    const bwi_hair_object *object;
    bwi_mat4 world;          /* to Unreal's axes and cm */
    double scale;            /* of lengths across: sizes of the file to cm */
    uint32_t first_strand, strand_count; /* of kept ones */
    bwi_knots_layout knots;
    bool weights_fit;
    const uint64_t *first_knots; /* [curve_count] */
    const uint64_t *first_varying; /* [curve_count + 1] values of varying scope before each curve; NULL: not needed yet */
} bwi_source;

typedef struct bwi_fix {
    const bwi_hair *hair;
    const bw_groom_opts *opts;
    const bwi_env *env;
    bwi_arena *arena;        /* of the groom */
    bwi_arena *scratch;
    bwi_warnings *changes;
    struct { bwi_source *data; size_t count; } sources;
    struct { bwi_strand *data; size_t count; } strands; /* all, then those kept */
    uint32_t *attribute_starts, *attributes_of; /* [objects + 1] into [attributes]: which each object has */
    bwi_curve_point *places; /* [points] of strands that are placed; NULL: none is */
    bwi_mat4 to_unreal;
    double tolerance_cm;
    double shape_error_cm;
    bw_groom *groom;
} bwi_fix;

/* The curve of a strand, its control points not looked at. */
bwi_curve bwi_strand_curve(const bwi_source *source, const bwi_strand *strand);
bw_result bwi_fix_strands(bwi_fix *fix, bw_error *error);
/* Positions of the points of strands [begin, end) from control points of their source: out — that of the first strand's first point. */
void bwi_fix_place(float *out, const bwi_fix *fix, const bwi_source *source, const bwi_mat4 *world, const float *cvs, uint32_t begin,
                   uint32_t end);
bwi_mat4 bwi_hair_world(const bwi_hair *hair, uint32_t object);
/* The size of a unit under a matrix, over all directions. */
double bwi_fix_scale(const bwi_mat4 *m);
bool bwi_hair_path_matches(const char *pattern, const char *path);

/* ---- attributes: groom_fix_attributes.c, groom_fix_values.c, groom_fix_groups.c ---- */

typedef enum bwi_view_scope { BWI_VIEW_NONE = 0, BWI_VIEW_CONSTANT, BWI_VIEW_STRAND, BWI_VIEW_VERTEX, BWI_VIEW_VARYING } bwi_view_scope;

/* An attribute of one source as it is to be read. */
typedef struct bwi_view {
    bwi_view_scope scope;
    const bwi_hair_attribute *attribute, *second; /* second: of two that make up a pair; else NULL */
    uint32_t width;
    bool flat;      /* single numbers, `width` of them an element */
    uint64_t count; /* elements; those past the end are the last */
    double factor;  /* to the schema's unit */
} bwi_view;

/* Finds what stands for an attribute of the schema in a source; says in changes what is not as the schema has it.
 * In: row — by name.  Out: view — scope NONE: there is none. */
bw_result bwi_fix_find(bwi_view *view, bwi_fix *fix, bwi_source *source, const char *name, bw_error *error);
/* The attribute of the schema that another spelling of its name stands for; NULL: none. */
const char *bwi_fix_meant(const bwi_hair_attribute *attribute);
double bwi_view_number(const bwi_view *view, uint64_t element, uint32_t component);
/* A strand's: of vertex and varying scope that of its root.  Text: NULL where there is none, or it is a number. */
double bwi_view_strand_number(const bwi_view *view, const bwi_source *source, const bwi_strand *strand, uint32_t component);
const char *bwi_view_strand_text(const bwi_view *view, const bwi_source *source, const bwi_strand *strand);
/* A strand's points, in between mixed as the curve mixes its control points.  Out: out — [point_count][view->width].  In: places — of its points;
 * NULL: they are the control points. */
void bwi_view_point_numbers(float *out, const bwi_view *view, const bwi_source *source, const bwi_strand *strand, const bwi_curve_point *places);

bw_result bwi_fix_values(bwi_fix *fix, bw_error *error);
bw_result bwi_fix_groups(bwi_fix *fix, bw_error *error);
bw_result bwi_fix_ids(bwi_fix *fix, bw_error *error);

/* ---- motion: groom_fix_motion.c ---- */

bw_result bwi_fix_motion(bwi_fix *fix, bw_error *error);

#endif
