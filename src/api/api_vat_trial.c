/* SPDX-License-Identifier: MIT
 * One way to bake, from its plan to files that were read back: nothing has appeared yet. */
#include <string.h>

#include "api/api_vat.h"
#include "metric/metric.h"

static bw_result fill_manifest(bwi_vat_trial *trial, bw_error *error) {
    const bwi_vat_source *source = trial->source;
    const bwi_vat_plan *plan = &trial->plan;
    bwi_manifest *m = &trial->manifest;
    m->generator = BWI_MANIFEST_GENERATOR;
    m->mode = plan->settings.mode;
    m->layout = plan->settings.layout;
    m->engine = plan->settings.engine->engine;
    m->format = plan->settings.format->format;
    m->space = bwi_vat_space(&plan->settings)->name;
    m->options = *source->opts;
    m->options.run = (bw_run_opts){0};
    m->options.write = (bw_write_opts){0};
    m->options.events.data = NULL; /* the clips hold them */
    m->options.events.count = 0;
    m->options.plan = NULL;
    m->options.plan_ctx = NULL;
    m->bones = plan->bones;
    m->element_count = source->list->vertex_count;
    m->frame_count = plan->frame_count;
    m->rows_per_frame = plan->rows_per_frame;
    m->frames_per_page = plan->frames_per_page;
    m->clips.data = bwi_arena_alloc(trial->arena, plan->clip_count, sizeof *m->clips.data);
    if (!m->clips.data)
        return bwi_fail_memory(error, NULL, &source->call->mem, plan->clip_count * sizeof *m->clips.data);
    m->clips.count = plan->clip_count;
    for (uint32_t c = 0; c < plan->clip_count; ++c) {
        const bwi_manifest_clip *clip = &plan->clips[c].out;
        m->clips.data[c] = *clip;
        for (int k = 0; k < 3; ++k) {
            m->bounds_min[k] =
                c == 0 || clip->bounds_min[k] < m->bounds_min[k] ? clip->bounds_min[k] : m->bounds_min[k];
            m->bounds_max[k] =
                c == 0 || clip->bounds_max[k] > m->bounds_max[k] ? clip->bounds_max[k] : m->bounds_max[k];
        }
    }
    bw_result result = bwi_vat_probes(&m->probes.data, &m->probes.count, plan, trial->arena, error);
    return result == BW_OK ? bwi_list_sources(&trial->manifest.source.data, &trial->manifest.source.count, trial->arena,
                                              trial->source->scene, error)
                           : result;
}

static bw_result write_manifest(bwi_vat_trial *trial, FILE *file, bw_error *error) {
    const bwi_vat_source *source = trial->source;
    bw_result result = bwi_manifest_write(file, source->manifest_file, &trial->manifest, &source->call->mem, error);
    return result == BW_OK ? bwi_outputs_close(trial->outputs, error) : result;
}

static bw_result measure_levels(bwi_vat_trial *trial, bwi_decoder *decoder, bw_error *error) {
    const bwi_vat_source *source = trial->source;
    bw_result result =
        bwi_measure_levels(trial->level_errors, decoder, source->list, &source->levels, &source->call->env, error);
    for (size_t k = 0; result == BW_OK && k < source->levels.count; ++k) {
        bwi_manifest_level *level = &trial->manifest.levels.data[k];
        bw_error_report report = {.stored = trial->level_errors[k].frames};
        result = bwi_report_error(&report, &report, trial->arena, error);
        trial->level_errors[k].frames = report.stored; /* strings of the decoder's manifest end with it */
        level->has_error = true;
        level->rest_max = trial->level_errors[k].rest_max;
        level->rest_rms = trial->level_errors[k].rest_rms;
        level->frames = report.stored;
    }
    return result;
}

/* Opens what was written as `bakewell verify` would, before it appears under its final name. */
static bw_result read_back(bwi_vat_trial *trial, bw_error *error) {
    const bwi_vat_source *source = trial->source;
    bwi_decoder *decoder = NULL;
    bwi_warnings findings;
    bwi_warnings_init(&findings, trial->arena);
    const char *path = bwi_path_join(trial->arena, bwi_outputs_folder(trial->outputs), source->manifest_file);
    bw_result result = path ? bwi_decoder_open(&decoder, path, &source->call->env, &findings, error)
                            : bwi_fail_memory(error, NULL, &source->call->mem, 0);
    bw_error_report measured = {0};
    if (result == BW_OK)
        result = bwi_metric_walk(&measured, decoder, source->list, &source->call->env, &findings, error);
    if (result == BW_OK)
        result = bwi_report_error(&trial->measured_error, &measured, trial->arena, error);
    if (result == BW_OK)
        result = measure_levels(trial, decoder, error);
    bwi_decoder_free(decoder);
    if (result == BW_OK && findings.lost)
        return bwi_fail_memory(error, NULL, &source->call->mem, sizeof(bw_warning));
    if (result == BW_OK && findings.count)
        return bwi_fail(error, BW_ERR_INTERNAL, source->manifest_file, -1,
                        "what was written does not read back: %s (%s); please report this file",
                        findings.data[0].message, findings.data[0].first);
    const int status = bw_result_exit_status(result);
    if (status != bw_result_exit_status(BW_ERR_DIFFERS) && status != bw_result_exit_status(BW_ERR_MALFORMED))
        return result;
    return bwi_fail(error, BW_ERR_INTERNAL, source->manifest_file, -1,
                    "what was written cannot be read back; please report this file");
}

static bw_result write_all(bwi_vat_trial *trial, bw_error *error) {
    const bwi_vat_source *source = trial->source;
    FILE *file = NULL;
    bw_result result = bwi_vat_write_textures(trial, error);
    if (result == BW_OK)
        result = bwi_vat_write_meshes(trial, error);
    if (result == BW_OK)
        result = fill_manifest(trial, error);
    if (result == BW_OK)
        result = bwi_outputs_open(trial->outputs, &file, source->manifest_file, "manifest", error);
    if (result == BW_OK)
        result = write_manifest(trial, file, error);
    if (result == BW_OK)
        result = read_back(trial, error);
    if (result == BW_OK) {
        trial->manifest.has_error = true;
        trial->manifest.error = trial->measured_error;
        result = bwi_outputs_reopen(trial->outputs, &file, source->manifest_file, error);
    }
    return result == BW_OK ? write_manifest(trial, file, error) : result;
}

bw_result bwi_vat_trial_bake(bwi_vat_trial *trial, bw_error *error) {
    const bwi_vat_source *source = trial->source;
    const char *folder = source->scratch ? source->scratch : source->out_dir;
    bw_result result = bwi_outputs_begin(&trial->outputs, folder, source->set, &source->call->mem, error);
    if (result == BW_OK)
        result = bwi_vat_name_outputs(trial, error);
    if (result == BW_OK)
        result = write_all(trial, error);
    trial->measured = result == BW_OK;
    return result;
}

void bwi_vat_trial_end(bwi_vat_trial *trial) {
    bwi_outputs_end(trial->outputs);
    bwi_arena_free(trial->arena);
    trial->outputs = NULL;
    trial->arena = NULL;
}
