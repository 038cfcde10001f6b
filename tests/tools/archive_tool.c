/* SPDX-License-Identifier: MIT
 * Writes a small Alembic archive: archive_tool OUT [OFFSET BYTE]... puts bytes at offsets into it before it is written. */
#include <stdio.h>
#include <stdlib.h>

#include "archive_builder.h"

int main(int argc, char **argv) {
    archive_builder b;
    if (argc < 2 || argc % 2 != 0) {
        fprintf(stderr, "usage: archive_tool OUT [OFFSET BYTE]...\n");
        return 2;
    }
    archive_cloth(&b);
    for (int i = 2; i < argc; i += 2) {
        size_t offset = strtoul(argv[i], NULL, 0);
        if (offset >= b.size) {
            fprintf(stderr, "archive_tool: offset %zu of %zu\n", offset, b.size);
            return 2;
        }
        b.bytes[offset] = (uint8_t)strtoul(argv[i + 1], NULL, 0);
    }
    FILE *file = fopen(argv[1], "wb");
    bool whole = file && fwrite(b.bytes, 1, b.size, file) == b.size;
    whole = file && fclose(file) == 0 && whole;
    archive_free(&b);
    if (!whole)
        perror(argv[1]);
    return whole ? 0 : 1;
}
