/* SPDX-License-Identifier: MIT
 * What lies in a box or within reach, against a search of all; sets joined by pairs, against colouring. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/nearest.h"

enum { COUNT = 700 };
static float boxes[COUNT][6];
static uint32_t state_of_random = 1;

static float random_unit(void) {
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (float)(state_of_random >> 8) / 16777216.0f;
}

static void throw_boxes(void) {
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++) {
            boxes[i][k] = 10 * random_unit();
            boxes[i][k + 3] = boxes[i][k] + random_unit();
        }
    }
}

static double box_distance(const void *ctx, uint32_t item, const double p[3]) {
    (void)ctx;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double under = (double)boxes[item][k] - p[k], over = p[k] - (double)boxes[item][k + 3];
        const double off = fmax(fmax(under, over), 0);
        sum += off * off;
    }
    return sum;
}

static void mark(void *ctx, uint32_t item) {
    ((uint8_t *)ctx)[item]++;
}

static void a_visit_misses_nothing_and_tells_each_once(void **state) {
    (void)state;
    throw_boxes();
    bwi_arena *arena = bwi_arena_create_owning(1 << 24);
    bwi_box_tree tree;
    assert_int_equal(bwi_box_tree_build(&tree, arena, boxes[0], boxes[0] + 3, 6, COUNT, NULL), BW_OK);
    size_t told = 0, inside = 0;
    for (int q = 0; q < 200; q++) {
        float low[3], high[3];
        uint8_t seen[COUNT] = {0};
        for (int k = 0; k < 3; k++) {
            low[k] = 11 * random_unit();
            high[k] = low[k] + random_unit();
        }
        bwi_box_tree_visit(&tree, NULL, low, high, mark, seen);
        for (int i = 0; i < COUNT; i++) {
            bool meets = true;
            for (int k = 0; k < 3; k++)
                meets = meets && boxes[i][k] <= high[k] && boxes[i][k + 3] >= low[k];
            assert_true(seen[i] <= 1);
            assert_true(!meets || seen[i] == 1);
            told += seen[i];
            inside += meets;
        }
    }
    assert_true(inside > 100 && told < 14000); /* a tenth of looking at all */
    bwi_arena_free(arena);
}

static void what_was_taken_is_passed_over(void **state) {
    (void)state;
    throw_boxes();
    bwi_arena *arena = bwi_arena_create_owning(1 << 24);
    bwi_box_tree tree;
    assert_int_equal(bwi_box_tree_build(&tree, arena, boxes[0], boxes[0] + 3, 6, COUNT, NULL), BW_OK);
    uint32_t *live = bwi_arena_alloc(arena, tree.node_count, sizeof *live);
    uint32_t homes[COUNT];
    bwi_box_tree_live(live, homes, &tree);
    const float low[3] = {-1, -1, -1}, high[3] = {20, 20, 20};
    for (uint32_t left = COUNT; left > 0; left--) {
        uint8_t seen[COUNT] = {0};
        uint32_t dead = 0;
        assert_int_equal(live[0], left);
        bwi_box_tree_visit(&tree, live, low, high, mark, seen);
        for (uint32_t i = 0; i < COUNT; i++) {
            const bool taken = i * 37 % COUNT < COUNT - left; /* 37 and 700 have no divisor in common: each once */
            assert_true(taken || seen[i]);
            dead += taken && seen[i];
        }
        assert_true(dead <= 3 * left); /* in leaves of four that hold another */
        for (uint32_t i = 0; i < COUNT; i++) {
            if (i * 37 % COUNT == COUNT - left)
                bwi_box_tree_take(live, homes[i]);
        }
    }
    assert_int_equal(live[0], 0);
    bwi_arena_free(arena);
}

static void nothing_beyond_reach_is_found(void **state) {
    (void)state;
    throw_boxes();
    bwi_arena *arena = bwi_arena_create_owning(1 << 24);
    bwi_box_tree tree;
    assert_int_equal(bwi_box_tree_build(&tree, arena, boxes[0], boxes[0] + 3, 6, COUNT, NULL), BW_OK);
    uint32_t none = 0;
    for (int q = 0; q < 500; q++) {
        double p[3], squared[BWI_NEAREST_MAX];
        uint32_t items[BWI_NEAREST_MAX];
        for (int k = 0; k < 3; k++)
            p[k] = (double)(11 * random_unit());
        const double within = (double)random_unit();
        const uint32_t count =
            bwi_box_tree_nearest(items, squared, &tree, p, BWI_NEAREST_MAX, within, 0, box_distance, NULL);
        uint32_t expected = 0;
        for (uint32_t i = 0; i < COUNT; i++)
            expected += box_distance(NULL, i, p) <= within * within;
        assert_int_equal(count, expected < BWI_NEAREST_MAX ? expected : BWI_NEAREST_MAX);
        for (uint32_t i = 0; i < count; i++)
            assert_true(squared[i] <= within * within);
        none += count == 0;
    }
    assert_true(none > 20 && none < 480);
    bwi_arena_free(arena);
}

static void sets_are_those_of_colouring(void **state) {
    (void)state;
    uint32_t parents[COUNT], colours[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        parents[i] = colours[i] = i;
    for (int pair = 0; pair < 400; pair++) {
        const uint32_t a = (uint32_t)(COUNT * random_unit()), b = (uint32_t)(COUNT * random_unit());
        bwi_set_join(parents, a, b);
        const uint32_t from = colours[a] > colours[b] ? colours[a] : colours[b],
                       to = colours[a] > colours[b] ? colours[b] : colours[a];
        for (uint32_t i = 0; i < COUNT; i++)
            colours[i] = colours[i] == from ? to : colours[i];
    }
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(bwi_set_root(parents, i), colours[i]); /* both are the lowest member */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_visit_misses_nothing_and_tells_each_once),
        cmocka_unit_test(what_was_taken_is_passed_over),
        cmocka_unit_test(nothing_beyond_reach_is_found),
        cmocka_unit_test(sets_are_those_of_colouring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
