/* SPDX-License-Identifier: MIT
 * Animations become clips: which channels can be played, and what the clips are called. */
#include <string.h>

#include "read/gltf/gltf_priv.h"
#include "scene/scene.h"

/* What the animations of one file share while they are read. */
typedef struct clip_reader {
    json_t *names;       /* clip name → next number for its copies */
    uint32_t *last_clip; /* [node][path]: animation that drives it, + 1 */
} clip_reader;

static const char *const path_names[] = {[BW_CHANNEL_TRANSLATION] = "translation",
                                         [BW_CHANNEL_ROTATION] = "rotation",
                                         [BW_CHANNEL_SCALE] = "scale",
                                         [BW_CHANNEL_WEIGHTS] = "weights"};

/* False: the channel drives nothing that a bake plays; a warning says why. */
static bool can_play(bwi_gltf *g, bw_channel *channel, const bwi_gltf_place *place, const json_t *target,
                     const char *path) {
    if (path && strcmp(path, "pointer") == 0) {
        bwi_gltf_warn(g, "channel-pointer", 1, place,
                      "channels of KHR_animation_pointer drive properties that are not baked; they were left out");
        return false;
    }
    channel->path = 0;
    for (unsigned i = BW_CHANNEL_TRANSLATION; path && i <= BW_CHANNEL_WEIGHTS; i++) {
        channel->path = strcmp(path, path_names[i]) == 0 ? (bw_channel_path)i : channel->path;
    }
    if (!channel->path) {
        bwi_gltf_warn(g, "channel-unknown-path", 1, place,
                      "channels whose target path is not translation, rotation, scale or weights were left out");
        return false;
    }
    if (channel->node == BW_NO_INDEX) {
        bwi_gltf_warn(g, "channel-without-node", 1, place,
                      bwi_gltf_extension(target, "KHR_animation_pointer")
                          ? "channels of KHR_animation_pointer drive properties that are not baked"
                          : "channels without a target node were left out");
        return false;
    }
    const bw_node *node = &g->nodes[channel->node];
    if (channel->path == BW_CHANNEL_WEIGHTS) {
        channel->component_count = node->mesh == BW_NO_INDEX ? 0 : g->meshes[node->mesh].target_count;
        if (channel->component_count == 0) {
            bwi_gltf_warn(g, "channel-without-morphs", 1, place,
                          "channels of weights on nodes without morph targets were left out");
            return false;
        }
        return true;
    }
    channel->component_count = channel->path == BW_CHANNEL_ROTATION ? 4 : 3;
    if (node->has_matrix) {
        bwi_gltf_warn(g, "channel-on-matrix", 1, place,
                      "channels on nodes with a matrix, which glTF forbids, were left out");
        return false;
    }
    return true;
}

static bw_result read_channel(bwi_gltf *g, clip_reader *reader, bw_channel *channel, bool *kept,
                              const bwi_gltf_place *place, const json_t *json, const json_t *samplers,
                              uint32_t animation) {
    json_t *target;
    uint32_t sampler;
    const char *path;
    *kept = false;
    if (!json_is_object(json)) {
        return bwi_gltf_malformed(g, place, "it is no object");
    }
    BWI_GLTF_TRY(bwi_gltf_get_object(g, &target, place, json, "target"));
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &channel->node, place, target, "node", g->nodes_json));
    BWI_GLTF_TRY(bwi_gltf_get_string(g, &path, place, target, "path"));
    if (!can_play(g, channel, place, target, path)) {
        return BW_OK;
    }
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &sampler, place, json, "sampler", samplers));
    const json_t *sampler_json = json_array_get(samplers, sampler);
    if (!json_is_object(sampler_json)) {
        return bwi_gltf_malformed(g, place, "it has no sampler, expected an index into the animation's samplers");
    }
    uint32_t *last = &reader->last_clip[(size_t)channel->node * 4 + (unsigned)channel->path - 1];
    if (*last == animation + 1) {
        bwi_gltf_warn(g, "channel-duplicate", 1, place,
                      "channels of one animation drive the same property; the first was kept");
        return BW_OK;
    }
    BWI_GLTF_TRY(bwi_gltf_read_sampler(g, channel, place, sampler_json));
    if (channel->key_count == 0) {
        bwi_gltf_warn(g, "channel-without-keys", 1, place, "channels without keys were left out");
        return BW_OK;
    }
    *last = animation + 1;
    *kept = true;
    return BW_OK;
}

/* "Run", then "Run.1", "Run.2": copies count on from the last one, so that many equal names stay cheap. */
static bw_result name_clip(bwi_gltf *g, clip_reader *reader, const char **out, const char *text, uint32_t animation) {
    const char *base, *name;
    BWI_GLTF_TRY(bwi_gltf_copy_name(g, &base, text, "clip", animation));
    name = base;
    json_int_t number = json_integer_value(json_object_get(reader->names, base));
    while (json_object_get(reader->names, name)) {
        name = bwi_arena_printf(g->arena, "%s.%lld", base, (long long)(number > 0 ? number : 1));
        if (!name) {
            return bwi_fail_memory(g->error, g->path, g->mem, strlen(base) + 24);
        }
        number = number > 0 ? number + 1 : 2;
    }
    if ((name != base && json_object_set_new(reader->names, base, json_integer(number))) ||
        json_object_set_new(reader->names, name, json_integer(1))) {
        return bwi_fail_memory(g->error, g->path, g->mem, strlen(name) + 64);
    }
    *out = name;
    return BW_OK;
}

static bw_result read_animation(bwi_gltf *g, clip_reader *reader, bw_clip *clip, bool *kept, uint32_t index) {
    const json_t *json = json_array_get(g->animations_json, index);
    bwi_gltf_place place = bwi_gltf_place_of(NULL, "animation", index, json);
    json_t *channels, *samplers;
    BWI_GLTF_TRY(bwi_gltf_get_array(g, &channels, &place, json, "channels"));
    BWI_GLTF_TRY(bwi_gltf_get_array(g, &samplers, &place, json, "samplers"));
    size_t count = json_array_size(channels), used = 0;
    bw_channel *list = bwi_gltf_alloc(g, g->arena, count, sizeof(*list));
    if (!list) {
        return BW_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bwi_gltf_place here = {&place, "channel", i, NULL};
        bw_channel channel = {0};
        bool usable;
        BWI_GLTF_TRY(read_channel(g, reader, &channel, &usable, &here, json_array_get(channels, i), samplers, index));
        if (usable) {
            list[used++] = channel;
        }
    }
    *kept = used > 0;
    if (!*kept) {
        bwi_gltf_warn(g, "clip-empty", 1, &place, "animations without a channel that can be played were left out");
        return BW_OK;
    }
    clip->channels.data = list;
    clip->channels.count = used;
    bwi_scene_measure_clip(clip);
    return name_clip(g, reader, &clip->name, place.name, index);
}

static bw_result read_all(bwi_gltf *g, clip_reader *reader, bw_clip *clips, size_t count) {
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool kept;
        BWI_GLTF_TRY(read_animation(g, reader, &clips[used], &kept, i));
        used += kept;
        if (!bwi_progress_step(g->progress, 1)) {
            return bwi_fail_cancelled(g->error);
        }
    }
    g->scene->clips.data = clips;
    g->scene->clips.count = used;
    return BW_OK;
}

bw_result bwi_gltf_read_animations(bwi_gltf *g) {
    size_t count = json_array_size(g->animations_json);
    bw_clip *clips = bwi_gltf_alloc(g, g->arena, count, sizeof(*clips));
    clip_reader reader = {0};
    reader.last_clip = clips ? bwi_gltf_alloc(g, g->scratch, g->scene->nodes.count, 4 * sizeof(uint32_t)) : NULL;
    if (!reader.last_clip) {
        return BW_ERR_MEMORY;
    }
    reader.names = json_object();
    bw_result result =
        reader.names ? read_all(g, &reader, clips, count) : bwi_fail_memory(g->error, g->path, g->mem, 64);
    json_decref(reader.names);
    return result;
}
