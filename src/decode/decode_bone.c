/* SPDX-License-Identifier: MIT
 * Bone and rigid mode: texels to transforms, and vertices that follow them, in the shader's float arithmetic.  Source: docs/FORMATS.md §11. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "decode/decode_priv.h"

enum { MOST_INFLUENCES = 8 };

/* How a bone turns x about its pivot: by a scale and a quaternion, or by a matrix. */
typedef struct bone_pose {
    float pivot[3]; /* posed */
    float scale, q[4];
    float linear[9]; /* row-major: scale · rotation, or the matrix */
} bone_pose;

enum { POSE_FLOATS = sizeof(bone_pose) / sizeof(float) };

static bool is_matrix(const bwi_decoder *d) {
    return d->position_decode == BWI_DECODE_BONE_MATRIX;
}

/* A texel as fetched. */
static void fetch(float value[4], const bwi_texels *image, size_t texel) {
    const uint16_t *shorts = (const uint16_t *)image->data + 4 * texel;
    for (int k = 0; k < 4; k++)
        value[k] = image->type == BWI_TEXEL_F32   ? ((const float *)image->data)[4 * texel + (size_t)k]
                   : image->type == BWI_TEXEL_F16 ? bwi_half_to_float(shorts[k])
                                                  : (float)shorts[k] / 65535.0f;
}

static void fetch_quaternion(float q[4], const bwi_texels *image, size_t texel) {
    const uint16_t *codes = (const uint16_t *)image->data + 4 * texel;
    if (bwi_texel_is_float(image->type))
        fetch(q, image, texel);
    else
        for (int k = 0; k < 4; k++)
            q[k] = ((float)codes[k] - 32768.0f) / 32767.0f;
    const float length = sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        q[k] /= length;
}

/* First texel of a bone in a block of the page: 0 is the reference block. */
static size_t first_texel(const bwi_decoder *d, size_t block, uint32_t bone) {
    const bwi_manifest_bones *bones = &d->manifest->bones;
    return (block * d->rows + bone / bones->per_row) * d->width + bones->texel_count * (bone % bones->per_row);
}

static void rotate(float out[3], const float q[4], const float v[3]) {
    const float x = q[1] * v[2] - q[2] * v[1] + q[3] * v[0];
    const float y = q[2] * v[0] - q[0] * v[2] + q[3] * v[1];
    const float z = q[0] * v[1] - q[1] * v[0] + q[3] * v[2];
    out[0] = v[0] + 2.0f * (q[1] * z - q[2] * y);
    out[1] = v[1] + 2.0f * (q[2] * x - q[0] * z);
    out[2] = v[2] + 2.0f * (q[0] * y - q[1] * x);
}

/* For directions, which follow the blended matrix. */
static void make_linear(bone_pose *pose) {
    for (size_t column = 0; column < 3; column++) {
        float axis[3] = {0.0f, 0.0f, 0.0f}, turned[3];
        axis[column] = 1.0f;
        rotate(turned, pose->q, axis);
        for (size_t row = 0; row < 3; row++)
            pose->linear[3 * row + column] = pose->scale * turned[row];
    }
}

static void decode_bone(bone_pose *pose, const bwi_decoder *d, const bwi_manifest_clip *clip, uint32_t frame,
                        uint32_t bone) {
    const bwi_texels *image = &d->position;
    const size_t texel = first_texel(d, (size_t)(frame - d->page.first_frame) + 1, bone);
    float value[4];
    if (is_matrix(d)) {
        for (size_t row = 0; row < 3; row++) {
            fetch(value, image, texel + row);
            memcpy(pose->linear + 3 * row, value, 3 * sizeof *value);
            pose->pivot[row] = value[3];
        }
        return;
    }
    const bool codes = !bwi_texel_is_float(image->type);
    fetch(value, image, texel);
    for (int k = 0; k < 3; k++)
        pose->pivot[k] = codes ? clip->pivot_min[k] + (clip->pivot_max[k] - clip->pivot_min[k]) * value[k] : value[k];
    pose->scale = codes ? clip->max_scale * value[3] : value[3];
    fetch_quaternion(pose->q, image, texel + 1);
}

static void decode_bones(bone_pose *poses, const bwi_decoder *d, uint32_t clip, uint32_t frame) {
    for (uint32_t b = 0; b < d->manifest->bones.count; b++) {
        decode_bone(&poses[b], d, &d->manifest->clips.data[clip], frame, b);
        if (!is_matrix(d))
            make_linear(&poses[b]);
    }
}

static void mix(float *a, const float *b, float t, size_t count) {
    for (size_t k = 0; k < count; k++)
        a[k] = a[k] + (b[k] - a[k]) * t;
}

/* a becomes what lies between. */
static void mix_poses(bone_pose *a, const bone_pose *b, float t, bool matrix) {
    mix(a->pivot, b->pivot, t, 3);
    if (matrix) {
        mix(a->linear, b->linear, t, 9);
        return;
    }
    mix(&a->scale, &b->scale, t, 1);
    const float dot = a->q[0] * b->q[0] + a->q[1] * b->q[1] + a->q[2] * b->q[2] + a->q[3] * b->q[3];
    float q[4];
    for (int k = 0; k < 4; k++)
        q[k] = dot < 0.0f ? -b->q[k] : b->q[k];
    mix(a->q, q, t, 4);
    const float length = sqrtf(a->q[0] * a->q[0] + a->q[1] * a->q[1] + a->q[2] * a->q[2] + a->q[3] * a->q[3]);
    for (int k = 0; k < 4; k++)
        a->q[k] /= length;
    make_linear(a);
}

/* Where a bone takes x. */
static void carry(float out[3], const bone_pose *pose, const float x[3], const float pivot[3], bool matrix) {
    const float v[3] = {x[0] - pivot[0], x[1] - pivot[1], x[2] - pivot[2]};
    if (matrix) {
        const float *m = pose->linear;
        for (size_t k = 0; k < 3; k++)
            out[k] = pose->pivot[k] + (m[3 * k] * v[0] + m[3 * k + 1] * v[1] + m[3 * k + 2] * v[2]);
        return;
    }
    float turned[3];
    rotate(turned, pose->q, v);
    for (size_t k = 0; k < 3; k++)
        out[k] = pose->pivot[k] + pose->scale * turned[k];
}

/* Of a vertex: what it follows. */
typedef struct influences {
    const bone_pose *poses;
    const float *pivots;
    const uint16_t *bones; /* into both */
    const float *weights;
    uint32_t count;
} influences;

static void place(float out[3], const influences *at, const float x[3], bool matrix) {
    float sum[3] = {0.0f, 0.0f, 0.0f};
    for (uint32_t k = 0; k < at->count; k++) {
        const float weight = at->weights[k];
        if (weight == 0.0f)
            continue;
        float carried[3];
        carry(carried, &at->poses[at->bones[k]], x, at->pivots + 3 * (size_t)at->bones[k], matrix);
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += weight * carried[axis];
    }
    memcpy(out, sum, sizeof sum);
}

static void blend(float a[9], const influences *at) {
    memset(a, 0, 9 * sizeof *a);
    for (uint32_t k = 0; k < at->count; k++) {
        const float *linear = at->poses[at->bones[k]].linear, weight = at->weights[k];
        for (int i = 0; weight != 0.0f && i < 9; i++)
            a[i] += weight * linear[i];
    }
}

static void cross(float out[3], const float a[3], const float b[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static float dot3(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* What has no direction, since its bones have no extent, keeps that of the mesh. */
static void put_unit(float out[3], const float v[3], const float mesh[3]) {
    const float length = sqrtf(dot3(v, v));
    for (int k = 0; k < 3; k++)
        out[k] = length > 0.0f ? v[k] / length : mesh[k];
}

static void turn_normal(float out[3], const float a[9], const float n[3]) {
    float cofactors[9];
    cross(cofactors, a + 3, a + 6);
    cross(cofactors + 3, a + 6, a);
    cross(cofactors + 6, a, a + 3);
    const float sign = dot3(a, cofactors) < 0.0f ? -1.0f : 1.0f;
    const float v[3] = {sign * dot3(cofactors, n), sign * dot3(cofactors + 3, n), sign * dot3(cofactors + 6, n)};
    put_unit(out, v, n);
}

static void turn_tangent(float out[3], const float a[9], const float t[3]) {
    const float v[3] = {dot3(a, t), dot3(a + 3, t), dot3(a + 6, t)};
    put_unit(out, v, t);
}

static void follow(const bwi_decoder *d, const bwi_bone_mesh *mesh, const bone_pose *poses, const bwi_decoded *out) {
    const uint32_t width = d->manifest->bones.influence_count;
    const bool matrix = is_matrix(d), normals = out->normals && mesh->normals,
               tangents = out->tangents && mesh->tangents;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const influences at = {poses, d->pivots, mesh->bones + width * i, mesh->weights + width * i, width};
        place(out->positions + 3 * i, &at, mesh->positions + 3 * i, matrix);
        if (!normals && !tangents)
            continue;
        float a[9];
        blend(a, &at);
        if (normals)
            turn_normal(out->normals + 3 * i, a, mesh->normals + 3 * i);
        if (tangents)
            turn_tangent(out->tangents + 3 * i, a, mesh->tangents + 3 * i);
    }
}

size_t bwi_bone_scratch_size(const bwi_decoder *d) {
    return (size_t)d->manifest->bones.count * POSE_FLOATS;
}

void bwi_bone_frame(const bwi_decoder *d, const bwi_bone_mesh *mesh, const bwi_decoded *out, uint32_t clip,
                    uint32_t frame, float *scratch) {
    bone_pose *poses = (bone_pose *)scratch;
    decode_bones(poses, d, clip, frame);
    follow(d, mesh, poses, out);
}

void bwi_bone_between(const bwi_decoder *d, const bwi_decoded *out, uint32_t clip, uint32_t frame, float t,
                      float *scratch) {
    bone_pose *poses = (bone_pose *)scratch;
    decode_bones(poses, d, clip, frame);
    for (uint32_t b = 0; b < d->manifest->bones.count; b++) {
        bone_pose next = {.scale = 0.0f};
        decode_bone(&next, d, &d->manifest->clips.data[clip], frame + 1, b);
        mix_poses(&poses[b], &next, t, is_matrix(d));
    }
    follow(d, &d->bone_mesh, poses, out);
}

void bwi_bone_position(const bwi_decoder *d, float position[3], uint32_t clip, uint32_t frame, uint32_t element) {
    const uint32_t width = d->manifest->bones.influence_count;
    const uint16_t *bones = d->bone_mesh.bones + (size_t)width * element;
    const uint16_t own[MOST_INFLUENCES] = {0, 1, 2, 3, 4, 5, 6, 7};
    bone_pose poses[MOST_INFLUENCES];
    float pivots[3 * MOST_INFLUENCES];
    for (uint32_t k = 0; k < width; k++) {
        decode_bone(&poses[k], d, &d->manifest->clips.data[clip], frame, bones[k]);
        memcpy(pivots + 3 * k, d->pivots + 3 * (size_t)bones[k], 3 * sizeof *pivots);
    }
    const influences at = {poses, pivots, own, d->bone_mesh.weights + (size_t)width * element, width};
    place(position, &at, d->bone_mesh.positions + 3 * (size_t)element, is_matrix(d));
}

static void read_pivots(bwi_decoder *d) {
    const bwi_manifest_bones *bones = &d->manifest->bones;
    for (uint32_t b = 0; b < bones->count; b++) {
        const size_t texel = first_texel(d, 0, b);
        float *pivot = d->pivots + 3 * (size_t)b, value[4];
        fetch(value, &d->position, texel);
        for (size_t k = 0; k < 3; k++) {
            if (!bwi_texel_is_float(d->position.type))
                pivot[k] = bones->pivot_min[k] + (bones->pivot_max[k] - bones->pivot_min[k]) * value[k];
            else if (!is_matrix(d))
                pivot[k] = value[k];
            else
                pivot[k] = ((const float *)d->position.data)[4 * (texel + k) + 3];
        }
    }
}

void bwi_bone_page(bwi_decoder *d) {
    const bwi_bone_mesh *mesh = &d->bone_mesh;
    const uint32_t width = d->manifest->bones.influence_count;
    read_pivots(d);
    float square = 0.0f;
    for (size_t i = 0; i < (size_t)mesh->vertex_count * width; i++) {
        const float *x = mesh->positions + 3 * (i / width), *p = d->pivots + 3 * (size_t)mesh->bones[i];
        const float v[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
        if (mesh->weights[i] > 0.0f)
            square = fmaxf(square, dot3(v, v));
    }
    d->reach = sqrtf(square);
    d->largest = fmaxf(d->largest, 1.0f);
    const size_t count = 4 * (size_t)d->position.width * d->position.height;
    for (size_t k = 0; d->position.type == BWI_TEXEL_F32 && k < count; k++)
        d->largest = fmaxf(d->largest, fabsf(((const float *)d->position.data)[k]));
}

/* How far a vertex may be off where every bone is off by its rounding: weights sum to 1, so by no more than one bone that has all of them. */
void bwi_bone_resolution(const bwi_decoder *d, uint32_t clip, float step[3]) {
    const bwi_manifest *m = d->manifest;
    const bwi_manifest_clip *c = &m->clips.data[clip];
    const bwi_texel_type type = bwi_format_info_of(m->format)->type;
    const bool matrix = m->bones.texel_count == 3;
    const float far = d->reach * (matrix ? 3.0f * d->largest : c->max_scale);
    /* A quaternion of unit length whose codes are rounded is off by half a code in each of 4 channels, so by no more than a code, 1/32767; what is
     * stored points no worse.  The angle is twice that.  Halves of at most 1 are off by 2^-12: 2^-11 in all, an angle of 2^-10. */
    const float turn = bwi_texel_is_float(type) ? type == BWI_TEXEL_F16 ? 1.0f / 1024.0f : 0.0f : 2.0f / 32767.0f;
    for (int k = 0; k < 3; k++) {
        const float low = matrix ? d->largest : fabsf(c->pivot_min[k]), high = matrix ? 0.0f : fabsf(c->pivot_max[k]);
        const float pivot = fmaxf(low, high), rest = fmaxf(fabsf(m->bones.pivot_min[k]), fabsf(m->bones.pivot_max[k]));
        const float code = type == BWI_TEXEL_F32   ? 0.0f
                           : type == BWI_TEXEL_F16 ? pivot / 1024.0f + 1.0f / 16777216.0f + far / 1024.0f
                                                   : (c->pivot_max[k] - c->pivot_min[k] + far) / 65535.0f;
        /* The decoder's own float sums: a few roundings of what it adds up. */
        step[k] = code + turn * far + (pivot + rest + far + d->reach) * (8.0f * FLT_EPSILON);
    }
}
