/* SPDX-License-Identifier: MIT
 * The scene's validator: every reader ends in it. */
#ifndef BWI_SCENE_SCENE_H
#define BWI_SCENE_SCENE_H

#include "bakewell/scene.h"
#include "base/error.h"

/* Checks everything that bakewell/scene.h promises.  Err: BW_ERR_MALFORMED for what a file can cause (not finite, out of range, cyclic),
 * BW_ERR_INTERNAL for what only a reader can (a NULL array with a count).  Cost: O(scene). */
bw_result bwi_scene_validate(const bw_scene *scene, bw_error *error);

#endif
