/* SPDX-License-Identifier: MIT
 * A groom under way: what checking and repairing share. */
#ifndef BWI_API_API_GROOM_H
#define BWI_API_API_GROOM_H

#include "api/api_priv.h"
#include "groom/groom.h"

typedef struct bwi_groom_job {
    bwi_call call;
    bwi_arena *arena;      /* scratch */
    const bw_groom_opts *opts;
    bw_groom_engine engine; /* never DEFAULT */
    const char *path;
    bwi_hair *hair;
    bwi_groom_space space;
} bwi_groom_job;

/* Reads the file and finds its axes.  End with bwi_groom_job_end, also after a failure. */
bw_result bwi_groom_job_begin(bwi_groom_job *job, const char *path, const bw_groom_opts *opts, bw_error *error);
void bwi_groom_job_end(bwi_groom_job *job);

/* Judges what was read and fills a report, strings copied into its arena. */
bw_result bwi_groom_job_report(bw_groom_report *report, bwi_groom_job *job, bw_error *error);
/* NOT_ACCEPTED with the first finding of level error, or BW_OK. */
bw_result bwi_groom_accepted(const bw_groom_report *report, bw_error *error);

/* Repairs, completes and thins out: the groom that is to be written.  Out: groom — in the arena; changes. */
bw_result bwi_groom_job_mend(bw_groom **groom, bwi_groom_measures *measures, bwi_warnings *changes, bwi_arena *arena, bwi_groom_job *job,
                             bw_error *error);

/* Compares a file that was written with what was meant to be in it, as bwi_read_hair finds it.  In: path — of the file; lossless — every array must
 * come back, bit for bit; else points alone, to a float's rounding.  Err: DIFFERS, and what reading gives. */
bw_result bwi_groom_prove(const char *path, const char *shown_path, const bw_groom *groom, bool lossless, bwi_groom_job *job, bw_error *error);

#endif
