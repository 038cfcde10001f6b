/* SPDX-License-Identifier: MIT
 * Vertex mode: what is baked (clips, frames, pages), how large it is, and the texels. */
#ifndef BWI_VAT_VAT_H
#define BWI_VAT_VAT_H

#include "bakewell/vat.h"
#include "base/error.h"
#include "base/math.h"
#include "base/thread.h"
#include "model/draw_list.h"
#include "model/manifest.h"
#include "model/space.h"
#include "model/texels.h"
#include "sample/sample.h"

/* One row an engine. */
typedef struct bwi_engine_info {
    bw_engine engine;
    bw_vat_format format;   /* its default */
    bw_vat_format held[6]; /* what auto chooses among, ends with DEFAULT: the default first, then by falling use */
    bw_vat_skin_in skin_in; /* bone mode's default */
} bwi_engine_info;
const bwi_engine_info *bwi_engine_info_of(bw_engine engine); /* DEFAULT: generic; NULL for unknown values */

/* One way to bake, among those that a scene and the options allow. */
typedef struct bwi_vat_candidate {
    bw_vat_mode mode;       /* VERTEX, BONE or RIGID */
    bw_vat_format format;   /* of the position or bone texture */
    uint32_t rate_divisor;  /* the clips' rate over this */
} bwi_vat_candidate;

/* Options with every default filled in. */
typedef struct bwi_vat_settings {
    bw_vat_mode mode; /* VERTEX, BONE or RIGID */
    bw_vat_skin_in skin_in; /* bone: TEXTURE or MESH */
    uint32_t influence_count; /* that a vertex has room for: rigid 1, bone 4 or 8 */
    uint32_t influence_limit; /* that it may use: 1 … influence_count */
    uint32_t rate_divisor;
    double bone_bound;   /* part of a clip's diagonal that shear and uneven scale may cost before bones become matrices … */
    double bone_bound_m; /* … or, above 0, metres */
    const bwi_format_info *weight_format; /* of the weight texture; NULL: none */
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

/* Space of the texture data: the engine's, or the layout's own. */
const bwi_space_map *bwi_vat_space(const bwi_vat_settings *settings);

/* Fills defaults.  In: candidate — one of bwi_vat_candidates'; NULL: opts->mode, vertex mode where that is auto, in the format that options or
 * the engine say, at the full rate; has_normals, has_tangents — the vertex list's.  Err: USAGE (contradictions). */
bw_result bwi_vat_resolve(bwi_vat_settings *settings, const bw_vat_opts *opts, const bwi_vat_candidate *candidate, bool has_normals, bool has_tangents,
                          bw_error *error);

/* What carries vertices in bone and rigid mode.  x, the vertex as the mesh is written, stands at world(node) · bind · x. */
typedef struct bwi_bone {
    const char *name;
    uint32_t node;   /* BW_NO_INDEX: nothing moves it, or (fitted) its motion was found from the vertices */
    bool fitted;
    bwi_mat4 bind;   /* glTF's space; not of fitted ones */
    double pivot[3]; /* glTF's space */
} bwi_bone;

/* By how much a bone moves a vertex more in the source than here. */
typedef struct bwi_weight_change { uint32_t vertex, bone; double weight; } bwi_weight_change;

/* The bones, and which of them each vertex follows. */
typedef struct bwi_palette {
    const bwi_bone *bones;
    uint32_t bone_count; /* B, 1 … 65535 */
    uint32_t influence_count;  /* the settings' */
    const uint16_t *indices;   /* [V][influence_count], by falling weight; unused ones are bone 0 */
    const uint16_t *weights;   /* [V][influence_count], codes whose sum is 65535 */
    const float *positions;    /* [V][3]: the mesh as it is written, glTF's axes and metres */
    const float *normals;      /* [V][3] */
    const float *tangents;     /* [V][4]; NULL: none */
    uint32_t dropped_vertices; /* that follow more joints in the source than they may here */
    const bwi_weight_change *changes; /* [change_count] of those vertices, ascending */
    size_t change_count;
    bool morphs_frozen;        /* a clip moves morph targets of a part, and its bones do not show that */
    /* Fitted bones: the vertices of each, ascending.  NULL where none is fitted. */
    const uint32_t *members;      /* [V] */
    const uint32_t *first_member; /* [B + 1] */
} bwi_palette;


/* A turn about up and a travel on the ground, in the space of the texture data: p goes to pivot + translation + turn(p − pivot). */
typedef struct bwi_ground_move {
    float pivot[3], translation[3], yaw_rad;
} bwi_ground_move;

/* A clip of the bake: the manifest's row, and where it comes from. */
typedef struct bwi_vat_clip {
    bwi_manifest_clip out; /* names in the arena */
    bwi_clip_mix mix;
    double diagonal; /* of the bounds, metres of the source */
    bwi_ground_move end; /* the root's at the end pose; {0}: no root motion is taken out */
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
    uint32_t width, height, rows_per_frame, frames_per_page; /* W, of the first page, R, K (seed: height of its tallest page, 1, 0; openvat: R rows apart, N) */
    bwi_vat_page *pages;
    uint32_t page_count;
    uint64_t texture_bytes;
    const bwi_palette *palette;   /* bone and rigid mode; NULL: vertex mode */
    bwi_manifest_bones bones;     /* the palette in the texture */
    uint32_t weight_width, weight_height, weight_rows; /* of the weight texture, and rows of one of its blocks; 0: none */
    double shear, shear_part;     /* what quaternions instead of matrices cost at most: metres, and as a part of its clip's diagonal */
    double dropped;               /* what the joints that were dropped cost at most, metres */
    uint32_t root;                /* node whose travel and turn are taken out; BW_NO_INDEX: none */
    const uint32_t *attachments;  /* [attachment_count] nodes, ascending */
    uint32_t attachment_count;
    const float *rest;                    /* openvat: [V][3] of the written mesh, space of the texture data; else NULL */
    float offset_min[3], offset_max[3];   /* openvat: of all offsets from it, rounded outward */
    const bwi_vertex_list *const *levels; /* coarser meshes that read the same texels */
    uint32_t level_count;
} bwi_vat_plan;

/* Chooses the clips (opts->clip, merge_clips, static), their spans and frame counts.  Out: clips — in the arena, first_frame not yet set.
 * Err: UNKNOWN_CLIP (lists those there are), NO_CLIP, USAGE (start or end outside, two clips of one name), TOO_LARGE. */
bw_result bwi_vat_choose_clips(bwi_vat_clip **clips, uint32_t *clip_count, bwi_arena *arena, const bw_scene *scene,
                               const bwi_vat_settings *settings, const bw_vat_opts *opts, bwi_warnings *warnings, bw_error *error);

/* Finds the nodes of plan->root and plan->attachments, and gives the clips their events.  In: plan — list and clips are set.
 * Err: USAGE (no such node: says which there are; nothing to find a root by; an event outside its clip), UNKNOWN_CLIP (an event's), MEMORY. */
bw_result bwi_vat_choose_tracks(bwi_vat_plan *plan, bwi_arena *arena, const bw_vat_opts *opts, bw_error *error);

/* The root where none is named: the topmost animated joint of the baked skins, else the topmost animated node that carries every baked mesh.
 * Err: USAGE (none, or several: says which), MEMORY. */
bw_result bwi_vat_find_root(uint32_t *root, const bwi_vat_plan *plan, bwi_arena *arena, bw_error *error);

/* Fills the clips' root tracks (with an entry for a closing frame); nothing without plan->root.  Before bwi_vat_measure.
 * Err: MALFORMED (a root beyond what a float can hold), MEMORY, CANCELLED. */
bw_result bwi_vat_track_root(bwi_vat_plan *plan, bwi_arena *arena, const bwi_env *env, bw_error *error);

/* Fills the clips' attachments.  After bwi_vat_measure, which closes clips.  Warns: attachment-sheared (nodes).
 * Err: MALFORMED, MEMORY, CANCELLED. */
bw_result bwi_vat_track_attachments(bwi_vat_plan *plan, bwi_arena *arena, const bwi_env *env, bwi_warnings *warnings, bw_error *error);

/* Evaluates a frame of a clip in the space of the texture data, root motion taken out: what its texels hold.
 * Out: positions — [V][3]; normals — [V][3] or NULL; tangents — [V][4] or NULL. */
void bwi_vat_sample(const bwi_vat_plan *plan, bwi_sampler *sampler, const bwi_vat_clip *clip, uint32_t frame, float *positions, float *normals,
                    float *tangents);
/* The same of the end pose, which the seed layout has no frame for.  Out: positions — [V][3]. */
void bwi_vat_sample_end(const bwi_vat_plan *plan, bwi_sampler *sampler, const bwi_vat_clip *clip, float *positions);
/* The root's move in a frame; {0} without root motion, and in a closing frame, which is a copy of the first. */
bwi_ground_move bwi_vat_move(const bwi_vat_clip *clip, uint32_t frame);

/* Bones from joints of skins, from nodes that carry the other parts, and from the nodes of attachments.  Bones that stand for the same
 * motion are one.  In: plan — list, clips, settings, attachments.  Out: plan->palette.  Warns: morphs-frozen (parts), bind-not-invertible
 * (joints: they turn about the middle of their vertices).
 * Err: UNSUPPORTED (nothing is skinned: says which mode fits), MALFORMED (vertices beyond what a float can hold), TOO_LARGE (more than 65,535
 * bones), MEMORY, CANCELLED. */
bw_result bwi_vat_palette_of_skins(bwi_vat_plan *plan, bwi_arena *arena, const bwi_env *env, bwi_warnings *warnings, bw_error *error);
/* Pieces: from the nodes that carry parts, from skins with one influence a vertex, and from connected vertices whose motion fits a rigid one.
 * Raises the rate of clips in which a piece turns more than 120° in a step (twice, four times …).
 * Err: UNSUPPORTED (pieces that do not move rigidly: names them and their error; says which mode fits), TOO_LARGE, MEMORY, CANCELLED. */
bw_result bwi_vat_palette_of_pieces(bwi_vat_plan *plan, bwi_arena *arena, const bwi_env *env, bwi_warnings *warnings, bw_error *error);

/* Poses of the bones in a frame: the way from x to where it is stored, both in the space of the texture data, root motion taken out.
 * Out: poses — [B].  In: positions — scratch [V][3], for fitted bones; else NULL is allowed. */
void bwi_palette_pose(bwi_mat4 *poses, const bwi_vat_plan *plan, bwi_sampler *sampler, const bwi_vat_clip *clip, uint32_t frame,
                      float *positions);

/* Walks every frame's bones: ranges of posed pivots and scales for each clip, shear and dropped influences; chooses matrices where shear
 * costs more than settings.bone_bound (then settings.format and the sizes change: lay out again).  After bwi_vat_measure.
 * Warns: bones-sheared, influences-dropped (vertices).
 * Err: MALFORMED (pivots beyond what a float can hold), TOO_LARGE (beyond half floats), MEMORY, CANCELLED. */
bw_result bwi_vat_measure_bones(bwi_vat_plan *plan, bwi_arena *arena, const bwi_env *env, bwi_warnings *warnings, bw_error *error);

/* Fills the weight texture.  Out: weights — data of weight_width × weight_height texels, zeroed by the callee. */
void bwi_vat_encode_weights(const bwi_vat_plan *plan, bwi_texels *weights);

/* Every way to bake that options and scene allow, the simpler one first: with --mode=auto the modes that fit the scene, in the formats
 * that the engine holds (or the one given), at the full rate and the fractions asked for; else one.  Out: candidates — in the arena.
 * Err: USAGE, MEMORY. */
bw_result bwi_vat_candidates(bwi_vat_candidate **candidates, size_t *count, bwi_arena *arena, const bwi_vertex_list *list,
                             const bw_vat_opts *opts, bw_error *error);

/* Lays the clips' frames out in pages: first_frame of each clip, sides, bytes.  May be called again after clips were closed.
 * Err: TOO_LARGE (a texture side, max_bytes: says which option helps).  Source: docs/FORMATS.md. */
bw_result bwi_vat_layout(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error);

/* The rest pose that offsets count from; nothing for layouts without offsets.  Before measuring.  Err: MEMORY. */
bw_result bwi_vat_rest(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error);

/* Walks every frame of every clip: bounds, diagonal, loop; closes clips where loop=yes asks for it, and in OpenVAT's layout drops the last
 * frame of loops, which its players never need (then lay out again).
 * Err: MALFORMED (positions that overflow), TOO_LARGE (beyond half floats), MEMORY, CANCELLED. */
bw_result bwi_vat_measure(bwi_vat_plan *plan, const bwi_env *env, bw_error *error);

/* Bytes of what one page carries to the next: the frame of bones that is on both.  0: nothing. */
size_t bwi_carried_size(const bwi_vat_plan *plan);
/* Fills one page's texels.  Out: positions — data of width × height texels, zeroed by the callee; normals — the same or NULL.
 * In, out: carried — bwi_carried_size bytes that pages hand on in their order, so that quaternions keep to one side; NULL: on each page by itself.
 * Err: MEMORY, CANCELLED. */
bw_result bwi_vat_encode_page(const bwi_vat_plan *plan, uint32_t page, bwi_texels *positions, bwi_texels *normals, void *carried,
                              const bwi_env *env, bw_error *error);

/* The mesh to write: rest pose, authored UV sets and colours, and the texels' UVs in the lowest free set >= 1 (lower missing sets are 0);
 * in OpenVAT's layout after the last authored set.
 * Out: draw_list — arrays in the arena; uv_set — TEXCOORD index of the texels' UVs.  Err: MEMORY. */
bw_result bwi_vat_draw_list(bwi_draw_list *draw_list, uint32_t *uv_set, const bwi_vat_plan *plan, bwi_arena *arena, bw_error *error);

/* The element whose texels each vertex of a coarser mesh reads: the nearest at rest, where a difference of skin weights counts as distance, so
 * that what hangs on another joint is taken only where nothing else is there; the lowest of several.  The same index where both lists lie
 * alike.  Out: map — [V of the level].  Err: MEMORY, CANCELLED.  Cost: O(V log V). */
bw_result bwi_vat_map_level(uint32_t *map, const bwi_vertex_list *base, const bwi_vertex_list *level, const bwi_env *env, bw_error *error);
/* bwi_vat_draw_list of a level, in the same UV set. */
bw_result bwi_vat_level_draw_list(bwi_draw_list *draw_list, const bwi_vat_plan *plan, const bwi_vertex_list *level, const uint32_t *map,
                                  bwi_arena *arena, bw_error *error);

/* Up to 8 elements × 4 frames with the positions expected of them.  Out: probes — in the arena.  Err: MEMORY. */
bw_result bwi_vat_probes(bwi_probe **probes, size_t *count, const bwi_vat_plan *plan, bwi_arena *arena, bw_error *error);

/* The clip that holds a frame of the whole list, and the frame's number inside it. */
const bwi_vat_clip *bwi_vat_clip_of_frame(const bwi_vat_plan *plan, uint32_t frame, uint32_t *local);

#endif
