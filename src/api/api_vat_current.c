/* SPDX-License-Identifier: MIT
 * Whether a bake is up to date, by its manifest and the bytes of its files alone: no scene is parsed. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <sys/stat.h>

#include "api/api_priv.h"
#include "base/file.h"

/* Every file of the manifest, in the order in which a bake writes them; checks that each is as the manifest says. */
static bool list_outputs(bw_vat_report *report, const bwi_manifest *manifest, const char *out_dir,
                         const char *manifest_path, bwi_mem *mem) {
    bwi_arena *arena = report->arena;
    const bool openvat = manifest->layout == BW_VAT_LAYOUT_OPENVAT;
    const size_t mesh = manifest->textures.count, info = mesh + openvat; /* info: OpenVAT's own JSON, if there is one */
    const size_t count = info + manifest->levels.count + 2;
    bw_output_file *files = bwi_arena_alloc(arena, count, sizeof *files);
    if (!files)
        return false;
    for (size_t k = 0; k + 1 < count; ++k) {
        const bwi_manifest_texture *texture = k < mesh ? &manifest->textures.data[k] : NULL;
        bwi_manifest_file file = k == mesh  ? manifest->mesh
                                 : k > info ? manifest->levels.data[k - info - 1].mesh
                                            : manifest->remap_info;
        if (texture) {
            file = (bwi_manifest_file){texture->file, texture->bytes, {0}};
            memcpy(file.hash, texture->hash, sizeof file.hash);
        }
        files[k] = (bw_output_file){bwi_path_join(arena, out_dir, file.file),
                                    k == mesh  ? "mesh"
                                    : k > info ? "level"
                                    : !texture ? "remap_info"
                                               : bwi_texture_role_name(texture->role),
                                    file.bytes, false};
        if (!files[k].path || !bwi_has_bytes(files[k].path, &file, mem))
            return false;
    }
    bwi_map map;
    files[count - 1] = (bw_output_file){bwi_arena_string(arena, manifest_path, SIZE_MAX), "manifest", 0, false};
    if (!files[count - 1].path || bwi_map_open(&map, manifest_path, mem, NULL) != BW_OK)
        return false;
    files[count - 1].bytes = map.size;
    bwi_map_close(&map);
    report->outputs.data = files;
    report->outputs.count = count;
    report->manifest = files[count - 1].path;
    return true;
}

static void add_textures(bw_vat_report *report, const bwi_manifest *manifest) {
    for (size_t k = 0; k < manifest->textures.count; ++k) {
        const bwi_manifest_texture *texture = &manifest->textures.data[k];
        const bwi_format_info *format = bwi_format_info_of(texture->format);
        report->texture_bytes += (uint64_t)texture->width * texture->height * bwi_texel_size(format->type);
        if (texture->role != BWI_ROLE_POSITION && texture->role != BWI_ROLE_BONES)
            continue;
        ++report->page_count;
        report->width = texture->width;
        report->height = texture->height > report->height ? texture->height : report->height;
    }
}

/* The event that comes after one of the clip in order of time, then as given.  In: index SIZE_MAX — the first. */
static size_t next_event(const bw_vat_opts *opts, const char *clip, size_t index) {
    size_t next = SIZE_MAX;
    for (size_t k = 0; k < opts->events.count; ++k) {
        const bw_vat_event *event = &opts->events.data[k];
        const bw_vat_event *last = index == SIZE_MAX ? NULL : &opts->events.data[index];
        if (!event->clip || !event->name || strcmp(event->clip, clip) != 0 ||
            (last && !(event->time_s > last->time_s || (event->time_s == last->time_s && k > index))))
            continue;
        if (next == SIZE_MAX || event->time_s < opts->events.data[next].time_s)
            next = k;
    }
    return next;
}

static bool events_stand(const bwi_manifest *manifest, const bw_vat_opts *opts) {
    size_t found = 0;
    for (size_t c = 0; c < manifest->clips.count; ++c) {
        const bwi_manifest_clip *clip = &manifest->clips.data[c];
        size_t index = SIZE_MAX;
        for (size_t k = 0; k < clip->events.count; ++k, ++found) {
            index = next_event(opts, clip->name, index);
            if (index == SIZE_MAX || opts->events.data[index].time_s != clip->events.data[k].time_s ||
                strcmp(opts->events.data[index].name, clip->events.data[k].name) != 0)
                return false;
        }
    }
    return found == opts->events.count;
}

static bool fill_levels(bw_vat_report *report, const bwi_manifest *manifest) {
    const size_t count = manifest->levels.count;
    bwi_level_error *errors = bwi_arena_alloc(report->arena, count, sizeof *errors);
    for (size_t k = 0; errors && k < count; ++k) {
        const bwi_manifest_level *level = &manifest->levels.data[k];
        errors[k] = (bwi_level_error){level->rest_max, level->rest_rms, level->frames};
    }
    return errors && bwi_report_levels(&report->levels.data, &report->levels.count, report->arena, manifest, errors,
                                       NULL) == BW_OK;
}

static bool fill_current(bw_vat_report *report, const bwi_manifest *manifest, const char *out_dir,
                         const char *manifest_path, bwi_mem *mem) {
    if (!list_outputs(report, manifest, out_dir, manifest_path, mem))
        return false;
    add_textures(report, manifest);
    report->vertex_count = manifest->element_count;
    report->frame_count = manifest->frame_count;
    report->mode = bwi_mode_name(manifest->mode);
    report->bone_count = manifest->bones.count;
    report->matrices = manifest->bones.texel_count == 3;
    report->skin_in = bwi_vat_skin_in_name(&manifest->bones);
    report->layout = bwi_layout_name(manifest->layout);
    report->format = bwi_format_info_of(manifest->format)->name;
    report->up_to_date = true;
    if (manifest->clips.data[0].root.node) {
        report->root_node = bwi_arena_string(report->arena, manifest->clips.data[0].root.node, SIZE_MAX);
        if (!report->root_node)
            return false;
    }
    return bwi_report_clips(&report->clips.data, &report->clips.count, report->arena, manifest, NULL) == BW_OK &&
           bwi_report_error(&report->error, &manifest->error, report->arena, NULL) == BW_OK &&
           fill_levels(report, manifest);
}

bool bwi_vat_is_current(bw_vat_report *report, bwi_call *call, bwi_arena *arena, const char *scene_path,
                        const char *out_dir, const char *manifest_file, const bw_vat_opts *opts) {
    const char *path = bwi_path_join(arena, out_dir, manifest_file);
    bwi_manifest *manifest = NULL;
    if (!path || bwi_manifest_read(&manifest, arena, path, NULL) != BW_OK)
        return false;
    bw_vat_report found = {.arena = report->arena};
    const bw_string_list named[] = {opts->anim, opts->lod};
    if (strcmp(manifest->generator, BWI_MANIFEST_GENERATOR) != 0 || !manifest->has_error ||
        strcmp(manifest->source.data[0].file, bwi_path_basename(scene_path)) != 0 ||
        !bwi_manifest_options_equal(&manifest->options, opts, &call->mem) || !events_stand(manifest, opts) ||
        bwi_report_sources(&found.sources, found.arena, scene_path, manifest->source.data, manifest->source.count,
                           NULL) != BW_OK ||
        !bwi_sources_stand(manifest->source.data, manifest->source.count, &found.sources, named, 2, &call->mem) ||
        !fill_current(&found, manifest, out_dir, path, &call->mem))
        return false;
    *report = found;
    return true;
}
