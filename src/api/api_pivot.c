/* SPDX-License-Identifier: MIT
 * bw_pivot_bake and bw_pivot_write: read, find, check, order, write, read back, compare, appear. */
#include "api/api_pivot.h"

#include <string.h>

static const char *const found_names[] = {"given", "root", "ring", "contact", "nearest"};

/* ---- what is said of a plan ---- */

static bw_result tell_plan(bwi_pivot_job *job, bw_error *error) {
    enum { STOCK_LEVELS = 4 };
    const bw_pivot_plan *plan = job->plan;
    const bwi_pivot_order *order = &job->order;
    if (order->max_depth > STOCK_LEVELS) {
        uint32_t deep = 0;
        for (uint32_t t = 0; t < order->count; t++)
            deep += order->depths[t] >= STOCK_LEVELS;
        bwi_warn(&job->warnings, "depth-over-four", deep,
                 "elements lie deeper than the four levels that the stock functions evaluate, and follow only the "
                 "nearest three above them; --max-depth=4 joins them to those",
                 "'%s'", plan->elements.data[order->elements[order->count - 1]].name);
    }
    for (uint32_t e = 0; e < order->count; e++) {
        const bw_pivot_element *element = &job->sheet.elements[e];
        const double *p = element->pivot;
        const double extent_cm = element->extents[0] * 100;
        if (extent_cm > 2048)
            bwi_warn(&job->warnings, "extent-long", 1,
                     "elements are longer than the 2,048 cm that a byte holds, and stiffen towards their tips sooner",
                     "'%s': %.0f cm", element->name, extent_cm);
        if (extent_cm < 8)
            bwi_warn(&job->warnings, "extent-short", 1,
                     "elements are shorter than 8 cm, which shaders take for the least, and bend less than they could",
                     "'%s': %.2f cm", element->name, extent_cm);
        if (element->parent != BW_NO_INDEX && p[0] == 0 && p[1] == 0 && p[2] == 0)
            bwi_warn(&job->warnings, "pivot-at-origin", 1,
                     "elements with a parent have their pivots at the origin, and Unreal's converter to a skeleton "
                     "takes such for roots",
                     "'%s'", element->name);
    }
    uint32_t crowds = 0, vertex = 0;
    bw_result result = bwi_pivot_find_crowds(&crowds, &vertex, plan, &job->call.env, error);
    if (result == BW_OK && crowds)
        bwi_warn(&job->warnings, "pivots-meet", crowds,
                 "more than three elements meet at one place, and Unreal's converter to a skeleton takes three; the "
                 "wind functions do not mind",
                 "vertex %u, of '%s'", vertex, plan->elements.data[plan->vertex_elements[vertex]].name);
    return result;
}

/* ---- reports ---- */

static bw_result report_guesses(bw_pivot_report *report, const bwi_pivot_job *job, bw_error *error) {
    const bwi_pivot_order *order = &job->order;
    size_t count = 0;
    for (uint32_t e = 0; e < order->count; e++)
        count += job->plan->elements.data[e].found != BW_PIVOT_FOUND_GIVEN;
    bw_pivot_guess *guesses = bwi_arena_alloc(report->arena, count, sizeof *guesses);
    bool fits = guesses != NULL;
    size_t filled = 0;
    for (uint32_t t = 0; fits && t < order->count; t++) {
        const bw_pivot_element *element = &job->plan->elements.data[order->elements[t]];
        if (element->found == BW_PIVOT_FOUND_GIVEN)
            continue;
        const char *parent = element->parent == BW_NO_INDEX ? NULL : job->plan->elements.data[element->parent].name;
        bw_pivot_guess *guess = &guesses[filled++];
        *guess = (bw_pivot_guess){.element = bwi_arena_string(report->arena, element->name, SIZE_MAX),
                                  .parent = parent ? bwi_arena_string(report->arena, parent, SIZE_MAX) : NULL,
                                  .found = found_names[element->found],
                                  .confidence = element->confidence,
                                  .distance = element->distance};
        fits = guess->element && (!parent || guess->parent);
    }
    report->guesses.data = guesses;
    report->guesses.count = filled;
    return fits ? BW_OK : bwi_fail_memory(error, NULL, bwi_arena_mem(report->arena), count * sizeof *guesses);
}

bool bwi_pivot_facts_copy(bw_pivot_facts *facts, bwi_arena *arena, const bwi_pivot_manifest *m) {
    *facts = m->facts;
    facts->kind = bwi_arena_string(arena, m->facts.kind, SIZE_MAX);
    return facts->kind != NULL;
}

bool bwi_pivot_report_manifest(bw_pivot_report *report, const bwi_pivot_manifest *m) {
    report->engine = bwi_engine_name(m->engine);
    report->vertex_count = m->vertex_count;
    report->width = m->textures.data[0].width;
    report->height = m->textures.data[0].height;
    report->uv_set = m->uv_set;
    return bwi_pivot_facts_copy(&report->facts, report->arena, m);
}

static bw_result fill_report(bw_pivot_report *report, bw_output_file **out, const bwi_pivot_job *job, bw_error *error) {
    const bw_scene *scene = job->source.scene;
    bwi_arena *arena = report->arena;
    const size_t count = bwi_outputs_count(job->outputs);
    bw_output_file *files = bwi_arena_alloc(arena, count, sizeof *files);
    bool fits = files && bwi_pivot_report_manifest(report, &job->manifest);
    for (size_t k = 0; fits && k < count; k++) {
        const bwi_output *output = bwi_outputs_get(job->outputs, k);
        files[k] = (bw_output_file){bwi_path_join(arena, job->out_dir, output->file_name),
                                    bwi_arena_string(arena, output->role, SIZE_MAX), output->size, true};
        fits = files[k].path && files[k].role;
    }
    if (!fits)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), count * sizeof *files);
    *out = files;
    report->outputs.data = files;
    report->outputs.count = count;
    report->manifest = files[count - 1].path;
    bw_result result = report_guesses(report, job, error);
    if (result == BW_OK && scene)
        result = bwi_report_sources(&report->sources, arena, scene->path, job->manifest.source.data,
                                    job->manifest.source.count, error);
    if (result == BW_OK)
        result = bwi_report_warnings(&report->warnings, scene ? scene->warnings : job->plan->warnings, &job->warnings,
                                     arena, error);
    return result;
}

/* ---- the bake ---- */

static bw_result bake_plan(bw_pivot_report *report, bwi_pivot_job *job, bw_error *error) {
    bw_output_file *files = NULL;
    bw_result result = bwi_pivot_check(job->plan, job->scene_path, &job->call.mem, error);
    if (result == BW_OK)
        result = bwi_pivot_order_make(&job->order, job->arena, job->plan, error);
    if (result == BW_OK)
        result = bwi_pivot_sheet_make(&job->sheet, job->arena, job->plan, &job->order, &job->opts, error);
    if (result == BW_OK)
        result = tell_plan(job, error);
    if (result == BW_OK)
        result = bwi_outputs_begin(&job->outputs, job->out_dir, job->set, &job->call.mem, error);
    if (result == BW_OK)
        result = bwi_pivot_write_files(job, error);
    if (result == BW_OK)
        result = fill_report(report, &files, job, error);
    if (result == BW_OK) {
        bwi_outputs_before_write(job->outputs, job->opts.write.before_write);
        result = bwi_outputs_commit(job->outputs, error);
    }
    for (size_t k = 0; result == BW_OK && k < report->outputs.count; k++)
        files[k].changed = bwi_outputs_get(job->outputs, k)->changed;
    bwi_outputs_end(job->outputs);
    return result;
}

static bw_result name_files(bwi_pivot_job *job, bw_error *error) {
    bool by_names = false;
    bw_result result = bwi_output_name(&job->name, job->arena, job->opts.name, job->scene_path, error);
    if (result == BW_OK && job->scene_path)
        result = bwi_find_levels(&job->level_files, &by_names, job->arena, job->scene_path, job->opts.lod, error);
    if (result == BW_OK && job->level_files.count) {
        if (by_names)
            bwi_warn(&job->warnings, "levels-found", job->level_files.count,
                     "levels of detail beside the scene were taken; --lod=none leaves them out", "%s",
                     job->level_files.data[0].relative);
        result = bwi_named_paths(&job->opts.lod, job->arena, &job->level_files, error);
    }
    if (result != BW_OK)
        return result;
    job->set = bwi_arena_printf(job->arena, "%s_pivot", job->name);
    job->manifest_file = job->set ? bwi_arena_printf(job->arena, "%s.json", job->set) : NULL;
    return job->manifest_file ? BW_OK : bwi_fail_memory(error, NULL, &job->call.mem, 0);
}

static bw_result bake(bw_pivot_report *report, bwi_pivot_job *job, bw_error *error) {
    bw_result result = name_files(job, error);
    if (result != BW_OK)
        return result;
    if (job->scene_path) {
        if (!job->opts.write.force && bwi_pivot_is_current(report, job)) {
            bwi_outputs_sweep(job->out_dir, job->set, &job->call.mem);
            return BW_OK;
        }
        result = bwi_pivot_source_load(&job->source, &job->call, job->arena, job->scene_path, &job->level_files,
                                       &job->opts, job->opts.materials == BW_VAT_MATERIALS_NONE, &job->warnings, error);
        job->plan = job->source.found;
    }
    return result == BW_OK ? bake_plan(report, job, error) : result;
}

static bw_result check_options(const bw_pivot_opts *opts, bw_error *error) {
    bw_result result = bw_options_check(bw_pivot_options(), opts, error);
    if (result == BW_OK)
        result = bw_options_check(bw_write_options(), &opts->write, error);
    if (result == BW_OK && opts->write.dry_run)
        result = bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                          "--dry-run chooses between ways to bake, and textures of pivots have one; leave it out");
    return result;
}

static bw_result run(bw_pivot_report **report, const char *scene_path, const bw_pivot_plan *plan, const char *out_dir,
                     const bw_pivot_opts *opts, bw_error *error) {
    static const bw_pivot_opts defaults = {0};
    opts = opts ? opts : &defaults;
    bw_result result = check_options(opts, error);
    if (result != BW_OK)
        return result;
    bwi_arena *kept = bwi_arena_create_owning(opts->run.memory_limit);
    bw_pivot_report *made = kept ? bwi_arena_alloc(kept, 1, sizeof *made) : NULL;
    bwi_pivot_job job = {.opts = *opts, .scene_path = scene_path, .plan = plan, .out_dir = out_dir ? out_dir : "."};
    result = bwi_call_begin(&job.call, &opts->run, error);
    if (result == BW_OK) {
        job.arena = bwi_arena_create(&job.call.mem);
        if (!made || !job.arena)
            result = bwi_fail_memory(error, scene_path, &job.call.mem, sizeof *made);
    }
    if (result == BW_OK) {
        made->arena = kept;
        bwi_warnings_init(&job.warnings, job.arena);
        result = bake(made, &job, error);
    }
    bwi_pivot_source_end(&job.source);
    bwi_arena_free(job.arena);
    bwi_call_end(&job.call);
    if (result == BW_OK)
        *report = made;
    else
        bwi_arena_free(kept);
    return result;
}

bw_result bw_pivot_bake(bw_pivot_report **report, const char *scene_path, const char *out_dir,
                        const bw_pivot_opts *opts, bw_error *error) {
    return run(report, scene_path, NULL, out_dir, opts, error);
}

bw_result bw_pivot_write(bw_pivot_report **report, const bw_pivot_plan *plan, const char *out_dir,
                         const bw_pivot_opts *opts, bw_error *error) {
    return run(report, NULL, plan, out_dir, opts, error);
}

void bw_free_pivot_report(bw_pivot_report *report) {
    if (report)
        bwi_arena_free(report->arena);
}
