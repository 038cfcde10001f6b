/* SPDX-License-Identifier: MIT
 * The table of rules that importers of grooms keep. */
#include "groom/groom.h"

#define BWI_GROOM_RULE(code, level, summary, fix) {code, level, summary, fix},
const bwi_groom_rule bwi_groom_rules[] = {
#include "groom/groom_findings.def"
    {NULL, BW_GROOM_INFO, NULL, NULL}};
#undef BWI_GROOM_RULE
