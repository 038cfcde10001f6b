/* SPDX-License-Identifier: MIT
 * Assets of exact sizes for tests: vertex, key and clip counts, lengths and distances as asked for. */
#include "assets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shape.h"

/* A sheet of exactly `vertex_count` vertices, 2 m square, rippled by `ripple` metres; every vertex is in some triangle, even where two of its
 * corners must be one vertex.  One morph target lifts each vertex by its own amount. */
static void add_sheet(glb *g, uint32_t vertex_count, double ripple) {
    shape sheet = {0};
    uint32_t columns = 1;
    while ((uint64_t)columns * columns < vertex_count)
        columns++;
    double step = columns > 1 ? 2.0 / (columns - 1) : 0;
    for (uint32_t i = 0; i < vertex_count; i++) {
        uint32_t x = i % columns, y = i / columns;
        shape_vertex(&sheet, (vec3){x * step - 1, ripple * sine(1.7 * x) * sine(2.3 * y), y * step - 1}, x * step / 2,
                     y * step / 2, NEW_WELD);
    }
    for (uint32_t i = 0; i + columns + 1 < vertex_count; i++) {
        if (i % columns + 1 < columns) {
            shape_triangle(&sheet, i, i + columns, i + columns + 1);
            shape_triangle(&sheet, i, i + columns + 1, i + 1);
        }
    }
    bool *reached = grow(NULL, vertex_count, sizeof *reached);
    memset(reached, 0, vertex_count * sizeof *reached);
    for (uint32_t k = 0; k < sheet.index_count; k++)
        reached[sheet.indices[k]] = true;
    for (uint32_t i = 0; i < vertex_count; i++) /* the ragged end */
        if (!reached[i])
            shape_triangle(&sheet, i, i > 0 ? i - 1 : i, i >= columns ? i - columns : i);
    free(reached);
    shape_normals(&sheet, sheet.positions, sheet.normals);
    float *lift = grow(NULL, vertex_count, 3 * sizeof *lift);
    for (uint32_t i = 0; i < vertex_count; i++) {
        lift[3 * i] = (float)(0.1 * sine(0.37 * i));
        lift[3 * i + 1] = (float)(0.5 * sine(0.11 * i + 1));
        lift[3 * i + 2] = (float)(0.1 * sine(0.53 * i + 2));
    }
    blob text = {0};
    shape_attributes(&text, g, &sheet);
    blob_print(&text, "},\"targets\":[{\"POSITION\":%u}]", glb_floats(g, lift, vertex_count, 3));
    glb_add(g, GLB_MESHES, "{\"name\":\"Sheet\",\"weights\":[0],\"primitives\":[{%.*s}]}", (int)text.size,
            (const char *)text.data);
    glb_add(g, GLB_NODES, "{\"name\":\"Sheet\",\"mesh\":0}");
    glb_add(g, GLB_SCENES, "{\"nodes\":[0]}");
    free(lift);
    blob_free(&text);
    shape_free(&sheet);
}

/* Moves the sheet's morph weight along a sine of `period` keys. */
static void add_wave(glb *g, const char *name, uint32_t key_count, double fps, double period) {
    float *seconds = grow(NULL, key_count, sizeof *seconds), *weights = grow(NULL, key_count, sizeof *weights);
    for (uint32_t k = 0; k < key_count; k++) {
        seconds[k] = (float)(k / fps);
        weights[k] = (float)sine(2 * PI * k / period);
    }
    glb_clip clip = {0};
    uint32_t times = glb_floats(g, seconds, key_count, 1);
    glb_channel(&clip, 0, "weights", "LINEAR", times, glb_floats(g, weights, key_count, 1));
    glb_clip_end(g, &clip, name);
    free(seconds);
    free(weights);
}

void make_grid(const char *folder, const char *name, const double *parameters) {
    glb g = {0};
    add_sheet(&g, (uint32_t)parameters[0], 0.05);
    add_wave(&g, "Wave", (uint32_t)parameters[1], parameters[2], 20);
    glb_write(&g, folder, name);
}

void make_length(const char *folder, const char *name, const double *parameters) {
    glb g = {0};
    add_sheet(&g, (uint32_t)parameters[0], 0.05);
    const float seconds[2] = {0, (float)parameters[1]}, weights[2] = {0, 1};
    glb_clip clip = {0};
    uint32_t times = glb_floats(&g, seconds, 2, 1);
    glb_channel(&clip, 0, "weights", "LINEAR", times, glb_floats(&g, weights, 2, 1));
    glb_clip_end(&g, &clip, "Lift");
    glb_write(&g, folder, name);
}

void make_clips(const char *folder, const char *name, const double *parameters) {
    glb g = {0};
    add_sheet(&g, (uint32_t)parameters[0], 0.05);
    for (uint32_t k = 0; k < (uint32_t)parameters[1]; k++) {
        char clip_name[32];
        snprintf(clip_name, sizeof clip_name, "Clip_%03u", k);
        add_wave(&g, clip_name, 2 + k % 8, k % 2 ? 24 : 30, 5 + k % 3);
    }
    glb_write(&g, folder, name);
}

void make_zero(const char *folder, const char *name, const double *parameters) {
    glb g = {0};
    add_sheet(&g, (uint32_t)parameters[0], 0.05);
    const float seconds = 0.5f, weight = 1;
    glb_clip clip = {0};
    uint32_t times = glb_floats(&g, &seconds, 1, 1);
    glb_channel(&clip, 0, "weights", "LINEAR", times, glb_floats(&g, &weight, 1, 1));
    glb_clip_end(&g, &clip, "Pose");
    glb_write(&g, folder, name);
}

/* A sheet with 1 cm of detail that travels far: the range of its texels is the distance. */
void make_walker(const char *folder, const char *name, const double *parameters) {
    glb g = {0};
    add_sheet(&g, (uint32_t)parameters[0], 0.01);
    const float seconds[2] = {0, (float)parameters[2]}, places[6] = {0, 0, 0, 0, 0, (float)parameters[1]};
    enum { KEY_COUNT = 25 };
    float sway_seconds[KEY_COUNT], sway[KEY_COUNT];
    for (int k = 0; k < KEY_COUNT; k++) {
        sway_seconds[k] = (float)(parameters[2] * k / (KEY_COUNT - 1));
        sway[k] = (float)(0.02 * sine(0.5 * PI * k));
    }
    glb_clip clip = {0};
    uint32_t times = glb_floats(&g, seconds, 2, 1);
    glb_channel(&clip, 0, "translation", "LINEAR", times, glb_floats(&g, places, 2, 3));
    times = glb_floats(&g, sway_seconds, KEY_COUNT, 1);
    glb_channel(&clip, 0, "weights", "LINEAR", times, glb_floats(&g, sway, KEY_COUNT, 1));
    glb_clip_end(&g, &clip, "Walk");
    glb_write(&g, folder, name);
}
