/* SPDX-License-Identifier: MIT
 * Prints what repair makes of the hair of files, before anything is completed, as JSON, one line a file.
 * Usage: groom_fix_dump [OPTION=VALUE]... FILE... */
#include <stdlib.h>
#include <string.h>

#include "bakewell/options.h"
#include "base/json.h"
#include "groom/groom.h"
#include "read/read.h"

static bwi_json_writer *w;

static void put_floats(const char *key, const float *values, size_t count) {
    bwi_json_key(w, key);
    if (!values) {
        bwi_json_string(w, NULL);
        return;
    }
    bwi_json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        bwi_json_float(w, values[i]);
    bwi_json_end_array(w);
}

static void put_ints(const char *key, const int32_t *values, size_t count) {
    bwi_json_key(w, key);
    if (!values) {
        bwi_json_string(w, NULL);
        return;
    }
    bwi_json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        bwi_json_int(w, values[i]);
    bwi_json_end_array(w);
}

static bw_result put_samples(const bw_groom *g, bw_error *error) {
    const bw_cache *cache = g->animation;
    bw_result result = BW_OK;
    float *points = malloc((size_t)g->point_count * 3 * sizeof *points);
    if (!points)
        return BW_ERR_MEMORY;
    bwi_json_key(w, "samples");
    bwi_json_begin_array(w);
    for (uint32_t i = 0; cache && result == BW_OK && i < cache->sample_count; i++) {
        result = cache->read(cache->ctx, i, points, error);
        bwi_json_begin_object(w);
        bwi_json_key_double(w, "time", cache->times_s[i]);
        put_floats("positions", points, (size_t)g->point_count * 3);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    free(points);
    return result;
}

static bw_result put_groom(const bw_groom *g, bw_error *error) {
    const size_t s = g->strand_count, p = g->point_count;
    bwi_json_key(w, "counts");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < s; i++)
        bwi_json_uint(w, g->first_points[i + 1] - g->first_points[i]);
    bwi_json_end_array(w);
    bwi_json_key(w, "guides");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < s; i++)
        bwi_json_uint(w, g->guides ? g->guides[i] : 0);
    bwi_json_end_array(w);
    bwi_json_key(w, "group_of");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < s; i++)
        bwi_json_uint(w, g->group_of ? g->group_of[i] : 0);
    bwi_json_end_array(w);
    bwi_json_key(w, "groups");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < g->groups.count; i++) {
        bwi_json_begin_object(w);
        bwi_json_key(w, "id");
        bwi_json_int(w, g->groups.data[i].id);
        bwi_json_key_string(w, "name", g->groups.data[i].name);
        bwi_json_key_string(w, "cards_id", g->groups.data[i].cards_id);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    put_floats("positions", g->positions, 3 * p);
    put_floats("widths", g->widths, p);
    put_floats("colors", g->colors, 3 * p);
    put_floats("roughness", g->roughness, p);
    put_floats("ao", g->ao, p);
    put_floats("root_uvs", g->root_uvs, 2 * s);
    put_floats("guide_weights", g->guide_weights, 3 * s);
    put_ints("ids", g->ids, s);
    put_ints("closest_guides", g->closest_guides, 3 * s);
    put_ints("clump_ids", g->clump_ids, g->clump_width * s);
    bwi_json_key_uint(w, "clump_width", g->clump_width);
    bwi_json_key_string(w, "tool", g->tool);
    return put_samples(g, error);
}

static void put_file(const char *path, const bw_groom_opts *opts) {
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    bwi_arena *arena = bwi_arena_create(&mem);
    const bwi_env env = {&mem, 2, NULL};
    bwi_warnings changes;
    bwi_groom_space space = {.text = "", .reason = ""};
    bwi_groom_measures measures = {0};
    bwi_hair *hair = NULL;
    bw_groom *groom = NULL;
    bw_error error = {0};
    bwi_warnings_init(&changes, arena);
    bw_result result = bwi_read_hair(&hair, path, NULL, &error);
    if (result == BW_OK)
        result = bwi_groom_space_find(&space, arena, hair, opts, &error);
    if (result == BW_OK)
        result = bwi_groom_fix(&groom, &measures, &changes, arena, hair, opts, &space, &env, &error);
    w = bwi_json_writer_create(&mem, stdout, 0);
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "path", path);
    bwi_json_key_string(w, "space", space.text);
    bwi_json_key_string(w, "reason", space.reason);
    bwi_json_key_double(w, "shape_error_cm", measures.shape_error_cm);
    bwi_json_key(w, "changes");
    bwi_json_begin_object(w);
    for (size_t i = 0; i < changes.count; i++)
        bwi_json_key_uint(w, changes.data[i].code, changes.data[i].count);
    bwi_json_end_object(w);
    if (result == BW_OK)
        result = put_groom(groom, &error);
    bwi_json_key_string(w, "failure", result == BW_OK ? NULL : error.message);
    bwi_json_end_object(w);
    if (!bwi_json_writer_end(w, NULL, NULL))
        exit(3);
    bwi_hair_free(hair);
    bwi_arena_free(arena);
}

int main(int argc, char **argv) {
    bw_groom_opts opts = {0};
    int i = 1;
    for (; i < argc && strchr(argv[i], '=') && argv[i][0] != '/'; i++) {
        char *value = strchr(argv[i], '=');
        *value++ = 0;
        const bw_option *option = bw_option_find(bw_groom_options(), argv[i]);
        bw_error error = {0};
        if (!option || bw_option_set(&opts, option, value, &error) != BW_OK) {
            fprintf(stderr, "%s: %s\n", argv[i], error.message);
            return 2;
        }
    }
    for (; i < argc; i++)
        put_file(argv[i], &opts);
    return 0;
}
