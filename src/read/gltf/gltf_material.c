/* SPDX-License-Identifier: MIT
 * Materials, textures and samplers: carried through as JSON text, after a check that their indices point at something. */
#include <string.h>

#include "read/gltf/gltf_priv.h"

/* The object's text without the member `left_out` (NULL: whole), on one line. */
static bw_result keep_json(bwi_gltf *g, const char **out, const json_t *object, const char *left_out) {
    bwi_json_writer *w = bwi_json_writer_create(g->mem, NULL, 0);
    if (!w) {
        return bwi_fail_memory(g->error, g->path, g->mem, 4096);
    }
    const char *key;
    json_t *member;
    bwi_json_begin_object(w);
    json_object_foreach((json_t *)object, key, member) {
        if (!left_out || strcmp(key, left_out) != 0) {
            bwi_json_key(w, key);
            bwi_json_value(w, member);
        }
    }
    bwi_json_end_object(w);
    char *text;
    size_t size;
    if (!bwi_json_writer_end(w, &text, &size)) {
        return bwi_fail_memory(g->error, g->path, g->mem, 4096);
    }
    while (size > 0 && text[size - 1] == '\n') {
        size--;
    }
    const char *copy = bwi_arena_string(g->arena, text, size);
    bwi_free(g->mem, text);
    if (!copy) {
        return bwi_fail_memory(g->error, g->path, g->mem, size + 1);
    }
    *out = copy;
    return BW_OK;
}

/* Collects the names of extensions and checks texture indices ("…Texture": {"index": n}) anywhere below value. */
static bw_result inspect(bwi_gltf *g, json_t *names, const bwi_gltf_place *place, const json_t *value) {
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_array(value)) {
        json_array_foreach(value, i, member) {
            BWI_GLTF_TRY(inspect(g, names, place, member));
        }
    }
    json_object_foreach((json_t *)value, key, member) {
        size_t length = strlen(key);
        if (strcmp(key, "extras") == 0) {
            continue;
        }
        if (strcmp(key, "extensions") == 0) {
            const char *extension;
            json_t *content;
            json_object_foreach(member, extension, content) {
                if (json_object_set_new(names, extension, json_true())) {
                    return bwi_fail_memory(g->error, g->path, g->mem, strlen(extension) + 64);
                }
            }
        } else if (length >= 7 &&
                   (strcmp(key + length - 7, "Texture") == 0 || strcmp(key + length - 7, "texture") == 0)) {
            const bwi_gltf_place here = {place, key, BW_NO_INDEX, NULL};
            uint32_t texture;
            BWI_GLTF_TRY(bwi_gltf_get_index(g, &texture, &here, member, "index", g->textures_json));
        }
        BWI_GLTF_TRY(inspect(g, names, place, member));
    }
    return BW_OK;
}

static bw_result read_materials(bwi_gltf *g, json_t *names) {
    size_t count = json_array_size(g->materials_json);
    bw_material *materials = bwi_gltf_alloc(g, g->arena, count, sizeof(*materials));
    if (!materials) {
        return BW_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(g->materials_json, i);
        bwi_gltf_place place = bwi_gltf_place_of(NULL, "material", i, json);
        BWI_GLTF_TRY(inspect(g, names, &place, json));
        BWI_GLTF_TRY(bwi_gltf_copy_name(g, &materials[i].name, place.name, "material", i));
        BWI_GLTF_TRY(keep_json(g, &materials[i].json, json, NULL));
    }
    g->scene->materials.data = materials;
    g->scene->materials.count = count;
    return BW_OK;
}

static bw_result read_textures(bwi_gltf *g, json_t *names) {
    size_t count = json_array_size(g->textures_json);
    bw_texture *textures = bwi_gltf_alloc(g, g->arena, count, sizeof(*textures));
    if (!textures) {
        return BW_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(g->textures_json, i);
        bwi_gltf_place place = bwi_gltf_place_of(NULL, "texture", i, json);
        uint32_t sampler;
        BWI_GLTF_TRY(inspect(g, names, &place, json));
        BWI_GLTF_TRY(bwi_gltf_get_index(g, &sampler, &place, json, "sampler", g->samplers_json));
        BWI_GLTF_TRY(bwi_gltf_get_index(g, &textures[i].image, &place, json, "source", g->images_json));
        BWI_GLTF_TRY(keep_json(g, &textures[i].json, json, "source"));
    }
    g->scene->textures.data = textures;
    g->scene->textures.count = count;
    return BW_OK;
}

static bw_result read_samplers(bwi_gltf *g, json_t *names) {
    size_t count = json_array_size(g->samplers_json);
    const char **samplers = bwi_gltf_alloc(g, g->arena, count, sizeof(*samplers));
    if (!samplers) {
        return BW_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(g->samplers_json, i);
        bwi_gltf_place place = bwi_gltf_place_of(NULL, "sampler", i, json);
        BWI_GLTF_TRY(inspect(g, names, &place, json));
        BWI_GLTF_TRY(keep_json(g, &samplers[i], json, NULL));
    }
    g->scene->samplers.data = samplers;
    g->scene->samplers.count = count;
    return BW_OK;
}

static bw_result keep_names(bwi_gltf *g, const json_t *names) {
    size_t count = json_object_size(names), used = 0;
    const char **list = bwi_gltf_alloc(g, g->arena, count, sizeof(*list));
    if (!list) {
        return BW_ERR_MEMORY;
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)names, key, value) {
        BWI_GLTF_TRY(bwi_gltf_copy_name(g, &list[used], key, "extension", (uint32_t)used));
        used++;
    }
    g->scene->material_extensions = (bw_string_list){list, used};
    return BW_OK;
}

static bw_result read_all(bwi_gltf *g, json_t *names) {
    BWI_GLTF_TRY(read_materials(g, names));
    BWI_GLTF_TRY(read_textures(g, names));
    BWI_GLTF_TRY(read_samplers(g, names));
    return keep_names(g, names);
}

bw_result bwi_gltf_read_materials(bwi_gltf *g) {
    json_t *names = json_object();
    bw_result result = names ? read_all(g, names) : bwi_fail_memory(g->error, g->path, g->mem, 64);
    json_decref(names);
    return result;
}
