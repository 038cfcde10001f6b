/* SPDX-License-Identifier: MIT
 * JSON: one streaming writer; reading is jansson's, with our errors and limits. */
#ifndef BWI_BASE_JSON_H
#define BWI_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bakewell/result.h"
#include "base/mem.h"

/* Writes to a FILE or to memory.  Misuse (a value where a key is due) is an assertion.  Numbers are the shortest text that reads back to
 * the same value; not-finite numbers are written as null.  indent 0: one line. */
typedef struct bwi_json_writer bwi_json_writer;
bwi_json_writer *bwi_json_writer_create(bwi_mem *mem, FILE *file, int indent); /* file NULL: into memory */
void bwi_json_begin_object(bwi_json_writer *w);
void bwi_json_end_object(bwi_json_writer *w);
void bwi_json_begin_array(bwi_json_writer *w);
void bwi_json_end_array(bwi_json_writer *w);
void bwi_json_key(bwi_json_writer *w, const char *key);
void bwi_json_string(bwi_json_writer *w, const char *utf8); /* NULL: null; invalid UTF-8 bytes become U+FFFD */
void bwi_json_uint(bwi_json_writer *w, uint64_t value);
void bwi_json_int(bwi_json_writer *w, int64_t value);
void bwi_json_double(bwi_json_writer *w, double value);
void bwi_json_float(bwi_json_writer *w, float value);
void bwi_json_bool(bwi_json_writer *w, bool value);
void bwi_json_raw(bwi_json_writer *w, const char *json_text); /* a whole value, copied as it is */
void bwi_json_value(bwi_json_writer *w, const json_t *value); /* a parsed value, members in their order; recurses as deep as parsing allows */
/* Key and value in one call. */
void bwi_json_key_string(bwi_json_writer *w, const char *key, const char *utf8);
void bwi_json_key_uint(bwi_json_writer *w, const char *key, uint64_t value);
void bwi_json_key_double(bwi_json_writer *w, const char *key, double value);
void bwi_json_key_float(bwi_json_writer *w, const char *key, float value);
void bwi_json_key_bool(bwi_json_writer *w, const char *key, bool value);
/* Ends the document with a newline and frees the writer.  Out: text, size — for memory writers, freed with bwi_free(mem, …); else NULL.
 * False if a write or an allocation failed. */
bool bwi_json_writer_end(bwi_json_writer *w, char **text, size_t *size);

/* Whether text is well-formed UTF-8 (Unicode, table 3-7). */
bool bwi_is_utf8(const char *text);

/* Shortest round-trip text of a number into buffer (at least 32 bytes); returns its length.  Not finite: "null". */
size_t bwi_format_double(char *buffer, double value);
size_t bwi_format_float(char *buffer, float value);

/* Parses UTF-8 JSON.  Refuses text longer than mem's limit / 64 (BW_ERR_MEMORY), since small text can need 46 times its size.  A UTF-8 BOM
 * is skipped.  Err: BW_ERR_JSON with line and column (and offset), duplicate keys included.  Free with json_decref. */
bw_result bwi_json_parse(json_t **root, const char *text, size_t size, const bwi_mem *mem, const char *path, bw_error *error);

#endif
