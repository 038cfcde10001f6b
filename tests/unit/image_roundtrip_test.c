/* SPDX-License-Identifier: MIT
 * What is written is read back bit for bit, whatever the container, the sides and the number of threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "image_fixture.h"

static void check_same(const bwi_texels *found, const bwi_texels *wanted, const image_kind *kind) {
    if (found->width != wanted->width || found->height != wanted->height || found->type != wanted->type)
        fail_msg("%s: %u x %u of type %d", kind->name, found->width, found->height, (int)found->type);
    if (memcmp(found->data, wanted->data, image_size(wanted)) != 0)
        fail_msg("%s: %u x %u differ", kind->name, wanted->width, wanted->height);
}

static void round_trip(const image_kind *kind, uint32_t width, uint32_t height, uint32_t thread_count) {
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    const bwi_env env = {&mem, thread_count, NULL};
    bwi_texels made = image_make(width, height, kind->type, width * 31 + height);
    bw_error error = {0};
    const char *path = image_path(kind->name);
    if (image_save(path, kind, &made, &env, &error) != BW_OK)
        fail_msg("%s", error.message);
    bwi_texels read = {0};
    if (bwi_image_read(&read, path, kind->container, &made, &env, &error) != BW_OK)
        fail_msg("%s", error.message);
    check_same(&read, &made, kind);
    bwi_texels_free(&read, &mem);
    if (kind->container != BWI_CONTAINER_RAW) {
        if (bwi_image_read(&read, path, kind->container, NULL, &env, &error) != BW_OK)
            fail_msg("%s", error.message);
        check_same(&read, &made, kind);
        bwi_texels_free(&read, &mem);
    }
    assert_null(read.data);
    assert_int_equal(mem.used, 0);
    free(made.data);
}

/* 16 and 17 rows: one EXR chunk, and one more row.  4099 columns: more bytes in a row than the buffers that texels are copied through. */
static void every_kind_keeps_every_bit(void **state) {
    (void)state;
    static const uint32_t sides[][2] = {{1, 1}, {1, 37}, {37, 1}, {17, 13}, {5, 16}, {5, 17}, {64, 64}, {4099, 3}};
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k)
        for (size_t s = 0; s < sizeof sides / sizeof *sides; ++s)
            round_trip(&image_kinds[k], sides[s][0], sides[s][1], 1);
}

/* Several blocks of a PNG and many chunks of an EXR, the last ones shorter. */
static void many_blocks_keep_every_bit(void **state) {
    (void)state;
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k) {
        round_trip(&image_kinds[k], 701, 403, 1);
        round_trip(&image_kinds[k], 701, 403, 4);
    }
}

static void threads_do_not_change_bytes(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k) {
        const image_kind *kind = &image_kinds[k];
        bwi_texels made = image_make(701, 403, kind->type, 5);
        uint8_t *files[2];
        size_t sizes[2];
        for (uint32_t i = 0; i < 2; ++i) {
            const bwi_env env = {&mem, i == 0 ? 1 : 4, NULL};
            assert_int_equal(image_save(image_path("threads"), kind, &made, &env, NULL), BW_OK);
            files[i] = image_read_bytes(image_path("threads"), &sizes[i]);
        }
        if (sizes[0] != sizes[1] || memcmp(files[0], files[1], sizes[0]) != 0)
            fail_msg("%s: other bytes with 4 threads", kind->name);
        free(files[0]);
        free(files[1]);
        free(made.data);
    }
    assert_int_equal(mem.used, 0);
}

static void what_differs_from_the_expected_is_said(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    const bwi_env env = {&mem, 1, NULL};
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k) {
        const image_kind *kind = &image_kinds[k];
        bwi_texels made = image_make(6, 5, kind->type, 1);
        assert_int_equal(image_save(image_path("six_by_five"), kind, &made, &env, NULL), BW_OK);
        bwi_texels expected[3] = {made, made, made};
        expected[0].width = 5;
        expected[1].height = 4;
        /* Raw texels name no type: one of another size is seen, one of the same size cannot be. */
        expected[2].type = kind->type == BWI_TEXEL_U8 || kind->type == BWI_TEXEL_U10 ? BWI_TEXEL_U16 : BWI_TEXEL_U8;
        for (int e = 0; e < 3; ++e) {
            static uint8_t untouched;
            bwi_texels read = {7, 8, BWI_TEXEL_U8, &untouched};
            bw_error error = {0};
            bw_result result =
                bwi_image_read(&read, image_path("six_by_five"), kind->container, &expected[e], &env, &error);
            /* Raw texels of larger type: the file is too short. */
            const bool too_short = kind->container == BWI_CONTAINER_RAW && image_size(&expected[e]) > image_size(&made);
            if (result != (too_short ? BW_ERR_TRUNCATED : BW_ERR_DIFFERS))
                fail_msg("%s, case %d: %s", kind->name, e, bw_result_name(result));
            assert_non_null(strstr(error.message, "six_by_five"));
            assert_true(read.width == 7 && read.height == 8 && read.data == &untouched);
        }
        free(made.data);
    }
    assert_int_equal(mem.used, 0);
}

static void a_wrong_type_for_a_container_is_refused(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    const bwi_env env = {&mem, 1, NULL};
    const image_kind wrong = {"float PNG", BWI_CONTAINER_PNG, BWI_TEXEL_F32};
    bwi_texels made = image_make(2, 2, wrong.type, 1);
    assert_int_equal(image_save(image_path("wrong"), &wrong, &made, &env, NULL), BW_ERR_INTERNAL);
    free(made.data);
}

static bool cancel(void *ctx, const char *phase, uint64_t done, uint64_t total) {
    (void)ctx;
    (void)phase;
    (void)done;
    (void)total;
    return false;
}

static void a_cancelled_call_ends(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    bw_run_opts run = {.progress = cancel};
    bwi_env env = {&mem, 2, bwi_progress_create(&mem, &run)};
    assert_non_null(env.progress);
    const image_kind *kinds[2] = {&image_kinds[1], &image_kinds[2]};
    const bwi_env plain = {&mem, 1, NULL};
    bwi_texels made[2];
    for (int i = 0; i < 2; ++i) {
        made[i] = image_make(300, 300, kinds[i]->type, 1);
        assert_int_equal(image_save(image_path(kinds[i]->name), kinds[i], &made[i], &plain, NULL), BW_OK);
    }
    bwi_progress_begin(env.progress, "images", 1);
    assert_false(bwi_progress_step(env.progress, 1));
    for (int i = 0; i < 2; ++i)
        assert_int_equal(image_save(image_path("cancelled"), kinds[i], &made[i], &env, NULL), BW_ERR_CANCELLED);
    bwi_texels read = {0};
    assert_int_equal(bwi_image_read(&read, image_path("exr16"), BWI_CONTAINER_EXR, NULL, &env, NULL), BW_ERR_CANCELLED);
    assert_null(read.data);
    bwi_progress_free(env.progress);
    free(made[0].data);
    free(made[1].data);
    assert_int_equal(mem.used, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_keeps_every_bit),
        cmocka_unit_test(many_blocks_keep_every_bit),
        cmocka_unit_test(threads_do_not_change_bytes),
        cmocka_unit_test(what_differs_from_the_expected_is_said),
        cmocka_unit_test(a_wrong_type_for_a_container_is_refused),
        cmocka_unit_test(a_cancelled_call_ends),
    };
    return cmocka_run_group_tests_name("image_roundtrip", tests, image_make_folder, image_remove_folder);
}
