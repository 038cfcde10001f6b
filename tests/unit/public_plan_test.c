/* SPDX-License-Identifier: MIT
 * Elements of a scene file, found by the public call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bakewell/bakewell.h"

static const char *asset(const char *name) {
    static char path[600];
    const char *assets = getenv("ASSETS");
    snprintf(path, sizeof path, "%s/%s", assets ? assets : ".", name);
    return path;
}

static bool cancel_at(void *ctx, const char *phase, uint64_t done, uint64_t total) {
    (void)done;
    (void)total;
    return strcmp(phase, ctx) != 0;
}

/* Boxes that nodes move: their names, and the scene that holds their materials as long as the plan lives. */
static void a_plan_keeps_its_scene(void **state) {
    (void)state;
    bw_pivot_plan *plan = NULL;
    bw_error error = {0};
    assert_int_equal(bw_pivot_plan_make(&plan, asset("crates.glb"), NULL, &error), BW_OK);
    assert_string_equal(plan->kind, "nodes");
    assert_true(plan->elements.count > 1 && plan->scene->nodes.count >= plan->elements.count);
    for (size_t e = 0; e < plan->elements.count; e++) {
        size_t found = 0;
        for (size_t n = 0; n < plan->scene->nodes.count; n++)
            found += strcmp(plan->scene->nodes.data[n].name, plan->elements.data[e].name) == 0;
        assert_int_equal(found, 1);
    }
    for (size_t k = 0; k < plan->primitives.count; k++)
        assert_true(plan->primitives.data[k].material == BW_NO_INDEX ||
                    plan->primitives.data[k].material < plan->scene->materials.count);
    bw_free_pivot_plan(plan);
    bw_free_pivot_plan(NULL);
}

static void warnings_are_the_plans(void **state) {
    (void)state;
    bw_pivot_plan *plan = NULL;
    bw_error error = {0};
    assert_int_equal(bw_pivot_plan_make(&plan, asset("rest.glb"), NULL, &error), BW_OK);
    assert_int_equal(plan->elements.count, 1);
    size_t told = 0;
    for (size_t i = 0; i < plan->warnings.count; i++)
        told += strcmp(plan->warnings.data[i].code, "one-element") == 0;
    assert_int_equal(told, 1);
    bw_free_pivot_plan(plan);
}

/* The plan is as it was where a call fails. */
static void failures_leave_the_plan_alone(void **state) {
    (void)state;
    static const struct {
        const char *file;
        bw_pivot_opts opts;
        bw_result result;
    } cases[] = {
        {"nothing.glb", {0}, BW_ERR_FILE_MISSING},
        {"crates.glb", {.max_elements = 40000}, BW_ERR_USAGE},
        {"crates.glb", {.elements = BW_PIVOT_ELEMENTS_JOINTS}, BW_ERR_USAGE},
        {"crates.glb", {.root = "floor"}, BW_ERR_USAGE},
        {"crates.glb", {.override_file = "/nowhere.json"}, BW_ERR_FILE_MISSING},
        {"crates.glb",
         {.elements = BW_PIVOT_ELEMENTS_PARTS, .run = {.progress = cancel_at, .progress_ctx = (void *)"look at parts"}},
         BW_ERR_CANCELLED},
    };
    bw_pivot_plan mine = {0};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        bw_pivot_plan *plan = &mine;
        bw_error error = {0};
        assert_int_equal(bw_pivot_plan_make(&plan, asset(cases[k].file), &cases[k].opts, &error), cases[k].result);
        assert_int_equal(error.result, cases[k].result);
        assert_true(error.message[0] != '\0');
        assert_ptr_equal(plan, &mine);
    }
    bw_free_pivot_plan(&mine); /* a program's own: nothing to free */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_keeps_its_scene),
        cmocka_unit_test(warnings_are_the_plans),
        cmocka_unit_test(failures_leave_the_plan_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
