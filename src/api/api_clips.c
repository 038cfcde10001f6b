/* SPDX-License-Identifier: MIT
 * Clips from other files: which files are meant, and what of them goes into the scene. */
#include <string.h>

#include "api/api_priv.h"
#include "base/file.h"
#include "base/json.h"
#include "read/read.h"
#include "scene/scene.h"

/* ---- which files are meant ---- */

static bool is_pattern(const char *name) {
    return strpbrk(name, "*?") != NULL;
}

/* A name with a comma in it may be one file's. */
static bool is_there(const char *path) {
    return bwi_path_same_file(path, path);
}

static bw_result add_file(bwi_named_files *files, bwi_arena *arena, const char *scene_path, const char *path,
                          bool may_be_empty, bw_error *error) {
    if (bwi_path_same_file(path, scene_path))
        return BW_OK;
    const char *folder = bwi_path_folder(arena, scene_path), *relative = NULL;
    if (!folder)
        return bwi_fail_memory(error, path, bwi_arena_mem(arena), strlen(scene_path));
    bw_result result = bwi_path_relative(&relative, arena, folder, path, error);
    if (result != BW_OK)
        return result;
    if (!bwi_is_utf8(relative))
        return bwi_fail(error, BW_ERR_USAGE, path, -1,
                        "its name is no UTF-8 text, so no manifest can hold it; rename it");
    for (size_t k = 0; k < files->count; ++k)
        if (strcmp(files->data[k].relative, relative) == 0)
            return BW_OK;
    if ((files->count & (files->count - 1)) == 0) { /* a power of two: full */
        const size_t capacity = files->count ? 2 * files->count : 1;
        bwi_named_file *data = bwi_arena_alloc(arena, capacity, sizeof *data);
        if (!data)
            return bwi_fail_memory(error, path, bwi_arena_mem(arena), capacity * sizeof *data);
        if (files->count)
            memcpy(data, files->data, files->count * sizeof *data);
        files->data = data;
    }
    files->data[files->count++] = (bwi_named_file){path, relative, may_be_empty};
    return BW_OK;
}

static bw_result add_named(bwi_named_files *files, bwi_arena *arena, const char *scene_path, const char *name,
                           const char *option, bw_error *error) {
    if (!is_pattern(name) || is_there(name))
        return add_file(files, arena, scene_path, name, false, error);
    bwi_path_list found = {0};
    bw_result result = bwi_path_glob(&found, arena, NULL, name, error);
    if (result == BW_OK && !found.count)
        return bwi_fail(error, BW_ERR_FILE_MISSING, NULL, -1,
                        "--%s=%s matches no file; check the folder and the ending", option, name);
    for (size_t k = 0; result == BW_OK && k < found.count; ++k)
        result = add_file(files, arena, scene_path, found.data[k], true, error);
    return result;
}

static bw_result add_typed(bwi_named_files *files, bwi_arena *arena, const char *scene_path, const char *name,
                           const char *option, bw_error *error) {
    bw_result result = BW_OK;
    if (!strchr(name, ',') || is_there(name))
        return add_named(files, arena, scene_path, name, option, error);
    for (const char *at = name; result == BW_OK && at;) {
        const char *comma = strchr(at, ',');
        const char *piece = bwi_arena_string(arena, at, comma ? (size_t)(comma - at) : SIZE_MAX);
        if (!piece)
            return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), strlen(at));
        if (!*piece)
            return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "--%s=%s has nothing between two commas; name files there",
                            option, name);
        result = add_named(files, arena, scene_path, piece, option, error);
        at = comma ? comma + 1 : NULL;
    }
    return result;
}

/* A manifest says where the files lay at the bake; it is not trusted to lead anywhere else than below the scene. */
static bw_result add_recorded(bwi_named_files *files, bwi_arena *arena, const char *scene_path, const char *name,
                              const char *folder, const char *option, bw_error *error) {
    if (!bwi_path_is_below(name))
        return bwi_fail(error, BW_ERR_USAGE, scene_path, -1,
                        "the bake also read %s, outside the scene's folder; name such files with --%s", name, option);
    const char *path = bwi_path_join(arena, folder, name);
    return path ? add_file(files, arena, scene_path, path, true, error)
                : bwi_fail_memory(error, name, bwi_arena_mem(arena), strlen(name));
}

bw_result bwi_name_files(bwi_named_files *files, bwi_arena *arena, const char *scene_path, bw_string_list names,
                         const char *folder, const char *option, bw_error *error) {
    bw_result result = BW_OK;
    *files = (bwi_named_files){0};
    for (size_t k = 0; result == BW_OK && k < names.count; ++k)
        result = folder ? add_recorded(files, arena, scene_path, names.data[k], folder, option, error)
                        : add_typed(files, arena, scene_path, names.data[k], option, error);
    return result;
}

bw_result bwi_named_paths(bw_string_list *paths, bwi_arena *arena, const bwi_named_files *files, bw_error *error) {
    const char **data = bwi_arena_alloc(arena, files->count, sizeof *data);
    if (!data)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), files->count * sizeof *data);
    for (size_t k = 0; k < files->count; ++k)
        data[k] = files->data[k].relative;
    *paths = (bw_string_list){data, files->count};
    return BW_OK;
}

/* ---- what of them goes into the scene ---- */

/* One call of bwi_add_clips. */
typedef struct clip_addition {
    bw_scene *scene;
    bwi_arena *scratch;
    bwi_clip_adopter *adopter;
    bw_scene_opts opts; /* of reading the files */
    bw_source_file *files;
    size_t file_count;
    bwi_warnings warnings;
} clip_addition;

static bw_result read_one(bw_scene **from, clip_addition *add, const char *path, bw_error *error) {
    add->opts.run.memory_limit = bwi_mem_left(bwi_arena_mem(add->scene->arena));
    return bwi_read_scene(from, path, &add->opts, error);
}

static bool is_listed(const bw_source_file *files, size_t count, const char *path) {
    for (size_t k = 0; k < count; ++k)
        if (strcmp(files[k].path, path) == 0)
            return true;
    return false;
}

/* The file and what it names, with paths that lead from the scene's folder. */
static bw_result append_sources(bw_source_file **files, size_t *count, bwi_arena *arena, const bw_scene *from,
                                const char *relative, bw_error *error) {
    const size_t most = *count + from->files.count;
    bw_source_file *list = bwi_arena_alloc(arena, most, sizeof *list);
    const char *folder = bwi_path_folder(arena, relative);
    if (!list || !folder)
        return bwi_fail_memory(error, from->path, bwi_arena_mem(arena), most * sizeof *list);
    memcpy(list, *files, *count * sizeof *list);
    size_t used = *count;
    for (size_t k = 0; k < from->files.count; ++k) {
        bw_source_file file = from->files.data[k];
        file.path = k == 0 ? bwi_arena_string(arena, relative, SIZE_MAX) : bwi_path_join(arena, folder, file.path);
        if (!file.path)
            return bwi_fail_memory(error, from->path, bwi_arena_mem(arena), strlen(relative));
        if (!is_listed(list, used, file.path))
            list[used++] = file;
    }
    *files = list;
    *count = used;
    return BW_OK;
}

bw_result bwi_add_sources(bw_scene *scene, const bw_scene *from, const char *relative, bw_error *error) {
    bw_source_file *files = (bw_source_file *)(uintptr_t)scene->files.data; /* copied, not written to */
    size_t count = scene->files.count;
    bw_result result = append_sources(&files, &count, scene->arena, from, relative, error);
    if (result == BW_OK) {
        scene->files.data = files;
        scene->files.count = count;
    }
    return result;
}

static bw_result add_one(clip_addition *add, const bwi_named_file *file, bw_error *error) {
    bw_scene *from = NULL;
    bw_result result = read_one(&from, add, file->path, error);
    if (result != BW_OK)
        return result;
    if (!from->clips.count && file->may_be_empty) {
        bwi_warn(&add->warnings, "clip-file-empty", 1, "files that a pattern found hold no clips", "%s", file->path);
    } else {
        result = bwi_clip_adopter_add(add->adopter, from, &add->warnings, error);
    }
    if (result == BW_OK)
        result = append_sources(&add->files, &add->file_count, add->scene->arena, from, file->relative, error);
    bw_free_scene(from);
    return result;
}

static bw_result add_all(clip_addition *add, const bwi_named_files *files, const char *prefix, bw_error *error) {
    bw_scene *scene = add->scene;
    bw_result result = bwi_clip_adopter_begin(&add->adopter, add->scratch, scene, prefix, error);
    if (result != BW_OK)
        return result;
    add->files = bwi_arena_alloc(add->scratch, scene->files.count, sizeof *add->files);
    if (!add->files)
        return bwi_fail_memory(error, scene->path, bwi_arena_mem(scene->arena),
                               scene->files.count * sizeof *add->files);
    memcpy(add->files, scene->files.data, scene->files.count * sizeof *add->files);
    add->file_count = scene->files.count;
    for (size_t k = 0; result == BW_OK && k < files->count; ++k)
        result = add_one(add, &files->data[k], error);
    bw_warning_list warnings = scene->warnings;
    if (result == BW_OK)
        result = bwi_report_warnings(&warnings, scene->warnings, &add->warnings, scene->arena, error);
    if (result == BW_OK)
        result = bwi_clip_adopter_end(add->adopter, error);
    if (result == BW_OK) {
        scene->files.data = add->files;
        scene->files.count = add->file_count;
        scene->warnings = warnings;
    }
    return result;
}

bw_result bwi_add_clips(bw_scene *scene, const bwi_named_files *files, const char *prefix, const bw_scene_opts *opts,
                        bw_error *error) {
    bwi_mem *mem = bwi_arena_mem(scene->arena);
    clip_addition add = {.scene = scene, .scratch = bwi_arena_create(mem), .opts = *opts};
    if (!add.scratch)
        return bwi_fail_memory(error, scene->path, mem, 0);
    add.opts.no_images = true;
    bwi_warnings_init(&add.warnings, add.scratch);
    bw_result result = add_all(&add, files, prefix, error);
    bwi_arena_free(add.scratch);
    return result;
}

/* ---- files that might have been meant ---- */

enum { OPENED_FILES = 32, SHOWN_FILES = 4 };
#define OPENED_SIZE (UINT64_C(64) << 20) /* clips without a mesh are far smaller */

/* Half of what a clip drives: a sword of its own may be missing, another rig shares a name or two. */
static bool fits(bwi_call *call, bwi_clip_adopter *adopter, const char *path) {
    bwi_map map = {0};
    if (bwi_map_open(&map, path, &call->mem, NULL) != BW_OK)
        return false;
    const bool small = map.size <= OPENED_SIZE;
    bwi_map_close(&map);
    bw_scene *from = NULL;
    const bw_scene_opts opts = {.no_images = true, .run = {.memory_limit = bwi_mem_left(&call->mem)}};
    if (!small || bwi_read_scene(&from, path, &opts, NULL) != BW_OK)
        return false;
    uint32_t fitting = 0, driven = 0;
    const bw_result result = bwi_clip_adopter_fit(adopter, from, &fitting, &driven, NULL);
    bw_free_scene(from);
    return result == BW_OK && fitting && fitting >= driven - fitting;
}

bw_result bwi_advise_no_clip(bwi_call *call, bwi_arena *arena, bw_scene *scene, bw_error *error) {
    static const char *const patterns[] = {"*.glb", "*.gltf"};
    bwi_clip_adopter *adopter = NULL;
    const char *folder = bwi_path_folder(arena, scene->path), *names = "";
    size_t opened = 0, shown = 0, more = 0;
    bw_result result = folder ? bwi_clip_adopter_begin(&adopter, arena, scene, NULL, error)
                              : bwi_fail_memory(error, scene->path, &call->mem, strlen(scene->path));
    for (size_t p = 0; result == BW_OK && p < sizeof patterns / sizeof patterns[0]; ++p) {
        bwi_path_list found = {0};
        if (bwi_path_glob(&found, arena, folder, patterns[p], NULL) != BW_OK)
            continue;
        for (size_t k = 0; names && k < found.count && opened < OPENED_FILES; ++k) {
            if (bwi_path_same_file(found.data[k], scene->path))
                continue;
            ++opened;
            if (!fits(call, adopter, found.data[k]))
                continue;
            if (shown == SHOWN_FILES) {
                ++more;
                continue;
            }
            names = bwi_arena_printf(arena, "%s%s%.80s", names, shown++ ? ", " : "", bwi_path_basename(found.data[k]));
        }
    }
    if (result != BW_OK)
        return result;
    if (!shown || !names)
        return BW_ERR_NO_CLIP;
    const char *rest = more ? bwi_arena_printf(arena, " and %zu more", more) : "";
    return bwi_fail(error, BW_ERR_NO_CLIP, scene->path, -1,
                    "the file holds no animation clip to bake; beside it %s%s hold clips that fit: name them with "
                    "--anim, or use --static for one frame of the rest pose",
                    names, rest ? rest : "");
}
