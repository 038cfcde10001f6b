/* SPDX-License-Identifier: MIT
 * bakewell groom: what an engine makes of hair, and hair that it takes. */
#include <stdio.h>

#include "cli.h"

static int groom(const char *path, const cli_opts *cli, bw_groom_opts *opts, bw_error *error) {
    cli_talk talk;
    cli_talk_begin(&talk, cli, &opts->run);
    const double start = cli_seconds();
    bw_groom_report *report = NULL;
    bw_result result =
        cli->out ? bw_groom_repair(&report, path, cli->out, opts, error) : bw_groom_check(&report, path, opts, error);
    const double seconds = cli_seconds() - start;
    cli_talk_end(&talk);
    if (!report) {
        return cli_report_failure("groom", error, cli->json);
    }
    int status = bw_result_exit_status(result);
    if (cli->json) {
        status = cli_print_document(bw_groom_report_json(report, result == BW_OK ? NULL : error, seconds), status);
    } else if (!cli->quiet) {
        cli_print_groom_report(report);
    }
    if (result != BW_OK) {
        (void)cli_report_failure("groom", error, false);
    }
    bw_free_groom_report(report);
    return status;
}

int cmd_groom(const cli_command *command, int argc, char **argv) {
    cli_opts cli = {0};
    bw_groom_opts opts = {0};
    void *const targets[CLI_TABLE_MAX] = {&cli, &opts, &opts.write, &opts.run, &cli};
    cli_arguments arguments;
    bw_error error;
    int status = 0;
    bw_result result = cli_parse(command, argc, argv, targets, &arguments, &error);
    if (result == BW_OK && !cli.help && arguments.path_count != 1) {
        result = cli_fail(&error, BW_ERR_USAGE, "groom takes one file, found %zu: bakewell groom FILE [-o OUT]",
                          arguments.path_count);
    }
    if (result != BW_OK) {
        status = cli_report_failure(command->name, &error, cli_wants_json(argc, argv));
    } else if (cli.help) {
        cli_print_command_help(command);
    } else {
        status = groom(arguments.paths[0], &cli, &opts, &error);
    }
    cli_parse_free(command, targets, &arguments);
    return status;
}
