/* SPDX-License-Identifier: MIT
 * Face sets become materials, which carry their names: a mesh that has some is a primitive for each, and one for the faces that are in none. */
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "read/alembic/abc_priv.h"

static bool grow_materials(bwi_abc_reader *r) {
    if (r->material_count < r->material_capacity)
        return true;
    const size_t capacity = r->material_capacity ? 2 * r->material_capacity : 16;
    bw_material *materials = bwi_abc_alloc(r, r->arena, capacity, sizeof *materials);
    uint64_t *hashes = materials ? bwi_abc_alloc(r, r->arena, capacity, sizeof *hashes) : NULL;
    if (!hashes)
        return false;
    if (r->material_count > 0) {
        memcpy(materials, r->materials, r->material_count * sizeof *materials);
        memcpy(hashes, r->material_hashes, r->material_count * sizeof *hashes);
    }
    r->materials = materials;
    r->material_hashes = hashes;
    r->material_capacity = capacity;
    return true;
}

/* A material's object in glTF's form, from the scene's arena. */
static const char *material_text(bwi_abc_reader *r, const char *name) {
    bwi_json_writer *w = bwi_json_writer_create(r->mem, NULL, 0);
    char *text = NULL;
    size_t size = 0;
    if (!w)
        return NULL;
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "name", name);
    bwi_json_end_object(w);
    if (!bwi_json_writer_end(w, &text, &size))
        return NULL;
    while (size > 0 && text[size - 1] == '\n')
        size--;
    const char *kept = bwi_arena_string(r->arena, text, size);
    bwi_free(r->mem, text);
    return kept;
}

/* Sets of one name are one material, whatever mesh they are of. */
static bw_result find_material(uint32_t *material, bwi_abc_reader *r, const char *name) {
    const bwi_hash128 whole = bwi_hash(name, strlen(name));
    uint64_t hash;
    memcpy(&hash, whole.bytes, sizeof hash);
    for (size_t k = 0; k < r->material_count; k++) {
        if (r->material_hashes[k] == hash && strcmp(r->materials[k].name, name) == 0) {
            *material = (uint32_t)k;
            return BW_OK;
        }
    }
    if (!grow_materials(r))
        return BW_ERR_MEMORY;
    const bw_material made = {bwi_arena_string(r->arena, name, SIZE_MAX), material_text(r, name)};
    if (!made.name || !made.json)
        return bwi_fail_memory(r->error, r->archive->path, r->mem, strlen(name));
    r->materials[r->material_count] = made;
    r->material_hashes[r->material_count] = hash;
    *material = (uint32_t)r->material_count++;
    return BW_OK;
}

/* What faces of one set are worth telling of. */
typedef struct findings {
    uint64_t overlapping, outside;
} findings;

/* In: set — the number that its faces get.  Out: any — false: it has none of its own. */
static bw_result read_set(bwi_abc_sets *sets, findings *f, bool *any, const bwi_abc_shape *shape,
                          const bw_alembic_object *object, uint32_t set, uint32_t face_count) {
    bwi_abc_reader *r = shape->r;
    const bw_alembic_property *property = NULL;
    bw_alembic_sample faces;
    uint32_t at = 0;
    *any = false;
    BWI_ABC_TRY(
        bwi_abc_find_array(&property, r->archive, object, ".faceset/.faces", BW_ALEMBIC_INT32, 1, false, r->error));
    if (!property)
        return BW_OK;
    if (bwi_abc_is_animated(property))
        bwi_abc_warn(shape, "face-sets-change", 1,
                     "face sets that change over time are materials as in their first sample");
    BWI_ABC_TRY(bwi_abc_view_last(&faces, &at, r->archive, property, 0, r->error));
    for (uint64_t k = 0; k < faces.point_count; k++) {
        const int32_t face = bwi_abc_int(&faces, k);
        if (face < 0 || (uint32_t)face >= face_count) {
            f->outside++;
        } else if (sets->of_face[face] != UINT32_MAX) {
            f->overlapping += sets->of_face[face] != set;
        } else {
            sets->of_face[face] = set;
            *any = true;
        }
    }
    return BW_OK;
}

bw_result bwi_abc_find_sets(bwi_abc_sets *sets, const bwi_abc_shape *shape, uint32_t face_count) {
    bwi_abc_reader *r = shape->r;
    bw_alembic_object_list children;
    findings f = {0, 0};
    *sets = (bwi_abc_sets){.count = 0};
    BWI_ABC_TRY(bw_alembic_children(&children, r->archive, shape->object, r->error));
    for (size_t k = 0; k < children.count; k++) {
        if (bwi_abc_schema_of(&children.data[k]) != BWI_ABC_FACESET)
            continue;
        if (!sets->of_face) {
            sets->of_face = bwi_abc_alloc(r, r->scratch, face_count, sizeof *sets->of_face);
            if (!sets->of_face)
                return BW_ERR_MEMORY;
            memset(sets->of_face, 0xFF, face_count * sizeof *sets->of_face);
        }
        if (sets->count == BWI_ABC_SETS_MAX) {
            bwi_abc_warn(shape, "face-sets-many", 1, "face sets beyond the first 256 of a mesh are no materials");
            continue;
        }
        bool any = false;
        BWI_ABC_TRY(read_set(sets, &f, &any, shape, &children.data[k], sets->count, face_count));
        if (any)
            BWI_ABC_TRY(find_material(&sets->materials[sets->count++], r, children.data[k].name));
    }
    if (f.overlapping > 0)
        bwi_abc_warn(shape, "face-sets-overlap", f.overlapping,
                     "faces in several face sets have the material of the first");
    if (f.outside > 0)
        bwi_abc_warn(shape, "face-sets-unfit", f.outside,
                     "faces of face sets that the mesh does not have are passed over");
    sets->materials[sets->count] = BW_NO_INDEX; /* of faces in no set */
    for (uint32_t k = 0; sets->of_face && k < face_count; k++)
        sets->of_face[k] = sets->of_face[k] == UINT32_MAX ? sets->count : sets->of_face[k];
    return BW_OK;
}

bw_result bwi_abc_divide(bwi_abc_vertices *parts, bwi_abc_reader *r, const bwi_abc_vertices *whole,
                         const bwi_abc_faces *faces, const bwi_abc_sets *sets) {
    uint32_t *places = bwi_abc_alloc(r, r->scratch, whole->count, 3 * sizeof *places);
    uint32_t *number = places ? bwi_abc_alloc(r, r->scratch, whole->count, sizeof *number) : NULL;
    uint32_t *points = number ? bwi_abc_alloc(r, r->arena, whole->count, sizeof *points) : NULL;
    uint32_t *indices = points ? bwi_abc_alloc(r, r->arena, whole->triangle_count, 3 * sizeof *indices) : NULL;
    if (!indices)
        return BW_ERR_MEMORY;
    memset(parts, 0, (sets->count + (size_t)1) * sizeof *parts);
    for (uint32_t v = 0; v < whole->count; v++)
        number[v] = parts[sets->of_face[whole->faces[v]]].count++;
    for (uint32_t f = 0; f < faces->face_count; f++) {
        const uint32_t count = (uint32_t)bwi_abc_int(&faces->counts, f);
        parts[sets->of_face[f]].triangle_count += count > 2 ? count - 2 : 0;
    }
    uint32_t *corners = places, *of_faces = places + whole->count;
    for (uint32_t k = 0; k <= sets->count; k++) {
        parts[k].points = points;
        parts[k].corners = corners;
        parts[k].faces = of_faces;
        parts[k].indices = indices;
        points += parts[k].count;
        corners += parts[k].count;
        of_faces += parts[k].count;
        indices += 3 * (size_t)parts[k].triangle_count;
        parts[k].triangle_count = 0;
    }
    for (uint32_t v = 0; v < whole->count; v++) {
        const bwi_abc_vertices *part = &parts[sets->of_face[whole->faces[v]]];
        part->points[number[v]] = whole->points[v];
        part->corners[number[v]] = whole->corners[v];
        part->faces[number[v]] = whole->faces[v];
    }
    const uint32_t *from = whole->indices;
    for (uint32_t f = 0; f < faces->face_count; f++) {
        bwi_abc_vertices *part = &parts[sets->of_face[f]];
        const uint32_t count = (uint32_t)bwi_abc_int(&faces->counts, f);
        for (uint32_t k = 0; k + 2 < count; k++, part->triangle_count++)
            for (size_t i = 0; i < 3; i++)
                part->indices[3 * (size_t)part->triangle_count + i] = number[*from++];
    }
    return BW_OK;
}
