/* SPDX-License-Identifier: MIT
 * Wind on a tree, in double: the angle, axis and mask of an element, and both ways of putting them together.
 * The stock way turns the vertex at rest about each element and sums what that moves it; the chained way turns parents over children. */
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "decode/pivot.h"

static const double DROOP = -0.2;
static const int DROOP_POWER = 5;

void bw_wind_default(bw_wind *wind) {
    static const double TURNS = 0.009174; /* 3.3 degrees */
    *wind = (bw_wind){.direction = {1, 0, 0},
                      .side = {0, 1, 0},
                      .speed = 0.25,
                      .horizontal_speed = 1,
                      .gust_world_scale = 1,
                      .transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    for (int i = 0; i < BW_WIND_LEVELS; i++) {
        wind->levels[i] = (bw_wind_level){.animate = true,
                                          .animate_normals = true,
                                          .max_rotation = TURNS,
                                          .local_scale = i == BW_WIND_LEVELS - 1 ? 2 : 1,
                                          .dampening = 2,
                                          .random_influence = 0.25,
                                          .random_change_rate = 200,
                                          .shelter_bias = -1.25,
                                          .shelter_modulation = -0.444};
    }
    wind->levels[BW_WIND_LEVELS - 1].inherit[BW_WIND_LEVELS - 2] = 1;
}

void bw_wind_make_map(float *rgba) {
    /* Whole waves in both directions of each channel: amplitudes sum up to less than a half. */
    static const struct {
        int u, v;
        double amplitude, phase;
    } WAVES[4][3] = {
        {{1, 2, 0.22, 0.1}, {3, -1, 0.14, 0.7}, {5, 4, 0.08, 0.3}},
        {{2, 1, 0.22, 0.4}, {-1, 3, 0.14, 0.2}, {4, -5, 0.08, 0.9}},
        {{2, -2, 0.22, 0.8}, {1, 4, 0.14, 0.5}, {6, 1, 0.08, 0.6}},
        {{1, 0, 0.15, 0.0}, {2, 1, 0.08, 0.35}, {3, 2, 0.04, 0.15}},
    };
    for (int y = 0; y < BW_WIND_MAP_SIDE; y++) {
        for (int x = 0; x < BW_WIND_MAP_SIDE; x++) {
            for (int c = 0; c < 4; c++) {
                double value = c == 3 ? 0.49 : 0.5;
                for (int k = 0; k < 3; k++) {
                    double turns =
                        (double)(WAVES[c][k].u * x + WAVES[c][k].v * y) / BW_WIND_MAP_SIDE + WAVES[c][k].phase;
                    value += WAVES[c][k].amplitude * bwi_sin(2 * BWI_PI * (turns - floor(turns)));
                }
                rgba[((size_t)y * BW_WIND_MAP_SIDE + (size_t)x) * 4 + (size_t)c] = (float)value;
            }
        }
    }
}

static bwi_vec3 vec(const double v[3]) {
    return (bwi_vec3){v[0], v[1], v[2]};
}

static bool is_unit(const double v[3]) {
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    return square > 0.999 && square < 1.001;
}

static bool level_is_finite(const bw_wind_level *level) {
    const double values[] = {level->max_rotation, level->angle_offset,       level->local_scale,
                             level->dampening,    level->random_influence,   level->random_change_rate,
                             level->shelter_bias, level->shelter_modulation, level->inherit[0],
                             level->inherit[1],   level->inherit[2]};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (!bwi_is_finite(values[i]))
            return false;
    }
    return true;
}

bw_result bwi_wind_sampler_make(bwi_wind_sampler *sampler, const bw_wind *wind, float *scratch, bw_error *error) {
    const double scalars[] = {wind->time_s, wind->speed, wind->horizontal_speed, wind->gust_world_scale};
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        if (!bwi_is_finite(scalars[i]))
            return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "the wind's time, speeds and gust scale must be finite");
    }
    if (!(wind->gust_world_scale > 0))
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "the gust map's size in the world is %g cm; it must be above 0",
                        wind->gust_world_scale);
    if (!is_unit(wind->direction) || !is_unit(wind->side))
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "the wind's direction and the one across it must be unit vectors");
    for (int i = 0; i < BW_WIND_LEVELS; i++) {
        const bw_wind_level *level = &wind->levels[i];
        if (!level_is_finite(level) || !(level->dampening > 0) || level->random_change_rate == 0)
            return bwi_fail(
                error, BW_ERR_USAGE, NULL, -1,
                "level %d of the wind: numbers must be finite, the dampening above 0 (found %g), the change rate not 0",
                i + 1, level->dampening);
    }
    bwi_mat4 transform, inverse;
    memcpy(transform.m, wind->transform, sizeof transform.m);
    if (!bwi_mat4_inverse_affine(&inverse, &transform))
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "the instance's transform cannot be inverted: an axis has no length");
    *sampler = (bwi_wind_sampler){.wind = *wind, .map_rgba = wind->map.rgba};
    memcpy(sampler->inverse_transform, inverse.m, sizeof inverse.m);
    for (int i = 0; i < 3; i++)
        sampler->scale[i] = bwi_vec3_length(vec(wind->transform + 4 * i));
    if (!sampler->map_rgba) {
        bw_wind_make_map(scratch);
        sampler->map_rgba = scratch;
        sampler->wind.map = (bw_wind_map){BW_WIND_MAP_SIDE, BW_WIND_MAP_SIDE, scratch};
    }
    return BW_OK;
}

/* Four texels, mixed: a texture unit's own weights may have 8 bits only. */
static void sample_map(double rgba[4], const bw_wind_map *map, double u, double v) {
    double x = (u - floor(u)) * map->width - 0.5, y = (v - floor(v)) * map->height - 0.5;
    double left = floor(x), top = floor(y), fx = x - left, fy = y - top;
    uint32_t columns[2], rows[2];
    columns[0] = left < 0 ? map->width - 1 : (uint32_t)left % map->width;
    rows[0] = top < 0 ? map->height - 1 : (uint32_t)top % map->height;
    columns[1] = (columns[0] + 1) % map->width;
    rows[1] = (rows[0] + 1) % map->height;
    const float *texels[4];
    for (int i = 0; i < 4; i++)
        texels[i] = map->rgba + ((size_t)rows[i / 2] * map->width + columns[i % 2]) * 4;
    for (int c = 0; c < 4; c++) {
        double above = texels[0][c] + ((double)texels[1][c] - texels[0][c]) * fx;
        double below = texels[2][c] + ((double)texels[3][c] - texels[2][c]) * fx;
        rgba[c] = above + (below - above) * fy;
    }
}

/* How an element turns a vertex. */
typedef struct turn {
    bwi_vec3 pivot, axis; /* world space */
    double angle;         /* turns, of the element: before the mask */
    double masked;        /* turns, of the vertex */
    const bw_wind_level *level;
} turn;

static turn make_turn(const bwi_wind_sampler *sampler, const bwi_pivot_texel *texel, const bw_wind_level *level,
                      double inherited, bwi_vec3 at) {
    const bw_wind *wind = &sampler->wind;
    bwi_mat4 transform;
    memcpy(transform.m, wind->transform, sizeof transform.m);
    bwi_vec3 direction = vec(wind->direction);
    turn made = {.level = level, .pivot = bwi_mat4_point(&transform, vec(texel->pivot))};
    bwi_vec3 along = bwi_vec3_normalize(bwi_mat4_direction(&transform, vec(texel->axis)));
    bwi_vec3 tip = bwi_vec3_add(made.pivot, bwi_vec3_scale(along, texel->extent));

    double u = wind->time_s * wind->speed * level->local_scale + bwi_vec3_dot(direction, tip) / wind->gust_world_scale;
    double v = wind->time_s * wind->horizontal_speed + bwi_vec3_dot(vec(wind->side), tip) / wind->gust_world_scale;
    double gust[4], noise[4];
    sample_map(gust, &wind->map, u, v);
    sample_map(noise, &wind->map, u / level->random_change_rate, v / level->random_change_rate);

    double facing = bwi_vec3_dot(direction, along), nod = 1;
    for (int i = 0; i < DROOP_POWER; i++)
        nod *= facing > 0 ? facing : 0;
    bwi_vec3 bent = {direction.x, direction.y, direction.z + DROOP * nod};
    bwi_vec3 stray = {noise[0] - 0.5, noise[1] - 0.5, noise[2] - 0.5};
    bwi_vec3 axis = bwi_vec3_add(bwi_vec3_scale(stray, level->random_influence), bwi_vec3_cross(along, bent));
    made.axis = bwi_vec3_normalize(axis);

    made.angle = inherited + level->max_rotation * (level->angle_offset + gust[3]);
    if (level->use_shelter)
        made.angle *= (facing + level->shelter_bias) * level->shelter_modulation;
    bwi_vec3 from = bwi_vec3_sub(at, made.pivot);
    bwi_vec3 unscaled = {from.x / sampler->scale[0], from.y / sampler->scale[1], from.z / sampler->scale[2]};
    double mask = bwi_vec3_dot(unscaled, along) / (level->dampening * texel->extent);
    mask = mask < 0 ? 0 : mask > 1 ? 1 : mask;
    bool has_axis = bwi_vec3_dot(axis, axis) > 0; /* the stock functions give NaN without one */
    made.masked = has_axis ? made.angle * mask : 0;
    return made;
}

/* Where a turn takes a point, or with pivot (0, 0, 0) a direction. */
static bwi_vec3 turn_point(const turn *by, bwi_vec3 pivot, bwi_vec3 point) {
    double turns = by->masked - floor(by->masked), radians = 2 * BWI_PI * turns;
    bwi_vec3 from = bwi_vec3_sub(point, pivot);
    bwi_vec3 centre = bwi_vec3_scale(by->axis, bwi_vec3_dot(by->axis, from));
    bwi_vec3 out = bwi_vec3_sub(from, centre), across = bwi_vec3_cross(by->axis, out);
    bwi_vec3 turned = bwi_vec3_add(bwi_vec3_scale(out, bwi_cos(radians)), bwi_vec3_scale(across, bwi_sin(radians)));
    return bwi_vec3_add(pivot, bwi_vec3_add(centre, turned));
}

/* Turns of a chain, root side first.  An element's level is its place in the chain; deeper ones have the parameters of the last, and inherit from
 * the three above them. */
static void make_turns(turn *turns, const bwi_wind_sampler *sampler, const bwi_pivot_texel *chain, uint32_t count,
                       bwi_vec3 at) {
    for (uint32_t k = 0; k < count; k++) {
        uint32_t number = k < BW_WIND_LEVELS ? k : BW_WIND_LEVELS - 1;
        const bw_wind_level *level = &sampler->wind.levels[number];
        double inherited = 0;
        for (uint32_t j = 0; j < number; j++)
            inherited += turns[k - number + j].angle * level->inherit[j];
        turns[k] = make_turn(sampler, &chain[k], level, inherited, at);
    }
}

static void move_stock(bwi_vec3 *position, bwi_vec3 *normal, const turn *turns, uint32_t count) {
    bwi_vec3 rest = *position, origin = {0, 0, 0};
    for (uint32_t k = 0; k < count; k++) {
        if (!turns[k].level->animate)
            continue;
        bwi_vec3 there = turn_point(&turns[k], turns[k].pivot, rest);
        *position = bwi_vec3_add(*position, bwi_vec3_sub(there, rest));
        if (turns[k].level->animate_normals)
            *normal = bwi_vec3_normalize(turn_point(&turns[k], origin, *normal));
    }
}

static void move_chained(bwi_vec3 *position, bwi_vec3 *normal, const turn *turns, uint32_t count) {
    bwi_vec3 origin = {0, 0, 0};
    for (uint32_t k = count; k-- > 0;) {
        if (!turns[k].level->animate)
            continue;
        *position = turn_point(&turns[k], turns[k].pivot, *position);
        if (turns[k].level->animate_normals)
            *normal = turn_point(&turns[k], origin, *normal);
    }
    *normal = bwi_vec3_normalize(*normal);
}

static bwi_vec3 vec_at(const float *list, size_t index) {
    return (bwi_vec3){list[3 * index], list[3 * index + 1], list[3 * index + 2]};
}

static void put_at(float *list, size_t index, bwi_vec3 v) {
    list[3 * index] = (float)v.x;
    list[3 * index + 1] = (float)v.y;
    list[3 * index + 2] = (float)v.z;
}

/* By the inverse's transpose. */
static bwi_vec3 world_normal(const bwi_wind_sampler *sampler, bwi_vec3 n) {
    const double *m = sampler->inverse_transform;
    return bwi_vec3_normalize((bwi_vec3){m[0] * n.x + m[1] * n.y + m[2] * n.z, m[4] * n.x + m[5] * n.y + m[6] * n.z,
                                         m[8] * n.x + m[9] * n.y + m[10] * n.z});
}

void bwi_pivot_evaluate(float *positions, float *normals, const bwi_pivot_maps *maps, const bwi_wind_sampler *sampler,
                        bw_wind_evaluator evaluator, const float *uvs, const float *rest, const float *rest_normals,
                        size_t count) {
    bwi_pivot_texel chain[BWI_PIVOT_CHAIN_MAX];
    turn turns[BWI_PIVOT_CHAIN_MAX];
    bwi_mat4 transform;
    memcpy(transform.m, sampler->wind.transform, sizeof transform.m);
    for (size_t i = 0; i < count; i++) {
        bwi_vec3 position = bwi_mat4_point(&transform, vec_at(rest, i));
        bwi_vec3 normal = normals ? world_normal(sampler, vec_at(rest_normals, i)) : (bwi_vec3){0, 0, 1};
        uint32_t most = evaluator == BW_WIND_STOCK ? BW_WIND_LEVELS : BWI_PIVOT_CHAIN_MAX;
        uint32_t length = bwi_pivot_chain(chain, maps, uvs + 2 * i, most);
        make_turns(turns, sampler, chain, length, position);
        if (evaluator == BW_WIND_STOCK)
            move_stock(&position, &normal, turns, length);
        else
            move_chained(&position, &normal, turns, length);
        put_at(positions, i, position);
        if (normals)
            put_at(normals, i, normal);
    }
}
