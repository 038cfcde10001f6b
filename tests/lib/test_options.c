/* SPDX-License-Identifier: MIT
 * The table of bw_vat_opts, from the same rows as the public one. */
#include "test_options.h"

#include "bakewell/vat.h"

static const bw_option OPTIONS[] = {
#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) \
    {key, kind, metavar, choices, preset, min, max, help, offsetof(bw_vat_opts, field), sizeof(ctype)},
#include "bakewell/options_vat.def"
#undef BW_OPT
};

bw_option_list test_vat_options(void) {
    return (bw_option_list){OPTIONS, sizeof OPTIONS / sizeof OPTIONS[0]};
}
