/* SPDX-License-Identifier: MIT
 * Readers: a file of any known format becomes a scene. */
#ifndef BWI_READ_READ_H
#define BWI_READ_READ_H

#include "bakewell/scene.h"
#include "base/error.h"

/* Reads a scene file, its format told by content; the scene has passed bwi_scene_validate.  Out: scene — free with
 * bwi_scene_free.  In: path; opts — NULL: defaults.  Err: FILE_MISSING, FILE_IS_FOLDER, FILE_READ, EMPTY, UNRECOGNISED,
 * TRUNCATED, JSON, MALFORMED, UNSUPPORTED, MEMORY, CANCELLED.  Thread-safe. */
bw_result bwi_read_scene(bw_scene **scene, const char *path, const bw_scene_opts *opts, bw_error *error);

#endif
