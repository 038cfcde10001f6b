/* SPDX-License-Identifier: MIT
 * Parallel loops over pthreads, with progress and cancelling. */
#ifndef BWI_BASE_THREAD_H
#define BWI_BASE_THREAD_H

#include "bakewell/common.h"
#include "base/mem.h"

/* Progress of one call.  bwi_progress_step may be called from worker threads; the user's function is called from one at a time and at most
 * every 50 ms (and at the end of a phase). */
typedef struct bwi_progress bwi_progress;
bwi_progress *bwi_progress_create(bwi_mem *mem, const bw_run_opts *run); /* NULL only if memory fails */
void bwi_progress_free(bwi_progress *progress);                         /* NULL-safe */
void bwi_progress_begin(bwi_progress *progress, const char *phase, uint64_t total);
/* Adds to what is done.  False: the user cancelled, now or before; stop soon.  NULL progress: true. */
bool bwi_progress_step(bwi_progress *progress, uint64_t done);
bool bwi_progress_cancelled(const bwi_progress *progress);
/* BW_ERR_CANCELLED, filled in. */
bw_result bwi_fail_cancelled(bw_error *error);

/* What rooms get handed down: the budget, threads and progress of one call. */
typedef struct bwi_env {
    bwi_mem *mem;
    uint32_t thread_count; /* >= 1 */
    bwi_progress *progress; /* may be NULL */
} bwi_env;

/* Number of threads to use for run->threads (0: online cores, at most 256). */
uint32_t bwi_thread_count(const bw_run_opts *run);

/* One item of a parallel loop.  worker < thread_count: for scratch memory.  Fills *error on failure. */
typedef bw_result (*bwi_task_fn)(void *ctx, size_t index, uint32_t worker, bw_error *error);
/* Calls fn for 0 … count − 1 on env->thread_count threads (the caller's among them), indices handed out in ascending order.  On failure no
 * further index is started, and the error returned is that of the lowest failed index.  Also BW_ERR_CANCELLED (after a cancelled step). */
bw_result bwi_parallel_for(const bwi_env *env, size_t count, bwi_task_fn fn, void *ctx, bw_error *error);

#endif
