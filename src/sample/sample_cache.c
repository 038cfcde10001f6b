/* SPDX-License-Identifier: MIT
 * Caches at a time: which samples a time lies between, and two of them in memory. */
#include <string.h>

#include "sample/sample_priv.h"

/* What the reference library takes for the same time; also far below a frame and above what converting frames to seconds rounds by. */
#define SAMPLE_SLACK_S 1e-5

bwi_cache_place bwi_cache_find(const bw_cache *cache, double time_s) {
    uint32_t low = 0, high = cache->sample_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (cache->times_s[middle] <= time_s + SAMPLE_SLACK_S) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double since_s = time_s - cache->times_s[low];
    if (since_s <= SAMPLE_SLACK_S || high == cache->sample_count) {
        return (bwi_cache_place){low, 0.0, 0.0};
    }
    return (bwi_cache_place){low, since_s / (cache->times_s[high] - cache->times_s[low]), since_s};
}

bool bwi_cache_slots_create(bwi_cache_slots *slots, bwi_arena *arena, const bw_cache *cache, size_t size) {
    *slots = (bwi_cache_slots){cache, size, {NULL, NULL}, NULL, {BW_NO_INDEX, BW_NO_INDEX}};
    if (!cache) {
        return true;
    }
    for (size_t k = 0; k < 2; k++) {
        slots->samples[k] = bwi_arena_alloc(arena, size, sizeof(float));
    }
    slots->mixed = bwi_arena_alloc(arena, size, sizeof(float));
    return slots->samples[0] && slots->samples[1] && slots->mixed;
}

/* The sample, in whichever slot; `kept` stays in its own.  NULL: reading failed, now or before. */
static const float *hold(bwi_cache_slots *slots, uint32_t sample, uint32_t kept, bwi_failure *failure) {
    for (size_t k = 0; k < 2; k++) {
        if (slots->held[k] == sample) {
            return slots->samples[k];
        }
    }
    if (failure->result != BW_OK) {
        return NULL;
    }
    const size_t slot = slots->held[0] == kept ? 1 : 0;
    slots->held[slot] = BW_NO_INDEX;
    failure->result = slots->cache->read(slots->cache->ctx, sample, slots->samples[slot], &failure->error);
    if (failure->result != BW_OK) {
        return NULL;
    }
    slots->held[slot] = sample;
    return slots->samples[slot];
}

bool bwi_cache_pair(const float *pair[2], bwi_cache_slots *slots, const bwi_cache_place *place, bwi_failure *failure) {
    const uint32_t other = place->part > 0.0 ? place->sample + 1 : place->sample;
    pair[0] = hold(slots, place->sample, other, failure);
    pair[1] = pair[0] ? hold(slots, other, place->sample, failure) : NULL;
    return pair[1] != NULL;
}

const float *bwi_cache_values(bwi_cache_slots *slots, double time_s, bwi_failure *failure) {
    const bwi_cache_place place = bwi_cache_find(slots->cache, time_s);
    const float *pair[2];
    if (!bwi_cache_pair(pair, slots, &place, failure)) {
        return NULL;
    }
    if (pair[0] == pair[1]) {
        return pair[0];
    }
    const double part = place.part;
    for (size_t i = 0; i < slots->size; i++) {
        slots->mixed[i] = (float)((1.0 - part) * (double)pair[0][i] + part * (double)pair[1][i]);
    }
    return slots->mixed;
}

const float *bwi_cache_step(bwi_cache_slots *slots, double time_s, bwi_failure *failure) {
    const bwi_cache_place place = bwi_cache_find(slots->cache, time_s);
    return hold(slots, place.sample, BW_NO_INDEX, failure);
}

const float *bwi_cache_moved(bwi_cache_slots *slots, bwi_cache_slots *velocities, double time_s, bwi_failure *failure) {
    const float *positions = bwi_cache_step(slots, time_s, failure);
    const double since_s = bwi_cache_find(slots->cache, time_s).since_s;
    const float *speeds =
        positions && velocities->cache && since_s > 0.0 ? bwi_cache_step(velocities, time_s, failure) : NULL;
    if (!speeds) {
        return positions;
    }
    for (size_t i = 0; i < slots->size; i++) {
        slots->mixed[i] = (float)((double)positions[i] + since_s * (double)speeds[i]);
    }
    return slots->mixed;
}
