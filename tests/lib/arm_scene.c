/* SPDX-License-Identifier: MIT
 * A skinned arm for tests of bone mode. */
#include "arm_scene.h"

#include <string.h>

static const float POSITIONS[3 * ARM_VERTICES] = {0, 0, 0, 0.5f, 0, 0, 0, 0.5f, 0, 0, 1, 0, 0, 2, 0, 0.5f, 2, 0};
static const uint32_t TRIANGLES[] = {0, 1, 2, 3, 5, 4}, JOINTS[] = {ARM_HIP, ARM_KNEE};
static const float TIMES[] = {0, 1};

static void scale_matrix(float m[16], float scale) {
    memset(m, 0, 16 * sizeof *m);
    m[0] = m[5] = m[10] = scale;
    m[15] = 1;
}

void arm_init(arm_scene *a) {
    scene_builder *b = &a->b;
    builder_init(b);
    builder_node(b, "armature", BW_NO_INDEX);
    builder_node(b, "hip", ARM_ARMATURE);
    builder_node(b, "knee", ARM_HIP);
    builder_node(b, "body", BW_NO_INDEX);
    for (int k = 0; k < 3; k++)
        b->nodes[ARM_ARMATURE].scale[k] = 0.01f;
    b->nodes[ARM_KNEE].translation[1] = 100;
    memcpy(a->positions, POSITIONS, sizeof POSITIONS);
    memset(a->weights, 0, sizeof a->weights);
    memset(a->joints, 0, sizeof a->joints);
    for (int v = 0; v < ARM_VERTICES; v++) {
        const float up[3] = {0, 0, 1};
        memcpy(a->normals + 3 * v, up, sizeof up);
        a->joints[4 * v] = v > ARM_MIDDLE;
        a->weights[4 * v] = 1;
    }
    a->joints[4 * ARM_MIDDLE + 1] = 1;
    a->weights[4 * ARM_MIDDLE] = a->weights[4 * ARM_MIDDLE + 1] = 0.5f;
    scale_matrix(a->inverse_bind, 100);
    scale_matrix(a->inverse_bind + 16, 100);
    a->inverse_bind[16 + 13] = -100;
    b->nodes[ARM_BODY].mesh = builder_mesh(b, "body", 0);
    b->nodes[ARM_BODY].skin = builder_skin(b, JOINTS, 2, a->inverse_bind);
    a->primitive = builder_primitive(b, b->nodes[ARM_BODY].mesh, ARM_VERTICES, a->positions, a->normals, TRIANGLES, 6);
    a->primitive->influence_count = 4;
    a->primitive->joints = a->joints;
    a->primitive->weights = a->weights;
}

void arm_clip(arm_scene *a, uint32_t node, bw_channel_path path, const float *values) {
    static const char *const names[] = {"Move", "Move.1", "Move.2", "Move.3"};
    builder_channel(&a->b, builder_clip(&a->b, names[a->b.scene.clips.count]), node, path, BW_INTERPOLATION_LINEAR, 2,
                    TIMES, values);
}

void arm_bend(arm_scene *a) {
    static const float quarter[] = {0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f};
    arm_clip(a, ARM_KNEE, BW_CHANNEL_ROTATION, quarter);
}
