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

typedef struct bone_case {
    uint32_t bones, frames, max_size, texels;
    bool pow2;
    uint32_t per_row, width, height, rows, per_page, pages;
} bone_case;

static const bone_case BONES[] = {
    /* B, N, max, T, pow2: bones a row, W, H, R, K, pages */
    {1, 1, 16, 2, false, 1, 2, 2, 1, 1, 1},    /* one frame after the reference block */
    {1, 15, 16, 2, false, 1, 2, 16, 1, 15, 1}, /* K frames: one page */
    {1, 16, 16, 2, false, 1, 2, 16, 1, 15, 2}, /* K + 1 */
    {8, 3, 16, 2, false, 8, 16, 4, 1, 3, 1},   /* J bones a row */
    {9, 3, 16, 2, false, 5, 10, 8, 2, 3, 1},   /* J + 1: two rows of five */
    {5, 3, 16, 3, false, 5, 15, 4, 1, 3, 1},   /* three texels: floor(16 / 3) a row, and never a bone split */
    {6, 3, 16, 3, false, 3, 9, 8, 2, 3, 1},    /* one more */
    {17, 8, 16, 2, false, 6, 12, 15, 3, 4, 3}, /* three rows a frame: five blocks, four frames a page */
    {41, 4500, 4096, 2, false, 41, 82, 4096, 1, 4095, 2},
    {3, 3, 16, 2, true, 4, 8, 4, 1, 3, 1},   /* 6 -> 8 columns, room for four */
    {6, 3, 16, 3, true, 5, 16, 8, 2, 3, 1},  /* 9 -> 16 columns, room for five: still two rows */
    {9, 4, 20, 2, true, 8, 16, 16, 2, 4, 1}, /* the largest side is 16; five blocks of two rows -> 16 */
    {2048, 2, 4096, 2, false, 2048, 4096, 3, 1, 2, 1},
    {65535, 2, 4096, 2, false, 2048, 4096, 96, 32, 2, 1},
};

static bw_result lay_out_bones(bwi_vat_plan *plan, bwi_arena *arena, const bone_case *c, bw_error *error) {
    static const bw_scene scene = {.path = "grid.glb"};
    static bwi_vertex_list list;
    static bwi_vat_clip clips[1];
    static bwi_palette palette;
    list = (bwi_vertex_list){.scene = &scene, .vertex_count = 40};
    palette = (bwi_palette){.bone_count = c->bones, .influence_count = 4};
    clips[0] = (bwi_vat_clip){.out = {.name = "a", .frame_count = c->frames}};
    *plan = (bwi_vat_plan){.list = &list, .clips = clips, .clip_count = 1, .palette = &palette};
    plan->settings.mode = BW_VAT_MODE_BONE;
    plan->settings.layout = BW_VAT_LAYOUT_NATIVE;
    plan->settings.position_decode = c->texels == 3 ? BWI_DECODE_BONE_MATRIX : BWI_DECODE_BONE_QUATERNION;
    plan->settings.format = bwi_format_info_of(c->texels == 3 ? BW_VAT_FORMAT_EXR32 : BW_VAT_FORMAT_PNG16);
    plan->settings.max_size = c->max_size;
    plan->settings.pow2 = c->pow2;
    plan->settings.max_bytes = UINT64_C(1) << 40;
    return bwi_vat_layout(plan, arena, error);
}

static void bone_sides(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof BONES / sizeof BONES[0]; k++) {
        const bone_case *c = &BONES[k];
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_vat_plan plan;
        print_message("B %u, N %u, max %u, T %u, pow2 %d\n", c->bones, c->frames, c->max_size, c->texels, c->pow2);
        assert_int_equal(lay_out_bones(&plan, arena, c, NULL), BW_OK);
        assert_int_equal(plan.bones.per_row, c->per_row);
        assert_int_equal(plan.bones.texel_count, c->texels);
        assert_int_equal(plan.width, c->width);
        assert_int_equal(plan.height, c->height);
        assert_int_equal(plan.rows_per_frame, c->rows);
        assert_int_equal(plan.frames_per_page, c->per_page);
        assert_int_equal(plan.page_count, c->pages);
        assert_int_equal(plan.weight_rows, 0); /* no weight texture was asked for */
        assert_true(plan.texture_bytes == (uint64_t)c->width * c->height * c->pages * (c->texels == 3 ? 16 : 8));
        bwi_arena_free(arena);
    }
}

static void weight_sides(void **state) {
    (void)state;
    static const struct {
        uint32_t vertices, influences, max_size;
        bool pow2;
        uint32_t width, height, rows; /* 0: refused */
    } ROWS[] = {
        {3, 4, 16, false, 3, 2, 1},    {16, 8, 16, false, 16, 4, 1}, {17, 4, 16, false, 9, 4, 2},
        {33, 8, 16, false, 11, 12, 3}, {33, 4, 16, true, 16, 8, 4}, /* rows are powers of two too: 3 -> 4 */
        {64, 8, 16, false, 16, 16, 4}, {65, 8, 16, false, 0, 0, 0},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        static const bw_scene scene = {.path = "grid.glb"};
        const bwi_vertex_list list = {.scene = &scene, .vertex_count = ROWS[k].vertices};
        const bwi_palette palette = {.bone_count = 1};
        bwi_vat_clip clips[1] = {{.out = {.name = "a", .frame_count = 1}}};
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_vat_plan plan = {.list = &list, .clips = clips, .clip_count = 1, .palette = &palette};
        bw_error error = {0};
        plan.settings = (bwi_vat_settings){.mode = BW_VAT_MODE_BONE,
                                           .layout = BW_VAT_LAYOUT_NATIVE,
                                           .position_decode = BWI_DECODE_BONE_QUATERNION,
                                           .format = bwi_format_info_of(BW_VAT_FORMAT_PNG16),
                                           .weight_format = bwi_format_info_of(BW_VAT_FORMAT_PNG16),
                                           .influence_count = ROWS[k].influences,
                                           .max_size = ROWS[k].max_size,
                                           .pow2 = ROWS[k].pow2,
                                           .max_bytes = 1 << 20};
        const bw_result result = bwi_vat_layout(&plan, arena, &error);
        print_message("row %zu\n", k);
        if (ROWS[k].width == 0) {
            assert_int_equal(result, BW_ERR_TOO_LARGE);
            assert_non_null(strstr(error.message, "--skin-in=mesh"));
        } else {
            assert_int_equal(result, BW_OK);
            assert_int_equal(plan.weight_width, ROWS[k].width);
            assert_int_equal(plan.weight_height, ROWS[k].height);
            assert_int_equal(plan.weight_rows, ROWS[k].rows);
            const uint64_t bones = (uint64_t)plan.width * plan.height;
            assert_true(plan.texture_bytes == 8 * (bones + (uint64_t)ROWS[k].width * ROWS[k].height));
        }
        bwi_arena_free(arena);
    }
}

static void too_many_bones_say_what_helps(void **state) {
    (void)state;
    bwi_arena *arena = bwi_arena_create_owning(0);
    bwi_vat_plan plan;
    bw_error error = {0};
    const bone_case pair = {
        .bones = 41, .frames = 2, .max_size = 16, .texels = 2}; /* six rows a block, eighteen in all */
    assert_int_equal(lay_out_bones(&plan, arena, &pair, &error), BW_ERR_TOO_LARGE);
    assert_non_null(strstr(error.message, "a pair of frames of these bones needs a texture side of 18"));
    const bone_case bytes = {.bones = 60000, .frames = 1 << 25, .max_size = 16384, .texels = 2};
    assert_int_equal(lay_out_bones(&plan, arena, &bytes, &error), BW_ERR_TOO_LARGE);
    assert_non_null(strstr(error.message, "60000 bones"));
    bwi_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_sides),
        cmocka_unit_test(pairs_are_never_split),
        cmocka_unit_test(too_large_says_what_helps),
        cmocka_unit_test(bytes_are_limited_before_pages_are_listed),
        cmocka_unit_test(seed_sides),
        cmocka_unit_test(bone_sides),
        cmocka_unit_test(weight_sides),
        cmocka_unit_test(too_many_bones_say_what_helps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
