/* SPDX-License-Identifier: MIT
 * bakewell pivot: a tree to textures of pivots. */
#include "cli.h"

static int pivot(const char *path, const cli_opts *cli, bw_pivot_opts *opts, bw_error *error) {
    cli_talk talk;
    cli_talk_begin(&talk, cli, &opts->run);
    const double start = cli_seconds();
    bw_pivot_report *report = NULL;
    const bw_result result = bw_pivot_bake(&report, path, cli->out, opts, error);
    const double seconds = cli_seconds() - start;
    cli_talk_end(&talk);
    if (result != BW_OK) {
        return cli_report_failure("pivot", error, cli->json);
    }
    int status = 0;
    if (!cli->quiet) {
        cli_print_warnings(report->warnings, NULL);
    }
    if (cli->json) {
        status = cli_print_document(bw_pivot_report_json(report, seconds), 0);
    } else if (!cli->quiet) {
        cli_print_pivot_report(report);
    }
    bw_free_pivot_report(report);
    return status;
}

int cmd_pivot(const cli_command *command, int argc, char **argv) {
    cli_opts cli = {0};
    bw_pivot_opts opts = {0};
    void *const targets[CLI_TABLE_MAX] = {&cli, &opts, &opts.write, &opts.run, &cli};
    cli_arguments arguments;
    bw_error error;
    int status = 0;
    bw_result result = cli_parse(command, argc, argv, targets, &arguments, &error);
    if (result == BW_OK && !cli.help && arguments.path_count != 1) {
        result = cli_fail(&error, BW_ERR_USAGE, "pivot takes one scene, found %zu: bakewell pivot SCENE -o DIR",
                          arguments.path_count);
    }
    if (result == BW_OK && !cli.help && !cli.out) {
        result = cli_fail(&error, BW_ERR_USAGE, "pivot needs a folder for what it makes: bakewell pivot %s -o DIR",
                          arguments.paths[0]);
    }
    if (result != BW_OK) {
        status = cli_report_failure(command->name, &error, cli_wants_json(argc, argv));
    } else if (cli.help) {
        cli_print_command_help(command);
    } else {
        status = pivot(arguments.paths[0], &cli, &opts, &error);
    }
    cli_parse_free(command, targets, &arguments);
    return status;
}
