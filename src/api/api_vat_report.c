/* SPDX-License-Identifier: MIT
 * What a bake says of itself. */
#include "api/api_vat.h"

const char *bwi_vat_skin_in_name(const bwi_manifest_bones *bones) {
    switch (bones->count ? bones->skin_in : BW_VAT_SKIN_IN_DEFAULT) {
    case BW_VAT_SKIN_IN_TEXTURE:
        return "texture";
    case BW_VAT_SKIN_IN_MESH:
        return "mesh";
    default:
        return NULL;
    }
}

bw_result bwi_vat_report_trial(bw_vat_report *report, bw_output_file **out_files, const bwi_vat_trial *trial,
                               bw_error *error) {
    const bwi_vat_source *source = trial->source;
    const bwi_vat_plan *plan = &trial->plan;
    bwi_arena *arena = report->arena;
    const size_t count = bwi_outputs_count(trial->outputs);
    bw_output_file *files = bwi_arena_alloc(arena, count, sizeof *files);
    bool fits = files != NULL;
    for (size_t k = 0; fits && k < count; ++k) {
        const bwi_output *output = bwi_outputs_get(trial->outputs, k);
        files[k] = (bw_output_file){bwi_path_join(arena, source->out_dir, output->file_name),
                                    bwi_arena_string(arena, output->role, SIZE_MAX), output->size, true};
        fits = files[k].path && files[k].role;
    }
    if (!fits)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), count * sizeof *files);
    report->outputs.data = *out_files = files;
    report->outputs.count = count;
    report->manifest = files[count - 1].path;
    report->vertex_count = source->list->vertex_count;
    report->frame_count = plan->frame_count;
    report->page_count = plan->page_count;
    report->width = plan->width;
    report->height = plan->height;
    report->texture_bytes = plan->texture_bytes;
    report->mode = bwi_mode_name(plan->settings.mode);
    report->bone_count = plan->bones.count;
    report->matrices = plan->bones.texel_count == 3;
    report->skin_in = bwi_vat_skin_in_name(&plan->bones);
    report->shear = plan->shear;
    report->shear_relative = plan->shear_part;
    report->dropped = plan->dropped;
    report->layout = bwi_layout_name(plan->settings.layout);
    report->format = plan->settings.format->name;
    bw_result result = bwi_report_clips(&report->clips.data, &report->clips.count, arena, &trial->manifest, error);
    if (result == BW_OK)
        result = bwi_report_levels(&report->levels.data, &report->levels.count, arena, &trial->manifest,
                                   trial->level_errors, error);
    report->rest_diagonal = trial->rest_diagonal;
    if (plan->root != BW_NO_INDEX) {
        report->root_node = bwi_arena_string(arena, source->scene->nodes.data[plan->root].name, SIZE_MAX);
        if (!report->root_node)
            return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), 0);
    }
    if (result == BW_OK)
        result = bwi_report_sources(&report->sources, arena, source->scene->path, trial->manifest.source.data,
                                    trial->manifest.source.count, error);
    if (result == BW_OK)
        result = bwi_report_warnings(&report->warnings, source->scene->warnings, &source->warnings, arena, error);
    if (result == BW_OK)
        result = bwi_report_warnings(&report->warnings, report->warnings, &trial->motion->warnings, arena, error);
    if (result == BW_OK)
        result = bwi_report_warnings(&report->warnings, report->warnings, &trial->warnings, arena, error);
    return result == BW_OK ? bwi_report_error(&report->error, &trial->measured_error, arena, error) : result;
}
