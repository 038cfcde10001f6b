/* SPDX-License-Identifier: MIT
 * Objects that show something become meshes of the scene, once each; those that cannot be baked are left out. */
#include <string.h>

#include "read/alembic/abc_priv.h"

void bwi_abc_warn(const bwi_abc_shape *shape, const char *code, uint64_t count, const char *message) {
    bwi_warn(shape->r->warnings, code, count, message, "object %s", shape->path);
}

void bwi_abc_leave_out(bwi_abc_reader *r, const char *code, const char *message, const bw_error *why) {
    const size_t size = strlen(r->archive->path);
    const bool named = strncmp(why->message, r->archive->path, size) == 0 && strncmp(why->message + size, ": ", 2) == 0;
    bwi_warn(r->warnings, code, 1, message, "%s", why->message + (named ? size + 2 : 0));
    if (r->left_out.result == BW_OK)
        r->left_out = *why;
}

static bool grow(bwi_abc_reader *r) {
    if (r->mesh_count < r->mesh_capacity)
        return true;
    const size_t capacity = r->mesh_capacity ? 2 * r->mesh_capacity : 16;
    bw_mesh *meshes = bwi_abc_alloc(r, r->arena, capacity, sizeof *meshes);
    const bw_alembic_object **objects = meshes ? bwi_abc_alloc(r, r->scratch, capacity, sizeof *objects) : NULL;
    if (!objects)
        return false;
    if (r->mesh_count > 0) {
        memcpy(meshes, r->meshes, r->mesh_count * sizeof *meshes);
        memcpy(objects, r->mesh_objects, r->mesh_count * sizeof *objects);
    }
    r->meshes = meshes;
    r->mesh_objects = objects;
    r->mesh_capacity = capacity;
    return true;
}

bw_result bwi_abc_add_mesh(uint32_t *mesh, bwi_abc_reader *r, const bw_alembic_object *object, bwi_abc_build *build) {
    char path[256];
    bw_alembic_object_path(path, sizeof path, object);
    bwi_abc_shape shape = {.r = r, .object = object, .path = path};
    shape.primitives = grow(r) ? bwi_abc_alloc(r, r->arena, 1, sizeof *shape.primitives) : NULL;
    if (!shape.primitives)
        return BW_ERR_MEMORY;
    shape.primitive_count = 1;
    shape.primitives->material = BW_NO_INDEX;
    /* What one mesh needs while it is made goes before the next. */
    bwi_arena *kept = r->scratch;
    r->scratch = bwi_arena_create(r->mem);
    const bw_result result = r->scratch ? build(&shape) : bwi_fail_memory(r->error, r->archive->path, r->mem, 1);
    bwi_arena_free(r->scratch);
    r->scratch = kept;
    if (result != BW_OK)
        return result;
    *mesh = BW_NO_INDEX;
    if (!shape.shows)
        return BW_OK;
    bw_mesh *out = &r->meshes[r->mesh_count];
    *out = (bw_mesh){.name = object->name}; /* the archive's, which is there as long as the scene */
    out->primitives.data = shape.primitives;
    out->primitives.count = shape.primitive_count;
    r->mesh_objects[r->mesh_count] = object;
    *mesh = (uint32_t)r->mesh_count++;
    return BW_OK;
}
