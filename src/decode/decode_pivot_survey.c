/* SPDX-License-Identifier: MIT
 * What a position-and-index texture holds, whoever wrote it: how it names parents, where its elements end, and what is wrong with its trees. */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "decode/pivot.h"

enum { STOCK_BIAS = 1024, NO_PARENT = -1 };

const char *bwi_pivot_packing_text(bwi_pivot_packing packing) {
    static const char *const TEXTS[] = {
        [BWI_PIVOT_PACKED] = "index + 1024 as the bits of a half",
        [BWI_PIVOT_RAW_BITS] = "the index as the bits of a half, without the 1024 that the stock functions take off",
        [BWI_PIVOT_LINEAR] = "(index + 1024) / 2^24, which is right up to element 1,024 alone",
        [BWI_PIVOT_NUMBER] = "the index as a number",
        [BWI_PIVOT_NUMBER_UP] = "the index + 0.5 as a number",
        [BWI_PIVOT_NUMBER_DOWN] = "the index - 0.5 as a number",
        [BWI_PIVOT_UNKNOWN] = "nothing that names parents",
    };
    return TEXTS[packing];
}

static int64_t whole(double number) {
    return number >= 0 && number <= UINT32_MAX && number == floor(number) ? (int64_t)number : NO_PARENT;
}

/* The parent by one way of packing; NO_PARENT: none. */
static int64_t parent_by(bwi_pivot_packing packing, float alpha) {
    /* What is no half was packed in another way, whatever the stock functions make of it. */
    const bool is_half = bwi_half_to_float(bwi_half_from_float(alpha)) == alpha;
    switch (packing) {
    case BWI_PIVOT_PACKED:
        return is_half ? (int64_t)bwi_pivot_parent_of(alpha) : NO_PARENT;
    case BWI_PIVOT_RAW_BITS:
        if (!is_half)
            return NO_PARENT;
        if (alpha >= 0 && alpha < 0x1p-14f) /* subnormal halves */
            return whole((double)alpha * 0x1p24);
        return (int64_t)bwi_pivot_parent_of(alpha) + STOCK_BIAS;
    case BWI_PIVOT_LINEAR:
        return whole((double)alpha * 0x1p24 - STOCK_BIAS);
    case BWI_PIVOT_NUMBER:
        return whole((double)alpha);
    case BWI_PIVOT_NUMBER_UP:
        return whole((double)alpha - 0.5);
    case BWI_PIVOT_NUMBER_DOWN:
        return whole((double)alpha + 0.5);
    case BWI_PIVOT_UNKNOWN:
        break;
    }
    return NO_PARENT;
}

typedef struct reading {
    const float *rgba;
    uint32_t texel_count, known_count;
    int64_t *parents; /* [texel_count] */
    uint32_t *depths; /* [texel_count] */
    uint32_t *trail;  /* [texel_count] */
    uint8_t *named;   /* [texel_count] by another texel */
} reading;

static bool is_zero(const float *position) {
    return position[0] == 0 && position[1] == 0 && position[2] == 0;
}

/* Whether a texel is more than padding: it is named, or names another, or stands somewhere and names itself.  Zeros are padding, even where a
 * zero would name element 0. */
static bool is_element(const reading *r, uint32_t i) {
    const float *texel = r->rgba + 4 * (size_t)i;
    const int64_t parent = r->parents[i];
    if (r->named[i])
        return true;
    if (parent < 0 || parent >= r->texel_count || (is_zero(texel) && texel[3] == 0))
        return false;
    return parent != i || !is_zero(texel);
}

static uint32_t count_elements(const reading *r) {
    if (r->known_count)
        return r->known_count;
    uint32_t count = r->texel_count;
    while (count > 1 && !is_element(r, count - 1))
        count--;
    return count;
}

static void read_parents(reading *r, bwi_pivot_packing packing) {
    memset(r->named, 0, r->texel_count);
    for (uint32_t i = 0; i < r->texel_count; i++) {
        r->parents[i] = parent_by(packing, r->rgba[4 * (size_t)i + 3]);
        if (r->parents[i] >= 0 && r->parents[i] < r->texel_count && r->parents[i] != i)
            r->named[r->parents[i]] = 1;
    }
}

static const uint32_t UNSEEN = UINT32_MAX, ON_TRAIL = UINT32_MAX - 1, IN_CIRCLE = UINT32_MAX - 2;

/* Walks up from an element to one whose depth is known, and back. */
static void find_depth(reading *r, uint32_t from, uint32_t element_count) {
    uint32_t length = 0, at = from, depth;
    for (;;) {
        if (r->depths[at] == ON_TRAIL) {
            depth = IN_CIRCLE;
            break;
        }
        if (r->depths[at] != UNSEEN) {
            depth = r->depths[at];
            break;
        }
        r->depths[at] = ON_TRAIL;
        r->trail[length++] = at;
        const int64_t parent = r->parents[at];
        if (parent == at || parent < 0 || parent >= element_count) {
            depth = UNSEEN; /* so that the next is 0 */
            break;
        }
        at = (uint32_t)parent;
    }
    while (length > 0) {
        depth = depth == IN_CIRCLE ? IN_CIRCLE : depth == UNSEEN ? 0 : depth + 1;
        r->depths[r->trail[--length]] = depth;
    }
}

static void find_depths(reading *r, uint32_t element_count) {
    for (uint32_t i = 0; i < element_count; i++)
        r->depths[i] = UNSEEN;
    for (uint32_t i = 0; i < element_count; i++)
        find_depth(r, i, element_count);
}

static void count_trees(bwi_pivot_survey *survey, reading *r) {
    survey->element_count = count_elements(r);
    survey->padding_count = r->texel_count - survey->element_count;
    find_depths(r, survey->element_count);
    uint32_t on_first = 0;
    for (uint32_t i = 0; i < survey->element_count; i++) {
        const int64_t parent = r->parents[i];
        if (parent < 0 || parent >= survey->element_count) {
            if (survey->bad_parent_count++ == 0)
                survey->first_bad = i;
            continue;
        }
        survey->root_count += parent == i;
        survey->later_parent_count += parent > i;
        on_first += parent == 0;
        if (r->depths[i] == IN_CIRCLE) {
            if (survey->circle_count++ == 0)
                survey->first_circle = i;
            continue;
        }
        const uint32_t depth = r->depths[i];
        survey->depth_counts[depth < BWI_PIVOT_DEPTHS ? depth : BWI_PIVOT_DEPTHS - 1]++;
        if (depth > survey->max_depth)
            survey->max_depth = depth;
    }
    survey->all_on_first = survey->element_count >= 3 && on_first == survey->element_count;
}

static bool makes_trees(const bwi_pivot_survey *survey) {
    return survey->bad_parent_count == 0 && survey->circle_count == 0 && survey->root_count > 0;
}

/* Elements whose parents stand before them, as tools write them: of two ways that make trees, the wrong one shifts parents past their children. */
static uint32_t count_in_order(const bwi_pivot_survey *survey) {
    return survey->element_count - survey->later_parent_count;
}

static void measure_pivots(bwi_pivot_survey *survey, const float *rgba) {
    bool any = false;
    for (uint32_t i = 0; i < survey->element_count; i++) {
        const float *position = rgba + 4 * (size_t)i;
        if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2])) {
            survey->not_finite_count++;
            continue;
        }
        for (int c = 0; c < 3; c++) {
            survey->least[c] = any && survey->least[c] < position[c] ? survey->least[c] : position[c];
            survey->most[c] = any && survey->most[c] > position[c] ? survey->most[c] : position[c];
        }
        any = true;
    }
    survey->raised_by_one = rgba[0] == 0 && rgba[1] == 1 && rgba[2] == 0;
}

static uint32_t count_wrong_rows(uint32_t element_count, uint32_t width, uint32_t height) {
    const bwi_pivot_maps maps = {.width = width, .height = height};
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < element_count; i++) {
        float uv[2];
        bwi_pivot_uv_of(&maps, i, uv);
        wrong += bwi_pivot_element_at(&maps, uv) != i;
    }
    return wrong;
}

/* As a picture has it. */
static bool is_opaque(const float *rgba, uint32_t texel_count) {
    for (uint32_t i = 0; i < texel_count; i++) {
        if (rgba[4 * (size_t)i + 3] != 1)
            return false;
    }
    return true;
}

bw_result bwi_pivot_survey_make(bwi_pivot_survey *survey, const float *rgba, uint32_t width, uint32_t height,
                                uint32_t element_count, bwi_mem *mem, bw_error *error) {
    const uint32_t texel_count = width * height;
    reading r = {.rgba = rgba, .texel_count = texel_count, .known_count = element_count};
    r.parents = bwi_alloc(mem, texel_count, sizeof *r.parents);
    r.depths = bwi_alloc(mem, texel_count, sizeof *r.depths);
    r.trail = bwi_alloc(mem, texel_count, sizeof *r.trail);
    r.named = bwi_alloc(mem, texel_count, 1);
    bw_result result = BW_OK;
    if (!r.parents || !r.depths || !r.trail || !r.named)
        result = bwi_fail_memory(error, NULL, mem, (size_t)texel_count * sizeof *r.parents);
    bwi_pivot_survey found = {.packing = BWI_PIVOT_UNKNOWN}, first = {0};
    for (int packing = BWI_PIVOT_PACKED; result == BW_OK && packing < BWI_PIVOT_UNKNOWN; packing++) {
        bwi_pivot_survey tried = {.packing = (bwi_pivot_packing)packing};
        read_parents(&r, tried.packing);
        count_trees(&tried, &r);
        if (packing == BWI_PIVOT_PACKED)
            first = tried;
        if (makes_trees(&tried) && count_in_order(&tried) > count_in_order(&found))
            found = tried;
    }
    if (result == BW_OK) {
        if (found.packing == BWI_PIVOT_UNKNOWN || is_opaque(rgba, texel_count)) {
            found = first;
            found.packing = BWI_PIVOT_UNKNOWN;
        }
        measure_pivots(&found, rgba);
        found.wrong_row_count = count_wrong_rows(found.element_count, width, height);
        *survey = found;
    }
    bwi_free(mem, r.parents);
    bwi_free(mem, r.depths);
    bwi_free(mem, r.trail);
    bwi_free(mem, r.named);
    return result;
}
