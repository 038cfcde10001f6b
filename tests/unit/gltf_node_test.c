/* SPDX-License-Identifier: MIT
 * Nodes, scenes, skins and instances. */
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
#include "read/gltf/gltf.h"

static void transforms(void **state) {
    (void)state;
    gltf_text t;
    text_init(&t);
    text_add(&t, "'nodes':[{},{'name':'arm','translation':[1,2,3],'rotation':[0,0,2,0],'scale':[-1,0,2]},"
                 "{'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1],'scale':[2,2,2]},{'rotation':[0,0,0,0]}]");
    EXPECT_READ(&t);
    const bw_node *nodes = t.scene->nodes.data;
    assert_string_equal(nodes[0].name, "node 0");
    EXPECT3(nodes[0].scale, 1, 1, 1, 0);
    EXPECT4(nodes[0].rotation, 0, 0, 0, 1, 0);
    assert_false(nodes[0].has_matrix);
    assert_string_equal(nodes[1].name, "arm");
    EXPECT3(nodes[1].translation, 1, 2, 3, 0);
    EXPECT4(nodes[1].rotation, 0, 0, 1, 0, 0);
    EXPECT3(nodes[1].scale, -1, 0, 2, 0);
    assert_true(nodes[2].has_matrix);
    EXPECT3(nodes[2].matrix + 12, 5, 6, 7, 0);
    EXPECT4(nodes[3].rotation, 0, 0, 0, 1, 0);
    assert_int_equal(scene_warned(t.scene, "rotation-not-unit"), 2);
    assert_int_equal(scene_warned(t.scene, "node-matrix-and-trs"), 1);
    text_close(&t);
}

static void node_errors(void **state) {
    (void)state;
    static const struct {
        const char *json, *part;
    } cases[] = {
        {"'nodes':[{'name':'a','children':[2]},{'name':'b','children':[2]},{'name':'c'}]",
         "node 1 (b): node 2 (c) is its child, but also that of node 0 (a)"},
        {"'nodes':[{'children':[1,1]},{}]", "node 0: node 1 (node 1) is its child twice"},
        {"'nodes':[{'name':'self','children':[0]}]", "node 0 (self): it is its own ancestor"},
        {"'nodes':[{},{'children':[2]},{'children':[3]},{'children':[1]}]", "it is its own ancestor"},
        {"'nodes':[{'children':[1]}]", "\"children\" is 1, expected an index below 1"},
        {"'nodes':[{'mesh':0}]", "\"mesh\" is 0, expected an index below 0"},
        {"'nodes':[{'translation':[1,2]}]", "\"translation\" holds 2 numbers, expected 3"},
        {"'nodes':[{'scale':[1,2,'x']}]", "\"scale\" is text, expected numbers"},
        {"'nodes':[{'matrix':[1]}]", "\"matrix\" holds 1 numbers, expected 16"},
        {"'nodes':[{}],'scenes':[{'nodes':[1]}]", "scene 0: \"nodes\" is 1, expected an index below 1"},
        {"'nodes':[{}],'scenes':[{}],'scene':1", "\"scene\" is 1, expected an index below 1"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gltf_text t;
        text_init(&t);
        text_add(&t, "%s", cases[i].json);
        EXPECT_FAILURE(&t, BW_ERR_MALFORMED, cases[i].part);
        text_close(&t);
    }
}

static void expect_in_scene(const char *scenes, const char *wanted, uint64_t not_chosen) {
    gltf_text t;
    text_init(&t);
    text_add(&t, "'nodes':[{'children':[2]},{},{'children':[3]},{}]%s%s", scenes[0] ? "," : "", scenes);
    EXPECT_READ(&t);
    char found[5] = "";
    for (size_t i = 0; i < 4; i++) {
        found[i] = t.scene->nodes.data[i].in_scene ? 'y' : 'n';
    }
    assert_string_equal(found, wanted);
    assert_int_equal(scene_warned(t.scene, "scene-not-chosen"), not_chosen);
    text_close(&t);
}

static void default_scene(void **state) {
    (void)state;
    expect_in_scene("", "yyyy", 0);
    expect_in_scene("'scenes':[]", "yyyy", 0);
    expect_in_scene("'scenes':[{'nodes':[1]}]", "nynn", 0);
    expect_in_scene("'scenes':[{'nodes':[1]},{'nodes':[0]}]", "nynn", 1);
    expect_in_scene("'scenes':[{'nodes':[1]},{'nodes':[0]}],'scene':1", "ynyy", 0);
    expect_in_scene("'scenes':[{}]", "nnnn", 0);
    expect_in_scene("'scenes':[{'nodes':[2]}]", "nnyy", 0);
}

static void order(void **state) {
    (void)state;
    gltf_text t;
    text_init(&t);
    text_add(&t, "'nodes':[{},{'children':[0,4]},{'children':[3]},{'children':[1]},{}]");
    EXPECT_READ(&t);
    static const uint32_t wanted[5] = {2, 3, 1, 0, 4}, parents[5] = {1, 3, BW_NO_INDEX, 2, 1};
    assert_int_equal(t.scene->node_order.count, 5);
    assert_memory_equal(t.scene->node_order.data, wanted, sizeof(wanted));
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(t.scene->nodes.data[i].parent, parents[i]);
    }
    text_close(&t);
}

/* A chain as long as a file: recursion over it would overflow the stack. */
static void deep_chain(void **state) {
    (void)state;
    enum { DEPTH = 300000 };
    char *json = malloc(32 * DEPTH + 64);
    size_t used = (size_t)sprintf(json, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (int i = 0; i < DEPTH; i++) {
        used += (size_t)sprintf(json + used, i + 1 < DEPTH ? "{\"children\":[%d]}," : "{}]}", i + 1);
    }
    bw_scene *scene;
    bw_error error;
    assert_int_equal(bwi_read_gltf(&scene, "deep.gltf", NULL, (const uint8_t *)json, used, NULL, &error), BW_OK);
    assert_int_equal(scene->node_order.data[DEPTH - 1], DEPTH - 1);
    bwi_arena_free(scene->arena);
    /* The same, bitten by its own tail. */
    memcpy(json + used - 4, "{\"children\":[0]}]}", 18);
    assert_int_equal(bwi_read_gltf(&scene, "deep.gltf", NULL, (const uint8_t *)json, used + 14, NULL, &error),
                     BW_ERR_MALFORMED);
    assert_non_null(strstr(error.message, "it is its own ancestor"));
    free(json);
}

static void skins(void **state) {
    (void)state;
    float matrices[32];
    for (size_t i = 0; i < 32; i++) {
        matrices[i] = (float)i;
    }
    gltf_text t;
    text_init(&t);
    text_floats(&t, "MAT4", 2, matrices, 32);
    text_add(&t, "'nodes':[{},{},{}],'skins':[{'joints':[2,0],'inverseBindMatrices':0},{'name':'one','joints':[1],'"
                 "inverseBindMatrices':0},"
                 "{'joints':[1,1]}]");
    EXPECT_READ(&t);
    const bw_skin *list = t.scene->skins.data;
    assert_int_equal(list[0].joints.data[0], 2);
    assert_memory_equal(list[0].inverse_bind, matrices, sizeof(matrices));
    assert_string_equal(list[0].name, "skin 0");
    assert_string_equal(list[1].name, "one");
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    assert_memory_equal(list[2].inverse_bind + 16, identity, sizeof(identity));
    assert_int_equal(scene_warned(t.scene, "inverse-bind-missing"), 1);
    text_close(&t);
    static const struct {
        const char *skin, *part;
    } cases[] = {
        {"", "skin 0: it has no joints"},
        {"'joints':[]", "skin 0: it has no joints"},
        {"'joints':[3]", "\"joints\" is 3, expected an index below 3"},
        {"'joints':[0,1,2],'inverseBindMatrices':0", "skin 0, inverseBindMatrices: there are 2 matrices for 3 joints"},
        {"'joints':[0],'inverseBindMatrices':1", "its type is VEC3, expected MAT4"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        text_init(&t);
        text_floats(&t, "MAT4", 2, matrices, 32);
        text_floats(&t, "VEC3", 2, matrices, 6);
        text_add(&t, "'nodes':[{},{},{}],'skins':[{%s}]", cases[i].skin);
        EXPECT_FAILURE(&t, BW_ERR_MALFORMED, cases[i].part);
        text_close(&t);
    }
}

static void instances(void **state) {
    (void)state;
    static const float translations[6] = {1, 2, 3, 4, 5, 6}, scales[6] = {1, 1, 1, 2, 2, -2};
    static const int8_t rotations[8] = {0, 0, 0, 127, 0, 0, 127, 0};
    gltf_text t;
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_floats(&t, "VEC3", 2, translations, 6);
    text_data(&t, "VEC4", I8, 2, rotations, 8, true);
    text_floats(&t, "VEC3", 2, scales, 6);
    text_add(&t, "'extensionsRequired':['EXT_mesh_gpu_instancing'],'meshes':[{'primitives':[{'attributes':{'POSITION':"
                 "0}}]}],'nodes':["
                 "{'mesh':0,'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{'TRANSLATION':1,'ROTATION':2,'SCALE'"
                 ":3,'_ID':1}}}},"
                 "{'mesh':0,'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{'TRANSLATION':1}}}},"
                 "{'mesh':0,'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{}}}},"
                 "{'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{'TRANSLATION':1}}}}]");
    EXPECT_READ(&t);
    const bw_node *nodes = t.scene->nodes.data;
    assert_int_equal(nodes[0].instances.count, 2);
    EXPECT3(nodes[0].instances.data[1].translation, 4, 5, 6, 0);
    EXPECT4(nodes[0].instances.data[1].rotation, 0, 0, 1, 0, 0);
    EXPECT3(nodes[0].instances.data[1].scale, 2, 2, -2, 0);
    assert_int_equal(nodes[1].instances.count, 2);
    EXPECT4(nodes[1].instances.data[0].rotation, 0, 0, 0, 1, 0);
    EXPECT3(nodes[1].instances.data[0].scale, 1, 1, 1, 0);
    assert_int_equal(nodes[2].instances.count, 0);
    assert_int_equal(nodes[3].instances.count, 0);
    assert_int_equal(scene_warned(t.scene, "instances-empty"), 1);
    assert_int_equal(scene_warned(t.scene, "attribute-ignored"), 1);
    text_close(&t);
    text_init(&t);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_floats(&t, "VEC3", 2, translations, 6);
    text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],'nodes':[{'mesh':0,'extensions':{'EXT_mesh_"
                 "gpu_instancing':"
                 "{'attributes':{'TRANSLATION':1,'SCALE':0}}}}]");
    EXPECT_FAILURE(
        &t, BW_ERR_MALFORMED,
        "node 0, EXT_mesh_gpu_instancing, SCALE: it has 3 elements, expected 2 as the other attributes have");
    text_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms), cmocka_unit_test(node_errors), cmocka_unit_test(default_scene),
        cmocka_unit_test(order),      cmocka_unit_test(deep_chain),  cmocka_unit_test(skins),
        cmocka_unit_test(instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
