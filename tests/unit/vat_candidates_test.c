/* SPDX-License-Identifier: MIT
 * Which ways to bake a scene has: modes by what moves it, formats by engine and options, rates on request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "list_fixture.h"
#include "scene_builder.h"
#include "vat/vat.h"

static const float POSITIONS[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, NORMALS[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
static const uint32_t TRIANGLE[3] = {0, 1, 2}, JOINTS[2] = {1, 2};
static const float INVERSE_BIND[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                                       1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const uint32_t INFLUENCES[12] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0};
static const float ONE_EACH[12] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0};
static const float TWO_OF_ONE[12] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0};

/* A triangle, skinned by the weights if there are some; and one beside it that its node moves. */
static void make_scene(scene_builder *b, const float *weights) {
    builder_init(b);
    const uint32_t mesh = builder_mesh(b, "Body", 0), plain = builder_mesh(b, "Box", 0);
    bw_primitive *primitive = builder_primitive(b, mesh, 3, POSITIONS, NORMALS, TRIANGLE, 3);
    (void)builder_primitive(b, plain, 3, POSITIONS, NORMALS, TRIANGLE, 3);
    const uint32_t node = builder_node(b, "Body", BW_NO_INDEX);
    (void)builder_node(b, "a", BW_NO_INDEX);
    (void)builder_node(b, "b", BW_NO_INDEX);
    b->nodes[builder_node(b, "Box", BW_NO_INDEX)].mesh = plain;
    b->nodes[node].mesh = mesh;
    if (weights) {
        primitive->influence_count = 4;
        primitive->joints = INFLUENCES;
        primitive->weights = weights;
        b->nodes[node].skin = builder_skin(b, JOINTS, 2, INVERSE_BIND);
    }
    (void)builder_finish(b);
}

/* "vertex png16, bone png16 /2": the candidates of a scene, or the error. */
static const char *list(char text[1024], const float *weights, bw_vat_opts opts) {
    scene_builder b;
    list_fixture f;
    make_scene(&b, weights);
    assert_int_equal(fixture_open(&f, &b.scene, NULL), BW_OK);
    bwi_vat_candidate *candidates = NULL;
    size_t count = 0;
    text[0] = 0;
    if (bwi_vat_candidates(&candidates, &count, f.arena, f.list, &opts, &f.error) != BW_OK)
        (void)snprintf(text, 1024, "%s: %.900s", bw_result_name(f.error.result), f.error.message);
    for (size_t k = 0; k < count; k++) {
        const size_t used = strlen(text);
        const char *mode = bwi_mode_name(candidates[k].mode), *format = bwi_format_info_of(candidates[k].format)->name;
        if (candidates[k].rate_divisor > 1)
            (void)snprintf(text + used, 1024 - used, "%s%s %s /%u", k ? ", " : "", mode, format,
                           candidates[k].rate_divisor);
        else
            (void)snprintf(text + used, 1024 - used, "%s%s %s", k ? ", " : "", mode, format);
    }
    fixture_close(&f);
    return text;
}

static void modes_by_what_moves(void **state) {
    (void)state;
    char text[1024];
    const bw_vat_opts opts = {.mode = BW_VAT_MODE_AUTO, .format = BW_VAT_FORMAT_PNG16};
    assert_string_equal(list(text, NULL, opts), "vertex png16, rigid png16");
    assert_string_equal(list(text, ONE_EACH, opts), "vertex png16, rigid png16, bone png16");
    assert_string_equal(list(text, TWO_OF_ONE, opts), "vertex png16, bone png16");
}

static void formats_by_engine(void **state) {
    (void)state;
    char text[1024];
    assert_string_equal(list(text, TWO_OF_ONE, (bw_vat_opts){.mode = BW_VAT_MODE_AUTO}),
                        "vertex png16, vertex ktx2-u10, vertex png8, vertex exr16, vertex exr32, bone png16, "
                        "bone exr16, bone exr32");
    assert_string_equal(list(text, TWO_OF_ONE, (bw_vat_opts){.mode = BW_VAT_MODE_AUTO, .engine = BW_ENGINE_UNREAL}),
                        "vertex exr32, vertex exr16, bone exr32, bone exr16");
    assert_string_equal(list(text, NULL, (bw_vat_opts){.mode = BW_VAT_MODE_AUTO, .engine = BW_ENGINE_GODOT}),
                        "vertex exr32, vertex exr16, vertex png8, rigid exr32, rigid exr16");
    /* 8 bits and 10 are too few for a quaternion. */
    assert_string_equal(list(text, TWO_OF_ONE, (bw_vat_opts){.mode = BW_VAT_MODE_AUTO, .format = BW_VAT_FORMAT_PNG8}),
                        "vertex png8");
}

static void what_is_named_is_taken(void **state) {
    (void)state;
    char text[1024];
    assert_string_equal(list(text, TWO_OF_ONE, (bw_vat_opts){.mode = BW_VAT_MODE_VERTEX}), "vertex png16");
    assert_string_equal(list(text, TWO_OF_ONE, (bw_vat_opts){.mode = BW_VAT_MODE_BONE}), "bone png16");
    assert_string_equal(list(text, NULL, (bw_vat_opts){.mode = BW_VAT_MODE_RIGID, .engine = BW_ENGINE_UNREAL}),
                        "rigid exr32");
    /* Other layouts, and a texture of normals, hold vertices. */
    assert_string_equal(list(text, ONE_EACH, (bw_vat_opts){.mode = BW_VAT_MODE_AUTO, .layout = BW_VAT_LAYOUT_SEED}),
                        "vertex exr16");
    assert_string_equal(list(text, ONE_EACH, (bw_vat_opts){.mode = BW_VAT_MODE_AUTO, .layout = BW_VAT_LAYOUT_OPENVAT}),
                        "vertex exr16");
    assert_string_equal(
        list(
            text, ONE_EACH,
            (bw_vat_opts){.mode = BW_VAT_MODE_AUTO, .normals = BW_VAT_NORMALS_SEPARATE, .format = BW_VAT_FORMAT_PNG16}),
        "vertex png16");
    assert_non_null(
        strstr(list(text, NULL, (bw_vat_opts){.mode = BW_VAT_MODE_AUTO, .layout = BW_VAT_LAYOUT_SEED, .pow2 = true}),
               "BW_ERR_USAGE: --layout=seed has its own rule for sides"));
}

static void rates_on_request(void **state) {
    (void)state;
    char text[1024];
    bw_vat_opts opts = {.mode = BW_VAT_MODE_AUTO,
                        .format = BW_VAT_FORMAT_PNG16,
                        .rate_fractions = 3,
                        .max_between = {0.001, BW_LENGTH_METRE}};
    assert_string_equal(list(text, TWO_OF_ONE, opts),
                        "vertex png16, bone png16, vertex png16 /2, bone png16 /2, vertex png16 /3, bone png16 /3");
    opts.max_between = (bw_length){0};
    assert_non_null(strstr(list(text, NULL, opts), "BW_ERR_USAGE: --rate-fractions=3 needs --max-between"));
    opts.mode = BW_VAT_MODE_VERTEX;
    assert_non_null(strstr(list(text, NULL, opts), "BW_ERR_USAGE: --rate-fractions=3 chooses among rates"));
    opts.rate_fractions = 1;
    assert_string_equal(list(text, NULL, opts), "vertex png16");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_by_what_moves),
        cmocka_unit_test(formats_by_engine),
        cmocka_unit_test(what_is_named_is_taken),
        cmocka_unit_test(rates_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
