/* SPDX-License-Identifier: MIT
 * The engines' spaces: one row an engine. */
#include "model/space.h"

static const struct space_row {
    const char *name;
    bwi_space_map map;
} engines[] = {
    [BW_ENGINE_GENERIC] = {"generic", {{"y", "right", "m"}, {0, 1, 2}, {1, 1, 1}, 1.0f}},
    [BW_ENGINE_UNITY] = {"unity", {{"y", "left", "m"}, {0, 1, 2}, {-1, 1, 1}, 1.0f}},
    [BW_ENGINE_UNREAL] = {"unreal", {{"z", "left", "cm"}, {0, 2, 1}, {1, 1, 1}, 100.0f}},
    [BW_ENGINE_GODOT] = {"godot", {{"y", "right", "m"}, {0, 1, 2}, {1, 1, 1}, 1.0f}},
    [BW_ENGINE_THREE] = {"three", {{"y", "right", "m"}, {0, 1, 2}, {1, 1, 1}, 1.0f}},
    [BW_ENGINE_BABYLON] = {"babylon", {{"y", "right", "m"}, {0, 1, 2}, {1, 1, 1}, 1.0f}},
    [BW_ENGINE_PLAYCANVAS] = {"playcanvas", {{"y", "right", "m"}, {0, 1, 2}, {1, 1, 1}, 1.0f}},
};

static const struct space_row *row_of(bw_engine engine) {
    const size_t index = (size_t)engine;
    return index < sizeof engines / sizeof engines[0] && engines[index].name ? &engines[index] : NULL;
}

const char *bwi_engine_name(bw_engine engine) {
    const struct space_row *row = row_of(engine);
    return row ? row->name : NULL;
}

const bwi_space_map *bwi_engine_space(bw_engine engine) {
    const struct space_row *row = row_of(engine);
    return row ? &row->map : NULL;
}

void bwi_space_map_positions(float *out, const float *gltf, size_t count, const bwi_space_map *map) {
    float factor[3];
    for (int k = 0; k < 3; ++k)
        factor[k] = map->scale * (float)map->sign[k];
    for (size_t i = 0; i < count; ++i) {
        float p[3] = {gltf[3 * i], gltf[3 * i + 1], gltf[3 * i + 2]};
        for (int k = 0; k < 3; ++k)
            out[3 * i + (size_t)k] = factor[k] * p[map->axis[k]];
    }
}

void bwi_space_map_directions(float *out, const float *gltf, size_t count, size_t stride, const bwi_space_map *map) {
    for (size_t i = 0; i < count; ++i) {
        float d[3] = {gltf[stride * i], gltf[stride * i + 1], gltf[stride * i + 2]};
        for (int k = 0; k < 3; ++k)
            out[stride * i + (size_t)k] = (float)map->sign[k] * d[map->axis[k]];
    }
}

int bwi_space_map_up(const bwi_space_map *map) {
    int up = 0;
    while (map->axis[up] != 1) /* glTF's y */
        ++up;
    return up;
}

int bwi_space_map_hand(const bwi_space_map *map) {
    const bool cyclic = (map->axis[0] + 1) % 3 == map->axis[1] && (map->axis[1] + 1) % 3 == map->axis[2];
    return (cyclic ? 1 : -1) * map->sign[0] * map->sign[1] * map->sign[2];
}

bwi_vec3 bwi_space_map_point(const double gltf[3], const bwi_space_map *map) {
    double out[3];
    for (int k = 0; k < 3; ++k)
        out[k] = (double)map->scale * map->sign[k] * gltf[map->axis[k]];
    return (bwi_vec3){out[0], out[1], out[2]};
}

bwi_vec3 bwi_space_map_direction(const double gltf[3], const bwi_space_map *map) {
    double out[3];
    for (int k = 0; k < 3; ++k)
        out[k] = map->sign[k] * gltf[map->axis[k]];
    return (bwi_vec3){out[0], out[1], out[2]};
}

bwi_mat4 bwi_space_map_matrix(const bwi_mat4 *gltf, const bwi_space_map *map) {
    bwi_mat4 out = bwi_mat4_identity();
    for (int column = 0; column < 3; ++column)
        for (int row = 0; row < 3; ++row)
            out.m[4 * column + row] =
                map->sign[row] * map->sign[column] * gltf->m[4 * map->axis[column] + map->axis[row]];
    for (int row = 0; row < 3; ++row)
        out.m[12 + row] = (double)map->scale * map->sign[row] * gltf->m[12 + map->axis[row]];
    return out;
}
