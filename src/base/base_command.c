/* SPDX-License-Identifier: MIT
 * Runs a user's command for a file. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

extern char **environ;

/* Returns 0 or the reason why nothing runs. */
static int start(pid_t *child, const char *command, const char *path) {
    posix_spawn_file_actions_t actions;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason) {
        return reason;
    }
    reason = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!reason) { /* standard output is the program's data */
        reason = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    }
    if (!reason) {
        const char *const words[] = {"sh", "-c", command, "sh", path, NULL};
        reason = posix_spawn(child, "/bin/sh", &actions, NULL, (char *const *)(uintptr_t)words, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return reason;
}

bw_result bwi_run_command(const char *command, const char *path, bw_error *error) {
    pid_t child;
    int reason = start(&child, command, path);
    if (reason) {
        return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1, "--before-write=%.200s could not be started: %s", command,
                        strerror(reason));
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1, "the end of --before-write=%.200s was not seen: %s",
                            command, strerror(errno));
        }
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return BW_OK;
    }
    return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1,
                    "--before-write=%.200s ended with %s %d, expected status 0; nothing has changed", command,
                    WIFEXITED(status) ? "status" : "signal",
                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}
