/* SPDX-License-Identifier: MIT
 * Types of values and times of samples. */
#include <math.h>
#include <string.h>

#include "bakewell/alembic.h"
#include "base/half.h"

size_t bw_alembic_pod_size(bw_alembic_pod pod) {
    static const uint8_t SIZES[] = {
        0,
#define BW_ALEMBIC_POD(name, size, text) size,
#include "bakewell/alembic_pods.def"
#undef BW_ALEMBIC_POD
    };
    return (unsigned)pod < BW_ALEMBIC_POD_END ? SIZES[pod] : 0;
}

const char *bw_alembic_pod_name(bw_alembic_pod pod) {
    static const char *const NAMES[] = {
        "none",
#define BW_ALEMBIC_POD(name, size, text) text,
#include "bakewell/alembic_pods.def"
#undef BW_ALEMBIC_POD
    };
    return (unsigned)pod < BW_ALEMBIC_POD_END ? NAMES[pod] : "none";
}

static uint64_t bits_of(const uint8_t *bytes, bw_alembic_pod pod) {
    uint64_t bits = 0;
    for (size_t i = 0; i < bw_alembic_pod_size(pod); i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    return bits;
}

int64_t bw_alembic_int(const uint8_t *bytes, bw_alembic_pod pod) {
    const uint64_t bits = bits_of(bytes, pod);
    switch (pod) {
    case BW_ALEMBIC_INT8:
        return (int8_t)bits;
    case BW_ALEMBIC_INT16:
        return (int16_t)bits;
    case BW_ALEMBIC_INT32:
        return (int32_t)bits;
    case BW_ALEMBIC_FLOAT16:
    case BW_ALEMBIC_FLOAT32:
    case BW_ALEMBIC_FLOAT64:
        return 0;
    default:
        return (int64_t)bits;
    }
}

double bw_alembic_float(const uint8_t *bytes, bw_alembic_pod pod) {
    const uint64_t bits = bits_of(bytes, pod);
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    switch (pod) {
    case BW_ALEMBIC_FLOAT16:
        return (double)bwi_half_to_float((uint16_t)bits);
    case BW_ALEMBIC_FLOAT32:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case BW_ALEMBIC_FLOAT64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return 0.0;
    }
}

double bw_alembic_time(const bw_alembic_time_sampling *sampling, uint32_t index) {
    size_t count = sampling->times_s.count;
    const double *times = sampling->times_s.data;
    switch (sampling->kind) {
    case BW_ALEMBIC_ACYCLIC:
        return times[index < count ? index : count - 1];
    case BW_ALEMBIC_CYCLIC:
        return times[index % count] + sampling->time_per_cycle_s * (double)(index / count);
    case BW_ALEMBIC_UNIFORM:
        break;
    }
    return times[0] + sampling->time_per_cycle_s * (double)index;
}

/* Times of exporters are off by what frame / fps rounds to; the reference library calls times equal that are this near. */
static const double SLACK_S = 1e-5;

/* Number of samples at or before a time; times do not fall as the index rises. */
static uint32_t count_until(const bw_alembic_time_sampling *sampling, uint32_t count, double time_s) {
    uint32_t low = 0;
    while (low < count) {
        uint32_t middle = low + (count - low) / 2;
        if (bw_alembic_time(sampling, middle) <= time_s)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

uint32_t bw_alembic_floor_index(const bw_alembic_time_sampling *sampling, uint32_t count, double time_s) {
    uint32_t until = count_until(sampling, count, time_s + SLACK_S);
    return until > 0 ? until - 1 : 0;
}

uint32_t bw_alembic_ceil_index(const bw_alembic_time_sampling *sampling, uint32_t count, double time_s) {
    if (count == 0)
        return 0;
    uint32_t floor_index = bw_alembic_floor_index(sampling, count, time_s);
    bool enough = bw_alembic_time(sampling, floor_index) >= time_s - SLACK_S;
    return enough || floor_index + 1 == count ? floor_index : floor_index + 1;
}

uint32_t bw_alembic_near_index(const bw_alembic_time_sampling *sampling, uint32_t count, double time_s) {
    if (count == 0)
        return 0;
    uint32_t before = bw_alembic_floor_index(sampling, count, time_s);
    uint32_t after = bw_alembic_ceil_index(sampling, count, time_s);
    double to_before = fabs(time_s - bw_alembic_time(sampling, before));
    double to_after = fabs(bw_alembic_time(sampling, after) - time_s);
    return to_after < to_before ? after : before;
}
