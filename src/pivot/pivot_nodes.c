/* SPDX-License-Identifier: MIT
 * Elements that the scene knows: nodes that show a mesh, their instances, joints of skins.  Parents are the nearest such nodes above. */
#include "pivot/pivot_priv.h"

/* A node that may be an element, or one of its instances. */
typedef struct candidate {
    uint32_t node, instance; /* instance: or BW_NO_INDEX */
    uint32_t element;        /* BW_NO_INDEX: it has no triangles */
    bwi_mat4 matrix;         /* its world at rest */
} candidate;

typedef struct finder {
    bwi_pivot_work *work;
    uint32_t *first; /* [nodes + 1] into candidates */
    candidate *candidates;
    bool joints;
} finder;

static uint32_t candidates_of(const finder *f, uint32_t node) {
    return f->first[node + 1] - f->first[node];
}

static bool goes_with_joint(const finder *f, const bwi_part *part) {
    return f->joints && part->skin != BW_NO_INDEX;
}

/* Nodes of parts, and in place of skinned ones the joints of their skins. */
static bw_result collect(finder *f) {
    bwi_pivot_work *work = f->work;
    const bw_scene *scene = work->scene;
    const size_t nodes = scene->nodes.count;
    f->first = bwi_pivot_alloc(work, nodes + 1, sizeof *f->first);
    bool *seen = f->first ? bwi_pivot_alloc(work, scene->skins.count, sizeof *seen) : NULL;
    if (!seen)
        return BW_ERR_MEMORY;
    uint32_t *counts = f->first + 1, total = 0;
    for (uint32_t p = 0; p < work->list->part_count; p++) {
        const bwi_part *part = &work->list->parts[p];
        const size_t instances = part->instance == BW_NO_INDEX ? 1 : scene->nodes.data[part->node].instances.count;
        if (!goes_with_joint(f, part)) {
            counts[part->node] = (uint32_t)instances;
        } else if (!seen[part->skin]) {
            const bw_index_list *joints = &scene->skins.data[part->skin].joints;
            seen[part->skin] = true;
            for (size_t j = 0; j < joints->count; j++)
                counts[joints->data[j]] += counts[joints->data[j]] == 0;
        }
    }
    for (uint32_t n = 0; n < nodes; n++)
        total += counts[n];
    f->candidates = bwi_pivot_alloc(work, total, sizeof *f->candidates);
    if (!f->candidates)
        return BW_ERR_MEMORY;
    uint32_t at = 0;
    for (uint32_t n = 0; n < nodes; n++) {
        const bw_node *node = &scene->nodes.data[n];
        const uint32_t count = counts[n];
        for (uint32_t i = 0; i < count; i++) {
            candidate *c = &f->candidates[at + i];
            *c = (candidate){
                n, node->skin == BW_NO_INDEX && node->instances.count > 0 ? i : BW_NO_INDEX, BW_NO_INDEX, {{0}}};
            for (int k = 0; k < 16; k++)
                c->matrix.m[k] = work->world[16 * (size_t)n + (size_t)k];
            if (c->instance != BW_NO_INDEX) {
                const bw_instance *copy = &node->instances.data[i];
                const float *t = copy->translation, *r = copy->rotation, *s = copy->scale;
                const bwi_mat4 local =
                    bwi_mat4_from_trs((bwi_vec3){(double)t[0], (double)t[1], (double)t[2]},
                                      (bwi_quat){(double)r[0], (double)r[1], (double)r[2], (double)r[3]},
                                      (bwi_vec3){(double)s[0], (double)s[1], (double)s[2]});
                c->matrix = bwi_mat4_mul(&c->matrix, &local);
            }
        }
        f->first[n] = at;
        at += count;
    }
    f->first[nodes] = at;
    return BW_OK;
}

/* The joint that holds most of a triangle: its weights summed over the corners; of equals the one that is first in the skin. */
static uint32_t joint_of(const bwi_pivot_work *work, uint32_t triangle) {
    const bwi_part *part = &work->list->parts[work->triangle_parts[triangle]];
    const bw_primitive *p = &work->scene->meshes.data[part->mesh].primitives.data[part->primitive];
    const uint32_t width = p->influence_count;
    uint32_t best = BW_NO_INDEX;
    double most = -1;
    for (uint32_t c = 0; c < 3; c++) {
        const size_t corner = part->source_vertices[work->triangles[triangle][c] - part->first_vertex];
        for (uint32_t j = 0; j < width; j++) {
            const uint32_t joint = p->joints[corner * width + j];
            double sum = 0;
            for (uint32_t d = 0; d < 3; d++) {
                const size_t other = part->source_vertices[work->triangles[triangle][d] - part->first_vertex];
                for (uint32_t k = 0; k < width; k++)
                    sum += p->joints[other * width + k] == joint ? (double)p->weights[other * width + k] : 0;
            }
            if (sum > most || (!(sum < most) && joint < best)) {
                most = sum;
                best = joint;
            }
        }
    }
    return work->scene->skins.data[part->skin].joints.data[best];
}

uint32_t bwi_pivot_node_of(const bwi_pivot_work *work, uint32_t triangle, bool joints) {
    const bwi_part *part = &work->list->parts[work->triangle_parts[triangle]];
    return joints && part->skin != BW_NO_INDEX ? joint_of(work, triangle) : part->node;
}

static uint32_t candidate_of(const finder *f, uint32_t triangle) {
    const bwi_part *part = &f->work->list->parts[f->work->triangle_parts[triangle]];
    return f->first[bwi_pivot_node_of(f->work, triangle, f->joints)] +
           (part->instance == BW_NO_INDEX ? 0 : part->instance);
}

/* For each node the nearest above it, or itself, that is an element. */
static bw_result find_owners(uint32_t **out, const finder *f) {
    const bw_scene *scene = f->work->scene;
    uint32_t *owners = bwi_pivot_alloc(f->work, scene->nodes.count, sizeof *owners);
    if (!owners)
        return BW_ERR_MEMORY;
    for (size_t k = 0; k < scene->node_order.count; k++) {
        const uint32_t n = scene->node_order.data[k], parent = scene->nodes.data[n].parent;
        owners[n] = parent == BW_NO_INDEX ? BW_NO_INDEX : owners[parent];
        for (uint32_t i = 0; i < candidates_of(f, n); i++)
            owners[n] = f->candidates[f->first[n] + i].element == BW_NO_INDEX ? owners[n] : n;
    }
    *out = owners;
    return BW_OK;
}

/* Of several instances the one whose pivot is nearest, since a child belongs to one. */
static uint32_t parent_of(const finder *f, const uint32_t *owners, const candidate *c) {
    const uint32_t above = f->work->scene->nodes.data[c->node].parent;
    const uint32_t owner = above == BW_NO_INDEX ? BW_NO_INDEX : owners[above];
    if (owner == BW_NO_INDEX)
        return BW_NO_INDEX;
    uint32_t best = BW_NO_INDEX;
    double least = 0;
    for (uint32_t i = 0; i < candidates_of(f, owner); i++) {
        const candidate *other = &f->candidates[f->first[owner] + i];
        double square = 0;
        for (int k = 12; k < 15; k++)
            square += (other->matrix.m[k] - c->matrix.m[k]) * (other->matrix.m[k] - c->matrix.m[k]);
        if (other->element != BW_NO_INDEX && (best == BW_NO_INDEX || square < least)) {
            best = other->element;
            least = square;
        }
    }
    return best;
}

static bwi_vec3 column(const bwi_mat4 *m, int k) {
    return bwi_vec3_normalize((bwi_vec3){m->m[4 * k], m->m[4 * k + 1], m->m[4 * k + 2]});
}

static void put(double out[3], bwi_vec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

/* x along the chosen axis, y in the plane of the next one: uneven scale and mirrors leave them unit, at right angles and right-handed. */
static void set_axes(bw_pivot_element *e, const bwi_mat4 *m, bw_pivot_axis axis) {
    if (axis == BW_PIVOT_AXIS_DEFAULT || axis == BW_PIVOT_AXIS_AUTO)
        return;
    const int along = (int)(axis - BW_PIVOT_AXIS_X) % 3;
    const bwi_vec3 x = bwi_vec3_scale(column(m, along), axis >= BW_PIVOT_AXIS_NEG_X ? -1.0 : 1.0);
    const bwi_vec3 next = column(m, (along + 1) % 3);
    const bwi_vec3 y = bwi_vec3_normalize(bwi_vec3_sub(next, bwi_vec3_scale(x, bwi_vec3_dot(x, next))));
    put(e->axes[0], x);
    put(e->axes[1], y);
    put(e->axes[2], bwi_vec3_cross(x, y));
}

static bw_result make_elements(finder *f, const uint32_t *owners, uint32_t count) {
    bwi_pivot_work *work = f->work;
    work->elements = bwi_pivot_alloc(work, count, sizeof *work->elements);
    if (!work->elements)
        return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < f->first[work->scene->nodes.count]; i++) {
        const candidate *c = &f->candidates[i];
        if (c->element == BW_NO_INDEX)
            continue;
        bw_pivot_element *e = &work->elements[c->element];
        e->name = work->scene->nodes.data[c->node].name;
        e->parent = parent_of(f, owners, c);
        e->confidence = 1;
        for (int k = 0; k < 3; k++)
            e->pivot[k] = c->matrix.m[12 + k];
        set_axes(e, &c->matrix, work->opts->axis);
    }
    work->element_count = count;
    return BW_OK;
}

bw_result bwi_pivot_find_nodes(bwi_pivot_work *work, bool joints) {
    finder f = {.work = work, .joints = joints};
    if (joints && work->scene->skins.count == 0)
        return bwi_fail(work->error, BW_ERR_USAGE, work->scene->path, -1,
                        "--elements=joints: the scene has no skin; choose nodes or parts");
    bw_result result = collect(&f);
    if (result != BW_OK)
        return result;
    const uint32_t total = f.first[work->scene->nodes.count];
    uint32_t count = 0, *owners;
    for (uint32_t t = 0; t < work->triangle_count; t++) {
        work->triangle_elements[t] = candidate_of(&f, t);
        f.candidates[work->triangle_elements[t]].element = 0;
    }
    for (uint32_t i = 0; i < total; i++) {
        if (f.candidates[i].element != BW_NO_INDEX)
            f.candidates[i].element = count++;
    }
    work->dropped_count = total - count;
    for (uint32_t t = 0; t < work->triangle_count; t++)
        work->triangle_elements[t] = f.candidates[work->triangle_elements[t]].element;
    result = find_owners(&owners, &f);
    return result == BW_OK ? make_elements(&f, owners, count) : result;
}
