/* SPDX-License-Identifier: MIT
 * What the program says while it works: errors, warnings, progress; and how it is told to stop. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

bw_result cli_fail(bw_error *error, bw_result result, const char *format, ...) {
    *error = (bw_error){.result = result, .offset = -1};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(error->message, sizeof(error->message), format, args);
    va_end(args);
    for (char *c = error->message; *c; c++) { /* arguments may hold what moves a terminal's cursor */
        *c = (unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c;
    }
    return result;
}

int cli_report_failure(const char *command, const bw_error *error, bool json) {
    int status = bw_result_exit_status(error->result);
    fprintf(stderr, "bakewell: error: %s\n", error->message);
    return json ? cli_print_document(bw_failure_json(command, error), status) : status;
}

int cli_print_document(char *document, int status) {
    if (!document) {
        fprintf(stderr, "bakewell: error: memory ran out while the report was written\n");
        return bw_result_exit_status(BW_ERR_MEMORY);
    }
    (void)fputs(document, stdout); /* main checks the stream */
    bw_free_text(document);
    return status;
}

void cli_print_warnings(bw_warning_list warnings, const char *path) {
    for (size_t i = 0; i < warnings.count; i++) {
        const bw_warning *warning = &warnings.data[i];
        fprintf(stderr, "bakewell: warning: %s%s%s (", path ? path : "", path ? ": " : "", warning->message);
        if (warning->count > 1) {
            char text[CLI_TEXT_SIZE];
            fprintf(stderr, "%s, first: ", cli_count(text, warning->count, "time"));
        }
        fprintf(stderr, "%s)\n", warning->first);
    }
}

/* ---- stopping ---- */

/* Atomic, since the handler runs on any thread and progress is asked from others. */
static atomic_int stop_asked;

static void ask_to_stop(int signal_number) {
    (void)signal_number;
    stop_asked = 1;
}

/* The first signal asks; SA_RESETHAND lets a second one end the program at once. */
static void catch_signals(void) {
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = ask_to_stop;
    action.sa_flags = (int)SA_RESETHAND;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    /* A file at the shell's size limit (ulimit -f) is a failed write, reported and cleaned up, instead of a sudden end. */
    action.sa_handler = SIG_IGN;
    action.sa_flags = 0;
    (void)sigaction(SIGXFSZ, &action, NULL);
}

/* Files are mapped: what is gone of one when it is looked at comes as SIGBUS.  What is said then is made before, since little may be done there. */
#define CUT_SENTENCE "a file got shorter while it was read; wait until what writes it has ended, then run this again"
static char *cut_document;
static int cut_status;

static void end_of_cut_file(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code != BUS_ADRERR) {
        (void)signal(signal_number, SIG_DFL);
        (void)raise(signal_number);
        return;
    }
    static const char talk[] = "bakewell: error: " CUT_SENTENCE "\n";
    ssize_t written = write(STDERR_FILENO, talk, sizeof(talk) - 1);
    if (cut_document) {
        written = write(STDOUT_FILENO, cut_document, strlen(cut_document));
    }
    (void)written;
    _exit(cut_status);
}

void cli_catch_cut_file(const char *command, bool json) {
    bw_error error;
    cut_status = bw_result_exit_status(cli_fail(&error, BW_ERR_FILE_READ, "%s", CUT_SENTENCE));
    cut_document = json ? bw_failure_json(command, &error) : NULL;
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = end_of_cut_file;
    action.sa_flags = SA_SIGINFO;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, NULL);
}

/* ---- progress ---- */

double cli_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void draw(cli_talk *talk, const char *phase, uint64_t done, uint64_t total) {
    const double shortest_s = 1.0 / 6.0;
    double now = cli_seconds();
    if (talk->held || now - talk->drawn_at < shortest_s) {
        return;
    }
    talk->drawn = true;
    talk->drawn_at = now;
    if (talk->bakes > 1) {
        fprintf(stderr, "\rbaked %zu of %zu files\033[K", talk->baked, talk->bakes);
    } else {
        fprintf(stderr, "\r%s %3.0f %%\033[K", phase, total ? 100.0 * (double)done / (double)total : 100.0);
    }
    (void)fflush(stderr);
}

static bool on_progress(void *ctx, const char *phase, uint64_t done, uint64_t total) {
    cli_talk *talk = ctx;
    if (talk->show && pthread_mutex_trylock(&talk->lock) == 0) { /* who is held up does not wait to draw */
        draw(talk, phase, done, total);
        (void)pthread_mutex_unlock(&talk->lock);
    }
    return !stop_asked;
}

void cli_talk_begin(cli_talk *talk, const cli_opts *opts, bw_run_opts *run) {
    *talk = (cli_talk){.quiet = opts->quiet};
    (void)pthread_mutex_init(&talk->lock, NULL);
    if (opts->progress != CLI_PROGRESS_NEVER && !opts->quiet) {
        talk->show = opts->progress == CLI_PROGRESS_ALWAYS || isatty(STDERR_FILENO);
    }
    run->progress = on_progress;
    run->progress_ctx = talk;
    catch_signals();
}

static void wipe(cli_talk *talk) {
    if (talk->drawn) {
        fprintf(stderr, "\r\033[K");
        (void)fflush(stderr);
        talk->drawn = false;
    }
}

void cli_talk_hold(cli_talk *talk) {
    (void)pthread_mutex_lock(&talk->lock);
    wipe(talk);
    talk->held = true;
    (void)pthread_mutex_unlock(&talk->lock);
}

void cli_talk_release(cli_talk *talk, size_t baked) {
    (void)pthread_mutex_lock(&talk->lock);
    talk->held = false;
    talk->baked = baked;
    (void)pthread_mutex_unlock(&talk->lock);
}

void cli_talk_end(cli_talk *talk) {
    wipe(talk);
    (void)pthread_mutex_destroy(&talk->lock);
}

bool cli_stop_asked(void) {
    return stop_asked;
}

bool cli_talk_plan(void *ctx, const bw_vat_sizes *sizes) {
    cli_talk *talk = ctx;
    cli_talk_hold(talk);
    if (!talk->quiet) {
        char vertices[CLI_TEXT_SIZE];
        char frames[CLI_TEXT_SIZE];
        char clips[CLI_TEXT_SIZE];
        char bytes[CLI_TEXT_SIZE];
        char bones[CLI_TEXT_SIZE];
        fprintf(stderr, "plan: %s × %s in %s", cli_count(vertices, sizes->vertex_count, "vertex"),
                cli_count(frames, sizes->frame_count, "frame"), cli_count(clips, sizes->clip_count, "clip"));
        if (sizes->candidate_count > 1) {
            fprintf(stderr, "; of %zu ways the smallest: %s mode, ", sizes->candidate_count, sizes->mode);
        } else {
            fprintf(stderr, " -> ");
        }
        if (sizes->bone_count) {
            fprintf(stderr, "%s in ",
                    cli_count(bones, sizes->bone_count, strcmp(sizes->mode, "rigid") == 0 ? "piece" : "bone"));
        }
        if (sizes->page_count > 1) {
            fprintf(stderr, "%u textures of ", sizes->page_count);
        }
        fprintf(stderr, "%u × %u %s%s, %s\n", sizes->width, sizes->height, sizes->format,
                sizes->normal_texture ? " and as many for normals" : "", cli_bytes(bytes, sizes->texture_bytes));
    }
    cli_talk_release(talk, 0);
    return !stop_asked;
}
