/* SPDX-License-Identifier: MIT
 * Plans found in scenes made by hand, for tests. */
#ifndef TESTS_PIVOT_FIXTURE_H
#define TESTS_PIVOT_FIXTURE_H

#include "pivot/pivot.h"

typedef struct pivot_fixture {
    bwi_mem mem;
    bwi_arena *arena;
    bwi_warnings warnings;
    bw_error error;
    bw_pivot_plan *plan; /* NULL: it failed */
} pivot_fixture;

bw_result pivot_find(pivot_fixture *f, const bw_scene *scene, const bw_pivot_opts *opts);
bw_result pivot_find_by(pivot_fixture *f, const bw_scene *scene, const bw_pivot_opts *opts, uint32_t threads);
void pivot_close(pivot_fixture *f);
/* The warning, or NULL. */
const bw_warning *pivot_warning(const pivot_fixture *f, const char *code);
/* The element of that name; it must be there. */
const bw_pivot_element *pivot_named(const pivot_fixture *f, const char *name);
const char *pivot_parent(const pivot_fixture *f, const char *name); /* its parent's name, "" of a root */
/* Equal in every bit; cmocka fails where not. */
void pivot_expect_same(const bw_pivot_plan *a, const bw_pivot_plan *b);

#endif
