/* SPDX-License-Identifier: MIT
 * Many bakes: what is to be done, and doing it. */
#ifndef CLI_TASKS_H
#define CLI_TASKS_H

#include "cli.h"

/* One bake.  What `opts` points at belongs to its job, which must stay. */
typedef struct cli_task {
    char *scene, *out;
    bw_vat_opts opts;
    bool done;
    double seconds;
    bw_error error;        /* result BW_OK: none */
    bw_vat_report *report; /* NULL: there is none */
} cli_task;

typedef struct cli_tasks {
    cli_task *data;
    size_t count;
    char **folders; /* that were walked */
    size_t folder_count;
} cli_tasks;

/* Every bake of a job, in order: folders walked in the order of their names' bytes, hidden entries, outputs of earlier bakes and links back
 * left out, their structure mirrored below the bake's `out`.  A folder that cannot be read is a task that has failed.  Out: tasks — free with
 * cli_tasks_free, also after a failure.  Err: USAGE (two would write the same files, both named), OVERWRITES_INPUT, FILE_MISSING (a folder
 * without scenes), MEMORY. */
bw_result cli_tasks_make(cli_tasks *tasks, const bw_job *job, bw_error *error);
void cli_tasks_free(cli_tasks *tasks);

/* Does them all, several at once, whatever becomes of the others, and says what came of each, in order.  Returns the exit status: that of a
 * single one; of many 0, 1 if some failed, 7 if cancelled. */
int cli_tasks_run(cli_tasks *tasks, const cli_opts *cli, const bw_run_opts *run);

/* Bakes a job again and again, as its sources change, until a signal asks to stop.  In: make — the job anew; it stays until the next call.
 * Returns 0, or the status of a job that could not be read the first time. */
typedef bw_result (*cli_make_job_fn)(void *ctx, bw_job *job, bw_error *error);
int cli_watch(cli_make_job_fn make, void *ctx, const cli_opts *cli, const bw_run_opts *run);

#endif
