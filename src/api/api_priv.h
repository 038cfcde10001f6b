/* SPDX-License-Identifier: MIT
 * What the calls share: one call's budget, threads and progress. */
#ifndef BWI_API_API_PRIV_H
#define BWI_API_API_PRIV_H

#include "bakewell/bakewell.h"
#include "base/error.h"
#include "base/json.h"
#include "base/thread.h"
#include "decode/decode.h"
#include "metric/metric.h"

typedef struct bwi_call {
    bwi_mem mem;
    bwi_env env;
} bwi_call;

/* Err: USAGE (a run option out of range), MEMORY.  End with bwi_call_end, also after a failure. */
bw_result bwi_call_begin(bwi_call *call, const bw_run_opts *run, bw_error *error);
void bwi_call_end(bwi_call *call);

/* One file that a list of names, patterns and commas stands for. */
typedef struct bwi_named_file {
    const char *path, *relative; /* relative: to the scene's folder */
    bool may_be_empty; /* not named for its clips: found by a pattern, or in a manifest */
} bwi_named_file;
typedef struct bwi_named_files { bwi_named_file *data; size_t count; } bwi_named_files;
/* Each file once, the scene's own left out.  In: names — as typed, patterns and commas included; folder — not NULL: names are paths below
 * this folder, as a manifest has them; option — "anim", for messages.  Err: FILE_MISSING, FILE_READ, USAGE (a manifest's path that leads out of
 * its folder), MEMORY. */
bw_result bwi_name_files(bwi_named_files *files, bwi_arena *arena, const char *scene_path, bw_string_list names, const char *folder,
                         const char *option, bw_error *error);

/* Their paths from the scene's folder. */
bw_result bwi_named_paths(bw_string_list *paths, bwi_arena *arena, const bwi_named_files *files, bw_error *error);

/* bw_scene_add_clips with files that are known. */
bw_result bwi_add_clips(bw_scene *scene, const bwi_named_files *files, const char *prefix, const bw_scene_opts *opts, bw_error *error);
/* Adds to a NO_CLIP error the files beside the scene whose clips fit it; leaves it alone if there are none.  Err: NO_CLIP, MEMORY. */
bw_result bwi_advise_no_clip(bwi_call *call, bwi_arena *arena, bw_scene *scene, bw_error *error);

/* Adds a file and what it names to the scene's list of files, each once.  In: relative — its path from the scene's folder.  Err: MEMORY. */
bw_result bwi_add_sources(bw_scene *scene, const bw_scene *from, const char *relative, bw_error *error);

/* Levels of detail, finest first. */
typedef struct bwi_levels {
    bw_scene **scenes;
    bwi_vertex_list **lists;
    size_t count;
} bwi_levels;
/* Their files.  Out: found — by their names beside the scene.  In: names — as typed; none: hero_LOD1 … for a scene hero_LOD0; "none".
 * Err: as bwi_name_files. */
bw_result bwi_find_levels(bwi_named_files *files, bool *found, bwi_arena *arena, const char *scene_path, bw_string_list names,
                          bw_error *error);
/* Reads them, gives them the base's clips, and lists them among the base's files.  In: opts — patterns of nodes.  End with bwi_free_levels,
 * also after a failure. */
bw_result bwi_load_levels(bwi_levels *levels, bwi_call *call, bwi_arena *arena, bw_scene *base, const bwi_named_files *files,
                          const bw_vat_opts *opts, const bw_run_opts *run, bool no_images, bw_error *error);
void bwi_free_levels(bwi_levels *levels);
/* Out: errors — [levels]. */
bw_result bwi_measure_levels(bwi_level_error *errors, bwi_decoder *decoder, const bwi_vertex_list *base, const bwi_levels *levels,
                             const bwi_env *env, bw_error *error);
/* The manifest's levels as a report shows them; errors NULL: not measured. */
bw_result bwi_report_levels(const bw_baked_level **out, size_t *count, bwi_arena *arena, const bwi_manifest *manifest,
                            const bwi_level_error *errors, bw_error *error);

/* Reads a scene and the clips of other files, and counts what they take against the call's budget.  In: opts — of the bake: up, units
 * and anim_prefix count. */
bw_result bwi_call_load_scene(bw_scene **scene, bwi_call *call, const char *path, const bwi_named_files *clips, const bw_vat_opts *opts,
                              const bw_run_opts *run, bool no_images, bw_error *error);

/* ---- documents of --json ---- */

/* A writer into memory with a budget of its own, since documents are small and outlive no call. */
typedef struct bwi_document {
    bwi_mem mem;
    bwi_json_writer *w; /* NULL: memory failed */
} bwi_document;
/* Opens the document's object.  False: memory failed, and there is nothing to end. */
bool bwi_document_begin(bwi_document *doc, const char *schema);
/* Its text, for bw_free_text; NULL: memory failed. */
char *bwi_document_end(bwi_document *doc);
/* Members that several documents have.  In: error — NULL: status 0. */
void bwi_document_status(bwi_json_writer *w, const char *command, const bw_error *error);
void bwi_document_failure(bwi_json_writer *w, const bw_error *error);
void bwi_document_warnings(bwi_json_writer *w, const char *key, bw_warning_list list);
void bwi_document_outputs(bwi_json_writer *w, const bw_output_file *outputs, size_t count);
/* "elements", and if wanted "error". */
void bwi_document_pivot(bwi_json_writer *w, const bw_pivot_facts *facts, bool with_error);
void bwi_document_vector(bwi_json_writer *w, const char *key, const float v[3]);

/* Ends a writer into memory and makes its text one for bw_free_text; NULL if memory failed. */
char *bwi_text_of(bwi_json_writer *w, bwi_mem *mem);

/* The manifest's clips as a report shows them; strings copied into the arena. */
bw_result bwi_report_clips(const bw_baked_clip **clips, size_t *count, bwi_arena *arena, const bwi_manifest *manifest, bw_error *error);
/* Copies a report's strings into the arena. */
bw_result bwi_report_error(bw_error_report *out, const bw_error_report *in, bwi_arena *arena, bw_error *error);
/* Paths of a scene and of the files beside it that it names.  In: files — as in the manifest, the scene first. */
bw_result bwi_report_sources(bw_string_list *sources, bwi_arena *arena, const char *scene_path, const bwi_manifest_file *files, size_t count,
                             bw_error *error);
/* The name that outputs begin with: what was given, else the scene's own.  Err: USAGE (no plain file name, or there is none), MEMORY. */
bw_result bwi_output_name(const char **name, bwi_arena *arena, const char *given, const char *scene_path, bw_error *error);
/* Whether a file's bytes are now those of a manifest.  One that is missing counts as empty, as it does in a scene's list of files. */
bool bwi_has_bytes(const char *path, const bwi_manifest_file *file, bwi_mem *mem);
/* Whether all sources are as they were baked.  In: paths — [count], where the files are; named — lists of files that the options name, which may
 * lie anywhere. */
bool bwi_sources_stand(const bwi_manifest_file *files, size_t count, const bw_string_list *paths, const bw_string_list *named,
                       size_t named_count, bwi_mem *mem);
/* A scene's files as a manifest lists them, the scene's own first and by its name alone.  Out: files — in the arena.  Err: MEMORY. */
bw_result bwi_list_sources(bwi_manifest_file **files, size_t *count, bwi_arena *arena, const bw_scene *scene, bw_error *error);
/* Warns of files of a scene that are not among those baked; the scene, the buffers beside it, clips and levels: images are not read where a bake is
 * verified, and nothing depends on them.  Returns whether all are. */
bool bwi_compare_sources(const bw_scene *scene, const bwi_manifest_file *files, size_t count, bwi_warnings *warnings);
/* By so much an error may exceed the bake's, for versions that round otherwise. */
#define BWI_LARGER 1.001

/* True, and the report filled, if the same version made this bake of the same source with the same options, and every file is still there.
 * False also where memory fails or a file cannot be read: then the bake says why.  In: arena — scratch; manifest_file — its name in out_dir. */
bool bwi_vat_is_current(bw_vat_report *report, bwi_call *call, bwi_arena *arena, const char *scene_path, const char *out_dir,
                        const char *manifest_file, const bw_vat_opts *opts);
/* All warnings of both lists, copied into the arena.  Err: MEMORY, also where one of `second` was lost. */
bw_result bwi_report_warnings(bw_warning_list *out, bw_warning_list first, const bwi_warnings *second, bwi_arena *arena, bw_error *error);
/* Where bone mode's joints and weights are, as reports name it; NULL: nowhere. */
const char *bwi_vat_skin_in_name(const bwi_manifest_bones *bones);
/* What helps where the stored error is too large.  In: opts — of the bake, NULL: not known; bone_count — of what was baked. */
const char *bwi_finer(const bw_vat_opts *opts, uint32_t bone_count);
/* BW_ERR_BOUND_MISSED with both numbers, or BW_OK.  In: layout — of the bake; finer — of bwi_finer; path — of the manifest. */
bw_result bwi_check_bounds(const bw_error_report *report, bw_length max_error, bw_length max_between, bw_vat_layout layout, const char *finer,
                           const char *path, bw_error *error);

/* bw_verify of a Pivot Painter 2 bake; findings are not settled.  Err: DIFFERS, BOUND_MISSED, USAGE, and what reading files gives. */
bw_result bwi_verify_pivot(bw_verify_report *report, bwi_call *call, bwi_arena *arena, const char *path, const bw_verify_opts *opts,
                           bwi_warnings *findings, bw_error *error);

#endif
