/* SPDX-License-Identifier: MIT
 * Writes the made assets that the demo and the tests use: `make_assets DIR [NAME…]`, `make_assets --list`.  The same names give the same bytes
 * on every machine. */
#define _POSIX_C_SOURCE 200809L
#include "assets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PARAMETER_MAX 3

static const struct asset {
    const char *name;       /* "grid" takes "grid-7-3-30" */
    const char *parameters; /* as shown */
    unsigned parameter_count;
    double largest; /* of every parameter; all are > 0 */
    asset_fn make;
    const char *about;
} assets[] = {
    {"hero", "", 0, 0, make_hero, "skinned figure with morphs, a sword and five clips"},
    {"scout", "", 0, 0, make_scout, "skinned figure with a sword and five clips, which bones show as it is"},
    {"crates", "", 0, 0, make_crates, "boxes moved by nodes, one mirrored, one stepped"},
    {"flag", "", 0, 0, make_flag, "cloth moved by morph targets alone"},
    {"rest", "", 0, 0, make_rest, "vase without a clip"},
    {"fracture_nodes", "", 0, 0, make_fracture_nodes, "block of 64 pieces, each a node"},
    {"fracture_skin", "", 0, 0, make_fracture_skin, "the same, each a joint"},
    {"fracture_baked", "", 0, 0, make_fracture_baked, "the same, a morph target a frame"},
    {"head", "", 0, 0, make_head, "scalp with UVs"},
    {"hair", "", 0, 0, make_hair, "groom for the head, with faults"},
    {"wind_hair", "", 0, 0, make_wind_hair, "the same groom in the wind, an Alembic file of 33 frames"},
    {"tree", "", 0, 0, make_tree, "tree of 2,413 nodes: trunk, branches, twigs, leaves"},
    {"bush", "", 0, 0, make_bush, "the same as one mesh of bark and one of leaves"},
    {"tree", "-BRANCHES-TWIGS-LEAVES", 3, 1e3, make_tree_of,
     "the tree with so many branches, twigs a branch, leaves a twig"},
    {"bush", "-BRANCHES-TWIGS-LEAVES", 3, 1e3, make_bush_of, "the bush alike"},
    {"grid", "-V-KEYS-FPS", 3, 1e6, make_grid, "V vertices, one clip of KEYS keys"},
    {"length", "-V-SECONDS", 2, 1e6, make_length, "V vertices, one clip of two keys, SECONDS long"},
    {"clips", "-V-N", 2, 1e4, make_clips, "V vertices, N short clips"},
    {"zero", "-V", 1, 1e6, make_zero, "V vertices, one clip of one key"},
    {"walker", "-V-METRES-SECONDS", 3, 1e6, make_walker, "V vertices with 1 cm detail that travel far"},
};
#define ASSET_COUNT (sizeof assets / sizeof *assets)

static void list(void) {
    for (size_t i = 0; i < ASSET_COUNT; i++)
        printf("%s%s\t%s\n", assets[i].name, assets[i].parameters, assets[i].about);
    const char *about, *name;
    for (unsigned k = 0; (name = bad_name(k, &about)); k++)
        printf("%s\t%s\n", name, about);
}

/* The numbers in "-7-3-30"; false unless there are exactly as many as the asset takes, each in (0, largest]. */
static bool read_parameters(double parameters[PARAMETER_MAX], const char *text, const struct asset *asset) {
    for (unsigned k = 0; k < asset->parameter_count; k++) {
        if (text[0] != '-' || text[1] < '0' || text[1] > '9')
            return false;
        char *end;
        parameters[k] = strtod(text + 1, &end);
        if (!(parameters[k] > 0 && parameters[k] <= asset->largest))
            return false;
        text = end;
    }
    return *text == 0;
}

static bool make(const char *folder, const char *name) {
    const char *about, *bad;
    for (unsigned k = 0; (bad = bad_name(k, &about)); k++) {
        if (strcmp(bad, name) == 0) {
            make_bad(folder, name, NULL);
            return true;
        }
    }
    for (size_t i = 0; i < ASSET_COUNT; i++) {
        double parameters[PARAMETER_MAX];
        size_t size = strlen(assets[i].name);
        if (strncmp(name, assets[i].name, size) == 0 && read_parameters(parameters, name + size, &assets[i])) {
            assets[i].make(folder, name, parameters);
            return true;
        }
    }
    fprintf(stderr, "make_assets: no asset is called \"%s\"; --list shows them\n", name);
    return false;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list();
        return 0;
    }
    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: make_assets DIR [NAME...] | make_assets --list\n");
        return 2;
    }
    if (mkdir(argv[1], 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "make_assets: cannot make the folder %s: %s\n", argv[1], strerror(errno));
        return 3;
    }
    static char *const demo[] = {"hero", "scout", "crates", "flag", "rest"};
    char *const *names = argc > 2 ? argv + 2 : demo;
    int count = argc > 2 ? argc - 2 : (int)(sizeof demo / sizeof *demo);
    for (int i = 0; i < count; i++)
        if (!make(argv[1], names[i]))
            return 2;
    return 0;
}
