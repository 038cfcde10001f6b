/* SPDX-License-Identifier: MIT
 * Plants whose parents are known: limbs are tubes, leaves are cards, in one scene of nodes that hang on each other, or flattened into a mesh of
 * bark and one of leaves. */
#ifndef TESTS_PLANT_FIXTURE_H
#define TESTS_PLANT_FIXTURE_H

#include "bakewell/scene.h"

typedef struct plant_shape {
    uint32_t levels;       /* of limbs, 1 … 4: trunk, branches, twigs, … */
    uint32_t children[4];  /* limbs that hang on one of each level; on the last: leaves */
    bool crossed;          /* leaves are pairs of cards that cross, two elements each */
    bool buried;           /* limbs and leaves begin in the middle of what they hang on, not on its surface */
    bool capped;           /* limbs are closed at both ends */
    bool coarse;           /* the same plant with fewer sides and rings */
    double gap;            /* between an element and what it hangs on, metres */
    uint32_t seed;
} plant_shape;

typedef struct plant {
    uint32_t count;        /* elements, parents before children, limbs before leaves */
    uint32_t limb_count;
    uint32_t *parents;     /* [count], BW_NO_INDEX: the trunk */
    double (*pivots)[3];   /* [count] where each begins, metres */
    double (*tips)[3];     /* [count] */
    uint32_t *first;       /* [count + 1] into positions */
    float *positions, *normals;
    uint32_t *first_index; /* [count + 1] into indices */
    uint32_t *indices;     /* from an element's first vertex on */
    bw_scene scene;
    void *blocks[16];
    uint32_t block_count;
} plant;

void plant_grow(plant *p, const plant_shape *shape);
/* plant.scene: a node for each element, named "0", "1", … and the ending, below that of its parent, at its pivot. */
void plant_as_nodes(plant *p, const char *ending);
/* plant.scene: nodes "bark" and "leaves" with a mesh each; parts are in the order of the elements. */
void plant_flattened(plant *p);
void plant_free(plant *p);

#endif
