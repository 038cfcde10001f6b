/* SPDX-License-Identifier: MIT
 * What the parts of the program share.  It sees the public headers only. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <pthread.h>

#include "bakewell/bakewell.h"

typedef enum cli_progress_mode { CLI_PROGRESS_DEFAULT = 0, CLI_PROGRESS_AUTO, CLI_PROGRESS_ALWAYS, CLI_PROGRESS_NEVER } cli_progress_mode;

typedef struct cli_opts {
#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) ctype field;
#include "options_cli.def"
#include "options_out.def"
#include "options_many.def"
#undef BW_OPT
} cli_opts;

bw_option_list cli_common_options(void);
bw_option_list cli_out_options(void);
bw_option_list cli_many_options(void);

/* ---- commands ---- */

enum { CLI_TABLE_MAX = 8 };

typedef struct cli_command {
    const char *name;
    const char *arguments; /* as in the usage line */
    const char *summary;   /* one line, no full stop */
    const char *text;      /* a paragraph for help */
    const char *example;   /* a command line that works as typed beside the sample assets */
    bw_option_list (*tables[CLI_TABLE_MAX])(void); /* NULL-terminated unless full */
    int (*run)(const struct cli_command *command, int argc, char **argv); /* argv: what follows the command's name; returns the exit status */
} cli_command;

int cmd_info(const cli_command *command, int argc, char **argv);
int cmd_vat(const cli_command *command, int argc, char **argv);
int cmd_verify(const cli_command *command, int argc, char **argv);
int cmd_pivot(const cli_command *command, int argc, char **argv);
int cmd_groom(const cli_command *command, int argc, char **argv);
int cmd_help(const cli_command *command, int argc, char **argv);

extern const cli_command cli_commands[]; /* ends with name NULL */
const cli_command *cli_find_command(const char *name); /* NULL if none */

/* ---- arguments (args.c) ---- */

typedef struct cli_arguments {
    const char **paths;
    size_t path_count;
    const bw_option **given; /* rows of the options that were given */
    size_t given_count;
} cli_arguments;

/* Reads options and paths.  Out: targets[k] — the struct behind command->tables[k], zeroed by the caller; arguments — free with
 * cli_parse_free, also after a failure.  Err: USAGE. */
bw_result cli_parse(const cli_command *command, int argc, char **argv, void *const *targets, cli_arguments *arguments, bw_error *error);
/* True if --json stands among the arguments: needed before they are understood, to report that they are not. */
bool cli_wants_json(int argc, char **argv);
/* Releases what cli_parse allocated. */
void cli_parse_free(const cli_command *command, void *const *targets, cli_arguments *arguments);

/* ---- help (help.c) ---- */

void cli_print_help(void);
void cli_print_command_help(const cli_command *command);

/* ---- talk (talk.c): stdout is data, stderr is talk ---- */

/* Fills an error: "message" with no path. */
bw_result cli_fail(bw_error *error, bw_result result, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A file that gets shorter while it is read ends the program with a sentence and, if `json`, a document; call it once, at the beginning.
 * In: command — NULL: unknown. */
void cli_catch_cut_file(const char *command, bool json);
/* Says what failed on stderr and, if `json`, as a document on stdout.  Returns the exit status. */
int cli_report_failure(const char *command, const bw_error *error, bool json);
/* Prints a document and frees it; NULL: says that memory ran out.  Returns `status`, or 6. */
int cli_print_document(char *document, int status);
void cli_print_warnings(bw_warning_list warnings, const char *path); /* path: of many; NULL: there is one file */

/* Progress on stderr, of one bake or of several at once, and cancelling by SIGINT or SIGTERM. */
typedef struct cli_talk {
    bool quiet, show;
    size_t bakes; /* above 1: the line counts them */
    pthread_mutex_t lock; /* of what follows */
    bool drawn, held;
    double drawn_at; /* seconds */
    size_t baked;
} cli_talk;
void cli_talk_begin(cli_talk *talk, const cli_opts *opts, bw_run_opts *run);
bool cli_talk_plan(void *talk, const bw_vat_sizes *sizes); /* a bw_vat_plan_fn */
void cli_talk_hold(cli_talk *talk);                        /* wipes the progress line, and none is drawn until released */
void cli_talk_release(cli_talk *talk, size_t baked);
void cli_talk_end(cli_talk *talk);                         /* wipes the progress line */
bool cli_stop_asked(void);                                 /* by a signal, since the first cli_talk_begin */
double cli_seconds(void);                                  /* monotonic clock */

/* ---- reports for people (report.c, units.c) ---- */

enum { CLI_TEXT_SIZE = 64 };
const char *cli_count(char text[CLI_TEXT_SIZE], uint64_t count, const char *noun); /* "3,067 vertices": noun in the singular, "vertex" */
const char *cli_bytes(char text[CLI_TEXT_SIZE], uint64_t bytes);     /* "5.0 MiB" */
const char *cli_length(char text[CLI_TEXT_SIZE], double metres);     /* "0.031 mm" */
const char *cli_percent(char text[CLI_TEXT_SIZE], double fraction);  /* "0.0017 %" */

/* A name from a file, on stdout.  Control characters (C0, DEL, and C1 in UTF-8) become '?': no file moves the cursor or forges a line. */
void cli_print_name(const char *name);

void cli_print_candidates(const bw_vat_report *report); /* the table of ways to bake (candidates.c) */
void cli_print_clips(const bw_baked_clip *clips, size_t count);
void cli_print_errors(const bw_error_report *error);
void cli_print_levels(const bw_baked_level *levels, size_t count);
void cli_print_bake_info(const bw_bake_info *info); /* bake_info.c */
void cli_print_image_info(const bw_image_info *info); /* image_info.c */
void cli_print_hair_info(const bw_hair_info *info);   /* hair_info.c */
void cli_print_vat_report(const bw_vat_report *report);
void cli_print_verify_report(const bw_verify_report *report, const char *manifest, bool has_source); /* has_source: --against is given */
/* pivot_report.c */
void cli_print_pivot_report(const bw_pivot_report *report);
void cli_print_pivot_facts(const bw_pivot_facts *facts);
void cli_print_pivot_error(const bw_pivot_error *error);
void cli_print_groom_report(const bw_groom_report *report); /* groom_report.c */
void cli_print_scene_info(const bw_scene_info *info);
/* Prints an archive while it is read, or what verifying it finds.  Err: of the first part that could not be read, the others are printed; DIFFERS,
 * and what stops verifying. */
bw_result cli_print_alembic(bw_alembic *archive, const bw_info_opts *opts, bw_error *error);

#endif
