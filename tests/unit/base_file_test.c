/* SPDX-License-Identifier: MIT
 * Mapped reading of files, pipes and what is neither; the parts of a path. */
#define _POSIX_C_SOURCE 200809L

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static char folder[64];
static bwi_mem mem;

static int make_folder(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/bakewell-file-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

static int fresh_mem(void **state) {
    (void)state;
    bwi_mem_init(&mem, 1 << 20);
    return 0;
}

static int mem_is_empty(void **state) {
    (void)state;
    return mem.used == 0 ? 0 : -1;
}

static const char *path_of(const char *name) {
    static char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void files_are_mapped_whole(void **state) {
    (void)state;
    const char *path = path_of("plain");
    write_file(path, "ab\0cd", 5);
    bwi_map map;
    assert_int_equal(bwi_map_open(&map, path, &mem, NULL), BW_OK);
    assert_int_equal(map.size, 5);
    assert_memory_equal(map.data, "ab\0cd", 5);
    assert_null(map.mem);
    assert_int_equal(mem.used, 0);
    bwi_map_close(&map);
    assert_null(map.data);
    bwi_map_close(&map);
}

static void assert_refused(const char *path, bw_result expected, const char *part) {
    bwi_map map = {(const uint8_t *)path, 3, NULL};
    bw_error error;
    assert_int_equal(bwi_map_open(&map, path, &mem, &error), expected);
    assert_ptr_equal(map.data, path);
    assert_string_equal(error.path, path);
    assert_non_null(strstr(error.message, part));
    assert_int_equal(bwi_map_open(&map, path, &mem, NULL), expected);
}

static void what_is_no_file_is_refused(void **state) {
    (void)state;
    assert_refused(path_of("missing"), BW_ERR_FILE_MISSING, "no such file");
    write_file(path_of("file"), "x", 1);
    assert_refused(path_of("file/below"), BW_ERR_FILE_MISSING, "no such file");
    assert_refused(folder, BW_ERR_FILE_IS_FOLDER, "folder");
    write_file(path_of("empty"), "", 0);
    assert_refused(path_of("empty"), BW_ERR_EMPTY, "empty");
    assert_refused("/dev/null", BW_ERR_EMPTY, "empty");
    assert_refused("", BW_ERR_FILE_MISSING, "no such file");
    char loop[256];
    (void)snprintf(loop, sizeof(loop), "%s", path_of("loop"));
    assert_int_equal(symlink(loop, loop), 0);
    assert_refused(loop, BW_ERR_FILE_READ, "cannot be read");
    /* Its first page is never mapped, so reading fails for root too. */
    assert_refused("/proc/self/mem", BW_ERR_FILE_READ, "cannot be read");
}

enum { PIPE_BYTES = 300000 };

static void *feed_pipe(void *path) {
    FILE *file = fopen(path, "wb");
    for (int i = 0; file && i < PIPE_BYTES; i++) {
        (void)fputc(i % 251, file);
    }
    if (file) {
        (void)fclose(file);
    }
    return NULL;
}

static void read_pipe(const char *name, bwi_map *map, bw_result expected) {
    char path[256];
    (void)snprintf(path, sizeof(path), "%s", path_of(name));
    assert_int_equal(mkfifo(path, 0600), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, feed_pipe, path), 0);
    bw_error error;
    assert_int_equal(bwi_map_open(map, path, &mem, &error), expected);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void pipes_are_read_under_the_budget(void **state) {
    (void)state;
    bwi_map map;
    read_pipe("pipe", &map, BW_OK);
    assert_int_equal(map.size, PIPE_BYTES);
    for (size_t i = 0; i < PIPE_BYTES; i++) {
        assert_int_equal(map.data[i], i % 251);
    }
    assert_true(mem.used >= PIPE_BYTES);
    bwi_map_close(&map);
    assert_int_equal(mem.used, 0);
    /* A file of /proc claims 0 bytes and has more. */
    assert_int_equal(bwi_map_open(&map, "/proc/self/status", &mem, NULL), BW_OK);
    assert_memory_equal(map.data, "Name:", 5);
    bwi_map_close(&map);
    /* An endless one ends at the limit. */
    assert_refused("/dev/zero", BW_ERR_MEMORY, "memory limit");
}

static void parts_of_paths(void **state) {
    (void)state;
    bwi_arena *arena = bwi_arena_create(&mem);
    static const struct {
        const char *path, *basename, *folder, *stem;
    } CASES[] = {
        {"a/b.c", "b.c", "a", "b"},    {"b.c", "b.c", ".", "b"},
        {"/b", "b", "/", "b"},         {"/x/y/b.tar.gz", "b.tar.gz", "/x/y", "b.tar"},
        {"a/", "", "a", ""},           {".hidden", ".hidden", ".", ".hidden"},
        {"a.b/c", "c", "a.b", "c"},    {"", "", ".", ""},
        {"a/.x.y", ".x.y", "a", ".x"},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        assert_string_equal(bwi_path_basename(CASES[i].path), CASES[i].basename);
        assert_string_equal(bwi_path_folder(arena, CASES[i].path), CASES[i].folder);
        assert_string_equal(bwi_path_stem(arena, CASES[i].path), CASES[i].stem);
    }
    assert_string_equal(bwi_path_join(arena, "a", "b"), "a/b");
    assert_string_equal(bwi_path_join(arena, "a/", "b"), "a/b");
    assert_string_equal(bwi_path_join(arena, ".", "b"), "b");
    assert_string_equal(bwi_path_join(arena, "", "b"), "b");
    assert_string_equal(bwi_path_join(arena, "/", "b"), "/b");
    bwi_arena_free(arena);
}

static void paths_that_leave_their_folder_are_told(void **state) {
    (void)state;
    static const char *const BELOW[] = {"a", "a/b.bin", "a/./b", "...", "..a/b", "a/b:c", ".hidden"};
    for (size_t i = 0; i < sizeof(BELOW) / sizeof(BELOW[0]); i++) {
        assert_true(bwi_path_is_below(BELOW[i]));
    }
    static const char *const ABOVE[] = {"",           "/",      "/a",     "..",       "../a", "a/..",
                                        "a/../b",     "a//b",   "a/",     "//host/a", "c:/a", "C:a",
                                        "http://a/b", "file:a", "data:x", "a\\..\\b", "\\a"};
    for (size_t i = 0; i < sizeof(ABOVE) / sizeof(ABOVE[0]); i++) {
        assert_false(bwi_path_is_below(ABOVE[i]));
    }
}

static void same_files_are_told_through_links(void **state) {
    (void)state;
    char original[256];
    (void)snprintf(original, sizeof(original), "%s", path_of("original"));
    write_file(original, "x", 1);
    assert_int_equal(symlink(original, path_of("soft")), 0);
    assert_int_equal(link(original, path_of("hard")), 0);
    write_file(path_of("other"), "x", 1);
    assert_true(bwi_path_same_file(original, original));
    assert_true(bwi_path_same_file(original, path_of("soft")));
    assert_true(bwi_path_same_file(path_of("hard"), original));
    assert_true(bwi_path_same_file(original, path_of("./original")));
    assert_false(bwi_path_same_file(original, path_of("other")));
    assert_false(bwi_path_same_file(path_of("absent"), path_of("absent")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_are_mapped_whole, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(pipes_are_read_under_the_budget, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(parts_of_paths, fresh_mem, mem_is_empty),
        cmocka_unit_test(paths_that_leave_their_folder_are_told),
        cmocka_unit_test(same_files_are_told_through_links),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
