/* SPDX-License-Identifier: MIT
 * The formats that grooms are written in. */
#include "write/write_priv.h"

bool bwi_groom_has_cards(const bw_groom *groom) {
    for (size_t g = 0; g < groom->groups.count; g++) {
        if (groom->groups.data[g].cards_id)
            return true;
    }
    return false;
}

const bwi_groom_format bwi_groom_formats[] = {{"abc", true, true, true, bwi_write_groom_abc},
                                              {"glb", true, false, true, bwi_write_groom_glb},
                                              {"hair", true, false, false, bwi_write_groom_hair},
                                              {"usda", false, false, true, bwi_write_groom_usda},
                                              {NULL, false, false, false, NULL}};
