/* SPDX-License-Identifier: MIT
 * Vertices of a mesh of one topology, chosen once for all frames: corners share one if they have the same point and the same values of all
 * attributes in every sample. */
#include <string.h>

#include "read/alembic/abc_priv.h"

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
    hash *= UINT64_C(0xBF58476D1CE4E5B9);
    return hash ^ hash >> 32;
}

/* Adds what each corner has of an attribute in one sample.  Values of points are the point's. */
static void add_sample(uint64_t *hashes, const bwi_abc_param_sample *sample, bw_alembic_scope scope,
                       const bwi_abc_faces *faces) {
    uint32_t corner = 0;
    for (uint32_t face = 0; face < faces->face_count; face++) {
        const uint32_t count = (uint32_t)bwi_abc_int(&faces->counts, face);
        for (uint32_t k = 0; k < count; k++, corner++) {
            const uint64_t stored = bwi_abc_param_element(sample, scope == BW_ALEMBIC_SCOPE_UNIFORM ? face : corner);
            for (uint64_t i = 0; i < sample->width; i++) {
                const float value = bwi_abc_float(&sample->values, sample->width * stored + i) + 0.0f; /* −0 is 0 */
                uint32_t bits;
                memcpy(&bits, &value, sizeof bits);
                hashes[corner] = mix(hashes[corner], bits);
            }
        }
    }
}

static void add_sets(uint64_t *hashes, const bwi_abc_sets *sets, const bwi_abc_faces *faces) {
    uint32_t corner = 0;
    for (uint32_t face = 0; face < faces->face_count; face++)
        for (int32_t k = 0; k < bwi_abc_int(&faces->counts, face); k++, corner++)
            hashes[corner] = mix(hashes[corner], sets->of_face[face] + UINT64_C(1));
}

/* In: last — of the samples that count. */
static bw_result add_param(uint64_t *hashes, bwi_abc_reader *r, const bwi_abc_param *param, const bwi_abc_faces *faces,
                           uint32_t last) {
    const bool split = param->scope == BW_ALEMBIC_SCOPE_FACEVARYING || param->scope == BW_ALEMBIC_SCOPE_UNIFORM;
    uint64_t values_at = UINT64_MAX, indices_at = UINT64_MAX;
    for (uint32_t k = 0; param->values && split && k <= last; k = bwi_abc_next_param_change(param, k)) {
        bwi_abc_param_sample sample;
        BWI_ABC_TRY(bwi_abc_param_view(&sample, r->archive, param, k, r->error));
        if (sample.values.offset == values_at && sample.indices.offset == indices_at)
            continue;
        values_at = sample.values.offset;
        indices_at = sample.indices.offset;
        add_sample(hashes, &sample, param->scope, faces);
        if (!bwi_progress_step(r->progress, 0))
            return bwi_fail_cancelled(r->error);
    }
    return BW_OK;
}

typedef struct splitter {
    bwi_abc_vertices *out;
    const uint64_t *hashes; /* [corners] */
    uint32_t *table;        /* vertex + 1; 0: free */
    size_t mask;
} splitter;

static uint32_t vertex_of(splitter *s, uint32_t point, uint32_t corner, uint32_t face) {
    const uint64_t hash = s->hashes[corner];
    for (size_t slot = (size_t)mix(hash, point);; slot++) {
        uint32_t *entry = &s->table[slot & s->mask];
        if (*entry == 0) {
            const uint32_t vertex = s->out->count++;
            s->out->points[vertex] = point;
            s->out->corners[vertex] = corner;
            s->out->faces[vertex] = face;
            *entry = vertex + 1;
            return vertex;
        }
        const uint32_t vertex = *entry - 1;
        if (s->out->points[vertex] == point && s->hashes[s->out->corners[vertex]] == hash)
            return vertex;
    }
}

/* Alembic's faces run clockwise. */
static void make_triangles(splitter *s, const bwi_abc_faces *faces, const bw_alembic_sample *points,
                           uint32_t *of_corner) {
    uint32_t corner = 0, *index = s->out->indices;
    bwi_abc_cuts cuts;
    for (uint32_t face = 0; face < faces->face_count; face++) {
        const uint32_t count = (uint32_t)bwi_abc_int(&faces->counts, face);
        const bool cut = bwi_abc_cut(&cuts, points, faces, corner, count);
        for (uint32_t k = 0; count > 2 && k < count; k++)
            of_corner[corner + k] = vertex_of(s, (uint32_t)bwi_abc_int(&faces->indices, corner + k), corner + k, face);
        for (uint32_t k = 0; k + 2 < count; k++) {
            *index++ = of_corner[corner + bwi_abc_cut_corner(&cuts, cut, k, 0)];
            *index++ = of_corner[corner + bwi_abc_cut_corner(&cuts, cut, k, 2)];
            *index++ = of_corner[corner + bwi_abc_cut_corner(&cuts, cut, k, 1)];
        }
        corner += count;
    }
}

bw_result bwi_abc_split(bwi_abc_vertices *out, bwi_abc_reader *r, const bwi_abc_faces *faces,
                        const bw_alembic_sample *points, const bwi_abc_sets *sets, const bwi_abc_param *uv,
                        const bwi_abc_param *normals) {
    const size_t corners = faces->corner_count;
    size_t slots = 16;
    while (slots < 2 * corners)
        slots *= 2;
    bwi_abc_vertices v = {.triangle_count = faces->triangle_count};
    uint64_t *hashes = bwi_abc_alloc(r, r->scratch, corners, sizeof *hashes);
    uint32_t *table = hashes ? bwi_abc_alloc(r, r->scratch, slots, sizeof *table) : NULL;
    uint32_t *of_corner = table ? bwi_abc_alloc(r, r->scratch, corners, sizeof *of_corner) : NULL;
    uint32_t *places = of_corner ? bwi_abc_alloc(r, r->scratch, corners, 3 * sizeof *places) : NULL;
    v.indices = places ? bwi_abc_alloc(r, r->arena, v.triangle_count, 3 * sizeof *v.indices) : NULL;
    if (!v.indices)
        return BW_ERR_MEMORY;
    v.points = places;
    v.corners = places + corners;
    v.faces = places + 2 * corners;
    if (sets->of_face)
        add_sets(hashes, sets, faces);
    BWI_ABC_TRY(add_param(hashes, r, uv, faces, 0));
    BWI_ABC_TRY(add_param(hashes, r, normals, faces, bwi_abc_last_change(normals)));
    splitter s = {&v, hashes, table, slots - 1};
    make_triangles(&s, faces, points, of_corner);
    /* Of the arrays, which had room for a vertex a corner, what lasts is what there is. */
    uint32_t *of_vertex = bwi_abc_alloc(r, r->arena, v.count, sizeof *of_vertex);
    if (!of_vertex)
        return BW_ERR_MEMORY;
    memcpy(of_vertex, v.points, v.count * sizeof *of_vertex);
    v.points = of_vertex;
    *out = v;
    return BW_OK;
}

uint64_t bwi_abc_vertex_element(const bwi_abc_vertices *vertices, bw_alembic_scope scope, uint32_t vertex) {
    switch (scope) {
    case BW_ALEMBIC_SCOPE_UNIFORM:
        return vertices->faces[vertex];
    case BW_ALEMBIC_SCOPE_VARYING:
    case BW_ALEMBIC_SCOPE_VERTEX:
        return vertices->points[vertex];
    case BW_ALEMBIC_SCOPE_FACEVARYING:
        return vertices->corners[vertex];
    default:
        return 0;
    }
}
