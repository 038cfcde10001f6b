/* SPDX-License-Identifier: MIT
 * Grooms made by hand in tests, and what goes with them. */
#ifndef TESTS_STRAND_FIXTURE_H
#define TESTS_STRAND_FIXTURE_H

#include "groom/groom.h"

typedef struct strand_fixture {
    bwi_mem mem;
    bwi_arena *arena;
    bwi_env env;
    bwi_warnings changes;
    bw_error error;
    bw_groom_opts opts;
    bw_groom groom;
    uint32_t random;
} strand_fixture;

/* `strands` straight strands of `points` points along +z, 10 cm long, all roots at the origin, in `groups` groups one after the other: strand i is
 * in group i % groups.  All other arrays are absent. */
void strands_open(strand_fixture *f, uint32_t strands, uint32_t points, uint32_t groups);
void strands_close(strand_fixture *f);
/* Moves a whole strand. */
void strands_move(strand_fixture *f, uint32_t strand, float x, float y, float z);
/* The absent arrays of that name, zeroed, in the arena. */
uint8_t *strands_add_guides(strand_fixture *f);
int32_t *strands_add_ids(strand_fixture *f); /* 0 … n − 1 */
/* 0 … 1, the same in every run. */
float strands_random(strand_fixture *f);
/* Roots anywhere in a box of 20 cm; strands bent likewise. */
void strands_scatter(strand_fixture *f);
/* Count of a change; 0: there is none. */
uint64_t strands_changed(const strand_fixture *f, const char *code);
/* Root of a strand. */
const float *strands_root(const bw_groom *groom, uint32_t strand);

#endif
