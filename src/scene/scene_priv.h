/* SPDX-License-Identifier: MIT
 * What the files that take clips from other scenes share. */
#ifndef BWI_SCENE_SCENE_PRIV_H
#define BWI_SCENE_SCENE_PRIV_H

#include "base/json.h"
#include "scene/scene.h"

/* A node of the scene, under the name it is found by. */
typedef struct bwi_adopter_target {
    const char *name; /* without the prefix */
    uint32_t node;
    bool joint;
} bwi_adopter_target;

/* A node of the file that the clips come from. */
typedef struct bwi_adopter_node {
    const bwi_adopter_target *target; /* NULL: no node of the scene has its name */
    uint32_t driven;                  /* channels of the file */
} bwi_adopter_node;

typedef struct bwi_adopted_clip {
    bw_clip clip;          /* the name comes last */
    const char *file_name; /* its name in the file */
    const char *stem;      /* of the file */
    bool alone;            /* the file's only clip */
} bwi_adopted_clip;

struct bwi_clip_adopter {
    bw_scene *scene;
    bwi_arena *scratch;
    const char *prefix;
    size_t prefix_length;
    bwi_adopter_target *targets; /* [scene's nodes], by name, then joints first, then in file order */
    bwi_adopted_clip *clips;
    size_t count;
};

/* A node's name without the prefix. */
const char *bwi_adopter_name(const bwi_clip_adopter *a, const char *name);

/* scene_adopt_tell.c: what does not fit, in words.  In: nodes — [from's nodes]. */
bw_result bwi_adopter_fail_unfit(const bwi_clip_adopter *a, const bw_scene *from, const bwi_adopter_node *nodes, bw_error *error);
void bwi_adopter_tell_unknown(const bw_scene *from, const bwi_adopter_node *nodes, const char *file,
                              bwi_warnings *warnings);
void bwi_adopter_compare_rest(const bwi_clip_adopter *a, const bw_scene *from, const bwi_adopter_node *nodes, const char *file,
                              bwi_warnings *warnings);

#endif
