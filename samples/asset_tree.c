/* SPDX-License-Identifier: MIT
 * tree.glb: a tree of four levels, each limb and leaf a node that stands on its own pivot; bush.glb: the same, flattened into one mesh of bark and
 * one of leaves, as generators export trees. */
#include "assets.h"

#include <stdlib.h>

#include "shape.h"

enum { LEVELS = 4, TRUNK = 0, LEAF = LEVELS - 1, KINDS = 3 /* lengths of a level */ };

typedef struct part {
    uint32_t level, parent, kind;
    vec3 place, world_place; /* of its pivot: in the parent, and in the world */
    quat turn, world_turn;   /* x runs along it */
} part;

typedef struct tree {
    part *parts;
    uint32_t count, capacity;
    uint32_t children[LEVELS - 1]; /* of each part of a level */
} tree;

static const double lengths[LEVELS] = {4.2, 1.5, 0.5, 0.12}, radii[LEVELS] = {0.16, 0.045, 0.012, 0.03};

/* 1, 0.85, 0.7. */
static double length_of(uint32_t level, uint32_t kind) {
    return lengths[level] * (1 - 0.15 * kind);
}

/* Limbs taper to a point. */
static double radius_at(uint32_t level, double along) {
    return radii[level] * (1 - along);
}

static uint32_t add_part(tree *t, part p) {
    if (t->count == t->capacity) {
        t->capacity = 2 * t->capacity + 64;
        t->parts = grow(t->parts, t->capacity, sizeof *t->parts);
    }
    t->parts[t->count] = p;
    return t->count++;
}

/* The k-th of n children: around the parent by the golden angle, from its middle to its tip. */
static part child_of(const tree *t, uint32_t index, uint32_t k, uint32_t n) {
    static const double golden_deg = 137.50776405003785, first[LEVELS - 1] = {0.35, 0.25, 0.15};
    const part *up = &t->parts[index];
    const double along = first[up->level] + (0.97 - first[up->level]) * (k + 0.5) / n;
    const double around = golden_deg * k + 40.0 * up->kind;
    const double turns = (double)(int)(around / 360); /* sine wants a small angle */
    const quat about = quat_euler((vec3){around - 360 * turns, 0, 0});
    part p = {.level = up->level + 1, .parent = index, .kind = (index + k) % KINDS};
    p.place = rotate(about, (vec3){along * length_of(up->level, up->kind), radius_at(up->level, along), 0});
    p.turn = quat_mul(about, quat_euler((vec3){0, 0, up->level == TRUNK ? 62 - 20 * along : 48}));
    p.world_place = add(up->world_place, rotate(up->world_turn, p.place));
    p.world_turn = quat_mul(up->world_turn, p.turn);
    return p;
}

static tree grow_tree(uint32_t branches, uint32_t twigs, uint32_t leaves) {
    tree t = {.children = {branches, twigs, leaves}};
    const quat up = quat_euler((vec3){0, 0, 90});
    add_part(&t, (part){.parent = UINT32_MAX, .turn = up, .world_turn = up});
    for (uint32_t i = 0; i < t.count; i++) {
        const uint32_t level = t.parts[i].level, n = level < LEAF ? t.children[level] : 0;
        for (uint32_t k = 0; k < n; k++)
            add_part(&t, child_of(&t, i, k, n));
    }
    return t;
}

/* ---- shapes ---- */

/* Where a shape stands; identity for a mesh of a node. */
typedef struct stand {
    vec3 place;
    quat turn;
} stand;

static uint32_t put(shape *s, const stand *at, vec3 p, double u, double v, uint32_t weld) {
    return shape_vertex(s, add(at->place, rotate(at->turn, p)), u, v, weld);
}

/* A tube along x that is open at its base, where it stands on what it grows from, and ends in a point. */
static void add_limb(shape *s, const stand *at, uint32_t level, uint32_t kind) {
    enum { RINGS = 4, SIDES = 6 };
    const double size = length_of(level, kind);
    uint32_t before[SIDES + 1], now[SIDES + 1];
    for (uint32_t r = 0; r < RINGS; r++) {
        const double along = (double)r / RINGS, radius = radius_at(level, along);
        for (uint32_t k = 0; k <= SIDES; k++) {
            const double angle = 2 * PI * (k % SIDES) / SIDES;
            now[k] = put(s, at, (vec3){along * size, radius * cosine(angle), radius * sine(angle)}, (double)k / SIDES,
                         1 - along, k == SIDES ? s->welds[now[0]] : NEW_WELD);
        }
        for (uint32_t k = 0; r > 0 && k < SIDES; k++) {
            shape_triangle(s, before[k], now[k + 1], now[k]);
            shape_triangle(s, before[k], before[k + 1], now[k + 1]);
        }
        for (uint32_t k = 0; k <= SIDES; k++)
            before[k] = now[k];
    }
    const uint32_t tip = put(s, at, (vec3){size, 0, 0}, 0.5, 0, NEW_WELD);
    for (uint32_t k = 0; k < SIDES; k++)
        shape_triangle(s, before[k], before[k + 1], tip);
}

/* A card whose stalk end stands on the twig. */
static void add_leaf(shape *s, const stand *at, uint32_t kind) {
    const double size = length_of(LEAF, kind), half = radii[LEAF];
    const uint32_t stalk = put(s, at, (vec3){0, 0, 0}, 0.5, 1, NEW_WELD);
    const uint32_t left = put(s, at, (vec3){0.45 * size, 0.01, -half}, 0, 0.55, NEW_WELD);
    const uint32_t right = put(s, at, (vec3){0.45 * size, 0.01, half}, 1, 0.55, NEW_WELD);
    const uint32_t tip = put(s, at, (vec3){size, 0, 0}, 0.5, 0, NEW_WELD);
    shape_triangle(s, stalk, left, tip);
    shape_triangle(s, stalk, tip, right);
}

static void add_shape(shape *s, const stand *at, uint32_t level, uint32_t kind) {
    if (level == LEAF)
        add_leaf(s, at, kind);
    else
        add_limb(s, at, level, kind);
}

static uint32_t add_mesh(glb *g, const char *name, uint32_t kind, uint32_t material, shape *s) {
    blob text = {0};
    shape_normals(s, s->positions, s->normals);
    shape_attributes(&text, g, s);
    const uint32_t mesh = glb_add(g, GLB_MESHES, "{\"name\":\"%s%u\",\"primitives\":[{\"material\":%u,%.*s}}]}", name,
                                  kind, material, (int)text.size, (const char *)text.data);
    blob_free(&text);
    shape_free(s);
    return mesh;
}

static void add_materials(glb *g) {
    glb_add(g, GLB_MATERIALS,
            "{\"name\":\"Bark\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.3,0.2,0.12,1],\"metallicFactor\":0}}");
    glb_add(g, GLB_MATERIALS,
            "{\"name\":\"Leaf\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.2,0.45,0.12,1],\"metallicFactor\":0},"
            "\"doubleSided\":true}");
}

static const char *const level_names[LEVELS] = {"trunk", "branch", "twig", "leaf"};

/* ---- files ---- */

static void write_nodes(const tree *t, const char *folder, const char *name) {
    glb g = {0};
    add_materials(&g);
    const stand origin = {{0, 0, 0}, {0, 0, 0, 1}};
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t kind = 0; kind < (level == TRUNK ? 1 : KINDS); kind++) {
            shape s = {0};
            add_shape(&s, &origin, level, kind);
            add_mesh(&g, level_names[level], kind, level == LEAF, &s);
        }
    for (uint32_t i = 0, child = 1; i < t->count; i++) {
        const part *p = &t->parts[i];
        const uint32_t n = p->level < LEAF ? t->children[p->level] : 0;
        blob children = {0};
        for (uint32_t k = 0; k < n;
             k++, child++) /* parts stand in the order in which they were grown: level by level */
            blob_print(&children, "%s%u", k ? "," : ",\"children\":[", child);
        blob_print(&children, "%s", n ? "]" : "");
        glb_add(
            &g, GLB_NODES,
            "{\"name\":\"%s %u\",\"mesh\":%u,\"translation\":[%.9g,%.9g,%.9g],\"rotation\":[%.9g,%.9g,%.9g,%.9g]%.*s}",
            level_names[p->level], i, p->level == TRUNK ? 0 : 1 + KINDS * (p->level - 1) + p->kind,
            (double)(float)p->place.x, (double)(float)p->place.y, (double)(float)p->place.z, (double)(float)p->turn.x,
            (double)(float)p->turn.y, (double)(float)p->turn.z, (double)(float)p->turn.w, (int)children.size,
            (const char *)children.data);
        blob_free(&children);
    }
    glb_add(&g, GLB_SCENES, "{\"nodes\":[0]}");
    glb_write(&g, folder, name);
}

static void write_flat(const tree *t, const char *folder, const char *name) {
    glb g = {0};
    add_materials(&g);
    shape bark = {0}, leaves = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const part *p = &t->parts[i];
        add_shape(p->level == LEAF ? &leaves : &bark, &(stand){p->world_place, p->world_turn}, p->level, p->kind);
    }
    add_mesh(&g, "Bark", 0, 0, &bark);
    add_mesh(&g, "Leaves", 0, 1, &leaves);
    glb_add(&g, GLB_NODES, "{\"name\":\"bark\",\"mesh\":0}");
    glb_add(&g, GLB_NODES, "{\"name\":\"leaves\",\"mesh\":1}");
    glb_add(&g, GLB_SCENES, "{\"nodes\":[0,1]}");
    glb_write(&g, folder, name);
}

void make_tree_of(const char *folder, const char *name, const double *parameters) {
    const tree t = grow_tree((uint32_t)parameters[0], (uint32_t)parameters[1], (uint32_t)parameters[2]);
    write_nodes(&t, folder, name);
    free(t.parts);
}

void make_bush_of(const char *folder, const char *name, const double *parameters) {
    const tree t = grow_tree((uint32_t)parameters[0], (uint32_t)parameters[1], (uint32_t)parameters[2]);
    write_flat(&t, folder, name);
    free(t.parts);
}

static const double usual[] = {12, 8, 24};

void make_tree(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    make_tree_of(folder, name, usual);
}

void make_bush(const char *folder, const char *name, const double *parameters) {
    (void)parameters;
    make_bush_of(folder, name, usual);
}
