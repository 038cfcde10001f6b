/* SPDX-License-Identifier: MIT
 * From a plan to texels: the order of elements, sides, every channel by hand, and plans that cannot be baked. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "pivot/pivot.h"

/* A trunk of 1 m along y at the origin, a branch of 2 m along x at half its height, a root apart; given child first. */
enum { BRANCH, TRUNK, STONE, COUNT };
static const float positions[9][3] = {{0, 0.5f, 0},     {2, 0.5f, 0}, {2, 0.5f, 0.5f}, {0, 0, 0},      {0, 1, 0},
                                      {0.25f, 0.5f, 0}, {5, 0, 1},    {5, 0.125f, 1},  {5, 0, 1.0625f}};
static const uint32_t owners[9] = {BRANCH, BRANCH, BRANCH, TRUNK, TRUNK, TRUNK, STONE, STONE, STONE};
static const uint32_t corners[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

typedef struct fixture {
    bw_pivot_element elements[COUNT];
    bw_pivot_primitive primitive;
    bw_pivot_plan plan;
    bwi_mem mem;
    bwi_arena *arena;
    bwi_pivot_order order;
    bwi_pivot_sheet sheet;
    bw_error error;
} fixture;

static void begin(fixture *f) {
    *f = (fixture){
        .elements = {{"branch", TRUNK, {0, 0.5, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {2, 0.25, 0.5}, 1, 0, 0},
                     {"trunk", BW_NO_INDEX, {0, 0, 0}, {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {1, 0, 0.25}, 1, 0, 0},
                     {"stone", BW_NO_INDEX, {5, 0, 1}, {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {0.125, 0, 0}, 1, 0, 0}},
        .primitive = {BW_NO_INDEX, 0, 9, {corners, 9}}};
    f->plan = (bw_pivot_plan){.elements = {f->elements, COUNT},
                              .vertex_count = 9,
                              .positions = &positions[0][0],
                              .vertex_elements = owners,
                              .primitives = {&f->primitive, 1}};
    bwi_mem_init(&f->mem, 0);
    f->arena = bwi_arena_create(&f->mem);
    const bw_pivot_opts opts = {0};
    assert_int_equal(bwi_pivot_check(&f->plan, NULL, &f->mem, &f->error), BW_OK);
    assert_int_equal(bwi_pivot_order_make(&f->order, f->arena, &f->plan, &f->error), BW_OK);
    assert_int_equal(bwi_pivot_sheet_make(&f->sheet, f->arena, &f->plan, &f->order, &opts, &f->error), BW_OK);
}

static void parents_come_first(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    assert_memory_equal(f.order.elements, ((uint32_t[]){TRUNK, STONE, BRANCH}), sizeof(uint32_t[COUNT]));
    assert_memory_equal(f.order.texels, ((uint32_t[]){2, 0, 1}), sizeof(uint32_t[COUNT]));
    assert_memory_equal(f.order.parents, ((uint32_t[]){0, 1, 0}), sizeof(uint32_t[COUNT]));
    assert_memory_equal(f.order.depths, ((uint32_t[]){0, 0, 1}), sizeof(uint32_t[COUNT]));
    assert_int_equal(f.order.root_count, 2);
    assert_int_equal(f.order.max_depth, 2);
    assert_int_equal(f.order.level_counts[0], 2);
    assert_int_equal(f.order.level_counts[1], 1);
    assert_int_equal(f.sheet.layout.width, 2);
    assert_int_equal(f.sheet.layout.height, 2);
    bwi_arena_free(f.arena);
}

static void half(const fixture *f, bwi_pivot_rgb rgb, bwi_pivot_alpha alpha, uint32_t texel, const float want[4]) {
    uint16_t data[4][4];
    memset(data, 0xFF, sizeof data);
    bwi_pivot_encode(&(bwi_texels){2, 2, BWI_TEXEL_F16, data}, &f->sheet, (bwi_pivot_pair){rgb, alpha});
    for (int k = 0; k < 4; k++) {
        assert_float_equal(bwi_half_to_float(data[texel][k]), want[k], 0);
        assert_int_equal(data[3][k], 0); /* padding */
    }
}

/* Unreal: (x, z, y) of glTF, 100 units a metre.  Index i is the half whose bits are i + 1024. */
static void halves_by_hand(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const float index_0 = bwi_half_to_float(0x0400), index_1 = bwi_half_to_float(0x0401),
                index_3 = bwi_half_to_float(0x0403);
    half(&f, BWI_PIVOT_RGB_PIVOT, BWI_PIVOT_ALPHA_PARENT, 2, (float[]){0, 0, 50, index_0});
    half(&f, BWI_PIVOT_RGB_PIVOT, BWI_PIVOT_ALPHA_PARENT, 1, (float[]){500, 100, 0, index_1});
    half(&f, BWI_PIVOT_RGB_ORIGIN, BWI_PIVOT_ALPHA_PARENT_NUMBER, 2, (float[]){100, 25, 50, 0});
    half(&f, BWI_PIVOT_RGB_EXTENTS, BWI_PIVOT_ALPHA_STEPS, 2, (float[]){200, 0, 50, 1});
    half(&f, BWI_PIVOT_RGB_EXTENTS, BWI_PIVOT_ALPHA_X_WIDTH, 0, (float[]){100, 0, 25, 100});
    half(&f, BWI_PIVOT_RGB_EXTENTS, BWI_PIVOT_ALPHA_Y_DEPTH, 2, (float[]){200, 0, 50, 0});
    half(&f, BWI_PIVOT_RGB_EXTENTS, BWI_PIVOT_ALPHA_Z_HEIGHT, 2, (float[]){200, 0, 50, 50});
    half(&f, BWI_PIVOT_RGB_PIVOT, BWI_PIVOT_ALPHA_ORDER, 2, (float[]){0, 0, 50, index_3}); /* counted from 1 */
    half(&f, BWI_PIVOT_RGB_PIVOT, BWI_PIVOT_ALPHA_LEVEL, 2, (float[]){0, 0, 50, 1});
    half(&f, BWI_PIVOT_RGB_PIVOT, BWI_PIVOT_ALPHA_DIAMETER, 2,
         (float[]){0, 0, 50, bwi_half_to_float(bwi_half_from_float(206.15528f))}); /* √(200² + 50²) */
    bwi_arena_free(f.arena);
}

static void byte(const fixture *f, bwi_pivot_rgb rgb, bwi_pivot_alpha alpha, uint32_t texel, const uint8_t want[4]) {
    uint8_t data[4][4];
    memset(data, 0xFF, sizeof data);
    bwi_pivot_encode(&(bwi_texels){2, 2, BWI_TEXEL_U8, data}, &f->sheet, (bwi_pivot_pair){rgb, alpha});
    assert_memory_equal(data[texel], want, 4);
    assert_memory_equal(data[3], ((uint8_t[4]){0}), 4);
}

/* round(255 (½ v + ½)): 255 for 1, 128 for 0; round(255 cm / 2048): 25 for 200 cm. */
static void bytes_by_hand(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    byte(&f, BWI_PIVOT_RGB_X_AXIS, BWI_PIVOT_ALPHA_X_EXTENT, 2, (uint8_t[]){255, 128, 128, 25});
    byte(&f, BWI_PIVOT_RGB_X_AXIS, BWI_PIVOT_ALPHA_X_EXTENT, 0, (uint8_t[]){128, 128, 255, 12});
    byte(&f, BWI_PIVOT_RGB_Y_AXIS, BWI_PIVOT_ALPHA_Y_EXTENT, 2, (uint8_t[]){128, 128, 255, 3});
    byte(&f, BWI_PIVOT_RGB_Z_AXIS, BWI_PIVOT_ALPHA_Z_EXTENT, 2, (uint8_t[]){128, 255, 128, 6});
    byte(&f, BWI_PIVOT_RGB_Z_AXIS, BWI_PIVOT_ALPHA_LEVEL, 2, (uint8_t[]){128, 255, 128, 255});
    bwi_arena_free(f.arena);
}

/* 280 widths are found wrongly, 41 and 121 among them (reference: float arithmetic over every index); powers of two never. */
static void widths_are_safe(void **state) {
    (void)state;
    uint32_t unsafe = 0;
    for (uint32_t width = 1; width <= 2048; width++)
        unsafe += !bwi_pivot_width_is_safe(width);
    assert_int_equal(unsafe, 280);
    assert_false(bwi_pivot_width_is_safe(41));
    assert_false(bwi_pivot_width_is_safe(121));
    assert_false(bwi_pivot_width_is_safe(230));
    bw_error error;
    for (uint32_t count = 1; count <= BW_PIVOT_ELEMENTS_MAX; count += count < 2000 ? 1 : 97) {
        bwi_pivot_layout layout;
        assert_int_equal(bwi_pivot_layout_make(&layout, count, 0, &error), BW_OK);
        assert_true((uint64_t)layout.width * layout.height >= count && layout.width <= 256 && layout.height <= 256);
        assert_true((layout.width & (layout.width - 1)) == 0 && (layout.height & (layout.height - 1)) == 0);
        assert_true(bwi_pivot_width_is_safe(layout.width));
    }
    bwi_pivot_layout layout;
    assert_int_equal(bwi_pivot_layout_make(&layout, 30000, 121, &error), BW_ERR_USAGE);
    assert_non_null(strstr(error.message, "give 120"));
    assert_int_equal(bwi_pivot_layout_make(&layout, 30000, 2, &error), BW_ERR_USAGE);
    assert_int_equal(bwi_pivot_layout_make(&layout, 30000, 17, &error), BW_OK);
    assert_int_equal(layout.height, 1765);
}

static void expect_refused(const fixture *f, bw_result result, const char *words) {
    bw_error error;
    bwi_mem mem = f->mem;
    assert_int_equal(bwi_pivot_check(&f->plan, NULL, &mem, &error), result);
    assert_non_null(strstr(error.message, words));
}

static void plans_that_cannot_be_baked(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    f.elements[TRUNK].parent = BRANCH;
    expect_refused(&f, BW_ERR_USAGE, "lead back to itself");
    f.elements[TRUNK].parent = TRUNK;
    expect_refused(&f, BW_ERR_USAGE, "is its own parent");
    f.elements[TRUNK].parent = COUNT;
    expect_refused(&f, BW_ERR_USAGE, "has the parent 3, and there are 3 elements");
    f.elements[TRUNK].parent = BW_NO_INDEX;
    f.elements[STONE].pivot[1] = NAN;
    expect_refused(&f, BW_ERR_USAGE, "element 2 'stone' has a pivot, axis or extent that is not finite");
    f.elements[STONE].pivot[1] = 0;
    f.elements[STONE].axes[0][1] = 0.5;
    expect_refused(&f, BW_ERR_USAGE, "its x axis of length 0.5");
    f.elements[STONE].axes[0][1] = 0;
    expect_refused(&f, BW_ERR_USAGE, "its x axis of length 0; give a unit vector");
    f.elements[STONE].axes[0][1] = 1;
    f.primitive.vertex_count = 8;
    expect_refused(&f, BW_ERR_USAGE, "names vertex 8");
    f.primitive.vertex_count = 9;
    f.plan.vertex_elements = (const uint32_t[]){0, 0, 0, 1, 1, 1, 1, 1, 1};
    expect_refused(&f, BW_ERR_USAGE, "element 2 'stone' has no vertex");
    f.plan.vertex_elements = (const uint32_t[]){0, 0, 0, 1, 1, 1, 2, 2, 7};
    expect_refused(&f, BW_ERR_USAGE, "vertex 8 is of element 7");
    f.plan.vertex_elements = owners;
    f.plan.elements.count = BW_PIVOT_ELEMENTS_MAX + 1;
    expect_refused(&f, BW_ERR_TOO_LARGE, "an index names at most 30720");
    f.plan.elements.count = 0;
    expect_refused(&f, BW_ERR_USAGE, "0 elements");
    bwi_arena_free(f.arena);
}

/* Four elements with a corner in one place, which three may share. */
static void crowds_are_found(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const float met[9][3] = {{1, 1, 1}, {2, 0, 0}, {0, 0, 2}, {1, 1, 1}, {0, 3, 0},
                             {0, 0, 3}, {1, 1, 1}, {1, 1, 1}, {0, 4, 0}};
    const uint32_t four[9] = {0, 0, 0, 1, 1, 1, 2, 3, 3};
    const bwi_env env = {&f.mem, 1, NULL};
    uint32_t count = 7, vertex = 7;
    f.plan.positions = &met[0][0];
    assert_int_equal(bwi_pivot_find_crowds(&count, &vertex, &f.plan, &env, &f.error), BW_OK);
    assert_int_equal(count, 0);
    assert_int_equal(vertex, 7);
    f.plan.vertex_elements = four;
    assert_int_equal(bwi_pivot_find_crowds(&count, &vertex, &f.plan, &env, &f.error), BW_OK);
    assert_int_equal(count, 1);
    assert_int_equal(vertex, 0);
    bwi_arena_free(f.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_come_first),
        cmocka_unit_test(halves_by_hand),
        cmocka_unit_test(bytes_by_hand),
        cmocka_unit_test(widths_are_safe),
        cmocka_unit_test(plans_that_cannot_be_baked),
        cmocka_unit_test(crowds_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
