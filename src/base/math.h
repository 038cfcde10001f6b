/* SPDX-License-Identifier: MIT
 * Vectors, quaternions, matrices in double; the few transcendental functions the project uses.
 * Everything here is +, −, ×, ÷ and sqrt in a fixed order, so the result is the same with every compiler, libm and machine. */
#ifndef BWI_BASE_MATH_H
#define BWI_BASE_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bwi_vec3 { double x, y, z; } bwi_vec3;
typedef struct bwi_quat { double x, y, z, w; } bwi_quat;
typedef struct bwi_mat4 { double m[16]; } bwi_mat4; /* column-major: m[4 * column + row] */

bwi_vec3 bwi_vec3_add(bwi_vec3 a, bwi_vec3 b);
bwi_vec3 bwi_vec3_sub(bwi_vec3 a, bwi_vec3 b);
bwi_vec3 bwi_vec3_scale(bwi_vec3 a, double s);
double bwi_vec3_dot(bwi_vec3 a, bwi_vec3 b);
bwi_vec3 bwi_vec3_cross(bwi_vec3 a, bwi_vec3 b);
double bwi_vec3_length(bwi_vec3 a);
bwi_vec3 bwi_vec3_normalize(bwi_vec3 a); /* (0, 0, 0) stays */

bwi_quat bwi_quat_normalize(bwi_quat q); /* (0, 0, 0, 0) gives identity */
bwi_quat bwi_quat_mul(bwi_quat a, bwi_quat b);
bwi_vec3 bwi_quat_rotate(bwi_quat q, bwi_vec3 v);
/* Shortest-path spherical interpolation of unit quaternions; exact also where they are nearly equal or opposite.  t in [0, 1]. */
bwi_quat bwi_quat_slerp(bwi_quat a, bwi_quat b, double t);

bwi_mat4 bwi_mat4_identity(void);
bwi_mat4 bwi_mat4_mul(const bwi_mat4 *a, const bwi_mat4 *b);
bwi_mat4 bwi_mat4_from_trs(bwi_vec3 t, bwi_quat r, bwi_vec3 s);
bwi_mat4 bwi_mat4_from_floats(const float m[16]);
bwi_vec3 bwi_mat4_point(const bwi_mat4 *m, bwi_vec3 p);     /* affine: the last row is taken as 0 0 0 1 */
bwi_vec3 bwi_mat4_direction(const bwi_mat4 *m, bwi_vec3 d); /* linear part only */
double bwi_mat4_det3(const bwi_mat4 *m);
/* Inverse of an affine matrix; false (and *out unchanged) where the determinant is 0 or not finite. */
bool bwi_mat4_inverse_affine(bwi_mat4 *out, const bwi_mat4 *m);

/* The rotation R that makes trace(Rᵀ H) largest, by Davenport's q-method: the one that turns a set of vectors nearest to another of which H
 * is the sum of outer products to · fromᵀ (row-major).  Where several do equally well that nearest to `like`.
 * Source: Markley and Mortari, "How to estimate attitude from vector observations", 1999. */
bwi_quat bwi_quat_fit(const double h[9], bwi_quat like);
/* The rotation and the scale >= 0 whose product is nearest to a matrix's linear part in least squares. */
void bwi_mat4_similarity(bwi_quat *rotation, double *scale, const bwi_mat4 *m, bwi_quat like);

double bwi_sqrt(double x); /* IEEE sqrt, correctly rounded */
double bwi_sin(double x);  /* |x| <= 1e6; error < 1e-15 for |x| <= pi */
double bwi_cos(double x);
double bwi_atan2(double y, double x);
double bwi_acos(double x); /* clamps to [-1, 1] */
bool bwi_is_finite(double x);

/* Diagonal of the bounds of points [count][3]; 0 of none. */
double bwi_bounds_diagonal(const float *positions, size_t count);

#define BWI_PI 3.14159265358979323846

#endif
