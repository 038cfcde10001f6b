/* SPDX-License-Identifier: MIT
 * Which element each vertex of a coarser mesh goes with: plants that were grown twice, finely and coarsely. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "pivot_fixture.h"
#include "plant_fixture.h"

static const bw_pivot_opts parts = {.elements = BW_PIVOT_ELEMENTS_PARTS, .tolerance = {1e-6, BW_LENGTH_METRE}};
static const bw_pivot_opts nodes = {.elements = BW_PIVOT_ELEMENTS_NODES};

typedef struct pair {
    plant fine, coarse;
    pivot_fixture f;
    bw_pivot_plan *level;
    double farthest;
} pair;

static void grow(pair *t, plant_shape shape) {
    memset(t, 0, sizeof *t);
    plant_grow(&t->fine, &shape);
    shape.coarse = true;
    plant_grow(&t->coarse, &shape);
    assert_int_equal(t->fine.count, t->coarse.count);
    assert_true(t->coarse.first[t->coarse.limb_count] < t->fine.first[t->fine.limb_count] / 2);
}

static bw_result fit(pair *t, const bw_pivot_opts *opts, uint32_t threads) {
    const bwi_env env = {&t->f.mem, threads, NULL};
    bwi_pivot_plan_free(t->level);
    t->level = NULL;
    return bwi_pivot_level(&t->level, &t->farthest, t->f.plan, &t->coarse.scene, opts, &env, &t->f.warnings,
                           &t->f.error);
}

static void end(pair *t) {
    bwi_pivot_plan_free(t->level);
    pivot_close(&t->f);
    plant_free(&t->fine);
    plant_free(&t->coarse);
}

/* Vertices that go with the element that they were grown with.  In: flattened, the plan's are those of the plant, in its order. */
static uint32_t count_right(const pair *t) {
    uint32_t right = 0;
    assert_int_equal(t->level->vertex_count, t->coarse.first[t->coarse.count]);
    for (uint32_t i = 0; i < t->coarse.count; i++) {
        for (uint32_t v = t->coarse.first[i]; v < t->coarse.first[i + 1]; v++)
            right += t->level->vertex_elements[v] == i;
    }
    return right;
}

static void parts_go_with_what_they_are_next_to(void **state) {
    (void)state;
    pair t;
    grow(&t, (plant_shape){3, {9, 8, 10}, false, false, false, false, 0, 3});
    plant_flattened(&t.fine);
    plant_flattened(&t.coarse);
    assert_int_equal(pivot_find(&t.f, &t.fine.scene, &parts), BW_OK);
    assert_int_equal(fit(&t, &parts, 1), BW_OK);
    assert_ptr_equal(t.level->elements.data, t.f.plan->elements.data);
    const uint32_t right = count_right(&t), all = t.level->vertex_count;
    print_message("%u of %u vertices, %.4f m off at most\n", right, all, t.farthest);
    assert_int_equal(right, all);
    assert_true(t.farthest > 0.001 &&
                t.farthest < 0.1); /* 4 sides for 7 of a trunk 0.2 m thick, and 2 spans of its bend for 5 */
    /* With more threads the same. */
    bw_pivot_plan *one = t.level;
    t.level = NULL;
    assert_int_equal(fit(&t, &parts, 5), BW_OK);
    pivot_expect_same(one, t.level);
    bwi_pivot_plan_free(one);
    end(&t);
}

/* What lies elsewhere but has a name goes with its name. */
static void nodes_go_with_their_names(void **state) {
    (void)state;
    pair t;
    grow(&t, (plant_shape){2, {3, 2}, false, false, false, false, 0, 3});
    plant_as_nodes(&t.fine, "_LOD0");
    plant_as_nodes(&t.coarse, "_LOD1");
    ((bw_node *)t.coarse.scene.nodes.data)[0].translation[0] += 3.0f;
    assert_int_equal(pivot_find(&t.f, &t.fine.scene, &nodes), BW_OK);
    assert_int_equal(fit(&t, &nodes, 1), BW_OK);
    assert_int_equal(count_right(&t), t.level->vertex_count);
    assert_true(t.farthest > 2.5 && t.farthest < 3.1); /* and that it lies elsewhere is told */
    end(&t);
}

/* Names that the base does not have, and those that several of its nodes have, say nothing: the place does. */
static void names_that_tell_nothing_leave_the_place(void **state) {
    (void)state;
    pair t;
    grow(&t, (plant_shape){2, {3, 2}, false, false, false, false, 0, 3});
    plant_as_nodes(&t.fine, "");
    plant_as_nodes(&t.coarse, "");
    for (uint32_t i = 0; i < t.fine.count; i++) {
        ((bw_node *)t.fine.scene.nodes.data)[i].name = i < t.fine.limb_count ? "limb" : "leaf";
        ((bw_node *)t.coarse.scene.nodes.data)[i].name = i % 2 ? "leaf" : "stone";
    }
    assert_int_equal(pivot_find(&t.f, &t.fine.scene, &nodes), BW_OK);
    assert_string_equal(t.f.plan->elements.data[3].name, "limb.3");
    assert_int_equal(fit(&t, &nodes, 1), BW_OK);
    assert_true(count_right(&t) >
                0.9 *
                    t.level->vertex_count); /* by triangle: where a limb begins, its own and its parent's are as near */
    end(&t);
}

/* One piece of leaves that belong to several elements is divided. */
static void what_is_next_to_many_is_divided(void **state) {
    (void)state;
    pair t;
    grow(&t, (plant_shape){2, {3, 0}, false, false, false, false, 0, 3});
    plant_flattened(&t.fine);
    plant_flattened(&t.coarse);
    /* A triangle from the tip of each limb to the next one's joins them all: welded into one part. */
    uint32_t *indices = (uint32_t *)t.coarse.indices;
    const uint32_t last = t.coarse.first_index[t.coarse.count];
    for (uint32_t i = 0; i + 1 < t.coarse.count; i++) {
        const uint32_t a = t.coarse.first[i + 1] - 1, b = t.coarse.first[i + 2] - 1;
        memcpy(indices + last + 3 * i, (uint32_t[]){a, a - 1, b}, 3 * sizeof *indices);
    }
    bw_mesh *mesh = (bw_mesh *)t.coarse.scene.meshes.data;
    bw_primitive *primitive = (bw_primitive *)mesh->primitives.data;
    uint32_t joined[2000];
    memcpy(joined, primitive->indices.data, primitive->indices.count * sizeof *joined);
    memcpy(joined + primitive->indices.count, indices + last, 3 * (t.coarse.count - 1) * sizeof *joined);
    primitive->indices = (bw_index_list){joined, primitive->indices.count + 3 * (t.coarse.count - 1)};
    assert_int_equal(pivot_find(&t.f, &t.fine.scene, &parts), BW_OK);
    assert_int_equal(fit(&t, &parts, 1), BW_OK);
    uint32_t of[4] = {0};
    for (uint32_t v = 0; v < t.level->vertex_count; v++)
        of[t.level->vertex_elements[v]]++;
    for (uint32_t i = 0; i < 4; i++)
        assert_true(of[i] >=
                    t.coarse.first[i + 1] - t.coarse.first[i] - 4); /* those at the bridges may go either way */
    end(&t);
}

static void allocations_that_fail_are_results(void **state) {
    (void)state;
    pair t;
    grow(&t, (plant_shape){2, {3, 2}, false, false, false, false, 0, 3});
    plant_flattened(&t.fine);
    plant_flattened(&t.coarse);
    assert_int_equal(pivot_find(&t.f, &t.fine.scene, &parts), BW_OK);
    bw_result result = BW_ERR_MEMORY;
    int64_t k = 0;
    for (; result != BW_OK; k++) {
        bwi_mem mem;
        bwi_mem_init(&mem, 0);
        mem.fail_after = k;
        const bwi_env env = {&mem, 2, NULL};
        result = bwi_pivot_level(&t.level, &t.farthest, t.f.plan, &t.coarse.scene, &parts, &env, NULL, &t.f.error);
        assert_true(result == BW_OK || (result == BW_ERR_MEMORY && !t.level && mem.used == 0));
    }
    assert_true(k > 8);
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_go_with_what_they_are_next_to),     cmocka_unit_test(nodes_go_with_their_names),
        cmocka_unit_test(names_that_tell_nothing_leave_the_place), cmocka_unit_test(what_is_next_to_many_is_divided),
        cmocka_unit_test(allocations_that_fail_are_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
