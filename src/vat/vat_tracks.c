/* SPDX-License-Identifier: MIT
 * Which tracks and events the manifest's clips carry: names of options and jobs to nodes and clips. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "vat/vat.h"

static bw_result name_root(uint32_t *root, const bw_scene *scene, const char *name, bw_error *error) {
    for (size_t i = 0; i < scene->node_order.count; ++i)
        if (strcmp(scene->nodes.data[scene->node_order.data[i]].name, name) == 0) {
            *root = scene->node_order.data[i];
            return BW_OK;
        }
    char names[512];
    bwi_list_node_names(names, sizeof names, scene, name, false);
    return bwi_fail(error, BW_ERR_USAGE, scene->path, -1, "--root=%.64s names no node; nearest are %s", name, names);
}

static bw_result choose_root(bwi_vat_plan *plan, bwi_arena *arena, const bw_vat_opts *opts, bw_error *error) {
    plan->root = BW_NO_INDEX;
    const bool extract = opts->root_motion == BW_VAT_ROOT_MOTION_EXTRACT;
    if (opts->root && !extract)
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "--root names the node for --root-motion=extract; add that, or leave --root out");
    if (!extract)
        return BW_OK;
    return opts->root ? name_root(&plan->root, plan->list->scene, opts->root, error)
                      : bwi_vat_find_root(&plan->root, plan, arena, error);
}

/* Marks the nodes of one name or pattern. */
static bw_result mark_nodes(bool *wanted, const bw_scene *scene, const char *pattern, bw_error *error) {
    bool any = false;
    for (size_t i = 0; i < scene->nodes.count; ++i)
        if (bwi_name_matches(pattern, scene->nodes.data[i].name))
            any = wanted[i] = true;
    if (any)
        return BW_OK;
    char names[512];
    bwi_list_node_names(names, sizeof names, scene, pattern, false);
    return bwi_fail(error, BW_ERR_USAGE, scene->path, -1, "--attach=%.64s matches no node; nearest are %s", pattern,
                    names);
}

static bw_result mark_list(bool *wanted, const bw_scene *scene, bwi_arena *arena, const char *list, bw_error *error) {
    char *text = bwi_arena_string(arena, list, SIZE_MAX);
    if (!text)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), strlen(list));
    bw_result result = BW_OK;
    while (text && result == BW_OK) {
        char *comma = strchr(text, ',');
        if (comma)
            *comma = 0;
        result = mark_nodes(wanted, scene, text, error);
        text = comma ? comma + 1 : NULL;
    }
    return result;
}

static bw_result choose_attachments(bwi_vat_plan *plan, bwi_arena *arena, const bw_vat_opts *opts, bw_error *error) {
    const bw_scene *scene = plan->list->scene;
    bool *wanted = bwi_arena_alloc(arena, scene->nodes.count, sizeof *wanted);
    uint32_t *nodes = bwi_arena_alloc(arena, scene->nodes.count, sizeof *nodes);
    if (!wanted || !nodes)
        return bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), scene->nodes.count * sizeof *nodes);
    for (size_t k = 0; k < opts->attach.count; ++k) {
        bw_result result = mark_list(wanted, scene, arena, opts->attach.data[k], error);
        if (result != BW_OK)
            return result;
    }
    plan->attachments = nodes;
    plan->attachment_count = 0;
    for (uint32_t i = 0; i < scene->nodes.count; ++i)
        if (wanted[i])
            nodes[plan->attachment_count++] = i;
    return BW_OK;
}

static bw_result find_event_clip(bwi_vat_clip **clip, bwi_vat_plan *plan, bwi_arena *arena, const bw_vat_event *event,
                                 bw_error *error) {
    const char *names = "";
    for (uint32_t c = 0; c < plan->clip_count; ++c) {
        if (strcmp(plan->clips[c].out.name, event->clip) == 0) {
            *clip = &plan->clips[c];
            return BW_OK;
        }
        if (names && c < 12)
            names = bwi_arena_printf(arena, "%s%s%s", names, c ? ", " : "", plan->clips[c].out.name);
    }
    return bwi_fail(error, BW_ERR_UNKNOWN_CLIP, plan->list->scene->path, -1,
                    "event '%.64s' is of clip '%.64s', which is not baked; there are: %s", event->name, event->clip,
                    names ? names : "");
}

/* Keeps the clip's events in order of time; those of one time in the order given. */
static bw_result add_event(bwi_vat_plan *plan, bwi_arena *arena, const bw_vat_event *event, size_t most,
                           bw_error *error) {
    if (!event->clip || !event->name || !*event->name || !bwi_is_utf8(event->name))
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1, "an event has no clip, or no name of UTF-8 text; give both");
    bwi_vat_clip *clip = NULL;
    bw_result result = find_event_clip(&clip, plan, arena, event, error);
    if (result != BW_OK)
        return result;
    const double length = clip->out.source_end_s - clip->out.source_start_s;
    if (!(event->time_s >= 0.0 && event->time_s <= length))
        return bwi_fail(error, BW_ERR_USAGE, NULL, -1,
                        "event '%.64s' is at %g s, outside clip '%s', which lasts %g s; give a time from 0 on",
                        event->name, event->time_s, clip->out.name, length);
    if (!clip->out.events.data)
        clip->out.events.data = bwi_arena_alloc(arena, most, sizeof *clip->out.events.data);
    const char *name = bwi_arena_string(arena, event->name, SIZE_MAX);
    if (!clip->out.events.data || !name)
        return bwi_fail_memory(error, NULL, bwi_arena_mem(arena), most * sizeof *clip->out.events.data);
    size_t at = clip->out.events.count++;
    for (; at > 0 && clip->out.events.data[at - 1].time_s > event->time_s; --at)
        clip->out.events.data[at] = clip->out.events.data[at - 1];
    clip->out.events.data[at] = (bwi_manifest_event){name, event->time_s};
    return BW_OK;
}

bw_result bwi_vat_choose_tracks(bwi_vat_plan *plan, bwi_arena *arena, const bw_vat_opts *opts, bw_error *error) {
    bw_result result = choose_root(plan, arena, opts, error);
    if (result == BW_OK)
        result = choose_attachments(plan, arena, opts, error);
    for (size_t k = 0; result == BW_OK && k < opts->events.count; ++k)
        result = add_event(plan, arena, &opts->events.data[k], opts->events.count, error);
    return result;
}
