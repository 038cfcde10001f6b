/* SPDX-License-Identifier: MIT
 * Runs the work of a row in a child, so that getrusage tells its own peak. */
#define _DEFAULT_SOURCE
#include "row.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 3 };

double bench_now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bench_row bench_measure(bench_fn *work, const void *ctx) {
    bench_row best = {.seconds = 1e9};
    for (int k = 0; k < RUNS; k++) {
        int ends[2];
        bench_row r = {0};
        if (pipe(ends) != 0)
            exit(1);
        const pid_t child = fork();
        if (child == 0) {
            r = work(ctx);
            _exit(write(ends[1], &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
        }
        close(ends[1]); /* or a child that ends early would be waited for for ever */
        int status = 0;
        struct rusage usage;
        const bool got = child > 0 && read(ends[0], &r, sizeof r) == (ssize_t)sizeof r;
        close(ends[0]);
        if (wait4(child, &status, 0, &usage) != child || status != 0 || !got)
            exit(1);
        r.peak_mib = (double)usage.ru_maxrss / 1024.0;
        if (r.seconds < best.seconds)
            best = r;
    }
    return best;
}
