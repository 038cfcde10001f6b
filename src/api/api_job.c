/* SPDX-License-Identifier: MIT
 * Job files: read and checked against the option tables, written with every default. */
#include "bakewell/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_priv.h"
#include "base/file.h"
#include "base/json.h"
#include "model/option_json.h"

static const char SCHEMA[] = "bakewell/job/1";
static const char HELP[] = "\"bakewell vat SCENE -o DIR --print-job\" prints every option with its default";

/* A job file under way. */
typedef struct reader {
    const char *path, *folder;
    bwi_arena *arena;
    bw_error *error;
} reader;

static bw_result fail_memory(const reader *r, size_t wanted) {
    return bwi_fail_memory(r->error, r->path, bwi_arena_mem(r->arena), wanted);
}

/* Keys that are no options. */
static const char *const file_keys[] = {"$schema", "schema", "defaults", "bakes", NULL};
static const char *const bake_keys[] = {"in", "out", "events", NULL};
static const char *const event_keys[] = {"clip", "name", "time_s", NULL};
static const char *const default_keys[] = {NULL};

static bool is_among(const char *key, const char *const *keys) {
    while (*keys && strcmp(*keys, key) != 0)
        ++keys;
    return *keys != NULL;
}

static bw_result fail_unknown(const reader *r, const char *owner, const char *key, const char *const *keys,
                              bool with_options) {
    enum { MOST = 80 };
    const char *names[MOST];
    size_t count = 0;
    for (; keys[count]; ++count)
        names[count] = keys[count];
    const bw_option_list tables[] = {bw_vat_options(), bw_write_options()};
    for (size_t t = 0; with_options && t < sizeof tables / sizeof tables[0]; ++t)
        for (size_t k = 0; k < tables[t].count && count < MOST; ++k)
            names[count++] = tables[t].data[k].key;
    const char *near = bw_nearest_name(key, names, count);
    const char *dot = owner[0] ? "." : "";
    if (near)
        return bwi_fail(r->error, BW_ERR_USAGE, r->path, -1, "%s%s%.64s is no key of a job; did you mean \"%s\"?",
                        owner, dot, key, near);
    return bwi_fail(r->error, BW_ERR_USAGE, r->path, -1, "%s%s%.64s is no key of a job; %s", owner, dot, key, HELP);
}

static bw_result fail_value(const reader *r, const char *owner, const char *key, const char *expected) {
    return bwi_fail(r->error, BW_ERR_USAGE, r->path, -1, "%s%s%s is missing or not %s; %s", owner, owner[0] ? "." : "",
                    key, expected, HELP);
}

/* A path of the file, from the working folder. */
static const char *resolve(const reader *r, const char *path) {
    return path[0] == '/' || strcmp(r->folder, ".") == 0 ? bwi_arena_string(r->arena, path, SIZE_MAX)
                                                         : bwi_path_join(r->arena, r->folder, path);
}

/* Paths of a FILES option, which may hold several between commas. */
static const char *resolve_files(const reader *r, const char *text) {
    const char *whole = strcmp(text, "none") == 0 ? bwi_arena_string(r->arena, text, SIZE_MAX) : resolve(r, text);
    if (!whole || !strchr(text, ',') || bwi_path_same_file(whole, whole)) /* a name with a comma in it */
        return whole;
    const char *all = "";
    for (const char *at = text; all && at;) {
        const char *comma = strchr(at, ',');
        const char *piece = bwi_arena_string(r->arena, at, comma ? (size_t)(comma - at) : SIZE_MAX);
        piece = piece ? resolve(r, piece) : NULL;
        all = piece ? bwi_arena_printf(r->arena, "%s%s%s", all, at == text ? "" : ",", piece) : NULL;
        at = comma ? comma + 1 : NULL;
    }
    return all;
}

static bw_result resolve_option(const reader *r, void *opts, const bw_option *option) {
    if (option->kind != BW_OPTION_STRINGS || strcmp(option->metavar, "FILES") != 0)
        return BW_OK;
    bw_string_list *list = (bw_string_list *)(void *)((char *)opts + option->offset);
    const char **paths = bwi_arena_alloc(r->arena, list->count, sizeof *paths);
    for (size_t k = 0; paths && k < list->count; ++k) {
        paths[k] = resolve_files(r, list->data[k]);
        if (!paths[k])
            return fail_memory(r, strlen(list->data[k]));
    }
    list->data = paths;
    return paths ? BW_OK : fail_memory(r, list->count * sizeof *paths);
}

/* The options of an object; `keys` are those that are none. */
static bw_result read_options(const reader *r, bw_vat_opts *opts, const json_t *object, const char *owner,
                              const char *const *keys) {
    const bwi_option_place place = {r->path, owner, HELP, BW_ERR_USAGE};
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        const bw_option *vat = bw_option_find(bw_vat_options(), key);
        const bw_option *write = bw_option_find(bw_write_options(), key);
        const bw_option *option = vat ? vat : write;
        if (is_among(key, keys))
            continue;
        if (!option || strcmp(option->key, key) != 0) /* "max-size" is the flag */
            return fail_unknown(r, owner, key, keys, true);
        void *target = vat ? (void *)opts : (void *)&opts->write;
        bw_result result = bwi_option_read(target, option, r->arena, value, &place, r->error);
        if (result == BW_OK)
            result = resolve_option(r, target, option);
        if (result != BW_OK)
            return result;
    }
    return BW_OK;
}

static bw_result read_inputs(const reader *r, bw_string_list *in, const json_t *bake, const char *owner) {
    static const char expected[] = "a path, or an array of at least one";
    const json_t *value = json_object_get(bake, "in");
    const size_t count = json_is_string(value) ? 1 : json_array_size(value);
    if (!count)
        return fail_value(r, owner, "in", expected);
    const char **paths = bwi_arena_alloc(r->arena, count, sizeof *paths);
    if (!paths)
        return fail_memory(r, count * sizeof *paths);
    for (size_t k = 0; k < count; ++k) {
        const json_t *item = json_is_string(value) ? value : json_array_get(value, k);
        if (!json_is_string(item) || json_string_length(item) == 0)
            return fail_value(r, owner, "in", expected);
        paths[k] = resolve(r, json_string_value(item));
        if (!paths[k])
            return fail_memory(r, json_string_length(item));
    }
    *in = (bw_string_list){paths, count};
    return BW_OK;
}

static bw_result read_event(const reader *r, bw_vat_event *event, const json_t *json, const char *owner) {
    const char *key;
    const json_t *value, *clip = json_object_get(json, "clip"), *name = json_object_get(json, "name"),
                         *time = json_object_get(json, "time_s");
    json_object_foreach((json_t *)(uintptr_t)json, key, value) {
        if (!is_among(key, event_keys))
            return fail_unknown(r, owner, key, event_keys, false);
    }
    if (!json_is_string(clip))
        return fail_value(r, owner, "clip", "the name of a clip");
    if (!json_is_string(name))
        return fail_value(r, owner, "name", "a string");
    if (!json_is_number(time))
        return fail_value(r, owner, "time_s", "a number of seconds");
    *event = (bw_vat_event){bwi_arena_string(r->arena, json_string_value(clip), SIZE_MAX),
                            bwi_arena_string(r->arena, json_string_value(name), SIZE_MAX), json_number_value(time)};
    return event->clip && event->name ? BW_OK : fail_memory(r, json_string_length(clip) + json_string_length(name));
}

static bw_result read_events(const reader *r, bw_vat_opts *opts, const json_t *bake, const char *owner) {
    const json_t *list = json_object_get(bake, "events");
    if (!list)
        return BW_OK;
    if (!json_is_array(list))
        return fail_value(r, owner, "events", "an array of objects");
    const size_t count = json_array_size(list);
    bw_vat_event *events = bwi_arena_alloc(r->arena, count, sizeof *events);
    if (!events)
        return fail_memory(r, count * sizeof *events);
    for (size_t k = 0; k < count; ++k) {
        char at[80];
        snprintf(at, sizeof at, "%s.events[%zu]", owner, k);
        const json_t *json = json_array_get(list, k);
        bw_result result =
            json_is_object(json) ? read_event(r, &events[k], json, at) : fail_value(r, "", at, "an object");
        if (result != BW_OK)
            return result;
    }
    opts->events.data = events;
    opts->events.count = count;
    return BW_OK;
}

static bw_result read_bake(const reader *r, bw_job_bake *bake, const bw_vat_opts *defaults, const json_t *json,
                           size_t index) {
    char owner[40];
    snprintf(owner, sizeof owner, "bakes[%zu]", index);
    if (!json_is_object(json))
        return fail_value(r, "", owner, "an object");
    bake->opts = *defaults;
    bw_result result = read_options(r, &bake->opts, json, owner, bake_keys);
    if (result == BW_OK)
        result = read_events(r, &bake->opts, json, owner);
    if (result == BW_OK)
        result = read_inputs(r, &bake->in, json, owner);
    if (result != BW_OK)
        return result;
    const json_t *out = json_object_get(json, "out");
    if (!json_is_string(out) || json_string_length(out) == 0)
        return fail_value(r, owner, "out", "the path of a folder");
    bake->out = resolve(r, json_string_value(out));
    return bake->out ? BW_OK : fail_memory(r, json_string_length(out));
}

static bw_result read_file(const reader *r, bw_job *job, const json_t *root) {
    if (!json_is_object(root))
        return bwi_fail(r->error, BW_ERR_USAGE, r->path, -1, "holds no JSON object, so it is no job; %s", HELP);
    const json_t *schema = json_object_get(root, "schema");
    if (!json_is_string(schema))
        return fail_value(r, "", "schema", "\"bakewell/job/1\"");
    if (strcmp(json_string_value(schema), SCHEMA) != 0)
        return bwi_fail(r->error, BW_ERR_UNSUPPORTED, r->path, -1,
                        "schema is \"%.60s\", this version reads \"%s\"; use the version of Bakewell that it is for",
                        json_string_value(schema), SCHEMA);
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)root, key, value) {
        if (!is_among(key, file_keys))
            return fail_unknown(r, "", key, file_keys, false);
    }
    bw_vat_opts defaults = {0};
    const json_t *object = json_object_get(root, "defaults");
    if (object && !json_is_object(object))
        return fail_value(r, "", "defaults", "an object");
    bw_result result = object ? read_options(r, &defaults, object, "defaults", default_keys) : BW_OK;
    const json_t *bakes = json_object_get(root, "bakes");
    const size_t count = json_array_size(bakes);
    if (result == BW_OK && !count)
        result = fail_value(r, "", "bakes", "an array of at least one object");
    bw_job_bake *list = result == BW_OK ? bwi_arena_alloc(r->arena, count, sizeof *list) : NULL;
    if (result == BW_OK && !list)
        result = fail_memory(r, count * sizeof *list);
    for (size_t k = 0; result == BW_OK && k < count; ++k)
        result = read_bake(r, &list[k], &defaults, json_array_get(bakes, k), k);
    job->bakes.data = list;
    job->bakes.count = count;
    return result;
}

bw_result bw_job_load(bw_job **job, const char *path, const bw_run_opts *run, bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(run ? run->memory_limit : 0);
    bw_job *made = arena ? bwi_arena_alloc(arena, 1, sizeof *made) : NULL;
    const reader r = {path, made ? bwi_path_folder(arena, path) : NULL, arena, error};
    bwi_map map = {0};
    json_t *root = NULL;
    bw_result result = r.folder ? BW_OK : bwi_fail(error, BW_ERR_MEMORY, path, -1, "the system refused memory for it");
    if (result == BW_OK)
        result = bwi_map_open(&map, path, bwi_arena_mem(arena), error);
    if (result == BW_OK)
        result = bwi_json_parse(&root, (const char *)map.data, map.size, bwi_arena_mem(arena), path, error);
    if (result == BW_OK)
        result = read_file(&r, made, root);
    json_decref(root);
    bwi_map_close(&map);
    if (result != BW_OK) {
        bwi_arena_free(arena);
        return result;
    }
    made->arena = arena;
    *job = made;
    return BW_OK;
}

void bw_free_job(bw_job *job) {
    if (job)
        bwi_arena_free(job->arena);
}

static void write_bake(bwi_json_writer *w, const bw_job_bake *bake) {
    bwi_json_begin_object(w);
    bwi_json_key(w, "in");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < bake->in.count; ++k)
        bwi_json_string(w, bake->in.data[k]);
    bwi_json_end_array(w);
    bwi_json_key_string(w, "out", bake->out);
    bwi_options_write(w, bw_vat_options(), &bake->opts, true);
    bwi_options_write(w, bw_write_options(), &bake->opts.write, true);
    bwi_json_key(w, "events");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < bake->opts.events.count; ++k) {
        const bw_vat_event *event = &bake->opts.events.data[k];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "clip", event->clip);
        bwi_json_key_string(w, "name", event->name);
        bwi_json_key_double(w, "time_s", event->time_s);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    bwi_json_end_object(w);
}

char *bw_job_json(const bw_job *job) {
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    bwi_json_writer *w = bwi_json_writer_create(&mem, NULL, 2);
    if (!w)
        return NULL;
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "schema", SCHEMA);
    bwi_json_key(w, "bakes");
    bwi_json_begin_array(w);
    for (size_t k = 0; k < job->bakes.count; ++k)
        write_bake(w, &job->bakes.data[k]);
    bwi_json_end_array(w);
    bwi_json_end_object(w);
    return bwi_text_of(w, &mem);
}
