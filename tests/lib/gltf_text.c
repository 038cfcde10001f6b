/* SPDX-License-Identifier: MIT
 * Small glTF files made in tests. */
#include "gltf_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "read/gltf/gltf.h"

const float triangle_positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static void die(const char *what) {
    fprintf(stderr, "gltf_text: %s\n", what);
    abort();
}

static void append(char *text, size_t *used, size_t size, const char *format, va_list args) {
    int length = vsnprintf(text + *used, size - *used, format, args);
    if (length < 0 || (size_t)length >= size - *used) {
        die("a text is too long");
    }
    *used += (size_t)length;
}

static void add(char *text, size_t *used, size_t size, const char *format, ...) __attribute__((format(printf, 4, 5)));
static void add(char *text, size_t *used, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    append(text, used, size, format, args);
    va_end(args);
}

void text_init(gltf_text *t) {
    memset(t, 0, sizeof(*t));
}

uint32_t text_view(gltf_text *t, const void *data, size_t size, const char *extra) {
    size_t padded = (size + 3) / 4 * 4;
    if (padded > sizeof(t->bin) - t->bin_size) {
        die("the data are too long");
    }
    memcpy(t->bin + t->bin_size, data, size);
    add(t->views, &t->views_size, sizeof(t->views), "%s{'buffer':0,'byteOffset':%zu,'byteLength':%zu%s}",
        t->view_count ? "," : "", t->bin_size, size, extra ? extra : "");
    t->bin_size += padded;
    return t->view_count++;
}

uint32_t text_accessor(gltf_text *t, const char *format, ...) {
    add(t->accessors, &t->accessors_size, sizeof(t->accessors), "%s{", t->accessor_count ? "," : "");
    va_list args;
    va_start(args, format);
    append(t->accessors, &t->accessors_size, sizeof(t->accessors), format, args);
    va_end(args);
    add(t->accessors, &t->accessors_size, sizeof(t->accessors), "}");
    return t->accessor_count++;
}

uint32_t text_data(gltf_text *t, const char *type, unsigned component, uint32_t count, const void *data, size_t size,
                   bool normalized) {
    uint32_t view = text_view(t, data, size, NULL);
    return text_accessor(t, "'type':'%s','componentType':%u,'count':%u,'bufferView':%u%s", type, component, count, view,
                         normalized ? ",'normalized':true" : "");
}

uint32_t text_floats(gltf_text *t, const char *type, uint32_t count, const float *data, size_t float_count) {
    return text_data(t, type, F32, count, data, float_count * sizeof(float), false);
}

void text_add(gltf_text *t, const char *format, ...) {
    add(t->rest, &t->rest_size, sizeof(t->rest), ",");
    va_list args;
    va_start(args, format);
    append(t->rest, &t->rest_size, sizeof(t->rest), format, args);
    va_end(args);
}

static void put_u32(uint8_t *bytes, size_t value) {
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

uint8_t *make_glb(const char *json, const void *bin, size_t bin_size, size_t *size) {
    size_t length = strlen(json);
    size_t json_size = (length + 3) / 4 * 4, chunk_size = (bin_size + 3) / 4 * 4;
    *size = 12 + 8 + json_size + (bin ? 8 + chunk_size : 0);
    uint8_t *glb = calloc(*size, 1);
    if (!glb) {
        die("no memory");
    }
    memcpy(glb, "glTF", 4);
    put_u32(glb + 4, 2);
    put_u32(glb + 8, *size);
    put_u32(glb + 12, json_size);
    memcpy(glb + 16, "JSON", 4);
    memset(glb + 20, ' ', json_size);
    for (size_t i = 0; i < length; i++) {
        glb[20 + i] = (uint8_t)(json[i] == '\'' ? '"' : json[i]);
    }
    if (bin) {
        put_u32(glb + 20 + json_size, chunk_size);
        memcpy(glb + 24 + json_size, "BIN", 4);
        memcpy(glb + 28 + json_size, bin, bin_size);
    }
    return glb;
}

uint8_t *text_glb(const gltf_text *t, size_t *size) {
    size_t used = 0, room = sizeof(t->views) + sizeof(t->accessors) + sizeof(t->rest) + 256;
    char *json = malloc(room);
    if (!json) {
        die("no memory");
    }
    add(json, &used, room, "{'asset':{'version':'2.0'}");
    if (t->bin_size > 0) {
        add(json, &used, room, ",'buffers':[{'byteLength':%zu}]", t->bin_size);
    }
    if (t->view_count > 0) {
        add(json, &used, room, ",'bufferViews':[%s]", t->views);
    }
    if (t->accessor_count > 0) {
        add(json, &used, room, ",'accessors':[%s]", t->accessors);
    }
    add(json, &used, room, "%s}", t->rest);
    uint8_t *glb = make_glb(json, t->bin_size ? t->bin : NULL, t->bin_size, size);
    free(json);
    return glb;
}

bw_result text_read(gltf_text *t, const bw_scene_opts *opts) {
    size_t size;
    uint8_t *glb = text_glb(t, &size);
    text_close(t);
    t->error = (bw_error){0};
    bw_result result = bwi_read_gltf(&t->scene, "test.glb", NULL, glb, size, opts, &t->error);
    free(glb);
    return result;
}

void text_close(gltf_text *t) {
    if (t->scene) {
        bwi_arena_free(t->scene->arena);
    }
    t->scene = NULL;
}

uint64_t scene_warned(const bw_scene *scene, const char *code) {
    for (size_t i = 0; i < scene->warnings.count; i++) {
        if (strcmp(scene->warnings.data[i].code, code) == 0) {
            return scene->warnings.data[i].count;
        }
    }
    return 0;
}
