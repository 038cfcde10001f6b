/* SPDX-License-Identifier: MIT
 * Memory under a limit: one budget a call, arenas and buffers that draw on it. */
#ifndef BWI_BASE_MEM_H
#define BWI_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A budget shared by the threads of one call.  Counts bytes asked for, not what malloc makes of them. */
typedef struct bwi_mem {
    size_t limit;       /* bytes */
    size_t used;        /* atomic */
    size_t peak;        /* atomic */
    size_t missing;     /* atomic: bytes by which the last refusal was over the limit; 0: the system's, or none yet */
    int64_t fail_after; /* tests: this many further allocations succeed; < 0: no limit */
} bwi_mem;

/* limit 0: the default of options_run.def (8 GiB). */
void bwi_mem_init(bwi_mem *mem, uint64_t limit);

/* What the limit leaves, at least 1: for a budget inside this one. */
uint64_t bwi_mem_left(const bwi_mem *mem);

/* count × size bytes, zeroed, aligned to 64; NULL if that overflows, is over the limit, or malloc fails.  0 bytes give a valid pointer.
 * Thread-safe. */
void *bwi_alloc(bwi_mem *mem, size_t count, size_t size);
/* Grows or shrinks a block from bwi_alloc (NULL: allocates); new bytes are zeroed; on NULL the old block stands. */
void *bwi_realloc(bwi_mem *mem, void *block, size_t count, size_t size);
void bwi_free(bwi_mem *mem, void *block); /* NULL-safe */

/* Many allocations freed at once.  Not thread-safe. */
typedef struct bwi_arena bwi_arena;
/* Out: NULL if even the arena's head doesn't fit.  The arena keeps `mem` by pointer. */
bwi_arena *bwi_arena_create(bwi_mem *mem);
/* An arena with a budget of its own inside, so that results can outlive the call that made them. */
bwi_arena *bwi_arena_create_owning(uint64_t limit);
bwi_mem *bwi_arena_mem(bwi_arena *arena);
void bwi_arena_free(bwi_arena *arena); /* NULL-safe */
/* count × size bytes, zeroed, aligned to 16; NULL as bwi_alloc.  Large ones get a block of their own. */
void *bwi_arena_alloc(bwi_arena *arena, size_t count, size_t size);
/* A copy of text, zero-terminated; length SIZE_MAX: strlen. */
char *bwi_arena_string(bwi_arena *arena, const char *text, size_t length);
/* printf into the arena. */
char *bwi_arena_printf(bwi_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* a × b and a + b into *out; false on overflow. */
bool bwi_mul_size(size_t *out, size_t a, size_t b);
bool bwi_add_size(size_t *out, size_t a, size_t b);

#endif
