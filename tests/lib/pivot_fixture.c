/* SPDX-License-Identifier: MIT
 * Plans found in scenes made by hand, for tests. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "pivot_fixture.h"

bw_result pivot_find_by(pivot_fixture *f, const bw_scene *scene, const bw_pivot_opts *opts, uint32_t threads) {
    memset(f, 0, sizeof *f);
    bwi_mem_init(&f->mem, 0);
    f->arena = bwi_arena_create(&f->mem);
    bwi_warnings_init(&f->warnings, f->arena);
    const bwi_env env = {&f->mem, threads, NULL};
    return bwi_pivot_find(&f->plan, scene, opts, &env, &f->warnings, &f->error);
}

bw_result pivot_find(pivot_fixture *f, const bw_scene *scene, const bw_pivot_opts *opts) {
    return pivot_find_by(f, scene, opts, 1);
}

void pivot_close(pivot_fixture *f) {
    bwi_pivot_plan_free(f->plan);
    bwi_arena_free(f->arena);
    memset(f, 0, sizeof *f);
}

const bw_warning *pivot_warning(const pivot_fixture *f, const char *code) {
    for (size_t i = 0; i < f->warnings.count; i++) {
        if (strcmp(f->warnings.data[i].code, code) == 0)
            return &f->warnings.data[i];
    }
    return NULL;
}

const bw_pivot_element *pivot_named(const pivot_fixture *f, const char *name) {
    for (size_t i = 0; i < f->plan->elements.count; i++) {
        if (strcmp(f->plan->elements.data[i].name, name) == 0)
            return &f->plan->elements.data[i];
    }
    fail_msg("no element %s", name);
    return NULL;
}

const char *pivot_parent(const pivot_fixture *f, const char *name) {
    const uint32_t parent = pivot_named(f, name)->parent;
    return parent == BW_NO_INDEX ? "" : f->plan->elements.data[parent].name;
}

void pivot_expect_same(const bw_pivot_plan *a, const bw_pivot_plan *b) {
    assert_int_equal(a->elements.count, b->elements.count);
    for (size_t i = 0; i < a->elements.count; i++) {
        bw_pivot_element x = a->elements.data[i], y = b->elements.data[i];
        assert_string_equal(x.name, y.name);
        assert_memory_equal(x.pivot, y.pivot, sizeof x.pivot);
        assert_memory_equal(x.axes, y.axes, sizeof x.axes);
        assert_memory_equal(x.extents, y.extents, sizeof x.extents);
        assert_memory_equal(&x.confidence, &y.confidence, sizeof x.confidence);
        assert_memory_equal(&x.distance, &y.distance, sizeof x.distance);
        assert_int_equal(x.parent, y.parent);
        assert_int_equal(x.found, y.found);
    }
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * 3 * sizeof(float));
    assert_memory_equal(a->vertex_elements, b->vertex_elements, a->vertex_count * sizeof(uint32_t));
}
