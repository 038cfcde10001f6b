/* SPDX-License-Identifier: MIT
 * Curves become lines between their points, and points stay points, if there are as many in every sample. */
#include "read/alembic/abc_priv.h"

static const char CURVES_LEFT_OUT[] = "curves that are no lines of one number of points are left out";
static const char POINTS_LEFT_OUT[] = "points that are not the same ones in every sample are left out";

/* Tells how many attributes go without.  In: given — of those that the schema names. */
static bw_result warn_of_attributes(const bwi_abc_shape *shape, uint64_t given) {
    bwi_abc_reader *r = shape->r;
    const bw_alembic_property *arbitrary = NULL, *user = NULL;
    bw_alembic_property_list members = {0};
    BWI_ABC_TRY(bwi_abc_extras_open(&arbitrary, &user, r->archive, shape->object, r->error));
    if (arbitrary)
        BWI_ABC_TRY(bw_alembic_members(&members, r->archive, arbitrary, r->error));
    if (given + members.count > 0)
        bwi_abc_warn(shape, "attributes-left-out", given + members.count,
                     "widths, UVs and other attributes of curves and points are left out: a bake holds where they are");
    return BW_OK;
}

/* In: points — [vertex_count] of each sample's point_count. */
static bw_result place(const bwi_abc_shape *shape, const bw_alembic_property *positions, uint64_t point_count,
                       const uint32_t *points, uint32_t vertex_count) {
    bwi_abc_reader *r = shape->r;
    bw_primitive *p = shape->primitives;
    bwi_abc_positions *ctx = bwi_abc_alloc(r, r->arena, 1, sizeof *ctx);
    if (!ctx)
        return BW_ERR_MEMORY;
    *ctx = (bwi_abc_positions){r->archive, positions, point_count, vertex_count, points};
    p->vertex_count = vertex_count;
    return bwi_abc_make_vectors(r, &p->positions, &p->position_cache, bwi_abc_read_positions, ctx, vertex_count,
                                bwi_abc_is_animated(positions) ? positions : NULL);
}

/* Out: why — filled if the property's samples differ, which is left out then. */
static bw_result check_same(bool *same, bw_error *why, const bwi_abc_shape *shape, const bw_alembic_property *property,
                            bool whole, const char *wanted) {
    if (!*same || !property)
        return BW_OK;
    BWI_ABC_TRY(bwi_abc_is_same(same, shape->r->archive, property, whole, shape->r->error));
    if (!*same)
        bwi_abc_fail(why, BW_ERR_UNSUPPORTED, shape->r->archive, shape->object, property, -1,
                     "changes over time, expected %s in every frame; export the cache with constant ones", wanted);
    return BW_OK;
}

/* ---- curves ---- */

/* Points and segments of the curves that have one. */
typedef struct extent {
    uint64_t points, segments, without; /* without: curves of one point or none */
} extent;

static uint32_t segments_of(const bwi_abc_curves_sample *s, uint32_t count) {
    return count < 2 ? 0 : count - 1 + (s->periodic && count > 2);
}

static extent measure(const bwi_abc_curves_sample *s) {
    extent e = {0};
    for (uint32_t k = 0; k < s->curve_count; k++) {
        const uint32_t count = (uint32_t)bwi_abc_int(&s->counts, k), segments = segments_of(s, count);
        e.points += segments ? count : 0;
        e.segments += segments;
        e.without += segments == 0;
    }
    return e;
}

static void connect(uint32_t *points, uint32_t *indices, const bwi_abc_curves_sample *s) {
    uint32_t point = 0, vertex = 0;
    for (uint32_t k = 0; k < s->curve_count; k++) {
        const uint32_t count = (uint32_t)bwi_abc_int(&s->counts, k), segments = segments_of(s, count);
        for (uint32_t i = 0; segments && i < count; i++)
            points[vertex + i] = point + i;
        for (uint32_t i = 0; i < segments; i++) {
            *indices++ = vertex + i;
            *indices++ = vertex + (i + 1) % count;
        }
        vertex += segments ? count : 0;
        point += count;
    }
}

static bool passes_through_points(const bwi_abc_curves_sample *s) {
    return s->type == BWI_ABC_LINEAR || (s->type == BWI_ABC_CUBIC && s->basis == BWI_ABC_CATMULL_ROM);
}

/* Control vertices of these are not all places: tangents, coefficients. */
static bool has_polygon(const bwi_abc_curves_sample *s) {
    return s->type != BWI_ABC_CUBIC || (s->basis != BWI_ABC_HERMITE && s->basis != BWI_ABC_POWER);
}

bw_result bwi_abc_build_curves(bwi_abc_shape *shape) {
    bwi_abc_reader *r = shape->r;
    bwi_abc_curves curves;
    bwi_abc_curves_sample s;
    bw_error why;
    bool same = true;
    BWI_ABC_TRY(bwi_abc_curves_open(&curves, r->archive, shape->object, r->error));
    if (curves.positions->sample_count == 0 || curves.counts->sample_count == 0) {
        bwi_abc_warn(shape, "curves-empty", 1, "curves without a line in any sample are left out");
        return BW_OK;
    }
    BWI_ABC_TRY(bwi_abc_curves_view(&s, r->archive, &curves, 0, r->error));
    BWI_ABC_TRY(check_same(&same, &why, shape, curves.counts, true, "the same strands"));
    BWI_ABC_TRY(check_same(&same, &why, shape, curves.positions, false, "as many points"));
    BWI_ABC_TRY(check_same(&same, &why, shape, curves.basis, true, "one kind of curve"));
    if (same && !has_polygon(&s)) {
        same = false;
        bwi_abc_fail(&why, BW_ERR_UNSUPPORTED, r->archive, shape->object, curves.basis, 0,
                     "says %s basis, whose control vertices are no polygon; export linear, Bezier or B-spline curves",
                     s.basis == BWI_ABC_HERMITE ? "Hermite" : "power");
    }
    if (!same) {
        bwi_abc_leave_out(r, "curves-left-out", CURVES_LEFT_OUT, &why);
        return BW_OK;
    }
    const extent e = measure(&s);
    if (e.segments == 0) {
        bwi_abc_warn(shape, "curves-empty", 1, "curves without a line in any sample are left out");
        return BW_OK;
    }
    if (e.without > 0)
        bwi_abc_warn(shape, "strands-without-line", e.without, "strands of one point or none have no line");
    if (!passes_through_points(&s))
        bwi_abc_warn(shape, "control-polygons", 1,
                     "smooth curves are baked as the lines between their control vertices; export linear ones for "
                     "lines that lie on the curve");
    BWI_ABC_TRY(warn_of_attributes(shape, (uint64_t)(curves.uv.values != NULL) + (curves.normals.values != NULL) +
                                              (curves.width.values != NULL)));
    uint32_t *points = bwi_abc_alloc(r, r->arena, (size_t)e.points, sizeof *points);
    uint32_t *indices = points ? bwi_abc_alloc(r, r->arena, (size_t)e.segments, 2 * sizeof *indices) : NULL;
    if (!indices)
        return BW_ERR_MEMORY;
    connect(points, indices, &s);
    shape->primitives->mode = BW_PRIMITIVE_LINES;
    shape->primitives->indices = (bw_index_list){indices, 2 * (size_t)e.segments};
    shape->shows = true;
    return place(shape, curves.positions, s.point_count, points, (uint32_t)e.points);
}

/* ---- points ---- */

bw_result bwi_abc_build_points(bwi_abc_shape *shape) {
    bwi_abc_reader *r = shape->r;
    bwi_abc_points points;
    bwi_abc_points_sample s;
    bw_error why;
    bool same = true;
    BWI_ABC_TRY(bwi_abc_points_open(&points, r->archive, shape->object, r->error));
    if (points.positions->sample_count > 0 && points.ids->sample_count > 0) {
        BWI_ABC_TRY(bwi_abc_points_view(&s, r->archive, &points, 0, r->error));
        BWI_ABC_TRY(check_same(&same, &why, shape, points.positions, false, "as many points"));
        BWI_ABC_TRY(check_same(&same, &why, shape, points.ids, true, "the same points"));
    } else {
        s = (bwi_abc_points_sample){0};
    }
    if (!same) {
        bwi_abc_leave_out(r, "points-left-out", POINTS_LEFT_OUT, &why);
        return BW_OK;
    }
    if (s.point_count == 0) {
        bwi_abc_warn(shape, "points-empty", 1, "objects of points that have none are left out");
        return BW_OK;
    }
    BWI_ABC_TRY(warn_of_attributes(shape, points.width.values != NULL));
    uint32_t *numbers = bwi_abc_alloc(r, r->arena, s.point_count, sizeof *numbers);
    if (!numbers)
        return BW_ERR_MEMORY;
    for (uint32_t k = 0; k < s.point_count; k++)
        numbers[k] = k;
    shape->primitives->mode = BW_PRIMITIVE_POINTS;
    shape->primitives->indices = (bw_index_list){numbers, s.point_count};
    shape->shows = true;
    return place(shape, points.positions, s.point_count, numbers, s.point_count);
}
