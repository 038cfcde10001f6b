/* SPDX-License-Identifier: MIT
 * Points without faces: particles, whose number may change from sample to sample. */
#include "alembic/schema.h"

bw_result bwi_abc_points_open(bwi_abc_points *points, bw_alembic *archive, const bw_alembic_object *object,
                              bw_error *error) {
    bwi_abc_points p = {.object = object};
    bw_result result = bwi_abc_find_array(&p.positions, archive, object, ".geom/P", BW_ALEMBIC_FLOAT32, 3, true, error);
    if (result == BW_OK)
        result = bwi_abc_find_array(&p.ids, archive, object, ".geom/.pointIds", BW_ALEMBIC_UINT64, 1, true, error);
    if (result == BW_OK)
        result = bwi_abc_find_array(&p.velocities, archive, object, ".geom/.velocities", BW_ALEMBIC_FLOAT32, 3, false,
                                    error);
    if (result == BW_OK)
        result = bwi_abc_find_param(&p.width, archive, object, ".geom/.widths", 1, error);
    if (result == BW_OK)
        *points = p;
    return result;
}

bw_result bwi_abc_points_view(bwi_abc_points_sample *sample, const bw_alembic *archive, const bwi_abc_points *points,
                              uint32_t index, bw_error *error) {
    bwi_abc_points_sample s = {0};
    uint32_t at = 0;
    bw_result result = bwi_abc_vectors_view(&s.positions, archive, points->positions, index, error);
    if (result == BW_OK)
        result = bwi_abc_view_last(&s.ids, &at, archive, points->ids, index, error);
    if (result != BW_OK)
        return result;
    if (s.positions.point_count > INT32_MAX)
        return bwi_abc_fail(error, BW_ERR_TOO_LARGE, archive, points->object, points->positions, index,
                            "has more points than %d; split the object", INT32_MAX);
    if (s.ids.point_count > 0 && s.ids.point_count != s.positions.point_count)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, points->object, points->ids, at,
                            "has %llu ids of %llu points; export the file again", (unsigned long long)s.ids.point_count,
                            (unsigned long long)s.positions.point_count);
    s.point_count = (uint32_t)s.positions.point_count;
    *sample = s;
    return BW_OK;
}
