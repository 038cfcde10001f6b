/* SPDX-License-Identifier: MIT
 * A groom with all that the schema has, for tests of what is written of it. */
#ifndef TEST_GROOM_FIXTURE_H
#define TEST_GROOM_FIXTURE_H

#include "bakewell/groom.h"

enum { GROOM_STRANDS = 5, GROOM_POINTS = 14, GROOM_SAMPLES = 4 };

typedef struct groom_fixture {
    uint32_t first_points[GROOM_STRANDS + 1];
    float positions[GROOM_POINTS][3], widths[GROOM_POINTS], colors[GROOM_POINTS][3], roughness[GROOM_POINTS], ao[GROOM_POINTS];
    uint8_t guides[GROOM_STRANDS];
    uint32_t group_of[GROOM_STRANDS];
    int32_t ids[GROOM_STRANDS], closest_guides[GROOM_STRANDS][3], clump_ids[GROOM_STRANDS][3];
    float root_uvs[GROOM_STRANDS][2], guide_weights[GROOM_STRANDS][3];
    bw_groom_group groups[2];
    double times_s[GROOM_SAMPLES];
    bw_cache animation;
    bw_groom groom;
} groom_fixture;

/* Strands of 2, 3, 4, 2 and 3 points in two groups, the third and the last of which are guides; it stands still. */
void groom_fill(groom_fixture *f);
/* It moves: sample k is `positions` raised by k cm, at times_s[k]. */
void groom_move(groom_fixture *f, double first_s, double step_s);

#endif
