/* SPDX-License-Identifier: MIT
 * PNG: the chunks of what is written, what other writers may write, and what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "image_fixture.h"

static bwi_mem mem;
static const bwi_env env = {&mem, 1, NULL};
static const image_kind png8 = {"png8", BWI_CONTAINER_PNG, BWI_TEXEL_U8};
static const image_kind png16 = {"png16", BWI_CONTAINER_PNG, BWI_TEXEL_U16};

static int fresh_mem(void **state) {
    (void)state;
    bwi_mem_init(&mem, 0);
    return 0;
}

static int mem_is_empty(void **state) {
    (void)state;
    return mem.used == 0 ? 0 : -1;
}

static uint32_t big(const uint8_t *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static void put_big(uint8_t *to, uint32_t value) {
    for (int i = 0; i < 4; ++i)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* No gAMA, sRGB, cHRM, iCCP or time: nothing that makes an engine change values, nothing that changes from day to day. */
static void only_the_chunks_that_are_needed(void **state) {
    (void)state;
    const image_kind *kinds[] = {&png8, &png16};
    for (int k = 0; k < 2; ++k) {
        bwi_texels made = image_make(640, 480, kinds[k]->type, 1); /* several blocks */
        assert_int_equal(image_save(image_path("chunks.png"), kinds[k], &made, &env, NULL), BW_OK);
        size_t size, at = 8, idat_count = 0;
        uint8_t *file = image_read_bytes(image_path("chunks.png"), &size);
        char order[64] = "", *end = order;
        while (at < size) {
            assert_true(size - at >= 12 && big(file + at) <= size - at - 12);
            const uint32_t length = big(file + at);
            assert_int_equal(big(file + at + 8 + length), crc32(0, file + at + 4, 4 + length));
            const bool repeated = end > order && memcmp(file + at + 4, end - 4, 4) == 0;
            idat_count += memcmp(file + at + 4, "IDAT", 4) == 0;
            if (!repeated) {
                assert_true(end < order + 60);
                memcpy(end, file + at + 4, 4);
                end += 4;
            }
            at += 12 + length;
        }
        assert_string_equal(order, "IHDRIDATIEND");
        assert_true(idat_count > 2);
        static const uint8_t head8[] = {0, 0, 2, 128, 0, 0, 1, 224, 8, 6, 0, 0, 0},
                             head16[] = {0, 0, 2, 128, 0, 0, 1, 224, 16, 6, 0, 0, 0};
        assert_memory_equal(file + 16, k == 0 ? head8 : head16, 13);
        free(file);
        free(made.data);
    }
}

static void on_write(png_structp png, png_bytep data, png_size_t size) {
    assert_int_equal(fwrite(data, 1, size, png_get_io_ptr(png)), size);
}

static void on_flush(png_structp png) {
    (void)png;
}

/* A file by libpng, of the given colour type; rows hold 16 bytes a pixel at most. */
static void write_foreign(const char *path, int color_type, int bits, int interlace, bool with_colour_chunks) {
    FILE *file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, file, on_write, on_flush);
    png_set_IHDR(png, info, 5, 4, bits, color_type, interlace, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    const png_color palette[2] = {{1, 2, 3}, {4, 5, 6}};
    if (color_type == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(png, info, palette, 2);
    if (with_colour_chunks) {
        png_set_gAMA(png, info, 0.45455);
        const png_color_8 significant = {5, 5, 5, 0, 5};
        png_set_sBIT(png, info, &significant);
        const png_color_16 background = {0, 1, 2, 3, 4};
        png_set_bKGD(png, info, &background);
        png_text text = {.compression = PNG_TEXT_COMPRESSION_zTXt, .key = (char *)"Comment", .text = (char *)"a text"};
        png_set_text(png, info, &text, 1);
    }
    png_write_info(png, info);
    static uint8_t row[80];
    for (size_t i = 0; i < sizeof row; ++i)
        row[i] = (uint8_t)(color_type == PNG_COLOR_TYPE_PALETTE ? 0 : i * 3);
    static uint8_t *rows[4] = {row, row, row, row};
    png_write_image(png, rows);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
}

static void foreign_colour_chunks_change_nothing(void **state) {
    (void)state;
    write_foreign(image_path("foreign.png"), PNG_COLOR_TYPE_RGB_ALPHA, 16, PNG_INTERLACE_NONE, true);
    bwi_texels read = {0};
    assert_int_equal(bwi_image_read(&read, image_path("foreign.png"), BWI_CONTAINER_PNG, NULL, &env, NULL), BW_OK);
    const uint16_t *codes = read.data;
    assert_true(read.type == BWI_TEXEL_U16 && read.width == 5 && read.height == 4);
    for (size_t i = 0; i < 20; ++i)
        for (size_t y = 0; y < 4; ++y)
            assert_int_equal(codes[y * 20 + i], (uint8_t)(6 * i) << 8 | (uint8_t)(6 * i + 3));
    bwi_texels_free(&read, &mem);
}

/* Other bakers leave alpha out; a sampler then returns 1. */
static void alpha_that_is_missing_is_one(void **state) {
    (void)state;
    for (int bits = 8; bits <= 16; bits += 8) {
        write_foreign(image_path("rgb.png"), PNG_COLOR_TYPE_RGB, bits, PNG_INTERLACE_NONE, false);
        bwi_texels read = {0};
        assert_int_equal(bwi_image_read(&read, image_path("rgb.png"), BWI_CONTAINER_PNG, NULL, &env, NULL), BW_OK);
        assert_true(read.type == (bits == 8 ? BWI_TEXEL_U8 : BWI_TEXEL_U16) && read.width == 5 && read.height == 4);
        for (size_t i = 0; i < 20; ++i)
            for (size_t k = 0; k < 4; ++k) {
                const size_t at = i % 5 * 3 + k; /* the writer's rows are alike: byte b is 3 b */
                if (bits == 8)
                    assert_int_equal(((const uint8_t *)read.data)[4 * i + k], k == 3 ? 255 : (uint8_t)(3 * at));
                else
                    assert_int_equal(((const uint16_t *)read.data)[4 * i + k],
                                     k == 3 ? 65535 : (uint8_t)(6 * at) << 8 | (uint8_t)(6 * at + 3));
            }
        bwi_texels_free(&read, &mem);
    }
}

static void other_kinds_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        int color_type, bits, interlace;
        const char *said;
    } rows[] = {
        {PNG_COLOR_TYPE_GRAY, 16, PNG_INTERLACE_NONE, "colour type 0 with 16 bits"},
        {PNG_COLOR_TYPE_PALETTE, 8, PNG_INTERLACE_NONE, "colour type 3"},
        {PNG_COLOR_TYPE_GRAY_ALPHA, 8, PNG_INTERLACE_NONE, "colour type 4"},
        {PNG_COLOR_TYPE_RGB_ALPHA, 8, PNG_INTERLACE_ADAM7, "interlaced"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        write_foreign(image_path("kind.png"), rows[i].color_type, rows[i].bits, rows[i].interlace, false);
        bwi_texels read = {0};
        bw_error error = {0};
        bw_result result = bwi_image_read(&read, image_path("kind.png"), BWI_CONTAINER_PNG, NULL, &env, &error);
        if (result != BW_ERR_UNSUPPORTED || !strstr(error.message, rows[i].said))
            fail_msg("case %zu: %s, \"%s\"", i, bw_result_name(result), error.message);
    }
}

/* Sides and sum of IHDR changed together, as someone who means harm would. */
static void claims_are_judged_by_the_file_size(void **state) {
    (void)state;
    static const struct {
        uint32_t width, height;
        bw_result result;
    } rows[] = {
        {30000, 30000, BW_ERR_TRUNCATED},           {65536, 65536, BW_ERR_TRUNCATED}, {65537, 1, BW_ERR_TOO_LARGE},
        {0x7FFFFFFF, 0x7FFFFFFF, BW_ERR_TOO_LARGE}, {0, 5, BW_ERR_MALFORMED},         {0xFFFFFFFF, 5, BW_ERR_MALFORMED},
    };
    bwi_texels made = image_make(5, 5, BWI_TEXEL_U16, 1);
    assert_int_equal(image_save(image_path("claim.png"), &png16, &made, &env, NULL), BW_OK);
    size_t size;
    uint8_t *file = image_read_bytes(image_path("claim.png"), &size);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        put_big(file + 16, rows[i].width);
        put_big(file + 20, rows[i].height);
        put_big(file + 29, (uint32_t)crc32(0, file + 12, 17));
        image_write_bytes(image_path("claim.png"), file, size);
        mem.peak = 0;
        bwi_texels read = {0};
        bw_result result = bwi_image_read(&read, image_path("claim.png"), BWI_CONTAINER_PNG, NULL, &env, NULL);
        if (result != rows[i].result)
            fail_msg("%u x %u: %s", rows[i].width, rows[i].height, bw_result_name(result));
        assert_true(mem.peak < 1 << 18); /* libpng's own: a few structures and buffers */
    }
    free(file);
    free(made.data);
}

/* Columns that repeat along each row are filtered to zeros, and so are rows that repeat: a texture in which nothing moves is small. */
static void what_stands_still_is_small(void **state) {
    (void)state;
    bwi_texels made = image_make(1000, 500, BWI_TEXEL_U16, 1);
    uint16_t *codes = made.data;
    for (size_t i = 4000; i < 2000000; ++i)
        codes[i] = codes[i - 4000];
    assert_int_equal(image_save(image_path("still.png"), &png16, &made, &env, NULL), BW_OK);
    size_t size;
    free(image_read_bytes(image_path("still.png"), &size));
    assert_true(size < image_size(&made) / 50);
    free(made.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_chunks_that_are_needed, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(foreign_colour_chunks_change_nothing, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(alpha_that_is_missing_is_one, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(other_kinds_are_refused_by_name, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(claims_are_judged_by_the_file_size, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(what_stands_still_is_small, fresh_mem, mem_is_empty),
    };
    return cmocka_run_group_tests_name("image_png", tests, image_make_folder, image_remove_folder);
}
