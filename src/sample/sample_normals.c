/* SPDX-License-Identifier: MIT
 * Normals that the file does not bring: flat ones, and the change that a morph target without normals makes. */
#include <string.h>

#include "base/hash.h"
#include "sample/sample_priv.h"

static bool any_nonzero(const float *values, size_t count) {
    for (size_t i = 0; values != NULL && i < count; i++) {
        if (values[i] != 0.0f) {
            return true;
        }
    }
    return false;
}

bool bwi_needs_weld(const bw_primitive *primitive) {
    if (primitive->mode != BW_PRIMITIVE_TRIANGLES || primitive->normals == NULL) {
        return false;
    }
    bool moves = false;
    for (size_t t = 0; t < primitive->targets.count; t++) {
        const bw_morph_target *target = &primitive->targets.data[t];
        /* Exporters write normal displacements that are all zero; they say no more than missing ones. */
        if (any_nonzero(target->normals, 3 * (size_t)primitive->vertex_count)) {
            return false;
        }
        moves = moves || any_nonzero(target->positions, 3 * (size_t)primitive->vertex_count);
    }
    return moves;
}

/* Bits of a vertex's position and normal; those of 0 for −0. */
typedef struct weld_key {
    uint32_t bits[6];
} weld_key;

static weld_key key_of(const bw_primitive *primitive, uint32_t vertex) {
    float values[6];
    for (size_t k = 0; k < 3; k++) {
        values[k] = primitive->positions[3 * (size_t)vertex + k] + 0.0f;
        values[3 + k] = primitive->normals[3 * (size_t)vertex + k] + 0.0f;
    }
    weld_key key;
    memcpy(key.bits, values, sizeof values);
    return key;
}

/* Numbers groups by their first vertex.  table: group's first used vertex + 1, 0 free; a power of two at least twice the vertices. */
static uint32_t number_groups(uint32_t *groups, const bwi_selection *selection, const bw_primitive *primitive,
                              uint32_t *table, size_t table_size) {
    uint32_t group_count = 0;
    for (uint32_t i = 0; i < selection->used_count; i++) {
        weld_key key = key_of(primitive, selection->used[i]);
        bwi_hash128 hash = bwi_hash(key.bits, sizeof key.bits);
        uint64_t slot;
        memcpy(&slot, hash.bytes, sizeof slot);
        for (;; slot++) {
            uint32_t *entry = &table[slot & (table_size - 1)];
            if (*entry == 0) {
                *entry = i + 1;
                groups[i] = group_count++;
                break;
            }
            weld_key other = key_of(primitive, selection->used[*entry - 1]);
            if (memcmp(key.bits, other.bits, sizeof key.bits) == 0) {
                groups[i] = groups[*entry - 1];
                break;
            }
        }
    }
    return group_count;
}

const bwi_weld *bwi_weld_create(bwi_arena *arena, bwi_arena *scratch, const bwi_selection *selection,
                                const bw_primitive *primitive) {
    size_t used_count = selection->used_count, table_size = 4;
    while (table_size < 2 * used_count) {
        table_size *= 2;
    }
    uint32_t *table = bwi_arena_alloc(scratch, table_size, sizeof *table);
    float *positions = bwi_arena_alloc(scratch, used_count, 3 * sizeof *positions);
    bwi_weld *weld = bwi_arena_alloc(arena, 1, sizeof *weld);
    uint32_t *groups = bwi_arena_alloc(arena, used_count, sizeof *groups);
    if (table == NULL || positions == NULL || weld == NULL || groups == NULL) {
        return NULL;
    }
    uint32_t group_count = number_groups(groups, selection, primitive, table, table_size);
    float *signs = bwi_arena_alloc(arena, group_count, sizeof *signs);
    float *rest = bwi_arena_alloc(arena, group_count, 3 * sizeof *rest);
    if (signs == NULL || rest == NULL) {
        return NULL;
    }
    for (uint32_t g = 0; g < group_count; g++) {
        signs[g] = 1.0f;
    }
    for (size_t i = 0; i < used_count; i++) {
        memcpy(positions + 3 * i, primitive->positions + 3 * (size_t)selection->used[i], 3 * sizeof *positions);
    }
    *weld = (bwi_weld){group_count, groups, selection->indices, selection->index_count, signs, rest};
    bwi_weld_normals(rest, weld, positions);
    for (size_t i = 0; i < used_count; i++) {
        const float *smooth = rest + 3 * (size_t)groups[i],
                    *authored = primitive->normals + 3 * (size_t)selection->used[i];
        if (smooth[0] * authored[0] + smooth[1] * authored[1] + smooth[2] * authored[2] < 0.0f) {
            signs[groups[i]] = -1.0f;
        }
    }
    return weld;
}

void bwi_weld_normals(float *normals, const bwi_weld *weld, const float *positions) {
    memset(normals, 0, 3 * (size_t)weld->group_count * sizeof *normals);
    for (uint32_t c = 0; c + 2 < weld->corner_count; c += 3) {
        const float *p = positions + 3 * (size_t)weld->corners[c];
        const float *q = positions + 3 * (size_t)weld->corners[c + 1];
        const float *r = positions + 3 * (size_t)weld->corners[c + 2];
        float a[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, b[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
        float face[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
        for (uint32_t k = 0; k < 3; k++) {
            float *sum = normals + 3 * (size_t)weld->groups[weld->corners[c + k]];
            sum[0] += face[0];
            sum[1] += face[1];
            sum[2] += face[2];
        }
    }
    for (uint32_t g = 0; g < weld->group_count; g++) {
        float *n = normals + 3 * (size_t)g;
        if (n[0] != 0.0f || n[1] != 0.0f || n[2] != 0.0f) {
            bwi_store_unit(n, n[0], n[1], n[2]);
        }
    }
}

void bwi_weld_apply(float *normals, float *scratch, const bwi_weld *weld, uint32_t used_count, const float *positions) {
    bwi_weld_normals(scratch, weld, positions);
    for (uint32_t g = 0; g < weld->group_count; g++) {
        float *change = scratch + 3 * (size_t)g;
        const float *rest = weld->rest + 3 * (size_t)g;
        /* A group that collapsed to nothing keeps its normals. */
        bool known = (change[0] != 0.0f || change[1] != 0.0f || change[2] != 0.0f) &&
                     (rest[0] != 0.0f || rest[1] != 0.0f || rest[2] != 0.0f);
        float sign = known ? weld->signs[g] : 0.0f;
        for (size_t k = 0; k < 3; k++) {
            change[k] = sign * (change[k] - rest[k]);
        }
    }
    for (size_t i = 0; i < used_count; i++) {
        for (size_t k = 0; k < 3; k++) {
            normals[3 * i + k] += scratch[3 * (size_t)weld->groups[i] + k];
        }
    }
}

void bwi_flat_normals(float *normals, const float *positions, uint32_t count, double sign, const float *determinants) {
    for (size_t i = 0; i + 2 < count; i += 3) {
        const float *p = positions + 3 * i;
        float a[3] = {p[3] - p[0], p[4] - p[1], p[5] - p[2]}, b[3] = {p[6] - p[0], p[7] - p[1], p[8] - p[2]};
        float s = (float)sign;
        if (determinants != NULL) {
            s = determinants[i] + determinants[i + 1] + determinants[i + 2] < 0.0f ? -1.0f : 1.0f;
        }
        float *n = normals + 3 * i;
        bwi_store_unit(n, s * (a[1] * b[2] - a[2] * b[1]), s * (a[2] * b[0] - a[0] * b[2]),
                       s * (a[0] * b[1] - a[1] * b[0]));
        memcpy(n + 3, n, 3 * sizeof *n);
        memcpy(n + 6, n, 3 * sizeof *n);
    }
}
