/* SPDX-License-Identifier: MIT
 * Grooms as cyHair (.hair): points, thickness and colour of every strand; right-handed, Z up, centimetres.
 * Source: Cem Yuksel, "HAIR file format", https://www.cemyuksel.com/research/hairmodels/. */
#include <string.h>

#include "base/file.h"
#include "write/write_priv.h"

enum { HEAD_SIZE = 128, HAS_SEGMENTS = 1, HAS_POINTS = 2, HAS_THICKNESS = 4, HAS_COLORS = 16 };

static void put_u32(uint8_t *to, uint32_t value) {
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static void put_f32(uint8_t *to, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(to, bits);
}

static bw_result put(FILE *file, const char *path, const void *bytes, size_t size, bw_error *error) {
    return fwrite(bytes, 1, size, file) == size
               ? BW_OK
               : bwi_fail(error, BW_ERR_FILE_WRITE, path, -1,
                          "could not be written whole; free some space or choose another folder");
}

static bw_result put_head(FILE *file, const char *path, const bw_groom *groom, bw_error *error) {
    static const char INFO[] = "Bakewell, right-handed, Z up, centimetres";
    uint8_t head[HEAD_SIZE] = {'H', 'A', 'I', 'R'};
    put_u32(head + 4, groom->strand_count);
    put_u32(head + 8, groom->point_count);
    put_u32(head + 12,
            HAS_SEGMENTS | HAS_POINTS | (groom->widths ? HAS_THICKNESS : 0) | (groom->colors ? HAS_COLORS : 0));
    put_u32(head + 16, 1); /* defaults: one segment, no thickness, opaque, grey */
    for (int i = 0; i < 3; i++)
        put_f32(head + 28 + 4 * i, 0.5f);
    memcpy(head + 40, INFO, sizeof INFO);
    return put(file, path, head, sizeof head, error);
}

static bw_result put_segments(FILE *file, const char *path, const bw_groom *groom, bw_error *error) {
    bw_result result = BW_OK;
    for (uint32_t s = 0; result == BW_OK && s < groom->strand_count; s++) {
        const uint32_t segments = groom->first_points[s + 1] - groom->first_points[s] - 1;
        const uint8_t bytes[2] = {(uint8_t)segments, (uint8_t)(segments >> 8)};
        result = put(file, path, bytes, sizeof bytes, error);
    }
    return result;
}

/* In: flips_y — from a left-handed space to a right-handed one. */
static bw_result put_floats(FILE *file, const char *path, const float *values, size_t count, bool flips_y,
                            bw_error *error) {
    bw_result result = BW_OK;
    for (size_t i = 0; result == BW_OK && i < count; i++) {
        uint8_t bytes[4];
        put_f32(bytes, flips_y && i % 3 == 1 ? -values[i] : values[i]);
        result = put(file, path, bytes, sizeof bytes, error);
    }
    return result;
}

bw_result bwi_write_groom_hair(FILE *file, const char *path, const bw_groom *groom, const char *name,
                               bw_groom_engine engine, const bwi_env *env, bwi_warnings *warnings, bw_error *error) {
    (void)name;
    (void)engine;
    (void)env;
    const size_t points = groom->point_count;
    bwi_warn(warnings, "attributes-left-out", 1,
             "cyHair holds points, thickness and colour; groups, ids and root UVs are left out", "%s",
             bwi_path_basename(path));
    if (groom->animation && groom->animation->sample_count > 1)
        bwi_warn(warnings, "motion-left-out", 1, "cyHair stands still: the first sample is written", "%s",
                 bwi_path_basename(path));
    bw_result result = put_head(file, path, groom, error);
    if (result == BW_OK)
        result = put_segments(file, path, groom, error);
    if (result == BW_OK)
        result = put_floats(file, path, groom->positions, 3 * points, true, error);
    if (result == BW_OK && groom->widths)
        result = put_floats(file, path, groom->widths, points, false, error);
    if (result == BW_OK && groom->colors)
        result = put_floats(file, path, groom->colors, 3 * points, false, error);
    return result;
}
