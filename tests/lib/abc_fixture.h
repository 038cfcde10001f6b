/* SPDX-License-Identifier: MIT
 * Alembic scenes that tests write and read back. */
#ifndef TESTS_ABC_FIXTURE_H
#define TESTS_ABC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bakewell/alembic_write.h"
#include "bakewell/scene.h"

typedef struct abc_fixture {
    char folder[32], path[64];
    bw_alembic_writer *w;
    uint32_t frames; /* time sampling: 25 a second from 0.2 s */
    bw_scene *scene;
    bw_error error;
} abc_fixture;

void abc_begin(abc_fixture *a);
/* Ends the archive and reads it as a scene, Y up, in metres; read_whole fails the test where that fails. */
bw_result abc_read_back(abc_fixture *a);
void abc_read_whole(abc_fixture *a);
void abc_end(abc_fixture *a);

bw_alembic_id abc_object(abc_fixture *a, bw_alembic_id parent, const char *name, const char *schema);
bw_alembic_id abc_property(abc_fixture *a, bw_alembic_id parent, const char *name, const bw_alembic_property_opts *opts);
/* All samples of an array, each of `points`, of pods of four bytes. */
void abc_array(abc_fixture *a, bw_alembic_id parent, const char *name, const char *scope, bw_alembic_pod pod, uint32_t extent,
               uint32_t samples, const void *values, uint64_t points);
void abc_scalar(abc_fixture *a, bw_alembic_id parent, const char *name, bw_alembic_pod pod, uint32_t extent, uint32_t samples,
                const void *values, size_t size);

/* A strip of two quads, clockwise: points 0 1 2 below, 3 4 5 above; in the second sample its middle has moved. */
extern const int32_t abc_strip_counts[2], abc_strip_corners[8];
extern const float abc_strip[2][18];
/* The strip as an object; returns the compound of its geometry. */
bw_alembic_id abc_mesh(abc_fixture *a, bw_alembic_id parent, const char *name, uint32_t samples);
/* In: travel — [samples][3]; inherits — NULL: not said. */
bw_alembic_id abc_xform(abc_fixture *a, bw_alembic_id parent, const char *name, uint32_t samples, const double *travel,
                        const bool *inherits);
bw_alembic_id abc_instance(abc_fixture *a, bw_alembic_id parent, const char *name, const char *source);

/* How often a scene warns of something. */
uint64_t abc_warned(const bw_scene *scene, const char *code);
/* The first primitive of a node's mesh. */
const bw_primitive *abc_primitive_of(const bw_scene *scene, const char *name);

#endif
