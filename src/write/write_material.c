/* SPDX-License-Identifier: MIT
 * Carries materials through to a GLB: keeps what is used, renumbers textures, samplers and images, names the extensions. */
#include <string.h>

#include "base/error.h"
#include "write/write_priv.h"

typedef struct collector {
    bwi_arena *arena;
    const bw_scene *scene;
    bw_error *error;
    json_t *extensions;                     /* object: the set of names seen */
    uint32_t *textures, *samplers, *images; /* of the scene: 1 where used, then the new index */
    bool renumber;                          /* second walk: indices are replaced */
    bool failed;                            /* out of memory inside jansson */
} collector;

static bool ends_in_texture(const char *key) {
    size_t length = strlen(key);
    return length >= 7 && (strcmp(key + length - 7, "Texture") == 0 || strcmp(key + length - 7, "texture") == 0);
}

static bw_result parse(collector *c, json_t **out, const char *text) {
    return bwi_json_parse(out, text, strlen(text), bwi_arena_mem(c->arena), c->scene->path, c->error);
}

/* Index that stands under a key, or BW_NO_INDEX where there is none below count. */
static uint32_t index_at(const json_t *object, const char *key, size_t count) {
    const json_t *value = json_object_get(object, key);
    json_int_t index = json_is_integer(value) ? json_integer_value(value) : -1;
    return index >= 0 && (uint64_t)index < count ? (uint32_t)index : BW_NO_INDEX;
}

static void set_index(collector *c, json_t *object, const char *key, uint32_t index) {
    c->failed |= json_object_set_new(object, key, json_integer((json_int_t)index)) != 0;
}

/* Walks a material: marks or renumbers every texture it names, notes every extension.  Any object under a key that
 * ends in "Texture" and has an index is a textureInfo, in the core and in every material extension. */
static void walk(collector *c, json_t *value) {
    if (json_is_array(value)) {
        for (size_t k = 0; k < json_array_size(value); k++)
            walk(c, json_array_get(value, k));
        return;
    }
    const char *key;
    json_t *child;
    void *next;
    json_object_foreach_safe(value, next, key, child) {
        if (strcmp(key, "extras") == 0)
            continue;
        if (json_is_object(child) && ends_in_texture(key) && json_object_get(child, "index")) {
            uint32_t texture = index_at(child, "index", c->scene->textures.count);
            if (texture == BW_NO_INDEX) {
                json_object_del(value, key);
                continue;
            }
            if (c->renumber)
                set_index(c, child, "index", c->textures[texture]);
            else
                c->textures[texture] = 1;
        }
        if (json_is_object(child) && strcmp(key, "extensions") == 0) {
            /* Levels of detail point at other materials, which may not be there. */
            json_object_del(child, "MSFT_lod");
            if (json_object_size(child) == 0) {
                json_object_del(value, key);
                continue;
            }
            c->failed |= json_object_update(c->extensions, child) != 0;
        }
        walk(c, child);
    }
}

/* Turns marks into new indices, ascending.  Returns how many there are. */
static uint32_t number(uint32_t *marks, size_t count) {
    uint32_t next = 0;
    for (size_t k = 0; k < count; k++)
        marks[k] = marks[k] ? next++ : BW_NO_INDEX;
    return next;
}

static uint32_t *marks_of(collector *c, size_t count) {
    return bwi_arena_alloc(c->arena, count, sizeof(uint32_t));
}

static bool has_data(const bw_scene *scene, uint32_t image) {
    return image != BW_NO_INDEX && scene->images.data[image].data;
}

/* Marks or renumbers the sampler and images of a texture, which may name further images in extensions.  In: required —
 * names of the extensions without which the texture has no image, added to; NULL on the first walk. */
static void walk_texture(collector *c, json_t *texture, uint32_t image, json_t *required) {
    const bw_scene *scene = c->scene;
    uint32_t sampler = index_at(texture, "sampler", scene->samplers.count);
    if (sampler == BW_NO_INDEX)
        json_object_del(texture, "sampler");
    else if (c->renumber)
        set_index(c, texture, "sampler", c->samplers[sampler]);
    else
        c->samplers[sampler] = 1;

    bool has_source = has_data(scene, image);
    if (has_source && c->renumber)
        set_index(c, texture, "source", c->images[image]);
    else if (has_source)
        c->images[image] = 1;

    json_t *extensions = json_object_get(texture, "extensions"), *extension;
    const char *name;
    void *next;
    json_object_foreach_safe(extensions, next, name, extension) {
        if (!json_object_get(extension, "source"))
            continue;
        uint32_t source = index_at(extension, "source", scene->images.count);
        if (!has_data(scene, source)) {
            json_object_del(extensions, name);
            continue;
        }
        if (c->renumber)
            set_index(c, extension, "source", c->images[source]);
        else
            c->images[source] = 1;
        if (required && !has_source)
            c->failed |= json_object_set_new(required, name, json_true()) != 0;
    }
    if (json_object_size(extensions) == 0)
        json_object_del(texture, "extensions");
    else
        c->failed |= json_object_update(c->extensions, extensions) != 0;
}

static bw_result collect_materials(collector *c, bwi_glb_materials *out, const bwi_draw_list *list) {
    size_t count = c->scene->materials.count;
    uint32_t *index = marks_of(c, count);
    if (!index)
        return bwi_fail_memory(c->error, c->scene->path, bwi_arena_mem(c->arena), count * sizeof *index);
    for (uint32_t k = 0; k < list->primitive_count; k++) {
        if (list->primitives[k].material != BW_NO_INDEX)
            index[list->primitives[k].material] = 1;
    }
    number(index, count);
    out->material_index = index;
    for (size_t k = 0; k < count; k++) {
        json_t *material;
        if (index[k] == BW_NO_INDEX)
            continue;
        bw_result result = parse(c, &material, c->scene->materials.data[k].json);
        if (result != BW_OK)
            return result;
        walk(c, material);
        c->failed |= json_array_append_new(out->materials, material) != 0;
    }
    return BW_OK;
}

static bw_result collect_textures(collector *c, bwi_glb_materials *out) {
    for (size_t k = 0; k < c->scene->textures.count; k++) {
        const bw_texture *texture = &c->scene->textures.data[k];
        json_t *json;
        if (!c->textures[k])
            continue;
        bw_result result = parse(c, &json, texture->json);
        if (result != BW_OK)
            return result;
        walk_texture(c, json, texture->image, NULL);
        c->failed |= json_array_append_new(out->textures, json) != 0;
    }
    return BW_OK;
}

static bw_result collect_samplers(collector *c, bwi_glb_materials *out) {
    for (size_t k = 0; k < c->scene->samplers.count; k++) {
        json_t *sampler;
        if (!c->samplers[k])
            continue;
        bw_result result = parse(c, &sampler, c->scene->samplers.data[k]);
        if (result != BW_OK)
            return result;
        walk(c, sampler);
        c->failed |= json_array_append_new(out->samplers, sampler) != 0;
    }
    return BW_OK;
}

static bw_result collect_images(collector *c, bwi_glb_materials *out) {
    size_t count = c->scene->images.count, used = 0;
    uint32_t *list = bwi_arena_alloc(c->arena, count, sizeof *list);
    if (!list)
        return bwi_fail_memory(c->error, c->scene->path, bwi_arena_mem(c->arena), count * sizeof *list);
    for (size_t k = 0; k < count; k++) {
        if (c->images[k])
            list[used++] = (uint32_t)k;
    }
    out->images.data = list;
    out->images.count = used;
    return BW_OK;
}

/* Second walk: every index becomes that of the written file. */
static void renumber(collector *c, bwi_glb_materials *out, json_t *required) {
    size_t written = 0;
    c->renumber = true;
    number(c->samplers, c->scene->samplers.count);
    number(c->images, c->scene->images.count);
    for (size_t k = 0; k < c->scene->textures.count; k++) {
        if (c->textures[k])
            walk_texture(c, json_array_get(out->textures, written++), c->scene->textures.data[k].image, required);
    }
    number(c->textures, c->scene->textures.count);
    for (size_t k = 0; k < json_array_size(out->materials); k++)
        walk(c, json_array_get(out->materials, k));
}

/* The keys of a set, sorted, so that their order does not hang on which material came first. */
static bool names_of(json_t *array, json_t *set) {
    const char *last = "";
    for (size_t k = 0; k < json_object_size(set); k++) {
        const char *least = NULL, *name;
        json_t *value;
        json_object_foreach(set, name, value) {
            if (strcmp(name, last) > 0 && (!least || strcmp(name, least) < 0))
                least = name;
        }
        if (!least)
            break;
        if (json_array_append_new(array, json_string(least)) != 0)
            return false;
        last = least;
    }
    return true;
}

static bw_result collect(collector *c, bwi_glb_materials *out, const bwi_draw_list *list, json_t *required) {
    bw_result result = collect_materials(c, out, list);
    if (result == BW_OK)
        result = collect_textures(c, out);
    if (result == BW_OK)
        result = collect_samplers(c, out);
    if (result == BW_OK)
        result = collect_images(c, out);
    if (result != BW_OK)
        return result;
    renumber(c, out, required);
    if (c->failed || !names_of(out->extensions_used, c->extensions) || !names_of(out->extensions_required, required))
        return bwi_fail_memory(c->error, c->scene->path, bwi_arena_mem(c->arena), 0);
    return BW_OK;
}

bw_result bwi_glb_materials_collect(bwi_glb_materials *materials, bwi_arena *arena, const bwi_draw_list *list,
                                    const bw_scene *scene, bw_error *error) {
    bwi_glb_materials out = {json_array(), json_array(), json_array(), json_array(), json_array(), NULL, {NULL, 0}};
    bw_result result = BW_OK;
    if (scene) {
        collector c = {.arena = arena, .scene = scene, .error = error, .extensions = json_object()};
        json_t *required = json_object();
        c.textures = marks_of(&c, scene->textures.count);
        c.samplers = marks_of(&c, scene->samplers.count);
        c.images = marks_of(&c, scene->images.count);
        if (!c.textures || !c.samplers || !c.images)
            result =
                bwi_fail_memory(error, scene->path, bwi_arena_mem(arena), scene->textures.count * sizeof(uint32_t));
        else
            result = collect(&c, &out, list, required);
        json_decref(required);
        json_decref(c.extensions);
    }
    if (result == BW_OK)
        *materials = out;
    else
        bwi_glb_materials_free(&out);
    return result;
}

void bwi_glb_materials_free(bwi_glb_materials *materials) {
    json_decref(materials->materials);
    json_decref(materials->textures);
    json_decref(materials->samplers);
    json_decref(materials->extensions_used);
    json_decref(materials->extensions_required);
    *materials = (bwi_glb_materials){0};
}
