/* SPDX-License-Identifier: MIT
 * Parallel loops over pthreads. */
#define _POSIX_C_SOURCE 200809L

#include "base/thread.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

enum { MAX_THREADS = 256 };

uint32_t bwi_thread_count(const bw_run_opts *run) {
    if (run->threads > 0) {
        return run->threads < MAX_THREADS ? run->threads : MAX_THREADS;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > MAX_THREADS ? MAX_THREADS : (uint32_t)online;
}

typedef struct loop {
    bwi_task_fn fn;
    void *ctx;
    size_t count;
    const bwi_progress *progress;
    size_t next;          /* atomic */
    bool stop;            /* atomic */
    pthread_mutex_t lock; /* of what follows */
    size_t failed_index;
    bw_result result;
    bw_error *error;
} loop;

typedef struct worker {
    loop *shared;
    uint32_t index;
} worker;

/* Indices are handed out in ascending order, and one that was handed out is finished: below a failed index
 * everything was tried, so the lowest failed index does not depend on threads. */
static void keep_failure(loop *shared, size_t index, bw_result result, const bw_error *error) {
    __atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
    (void)pthread_mutex_lock(&shared->lock);
    if (shared->result == BW_OK || index < shared->failed_index) {
        shared->failed_index = index;
        shared->result = result;
        if (shared->error) {
            *shared->error = *error;
        }
    }
    (void)pthread_mutex_unlock(&shared->lock);
}

static void *work(void *argument) {
    const worker *self = argument;
    loop *shared = self->shared;
    bw_error error;
    while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED) && !bwi_progress_cancelled(shared->progress)) {
        size_t index = __atomic_fetch_add(&shared->next, 1, __ATOMIC_RELAXED);
        if (index >= shared->count) {
            break;
        }
        error = (bw_error){.result = BW_OK, .offset = -1};
        bw_result result = shared->fn(shared->ctx, index, self->index, &error);
        if (result != BW_OK) {
            keep_failure(shared, index, result, &error);
            break;
        }
    }
    return NULL;
}

bw_result bwi_parallel_for(const bwi_env *env, size_t count, bwi_task_fn fn, void *ctx, bw_error *error) {
    loop shared = {.fn = fn, .ctx = ctx, .count = count, .progress = env->progress, .result = BW_OK};
    bw_error first;
    shared.error = error ? &first : NULL;
    if (pthread_mutex_init(&shared.lock, NULL) != 0) {
        return bwi_fail_memory(error, NULL, env->mem, 0);
    }
    uint32_t wanted = env->thread_count < MAX_THREADS ? env->thread_count : MAX_THREADS;
    if (wanted > count) {
        wanted = (uint32_t)count;
    }
    pthread_t threads[MAX_THREADS];
    worker workers[MAX_THREADS];
    uint32_t started = 1;
    workers[0] = (worker){&shared, 0};
    for (; started < wanted; started++) {
        workers[started] = (worker){&shared, started};
        if (pthread_create(&threads[started], NULL, work, &workers[started]) != 0) {
            break; /* fewer threads do the same work */
        }
    }
    (void)work(&workers[0]);
    for (uint32_t i = 1; i < started; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)pthread_mutex_destroy(&shared.lock);
    if (shared.result != BW_OK) {
        if (error) {
            *error = first;
        }
        return shared.result;
    }
    return bwi_progress_cancelled(env->progress) ? bwi_fail_cancelled(error) : BW_OK;
}
