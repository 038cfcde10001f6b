/* SPDX-License-Identifier: MIT
 * Finding elements in meshes of any bytes: each has a triangle and a name of its own, its parents end in a root, its numbers are finite, its
 * axes unit; two threads find the same. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pivot/pivot_priv.h"

enum { NODES = 6, MOST = 1024 };

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "pivot_find_fuzz: %s\n", what);
        abort();
    }
}

typedef struct input {
    const uint8_t *data;
    size_t size;
} input;

static uint8_t take(input *in) {
    if (in->size == 0)
        return 0;
    in->size--;
    return *in->data++;
}

/* Mostly on a lattice, so that places coincide and triangles have no area; sometimes tiny or huge. */
static float take_float(input *in) {
    const uint8_t code = take(in);
    static const float scales[4] = {1.0f, 1.0f, 1e-6f, 1e12f};
    return (float)((int)(code & 63) - 32) * scales[code >> 6];
}

static const char *const names[NODES] = {"a", "a", "b/0", "b", "a.1", ""};
static float positions[NODES][3 * MOST], normals[3 * MOST];
static uint32_t indices[NODES][MOST];
static bw_node nodes[NODES];
static bw_mesh meshes[NODES];
static bw_primitive primitives[NODES];
static const uint32_t order[NODES] = {0, 1, 2, 3, 4, 5};

static void fill_scene(bw_scene *scene, input *in) {
    *scene = (bw_scene){.path = "fuzz", .format = "glb", .generator = ""};
    const uint32_t count = 1 + take(in) % NODES;
    for (uint32_t n = 0; n < count; n++) {
        bw_node *node = &nodes[n];
        *node = (bw_node){.name = names[n],
                          .parent = n ? take(in) % (n + 1) - 1u : BW_NO_INDEX,
                          .mesh = n,
                          .skin = BW_NO_INDEX,
                          .in_scene = true};
        node->rotation[3] = 1;
        for (int k = 0; k < 3; k++) {
            node->translation[k] = take_float(in);
            node->scale[k] = (float)(int8_t)take(in) / 16;
        }
        const uint32_t vertices = 3 + take(in) % 60, triangles = 1 + take(in) % 40;
        for (uint32_t i = 0; i < 3 * vertices; i++)
            positions[n][i] = take_float(in);
        for (uint32_t i = 0; i < 3 * triangles; i++)
            indices[n][i] = take(in) % vertices;
        primitives[n] = (bw_primitive){
            .material = BW_NO_INDEX, .vertex_count = vertices, .positions = positions[n], .normals = normals};
        primitives[n].indices = (bw_index_list){indices[n], 3 * triangles};
        meshes[n] = (bw_mesh){.name = "mesh"};
        meshes[n].primitives.data = &primitives[n];
        meshes[n].primitives.count = 1;
    }
    scene->nodes.data = nodes;
    scene->meshes.data = meshes;
    scene->node_order.data = order;
    scene->nodes.count = scene->meshes.count = scene->node_order.count = count;
}

static bw_result find(bw_pivot_plan **plan, const bw_scene *scene, const bw_pivot_opts *opts, uint32_t threads) {
    bwi_mem mem;
    bw_error error = {0};
    bwi_mem_init(&mem, UINT64_C(1) << 28);
    const bwi_env env = {&mem, threads, NULL};
    const bw_result result = bwi_pivot_find(plan, scene, opts, &env, NULL, &error);
    check(error.result == result && (result == BW_OK) == !error.message[0], "failed without a message, or the reverse");
    check(result == BW_OK || mem.used == 0, "memory is held");
    return result;
}

static void check_plan(const bw_pivot_plan *plan, const bw_pivot_opts *opts) {
    const uint32_t count = (uint32_t)plan->elements.count;
    uint32_t *depths = calloc(count, sizeof *depths);
    uint8_t *used = calloc(count, 1);
    check(depths && used && count > 0, "no element");
    check(bwi_pivot_depths(depths, plan->elements.data, count) == BW_NO_INDEX, "a circle");
    for (size_t k = 0; k < plan->primitives.count; k++) {
        const bw_pivot_primitive *p = &plan->primitives.data[k];
        for (size_t i = 0; i < p->indices.count; i++) {
            check(p->indices.data[i] - p->first_vertex < p->vertex_count, "an index outside of its primitive");
            check(plan->vertex_elements[p->indices.data[i]] == plan->vertex_elements[p->indices.data[i - i % 3]],
                  "a triangle of two elements");
            used[plan->vertex_elements[p->indices.data[i]]] = 1;
        }
    }
    for (uint32_t e = 0; e < count; e++) {
        const bw_pivot_element *x = &plan->elements.data[e];
        check(used[e], "an element without a triangle");
        check(!opts->max_depth || depths[e] < opts->max_depth, "too deep");
        check(x->confidence >= 0 && x->confidence <= 1 && x->distance >= 0, "a confidence out of range");
        for (uint32_t other = 0; other < e; other++)
            check(strcmp(x->name, plan->elements.data[other].name) != 0, "a name twice");
        for (int k = 0; k < 3; k++) {
            const double *a = x->axes[k];
            check(isfinite(x->pivot[k]) && isfinite(x->extents[k]) && x->extents[k] >= 0,
                  "numbers that are not finite");
            check(fabs(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] - 1) < 1e-9, "an axis that is not unit");
        }
    }
    check(!opts->max_elements || count <= opts->max_elements, "too many");
    free(depths);
    free(used);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    bw_scene scene;
    const uint8_t flags = take(&in);
    bw_pivot_opts opts = {.elements = (bw_pivot_elements)(flags % 6 == BW_PIVOT_ELEMENTS_JOINTS ? 0 : flags % 6),
                          .axis = (bw_pivot_axis)(take(&in) % 8),
                          .extent = (bw_pivot_extent)(take(&in) % 3),
                          .max_depth = take(&in) % 5,
                          .max_elements = take(&in) % 9};
    opts.tolerance = (bw_length){(double)(flags >> 5) / 64, flags & 8 ? BW_LENGTH_METRE : BW_LENGTH_RELATIVE};
    opts.max_distance = (bw_length){(double)take(&in) / 16, flags & 16 ? BW_LENGTH_METRE : BW_LENGTH_RELATIVE};
    fill_scene(&scene, &in);
    bw_pivot_plan *one = NULL, *two = NULL;
    if (find(&one, &scene, &opts, 1) != BW_OK)
        return 0;
    check_plan(one, &opts);
    check(find(&two, &scene, &opts, 2) == BW_OK && one->elements.count == two->elements.count, "threads find others");
    for (size_t e = 0; e < one->elements.count; e++) {
        const bw_pivot_element *x = &one->elements.data[e], *y = &two->elements.data[e];
        check(x->parent == y->parent && memcmp(x->pivot, y->pivot, sizeof x->pivot) == 0 &&
                  memcmp(x->axes, y->axes, sizeof x->axes) == 0,
              "threads find others");
    }
    bwi_pivot_plan_free(one);
    bwi_pivot_plan_free(two);
    return 0;
}
