/* SPDX-License-Identifier: MIT
 * What follows from a clip's row: when in the source a frame was sampled, how large the clip is. */
#include <string.h>

#include "base/math.h"
#include "format.h"
#include "model/manifest.h"

double bwi_manifest_clip_time(bw_vat_layout layout, const bwi_manifest_clip *clip, uint32_t frame) {
    if (layout == BW_VAT_LAYOUT_SEED)
        return clip->source_start_s + (double)frame / BW_SEED_FPS;
    uint32_t frames = clip->frame_count - (clip->closed ? 1 : 0);
    if (frames < 2 || frame >= frames)
        return clip->source_start_s;
    if (frame == frames - 1)
        return clip->source_end_s; /* exact: no rounding may slip before a key at the end */
    return clip->source_start_s + (double)frame * (clip->source_end_s - clip->source_start_s) / (double)(frames - 1);
}

double bwi_manifest_clip_diagonal(const bwi_manifest *manifest, const bwi_manifest_clip *clip) {
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double side = (double)clip->bounds_max[k] - (double)clip->bounds_min[k];
        square += side * side;
    }
    return bwi_sqrt(square) * (strcmp(manifest->space.unit, "cm") == 0 ? 0.01 : 1.0);
}
