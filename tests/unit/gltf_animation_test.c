/* SPDX-License-Identifier: MIT
 * Animations: which channels are played, keys in every state of disorder, names, the grid of keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/mem.h"
#include "expect.h"
#include "gltf_text.h"
#include "read/gltf/gltf.h"

/* One channel of translation on node 0 over the given keys; values are (10 k, 0, 0) for key k. */
static const bw_channel *read_times(gltf_text *t, const float *times, uint32_t count) {
    float values[3 * 64] = {0};
    for (uint32_t i = 0; i < count; i++) {
        values[3 * i] = 10.0f * (float)i;
    }
    text_init(t);
    text_floats(t, "SCALAR", count, times, count);
    text_floats(t, "VEC3", count, values, 3 * count);
    text_add(t, "'nodes':[{}],'animations':[{'channels':[{'sampler':0,'target':{'node':0,'path':'translation'}}],'"
                "samplers':[{'input':0,'output':1}]}]");
    EXPECT_READ(t);
    return t->scene->clips.count ? &t->scene->clips.data[0].channels.data[0] : NULL;
}

static void expect_keys(const float *times, uint32_t count, const float *wanted_times, const float *wanted_x,
                        uint32_t wanted_count, uint64_t unsorted, uint64_t duplicate) {
    gltf_text t;
    const bw_channel *channel = read_times(&t, times, count);
    assert_int_equal(channel->key_count, wanted_count);
    for (uint32_t i = 0; i < wanted_count; i++) {
        assert_true(channel->times_s[i] == wanted_times[i]);
        assert_true(channel->values[3 * i] == wanted_x[i]);
    }
    assert_int_equal(scene_warned(t.scene, "keys-unsorted"), unsorted);
    assert_int_equal(scene_warned(t.scene, "keys-duplicate"), duplicate);
    assert_true(t.scene->clips.data[0].start_s == wanted_times[0]);
    assert_true(t.scene->clips.data[0].end_s == wanted_times[wanted_count - 1]);
    text_close(&t);
}

#define KEYS(...)     \
    (const float[]) { \
        __VA_ARGS__   \
    }

static void key_order(void **state) {
    (void)state;
    const float just_before_1 = nextafterf(1.0f, 0.0f), just_before_2 = nextafterf(2.0f, 0.0f);
    expect_keys(KEYS(0, 1, 2), 3, KEYS(0, 1, 2), KEYS(0, 10, 20), 3, 0, 0);
    expect_keys(KEYS(0.5f), 1, KEYS(0.5f), KEYS(0), 1, 0, 0);
    expect_keys(KEYS(2, 0, 1), 3, KEYS(0, 1, 2), KEYS(10, 20, 0), 3, 1, 0);
    /* A jump: what leads up to it and what follows it stay, what lies between is never seen. */
    expect_keys(KEYS(0, 1, 1, 1, 2), 5, KEYS(0, just_before_1, 1, 2), KEYS(0, 10, 30, 40), 4, 0, 2);
    /* At the end, likewise; at the start nothing leads up to it. */
    expect_keys(KEYS(0, 2, 2), 3, KEYS(0, just_before_2, 2), KEYS(0, 10, 20), 3, 0, 1);
    expect_keys(KEYS(0, 0, 2), 3, KEYS(0, 2), KEYS(10, 20), 2, 0, 1);
    expect_keys(KEYS(1, 1), 2, KEYS(1), KEYS(10), 1, 0, 1);
    /* Unsorted and equal: the order of the file decides among equal times. */
    expect_keys(KEYS(2, 1, 0, 1), 4, KEYS(0, just_before_1, 1, 2), KEYS(20, 10, 30, 0), 4, 2, 1);
    /* No float lies between: the last of the equal ones stays. */
    expect_keys(KEYS(just_before_1, 1, 1), 3, KEYS(just_before_1, 1), KEYS(0, 20), 2, 0, 1);
    gltf_text t;
    read_times(&t, KEYS(-1, 0, 1), 3);
    assert_int_equal(scene_warned(t.scene, "keys-negative"), 1);
    assert_true(t.scene->clips.data[0].start_s == -1.0f);
    text_close(&t);
}

static void cubic_keys(void **state) {
    (void)state;
    /* Two keys in the wrong order, each in-tangent, value, out-tangent of two weights. */
    static const float times[2] = {1, 0}, values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const float wanted[12] = {7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6};
    gltf_text t;
    text_init(&t);
    text_floats(&t, "SCALAR", 2, times, 2);
    text_floats(&t, "SCALAR", 12, values, 12);
    text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':2},'targets':[{'POSITION':2},{'POSITION':2}]}]}],'"
                 "nodes':[{'mesh':0}],"
                 "'animations':[{'channels':[{'sampler':0,'target':{'node':0,'path':'weights'}}],"
                 "'samplers':[{'input':0,'output':1,'interpolation':'CUBICSPLINE'}]}]");
    EXPECT_READ(&t);
    const bw_channel *channel = &t.scene->clips.data[0].channels.data[0];
    assert_int_equal(channel->interpolation, BW_INTERPOLATION_CUBICSPLINE);
    assert_int_equal(channel->path, BW_CHANNEL_WEIGHTS);
    assert_int_equal(channel->component_count, 2);
    assert_int_equal(channel->key_count, 2);
    assert_memory_equal(channel->values, wanted, sizeof(wanted));
    text_close(&t);
    /* One key is against the rules, but there is no doubt what it shows. */
    text_init(&t);
    text_floats(&t, "SCALAR", 1, times, 1);
    text_floats(&t, "VEC3", 3, values, 9);
    text_add(&t, "'nodes':[{}],'animations':[{'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}],"
                 "'samplers':[{'input':0,'output':1,'interpolation':'CUBICSPLINE'}]}]");
    EXPECT_READ(&t);
    assert_int_equal(t.scene->clips.data[0].channels.data[0].key_count, 1);
    assert_memory_equal(t.scene->clips.data[0].channels.data[0].values, values, 9 * sizeof(float));
    assert_int_equal(scene_warned(t.scene, "cubic-single-key"), 1);
    text_close(&t);
}

static void rotations(void **state) {
    (void)state;
    static const float times[2] = {0, 1}, floats[8] = {0, 0, 0, 2, 0, 0, 0, 0};
    static const float cubic[24] = {0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    static const int16_t i16[8] = {0, 0, 0, 32767, 23170, 0, 0, 23170};
    static const uint8_t u8[8] = {0, 0, 0, 255, 180, 0, 0, 180};
    gltf_text t;
    text_init(&t);
    text_floats(&t, "SCALAR", 2, times, 2);
    text_floats(&t, "VEC4", 2, floats, 8);
    text_data(&t, "VEC4", I16, 2, i16, sizeof(i16), true);
    text_data(&t, "VEC4", U8, 2, u8, sizeof(u8), false);
    text_floats(&t, "VEC4", 6, cubic, 24);
    text_add(
        &t,
        "'nodes':[{},{},{},{}],'animations':[{'channels':[{'sampler':0,'target':{'node':0,'path':'rotation'}},"
        "{'sampler':1,'target':{'node':1,'path':'rotation'}},{'sampler':2,'target':{'node':2,'path':'rotation'}},"
        "{'sampler':3,'target':{'node':3,'path':'rotation'}}],'samplers':[{'input':0,'output':1},{'input':0,'output':2,"
        "'interpolation':'STEP'},{'input':0,'output':3,'interpolation':'LINEAR'},{'input':0,'output':4,'interpolation':"
        "'CUBICSPLINE'}]}]");
    EXPECT_READ(&t);
    const bw_channel *channels = t.scene->clips.data[0].channels.data;
    EXPECT4(channels[0].values, 0, 0, 0, 1, 0);
    EXPECT4(channels[0].values + 4, 0, 0, 0, 1, 0); /* no direction at all: no rotation */
    assert_int_equal(scene_warned(t.scene, "rotation-keys-not-unit"), 3);
    assert_int_equal(channels[1].interpolation, BW_INTERPOLATION_STEP);
    EXPECT4(channels[1].values + 4, 0.70710678, 0, 0, 0.70710678, 1e-7);
    EXPECT4(channels[2].values + 4, 0.70710678, 0, 0, 0.70710678, 1e-7);
    assert_int_equal(scene_warned(t.scene, "integers-taken-as-normalised"), 1);
    assert_memory_equal(channels[3].values, cubic, sizeof(cubic)); /* tangents fit their values only as they are */
    assert_ptr_equal(channels[0].times_s, channels[3].times_s);    /* one list of times is kept once */
    text_close(&t);
}

static void channels_left_out(void **state) {
    (void)state;
    static const float times[2] = {0, 1};
    gltf_text t;
    text_init(&t);
    text_floats(&t, "SCALAR", 2, times, 2);
    text_floats(&t, "VEC3", 2, triangle_positions, 6);
    text_floats(&t, "VEC3", 2, triangle_positions + 3, 6);
    text_accessor(&t, "'type':'SCALAR','componentType':5126,'count':0");
    text_accessor(&t, "'type':'VEC3','componentType':5126,'count':0");
    text_add(
        &t,
        "'nodes':[{},{'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],'animations':[{'name':'a','channels':["
        "{'sampler':0,'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':'/materials/0'}}}},"
        "{'sampler':0,'target':{'path':'translation'}},{'sampler':0,'target':{'node':0,'path':'colour'}},"
        "{'sampler':0,'target':{'node':1,'path':'scale'}},{'sampler':0,'target':{'node':0,'path':'weights'}},"
        "{'sampler':2,'target':{'node':0,'path':'scale'}},"
        "{'sampler':0,'target':{'node':0,'path':'translation'}},{'sampler':1,'target':{'node':0,'path':'translation'}}]"
        ","
        "'samplers':[{'input':0,'output':1},{'input':0,'output':2},{'input':3,'output':4}]},"
        "{'name':'b','channels':[],'samplers':[]},"
        "{'name':'c','channels':[{'sampler':0,'target':{'node':0,'path':'translation'}}],'samplers':[{'input':0,'"
        "output':2}]}]");
    EXPECT_READ(&t);
    assert_int_equal(t.scene->clips.count, 2);
    assert_int_equal(t.scene->clips.data[0].channels.count, 1);
    assert_memory_equal(t.scene->clips.data[0].channels.data[0].values, triangle_positions,
                        6 * sizeof(float)); /* the first of two */
    assert_string_equal(t.scene->clips.data[1].name, "c");
    static const char *const codes[] = {
        "channel-pointer",        "channel-without-node", "channel-unknown-path", "channel-on-matrix",
        "channel-without-morphs", "channel-without-keys", "channel-duplicate",    "clip-empty"};
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        if (scene_warned(t.scene, codes[i]) != 1) {
            fail_msg("%s", codes[i]);
        }
    }
    text_close(&t);
}

static void errors(void **state) {
    (void)state;
    float times[3] = {0, 1, 2};
    const uint32_t nan_bits = 0x7fc00000u;
    float bad_times[2] = {0, 0};
    memcpy(&bad_times[1], &nan_bits, 4);
    static const struct {
        const char *channel, *sampler, *part;
    } cases[] = {
        {"'sampler':0,'target':{'node':0,'path':'scale'}", "'input':0,'output':1",
         "output: it has 2 elements, expected 3 for 3 keys"},
        {"'sampler':0,'target':{'node':0,'path':'scale'}", "'input':0,'output':2,'interpolation':'CUBICSPLINE'",
         "output: it has 3 elements, expected 9 for 3 keys"},
        {"'sampler':0,'target':{'node':0,'path':'rotation'}", "'input':0,'output':2",
         "its type is VEC3, expected VEC4"},
        {"'sampler':0,'target':{'node':0,'path':'scale'}", "'input':3,'output':1",
         "animation 0 (Run), channel 0, input, accessor 3: element 1 holds NaN, expected finite numbers"},
        {"'sampler':0,'target':{'node':0,'path':'scale'}", "'input':0,'output':4",
         "output, accessor 4: element 0 holds NaN"},
        {"'sampler':0,'target':{'node':0,'path':'scale'}", "'input':1,'output':1", "its type is VEC3, expected SCALAR"},
        {"'sampler':0,'target':{'node':0,'path':'scale'}", "'input':0", "its sampler has no \"output\""},
        {"'sampler':0,'target':{'node':0,'path':'scale'}", "'output':1", "its sampler has no \"input\""},
        {"'sampler':0,'target':{'node':0,'path':'scale'}", "'input':0,'output':2,'interpolation':'BEZIER'",
         "\"interpolation\" is \"BEZIER\""},
        {"'sampler':1,'target':{'node':0,'path':'scale'}", "'input':0,'output':2",
         "\"sampler\" is 1, expected an index below 1"},
        {"'target':{'node':0,'path':'scale'}", "'input':0,'output':2", "it has no sampler"},
        {"'sampler':0,'target':{'node':1,'path':'scale'}", "'input':0,'output':2",
         "\"node\" is 1, expected an index below 1"},
        {"'sampler':0,'target':3", "'input':0,'output':2", "\"target\" is 3, expected an object"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gltf_text t;
        text_init(&t);
        text_floats(&t, "SCALAR", 3, times, 3);
        text_floats(&t, "VEC3", 2, triangle_positions, 6);
        text_floats(&t, "VEC3", 3, triangle_positions, 9);
        text_floats(&t, "SCALAR", 2, bad_times, 2);
        float bad_values[9] = {0};
        memcpy(bad_values, &nan_bits, 4);
        text_floats(&t, "VEC3", 3, bad_values, 9);
        text_add(&t, "'nodes':[{}],'animations':[{'name':'Run','channels':[{%s}],'samplers':[{%s}]}]", cases[i].channel,
                 cases[i].sampler);
        EXPECT_FAILURE(&t, BW_ERR_MALFORMED, cases[i].part);
        text_close(&t);
    }
}

static void expect_rate(const float *times, uint32_t count, double wanted) {
    gltf_text t;
    assert_non_null(read_times(&t, times, count));
    EXPECT1(t.scene->clips.data[0].key_rate_fps, wanted, 0);
    text_close(&t);
}

static void key_rates(void **state) {
    (void)state;
    static const double rates[] = {24, 25, 30, 48, 50, 60};
    for (size_t i = 0; i < 6; i++) {
        float times[64];
        for (int k = 0; k < 31; k++) {
            times[k] = (float)(k / rates[i]);
        }
        expect_rate(times, 31, rates[i]);
        /* From a start that is on no grid. */
        for (int k = 0; k < 31; k++) {
            times[k] = (float)(0.123 + k / rates[i]);
        }
        expect_rate(times, 31, rates[i]);
        /* Just inside and outside the millisecond. */
        times[7] += 0.0009f;
        expect_rate(times, 31, rates[i]);
        times[7] += 0.0003f;
        expect_rate(times, 31, 0);
    }
    expect_rate(KEYS(0, 1, 2), 3, 24); /* on every grid: the coarsest */
    expect_rate(KEYS(0, 0.1234f, 0.5f), 3, 0);
    expect_rate(KEYS(3), 1, 0);
    expect_rate(KEYS(0, 1.0f / 15), 2, 30);
}

static void names(void **state) {
    (void)state;
    static const float times[2] = {0, 1};
    gltf_text t;
    text_init(&t);
    text_floats(&t, "SCALAR", 2, times, 2);
    text_floats(&t, "VEC3", 2, triangle_positions, 6);
    static const char channel[] =
        "'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}],'samplers':[{'input':0,'output':1}]";
    static const char *const given[] = {"'name':'Run',", "'name':'Run.1',",  "'name':'Run',",   "",
                                        "'name':'Run',", "'name':'clip 3',", "'name':'Run.1',", "'name':'',"};
    static const char *const wanted[] = {"Run", "Run.1", "Run.2", "clip 3", "Run.3", "clip 3.1", "Run.1.1", "clip 7"};
    char list[4096] = "";
    for (size_t i = 0; i < 8; i++) {
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s{%s%s}", i ? "," : "", given[i], channel);
    }
    text_add(&t, "'nodes':[{}],'animations':[%s]", list);
    EXPECT_READ(&t);
    for (size_t i = 0; i < 8; i++) {
        assert_string_equal(t.scene->clips.data[i].name, wanted[i]);
    }
    text_close(&t);
}

/* Quadratic work over equal names would take minutes here. */
static void many_equal_names(void **state) {
    (void)state;
    enum { COUNT = 50000 };
    char *json = malloc(160 * COUNT + 512);
    size_t used = (size_t)sprintf(json, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"accessors\":[{\"type\":"
                                        "\"SCALAR\",\"componentType\":5126,\"count\":1},"
                                        "{\"type\":\"VEC3\",\"componentType\":5126,\"count\":1}],\"animations\":[");
    for (int i = 0; i < COUNT; i++) {
        used += (size_t)sprintf(
            json + used,
            "%s{\"name\":\"x\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}],"
            "\"samplers\":[{\"input\":0,\"output\":1}]}",
            i ? "," : "");
    }
    used += (size_t)sprintf(json + used, "]}");
    bw_scene *scene;
    bw_error error;
    if (bwi_read_gltf(&scene, "names.gltf", NULL, (const uint8_t *)json, used, NULL, &error) != BW_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(scene->clips.count, COUNT);
    assert_string_equal(scene->clips.data[COUNT - 1].name, "x.49999");
    bwi_arena_free(scene->arena);
    free(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_order), cmocka_unit_test(cubic_keys),
        cmocka_unit_test(rotations), cmocka_unit_test(channels_left_out),
        cmocka_unit_test(errors),    cmocka_unit_test(key_rates),
        cmocka_unit_test(names),     cmocka_unit_test(many_equal_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
