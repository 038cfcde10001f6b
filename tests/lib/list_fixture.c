/* SPDX-License-Identifier: MIT
 * The vertex list of a scene and its values at a time, for tests. */
#include "list_fixture.h"

#include <math.h>
#include <string.h>

bw_result fixture_open(list_fixture *f, const bw_scene *scene, const bwi_node_filter *filter) {
    memset(f, 0, sizeof *f);
    bwi_mem_init(&f->mem, 0);
    f->arena = bwi_arena_create(&f->mem);
    f->env = (bwi_env){&f->mem, 1, NULL};
    bwi_warnings_init(&f->warnings, f->arena);
    bw_result result = bwi_vertex_list_build(&f->list, f->arena, scene, filter, &f->env, &f->warnings, &f->error);
    if (result == BW_OK) {
        result = bwi_sampler_create(&f->sampler, f->list, &f->mem, &f->error);
    }
    if (result == BW_OK) {
        f->positions = bwi_arena_alloc(f->arena, f->list->vertex_count, 3 * sizeof(float));
        f->normals = bwi_arena_alloc(f->arena, f->list->vertex_count, 3 * sizeof(float));
        f->tangents = bwi_arena_alloc(f->arena, f->list->vertex_count, 4 * sizeof(float));
    }
    return result;
}

void fixture_evaluate(list_fixture *f, const bw_clip *clip, double time_s) {
    /* What an evaluation leaves out must not pass for a value. */
    for (size_t i = 0; i < f->list->vertex_count; i++) {
        for (size_t k = 0; k < 3; k++) {
            f->positions[3 * i + k] = f->normals[3 * i + k] = f->tangents[4 * i + k] = NAN;
        }
        f->tangents[4 * i + 3] = NAN;
    }
    bwi_clip_mix mix = {&clip, clip != NULL ? 1 : 0};
    bwi_sampler_evaluate(f->sampler, &mix, time_s, f->positions, f->normals,
                         f->list->has_tangents ? f->tangents : NULL);
}

void fixture_close(list_fixture *f) {
    bwi_sampler_free(f->sampler);
    bwi_arena_free(f->arena);
}

uint64_t fixture_warned(const list_fixture *f, const char *code) {
    for (size_t i = 0; i < f->warnings.count; i++) {
        if (strcmp(f->warnings.data[i].code, code) == 0) {
            return f->warnings.data[i].count;
        }
    }
    return 0;
}
