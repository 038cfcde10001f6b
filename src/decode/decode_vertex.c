/* SPDX-License-Identifier: MIT
 * Vertex mode, both layouts: texels to positions, normals, tangents, in the shader's float arithmetic.  Source: docs/FORMATS.md. */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "decode/decode_priv.h"
#include "format.h"

/* The four channels of a texel: integer codes as a shader's uvec4, or floats. */
typedef struct fetched {
    uint32_t code[4];
    float value[4];
} fetched;

static fetched fetch(const bwi_texels *image, size_t at) {
    fetched f = {{0}, {0}};
    const uint8_t *p = (const uint8_t *)image->data + at * bwi_texel_size(image->type);
    switch (image->type) {
    case BWI_TEXEL_U8:
        for (int k = 0; k < 4; ++k)
            f.code[k] = p[k];
        break;
    case BWI_TEXEL_U16: {
        uint16_t codes[4];
        memcpy(codes, p, sizeof codes);
        for (int k = 0; k < 4; ++k)
            f.code[k] = codes[k];
        break;
    }
    case BWI_TEXEL_U10: {
        uint32_t packed;
        memcpy(&packed, p, sizeof packed);
        f.code[0] = packed & 1023;
        f.code[1] = packed >> 10 & 1023;
        f.code[2] = packed >> 20 & 1023;
        f.code[3] = packed >> 30;
        break;
    }
    case BWI_TEXEL_F16: {
        uint16_t halves[4];
        memcpy(halves, p, sizeof halves);
        for (int k = 0; k < 4; ++k)
            f.value[k] = bwi_half_to_float(halves[k]);
        break;
    }
    case BWI_TEXEL_F32:
        memcpy(f.value, p, sizeof f.value);
        break;
    }
    return f;
}

static void unfold(float out[3], float x, float y) {
    float z = 1.0f - (x < 0.0f ? -x : x) - (y < 0.0f ? -y : y);
    if (z < 0.0f) {
        const float folded = (1.0f - (y < 0.0f ? -y : y)) * (x < 0.0f ? -1.0f : 1.0f);
        y = (1.0f - (x < 0.0f ? -x : x)) * (y < 0.0f ? -1.0f : 1.0f);
        x = folded;
    }
    const float length = sqrtf(x * x + y * y + z * z);
    out[0] = x / length;
    out[1] = y / length;
    out[2] = z / length;
}

/* One frame of one element. */
typedef struct vertex {
    float position[3], normal[3], tangent[3];
} vertex;

static float unit_channel(const bwi_texels *image, const fetched *f, int channel) {
    return bwi_texel_is_float(image->type) ? f->value[channel]
                                           : (float)f->code[channel] / (float)bwi_texel_max_code(image->type);
}

static vertex decode_texel(const bwi_decoder *d, const bwi_manifest_clip *clip, size_t at) {
    vertex v = {{0}, {0}, {0}};
    const fetched p = fetch(&d->position, at);
    for (int k = 0; k < 3; ++k)
        v.position[k] =
            d->position_decode == BWI_DECODE_ABSOLUTE
                ? p.value[k]
                : clip->bounds_min[k] + (clip->bounds_max[k] - clip->bounds_min[k]) * unit_channel(&d->position, &p, k);
    if (d->position_decode == BWI_DECODE_BOUNDS_OCT8)
        unfold(v.normal, (float)(p.code[3] & 255U) / BW_OCT8_MAX * 2.0f - 1.0f,
               (float)(p.code[3] >> 8) / BW_OCT8_MAX * 2.0f - 1.0f);
    if (d->normal.data) {
        const fetched n = fetch(&d->normal, at);
        unfold(v.normal, unit_channel(&d->normal, &n, 0) * 2.0f - 1.0f, unit_channel(&d->normal, &n, 1) * 2.0f - 1.0f);
        if (d->has_tangents)
            unfold(v.tangent, unit_channel(&d->normal, &n, 2) * 2.0f - 1.0f,
                   unit_channel(&d->normal, &n, 3) * 2.0f - 1.0f);
    }
    return v;
}

static void mix_directions(float out[3], const float a[3], const float b[3], float t) {
    float mixed[3];
    for (int k = 0; k < 3; ++k)
        mixed[k] = a[k] + (b[k] - a[k]) * t;
    const float length = sqrtf(mixed[0] * mixed[0] + mixed[1] * mixed[1] + mixed[2] * mixed[2]);
    for (int k = 0; k < 3; ++k)
        out[k] = length > 0.0f ? mixed[k] / length : a[k]; /* opposite directions have no middle */
}

/* Into glTF's axes; the scale is 1 for directions. */
static void store(const bwi_decoder *d, float *out, const float in[3], float scale, bool raw_space) {
    for (int k = 0; k < 3; ++k) {
        if (raw_space)
            out[k] = in[k];
        else
            out[d->axis[k]] = d->sign[k] * scale * in[k];
    }
}

void bwi_decoder_frame(const bwi_decoder *decoder, const bwi_decoded *out, uint32_t clip, uint32_t frame, float t,
                       bool raw_space) {
    const bwi_decoder *d = decoder;
    const bwi_manifest_clip *c = &d->manifest->clips.data[clip];
    const size_t local = frame - d->page.first_frame, frame_texels = (size_t)d->rows * d->width;
    const bool seed = d->manifest->layout == BW_VAT_LAYOUT_SEED;
    const size_t here = seed ? (d->position.height - 1 - local) * d->width : local * frame_texels;
    const size_t next = seed ? here - d->width : here + frame_texels;
    for (size_t i = 0; i < d->manifest->element_count; ++i) {
        vertex v = decode_texel(d, c, here + d->texel[i]);
        if (t > 0.0f) {
            const vertex w = decode_texel(d, c, next + d->texel[i]);
            for (int k = 0; k < 3; ++k)
                v.position[k] = v.position[k] + (w.position[k] - v.position[k]) * t;
            mix_directions(v.normal, v.normal, w.normal, t);
            mix_directions(v.tangent, v.tangent, w.tangent, t);
        }
        store(d, &out->positions[3 * i], v.position, d->metres, raw_space);
        if (out->normals)
            store(d, &out->normals[3 * i], v.normal, 1.0f, raw_space);
        if (out->tangents)
            store(d, &out->tangents[3 * i], v.tangent, 1.0f, raw_space);
    }
}

void bwi_decoder_resolution(const bwi_decoder *decoder, uint32_t clip, float step[3]) {
    const bwi_manifest_clip *c = &decoder->manifest->clips.data[clip];
    const uint32_t largest = bwi_texel_max_code(bwi_format_info_of(decoder->manifest->format)->type);
    for (int k = 0; k < 3; ++k) {
        const float reach = fmaxf(fabsf(c->bounds_min[k]), fabsf(c->bounds_max[k]));
        /* Half floats step by 2^-10 of their size, 2^-24 near zero; floats are exact. */
        step[k] = largest ? (c->bounds_max[k] - c->bounds_min[k]) / (float)largest
                  : bwi_format_info_of(decoder->manifest->format)->type == BWI_TEXEL_F16
                      ? reach / 1024.0f + 1.0f / 16777216.0f
                      : 0.0f;
    }
}
