/* SPDX-License-Identifier: MIT
 * Welding against a search of all pairs; parts over meshes; shapes of elements. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "expect.h"
#include "pivot/pivot_priv.h"
#include "pivot_fixture.h"
#include "plant_fixture.h"
#include "scene_builder.h"

enum { MOST = 1500 };
static float places[MOST][3];
static uint32_t state_of_random = 1;

static float random_unit(void) {
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (float)(state_of_random >> 8) / 16777216.0f;
}

static uint32_t weld_all(uint32_t *points, uint32_t count, double tolerance) {
    for (uint32_t i = 0; i < count; i++)
        points[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            double square = 0;
            for (int k = 0; k < 3; k++)
                square += pow((double)places[i][k] - (double)places[j][k], 2);
            if (square <= tolerance * tolerance)
                bwi_set_join(points, i, j);
        }
    }
    uint32_t sets = 0;
    for (uint32_t i = 0; i < count; i++) {
        points[i] = bwi_set_root(points, i);
        sets += points[i] == i;
    }
    return sets;
}

static void weld(uint32_t *points, uint32_t count, double tolerance) {
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    const bwi_env env = {&mem, 1, NULL};
    bwi_arena *arena = bwi_arena_create(&mem);
    assert_int_equal(bwi_pivot_weld(points, places[0], count, tolerance, arena, &env, NULL), BW_OK);
    bwi_arena_free(arena);
}

/* From all apart to all one; clusters that hold many, and a stray that makes cells of all others one. */
static void welding_agrees_with_all_pairs(void **state) {
    (void)state;
    static uint32_t points[MOST], wanted[MOST];
    static const double tolerances[] = {0, 1e-9, 0.003, 0.02, 0.05, 0.08, 0.2, 1, 1e6};
    uint32_t least = MOST, most = 0;
    for (int kind = 0; kind < 3; kind++) {
        for (uint32_t i = 0; i < MOST; i++) {
            for (int k = 0; k < 3; k++)
                places[i][k] =
                    kind == 1 ? floorf(5 * random_unit()) / 50 + 0.004f * random_unit() : random_unit() - 0.5f;
            if (i % 7 == 0 && i > 0) /* some are the very same */
                memcpy(places[i], places[i / 2], sizeof places[i]);
        }
        if (kind == 2)
            places[3][1] = 1e9f;
        for (size_t t = 0; t < sizeof tolerances / sizeof tolerances[0]; t++) {
            const uint32_t sets = weld_all(wanted, MOST, tolerances[t]);
            weld(points, MOST, tolerances[t]);
            assert_memory_equal(points, wanted, sizeof points);
            least = sets < least ? sets : least;
            most = sets > most ? sets : most;
        }
    }
    assert_true(least == 1 && most > 1200);
}

static void zeroes_of_both_signs_are_one(void **state) {
    (void)state;
    uint32_t points[2];
    memcpy(places[0], (float[]){0.0f, -0.0f, 1}, sizeof places[0]);
    memcpy(places[1], (float[]){-0.0f, 0.0f, 1}, sizeof places[1]);
    weld(points, 2, 0);
    assert_int_equal(points[1], 0);
}

static const bw_pivot_opts parts = {.elements = BW_PIVOT_ELEMENTS_PARTS};

static void move(scene_builder *b, uint32_t node, float x, float y, float z) {
    memcpy(b->nodes[node].translation, (float[]){x, y, z}, 3 * sizeof(float));
}

/* A part may have two meshes and materials; it is named after the node of its first triangle, with a number where the node has several. */
static void parts_cross_meshes(void **state) {
    (void)state;
    scene_builder b;
    pivot_fixture f;
    builder_init(&b);
    builder_triangle(&b, "bark", BW_NO_INDEX);
    const uint32_t moss = builder_triangle(&b, "moss", BW_NO_INDEX);
    const uint32_t far = builder_triangle(&b, "leaves", BW_NO_INDEX);
    move(&b, moss, 1, 0, 0); /* shares the corner (1, 0, 0) with the bark's triangle */
    move(&b, far, 5, 0, 0);
    static const float two[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 3, 0, 0, 4, 0, 0, 3, 1, 0};
    static const uint32_t indices[] = {0, 1, 2, 3, 4, 5};
    b.meshes[b.nodes[far].mesh].primitives.count = 0;
    builder_primitive(&b, b.nodes[far].mesh, 6, two, NULL, indices, 6);
    b.materials[0] = (bw_material){"moss", "{}"};
    b.scene.materials.count = 1;
    b.primitives[b.nodes[moss].mesh][0].material = 0;
    assert_int_equal(pivot_find(&f, builder_finish(&b), &parts), BW_OK);
    assert_int_equal(f.plan->elements.count, 3);
    assert_int_equal(f.plan->primitives.count, 2);
    assert_string_equal(f.plan->elements.data[0].name, "moss"); /* materials come in the file's order, none last */
    assert_string_equal(f.plan->elements.data[1].name, "leaves/0");
    assert_string_equal(f.plan->elements.data[2].name, "leaves/1");
    assert_int_equal(f.plan->vertex_count, 12);
    for (uint32_t v = 0; v < 6; v++)
        assert_int_equal(f.plan->vertex_elements[v], 0);
    pivot_close(&f);
    bw_pivot_opts coarse = parts;
    coarse.tolerance = (bw_length){2, BW_LENGTH_METRE}; /* from (4, 0, 0) … (6, 0, 0) to (8, 0, 0) */
    assert_int_equal(pivot_find(&f, builder_finish(&b), &coarse), BW_OK);
    assert_int_equal(f.plan->elements.count, 2);
    pivot_close(&f);
}

/* Trunk and branches in one piece are told of; a trunk of its own is not. */
static void welded_limbs_are_told(void **state) {
    (void)state;
    plant p;
    pivot_fixture f;
    plant_grow(&p, &(plant_shape){2, {5, 4}, false, false, false, false, 0, 3});
    plant_flattened(&p);
    bw_primitive *bark = (bw_primitive *)p.scene.meshes.data[0].primitives.data;
    assert_int_equal(pivot_find(&f, &p.scene, &parts), BW_OK);
    assert_null(pivot_warning(&f, "limbs-joined"));
    pivot_close(&f);
    uint32_t joined[4000];
    size_t count = bark->indices.count;
    memcpy(joined, bark->indices.data, count * sizeof *joined);
    for (uint32_t i = 1; i < p.limb_count; i++) { /* a triangle from each branch's base to the trunk */
        memcpy(joined + count, (uint32_t[]){p.first[i], p.first[i] + 1, 20}, 3 * sizeof *joined);
        count += 3;
    }
    bark->indices = (bw_index_list){joined, count};
    assert_int_equal(pivot_find(&f, &p.scene, &parts), BW_OK);
    assert_int_equal(f.plan->elements.count, 1 + p.count - p.limb_count);
    const bw_warning *w = pivot_warning(&f, "limbs-joined");
    assert_non_null(w);
    assert_string_equal(w->first, "bark");
    for (uint32_t i = 1; i < f.plan->elements.count; i++)
        assert_int_equal(f.plan->elements.data[i].parent, 0);
    pivot_close(&f);
    plant_free(&p);
}

/* ---- shapes ---- */

static const uint32_t quad[] = {0, 1, 2, 1, 3, 2};
typedef struct shape_case {
    const char *name;
    float p[4][3];
    double pivot[3], x[3], extents[3];
    bw_pivot_extent kind;
} shape_case;

static const shape_case shapes[] = {
    /* From the lower side to the mean of the upper corners; z or y flat. */
    {"card", {{-1, 0, 0}, {1, 0, 0}, {-1, 4, 0}, {1, 4, 0}}, {0, 0, 0}, {0, 1, 0}, {4, 2, 0}, BW_PIVOT_EXTENT_DEFAULT},
    /* Both ends as far: to that of the first corner; the tip is half of the bounds. */
    {"middle", {{-4, -1, 0}, {4, -1, 0}, {-4, 1, 0}, {4, 1, 0}}, {0, 0, 0}, {-1, 0, 0}, {4, 2, 0}, BW_PIVOT_EXTENT_TIP},
    {"bounds",
     {{-4, -1, 0}, {4, -1, 0}, {-4, 1, 0}, {4, 1, 0}},
     {0, 0, 0},
     {-1, 0, 0},
     {8, 2, 0},
     BW_PIVOT_EXTENT_BOUNDS},
    /* A corner twice, as at a seam, does not pull the mean. */
    {"seam", {{0, 0, 0}, {3, 4, 0}, {3, 4, 0}, {3, -4, 0}}, {0, 0, 0}, {1, 0, 0}, {3, 8, 0}, BW_PIVOT_EXTENT_TIP},
    {"point", {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, {1, 2, 3}, {0, 1, 0}, {0, 0, 0}, BW_PIVOT_EXTENT_TIP},
};

static void shapes_are_those_computed_by_hand(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        const shape_case *c = &shapes[k];
        static const uint32_t all_first[4] = {0};
        bw_pivot_element e = {.name = c->name, .parent = BW_NO_INDEX};
        memcpy(e.pivot, c->pivot, sizeof e.pivot);
        const bw_pivot_primitive primitive = {BW_NO_INDEX, 0, 4, {quad, 6}};
        bw_pivot_plan plan = {.vertex_count = 4, .positions = c->p[0], .vertex_elements = all_first};
        plan.elements.data = &e;
        plan.elements.count = 1;
        plan.primitives.data = &primitive;
        plan.primitives.count = 1;
        bwi_arena *arena = bwi_arena_create_owning(1 << 20);
        assert_int_equal(bwi_pivot_shape(&e, &plan, c->kind, arena, NULL), BW_OK);
        bwi_arena_free(arena);
        EXPECT3(e.axes[0], c->x[0], c->x[1], c->x[2], 1e-12);
        EXPECT1(e.extents[0], c->extents[0], 1e-12);
        /* Which of y and z is which is made up: their lengths in some order. */
        EXPECT1(fmax(e.extents[1], e.extents[2]), c->extents[1], 1e-12);
        EXPECT1(fmin(e.extents[1], e.extents[2]), c->extents[2], 1e-12);
    }
}

static void what_is_given_is_kept(void **state) {
    (void)state;
    static const uint32_t all_first[4] = {0};
    bw_pivot_element e = {.name = "kept", .parent = BW_NO_INDEX, .extents = {7, 0, 0}};
    e.axes[0][0] = -1; /* away from all but the pivot's side: the tip is behind */
    e.axes[1][2] = 1;
    e.axes[2][1] = 1; /* left-handed, as the program wants it */
    e.pivot[0] = -1;
    bw_pivot_plan plan = {.vertex_count = 4, .positions = shapes[0].p[0], .vertex_elements = all_first};
    plan.elements.data = &e;
    plan.elements.count = 1;
    bwi_arena *arena = bwi_arena_create_owning(1 << 20);
    assert_int_equal(bwi_pivot_shape(&e, &plan, BW_PIVOT_EXTENT_TIP, arena, NULL), BW_OK);
    EXPECT3(e.axes[0], -1, 0, 0, 0);
    EXPECT3(e.axes[2], 0, 1, 0, 0);
    EXPECT3(e.extents, 7, 0, 4, 1e-12);
    e.extents[0] = 0;
    assert_int_equal(bwi_pivot_shape(&e, &plan, BW_PIVOT_EXTENT_TIP, arena, NULL), BW_OK);
    EXPECT1(e.extents[0], 2, 1e-12); /* all behind: the bounds */
    bwi_arena_free(arena);
}

/* A frame for every direction: unit, at right angles, right-handed. */
static void frames_are_right_handed(void **state) {
    (void)state;
    static const uint32_t all_first[4] = {0};
    for (int i = 0; i < 200; i++) {
        bw_pivot_element e = {.name = "e", .parent = BW_NO_INDEX};
        const bwi_vec3 x =
            bwi_vec3_normalize((bwi_vec3){(double)(i % 3 ? random_unit() - 0.5f : 0),
                                          (double)(i % 5 ? random_unit() - 0.5f : 0), (double)(random_unit() - 0.5f)});
        e.axes[0][0] = x.x;
        e.axes[0][1] = x.y;
        e.axes[0][2] = x.z;
        bw_pivot_plan plan = {.vertex_count = 4, .positions = shapes[0].p[0], .vertex_elements = all_first};
        plan.elements.data = &e;
        plan.elements.count = 1;
        bwi_arena *arena = bwi_arena_create_owning(1 << 20);
        assert_int_equal(bwi_pivot_shape(&e, &plan, BW_PIVOT_EXTENT_TIP, arena, NULL), BW_OK);
        bwi_arena_free(arena);
        const bwi_vec3 y = {e.axes[1][0], e.axes[1][1], e.axes[1][2]}, z = bwi_vec3_cross(x, y);
        EXPECT1(bwi_vec3_length(y), 1, 1e-12);
        EXPECT1(bwi_vec3_dot(x, y), 0, 1e-12);
        EXPECT3(e.axes[2], z.x, z.y, z.z, 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(welding_agrees_with_all_pairs),
        cmocka_unit_test(zeroes_of_both_signs_are_one),
        cmocka_unit_test(parts_cross_meshes),
        cmocka_unit_test(welded_limbs_are_told),
        cmocka_unit_test(shapes_are_those_computed_by_hand),
        cmocka_unit_test(what_is_given_is_kept),
        cmocka_unit_test(frames_are_right_handed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
