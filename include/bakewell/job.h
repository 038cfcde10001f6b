/* SPDX-License-Identifier: MIT
 * Job files: bakes and their options in a file, "bakewell/job/1". */
#ifndef BAKEWELL_JOB_H
#define BAKEWELL_JOB_H

#include "bakewell/vat.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bw_job_bake {
    bw_string_list in; /* scenes, or folders that the program walks; never empty */
    const char *out;   /* folder */
    bw_vat_opts opts;  /* of the file's "defaults" and of the bake; `run` is {0} */
} bw_job_bake;

/* Owned by one arena: bw_free_job. */
typedef struct bw_job {
    struct { const bw_job_bake *data; size_t count; } bakes;
    void *arena;
} bw_job;

/* Reads a job file.  Out: job — new, free with bw_free_job; its paths, relative to the file's folder in the file, are relative to the working
 * folder.  In: path; run — for its memory limit; NULL: default.
 * Err: FILE_*, EMPTY, JSON, MEMORY; UNSUPPORTED (another schema); USAGE naming what is unknown, out of range or of another type:
 * "bakes[1].foo".  Source: docs/FORMATS.md. */
bw_result bw_job_load(bw_job **job, const char *path, const bw_run_opts *run, bw_error *error);
void bw_free_job(bw_job *job); /* NULL-safe */
/* Text of a job file with every option, those at their default too; null where a default depends on the scene.  Free with bw_free_text
 * (info.h); NULL if memory fails. */
char *bw_job_json(const bw_job *job);

#ifdef __cplusplus
}
#endif
#endif
