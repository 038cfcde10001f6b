/* SPDX-License-Identifier: MIT
 * Options and paths of a command line, by the option tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) \
    {key, kind, metavar, choices, preset, min, max, help, offsetof(cli_opts, field), sizeof(ctype)},
static const bw_option common_rows[] = {
#include "options_cli.def"
};
static const bw_option out_rows[] = {
#include "options_out.def"
};
static const bw_option many_rows[] = {
#include "options_many.def"
};
#undef BW_OPT

bw_option_list cli_common_options(void) {
    return (bw_option_list){common_rows, sizeof(common_rows) / sizeof(common_rows[0])};
}

bw_option_list cli_out_options(void) {
    return (bw_option_list){out_rows, sizeof(out_rows) / sizeof(out_rows[0])};
}

bw_option_list cli_many_options(void) {
    return (bw_option_list){many_rows, sizeof(many_rows) / sizeof(many_rows[0])};
}

bool cli_wants_json(int argc, char **argv) {
    bool wanted = false;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        wanted = strcmp(argv[i], "--json") == 0 || (wanted && strcmp(argv[i], "--no-json") != 0);
    }
    return wanted;
}

/* ---- options ---- */

enum { NAME_MAX_SIZE = 40 };

/* "max_size" gives "max-size". */
static void flag_name(char name[NAME_MAX_SIZE], const char *key) {
    (void)snprintf(name, NAME_MAX_SIZE, "%s", key);
    for (char *c = name; *c; c++) {
        *c = *c == '_' ? '-' : *c;
    }
}

static const bw_option *find_option(const cli_command *command, const char *name, void *const *targets, void **target) {
    for (int t = 0; t < CLI_TABLE_MAX && command->tables[t]; t++) {
        const bw_option *option = bw_option_find(command->tables[t](), name);
        if (option) {
            *target = targets[t];
            return option;
        }
    }
    return NULL;
}

static bw_result fail_unknown_option(const cli_command *command, const char *name, bw_error *error) {
    enum { OPTION_MAX = 128 };
    char flags[OPTION_MAX][NAME_MAX_SIZE];
    const char *names[OPTION_MAX];
    size_t count = 0;
    for (int t = 0; t < CLI_TABLE_MAX && command->tables[t]; t++) {
        bw_option_list table = command->tables[t]();
        for (size_t i = 0; i < table.count && count < OPTION_MAX; i++, count++) {
            flag_name(flags[count], table.data[i].key);
            names[count] = flags[count];
        }
    }
    const char *near = bw_nearest_name(name, names, count);
    return near ? cli_fail(error, BW_ERR_USAGE, "%s has no option --%s; did you mean --%s?", command->name, name, near)
                : cli_fail(error, BW_ERR_USAGE, "%s has no option --%s; \"bakewell help %s\" lists them", command->name,
                           name, command->name);
}

/* An argument that begins with "--": "--name", "--name=value", "--name value" or "--no-name".  *index: of the argument; moves past a value that
 * stands apart, which must not look like an option. */
static bw_result set_long(const cli_command *command, int argc, char **argv, int *index, void *const *targets,
                          cli_arguments *arguments, bw_error *error) {
    const char *argument = argv[*index] + 2;
    const char *equals = strchr(argument, '=');
    size_t size = equals ? (size_t)(equals - argument) : strlen(argument);
    char name[NAME_MAX_SIZE];
    if (size == 0 || size >= sizeof(name)) {
        return cli_fail(error, BW_ERR_USAGE, "\"--%s\" is no option; \"bakewell help %s\" lists them", argument,
                        command->name);
    }
    memcpy(name, argument, size);
    name[size] = 0;
    void *target = NULL;
    const bw_option *option = find_option(command, name, targets, &target);
    if (option) {
        const char *value = equals ? equals + 1 : NULL;
        if (!value && option->kind != BW_OPTION_FLAG && *index + 1 < argc && argv[*index + 1][0] != '-') {
            *index += 1;
            value = argv[*index];
        }
        arguments->given[arguments->given_count++] = option;
        return bw_option_set(target, option, value, error);
    }
    option = strncmp(name, "no-", 3) == 0 ? find_option(command, name + 3, targets, &target) : NULL;
    if (!option) {
        return fail_unknown_option(command, name, error);
    }
    if (option->kind != BW_OPTION_FLAG) {
        return cli_fail(error, BW_ERR_USAGE,
                        "--%s takes a value and so cannot be negated; leave it out for the default", name + 3);
    }
    arguments->given[arguments->given_count++] = option;
    return equals ? cli_fail(error, BW_ERR_USAGE, "--%s takes no value", name)
                  : bw_option_set(target, option, "false", error);
}

/* "-o DIR", "-oDIR", "-o=DIR" and "-h".  *index: of the argument; moves past a value that stands apart. */
static bw_result set_short(const cli_command *command, int argc, char **argv, int *index, void *const *targets,
                           bw_error *error) {
    const char *argument = argv[*index];
    void *target = NULL;
    if (strcmp(argument, "-h") == 0) {
        const bw_option *help = find_option(command, "help", targets, &target);
        return bw_option_set(target, help, NULL, error);
    }
    const bw_option *out = argument[1] == 'o' ? find_option(command, "out", targets, &target) : NULL;
    if (!out) {
        return cli_fail(error, BW_ERR_USAGE, "%s has no option %s; \"bakewell help %s\" lists them", command->name,
                        argument, command->name);
    }
    if (argument[2]) {
        return bw_option_set(target, out, argument + 2 + (argument[2] == '='), error);
    }
    if (*index + 1 == argc) {
        return cli_fail(error, BW_ERR_USAGE, "-o needs a folder: -o DIR");
    }
    *index += 1;
    return bw_option_set(target, out, argv[*index], error);
}

bw_result cli_parse(const cli_command *command, int argc, char **argv, void *const *targets, cli_arguments *arguments,
                    bw_error *error) {
    *arguments = (cli_arguments){.paths = malloc(((size_t)argc + 1) * sizeof(*arguments->paths)),
                                 .given = malloc(((size_t)argc + 1) * sizeof(*arguments->given))};
    if (!arguments->paths || !arguments->given) {
        return cli_fail(error, BW_ERR_MEMORY, "the system refused memory for %d arguments", argc);
    }
    bool options_ended = false;
    for (int i = 0; i < argc; i++) {
        bw_result result = BW_OK;
        if (options_ended || argv[i][0] != '-' || argv[i][1] == 0) {
            arguments->paths[arguments->path_count++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            options_ended = true;
        } else if (argv[i][1] == '-') {
            result = set_long(command, argc, argv, &i, targets, arguments, error);
        } else {
            result = set_short(command, argc, argv, &i, targets, error);
        }
        if (result != BW_OK) {
            return result;
        }
    }
    return BW_OK;
}

void cli_parse_free(const cli_command *command, void *const *targets, cli_arguments *arguments) {
    for (int t = 0; t < CLI_TABLE_MAX && command->tables[t]; t++) {
        bw_options_free(command->tables[t](), targets[t]);
    }
    free(arguments->paths);
    free(arguments->given);
    *arguments = (cli_arguments){0};
}
