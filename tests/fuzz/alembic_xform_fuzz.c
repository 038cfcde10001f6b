/* SPDX-License-Identifier: MIT
 * Transforms of any archive: every sample is a matrix or is refused, whatever its operations and numbers are. */
#include <math.h>

#include "schema_fuzz.h"

static void look(bw_alembic *archive, const bw_alembic_object *object) {
    bwi_abc_xform xform;
    bw_error error;
    if (bwi_abc_schema_of(object) != BWI_ABC_XFORM ||
        !schema_fuzz_went_well(bwi_abc_xform_open(&xform, archive, object, &error), &error))
        return;
    schema_fuzz_must(xform.sample_count > 0, "not even the identity");
    schema_fuzz_must(xform.op_count == 0 || xform.ops, "operations of nowhere");
    (void)bwi_abc_xform_is_animated(&xform);
    for (uint32_t k = 0; k < SCHEMA_FUZZ_PICKS; k++) {
        const uint32_t index = schema_fuzz_pick(k, xform.sample_count);
        bwi_mat4 matrix;
        bool inherits;
        (void)bwi_abc_xform_time(archive, &xform, index);
        if (!schema_fuzz_went_well(bwi_abc_xform_sample(&matrix, &inherits, archive, &xform, index, &error), &error))
            continue;
        for (size_t i = 0; i < 16; i++)
            schema_fuzz_must(isfinite(matrix.m[i]), "a matrix that is not finite");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const schema_fuzz_plan plan = {{BWI_ABC_XFORM}};
    schema_fuzz_run(&plan, look, data, size);
    return 0;
}
