/* SPDX-License-Identifier: MIT
 * The formats that grooms are written in. */
#include "write/write_priv.h"

const bwi_groom_format bwi_groom_formats[] = {{"abc", true, true, true, bwi_write_groom_abc},
                                              {"glb", true, false, true, bwi_write_groom_glb},
                                              {"hair", true, false, false, bwi_write_groom_hair},
                                              {"usda", false, false, true, bwi_write_groom_usda},
                                              {NULL, false, false, false, NULL}};
