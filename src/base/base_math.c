/* SPDX-License-Identifier: MIT
 * Vectors, quaternions and matrices in double. */
#include "base/math.h"

#include <string.h>

bwi_vec3 bwi_vec3_add(bwi_vec3 a, bwi_vec3 b) {
    return (bwi_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

bwi_vec3 bwi_vec3_sub(bwi_vec3 a, bwi_vec3 b) {
    return (bwi_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

bwi_vec3 bwi_vec3_scale(bwi_vec3 a, double s) {
    return (bwi_vec3){a.x * s, a.y * s, a.z * s};
}

double bwi_vec3_dot(bwi_vec3 a, bwi_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

bwi_vec3 bwi_vec3_cross(bwi_vec3 a, bwi_vec3 b) {
    return (bwi_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double bwi_vec3_length(bwi_vec3 a) {
    return bwi_sqrt(bwi_vec3_dot(a, a));
}

bwi_vec3 bwi_vec3_normalize(bwi_vec3 a) {
    double length = bwi_vec3_length(a);
    return length > 0.0 ? (bwi_vec3){a.x / length, a.y / length, a.z / length} : a;
}

static double quat_dot(bwi_quat a, bwi_quat b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

bwi_quat bwi_quat_normalize(bwi_quat q) {
    double length = bwi_sqrt(quat_dot(q, q));
    return length > 0.0 ? (bwi_quat){q.x / length, q.y / length, q.z / length, q.w / length}
                        : (bwi_quat){0.0, 0.0, 0.0, 1.0};
}

bwi_quat bwi_quat_mul(bwi_quat a, bwi_quat b) {
    return (bwi_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

bwi_vec3 bwi_quat_rotate(bwi_quat q, bwi_vec3 v) {
    /* v + 2w (u × v) + 2 u × (u × v), u the vector part. */
    bwi_vec3 u = {q.x, q.y, q.z};
    bwi_vec3 t = bwi_vec3_scale(bwi_vec3_cross(u, v), 2.0);
    return bwi_vec3_add(v, bwi_vec3_add(bwi_vec3_scale(t, q.w), bwi_vec3_cross(u, t)));
}

bwi_quat bwi_quat_slerp(bwi_quat a, bwi_quat b, double t) {
    if (quat_dot(a, b) < 0.0) {
        b = (bwi_quat){-b.x, -b.y, -b.z, -b.w};
    }
    bwi_quat difference = {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
    bwi_quat sum = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    /* acos of the dot product loses half the digits of a small angle; the ratio of these lengths is the tangent of
     * its half (Kahan). */
    double theta = 2.0 * bwi_atan2(bwi_sqrt(quat_dot(difference, difference)), bwi_sqrt(quat_dot(sum, sum)));
    if (!(theta > 0.0)) {
        return a;
    }
    double sine = bwi_sin(theta);
    double p = bwi_sin((1.0 - t) * theta) / sine;
    double q = bwi_sin(t * theta) / sine;
    return (bwi_quat){p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z, p * a.w + q * b.w};
}

bwi_mat4 bwi_mat4_identity(void) {
    return (bwi_mat4){{1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0}};
}

bwi_mat4 bwi_mat4_mul(const bwi_mat4 *a, const bwi_mat4 *b) {
    bwi_mat4 product;
    for (int column = 0; column < 4; column++) {
        const double *c = &b->m[4 * column];
        for (int row = 0; row < 4; row++) {
            product.m[4 * column + row] =
                a->m[row] * c[0] + a->m[4 + row] * c[1] + a->m[8 + row] * c[2] + a->m[12 + row] * c[3];
        }
    }
    return product;
}

bwi_mat4 bwi_mat4_from_trs(bwi_vec3 t, bwi_quat r, bwi_vec3 s) {
    double xx = r.x * r.x, yy = r.y * r.y, zz = r.z * r.z;
    double xy = r.x * r.y, xz = r.x * r.z, yz = r.y * r.z;
    double wx = r.w * r.x, wy = r.w * r.y, wz = r.w * r.z;
    bwi_vec3 x = {1.0 - 2.0 * (yy + zz), 2.0 * (xy + wz), 2.0 * (xz - wy)};
    bwi_vec3 y = {2.0 * (xy - wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz + wx)};
    bwi_vec3 z = {2.0 * (xz + wy), 2.0 * (yz - wx), 1.0 - 2.0 * (xx + yy)};
    return (bwi_mat4){{x.x * s.x, x.y * s.x, x.z * s.x, 0.0, y.x * s.y, y.y * s.y, y.z * s.y, 0.0, z.x * s.z, z.y * s.z,
                       z.z * s.z, 0.0, t.x, t.y, t.z, 1.0}};
}

bwi_mat4 bwi_mat4_from_floats(const float m[16]) {
    bwi_mat4 out;
    for (int i = 0; i < 16; i++) {
        out.m[i] = (double)m[i];
    }
    return out;
}

bwi_vec3 bwi_mat4_direction(const bwi_mat4 *m, bwi_vec3 d) {
    return (bwi_vec3){
        m->m[0] * d.x + m->m[4] * d.y + m->m[8] * d.z,
        m->m[1] * d.x + m->m[5] * d.y + m->m[9] * d.z,
        m->m[2] * d.x + m->m[6] * d.y + m->m[10] * d.z,
    };
}

bwi_vec3 bwi_mat4_point(const bwi_mat4 *m, bwi_vec3 p) {
    return bwi_vec3_add(bwi_mat4_direction(m, p), (bwi_vec3){m->m[12], m->m[13], m->m[14]});
}

static bwi_vec3 column_of(const bwi_mat4 *m, int column) {
    return (bwi_vec3){m->m[4 * column], m->m[4 * column + 1], m->m[4 * column + 2]};
}

double bwi_mat4_det3(const bwi_mat4 *m) {
    return bwi_vec3_dot(column_of(m, 0), bwi_vec3_cross(column_of(m, 1), column_of(m, 2)));
}

bool bwi_mat4_inverse_affine(bwi_mat4 *out, const bwi_mat4 *m) {
    double det = bwi_mat4_det3(m);
    if (det == 0.0 || !bwi_is_finite(det)) {
        return false;
    }
    bwi_vec3 rows[3] = {
        bwi_vec3_cross(column_of(m, 1), column_of(m, 2)),
        bwi_vec3_cross(column_of(m, 2), column_of(m, 0)),
        bwi_vec3_cross(column_of(m, 0), column_of(m, 1)),
    };
    bwi_mat4 inverse = bwi_mat4_identity();
    for (int row = 0; row < 3; row++) {
        inverse.m[row] = rows[row].x / det;
        inverse.m[4 + row] = rows[row].y / det;
        inverse.m[8 + row] = rows[row].z / det;
    }
    bwi_vec3 moved = bwi_mat4_direction(&inverse, column_of(m, 3));
    inverse.m[12] = -moved.x;
    inverse.m[13] = -moved.y;
    inverse.m[14] = -moved.z;
    for (int i = 0; i < 16; i++) {
        if (!bwi_is_finite(inverse.m[i])) {
            return false; /* a determinant near the smallest number divides to infinity */
        }
    }
    memcpy(out, &inverse, sizeof(inverse));
    return true;
}

double bwi_bounds_diagonal(const float *positions, size_t count) {
    double square = 0.0;
    for (size_t k = 0; count && k < 3; ++k) {
        float min = positions[k], max = min;
        for (size_t i = 1; i < count; ++i) {
            min = positions[3 * i + k] < min ? positions[3 * i + k] : min;
            max = positions[3 * i + k] > max ? positions[3 * i + k] : max;
        }
        square += ((double)max - (double)min) * ((double)max - (double)min);
    }
    return bwi_sqrt(square);
}
