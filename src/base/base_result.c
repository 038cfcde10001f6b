/* SPDX-License-Identifier: MIT
 * The table of results, and the version. */
#include "bakewell/common.h"
#include "bakewell/result.h"

static const struct {
    const char *name, *sentence;
    int status;
} RESULTS[] = {
#define BW_RESULT(name, status, sentence) {#name, sentence, status},
#include "bakewell/results.def"
#undef BW_RESULT
};

static size_t index_of(bw_result result) {
    size_t index = (size_t)result;
    return index < BW_RESULT_COUNT ? index : (size_t)BW_ERR_INTERNAL;
}

const char *bw_result_name(bw_result result) {
    return RESULTS[index_of(result)].name;
}

const char *bw_result_sentence(bw_result result) {
    return RESULTS[index_of(result)].sentence;
}

int bw_result_exit_status(bw_result result) {
    return RESULTS[index_of(result)].status;
}

#define TEXT_OF(x) #x
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *bw_version(void) {
    return VERSION(BW_VERSION_MAJOR, BW_VERSION_MINOR, BW_VERSION_PATCH);
}
