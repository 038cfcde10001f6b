/* SPDX-License-Identifier: MIT
 * The vertex list of a scene and its values at a time, for tests. */
#ifndef TESTS_LIST_FIXTURE_H
#define TESTS_LIST_FIXTURE_H

#include "sample/sample.h"

typedef struct list_fixture {
    bwi_mem mem;
    bwi_arena *arena;
    bwi_env env;
    bwi_warnings warnings;
    bw_error error;
    bwi_vertex_list *list;
    bwi_sampler *sampler;
    float *positions, *normals, *tangents; /* of the last evaluation */
} list_fixture;

/* Builds list and sampler; the result of the first call that fails. */
bw_result fixture_open(list_fixture *f, const bw_scene *scene, const bwi_node_filter *filter);
/* clip NULL: the rest pose. */
void fixture_evaluate(list_fixture *f, const bw_clip *clip, double time_s);
void fixture_close(list_fixture *f);
/* Count of a warning; 0: not given. */
uint64_t fixture_warned(const list_fixture *f, const char *code);

#endif
