/* SPDX-License-Identifier: MIT
 * A Pivot Painter 2 bake under way: what was asked for, the plan, and its files. */
#ifndef BWI_API_API_PIVOT_H
#define BWI_API_API_PIVOT_H

#include "api/api_priv.h"
#include "base/file.h"
#include "pivot/pivot.h"

/* A scene and its levels, and the plans that are found in them. */
typedef struct bwi_pivot_source {
    bw_scene *scene;                      /* NULL: a program's own plan */
    bw_scene **level_scenes;              /* [level_count] */
    bw_pivot_plan **level_plans;          /* [level_count] */
    size_t level_count;
    bw_pivot_plan *found;                 /* NULL: a program's own plan */
} bwi_pivot_source;
/* Reads a scene and its levels, lists the levels among the scene's files, finds elements.  In: level_files.  End with bwi_pivot_source_end, also
 * after a failure.  Err: as bwi_pivot_find and bwi_pivot_level. */
bw_result bwi_pivot_source_load(bwi_pivot_source *source, bwi_call *call, bwi_arena *arena, const char *path,
                                const bwi_named_files *level_files, const bw_pivot_opts *opts, bool no_images,
                                bwi_warnings *warnings, bw_error *error);
void bwi_pivot_source_end(bwi_pivot_source *source);

typedef struct bwi_pivot_job {
    bwi_call call;
    bwi_arena *arena;
    bw_pivot_opts opts; /* as given, but for files, which are paths from the scene's folder */
    const char *scene_path; /* NULL: a program's own plan */
    const char *out_dir, *name, *set, *manifest_file; /* "tree", "tree_pivot", "tree_pivot.json" */
    bwi_named_files level_files;
    bwi_pivot_source source;
    const bw_pivot_plan *plan;
    bwi_pivot_order order;
    bwi_pivot_sheet sheet;
    bwi_outputs *outputs;
    bwi_pivot_manifest manifest;
    bwi_warnings warnings;
} bwi_pivot_job;

/* Writes every file into a dotted folder, reads them back, compares; the manifest goes last.  In: job — plan, order and sheet are made. */
bw_result bwi_pivot_write_files(bwi_pivot_job *job, bw_error *error);
/* True, and the report filled, if the same version made this bake of the same source with the same options, and every file is still there. */
bool bwi_pivot_is_current(bw_pivot_report *report, bwi_pivot_job *job);
/* In: arena — gets copies of strings.  False: memory failed. */
bool bwi_pivot_facts_copy(bw_pivot_facts *facts, bwi_arena *arena, const bwi_pivot_manifest *manifest);
/* Members of a report that a manifest holds too; strings are copied into the report's arena.  False: memory failed. */
bool bwi_pivot_report_manifest(bw_pivot_report *report, const bwi_pivot_manifest *manifest);

#endif
