/* SPDX-License-Identifier: MIT
 * Vertex mode: what is baked (clips, frames, pages), how large it is, and the texels. */
#ifndef BWI_VAT_VAT_H
#define BWI_VAT_VAT_H

#include "bakewell/vat.h"
#include "base/error.h"
#include "base/thread.h"
#include "model/draw_list.h"
#include "model/manifest.h"
#include "model/texels.h"
#include "sample/sample.h"

/* Where texture data live: engine = scale · sign[k] · gltf[axis[k]] for each component k. */
typedef struct bwi_space_map {
    bwi_space_name name;
    uint8_t axis[3];
    int8_t sign[3];
    float scale;
} bwi_space_map;

/* One row an engine. */
typedef struct bwi_engine_info {
    bw_engine engine;
    const char *name;
    bw_vat_format format; /* its default */
    bwi_space_map space;
} bwi_engine_info;
const bwi_engine_info *bwi_engine_info_of(bw_engine engine); /* DEFAULT: generic; NULL for unknown values */

/* Options with every default filled in. */
typedef struct bwi_vat_settings {
    bw_vat_layout layout;
    const bwi_engine_info *engine;
    const bwi_format_info *format;        /* of the position texture */
    const bwi_format_info *normal_format; /* of the normal texture; NULL: none */
    bwi_texture_decode position_decode, normal_decode;
    bool tangents; /* in BA of the normal texture */
    bw_vat_loop loop;
    uint32_t max_size;
    bool pow2;
    double fps;            /* 0: the clip's own */
    double start_s, end_s; /* after the clip's first key; end 0: its last key */
    uint64_t max_bytes;
} bwi_vat_settings;

/* Fills defaults.  In: has_tangents — the vertex list's.  Err: USAGE (contradictions). */
bw_result bwi_vat_resolve(bwi_vat_settings *settings, const bw_vat_opts *opts, bool has_tangents, bw_error *error);

/* A clip of the bake: the manifest's row, and where it comes from. */
typedef struct bwi_vat_clip {
    bwi_manifest_clip out; /* names in the arena */
    bwi_clip_mix mix;
    double diagonal; /* of the bounds, metres of the source */
} bwi_vat_clip;

/* A page: one image a texture. */
typedef struct bwi_vat_page {
    uint32_t first_frame, frame_count; /* of all frames of all clips */
    uint32_t width, height;
} bwi_vat_page;

typedef struct bwi_vat_plan {
    bwi_vat_settings settings;
    const bwi_vertex_list *list;
    bwi_vat_clip *clips;
    uint32_t clip_count;
    uint32_t frame_count;                                  /* N */
    uint32_t width, height, rows_per_frame, frames_per_page; /* W, of the first page, R, K (seed: height of its tallest page, 1, 0) */
    bwi_vat_page *pages;
    uint32_t page_count;
    uint64_t texture_bytes;
} bwi_vat_plan;

/* Chooses the clips (opts->clip, merge_clips, static), their spans and frame counts.  Out: clips — in the arena, first_frame not yet set.
 * Err: UNKNOWN_CLIP (lists those there are), NO_CLIP, USAGE (start or end outside, two clips of one name), TOO_LARGE. */
bw_result bwi_vat_choose_clips(bwi_vat_clip **clips, uint32_t *clip_count, bwi_arena *arena, const bw_scene *scene,
                               const bwi_vat_settings *settings, const bw_vat_opts *opts, bwi_warnings *warnings, bw_error *error);

/* Lays the clips' frames out in pages: first_frame of each clip, sides, bytes.  May be called again after clips were closed.
 * Err: TOO_LARGE (a texture side, max_bytes: says which option helps).  Source: docs/FORMATS.md. */
bw_result bwi_vat_layout(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error);

/* Walks every frame of every clip: bounds, diagonal, loop; closes clips where loop=yes asks for it (then lay out again).
 * Err: MALFORMED (positions that overflow), TOO_LARGE (beyond half floats), MEMORY, CANCELLED. */
bw_result bwi_vat_measure(bwi_vat_plan *plan, const bwi_env *env, bw_error *error);

/* Fills one page's texels.  Out: positions — data of width × height texels, zeroed by the callee; normals — the same or NULL.
 * Err: MEMORY, CANCELLED. */
bw_result bwi_vat_encode_page(const bwi_vat_plan *plan, uint32_t page, bwi_texels *positions, bwi_texels *normals, const bwi_env *env,
                              bw_error *error);

/* The mesh to write: rest pose, authored UV sets and colours, and the texels' UVs in the lowest free set >= 1 (lower missing sets are 0).
 * Out: draw_list — arrays in the arena; uv_set — TEXCOORD index of the texels' UVs.  Err: MEMORY. */
bw_result bwi_vat_draw_list(bwi_draw_list *draw_list, uint32_t *uv_set, const bwi_vat_plan *plan, bwi_arena *arena, bw_error *error);

/* Up to 8 elements × 4 frames with the positions expected of them.  Out: probes — in the arena.  Err: MEMORY. */
bw_result bwi_vat_probes(bwi_probe **probes, size_t *count, const bwi_vat_plan *plan, bwi_arena *arena, bw_error *error);

/* gltf [count][3] into the engine's space, in place of out; the linear part only (no scale) for directions. */
void bwi_space_map_positions(float *out, const float *gltf, size_t count, const bwi_space_map *map);
void bwi_space_map_directions(float *out, const float *gltf, size_t count, size_t stride, const bwi_space_map *map);

/* The clip that holds a frame of the whole list, and the frame's number inside it. */
const bwi_vat_clip *bwi_vat_clip_of_frame(const bwi_vat_plan *plan, uint32_t frame, uint32_t *local);

#endif
