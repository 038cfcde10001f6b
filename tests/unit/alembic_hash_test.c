/* SPDX-License-Identifier: MIT
 * SpookyHash whole and in pieces, and keys of samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "alembic/alembic_priv.h"
#include "base/hash.h"

static void hash_in_pieces(char hex[33], const uint8_t *bytes, size_t size, size_t piece) {
    bwi_spooky spooky;
    bwi_spooky_init(&spooky);
    for (size_t at = 0; at < size; at += piece)
        bwi_spooky_add(&spooky, bytes + at, size - at < piece ? size - at : piece);
    uint8_t hash[16];
    bwi_spooky_end(hash, &spooky);
    bwi_hash_hex(hex, hash);
}

/* The properties hash of every object without properties, in files of the reference library. */
static void test_of_nothing(void **state) {
    (void)state;
    char hex[33];
    hash_in_pieces(hex, NULL, 0, 1);
    assert_string_equal(hex, "1909f56bfc062723c751e8b465ee728b");
}

/* Sizes on both sides of every limit inside: words, 32-byte steps, the 96-byte block, the 192 bytes from which the long form is used. */
static void test_pieces_do_not_matter(void **state) {
    (void)state;
    uint8_t bytes[700];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 37 + i / 7);
    static const size_t SIZES[] = {1,  7,   8,   15,  16,  17,  31,  32,  33,  95, 96,
                                   97, 191, 192, 193, 287, 288, 289, 384, 385, 700};
    static const size_t PIECES[] = {1, 3, 16, 95, 96, 97, 191, 192, 193, 300};
    for (size_t s = 0; s < sizeof(SIZES) / sizeof(SIZES[0]); s++) {
        char whole[33];
        hash_in_pieces(whole, bytes, SIZES[s], SIZES[s]);
        for (size_t p = 0; p < sizeof(PIECES) / sizeof(PIECES[0]); p++) {
            char hex[33];
            hash_in_pieces(hex, bytes, SIZES[s], PIECES[p]);
            assert_string_equal(hex, whole);
        }
        bytes[SIZES[s] - 1] ^= 1;
        char changed[33];
        hash_in_pieces(changed, bytes, SIZES[s], SIZES[s]);
        assert_string_not_equal(changed, whole);
    }
}

/* Only a quarter of a wide string's bytes is hashed: two that differ behind it have one key. */
static void test_wide_key_covers_a_quarter(void **state) {
    (void)state;
    uint8_t bytes[16] = {'a', 0, 0, 0, 'b'};
    uint8_t key[16];
    uint8_t other[16];
    bwi_alembic_key(key, BW_ALEMBIC_WSTRING, bytes, sizeof(bytes));
    bytes[4] = 'c';
    bwi_alembic_key(other, BW_ALEMBIC_WSTRING, bytes, sizeof(bytes));
    assert_memory_equal(key, other, sizeof(key));
    bytes[3] = 1;
    bwi_alembic_key(other, BW_ALEMBIC_WSTRING, bytes, sizeof(bytes));
    assert_memory_not_equal(key, other, sizeof(key));
    bwi_alembic_key(key, BW_ALEMBIC_UINT32, bytes, sizeof(bytes));
    bwi_hash128 whole = bwi_hash(bytes, sizeof(bytes));
    assert_memory_equal(key, whole.bytes, sizeof(key));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_nothing),
        cmocka_unit_test(test_pieces_do_not_matter),
        cmocka_unit_test(test_wide_key_covers_a_quarter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
