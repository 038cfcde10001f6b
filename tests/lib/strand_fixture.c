/* SPDX-License-Identifier: MIT
 * Grooms made by hand in tests. */
#include "strand_fixture.h"

#include <stdlib.h>
#include <string.h>

static void *take(strand_fixture *f, size_t count, size_t size) {
    void *block = bwi_arena_alloc(f->arena, count, size);
    if (!block)
        abort();
    return block;
}

void strands_open(strand_fixture *f, uint32_t strands, uint32_t points, uint32_t groups) {
    memset(f, 0, sizeof *f);
    bwi_mem_init(&f->mem, 0);
    f->arena = bwi_arena_create(&f->mem);
    f->env = (bwi_env){&f->mem, 1, NULL};
    f->random = 1;
    bwi_warnings_init(&f->changes, f->arena);
    bw_groom *g = &f->groom;
    g->strand_count = strands;
    g->point_count = strands * points;
    g->first_points = take(f, (size_t)strands + 1, sizeof *g->first_points);
    g->positions = take(f, g->point_count, 3 * sizeof *g->positions);
    g->group_of = take(f, strands, sizeof *g->group_of);
    g->groups.data = take(f, groups, sizeof *g->groups.data);
    g->groups.count = groups;
    for (uint32_t i = 0; i < groups; i++) {
        g->groups.data[i].id = (int32_t)i;
        g->groups.data[i].name = "hair";
    }
    for (uint32_t i = 0; i < strands; i++) {
        g->first_points[i + 1] = (i + 1) * points;
        g->group_of[i] = i % groups;
        for (uint32_t k = 0; k < points; k++)
            g->positions[3 * (size_t)(i * points + k) + 2] = 10.0f * (float)k / (float)(points - 1);
    }
}

void strands_close(strand_fixture *f) {
    bwi_arena_free(f->arena);
}

void strands_move(strand_fixture *f, uint32_t strand, float x, float y, float z) {
    for (uint32_t k = f->groom.first_points[strand]; k < f->groom.first_points[strand + 1]; k++) {
        float *p = f->groom.positions + 3 * (size_t)k;
        p[0] += x;
        p[1] += y;
        p[2] += z;
    }
}

uint8_t *strands_add_guides(strand_fixture *f) {
    return f->groom.guides = take(f, f->groom.strand_count, sizeof *f->groom.guides);
}

int32_t *strands_add_ids(strand_fixture *f) {
    f->groom.ids = take(f, f->groom.strand_count, sizeof *f->groom.ids);
    for (uint32_t i = 0; i < f->groom.strand_count; i++)
        f->groom.ids[i] = (int32_t)i;
    return f->groom.ids;
}

float strands_random(strand_fixture *f) {
    f->random = f->random * 1664525u + 1013904223u;
    return (float)(f->random >> 8) / (float)(1u << 24);
}

void strands_scatter(strand_fixture *f) {
    for (uint32_t i = 0; i < f->groom.strand_count; i++) {
        const float x = 20 * strands_random(f), y = 20 * strands_random(f), z = 20 * strands_random(f);
        const float bend = strands_random(f) - 0.5f;
        for (uint32_t k = f->groom.first_points[i]; k < f->groom.first_points[i + 1]; k++) {
            const float along = f->groom.positions[3 * (size_t)k + 2];
            f->groom.positions[3 * (size_t)k] += bend * along * along * 0.1f;
        }
        strands_move(f, i, x, y, z);
    }
}

uint64_t strands_changed(const strand_fixture *f, const char *code) {
    for (size_t i = 0; i < f->changes.count; i++) {
        if (strcmp(f->changes.data[i].code, code) == 0)
            return f->changes.data[i].count;
    }
    return 0;
}

const float *strands_root(const bw_groom *groom, uint32_t strand) {
    return groom->positions + 3 * (size_t)groom->first_points[strand];
}
