/* SPDX-License-Identifier: MIT
 * What the files of the glTF reader share: the context of one call, typed JSON access, buffers, accessors, and one function a part of a file. */
#ifndef BWI_READ_GLTF_GLTF_PRIV_H
#define BWI_READ_GLTF_GLTF_PRIV_H

#include "bakewell/scene.h"
#include "model/hair.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/thread.h"

#define BWI_GLTF_TRY(call)              \
    do {                                \
        bw_result try_result_ = (call); \
        if (try_result_ != BW_OK) {     \
            return try_result_;         \
        }                               \
    } while (0)

/* Where in the file something stands, written out only when it is shown: "mesh 2 (Body), primitive 0, POSITION". */
typedef struct bwi_gltf_place {
    const struct bwi_gltf_place *outer; /* NULL: the file */
    const char *noun;
    uint32_t index;   /* or BW_NO_INDEX */
    const char *name; /* or NULL */
} bwi_gltf_place;

/* One row of the file's `buffers`. */
typedef struct bwi_gltf_buffer {
    uint64_t size;    /* byteLength; once data is set, that many bytes are there */
    const char *uri;  /* or NULL */
    bool placeholder; /* stands for compressed data, holds none itself */
    const uint8_t *data;
} bwi_gltf_buffer;

typedef struct bwi_gltf_meshopt {
    bool present;
    const char *extension; /* its name */
    uint32_t buffer;
    uint64_t offset, size, count;
    uint32_t stride;
    const char *mode, *filter;
} bwi_gltf_meshopt;

/* One row of `bufferViews`; lies inside its buffer's declared size. */
typedef struct bwi_gltf_view {
    uint32_t buffer;
    uint64_t offset, size;
    uint32_t stride; /* 0: tight */
    bwi_gltf_meshopt meshopt;
    const uint8_t *data; /* NULL until first used */
} bwi_gltf_view;

typedef enum bwi_gltf_type {
    BWI_GLTF_SCALAR = 0, BWI_GLTF_VEC2, BWI_GLTF_VEC3, BWI_GLTF_VEC4, BWI_GLTF_MAT2, BWI_GLTF_MAT3, BWI_GLTF_MAT4, BWI_GLTF_TYPE_COUNT
} bwi_gltf_type;

typedef enum bwi_gltf_component {
    BWI_GLTF_I8 = 0, BWI_GLTF_U8, BWI_GLTF_I16, BWI_GLTF_U16, BWI_GLTF_U32, BWI_GLTF_F32, BWI_GLTF_COMPONENT_COUNT
} bwi_gltf_component;

/* One row of `accessors`; every byte range in it lies inside its view. */
typedef struct bwi_gltf_accessor {
    const char *name; /* or NULL */
    bwi_gltf_type type;
    bwi_gltf_component component;
    bool normalized;
    uint32_t count;
    uint32_t component_count; /* an element */
    uint32_t view;            /* BW_NO_INDEX: zeros */
    uint64_t offset;
    uint32_t element_size, stride; /* bytes */
    uint32_t sparse_count;         /* 0: not sparse */
    uint32_t sparse_index_view, sparse_value_view;
    uint64_t sparse_index_offset, sparse_value_offset;
    bwi_gltf_component sparse_index_component;
} bwi_gltf_accessor;

/* What a vertex attribute or a list of key times means: which accessors may hold it and what is made of their values. */
typedef enum bwi_gltf_meaning {
    BWI_GLTF_POSITION = 0, BWI_GLTF_NORMAL, BWI_GLTF_TANGENT, BWI_GLTF_UV, BWI_GLTF_COLOR, BWI_GLTF_MORPH_POSITION, BWI_GLTF_MORPH_DIRECTION,
    BWI_GLTF_KEY_TIMES, BWI_GLTF_MEANING_COUNT
} bwi_gltf_meaning;

typedef struct bwi_gltf_file {
    const char *path; /* as the file names it, percent-decoded */
    bwi_map map;
    const void *kept; /* a copy in the scene's arena, once an image needs it */
} bwi_gltf_file;

/* One call of the reader. */
typedef struct bwi_gltf {
    const char *path;
    const char *folder; /* NULL: other files are refused */
    bool any_folder, no_images, loose_joints;
    bw_scene *scene;
    bwi_arena *arena;   /* the scene's */
    bwi_arena *scratch; /* same budget, freed at the end of the call */
    bwi_mem *mem;
    bwi_warnings warnings;
    bwi_progress *progress;
    bw_error *error;

    const char *format; /* "glb", "gltf" */
    json_t *root;
    const uint8_t *chunk; /* GLB's BIN chunk; NULL: none */
    size_t chunk_size;

    /* Top-level arrays: NULL where absent; every element is an object. */
    json_t *buffers_json, *views_json, *accessors_json, *images_json, *samplers_json, *textures_json, *materials_json, *meshes_json,
        *skins_json, *nodes_json, *scenes_json, *animations_json;
    bwi_gltf_buffer *buffers;
    bwi_gltf_view *views;
    bwi_gltf_accessor *accessors;
    const float **decoded; /* [accessor][meaning]; what was read already */
    bwi_gltf_file *files;  /* the scene file is not among them; room for one a buffer and one an image */
    size_t file_count;

    bw_node *nodes;
    bw_skin *skins;
    bw_mesh *meshes;
    const json_t ***kept_json; /* [mesh][primitive of bw_mesh] */
} bwi_gltf;

/* gltf_json.c: messages, warnings, memory, typed JSON access.  Getters leave *out alone on failure. */
bw_result bwi_gltf_fail(bwi_gltf *g, bw_result result, const bwi_gltf_place *place, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* BW_ERR_MALFORMED; the sentence ends in what to do. */
bw_result bwi_gltf_malformed(bwi_gltf *g, const bwi_gltf_place *place, const char *format, ...) __attribute__((format(printf, 3, 4)));
void bwi_gltf_warn(bwi_gltf *g, const char *code, uint64_t count, const bwi_gltf_place *place, const char *message);
/* Zeroed; NULL with g->error filled: return BW_ERR_MEMORY. */
void *bwi_gltf_alloc(bwi_gltf *g, bwi_arena *arena, size_t count, size_t size);
/* The text, or `noun index` where text is NULL or "", in the scene's arena. */
bw_result bwi_gltf_copy_name(bwi_gltf *g, const char **out, const char *text, const char *noun, uint32_t index);
bw_result bwi_gltf_get_array(bwi_gltf *g, json_t **out, const bwi_gltf_place *place, const json_t *object, const char *key); /* absent: NULL */
bw_result bwi_gltf_get_object(bwi_gltf *g, json_t **out, const bwi_gltf_place *place, const json_t *object, const char *key);
bw_result bwi_gltf_get_string(bwi_gltf *g, const char **out, const bwi_gltf_place *place, const json_t *object, const char *key);
bw_result bwi_gltf_get_bool(bwi_gltf *g, bool *out, const bwi_gltf_place *place, const json_t *object, const char *key); /* absent: false */
/* A whole number from 0 to 2^53; absent: fallback, or MALFORMED where that is BWI_GLTF_REQUIRED. */
#define BWI_GLTF_REQUIRED UINT64_MAX
bw_result bwi_gltf_get_uint(bwi_gltf *g, uint64_t *out, const bwi_gltf_place *place, const json_t *object, const char *key, uint64_t fallback);
/* An index into a top-level array; absent: BW_NO_INDEX. */
bw_result bwi_gltf_get_index(bwi_gltf *g, uint32_t *out, const bwi_gltf_place *place, const json_t *object, const char *key, const json_t *array);
/* As that, of an element of a list of indices. */
bw_result bwi_gltf_index_at(bwi_gltf *g, uint32_t *out, const bwi_gltf_place *place, const json_t *list, size_t position, const char *key,
                            const json_t *array);
/* Exactly `count` finite numbers; absent: *found false. */
bw_result bwi_gltf_get_floats(bwi_gltf *g, float *out, size_t count, bool *found, const bwi_gltf_place *place, const json_t *object, const char *key);
/* A list of any length, in the scene's arena; absent: count 0. */
bw_result bwi_gltf_get_float_list(bwi_gltf *g, bw_float_list *out, const bwi_gltf_place *place, const json_t *object, const char *key);
/* object.extensions[name]; NULL where it is absent or no object. */
json_t *bwi_gltf_extension(const json_t *object, const char *name);
/* object.name; NULL where it is absent or no string. */
const char *bwi_gltf_name(const json_t *object);
bwi_gltf_place bwi_gltf_place_of(const bwi_gltf_place *outer, const char *noun, uint32_t index, const json_t *object);

/* gltf_container.c: sets format, root, chunk. */
bw_result bwi_gltf_open_container(bwi_gltf *g, const uint8_t *data, size_t size);
/* gltf_extension.c: asset.version, extensionsUsed, extensionsRequired. */
bw_result bwi_gltf_check_version(bwi_gltf *g);
bw_result bwi_gltf_check_extensions(bwi_gltf *g);

/* gltf_uri.c: bytes of a data URI (in scratch) or of a file below the folder (mapped until the call ends).
 * Out: file — NULL for data URIs; mime — of a data URI, in scratch, or NULL.  Err: FILE_*, EMPTY, MALFORMED, UNSUPPORTED, MEMORY. */
bw_result bwi_gltf_read_uri(bwi_gltf *g, const uint8_t **data, size_t *size, bwi_gltf_file **file, const char **mime, const bwi_gltf_place *place,
                            const char *uri);
void bwi_gltf_close_files(bwi_gltf *g);

/* gltf_buffer.c */
bw_result bwi_gltf_read_buffers(bwi_gltf *g);
bw_result bwi_gltf_buffer_data(bwi_gltf *g, const uint8_t **data, const bwi_gltf_place *place, uint32_t buffer);
/* The view's bytes, decompressed: view->size of them. */
bw_result bwi_gltf_view_data(bwi_gltf *g, const uint8_t **data, const bwi_gltf_place *place, uint32_t view);
/* gltf_meshopt.c: the view's extension object, if any; decompression into scratch. */
bw_result bwi_gltf_read_meshopt(bwi_gltf *g, bwi_gltf_view *view, const bwi_gltf_place *place, const json_t *view_json);
bw_result bwi_gltf_decompress(bwi_gltf *g, const uint8_t **data, const bwi_gltf_place *place, const bwi_gltf_view *view);

/* gltf_accessor.c: the one reader of accessors. */
bw_result bwi_gltf_read_accessors(bwi_gltf *g);
#define BWI_GLTF_BIT(value) (1u << (unsigned)(value))
#define BWI_GLTF_ANY_COMPONENT 0x3fu
/* MALFORMED unless the accessor's type and component type are in the sets. */
bw_result bwi_gltf_expect(bwi_gltf *g, const bwi_gltf_place *place, uint32_t accessor, unsigned types, unsigned components);
typedef enum bwi_gltf_not_finite { BWI_GLTF_REFUSE_NOT_FINITE = 0, BWI_GLTF_ZERO_NOT_FINITE } bwi_gltf_not_finite;
/* [count][component_count] in the arena.  Integers are normalised if the accessor says so, or if `normalise` says that they can mean
 * nothing else here.  NaN and infinity are refused, or set to 0 and counted. */
bw_result bwi_gltf_floats(bwi_gltf *g, float **out, bwi_arena *arena, const bwi_gltf_place *place, uint32_t accessor, bool normalise,
                          bwi_gltf_not_finite policy);
/* The same for integers as they are. */
bw_result bwi_gltf_uints(bwi_gltf *g, uint32_t **out, bwi_arena *arena, const bwi_gltf_place *place, uint32_t accessor);
/* gltf_attribute.c: an accessor read for a meaning, once.  Out: shape by meaning as bw_primitive and bw_channel say. */
bw_result bwi_gltf_attribute(bwi_gltf *g, const float **out, const bwi_gltf_place *place, uint32_t accessor, bwi_gltf_meaning meaning);
/* Normalises quaternions in place; (0, 0, 0, 0) becomes identity.  Returns how many were off by more than tolerance. */
uint64_t bwi_gltf_normalise_quats(float *quats, size_t count, double tolerance);
double bwi_gltf_unit_tolerance(bwi_gltf_component component);

/* One part of the file each; they fill g->scene. */
bw_result bwi_gltf_read_images(bwi_gltf *g);    /* gltf_image.c */
bw_result bwi_gltf_read_materials(bwi_gltf *g); /* gltf_material.c */
bw_result bwi_gltf_read_nodes(bwi_gltf *g);     /* gltf_node.c */
bw_result bwi_gltf_finish_nodes(bwi_gltf *g);   /* what depends on meshes and skins: weights, instances, skins without joints */
bw_result bwi_gltf_read_skins(bwi_gltf *g);     /* gltf_skin.c */
bw_result bwi_gltf_read_meshes(bwi_gltf *g);    /* gltf_mesh.c */
bw_result bwi_gltf_read_animations(bwi_gltf *g); /* gltf_animation.c */
/* gltf_hair.c: line primitives and the nodes above them, when nodes and meshes are read.  Out: hair — in the scene's arena; path, made_by, scene and
 * owner are the caller's. */
bw_result bwi_gltf_read_hair(bwi_gltf *g, bwi_hair *hair);

/* gltf_topology.c: an index list from strip, fan, loop or list; count 0 where nothing whole is left. */
bw_result bwi_gltf_indices(bwi_gltf *g, bw_index_list *out, const bwi_gltf_place *place, uint32_t accessor, uint32_t mode, uint32_t vertex_count);
/* gltf_influence.c: JOINTS_n and WEIGHTS_n.  In: skin — the skin with the fewest joints that the mesh is used with. */
bw_result bwi_gltf_read_influences(bwi_gltf *g, bw_primitive *primitive, const bwi_gltf_place *place, const json_t *attributes, uint32_t skin);
/* gltf_sampler.c: fills times_s, values, key_count of a channel whose other fields are set. */
bw_result bwi_gltf_read_sampler(bwi_gltf *g, bw_channel *channel, const bwi_gltf_place *place, const json_t *sampler);

#endif
