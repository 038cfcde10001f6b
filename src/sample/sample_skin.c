/* SPDX-License-Identifier: MIT
 * The kernels: points, normals and tangents through blended or single matrices, in float, in a fixed order. */
#include <math.h>

#include "sample/sample_priv.h"

/* Rounding leaves a determinant of about this part of the product of its rows where the true one is 0. */
#define DETERMINANT_NOISE 1e-6f

typedef struct vec3f {
    float x, y, z;
} vec3f;

static inline vec3f load3(const float *v) {
    return (vec3f){v[0], v[1], v[2]};
}

static inline float dot3(vec3f a, vec3f b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3f cross3(vec3f a, vec3f b) {
    return (vec3f){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Lengths whose square leaves float's range are scaled first. */
static vec3f unit_of_extreme(vec3f v) {
    float most = fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z)));
    if (!(most > 0.0f) || !isfinite(most) || !isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z)) {
        return (vec3f){0.0f, 1.0f, 0.0f};
    }
    v = (vec3f){v.x / most, v.y / most, v.z / most};
    float length = sqrtf(dot3(v, v));
    return (vec3f){v.x / length, v.y / length, v.z / length};
}

static inline vec3f unit3(vec3f v) {
    float square = dot3(v, v);
    if (!(square > 1e-30f && square < 1e30f)) {
        return unit_of_extreme(v);
    }
    float scale = 1.0f / sqrtf(square);
    return (vec3f){v.x * scale, v.y * scale, v.z * scale};
}

void bwi_store_unit(float out[3], float x, float y, float z) {
    vec3f n = unit3((vec3f){x, y, z});
    out[0] = n.x;
    out[1] = n.y;
    out[2] = n.z;
}

/* Linear part of an affine map, with the matrix that maps normals: cofactors, signed by the determinant. */
typedef struct frame {
    vec3f rows[3];
    vec3f cofactors[3];
    float sign;
} frame;

static inline float determinant_sign(const vec3f rows[3], float determinant) {
    if (determinant >= 0.0f) {
        return 1.0f;
    }
    float most = sqrtf(dot3(rows[0], rows[0])) * sqrtf(dot3(rows[1], rows[1])) * sqrtf(dot3(rows[2], rows[2]));
    return determinant < -DETERMINANT_NOISE * most ? -1.0f : 1.0f;
}

static inline frame frame_of(const float rows[12]) {
    frame f;
    for (int r = 0; r < 3; r++) {
        f.rows[r] = load3(rows + 4 * r);
    }
    f.cofactors[0] = cross3(f.rows[1], f.rows[2]);
    f.cofactors[1] = cross3(f.rows[2], f.rows[0]);
    f.cofactors[2] = cross3(f.rows[0], f.rows[1]);
    f.sign = determinant_sign(f.rows, dot3(f.rows[0], f.cofactors[0]));
    return f;
}

static inline void put_point(float *out, const float rows[12], const float *p) {
    float x = p[0], y = p[1], z = p[2];
    out[0] = rows[0] * x + rows[1] * y + rows[2] * z + rows[3];
    out[1] = rows[4] * x + rows[5] * y + rows[6] * z + rows[7];
    out[2] = rows[8] * x + rows[9] * y + rows[10] * z + rows[11];
}

static inline vec3f turn_normal(const frame *f, const float *normal) {
    vec3f n = load3(normal);
    return unit3((vec3f){f->sign * dot3(f->cofactors[0], n), f->sign * dot3(f->cofactors[1], n),
                         f->sign * dot3(f->cofactors[2], n)});
}

/* v less its part along the unit vector n. */
static inline vec3f reject(vec3f v, vec3f n) {
    float along = dot3(v, n);
    return (vec3f){v.x - n.x * along, v.y - n.y * along, v.z - n.z * along};
}

/* A tangent that collapsed onto the normal is replaced by the axis furthest from the normal. */
static vec3f tangent_beside(vec3f t, vec3f n) {
    vec3f flat = reject(t, n);
    if (!(dot3(flat, flat) > 1e-12f * dot3(t, t))) {
        vec3f axis = fabsf(n.x) <= fabsf(n.y) && fabsf(n.x) <= fabsf(n.z) ? (vec3f){1, 0, 0}
                     : fabsf(n.y) <= fabsf(n.z)                           ? (vec3f){0, 1, 0}
                                                                          : (vec3f){0, 0, 1};
        flat = reject(axis, n);
    }
    /* Once more: of a tangent nearly along the normal the first pass leaves little but cancelled digits. */
    return unit3(reject(unit3(flat), n));
}

static void put_tangent(float *out, const frame *f, const float *tangent, vec3f normal) {
    vec3f t = load3(tangent);
    vec3f turned = tangent_beside((vec3f){dot3(f->rows[0], t), dot3(f->rows[1], t), dot3(f->rows[2], t)}, normal);
    out[0] = turned.x;
    out[1] = turned.y;
    out[2] = turned.z;
    out[3] = tangent[3] * f->sign;
}

static inline void put_directions(const bwi_target *out, size_t i, const bwi_shape *shape, size_t v, const frame *f) {
    vec3f n = turn_normal(f, shape->normals + 3 * v);
    if (out->normals != NULL) {
        out->normals[3 * i] = n.x;
        out->normals[3 * i + 1] = n.y;
        out->normals[3 * i + 2] = n.z;
    }
    if (shape->tangents != NULL) {
        put_tangent(out->tangents + 4 * i, f, shape->tangents + 4 * v, n);
    }
}

/* Padding of an influence set has weight 0; skipping it changes no sum. */
static inline void blend(float rows[12], const float *joints, const uint32_t *indices, const float *weights,
                         uint32_t count) {
    const float *first = joints + 12 * (size_t)indices[0];
    for (int k = 0; k < 12; k++) {
        rows[k] = weights[0] * first[k];
    }
    for (uint32_t i = 1; i < count; i++) {
        if (weights[i] == 0.0f) {
            continue;
        }
        const float *joint = joints + 12 * (size_t)indices[i];
        for (int k = 0; k < 12; k++) {
            rows[k] += weights[i] * joint[k];
        }
    }
}

void bwi_skin(const bwi_target *out, const bwi_shape *shape, const bw_primitive *primitive, const uint32_t *sources,
              const float *joints) {
    size_t influences = primitive->influence_count;
    for (size_t i = 0; i < shape->count; i++) {
        size_t source = sources[i], v = shape->vertices[i];
        float rows[12];
        blend(rows, joints, primitive->joints + source * influences, primitive->weights + source * influences,
              (uint32_t)influences);
        put_point(out->positions + 3 * i, rows, shape->positions + 3 * v);
        if (shape->normals != NULL) {
            frame f = frame_of(rows);
            put_directions(out, i, shape, v, &f);
        }
    }
}

void bwi_skin_determinants(float *determinants, const bw_primitive *primitive, const uint32_t *sources, uint32_t count,
                           const float *joints) {
    size_t influences = primitive->influence_count;
    for (size_t i = 0; i < count; i++) {
        size_t source = sources[i];
        float rows[12];
        blend(rows, joints, primitive->joints + source * influences, primitive->weights + source * influences,
              (uint32_t)influences);
        determinants[i] = dot3(load3(rows), cross3(load3(rows + 4), load3(rows + 8)));
    }
}

void bwi_transform(const bwi_target *out, const bwi_shape *shape, const bwi_mat4 *matrix) {
    float rows[12];
    for (size_t k = 0; k < 12; k++) {
        rows[k] = (float)matrix->m[4 * (k % 4) + k / 4];
    }
    for (size_t i = 0; i < shape->count; i++) {
        put_point(out->positions + 3 * i, rows, shape->positions + 3 * (size_t)shape->vertices[i]);
    }
    if (shape->normals == NULL) {
        return;
    }
    frame f = frame_of(rows);
    f.sign = (float)bwi_mirror_sign(matrix);
    for (size_t i = 0; i < shape->count; i++) {
        put_directions(out, i, shape, shape->vertices[i], &f);
    }
}
