/* SPDX-License-Identifier: MIT
 * Grooms as USD text: BasisCurves with the primvars that Unreal's importer reads as a groom; right-handed, Z up, centimetres.
 * Source: https://openusd.org/release/api/class_usd_geom_basis_curves.html; docs/GROOM.md. */
#include <stdarg.h>
#include <string.h>

#include "base/json.h"
#include "model/hair.h"
#include "write/write_priv.h"

typedef struct usd_writer {
    FILE *file;
    const char *path;
    const bw_groom *groom;
    bw_error *error;
    bool failed;
} usd_writer;

static void say(usd_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(usd_writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (vfprintf(w->file, format, args) < 0)
        w->failed = true;
    va_end(args);
}

static void say_float(usd_writer *w, float value) {
    char text[32];
    (void)bwi_format_float(text, value);
    say(w, "%s", text);
}

/* [a, b] or [(a, b), (c, d)]. */
static void say_floats(usd_writer *w, const float *values, size_t count, uint32_t width, bool flips_y) {
    say(w, "[");
    for (size_t i = 0; i < count; i++) {
        say(w, i ? ", " : "");
        say(w, width > 1 ? "(" : "");
        for (uint32_t c = 0; c < width; c++) {
            say(w, c ? ", " : "");
            say_float(w, flips_y && c == 1 ? -values[width * i + c] : values[width * i + c]);
        }
        say(w, width > 1 ? ")" : "");
    }
    say(w, "]");
}

static void say_ints(usd_writer *w, const char *type, const char *name, const char *interpolation,
                     const int32_t *values, size_t count, uint32_t width) {
    say(w, "        %s primvars:%s = [", type, name);
    for (size_t i = 0; i < count; i++) {
        say(w, i ? ", " : "");
        say(w, width > 1 ? "(" : "");
        for (uint32_t c = 0; c < width; c++)
            say(w, "%s%d", c ? ", " : "", values[width * i + c]);
        say(w, width > 1 ? ")" : "");
    }
    say(w, "] (\n            interpolation = \"%s\"\n        )\n", interpolation);
}

static void say_primvar(usd_writer *w, const char *type, const char *name, const char *interpolation,
                        const float *values, size_t count, uint32_t width) {
    if (!values)
        return;
    say(w, "        %s primvars:%s = ", type, name);
    say_floats(w, values, count, width, false);
    say(w, " (\n            interpolation = \"%s\"\n        )\n", interpolation);
}

/* Text in quotes; what would end it or the line is escaped. */
static void say_text(usd_writer *w, const char *text) {
    say(w, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            say(w, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7F)
            say(w, "\\x%02x", *c);
        else
            say(w, "%c", *c);
    }
    say(w, "\"");
}

/* One text a strand: that of its group. */
static void say_group_texts(usd_writer *w, const char *name, bool cards) {
    const bw_groom *groom = w->groom;
    say(w, "        string[] primvars:%s = [", name);
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        const bw_groom_group *group = &groom->groups.data[groom->group_of ? groom->group_of[s] : 0];
        const char *text = cards ? group->cards_id : group->name;
        say(w, s ? ", " : "");
        say_text(w, text ? text : "");
    }
    say(w, "] (\n            interpolation = \"uniform\"\n        )\n");
}

static void say_strand_values(usd_writer *w) {
    const bw_groom *groom = w->groom;
    const size_t strands = groom->strand_count;
    say(w, "        int[] primvars:groom_group_id = [");
    for (uint32_t s = 0; s < strands; s++)
        say(w, "%s%u", s ? ", " : "", groom->group_of ? groom->group_of[s] : 0);
    say(w, "] (\n            interpolation = \"uniform\"\n        )\n");
    say_group_texts(w, "groom_group_name", false);
    if (bwi_groom_has_cards(groom))
        say_group_texts(w, "groom_group_cards_id", true);
    if (groom->guides) {
        say(w, "        int[] primvars:groom_guide = [");
        for (uint32_t s = 0; s < strands; s++)
            say(w, "%s%d", s ? ", " : "", groom->guides[s]);
        say(w, "] (\n            interpolation = \"uniform\"\n        )\n");
    }
    if (groom->ids)
        say_ints(w, "int[]", "groom_id", "uniform", groom->ids, strands, 1);
    say_primvar(w, "texCoord2f[]", "groom_root_uv", "uniform", groom->root_uvs, strands, 2);
    if (groom->closest_guides)
        say_ints(w, "int3[]", "groom_closest_guides", "uniform", groom->closest_guides, strands, 3);
    say_primvar(w, "float3[]", "groom_guide_weights", "uniform", groom->guide_weights, strands, 3);
}

static bw_result say_points(usd_writer *w, const bwi_env *env) {
    const bw_groom *groom = w->groom;
    const bw_cache *cache = groom->animation;
    say(w, "        point3f[] points = ");
    say_floats(w, groom->positions, groom->point_count, 3, true);
    say(w, "\n");
    if (!cache || cache->sample_count < 2)
        return BW_OK;
    float *positions = bwi_alloc(env->mem, groom->point_count, 3 * sizeof *positions);
    if (!positions)
        return bwi_fail_memory(w->error, w->path, env->mem, (size_t)groom->point_count * 12);
    say(w, "        point3f[] points.timeSamples = {\n");
    bw_result result = BW_OK;
    for (uint32_t k = 0; result == BW_OK && k < cache->sample_count; k++) {
        result = cache->read(cache->ctx, k, positions, w->error);
        if (result != BW_OK)
            break;
        char text[32];
        (void)bwi_format_double(text, cache->times_s[k]);
        say(w, "            %s: ", text);
        say_floats(w, positions, groom->point_count, 3, true);
        say(w, ",\n");
        if (!bwi_progress_step(env->progress, 0))
            result = bwi_fail_cancelled(w->error);
    }
    say(w, "        }\n");
    bwi_free(env->mem, positions);
    return result;
}

static bw_result say_curves(usd_writer *w, const bwi_env *env) {
    const bw_groom *groom = w->groom;
    say(w, "    def BasisCurves \"strands\"\n    {\n        uniform token type = \"linear\"\n        uniform token "
           "wrap = \"nonperiodic\"\n");
    say(w, "        int[] curveVertexCounts = [");
    for (uint32_t s = 0; s < groom->strand_count; s++)
        say(w, "%s%u", s ? ", " : "", groom->first_points[s + 1] - groom->first_points[s]);
    say(w, "]\n");
    bw_result result = say_points(w, env);
    if (groom->widths) {
        say(w, "        float[] widths = ");
        say_floats(w, groom->widths, groom->point_count, 1, false);
        say(w, " (\n            interpolation = \"vertex\"\n        )\n");
    }
    say_strand_values(w);
    say_primvar(w, "color3f[]", "groom_color", "vertex", groom->colors, groom->point_count, 3);
    say_primvar(w, "float[]", "groom_roughness", "vertex", groom->roughness, groom->point_count, 1);
    say_primvar(w, "float[]", "groom_ao", "vertex", groom->ao, groom->point_count, 1);
    if (groom->clump_ids)
        say_ints(w, groom->clump_width == 3 ? "int3[]" : "int[]", "groom_clumpid", "uniform", groom->clump_ids,
                 groom->strand_count, groom->clump_width);
    say(w, "    }\n");
    return result;
}

bw_result bwi_write_groom_usda(FILE *file, const char *path, const bw_groom *groom, const char *name,
                               bw_groom_engine engine, const bwi_env *env, bwi_warnings *warnings, bw_error *error) {
    (void)name; /* prims take letters, digits and _ alone: their own names never change */
    (void)engine;
    (void)warnings;
    usd_writer w = {.file = file, .path = path, .groom = groom, .error = error};
    say(&w, "#usda 1.0\n(\n    defaultPrim = \"groom\"\n    metersPerUnit = 0.01\n    upAxis = \"Z\"\n    "
            "timeCodesPerSecond = 1\n)\n\n");
    say(&w, "def Xform \"groom\" (\n    prepend apiSchemas = [\"GroomAPI\"]\n)\n{\n");
    bw_result result = say_curves(&w, env);
    say(&w, "}\n");
    if (result == BW_OK && (w.failed || ferror(file)))
        result = bwi_fail(error, BW_ERR_FILE_WRITE, path, -1,
                          "could not be written whole; free some space or choose another folder");
    return result;
}
