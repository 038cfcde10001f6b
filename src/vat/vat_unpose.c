/* SPDX-License-Identifier: MIT
 * Meshes of levels of detail in the pose that the base's is written in: what the bones do at rest, undone. */
#include <float.h>

#include "vat/vat_priv.h"

/* A matrix between points in the space of the texture data, as one between points in glTF's. */
static bwi_mat4 to_gltf(const bwi_mat4 *m, const bwi_space_map *map) {
    bwi_mat4 out = bwi_mat4_identity();
    for (int column = 0; column < 3; ++column)
        for (int row = 0; row < 3; ++row)
            out.m[4 * map->axis[column] + map->axis[row]] = map->sign[row] * map->sign[column] * m->m[4 * column + row];
    for (int row = 0; row < 3; ++row)
        out.m[12 + map->axis[row]] = map->sign[row] * m->m[12 + row] / (double)map->scale;
    return out;
}

static bwi_vec3 load(const float *v) {
    return (bwi_vec3){(double)v[0], (double)v[1], (double)v[2]};
}

static void store(float *out, bwi_vec3 v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static bool fits_float(bwi_vec3 v) {
    return bwi_vec3_length(v) <= (double)FLT_MAX;
}

/* Normals go by the transpose, since forward they go by the inverse of that. */
static bwi_vec3 turn_back(const bwi_mat4 *m, bwi_vec3 n) {
    const double *c = m->m;
    return bwi_vec3_normalize((bwi_vec3){c[0] * n.x + c[1] * n.y + c[2] * n.z, c[4] * n.x + c[5] * n.y + c[6] * n.z,
                                         c[8] * n.x + c[9] * n.y + c[10] * n.z});
}

static void unpose(float *positions, float *normals, float *tangents, const bwi_palette *palette, uint32_t element,
                   const bwi_mat4 *poses) {
    const bwi_mat4 m = bwi_palette_blend(palette, element, poses);
    bwi_mat4 back;
    if (!bwi_mat4_inverse_affine(&back, &m) || !fits_float(bwi_mat4_point(&back, load(positions)))) {
        store(positions, load(palette->positions + 3 * (size_t)element));
        store(normals, load(palette->normals + 3 * (size_t)element));
        return;
    }
    store(positions, bwi_mat4_point(&back, load(positions)));
    store(normals, turn_back(&m, load(normals)));
    if (!tangents)
        return;
    store(tangents, bwi_vec3_normalize(bwi_mat4_direction(&back, load(tangents))));
    tangents[3] = bwi_mat4_det3(&m) < 0.0 ? -tangents[3] : tangents[3];
}

bw_result bwi_palette_unpose(float *positions, float *normals, float *tangents, const bwi_vat_plan *plan,
                             const uint32_t *map, uint32_t count, bwi_mem *mem, bw_error *error) {
    const bwi_palette *palette = plan->palette;
    bwi_sampler *sampler = NULL;
    bwi_mat4 *poses = bwi_alloc(mem, palette->bone_count, sizeof *poses);
    float *scratch = bwi_alloc(mem, plan->list->vertex_count, 3 * sizeof *scratch);
    bw_result result = poses && scratch ? bwi_sampler_create(&sampler, plan->list, mem, error)
                                        : bwi_fail_memory(error, NULL, mem, palette->bone_count * sizeof *poses);
    if (result == BW_OK) {
        bwi_palette_rest(poses, plan, sampler, scratch);
        for (uint32_t b = 0; b < palette->bone_count; ++b)
            poses[b] = to_gltf(&poses[b], bwi_vat_space(&plan->settings));
        for (size_t k = 0; k < count; ++k)
            unpose(positions + 3 * k, normals + 3 * k, tangents ? tangents + 4 * k : NULL, palette, map[k], poses);
    }
    bwi_sampler_free(sampler);
    bwi_free(mem, scratch);
    bwi_free(mem, poses);
    return result;
}
