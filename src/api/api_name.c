/* SPDX-License-Identifier: MIT
 * The name that the outputs of a bake begin with. */
#include <string.h>

#include "api/api_priv.h"
#include "base/file.h"

/* A name that every file system takes, that a manifest can hold, and that a terminal may show. */
static bool is_plain_name(const char *name) {
    enum { LONGEST = 200 };
    bool plain =
        bwi_path_is_below(name) && !strchr(name, '/') && name[0] != '.' && strlen(name) <= LONGEST && bwi_is_utf8(name);
    for (const char *c = name; plain && *c; ++c)
        plain = (unsigned char)*c >= 0x20 && *c != 0x7F;
    return plain;
}

bw_result bwi_output_name(const char **name, bwi_arena *arena, const char *given, const char *scene_path,
                          bw_error *error) {
    if (!given && !scene_path)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "there is no file that outputs could be named after; give a name in the options");
    *name = given ? given : bwi_path_stem(arena, scene_path);
    if (!*name)
        return bwi_fail_memory(error, scene_path, bwi_arena_mem(arena), 0);
    if (is_plain_name(*name))
        return BW_OK;
    if (given)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--name=%.64s is no plain file name; give up to 200 letters, digits, '-' and '_'", given);
    return bwi_fail(error, BW_ERR_USAGE, scene_path, -1,
                    "outputs cannot be named after it: it is no plain file name of up to 200 bytes; give one with "
                    "--name");
}
