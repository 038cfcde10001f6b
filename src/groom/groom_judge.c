/* SPDX-License-Identifier: MIT
 * What an engine would make of hair: findings are collected here, errors first, then in the order of the file. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groom/groom_judge_priv.h"

enum { PLACES_MAX = 50 };

/* A finding on its way. */
typedef struct bwi_judge_note {
    bw_groom_finding finding;
    uint32_t object;
    bwi_rule rule;
    size_t sequence;
} bwi_judge_note;

static const bwi_judge_engine ENGINES[] = {
    [BW_GROOM_UNREAL_5_0] = {false, false, false, false}, [BW_GROOM_UNREAL_5_3] = {false, true, false, false},
    [BW_GROOM_UNREAL_5_4] = {false, true, true, false},   [BW_GROOM_UNREAL_5_8] = {false, true, true, true},
    [BW_GROOM_UNITY] = {true, true, false, false},
};

/* ---- findings ---- */

bool bwi_judge_has(const bwi_judge *judge, bwi_rule rule) {
    return bwi_groom_rules[rule].levels[judge->engine - BW_GROOM_UNREAL_5_0] != '-';
}

const char *bwi_judge_text(bwi_judge *judge, const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char *kept = bwi_arena_string(judge->arena, text, SIZE_MAX);
    judge->out_of_memory |= !kept;
    return kept ? kept : "";
}

const char *bwi_judge_count(bwi_judge *judge, uint64_t count, const char *noun) {
    const size_t length = strlen(noun);
    const bool hisses = length > 1 && noun[length - 1] == 'h' && noun[length - 2] == 's';
    return bwi_judge_text(judge, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : hisses ? "es" : "s");
}

void bwi_judge_tell(bwi_judge *judge, bwi_rule rule, uint32_t object, const char *attribute, uint64_t count,
                    const char *format, ...) {
    const bwi_groom_rule *row = &bwi_groom_rules[rule];
    if (!bwi_judge_has(judge, rule) || judge->out_of_memory)
        return;
    if (judge->rule_counts[rule]++ >= PLACES_MAX) {
        for (size_t i = judge->note_count; i-- > 0;) {
            if (judge->notes[i].rule != rule)
                continue;
            judge->notes[i].finding.count += count;
            if (judge->rule_counts[rule] == PLACES_MAX + 1)
                judge->notes[i].finding.place = bwi_judge_text(judge, "%s, and more", judge->notes[i].finding.place);
            return;
        }
    }
    if (judge->note_count == judge->note_capacity) {
        const size_t more = judge->note_capacity ? 2 * judge->note_capacity : 64;
        bwi_judge_note *grown = bwi_realloc(judge->mem, judge->notes, more, sizeof *grown);
        if (!grown) {
            judge->out_of_memory = true;
            return;
        }
        judge->notes = grown;
        judge->note_capacity = more;
    }
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char letter = row->levels[judge->engine - BW_GROOM_UNREAL_5_0];
    const char *path = object == BW_NO_INDEX ? "" : judge->hair->objects.data[object].path;
    bwi_judge_note *note = &judge->notes[judge->note_count];
    *note = (bwi_judge_note){.object = object, .rule = rule, .sequence = judge->note_count};
    note->finding = (bw_groom_finding){
        .code = row->code,
        .level = letter == 'E'   ? BW_GROOM_ERROR
                 : letter == 'W' ? BW_GROOM_WARNING
                                 : BW_GROOM_INFO,
        .doubtful = row->doubtful,
        .place = attribute ? bwi_judge_text(judge, "%s, %s", path, attribute) : path,
        .message = row->doubtful ? bwi_judge_text(judge, "%s (this rule is doubtful)", text)
                                 : bwi_judge_text(judge, "%s", text),
        .fix = row->fix,
        .count = count,
    };
    judge->note_count++;
}

static int compare_notes(const void *a, const void *b) {
    const bwi_judge_note *x = a, *y = b;
    if (x->finding.level != y->finding.level)
        return x->finding.level > y->finding.level ? -1 : 1;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return x->sequence < y->sequence ? -1 : 1;
}

/* ---- medians ---- */

void bwi_judge_sample_add(bwi_judge_sample *sample, double value) {
    if (sample->seen == 0) {
        sample->min = sample->max = value;
        sample->stride = 1;
    }
    if (value < sample->min)
        sample->min = value;
    if (value > sample->max)
        sample->max = value;
    if (sample->seen++ % sample->stride != 0)
        return;
    if (sample->count == BWI_JUDGE_SAMPLES) {
        for (uint32_t i = 0; i < BWI_JUDGE_SAMPLES / 2; i++)
            sample->data[i] = sample->data[2 * i];
        sample->count = BWI_JUDGE_SAMPLES / 2;
        sample->stride *= 2;
        if ((sample->seen - 1) % sample->stride != 0)
            return;
    }
    sample->data[sample->count++] = value;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double bwi_judge_sample_at(bwi_judge_sample *sample, double part) {
    if (sample->count == 0)
        return 0;
    qsort(sample->data, sample->count, sizeof *sample->data, compare_doubles);
    return sample->data[(size_t)(part * (sample->count - 1))];
}

/* ---- numbers by number ---- */

static size_t slot_of(const bwi_judge_map *map, int64_t key) {
    uint64_t mixed = (uint64_t)key * 0x9e3779b97f4a7c15u;
    size_t slot = (size_t)(mixed ^ mixed >> 29) & (map->capacity - 1);
    while (map->values[slot] != BW_NO_INDEX && map->keys[slot] != key)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

void bwi_judge_map_free(bwi_judge *judge, bwi_judge_map *map) {
    bwi_free(judge->mem, map->keys);
    bwi_free(judge->mem, map->values);
    *map = (bwi_judge_map){0};
}

static bool grow_map(bwi_judge *judge, bwi_judge_map *map) {
    bwi_judge_map larger = {.capacity = map->capacity ? 2 * map->capacity : 64, .count = map->count};
    larger.keys = bwi_alloc(judge->mem, larger.capacity, sizeof *larger.keys);
    larger.values = larger.keys ? bwi_alloc(judge->mem, larger.capacity, sizeof *larger.values) : NULL;
    if (!larger.values) {
        bwi_free(judge->mem, larger.keys);
        judge->out_of_memory = true;
        return false;
    }
    memset(larger.values, 0xff, larger.capacity * sizeof *larger.values);
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->values[i] == BW_NO_INDEX)
            continue;
        const size_t slot = slot_of(&larger, map->keys[i]);
        larger.keys[slot] = map->keys[i];
        larger.values[slot] = map->values[i];
    }
    bwi_judge_map_free(judge, map);
    *map = larger;
    return true;
}

uint32_t *bwi_judge_map_put(bwi_judge *judge, bwi_judge_map *map, int64_t key, uint32_t value, bool *is_new) {
    if (2 * map->count >= map->capacity && !grow_map(judge, map))
        return NULL;
    const size_t slot = slot_of(map, key);
    *is_new = map->values[slot] == BW_NO_INDEX;
    if (*is_new) {
        map->keys[slot] = key;
        map->values[slot] = value;
        map->count++;
    }
    return &map->values[slot];
}

bool bwi_judge_map_has(const bwi_judge_map *map, int64_t key) {
    return map->capacity > 0 && map->values[slot_of(map, key)] != BW_NO_INDEX;
}

/* ---- values ---- */

double bwi_judge_number(const bwi_judge_view *view, uint64_t element, uint32_t component) {
    const bwi_hair_attribute *a = view->attribute;
    if (view->broadcast)
        element = 0;
    if (a->pod == BW_ALEMBIC_FLOAT32 && !a->indices && a->bytes) {
        float value = 0;
        if (element < a->count && component < a->extent)
            memcpy(&value, a->bytes + (element * a->extent + component) * sizeof value, sizeof value);
        return (double)value;
    }
    if ((a->pod == BW_ALEMBIC_INT8 || a->pod == BW_ALEMBIC_INT16) && a->extent > 1)
        return bwi_hair_number(a, element / a->extent, (uint32_t)(element % a->extent));
    return bwi_hair_number(a, element, component);
}

const char *bwi_judge_string(const bwi_judge_view *view, uint64_t element) {
    const bwi_hair_attribute *a = view->attribute;
    if (view->broadcast)
        element = 0;
    if (a->extent == 0 || !a->strings)
        return "";
    if (!a->indices)
        return element < a->value_count * a->extent ? a->strings[element] : "";
    const char *text = bwi_hair_text(a, element);
    return text ? text : "";
}

/* ---- the whole ---- */

static bool keep_findings(bwi_judge *judge) {
    bwi_groom_verdict *verdict = &judge->verdict;
    if (judge->note_count > 0)
        qsort(judge->notes, judge->note_count, sizeof *judge->notes, compare_notes);
    verdict->findings.data = bwi_arena_alloc(judge->arena, judge->note_count, sizeof *verdict->findings.data);
    verdict->attributes.data = bwi_arena_alloc(judge->arena, judge->report_count, sizeof *verdict->attributes.data);
    if (!verdict->findings.data || !verdict->attributes.data)
        return false;
    for (size_t i = 0; i < judge->note_count; i++)
        verdict->findings.data[i] = judge->notes[i].finding;
    verdict->findings.count = judge->note_count;
    if (judge->report_count > 0)
        memcpy(verdict->attributes.data, judge->reports, judge->report_count * sizeof *judge->reports);
    verdict->attributes.count = judge->report_count;
    verdict->accepted = judge->note_count == 0 || verdict->findings.data[0].level != BW_GROOM_ERROR;
    return true;
}

bw_result bwi_groom_judge(bwi_groom_verdict *verdict, bwi_arena *arena, const bwi_hair *hair, bw_groom_engine engine,
                          const bwi_groom_space *space, const bwi_env *env, bw_error *error) {
    bwi_judge judge = {.arena = arena,
                       .mem = env->mem,
                       .hair = hair,
                       .engine = engine,
                       .habits = &ENGINES[engine],
                       .space = space,
                       .env = env};
    bwi_judge_objects(&judge);
    bwi_judge_properties(&judge);
    for (size_t i = 0; i < hair->curves.count && !judge.out_of_memory; i++) {
        bwi_judge_curves curves;
        bwi_judge_walk(&curves, &judge, i, true);
        bwi_judge_resolve(&curves, &judge, i, true);
        if (!curves.left_out)
            bwi_judge_values(&judge, &curves);
        if (!bwi_progress_step(env->progress, 0))
            break;
    }
    bwi_judge_strands(&judge);
    bwi_judge_motion(&judge);
    bw_result result = BW_OK;
    if (bwi_progress_cancelled(env->progress))
        result = bwi_fail_cancelled(error);
    else if (judge.out_of_memory || !keep_findings(&judge))
        result = bwi_fail_memory(error, hair->path, env->mem, 1);
    if (result == BW_OK)
        *verdict = judge.verdict;
    bwi_free(env->mem, judge.notes);
    bwi_free(env->mem, judge.reports);
    return result;
}
