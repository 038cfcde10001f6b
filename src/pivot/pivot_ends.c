/* SPDX-License-Identifier: MIT
 * By what an element may hang on another: open rings, as tubes have them, and what lies at either end of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pivot/pivot_priv.h"

enum {
    CHUNK = 64,       /* elements a task */
    MOST_ENDS = 64,   /* of an element */
    RING_SAMPLES = 8, /* points of a ring, and of an end */
    CARD_POINTS = 16  /* a sheet of no more points is looked at everywhere on its border */
};
#define RING_SHARE 0.35 /* of an element's length: a wider ring is its outline */
#define END_SHARE 0.1   /* of its length: as near to its farthest point is its end */
#define SHEET_SHARE 0.5 /* of its area that faces one way: more is a sheet */
#define CORNER_HANDICAP \
    0.05                /* of its length: cards hang by the middle of a side, though a corner may happen to be nearer */
#define FOOT_SHARE 0.02 /* of its length: as near to its lowest point is its foot */

typedef struct face {
    uint32_t points[3]; /* ascending */
    uint32_t triangle;
} face;

typedef struct edge {
    uint32_t points[2]; /* ascending */
} edge;

typedef struct finder {
    const bwi_pivot_work *work;
    const bwi_pivot_surface *surface;
    const uint32_t *points; /* [V] */
    bwi_pivot_ends *out;
    face *
        faces; /* [triangles], as all below: the element's own begin at its first triangle, three times where there are corners */
    edge *edges;         /* [3 · triangles] */
    uint32_t *members;   /* [3 · triangles] its points, ascending */
    uint32_t *sets;      /* [3 · triangles] of members */
    uint32_t *degrees;   /* [3 · triangles] of members: edges of the border */
    uint32_t *starts;    /* [3 · triangles] of sets in order */
    uint32_t *order;     /* [3 · triangles] points by set */
    uint32_t *counts;    /* [elements] ends */
    uint32_t *first_end; /* [elements] where there is room for its ends */
} finder;

typedef struct element {
    const finder *f;
    uint32_t number, face_count, border_count, member_count;
    face *faces;
    edge *edges; /* then the border first */
    uint32_t *members, *sets, *degrees, *starts, *order;
    double from[3], to[3]; /* its farthest points */
    double length;
    uint32_t *count;
    bwi_pivot_end *ends;
    uint32_t room;
} element;

static const float *place_of(const element *e, uint32_t point) {
    return e->f->work->positions + 3 * (size_t)point;
}

static double distance(const float *p, const double q[3]) {
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += ((double)p[k] - q[k]) * ((double)p[k] - q[k]);
    return bwi_sqrt(square);
}

static int compare_uints(const uint32_t *a, const uint32_t *b, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    }
    return 0;
}

static int compare_faces(const void *a, const void *b) {
    const face *x = a, *y = b;
    const int order = compare_uints(x->points, y->points, 3);
    return order ? order : compare_uints(&x->triangle, &y->triangle, 1);
}

static int compare_edges(const void *a, const void *b) {
    return compare_uints(((const edge *)a)->points, ((const edge *)b)->points, 2);
}

static int compare_points(const void *a, const void *b) {
    return compare_uints(a, b, 1);
}

/* Faces with area, each once: a leaf that is drawn from both sides is one sheet. */
static void take_faces(element *e) {
    const bwi_pivot_surface *s = e->f->surface;
    uint32_t all = 0;
    for (uint32_t i = s->first[e->number]; i < s->first[e->number + 1]; i++) {
        const uint32_t *corners = s->triangles[s->order[i]], *points = e->f->points;
        face f = {{points[corners[0]], points[corners[1]], points[corners[2]]}, s->order[i]};
        for (int k = 0; k < 3; k++) /* three swaps sort three */
            if (f.points[k % 2] > f.points[k % 2 + 1]) {
                const uint32_t kept = f.points[k % 2];
                f.points[k % 2] = f.points[k % 2 + 1];
                f.points[k % 2 + 1] = kept;
            }
        memcpy(e->members + 3 * (size_t)(i - s->first[e->number]), f.points, sizeof f.points);
        if (f.points[0] != f.points[1] && f.points[1] != f.points[2])
            e->faces[all++] = f;
    }
    qsort(e->faces, all, sizeof *e->faces, compare_faces);
    for (uint32_t i = 0; i < all; i++) {
        if (i == 0 || compare_uints(e->faces[i].points, e->faces[i - 1].points, 3) != 0)
            e->faces[e->face_count++] = e->faces[i];
    }
}

/* Also of faces without area: an element of nothing else still has a place. */
static void take_members(element *e) {
    const bwi_pivot_surface *s = e->f->surface;
    const uint32_t corners = 3 * (s->first[e->number + 1] - s->first[e->number]);
    qsort(e->members, corners, sizeof *e->members, compare_points);
    for (uint32_t i = 0; i < corners; i++) {
        if (i == 0 || e->members[i] != e->members[i - 1])
            e->members[e->member_count++] = e->members[i];
    }
}

static void take_border(element *e) {
    static const int sides[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    uint32_t all = 0;
    for (uint32_t i = 0; i < e->face_count; i++) {
        for (int k = 0; k < 3; k++)
            e->edges[all++] = (edge){{e->faces[i].points[sides[k][0]], e->faces[i].points[sides[k][1]]}};
    }
    qsort(e->edges, all, sizeof *e->edges, compare_edges);
    for (uint32_t i = 0, next; i < all; i = next) {
        for (next = i + 1; next < all && compare_edges(&e->edges[i], &e->edges[next]) == 0; next++) {}
        if (next == i + 1)
            e->edges[e->border_count++] = e->edges[i];
    }
}

/* From the point farthest from the middle to that farthest from it. */
static void take_length(element *e) {
    double middle[3] = {0, 0, 0};
    for (uint32_t i = 0; i < e->member_count; i++) {
        for (int k = 0; k < 3; k++)
            middle[k] += (double)place_of(e, e->members[i])[k] / e->member_count;
    }
    for (int turn = 0; turn < 2; turn++) {
        double *found = turn == 0 ? e->from : e->to, most = -1;
        for (uint32_t i = 0; i < e->member_count; i++) {
            const float *p = place_of(e, e->members[i]);
            const double off = distance(p, turn == 0 ? middle : e->from);
            if (off > most) {
                most = off;
                for (int k = 0; k < 3; k++)
                    found[k] = (double)p[k];
            }
        }
        e->length = most;
    }
}

static void measure(element *e) {
    double area = 0, lowest = HUGE_VAL, facing[3] = {0, 0, 0}, foot[3] = {0, 0, 0};
    uint32_t standing = 0;
    for (uint32_t i = 0; i < e->face_count; i++) {
        const uint32_t *corners = e->f->surface->triangles[e->faces[i].triangle];
        const float *a = place_of(e, corners[0]), *b = place_of(e, corners[1]), *c = place_of(e, corners[2]);
        const bwi_vec3 ab = {(double)b[0] - (double)a[0], (double)b[1] - (double)a[1], (double)b[2] - (double)a[2]};
        const bwi_vec3 ac = {(double)c[0] - (double)a[0], (double)c[1] - (double)a[1], (double)c[2] - (double)a[2]};
        const bwi_vec3 n = bwi_vec3_scale(bwi_vec3_cross(ab, ac), 0.5);
        area += bwi_vec3_length(n);
        facing[0] += n.x;
        facing[1] += n.y;
        facing[2] += n.z;
    }
    for (uint32_t i = 0; i < e->member_count; i++)
        lowest = fmin(lowest, (double)place_of(e, e->members[i])[1]);
    for (uint32_t i = 0; i < e->member_count; i++) {
        const float *p = place_of(e, e->members[i]);
        if (!((double)p[1] <= lowest + FOOT_SHARE * e->length))
            continue;
        for (int k = 0; k < 3; k++)
            foot[k] += (double)p[k];
        standing++;
    }
    const bwi_pivot_ends *out = e->f->out;
    for (int k = 0; k < 3; k++)
        out->feet[e->number][k] = foot[k] / standing;
    out->lengths[e->number] = e->length;
    out->areas[e->number] = area;
    out->sheets[e->number] =
        bwi_sqrt(facing[0] * facing[0] + facing[1] * facing[1] + facing[2] * facing[2]) > SHEET_SHARE * area;
}

static void add_end(element *e, const float p[3], const double pivot[3], double ring, double handicap) {
    if (*e->count == e->room)
        return;
    bwi_pivot_end *end = &e->ends[(*e->count)++];
    end->element = e->number;
    end->ring = (float)ring;
    end->handicap = (float)handicap;
    for (int k = 0; k < 3; k++) {
        end->p[k] = p[k];
        end->pivot[k] = pivot[k];
    }
}

/* Some of a set's points, evenly by number, and their middle, for which they stand. */
static void add_set(element *e, const uint32_t *set, uint32_t count, const double middle[3], double ring) {
    const float at[3] = {(float)middle[0], (float)middle[1], (float)middle[2]};
    const uint32_t wanted = count < RING_SAMPLES ? count : RING_SAMPLES;
    add_end(e, at, middle, ring, 0);
    for (uint32_t k = 0; k < wanted; k++)
        add_end(e, place_of(e, set[(uint64_t)k * count / wanted]), middle, ring, 0);
}

static uint32_t member_of(const element *e, uint32_t point) {
    const uint32_t *found = bsearch(&point, e->members, e->member_count, sizeof *e->members, compare_points);
    return (uint32_t)(found - e->members);
}

static void middle_of(double middle[3], const element *e, const uint32_t *set, uint32_t count) {
    middle[0] = middle[1] = middle[2] = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            middle[k] += (double)place_of(e, set[i])[k] / count;
    }
}

/* Loops of the border: sets of its members that edges join.  Out: order — points by set; starts — where the set of a root ends. */
static void sort_border(element *e) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < e->member_count; i++) {
        e->sets[i] = i;
        e->degrees[i] = e->starts[i] = 0;
    }
    for (uint32_t i = 0; i < e->border_count; i++) {
        const uint32_t a = member_of(e, e->edges[i].points[0]), b = member_of(e, e->edges[i].points[1]);
        bwi_set_join(e->sets, a, b);
        e->degrees[a]++;
        e->degrees[b]++;
    }
    for (uint32_t i = 0; i < e->member_count; i++) {
        e->sets[i] = bwi_set_root(e->sets, i);
        e->starts[e->sets[i]] += e->degrees[i] > 0;
    }
    for (uint32_t i = 0; i < e->member_count; i++) {
        const uint32_t count = e->starts[i];
        e->starts[i] = total;
        total += count;
    }
    for (uint32_t i = 0; i < e->member_count; i++) {
        if (e->degrees[i] > 0)
            e->order[e->starts[e->sets[i]]++] = i;
    }
}

/* Closed loops that are small: open ends of a tube.  Whether there are any. */
static bool add_rings(element *e) {
    bool any = false;
    uint32_t start = 0;
    sort_border(e);
    for (uint32_t root = 0; root < e->member_count; root++) {
        const uint32_t end = e->starts[root], count = end - start;
        uint32_t *set = e->order + start;
        bool closed = count >= 3;
        start = end;
        for (uint32_t i = 0; i < count; i++) {
            closed = closed && e->degrees[set[i]] == 2;
            set[i] = e->members[set[i]];
        }
        if (!closed || *e->count + RING_SAMPLES + 1 > e->room)
            continue;
        double middle[3], radius = 0;
        middle_of(middle, e, set, count);
        for (uint32_t i = 0; i < count; i++)
            radius = fmax(radius, distance(place_of(e, set[i]), middle));
        if (!(radius > 0) || radius > RING_SHARE * e->length)
            continue;
        add_set(e, set, count, middle, radius);
        any = true;
    }
    return any;
}

/* What lies at an end of the element, unless a ring tells of it. */
static void add_end_of(element *e, const double from[3], const double to[3], bool has_rings) {
    const bwi_vec3 along = bwi_vec3_normalize((bwi_vec3){to[0] - from[0], to[1] - from[1], to[2] - from[2]});
    uint32_t count = 0, on_border = 0;
    for (uint32_t i = 0; i < e->member_count; i++) {
        const float *p = place_of(e, e->members[i]);
        const bwi_vec3 off = {(double)p[0] - from[0], (double)p[1] - from[1], (double)p[2] - from[2]};
        if (!(bwi_vec3_dot(off, along) <= END_SHARE * e->length))
            continue;
        e->order[count++] = e->members[i];
        on_border += e->degrees[i] > 0;
    }
    double middle[3];
    middle_of(middle, e, e->order, count);
    if (!has_rings || 2 * on_border < count)
        add_set(e, e->order, count, middle, 0);
}

static void add_card(element *e) {
    for (uint32_t i = 0; i < e->member_count; i++) {
        const float *p = place_of(e, e->members[i]);
        add_end(e, p, (double[3]){(double)p[0], (double)p[1], (double)p[2]}, 0, CORNER_HANDICAP * e->length);
    }
    for (uint32_t i = 0; i < e->border_count; i++) {
        const float *a = place_of(e, e->edges[i].points[0]), *b = place_of(e, e->edges[i].points[1]);
        float middle[3];
        double pivot[3];
        for (int k = 0; k < 3; k++) {
            pivot[k] = 0.5 * ((double)a[k] + (double)b[k]);
            middle[k] = (float)pivot[k];
        }
        add_end(e, middle, pivot, 0, 0);
    }
}

static void find_element(const finder *f, uint32_t number) {
    const size_t first = f->surface->first[number];
    element e = {.f = f,
                 .number = number,
                 .faces = f->faces + first,
                 .edges = f->edges + 3 * first,
                 .members = f->members + 3 * first,
                 .sets = f->sets + 3 * first,
                 .degrees = f->degrees + 3 * first,
                 .starts = f->starts + 3 * first,
                 .order = f->order + 3 * first,
                 .count = &f->counts[number],
                 .ends = f->out->ends + f->first_end[number],
                 .room = f->first_end[number + 1] - f->first_end[number]};
    take_faces(&e);
    take_members(&e);
    take_border(&e);
    take_length(&e);
    measure(&e);
    const bool has_rings = add_rings(&e);
    if (f->out->sheets[number] && e.member_count <= CARD_POINTS) {
        add_card(&e);
    } else {
        add_end_of(&e, e.from, e.to, has_rings);
        add_end_of(&e, e.to, e.from, has_rings);
    }
}

static bw_result find_chunk(void *ctx, size_t chunk, uint32_t worker, bw_error *error) {
    const finder *f = ctx;
    const uint32_t first = (uint32_t)chunk * CHUNK, count = f->surface->element_count;
    (void)worker;
    for (uint32_t e = first; e < first + CHUNK && e < count; e++)
        find_element(f, e);
    return bwi_progress_step(f->work->env->progress, CHUNK) ? BW_OK : bwi_fail_cancelled(error);
}

/* Most ends that an element of so many triangles can have: points and sides of a card, or rings and two ends. */
static uint32_t room_of(uint32_t triangles) {
    return triangles < MOST_ENDS / 6 ? 6 * triangles + 2 : MOST_ENDS;
}

static bw_result allocate(finder *f) {
    const bwi_pivot_work *work = f->work;
    const size_t n = f->surface->element_count, corners = 3 * (size_t)f->surface->triangle_count;
    f->faces = bwi_pivot_alloc(work, f->surface->triangle_count, sizeof *f->faces);
    f->edges = f->faces ? bwi_pivot_alloc(work, corners, sizeof *f->edges) : NULL;
    uint32_t **arrays[] = {&f->members, &f->sets, &f->degrees, &f->starts, &f->order};
    bool fits = f->edges != NULL;
    for (size_t k = 0; fits && k < sizeof arrays / sizeof arrays[0]; k++)
        fits = (*arrays[k] = bwi_pivot_alloc(work, corners, sizeof(uint32_t))) != NULL;
    fits = fits && (f->counts = bwi_pivot_alloc(work, n, sizeof *f->counts));
    fits = fits && (f->first_end = bwi_pivot_alloc(work, n + 1, sizeof *f->first_end));
    for (size_t e = 0; fits && e < n; e++)
        f->first_end[e + 1] = f->first_end[e] + room_of(f->surface->first[e + 1] - f->surface->first[e]);
    fits = fits && (f->out->ends = bwi_pivot_alloc(work, f->first_end[n], sizeof *f->out->ends));
    fits = fits && (f->out->lengths = bwi_pivot_alloc(work, n, sizeof *f->out->lengths));
    fits = fits && (f->out->areas = bwi_pivot_alloc(work, n, sizeof *f->out->areas));
    fits = fits && (f->out->sheets = bwi_pivot_alloc(work, n, sizeof *f->out->sheets));
    fits = fits && (f->out->feet = bwi_pivot_alloc(work, n, sizeof *f->out->feet));
    return fits ? BW_OK : BW_ERR_MEMORY;
}

bw_result bwi_pivot_find_ends(bwi_pivot_ends *ends, const bwi_pivot_work *work, const bwi_pivot_surface *surface,
                              const uint32_t *points) {
    finder f = {.work = work, .surface = surface, .points = points, .out = ends};
    *ends = (bwi_pivot_ends){0};
    bw_result result = allocate(&f);
    if (result != BW_OK)
        return result;
    const uint32_t n = surface->element_count;
    bwi_progress_begin(work->env->progress, "look at parts", n);
    result = bwi_parallel_for(work->env, (n + CHUNK - 1) / CHUNK, find_chunk, &f, work->error);
    for (uint32_t e = 0; result == BW_OK && e < n; e++) {
        memmove(ends->ends + ends->count, ends->ends + f.first_end[e], f.counts[e] * sizeof *ends->ends);
        f.first_end[e] = ends->count;
        ends->count += f.counts[e];
    }
    f.first_end[n] = ends->count;
    ends->first = f.first_end;
    return result;
}
