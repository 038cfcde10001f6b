/* SPDX-License-Identifier: MIT
 * Output sets: whole or not at all, unchanged files left alone, leftovers removed, two writers at once, a full disk,
 * a kill at any moment. */
#define _GNU_SOURCE

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

static char root[64];
static bwi_mem mem;

static void run_shell(const char *format, const char *argument) {
    char command[512];
    (void)snprintf(command, sizeof(command), "%s %s", format, argument);
    assert_int_equal(system(command), 0);
}

static int make_root(void **state) {
    (void)state;
    bwi_mem_init(&mem, 1 << 20);
    (void)snprintf(root, sizeof(root), "/tmp/bakewell-outputs-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    run_shell("rm -rf", root);
    return mem.used == 0 ? 0 : -1;
}

/* In a ring, so that one expression may hold a few. */
static const char *path_of(const char *name) {
    static char paths[4][512];
    static size_t next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
    return path;
}

static void assert_file(const char *path, const char *text) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char bytes[256];
    size_t size = fread(bytes, 1, sizeof(bytes) - 1, file);
    bytes[size] = 0;
    assert_string_equal(bytes, text);
    (void)fclose(file);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* How many names a folder has that begin with `prefix`. */
static size_t count_names(const char *path, const char *prefix) {
    DIR *folder = opendir(path);
    assert_non_null(folder);
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        bool own = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        count += !own && strncmp(entry->d_name, prefix, strlen(prefix)) == 0 ? 1u : 0u;
    }
    (void)closedir(folder);
    return count;
}

static bwi_outputs *begin(const char *folder, const char *name) {
    bwi_outputs *outputs = NULL;
    bw_error error;
    if (bwi_outputs_begin(&outputs, folder, name, &mem, &error) != BW_OK) {
        fail_msg("%s", error.message);
    }
    return outputs;
}

static void add(bwi_outputs *outputs, const char *file_name, const char *text) {
    FILE *file;
    assert_int_equal(bwi_outputs_open(outputs, &file, file_name, "role", NULL), BW_OK);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(bwi_outputs_close(outputs, NULL), BW_OK);
}

static void a_set_appears_at_commit(void **state) {
    (void)state;
    bwi_outputs *outputs = begin(root, "hero_vat");
    add(outputs, "hero.bin", "bytes");
    FILE *file;
    assert_int_equal(bwi_outputs_open(outputs, &file, "empty", "nothing", NULL), BW_OK);
    assert_int_equal(bwi_outputs_close(outputs, NULL), BW_OK);
    assert_int_equal(bwi_outputs_count(outputs), 2);
    const bwi_output *first = bwi_outputs_get(outputs, 0);
    assert_string_equal(first->file_name, "hero.bin");
    assert_string_equal(first->role, "role");
    assert_int_equal(first->size, 5);
    bwi_hash128 hash = bwi_hash("bytes", 5);
    assert_memory_equal(first->hash.bytes, hash.bytes, 16);
    assert_int_equal(bwi_outputs_get(outputs, 1)->size, 0);

    char temp[512];
    (void)snprintf(temp, sizeof(temp), "%s/hero.bin", bwi_outputs_folder(outputs));
    assert_file(temp, "bytes");
    assert_non_null(strstr(temp, "/.hero_vat.bw-"));
    assert_int_equal(count_names(root, ""), 1);

    assert_int_equal(bwi_outputs_commit(outputs, NULL), BW_OK);
    assert_string_equal(bwi_outputs_folder(outputs), root);
    assert_true(bwi_outputs_get(outputs, 0)->changed && bwi_outputs_get(outputs, 1)->changed);
    assert_int_equal(count_names(root, ""), 2);
    bwi_outputs_end(outputs);
    assert_file(path_of("hero.bin"), "bytes");
    assert_file(path_of("empty"), "");
    mode_t mask = umask(0);
    (void)umask(mask);
    struct stat status;
    assert_int_equal(stat(path_of("hero.bin"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
}

static void unchanged_files_are_left_alone(void **state) {
    (void)state;
    static const struct timespec OLD[2] = {{1000000000, 0}, {1000000000, 0}};
    write_file(path_of("same"), "same");
    write_file(path_of("other"), "othex");
    write_file(path_of("shorter"), "short");
    write_file(path_of("void"), "");
    static const char *const NAMES[] = {"same", "other", "shorter", "void"};
    struct stat before[4];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(utimensat(AT_FDCWD, path_of(NAMES[i]), OLD, 0), 0);
        assert_int_equal(stat(path_of(NAMES[i]), &before[i]), 0);
    }
    bwi_outputs *outputs = begin(root, "set");
    add(outputs, "same", "same");
    add(outputs, "other", "other");
    add(outputs, "shorter", "shorter");
    add(outputs, "void", "");
    assert_int_equal(bwi_outputs_commit(outputs, NULL), BW_OK);
    for (size_t i = 0; i < 4; i++) {
        bool kept = i == 0 || i == 3;
        assert_int_equal(bwi_outputs_get(outputs, i)->changed, !kept);
        struct stat after;
        assert_int_equal(stat(path_of(NAMES[i]), &after), 0);
        assert_int_equal(after.st_mtime == 1000000000, kept);
        assert_int_equal(after.st_ino == before[i].st_ino, kept);
    }
    bwi_outputs_end(outputs);
    assert_file(path_of("other"), "other");
    assert_file(path_of("shorter"), "shorter");
    assert_int_equal(count_names(root, ""), 4);
}

static void without_commit_nothing_changes(void **state) {
    (void)state;
    write_file(path_of("old"), "old");
    bwi_outputs *outputs = begin(root, "set");
    add(outputs, "old", "new");
    FILE *file;
    assert_int_equal(bwi_outputs_open(outputs, &file, "half", "role", NULL), BW_OK);
    (void)fputs("half", file);
    bwi_outputs_end(outputs); /* one still open */
    bwi_outputs_end(NULL);
    assert_file(path_of("old"), "old");
    assert_int_equal(count_names(root, ""), 1);
}

static void missing_folders_are_made_and_removed(void **state) {
    (void)state;
    assert_int_equal(mkdir(path_of("there"), 0777), 0);
    static const char *const FOLDERS[] = {"there/a/b/c", "there/a//b/", "there/d"};
    for (size_t i = 0; i < 3; i++) {
        bwi_outputs *outputs = begin(path_of(FOLDERS[i]), "set");
        add(outputs, "f", "x");
        bwi_outputs_end(outputs);
        assert_int_equal(count_names(path_of("there"), ""), 0);
    }
    bwi_outputs *outputs = begin(path_of("there/a/b"), "set");
    add(outputs, "f", "x");
    assert_int_equal(bwi_outputs_commit(outputs, NULL), BW_OK);
    bwi_outputs_end(outputs);
    assert_file(path_of("there/a/b/f"), "x");
    /* What another writer put there in the meantime keeps the folder. */
    outputs = begin(path_of("there/e"), "set");
    write_file(path_of("there/e/foreign"), "x");
    bwi_outputs_end(outputs);
    assert_file(path_of("there/e/foreign"), "x");
}

static void a_file_may_be_replaced_and_sought(void **state) {
    (void)state;
    bwi_outputs *outputs = begin(root, "set");
    add(outputs, "f", "a first text");
    FILE *file;
    assert_int_equal(bwi_outputs_reopen(outputs, &file, "f", NULL), BW_OK);
    (void)fputs("____tail", file);
    assert_int_equal(fseek(file, 0, SEEK_SET), 0);
    (void)fputs("head", file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    assert_int_equal(ftell(file), 8);
    assert_int_equal(bwi_outputs_close(outputs, NULL), BW_OK);
    assert_int_equal(bwi_outputs_count(outputs), 1);
    assert_int_equal(bwi_outputs_get(outputs, 0)->size, 8);
    bwi_hash128 hash = bwi_hash("headtail", 8);
    assert_memory_equal(bwi_outputs_get(outputs, 0)->hash.bytes, hash.bytes, 16);
    assert_int_equal(bwi_outputs_commit(outputs, NULL), BW_OK);
    bwi_outputs_end(outputs);
    assert_file(path_of("f"), "headtail");
}

static void misuse_is_refused(void **state) {
    (void)state;
    bwi_outputs *outputs = NULL;
    static const char *const NAMES[] = {"", "a/b", "/"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(bwi_outputs_begin(&outputs, root, NAMES[i], &mem, NULL), BW_ERR_USAGE);
        assert_null(outputs);
    }
    outputs = begin(root, "set");
    add(outputs, "f", "x");
    FILE *file = NULL;
    bw_error error;
    assert_int_equal(bwi_outputs_open(outputs, &file, "f", "role", &error), BW_ERR_USAGE);
    assert_int_equal(bwi_outputs_open(outputs, &file, "../f", "role", &error), BW_ERR_USAGE);
    assert_int_equal(bwi_outputs_open(outputs, &file, "", "role", &error), BW_ERR_USAGE);
    assert_int_equal(bwi_outputs_reopen(outputs, &file, "g", &error), BW_ERR_INTERNAL);
    assert_int_equal(bwi_outputs_close(outputs, &error), BW_ERR_INTERNAL);
    assert_null(file);
    assert_int_equal(bwi_outputs_open(outputs, &file, "g", "role", &error), BW_OK);
    assert_int_equal(bwi_outputs_commit(outputs, &error), BW_ERR_INTERNAL);
    assert_int_equal(count_names(root, "f"), 0);
    bwi_outputs_end(outputs);
}

static void inputs_are_guarded(void **state) {
    (void)state;
    write_file(path_of("hero.glb"), "source");
    assert_int_equal(symlink(path_of("hero.glb"), path_of("link.glb")), 0);
    bwi_outputs *outputs = begin(root, "set");
    bw_error error;
    assert_int_equal(bwi_outputs_guard(outputs, "hero.glb", path_of("hero.glb"), &error), BW_ERR_OVERWRITES_INPUT);
    assert_non_null(strstr(error.message, "give another folder or another name"));
    assert_int_equal(bwi_outputs_guard(outputs, "hero.glb", path_of("link.glb"), &error), BW_ERR_OVERWRITES_INPUT);
    assert_int_equal(bwi_outputs_guard(outputs, "other.glb", path_of("hero.glb"), &error), BW_OK);
    bwi_outputs_end(outputs);
    assert_file(path_of("hero.glb"), "source");
}

static void what_stands_in_the_way_is_named(void **state) {
    (void)state;
    bw_error error;
    bwi_outputs *outputs = NULL;
    write_file(path_of("file"), "x");
    static const char *const FOLDERS[] = {"file", "file/below", "file/below/that"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(bwi_outputs_begin(&outputs, path_of(FOLDERS[i]), "set", &mem, &error), BW_ERR_FILE_WRITE);
        assert_non_null(strstr(error.message, "a file stands where a folder is needed"));
    }
    char long_name[300];
    memset(long_name, 'n', sizeof(long_name));
    long_name[299] = 0;
    assert_int_equal(bwi_outputs_begin(&outputs, path_of("made"), long_name, &mem, &error), BW_ERR_FILE_WRITE);
    assert_null(outputs);
    assert_int_equal(count_names(root, "made"), 0);
    outputs = begin(root, "set");
    FILE *file;
    assert_int_equal(mkdir(path_of("folder"), 0777), 0);
    assert_int_equal(bwi_outputs_open(outputs, &file, "folder", "role", &error), BW_ERR_FILE_IS_FOLDER);
    assert_string_equal(error.path, path_of("folder"));
    assert_int_equal(symlink("/dev/full", path_of("device")), 0);
    assert_int_equal(bwi_outputs_open(outputs, &file, "device", "role", &error), BW_ERR_FILE_WRITE);
    assert_int_equal(bwi_outputs_count(outputs), 0);
    /* One that comes up later stops the commit; what was renamed before stays. */
    add(outputs, "first", "1");
    add(outputs, "second", "2");
    assert_int_equal(mkdir(path_of("second"), 0777), 0);
    assert_int_equal(bwi_outputs_commit(outputs, &error), BW_ERR_FILE_WRITE);
    assert_string_equal(error.path, path_of("second"));
    bwi_outputs_end(outputs);
    assert_file(path_of("first"), "1");
    assert_int_equal(count_names(root, ".set"), 0);
}

static void a_full_disk_is_named(void **state) {
    (void)state;
    write_file(path_of("f"), "old");
    for (size_t size = 1; size <= 1000000; size *= 100) { /* fails at the flush, and long before */
        bwi_outputs *outputs = begin(root, "set");
        add(outputs, "f", "new");
        char temp[512];
        (void)snprintf(temp, sizeof(temp), "%s/f", bwi_outputs_folder(outputs));
        assert_int_equal(unlink(temp), 0);
        assert_int_equal(symlink("/dev/full", temp), 0);
        FILE *file;
        bw_error error;
        assert_int_equal(bwi_outputs_reopen(outputs, &file, "f", &error), BW_OK);
        for (size_t i = 0; i < size; i++) {
            (void)fputc('x', file);
        }
        assert_int_equal(bwi_outputs_close(outputs, &error), BW_ERR_FILE_WRITE);
        assert_string_equal(error.path, path_of("f"));
        assert_non_null(strstr(error.message, "the disk is full"));
        assert_int_equal(bwi_outputs_commit(outputs, &error), BW_ERR_INTERNAL);
        assert_int_equal(unlink(temp), 0);
        bwi_outputs_end(outputs);
        assert_file(path_of("f"), "old");
        assert_int_equal(count_names(root, ""), 1);
    }
}

static void only_dead_leftovers_are_removed(void **state) {
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bwi_outputs *outputs = NULL;
        FILE *file;
        if (bwi_outputs_begin(&outputs, root, "set", &mem, NULL) == BW_OK &&
            bwi_outputs_open(outputs, &file, "f", "role", NULL) == BW_OK) {
            (void)fputs("unfinished", file);
            (void)fflush(file);
        }
        (void)raise(SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(count_names(root, ".set.bw-"), 1);
    bwi_outputs *other = begin(root, "other"); /* another set's leftovers are not ours */
    assert_int_equal(count_names(root, ".set.bw-"), 1);
    bwi_outputs *live = begin(root, "set");
    assert_int_equal(count_names(root, ".set.bw-"), 1);
    add(live, "f", "live");
    bwi_outputs *second = begin(root, "set"); /* must leave the live one alone */
    assert_int_equal(count_names(root, ".set.bw-"), 2);
    add(second, "f", "second");
    assert_int_equal(bwi_outputs_commit(live, NULL), BW_OK);
    assert_int_equal(bwi_outputs_commit(second, NULL), BW_OK);
    bwi_outputs_end(live);
    bwi_outputs_end(second);
    bwi_outputs_end(other);
    assert_file(path_of("f"), "second");
    assert_int_equal(count_names(root, "."), 0);
    /* Names that only look alike, and folders in which a person keeps a folder. */
    assert_int_equal(mkdir(path_of(".set.bw-toolong"), 0777), 0);
    assert_int_equal(mkdir(path_of(".set.bw-abcdef"), 0777), 0);
    assert_int_equal(mkdir(path_of(".set.bw-abcdef/kept"), 0777), 0);
    write_file(path_of(".set.bw-FEDCBA"), "a file");
    bwi_outputs_end(begin(root, "set"));
    assert_int_equal(count_names(root, ".set.bw-"), 3);
    assert_int_equal(count_names(path_of(".set.bw-abcdef"), ""), 1);
}

enum { WRITERS = 4, ROUNDS = 25, SET_FILES = 3, FILE_BYTES = 20000 };

/* One bake of a set: every byte of every file is `fill`. */
static bw_result write_set(const char *folder, char fill) {
    bwi_mem own;
    bwi_mem_init(&own, 1 << 20);
    bwi_outputs *outputs = NULL;
    bw_result result = bwi_outputs_begin(&outputs, folder, "set", &own, NULL);
    for (int i = 0; i < SET_FILES && result == BW_OK; i++) {
        FILE *file;
        const char name[] = {'f', (char)('0' + i), 0};
        result = bwi_outputs_open(outputs, &file, name, "role", NULL);
        for (int k = 0; k < FILE_BYTES && result == BW_OK; k++) {
            (void)fputc(fill, file);
        }
        result = result == BW_OK ? bwi_outputs_close(outputs, NULL) : result;
    }
    result = result == BW_OK ? bwi_outputs_commit(outputs, NULL) : result;
    bwi_outputs_end(outputs);
    return result == BW_OK && own.used != 0 ? BW_ERR_INTERNAL : result;
}

/* 0: no such file; -1: not one writer's whole file; else the byte it is full of. */
static int whole_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        return 0;
    }
    char bytes[FILE_BYTES + 1];
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    (void)fclose(file);
    for (size_t i = 1; i < size; i++) {
        if (bytes[i] != bytes[0]) {
            return -1;
        }
    }
    return size == FILE_BYTES ? bytes[0] : -1;
}

typedef struct writer {
    char folder[128], fill;
    int failures;
} writer;

static void *write_many(void *argument) {
    writer *self = argument;
    for (int i = 0; i < ROUNDS; i++) {
        self->failures += write_set(self->folder, self->fill) != BW_OK;
    }
    return NULL;
}

static void two_writers_of_a_set_leave_whole_sets(void **state) {
    (void)state;
    writer writers[WRITERS];
    pthread_t threads[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (writer){.fill = (char)('a' + i)};
        (void)snprintf(writers[i].folder, sizeof(writers[i].folder), "%s/deep/out", root);
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, &writers[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(writers[i].failures, 0);
    }
    int first = whole_file(path_of("deep/out/f0"));
    assert_true(first >= 'a' && first < 'a' + WRITERS);
    assert_int_equal(whole_file(path_of("deep/out/f1")), first);
    assert_int_equal(whole_file(path_of("deep/out/f2")), first);
    assert_int_equal(count_names(path_of("deep/out"), ""), SET_FILES);
}

static void killed_at_any_moment_files_are_whole(void **state) {
    (void)state;
    unsigned delay_us = 1;
    for (int round = 0; round < 40; round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            for (char fill = 'a';; fill = fill == 'z' ? 'a' : (char)(fill + 1)) {
                if (write_set(root, fill) != BW_OK) {
                    _exit(1);
                }
            }
        }
        delay_us = delay_us * 75 % 65537;
        const struct timespec delay = {0, (long)(delay_us % 20000) * 1000};
        (void)nanosleep(&delay, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        for (int i = 0; i < SET_FILES; i++) {
            const char name[] = {'f', (char)('0' + i), 0};
            assert_true(whole_file(path_of(name)) >= 0);
        }
        assert_true(count_names(root, ".set.bw-") <= 1); /* each run removes what the one before left */
    }
    assert_int_equal(write_set(root, '!'), BW_OK);
    assert_int_equal(count_names(root, ""), SET_FILES);
    assert_int_equal(whole_file(path_of("f2")), '!');
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    bool done = false;
    for (int64_t k = 0; !done; k++) {
        assert_true(k < 100);
        mem.fail_after = k;
        bwi_outputs *outputs = NULL;
        bw_error error;
        bw_result result = bwi_outputs_begin(&outputs, path_of("new/folder"), "set", &mem, &error);
        for (int i = 0; i < 60 && result == BW_OK; i++) {
            char name[300];
            memset(name, 'n', 200); /* long, so that the arena grows */
            (void)snprintf(name + 200, 100, "%d", i);
            FILE *file;
            result = bwi_outputs_guard(outputs, name, root, &error);
            result = result == BW_OK ? bwi_outputs_open(outputs, &file, name, "role", &error) : result;
            result = result == BW_OK ? bwi_outputs_close(outputs, &error) : result;
        }
        assert_true(result == BW_OK || (result == BW_ERR_MEMORY && error.result == BW_ERR_MEMORY));
        done = result == BW_OK;
        bwi_outputs_end(outputs);
        assert_int_equal(mem.used, 0);
        assert_int_equal(count_names(root, ""), 0);
    }
}

/* Without permission a rename would replace them silently, and a failure at the last must keep the first from being renamed. */
static void read_only_files_are_asked_for(void **state) {
    (void)state;
    static const struct {
        const char *command, *said;
        bw_result result;
    } CASES[] = {
        {NULL, "--before-write", BW_ERR_FILE_WRITE},
        {"exit 3", "status 3", BW_ERR_FILE_WRITE},
        {"true", "still read-only", BW_ERR_FILE_WRITE},
        {"case \"$1\" in */last) exit 1;; esac; chmod u+w \"$1\"", "status 1", BW_ERR_FILE_WRITE},
        {"rm -f \"$1\"", "", BW_OK},
        {"chmod u+w \"$1\" && cd \"${1%/*}\" && echo \"$#\" \"${1##*/}\" >>log", "", BW_OK},
    };
    for (size_t k = 0; k < sizeof(CASES) / sizeof(CASES[0]); k++) {
        static const char *const NAMES[] = {"first", "same", "last"};
        for (size_t i = 0; i < 3; i++) {
            (void)unlink(path_of(NAMES[i]));
            write_file(path_of(NAMES[i]), i == 1 ? "same" : "old");
            assert_int_equal(chmod(path_of(NAMES[i]), 0444), 0);
        }
        bwi_outputs *outputs = begin(root, "set");
        add(outputs, "first", "new");
        add(outputs, "same", "same");
        add(outputs, "last", "new");
        bwi_outputs_before_write(outputs, CASES[k].command);
        bw_error error = {0};
        assert_int_equal(bwi_outputs_commit(outputs, &error), CASES[k].result);
        assert_non_null(strstr(error.message, CASES[k].said));
        bwi_outputs_end(outputs);
        const char *now = CASES[k].result == BW_OK ? "new" : "old";
        assert_file(path_of("first"), now);
        assert_file(path_of("same"), "same");
        assert_file(path_of("last"), now);
    }
    assert_file(path_of("log"), "1 first\n1 last\n");
}

static void a_sweep_removes_leftovers_only(void **state) {
    (void)state;
    assert_int_equal(mkdir(path_of(".set.bw-abcdef"), 0700), 0);
    write_file(path_of(".set.bw-abcdef/left"), "over");
    assert_int_equal(mkdir(path_of(".other.bw-abcdef"), 0700), 0);
    write_file(path_of("kept"), "kept");
    bwi_outputs *at_work = begin(root, "set");
    bwi_outputs_sweep(root, "set", &mem);
    assert_int_equal(count_names(root, ".set.bw-"), 1);
    assert_int_equal(count_names(root, ".other.bw-"), 1);
    assert_file(path_of("kept"), "kept");
    add(at_work, "file", "whole");
    assert_int_equal(bwi_outputs_commit(at_work, NULL), BW_OK);
    bwi_outputs_end(at_work);
    assert_file(path_of("file"), "whole");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_set_appears_at_commit, make_root, remove_root),
        cmocka_unit_test_setup_teardown(unchanged_files_are_left_alone, make_root, remove_root),
        cmocka_unit_test_setup_teardown(without_commit_nothing_changes, make_root, remove_root),
        cmocka_unit_test_setup_teardown(missing_folders_are_made_and_removed, make_root, remove_root),
        cmocka_unit_test_setup_teardown(a_file_may_be_replaced_and_sought, make_root, remove_root),
        cmocka_unit_test_setup_teardown(misuse_is_refused, make_root, remove_root),
        cmocka_unit_test_setup_teardown(inputs_are_guarded, make_root, remove_root),
        cmocka_unit_test_setup_teardown(what_stands_in_the_way_is_named, make_root, remove_root),
        cmocka_unit_test_setup_teardown(a_full_disk_is_named, make_root, remove_root),
        cmocka_unit_test_setup_teardown(only_dead_leftovers_are_removed, make_root, remove_root),
        cmocka_unit_test_setup_teardown(two_writers_of_a_set_leave_whole_sets, make_root, remove_root),
        cmocka_unit_test_setup_teardown(killed_at_any_moment_files_are_whole, make_root, remove_root),
        cmocka_unit_test_setup_teardown(read_only_files_are_asked_for, make_root, remove_root),
        cmocka_unit_test_setup_teardown(a_sweep_removes_leftovers_only, make_root, remove_root),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, make_root, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
