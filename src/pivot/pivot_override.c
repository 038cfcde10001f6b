/* SPDX-License-Identifier: MIT
 * The override file: parents, pivots and axes that the user knows better.
 *   {"leaves/12": {"parent": "bark/3", "pivot": [0.2, 1.5, 0], "axis": [0, 1, 0]}, "bark/9": {"parent": null}}
 * Members may be left out; null makes a root; pivots are in metres, both are in glTF's axes, in the place where the scene stands. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "pivot/pivot_priv.h"

typedef struct reader {
    bwi_pivot_work *work;
    const char *path;
    bwi_pivot_names names;
    bool *has_pivot; /* [elements] */
    bool *has_parent;
} reader;

static bw_result fail_name(const reader *r, const char *element, const char *name) {
    char text[512];
    bwi_pivot_list_names(text, sizeof text, r->work, name);
    if (element)
        return bwi_fail(r->work->error, BW_ERR_MALFORMED, r->path, -1,
                        "%.80s: parent %.80s is no element; there are %s", element, name, text);
    return bwi_fail(r->work->error, BW_ERR_MALFORMED, r->path, -1, "%.80s is no element; there are %s", name, text);
}

static bw_result read_parent(const reader *r, uint32_t element, const json_t *value) {
    bw_pivot_element *e = &r->work->elements[element];
    uint32_t parent = BW_NO_INDEX;
    if (!json_is_null(value)) {
        if (!json_is_string(value))
            return bwi_fail(r->work->error, BW_ERR_MALFORMED, r->path, -1,
                            "%.80s: parent is neither the name of an element nor null, which makes a root", e->name);
        parent = bwi_pivot_names_find(&r->names, r->work, json_string_value(value));
        if (parent == BW_NO_INDEX)
            return fail_name(r, e->name, json_string_value(value));
    }
    e->parent = parent;
    e->found = BW_PIVOT_FOUND_GIVEN;
    e->confidence = 1;
    e->distance = 0;
    r->has_parent[element] = true;
    return BW_OK;
}

static bw_result read_vector(double out[3], const reader *r, uint32_t element, const char *key, const json_t *value) {
    double v[3] = {0, 0, 0};
    bool good = json_array_size(value) == 3;
    for (size_t k = 0; good && k < 3; k++) {
        const json_t *item = json_array_get(value, k);
        v[k] = json_number_value(item);
        good = json_is_number(item) && fabs(v[k]) <= (double)FLT_MAX;
    }
    if (!good)
        return bwi_fail(r->work->error, BW_ERR_MALFORMED, r->path, -1, "%.80s: %s is not three numbers, [x, y, z]",
                        r->work->elements[element].name, key);
    memcpy(out, v, sizeof v);
    return BW_OK;
}

static bw_result read_axis(const reader *r, uint32_t element, const json_t *value) {
    bw_pivot_element *e = &r->work->elements[element];
    double v[3] = {0};
    bw_result result = read_vector(v, r, element, "axis", value);
    if (result != BW_OK)
        return result;
    const double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(most > 0))
        return bwi_fail(r->work->error, BW_ERR_MALFORMED, r->path, -1,
                        "%.80s: axis [0, 0, 0] has no direction; give one along the element", e->name);
    const bwi_vec3 x = bwi_vec3_normalize((bwi_vec3){v[0] / most, v[1] / most, v[2] / most});
    memset(e->axes, 0, sizeof e->axes);
    e->axes[0][0] = x.x;
    e->axes[0][1] = x.y;
    e->axes[0][2] = x.z;
    return BW_OK;
}

static bw_result read_element(const reader *r, uint32_t element, json_t *members) {
    const char *name = r->work->elements[element].name, *key;
    json_t *value;
    bw_result result = BW_OK;
    if (!json_is_object(members))
        return bwi_fail(
            r->work->error, BW_ERR_MALFORMED, r->path, -1,
            "%.80s is not an object; write {\"parent\": …, \"pivot\": […], \"axis\": […]}, each where it is "
            "wanted",
            name);
    json_object_foreach(members, key, value) {
        if (result != BW_OK)
            break;
        if (strcmp(key, "parent") == 0) {
            result = read_parent(r, element, value);
        } else if (strcmp(key, "pivot") == 0) {
            result = read_vector(r->work->elements[element].pivot, r, element, key, value);
            r->has_pivot[element] = true;
        } else if (strcmp(key, "axis") == 0) {
            result = read_axis(r, element, value);
        } else {
            result = bwi_fail(r->work->error, BW_ERR_MALFORMED, r->path, -1,
                              "%.80s: %.80s is not known; an element has parent, pivot and axis", name, key);
        }
    }
    return result;
}

static bw_result check_circles(const reader *r) {
    const bwi_pivot_work *work = r->work;
    uint32_t *depths = bwi_pivot_alloc(work, work->element_count, sizeof *depths);
    if (!depths)
        return BW_ERR_MEMORY;
    const uint32_t circle = bwi_pivot_depths(depths, work->elements, work->element_count);
    if (circle == BW_NO_INDEX)
        return BW_OK;
    uint32_t named = circle; /* one that this file put there, not one that only hangs below */
    while (!r->has_parent[named])
        named = work->elements[named].parent;
    return bwi_fail(work->error, BW_ERR_MALFORMED, r->path, -1,
                    "%.80s: parent %.80s grows from it in the end, so that neither has a root; give one of them "
                    "another parent",
                    work->elements[named].name, work->elements[work->elements[named].parent].name);
}

static bw_result read_elements(reader *r, json_t *root) {
    bwi_pivot_work *work = r->work;
    const char *name;
    json_t *members;
    if (!json_is_object(root))
        return bwi_fail(work->error, BW_ERR_MALFORMED, r->path, -1,
                        "the file is not an object of elements; write {\"name\": {\"parent\": …}, …}");
    bw_result result = bwi_pivot_names_build(&r->names, work);
    json_object_foreach(root, name, members) {
        if (result != BW_OK)
            break;
        const uint32_t element = bwi_pivot_names_find(&r->names, work, name);
        result = element == BW_NO_INDEX ? fail_name(r, NULL, name) : read_element(r, element, members);
    }
    if (result == BW_OK)
        result = check_circles(r);
    for (uint32_t e = 0; result == BW_OK && e < work->element_count; e++) {
        if (r->has_parent[e] && !r->has_pivot[e])
            bwi_pivot_hang(work, e);
    }
    return result;
}

bw_result bwi_pivot_override_text(bwi_pivot_work *work, const char *text, size_t size, const char *path) {
    reader r = {.work = work, .path = path};
    json_t *root = NULL;
    r.has_pivot = bwi_pivot_alloc(work, work->element_count, sizeof *r.has_pivot);
    r.has_parent = r.has_pivot ? bwi_pivot_alloc(work, work->element_count, sizeof *r.has_parent) : NULL;
    if (!r.has_parent)
        return BW_ERR_MEMORY;
    bw_result result = bwi_json_parse(&root, text, size, work->env->mem, path, work->error);
    if (result == BW_OK)
        result = read_elements(&r, root);
    json_decref(root);
    return result;
}

bw_result bwi_pivot_override(bwi_pivot_work *work) {
    bwi_map map = {0};
    if (!work->opts->override_file)
        return BW_OK;
    bw_result result = bwi_map_open(&map, work->opts->override_file, work->env->mem, work->error);
    if (result == BW_OK)
        result = bwi_pivot_override_text(work, (const char *)map.data, map.size, work->opts->override_file);
    bwi_map_close(&map);
    return result;
}
