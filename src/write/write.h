/* SPDX-License-Identifier: MIT
 * Mesh files out. */
#ifndef BWI_WRITE_WRITE_H
#define BWI_WRITE_WRITE_H

#include <stdio.h>

#include "base/error.h"
#include "base/thread.h"
#include "bakewell/groom.h"
#include "model/draw_list.h"

typedef struct bwi_glb_opts {
    const char *name;       /* of node and mesh */
    const bw_scene *scene;  /* materials, textures, samplers, images to carry through; NULL: none */
    bw_string_list groups;  /* names in extras.groups of the mesh; none */
} bwi_glb_opts;

/* Writes one GLB: one node, one mesh, a primitive a draw primitive with accessors over its own vertices, in list order; 32-bit float
 * attributes, joints and weights as 16-bit ones without a skin, indices of 16 bits where they fit; images embedded.  Only materials that are used are written, in file order, with the textures,
 * samplers and images they need.
 * Err: FILE_WRITE, MEMORY, TOO_LARGE (4 GiB).  Deterministic.  Source: glTF 2.0. */
bw_result bwi_write_glb(FILE *file, const char *path, const bwi_draw_list *list, const bwi_glb_opts *opts, const bwi_env *env,
                        bw_error *error);

/* ---- grooms ---- */

/* A groom as GLB, which bwi_read_hair reads back: in each mesh with strands one primitive of LINES, indices (k, k + 1) of every strand after the
 * other, its vertices the points in their order, root first.  POSITION in glTF's axes and metres; COLOR_0 VEC4 of FLOAT, where the groom has no
 * colours those of its groups, guides red; TEXCOORD_0 the strand's root UV at each of its points, v turned to glTF's (1 - v).  Of an application's
 * own, SCALAR of FLOAT, those of strands equal at all points of one: _WIDTH (diameter, m), _ROUGHNESS, _AO, _STRAND (groom_id; none if a float does
 * not hold one of them), _GROUP_ID (number in groups), _GUIDE (0, 1).  extras.groups of the mesh: list of names. */

/* A file format of grooms: one row a format. */
typedef struct bwi_groom_format {
    const char *extension; /* "abc" */
    bool reads_back; /* bwi_read_hair reads it */
    bool lossless;   /* all of a groom comes back, bit for bit */
    bool has_guides; /* else guides must be left out of what is written */
    /* Writes a groom.  In: file — empty, open for writing; path — where it is; name — of the object; engine — whose importer.  What the format cannot
     * hold is a warning.  Deterministic.
     * Err: FILE_WRITE, MEMORY, TOO_LARGE, CANCELLED, and what reading the groom's animation gives. */
    bw_result (*write)(FILE *file, const char *path, const bw_groom *groom, const char *name, bw_groom_engine engine, const bwi_env *env,
                       bwi_warnings *warnings, bw_error *error);
} bwi_groom_format;
extern const bwi_groom_format bwi_groom_formats[]; /* abc, glb, hair, usda; ends with extension NULL */

#endif
