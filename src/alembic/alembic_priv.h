/* SPDX-License-Identifier: MIT
 * What the files of the Alembic room share: hashes, and nodes of the mapped file. */
#ifndef BWI_ALEMBIC_PRIV_H
#define BWI_ALEMBIC_PRIV_H

#include "bakewell/alembic.h"

/* ---- SpookyHash V2, 128 bits, seeds 0 (Bob Jenkins, public domain), whole and streamed: the same result ---- */

enum { BWI_SPOOKY_BUFFER = 192 };
typedef struct bwi_spooky {
    uint64_t state[12];
    uint64_t length;
    uint32_t used; /* of buffer */
    uint8_t buffer[BWI_SPOOKY_BUFFER];
} bwi_spooky;
void bwi_spooky_init(bwi_spooky *spooky);
void bwi_spooky_add(bwi_spooky *spooky, const void *data, size_t size);
void bwi_spooky_add_u64(bwi_spooky *spooky, uint64_t value); /* little-endian */
void bwi_spooky_end(uint8_t hash[16], const bwi_spooky *spooky);
/* The last step of the short form, over a, b, c, d; a and b are what is kept. */
void bwi_spooky_short_end(uint64_t *a, uint64_t *b, uint64_t c, uint64_t d);

/* ---- keys and hashes of archives ---- */

/* Key of a sample: MurmurHash3 of its bytes.  Of wide strings a quarter of the bytes is hashed and a quarter of the length is mixed in, as the
 * reference library has done since 1.5.8. */
void bwi_alembic_key(uint8_t key[16], bw_alembic_pod pod, const void *bytes, size_t size);
/* Digest of an array's sample from its dimensions, as stored, and key.  In: rank — 0: the key itself, as for scalars. */
void bwi_alembic_digest(uint8_t digest[16], uint32_t rank, const uint64_t *dimensions, const uint8_t key[16]);
/* What a property's samples hash to.  {0} before the first; every logical sample is added, repeats included. */
typedef struct bwi_alembic_samples_hash {
    uint64_t a, b;
    uint64_t count;
} bwi_alembic_samples_hash;
void bwi_alembic_samples_hash_add(bwi_alembic_samples_hash *hash, const uint8_t digest[16]);
/* Hash of a scalar or an array.  In: name, metadata — as in the file; samples — left out if there are none. */
typedef struct bwi_alembic_property_facts {
    const char *name;
    size_t name_size;
    const char *metadata;
    size_t metadata_size;
    bw_alembic_pod pod;
    uint32_t extent;
    bool scalar;
    const bw_alembic_time_sampling *sampling;
    bwi_alembic_samples_hash samples;
} bwi_alembic_property_facts;
void bwi_alembic_property_hash(uint8_t hash[16], const bwi_alembic_property_facts *facts);
/* A compound: spooky of its members' hashes in order, then name, then metadata.  An object: spooky of its children's object hashes in order, then
 * its properties hash, metadata, name.  Properties hash: spooky of the top properties' hashes.  Children hash: spooky of the children's object
 * hashes, or zeros where there are none. */

#endif
