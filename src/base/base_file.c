/* SPDX-License-Identifier: MIT
 * Mapped reading, and the parts of a path. */
#define _POSIX_C_SOURCE 200809L

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { FIRST_READ = 64 << 10 };

static bw_result fail_open(const char *path, int reason, bw_error *error) {
    if (reason == ENOENT || reason == ENOTDIR) {
        return bwi_fail(error, BW_ERR_FILE_MISSING, path, -1, "there is no such file; check the path");
    }
    return bwi_fail(error, BW_ERR_FILE_READ, path, -1, "cannot be read: %s", strerror(reason));
}

/* Reads to the end whatever cannot be mapped.  Its size is unknown, so the buffer doubles as bytes come in. */
static bw_result read_all(bwi_map *map, int fd, const char *path, bwi_mem *mem, bw_error *error) {
    uint8_t *data = NULL;
    size_t size = 0;
    size_t capacity = 0;
    for (;;) {
        if (size == capacity) {
            size_t wanted = capacity ? capacity : FIRST_READ;
            uint8_t *grown = wanted <= SIZE_MAX - capacity ? bwi_realloc(mem, data, capacity + wanted, 1) : NULL;
            if (!grown) {
                bw_result result =
                    bwi_fail_memory(error, path, mem, wanted); /* before data is credited: it names what is short */
                bwi_free(mem, data);
                return result;
            }
            data = grown;
            capacity += wanted;
        }
        ssize_t got = read(fd, data + size, capacity - size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            int reason = errno;
            bwi_free(mem, data);
            return fail_open(path, reason, error);
        }
        if (got == 0) {
            break;
        }
        size += (size_t)got;
    }
    if (size == 0) {
        bwi_free(mem, data);
        return bwi_fail(error, BW_ERR_EMPTY, path, -1,
                        "the file is empty; expected at least one byte, so export it again");
    }
    *map = (bwi_map){data, size, mem};
    return BW_OK;
}

bw_result bwi_map_open(bwi_map *map, const char *path, bwi_mem *mem, bw_error *error) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return fail_open(path, errno, error);
    }
    struct stat status;
    bw_result result;
    if (fstat(fd, &status) != 0) {
        result = fail_open(path, errno, error);
    } else if (S_ISDIR(status.st_mode)) {
        result =
            bwi_fail(error, BW_ERR_FILE_IS_FOLDER, path, -1, "is a folder; expected a file, so name one inside it");
    } else {
        void *data = MAP_FAILED;
        if (S_ISREG(status.st_mode) && status.st_size > 0 && (uintmax_t)status.st_size <= SIZE_MAX) {
            data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        }
        if (data != MAP_FAILED) {
            *map = (bwi_map){data, (size_t)status.st_size, NULL};
            result = BW_OK;
        } else {
            result = read_all(map, fd, path, mem, error);
        }
    }
    (void)close(fd);
    return result;
}

void bwi_map_close(bwi_map *map) {
    if (map->mem) {
        bwi_free(map->mem, (void *)(uintptr_t)map->data);
    } else if (map->data) {
        (void)munmap((void *)(uintptr_t)map->data, map->size);
    }
    *map = (bwi_map){0};
}

const char *bwi_path_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *bwi_path_folder(bwi_arena *arena, const char *path) {
    const char *name = bwi_path_basename(path);
    if (name == path) {
        return bwi_arena_string(arena, ".", 1);
    }
    size_t length = (size_t)(name - path) - 1;
    return length == 0 ? bwi_arena_string(arena, "/", 1) : bwi_arena_string(arena, path, length);
}

char *bwi_path_join(bwi_arena *arena, const char *folder, const char *name) {
    size_t length = strlen(folder);
    if (length == 0 || strcmp(folder, ".") == 0) {
        return bwi_arena_string(arena, name, SIZE_MAX);
    }
    return bwi_arena_printf(arena, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/", name);
}

char *bwi_path_stem(bwi_arena *arena, const char *path) {
    const char *name = bwi_path_basename(path);
    const char *dot = strrchr(name, '.');
    /* ".hidden" is all stem. */
    return bwi_arena_string(arena, name, dot && dot > name ? (size_t)(dot - name) : SIZE_MAX);
}

bool bwi_path_is_below(const char *relative) {
    if (relative[0] == 0) {
        return false;
    }
    for (const char *part = relative;;) {
        size_t length = strcspn(part, "/");
        /* A colon ends a scheme or a drive in the first part; a backslash separates on other systems. */
        if (length == 0 || memchr(part, '\\', length) || (length == 2 && memcmp(part, "..", 2) == 0) ||
            (part == relative && memchr(part, ':', length))) {
            return false;
        }
        if (part[length] == 0) {
            return true;
        }
        part += length + 1;
    }
}

bool bwi_path_same_file(const char *a, const char *b) {
    struct stat first;
    struct stat second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}
