/* SPDX-License-Identifier: MIT
 * Groups of a repair: by attribute or by object, numbered from 0 without gaps, at most as many as engines take, each with strands to render. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "groom/groom_fix_priv.h"

enum { MAX_GROUPS = 64 };

/* A group while strands are being told apart: by its number, or by its name where there are no numbers. */
typedef struct entry {
    bool by_name;
    double number;
    const char *name, *cards_id;     /* NULL: none yet */
    uint32_t strands, guides, order; /* order: of first appearance, then of the group in the groom */
    bool names_differ;
    struct entry *next; /* of its bucket */
} entry;

typedef struct table {
    bwi_fix *fix;
    entry **buckets;
    size_t bucket_count;
    entry **entries; /* in order of appearance */
    size_t count, capacity;
} table;

static size_t bucket_of(const table *t, bool by_name, double number, const char *name) {
    const bwi_hash128 h = by_name ? bwi_hash(name, strlen(name)) : bwi_hash(&number, sizeof number);
    uint64_t bits;
    memcpy(&bits, h.bytes, sizeof bits);
    return (size_t)(bits % t->bucket_count);
}

/* More buckets, so that a groom of as many groups as strands takes no longer for each. */
static bool grow(table *t) {
    const size_t count = t->bucket_count ? 4 * t->bucket_count : 256;
    entry **buckets = bwi_arena_alloc(t->fix->scratch, count, sizeof *buckets);
    entry **entries = bwi_arena_alloc(t->fix->scratch, count, sizeof *entries);
    if (!buckets || !entries)
        return false;
    if (t->count)
        memcpy(entries, t->entries, t->count * sizeof *entries);
    t->buckets = buckets;
    t->entries = entries;
    t->bucket_count = t->capacity = count;
    for (size_t i = 0; i < t->count; i++) {
        entry **bucket = &buckets[bucket_of(t, entries[i]->by_name, entries[i]->number, entries[i]->name)];
        entries[i]->next = *bucket;
        *bucket = entries[i];
    }
    return true;
}

/* Finds the group or makes it; NULL: memory. */
static entry *find_entry(table *t, bool by_name, double number, const char *name) {
    if (t->count == t->capacity && !grow(t))
        return NULL;
    const size_t bucket = bucket_of(t, by_name, number, name);
    for (entry *e = t->buckets[bucket]; e; e = e->next) {
        if (e->by_name == by_name && (by_name ? strcmp(e->name, name) == 0 : e->number == number))
            return e;
    }
    entry *e = bwi_arena_alloc(t->fix->scratch, 1, sizeof *e);
    if (!e)
        return NULL;
    *e = (entry){.by_name = by_name,
                 .number = number,
                 .name = by_name ? name : NULL,
                 .order = (uint32_t)t->count,
                 .next = t->buckets[bucket]};
    t->buckets[bucket] = e;
    t->entries[t->count++] = e;
    return e;
}

/* ---- which group a strand is of ---- */

typedef struct views {
    bwi_view id, name, cards;
} views;

static bw_result find_views(views **out, bool *any, bwi_fix *fix, bw_error *error) {
    *out = bwi_arena_alloc(fix->scratch, fix->sources.count, sizeof **out);
    *any = false;
    if (!*out)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, fix->sources.count * sizeof **out);
    for (size_t s = 0; s < fix->sources.count; s++) {
        bwi_source *source = &fix->sources.data[s];
        views *v = &(*out)[s];
        bw_result result = bwi_fix_find(&v->id, fix, source, "groom_group_id", error);
        if (result == BW_OK)
            result = bwi_fix_find(&v->name, fix, source, "groom_group_name", error);
        if (result == BW_OK)
            result = bwi_fix_find(&v->cards, fix, source, "groom_group_cards_id", error);
        if (result != BW_OK)
            return result;
        *any |= source->strand_count > 0 && (v->id.scope != BWI_VIEW_NONE || v->name.scope != BWI_VIEW_NONE);
    }
    return BW_OK;
}

/* The last name of a path; the whole of it where two objects would have the same. */
static const char *object_name(const bwi_fix *fix, const bwi_source *source) {
    const char *path = source->object->path, *slash = strrchr(path, '/');
    const char *name = slash && slash[1] ? slash + 1 : path;
    if (fix->sources.count > MAX_GROUPS)
        return path;
    for (size_t s = 0; s < fix->sources.count; s++) {
        const char *other = fix->sources.data[s].object->path, *end = strrchr(other, '/');
        if (&fix->sources.data[s] != source && strcmp(end && end[1] ? end + 1 : other, name) == 0)
            return path;
    }
    return name;
}

/* Objects stand for groups where there are several of more than one strand: exporters that write an object a hair mean nothing by them. */
static bool objects_are_groups(const bwi_fix *fix) {
    size_t with_strands = 0, with_several = 0;
    for (size_t s = 0; s < fix->sources.count; s++) {
        with_strands += fix->sources.data[s].strand_count > 0;
        with_several += fix->sources.data[s].strand_count > 1;
    }
    return with_strands > 1 && with_strands <= MAX_GROUPS && with_several > 0;
}

static const char *filled(const char *text) {
    return text && text[0] ? text : NULL;
}

static entry *entry_of(table *t, const views *v, const bwi_strand *strand, bool by_object) {
    const bwi_source *source = &t->fix->sources.data[strand->source];
    if (by_object)
        return find_entry(t, true, 0, object_name(t->fix, source));
    const bool has_id = v->id.scope != BWI_VIEW_NONE, has_name = v->name.scope != BWI_VIEW_NONE;
    const char *name = has_name ? filled(bwi_view_strand_text(&v->name, source, strand)) : NULL;
    if (!has_id && name)
        return find_entry(t, true, 0, name);
    double number = 0;
    if (has_id || (has_name && !v->name.attribute->strings))
        number = bwi_view_strand_number(has_id ? &v->id : &v->name, source, strand, 0);
    /* Whole numbers; −0 and what is no number are 0. */
    number = number > -9e15 && number < 9e15 ? (double)(int64_t)number : number > 0 ? 9e15 : number < 0 ? -9e15 : 0;
    entry *e = find_entry(t, false, number, NULL);
    if (e && name && e->name && strcmp(e->name, name) != 0)
        e->names_differ = true;
    if (e && !e->name)
        e->name = name;
    return e;
}

static bw_result sort_strands(table *t, entry ***of, bool by_object, const views *v, bw_error *error) {
    bwi_fix *fix = t->fix;
    const uint32_t count = fix->groom->strand_count;
    *of = bwi_arena_alloc(fix->scratch, count, sizeof **of);
    if (!*of)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, count * sizeof **of);
    entry *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const bwi_strand *strand = &fix->strands.data[i];
        /* All strands of an object are of one group where they are told by it. */
        if (!last || !by_object || strand->source != fix->strands.data[i - 1].source)
            last = entry_of(t, &v[strand->source], strand, by_object);
        if (!last)
            return bwi_fail_memory(error, fix->hair->path, fix->env->mem, sizeof *last);
        (*of)[i] = last;
        const bwi_view *cards = &v[strand->source].cards;
        if (!last->cards_id && cards->scope != BWI_VIEW_NONE)
            last->cards_id = filled(bwi_view_strand_text(cards, &fix->sources.data[strand->source], strand));
    }
    return BW_OK;
}

/* ---- what engines want of them ---- */

static void count_strands(table *t, entry *const *of) {
    const bw_groom *g = t->fix->groom;
    for (size_t i = 0; i < t->count; i++)
        t->entries[i]->strands = t->entries[i]->guides = 0;
    for (uint32_t i = 0; i < g->strand_count; i++) {
        if (g->guides && g->guides[i])
            of[i]->guides++;
        else
            of[i]->strands++;
    }
}

/* A group of guides alone is an error to engines: they go to the one group that has strands, or become strands. */
static void mend_guide_groups(table *t, entry **of) {
    bw_groom *g = t->fix->groom;
    entry *only = NULL;
    size_t with_strands = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (t->entries[i]->strands > 0) {
            only = t->entries[i];
            with_strands++;
        }
    }
    for (uint32_t i = 0; i < g->strand_count; i++) {
        if (of[i]->strands > 0 || of[i]->guides == 0)
            continue;
        const char *path = t->fix->sources.data[t->fix->strands.data[i].source].object->path;
        if (with_strands == 1) {
            of[i] = only;
            bwi_warn(t->fix->changes, "guides-moved", 1,
                     "guides of a group without strands were given to the group that has some", "%s, strand %u", path,
                     t->fix->strands.data[i].index);
        } else {
            g->guides[i] = 0;
            bwi_warn(t->fix->changes, "guides-made-strands", 1, "guides of a group without strands became its strands",
                     "%s, strand %u", path, t->fix->strands.data[i].index);
        }
    }
    bool any = false;
    for (uint32_t i = 0; g->guides && i < g->strand_count; i++)
        any |= g->guides[i] != 0;
    if (!any)
        g->guides = NULL;
    count_strands(t, of);
}

static int compare_entries(const void *a, const void *b) {
    const entry *x = *(entry *const *)a, *y = *(entry *const *)b;
    if (x->by_name != y->by_name)
        return x->by_name ? 1 : -1;
    if (!x->by_name && x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static int compare_sizes(const void *a, const void *b) {
    const entry *x = *(entry *const *)a, *y = *(entry *const *)b;
    if (x->strands != y->strands)
        return x->strands > y->strands ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Groups past the 64th: the smallest become one. */
static bool merge_small(table *t, entry **of, entry **sorted, size_t *count) {
    bwi_fix *fix = t->fix;
    if (*count <= MAX_GROUPS)
        return true;
    entry **by_size = bwi_arena_alloc(fix->scratch, *count, sizeof *by_size);
    if (!by_size)
        return false;
    memcpy(by_size, sorted, *count * sizeof *by_size);
    for (size_t i = 0; i < *count; i++)
        sorted[i]->order = (uint32_t)i;
    qsort(by_size, *count, sizeof *by_size, compare_sizes);
    entry *rest = by_size[MAX_GROUPS - 1];
    for (size_t i = MAX_GROUPS; i < *count; i++) {
        if (by_size[i]->order < rest->order)
            rest = by_size[i];
    }
    for (size_t i = MAX_GROUPS - 1; i < *count; i++)
        by_size[i]->next = by_size[i] == rest ? NULL : rest;
    for (size_t i = 0; i < MAX_GROUPS - 1; i++)
        by_size[i]->next = NULL;
    for (uint32_t i = 0; i < fix->groom->strand_count; i++) {
        if (of[i]->next)
            of[i] = of[i]->next;
    }
    bwi_warn(fix->changes, "groups-merged", *count - MAX_GROUPS + 1,
             "groups of the fewest strands became one: engines take 64", "%s",
             rest->name ? rest->name : "without a name");
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (!sorted[i]->next)
            sorted[kept++] = sorted[i];
    }
    *count = kept;
    return true;
}

static bw_result name_groups(table *t, entry **sorted, size_t count, bw_error *error) {
    bwi_fix *fix = t->fix;
    bw_groom *g = fix->groom;
    g->groups.data = bwi_arena_alloc(fix->arena, count, sizeof *g->groups.data);
    if (!g->groups.data)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, count * sizeof *g->groups.data);
    g->groups.count = count;
    for (size_t i = 0; i < count; i++) {
        entry *e = sorted[i];
        bw_groom_group *group = &g->groups.data[i];
        const double id = e->by_name ? (double)i : e->number;
        group->id = id > INT32_MAX ? INT32_MAX : id < INT32_MIN ? INT32_MIN : (int32_t)id;
        group->name =
            e->name ? bwi_arena_string(fix->arena, e->name, SIZE_MAX) : bwi_arena_printf(fix->arena, "Group_%.0f", id);
        group->cards_id = e->cards_id ? bwi_arena_string(fix->arena, e->cards_id, SIZE_MAX) : NULL;
        if (!group->name || (e->cards_id && !group->cards_id))
            return bwi_fail_memory(error, fix->hair->path, fix->env->mem, 64);
        if (!e->by_name && e->number != (double)i)
            bwi_warn(fix->changes, "groups-renumbered", 1,
                     "groups were numbered from 0 without gaps; engines do so, or crash on such numbers", "%.0f to %zu",
                     e->number, i);
        if (e->names_differ)
            bwi_warn(fix->changes, "group-names-differ", 1, "groups whose strands have several names kept the first",
                     "%s", group->name);
        e->order = (uint32_t)i;
    }
    return BW_OK;
}

/* ---- guides ---- */

static bool path_matches_any(const bw_string_list *patterns, const char *path) {
    for (size_t i = 0; i < patterns->count; i++) {
        if (bwi_hair_path_matches(patterns->data[i], path))
            return true;
    }
    return false;
}

static bw_result fix_guides(bwi_fix *fix, bw_error *error) {
    bw_groom *g = fix->groom;
    uint8_t *guides = bwi_arena_alloc(fix->arena, g->strand_count, sizeof *guides);
    if (!guides)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, g->strand_count);
    bool any = false;
    for (size_t s = 0; s < fix->sources.count; s++) {
        bwi_source *source = &fix->sources.data[s];
        const bool named = path_matches_any(&fix->opts->guide_objects, source->object->path);
        bwi_view view;
        const bw_result result = bwi_fix_find(&view, fix, source, "groom_guide", error);
        if (result != BW_OK)
            return result;
        if (named && source->strand_count > 0)
            bwi_warn(fix->changes, "guides-by-object", source->strand_count,
                     "strands of objects that were named became guides", "%s", source->object->path);
        for (uint32_t i = source->first_strand; i < source->first_strand + source->strand_count; i++) {
            double value = named;
            if (!named && view.scope != BWI_VIEW_NONE)
                value = bwi_view_strand_number(&view, source, &fix->strands.data[i], 0);
            guides[i] = value == 1; /* as the importer has it: 2 is none */
            any |= guides[i] != 0;
        }
    }
    g->guides = any ? guides : NULL;
    return BW_OK;
}

bw_result bwi_fix_groups(bwi_fix *fix, bw_error *error) {
    bw_groom *g = fix->groom;
    table t = {.fix = fix};
    views *v;
    bool any;
    bw_result result = fix_guides(fix, error);
    if (result == BW_OK)
        result = find_views(&v, &any, fix, error);
    if (result != BW_OK)
        return result;
    const bw_groom_group_by by = fix->opts->group_by;
    const bool by_object =
        by == BW_GROOM_GROUP_BY_OBJECT || (by == BW_GROOM_GROUP_BY_DEFAULT && !any && objects_are_groups(fix));
    if (by == BW_GROOM_GROUP_BY_NONE)
        memset(v, 0, fix->sources.count * sizeof *v);
    entry **of;
    result = sort_strands(&t, &of, by_object, v, error);
    if (result != BW_OK)
        return result;
    count_strands(&t, of);
    mend_guide_groups(&t, of);
    size_t count = 0;
    entry **sorted = bwi_arena_alloc(fix->scratch, t.count, sizeof *sorted);
    if (!sorted)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, t.count * sizeof *sorted);
    for (size_t i = 0; i < t.count; i++) {
        if (t.entries[i]->strands + t.entries[i]->guides > 0)
            sorted[count++] = t.entries[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_entries);
    if (by_object)
        bwi_warn(fix->changes, "groups-by-object", count, "groups were made of the objects that strands come from",
                 "%s", sorted[0]->name);
    if (!merge_small(&t, of, sorted, &count))
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, count * sizeof *sorted);
    result = name_groups(&t, sorted, count, error);
    if (result != BW_OK)
        return result;
    if (count > 1) {
        g->group_of = bwi_arena_alloc(fix->arena, g->strand_count, sizeof *g->group_of);
        if (!g->group_of)
            return bwi_fail_memory(error, fix->hair->path, fix->env->mem, g->strand_count * sizeof *g->group_of);
        for (uint32_t i = 0; i < g->strand_count; i++)
            g->group_of[i] = of[i]->order;
    }
    return BW_OK;
}
