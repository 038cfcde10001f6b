/* SPDX-License-Identifier: MIT
 * What the objects of an archive mean: transforms, meshes, points, curves and the attributes on them, in place and checked against the topology of
 * the very sample that is asked for.  Opening walks the archive and is not thread-safe; looking at samples is. */
#ifndef BWI_ALEMBIC_SCHEMA_H
#define BWI_ALEMBIC_SCHEMA_H

#include "bakewell/alembic.h"
#include "base/error.h"
#include "base/math.h"

typedef enum bwi_abc_schema {
    BWI_ABC_NONE = 0, /* nothing is said: a group */
    BWI_ABC_XFORM,
    BWI_ABC_POLYMESH,
    BWI_ABC_SUBD,
    BWI_ABC_POINTS,
    BWI_ABC_CURVES,
    BWI_ABC_FACESET,
    BWI_ABC_OTHER /* cameras, lights, patches, materials … */
} bwi_abc_schema;

/* By the metadata key "schema", of any version. */
bwi_abc_schema bwi_abc_schema_of(const bw_alembic_object *object);

/* Fails with the place in the file: "FILE: object /a, property .geom/P, sample 3: …".  In: property — NULL: the object; sample — −1: none. */
bw_result bwi_abc_fail(bw_error *error, bw_result result, const bw_alembic *archive, const bw_alembic_object *object,
                       const bw_alembic_property *property, int64_t sample, const char *format, ...) __attribute__((format(printf, 7, 8)));

/* Time of a property's sample, and the sample nearest to a time; property NULL or without samples: 0. */
double bwi_abc_time(const bw_alembic *archive, const bw_alembic_property *property, uint32_t index);
uint32_t bwi_abc_index_at(const bw_alembic *archive, const bw_alembic_property *property, double time_s);
/* Whether samples can differ. */
bool bwi_abc_is_animated(const bw_alembic_property *property);

/* Values of samples at any address. */
float bwi_abc_float(const bw_alembic_sample *sample, uint64_t value);  /* of FLOAT32 */
int32_t bwi_abc_int(const bw_alembic_sample *sample, uint64_t value);  /* of INT32 */
/* Vectors of three FLOAT32 that belong to points, each below the sample's point_count.  Out: vectors — [count][3]. */
void bwi_abc_gather(float *vectors, const bw_alembic_sample *sample, const uint32_t *points, size_t count);

/* Points or vectors of three finite floats, such as positions and velocities.  Err: MALFORMED, as bw_alembic_view. */
bw_result bwi_abc_vectors_view(bw_alembic_sample *vectors, const bw_alembic *archive, const bw_alembic_property *property, uint32_t index,
                               bw_error *error);

/* ---- attributes: alembic_param.c ---- */

/* An attribute of geometry (a GeomParam): values, or values that indices choose from. */
typedef struct bwi_abc_param {
    const bw_alembic_property *values;  /* NULL: there is no such attribute */
    const bw_alembic_property *indices; /* NULL: each element has its own value */
    bw_alembic_scope scope;
    uint32_t width;        /* numbers of an element: the property's extent × its metadata's arrayExtent */
    uint32_t sample_count; /* the larger of both */
} bwi_abc_param;

/* In: property — an array, or a compound of ".vals" and ".indices"; NULL: *param is {0}.  Err: MALFORMED (is neither, indices that are not
 * uint32, points that are not whole elements) and as bw_alembic_members. */
bw_result bwi_abc_param_open(bwi_abc_param *param, bw_alembic *archive, const bw_alembic_property *property, bw_error *error);

typedef struct bwi_abc_param_sample {
    bw_alembic_sample values, indices;
    bool indexed;          /* indices that are empty leave the values as they are */
    uint32_t width;
    uint64_t count;        /* elements */
    uint64_t value_count;  /* elements that are stored */
} bwi_abc_param_sample;
/* In: index — the last sample stands for all after it, of values and of indices apart.  Err: as bw_alembic_view; MALFORMED (no samples, points
 * that are not whole elements). */
bw_result bwi_abc_param_view(bwi_abc_param_sample *sample, const bw_alembic *archive, const bwi_abc_param *param, uint32_t index, bw_error *error);
/* Which stored element an element is; UINT64_MAX: its index points past them. */
uint64_t bwi_abc_param_element(const bwi_abc_param_sample *sample, uint64_t element);

/* How many elements each scope has in one sample; indexed by bw_alembic_scope. */
typedef struct bwi_abc_counts { uint64_t of_scope[BW_ALEMBIC_SCOPE_UNKNOWN]; } bwi_abc_counts;
/* Whether an attribute's sample has as many elements as its scope has in that sample of the geometry, each with a value. */
bool bwi_abc_param_fits(const bwi_abc_param_sample *sample, bw_alembic_scope scope, const bwi_abc_counts *counts);

/* ---- what all objects may have: alembic_schema.c ---- */

/* "visible", of which −1 leaves it to the parent; NULL: the object says nothing.  Err: MALFORMED (no int8 scalar), as bw_alembic_properties. */
bw_result bwi_abc_visibility_open(const bw_alembic_property **visible, bw_alembic *archive, const bw_alembic_object *object, bw_error *error);
/* Err: as bw_alembic_view. */
bw_result bwi_abc_visibility(int *visible, const bw_alembic *archive, const bw_alembic_property *property, uint32_t index, bw_error *error);
/* Attributes of geometry that its exporter chose: what ".geom/.arbGeomParams" and ".geom/.userProperties" hold.  compound — NULL: none. */
bw_result bwi_abc_extras_open(const bw_alembic_property **arbitrary, const bw_alembic_property **user, bw_alembic *archive,
                              const bw_alembic_object *object, bw_error *error);

/* ---- transforms: alembic_xform.c ---- */

typedef struct bwi_abc_xform {
    const bw_alembic_object *object;
    const bw_alembic_property *ops, *values, *inherits; /* NULL: identity; no numbers; it inherits */
    uint32_t sample_count; /* of values and inherits; at least 1: the identity */
    uint32_t op_count, value_count;
} bwi_abc_xform;

/* Err: MALFORMED (ops that do not take as many numbers as there are, an unknown op), as bw_alembic_properties and bw_alembic_view. */
bw_result bwi_abc_xform_open(bwi_abc_xform *xform, bw_alembic *archive, const bw_alembic_object *object, bw_error *error);
/* Out: matrix — column-major for column vectors, as everywhere in Bakewell; inherits — whether the parent's world matrix stands before it.
 * Err: as bw_alembic_view; MALFORMED (numbers that are not finite, or multiply to what is not). */
bw_result bwi_abc_xform_sample(bwi_mat4 *matrix, bool *inherits, const bw_alembic *archive, const bwi_abc_xform *xform, uint32_t index,
                               bw_error *error);
bool bwi_abc_xform_is_animated(const bwi_abc_xform *xform);
double bwi_abc_xform_time(const bw_alembic *archive, const bwi_abc_xform *xform, uint32_t index);

/* ---- meshes: alembic_mesh.c ---- */

typedef struct bwi_abc_mesh {
    const bw_alembic_object *object;
    bool subdivision; /* the faces are the cage */
    const bw_alembic_property *positions, *face_indices, *face_counts;
    const bw_alembic_property *velocities; /* NULL: none */
    bwi_abc_param uv, normals;
} bwi_abc_mesh;

/* Err: MALFORMED (positions or faces that are missing or of another type), as bw_alembic_properties. */
bw_result bwi_abc_mesh_open(bwi_abc_mesh *mesh, bw_alembic *archive, const bw_alembic_object *object, bw_error *error);

/* Counts of faces, and of corners of all faces together. */
typedef struct bwi_abc_faces {
    bw_alembic_sample indices, counts;
    uint32_t face_count, corner_count;
    uint32_t triangle_count; /* of which the faces can be made; faces of less than three corners give none */
} bwi_abc_faces;

/* Faces of a sample, every corner a point below point_count.  In: index — the last sample stands for all after it.
 * Err: MALFORMED (a negative count, counts that sum up to more than the indices, an index past the points), TOO_LARGE, as bw_alembic_view. */
bw_result bwi_abc_faces_view(bwi_abc_faces *faces, const bw_alembic *archive, const bwi_abc_mesh *mesh, uint32_t index, uint64_t point_count,
                             bw_error *error);
/* For bwi_abc_param_fits. */
bwi_abc_counts bwi_abc_mesh_counts(const bwi_abc_faces *faces, uint64_t point_count);
/* True if faces are the same in all samples, and points as many.  Err: as bw_alembic_view. */
bw_result bwi_abc_mesh_has_one_topology(bool *same, const bw_alembic *archive, const bwi_abc_mesh *mesh, bw_error *error);

/* ---- points: alembic_points.c ---- */

typedef struct bwi_abc_points {
    const bw_alembic_object *object;
    const bw_alembic_property *positions, *ids;
    const bw_alembic_property *velocities; /* NULL: none */
    bwi_abc_param width;
} bwi_abc_points;
typedef struct bwi_abc_points_sample {
    bw_alembic_sample positions, ids; /* ids: uint64, as many as positions or none */
    uint32_t point_count;
} bwi_abc_points_sample;

/* Err: MALFORMED (positions or ids that are missing or of another type), as bw_alembic_properties. */
bw_result bwi_abc_points_open(bwi_abc_points *points, bw_alembic *archive, const bw_alembic_object *object, bw_error *error);
/* Err: MALFORMED (another number of ids than of points, positions that are not finite), TOO_LARGE, as bw_alembic_view. */
bw_result bwi_abc_points_view(bwi_abc_points_sample *sample, const bw_alembic *archive, const bwi_abc_points *points, uint32_t index,
                              bw_error *error);

/* ---- curves: alembic_curves.c ---- */

typedef enum bwi_abc_curve_type { BWI_ABC_CUBIC = 0, BWI_ABC_LINEAR, BWI_ABC_VARIABLE_ORDER } bwi_abc_curve_type;
typedef enum bwi_abc_curve_basis {
    BWI_ABC_NO_BASIS = 0,
    BWI_ABC_BEZIER,
    BWI_ABC_BSPLINE,
    BWI_ABC_CATMULL_ROM,
    BWI_ABC_HERMITE,
    BWI_ABC_POWER
} bwi_abc_curve_basis;

typedef struct bwi_abc_curves {
    const bw_alembic_object *object;
    const bw_alembic_property *positions, *counts;
    const bw_alembic_property *basis;                                  /* type, wrap and basis; NULL: cubic, open, none */
    const bw_alembic_property *weights, *orders, *knots, *velocities;  /* NULL: none */
    bwi_abc_param uv, normals, width;
} bwi_abc_curves;

typedef struct bwi_abc_curves_sample {
    bw_alembic_sample positions, counts;       /* counts: int32, one a curve, none negative */
    bw_alembic_sample weights, orders, knots;  /* float32 a point, uint8 a curve, float32 count + order a curve; point_count 0: none */
    bwi_abc_curve_type type;
    bwi_abc_curve_basis basis;
    bool periodic;
    uint32_t curve_count, point_count;
    bwi_abc_counts elements; /* for bwi_abc_param_fits */
} bwi_abc_curves_sample;

/* Err: MALFORMED (a property that is missing or of another type), as bw_alembic_properties. */
bw_result bwi_abc_curves_open(bwi_abc_curves *curves, bw_alembic *archive, const bw_alembic_object *object, bw_error *error);
/* In: index — each property's last sample stands for all after it.  Err: MALFORMED (counts that are negative or do not sum up to the points,
 * weights, orders or knots that do not go with them, an unknown type, wrap or basis, positions that are not finite), TOO_LARGE, as bw_alembic_view. */
bw_result bwi_abc_curves_view(bwi_abc_curves_sample *sample, const bw_alembic *archive, const bwi_abc_curves *curves, uint32_t index,
                              bw_error *error);

/* ---- finding properties of geometry: alembic_mesh.c ---- */

/* An array of that type at a path below the object.  Out: found — NULL if there is none and it is not needed, or it holds no sample. */
bw_result bwi_abc_find_array(const bw_alembic_property **found, bw_alembic *archive, const bw_alembic_object *object, const char *path,
                             bw_alembic_pod pod, uint32_t extent, bool needed, bw_error *error);
/* An attribute of so many float32 an element; {0} if there is none, or it holds no sample. */
bw_result bwi_abc_find_param(bwi_abc_param *param, bw_alembic *archive, const bw_alembic_object *object, const char *path, uint32_t width,
                             bw_error *error);
/* Whether all samples are one.  In: whole — by their bytes; else by how many points they have.  Err: as bw_alembic_view. */
bw_result bwi_abc_is_same(bool *same, const bw_alembic *archive, const bw_alembic_property *property, bool whole,
                          bw_error *error);
/* A property's sample, the last of which stands for all after it.  Out: at — the one it is.  Err: MALFORMED (it holds none), as bw_alembic_view. */
bw_result bwi_abc_view_last(bw_alembic_sample *sample, uint32_t *at, const bw_alembic *archive, const bw_alembic_property *property,
                            uint32_t index, bw_error *error);

#endif
