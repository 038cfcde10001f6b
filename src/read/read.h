/* SPDX-License-Identifier: MIT
 * Readers: a file of any known format becomes a scene. */
#ifndef BWI_READ_READ_H
#define BWI_READ_READ_H

#include "bakewell/scene.h"
#include "base/error.h"
#include "model/hair.h"

/* Reads a scene file, its format told by content; the scene has passed bwi_scene_validate.  Out: scene — free with
 * bwi_scene_free.  In: path; opts — NULL: defaults.  Err: FILE_MISSING, FILE_IS_FOLDER, FILE_READ, EMPTY, UNRECOGNISED,
 * TRUNCATED, JSON, MALFORMED, UNSUPPORTED, MEMORY, CANCELLED.  Thread-safe. */
bw_result bwi_read_scene(bw_scene **scene, const char *path, const bw_scene_opts *opts, bw_error *error);

/* Reads the hair of a file, its format told by content: Alembic, cyHair, or the line primitives of a glTF.  What is wrong with it is for lint to
 * say: only what cannot be read at all fails.  Out: hair — free with bwi_hair_free.  In: path; run — NULL: defaults.
 * Err: as bwi_read_scene.  A file without curves gives a hair without curves.  Thread-safe. */
bw_result bwi_read_hair(bwi_hair **hair, const char *path, const bw_run_opts *run, bw_error *error);

#endif
