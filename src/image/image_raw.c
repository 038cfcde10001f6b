/* SPDX-License-Identifier: MIT
 * Raw texels: nothing but components in little-endian order, whose sides and type stand elsewhere, in the manifest. */
#include <assert.h>
#include <inttypes.h>

#include "base/error.h"
#include "image/image_priv.h"

bw_result bwi_raw_read(bwi_texels *texels, const bwi_image_source *source, const bwi_texels *expected,
                       const bwi_env *env, bw_error *error) {
    assert(expected);
    const bool in_range = expected->width <= BWI_IMAGE_MAX_SIDE && expected->height <= BWI_IMAGE_MAX_SIDE;
    const uint64_t bytes = in_range ? (uint64_t)expected->width * expected->height * bwi_texel_size(expected->type) : 0;
    if (in_range && source->size > bytes)
        return bwi_fail(error, BW_ERR_DIFFERS, source->path, (int64_t)bytes,
                        "holds %zu bytes, expected %" PRIu64 " for %" PRIu32 " × %" PRIu32 " texels; bake again",
                        source->size, bytes, expected->width, expected->height);
    bwi_texels read = {0};
    bw_result result = bwi_image_claim(&read, *expected, source->size, source, expected, env, error);
    if (result != BW_OK)
        return result;
    const size_t component_size = bwi_image_component_size(read.type);
    bwi_image_swap_little(read.data, source->data, component_size, source->size / component_size);
    *texels = read;
    return BW_OK;
}
