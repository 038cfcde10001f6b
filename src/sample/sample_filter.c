/* SPDX-License-Identifier: MIT
 * Which nodes are baked: the default scene's, narrowed by name patterns. */
#define _POSIX_C_SOURCE 200809L /* strnlen */

#include <stdio.h>
#include <string.h>

#include "sample/sample_priv.h"

/* How many names an error lists, and how many characters of a name are compared for likeness. */
enum { LISTED_NAMES = 5, COMPARED_LENGTH = 48 };

/* Bytes of the UTF-8 character at text; at least 1. */
static size_t character_size(const char *text) {
    size_t size = 1;
    while (((unsigned char)text[size] & 0xC0) == 0x80) {
        size++;
    }
    return size;
}

/* '*' stands for any text, '?' for one character.  Linear in text × pattern: only the last '*' is ever tried again. */
bool bwi_name_matches(const char *pattern, const char *text) {
    const char *star = NULL, *resume = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            resume = text;
        } else if (*pattern == '?') {
            pattern++;
            text += character_size(text);
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star;
            resume += character_size(resume);
            text = resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

static bool is_candidate(const bw_scene *scene, size_t node) {
    const bw_node *n = &scene->nodes.data[node];
    return n->in_scene && n->mesh != BW_NO_INDEX && scene->meshes.data[n->mesh].primitives.count > 0;
}

static bool node_matches(const bw_scene *scene, size_t node, const char *pattern) {
    const bw_node *n = &scene->nodes.data[node];
    return bwi_name_matches(pattern, n->name) || bwi_name_matches(pattern, scene->meshes.data[n->mesh].name);
}

static bool any_matches(const bw_scene *scene, size_t node, const bw_string_list *patterns) {
    for (size_t i = 0; i < patterns->count; i++) {
        if (node_matches(scene, node, patterns->data[i])) {
            return true;
        }
    }
    return false;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Edits (Levenshtein, case ignored) between the first COMPARED_LENGTH characters. */
static size_t edit_distance(const char *a, const char *b) {
    size_t a_length = strnlen(a, COMPARED_LENGTH), b_length = strnlen(b, COMPARED_LENGTH);
    size_t row[COMPARED_LENGTH + 1];
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = diagonal + (lower(a[i - 1]) != lower(b[j - 1]) ? 1 : 0);
            size_t skip = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < skip ? change : skip;
        }
    }
    return row[b_length];
}

void bwi_list_node_names(char *text, size_t size, const bw_scene *scene, const char *pattern, bool shown) {
    size_t nearest[LISTED_NAMES], distances[LISTED_NAMES], count = 0, total = 0;
    for (size_t i = 0; i < scene->nodes.count; i++) {
        if (shown && !is_candidate(scene, i)) {
            continue;
        }
        total++;
        size_t distance = pattern != NULL ? edit_distance(pattern, scene->nodes.data[i].name) : 0;
        size_t place = count;
        while (place > 0 && distances[place - 1] > distance) {
            place--;
        }
        if (place == LISTED_NAMES) {
            continue;
        }
        count = count < LISTED_NAMES ? count + 1 : count;
        for (size_t k = count - 1; k > place; k--) {
            nearest[k] = nearest[k - 1];
            distances[k] = distances[k - 1];
        }
        nearest[place] = i;
        distances[place] = distance;
    }
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s\"%.60s\"", i == 0 ? "" : ", ",
                                 scene->nodes.data[nearest[i]].name);
    }
    if (total > count && used < size) {
        snprintf(text + used, size - used, " and %zu more", total - count);
    }
}

static bool matches_any_node(const bw_scene *scene, const char *pattern) {
    for (size_t n = 0; n < scene->nodes.count; n++) {
        if (is_candidate(scene, n) && node_matches(scene, n, pattern)) {
            return true;
        }
    }
    return false;
}

static bw_result narrow(bw_string_list *out, bwi_arena *arena, const bw_scene *scene, bw_string_list patterns,
                        bw_error *error) {
    const char **kept = bwi_arena_alloc(arena, patterns.count, sizeof *kept);
    if (kept == NULL) {
        return bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), patterns.count * sizeof *kept);
    }
    size_t count = 0;
    for (size_t i = 0; i < patterns.count; i++) {
        if (matches_any_node(scene, patterns.data[i])) {
            kept[count++] = patterns.data[i];
        }
    }
    *out = (bw_string_list){kept, count};
    return BW_OK;
}

size_t bwi_level_name_length(const char *name) {
    size_t length = strlen(name), end = length;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') {
        --end;
    }
    const bool marked = end < length && end > 4 && name[end - 4] == '_' && (name[end - 3] | 32) == 'l' &&
                        (name[end - 2] | 32) == 'o' && (name[end - 1] | 32) == 'd';
    return marked ? end - 4 : length;
}

bw_result bwi_node_filter_narrow(bwi_node_filter *out, bwi_arena *arena, const bw_scene *scene,
                                 const bwi_node_filter *filter, bw_error *error) {
    bwi_node_filter narrowed;
    bw_result result = narrow(&narrowed.include, arena, scene, filter->include, error);
    if (result == BW_OK) {
        result = narrow(&narrowed.exclude, arena, scene, filter->exclude, error);
    }
    if (result != BW_OK) {
        return result;
    }
    if (narrowed.include.count == 0) {
        narrowed.include = filter->include;
    }
    *out = narrowed;
    return BW_OK;
}

static bw_result check_patterns(const bw_scene *scene, const bw_string_list *patterns, const char *option,
                                bw_error *error) {
    for (size_t i = 0; i < patterns->count; i++) {
        if (!matches_any_node(scene, patterns->data[i])) {
            char names[512];
            bwi_list_node_names(names, sizeof names, scene, patterns->data[i], true);
            return bwi_fail(error, BW_ERR_USAGE, scene->path, -1,
                            "%s=%s matches no node with a mesh; nearest are %s; give a node's or mesh's name, with * "
                            "and ? as wildcards",
                            option, patterns->data[i], names);
        }
    }
    return BW_OK;
}

bw_result bwi_choose_nodes(bool *chosen, const bw_scene *scene, const bwi_node_filter *filter, bw_error *error) {
    size_t candidates = 0;
    for (size_t i = 0; i < scene->nodes.count; i++) {
        candidates += is_candidate(scene, i) ? 1 : 0;
    }
    if (candidates == 0) {
        return bwi_fail(error, BW_ERR_NO_MESH, scene->path, -1,
                        "there is no mesh to bake: none of the %zu nodes in the default scene shows one (the file "
                        "holds %zu meshes, "
                        "%zu skins, %zu clips); export the geometry with the animation",
                        scene->nodes.count, scene->meshes.count, scene->skins.count, scene->clips.count);
    }
    static const bwi_node_filter everything;
    const bwi_node_filter *f = filter != NULL ? filter : &everything;
    bw_result result = check_patterns(scene, &f->include, "--include", error);
    if (result == BW_OK) {
        result = check_patterns(scene, &f->exclude, "--exclude", error);
    }
    if (result != BW_OK) {
        return result;
    }
    size_t kept = 0;
    for (size_t i = 0; i < scene->nodes.count; i++) {
        chosen[i] = is_candidate(scene, i) && (f->include.count == 0 || any_matches(scene, i, &f->include)) &&
                    !any_matches(scene, i, &f->exclude);
        kept += chosen[i] ? 1 : 0;
    }
    if (kept == 0) {
        char names[512];
        bwi_list_node_names(names, sizeof names, scene, NULL, true);
        return bwi_fail(error, BW_ERR_NO_MESH, scene->path, -1,
                        "--include and --exclude leave no mesh to bake of %s; widen one of them", names);
    }
    return BW_OK;
}
