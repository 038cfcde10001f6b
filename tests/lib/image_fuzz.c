/* SPDX-License-Identifier: MIT
 * What the fuzz harnesses of image readers share. */
#define _POSIX_C_SOURCE 200809L
#include "image_fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "image_fuzz: %s\n", what);
        abort();
    }
}

/* Larger images are read, but not written again: that would be most of the time. */
enum { WRITE_AGAIN_BYTES = 1 << 16 };

void image_fuzz_one(image_reader reader, bwi_container container, const uint8_t *data, size_t size) {
    bwi_mem mem;
    bwi_mem_init(&mem, 64u << 20);
    const bwi_env env = {&mem, 1, NULL};
    const bwi_image_source source = {data, size, "input"};
    bwi_texels first = {0}, second = {0};
    bw_error error = {0};
    bw_result result = reader(&first, &source, NULL, &env, &error);
    if (result != BW_OK) {
        check(!first.data && error.result == result && error.message[0], "failed without a message");
        check(mem.used == 0, "failed and kept memory");
        return;
    }
    const size_t bytes = (size_t)first.width * first.height * bwi_texel_size(first.type);
    if (bytes <= WRITE_AGAIN_BYTES) {
        char *text = NULL;
        size_t text_size = 0;
        FILE *file = open_memstream(&text, &text_size);
        check(file && bwi_image_write(file, "output", container, &first, &env, NULL) == BW_OK, "cannot be written");
        fclose(file);
        const bwi_image_source again = {(const uint8_t *)text, text_size, "output"};
        check(reader(&second, &again, &first, &env, NULL) == BW_OK, "cannot be read again");
        check(memcmp(first.data, second.data, bytes) == 0, "changed on the way");
        free(text);
    }
    bwi_texels_free(&first, &mem);
    bwi_texels_free(&second, &mem);
    check(mem.used == 0, "kept memory");
}
