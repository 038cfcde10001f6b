/* SPDX-License-Identifier: MIT
 * What objects of every schema may have: visibility, attributes that an exporter chose, instances of other objects. */
#include <string.h>

#include "schema_fuzz.h"

static void look_at_members(bw_alembic *archive, const bw_alembic_property *compound) {
    bw_alembic_property_list members;
    bw_error error;
    if (!compound || !schema_fuzz_went_well(bw_alembic_members(&members, archive, compound, &error), &error))
        return;
    for (size_t k = 0; k < members.count; k++) {
        bwi_abc_param param;
        if (!schema_fuzz_went_well(bwi_abc_param_open(&param, archive, &members.data[k], &error), &error))
            continue;
        schema_fuzz_must(param.values && param.width > 0 && param.width % param.values->extent == 0, "odd elements");
        static const bwi_abc_counts counts = {{1, 2, 4, 4, 6}};
        for (uint32_t pick = 0; pick < SCHEMA_FUZZ_PICKS; pick++)
            schema_fuzz_look_at_param(archive, &param, schema_fuzz_pick(pick, param.sample_count), &counts);
    }
}

static void look_at_visibility(bw_alembic *archive, const bw_alembic_object *object) {
    const bw_alembic_property *visible;
    bw_error error;
    if (!schema_fuzz_went_well(bwi_abc_visibility_open(&visible, archive, object, &error), &error) || !visible)
        return;
    for (uint32_t k = 0; k < SCHEMA_FUZZ_PICKS; k++) {
        int shown = 2;
        const uint32_t index = schema_fuzz_pick(k, visible->sample_count);
        const double time_s = bwi_abc_time(archive, visible, index);
        if (index >= visible->sample_count)
            continue;
        schema_fuzz_must(bwi_abc_index_at(archive, visible, time_s) < visible->sample_count, "a sample past the last");
        if (schema_fuzz_went_well(bwi_abc_visibility(&shown, archive, visible, index, &error), &error))
            schema_fuzz_must(shown >= -1 && shown <= 1, "neither shown nor hidden");
    }
}

static void look_at_source(bw_alembic *archive, const bw_alembic_object *object) {
    const char *source = NULL;
    const bw_alembic_object *found = NULL;
    bw_error error;
    if (!schema_fuzz_went_well(bw_alembic_instance_source(&source, archive, object, &error), &error) || !source)
        return;
    if (schema_fuzz_went_well(bw_alembic_find_object(&found, archive, source, &error), &error) && found) {
        char path[400];
        const size_t length = bw_alembic_object_path(path, sizeof path, found);
        schema_fuzz_must(length < sizeof path && strlen(path) == length, "a path of another length");
    }
}

static void look(bw_alembic *archive, const bw_alembic_object *object) {
    const bw_alembic_property *arbitrary, *user;
    bw_error error;
    look_at_visibility(archive, object);
    look_at_source(archive, object);
    if (!schema_fuzz_went_well(bwi_abc_extras_open(&arbitrary, &user, archive, object, &error), &error))
        return;
    look_at_members(archive, arbitrary);
    look_at_members(archive, user);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const schema_fuzz_plan plan = {{BWI_ABC_XFORM, BWI_ABC_POLYMESH, BWI_ABC_POINTS, BWI_ABC_CURVES}};
    schema_fuzz_run(&plan, look, data, size);
    return 0;
}
