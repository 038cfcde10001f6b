/* SPDX-License-Identifier: MIT
 * Evaluates every clip of a scene file at nine times, for comparison with other evaluators.
 *
 * usage: evaluate SCENE OUT
 * OUT.json: {"vertex_count", "influence_count": most of any vertex, "parts": [{"node", "primitive", "instance" or null, "first", "count"}],
 * "clips": [{"name", "times": […]}]};
 * one clip without a name, at time 0, for a scene without clips.  OUT.src: [vertex_count] uint32, the primitive's vertex each is.
 * OUT.pos: [all times of all clips][vertex_count][3] float32, world space.  Native byte order.  Ends with the result's status. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "sample/sample.h"

enum { TIMES = 9 };

/* Both ends, and places that fall on no usual frame; TIMES / 2 is replaced by a key. */
static const double places[TIMES] = {0, 0.0731, 0.2113, 0.3819, 0.5, 0.6180, 0.7707, 0.9337, 1};

static double time_of(const bw_clip *clip, int place) {
    const bw_channel *channel = &clip->channels.data[clip->channels.count / 2];
    if (place == TIMES / 2) {
        return (double)channel->times_s[channel->key_count / 2];
    }
    return (double)clip->start_s + places[place] * ((double)clip->end_s - (double)clip->start_s);
}

static FILE *open_output(const char *stem, const char *kind) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%s", stem, kind);
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
    }
    return file;
}

/* Most influences of any vertex, padding included. */
static uint32_t influences_of(const bwi_vertex_list *list) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < list->part_count; i++) {
        const bw_mesh *mesh = &list->scene->meshes.data[list->parts[i].mesh];
        uint32_t count = mesh->primitives.data[list->parts[i].primitive].influence_count;
        most = count > most ? count : most;
    }
    return most;
}

static void write_parts(bwi_json_writer *w, const bwi_vertex_list *list) {
    bwi_json_key(w, "parts");
    bwi_json_begin_array(w);
    for (uint32_t i = 0; i < list->part_count; i++) {
        const bwi_part *part = &list->parts[i];
        bwi_json_begin_object(w);
        bwi_json_key_uint(w, "node", part->node);
        bwi_json_key_uint(w, "primitive", part->primitive);
        bwi_json_key(w, "instance");
        if (part->instance == BW_NO_INDEX) {
            bwi_json_raw(w, "null");
        } else {
            bwi_json_uint(w, part->instance);
        }
        bwi_json_key_uint(w, "first", part->first_vertex);
        bwi_json_key_uint(w, "count", part->vertex_count);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static bool write_all(const char *stem, const bwi_vertex_list *list, bwi_sampler *sampler, bwi_mem *mem) {
    FILE *json = open_output(stem, "json"), *sources = open_output(stem, "src"), *positions = open_output(stem, "pos");
    float *frame = bwi_alloc(mem, list->vertex_count, 3 * sizeof *frame);
    float *normals = bwi_alloc(mem, list->vertex_count, 3 * sizeof *normals);
    if (json == NULL || sources == NULL || positions == NULL || frame == NULL || normals == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < list->part_count; i++) {
        fwrite(list->parts[i].source_vertices, sizeof(uint32_t), list->parts[i].vertex_count, sources);
    }
    bwi_json_writer *w = bwi_json_writer_create(mem, json, 0);
    bwi_json_begin_object(w);
    bwi_json_key_uint(w, "vertex_count", list->vertex_count);
    bwi_json_key_uint(w, "influence_count", influences_of(list));
    write_parts(w, list);
    bwi_json_key(w, "clips");
    bwi_json_begin_array(w);
    size_t clip_count = list->scene->clips.count;
    for (size_t c = 0; c < (clip_count > 0 ? clip_count : 1); c++) {
        const bw_clip *clip = clip_count > 0 ? &list->scene->clips.data[c] : NULL;
        bwi_clip_mix mix = {&clip, clip != NULL ? 1 : 0};
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "name", clip != NULL ? clip->name : NULL);
        bwi_json_key(w, "times");
        bwi_json_begin_array(w);
        for (int t = 0; t < (clip != NULL ? TIMES : 1); t++) {
            double time_s = clip != NULL ? time_of(clip, t) : 0;
            bwi_json_double(w, time_s);
            bwi_sampler_evaluate(sampler, &mix, time_s, frame, normals, NULL);
            fwrite(frame, 3 * sizeof *frame, list->vertex_count, positions);
        }
        bwi_json_end_array(w);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    bwi_json_end_object(w);
    bool ok = bwi_json_writer_end(w, NULL, NULL);
    bwi_free(mem, frame);
    bwi_free(mem, normals);
    ok = fclose(json) == 0 && ok;
    ok = fclose(sources) == 0 && ok;
    return fclose(positions) == 0 && ok;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fputs("usage: evaluate SCENE OUT\n", stderr);
        return 2;
    }
    bw_error error;
    bw_scene *scene = NULL;
    bw_result result = bw_scene_load(&scene, argv[1], NULL, &error);
    if (result != BW_OK) {
        fprintf(stderr, "%s\n", error.message);
        return bw_result_exit_status(result);
    }
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    bwi_arena *arena = bwi_arena_create(&mem);
    bwi_env env = {&mem, 1, NULL};
    bwi_vertex_list *list = NULL;
    bwi_sampler *sampler = NULL;
    result = bwi_vertex_list_build(&list, arena, scene, NULL, &env, NULL, &error);
    if (result == BW_OK) {
        result = bwi_sampler_create(&sampler, list, &mem, &error);
    }
    if (result != BW_OK) {
        fprintf(stderr, "%s\n", error.message);
    } else if (!write_all(argv[2], list, sampler, &mem)) {
        result = BW_ERR_FILE_WRITE;
    }
    bwi_sampler_free(sampler);
    bwi_arena_free(arena);
    bw_free_scene(scene);
    return bw_result_exit_status(result);
}
