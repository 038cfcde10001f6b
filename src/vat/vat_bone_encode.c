/* SPDX-License-Identifier: MIT
 * Bones into texels, a page at a time, frames in parallel.  Source: docs/FORMATS.md §11. */
#include <string.h>

#include "base/half.h"
#include "vat/vat_priv.h"

/* Codes of a quaternion: 0 is 32768, ±1 is 32767 away. */
enum { QUATERNION_ZERO = 32768, QUATERNION_ONE = 32767 };

/* Lengths that a stored quaternion may have: 1 … just above ½. */
enum { LENGTHS = 256 };

typedef struct encode_bones {
    const bwi_vat_plan *plan;
    const bwi_texels *image;
    const bwi_vec3 *pivots; /* [B], decoded */
} encode_bones;

typedef struct bone_place {
    size_t column, row;
} bone_place;

/* In: block — 0: the reference block, l + 1: the page's frame l. */
static bone_place place_of(const bwi_vat_plan *plan, uint32_t bone, size_t block) {
    return (bone_place){(size_t)plan->bones.texel_count * (bone % plan->bones.per_row),
                        block * plan->rows_per_frame + bone / plan->bones.per_row};
}

/* Square of the sine of half the angle between the rotations. */
static double distance(const double q[4], const double codes[4]) {
    double dot = 0.0, square = 0.0, off = 0.0;
    for (int k = 0; k < 4; ++k) {
        dot += q[k] * codes[k];
        square += codes[k] * codes[k];
    }
    for (int k = 0; k < 4; ++k)
        off += (codes[k] - dot * q[k]) * (codes[k] - dot * q[k]);
    return off / square;
}

/* Of the lengths the one whose rounded codes point nearest to the rotation; the first of equals. */
static void encode_quaternion(bwi_texel *out, bwi_quat rotation) {
    const double q[4] = {rotation.x, rotation.y, rotation.z, rotation.w};
    double least = 2.0;
    for (int k = 0; k < 4; ++k)
        out->value[k] = (float)q[k];
    for (int j = 0; j < LENGTHS; ++j) {
        const double length = QUATERNION_ONE * (1.0 - j / (2.0 * LENGTHS));
        uint32_t codes[4];
        double centred[4];
        for (int k = 0; k < 4; ++k) {
            codes[k] = (uint32_t)(length * q[k] + QUATERNION_ZERO + 0.5);
            centred[k] = (double)codes[k] - QUATERNION_ZERO;
        }
        const double off = distance(q, centred);
        if (off < least) {
            least = off;
            memcpy(out->code, codes, sizeof codes);
        }
    }
}

static void put_similarity(const encode_bones *e, bone_place at, const double pivot[3], const float min[3],
                           const float max[3], double scale, double scale_part, bwi_quat rotation) {
    const bwi_texel_type type = e->image->type;
    bwi_texel texel;
    for (int k = 0; k < 3; ++k)
        bwi_texel_set_range(&texel, k, pivot[k], min[k], max[k], type);
    bwi_texel_set(&texel, 3, scale_part, type);
    texel.value[3] = (float)scale;
    bwi_texel_put(e->image, at.column, at.row, &texel);
    encode_quaternion(&texel, rotation);
    bwi_texel_put(e->image, at.column + 1, at.row, &texel);
}

static void put_matrix(const encode_bones *e, bone_place at, const double pivot[3], const bwi_mat4 *m) {
    for (size_t row = 0; row < 3; ++row) {
        bwi_texel texel = {.code = {0}};
        for (size_t column = 0; column < 3; ++column)
            texel.value[column] = (float)m->m[4 * column + row];
        texel.value[3] = (float)pivot[row];
        bwi_texel_put(e->image, at.column + row, at.row, &texel);
    }
}

static void encode_reference(const encode_bones *e) {
    const bwi_vat_plan *plan = e->plan;
    const bwi_mat4 none = bwi_mat4_identity();
    for (uint32_t b = 0; b < plan->palette->bone_count; ++b) {
        const bone_place at = place_of(plan, b, 0);
        const bwi_vec3 p = bwi_space_map_point(plan->palette->bones[b].pivot, bwi_vat_space(&plan->settings));
        const double pivot[3] = {p.x, p.y, p.z};
        if (plan->settings.position_decode == BWI_DECODE_BONE_MATRIX)
            put_matrix(e, at, pivot, &none);
        else
            put_similarity(e, at, pivot, plan->bones.pivot_min, plan->bones.pivot_max, 1.0, 1.0,
                           (bwi_quat){0.0, 0.0, 0.0, 1.0});
    }
}

static bw_result encode_frame(void *ctx, size_t index, const bwi_frame *frame, bw_error *error) {
    const encode_bones *e = ctx;
    const bwi_vat_plan *plan = e->plan;
    const bwi_manifest_clip *clip = &frame->clip->out;
    (void)error;
    for (uint32_t b = 0; b < plan->palette->bone_count; ++b) {
        const bone_place at = place_of(plan, b, index + 1);
        const bwi_mat4 *m = &frame->poses[b];
        const bwi_vec3 p = bwi_mat4_point(m, e->pivots[b]);
        const double pivot[3] = {p.x, p.y, p.z};
        if (plan->settings.position_decode == BWI_DECODE_BONE_MATRIX) {
            put_matrix(e, at, pivot, m);
            continue;
        }
        bwi_quat rotation;
        double scale;
        bwi_mat4_similarity(&rotation, &scale, m, (bwi_quat){0.0, 0.0, 0.0, 1.0});
        put_similarity(e, at, pivot, clip->pivot_min, clip->pivot_max, scale, scale / (double)clip->max_scale,
                       rotation);
    }
    return BW_OK;
}

/* ---- neighbours on one side ---- */

static uint8_t *texel_at(const encode_bones *e, bone_place at) {
    const size_t size = bwi_texel_size(e->image->type);
    return (uint8_t *)e->image->data + (at.row * e->image->width + at.column) * size;
}

/* Channel of a quaternion, up to a factor, or of a scale. */
static double channel_of(const uint8_t *texel, int k, bwi_texel_type type, double zero) {
    uint16_t code;
    float value;
    memcpy(&value, texel + sizeof value * (type == BWI_TEXEL_F32 ? (size_t)k : 0), sizeof value);
    memcpy(&code, texel + sizeof code * (type == BWI_TEXEL_F32 ? 0 : (size_t)k), sizeof code);
    return type == BWI_TEXEL_F32   ? (double)value
           : type == BWI_TEXEL_F16 ? (double)bwi_half_to_float(code)
                                   : (double)code - zero;
}

static bool is_opposite(const uint8_t *a, const uint8_t *b, bwi_texel_type type) {
    double dot = 0.0;
    for (int k = 0; k < 4; ++k)
        dot += channel_of(a, k, type, QUATERNION_ZERO) * channel_of(b, k, type, QUATERNION_ZERO);
    return dot < 0.0;
}

static void negate(uint8_t *texel, bwi_texel_type type) {
    if (type == BWI_TEXEL_F32) {
        float v[4];
        memcpy(v, texel, sizeof v);
        for (int k = 0; k < 4; ++k)
            v[k] = 0.0f - v[k]; /* no −0 */
        memcpy(texel, v, sizeof v);
        return;
    }
    uint16_t v[4];
    memcpy(v, texel, sizeof v);
    for (int k = 0; k < 4; ++k) /* codes lie between 1 and 65535 */
        v[k] = (uint16_t)(type == BWI_TEXEL_F16 ? v[k] & 0x7FFF ? v[k] ^ 0x8000 : 0 : 2 * QUATERNION_ZERO - v[k]);
    memcpy(texel, v, sizeof v);
}

/* q and −q are one rotation: inside a clip neighbours are kept on one side.  What has no extent keeps the rotation of the frame before, or of
 * the first one after that has, so that it turns by nothing while it grows.  In: goes_on — the first frame was on the page before. */
static void keep_sides(const encode_bones *e, const bwi_vat_page *page, uint32_t bone, bool goes_on) {
    const bwi_texel_type type = e->image->type;
    const size_t size = bwi_texel_size(type);
    const uint8_t *last = goes_on ? texel_at(e, place_of(e->plan, bone, 1)) + size : NULL;
    uint32_t waiting = 0;
    for (uint32_t l = goes_on; l < page->frame_count; ++l) {
        uint32_t local = 0;
        bwi_vat_clip_of_frame(e->plan, page->first_frame + l, &local);
        if (local == 0) {
            last = NULL;
            waiting = l;
        }
        uint8_t *pivot = texel_at(e, place_of(e->plan, bone, l + 1)), *rotation = pivot + size;
        if (channel_of(pivot, 3, type, 0.0) == 0.0) {
            if (last)
                memcpy(rotation, last, size);
            continue;
        }
        if (last && is_opposite(last, rotation, type))
            negate(rotation, type);
        for (; !last && waiting < l; ++waiting)
            memcpy(texel_at(e, place_of(e->plan, bone, waiting + 1)) + size, rotation, size);
        last = rotation;
    }
}

bw_result bwi_encode_bones(const bwi_vat_plan *plan, uint32_t page, const bwi_texels *image, void *carried,
                           const bwi_env *env, bw_error *error) {
    const bwi_vat_page *p = &plan->pages[page];
    const uint32_t count = plan->palette->bone_count;
    bwi_vec3 *pivots = bwi_alloc(env->mem, count, sizeof *pivots);
    if (!pivots)
        return bwi_fail_memory(error, NULL, env->mem, count * sizeof *pivots);
    for (uint32_t b = 0; b < count; ++b)
        pivots[b] = bwi_bone_pivot(plan, b);
    encode_bones e = {plan, image, pivots};
    encode_reference(&e);
    bw_result result =
        bwi_walk_frames(plan, p->first_frame, p->frame_count, BWI_WALK_POSES, 0, encode_frame, &e, env, error);
    const bool goes_on = carried && page > 0;
    const size_t block = bwi_carried_size(plan);
    if (result == BW_OK && goes_on)
        memcpy((uint8_t *)image->data + block, carried, block);
    for (uint32_t b = 0; result == BW_OK && b < count && plan->settings.position_decode == BWI_DECODE_BONE_QUATERNION;
         ++b)
        keep_sides(&e, p, b, goes_on);
    if (result == BW_OK && carried)
        memcpy(carried, (uint8_t *)image->data + p->frame_count * block, block);
    bwi_free(env->mem, pivots);
    return result;
}
