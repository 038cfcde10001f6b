/* SPDX-License-Identifier: MIT
 * Decoding a frame, whatever the bake's mode. */
#include "decode/decode_priv.h"

static bool has_bones(const bwi_decoder *d) {
    return d->manifest->bones.count > 0;
}

size_t bwi_decoder_scratch_size(const bwi_decoder *decoder) {
    if (has_bones(decoder))
        return bwi_bone_scratch_size(decoder);
    return decoder->manifest->levels.count ? 3 * (size_t)decoder->manifest->element_count : 0;
}

void bwi_decoder_frame(const bwi_decoder *decoder, const bwi_decoded *out, uint32_t clip, uint32_t frame,
                       float *scratch) {
    if (has_bones(decoder))
        bwi_bone_frame(decoder, &decoder->bone_mesh, out, clip, frame, scratch);
    else
        bwi_vertex_frame(decoder, out, clip, frame);
}

void bwi_decoder_between(const bwi_decoder *decoder, const bwi_decoded *out, const bwi_decoded *at, uint32_t clip,
                         uint32_t frame, float t, float *scratch) {
    if (has_bones(decoder))
        bwi_bone_between(decoder, out, clip, frame, t, scratch);
    else
        bwi_vertex_between(decoder, out, at, clip, frame, t);
}

void bwi_decoder_level_frame(const bwi_decoder *decoder, size_t level, float *positions, uint32_t clip, uint32_t frame,
                             float *scratch) {
    const bwi_decoded out = {positions, NULL, NULL};
    if (has_bones(decoder))
        bwi_bone_frame(decoder, &decoder->bone_levels[level], &out, clip, frame, scratch);
    else
        bwi_vertex_level_frame(decoder, level, positions, clip, frame, scratch);
}

void bwi_decoder_position(const bwi_decoder *decoder, float position[3], uint32_t clip, uint32_t frame,
                          uint32_t element) {
    if (has_bones(decoder))
        bwi_bone_position(decoder, position, clip, frame, element);
    else
        bwi_vertex_position(decoder, position, clip, frame, element);
}

void bwi_decoder_resolution(const bwi_decoder *decoder, uint32_t clip, float step[3]) {
    if (has_bones(decoder))
        bwi_bone_resolution(decoder, clip, step);
    else
        bwi_vertex_resolution(decoder, clip, step);
}

static void to_gltf(const bwi_decoder *d, float *vectors, size_t count, float scale) {
    for (size_t i = 0; vectors && i < count; i++) {
        const float in[3] = {vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]};
        for (int k = 0; k < 3; k++)
            vectors[3 * i + (size_t)d->axis[k]] = d->sign[k] * scale * in[k];
    }
}

void bwi_decoder_to_gltf(const bwi_decoder *decoder, const bwi_decoded *decoded, size_t count) {
    to_gltf(decoder, decoded->positions, count, decoder->metres);
    to_gltf(decoder, decoded->normals, count, 1.0f);
    to_gltf(decoder, decoded->tangents, count, 1.0f);
}
