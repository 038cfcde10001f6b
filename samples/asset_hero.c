/* SPDX-License-Identifier: MIT
 * hero.glb: a skinned figure of 22 joints with morph targets, two materials, a sword in its hand and five clips; scout.glb: the same without
 * what bones cannot show: morph targets, more than four joints a vertex, and a scale that is uneven. */
#include "assets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shape.h"

enum {
    ROOT,
    HIPS,
    SPINE,
    CHEST,
    NECK,
    HEAD,
    SHOULDER_L,
    UPPER_ARM_L,
    LOWER_ARM_L,
    HAND_L,
    SHOULDER_R,
    UPPER_ARM_R,
    LOWER_ARM_R,
    HAND_R,
    UPPER_LEG_L,
    LOWER_LEG_L,
    FOOT_L,
    TOE_L,
    UPPER_LEG_R,
    LOWER_LEG_R,
    FOOT_R,
    TOE_R,
    JOINT_COUNT
};

/* Where joints are in the bind pose.  The bone's own y axis runs to `tail`, so joints carry rotations as rigs from editors do. */
typedef struct joint {
    const char *name;
    int parent;
    vec3 position, tail;
    vec3 turn; /* degrees from model axes to the joint's */
} joint;

static const joint joints[JOINT_COUNT] = {
    [ROOT] = {"root", -1, {0, 0, 0}, {0, 0.1, 0}, {0, 0, 0}},
    [HIPS] = {"hips", ROOT, {0, 1, 0}, {0, 1.12, 0}, {0, 0, 0}},
    [SPINE] = {"spine", HIPS, {0, 1.12, 0}, {0, 1.3, 0}, {0, 0, 0}},
    [CHEST] = {"chest", SPINE, {0, 1.3, 0}, {0, 1.5, 0}, {0, 0, 0}},
    [NECK] = {"neck", CHEST, {0, 1.5, 0}, {0, 1.6, 0.01}, {0, 0, 0}},
    [HEAD] = {"head", NECK, {0, 1.6, 0.01}, {0, 1.85, 0.02}, {0, 0, 0}},
    [SHOULDER_L] = {"shoulder.L", CHEST, {0.04, 1.44, 0}, {0.18, 1.44, 0}, {0, 0, -90}},
    [UPPER_ARM_L] = {"upper_arm.L", SHOULDER_L, {0.18, 1.44, 0}, {0.46, 1.44, 0}, {0, 0, -90}},
    [LOWER_ARM_L] = {"lower_arm.L", UPPER_ARM_L, {0.46, 1.44, 0}, {0.72, 1.44, 0}, {0, 0, -90}},
    [HAND_L] = {"hand.L", LOWER_ARM_L, {0.72, 1.44, 0}, {0.88, 1.44, 0}, {0, 0, -90}},
    [SHOULDER_R] = {"shoulder.R", CHEST, {-0.04, 1.44, 0}, {-0.18, 1.44, 0}, {0, 0, 90}},
    [UPPER_ARM_R] = {"upper_arm.R", SHOULDER_R, {-0.18, 1.44, 0}, {-0.46, 1.44, 0}, {0, 0, 90}},
    [LOWER_ARM_R] = {"lower_arm.R", UPPER_ARM_R, {-0.46, 1.44, 0}, {-0.72, 1.44, 0}, {0, 0, 90}},
    [HAND_R] = {"hand.R", LOWER_ARM_R, {-0.72, 1.44, 0}, {-0.88, 1.44, 0}, {0, 0, 90}},
    [UPPER_LEG_L] = {"upper_leg.L", HIPS, {0.1, 0.95, 0}, {0.1, 0.52, 0.01}, {180, 0, 0}},
    [LOWER_LEG_L] = {"lower_leg.L", UPPER_LEG_L, {0.1, 0.52, 0.01}, {0.1, 0.1, -0.01}, {180, 0, 0}},
    [FOOT_L] = {"foot.L", LOWER_LEG_L, {0.1, 0.1, -0.01}, {0.1, 0.03, 0.12}, {90, 0, 0}},
    [TOE_L] = {"toe.L", FOOT_L, {0.1, 0.03, 0.12}, {0.1, 0.03, 0.2}, {90, 0, 0}},
    [UPPER_LEG_R] = {"upper_leg.R", HIPS, {-0.1, 0.95, 0}, {-0.1, 0.52, 0.01}, {180, 0, 0}},
    [LOWER_LEG_R] = {"lower_leg.R", UPPER_LEG_R, {-0.1, 0.52, 0.01}, {-0.1, 0.1, -0.01}, {180, 0, 0}},
    [FOOT_R] = {"foot.R", LOWER_LEG_R, {-0.1, 0.1, -0.01}, {-0.1, 0.03, 0.12}, {90, 0, 0}},
    [TOE_R] = {"toe.R", FOOT_R, {-0.1, 0.03, 0.12}, {-0.1, 0.03, 0.2}, {90, 0, 0}},
};

/* ---- mesh ---- */

static const vec3 AXIS_X = {1, 0, 0}, AXIS_Y = {0, 1, 0}, AXIS_Z = {0, 0, 1};

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

static void build_skin(shape *skin) {
    static const ring head[] = {{0, 0.02, 0.02},     {0.01, 0.06, 0.05},   {0.05, 0.09, 0.075}, {0.12, 0.1, 0.08},
                                {0.19, 0.085, 0.07}, {0.235, 0.05, 0.045}, {0.25, 0.015, 0.015}};
    static const ring neck[] = {{0, 0.05, 0.055}, {0.06, 0.048, 0.05}, {0.13, 0.05, 0.05}};
    static const ring arm[] = {{0, 0.02, 0.02},      {0.01, 0.05, 0.05},   {0.1, 0.048, 0.05},
                               {0.28, 0.036, 0.038}, {0.36, 0.04, 0.042},  {0.52, 0.026, 0.03},
                               {0.56, 0.02, 0.04},   {0.65, 0.018, 0.045}, {0.7, 0.008, 0.02}};
    shape_tube(skin, &(tube_frame){{0, 1.59, 0.02}, AXIS_Z, AXIS_X}, head, COUNT(head), 4, 24);
    shape_tube(skin, &(tube_frame){{0, 1.47, 0}, AXIS_Z, AXIS_X}, neck, COUNT(neck), 3, 20);
    shape_tube(skin, &(tube_frame){{0.18, 1.44, 0}, AXIS_Y, AXIS_Z}, arm, COUNT(arm), 4, 14);
    shape_tube(skin, &(tube_frame){{-0.18, 1.44, 0}, AXIS_Z, AXIS_Y}, arm, COUNT(arm), 4, 14);
}

static void build_cloth(shape *cloth) {
    static const ring torso[] = {{0, 0.06, 0.09},  {0.03, 0.1, 0.15},  {0.12, 0.1, 0.16},   {0.25, 0.085, 0.135},
                                 {0.4, 0.1, 0.16}, {0.55, 0.11, 0.18}, {0.62, 0.085, 0.16}, {0.66, 0.05, 0.07}};
    static const ring leg[] = {{0, 0.05, 0.05},      {0.02, 0.085, 0.09}, {0.2, 0.08, 0.085}, {0.42, 0.055, 0.06},
                               {0.55, 0.058, 0.062}, {0.8, 0.036, 0.038}, {0.87, 0.04, 0.045}};
    static const ring foot[] = {
        {0, 0.03, 0.03}, {0.02, 0.045, 0.05}, {0.12, 0.048, 0.035}, {0.2, 0.045, 0.025}, {0.24, 0.02, 0.012}};
    shape_tube(cloth, &(tube_frame){{0, 0.86, 0}, AXIS_Z, AXIS_X}, torso, COUNT(torso), 4, 28);
    shape_tube(cloth, &(tube_frame){{0.1, 0.94, 0}, AXIS_X, AXIS_Z}, leg, COUNT(leg), 4, 16);
    shape_tube(cloth, &(tube_frame){{-0.1, 0.94, 0}, AXIS_X, AXIS_Z}, leg, COUNT(leg), 4, 16);
    shape_tube(cloth, &(tube_frame){{0.1, 0.05, -0.05}, AXIS_X, AXIS_Y}, foot, COUNT(foot), 2, 12);
    shape_tube(cloth, &(tube_frame){{-0.1, 0.05, -0.05}, AXIS_X, AXIS_Y}, foot, COUNT(foot), 2, 12);
}

/* A round badge on the chest: a fan whose corner count makes the asset's vertex count a prime, which no texture width divides. */
static void build_badge(shape *cloth, uint32_t corner_count) {
    vec3 centre = {0.06, 1.36, 0.125};
    uint32_t middle = shape_vertex(cloth, centre, 0.5, 0.5, NEW_WELD), first = cloth->vertex_count;
    for (uint32_t k = 0; k < corner_count; k++) {
        double x = cosine(2 * PI * k / corner_count), y = sine(2 * PI * k / corner_count);
        shape_vertex(cloth, add(centre, (vec3){0.035 * x, 0.035 * y, -0.01}), 0.5 + 0.5 * x, 0.5 - 0.5 * y, NEW_WELD);
    }
    for (uint32_t k = 0; k < corner_count; k++)
        shape_triangle(cloth, middle, first + k, first + (k + 1) % corner_count);
}

static void build_sword(shape *sword) {
    static const ring grip[] = {
        {-0.12, 0.012, 0.012}, {-0.11, 0.016, 0.016}, {0.05, 0.014, 0.014}, {0.06, 0.016, 0.016}};
    static const ring blade[] = {{0.09, 0.006, 0.03}, {0.1, 0.006, 0.03}, {0.8, 0.004, 0.02}, {0.92, 0.001, 0.002}};
    shape_tube(sword, &(tube_frame){{0, 0, 0}, AXIS_Z, AXIS_X}, grip, COUNT(grip), 1, 10);
    shape_box(sword, (vec3){0, 0.075, 0}, (vec3){0.09, 0.015, 0.02});
    shape_tube(sword, &(tube_frame){{0, 0, 0}, AXIS_Z, AXIS_X}, blade, COUNT(blade), 3, 8);
}

/* ---- skin weights ---- */

#define INFLUENCE_MAX 8

static double distance_to_bone(vec3 p, const joint *bone) {
    vec3 along = sub(bone->tail, bone->position), from = sub(p, bone->position);
    double t = dot(from, along) / dot(along, along);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return length(sub(from, scaled(along, t)));
}

/* The `limit` nearest bones, weighted by the inverse fourth power of their distance; weights below 1 % of the largest are dropped.  The sum is
 * one to the last bit of a float. */
static uint32_t weigh(vec3 p, uint32_t limit, uint8_t bones[INFLUENCE_MAX], float weights[INFLUENCE_MAX]) {
    double best[INFLUENCE_MAX] = {0};
    uint32_t count = 0;
    for (int j = HIPS; j < JOINT_COUNT; j++) {
        double d = distance_to_bone(p, &joints[j]), soft = d * d + 0.0004, w = 1 / (soft * soft);
        uint32_t k = count < limit ? count++ : limit;
        for (; k > 0 && best[k - 1] < w; k--) {
            if (k < limit) {
                best[k] = best[k - 1];
                bones[k] = bones[k - 1];
            }
        }
        if (k < limit) {
            best[k] = w;
            bones[k] = (uint8_t)j;
        }
    }
    while (best[count - 1] < 0.01 * best[0])
        count--;
    double sum = 0;
    for (uint32_t k = 0; k < count; k++)
        sum += best[k];
    float rest = 1;
    for (uint32_t k = count; k-- > 1;) {
        weights[k] = (float)(best[k] / sum);
        rest -= weights[k];
    }
    weights[0] = rest;
    for (uint32_t k = count; k < INFLUENCE_MAX; k++) {
        bones[k] = 0;
        weights[k] = 0;
    }
    return count;
}

static void add_weights(blob *text, glb *g, const shape *s, uint32_t set_count) {
    for (uint32_t set = 0; set < set_count; set++) {
        uint8_t *bones = grow(NULL, s->vertex_count, 4);
        float *weights = grow(NULL, s->vertex_count, 4 * sizeof *weights);
        for (uint32_t i = 0; i < s->vertex_count; i++) {
            const float *p = &s->positions[3 * i];
            uint8_t all_bones[INFLUENCE_MAX];
            float all_weights[INFLUENCE_MAX];
            weigh((vec3){(double)p[0], (double)p[1], (double)p[2]}, 4 * set_count, all_bones, all_weights);
            memcpy(&bones[4 * i], &all_bones[4 * set], 4);
            memcpy(&weights[4 * i], &all_weights[4 * set], 4 * sizeof *weights);
        }
        uint32_t bone_accessor = glb_bytes4(g, bones, s->vertex_count),
                 weight_accessor = glb_floats(g, weights, s->vertex_count, 4);
        blob_print(text, ",\"JOINTS_%u\":%u,\"WEIGHTS_%u\":%u", set, bone_accessor, set, weight_accessor);
        free(bones);
        free(weights);
    }
}

/* ---- morph targets ---- */

/* How far a point moves at weight 1. */
static vec3 breathe(vec3 p, vec3 normal) {
    double chest = smooth_step(1.15, 1.35, p.y) * (1 - smooth_step(1.42, 1.52, p.y)),
           front = smooth_step(-0.05, 0.1, p.z);
    return scaled(normal, p.x > -0.2 && p.x < 0.2 ? 0.018 * chest * front : 0);
}

static vec3 puff(vec3 p, vec3 normal) {
    double cheek = smooth_step(1.6, 1.66, p.y) * (1 - smooth_step(1.7, 1.76, p.y)),
           front = smooth_step(-0.02, 0.06, p.z);
    return scaled(normal, 0.025 * cheek * front);
}

static void add_target(blob *text, glb *g, const shape *s, vec3 (*move)(vec3, vec3)) {
    float *moved = grow(NULL, s->vertex_count, 3 * sizeof *moved),
          *delta = grow(NULL, s->vertex_count, 3 * sizeof *delta);
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        const float *p = &s->positions[3 * i], *n = &s->normals[3 * i];
        vec3 d =
            move((vec3){(double)p[0], (double)p[1], (double)p[2]}, (vec3){(double)n[0], (double)n[1], (double)n[2]});
        delta[3 * i] = (float)d.x;
        delta[3 * i + 1] = (float)d.y;
        delta[3 * i + 2] = (float)d.z;
        for (int c = 0; c < 3; c++)
            moved[3 * i + (uint32_t)c] = p[c] + delta[3 * i + (uint32_t)c];
    }
    uint32_t positions = glb_floats(g, delta, s->vertex_count, 3);
    shape_normals(s, moved, delta);
    for (uint32_t i = 0; i < 3 * s->vertex_count; i++)
        delta[i] -= s->normals[i];
    blob_print(text, "{\"POSITION\":%u,\"NORMAL\":%u}", positions, glb_floats(g, delta, s->vertex_count, 3));
    free(moved);
    free(delta);
}

/* ---- poses ---- */

/* Turns in degrees about the model's axes in the bind pose; shifts in metres, of root and hips. */
typedef struct pose {
    vec3 turns[JOINT_COUNT];
    vec3 root, hips;
    double breathe, puff;
} pose;

static void arms_down(pose *p, double left, double right) {
    p->turns[UPPER_ARM_L] = (vec3){0, 0, -left};
    p->turns[UPPER_ARM_R] = (vec3){0, 0, right};
}

static void pose_idle(pose *p, double t) {
    double a = PI * t; /* 2 s a breath */
    arms_down(p, 70 + 1.5 * sine(a), 70 + 1.5 * sine(a));
    p->turns[LOWER_ARM_L] = (vec3){0, -12, 0};
    p->turns[LOWER_ARM_R] = (vec3){0, 14 + 2 * sine(a), 0};
    p->turns[CHEST] = (vec3){1.5 * sine(a), 0, 0};
    p->turns[HEAD] = (vec3){-1.5 * sine(a), 5 * sine(a), 0};
    p->hips = (vec3){0, -0.006 - 0.006 * cosine(a), 0};
    p->breathe = 0.5 - 0.5 * cosine(a);
}

static void stride(pose *p, double phase, double swing, double knee, double bounce) {
    double s = sine(phase), c = cosine(phase);
    p->turns[UPPER_LEG_L] = (vec3){-swing * s - 8, 0, 0};
    p->turns[UPPER_LEG_R] = (vec3){swing * s - 8, 0, 0};
    p->turns[LOWER_LEG_L] = (vec3){knee * (0.55 + 0.45 * c), 0, 0};
    p->turns[LOWER_LEG_R] = (vec3){knee * (0.55 - 0.45 * c), 0, 0};
    p->turns[FOOT_L] = (vec3){0.4 * swing * s, 0, 0};
    p->turns[FOOT_R] = (vec3){-0.4 * swing * s, 0, 0};
    p->turns[TOE_L] = (vec3){-10 * smooth_step(0, 1, -s), 0, 0};
    p->turns[TOE_R] = (vec3){-10 * smooth_step(0, 1, s), 0, 0};
    arms_down(p, 72, 72);
    p->turns[SHOULDER_L] = (vec3){0, 6 * s, 0};
    p->turns[SHOULDER_R] = (vec3){0, 6 * s, 0};
    p->turns[LOWER_ARM_L] = (vec3){0, -knee * 0.8 - 10 * s, 0};
    p->turns[LOWER_ARM_R] = (vec3){0, knee * 0.8 - 10 * s, 0};
    p->turns[CHEST] = (vec3){6, 8 * s, 0};
    p->turns[SPINE] = (vec3){4, 0, 2 * s};
    p->turns[HEAD] = (vec3){-8, -8 * s, 0};
    p->hips = (vec3){0, bounce * cosine(2 * phase) - bounce, 0};
}

static void pose_run(pose *p, double t) {
    stride(p, 2 * PI * t / 0.75, 48, 95, 0.04);
}

static void pose_wave(pose *p, double t) {
    double up = smooth_step(0, 0.5, t), shake = up * sine(4 * PI * t);
    pose_idle(p, t);
    p->turns[UPPER_ARM_L] = (vec3){0, 0, -70 + 105 * up};
    p->turns[LOWER_ARM_L] = (vec3){0, -12 * (1 - up), up * 40 + 22 * shake};
    p->turns[HAND_L] = (vec3){0, 0, 15 * shake};
    p->turns[HEAD] = (vec3){0, 12 * up, -6 * up};
    p->puff = smooth_step(0.6, 0.9, t) * (1 - smooth_step(1.2, 1.5, t));
}

static void pose_walk(pose *p, double t) {
    stride(p, 2 * PI * t, 26, 40, 0.02);
    p->root = (vec3){0, 0, 1.4 * t};
}

static void pose_jump(pose *p, double t) {
    double crouch = smooth_step(0, 0.25, t) * (1 - smooth_step(0.25, 0.4, t)) +
                    0.8 * smooth_step(0.65, 0.8, t) * (1 - smooth_step(0.8, 1, t));
    double air = smooth_step(0.25, 0.5, t) * (1 - smooth_step(0.5, 0.75, t));
    pose_idle(p, 0);
    p->hips = (vec3){0, -0.22 * crouch + 0.55 * air, 0};
    for (int side = 0; side < 2; side++) {
        p->turns[side ? UPPER_LEG_R : UPPER_LEG_L] = (vec3){-60 * crouch - 30 * air, 0, 0};
        p->turns[side ? LOWER_LEG_R : LOWER_LEG_L] = (vec3){110 * crouch + 50 * air, 0, 0};
        p->turns[side ? FOOT_R : FOOT_L] = (vec3){-50 * crouch + 30 * air, 0, 0};
    }
    arms_down(p, 70 - 110 * air, 70 - 110 * air);
    p->turns[SPINE] = (vec3){30 * crouch, 0, 0};
    p->breathe = crouch;
}

/* ---- clips ---- */

static const struct clip_row {
    const char *name;
    void (*at)(pose *p, double t);
    double fps; /* keys a second */
    uint32_t key_count;
    double first_s;    /* clips need not begin at 0 */
    bool cubic, sword; /* CUBICSPLINE; the sword's scale in steps */
} clip_rows[] = {
    {"Idle", pose_idle, 30, 61, 0, false, false},
    {"Run", pose_run, 24, 19, 0, false, false},
    {"Wave", pose_wave, 30, 49, 0, false, false},
    {"Walk", pose_walk, 8, 33, 0, false, false}, /* every third frame of 24 */
    {"Jump", pose_jump, 10, 11, 1, true, true},
};

/* Key values of one property, in arrays of `components` floats; cubic ones with Catmull-Rom tangents. */
static uint32_t add_values(glb *g, const double *values, uint32_t key_count, uint32_t components, double fps,
                           bool cubic, bool scalar) {
    size_t total = (size_t)key_count * components, stored = 0;
    float *out = grow(NULL, total * 3, sizeof *out);
    for (uint32_t k = 0; k < key_count; k++) {
        uint32_t before = k ? k - 1 : k, after = k + 1 < key_count ? k + 1 : k;
        for (int part = cubic ? 0 : 1; part < (cubic ? 3 : 2); part++)
            for (uint32_t c = 0; c < components; c++) {
                double slope =
                    (values[after * components + c] - values[before * components + c]) * fps / (after - before);
                out[stored++] = (float)(part == 1 ? values[k * components + c] : slope);
            }
    }
    uint32_t accessor = glb_floats(g, out, scalar ? stored : stored / components, scalar ? 1 : components);
    free(out);
    return accessor;
}

/* Rotation of a joint in its parent's axes, for a turn about the model's axes. */
static quat local_rotation(int j, vec3 turn) {
    quat world = quat_euler(joints[j].turn),
         parent = joints[j].parent < 0 ? (quat){0, 0, 0, 1} : quat_euler(joints[joints[j].parent].turn);
    return quat_mul(quat_conjugate(parent), quat_mul(quat_euler(turn), world));
}

static vec3 local_translation(int j, vec3 shift) {
    int parent = joints[j].parent;
    vec3 offset = add(joints[j].position, shift);
    return parent < 0 ? offset
                      : rotate(quat_conjugate(quat_euler(joints[parent].turn)), sub(offset, joints[parent].position));
}

static void add_rotation_channel(glb *g, glb_clip *clip, uint32_t node, uint32_t times, const struct clip_row *row,
                                 const pose *poses, int j) {
    double *values = grow(NULL, row->key_count, 4 * sizeof *values);
    bool moves = false;
    for (uint32_t k = 0; k < row->key_count; k++) {
        vec3 turn = poses[k].turns[j];
        moves = moves || dot(turn, turn) > 0;
        quat q = local_rotation(j, turn);
        if (k) { /* the same hemisphere as the key before, so that cubic tangents make sense */
            const double *last = &values[4 * (k - 1)];
            double sign = last[0] * q.x + last[1] * q.y + last[2] * q.z + last[3] * q.w < 0 ? -1 : 1;
            q = (quat){sign * q.x, sign * q.y, sign * q.z, sign * q.w};
        }
        memcpy(&values[4 * k], &(double[4]){q.x, q.y, q.z, q.w}, 4 * sizeof *values);
    }
    if (moves)
        glb_channel(clip, node, "rotation", row->cubic ? "CUBICSPLINE" : "LINEAR", times,
                    add_values(g, values, row->key_count, 4, row->fps, row->cubic, false));
    free(values);
}

static void add_translation_channel(glb *g, glb_clip *clip, uint32_t node, uint32_t times, const struct clip_row *row,
                                    const pose *poses, int j) {
    double *values = grow(NULL, row->key_count, 3 * sizeof *values);
    bool moves = false;
    for (uint32_t k = 0; k < row->key_count; k++) {
        vec3 shift = j == ROOT ? poses[k].root : poses[k].hips;
        moves = moves || dot(shift, shift) > 0;
        vec3 t = local_translation(j, shift);
        memcpy(&values[3 * k], &(double[3]){t.x, t.y, t.z}, 3 * sizeof *values);
    }
    if (moves)
        glb_channel(clip, node, "translation", row->cubic ? "CUBICSPLINE" : "LINEAR", times,
                    add_values(g, values, row->key_count, 3, row->fps, row->cubic, false));
    free(values);
}

static void add_weights_channel(glb *g, glb_clip *clip, uint32_t node, uint32_t times, const struct clip_row *row,
                                const pose *poses) {
    double *values = grow(NULL, row->key_count, 2 * sizeof *values);
    for (uint32_t k = 0; k < row->key_count; k++) {
        values[2 * k] = poses[k].breathe;
        values[2 * k + 1] = poses[k].puff;
    }
    glb_channel(clip, node, "weights", row->cubic ? "CUBICSPLINE" : "LINEAR", times,
                add_values(g, values, row->key_count, 2, row->fps, row->cubic, true));
    free(values);
}

static void add_clip(glb *g, const struct clip_row *row, uint32_t first_joint_node, uint32_t body_node,
                     uint32_t sword_node, bool plain) {
    pose *poses = grow(NULL, row->key_count, sizeof *poses);
    float *seconds = grow(NULL, row->key_count, sizeof *seconds);
    for (uint32_t k = 0; k < row->key_count; k++) {
        poses[k] = (pose){0};
        row->at(&poses[k], k / row->fps);
        seconds[k] = (float)(row->first_s + k / row->fps);
    }
    uint32_t times = glb_floats(g, seconds, row->key_count, 1);
    glb_clip clip = {0};
    for (int j = 0; j < JOINT_COUNT; j++) {
        uint32_t node = first_joint_node + (uint32_t)j;
        if (j == ROOT || j == HIPS)
            add_translation_channel(g, &clip, node, times, row, poses, j);
        add_rotation_channel(g, &clip, node, times, row, poses, j);
    }
    if (!plain)
        add_weights_channel(g, &clip, body_node, times, row, poses);
    if (row->sword && !plain) {
        const float step_times[3] = {seconds[0], seconds[row->key_count / 2], seconds[row->key_count - 1]};
        const float scales[9] = {1, 1.1f, 1, 1.3f, 1.3f, 1.3f, 1, 1.1f, 1};
        uint32_t input = glb_floats(g, step_times, 3, 1);
        glb_channel(&clip, sword_node, "scale", "STEP", input, glb_floats(g, scales, 3, 3));
    }
    glb_clip_end(g, &clip, row->name);
    free(poses);
    free(seconds);
}

/* ---- the file ---- */

static void add_materials(glb *g) {
    blob png = make_checker_png(32, 8, (const uint8_t[3]){224, 172, 140}, (const uint8_t[3]){196, 140, 108});
    uint32_t view = glb_view(g, png.data, png.size);
    blob_free(&png);
    glb_add(g, GLB_IMAGES, "{\"name\":\"checker\",\"mimeType\":\"image/png\",\"bufferView\":%u}", view);
    glb_add(g, GLB_SAMPLERS, "{\"magFilter\":9729,\"minFilter\":9987,\"wrapS\":10497,\"wrapT\":10497}");
    glb_add(g, GLB_TEXTURES, "{\"sampler\":0,\"source\":0}");
    glb_add(g, GLB_MATERIALS,
            "{\"name\":\"Skin\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0},\"metallicFactor\":0,"
            "\"roughnessFactor\":0.8}}");
    glb_add(g, GLB_MATERIALS,
            "{\"name\":\"Cloth\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.15,0.3,0.6,1],\"metallicFactor\":0.1,"
            "\"roughnessFactor\":0.6},\"doubleSided\":true}");
}

static void add_joints(glb *g, uint32_t sword_node) {
    uint32_t first = g->count[GLB_NODES];
    for (int j = 0; j < JOINT_COUNT; j++) {
        vec3 t = local_translation(j, (vec3){0, 0, 0});
        quat q = local_rotation(j, (vec3){0, 0, 0});
        blob children = {0};
        for (int child = j + 1; child < JOINT_COUNT; child++)
            if (joints[child].parent == j)
                blob_print(&children, "%s%u", children.size ? "," : ",\"children\":[", first + (uint32_t)child);
        if (j == HAND_R)
            blob_print(&children, ",\"children\":[%u", sword_node);
        glb_add(g, GLB_NODES,
                "{\"name\":\"%s\",\"translation\":[%.9g,%.9g,%.9g],\"rotation\":[%.9g,%.9g,%.9g,%.9g]%.*s%s}",
                joints[j].name, t.x, t.y, t.z, (double)(float)q.x, (double)(float)q.y, (double)(float)q.z,
                (double)(float)q.w, (int)children.size, children.size ? (const char *)children.data : "",
                children.size ? "]" : "");
        blob_free(&children);
    }
}

/* Column-major inverses of the rigid bind transforms. */
static uint32_t add_inverse_binds(glb *g) {
    float m[JOINT_COUNT][16];
    for (int j = 0; j < JOINT_COUNT; j++) {
        quat back = quat_conjugate(quat_euler(joints[j].turn));
        const vec3 columns[4] = {rotate(back, AXIS_X), rotate(back, AXIS_Y), rotate(back, AXIS_Z),
                                 scaled(rotate(back, joints[j].position), -1)};
        for (int c = 0; c < 4; c++) {
            m[j][4 * c] = (float)columns[c].x;
            m[j][4 * c + 1] = (float)columns[c].y;
            m[j][4 * c + 2] = (float)columns[c].z;
            m[j][4 * c + 3] = c == 3;
        }
    }
    return glb_floats(g, &m[0][0], JOINT_COUNT, 16);
}

static void add_body_primitive(blob *primitives, glb *g, const shape *s, uint32_t material, uint32_t weight_sets,
                               bool plain) {
    blob_print(primitives, "%s{\"material\":%u,", primitives->size ? ",\n" : "", material);
    shape_attributes(primitives, g, s);
    add_weights(primitives, g, s, plain ? 1 : weight_sets);
    if (plain) {
        blob_print(primitives, "}}");
        return;
    }
    blob_print(primitives, "},\"targets\":[");
    add_target(primitives, g, s, breathe);
    blob_print(primitives, ",");
    add_target(primitives, g, s, puff);
    blob_print(primitives, "]}");
}

static void make_figure(const char *folder, const char *name, bool plain) {
    glb g = {0};
    shape skin = {0}, cloth = {0}, sword = {0};
    build_skin(&skin);
    build_cloth(&cloth);
    build_sword(&sword);
    uint32_t without_badge = skin.vertex_count + cloth.vertex_count + sword.vertex_count;
    build_badge(&cloth, next_prime(without_badge + 9) - without_badge - 1);
    shape *const all[] = {&skin, &cloth, &sword};
    for (int i = 0; i < 3; i++)
        shape_normals(all[i], all[i]->positions, all[i]->normals);

    add_materials(&g);
    blob primitives = {0}, blade = {0};
    add_body_primitive(&primitives, &g, &skin, 0, 1, plain);
    add_body_primitive(&primitives, &g, &cloth, 1, 2, plain);
    glb_add(&g, GLB_MESHES, "{\"name\":\"Body\",%s\"primitives\":[%.*s]}",
            plain ? "" : "\"extras\":{\"targetNames\":[\"Breathe\",\"Puff\"]},\"weights\":[0,0],", (int)primitives.size,
            (const char *)primitives.data);
    shape_attributes(&blade, &g, &sword);
    glb_add(&g, GLB_MESHES, "{\"name\":\"Blade\",\"primitives\":[{\"material\":1,%.*s}}]}", (int)blade.size,
            (const char *)blade.data);

    enum { HERO_NODE, BODY_NODE, SWORD_NODE, FIRST_JOINT_NODE };
    glb_add(&g, GLB_NODES, "{\"name\":\"Hero\",\"children\":[%d]}", FIRST_JOINT_NODE);
    glb_add(&g, GLB_NODES, "{\"name\":\"Body\",\"mesh\":0,\"skin\":0}");
    glb_add(&g, GLB_NODES,
            "{\"name\":\"Sword\",\"mesh\":1,\"translation\":[0,0.1,0],\"rotation\":[0.70710678,0,0,0.70710678],"
            "\"scale\":%s}",
            plain ? "[1,1,1]" : "[1,1.1,1]");
    add_joints(&g, SWORD_NODE);
    blob list = {0};
    for (int j = 0; j < JOINT_COUNT; j++)
        blob_print(&list, "%s%d", j ? "," : "", FIRST_JOINT_NODE + j);
    glb_add(&g, GLB_SKINS, "{\"name\":\"Rig\",\"skeleton\":%d,\"inverseBindMatrices\":%u,\"joints\":[%.*s]}",
            FIRST_JOINT_NODE, add_inverse_binds(&g), (int)list.size, (const char *)list.data);
    glb_add(&g, GLB_SCENES, "{\"nodes\":[%d,%d]}", HERO_NODE, BODY_NODE);
    for (size_t i = 0; i < COUNT(clip_rows); i++)
        add_clip(&g, &clip_rows[i], FIRST_JOINT_NODE, BODY_NODE, SWORD_NODE, plain);
    glb_write(&g, folder, name);

    blob_free(&primitives);
    blob_free(&blade);
    blob_free(&list);
    for (int i = 0; i < 3; i++)
        shape_free(all[i]);
}

void make_hero(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    make_figure(folder, name, false);
}

void make_scout(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    make_figure(folder, name, true);
}
