/* SPDX-License-Identifier: MIT
 * Which samples are taken at times: reads lines "kind time_per_cycle time_count time... sample_count time_s", kind as in bw_alembic_time_kind, and
 * prints for each the sample below, above and nearest. */
#include <stdio.h>

#include "bakewell/alembic.h"

enum { TIMES_MAX = 64 };

int main(void) {
    unsigned kind, count, sample_count;
    double cycle_s, time_s, times[TIMES_MAX];
    while (scanf("%u %lf %u", &kind, &cycle_s, &count) == 3) {
        if (kind > BW_ALEMBIC_ACYCLIC || count == 0 || count > TIMES_MAX)
            return 1;
        for (unsigned i = 0; i < count; i++) {
            if (scanf("%lf", &times[i]) != 1)
                return 1;
        }
        if (scanf("%u %lf", &sample_count, &time_s) != 2)
            return 1;
        const bw_alembic_time_sampling sampling = {
            .kind = (bw_alembic_time_kind)kind, .time_per_cycle_s = cycle_s, .times_s = {times, count}};
        printf("%u %u %u\n", (unsigned)bw_alembic_floor_index(&sampling, sample_count, time_s),
               (unsigned)bw_alembic_ceil_index(&sampling, sample_count, time_s),
               (unsigned)bw_alembic_near_index(&sampling, sample_count, time_s));
    }
    return 0;
}
