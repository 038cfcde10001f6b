/* SPDX-License-Identifier: MIT
 * Curves of any archive: control vertices add up, and weights, orders, knots and attributes go with them or are refused. */
#include "schema_fuzz.h"

static void check_sample(const bwi_abc_curves_sample *s) {
    uint64_t points = 0;
    for (uint32_t k = 0; k < s->curve_count; k++) {
        const int32_t count = bwi_abc_int(&s->counts, k);
        schema_fuzz_must(count >= 0, "a negative count");
        points += (uint64_t)count;
    }
    schema_fuzz_must(points == s->point_count && s->positions.size == 12 * (size_t)points, "points are missing");
    schema_fuzz_must(s->weights.point_count == 0 || s->weights.point_count == points, "weights are missing");
    schema_fuzz_must(s->orders.point_count <= 1 || s->orders.point_count == s->curve_count, "orders are missing");
    schema_fuzz_must(s->type <= BWI_ABC_VARIABLE_ORDER && s->basis <= BWI_ABC_POWER, "an unknown kind");
    schema_fuzz_read(&s->positions);
    schema_fuzz_read(&s->weights);
    schema_fuzz_read(&s->orders);
    schema_fuzz_read(&s->knots);
}

static void look(bw_alembic *archive, const bw_alembic_object *object) {
    bwi_abc_curves curves;
    bw_error error;
    if (bwi_abc_schema_of(object) != BWI_ABC_CURVES ||
        !schema_fuzz_went_well(bwi_abc_curves_open(&curves, archive, object, &error), &error))
        return;
    for (uint32_t k = 0; k < SCHEMA_FUZZ_PICKS; k++) {
        const uint32_t index = schema_fuzz_pick(k, curves.positions->sample_count);
        bwi_abc_curves_sample sample;
        bw_alembic_sample velocities;
        if (!schema_fuzz_went_well(bwi_abc_curves_view(&sample, archive, &curves, index, &error), &error))
            continue;
        check_sample(&sample);
        schema_fuzz_look_at_param(archive, &curves.uv, index, &sample.elements);
        schema_fuzz_look_at_param(archive, &curves.normals, index, &sample.elements);
        schema_fuzz_look_at_param(archive, &curves.width, index, &sample.elements);
        if (curves.velocities &&
            schema_fuzz_went_well(bwi_abc_vectors_view(&velocities, archive, curves.velocities, index, &error), &error))
            schema_fuzz_read(&velocities);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const schema_fuzz_plan plan = {{BWI_ABC_CURVES}};
    schema_fuzz_run(&plan, look, data, size);
    return 0;
}
