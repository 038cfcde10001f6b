/* SPDX-License-Identifier: MIT
 * The reader of cyHair files (.hair), for read_hair.c and for tests that have their file in memory. */
#ifndef BWI_READ_CYHAIR_CYHAIR_H
#define BWI_READ_CYHAIR_CYHAIR_H

#include "base/error.h"
#include "model/hair.h"

/* True if the bytes start like a cyHair file. */
bool bwi_cyhair_recognise(const uint8_t *data, size_t size);

/* Reads a cyHair file: strands as polylines in one object, "/hair"; thickness as native "width", colours as "groom_color", transparency under its own
 * name, each a value a point where the file has an array, else the header's for all; the header's text as what made it.
 * In: path — for messages and hair->path; data — may go when the call is over.
 * Err: TRUNCATED, MALFORMED (more strands than points), MEMORY.  Source: the format's own page, cemyuksel.com/research/hairmodels. */
bw_result bwi_read_cyhair(bwi_hair **hair, const char *path, const uint8_t *data, size_t size, const bw_run_opts *run, bw_error *error);

#endif
