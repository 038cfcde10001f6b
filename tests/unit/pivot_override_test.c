/* SPDX-License-Identifier: MIT
 * The override file: what it sets, and each way in which it may be wrong. */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"
#include "pivot_fixture.h"
#include "plant_fixture.h"

static char path[] = "/tmp/pivot_override_XXXXXX";

static bw_result find_with(pivot_fixture *f, const plant *p, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    const bw_pivot_opts opts = {
        .elements = BW_PIVOT_ELEMENTS_PARTS, .tolerance = {1e-6, BW_LENGTH_METRE}, .override_file = path};
    return pivot_find(f, &p->scene, &opts);
}

/* bark/0 is the trunk, 1 … 3 its branches, leaves/0 … 5 two of each. */
static void grow(plant *p) {
    plant_grow(p, &(plant_shape){2, {3, 2}, false, false, false, false, 0, 1});
    plant_flattened(p);
}

static void what_it_says_is_set(void **state) {
    (void)state;
    plant p;
    pivot_fixture f;
    grow(&p);
    assert_int_equal(find_with(&f, &p, "{}"), BW_OK);
    assert_string_equal(pivot_parent(&f, "leaves/3"), "bark/2");
    assert_int_equal(pivot_named(&f, "leaves/3")->found, BW_PIVOT_FOUND_CONTACT);
    pivot_close(&f);
    assert_int_equal(
        find_with(&f, &p,
                  "{\"leaves/3\": {\"parent\": \"bark/1\", \"pivot\": [1, 2.5, -3], \"axis\": [0, 0, -2]},"
                  " \"bark/3\": {\"parent\": null}, \"leaves/0\": {\"pivot\": [0, 1, 0]}, \"leaves/1\": {},"
                  " \"leaves/2\": {\"axis\": [1e30, 1e30, 0]}}"),
        BW_OK);
    const bw_pivot_element *e = pivot_named(&f, "leaves/3");
    assert_string_equal(pivot_parent(&f, "leaves/3"), "bark/1");
    EXPECT3(e->pivot, 1, 2.5, -3, 0);
    EXPECT3(e->axes[0], 0, 0, -1, 0);
    assert_int_equal(e->found, BW_PIVOT_FOUND_GIVEN);
    EXPECT1(e->confidence, 1, 0);
    EXPECT1(e->distance, 0, 0);
    assert_true(e->extents[0] > 0); /* along that axis, from that pivot */
    e = pivot_named(&f, "bark/3");
    assert_int_equal(e->parent, BW_NO_INDEX);
    double lowest = 1e9;
    for (uint32_t v = p.first[3]; v < p.first[4]; v++)
        lowest = fmin(lowest, (double)p.positions[3 * v + 1]);
    EXPECT1(e->pivot[1], lowest, 0.06); /* the mean of its lowest points */
    e = pivot_named(&f, "leaves/0");
    EXPECT3(e->pivot, 0, 1, 0, 0);
    assert_string_equal(pivot_parent(&f, "leaves/0"), "bark/1");
    assert_int_equal(e->found, BW_PIVOT_FOUND_CONTACT); /* its parent is still a guess */
    EXPECT3(pivot_named(&f, "leaves/2")->axes[0], 0.70710678, 0.70710678, 0, 1e-7);
    pivot_close(&f);
    plant_free(&p);
}

/* With another parent an element hangs by another end. */
static void a_pivot_follows_its_parent(void **state) {
    (void)state;
    plant p;
    pivot_fixture f;
    grow(&p);
    assert_int_equal(find_with(&f, &p, "{\"bark/0\": {\"parent\": \"bark/1\"}, \"bark/1\": {\"parent\": null}}"),
                     BW_OK);
    const bw_pivot_element *e = pivot_named(&f, "bark/0");
    assert_string_equal(pivot_parent(&f, "bark/0"), "bark/1");
    /* One of the trunk's two rings, whichever is nearer to where the branch begins. */
    const bool low = p.pivots[1][1] < 3.0;
    EXPECT3(e->pivot, (low ? p.pivots : p.tips)[0][0], (low ? p.pivots : p.tips)[0][1], (low ? p.pivots : p.tips)[0][2],
            0.001);
    pivot_close(&f);
    plant_free(&p);
}

static const struct {
    const char *text;
    bw_result result;
    const char *message;
} wrong[] = {
    {"", BW_ERR_EMPTY, NULL},
    {"{", BW_ERR_JSON, NULL},
    {"{\"leaves/1\": {}, \"leaves/1\": {}}", BW_ERR_JSON, NULL},
    {"{\"leaves/1\": {\"pivot\": [1e999, 0, 0]}}", BW_ERR_JSON, NULL},
    {"[]", BW_ERR_MALFORMED, "the file is not an object of elements; write {\"name\": {\"parent\": …}, …}"},
    {"{\"leaf\": {}}", BW_ERR_MALFORMED,
     "leaf is no element; there are \"leaves/0\", \"leaves/1\", \"leaves/2\", \"leaves/3\", \"leaves/4\" and 5 more"},
    /* A name that is the beginning of another, and a blank. */
    {"{\"bark/3 \": {}}", BW_ERR_MALFORMED,
     "bark/3  is no element; there are \"bark/3\", \"bark/0\", \"bark/1\", \"bark/2\", \"leaves/0\" and 5 more"},
    {"{\"leaves/1\": 3}", BW_ERR_MALFORMED,
     "leaves/1 is not an object; write {\"parent\": …, \"pivot\": […], \"axis\": […]}, each where it is wanted"},
    {"{\"leaves/1\": {\"parent\": 3}}", BW_ERR_MALFORMED,
     "leaves/1: parent is neither the name of an element nor null, which makes a root"},
    {"{\"leaves/1\": {\"parent\": \"bark/9\"}}", BW_ERR_MALFORMED,
     "leaves/1: parent bark/9 is no element; there are \"bark/0\", \"bark/1\", \"bark/2\", \"bark/3\", \"leaves/0\" "
     "and 5 more"},
    {"{\"leaves/1\": {\"parent\": \"leaves/1\"}}", BW_ERR_MALFORMED,
     "leaves/1: parent leaves/1 grows from it in the end, so that neither has a root; give one of them another parent"},
    {"{\"bark/0\": {\"parent\": \"leaves/1\"}}", BW_ERR_MALFORMED,
     "bark/0: parent leaves/1 grows from it in the end, so that neither has a root; give one of them another parent"},
    {"{\"leaves/1\": {\"pivot\": [1, 2]}}", BW_ERR_MALFORMED, "leaves/1: pivot is not three numbers, [x, y, z]"},
    {"{\"leaves/1\": {\"pivot\": [1, 2, \"3\"]}}", BW_ERR_MALFORMED, "leaves/1: pivot is not three numbers, [x, y, z]"},
    {"{\"leaves/1\": {\"pivot\": [1e39, 2, 3]}}", BW_ERR_MALFORMED, "leaves/1: pivot is not three numbers, [x, y, z]"},
    {"{\"leaves/1\": {\"axis\": {}}}", BW_ERR_MALFORMED, "leaves/1: axis is not three numbers, [x, y, z]"},
    {"{\"leaves/1\": {\"axis\": [0, -0.0, 0]}}", BW_ERR_MALFORMED,
     "leaves/1: axis [0, 0, 0] has no direction; give one along the element"},
    {"{\"leaves/1\": {\"pivto\": [0, 1, 0]}}", BW_ERR_MALFORMED,
     "leaves/1: pivto is not known; an element has parent, pivot and axis"},
};

static void what_is_wrong_is_told(void **state) {
    (void)state;
    plant p;
    grow(&p);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        pivot_fixture f;
        char message[600];
        assert_int_equal(find_with(&f, &p, wrong[k].text), wrong[k].result);
        snprintf(message, sizeof message, "%s: %s", path, wrong[k].message);
        if (wrong[k].message)
            assert_string_equal(f.error.message, message);
        assert_string_equal(f.error.path, path);
        assert_null(f.plan);
        pivot_close(&f);
    }
    pivot_fixture f;
    const bw_pivot_opts opts = {.override_file = "/nowhere/at/all.json"};
    assert_int_equal(pivot_find(&f, &p.scene, &opts), BW_ERR_FILE_MISSING);
    pivot_close(&f);
    plant_free(&p);
}

int main(void) {
    const int file = mkstemp(path);
    if (file < 0 || close(file) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_says_is_set),
        cmocka_unit_test(a_pivot_follows_its_parent),
        cmocka_unit_test(what_is_wrong_is_told),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
