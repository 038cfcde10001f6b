/* SPDX-License-Identifier: MIT
 * Influences as codes: the largest are kept, one bone's are added up, the sum is 65535; and the texture that holds them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "plan_fixture.h"
#include "scene_builder.h"

enum { JOINTS = 6, WIDTH = 8, V = 3 };

/* Six joints in a row along x, of which three vertices follow what the test says. */
typedef struct fan {
    scene_builder b;
    uint32_t joints[V * WIDTH];
    float weights[V * WIDTH];
} fan;

static void fan_init(fan *s) {
    static const float positions[3 * V] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, times[] = {0, 1}, up[] = {0, 0, 0, 0, 1, 0};
    static const uint32_t triangle[] = {0, 1, 2}, nodes[] = {0, 1, 2, 3, 4, 5};
    static float binds[16 * JOINTS];
    memset(s->joints, 0, sizeof s->joints);
    memset(s->weights, 0, sizeof s->weights);
    builder_init(&s->b);
    for (uint32_t k = 0; k < JOINTS; k++) {
        builder_node(&s->b, "joint", BW_NO_INDEX);
        s->b.nodes[k].translation[0] = (float)k;
        binds[16 * k] = binds[16 * k + 5] = binds[16 * k + 10] = binds[16 * k + 15] = 1;
        binds[16 * k + 12] = -(float)k;
    }
    const uint32_t body = builder_node(&s->b, "body", BW_NO_INDEX);
    s->b.nodes[body].mesh = builder_mesh(&s->b, "body", 0);
    s->b.nodes[body].skin = builder_skin(&s->b, nodes, JOINTS, binds);
    bw_primitive *p = builder_primitive(&s->b, s->b.nodes[body].mesh, V, positions, positions, triangle, 3);
    p->influence_count = WIDTH;
    p->joints = s->joints;
    p->weights = s->weights;
    builder_channel(&s->b, builder_clip(&s->b, "Move"), 5, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, times,
                    up);
    for (int v = 0; v < V; v++)
        s->weights[v * WIDTH] = 1;
}

static void follow(fan *s, int vertex, const uint32_t joints[WIDTH], const float weights[WIDTH]) {
    memcpy(s->joints + WIDTH * vertex, joints, WIDTH * sizeof *joints);
    memcpy(s->weights + WIDTH * vertex, weights, WIDTH * sizeof *weights);
}

static void expect_influences(const plan_fixture *f, uint32_t vertex, const uint16_t *indices,
                              const uint16_t *weights) {
    const size_t width = f->plan.palette->influence_count;
    assert_memory_equal(f->plan.palette->indices + vertex * width, indices, width * sizeof *indices);
    assert_memory_equal(f->plan.palette->weights + vertex * width, weights, width * sizeof *weights);
}

/* https://github.com/mrdoob/three.js/pull/33085, https://github.com/atteneder/glTFast/issues/294: six unsorted weights, of which four are wanted. */
static void the_largest_are_kept(void **state) {
    (void)state;
    fan s;
    plan_fixture f;
    fan_init(&s);
    follow(&s, 0, (const uint32_t[]){5, 1, 2, 3, 4, 0, 0, 0},
           (const float[]){0.05f, 0.1f, 0.3f, 0.25f, 0.15f, 0.15f, 0, 0});
    follow(&s, 1, (const uint32_t[]){3, 5, 3, 1, 0, 0, 0, 0}, (const float[]){0.25f, 0.5f, 0.25f, 0, 0, 0, 0, 0});
    assert_int_equal(plan_open(&f, builder_finish(&s.b), &(bw_vat_opts){.mode = BW_VAT_MODE_BONE}), BW_OK);
    const bwi_palette *p = f.plan.palette;
    assert_int_equal(p->influence_count, 4);
    assert_int_equal(p->dropped_vertices, 1);
    assert_int_equal(p->change_count, 6);
    /* 0.3, 0.25, 0.15 (the lower joint of equals first), 0.15 of 0.85: 23130, 19275, 11565, 11565. */
    expect_influences(&f, 0, (const uint16_t[]){2, 3, 0, 4}, (const uint16_t[]){23130, 19275, 11565, 11565});
    double change = 0;
    for (size_t k = 0; k < p->change_count; k++)
        change += p->changes[k].weight;
    EXPECT1(change, 0, 1e-7);
    EXPECT1(p->changes[5].weight, 0.05, 1e-7); /* the lightest of all */
    assert_int_equal(p->changes[5].bone, 5);
    /* 3 and 3 are one, and equals go by number: 32768 to the first. */
    expect_influences(&f, 1, (const uint16_t[]){3, 5, 0, 0}, (const uint16_t[]){32768, 32767, 0, 0});
    expect_influences(&f, 2, (const uint16_t[]){0, 0, 0, 0}, (const uint16_t[]){65535, 0, 0, 0});
    plan_close(&f);
}

static void limits_from_one_to_eight(void **state) {
    (void)state;
    fan s;
    fan_init(&s);
    follow(&s, 0, (const uint32_t[]){5, 1, 2, 3, 4, 0, 0, 0},
           (const float[]){0.05f, 0.1f, 0.3f, 0.25f, 0.15f, 0.15f, 0, 0});
    for (uint32_t limit = 1; limit <= 8; limit++) {
        plan_fixture f;
        assert_int_equal(
            plan_open(&f, builder_finish(&s.b), &(bw_vat_opts){.mode = BW_VAT_MODE_BONE, .influences = limit}), BW_OK);
        const bwi_palette *p = f.plan.palette;
        const uint32_t wanted = limit < 6 ? limit : 6;
        assert_int_equal(p->influence_count, limit > 4 ? 8 : 4);
        assert_int_equal(p->dropped_vertices, limit < 6);
        uint32_t sum = 0, used = 0;
        for (uint32_t k = 0; k < p->influence_count; k++) {
            sum += p->weights[k];
            used += p->weights[k] > 0;
            assert_true(k == 0 || p->weights[k] <= p->weights[k - 1]);
        }
        assert_int_equal(sum, 65535);
        assert_int_equal(used, wanted);
        plan_close(&f);
    }
}

/* A weight that is less than half a code is no influence: its place says bone 0. */
static void what_rounds_to_nothing_is_nothing(void **state) {
    (void)state;
    fan s;
    plan_fixture f;
    fan_init(&s);
    follow(&s, 0, (const uint32_t[]){1, 5, 0, 0, 0, 0, 0, 0}, (const float[]){1 - 1e-6f, 1e-6f, 0, 0, 0, 0, 0, 0});
    assert_int_equal(plan_open(&f, builder_finish(&s.b), &(bw_vat_opts){.mode = BW_VAT_MODE_BONE}), BW_OK);
    const uint32_t one = f.plan.palette->indices[0];
    expect_influences(&f, 0, (const uint16_t[]){(uint16_t)one, 0, 0, 0}, (const uint16_t[]){65535, 0, 0, 0});
    assert_int_equal(f.plan.palette->bones[one].node, 1);
    plan_close(&f);
}

static void blocks_of_the_texture(void **state) {
    (void)state;
    fan s;
    plan_fixture f;
    fan_init(&s);
    follow(&s, 1, (const uint32_t[]){0, 1, 2, 3, 4, 5, 0, 0},
           (const float[]){0.4f, 0.2f, 0.1f, 0.1f, 0.1f, 0.1f, 0, 0});
    const bw_vat_opts opts = {.mode = BW_VAT_MODE_BONE, .influences = 8};
    assert_int_equal(plan_open(&f, builder_finish(&s.b), &opts), BW_OK);
    assert_int_equal(f.plan.weight_width, V);
    assert_int_equal(f.plan.weight_height, 4);
    assert_int_equal(f.plan.weight_rows, 1);
    uint16_t texels[4][V][4];
    memset(texels, 0xA5, sizeof texels);
    bwi_texels image = {V, 4, BWI_TEXEL_U16, texels};
    bwi_vat_encode_weights(&f.plan, &image);
    static const uint16_t wanted[4][4] = {{0, 1, 2, 3}, {4, 5, 0, 0}, {26214, 13107, 6554, 6554}, {6553, 6553, 0, 0}};
    for (int row = 0; row < 4; row++)
        assert_memory_equal(texels[row][1], wanted[row], sizeof wanted[row]);
    float floats[4][V][4];
    image = (bwi_texels){V, 4, BWI_TEXEL_F32, floats};
    bwi_vat_encode_weights(&f.plan, &image);
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++)
            assert_true(floats[row][1][k] == (float)wanted[row][k]);
    plan_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_are_kept),
        cmocka_unit_test(limits_from_one_to_eight),
        cmocka_unit_test(what_rounds_to_nothing_is_nothing),
        cmocka_unit_test(blocks_of_the_texture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
