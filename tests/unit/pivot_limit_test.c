/* SPDX-License-Identifier: MIT
 * Fewer elements and fewer levels than the scene has. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "pivot/pivot_priv.h"
#include "pivot_fixture.h"
#include "plant_fixture.h"

static const bw_pivot_opts nodes = {.elements = BW_PIVOT_ELEMENTS_NODES};

/* The element of the plant that became part of the plan's, by its first vertex: nodes keep their order in the list. */
static uint32_t home_of(const plant *p, const bw_pivot_plan *plan, uint32_t element) {
    return plan->vertex_elements[p->first[element]];
}

static uint32_t number_of(const bw_pivot_plan *plan, uint32_t element) {
    return (uint32_t)atoi(plan->elements.data[element].name);
}

static double apart(const double a[3], const double b[3]) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static void depths_count_steps(void **state) {
    (void)state;
    /* 3 ← 0 ← 1, 3 ← 4, 2 alone; children stand before and after their parents. */
    bw_pivot_element e[5] = {
        {.parent = 3}, {.parent = 0}, {.parent = BW_NO_INDEX}, {.parent = BW_NO_INDEX}, {.parent = 3}};
    uint32_t depths[5];
    assert_int_equal(bwi_pivot_depths(depths, e, 5), BW_NO_INDEX);
    assert_memory_equal(depths, ((uint32_t[]){1, 2, 0, 0, 1}), sizeof depths);
    e[3].parent = 1; /* 3 → 1 → 0 → 3 */
    const uint32_t circle = bwi_pivot_depths(depths, e, 5);
    assert_true(circle == 0 || circle == 1 || circle == 3);
    e[3].parent = 3;
    assert_int_equal(bwi_pivot_depths(depths, e, 5), 3);
}

static void deep_ones_go_with_what_is_above(void **state) {
    (void)state;
    plant p;
    plant_grow(&p, &(plant_shape){4, {3, 3, 2, 2}, false, false, false, false, 0, 1});
    plant_as_nodes(&p, "");
    uint32_t levels[5] = {0, 1, 4, 13, 31}; /* first of each level */
    for (uint32_t most = 1; most <= 6; most++) {
        pivot_fixture f;
        bw_pivot_opts opts = nodes;
        opts.max_depth = most;
        assert_int_equal(pivot_find(&f, &p.scene, &opts), BW_OK);
        const uint32_t kept = most < 5 ? levels[most] : p.count;
        assert_int_equal(f.plan->elements.count, kept);
        assert_int_equal(f.plan->merged_count, p.count - kept);
        assert_int_equal(f.plan->clustered_count, 0);
        for (uint32_t i = 0; i < p.count; i++) {
            uint32_t above = i;
            while (above >= kept)
                above = p.parents[above];
            assert_int_equal(number_of(f.plan, home_of(&p, f.plan, i)), above);
        }
        for (uint32_t i = 0; i < kept; i++)
            assert_int_equal(f.plan->elements.data[i].parent, p.parents[i]);
        pivot_close(&f);
    }
    plant_free(&p);
}

/* Leaves of one twig are joined, near ones; the twigs keep theirs, and what is told of the error is so. */
static void leaves_of_a_twig_are_joined(void **state) {
    (void)state;
    plant p;
    plant_grow(&p, &(plant_shape){3, {4, 5, 12}, false, false, false, false, 0, 1});
    plant_as_nodes(&p, "");
    assert_int_equal(p.limb_count, 25);
    double last = 0;
    static const uint32_t limits[] = {264, 200, 150, 100, 60, 45};
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        pivot_fixture f;
        bw_pivot_opts opts = nodes;
        opts.max_elements = limits[k];
        assert_int_equal(pivot_find(&f, &p.scene, &opts), BW_OK);
        assert_in_range(f.plan->elements.count, limits[k] - 20, limits[k]); /* each of 20 twigs rounds its share down */
        assert_int_equal(f.plan->clustered_count, p.count - f.plan->elements.count);
        double farthest = 0;
        uint32_t of_twig[25] = {0};
        for (uint32_t i = 0; i < p.count; i++) {
            const uint32_t home = home_of(&p, f.plan, i);
            const bw_pivot_element *e = &f.plan->elements.data[home];
            farthest = fmax(farthest, apart(e->pivot, p.pivots[i]));
            assert_true(i >= p.limb_count || number_of(f.plan, home) == i);
            if (i >= p.limb_count) { /* with a leaf of its own twig, on it */
                assert_int_equal(p.parents[number_of(f.plan, home)], p.parents[i]);
                assert_int_equal(number_of(f.plan, e->parent), p.parents[i]);
            }
        }
        for (uint32_t i = 0; i < f.plan->elements.count; i++) {
            if (number_of(f.plan, i) >= p.limb_count)
                of_twig[number_of(f.plan, f.plan->elements.data[i].parent)]++;
        }
        for (uint32_t t = 5; t < 25; t++) /* evenly: all twigs have 12 */
            assert_int_equal(of_twig[t], of_twig[5]);
        EXPECT1(f.plan->cluster_error, farthest, 1e-5);
        assert_true(f.plan->cluster_error >= last && f.plan->cluster_error < 0.75); /* twigs are up to 0.84 m long */
        last = f.plan->cluster_error;
        pivot_close(&f);
    }
    plant_free(&p);
}

/* Fewer than twigs with a leaf each: they become part of the twigs, then of the branches, at last of the trunk. */
static void few_elements_are_few(void **state) {
    (void)state;
    plant p;
    plant_grow(&p, &(plant_shape){3, {4, 5, 12}, false, false, false, false, 0, 1});
    plant_as_nodes(&p, "");
    for (uint32_t most = 1; most < 45; most++) {
        pivot_fixture f;
        bw_pivot_opts opts = nodes;
        opts.max_elements = most;
        assert_int_equal(pivot_find(&f, &p.scene, &opts), BW_OK);
        assert_in_range(f.plan->elements.count, 1, most);
        assert_true(most < 25 || f.plan->elements.count == 25);
        assert_int_equal(f.plan->clustered_count, p.count - f.plan->elements.count);
        for (uint32_t i = 0; i < f.plan->elements.count; i++) {
            const uint32_t parent = f.plan->elements.data[i].parent;
            assert_true((number_of(f.plan, i) == 0) == (parent == BW_NO_INDEX));
        }
        pivot_close(&f);
    }
    plant_free(&p);
}

/* A field of roots that hang on nothing: neighbours are joined. */
static void roots_without_children_are_joined(void **state) {
    (void)state;
    plant p;
    pivot_fixture f;
    plant_grow(&p, &(plant_shape){2, {4, 10}, false, false, false, false, 0, 1});
    plant_as_nodes(&p, "");
    for (uint32_t i = 0; i < p.count; i++) {
        bw_node *n = (bw_node *)&p.scene.nodes.data[i];
        n->parent = BW_NO_INDEX;
        for (int k = 0; k < 3; k++)
            n->translation[k] = (float)p.pivots[i][k];
    }
    bw_pivot_opts opts = nodes;
    opts.max_elements = 7;
    assert_int_equal(pivot_find(&f, &p.scene, &opts), BW_OK);
    assert_int_equal(f.plan->elements.count, 7);
    assert_true(f.plan->cluster_error > 0 && f.plan->cluster_error < 3);
    pivot_close(&f);
    opts.max_elements = 1;
    assert_int_equal(pivot_find(&f, &p.scene, &opts), BW_OK);
    assert_int_equal(f.plan->elements.count, 1);
    pivot_close(&f);
    plant_free(&p);
}

static void too_many_are_refused_unless_joined(void **state) {
    (void)state;
    plant p;
    pivot_fixture f;
    plant_grow(&p, &(plant_shape){3, {20, 20, 80}, false, false, false, false, 0, 1});
    plant_as_nodes(&p, "");
    assert_int_equal(p.count, 32421);
    assert_int_equal(pivot_find(&f, &p.scene, &nodes), BW_ERR_TOO_LARGE);
    assert_string_equal(f.error.message,
                        "plant.glb: there are 32421 elements, at most 30720 fit in the textures; join leaves of a twig "
                        "with --max-elements=30720, deep ones with --max-depth, or choose fewer nodes with --include");
    assert_null(f.plan);
    pivot_close(&f);
    bw_pivot_opts opts = nodes;
    opts.max_elements = BW_PIVOT_ELEMENTS_MAX;
    assert_int_equal(pivot_find(&f, &p.scene, &opts), BW_OK);
    assert_in_range(f.plan->elements.count, 30320, 30720);
    pivot_close(&f);
    plant_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_count_steps),
        cmocka_unit_test(deep_ones_go_with_what_is_above),
        cmocka_unit_test(leaves_of_a_twig_are_joined),
        cmocka_unit_test(few_elements_are_few),
        cmocka_unit_test(roots_without_children_are_joined),
        cmocka_unit_test(too_many_are_refused_unless_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
