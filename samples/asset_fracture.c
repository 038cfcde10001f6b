/* SPDX-License-Identifier: MIT
 * A block that bursts into 64 pieces, three times the same motion: fracture_nodes.glb moves them by nodes, fracture_skin.glb by joints,
 * fracture_baked.glb by one morph target a frame.  Pieces touch at rest, a few spin fast, every eighth shrinks to nothing. */
#include "assets.h"

#include <stdio.h>

#include "shape.h"

enum {
    SIDE = 4,
    PIECES = SIDE * SIDE * SIDE,
    CORNERS = 36,
    VERTICES = PIECES * CORNERS,
    KEY_COUNT = 61,
    RATE = 60,
    BURST = 12
};

typedef struct piece {
    vec3 centre;
    vec3 corners[CORNERS]; /* of 12 flat triangles, about the centre */
} piece;

typedef struct pose {
    vec3 at;
    quat turn;
    double scale;
} pose;

/* In [−1, 1): of a key, the same everywhere. */
static double noise(uint32_t key) {
    key = (key ^ (key >> 16)) * 0x45d9f3bU;
    key = (key ^ (key >> 16)) * 0x45d9f3bU;
    return (double)(key ^ (key >> 16)) / 2147483648.0 - 1.0;
}

/* A corner of the lattice; inner ones are shaken, so that no two pieces are alike. */
static vec3 lattice(const int at[3]) {
    const uint32_t key = (uint32_t)(at[0] + 16 * at[1] + 256 * at[2]) * 3 + 1;
    double p[3];
    for (int k = 0; k < 3; k++)
        p[k] = 0.25 * at[k] + (at[k] > 0 && at[k] < SIDE ? 0.07 * noise(key + (uint32_t)k) : 0);
    return (vec3){p[0] - 0.5, p[1] + 1, p[2] - 0.5};
}

static piece make_piece(int number) {
    /* Faces of the cell, seen from outside; bit k of a corner is its step along axis k. */
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    const int cell[3] = {number % SIDE, number / SIDE % SIDE, number / (SIDE * SIDE)};
    vec3 corners[8], sum = {0, 0, 0};
    for (int k = 0; k < 8; k++) {
        corners[k] = lattice((int[]){cell[0] + (k & 1), cell[1] + (k >> 1 & 1), cell[2] + (k >> 2)});
        sum = add(sum, corners[k]);
    }
    piece out = {.centre = scaled(sum, 0.125)};
    for (int face = 0; face < 6; face++)
        for (int k = 0; k < 6; k++)
            out.corners[6 * face + k] = sub(corners[faces[face][order[k]]], out.centre);
    return out;
}

/* Where a piece is at a key: still until the burst, then thrown, falling and spinning. */
static pose pose_at(int number, vec3 centre, int key) {
    const uint32_t seed = (uint32_t)number * 16 + 99991;
    const double t = key > BURST ? (double)(key - BURST) / RATE : 0;
    const vec3 outward = {centre.x, centre.y - 1.2, centre.z};
    const vec3 speed = add(scaled(outward, 3 + noise(seed)), (vec3){0, 2, 0});
    const double rounds = number % 16 == 3 ? 12 : 1.5 + noise(seed + 1);
    vec3 axis = {noise(seed + 2), noise(seed + 3), noise(seed + 4)};
    axis = scaled(axis, 1 / length(axis));
    const double half = PI * rounds * t, s = sine(half);
    pose out = {add(centre, scaled(speed, t)), {axis.x * s, axis.y * s, axis.z * s, cosine(half)}, 1};
    out.at.y -= 4.905 * t * t;
    if (number % 8 == 5)
        out.scale = key < 36 ? 1 : key < 48 ? (48 - key) / 12.0 : 0;
    return out;
}

static void put3(float *out, vec3 v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

/* In: about — where the corners are counted from. */
static void add_piece(shape *s, const piece *p, int number, vec3 about) {
    for (uint32_t k = 0; k < CORNERS; k++)
        shape_vertex(s, add(about, p->corners[k]), (number + 0.5) / PIECES, 0.5, NEW_WELD);
    for (uint32_t k = s->vertex_count - CORNERS; k < s->vertex_count; k += 3)
        shape_triangle(s, k, k + 1, k + 2);
}

static void add_material(glb *g) {
    glb_add(
        g, GLB_MATERIALS,
        "{\"name\":\"Stone\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.6,0.58,0.55,1],\"metallicFactor\":0}}");
}

static uint32_t key_times(glb *g) {
    float seconds[KEY_COUNT];
    for (int k = 0; k < KEY_COUNT; k++)
        seconds[k] = (float)k / RATE;
    return glb_floats(g, seconds, KEY_COUNT, 1);
}

/* Channels of all pieces, which are the first nodes. */
static void animate(glb *g) {
    glb_clip clip = {0};
    const uint32_t times = key_times(g);
    for (int i = 0; i < PIECES; i++) {
        const piece p = make_piece(i);
        float places[KEY_COUNT][3], turns[KEY_COUNT][4], scales[KEY_COUNT][3];
        for (int k = 0; k < KEY_COUNT; k++) {
            const pose at = pose_at(i, p.centre, k);
            put3(places[k], at.at);
            put3(turns[k], (vec3){at.turn.x, at.turn.y, at.turn.z});
            turns[k][3] = (float)at.turn.w;
            put3(scales[k], (vec3){at.scale, at.scale, at.scale});
        }
        const uint32_t node = (uint32_t)i;
        glb_channel(&clip, node, "translation", "LINEAR", times, glb_floats(g, &places[0][0], KEY_COUNT, 3));
        glb_channel(&clip, node, "rotation", "LINEAR", times, glb_floats(g, &turns[0][0], KEY_COUNT, 4));
        if (i % 8 == 5)
            glb_channel(&clip, node, "scale", "LINEAR", times, glb_floats(g, &scales[0][0], KEY_COUNT, 3));
    }
    glb_clip_end(g, &clip, "Burst");
}

static void add_nodes(glb *g, bool with_meshes) {
    for (int i = 0; i < PIECES; i++) {
        const vec3 c = make_piece(i).centre;
        char mesh[24] = "";
        if (with_meshes)
            snprintf(mesh, sizeof mesh, "\"mesh\":%d,", i);
        glb_add(g, GLB_NODES, "{\"name\":\"Piece%02d\",%s\"translation\":[%.9g,%.9g,%.9g]}", i, mesh, c.x, c.y, c.z);
    }
}

/* A mesh of the shape; more — text behind its attributes' closing brace. */
static void add_mesh(glb *g, const char *name, int number, shape *s, const blob *attributes, const blob *more) {
    blob text = {0};
    shape_normals(s, s->positions, s->normals);
    shape_attributes(&text, g, s);
    glb_add(g, GLB_MESHES, "{\"name\":\"%s%02d\",\"primitives\":[{\"material\":0,%.*s%.*s}%.*s}]}", name, number,
            (int)text.size, (const char *)text.data, attributes ? (int)attributes->size : 0,
            attributes ? (const char *)attributes->data : "", more ? (int)more->size : 0,
            more ? (const char *)more->data : "");
    blob_free(&text);
    shape_free(s);
}

void make_fracture_nodes(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    glb g = {0};
    blob roots = {0};
    add_material(&g);
    for (int i = 0; i < PIECES; i++) {
        const piece p = make_piece(i);
        shape s = {0};
        add_piece(&s, &p, i, (vec3){0, 0, 0});
        add_mesh(&g, "Piece", i, &s, NULL, NULL);
        blob_print(&roots, "%s%d", i ? "," : "", i);
    }
    add_nodes(&g, true);
    glb_add(&g, GLB_SCENES, "{\"nodes\":[%.*s]}", (int)roots.size, (const char *)roots.data);
    animate(&g);
    glb_write(&g, folder, name);
    blob_free(&roots);
}

static shape whole_block(void) {
    shape s = {0};
    for (int i = 0; i < PIECES; i++) {
        const piece p = make_piece(i);
        add_piece(&s, &p, i, p.centre);
    }
    return s;
}

void make_fracture_skin(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    static uint8_t joints[VERTICES][4];
    static float weights[VERTICES][4], inverse_binds[PIECES][16];
    glb g = {0};
    blob attributes = {0}, nodes = {0};
    shape s = whole_block();
    for (int v = 0; v < VERTICES; v++) {
        joints[v][0] = (uint8_t)(v / CORNERS);
        weights[v][0] = 1;
    }
    for (int i = 0; i < PIECES; i++) {
        const vec3 c = make_piece(i).centre;
        for (int k = 0; k < 16; k += 5)
            inverse_binds[i][k] = 1;
        put3(&inverse_binds[i][12], scaled(c, -1));
        blob_print(&nodes, "%s%d", i ? "," : "", i);
    }
    add_material(&g);
    blob_print(&attributes, ",\"JOINTS_0\":%u", glb_bytes4(&g, &joints[0][0], VERTICES));
    blob_print(&attributes, ",\"WEIGHTS_0\":%u", glb_floats(&g, &weights[0][0], VERTICES, 4));
    add_mesh(&g, "Block", 0, &s, &attributes, NULL);
    add_nodes(&g, false);
    glb_add(&g, GLB_NODES, "{\"name\":\"Block\",\"mesh\":0,\"skin\":0}");
    glb_add(&g, GLB_SKINS, "{\"joints\":[%.*s],\"inverseBindMatrices\":%u}", (int)nodes.size, (const char *)nodes.data,
            glb_floats(&g, &inverse_binds[0][0], PIECES, 16));
    glb_add(&g, GLB_SCENES, "{\"nodes\":[%.*s,%d]}", (int)nodes.size, (const char *)nodes.data, PIECES);
    animate(&g);
    glb_write(&g, folder, name);
    blob_free(&nodes);
    blob_free(&attributes);
}

/* The first key is the mesh itself; key k is target k − 1. */
void make_fracture_baked(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    enum { TARGETS = KEY_COUNT - 1 };
    static float deltas[VERTICES][3], tilts[VERTICES][3], weights[KEY_COUNT][TARGETS];
    glb g = {0};
    blob targets = {0};
    shape s = whole_block();
    shape_normals(&s, s.positions, s.normals);
    blob_print(&targets, ",\"targets\":[");
    for (int key = 1; key < KEY_COUNT; key++) {
        for (int i = 0; i < PIECES; i++) {
            const piece p = make_piece(i);
            const pose at = pose_at(i, p.centre, key);
            for (int k = 0; k < CORNERS; k++) {
                const vec3 to = add(at.at, scaled(rotate(at.turn, p.corners[k]), at.scale));
                const float *n = s.normals + 3 * (i * CORNERS + k);
                const vec3 normal = {(double)n[0], (double)n[1], (double)n[2]};
                put3(deltas[i * CORNERS + k], sub(to, add(p.centre, p.corners[k])));
                put3(tilts[i * CORNERS + k], sub(rotate(at.turn, normal), normal));
            }
        }
        const uint32_t positions = glb_floats(&g, &deltas[0][0], VERTICES, 3);
        const uint32_t normals = glb_floats(&g, &tilts[0][0], VERTICES, 3);
        blob_print(&targets, "%s{\"POSITION\":%u,\"NORMAL\":%u}", key > 1 ? "," : "", positions, normals);
        weights[key][key - 1] = 1;
    }
    blob_print(&targets, "]");
    add_material(&g);
    add_mesh(&g, "Block", 0, &s, NULL, &targets);
    glb_add(&g, GLB_NODES, "{\"name\":\"Block\",\"mesh\":0}");
    glb_add(&g, GLB_SCENES, "{\"nodes\":[0]}");
    glb_clip clip = {0};
    const uint32_t times = key_times(&g);
    glb_channel(&clip, 0, "weights", "LINEAR", times, glb_floats(&g, &weights[0][0], KEY_COUNT * TARGETS, 1));
    glb_clip_end(&g, &clip, "Burst");
    glb_write(&g, folder, name);
    blob_free(&targets);
}
