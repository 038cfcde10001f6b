/* SPDX-License-Identifier: MIT
 * A groom with all that the schema has, for tests of what is written of it. */
#include "groom_fixture.h"

#include <string.h>

void groom_fill(groom_fixture *f) {
    static const uint32_t counts[GROOM_STRANDS] = {2, 3, 4, 2, 3};
    memset(f, 0, sizeof *f);
    for (uint32_t k = 0; k < GROOM_STRANDS; k++) {
        f->first_points[k + 1] = f->first_points[k] + counts[k];
        f->guides[k] = k == 2 || k == 4;
        f->group_of[k] = k > 2;
        f->ids[k] = 10 + (int32_t)k;
        f->root_uvs[k][0] = 0.125f * (float)k;
        f->root_uvs[k][1] = 1.0f - 0.25f * (float)k;
        for (uint32_t i = 0; i < 3; i++) {
            f->closest_guides[k][i] = k > 2 ? 14 : 12;
            f->clump_ids[k][i] = (int32_t)(100 * i + k);
        }
        f->guide_weights[k][0] = 0.5f;
        f->guide_weights[k][1] = f->guide_weights[k][2] = 0.25f;
        for (uint32_t p = f->first_points[k]; p < f->first_points[k + 1]; p++) {
            const float along = (float)(p - f->first_points[k]);
            f->positions[p][0] = (float)k;
            f->positions[p][1] = -0.5f * along;
            f->positions[p][2] = 3.0f + along;
            f->widths[p] = 0.02f / (1.0f + along);
            f->colors[p][0] = 0.1f * (float)k;
            f->colors[p][1] = 0.25f * along;
            f->colors[p][2] = 1.0f;
            f->roughness[p] = 0.3f + 0.1f * along;
            f->ao[p] = 1.0f - 0.2f * along;
        }
    }
    f->groups[0] = (bw_groom_group){1000, "fringe", "cards a"};
    f->groups[1] = (bw_groom_group){2000, "neck", NULL};
    f->groom = (bw_groom){.strand_count = GROOM_STRANDS,
                          .point_count = GROOM_POINTS,
                          .first_points = f->first_points,
                          .positions = f->positions[0],
                          .guides = f->guides,
                          .group_of = f->group_of,
                          .groups = {f->groups, 2},
                          .ids = f->ids,
                          .widths = f->widths,
                          .root_uvs = f->root_uvs[0],
                          .closest_guides = f->closest_guides[0],
                          .guide_weights = f->guide_weights[0],
                          .colors = f->colors[0],
                          .roughness = f->roughness,
                          .ao = f->ao,
                          .clump_ids = f->clump_ids[0],
                          .clump_width = 3,
                          .tool = "Tool 2.0",
                          .properties = "a=1;b=2"};
}

static bw_result raise(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const groom_fixture *f = ctx;
    (void)error;
    memcpy(dst, f->positions, sizeof f->positions);
    for (size_t k = 0; k < GROOM_POINTS; k++)
        dst[3 * k + 2] += (float)sample;
    return BW_OK;
}

void groom_move(groom_fixture *f, double first_s, double step_s) {
    for (uint32_t k = 0; k < GROOM_SAMPLES; k++)
        f->times_s[k] = first_s + k * step_s;
    f->animation = (bw_cache){f->times_s, GROOM_SAMPLES, raise, f};
    f->groom.animation = &f->animation;
}
