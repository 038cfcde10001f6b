/* SPDX-License-Identifier: MIT
 * Points and cages of subdivision surfaces of any archive: every sample is whole or refused. */
#include "mesh_look.h"
#include "schema_fuzz.h"

static void look(bw_alembic *archive, const bw_alembic_object *object) {
    bwi_abc_points points;
    bw_error error;
    mesh_look(archive, object);
    if (bwi_abc_schema_of(object) != BWI_ABC_POINTS ||
        !schema_fuzz_went_well(bwi_abc_points_open(&points, archive, object, &error), &error))
        return;
    for (uint32_t k = 0; k < SCHEMA_FUZZ_PICKS; k++) {
        const uint32_t index = schema_fuzz_pick(k, points.positions->sample_count);
        bwi_abc_points_sample sample;
        bw_alembic_sample velocities;
        if (!schema_fuzz_went_well(bwi_abc_points_view(&sample, archive, &points, index, &error), &error))
            continue;
        schema_fuzz_read(&sample.positions);
        schema_fuzz_read(&sample.ids);
        schema_fuzz_must(sample.positions.size == 12 * (size_t)sample.point_count, "points are missing");
        schema_fuzz_must(sample.ids.size == 0 || sample.ids.size == 8 * (size_t)sample.point_count, "ids are missing");
        const bwi_abc_counts counts = {{1, 1, sample.point_count, sample.point_count, sample.point_count}};
        schema_fuzz_look_at_param(archive, &points.width, index, &counts);
        if (points.velocities &&
            schema_fuzz_went_well(bwi_abc_vectors_view(&velocities, archive, points.velocities, index, &error), &error))
            schema_fuzz_read(&velocities);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const schema_fuzz_plan plan = {{BWI_ABC_POINTS, BWI_ABC_SUBD}};
    schema_fuzz_run(&plan, look, data, size);
    return 0;
}
