/* SPDX-License-Identifier: MIT
 * The table of rules that importers of grooms keep. */
#include "groom/groom.h"

#define SURE false
#define DOUBTFUL true
#define BWI_GROOM_RULE(id, code, levels, doubtful, summary, fix) {code, levels, doubtful, summary, fix},
const bwi_groom_rule bwi_groom_rules[] = {
#include "groom/groom_findings.def"
    {NULL, NULL, false, NULL, NULL}};
#undef BWI_GROOM_RULE
#undef DOUBTFUL
#undef SURE
