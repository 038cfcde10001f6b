/* SPDX-License-Identifier: MIT
 * When in the source a frame was sampled. */
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
