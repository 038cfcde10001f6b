/* SPDX-License-Identifier: MIT
 * Manifests: any text is refused or read; what was read is written and read again to the same bytes. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/manifest.h"

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "model_manifest_fuzz: %s\n", what);
        abort();
    }
}

static char *write_text(const bwi_manifest *manifest, size_t *size) {
    char *text = NULL;
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    FILE *file = open_memstream(&text, size);
    check(file && bwi_manifest_write(file, "a", manifest, &mem, NULL) == BW_OK, "cannot be written");
    fclose(file);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bw_error error = {0};
    bwi_manifest *first = NULL, *second = NULL;
    bwi_arena *arena = bwi_arena_create_owning(UINT64_C(1) << 28);
    bw_result result = bwi_manifest_parse(&first, arena, (const char *)data, size, "a", &error);
    if (result != BW_OK) {
        check(!first && error.result == result && error.message[0], "failed without a message");
    } else {
        size_t first_size, second_size;
        char *first_text = write_text(first, &first_size);
        result = bwi_manifest_parse(&second, arena, first_text, first_size, "a", &error);
        check(result == BW_OK, error.message);
        char *second_text = write_text(second, &second_size);
        check(first_size == second_size && memcmp(first_text, second_text, first_size) == 0,
              "other bytes the second time");
        free(first_text);
        free(second_text);
    }
    bwi_arena_free(arena);
    return 0;
}
