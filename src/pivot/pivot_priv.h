/* SPDX-License-Identifier: MIT
 * What the files that find elements share. */
#ifndef BWI_PIVOT_PIVOT_PRIV_H
#define BWI_PIVOT_PIVOT_PRIV_H

#include "base/math.h"
#include "base/nearest.h"
#include "pivot/pivot.h"
#include "sample/sample.h"

/* Part by which the distance to a triangle may come out below that to its box: both are a few roundings off. */
#define BWI_PIVOT_BOX_SLACK 1e-9

/* A plan while it is found.  Everything is in scratch. */
typedef struct bwi_pivot_work {
    const bw_scene *scene;
    const bw_pivot_opts *opts;
    const bwi_env *env;
    bwi_warnings *warnings;
    bw_error *error;
    bwi_arena *scratch;
    bwi_vertex_list *list;
    float *positions, *normals, *tangents; /* of the list, at rest; tangents may be NULL */
    double *world;           /* [nodes][16] at rest */
    double diagonal;         /* of the positions' bounds, metres */
    uint32_t triangle_count; /* >= 1 */
    uint32_t (*triangles)[3];    /* vertices of the list, in its order */
    uint32_t *triangle_parts;    /* [triangle_count] of the list */
    uint32_t *triangle_elements; /* [triangle_count] */
    bw_pivot_element *elements;
    uint32_t element_count;
    uint32_t dropped_count, clustered_count, merged_count;
    double cluster_error;
    /* Of inference; NULL where the scene knew the parents. */
    const struct bwi_pivot_surface *surface;
    const struct bwi_pivot_ends *ends;
    const bw_pivot_plan *base; /* of a level, whose elements are the base's; else NULL */
} bwi_pivot_work;

/* Lists the scene's triangles at rest.  Err: as bwi_vertex_list_build, MALFORMED (places that are not finite). */
bw_result bwi_pivot_open(bwi_pivot_work *work, const bwi_node_filter *filter);

/* `count` zeroed things in scratch; NULL: *error is filled with MEMORY. */
void *bwi_pivot_alloc(const bwi_pivot_work *work, size_t count, size_t size);
/* A length in metres; of fractions the scene's diagonal is the whole. */
double bwi_pivot_length(const bwi_pivot_work *work, bw_length length, double preset_fraction);

/* The plan that the work comes to, in an arena of its own; vertices that elements share are split. */
bw_result bwi_pivot_plan_fill(bw_pivot_plan **plan, bwi_pivot_work *work, const char *kind);

/* What each kind fills: triangle_elements, elements with triangles, dropped_count; parents and pivots where they are known. */
bw_result bwi_pivot_find_nodes(bwi_pivot_work *work, bool joints);
/* The joint that holds most of a triangle, if `joints` and it is skinned, else its node. */
uint32_t bwi_pivot_node_of(const bwi_pivot_work *work, uint32_t triangle, bool joints);
bw_result bwi_pivot_find_parts(bwi_pivot_work *work);
/* Out: numbers — [triangle_count] the connected part of each triangle, in the order of their first ones; count. */
bw_result bwi_pivot_number_parts(uint32_t *numbers, uint32_t *count, const bwi_pivot_work *work);
bw_result bwi_pivot_find_materials(bwi_pivot_work *work);

/* Parents and pivots of elements that know none.  Err: USAGE (--root names none of them), MEMORY, CANCELLED. */
bw_result bwi_pivot_infer(bwi_pivot_work *work);
/* Makes names that occur again differ: "leaf", "leaf.1". */
bw_result bwi_pivot_name(bwi_pivot_work *work);
/* The index of the element of that name, or BW_NO_INDEX. */
typedef struct bwi_pivot_names { uint32_t *slots; uint32_t mask; } bwi_pivot_names;
bw_result bwi_pivot_names_build(bwi_pivot_names *names, const bwi_pivot_work *work);
uint32_t bwi_pivot_names_find(const bwi_pivot_names *names, const bwi_pivot_work *work, const char *name);
/* Up to five names that begin most like `name`, for messages. */
void bwi_pivot_list_names(char *text, size_t size, const bwi_pivot_work *work, const char *name);

/* The pivot by which an inferred element hangs on its parent. */
void bwi_pivot_hang(bwi_pivot_work *work, uint32_t element);

/* Reads opts->override_file and does what it says.  Format: docs/FORMATS.md §14.  Err: as bwi_map_open, JSON, MALFORMED, MEMORY. */
bw_result bwi_pivot_override(bwi_pivot_work *work);
bw_result bwi_pivot_override_text(bwi_pivot_work *work, const char *text, size_t size, const char *path);
/* Keeps max_elements and max_depth.  Err: TOO_LARGE, MEMORY. */
bw_result bwi_pivot_limit(bwi_pivot_work *work);
bw_result bwi_pivot_check_count(const bwi_pivot_work *work);
/* Steps of each element from a root.  Out: depths — [count].  Returns an element whose parents form a circle, or BW_NO_INDEX. */
uint32_t bwi_pivot_depths(uint32_t *depths, const bw_pivot_element *elements, uint32_t count);

/* Vertices of each element.  Out: order — [vertex_count], by element, then number; first — [element_count + 1]. */
bw_result bwi_pivot_group(uint32_t **order, uint32_t **first, bwi_arena *arena, const uint32_t *groups, uint32_t count, uint32_t group_count,
                          bw_error *error);

/* Vertices that are one, by place.  Out: points — [count] the lowest vertex that each is joined to.  In: tolerance — metres, 0: equal floats. */
bw_result bwi_pivot_weld(uint32_t *points, const float *positions, uint32_t count, double tolerance, bwi_arena *scratch, const bwi_env *env,
                         bw_error *error);

/* Triangles of each element, in a tree of their own. */
typedef struct bwi_pivot_surface {
    const float *positions;
    const uint32_t (*triangles)[3];
    uint32_t *order;     /* [triangles] by element */
    uint32_t *first;     /* [elements + 1] */
    bwi_box_tree *trees; /* [elements] of what stands in order */
    float (*bounds)[6];  /* [elements] low, high */
    uint32_t element_count, triangle_count;
} bwi_pivot_surface;
/* In: groups — [triangle_count] the element of each triangle; all is kept by pointer.  Elements without triangles are far from everything. */
bw_result bwi_pivot_surface_build(bwi_pivot_surface *surface, bwi_arena *arena, const float *positions, const uint32_t (*triangles)[3],
                                  const uint32_t *groups, uint32_t triangle_count, uint32_t element_count, bw_error *error);
/* Distance from a point to an element; HUGE_VAL where that is above `within`.  Out: behind — whether the point lies right behind the triangle that is
 * nearest, as seen from its front; NULL: not asked. */
double bwi_pivot_surface_distance(bool *behind, const bwi_pivot_surface *surface, uint32_t element, const double p[3], double within);

/* A place by which an element may hang on another. */
typedef struct bwi_pivot_end {
    double pivot[3]; /* that it stands for: the middle of a ring or of an end, or itself */
    float p[3];
    float ring;      /* radius of the open ring; 0: none */
    float handicap;  /* metres that it counts as farther, since it is less likely to be what hangs */
    uint32_t element;
} bwi_pivot_end;
typedef struct bwi_pivot_ends {
    bwi_pivot_end *ends; /* [count] by element */
    uint32_t *first;     /* [elements + 1] */
    uint32_t count;
    double *lengths;     /* [elements] from end to end, metres */
    double *areas;       /* [elements] m² */
    bool *sheets;        /* [elements] flat, as leaves and cards are */
    double (*feet)[3];   /* [elements] mean of the lowest points */
} bwi_pivot_ends;
/* In: points — [V] of bwi_pivot_weld.  Err: MEMORY, CANCELLED. */
bw_result bwi_pivot_find_ends(bwi_pivot_ends *ends, const bwi_pivot_work *work, const bwi_pivot_surface *surface, const uint32_t *points);

#endif
