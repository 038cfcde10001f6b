/* SPDX-License-Identifier: MIT
 * Option values as JSON, by the option table alone: for manifests and job files. */
#ifndef BWI_MODEL_OPTION_JSON_H
#define BWI_MODEL_OPTION_JSON_H

#include "bakewell/options.h"
#include "base/json.h"
#include "base/mem.h"

/* Writes key and value of the options of a struct, inside an object.  An option at its default, whether 0 or spelled out, is left out; or with
 * `all` written as its default, null where that depends on the scene. */
void bwi_options_write(bwi_json_writer *w, bw_option_list table, const void *opts, bool all);

/* What a message says of a value that is refused. */
typedef struct bwi_option_place {
    const char *path;  /* the file */
    const char *owner; /* where the object stands in it: "options", "bakes[1]" */
    const char *help;  /* the next step */
    bw_result result;
} bwi_option_place;

/* Sets one field; null sets the default.  Strings and arrays live in the arena.
 * Err: place->result naming "owner.key", MEMORY. */
bw_result bwi_option_read(void *opts, const bw_option *option, bwi_arena *arena, const json_t *value, const bwi_option_place *place,
                          bw_error *error);

#endif
