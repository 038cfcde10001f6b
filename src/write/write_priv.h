/* SPDX-License-Identifier: MIT
 * What the files of this room share: materials of a GLB, writers of grooms. */
#ifndef BWI_WRITE_WRITE_PRIV_H
#define BWI_WRITE_WRITE_PRIV_H

#include "base/json.h"
#include "base/mem.h"
#include "model/draw_list.h"
#include "write/write.h"

/* Materials of a GLB: what of the scene's materials, textures, samplers and images is written, renumbered. */
typedef struct bwi_glb_materials {
    json_t *materials, *textures, *samplers;           /* arrays, as they are written */
    json_t *extensions_used, *extensions_required;     /* arrays of names */
    const uint32_t *material_index;                    /* [scene materials]: index in `materials`, or BW_NO_INDEX */
    struct { const uint32_t *data; size_t count; } images; /* of the scene, in the order they are written */
} bwi_glb_materials;

/* Collects the materials that the list uses and all they need.  Out: materials — freed with bwi_glb_materials_free.  In: scene — NULL: none.
 * A texture whose image is missing has no source; a reference past the textures is left out.
 * Err: MEMORY, JSON. */
bw_result bwi_glb_materials_collect(bwi_glb_materials *materials, bwi_arena *arena, const bwi_draw_list *list, const bw_scene *scene,
                                    bw_error *error);
void bwi_glb_materials_free(bwi_glb_materials *materials); /* {0}-safe */

/* Whether any group has an id of cards. */
bool bwi_groom_has_cards(const bw_groom *groom);
/* Writers of grooms, as in bwi_groom_formats. */
bw_result bwi_write_groom_abc(FILE *file, const char *path, const bw_groom *groom, const char *name, bw_groom_engine engine, const bwi_env *env,
                              bwi_warnings *warnings, bw_error *error);
bw_result bwi_write_groom_glb(FILE *file, const char *path, const bw_groom *groom, const char *name, bw_groom_engine engine, const bwi_env *env,
                              bwi_warnings *warnings, bw_error *error);
bw_result bwi_write_groom_hair(FILE *file, const char *path, const bw_groom *groom, const char *name, bw_groom_engine engine, const bwi_env *env,
                               bwi_warnings *warnings, bw_error *error);
bw_result bwi_write_groom_usda(FILE *file, const char *path, const bw_groom *groom, const char *name, bw_groom_engine engine, const bwi_env *env,
                               bwi_warnings *warnings, bw_error *error);

#endif
