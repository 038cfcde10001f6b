/* SPDX-License-Identifier: MIT
 * Arenas: many allocations freed at once. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { ALIGNMENT = 16, FIRST_BLOCK = 64 << 10, LARGEST_BLOCK = 4 << 20 };

typedef struct arena_block {
    struct arena_block *next;
    size_t size, used; /* of the bytes after this head */
} arena_block;

/* The head takes a multiple of the alignment. */
enum { BLOCK_HEAD = (sizeof(arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

struct bwi_arena {
    bwi_mem *mem;
    bwi_mem own;         /* what mem points to in an owning arena */
    arena_block *blocks; /* the first is the one being filled */
    size_t next_size;
};

bwi_arena *bwi_arena_create(bwi_mem *mem) {
    bwi_arena *arena = bwi_alloc(mem, 1, sizeof(bwi_arena));
    if (arena) {
        arena->mem = mem;
        arena->next_size = FIRST_BLOCK;
    }
    return arena;
}

bwi_arena *bwi_arena_create_owning(uint64_t limit) {
    bwi_arena *arena = calloc(1, sizeof(bwi_arena));
    if (arena) {
        bwi_mem_init(&arena->own, limit);
        arena->mem = &arena->own;
        arena->next_size = FIRST_BLOCK;
    }
    return arena;
}

bwi_mem *bwi_arena_mem(bwi_arena *arena) {
    return arena->mem;
}

void bwi_arena_free(bwi_arena *arena) {
    if (!arena) {
        return;
    }
    for (arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        bwi_free(arena->mem, block);
    }
    if (arena->mem == &arena->own) {
        free(arena);
    } else {
        bwi_free(arena->mem, arena);
    }
}

static arena_block *add_block(bwi_arena *arena, size_t size) {
    size_t whole;
    arena_block *block = bwi_add_size(&whole, size, BLOCK_HEAD) ? bwi_alloc(arena->mem, 1, whole) : NULL;
    if (block) {
        block->size = size;
    }
    return block;
}

void *bwi_arena_alloc(bwi_arena *arena, size_t count, size_t size) {
    size_t bytes;
    size_t padded;
    if (!bwi_mul_size(&bytes, count, size) || !bwi_add_size(&padded, bytes, ALIGNMENT - 1)) {
        return NULL;
    }
    padded -= padded % ALIGNMENT;
    if (padded == 0) {
        padded = ALIGNMENT; /* so that distinct allocations have distinct addresses */
    }
    arena_block *block = arena->blocks;
    if (!block || padded > block->size - block->used) {
        bool large = padded > arena->next_size / 4;
        block = large ? NULL : add_block(arena, arena->next_size);
        if (block) {
            block->next = arena->blocks;
            arena->blocks = block;
            arena->next_size = arena->next_size < LARGEST_BLOCK ? 2 * arena->next_size : LARGEST_BLOCK;
        } else {
            /* Large, or near the limit: a block of its own, behind the one being filled. */
            block = add_block(arena, padded);
            if (!block) {
                return NULL;
            }
            arena_block **link = arena->blocks ? &arena->blocks->next : &arena->blocks;
            block->next = *link;
            *link = block;
        }
    }
    void *result = (unsigned char *)block + BLOCK_HEAD + block->used;
    block->used += padded;
    return result;
}

char *bwi_arena_string(bwi_arena *arena, const char *text, size_t length) {
    size_t used = length == SIZE_MAX ? strlen(text) : length;
    size_t whole;
    char *copy = bwi_add_size(&whole, used, 1) ? bwi_arena_alloc(arena, whole, 1) : NULL;
    if (copy && used > 0) {
        memcpy(copy, text, used);
    }
    return copy;
}

char *bwi_arena_printf(bwi_arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length >= 0 ? bwi_arena_alloc(arena, (size_t)length + 1, 1) : NULL;
    if (text) {
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}
