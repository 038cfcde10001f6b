/* SPDX-License-Identifier: MIT
 * bakewell verify: decode what a bake left on disk, compare, report. */
#include "cli.h"

static int verify(const char *path, const cli_opts *cli, bw_verify_opts *opts, bw_error *error) {
    cli_talk talk;
    cli_talk_begin(&talk, cli, &opts->run);
    double start = cli_seconds();
    bw_verify_report *report = NULL;
    bw_result result = bw_verify(&report, path, opts, error);
    double seconds = cli_seconds() - start;
    cli_talk_end(&talk);
    int status = bw_result_exit_status(result);
    if (!report) {
        return cli_report_failure("verify", error, cli->json);
    }
    if (!cli->quiet) {
        cli_print_warnings(report->warnings, NULL);
    }
    if (cli->json) {
        status =
            cli_print_document(bw_verify_report_json(report, path, result == BW_OK ? NULL : error, seconds), status);
    } else if (!cli->quiet) {
        cli_print_verify_report(report, path, opts->against != NULL);
    }
    if (result != BW_OK) {
        (void)cli_report_failure("verify", error, false);
    }
    bw_free_verify_report(report);
    return status;
}

int cmd_verify(const cli_command *command, int argc, char **argv) {
    cli_opts cli = {0};
    bw_verify_opts opts = {0};
    void *const targets[CLI_TABLE_MAX] = {&opts, &opts.run, &cli};
    cli_arguments arguments;
    bw_error error;
    int status = 0;
    bw_result result = cli_parse(command, argc, argv, targets, &arguments, &error);
    if (result == BW_OK && !cli.help && arguments.path_count != 1) {
        result = cli_fail(&error, BW_ERR_USAGE, "verify takes one manifest, found %zu: bakewell verify MANIFEST",
                          arguments.path_count);
    }
    if (result != BW_OK) {
        status = cli_report_failure(command->name, &error, cli_wants_json(argc, argv));
    } else if (cli.help) {
        cli_print_command_help(command);
    } else {
        status = verify(arguments.paths[0], &cli, &opts, &error);
    }
    cli_parse_free(command, targets, &arguments);
    return status;
}
