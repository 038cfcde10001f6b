/* SPDX-License-Identifier: MIT
 * OpenVAT's layout: offsets from the rest pose in Blender's axes, all clips on one time line, a column a vertex.  Source: docs/FORMATS.md. */
#include <math.h>

#include "vat/vat_priv.h"

/* The widths that are tried where a row cannot hold every vertex. */
enum { LEAST_WRAPPED = 64, LARGEST_WRAPPED = 8192 };

/* Blender's (x, y, z) is glTF's (x, −z, y). */
static const bwi_space_map blender = {{"z", "right", "m"}, {0, 2, 1}, {1, -1, 1}, 1.0f};

const bwi_space_map *bwi_vat_space(const bwi_vat_settings *settings) {
    return settings->layout == BW_VAT_LAYOUT_OPENVAT ? &blender : bwi_engine_space(settings->engine->engine);
}

bw_result bwi_openvat_resolve(bwi_vat_settings *s, const bw_vat_opts *opts, bw_error *error) {
    const char *why = NULL;
    if (opts->engine != BW_ENGINE_DEFAULT && opts->engine != BW_ENGINE_GENERIC)
        why = "is the same for every engine, since OpenVAT's players turn the axes themselves: leave --engine out";
    else if (s->format->container != BWI_CONTAINER_PNG && s->format->container != BWI_CONTAINER_EXR)
        why = "is read from PNG and OpenEXR alone: use --format=exr16, exr32, png16 or png8";
    else if (opts->tangents == BW_VAT_TANGENTS_ON)
        why = "holds no tangents: leave --tangents out";
    else if (opts->pow2)
        why = "has its own rule for sides: leave --pow2 out";
    if (why)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "--layout=openvat %s, or use --layout=native", why);
    if (opts->normals == BW_VAT_NORMALS_SEPARATE)
        s->normal_format = s->format;
    s->normal_decode = BWI_DECODE_NORMAL;
    s->position_decode = opts->normals == BW_VAT_NORMALS_DEFAULT || opts->normals == BW_VAT_NORMALS_PACKED
                             ? BWI_DECODE_OFFSET_NORMAL
                             : BWI_DECODE_OFFSET;
    return BW_OK;
}

/* The smallest area among the widths whose height differs by a factor of 2 at most; false: there is none. */
static bool wrap(uint32_t *width, uint32_t *height, uint32_t vertices, uint64_t rows_a_block, uint32_t max) {
    uint64_t least_area = UINT64_MAX;
    for (uint32_t w = LEAST_WRAPPED; w <= LARGEST_WRAPPED && w <= max; w *= 2) {
        const uint64_t rows = rows_a_block * (vertices / w + (vertices % w != 0));
        if (rows > max)
            continue;
        const uint32_t h = bwi_pow2_up((uint32_t)rows);
        if (h > max || h > 2 * w || w > 2 * h || (uint64_t)w * h >= least_area)
            continue;
        least_area = (uint64_t)w * h;
        *width = w;
        *height = h;
    }
    return least_area != UINT64_MAX;
}

bw_result bwi_openvat_layout(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error) {
    const uint32_t v = plan->list->vertex_count, n = plan->frame_count, max = plan->settings.max_size;
    const bool packed = plan->settings.position_decode == BWI_DECODE_OFFSET_NORMAL;
    const uint64_t rows = (uint64_t)n * (packed ? 2 : 1);
    static const char help[] =
        "shorten clips with --end, lower --fps, leave nodes out with --exclude, raise --max-size "
        "if the engine allows, or use --layout=native";
    uint32_t width = v, height = (uint32_t)rows;
    if (rows > max)
        return bwi_fail_side(plan,
                             packed ? "--layout=openvat with two rows a frame" : "--layout=openvat with a row a frame",
                             rows, help, error);
    if (v > max && !wrap(&width, &height, v, rows, max))
        return bwi_fail_side(plan, "--layout=openvat with a column a vertex, or columns wrapped by OpenVAT's rule,", v,
                             help, error);
    bwi_vat_page *page = bwi_arena_alloc(arena, 1, sizeof *page);
    if (!page)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), sizeof *page);
    *page = (bwi_vat_page){0, n, width, height};
    plan->pages = page;
    plan->page_count = 1;
    plan->width = width;
    plan->height = height;
    plan->rows_per_frame = v / width + (v % width != 0);
    plan->frames_per_page = n;
    return BW_OK;
}

/* Columns count from the last vertex, and the frames of a block stand below each other before the next block begins. */
void bwi_openvat_place(const bwi_vat_plan *plan, uint32_t element, uint32_t *column, uint32_t *row) {
    const uint32_t place = plan->list->vertex_count - 1 - element;
    *column = place % plan->width;
    *row = place / plan->width * plan->frame_count;
}

void bwi_openvat_encode_frame(const bwi_vat_plan *plan, uint32_t frame, const float *positions, const float *normals,
                              const bwi_texels *position_image, const bwi_texels *normal_image) {
    const bwi_texel_type type = position_image->type;
    /* Packed normals stand half an image below. */
    const uint32_t normal_row = normal_image ? 0 : plan->height / 2;
    for (uint32_t i = 0; i < plan->list->vertex_count; ++i) {
        uint32_t column = 0, row = 0;
        bwi_openvat_place(plan, i, &column, &row);
        bwi_texel t;
        bwi_texel_set(&t, 3, 1.0, type);
        for (int k = 0; k < 3; ++k) {
            const size_t at = 3 * (size_t)i + (size_t)k;
            const float offset = positions[at] - plan->rest[at];
            const double low = (double)plan->offset_min[k], side = (double)plan->offset_max[k] - low;
            bwi_texel_set(&t, k, side > 0.0 ? ((double)offset - low) / side : 0.0, type);
        }
        bwi_texel_put(position_image, column, row + frame, &t);
        if (!normals)
            continue;
        for (int k = 0; k < 3; ++k)
            bwi_texel_set(&t, k, 0.5 * (double)normals[3 * (size_t)i + (size_t)k] + 0.5, type);
        bwi_texel_put(normal_image ? normal_image : position_image, column, row + frame + normal_row, &t);
    }
}

void bwi_openvat_round_bounds(float min[3], float max[3]) {
    for (int k = 0; k < 3; ++k) {
        min[k] = (float)(floor((double)min[k] * 10.0) / 10.0);
        max[k] = (float)(ceil((double)max[k] * 10.0) / 10.0);
    }
}

bw_result bwi_vat_rest(bwi_vat_plan *plan, bwi_arena *arena, bw_error *error) {
    if (plan->settings.layout != BW_VAT_LAYOUT_OPENVAT)
        return BW_OK;
    const size_t v = plan->list->vertex_count;
    float *rest = bwi_arena_alloc(arena, v, 3 * sizeof(float));
    bwi_sampler *sampler = NULL;
    bw_result result =
        rest ? bwi_sampler_create(&sampler, plan->list, bwi_arena_mem(arena), error)
             : bwi_fail_memory(error, plan->list->scene->path, bwi_arena_mem(arena), v * 3 * sizeof(float));
    if (result != BW_OK)
        return result;
    const bwi_clip_mix none = {NULL, 0};
    bwi_sampler_evaluate(sampler, &none, 0.0, rest, NULL, NULL);
    bwi_sampler_free(sampler);
    bwi_space_map_positions(rest, rest, v, bwi_vat_space(&plan->settings));
    plan->rest = rest;
    return BW_OK;
}
