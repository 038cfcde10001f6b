/* SPDX-License-Identifier: MIT
 * What each engine gets by default, and which options contradict each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vat/vat.h"

static void engines_hold_what_they_can_read(void **state) {
    (void)state;
    /* DESIGN's table: container by what the engine holds, and where (1, 2, 3) of glTF is after its import. */
    static const struct {
        bw_engine engine;
        const char *format, *up, *handedness, *unit;
        float point[3], direction[3];
    } ROWS[] = {
        {BW_ENGINE_DEFAULT, "png16", "y", "right", "m", {1, 2, 3}, {1, 2, 3}},
        {BW_ENGINE_GENERIC, "png16", "y", "right", "m", {1, 2, 3}, {1, 2, 3}},
        {BW_ENGINE_UNITY, "png16", "y", "left", "m", {-1, 2, 3}, {-1, 2, 3}},
        {BW_ENGINE_UNREAL, "exr32", "z", "left", "cm", {100, 300, 200}, {1, 3, 2}},
        {BW_ENGINE_GODOT, "exr32", "y", "right", "m", {1, 2, 3}, {1, 2, 3}},
        {BW_ENGINE_THREE, "raw", "y", "right", "m", {1, 2, 3}, {1, 2, 3}},
        {BW_ENGINE_BABYLON, "raw", "y", "right", "m", {1, 2, 3}, {1, 2, 3}},
        {BW_ENGINE_PLAYCANVAS, "raw", "y", "right", "m", {1, 2, 3}, {1, 2, 3}},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        bwi_vat_settings s;
        assert_int_equal(bwi_vat_resolve(&s, &(bw_vat_opts){.engine = ROWS[k].engine}, NULL, true, false, NULL), BW_OK);
        assert_string_equal(s.format->name, ROWS[k].format);
        const bwi_space_map *space = bwi_vat_space(&s);
        assert_string_equal(space->name.up, ROWS[k].up);
        assert_string_equal(space->name.handedness, ROWS[k].handedness);
        assert_string_equal(space->name.unit, ROWS[k].unit);
        float point[6] = {1, 2, 3, 1, 2, 3}, tangents[8] = {1, 2, 3, -1, 1, 2, 3, 1};
        bwi_space_map_positions(point, point, 2, space); /* in place */
        bwi_space_map_directions(tangents, tangents, 2, 4, space);
        for (size_t i = 0; i < 3; i++) {
            assert_true(point[i] == ROWS[k].point[i] && point[3 + i] == ROWS[k].point[i]);
            assert_true(tangents[i] == ROWS[k].direction[i] && tangents[4 + i] == ROWS[k].direction[i]);
        }
        assert_true(tangents[3] == -1 && tangents[7] == 1);
    }
    assert_null(bwi_engine_info_of((bw_engine)99));
}

static void defaults(void **state) {
    (void)state;
    bwi_vat_settings s;
    assert_int_equal(bwi_vat_resolve(&s, &(bw_vat_opts){0}, NULL, true, true, NULL), BW_OK);
    assert_int_equal(s.layout, BW_VAT_LAYOUT_NATIVE);
    assert_int_equal(s.position_decode, BWI_DECODE_BOUNDS_OCT8);
    assert_null(s.normal_format);
    assert_false(s.tangents); /* they share a normal texture, and there is none */
    assert_int_equal(s.loop, BW_VAT_LOOP_AUTO);
    assert_int_equal(s.max_size, 4096);
    assert_true(s.max_bytes == UINT64_C(512) << 20);

    assert_int_equal(bwi_vat_resolve(&s, &(bw_vat_opts){.layout = BW_VAT_LAYOUT_SEED}, NULL, true, true, NULL), BW_OK);
    assert_string_equal(s.format->name, "exr16");
    assert_int_equal(s.position_decode, BWI_DECODE_ABSOLUTE);
    assert_null(s.normal_format);
}

/* Where normals and tangents go, by format and options. */
static void normals_and_tangents(void **state) {
    (void)state;
    static const struct {
        bw_vat_format format;
        bw_vat_normals normals;
        bw_vat_tangents tangents;
        bool has_tangents;
        bwi_texture_decode position;
        int normal; /* < 0: no texture */
    } ROWS[] = {
        {BW_VAT_FORMAT_PNG16, 0, 0, true, BWI_DECODE_BOUNDS_OCT8, -1},
        {BW_VAT_FORMAT_RAW, BW_VAT_NORMALS_PACKED, 0, true, BWI_DECODE_BOUNDS_OCT8, -1},
        {BW_VAT_FORMAT_PNG16, 0, BW_VAT_TANGENTS_ON, true, BWI_DECODE_BOUNDS, BWI_DECODE_OCT_OCT},
        {BW_VAT_FORMAT_PNG16, BW_VAT_NORMALS_SEPARATE, 0, true, BWI_DECODE_BOUNDS, BWI_DECODE_OCT_OCT},
        {BW_VAT_FORMAT_PNG16, BW_VAT_NORMALS_SEPARATE, BW_VAT_TANGENTS_OFF, true, BWI_DECODE_BOUNDS, BWI_DECODE_OCT},
        {BW_VAT_FORMAT_PNG16, BW_VAT_NORMALS_SEPARATE, 0, false, BWI_DECODE_BOUNDS, BWI_DECODE_OCT},
        {BW_VAT_FORMAT_PNG16, BW_VAT_NORMALS_OFF, 0, true, BWI_DECODE_BOUNDS, -1},
        {BW_VAT_FORMAT_PNG8, 0, 0, false, BWI_DECODE_BOUNDS, BWI_DECODE_OCT},
        {BW_VAT_FORMAT_KTX2_U10, 0, 0, true, BWI_DECODE_BOUNDS, BWI_DECODE_OCT}, /* 2 bits of alpha hold no tangent */
        {BW_VAT_FORMAT_EXR32, 0, 0, true, BWI_DECODE_ABSOLUTE, BWI_DECODE_OCT_OCT},
        {BW_VAT_FORMAT_KTX2_F16, BW_VAT_NORMALS_OFF, 0, true, BWI_DECODE_ABSOLUTE, -1},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        bwi_vat_settings s;
        const bw_vat_opts opts = {.format = ROWS[k].format, .normals = ROWS[k].normals, .tangents = ROWS[k].tangents};
        print_message("row %zu\n", k);
        assert_int_equal(bwi_vat_resolve(&s, &opts, NULL, true, ROWS[k].has_tangents, NULL), BW_OK);
        assert_int_equal(s.position_decode, ROWS[k].position);
        assert_int_equal(s.normal_format != NULL, ROWS[k].normal >= 0);
        if (s.normal_format) {
            assert_int_equal(s.normal_decode, ROWS[k].normal);
            assert_ptr_equal(s.normal_format, s.format);
            assert_int_equal(s.tangents, ROWS[k].normal == BWI_DECODE_OCT_OCT);
        }
    }
}

static void contradictions_say_what_to_do(void **state) {
    (void)state;
    static const struct {
        bw_vat_opts opts;
        bool has_tangents;
        const char *part;
    } ROWS[] = {
        {{.format = BW_VAT_FORMAT_PNG8, .normals = BW_VAT_NORMALS_PACKED}, false, "--normals=separate"},
        {{.format = BW_VAT_FORMAT_EXR32, .normals = BW_VAT_NORMALS_PACKED}, false, "--format=exr32"},
        {{.normals = BW_VAT_NORMALS_PACKED, .tangents = BW_VAT_TANGENTS_ON}, true, "--normals=separate"},
        {{.normals = BW_VAT_NORMALS_OFF, .tangents = BW_VAT_TANGENTS_ON}, true, "--normals=separate"},
        {{.format = BW_VAT_FORMAT_KTX2_U10, .tangents = BW_VAT_TANGENTS_ON}, true, "use ktx2-u16"},
        {{.tangents = BW_VAT_TANGENTS_ON}, false, "export them"},
        {{.layout = BW_VAT_LAYOUT_SEED, .format = BW_VAT_FORMAT_PNG16}, false, "--format=exr16"},
        {{.layout = BW_VAT_LAYOUT_SEED, .fps = 30}, false, "leave --fps out"},
        {{.layout = BW_VAT_LAYOUT_SEED, .normals = BW_VAT_NORMALS_SEPARATE}, false, "positions only"},
        {{.layout = BW_VAT_LAYOUT_SEED, .normals = BW_VAT_NORMALS_PACKED}, false, "positions only"},
        {{.layout = BW_VAT_LAYOUT_SEED, .tangents = BW_VAT_TANGENTS_ON}, true, "positions only"},
        {{.layout = BW_VAT_LAYOUT_SEED, .loop = BW_VAT_LOOP_YES}, false, "leave --loop=yes out"},
        {{.layout = BW_VAT_LAYOUT_SEED, .pow2 = true}, false, "leave --pow2 out"},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        bwi_vat_settings s = {.max_size = 7};
        bw_error error = {0};
        assert_int_equal(bwi_vat_resolve(&s, &ROWS[k].opts, NULL, true, ROWS[k].has_tangents, &error), BW_ERR_USAGE);
        if (!strstr(error.message, ROWS[k].part))
            fail_msg("\"%s\" lacks \"%s\"", error.message, ROWS[k].part);
        assert_int_equal(s.max_size, 7); /* untouched */
    }
    bwi_vat_settings s;
    const bw_vat_opts allowed = {.layout = BW_VAT_LAYOUT_SEED,
                                 .fps = 60,
                                 .normals = BW_VAT_NORMALS_OFF,
                                 .tangents = BW_VAT_TANGENTS_OFF,
                                 .loop = BW_VAT_LOOP_NO,
                                 .format = BW_VAT_FORMAT_KTX2_F32};
    assert_int_equal(bwi_vat_resolve(&s, &allowed, NULL, true, true, NULL), BW_OK);
}

/* What bone and rigid mode are resolved to. */
static void bones_and_weights(void **state) {
    (void)state;
    static const struct {
        bw_vat_opts opts;
        bw_vat_skin_in skin_in;
        uint32_t count, limit;
        const char *format, *weights; /* NULL: no weight texture */
    } ROWS[] = {
        {{.mode = BW_VAT_MODE_BONE}, BW_VAT_SKIN_IN_TEXTURE, 4, 4, "png16", "png16"},
        {{.mode = BW_VAT_MODE_BONE, .engine = BW_ENGINE_UNREAL}, BW_VAT_SKIN_IN_TEXTURE, 4, 4, "exr32", "exr32"},
        {{.mode = BW_VAT_MODE_BONE, .engine = BW_ENGINE_GODOT, .format = BW_VAT_FORMAT_EXR16},
         BW_VAT_SKIN_IN_TEXTURE,
         4,
         4,
         "exr16",
         "exr32"},
        {{.mode = BW_VAT_MODE_BONE, .engine = BW_ENGINE_THREE}, BW_VAT_SKIN_IN_MESH, 4, 4, "raw", NULL},
        {{.mode = BW_VAT_MODE_BONE, .engine = BW_ENGINE_BABYLON, .skin_in = BW_VAT_SKIN_IN_TEXTURE},
         BW_VAT_SKIN_IN_TEXTURE,
         4,
         4,
         "raw",
         "raw"},
        {{.mode = BW_VAT_MODE_BONE, .engine = BW_ENGINE_UNITY, .skin_in = BW_VAT_SKIN_IN_MESH},
         BW_VAT_SKIN_IN_MESH,
         4,
         4,
         "png16",
         NULL},
        {{.mode = BW_VAT_MODE_BONE, .influences = 1}, BW_VAT_SKIN_IN_TEXTURE, 4, 1, "png16", "png16"},
        {{.mode = BW_VAT_MODE_BONE, .influences = 5}, BW_VAT_SKIN_IN_TEXTURE, 8, 5, "png16", "png16"},
        {{.mode = BW_VAT_MODE_BONE, .format = BW_VAT_FORMAT_KTX2_F32},
         BW_VAT_SKIN_IN_TEXTURE,
         4,
         4,
         "ktx2-f32",
         "ktx2-u16"},
        {{.mode = BW_VAT_MODE_BONE, .format = BW_VAT_FORMAT_RAW_F32}, BW_VAT_SKIN_IN_TEXTURE, 4, 4, "raw-f32", "raw"},
        {{.mode = BW_VAT_MODE_BONE, .normals = BW_VAT_NORMALS_OFF, .tangents = BW_VAT_TANGENTS_OFF, .pow2 = true},
         BW_VAT_SKIN_IN_TEXTURE,
         4,
         4,
         "png16",
         "png16"},
        {{.mode = BW_VAT_MODE_RIGID, .engine = BW_ENGINE_THREE}, BW_VAT_SKIN_IN_DEFAULT, 1, 1, "raw", NULL},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        bwi_vat_settings s;
        print_message("row %zu\n", k);
        assert_int_equal(bwi_vat_resolve(&s, &ROWS[k].opts, NULL, true, true, NULL), BW_OK);
        assert_int_equal(s.mode, ROWS[k].opts.mode);
        assert_int_equal(s.skin_in, ROWS[k].skin_in);
        assert_int_equal(s.influence_count, ROWS[k].count);
        assert_int_equal(s.influence_limit, ROWS[k].limit);
        assert_string_equal(s.format->name, ROWS[k].format);
        assert_int_equal(s.weight_format != NULL, ROWS[k].weights != NULL);
        if (ROWS[k].weights)
            assert_string_equal(s.weight_format->name, ROWS[k].weights);
        assert_int_equal(s.position_decode, BWI_DECODE_BONE_QUATERNION);
        assert_null(s.normal_format);
        assert_false(s.tangents);
    }
}

/* Half of what the error may be; without a bound less where bones were asked for than where they are one choice of many. */
static void the_bound_of_shear(void **state) {
    (void)state;
    const bwi_vat_candidate bone = {BW_VAT_MODE_BONE, BW_VAT_FORMAT_PNG16, 1};
    static const bw_length none = {0}, relative = {0.01, BW_LENGTH_RELATIVE}, metres = {0.003, BW_LENGTH_METRE};
    bwi_vat_settings s;
    assert_int_equal(bwi_vat_resolve(&s, &(bw_vat_opts){.max_error = none}, &bone, true, false, NULL), BW_OK);
    assert_true(s.bone_bound == 2.5e-4 && s.bone_bound_m == 0);
    assert_int_equal(bwi_vat_resolve(&s, &(bw_vat_opts){.mode = BW_VAT_MODE_BONE}, &bone, true, false, NULL), BW_OK);
    assert_true(s.bone_bound == 2.5e-5 && s.bone_bound_m == 0);
    assert_int_equal(bwi_vat_resolve(&s, &(bw_vat_opts){.max_error = relative}, &bone, true, false, NULL), BW_OK);
    assert_true(s.bone_bound == 0.005 && s.bone_bound_m == 0);
    assert_int_equal(bwi_vat_resolve(&s, &(bw_vat_opts){.max_error = metres}, &bone, true, false, NULL), BW_OK);
    assert_true(s.bone_bound_m == 0.0015);
}

static void bones_contradict(void **state) {
    (void)state;
    static const struct {
        bw_vat_opts opts;
        const char *part;
    } ROWS[] = {
        {{.mode = BW_VAT_MODE_BONE, .layout = BW_VAT_LAYOUT_SEED}, "leave --layout out"},
        {{.mode = BW_VAT_MODE_RIGID, .layout = BW_VAT_LAYOUT_OPENVAT}, "leave --layout out"},
        {{.mode = BW_VAT_MODE_BONE, .normals = BW_VAT_NORMALS_PACKED}, "leave --normals out"},
        {{.mode = BW_VAT_MODE_RIGID, .normals = BW_VAT_NORMALS_SEPARATE}, "leave --normals out"},
        {{.mode = BW_VAT_MODE_BONE, .tangents = BW_VAT_TANGENTS_ON}, "leave --tangents out"},
        {{.mode = BW_VAT_MODE_BONE, .format = BW_VAT_FORMAT_PNG8}, "--format=png16"},
        {{.mode = BW_VAT_MODE_RIGID, .format = BW_VAT_FORMAT_KTX2_U10}, "--mode=rigid"},
        {{.mode = BW_VAT_MODE_VERTEX, .skin_in = BW_VAT_SKIN_IN_MESH}, "--skin-in"},
        {{.mode = BW_VAT_MODE_RIGID, .influences = 8}, "--influences"},
        {{.mode = BW_VAT_MODE_RIGID, .skin_in = BW_VAT_SKIN_IN_TEXTURE}, "use --mode=bone"},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        bwi_vat_settings s = {.max_size = 7};
        bw_error error = {0};
        assert_int_equal(bwi_vat_resolve(&s, &ROWS[k].opts, NULL, true, true, &error), BW_ERR_USAGE);
        if (!strstr(error.message, ROWS[k].part))
            fail_msg("\"%s\" lacks \"%s\"", error.message, ROWS[k].part);
        assert_int_equal(s.max_size, 7); /* untouched */
    }
    /* Where the mode is left to be chosen, what other modes have no use for is no contradiction. */
    const bwi_vat_candidate vertex = {BW_VAT_MODE_VERTEX, BW_VAT_FORMAT_PNG16, 1};
    bwi_vat_settings s;
    assert_int_equal(
        bwi_vat_resolve(&s, &(bw_vat_opts){.mode = BW_VAT_MODE_AUTO, .influences = 8}, &vertex, true, true, NULL),
        BW_OK);
    assert_int_equal(s.mode, BW_VAT_MODE_VERTEX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_hold_what_they_can_read),
        cmocka_unit_test(defaults),
        cmocka_unit_test(normals_and_tangents),
        cmocka_unit_test(contradictions_say_what_to_do),
        cmocka_unit_test(bones_and_weights),
        cmocka_unit_test(the_bound_of_shear),
        cmocka_unit_test(bones_contradict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
