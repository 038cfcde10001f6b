/* SPDX-License-Identifier: MIT
 * MurmurHash3 x64 128 (Austin Appleby, public domain), whole and streamed; seed 0. */
#ifndef BWI_BASE_HASH_H
#define BWI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct bwi_hash128 { uint8_t bytes[16]; } bwi_hash128; /* h1 then h2, little-endian */

typedef struct bwi_hasher { uint64_t h1, h2, length; uint8_t tail[16]; uint32_t tail_size; } bwi_hasher;

bwi_hash128 bwi_hash(const void *data, size_t size);
void bwi_hasher_init(bwi_hasher *hasher);
void bwi_hasher_add(bwi_hasher *hasher, const void *data, size_t size);
bwi_hash128 bwi_hasher_end(const bwi_hasher *hasher);
/* 32 lower-case hex digits and a zero. */
void bwi_hash_hex(char hex[33], const uint8_t bytes[16]);
/* Adds floats as little-endian f32 with −0 as +0. */
void bwi_hasher_add_floats(bwi_hasher *hasher, const float *values, size_t count);

#endif
