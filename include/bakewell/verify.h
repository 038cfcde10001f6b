/* SPDX-License-Identifier: MIT
 * Verify: decode what is on disk, compare, report. */
#ifndef BAKEWELL_VERIFY_H
#define BAKEWELL_VERIFY_H

#include "bakewell/pivot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of verify; {0} is the default.  Meaning and range of each field stand in options_verify.def. */
typedef struct bw_verify_opts {
#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) ctype field;
#include "bakewell/options_verify.def"
#undef BW_OPT
    bw_run_opts run;
} bw_verify_opts;

/* What verify found.  Owned by one arena: bw_free_verify_report. */
typedef struct bw_verify_report {
    const char *family;       /* "vat", "pivot" */
    const char *mode, *layout; /* of vat.  These are NULL, and counts 0, where the files differ so much that none could be decoded */
    uint32_t vertex_count, frame_count;
    struct { const bw_baked_clip *data; size_t count; } clips;
    bw_pivot_facts pivot;     /* of pivot; its error is measured now, or zero unless compared */
    bw_warning_list findings; /* what differs: sizes, hashes, bounds, UV centres, order hash, probes, an error above the bake's; empty if all is well */
    bool foreign;             /* made by OpenVAT, told by its JSON: there is no source to compare with */
    bool compared;            /* with a source */
    bool bounds_kept;         /* max_error and max_between hold, or were not given */
    bw_error_report error;    /* of vat; zero unless compared */
    struct { const bw_baked_level *data; size_t count; } levels; /* errors likewise */
    bw_warning_list warnings; /* of reading the source; of a bake that OpenVAT made: what may go wrong with it in an engine */
    void *arena;
} bw_verify_report;

/* Checks a bake's files against their manifest and, if opts->against is given, against the source; or OpenVAT's files against its format.
 * Out: report — new, free with bw_free_verify_report; also set when BW_ERR_DIFFERS or BW_ERR_BOUND_MISSED.
 * In: manifest_path — the manifest, or OpenVAT's NAME-remap_info.json; opts — NULL: defaults.
 * Err: BW_ERR_DIFFERS (findings say what), BW_ERR_BOUND_MISSED, and what reading files gives.  Source: docs/FORMATS.md. */
bw_result bw_verify(bw_verify_report **report, const char *manifest_path, const bw_verify_opts *opts, bw_error *error);
void bw_free_verify_report(bw_verify_report *report);

#ifdef __cplusplus
}
#endif
#endif
