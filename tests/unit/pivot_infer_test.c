/* SPDX-License-Identifier: MIT
 * Parents that are found, against those that plants were grown with. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "expect.h"
#include "pivot_fixture.h"
#include "plant_fixture.h"

typedef struct score {
    uint32_t limbs, leaves;        /* with the parent that they were grown with */
    double limb_pivot, leaf_pivot; /* farthest off, of those */
    double right, wrong;           /* mean confidence */
    uint32_t roots;
} score;

static double apart(const double a[3], const double b[3]) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static score rate(const plant *p, const bw_pivot_plan *plan) {
    score s = {0};
    uint32_t right_count = 0;
    assert_int_equal(plan->elements.count, p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        const bw_pivot_element *e = &plan->elements.data[i];
        const bool right = e->parent == p->parents[i], limb = i < p->limb_count;
        double *pivot = limb ? &s.limb_pivot : &s.leaf_pivot;
        s.limbs += limb && right;
        s.leaves += !limb && right;
        s.roots += e->parent == BW_NO_INDEX;
        right_count += right;
        *(right ? &s.right : &s.wrong) += e->confidence;
        *pivot = right ? fmax(*pivot, apart(e->pivot, p->pivots[i])) : *pivot;
    }
    s.right /= right_count;
    s.wrong = right_count < p->count ? s.wrong / (p->count - right_count) : 0;
    return s;
}

/* Corners of two thousand elements meet by chance within the default, 0.8 mm; here what was grown apart shall stay apart. */
static const bw_pivot_opts parts = {.elements = BW_PIVOT_ELEMENTS_PARTS, .tolerance = {1e-6, BW_LENGTH_METRE}};

/* Shares of limbs and leaves that must be right.  The rest begins in the bark of two limbs that cross, where nothing tells which is its own. */
static const struct {
    const char *name;
    plant_shape shape;
    double limbs, leaves;
    double off; /* metres that pivots may be off where the parent is right */
} plants[] = {
    {"on the surface", {4, {9, 7, 5, 6}, false, false, false, false, 0, 1}, 0.99, 0.98, 0.001},
    {"in the middle", {4, {9, 7, 5, 6}, false, true, false, false, 0, 2}, 0.99, 0.98, 0.001},
    {"crossed leaves", {3, {9, 8, 10}, true, true, false, false, 0, 3}, 0.99, 0.98, 0.001},
    {"capped", {3, {9, 8, 10}, false, false, true, false, 0, 4}, 0.98, 0.95, 0.001},
    {"with gaps", {3, {9, 8, 10}, false, false, false, false, 0.004, 5}, 0.98, 0.95, 0.036},
    {"bare", {4, {9, 7, 5, 0}, false, false, false, false, 0, 6}, 0.99, 0, 0.001},
};

static void parents_are_those_it_was_grown_with(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof plants / sizeof plants[0]; k++) {
        plant p;
        pivot_fixture f;
        plant_grow(&p, &plants[k].shape);
        plant_flattened(&p);
        assert_int_equal(pivot_find(&f, &p.scene, &parts), BW_OK);
        const score s = rate(&p, f.plan);
        const uint32_t leaves = p.count - p.limb_count;
        print_message("%s: %u of %u limbs, %u of %u leaves; confidence %.2f where right, %.2f where wrong\n",
                      plants[k].name, s.limbs, p.limb_count, s.leaves, leaves, s.right, s.wrong);
        assert_int_equal(s.roots, 1);
        assert_int_equal(f.plan->elements.data[0].parent, BW_NO_INDEX);
        assert_true(s.limbs >= plants[k].limbs * p.limb_count && s.leaves >= plants[k].leaves * leaves);
        /* The middle of the base ring, or of the card's lower side; across a gap a corner may be nearer, half a card away. */
        assert_true(s.limb_pivot < 0.001 && s.leaf_pivot < plants[k].off);
        /* What crosses another limb by chance touches it more surely than what a gap parts from its own. */
        assert_true(plants[k].shape.gap > 0 || s.wrong < s.right - 0.2);
        pivot_close(&f);
        plant_free(&p);
    }
}

static void threads_change_nothing(void **state) {
    (void)state;
    plant p;
    pivot_fixture one, many;
    plant_grow(&p, &plants[2].shape);
    plant_flattened(&p);
    assert_int_equal(pivot_find(&one, &p.scene, &parts), BW_OK);
    assert_int_equal(pivot_find_by(&many, &p.scene, &parts, 7), BW_OK);
    pivot_expect_same(one.plan, many.plan);
    pivot_close(&one);
    pivot_close(&many);
    plant_free(&p);
}

static void a_named_root_is_the_root(void **state) {
    (void)state;
    plant p;
    pivot_fixture f;
    plant_grow(&p, &(plant_shape){2, {4, 3}, false, false, false, false, 0, 1});
    plant_flattened(&p);
    bw_pivot_opts opts = parts;
    opts.root = "bark/2";
    assert_int_equal(pivot_find(&f, &p.scene, &opts), BW_OK);
    const bw_pivot_element *e = f.plan->elements.data;
    assert_string_equal(e[2].name, "bark/2");
    assert_int_equal(e[2].parent, BW_NO_INDEX);
    assert_int_equal(e[2].found, BW_PIVOT_FOUND_GIVEN);
    for (uint32_t i = 0; i < p.count; i++) /* the trunk lies along it: none of its ends is near */
        assert_true((i == 2) == (e[i].parent == BW_NO_INDEX));
    assert_true(e[0].found != BW_PIVOT_FOUND_RING && e[0].confidence <= 0.5);
    for (uint32_t i = p.limb_count; i < p.count; i++)
        assert_int_equal(e[i].parent, p.parents[i]);
    pivot_close(&f);
    opts.root = "brak/2";
    assert_int_equal(pivot_find(&f, &p.scene, &opts), BW_ERR_USAGE);
    assert_string_equal(
        f.error.message,
        "plant.glb: --root=brak/2 is no element; there are \"bark/0\", \"bark/1\", \"bark/2\", "
        "\"bark/3\", \"bark/4\" and 12 more; a part is named after its node, with its number where there "
        "are several");
    pivot_close(&f);
    opts = (bw_pivot_opts){.elements = BW_PIVOT_ELEMENTS_NODES, .root = "bark"};
    assert_int_equal(pivot_find(&f, &p.scene, &opts), BW_ERR_USAGE);
    pivot_close(&f);
    plant_free(&p);
}

/* Two trunks: what is farther from the first than allowed is a root, and its leaves stay on it. */
static void what_is_far_is_a_root_of_its_own(void **state) {
    (void)state;
    plant p;
    plant_grow(&p, &(plant_shape){2, {4, 3}, false, false, false, false, 0, 1});
    const uint32_t moved = 3; /* a branch, with its leaves: 5 m from where it was */
    for (uint32_t i = 0; i < p.count; i++) {
        for (uint32_t v = p.first[i]; (i == moved || p.parents[i] == moved) && v < p.first[i + 1]; v++)
            p.positions[3 * v] += 5.0f;
    }
    plant_flattened(&p);
    static const struct {
        double allowed;
        uint32_t roots;
    } cases[] = {{0.5, 2}, {6.0, 1}};
    for (size_t k = 0; k < 2; k++) {
        pivot_fixture f;
        bw_pivot_opts opts = parts;
        opts.max_distance = (bw_length){cases[k].allowed, BW_LENGTH_METRE};
        assert_int_equal(pivot_find(&f, &p.scene, &opts), BW_OK);
        uint32_t roots = 0;
        for (uint32_t i = 0; i < p.count; i++) {
            const bw_pivot_element *e = &f.plan->elements.data[i];
            roots += e->parent == BW_NO_INDEX;
            assert_true(i == moved || e->parent == p.parents[i]);
        }
        assert_int_equal(roots, cases[k].roots);
        const bw_pivot_element *e = &f.plan->elements.data[moved];
        assert_int_equal(e->found, k == 0 ? BW_PIVOT_FOUND_ROOT : BW_PIVOT_FOUND_NEAREST);
        assert_true(k == 0 || (e->distance > 0.5 && e->distance < 6.0 && e->confidence < 0.6));
        pivot_close(&f);
    }
    plant_free(&p);
}

/* Blades side by side, half their length apart: each stands by itself; one that stands on another's tip hangs on it. */
static void what_stands_on_the_ground_is_a_root(void **state) {
    (void)state;
    enum { ROW = 12, BLADES = ROW * ROW };
    static float positions[BLADES + 1][4][3], normals[4 * (BLADES + 1)][3];
    static uint32_t indices[6 * (BLADES + 1)];
    for (uint32_t i = 0; i <= BLADES; i++) {
        for (uint32_t v = 0; v < 4; v++) {
            float *p = positions[i][v];
            p[0] = 0.2f * (float)(i % ROW) + 0.03f * (float)(v % 2);
            p[1] = 0.4f * (float)(v / 2) + (i == BLADES ? 0.401f : 0.0005f * (float)(i % 7));
            p[2] = i == BLADES ? 0 : 0.2f * (float)(i / ROW);
            normals[4 * i + v][2] = 1;
        }
        const uint32_t quad[6] = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 1, 4 * i + 3, 4 * i + 2};
        memcpy(indices + 6 * i, quad, sizeof quad);
    }
    bw_primitive primitive = {
        .material = BW_NO_INDEX, .vertex_count = 4 * (BLADES + 1), .positions = positions[0][0], .normals = normals[0]};
    primitive.indices = (bw_index_list){indices, 6 * (BLADES + 1)};
    bw_mesh mesh = {.name = "mesh"};
    mesh.primitives.data = &primitive;
    mesh.primitives.count = 1;
    const uint32_t order = 0;
    bw_node node = {.name = "grass",
                    .parent = BW_NO_INDEX,
                    .skin = BW_NO_INDEX,
                    .in_scene = true,
                    .rotation = {0, 0, 0, 1},
                    .scale = {1, 1, 1}};
    bw_scene scene = {.path = "grass.glb", .format = "glb", .generator = ""};
    scene.nodes.data = &node;
    scene.meshes.data = &mesh;
    scene.node_order.data = &order;
    scene.nodes.count = scene.meshes.count = scene.node_order.count = 1;
    pivot_fixture f;
    bw_pivot_opts opts = parts;
    opts.max_distance = (bw_length){1, BW_LENGTH_METRE};
    assert_int_equal(pivot_find(&f, &scene, &opts), BW_OK);
    assert_int_equal(f.plan->elements.count, BLADES + 1);
    for (uint32_t i = 0; i < BLADES; i++) {
        const bw_pivot_element *e = &f.plan->elements.data[i];
        assert_int_equal(e->parent, BW_NO_INDEX);
        assert_int_equal(e->found, BW_PIVOT_FOUND_ROOT);
        EXPECT3(e->pivot, positions[i][0][0] + 0.015f, positions[i][0][1], positions[i][0][2], 1e-6);
    }
    assert_int_equal(f.plan->elements.data[BLADES].parent, 0);
    assert_int_equal(f.plan->elements.data[BLADES].found, BW_PIVOT_FOUND_CONTACT);
    pivot_close(&f);
}

/* Each allocation of the search fails once: a result, nothing held. */
static void allocations_that_fail_are_results(void **state) {
    (void)state;
    plant p;
    plant_grow(&p, &(plant_shape){2, {3, 2}, false, false, false, false, 0, 1});
    plant_flattened(&p);
    int64_t k = 0;
    for (;; k++) {
        pivot_fixture f;
        f = (pivot_fixture){0};
        bwi_mem_init(&f.mem, 0);
        f.mem.fail_after = k;
        const bwi_env env = {&f.mem, 2, NULL};
        const bw_result result = bwi_pivot_find(&f.plan, &p.scene, &parts, &env, NULL, &f.error);
        if (result == BW_OK) {
            bwi_pivot_plan_free(f.plan);
            break;
        }
        assert_int_equal(result, BW_ERR_MEMORY);
        assert_int_equal(f.error.result, BW_ERR_MEMORY);
        assert_null(f.plan);
        assert_int_equal(f.mem.used, 0);
    }

    assert_true(k > 10); /* 25 seen */
    plant_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_are_those_it_was_grown_with),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_named_root_is_the_root),
        cmocka_unit_test(what_is_far_is_a_root_of_its_own),
        cmocka_unit_test(what_stands_on_the_ground_is_a_root),
        cmocka_unit_test(allocations_that_fail_are_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
