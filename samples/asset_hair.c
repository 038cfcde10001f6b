/* SPDX-License-Identifier: MIT
 * head.glb: a scalp with UVs; hair.abc: hair on it as exporters write it, with the faults that keep it from an engine; wind_hair.abc: the same
 * in the wind.  The fringe is swept to the wearer's left, so that a mirrored groom shows. */
#include "assets.h"

#include <math.h>
#include <stdlib.h>

#include "abc.h"
#include "shape.h"

enum { CANDIDATE_COUNT = 4000, POINT_COUNT = 8, FRAME_COUNT = 33, FPS = 24, SCALP_GROUP = 0, FRINGE_GROUP = 1 };

/* The head: an ellipsoid that looks along +z, y up, in cm. */
static const vec3 HEAD_HALF = {7.5, 10.5, 9}, HEAD_CENTRE = {0, 160, 0};

/* Chance that is the same everywhere: 0 … 1. */
static double chance(uint32_t strand, uint32_t what) {
    uint64_t x = (uint64_t)strand * 0x9e3779b97f4a7c15u + (uint64_t)what * 0xbf58476d1ce4e5b9u + 1;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

static vec3 unit(vec3 v) {
    return scaled(v, 1 / length(v));
}

/* The k-th point of a spiral that covers the unit sphere evenly. */
static vec3 spiral(uint32_t k) {
    const double golden = 2.399963229728653; /* π (3 − √5) */
    const double y = 1 - 2 * (k + 0.5) / CANDIDATE_COUNT, radius = sqrt(1 - y * y);
    return (vec3){radius * cosine(k * golden), y, radius * sine(k * golden)};
}

static bool grows_hair(vec3 out) {
    const double hairline = out.z > 0 ? 0.45 * out.z : 0.3 * out.z;
    return out.y > hairline + 0.05;
}

static vec3 on_head(vec3 out) {
    return (vec3){out.x * HEAD_HALF.x, out.y * HEAD_HALF.y, out.z * HEAD_HALF.z};
}

/* A strand, step by step: out of the skin, down by its weight, along the head, into the wind.  In: phase — of the wind; force — 0: calm. */
static void grow_strand(float *positions, uint32_t strand, vec3 out, bool fringe, double phase, double force) {
    vec3 p = on_head(out);
    const vec3 normal = unit((vec3){out.x / HEAD_HALF.x, out.y / HEAD_HALF.y, out.z / HEAD_HALF.z});
    const double size = (fringe ? 14 : 9 + 9 * smooth_step(0.6, -0.4, out.z)) * (0.85 + 0.3 * chance(strand, 0));
    const vec3 comb = fringe ? (vec3){2.4, 0.5, 0.1} : (vec3){0.35 * out.x, -0.2, -0.6};
    const vec3 stray = {chance(strand, 1) - 0.5, chance(strand, 2) - 0.5, chance(strand, 3) - 0.5};
    vec3 way = unit(add(add(normal, scaled(comb, 0.7)), scaled(stray, 0.25)));
    for (uint32_t k = 0; k < POINT_COUNT; k++) {
        positions[3 * k] = (float)p.x;
        positions[3 * k + 1] = (float)p.y;
        positions[3 * k + 2] = (float)p.z;
        const double along = (k + 1.0) / (POINT_COUNT - 1), gust = force * along * (1 + 0.4 * chance(strand, 4));
        const vec3 wind = {gust * (0.5 + sine(phase - 1.2 * along)), gust * 0.25 * cosine(phase + 0.2 * p.z),
                           -gust * (0.3 + 0.5 * sine(phase + 0.15 * p.x))};
        const vec3 weight = {0, -0.42, 0};
        way = unit(add(add(scaled(way, 0.8), scaled(comb, 0.15)), add(weight, wind)));
        p = add(p, scaled(way, size / (POINT_COUNT - 1)));
        const double depth = length((vec3){p.x / HEAD_HALF.x, p.y / HEAD_HALF.y, p.z / HEAD_HALF.z});
        if (depth < 1.02)
            p = scaled(p, 1.02 / depth);
    }
}

typedef struct hair {
    uint32_t strand_count;
    vec3 outs[CANDIDATE_COUNT];
    float groups[CANDIDATE_COUNT]; /* float: an importer finds none in it */
    float colors[CANDIDATE_COUNT][3];
    uint32_t ids[CANDIDATE_COUNT]; /* unsigned: likewise */
    int32_t counts[CANDIDATE_COUNT + 1];
    float positions[(CANDIDATE_COUNT * POINT_COUNT + 1) * 3];
} hair;

static void plant(hair *h) {
    for (uint32_t k = 0; k < CANDIDATE_COUNT; k++) {
        const vec3 out = spiral(k);
        if (!grows_hair(out))
            continue;
        const uint32_t i = h->strand_count++;
        const bool fringe = out.z > 0.45;
        const double shade = 0.8 + 0.4 * chance(i, 5);
        h->outs[i] = out;
        h->groups[i] = fringe ? FRINGE_GROUP : SCALP_GROUP;
        h->ids[i] = i;
        h->counts[i] = POINT_COUNT;
        h->colors[i][0] = (float)((fringe ? 0.45 : 0.22) * shade);
        h->colors[i][1] = (float)((fringe ? 0.22 : 0.1) * shade);
        h->colors[i][2] = (float)(0.05 * shade);
    }
}

static void grow_all(hair *h, double phase, double force) {
    for (uint32_t i = 0; i < h->strand_count; i++)
        grow_strand(&h->positions[(size_t)i * POINT_COUNT * 3], i, h->outs[i], h->groups[i] == FRINGE_GROUP, phase,
                    force);
}

/* In: stray_points — curves of one point each behind the others, which crash an importer. */
static void begin_hair(abc *a, hair *h, const char *folder, const char *name, uint32_t stray_points) {
    plant(h);
    const size_t count = h->strand_count + stray_points;
    if (stray_points) {
        h->counts[h->strand_count] = 1;
        h->groups[h->strand_count] = SCALP_GROUP;
        h->ids[h->strand_count] = h->strand_count;
    }
    const double translation[3] = {HEAD_CENTRE.x, HEAD_CENTRE.y, HEAD_CENTRE.z};
    abc_begin(a, folder, name, "Maya 2024", translation, h->counts, count, FPS);
    abc_attribute(a, "groom_group_id", "uni", BW_ALEMBIC_FLOAT32, 1, h->groups, count);
    abc_attribute(a, "groom_id", "uni", BW_ALEMBIC_UINT32, 1, h->ids, count);
    abc_attribute(a, "groom_color", "uni", BW_ALEMBIC_FLOAT32, 3, h->colors, count);
}

static hair *new_hair(void) {
    hair *h = grow(NULL, 1, sizeof *h);
    *h = (hair){0};
    return h;
}

void make_hair(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    hair *h = new_hair();
    abc a;
    begin_hair(&a, h, folder, name, 1);
    grow_all(h, 0, 0);
    for (uint32_t k = 0; k < 3; k++) /* the stray point is the first strand's root */
        h->positions[(size_t)h->strand_count * POINT_COUNT * 3 + k] = h->positions[k];
    abc_frame(&a, h->positions);
    abc_end(&a);
    free(h);
}

/* Two gusts; the last frame is the first. */
void make_wind_hair(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    hair *h = new_hair();
    abc a;
    begin_hair(&a, h, folder, name, 0);
    for (int frame = 0; frame < FRAME_COUNT; frame++) {
        const double part = (double)(frame % (FRAME_COUNT - 1)) / (FRAME_COUNT - 1);
        grow_all(h, 4 * PI * part, 0.45 - 0.3 * cosine(2 * PI * part));
        abc_frame(&a, h->positions);
    }
    abc_end(&a);
    free(h);
}

/* The same head in glTF's metres. */
void make_head(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    enum { SEGMENTS = 48, RINGS = 32 };
    glb g = {0};
    shape head = {0};
    for (uint32_t row = 0; row <= RINGS; row++) {
        const uint32_t start = head.vertex_count;
        for (uint32_t k = 0; k <= SEGMENTS; k++) {
            const double polar = PI * row / RINGS, around = 2 * PI * (k % SEGMENTS) / SEGMENTS;
            const vec3 out = {sine(polar) * sine(around), cosine(polar), sine(polar) * cosine(around)};
            shape_vertex(&head, scaled(on_head(out), 0.01), (double)k / SEGMENTS, (double)row / RINGS,
                         k == SEGMENTS ? start : NEW_WELD);
        }
    }
    for (uint32_t row = 0; row < RINGS; row++)
        for (uint32_t k = 0; k < SEGMENTS; k++) {
            const uint32_t a = row * (SEGMENTS + 1) + k, b = a + SEGMENTS + 1;
            if (row + 1 < RINGS)
                shape_triangle(&head, a, b, b + 1);
            if (row > 0)
                shape_triangle(&head, a, b + 1, a + 1);
        }
    shape_normals(&head, head.positions, head.normals);
    glb_add(&g, GLB_MATERIALS,
            "{\"name\":\"Skin\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.8,0.6,0.5,1],\"metallicFactor\":0}}");
    blob text = {0};
    shape_attributes(&text, &g, &head);
    glb_add(&g, GLB_MESHES, "{\"name\":\"Head\",\"primitives\":[{\"material\":0,%.*s}}]}", (int)text.size,
            (const char *)text.data);
    glb_add(&g, GLB_NODES, "{\"name\":\"Head\",\"mesh\":0,\"translation\":[0,1.6,0]}");
    glb_add(&g, GLB_SCENES, "{\"nodes\":[0]}");
    glb_write(&g, folder, name);
    blob_free(&text);
    shape_free(&head);
}
