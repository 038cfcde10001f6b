/* SPDX-License-Identifier: MIT
 * Trees found and baked to pivots, written, read back and compared: as nodes, and as loose parts whose parents are guessed.  The trees are made by
 * make_assets, which stands beside this folder; each row is a process of its own, so that its peak memory is its own; the fastest of three runs is
 * printed. */
#define _DEFAULT_SOURCE
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bakewell/bakewell.h"
#include "row.h"

typedef struct task {
    const char *path, *out;
    bool find_only;
} task;

static void check(bw_result result, const bw_error *error) {
    if (result == BW_OK)
        return;
    fprintf(stderr, "pivot_bench: %s\n", error->message);
    exit(1);
}

static bench_row run_task(const void *ctx) {
    const task *t = ctx;
    const bw_pivot_opts opts = {.write = {.force = true}};
    bench_row row = {0};
    bw_error error;
    const double start = bench_now_s();
    if (t->find_only) {
        bw_pivot_plan *plan = NULL;
        check(bw_pivot_plan_make(&plan, t->path, &opts, &error), &error);
        row.sum = plan->elements.count;
        bw_free_pivot_plan(plan);
    } else {
        bw_pivot_report *report = NULL;
        check(bw_pivot_bake(&report, t->path, t->out, &opts, &error), &error);
        row.sum = report->facts.element_count;
        row.error_mm = 1000 * report->facts.error.pivot_max;
        for (size_t i = 0; i < report->outputs.count; i++)
            row.bytes += (double)report->outputs.data[i].bytes;
        bw_free_pivot_report(report);
    }
    row.seconds = bench_now_s() - start;
    return row;
}

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...) {
    char command[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    if (system(command) != 0) {
        fprintf(stderr, "pivot_bench: failed: %s\n", command);
        exit(1);
    }
}

int main(int argc, char **argv) {
    static const char *const TREES[] = {"tree", "bush", "tree-20-30-49", "bush-20-30-49"};
    char folder[] = "/tmp/bakewell-bench-XXXXXX", in[128], out[128];
    if (argc < 1 || !mkdtemp(folder))
        return 1;
    const char *here = dirname(argv[0]);
    snprintf(out, sizeof out, "%s/out", folder);
    printf("Trees to pivots, warm cache (pivot_bench): tree is of nodes, bush of loose parts\n");
    printf("%-34s %9s %11s %10s %10s %9s\n", "", "seconds", "elements/s", "peak, MiB", "MB written", "pivot, mm");
    for (size_t i = 0; i < sizeof TREES / sizeof TREES[0]; i++) {
        run("\"%s/../make_assets\" \"%s\" %s", here, folder, TREES[i]);
        snprintf(in, sizeof in, "%s/%s.glb", folder, TREES[i]);
        for (int whole = 0; whole < 2; whole++) {
            const bench_row row = bench_measure(run_task, &(task){in, out, !whole});
            printf("%-14s %-19s %9.4f %11.0f %10.1f %10.1f %9.3f\n", TREES[i],
                   whole ? "baked, read, compared" : "elements found", row.seconds, (double)row.sum / row.seconds,
                   row.peak_mib, row.bytes / 1e6, row.error_mm);
            fflush(stdout);
        }
    }
    run("rm -r \"%s\"", folder);
    return 0;
}
