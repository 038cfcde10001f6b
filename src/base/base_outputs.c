/* SPDX-License-Identifier: MIT
 * Sets of output files that appear whole or not at all.
 *
 * A set is written in a folder ".NAME.bw-XXXXXX" inside the target folder and renamed file by file.  The writer
 * holds a lock (flock) on that folder as long as it lives; a folder whose lock can be taken was left by a killed
 * run, and the next run removes it. */
#define _GNU_SOURCE /* fopencookie: stdio alone forgets why an early write failed */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

enum { STREAM_BUFFER = 64 << 10, TRIES = 16, SUFFIX_LENGTH = 6 };

typedef struct item {
    bwi_output seen; /* what bwi_outputs_get shows */
    char *temp_path, *final_path;
    bool whole; /* closed without an error */
} item;

struct bwi_outputs {
    bwi_mem *mem;
    bwi_arena *arena;
    char *folder, *temp_folder;
    int lock_fd; /* of temp_folder */
    struct {
        char **data;
        size_t count, capacity;
    } made; /* folders that were missing, outermost first */
    struct {
        item *data;
        size_t count, capacity;
    } items;
    FILE *file; /* of the item being written */
    size_t open_index;
    int fd, write_reason; /* behind `file`; errno of its first failed write, or 0 */
    char *buffer;         /* STREAM_BUFFER bytes */
    bool committed;
    const char *before_write; /* NULL: none */
};

/* Room for one more element in a list {data, count, capacity} of an arena; false if memory fails. */
#define HAS_ROOM(arena, list)          \
    ((list).count < (list).capacity || \
     has_grown((arena), (void **)&(list).data, (list).count, &(list).capacity, sizeof(*(list).data)))

static bool has_grown(bwi_arena *arena, void **data, size_t count, size_t *capacity, size_t size) {
    size_t wanted = *capacity ? 2 * *capacity : 16;
    void *grown = bwi_arena_alloc(arena, wanted, size);
    if (!grown) {
        return false;
    }
    if (count > 0) {
        memcpy(grown, *data, count * size);
    }
    *data = grown;
    *capacity = wanted;
    return true;
}

static bw_result fail_write(const char *path, int reason, bw_error *error) {
    if (reason == ENOSPC || reason == EDQUOT) {
        return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1,
                        "cannot be written: the disk is full; free some space or give another folder");
    }
    if (reason == ENOTDIR || reason == EEXIST) {
        return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1,
                        "cannot be made: a file stands where a folder is needed; give another folder");
    }
    return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1, "cannot be written: %s; give a folder that can be",
                    strerror(reason));
}

/* ---- folders ---- */

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Makes one folder unless it is there. */
static bw_result make_folder(bwi_outputs *outputs, const char *path, bw_error *error) {
    if (!HAS_ROOM(outputs->arena, outputs->made)) {
        return bwi_fail_memory(error, path, outputs->mem, 0);
    }
    char *copy = bwi_arena_string(outputs->arena, path, SIZE_MAX);
    if (!copy) {
        return bwi_fail_memory(error, path, outputs->mem, strlen(path));
    }
    if (mkdir(path, 0777) == 0) {
        outputs->made.data[outputs->made.count++] = copy;
        return BW_OK;
    }
    int reason = errno;
    return is_folder(path) ? BW_OK : fail_write(path, reason, error);
}

static bw_result make_folders(bwi_outputs *outputs, bw_error *error) {
    if (is_folder(outputs->folder)) {
        return BW_OK;
    }
    char *path = bwi_arena_string(outputs->arena, outputs->folder, SIZE_MAX);
    if (!path) {
        return bwi_fail_memory(error, outputs->folder, outputs->mem, strlen(outputs->folder));
    }
    for (char *c = path + 1; *c; c++) {
        if (*c == '/' && c[1] != '/' && c[1] != 0) {
            *c = 0;
            bw_result result = is_folder(path) ? BW_OK : make_folder(outputs, path, error);
            *c = '/';
            if (result != BW_OK) {
                return result;
            }
        }
    }
    return make_folder(outputs, path, error);
}

/* Opens and locks a folder.  Returns -1 if it is gone or another holds the lock.  Where the file system has no locks
 * the folder counts as locked only for its own writer (`own`), so that leftovers there stay rather than live folders
 * going. */
static int lock_folder(const char *path, bool own) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 || (own && errno != EWOULDBLOCK);
    struct stat opened;
    struct stat named;
    /* Between open and lock a cleaner may have removed it. */
    if (!locked || fstat(fd, &opened) != 0 || lstat(path, &named) != 0 || opened.st_dev != named.st_dev ||
        opened.st_ino != named.st_ino) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* Removes a set's own folder: plain files only, so that nothing is lost that a person put there. */
static void remove_folder(const char *path, int folder_fd) {
    int fd = dup(folder_fd);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0) {
            (void)close(fd);
        }
        return;
    }
    rewinddir(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        struct stat status;
        if (fstatat(folder_fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode)) {
            (void)unlinkat(folder_fd, entry->d_name, 0);
        }
    }
    (void)closedir(folder);
    (void)rmdir(path);
}

static void remove_leftovers(bwi_outputs *outputs, const char *prefix) {
    DIR *folder = opendir(outputs->folder);
    if (!folder) {
        return;
    }
    size_t prefix_length = strlen(prefix);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (strncmp(entry->d_name, prefix, prefix_length) != 0 ||
            strlen(entry->d_name) != prefix_length + SUFFIX_LENGTH) {
            continue;
        }
        char *path = bwi_path_join(outputs->arena, outputs->folder, entry->d_name);
        int fd = path ? lock_folder(path, false) : -1;
        if (fd >= 0) {
            remove_folder(path, fd);
            (void)close(fd);
        }
    }
    (void)closedir(folder);
}

static bw_result make_temp_folder(bwi_outputs *outputs, const char *prefix, bw_error *error) {
    char *start = bwi_path_join(outputs->arena, outputs->folder, prefix);
    char *path = start ? bwi_arena_printf(outputs->arena, "%sXXXXXX", start) : NULL;
    if (!path) {
        return bwi_fail_memory(error, outputs->folder, outputs->mem, strlen(prefix));
    }
    int reason = 0;
    for (int i = 0; i < TRIES; i++) {
        memcpy(path + strlen(path) - SUFFIX_LENGTH, "XXXXXX", SUFFIX_LENGTH);
        if (!mkdtemp(path)) {
            reason = errno;
            if (reason != ENOENT) {
                break;
            }
            /* Another set that had made the target folder gave up and removed it. */
            bw_result result = make_folders(outputs, error);
            if (result != BW_OK) {
                return result;
            }
            continue;
        }
        outputs->lock_fd = lock_folder(path, true);
        if (outputs->lock_fd >= 0) {
            outputs->temp_folder = path;
            return BW_OK;
        }
        reason = EAGAIN; /* a cleaner came between mkdtemp and lock, and removes it */
        (void)rmdir(path);
    }
    return fail_write(outputs->folder, reason, error);
}

bw_result bwi_outputs_begin(bwi_outputs **outputs, const char *folder, const char *name, bwi_mem *mem,
                            bw_error *error) {
    if (name[0] == 0 || strchr(name, '/')) {
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "the output name '%s' is no file name; give one without '/'",
                        name);
    }
    const char *shown = folder[0] ? folder : ".";
    bwi_arena *arena = bwi_arena_create(mem);
    bwi_outputs *made = arena ? bwi_arena_alloc(arena, 1, sizeof(bwi_outputs)) : NULL;
    if (!made) {
        bwi_arena_free(arena);
        return bwi_fail_memory(error, folder, mem, sizeof(bwi_outputs));
    }
    *made = (bwi_outputs){.mem = mem, .arena = arena, .lock_fd = -1, .fd = -1};
    made->folder = bwi_arena_string(arena, shown, SIZE_MAX);
    made->buffer = bwi_arena_alloc(arena, STREAM_BUFFER, 1);
    char *prefix = bwi_arena_printf(arena, ".%s.bw-", name);
    bw_result result =
        made->folder && made->buffer && prefix ? BW_OK : bwi_fail_memory(error, folder, mem, STREAM_BUFFER);
    if (result == BW_OK) {
        result = make_folders(made, error);
    }
    if (result == BW_OK) {
        remove_leftovers(made, prefix);
        result = make_temp_folder(made, prefix, error);
    }
    if (result != BW_OK) {
        bwi_outputs_end(made);
        return result;
    }
    *outputs = made;
    return BW_OK;
}

void bwi_outputs_sweep(const char *folder, const char *name, bwi_mem *mem) {
    bwi_arena *arena = bwi_arena_create(mem);
    bwi_outputs swept = {.arena = arena, .lock_fd = -1};
    swept.folder = arena ? bwi_arena_string(arena, folder[0] ? folder : ".", SIZE_MAX) : NULL;
    const char *prefix = swept.folder ? bwi_arena_printf(arena, ".%s.bw-", name) : NULL;
    if (prefix) {
        remove_leftovers(&swept, prefix);
    }
    bwi_arena_free(arena);
}

/* ---- one file ---- */

static ssize_t stream_write(void *cookie, const char *bytes, size_t size) {
    bwi_outputs *outputs = cookie;
    size_t done = 0;
    while (done < size) {
        ssize_t wrote = write(outputs->fd, bytes + done, size - done);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote < 0) {
            outputs->write_reason = outputs->write_reason ? outputs->write_reason : errno;
            break;
        }
        done += (size_t)wrote;
    }
    return (ssize_t)done; /* fopencookie takes a short count, 0 too, for an error */
}

static int stream_seek(void *cookie, off64_t *position, int whence) {
    const bwi_outputs *outputs = cookie;
    off_t reached = lseek(outputs->fd, (off_t)*position, whence);
    if (reached < 0) {
        return -1;
    }
    *position = reached;
    return 0;
}

static int stream_close(void *cookie) {
    bwi_outputs *outputs = cookie;
    int fd = outputs->fd;
    outputs->fd = -1;
    return close(fd);
}

static bw_result open_item(bwi_outputs *outputs, size_t index, int extra_flags, bw_error *error) {
    item *opened = &outputs->items.data[index];
    int fd = open(opened->temp_path, O_WRONLY | O_CLOEXEC | O_CREAT | O_TRUNC | extra_flags, 0666);
    if (fd < 0) {
        return fail_write(opened->final_path, errno, error);
    }
    cookie_io_functions_t functions = {.write = stream_write, .seek = stream_seek, .close = stream_close};
    outputs->fd = fd;
    outputs->file = fopencookie(outputs, "wb", functions);
    if (!outputs->file) {
        int reason = errno;
        outputs->fd = -1;
        (void)close(fd);
        return fail_write(opened->final_path, reason, error);
    }
    (void)setvbuf(outputs->file, outputs->buffer, _IOFBF, STREAM_BUFFER);
    outputs->open_index = index;
    outputs->write_reason = 0;
    opened->whole = false;
    return BW_OK;
}

static item *find_item(const bwi_outputs *outputs, const char *file_name) {
    for (size_t i = 0; i < outputs->items.count; i++) {
        if (strcmp(outputs->items.data[i].seen.file_name, file_name) == 0) {
            return &outputs->items.data[i];
        }
    }
    return NULL;
}

bw_result bwi_outputs_guard(const bwi_outputs *outputs, const char *file_name, const char *input_path,
                            bw_error *error) {
    char *path = bwi_path_join(outputs->arena, outputs->folder, file_name);
    if (!path) {
        return bwi_fail_memory(error, input_path, outputs->mem, strlen(file_name));
    }
    if (bwi_path_same_file(path, input_path)) {
        return bwi_fail(error, BW_ERR_OVERWRITES_INPUT, path, -1,
                        "would overwrite the input %s; give another folder or another name", input_path);
    }
    return BW_OK;
}

bw_result bwi_outputs_open(bwi_outputs *outputs, FILE **file, const char *file_name, const char *role,
                           bw_error *error) {
    if (outputs->file || outputs->committed) {
        return bwi_fail(error, BW_ERR_INTERNAL, file_name, -1,
                        "opened while another output is open or after the commit");
    }
    if (file_name[0] == 0 || strchr(file_name, '/') || find_item(outputs, file_name)) {
        return bwi_fail(error, BW_ERR_USAGE, file_name, -1,
                        "two outputs would have this name, or it is no file name; give another --name");
    }
    item added = {.final_path = bwi_path_join(outputs->arena, outputs->folder, file_name),
                  .temp_path = bwi_path_join(outputs->arena, outputs->temp_folder, file_name),
                  .seen = {.file_name = bwi_arena_string(outputs->arena, file_name, SIZE_MAX),
                           .role = bwi_arena_string(outputs->arena, role, SIZE_MAX)}};
    if (!added.final_path || !added.temp_path || !added.seen.file_name || !added.seen.role ||
        !HAS_ROOM(outputs->arena, outputs->items)) {
        return bwi_fail_memory(error, file_name, outputs->mem, sizeof(item));
    }
    struct stat status;
    if (stat(added.final_path, &status) == 0 && !S_ISREG(status.st_mode)) {
        if (S_ISDIR(status.st_mode)) {
            return bwi_fail(error, BW_ERR_FILE_IS_FOLDER, added.final_path, -1,
                            "a folder stands where this output goes; remove it or give another folder or --name");
        }
        /* Renaming onto a device would replace it. */
        return bwi_fail(error, BW_ERR_FILE_WRITE, added.final_path, -1,
                        "is a device or pipe; expected a plain file or none, so give another folder or --name");
    }
    outputs->items.data[outputs->items.count] = added;
    bw_result result = open_item(outputs, outputs->items.count, O_EXCL, error);
    if (result == BW_OK) {
        outputs->items.count++;
        *file = outputs->file;
    }
    return result;
}

bw_result bwi_outputs_reopen(bwi_outputs *outputs, FILE **file, const char *file_name, bw_error *error) {
    const item *found = find_item(outputs, file_name);
    if (!found || outputs->file || outputs->committed) {
        return bwi_fail(error, BW_ERR_INTERNAL, file_name, -1,
                        "reopened though it is not in the set, or another is open");
    }
    bw_result result = open_item(outputs, (size_t)(found - outputs->items.data), 0, error);
    if (result == BW_OK) {
        *file = outputs->file;
    }
    return result;
}

bw_result bwi_outputs_close(bwi_outputs *outputs, bw_error *error) {
    if (!outputs->file) {
        return bwi_fail(error, BW_ERR_INTERNAL, outputs->folder, -1, "closed though no output is open");
    }
    item *closed = &outputs->items.data[outputs->open_index];
    bool good = fflush(outputs->file) == 0 && !ferror(outputs->file);
    int reason = outputs->write_reason ? outputs->write_reason : errno;
    if (fclose(outputs->file) != 0 && good) {
        good = false;
        reason = outputs->write_reason ? outputs->write_reason : errno;
    }
    outputs->file = NULL;
    if (!good) {
        return fail_write(closed->final_path, reason ? reason : EIO, error);
    }
    bwi_map map;
    bw_error read_error;
    bw_result result = bwi_map_open(&map, closed->temp_path, outputs->mem, &read_error);
    if (result == BW_OK) {
        closed->seen.size = map.size;
        closed->seen.hash = bwi_hash(map.data, map.size);
        bwi_map_close(&map);
    } else if (result == BW_ERR_EMPTY) {
        closed->seen.size = 0;
        closed->seen.hash = bwi_hash(NULL, 0);
    } else if (result == BW_ERR_MEMORY) {
        return bwi_fail_memory(error, closed->final_path, outputs->mem, STREAM_BUFFER);
    } else {
        return bwi_fail(error, BW_ERR_FILE_WRITE, closed->final_path, -1, "cannot be read back after writing: %s",
                        read_error.message);
    }
    closed->whole = true;
    return BW_OK;
}

/* ---- the set ---- */

const char *bwi_outputs_folder(const bwi_outputs *outputs) {
    return outputs->committed ? outputs->folder : outputs->temp_folder;
}

size_t bwi_outputs_count(const bwi_outputs *outputs) {
    return outputs->items.count;
}

const bwi_output *bwi_outputs_get(const bwi_outputs *outputs, size_t index) {
    return &outputs->items.data[index].seen;
}

static bool has_same_bytes(const item *written, bwi_mem *mem) {
    struct stat status;
    if (stat(written->final_path, &status) != 0 || !S_ISREG(status.st_mode) ||
        (uint64_t)status.st_size != written->seen.size) {
        return false;
    }
    if (written->seen.size == 0) {
        return true;
    }
    bwi_map old;
    if (bwi_map_open(&old, written->final_path, mem, NULL) != BW_OK) {
        return false;
    }
    bwi_map new;
    bool same = false;
    if (bwi_map_open(&new, written->temp_path, mem, NULL) == BW_OK) {
        same = old.size == new.size &&memcmp(old.data, new.data, old.size) == 0;
        bwi_map_close(&new);
    }
    bwi_map_close(&old);
    return same;
}

/* Puts the bytes of a file or the names of a folder on the disk, so that after a power cut too each file is whole. */
static int sync_path(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    /* Some file systems have no sync; that does not make the output wrong. */
    int reason = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    (void)close(fd);
    return reason;
}

void bwi_outputs_before_write(bwi_outputs *outputs, const char *command) {
    outputs->before_write = command;
}

/* By its mode too, since root may write anything: version control means the mode. */
static bool is_read_only(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 &&
           ((status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0 || access(path, W_OK) != 0);
}

/* A rename would replace a read-only file without asking. */
static bw_result make_writable(const bwi_outputs *outputs, const char *path, bw_error *error) {
    if (!is_read_only(path)) {
        return BW_OK;
    }
    if (!outputs->before_write) {
        return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1,
                        "is read-only and would change; make it writable, or give --before-write=CMD a command that "
                        "does (\"$1\" is the file)");
    }
    bw_result result = bwi_run_command(outputs->before_write, path, error);
    if (result == BW_OK && is_read_only(path)) {
        return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1,
                        "is still read-only after --before-write=%.200s; give a command that makes it writable",
                        outputs->before_write);
    }
    return result;
}

static bw_result appear(bwi_outputs *outputs, bw_error *error) {
    for (size_t i = 0; i < outputs->items.count; i++) {
        item *written = &outputs->items.data[i];
        written->seen.changed = !has_same_bytes(written, outputs->mem);
        int reason = written->seen.changed ? sync_path(written->temp_path) : 0;
        if (reason) {
            return fail_write(written->final_path, reason, error);
        }
    }
    for (size_t i = 0; i < outputs->items.count; i++) {
        const item *written = &outputs->items.data[i];
        bw_result result = written->seen.changed ? make_writable(outputs, written->final_path, error) : BW_OK;
        if (result != BW_OK) {
            return result;
        }
    }
    for (size_t i = 0; i < outputs->items.count; i++) {
        const item *written = &outputs->items.data[i];
        if (written->seen.changed && rename(written->temp_path, written->final_path) != 0) {
            return fail_write(written->final_path, errno, error);
        }
    }
    int reason = sync_path(outputs->folder);
    return reason ? fail_write(outputs->folder, reason, error) : BW_OK;
}

bw_result bwi_outputs_commit(bwi_outputs *outputs, bw_error *error) {
    for (size_t i = 0; i < outputs->items.count; i++) {
        if (!outputs->items.data[i].whole) {
            return bwi_fail(error, BW_ERR_INTERNAL, outputs->items.data[i].final_path, -1,
                            "committed before it was closed");
        }
    }
    /* One commit at a time in a folder, so that sets of two writers don't mix.  Without locks it goes on all the
     * same. */
    int fd = open(outputs->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {}
    }
    bw_result result = appear(outputs, error);
    if (fd >= 0) {
        (void)close(fd);
    }
    if (result == BW_OK) {
        outputs->committed = true;
        remove_folder(outputs->temp_folder, outputs->lock_fd);
    }
    return result;
}

void bwi_outputs_end(bwi_outputs *outputs) {
    if (!outputs) {
        return;
    }
    if (outputs->file) {
        (void)fclose(outputs->file);
    }
    if (outputs->lock_fd >= 0) {
        if (!outputs->committed) {
            remove_folder(outputs->temp_folder, outputs->lock_fd);
        }
        (void)close(outputs->lock_fd);
    }
    for (size_t i = outputs->made.count; i > 0 && !outputs->committed; i--) {
        (void)rmdir(outputs->made.data[i - 1]);
    }
    bwi_arena_free(outputs->arena); /* outputs lies in it */
}
