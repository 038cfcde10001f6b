/* SPDX-License-Identifier: MIT
 * Hair as a file has it, unchecked: what lint judges and repair starts from.  Readers fill it; numbers are in the file's own axes and units. */
#ifndef BWI_MODEL_HAIR_H
#define BWI_MODEL_HAIR_H

#include "bakewell/alembic.h"
#include "bakewell/groom.h"
#include "base/mem.h"

/* What an object is. */
typedef enum bwi_hair_kind {
    BWI_HAIR_GROUP = 0, /* nothing is said */
    BWI_HAIR_XFORM,
    BWI_HAIR_CURVES,
    BWI_HAIR_MESH, /* polygons: an importer takes a file that holds one for something else than hair */
    BWI_HAIR_SUBD,
    BWI_HAIR_POINTS,
    BWI_HAIR_OTHER /* cameras, lights, face sets … */
} bwi_hair_kind;

typedef struct bwi_hair_object {
    const char *path;      /* "/groom/hair", as the file has it; an instance's is its own */
    const char *schema;    /* as the file names it; "" if it does not */
    uint32_t parent;       /* into objects, before it; BW_NO_INDEX: the top */
    bwi_hair_kind kind;
    double matrix[16];     /* of an xform at its first sample, column-major for column vectors; else the identity */
    bool inherits;         /* false: an xform that leaves its parents' transforms out */
    bool moves;            /* its samples differ: */
    const double *times_s; /* [sample_count], of an xform that moves; else NULL */
    uint32_t sample_count;
    /* Of an xform that moves: matrix and inherits at a sample.  Thread-safe. */
    bw_result (*read)(const void *ctx, uint32_t sample, double matrix[16], bool *inherits, bw_error *error);
    const void *ctx;
    bool hidden;           /* by itself or a parent, at the first sample */
    bool is_instance;      /* shows what stands elsewhere in the file */
    const char *problem;   /* half a sentence: why programs refuse it or it cannot be read; what could be read is there all the same; NULL: all is well */
} bwi_hair_object;

/* Where an attribute stands. */
typedef enum bwi_hair_place {
    BWI_HAIR_NATIVE = 0, /* "width", "uv", "N": Alembic's own of curves */
    BWI_HAIR_ARBITRARY,  /* .arbGeomParams */
    BWI_HAIR_USER        /* .userProperties */
} bwi_hair_place;

/* Values as a file has them at its first sample.  Read them with bwi_hair_number and bwi_hair_text. */
typedef struct bwi_hair_attribute {
    const char *name;    /* as the file has it */
    uint32_t object;
    bwi_hair_place place;
    bw_alembic_pod pod;
    uint32_t extent;     /* values of an element */
    bool is_scalar;      /* a scalar property, not an array */
    bool is_compound;    /* values and indices of two properties, or a compound of something else (then pod is NO_POD) */
    bool has_scope;      /* the file says one */
    bw_alembic_scope scope;
    uint32_t sample_count;
    bool moves;          /* its samples differ */
    uint64_t value_count; /* elements stored */
    uint64_t count;      /* elements: value_count, or as many as there are indices */
    const uint8_t *bytes; /* [value_count][extent], little-endian, at any address; strings: NULL */
    const char *const *strings; /* [value_count × extent]; NULL: numbers */
    const uint32_t *indices;    /* [count], any values; NULL: element i has value i */
    const char *problem;        /* half a sentence: why its values cannot be read (count is 0); NULL: they can */
} bwi_hair_attribute;

typedef enum bwi_hair_basis {
    BWI_HAIR_NO_BASIS = 0, BWI_HAIR_BEZIER, BWI_HAIR_BSPLINE, BWI_HAIR_CATMULL_ROM, BWI_HAIR_HERMITE, BWI_HAIR_POWER
} bwi_hair_basis;
typedef enum bwi_hair_type { BWI_HAIR_LINEAR = 0, BWI_HAIR_CUBIC, BWI_HAIR_VARIABLE_ORDER } bwi_hair_type;

/* One object's curves at their first sample.  No count is checked against another. */
typedef struct bwi_hair_curves {
    uint32_t object;
    const int32_t *counts;  /* [curve_count] points a curve, as the file says: may be negative, may not add up */
    uint64_t curve_count;
    const float *positions; /* [point_count][3], any floats */
    uint64_t point_count;
    bwi_hair_type type;
    bwi_hair_basis basis;
    bool periodic;
    int raw_basis[4];       /* type, wrap, basis, and one byte more as the file has them; -1: it has none */
    bool known_basis;       /* false: raw_basis holds what no exporter should write; type is then LINEAR, basis NO_BASIS */
    const uint8_t *orders;  /* [order_count] */
    uint64_t order_count;
    const float *knots;     /* [knot_count], of all curves one after the other */
    uint64_t knot_count;
    const float *weights;   /* [weight_count] of points */
    uint64_t weight_count;
    uint32_t first_attribute, attribute_count; /* of this object in attributes: native, arbitrary, user */
    /* Samples over time: */
    const double *times_s;  /* [sample_count] of positions */
    uint32_t sample_count;  /* >= 1 where there are positions */
    bool moves;             /* positions differ between samples; else one stands for all */
    bool topology_moves;    /* counts of curves or points differ between samples */
    bool only_attributes_move; /* width or others have several samples, positions one */
    /* Positions of a sample.  Out: dst — [point_count][3] floats, or points fewer or more than the first sample's: UNSUPPORTED.  Thread-safe. */
    bw_result (*read)(const void *ctx, uint32_t sample, float *dst, bw_error *error);
    const void *ctx;
} bwi_hair_curves;

typedef struct bwi_hair_sampling {
    bw_alembic_time_kind kind;
    double time_per_cycle_s, first_s;
} bwi_hair_sampling;

typedef struct bwi_hair {
    const char *path, *format; /* "alembic", "cyhair", "glb", "gltf" */
    const char *made_by;       /* "" if the file names no program */
    struct { const bwi_hair_object *data; size_t count; } objects;       /* in the order an importer walks: parents first */
    struct { const bwi_hair_curves *data; size_t count; } curves;        /* in the order of objects */
    struct { const bwi_hair_attribute *data; size_t count; } attributes; /* of curves and of the xforms on the way to them */
    struct { const bwi_hair_sampling *data; size_t count; } samplings;   /* of the archive, in its order */
    double transform[16];      /* from the file's own space to glTF's (right-handed, Y up, metres) where the format fixes it; see has_transform */
    bool has_transform;        /* glTF: true; options about axes and units are then refused */
    const bw_scene *scene;     /* what it was read from, where that is a scene; NULL */
    void *arena;
    void (*close)(void *ctx);
    void *close_ctx;
} bwi_hair;

/* One number of an attribute's element, through its indices, exact.  0 for strings and for an index past the values. */
double bwi_hair_number(const bwi_hair_attribute *attribute, uint64_t element, uint32_t component);
/* One string; NULL for numbers and for an index past the values. */
const char *bwi_hair_text(const bwi_hair_attribute *attribute, uint64_t element);
void bwi_hair_free(bwi_hair *hair); /* NULL-safe */

/* ---- the schema ---- */

typedef enum bwi_groom_type { BWI_GROOM_FLOAT = 0, BWI_GROOM_INT, BWI_GROOM_NAME } bwi_groom_type;
typedef enum bwi_groom_scopes { BWI_GROOM_C = 1, BWI_GROOM_U = 2, BWI_GROOM_V = 4 } bwi_groom_scopes;
/* One row of groom_attributes.def. */
typedef struct bwi_groom_schema {
    const char *name; /* "groom_width" */
    bwi_groom_type type;
    uint32_t width;
    unsigned scopes, written_scope; /* of bwi_groom_scopes */
    bw_groom_engine since;
    size_t offset;    /* of the field in bw_groom */
} bwi_groom_schema;
extern const bwi_groom_schema bwi_groom_schemas[]; /* ends with name NULL */
/* In: name — case does not count.  NULL: no attribute of the schema. */
const bwi_groom_schema *bwi_groom_schema_find(const char *name);

/* Name of an engine, as typed. */
const char *bwi_groom_engine_name(bw_groom_engine engine);

#endif
