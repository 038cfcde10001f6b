/* SPDX-License-Identifier: MIT
 * Caches of matrices between their samples. */
#include "sample/sample_priv.h"

/* Cosine between axes; products of a few rotations and scales in float stay well below it. */
#define SHEAR_TOLERANCE 1e-5

static bwi_vec3 column(const bwi_mat4 *m, int k) {
    return (bwi_vec3){m->m[4 * k], m->m[4 * k + 1], m->m[4 * k + 2]};
}

/* Shepperd: from the largest of the four components, so that none is divided by a small one.  In: columns x, y, z of a rotation. */
static bwi_quat quat_of_axes(bwi_vec3 x, bwi_vec3 y, bwi_vec3 z) {
    const double trace = x.x + y.y + z.z;
    bwi_quat q;
    if (trace >= x.x && trace >= y.y && trace >= z.z) {
        q = (bwi_quat){y.z - z.y, z.x - x.z, x.y - y.x, 1.0 + trace};
    } else if (x.x >= y.y && x.x >= z.z) {
        q = (bwi_quat){1.0 + x.x - y.y - z.z, y.x + x.y, z.x + x.z, y.z - z.y};
    } else if (y.y >= z.z) {
        q = (bwi_quat){y.x + x.y, 1.0 + y.y - x.x - z.z, z.y + y.z, z.x - x.z};
    } else {
        q = (bwi_quat){z.x + x.z, z.y + y.z, 1.0 + z.z - x.x - y.y, x.y - y.x};
    }
    return bwi_quat_normalize(q);
}

static bool is_right_angle(bwi_vec3 a, bwi_vec3 b) {
    const double cosine = bwi_vec3_dot(a, b);
    return cosine <= SHEAR_TOLERANCE && cosine >= -SHEAR_TOLERANCE;
}

bool bwi_matrix_split(bwi_trs *trs, const bwi_mat4 *matrix) {
    bwi_vec3 x = column(matrix, 0), y = column(matrix, 1), z = column(matrix, 2);
    bwi_vec3 scale = {bwi_vec3_length(x), bwi_vec3_length(y), bwi_vec3_length(z)};
    if (!(scale.x > 0.0 && scale.y > 0.0 && scale.z > 0.0)) {
        return false;
    }
    /* A mirror is a scale by −1 of x. */
    if (bwi_mat4_det3(matrix) < 0.0) {
        scale.x = -scale.x;
    }
    x = bwi_vec3_scale(x, 1.0 / scale.x);
    y = bwi_vec3_scale(y, 1.0 / scale.y);
    z = bwi_vec3_scale(z, 1.0 / scale.z);
    if (!is_right_angle(x, y) || !is_right_angle(y, z) || !is_right_angle(z, x)) {
        return false;
    }
    *trs = (bwi_trs){column(matrix, 3), quat_of_axes(x, y, z), scale};
    return true;
}

static bwi_vec3 mix_vectors(bwi_vec3 a, bwi_vec3 b, double part) {
    return bwi_vec3_add(bwi_vec3_scale(a, 1.0 - part), bwi_vec3_scale(b, part));
}

bool bwi_matrix_cache_sample(bwi_mat4 *matrix, bwi_cache_slots *slots, double time_s, bwi_failure *failure) {
    const bwi_cache_place place = bwi_cache_find(slots->cache, time_s);
    const float *pair[2];
    if (!bwi_cache_pair(pair, slots, &place, failure)) {
        return false;
    }
    const bwi_mat4 from = bwi_mat4_from_floats(pair[0]), to = bwi_mat4_from_floats(pair[1]);
    bwi_trs a, b;
    if (pair[0] == pair[1]) {
        *matrix = from;
    } else if (bwi_matrix_split(&a, &from) && bwi_matrix_split(&b, &to)) {
        *matrix = bwi_mat4_from_trs(mix_vectors(a.translation, b.translation, place.part),
                                    bwi_quat_slerp(a.rotation, b.rotation, place.part),
                                    mix_vectors(a.scale, b.scale, place.part));
    } else {
        for (size_t k = 0; k < 16; k++) {
            matrix->m[k] = (1.0 - place.part) * from.m[k] + place.part * to.m[k];
        }
    }
    return true;
}
