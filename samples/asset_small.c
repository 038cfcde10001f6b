/* SPDX-License-Identifier: MIT
 * crates.glb: boxes moved by their nodes; flag.glb: a cloth moved by morph targets alone; rest.glb: a vase without a clip. */
#include "assets.h"

#include <stdlib.h>

#include "shape.h"

static void add_mesh(glb *g, const char *name, shape *s) {
    blob text = {0};
    shape_normals(s, s->positions, s->normals);
    shape_attributes(&text, g, s);
    glb_add(g, GLB_MESHES, "{\"name\":\"%s\",\"primitives\":[{\"material\":0,%.*s}}]}", name, (int)text.size,
            (const char *)text.data);
    blob_free(&text);
    shape_free(s);
}

/* One mesh used by every node: turned by its parent, mirrored, stretched, and one that vanishes by a stepped scale. */
void make_crates(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    glb g = {0};
    shape box = {0};
    shape_box(&box, (vec3){0, 0, 0}, (vec3){0.25, 0.25, 0.25});
    shape_box(&box, (vec3){0.2, 0.2, 0.3},
              (vec3){0.05, 0.05, 0.05}); /* a knob, so that mirrored crates can be told from turned ones */
    glb_add(
        &g, GLB_MATERIALS,
        "{\"name\":\"Wood\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.55,0.35,0.15,1],\"metallicFactor\":0}}");
    add_mesh(&g, "Crate", &box);
    enum { TURNER, FIXED, MIRRORED, STRETCHED, BLINKING };
    glb_add(&g, GLB_NODES, "{\"name\":\"Turner\",\"mesh\":0,\"translation\":[0,0.25,0],\"children\":[%d,%d]}", MIRRORED,
            STRETCHED);
    glb_add(&g, GLB_NODES, "{\"name\":\"Fixed\",\"mesh\":0,\"matrix\":[0.5,0,0,0,0,0.5,0,0,0,0,0.5,0,-1,0.125,0,1]}");
    glb_add(&g, GLB_NODES, "{\"name\":\"Mirrored\",\"mesh\":0,\"translation\":[1,0.5,0],\"scale\":[-1,1,1]}");
    glb_add(&g, GLB_NODES,
            "{\"name\":\"Stretched\",\"mesh\":0,\"translation\":[0,1,0],\"rotation\":[0.5,0.5,0.5,0.5],\"scale\":[0.5,"
            "1.5,1]}");
    glb_add(&g, GLB_NODES, "{\"name\":\"Blinking\",\"mesh\":0,\"translation\":[-1,0.75,0]}");
    glb_add(&g, GLB_SCENES, "{\"nodes\":[%d,%d,%d]}", TURNER, FIXED, BLINKING);

    enum { KEY_COUNT = 31 };
    float seconds[KEY_COUNT], turns[KEY_COUNT][4], lifts[KEY_COUNT][3];
    for (int k = 0; k < KEY_COUNT; k++) {
        double angle = 2 * PI * k / (KEY_COUNT - 1);
        quat q = quat_euler((vec3){0, 360.0 * k / (KEY_COUNT - 1), 0});
        seconds[k] = (float)k / 30;
        turns[k][0] = (float)q.x;
        turns[k][1] = (float)q.y;
        turns[k][2] = (float)q.z;
        turns[k][3] = (float)q.w;
        lifts[k][0] = 1;
        lifts[k][1] = (float)(0.5 + 0.2 * sine(angle));
        lifts[k][2] = 0;
    }
    glb_clip clip = {0};
    uint32_t times = glb_floats(&g, seconds, KEY_COUNT, 1);
    glb_channel(&clip, TURNER, "rotation", "LINEAR", times, glb_floats(&g, &turns[0][0], KEY_COUNT, 4));
    glb_channel(&clip, MIRRORED, "translation", "LINEAR", times, glb_floats(&g, &lifts[0][0], KEY_COUNT, 3));
    glb_clip_end(&g, &clip, "Tumble");

    const float blink_times[3] = {0, 0.5f, 1}, sizes[9] = {1, 1, 1, 0, 0, 0, 1, 1, 1};
    times = glb_floats(&g, blink_times, 3, 1);
    glb_channel(&clip, BLINKING, "scale", "STEP", times, glb_floats(&g, sizes, 3, 3));
    glb_clip_end(&g, &clip, "Blink");
    glb_write(&g, folder, name);
}

/* A cloth of 25 × 17 corners whose four targets are a wave at four phases. */
void make_flag(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    enum { COLUMNS = 25, ROWS = 17, VERTEX_COUNT = COLUMNS * ROWS, TARGETS = 4, KEY_COUNT = 49 };
    glb g = {0};
    shape cloth = {0};
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++)
            shape_vertex(&cloth, (vec3){0.06 * x, 1 + 0.06 * y, 0}, x / (COLUMNS - 1.0), 1 - y / (ROWS - 1.0),
                         NEW_WELD);
    for (uint32_t y = 0; y + 1 < ROWS; y++)
        for (uint32_t x = 0; x + 1 < COLUMNS; x++) {
            uint32_t a = y * COLUMNS + x;
            shape_triangle(&cloth, a, a + 1, a + COLUMNS + 1);
            shape_triangle(&cloth, a, a + COLUMNS + 1, a + COLUMNS);
        }
    shape_normals(&cloth, cloth.positions, cloth.normals);
    glb_add(&g, GLB_MATERIALS,
            "{\"name\":\"Cloth\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.8,0.1,0.1,1],\"metallicFactor\":0},"
            "\"doubleSided\":true}");
    blob text = {0};
    shape_attributes(&text, &g, &cloth);
    blob_print(&text, "},\"targets\":[");
    for (int target = 0; target < TARGETS; target++) {
        float deltas[VERTEX_COUNT][3];
        for (int i = 0; i < VERTEX_COUNT; i++) {
            double along = (double)(i % COLUMNS) / (COLUMNS - 1),
                   wave = sine(2 * PI * (1.5 * along - target / (double)TARGETS));
            deltas[i][0] = (float)(-0.05 * along * wave * wave);
            deltas[i][1] = 0;
            deltas[i][2] = (float)(0.2 * along * wave);
        }
        blob_print(&text, "%s{\"POSITION\":%u}", target ? "," : "", glb_floats(&g, &deltas[0][0], VERTEX_COUNT, 3));
    }
    glb_add(&g, GLB_MESHES, "{\"name\":\"Flag\",\"weights\":[1,0,0,0],\"primitives\":[{\"material\":0,%.*s]}]}",
            (int)text.size, (const char *)text.data);
    glb_add(&g, GLB_NODES, "{\"name\":\"Flag\",\"mesh\":0}");
    glb_add(&g, GLB_SCENES, "{\"nodes\":[0]}");

    float seconds[KEY_COUNT], weights[KEY_COUNT][TARGETS];
    for (int k = 0; k < KEY_COUNT; k++) {
        seconds[k] = (float)k / 24;
        for (int target = 0; target < TARGETS; target++) { /* a hat that runs round the targets, twice */
            double ahead = 2.0 * TARGETS * k / (KEY_COUNT - 1) - target;
            ahead -= TARGETS * (double)(int)(ahead / TARGETS + (ahead < 0 ? -0.5 : 0.5));
            weights[k][target] = (float)(ahead < -1 || ahead > 1 ? 0 : ahead < 0 ? 1 + ahead : 1 - ahead);
        }
    }
    glb_clip clip = {0};
    uint32_t times = glb_floats(&g, seconds, KEY_COUNT, 1);
    glb_channel(&clip, 0, "weights", "LINEAR", times, glb_floats(&g, &weights[0][0], KEY_COUNT * TARGETS, 1));
    glb_clip_end(&g, &clip, "Wind");
    glb_write(&g, folder, name);
    blob_free(&text);
    shape_free(&cloth);
}

void make_rest(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    static const ring profile[] = {{0, 0.05, 0.05},   {0.01, 0.08, 0.08}, {0.1, 0.12, 0.12},
                                   {0.2, 0.06, 0.06}, {0.27, 0.05, 0.05}, {0.3, 0.08, 0.08}};
    glb g = {0};
    shape vase = {0};
    shape_tube(&vase, &(tube_frame){{0, 0, 0}, {0, 0, 1}, {1, 0, 0}}, profile, sizeof profile / sizeof *profile, 3, 18);
    glb_add(
        &g, GLB_MATERIALS,
        "{\"name\":\"Glaze\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.1,0.4,0.35,1],\"roughnessFactor\":0.2}}");
    add_mesh(&g, "Vase", &vase);
    glb_add(&g, GLB_NODES, "{\"name\":\"Vase\",\"mesh\":0}");
    glb_add(&g, GLB_SCENES, "{\"nodes\":[0]}");
    glb_write(&g, folder, name);
}
