/* SPDX-License-Identifier: MIT
 * The choice among ways to bake: sizes first, then errors, the smallest that keeps the bounds. */
#include <stdio.h>
#include <string.h>

#include "api/api_vat.h"
#include "metric/metric.h"

/* Of the diagonal: half a millimetre on a metre. */
#define DEFAULT_BOUND 5e-4

/* Candidates, and what decides among them. */
typedef struct choice {
    bwi_vat_source *source;
    bwi_vat_trial *trials;
    size_t count;
    bwi_vat_motion *motions;
    size_t motion_count;
    bw_length stored, between; /* bounds */
    bwi_vat_trial *chosen;
} choice;

/* ---- sizes ---- */

static bw_result find_motion(const bwi_vat_motion **motion, choice *c, const bwi_vat_candidate *candidate,
                             bw_error *error) {
    for (size_t k = 0; k < c->motion_count; ++k)
        if (c->motions[k].mode == candidate->mode && c->motions[k].rate_divisor == candidate->rate_divisor) {
            *motion = &c->motions[k];
            return BW_OK;
        }
    bw_result result = bwi_vat_motion_make(&c->motions[c->motion_count], c->source, candidate, error);
    if (result == BW_OK)
        *motion = &c->motions[c->motion_count++];
    return result;
}

/* What a step gave: a rejection is the trial's, anything else the call's. */
static bw_result settle(bwi_vat_trial *trial, bw_result result, const bw_error *why, bw_error *error) {
    if (result == BW_OK)
        return BW_OK;
    if (!bwi_vat_rejects(result)) {
        if (error)
            *error = *why;
        return result;
    }
    trial->failure = *why;
    trial->failure.result = result;
    trial->bytes = 0;
    bwi_vat_trial_end(trial);
    return BW_OK;
}

static bw_result size_trials(choice *c, bw_error *error) {
    bwi_vat_candidate *candidates = NULL;
    bw_error why = {0};
    bwi_arena *arena = c->source->arena;
    bw_result result = bwi_vat_candidates(&candidates, &c->count, arena, c->source->list, c->source->opts, error);
    if (result != BW_OK)
        return result;
    c->trials = bwi_arena_alloc(arena, c->count, sizeof *c->trials);
    c->motions = bwi_arena_alloc(arena, c->count, sizeof *c->motions);
    if (!c->trials || !c->motions)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), c->count * sizeof *c->trials);
    for (size_t k = 0; k < c->count && result == BW_OK; ++k) {
        bwi_vat_trial *trial = &c->trials[k];
        trial->source = c->source;
        trial->candidate = candidates[k];
        result = find_motion(&trial->motion, c, &candidates[k], error);
        if (result != BW_OK)
            return result;
        trial->failure = trial->motion->failure;
        if (trial->failure.result == BW_OK)
            result = settle(trial, bwi_vat_trial_size(trial, &why), &why, error);
    }
    return result;
}

/* ---- the order ---- */

/* The smallest that is neither rejected nor measured; of equals the simpler, which comes first.  NULL: none is left. */
static bwi_vat_trial *smallest(const choice *c) {
    bwi_vat_trial *found = NULL;
    for (size_t k = 0; k < c->count; ++k) {
        bwi_vat_trial *trial = &c->trials[k];
        if (trial->failure.result == BW_OK && !trial->measured && (!found || trial->bytes < found->bytes))
            found = trial;
    }
    return found;
}

static size_t count_sized(const choice *c) {
    size_t count = 0;
    for (size_t k = 0; k < c->count; ++k)
        count += c->trials[k].failure.result == BW_OK;
    return count;
}

/* An error as a multiple of its bound; a bound of nothing is missed by anything. */
static double multiple(const bw_error_stats *stats, bw_length bound) {
    const double least = 1e-300;
    if (bound.unit == BW_LENGTH_NONE)
        return 0.0;
    const double value = bound.unit == BW_LENGTH_METRE ? stats->max : stats->max_relative;
    return value / (bound.value > least ? bound.value : least);
}

static double distance(const choice *c, const bwi_vat_trial *trial) {
    const double stored = multiple(&trial->measured_error.stored, c->stored);
    const double between = multiple(&trial->measured_error.between, c->between);
    return stored > between ? stored : between;
}

/* Where nothing keeps the bounds; of equals the smaller. */
static bwi_vat_trial *nearest(const choice *c) {
    bwi_vat_trial *found = NULL;
    for (size_t k = 0; k < c->count; ++k) {
        bwi_vat_trial *trial = &c->trials[k];
        if (!trial->measured)
            continue;
        const double here = distance(c, trial), there = found ? distance(c, found) : 0.0;
        if (!found || here < there || (here == there && trial->bytes < found->bytes))
            found = trial;
    }
    return found;
}

/* ---- words ---- */

static const char *mode_plural(bw_vat_mode mode) {
    return mode == BW_VAT_MODE_BONE    ? "bones"
           : mode == BW_VAT_MODE_RIGID ? "pieces"
           : mode == BW_VAT_MODE_SOUP  ? "triangles"
                                       : "vertices";
}

static void length_text(char *text, size_t size, bw_length bound) {
    if (bound.unit == BW_LENGTH_RELATIVE)
        (void)snprintf(text, size, "%.4g %%", bound.value * 100.0);
    else
        (void)snprintf(text, size, "%.4g mm", bound.value * 1000.0);
}

/* What of the scene speaks for the mode; "": nothing does; NULL: memory failed. */
static const char *ground_of(bw_vat_mode mode, const bwi_vertex_list *list, bwi_arena *arena) {
    uint64_t skinned = 0;
    for (uint32_t p = 0; p < list->part_count; ++p)
        skinned += list->parts[p].skin != BW_NO_INDEX ? list->parts[p].vertex_count : 0;
    if (mode == BW_VAT_MODE_RIGID)
        return "every part moves as a whole; ";
    if (mode == BW_VAT_MODE_SOUP)
        return "the triangles are others in every frame; ";
    if (mode == BW_VAT_MODE_BONE && skinned == list->vertex_count)
        return "all vertices are skinned; ";
    return mode == BW_VAT_MODE_BONE ? bwi_arena_printf(arena, "%llu of %u vertices are skinned; ",
                                                       (unsigned long long)skinned, list->vertex_count)
                                    : "";
}

static const char *why_chosen(const choice *c, bwi_arena *arena) {
    const bwi_vat_trial *trial = c->chosen;
    const bwi_vat_settings *s = &trial->plan.settings;
    const bw_vat_mode asked = c->source->opts->mode;
    char bound[64], between[64] = "";
    length_text(bound, sizeof bound, c->stored);
    if (c->between.unit != BW_LENGTH_NONE) {
        char text[32];
        length_text(text, sizeof text, c->between);
        (void)snprintf(between, sizeof between, ", and %s between frames", text);
    }
    if (asked != BW_VAT_MODE_DEFAULT && asked != BW_VAT_MODE_AUTO)
        return bwi_arena_printf(arena, "asked for by --mode=%s", bwi_mode_name(asked));
    if (s->layout != BW_VAT_LAYOUT_NATIVE)
        return bwi_arena_printf(arena, "the %s layout holds vertices", bwi_layout_name(s->layout));
    if (c->count == 1)
        return bwi_arena_printf(arena, "the only way that the options leave");
    if (!trial->fits)
        return bwi_arena_printf(arena, "nothing stays within %s%s; %s in %s come nearest", bound, between,
                                mode_plural(s->mode), s->format->name);
    const char *ground = ground_of(s->mode, c->source->list, arena);
    return ground ? bwi_arena_printf(arena, "%s%s are the smallest within %s%s", ground, mode_plural(s->mode), bound,
                                     between)
                  : NULL;
}

/* "a; b" */
static const char *joined(bwi_arena *arena, const char *first, const char *second) {
    if (!first || !second)
        return NULL;
    return first[0] && second[0] ? bwi_arena_printf(arena, "%s; %s", first, second) : first[0] ? first : second;
}

/* What bones or pieces do to the scene. */
static const char *describe_bones(const bwi_vat_plan *plan, bwi_arena *arena) {
    const char *text = "";
    if (plan->bones.texel_count == 3)
        text = bwi_arena_printf(arena, "matrices in %s", plan->settings.format->name);
    if (plan->palette && plan->palette->morphs_frozen)
        text = joined(arena, text, "morph targets stand still");
    if (plan->palette && plan->dropped > 0.0)
        text = joined(arena, text,
                      bwi_arena_printf(arena, "joints beyond --influences cost up to %.2g mm", plan->dropped * 1000.0));
    return text;
}

static const char *missed_bound(const choice *c, const bwi_vat_trial *trial, bwi_arena *arena) {
    char bound[64];
    if (!bwi_metric_keeps(&trial->measured_error.stored, c->stored)) {
        length_text(bound, sizeof bound, c->stored);
        return bwi_arena_printf(arena, "stored error above %s", bound);
    }
    if (!bwi_metric_keeps(&trial->measured_error.between, c->between)) {
        length_text(bound, sizeof bound, c->between);
        return bwi_arena_printf(arena, "error between frames above %s", bound);
    }
    return "";
}

/* NULL: memory failed. */
static const char *note_on(const choice *c, const bwi_vat_trial *trial, bwi_arena *arena) {
    if (trial->failure.result != BW_OK) {
        const size_t path = strlen(trial->failure.path);
        const bool named = path && strncmp(trial->failure.message, trial->failure.path, path) == 0 &&
                           trial->failure.message[path] == ':';
        return bwi_arena_string(arena, trial->failure.message + (named ? path + 2 : 0), SIZE_MAX);
    }
    if (!trial->measured)
        return "not tried: larger than the one chosen";
    return joined(arena, missed_bound(c, trial, arena), describe_bones(&trial->plan, arena));
}

static bw_result report_candidates(bw_vat_report *report, const choice *c, bw_error *error) {
    bwi_arena *arena = report->arena;
    bw_vat_candidate *rows = bwi_arena_alloc(arena, c->count, sizeof *rows);
    report->why = rows ? why_chosen(c, arena) : NULL;
    bool whole = report->why != NULL;
    for (size_t k = 0; whole && k < c->count; ++k) {
        const bwi_vat_trial *trial = &c->trials[k];
        rows[k] = (bw_vat_candidate){.mode = bwi_mode_name(trial->candidate.mode),
                                     .format = bwi_format_info_of(trial->candidate.format)->name,
                                     .rate_divisor = trial->candidate.rate_divisor,
                                     .bytes = trial->bytes,
                                     .measured = trial->measured,
                                     .fits = trial->fits,
                                     .chosen = trial == c->chosen,
                                     .stored_max = trial->measured_error.stored.max,
                                     .stored_relative = trial->measured_error.stored.max_relative,
                                     .between_max = trial->measured_error.between.max,
                                     .between_relative = trial->measured_error.between.max_relative,
                                     .note = note_on(c, trial, arena)};
        whole = rows[k].note != NULL;
    }
    if (!whole)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), c->count * sizeof *rows);
    report->candidates.data = rows;
    report->candidates.count = c->count;
    return BW_OK;
}

/* ---- trying ---- */

static bw_result announce(const choice *c, bw_error *error) {
    const bwi_vat_trial *trial = smallest(c);
    const bw_vat_opts *opts = c->source->opts;
    if (!opts->plan || !trial)
        return BW_OK;
    const bwi_vat_plan *plan = &trial->plan;
    const bw_vat_sizes sizes = {.vertex_count = c->source->list->vertex_count,
                                .clip_count = plan->clip_count,
                                .frame_count = plan->frame_count,
                                .candidate_count = count_sized(c),
                                .mode = bwi_mode_name(trial->candidate.mode),
                                .bone_count = plan->palette ? plan->palette->bone_count : 0,
                                .width = plan->width,
                                .height = plan->height,
                                .page_count = plan->page_count,
                                .format = plan->settings.format->name,
                                .normal_texture = plan->settings.normal_format != NULL,
                                .texture_bytes = trial->bytes};
    return opts->plan(opts->plan_ctx, &sizes) ? BW_OK : bwi_fail_cancelled(error);
}

/* Where bones become matrices several formats become one. */
static bool is_known(const choice *c, const bwi_vat_trial *trial) {
    const bwi_vat_settings *s = &trial->plan.settings;
    for (size_t k = 0; k < c->count; ++k) {
        const bwi_vat_trial *other = &c->trials[k];
        const bwi_vat_settings *o = &other->plan.settings;
        if (other != trial && other->measured && other->motion == trial->motion && o->format == s->format &&
            o->weight_format == s->weight_format && other->plan.bones.texel_count == trial->plan.bones.texel_count)
            return true;
    }
    return false;
}

static bw_result try_one(choice *c, bwi_vat_trial *trial, bw_error *error) {
    bw_error why = {0};
    bw_result result = BW_OK;
    if (!trial->planned) {
        const uint64_t before = trial->bytes;
        result = settle(trial, bwi_vat_trial_plan(trial, &why), &why, error);
        if (result != BW_OK || trial->failure.result != BW_OK || (trial->bytes > before && trial != smallest(c)))
            return result; /* it grew past another: that one first */
    }
    if (is_known(c, trial)) {
        const bw_result known =
            bwi_fail(&why, BW_ERR_UNSUPPORTED, NULL, -1, "becomes the matrices in %s of another row",
                     trial->plan.settings.format->name);
        return settle(trial, known, &why, error);
    }
    result = settle(trial, bwi_vat_trial_bake(trial, &why), &why, error);
    if (result == BW_OK && trial->measured)
        trial->fits = bwi_metric_keeps(&trial->measured_error.stored, c->stored) &&
                      bwi_metric_keeps(&trial->measured_error.between, c->between);
    return result;
}

/* The files of one that lost are gone. */
static bw_result bake_again(bwi_vat_trial *trial, bw_error *error) {
    bwi_vat_trial_end(trial);
    *trial = (bwi_vat_trial){.source = trial->source, .motion = trial->motion, .candidate = trial->candidate};
    bw_result result = bwi_vat_trial_size(trial, error);
    if (result == BW_OK)
        result = bwi_vat_trial_plan(trial, error);
    return result == BW_OK ? bwi_vat_trial_bake(trial, error) : result;
}

static bw_result take_nearest(choice *c, bw_error *error) {
    bwi_vat_trial *trial = nearest(c);
    if (!trial) {
        if (error)
            *error = c->trials[0].failure;
        return c->trials[0].failure.result;
    }
    if (!trial->outputs) {
        bw_result result = bake_again(trial, error);
        if (result != BW_OK)
            return result;
    }
    c->chosen = trial;
    if (c->source->opts->max_error.unit == BW_LENGTH_NONE && c->stored.unit != BW_LENGTH_NONE &&
        !bwi_metric_keeps(&trial->measured_error.stored, c->stored))
        bwi_warn(&trial->warnings, "default-bound-missed", 1,
                 "no way to bake stays within 0.05 % of the size, the default of --max-error; the most exact was "
                 "taken; --dry-run shows how near each came",
                 "stored error %.4g %%", trial->measured_error.stored.max_relative * 100.0);
    return BW_OK;
}

/* Until one fits, or all where every error is wanted.  The files of one are there at a time, so that the first to go takes an output folder
 * that it made with it. */
static bw_result try_all(choice *c, bw_vat_report *report, bw_output_file **files, bw_error *error) {
    const bool every = c->source->opts->write.dry_run;
    bw_result result = announce(c, error);
    for (bwi_vat_trial *trial = smallest(c); result == BW_OK && trial;) {
        result = try_one(c, trial, error);
        bwi_vat_trial *next = smallest(c);
        if (result == BW_OK && trial->measured && trial->fits && !c->chosen) {
            c->chosen = trial;
            result = bwi_vat_report_trial(report, files, trial, error);
            if (!every)
                return result;
        }
        if (trial->measured && next)
            bwi_vat_trial_end(trial);
        trial = next;
    }
    if (result != BW_OK || c->chosen)
        return result;
    result = take_nearest(c, error);
    return result == BW_OK ? bwi_vat_report_trial(report, files, c->chosen, error) : result;
}

static bw_result commit(bw_vat_report *report, bw_output_file *files, choice *c, bw_error *error) {
    const bw_write_opts *write = &c->source->opts->write;
    report->dry_run = write->dry_run;
    if (write->dry_run) {
        for (size_t k = 0; k < report->outputs.count; ++k)
            files[k].changed = false;
        return BW_OK;
    }
    bwi_outputs_before_write(c->chosen->outputs, write->before_write);
    bw_result result = bwi_outputs_commit(c->chosen->outputs, error);
    for (size_t k = 0; result == BW_OK && k < report->outputs.count; ++k)
        files[k].changed = bwi_outputs_get(c->chosen->outputs, k)->changed;
    return result;
}

bw_result bwi_vat_choose(bw_vat_report *report, bwi_vat_source *source, bw_error *error) {
    const bw_vat_opts *opts = source->opts;
    choice c = {.source = source, .stored = opts->max_error, .between = opts->max_between};
    bw_output_file *files = NULL;
    bw_result result = size_trials(&c, error);
    if (result == BW_OK && c.count > 1 && c.stored.unit == BW_LENGTH_NONE)
        c.stored = (bw_length){DEFAULT_BOUND, BW_LENGTH_RELATIVE};
    if (result == BW_OK)
        result = try_all(&c, report, &files, error);
    if (result == BW_OK)
        result = report_candidates(report, &c, error);
    if (result == BW_OK)
        result = commit(report, files, &c, error);
    if (result == BW_OK) {
        result = bwi_check_bounds(&report->error, opts->max_error, opts->max_between, c.chosen->plan.settings.layout,
                                  bwi_finer(opts, report->bone_count), report->manifest, error);
        report->bounds_kept = result == BW_OK;
    }
    for (size_t k = 0; k < c.count; ++k)
        bwi_vat_trial_end(&c.trials[k]);
    return result;
}
