/* SPDX-License-Identifier: MIT
 * Runs a fuzz harness over files and over the files of folders (not deeper), in name order, and says which and how many: how crashers are
 * replayed without a fuzzer. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void die(const char *path, const char *what) {
    fprintf(stderr, "replay: %s: %s\n", path, what);
    exit(1);
}

static void replay_file(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        die(path, "cannot be read");
    long size = ftell(file);
    /* Exactly the input's size, so that a sanitizer sees the first byte read past it. */
    uint8_t *data = size > 0 ? malloc((size_t)size) : NULL;
    if (size < 0 || (size > 0 && !data))
        die(path, "cannot be held in memory");
    rewind(file);
    if (fread(data, 1, (size_t)size, file) != (size_t)size)
        die(path, "cannot be read");
    fclose(file);
    printf("replay %s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    ++*count;
}

static int no_dots(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void replay_folder(const char *folder, size_t *count) {
    struct dirent **entries;
    int entry_count = scandir(folder, &entries, no_dots, alphasort);
    if (entry_count < 0)
        die(folder, "cannot be listed");
    for (int i = 0; i < entry_count; ++i) {
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (length < 0 || (size_t)length >= sizeof path)
            die(folder, "holds a path that is too long");
        replay_file(path, count);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv) {
    size_t count = 0;
    for (int i = 1; i < argc; ++i) {
        struct stat status;
        if (stat(argv[i], &status) != 0)
            die(argv[i], "does not exist");
        if (S_ISDIR(status.st_mode))
            replay_folder(argv[i], &count);
        else
            replay_file(argv[i], &count);
    }
    printf("%zu inputs replayed\n", count);
    return 0;
}
