/* SPDX-License-Identifier: MIT
 * Files: mapped reading, and sets of outputs that appear whole or not at all. */
#ifndef BWI_BASE_FILE_H
#define BWI_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bakewell/result.h"
#include "base/hash.h"
#include "base/mem.h"

/* A whole file, mapped read-only (or read, where it cannot be mapped: pipes, /dev/stdin).  An empty file: BW_ERR_EMPTY. */
typedef struct bwi_map {
    const uint8_t *data;
    size_t size;
    bwi_mem *mem; /* NULL while mapped */
} bwi_map;
/* Err: FILE_MISSING, FILE_IS_FOLDER, FILE_READ, EMPTY, MEMORY.  A mapped file does not count against mem. */
bw_result bwi_map_open(bwi_map *map, const char *path, bwi_mem *mem, bw_error *error);
void bwi_map_close(bwi_map *map); /* {0}-safe */

/* Parts of a path, pure text.  '/' separates. */
const char *bwi_path_basename(const char *path);                                        /* points into path */
char *bwi_path_folder(bwi_arena *arena, const char *path);                              /* "a/b.c" gives "a", "b.c" gives "." */
char *bwi_path_join(bwi_arena *arena, const char *folder, const char *name);
char *bwi_path_stem(bwi_arena *arena, const char *path);                                /* "a/b.c" gives "b" */
/* True if a relative path stays below its folder: not absolute, no ".." component, no empty or NUL parts, no drive or scheme. */
bool bwi_path_is_below(const char *relative);
/* True if both name the same existing file (device and inode). */
bool bwi_path_same_file(const char *a, const char *b);
/* The way from a folder to a file, "../anims/walk.glb"; both folders must exist.  Err: FILE_MISSING, MEMORY. */
bw_result bwi_path_relative(const char **relative, bwi_arena *arena, const char *folder, const char *file, bw_error *error);
/* The files, not folders, whose path matches: '*' and '?' stand for any characters of one part, a leading dot excepted; sorted by their bytes.
 * Out: paths — in the arena, none if nothing matches.  In: folder — taken as it is, before the pattern; NULL: none.  Err: FILE_READ, MEMORY. */
typedef struct bwi_path_list { const char **data; size_t count; } bwi_path_list;
bw_result bwi_path_glob(bwi_path_list *paths, bwi_arena *arena, const char *folder, const char *pattern, bw_error *error);

/* Runs `command` by sh, with the path as $1, no input, and its standard output on standard error.  Err: FILE_WRITE unless it ends with status 0. */
bw_result bwi_run_command(const char *command, const char *path, bw_error *error);

/* A set of output files of one folder.  They are written in a dotted, locked folder beside the final names, under their final file names, so
 * that what was written can be opened and checked before anything appears; commit renames them one by one, in the order added, the manifest
 * last.  A file whose bytes are already there is left alone, time stamp and all.  Folders left by killed runs are removed by bwi_outputs_begin. */
typedef struct bwi_outputs bwi_outputs;
/* In: folder — made if missing (and removed again by abort if it was); name — the set's name ("hero_vat"), part of the dotted folder's name.
 * Err: FILE_WRITE, MEMORY. */
bw_result bwi_outputs_begin(bwi_outputs **outputs, const char *folder, const char *name, bwi_mem *mem, bw_error *error);
/* Removes what killed runs of a set left, without beginning it. */
void bwi_outputs_sweep(const char *folder, const char *name, bwi_mem *mem);
/* Refuses an output named `file_name` that is the same file as `input_path`.  Err: OVERWRITES_INPUT. */
bw_result bwi_outputs_guard(const bwi_outputs *outputs, const char *file_name, const char *input_path, bw_error *error);
/* Adds a file and opens it for writing; role and file_name are copied; a name twice is BW_ERR_USAGE. */
bw_result bwi_outputs_open(bwi_outputs *outputs, FILE **file, const char *file_name, const char *role, bw_error *error);
/* Flushes and closes the file opened last, checks every write, hashes what is on disk.  Err: FILE_WRITE (a full disk is named). */
bw_result bwi_outputs_close(bwi_outputs *outputs, bw_error *error);
/* Replaces a file of the set that was closed: opens it again, empty. */
bw_result bwi_outputs_reopen(bwi_outputs *outputs, FILE **file, const char *file_name, bw_error *error);
/* Where a file of the set stands now: the dotted folder; after commit the final folder. */
const char *bwi_outputs_folder(const bwi_outputs *outputs);
typedef struct bwi_output { const char *file_name, *role; uint64_t size; bwi_hash128 hash; bool changed; } bwi_output;
size_t bwi_outputs_count(const bwi_outputs *outputs);
const bwi_output *bwi_outputs_get(const bwi_outputs *outputs, size_t index); /* `changed` is known after commit */
/* What to do before a read-only file is replaced (version control marks files so): run `command`, kept by pointer, by bwi_run_command.
 * NULL, the default: refuse. */
void bwi_outputs_before_write(bwi_outputs *outputs, const char *command);
/* Makes the set appear.  A file that would change and is read-only is dealt with before any is renamed.  Err: FILE_WRITE; files renamed before the failure stay, the manifest (last) then still names the old ones. */
bw_result bwi_outputs_commit(bwi_outputs *outputs, bw_error *error);
/* Ends the set; without a commit nothing has changed.  NULL-safe. */
void bwi_outputs_end(bwi_outputs *outputs);

#endif
