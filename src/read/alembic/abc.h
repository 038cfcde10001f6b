/* SPDX-License-Identifier: MIT
 * The reader of Alembic archives, for read_scene.c. */
#ifndef BWI_READ_ALEMBIC_ABC_H
#define BWI_READ_ALEMBIC_ABC_H

#include "bakewell/scene.h"
#include "base/error.h"
#include "base/file.h"
#include "model/hair.h"

/* True if the bytes start like an archive, also of the older kind that opening refuses by name. */
bool bwi_abc_recognise(const uint8_t *data, size_t size);

/* Reads an archive: meshes, curves, points, transforms, instances and visibility, whose samples stay in the file until they are asked for.
 * In: map — the file's bytes, which may go when the call is over; those of a pipe are kept in memory.  Err: as bwi_read_scene. */
bw_result bwi_read_alembic(bw_scene **scene, const char *path, const bwi_map *map, const bw_scene_opts *opts, bw_error *error);

/* Reads the hair of an archive; values and positions of samples stay in the file.  In: map — as above.  Err: as bwi_read_hair. */
bw_result bwi_read_alembic_hair(bwi_hair **hair, const char *path, const bwi_map *map, const bw_run_opts *run, bw_error *error);

#endif
