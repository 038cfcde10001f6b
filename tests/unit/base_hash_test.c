/* SPDX-License-Identifier: MIT
 * MurmurHash3 x64 128 against values of another implementation (PyPI mmh3 5), and streamed against whole. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/hash.h"

static uint8_t pattern[1000];

static int fill_pattern(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(pattern); i++) {
        pattern[i] = (uint8_t)(i * 37 + 11);
    }
    return 0;
}

static const struct {
    size_t size;
    const char *hex;
} KNOWN[] = {
    {0, "00000000000000000000000000000000"},   {1, "e7f117e6ccc72f93dc08456c814b437a"},
    {7, "3b98626668cc4083f9f67faadf388fa0"},   {8, "d7ce897f0044b1f0a1f97a2d832122d0"},
    {9, "b1a0c8ae8e08b3dba909fe2e1824decb"},   {15, "ff837fb647f00629ac1f70e78f33ca49"},
    {16, "fbf05e0c58669cdaf75f6cbb87ae5a88"},  {17, "d1075e779aeeb878e0fc9816309067e3"},
    {31, "2f53c5d41e06cab163377b9e482669cb"},  {32, "9b79fe8eeb7473afffd6cd4d9200523a"},
    {33, "a99b09c3888ab808f98adfb5bd6fc015"},  {100, "7ab7e0eec83be626e45eb9b50b225ac0"},
    {255, "2fd61cd0b2395f8ec5d27444354f7b36"}, {1000, "d259b055c6b9c8df3aeea385f45b787a"},
};

static void assert_hash(bwi_hash128 hash, const char *expected) {
    char hex[33];
    bwi_hash_hex(hex, hash.bytes);
    assert_string_equal(hex, expected);
}

static void known_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++) {
        assert_hash(bwi_hash(pattern, KNOWN[i].size), KNOWN[i].hex);
    }
    assert_hash(bwi_hash("hello", 5), "029bbd41b3a7d8cb191dae486a901e5b");
    static const char FOX[] = "The quick brown fox jumps over the lazy dog";
    assert_hash(bwi_hash(FOX, sizeof(FOX) - 1), "6c1b07bc7bbc4be347939ac4a93c437a");
    assert_hash(bwi_hash(NULL, 0), KNOWN[0].hex);
}

static void streamed_equals_whole_for_every_split(void **state) {
    (void)state;
    for (size_t size = 0; size <= 70; size++) {
        bwi_hash128 whole = bwi_hash(pattern, size);
        for (size_t first = 0; first <= size; first++) {
            for (size_t second = first; second <= size; second++) {
                bwi_hasher hasher;
                bwi_hasher_init(&hasher);
                bwi_hasher_add(&hasher, pattern, first);
                bwi_hasher_add(&hasher, pattern + first, second - first);
                bwi_hasher_add(&hasher, pattern + second, size - second);
                bwi_hash128 streamed = bwi_hasher_end(&hasher);
                assert_memory_equal(streamed.bytes, whole.bytes, 16);
            }
        }
    }
}

static void floats_are_hashed_as_little_endian_with_one_zero(void **state) {
    (void)state;
    static const float VALUES[] = {1.0f, -0.0f, -2.5f};
    static const uint8_t BYTES[] = {0, 0, 0x80, 0x3F, 0, 0, 0, 0, 0, 0, 0x20, 0xC0};
    bwi_hasher hasher;
    bwi_hasher_init(&hasher);
    bwi_hasher_add_floats(&hasher, VALUES, 3);
    bwi_hash128 floats = bwi_hasher_end(&hasher);
    bwi_hash128 bytes = bwi_hash(BYTES, sizeof(BYTES));
    assert_memory_equal(floats.bytes, bytes.bytes, 16);
    /* Longer than the buffer inside, split anywhere. */
    float many[700];
    for (size_t i = 0; i < 700; i++) {
        many[i] = (float)i - 350.0f;
    }
    bwi_hasher_init(&hasher);
    bwi_hasher_add_floats(&hasher, many, 700);
    floats = bwi_hasher_end(&hasher);
    bwi_hasher_init(&hasher);
    bwi_hasher_add_floats(&hasher, many, 301);
    bwi_hasher_add_floats(&hasher, many + 301, 399);
    bytes = bwi_hasher_end(&hasher);
    assert_memory_equal(floats.bytes, bytes.bytes, 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(streamed_equals_whole_for_every_split),
        cmocka_unit_test(floats_are_hashed_as_little_endian_with_one_zero),
    };
    return cmocka_run_group_tests(tests, fill_pattern, NULL);
}
