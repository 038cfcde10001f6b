/* SPDX-License-Identifier: MIT
 * KTX2 in: any bytes are refused with a message or read; what was read is written and read again to the same texels. */

#include "image/image_priv.h"
#include "image_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0)
        image_fuzz_one(bwi_ktx2_read, BWI_CONTAINER_KTX2, data, size);
    return 0;
}
