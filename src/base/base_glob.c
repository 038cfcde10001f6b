/* SPDX-License-Identifier: MIT
 * Paths that depend on what is on disk: patterns, and the way from one folder to another. */
#define _XOPEN_SOURCE 700
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"

/* Appends text for glob(), with what it would take for a pattern escaped. */
static char *append_escaped(char *out, const char *text, const char *special) {
    for (; *text; text++) {
        if (strchr(special, *text)) {
            *out++ = '\\';
        }
        *out++ = *text;
    }
    return out;
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

static bw_result keep_files(bwi_path_list *paths, bwi_arena *arena, const glob_t *found, bw_error *error) {
    const char **data = bwi_arena_alloc(arena, found->gl_pathc, sizeof(*data));
    if (!data) {
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), found->gl_pathc * sizeof(*data));
    }
    size_t count = 0;
    for (size_t i = 0; i < found->gl_pathc; i++) {
        if (!is_file(found->gl_pathv[i])) {
            continue;
        }
        data[count] = bwi_arena_string(arena, found->gl_pathv[i], SIZE_MAX);
        if (!data[count++]) {
            return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), strlen(found->gl_pathv[i]));
        }
    }
    qsort(data, count, sizeof(*data), compare_paths);
    *paths = (bwi_path_list){data, count};
    return BW_OK;
}

bw_result bwi_path_glob(bwi_path_list *paths, bwi_arena *arena, const char *folder, const char *pattern,
                        bw_error *error) {
    const bool joins = folder && strcmp(folder, ".") != 0;
    const size_t longest = 2 * ((joins ? strlen(folder) : 0) + strlen(pattern)) + 2;
    char *text = bwi_arena_alloc(arena, longest, 1);
    if (!text) {
        return bwi_fail_memory(error, pattern, bwi_arena_mem(arena), longest);
    }
    char *end = text;
    if (joins) {
        end = append_escaped(end, folder, "\\*?[");
        *end++ = '/';
    }
    *append_escaped(end, pattern, "\\[") = 0;
    glob_t found = {0};
    bw_result result;
    switch (glob(text, GLOB_NOSORT, NULL, &found)) {
    case 0:
        result = keep_files(paths, arena, &found, error);
        break;
    case GLOB_NOMATCH:
        *paths = (bwi_path_list){NULL, 0};
        result = BW_OK;
        break;
    case GLOB_NOSPACE:
        result = bwi_fail_memory(error, pattern, bwi_arena_mem(arena), 0);
        break;
    default:
        result = bwi_fail(error, BW_ERR_FILE_READ, pattern, -1,
                          "a folder of the pattern could not be read; check its permissions");
    }
    globfree(&found);
    return result;
}

/* In: path — a real path, with room for one more character. */
static void end_in_slash(char *path) {
    const size_t length = strlen(path);
    if (length > 1)
        memcpy(path + length, "/", 2);
}

bw_result bwi_path_relative(const char **relative, bwi_arena *arena, const char *folder, const char *file,
                            bw_error *error) {
    char *from = bwi_arena_alloc(arena, PATH_MAX + 2, 1), *to = bwi_arena_alloc(arena, PATH_MAX + 2, 1);
    const char *file_folder = bwi_path_folder(arena, file);
    if (!from || !to || !file_folder) {
        return bwi_fail_memory(error, file, bwi_arena_mem(arena), 2 * PATH_MAX);
    }
    if (!realpath(folder, from) || !realpath(file_folder, to)) {
        return bwi_fail(error, BW_ERR_FILE_MISSING, file, -1, "there is no such file; check the path");
    }
    /* Both end in '/', so that a shared beginning ends between two parts. */
    end_in_slash(from);
    end_in_slash(to);
    size_t shared = 0;
    for (size_t k = 0; from[k] && from[k] == to[k]; k++) {
        shared = from[k] == '/' ? k + 1 : shared;
    }
    const char *up = "";
    for (const char *c = from + shared; up && *c; c++) {
        up = *c == '/' ? bwi_arena_printf(arena, "../%s", up) : up;
    }
    const char *path = up ? bwi_arena_printf(arena, "%s%s%s", up, to + shared, bwi_path_basename(file)) : NULL;
    if (!path) {
        return bwi_fail_memory(error, file, bwi_arena_mem(arena), PATH_MAX);
    }
    *relative = path;
    return BW_OK;
}
