/* SPDX-License-Identifier: MIT
 * What every call shares: version, limits, threads, progress. */
#ifndef BAKEWELL_COMMON_H
#define BAKEWELL_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bakewell/result.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BW_VERSION_MAJOR 0
#define BW_VERSION_MINOR 1
#define BW_VERSION_PATCH 0

/* Index that points at nothing. */
#define BW_NO_INDEX UINT32_MAX

/* A list of zero-terminated UTF-8 strings. */
typedef struct bw_string_list {
    const char *const *data;
    size_t count;
} bw_string_list;

typedef enum bw_length_unit { BW_LENGTH_NONE = 0, BW_LENGTH_METRE, BW_LENGTH_RELATIVE } bw_length_unit;

/* A length with its unit: metres, or a fraction of a clip's bounding-box diagonal.  {0} is "not given". */
typedef struct bw_length {
    double value;
    bw_length_unit unit;
} bw_length;

/* What an Alembic file does not say of itself. */
typedef enum bw_up { BW_UP_DEFAULT = 0, BW_UP_Y, BW_UP_Z } bw_up;
typedef enum bw_unit { BW_UNIT_DEFAULT = 0, BW_UNIT_M, BW_UNIT_CM, BW_UNIT_MM, BW_UNIT_IN, BW_UNIT_FT } bw_unit;

/* Called from one thread at a time, often.  In: phase — what is being done, a static string; done, total — its units.
 * Returns false to cancel: the call ends with BW_ERR_CANCELLED and leaves no output behind. */
typedef bool (*bw_progress_fn)(void *ctx, const char *phase, uint64_t done, uint64_t total);

/* How to run: part of every options struct.  {0} is the default. */
typedef struct bw_run_opts {
#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) ctype field;
#include "bakewell/options_run.def"
#undef BW_OPT
    bw_progress_fn progress; /* NULL: none */
    void *progress_ctx;
} bw_run_opts;

/* How files are written: part of every options struct of a call that writes some.  {0} is the default. */
typedef struct bw_write_opts {
#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) ctype field;
#include "bakewell/options_write.def"
#undef BW_OPT
} bw_write_opts;

/* Version of the library, "0.1.0". */
const char *bw_version(void);

#ifdef __cplusplus
}
#endif
#endif
