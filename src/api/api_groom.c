/* SPDX-License-Identifier: MIT
 * Grooms: reading one, judging it, repairing it in memory. */
#include "api/api_groom.h"

#include <string.h>

#include "read/read.h"

bw_result bwi_groom_job_begin(bwi_groom_job *job, const char *path, const bw_groom_opts *opts, bw_error *error) {
    static const bw_groom_opts defaults = {0};
    *job = (bwi_groom_job){.opts = opts ? opts : &defaults, .path = path};
    job->engine = job->opts->engine ? job->opts->engine : BW_GROOM_UNREAL_5_8;
    bw_result result = bw_options_check(bw_groom_options(), job->opts, error);
    if (result == BW_OK)
        result = bwi_call_begin(&job->call, &job->opts->run, error);
    if (result == BW_OK && !(job->arena = bwi_arena_create(&job->call.mem)))
        result = bwi_fail_memory(error, path, &job->call.mem, 0);
    if (result == BW_OK)
        result = bwi_read_hair(&job->hair, path, &job->opts->run, error);
    if (result != BW_OK)
        return result;
    job->call.mem.used += bwi_arena_mem(job->hair->arena)->used;
    return bwi_groom_space_find(&job->space, job->arena, job->hair, job->opts, error);
}

void bwi_groom_job_end(bwi_groom_job *job) {
    bwi_hair_free(job->hair);
    bwi_arena_free(job->arena);
    bwi_call_end(&job->call);
    *job = (bwi_groom_job){0};
}

/* ---- reports ---- */

/* NULL stays NULL. */
static bool copy(const char **text, bwi_arena *arena) {
    if (*text)
        *text = bwi_arena_string(arena, *text, SIZE_MAX);
    return *text != NULL;
}

static void *copy_list(bwi_arena *arena, const void *list, size_t count, size_t size) {
    void *made = bwi_arena_alloc(arena, count + 1, size);
    if (made && count)
        memcpy(made, list, count * size);
    return made;
}

static bool copy_groups(bw_groom_report *report, const bwi_groom_verdict *verdict) {
    bw_groom_group_report *list = copy_list(report->arena, verdict->groups.data, verdict->groups.count, sizeof *list);
    for (size_t i = 0; list && i < verdict->groups.count; i++) {
        if (!copy(&list[i].name, report->arena))
            return false;
    }
    report->groups.data = list;
    report->groups.count = verdict->groups.count;
    return list != NULL;
}

static bool copy_attributes(bw_groom_report *report, const bwi_groom_verdict *verdict) {
    const size_t count = verdict->attributes.count;
    bw_groom_attribute_report *list = copy_list(report->arena, verdict->attributes.data, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        bw_groom_attribute_report *a = &list[i];
        if (!copy(&a->name, report->arena) || !copy(&a->object, report->arena) || !copy(&a->type, report->arena) ||
            !copy(&a->scope, report->arena) || !copy(&a->reason, report->arena))
            return false;
    }
    report->attributes.data = list;
    report->attributes.count = count;
    return list != NULL;
}

static bool copy_findings(bw_groom_report *report, const bwi_groom_verdict *verdict) {
    const size_t count = verdict->findings.count;
    bw_groom_finding *list = bwi_arena_alloc(report->arena, count + 1, sizeof *list);
    size_t taken = 0;
    for (int level = BW_GROOM_ERROR; list && level >= BW_GROOM_INFO; level--) {
        for (size_t i = 0; i < count; i++) {
            if ((int)verdict->findings.data[i].level == level)
                list[taken++] = verdict->findings.data[i];
        }
    }
    for (size_t i = 0; list && i < count; i++) {
        if (!copy(&list[i].code, report->arena) || !copy(&list[i].place, report->arena) ||
            !copy(&list[i].message, report->arena) || !copy(&list[i].fix, report->arena))
            return false;
    }
    report->findings.data = list;
    report->findings.count = count;
    return list != NULL;
}

bw_result bwi_groom_job_report(bw_groom_report *report, bwi_groom_job *job, bw_error *error) {
    const bwi_hair *hair = job->hair;
    bwi_groom_verdict verdict = {0};
    bwi_groom_sizes sizes;
    bw_result result = bwi_groom_judge(&verdict, job->arena, hair, job->engine, &job->space, &job->call.env, error);
    if (result == BW_OK)
        result = bwi_groom_sizes_of(&sizes, hair, &job->space, &job->call.env, error);
    if (result != BW_OK)
        return result;
    report->path = job->path;
    report->format = hair->format;
    report->made_by = hair->made_by;
    report->engine = bwi_groom_engine_name(job->engine);
    report->accepted = verdict.accepted;
    report->strands = verdict.strands;
    report->points = verdict.points;
    report->guides = verdict.guides;
    report->frames = sizes.frames;
    report->length_cm = sizes.length_cm;
    report->width_cm = sizes.width_cm;
    memcpy(report->bounds_min, sizes.bounds_min, sizeof report->bounds_min);
    memcpy(report->bounds_max, sizes.bounds_max, sizeof report->bounds_max);
    report->from = job->space.text;
    report->from_reason = job->space.reason;
    bwi_arena *arena = report->arena;
    const bool fits = copy(&report->path, arena) && copy(&report->format, arena) && copy(&report->made_by, arena) &&
                      copy(&report->from, arena) && copy(&report->from_reason, arena) &&
                      copy_groups(report, &verdict) && copy_attributes(report, &verdict) &&
                      copy_findings(report, &verdict);
    return fits ? BW_OK : bwi_fail_memory(error, job->path, bwi_arena_mem(arena), 0);
}

bw_result bwi_groom_accepted(const bw_groom_report *report, bw_error *error) {
    if (report->accepted)
        return BW_OK;
    for (size_t i = 0; i < report->findings.count; i++) {
        const bw_groom_finding *finding = &report->findings.data[i];
        if (finding->level == BW_GROOM_ERROR)
            return bwi_fail(error, BW_ERR_NOT_ACCEPTED, report->path, -1, "%s would fail with this groom: %s%s%s; %s",
                            report->engine, finding->place, finding->place[0] ? ": " : "", finding->message,
                            finding->fix);
    }
    return bwi_fail(error, BW_ERR_INTERNAL, report->path, -1, "not accepted by %s, and no finding says why",
                    report->engine);
}

static bw_result report_create(bw_groom_report **report, const bw_groom_opts *opts, bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(opts ? opts->run.memory_limit : 0);
    *report = arena ? bwi_arena_alloc(arena, 1, sizeof **report) : NULL;
    if (!*report) {
        bwi_arena_free(arena);
        return bwi_fail(error, BW_ERR_MEMORY, NULL, -1, "memory ran out before the groom was read");
    }
    (*report)->arena = arena;
    return BW_OK;
}

bw_result bw_groom_check(bw_groom_report **report, const char *path, const bw_groom_opts *opts, bw_error *error) {
    bw_groom_report *made = NULL;
    bwi_groom_job job;
    bw_result result = report_create(&made, opts, error);
    if (result != BW_OK)
        return result;
    result = bwi_groom_job_begin(&job, path, opts, error);
    if (result == BW_OK)
        result = bwi_groom_job_report(made, &job, error);
    bwi_groom_job_end(&job);
    if (result != BW_OK) {
        bw_free_groom_report(made);
        return result;
    }
    *report = made;
    return bwi_groom_accepted(made, error);
}

void bw_free_groom_report(bw_groom_report *report) {
    if (report)
        bwi_arena_free(report->arena);
}

/* ---- in memory ---- */

static bw_result load_scalp(bw_scene **scalp, bwi_groom_job *job, bw_error *error) {
    const bw_scene_opts opts = {.no_images = true, .run = job->opts->run};
    if (!job->opts->scalp)
        return BW_OK;
    bw_result result = bw_scene_load(scalp, job->opts->scalp, &opts, error);
    if (result == BW_OK)
        job->call.mem.used += bwi_arena_mem((*scalp)->arena)->used;
    return result;
}

bw_result bwi_groom_job_mend(bw_groom **groom, bwi_groom_measures *measures, bwi_warnings *changes, bwi_arena *arena,
                             bwi_groom_job *job, bw_error *error) {
    const bw_groom_opts *opts = job->opts;
    bw_scene *scalp = NULL;
    bw_result result = load_scalp(&scalp, job, error);
    if (result == BW_OK)
        result = bwi_groom_fix(groom, measures, changes, arena, job->hair, opts, &job->space, &job->call.env, error);
    if (result == BW_OK)
        result = bwi_groom_complete(*groom, changes, arena, opts, scalp, &job->call.env, error);
    if (result == BW_OK && opts->decimate > 0 && opts->decimate < 1)
        result = bwi_groom_decimate(*groom, changes, arena, opts->decimate, &job->call.env, error);
    bw_free_scene(scalp);
    return result;
}

/* A groom that was loaded, and what its animation reads from. */
typedef struct loaded {
    bw_groom groom; /* first: its address is the loaded one's */
    bwi_hair *hair;
} loaded;

bw_result bw_groom_load(bw_groom **groom, const char *path, const bw_groom_opts *opts, bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(opts ? opts->run.memory_limit : 0);
    loaded *made = arena ? bwi_arena_alloc(arena, 1, sizeof *made) : NULL;
    if (!made) {
        bwi_arena_free(arena);
        return bwi_fail(error, BW_ERR_MEMORY, path, -1, "memory ran out before the groom was read");
    }
    bwi_groom_job job;
    bwi_groom_measures measures;
    bw_groom *mended = NULL;
    bw_result result = bwi_groom_job_begin(&job, path, opts, error);
    if (result == BW_OK)
        result = bwi_groom_job_mend(&mended, &measures, NULL, arena, &job, error);
    if (result == BW_OK) {
        made->groom = *mended;
        made->groom.arena = arena;
        made->hair = job.hair; /* outlives the job */
        job.hair = NULL;
        *groom = &made->groom;
    } else {
        bwi_arena_free(arena);
    }
    bwi_groom_job_end(&job);
    return result;
}

void bw_free_groom(bw_groom *groom) {
    if (!groom)
        return;
    bwi_hair_free(((loaded *)(void *)groom)->hair);
    bwi_arena_free(groom->arena);
}
