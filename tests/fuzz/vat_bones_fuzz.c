/* SPDX-License-Identifier: MIT
 * Bone mode on skeletons of any shape: bytes become joints, bind matrices, weights and keys.  What is not refused plays back within what was
 * said of it, and keeps the rules of the format. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bone_player.h"
#include "scene_builder.h"

enum { JOINTS = 5, V = 9, KEYS = 4, WIDTH = 8 };

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "vat_bones_fuzz: %s\n", what);
        abort();
    }
}

typedef struct input {
    const uint8_t *data;
    size_t size;
    bool wild; /* floats of any bits that are finite */
} input;

static uint32_t take_byte(input *in) {
    if (in->size == 0)
        return 0;
    --in->size;
    return *in->data++;
}

/* In −2 … 2; 1/64 apart, so that numbers meet. */
static float take(input *in) {
    if (in->wild) {
        uint32_t bits = 0;
        float value;
        for (int k = 0; k < 4; k++)
            bits = bits << 8 | take_byte(in);
        memcpy(&value, &bits, sizeof value);
        return isfinite(value) ? value : 0;
    }
    return (float)((int)take_byte(in) - 128) / 64;
}

static void take_rotation(float q[4], input *in) {
    double square = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = (float)((int)take_byte(in) - 128);
        square += (double)q[k] * (double)q[k];
    }
    for (int k = 0; k < 4; k++)
        q[k] = square > 0 ? (float)((double)q[k] / sqrt(square)) : k == 3;
}

typedef struct rig {
    scene_builder b;
    float positions[3 * V], normals[3 * V], weights[V * WIDTH], binds[16 * JOINTS], times[KEYS], values[3][4 * KEYS];
    uint32_t joints[V * WIDTH], nodes[JOINTS];
} rig;

static void make_rig(rig *r, input *in) {
    static const char *const names[JOINTS] = {"a", "b", "c", "d", "e"};
    static const uint32_t triangles[V] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const uint32_t shape = take_byte(in);
    scene_builder *b = &r->b;
    builder_init(b);
    for (uint32_t j = 0; j < JOINTS; j++) {
        r->nodes[j] = builder_node(b, names[j], shape & 1U << j || j == 0 ? BW_NO_INDEX : j - 1);
        take_rotation(b->nodes[j].rotation, in);
        for (int k = 0; k < 3; k++) {
            b->nodes[j].translation[k] = take(in);
            b->nodes[j].scale[k] = shape & 32 ? take(in) : 1;
        }
        for (int k = 0; k < 16; k++)
            r->binds[16 * j + (uint32_t)k] = k % 4 == 3 ? k == 15 : shape & 64 || k > 11 ? take(in) : k % 5 == 0;
    }
    for (int v = 0; v < V; v++) {
        double sum = 0;
        const float up[3] = {0, 1, 0};
        memcpy(r->normals + 3 * v, up, sizeof up);
        for (int k = 0; k < 3; k++)
            r->positions[3 * v + k] = take(in);
        for (int k = 0; k < WIDTH; k++) {
            r->joints[WIDTH * v + k] = take_byte(in) % JOINTS;
            r->weights[WIDTH * v + k] = (float)(take_byte(in) & 0x7F);
            sum += (double)r->weights[WIDTH * v + k];
        }
        for (int k = 0; k < WIDTH; k++) {
            r->weights[WIDTH * v + k] = sum > 0 ? (float)((double)r->weights[WIDTH * v + k] / sum) : k == 0;
            r->joints[WIDTH * v + k] = r->weights[WIDTH * v + k] > 0 ? r->joints[WIDTH * v + k] : 0;
        }
    }
    const uint32_t body = builder_node(b, "body", BW_NO_INDEX),
                   prop = builder_triangle(b, "prop", take_byte(in) % JOINTS);
    b->nodes[prop].translation[0] = take(in);
    b->nodes[body].mesh = builder_mesh(b, "body", 0);
    b->nodes[body].skin = builder_skin(b, r->nodes, JOINTS, r->binds);
    bw_primitive *p = builder_primitive(b, b->nodes[body].mesh, V, r->positions, r->normals, triangles, V);
    p->influence_count = WIDTH;
    p->joints = r->joints;
    p->weights = r->weights;
    const uint32_t clip = builder_clip(b, "Move");
    for (uint32_t k = 0; k < KEYS; k++) {
        r->times[k] = (float)k;
        take_rotation(r->values[0] + 4 * k, in);
        for (uint32_t i = 0; i < 3; i++) {
            r->values[1][3 * k + i] = take(in);
            r->values[2][3 * k + i] = take(in);
        }
    }
    builder_channel(b, clip, take_byte(in) % JOINTS, BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR, KEYS, r->times,
                    r->values[0]);
    builder_channel(b, clip, take_byte(in) % JOINTS, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_STEP, KEYS, r->times,
                    r->values[1]);
    if (shape & 128)
        builder_channel(b, clip, take_byte(in) % JOINTS, BW_CHANNEL_SCALE, BW_INTERPOLATION_LINEAR, KEYS, r->times,
                        r->values[2]);
}

static void check_palette(const bwi_palette *p, uint32_t vertex_count) {
    for (size_t v = 0; v < vertex_count; v++) {
        uint32_t sum = 0;
        for (size_t i = v * p->influence_count, end = i + p->influence_count; i < end; i++) {
            sum += p->weights[i];
            check(p->indices[i] < p->bone_count && (p->weights[i] || !p->indices[i]), "a bone that is not there");
            check(i == v * p->influence_count || p->weights[i] <= p->weights[i - 1], "weights do not fall");
        }
        check(sum == 65535, "weights do not sum to one");
    }
}

/* Sizes of all that texels and floats round: vertices as written and as posed, pivots, both by the largest scale. */
static double size_of(const plan_fixture *f, const bwi_manifest_clip *clip) {
    const bwi_manifest_bones *b = &f->plan.bones;
    double most = 0, unit = (double)bwi_vat_space(&f->plan.settings)->scale, scale = 1;
    for (int k = 0; k < 3; k++) {
        most = fmax(most, fmax(fabs((double)clip->bounds_min[k]), fabs((double)clip->bounds_max[k])));
        most = fmax(most, fmax(fabs((double)clip->pivot_min[k]), fabs((double)clip->pivot_max[k])));
        most = fmax(most, fmax(fabs((double)b->pivot_min[k]), fabs((double)b->pivot_max[k])));
    }
    for (size_t i = 0; i < 3 * (size_t)f->plan.list->vertex_count; i++)
        most = fmax(most, unit * fabs((double)f->plan.palette->positions[i]));
    scale = fmax(scale, (double)clip->max_scale);
    return most * scale;
}

static void check_page(plan_fixture *f) {
    const bwi_vat_plan *plan = &f->plan;
    const bwi_manifest_clip *clip = &plan->clips[0].out;
    const double unit = (double)bwi_vat_space(&plan->settings)->scale;
    /* Parts of that size: pivots half a code on each axis, 1.3e-5; rotations 3e-5 rad; scales half a code, 8e-6; weights a code in all, 2e-5. */
    const double allowed =
        (plan->bones.texel_count == 2 ? plan->shear : 0) + plan->dropped + 1e-4 * size_of(f, clip) / unit;
    const size_t v = plan->list->vertex_count;
    double played[3 * (V + 3)];
    float truth[3 * (V + 3)];
    for (uint32_t l = 0; l < plan->pages[0].frame_count; l++) {
        play_vertices(played, f, l, 0);
        bwi_vat_sample(plan, f->list.sampler, &plan->clips[0], l, truth, NULL, NULL);
        for (size_t i = 0; i < 3 * v; i++)
            check(fabs(played[i] - (double)truth[i]) / unit <= allowed, "a vertex is farther off than was said");
        for (uint32_t b = 0; l && b < plan->bones.count && plan->bones.texel_count == 2; b++) {
            const played_bone a = play_bone(f, b, l, clip), c = play_bone(f, b, l + 1, clip);
            /* Half a turn apart, which is both sides: normalising rounds. */
            check(a.q[0] * c.q[0] + a.q[1] * c.q[1] + a.q[2] * c.q[2] + a.q[3] * c.q[3] >= -1e-15,
                  "neighbours on two sides");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const bw_engine engines[] = {BW_ENGINE_GENERIC, BW_ENGINE_UNITY, BW_ENGINE_UNREAL, BW_ENGINE_THREE};
    static rig r;
    input in = {data, size, false};
    const uint32_t choice = take_byte(&in);
    in.wild = choice & 1;
    const bw_vat_opts opts = {.mode = BW_VAT_MODE_BONE,
                              .engine = engines[choice >> 1 & 3],
                              .influences = 1 + (choice >> 3 & 7),
                              .root_motion = choice & 64 ? BW_VAT_ROOT_MOTION_EXTRACT : BW_VAT_ROOT_MOTION_KEEP,
                              .fps = choice & 128 ? 1 : 3,
                              .loop = BW_VAT_LOOP_NO};
    memset(&r, 0, sizeof r);
    make_rig(&r, &in);
    plan_fixture f;
    bw_result result = plan_open(&f, builder_finish(&r.b), &opts);
    if (result == BW_OK)
        result = plan_encode(&f, 0);
    if (result != BW_OK) {
        check(f.list.error.result == result && f.list.error.message[0], "failed without a message");
    } else {
        check_palette(f.plan.palette, f.plan.list->vertex_count);
        if (!in.wild)
            check_page(&f);
    }
    plan_close(&f);
    return 0;
}
