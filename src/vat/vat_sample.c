/* SPDX-License-Identifier: MIT
 * What a frame's texels hold: the vertex list at the frame's time, in the engine's space, root motion taken out.  Measuring, encoding and
 * probes all come through here. */
#include <string.h>

#include "vat/vat_priv.h"

bwi_ground_move bwi_vat_move(const bwi_vat_clip *clip, uint32_t frame) {
    const bwi_root_track *root = &clip->out.root;
    bwi_ground_move move = {0};
    if (!root->node || (clip->out.closed && frame == clip->out.frame_count - 1))
        return move;
    memcpy(move.pivot, root->pivot, sizeof move.pivot);
    memcpy(move.translation, root->translation + 3 * (size_t)frame, sizeof move.translation);
    move.yaw_rad = root->yaw_rad[frame];
    return move;
}

/* The move's inverse: pivot + turn⁻¹(p − translation − pivot).  Up is the axis that `up` numbers; a and b follow it in the cycle x y z. */
static void undo_move(float *positions, float *normals, float *tangents, size_t count, const bwi_ground_move *move,
                      int up) {
    const size_t a = (size_t)(up + 1) % 3, b = (size_t)(up + 2) % 3;
    const double sine = bwi_sin((double)move->yaw_rad), cosine = bwi_cos((double)move->yaw_rad);
    const double pivot_a = (double)move->pivot[a], pivot_b = (double)move->pivot[b];
    const double from_a = pivot_a + (double)move->translation[a], from_b = pivot_b + (double)move->translation[b];
    for (size_t i = 0; i < count; ++i) {
        const double pa = (double)positions[3 * i + a] - from_a, pb = (double)positions[3 * i + b] - from_b;
        positions[3 * i + a] = (float)(pivot_a + (cosine * pa + sine * pb));
        positions[3 * i + b] = (float)(pivot_b + (cosine * pb - sine * pa));
    }
    float *const directions[2] = {normals, tangents};
    for (size_t k = 0; k < 2; ++k)
        for (size_t i = 0; directions[k] && i < count; ++i) {
            float *d = directions[k] + (3 + k) * i;
            const double da = (double)d[a], db = (double)d[b];
            d[a] = (float)(cosine * da + sine * db);
            d[b] = (float)(cosine * db - sine * da);
        }
}

/* pivot + turn⁻¹(world − translation − pivot). */
bwi_mat4 bwi_undo_move(const bwi_mat4 *world, const bwi_ground_move *move, int up) {
    const int a = (up + 1) % 3, b = (up + 2) % 3;
    const double sine = bwi_sin((double)move->yaw_rad), cosine = bwi_cos((double)move->yaw_rad);
    bwi_mat4 out = *world;
    for (int column = 0; column < 4; ++column) {
        const double *in = world->m + 4 * column;
        const double pivot_a = column == 3 ? (double)move->pivot[a] : 0.0;
        const double pivot_b = column == 3 ? (double)move->pivot[b] : 0.0;
        const double in_a = in[a] - (column == 3 ? pivot_a + (double)move->translation[a] : 0.0);
        const double in_b = in[b] - (column == 3 ? pivot_b + (double)move->translation[b] : 0.0);
        out.m[4 * column + a] = pivot_a + cosine * in_a + sine * in_b;
        out.m[4 * column + b] = pivot_b + cosine * in_b - sine * in_a;
    }
    return out;
}

static void evaluate(const bwi_vat_plan *plan, bwi_sampler *sampler, const bwi_vat_clip *clip, double time_s,
                     const bwi_ground_move *move, float *positions, float *normals, float *tangents) {
    const bwi_space_map *space = bwi_vat_space(&plan->settings);
    const size_t v = plan->list->vertex_count;
    bwi_sampler_evaluate(sampler, &clip->mix, time_s, positions, normals, tangents);
    bwi_space_map_positions(positions, positions, v, space);
    if (normals)
        bwi_space_map_directions(normals, normals, v, 3, space);
    if (tangents)
        bwi_space_map_directions(tangents, tangents, v, 4, space);
    if (clip->out.root.node)
        undo_move(positions, normals, tangents, v, move, bwi_space_map_up(space));
}

void bwi_vat_sample(const bwi_vat_plan *plan, bwi_sampler *sampler, const bwi_vat_clip *clip, uint32_t frame,
                    float *positions, float *normals, float *tangents) {
    const bwi_ground_move move = bwi_vat_move(clip, frame);
    evaluate(plan, sampler, clip, bwi_manifest_clip_time(plan->settings.layout, &clip->out, frame), &move, positions,
             normals, tangents);
}

void bwi_vat_sample_end(const bwi_vat_plan *plan, bwi_sampler *sampler, const bwi_vat_clip *clip, float *positions) {
    evaluate(plan, sampler, clip, clip->out.source_end_s, &clip->end, positions, NULL, NULL);
}
