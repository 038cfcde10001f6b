/* SPDX-License-Identifier: MIT
 * Textures of a manifest: what each means, and that all of them together hold every frame. */
#include <stdio.h>

#include "model/model_priv.h"

static bwi_texture_role role_of(bwi_texture_decode decode) {
    switch (decode) {
    case BWI_DECODE_BOUNDS:
    case BWI_DECODE_BOUNDS_OCT8:
    case BWI_DECODE_ABSOLUTE:
    case BWI_DECODE_OFFSET:
    case BWI_DECODE_OFFSET_NORMAL:
        return BWI_ROLE_POSITION;
    case BWI_DECODE_OCT:
    case BWI_DECODE_OCT_OCT:
    case BWI_DECODE_NORMAL:
        return BWI_ROLE_NORMAL;
    case BWI_DECODE_BONE_QUATERNION:
    case BWI_DECODE_BONE_MATRIX:
        return BWI_ROLE_BONES;
    case BWI_DECODE_WEIGHTS:
        return BWI_ROLE_WEIGHTS;
    }
    return BWI_ROLE_POSITION;
}

static bool read_texture(bwi_reader *r, bwi_manifest_texture *texture, const bwi_place *at, const json_t *item) {
    int role, decode;
    if (!json_is_object(item))
        return bwi_refuse(r, at, item, "an object");
    if (!bwi_get_file_name(r, &texture->file, at, item, "file") ||
        !bwi_get_name(r, &role, at, item, "role", bwi_texture_role_names) ||
        !bwi_get_uint(r, &texture->page, at, item, "page", 0, INT32_MAX) ||
        !bwi_get_uint(r, &texture->width, at, item, "width", 1, BWI_LARGEST_SIDE) ||
        !bwi_get_uint(r, &texture->height, at, item, "height", 1, BWI_LARGEST_SIDE) ||
        !bwi_get_format(r, &texture->format, at, item) ||
        !bwi_get_name(r, &decode, at, item, "decode", bwi_texture_decode_names) ||
        !bwi_get_uint64(r, &texture->bytes, at, item, "bytes", 0, INT64_MAX) ||
        !bwi_get_hash(r, texture->hash, at, item, "hash"))
        return false;
    texture->role = (bwi_texture_role)role;
    texture->decode = (bwi_texture_decode)decode;
    if (role_of(texture->decode) != texture->role)
        return bwi_refuse(r, &(bwi_place){at, "decode", 0}, json_object_get(item, "decode"), "one that fits the role");
    return true;
}

/* Pages of frames, or with the seed layout one page a clip. */
static uint64_t page_count(const bwi_manifest *m) {
    if (m->layout == BW_VAT_LAYOUT_SEED)
        return m->clips.count;
    uint64_t frames = m->frame_count, per_page = m->frames_per_page;
    if (frames <= per_page)
        return 1;
    return per_page < 2 ? UINT64_MAX : (frames - 1 + per_page - 2) / (per_page - 1);
}

/* Each page has one position texture, and either each or none has one of normals; every frame's rows lie inside. */
static bool check_positions(bwi_reader *r, const bwi_manifest *m, const json_t *textures) {
    static const bwi_place textures_at = {NULL, "textures", 0};
    uint64_t pages = page_count(m), count = m->textures.count;
    if (count != pages && count != 2 * pages) {
        char expected[120];
        snprintf(expected, sizeof expected, "%llu pages of positions, with or without as many of normals",
                 (unsigned long long)pages);
        return bwi_refuse(r, &textures_at, textures, expected);
    }
    uint8_t *seen = bwi_take(r, (size_t)count, sizeof *seen);
    if (!seen)
        return false;
    for (size_t k = 0; k < count; k++) {
        const bwi_manifest_texture *texture = &m->textures.data[k];
        const json_t *item = json_array_get(textures, k);
        bwi_place at = {&textures_at, NULL, k};
        if (texture->role != BWI_ROLE_POSITION && texture->role != BWI_ROLE_NORMAL)
            return bwi_refuse(r, &(bwi_place){&at, "role", 0}, json_object_get(item, "role"), "position or normal");
        uint64_t slot = texture->page + (texture->role == BWI_ROLE_NORMAL ? pages : 0);
        if (texture->page >= pages || slot >= count || seen[slot]++)
            return bwi_refuse(r, &(bwi_place){&at, "page", 0}, json_object_get(item, "page"),
                              "each page once for each role");
        uint64_t frames = m->frame_count;
        if (m->layout == BW_VAT_LAYOUT_SEED)
            frames = m->clips.data[texture->page].frame_count;
        else if (frames > m->frames_per_page)
            frames = m->frames_per_page;
        if ((uint64_t)texture->width * m->rows_per_frame < m->element_count)
            return bwi_refuse(r, &(bwi_place){&at, "width", 0}, json_object_get(item, "width"),
                              "room for every element of a frame");
        if (texture->height < frames * m->rows_per_frame)
            return bwi_refuse(r, &(bwi_place){&at, "height", 0}, json_object_get(item, "height"),
                              "room for every frame of the page");
        if (texture->width != m->textures.data[0].width)
            return bwi_refuse(r, &(bwi_place){&at, "width", 0}, json_object_get(item, "width"),
                              "the width of every other texture");
    }
    return true;
}

/* Whether texels of a format can hold bones: codes of 16 bits or floats, matrices in 32 bits. */
static bool holds_bones(const bwi_manifest_texture *texture, const bwi_manifest_bones *bones) {
    const bwi_texel_type type = bwi_format_info_of(texture->format)->type;
    if (bones->texel_count == 3)
        return texture->decode == BWI_DECODE_BONE_MATRIX && type == BWI_TEXEL_F32;
    return texture->decode == BWI_DECODE_BONE_QUATERNION && (type == BWI_TEXEL_U16 || bwi_texel_is_float(type));
}

static bool check_bone_page(bwi_reader *r, const bwi_manifest *m, const bwi_manifest_texture *texture,
                            const bwi_place *at, const json_t *item) {
    const bwi_manifest_bones *bones = &m->bones;
    const uint64_t frames = m->frame_count < m->frames_per_page ? m->frame_count : m->frames_per_page;
    const uint32_t fit = texture->width / bones->texel_count;
    if (!holds_bones(texture, bones))
        return bwi_refuse(r, &(bwi_place){at, "decode", 0}, json_object_get(item, "decode"),
                          "what bones.texels says, in a format that can hold it");
    if (texture->format != m->format)
        return bwi_refuse(r, &(bwi_place){at, "format", 0}, json_object_get(item, "format"), "the format of the bake");
    /* Powers of two may be wider than their bones. */
    if (fit != bones->per_row || (!m->options.pow2 && texture->width % bones->texel_count))
        return bwi_refuse(r, &(bwi_place){at, "width", 0}, json_object_get(item, "width"),
                          "bones.texels × bones.per_row");
    if (texture->height < (frames + 1) * m->rows_per_frame)
        return bwi_refuse(r, &(bwi_place){at, "height", 0}, json_object_get(item, "height"),
                          "room for the reference block and every frame of the page");
    return true;
}

static bool check_weights(bwi_reader *r, const bwi_manifest *m, const bwi_manifest_texture *texture,
                          const bwi_place *at, const json_t *item) {
    const bwi_texel_type type = bwi_format_info_of(texture->format)->type;
    const uint64_t rows = bwi_blocks_of(m->element_count, texture->width), blocks = m->bones.influence_count / 2;
    if (type != BWI_TEXEL_U16 && type != BWI_TEXEL_F32)
        return bwi_refuse(r, &(bwi_place){at, "format", 0}, json_object_get(item, "format"),
                          "one of 16-bit codes or 32-bit floats");
    if (texture->height < blocks * rows || texture->height % blocks)
        return bwi_refuse(r, &(bwi_place){at, "height", 0}, json_object_get(item, "height"),
                          "blocks of equal height with room for the bones and weights of every vertex");
    return true;
}

/* Each page has one bone texture; one texture has the weights, where the mesh has not. */
static bool check_bones(bwi_reader *r, const bwi_manifest *m, const json_t *textures) {
    static const bwi_place textures_at = {NULL, "textures", 0};
    const bool weights = m->bones.skin_in == BW_VAT_SKIN_IN_TEXTURE;
    const uint64_t pages = page_count(m), count = m->textures.count;
    if (pages > count || count != pages + (weights ? 1 : 0)) {
        char expected[120];
        snprintf(expected, sizeof expected, "%llu pages of bones%s", (unsigned long long)pages,
                 weights ? ", and a texture of weights" : "");
        return bwi_refuse(r, &textures_at, textures, expected);
    }
    uint8_t *seen = bwi_take(r, (size_t)count, sizeof *seen);
    if (!seen)
        return false;
    for (size_t k = 0; k < count; k++) {
        const bwi_manifest_texture *texture = &m->textures.data[k];
        const json_t *item = json_array_get(textures, k);
        const bwi_place at = {&textures_at, NULL, k};
        const bool bones = texture->role == BWI_ROLE_BONES;
        if (!bones && !(weights && texture->role == BWI_ROLE_WEIGHTS))
            return bwi_refuse(r, &(bwi_place){&at, "role", 0}, json_object_get(item, "role"),
                              weights ? "bones or weights" : "bones");
        if (texture->page >= (bones ? pages : 1) || seen[bones ? texture->page : pages]++)
            return bwi_refuse(r, &(bwi_place){&at, "page", 0}, json_object_get(item, "page"),
                              "each page of bones once, weights as page 0");
        if (!(bones ? check_bone_page : check_weights)(r, m, texture, &at, item))
            return false;
    }
    return true;
}

bool bwi_manifest_read_textures(bwi_reader *r, bwi_manifest *m, const json_t *root) {
    static const bwi_place textures_at = {NULL, "textures", 0};
    const json_t *textures;
    if (!bwi_get_array(r, &textures, NULL, root, "textures"))
        return false;
    size_t count = json_array_size(textures);
    m->textures.data = bwi_take(r, count, sizeof *m->textures.data);
    if (!m->textures.data)
        return false;
    m->textures.count = count;
    for (size_t k = 0; k < count; k++) {
        if (!read_texture(r, &m->textures.data[k], &(bwi_place){&textures_at, NULL, k}, json_array_get(textures, k)))
            return false;
    }
    return (m->bones.count ? check_bones : check_positions)(r, m, textures);
}
