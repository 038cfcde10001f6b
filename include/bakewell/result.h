/* SPDX-License-Identifier: MIT
 * Results, errors and warnings. */
#ifndef BAKEWELL_RESULT_H
#define BAKEWELL_RESULT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What every fallible function returns.  Outputs are untouched unless it is BW_OK.  Values may change between versions;
 * names do not. */
typedef enum bw_result {
#define BW_RESULT(name, status, sentence) name,
#include "bakewell/results.def"
#undef BW_RESULT
    BW_RESULT_COUNT
} bw_result;

/* What went wrong, owned by the caller, filled on failure.  Every function takes NULL for it. */
typedef struct bw_error {
    bw_result result;
    int64_t offset;     /* byte in `path`, or -1 */
    char path[1024];    /* the file, or "" */
    char message[1024]; /* one sentence: place, found, expected, next step; the file's name is in it */
} bw_error;

/* Something unusual that did not stop the work. */
typedef struct bw_warning {
    const char *code;    /* stable, kebab-case: "weights-not-normalised" */
    const char *message; /* one sentence for a person */
    const char *first;   /* first place it was seen: "mesh 2 (Body), primitive 0" */
    uint64_t count;      /* how often */
} bw_warning;

typedef struct bw_warning_list {
    const bw_warning *data;
    size_t count;
} bw_warning_list;

/* Name of a result: "BW_ERR_JSON".  Never NULL; unknown values give "BW_ERR_INTERNAL". */
const char *bw_result_name(bw_result result);
/* One general sentence about a result.  Never NULL. */
const char *bw_result_sentence(bw_result result);
/* Exit status that the program ends with for a result, 0 to 8. */
int bw_result_exit_status(bw_result result);

#ifdef __cplusplus
}
#endif
#endif
