/* SPDX-License-Identifier: MIT
 * Curves in an Alembic archive for made assets.  What fails ends the program. */
#ifndef SAMPLES_ABC_H
#define SAMPLES_ABC_H

#include <bakewell/bakewell.h>

typedef struct abc {
    bw_alembic_writer *writer;
    bw_alembic_id curves, geometry, attributes, positions, bounds;
    size_t point_count;
} abc;

/* Begins folder/name.abc: a transform that moves by `translation`, below it linear curves of `counts` points each, `rate` frames a second. */
void abc_begin(abc *a, const char *folder, const char *name, const char *application, const double translation[3], const int32_t *counts,
               size_t curve_count, double rate);
/* An attribute of the curves.  In: scope — "con", "uni", "vtx"; values — [count][extent] of the pod's C type, or strings. */
void abc_attribute(abc *a, const char *name, const char *scope, bw_alembic_pod pod, uint32_t extent, const void *values, size_t count);
/* The next frame's positions. */
void abc_frame(abc *a, const float *positions);
void abc_end(abc *a);

#endif
