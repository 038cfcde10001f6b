/* SPDX-License-Identifier: MIT
 * Plays pages of bones by docs/FORMATS.md §11 in double, for tests of what fills them. */
#ifndef TESTS_BONE_PLAYER_H
#define TESTS_BONE_PLAYER_H

#include "plan_fixture.h"

/* What a block of the page encoded last says of a bone. */
typedef struct played_bone {
    double pivot[3], scale, q[4]; /* T = 2 */
    double m[9];                  /* rows; T = 3 and 2 */
} played_bone;
/* block 0: the reference block; l + 1: the page's frame l, of this clip. */
played_bone play_bone(const plan_fixture *f, uint32_t bone, uint32_t block, const bwi_manifest_clip *clip);

/* Vertices in the space of the texture data, `weight` of the way from the page's frame l to the next one.  Out: positions — [V][3]. */
void play_vertices(double *positions, const plan_fixture *f, uint32_t l, double weight);

#endif
