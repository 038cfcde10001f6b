/* SPDX-License-Identifier: MIT
 * The scene's validator, in which every reader ends, and clips that come from other scenes. */
#ifndef BWI_SCENE_SCENE_H
#define BWI_SCENE_SCENE_H

#include "bakewell/scene.h"
#include "base/error.h"

/* Checks everything that bakewell/scene.h promises.  Err: BW_ERR_MALFORMED for what a file can cause (not finite, out of range, cyclic),
 * BW_ERR_INTERNAL for what only a reader can (a NULL array with a count).  Cost: O(scene). */
bw_result bwi_scene_validate(const bw_scene *scene, bw_error *error);

/* Closes what its caches read from and frees its arena, which owns all else.  NULL-safe. */
void bwi_scene_free(bw_scene *scene);

/* First and last sample of all caches that have several.  False: there are none, and the outputs are untouched. */
bool bwi_scene_cache_span(const bw_scene *scene, double *start_s, double *end_s);

/* Fills start_s, end_s and key_rate_fps from the channels, of which there is one at least. */
void bwi_scene_measure_clip(bw_clip *clip);

/* Takes clips of other scenes into one: their channels go to the nodes that have the same names, joints before other nodes. */
typedef struct bwi_clip_adopter bwi_clip_adopter;
/* Out: adopter — in the arena `scratch`, as is all that is needed until the end.  In: scene — the clips are copied into its arena; prefix —
 * dropped from names of both sides where they begin with it; NULL or "": none.  Err: MEMORY. */
bw_result bwi_clip_adopter_begin(bwi_clip_adopter **adopter, bwi_arena *scratch, bw_scene *scene, const char *prefix, bw_error *error);
/* How many of the nodes that `from` animates are joints of the scene, or nodes where it has no skin.  Out: driven — all that `from` animates.
 * Err: MEMORY. */
bw_result bwi_clip_adopter_fit(bwi_clip_adopter *adopter, const bw_scene *from, uint32_t *fitting, uint32_t *driven, bw_error *error);
/* Copies the clips of `from`, which may go afterwards; its path is UTF-8.  Warns of: clip-node-unknown, clip-node-ambiguous, clip-node-matrix, clip-node-twice,
 * clip-morphs-differ (channels), clip-without-nodes (clips), rest-pose-differs (nodes).
 * Err: NO_CLIP (it has none, or no channel drives a node of the scene: both sides' names are in the message), MEMORY. */
bw_result bwi_clip_adopter_add(bwi_clip_adopter *adopter, const bw_scene *from, bwi_warnings *warnings, bw_error *error);
/* Names the clips and appends them to the scene's.  A name that two have becomes the file's: "walk" if it held one clip, else "walk.Run"; the
 * scene's own stay.  Err: MEMORY, and what bwi_scene_validate gives. */
bw_result bwi_clip_adopter_end(bwi_clip_adopter *adopter, bw_error *error);

#endif
