/* SPDX-License-Identifier: MIT
 * Pivot Painter 2 as a shader reads it: texels of elements, chains of parents, wind.  Written from docs/FORMATS.md, not from the encoder. */
#ifndef BWI_DECODE_PIVOT_H
#define BWI_DECODE_PIVOT_H

#include "bakewell/wind.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/thread.h"
#include "model/pivot_manifest.h"

/* The two textures, as sampled without a filter.  T1 is "Position and Index", T2 "X-Vector and X-Extent". */
typedef struct bwi_pivot_maps {
    uint32_t width, height;      /* of both */
    const float *positions;      /* T1 [height][width][4]: halves as floats; RGB = pivot, cm; A = bits of parent index + 1024 */
    const float *axes;           /* T2 [height][width][4]: codes over 255; RGB = ½ axis + ½, A = extent / 2048 cm */
} bwi_pivot_maps;

/* Number of the element that a UV points at.  In: uv — v from the top, 0 <= uv < 1 (others: nearest edge). */
uint32_t bwi_pivot_element_at(const bwi_pivot_maps *maps, const float uv[2]);
/* UV of an element's texel, by the arithmetic of the stock functions: float, row = floor(index × (1 / width)), which for some widths is one row
 * off; docs/FORMATS.md lists them. */
void bwi_pivot_uv_of(const bwi_pivot_maps *maps, uint32_t element, float uv[2]);
/* Parent that a T1 alpha names, as the stock functions unpack it: unsigned, so that texels of padding may give any number. */
uint32_t bwi_pivot_parent_of(float alpha);

typedef struct bwi_pivot_texel {
    double pivot[3], axis[3]; /* cm; unit; (0, 0, 0) where the texel holds none, object space */
    double extent;            /* cm, at least 8 */
    uint32_t parent;          /* of any value */
} bwi_pivot_texel;
bwi_pivot_texel bwi_pivot_texel_at(const bwi_pivot_maps *maps, const float uv[2]);

/* How a texture names parents. */
typedef enum bwi_pivot_packing {
    BWI_PIVOT_PACKED = 0, /* bits of a half: index + 1024.  What the stock functions read */
    BWI_PIVOT_RAW_BITS,   /* bits of a half: the index alone */
    BWI_PIVOT_LINEAR,     /* (index + 1024) / 2^24, which is the same up to 1024 */
    BWI_PIVOT_NUMBER,     /* the index as a number */
    BWI_PIVOT_NUMBER_UP,  /* the index + 0.5 */
    BWI_PIVOT_NUMBER_DOWN, /* the index - 0.5 */
    BWI_PIVOT_UNKNOWN     /* none of these makes a tree */
} bwi_pivot_packing;

enum { BWI_PIVOT_DEPTHS = 8, BWI_PIVOT_TEXELS_MAX = 1 << 20 };

/* What a T1 texture of any tool holds, judged by its texels alone. */
typedef struct bwi_pivot_survey {
    bwi_pivot_packing packing;     /* that which makes whole trees of most texels, parents before children; UNKNOWN: none does, and the rest is as PACKED gives it */
    uint32_t element_count, padding_count; /* padding: last texels that nothing names and that name nothing, or are zero */
    uint32_t root_count;           /* elements that name themselves */
    uint32_t bad_parent_count, first_bad; /* parents outside the elements */
    uint32_t circle_count, first_circle;  /* elements whose chain ends in a circle */
    uint32_t later_parent_count;   /* parents that stand after their child */
    uint32_t depth_counts[BWI_PIVOT_DEPTHS]; /* elements by steps to their root; the last: and deeper */
    uint32_t max_depth;
    uint32_t not_finite_count;     /* pivots */
    bool all_on_first;             /* three and more elements, and all hang on element 0 */
    bool raised_by_one;            /* the root's pivot is (0, 1, 0): a bias of some exporters */
    uint32_t wrong_row_count;      /* elements that the stock look-up of this width finds in another row */
    float least[3], most[3];       /* of finite pivots */
} bwi_pivot_survey;
/* In: rgba — [height][width][4], T1 as floats; at most BWI_PIVOT_TEXELS_MAX texels; element_count — as a manifest says, 0: told by the texels, where a
 * last root at the origin looks like padding.  Err: MEMORY.  Cost: linear. */
bw_result bwi_pivot_survey_make(bwi_pivot_survey *survey, const float *rgba, uint32_t width, uint32_t height, uint32_t element_count, bwi_mem *mem,
                                bw_error *error);
/* In words, for people: "index + 1024 as the bits of a half". */
const char *bwi_pivot_packing_text(bwi_pivot_packing packing);

/* The elements that move a vertex, the nearest ancestor that counts first, its own last; at most `most` of them, the nearest ones.
 * Returns how many: 1 for a root.  A chain that runs in a circle or out of the texture ends there. */
enum { BWI_PIVOT_CHAIN_MAX = 256 };
uint32_t bwi_pivot_chain(bwi_pivot_texel *chain, const bwi_pivot_maps *maps, const float uv[2], uint32_t most);

typedef struct bwi_wind_sampler { bw_wind wind; const float *map_rgba; double inverse_transform[16]; double scale[3]; } bwi_wind_sampler;
/* Out: sampler — holds copies, but for the map.  In: scratch — [64 × 64 × 4] for the made map, kept; needed where wind->map is {0}.
 * Err: USAGE (a transform that cannot be inverted, numbers that are not finite, a scale of 0, a direction that is no unit vector). */
bw_result bwi_wind_sampler_make(bwi_wind_sampler *sampler, const bw_wind *wind, float *scratch, bw_error *error);

/* Vertices in the wind, world space of the instance.  Out: positions — [count][3] cm; normals — [count][3] unit; NULL: not wanted.
 * In: uvs — [count][2] of the set that points at texels; rest — [count][3] object space, cm; rest_normals — [count][3]; NULL where normals is.
 * Thread-safe; allocates nothing.  Source: docs/FORMATS.md, docs/PIVOT.md. */
void bwi_pivot_evaluate(float *positions, float *normals, const bwi_pivot_maps *maps, const bwi_wind_sampler *sampler,
                        bw_wind_evaluator evaluator, const float *uvs, const float *rest, const float *rest_normals, size_t count);

/* ---- a bake's files: decode_pivot_open.c ---- */

typedef struct bwi_pivot_mesh {
    uint32_t vertex_count;
    const float *positions; /* [vertex_count][3], glTF's axes and metres, in the order of the file */
    const float *normals;   /* [vertex_count][3]; NULL: a primitive has none */
    const float *uvs;       /* [vertex_count][2], of the set that points at texels */
    const uint32_t *elements; /* [vertex_count], the texel that each vertex reads */
} bwi_pivot_mesh;

typedef struct bwi_pivot_bake {
    const bwi_pivot_manifest *manifest;
    bwi_pivot_maps maps;
    bwi_pivot_mesh mesh;
    const bwi_pivot_mesh *levels; /* [manifest->levels.count] */
} bwi_pivot_bake;

/* Reads what a manifest names.  Out: bake — in the arena.  In: folder — where the files are; findings — gets what differs from the manifest (sizes,
 * hashes, counts, UVs, vertex order, probes) and what shaders or Unreal's converter to a skeleton trip over (parents, texels without vertices).
 * Err: DIFFERS (files that cannot be decoded as the manifest says; a finding or the message says why), what reading files gives, MEMORY, CANCELLED. */
bw_result bwi_pivot_bake_read(bwi_pivot_bake *bake, bwi_arena *arena, const char *folder, const bwi_pivot_manifest *manifest, const bwi_env *env,
                              bwi_warnings *findings, bw_error *error);
/* From the space of the texture data to glTF's axes; `scale`: and metres.  In place of out is allowed. */
void bwi_pivot_to_gltf(double out[3], const double in[3], const bwi_space_name *space, bool scale);

#endif
