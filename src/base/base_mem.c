/* SPDX-License-Identifier: MIT
 * The budget of a call, and blocks that draw on it. */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* memory_limit's default, as options_run.def shows it. */
static const uint64_t DEFAULT_LIMIT = UINT64_C(8) << 30;

enum { ALIGNMENT = 64, OVERHEAD = 2 * ALIGNMENT };

/* Stands right before the aligned bytes.  calloc and realloc do the work, so that large zeroed blocks cost no writes
 * and large growth moves page tables instead of bytes; that is why malloc's block is wider than the bytes asked for. */
typedef struct block_head {
    size_t offset; /* of the aligned bytes from malloc's */
    size_t size;
} block_head;

bool bwi_mul_size(size_t *out, size_t a, size_t b) {
    size_t product;
    if (__builtin_mul_overflow(a, b, &product)) {
        return false;
    }
    *out = product;
    return true;
}

bool bwi_add_size(size_t *out, size_t a, size_t b) {
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum)) {
        return false;
    }
    *out = sum;
    return true;
}

void bwi_mem_init(bwi_mem *mem, uint64_t limit) {
    uint64_t wanted = limit ? limit : DEFAULT_LIMIT;
    *mem = (bwi_mem){.limit = wanted < SIZE_MAX ? (size_t)wanted : SIZE_MAX, .fail_after = -1};
}

uint64_t bwi_mem_left(const bwi_mem *mem) {
    size_t used = __atomic_load_n(&mem->used, __ATOMIC_RELAXED);
    return used < mem->limit ? mem->limit - used : 1;
}

static bool may_allocate(bwi_mem *mem) {
    int64_t left = __atomic_load_n(&mem->fail_after, __ATOMIC_RELAXED);
    while (left >= 0) {
        if (left == 0) {
            return false;
        }
        if (__atomic_compare_exchange_n(&mem->fail_after, &left, left - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return true;
}

static bool reserve(bwi_mem *mem, size_t bytes) {
    size_t used = __atomic_load_n(&mem->used, __ATOMIC_RELAXED);
    do {
        size_t left = used < mem->limit ? mem->limit - used : 0;
        if (bytes > left) {
            __atomic_store_n(&mem->missing, bytes - left, __ATOMIC_RELAXED);
            return false;
        }
    } while (!__atomic_compare_exchange_n(&mem->used, &used, used + bytes, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    size_t now = used + bytes;
    size_t peak = __atomic_load_n(&mem->peak, __ATOMIC_RELAXED);
    while (now > peak &&
           !__atomic_compare_exchange_n(&mem->peak, &peak, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return true;
}

static void release(bwi_mem *mem, size_t bytes) {
    __atomic_fetch_sub(&mem->used, bytes, __ATOMIC_RELAXED);
}

/* Where the limit had room and the system had not. */
static void give_up(bwi_mem *mem, size_t reserved) {
    release(mem, reserved);
    __atomic_store_n(&mem->missing, 0, __ATOMIC_RELAXED);
}

static block_head *head_of(void *block) {
    return (block_head *)(void *)((unsigned char *)block - sizeof(block_head));
}

static unsigned char *start_of(void *block) {
    return (unsigned char *)block - head_of(block)->offset;
}

/* Where the bytes of a block begin that malloc put at `start`: room for the head before them, aligned; below
 * OVERHEAD. */
static size_t aligned_offset(const void *start) {
    return OVERHEAD - (size_t)((uintptr_t)start % ALIGNMENT) - ((uintptr_t)start % ALIGNMENT == 0 ? ALIGNMENT : 0);
}

static void *set_head(unsigned char *start, size_t size) {
    size_t offset = aligned_offset(start);
    unsigned char *block = start + offset;
    *head_of(block) = (block_head){offset, size};
    return block;
}

void *bwi_alloc(bwi_mem *mem, size_t count, size_t size) {
    size_t bytes;
    size_t whole;
    if (!bwi_mul_size(&bytes, count, size) || !bwi_add_size(&whole, bytes, OVERHEAD) || !may_allocate(mem) ||
        !reserve(mem, bytes)) {
        return NULL;
    }
    unsigned char *start = calloc(1, whole);
    if (!start) {
        give_up(mem, bytes);
        return NULL;
    }
    return set_head(start, bytes);
}

void *bwi_realloc(bwi_mem *mem, void *block, size_t count, size_t size) {
    if (!block) {
        return bwi_alloc(mem, count, size);
    }
    block_head head = *head_of(block);
    size_t bytes;
    size_t whole;
    if (!bwi_mul_size(&bytes, count, size) || !bwi_add_size(&whole, bytes, OVERHEAD) || !may_allocate(mem)) {
        return NULL;
    }
    if (bytes > head.size && !reserve(mem, bytes - head.size)) {
        return NULL;
    }
    unsigned char *start = realloc(start_of(block), whole);
    if (!start) {
        give_up(mem, bytes > head.size ? bytes - head.size : 0);
        return NULL;
    }
    release(mem, bytes < head.size ? head.size - bytes : 0);
    size_t kept = bytes < head.size ? bytes : head.size;
    size_t offset = aligned_offset(start);
    if (offset != head.offset) {
        /* Also where it shrank: both offsets are below OVERHEAD, so every kept byte is still inside. */
        memmove(start + offset, start + head.offset, kept);
    }
    unsigned char *resized = set_head(start, bytes);
    memset(resized + kept, 0, bytes - kept);
    return resized;
}

void bwi_free(bwi_mem *mem, void *block) {
    if (!block) {
        return;
    }
    release(mem, head_of(block)->size);
    free(start_of(block));
}
