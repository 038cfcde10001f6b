/* SPDX-License-Identifier: MIT
 * The table of bw_vat_opts for tests of rooms that may not see the public calls. */
#ifndef TEST_OPTIONS_H
#define TEST_OPTIONS_H

#include "bakewell/options.h"

bw_option_list test_vat_options(void);

#endif
