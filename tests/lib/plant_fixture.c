/* SPDX-License-Identifier: MIT */
#include "plant_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDES = 7,
    RINGS = 6,
    LIMB_VERTICES = SIDES * RINGS + 2,
    LIMB_INDICES = SIDES * (RINGS - 1) * 6 + 2 * SIDES * 3
};

static const double lengths[4] = {6.0, 2.5, 0.7, 0.3}, radii[4] = {0.2, 0.06, 0.012, 0.006};

typedef struct limb {
    double from[3], along[3], bend[3], length, radius;
} limb;

typedef struct grower {
    plant *p;
    const plant_shape *shape;
    uint32_t state, vertex_count, index_count, sides, rings;
    limb *limbs;
} grower;

static void *block(plant *p, size_t count, size_t size) {
    void *made = calloc(count ? count : 1, size);
    if (!made)
        abort();
    p->blocks[p->block_count++] = made;
    return made;
}

static double chance(grower *g) {
    g->state = g->state * 1664525u + 1013904223u;
    return (g->state >> 8) / 16777216.0;
}

static double between(grower *g, double low, double high) {
    return low + (high - low) * chance(g);
}

static void normalize(double v[3]) {
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++)
        v[k] /= length;
}

static void cross(double out[3], const double a[3], const double b[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Two directions at right angles to a unit one. */
static void sides_of(double u[3], double v[3], const double along[3]) {
    const double up[3] = {fabs(along[0]) < 0.6, fabs(along[0]) >= 0.6, 0};
    cross(u, along, up);
    normalize(u);
    cross(v, along, u);
}

static void middle_at(double out[3], const limb *l, double part) {
    for (int k = 0; k < 3; k++)
        out[k] = l->from[k] + l->length * part * (l->along[k] + part * l->bend[k]);
}

static double radius_at(const limb *l, double part) {
    return l->radius * (1 - 0.7 * part);
}

static void add_vertex(grower *g, const double p[3]) {
    for (int k = 0; k < 3; k++)
        g->p->positions[3 * g->vertex_count + (uint32_t)k] = (float)p[k];
    g->p->normals[3 * g->vertex_count++ + 1] = 1;
}

static void add_triangle(grower *g, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t *at = g->p->indices + g->index_count;
    at[0] = a;
    at[1] = b;
    at[2] = c;
    g->index_count += 3;
}

static void begin(grower *g, uint32_t parent, const double from[3], const double tip[3]) {
    plant *p = g->p;
    p->parents[p->count] = parent;
    memcpy(p->pivots[p->count], from, sizeof p->pivots[0]);
    memcpy(p->tips[p->count], tip, sizeof p->tips[0]);
    p->first[p->count] = g->vertex_count;
    p->first_index[p->count++] = g->index_count;
}

static void add_limb(grower *g, uint32_t parent, const limb *l) {
    double u[3], v[3], at[3], tip[3];
    middle_at(tip, l, 1);
    begin(g, parent, l->from, tip);
    g->limbs[g->p->count - 1] = *l;
    sides_of(u, v, l->along);
    for (uint32_t r = 0; r < g->rings; r++) {
        const double part = (double)r / (g->rings - 1), radius = radius_at(l, part);
        middle_at(at, l, part);
        for (uint32_t s = 0; s < g->sides; s++) {
            const double angle = 2 * 3.14159265358979 * s / g->sides;
            double q[3];
            for (int k = 0; k < 3; k++)
                q[k] = at[k] + radius * (cos(angle) * u[k] + sin(angle) * v[k]);
            add_vertex(g, q);
        }
    }
    for (uint32_t r = 0; r + 1 < g->rings; r++) {
        for (uint32_t s = 0; s < g->sides; s++) {
            const uint32_t a = g->sides * r + s, b = g->sides * r + (s + 1) % g->sides;
            add_triangle(g, a, b, a + g->sides);
            add_triangle(g, b, b + g->sides, a + g->sides);
        }
    }
    for (uint32_t end = 0; g->shape->capped && end < 2; end++) {
        const uint32_t ring = end * g->sides * (g->rings - 1), middle = g->sides * g->rings + end;
        add_vertex(g, end ? tip : l->from);
        for (uint32_t s = 0; s < g->sides; s++) {
            const uint32_t a = ring + s, b = ring + (s + 1) % g->sides;
            add_triangle(g, end ? a : b, end ? b : a, middle);
        }
    }
}

/* A place on a limb, or in it, and a direction away from it. */
static void sprout(grower *g, const limb *l, double from[3], double along[3], double lean) {
    const double part = between(g, 0.25, 0.98), angle = between(g, 0, 6.283);
    double u[3], v[3], out[3];
    middle_at(from, l, part);
    sides_of(u, v, l->along);
    for (int k = 0; k < 3; k++)
        out[k] = cos(angle) * u[k] + sin(angle) * v[k];
    for (int k = 0; k < 3; k++) {
        from[k] += (g->shape->buried ? 0 : radius_at(l, part)) * out[k] + g->shape->gap * out[k];
        along[k] = out[k] + lean * l->along[k];
    }
    normalize(along);
}

static void add_limbs(grower *g, uint32_t parent, uint32_t level) {
    for (uint32_t i = 0; i < g->shape->children[level - 1]; i++) {
        const limb on = g->limbs[parent];
        limb l = {.length = lengths[level] * between(g, 0.7, 1.2), .radius = radii[level]};
        sprout(g, &on, l.from, l.along, between(g, 0.2, 0.9));
        l.bend[1] = between(g, -0.1, 0.25);
        add_limb(g, parent, &l);
    }
}

static void add_leaves(grower *g, uint32_t parent, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        double from[3], along[3], u[3], v[3], tip[3];
        const double length = between(g, 0.07, 0.14), width = length * between(g, 0.3, 0.5);
        sprout(g, &g->limbs[parent], from, along, between(g, 0, 0.6));
        sides_of(u, v, along);
        for (int k = 0; k < 3; k++)
            tip[k] = from[k] + length * along[k];
        for (int card = 0; card < (g->shape->crossed ? 2 : 1); card++) {
            const double *side = card ? v : u;
            begin(g, parent, from, tip);
            for (int corner = 0; corner < 4; corner++) {
                double q[3];
                for (int k = 0; k < 3; k++)
                    q[k] = (corner < 2 ? from : tip)[k] + (corner % 2 ? 0.5 : -0.5) * width * side[k];
                add_vertex(g, q);
            }
            add_triangle(g, 0, 1, 2);
            add_triangle(g, 1, 3, 2);
        }
    }
}

void plant_grow(plant *p, const plant_shape *shape) {
    grower g = {.p = p,
                .shape = shape,
                .state = shape->seed,
                .sides = shape->coarse ? 4 : SIDES,
                .rings = shape->coarse ? 3 : RINGS};
    memset(p, 0, sizeof *p);
    size_t limbs = 1, all = 1, leaves;
    for (uint32_t l = 1; l < shape->levels; l++)
        all += limbs *= shape->children[l - 1];
    leaves = limbs * shape->children[shape->levels - 1] * (shape->crossed ? 2 : 1);
    const size_t most = all + leaves;
    p->parents = block(p, most, sizeof *p->parents);
    p->pivots = block(p, most, sizeof *p->pivots);
    p->tips = block(p, most, sizeof *p->tips);
    p->first = block(p, most + 1, sizeof *p->first);
    p->first_index = block(p, most + 1, sizeof *p->first_index);
    p->positions = block(p, all * LIMB_VERTICES + 4 * leaves, 3 * sizeof(float));
    p->normals = block(p, all * LIMB_VERTICES + 4 * leaves, 3 * sizeof(float));
    p->indices = block(p, all * (LIMB_INDICES + 6) + 6 * leaves, sizeof(uint32_t));
    g.limbs = block(p, all, sizeof *g.limbs);
    const limb trunk = {.along = {0, 1, 0}, .bend = {0.05, 0, 0.03}, .length = lengths[0], .radius = radii[0]};
    add_limb(&g, BW_NO_INDEX, &trunk);
    uint32_t first = 0, end = 1;
    for (uint32_t l = 1; l < shape->levels; l++) {
        for (uint32_t i = first; i < end; i++)
            add_limbs(&g, i, l);
        first = end;
        end = p->count;
    }
    p->limb_count = p->count;
    for (uint32_t i = first; i < end; i++)
        add_leaves(&g, i, shape->children[shape->levels - 1]);
    p->first[p->count] = g.vertex_count;
    p->first_index[p->count] = g.index_count;
}

static void fill_node(bw_node *n, const char *name, uint32_t parent, uint32_t mesh) {
    *n = (bw_node){.name = name, .parent = parent, .mesh = mesh, .skin = BW_NO_INDEX, .in_scene = true};
    n->rotation[3] = 1;
    n->scale[0] = n->scale[1] = n->scale[2] = 1;
}

static void begin_scene(plant *p, uint32_t nodes) {
    p->scene = (bw_scene){.path = "plant.glb", .format = "glb", .generator = ""};
    p->scene.nodes.count = p->scene.node_order.count = p->scene.meshes.count = nodes;
    uint32_t *order = block(p, nodes, sizeof *order);
    for (uint32_t i = 0; i < nodes; i++)
        order[i] = i;
    p->scene.node_order.data = order;
}

static void fill_mesh(bw_mesh *mesh, bw_primitive *primitive, uint32_t material, uint32_t vertex_count,
                      const float *positions, const float *normals, const uint32_t *indices, size_t index_count) {
    *primitive =
        (bw_primitive){.material = material, .vertex_count = vertex_count, .positions = positions, .normals = normals};
    primitive->indices = (bw_index_list){indices, index_count};
    *mesh = (bw_mesh){.name = "mesh"};
    mesh->primitives.data = primitive;
    mesh->primitives.count = 1;
}

void plant_as_nodes(plant *p, const char *ending) {
    begin_scene(p, p->count);
    bw_node *nodes = block(p, p->count, sizeof *nodes);
    bw_mesh *meshes = block(p, p->count, sizeof *meshes);
    bw_primitive *primitives = block(p, p->count, sizeof *primitives);
    char(*names)[24] = block(p, p->count, sizeof *names);
    float *local = block(p, p->first[p->count], 3 * sizeof *local);
    for (uint32_t i = 0; i < p->count; i++) {
        const uint32_t parent = p->parents[i];
        snprintf(names[i], sizeof *names, "%u%s", i, ending);
        fill_node(&nodes[i], names[i], parent, i);
        for (uint32_t k = 0; k < 3; k++) {
            nodes[i].translation[k] = (float)(p->pivots[i][k] - (parent == BW_NO_INDEX ? 0 : p->pivots[parent][k]));
            for (uint32_t v = p->first[i]; v < p->first[i + 1]; v++)
                local[3 * v + k] = (float)((double)p->positions[3 * v + k] - p->pivots[i][k]);
        }
        fill_mesh(&meshes[i], &primitives[i], BW_NO_INDEX, p->first[i + 1] - p->first[i], local + 3 * p->first[i],
                  p->normals + 3 * p->first[i], p->indices + p->first_index[i],
                  p->first_index[i + 1] - p->first_index[i]);
    }
    p->scene.nodes.data = nodes;
    p->scene.meshes.data = meshes;
}

void plant_flattened(plant *p) {
    static const bw_material materials[2] = {{"bark", "{}"}, {"leaves", "{}"}};
    const bool leafless = p->limb_count == p->count;
    begin_scene(p, leafless ? 1 : 2);
    bw_node *nodes = block(p, 2, sizeof *nodes);
    bw_mesh *meshes = block(p, 2, sizeof *meshes);
    bw_primitive *primitives = block(p, 2, sizeof *primitives);
    uint32_t *indices = block(p, p->first_index[p->count], sizeof *indices);
    const uint32_t bounds[3] = {0, p->limb_count, p->count};
    for (uint32_t m = 0; m < 2; m++) {
        for (uint32_t i = bounds[m]; i < bounds[m + 1]; i++) {
            for (uint32_t k = p->first_index[i]; k < p->first_index[i + 1]; k++)
                indices[k] = p->indices[k] + p->first[i] - p->first[bounds[m]];
        }
        const uint32_t v = p->first[bounds[m]], k = p->first_index[bounds[m]];
        fill_node(&nodes[m], materials[m].name, BW_NO_INDEX, m);
        fill_mesh(&meshes[m], &primitives[m], m, p->first[bounds[m + 1]] - v, p->positions + 3 * v, p->normals + 3 * v,
                  indices + k, p->first_index[bounds[m + 1]] - k);
    }
    p->scene.nodes.data = nodes;
    p->scene.meshes.data = meshes;
    p->scene.materials.data = materials;
    p->scene.materials.count = 2;
}

void plant_free(plant *p) {
    for (uint32_t i = 0; i < p->block_count; i++)
        free(p->blocks[i]);
    memset(p, 0, sizeof *p);
}
