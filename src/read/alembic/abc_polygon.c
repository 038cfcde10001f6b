/* SPDX-License-Identifier: MIT
 * Polygons cut into triangles: fans where they hold, else ears, one after the other.  What decides is the polygon laid flat along the axis that its
 * normal is nearest to, in double, so that a face is cut the same way everywhere.
 * Source: Newell's normal, in Sutherland, Sproull and Schumacker, "A Characterization of Ten Hidden-Surface Algorithms", 1974; Meisters, "Polygons have
 * ears", 1975. */
#include "read/alembic/abc_priv.h"

/* Tests of a point in a triangle, per pair of corners, before a polygon is taken for one that has no ears. */
enum { TESTS_A_PAIR = 16 };

typedef struct polygon {
    double x[BWI_ABC_CUT_MAX], y[BWI_ABC_CUT_MAX]; /* counter-clockwise */
    uint16_t before[BWI_ABC_CUT_MAX], after[BWI_ABC_CUT_MAX];
    bool convex[BWI_ABC_CUT_MAX]; /* turns left */
    bool ear[BWI_ABC_CUT_MAX];    /* as it was when last looked at */
    uint32_t left;                /* corners that are not cut off */
    uint64_t tests;               /* that may still be made */
} polygon;

static bwi_vec3 corner_at(const bw_alembic_sample *points, const bwi_abc_faces *faces, uint32_t corner) {
    const uint64_t point = 3 * (uint64_t)bwi_abc_int(&faces->indices, corner);
    return (bwi_vec3){(double)bwi_abc_float(points, point), (double)bwi_abc_float(points, point + 1),
                      (double)bwi_abc_float(points, point + 2)};
}

/* Lays the polygon flat.  False if it has no size. */
static bool flatten(polygon *g, const bw_alembic_sample *points, const bwi_abc_faces *faces, uint32_t first,
                    uint32_t count) {
    const bwi_vec3 origin = corner_at(points, faces, first);
    bwi_vec3 normal = {0, 0, 0}, p = bwi_vec3_sub(corner_at(points, faces, first + count - 1), origin);
    for (uint32_t k = 0; k < count; k++) {
        const bwi_vec3 q = bwi_vec3_sub(corner_at(points, faces, first + k), origin);
        normal.x += (p.y - q.y) * (p.z + q.z);
        normal.y += (p.z - q.z) * (p.x + q.x);
        normal.z += (p.x - q.x) * (p.y + q.y);
        p = q;
    }
    const double x = normal.x < 0 ? -normal.x : normal.x, y = normal.y < 0 ? -normal.y : normal.y,
                 z = normal.z < 0 ? -normal.z : normal.z;
    const int axis = x > y && x > z ? 0 : y > z ? 1 : 2;
    const double along = axis == 0 ? normal.x : axis == 1 ? normal.y : normal.z;
    if (!(along != 0.0 && along - along == 0.0))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        const bwi_vec3 q = bwi_vec3_sub(corner_at(points, faces, first + k), origin);
        const double u = axis == 0 ? q.y : axis == 1 ? q.z : q.x, v = axis == 0 ? q.z : axis == 1 ? q.x : q.y;
        g->x[k] = along > 0.0 ? u : v;
        g->y[k] = along > 0.0 ? v : u;
    }
    return true;
}

/* Twice the area of a triangle; above 0 if it runs counter-clockwise. */
static double area(const polygon *g, uint32_t a, uint32_t b, uint32_t c) {
    return (g->x[b] - g->x[a]) * (g->y[c] - g->y[a]) - (g->y[b] - g->y[a]) * (g->x[c] - g->x[a]);
}

/* Triangles of a fan that all run the polygon's way cover it once. */
static bool is_fan(const polygon *g, uint32_t count) {
    for (uint32_t k = 1; k + 1 < count; k++)
        if (area(g, 0, k, k + 1) < 0.0)
            return false;
    return true;
}

static bool is_at(const polygon *g, uint32_t a, uint32_t b) {
    return g->x[a] == g->x[b] && g->y[a] == g->y[b];
}

/* Whether nothing of the polygon lies in the triangle that cutting off a corner makes.  Corners in the same place as one of its own are the seam of
 * a hole. */
static bool is_ear(polygon *g, uint32_t b) {
    const uint32_t a = g->before[b], c = g->after[b];
    if (!g->convex[b])
        return false;
    for (uint32_t v = g->after[c]; v != a; v = g->after[v]) {
        if (g->convex[v])
            continue;
        if (g->tests == 0)
            return false;
        g->tests--;
        if (area(g, a, b, v) >= 0.0 && area(g, b, c, v) >= 0.0 && area(g, c, a, v) >= 0.0 && !is_at(g, v, a) &&
            !is_at(g, v, b) && !is_at(g, v, c))
            return false;
    }
    return true;
}

static void look_at(polygon *g, uint32_t corner) {
    g->convex[corner] = area(g, g->before[corner], corner, g->after[corner]) > 0.0;
}

/* The next corner to cut off, from `from` on; count: there is none. */
static uint32_t find_ear(polygon *g, uint32_t from, uint32_t count) {
    uint32_t v = from;
    for (uint32_t k = 0; k < g->left; k++, v = g->after[v])
        if (g->ear[v])
            return v;
    /* What hid an ear may be gone. */
    for (uint32_t k = 0; k < g->left && g->tests > 0; k++, v = g->after[v])
        if ((g->ear[v] = is_ear(g, v)))
            return v;
    /* A corner on a straight edge, or a spike, has no area to be wrong with. */
    for (uint32_t k = 0; k < g->left && g->tests > 0; k++, v = g->after[v])
        if (area(g, g->before[v], v, g->after[v]) == 0.0)
            return v;
    return count;
}

static void put(bwi_abc_cuts *cuts, uint32_t triangle, uint32_t a, uint32_t b, uint32_t c) {
    cuts->corners[triangle][0] = (uint16_t)a;
    cuts->corners[triangle][1] = (uint16_t)b;
    cuts->corners[triangle][2] = (uint16_t)c;
}

static bool cut_ears(bwi_abc_cuts *cuts, polygon *g, uint32_t count) {
    g->left = count;
    g->tests = (uint64_t)TESTS_A_PAIR * count * count;
    for (uint32_t k = 0; k < count; k++) {
        g->before[k] = (uint16_t)(k > 0 ? k - 1 : count - 1);
        g->after[k] = (uint16_t)(k + 1 < count ? k + 1 : 0);
    }
    for (uint32_t k = 0; k < count; k++)
        look_at(g, k);
    for (uint32_t k = 0; k < count; k++)
        g->ear[k] = is_ear(g, k);
    uint32_t from = 0;
    for (uint32_t triangle = 0; triangle + 2 < count; triangle++) {
        const uint32_t v = find_ear(g, from, count);
        if (v == count)
            return false;
        const uint32_t a = g->before[v], c = g->after[v];
        put(cuts, triangle, a, v, c);
        g->after[a] = (uint16_t)c;
        g->before[c] = (uint16_t)a;
        g->left--;
        look_at(g, a);
        look_at(g, c);
        g->ear[a] = is_ear(g, a);
        g->ear[c] = is_ear(g, c);
        from = g->after[c]; /* cutting every other corner leaves fewer slivers */
    }
    return true;
}

bool bwi_abc_cut(bwi_abc_cuts *cuts, const bw_alembic_sample *points, const bwi_abc_faces *faces, uint32_t first,
                 uint32_t count) {
    polygon g;
    return count > 3 && count <= BWI_ABC_CUT_MAX && flatten(&g, points, faces, first, count) && !is_fan(&g, count) &&
           cut_ears(cuts, &g, count);
}

uint32_t bwi_abc_cut_corner(const bwi_abc_cuts *cuts, bool cut, uint32_t triangle, uint32_t which) {
    return cut ? cuts->corners[triangle][which] : which > 0 ? triangle + which : 0;
}
