/* SPDX-License-Identifier: MIT
 * Small glTF files made in tests: accessors with their data, the rest as JSON text. */
#ifndef TESTS_GLTF_TEXT_H
#define TESTS_GLTF_TEXT_H

#include "bakewell/scene.h"

/* componentType */
enum { I8 = 5120, U8 = 5121, I16 = 5122, U16 = 5123, U32 = 5125, F32 = 5126 };

typedef struct gltf_text {
    char views[8192], accessors[16384], rest[32768];
    uint8_t bin[65536];
    size_t bin_size, views_size, accessors_size, rest_size;
    uint32_t view_count, accessor_count;
    bw_scene *scene; /* NULL until it is read */
    bw_error error;
} gltf_text;

/* `rest` are members of the top-level object; ' stands for " in all JSON text. */
void text_init(gltf_text *t);
/* A buffer view over a copy of data; extra: more members of its JSON (", 'byteStride': 8"). */
uint32_t text_view(gltf_text *t, const void *data, size_t size, const char *extra);
/* An accessor from JSON text, without braces. */
uint32_t text_accessor(gltf_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A tight accessor over a view of its own. */
uint32_t text_data(gltf_text *t, const char *type, unsigned component, uint32_t count, const void *data, size_t size, bool normalized);
uint32_t text_floats(gltf_text *t, const char *type, uint32_t count, const float *data, size_t float_count);
/* Adds members of the top-level object; each call one or more, without commas at either end. */
void text_add(gltf_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The whole as a GLB, in memory of malloc. */
uint8_t *text_glb(const gltf_text *t, size_t *size);
/* Reads it; frees what was read before. */
bw_result text_read(gltf_text *t, const bw_scene_opts *opts);
void text_close(gltf_text *t);

/* A GLB around any JSON text (' for ") and binary data (NULL: no chunk). */
uint8_t *make_glb(const char *json, const void *bin, size_t bin_size, size_t *size);
/* Count of a warning of the scene; 0: not given. */
uint64_t scene_warned(const bw_scene *scene, const char *code);

/* Three positions of a triangle, and a mesh of it: the least that a file can show. */
extern const float triangle_positions[9];

#define EXPECT_FAILURE(t, wanted, part)                                                                                    \
    do {                                                                                                                   \
        assert_string_equal(bw_result_name(text_read(t, NULL)), #wanted);                                                  \
        if (!strstr((t)->error.message, part)) {                                                                           \
            fail_msg("message \"%s\" lacks \"%s\"", (t)->error.message, part);                                             \
        }                                                                                                                  \
    } while (0)

#define EXPECT_READ(t)                                                                                                     \
    do {                                                                                                                   \
        if (text_read(t, NULL) != BW_OK) {                                                                                 \
            fail_msg("%s", (t)->error.message);                                                                            \
        }                                                                                                                  \
    } while (0)

#endif
