/* SPDX-License-Identifier: MIT
 * What a clip's channels say of it: its span, and the grid its keys lie on. */
#include <math.h>

#include "scene/scene.h"

static bool on_grid(const bw_clip *clip, double origin_s, double rate_fps) {
    static const double tolerance_s = 1e-3;
    for (size_t i = 0; i < clip->channels.count; i++) {
        const bw_channel *channel = &clip->channels.data[i];
        for (uint32_t k = 0; k < channel->key_count; k++) {
            double frame = ((double)channel->times_s[k] - origin_s) * rate_fps;
            if (!(fabs(frame - floor(frame + 0.5)) <= tolerance_s * rate_fps)) {
                return false;
            }
        }
    }
    return true;
}

static double key_rate(const bw_clip *clip) {
    static const double rates[] = {24, 25, 30, 48, 50, 60};
    if (!(clip->start_s < clip->end_s)) {
        return 0.0;
    }
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        if (on_grid(clip, 0.0, rates[i]) || on_grid(clip, clip->start_s, rates[i])) {
            return rates[i];
        }
    }
    return 0.0;
}

void bwi_scene_measure_clip(bw_clip *clip) {
    clip->start_s = INFINITY;
    clip->end_s = -INFINITY;
    for (size_t i = 0; i < clip->channels.count; i++) {
        const bw_channel *channel = &clip->channels.data[i];
        clip->start_s = fmin(clip->start_s, (double)channel->times_s[0]);
        clip->end_s = fmax(clip->end_s, (double)channel->times_s[channel->key_count - 1]);
    }
    clip->key_rate_fps = key_rate(clip);
}
