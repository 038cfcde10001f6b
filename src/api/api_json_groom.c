/* SPDX-License-Identifier: MIT
 * The document of a groom, "bakewell/groom/1". */
#include "api/api_priv.h"
#include "bakewell/info.h"

static void write_numbers(bwi_json_writer *w, const char *key, const bw_groom_numbers *numbers) {
    bwi_json_key(w, key);
    bwi_json_begin_object(w);
    bwi_json_key_double(w, "min", numbers->min);
    bwi_json_key_double(w, "median", numbers->median);
    bwi_json_key_double(w, "max", numbers->max);
    bwi_json_end_object(w);
}

static void write_groups(bwi_json_writer *w, const bw_groom_report *report) {
    bwi_json_key(w, "groups");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < report->groups.count; i++) {
        const bw_groom_group_report *group = &report->groups.data[i];
        bwi_json_begin_object(w);
        bwi_json_key(w, "id");
        bwi_json_int(w, group->id);
        bwi_json_key_string(w, "name", group->name);
        bwi_json_key_uint(w, "strands", group->strands);
        bwi_json_key_uint(w, "guides", group->guides);
        bwi_json_key_uint(w, "points", group->points);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_attributes(bwi_json_writer *w, const bw_groom_report *report) {
    bwi_json_key(w, "attributes");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < report->attributes.count; i++) {
        const bw_groom_attribute_report *attribute = &report->attributes.data[i];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "name", attribute->name);
        bwi_json_key_string(w, "object", attribute->object);
        bwi_json_key_string(w, "type", attribute->type);
        bwi_json_key_uint(w, "extent", attribute->extent);
        bwi_json_key_string(w, "scope", attribute->scope);
        bwi_json_key_uint(w, "count", attribute->count);
        bwi_json_key_bool(w, "used", attribute->used);
        bwi_json_key_string(w, "reason", attribute->reason);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_findings(bwi_json_writer *w, const bw_groom_report *report) {
    bwi_json_key(w, "findings");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < report->findings.count; i++) {
        const bw_groom_finding *finding = &report->findings.data[i];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "code", finding->code);
        bwi_json_key_string(w, "level", bw_groom_level_name(finding->level));
        bwi_json_key_bool(w, "doubtful", finding->doubtful);
        bwi_json_key_string(w, "place", finding->place);
        bwi_json_key_string(w, "message", finding->message);
        bwi_json_key_string(w, "fix", finding->fix);
        bwi_json_key_uint(w, "count", finding->count);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void write_repair(bwi_json_writer *w, const bw_groom_report *report) {
    bwi_document_warnings(w, "changes", report->changes);
    bwi_document_outputs(w, report->outputs.data, report->outputs.count);
    bwi_json_key_bool(w, "dry_run", report->dry_run);
    bwi_json_key(w, "written");
    bwi_json_begin_object(w);
    bwi_json_key_uint(w, "strands", report->written_strands);
    bwi_json_key_uint(w, "guides", report->written_guides);
    bwi_json_key_uint(w, "points", report->written_points);
    bwi_json_key_double(w, "shape_error_cm", report->shape_error_cm);
    if (report->follows) {
        bwi_json_key_double(w, "follow_max_cm", report->follow_max_cm);
        bwi_json_key_double(w, "follow_rms_cm", report->follow_rms_cm);
    }
    bwi_json_end_object(w);
}

char *bw_groom_report_json(const bw_groom_report *report, const bw_error *error, double seconds) {
    bwi_document doc;
    if (!bwi_document_begin(&doc, "bakewell/groom/1"))
        return NULL;
    bwi_json_writer *w = doc.w;
    bwi_document_status(w, "groom", error);
    bwi_json_key_string(w, "path", report->path);
    bwi_json_key_string(w, "format", report->format);
    bwi_json_key_string(w, "made_by", report->made_by);
    bwi_json_key_string(w, "engine", report->engine);
    bwi_json_key_bool(w, "accepted", report->accepted);
    bwi_json_key_uint(w, "strands", report->strands);
    bwi_json_key_uint(w, "guides", report->guides);
    bwi_json_key_uint(w, "points", report->points);
    bwi_json_key_uint(w, "frames", report->frames);
    write_numbers(w, "length_cm", &report->length_cm);
    write_numbers(w, "width_cm", &report->width_cm);
    bwi_json_key(w, "bounds_cm");
    bwi_json_begin_object(w);
    bwi_document_vector(w, "min", report->bounds_min);
    bwi_document_vector(w, "max", report->bounds_max);
    bwi_json_end_object(w);
    bwi_json_key_string(w, "from", report->from);
    bwi_json_key_string(w, "from_reason", report->from_reason);
    write_groups(w, report);
    write_attributes(w, report);
    write_findings(w, report);
    if (report->outputs.count)
        write_repair(w, report);
    bwi_json_key_double(w, "seconds", seconds);
    if (error)
        bwi_document_failure(w, error);
    return bwi_document_end(&doc);
}
