/* SPDX-License-Identifier: MIT
 * Errors between what was sampled and what is decoded. */
#ifndef BWI_METRIC_METRIC_H
#define BWI_METRIC_METRIC_H

#include "base/error.h"
#include "base/thread.h"
#include "decode/decode.h"
#include "decode/pivot.h"
#include "sample/sample.h"

/* Walks every page of a bake: decodes each frame on it and, if there is a source, compares it and the middle of each pair of frames.
 * Out: report — zero without a source; its strings are the manifest's and the scene's.  In: list — the source's vertex list, as baked; NULL:
 * none; findings — gets bounds and probes of the manifest that what is decoded
 * differs from.
 * Err: DIFFERS (the source has another number of vertices, or lacks a clip), what reading textures gives, MEMORY, CANCELLED.
 * Cost: two evaluations and two decodings a frame.  The result does not depend on env->thread_count. */
bw_result bwi_metric_walk(bw_error_report *report, bwi_decoder *decoder, const bwi_vertex_list *list, const bwi_env *env,
                          bwi_warnings *findings, bw_error *error);

/* How far a level of detail is off. */
typedef struct bwi_level_error {
    double rest_max, rest_rms; /* metres, at rest; 0 with bones, where a level's vertices have places of their own */
    bw_error_stats frames;     /* at the stored frames */
} bwi_level_error;

/* Compares a level's own vertices, posed, with where the texels put them.  Out: out — strings are the manifest's and the scene's.  In: level —
 * of the manifest; base, list — vertex lists of the base and of the level, whose scene has the base's clips.
 * Err: DIFFERS (another number of vertices, or a clip is missing), what reading textures gives, MEMORY, CANCELLED. */
bw_result bwi_metric_level(bwi_level_error *out, bwi_decoder *decoder, size_t level, const bwi_vertex_list *base, const bwi_vertex_list *list,
                           const bwi_env *env, bw_error *error);

/* Whether a report keeps a bound; a bound that is not given is kept. */
bool bwi_metric_keeps(const bw_error_stats *stats, bw_length bound);

/* Compares the texels of a Pivot Painter 2 bake with a plan, element by element; which texel is whose is told by the mesh's UVs.
 * In: plan — as it was baked, or found again; elements — the plan's, with axes and extents completed.
 * Err: DIFFERS (other vertices or elements, an element whose vertices read several texels), MEMORY. */
bw_result bwi_metric_pivot(bw_pivot_error *out, const bw_pivot_plan *plan, const bw_pivot_element *elements, const bwi_pivot_bake *bake,
                           bwi_mem *mem, bw_error *error);

#endif
