/* SPDX-License-Identifier: MIT
 * The mesh that reads the textures: which UV set holds the texels, where it points; and the probes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arm_scene.h"
#include "bone_player.h"
#include "expect.h"
#include "plan_fixture.h"
#include "scene_builder.h"

static const float UV_A[] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
static const float UV_B[] = {0.7f, 0.8f, 0.9f, 1, 0, 0.5f};
static const float TIMES[] = {0, 1}, PLACES[] = {0, 0, 0, 0, 0, 4};

/* Two triangles; sets[k] is a primitive's list of UV sets, NULL for a gap. */
static const bw_scene *with_uvs(scene_builder *b, const float *const first[3], size_t first_count,
                                const float *const second[3], size_t second_count) {
    builder_init(b);
    const uint32_t one = builder_triangle(b, "one", BW_NO_INDEX), two = builder_triangle(b, "two", BW_NO_INDEX);
    b->primitives[0][0].uv_sets.data = first;
    b->primitives[0][0].uv_sets.count = first_count;
    b->primitives[1][0].uv_sets.data = second;
    b->primitives[1][0].uv_sets.count = second_count;
    (void)two;
    builder_channel(b, builder_clip(b, "Move"), one, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, TIMES, PLACES);
    return builder_finish(b);
}

/* The lowest set from 1 upwards that no primitive uses, https://github.com/sharpen3d/openvat/issues/40: there a second UV set of the mesh pushed
 * the texels' set to where no shader looked. */
static void the_lowest_free_uv_set_is_used(void **state) {
    (void)state;
    static const float *const none[3] = {NULL}, *const one[3] = {UV_A}, *const two[3] = {UV_A, UV_B},
                              *const gap[3] = {UV_A, NULL, UV_B}, *const only_second[3] = {NULL, UV_B};
    static const struct {
        const float *const *first;
        size_t first_count;
        const float *const *second;
        size_t second_count;
        uint32_t set, count;
    } ROWS[] = {
        {none, 0, none, 0, 1, 2},                               /* 0 is filled with 0 */
        {one, 1, one, 1, 1, 2},         {two, 2, one, 1, 2, 3}, /* taken by one primitive is taken */
        {one, 1, only_second, 2, 2, 3}, {gap, 3, one, 1, 1, 3}, /* set 2 stays where it was */
        {gap, 3, two, 2, 3, 4},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        scene_builder b;
        plan_fixture f;
        const bw_scene *scene = with_uvs(&b, ROWS[k].first, ROWS[k].first_count, ROWS[k].second, ROWS[k].second_count);
        assert_int_equal(plan_open(&f, scene, &(bw_vat_opts){.fps = 1}), BW_OK);
        bwi_draw_list list;
        uint32_t set = 99;
        assert_int_equal(bwi_vat_draw_list(&list, &set, &f.plan, f.list.arena, NULL), BW_OK);
        print_message("row %zu\n", k);
        assert_int_equal(set, ROWS[k].set);
        assert_int_equal(list.uv_set_count, ROWS[k].count);
        for (uint32_t i = 0; i < 6; i++) {
            /* Six elements in one row, two frames. */
            assert_true(list.uv_sets[set][2 * i] == (float)((i + 0.5) / 6) && list.uv_sets[set][2 * i + 1] == 0.25f);
            for (uint32_t n = 0; n < list.uv_set_count; n++) {
                const float *const *sets = i < 3 ? ROWS[k].first : ROWS[k].second;
                const size_t count = i < 3 ? ROWS[k].first_count : ROWS[k].second_count;
                const float *authored = n < count ? sets[n] : NULL;
                if (n != set)
                    assert_true(list.uv_sets[n][2 * i] == (authored ? authored[2 * (i % 3)] : 0));
            }
        }
        plan_close(&f);
    }
}

static void uvs_point_at_texel_centres(void **state) {
    (void)state;
    scene_builder b;
    plan_fixture f;
    bwi_draw_list list;
    uint32_t set;
    static const float *const none[3] = {NULL};
    /* Sides of 4: six elements in two rows of three; two frames a page, so pages are 4 high. */
    assert_int_equal(plan_open(&f, with_uvs(&b, none, 0, none, 0), &(bw_vat_opts){.fps = 3, .max_size = 4}), BW_OK);
    assert_int_equal(f.plan.page_count, 3);
    assert_int_equal(bwi_vat_draw_list(&list, &set, &f.plan, f.list.arena, NULL), BW_OK);
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(list.uv_sets[1][2 * i] == (float)((i % 3 + 0.5) / 3));
        assert_true(list.uv_sets[1][2 * i + 1] == (i < 3 ? 0.125f : 0.375f));
    }
    plan_close(&f);
    /* Powers of two: four columns. */
    assert_int_equal(
        plan_open(&f, with_uvs(&b, none, 0, none, 0), &(bw_vat_opts){.fps = 1, .max_size = 4, .pow2 = true}), BW_OK);
    assert_int_equal(bwi_vat_draw_list(&list, &set, &f.plan, f.list.arena, NULL), BW_OK);
    assert_true(list.uv_sets[1][2 * 3] == 0.875f && list.uv_sets[1][2 * 4] == 0.125f &&
                list.uv_sets[1][2 * 4 + 1] == 0.375f);
    plan_close(&f);
    /* The seed's: eight columns; v is the middle, whatever the height. */
    assert_int_equal(plan_open(&f, with_uvs(&b, none, 0, none, 0), &(bw_vat_opts){.layout = BW_VAT_LAYOUT_SEED}),
                     BW_OK);
    assert_int_equal(bwi_vat_draw_list(&list, &set, &f.plan, f.list.arena, NULL), BW_OK);
    for (uint32_t i = 0; i < 6; i++)
        assert_true(list.uv_sets[1][2 * i] == ((float)i + 0.5f) / 8 && list.uv_sets[1][2 * i + 1] == 0.5f);
    plan_close(&f);
}

/* The rest pose in glTF's axes, whatever the engine. */
static void the_mesh_stays_in_gltf_axes(void **state) {
    (void)state;
    scene_builder b;
    plan_fixture f;
    bwi_draw_list list;
    uint32_t set;
    static const float *const none[3] = {NULL};
    assert_int_equal(plan_open(&f, with_uvs(&b, none, 0, none, 0), &(bw_vat_opts){.engine = BW_ENGINE_UNREAL}), BW_OK);
    assert_int_equal(bwi_vat_draw_list(&list, &set, &f.plan, f.list.arena, NULL), BW_OK);
    assert_int_equal(list.vertex_count, 6);
    EXPECT3(list.positions + 3 * 1, 1, 0, 0, 0);
    EXPECT3(list.positions + 3 * 2, 0, 1, 0, 0);
    EXPECT3(list.normals + 3 * 2, 0, 0, 1, 0);
    assert_int_equal(list.primitive_count, 1);
    assert_int_equal(list.primitives[0].index_count, 6);
    plan_close(&f);
}

static void probes_spread_over_elements_and_frames(void **state) {
    (void)state;
    scene_builder b;
    plan_fixture f;
    bwi_probe *probes;
    size_t count;
    static const float *const none[3] = {NULL};
    assert_int_equal(plan_open(&f, with_uvs(&b, none, 0, none, 0), &(bw_vat_opts){.fps = 8, .engine = BW_ENGINE_UNITY}),
                     BW_OK);
    assert_int_equal(bwi_vat_probes(&probes, &count, &f.plan, f.list.arena, NULL), BW_OK);
    assert_int_equal(count, 6 * 4); /* every element, frames 0, 2, 5, 8 */
    static const uint32_t frames[] = {0, 2, 5, 8};
    for (uint32_t k = 0; k < 24; k++) {
        assert_int_equal(probes[k].element, k % 6);
        assert_int_equal(probes[k].frame, frames[k / 6]);
        assert_int_equal(probes[k].clip, 0);
    }
    EXPECT3(probes[6 + 1].position, -1, 0, 1, 1e-6); /* Unity's x; 4 m in a second, after a quarter */
    EXPECT3(probes[18 + 2].position, 0, 1, 4, 1e-6);
    plan_close(&f);

    /* A second clip: its probes count frames from its own start. */
    with_uvs(&b, none, 0, none, 0);
    builder_channel(&b, builder_clip(&b, "Again"), 1, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, TIMES,
                    PLACES);
    assert_int_equal(plan_open(&f, builder_finish(&b), &(bw_vat_opts){.fps = 1}), BW_OK);
    assert_int_equal(bwi_vat_probes(&probes, &count, &f.plan, f.list.arena, NULL), BW_OK);
    assert_int_equal(probes[23].clip, 1);
    assert_int_equal(probes[23].frame, 1);
    EXPECT3(probes[23].position, 0, 1, 4, 1e-6);
    EXPECT3(probes[20].position, 0, 1, 0, 1e-6); /* the other node does not move in this clip */
    plan_close(&f);
}

/* The mesh of bones: in the pose that they start from, with UVs of the weight texture, or joints and weights of its own. */
static void bones_are_found_from_the_mesh(void **state) {
    (void)state;
    arm_scene a;
    plan_fixture f;
    bwi_draw_list list;
    uint32_t set = 99;
    arm_init(&a);
    a.b.nodes[ARM_KNEE].rotation[2] = 0.6f; /* at rest the knee is bent, the mesh is not */
    a.b.nodes[ARM_KNEE].rotation[3] = 0.8f;
    arm_bend(&a);
    assert_int_equal(plan_open(&f, builder_finish(&a.b), &(bw_vat_opts){.mode = BW_VAT_MODE_BONE, .max_size = 4}),
                     BW_OK);
    assert_int_equal(bwi_vat_draw_list(&list, &set, &f.plan, f.list.arena, NULL), BW_OK);
    assert_int_equal(set, 1);
    assert_int_equal(list.influence_count, 0);
    assert_int_equal(f.plan.weight_width, 3);
    assert_int_equal(f.plan.weight_height, 4);
    for (uint32_t i = 0; i < ARM_VERTICES; i++) { /* two rows of three; the second block is the weights' */
        assert_true(list.uv_sets[1][2 * i] == (float)((i % 3 + 0.5) / 3));
        assert_true(list.uv_sets[1][2 * i + 1] == (i < 3 ? 0.125f : 0.375f));
    }
    EXPECT3(list.positions + 3 * 5, 0.5, 2, 0, 1e-6);
    plan_close(&f);

    const bw_vat_opts in_mesh = {.mode = BW_VAT_MODE_BONE, .skin_in = BW_VAT_SKIN_IN_MESH, .influences = 8};
    assert_int_equal(plan_open(&f, builder_finish(&a.b), &in_mesh), BW_OK);
    assert_int_equal(bwi_vat_draw_list(&list, &set, &f.plan, f.list.arena, NULL), BW_OK);
    assert_int_equal(set, BW_NO_INDEX);
    assert_int_equal(list.uv_set_count, 0); /* those that were authored, and no more */
    assert_int_equal(list.influence_count, 8);
    assert_memory_equal(list.joints, f.plan.palette->indices, 8 * ARM_VERTICES * sizeof *list.joints);
    assert_memory_equal(list.weights, f.plan.palette->weights, 8 * ARM_VERTICES * sizeof *list.weights);
    assert_int_equal(list.weights[8 * ARM_MIDDLE], 32768);
    plan_close(&f);
}

/* Probes are of what decoders can reach: with one influence the middle vertex is where its one bone puts it. */
static void probes_follow_the_bones(void **state) {
    (void)state;
    static const float away[] = {0, 100, 0, 200, 100, 0};
    arm_scene a;
    plan_fixture f;
    bwi_probe *probes;
    size_t count;
    arm_init(&a);
    arm_clip(&a, ARM_KNEE, BW_CHANNEL_TRANSLATION, away);
    const bw_vat_opts opts = {.mode = BW_VAT_MODE_BONE, .fps = 1, .influences = 1, .engine = BW_ENGINE_UNITY};
    assert_int_equal(plan_open(&f, builder_finish(&a.b), &opts), BW_OK);
    assert_int_equal(plan_encode(&f, 0), BW_OK);
    assert_int_equal(bwi_vat_probes(&probes, &count, &f.plan, f.list.arena, NULL), BW_OK);
    assert_int_equal(count, 2 * ARM_VERTICES);
    EXPECT3(probes[ARM_VERTICES + ARM_MIDDLE].position, 0, 1, 0, 1e-6);
    EXPECT3(probes[ARM_VERTICES + 5].position, -2.5, 2, 0, 1e-6); /* Unity's x */
    double played[3 * ARM_VERTICES];
    play_vertices(played, &f, 1, 0);
    for (size_t i = 0; i < ARM_VERTICES; i++) /* half a code of 16 bits over two metres, and rotations */
        EXPECT3(probes[ARM_VERTICES + i].position, played[3 * i], played[3 * i + 1], played[3 * i + 2], 4e-5);
    plan_close(&f);
}

/* A coarser mesh whose rest pose is bent is written unbent, and bends as the base does. */
static void levels_start_where_the_bones_do(void **state) {
    (void)state;
    static const float bent[4] = {0, 0, 0.6f, 0.8f};
    for (int i = 0; i < 2; i++) {
        arm_scene base, level;
        plan_fixture f;
        list_fixture l;
        bwi_draw_list list;
        arm_init(&base);
        arm_init(&level);
        memcpy(base.b.nodes[ARM_KNEE].rotation, bent, sizeof bent);
        memcpy(level.b.nodes[ARM_KNEE].rotation, bent, sizeof bent);
        arm_bend(&base);
        static const uint32_t triangle[] = {0, 5, 3};
        level.primitive->indices = (bw_index_list){triangle, 3}; /* vertices 0, 3, 5 are left, in that order */
        static const float tangents[4 * ARM_VERTICES] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1,
                                                         1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, -1};
        base.primitive->tangents = level.primitive->tangents = tangents;
        const bw_vat_opts opts = {.mode = BW_VAT_MODE_BONE,
                                  .engine = BW_ENGINE_UNREAL,
                                  .skin_in = i ? BW_VAT_SKIN_IN_MESH : BW_VAT_SKIN_IN_TEXTURE};
        assert_int_equal(plan_open(&f, builder_finish(&base.b), &opts), BW_OK);
        assert_int_equal(fixture_open(&l, builder_finish(&level.b), NULL), BW_OK);
        assert_int_equal(l.list->vertex_count, 3);
        const uint32_t elements[3] = {0, ARM_MIDDLE, 5};
        assert_int_equal(bwi_vat_level_draw_list(&list, &f.plan, l.list, elements, f.list.arena, NULL), BW_OK);
        for (size_t k = 0; k < 3; k++) {
            const float *x = base.positions + 3 * elements[k];
            EXPECT3(list.positions + 3 * k, x[0], x[1], x[2], 2e-6);
            EXPECT3(list.normals + 3 * k, 0, 0, 1, 1e-6);
            EXPECT4(list.tangents + 4 * k, 1, 0, 0, k == 2 ? -1 : 1, 2e-5); /* a half of two joints is 32768 / 65535 */
            if (i)
                assert_memory_equal(list.joints + 4 * k, f.plan.palette->indices + 4 * elements[k], 8);
            else
                assert_true(list.uv_sets[1][2 * k] == (float)((elements[k] + 0.5) / 6));
        }
        fixture_close(&l);
        plan_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_free_uv_set_is_used),  cmocka_unit_test(uvs_point_at_texel_centres),
        cmocka_unit_test(the_mesh_stays_in_gltf_axes),     cmocka_unit_test(probes_spread_over_elements_and_frames),
        cmocka_unit_test(bones_are_found_from_the_mesh),   cmocka_unit_test(probes_follow_the_bones),
        cmocka_unit_test(levels_start_where_the_bones_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
