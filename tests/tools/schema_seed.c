/* SPDX-License-Identifier: MIT
 * Writes the archive that a fuzz harness of Alembic's schemas makes of bytes: schema_seed SCHEMA BYTES OUT, where SCHEMA is the harness's middle
 * name and BYTES a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema_fuzz.h"

static const struct {
    const char *name;
    schema_fuzz_plan plan;
} rows[] = {{"xform", {{BWI_ABC_XFORM}}},
            {"polymesh", {{BWI_ABC_POLYMESH}}},
            {"points", {{BWI_ABC_POINTS, BWI_ABC_SUBD}}},
            {"curves", {{BWI_ABC_CURVES}}},
            {"params", {{BWI_ABC_XFORM, BWI_ABC_POLYMESH, BWI_ABC_POINTS, BWI_ABC_CURVES}}}};

int main(int argc, char **argv) {
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static uint8_t data[4096];
    size_t row = 0;
    while (argc == 4 && row < ROWS && strcmp(rows[row].name, argv[1]) != 0)
        row++;
    FILE *in = argc == 4 && row < ROWS ? fopen(argv[2], "rb") : NULL;
    FILE *out = in ? fopen(argv[3], "wb") : NULL;
    if (!out) {
        fprintf(stderr, "schema_seed: usage: schema_seed SCHEMA BYTES OUT\n");
        return 2;
    }
    uint8_t *bytes;
    size_t size;
    schema_fuzz_build(&bytes, &size, &rows[row].plan, data, fread(data, 1, sizeof data, in));
    const bool whole = fwrite(bytes, 1, size, out) == size && fclose(out) == 0;
    fclose(in);
    free(bytes);
    return whole ? 0 : 1;
}
