/* SPDX-License-Identifier: MIT
 * Bakes of one call: several at once, told in order. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tasks.h"

enum { MOST_AT_ONCE = 64 };

/* Bakes under way. */
typedef struct crew {
    cli_tasks *tasks;
    const cli_opts *cli;
    bw_run_opts share; /* of each bake */
    cli_talk talk;
    pthread_mutex_t lock; /* of what follows, and of each task's `done` */
    pthread_cond_t changed;
    size_t next, at_work;
} crew;

static void bake(cli_task *task, crew *c, const bw_run_opts *run) {
    task->opts.run = *run;
    if (c->tasks->count == 1) {
        task->opts.plan = cli_talk_plan;
        task->opts.plan_ctx = &c->talk;
    }
    task->error = (bw_error){0};
    double start = cli_seconds();
    if (bw_vat_bake(&task->report, task->scene, task->out, &task->opts, &task->error) == BW_OK) {
        task->error.result = BW_OK;
    }
    task->seconds = cli_seconds() - start;
}

/* Index of the next task to bake, or SIZE_MAX.  The first is begun in any case, and cancels itself. */
static size_t take(crew *c) {
    size_t index = SIZE_MAX;
    (void)pthread_mutex_lock(&c->lock);
    while (c->next < c->tasks->count && c->tasks->data[c->next].done) { /* failed before it began */
        c->next++;
    }
    if (c->next < c->tasks->count && (c->next == 0 || !cli_stop_asked())) {
        index = c->next++;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return index;
}

static void *work(void *context) {
    crew *c = context;
    for (size_t index = take(c); index != SIZE_MAX; index = take(c)) {
        bake(&c->tasks->data[index], c, &c->share);
        (void)pthread_mutex_lock(&c->lock);
        c->tasks->data[index].done = true;
        (void)pthread_cond_signal(&c->changed);
        (void)pthread_mutex_unlock(&c->lock);
    }
    (void)pthread_mutex_lock(&c->lock);
    c->at_work--;
    (void)pthread_cond_signal(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* False: it will not be done, since the work was cancelled before. */
static bool wait_for(crew *c, size_t index) {
    (void)pthread_mutex_lock(&c->lock);
    while (!c->tasks->data[index].done && c->at_work) {
        (void)pthread_cond_wait(&c->changed, &c->lock);
    }
    bool done = c->tasks->data[index].done;
    (void)pthread_mutex_unlock(&c->lock);
    return done;
}

/* What came of a bake, for people.  In: told — how many before. */
static void tell(const cli_task *task, const crew *c, size_t told) {
    bool many = c->tasks->count > 1;
    bool talks = !c->cli->json && !c->cli->quiet;
    if (many && talks) {
        printf("%s", told ? "\n" : "");
        cli_print_name(task->scene);
        printf("\n");
    }
    if (task->report && !c->cli->quiet) {
        (void)fflush(stdout);
        cli_print_warnings(task->report->warnings, many ? task->scene : NULL);
    }
    if (task->report && talks) {
        cli_print_vat_report(task->report);
    }
    if (many && talks && task->error.result != BW_OK) {
        printf("failed    %s\n", task->error.message);
    }
    (void)fflush(stdout);
}

static char *document_of(const cli_task *task) {
    const bw_error *error = task->error.result == BW_OK ? NULL : &task->error;
    return task->report ? bw_vat_report_json(task->report, error, task->seconds) : bw_failure_json("vat", error);
}

/* One document for all that were done. */
static int print_documents(const cli_tasks *tasks, int status) {
    char **documents = calloc(tasks->count + 1, sizeof(*documents)); /* never of 0 bytes, which may be NULL */
    size_t count = 0;
    bool whole = documents != NULL;
    for (size_t i = 0; whole && i < tasks->count; i++) {
        if (tasks->data[i].done) {
            documents[count] = document_of(&tasks->data[i]);
            whole = documents[count++] != NULL;
        }
    }
    char *all = NULL;
    if (whole && tasks->count == 1 && count == 1) {
        all = documents[0];
        count = 0;
    } else if (whole) {
        all = bw_results_json("vat", status, (const char *const *)documents, count);
    }
    for (size_t i = 0; i < count; i++) {
        bw_free_text(documents[i]);
    }
    free(documents);
    return cli_print_document(all, status);
}

/* What failed, with its sentence, and how many did what. */
static int settle(const cli_tasks *tasks, const cli_opts *cli) {
    const int cancelled = bw_result_exit_status(BW_ERR_CANCELLED);
    size_t failed = 0;
    size_t current = 0;
    size_t done = 0;
    bool stopped = false;
    for (size_t i = 0; i < tasks->count; i++) {
        const cli_task *task = &tasks->data[i];
        bool stop = !task->done || task->error.result == BW_ERR_CANCELLED;
        stopped = stopped || stop;
        done += !stop;
        failed += !stop && task->error.result != BW_OK;
        current += task->done && task->report && task->report->up_to_date;
    }
    if (tasks->count == 1) {
        const bw_error *error = &tasks->data[0].error;
        return error->result == BW_OK ? 0 : cli_report_failure("vat", error, false);
    }
    if (!cli->json && !cli->quiet) {
        printf("\ntotal     %zu of %zu files done: %zu %s, %zu up to date, %zu failed\n", done, tasks->count,
               done - failed - current, tasks->data[0].opts.write.dry_run ? "measured" : "baked", current, failed);
        (void)fflush(stdout);
    }
    if (failed) {
        fprintf(stderr, "bakewell: error: %zu of %zu files failed:\n", failed, tasks->count);
    }
    for (size_t i = 0; i < tasks->count; i++) {
        const bw_error *error = &tasks->data[i].error;
        if (tasks->data[i].done && error->result != BW_OK && error->result != BW_ERR_CANCELLED) {
            bool named = strncmp(error->message, tasks->data[i].scene, strlen(tasks->data[i].scene)) == 0;
            fprintf(stderr, "  %s%s%s\n", named ? "" : tasks->data[i].scene, named ? "" : ": ", error->message);
        }
    }
    if (stopped) {
        fprintf(stderr,
                "bakewell: error: the work was cancelled; %zu of %zu files are done, and no other has changed\n", done,
                tasks->count);
    }
    return stopped ? cancelled : failed ? bw_result_exit_status(BW_ERR_DIFFERS) : 0;
}

static uint32_t cores(const bw_run_opts *run) {
    long online = run->threads ? (long)run->threads : sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > MOST_AT_ONCE ? MOST_AT_ONCE : (uint32_t)online;
}

/* Threads and memory for each of `at_once` bakes.  Returns how many there are, so that each has what the options allow at least. */
static uint32_t divide(bw_run_opts *share, const bw_run_opts *run, size_t count) {
    const bw_option *row = bw_option_find(bw_run_options(), "memory_limit");
    bw_run_opts whole = *run;
    if (!whole.memory_limit) {
        (void)bw_option_set(&whole, row, row->preset, NULL);
    }
    uint32_t at_once = cores(run);
    while (at_once > 1 && (at_once > count || (double)(whole.memory_limit / at_once) < row->min)) {
        at_once--;
    }
    *share = *run;
    if (at_once > 1) {
        uint32_t threads = cores(run) / at_once;
        share->threads = threads ? threads : 1;
        share->memory_limit = whole.memory_limit / at_once;
    }
    return at_once;
}

/* What did not fit into its share is baked alone, with all there is. */
static void bake_again(crew *c, const bw_run_opts *run, size_t *told) {
    for (size_t i = 0; i < c->tasks->count && !cli_stop_asked(); i++) {
        cli_task *task = &c->tasks->data[i];
        if (task->done && task->error.result == BW_ERR_MEMORY) {
            bake(task, c, run);
            cli_talk_hold(&c->talk);
            tell(task, c, *told);
            *told += 1;
            cli_talk_release(&c->talk, *told);
        }
    }
}

int cli_tasks_run(cli_tasks *tasks, const cli_opts *cli, const bw_run_opts *run) {
    crew c = {.tasks = tasks, .cli = cli};
    bw_run_opts talking = *run;
    cli_talk_begin(&c.talk, cli, &talking);
    c.talk.bakes = tasks->count;
    uint32_t at_once = divide(&c.share, &talking, tasks->count);
    (void)pthread_mutex_init(&c.lock, NULL);
    (void)pthread_cond_init(&c.changed, NULL);
    pthread_t threads[MOST_AT_ONCE];
    uint32_t started = 0;
    c.at_work = at_once;
    while (started < at_once && pthread_create(&threads[started], NULL, work, &c) == 0) {
        started++;
    }
    (void)pthread_mutex_lock(&c.lock);
    c.at_work -= at_once - started;
    bool alone = started == 0;
    c.at_work += alone;
    (void)pthread_mutex_unlock(&c.lock);
    if (alone) {
        (void)work(&c);
    }
    size_t told = 0;
    for (size_t i = 0; i < tasks->count; i++) {
        bool apart = at_once > 1; /* one that lacked memory is baked again below */
        if (wait_for(&c, i) && !(apart && tasks->data[i].error.result == BW_ERR_MEMORY)) {
            cli_talk_hold(&c.talk);
            tell(&tasks->data[i], &c, told);
            told++;
            cli_talk_release(&c.talk, told);
        }
    }
    for (uint32_t i = 0; i < started; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    if (at_once > 1) {
        bake_again(&c, &talking, &told);
    }
    cli_talk_end(&c.talk);
    (void)pthread_cond_destroy(&c.changed);
    (void)pthread_mutex_destroy(&c.lock);
    int status = settle(tasks, cli);
    return cli->json ? print_documents(tasks, status) : status;
}
