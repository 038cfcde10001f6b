/* SPDX-License-Identifier: MIT
 * Override files: any text is refused with a sentence, or leaves elements whose parents end in a root and whose numbers are finite. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pivot/pivot_priv.h"

enum { COUNT = 4 };

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "pivot_override_fuzz: %s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[COUNT] = {"a", "b", "c/1", "a.1"};
    bwi_mem mem;
    bwi_mem_init(&mem, UINT64_C(1) << 28);
    const bwi_env env = {&mem, 1, NULL};
    const bw_scene scene = {.path = "scene"};
    const bw_pivot_opts opts = {0};
    bw_error error = {0};
    bw_pivot_element elements[COUNT] = {{0}};
    for (uint32_t i = 0; i < COUNT; i++)
        elements[i] = (bw_pivot_element){.name = names[i], .parent = i - 1, .confidence = 0.5};
    bwi_pivot_work work = {
        .scene = &scene, .opts = &opts, .env = &env, .error = &error, .elements = elements, .element_count = COUNT};
    work.scratch = bwi_arena_create(&mem);
    check(work.scratch != NULL, "no memory");
    const bw_result result = bwi_pivot_override_text(&work, (const char *)data, size, "a");
    check(error.result == result && (result == BW_OK) == !error.message[0], "failed without a message, or the reverse");
    uint32_t depths[COUNT];
    check(result != BW_OK || bwi_pivot_depths(depths, elements, COUNT) == BW_NO_INDEX, "a circle");
    for (uint32_t i = 0; result == BW_OK && i < COUNT; i++) {
        const double *x = elements[i].axes[0], length = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        check(length == 0 || fabs(length - 1) < 1e-9, "an axis that is not unit");
        for (int k = 0; k < 3; k++)
            check(isfinite(elements[i].pivot[k]), "a pivot that is not finite");
    }
    bwi_arena_free(work.scratch);
    check(mem.used == 0, "memory is held");
    return 0;
}
