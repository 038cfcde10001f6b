/* SPDX-License-Identifier: MIT
 * The manifest of a Pivot Painter 2 bake, family "pivot" of "bakewell/bake/1".  Source: docs/FORMATS.md. */
#ifndef BWI_MODEL_PIVOT_MANIFEST_H
#define BWI_MODEL_PIVOT_MANIFEST_H

#include "bakewell/pivot.h"
#include "model/manifest.h"

typedef enum bwi_pivot_role {
    BWI_PIVOT_ROLE_POSITION = 0, /* "position": T1, pivot and packed parent, exr16 */
    BWI_PIVOT_ROLE_AXIS,         /* "axis": T2, X axis and X extent, png8 */
    BWI_PIVOT_ROLE_EXTRA         /* "extra": any other pair, of which RGB and alpha are named */
} bwi_pivot_role;
const char *bwi_pivot_role_name(bwi_pivot_role role);

/* What RGB and alpha of a texture hold, as typed and in JSON.  The first of each are those of T1 and T2. */
typedef enum bwi_pivot_rgb {
    BWI_PIVOT_RGB_PIVOT = 0, BWI_PIVOT_RGB_ORIGIN, BWI_PIVOT_RGB_EXTENTS,  /* half */
    BWI_PIVOT_RGB_X_AXIS, BWI_PIVOT_RGB_Y_AXIS, BWI_PIVOT_RGB_Z_AXIS,      /* 8 bits */
    BWI_PIVOT_RGB_COUNT
} bwi_pivot_rgb;
typedef enum bwi_pivot_alpha {
    BWI_PIVOT_ALPHA_PARENT = 0, BWI_PIVOT_ALPHA_PARENT_NUMBER, BWI_PIVOT_ALPHA_STEPS, BWI_PIVOT_ALPHA_DIAMETER, BWI_PIVOT_ALPHA_ORDER,
    BWI_PIVOT_ALPHA_X_WIDTH, BWI_PIVOT_ALPHA_Y_DEPTH, BWI_PIVOT_ALPHA_Z_HEIGHT,              /* half */
    BWI_PIVOT_ALPHA_RANDOM, BWI_PIVOT_ALPHA_LEVEL,                                          /* either */
    BWI_PIVOT_ALPHA_X_EXTENT, BWI_PIVOT_ALPHA_Y_EXTENT, BWI_PIVOT_ALPHA_Z_EXTENT,           /* 8 bits */
    BWI_PIVOT_ALPHA_COUNT
} bwi_pivot_alpha;
const char *bwi_pivot_rgb_name(bwi_pivot_rgb rgb);       /* "pivot" */
const char *bwi_pivot_alpha_name(bwi_pivot_alpha alpha); /* "parent" */

typedef struct bwi_pivot_texture {
    bwi_manifest_file file;
    bwi_pivot_role role;
    uint32_t width, height; /* the same of all */
    bw_vat_format format;   /* EXR16 or PNG8 */
    bwi_pivot_rgb rgb;
    bwi_pivot_alpha alpha;
} bwi_pivot_texture;

/* What an element's texels should say, so that a script inside an engine can check itself; space of the texture data. */
typedef struct bwi_pivot_probe {
    uint32_t element, parent;
    float uv[2];     /* v from the top */
    float pivot[3], axis[3];
    double extent_cm; /* before a byte cut it */
} bwi_pivot_probe;

typedef struct bwi_pivot_level_file {
    bwi_manifest_file mesh;
    uint32_t vertex_count;
    uint8_t order_hash[16];
} bwi_pivot_level_file;

typedef struct bwi_pivot_manifest {
    const char *generator;
    bw_engine engine;
    bwi_space_name space;
    bw_pivot_opts options; /* those that were given; `run` and `write` are {0} */
    bwi_manifest_file mesh;
    struct { bwi_pivot_texture *data; size_t count; } textures; /* T1, T2, extras */
    uint32_t uv_set;       /* TEXCOORD index */
    uint32_t vertex_count;
    uint8_t order_hash[16]; /* of the mesh's positions, as in vat */
    bw_pivot_facts facts;
    struct { bwi_pivot_level_file *data; size_t count; } levels;
    struct { bwi_pivot_probe *data; size_t count; } probes;
    struct { bwi_manifest_file *data; size_t count; } source; /* as bwi_manifest's; none of a program's plan */
} bwi_pivot_manifest;

/* "elements": what bw_pivot_facts says of them, but for the error. */
void bwi_pivot_facts_write(bwi_json_writer *w, const bw_pivot_facts *facts);
/* An object: bw_pivot_error. */
void bwi_pivot_error_write(bwi_json_writer *w, const bw_pivot_error *error);
bool bwi_pivot_options_equal(const bw_pivot_opts *a, const bw_pivot_opts *b, bwi_mem *mem);
/* As bwi_manifest_write and the readers beside it.  Err: also UNSUPPORTED where the family is another. */
bw_result bwi_pivot_manifest_write(FILE *file, const char *path, const bwi_pivot_manifest *manifest, bwi_mem *mem, bw_error *error);
bw_result bwi_pivot_manifest_read(bwi_pivot_manifest **manifest, bwi_arena *arena, const char *path, bw_error *error);
bw_result bwi_pivot_manifest_parse(bwi_pivot_manifest **manifest, bwi_arena *arena, const char *text, size_t size, const char *path,
                                   bw_error *error);

#endif
