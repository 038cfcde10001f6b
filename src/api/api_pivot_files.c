/* SPDX-License-Identifier: MIT
 * Files of a Pivot Painter 2 bake: written, read back, compared with the plan. */
#include <math.h>
#include <string.h>

#include "api/api_pivot.h"
#include "decode/pivot.h"
#include "image/image.h"
#include "write/write.h"

static const bwi_pivot_pair POSITION = {BWI_PIVOT_RGB_PIVOT, BWI_PIVOT_ALPHA_PARENT};
static const bwi_pivot_pair AXIS = {BWI_PIVOT_RGB_X_AXIS, BWI_PIVOT_ALPHA_X_EXTENT};

enum { PROBE_COUNT = 8 };

static const bwi_output *last_output(const bwi_pivot_job *job) {
    return bwi_outputs_get(job->outputs, bwi_outputs_count(job->outputs) - 1);
}

/* Opens an output that is none of the inputs. */
static bw_result open_output(FILE **file, bwi_pivot_job *job, const char *file_name, const char *role,
                             bw_error *error) {
    const bw_scene *scene = job->source.scene;
    const char *folder = scene ? bwi_path_folder(job->arena, scene->path) : NULL;
    bw_result result = BW_OK;
    for (size_t k = 0; scene && result == BW_OK && k < scene->files.count; k++) {
        const char *input = k == 0   ? scene->path
                            : folder ? bwi_path_join(job->arena, folder, scene->files.data[k].path)
                                     : NULL;
        result = input ? bwi_outputs_guard(job->outputs, file_name, input, error)
                       : bwi_fail_memory(error, file_name, &job->call.mem, 0);
    }
    return result == BW_OK ? bwi_outputs_open(job->outputs, file, file_name, role, error) : result;
}

static bw_result close_output(bwi_manifest_file *out, bwi_pivot_job *job, const char *file_name, bw_error *error) {
    bw_result result = bwi_outputs_close(job->outputs, error);
    if (result != BW_OK)
        return result;
    *out = (bwi_manifest_file){file_name, last_output(job)->size, {0}};
    memcpy(out->hash, last_output(job)->hash.bytes, sizeof out->hash);
    return BW_OK;
}

/* ---- textures ---- */

/* The file must hold the very texels. */
static bw_result read_again(const bwi_pivot_job *job, const char *file_name, bwi_container container,
                            const bwi_texels *texels, bw_error *error) {
    bwi_texels again = {0};
    char *path = bwi_path_join(job->arena, bwi_outputs_folder(job->outputs), file_name);
    if (!path)
        return bwi_fail_memory(error, file_name, job->call.env.mem, 0);
    bw_result result = bwi_image_read(&again, path, container, texels, &job->call.env, error);
    if (result == BW_OK &&
        memcmp(again.data, texels->data, (size_t)texels->width * texels->height * bwi_texel_size(texels->type)) != 0)
        result = bwi_fail(error, BW_ERR_INTERNAL, file_name, -1,
                          "reads back otherwise than it was written; please report this");
    bwi_texels_free(&again, job->call.env.mem);
    return result;
}

static bw_result write_texture(bwi_pivot_job *job, bwi_pivot_pair pair, bwi_pivot_role role, const char *file_name,
                               bw_error *error) {
    const bwi_format_info *format = bwi_format_info_of(bwi_pivot_format(pair));
    const bwi_pivot_layout *layout = &job->sheet.layout;
    const size_t count = (size_t)layout->width * layout->height;
    bwi_texels texels = {layout->width, layout->height, format->type,
                         bwi_alloc(job->call.env.mem, count, bwi_texel_size(format->type))};
    FILE *file = NULL;
    bwi_pivot_texture *row = &job->manifest.textures.data[job->manifest.textures.count];
    bw_result result = file_name && texels.data
                           ? open_output(&file, job, file_name, bwi_pivot_role_name(role), error)
                           : bwi_fail_memory(error, NULL, job->call.env.mem, count * bwi_texel_size(format->type));
    if (result == BW_OK) {
        bwi_pivot_encode(&texels, &job->sheet, pair);
        result = bwi_image_write(file, file_name, format->container, &texels, &job->call.env, error);
    }
    if (result == BW_OK)
        result = close_output(&row->file, job, file_name, error);
    if (result == BW_OK)
        result = read_again(job, file_name, format->container, &texels, error);
    if (result == BW_OK) {
        row->role = role;
        row->width = layout->width;
        row->height = layout->height;
        row->format = format->format;
        row->rgb = pair.rgb;
        row->alpha = pair.alpha;
        job->manifest.textures.count++;
    }
    bwi_free(job->call.env.mem, texels.data);
    return result;
}

static bw_result write_textures(bwi_pivot_job *job, bw_error *error) {
    const bwi_pivot_pair *pairs = NULL;
    size_t count = 0;
    bw_result result = bwi_pivot_pairs(&pairs, &count, job->arena, &job->opts, job->order.count, error);
    if (result != BW_OK)
        return result;
    job->manifest.textures.data = bwi_arena_alloc(job->arena, count + 2, sizeof *job->manifest.textures.data);
    if (!job->manifest.textures.data)
        return bwi_fail_memory(error, NULL, &job->call.mem, (count + 2) * sizeof *job->manifest.textures.data);
    result = write_texture(job, POSITION, BWI_PIVOT_ROLE_POSITION, bwi_arena_printf(job->arena, "%s_pos.exr", job->set),
                           error);
    if (result == BW_OK)
        result =
            write_texture(job, AXIS, BWI_PIVOT_ROLE_AXIS, bwi_arena_printf(job->arena, "%s_axis.png", job->set), error);
    for (size_t k = 0; result == BW_OK && k < count; k++) {
        const char *extension = bwi_format_info_of(bwi_pivot_format(pairs[k]))->extension;
        const char *file_name = bwi_arena_printf(job->arena, "%s_%s_%s.%s", job->set, bwi_pivot_rgb_name(pairs[k].rgb),
                                                 bwi_pivot_alpha_name(pairs[k].alpha), extension);
        result = write_texture(job, pairs[k], BWI_PIVOT_ROLE_EXTRA, file_name, error);
    }
    return result;
}

/* ---- meshes ---- */

static bw_result write_mesh(bwi_manifest_file *file, uint8_t order_hash[16], bwi_pivot_job *job,
                            const bw_pivot_plan *plan, const char *file_name, const char *role, bw_error *error) {
    const bwi_glb_opts opts = {.name = job->name,
                               .scene = job->opts.materials == BW_VAT_MATERIALS_NONE ? NULL : plan->scene};
    bwi_arena *arena = bwi_arena_create(&job->call.mem);
    bwi_draw_list list = {0};
    FILE *stream = NULL;
    bw_result result = arena && file_name ? bwi_pivot_draw_list(&list, arena, plan, &job->order, &job->sheet.layout,
                                                                job->manifest.uv_set, error)
                                          : bwi_fail_memory(error, NULL, &job->call.mem, 0);
    if (result == BW_OK)
        result = open_output(&stream, job, file_name, role, error);
    if (result == BW_OK)
        result = bwi_write_glb(stream, file_name, &list, &opts, &job->call.env, error);
    if (result == BW_OK)
        result = close_output(file, job, file_name, error);
    if (result == BW_OK) {
        bwi_hasher hasher;
        bwi_hasher_init(&hasher);
        bwi_hasher_add_floats(&hasher, list.positions, 3 * (size_t)list.vertex_count);
        const bwi_hash128 hash = bwi_hasher_end(&hasher);
        memcpy(order_hash, hash.bytes, sizeof hash.bytes);
    }
    bwi_arena_free(arena);
    return result;
}

static bw_result write_meshes(bwi_pivot_job *job, bw_error *error) {
    bwi_pivot_manifest *m = &job->manifest;
    const size_t count = job->source.level_count;
    m->levels.data = bwi_arena_alloc(job->arena, count, sizeof *m->levels.data);
    if (!m->levels.data)
        return bwi_fail_memory(error, NULL, &job->call.mem, count * sizeof *m->levels.data);
    bw_result result = bwi_pivot_uv_set(&m->uv_set, job->plan, m->engine, &job->opts, error);
    if (result == BW_OK)
        result = write_mesh(&m->mesh, m->order_hash, job, job->plan, bwi_arena_printf(job->arena, "%s.glb", job->set),
                            "mesh", error);
    for (size_t k = 0; result == BW_OK && k < count; k++) {
        const bw_pivot_plan *plan = job->source.level_plans[k];
        bwi_pivot_level_file *level = &m->levels.data[k];
        level->vertex_count = plan->vertex_count;
        result = write_mesh(&level->mesh, level->order_hash, job, plan,
                            bwi_arena_printf(job->arena, "%s.lod%zu.glb", job->set, k + 1), "level", error);
        m->levels.count = k + 1;
    }
    return result;
}

/* ---- the manifest ---- */

static bw_result fill_probes(bwi_pivot_job *job, bw_error *error) {
    const bwi_pivot_sheet *sheet = &job->sheet;
    const uint32_t count = job->order.count, wanted = count < PROBE_COUNT ? count : PROBE_COUNT;
    bwi_pivot_probe *probes = bwi_arena_alloc(job->arena, wanted, sizeof *probes);
    if (!probes)
        return bwi_fail_memory(error, NULL, &job->call.mem, wanted * sizeof *probes);
    for (uint32_t k = 0; k < wanted; k++) {
        const uint32_t texel = wanted > 1 ? (uint32_t)((uint64_t)k * (count - 1) / (wanted - 1)) : 0;
        const bw_pivot_element *element = &sheet->elements[job->order.elements[texel]];
        const bwi_vec3 pivot = bwi_space_map_point(element->pivot, sheet->space);
        const bwi_vec3 axis = bwi_space_map_direction(element->axes[0], sheet->space);
        probes[k] = (bwi_pivot_probe){.element = texel,
                                      .parent = job->order.parents[texel],
                                      .pivot = {(float)pivot.x, (float)pivot.y, (float)pivot.z},
                                      .axis = {(float)axis.x, (float)axis.y, (float)axis.z},
                                      .extent_cm = element->extents[0] * 100};
        bwi_pivot_uv(probes[k].uv, &sheet->layout, texel);
    }
    job->manifest.probes.data = probes;
    job->manifest.probes.count = wanted;
    return BW_OK;
}

static bw_result fill_manifest(bwi_pivot_job *job, bw_error *error) {
    const bw_pivot_plan *plan = job->plan;
    bwi_pivot_manifest *m = &job->manifest;
    m->generator = BWI_MANIFEST_GENERATOR;
    m->engine = job->opts.engine ? job->opts.engine : BW_ENGINE_UNREAL;
    m->space = job->sheet.space->name;
    m->options = job->opts;
    m->options.run = (bw_run_opts){0};
    m->options.write = (bw_write_opts){0};
    m->vertex_count = plan->vertex_count;
    m->facts = (bw_pivot_facts){.kind = plan->kind ? plan->kind : "program",
                                .element_count = job->order.count,
                                .root_count = job->order.root_count,
                                .max_depth = job->order.max_depth,
                                .tip = job->opts.extent != BW_PIVOT_EXTENT_BOUNDS,
                                .dropped_count = plan->dropped_count,
                                .clustered_count = plan->clustered_count,
                                .merged_count = plan->merged_count,
                                .cluster_error = plan->cluster_error};
    memcpy(m->facts.level_counts, job->order.level_counts, sizeof m->facts.level_counts);
    bw_result result = fill_probes(job, error);
    return result == BW_OK && job->source.scene
               ? bwi_list_sources(&m->source.data, &m->source.count, job->arena, job->source.scene, error)
               : result;
}

static bw_result write_manifest(bwi_pivot_job *job, bw_error *error) {
    FILE *file = NULL;
    bw_result result = open_output(&file, job, job->manifest_file, "manifest", error);
    if (result == BW_OK)
        result = bwi_pivot_manifest_write(file, job->manifest_file, &job->manifest, &job->call.mem, error);
    return result == BW_OK ? bwi_outputs_close(job->outputs, error) : result;
}

/* ---- the proof ---- */

/* What rounding to the formats explains; more is a fault of ours. */
static bw_result check_error(const bwi_pivot_job *job, bw_error *error) {
    const double HALF_ULP = 1.0 / 2048, LEAST_HALF_STEP = 0x1p-25; /* of a coordinate; of the smallest halves */
    const double AXIS_DEG = 0.39;                                  /* three bytes: 0.385 */
    const double EXTENT_M = 0.0402;                                /* half of 2,048 cm / 255 */
    const double scale = (double)job->sheet.space->scale;
    const bw_pivot_error *e = &job->manifest.facts.error;
    double far = 0;
    for (uint32_t k = 0; k < job->order.count; k++)
        for (int i = 0; i < 3; i++)
            far = fmax(far, fabs(job->sheet.elements[k].pivot[i]) * scale);
    const double pivot = 1.7321 * fmax(far * HALF_ULP, LEAST_HALF_STEP) / scale;
    if (e->wrong_parent_count || e->pivot_max > pivot || e->axis_max_deg > AXIS_DEG || e->extent_max > EXTENT_M)
        return bwi_fail(
            error, BW_ERR_INTERNAL, job->manifest_file, -1,
            "the files read otherwise than they were meant: %u wrong parents, pivots %g m, axes %g degrees, "
            "extents %g m off; please report this",
            e->wrong_parent_count, e->pivot_max, e->axis_max_deg, e->extent_max);
    return BW_OK;
}

static bw_result prove(bwi_pivot_job *job, bw_error *error) {
    bwi_arena *arena = bwi_arena_create(&job->call.mem);
    bwi_warnings findings;
    bwi_pivot_bake bake;
    bwi_warnings_init(&findings, arena);
    bw_result result = arena ? bwi_pivot_bake_read(&bake, arena, bwi_outputs_folder(job->outputs), &job->manifest,
                                                   &job->call.env, &findings, error)
                             : bwi_fail_memory(error, NULL, &job->call.mem, 0);
    if (result == BW_OK && findings.lost)
        result = bwi_fail_memory(error, NULL, &job->call.mem, 0);
    if (result == BW_OK && findings.count)
        result = bwi_fail(error, BW_ERR_INTERNAL, job->manifest_file, -1, "%s (%s); please report this",
                          findings.data[0].message, findings.data[0].first);
    if (result == BW_OK)
        result =
            bwi_metric_pivot(&job->manifest.facts.error, job->plan, job->sheet.elements, &bake, &job->call.mem, error);
    bwi_arena_free(arena);
    return result == BW_OK ? check_error(job, error) : result;
}

bw_result bwi_pivot_write_files(bwi_pivot_job *job, bw_error *error) {
    bw_result result = fill_manifest(job, error);
    if (result == BW_OK)
        result = write_textures(job, error);
    if (result == BW_OK)
        result = write_meshes(job, error);
    if (result == BW_OK)
        result = prove(job, error);
    return result == BW_OK ? write_manifest(job, error) : result;
}
