/* SPDX-License-Identifier: MIT
 * EXR in: any bytes are refused with a message or read; what was read is written and read again to the same texels. */

#include "image/image_priv.h"
#include "image_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0)
        image_fuzz_one(bwi_exr_read, BWI_CONTAINER_EXR, data, size);
    return 0;
}
