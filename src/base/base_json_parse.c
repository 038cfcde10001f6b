/* SPDX-License-Identifier: MIT
 * Reading JSON with jansson under our limits, with our errors. */
#include <string.h>

#include "base/error.h"
#include "base/json.h"

/* Small text can need 46 times its size in jansson's nodes; jansson allocates outside the budget, so the text is
 * bounded instead. */
enum { MEMORY_A_BYTE = 64 };

bw_result bwi_json_parse(json_t **root, const char *text, size_t size, const bwi_mem *mem, const char *path,
                         bw_error *error) {
    size_t largest = mem->limit / MEMORY_A_BYTE;
    if (size > largest) {
        return bwi_fail(
            error, BW_ERR_MEMORY, path, -1,
            "JSON text of %zu bytes is over the %zu that the memory limit of %zu allows; raise --memory-limit", size,
            largest, mem->limit);
    }
    size_t skipped = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    json_error_t found;
    json_t *parsed = json_loadb(text + skipped, size - skipped, JSON_REJECT_DUPLICATES, &found);
    if (parsed) {
        *root = parsed;
        return BW_OK;
    }
    if (json_error_code(&found) == json_error_out_of_memory) {
        return bwi_fail(error, BW_ERR_MEMORY, path, -1,
                        "the system refused memory for JSON text of %zu bytes; close other programs", size);
    }
    int64_t offset = found.position >= 0 ? (int64_t)found.position + (int64_t)skipped : -1;
    return bwi_fail(
        error, BW_ERR_JSON, path, offset,
        "JSON error in line %d, column %d: %s; expected well-formed JSON, so export the file again or mend it there",
        found.line, found.column, found.text);
}
