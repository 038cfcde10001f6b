/* SPDX-License-Identifier: MIT
 * Curves of every basis that Alembic has, evaluated: places on them, polylines that stay near them, and how near.
 * Sources: the RenderMan Interface 3.2, "RiBasis" and "RiCurves" (bases and their steps, which Alembic takes over); Piegl and Tiller, "The NURBS
 * Book", algorithm A2.2 (basis functions). */
#include <string.h>

#include "groom/groom_fix_priv.h"

/* Samples of a piece between two places where its error is measured, and between which its length is straight. */
enum { TEST_SAMPLES = 7, ERROR_SAMPLES = 12, LENGTH_SAMPLES = 8, MAX_SPLITS = 8 };

/* Knot i of cv_count + order. */
static double knot_at(const bwi_curve *c, uint32_t i) {
    if (!c->knots) {
        const uint32_t spans = c->cv_count - c->order + 1;
        return i < c->order ? 0 : i >= c->cv_count ? spans : i - c->order + 1;
    }
    if (!c->short_knots)
        return (double)c->knots[i];
    const uint32_t last = c->cv_count + c->order - 3;
    return (double)c->knots[i == 0 ? 0 : i - 1 < last ? i - 1 : last];
}

static bool knots_ascend(const bwi_curve *c) {
    if (c->order < 2 || c->order > BWI_MAX_ORDER || c->order > c->cv_count)
        return false;
    for (uint32_t i = 0; c->knots && i < c->cv_count + c->order; i++) {
        if (!bwi_is_finite(knot_at(c, i)) || (i > 0 && knot_at(c, i) < knot_at(c, i - 1)))
            return false;
    }
    return knot_at(c, c->order - 1) < knot_at(c, c->cv_count);
}

/* Segments of the form; 0: there are too few control points for one. */
static uint32_t count_segments(const bwi_curve *c) {
    const uint32_t n = c->cv_count;
    switch (c->form) {
    case BWI_FORM_LINEAR:
        return n < 2 ? 0 : c->closed ? n : n - 1;
    case BWI_FORM_BEZIER:
        /* Control points that are left over are joined by straight lines. */
        if (c->closed)
            return n >= 3 && n % 3 == 0 ? n / 3 : 0;
        return n < 4 ? 0 : (n - 1) / 3 + (n - 1) % 3;
    case BWI_FORM_BSPLINE:
    case BWI_FORM_CATMULL_ROM:
        return n < (c->closed ? 3 : 4) ? 0 : c->closed ? n : n - 3;
    case BWI_FORM_HERMITE:
        return n < 4 ? 0 : c->closed && n % 2 == 0 ? n / 2 : n / 2 - 1;
    case BWI_FORM_POWER:
        return n / 4;
    case BWI_FORM_NURBS:
        return knots_ascend(c) ? n - c->order + 1 : 0;
    }
    return 0;
}

bool bwi_curve_prepare(bwi_curve *curve) {
    curve->segment_count = count_segments(curve);
    if (curve->segment_count > 0)
        return true;
    curve->form = BWI_FORM_LINEAR;
    curve->knots = curve->weights = NULL;
    curve->segment_count = count_segments(curve);
    return false;
}

bool bwi_curve_segment_is_empty(const bwi_curve *c, uint32_t segment) {
    return c->form == BWI_FORM_NURBS && !(knot_at(c, segment + c->order - 1) < knot_at(c, segment + c->order));
}

static void mix_nurbs(bwi_curve_mix *mix, const bwi_curve *c, bwi_curve_point at) {
    const uint32_t p = c->order - 1, span = at.segment + p;
    const double from = knot_at(c, span), to = knot_at(c, span + 1), t = (double)at.t;
    const double u = from + t * (to - from);
    double left[BWI_MAX_ORDER], right[BWI_MAX_ORDER];
    mix->count = c->order;
    mix->shares[0] = 1;
    for (uint32_t j = 1; j <= p; j++) {
        left[j] = u - knot_at(c, span + 1 - j);
        right[j] = knot_at(c, span + j) - u;
        double saved = 0;
        for (uint32_t r = 0; r < j; r++) {
            const double width = right[r + 1] + left[j - r];
            const double term = width > 0 ? mix->shares[r] / width : 0;
            mix->shares[r] = saved + right[r + 1] * term;
            saved = left[j - r] * term;
        }
        mix->shares[j] = saved;
    }
    for (uint32_t j = 0; j <= p; j++)
        mix->cvs[j] = at.segment + j;
}

/* Four control points from `first` on, round the end of a closed curve. */
static void take_four(bwi_curve_mix *mix, const bwi_curve *c, uint32_t first) {
    mix->count = 4;
    for (uint32_t j = 0; j < 4; j++)
        mix->cvs[j] = first + j < c->cv_count ? first + j : (first + j) % c->cv_count;
}

static void mix_line(bwi_curve_mix *mix, const bwi_curve *c, uint32_t first, double t) {
    mix->count = 2;
    mix->cvs[0] = first;
    mix->cvs[1] = first + 1 < c->cv_count ? first + 1 : 0;
    mix->shares[0] = 1 - t;
    mix->shares[1] = t;
}

static void mix_cubic(bwi_curve_mix *mix, const bwi_curve *c, bwi_curve_point at) {
    const double t = (double)at.t, s = 1 - t, t2 = t * t, t3 = t2 * t;
    double *w = mix->shares;
    switch (c->form) {
    case BWI_FORM_BEZIER:
        if (!c->closed && at.segment >= (c->cv_count - 1) / 3) {
            mix_line(mix, c, 3 * ((c->cv_count - 1) / 3) + at.segment - (c->cv_count - 1) / 3, t);
            break;
        }
        take_four(mix, c, 3 * at.segment);
        w[0] = s * s * s;
        w[1] = 3 * s * s * t;
        w[2] = 3 * s * t2;
        w[3] = t3;
        break;
    case BWI_FORM_BSPLINE:
        take_four(mix, c, at.segment);
        w[0] = s * s * s / 6;
        w[1] = (3 * t3 - 6 * t2 + 4) / 6;
        w[2] = (-3 * t3 + 3 * t2 + 3 * t + 1) / 6;
        w[3] = t3 / 6;
        break;
    case BWI_FORM_CATMULL_ROM:
        take_four(mix, c, at.segment);
        w[0] = 0.5 * (-t3 + 2 * t2 - t);
        w[1] = 0.5 * (3 * t3 - 5 * t2 + 2);
        w[2] = 0.5 * (-3 * t3 + 4 * t2 + t);
        w[3] = 0.5 * (t3 - t2);
        break;
    case BWI_FORM_HERMITE:
        take_four(mix, c, 2 * at.segment);
        w[0] = 2 * t3 - 3 * t2 + 1;
        w[1] = t3 - 2 * t2 + t;
        w[2] = -2 * t3 + 3 * t2;
        w[3] = t3 - t2;
        break;
    default:
        take_four(mix, c, 4 * at.segment);
        w[0] = t3;
        w[1] = t2;
        w[2] = t;
        w[3] = 1;
        break;
    }
}

/* Shares by which other values than positions are mixed: never below 0, sum 1. */
static void mix_values(bwi_curve_mix *mix, const bwi_curve *c, bwi_curve_point at) {
    const double t = (double)at.t;
    memset(mix->values, 0, mix->count * sizeof *mix->values);
    if (c->form == BWI_FORM_CATMULL_ROM) { /* passes through its middle two, and overshoots */
        mix->values[1] = 1 - t;
        mix->values[2] = t;
    } else if (c->form == BWI_FORM_HERMITE) { /* the others are tangents */
        mix->values[0] = 1 - t;
        mix->values[2] = t;
    } else if (c->form == BWI_FORM_POWER) { /* coefficients: values are taken to run along */
        const double u = 3 * t;
        const uint32_t first = u < 1 ? 0 : u < 2 ? 1 : 2;
        mix->values[first] = 1 - (u - first);
        mix->values[first + 1] = u - first;
    } else {
        memcpy(mix->values, mix->shares, mix->count * sizeof *mix->values);
    }
}

void bwi_curve_share(bwi_curve_mix *mix, const bwi_curve *curve, bwi_curve_point at) {
    if (curve->form == BWI_FORM_LINEAR)
        mix_line(mix, curve, at.segment, (double)at.t);
    else if (curve->form == BWI_FORM_NURBS)
        mix_nurbs(mix, curve, at);
    else
        mix_cubic(mix, curve, at);
    if (curve->weights) {
        double sum = 0;
        for (uint32_t j = 0; j < mix->count; j++)
            sum += mix->shares[j] *= (double)curve->weights[mix->cvs[j]];
        for (uint32_t j = 0; j < mix->count; j++)
            mix->shares[j] /= sum;
    }
}

void bwi_curve_mix_at(bwi_curve_mix *mix, const bwi_curve *curve, bwi_curve_point at) {
    bwi_curve_share(mix, curve, at);
    mix_values(mix, curve, at);
}

/* ---- many places on one curve ---- */

/* A curve being measured.  Cubic segments are turned into polynomials, one at a time: that is several times as fast as their bases. */
typedef struct ruler {
    const bwi_curve *curve;
    const double *cvs;
    uint32_t segment; /* of the polynomial; BW_NO_INDEX: none yet */
    bwi_vec3 c[4];    /* of 1, t, t², t³ */
} ruler;

static bool is_straight(const bwi_curve *c, uint32_t segment) {
    return c->form == BWI_FORM_LINEAR || (c->form == BWI_FORM_NURBS && c->order == 2) ||
           (c->form == BWI_FORM_BEZIER && !c->closed && segment >= (c->cv_count - 1) / 3);
}

static bool is_polynomial(const bwi_curve *c, uint32_t segment) {
    return c->form != BWI_FORM_NURBS && !c->weights && !is_straight(c, segment);
}

static bwi_vec3 mixed(const bwi_curve *curve, const double *cvs, bwi_curve_point at) {
    bwi_curve_mix mix;
    bwi_curve_share(&mix, curve, at);
    bwi_vec3 p = {0, 0, 0};
    for (uint32_t j = 0; j < mix.count; j++) {
        const double *cv = cvs + 3 * (size_t)mix.cvs[j];
        p.x += mix.shares[j] * cv[0];
        p.y += mix.shares[j] * cv[1];
        p.z += mix.shares[j] * cv[2];
    }
    return p;
}

static void load_segment(ruler *r, uint32_t segment) {
    /* Rows: of 1, t, t², t³; columns: control points. */
    static const double MATRICES[][4][4] = {
        [BWI_FORM_BEZIER] = {{1, 0, 0, 0}, {-3, 3, 0, 0}, {3, -6, 3, 0}, {-1, 3, -3, 1}},
        [BWI_FORM_BSPLINE] = {{1 / 6., 4 / 6., 1 / 6., 0},
                              {-0.5, 0, 0.5, 0},
                              {0.5, -1, 0.5, 0},
                              {-1 / 6., 0.5, -0.5, 1 / 6.}},
        [BWI_FORM_CATMULL_ROM] = {{0, 1, 0, 0}, {-0.5, 0, 0.5, 0}, {1, -2.5, 2, -0.5}, {-0.5, 1.5, -1.5, 0.5}},
        [BWI_FORM_HERMITE] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {-3, -2, 3, -1}, {2, 1, -2, 1}},
        [BWI_FORM_POWER] = {{0, 0, 0, 1}, {0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}},
    };
    bwi_curve_mix mix;
    bwi_curve_share(&mix, r->curve, (bwi_curve_point){segment, 0}); /* for its control points */
    for (int row = 0; row < 4; row++) {
        r->c[row] = (bwi_vec3){0, 0, 0};
        for (uint32_t j = 0; j < 4; j++) {
            const double *cv = r->cvs + 3 * (size_t)mix.cvs[j], part = MATRICES[r->curve->form][row][j];
            r->c[row] = bwi_vec3_add(r->c[row], (bwi_vec3){part * cv[0], part * cv[1], part * cv[2]});
        }
    }
    r->segment = segment;
}

static bwi_vec3 look(ruler *r, bwi_curve_point at) {
    if (!is_polynomial(r->curve, at.segment))
        return mixed(r->curve, r->cvs, at);
    if (r->segment != at.segment)
        load_segment(r, at.segment);
    const double t = (double)at.t;
    const bwi_vec3 *c = r->c;
    return (bwi_vec3){c[0].x + t * (c[1].x + t * (c[2].x + t * c[3].x)),
                      c[0].y + t * (c[1].y + t * (c[2].y + t * c[3].y)),
                      c[0].z + t * (c[1].z + t * (c[2].z + t * c[3].z))};
}

static bool append(bwi_curve_points *points, bwi_curve_point point) {
    if (points->count == points->capacity) {
        const size_t capacity = points->capacity ? 2 * points->capacity : 64;
        bwi_curve_point *data = bwi_realloc(points->mem, points->data, capacity, sizeof *data);
        if (!data)
            return false;
        points->data = data;
        points->capacity = capacity;
    }
    points->data[points->count++] = point;
    return true;
}

/* Squared distance of a point from the line between two. */
static double distance2(bwi_vec3 p, bwi_vec3 a, bwi_vec3 b) {
    const bwi_vec3 ab = bwi_vec3_sub(b, a), ap = bwi_vec3_sub(p, a);
    const double length2 = bwi_vec3_dot(ab, ab);
    double t = length2 > 0 ? bwi_vec3_dot(ap, ab) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const bwi_vec3 off = bwi_vec3_sub(ap, bwi_vec3_scale(ab, t));
    return bwi_vec3_dot(off, off);
}

typedef struct flattener {
    bwi_curve_points *points;
    ruler ruler;
    double tolerance2;
    size_t end; /* of points */
} flattener;

/* Appends what is needed between two places of a segment, without either. */
static bool split(flattener *f, uint32_t segment, double from, bwi_vec3 a, double to, bwi_vec3 b, int depth) {
    if (depth == MAX_SPLITS || f->points->count >= f->end)
        return true;
    double worst = 0;
    for (int k = 1; k <= TEST_SAMPLES; k++) {
        const double t = from + (to - from) * k / (TEST_SAMPLES + 1);
        const double d = distance2(look(&f->ruler, (bwi_curve_point){segment, (float)t}), a, b);
        worst = d > worst ? d : worst;
    }
    if (worst <= f->tolerance2)
        return true;
    const bwi_curve_point middle = {segment, (float)(0.5 * (from + to))};
    const bwi_vec3 m = look(&f->ruler, middle);
    return split(f, segment, from, a, (double)middle.t, m, depth + 1) && append(f->points, middle) &&
           split(f, segment, (double)middle.t, m, to, b, depth + 1);
}

static bool same_place(bwi_vec3 a, bwi_vec3 b) {
    return (float)a.x == (float)b.x && (float)a.y == (float)b.y && (float)a.z == (float)b.z;
}

bool bwi_curve_flatten(bwi_curve_points *points, const bwi_curve *curve, const double *cvs, double tolerance,
                       size_t most) {
    /* What lies between the samples may be a little farther off than they are: it is measured afterwards. */
    const double goal = 0.95 * tolerance;
    flattener f = {points, {curve, cvs, BW_NO_INDEX, {{0, 0, 0}}}, goal * goal, points->count + most};
    uint32_t last = 0;
    bool any = false;
    bwi_vec3 end = {0, 0, 0};
    for (uint32_t s = 0; s < curve->segment_count && points->count < f.end; s++) {
        if (bwi_curve_segment_is_empty(curve, s))
            continue;
        const bwi_vec3 start = look(&f.ruler, (bwi_curve_point){s, 0});
        /* Segments of power curves need not meet. */
        if (any && curve->form == BWI_FORM_POWER && !same_place(end, start) &&
            !append(points, (bwi_curve_point){last, 1}))
            return false;
        end = look(&f.ruler, (bwi_curve_point){s, 1});
        if (!append(points, (bwi_curve_point){s, 0}) || (!is_straight(curve, s) && !split(&f, s, 0, start, 1, end, 0)))
            return false;
        last = s;
        any = true;
    }
    return append(points, (bwi_curve_point){last, 1});
}

static double length_between(bwi_vec3 a, bwi_vec3 b) {
    return bwi_vec3_length(bwi_vec3_sub(b, a));
}

/* Walks a curve in short straight steps. */
typedef struct walker {
    ruler ruler;
    bwi_curve_point from, to; /* of the step */
    bwi_vec3 start, end;
    uint32_t segment;
    int step, steps; /* of the segment; steps 0: none has begun */
} walker;

static bool walk(walker *w) {
    if (w->steps == 0 || w->step == w->steps) {
        if (w->steps > 0)
            w->segment++;
        while (w->segment < w->ruler.curve->segment_count && bwi_curve_segment_is_empty(w->ruler.curve, w->segment))
            w->segment++;
        if (w->segment >= w->ruler.curve->segment_count)
            return false;
        w->steps = is_straight(w->ruler.curve, w->segment) ? 1 : LENGTH_SAMPLES;
        w->step = 0;
        w->to = (bwi_curve_point){w->segment, 0};
        w->end = look(&w->ruler, w->to);
    }
    w->step++;
    w->from = w->to;
    w->start = w->end;
    w->to.t = (float)w->step / (float)w->steps;
    w->end = look(&w->ruler, w->to);
    return true;
}

bool bwi_curve_spread(bwi_curve_points *points, const bwi_curve *curve, const double *cvs, uint32_t count) {
    double total = 0;
    bwi_curve_point first = {0, 0}, last = {0, 0};
    bool any = false;
    for (walker w = {.ruler = {curve, cvs, BW_NO_INDEX, {{0, 0, 0}}}}; walk(&w);) {
        total += length_between(w.start, w.end);
        if (!any)
            first = w.from;
        any = true;
        last = w.to;
    }
    if (!(total > 0))
        return true;
    if (!append(points, first))
        return false;
    uint32_t next = 1;
    double before = 0;
    for (walker w = {.ruler = {curve, cvs, BW_NO_INDEX, {{0, 0, 0}}}}; next + 1 < count && walk(&w);) {
        const double length = length_between(w.start, w.end);
        for (; next + 1 < count; next++) {
            const double want = total * next / (count - 1);
            if (!(want <= before + length))
                break;
            const double part = length > 0 ? (want - before) / length : 0;
            const double t = (double)w.from.t + part * ((double)w.to.t - (double)w.from.t);
            if (!append(points, (bwi_curve_point){w.from.segment, (float)(t < 0 ? 0 : t > 1 ? 1 : t)}))
                return false;
        }
        before += length;
    }
    for (; next < count; next++) {
        if (!append(points, last))
            return false;
    }
    return true;
}

double bwi_curve_error(const bwi_curve *curve, const double *cvs, const bwi_curve_point *points, size_t count) {
    double worst = 0;
    ruler r = {curve, cvs, BW_NO_INDEX, {{0, 0, 0}}};
    bwi_vec3 b = look(&r, points[0]);
    for (size_t i = 0; i + 1 < count; i++) {
        const bwi_curve_point from = points[i], to = points[i + 1];
        const bwi_vec3 a = b;
        b = look(&r, to);
        for (uint32_t s = from.segment; s <= to.segment; s++) {
            if (bwi_curve_segment_is_empty(curve, s))
                continue;
            const double t0 = s == from.segment ? (double)from.t : 0, t1 = s == to.segment ? (double)to.t : 1;
            const int steps = is_straight(curve, s) ? 1 : ERROR_SAMPLES;
            for (int k = s == from.segment; k <= steps - (s == to.segment); k++) {
                const bwi_curve_point at = {s, (float)(t0 + (t1 - t0) * k / steps)};
                const double d = distance2(look(&r, at), a, b);
                worst = d > worst ? d : worst;
            }
        }
    }
    return bwi_sqrt(worst);
}
