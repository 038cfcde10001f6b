/* SPDX-License-Identifier: MIT
 * Budgets, blocks and arenas: sizes, limits, alignment, failing allocations. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"

/* Sanitizers end the program where malloc would refuse, unless told. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}
const char *__tsan_default_options(void) {
    return "allocator_may_return_null=1";
}

static bool all_zero(const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void sizes_multiply_and_add(void **state) {
    (void)state;
    size_t out = 7;
    assert_true(bwi_mul_size(&out, 3, 5));
    assert_int_equal(out, 15);
    assert_false(bwi_mul_size(&out, SIZE_MAX / 2 + 1, 2));
    assert_int_equal(out, 15);
    assert_true(bwi_add_size(&out, SIZE_MAX - 1, 1));
    assert_true(out == SIZE_MAX);
    assert_false(bwi_add_size(&out, SIZE_MAX, 1));
    assert_true(out == SIZE_MAX);
}

static void blocks_are_zeroed_aligned_and_counted(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 1 << 20);
    static const size_t SIZES[] = {0, 1, 15, 63, 64, 65, 4096, 300000};
    void *blocks[8];
    size_t total = 0;
    for (size_t i = 0; i < 8; i++) {
        blocks[i] = bwi_alloc(&mem, SIZES[i], 1);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        assert_true(all_zero(blocks[i], SIZES[i]));
        memset(blocks[i], 0xAB, SIZES[i]);
        total += SIZES[i];
        assert_int_equal(mem.used, total);
    }
    for (size_t i = 0; i < 8; i++) {
        bwi_free(&mem, blocks[i]);
    }
    bwi_free(&mem, NULL);
    assert_int_equal(mem.used, 0);
    assert_int_equal(mem.peak, total);
}

static void the_limit_holds(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 1000);
    void *most = bwi_alloc(&mem, 1000, 1);
    assert_non_null(most);
    assert_null(bwi_alloc(&mem, 1, 1));
    void *nothing = bwi_alloc(&mem, 0, 8);
    assert_non_null(nothing);
    bwi_free(&mem, nothing);
    bwi_free(&mem, most);
    assert_null(bwi_alloc(&mem, 1001, 1));
    assert_null(bwi_alloc(&mem, SIZE_MAX / 4, 8));
    assert_null(bwi_alloc(&mem, SIZE_MAX, 1));
    assert_int_equal(mem.used, 0);
    /* What malloc itself refuses is credited again. */
    bwi_mem_init(&mem, UINT64_MAX);
    assert_null(bwi_alloc(&mem, SIZE_MAX / 2 + 1, 1));
    assert_int_equal(mem.used, 0);
}

static void realloc_keeps_and_zeroes(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 1 << 20);
    static const size_t SIZES[] = {10, 100, 99, 200000, 5, 0, 70000, 64, 262144, 300};
    unsigned char *block = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < sizeof(SIZES) / sizeof(SIZES[0]); i++) {
        block = bwi_realloc(&mem, block, SIZES[i], 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        assert_int_equal(mem.used, SIZES[i]);
        size_t common = kept < SIZES[i] ? kept : SIZES[i];
        for (size_t k = 0; k < common; k++) {
            assert_int_equal(block[k], (k * 7 + i) & 0xFF);
        }
        assert_true(all_zero(block + common, SIZES[i] - common));
        for (size_t k = 0; k < SIZES[i]; k++) {
            block[k] = (unsigned char)(k * 7 + i + 1);
        }
        kept = SIZES[i];
    }
    assert_null(bwi_realloc(&mem, block, 2 << 20, 1));
    assert_int_equal(block[299], (299 * 7 + 10) & 0xFF);
    assert_null(bwi_realloc(&mem, block, SIZE_MAX / 2, 4));
    mem.fail_after = 0;
    assert_null(bwi_realloc(&mem, block, 301, 1));
    assert_int_equal(mem.used, 300);
    bwi_free(&mem, block);
    assert_int_equal(mem.used, 0);
}

static void fail_after_counts_down(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    mem.fail_after = 2;
    void *a = bwi_alloc(&mem, 1, 1);
    void *b = bwi_alloc(&mem, 1, 1);
    assert_non_null(a);
    assert_non_null(b);
    assert_null(bwi_alloc(&mem, 1, 1));
    assert_null(bwi_alloc(&mem, 1, 1));
    mem.fail_after = -1;
    void *c = bwi_alloc(&mem, 1, 1);
    assert_non_null(c);
    bwi_free(&mem, a);
    bwi_free(&mem, b);
    bwi_free(&mem, c);
    assert_int_equal(mem.used, 0);
}

enum { HAMMER_BLOCKS = 2000, HAMMER_SIZE = 100, HAMMER_THREADS = 4 };

static void *hammer(void *argument) {
    bwi_mem *mem = argument;
    size_t refused = 0;
    for (int i = 0; i < HAMMER_BLOCKS; i++) {
        void *block = bwi_alloc(mem, HAMMER_SIZE, 1);
        void *second = bwi_realloc(mem, NULL, HAMMER_SIZE, 1);
        refused += (block ? 0u : 1u) + (second ? 0u : 1u);
        bwi_free(mem, second);
        bwi_free(mem, block);
    }
    return (void *)(uintptr_t)refused;
}

static void threads_share_a_budget(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 2 * HAMMER_THREADS * HAMMER_SIZE);
    pthread_t threads[HAMMER_THREADS];
    for (int i = 0; i < HAMMER_THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, &mem), 0);
    }
    for (int i = 0; i < HAMMER_THREADS; i++) {
        void *refused = NULL;
        assert_int_equal(pthread_join(threads[i], &refused), 0);
        assert_null(refused);
    }
    assert_int_equal(mem.used, 0);
    assert_true(mem.peak >= 2 * HAMMER_SIZE && mem.peak <= mem.limit);
}

static void arena_allocations_are_zeroed_aligned_and_distinct(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 64 << 20);
    bwi_arena *arena = bwi_arena_create(&mem);
    assert_non_null(arena);
    assert_ptr_equal(bwi_arena_mem(arena), &mem);
    enum { COUNT = 3000 };
    static unsigned char *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 500 == 499 ? 100000 : i % 97; /* 0 too */
        blocks[i] = bwi_arena_alloc(arena, size, 1);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        assert_true(all_zero(blocks[i], size));
        memset(blocks[i], (int)(i & 0xFF), size);
    }
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 500 == 499 ? 100000 : i % 97;
        for (size_t k = 0; k < size; k++) {
            assert_int_equal(blocks[i][k], i & 0xFF);
        }
        assert_true(i == 0 || blocks[i] != blocks[i - 1]);
    }
    assert_null(bwi_arena_alloc(arena, SIZE_MAX, 1));
    assert_null(bwi_arena_alloc(arena, SIZE_MAX / 2, 3));
    assert_null(bwi_arena_alloc(arena, 65 << 20, 1));
    assert_non_null(bwi_arena_alloc(arena, 1, 1));
    bwi_arena_free(arena);
    bwi_arena_free(NULL);
    assert_int_equal(mem.used, 0);
}

static void an_arena_near_the_limit_still_gives_what_fits(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 10000); /* below an arena's usual block */
    bwi_arena *arena = bwi_arena_create(&mem);
    assert_non_null(arena);
    size_t given = 0;
    while (bwi_arena_alloc(arena, 64, 1)) {
        given += 64;
    }
    assert_true(given >= 5000); /* heads take 32 of 96 bytes here */
    assert_true(mem.used <= mem.limit);
    bwi_arena_free(arena);
    assert_int_equal(mem.used, 0);
    bwi_mem_init(&mem, 8);
    assert_null(bwi_arena_create(&mem));
}

static void strings_are_copied_and_formatted(void **state) {
    (void)state;
    bwi_arena *arena = bwi_arena_create_owning(1 << 20);
    assert_non_null(arena);
    assert_int_equal(bwi_arena_mem(arena)->limit, 1 << 20);
    assert_string_equal(bwi_arena_string(arena, "abc", SIZE_MAX), "abc");
    assert_string_equal(bwi_arena_string(arena, "abc", 2), "ab");
    assert_string_equal(bwi_arena_string(arena, "", 0), "");
    assert_string_equal(bwi_arena_printf(arena, "%s-%d", "x", 42), "x-42");
    const char *wide = bwi_arena_printf(arena, "%0*d", 100000, 1);
    assert_non_null(wide);
    assert_int_equal(strlen(wide), 100000);
    assert_int_equal(wide[99999], '1');
    assert_null(bwi_arena_printf(arena, "%0*d", 2 << 20, 1));
    bwi_arena_free(arena);
}

/* Runs a use of an arena with the k-th allocation failing, k = 0, 1, …, until none fails; every block is credited
 * each time. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    bool done = false;
    int64_t k = 0;
    for (; !done; k++) {
        assert_true(k < 100);
        bwi_mem mem;
        bwi_mem_init(&mem, 16 << 20);
        mem.fail_after = k;
        bwi_arena *arena = bwi_arena_create(&mem);
        if (arena) {
            bool small = bwi_arena_alloc(arena, 100, 1) != NULL;
            bool large = bwi_arena_alloc(arena, 1 << 20, 1) != NULL;
            bool text = bwi_arena_printf(arena, "%0*d", 70000, 7) != NULL;
            done = small && large && text;
        }
        bwi_arena_free(arena);
        assert_int_equal(mem.used, 0);
    }
    assert_int_equal(k - 1, 4); /* head, first block, large block, block of the text */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_multiply_and_add),
        cmocka_unit_test(blocks_are_zeroed_aligned_and_counted),
        cmocka_unit_test(the_limit_holds),
        cmocka_unit_test(realloc_keeps_and_zeroes),
        cmocka_unit_test(fail_after_counts_down),
        cmocka_unit_test(threads_share_a_budget),
        cmocka_unit_test(arena_allocations_are_zeroed_aligned_and_distinct),
        cmocka_unit_test(an_arena_near_the_limit_still_gives_what_fits),
        cmocka_unit_test(strings_are_copied_and_formatted),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
