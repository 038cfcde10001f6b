/* SPDX-License-Identifier: MIT
 * What the manifest's writer and reader share: the names of enums and the options. */
#ifndef BWI_MODEL_MODEL_PRIV_H
#define BWI_MODEL_MODEL_PRIV_H

#include "base/hash.h"
#include "base/json.h"
#include "model/manifest.h"

/* Names in JSON; index = value of the enum; NULL-terminated. */
extern const char *const bwi_texture_role_names[];
extern const char *const bwi_texture_decode_names[];

/* A clip's "root", "attachments" and "events"; each key only where there is something. */
void bwi_manifest_tracks_write(bwi_json_writer *w, const bwi_manifest_clip *clip);
/* Reads them; the clip's frames and duration are known.  In: item — the clip's object, at clips[index].
 * Err: MALFORMED (names the key), MEMORY. */
bw_result bwi_manifest_tracks_read(bwi_manifest_clip *clip, bwi_arena *arena, const json_t *item, size_t index, const char *path,
                                   bw_error *error);

/* Name of a CHOICE option's value: choices[value − 1] into name (64 bytes).  False for 0 and values past the last choice. */
bool bwi_choice_name(char name[64], const bw_option *option, int value);
/* Value of a name; 0: none. */
int bwi_choice_value(const bw_option *option, const char *name);

/* Writes {key: value} of every option that is not at its default, as a job file would have it. */
void bwi_manifest_options_write(bwi_json_writer *w, const bw_vat_opts *opts);
/* Reads such an object.  Strings and arrays live in the arena; unknown keys are passed over.  In: path — for messages.
 * Err: MALFORMED naming "options.key", MEMORY. */
bw_result bwi_manifest_options_read(bw_vat_opts *opts, bwi_arena *arena, const json_t *object, const char *path,
                                    bw_error *error);

#endif
