/* SPDX-License-Identifier: MIT
 * Texels of elements: one row of a table for each quantity that RGB or alpha can hold.  Source: docs/FORMATS.md. */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "format.h"
#include "pivot/pivot.h"

#define CM_A_METRE 100.0
#define HALF_MOST 65504.0

/* Ranges that an element's vertices take: in the world, and along its own axes. */
typedef struct bwi_pivot_box {
    double world_min[3], world_max[3]; /* glTF space, metres */
    double own_min[3], own_max[3];
} bwi_pivot_box;

static double length_of(const bwi_pivot_box *box, int axis) {
    return box->own_max[axis] - box->own_min[axis];
}

static void grow(double *min, double *max, double value) {
    *min = value < *min ? value : *min;
    *max = value > *max ? value : *max;
}

static void measure_boxes(bwi_pivot_box *boxes, const bw_pivot_element *elements, const bw_pivot_plan *plan) {
    for (size_t e = 0; e < plan->elements.count; e++) {
        for (int k = 0; k < 3; k++) {
            boxes[e].world_min[k] = boxes[e].own_min[k] = INFINITY;
            boxes[e].world_max[k] = boxes[e].own_max[k] = -INFINITY;
        }
    }
    for (size_t v = 0; v < plan->vertex_count; v++) {
        const bw_pivot_element *element = &elements[plan->vertex_elements[v]];
        bwi_pivot_box *box = &boxes[plan->vertex_elements[v]];
        const float *p = plan->positions + 3 * v;
        for (int k = 0; k < 3; k++) {
            const double *axis = element->axes[k];
            grow(&box->world_min[k], &box->world_max[k], (double)p[k]);
            grow(&box->own_min[k], &box->own_max[k],
                 (double)p[0] * axis[0] + (double)p[1] * axis[1] + (double)p[2] * axis[2]);
        }
    }
}

bw_result bwi_pivot_sheet_make(bwi_pivot_sheet *sheet, bwi_arena *arena, const bw_pivot_plan *plan,
                               const bwi_pivot_order *order, const bw_pivot_opts *opts, bw_error *error) {
    const size_t count = plan->elements.count;
    bw_pivot_element *elements = bwi_arena_alloc(arena, count, sizeof *elements);
    bwi_pivot_box *boxes = bwi_arena_alloc(arena, count, sizeof *boxes);
    bwi_arena *scratch = bwi_arena_create(bwi_arena_mem(arena));
    bw_result result = elements && boxes && scratch
                           ? BW_OK
                           : bwi_fail_memory(error, NULL, bwi_arena_mem(arena), count * sizeof *boxes);
    if (result == BW_OK) {
        memcpy(elements, plan->elements.data, count * sizeof *elements);
        result = bwi_pivot_shape(elements, plan, opts->extent ? opts->extent : BW_PIVOT_EXTENT_TIP, scratch, error);
    }
    bwi_arena_free(scratch);
    if (result != BW_OK)
        return result;
    measure_boxes(boxes, elements, plan);
    sheet->plan = plan;
    sheet->elements = elements;
    sheet->order = order;
    sheet->boxes = boxes;
    sheet->space = bwi_engine_space(opts->engine ? opts->engine : BW_ENGINE_UNREAL);
    for (size_t e = 0; e < count; e++) {
        for (int k = 0; k < 3; k++) {
            const double far = fabs(elements[e].pivot[k]) * (double)sheet->space->scale;
            if (far > HALF_MOST)
                return bwi_fail(error, BW_ERR_TOO_LARGE, NULL, -1,
                                "element '%s' has its pivot %g m from the origin, and a half holds %g m; move the tree "
                                "to the origin, or see to its units",
                                elements[e].name, fabs(elements[e].pivot[k]), HALF_MOST / (double)sheet->space->scale);
        }
    }
    return bwi_pivot_layout_make(&sheet->layout, order->count, opts->width, error);
}

/* ---- what texels hold ---- */

static void put_point(double out[3], const bwi_pivot_sheet *sheet, const double gltf[3]) {
    const bwi_vec3 p = bwi_space_map_point(gltf, sheet->space);
    out[0] = p.x, out[1] = p.y, out[2] = p.z;
}

/* Values of a channel.  In: axis — 0, 1, 2 of the element's own, where the row has one. */
typedef void (*rgb_fn)(double out[3], const bwi_pivot_sheet *sheet, uint32_t element, int axis);
typedef double (*alpha_fn)(const bwi_pivot_sheet *sheet, uint32_t texel, int axis);

static void rgb_pivot(double out[3], const bwi_pivot_sheet *sheet, uint32_t element, int axis) {
    (void)axis;
    put_point(out, sheet, sheet->elements[element].pivot);
}

static void rgb_origin(double out[3], const bwi_pivot_sheet *sheet, uint32_t element, int axis) {
    (void)axis;
    const bwi_pivot_box *box = &sheet->boxes[element];
    double middle[3];
    for (int k = 0; k < 3; k++)
        middle[k] = 0.5 * (box->world_min[k] + box->world_max[k]);
    put_point(out, sheet, middle);
}

static void rgb_extents(double out[3], const bwi_pivot_sheet *sheet, uint32_t element, int axis) {
    (void)axis;
    for (int k = 0; k < 3; k++)
        out[k] = length_of(&sheet->boxes[element], k) * (double)sheet->space->scale;
}

static void rgb_axis(double out[3], const bwi_pivot_sheet *sheet, uint32_t element, int axis) {
    const bwi_vec3 d = bwi_space_map_direction(sheet->elements[element].axes[axis], sheet->space);
    out[0] = d.x, out[1] = d.y, out[2] = d.z;
}

typedef struct rgb_row {
    bool half;
    rgb_fn value;
    int axis;
} rgb_row;
static const rgb_row rgbs[BWI_PIVOT_RGB_COUNT] = {
    [BWI_PIVOT_RGB_PIVOT] = {true, rgb_pivot, 0},     [BWI_PIVOT_RGB_ORIGIN] = {true, rgb_origin, 0},
    [BWI_PIVOT_RGB_EXTENTS] = {true, rgb_extents, 0}, [BWI_PIVOT_RGB_X_AXIS] = {false, rgb_axis, 0},
    [BWI_PIVOT_RGB_Y_AXIS] = {false, rgb_axis, 1},    [BWI_PIVOT_RGB_Z_AXIS] = {false, rgb_axis, 2},
};

/* A number in [0, 1) of each texel, the same in every bake.  Finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
static double random_of(uint32_t texel) {
    uint64_t x = (texel + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

static double alpha_number(const bwi_pivot_sheet *sheet, uint32_t texel, int axis) {
    (void)axis;
    return sheet->order->parents[texel];
}

static double alpha_steps(const bwi_pivot_sheet *sheet, uint32_t texel, int axis) {
    (void)axis;
    return sheet->order->depths[texel];
}

static double alpha_level(const bwi_pivot_sheet *sheet, uint32_t texel, int axis) {
    (void)axis;
    const uint32_t most = sheet->order->max_depth - 1;
    return most ? (double)sheet->order->depths[texel] / most : 0;
}

static double alpha_random(const bwi_pivot_sheet *sheet, uint32_t texel, int axis) {
    (void)sheet, (void)axis;
    return random_of(texel);
}

static double alpha_length(const bwi_pivot_sheet *sheet, uint32_t texel, int axis) {
    return length_of(&sheet->boxes[sheet->order->elements[texel]], axis) * (double)sheet->space->scale;
}

static double alpha_diameter(const bwi_pivot_sheet *sheet, uint32_t texel, int axis) {
    (void)axis;
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += alpha_length(sheet, texel, k) * alpha_length(sheet, texel, k);
    return bwi_sqrt(square);
}

/* Centimetres, in every space. */
static double alpha_extent(const bwi_pivot_sheet *sheet, uint32_t texel, int axis) {
    return sheet->elements[sheet->order->elements[texel]].extents[axis] * CM_A_METRE;
}

/* Where a quantity can stand, and how its value becomes a half or a byte. */
typedef struct alpha_row {
    bool half;
    uint8_t (*byte)(double value); /* NULL: bytes do not hold it */
    alpha_fn value;                /* NULL: an index, packed: the parent's, or with a bias the element's own */
    int axis;
    uint32_t bias; /* of an index */
    uint32_t most; /* elements that it can count; 0: any */
} alpha_row;
static const alpha_row alphas[BWI_PIVOT_ALPHA_COUNT] = {
    [BWI_PIVOT_ALPHA_PARENT] = {true, NULL, NULL, 0, 0, 0},
    [BWI_PIVOT_ALPHA_PARENT_NUMBER] = {true, NULL, alpha_number, 0, 0,
                                       2049}, /* halves hold each whole number to 2048 */
    [BWI_PIVOT_ALPHA_STEPS] = {true, NULL, alpha_steps, 0, 0, 0},
    [BWI_PIVOT_ALPHA_DIAMETER] = {true, NULL, alpha_diameter, 0, 0, 0},
    [BWI_PIVOT_ALPHA_ORDER] = {true, NULL, NULL, 0, 1, BW_PIVOT_INDEX_COUNT - 1},
    [BWI_PIVOT_ALPHA_X_WIDTH] = {true, NULL, alpha_length, 0, 0, 0},
    [BWI_PIVOT_ALPHA_Y_DEPTH] = {true, NULL, alpha_length, 1, 0, 0},
    [BWI_PIVOT_ALPHA_Z_HEIGHT] = {true, NULL, alpha_length, 2, 0, 0},
    [BWI_PIVOT_ALPHA_RANDOM] = {true, bwi_pivot_pack_unit, alpha_random, 0, 0, 0},
    [BWI_PIVOT_ALPHA_LEVEL] = {true, bwi_pivot_pack_unit, alpha_level, 0, 0, 0},
    [BWI_PIVOT_ALPHA_X_EXTENT] = {false, bwi_pivot_pack_extent, alpha_extent, 0, 0, 0},
    [BWI_PIVOT_ALPHA_Y_EXTENT] = {false, bwi_pivot_pack_extent, alpha_extent, 1, 0, 0},
    [BWI_PIVOT_ALPHA_Z_EXTENT] = {false, bwi_pivot_pack_extent, alpha_extent, 2, 0, 0},
};

bw_vat_format bwi_pivot_format(bwi_pivot_pair pair) {
    return rgbs[pair.rgb].half ? BW_VAT_FORMAT_EXR16 : BW_VAT_FORMAT_PNG8;
}

static void find_rgb_value(double out[3], const bwi_pivot_sheet *sheet, bwi_pivot_rgb rgb, uint32_t texel) {
    rgbs[rgb].value(out, sheet, sheet->order->elements[texel], rgbs[rgb].axis);
}

static void encode_half(uint16_t out[4], const bwi_pivot_sheet *sheet, bwi_pivot_pair pair, uint32_t texel) {
    const alpha_row *alpha = &alphas[pair.alpha];
    double rgb[3];
    find_rgb_value(rgb, sheet, pair.rgb, texel);
    for (int k = 0; k < 3; k++)
        out[k] = bwi_half_from_float((float)(rgb[k] + 0.0)); /* −0 is 0 */
    out[3] = alpha->value ? bwi_half_from_float((float)alpha->value(sheet, texel, alpha->axis))
                          : bwi_pivot_pack_index((alpha->bias ? texel : sheet->order->parents[texel]) + alpha->bias);
}

static void encode_byte(uint8_t out[4], const bwi_pivot_sheet *sheet, bwi_pivot_pair pair, uint32_t texel) {
    const alpha_row *alpha = &alphas[pair.alpha];
    double rgb[3];
    find_rgb_value(rgb, sheet, pair.rgb, texel);
    for (int k = 0; k < 3; k++)
        out[k] = bwi_pivot_pack_signed(rgb[k]);
    out[3] = alpha->byte(alpha->value(sheet, texel, alpha->axis));
}

void bwi_pivot_encode(const bwi_texels *texels, const bwi_pivot_sheet *sheet, bwi_pivot_pair pair) {
    const size_t size = bwi_texel_size(texels->type);
    memset(texels->data, 0, (size_t)texels->width * texels->height * size);
    for (uint32_t texel = 0; texel < sheet->order->count; texel++) {
        if (rgbs[pair.rgb].half)
            encode_half((uint16_t *)texels->data + 4 * (size_t)texel, sheet, pair, texel);
        else
            encode_byte((uint8_t *)texels->data + 4 * (size_t)texel, sheet, pair, texel);
    }
}

/* ---- which textures ---- */

static bool find_rgb(bwi_pivot_rgb *rgb, const char *name) {
    for (int k = 0; k < BWI_PIVOT_RGB_COUNT; k++) {
        *rgb = (bwi_pivot_rgb)k;
        if (strcmp(bwi_pivot_rgb_name(*rgb), name) == 0)
            return true;
    }
    return false;
}

static bool find_alpha(bwi_pivot_alpha *alpha, const char *name) {
    for (int k = 0; k < BWI_PIVOT_ALPHA_COUNT; k++) {
        *alpha = (bwi_pivot_alpha)k;
        if (strcmp(bwi_pivot_alpha_name(*alpha), name) == 0)
            return true;
    }
    return false;
}

static bw_result find_pair(bwi_pivot_pair *pair, const char *rgb, const char *alpha, uint32_t element_count,
                           bw_error *error) {
    if (!find_rgb(&pair->rgb, rgb))
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--rgb=%.64s is none of pivot, origin, extents, x-axis, y-axis and z-axis; give one of them",
                        rgb);
    if (!find_alpha(&pair->alpha, alpha))
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--alpha=%.64s is none of parent, parent-number, steps, random, diameter, order, level, "
                        "x-width, y-depth, z-height, x-extent, y-extent and z-extent; give one of them",
                        alpha);
    const alpha_row *row = &alphas[pair->alpha];
    if (rgbs[pair->rgb].half ? !row->half : !row->byte)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--rgb=%s takes %s, and --alpha=%s %s: one texture cannot hold both; put them in two", rgb,
                        rgbs[pair->rgb].half ? "halves" : "bytes", alpha, row->half ? "halves" : "bytes");
    if (row->most && element_count > row->most)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--alpha=%s counts to %u elements, and there are %u; use --alpha=parent, or join some with "
                        "--max-elements",
                        alpha, row->most, element_count);
    return BW_OK;
}

bw_result bwi_pivot_pairs(const bwi_pivot_pair **pairs, size_t *count, bwi_arena *arena, const bw_pivot_opts *opts,
                          uint32_t element_count, bw_error *error) {
    if (opts->rgb.count != opts->alpha.count)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--rgb is given %zu times and --alpha %zu times; a texture needs one of each", opts->rgb.count,
                        opts->alpha.count);
    bwi_pivot_pair *list = bwi_arena_alloc(arena, opts->rgb.count, sizeof *list);
    if (!list)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), opts->rgb.count * sizeof *list);
    for (size_t k = 0; k < opts->rgb.count; k++) {
        bw_result result = find_pair(&list[k], opts->rgb.data[k], opts->alpha.data[k], element_count, error);
        for (size_t i = 0; result == BW_OK && i < k; i++) {
            if (list[i].rgb == list[k].rgb && list[i].alpha == list[k].alpha)
                result =
                    bwi_fail(error, BW_ERR_USAGE, NULL, -1, "--rgb=%s --alpha=%s is given twice; leave one of them out",
                             opts->rgb.data[k], opts->alpha.data[k]);
        }
        if (result != BW_OK)
            return result;
    }
    *pairs = list;
    *count = opts->rgb.count;
    return BW_OK;
}
