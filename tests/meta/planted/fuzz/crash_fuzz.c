/* SPDX-License-Identifier: MIT
 * Planted: a harness that aborts on an input that begins with '!'. */
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0 && data[0] == '!')
        abort();
    return 0;
}
