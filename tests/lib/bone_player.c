/* SPDX-License-Identifier: MIT
 * Plays pages of bones by docs/FORMATS.md §11 in double, for tests of what fills them. */
#include "bone_player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"

static bool is_integer(const plan_fixture *f) {
    return f->positions.type == BWI_TEXEL_U16;
}

static void fetch(double out[4], const plan_fixture *f, size_t column, size_t row) {
    const uint8_t *at =
        (const uint8_t *)f->positions.data + (row * f->positions.width + column) * bwi_texel_size(f->positions.type);
    for (size_t k = 0; k < 4; k++) {
        uint16_t code;
        float value;
        if (f->positions.type == BWI_TEXEL_F32) {
            memcpy(&value, at + 4 * k, 4);
            out[k] = (double)value;
            continue;
        }
        memcpy(&code, at + 2 * k, 2);
        out[k] = is_integer(f) ? code : (double)bwi_half_to_float(code);
    }
}

static void turn(double m[9], const double q[4], double scale) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int k = 0; k < 9; k++)
        m[k] = scale * r[k];
}

static void normalise(double q[4]) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        q[k] /= length;
}

played_bone play_bone(const plan_fixture *f, uint32_t bone, uint32_t block, const bwi_manifest_clip *clip) {
    const bwi_manifest_bones *b = &f->plan.bones;
    const size_t column = b->texel_count * (bone % b->per_row),
                 row = block * f->plan.rows_per_frame + bone / b->per_row;
    const float *min = block ? clip->pivot_min : b->pivot_min, *max = block ? clip->pivot_max : b->pivot_max;
    played_bone out;
    double t[3][4];
    for (size_t k = 0; k < b->texel_count; k++)
        fetch(t[k], f, column + k, row);
    if (b->texel_count == 3) {
        for (int k = 0; k < 3; k++) {
            out.pivot[k] = t[k][3];
            memcpy(out.m + 3 * k, t[k], 3 * sizeof(double));
        }
        return out;
    }
    for (int k = 0; k < 3; k++)
        out.pivot[k] = is_integer(f) ? (double)min[k] + ((double)max[k] - (double)min[k]) * (t[0][k] / 65535) : t[0][k];
    out.scale = is_integer(f) ? (block ? (double)clip->max_scale : 1) * (t[0][3] / 65535) : t[0][3];
    for (int k = 0; k < 4; k++)
        out.q[k] = is_integer(f) ? (t[1][k] - 32768) / 32767 : t[1][k];
    normalise(out.q);
    turn(out.m, out.q, out.scale);
    return out;
}

static played_bone mix(const played_bone *a, const played_bone *b, double weight, uint32_t texel_count) {
    played_bone out = *a;
    double dot = 0;
    for (int k = 0; k < 3; k++)
        out.pivot[k] += (b->pivot[k] - a->pivot[k]) * weight;
    if (texel_count == 3) {
        for (int k = 0; k < 9; k++)
            out.m[k] += (b->m[k] - a->m[k]) * weight;
        return out;
    }
    for (int k = 0; k < 4; k++)
        dot += a->q[k] * b->q[k];
    for (int k = 0; k < 4; k++)
        out.q[k] += ((dot < 0 ? -b->q[k] : b->q[k]) - a->q[k]) * weight;
    normalise(out.q);
    out.scale += (b->scale - a->scale) * weight;
    turn(out.m, out.q, out.scale);
    return out;
}

void play_vertices(double *positions, const plan_fixture *f, uint32_t l, double weight) {
    const bwi_palette *p = f->plan.palette;
    const bwi_space_map *space = bwi_vat_space(&f->plan.settings);
    played_bone *bones = calloc(2 * (size_t)p->bone_count, sizeof *bones);
    uint32_t local = 0;
    const bwi_manifest_clip *clip =
        &bwi_vat_clip_of_frame(&f->plan, f->plan.pages[f->page].first_frame + l, &local)->out;
    for (uint32_t b = 0; b < p->bone_count; b++) {
        const played_bone first = play_bone(f, b, l + 1, clip),
                          second = weight > 0 ? play_bone(f, b, l + 2, clip) : first;
        bones[2 * b] = play_bone(f, b, 0, clip);
        bones[2 * b + 1] = mix(&first, &second, weight, f->plan.bones.texel_count);
    }
    for (size_t v = 0; v < f->plan.list->vertex_count; v++) {
        float x[3];
        bwi_space_map_positions(x, p->positions + 3 * v, 1, space);
        double *out = positions + 3 * v;
        out[0] = out[1] = out[2] = 0;
        for (size_t i = v * p->influence_count, end = i + p->influence_count; i < end; i++) {
            const played_bone *reference = &bones[2 * p->indices[i]], *bone = reference + 1;
            for (size_t row = 0; row < 3; row++) {
                double sum = bone->pivot[row];
                for (size_t k = 0; k < 3; k++)
                    sum += bone->m[3 * row + k] * ((double)x[k] - reference->pivot[k]);
                out[row] += p->weights[i] / 65535.0 * sum;
            }
        }
    }
    free(bones);
}
