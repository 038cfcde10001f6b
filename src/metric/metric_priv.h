/* SPDX-License-Identifier: MIT
 * Error statistics: of a frame, and over frames. */
#ifndef BWI_METRIC_METRIC_PRIV_H
#define BWI_METRIC_METRIC_PRIV_H

#include "metric/metric.h"

/* Distances counted by size: 16 bins for each doubling of the squared distance, so a bin is 1.6 to 3.1 % wide. */
#define BWI_HISTOGRAM_BINS 4096
typedef struct bwi_histogram {
    uint64_t bins[BWI_HISTOGRAM_BINS];
} bwi_histogram;
void bwi_histogram_add(bwi_histogram *sum, const bwi_histogram *other);

typedef struct bwi_frame_error {
    uint64_t count;
    double max_square, sum_square; /* of distances, metres² */
    uint32_t worst_vertex;         /* the lowest of several */
    double max_chord_square;       /* of normals on the unit sphere */
} bwi_frame_error;

/* Compares [count][3] arrays; normals may be NULL. */
void bwi_frame_error_measure(bwi_frame_error *out, bwi_histogram *histogram, const float *decoded, const float *sampled,
                             const float *decoded_normals, const float *sampled_normals, size_t count);

/* Adds distances of another time to a record; of equal ones the worst vertex of `sum` stays. */
void bwi_frame_error_add(bwi_frame_error *sum, const bwi_frame_error *other);

/* Compares every attachment in every frame with its node in the source.  In: mixes — [clips].  findings gets attachment, attachment-missing.
 * Err: MEMORY, CANCELLED. */
bw_result bwi_compare_attachments(const bwi_decoder *decoder, const bwi_vertex_list *list, const bwi_clip_mix *mixes, const bwi_env *env,
                                  bwi_warnings *findings, bw_error *error);

/* The clip that a frame of the whole list belongs to. */
uint32_t bwi_metric_clip_of_frame(const bwi_manifest *m, uint32_t frame);
/* The scene's clips behind each of the manifest's.  Out: mixes — [clips], in the arena.  Err: DIFFERS (a clip is missing), MEMORY. */
bw_result bwi_metric_find_mixes(bwi_clip_mix **mixes, bwi_arena *arena, const bwi_manifest *m, const bw_scene *scene, bw_error *error);

typedef struct bwi_error_place {
    const char *clip;
    double time_s;
    uint32_t frame;
    double diagonal; /* of the clip's bounds, metres */
} bwi_error_place;

/* Adds a frame.  While frames are added, stats->rms holds the sum of squares and stats->normal_deg the largest squared chord. */
void bwi_stats_add(bw_error_stats *stats, const bwi_frame_error *frame, const bwi_error_place *place, const bwi_vertex_list *list);
/* Turns sums into the report's figures. */
void bwi_stats_finish(bw_error_stats *stats, const bwi_histogram *histogram);

#endif
