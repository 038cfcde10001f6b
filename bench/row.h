/* SPDX-License-Identifier: MIT
 * Rows of benches, each measured in a process of its own. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include <stdint.h>

typedef struct bench_row {
    double seconds, peak_mib;
    double bytes, error_mm; /* of what was written */
    uint64_t sum;           /* of what was read: keeps the work from being left out, and tells whether it is right */
} bench_row;

/* Does the work once and returns the row, all but peak_mib. */
typedef bench_row bench_fn(const void *ctx);

double bench_now_s(void);
/* The fastest of three runs, with its own peak memory.  Ends the program with status 1 if a run fails. */
bench_row bench_measure(bench_fn *work, const void *ctx);

#endif
