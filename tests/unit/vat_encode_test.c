/* SPDX-License-Identifier: MIT
 * Texels against codes worked out by hand from docs/FORMATS.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan_fixture.h"
#include "scene_builder.h"

enum { V = 5 };

/* Five points with normals of every sort, moved 2 along z in a second.  Bounds of the two frames: (0, -1, 0) … (1, 1, 2). */
static const float POSITIONS[3 * V] = {0, -1, 0, 1, 1, 0, 0.25f, 0, 0, 0.5f, 0.5f, 0, 0.1f, -1, 0};
static const float NORMALS[3 * V] = {0, 0, 1, 0, 0, -1, 1, 0, 0, 0.6f, 0, -0.8f, 0, -0.6f, -0.8f};
static const float TANGENTS[4 * V] = {1, 0, 0, 1, 0, 1, 0, -1, 0, 0, -1, 1, 0, 1, 0, 1, -1, 0, 0, 1};
static const uint32_t TRIANGLES[] = {0, 1, 2, 2, 3, 4};

static const bw_scene *moving_scene(scene_builder *b, bool tangents) {
    static const float times[] = {0, 1}, places[] = {0, 0, 0, 0, 0, 2};
    builder_init(b);
    const uint32_t node = builder_node(b, "mover", BW_NO_INDEX);
    b->nodes[node].mesh = builder_mesh(b, "mover", 0);
    bw_primitive *p = builder_primitive(b, b->nodes[node].mesh, V, POSITIONS, NORMALS, TRIANGLES, 6);
    p->tangents = tangents ? TANGENTS : NULL;
    builder_channel(b, builder_clip(b, "Move"), node, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, times,
                    places);
    return builder_finish(b);
}

static void open_plan(plan_fixture *f, scene_builder *b, bool tangents, bw_vat_opts opts) {
    if (opts.layout != BW_VAT_LAYOUT_SEED)
        opts.fps = 1;
    if (plan_open(f, moving_scene(b, tangents), &opts) != BW_OK)
        fail_msg("%s", f->list.error.message);
    if (plan_encode(f, 0) != BW_OK)
        fail_msg("%s", f->list.error.message);
}

#define CODES(type, texels, column, row, r, g, b, a)                                                    \
    do {                                                                                                \
        const type *at = (const type *)(texels).data + 4 * ((size_t)(row) * (texels).width + (column)); \
        if (at[0] != (r) || at[1] != (g) || at[2] != (b) || at[3] != (a))                               \
            fail_msg("texel (%d, %d) is %u %u %u %u", column, row, at[0], at[1], at[2], at[3]);         \
    } while (0)

/* Codes of 16 bits with packed normals.  0.1f is 0.100000001: 65535 · 0.100000001 + ½ = 6554.0000977. */
static void u16_with_packed_normals(void **state) {
    (void)state;
    scene_builder b;
    plan_fixture f;
    open_plan(&f, &b, false, (bw_vat_opts){0});
    assert_int_equal(f.positions.width, V);
    assert_int_equal(f.positions.height, 2);
    for (int frame = 0; frame < 2; frame++) {
        const unsigned z = frame ? 65535 : 0;
        CODES(uint16_t, f.positions, 0, frame, 0, 0, z, 128 | 128 << 8);         /* +z: the middle */
        CODES(uint16_t, f.positions, 1, frame, 65535, 65535, z, 255 | 255 << 8); /* -z: a corner, by sign(0) = +1 */
        CODES(uint16_t, f.positions, 2, frame, 16384, 32768, z, 255 | 128 << 8); /* +x */
        CODES(uint16_t, f.positions, 3, frame, 32768, 49151, z, 255 | 200 << 8); /* folded over x: (1, 11/14) */
        CODES(uint16_t, f.positions, 4, frame, 6554, 0, z, 200 | 0 << 8);        /* folded over -y: (11/14, 0) */
    }
    plan_close(&f);
}

static void u16_with_normal_texture(void **state) {
    (void)state;
    scene_builder b;
    plan_fixture f;
    open_plan(&f, &b, true, (bw_vat_opts){.normals = BW_VAT_NORMALS_SEPARATE});
    CODES(uint16_t, f.positions, 2, 0, 16384, 32768, 0, 65535);
    CODES(uint16_t, f.normals, 0, 0, 32768, 32768, 65535, 32768); /* normal +z, tangent +x */
    CODES(uint16_t, f.normals, 1, 0, 65535, 65535, 32768, 65535); /* -z, +y; the handedness is not stored */
    CODES(uint16_t, f.normals, 2, 1, 65535, 32768, 65535, 65535); /* +x, -z */
    CODES(uint16_t, f.normals, 3, 1, 65535, 51492, 32768, 65535); /* 11/14 · 65535 = 51491.8 */
    CODES(uint16_t, f.normals, 4, 1, 51492, 0, 0, 32768);         /* tangent -x */
    plan_close(&f);

    open_plan(&f, &b, false, (bw_vat_opts){.normals = BW_VAT_NORMALS_SEPARATE});
    CODES(uint16_t, f.normals, 3, 0, 65535, 51492, 0, 65535); /* without tangents B is 0 and A the largest code */
    plan_close(&f);
}

static void u8_and_u10(void **state) {
    (void)state;
    scene_builder b;
    plan_fixture f;
    open_plan(&f, &b, false, (bw_vat_opts){.format = BW_VAT_FORMAT_PNG8});
    CODES(uint8_t, f.positions, 2, 1, 64, 128, 255, 255); /* 63.75, 127.5: rounded half up */
    CODES(uint8_t, f.positions, 4, 0, 26, 0, 0, 255);     /* 25.5 and a bit */
    CODES(uint8_t, f.normals, 3, 0, 255, 200, 0, 255);
    plan_close(&f);

    open_plan(&f, &b, true, (bw_vat_opts){.format = BW_VAT_FORMAT_KTX2_U10});
    const uint32_t *at = f.positions.data, *normal = f.normals.data;
    assert_int_equal(at[V + 2], 256U | 512U << 10 | 1023U << 20 | 3U << 30);   /* 255.75, 511.5 */
    assert_int_equal(normal[V + 3], 1023U | 804U << 10 | 0U << 20 | 3U << 30); /* 11/14 · 1023 = 803.8 */
    plan_close(&f);
}

static void floats_are_absolute(void **state) {
    (void)state;
    scene_builder b;
    plan_fixture f;
    open_plan(&f, &b, true, (bw_vat_opts){.format = BW_VAT_FORMAT_EXR16});
    CODES(uint16_t, f.positions, 4, 1, 0x2E66, 0xBC00, 0x4000, 0x3C00); /* 0.1, -1, 2, 1 */
    CODES(uint16_t, f.normals, 3, 0, 0x3C00, 0x3A49, 0x3800, 0x3C00);   /* 1, 11/14 -> 1609/2048, tangent +y: ½, 1 */
    plan_close(&f);

    open_plan(&f, &b, false, (bw_vat_opts){.format = BW_VAT_FORMAT_EXR32});
    const float *at = f.positions.data, *normal = f.normals.data;
    assert_true(at[4 * (V + 4)] == 0.1f && at[4 * (V + 4) + 1] == -1 && at[4 * (V + 4) + 2] == 2 &&
                at[4 * (V + 4) + 3] == 1);
    assert_true(normal[0] == 0.5f && normal[1] == 0.5f && normal[2] == 0 && normal[3] == 1);
    plan_close(&f);
}

/* Guards https://github.com/sideeffects/GameDevelopmentToolset/issues/130: an axis without extent stores 0, and divides nothing by 0. */
static void flat_axes_store_zero(void **state) {
    (void)state;
    static const float flat[] = {0, 5, 7, 1, 5, 7, 2, 5, 7}, normals[] = {0, 1, 0, 0, 1, 0, 0, 1, 0}, times[] = {0},
                       place[] = {0, 0, 0};
    static const uint32_t triangle[] = {0, 1, 2};
    scene_builder b;
    builder_init(&b);
    const uint32_t node = builder_node(&b, "flat", BW_NO_INDEX);
    b.nodes[node].mesh = builder_mesh(&b, "flat", 0);
    builder_primitive(&b, b.nodes[node].mesh, 3, flat, normals, triangle, 3);
    builder_channel(&b, builder_clip(&b, "Rest"), node, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 1, times,
                    place);
    plan_fixture f;
    assert_int_equal(plan_open(&f, builder_finish(&b), &(bw_vat_opts){0}), BW_OK);
    assert_int_equal(plan_encode(&f, 0), BW_OK);
    CODES(uint16_t, f.positions, 0, 0, 0, 0, 0, 128 | 255 << 8);
    CODES(uint16_t, f.positions, 1, 0, 32768, 0, 0, 128 | 255 << 8);
    CODES(uint16_t, f.positions, 2, 0, 65535, 0, 0, 128 | 255 << 8);
    plan_close(&f);
}

/* One second at 60: sixty rows, frame 0 at the bottom, columns past V zero. */
static void seed_grows_upwards(void **state) {
    (void)state;
    scene_builder b;
    plan_fixture f;
    open_plan(&f, &b, false, (bw_vat_opts){.layout = BW_VAT_LAYOUT_SEED, .format = BW_VAT_FORMAT_EXR32});
    assert_int_equal(f.positions.width, 8);
    assert_int_equal(f.positions.height, 60);
    const float *at = f.positions.data;
    for (size_t row = 0; row < 60; row++) {
        const double z = (double)(59 - row) / 60 * 2;
        for (size_t column = 0; column < 8; column++) {
            const float *texel = at + 4 * (8 * row + column);
            if (column < V) {
                assert_true(texel[0] == POSITIONS[3 * column] && texel[3] == 1);
                assert_true((double)texel[2] - z < 1e-6 && z - (double)texel[2] < 1e-6);
            } else {
                assert_true(texel[0] == 0 && texel[1] == 0 && texel[2] == 0 && texel[3] == 0);
            }
        }
    }
    plan_close(&f);
}

/* Five elements in sides of at most four: rows of three, two rows a frame, two frames a page; texels of no element are 0. */
static void rows_wrap_and_pages_overlap(void **state) {
    (void)state;
    scene_builder b;
    plan_fixture f;
    const bw_vat_opts opts = {.max_size = 4, .fps = 2, .format = BW_VAT_FORMAT_EXR32, .normals = BW_VAT_NORMALS_OFF};
    assert_int_equal(plan_open(&f, moving_scene(&b, false), &opts), BW_OK);
    assert_int_equal(f.plan.page_count, 2);
    for (uint32_t page = 0; page < 2; page++) {
        assert_int_equal(plan_encode(&f, page), BW_OK);
        assert_int_equal(f.positions.width, 3);
        assert_int_equal(f.positions.height, 4);
        const float *at = f.positions.data;
        for (size_t local = 0; local < 2; local++)
            for (size_t i = 0; i < 6; i++) {
                const float *texel = at + 4 * (3 * (2 * local + i / 3) + i % 3);
                const float z = (float)(page + local); /* frame 1, half-way, ends one page and begins the next */
                if (i < V)
                    assert_true(texel[0] == POSITIONS[3 * i] && texel[1] == POSITIONS[3 * i + 1] && texel[2] == z &&
                                texel[3] == 1);
                else
                    assert_true(texel[0] == 0 && texel[1] == 0 && texel[2] == 0 && texel[3] == 0);
            }
    }
    plan_close(&f);
}

/* Guards https://github.com/sharpen3d/openvat/issues/52: axes are turned once, in positions, bounds, normals and tangents alike. */
static void engines_turn_everything(void **state) {
    (void)state;
    scene_builder b;
    plan_fixture f;
    open_plan(&f, &b, true, (bw_vat_opts){.engine = BW_ENGINE_UNITY, .normals = BW_VAT_NORMALS_SEPARATE});
    assert_true(f.plan.clips[0].out.bounds_min[0] == -1 && f.plan.clips[0].out.bounds_max[0] == 0);
    CODES(uint16_t, f.positions, 1, 0, 0, 65535, 0, 65535);   /* x = 1 is -1: the least */
    CODES(uint16_t, f.normals, 2, 0, 0, 32768, 65535, 65535); /* +x is -x; the tangent -z stays */
    CODES(uint16_t, f.normals, 4, 0, 51492, 0, 65535, 32768); /* tangent -x is +x */
    plan_close(&f);

    open_plan(&f, &b, true, (bw_vat_opts){.engine = BW_ENGINE_UNREAL});
    const float *at = f.positions.data, *normal = f.normals.data;
    assert_true(f.plan.clips[0].out.bounds_min[2] == -100 && f.plan.clips[0].out.bounds_max[1] == 200);
    const float *moved = at + 4 * (V + 3); /* (0.5, 0.5, 2) */
    assert_true(moved[0] == 50 && moved[1] == 200 && moved[2] == 50 && moved[3] == 1);
    /* +z is +y: (½, 1); tangent +y is +z: (½, ½). */
    assert_true(normal[0] == 0.5f && normal[1] == 1);
    assert_true(normal[4 + 2] == 0.5f && normal[4 + 3] == 0.5f);
    plan_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u16_with_packed_normals),
        cmocka_unit_test(u16_with_normal_texture),
        cmocka_unit_test(u8_and_u10),
        cmocka_unit_test(floats_are_absolute),
        cmocka_unit_test(flat_axes_store_zero),
        cmocka_unit_test(seed_grows_upwards),
        cmocka_unit_test(rows_wrap_and_pages_overlap),
        cmocka_unit_test(engines_turn_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
