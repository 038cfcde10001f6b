/* SPDX-License-Identifier: MIT
 * Repairing a groom into files: one, or one a group; each is read back, compared and judged before any appears. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "api/api_groom.h"
#include "base/file.h"
#include "read/read.h"
#include "write/write.h"

/* Not the file's name: a groom gives the same bytes whatever its file is called. */
static const char OBJECT_NAME[] = "groom";

/* Where a repair goes. */
typedef struct target {
    const char *folder, *set; /* set: name of the dotted folder while files are not whole */
    const char *stem;         /* first part of the names of a split */
    const char *file_name;    /* NULL: one a group */
    const bwi_groom_format *format;
} target;

static const bwi_groom_format *format_named(const char *file_name) {
    const char *dot = strrchr(file_name, '.');
    for (const bwi_groom_format *f = bwi_groom_formats; dot && f->extension; f++) {
        if (strcasecmp(dot + 1, f->extension) == 0)
            return f;
    }
    return NULL;
}

static bw_result find_target(target *t, const char *out, const bwi_groom_job *job, bw_error *error) {
    struct stat status;
    const bool is_folder = stat(out, &status) == 0 && S_ISDIR(status.st_mode);
    const bool split = job->opts->split_by == BW_GROOM_SPLIT_BY_GROUP;
    const char *base = bwi_path_basename(out);
    *t = (target){.stem = bwi_path_stem(job->arena, job->path)};
    if (split) {
        if (format_named(out) && !is_folder)
            return bwi_fail(error, BW_ERR_USAGE, out, -1,
                            "is a file's name, and --split-by=group writes several files; name a folder");
        t->folder = out;
        t->set = t->stem;
        t->format = format_named("x.abc");
    } else {
        if (is_folder || base[0] == 0)
            return bwi_fail(
                error, BW_ERR_USAGE, out, -1,
                "is a folder; name a file that ends in .abc, .glb, .hair or .usda, or add --split-by=group");
        t->folder = bwi_path_folder(job->arena, out);
        t->set = t->file_name = base;
        t->format = format_named(base);
        if (!t->format)
            return bwi_fail(error, BW_ERR_USAGE, out, -1,
                            "is of no format that grooms are written in; end the name in .abc, .glb, .hair or .usda");
    }
    return t->folder && t->stem ? BW_OK : bwi_fail_memory(error, out, &job->call.mem, 0);
}

static bw_result guard(bwi_outputs *outputs, const char *file_name, const bwi_groom_job *job, bw_error *error) {
    bw_result result = bwi_outputs_guard(outputs, file_name, job->path, error);
    return result == BW_OK && job->opts->scalp ? bwi_outputs_guard(outputs, file_name, job->opts->scalp, error)
                                               : result;
}

/* Nothing is written that the engine would stumble over. */
static bw_result judge_written(const char *path, const char *file_name, bwi_groom_job *job, bw_error *error) {
    static const bw_groom_opts defaults = {0};
    bwi_hair *hair = NULL;
    bwi_groom_space space;
    bwi_groom_verdict verdict = {0};
    bwi_arena *arena = bwi_arena_create(&job->call.mem);
    bw_result result =
        arena ? bwi_read_hair(&hair, path, &job->opts->run, error) : bwi_fail_memory(error, path, &job->call.mem, 0);
    if (result == BW_OK)
        result = bwi_groom_space_find(&space, arena, hair, &defaults, error);
    if (result == BW_OK)
        result = bwi_groom_judge(&verdict, arena, hair, job->engine, &space, &job->call.env, error);
    for (size_t i = 0; result == BW_OK && i < verdict.findings.count; i++) {
        const bw_groom_finding *finding = &verdict.findings.data[i];
        if (finding->level != BW_GROOM_INFO)
            result = bwi_fail(error, BW_ERR_NOT_ACCEPTED, file_name, -1,
                              "would still be wrong for %s after the repair: %s: %s; %s",
                              bwi_groom_engine_name(job->engine), finding->place, finding->message, finding->fix);
    }
    bwi_hair_free(hair);
    bwi_arena_free(arena);
    return result;
}

static bw_result write_file(bwi_outputs *outputs, const target *t, const char *file_name, const bw_groom *groom,
                            bwi_warnings *changes, bwi_groom_job *job, bw_error *error) {
    FILE *file = NULL;
    bw_result result = guard(outputs, file_name, job, error);
    if (result == BW_OK)
        result = bwi_outputs_open(outputs, &file, file_name, "groom", error);
    if (result != BW_OK)
        return result;
    const char *path = bwi_path_join(job->arena, bwi_outputs_folder(outputs), file_name);
    if (!path)
        return bwi_fail_memory(error, file_name, &job->call.mem, 0);
    result = t->format->write(file, path, groom, OBJECT_NAME, job->engine, &job->call.env, changes, error);
    if (result == BW_OK)
        result = bwi_outputs_close(outputs, error);
    if (result == BW_OK && t->format->reads_back)
        result = bwi_groom_prove(path, file_name, groom, t->format->lossless, job, error);
    if (result == BW_OK && t->format->lossless)
        result = judge_written(path, file_name, job, error);
    return result;
}

static bw_result write_one(bwi_outputs *outputs, const target *t, const char *file_name, const bw_groom *groom,
                           bwi_warnings *changes, bwi_groom_job *job, bw_error *error) {
    if (t->format->has_guides || !groom->guides)
        return write_file(outputs, t, file_name, groom, changes, job, error);
    bwi_arena *arena = bwi_arena_create(&job->call.mem);
    bw_groom *strands = NULL;
    bw_result result = arena ? bwi_groom_without_guides(&strands, arena, groom, error)
                             : bwi_fail_memory(error, file_name, &job->call.mem, 0);
    if (result == BW_OK) {
        bwi_warn(changes, "guides-left-out", groom->strand_count - strands->strand_count,
                 "this format has no guides, and they would show as strands: they are left out", "%s", file_name);
        result = write_file(outputs, t, file_name, strands, changes, job, error);
    }
    bwi_arena_free(arena);
    return result;
}

/* A group's name as a part of a file name that every file system takes, unlike those before it. */
static const char *part_name(bwi_arena *arena, const char *stem, const bw_groom *groom, uint32_t group,
                             const char *const *taken) {
    const char *name = groom->groups.data[group].name;
    char *part = bwi_arena_string(arena, name, strlen(name) < 100 ? SIZE_MAX : 100);
    for (char *p = part; p && *p; p++) {
        const bool plain =
            (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '-' || *p == '_';
        *p = plain ? *p : '_';
    }
    const char *file = part ? bwi_arena_printf(arena, "%s_%s.abc", stem, part) : NULL;
    for (uint32_t i = 0; file && i < group; i++) {
        if (taken[i] && strcasecmp(taken[i], file) == 0)
            return bwi_arena_printf(arena, "%s_%s-%u.abc", stem, part, group);
    }
    return file;
}

static bool group_has_strands(const bw_groom *groom, uint32_t group) {
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        if ((groom->group_of ? groom->group_of[s] : 0) == group && !(groom->guides && groom->guides[s]))
            return true;
    }
    return false;
}

static bw_result write_groups(bwi_outputs *outputs, const target *t, const bw_groom *groom, bwi_warnings *changes,
                              bwi_groom_job *job, bw_error *error) {
    const uint32_t count = (uint32_t)groom->groups.count;
    const char **names = bwi_arena_alloc(job->arena, count, sizeof *names);
    bw_result result = names ? BW_OK : bwi_fail_memory(error, t->folder, &job->call.mem, count * sizeof *names);
    for (uint32_t g = 0; result == BW_OK && g < count; g++) {
        if (!group_has_strands(groom, g)) {
            bwi_warn(changes, "empty-group-left-out", 1, "groups without strands of their own get no file", "%s",
                     groom->groups.data[g].name);
            continue;
        }
        bwi_arena *arena = bwi_arena_create(&job->call.mem);
        bw_groom *part = NULL;
        names[g] = part_name(job->arena, t->stem, groom, g, names);
        result = arena && names[g] ? bwi_groom_take_group(&part, arena, groom, g, error)
                                   : bwi_fail_memory(error, t->folder, &job->call.mem, 0);
        if (result == BW_OK)
            result = write_one(outputs, t, names[g], part, changes, job, error);
        bwi_arena_free(arena);
    }
    return result;
}

static bw_result report_outputs(bw_groom_report *report, bw_output_file **out, const bwi_outputs *outputs,
                                const target *t, bw_error *error) {
    const size_t count = bwi_outputs_count(outputs);
    bw_output_file *files = bwi_arena_alloc(report->arena, count + 1, sizeof *files);
    bool fits = files != NULL;
    for (size_t k = 0; fits && k < count; k++) {
        const bwi_output *output = bwi_outputs_get(outputs, k);
        files[k] = (bw_output_file){bwi_path_join(report->arena, t->folder, output->file_name),
                                    bwi_arena_string(report->arena, output->role, SIZE_MAX), output->size, false};
        fits = files[k].path && files[k].role;
    }
    report->outputs.data = *out = files;
    report->outputs.count = count;
    return fits ? BW_OK : bwi_fail_memory(error, report->path, bwi_arena_mem(report->arena), count * sizeof *files);
}

static void report_written(bw_groom_report *report, const bw_groom *groom, const bwi_groom_measures *measures,
                           const bwi_groom_job *job) {
    for (uint32_t s = 0; s < groom->strand_count; s++)
        report->written_guides += groom->guides && groom->guides[s];
    report->written_strands = groom->strand_count - report->written_guides;
    report->written_points = groom->point_count;
    report->dry_run = job->opts->write.dry_run;
    report->shape_error_cm = measures->shape_error_cm;
}

static bw_result write_all(bw_groom_report *report, const target *t, const bw_groom *groom, bwi_warnings *changes,
                           bwi_groom_job *job, bw_error *error) {
    bwi_outputs *outputs = NULL;
    bw_output_file *files = NULL;
    bw_result result = bwi_outputs_begin(&outputs, t->folder, t->set, &job->call.mem, error);
    if (result == BW_OK)
        result = t->file_name ? write_one(outputs, t, t->file_name, groom, changes, job, error)
                              : write_groups(outputs, t, groom, changes, job, error);
    if (result == BW_OK)
        result = report_outputs(report, &files, outputs, t, error);
    if (result == BW_OK)
        result = bwi_report_warnings(&report->changes, (bw_warning_list){0}, changes, report->arena, error);
    if (result == BW_OK && !job->opts->write.dry_run) {
        bwi_outputs_before_write(outputs, job->opts->write.before_write);
        result = bwi_outputs_commit(outputs, error);
        for (size_t k = 0; result == BW_OK && k < report->outputs.count; k++)
            files[k].changed = bwi_outputs_get(outputs, k)->changed;
    }
    bwi_outputs_end(outputs);
    return result;
}

static bw_result check_options(const bw_groom_opts *opts, const char *path, bw_error *error) {
    if (opts && opts->write.force)
        return bwi_fail(error, BW_ERR_USAGE, path, -1,
                        "--force is for bakes that keep a record of their source; a groom is repaired anew each time, "
                        "so leave it out");
    return BW_OK;
}

static bw_result repair(bw_groom_report *report, const char *out, bwi_groom_job *job, bw_error *error) {
    target t;
    bw_groom *groom = NULL;
    bwi_groom_measures measures = {0};
    bwi_warnings changes;
    bwi_warnings_init(&changes, job->arena);
    bw_result result = find_target(&t, out, job, error);
    if (result == BW_OK)
        result = bwi_groom_job_report(report, job, error);
    if (result == BW_OK)
        result = bwi_groom_job_mend(&groom, &measures, &changes, job->arena, job, error);
    if (result == BW_OK && job->opts->guides_only) {
        if (!groom->animation)
            return bwi_fail(error, BW_ERR_USAGE, job->path, -1,
                            "stands still, and --guides-only keeps the motion of guides; leave it out");
        result = bwi_groom_guides_only(groom, &report->follow_max_cm, &report->follow_rms_cm, job->arena,
                                       &job->call.env, error);
        report->follows = result == BW_OK;
    }
    if (result == BW_OK)
        result = write_all(report, &t, groom, &changes, job, error);
    if (result == BW_OK)
        report_written(report, groom, &measures, job);
    return result;
}

bw_result bw_groom_repair(bw_groom_report **report, const char *path, const char *out, const bw_groom_opts *opts,
                          bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(opts ? opts->run.memory_limit : 0);
    bw_groom_report *made = arena ? bwi_arena_alloc(arena, 1, sizeof *made) : NULL;
    if (!made) {
        bwi_arena_free(arena);
        return bwi_fail(error, BW_ERR_MEMORY, path, -1, "memory ran out before the groom was read");
    }
    made->arena = arena;
    bwi_groom_job job = {0};
    bw_result result = check_options(opts, path, error);
    if (result == BW_OK)
        result = bwi_groom_job_begin(&job, path, opts, error);
    if (result == BW_OK)
        result = repair(made, out, &job, error);
    bwi_groom_job_end(&job);
    if (result != BW_OK) {
        bw_free_groom_report(made);
        return result;
    }
    *report = made;
    return BW_OK;
}
