/* SPDX-License-Identifier: MIT
 * Parallel loops: every index once, the same error with any number of threads, progress and cancelling. */
#define _POSIX_C_SOURCE 200809L

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/thread.h"

static bwi_mem mem;

static int fresh_mem(void **state) {
    (void)state;
    bwi_mem_init(&mem, 1 << 20);
    return 0;
}

static int mem_is_empty(void **state) {
    (void)state;
    return mem.used == 0 ? 0 : -1;
}

enum { COUNT = 10000 };

typedef struct visits {
    uint32_t index[COUNT];
    uint32_t worker[300];
    uint32_t worker_count;
} visits;

static bw_result visit(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    visits *seen = ctx;
    (void)error;
    seen->index[index]++; /* each has one visitor, so no lock; TSan would tell */
    seen->worker[worker]++;
    return worker < seen->worker_count ? BW_OK : BW_ERR_INTERNAL;
}

static void every_index_is_visited_once(void **state) {
    (void)state;
    static const uint32_t THREADS[] = {1, 2, 3, 16, 256};
    static const size_t COUNTS[] = {0, 1, 2, 5, COUNT};
    for (size_t t = 0; t < 5; t++) {
        for (size_t c = 0; c < 5; c++) {
            visits seen = {.worker_count = THREADS[t]};
            bwi_env env = {&mem, THREADS[t], NULL};
            assert_int_equal(bwi_parallel_for(&env, COUNTS[c], visit, &seen, NULL), BW_OK);
            uint64_t total = 0;
            for (size_t i = 0; i < COUNT; i++) {
                assert_int_equal(seen.index[i], i < COUNTS[c]);
            }
            for (size_t i = 0; i < 300; i++) {
                total += seen.worker[i];
            }
            assert_int_equal(total, COUNTS[c]);
        }
    }
}

static bw_result fail_in_many_places(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    const size_t *first = ctx;
    (void)worker;
    if (index % 7 == 3) {
        const struct timespec delay = {0, (long)(index % 5) * 10000}; /* so that later ones often fail sooner */
        (void)nanosleep(&delay, NULL);
    }
    return index >= *first ? bwi_fail(error, BW_ERR_MALFORMED, "file", (int64_t)index, "item %zu", index) : BW_OK;
}

static void the_lowest_failed_index_is_reported(void **state) {
    (void)state;
    for (size_t first = 0; first < 300; first += 29) {
        for (uint32_t threads = 1; threads <= 8; threads++) {
            bwi_env env = {&mem, threads, NULL};
            bw_error error;
            char expected[64];
            (void)snprintf(expected, sizeof(expected), "file: item %zu", first);
            assert_int_equal(bwi_parallel_for(&env, COUNT, fail_in_many_places, &first, &error), BW_ERR_MALFORMED);
            assert_string_equal(error.message, expected);
            assert_int_equal(error.offset, first);
            assert_int_equal(bwi_parallel_for(&env, COUNT, fail_in_many_places, &first, NULL), BW_ERR_MALFORMED);
        }
    }
}

static bw_result stop_early(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    size_t *calls = ctx;
    (void)worker;
    (*calls)++;
    return index == 5 ? bwi_fail(error, BW_ERR_UNSUPPORTED, NULL, -1, "five") : BW_OK;
}

static void no_index_is_started_after_a_failure(void **state) {
    (void)state;
    size_t calls = 0;
    bwi_env env = {&mem, 1, NULL};
    assert_int_equal(bwi_parallel_for(&env, COUNT, stop_early, &calls, NULL), BW_ERR_UNSUPPORTED);
    assert_int_equal(calls, 6);
}

static void an_error_is_untouched_by_success(void **state) {
    (void)state;
    visits seen = {.worker_count = 4};
    bwi_env env = {&mem, 4, NULL};
    bw_error error = {.result = BW_ERR_JSON, .message = "before"};
    assert_int_equal(bwi_parallel_for(&env, 100, visit, &seen, &error), BW_OK);
    assert_int_equal(error.result, BW_ERR_JSON);
    assert_string_equal(error.message, "before");
}

typedef struct listener {
    uint64_t calls, last_done, last_total;
    uint64_t cancel_at;
    int inside;
    bool went_back;
    char phase[16];
} listener;

static bool listen(void *ctx, const char *phase, uint64_t done, uint64_t total) {
    listener *self = ctx;
    self->went_back =
        self->went_back || self->inside != 0 || (strcmp(self->phase, phase) == 0 && done < self->last_done);
    self->inside++;
    self->calls++;
    self->last_done = done;
    self->last_total = total;
    (void)snprintf(self->phase, sizeof(self->phase), "%s", phase);
    self->inside--;
    return self->calls < self->cancel_at;
}

static bw_result step(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    bwi_progress *progress = ctx;
    (void)index;
    (void)worker;
    return bwi_progress_step(progress, 1) ? BW_OK : bwi_fail_cancelled(error);
}

static void progress_is_told_sparsely_and_at_the_end(void **state) {
    (void)state;
    listener heard = {.cancel_at = UINT64_MAX};
    bw_run_opts run = {.progress = listen, .progress_ctx = &heard};
    bwi_progress *progress = bwi_progress_create(&mem, &run);
    bwi_env env = {&mem, 4, progress};
    static const char *const PHASES[] = {"sample", "write"};
    for (size_t i = 0; i < 2; i++) {
        struct timespec start;
        struct timespec end;
        uint64_t calls_before = heard.calls;
        assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &start), 0);
        bwi_progress_begin(progress, PHASES[i], 100000);
        assert_int_equal(bwi_parallel_for(&env, 100000, step, progress, NULL), BW_OK);
        assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &end), 0);
        int64_t passed_ms = (int64_t)(end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000;
        assert_string_equal(heard.phase, PHASES[i]);
        assert_int_equal(heard.last_done, 100000);
        assert_int_equal(heard.last_total, 100000);
        assert_true(heard.calls - calls_before <= (uint64_t)passed_ms / 50 + 2);
        assert_true(heard.calls > calls_before);
    }
    assert_false(heard.went_back);
    uint64_t calls = heard.calls;
    assert_true(bwi_progress_step(progress, 1)); /* more than was announced is not told again */
    assert_int_equal(heard.calls, calls);
    bwi_progress_free(progress);
}

static void cancelling_ends_the_loop(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        listener heard = {.cancel_at = 1};
        bw_run_opts run = {.progress = listen, .progress_ctx = &heard};
        bwi_progress *progress = bwi_progress_create(&mem, &run);
        bwi_progress_begin(progress, "sample", COUNT);
        bwi_env env = {&mem, threads, progress};
        bw_error error;
        assert_false(bwi_progress_cancelled(progress));
        assert_int_equal(bwi_parallel_for(&env, COUNT, step, progress, &error), BW_ERR_CANCELLED);
        assert_int_equal(error.result, BW_ERR_CANCELLED);
        assert_non_null(strstr(error.message, "cancelled"));
        assert_true(bwi_progress_cancelled(progress));
        assert_false(bwi_progress_step(progress, 1));
        assert_int_equal(heard.calls, 1);
        /* A loop begun after it does nothing. */
        visits seen = {.worker_count = threads};
        assert_int_equal(bwi_parallel_for(&env, COUNT, visit, &seen, NULL), BW_ERR_CANCELLED);
        assert_int_equal(seen.index[0], 0);
        bwi_progress_free(progress);
    }
}

static void progress_without_a_listener(void **state) {
    (void)state;
    bwi_progress_begin(NULL, "none", 1);
    assert_true(bwi_progress_step(NULL, 1));
    assert_false(bwi_progress_cancelled(NULL));
    bwi_progress_free(NULL);
    bw_run_opts run = {0};
    bwi_progress *progress = bwi_progress_create(&mem, &run);
    bwi_progress_begin(progress, "none", 1);
    assert_true(bwi_progress_step(progress, 5));
    bwi_progress_free(progress);
    mem.fail_after = 0;
    assert_null(bwi_progress_create(&mem, &run));
}

static void threads_are_counted(void **state) {
    (void)state;
    bw_run_opts run = {.threads = 3};
    assert_int_equal(bwi_thread_count(&run), 3);
    run.threads = 100000;
    assert_int_equal(bwi_thread_count(&run), 256);
    run.threads = 0;
    assert_in_range(bwi_thread_count(&run), 1, 256);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_index_is_visited_once, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(the_lowest_failed_index_is_reported, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(no_index_is_started_after_a_failure, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(an_error_is_untouched_by_success, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(progress_is_told_sparsely_and_at_the_end, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(cancelling_ends_the_loop, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(progress_without_a_listener, fresh_mem, mem_is_empty),
        cmocka_unit_test(threads_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
