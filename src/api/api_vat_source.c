/* SPDX-License-Identifier: MIT
 * What a bake is asked to bake: names, files of clips and levels, the scene. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <unistd.h>

#include "api/api_vat.h"

/* A pattern may find what an earlier bake has left. */
static bool is_own_output(const bwi_vat_source *source, const bwi_named_file *file) {
    const char *set = bwi_arena_printf(source->arena, "%s_vat.", source->name),
               *folder = bwi_path_folder(source->arena, file->path);
    return file->may_be_empty && set && folder && strncmp(bwi_path_basename(file->path), set, strlen(set)) == 0 &&
           bwi_path_same_file(folder, source->out_dir);
}

/* What the options say of files is made independent of patterns and of the folder the program was started in. */
static bw_result name_clip_files(bwi_vat_source *source, bw_error *error) {
    bwi_named_files *files = &source->clip_files;
    bw_result result =
        bwi_name_files(files, source->arena, source->scene_path, source->own_opts.anim, NULL, "anim", error);
    if (result != BW_OK)
        return result;
    size_t kept = 0;
    for (size_t k = 0; k < files->count; ++k)
        if (!is_own_output(source, &files->data[k]))
            files->data[kept++] = files->data[k];
    files->count = kept;
    return bwi_named_paths(&source->own_opts.anim, source->arena, files, error);
}

static bw_result name_level_files(bwi_vat_source *source, bw_error *error) {
    bw_result result = bwi_find_levels(&source->level_files, &source->levels_found, source->arena, source->scene_path,
                                       source->own_opts.lod, error);
    if (result != BW_OK || !source->level_files.count)
        return result;
    if (source->opts->layout == BW_VAT_LAYOUT_OPENVAT) {
        source->level_files.count = 0;
        return source->levels_found
                   ? BW_OK
                   : bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                              "--lod needs --layout=native or seed: OpenVAT's texels are offsets from each "
                              "vertex's own place");
    }
    if (source->levels_found)
        bwi_warn(&source->warnings, "levels-found", source->level_files.count,
                 "levels of detail beside the scene were taken; --lod=none leaves them out", "%s",
                 source->level_files.data[0].relative);
    return bwi_named_paths(&source->own_opts.lod, source->arena, &source->level_files, error);
}

bw_result bwi_vat_source_name(bwi_vat_source *source, bw_error *error) {
    bw_result result = bwi_output_name(&source->name, source->arena, source->opts->name, source->scene_path, error);
    if (result == BW_OK)
        result = name_clip_files(source, error);
    if (result == BW_OK)
        result = name_level_files(source, error);
    if (result != BW_OK)
        return result;
    source->set = bwi_arena_printf(source->arena, "%s_vat", source->name);
    source->manifest_file = source->set ? bwi_arena_printf(source->arena, "%s.json", source->set) : NULL;
    return source->manifest_file ? BW_OK : bwi_fail_memory(error, NULL, &source->call->mem, 0);
}

bw_result bwi_vat_source_load(bwi_vat_source *source, bw_error *error) {
    const bw_vat_opts *opts = source->opts;
    const bool no_images = opts->materials == BW_VAT_MATERIALS_NONE;
    const bwi_node_filter filter = {opts->include, opts->exclude};
    bw_result result = bwi_call_load_scene(&source->scene, source->call, source->scene_path, &source->clip_files, opts,
                                           &opts->run, no_images, error);
    if (result == BW_OK)
        result = bwi_load_levels(&source->levels, source->call, source->arena, source->scene, &source->level_files,
                                 opts, &opts->run, no_images, error);
    if (result == BW_OK)
        result = bwi_vertex_list_build(&source->list, source->arena, source->scene, &filter, &source->call->env,
                                       &source->warnings, error);
    return result;
}

void bwi_vat_source_end(bwi_vat_source *source) {
    if (source->scratch)
        (void)rmdir(source->scratch); /* its outputs removed their own folder */
    bwi_free_levels(&source->levels);
    bwi_arena_free(source->arena);
    bw_free_scene(source->scene);
}
