/* SPDX-License-Identifier: MIT
 * Manifests of both families: any text is refused or read; what was read is written and read again to the same bytes. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/manifest.h"
#include "model/pivot_manifest.h"

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "model_manifest_fuzz: %s\n", what);
        abort();
    }
}

/* Both families, behind one face. */
typedef struct family {
    bw_result (*parse)(void **manifest, bwi_arena *arena, const char *text, size_t size, bw_error *error);
    bw_result (*write)(FILE *file, const void *manifest, bwi_mem *mem);
} family;

static bw_result parse_frames(void **manifest, bwi_arena *arena, const char *text, size_t size, bw_error *error) {
    return bwi_manifest_parse((bwi_manifest **)manifest, arena, text, size, "a", error);
}

static bw_result write_frames(FILE *file, const void *manifest, bwi_mem *mem) {
    return bwi_manifest_write(file, "a", manifest, mem, NULL);
}

static bw_result parse_pivots(void **manifest, bwi_arena *arena, const char *text, size_t size, bw_error *error) {
    return bwi_pivot_manifest_parse((bwi_pivot_manifest **)manifest, arena, text, size, "a", error);
}

static bw_result write_pivots(FILE *file, const void *manifest, bwi_mem *mem) {
    return bwi_pivot_manifest_write(file, "a", manifest, mem, NULL);
}

static const family families[] = {{parse_frames, write_frames}, {parse_pivots, write_pivots}};

static char *write_text(const family *f, const void *manifest, size_t *size) {
    char *text = NULL;
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    FILE *file = open_memstream(&text, size);
    check(file && f->write(file, manifest, &mem) == BW_OK, "cannot be written");
    fclose(file);
    return text;
}

static void try_family(const family *f, const char *text, size_t size) {
    bw_error error = {0};
    void *first = NULL, *second = NULL;
    bwi_arena *arena = bwi_arena_create_owning(UINT64_C(1) << 28);
    bw_result result = f->parse(&first, arena, text, size, &error);
    if (result != BW_OK) {
        check(!first && error.result == result && error.message[0], "failed without a message");
    } else {
        size_t first_size, second_size;
        char *first_text = write_text(f, first, &first_size);
        result = f->parse(&second, arena, first_text, first_size, &error);
        check(result == BW_OK, error.message);
        char *second_text = write_text(f, second, &second_size);
        check(first_size == second_size && memcmp(first_text, second_text, first_size) == 0,
              "other bytes the second time");
        free(first_text);
        free(second_text);
    }
    bwi_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t k = 0; k < sizeof families / sizeof families[0]; k++)
        try_family(&families[k], (const char *)data, size);
    return 0;
}
