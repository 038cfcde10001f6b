/* SPDX-License-Identifier: MIT
 * Keys of samples and hashes of properties, as the reference library makes them. */
#include <string.h>

#include "alembic/alembic_priv.h"
#include "base/hash.h"

void bwi_alembic_key(uint8_t key[16], bw_alembic_pod pod, const void *bytes, size_t size) {
    bwi_hash128 hash = bwi_hash(bytes, pod == BW_ALEMBIC_WSTRING ? size / 4 : size);
    memcpy(key, hash.bytes, sizeof(hash.bytes));
}

void bwi_alembic_digest(uint8_t digest[16], uint32_t rank, const uint64_t *dimensions, const uint8_t key[16]) {
    if (rank == 0) {
        memcpy(digest, key, 16);
        return;
    }
    bwi_spooky spooky;
    bwi_spooky_init(&spooky);
    for (uint32_t i = 0; i < rank; i++)
        bwi_spooky_add_u64(&spooky, dimensions[i]);
    bwi_spooky_add(&spooky, key, 16);
    bwi_spooky_end(digest, &spooky);
}

void bwi_alembic_samples_hash_add(bwi_alembic_samples_hash *hash, const uint8_t digest[16]) {
    uint64_t low = bwi_alembic_u64(digest);
    uint64_t high = bwi_alembic_u64(digest + 8);
    if (hash->count++ == 0) {
        hash->a = low;
        hash->b = high;
    } else {
        bwi_spooky_short_end(&hash->a, &hash->b, low, high);
    }
}

static void add_double(bwi_spooky *spooky, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    bwi_spooky_add_u64(spooky, bits);
}

void bwi_alembic_property_hash(uint8_t hash[16], const bwi_alembic_property_facts *facts) {
    bwi_spooky spooky;
    bwi_spooky_init(&spooky);
    bwi_spooky_add(&spooky, facts->name, facts->name_size);
    bwi_spooky_add(&spooky, facts->metadata, facts->metadata_size);
    /* A scalar has a zero behind its pod and extent. */
    const uint8_t type[3] = {(uint8_t)(facts->pod - BW_ALEMBIC_BOOL), (uint8_t)facts->extent, 0};
    bwi_spooky_add(&spooky, type, facts->scalar ? 3 : 2);
    add_double(&spooky, facts->sampling->time_per_cycle_s);
    const uint32_t count = (uint32_t)facts->sampling->times_s.count;
    const uint8_t count_bytes[4] = {(uint8_t)count, (uint8_t)(count >> 8), (uint8_t)(count >> 16),
                                    (uint8_t)(count >> 24)};
    bwi_spooky_add(&spooky, count_bytes, sizeof(count_bytes));
    for (size_t i = 0; i < facts->sampling->times_s.count; i++)
        add_double(&spooky, facts->sampling->times_s.data[i]);
    if (facts->samples.count > 0) {
        bwi_spooky_add_u64(&spooky, facts->samples.a);
        bwi_spooky_add_u64(&spooky, facts->samples.b);
    }
    bwi_spooky_end(hash, &spooky);
}
