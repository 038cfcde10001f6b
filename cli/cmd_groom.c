/* SPDX-License-Identifier: MIT
 * bakewell groom: what an engine makes of hair, and hair that it takes. */
#include <string.h>

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

/* What shapes or places what is written is for repairs alone. */
static bw_result check_options(const cli_arguments *arguments, const char *path, bw_error *error) {
    static const char *const OF_REPORTS[] = {"engine", "from", "up", "units", "hand"};
    for (size_t i = 0; i < arguments->given_count; i++) {
        const bw_option *given = arguments->given[i];
        bool is_of_report = bw_option_find(bw_groom_options(), given->key) != given &&
                            bw_option_find(bw_write_options(), given->key) != given;
        for (size_t k = 0; k < sizeof(OF_REPORTS) / sizeof(OF_REPORTS[0]); k++) {
            is_of_report = is_of_report || strcmp(given->key, OF_REPORTS[k]) == 0;
        }
        if (!is_of_report) {
            char flag[64];
            size_t length = 0;
            for (const char *c = given->key; *c && length + 1 < sizeof(flag); c++) {
                flag[length++] = *c == '_' ? '-' : *c;
            }
            flag[length] = 0;
            return cli_fail(error, BW_ERR_USAGE,
                            "--%s is for repairs, and without -o nothing is repaired: bakewell groom %s -o OUT", flag,
                            path);
        }
    }
    return BW_OK;
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
    if (result == BW_OK && !cli.help && !cli.out) {
        result = check_options(&arguments, arguments.paths[0], &error);
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
