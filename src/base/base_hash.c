/* SPDX-License-Identifier: MIT
 * MurmurHash3_x64_128 by Austin Appleby (public domain; its constants and steps), whole and streamed, seed 0. */
#include "base/hash.h"

#include <string.h>

static const uint64_t C1 = UINT64_C(0x87C37B91114253D5), C2 = UINT64_C(0x4CF5AD432745937F);

static uint64_t rotate(uint64_t x, unsigned by) {
    return (x << by) | (x >> (64u - by));
}

static uint64_t load_le(const uint8_t *bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++) {
        value |= (uint64_t)bytes[i] << (8u * i);
    }
    return value;
}

static void store_le(uint8_t *bytes, uint64_t value) {
    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(value >> (8u * i));
    }
}

static uint64_t mix_first(uint64_t k) {
    return rotate(k * C1, 31) * C2;
}

static uint64_t mix_second(uint64_t k) {
    return rotate(k * C2, 33) * C1;
}

static uint64_t finish(uint64_t k) {
    k = (k ^ (k >> 33)) * UINT64_C(0xFF51AFD7ED558CCD);
    k = (k ^ (k >> 33)) * UINT64_C(0xC4CEB9FE1A85EC53);
    return k ^ (k >> 33);
}

static void add_blocks(bwi_hasher *hasher, const uint8_t *bytes, size_t block_count) {
    uint64_t h1 = hasher->h1;
    uint64_t h2 = hasher->h2;
    for (size_t i = 0; i < block_count; i++) {
        h1 ^= mix_first(load_le(bytes + 16 * i));
        h1 = (rotate(h1, 27) + h2) * 5u + 0x52DCE729u;
        h2 ^= mix_second(load_le(bytes + 16 * i + 8));
        h2 = (rotate(h2, 31) + h1) * 5u + 0x38495AB5u;
    }
    hasher->h1 = h1;
    hasher->h2 = h2;
}

void bwi_hasher_init(bwi_hasher *hasher) {
    *hasher = (bwi_hasher){0};
}

void bwi_hasher_add(bwi_hasher *hasher, const void *data, size_t size) {
    const uint8_t *bytes = data;
    if (size == 0) {
        return;
    }
    hasher->length += size;
    if (hasher->tail_size > 0) {
        size_t room = sizeof(hasher->tail) - hasher->tail_size;
        size_t taken = size < room ? size : room;
        memcpy(hasher->tail + hasher->tail_size, bytes, taken);
        hasher->tail_size += (uint32_t)taken;
        bytes += taken;
        size -= taken;
        if (hasher->tail_size < sizeof(hasher->tail)) {
            return;
        }
        add_blocks(hasher, hasher->tail, 1);
        hasher->tail_size = 0;
    }
    add_blocks(hasher, bytes, size / 16);
    hasher->tail_size = (uint32_t)(size % 16);
    if (hasher->tail_size > 0) {
        memcpy(hasher->tail, bytes + size - hasher->tail_size, hasher->tail_size);
    }
}

bwi_hash128 bwi_hasher_end(const bwi_hasher *hasher) {
    uint8_t tail[16] = {0};
    memcpy(tail, hasher->tail, hasher->tail_size);
    /* A missing half of the tail is zero and mixes to zero. */
    uint64_t h2 = hasher->h2 ^ mix_second(load_le(tail + 8));
    uint64_t h1 = hasher->h1 ^ mix_first(load_le(tail));
    h1 ^= hasher->length;
    h2 ^= hasher->length;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    h2 += h1;
    bwi_hash128 hash;
    store_le(hash.bytes, h1);
    store_le(hash.bytes + 8, h2);
    return hash;
}

bwi_hash128 bwi_hash(const void *data, size_t size) {
    bwi_hasher hasher;
    bwi_hasher_init(&hasher);
    bwi_hasher_add(&hasher, data, size);
    return bwi_hasher_end(&hasher);
}

void bwi_hash_hex(char hex[33], const uint8_t bytes[16]) {
    static const char DIGITS[] = "0123456789abcdef";
    for (size_t i = 0; i < 16; i++) {
        hex[2 * i] = DIGITS[bytes[i] >> 4];
        hex[2 * i + 1] = DIGITS[bytes[i] & 15u];
    }
    hex[32] = 0;
}

void bwi_hasher_add_floats(bwi_hasher *hasher, const float *values, size_t count) {
    uint8_t bytes[1024];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof(bits));
        if (bits == 0x80000000u) {
            bits = 0;
        }
        for (unsigned k = 0; k < 4; k++) {
            bytes[used++] = (uint8_t)(bits >> (8u * k));
        }
        if (used == sizeof(bytes)) {
            bwi_hasher_add(hasher, bytes, used);
            used = 0;
        }
    }
    bwi_hasher_add(hasher, bytes, used);
}
