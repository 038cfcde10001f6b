/* SPDX-License-Identifier: MIT
 * Patterns against what is on disk, and the way from one folder to another. */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

static char start[1024];

static void touch(const char *path) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fclose(file);
}

static int set_up(void **state) {
    char folder[] = "/tmp/bakewell-glob-XXXXXX";
    if (!getcwd(start, sizeof start) || !mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    const char *const folders[] = {"a", "a/clips", "a/clips/folder.glb", "b", "[x]", "s*r"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        mkdir(folders[k], 0777);
    const char *const files[] = {"a/hero.glb",     "a/clips/walk.glb", "a/clips/Run.glb", "a/clips/run2.glb",
                                 "a/clips/.x.glb", "a/clips/run.gltf", "b/walk.glb",      "[x]/walk.glb",
                                 "s*r/walk.glb",   "a/c[1].glb",       "a/c1.glb",        "a/back\\slash.glb"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        touch(files[k]);
    *state = strdup(folder);
    return *state ? 0 : 1;
}

static int tear_down(void **state) {
    char command[128];
    int moved = chdir(start);
    snprintf(command, sizeof command, "rm -r '%s'", (const char *)*state);
    free(*state);
    return moved || system(command);
}

static void expect(const char *folder, const char *pattern, const char *joined) {
    bwi_arena *arena = bwi_arena_create_owning(0);
    bwi_path_list paths;
    char text[1024] = "";
    assert_int_equal(bwi_path_glob(&paths, arena, folder, pattern, NULL), BW_OK);
    for (size_t k = 0; k < paths.count; k++) {
        strcat(text, k ? " " : "");
        strcat(text, paths.data[k]);
    }
    assert_string_equal(text, joined);
    bwi_arena_free(arena);
}

static void patterns(void **state) {
    (void)state;
    expect(NULL, "a/clips/*.glb",
           "a/clips/Run.glb a/clips/run2.glb a/clips/walk.glb"); /* neither folders nor dotted files */
    expect(NULL, "a/clips/run?.glb", "a/clips/run2.glb");
    expect(NULL, "*/walk.glb", "[x]/walk.glb b/walk.glb s*r/walk.glb");
    expect(NULL, "a/*.fbx", "");
    expect(NULL, "none/*.glb", "");
    expect("a/clips", "*.gltf", "a/clips/run.gltf");
    expect(".", "a/h*.glb", "a/hero.glb");
}

static void only_two_wildcards(void **state) {
    (void)state;
    expect(NULL, "a/c[1]*", "a/c[1].glb"); /* brackets are taken as they are */
    expect(NULL, "a/back\\*", "a/back\\slash.glb");
    expect("s*r", "*.glb", "s*r/walk.glb"); /* and in a folder everything is */
    expect("[x]", "*.glb", "[x]/walk.glb");
}

static void expect_way(const char *folder, const char *file, const char *way) {
    bwi_arena *arena = bwi_arena_create_owning(0);
    const char *found = NULL;
    assert_int_equal(bwi_path_relative(&found, arena, folder, file, NULL), BW_OK);
    assert_string_equal(found, way);
    bwi_arena_free(arena);
}

static void ways(void **state) {
    char whole[128];
    snprintf(whole, sizeof whole, "%s/a/clips", (const char *)*state);
    expect_way("a", "a/clips/walk.glb", "clips/walk.glb");
    expect_way("a/clips", "b/walk.glb", "../../b/walk.glb");
    expect_way("a", "./a/../a/hero.glb", "hero.glb");
    expect_way(".", "b/walk.glb", "b/walk.glb");
    expect_way(whole, "a/hero.glb", "../hero.glb"); /* one from the root, one from here */
    expect_way("/", "/etc/passwd", "etc/passwd");
    bwi_arena *arena = bwi_arena_create_owning(0);
    bw_error error;
    const char *untouched = "untouched";
    assert_int_equal(bwi_path_relative(&untouched, arena, "a", "none/walk.glb", &error), BW_ERR_FILE_MISSING);
    assert_non_null(strstr(error.message, "none"));
    assert_string_equal(untouched, "untouched");
    bwi_arena_free(arena);
}

static void memory_runs_out(void **state) {
    (void)state;
    for (int64_t k = 0;; k++) {
        bwi_mem mem;
        bwi_mem_init(&mem, 0);
        bwi_arena *arena = bwi_arena_create(&mem);
        mem.fail_after = k;
        bwi_path_list paths;
        bw_result result = bwi_path_glob(&paths, arena, "a", "*", NULL);
        const char *way;
        if (result == BW_OK)
            result = bwi_path_relative(&way, arena, "a/clips", "b/walk.glb", NULL);
        bwi_arena_free(arena);
        if (result == BW_OK) {
            assert_true(k > 0);
            return;
        }
        assert_int_equal(result, BW_ERR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(patterns), cmocka_unit_test(only_two_wildcards),
                                       cmocka_unit_test(ways), cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
