/* SPDX-License-Identifier: MIT
 * Vertex mode: texels to positions, normals, tangents, in the shader's float arithmetic.  Source: docs/FORMATS.md.
 * Elements go through in blocks, one step of the shader at a time, so that each step is a loop without branches on the format. */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "decode/decode_priv.h"
#include "format.h"

#define TEXEL_AT(type) ((const type *)image->data + 4 * (first + texel[i]))

void bwi_fetch(bwi_fetched *f, const bwi_texels *image, size_t first, const uint32_t *texel, size_t count) {
    const float largest = (float)bwi_texel_max_code(image->type);
    switch (image->type) {
    case BWI_TEXEL_U8:
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < 4; k++)
                f->value[k][i] = (float)TEXEL_AT(uint8_t)[k] / largest;
        break;
    case BWI_TEXEL_U16:
        for (size_t i = 0; i < count; i++) {
            const uint16_t *code = TEXEL_AT(uint16_t);
            for (int k = 0; k < 4; k++)
                f->value[k][i] = (float)code[k] / largest;
            f->alpha_code[i] = code[3];
        }
        break;
    case BWI_TEXEL_U10:
        for (size_t i = 0; i < count; i++) {
            const uint32_t code = ((const uint32_t *)image->data)[first + texel[i]];
            for (int k = 0; k < 3; k++)
                f->value[k][i] = (float)(code >> 10 * k & 1023U) / largest;
            f->value[3][i] = (float)(code >> 30) / 3.0f;
        }
        break;
    case BWI_TEXEL_F16:
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < 4; k++)
                f->value[k][i] = bwi_half_to_float(TEXEL_AT(uint16_t)[k]);
        break;
    case BWI_TEXEL_F32:
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < 4; k++)
                f->value[k][i] = TEXEL_AT(float)[k];
        break;
    }
}

/* Octahedral coordinates in [0, 1] to unit vectors [count][3]. */
static void unfold(float *out, const float *u, const float *v, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const float x = u[i] * 2.0f - 1.0f, y = v[i] * 2.0f - 1.0f;
        const float z = 1.0f - fabsf(x) - fabsf(y);
        const float folded_x = (1.0f - fabsf(y)) * (x < 0.0f ? -1.0f : 1.0f);
        const float folded_y = (1.0f - fabsf(x)) * (y < 0.0f ? -1.0f : 1.0f);
        const float nx = z < 0.0f ? folded_x : x, ny = z < 0.0f ? folded_y : y;
        const float length = sqrtf(nx * nx + ny * ny + z * z);
        out[3 * i] = nx / length;
        out[3 * i + 1] = ny / length;
        out[3 * i + 2] = z / length;
    }
}

static void unfold_packed(float *out, const uint32_t *code, size_t count) {
    float u[BWI_FETCH_BLOCK], v[BWI_FETCH_BLOCK];
    for (size_t i = 0; i < count; i++) {
        u[i] = (float)(code[i] & 255U) / BW_OCT8_MAX;
        v[i] = (float)(code[i] >> 8) / BW_OCT8_MAX;
    }
    unfold(out, u, v, count);
}

static void place(float *out, const bwi_fetched *f, const bwi_manifest_clip *clip, bool absolute, size_t count) {
    for (int k = 0; k < 3; k++) {
        const float low = absolute ? 0.0f : clip->bounds_min[k];
        const float side = absolute ? 1.0f : clip->bounds_max[k] - clip->bounds_min[k];
        for (size_t i = 0; i < count; i++)
            out[3 * i + (size_t)k] = low + side * f->value[k][i];
    }
}

/* Elements `at` … `at` + count − 1, at most BWI_FETCH_BLOCK of them, into out from its start.  In: first — the frame's first texel. */
static void decode_block(const bwi_decoder *d, const bwi_decoded *out, const bwi_manifest_clip *clip, size_t first,
                         size_t at, size_t count) {
    if (d->manifest->layout == BW_VAT_LAYOUT_OPENVAT) {
        bwi_openvat_block(d, out, first, at, count);
        return;
    }
    bwi_fetched f = {.alpha_code = {0}};
    bwi_fetch(&f, &d->position, first, d->texel + at, count);
    place(out->positions, &f, clip, d->position_decode == BWI_DECODE_ABSOLUTE, count);
    if (out->normals && d->position_decode == BWI_DECODE_BOUNDS_OCT8)
        unfold_packed(out->normals, f.alpha_code, count);
    if (!d->normal.data || !(out->normals || out->tangents))
        return;
    bwi_fetch(&f, &d->normal, first, d->texel + at, count);
    if (out->normals)
        unfold(out->normals, f.value[0], f.value[1], count);
    if (out->tangents)
        unfold(out->tangents, f.value[2], f.value[3], count);
}

/* Of a frame on the page. */
static size_t first_texel(const bwi_decoder *d, uint32_t frame) {
    const size_t local = frame - d->page.first_frame;
    const bool seed = d->manifest->layout == BW_VAT_LAYOUT_SEED;
    if (d->manifest->layout == BW_VAT_LAYOUT_OPENVAT) /* the rows of one frame stand apart */
        return local * d->width;
    return (seed ? d->position.height - 1 - local : local * d->rows) * d->width;
}

void bwi_vertex_frame(const bwi_decoder *d, const bwi_decoded *out, uint32_t clip, uint32_t frame) {
    const size_t first = first_texel(d, frame), v = d->manifest->element_count;
    for (size_t at = 0; at < v; at += BWI_FETCH_BLOCK) {
        const bwi_decoded block = {out->positions + 3 * at, out->normals ? out->normals + 3 * at : NULL,
                                   out->tangents ? out->tangents + 3 * at : NULL};
        decode_block(d, &block, &d->manifest->clips.data[clip], first, at,
                     v - at < BWI_FETCH_BLOCK ? v - at : BWI_FETCH_BLOCK);
    }
}

void bwi_vertex_position(const bwi_decoder *d, float position[3], uint32_t clip, uint32_t frame, uint32_t element) {
    decode_block(d, &(bwi_decoded){position, NULL, NULL}, &d->manifest->clips.data[clip], first_texel(d, frame),
                 element, 1);
}

/* Opposite directions have no middle: the earlier one stays. */
static void mix_directions(float *out, const float *a, const float *b, float t, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const float x = a[3 * i] + (b[3 * i] - a[3 * i]) * t;
        const float y = a[3 * i + 1] + (b[3 * i + 1] - a[3 * i + 1]) * t;
        const float z = a[3 * i + 2] + (b[3 * i + 2] - a[3 * i + 2]) * t;
        const float length = sqrtf(x * x + y * y + z * z);
        const bool opposite = !(length > 0.0f);
        out[3 * i] = opposite ? a[3 * i] : x / length;
        out[3 * i + 1] = opposite ? a[3 * i + 1] : y / length;
        out[3 * i + 2] = opposite ? a[3 * i + 2] : z / length;
    }
}

void bwi_vertex_between(const bwi_decoder *d, const bwi_decoded *out, const bwi_decoded *at, uint32_t clip,
                        uint32_t frame, float t) {
    bwi_vertex_frame(d, out, clip, frame + 1);
    const size_t v = d->manifest->element_count;
    for (size_t i = 0; i < 3 * v; i++)
        out->positions[i] = at->positions[i] + (out->positions[i] - at->positions[i]) * t;
    if (out->normals)
        mix_directions(out->normals, at->normals, out->normals, t, v);
    if (out->tangents)
        mix_directions(out->tangents, at->tangents, out->tangents, t, v);
}

void bwi_vertex_level_frame(const bwi_decoder *d, size_t level, float *positions, uint32_t clip, uint32_t frame,
                            float *scratch) {
    bwi_vertex_frame(d, &(bwi_decoded){scratch, NULL, NULL}, clip, frame);
    const uint32_t *elements = d->level_elements[level];
    for (size_t i = 0; i < d->manifest->levels.data[level].vertex_count; i++)
        memcpy(positions + 3 * i, scratch + 3 * (size_t)elements[i], 3 * sizeof *positions);
}

void bwi_vertex_resolution(const bwi_decoder *d, uint32_t clip, float step[3]) {
    const bwi_manifest_clip *c = &d->manifest->clips.data[clip];
    if (d->manifest->layout == BW_VAT_LAYOUT_OPENVAT) {
        bwi_openvat_resolution(d, clip, step);
        return;
    }
    const bwi_texel_type type = bwi_format_info_of(d->manifest->format)->type;
    for (int k = 0; k < 3; k++) {
        const float reach = fmaxf(fabsf(c->bounds_min[k]), fabsf(c->bounds_max[k]));
        if (!bwi_texel_is_float(type))
            step[k] = (c->bounds_max[k] - c->bounds_min[k]) / (float)bwi_texel_max_code(type);
        else /* half floats step by 2^-10 of their size, 2^-24 near zero; floats are exact */
            step[k] = type == BWI_TEXEL_F16 ? reach / 1024.0f + 1.0f / 16777216.0f : 0.0f;
    }
}
