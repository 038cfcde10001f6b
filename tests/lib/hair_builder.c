/* SPDX-License-Identifier: MIT
 * Hair made by hand for tests. */
#include "hair_builder.h"

#include <string.h>

#include "base/math.h"

void hair_init(hair_builder *b) {
    memset(b, 0, sizeof *b);
    b->hair.path = "test.abc";
    b->hair.format = "alembic";
    b->hair.made_by = "";
    b->hair.objects.data = b->objects;
    b->hair.curves.data = b->curves;
    b->hair.attributes.data = b->attributes;
}

uint32_t hair_object(hair_builder *b, const char *path, uint32_t parent, bwi_hair_kind kind) {
    const bwi_mat4 one = bwi_mat4_identity();
    bwi_hair_object *o = &b->objects[b->hair.objects.count];
    *o = (bwi_hair_object){.path = path, .schema = "", .parent = parent, .kind = kind, .inherits = true};
    memcpy(o->matrix, one.m, sizeof one.m);
    return (uint32_t)b->hair.objects.count++;
}

uint32_t hair_xform(hair_builder *b, const char *path, uint32_t parent, const double *matrix) {
    const uint32_t index = hair_object(b, path, parent, BWI_HAIR_XFORM);
    if (matrix)
        memcpy(b->objects[index].matrix, matrix, sizeof b->objects[index].matrix);
    return index;
}

bwi_hair_curves *hair_curves(hair_builder *b, const char *path, uint32_t parent, const int32_t *counts,
                             uint64_t curve_count, const float *positions, uint64_t point_count) {
    bwi_hair_curves *c = &b->curves[b->hair.curves.count++];
    *c = (bwi_hair_curves){.object = hair_object(b, path, parent, BWI_HAIR_CURVES),
                           .counts = counts,
                           .curve_count = curve_count,
                           .positions = positions,
                           .point_count = point_count,
                           .known_basis = true,
                           .sample_count = 1};
    c->first_attribute = (uint32_t)b->hair.attributes.count;
    return c;
}

bwi_hair_attribute *hair_attribute(hair_builder *b, const char *name, bw_alembic_pod pod, uint32_t extent,
                                   bw_alembic_scope scope, uint64_t count, const void *values) {
    bwi_hair_curves *c = &b->curves[b->hair.curves.count - 1];
    bwi_hair_attribute *a = &b->attributes[b->hair.attributes.count++];
    *a = (bwi_hair_attribute){.name = name,
                              .object = c->object,
                              .place = BWI_HAIR_ARBITRARY,
                              .pod = pod,
                              .extent = extent,
                              .has_scope = true,
                              .scope = scope,
                              .sample_count = 1,
                              .value_count = count,
                              .count = count,
                              .bytes = values};
    c->attribute_count++;
    return a;
}

bwi_hair_attribute *hair_texts(hair_builder *b, const char *name, bw_alembic_scope scope, uint64_t count,
                               const char *const *texts) {
    bwi_hair_attribute *a = hair_attribute(b, name, BW_ALEMBIC_STRING, 1, scope, count, NULL);
    a->strings = texts;
    return a;
}

bw_result hair_repair(hair_fix *f, const hair_builder *b, const bw_groom_opts *opts, uint32_t threads) {
    memset(f, 0, sizeof *f);
    bwi_mem_init(&f->mem, 0);
    f->arena = bwi_arena_create(&f->mem);
    f->env = (bwi_env){&f->mem, threads, NULL};
    bwi_warnings_init(&f->changes, f->arena);
    bw_result result = bwi_groom_space_find(&f->space, f->arena, &b->hair, opts, &f->error);
    if (result == BW_OK)
        result = bwi_groom_fix(&f->groom, &f->measures, &f->changes, f->arena, &b->hair, opts, &f->space, &f->env,
                               &f->error);
    return result;
}

void hair_close(hair_fix *f) {
    bwi_arena_free(f->arena);
}

uint64_t hair_change(const hair_fix *f, const char *code) {
    for (size_t i = 0; i < f->changes.count; i++) {
        if (strcmp(f->changes.data[i].code, code) == 0)
            return f->changes.data[i].count;
    }
    return 0;
}
