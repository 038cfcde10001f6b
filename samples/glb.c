/* SPDX-License-Identifier: MIT
 * A small glTF builder for made assets.  Source: glTF 2.0. */
#include "glb.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const list_names[GLB_LIST_COUNT] = {"accessors", "animations", "bufferViews", "images",
                                                       "materials", "meshes",     "nodes",       "samplers",
                                                       "scenes",    "skins",      "textures"};

void *grow(void *block, size_t count, size_t size) {
    void *bigger = count > SIZE_MAX / size ? NULL : realloc(block, count * size + 1);
    if (!bigger) {
        fprintf(stderr, "make_assets: out of memory\n");
        exit(6);
    }
    return bigger;
}

static void blob_reserve(blob *b, size_t size) {
    if (b->capacity - b->size < size) {
        b->capacity = (b->size + size) * 2;
        b->data = grow(b->data, b->capacity, 1);
    }
}

void blob_add(blob *b, const void *data, size_t size) {
    if (!size)
        return;
    blob_reserve(b, size);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void blob_vprint(blob *b, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length > 0) {
        blob_reserve(b, (size_t)length + 1);
        vsnprintf((char *)b->data + b->size, (size_t)length + 1, format, again);
        b->size += (size_t)length;
    }
    va_end(again);
}

void blob_print(blob *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    blob_vprint(b, format, args);
    va_end(args);
}

void blob_free(blob *b) {
    free(b->data);
    *b = (blob){0};
}

uint32_t glb_add(glb *g, glb_list list, const char *format, ...) {
    blob *text = &g->text[list];
    if (g->count[list])
        blob_print(text, ",\n");
    va_list args;
    va_start(args, format);
    blob_vprint(text, format, args);
    va_end(args);
    return g->count[list]++;
}

uint32_t glb_view(glb *g, const void *data, size_t size) {
    static const char zeros[4] = {0};
    size_t offset = g->bin.size;
    blob_add(&g->bin, data, size);
    blob_add(&g->bin, zeros, (4 - size % 4) % 4);
    return glb_add(g, GLB_VIEWS, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", offset, size);
}

uint32_t glb_floats(glb *g, const float *values, size_t count, unsigned components) {
    const char *type = components == 1   ? "SCALAR"
                       : components == 2 ? "VEC2"
                       : components == 3 ? "VEC3"
                       : components == 4 ? "VEC4"
                                         : "MAT4";
    uint32_t view = glb_view(g, values, count * components * sizeof *values);
    blob bounds = {0};
    for (int side = 0; side < 2; side++) {
        blob_print(&bounds, side ? "],\"max\":[" : ",\"min\":[");
        for (unsigned c = 0; c < components; c++) {
            float bound = values[c];
            for (size_t i = 1; i < count; i++) {
                float value = values[i * components + c];
                if (side ? value > bound : value < bound)
                    bound = value;
            }
            blob_print(&bounds, "%s%.9g", c ? "," : "", (double)bound);
        }
    }
    uint32_t index =
        glb_add(g, GLB_ACCESSORS, "{\"bufferView\":%u,\"componentType\":5126,\"count\":%zu,\"type\":\"%s\"%.*s]}", view,
                count, type, (int)bounds.size, (const char *)bounds.data);
    blob_free(&bounds);
    return index;
}

uint32_t glb_indices(glb *g, const uint32_t *values, size_t count) {
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    bool narrow = largest < UINT16_MAX;
    uint32_t view;
    if (narrow) {
        uint16_t *small = grow(NULL, count, sizeof *small);
        for (size_t i = 0; i < count; i++)
            small[i] = (uint16_t)values[i];
        view = glb_view(g, small, count * sizeof *small);
        free(small);
    } else {
        view = glb_view(g, values, count * sizeof *values);
    }
    return glb_add(g, GLB_ACCESSORS, "{\"bufferView\":%u,\"componentType\":%d,\"count\":%zu,\"type\":\"SCALAR\"}", view,
                   narrow ? 5123 : 5125, count);
}

uint32_t glb_bytes4(glb *g, const uint8_t *values, size_t count) {
    uint32_t view = glb_view(g, values, count * 4);
    return glb_add(g, GLB_ACCESSORS, "{\"bufferView\":%u,\"componentType\":5121,\"count\":%zu,\"type\":\"VEC4\"}", view,
                   count);
}

void glb_channel(glb_clip *clip, uint32_t node, const char *path, const char *interpolation, uint32_t times,
                 uint32_t values) {
    const char *comma = clip->count ? ",\n" : "";
    blob_print(&clip->samplers, "%s{\"input\":%u,\"interpolation\":\"%s\",\"output\":%u}", comma, times, interpolation,
               values);
    blob_print(&clip->channels, "%s{\"sampler\":%u,\"target\":{\"node\":%u,\"path\":\"%s\"}}", comma, clip->count++,
               node, path);
}

void glb_clip_end(glb *g, glb_clip *clip, const char *name) {
    glb_add(g, GLB_ANIMATIONS, "{\"name\":\"%s\",\"samplers\":[%.*s],\n\"channels\":[%.*s]}", name,
            (int)clip->samplers.size, (const char *)clip->samplers.data, (int)clip->channels.size,
            (const char *)clip->channels.data);
    blob_free(&clip->samplers);
    blob_free(&clip->channels);
    *clip = (glb_clip){0};
}

blob glb_json(const glb *g, const char *uri) {
    blob json = {0};
    blob_print(
        &json,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Bakewell make_assets\"},\n\"buffers\":[{\"byteLength\":%zu",
        g->bin.size);
    if (uri)
        blob_print(&json, ",\"uri\":\"%s\"", uri);
    blob_print(&json, "}]");
    if (g->count[GLB_SCENES])
        blob_print(&json, ",\n\"scene\":0");
    for (int i = 0; i < GLB_LIST_COUNT; i++) {
        if (!g->count[i])
            continue;
        blob_print(&json, ",\n\"%s\":[\n", list_names[i]);
        blob_add(&json, g->text[i].data, g->text[i].size);
        blob_print(&json, "]");
    }
    blob_print(&json, "}\n");
    return json;
}

static void add_u32(blob *b, size_t value) {
    const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                                    (unsigned char)(value >> 24)};
    blob_add(b, bytes, 4);
}

blob glb_pack(const blob *json, const blob *bin) {
    size_t json_size = (json->size + 3) / 4 * 4;
    blob file = {0};
    blob_add(&file, "glTF", 4);
    add_u32(&file, 2);
    add_u32(&file, 12 + 8 + json_size + 8 + bin->size);
    add_u32(&file, json_size);
    blob_add(&file, "JSON", 4);
    blob_add(&file, json->data, json->size);
    blob_add(&file, "   ", json_size - json->size);
    add_u32(&file, bin->size);
    blob_add(&file, "BIN", 4);
    blob_add(&file, bin->data, bin->size);
    return file;
}

void write_file(const char *folder, const char *file_name, const void *data, size_t size) {
    blob path = {0};
    blob_print(&path, "%s/%s", folder, file_name);
    FILE *file = fopen((const char *)path.data, "wb");
    bool written = file && fwrite(data, 1, size, file) == size;
    if (!file || fclose(file) || !written) {
        fprintf(stderr, "make_assets: cannot write %s\n", (const char *)path.data);
        exit(3);
    }
    blob_free(&path);
}

void glb_write(glb *g, const char *folder, const char *name) {
    blob json = glb_json(g, NULL), file_name = {0};
    blob file = glb_pack(&json, &g->bin);
    blob_print(&file_name, "%s.glb", name);
    write_file(folder, (const char *)file_name.data, file.data, file.size);
    blob_free(&file_name);
    blob_free(&file);
    blob_free(&json);
    glb_free(g);
}

void glb_free(glb *g) {
    blob_free(&g->bin);
    for (int i = 0; i < GLB_LIST_COUNT; i++)
        blob_free(&g->text[i]);
    *g = (glb){0};
}
