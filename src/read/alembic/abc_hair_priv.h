/* SPDX-License-Identifier: MIT
 * What the files of the reader of hair in archives share. */
#ifndef BWI_READ_ALEMBIC_ABC_HAIR_PRIV_H
#define BWI_READ_ALEMBIC_ABC_HAIR_PRIV_H

#include "alembic/schema.h"
#include "base/thread.h"
#include "model/hair.h"

typedef struct bwi_abc_hair {
    bw_alembic *archive;
    bwi_arena *arena; /* the hair's */
    bwi_mem *mem;
    bwi_progress *progress;
    bw_error *error;
    bwi_hair_object *objects;
    bwi_hair_curves *curves;
    bwi_hair_attribute *attributes;
    size_t object_count, object_capacity, curve_count, curve_capacity, attribute_count, attribute_capacity;
    uint64_t path_size; /* of all objects' paths */
    struct { const double *data; uint32_t count; } *times; /* [samplings] the longest that were asked for: shorter ones are their beginning */
    const char *tool; /* the first groom_tool */
} bwi_abc_hair;

/* From the hair's arena; on failure fails with `error` and gives NULL. */
void *bwi_abc_hair_alloc(const bwi_abc_hair *h, size_t count, size_t size);
/* Whether a failure ends the reading; others are a problem of one object.  In: error — filled by the call that failed.
 * Out: problem — its sentence without the place; NULL: there is none.  Kept if it is set already. */
bool bwi_abc_hair_is_fatal(const char **problem, bwi_abc_hair *h, bw_result result);
/* Times of the first `count` samples; NULL: more than can be read, or memory failed (then *result is set). */
const double *bwi_abc_hair_times(bw_result *result, bwi_abc_hair *h, uint32_t sampling, uint32_t count);
/* Makes place for one more of a growing array.  Err: MEMORY. */
bw_result bwi_abc_hair_grow(void **data, size_t *capacity, size_t count, size_t size, const bwi_abc_hair *h);
/* Bytes of a sample as an array of their C type: in place where the address allows it.  NULL only if memory fails. */
const void *bwi_abc_hair_values(const bwi_abc_hair *h, const bw_alembic_sample *sample);

/* abc_hair_attribute.c: adds an attribute; what is wrong with it is told in it.  Err: MEMORY. */
bw_result bwi_abc_hair_add_attribute(bwi_abc_hair *h, uint32_t object, bwi_hair_place place, const bw_alembic_property *property);

/* abc_hair_curves.c: curves of an object with their attributes.  In: geometry — what its ".geom" holds.  Out: problem — as in bwi_hair_object.
 * Err: MEMORY, CANCELLED. */
bw_result bwi_abc_hair_add_curves(const char **problem, bwi_abc_hair *h, uint32_t object, const bw_alembic_property_list *geometry);
/* What compounds of attributes hold, of curves and transforms alike. */
bw_result bwi_abc_hair_add_extras(const char **problem, bwi_abc_hair *h, uint32_t object, const bw_alembic_property_list *schema);
/* A property by its name; NULL: there is none. */
const bw_alembic_property *bwi_abc_hair_find(const bw_alembic_property_list *list, const char *name);

#endif
