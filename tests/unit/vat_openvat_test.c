/* SPDX-License-Identifier: MIT
 * Sides, places and bounds of OpenVAT's layout against numbers worked out by hand from docs/FORMATS.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vat/vat_priv.h"

typedef struct openvat_case {
    uint32_t vertices, frames, max_size;
    bool packed;
    uint32_t width, height, rows;
} openvat_case;

static const openvat_case CASES[] = {
    /* V, N, max, packed: W, H, rows a frame */
    {65, 20, 4096, false, 65, 20, 1},       /* a shipped cube: one row a frame */
    {65, 20, 4096, true, 65, 40, 1},        /* packed: two */
    {255, 3, 256, true, 255, 6, 1},         /* V = max − 1 */
    {256, 3, 256, true, 256, 6, 1},         /* V = max */
    {257, 3, 256, true, 64, 32, 5},         /* max + 1: 64 × pow2(2 · 3 · 5); 128 × 32 and 256 × 16 are too flat */
    {5000, 60, 4096, true, 1024, 1024, 5},  /* 1024 × pow2(600); 512 × 2048 is too tall */
    {5000, 60, 4096, false, 512, 1024, 10}, /* 512 × pow2(600): of the same area 1024 × 512 comes later */
    {9000, 1, 4096, true, 128, 256, 71},    {3877, 254, 2048, true, 1024, 2048, 4},
};

static bw_result lay_out(bwi_vat_plan *plan, bwi_arena *arena, const openvat_case *c, bw_error *error) {
    static const bw_scene scene = {.path = "grid.glb"};
    static bwi_vertex_list list;
    static bwi_vat_clip clips[1];
    list = (bwi_vertex_list){.scene = &scene, .vertex_count = c->vertices};
    clips[0] = (bwi_vat_clip){.out = {.name = "a", .frame_count = c->frames}};
    *plan = (bwi_vat_plan){.list = &list, .clips = clips, .clip_count = 1};
    plan->settings.layout = BW_VAT_LAYOUT_OPENVAT;
    plan->settings.format = bwi_format_info_of(BW_VAT_FORMAT_EXR16);
    plan->settings.position_decode = c->packed ? BWI_DECODE_OFFSET_NORMAL : BWI_DECODE_OFFSET;
    plan->settings.max_size = c->max_size;
    plan->settings.max_bytes = UINT64_C(1) << 40;
    return bwi_vat_layout(plan, arena, error);
}

static void sides_follow_the_rule(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        const openvat_case *c = &CASES[k];
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_vat_plan plan;
        print_message("V %u, N %u, max %u, packed %d\n", c->vertices, c->frames, c->max_size, c->packed);
        assert_int_equal(lay_out(&plan, arena, c, NULL), BW_OK);
        assert_int_equal(plan.width, c->width);
        assert_int_equal(plan.height, c->height);
        assert_int_equal(plan.rows_per_frame, c->rows);
        assert_int_equal(plan.frames_per_page, c->frames);
        assert_int_equal(plan.page_count, 1);
        bwi_arena_free(arena);
    }
}

static void what_no_rule_holds_is_refused(void **state) {
    (void)state;
    static const openvat_case rows[] = {
        {257, 3, 256, false, 0, 0, 0}, /* 64 × 16, 128 × 16, 256 × 8: all too flat */
        {65, 33, 64, true, 0, 0, 0},   /* more rows than the limit */
        {5000, 4000, 4096, false, 0, 0, 0},
        {20, 2049, 4096, true, 0, 0, 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_vat_plan plan;
        bw_error error = {0};
        assert_int_equal(lay_out(&plan, arena, &rows[k], &error), BW_ERR_TOO_LARGE);
        assert_non_null(strstr(error.message, "--layout=native"));
        bwi_arena_free(arena);
    }
}

/* https://github.com/sharpen3d/openvat/issues/4: one stride for rows in UV and texture. */
static void elements_go_from_the_last_column_on(void **state) {
    (void)state;
    bwi_arena *arena = bwi_arena_create_owning(0);
    bwi_vat_plan plan;
    assert_int_equal(lay_out(&plan, arena, &CASES[4], NULL), BW_OK);
    static const uint32_t places[][3] = {{256, 0, 0}, {255, 1, 0}, {193, 63, 0}, {192, 0, 3}, {0, 0, 12}, {1, 63, 9}};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        uint32_t column, row;
        bwi_openvat_place(&plan, places[k][0], &column, &row);
        assert_int_equal(column, places[k][1]);
        assert_int_equal(row, places[k][2]);
    }
    bwi_arena_free(arena);
}

static void bounds_are_rounded_outward(void **state) {
    (void)state;
    float min[3] = {-4.2658f, 0.0f, -0.0001f}, max[3] = {4.2035f, 0.0f, 0.7668f};
    bwi_openvat_round_bounds(min, max);
    const float low[3] = {-4.3f, 0.0f, -0.1f}, high[3] = {4.3f, 0.0f, 0.8f};
    for (int k = 0; k < 3; k++)
        assert_true(min[k] == low[k] && max[k] == high[k]);
    /* Whatever the offset, its float bounds hold it. */
    for (int k = -3000; k < 3000; k++) {
        float at[3] = {(float)k * 0.1f, (float)k * 0.0973f, (float)k / 7.0f}, above[3];
        memcpy(min, at, sizeof at);
        memcpy(above, at, sizeof at);
        bwi_openvat_round_bounds(min, above);
        for (int i = 0; i < 3; i++)
            assert_true(min[i] <= at[i] && at[i] <= above[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_follow_the_rule),
        cmocka_unit_test(what_no_rule_holds_is_refused),
        cmocka_unit_test(elements_go_from_the_last_column_on),
        cmocka_unit_test(bounds_are_rounded_outward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
