/* SPDX-License-Identifier: MIT
 * Writing Alembic archives (Ogawa): add objects and properties to a tree, put samples, finish.
 *
 * Samples may be put in any order of properties, a frame at a time or a property at a time: everything stays open until it is ended, its parent
 * ends, or the archive is finished.  Values go to the disk at once; equal ones are stored once.  The file appears under its name when it is
 * whole.  What kinds of archive, object and property there are: bakewell/alembic.h.  What exporters put into them: docs/ALEMBIC.md. */
#ifndef BAKEWELL_ALEMBIC_WRITE_H
#define BAKEWELL_ALEMBIC_WRITE_H

#include "bakewell/alembic.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bw_alembic_writer bw_alembic_writer;

/* An object or a property of a writer.  A number is never used twice, so that what has ended is told from what is open. */
typedef uint64_t bw_alembic_id;
/* The top object, "/": there from the start. */
#define BW_ALEMBIC_TOP ((bw_alembic_id)0)

/* Metadata below is that of bakewell/alembic.h; NULL: none.  Where `text` is set it is written as it is: what was read from an archive stays the
 * same.  Where it is not, the pairs of `data` are written, in any order; those with an empty value are left out, and neither ';' nor '=' may be
 * in a key or a value. */

typedef struct bw_alembic_write_opts {
    /* Of the archive.  Keys by custom: "_ai_Application", "_ai_Description", "_ai_DateWritten", "_ai_DCC_FPS".  "_ai_AlembicVersion", without
     * which some programs take no archive, is added to pairs that lack it; no date is. */
    const bw_alembic_metadata *metadata;
    bw_write_opts write; /* before_write; a file is always written anew */
    bw_run_opts run;     /* memory_limit */
} bw_alembic_write_opts;

typedef struct bw_alembic_property_opts {
    bw_alembic_kind kind;   /* default: a compound, for which only `metadata` counts */
    bw_alembic_pod pod;     /* must be given */
    uint32_t extent;        /* values of a point, 1 to 255; 0: 1 */
    uint32_t time_sampling; /* 0, or from bw_alembic_add_time_sampling */
    const bw_alembic_metadata *metadata;
} bw_alembic_property_opts;

/* Begins an archive.  Out: writer — new; bw_alembic_finish and then bw_free_alembic_writer.  In: path — an existing file there is replaced when
 * the new one is whole; a missing folder is made.  Err: USAGE (the path ends in no file name; metadata), FILE_WRITE, FILE_IS_FOLDER, MEMORY.
 * In: opts — NULL: defaults.  Cost: besides 1 MiB, memory grows with the objects and properties, by 8 to 16 bytes for each sample of a scalar and
 * 16 to 32 of an array (from its first change to its last; none where it never changes) until it is ended, and by at most 72 MiB to find equal
 * samples; not with their size.  Not thread-safe, nor are the calls below for one writer. */
bw_result bw_alembic_create(bw_alembic_writer **writer, const char *path, const bw_alembic_write_opts *opts, bw_error *error);

/* After any of the calls below fails with FILE_WRITE the archive is lost: all further calls but bw_free_alembic_writer fail likewise.  After any
 * other failure nothing has changed, and writing can go on.  All give USAGE for what is not open, and after bw_alembic_finish. */

/* Adds a way of sampling time, or finds an equal one.  Out: index — for properties.  Index 0 is there from the start: uniform, one a second from
 * 0.  In: sampling — kind, time_per_cycle_s (unless acyclic), times_s: one time if uniform, else strictly increasing ones, within one cycle if
 * cyclic; all finite.  24 frames a second from frame 1: {.time_per_cycle_s = 1 / 24., .times_s = {(double[]){1 / 24.}, 1}}.
 * Err: USAGE, MEMORY. */
bw_result bw_alembic_add_time_sampling(uint32_t *index, bw_alembic_writer *writer, const bw_alembic_time_sampling *sampling, bw_error *error);

/* Adds an object.  Out: object.  In: parent — an open object; name — not empty, without '/', not that of a sibling.
 * Err: USAGE (also: nested deeper than 1,000), MEMORY. */
bw_result bw_alembic_add_object(bw_alembic_id *object, bw_alembic_writer *writer, bw_alembic_id parent, const char *name,
                                const bw_alembic_metadata *metadata, bw_error *error);
/* Adds a property.  Out: property.  In: parent — an open object or compound; name — as for objects; opts — NULL: a compound.
 * Err: USAGE (also: nested deeper than 1,000), MEMORY. */
bw_result bw_alembic_add_property(bw_alembic_id *property, bw_alembic_writer *writer, bw_alembic_id parent, const char *name,
                                  const bw_alembic_property_opts *opts, bw_error *error);

/* Puts the next sample of a property of any pod but strings.  In: property — an open scalar or array; values — [point_count][extent] of the
 * pod's C type (bool: a byte), may be NULL if there are none; point_count — 1 for a scalar.  Err: USAGE (also: more samples than an acyclic time
 * sampling has times), FILE_WRITE, MEMORY.  Cost: a hash of the values; a comparison with what is on the disk if they were put before. */
bw_result bw_alembic_put(bw_alembic_writer *writer, bw_alembic_id property, const void *values, uint64_t point_count, bw_error *error);
/* Puts the next sample of a string or wide string property.  In: strings — [count], a multiple of the extent; UTF-8 for wide ones.
 * Err: as bw_alembic_put; USAGE also for what is no UTF-8.  Cost: as bw_alembic_put, and a copy of the strings while it runs. */
bw_result bw_alembic_put_strings(bw_alembic_writer *writer, bw_alembic_id property, const char *const *strings, size_t count, bw_error *error);
/* Puts the next sample of any property from bytes as they lie in a file: those of bw_alembic_view, or made by hand.  In: sample — bytes, size,
 * rank and dimensions (rank 0: one dimension, counted) are used; bytes hold little-endian values, or strings each with its zero.  This is how an
 * array gets two and more dimensions.  Err: as bw_alembic_put; USAGE also where dimensions and size disagree. */
bw_result bw_alembic_put_sample(bw_alembic_writer *writer, bw_alembic_id property, const bw_alembic_sample *sample, bw_error *error);
/* Puts the previous sample again, without its values being passed or hashed.  Err: USAGE (there is none), MEMORY. */
bw_result bw_alembic_repeat(bw_alembic_writer *writer, bw_alembic_id property, bw_error *error);

/* Ends an object or property and all below it, which frees the memory they hold; optional.  Err: FILE_WRITE, MEMORY, USAGE (the top object). */
bw_result bw_alembic_end(bw_alembic_writer *writer, bw_alembic_id id, bw_error *error);
/* Ends all that is open; the file appears, unless one of the same bytes is there.  Err: FILE_WRITE, MEMORY.
 * Cost: the file is mapped and read once more, and compared with one of its size that it would replace. */
bw_result bw_alembic_finish(bw_alembic_writer *writer, bw_error *error);
/* NULL-safe; without bw_alembic_finish nothing has changed on the disk. */
void bw_free_alembic_writer(bw_alembic_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
