/* SPDX-License-Identifier: MIT
 * bw_vat_bake: read, choose, measure, encode, write, read back, compare, appear. */
#include <math.h>
#include <string.h>

#include "api/api_priv.h"
#include "base/file.h"
#include "base/json.h"
#include "base/math.h"
#include "image/image.h"
#include "metric/metric.h"
#include "model/openvat.h"
#include "vat/vat.h"
#include "write/write.h"

/* A bake under way. */
typedef struct bake {
    bwi_call *call;
    bwi_arena *arena;
    bw_vat_opts own_opts;
    const bw_vat_opts *opts; /* own_opts: as given, but for files, which are paths from the scene's folder */
    bwi_named_files clip_files, level_files;
    bool levels_found; /* by their names */
    bwi_levels levels;
    const char **level_meshes;
    bwi_level_error *level_errors;
    bw_scene *scene;
    bwi_vertex_list *list;
    bwi_warnings warnings;
    bwi_vat_plan plan;
    bwi_outputs *outputs;
    bwi_manifest manifest;
    const char *name, *out_dir;
    const char *mesh_file, *manifest_file, *remap_info_file; /* the last: openvat alone */
    const char **position_files, **normal_files;             /* [pages] */
    double rest_diagonal;                                    /* metres */
    bw_error_report measured;
} bake;

/* A name that every file system takes, that a manifest can hold, and that a terminal may show. */
static bool is_plain_name(const char *name) {
    enum { LONGEST = 200 };
    bool plain =
        bwi_path_is_below(name) && !strchr(name, '/') && name[0] != '.' && strlen(name) <= LONGEST && bwi_is_utf8(name);
    for (const char *c = name; plain && *c; ++c)
        plain = (unsigned char)*c >= 0x20 && *c != 0x7F;
    return plain;
}

static bw_result choose_name(bake *b, const char *scene_path, bw_error *error) {
    b->name = b->opts->name ? b->opts->name : bwi_path_stem(b->arena, scene_path);
    if (!b->name)
        return bwi_fail_memory(error, scene_path, &b->call->mem, 0);
    if (is_plain_name(b->name))
        return BW_OK;
    if (b->opts->name)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--name=%.64s is no plain file name; give up to 200 letters, digits, '-' and '_'", b->name);
    return bwi_fail(error, BW_ERR_USAGE, scene_path, -1,
                    "outputs cannot be named after it: it is no plain file name of up to 200 bytes; give one with "
                    "--name");
}

static bw_result plan_bake(bake *b, bw_error *error) {
    const bwi_node_filter filter = {b->opts->include, b->opts->exclude};
    bwi_vat_plan *plan = &b->plan;
    bw_result result = bwi_vertex_list_build(&b->list, b->arena, b->scene, &filter, &b->call->env, &b->warnings, error);
    if (result != BW_OK)
        return result;
    plan->list = b->list;
    plan->levels = (const bwi_vertex_list *const *)b->levels.lists;
    plan->level_count = (uint32_t)b->levels.count;
    result = bwi_vat_resolve(&plan->settings, b->opts, NULL, b->list->has_tangents, error);
    if (result == BW_OK)
        result = bwi_vat_choose_clips(&plan->clips, &plan->clip_count, b->arena, b->scene, &plan->settings, b->opts,
                                      &b->warnings, error);
    if (result == BW_ERR_NO_CLIP)
        return bwi_advise_no_clip(b->call, b->arena, b->scene, error);
    if (result == BW_OK)
        result = bwi_vat_choose_tracks(plan, b->arena, b->opts, error);
    if (result == BW_OK)
        result = bwi_vat_layout(plan, b->arena, error);
    if (result == BW_OK && b->opts->plan) {
        const bw_vat_sizes sizes = {
            b->list->vertex_count, plan->clip_count, plan->frame_count,           plan->width,
            plan->height,          plan->page_count, plan->settings.format->name, plan->settings.normal_format != NULL,
            plan->texture_bytes};
        if (!b->opts->plan(b->opts->plan_ctx, &sizes))
            result = bwi_fail_cancelled(error);
    }
    if (result == BW_OK)
        result = bwi_vat_rest(plan, b->arena, error);
    if (result == BW_OK)
        result = bwi_vat_track_root(plan, b->arena, &b->call->env, error);
    if (result == BW_OK)
        result = bwi_vat_measure(plan, &b->call->env, error);
    if (result == BW_OK)
        result = bwi_vat_track_attachments(plan, b->arena, &b->call->env, &b->warnings, error);
    return result == BW_OK ? bwi_vat_layout(plan, b->arena, error) : result; /* again: clips may have been closed */
}

/* A clip's name as a part of a file name that every file system takes. */
static const char *file_part(bwi_arena *arena, const bake *b, uint32_t clip) {
    const char *name = b->plan.clips[clip].out.name;
    char *part = bwi_arena_string(arena, name, strlen(name) < 100 ? SIZE_MAX : 100);
    for (char *p = part; p && *p; ++p) {
        const bool plain =
            (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '-' || *p == '_';
        *p = plain ? *p : '_';
    }
    return part;
}

/* Names that differ by more than case, whatever the clips are called. */
static bool is_taken(const char *const *files, uint32_t count, const char *file) {
    for (uint32_t k = 0; k < count; ++k) {
        const char *a = files[k], *c = file;
        while (*a && (*a | 32) == (*c | 32))
            ++a, ++c;
        if (*a == 0 && *c == 0)
            return true;
    }
    return false;
}

static bool name_seed_file(bake *b, uint32_t page) {
    const char *extension = b->plan.settings.format->extension, *part = file_part(b->arena, b, page);
    const char *file = part ? bwi_arena_printf(b->arena, "%s_vat_pos.%s.%s", b->name, part, extension) : NULL;
    for (uint32_t k = 2; file && is_taken(b->position_files, page, file); ++k)
        file = bwi_arena_printf(b->arena, "%s_vat_pos.%s-%u.%s", b->name, part, k, extension);
    b->position_files[page] = file;
    return file != NULL;
}

static bool name_native_file(const char **file, bake *b, const char *kind, uint32_t page,
                             const bwi_format_info *format) {
    *file = page ? bwi_arena_printf(b->arena, "%s_vat_%s.%u.%s", b->name, kind, page, format->extension)
                 : bwi_arena_printf(b->arena, "%s_vat_%s.%s", b->name, kind, format->extension);
    return *file != NULL;
}

/* OpenVAT's names, which its importers look for. */
static bool name_openvat_files(bake *b) {
    const bwi_vat_settings *s = &b->plan.settings;
    b->mesh_file = bwi_arena_printf(b->arena, "%s.glb", b->name);
    b->remap_info_file = bwi_arena_printf(b->arena, "%s-remap_info.json", b->name);
    b->position_files[0] = bwi_arena_printf(b->arena, "%s_vat.%s", b->name, s->format->extension);
    if (s->normal_format)
        b->normal_files[0] = bwi_arena_printf(b->arena, "%s_vnrm.%s", b->name, s->normal_format->extension);
    return b->mesh_file && b->remap_info_file && b->position_files[0] && (!s->normal_format || b->normal_files[0]);
}

static bw_result guard(bake *b, const char *file, bw_error *error) {
    const char *folder = bwi_path_folder(b->arena, b->scene->path);
    for (size_t k = 0; k < b->scene->files.count; ++k) {
        const char *input = k == 0   ? b->scene->path
                            : folder ? bwi_path_join(b->arena, folder, b->scene->files.data[k].path)
                                     : NULL;
        if (!input)
            return bwi_fail_memory(error, NULL, &b->call->mem, 0);
        bw_result result = bwi_outputs_guard(b->outputs, file, input, error);
        if (result != BW_OK)
            return result;
    }
    return BW_OK;
}

static bw_result name_files(bake *b, bw_error *error) {
    const bwi_vat_plan *plan = &b->plan;
    const bool seed = plan->settings.layout == BW_VAT_LAYOUT_SEED,
               openvat = plan->settings.layout == BW_VAT_LAYOUT_OPENVAT;
    b->mesh_file = bwi_arena_printf(b->arena, "%s_vat.glb", b->name);
    b->position_files = bwi_arena_alloc(b->arena, plan->page_count, sizeof *b->position_files);
    b->normal_files = bwi_arena_alloc(b->arena, plan->page_count, sizeof *b->normal_files);
    bool fits = b->mesh_file && b->position_files && b->normal_files;
    if (fits && openvat)
        fits = name_openvat_files(b);
    for (uint32_t p = 0; fits && !openvat && p < plan->page_count; ++p) {
        fits =
            seed ? name_seed_file(b, p) : name_native_file(&b->position_files[p], b, "pos", p, plan->settings.format);
        if (fits && plan->settings.normal_format)
            fits = name_native_file(&b->normal_files[p], b, "nrm", p, plan->settings.normal_format);
    }
    b->level_meshes = bwi_arena_alloc(b->arena, b->levels.count, sizeof *b->level_meshes);
    fits = fits && b->level_meshes;
    for (size_t k = 0; fits && k < b->levels.count; ++k)
        fits = (b->level_meshes[k] = bwi_arena_printf(b->arena, "%s_vat.lod%zu.glb", b->name, k + 1)) != NULL;
    if (!fits)
        return bwi_fail_memory(error, NULL, &b->call->mem, 0);
    bw_result result = guard(b, b->mesh_file, error);
    for (size_t k = 0; result == BW_OK && k < b->levels.count; ++k)
        result = guard(b, b->level_meshes[k], error);
    if (result == BW_OK)
        result = guard(b, b->manifest_file, error);
    if (result == BW_OK && b->remap_info_file)
        result = guard(b, b->remap_info_file, error);
    for (uint32_t p = 0; result == BW_OK && p < plan->page_count; ++p) {
        result = guard(b, b->position_files[p], error);
        if (result == BW_OK && b->normal_files[p])
            result = guard(b, b->normal_files[p], error);
    }
    return result;
}

static const bwi_output *last_output(const bake *b) {
    return bwi_outputs_get(b->outputs, bwi_outputs_count(b->outputs) - 1);
}

static bw_result write_texture(bake *b, const char *file_name, bwi_texture_role role, uint32_t page,
                               const bwi_texels *texels, const bwi_format_info *format, bw_error *error) {
    FILE *file = NULL;
    bw_result result =
        bwi_outputs_open(b->outputs, &file, file_name, role == BWI_ROLE_NORMAL ? "normal" : "position", error);
    if (result == BW_OK)
        result = bwi_image_write(file, file_name, format->container, texels, &b->call->env, error);
    if (result == BW_OK)
        result = bwi_outputs_close(b->outputs, error);
    if (result != BW_OK)
        return result;
    const bwi_output *output = last_output(b);
    bwi_manifest_texture *row = &b->manifest.textures.data[b->manifest.textures.count++];
    *row = (bwi_manifest_texture){.file = file_name,
                                  .role = role,
                                  .page = page,
                                  .width = texels->width,
                                  .height = texels->height,
                                  .format = format->format,
                                  .bytes = output->size,
                                  .decode = role == BWI_ROLE_NORMAL ? b->plan.settings.normal_decode
                                                                    : b->plan.settings.position_decode};
    memcpy(row->hash, output->hash.bytes, sizeof row->hash);
    return BW_OK;
}

static bw_result write_page(bake *b, uint32_t page, bw_error *error) {
    const bwi_vat_page *p = &b->plan.pages[page];
    const bwi_vat_settings *s = &b->plan.settings;
    bwi_mem *mem = &b->call->mem;
    const size_t texels = (size_t)p->width * p->height;
    bwi_texels positions = {p->width, p->height, s->format->type, NULL}, normals = {0};
    positions.data = bwi_alloc(mem, texels, bwi_texel_size(positions.type));
    bool fits = positions.data != NULL;
    if (s->normal_format) {
        normals = (bwi_texels){p->width, p->height, s->normal_format->type, NULL};
        normals.data = bwi_alloc(mem, texels, bwi_texel_size(normals.type));
        fits = fits && normals.data;
    }
    bw_result result =
        fits ? bwi_vat_encode_page(&b->plan, page, &positions, normals.data ? &normals : NULL, &b->call->env, error)
             : bwi_fail_memory(error, NULL, mem, texels * 2 * bwi_texel_size(positions.type));
    if (result == BW_OK)
        result = write_texture(b, b->position_files[page], BWI_ROLE_POSITION, page, &positions, s->format, error);
    if (result == BW_OK && normals.data)
        result = write_texture(b, b->normal_files[page], BWI_ROLE_NORMAL, page, &normals, s->normal_format, error);
    bwi_free(mem, positions.data);
    bwi_free(mem, normals.data);
    return result;
}

static bw_result write_textures(bake *b, bw_error *error) {
    uint64_t frames = 0;
    for (uint32_t p = 0; p < b->plan.page_count; ++p)
        frames += b->plan.pages[p].frame_count;
    b->manifest.textures.data =
        bwi_arena_alloc(b->arena, 2 * (size_t)b->plan.page_count, sizeof *b->manifest.textures.data);
    if (!b->manifest.textures.data)
        return bwi_fail_memory(error, NULL, &b->call->mem, 2 * b->plan.page_count * sizeof *b->manifest.textures.data);
    bw_result result = BW_OK;
    bwi_progress_begin(b->call->env.progress, "encode", frames);
    for (uint32_t p = 0; result == BW_OK && p < b->plan.page_count; ++p)
        result = write_page(b, p, error);
    return result;
}

static double diagonal_of(const bwi_draw_list *list) {
    double square = 0.0;
    for (size_t k = 0; k < 3; ++k) {
        float min = list->positions[k], max = min;
        for (size_t i = 1; i < list->vertex_count; ++i) {
            min = list->positions[3 * i + k] < min ? list->positions[3 * i + k] : min;
            max = list->positions[3 * i + k] > max ? list->positions[3 * i + k] : max;
        }
        square += ((double)max - (double)min) * ((double)max - (double)min);
    }
    return bwi_sqrt(square);
}

/* Out: file — as the manifest names it. */
static bw_result write_draw_list(bwi_manifest_file *file, uint8_t order_hash[16], bake *b, const char *file_name,
                                 const char *role, const bwi_draw_list *list, const bw_scene *scene, bw_error *error) {
    const bwi_glb_opts opts = {b->name, b->opts->materials == BW_VAT_MATERIALS_NONE ? NULL : scene};
    FILE *stream = NULL;
    bw_result result = bwi_outputs_open(b->outputs, &stream, file_name, role, error);
    if (result == BW_OK)
        result = bwi_write_glb(stream, file_name, list, &opts, &b->call->env, error);
    if (result == BW_OK)
        result = bwi_outputs_close(b->outputs, error);
    if (result != BW_OK)
        return result;
    const bwi_output *output = last_output(b);
    *file = (bwi_manifest_file){file_name, output->size, {0}};
    memcpy(file->hash, output->hash.bytes, sizeof file->hash);
    bwi_hasher hasher;
    bwi_hasher_init(&hasher);
    bwi_hasher_add_floats(&hasher, list->positions, 3 * (size_t)list->vertex_count);
    const bwi_hash128 hash = bwi_hasher_end(&hasher);
    memcpy(order_hash, hash.bytes, sizeof hash.bytes);
    return BW_OK;
}

static bw_result write_mesh(bake *b, bw_error *error) {
    bwi_arena *arena = bwi_arena_create(&b->call->mem);
    if (!arena)
        return bwi_fail_memory(error, NULL, &b->call->mem, 0);
    bwi_draw_list list = {0};
    bw_result result = bwi_vat_draw_list(&list, &b->manifest.uv_set, &b->plan, arena, error);
    if (result == BW_OK && b->manifest.uv_set > 1)
        bwi_warn(&b->warnings, "uv-set-taken", 1,
                 "TEXCOORD_1 is taken, so the texels' UVs are in a higher set; point the shader at that one",
                 "TEXCOORD_%u", b->manifest.uv_set);
    if (result == BW_OK)
        result =
            write_draw_list(&b->manifest.mesh, b->manifest.order_hash, b, b->mesh_file, "mesh", &list, b->scene, error);
    if (result == BW_OK)
        b->rest_diagonal = diagonal_of(&list);
    bwi_arena_free(arena);
    return result;
}

/* A rate over float key times is 29.99999996, and importers may take whole numbers only. */
static double whole_rate(double rate_fps) {
    const double whole = floor(rate_fps + 0.5);
    return fabs(rate_fps - whole) < 1e-3 && whole > 0.0 ? whole : rate_fps;
}

/* OpenVAT's own JSON: all clips on one time line, frames counted from 1. */
static bw_result write_remap_info(bake *b, bw_error *error) {
    const bwi_vat_plan *plan = &b->plan;
    bwi_openvat_info info = {.frame_count = plan->frame_count};
    memcpy(info.min, plan->offset_min, sizeof info.min);
    memcpy(info.max, plan->offset_max, sizeof info.max);
    info.clips.count = plan->clip_count;
    info.clips.data = bwi_arena_alloc(b->arena, plan->clip_count, sizeof *info.clips.data);
    if (!info.clips.data)
        return bwi_fail_memory(error, NULL, &b->call->mem, plan->clip_count * sizeof *info.clips.data);
    for (uint32_t c = 0; c < plan->clip_count; ++c) {
        const bwi_manifest_clip *clip = &plan->clips[c].out;
        info.clips.data[c] =
            (bwi_openvat_clip){clip->name, (int64_t)clip->first_frame + 1,
                               (int64_t)clip->first_frame + clip->frame_count, whole_rate(clip->rate_fps), clip->loop};
    }
    FILE *file = NULL;
    bw_result result = bwi_outputs_open(b->outputs, &file, b->remap_info_file, "remap_info", error);
    if (result == BW_OK)
        result = bwi_openvat_write(file, b->remap_info_file, &info, &b->call->mem, error);
    if (result == BW_OK)
        result = bwi_outputs_close(b->outputs, error);
    if (result != BW_OK)
        return result;
    b->manifest.remap_info = (bwi_manifest_file){b->remap_info_file, last_output(b)->size, {0}};
    memcpy(b->manifest.remap_info.hash, last_output(b)->hash.bytes, sizeof b->manifest.remap_info.hash);
    memcpy(b->manifest.offset_min, plan->offset_min, sizeof info.min);
    memcpy(b->manifest.offset_max, plan->offset_max, sizeof info.max);
    return BW_OK;
}

static bw_result write_level(bake *b, size_t index, bw_error *error) {
    const bwi_vertex_list *level = b->levels.lists[index];
    bwi_manifest_level *row = &b->manifest.levels.data[index];
    bwi_arena *arena = bwi_arena_create(&b->call->mem);
    uint32_t *map = arena ? bwi_arena_alloc(arena, level->vertex_count, sizeof *map) : NULL;
    bwi_draw_list list = {0};
    bw_result result = map ? bwi_vat_map_level(map, b->list, level, &b->call->env, error)
                           : bwi_fail_memory(error, NULL, &b->call->mem, level->vertex_count * sizeof *map);
    if (result == BW_OK)
        result = bwi_vat_level_draw_list(&list, &b->plan, level, map, arena, error);
    if (result == BW_OK)
        result = write_draw_list(&row->mesh, row->order_hash, b, b->level_meshes[index], "level", &list, level->scene,
                                 error);
    row->vertex_count = level->vertex_count;
    bwi_arena_free(arena);
    return result;
}

static bw_result write_levels(bake *b, bw_error *error) {
    const size_t count = b->levels.count;
    b->manifest.levels.data = bwi_arena_alloc(b->arena, count, sizeof *b->manifest.levels.data);
    b->level_errors = bwi_arena_alloc(b->arena, count, sizeof *b->level_errors);
    if (!b->manifest.levels.data || !b->level_errors)
        return bwi_fail_memory(error, NULL, &b->call->mem, count * sizeof *b->manifest.levels.data);
    b->manifest.levels.count = count;
    bw_result result = BW_OK;
    for (size_t k = 0; result == BW_OK && k < count; ++k)
        result = write_level(b, k, error);
    return result;
}

static bw_result fill_sources(bake *b, bw_error *error) {
    const size_t count = b->scene->files.count;
    bwi_manifest_file *files = bwi_arena_alloc(b->arena, count, sizeof *files);
    if (!files)
        return bwi_fail_memory(error, NULL, &b->call->mem, count * sizeof *files);
    for (size_t k = 0; k < count; ++k) {
        const bw_source_file *file = &b->scene->files.data[k];
        files[k] = (bwi_manifest_file){k ? file->path : bwi_path_basename(b->scene->path), file->bytes, {0}};
        memcpy(files[k].hash, file->hash, sizeof files[k].hash);
    }
    b->manifest.source.data = files;
    b->manifest.source.count = count;
    return BW_OK;
}

static bw_result fill_manifest(bake *b, bw_error *error) {
    const bwi_vat_plan *plan = &b->plan;
    bwi_manifest *m = &b->manifest;
    m->generator = BWI_MANIFEST_GENERATOR;
    m->mode = BW_VAT_MODE_VERTEX;
    m->layout = plan->settings.layout;
    m->engine = plan->settings.engine->engine;
    m->format = plan->settings.format->format;
    m->space = bwi_vat_space(&plan->settings)->name;
    m->options = *b->opts;
    m->options.run = (bw_run_opts){0};
    m->options.write = (bw_write_opts){0};
    m->options.events.data = NULL; /* the clips hold them */
    m->options.events.count = 0;
    m->options.plan = NULL;
    m->options.plan_ctx = NULL;
    m->element_count = b->list->vertex_count;
    m->frame_count = plan->frame_count;
    m->rows_per_frame = plan->rows_per_frame;
    m->frames_per_page = plan->frames_per_page;
    m->clips.data = bwi_arena_alloc(b->arena, plan->clip_count, sizeof *m->clips.data);
    if (!m->clips.data)
        return bwi_fail_memory(error, NULL, &b->call->mem, plan->clip_count * sizeof *m->clips.data);
    m->clips.count = plan->clip_count;
    for (uint32_t c = 0; c < plan->clip_count; ++c) {
        const bwi_manifest_clip *clip = &plan->clips[c].out;
        m->clips.data[c] = *clip;
        for (int k = 0; k < 3; ++k) {
            m->bounds_min[k] =
                c == 0 || clip->bounds_min[k] < m->bounds_min[k] ? clip->bounds_min[k] : m->bounds_min[k];
            m->bounds_max[k] =
                c == 0 || clip->bounds_max[k] > m->bounds_max[k] ? clip->bounds_max[k] : m->bounds_max[k];
        }
    }
    bw_result result = bwi_vat_probes(&m->probes.data, &m->probes.count, plan, b->arena, error);
    return result == BW_OK ? fill_sources(b, error) : result;
}

static bw_result write_manifest(bake *b, FILE *file, bw_error *error) {
    bw_result result = bwi_manifest_write(file, b->manifest_file, &b->manifest, &b->call->mem, error);
    return result == BW_OK ? bwi_outputs_close(b->outputs, error) : result;
}

static bw_result measure_levels(bake *b, bwi_decoder *decoder, bw_error *error) {
    bw_result result = bwi_measure_levels(b->level_errors, decoder, b->list, &b->levels, &b->call->env, error);
    for (size_t k = 0; result == BW_OK && k < b->levels.count; ++k) {
        bwi_manifest_level *level = &b->manifest.levels.data[k];
        bw_error_report report = {.stored = b->level_errors[k].frames};
        result = bwi_report_error(&report, &report, b->arena, error);
        b->level_errors[k].frames = report.stored; /* strings of the decoder's manifest end with it */
        level->has_error = true;
        level->rest_max = b->level_errors[k].rest_max;
        level->rest_rms = b->level_errors[k].rest_rms;
        level->frames = report.stored;
    }
    return result;
}

/* Opens what was written as `bakewell verify` would, before it appears under its final name. */
static bw_result read_back(bake *b, bw_error *error) {
    bwi_decoder *decoder = NULL;
    bwi_warnings findings;
    bwi_warnings_init(&findings, b->arena);
    const char *path = bwi_path_join(b->arena, bwi_outputs_folder(b->outputs), b->manifest_file);
    bw_result result = path ? bwi_decoder_open(&decoder, path, &b->call->env, &findings, error)
                            : bwi_fail_memory(error, NULL, &b->call->mem, 0);
    bw_error_report measured = {0};
    if (result == BW_OK)
        result = bwi_metric_walk(&measured, decoder, b->list, &b->call->env, &findings, error);
    if (result == BW_OK)
        result = bwi_report_error(&b->measured, &measured, b->arena, error);
    if (result == BW_OK)
        result = measure_levels(b, decoder, error);
    bwi_decoder_free(decoder);
    if (result == BW_OK && findings.lost)
        return bwi_fail_memory(error, NULL, &b->call->mem, sizeof(bw_warning));
    if (result == BW_OK && findings.count)
        return bwi_fail(error, BW_ERR_INTERNAL, b->manifest_file, -1,
                        "what was written does not read back: %s (%s); please report this file",
                        findings.data[0].message, findings.data[0].first);
    const int status = bw_result_exit_status(result);
    if (status != bw_result_exit_status(BW_ERR_DIFFERS) && status != bw_result_exit_status(BW_ERR_MALFORMED))
        return result;
    return bwi_fail(error, BW_ERR_INTERNAL, b->manifest_file, -1,
                    "what was written cannot be read back; please report this file");
}

static bw_result write_all(bake *b, bw_error *error) {
    FILE *file = NULL;
    bw_result result = write_textures(b, error);
    if (result == BW_OK)
        result = write_mesh(b, error);
    if (result == BW_OK && b->remap_info_file)
        result = write_remap_info(b, error);
    if (result == BW_OK)
        result = write_levels(b, error);
    if (result == BW_OK)
        result = fill_manifest(b, error);
    if (result == BW_OK)
        result = bwi_outputs_open(b->outputs, &file, b->manifest_file, "manifest", error);
    if (result == BW_OK)
        result = write_manifest(b, file, error);
    if (result == BW_OK)
        result = read_back(b, error);
    if (result == BW_OK) {
        b->manifest.has_error = true;
        b->manifest.error = b->measured;
        result = bwi_outputs_reopen(b->outputs, &file, b->manifest_file, error);
    }
    return result == BW_OK ? write_manifest(b, file, error) : result;
}

/* All but what only the commit tells: after it nothing may fail any more.  Out: out_files — the report's outputs. */
static bw_result fill_report(bw_vat_report *report, bw_output_file **out_files, const bake *b, bw_error *error) {
    bwi_arena *arena = report->arena;
    const size_t count = bwi_outputs_count(b->outputs);
    bw_output_file *files = bwi_arena_alloc(arena, count, sizeof *files);
    bool fits = files != NULL;
    for (size_t k = 0; fits && k < count; ++k) {
        const bwi_output *output = bwi_outputs_get(b->outputs, k);
        files[k] = (bw_output_file){bwi_path_join(arena, b->out_dir, output->file_name),
                                    bwi_arena_string(arena, output->role, SIZE_MAX), output->size, true};
        fits = files[k].path && files[k].role;
    }
    if (!fits)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), count * sizeof *files);
    report->outputs.data = *out_files = files;
    report->outputs.count = count;
    report->manifest = files[count - 1].path;
    report->vertex_count = b->list->vertex_count;
    report->frame_count = b->plan.frame_count;
    report->page_count = b->plan.page_count;
    report->width = b->plan.width;
    report->height = b->plan.height;
    report->texture_bytes = b->plan.texture_bytes;
    report->layout = bwi_layout_name(b->plan.settings.layout);
    report->format = b->plan.settings.format->name;
    bw_result result = bwi_report_clips(&report->clips.data, &report->clips.count, arena, &b->manifest, error);
    if (result == BW_OK)
        result =
            bwi_report_levels(&report->levels.data, &report->levels.count, arena, &b->manifest, b->level_errors, error);
    report->rest_diagonal = b->rest_diagonal;
    if (b->plan.root != BW_NO_INDEX) {
        report->root_node = bwi_arena_string(arena, b->scene->nodes.data[b->plan.root].name, SIZE_MAX);
        if (!report->root_node)
            return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), 0);
    }
    if (result == BW_OK)
        result = bwi_report_sources(&report->sources, arena, b->scene->path, b->manifest.source.data,
                                    b->manifest.source.count, error);
    if (result == BW_OK)
        result = bwi_report_warnings(&report->warnings, b->scene->warnings, &b->warnings, arena, error);
    return result == BW_OK ? bwi_report_error(&report->error, &b->measured, arena, error) : result;
}

static bw_result check_bounds(bw_vat_report *report, const bake *b, bw_vat_layout layout, bw_error *error) {
    bw_result result =
        bwi_check_bounds(&report->error, b->opts->max_error, b->opts->max_between, layout, report->manifest, error);
    report->bounds_kept = result == BW_OK;
    return result;
}

static bw_result finish(bw_vat_report *report, bake *b, bw_error *error) {
    bw_output_file *files = NULL;
    bw_result result = fill_report(report, &files, b, error);
    bwi_outputs_before_write(b->outputs, b->opts->write.before_write);
    if (result == BW_OK)
        result = bwi_outputs_commit(b->outputs, error);
    if (result != BW_OK)
        return result;
    for (size_t k = 0; k < report->outputs.count; ++k)
        files[k].changed = bwi_outputs_get(b->outputs, k)->changed;
    return check_bounds(report, b, b->plan.settings.layout, error);
}

/* A pattern may find what an earlier bake has left. */
static bool is_own_output(const bake *b, const bwi_named_file *file) {
    const char *set = bwi_arena_printf(b->arena, "%s_vat.", b->name), *folder = bwi_path_folder(b->arena, file->path);
    return file->may_be_empty && set && folder && strncmp(bwi_path_basename(file->path), set, strlen(set)) == 0 &&
           bwi_path_same_file(folder, b->out_dir);
}

/* What the options say of files is made independent of patterns and of the folder the program was started in. */
static bw_result name_clip_files(bake *b, const char *scene_path, bw_error *error) {
    bwi_named_files *files = &b->clip_files;
    bw_result result = bwi_name_files(files, b->arena, scene_path, b->own_opts.anim, NULL, "anim", error);
    if (result != BW_OK)
        return result;
    size_t kept = 0;
    for (size_t k = 0; k < files->count; ++k)
        if (!is_own_output(b, &files->data[k]))
            files->data[kept++] = files->data[k];
    files->count = kept;
    return bwi_named_paths(&b->own_opts.anim, b->arena, files, error);
}

static bw_result name_level_files(bake *b, const char *scene_path, bw_error *error) {
    bw_result result = bwi_find_levels(&b->level_files, &b->levels_found, b->arena, scene_path, b->own_opts.lod, error);
    if (result != BW_OK || !b->level_files.count)
        return result;
    if (b->opts->layout == BW_VAT_LAYOUT_OPENVAT) {
        b->level_files.count = 0;
        return b->levels_found ? BW_OK
                               : bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                                          "--lod needs --layout=native or seed: OpenVAT's texels are offsets from each "
                                          "vertex's own place");
    }
    if (b->levels_found)
        bwi_warn(&b->warnings, "levels-found", b->level_files.count,
                 "levels of detail beside the scene were taken; --lod=none leaves them out", "%s",
                 b->level_files.data[0].relative);
    return bwi_named_paths(&b->own_opts.lod, b->arena, &b->level_files, error);
}

static bw_result run_bake(bw_vat_report *report, bake *b, const char *scene_path, bw_error *error) {
    bw_result result = choose_name(b, scene_path, error);
    if (result == BW_OK)
        result = name_clip_files(b, scene_path, error);
    if (result == BW_OK)
        result = name_level_files(b, scene_path, error);
    if (result != BW_OK)
        return result;
    const char *set = bwi_arena_printf(b->arena, "%s_vat", b->name);
    b->manifest_file = set ? bwi_arena_printf(b->arena, "%s.json", set) : NULL;
    if (!b->manifest_file)
        return bwi_fail_memory(error, NULL, &b->call->mem, 0);
    if (!b->opts->write.force &&
        bwi_vat_is_current(report, b->call, b->arena, scene_path, b->out_dir, b->manifest_file, b->opts)) {
        bwi_outputs_sweep(b->out_dir, set, &b->call->mem);
        return check_bounds(report, b, b->opts->layout, error);
    }
    result = bwi_call_load_scene(&b->scene, b->call, scene_path, &b->clip_files, b->opts->anim_prefix, &b->opts->run,
                                 b->opts->materials == BW_VAT_MATERIALS_NONE, error);
    if (result == BW_OK)
        result = bwi_load_levels(&b->levels, b->call, b->arena, b->scene, &b->level_files, b->opts, &b->opts->run,
                                 b->opts->materials == BW_VAT_MATERIALS_NONE, error);
    if (result == BW_OK)
        result = plan_bake(b, error);
    if (result == BW_OK)
        result = bwi_outputs_begin(&b->outputs, b->out_dir, set, &b->call->mem, error);
    if (result == BW_OK)
        result = name_files(b, error);
    if (result == BW_OK)
        result = write_all(b, error);
    return result == BW_OK ? finish(report, b, error) : result;
}

bw_result bw_vat_bake(bw_vat_report **report, const char *scene_path, const char *out_dir, const bw_vat_opts *opts,
                      bw_error *error) {
    const bw_vat_opts defaults = {0};
    opts = opts ? opts : &defaults;
    bw_result result = bw_options_check(bw_vat_options(), opts, error);
    if (result == BW_OK)
        result = bw_options_check(bw_write_options(), &opts->write, error);
    if (result != BW_OK)
        return result;
    bwi_call call;
    bwi_arena *kept = bwi_arena_create_owning(opts->run.memory_limit);
    bw_vat_report *out = kept ? bwi_arena_alloc(kept, 1, sizeof *out) : NULL;
    result = bwi_call_begin(&call, &opts->run, error);
    bake b = {.call = &call,
              .own_opts = *opts,
              .out_dir = out_dir,
              .arena = result == BW_OK ? bwi_arena_create(&call.mem) : NULL};
    if (result == BW_OK && (!out || !b.arena))
        result = bwi_fail_memory(error, scene_path, &call.mem, sizeof *out);
    if (result == BW_OK) {
        out->arena = kept;
        b.opts = &b.own_opts;
        bwi_warnings_init(&b.warnings, b.arena);
        result = run_bake(out, &b, scene_path, error);
    }
    bwi_outputs_end(b.outputs);
    bwi_free_levels(&b.levels);
    bwi_arena_free(b.arena);
    bw_free_scene(b.scene);
    bwi_call_end(&call);
    if (result == BW_OK || result == BW_ERR_BOUND_MISSED) {
        *report = out;
        return result;
    }
    bwi_arena_free(kept);
    return result;
}

void bw_free_vat_report(bw_vat_report *report) {
    if (report)
        bwi_arena_free(report->arena);
}
