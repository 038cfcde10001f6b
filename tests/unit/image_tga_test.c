/* SPDX-License-Identifier: MIT
 * TGA: plain and packed, from the top and the bottom, with and without alpha, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image/image_priv.h"

static bwi_mem mem;
static const bwi_env env = {&mem, 1, NULL};

static bw_result read_bytes(bwi_texels *texels, const uint8_t *bytes, size_t size, bw_error *error) {
    const bwi_image_source source = {bytes, size, "x.tga"};
    bwi_mem_init(&mem, 0);
    return bwi_tga_read(texels, &source, NULL, &env, error);
}

/* 2 × 2: B G R (A) in the file, rows from the bottom unless the layout says else. */
static void test_plain(void **state) {
    (void)state;
    static const uint8_t FILE_32[] = {3,   0,   2, 0, 0, 0, 0, 0, 0, 0, 0, 0,  2,  0,  2,  0,  32, 8, 'i',
                                      'd', '!', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static const uint8_t EXPECTED_32[] = {11, 10, 9, 12, 15, 14, 13, 16, 3, 2, 1, 4, 7, 6, 5, 8};
    bwi_texels texels;
    assert_int_equal(read_bytes(&texels, FILE_32, sizeof FILE_32, NULL), BW_OK);
    assert_int_equal(texels.width, 2);
    assert_int_equal(texels.height, 2);
    assert_memory_equal(texels.data, EXPECTED_32, sizeof EXPECTED_32);
    bwi_texels_free(&texels, &mem);

    static const uint8_t FILE_24[] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 24, 0x20, 1, 2, 3, 4, 5, 6};
    static const uint8_t EXPECTED_24[] = {3, 2, 1, 255, 6, 5, 4, 255};
    assert_int_equal(read_bytes(&texels, FILE_24, sizeof FILE_24, NULL), BW_OK);
    assert_memory_equal(texels.data, EXPECTED_24, sizeof EXPECTED_24);
    bwi_texels_free(&texels, &mem);
}

/* 3 × 2 from the top: a run of four texels that goes over the end of a row, then two plain ones. */
static const uint8_t PACKED[] = {0,  0,    10,   0, 0, 0, 0, 0,    0, 0, 0, 0, 3, 0,  2,  0,
                                 32, 0x28, 0x83, 1, 2, 3, 4, 0x01, 5, 6, 7, 8, 9, 10, 11, 12};

static void test_packed(void **state) {
    (void)state;
    static const uint8_t EXPECTED[] = {3, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1, 4, 7, 6, 5, 8, 11, 10, 9, 12};
    bwi_texels texels;
    assert_int_equal(read_bytes(&texels, PACKED, sizeof PACKED, NULL), BW_OK);
    assert_memory_equal(texels.data, EXPECTED, sizeof EXPECTED);
    bwi_texels_free(&texels, &mem);
    for (size_t size = 1; size < sizeof PACKED; size++) {
        bw_error error;
        assert_int_equal(read_bytes(&texels, PACKED, size, &error), BW_ERR_TRUNCATED);
        assert_non_null(strstr(error.message, "again"));
        assert_int_equal(mem.used, 0);
    }
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
        bw_result result;
        const char *says;
    } CASES[] = {
        {2, 1, BW_ERR_UNSUPPORTED, "type 1"},
        {2, 11, BW_ERR_UNSUPPORTED, "type 11"},
        {1, 1, BW_ERR_UNSUPPORTED, "true colour"},
        {16, 16, BW_ERR_UNSUPPORTED, "16 bits"},
        {17, 0x10, BW_ERR_UNSUPPORTED, "from the left"},
        {17, 0x40, BW_ERR_UNSUPPORTED, "layout 64"},
        {12, 0, BW_ERR_MALFORMED, "0 × 2"},
        {13, 255, BW_ERR_TRUNCATED, "too few"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        uint8_t bytes[sizeof PACKED];
        memcpy(bytes, PACKED, sizeof bytes);
        bytes[CASES[i].at] = CASES[i].value;
        bwi_texels texels;
        bw_error error;
        assert_int_equal(read_bytes(&texels, bytes, sizeof bytes, &error), CASES[i].result);
        assert_non_null(strstr(error.message, CASES[i].says));
        assert_int_equal(mem.used, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_packed),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
