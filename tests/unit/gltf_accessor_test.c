/* SPDX-License-Identifier: MIT
 * Accessors: every component type, normalised or not, strided, sparse; ranges that do not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gltf_text.h"

/* Texture coordinates take every type but 32-bit integers, so they show what an accessor holds. */
static const float *read_uv(gltf_text *t, uint32_t uv) {
    uint32_t positions = text_floats(t, "VEC3", 3, triangle_positions, 9);
    text_add(t, "'meshes':[{'primitives':[{'attributes':{'POSITION':%u,'TEXCOORD_0':%u}}]}]", positions, uv);
    EXPECT_READ(t);
    return t->scene->meshes.data[0].primitives.data[0].uv_sets.data[0];
}

static void component_types(void **state) {
    (void)state;
    static const int8_t i8[6] = {-128, -127, 0, 1, 64, 127};
    static const uint8_t u8[6] = {0, 1, 127, 128, 254, 255};
    static const int16_t i16[6] = {-32768, -32767, 0, 1, 300, 32767};
    static const uint16_t u16[6] = {0, 1, 255, 256, 65534, 65535};
    static const float f32[6] = {-1.5f, 0, 1e-30f, 1e30f, 0.1f, 7};
    static const struct {
        unsigned component;
        bool normalized;
        const void *data;
        size_t size;
        float wanted[6];
    } cases[] = {
        {I8, false, i8, sizeof(i8), {-128, -127, 0, 1, 64, 127}},
        {I8, true, i8, sizeof(i8), {-1, -1, 0, 1 / 127.0f, 64 / 127.0f, 1}},
        {U8, false, u8, sizeof(u8), {0, 1, 127, 128, 254, 255}},
        {U8, true, u8, sizeof(u8), {0, 1 / 255.0f, 127 / 255.0f, 128 / 255.0f, 254 / 255.0f, 1}},
        {I16, false, i16, sizeof(i16), {-32768, -32767, 0, 1, 300, 32767}},
        {I16, true, i16, sizeof(i16), {-1, -1, 0, 1 / 32767.0f, 300 / 32767.0f, 1}},
        {U16, false, u16, sizeof(u16), {0, 1, 255, 256, 65534, 65535}},
        {U16, true, u16, sizeof(u16), {0, 1 / 65535.0f, 255 / 65535.0f, 256 / 65535.0f, 65534 / 65535.0f, 1}},
        {F32, false, f32, sizeof(f32), {-1.5f, 0, 1e-30f, 1e30f, 0.1f, 7}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gltf_text t;
        text_init(&t);
        const float *uv = read_uv(
            &t, text_data(&t, "VEC2", cases[i].component, 3, cases[i].data, cases[i].size, cases[i].normalized));
        /* Exact: one correctly rounded division of small integers, or none. */
        assert_memory_equal(uv, cases[i].wanted, sizeof(cases[i].wanted));
        assert_int_equal(t.scene->warnings.count, 0);
        text_close(&t);
    }
}

static void strides_and_offsets(void **state) {
    (void)state;
    /* Rows of 16 bytes: position, then two normalised bytes of texture coordinates, misaligned on purpose. */
    uint8_t rows[3 * 16 + 4] = {0};
    for (size_t i = 0; i < 3; i++) {
        memcpy(rows + 4 + 16 * i, triangle_positions + 3 * i, 12);
        rows[4 + 16 * i + 13] = (uint8_t)(10 * i);
        rows[4 + 16 * i + 14] = (uint8_t)(10 * i + 1);
    }
    gltf_text t;
    text_init(&t);
    uint32_t view = text_view(&t, rows, sizeof(rows), ",'byteStride':16");
    uint32_t positions =
        text_accessor(&t, "'type':'VEC3','componentType':5126,'count':3,'bufferView':%u,'byteOffset':4", view);
    uint32_t uv = text_accessor(
        &t, "'type':'VEC2','componentType':5121,'count':3,'bufferView':%u,'byteOffset':17,'normalized':true", view);
    text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':%u,'TEXCOORD_0':%u}}]}]", positions, uv);
    EXPECT_READ(&t);
    const bw_primitive *primitive = &t.scene->meshes.data[0].primitives.data[0];
    assert_memory_equal(primitive->positions, triangle_positions, sizeof(triangle_positions));
    for (size_t i = 0; i < 3; i++) {
        assert_true(primitive->uv_sets.data[0][2 * i] == (float)(10 * i) / 255.0f);
        assert_true(primitive->uv_sets.data[0][2 * i + 1] == (float)(10 * i + 1) / 255.0f);
    }
    text_close(&t);
}

static void sparse(void **state) {
    (void)state;
    static const uint8_t index8[2] = {0, 2};
    static const uint16_t index16[2] = {0, 2};
    static const uint32_t index32[2] = {0, 2};
    static const struct {
        unsigned component;
        const void *data;
        size_t size;
    } kinds[] = {{U8, index8, sizeof(index8)}, {U16, index16, sizeof(index16)}, {U32, index32, sizeof(index32)}};
    static const float base[6] = {1, 2, 3, 4, 5, 6}, values[4] = {-1, -2, -5, -6};
    static const float over_base[6] = {-1, -2, 3, 4, -5, -6}, over_zeros[6] = {-1, -2, 0, 0, -5, -6};
    for (size_t i = 0; i < 6; i++) {
        gltf_text t;
        text_init(&t);
        bool has_base = i % 2;
        char view[40] = "";
        if (has_base) {
            snprintf(view, sizeof(view), ",'bufferView':%u", text_view(&t, base, sizeof(base), NULL));
        }
        uint32_t indices = text_view(&t, kinds[i / 2].data, kinds[i / 2].size, NULL);
        uint32_t replaced = text_view(&t, values, sizeof(values), NULL);
        uint32_t uv = text_accessor(
            &t,
            "'type':'VEC2','componentType':5126,'count':3%s,'sparse':{'count':2,'indices':{'bufferView':%u,"
            "'componentType':%u},'values':{'bufferView':%u}}",
            view, indices, kinds[i / 2].component, replaced);
        assert_memory_equal(read_uv(&t, uv), has_base ? over_base : over_zeros, sizeof(over_base));
        text_close(&t);
    }
}

static void sparse_errors(void **state) {
    (void)state;
    static const uint8_t indices[4] = {2, 0, 3, 0};
    static const float values[4] = {5, 6, 1, 2};
    static const struct {
        unsigned count, offset;
        const char *part;
    } cases[] = {
        {2, 1, "sparse index 1 is 3, expected one below the count of 3"},
        {4, 0, "\"count\" is 4, expected 1 to the accessor's 3"},
        {3, 0, "its 3 elements end at byte 24, but buffer view 1 has 16"},
        {2, 3, "its 2 elements end at byte 5, but buffer view 0 has 4"},
    };
    gltf_text t;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        text_init(&t);
        text_view(&t, indices, sizeof(indices), NULL);
        text_view(&t, values, sizeof(values), NULL);
        uint32_t uv = text_accessor(&t,
                                    "'type':'VEC2','componentType':5126,'count':3,'sparse':{'count':%u,'indices':{'"
                                    "bufferView':0,'byteOffset':%u,"
                                    "'componentType':5121},'values':{'bufferView':1}}",
                                    cases[i].count, cases[i].offset);
        uint32_t positions = text_floats(&t, "VEC3", 3, triangle_positions, 9);
        text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':%u,'TEXCOORD_0':%u}}]}]", positions, uv);
        EXPECT_FAILURE(&t, BW_ERR_MALFORMED, cases[i].part);
        text_close(&t);
    }
    /* Descending indices are against the rules but clear. */
    text_init(&t);
    text_view(&t, indices, sizeof(indices), NULL);
    text_view(&t, values, sizeof(values), NULL);
    uint32_t uv =
        text_accessor(&t, "'type':'VEC2','componentType':5126,'count':3,'sparse':{'count':2,'indices':{'bufferView':0,"
                          "'componentType':5121},'values':{'bufferView':1}}");
    static const float wanted[6] = {1, 2, 0, 0, 5, 6};
    assert_memory_equal(read_uv(&t, uv), wanted, sizeof(wanted));
    assert_int_equal(scene_warned(t.scene, "sparse-indices-unsorted"), 1);
    text_close(&t);
}

static void ranges(void **state) {
    (void)state;
    static const struct {
        const char *accessor, *stride, *part;
    } cases[] = {
        {"'count':3,'bufferView':0,'byteOffset':4", NULL,
         "accessor 0: its 3 elements end at byte 40, but buffer view 0 has 36"},
        {"'count':4,'bufferView':0", NULL, "its 4 elements end at byte 48"},
        {"'count':3,'bufferView':0", ",'byteStride':16", "its 3 elements end at byte 44"},
        {"'count':3,'bufferView':0", ",'byteStride':8", "do not fit buffer view 0's byteStride of 8"},
        {"'count':3,'bufferView':0,'byteOffset':9007199254740992", NULL, "end at byte 9007199254741028"},
        {"'count':4294967294,'bufferView':0", NULL, "end at byte 51539607528"},
        {"'count':4294967295,'bufferView':0", NULL, "\"count\" is 4294967295"},
        {"'count':3,'bufferView':1", NULL, "\"bufferView\" is 1, expected an index below 1"},
        {"'count':-3,'bufferView':0", NULL, "\"count\" is -3, expected a whole number"},
        {"'bufferView':0", NULL, "\"count\" is missing"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gltf_text t;
        text_init(&t);
        text_view(&t, triangle_positions, sizeof(triangle_positions), cases[i].stride);
        text_accessor(&t, "'type':'VEC3','componentType':5126,%s", cases[i].accessor);
        /* Nothing uses it: a file that contradicts itself is refused all the same. */
        EXPECT_FAILURE(&t, BW_ERR_MALFORMED, cases[i].part);
        text_close(&t);
    }
    static const struct {
        const char *accessor, *part;
    } types[] = {
        {"'type':'VEC5','componentType':5126,'count':1", "\"type\" is \"VEC5\""},
        {"'componentType':5126,'count':1", "\"type\" is missing"},
        {"'type':'VEC3','componentType':5124,'count':1", "\"componentType\" is 5124"},
        {"'type':'VEC3','count':1", "\"componentType\" is missing"},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        gltf_text t;
        text_init(&t);
        text_accessor(&t, "%s", types[i].accessor);
        EXPECT_FAILURE(&t, BW_ERR_MALFORMED, types[i].part);
        text_close(&t);
    }
}

/* Columns of small matrices are padded to four bytes: MAT3 of bytes takes 12, not 9. */
static void matrix_padding(void **state) {
    (void)state;
    static const uint8_t bytes[23] = {0};
    gltf_text t;
    text_init(&t);
    text_view(&t, bytes, sizeof(bytes), NULL);
    text_accessor(&t, "'type':'MAT3','componentType':5120,'count':2,'bufferView':0");
    EXPECT_FAILURE(&t, BW_ERR_MALFORMED, "its 2 elements end at byte 24, but buffer view 0 has 23");
    text_close(&t);
}

static void not_finite(void **state) {
    (void)state;
    float positions[9];
    for (int kind = 0; kind < 2; kind++) {
        memcpy(positions, triangle_positions, sizeof(positions));
        uint32_t bits = kind ? 0x7f800000u : 0x7fc00000u;
        memcpy(&positions[7], &bits, 4);
        gltf_text t;
        text_init(&t);
        uint32_t accessor = text_floats(&t, "VEC3", 3, positions, 9);
        text_add(&t, "'meshes':[{'name':'Body','primitives':[{'attributes':{'POSITION':%u}}]}]", accessor);
        EXPECT_FAILURE(
            &t, BW_ERR_MALFORMED,
            kind ? "mesh 0 (Body), primitive 0, POSITION, accessor 0: element 2 holds infinity, expected finite numbers"
                 : "mesh 0 (Body), primitive 0, POSITION, accessor 0: element 2 holds NaN, expected finite numbers");
        text_close(&t);
        /* Where they do no harm they are repaired. */
        text_init(&t);
        const float *uv = read_uv(&t, text_floats(&t, "VEC2", 3, positions + 3, 6));
        assert_true(uv[4] == 0.0f);
        assert_int_equal(scene_warned(t.scene, "values-not-finite"), 1);
        text_close(&t);
    }
}

static void no_data(void **state) {
    (void)state;
    static const float zeros[6] = {0};
    gltf_text t;
    text_init(&t);
    assert_memory_equal(read_uv(&t, text_accessor(&t, "'type':'VEC2','componentType':5126,'count':3")), zeros,
                        sizeof(zeros));
    text_close(&t);
    /* A claim of 48 GB behind which there is nothing. */
    text_init(&t);
    text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':%u}}]}]",
             text_accessor(&t, "'type':'VEC3','componentType':5126,'count':4000000000"));
    EXPECT_FAILURE(&t, BW_ERR_MEMORY, "memory limit");
    text_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(component_types), cmocka_unit_test(strides_and_offsets),
        cmocka_unit_test(sparse),          cmocka_unit_test(sparse_errors),
        cmocka_unit_test(ranges),          cmocka_unit_test(matrix_padding),
        cmocka_unit_test(not_finite),      cmocka_unit_test(no_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
