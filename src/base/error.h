/* SPDX-License-Identifier: MIT
 * Filling bw_error, collecting warnings. */
#ifndef BWI_BASE_ERROR_H
#define BWI_BASE_ERROR_H

#include "bakewell/result.h"
#include "base/mem.h"

/* Fills *error (NULL: nothing) and returns `result`, so that `return bwi_fail(…)` reads well.  The message is one sentence that says
 * place, found, expected, next step; path and offset (-1: none) are stored apart and the message is prefixed "path: " (path NULL or "": not).
 * Control characters in the text are replaced by '?'; over-long text is cut at a UTF-8 boundary. */
bw_result bwi_fail(bw_error *error, bw_result result, const char *path, int64_t offset, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* BW_ERR_MEMORY with the budget's numbers: "needs N bytes more than the memory limit of M; raise --memory-limit". */
bw_result bwi_fail_memory(bw_error *error, const char *path, const bwi_mem *mem, size_t wanted);

/* Collects warnings: one entry a code, counted, with the message and place of the first.  Not thread-safe.  Allocation failure drops the
 * new entry and sets `lost`. */
typedef struct bwi_warnings {
    bwi_arena *arena;
    bw_warning *data;
    size_t count, capacity;
    bool lost;
} bwi_warnings;
void bwi_warnings_init(bwi_warnings *warnings, bwi_arena *arena);
/* Adds `count` to the code's entry; the first call for a code also keeps message and place.  NULL warnings: nothing.  code is kept by pointer
 * (a literal). */
void bwi_warn(bwi_warnings *warnings, const char *code, uint64_t count, const char *message, const char *place_format, ...)
    __attribute__((format(printf, 5, 6)));
bw_warning_list bwi_warnings_list(const bwi_warnings *warnings);

#endif
