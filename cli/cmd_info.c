/* SPDX-License-Identifier: MIT
 * bakewell info: what a scene file or a bake holds. */
#include "cli.h"

static int show_scene(const char *path, const cli_opts *cli, bw_run_opts *run, bw_error *error) {
    cli_talk talk;
    cli_talk_begin(&talk, cli, run);
    bw_scene_opts opts = {.run = *run};
    bw_scene *scene = NULL;
    bw_scene_info *info = NULL;
    bw_result result = bw_scene_load(&scene, path, &opts, error);
    if (result == BW_OK) {
        result = bw_scene_describe(&info, scene, error);
    }
    cli_talk_end(&talk);
    int status = 0;
    if (result != BW_OK) {
        status = cli_report_failure("info", error, cli->json);
    } else if (cli->json) {
        status = cli_print_document(bw_scene_info_json(info), status);
    } else if (!cli->quiet) {
        cli_print_scene_info(info);
    }
    bw_free_scene_info(info);
    bw_free_scene(scene);
    return status;
}

static int show(const char *path, const cli_opts *cli, bw_run_opts *run, bw_error *error) {
    bw_bake_info *info = NULL;
    bw_result result = bw_bake_describe(&info, path, run, error);
    if (result == BW_ERR_UNRECOGNISED) {
        return show_scene(path, cli, run, error);
    }
    int status = 0;
    if (result != BW_OK) {
        status = cli_report_failure("info", error, cli->json);
    } else if (cli->json) {
        status = cli_print_document(bw_bake_info_json(info), status);
    } else if (!cli->quiet) {
        cli_print_bake_info(info);
    }
    bw_free_bake_info(info);
    return status;
}

int cmd_info(const cli_command *command, int argc, char **argv) {
    cli_opts cli = {0};
    bw_run_opts run = {0};
    void *const targets[CLI_TABLE_MAX] = {&run, &cli};
    cli_arguments arguments;
    bw_error error;
    int status = 0;
    bw_result result = cli_parse(command, argc, argv, targets, &arguments, &error);
    if (result == BW_OK && !cli.help && arguments.path_count != 1) {
        result =
            cli_fail(&error, BW_ERR_USAGE, "info takes one file, found %zu: bakewell info FILE", arguments.path_count);
    }
    if (result != BW_OK) {
        status = cli_report_failure(command->name, &error, cli_wants_json(argc, argv));
    } else if (cli.help) {
        cli_print_command_help(command);
    } else {
        status = show(arguments.paths[0], &cli, &run, &error);
    }
    cli_parse_free(command, targets, &arguments);
    return status;
}
