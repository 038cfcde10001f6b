/* SPDX-License-Identifier: MIT
 * Baking again as sources change.  Files are asked for their time, size and identity, since notices of changes do not come from network drives. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tasks.h"

/* What a path looked like. */
typedef struct seen {
    char *path;
    bool there;
    dev_t device;
    ino_t node;
    off_t size;
    struct timespec changed_at;
} seen;

typedef struct watch {
    seen *data;
    size_t count, capacity;
    bool lost; /* memory failed */
} watch;

static void look(seen *file) {
    struct stat status;
    char *path = file->path;
    *file = (seen){.path = path};
    if (stat(path, &status) == 0) {
        file->there = true;
        file->device = status.st_dev;
        file->node = status.st_ino;
        /* A folder's time tells of new and removed names; its size says nothing more. */
        file->size = S_ISDIR(status.st_mode) ? 0 : status.st_size;
        file->changed_at = status.st_mtim;
    }
}

static bool is_same(const seen *a, const seen *b) {
    return a->there == b->there && a->device == b->device && a->node == b->node && a->size == b->size &&
           a->changed_at.tv_sec == b->changed_at.tv_sec && a->changed_at.tv_nsec == b->changed_at.tv_nsec;
}

/* Adds a path, as it looks now, unless it is watched.  Returns whether it was added. */
static bool add(watch *w, const char *path) {
    for (size_t i = 0; i < w->count; i++) {
        if (strcmp(w->data[i].path, path) == 0) {
            return false;
        }
    }
    if (w->count == w->capacity) {
        size_t capacity = 2 * w->capacity + 16;
        seen *grown = realloc(w->data, capacity * sizeof(*grown));
        if (!grown) {
            w->lost = true;
            return false;
        }
        w->data = grown;
        w->capacity = capacity;
    }
    seen *file = &w->data[w->count];
    file->path = strdup(path);
    if (!file->path) {
        w->lost = true;
        return false;
    }
    look(file);
    w->count++;
    return true;
}

static bool has_changed(watch *w) {
    bool changed = false;
    for (size_t i = 0; i < w->count; i++) {
        seen before = w->data[i];
        look(&w->data[i]);
        changed = changed || !is_same(&before, &w->data[i]);
    }
    return changed;
}

static void pause_for(double seconds) {
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    (void)nanosleep(&left, NULL); /* a signal ends it early */
}

/* Returns once something has changed, and then nothing for as long as asked; or a signal asks to stop. */
static void wait_for_change(watch *w, double settle_s) {
    const double pause_s = 0.25;
    while (!cli_stop_asked() && !has_changed(w)) {
        pause_for(pause_s);
    }
    double quiet_since = cli_seconds();
    while (!cli_stop_asked() && cli_seconds() - quiet_since < settle_s) {
        pause_for(settle_s < pause_s ? settle_s / 2 : pause_s / 2);
        if (has_changed(w)) {
            quiet_since = cli_seconds();
        }
    }
}

/* What is known before the bake is looked at before it, so that no change during it is missed. */
static void add_known(watch *w, const cli_tasks *tasks, const cli_opts *cli) {
    if (cli->jobs) {
        (void)add(w, cli->jobs);
    }
    for (size_t i = 0; i < tasks->folder_count; i++) {
        (void)add(w, tasks->folders[i]);
    }
    for (size_t i = 0; i < tasks->count; i++) {
        (void)add(w, tasks->data[i].scene);
    }
}

/* Returns whether a bake named files that were not watched: they may have changed since it read them. */
static bool add_sources(watch *w, const cli_tasks *tasks) {
    bool added = false;
    for (size_t i = 0; i < tasks->count; i++) {
        const bw_vat_report *report = tasks->data[i].report;
        for (size_t k = 0; report && k < report->sources.count; k++) {
            added = add(w, report->sources.data[k]) || added;
        }
    }
    return added;
}

/* One round.  Returns whether another is due at once. */
static bool bake_round(watch *w, const bw_job *job, const cli_opts *cli, const bw_run_opts *run) {
    cli_tasks tasks = {0};
    bw_error error = {0};
    bool due = false;
    bw_result result = cli_tasks_make(&tasks, job, &error);
    add_known(w, &tasks, cli);
    if (result == BW_OK) {
        (void)cli_tasks_run(&tasks, cli, run);
        due = add_sources(w, &tasks);
    } else {
        (void)cli_report_failure("vat", &error, cli->json);
    }
    cli_tasks_free(&tasks);
    return due;
}

int cli_watch(cli_make_job_fn make, void *ctx, const cli_opts *cli, const bw_run_opts *run) {
    watch w = {0};
    cli_talk talk;
    bw_run_opts asked = *run;
    cli_talk_begin(&talk, cli, &asked); /* signals are caught from here on */
    cli_talk_end(&talk);
    int status = 0;
    bool due = true;
    for (size_t round = 0; !cli_stop_asked() && status == 0; round++) {
        bw_job job = {0};
        bw_error error = {0};
        if (round > 0 && !due) {
            if (!cli->quiet) {
                fprintf(stderr, "watching %zu files and folders; Ctrl-C ends\n", w.count);
            }
            wait_for_change(&w, cli->settle > 0.0 ? cli->settle : 0.3);
            if (cli_stop_asked()) {
                break;
            }
        }
        if (make(ctx, &job, &error) == BW_OK) {
            due = bake_round(&w, &job, cli, run);
        } else {
            due = false;
            int failed = cli_report_failure("vat", &error, cli->json);
            status = round == 0 ? failed : 0; /* a job that was good once may be mended */
        }
        (void)fflush(stdout); /* who reads the rounds' documents waits for them */
        if (w.lost) {
            (void)cli_fail(&error, BW_ERR_MEMORY, "the system refused memory for the list of files to watch");
            status = cli_report_failure("vat", &error, cli->json);
        }
    }
    for (size_t i = 0; i < w.count; i++) {
        free(w.data[i].path);
    }
    free(w.data);
    return status;
}
