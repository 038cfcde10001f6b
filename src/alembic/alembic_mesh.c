/* SPDX-License-Identifier: MIT
 * Meshes of polygons, and the cages of subdivision surfaces. */
#include <string.h>

#include "alembic/alembic_priv.h"
#include "alembic/schema.h"

bw_result bwi_abc_find_array(const bw_alembic_property **found, bw_alembic *archive, const bw_alembic_object *object,
                             const char *path, bw_alembic_pod pod, uint32_t extent, bool needed, bw_error *error) {
    const bw_alembic_property *property = NULL;
    bw_result result = bw_alembic_find_property(&property, archive, object, path, error);
    if (result != BW_OK)
        return result;
    if (!property && needed)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, object, NULL, -1,
                            "has no property %s; export the file again", path);
    if (property && (property->kind != BW_ALEMBIC_ARRAY || property->pod != pod || property->extent != extent))
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, object, property, -1,
                            "is not an array of %u %s a point; export the file again", extent,
                            bw_alembic_pod_name(pod));
    *found = property && (needed || property->sample_count > 0) ? property : NULL;
    return BW_OK;
}

bw_result bwi_abc_find_param(bwi_abc_param *param, bw_alembic *archive, const bw_alembic_object *object,
                             const char *path, uint32_t width, bw_error *error) {
    const bw_alembic_property *property = NULL;
    bw_result result = bw_alembic_find_property(&property, archive, object, path, error);
    if (result == BW_OK)
        result = bwi_abc_param_open(param, archive, property, error);
    if (result == BW_OK && param->values && (param->values->pod != BW_ALEMBIC_FLOAT32 || param->width != width))
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, object, property, -1,
                            "has %u %s an element, expected %u float32; export the file again", param->width,
                            bw_alembic_pod_name(param->values->pod), width);
    if (result == BW_OK && param->values && param->sample_count == 0)
        *param = (bwi_abc_param){0};
    return result;
}

bw_result bwi_abc_mesh_open(bwi_abc_mesh *mesh, bw_alembic *archive, const bw_alembic_object *object, bw_error *error) {
    bwi_abc_mesh m = {.object = object, .subdivision = bwi_abc_schema_of(object) == BWI_ABC_SUBD};
    bw_result result = bwi_abc_find_array(&m.positions, archive, object, ".geom/P", BW_ALEMBIC_FLOAT32, 3, true, error);
    if (result == BW_OK)
        result = bwi_abc_find_array(&m.face_indices, archive, object, ".geom/.faceIndices", BW_ALEMBIC_INT32, 1, true,
                                    error);
    if (result == BW_OK)
        result =
            bwi_abc_find_array(&m.face_counts, archive, object, ".geom/.faceCounts", BW_ALEMBIC_INT32, 1, true, error);
    if (result == BW_OK)
        result = bwi_abc_find_array(&m.velocities, archive, object, ".geom/.velocities", BW_ALEMBIC_FLOAT32, 3, false,
                                    error);
    if (result == BW_OK)
        result = bwi_abc_find_param(&m.uv, archive, object, ".geom/uv", 2, error);
    if (result == BW_OK && !m.subdivision)
        result = bwi_abc_find_param(&m.normals, archive, object, ".geom/N", 3, error);
    if (result != BW_OK)
        return result;
    *mesh = m;
    return BW_OK;
}

bw_result bwi_abc_view_last(bw_alembic_sample *sample, uint32_t *at, const bw_alembic *archive,
                            const bw_alembic_property *property, uint32_t index, bw_error *error) {
    if (property->sample_count == 0)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, property->object, property, -1,
                            "holds no sample; export the file again");
    *at = index < property->sample_count ? index : property->sample_count - 1;
    return bw_alembic_view(sample, archive, property, *at, error);
}

bw_result bwi_abc_faces_view(bwi_abc_faces *faces, const bw_alembic *archive, const bwi_abc_mesh *mesh, uint32_t index,
                             uint64_t point_count, bw_error *error) {
    bwi_abc_faces f = {0};
    uint32_t at_counts = 0, at_indices = 0;
    bw_result result = bwi_abc_view_last(&f.counts, &at_counts, archive, mesh->face_counts, index, error);
    if (result == BW_OK)
        result = bwi_abc_view_last(&f.indices, &at_indices, archive, mesh->face_indices, index, error);
    if (result != BW_OK)
        return result;
    if (f.counts.point_count > INT32_MAX || f.indices.point_count > INT32_MAX || point_count > INT32_MAX)
        return bwi_abc_fail(error, BW_ERR_TOO_LARGE, archive, mesh->object, mesh->face_counts, at_counts,
                            "has more faces, corners or points than %d; split the mesh", INT32_MAX);
    f.face_count = (uint32_t)f.counts.point_count;
    f.corner_count = (uint32_t)f.indices.point_count;
    uint64_t corners = 0, triangles = 0;
    for (uint32_t k = 0; k < f.face_count; k++) {
        const int32_t count = bwi_abc_int(&f.counts, k);
        if (count < 0 || corners + (uint64_t)count > f.corner_count)
            return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, mesh->object, mesh->face_counts, at_counts,
                                "face %u has %d corners, of %u that .faceIndices holds; export the file again", k,
                                count, f.corner_count);
        corners += (uint64_t)count;
        triangles += count > 2 ? (uint64_t)count - 2 : 0;
    }
    /* Some exporters leave indices behind the last face. */
    f.corner_count = (uint32_t)corners;
    for (uint32_t k = 0; k < f.corner_count; k++) {
        const int32_t point = bwi_abc_int(&f.indices, k);
        if (point < 0 || (uint64_t)point >= point_count)
            return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, mesh->object, mesh->face_indices, at_indices,
                                "corner %u is point %d of %llu; export the file again", k, point,
                                (unsigned long long)point_count);
    }
    f.triangle_count = (uint32_t)triangles;
    *faces = f;
    return BW_OK;
}

bwi_abc_counts bwi_abc_mesh_counts(const bwi_abc_faces *faces, uint64_t point_count) {
    return (bwi_abc_counts){{
        [BW_ALEMBIC_SCOPE_CONSTANT] = 1,
        [BW_ALEMBIC_SCOPE_UNIFORM] = faces->face_count,
        [BW_ALEMBIC_SCOPE_VARYING] = point_count,
        [BW_ALEMBIC_SCOPE_VERTEX] = point_count,
        [BW_ALEMBIC_SCOPE_FACEVARYING] = faces->corner_count,
    }};
}

/* All samples are stored once where a writer found them equal; others may still be. */
bw_result bwi_abc_is_same(bool *same, const bw_alembic *archive, const bw_alembic_property *property, bool whole,
                          bw_error *error) {
    bw_alembic_sample first, sample;
    *same = true;
    if (!bwi_abc_is_animated(property))
        return BW_OK;
    bw_result result = bw_alembic_view(&first, archive, property, 0, error);
    /* Samples from last_changed on are one. */
    for (uint32_t k = property->first_changed;
         result == BW_OK && *same && k <= property->last_changed && k < property->sample_count; k++) {
        result = bw_alembic_view(&sample, archive, property, k, error);
        if (result == BW_OK)
            *same = sample.point_count == first.point_count &&
                    (!whole || first.size == 0 || sample.offset == first.offset ||
                     memcmp(sample.bytes, first.bytes, first.size) == 0);
    }
    return result;
}

bw_result bwi_abc_mesh_has_one_topology(bool *same, const bw_alembic *archive, const bwi_abc_mesh *mesh,
                                        bw_error *error) {
    bw_result result = bwi_abc_is_same(same, archive, mesh->face_counts, true, error);
    if (result == BW_OK && *same)
        result = bwi_abc_is_same(same, archive, mesh->face_indices, true, error);
    if (result == BW_OK && *same)
        result = bwi_abc_is_same(same, archive, mesh->positions, false, error);
    return result;
}
