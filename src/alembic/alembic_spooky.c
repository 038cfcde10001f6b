/* SPDX-License-Identifier: MIT
 * SpookyHash V2 by Bob Jenkins (public domain; its constants and steps), whole and streamed, seeds 0. */
#include <string.h>

#include "alembic/alembic_priv.h"

enum { VARS = 12, BLOCK = 96 };
static const uint64_t FILL = UINT64_C(0xDEADBEEFDEADBEEF);

static uint64_t rotate(uint64_t x, unsigned by) {
    return (x << by) | (x >> (64u - by));
}

static uint64_t load_le(const uint8_t *bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)bytes[i] << (8u * i);
    return value;
}

static void store_le(uint8_t *bytes, uint64_t value) {
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8u * i));
}

/* Steps of the short form: each rotates one of four words, adds the one before it and mixes into the one two before. */
static void short_mix(uint64_t v[4]) {
    static const uint8_t BY[12] = {50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36};
    for (unsigned i = 0; i < 12; i++) {
        unsigned k = (i + 2) % 4;
        v[k] = rotate(v[k], BY[i]) + v[(k + 1) % 4];
        v[(k + 2) % 4] ^= v[k];
    }
}

static void short_end(uint64_t v[4]) {
    static const uint8_t BY[11] = {15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63};
    for (unsigned i = 0; i < 11; i++) {
        unsigned k = (i + 3) % 4;
        unsigned from = (i + 2) % 4;
        v[k] ^= v[from];
        v[from] = rotate(v[from], BY[i]);
        v[k] += v[from];
    }
}

void bwi_spooky_short_end(uint64_t *a, uint64_t *b, uint64_t c, uint64_t d) {
    uint64_t v[4] = {*a, *b, c, d};
    short_end(v);
    *a = v[0];
    *b = v[1];
}

/* Fewer than BWI_SPOOKY_BUFFER bytes. */
static void hash_short(uint64_t out[2], const uint8_t *bytes, size_t size) {
    uint64_t v[4] = {0, 0, FILL, FILL};
    size_t left = size;
    for (; left >= 32; left -= 32, bytes += 32) {
        v[2] += load_le(bytes);
        v[3] += load_le(bytes + 8);
        short_mix(v);
        v[0] += load_le(bytes + 16);
        v[1] += load_le(bytes + 24);
    }
    if (left >= 16) {
        v[2] += load_le(bytes);
        v[3] += load_le(bytes + 8);
        short_mix(v);
        left -= 16;
        bytes += 16;
    }
    v[3] += (uint64_t)size << 56;
    if (left == 0) {
        v[2] += FILL;
        v[3] += FILL;
    } else {
        uint8_t tail[16] = {0};
        memcpy(tail, bytes, left);
        v[2] += load_le(tail);
        v[3] += load_le(tail + 8);
    }
    short_end(v);
    out[0] = v[0];
    out[1] = v[1];
}

static void mix_block(uint64_t s[VARS], const uint8_t *block) {
    static const uint8_t BY[VARS] = {11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46};
    for (unsigned i = 0; i < VARS; i++) {
        s[i] += load_le(block + 8 * i);
        s[(i + 2) % VARS] ^= s[(i + 10) % VARS];
        s[(i + 11) % VARS] ^= s[i];
        s[i] = rotate(s[i], BY[i]);
        s[(i + 11) % VARS] += s[(i + 1) % VARS];
    }
}

static void end_long(uint64_t s[VARS], const uint8_t *last) {
    static const uint8_t BY[VARS] = {44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54};
    for (unsigned i = 0; i < VARS; i++)
        s[i] += load_le(last + 8 * i);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < VARS; i++) {
            unsigned k = (i + 1) % VARS;
            s[(i + 11) % VARS] += s[k];
            s[(i + 2) % VARS] ^= s[(i + 11) % VARS];
            s[k] = rotate(s[k], BY[i]);
        }
    }
}

void bwi_spooky_init(bwi_spooky *spooky) {
    *spooky = (bwi_spooky){0};
    for (unsigned i = 2; i < VARS; i += 3)
        spooky->state[i] = FILL;
}

void bwi_spooky_add(bwi_spooky *spooky, const void *data, size_t size) {
    const uint8_t *bytes = data;
    spooky->length += size;
    while (size > 0) {
        if (spooky->used == 0 && size > BWI_SPOOKY_BUFFER) {
            /* A whole buffer stays back, so that what was short so far can still end in the short form. */
            size_t blocks = (size - BWI_SPOOKY_BUFFER) / BLOCK;
            for (size_t i = 0; i < blocks; i++, bytes += BLOCK, size -= BLOCK)
                mix_block(spooky->state, bytes);
        }
        if (spooky->used == BWI_SPOOKY_BUFFER) {
            mix_block(spooky->state, spooky->buffer);
            mix_block(spooky->state, spooky->buffer + BLOCK);
            spooky->used = 0;
            continue;
        }
        size_t room = BWI_SPOOKY_BUFFER - spooky->used;
        size_t taken = size < room ? size : room;
        memcpy(spooky->buffer + spooky->used, bytes, taken);
        spooky->used += (uint32_t)taken;
        bytes += taken;
        size -= taken;
    }
}

void bwi_spooky_add_u64(bwi_spooky *spooky, uint64_t value) {
    uint8_t bytes[8];
    store_le(bytes, value);
    bwi_spooky_add(spooky, bytes, sizeof(bytes));
}

void bwi_spooky_end(uint8_t hash[16], const bwi_spooky *spooky) {
    uint64_t out[2];
    if (spooky->length < BWI_SPOOKY_BUFFER) {
        hash_short(out, spooky->buffer, spooky->used);
    } else {
        uint64_t s[VARS];
        memcpy(s, spooky->state, sizeof(s));
        uint32_t done = 0;
        for (; spooky->used - done >= BLOCK; done += BLOCK)
            mix_block(s, spooky->buffer + done);
        uint8_t last[BLOCK] = {0};
        memcpy(last, spooky->buffer + done, spooky->used - done);
        last[BLOCK - 1] = (uint8_t)(spooky->used - done);
        end_long(s, last);
        out[0] = s[0];
        out[1] = s[1];
    }
    store_le(hash, out[0]);
    store_le(hash + 8, out[1]);
}
