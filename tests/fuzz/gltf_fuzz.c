/* SPDX-License-Identifier: MIT
 * glTF: any bytes are refused with a sentence or become a scene that passes the validator.  The mutator changes values inside the JSON chunk, or
 * the binary chunk, and wraps both up again, so that most inputs get past the container. */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "read/gltf/gltf.h"

/* From libFuzzer; absent where inputs are only replayed. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds, const char *what, const char *message) {
    if (!holds) {
        fprintf(stderr, "gltf_fuzz: %s: %s\n", what, message);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* Either way of reading joints, by what no byte of the file says. */
    bw_scene_opts opts = {.loose_joints = size % 2 == 0, .run.memory_limit = UINT64_C(1) << 26};
    bw_error error = {0};
    bw_scene *scene = NULL;
    if (size == 0 || !bwi_gltf_recognise(data, size)) {
        return 0;
    }
    bw_result result = bwi_read_gltf(&scene, "fuzz.glb", NULL, data, size, &opts, &error);
    if (result == BW_OK) {
        check(scene != NULL, "no scene", "");
        bwi_arena_free(scene->arena);
    } else {
        check(!scene && error.result == result && error.message[0], "failed without a message", error.message);
        check(result != BW_ERR_INTERNAL, "the scene breaks a promise", error.message);
    }
    return 0;
}

/* ---- The mutator. ---- */

static unsigned random_state;

static unsigned pick(size_t count) {
    random_state = random_state * 1664525u + 1013904223u;
    return count ? (random_state >> 8) % (unsigned)count : 0;
}

static json_t *random_text(void) {
    static const char *const words[] = {"SCALAR",
                                        "VEC2",
                                        "VEC3",
                                        "VEC4",
                                        "MAT2",
                                        "MAT3",
                                        "MAT4",
                                        "LINEAR",
                                        "STEP",
                                        "CUBICSPLINE",
                                        "rotation",
                                        "translation",
                                        "scale",
                                        "weights",
                                        "pointer",
                                        "ATTRIBUTES",
                                        "TRIANGLES",
                                        "INDICES",
                                        "NONE",
                                        "OCTAHEDRAL",
                                        "QUATERNION",
                                        "EXPONENTIAL",
                                        "COLOR",
                                        "2.0",
                                        "data:,%00%01",
                                        "data:;base64,AAAA",
                                        "../a",
                                        "http://a",
                                        "",
                                        "name",
                                        "KHR_draco_mesh_compression",
                                        "KHR_mesh_quantization"};
    return json_string(words[pick(sizeof(words) / sizeof(words[0]))]);
}

static json_t *random_value(const json_t *old) {
    static const json_int_t numbers[] = {
        0,          1,          2,    3,    4,    5,    6,     7,     8,          12,
        16,         -1,         64,   255,  256,  257,  65535, 65536, 2147483647, 4294967294,
        4294967295, 4294967296, 5120, 5121, 5122, 5123, 5125,  5126,  1000000000, (json_int_t)1 << 53,
        INT64_MAX,  INT64_MIN};
    switch (pick(10)) {
    case 0:
        return random_text();
    case 1:
        return json_true();
    case 2:
        return json_object();
    case 3:
        return json_array();
    case 4:
        return json_real(1e39);
    case 5:
        return json_real(json_number_value(old) * 0.5);
    case 6:
        return json_integer((json_int_t)((uint64_t)json_integer_value(old) + 1));
    case 7:
        return json_integer((json_int_t)((uint64_t)json_integer_value(old) - 1));
    default:
        return json_integer(numbers[pick(sizeof(numbers) / sizeof(numbers[0]))]);
    }
}

/* Walks down to a random value and changes it. */
static void mutate_json(json_t *value) {
    static const char *const keys[] = {"sparse",   "normalized", "byteStride", "byteOffset", "skin",       "matrix",
                                       "children", "targets",    "indices",    "weights",    "extensions", "mode",
                                       "material", "TANGENT",    "JOINTS_1",   "WEIGHTS_1"};
    for (int depth = 0; depth < 12; depth++) {
        bool is_object = json_is_object(value);
        size_t count = is_object ? json_object_size(value) : json_array_size(value);
        if (is_object && pick(12) == 0) {
            json_object_set_new(value, keys[pick(sizeof(keys) / sizeof(keys[0]))], random_value(NULL));
            return;
        }
        if (count == 0) {
            return;
        }
        size_t chosen = pick(count);
        const char *key = NULL;
        json_t *child;
        if (is_object) {
            void *iterator = json_object_iter(value);
            for (size_t i = 0; i < chosen; i++) {
                iterator = json_object_iter_next(value, iterator);
            }
            key = json_object_iter_key(iterator);
            child = json_object_iter_value(iterator);
        } else {
            child = json_array_get(value, chosen);
        }
        bool container = json_is_object(child) || json_is_array(child);
        if (container && pick(8) != 0) {
            value = child;
            continue;
        }
        unsigned what = pick(6);
        if (is_object) {
            what == 0 ? json_object_del(value, key) : json_object_set_new(value, key, random_value(child));
        } else if (what == 0) {
            json_array_remove(value, chosen);
        } else if (what == 1) {
            json_array_append_new(value, json_deep_copy(child));
        } else {
            json_array_set_new(value, chosen, random_value(child));
        }
        return;
    }
}

static uint32_t read_u32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void put_u32(uint8_t *bytes, size_t value) {
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    random_state = seed;
    size_t json_size = size >= 20 && memcmp(data, "glTF", 4) == 0 ? read_u32(data + 12) : 0;
    json_t *root =
        json_size > 0 && json_size <= size - 20 ? json_loadb((const char *)data + 20, json_size, 0, NULL) : NULL;
    if (!root || pick(20) == 0) {
        json_decref(root);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    size_t bin_at = 20 + json_size + 8;
    size_t bin_size = bin_at < size ? size - bin_at : 0;
    uint8_t *bin = malloc(max_size);
    memcpy(bin, data + (bin_size ? bin_at : 0), bin_size);
    if (pick(3) == 0) {
        bin_size = LLVMFuzzerMutate(bin, bin_size, max_size / 2);
    } else {
        for (unsigned i = 0, changes = 1 + pick(3); i < changes; i++) {
            mutate_json(root);
        }
    }
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    json_size = text ? (strlen(text) + 3) / 4 * 4 : 0;
    bin_size = bin_size / 4 * 4;
    if (text && 28 + json_size + bin_size <= max_size) {
        size = 28 + json_size + bin_size;
        memcpy(data, "glTF\2\0\0\0", 8);
        put_u32(data + 8, size);
        put_u32(data + 12, json_size);
        memcpy(data + 16, "JSON", 4);
        memset(data + 20, ' ', json_size);
        memcpy(data + 20, text, strlen(text));
        put_u32(data + 20 + json_size, bin_size);
        memcpy(data + 24 + json_size, "BIN", 4);
        memcpy(data + 28 + json_size, bin, bin_size);
    }
    free(text);
    free(bin);
    return size;
}
