/* SPDX-License-Identifier: MIT
 * The rotation that fits best: the eigenvector of the largest eigenvalue of Davenport's 4 × 4 matrix.
 * Source: Markley and Mortari, "How to estimate attitude from vector observations", 1999; Golub and Van Loan, "Matrix Computations" §8.5. */
#include "base/math.h"

/* Cyclic Jacobi converges quadratically: a 4 × 4 matrix is diagonal to the last bit after five or six. */
#define SWEEPS 12

/* Eigenvalues nearer to each other than this part of the matrix are one: their rotations fit equally well up to rounding. */
#define EQUAL_PART 1e-13

typedef struct symmetric4 {
    double a[4][4];
} symmetric4;

/* q · K q = trace(R(q)ᵀ H) for unit q = (x, y, z, w). */
static symmetric4 davenport(const double h[9]) {
    const double trace = h[0] + h[4] + h[8];
    symmetric4 k;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            k.a[i][j] = h[3 * i + j] + h[3 * j + i];
        }
        k.a[i][i] -= trace;
    }
    k.a[3][3] = trace;
    k.a[0][3] = k.a[3][0] = h[7] - h[5];
    k.a[1][3] = k.a[3][1] = h[2] - h[6];
    k.a[2][3] = k.a[3][2] = h[3] - h[1];
    return k;
}

/* One Jacobi rotation in the plane of p and q; v gathers the eigenvectors as columns. */
static void annihilate(symmetric4 *k, symmetric4 *v, int p, int q) {
    const double off = k->a[p][q];
    if (off == 0.0) {
        return;
    }
    const double theta = (k->a[q][q] - k->a[p][p]) / (2.0 * off);
    const double size = theta < 0.0 ? -theta : theta;
    double t = 1.0 / (size + bwi_sqrt(size * size + 1.0)); /* 0 where size² overflows */
    t = theta < 0.0 ? -t : t;
    const double c = 1.0 / bwi_sqrt(t * t + 1.0), s = t * c;
    k->a[p][p] -= t * off;
    k->a[q][q] += t * off;
    k->a[p][q] = k->a[q][p] = 0.0;
    for (int i = 0; i < 4; i++) {
        if (i != p && i != q) {
            const double ip = k->a[i][p], iq = k->a[i][q];
            k->a[i][p] = k->a[p][i] = c * ip - s * iq;
            k->a[i][q] = k->a[q][i] = s * ip + c * iq;
        }
        const double vp = v->a[i][p], vq = v->a[i][q];
        v->a[i][p] = c * vp - s * vq;
        v->a[i][q] = s * vp + c * vq;
    }
}

/* The length is 1 up to rounding, and the first of w, x, y, z that is not 0 is positive. */
static bwi_quat canonical(bwi_quat q) {
    const double order[4] = {q.w, q.x, q.y, q.z};
    int first = 0;
    while (first < 3 && order[first] == 0.0) {
        first++;
    }
    q = bwi_quat_normalize(q);
    return order[first] < 0.0 ? (bwi_quat){-q.x, -q.y, -q.z, -q.w} : q;
}

/* Largest magnitude; not finite where an element is not. */
static double magnitude(const double h[9]) {
    double largest = 0.0;
    for (int i = 0; i < 9; i++) {
        const double size = h[i] < 0.0 ? -h[i] : h[i];
        largest = size <= largest ? largest : size; /* a NaN is taken, and stays */
        if (!bwi_is_finite(largest)) {
            return largest;
        }
    }
    return largest;
}

bwi_quat bwi_quat_fit(const double h[9], bwi_quat like) {
    const double size = magnitude(h);
    if (size == 0.0 || !bwi_is_finite(size)) {
        return like;
    }
    double scaled[9]; /* so that no product over- or underflows */
    for (int i = 0; i < 9; i++) {
        scaled[i] = h[i] / size;
    }
    symmetric4 k = davenport(scaled), v = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int p = 0; p < 3; p++) {
            for (int q = p + 1; q < 4; q++) {
                annihilate(&k, &v, p, q);
            }
        }
    }
    int best = 3;
    for (int i = 0; i < 3; i++) {
        best = k.a[i][i] > k.a[best][best] ? i : best;
    }
    /* `like`, projected on all the rotations that fit as well as the best. */
    const double l[4] = {like.x, like.y, like.z, like.w};
    double sum[4] = {0.0, 0.0, 0.0, 0.0}, square = 0.0;
    for (int i = 0; i < 4; i++) {
        if (k.a[best][best] - k.a[i][i] > EQUAL_PART * 4.0) {
            continue;
        }
        const double part = v.a[0][i] * l[0] + v.a[1][i] * l[1] + v.a[2][i] * l[2] + v.a[3][i] * l[3];
        square += part * part;
        for (int row = 0; row < 4; row++) {
            sum[row] += part * v.a[row][i];
        }
    }
    /* Where all of them are half a turn from `like`, none is nearer than another. */
    if (square <= EQUAL_PART * EQUAL_PART) {
        return canonical((bwi_quat){v.a[0][best], v.a[1][best], v.a[2][best], v.a[3][best]});
    }
    return bwi_quat_normalize((bwi_quat){sum[0], sum[1], sum[2], sum[3]});
}

void bwi_mat4_similarity(bwi_quat *rotation, double *scale, const bwi_mat4 *m, bwi_quat like) {
    double h[9];
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            h[3 * row + column] = m->m[4 * column + row];
        }
    }
    const bwi_quat q = bwi_quat_fit(h, like);
    const bwi_mat4 r = bwi_mat4_from_trs((bwi_vec3){0.0, 0.0, 0.0}, q, (bwi_vec3){1.0, 1.0, 1.0});
    double trace = 0.0; /* of Rᵀ M; 3 times the scale that is nearest */
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            trace += r.m[4 * column + row] * h[3 * row + column];
        }
    }
    *rotation = q;
    *scale = trace > 0.0 ? trace / 3.0 : 0.0;
}
