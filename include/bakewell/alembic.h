/* SPDX-License-Identifier: MIT
 * Alembic archives (Ogawa): a tree of objects, their properties, and samples over time, read from one mapped file as they are asked for.
 *
 * An archive is a tree of objects; the top one is called "ABC" and is nameless in paths ("/", "/character/hair").  An object has properties.
 * A property is a compound (it holds further properties), a scalar (every sample is one point of `extent` values) or an array (every sample
 * has any number of points).  What an object means is told by its metadata ("schema=AbcGeom_PolyMesh_v1"): this header knows nothing of it. */
#ifndef BAKEWELL_ALEMBIC_H
#define BAKEWELL_ALEMBIC_H

#include "bakewell/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Type of the values of a property. */
typedef enum bw_alembic_pod {
    BW_ALEMBIC_NO_POD = 0, /* of a compound */
#define BW_ALEMBIC_POD(name, size, text) name,
#include "bakewell/alembic_pods.def"
#undef BW_ALEMBIC_POD
    BW_ALEMBIC_POD_END
} bw_alembic_pod;

typedef enum bw_alembic_kind { BW_ALEMBIC_COMPOUND = 0, BW_ALEMBIC_SCALAR, BW_ALEMBIC_ARRAY } bw_alembic_kind;

/* Which part of a geometry has a value of its own, by the metadata key "geoScope". */
typedef enum bw_alembic_scope {
    BW_ALEMBIC_SCOPE_CONSTANT = 0, /* "con", also where nothing is said: one for the whole object */
    BW_ALEMBIC_SCOPE_UNIFORM,      /* "uni": each face, each curve */
    BW_ALEMBIC_SCOPE_VARYING,      /* "var": each vertex; curves: each end of a segment */
    BW_ALEMBIC_SCOPE_VERTEX,       /* "vtx": each vertex, each control vertex */
    BW_ALEMBIC_SCOPE_FACEVARYING,  /* "fvr": each corner of each face */
    BW_ALEMBIC_SCOPE_UNKNOWN       /* something else is said */
} bw_alembic_scope;

typedef enum bw_alembic_time_kind { BW_ALEMBIC_UNIFORM = 0, BW_ALEMBIC_CYCLIC, BW_ALEMBIC_ACYCLIC } bw_alembic_time_kind;

/* What time_per_cycle_s is where times keep no rhythm: DBL_MAX / 32, as files store it. */
#define BW_ALEMBIC_ACYCLIC_TIME 0x1.fffffffffffffp+1018

typedef struct bw_alembic_meta {
    const char *key, *value;
} bw_alembic_meta;

/* Metadata: pairs sorted by key, each key once (of several the first in the file is kept). */
typedef struct bw_alembic_metadata {
    const bw_alembic_meta *data;
    size_t count;
    const char *text; /* as in the file: "key=value;key=value" */
    size_t text_size;
} bw_alembic_metadata;

/* When the samples of a property are taken.  Uniform: times_s[0] + i · time_per_cycle_s.  Cyclic: count times a cycle.  Acyclic: each stored. */
typedef struct bw_alembic_time_sampling {
    bw_alembic_time_kind kind;
    double time_per_cycle_s;
    struct { const double *data; size_t count; } times_s; /* at least one; strictly increasing */
    uint32_t max_sample_count; /* most samples of any property that uses it, as the file states */
} bw_alembic_time_sampling;

typedef struct bw_alembic bw_alembic;
typedef struct bw_alembic_object bw_alembic_object;
typedef struct bw_alembic_property bw_alembic_property;

/* An object.  Lives as long as its archive. */
struct bw_alembic_object {
    const char *name; /* UTF-8 if the exporter kept to it; no '/' */
    const bw_alembic_metadata *metadata;
    const bw_alembic_object *parent; /* NULL: the top object */
    uint32_t index;                  /* among its parent's children */
    uint32_t depth;                  /* 0: the top object */
    uint64_t offset;                 /* of its group in the file; 0: it is empty */
    struct bwi_alembic_object *state;
};

/* A property.  Lives as long as its archive. */
struct bw_alembic_property {
    const char *name; /* no '/' */
    bw_alembic_kind kind;
    bw_alembic_pod pod; /* NO_POD for compounds, for which all up to time_sampling is 0 */
    uint32_t extent;    /* values of a point: 3 for a position; 1 to 255 */
    uint32_t sample_count;
    uint32_t first_changed, last_changed; /* samples 0 to first_changed − 1 are equal, and so are all from last_changed on; 0, 0: all are */
    uint32_t time_sampling;               /* index into the archive's */
    bool scalar_like;                     /* an array of which every sample has one point */
    const bw_alembic_metadata *metadata;
    const bw_alembic_object *object;
    const bw_alembic_property *parent; /* the compound it is in; NULL: at the object's top */
    uint32_t index;                    /* among its siblings */
    uint64_t offset;                   /* of its group in the file; 0: it is empty */
    struct bwi_alembic_compound *state;
};

typedef struct bw_alembic_object_list { const bw_alembic_object *data; size_t count; } bw_alembic_object_list;
typedef struct bw_alembic_property_list { const bw_alembic_property *data; size_t count; } bw_alembic_property_list;

/* An open archive. */
struct bw_alembic {
    const char *path;
    uint64_t size;
    int32_t library_version;             /* of the library that wrote it: 10812 is 1.8.12 */
    const bw_alembic_metadata *metadata; /* of the top object */
    const char *application, *library, *date, *description; /* from the metadata; NULL where it says nothing */
    double fps;                                             /* likewise; 0 where it says nothing */
    struct { const bw_alembic_time_sampling *data; size_t count; } time_samplings; /* the first is uniform from 0, one a second */
    const bw_alembic_object *top;
    struct bwi_alembic *state;
};

/* Most dimensions that are read; more are refused as unsupported. */
enum { BW_ALEMBIC_RANK_MAX = 16 };

/* One sample, in place.  The pointers are valid until the archive is freed. */
typedef struct bw_alembic_sample {
    const uint8_t *bytes; /* little-endian and packed, at any address; strings: one after the other, each with its zero (wstring: 32-bit units) */
    size_t size;
    const void *values;   /* the same bytes as an array of the pod's C type; NULL where the address is not aligned for that, or for strings */
    uint64_t point_count; /* 1 for scalars */
    uint64_t value_count; /* point_count × extent */
    uint32_t rank;        /* of dimensions; 0 for scalars, at least 1 for arrays */
    uint64_t dimensions[BW_ALEMBIC_RANK_MAX]; /* product: point_count */
    uint8_t key[16];      /* hash that the writer stored; zeros for an empty sample */
    bool dimensions_stored; /* the file holds them apart; a 0 among them may then be what the writer said */
    uint64_t offset;      /* of bytes in the file; 0: an empty sample */
} bw_alembic_sample;

/* ---- opening ---- */

/* Opens an archive: reads its head, metadata and time samplings, no object.  Out: archive — new, free with bw_free_alembic.
 * In: run — memory_limit only; NULL: defaults.  Err: what opening a file gives; EMPTY, TRUNCATED, UNRECOGNISED (the message names what the file is
 * instead), UNSUPPORTED (a later version), MALFORMED, MEMORY.  Cost: independent of the number of objects.  Source: docs/ALEMBIC.md.
 * The file is mapped: where it gets shorter before bw_free_alembic, reading what is gone ends the process (SIGBUS). */
bw_result bw_alembic_open(bw_alembic **archive, const char *path, const bw_run_opts *run, bw_error *error);
/* The same for bytes in memory, which must stay until the archive is freed.  In: path — for messages. */
bw_result bw_alembic_open_bytes(bw_alembic **archive, const void *bytes, size_t size, const char *path, const bw_run_opts *run,
                                bw_error *error);
void bw_free_alembic(bw_alembic *archive); /* NULL-safe */

/* ---- walking ----
 * These calls read what they are asked for, once, and keep it: they are not thread-safe for one archive. */

/* Lists an object's children, in the order of the file.  Err: MALFORMED, UNSUPPORTED (nested deeper than 1,000), MEMORY. */
bw_result bw_alembic_children(bw_alembic_object_list *children, bw_alembic *archive, const bw_alembic_object *object, bw_error *error);
/* Lists an object's properties, in the order of the file.  Err: as bw_alembic_children. */
bw_result bw_alembic_properties(bw_alembic_property_list *properties, bw_alembic *archive, const bw_alembic_object *object, bw_error *error);
/* Lists what a compound holds; nothing for a scalar or an array.  Err: as bw_alembic_children. */
bw_result bw_alembic_members(bw_alembic_property_list *members, bw_alembic *archive, const bw_alembic_property *compound, bw_error *error);
/* Finds an object by its path, "/" or "/a/b".  Out: object — NULL if there is none.  Err: as bw_alembic_children, of those on the way. */
bw_result bw_alembic_find_object(const bw_alembic_object **object, bw_alembic *archive, const char *path, bw_error *error);
/* Finds a property by its path below an object: "visible", ".geom/P".  Out: property — NULL if there is none.  Err: as bw_alembic_children. */
bw_result bw_alembic_find_property(const bw_alembic_property **property, bw_alembic *archive, const bw_alembic_object *object,
                                   const char *path, bw_error *error);
/* The hashes that the writer stored at the end of an object, over its properties and over its children (zeros: it has none).  Err: as
 * bw_alembic_children. */
bw_result bw_alembic_hashes(uint8_t properties_hash[16], uint8_t children_hash[16], bw_alembic *archive,
                            const bw_alembic_object *object, bw_error *error);

/* Writes a path, "/a/b" or ".geom/P", cut to fit and zero-terminated.  Returns its whole length, as snprintf does. */
size_t bw_alembic_object_path(char *buffer, size_t size, const bw_alembic_object *object);
size_t bw_alembic_property_path(char *buffer, size_t size, const bw_alembic_property *property);

/* Value of a metadata key; NULL if it is not there. */
const char *bw_alembic_meta_value(const bw_alembic_metadata *metadata, const char *key);
bw_alembic_scope bw_alembic_property_scope(const bw_alembic_property *property);
/* Absolute path of the object that this one shows again (".instanceSource"), or NULL if it is no instance.  The children of that object are then
 * to be read as this one's; nothing here does so, and a file may hold circles of instances.  Out: source — valid until the archive is freed.
 * Err: as bw_alembic_children and bw_alembic_read. */
bw_result bw_alembic_instance_source(const char **source, bw_alembic *archive, const bw_alembic_object *object, bw_error *error);

/* ---- samples ----
 * Thread-safe: they read the archive and change nothing. */

/* Shows a sample in place.  In: property — a scalar or an array; index — below sample_count.  Err: USAGE (a compound, an index out of range),
 * TRUNCATED (the file holds fewer samples than it says), MALFORMED, UNSUPPORTED (rank).  Cost: independent of the sample's size, except for strings, which are counted. */
bw_result bw_alembic_view(bw_alembic_sample *sample, const bw_alembic *archive, const bw_alembic_property *property, uint32_t index,
                          bw_error *error);
/* Copies the values of a sample, of any pod but strings.  Out: values — [point_count][extent] of the pod's C type.  In: size — of the buffer in
 * bytes, which must hold them all.  Err: USAGE (too small, strings), else as bw_alembic_view. */
bw_result bw_alembic_read(void *values, size_t size, const bw_alembic *archive, const bw_alembic_property *property, uint32_t index,
                          bw_error *error);
/* Reads a sample of strings or wide strings.  Out: strings — UTF-8 from wide ones (what is no Unicode becomes U+FFFD); the others as they are in
 * the file.  Free with bw_free_alembic_strings; the archive must stay.  Err: USAGE (no strings), MEMORY, else as bw_alembic_view. */
bw_result bw_alembic_read_strings(bw_string_list **strings, const bw_alembic *archive, const bw_alembic_property *property, uint32_t index,
                                  bw_error *error);
void bw_free_alembic_strings(bw_string_list *strings); /* NULL-safe */

/* Bytes of one value, 0 for strings and NO_POD; its name, "float32". */
size_t bw_alembic_pod_size(bw_alembic_pod pod);
const char *bw_alembic_pod_name(bw_alembic_pod pod);
/* One number of a sample, in place: of integers and bool (0 or 1 where the file is sound; a uint64 gives its bits), of floats as a double, exact.
 * In: bytes — where it stands in bw_alembic_sample.bytes; pod — of that kind, for others 0 is given. */
int64_t bw_alembic_int(const uint8_t *bytes, bw_alembic_pod pod);
double bw_alembic_float(const uint8_t *bytes, bw_alembic_pod pod);

/* ---- times ---- */

/* Time of a sample, in seconds.  In: index — past the end of acyclic times: the last one is given. */
double bw_alembic_time(const bw_alembic_time_sampling *sampling, uint32_t index);
/* The last sample that is not after a time, the first that is not before it, and the one nearest to it (of two equally near the earlier).
 * Times count as equal within 1e-5 s.  In: count — of the property's samples; 0 gives 0.  Before the first and after the last: these. */
uint32_t bw_alembic_floor_index(const bw_alembic_time_sampling *sampling, uint32_t count, double time_s);
uint32_t bw_alembic_ceil_index(const bw_alembic_time_sampling *sampling, uint32_t count, double time_s);
uint32_t bw_alembic_near_index(const bw_alembic_time_sampling *sampling, uint32_t count, double time_s);

/* ---- verify ---- */

typedef enum bw_alembic_damage {
    BW_ALEMBIC_DAMAGE_NONE = 0,
    BW_ALEMBIC_DAMAGE_STRUCTURE,  /* cannot be read; what hangs on it was skipped */
    BW_ALEMBIC_DAMAGE_KEY,        /* a sample's bytes do not give the key stored with them */
    BW_ALEMBIC_DAMAGE_PROPERTIES, /* the keys, names, types and times of an object's properties do not give the hash stored at the object */
    BW_ALEMBIC_DAMAGE_CHILDREN    /* the names, metadata and hashes of what is below an object do not give the hash stored there */
} bw_alembic_damage;

typedef struct bw_alembic_finding {
    bw_alembic_damage kind;
    const char *object;   /* path */
    const char *property; /* path below the object; NULL: it is about the object */
    uint32_t sample;      /* the first that shows these bytes; BW_NO_INDEX: it is about no sample */
    int64_t offset;       /* in the file, or -1 */
    const char *message;  /* one sentence */
} bw_alembic_finding;

/* Owned by one arena: bw_free_alembic_report. */
typedef struct bw_alembic_report {
    uint64_t object_count, property_count; /* that were read */
    uint64_t sample_count;                 /* stored ones; equal ones that share their bytes are checked once for each property */
    uint64_t byte_count;                   /* hashed */
    struct { const bw_alembic_finding *data; size_t count; } findings; /* the first 1,000 */
    uint64_t finding_count;
    void *arena;
} bw_alembic_report;

/* Reads a whole archive and recomputes the key of every sample and the hash of every object.  Out: report — new, also when it is DIFFERS.
 * In: run — memory_limit, progress; NULL: defaults.  Err: DIFFERS (the findings say what), MEMORY, CANCELLED.
 * Cost: a pass over all bytes; it walks the archive, so it is not thread-safe for one.  Source: docs/ALEMBIC.md. */
bw_result bw_alembic_verify(bw_alembic_report **report, bw_alembic *archive, const bw_run_opts *run, bw_error *error);
void bw_free_alembic_report(bw_alembic_report *report); /* NULL-safe */

#ifdef __cplusplus
}
#endif
#endif
