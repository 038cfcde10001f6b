/* SPDX-License-Identifier: MIT
 * OpenVAT's JSON: any text is refused or read; what was read is written and read again to the same values. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/openvat.h"

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "model_openvat_fuzz: %s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bw_error error = {0};
    bwi_openvat_info *first = NULL, *second = NULL;
    bwi_arena *arena = bwi_arena_create_owning(UINT64_C(1) << 28);
    const bw_result result = bwi_openvat_parse(&first, arena, (const char *)data, size, "a", &error);
    (void)bwi_openvat_recognise((const char *)data, size);
    if (result != BW_OK) {
        check(!first && error.result == result && error.message[0], "failed without a message");
        bwi_arena_free(arena);
        return 0;
    }
    for (size_t k = 0; k < first->clips.count; k++) { /* the writer's frames count from 1 */
        first->clips.data[k].start_frame = first->clips.data[k].start_frame < 0 ? 1 : first->clips.data[k].start_frame;
        first->clips.data[k].end_frame = first->clips.data[k].end_frame < 0 ? 1 : first->clips.data[k].end_frame;
    }
    char *text = NULL;
    size_t text_size = 0;
    FILE *file = open_memstream(&text, &text_size);
    check(file && bwi_openvat_write(file, "a", first, bwi_arena_mem(arena), NULL) == BW_OK, "cannot be written");
    fclose(file);
    check(bwi_openvat_parse(&second, arena, text, text_size, "a", &error) == BW_OK, error.message);
    free(text);
    check(memcmp(first->min, second->min, sizeof first->min) == 0 &&
              memcmp(first->max, second->max, sizeof first->max) == 0 && first->frame_count == second->frame_count &&
              first->clips.count == second->clips.count,
          "other values the second time");
    bwi_arena_free(arena);
    return 0;
}
