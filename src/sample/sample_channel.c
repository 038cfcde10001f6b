/* SPDX-License-Identifier: MIT
 * Animation channels at a time: STEP, LINEAR, CUBICSPLINE (glTF 2.0, appendix C). */
#include <string.h>

#include "sample/sample_priv.h"

uint32_t bwi_channel_key(const bw_channel *channel, double time_s) {
    uint32_t low = 0, high = channel->key_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)channel->times_s[middle] <= time_s) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Key times are floats, sample times doubles: frame 5 at 30 a second is asked for at 0.1666…6 s while its key says 0.16666667.  A step that
 * close counts as reached, or it would show a frame late.  10 µs is above a float's rounding up to 128 s and far below a frame. */
static uint32_t step_key(const bw_channel *channel, double time_s) {
    return bwi_channel_key(channel, time_s + 1e-5);
}

static bwi_quat quat_of(const float *v) {
    return bwi_quat_normalize((bwi_quat){(double)v[0], (double)v[1], (double)v[2], (double)v[3]});
}

static void store_quat(double *value, bwi_quat q) {
    value[0] = q.x;
    value[1] = q.y;
    value[2] = q.z;
    value[3] = q.w;
}

/* The value of one key. */
static void take_key(double *value, const bw_channel *channel, uint32_t key) {
    size_t n = channel->component_count;
    const float *stored = channel->interpolation == BW_INTERPOLATION_CUBICSPLINE
                              ? channel->values + (3 * (size_t)key + 1) * n
                              : channel->values + (size_t)key * n;
    if (channel->path == BW_CHANNEL_ROTATION) {
        store_quat(value, quat_of(stored));
        return;
    }
    for (size_t i = 0; i < n; i++) {
        value[i] = (double)stored[i];
    }
}

static void mix_linear(double *value, const bw_channel *channel, uint32_t key, double t) {
    size_t n = channel->component_count;
    const float *a = channel->values + (size_t)key * n, *b = a + n;
    if (channel->path == BW_CHANNEL_ROTATION) {
        store_quat(value, bwi_quat_slerp(quat_of(a), quat_of(b), t));
        return;
    }
    for (size_t i = 0; i < n; i++) {
        value[i] = (1.0 - t) * (double)a[i] + t * (double)b[i];
    }
}

static void mix_cubic(double *value, const bw_channel *channel, uint32_t key, double t, double interval_s) {
    size_t n = channel->component_count;
    const float *start =
        channel->values + (3 * (size_t)key + 1) * n; /* value, out-tangent, then the next key's in-tangent, value */
    double t2 = t * t, t3 = t2 * t;
    /* Keys hold slopes a second; the basis wants them for the whole interval. */
    double from = 2.0 * t3 - 3.0 * t2 + 1.0, from_slope = interval_s * (t3 - 2.0 * t2 + t);
    double to = -2.0 * t3 + 3.0 * t2, to_slope = interval_s * (t3 - t2);
    for (size_t i = 0; i < n; i++) {
        value[i] = from * (double)start[i] + from_slope * (double)start[n + i] + to * (double)start[3 * n + i] +
                   to_slope * (double)start[2 * n + i];
    }
    if (channel->path == BW_CHANNEL_ROTATION) {
        store_quat(value, bwi_quat_normalize((bwi_quat){value[0], value[1], value[2], value[3]}));
    }
}

void bwi_channel_sample(double *value, const bw_channel *channel, double time_s) {
    if (channel->interpolation == BW_INTERPOLATION_STEP) {
        take_key(value, channel, step_key(channel, time_s));
        return;
    }
    uint32_t key = bwi_channel_key(channel, time_s);
    bool between = (double)channel->times_s[key] < time_s && key + 1 < channel->key_count;
    if (!between) {
        take_key(value, channel, key);
        return;
    }
    double from_s = (double)channel->times_s[key], to_s = (double)channel->times_s[key + 1];
    double t = (time_s - from_s) / (to_s - from_s);
    if (channel->interpolation == BW_INTERPOLATION_CUBICSPLINE) {
        mix_cubic(value, channel, key, t, to_s - from_s);
    } else {
        mix_linear(value, channel, key, t);
    }
}

/* True if a later clip of the mix animates the same property. */
static bool is_overridden(const bwi_clip_mix *mix, size_t clip, const bw_channel *channel) {
    for (size_t i = clip + 1; i < mix->count; i++) {
        for (size_t j = 0; j < mix->clips[i]->channels.count; j++) {
            const bw_channel *other = &mix->clips[i]->channels.data[j];
            if (other->node == channel->node && other->path == channel->path) {
                return true;
            }
        }
    }
    return false;
}

static bool keys_differ(const bw_channel *channel, uint32_t a, uint32_t b) {
    size_t n = channel->component_count;
    for (size_t i = 0; i < n; i++) {
        if (channel->values[a * n + i] != channel->values[b * n + i]) {
            return true;
        }
    }
    return false;
}

static bool steps_between(const bw_channel *channel, double from_s, double to_s) {
    uint32_t last = step_key(channel, to_s);
    for (uint32_t key = step_key(channel, from_s); key < last; key++) {
        if (keys_differ(channel, key, key + 1)) {
            return true;
        }
    }
    return false;
}

bool bwi_mix_steps_between(const bwi_clip_mix *mix, double from_s, double to_s) {
    for (size_t i = 0; i < mix->count; i++) {
        for (size_t j = 0; j < mix->clips[i]->channels.count; j++) {
            const bw_channel *channel = &mix->clips[i]->channels.data[j];
            if (channel->interpolation == BW_INTERPOLATION_STEP && steps_between(channel, from_s, to_s) &&
                !is_overridden(mix, i, channel)) {
                return true;
            }
        }
    }
    return false;
}
