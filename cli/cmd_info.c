/* SPDX-License-Identifier: MIT
 * bakewell info: what a scene file, an archive, an image, a cyHair file or a bake holds. */
#include <stdio.h>

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

static int show_hair(const char *path, const cli_opts *cli, bw_run_opts *run, bw_error *error) {
    bw_hair_info *info = NULL;
    bw_result result = bw_hair_describe(&info, path, run, error);
    if (result == BW_ERR_UNRECOGNISED) {
        return show_scene(path, cli, run, error);
    }
    int status = 0;
    if (result != BW_OK) {
        status = cli_report_failure("info", error, cli->json);
    } else if (cli->json) {
        status = cli_print_document(bw_hair_info_json(info), status);
    } else if (!cli->quiet) {
        cli_print_hair_info(info);
    }
    bw_free_hair_info(info);
    return status;
}

static int show_image(const char *path, const cli_opts *cli, bw_run_opts *run, bw_error *error) {
    bw_image_info *info = NULL;
    bw_result result = bw_image_describe(&info, path, run, error);
    if (result == BW_ERR_UNRECOGNISED) {
        return show_hair(path, cli, run, error);
    }
    int status = 0;
    if (result != BW_OK) {
        status = cli_report_failure("info", error, cli->json);
    } else if (cli->json) {
        status = cli_print_document(bw_image_info_json(info), status);
    } else if (!cli->quiet) {
        cli_print_image_info(info);
    }
    bw_free_image_info(info);
    return status;
}

static int show(const char *path, const cli_opts *cli, bw_run_opts *run, bw_error *error) {
    bw_bake_info *info = NULL;
    bw_result result = bw_bake_describe(&info, path, run, error);
    if (result == BW_ERR_UNRECOGNISED) {
        return show_image(path, cli, run, error);
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

static int show_archive(const char *path, const cli_opts *cli, bw_info_opts *opts, bw_error *error) {
    cli_talk talk;
    cli_talk_begin(&talk, cli, &opts->run);
    bw_alembic *archive = NULL;
    bw_result result = bw_alembic_open(&archive, path, &opts->run, error);
    const bool opened = result == BW_OK;
    if (opened && (cli->json || cli->quiet)) {
        /* Without output it is read all the same, for its errors. */
        FILE *out = cli->json ? stdout : fopen("/dev/null", "w");
        result = out ? bw_alembic_info_json(out, archive, opts, error)
                     : cli_fail(error, BW_ERR_FILE_WRITE, "/dev/null cannot be opened; leave out --quiet");
        if (out && out != stdout) {
            (void)fclose(out);
        }
    } else if (opened) {
        result = cli_print_alembic(archive, opts, error);
    }
    cli_talk_end(&talk);
    bw_free_alembic(archive);
    /* What was opened has its document already, and that says what failed. */
    return result == BW_OK ? 0 : cli_report_failure("info", error, cli->json && !opened);
}

int cmd_info(const cli_command *command, int argc, char **argv) {
    cli_opts cli = {0};
    bw_info_opts opts = {0};
    void *const targets[CLI_TABLE_MAX] = {&opts, &opts.run, &cli};
    cli_arguments arguments;
    bw_error error;
    int status = 0;
    bw_result result = cli_parse(command, argc, argv, targets, &arguments, &error);
    if (result == BW_OK && !cli.help && arguments.path_count != 1) {
        result =
            cli_fail(&error, BW_ERR_USAGE, "info takes one file, found %zu: bakewell info FILE", arguments.path_count);
    }
    const bool is_archive = result == BW_OK && !cli.help && bw_is_alembic(arguments.paths[0]);
    if (result == BW_OK && !cli.help && !is_archive && (opts.values || opts.verify)) {
        result = cli_fail(&error, BW_ERR_USAGE, "--%s is for Alembic files, and %s is none; leave it out",
                          opts.values ? "values" : "verify", arguments.paths[0]);
    }
    if (result != BW_OK) {
        status = cli_report_failure(command->name, &error, cli_wants_json(argc, argv));
    } else if (cli.help) {
        cli_print_command_help(command);
    } else if (is_archive) {
        status = show_archive(arguments.paths[0], &cli, &opts, &error);
    } else {
        status = show(arguments.paths[0], &cli, &opts.run, &error);
    }
    cli_parse_free(command, targets, &arguments);
    return status;
}
