/* SPDX-License-Identifier: MIT
 * Strands of a repair: which are kept, where their points stand on their curves, and the positions of these. */
#include <string.h>

#include "groom/groom_fix_priv.h"

enum { CHUNK = 256 };

/* Strands whose steps differ by less than this part of their mean count as even already: what an earlier resampling left stays as it is. */
static const double EVEN = 0.05;

bwi_curve bwi_strand_curve(const bwi_source *source, const bwi_strand *strand) {
    const bwi_hair_curves *curves = source->curves;
    bwi_curve c = {.closed = curves->periodic, .cv_count = strand->cv_count};
    static const bwi_curve_form FORMS[] = {
        [BWI_HAIR_NO_BASIS] = BWI_FORM_LINEAR, [BWI_HAIR_BEZIER] = BWI_FORM_BEZIER,
        [BWI_HAIR_BSPLINE] = BWI_FORM_BSPLINE, [BWI_HAIR_CATMULL_ROM] = BWI_FORM_CATMULL_ROM,
        [BWI_HAIR_HERMITE] = BWI_FORM_HERMITE, [BWI_HAIR_POWER] = BWI_FORM_POWER,
    };
    if (curves->type == BWI_HAIR_CUBIC)
        c.form = FORMS[curves->basis];
    else if (curves->type == BWI_HAIR_VARIABLE_ORDER)
        c.form = BWI_FORM_NURBS;
    if (strand->is_linear)
        c.form = BWI_FORM_LINEAR;
    if (c.form == BWI_FORM_NURBS || (c.form == BWI_FORM_BSPLINE && source->knots != BWI_KNOTS_NONE)) {
        uint32_t order = 4;
        if (curves->type == BWI_HAIR_VARIABLE_ORDER && strand->index < curves->order_count)
            order = curves->orders[strand->index];
        order = order < 2 ? 2 : order;
        c.order = order > c.cv_count ? c.cv_count : order;
        if (source->knots != BWI_KNOTS_NONE && c.order == order && !strand->knots_replaced) {
            c.form = BWI_FORM_NURBS;
            c.knots = curves->knots + source->first_knots[strand->index];
            c.short_knots = source->knots == BWI_KNOTS_SHORT || source->knots == BWI_KNOTS_SHARED_SHORT;
        } else if (c.form == BWI_FORM_NURBS && c.closed) {
            c.form = BWI_FORM_BSPLINE; /* without knots: as a closed B-spline */
        }
    }
    /* Many programs close a B-spline by repeating its first three points: these then make up the last segments. */
    if (c.closed && c.form == BWI_FORM_BSPLINE && c.cv_count > 6 &&
        memcmp(curves->positions + 3 * strand->first, curves->positions + 3 * (strand->first + c.cv_count - 3),
               3 * 3 * sizeof(float)) == 0)
        c.closed = false;
    if (c.form == BWI_FORM_NURBS)
        c.closed = false;
    const bool weighs = c.form == BWI_FORM_NURBS || c.form == BWI_FORM_BSPLINE || c.form == BWI_FORM_BEZIER;
    if (source->weights_fit && weighs)
        c.weights = curves->weights + strand->first;
    for (uint32_t i = 0; c.weights && i < c.cv_count; i++) {
        if (!(c.weights[i] > 0) || !bwi_is_finite((double)c.weights[i]))
            c.weights = NULL;
    }
    bwi_curve_prepare(&c);
    return c;
}

/* ---- one strand ---- */

/* What a thread works with. */
typedef struct desk {
    double *cvs;
    size_t cv_capacity;
    bwi_curve_points points;
    double error_cm;
} desk;

/* What came of a chunk of strands. */
typedef struct chunk {
    bwi_curve_point *places;
    size_t place_count;
} chunk;

typedef struct job {
    bwi_fix *fix;
    desk *desks;
    chunk *chunks;
} job;

/* Tangents of Hermite curves and the higher coefficients of power curves are no points. */
static bool is_vector(const bwi_curve *curve, size_t cv) {
    return (curve->form == BWI_FORM_HERMITE && cv % 2 == 1) || (curve->form == BWI_FORM_POWER && cv % 4 != 3);
}

static bool take_cvs(desk *d, bwi_mem *mem, const bwi_source *source, const bwi_strand *strand,
                     const bwi_curve *curve) {
    const size_t n = strand->cv_count;
    if (3 * n > d->cv_capacity) {
        double *cvs = bwi_realloc(mem, d->cvs, 3 * n, sizeof *cvs);
        if (!cvs)
            return false;
        d->cvs = cvs;
        d->cv_capacity = 3 * n;
    }
    const float *from = source->curves->positions + 3 * strand->first;
    for (size_t i = 0; i < n; i++) {
        const bwi_vec3 cv = {(double)from[3 * i], (double)from[3 * i + 1], (double)from[3 * i + 2]};
        const bwi_vec3 p =
            is_vector(curve, i) ? bwi_mat4_direction(&source->world, cv) : bwi_mat4_point(&source->world, cv);
        d->cvs[3 * i] = p.x;
        d->cvs[3 * i + 1] = p.y;
        d->cvs[3 * i + 2] = p.z;
    }
    return true;
}

/* Floats, and their squares, have room for them. */
static bool all_finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > -1e18 && values[i] < 1e18))
            return false;
    }
    return true;
}

static bool is_even(const double *cvs, uint32_t count) {
    double total = 0, least = 0, most = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        const double *a = cvs + 3 * (size_t)i;
        const double length = bwi_vec3_length((bwi_vec3){a[3] - a[0], a[4] - a[1], a[5] - a[2]});
        total += length;
        least = i == 0 || length < least ? length : least;
        most = length > most ? length : most;
    }
    const double mean = total / (count - 1);
    return least >= (1 - EVEN) * mean && most <= (1 + EVEN) * mean;
}

/* A point of a strand, number k, from its control points as the file has them. */
static bwi_vec3 place_point(const bwi_mat4 *world, const bwi_curve *curve, const float *cvs,
                            const bwi_curve_point *places, size_t k) {
    if (!places)
        return bwi_mat4_point(world, (bwi_vec3){(double)cvs[3 * k], (double)cvs[3 * k + 1], (double)cvs[3 * k + 2]});
    bwi_curve_mix mix;
    bwi_curve_share(&mix, curve, places[k]);
    bwi_vec3 sum = {0, 0, 0};
    for (uint32_t c = 0; c < mix.count; c++) {
        const float *cv = cvs + 3 * (size_t)mix.cvs[c];
        sum.x += mix.shares[c] * (double)cv[0];
        sum.y += mix.shares[c] * (double)cv[1];
        sum.z += mix.shares[c] * (double)cv[2];
    }
    return bwi_mat4_point(world, sum);
}

/* Whether the points that a strand would have can be kept. */
static bwi_strand_fate judge_points(const bwi_source *source, const bwi_strand *strand, const bwi_curve *curve,
                                    const bwi_curve_point *places, size_t count) {
    const float *cvs = source->curves->positions + 3 * strand->first;
    bwi_strand_fate fate = BWI_STRAND_NO_LENGTH;
    bwi_vec3 first = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        const bwi_vec3 p = place_point(&source->world, curve, cvs, places, i);
        const double numbers[] = {p.x, p.y, p.z};
        if (!all_finite(numbers, 3))
            return BWI_STRAND_NOT_FINITE;
        if (i == 0)
            first = p;
        else if ((float)p.x != (float)first.x || (float)p.y != (float)first.y || (float)p.z != (float)first.z)
            fate = BWI_STRAND_KEPT;
    }
    return fate;
}

/* Sets what becomes of a strand; appends its places, if it has some, to the desk's.  False: memory. */
static bool fix_strand(bwi_fix *fix, desk *d, bwi_strand *strand) {
    const bwi_source *source = &fix->sources.data[strand->source];
    if (strand->fate != BWI_STRAND_KEPT)
        return true;
    bwi_curve curve = bwi_strand_curve(source, strand);
    strand->is_linear = curve.form == BWI_FORM_LINEAR && source->curves->type != BWI_HAIR_LINEAR;
    if (strand->is_linear && source->knots != BWI_KNOTS_NONE) { /* knots that do not ascend: uniform ones */
        strand->knots_replaced = true;
        strand->is_linear = false;
        curve = bwi_strand_curve(source, strand);
        strand->is_linear = curve.form == BWI_FORM_LINEAR;
        strand->knots_replaced = !strand->is_linear;
    }
    if (!take_cvs(d, fix->env->mem, source, strand, &curve))
        return false;
    if (!all_finite(d->cvs, 3 * (size_t)strand->cv_count)) {
        strand->fate = BWI_STRAND_NOT_FINITE;
        return true;
    }
    const uint32_t points = fix->opts->points;
    const bool linear = curve.form == BWI_FORM_LINEAR && !curve.closed;
    if (linear && curve.cv_count <= BWI_MAX_STRAND_POINTS &&
        (points == 0 || (curve.cv_count == points && is_even(d->cvs, points)))) {
        strand->point_count = (uint16_t)curve.cv_count;
        strand->fate = (uint8_t)judge_points(source, strand, &curve, NULL, curve.cv_count);
        return true;
    }
    const size_t before = d->points.count;
    strand->is_placed = 1;
    strand->was_closed = curve.closed;
    strand->was_resampled = points > 0;
    if (points == 0) {
        if (!bwi_curve_flatten(&d->points, &curve, d->cvs, fix->tolerance_cm, BWI_MAX_STRAND_POINTS + 1))
            return false;
        strand->was_too_long = d->points.count - before > BWI_MAX_STRAND_POINTS;
    }
    if (points > 0 || strand->was_too_long) {
        d->points.count = before;
        if (!bwi_curve_spread(&d->points, &curve, d->cvs, points > 0 ? points : BWI_MAX_STRAND_POINTS))
            return false;
    }
    const size_t count = d->points.count - before;
    strand->fate = BWI_STRAND_NO_LENGTH;
    if (count > 0)
        strand->fate = (uint8_t)judge_points(source, strand, &curve, d->points.data + before, count);
    if (strand->fate != BWI_STRAND_KEPT) {
        d->points.count = before;
        return true;
    }
    strand->point_count = (uint16_t)count;
    const double error = bwi_curve_error(&curve, d->cvs, d->points.data + before, count);
    d->error_cm = error > d->error_cm ? error : d->error_cm;
    return true;
}

static bw_result fix_chunk(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    job *j = ctx;
    bwi_fix *fix = j->fix;
    desk *d = &j->desks[worker];
    d->points.count = 0;
    const size_t begin = index * CHUNK, left = fix->strands.count - begin, count = left < CHUNK ? left : CHUNK;
    for (size_t i = 0; i < count; i++) {
        if (!fix_strand(fix, d, &fix->strands.data[begin + i]))
            return bwi_fail_memory(error, fix->hair->path, fix->env->mem, 1);
    }
    if (d->points.count > 0) {
        chunk *c = &j->chunks[index];
        c->places = bwi_alloc(fix->env->mem, d->points.count, sizeof *c->places);
        if (!c->places)
            return bwi_fail_memory(error, fix->hair->path, fix->env->mem, d->points.count * sizeof *c->places);
        memcpy(c->places, d->points.data, d->points.count * sizeof *c->places);
        c->place_count = d->points.count;
    }
    return bwi_progress_step(fix->env->progress, count) ? BW_OK : bwi_fail_cancelled(error);
}

/* ---- all of them ---- */

/* Lists every curve with its control points, as far as counts and points go together. */
static bw_result list_strands(bwi_fix *fix, bw_error *error) {
    uint64_t total = 0;
    for (size_t s = 0; s < fix->sources.count; s++)
        total += fix->sources.data[s].curves->curve_count;
    if (total >= UINT32_MAX)
        return bwi_fail(error, BW_ERR_TOO_LARGE, fix->hair->path, -1,
                        "holds %llu curves; a groom may have %u: split the file, or choose objects by --include",
                        (unsigned long long)total, UINT32_MAX - 1);
    fix->strands.data = bwi_arena_alloc(fix->scratch, (size_t)total, sizeof *fix->strands.data);
    if (!fix->strands.data)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, (size_t)total * sizeof *fix->strands.data);
    for (size_t s = 0; s < fix->sources.count; s++) {
        const bwi_hair_curves *curves = fix->sources.data[s].curves;
        uint64_t first = 0;
        bool past = false; /* where a curve would begin is not known any more */
        for (uint64_t i = 0; i < curves->curve_count; i++) {
            const int64_t n = curves->counts[i];
            bwi_strand *strand = &fix->strands.data[fix->strands.count++];
            *strand = (bwi_strand){.source = (uint32_t)s, .index = (uint32_t)i, .first = first};
            if (n < 0) {
                strand->fate = BWI_STRAND_NEGATIVE;
                continue;
            }
            past = past || (uint64_t)n > curves->point_count - first;
            if (past) {
                strand->fate = BWI_STRAND_PAST_END;
                continue;
            }
            strand->cv_count = (uint32_t)n;
            strand->fate = n == 0 ? BWI_STRAND_NO_POINTS : n == 1 ? BWI_STRAND_ONE_POINT : BWI_STRAND_KEPT;
            first += (uint64_t)n;
        }
        if (!past && first < curves->point_count)
            bwi_warn(fix->changes, "points-dropped", curves->point_count - first,
                     "points that no curve of their object counts were left out", "%s",
                     fix->sources.data[s].object->path);
    }
    return BW_OK;
}

static void tell_dropped(bwi_fix *fix) {
    static const char *const CODES[BWI_STRAND_FATES][2] = {
        [BWI_STRAND_NEGATIVE] = {"strands-negative", "strands with a negative number of points were left out"},
        [BWI_STRAND_PAST_END] =
            {"strands-past-points",
             "strands that run past the points of their object were left out, and those after them"},
        [BWI_STRAND_NO_POINTS] = {"strands-without-points", "strands without a point were left out"},
        [BWI_STRAND_ONE_POINT] = {"strands-of-one-point", "strands of one point were left out"},
        [BWI_STRAND_NOT_FINITE] = {"strands-not-finite",
                                   "strands with points that are not finite, or out of range, were left out"},
        [BWI_STRAND_NO_LENGTH] = {"strands-without-length",
                                  "strands whose points all lie on one another were left out"},
    };
    for (size_t i = 0; i < fix->strands.count; i++) {
        const bwi_strand *s = &fix->strands.data[i];
        if (s->fate != BWI_STRAND_KEPT)
            bwi_warn(fix->changes, CODES[s->fate][0], 1, CODES[s->fate][1], "%s, strand %u",
                     fix->sources.data[s->source].object->path, s->index);
    }
}

static void tell_kept(bwi_fix *fix) {
    for (size_t i = 0; i < fix->strands.count; i++) {
        const bwi_strand *s = &fix->strands.data[i];
        const bwi_source *source = &fix->sources.data[s->source];
        const char *path = source->object->path;
        if (s->fate != BWI_STRAND_KEPT)
            continue;
        if (s->is_linear)
            bwi_warn(fix->changes, "control-points-kept", 1,
                     "strands without a basis, or with too few points for theirs: their control points became the line",
                     "%s, strand %u", path, s->index);
        else if (s->is_placed && source->curves->type != BWI_HAIR_LINEAR)
            bwi_warn(fix->changes, "splines-evaluated", 1,
                     "strands that were splines became polylines on their true shape; an engine joins control points",
                     "%s, strand %u", path, s->index);
        if (s->knots_replaced)
            bwi_warn(fix->changes, "knots-replaced", 1, "strands whose knots do not ascend were given uniform ones",
                     "%s, strand %u", path, s->index);
        if (s->was_closed)
            bwi_warn(fix->changes, "strands-closed", 1,
                     "strands that are periodic were closed by a point on their first", "%s, strand %u", path,
                     s->index);
        if (s->was_resampled)
            bwi_warn(fix->changes, "strands-resampled", 1, "strands were resampled to the number of points asked for",
                     "%s, strand %u", path, s->index);
        if (s->was_too_long)
            bwi_warn(fix->changes, "strands-too-long", 1,
                     "strands of more than 255 points were resampled to 255; an engine cuts them off there",
                     "%s, strand %u", path, s->index);
    }
}

/* Keeps the strands that are kept, and makes the groom's points and places. */
static bw_result keep_strands(bwi_fix *fix, chunk *chunks, size_t chunk_count, bw_error *error) {
    bw_groom *groom = fix->groom;
    uint64_t kept = 0, points = 0, placed = 0;
    for (size_t i = 0; i < fix->strands.count; i++) {
        const bwi_strand *s = &fix->strands.data[i];
        kept += s->fate == BWI_STRAND_KEPT;
        points += s->fate == BWI_STRAND_KEPT ? s->point_count : 0;
    }
    for (size_t i = 0; i < chunk_count; i++)
        placed += chunks[i].place_count;
    if (points > INT32_MAX)
        return bwi_fail(error, BW_ERR_TOO_LARGE, fix->hair->path, -1,
                        "would become %llu points; a groom may have %d: raise --tolerance or lower --points",
                        (unsigned long long)points, INT32_MAX);
    groom->strand_count = (uint32_t)kept;
    groom->point_count = (uint32_t)points;
    groom->first_points = bwi_arena_alloc(fix->arena, kept + 1, sizeof *groom->first_points);
    groom->positions = bwi_arena_alloc(fix->arena, points, 3 * sizeof *groom->positions);
    fix->places = placed ? bwi_arena_alloc(fix->scratch, points, sizeof *fix->places) : NULL;
    if (!groom->first_points || !groom->positions || (placed && !fix->places))
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, points * 20);
    uint32_t strand = 0, point = 0;
    for (size_t i = 0; i < chunk_count; i++) {
        const bwi_curve_point *next = chunks[i].places;
        for (size_t k = i * CHUNK; k < (i + 1) * CHUNK && k < fix->strands.count; k++) {
            const bwi_strand s = fix->strands.data[k];
            if (s.fate != BWI_STRAND_KEPT)
                continue;
            if (s.is_placed) {
                memcpy(fix->places + point, next, s.point_count * sizeof *next);
                next += s.point_count;
            }
            groom->first_points[strand] = point;
            point += s.point_count;
            bwi_source *source = &fix->sources.data[s.source];
            if (source->strand_count++ == 0)
                source->first_strand = strand;
            fix->strands.data[strand++] = s;
        }
    }
    groom->first_points[strand] = point;
    fix->strands.count = strand;
    return BW_OK;
}

void bwi_fix_place(float *out, const bwi_fix *fix, const bwi_source *source, const bwi_mat4 *world, const float *cvs,
                   uint32_t begin, uint32_t end) {
    const uint32_t *first_points = fix->groom->first_points;
    for (uint32_t i = begin; i < end; i++) {
        const bwi_strand *s = &fix->strands.data[i];
        const float *from = cvs + 3 * s->first;
        float *to = out + 3 * (size_t)(first_points[i] - first_points[begin]);
        bwi_curve curve = {.form = BWI_FORM_LINEAR};
        if (s->is_placed)
            curve = bwi_strand_curve(source, s);
        const bwi_curve_point *places = s->is_placed ? fix->places + first_points[i] : NULL;
        for (uint32_t k = 0; k < s->point_count; k++, to += 3) {
            const bwi_vec3 p = place_point(world, &curve, from, places, k);
            to[0] = (float)p.x;
            to[1] = (float)p.y;
            to[2] = (float)p.z;
        }
    }
}

static bw_result place_chunk(void *ctx, size_t index, uint32_t worker, bw_error *error) {
    (void)worker;
    (void)error;
    const bwi_fix *fix = ctx;
    const size_t begin = index * CHUNK, left = fix->strands.count - begin, count = left < CHUNK ? left : CHUNK;
    for (size_t i = begin; i < begin + count; i++) {
        const bwi_source *source = &fix->sources.data[fix->strands.data[i].source];
        bwi_fix_place(fix->groom->positions + 3 * (size_t)fix->groom->first_points[i], fix, source, &source->world,
                      source->curves->positions, (uint32_t)i, (uint32_t)i + 1);
    }
    return BW_OK;
}

static bw_result measure_and_keep(bwi_fix *fix, job *j, bw_error *error) {
    const size_t chunks = (fix->strands.count + CHUNK - 1) / CHUNK;
    bw_result result = bwi_parallel_for(fix->env, chunks, fix_chunk, j, error);
    for (uint32_t w = 0; w < fix->env->thread_count; w++)
        fix->shape_error_cm = j->desks[w].error_cm > fix->shape_error_cm ? j->desks[w].error_cm : fix->shape_error_cm;
    if (result == BW_OK) {
        tell_dropped(fix);
        tell_kept(fix);
        result = keep_strands(fix, j->chunks, chunks, error);
    }
    return result;
}

bw_result bwi_fix_strands(bwi_fix *fix, bw_error *error) {
    bw_result result = list_strands(fix, error);
    if (result != BW_OK)
        return result;
    bwi_mem *mem = fix->env->mem;
    bwi_progress_begin(fix->env->progress, "repairing strands", fix->strands.count);
    const size_t chunks = (fix->strands.count + CHUNK - 1) / CHUNK;
    job j = {.fix = fix,
             .desks = bwi_alloc(mem, fix->env->thread_count, sizeof *j.desks),
             .chunks = bwi_alloc(mem, chunks, sizeof *j.chunks)};
    if (j.desks && j.chunks) {
        for (uint32_t w = 0; w < fix->env->thread_count; w++)
            j.desks[w].points.mem = mem;
        result = measure_and_keep(fix, &j, error);
    } else {
        result = bwi_fail_memory(error, fix->hair->path, mem, chunks * sizeof *j.chunks);
    }
    for (uint32_t w = 0; j.desks && w < fix->env->thread_count; w++) {
        bwi_free(mem, j.desks[w].cvs);
        bwi_free(mem, j.desks[w].points.data);
    }
    for (size_t i = 0; j.chunks && i < chunks; i++)
        bwi_free(mem, j.chunks[i].places);
    bwi_free(mem, j.desks);
    bwi_free(mem, j.chunks);
    if (result == BW_OK)
        result = bwi_parallel_for(fix->env, (fix->strands.count + CHUNK - 1) / CHUNK, place_chunk, fix, error);
    return result;
}
