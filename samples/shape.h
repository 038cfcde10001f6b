/* SPDX-License-Identifier: MIT
 * Geometry for made assets: small math that gives the same bits everywhere, and meshes that are built a tube at a time. */
#ifndef SAMPLES_SHAPE_H
#define SAMPLES_SHAPE_H

#include "glb.h"

typedef struct vec3 { double x, y, z; } vec3;
typedef struct quat { double x, y, z, w; } quat;

#define PI 3.14159265358979323846

/* A Taylor series: libm's sine may differ in the last bit between machines. */
double sine(double x);
double cosine(double x);
/* 0 before a, 1 after b, smooth between. */
double smooth_step(double a, double b, double x);

vec3 add(vec3 a, vec3 b);
vec3 sub(vec3 a, vec3 b);
vec3 scaled(vec3 a, double s);
double dot(vec3 a, vec3 b);
vec3 cross(vec3 a, vec3 b);
double length(vec3 a);
quat quat_mul(quat a, quat b);
quat quat_conjugate(quat q);
/* Rotations about x, then y, then z, in degrees. */
quat quat_euler(vec3 degrees);
vec3 rotate(quat q, vec3 v);

/* A mesh in the making; {0} is empty.  Vertices that share a weld share a smooth normal. */
typedef struct shape {
    uint32_t vertex_count, vertex_capacity, index_count, index_capacity;
    float *positions, *normals, *uvs; /* [3], [3], [2] a vertex */
    uint32_t *welds, *indices;
} shape;

#define NEW_WELD UINT32_MAX
uint32_t shape_vertex(shape *s, vec3 position, double u, double v, uint32_t weld);
void shape_triangle(shape *s, uint32_t a, uint32_t b, uint32_t c);

/* One ring of a tube: how far along its axis, half sizes along `u` and `v`. */
typedef struct ring { double along, radius_u, radius_v; } ring;
/* Which way a tube runs: along u × v from its origin. */
typedef struct tube_frame { vec3 origin, u, v; } tube_frame;
/* A closed tube through rings, each span cut into `steps`, `segments` corners round. */
void shape_tube(shape *s, const tube_frame *frame, const ring *rings, uint32_t ring_count, uint32_t steps, uint32_t segments);
/* An axis-aligned box with hard edges: 24 vertices. */
void shape_box(shape *s, vec3 centre, vec3 half);

/* Smooth normals of `positions` (the shape's own or a morphed copy) into normals[3 × vertex_count]. */
void shape_normals(const shape *s, const float *positions, float *normals);
void shape_free(shape *s);

/* Adds the shape's attributes; the text `"attributes":{…},"indices":n` without closing the attributes: callers append theirs. */
void shape_attributes(blob *text, glb *g, const shape *s);

/* Smallest prime >= n. */
uint32_t next_prime(uint32_t n);

/* A square picture of two colours as PNG with stored (uncompressed) data. */
blob make_checker_png(uint32_t side, uint32_t square, const uint8_t colour_a[3], const uint8_t colour_b[3]);

#endif
