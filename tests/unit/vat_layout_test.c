/* SPDX-License-Identifier: MIT
 * Sides, rows and pages against numbers worked out by hand from docs/FORMATS.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vat/vat.h"

typedef struct layout_case {
    uint32_t vertices, frames, max_size;
    bool pow2;
    uint32_t width, height, rows, per_page, pages;
} layout_case;

static const layout_case CASES[] = {
    /* V, N, max, pow2: W, H, R, K, pages */
    {1, 1, 16, false, 1, 1, 1, 1, 1},
    {1, 16, 16, false, 1, 16, 1, 16, 1},   /* K frames: one page */
    {1, 17, 16, false, 1, 16, 1, 16, 2},   /* K + 1 */
    {2, 31, 16, false, 2, 16, 1, 16, 2},   /* 2K - 1 frames: two pages, both full */
    {2, 32, 16, false, 2, 16, 1, 16, 3},   /* one more */
    {15, 3, 16, false, 15, 3, 1, 3, 1},    /* W - 1 */
    {16, 3, 16, false, 16, 3, 1, 3, 1},    /* W */
    {17, 3, 16, false, 9, 6, 2, 3, 1},     /* W + 1: two rows of nine */
    {32, 8, 16, false, 16, 16, 2, 8, 1},   /* 2W */
    {33, 8, 16, false, 11, 15, 3, 5, 2},   /* W * R + 1: three rows of eleven, five frames a page */
    {128, 2, 16, false, 16, 16, 8, 2, 1},  /* as many as a pair of frames allows */
    {256, 1, 16, false, 16, 16, 16, 1, 1}, /* as many as one frame allows */
    {5, 5, 16, true, 8, 8, 1, 5, 1},       /* powers of two: 5 -> 8 both ways */
    {17, 3, 16, true, 16, 8, 2, 3, 1},     /* 9 -> 16 columns, still two rows */
    {9, 20, 20, true, 16, 16, 1, 16, 2},   /* the largest side is the power of two below 20 */
    {3067, 4096, 4096, false, 3067, 4096, 1, 4096, 1},
    {4097, 2049, 4096, false, 2049, 4096, 2, 2048, 2}, /* two rows a frame: 2,048 frames a page */
};

static bw_result lay_out(bwi_vat_plan *plan, bwi_arena *arena, const layout_case *c, bw_vat_layout layout,
                         bw_error *error) {
    static const bw_scene scene = {.path = "grid.glb"};
    static bwi_vertex_list list;
    static bwi_vat_clip clips[1];
    list = (bwi_vertex_list){.scene = &scene, .vertex_count = c->vertices};
    clips[0] = (bwi_vat_clip){.out = {.name = "a", .frame_count = c->frames}};
    *plan = (bwi_vat_plan){.list = &list, .clips = clips, .clip_count = 1};
    plan->settings.layout = layout;
    plan->settings.format =
        bwi_format_info_of(layout == BW_VAT_LAYOUT_SEED ? BW_VAT_FORMAT_EXR16 : BW_VAT_FORMAT_PNG16);
    plan->settings.max_size = c->max_size;
    plan->settings.pow2 = c->pow2;
    plan->settings.max_bytes = UINT64_C(1) << 40;
    return bwi_vat_layout(plan, arena, error);
}

static void native_sides(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        const layout_case *c = &CASES[k];
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_vat_plan plan;
        print_message("V %u, N %u, max %u, pow2 %d\n", c->vertices, c->frames, c->max_size, c->pow2);
        assert_int_equal(lay_out(&plan, arena, c, BW_VAT_LAYOUT_NATIVE, NULL), BW_OK);
        assert_int_equal(plan.width, c->width);
        assert_int_equal(plan.height, c->height);
        assert_int_equal(plan.rows_per_frame, c->rows);
        assert_int_equal(plan.frames_per_page, c->per_page);
        assert_int_equal(plan.page_count, c->pages);
        assert_true(plan.texture_bytes == (uint64_t)c->width * c->height * 8 * c->pages);
        bwi_arena_free(arena);
    }
}

/* Guards the best requirement found for paging: both frames of any pair stand on one page. */
static void pairs_are_never_split(void **state) {
    (void)state;
    for (uint32_t frames = 1; frames < 70; frames++) {
        const layout_case c = {.vertices = 33, .frames = frames, .max_size = 16};
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_vat_plan plan;
        assert_int_equal(lay_out(&plan, arena, &c, BW_VAT_LAYOUT_NATIVE, NULL), BW_OK);
        for (uint32_t g = 0; g + 1 < frames; g++) {
            const uint32_t page = plan.page_count == 1 ? 0 : g / (plan.frames_per_page - 1);
            assert_true(page < plan.page_count);
            assert_true(plan.pages[page].first_frame <= g);
            assert_true(g + 1 < plan.pages[page].first_frame + plan.pages[page].frame_count);
        }
        const bwi_vat_page *last = &plan.pages[plan.page_count - 1];
        assert_int_equal(last->first_frame + last->frame_count, frames);
        assert_true(plan.page_count == 1 || last->frame_count >= 2);
        bwi_arena_free(arena);
    }
}

static void too_large_says_what_helps(void **state) {
    (void)state;
    bwi_arena *arena = bwi_arena_create_owning(0);
    bwi_vat_plan plan;
    bw_error error = {0};
    const layout_case pair = {.vertices = 129, .frames = 2, .max_size = 16};
    assert_int_equal(lay_out(&plan, arena, &pair, BW_VAT_LAYOUT_NATIVE, &error), BW_ERR_TOO_LARGE);
    assert_non_null(strstr(error.message, "--max-size"));
    const layout_case one = {.vertices = 257, .frames = 1, .max_size = 16};
    assert_int_equal(lay_out(&plan, arena, &one, BW_VAT_LAYOUT_NATIVE, &error), BW_ERR_TOO_LARGE);
    const layout_case wide = {.vertices = 17, .frames = 1, .max_size = 16};
    assert_int_equal(lay_out(&plan, arena, &wide, BW_VAT_LAYOUT_SEED, &error), BW_ERR_TOO_LARGE);
    assert_non_null(strstr(error.message, "--layout=native"));
    const layout_case tall = {.vertices = 16, .frames = 17, .max_size = 16};
    assert_int_equal(lay_out(&plan, arena, &tall, BW_VAT_LAYOUT_SEED, &error), BW_ERR_TOO_LARGE);
    assert_non_null(strstr(error.message, "--end"));
    bwi_arena_free(arena);
}

static void bytes_are_limited_before_pages_are_listed(void **state) {
    (void)state;
    bwi_arena *arena = bwi_arena_create_owning(1 << 20);
    static const bw_scene scene = {.path = "grid.glb"};
    const bwi_vertex_list list = {.scene = &scene, .vertex_count = 1U << 30};
    bwi_vat_clip clips[2] = {{.out = {.name = "a", .frame_count = 1U << 30}},
                             {.out = {.name = "b", .frame_count = 1U << 29}}};
    bwi_vat_plan plan = {.list = &list, .clips = clips, .clip_count = 2};
    plan.settings.format = bwi_format_info_of(BW_VAT_FORMAT_PNG16);
    plan.settings.layout = BW_VAT_LAYOUT_NATIVE;
    plan.settings.max_size = 16384;
    plan.settings.max_bytes = UINT64_C(512) << 20;
    bw_error error = {0};
    assert_int_equal(bwi_vat_layout(&plan, arena, &error), BW_ERR_TOO_LARGE);
    assert_non_null(strstr(error.message, "--max-bytes"));
    bwi_arena_free(arena);
}

static void seed_sides(void **state) {
    (void)state;
    static const uint32_t VERTICES[][2] = {{1, 1}, {2, 2}, {3, 4}, {64, 64}, {65, 128}, {3067, 4096}};
    for (size_t k = 0; k < sizeof VERTICES / sizeof VERTICES[0]; k++) {
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_vat_plan plan;
        const layout_case c = {.vertices = VERTICES[k][0], .frames = 7, .max_size = 4096};
        assert_int_equal(lay_out(&plan, arena, &c, BW_VAT_LAYOUT_SEED, NULL), BW_OK);
        assert_int_equal(plan.pages[0].width, VERTICES[k][1]);
        assert_int_equal(plan.pages[0].height, 7);
        bwi_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_sides),
        cmocka_unit_test(pairs_are_never_split),
        cmocka_unit_test(too_large_says_what_helps),
        cmocka_unit_test(bytes_are_limited_before_pages_are_listed),
        cmocka_unit_test(seed_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
