/* SPDX-License-Identifier: MIT
 * Curves of every type, wrap and basis, with what goes with their control vertices. */
#include "alembic/schema.h"

enum { PERIODIC = 1, WRAP_COUNT = 2, TYPE_COUNT = 3, BASIS_COUNT = 6 };

bw_result bwi_abc_curves_open(bwi_abc_curves *curves, bw_alembic *archive, const bw_alembic_object *object,
                              bw_error *error) {
    bwi_abc_curves c = {.object = object};
    const struct {
        const bw_alembic_property **found;
        const char *path;
        bw_alembic_pod pod;
        uint32_t extent;
        bool needed;
    } arrays[] = {
        {&c.positions, ".geom/P", BW_ALEMBIC_FLOAT32, 3, true},
        {&c.counts, ".geom/nVertices", BW_ALEMBIC_INT32, 1, true},
        {&c.weights, ".geom/w", BW_ALEMBIC_FLOAT32, 1, false},
        {&c.orders, ".geom/.orders", BW_ALEMBIC_UINT8, 1, false},
        {&c.knots, ".geom/.knots", BW_ALEMBIC_FLOAT32, 1, false},
        {&c.velocities, ".geom/.velocities", BW_ALEMBIC_FLOAT32, 3, false},
    };
    const struct {
        bwi_abc_param *param;
        const char *path;
        uint32_t width;
    } params[] = {{&c.uv, ".geom/uv", 2}, {&c.normals, ".geom/N", 3}, {&c.width, ".geom/width", 1}};
    bw_result result = BW_OK;
    for (size_t k = 0; result == BW_OK && k < sizeof arrays / sizeof arrays[0]; k++)
        result = bwi_abc_find_array(arrays[k].found, archive, object, arrays[k].path, arrays[k].pod, arrays[k].extent,
                                    arrays[k].needed, error);
    for (size_t k = 0; result == BW_OK && k < sizeof params / sizeof params[0]; k++)
        result = bwi_abc_find_param(params[k].param, archive, object, params[k].path, params[k].width, error);
    if (result == BW_OK)
        result = bw_alembic_find_property(&c.basis, archive, object, ".geom/curveBasisAndType", error);
    if (result != BW_OK)
        return result;
    if (c.basis && (c.basis->kind != BW_ALEMBIC_SCALAR || c.basis->pod != BW_ALEMBIC_UINT8 || c.basis->extent != 4))
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, object, c.basis, -1,
                            "is no scalar of 4 uint8; export the file again");
    if (c.basis && c.basis->sample_count == 0)
        c.basis = NULL;
    *curves = c;
    return BW_OK;
}

static bw_result view_basis(bwi_abc_curves_sample *s, const bw_alembic *archive, const bwi_abc_curves *curves,
                            uint32_t index, bw_error *error) {
    bw_alembic_sample basis;
    uint32_t at = 0;
    if (!curves->basis)
        return BW_OK;
    bw_result result = bwi_abc_view_last(&basis, &at, archive, curves->basis, index, error);
    if (result != BW_OK)
        return result;
    if (basis.bytes[0] >= TYPE_COUNT || basis.bytes[1] >= WRAP_COUNT || basis.bytes[2] >= BASIS_COUNT)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, curves->object, curves->basis, at,
                            "says type %u, wrap %u and basis %u, which are not all known; export the file again",
                            basis.bytes[0], basis.bytes[1], basis.bytes[2]);
    s->type = (bwi_abc_curve_type)basis.bytes[0];
    s->periodic = basis.bytes[1] == PERIODIC;
    s->basis = (bwi_abc_curve_basis)basis.bytes[2];
    return BW_OK;
}

/* Ends of segments of one curve: what a varying attribute has a value for. */
static uint64_t varying_count(const bwi_abc_curves_sample *s, uint64_t count) {
    if (s->type != BWI_ABC_CUBIC)
        return count;
    const uint64_t step = s->basis == BWI_ABC_BEZIER    ? 3
                          : s->basis == BWI_ABC_HERMITE ? 2
                          : s->basis == BWI_ABC_POWER   ? 4
                                                        : 1;
    if (s->periodic)
        return count / step;
    return count < 4 ? count : (count - 4) / step + 2;
}

static bw_result count_curves(bwi_abc_curves_sample *s, const bw_alembic *archive, const bwi_abc_curves *curves,
                              uint32_t index, bw_error *error) {
    uint32_t at = 0;
    bw_result result = bwi_abc_view_last(&s->counts, &at, archive, curves->counts, index, error);
    if (result != BW_OK)
        return result;
    if (s->counts.point_count > INT32_MAX || s->positions.point_count > INT32_MAX)
        return bwi_abc_fail(error, BW_ERR_TOO_LARGE, archive, curves->object, curves->counts, at,
                            "has more curves or points than %d; split the object", INT32_MAX);
    s->curve_count = (uint32_t)s->counts.point_count;
    s->point_count = (uint32_t)s->positions.point_count;
    uint64_t points = 0, varying = 0;
    for (uint32_t k = 0; k < s->curve_count; k++) {
        const int32_t count = bwi_abc_int(&s->counts, k);
        if (count < 0)
            return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, curves->object, curves->counts, at,
                                "curve %u has %d control vertices; export the file again", k, count);
        points += (uint64_t)count;
        varying += varying_count(s, (uint64_t)count);
    }
    if (points != s->point_count)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, curves->object, curves->counts, at,
                            "its curves have %llu control vertices, P holds %u; export the file again",
                            (unsigned long long)points, s->point_count);
    s->elements = (bwi_abc_counts){{
        [BW_ALEMBIC_SCOPE_CONSTANT] = 1,
        [BW_ALEMBIC_SCOPE_UNIFORM] = s->curve_count,
        [BW_ALEMBIC_SCOPE_VARYING] = varying,
        [BW_ALEMBIC_SCOPE_VERTEX] = s->point_count,
        [BW_ALEMBIC_SCOPE_FACEVARYING] = varying,
    }};
    return BW_OK;
}

/* Orders of one value are every curve's. */
static uint32_t order_of(const bwi_abc_curves_sample *s, uint32_t curve) {
    if (s->orders.point_count == 0)
        return s->type == BWI_ABC_LINEAR ? 2 : 4;
    return s->orders.bytes[s->orders.point_count == 1 ? 0 : curve];
}

static bw_result view_splines(bwi_abc_curves_sample *s, const bw_alembic *archive, const bwi_abc_curves *curves,
                              uint32_t index, bw_error *error) {
    const struct {
        const bw_alembic_property *property;
        bw_alembic_sample *sample;
    } rows[] = {{curves->weights, &s->weights}, {curves->orders, &s->orders}, {curves->knots, &s->knots}};
    uint32_t at[sizeof rows / sizeof rows[0]] = {0};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        bw_result result = rows[k].property
                               ? bwi_abc_view_last(rows[k].sample, &at[k], archive, rows[k].property, index, error)
                               : BW_OK;
        if (result != BW_OK)
            return result;
    }
    if (s->weights.point_count > 0 && s->weights.point_count != s->point_count)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, curves->object, curves->weights, at[0],
                            "has %llu weights of %u control vertices; export the file again",
                            (unsigned long long)s->weights.point_count, s->point_count);
    if (s->orders.point_count > 1 && s->orders.point_count != s->curve_count)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, curves->object, curves->orders, at[1],
                            "has %llu orders of %u curves; export the file again",
                            (unsigned long long)s->orders.point_count, s->curve_count);
    if (s->knots.point_count == 0)
        return BW_OK;
    uint64_t wanted = 0;
    for (uint32_t k = 0; k < s->curve_count; k++)
        wanted += (uint64_t)bwi_abc_int(&s->counts, k) + order_of(s, k);
    /* Maya leaves out the first and the last knot of every curve. */
    if (s->knots.point_count != wanted && s->knots.point_count + 2 * (uint64_t)s->curve_count != wanted)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, curves->object, curves->knots, at[2],
                            "has %llu knots, its curves take %llu; export the file again",
                            (unsigned long long)s->knots.point_count, (unsigned long long)wanted);
    return BW_OK;
}

bw_result bwi_abc_curves_view(bwi_abc_curves_sample *sample, const bw_alembic *archive, const bwi_abc_curves *curves,
                              uint32_t index, bw_error *error) {
    bwi_abc_curves_sample s = {0};
    bw_result result = bwi_abc_vectors_view(&s.positions, archive, curves->positions, index, error);
    if (result == BW_OK)
        result = view_basis(&s, archive, curves, index, error);
    if (result == BW_OK)
        result = count_curves(&s, archive, curves, index, error);
    if (result == BW_OK)
        result = view_splines(&s, archive, curves, index, error);
    if (result == BW_OK)
        *sample = s;
    return result;
}
