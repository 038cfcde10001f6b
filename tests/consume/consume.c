/* SPDX-License-Identifier: MIT
 * A user's program: calls the installed library and expects what its headers promise. */
#include <bakewell/bakewell.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", BW_VERSION_MAJOR, BW_VERSION_MINOR, BW_VERSION_PATCH);
    if (strcmp(bw_version(), expected) != 0) {
        printf("the library says version %s, its headers %s\n", bw_version(), expected);
        return 1;
    }
    bw_error error = {0};
    bw_vat_report *report = NULL;
    bw_result result = bw_vat_bake(&report, "no_such_file.glb", "no_such_folder", NULL, &error);
    if (result != BW_ERR_FILE_MISSING || report != NULL || error.result != result || error.message[0] == '\0') {
        printf("baking a missing file gave result %d and the message '%s'\n", (int)result, error.message);
        return 1;
    }
    return 0;
}
