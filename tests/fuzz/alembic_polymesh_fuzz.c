/* SPDX-License-Identifier: MIT
 * Polygon meshes of any archive: every sample's corners are points of it, its attributes fit or are seen not to, and whether the topology changes is
 * what all samples say. */
#include "mesh_look.h"
#include "schema_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const schema_fuzz_plan plan = {{BWI_ABC_POLYMESH}};
    schema_fuzz_run(&plan, mesh_look, data, size);
    return 0;
}
