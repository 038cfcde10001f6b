/* SPDX-License-Identifier: MIT
 * Progress of a call, and its cancelling. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <time.h>

#include "base/error.h"
#include "base/thread.h"

static const int64_t PAUSE_NS = 50 * 1000 * 1000;

struct bwi_progress {
    bwi_mem *mem;
    bw_progress_fn fn;
    void *ctx;
    uint64_t done;        /* atomic */
    uint64_t total;       /* atomic: set by begin, read by steps */
    int64_t next_call_ns; /* atomic; no call before */
    bool cancelled;       /* atomic */
    pthread_mutex_t lock; /* of the user's function and what follows */
    const char *phase;
    bool ended; /* the call with done == total was made */
};

static int64_t now_ns(void) {
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? (int64_t)now.tv_sec * 1000000000 + now.tv_nsec : 0;
}

bwi_progress *bwi_progress_create(bwi_mem *mem, const bw_run_opts *run) {
    bwi_progress *progress = bwi_alloc(mem, 1, sizeof(bwi_progress));
    if (!progress) {
        return NULL;
    }
    progress->mem = mem;
    progress->fn = run->progress;
    progress->ctx = run->progress_ctx;
    progress->phase = "";
    if (pthread_mutex_init(&progress->lock, NULL) != 0) {
        bwi_free(mem, progress);
        return NULL;
    }
    return progress;
}

void bwi_progress_free(bwi_progress *progress) {
    if (progress) {
        (void)pthread_mutex_destroy(&progress->lock);
        bwi_free(progress->mem, progress);
    }
}

void bwi_progress_begin(bwi_progress *progress, const char *phase, uint64_t total) {
    if (!progress) {
        return;
    }
    (void)pthread_mutex_lock(&progress->lock);
    progress->phase = phase;
    progress->ended = false;
    __atomic_store_n(&progress->done, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&progress->total, total, __ATOMIC_RELAXED);
    (void)pthread_mutex_unlock(&progress->lock);
}

/* Calls the user's function with the lock held. */
static void report(bwi_progress *progress, int64_t now) {
    uint64_t done = __atomic_load_n(&progress->done, __ATOMIC_RELAXED);
    uint64_t total = __atomic_load_n(&progress->total, __ATOMIC_RELAXED);
    if (progress->ended || __atomic_load_n(&progress->cancelled, __ATOMIC_RELAXED)) {
        return;
    }
    progress->ended = done >= total;
    __atomic_store_n(&progress->next_call_ns, now + PAUSE_NS, __ATOMIC_RELAXED);
    if (!progress->fn(progress->ctx, progress->phase, done < total ? done : total, total)) {
        __atomic_store_n(&progress->cancelled, true, __ATOMIC_RELAXED);
    }
}

bool bwi_progress_step(bwi_progress *progress, uint64_t done) {
    if (!progress || !progress->fn) {
        return true;
    }
    uint64_t reached = __atomic_add_fetch(&progress->done, done, __ATOMIC_RELAXED);
    bool last = reached >= __atomic_load_n(&progress->total, __ATOMIC_RELAXED);
    int64_t now = now_ns();
    if (last) {
        (void)pthread_mutex_lock(&progress->lock);
        report(progress, now);
        (void)pthread_mutex_unlock(&progress->lock);
    } else if (now >= __atomic_load_n(&progress->next_call_ns, __ATOMIC_RELAXED) &&
               pthread_mutex_trylock(&progress->lock) == 0) {
        if (now >= __atomic_load_n(&progress->next_call_ns, __ATOMIC_RELAXED)) {
            report(progress, now);
        }
        (void)pthread_mutex_unlock(&progress->lock);
    }
    return !bwi_progress_cancelled(progress);
}

bool bwi_progress_cancelled(const bwi_progress *progress) {
    return progress && __atomic_load_n(&progress->cancelled, __ATOMIC_RELAXED);
}

bw_result bwi_fail_cancelled(bw_error *error) {
    return bwi_fail(error, BW_ERR_CANCELLED, NULL, -1, "the work was cancelled; no output has changed");
}
