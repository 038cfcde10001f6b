/* SPDX-License-Identifier: MIT
 * Wind on a Pivot Painter 2 tree: the parameters of the stock functions, and evaluating them. */
#ifndef BAKEWELL_WIND_H
#define BAKEWELL_WIND_H

#include "bakewell/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Levels that have parameters of their own: trunk, branch, twig, leaf. */
enum { BW_WIND_LEVELS = 4 };

typedef enum bw_wind_evaluator {
    BW_WIND_STOCK = 0, /* four levels, each turns the vertex at rest, offsets summed: what the engine's stock functions do */
    BW_WIND_CHAINED    /* any depth, turns composed parent over child: limbs stay attached at large angles */
} bw_wind_evaluator;

/* Parameters of one level.  Angles are in turns: 1 is 360 degrees. */
typedef struct bw_wind_level {
    bool animate, animate_normals;
    double max_rotation;  /* turns at full gust */
    double angle_offset;  /* part of max_rotation that is there without a gust */
    double local_scale;   /* of the speed at which the gust map moves past this level */
    double dampening;     /* lengths of the element to where the angle is whole: 2 gives the tip half of it */
    double random_influence, random_change_rate; /* how far the axis strays, and how many times larger the map of it is than that of gusts */
    bool use_shelter;     /* turned into the wind more than away from it: */
    double shelter_bias, shelter_modulation;
    double inherit[BW_WIND_LEVELS - 1]; /* of the angles of levels 1, 2, 3, what is added to this one's */
} bw_wind_level;

/* A gust map that repeats: RGB = turbulence around 0.5, A = gust, 0 to 1. */
typedef struct bw_wind_map {
    uint32_t width, height;
    const float *rgba; /* [height][width][4], row 0 = v 0 */
} bw_wind_map;

/* Space: Unreal's, Z up, left-handed, centimetres. */
typedef struct bw_wind {
    double direction[3]; /* unit, where the wind blows to */
    double side[3];      /* unit, across it */
    double time_s;
    double speed, horizontal_speed; /* of the gust map, repeats a second, along and across the wind; `speed` × local_scale */
    double gust_world_scale;        /* centimetres that one repeat of the gust map takes */
    bw_wind_level levels[BW_WIND_LEVELS];
    double transform[16]; /* of the instance, object to world, column-major, centimetres; invertible */
    bw_wind_map map;      /* {0}: made by Bakewell */
} bw_wind;

/* The parameters as the stock functions have them, with every level switched on (the stock ones are off).  Their gust_world_scale of 1 cm makes a
 * random phase of each element; for gusts that travel over a tree set some hundred. */
void bw_wind_default(bw_wind *wind);

/* The map that stands in where none is given: 64 × 64 texels, sums of whole waves, so that it repeats; A from 0.27 to 0.71.
 * Out: rgba — [64][64][4]. */
enum { BW_WIND_MAP_SIDE = 64 };
void bw_wind_make_map(float *rgba);

#ifdef __cplusplus
}
#endif
#endif
