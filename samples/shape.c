/* SPDX-License-Identifier: MIT
 * Geometry for made assets: sums, products, quotients and square roots only, so every machine gives the same bits. */
#include "shape.h"

#include <math.h>
#include <stdlib.h>

double sine(double x) {
    x -= 2 * PI * (double)(int64_t)(x / (2 * PI) + (x < 0 ? -0.5 : 0.5));
    double term = x, sum = x;
    for (int k = 2; k < 32; k += 2) {
        term *= -x * x / (k * (k + 1));
        sum += term;
    }
    return sum;
}

double cosine(double x) {
    return sine(x + PI / 2);
}

double smooth_step(double a, double b, double x) {
    double t = x <= a ? 0 : x >= b ? 1 : (x - a) / (b - a);
    return t * t * (3 - 2 * t);
}

vec3 add(vec3 a, vec3 b) {
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

vec3 sub(vec3 a, vec3 b) {
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

vec3 scaled(vec3 a, double s) {
    return (vec3){a.x * s, a.y * s, a.z * s};
}

double dot(vec3 a, vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

vec3 cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double length(vec3 a) {
    return sqrt(dot(a, a));
}

quat quat_mul(quat a, quat b) {
    return (quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

quat quat_conjugate(quat q) {
    return (quat){-q.x, -q.y, -q.z, q.w};
}

quat quat_euler(vec3 degrees) {
    vec3 half = scaled(degrees, PI / 360);
    quat x = {sine(half.x), 0, 0, cosine(half.x)}, y = {0, sine(half.y), 0, cosine(half.y)},
         z = {0, 0, sine(half.z), cosine(half.z)};
    return quat_mul(z, quat_mul(y, x));
}

vec3 rotate(quat q, vec3 v) {
    vec3 axis = {q.x, q.y, q.z};
    vec3 t = scaled(cross(axis, v), 2);
    return add(add(v, scaled(t, q.w)), cross(axis, t));
}

uint32_t shape_vertex(shape *s, vec3 position, double u, double v, uint32_t weld) {
    if (s->vertex_count == s->vertex_capacity) {
        s->vertex_capacity = s->vertex_capacity * 2 + 256;
        s->positions = grow(s->positions, s->vertex_capacity, 3 * sizeof *s->positions);
        s->normals = grow(s->normals, s->vertex_capacity, 3 * sizeof *s->normals);
        s->uvs = grow(s->uvs, s->vertex_capacity, 2 * sizeof *s->uvs);
        s->welds = grow(s->welds, s->vertex_capacity, sizeof *s->welds);
    }
    uint32_t i = s->vertex_count++;
    s->positions[3 * i] = (float)position.x;
    s->positions[3 * i + 1] = (float)position.y;
    s->positions[3 * i + 2] = (float)position.z;
    s->uvs[2 * i] = (float)u;
    s->uvs[2 * i + 1] = (float)v;
    s->welds[i] = weld == NEW_WELD ? i : weld;
    return i;
}

void shape_triangle(shape *s, uint32_t a, uint32_t b, uint32_t c) {
    if (s->index_capacity - s->index_count < 3) {
        s->index_capacity = s->index_capacity * 2 + 256;
        s->indices = grow(s->indices, s->index_capacity, sizeof *s->indices);
    }
    s->indices[s->index_count++] = a;
    s->indices[s->index_count++] = b;
    s->indices[s->index_count++] = c;
}

void shape_tube(shape *s, const tube_frame *frame, const ring *rings, uint32_t ring_count, uint32_t steps,
                uint32_t segments) {
    vec3 axis = cross(frame->u, frame->v);
    uint32_t row_count = (ring_count - 1) * steps + 1;
    uint32_t first_pole = shape_vertex(s, add(frame->origin, scaled(axis, rings[0].along)), 0.5, 0, NEW_WELD);
    uint32_t body = s->vertex_count;
    for (uint32_t row = 0; row < row_count; row++) {
        uint32_t k = row / steps < ring_count - 1 ? row / steps : ring_count - 2;
        double t = (double)(row - k * steps) / steps;
        const ring *a = &rings[k], *b = &rings[k + 1];
        vec3 centre = add(frame->origin, scaled(axis, a->along + (b->along - a->along) * t));
        double radius_u = a->radius_u + (b->radius_u - a->radius_u) * t,
               radius_v = a->radius_v + (b->radius_v - a->radius_v) * t;
        uint32_t start = s->vertex_count;
        for (uint32_t j = 0; j <= segments; j++) {
            double angle = 2 * PI * (j % segments) / segments;
            vec3 out = add(scaled(frame->u, radius_u * cosine(angle)), scaled(frame->v, radius_v * sine(angle)));
            shape_vertex(s, add(centre, out), (double)j / segments, (double)row / (row_count - 1),
                         j == segments ? start : NEW_WELD);
        }
    }
    uint32_t last_pole =
        shape_vertex(s, add(frame->origin, scaled(axis, rings[ring_count - 1].along)), 0.5, 1, NEW_WELD);
    uint32_t stride = segments + 1, last_row = body + (row_count - 1) * stride;
    for (uint32_t j = 0; j < segments; j++) {
        shape_triangle(s, first_pole, body + j + 1, body + j);
        for (uint32_t row = 0; row + 1 < row_count; row++) {
            uint32_t a = body + row * stride + j;
            shape_triangle(s, a, a + 1, a + stride + 1);
            shape_triangle(s, a, a + stride + 1, a + stride);
        }
        shape_triangle(s, last_pole, last_row + j, last_row + j + 1);
    }
}

void shape_box(shape *s, vec3 centre, vec3 half) {
    for (int face = 0; face < 6; face++) {
        int axis = face / 2;
        double side = face % 2 ? 1 : -1;
        uint32_t first = s->vertex_count;
        for (int corner = 0; corner < 4; corner++) {
            double a = corner == 1 || corner == 2 ? 1 : -1, b = (corner >= 2 ? 1 : -1) * side;
            double p[3];
            p[axis] = side;
            p[(axis + 1) % 3] = a;
            p[(axis + 2) % 3] = b;
            vec3 offset = {p[0] * half.x, p[1] * half.y, p[2] * half.z};
            shape_vertex(s, add(centre, offset), (a + 1) / 2, (b + 1) / 2, NEW_WELD);
        }
        shape_triangle(s, first, first + 1, first + 2);
        shape_triangle(s, first, first + 2, first + 3);
    }
}

static vec3 point_at(const float *positions, uint32_t i) {
    return (vec3){(double)positions[3 * i], (double)positions[3 * i + 1], (double)positions[3 * i + 2]};
}

void shape_normals(const shape *s, const float *positions, float *normals) {
    vec3 *sums = grow(NULL, s->vertex_count, sizeof *sums);
    for (uint32_t i = 0; i < s->vertex_count; i++)
        sums[i] = (vec3){0, 0, 0};
    for (uint32_t i = 0; i < s->index_count; i += 3) {
        const uint32_t *t = &s->indices[i];
        vec3 a = point_at(positions, t[0]);
        vec3 area = cross(sub(point_at(positions, t[1]), a), sub(point_at(positions, t[2]), a));
        for (int k = 0; k < 3; k++)
            sums[s->welds[t[k]]] = add(sums[s->welds[t[k]]], area);
    }
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        vec3 n = sums[s->welds[i]];
        double size = length(n);
        n = size > 0 ? scaled(n, 1 / size) : (vec3){0, 1, 0};
        normals[3 * i] = (float)n.x;
        normals[3 * i + 1] = (float)n.y;
        normals[3 * i + 2] = (float)n.z;
    }
    free(sums);
}

void shape_free(shape *s) {
    free(s->positions);
    free(s->normals);
    free(s->uvs);
    free(s->welds);
    free(s->indices);
    *s = (shape){0};
}

void shape_attributes(blob *text, glb *g, const shape *s) {
    uint32_t indices = glb_indices(g, s->indices, s->index_count);
    uint32_t positions = glb_floats(g, s->positions, s->vertex_count, 3);
    uint32_t normals = glb_floats(g, s->normals, s->vertex_count, 3);
    uint32_t uvs = glb_floats(g, s->uvs, s->vertex_count, 2);
    blob_print(text, "\"indices\":%u,\"attributes\":{\"POSITION\":%u,\"NORMAL\":%u,\"TEXCOORD_0\":%u", indices,
               positions, normals, uvs);
}

uint32_t next_prime(uint32_t n) {
    for (;; n++) {
        uint32_t divisor = 2;
        while (divisor * divisor <= n && n % divisor)
            divisor++;
        if (n > 1 && divisor * divisor > n)
            return n;
    }
}
