/* SPDX-License-Identifier: MIT
 * Clips of other scenes: their channels find nodes by name, and are copied into the scene's arena. */
#include <stdlib.h>
#include <string.h>

#include "scene/scene_priv.h"

const char *bwi_adopter_name(const bwi_clip_adopter *a, const char *name) {
    return strncmp(name, a->prefix, a->prefix_length) == 0 ? name + a->prefix_length : name;
}

static int compare_targets(const void *a, const void *b) {
    const bwi_adopter_target *x = a, *y = b;
    int by_name = strcmp(x->name, y->name);
    if (by_name != 0) {
        return by_name;
    }
    if (x->joint != y->joint) {
        return x->joint ? -1 : 1;
    }
    return x->node < y->node ? -1 : x->node > y->node;
}

bw_result bwi_clip_adopter_begin(bwi_clip_adopter **adopter, bwi_arena *scratch, bw_scene *scene, const char *prefix,
                                 bw_error *error) {
    bwi_clip_adopter *a = bwi_arena_alloc(scratch, 1, sizeof(*a));
    bwi_adopter_target *targets = bwi_arena_alloc(scratch, scene->nodes.count, sizeof(*targets));
    if (!a || !targets) {
        return bwi_fail_memory(error, scene->path, bwi_arena_mem(scratch), scene->nodes.count * sizeof(*targets));
    }
    a->scene = scene;
    a->scratch = scratch;
    a->prefix = prefix ? prefix : "";
    a->prefix_length = strlen(a->prefix);
    a->targets = targets;
    for (uint32_t n = 0; n < scene->nodes.count; n++) {
        targets[n] = (bwi_adopter_target){bwi_adopter_name(a, scene->nodes.data[n].name), n, false};
    }
    for (size_t s = 0; s < scene->skins.count; s++) {
        for (size_t k = 0; k < scene->skins.data[s].joints.count; k++) {
            targets[scene->skins.data[s].joints.data[k]].joint = true;
        }
    }
    qsort(targets, scene->nodes.count, sizeof(*targets), compare_targets);
    *adopter = a;
    return BW_OK;
}

/* The first of several targets of that name; NULL: none. */
static const bwi_adopter_target *find_target(const bwi_clip_adopter *a, const char *name) {
    size_t low = 0, high = a->scene->nodes.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(a->targets[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < a->scene->nodes.count && strcmp(a->targets[low].name, name) == 0 ? &a->targets[low] : NULL;
}

static bool has_namesake(const bwi_clip_adopter *a, const bwi_adopter_target *target) {
    const bwi_adopter_target *next = target + 1;
    return next < a->targets + a->scene->nodes.count && strcmp(next->name, target->name) == 0 &&
           next->joint == target->joint;
}

/* For each node of `from`: whether a channel drives it, and which node of the scene has its name. */
static bw_result map_nodes(bwi_adopter_node **out, const bwi_clip_adopter *a, const bw_scene *from, bw_error *error) {
    bwi_adopter_node *nodes = bwi_arena_alloc(a->scratch, from->nodes.count, sizeof(*nodes));
    if (!nodes) {
        return bwi_fail_memory(error, from->path, bwi_arena_mem(a->scratch), from->nodes.count * sizeof(*nodes));
    }
    for (size_t n = 0; n < from->nodes.count; n++) {
        nodes[n].target = find_target(a, bwi_adopter_name(a, from->nodes.data[n].name));
    }
    for (size_t c = 0; c < from->clips.count; c++) {
        for (size_t k = 0; k < from->clips.data[c].channels.count; k++) {
            nodes[from->clips.data[c].channels.data[k].node].driven++;
        }
    }
    *out = nodes;
    return BW_OK;
}

static uint32_t count_fitting(const bw_scene *from, const bwi_adopter_node *nodes) {
    uint32_t fitting = 0;
    for (size_t n = 0; n < from->nodes.count; n++) {
        fitting += nodes[n].driven && nodes[n].target;
    }
    return fitting;
}

bw_result bwi_clip_adopter_fit(bwi_clip_adopter *adopter, const bw_scene *from, uint32_t *fitting, uint32_t *driven,
                               bw_error *error) {
    bwi_adopter_node *nodes = NULL;
    bw_result result = map_nodes(&nodes, adopter, from, error);
    if (result != BW_OK) {
        return result;
    }
    const bool joints = adopter->scene->skins.count > 0;
    *fitting = *driven = 0;
    for (size_t n = 0; n < from->nodes.count; n++) {
        *driven += nodes[n].driven > 0;
        *fitting += nodes[n].driven && nodes[n].target && (nodes[n].target->joint || !joints);
    }
    return BW_OK;
}

static void *copy(bwi_arena *arena, const void *data, size_t count, size_t size) {
    void *block = bwi_arena_alloc(arena, count, size);
    if (block) {
        memcpy(block, data, count * size);
    }
    return block;
}

/* What adding one file needs. */
typedef struct file_adoption {
    bwi_clip_adopter *adopter;
    const bw_scene *from;
    const char *file;
    bwi_adopter_node *nodes;
    bwi_warnings *warnings;
    uint32_t *last_clip; /* [scene's node][path]: clip that drives it, + 1 */
    bw_error *error;
} file_adoption;

/* False: the channel has no place in the scene; but for unknown nodes, which are listed together, a warning says why. */
static bool has_place(file_adoption *f, const bw_channel *channel, uint32_t clip) {
    const bwi_clip_adopter *a = f->adopter;
    const bwi_adopter_target *target = f->nodes[channel->node].target;
    if (!target) {
        return false;
    }
    const bw_node *node = &a->scene->nodes.data[target->node];
    if (channel->path != BW_CHANNEL_WEIGHTS && node->has_matrix) {
        bwi_warn(
            f->warnings, "clip-node-matrix", 1,
            "channels of clip files drive nodes that have a matrix in the scene, and cannot be animated; they were "
            "left out",
            "%s: node %s", f->file, node->name);
        return false;
    }
    const uint32_t targets = node->mesh == BW_NO_INDEX ? 0 : a->scene->meshes.data[node->mesh].target_count;
    if (channel->path == BW_CHANNEL_WEIGHTS && channel->component_count != targets) {
        bwi_warn(f->warnings, "clip-morphs-differ", 1,
                 "channels of clip files drive another number of morph targets than the scene's mesh has; they were "
                 "left out",
                 "%s: node %s, %u targets, expected %u", f->file, node->name, channel->component_count, targets);
        return false;
    }
    uint32_t *last = &f->last_clip[(size_t)target->node * 4 + (unsigned)channel->path - 1];
    if (*last == clip + 1) {
        bwi_warn(f->warnings, "clip-node-twice", 1,
                 "two nodes of a clip file have the name of one node of the scene; the first was taken", "%s: node %s",
                 f->file, node->name);
        return false;
    }
    *last = clip + 1;
    if (has_namesake(a, target)) {
        bwi_warn(f->warnings, "clip-node-ambiguous", 1,
                 "several nodes of the scene have the name that a clip file drives; the first was taken", "%s: node %s",
                 f->file, node->name);
    }
    return true;
}

/* Channels of one clip often share their times. */
static bool copy_channel(bw_channel *out, bwi_arena *arena, const bw_channel *in, uint32_t node,
                         const bw_channel *previous, const bw_channel *previous_copy) {
    const size_t values = (size_t)in->component_count * (in->interpolation == BW_INTERPOLATION_CUBICSPLINE ? 3 : 1);
    *out = *in;
    out->node = node;
    out->times_s = previous && previous->times_s == in->times_s && previous->key_count == in->key_count
                       ? previous_copy->times_s
                       : copy(arena, in->times_s, in->key_count, sizeof(float));
    out->values = copy(arena, in->values, in->key_count, values * sizeof(float));
    return out->times_s && out->values;
}

static bw_result adopt_clip(file_adoption *f, bwi_adopted_clip *out, bool *kept, uint32_t index) {
    const bw_clip *clip = &f->from->clips.data[index];
    bwi_arena *arena = f->adopter->scene->arena;
    bw_channel *channels = bwi_arena_alloc(arena, clip->channels.count, sizeof(*channels));
    const bw_channel *previous = NULL;
    size_t used = 0;
    bool fits = channels != NULL;
    for (size_t k = 0; fits && k < clip->channels.count; k++) {
        const bw_channel *channel = &clip->channels.data[k];
        if (has_place(f, channel, index)) {
            fits = copy_channel(&channels[used], arena, channel, f->nodes[channel->node].target->node, previous,
                                used ? &channels[used - 1] : NULL);
            previous = channel;
            used++;
        }
    }
    out->file_name = fits ? bwi_arena_string(arena, clip->name, SIZE_MAX) : NULL;
    if (!out->file_name) {
        return bwi_fail_memory(f->error, f->from->path, bwi_arena_mem(arena), clip->channels.count * sizeof(*channels));
    }
    *kept = used > 0;
    if (*kept) {
        out->clip.channels.data = channels;
        out->clip.channels.count = used;
        bwi_scene_measure_clip(&out->clip);
    } else {
        bwi_warn(f->warnings, "clip-without-nodes", 1, "clips that drive no node of the scene were left out",
                 "%s: clip %s", f->file, clip->name);
    }
    return BW_OK;
}

static bw_result grow(bwi_clip_adopter *a, size_t count, bw_error *error) {
    bwi_adopted_clip *clips = bwi_arena_alloc(a->scratch, a->count + count, sizeof(*clips));
    if (!clips) {
        return bwi_fail_memory(error, a->scene->path, bwi_arena_mem(a->scratch), (a->count + count) * sizeof(*clips));
    }
    if (a->count) {
        memcpy(clips, a->clips, a->count * sizeof(*clips));
    }
    a->clips = clips;
    return BW_OK;
}

/* What the reader said of the file's clips; of its meshes nothing is used. */
static void carry_warnings(const file_adoption *f) {
    static const char *const codes[] = {"channel-", "clip-", "keys-", "rotation-keys-", "cubic-", "values-"};
    for (size_t k = 0; k < f->from->warnings.count; k++) {
        const bw_warning *warning = &f->from->warnings.data[k];
        for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
            if (strncmp(warning->code, codes[i], strlen(codes[i])) == 0) {
                bwi_warn(f->warnings, warning->code, warning->count, warning->message, "%s: %s", f->file,
                         warning->first);
            }
        }
    }
}

bw_result bwi_clip_adopter_add(bwi_clip_adopter *adopter, const bw_scene *from, bwi_warnings *warnings,
                               bw_error *error) {
    const char *slash = strrchr(from->path, '/');
    file_adoption f = {
        .adopter = adopter, .from = from, .file = slash ? slash + 1 : from->path, .warnings = warnings, .error = error};
    if (!from->clips.count) {
        return bwi_fail(error, BW_ERR_NO_CLIP, from->path, -1,
                        "holds no animation clip, expected some for %s; leave it out of --anim", adopter->scene->path);
    }
    bw_result result = map_nodes(&f.nodes, adopter, from, error);
    if (result != BW_OK) {
        return result;
    }
    if (!count_fitting(from, f.nodes)) {
        return bwi_adopter_fail_unfit(adopter, from, f.nodes, error);
    }
    const size_t nodes = adopter->scene->nodes.count, first = adopter->count;
    f.last_clip = bwi_arena_alloc(adopter->scratch, nodes, 4 * sizeof(uint32_t));
    if (!f.last_clip) {
        return bwi_fail_memory(error, from->path, bwi_arena_mem(adopter->scratch), nodes * 4 * sizeof(uint32_t));
    }
    result = grow(adopter, from->clips.count, error);
    for (uint32_t c = 0; result == BW_OK && c < from->clips.count; c++) {
        bool kept = false;
        bwi_adopted_clip *clip = &adopter->clips[adopter->count];
        result = adopt_clip(&f, clip, &kept, c);
        adopter->count += kept;
    }
    if (result != BW_OK) {
        return result;
    }
    const char *dot = strrchr(f.file, '.');
    const char *stem =
        bwi_arena_string(adopter->scratch, f.file, dot && dot > f.file ? (size_t)(dot - f.file) : SIZE_MAX);
    if (!stem) {
        return bwi_fail_memory(error, from->path, bwi_arena_mem(adopter->scratch), strlen(f.file));
    }
    for (size_t k = first; k < adopter->count; k++) {
        adopter->clips[k].stem = stem;
        adopter->clips[k].alone = from->clips.count == 1;
    }
    carry_warnings(&f);
    bwi_adopter_tell_unknown(from, f.nodes, f.file, warnings);
    bwi_adopter_compare_rest(adopter, from, f.nodes, f.file, warnings);
    return BW_OK;
}

/* Names that are taken, and how often a file brings each. */
typedef struct name_table {
    json_t *counts, *taken;
} name_table;

static bool count_name(json_t *counts, const char *name) {
    const json_int_t count = json_integer_value(json_object_get(counts, name));
    return json_object_set_new_nocheck(counts, name, json_integer(count + 1)) == 0;
}

static bool name_clip(bwi_adopted_clip *clip, const name_table *names, bwi_arena *arena) {
    const char *base = clip->file_name;
    if (json_integer_value(json_object_get(names->counts, base)) > 1) {
        base = clip->alone ? bwi_arena_string(arena, clip->stem, SIZE_MAX)
                           : bwi_arena_printf(arena, "%s.%s", clip->stem, clip->file_name);
    }
    const char *name = base;
    for (unsigned long k = 1; name && json_object_get(names->taken, name); k++) {
        name = bwi_arena_printf(arena, "%s.%lu", base, k);
    }
    clip->clip.name = name;
    return name && json_object_set_new_nocheck(names->taken, name, json_true()) == 0;
}

static bool name_clips(bwi_clip_adopter *a, const name_table *names) {
    bool fits = names->counts && names->taken;
    for (size_t k = 0; fits && k < a->scene->clips.count; k++) {
        const char *name = a->scene->clips.data[k].name;
        fits = count_name(names->counts, name) && json_object_set_new_nocheck(names->taken, name, json_true()) == 0;
    }
    for (size_t k = 0; fits && k < a->count; k++) {
        fits = count_name(names->counts, a->clips[k].file_name);
    }
    for (size_t k = 0; fits && k < a->count; k++) {
        fits = name_clip(&a->clips[k], names, a->scene->arena);
    }
    return fits;
}

bw_result bwi_clip_adopter_end(bwi_clip_adopter *adopter, bw_error *error) {
    bw_scene *scene = adopter->scene;
    const size_t own = scene->clips.count, count = own + adopter->count;
    bw_clip *clips = bwi_arena_alloc(scene->arena, count, sizeof(*clips));
    const name_table names = {json_object(), json_object()};
    const bool fits = clips && name_clips(adopter, &names);
    json_decref(names.counts);
    json_decref(names.taken);
    if (!fits) {
        return bwi_fail_memory(error, scene->path, bwi_arena_mem(scene->arena), count * sizeof(*clips));
    }
    if (own) {
        memcpy(clips, scene->clips.data, own * sizeof(*clips));
    }
    for (size_t k = 0; k < adopter->count; k++) {
        clips[own + k] = adopter->clips[k].clip;
    }
    bw_scene whole = *scene;
    whole.clips.data = clips;
    whole.clips.count = count;
    bw_result result = bwi_scene_validate(&whole, error);
    if (result == BW_OK) {
        *scene = whole;
    }
    return result;
}
