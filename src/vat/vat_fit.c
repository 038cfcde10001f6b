/* SPDX-License-Identifier: MIT
 * The rotation, scale and travel that take a piece's vertices nearest to where a frame has them, in least squares.
 * Source: Umeyama, "Least-squares estimation of transformation parameters between two point patterns", 1991; the rotation by
 * base_rotation.c. */
#include "vat/vat_priv.h"

/* Part of the coordinates' size that floats round away: vertices that near to a line are on it, since no turn about it may follow rounding,
 * and those that near to a point are in it. */
#define ROUNDING 1e-6

/* But a piece that is as small as that at rest is shown as it is. */
#define LEAST_SCALE 1e-3

typedef struct piece {
    const bwi_vat_plan *plan;
    const bwi_space_map *space;
    const float *positions; /* [V][3] of the frame */
    const uint32_t *members;
    uint32_t count;
    bwi_vec3 first_from, first_to; /* of the first member: offsets from it are exact where all are in one point */
    bwi_vec3 from, to;             /* centroids, from there */
} piece;

static bwi_vec3 rest_of(const piece *p, uint32_t k) {
    const float *x = p->plan->palette->positions + 3 * (size_t)p->members[k];
    const double gltf[3] = {(double)x[0], (double)x[1], (double)x[2]};
    return bwi_space_map_point(gltf, p->space);
}

static bwi_vec3 frame_of(const piece *p, uint32_t k) {
    const float *x = p->positions + 3 * (size_t)p->members[k];
    return (bwi_vec3){(double)x[0], (double)x[1], (double)x[2]};
}

/* From the centroid. */
static bwi_vec3 rest_arm(const piece *p, uint32_t k) {
    return bwi_vec3_sub(bwi_vec3_sub(rest_of(p, k), p->first_from), p->from);
}

static bwi_vec3 frame_arm(const piece *p, uint32_t k) {
    return bwi_vec3_sub(bwi_vec3_sub(frame_of(p, k), p->first_to), p->to);
}

static void find_centroids(piece *p) {
    bwi_vec3 from = {0.0, 0.0, 0.0}, to = from;
    p->first_from = rest_of(p, 0);
    p->first_to = frame_of(p, 0);
    for (uint32_t k = 0; k < p->count; ++k) {
        from = bwi_vec3_add(from, bwi_vec3_sub(rest_of(p, k), p->first_from));
        to = bwi_vec3_add(to, bwi_vec3_sub(frame_of(p, k), p->first_to));
    }
    p->from = bwi_vec3_scale(from, 1.0 / p->count);
    p->to = bwi_vec3_scale(to, 1.0 / p->count);
}

static double largest_of(bwi_vec3 v) {
    const double x = v.x < 0.0 ? -v.x : v.x, y = v.y < 0.0 ? -v.y : v.y, z = v.z < 0.0 ? -v.z : v.z;
    const double xy = x > y ? x : y;
    return xy > z ? xy : z;
}

/* True where the piece is a line at rest.  Out: along — its direction; reach — largest coordinate. */
static bool is_line(const piece *p, bwi_vec3 *along, double *reach) {
    double farthest = 0.0, off = 0.0;
    bwi_vec3 direction = {0.0, 0.0, 0.0};
    *reach = largest_of(p->first_to);
    for (uint32_t k = 0; k < p->count; ++k) {
        const bwi_vec3 arm = rest_arm(p, k);
        const double length = bwi_vec3_length(arm), size = largest_of(rest_of(p, k));
        direction = length > farthest ? arm : direction;
        farthest = length > farthest ? length : farthest;
        *reach = size > *reach ? size : *reach;
    }
    *along = bwi_vec3_normalize(direction);
    for (uint32_t k = 0; k < p->count; ++k) {
        const double length = bwi_vec3_length(bwi_vec3_cross(rest_arm(p, k), *along));
        off = length > off ? length : off;
    }
    return off <= ROUNDING * *reach;
}

static void add_outer(double h[9], bwi_vec3 to, bwi_vec3 from) {
    const double t[3] = {to.x, to.y, to.z}, f[3] = {from.x, from.y, from.z};
    for (int i = 0; i < 9; ++i)
        h[i] += t[i / 3] * f[i % 3];
}

static bwi_mat4 fit(piece *p) {
    const bwi_quat identity = {0.0, 0.0, 0.0, 1.0};
    bwi_vec3 along;
    double h[9] = {0}, square = 0.0, shown = 0.0, reach;
    find_centroids(p);
    const bool line = is_line(p, &along, &reach);
    for (uint32_t k = 0; k < p->count; ++k) {
        bwi_vec3 from = rest_arm(p, k);
        const bwi_vec3 to = frame_arm(p, k);
        from = line ? bwi_vec3_scale(along, bwi_vec3_dot(from, along)) : from;
        square += bwi_vec3_dot(from, from);
        shown += bwi_vec3_dot(to, to);
        add_outer(h, to, from);
    }
    const bool vanishes =
        shown <= LEAST_SCALE * LEAST_SCALE * square && shown <= p->count * (ROUNDING * reach) * (ROUNDING * reach);
    const bwi_quat rotation = vanishes ? identity : bwi_quat_fit(h, identity);
    double scale = 1.0; /* of what is a point at rest as well */
    if (square > 0.0) {
        const bwi_mat4 r = bwi_mat4_from_trs((bwi_vec3){0.0, 0.0, 0.0}, rotation, (bwi_vec3){1.0, 1.0, 1.0});
        double trace = 0.0;
        for (int i = 0; i < 9; ++i)
            trace += r.m[4 * (i % 3) + i / 3] * h[i];
        scale = !vanishes && trace > 0.0 ? trace / square : 0.0;
    }
    bwi_mat4 pose = bwi_mat4_from_trs((bwi_vec3){0.0, 0.0, 0.0}, rotation, (bwi_vec3){scale, scale, scale});
    const bwi_vec3 turned = bwi_mat4_direction(&pose, bwi_vec3_add(p->first_from, p->from));
    const bwi_vec3 travel = bwi_vec3_sub(bwi_vec3_add(p->first_to, p->to), turned);
    pose.m[12] = travel.x;
    pose.m[13] = travel.y;
    pose.m[14] = travel.z;
    return pose;
}

void bwi_fit_poses(bwi_mat4 *poses, const bwi_vat_plan *plan, const float *positions) {
    const bwi_palette *palette = plan->palette;
    for (uint32_t b = 0; b < palette->bone_count; ++b) {
        if (!palette->bones[b].fitted)
            continue;
        piece p = {.plan = plan, .space = bwi_vat_space(&plan->settings), .positions = positions};
        p.members = palette->members + palette->first_member[b];
        p.count = palette->first_member[b + 1] - palette->first_member[b];
        poses[b] = fit(&p);
    }
}

double bwi_fit_error(const bwi_vat_plan *plan, uint32_t bone, const bwi_mat4 *pose, const float *positions) {
    const bwi_palette *palette = plan->palette;
    const bwi_space_map *space = bwi_vat_space(&plan->settings);
    double most = 0.0;
    for (uint32_t k = palette->first_member[bone]; k < palette->first_member[bone + 1]; ++k) {
        const size_t at = 3 * (size_t)palette->members[k];
        const float *rest = palette->positions + at, *p = positions + at;
        const double x[3] = {(double)rest[0], (double)rest[1], (double)rest[2]};
        const bwi_vec3 posed = bwi_mat4_point(pose, bwi_space_map_point(x, space));
        const bwi_vec3 off = bwi_vec3_sub(posed, (bwi_vec3){(double)p[0], (double)p[1], (double)p[2]});
        const double square = bwi_vec3_dot(off, off);
        most = square <= most ? most : square; /* a NaN stays */
    }
    return bwi_sqrt(most) / (double)space->scale;
}
