/* SPDX-License-Identifier: MIT
 * TGA in: any bytes are refused with a message and leave nothing, or give the same texels each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image_priv.h"

static void check(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "image_tga_fuzz: %s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bwi_mem mem;
    bwi_mem_init(&mem, 64u << 20);
    const bwi_env env = {&mem, 1, NULL};
    const bwi_image_source source = {data, size, "input"};
    bwi_texels first = {0}, second = {0};
    bw_error error = {0};
    bw_result result = bwi_tga_read(&first, &source, NULL, &env, &error);
    if (result != BW_OK) {
        check(!first.data && error.result == result && error.message[0], "failed without a message");
    } else {
        check(bwi_tga_read(&second, &source, &first, &env, NULL) == BW_OK, "cannot be read again");
        check(memcmp(first.data, second.data, (size_t)first.width * first.height * 4) == 0, "differs the second time");
    }
    bwi_texels_free(&first, &mem);
    bwi_texels_free(&second, &mem);
    check(mem.used == 0, "kept memory");
    return 0;
}
