/* SPDX-License-Identifier: MIT
 * The reader of Alembic archives, for read_scene.c. */
#ifndef BWI_READ_ALEMBIC_ABC_H
#define BWI_READ_ALEMBIC_ABC_H

#include "bakewell/scene.h"
#include "base/error.h"

/* True if the bytes start like an archive, also of the older kind that opening refuses by name. */
bool bwi_abc_recognise(const uint8_t *data, size_t size);

/* Reads an archive: meshes, transforms, instances and visibility, whose samples stay in the file until they are asked for.
 * In: data — the file's bytes, for its hash; they may go when the call is over.  Err: as bwi_read_scene. */
bw_result bwi_read_alembic(bw_scene **scene, const char *path, const uint8_t *data, size_t size, const bw_scene_opts *opts, bw_error *error);

#endif
