/* SPDX-License-Identifier: MIT
 * The decoder's state, and what its files share. */
#ifndef BWI_DECODE_DECODE_PRIV_H
#define BWI_DECODE_DECODE_PRIV_H

#include "bakewell/scene.h"
#include "decode/decode.h"
#include "model/openvat.h"

/* Textures of a page. */
typedef struct bwi_decoder_page {
    const bwi_manifest_texture *position, *normal; /* position: or bones; normal: or NULL */
} bwi_decoder_page;

/* A mesh that follows bones: the base, or a level of detail.  Arrays in the space of the texture data. */
typedef struct bwi_bone_mesh {
    uint32_t vertex_count;
    float *positions, *normals, *tangents; /* [V][3] of the pose x; NULL: none */
    uint16_t *bones;                       /* [V][influences], all below B */
    float *weights;                        /* [V][influences] */
} bwi_bone_mesh;

struct bwi_decoder {
    bwi_mem *mem;
    bwi_arena *arena;
    const char *folder;
    bwi_manifest *manifest;
    uint32_t width, rows;     /* columns, rows a frame */
    bwi_decoder_page *pages; /* [page_count] */
    uint32_t page_count;
    bool has_normals, has_tangents;
    uint32_t stride;          /* rows from one row of a frame to its next one: 1; openvat: N, since frames stand in between */
    uint32_t *texel; /* [V]: row × width + column, of a page's first frame */
    float *rest;     /* openvat: [V][3] of the mesh, in the space of the texture data; else NULL */
    bwi_bone_mesh bone_mesh;     /* bone and rigid mode: the base */
    bwi_bone_mesh *bone_levels;  /* [levels], likewise */
    float *pivots;               /* [B][3] of the page's reference block */
    float reach;                 /* farthest that a vertex of the base is from a pivot it follows */
    float largest;               /* of the floats in the pages so far; 1 where they are codes */
    bwi_openvat_info *foreign; /* of a bake that OpenVAT made; NULL: one of ours */
    bwi_warnings notes;        /* what may go wrong with it */
    uint32_t **level_elements; /* [levels][vertices] */
    /* gltf[axis[k]] = sign[k] × metres × engine[k] */
    int axis[3];
    float sign[3], metres;
    /* the page loaded last */
    bwi_page_range page;
    bwi_texels position, normal; /* position: or bones */
    bwi_texture_decode position_decode;
};

/* A block's texels, channel by channel: integer codes, and the numbers a shader computes with: codes over the largest code, or floats. */
#define BWI_FETCH_BLOCK 256
typedef struct bwi_fetched {
    uint32_t alpha_code[BWI_FETCH_BLOCK];
    float value[4][BWI_FETCH_BLOCK];
} bwi_fetched;
/* In: first — added to each texel's number; count <= BWI_FETCH_BLOCK. */
void bwi_fetch(bwi_fetched *f, const bwi_texels *image, size_t first, const uint32_t *texel, size_t count);

/* Vertex mode: what the functions of decode.h do there. */
void bwi_vertex_frame(const bwi_decoder *d, const bwi_decoded *out, uint32_t clip, uint32_t frame);
void bwi_vertex_between(const bwi_decoder *d, const bwi_decoded *out, const bwi_decoded *at, uint32_t clip, uint32_t frame, float t);
void bwi_vertex_level_frame(const bwi_decoder *d, size_t level, float *positions, uint32_t clip, uint32_t frame, float *scratch);
void bwi_vertex_position(const bwi_decoder *d, float position[3], uint32_t clip, uint32_t frame, uint32_t element);
void bwi_vertex_resolution(const bwi_decoder *d, uint32_t clip, float step[3]);

/* Bone and rigid mode: the same. */
size_t bwi_bone_scratch_size(const bwi_decoder *d);
void bwi_bone_frame(const bwi_decoder *d, const bwi_bone_mesh *mesh, const bwi_decoded *out, uint32_t clip, uint32_t frame, float *scratch);
void bwi_bone_between(const bwi_decoder *d, const bwi_decoded *out, uint32_t clip, uint32_t frame, float t, float *scratch);
void bwi_bone_position(const bwi_decoder *d, float position[3], uint32_t clip, uint32_t frame, uint32_t element);
void bwi_bone_resolution(const bwi_decoder *d, uint32_t clip, float step[3]);
/* After a page was loaded: its pivots, and how far vertices are from them. */
void bwi_bone_page(bwi_decoder *d);

/* Reads a mesh that follows bones.  Out: mesh — free with bwi_bone_mesh_free, also on failure.  In: texel — [V] where its UVs point: into the
 * weight texture, or in rigid mode a page's reference block; NULL: joints and weights are the mesh's; weights — the texture; NULL: none.
 * Err: DIFFERS (a finding says what), MEMORY. */
bw_result bwi_bone_mesh_read(bwi_bone_mesh *mesh, const bwi_decoder *d, const char *file, const bw_scene *scene, const uint32_t *texel,
                             const bwi_texels *weights, const bwi_env *env, bwi_warnings *findings, bw_error *error);
void bwi_bone_mesh_free(bwi_bone_mesh *mesh, bwi_mem *mem); /* {0}-safe */

/* OpenVAT's layout: elements at … at + count − 1, at most BWI_FETCH_BLOCK, into out from its start; first — the frame's first texel. */
void bwi_openvat_block(const bwi_decoder *decoder, const bwi_decoded *out, size_t first, size_t at, size_t count);
void bwi_openvat_resolution(const bwi_decoder *decoder, uint32_t clip, float step[3]);

/* Reads the mesh at d->folder/file, counted against env's budget.  Free with bwi_scene_free(scene). */
bw_result bwi_decoder_read_mesh(bw_scene **scene, bwi_decoder *d, const char *file, const bwi_env *env, bw_error *error);
/* Fills d->texel, and d->rest for layouts of offsets.  In: manifest, width, rows, stride of d.
 * Err: DIFFERS (a finding says what), MEMORY. */
bw_result bwi_decoder_place(bwi_decoder *d, const bw_scene *scene, const bwi_env *env, bwi_warnings *findings, bw_error *error);

/* Opens what OpenVAT itself wrote: d gets a manifest that says what its files hold.  In: text — of its JSON; path — of that file.
 * Err: FILE_MISSING (names what was looked for), DIFFERS (a finding says what), and what reading files gives. */
bw_result bwi_decoder_open_foreign(bwi_decoder *d, const char *text, size_t size, const char *path, const bwi_env *env,
                                   bwi_warnings *findings, bw_error *error);
/* Lists pages, inverts the space. */
bw_result bwi_decoder_begin(bwi_decoder *d, bw_error *error);

/* ---- what all families share: decode_files.c ---- */

/* A file that is not there or is another one is a finding, no failure: the rest is looked at too.  Err: MEMORY. */
bw_result bwi_check_file(const bwi_manifest_file *file, const char *folder, bwi_arena *arena, bwi_warnings *findings, bw_error *error);
/* gltf[axis[k]] = sign[k] × metres × engine[k] */
void bwi_invert_space(int axis[3], float sign[3], float *metres, const bwi_space_name *space);

#endif
