/* SPDX-License-Identifier: MIT
 * What the layouts share: texels, and the rules of OpenVAT's layout. */
#ifndef BWI_VAT_VAT_PRIV_H
#define BWI_VAT_VAT_PRIV_H

#include "vat/vat.h"

uint32_t bwi_pow2_up(uint32_t x); /* the least power of two >= x; x <= 2^31 */

/* A texel before its bits are laid down: codes for integer types, values for floats. */
typedef struct bwi_texel {
    uint32_t code[4];
    float value[4];
} bwi_texel;
/* Channel k from x in [0, 1]: the code floor(largest · x + ½), and x itself. */
void bwi_texel_set(bwi_texel *texel, int k, double x, bwi_texel_type type);
/* Channel k < 3 from x in [min, max]: the code of its place there, 0 where there is no extent, and x itself. */
void bwi_texel_set_range(bwi_texel *texel, int k, double x, float min, float max, bwi_texel_type type);
void bwi_texel_put(const bwi_texels *image, size_t column, size_t row, const bwi_texel *texel);

/* Beyond it a half float is infinite. */
#define BWI_LARGEST_HALF 65504.0f

bool bwi_all_finite(const float *values, size_t count);

/* What a walk evaluates of each frame. */
typedef enum bwi_walk_what { BWI_WALK_POSITIONS = 1, BWI_WALK_NORMALS = 2, BWI_WALK_TANGENTS = 4, BWI_WALK_POSES = 8 } bwi_walk_what;

/* One frame of a walk, in the space of the texture data; what was not asked for is NULL. */
typedef struct bwi_frame {
    const bwi_vat_clip *clip;
    uint32_t local;     /* number inside the clip */
    float *positions;   /* [V][3] */
    float *normals;     /* [V][3] */
    float *tangents;    /* [V][4] */
    bwi_mat4 *poses;    /* [B] */
    void *scratch;      /* the worker's own */
} bwi_frame;
typedef bw_result (*bwi_frame_fn)(void *ctx, size_t index, const bwi_frame *frame, bw_error *error);
/* Calls fn for frames first … first + count − 1 of the whole list, in parallel; index counts from 0.  In: what — of bwi_walk_what;
 * scratch_size — bytes a worker.  Err: MEMORY, CANCELLED, fn's. */
bw_result bwi_walk_frames(const bwi_vat_plan *plan, uint32_t first, uint32_t count, unsigned what, size_t scratch_size, bwi_frame_fn fn,
                          void *ctx, const bwi_env *env, bw_error *error);

/* The way back from what a root's move does to a matrix in the space of the texture data. */
bwi_mat4 bwi_undo_move(const bwi_mat4 *world, const bwi_ground_move *move, int up);

/* ---- bones ---- */

/* Poses of the bones at rest, in the space of the texture data.  As bwi_palette_pose. */
void bwi_palette_rest(bwi_mat4 *poses, const bwi_vat_plan *plan, bwi_sampler *sampler, float *positions);
/* The mesh, or a pose of it: [V][3], [V][3], [V][4] or NULL. */
typedef struct bwi_mesh_arrays { float *positions, *normals, *tangents; } bwi_mesh_arrays;
void bwi_copy_vertex(const bwi_mesh_arrays *mesh, const bwi_mesh_arrays *from, size_t vertex);

/* Pieces of a vertex animation. */
typedef struct bwi_pieces {
    uint32_t *of_vertex; /* [V]; BW_NO_INDEX: of no part that was asked for */
    uint32_t count;      /* numbered by their lowest vertex */
    uint32_t still;      /* all that never moves; BW_NO_INDEX: nothing is */
    double *allowed;     /* [clips] metres that a vertex may be off its piece */
} bwi_pieces;
/* In: plan — its frames are numbered; wanted — [parts]; scratch — holds everything.  Err: MEMORY, CANCELLED.
 * Cost: O(V log V + V · frames). */
bw_result bwi_find_pieces(bwi_pieces *out, const bwi_vat_plan *plan, const bool *wanted, bwi_arena *scratch, const bwi_env *env,
                          bw_error *error);
/* Largest distance of a fitted bone's vertices from where its pose puts them, metres.  In: positions — of the frame. */
double bwi_fit_error(const bwi_vat_plan *plan, uint32_t bone, const bwi_mat4 *pose, const float *positions);
/* Measures how well the fitted bones' vertices move rigidly; writes pieces into the mesh as a frame has them where that fits better than rest.
 * In: plan — with palette; first_fitted — bone; all behind it are fitted; mesh — that of the palette.  Warns: pieces-fitted.
 * Err: UNSUPPORTED (names the worst), MEMORY, CANCELLED. */
bw_result bwi_check_pieces(bwi_vat_plan *plan, uint32_t first_fitted, const double *allowed, const bwi_mesh_arrays *mesh,
                           bwi_arena *scratch, const bwi_env *env, bwi_warnings *warnings, bw_error *error);
/* Doubles the rate of clips in which a piece turns more than 120° from one frame to the next, until none does.  In: plan — with palette;
 * allowed — [clips] of fitted pieces: the rate stays where they would not be rigid in the new frames.
 * Warns: rate-raised, rate-kept, turns-jump.  Err: MEMORY, CANCELLED. */
bw_result bwi_raise_rates(bwi_vat_plan *plan, const double *allowed, const bwi_env *env, bwi_warnings *warnings, bw_error *error);
/* Poses of the fitted bones of a palette: those that put its vertices nearest to where they are.  The others' are left alone.
 * In: positions — [V][3] of a frame, space of the texture data. */
void bwi_fit_poses(bwi_mat4 *poses, const bwi_vat_plan *plan, const float *positions);
/* The bones that joints, carriers and attachments are, and the mesh in the pose they start from. */
typedef struct bwi_node_bones {
    bwi_bone *bones;                       /* without pivots */
    uint32_t bone_count;
    const uint32_t *const *bone_of_joint;  /* [skins][joints]; BW_NO_INDEX: no vertex follows it */
    const uint32_t *part_bones;            /* [parts] that no skin moves */
    bwi_mesh_arrays mesh;                  /* in the arena, glTF's space */
} bwi_node_bones;
/* In: left_out — [parts] whose bones are found otherwise: they stand as their nodes do at rest; NULL: none; scratch — holds all but the mesh.
 * Err: as bwi_vat_palette_of_skins. */
bw_result bwi_find_node_bones(bwi_node_bones *out, const bwi_vat_plan *plan, const bool *left_out, bwi_arena *arena, bwi_arena *scratch,
                              const bwi_env *env, bw_error *error);
/* Fills a palette's indices and weights, and what was dropped of them: influences of one bone are added up, the largest are kept.
 * In: plan — settings, list; bone_of_joint — [skins][joints]; part_bones — [parts], of parts that no skin moves.  Err: MEMORY, CANCELLED. */
bw_result bwi_weigh_vertices(bwi_palette *palette, const bwi_vat_plan *plan, const uint32_t *const *bone_of_joint,
                             const uint32_t *part_bones, bwi_arena *arena, const bwi_env *env, bw_error *error);
/* What the bones together do to a vertex. */
bwi_mat4 bwi_palette_blend(const bwi_palette *palette, uint32_t vertex, const bwi_mat4 *poses);
/* The vertices of the mesh as written, moved by bones.  Out: positions — [V][3], space of the texture data. */
void bwi_palette_apply(float *positions, const bwi_vat_plan *plan, const bwi_mat4 *poses);
/* Takes the vertices of a level at rest back to where the bones of their elements start from, glTF's space; where those are flat at rest the
 * element's own place.  In, out: positions, normals — [count][3]; tangents — [count][4] or NULL.  In: map — [count] elements.  Err: MEMORY. */
bw_result bwi_palette_unpose(float *positions, float *normals, float *tangents, const bwi_vat_plan *plan, const uint32_t *map, uint32_t count,
                             bwi_mem *mem, bw_error *error);
/* A bone's pivot as the reference block decodes to, space of the texture data.  In: plan — bones has the range. */
bwi_vec3 bwi_bone_pivot(const bwi_vat_plan *plan, uint32_t bone);
/* As bwi_vat_encode_page, of bones. */
bw_result bwi_encode_bones(const bwi_vat_plan *plan, uint32_t page, const bwi_texels *image, void *carried, const bwi_env *env, bw_error *error);

bw_result bwi_fail_side(const bwi_vat_plan *plan, const char *what, uint64_t side, const char *help, bw_error *error);

/* The nodes that some clip of the bake moves by its translation, rotation or scale.  Out: moved — [nodes]. */
void bwi_moved_nodes(bool *moved, const bwi_vat_plan *plan);
/* True where a clip of the bake changes a part's own vertices: by morph weights that are others than at rest, or by a cache, or hides it. */
bool bwi_is_deformed(const bwi_vat_plan *plan, const bwi_part *part);
/* The nearest node, a part's own or above it, that is moved; BW_NO_INDEX: none is. */
uint32_t bwi_carrier(const bool *moved, const bw_scene *scene, uint32_t node);
/* The pose of carriers in which the mesh is written: at rest, or where that has no extent in the first frame of a clip that gives it some;
 * identity where no frame does.  Out: reference — [nodes], of carriers alone.  Err: MEMORY. */
bw_result bwi_carrier_references(bwi_mat4 *reference, const bwi_vat_plan *plan, const bool *moved, const bwi_env *env, bw_error *error);

/* OpenVAT's rules: docs/FORMATS.md §9.  Resolving refuses options that its players could not follow. */
bw_result bwi_openvat_resolve(bwi_vat_settings *settings, const bw_vat_opts *opts, bw_error *error);
bw_result bwi_openvat_layout(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error);
/* Column, and row of an element in its first frame. */
void bwi_openvat_place(const bwi_vat_plan *plan, uint32_t element, uint32_t *column, uint32_t *row);
/* One frame's texels.  In: positions, normals — [V][3] in the space of the texture data; normals NULL: none wanted. */
void bwi_openvat_encode_frame(const bwi_vat_plan *plan, uint32_t frame, const float *positions, const float *normals,
                              const bwi_texels *position_image, const bwi_texels *normal_image);
/* Rounds [min, max] outward to multiples of 0.1. */
void bwi_openvat_round_bounds(float min[3], float max[3]);

#endif
