/* SPDX-License-Identifier: MIT
 * The reader of cyHair files (.hair), for read_hair.c and for tests that have their file in memory. */
#ifndef BWI_READ_CYHAIR_CYHAIR_H
#define BWI_READ_CYHAIR_CYHAIR_H

#include "base/error.h"
#include "model/hair.h"

/* True if the bytes start like a cyHair file. */
bool bwi_cyhair_recognise(const uint8_t *data, size_t size);

/* Bits of bwi_cyhair_head.arrays: which arrays the file has. */
enum {
    BWI_CYHAIR_SEGMENTS = 1, BWI_CYHAIR_POINTS = 2, BWI_CYHAIR_THICKNESS = 4, BWI_CYHAIR_TRANSPARENCY = 8, BWI_CYHAIR_COLORS = 16
};

/* What the header says: counts are claims; values are for all strands or points where there is no array. */
typedef struct bwi_cyhair_head {
    uint32_t strand_count, point_count, arrays;
    uint32_t segments;
    float thickness, transparency, color[3];
} bwi_cyhair_head;

/* False: there are too few bytes for a header. */
bool bwi_cyhair_read_head(bwi_cyhair_head *head, const uint8_t *data, size_t size);

/* Reads a cyHair file: strands as polylines in one object, "/hair"; thickness as native "width", colours as "groom_color", transparency under its own
 * name, each a value a point where the file has an array, else the header's for all; the header's text as what made it.
 * In: path — for messages and hair->path; data — may go when the call is over.
 * Err: TRUNCATED, MALFORMED (more strands than points), MEMORY.  Source: the format's own page, cemyuksel.com/research/hairmodels. */
bw_result bwi_read_cyhair(bwi_hair **hair, const char *path, const uint8_t *data, size_t size, const bw_run_opts *run, bw_error *error);

#endif
