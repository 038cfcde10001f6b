/* SPDX-License-Identifier: MIT
 * What the files of the Alembic reader share: the walk over the archive, and what caches read from. */
#ifndef BWI_READ_ALEMBIC_ABC_PRIV_H
#define BWI_READ_ALEMBIC_ABC_PRIV_H

#include "alembic/schema.h"
#include "base/file.h"
#include "base/math.h"
#include "base/thread.h"
#include "bakewell/scene.h"

/* More samples than this are a claim, or nothing that can be baked. */
enum { BWI_ABC_SAMPLES_MAX = 1000000 };

typedef struct bwi_abc_reader {
    bw_alembic *archive;
    bwi_arena *arena, *scratch; /* the scene's; of this call, or of the mesh that is made */
    bwi_mem *mem;
    bwi_warnings *warnings;
    bwi_progress *progress;
    bw_error *error;
    bwi_mat4 axes; /* of the file to the scene's: Y up, metres */
    /* The rate of animated properties: of those that keep one, the highest. */
    double rate_fps;
    bool rates_differ;
    bw_node *nodes;
    size_t node_count, node_capacity;
    bw_mesh *meshes;
    const bw_alembic_object **mesh_objects; /* [mesh_count] what each was made of: instances share it */
    size_t mesh_count, mesh_capacity;
    bw_material *materials;
    uint64_t *material_hashes; /* [material_count] of their names */
    size_t material_count, material_capacity;
    size_t walked; /* objects, each as often as instances show it */
    struct bwi_abc_clock *clocks; /* [time samplings] NULL: none was asked for */
    bw_error left_out; /* why the first object was left out that would have been baked; OK: none was */
} bwi_abc_reader;

#define BWI_ABC_TRY(call)             \
    do {                              \
        bw_result try_r = (call);     \
        if (try_r != BW_OK)           \
            return try_r;             \
    } while (0)

/* From the scene's arena; on failure fails with `error` and gives NULL. */
void *bwi_abc_alloc(const bwi_abc_reader *r, bwi_arena *arena, size_t count, size_t size);

/* The archive of a mapped file.  In: arena — keeps the bytes of a pipe. */
bw_result bwi_abc_open_map(bw_alembic **archive, bwi_arena *arena, const char *path, const bwi_map *map, const bw_run_opts *run,
                           bw_error *error);

/* abc_shape.c: what an object of meshes, curves or points becomes. */
typedef struct bwi_abc_shape {
    bwi_abc_reader *r;
    const bw_alembic_object *object;
    const char *path; /* for warnings */
    bw_primitive *primitives; /* one, unless what builds it sets others */
    size_t primitive_count;
    bool shows; /* false: nothing is to be seen of it in any sample, or it was left out; a warning says so */
} bwi_abc_shape;
typedef bw_result bwi_abc_build(bwi_abc_shape *shape);
/* The mesh of an object.  Out: mesh — BW_NO_INDEX: it shows nothing. */
bw_result bwi_abc_add_mesh(uint32_t *mesh, bwi_abc_reader *r, const bw_alembic_object *object, bwi_abc_build *build);
void bwi_abc_warn(const bwi_abc_shape *shape, const char *code, uint64_t count, const char *message);
/* Leaves out what cannot be baked: a warning, and the reader's error if nothing else is in the file.  In: why — made by bwi_abc_fail. */
void bwi_abc_leave_out(bwi_abc_reader *r, const char *code, const char *message, const bw_error *why);

/* abc_mesh.c, abc_lines.c */
bwi_abc_build bwi_abc_build_mesh, bwi_abc_build_curves, bwi_abc_build_points;

/* The last sample of an attribute that can differ from the one before it. */
uint32_t bwi_abc_last_change(const bwi_abc_param *param);
/* The next sample after one that can differ from it, UINT32_MAX: none can.  Samples between are claims that take no bytes in the file.
 * In: property — NULL: none can. */
uint32_t bwi_abc_next_change(const bw_alembic_property *property, uint32_t sample);
uint32_t bwi_abc_next_param_change(const bwi_abc_param *param, uint32_t sample);

/* abc_polygon.c: a face as triangles. */
enum { BWI_ABC_CUT_MAX = 2048 }; /* faces of more corners are fans: what a face can cost stays small */
typedef struct bwi_abc_cuts {
    uint16_t corners[BWI_ABC_CUT_MAX - 2][3]; /* counted from the face's first; they run as the face does */
} bwi_abc_cuts;
/* In: count — of the face's corners, the first of which is `first`.  False, *cuts undefined: it is a fan around its first corner, (0, 1, 2),
 * (0, 2, 3) …, since it is convex, or so flat or crossed that nothing is better. */
bool bwi_abc_cut(bwi_abc_cuts *cuts, const bw_alembic_sample *points, const bwi_abc_faces *faces, uint32_t first, uint32_t count);
/* Corner `which` of a triangle. */
uint32_t bwi_abc_cut_corner(const bwi_abc_cuts *cuts, bool cut, uint32_t triangle, uint32_t which);

/* abc_faceset.c: materials of faces. */
enum { BWI_ABC_SETS_MAX = 256 }; /* of a mesh: each is a primitive, read apart */
typedef struct bwi_abc_sets {
    uint32_t count;    /* that have a face */
    uint32_t *of_face; /* [faces] 0 … count, where count stands for none; NULL: the mesh has no sets */
    uint32_t materials[BWI_ABC_SETS_MAX + 1]; /* [count + 1], the last BW_NO_INDEX */
} bwi_abc_sets;
bw_result bwi_abc_find_sets(bwi_abc_sets *sets, const bwi_abc_shape *shape, uint32_t face_count);
struct bwi_abc_vertices;
/* Out: parts — [sets->count + 1] the vertices of each set, numbered anew. */
bw_result bwi_abc_divide(struct bwi_abc_vertices *parts, bwi_abc_reader *r, const struct bwi_abc_vertices *whole, const bwi_abc_faces *faces,
                         const bwi_abc_sets *sets);

/* abc_split.c: vertices of a mesh of one topology: one for every point and every set of values that its corners have in any sample. */
typedef struct bwi_abc_vertices {
    uint32_t count;
    uint32_t *points;  /* [count] */
    uint32_t *corners; /* [count] the first that is this vertex */
    uint32_t *faces;   /* [count] of that corner */
    uint32_t *indices; /* [triangle_count][3] counter-clockwise */
    uint32_t triangle_count;
} bwi_abc_vertices;
/* In: points — by which faces are cut; uv, normals — attributes that the vertices shall keep, which fit the faces in every sample; values NULL: none.
 * Vertices are of one set each. */
bw_result bwi_abc_split(bwi_abc_vertices *out, bwi_abc_reader *r, const bwi_abc_faces *faces, const bw_alembic_sample *points,
                        const bwi_abc_sets *sets, const bwi_abc_param *uv, const bwi_abc_param *normals);
/* The element of an attribute that a vertex has. */
uint64_t bwi_abc_vertex_element(const bwi_abc_vertices *vertices, bw_alembic_scope scope, uint32_t vertex);

/* abc_cache.c: what a property becomes that is read a sample at a time.  NULL of failure. */
typedef bw_result bwi_abc_read(const void *ctx, uint32_t sample, float *dst, bw_error *error);
/* A cache whose samples are those of a property.  Also counts its rate. */
bw_cache *bwi_abc_cache(bwi_abc_reader *r, const bw_alembic_property *property, bwi_abc_read *read, const void *ctx);
/* Values of the first sample, [count][3], and a cache where others follow.  In: moves — property that the samples are of; NULL: none follow. */
bw_result bwi_abc_make_vectors(bwi_abc_reader *r, const float **first, const bw_cache **cache, bwi_abc_read *read, const void *ctx,
                               uint32_t count, const bw_alembic_property *moves);

typedef struct bwi_abc_positions {
    const bw_alembic *archive;
    const bw_alembic_property *property;
    uint64_t point_count;   /* of every sample */
    uint32_t vertex_count;
    const uint32_t *points; /* [vertex_count] */
} bwi_abc_positions;
bwi_abc_read bwi_abc_read_positions;

typedef struct bwi_abc_normals {
    const bw_alembic *archive;
    bwi_abc_param param;
    uint64_t count;           /* elements of every sample */
    uint32_t vertex_count;
    const uint32_t *elements; /* [vertex_count] */
} bwi_abc_normals;
bwi_abc_read bwi_abc_read_normals;

typedef struct bwi_abc_soup {
    const bw_alembic *archive;
    bwi_abc_mesh mesh;
    bwi_abc_param attribute; /* what is read: normals; values NULL: `vectors` */
    const bw_alembic_property *vectors; /* positions or velocities */
    uint32_t triangle_count; /* of the largest sample */
    float fallback[3];       /* where triangles lie that a sample without any leaves over */
} bwi_abc_soup;
bwi_abc_read bwi_abc_read_soup;
/* The sample of a mesh's faces that goes with a sample of its positions; likewise of any other property of it. */
uint32_t bwi_abc_beside(const bw_alembic *archive, const bw_alembic_property *positions, uint32_t sample, const bw_alembic_property *other);

typedef struct bwi_abc_matrices {
    const bw_alembic *archive;
    bwi_abc_xform xform;
    bwi_mat4 before; /* the axes, of a node without a parent; else the identity */
} bwi_abc_matrices;
bwi_abc_read bwi_abc_read_matrix;

typedef struct bwi_abc_shown {
    const bw_alembic *archive;
    const bw_alembic_property **properties; /* [count] of the object and those above it: the first that does not pass it on decides */
    size_t count;
    const double *times_s;
} bwi_abc_shown;
bwi_abc_read bwi_abc_read_shown;

#endif
