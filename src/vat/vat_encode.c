/* SPDX-License-Identifier: MIT
 * Positions and normals into texels, a page at a time, frames in parallel.  Source: docs/FORMATS.md. */
#include <string.h>

#include "base/half.h"
#include "format.h"
#include "vat/vat_priv.h"

void bwi_texel_put(const bwi_texels *image, size_t column, size_t row, const bwi_texel *t) {
    uint8_t *at = (uint8_t *)image->data + (row * image->width + column) * bwi_texel_size(image->type);
    switch (image->type) {
    case BWI_TEXEL_U8:
        for (int k = 0; k < 4; ++k)
            at[k] = (uint8_t)t->code[k];
        break;
    case BWI_TEXEL_U16: {
        const uint16_t codes[4] = {(uint16_t)t->code[0], (uint16_t)t->code[1], (uint16_t)t->code[2],
                                   (uint16_t)t->code[3]};
        memcpy(at, codes, sizeof codes);
        break;
    }
    case BWI_TEXEL_U10: {
        const uint32_t packed = t->code[0] | t->code[1] << 10 | t->code[2] << 20 | t->code[3] << 30;
        memcpy(at, &packed, sizeof packed);
        break;
    }
    case BWI_TEXEL_F16: {
        uint16_t halves[4];
        for (int k = 0; k < 4; ++k)
            halves[k] = bwi_half_from_float(t->value[k]);
        memcpy(at, halves, sizeof halves);
        break;
    }
    case BWI_TEXEL_F32:
        memcpy(at, t->value, sizeof t->value);
        break;
    }
}

/* floor(largest · x + ½) for x in [0, 1]. */
static uint32_t quantise(double x, uint32_t largest) {
    const double scaled = (double)largest * x + 0.5;
    const uint32_t code = scaled > 0.0 ? (uint32_t)scaled : 0;
    return code < largest ? code : largest;
}

/* Octahedral coordinates in [0, 1] of a unit vector; pole z, sign(0) = +1. */
static void octahedral(double out[2], const float n[3]) {
    const double ax = n[0] < 0.0f ? -(double)n[0] : (double)n[0];
    const double ay = n[1] < 0.0f ? -(double)n[1] : (double)n[1];
    const double az = n[2] < 0.0f ? -(double)n[2] : (double)n[2];
    const double sum = ax + ay + az;
    double x = (double)n[0] / sum, y = (double)n[1] / sum;
    if (n[2] < 0.0f) {
        const double folded_x = (1.0 - ay / sum) * (n[0] < 0.0f ? -1.0 : 1.0);
        y = (1.0 - ax / sum) * (n[1] < 0.0f ? -1.0 : 1.0);
        x = folded_x;
    }
    out[0] = 0.5 * x + 0.5;
    out[1] = 0.5 * y + 0.5;
}

static uint32_t alpha_largest(bwi_texel_type type) {
    return type == BWI_TEXEL_U10 ? 3 : bwi_texel_max_code(type);
}

void bwi_texel_set(bwi_texel *t, int k, double x, bwi_texel_type type) {
    t->code[k] = quantise(x, k == 3 ? alpha_largest(type) : bwi_texel_max_code(type));
    t->value[k] = (float)x;
}

void bwi_texel_set_range(bwi_texel *t, int k, double x, float min, float max, bwi_texel_type type) {
    const double side = (double)max - (double)min;
    t->code[k] = side > 0.0 ? quantise((x - (double)min) / side, bwi_texel_max_code(type)) : 0;
    t->value[k] = (float)x;
}

typedef struct encode {
    const bwi_vat_plan *plan;
    const bwi_vat_page *page;
    const bwi_texels *positions, *normals;
} encode_page;

static void encode_position(bwi_texel *t, const bwi_vat_plan *plan, const bwi_manifest_clip *clip,
                            const float *position) {
    const bwi_texel_type type = plan->settings.format->type;
    for (int k = 0; k < 3; ++k)
        bwi_texel_set_range(t, k, (double)position[k], clip->bounds_min[k], clip->bounds_max[k], type);
    bwi_texel_set(t, 3, 1.0, type);
}

static void encode_oct_pair(bwi_texel *t, const float n[3], const float tangent[3], bwi_texel_type type) {
    double pair[4] = {0.0, 0.0, 0.0, 1.0};
    octahedral(pair, n);
    if (tangent)
        octahedral(pair + 2, tangent);
    for (int k = 0; k < 4; ++k)
        bwi_texel_set(t, k, pair[k], type);
}

static bw_result encode_frame(void *ctx, size_t index, const bwi_frame *frame, bw_error *error) {
    const encode_page *e = ctx;
    const bwi_vat_plan *plan = e->plan;
    const bwi_vat_settings *s = &plan->settings;
    const size_t v = plan->list->vertex_count, width = e->page->width;
    (void)error;
    if (s->layout == BW_VAT_LAYOUT_OPENVAT) {
        bwi_openvat_encode_frame(plan, (uint32_t)index, frame->positions, frame->normals, e->positions, e->normals);
        return BW_OK;
    }
    /* The seed's image has its origin at the bottom: frame 0 is the last scanline. */
    const size_t first_row =
        s->layout == BW_VAT_LAYOUT_SEED ? e->page->height - 1 - index : index * plan->rows_per_frame;
    for (size_t i = 0, column = 0, row = first_row; i < v; ++i) {
        bwi_texel t;
        encode_position(&t, plan, &frame->clip->out, &frame->positions[3 * i]);
        if (s->position_decode == BWI_DECODE_BOUNDS_OCT8) {
            double pair[2];
            octahedral(pair, &frame->normals[3 * i]);
            t.code[3] = quantise(pair[0], BW_OCT8_MAX) | quantise(pair[1], BW_OCT8_MAX) << 8;
        }
        bwi_texel_put(e->positions, column, row, &t);
        if (e->normals) {
            const float *tangent = frame->tangents ? &frame->tangents[4 * i] : NULL;
            encode_oct_pair(&t, &frame->normals[3 * i], tangent, e->normals->type);
            bwi_texel_put(e->normals, column, row, &t);
        }
        if (++column == width) {
            column = 0;
            ++row;
        }
    }
    return BW_OK;
}

size_t bwi_carried_size(const bwi_vat_plan *plan) {
    return plan->palette ? (size_t)plan->width * plan->rows_per_frame * bwi_texel_size(plan->settings.format->type) : 0;
}

bw_result bwi_vat_encode_page(const bwi_vat_plan *plan, uint32_t page, bwi_texels *positions, bwi_texels *normals,
                              void *carried, const bwi_env *env, bw_error *error) {
    const bwi_texture_decode decode = plan->settings.position_decode;
    const bool needs_normals = normals || decode == BWI_DECODE_BOUNDS_OCT8 || decode == BWI_DECODE_OFFSET_NORMAL;
    encode_page e = {plan, &plan->pages[page], positions, normals};
    const size_t texels = (size_t)e.page->width * e.page->height;
    memset(positions->data, 0, texels * bwi_texel_size(positions->type));
    if (normals)
        memset(normals->data, 0, texels * bwi_texel_size(normals->type));
    if (plan->palette)
        return bwi_encode_bones(plan, page, positions, carried, env, error);
    const unsigned what = BWI_WALK_POSITIONS | (needs_normals ? BWI_WALK_NORMALS : 0U) |
                          (plan->settings.tangents ? BWI_WALK_TANGENTS : 0U);
    return bwi_walk_frames(plan, e.page->first_frame, e.page->frame_count, what, 0, encode_frame, &e, env, error);
}
