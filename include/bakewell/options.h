/* SPDX-License-Identifier: MIT
 * The option table: one row of an options_*.def file drives the field, the flag, the JSON key, the help and the range test. */
#ifndef BAKEWELL_OPTIONS_H
#define BAKEWELL_OPTIONS_H

#include "bakewell/common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bw_option_kind {
    BW_OPTION_FLAG = 1, /* bool; --x, --no-x */
    BW_OPTION_UINT,     /* uint32_t; 0 is "default" and lies outside [min, max] unless min is 0 */
    BW_OPTION_REAL,     /* double; 0 is "default" likewise */
    BW_OPTION_BYTES,    /* uint64_t; text takes KiB MiB GiB, kB MB GB */
    BW_OPTION_LENGTH,   /* bw_length; text takes mm, cm, m or % and refuses a bare number */
    BW_OPTION_STRING,   /* const char * */
    BW_OPTION_STRINGS,  /* bw_string_list; the flag may be repeated */
    BW_OPTION_CHOICE    /* an enum whose 0 is DEFAULT; choices[k] is value k + 1 */
} bw_option_kind;

typedef struct bw_option {
    const char *key; /* JSON key: "max_size"; the flag is "--max-size" */
    bw_option_kind kind;
    const char *metavar;  /* "N"; NULL for flags; "FILES": paths, which a job file names from its own folder */
    const char *choices;  /* "generic|unity|unreal", NULL unless CHOICE */
    const char *preset;   /* the default as shown to people; NULL: none */
    double min, max;      /* range of UINT, REAL, BYTES and of LENGTH's number as typed; ignored else */
    const char *help;     /* one line, no full stop */
    size_t offset;        /* of the field in its struct */
    size_t size;          /* of the field */
} bw_option;

typedef struct bw_option_list {
    const bw_option *data;
    size_t count;
} bw_option_list;

/* The tables: of bw_run_opts, bw_write_opts, bw_vat_opts, bw_verify_opts, bw_info_opts, bw_groom_opts and bw_pivot_opts (without the embedded structs of the first two). */
bw_option_list bw_run_options(void);
bw_option_list bw_write_options(void);
bw_option_list bw_vat_options(void);
bw_option_list bw_verify_options(void);
bw_option_list bw_info_options(void);
bw_option_list bw_groom_options(void);
bw_option_list bw_pivot_options(void);

/* The row whose key (or flag spelling, '-' and '_' alike) is `name`; NULL if none. */
const bw_option *bw_option_find(bw_option_list table, const char *name);

/* The name among `count` that is nearest to a mistyped one, '-' and '_' alike; NULL if none is near. */
const char *bw_nearest_name(const char *mistyped, const char *const *names, size_t count);

/* Sets one field from text, range-checked.  Out: opts — the struct the table belongs to, unchanged on failure.  In: text — UTF-8, NULL only
 * for FLAG (true).  The text of STRING is kept by pointer; STRINGS appends to an array that bw_options_free releases.
 * Err: BW_ERR_USAGE with what was found and what is taken.  Thread-safe for distinct opts. */
bw_result bw_option_set(void *opts, const bw_option *option, const char *text, bw_error *error);
/* Releases what bw_option_set allocated in opts (STRINGS arrays) and zeroes those fields.  NULL-safe. */
void bw_options_free(bw_option_list table, void *opts);
/* Checks every field of opts against its row.  Err: BW_ERR_USAGE naming the key. */
bw_result bw_options_check(bw_option_list table, const void *opts, bw_error *error);

/* Reads a length as the command line does: "0.5mm", "2cm", "1m", "0.05%".  Err: BW_ERR_USAGE (no unit, not a number, negative, not finite). */
bw_result bw_length_parse(bw_length *length, const char *text, bw_error *error);

#ifdef __cplusplus
}
#endif
#endif
