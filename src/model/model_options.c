/* SPDX-License-Identifier: MIT
 * The option tables: one row of an options_*.def file becomes one bw_option. */
#include "bakewell/options.h"

#include <stddef.h>

#include "bakewell/groom.h"
#include "bakewell/pivot.h"
#include "bakewell/vat.h"
#include "bakewell/verify.h"

#define LIST_OF(rows) ((bw_option_list){(rows), sizeof(rows) / sizeof((rows)[0])})

#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) \
    {key, kind, metavar, choices, preset, min, max, help, offsetof(bw_run_opts, field), sizeof(ctype)},
static const bw_option RUN_ROWS[] = {
#include "bakewell/options_run.def"
};
#undef BW_OPT

#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) \
    {key, kind, metavar, choices, preset, min, max, help, offsetof(bw_write_opts, field), sizeof(ctype)},
static const bw_option WRITE_ROWS[] = {
#include "bakewell/options_write.def"
};
#undef BW_OPT

#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) \
    {key, kind, metavar, choices, preset, min, max, help, offsetof(bw_vat_opts, field), sizeof(ctype)},
static const bw_option VAT_ROWS[] = {
#include "bakewell/options_vat.def"
};
#undef BW_OPT

#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) \
    {key, kind, metavar, choices, preset, min, max, help, offsetof(bw_verify_opts, field), sizeof(ctype)},
static const bw_option VERIFY_ROWS[] = {
#include "bakewell/options_verify.def"
};
#undef BW_OPT

#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) \
    {key, kind, metavar, choices, preset, min, max, help, offsetof(bw_groom_opts, field), sizeof(ctype)},
static const bw_option GROOM_ROWS[] = {
#include "bakewell/options_groom.def"
};
#undef BW_OPT

#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) \
    {key, kind, metavar, choices, preset, min, max, help, offsetof(bw_pivot_opts, field), sizeof(ctype)},
static const bw_option PIVOT_ROWS[] = {
#include "bakewell/options_pivot.def"
};
#undef BW_OPT

bw_option_list bw_run_options(void) {
    return LIST_OF(RUN_ROWS);
}

bw_option_list bw_write_options(void) {
    return LIST_OF(WRITE_ROWS);
}

bw_option_list bw_vat_options(void) {
    return LIST_OF(VAT_ROWS);
}

bw_option_list bw_verify_options(void) {
    return LIST_OF(VERIFY_ROWS);
}

bw_option_list bw_groom_options(void) {
    return LIST_OF(GROOM_ROWS);
}

bw_option_list bw_pivot_options(void) {
    return LIST_OF(PIVOT_ROWS);
}
