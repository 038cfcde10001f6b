/* SPDX-License-Identifier: MIT
 * The glTF 2.0 reader, for read_scene.c and for tests that have their file in memory. */
#ifndef BWI_READ_GLTF_GLTF_H
#define BWI_READ_GLTF_GLTF_H

#include "bakewell/scene.h"
#include "base/error.h"
#include "model/hair.h"

/* True if the bytes start like a GLB or like JSON text. */
bool bwi_gltf_recognise(const uint8_t *data, size_t size);

/* Reads a whole .glb or .gltf.  Out: scene — as bwi_read_scene.  In: path — for messages and scene->path; folder — where the files lie
 * that it names, NULL: it may name none; data — may go when the call is over.  Err: as bwi_read_scene. */
bw_result bwi_read_gltf(bw_scene **scene, const char *path, const char *folder, const uint8_t *data, size_t size, const bw_scene_opts *opts,
                        bw_error *error);

/* Reads the hair of a whole .glb or .gltf: as above, and its line primitives; hair->scene is the scene, images left out.  Err: as bwi_read_hair. */
bw_result bwi_read_gltf_hair(bwi_hair **hair, const char *path, const char *folder, const uint8_t *data, size_t size,
                             const bw_run_opts *run, bw_error *error);

#endif
