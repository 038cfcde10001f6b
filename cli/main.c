/* SPDX-License-Identifier: MIT
 * The program: the table of commands, and which one is run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

const cli_command cli_commands[] = {
    {"info",
     "FILE",
     "say what a scene file, an archive, an image or a bake holds",
     "Of a scene (glTF 2.0: .glb or .gltf): meshes, skins, morph targets, clips with their times and key rate, parts "
     "that\n"
     "ride on joints, and what is unusual about the file.  Of Alembic (.abc): the exporter, the times of samples, and "
     "all\n"
     "objects with their schemas and properties.  Of an image (.exr, .png, .tga): whether it is a Pivot Painter "
     "texture of\n"
     "any tool, its elements, depths and roots, and what the stock functions would trip over.  Of cyHair (.hair): "
     "strands,\n"
     "points, arrays and defaults; what an engine makes of hair says \"bakewell groom\".  Of a bake's manifest: mode, "
     "format,\n"
     "engine, textures with their sizes, bones, clips and the errors that were measured.",
     "bakewell info hero.glb",
     {bw_info_options, bw_run_options, cli_common_options},
     cmd_info},
    {"vat",
     "SCENE... -o DIR",
     "bake vertex animation textures",
     "Bakes every clip into textures that hold each frame, and a mesh that reads them; then decodes what it wrote, "
     "compares\n"
     "it with the source, and prints the error.  Textures hold bones, rigid pieces or vertices, whatever takes the "
     "least "
     "memory\n"
     "within --max-error; --dry-run shows the choice.  Writes NAME_vat.glb, NAME_vat_pos.png (or _bones and _weights; "
     ".png "
     "or the\n"
     "format asked for) and NAME_vat.json, the manifest.  Where input, options and version are those of the files that "
     "are\n"
     "there, nothing is done.\n"
     "\n"
     "SCENE is a file or a folder: every .glb, .gltf and .abc in it and below is baked, but outputs, levels and hidden "
     "ones,\n"
     "and DIR gets the same folders.  Several are baked at once; what fails stops no other, and is listed at the end\n"
     "(status 1).  "
     "With --jobs, SCENE and DIR stand in the job file.  --watch ends with status 0 when a signal ends it.",
     "bakewell vat hero.glb -o out --clip=Run --fps=60",
     {cli_out_options, cli_many_options, bw_vat_options, bw_write_options, bw_run_options, cli_common_options},
     cmd_vat},
    {"pivot",
     "SCENE -o DIR",
     "bake a tree to Pivot Painter 2 textures",
     "Finds the elements of a tree (trunk, branches, twigs, leaves) and what each grows from, and writes two small "
     "textures\n"
     "that a wind shader reads: pivots and parents, axes and lengths; with the mesh whose UV set points at them.  Then "
     "reads\n"
     "the files back and checks every element.  Parents come from nodes or joints; in a mesh of loose parts they are "
     "guessed,\n"
     "with a confidence, and --override corrects them.  Writes NAME_pivot.glb, NAME_pivot_pos.exr, "
     "NAME_pivot_axis.png and\n"
     "NAME_pivot.json, the manifest.",
     "bakewell pivot tree.glb -o out",
     {cli_out_options, bw_pivot_options, bw_write_options, bw_run_options, cli_common_options},
     cmd_pivot},
    {"verify",
     "MANIFEST",
     "decode what a bake left on disk, compare, report",
     "Checks sizes, hashes, bounds, texture coordinates and vertex order of a bake's files against their manifest; "
     "with\n"
     "--against, decodes every frame and measures its distance from the source.  OpenVAT's NAME-remap_info.json is "
     "taken\n"
     "too: what OpenVAT made is checked against its format.",
     "bakewell verify out/hero_vat.json --against=hero.glb --max-error=0.1mm",
     {bw_verify_options, bw_run_options, cli_common_options},
     cmd_verify},
    {"groom",
     "FILE [-o OUT]",
     "check hair for an engine; with -o repair, complete and write it",
     "Says what an engine's importer makes of a groom: strands, guides, groups, which attributes it uses and why it "
     "ignores\n"
     "the others, what it would refuse or crash on; status 1 if it would fail.  With -o the groom is repaired "
     "(transforms and\n"
     "axes baked, splines evaluated, bad strands dropped, attributes brought to the schema), completed (widths, root "
     "UVs,\n"
     "guides, closest guides) and written; every change is printed.  FILE is Alembic, cyHair (.hair) or the lines of a "
     "glTF;\n"
     "OUT ends in .abc, .glb, .hair or .usda, or is a folder with --split-by.",
     "bakewell groom hair.abc -o out/fixed.abc",
     {cli_out_options, bw_groom_options, bw_write_options, bw_run_options, cli_common_options},
     cmd_groom},
    {"help", "[COMMAND]", "print help, of the program or of one command", NULL, "bakewell help vat", {NULL}, cmd_help},
    {NULL, NULL, NULL, NULL, NULL, {NULL}, NULL},
};

const cli_command *cli_find_command(const char *name) {
    for (const cli_command *command = cli_commands; command->name; command++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

static bw_result fail_unknown_command(const char *name, bw_error *error) {
    const char *names[sizeof(cli_commands) / sizeof(cli_commands[0])];
    size_t count = 0;
    while (cli_commands[count].name) {
        names[count] = cli_commands[count].name;
        count++;
    }
    const char *near = bw_nearest_name(name, names, count);
    return near ? cli_fail(error, BW_ERR_USAGE, "there is no command \"%s\"; did you mean \"bakewell %s\"?", name, near)
                : cli_fail(error, BW_ERR_USAGE, "there is no command \"%s\"; \"bakewell help\" lists them", name);
}

int cmd_help(const cli_command *command, int argc, char **argv) {
    bw_error error;
    const cli_command *wanted = argc > 0 ? cli_find_command(argv[0]) : NULL;
    if (argc > 1) {
        (void)cli_fail(&error, BW_ERR_USAGE, "help takes one command, found %d arguments: bakewell help [COMMAND]",
                       argc);
        return cli_report_failure(command->name, &error, cli_wants_json(argc, argv));
    }
    if (argc > 0 && !wanted) {
        (void)fail_unknown_command(argv[0], &error);
        return cli_report_failure(command->name, &error, cli_wants_json(argc, argv));
    }
    if (wanted) {
        cli_print_command_help(wanted);
    } else {
        cli_print_help();
    }
    return 0;
}

static int run(int argc, char **argv) {
    bw_error error;
    if (argc < 2) {
        (void)cli_fail(&error, BW_ERR_USAGE, "no command is given; \"bakewell help\" lists them");
        return cli_report_failure(NULL, &error, false);
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("bakewell %s\n", bw_version());
        return 0;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        cli_print_help();
        return 0;
    }
    const cli_command *command = cli_find_command(name);
    if (!command) {
        (void)fail_unknown_command(name, &error);
        return cli_report_failure(NULL, &error, cli_wants_json(argc - 1, argv + 1));
    }
    cli_catch_cut_file(command->name, cli_wants_json(argc - 2, argv + 2));
    return command->run(command, argc - 2, argv + 2);
}

int main(int argc, char **argv) {
    int status = run(argc, argv);
    /* What stdout did not take is lost data: a full disk must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr,
                "bakewell: error: standard output could not be written: %s; free some space or write elsewhere\n",
                strerror(errno));
        status = status ? status : bw_result_exit_status(BW_ERR_FILE_WRITE);
    }
    return status;
}
