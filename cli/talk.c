/* SPDX-License-Identifier: MIT
 * What the program says while it works: errors, warnings, progress; and how it is told to stop. */
#define _POSIX_C_SOURCE 200809L
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

void cli_print_warnings(bw_warning_list warnings) {
    for (size_t i = 0; i < warnings.count; i++) {
        const bw_warning *warning = &warnings.data[i];
        fprintf(stderr, "bakewell: warning: %s (", warning->message);
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

/* ---- progress ---- */

double cli_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool on_progress(void *ctx, const char *phase, uint64_t done, uint64_t total) {
    const double shortest_s = 1.0 / 6.0;
    cli_talk *talk = ctx;
    double now = talk->show ? cli_seconds() : 0.0;
    if (talk->show && now - talk->drawn_at >= shortest_s) {
        talk->drawn = true;
        talk->drawn_at = now;
        fprintf(stderr, "\r%s %3.0f %%\033[K", phase, total ? 100.0 * (double)done / (double)total : 100.0);
        (void)fflush(stderr);
    }
    return !stop_asked;
}

void cli_talk_begin(cli_talk *talk, const cli_opts *opts, bw_run_opts *run) {
    *talk = (cli_talk){.quiet = opts->quiet};
    if (opts->progress != CLI_PROGRESS_NEVER && !opts->quiet) {
        talk->show = opts->progress == CLI_PROGRESS_ALWAYS || isatty(STDERR_FILENO);
    }
    run->progress = on_progress;
    run->progress_ctx = talk;
    catch_signals();
}

void cli_talk_end(cli_talk *talk) {
    if (talk->drawn) {
        fprintf(stderr, "\r\033[K");
        (void)fflush(stderr);
        talk->drawn = false;
    }
}

bool cli_talk_plan(void *ctx, const bw_vat_sizes *sizes) {
    cli_talk *talk = ctx;
    cli_talk_end(talk);
    if (!talk->quiet) {
        char vertices[CLI_TEXT_SIZE];
        char frames[CLI_TEXT_SIZE];
        char clips[CLI_TEXT_SIZE];
        char bytes[CLI_TEXT_SIZE];
        fprintf(stderr, "plan: %s × %s in %s -> ", cli_count(vertices, sizes->vertex_count, "vertex"),
                cli_count(frames, sizes->frame_count, "frame"), cli_count(clips, sizes->clip_count, "clip"));
        if (sizes->page_count > 1) {
            fprintf(stderr, "%u textures of ", sizes->page_count);
        }
        fprintf(stderr, "%u × %u %s%s, %s\n", sizes->width, sizes->height, sizes->format,
                sizes->normal_texture ? " and as many for normals" : "", cli_bytes(bytes, sizes->texture_bytes));
    }
    return !stop_asked;
}
