/* SPDX-License-Identifier: MIT
 * What an image holds that some tool of the field wrote: is it a Pivot Painter texture, and what would the stock functions make of it? */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "api/api_priv.h"
#include "base/file.h"
#include "base/half.h"
#include "bakewell/info.h"
#include "decode/pivot.h"
#include "image/image.h"

/* An axis of three 8-bit codes is a unit vector to about a hundredth. */
static const double UNIT_SLACK = 0.02;
/* Of the texels of an axis texture that must be unit vectors: padding may be anything. */
static const double UNIT_SHARE = 0.75;
static const double EXTENT_RANGE_CM = 2048, EXTENT_LEAST_CM = 8;

static bw_result recognise(bwi_container *container, const char *path, bwi_mem *mem, bw_error *error) {
    struct stat status;
    bwi_map map;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return bwi_fail(error, BW_ERR_UNRECOGNISED, path, -1, "is no file; name an image");
    bw_result result = bwi_map_open(&map, path, mem, error);
    if (result != BW_OK)
        return result;
    const bool known = bwi_image_recognise(container, path, map.data, map.size);
    bwi_map_close(&map);
    return known ? BW_OK : bwi_fail(error, BW_ERR_UNRECOGNISED, path, 0, "is no image; expected EXR, PNG or TGA");
}

static float *as_floats(const bwi_texels *texels, bwi_mem *mem) {
    const size_t count = (size_t)texels->width * texels->height * 4;
    float *floats = bwi_alloc(mem, count, sizeof *floats);
    if (!floats)
        return NULL;
    for (size_t i = 0; i < count; i++)
        floats[i] = texels->type == BWI_TEXEL_F16 ? bwi_half_to_float(((const uint16_t *)texels->data)[i])
                                                  : ((const float *)texels->data)[i];
    return floats;
}

static void tell_positions(bwi_warnings *findings, const bwi_pivot_survey *s, uint32_t width, bwi_texel_type type) {
    if (s->packing != BWI_PIVOT_PACKED)
        bwi_warn(findings, "parent-packing", s->element_count,
                 "parents are stored otherwise than the stock functions read them, which is index + 1024 as the bits "
                 "of a half; bake again",
                 "%s", bwi_pivot_packing_text(s->packing));
    if (type != BWI_TEXEL_F16)
        bwi_warn(findings, "not-half", 1,
                 "texels are 32-bit floats; an engine that imports them as halves rounds pivots, and parents too "
                 "unless they were packed as halves",
                 "the image");
    if (s->root_count == 0)
        bwi_warn(findings, "no-root", 1, "no element names itself as its parent, so the stock functions find no trunk",
                 "the image");
    if (s->all_on_first)
        bwi_warn(findings, "all-on-first", s->element_count - 1,
                 "every element hangs on element 0 and moves with it: right for a bush on one stem; plants that stand "
                 "apart must name themselves",
                 "element 1");
    if (s->bad_parent_count)
        bwi_warn(findings, "parent-missing", s->bad_parent_count, "parents name no element", "element %" PRIu32,
                 s->first_bad);
    if (s->circle_count)
        bwi_warn(findings, "parent-circle", s->circle_count, "chains of parents run in a circle", "element %" PRIu32,
                 s->first_circle);
    if (s->later_parent_count)
        bwi_warn(findings, "parent-after-child", s->later_parent_count,
                 "parents stand after their children, which Unreal's converter to skeletons takes ill", "the image");
    uint32_t deep = 0;
    for (int i = BW_WIND_LEVELS; i < BWI_PIVOT_DEPTHS; i++)
        deep += s->depth_counts[i];
    if (deep)
        bwi_warn(findings, "too-deep", deep,
                 "elements lie deeper than the four levels that the stock functions follow; what is above those is "
                 "left out of their motion",
                 "%" PRIu32 " steps from the root", s->max_depth);
    if (s->not_finite_count)
        bwi_warn(findings, "pivot-not-finite", s->not_finite_count, "pivots are not finite", "the image");
    if (s->raised_by_one)
        bwi_warn(findings, "one-centimetre", 1,
                 "the first pivot is (0, 1, 0): some exporters write 1 - y for -y, so that all pivots are 1 cm off",
                 "element 0");
    if (s->wrong_row_count)
        bwi_warn(findings, "unsafe-width", s->wrong_row_count,
                 "elements are looked up in a wrong row, where row = floor(index × (1 / width)) in float; use a width "
                 "that is a power of two",
                 "width %" PRIu32, width);
}

static bw_result fill_positions(bw_image_info *info, const bwi_texels *texels, bwi_warnings *findings, bwi_mem *mem,
                                bw_error *error) {
    if ((uint64_t)texels->width * texels->height > BWI_PIVOT_TEXELS_MAX)
        return BW_OK;
    float *rgba = as_floats(texels, mem);
    if (!rgba)
        return bwi_fail_memory(error, info->path, mem, (size_t)texels->width * texels->height * 16);
    bwi_pivot_survey survey;
    bw_result result = bwi_pivot_survey_make(&survey, rgba, texels->width, texels->height, 0, mem, error);
    bwi_free(mem, rgba);
    if (result != BW_OK || survey.packing == BWI_PIVOT_UNKNOWN)
        return result;
    info->kind = BW_IMAGE_PIVOT_POSITION;
    info->element_count = survey.element_count;
    info->padding_count = survey.padding_count;
    info->root_count = survey.root_count;
    info->max_depth = survey.max_depth;
    info->packing = bwi_pivot_packing_text(survey.packing);
    for (int i = 0; i < BW_IMAGE_DEPTHS; i++)
        info->depth_counts[i] = survey.depth_counts[i];
    for (int c = 0; c < 3; c++) {
        info->least[c] = survey.least[c];
        info->most[c] = survey.most[c];
    }
    tell_positions(findings, &survey, texels->width, texels->type);
    return BW_OK;
}

static void fill_axes(bw_image_info *info, const bwi_texels *texels) {
    const size_t count = (size_t)texels->width * texels->height;
    const uint8_t *codes = texels->data;
    size_t units = 0;
    for (size_t i = 0; i < count; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++) {
            const double v = codes[4 * i + (size_t)c] / 127.5 - 1;
            square += v * v;
        }
        if (square < (1 - UNIT_SLACK) * (1 - UNIT_SLACK) || square > (1 + UNIT_SLACK) * (1 + UNIT_SLACK))
            continue;
        double extent = codes[4 * i + 3] / 255.0 * EXTENT_RANGE_CM;
        extent = extent > EXTENT_LEAST_CM ? extent : EXTENT_LEAST_CM;
        info->extent_least_cm = units && info->extent_least_cm < extent ? info->extent_least_cm : extent;
        info->extent_most_cm = units && info->extent_most_cm > extent ? info->extent_most_cm : extent;
        units++;
    }
    if ((double)units >= UNIT_SHARE * (double)count)
        info->kind = BW_IMAGE_PIVOT_AXIS;
}

static bw_result fill(bw_image_info *info, bwi_arena *arena, const char *path, bwi_mem *mem, bw_error *error) {
    static const char *const NAMES[] = {
        [BWI_CONTAINER_PNG] = "png", [BWI_CONTAINER_EXR] = "exr", [BWI_CONTAINER_TGA] = "tga"};
    bwi_container container;
    bwi_texels texels = {0};
    const bwi_env env = {mem, 1, NULL};
    bwi_warnings findings;
    bwi_warnings_init(&findings, arena);
    info->path = bwi_arena_string(arena, path, SIZE_MAX);
    bw_result result = info->path ? recognise(&container, path, mem, error) : bwi_fail_memory(error, path, mem, 0);
    if (result == BW_OK)
        result = bwi_image_read(&texels, path, container, NULL, &env, error);
    if (result != BW_OK)
        return result;
    info->format = NAMES[container];
    info->width = texels.width;
    info->height = texels.height;
    info->texels = bwi_texel_type_text(texels.type);
    if (bwi_texel_is_float(texels.type))
        result = fill_positions(info, &texels, &findings, mem, error);
    else if (texels.type == BWI_TEXEL_U8)
        fill_axes(info, &texels);
    bwi_texels_free(&texels, mem);
    info->findings = bwi_warnings_list(&findings);
    if (result == BW_OK && findings.lost)
        result = bwi_fail_memory(error, path, mem, 0);
    return result;
}

bw_result bw_image_describe(bw_image_info **info, const char *path, const bw_run_opts *run, bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(run ? run->memory_limit : 0);
    bw_image_info *out = arena ? bwi_arena_alloc(arena, 1, sizeof *out) : NULL;
    if (!out) {
        bwi_arena_free(arena);
        return bwi_fail(error, BW_ERR_MEMORY, path, -1, "memory ran out before the image was read");
    }
    out->arena = arena;
    bw_result result = fill(out, arena, path, bwi_arena_mem(arena), error);
    if (result != BW_OK) {
        bwi_arena_free(arena);
        return result;
    }
    *info = out;
    return BW_OK;
}

void bw_free_image_info(bw_image_info *info) {
    if (info)
        bwi_arena_free(info->arena);
}
