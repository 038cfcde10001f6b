/* SPDX-License-Identifier: MIT
 * Samples of an archive as the scene's caches: read where they lie in the file, and checked every time. */
#include <math.h>
#include <string.h>

#include "read/alembic/abc_priv.h"

/* Times of a sampling, which all properties that use it share: how many samples they have costs no byte of the file. */
typedef struct bwi_abc_clock {
    double *times_s;
    uint32_t count, capacity;
} bwi_abc_clock;

/* Samples a second, above which nothing is sampled. */
static const double RATE_MAX = 1e9;

/* Samples a second of a property; 0: they keep no rate. */
static double rate_of(const bw_alembic_time_sampling *sampling, const double *times_s, uint32_t count) {
    if (sampling->kind == BW_ALEMBIC_UNIFORM)
        return 1.0 / sampling->time_per_cycle_s;
    if (sampling->kind == BW_ALEMBIC_CYCLIC)
        return (double)sampling->times_s.count / sampling->time_per_cycle_s;
    const double step = (times_s[count - 1] - times_s[0]) / (count - 1);
    for (uint32_t k = 1; k < count; k++) {
        const double off = times_s[k] - (times_s[0] + k * step);
        if (!(off <= 1e-5 && off >= -1e-5))
            return 0.0;
    }
    return 1.0 / step;
}

static void note_rate(bwi_abc_reader *r, double rate) {
    const double off = rate - r->rate_fps;
    if (!(rate > 0.0))
        return;
    r->rates_differ = r->rates_differ || (r->rate_fps > 0.0 && !(off <= 1e-6 * rate && off >= -1e-6 * rate));
    r->rate_fps = rate > r->rate_fps ? rate : r->rate_fps;
}

static bool make_room(bwi_abc_clock *clock, const bwi_abc_reader *r, uint32_t count) {
    if (count <= clock->capacity)
        return true;
    const uint32_t capacity = count > 2 * clock->capacity ? count : 2 * clock->capacity;
    double *times = bwi_abc_alloc(r, r->arena, capacity, sizeof *times);
    if (!times)
        return false;
    if (clock->count > 0)
        memcpy(times, clock->times_s, clock->count * sizeof *times);
    clock->times_s = times;
    clock->capacity = capacity;
    return true;
}

static const double *times_of(bwi_abc_reader *r, const bw_alembic_property *property) {
    const bw_alembic_time_sampling *sampling = &r->archive->time_samplings.data[property->time_sampling];
    if (!r->clocks)
        r->clocks = bwi_abc_alloc(r, r->arena, r->archive->time_samplings.count, sizeof *r->clocks);
    if (!r->clocks)
        return NULL;
    bwi_abc_clock *clock = &r->clocks[property->time_sampling];
    if (!make_room(clock, r, property->sample_count))
        return NULL;
    double *times = clock->times_s;
    for (uint32_t k = clock->count; k < property->sample_count; k++) {
        times[k] = bw_alembic_time(sampling, k);
        if (!isfinite(times[k]) || (k && !(times[k] > times[k - 1]))) {
            bwi_abc_fail(r->error, BW_ERR_MALFORMED, r->archive, property->object, property, k,
                         "is at %g s, %s; export the file again", times[k],
                         isfinite(times[k]) ? "not after the sample before it" : "which is no time");
            return NULL;
        }
        clock->count = k + 1;
    }
    return times;
}

bw_cache *bwi_abc_cache(bwi_abc_reader *r, const bw_alembic_property *property, bwi_abc_read *read, const void *ctx) {
    const uint32_t count = property->sample_count;
    if (count > BWI_ABC_SAMPLES_MAX) {
        bwi_abc_fail(r->error, BW_ERR_TOO_LARGE, r->archive, property->object, property, -1,
                     "claims %u samples, at most %d are read; export fewer frames at a time", count,
                     BWI_ABC_SAMPLES_MAX);
        return NULL;
    }
    bw_cache *cache = bwi_abc_alloc(r, r->arena, 1, sizeof *cache);
    const double *times = cache ? times_of(r, property) : NULL;
    if (!times)
        return NULL;
    const double rate = rate_of(&r->archive->time_samplings.data[property->time_sampling], times, count);
    if (count > 1 && (rate > RATE_MAX || (count - 1) / (times[count - 1] - times[0]) > RATE_MAX)) {
        bwi_abc_fail(r->error, BW_ERR_MALFORMED, r->archive, property->object, property, -1,
                     "is sampled every %g s, expected at most %g samples a second; check its frame rate and export the "
                     "file again",
                     (times[count - 1] - times[0]) / (count - 1), RATE_MAX);
        return NULL;
    }
    note_rate(r, rate);
    *cache = (bw_cache){times, count, read, ctx};
    return cache;
}

bw_result bwi_abc_make_vectors(bwi_abc_reader *r, const float **first, const bw_cache **cache, bwi_abc_read *read,
                               const void *ctx, uint32_t count, const bw_alembic_property *moves) {
    float *values = bwi_abc_alloc(r, r->arena, count, 3 * sizeof *values);
    if (!values)
        return BW_ERR_MEMORY;
    BWI_ABC_TRY(read(ctx, 0, values, r->error));
    *first = values;
    if (!moves)
        return BW_OK;
    *cache = bwi_abc_cache(r, moves, read, ctx);
    return *cache ? BW_OK : r->error->result;
}

uint32_t bwi_abc_beside(const bw_alembic *archive, const bw_alembic_property *positions, uint32_t sample,
                        const bw_alembic_property *other) {
    return other->time_sampling == positions->time_sampling
               ? sample
               : bwi_abc_index_at(archive, other, bwi_abc_time(archive, positions, sample));
}

bw_result bwi_abc_read_positions(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const bwi_abc_positions *c = ctx;
    bw_alembic_sample points;
    BWI_ABC_TRY(bwi_abc_vectors_view(&points, c->archive, c->property, sample, error));
    if (points.point_count != c->point_count)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, c->archive, c->property->object, c->property, sample,
                            "has %llu points, the first sample has %llu; export the file again",
                            (unsigned long long)points.point_count, (unsigned long long)c->point_count);
    bwi_abc_gather(dst, &points, c->points, c->vertex_count);
    return BW_OK;
}

/* A direction that is no number is none. */
static void take_direction(float *dst, const bwi_abc_param_sample *sample, uint64_t element) {
    const uint64_t stored = bwi_abc_param_element(sample, element);
    for (uint64_t k = 0; k < 3; k++) {
        const float value = stored == UINT64_MAX ? 0.0f : bwi_abc_float(&sample->values, 3 * stored + k);
        dst[k] = value - value == 0.0f ? value : 0.0f;
    }
}

bw_result bwi_abc_read_normals(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const bwi_abc_normals *c = ctx;
    bwi_abc_param_sample normals;
    BWI_ABC_TRY(bwi_abc_param_view(&normals, c->archive, &c->param, sample, error));
    if (normals.count != c->count)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, c->archive, c->param.values->object, c->param.values, sample,
                            "has %llu elements, the first sample has %llu; export the file again",
                            (unsigned long long)normals.count, (unsigned long long)c->count);
    for (uint32_t v = 0; v < c->vertex_count; v++)
        take_direction(dst + 3 * (size_t)v, &normals, c->elements[v]);
    return BW_OK;
}

/* What the corners of one sample are read from. */
typedef struct soup_source {
    const bwi_abc_soup *c;
    bwi_abc_faces faces;
    bw_alembic_sample points, vectors;
    bwi_abc_param_sample attribute;
} soup_source;

static void take_corner(float *dst, const soup_source *s, uint32_t face, uint32_t corner) {
    const uint64_t point = (uint64_t)bwi_abc_int(&s->faces.indices, corner);
    const bw_alembic_scope scope = s->c->attribute.scope;
    if (s->c->attribute.values) {
        const uint64_t element = scope == BW_ALEMBIC_SCOPE_FACEVARYING ? corner
                                 : scope == BW_ALEMBIC_SCOPE_UNIFORM   ? face
                                 : scope == BW_ALEMBIC_SCOPE_CONSTANT  ? 0
                                                                       : point;
        take_direction(dst, &s->attribute, element);
        return;
    }
    for (uint64_t k = 0; k < 3; k++)
        dst[k] = bwi_abc_float(&s->vectors, 3 * point + k);
}

static bw_result open_source(soup_source *s, uint32_t sample, bw_error *error) {
    const bwi_abc_soup *c = s->c;
    const bw_alembic_property *positions = c->mesh.positions;
    BWI_ABC_TRY(bwi_abc_vectors_view(&s->points, c->archive, positions, sample, error));
    BWI_ABC_TRY(bwi_abc_faces_view(&s->faces, c->archive, &c->mesh,
                                   bwi_abc_beside(c->archive, positions, sample, c->mesh.face_counts),
                                   s->points.point_count, error));
    if (c->attribute.values) {
        const bwi_abc_counts counts = bwi_abc_mesh_counts(&s->faces, s->points.point_count);
        BWI_ABC_TRY(bwi_abc_param_view(&s->attribute, c->archive, &c->attribute,
                                       bwi_abc_beside(c->archive, positions, sample, c->attribute.values), error));
        if (!bwi_abc_param_fits(&s->attribute, c->attribute.scope, &counts))
            return bwi_abc_fail(error, BW_ERR_MALFORMED, c->archive, c->mesh.object, c->attribute.values, sample,
                                "does not fit the faces of its sample; export the file again");
        return BW_OK;
    }
    s->vectors = s->points;
    if (c->vectors == positions)
        return BW_OK;
    BWI_ABC_TRY(bwi_abc_vectors_view(&s->vectors, c->archive, c->vectors,
                                     bwi_abc_beside(c->archive, positions, sample, c->vectors), error));
    return s->vectors.point_count == s->points.point_count
               ? BW_OK
               : bwi_abc_fail(error, BW_ERR_MALFORMED, c->archive, c->mesh.object, c->vectors, sample,
                              "has %llu points, the positions have %llu; export the file again",
                              (unsigned long long)s->vectors.point_count, (unsigned long long)s->points.point_count);
}

bw_result bwi_abc_read_soup(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const bwi_abc_soup *c = ctx;
    soup_source s = {.c = c};
    BWI_ABC_TRY(open_source(&s, sample, error));
    if (s.faces.triangle_count > c->triangle_count)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, c->archive, c->mesh.object, c->mesh.face_counts, sample,
                            "makes %u triangles, %u before; the file changed while it was read", s.faces.triangle_count,
                            c->triangle_count);
    float *at = dst;
    uint32_t corner = 0;
    bwi_abc_cuts cuts;
    for (uint32_t face = 0; face < s.faces.face_count; face++) {
        const uint32_t count = (uint32_t)bwi_abc_int(&s.faces.counts, face);
        const bool cut = bwi_abc_cut(&cuts, &s.points, &s.faces, corner, count);
        for (uint32_t k = 0; k + 2 < count; k++, at += 9) {
            take_corner(at, &s, face, corner + bwi_abc_cut_corner(&cuts, cut, k, 0));
            take_corner(at + 3, &s, face, corner + bwi_abc_cut_corner(&cuts, cut, k, 2));
            take_corner(at + 6, &s, face, corner + bwi_abc_cut_corner(&cuts, cut, k, 1));
        }
        corner += count;
    }
    /* Positions lie together where the first triangle begins; velocities and normals of what is not drawn are none. */
    const bool positions = !c->attribute.values && c->vectors == c->mesh.positions;
    const float none[3] = {0, 0, 0};
    const float *rest = !positions ? none : at > dst ? dst : c->fallback;
    for (; at < dst + 9 * (size_t)c->triangle_count; at += 3)
        memcpy(at, rest, sizeof none);
    return BW_OK;
}

bw_result bwi_abc_read_matrix(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const bwi_abc_matrices *c = ctx;
    bwi_mat4 matrix;
    bool inherits;
    BWI_ABC_TRY(bwi_abc_xform_sample(&matrix, &inherits, c->archive, &c->xform, sample, error));
    matrix = bwi_mat4_mul(&c->before, &matrix);
    for (size_t k = 0; k < 16; k++) {
        dst[k] = (float)matrix.m[k];
        if (!(dst[k] - dst[k] == 0.0f))
            return bwi_abc_fail(error, BW_ERR_MALFORMED, c->archive, c->xform.object, c->xform.values, sample,
                                "is a transform beyond what a float can hold; check its scale");
    }
    return BW_OK;
}

bw_result bwi_abc_read_shown(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const bwi_abc_shown *c = ctx;
    int shown = -1;
    for (size_t k = 0; shown < 0 && k < c->count; k++) {
        const bw_alembic_property *property = c->properties[k];
        const uint32_t index = bw_alembic_floor_index(&c->archive->time_samplings.data[property->time_sampling],
                                                      property->sample_count, c->times_s[sample]);
        BWI_ABC_TRY(bwi_abc_visibility(&shown, c->archive, property, index, error));
    }
    *dst = shown == 0 ? 0.0f : 1.0f;
    return BW_OK;
}
