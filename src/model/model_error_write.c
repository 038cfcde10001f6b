/* SPDX-License-Identifier: MIT
 * An error report as JSON: the same object in manifests and in results. */
#include "model/manifest.h"

void bwi_error_stats_write(bwi_json_writer *w, const char *key, const bw_error_stats *stats) {
    bwi_json_key(w, key);
    if (!stats->count) {
        bwi_json_string(w, NULL);
        return;
    }
    bwi_json_begin_object(w);
    bwi_json_key_uint(w, "count", stats->count);
    bwi_json_key_double(w, "max", stats->max);
    bwi_json_key_double(w, "p99", stats->p99);
    bwi_json_key_double(w, "rms", stats->rms);
    bwi_json_key_double(w, "max_relative", stats->max_relative);
    bwi_json_key_double(w, "normal_deg", stats->normal_deg);
    bwi_json_key(w, "worst");
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "clip", stats->worst.clip);
    bwi_json_key_double(w, "time_s", stats->worst.time_s);
    bwi_json_key_uint(w, "frame", stats->worst.frame);
    bwi_json_key_uint(w, "vertex", stats->worst.vertex);
    bwi_json_key_string(w, "part", stats->worst.part);
    bwi_json_end_object(w);
    bwi_json_end_object(w);
}

void bwi_error_report_write(bwi_json_writer *w, const bw_error_report *report) {
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "unit", "m");
    bwi_error_stats_write(w, "stored", &report->stored);
    bwi_error_stats_write(w, "between", &report->between);
    bwi_error_stats_write(w, "between_step", &report->between_step);
    bwi_json_end_object(w);
}

void bwi_level_error_write(bwi_json_writer *w, double rest_max, double rest_rms, const bw_error_stats *frames) {
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "unit", "m");
    bwi_json_key(w, "rest");
    bwi_json_begin_object(w);
    bwi_json_key_double(w, "max", rest_max);
    bwi_json_key_double(w, "rms", rest_rms);
    bwi_json_end_object(w);
    bwi_error_stats_write(w, "frames", frames);
    bwi_json_end_object(w);
}
