/* SPDX-License-Identifier: MIT
 * The documents that --json prints. */
#include <stdlib.h>
#include <string.h>

#include "bakewell/info.h"
#include "api/api_priv.h"
#include "base/json.h"
#include "model/manifest.h"

bool bwi_document_begin(bwi_document *doc, const char *schema) {
    bwi_mem_init(&doc->mem, 0);
    doc->w = bwi_json_writer_create(&doc->mem, NULL, 0);
    if (doc->w) {
        bwi_json_begin_object(doc->w);
        bwi_json_key_string(doc->w, "schema", schema);
    }
    return doc->w != NULL;
}

char *bwi_text_of(bwi_json_writer *w, bwi_mem *mem) {
    char *text = NULL;
    size_t size = 0;
    bool whole = bwi_json_writer_end(w, &text, &size);
    char *copy = whole ? malloc(size + 1) : NULL;
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = 0;
    }
    bwi_free(mem, text);
    return copy;
}

char *bwi_document_end(bwi_document *doc) {
    bwi_json_end_object(doc->w);
    return bwi_text_of(doc->w, &doc->mem);
}

void bw_free_text(char *text) {
    free(text);
}

void bwi_document_warnings(bwi_json_writer *w, const char *key, bw_warning_list list) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (size_t i = 0; i < list.count; i++) {
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "code", list.data[i].code);
        bwi_json_key_string(w, "message", list.data[i].message);
        bwi_json_key_uint(w, "count", list.data[i].count);
        bwi_json_key_string(w, "first", list.data[i].first);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

void bwi_document_failure(bwi_json_writer *w, const bw_error *error) {
    bwi_json_key(w, "failure");
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "code", bw_result_name(error->result));
    bwi_json_key_string(w, "message", error->message);
    bwi_json_key_string(w, "path", error->path[0] ? error->path : NULL);
    bwi_json_key(w, "offset");
    if (error->offset >= 0) {
        bwi_json_int(w, error->offset);
    } else {
        bwi_json_raw(w, "null");
    }
    bwi_json_end_object(w);
}

void bwi_document_status(bwi_json_writer *w, const char *command, const bw_error *error) {
    bwi_json_key_string(w, "command", command);
    bwi_json_key_uint(w, "status", (uint64_t)bw_result_exit_status(error ? error->result : BW_OK));
}

static void write_error_report(bwi_json_writer *w, const bw_error_report *report) {
    bwi_json_key(w, "error");
    bwi_error_report_write(w, report);
}

/* Only where there are levels. */
static void write_levels(bwi_json_writer *w, const bw_baked_level *levels, size_t count) {
    if (!count) {
        return;
    }
    bwi_json_key(w, "lods");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "file", levels[i].file);
        bwi_json_key_uint(w, "vertices", levels[i].vertex_count);
        bwi_json_key(w, "error");
        if (levels[i].frames.count) {
            bwi_level_error_write(w, levels[i].rest_max, levels[i].rest_rms, &levels[i].frames);
        } else {
            bwi_json_raw(w, "null");
        }
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_clips(bwi_json_writer *w, const bw_baked_clip *clips, size_t count) {
    bwi_json_key(w, "clips");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "name", clips[i].name);
        bwi_json_key_uint(w, "first_frame", clips[i].first_frame);
        bwi_json_key_uint(w, "frame_count", clips[i].frame_count);
        bwi_json_key_double(w, "rate", clips[i].rate_fps);
        bwi_json_key_double(w, "duration_s", clips[i].duration_s);
        bwi_json_key_bool(w, "loop", clips[i].loop);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_measured(bwi_json_writer *w, const char *key, bool measured, double max, double relative) {
    bwi_json_key(w, key);
    if (!measured) {
        bwi_json_raw(w, "null");
        return;
    }
    bwi_json_begin_object(w);
    bwi_json_key_double(w, "max", max);
    bwi_json_key_double(w, "max_relative", relative);
    bwi_json_end_object(w);
}

static void write_candidates(bwi_json_writer *w, const bw_vat_report *report) {
    bwi_json_key_string(w, "why", report->why);
    bwi_json_key(w, "candidates");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < report->candidates.count; i++) {
        const bw_vat_candidate *row = &report->candidates.data[i];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "mode", row->mode);
        bwi_json_key_string(w, "format", row->format);
        bwi_json_key_uint(w, "rate_divisor", row->rate_divisor);
        bwi_json_key(w, "bytes");
        if (row->bytes) {
            bwi_json_uint(w, row->bytes);
        } else {
            bwi_json_raw(w, "null");
        }
        write_measured(w, "stored", row->measured, row->stored_max, row->stored_relative);
        write_measured(w, "between", row->measured, row->between_max, row->between_relative);
        bwi_json_key_bool(w, "fits", row->fits);
        bwi_json_key_bool(w, "chosen", row->chosen);
        bwi_json_key_string(w, "note", row->note);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_bones(bwi_json_writer *w, const bw_vat_report *report) {
    bwi_json_key(w, "bones");
    if (!report->bone_count) {
        bwi_json_raw(w, "null");
        return;
    }
    bwi_json_begin_object(w);
    bwi_json_key_uint(w, "count", report->bone_count);
    bwi_json_key_string(w, "decode", report->matrices ? "matrix+pivot" : "pivot+quaternion");
    bwi_json_key_string(w, "skin_in", report->skin_in);
    if (!report->up_to_date) {
        bwi_json_key_double(w, "shear", report->shear);
        bwi_json_key_double(w, "shear_relative", report->shear_relative);
        bwi_json_key_double(w, "dropped", report->dropped);
    }
    bwi_json_end_object(w);
}

void bwi_document_outputs(bwi_json_writer *w, const bw_output_file *outputs, size_t count) {
    bwi_json_key(w, "outputs");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "path", outputs[i].path);
        bwi_json_key_string(w, "role", outputs[i].role);
        bwi_json_key_uint(w, "bytes", outputs[i].bytes);
        bwi_json_key_bool(w, "changed", outputs[i].changed);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

char *bw_vat_report_json(const bw_vat_report *report, const bw_error *error, double seconds) {
    bwi_document doc;
    if (!bwi_document_begin(&doc, "bakewell/result/1")) {
        return NULL;
    }
    bwi_json_writer *w = doc.w;
    bwi_document_status(w, "vat", error);
    bwi_json_key_string(w, "manifest", report->manifest);
    bwi_json_key_bool(w, "up_to_date", report->up_to_date);
    bwi_json_key_bool(w, "dry_run", report->dry_run);
    bwi_json_key_string(w, "mode", report->mode);
    write_candidates(w, report);
    write_bones(w, report);
    bwi_document_outputs(w, report->outputs.data, report->outputs.count);
    bwi_json_key_uint(w, "vertices", report->vertex_count);
    bwi_json_key_uint(w, "frames", report->frame_count);
    write_clips(w, report->clips.data, report->clips.count);
    bwi_json_key(w, "texture");
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "format", report->format);
    bwi_json_key_uint(w, "width", report->width);
    bwi_json_key_uint(w, "height", report->height);
    bwi_json_key_uint(w, "pages", report->page_count);
    bwi_json_key_uint(w, "bytes", report->texture_bytes);
    bwi_json_end_object(w);
    bwi_json_key_string(w, "root", report->root_node);
    bwi_document_warnings(w, "warnings", report->warnings);
    bwi_json_key_double(w, "seconds", seconds);
    write_error_report(w, &report->error);
    write_levels(w, report->levels.data, report->levels.count);
    if (error) {
        bwi_document_failure(w, error);
    }
    return bwi_document_end(&doc);
}

char *bw_verify_report_json(const bw_verify_report *report, const char *manifest, const bw_error *error,
                            double seconds) {
    bwi_document doc;
    if (!bwi_document_begin(&doc, "bakewell/result/1")) {
        return NULL;
    }
    bwi_json_writer *w = doc.w;
    bwi_document_status(w, "verify", error);
    bwi_json_key_string(w, "manifest", manifest);
    if (report->family) {
        bwi_json_key_string(w, "family", report->family);
        bwi_json_key_uint(w, "vertices", report->vertex_count);
    }
    const bool of_frames = report->mode != NULL;
    if (of_frames) {
        bwi_json_key_string(w, "mode", report->mode);
        bwi_json_key_string(w, "layout", report->layout);
        bwi_json_key_uint(w, "frames", report->frame_count);
        write_clips(w, report->clips.data, report->clips.count);
    } else if (report->family) {
        bwi_document_pivot(w, &report->pivot, report->compared);
    }
    bwi_document_warnings(w, "findings", report->findings);
    bwi_json_key_bool(w, "compared", report->compared);
    bwi_document_warnings(w, "warnings", report->warnings);
    bwi_json_key_double(w, "seconds", seconds);
    if (report->compared && of_frames) {
        write_error_report(w, &report->error);
    }
    write_levels(w, report->levels.data, report->levels.count);
    if (error) {
        bwi_document_failure(w, error);
    }
    return bwi_document_end(&doc);
}

char *bw_failure_json(const char *command, const bw_error *error) {
    bwi_document doc;
    if (!bwi_document_begin(&doc, "bakewell/result/1")) {
        return NULL;
    }
    bwi_document_status(doc.w, command, error);
    bwi_document_failure(doc.w, error);
    return bwi_document_end(&doc);
}

char *bw_results_json(const char *command, int status, const char *const *documents, size_t count) {
    bwi_document doc;
    if (!bwi_document_begin(&doc, "bakewell/result/1")) {
        return NULL;
    }
    bwi_json_key_string(doc.w, "command", command);
    bwi_json_key_uint(doc.w, "status", (uint64_t)status);
    bwi_json_key(doc.w, "results");
    bwi_json_begin_array(doc.w);
    for (size_t i = 0; i < count; i++) {
        size_t size = strcspn(documents[i], "\n");
        char *line = bwi_alloc(&doc.mem, size + 1, 1);
        if (line) {
            memcpy(line, documents[i], size);
        }
        bwi_json_raw(doc.w, line ? line : "null");
        bwi_free(&doc.mem, line);
    }
    bwi_json_end_array(doc.w);
    return bwi_document_end(&doc);
}

static void write_meshes(bwi_json_writer *w, const bw_scene_info *info) {
    bwi_json_key(w, "meshes");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < info->meshes.count; i++) {
        const bw_mesh_info *mesh = &info->meshes.data[i];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "name", mesh->name);
        bwi_json_key_uint(w, "vertices", mesh->vertex_count);
        bwi_json_key_uint(w, "triangles", mesh->triangle_count);
        bwi_json_key_uint(w, "primitives", mesh->primitive_count);
        bwi_json_key_uint(w, "nodes", mesh->node_count);
        bwi_json_key_uint(w, "joints", mesh->joint_count);
        bwi_json_key_uint(w, "influences", mesh->influence_count);
        bwi_json_key_uint(w, "morph_targets", mesh->target_count);
        bwi_json_key_uint(w, "uv_sets", mesh->uv_set_count);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_clip_infos(bwi_json_writer *w, const bw_scene_info *info) {
    bwi_json_key(w, "clips");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < info->clips.count; i++) {
        const bw_clip_info *clip = &info->clips.data[i];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "name", clip->name);
        bwi_json_key_double(w, "start_s", clip->start_s);
        bwi_json_key_double(w, "end_s", clip->end_s);
        bwi_json_key(w, "rate");
        if (clip->rate_fps > 0.0) {
            bwi_json_double(w, clip->rate_fps);
        } else {
            bwi_json_raw(w, "null");
        }
        bwi_json_key_uint(w, "channels", clip->channel_count);
        bwi_json_key_uint(w, "linear", clip->linear_count);
        bwi_json_key_uint(w, "step", clip->step_count);
        bwi_json_key_uint(w, "cubicspline", clip->cubic_count);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

char *bw_scene_info_json(const bw_scene_info *info) {
    bwi_document doc;
    if (!bwi_document_begin(&doc, "bakewell/info/1")) {
        return NULL;
    }
    bwi_json_writer *w = doc.w;
    bwi_json_key_string(w, "path", info->path);
    bwi_json_key_string(w, "format", info->format);
    bwi_json_key_string(w, "generator", info->generator);
    bwi_json_key_uint(w, "nodes", info->node_count);
    bwi_json_key_uint(w, "hidden_nodes", info->hidden_node_count);
    bwi_json_key_uint(w, "skins", info->skin_count);
    bwi_json_key_uint(w, "materials", info->material_count);
    bwi_json_key_uint(w, "textures", info->texture_count);
    bwi_json_key_uint(w, "images", info->image_count);
    write_meshes(w, info);
    write_clip_infos(w, info);
    bwi_json_key(w, "attachments");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < info->attachments.count; i++) {
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "node", info->attachments.data[i].node);
        bwi_json_key_string(w, "mesh", info->attachments.data[i].mesh);
        bwi_json_key_string(w, "joint", info->attachments.data[i].joint);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    bwi_json_key(w, "curves");
    bwi_json_begin_array(w); /* no reader brings curves yet */
    bwi_json_end_array(w);
    bwi_document_warnings(w, "warnings", info->warnings);
    return bwi_document_end(&doc);
}

static void write_textures(bwi_json_writer *w, const bw_bake_info *info) {
    bwi_json_key(w, "textures");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < info->textures.count; i++) {
        const bw_texture_info *texture = &info->textures.data[i];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "file", texture->file);
        bwi_json_key_string(w, "role", texture->role);
        bwi_json_key_uint(w, "page", texture->page);
        bwi_json_key_uint(w, "width", texture->width);
        bwi_json_key_uint(w, "height", texture->height);
        bwi_json_key_string(w, "format", texture->format);
        bwi_json_key_string(w, "decode", texture->decode);
        bwi_json_key_uint(w, "bytes", texture->bytes);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_names(bwi_json_writer *w, const char *key, bw_string_list names) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (size_t i = 0; i < names.count; i++) {
        bwi_json_string(w, names.data[i]);
    }
    bwi_json_end_array(w);
}

char *bw_bake_info_json(const bw_bake_info *info) {
    bwi_document doc;
    if (!bwi_document_begin(&doc, "bakewell/info/1")) {
        return NULL;
    }
    bwi_json_writer *w = doc.w;
    bwi_json_key_string(w, "path", info->path);
    bwi_json_key_string(w, "format", "bake");
    bwi_json_key_string(w, "generator", info->generator);
    bwi_json_key_string(w, "family", info->family);
    if (info->mode) {
        bwi_json_key_string(w, "mode", info->mode);
        bwi_json_key_string(w, "layout", info->layout);
        bwi_json_key_string(w, "texture_format", info->format);
    } else {
        bwi_document_pivot(w, &info->pivot, true);
    }
    bwi_json_key_string(w, "engine", info->engine);
    bwi_json_key(w, "space");
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "up", info->up);
    bwi_json_key_string(w, "handedness", info->handedness);
    bwi_json_key_string(w, "unit", info->unit);
    bwi_json_end_object(w);
    bwi_json_key(w, "mesh");
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "file", info->mesh);
    bwi_json_key_uint(w, "bytes", info->mesh_bytes);
    bwi_json_key_uint(w, "vertices", info->vertex_count);
    bwi_json_key(w, "uv_set");
    if (info->uv_set == BW_NO_INDEX) {
        bwi_json_raw(w, "null");
    } else {
        bwi_json_uint(w, info->uv_set);
    }
    bwi_json_end_object(w);
    write_textures(w, info);
    bwi_json_key_uint(w, "texture_bytes", info->texture_bytes);
    if (info->mode) {
        write_names(w, "bones", info->bones);
        bwi_json_key_string(w, "skin_in", info->skin_in);
        bwi_json_key_uint(w, "influences", info->influence_count);
        bwi_json_key_uint(w, "frames", info->frame_count);
        write_clips(w, info->clips.data, info->clips.count);
        bwi_json_key_string(w, "root", info->root_node);
    }
    write_names(w, "sources", info->sources);
    if (info->has_error) {
        write_error_report(w, &info->error);
    }
    write_levels(w, info->levels.data, info->levels.count);
    return bwi_document_end(&doc);
}

void bwi_document_vector(bwi_json_writer *w, const char *key, const float v[3]) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (int c = 0; c < 3; c++)
        bwi_json_float(w, v[c]);
    bwi_json_end_array(w);
}

char *bw_image_info_json(const bw_image_info *info) {
    static const char *const KINDS[] = {"image", "pivot-position", "pivot-axis"};
    bwi_document doc;
    if (!bwi_document_begin(&doc, "bakewell/info/1")) {
        return NULL;
    }
    bwi_json_writer *w = doc.w;
    bwi_json_key_string(w, "path", info->path);
    bwi_json_key_string(w, "format", "image");
    bwi_json_key_string(w, "container", info->format);
    bwi_json_key_string(w, "kind", KINDS[info->kind]);
    bwi_json_key_uint(w, "width", info->width);
    bwi_json_key_uint(w, "height", info->height);
    bwi_json_key_string(w, "texels", info->texels);
    if (info->kind == BW_IMAGE_PIVOT_POSITION) {
        bwi_json_key_uint(w, "elements", info->element_count);
        bwi_json_key_uint(w, "padding", info->padding_count);
        bwi_json_key_uint(w, "roots", info->root_count);
        bwi_json_key_uint(w, "max_depth", info->max_depth);
        bwi_json_key(w, "depths");
        bwi_json_begin_array(w);
        for (uint32_t i = 0; i < BW_IMAGE_DEPTHS && i <= info->max_depth; i++)
            bwi_json_uint(w, info->depth_counts[i]);
        bwi_json_end_array(w);
        bwi_json_key_string(w, "packing", info->packing);
        bwi_json_key(w, "pivots");
        bwi_json_begin_object(w);
        bwi_document_vector(w, "min", info->least);
        bwi_document_vector(w, "max", info->most);
        bwi_json_end_object(w);
    }
    if (info->kind == BW_IMAGE_PIVOT_AXIS) {
        bwi_json_key(w, "extent_cm");
        bwi_json_begin_array(w);
        bwi_json_double(w, info->extent_least_cm);
        bwi_json_double(w, info->extent_most_cm);
        bwi_json_end_array(w);
    }
    bwi_document_warnings(w, "findings", info->findings);
    return bwi_document_end(&doc);
}
