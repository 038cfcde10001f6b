/* SPDX-License-Identifier: MIT
 * KTX2: the header byte for byte, zstd in, and what is refused by name. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "image_fixture.h"

enum { HEAD_SIZE = 256, PADDED_HEAD = 256 };

static bwi_mem mem;
static const bwi_env env = {&mem, 1, NULL};

static int fresh_mem(void **state) {
    (void)state;
    bwi_mem_init(&mem, 0);
    return 0;
}

static int mem_is_empty(void **state) {
    (void)state;
    return mem.used == 0 ? 0 : -1;
}

/* Written from the specification: identifier, header, index, one level, data format descriptor, key/value data, padding. */
/* clang-format off */
static const uint8_t u16_head[] = {
    0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A, /* «KTX 20» */
    95, 0, 0, 0,            /* VK_FORMAT_R16G16B16A16_UINT */
    2, 0, 0, 0,             /* type size */
    3, 0, 0, 0, 2, 0, 0, 0, /* 3 × 2 */
    0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, /* depth, layers, faces, levels, scheme */
    104, 0, 0, 0, 92, 0, 0, 0,                                  /* descriptor: place, size */
    196, 0, 0, 0, 48, 0, 0, 0,                                  /* key/value data, with each key's padding */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,             /* no global data */
    248, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0, 0, 0, 0, 0, /* level: place, size, size unpacked */
    92, 0, 0, 0, 0, 0, 0, 0, 2, 0, 88, 0,                                       /* basic descriptor, version 2, 88 bytes */
    1, 0, 1, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, /* RGBSDA, unspecified primaries, linear; 1 × 1; 8 bytes */
    0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,   /* R: bit 0, 16 bits, 0 … 1 */
    16, 0, 15, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,  /* G */
    32, 0, 15, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,  /* B */
    48, 0, 15, 15, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, /* A */
    18, 0, 0, 0, 'K', 'T', 'X', 'o', 'r', 'i', 'e', 'n', 't', 'a', 't', 'i', 'o', 'n', 0, 'r', 'd', 0, 0, 0,
    19, 0, 0, 0, 'K', 'T', 'X', 'w', 'r', 'i', 't', 'e', 'r', 0, 'B', 'a', 'k', 'e', 'w', 'e', 'l', 'l', 0, 0,
    0, 0, 0, 0, /* to a multiple of 8, where the texels begin */
};
/* clang-format on */

static void the_header_is_the_specification_s(void **state) {
    (void)state;
    const image_kind kind = {"u16", BWI_CONTAINER_KTX2, BWI_TEXEL_U16};
    bwi_texels made = image_make(3, 2, kind.type, 1);
    assert_int_equal(image_save(image_path("head"), &kind, &made, &env, NULL), BW_OK);
    size_t size;
    uint8_t *file = image_read_bytes(image_path("head"), &size);
    assert_int_equal(size, 248 + 48);
    assert_int_equal(sizeof u16_head, 248);
    assert_memory_equal(file, u16_head, 248);
    const uint16_t *codes = made.data;
    for (size_t i = 0; i < 24; ++i)
        assert_int_equal(file[248 + 2 * i] | file[248 + 2 * i + 1] << 8, codes[i]);
    free(file);
    free(made.data);
}

static uint32_t word(const uint8_t *file, size_t at) {
    return file[at] | (uint32_t)file[at + 1] << 8 | (uint32_t)file[at + 2] << 16 | (uint32_t)file[at + 3] << 24;
}

static void formats_and_descriptors(void **state) {
    (void)state;
    static const struct {
        bwi_texel_type type;
        uint32_t vk_format, type_size, align, red_kind, alpha, lower, upper;
    } rows[] = {
        {BWI_TEXEL_U16, 95, 2, 8, 0x000F0000, 0x0F0F0030, 0, 1},
        {BWI_TEXEL_U10, 68, 4, 4, 0x00090000, 0x0F01001E, 0, 1},
        {BWI_TEXEL_F16, 97, 2, 8, 0xC00F0000, 0xCF0F0030, 0xBF800000, 0x3F800000},
        {BWI_TEXEL_F32, 109, 4, 16, 0xC01F0000, 0xCF1F0060, 0xBF800000, 0x3F800000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const image_kind kind = {"formats", BWI_CONTAINER_KTX2, rows[i].type};
        bwi_texels made = image_make(2, 1, kind.type, 1);
        assert_int_equal(image_save(image_path("formats"), &kind, &made, &env, NULL), BW_OK);
        size_t size;
        uint8_t *file = image_read_bytes(image_path("formats"), &size);
        assert_int_equal(word(file, 12), rows[i].vk_format);
        assert_int_equal(word(file, 16), rows[i].type_size);
        assert_int_equal(word(file, 80) % rows[i].align, 0);
        assert_int_equal(word(file, 80) + image_size(&made), size);
        assert_int_equal(word(file, 132), rows[i].red_kind);
        assert_int_equal(word(file, 180), rows[i].alpha);
        assert_int_equal(word(file, 188), rows[i].lower);
        assert_int_equal(word(file, 192), rows[i].upper);
        free(file);
        free(made.data);
    }
}

static void put_word(uint8_t *file, size_t at, uint32_t value) {
    for (int i = 0; i < 4; ++i)
        file[at + (size_t)i] = (uint8_t)(value >> (8 * i));
}

/* A file of 3 × 2 texels whose level is replaced; key/value data are left out. */
static bw_result read_with_level(bwi_texels *read, uint32_t scheme, const void *level, size_t size, uint32_t unpacked,
                                 bw_error *error) {
    uint8_t file[HEAD_SIZE + 512] = {0};
    memcpy(file, u16_head, 196);
    put_word(file, 44, scheme);
    put_word(file, 56, 0);
    put_word(file, 60, 0);
    put_word(file, 80, PADDED_HEAD);
    put_word(file, 88, (uint32_t)size);
    put_word(file, 96, unpacked);
    memcpy(file + PADDED_HEAD, level, size);
    image_write_bytes(image_path("level"), file, PADDED_HEAD + size);
    return bwi_image_read(read, image_path("level"), BWI_CONTAINER_KTX2, NULL, &env, error);
}

static void zstd_is_read(void **state) {
    (void)state;
    bwi_texels made = image_make(3, 2, BWI_TEXEL_U16, 4);
    uint8_t packed[256];
    size_t size = ZSTD_compress(packed, sizeof packed, made.data, 48, 3);
    assert_false(ZSTD_isError(size));
    bwi_texels read = {0};
    assert_int_equal(read_with_level(&read, 2, packed, size, 48, NULL), BW_OK);
    assert_memory_equal(read.data, made.data, 48);
    bwi_texels_free(&read, &mem);
    bw_error error = {0};
    assert_int_equal(read_with_level(&read, 2, packed, size - 1, 48, &error), BW_ERR_MALFORMED);
    assert_non_null(strstr(error.message, "zstd"));
    /* One texel too few inside. */
    size = ZSTD_compress(packed, sizeof packed, made.data, 40, 3);
    assert_int_equal(read_with_level(&read, 2, packed, size, 48, NULL), BW_ERR_MALFORMED);
    assert_int_equal(read_with_level(&read, 2, packed, size, 40, NULL), BW_ERR_MALFORMED);
    assert_null(read.data);
    free(made.data);
}

static bw_result read_changed(size_t at, uint32_t value, bw_error *error) {
    uint8_t file[sizeof u16_head + 52];
    memset(file, 0, sizeof file);
    memcpy(file, u16_head, sizeof u16_head);
    put_word(file, at, value);
    image_write_bytes(image_path("changed"), file, 248 + 48);
    bwi_texels read = {0};
    bw_result result = bwi_image_read(&read, image_path("changed"), BWI_CONTAINER_KTX2, NULL, &env, error);
    bwi_texels_free(&read, &mem);
    return result;
}

static void other_kinds_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        size_t at;
        uint32_t value;
        bw_result result;
        const char *said;
    } rows[] = {
        {12, 95, BW_OK, ""},
        {12, 37, BW_ERR_UNSUPPORTED, "vkFormat 37"},
        {12, 0, BW_ERR_UNSUPPORTED, "vkFormat 0"},
        {16, 1, BW_ERR_MALFORMED, "typeSize"},
        {20, 0, BW_ERR_MALFORMED, "at least one"},
        {20, 70000, BW_ERR_TOO_LARGE, "65536"},
        {24, 3, BW_ERR_TRUNCATED, "too few"},
        {24, 1, BW_ERR_MALFORMED, "sides"},
        {28, 1, BW_ERR_UNSUPPORTED, "pixelDepth"},
        {32, 1, BW_ERR_UNSUPPORTED, "layerCount"},
        {36, 6, BW_ERR_UNSUPPORTED, "faceCount"},
        {40, 2, BW_ERR_UNSUPPORTED, "levelCount"},
        {44, 1, BW_ERR_UNSUPPORTED, "supercompressionScheme 1"},
        {60, 4000, BW_ERR_MALFORMED, "outside"},
        {80, 100, BW_ERR_MALFORMED, "inside the header"},
        {80, 249, BW_ERR_TRUNCATED, "ends after"},
        {84, 0x80000000, BW_ERR_TRUNCATED, "ends after"},
        {92, 0xFFFFFFFF, BW_ERR_TRUNCATED, "ends after"},
        {96, 47, BW_ERR_MALFORMED, "length"},
        {196, 0xFFFFFFFF, BW_ERR_MALFORMED, "reach past"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        bw_error error = {0};
        bw_result result = read_changed(rows[i].at, rows[i].value, &error);
        if (result != rows[i].result || !strstr(error.message, rows[i].said))
            fail_msg("word %zu = %u: %s, \"%s\"", rows[i].at, rows[i].value, bw_result_name(result), error.message);
    }
}

static void rows_that_go_up_are_refused(void **state) {
    (void)state;
    bw_error error = {0};
    /* "rd" becomes "ru": the word holds the key's zero, too. */
    assert_int_equal(read_changed(214, 'r' << 8 | 'u' << 16, &error), BW_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "KTXorientation"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_header_is_the_specification_s, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(formats_and_descriptors, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(zstd_is_read, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(other_kinds_are_refused_by_name, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(rows_that_go_up_are_refused, fresh_mem, mem_is_empty),
    };
    return cmocka_run_group_tests_name("image_ktx2", tests, image_make_folder, image_remove_folder);
}
