/* SPDX-License-Identifier: MIT
 * A bake under way: what every way to bake a scene shares, and one of them, from its plan to its files. */
#ifndef BWI_API_API_VAT_H
#define BWI_API_API_VAT_H

#include "api/api_priv.h"
#include "base/file.h"
#include "vat/vat.h"

/* What was asked for, and the scene. */
typedef struct bwi_vat_source {
    bwi_call *call;
    bwi_arena *arena;
    bw_vat_opts own_opts;
    const bw_vat_opts *opts; /* own_opts: as given, but for files, which are paths from the scene's folder */
    const char *scene_path, *out_dir;
    const char *name, *set, *manifest_file; /* "hero", "hero_vat", "hero_vat.json" */
    bwi_named_files clip_files, level_files;
    bool levels_found; /* by their names */
    bwi_levels levels;
    bw_scene *scene;
    bwi_vertex_list *list;
    bwi_warnings warnings;
    char *scratch; /* folder of a dry run, removed at its end; else NULL */
} bwi_vat_source;

/* Which files are meant, and what the outputs are called.  In: source — call, arena, own_opts, paths. */
bw_result bwi_vat_source_name(bwi_vat_source *source, bw_error *error);
/* Reads the scene, clips and levels. */
bw_result bwi_vat_source_load(bwi_vat_source *source, bw_error *error);
void bwi_vat_source_end(bwi_vat_source *source); /* also after a failure */

/* Clips, tracks and bones: what the formats of one mode at one rate share. */
typedef struct bwi_vat_motion {
    bw_vat_mode mode;
    uint32_t rate_divisor;
    bwi_vat_plan plan; /* not laid out */
    bwi_warnings warnings;
    bw_error failure; /* why the mode does not suit the scene; result BW_OK: it does */
} bwi_vat_motion;
/* Err: what is wrong with the options and would be in any mode, MEMORY, CANCELLED. */
bw_result bwi_vat_motion_make(bwi_vat_motion *motion, bwi_vat_source *source, const bwi_vat_candidate *candidate,
                              bw_error *error);

/* One way to bake. */
typedef struct bwi_vat_trial {
    bwi_vat_source *source;
    const bwi_vat_motion *motion;
    bwi_vat_candidate candidate;
    bwi_arena *arena; /* its own */
    bwi_warnings warnings;
    bwi_vat_plan plan;
    uint64_t bytes; /* textures, and joints and weights in the mesh; 0: not known */
    bool planned;   /* clips are closed and bones measured: `bytes` is final */
    bool measured, fits;
    bw_error_report measured_error;
    bw_error failure; /* why it cannot be baked; result BW_OK: it can */
    /* Of the files, while they are in their dotted folder: */
    bwi_outputs *outputs;
    bwi_manifest manifest;
    const char *mesh_file, *remap_info_file, *weight_file; /* NULL: none */
    const char **texel_files, **normal_files;              /* [pages]: positions or bones */
    const char **level_meshes;
    bwi_level_error *level_errors;
    double rest_diagonal; /* metres */
} bwi_vat_trial;

/* True for results that end a trial and not the call: the scene or the size does not suit this way to bake. */
bool bwi_vat_rejects(bw_result result);
/* Lays the trial out by its motion: `bytes`.  In: source, motion, candidate. */
bw_result bwi_vat_trial_size(bwi_vat_trial *trial, bw_error *error);
/* Walks the frames: bounds, loops, tracks, bones; lays out again. */
bw_result bwi_vat_trial_plan(bwi_vat_trial *trial, bw_error *error);
/* Writes every file into a dotted folder, reads them back and measures. */
bw_result bwi_vat_trial_bake(bwi_vat_trial *trial, bw_error *error);
const bwi_output *bwi_vat_last_output(const bwi_vat_trial *trial);
/* Names of the files, refusing those that are inputs. */
bw_result bwi_vat_name_outputs(bwi_vat_trial *trial, bw_error *error);
bw_result bwi_vat_write_textures(bwi_vat_trial *trial, bw_error *error);
bw_result bwi_vat_write_meshes(bwi_vat_trial *trial, bw_error *error);
/* What was written and is not committed goes.  Errors, bytes and settings stay. */
void bwi_vat_trial_end(bwi_vat_trial *trial);

/* All that a report says of the trial that was chosen, but what only the commit tells: after it nothing may fail any more.
 * Out: files — the report's outputs. */
bw_result bwi_vat_report_trial(bw_vat_report *report, bw_output_file **files, const bwi_vat_trial *trial,
                               bw_error *error);

/* Tries the ways to bake, the smallest first, until one keeps the bounds, and makes its files appear; fills the report.
 * Err: also BOUND_MISSED. */
bw_result bwi_vat_choose(bw_vat_report *report, bwi_vat_source *source, bw_error *error);

#endif
