/* SPDX-License-Identifier: MIT
 * The scene at a time: one vertex list, evaluated.  The reference for every encoder, decoder and shader. */
#ifndef BWI_SAMPLE_SAMPLE_H
#define BWI_SAMPLE_SAMPLE_H

#include "bakewell/scene.h"
#include "base/error.h"
#include "base/math.h"
#include "base/thread.h"

/* Vertices of one primitive of one node's mesh (one instance of it): consecutive in the list. */
typedef struct bwi_part {
    uint32_t node, mesh, primitive;
    uint32_t instance; /* of node.instances, or BW_NO_INDEX */
    uint32_t skin;     /* or BW_NO_INDEX: moved by its node */
    uint32_t first_vertex, vertex_count;
    /* [vertex_count], into the primitive's arrays: ascending; or, for triangles without normals, one a corner in index order, since faces
     * that are flat share no vertex. */
    const uint32_t *source_vertices;
    bool has_normals, has_tangents;  /* authored; else normals are flat, computed each frame */
    bool computes_morph_normals;     /* targets move positions but bring no normals: N + (C(w) - C(0)), C smooth normals of the surface */
} bwi_part;

/* Parts of one material and mode: a primitive of the written mesh. */
typedef struct bwi_list_primitive {
    bw_primitive_mode mode;
    uint32_t material; /* or BW_NO_INDEX */
    uint32_t first_part, part_count;
    uint32_t first_vertex, vertex_count;
    const uint32_t *indices; /* into the list; winding as seen in the rest pose (reversed where the transform mirrors) */
    uint32_t index_count;
} bwi_list_primitive;

/* DESIGN §2: the default scene, every instance realised, world space, unused vertices dropped; primitives in the order of materials in the
 * file (none last), then triangles, lines, points; inside one, parts in the order of nodes, primitives, instances. */
typedef struct bwi_vertex_list {
    const bw_scene *scene;
    uint32_t vertex_count; /* V >= 1 */
    const bwi_part *parts;
    uint32_t part_count;
    const bwi_list_primitive *primitives;
    uint32_t primitive_count;
    bool has_normals;  /* false: lines and points only, none with authored normals; theirs say nothing */
    bool has_tangents; /* every triangle part has authored tangents and normals */
} bwi_vertex_list;

/* Patterns for nodes: matched against the node's name and its mesh's name, '*' and '?' as wildcards. */
typedef struct bwi_node_filter { bw_string_list include, exclude; } bwi_node_filter;

bool bwi_name_matches(const char *pattern, const char *text);
/* Length of a name without what tells levels of detail apart: "Body_LOD2" is "Body". */
size_t bwi_level_name_length(const char *name);
/* For messages: a few of the nodes' names, those nearest to `pattern` first, in file order where that is NULL.  In: shown — only nodes that
 * show a mesh in the default scene. */
void bwi_list_node_names(char *text, size_t size, const bw_scene *scene, const char *pattern, bool shown);

/* A filter for a scene that may lack some of what the patterns name: those that match nothing are dropped, unless no include would be left.
 * Err: MEMORY. */
bw_result bwi_node_filter_narrow(bwi_node_filter *out, bwi_arena *arena, const bw_scene *scene, const bwi_node_filter *filter, bw_error *error);

/* Builds the list.  Out: list — in the arena.  In: filter — NULL: every node.  Warns of what it computes or drops: normals-missing,
 * morph-normals-computed (primitives), vertices-unused (vertices), tangents-dropped (parts), skinned-instances-ignored (instances).
 * Err: NO_MESH (says what the scene holds, or that the patterns left nothing and which names there are), USAGE (a pattern that matches no
 * node), TOO_LARGE (>= 2^31 vertices), MEMORY. */
bw_result bwi_vertex_list_build(bwi_vertex_list **list, bwi_arena *arena, const bw_scene *scene, const bwi_node_filter *filter,
                                const bwi_env *env, bwi_warnings *warnings, bw_error *error);
/* Name of the part's node. */
const char *bwi_part_name(const bwi_vertex_list *list, uint32_t vertex);

/* Authored attributes that do not move, in list order, into the caller's arrays; a part without the set gets 0 (uv) or 1 (colour). */
void bwi_vertex_list_uv(const bwi_vertex_list *list, uint32_t set, float *uv /* [V][2] */);
void bwi_vertex_list_color(const bwi_vertex_list *list, uint32_t set, float *color /* [V][4] */);
uint32_t bwi_vertex_list_uv_set_count(const bwi_vertex_list *list);   /* highest set in any part + 1 */
bool bwi_vertex_list_has_uv(const bwi_vertex_list *list, uint32_t set); /* in any part */
uint32_t bwi_vertex_list_color_count(const bwi_vertex_list *list);

/* Clips that play together, in absolute time of the file.  count 0: the rest pose.  Where two animate the same property the later wins. */
typedef struct bwi_clip_mix { const bw_clip *const *clips; size_t count; } bwi_clip_mix;

/* Evaluates the list.  One a thread: it holds scratch memory. */
typedef struct bwi_sampler bwi_sampler;
bw_result bwi_sampler_create(bwi_sampler **sampler, const bwi_vertex_list *list, bwi_mem *mem, bw_error *error);
void bwi_sampler_free(bwi_sampler *sampler); /* NULL-safe */

/* The list at a time: float results of transforms composed in double.  Where a node is hidden, its parts' vertices lie on the first of each part.
 * Out: positions — [V][3], metres, world space; normals — [V][3], unit, or NULL; tangents — [V][4], unit, w carried through (its sign follows
 * the determinant), or NULL; only if list->has_tangents.  In: time_s — absolute, clamped to each channel's keys and each cache's samples.
 * Normals: cofactor of the blended 3 × 3, signed by its determinant; points and lines without normals get (0, 1, 0); so do degenerate triangles
 * and what a matrix of rank 1 or 0 leaves of a normal.
 * Caches: linear between samples; matrices that are translation, rotation and scale are mixed as such, others element by element; a changing
 * topology shows the sample before, moved on by its velocities.  Where reading one fails, bwi_sampler_status says so, and values are those of rest.
 * Allocates nothing.  Source: glTF 2.0 §3.7.3, appendix C. */
void bwi_sampler_evaluate(bwi_sampler *sampler, const bwi_clip_mix *mix, double time_s, float *positions, float *normals, float *tangents);
/* The list at rest with one matrix a part in place of what skins and nodes do, morphed by the weights at rest.
 * In: matrices — [parts], from the primitive's own positions to where they shall stand.  Out: as bwi_sampler_evaluate. */
void bwi_sampler_place(bwi_sampler *sampler, const bwi_mat4 *matrices, float *positions, float *normals, float *tangents);
/* The way at rest from the vertices of a part that no skin moves to its node or one above that; BW_NO_INDEX: to the world. */
bwi_mat4 bwi_part_rest_matrix(const bwi_vertex_list *list, const bwi_part *part, uint32_t above);
/* Whether all caches could be read so far.  Err: what the first that failed gave. */
bw_result bwi_sampler_status(const bwi_sampler *sampler, bw_error *error);
/* The node transforms alone, for bwi_sampler_world_matrices. */
void bwi_sampler_pose(bwi_sampler *sampler, const bwi_clip_mix *mix, double time_s);
/* World matrices [nodes][16] double, column-major, of the last evaluation. */
const double *bwi_sampler_world_matrices(const bwi_sampler *sampler);
/* bwi_mix_steps_between, or a part of the list is shown or hidden, or changes its topology. */
bool bwi_sampler_steps_between(bwi_sampler *sampler, const bwi_clip_mix *mix, double from_s, double to_s);
/* True if a STEP channel of the mix takes another value in (from_s, to_s].  A step counts from 10 µs before its key. */
bool bwi_mix_steps_between(const bwi_clip_mix *mix, double from_s, double to_s);

#endif
