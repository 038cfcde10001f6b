/* SPDX-License-Identifier: MIT
 * bakewell vat: bake scenes to vertex animation textures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* The part of a path that outputs are named after: "a/hero.glb" gives "hero", 4 long. */
static const char *stem(const char *path, size_t *size) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    *size = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    return name;
}

/* Two inputs must not write the same files, and that is found before any work. */
static bw_result check_names(const cli_paths *paths, const bw_vat_opts *opts, bw_error *error) {
    if (paths->count > 1 && opts->name) {
        return cli_fail(error, BW_ERR_USAGE,
                        "--name=%s names one bake, found %zu scenes; leave it out or bake them one by one", opts->name,
                        paths->count);
    }
    for (size_t i = 0; i < paths->count; i++) {
        for (size_t k = 0; k < i; k++) {
            size_t size_i;
            size_t size_k;
            const char *stem_i = stem(paths->data[i], &size_i);
            const char *stem_k = stem(paths->data[k], &size_k);
            if (size_i == size_k && memcmp(stem_i, stem_k, size_i) == 0) {
                return cli_fail(error, BW_ERR_USAGE,
                                "%s and %s would write the same files, %.*s_vat.*; bake them into different folders",
                                paths->data[k], paths->data[i], (int)size_i, stem_i);
            }
        }
    }
    return BW_OK;
}

static bw_result check_arguments(const cli_paths *paths, const cli_opts *cli, const bw_vat_opts *opts,
                                 bw_error *error) {
    if (paths->count == 0) {
        return cli_fail(error, BW_ERR_USAGE, "vat needs a scene: bakewell vat SCENE -o DIR");
    }
    if (!cli->out) {
        return cli_fail(error, BW_ERR_USAGE, "vat needs a folder for what it makes: bakewell vat %s -o DIR",
                        paths->data[0]);
    }
    return check_names(paths, opts, error);
}

/* Bakes one scene.  Out: document — of --json, else NULL.  Returns the exit status. */
static int bake(const char *path, const cli_opts *cli, bw_vat_opts *opts, char **document) {
    bw_error error = {0};
    cli_talk talk;
    cli_talk_begin(&talk, cli, &opts->run);
    opts->plan = cli_talk_plan;
    opts->plan_ctx = &talk;
    double start = cli_seconds();
    bw_vat_report *report = NULL;
    bw_result result = bw_vat_bake(&report, path, cli->out, opts, &error);
    double seconds = cli_seconds() - start;
    cli_talk_end(&talk);
    if (report) {
        if (!cli->quiet) {
            cli_print_warnings(report->warnings);
        }
        if (cli->json) {
            *document = bw_vat_report_json(report, result == BW_OK ? NULL : &error, seconds);
        } else if (!cli->quiet) {
            cli_print_vat_report(report);
        }
    } else if (cli->json) {
        *document = bw_failure_json("vat", &error);
    }
    if (result != BW_OK) {
        (void)cli_report_failure("vat", &error, false);
    }
    bw_free_vat_report(report);
    return bw_result_exit_status(result);
}

/* Bakes every scene, whatever becomes of the others, until one is cancelled. */
static int bake_all(const cli_paths *paths, const cli_opts *cli, bw_vat_opts *opts) {
    const int cancelled = bw_result_exit_status(BW_ERR_CANCELLED);
    char **documents = calloc(paths->count, sizeof(*documents));
    int status = documents ? 0 : bw_result_exit_status(BW_ERR_MEMORY);
    size_t done = 0;
    while (documents && done < paths->count && status != cancelled) {
        if (paths->count > 1 && !cli->json && !cli->quiet) {
            printf("%s", done ? "\n" : "");
            cli_print_name(paths->data[done]);
            printf("\n");
            (void)fflush(stdout);
        }
        int one = bake(paths->data[done], cli, opts, &documents[done]);
        done++;
        if (one && status != cancelled) {
            status = one == cancelled || paths->count == 1 ? one : bw_result_exit_status(BW_ERR_DIFFERS);
        }
    }
    bool whole = documents != NULL;
    for (size_t i = 0; i < done; i++) {
        whole = whole && documents[i];
    }
    if (cli->json && paths->count == 1) {
        status = cli_print_document(whole ? documents[0] : NULL, status);
        done = 0; /* printing has freed it */
    } else if (cli->json) {
        const char *const *texts = (const char *const *)documents;
        status = cli_print_document(whole ? bw_results_json("vat", status, texts, done) : NULL, status);
    }
    for (size_t i = 0; i < done; i++) {
        bw_free_text(documents[i]);
    }
    free(documents);
    return status;
}

int cmd_vat(const cli_command *command, int argc, char **argv) {
    cli_opts cli = {0};
    bw_vat_opts opts = {0};
    void *const targets[CLI_TABLE_MAX] = {&cli, &opts, &opts.write, &opts.run, &cli};
    cli_paths paths;
    bw_error error;
    int status = 0;
    bw_result result = cli_parse(command, argc, argv, targets, &paths, &error);
    if (result == BW_OK && !cli.help) {
        result = check_arguments(&paths, &cli, &opts, &error);
    }
    if (result != BW_OK) {
        status = cli_report_failure(command->name, &error, cli_wants_json(argc, argv));
    } else if (cli.help) {
        cli_print_command_help(command);
    } else {
        status = bake_all(&paths, &cli, &opts);
    }
    cli_parse_free(command, targets, &paths);
    return status;
}
