/* SPDX-License-Identifier: MIT
 * Distances of one frame, and their sums: largest, 99th percentile, root mean square. */
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "metric/metric_priv.h"

/* Bits of a float grow with its value: exponent and 4 bits of mantissa are the bin.  A square has no sign. */
static uint32_t bin_of(double square) {
    const float f = (float)square;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits >> 19;
}

/* The upper end of a bin; the lowest holds 0 and what is as good as 0, below 3e-20 m. */
static double bin_top(uint32_t bin) {
    if (bin == 0)
        return 0.0;
    const uint32_t bits = (bin + 1) << 19;
    float f;
    memcpy(&f, &bits, sizeof f);
    return bwi_sqrt((double)f);
}

void bwi_histogram_add(bwi_histogram *sum, const bwi_histogram *other) {
    for (size_t k = 0; k < BWI_HISTOGRAM_BINS; ++k)
        sum->bins[k] += other->bins[k];
}

/* What is no number is infinitely far from what was sampled: a NaN would be equal to everything. */
static double square_distance(const float *a, const float *b) {
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double delta = (double)a[k] - (double)b[k];
        square += delta * delta;
    }
    return square >= 0.0 ? square : (double)INFINITY;
}

void bwi_frame_error_measure(bwi_frame_error *out, bwi_histogram *histogram, const float *decoded, const float *sampled,
                             const float *decoded_normals, const float *sampled_normals, size_t count) {
    bwi_frame_error e = {.count = count};
    for (size_t i = 0; i < count; ++i) {
        const double square = square_distance(&decoded[3 * i], &sampled[3 * i]);
        e.sum_square += square;
        if (square > e.max_square) {
            e.max_square = square;
            e.worst_vertex = (uint32_t)i;
        }
        ++histogram->bins[bin_of(square)];
    }
    for (size_t i = 0; decoded_normals && i < count; ++i) {
        const double square = square_distance(&decoded_normals[3 * i], &sampled_normals[3 * i]);
        e.max_chord_square = square > e.max_chord_square ? square : e.max_chord_square;
    }
    *out = e;
}

void bwi_frame_error_add(bwi_frame_error *sum, const bwi_frame_error *other) {
    if (sum->count == 0 || other->max_square > sum->max_square) {
        sum->max_square = other->max_square;
        sum->worst_vertex = other->worst_vertex;
    }
    sum->count += other->count;
    sum->sum_square += other->sum_square;
    if (other->max_chord_square > sum->max_chord_square)
        sum->max_chord_square = other->max_chord_square;
}

void bwi_stats_add(bw_error_stats *stats, const bwi_frame_error *frame, const bwi_error_place *place,
                   const bwi_vertex_list *list) {
    const double max = bwi_sqrt(frame->max_square);
    if (stats->count == 0 || max > stats->max) {
        stats->max = max;
        stats->worst = (bw_error_place){place->clip, place->time_s, place->frame, frame->worst_vertex,
                                        bwi_part_name(list, frame->worst_vertex)};
    }
    const double relative = place->diagonal > 0.0 ? max / place->diagonal : 0.0;
    stats->max_relative = relative > stats->max_relative ? relative : stats->max_relative;
    stats->count += frame->count;
    stats->rms += frame->sum_square;
    stats->normal_deg = frame->max_chord_square > stats->normal_deg ? frame->max_chord_square : stats->normal_deg;
}

void bwi_stats_finish(bw_error_stats *stats, const bwi_histogram *histogram) {
    if (stats->count == 0)
        return;
    stats->rms = bwi_sqrt(stats->rms / (double)stats->count);
    const double half_chord = stats->normal_deg < 4.0 ? bwi_sqrt(stats->normal_deg) * 0.5 : 1.0;
    const double rest = 1.0 - half_chord * half_chord;
    stats->normal_deg = 2.0 * bwi_atan2(half_chord, bwi_sqrt(rest)) * 180.0 / BWI_PI;
    const uint64_t above = stats->count / 100; /* this many may lie above the percentile */
    uint64_t seen = 0;
    uint32_t bin = BWI_HISTOGRAM_BINS;
    while (bin-- > 0 && (seen += histogram->bins[bin]) <= above)
        ;
    const double top = bin_top(bin); /* NaN for the infinite one */
    stats->p99 = top < stats->max ? top : stats->max;
}

bool bwi_metric_keeps(const bw_error_stats *stats, bw_length bound) {
    switch (bound.unit) {
    case BW_LENGTH_METRE:
        return stats->max <= bound.value;
    case BW_LENGTH_RELATIVE:
        return stats->max_relative <= bound.value;
    case BW_LENGTH_NONE:
        break;
    }
    return true;
}
