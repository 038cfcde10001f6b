/* SPDX-License-Identifier: MIT
 * Hair made by hand for tests: objects, curves and attributes as a reader would give them. */
#ifndef TEST_HAIR_BUILDER_H
#define TEST_HAIR_BUILDER_H

#include "groom/groom.h"

enum { HAIR_OBJECTS = 128, HAIR_ATTRIBUTES = 64 };

typedef struct hair_builder {
    bwi_hair_object objects[HAIR_OBJECTS];
    bwi_hair_curves curves[HAIR_OBJECTS];
    bwi_hair_attribute attributes[HAIR_ATTRIBUTES];
    bwi_hair hair;
} hair_builder;

void hair_init(hair_builder *b);
/* In: matrix — column-major; NULL: the identity.  Returns its number. */
uint32_t hair_xform(hair_builder *b, const char *path, uint32_t parent, const double *matrix);
uint32_t hair_object(hair_builder *b, const char *path, uint32_t parent, bwi_hair_kind kind);
/* Polylines; arrays are kept by pointer. */
bwi_hair_curves *hair_curves(hair_builder *b, const char *path, uint32_t parent, const int32_t *counts, uint64_t curve_count,
                             const float *positions, uint64_t point_count);
/* An array of the curves made last; values are kept by pointer. */
bwi_hair_attribute *hair_attribute(hair_builder *b, const char *name, bw_alembic_pod pod, uint32_t extent, bw_alembic_scope scope,
                                   uint64_t count, const void *values);
bwi_hair_attribute *hair_texts(hair_builder *b, const char *name, bw_alembic_scope scope, uint64_t count, const char *const *texts);

/* A repair and what came of it. */
typedef struct hair_fix {
    bwi_mem mem;
    bwi_arena *arena;
    bwi_env env;
    bwi_warnings changes;
    bwi_groom_measures measures;
    bwi_groom_space space;
    bw_groom *groom;
    bw_error error;
} hair_fix;

/* Axes and units as the options and the file say. */
bw_result hair_repair(hair_fix *f, const hair_builder *b, const bw_groom_opts *opts, uint32_t threads);
void hair_close(hair_fix *f);
/* Count of a change; 0: it was not made. */
uint64_t hair_change(const hair_fix *f, const char *code);

#endif
