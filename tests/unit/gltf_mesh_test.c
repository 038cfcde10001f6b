/* SPDX-License-Identifier: MIT
 * Meshes: topology, attributes, influences, morph targets, and what is repaired or refused in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "expect.h"
#include "gltf_text.h"

static const bw_primitive *first_primitive(const gltf_text *t) {
    return &t->scene->meshes.data[0].primitives.data[0];
}

/* ---- Topology. ---- */

static void modes(void **state) {
    (void)state;
    static const uint8_t indices[5] = {0, 1, 2, 3, 4};
    static const float positions[15] = {0};
    static const struct {
        int mode; /* -1: left out */
        bw_primitive_mode wanted;
        uint32_t count, list[12];
        bool incomplete;
    } cases[] = {
        {0, BW_PRIMITIVE_POINTS, 5, {0, 1, 2, 3, 4}, false},
        {1, BW_PRIMITIVE_LINES, 4, {0, 1, 2, 3}, true},
        {2, BW_PRIMITIVE_LINES, 10, {0, 1, 1, 2, 2, 3, 3, 4, 4, 0}, false},
        {3, BW_PRIMITIVE_LINES, 8, {0, 1, 1, 2, 2, 3, 3, 4}, false},
        {4, BW_PRIMITIVE_TRIANGLES, 3, {0, 1, 2}, true},
        {-1, BW_PRIMITIVE_TRIANGLES, 3, {0, 1, 2}, true},
        /* Every second triangle of a strip is turned back: glTF 2.0 §3.7.2.1. */
        {5, BW_PRIMITIVE_TRIANGLES, 9, {0, 1, 2, 1, 3, 2, 2, 3, 4}, false},
        {6, BW_PRIMITIVE_TRIANGLES, 9, {1, 2, 0, 2, 3, 0, 3, 4, 0}, false},
    };
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        bool indexed = i % 2;
        gltf_text t;
        text_init(&t);
        text_floats(&t, "VEC3", 5, positions, 15);
        text_data(&t, "SCALAR", U8, 5, indices, sizeof(indices), false);
        char mode[32] = "";
        if (cases[i / 2].mode >= 0) {
            snprintf(mode, sizeof(mode), ",'mode':%d", cases[i / 2].mode);
        }
        text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':0}%s%s}]}]", mode,
                 indexed ? ",'indices':1" : "");
        EXPECT_READ(&t);
        const bw_primitive *primitive = first_primitive(&t);
        assert_int_equal(primitive->mode, cases[i / 2].wanted);
        assert_int_equal(primitive->indices.count, cases[i / 2].count);
        assert_memory_equal(primitive->indices.data, cases[i / 2].list, cases[i / 2].count * sizeof(uint32_t));
        assert_int_equal(scene_warned(t.scene, "primitive-incomplete"), cases[i / 2].incomplete);
        text_close(&t);
    }
}

static void index_types(void **state) {
    (void)state;
    static const uint8_t u8[3] = {2, 1, 0};
    static const uint16_t u16[3] = {2, 1, 0};
    static const uint32_t u32[3] = {2, 1, 0};
    static const struct {
        unsigned component;
        const void *data;
        size_t size;
    } cases[] = {{U8, u8, sizeof(u8)}, {U16, u16, sizeof(u16)}, {U32, u32, sizeof(u32)}};
    for (size_t i = 0; i < 3; i++) {
        gltf_text t;
        text_init(&t);
        text_floats(&t, "VEC3", 3, triangle_positions, 9);
        text_data(&t, "SCALAR", cases[i].component, 3, cases[i].data, cases[i].size, false);
        text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]");
        EXPECT_READ(&t);
        assert_memory_equal(first_primitive(&t)->indices.data, u32, sizeof(u32));
        text_close(&t);
    }
}

static void index_errors(void **state) {
    (void)state;
    static const uint16_t past[3] = {0, 3, 1}, restart[3] = {0, 1, 65535};
    static const struct {
        const uint16_t *data;
        unsigned component;
        const char *part;
    } cases[] = {
        {past, U16, "mesh 0 (Body), primitive 0, indices: index 1 is 3, expected one below the 3 vertices"},
        {restart, U16,
         "index 2 is 65535 (primitive restart, which glTF does not have), expected one below the 3 vertices"},
        {past, I16, "its numbers are 16-bit signed, which glTF does not allow here"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gltf_text t;
        text_init(&t);
        text_floats(&t, "VEC3", 3, triangle_positions, 9);
        text_data(&t, "SCALAR", cases[i].component, 3, cases[i].data, 6, false);
        text_add(&t, "'meshes':[{'name':'Body','primitives':[{'attributes':{'POSITION':0},'indices':1}]}]");
        EXPECT_FAILURE(&t, BW_ERR_MALFORMED, cases[i].part);
        text_close(&t);
    }
}

/* ---- Attributes. ---- */

static void attributes(void **state) {
    (void)state;
    static const float normals[9] = {0, 0, 1, 0, 0, 2, 0, 0, 0},
                       tangents[12] = {1, 0, 0, 1, 0, 3, 0, -1, 1, 0, 0, 0.5f};
    static const float uv[6] = {1, 2, 3, 4, 5, 6}, rgb[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const uint8_t rgba[12] = {0, 51, 102, 255, 0, 0, 0, 0, 255, 255, 255, 255};
    gltf_text t;
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_floats(&t, "VEC3", 3, normals, 9);
    text_floats(&t, "VEC4", 3, tangents, 12);
    text_floats(&t, "VEC2", 3, uv, 6);
    text_floats(&t, "VEC3", 3, rgb, 9);
    text_data(&t, "VEC4", U8, 3, rgba, sizeof(rgba), false); /* not marked as normalised, yet nothing else */
    text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1,'TANGENT':2,'TEXCOORD_2':3,'TEXCOORD_"
                 "0':3,'COLOR_0':4,"
                 "'COLOR_1':5,'_WIND':3,'TEXCOORD_00':3,'TEXCOORD_99':3}}]}]");
    EXPECT_READ(&t);
    const bw_primitive *p = first_primitive(&t);
    for (size_t i = 0; i < 3; i++) {
        EXPECT3(p->normals + 3 * i, 0, 0, 1, 0);
    }
    EXPECT4(p->tangents, 1, 0, 0, 1, 0);
    EXPECT4(p->tangents + 4, 0, 1, 0, -1, 0);
    EXPECT4(p->tangents + 8, 1, 0, 0, 1, 0);
    assert_int_equal(scene_warned(t.scene, "directions-missing"), 1);
    assert_int_equal(scene_warned(t.scene, "directions-not-unit"), 2);
    assert_int_equal(scene_warned(t.scene, "tangent-handedness"), 1);
    assert_int_equal(p->uv_sets.count, 3);
    assert_memory_equal(p->uv_sets.data[0], uv, sizeof(uv));
    assert_null(p->uv_sets.data[1]);
    assert_ptr_equal(p->uv_sets.data[2], p->uv_sets.data[0]); /* one accessor is read once */
    assert_int_equal(p->colors.count, 2);
    EXPECT4(p->colors.data[0], 1, 2, 3, 1, 0);
    EXPECT4(p->colors.data[0] + 8, 7, 8, 9, 1, 0);
    EXPECT4(p->colors.data[1], 0, 51 / 255.0f, 102 / 255.0f, 1, 0);
    assert_int_equal(scene_warned(t.scene, "integers-taken-as-normalised"), 1);
    assert_int_equal(scene_warned(t.scene, "attribute-ignored"), 3);
    text_close(&t);
}

static void quantised_positions(void **state) {
    (void)state;
    static const int16_t positions[12] = {-300, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0};
    gltf_text t;
    text_init(&t);
    uint32_t view = text_view(&t, positions, sizeof(positions), ",'byteStride':8");
    text_accessor(&t, "'type':'VEC3','componentType':5122,'count':3,'bufferView':%u", view);
    text_add(
        &t, "'extensionsRequired':['KHR_mesh_quantization'],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]");
    EXPECT_READ(&t);
    EXPECT3(first_primitive(&t)->positions, -300, 2, 3, 0);
    EXPECT3(first_primitive(&t)->positions + 6, 7, 8, 9, 0);
    text_close(&t);
}

static void attribute_errors(void **state) {
    (void)state;
    static const struct {
        const char *attributes, *part;
    } cases[] = {
        {"'POSITION':0,'NORMAL':1", "mesh 0, primitive 0, NORMAL: it has 2 elements, expected 3 as POSITION has"},
        {"'POSITION':2", "POSITION, accessor 2: its type is VEC2, expected VEC3"},
        {"'POSITION':0,'TEXCOORD_0':0", "TEXCOORD_0, accessor 0: its type is VEC3, expected VEC2"},
        {"'POSITION':7", "\"POSITION\" is 7, expected an index below 3"},
        {"'POSITION':true", "\"POSITION\" is true, expected an index"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gltf_text t;
        text_init(&t);
        text_floats(&t, "VEC3", 3, triangle_positions, 9);
        text_floats(&t, "VEC3", 2, triangle_positions, 6);
        text_floats(&t, "VEC2", 3, triangle_positions, 6);
        text_add(&t, "'meshes':[{'primitives':[{'attributes':{%s}}]}]", cases[i].attributes);
        EXPECT_FAILURE(&t, BW_ERR_MALFORMED, cases[i].part);
        text_close(&t);
    }
}

static void primitives_left_out(void **state) {
    (void)state;
    gltf_text t;
    text_init(&t);
    text_floats(&t, "VEC3", 2, triangle_positions, 6);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_accessor(&t, "'type':'VEC3','componentType':5126,'count':0");
    text_add(&t, "'meshes':[{'primitives':[{},{'attributes':{'POSITION':0}},{'attributes':{'POSITION':2}},{'attributes'"
                 ":{'POSITION':1}}]},{}],"
                 "'nodes':[{'mesh':1}]");
    EXPECT_READ(&t);
    assert_int_equal(t.scene->meshes.data[0].primitives.count, 1);
    assert_int_equal(first_primitive(&t)->vertex_count, 3);
    assert_int_equal(scene_warned(t.scene, "primitive-without-position"), 1);
    assert_int_equal(scene_warned(t.scene, "primitive-empty"), 2);
    assert_int_equal(t.scene->meshes.data[1].primitives.count, 0);
    assert_int_equal(scene_warned(t.scene, "mesh-empty"), 1);
    text_close(&t);
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':7}]}]");
    EXPECT_FAILURE(&t, BW_ERR_MALFORMED, "\"mode\" is 7, expected 0 to 6");
    text_close(&t);
}

static void draco(void **state) {
    (void)state;
    for (int fallback = 0; fallback < 2; fallback++) {
        gltf_text t;
        text_init(&t);
        if (fallback) {
            text_floats(&t, "VEC3", 3, triangle_positions, 9);
        } else {
            text_accessor(&t, "'type':'VEC3','componentType':5126,'count':3");
        }
        text_add(&t, "'extensionsUsed':['KHR_draco_mesh_compression'],'meshes':[{'primitives':[{'attributes':{'"
                     "POSITION':0},'extensions':"
                     "{'KHR_draco_mesh_compression':{'bufferView':0}}}]}]");
        if (fallback) {
            EXPECT_READ(&t);
            assert_int_equal(scene_warned(t.scene, "draco-fallback"), 1);
        } else {
            EXPECT_FAILURE(
                &t, BW_ERR_UNSUPPORTED,
                "compressed with KHR_draco_mesh_compression, which is not supported; decompress the model with");
        }
        text_close(&t);
    }
}

/* ---- Influences. ---- */

/* A skinned triangle whose nodes 0 … 4 are joints; attributes name accessors from 1 on. */
static void add_skinned(gltf_text *t, const char *attributes) {
    text_add(t,
             "'meshes':[{'primitives':[{'attributes':{'POSITION':0%s}}]}],'skins':[{'name':'wide','joints':[0,1,2,3,4]}"
             ",{'joints':[0,1]}],"
             "'nodes':[{},{},{},{},{},{'mesh':0,'skin':0}]",
             attributes);
}

static void one_set(void **state) {
    (void)state;
    static const uint16_t joints[12] = {4, 3, 2, 1, 4, 0, 0, 0, 1, 2, 9, 9};
    static const float weights[12] = {0.25f, 0.25f, 0.25f, 0.25f, 0.5f, -0.5f, 0.5f, 0, 0.2f, 0.2f, 0, 0};
    gltf_text t;
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_data(&t, "VEC4", U16, 3, joints, sizeof(joints), false);
    text_floats(&t, "VEC4", 3, weights, 12);
    add_skinned(&t, ",'JOINTS_0':1,'WEIGHTS_0':2");
    EXPECT_READ(&t);
    const bw_primitive *p = first_primitive(&t);
    static const uint32_t wanted_joints[12] = {4, 3, 2, 1, 4, 0, 0, 0, 1, 2, 0, 0};
    assert_int_equal(p->influence_count, 4);
    assert_memory_equal(p->joints, wanted_joints, sizeof(wanted_joints));
    EXPECT4(p->weights, 0.25, 0.25, 0.25, 0.25, 0);
    EXPECT4(p->weights + 4, 0.5, 0, 0.5, 0, 0);
    EXPECT4(p->weights + 8, 0.5, 0.5, 0, 0, 0);
    assert_int_equal(scene_warned(t.scene, "weights-negative"), 1);
    assert_int_equal(scene_warned(t.scene, "weights-not-normalised"), 1);
    assert_int_equal(scene_warned(t.scene, "joint-out-of-range"), 2);
    text_close(&t);
}

static void all_zero_weights(void **state) {
    (void)state;
    static const uint8_t joints[12] = {3, 1, 0, 0, 200, 0, 0, 0, 1, 2, 0, 0};
    float weights[12] = {0, 0, 0, 0, -1, 0, 0, 0, 1, 0, 0, 0};
    const uint32_t nan_bits = 0x7fc00000u;
    memcpy(&weights[1], &nan_bits, 4);
    gltf_text t;
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_data(&t, "VEC4", U8, 3, joints, sizeof(joints), false);
    text_floats(&t, "VEC4", 3, weights, 12);
    add_skinned(&t, ",'JOINTS_0':1,'WEIGHTS_0':2");
    EXPECT_READ(&t);
    const bw_primitive *p = first_primitive(&t);
    static const uint32_t wanted_joints[12] = {3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    assert_memory_equal(p->joints, wanted_joints, sizeof(wanted_joints));
    for (size_t i = 0; i < 3; i++) {
        EXPECT4(p->weights + 4 * i, 1, 0, 0, 0, 0);
    }
    assert_int_equal(scene_warned(t.scene, "weights-zero"), 2);
    assert_int_equal(scene_warned(t.scene, "weights-negative"), 1);
    assert_int_equal(scene_warned(t.scene, "values-not-finite"), 1);
    text_close(&t);
}

static void many_sets(void **state) {
    (void)state;
    static const uint8_t joints0[12] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0},
                         joints1[12] = {4, 0, 0, 0, 4, 0, 0, 0, 4, 3, 2, 1};
    /* Normalised bytes: 255 = 51 · 5; the second vertex is off by three steps, more than two weights' rounding. */
    static const uint8_t weights0[12] = {51, 51, 51, 51, 51, 51, 51, 51, 0, 0, 0, 0},
                         weights1[12] = {51, 0, 0, 0, 48, 0, 0, 0, 254, 1, 0, 0};
    gltf_text t;
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_data(&t, "VEC4", U8, 3, joints0, 12, false);
    text_data(&t, "VEC4", U8, 3, joints1, 12, false);
    text_data(&t, "VEC4", U8, 3, weights0, 12, true);
    text_data(&t, "VEC4", U8, 3, weights1, 12, true);
    add_skinned(&t, ",'JOINTS_0':1,'JOINTS_1':2,'WEIGHTS_0':3,'WEIGHTS_1':4,'JOINTS_3':1,'WEIGHTS_3':3");
    EXPECT_READ(&t);
    const bw_primitive *p = first_primitive(&t);
    static const uint32_t wanted_joints[24] = {0, 1, 2, 3, 4, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0};
    assert_int_equal(p->influence_count, 8);
    assert_memory_equal(p->joints, wanted_joints, sizeof(wanted_joints));
    for (size_t v = 0; v < 3; v++) {
        double sum = 0;
        for (size_t i = 0; i < 8; i++) {
            sum += (double)p->weights[8 * v + i];
        }
        EXPECT1(sum, 1, 1e-6); /* eight roundings of 2^-25 */
    }
    EXPECT1(p->weights[4], 0.2, 1e-7);
    EXPECT1(p->weights[12], 48.0 / 252.0, 1e-7);
    assert_int_equal(scene_warned(t.scene, "weights-not-normalised"), 1);
    assert_int_equal(scene_warned(t.scene, "influence-set-alone"), 1);
    text_close(&t);
}

static void joint_errors(void **state) {
    (void)state;
    static const uint8_t joints[12] = {0, 0, 0, 0, 0, 2, 0, 0, 5, 0, 0, 0};
    static const float weights[12] = {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0};
    gltf_text t;
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_data(&t, "VEC4", U8, 3, joints, 12, false);
    text_floats(&t, "VEC4", 3, weights, 12);
    add_skinned(&t, ",'JOINTS_0':1,'WEIGHTS_0':2");
    EXPECT_FAILURE(&t, BW_ERR_MALFORMED,
                   "mesh 0, primitive 0: vertex 2 is moved by joint 5, expected one below the 5 of skin 0");
    text_close(&t);
    /* Another node, before or after, gives the same mesh the narrower skin. */
    for (int first = 0; first < 2; first++) {
        text_init(&t);
        text_floats(&t, "VEC3", 3, triangle_positions, 9);
        text_data(&t, "VEC4", U8, 3, joints, 12, false);
        text_floats(&t, "VEC4", 3, weights, 12);
        text_add(&t,
                 "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2}}]}],"
                 "'skins':[{'joints':[0,1,2,3,4,5]},{'joints':[0,1]}],"
                 "'nodes':[{},{},{},{},{},{},{'mesh':0,'skin':%d},{'mesh':0,'skin':%d}]",
                 first, 1 - first);
        EXPECT_FAILURE(&t, BW_ERR_MALFORMED, "vertex 1 is moved by joint 2, expected one below the 2 of skin 1");
        text_close(&t);
    }
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_data(&t, "VEC4", U8, 2, joints, 8, false);
    text_floats(&t, "VEC4", 3, weights, 12);
    add_skinned(&t, ",'JOINTS_0':1,'WEIGHTS_0':2");
    EXPECT_FAILURE(&t, BW_ERR_MALFORMED, "JOINTS_0: it has 2 elements, expected 3 as POSITION has");
    text_close(&t);
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_floats(&t, "VEC4", 3, weights, 12);
    add_skinned(&t, ",'JOINTS_0':1,'WEIGHTS_0':1");
    EXPECT_FAILURE(&t, BW_ERR_MALFORMED,
                   "JOINTS_0, accessor 1: its numbers are 32-bit float, which glTF does not allow here");
    text_close(&t);
}

static void skins_that_do_not_meet(void **state) {
    (void)state;
    static const uint8_t joints[12] = {0};
    static const float weights[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    gltf_text t;
    /* A skin, but no joints: the node moves the mesh. */
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    add_skinned(&t, "");
    EXPECT_READ(&t);
    assert_int_equal(t.scene->nodes.data[5].skin, BW_NO_INDEX);
    assert_int_equal(scene_warned(t.scene, "mesh-without-joints"), 1);
    text_close(&t);
    /* Joints, but no skin; a skin, but no mesh. */
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_data(&t, "VEC4", U8, 3, joints, 12, false);
    text_floats(&t, "VEC4", 3, weights, 12);
    text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2}}]}],'nodes':[{'mesh'"
                 ":0},{'skin':0}],"
                 "'skins':[{'joints':[0]}]");
    EXPECT_READ(&t);
    assert_int_equal(first_primitive(&t)->influence_count, 0);
    assert_int_equal(scene_warned(t.scene, "joints-without-skin"), 1);
    assert_int_equal(scene_warned(t.scene, "skin-without-mesh"), 1);
    assert_int_equal(t.scene->nodes.data[1].skin, BW_NO_INDEX);
    text_close(&t);
}

/* On request they are kept: their very codes, whatever they sum to and name. */
static void loose_joints_are_kept_on_request(void **state) {
    (void)state;
    static const uint16_t joints[2][12] = {{0, 1, 65535, 3, 5, 5, 0, 0, 9, 8, 7, 6}, {1, 2, 3, 4}};
    static const uint16_t weights[2][12] = {{65535, 0, 1, 2, 32767, 32768, 0, 0, 65535, 65535, 65535, 65535}, {7}};
    const bw_scene_opts keep = {.loose_joints = true};
    gltf_text t;
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    for (int set = 0; set < 2; set++) {
        text_data(&t, "VEC4", U16, 3, joints[set], 24, false);
        text_data(&t, "VEC4", U16, 3, weights[set], 24, true);
    }
    text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2,'JOINTS_1':3,"
                 "'WEIGHTS_1':4}}]}],'nodes':[{'mesh':0}]");
    if (text_read(&t, &keep) != BW_OK)
        fail_msg("%s", t.error.message);
    const bw_primitive *p = first_primitive(&t);
    assert_int_equal(p->influence_count, 8);
    for (size_t v = 0; v < 3; v++)
        for (size_t k = 0; k < 8; k++) {
            assert_int_equal(p->joints[8 * v + k], joints[k / 4][4 * v + k % 4]);
            assert_true(p->weights[8 * v + k] == (float)weights[k / 4][4 * v + k % 4] / 65535.0f);
        }
    assert_int_equal(scene_warned(t.scene, "joints-without-skin"), 0);
    text_close(&t);
}

/* ---- Morph targets. ---- */

static void morph_targets(void **state) {
    (void)state;
    static const float normals[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1}, deltas[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const int8_t small[12] = {127, 0, -127, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    gltf_text t;
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_floats(&t, "VEC3", 3, normals, 9);
    text_floats(&t, "VEC3", 3, deltas, 9);
    uint32_t view = text_view(&t, small, sizeof(small), ",'byteStride':4");
    text_accessor(&t, "'type':'VEC3','componentType':5120,'normalized':true,'count':3,'bufferView':%u", view);
    text_add(&t, "'meshes':[{'weights':[0.5,0.25],'extras':{'targetNames':['smile','frown']},'primitives':["
                 "{'attributes':{'POSITION':0,'NORMAL':1},'targets':[{'POSITION':2,'NORMAL':2},{'POSITION':3,'NORMAL':"
                 "3,'TANGENT':2,'COLOR_0':2}]},"
                 "{'attributes':{'POSITION':0},'targets':[{'NORMAL':2}]}]}],'nodes':[{'mesh':0,'weights':[1]},{'mesh':"
                 "0,'weights':[1,2,3]}]");
    EXPECT_READ(&t);
    const bw_mesh *mesh = &t.scene->meshes.data[0];
    assert_int_equal(mesh->target_count, 2);
    EXPECT1(mesh->weights.data[0], 0.5, 0);
    EXPECT1(mesh->weights.data[1], 0.25, 0);
    assert_int_equal(mesh->target_names.count, 2);
    assert_string_equal(mesh->target_names.data[1], "frown");
    const bw_primitive *p = &mesh->primitives.data[0];
    assert_int_equal(p->targets.count, 2);
    assert_memory_equal(p->targets.data[0].positions, deltas, sizeof(deltas));
    assert_memory_equal(p->targets.data[0].normals, deltas, sizeof(deltas)); /* not normalised: they are differences */
    EXPECT3(p->targets.data[1].positions, 1, 0, -1, 0);
    assert_null(p->targets.data[1].tangents);
    const bw_primitive *q = &mesh->primitives.data[1];
    assert_int_equal(q->targets.count, 2);
    assert_null(q->targets.data[0].normals);
    assert_null(q->targets.data[1].positions);
    assert_int_equal(scene_warned(t.scene, "morph-count-differs"), 1);
    assert_int_equal(scene_warned(t.scene, "morph-attribute-ignored"), 3);
    /* Node weights: padded with 0, cut. */
    assert_int_equal(t.scene->nodes.data[0].weights.count, 2);
    EXPECT1(t.scene->nodes.data[0].weights.data[0], 1, 0);
    EXPECT1(t.scene->nodes.data[0].weights.data[1], 0, 0);
    assert_int_equal(t.scene->nodes.data[1].weights.count, 2);
    assert_int_equal(scene_warned(t.scene, "morph-weights-length"), 2);
    text_close(&t);
}

static void morph_errors(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *part;
    } cases[] = {
        {"'primitives':[{'attributes':{'POSITION':0},'targets':[-1]}]",
         "mesh 0, primitive 0, target 0: it is no object"},
        {"'primitives':[{'targets':[-1]}]", "mesh 0, primitive 0, target 0: it is no object"},
        {"'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION':1}]}]",
         "target 0, POSITION: it has 2 elements, expected 3"},
        {"'primitives':[{'attributes':{'POSITION':0},'targets':{}}]", "\"targets\" is an object, expected a list"},
        {"'primitives':[{'attributes':{'POSITION':0}}],'weights':[true]", "\"weights\" is true, expected numbers"},
        {"'primitives':[{'attributes':{'POSITION':0}}],'weights':[1e39]",
         "\"weights\" is 1e+39, expected numbers in the range of 32-bit floats"},
        {"'primitives':[3]", "mesh 0, primitive 0: it is no object"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gltf_text t;
        text_init(&t);
        text_floats(&t, "VEC3", 3, triangle_positions, 9);
        text_floats(&t, "VEC3", 2, triangle_positions, 6);
        text_add(&t, "'meshes':[{%s}]", cases[i].mesh);
        EXPECT_FAILURE(&t, BW_ERR_MALFORMED, cases[i].part);
        text_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes),
        cmocka_unit_test(index_types),
        cmocka_unit_test(index_errors),
        cmocka_unit_test(attributes),
        cmocka_unit_test(quantised_positions),
        cmocka_unit_test(attribute_errors),
        cmocka_unit_test(primitives_left_out),
        cmocka_unit_test(draco),
        cmocka_unit_test(one_set),
        cmocka_unit_test(all_zero_weights),
        cmocka_unit_test(many_sets),
        cmocka_unit_test(joint_errors),
        cmocka_unit_test(skins_that_do_not_meet),
        cmocka_unit_test(loose_joints_are_kept_on_request),
        cmocka_unit_test(morph_targets),
        cmocka_unit_test(morph_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
