/* SPDX-License-Identifier: MIT
 * Prints what an engine makes of hair files, one JSON document a line, or with --rules the table of rules.
 * Usage: groom_verdict ENGINE FILE… | groom_verdict --rules */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "groom/groom.h"
#include "read/read.h"

static const char *const LEVELS[] = {"info", "warning", "error"};

static void put_rules(bwi_json_writer *w) {
    bwi_json_begin_array(w);
    for (const bwi_groom_rule *rule = bwi_groom_rules; rule->code; rule++) {
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "code", rule->code);
        bwi_json_key_string(w, "levels", rule->levels);
        bwi_json_key_bool(w, "doubtful", rule->doubtful);
        bwi_json_key_string(w, "summary", rule->summary);
        bwi_json_key_string(w, "fix", rule->fix);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
}

static void put_verdict(bwi_json_writer *w, const bwi_groom_verdict *v) {
    bwi_json_begin_object(w);
    bwi_json_key_bool(w, "accepted", v->accepted);
    bwi_json_key_uint(w, "strands", v->strands);
    bwi_json_key_uint(w, "guides", v->guides);
    bwi_json_key_uint(w, "points", v->points);
    bwi_json_key(w, "groups");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < v->groups.count; i++) {
        const bw_groom_group_report *g = &v->groups.data[i];
        bwi_json_begin_object(w);
        bwi_json_key(w, "id");
        bwi_json_int(w, g->id);
        bwi_json_key_string(w, "name", g->name);
        bwi_json_key_uint(w, "strands", g->strands);
        bwi_json_key_uint(w, "guides", g->guides);
        bwi_json_key_uint(w, "points", g->points);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    bwi_json_key(w, "attributes");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < v->attributes.count; i++) {
        const bw_groom_attribute_report *a = &v->attributes.data[i];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "name", a->name);
        bwi_json_key_string(w, "object", a->object);
        bwi_json_key_string(w, "type", a->type);
        bwi_json_key_uint(w, "extent", a->extent);
        bwi_json_key_string(w, "scope", a->scope);
        bwi_json_key_uint(w, "count", a->count);
        bwi_json_key_bool(w, "used", a->used);
        bwi_json_key_string(w, "reason", a->reason);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    bwi_json_key(w, "findings");
    bwi_json_begin_array(w);
    for (size_t i = 0; i < v->findings.count; i++) {
        const bw_groom_finding *f = &v->findings.data[i];
        bwi_json_begin_object(w);
        bwi_json_key_string(w, "code", f->code);
        bwi_json_key_string(w, "level", LEVELS[f->level]);
        bwi_json_key_bool(w, "doubtful", f->doubtful);
        bwi_json_key_string(w, "place", f->place);
        bwi_json_key_string(w, "message", f->message);
        bwi_json_key_string(w, "fix", f->fix);
        bwi_json_key_uint(w, "count", f->count);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    bwi_json_end_object(w);
}

static bw_result judge(bwi_json_writer *w, bwi_mem *mem, bw_groom_engine engine, const char *path, bw_error *error) {
    const bw_groom_opts opts = {.engine = engine};
    const bwi_env env = {mem, 1, NULL};
    bwi_hair *hair = NULL;
    bwi_groom_space space;
    bwi_groom_verdict verdict;
    bw_result result = bwi_read_hair(&hair, path, NULL, error);
    if (result != BW_OK)
        return result;
    bwi_arena *arena = bwi_arena_create(mem);
    result = bwi_groom_space_find(&space, arena, hair, &opts, error);
    if (result == BW_OK)
        result = bwi_groom_judge(&verdict, arena, hair, engine, &space, &env, error);
    if (result == BW_OK)
        put_verdict(w, &verdict);
    bwi_arena_free(arena);
    bwi_hair_free(hair);
    return result;
}

int main(int argc, char **argv) {
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    const bool rules = argc == 2 && strcmp(argv[1], "--rules") == 0;
    bw_groom_engine engine = BW_GROOM_UNREAL_5_0;
    while (!rules && argc > 2 && engine <= BW_GROOM_UNITY && strcmp(bwi_groom_engine_name(engine), argv[1]) != 0)
        engine++;
    if (!rules && (argc < 3 || engine > BW_GROOM_UNITY)) {
        fprintf(stderr, "usage: groom_verdict ENGINE FILE... | groom_verdict --rules\n");
        return 2;
    }
    int status = 0;
    for (int i = rules ? 1 : 2; i < argc; i++) {
        bw_error error = {0};
        bwi_json_writer *w = bwi_json_writer_create(&mem, stdout, 0);
        if (rules)
            put_rules(w);
        else if (judge(w, &mem, engine, argv[i], &error) != BW_OK) {
            bwi_json_begin_object(w);
            bwi_json_key_string(w, "error", error.message);
            bwi_json_end_object(w);
            status = 1;
        }
        if (!bwi_json_writer_end(w, NULL, NULL))
            status = 1;
    }
    return status;
}
