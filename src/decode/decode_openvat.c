/* SPDX-License-Identifier: MIT
 * OpenVAT's layout: offsets added to the mesh's positions, as its players compute them, in the axes of the texture data.
 * Source: docs/FORMATS.md; OpenVAT's players add (x, z, −y) to glTF's positions, v + frame / H, normals half the height below. */
#include <math.h>

#include "decode/decode_priv.h"

static void displace(float *out, const float *rest, const bwi_fetched *f, const bwi_manifest *m, size_t count) {
    for (size_t k = 0; k < 3; k++) {
        const float low = m->offset_min[k], side = m->offset_max[k] - m->offset_min[k];
        for (size_t i = 0; i < count; i++)
            out[3 * i + k] = rest[3 * i + k] + (low + side * f->value[k][i]);
    }
}

/* A texel that nobody wrote has no direction; up stands for it. */
static void direct(float *out, const bwi_fetched *f, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const float x = 2.0f * f->value[0][i] - 1.0f, y = 2.0f * f->value[1][i] - 1.0f,
                    z = 2.0f * f->value[2][i] - 1.0f;
        const float length = sqrtf(x * x + y * y + z * z);
        const bool none = !(length > 0.0f);
        out[3 * i] = none ? 0.0f : x / length;
        out[3 * i + 1] = none ? 0.0f : y / length;
        out[3 * i + 2] = none ? 1.0f : z / length;
    }
}

void bwi_openvat_block(const bwi_decoder *d, const bwi_decoded *out, size_t first, size_t at, size_t count) {
    bwi_fetched f = {.alpha_code = {0}};
    bwi_fetch(&f, &d->position, first, d->texel + at, count);
    displace(out->positions, d->rest + 3 * at, &f, d->manifest, count);
    if (!out->normals || !d->has_normals)
        return;
    const bwi_texels *normal = d->normal.data ? &d->normal : &d->position;
    if (!d->normal.data)
        first += (size_t)(d->position.height / 2) * d->width;
    bwi_fetch(&f, normal, first, d->texel + at, count);
    direct(out->normals, &f, count);
}

/* OpenVAT's own files state no bounds of positions: whatever is decoded lies within them. */
void bwi_openvat_resolution(const bwi_decoder *decoder, uint32_t clip, float step[3]) {
    const bwi_manifest *m = decoder->manifest;
    const bwi_manifest_clip *c = &m->clips.data[clip];
    const bwi_texel_type type = bwi_format_info_of(m->format)->type;
    for (int k = 0; k < 3; k++) {
        const float side = m->offset_max[k] - m->offset_min[k];
        const float reach = fmaxf(fabsf(c->bounds_min[k]), fabsf(c->bounds_max[k])) +
                            fmaxf(fabsf(m->offset_min[k]), fabsf(m->offset_max[k]));
        const float code = !bwi_texel_is_float(type) ? side / (float)bwi_texel_max_code(type)
                           : type == BWI_TEXEL_F16   ? side / 2048.0f
                                                     : 0.0f;
        step[k] = decoder->foreign ? INFINITY : code + reach / 4194304.0f; /* and the rounding of the float sums */
    }
}
