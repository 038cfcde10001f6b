/* SPDX-License-Identifier: MIT
 * bakewell vat: a command line or a job file to bakes of vertex animation textures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tasks.h"

/* A command line that was understood. */
typedef struct vat_line {
    const cli_arguments *arguments;
    const cli_opts *cli;
    bw_vat_opts opts;
    bw_job *loaded;     /* of --jobs */
    bw_job_bake *bakes; /* the job's, options of the command line over them */
} vat_line;

static bw_result check_arguments(const vat_line *line, bw_error *error) {
    const cli_arguments *arguments = line->arguments;
    if (line->cli->jobs && (arguments->path_count || line->cli->out)) {
        return cli_fail(error, BW_ERR_USAGE, "--jobs=%s names scenes and folders itself, found %s%s; leave it out",
                        line->cli->jobs, arguments->path_count ? "" : "-o ",
                        arguments->path_count ? arguments->paths[0] : line->cli->out);
    }
    if (line->cli->jobs) {
        return BW_OK;
    }
    if (arguments->path_count == 0) {
        return cli_fail(error, BW_ERR_USAGE, "vat needs a scene: bakewell vat SCENE -o DIR");
    }
    if (!line->cli->out && !line->opts.write.dry_run) {
        return cli_fail(error, BW_ERR_USAGE, "vat needs a folder for what it makes: bakewell vat %s -o DIR",
                        arguments->paths[0]);
    }
    return BW_OK;
}

/* Copies the fields of a table's options that the command line gave. */
static void override(void *to, const void *from, bw_option_list table, const cli_arguments *arguments) {
    for (size_t i = 0; i < arguments->given_count; i++) {
        const bw_option *given = arguments->given[i];
        if (bw_option_find(table, given->key) == given) {
            memcpy((char *)to + given->offset, (const char *)from + given->offset, given->size);
        }
    }
}

/* A cli_make_job_fn.  The job file is read anew each time: it may have changed. */
static bw_result make_job(void *ctx, bw_job *job, bw_error *error) {
    vat_line *line = ctx;
    const char *out = line->cli->out ? line->cli->out : "."; /* a dry run has none */
    bw_job_bake typed = {{line->arguments->paths, line->arguments->path_count}, out, line->opts};
    bw_job *loaded = NULL;
    bw_result result = line->cli->jobs ? bw_job_load(&loaded, line->cli->jobs, &line->opts.run, error) : BW_OK;
    if (result != BW_OK) {
        return result;
    }
    size_t count = loaded ? loaded->bakes.count : 1;
    bw_job_bake *bakes = calloc(count, sizeof(*bakes));
    if (!bakes) {
        bw_free_job(loaded);
        return cli_fail(error, BW_ERR_MEMORY, "the system refused memory for %zu bakes", count);
    }
    for (size_t i = 0; i < count; i++) {
        bakes[i] = loaded ? loaded->bakes.data[i] : typed;
        override(&bakes[i].opts, &line->opts, bw_vat_options(), line->arguments);
        override(&bakes[i].opts.write, &line->opts.write, bw_write_options(), line->arguments);
    }
    bw_free_job(line->loaded);
    free(line->bakes);
    line->loaded = loaded;
    line->bakes = bakes;
    job->bakes.data = bakes;
    job->bakes.count = count;
    return BW_OK;
}

static int run(vat_line *line, const bw_run_opts *run_opts) {
    const cli_opts *cli = line->cli;
    if (cli->watch && !cli->print_job) {
        return cli_watch(make_job, line, cli, run_opts);
    }
    bw_job job = {0};
    cli_tasks tasks = {0};
    bw_error error;
    int status;
    bw_result result = make_job(line, &job, &error);
    if (result == BW_OK && cli->print_job) {
        return cli_print_document(bw_job_json(&job), 0);
    }
    if (result == BW_OK) {
        result = cli_tasks_make(&tasks, &job, &error);
    }
    if (result == BW_OK) {
        status = cli_tasks_run(&tasks, cli, run_opts);
    } else {
        status = cli_report_failure("vat", &error, cli->json);
    }
    cli_tasks_free(&tasks);
    return status;
}

int cmd_vat(const cli_command *command, int argc, char **argv) {
    cli_opts cli = {0};
    cli_arguments arguments;
    vat_line line = {.arguments = &arguments, .cli = &cli};
    void *const targets[CLI_TABLE_MAX] = {&cli, &cli, &line.opts, &line.opts.write, &line.opts.run, &cli};
    bw_error error;
    int status = 0;
    bw_result result = cli_parse(command, argc, argv, targets, &arguments, &error);
    if (result == BW_OK && !cli.help) {
        result = check_arguments(&line, &error);
    }
    if (result != BW_OK) {
        status = cli_report_failure(command->name, &error, cli_wants_json(argc, argv));
    } else if (cli.help) {
        cli_print_command_help(command);
    } else {
        status = run(&line, &line.opts.run);
    }
    bw_free_job(line.loaded);
    free(line.bakes);
    cli_parse_free(command, targets, &arguments);
    return status;
}
