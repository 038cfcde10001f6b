/* SPDX-License-Identifier: MIT
 * The engines' spaces: where texture data live, and the way there from glTF's axes and metres. */
#ifndef BWI_MODEL_SPACE_H
#define BWI_MODEL_SPACE_H

#include "bakewell/vat.h"
#include "base/math.h"

/* Space of texture data, bounds and probes. */
typedef struct bwi_space_name {
    const char *up;         /* "y", "z" */
    const char *handedness; /* "right", "left" */
    const char *unit;       /* "m", "cm" */
} bwi_space_name;

/* Where texture data live: engine = scale · sign[k] · gltf[axis[k]] for each component k. */
typedef struct bwi_space_map {
    bwi_space_name name;
    uint8_t axis[3];
    int8_t sign[3];
    float scale;
} bwi_space_map;

/* Name of an engine, as typed, and the space that a mesh has after its import; NULL for DEFAULT and unknown values. */
const char *bwi_engine_name(bw_engine engine);
const bwi_space_map *bwi_engine_space(bw_engine engine);

/* gltf [count][3] into the engine's space, in place of out; the linear part only (no scale) for directions. */
void bwi_space_map_positions(float *out, const float *gltf, size_t count, const bwi_space_map *map);
void bwi_space_map_directions(float *out, const float *gltf, size_t count, size_t stride, const bwi_space_map *map);
bwi_vec3 bwi_space_map_point(const double gltf[3], const bwi_space_map *map);
bwi_vec3 bwi_space_map_direction(const double gltf[3], const bwi_space_map *map);

/* A world matrix of the source in the engine's space, as an object placed there is. */
bwi_mat4 bwi_space_map_matrix(const bwi_mat4 *gltf, const bwi_space_map *map);
/* +1 where the map keeps the hand, −1 where it changes it. */
int bwi_space_map_hand(const bwi_space_map *map);
/* Number of the engine's axis that points up. */
int bwi_space_map_up(const bwi_space_map *map);

#endif
