/* SPDX-License-Identifier: MIT
 * What the manifest's writer and reader share: the names of enums, the options, and values that are checked as they are read. */
#ifndef BWI_MODEL_MODEL_PRIV_H
#define BWI_MODEL_MODEL_PRIV_H

#include "base/hash.h"
#include "base/json.h"
#include "model/manifest.h"

/* Names in JSON; index = value of the enum; NULL-terminated. */
extern const char *const bwi_texture_role_names[];
extern const char *const bwi_texture_decode_names[];

/* ---- reading: model_manifest_value.c ---- */

enum { BWI_LARGEST_SIDE = 16384 }; /* of a texture */

typedef struct bwi_reader {
    const char *path;
    bwi_arena *arena;
    bw_error *error;
    bw_result result; /* of the first failure */
} bwi_reader;

/* Where a value stands: a chain to the root, made into text only for a message. */
typedef struct bwi_place {
    const struct bwi_place *up;
    const char *key; /* NULL: `index` of an array */
    size_t index;
} bwi_place;

/* Fails, as MALFORMED or as told; always false. */
bool bwi_refuse(bwi_reader *r, const bwi_place *at, const json_t *value, const char *expected);
bool bwi_refuse_as(bwi_reader *r, bw_result result, const bwi_place *at, const json_t *value, const char *expected);
bool bwi_refuse_memory(bwi_reader *r, size_t wanted);
/* From the reader's arena; NULL: refused. */
void *bwi_take(bwi_reader *r, size_t count, size_t size);
bool bwi_keep_string(bwi_reader *r, const char **out, const char *text);

/* One key of `object`, which stands at `up`.  False: refused with the key's place. */
bool bwi_get_object(bwi_reader *r, const json_t **out, const bwi_place *up, const json_t *object, const char *key);
bool bwi_get_array(bwi_reader *r, const json_t **out, const bwi_place *up, const json_t *object, const char *key);
bool bwi_get_raw_string(bwi_reader *r, const char **out, const bwi_place *up, const json_t *object, const char *key); /* the JSON's */
bool bwi_get_string(bwi_reader *r, const char **out, const bwi_place *up, const json_t *object, const char *key);     /* a copy */
bool bwi_get_uint(bwi_reader *r, uint32_t *out, const bwi_place *up, const json_t *object, const char *key, uint32_t min, uint32_t max);
bool bwi_get_uint64(bwi_reader *r, uint64_t *out, const bwi_place *up, const json_t *object, const char *key, int64_t min, int64_t max);
bool bwi_get_real(bwi_reader *r, double *out, const bwi_place *up, const json_t *object, const char *key, double min);
bool bwi_get_bool(bwi_reader *r, bool *out, const bwi_place *up, const json_t *object, const char *key);
bool bwi_get_vec3(bwi_reader *r, float out[3], const bwi_place *up, const json_t *object, const char *key);
/* An object with "min" and "max"; bounds: the one at "bounds". */
bool bwi_get_box(bwi_reader *r, float min[3], float max[3], const bwi_place *up, const json_t *object, const char *key);
bool bwi_get_bounds(bwi_reader *r, float min[3], float max[3], const bwi_place *up, const json_t *object);
bool bwi_get_hash(bwi_reader *r, uint8_t hash[16], const bwi_place *up, const json_t *object, const char *key);
/* A file beside the manifest: a name without folders, so that a manifest cannot point anywhere else. */
bool bwi_get_file_name(bwi_reader *r, const char **out, const bwi_place *up, const json_t *object, const char *key);
/* Index of a name in a NULL-terminated list, or the list's own text. */
bool bwi_get_name(bwi_reader *r, int *out, const bwi_place *up, const json_t *object, const char *key, const char *const *names);
bool bwi_keep_name(bwi_reader *r, const char **out, const bwi_place *up, const json_t *object, const char *key, const char *const *names);
/* Value of an enum whose names an option row holds; `unknown` is the result for a name that is not there. */
bool bwi_get_choice(bwi_reader *r, int *out, const json_t *root, const char *key, bw_result unknown);
bool bwi_get_format(bwi_reader *r, bw_vat_format *out, const bwi_place *up, const json_t *object);

/* ---- what all families share: model_manifest_shared.c ---- */

void bwi_put_family(bwi_json_writer *w, const char *generator, const char *family);
void bwi_put_hash(bwi_json_writer *w, const uint8_t hash[16]);
void bwi_put_vec3(bwi_json_writer *w, const char *key, const float v[3]);
/* A value of an enum whose name an option row of vat holds. */
void bwi_put_choice(bwi_json_writer *w, const char *key, int value);
void bwi_put_file(bwi_json_writer *w, const bwi_manifest_file *file);
void bwi_put_space(bwi_json_writer *w, const bwi_space_name *space);
void bwi_put_source(bwi_json_writer *w, const bwi_manifest_file *files, size_t count);
/* Ends the writer.  Err: FILE_WRITE, MEMORY. */
bw_result bwi_put_end(bwi_json_writer *w, FILE *file, const char *path, bwi_mem *mem, bw_error *error);

bw_result bwi_manifest_json(json_t **root, const char *text, size_t size, const bwi_mem *mem, const char *path, bw_error *error);
/* Schema and family, which say whether the rest can be understood at all. */
bool bwi_get_family(bwi_reader *r, const char **generator, const json_t *root, const char *family);
bool bwi_get_space(bwi_reader *r, bwi_space_name *out, const json_t *root);
bool bwi_get_file(bwi_reader *r, bwi_manifest_file *file, const bwi_place *at, const json_t *object, bool plain); /* plain: beside the manifest */
bool bwi_get_mesh(bwi_reader *r, bwi_manifest_file *mesh, const json_t *root);
bool bwi_get_source(bwi_reader *r, bwi_manifest_file **out, size_t *out_count, const json_t *root);

/* Blocks of a size that hold so many. */
uint32_t bwi_blocks_of(uint32_t count, uint32_t size);

/* "textures" of a manifest whose bones, frames and clips are known. */
bool bwi_manifest_read_textures(bwi_reader *r, bwi_manifest *m, const json_t *root);

/* ---- clips, options ---- */

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
void bwi_manifest_options_write(bwi_json_writer *w, bw_option_list table, const void *opts);
/* Reads such an object.  Strings and arrays live in the arena; unknown keys are passed over.  In: path — for messages.
 * Err: MALFORMED naming "options.key", MEMORY. */
bw_result bwi_manifest_options_read(void *opts, bw_option_list table, bwi_arena *arena, const json_t *object, const char *path,
                                    bw_error *error);
/* True if both structs of a table say the same.  False also where memory fails. */
bool bwi_options_equal(bw_option_list table, const void *a, const void *b, bwi_mem *mem);

#endif
