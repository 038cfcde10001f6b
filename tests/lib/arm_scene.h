/* SPDX-License-Identifier: MIT
 * A skinned arm for tests of bone mode: an armature of scale 0.01, joints "hip" at the origin and "knee" a metre above it. */
#ifndef TESTS_ARM_SCENE_H
#define TESTS_ARM_SCENE_H

#include "scene_builder.h"

enum { ARM_ARMATURE = 0, ARM_HIP, ARM_KNEE, ARM_BODY, ARM_VERTICES = 6, ARM_MIDDLE = 3 };

/* Vertices 0 … 2 follow the hip, 3 both joints by half, 4 and 5 the knee.  All arrays may be changed before builder_finish. */
typedef struct arm_scene {
    scene_builder b;
    float positions[3 * ARM_VERTICES], normals[3 * ARM_VERTICES], weights[4 * ARM_VERTICES], inverse_bind[32];
    uint32_t joints[4 * ARM_VERTICES];
    bw_primitive *primitive;
} arm_scene;

/* Without clips. */
void arm_init(arm_scene *a);
/* A clip of two keys, at 0 and 1 s, of one property of a node.  In: values — must outlive the scene. */
void arm_clip(arm_scene *a, uint32_t node, bw_channel_path path, const float *values);
/* The knee turns by a quarter about z. */
void arm_bend(arm_scene *a);

#endif
