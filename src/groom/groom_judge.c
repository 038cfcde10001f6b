/* SPDX-License-Identifier: MIT
 * What an engine makes of a file of hair. */
#include <string.h>

#include "groom/groom.h"

bw_result bwi_groom_judge(bwi_groom_verdict *verdict, bwi_arena *arena, const bwi_hair *hair, bw_groom_engine engine,
                          const struct bwi_groom_space *space, const bwi_env *env, bw_error *error) {
    (void)engine;
    (void)space;
    (void)env;
    *verdict = (bwi_groom_verdict){.accepted = hair->curves.count > 0};
    verdict->groups.data = bwi_arena_alloc(arena, 1, sizeof *verdict->groups.data);
    if (!verdict->groups.data)
        return bwi_fail_memory(error, hair->path, bwi_arena_mem(arena), sizeof *verdict->groups.data);
    for (size_t i = 0; i < hair->curves.count; i++) {
        verdict->strands += hair->curves.data[i].curve_count;
        verdict->points += hair->curves.data[i].point_count;
    }
    return BW_OK;
}
