/* SPDX-License-Identifier: MIT
 * Documents of --json about Pivot Painter 2 bakes. */
#include "api/api_priv.h"
#include "bakewell/info.h"
#include "model/pivot_manifest.h"

void bwi_document_pivot(bwi_json_writer *w, const bw_pivot_facts *facts, bool with_error) {
    bwi_pivot_facts_write(w, facts);
    if (with_error) {
        bwi_json_key(w, "error");
        bwi_pivot_error_write(w, &facts->error);
    }
}

static void write_guesses(bwi_json_writer *w, const bw_pivot_report *report) {
    bwi_json_key(w, "guesses");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < report->guesses.count; i++) {
        const bw_pivot_guess *guess = &report->guesses.data[i];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "element", guess->element);
        bwi_json_key_string(w, "parent", guess->parent);
        bwi_json_key_string(w, "found", guess->found);
        bwi_json_key_double(w, "confidence", guess->confidence);
        bwi_json_key_double(w, "distance", guess->distance);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

char *bw_pivot_report_json(const bw_pivot_report *report, double seconds) {
    bwi_document doc;
    if (!bwi_document_begin(&doc, "bakewell/result/1"))
        return NULL;
    bwi_json_writer *w = doc.w;
    bwi_document_status(w, "pivot", NULL);
    bwi_json_key_string(w, "manifest", report->manifest);
    bwi_json_key_bool(w, "up_to_date", report->up_to_date);
    bwi_json_key_string(w, "engine", report->engine);
    bwi_document_outputs(w, report->outputs.data, report->outputs.count);
    bwi_json_key_uint(w, "vertices", report->vertex_count);
    bwi_json_key(w, "texture");
    bwi_json_begin_object(w);
    bwi_json_key_uint(w, "width", report->width);
    bwi_json_key_uint(w, "height", report->height);
    bwi_json_key_uint(w, "uv_set", report->uv_set);
    bwi_json_end_object(w);
    bwi_document_pivot(w, &report->facts, true);
    write_guesses(w, report);
    bwi_document_warnings(w, "warnings", report->warnings);
    bwi_json_key_double(w, "seconds", seconds);
    return bwi_document_end(&doc);
}
