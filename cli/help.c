/* SPDX-License-Identifier: MIT
 * Help texts, made from the tables of commands and options. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

void cli_print_help(void) {
    printf("Bakewell %s turns animated geometry into data that a GPU plays back by itself.\n\n"
           "usage: bakewell COMMAND [ARGUMENT...] [OPTION...]\n       bakewell --version\n\ncommands:\n",
           bw_version());
    for (const cli_command *command = cli_commands; command->name; command++) {
        printf("  %-8s%s\n", command->name, command->summary);
    }
    printf("\n\"bakewell help COMMAND\" prints the options of a command.\n\n"
           "exit status: 0 yes; 1 the answer is no (a bound missed, files that differ, some of many inputs failed); 2 "
           "usage;\n"
           "3 a file missing, unreadable or unwritable; 4 malformed input or nothing to bake; 5 unsupported; 6 a size "
           "or memory\n"
           "limit; 7 cancelled; 8 a bug in Bakewell.\n\n"
           "example:\n  bakewell vat hero.glb -o out\n");
}

/* "a|b|c" as "a, b or c". */
static void print_choices(const char *choices) {
    for (const char *c = choices; *c; c++) {
        if (*c == '|') {
            printf("%s", strchr(c + 1, '|') ? ", " : " or ");
        } else {
            (void)putchar(*c);
        }
    }
}

static void print_option(const bw_option *option) {
    enum { HELP_COLUMN = 26 };
    char flag[CLI_TEXT_SIZE];
    int size = snprintf(flag, sizeof(flag), "--%s", option->key);
    for (char *c = flag; *c; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    if (option->metavar) {
        (void)snprintf(flag + size, sizeof(flag) - (size_t)size, "=%s", option->metavar);
    }
    printf("  %-*s%s\n", HELP_COLUMN - 2, flag, option->help);
    bool ranged = option->kind == BW_OPTION_UINT || option->kind == BW_OPTION_REAL;
    if (!option->choices && !option->preset && !ranged) {
        return;
    }
    printf("%*s", HELP_COLUMN, "");
    if (option->choices) {
        print_choices(option->choices);
    } else if (ranged) {
        printf("%.10g to %.10g", option->min, option->max);
    }
    if (option->preset) {
        printf("%sdefault: %s", option->choices || ranged ? "; " : "", option->preset);
    }
    printf("\n");
}

void cli_print_command_help(const cli_command *command) {
    printf("usage: bakewell %s %s%s\n\n", command->name, command->arguments, command->tables[0] ? " [OPTION...]" : "");
    if (command->text) {
        printf("%s\n\n", command->text);
    }
    for (int t = 0; t < CLI_TABLE_MAX && command->tables[t]; t++) {
        bw_option_list table = command->tables[t]();
        printf("%s", t == 0 ? "options:\n" : "");
        for (size_t i = 0; i < table.count; i++) {
            print_option(&table.data[i]);
        }
    }
    printf("%sexample:\n  %s\n", command->tables[0] ? "\n" : "", command->example);
}
