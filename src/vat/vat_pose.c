/* SPDX-License-Identifier: MIT
 * Where the bones of a palette stand in a frame, and what they do to a vertex. */
#include "base/half.h"
#include "vat/vat_priv.h"

/* From the world matrices of the sampler's last pose. */
static void place_bones(bwi_mat4 *poses, const bwi_vat_plan *plan, const bwi_sampler *sampler,
                        const bwi_ground_move *move) {
    const bwi_palette *palette = plan->palette;
    const bwi_space_map *space = bwi_vat_space(&plan->settings);
    const double *worlds = bwi_sampler_world_matrices(sampler);
    for (uint32_t b = 0; b < palette->bone_count; ++b) {
        const bwi_bone *bone = &palette->bones[b];
        if (bone->fitted)
            continue;
        bwi_mat4 pose = bone->bind;
        if (bone->node != BW_NO_INDEX) {
            bwi_mat4 world;
            for (int k = 0; k < 16; ++k)
                world.m[k] = worlds[16 * (size_t)bone->node + (size_t)k];
            pose = bwi_mat4_mul(&world, &bone->bind);
        }
        poses[b] = bwi_space_map_matrix(&pose, space);
        if (move)
            poses[b] = bwi_undo_move(&poses[b], move, bwi_space_map_up(space));
    }
}

void bwi_palette_pose(bwi_mat4 *poses, const bwi_vat_plan *plan, bwi_sampler *sampler, const bwi_vat_clip *clip,
                      uint32_t frame, float *positions) {
    const bwi_ground_move move = bwi_vat_move(clip, frame);
    if (plan->palette->members)
        bwi_vat_sample(plan, sampler, clip, frame, positions, NULL, NULL);
    else
        bwi_sampler_pose(sampler, &clip->mix, bwi_manifest_clip_time(plan->settings.layout, &clip->out, frame));
    place_bones(poses, plan, sampler, clip->out.root.node ? &move : NULL);
    if (plan->palette->members)
        bwi_fit_poses(poses, plan, positions);
}

void bwi_palette_rest(bwi_mat4 *poses, const bwi_vat_plan *plan, bwi_sampler *sampler, float *positions) {
    const bwi_clip_mix none = {NULL, 0};
    if (plan->palette->members) {
        bwi_sampler_evaluate(sampler, &none, 0.0, positions, NULL, NULL);
        bwi_space_map_positions(positions, positions, plan->list->vertex_count, bwi_vat_space(&plan->settings));
    } else {
        bwi_sampler_pose(sampler, &none, 0.0);
    }
    place_bones(poses, plan, sampler, NULL);
    if (plan->palette->members)
        bwi_fit_poses(poses, plan, positions);
}

bwi_mat4 bwi_palette_blend(const bwi_palette *palette, uint32_t vertex, const bwi_mat4 *poses) {
    const size_t first = (size_t)vertex * palette->influence_count;
    bwi_mat4 sum = {{0}};
    for (uint32_t i = 0; i < palette->influence_count; ++i) {
        const uint16_t code = palette->weights[first + i];
        const double weight = code / 65535.0;
        for (int k = 0; code && k < 16; ++k)
            sum.m[k] += weight * poses[palette->indices[first + i]].m[k];
    }
    return sum;
}

void bwi_palette_apply(float *positions, const bwi_vat_plan *plan, const bwi_mat4 *poses) {
    const bwi_palette *palette = plan->palette;
    bwi_space_map_positions(positions, palette->positions, plan->list->vertex_count, bwi_vat_space(&plan->settings));
    for (uint32_t v = 0; v < plan->list->vertex_count; ++v) {
        float *p = positions + 3 * (size_t)v;
        const bwi_mat4 blend = bwi_palette_blend(palette, v, poses);
        const bwi_vec3 out = bwi_mat4_point(&blend, (bwi_vec3){(double)p[0], (double)p[1], (double)p[2]});
        p[0] = (float)out.x;
        p[1] = (float)out.y;
        p[2] = (float)out.z;
    }
}

/* What channel k of a texel decodes to, in the order of floats that docs/FORMATS.md gives. */
static double decoded(const bwi_texel *texel, int k, float min, float max, bwi_texel_type type) {
    if (type == BWI_TEXEL_F16)
        return (double)bwi_half_to_float(bwi_half_from_float(texel->value[k]));
    if (type == BWI_TEXEL_F32)
        return (double)texel->value[k];
    return (double)(min + (max - min) * ((float)texel->code[k] / (float)bwi_texel_max_code(type)));
}

bwi_vec3 bwi_bone_pivot(const bwi_vat_plan *plan, uint32_t bone) {
    const bwi_texel_type type = plan->settings.format->type;
    const bwi_vec3 exact = bwi_space_map_point(plan->palette->bones[bone].pivot, bwi_vat_space(&plan->settings));
    const double coordinates[3] = {exact.x, exact.y, exact.z};
    double out[3];
    for (int k = 0; k < 3; ++k) {
        const float min = plan->bones.pivot_min[k], max = plan->bones.pivot_max[k];
        bwi_texel texel;
        bwi_texel_set_range(&texel, k, coordinates[k], min, max, type);
        out[k] = decoded(&texel, k, min, max, type);
    }
    return (bwi_vec3){out[0], out[1], out[2]};
}
