/* SPDX-License-Identifier: MIT
 * Looks at a mesh of polygons or a cage of an archive. */
#include "mesh_look.h"

#include <string.h>

#include "schema_fuzz.h"

static void check_faces(const bwi_abc_faces *faces, uint64_t point_count) {
    uint64_t corners = 0, triangles = 0;
    for (uint32_t k = 0; k < faces->face_count; k++) {
        const int32_t count = bwi_abc_int(&faces->counts, k);
        schema_fuzz_must(count >= 0, "a negative count");
        corners += (uint64_t)count;
        triangles += count > 2 ? (uint64_t)count - 2 : 0;
    }
    schema_fuzz_must(corners == faces->corner_count && triangles == faces->triangle_count, "other sums");
    for (uint32_t k = 0; k < faces->corner_count; k++)
        schema_fuzz_must((uint64_t)(uint32_t)bwi_abc_int(&faces->indices, k) < point_count, "a corner of no point");
}

static void look_at_sample(const bw_alembic *archive, const bwi_abc_mesh *mesh, uint32_t index) {
    bw_alembic_sample points, velocities;
    bwi_abc_faces faces;
    bw_error error;
    if (!schema_fuzz_went_well(bwi_abc_vectors_view(&points, archive, mesh->positions, index, &error), &error))
        return;
    schema_fuzz_read(&points);
    if (mesh->velocities &&
        schema_fuzz_went_well(bwi_abc_vectors_view(&velocities, archive, mesh->velocities, index, &error), &error))
        schema_fuzz_read(&velocities);
    if (!schema_fuzz_went_well(bwi_abc_faces_view(&faces, archive, mesh, index, points.point_count, &error), &error))
        return;
    check_faces(&faces, points.point_count);
    const bwi_abc_counts counts = bwi_abc_mesh_counts(&faces, points.point_count);
    schema_fuzz_look_at_param(archive, &mesh->uv, index, &counts);
    schema_fuzz_look_at_param(archive, &mesh->normals, index, &counts);
}

/* False where a sample cannot be seen.  Out: same — whether all have the bytes of the first; or as many points, where bytes do not count. */
static bool compare_all(bool *same, const bw_alembic *archive, const bw_alembic_property *property, bool whole) {
    bw_alembic_sample first, sample;
    for (uint32_t k = 0; k < property->sample_count; k++) {
        if (k > 1000 || bw_alembic_view(k ? &sample : &first, archive, property, k, NULL) != BW_OK)
            return false;
        if (k && (sample.point_count != first.point_count ||
                  (whole && first.size > 0 && memcmp(first.bytes, sample.bytes, first.size) != 0)))
            *same = false;
    }
    return true;
}

void mesh_look(bw_alembic *archive, const bw_alembic_object *object) {
    const bwi_abc_schema schema = bwi_abc_schema_of(object);
    bwi_abc_mesh mesh;
    bw_error error;
    if ((schema != BWI_ABC_POLYMESH && schema != BWI_ABC_SUBD) ||
        !schema_fuzz_went_well(bwi_abc_mesh_open(&mesh, archive, object, &error), &error))
        return;
    schema_fuzz_must(mesh.subdivision == (schema == BWI_ABC_SUBD), "another schema");
    for (uint32_t k = 0; k < SCHEMA_FUZZ_PICKS; k++)
        look_at_sample(archive, &mesh, schema_fuzz_pick(k, mesh.positions->sample_count));
    bool said = false, seen = true;
    if (schema_fuzz_went_well(bwi_abc_mesh_has_one_topology(&said, archive, &mesh, &error), &error) &&
        compare_all(&seen, archive, mesh.face_counts, true) && compare_all(&seen, archive, mesh.face_indices, true) &&
        compare_all(&seen, archive, mesh.positions, false))
        schema_fuzz_must(said == seen, "whether the topology changes is said wrongly");
}
