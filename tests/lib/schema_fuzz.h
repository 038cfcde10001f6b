/* SPDX-License-Identifier: MIT
 * What the fuzz harnesses of Alembic's schemas share: bytes become calls of the writer, these an archive, and each object is looked at through the
 * typed layer.  Zeros stand for what exporters write, other bytes for departures from it; no bytes at all are a sound archive. */
#ifndef TESTS_SCHEMA_FUZZ_H
#define TESTS_SCHEMA_FUZZ_H

#include "alembic/schema.h"

/* Which objects an archive is made of: up to four schemas, those left 0 do not count. */
typedef struct schema_fuzz_plan { bwi_abc_schema schemas[4]; } schema_fuzz_plan;

/* Aborts, saying what, where something does not hold; in every build. */
void schema_fuzz_must(bool held, const char *what);
/* True if a call went well; else it must have said where, and what to do. */
bool schema_fuzz_went_well(bw_result result, const bw_error *error);

/* Makes an archive of the bytes; bytes that are one stay as they are.  Out: bytes — to be freed; none behind them belong to the block. */
void schema_fuzz_build(uint8_t **bytes, size_t *bytes_size, const schema_fuzz_plan *plan, const uint8_t *data, size_t size);

/* Called with every object of the archive. */
typedef void schema_fuzz_look(bw_alembic *archive, const bw_alembic_object *object);
/* Builds, opens, looks.  For LLVMFuzzerTestOneInput. */
void schema_fuzz_run(const schema_fuzz_plan *plan, schema_fuzz_look *look, const uint8_t *data, size_t size);

/* Which samples are looked at: the first ones, the last, and one past all. */
enum { SCHEMA_FUZZ_PICKS = 10 };
uint32_t schema_fuzz_pick(uint32_t pick, uint32_t sample_count);

/* Reads all values of a sample. */
void schema_fuzz_read(const bw_alembic_sample *sample);
/* Looks at samples of an attribute.  In: counts — of the geometry's sample; NULL: unknown. */
void schema_fuzz_look_at_param(const bw_alembic *archive, const bwi_abc_param *param, uint32_t index, const bwi_abc_counts *counts);

#endif
