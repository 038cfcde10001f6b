/* SPDX-License-Identifier: MIT
 * Transforms: a stack of operations whose numbers may change over time.  The first operation is the outermost. */
#include <math.h>
#include <string.h>

#include "alembic/alembic_priv.h"
#include "alembic/schema.h"

enum { OP_SCALE, OP_TRANSLATE, OP_ROTATE, OP_MATRIX, OP_ROTATE_X, OP_ROTATE_Y, OP_ROTATE_Z, OP_COUNT };
static const uint8_t numbers_of_op[OP_COUNT] = {3, 3, 4, 16, 1, 1, 1};

static bw_result find(const bw_alembic_property **found, bw_alembic *archive, const bw_alembic_object *object,
                      const char *path, bw_error *error) {
    return bw_alembic_find_property(found, archive, object, path, error);
}

static bw_result check_ops(bwi_abc_xform *x, const bw_alembic *archive, bw_error *error) {
    bw_alembic_sample ops;
    bw_result result = bw_alembic_view(&ops, archive, x->ops, 0, error);
    if (result != BW_OK)
        return result;
    uint64_t wanted = 0;
    for (uint64_t k = 0; k < ops.value_count; k++) {
        const unsigned op = ops.bytes[k] >> 4;
        if (op >= OP_COUNT)
            return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, x->object, x->ops, 0,
                                "operation %llu is of the unknown kind %u; export the file again",
                                (unsigned long long)k, op);
        wanted += numbers_of_op[op];
    }
    if (wanted > UINT32_MAX)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, x->object, x->ops, 0,
                            "has too many operations; export the file again");
    x->op_count = (uint32_t)ops.value_count;
    x->value_count = (uint32_t)wanted;
    const bool scalar = x->values && x->values->kind == BW_ALEMBIC_SCALAR;
    if (wanted > 0 && (!x->values || x->values->sample_count == 0 || x->values->pod != BW_ALEMBIC_FLOAT64 ||
                       x->values->kind == BW_ALEMBIC_COMPOUND || (scalar && x->values->extent != wanted)))
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, x->object, x->ops, 0,
                            "its operations take %llu numbers, and there are not as many float64 in .xform/.vals; "
                            "export the file again",
                            (unsigned long long)wanted);
    return BW_OK;
}

bw_result bwi_abc_xform_open(bwi_abc_xform *xform, bw_alembic *archive, const bw_alembic_object *object,
                             bw_error *error) {
    bwi_abc_xform x = {.object = object, .sample_count = 1};
    bw_result result = find(&x.ops, archive, object, ".xform/.ops", error);
    if (result == BW_OK)
        result = find(&x.values, archive, object, ".xform/.vals", error);
    if (result == BW_OK)
        result = find(&x.inherits, archive, object, ".xform/.inherits", error);
    if (result != BW_OK)
        return result;
    if (x.inherits && x.inherits->sample_count == 0)
        x.inherits = NULL;
    if (x.inherits &&
        (x.inherits->kind != BW_ALEMBIC_SCALAR || x.inherits->pod != BW_ALEMBIC_BOOL || x.inherits->extent != 1))
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, object, x.inherits, -1,
                            "is no scalar of one bool; export the file again");
    if (x.ops && x.ops->sample_count == 0)
        x.ops = NULL;
    if (x.ops && (x.ops->kind == BW_ALEMBIC_COMPOUND || x.ops->pod != BW_ALEMBIC_UINT8))
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, object, x.ops, -1,
                            "does not hold uint8; export the file again");
    result = x.ops ? check_ops(&x, archive, error) : BW_OK;
    if (result != BW_OK)
        return result;
    if (x.value_count > 0 && x.values->sample_count > x.sample_count)
        x.sample_count = x.values->sample_count;
    if (x.inherits && x.inherits->sample_count > x.sample_count)
        x.sample_count = x.inherits->sample_count;
    *xform = x;
    return BW_OK;
}

static bwi_mat4 axis_angle(bwi_vec3 axis, double degrees) {
    /* Without whole turns, which fmod takes away exactly, the sine's argument is in the range it is exact in. */
    const double angle = fmod(degrees, 720.0) * (BWI_PI / 360.0);
    const bwi_vec3 unit = bwi_vec3_normalize(axis), part = bwi_vec3_scale(unit, bwi_sin(angle));
    const bool none = unit.x == 0.0 && unit.y == 0.0 && unit.z == 0.0;
    const bwi_quat turn = none ? (bwi_quat){0, 0, 0, 1} : (bwi_quat){part.x, part.y, part.z, bwi_cos(angle)};
    return bwi_mat4_from_trs((bwi_vec3){0, 0, 0}, turn, (bwi_vec3){1, 1, 1});
}

/* The file's matrices are row by row for row vectors, which are the same bytes as column by column for column vectors. */
static bwi_mat4 matrix_of_op(unsigned op, const double *v) {
    static const bwi_quat still = {0, 0, 0, 1};
    bwi_mat4 m = bwi_mat4_identity();
    switch (op) {
    case OP_SCALE:
        return bwi_mat4_from_trs((bwi_vec3){0, 0, 0}, still, (bwi_vec3){v[0], v[1], v[2]});
    case OP_TRANSLATE:
        return bwi_mat4_from_trs((bwi_vec3){v[0], v[1], v[2]}, still, (bwi_vec3){1, 1, 1});
    case OP_ROTATE:
        return axis_angle((bwi_vec3){v[0], v[1], v[2]}, v[3]);
    case OP_MATRIX:
        memcpy(m.m, v, sizeof m.m);
        return m;
    case OP_ROTATE_X:
        return axis_angle((bwi_vec3){1, 0, 0}, v[0]);
    case OP_ROTATE_Y:
        return axis_angle((bwi_vec3){0, 1, 0}, v[0]);
    default:
        return axis_angle((bwi_vec3){0, 0, 1}, v[0]);
    }
}

static uint32_t last_or(uint32_t index, const bw_alembic_property *property) {
    return index < property->sample_count ? index : property->sample_count - 1;
}

bw_result bwi_abc_xform_sample(bwi_mat4 *matrix, bool *inherits, const bw_alembic *archive, const bwi_abc_xform *xform,
                               uint32_t index, bw_error *error) {
    bwi_mat4 m = bwi_mat4_identity();
    bool inherited = true;
    bw_alembic_sample sample, ops = {0}, values = {0};
    const uint32_t at = xform->value_count > 0 ? last_or(index, xform->values) : 0;
    bw_result result = BW_OK;
    if (xform->inherits) {
        result = bw_alembic_view(&sample, archive, xform->inherits, last_or(index, xform->inherits), error);
        inherited = result != BW_OK || sample.bytes[0] != 0;
    }
    if (result == BW_OK && xform->op_count > 0)
        result = bw_alembic_view(&ops, archive, xform->ops, 0, error);
    if (result == BW_OK && xform->value_count > 0) {
        result = bw_alembic_view(&values, archive, xform->values, at, error);
        if (result == BW_OK && values.value_count != xform->value_count)
            return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, xform->object, xform->values, at,
                                "holds %llu numbers, its operations take %u; export the file again",
                                (unsigned long long)values.value_count, xform->value_count);
    }
    if (result != BW_OK)
        return result;
    uint64_t used = 0;
    for (uint32_t k = 0; k < xform->op_count; k++) {
        const unsigned op = ops.bytes[k] >> 4;
        double v[16];
        for (size_t i = 0; i < numbers_of_op[op]; i++) {
            v[i] = bwi_alembic_f64(values.bytes + 8 * used++);
            if (!bwi_is_finite(v[i]))
                return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, xform->object, xform->values, at,
                                    "number %llu is not finite; export the file again without NaN or infinity",
                                    (unsigned long long)(used - 1));
        }
        const bwi_mat4 step = matrix_of_op(op, v);
        m = bwi_mat4_mul(&m, &step);
    }
    for (size_t i = 0; i < 16; i++)
        if (!bwi_is_finite(m.m[i]))
            return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, xform->object, xform->values, at,
                                "its operations multiply to more than a number can hold; check its scales, and export "
                                "the file again");
    *matrix = m;
    *inherits = inherited;
    return BW_OK;
}

bool bwi_abc_xform_is_animated(const bwi_abc_xform *xform) {
    return (xform->value_count > 0 && bwi_abc_is_animated(xform->values)) || bwi_abc_is_animated(xform->inherits);
}

double bwi_abc_xform_time(const bw_alembic *archive, const bwi_abc_xform *xform, uint32_t index) {
    const bw_alembic_property *values = xform->value_count > 0 ? xform->values : NULL;
    return bwi_abc_time(archive, values ? values : xform->inherits, index);
}
