/* SPDX-License-Identifier: MIT
 * Alembic scenes: archives, and such as are made of other bytes, are refused with a message, or become a scene whose vertex list is evaluated at the
 * ends and in the middle of its clip, each sample being read or refused. */
#define _POSIX_C_SOURCE 200809L /* getpid */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/read.h"
#include "sample/sample.h"
#include "scene/scene.h"
#include "schema_fuzz.h"

enum { MEMORY_LIMIT = 64 << 20 };

static void must(bool held) {
    if (!held)
        abort();
}

static void evaluate(const bw_scene *scene, const bwi_env *env) {
    bwi_arena *arena = bwi_arena_create(env->mem);
    bwi_vertex_list *list = NULL;
    bwi_sampler *sampler = NULL;
    bw_error error;
    if (!arena)
        return;
    bw_result result = bwi_vertex_list_build(&list, arena, scene, NULL, env, NULL, &error);
    if (result == BW_OK)
        result = bwi_sampler_create(&sampler, list, env->mem, &error);
    float *values = result == BW_OK ? bwi_alloc(env->mem, list->vertex_count, 6 * sizeof *values) : NULL;
    const bw_clip *clip = scene->clips.count ? &scene->clips.data[0] : NULL;
    const bwi_clip_mix mix = {&clip, clip ? 1 : 0};
    for (int k = 0; values && k <= 4; k++) {
        const double time_s = clip ? clip->start_s + k / 4.0 * (clip->end_s - clip->start_s) : 0.0;
        bwi_sampler_evaluate(sampler, &mix, time_s, values, values + 3 * (size_t)list->vertex_count, NULL);
        result = bwi_sampler_status(sampler, &error);
        must(result == BW_OK || (error.result == result && error.message[0]));
    }
    bwi_free(env->mem, values);
    bwi_sampler_free(sampler);
    bwi_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const schema_fuzz_plan plan = {{BWI_ABC_POLYMESH, BWI_ABC_XFORM, BWI_ABC_CURVES, BWI_ABC_POINTS}};
    uint8_t *bytes;
    size_t byte_count;
    char path[64];
    schema_fuzz_build(&bytes, &byte_count, &plan, data, size);
    snprintf(path, sizeof path, "/tmp/api_abc_fuzz.%ld.abc", (long)getpid());
    FILE *file = fopen(path, "wb");
    must(file && fwrite(bytes, 1, byte_count, file) == byte_count && fclose(file) == 0);
    free(bytes);
    bwi_mem mem;
    bwi_mem_init(&mem, MEMORY_LIMIT);
    const bwi_env env = {.mem = &mem, .thread_count = 1};
    const bw_scene_opts opts = {.no_images = true, .run.memory_limit = MEMORY_LIMIT};
    bw_scene *scene = NULL;
    bw_error error;
    const bw_result result = bwi_read_scene(&scene, path, &opts, &error);
    if (result == BW_OK)
        evaluate(scene, &env);
    else
        must(error.result == result && error.message[0]);
    bwi_scene_free(scene);
    must(mem.used == 0);
    (void)remove(path);
    return 0;
}
