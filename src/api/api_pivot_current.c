/* SPDX-License-Identifier: MIT
 * Whether a Pivot Painter 2 bake is up to date, by its manifest and the bytes of its files alone. */
#include <string.h>

#include "api/api_pivot.h"

static bool add_file(bw_pivot_report *report, bw_output_file *files, const bwi_manifest_file *file, const char *role,
                     const bwi_pivot_job *job, bwi_mem *mem) {
    bw_output_file *out = &files[report->outputs.count++];
    *out = (bw_output_file){bwi_path_join(report->arena, job->out_dir, file->file), role, file->bytes, false};
    return out->path && bwi_has_bytes(out->path, file, mem);
}

/* Every file of the manifest, in the order in which a bake writes them; checks that each is as the manifest says. */
static bool list_outputs(bw_pivot_report *report, const bwi_pivot_manifest *m, const char *manifest_path,
                         bwi_pivot_job *job) {
    bw_output_file *files = bwi_arena_alloc(report->arena, m->textures.count + m->levels.count + 2, sizeof *files);
    bool stand = files != NULL;
    report->outputs.data = files;
    for (size_t k = 0; stand && k < m->textures.count; k++)
        stand = add_file(report, files, &m->textures.data[k].file, bwi_pivot_role_name(m->textures.data[k].role), job,
                         &job->call.mem);
    stand = stand && add_file(report, files, &m->mesh, "mesh", job, &job->call.mem);
    for (size_t k = 0; stand && k < m->levels.count; k++)
        stand = add_file(report, files, &m->levels.data[k].mesh, "level", job, &job->call.mem);
    bwi_map map;
    if (!stand || bwi_map_open(&map, manifest_path, &job->call.mem, NULL) != BW_OK)
        return false;
    bw_output_file *last = &files[report->outputs.count++];
    *last = (bw_output_file){bwi_arena_string(report->arena, manifest_path, SIZE_MAX), "manifest", map.size, false};
    bwi_map_close(&map);
    report->manifest = last->path;
    return last->path != NULL;
}

bool bwi_pivot_is_current(bw_pivot_report *report, bwi_pivot_job *job) {
    const char *path = bwi_path_join(job->arena, job->out_dir, job->manifest_file);
    bwi_pivot_manifest *m = NULL;
    if (!path || bwi_pivot_manifest_read(&m, job->arena, path, NULL) != BW_OK)
        return false;
    bw_pivot_report found = {.arena = report->arena};
    const bw_string_list named[] = {job->opts.lod};
    /* An override file is read by name alone: what it holds is not in the manifest. */
    if (job->opts.override_file || !m->source.count || strcmp(m->generator, BWI_MANIFEST_GENERATOR) != 0 ||
        strcmp(m->source.data[0].file, bwi_path_basename(job->scene_path)) != 0 ||
        !bwi_pivot_options_equal(&m->options, &job->opts, &job->call.mem) ||
        bwi_report_sources(&found.sources, found.arena, job->scene_path, m->source.data, m->source.count, NULL) !=
            BW_OK ||
        !bwi_sources_stand(m->source.data, m->source.count, &found.sources, named, 1, &job->call.mem) ||
        !list_outputs(&found, m, path, job) || !bwi_pivot_report_manifest(&found, m))
        return false;
    found.up_to_date = true;
    *report = found;
    return true;
}
