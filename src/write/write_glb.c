/* SPDX-License-Identifier: MIT
 * Writes the mesh of a bake as a GLB.  The binary chunk holds, in this order: one view an attribute over the whole list,
 * one of indices, one an image; each primitive's accessors point at its own vertices in them. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "write/write.h"
#include "write/write_priv.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are written as they lie in memory");

enum {
    ARRAY_BUFFER = 34962,
    ELEMENT_ARRAY_BUFFER = 34963,
    TYPE_U16 = 5123,
    TYPE_U32 = 5125,
    TYPE_F32 = 5126,
    MAGIC = 0x46546C67,
    CHUNK_JSON = 0x4E4F534A,
    CHUNK_BIN = 0x004E4942,
    INDEX_BATCH = 4096
};

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor) TEXT_OF(major) "." TEXT_OF(minor)

typedef struct attribute {
    char name[24];
    uint32_t components, type;
    const uint8_t *data; /* [V] elements of element_size bytes */
    size_t stride;       /* bytes from one to the next in memory; in the file they lie side by side */
} attribute;

typedef struct view {
    uint64_t offset, size;
} view;

typedef struct writer {
    FILE *file;
    const char *path;
    const bwi_draw_list *list;
    const bwi_glb_opts *opts;
    bwi_arena *arena;
    bwi_mem *mem;
    bw_error *error;
    bwi_glb_materials materials;
    attribute *attributes;
    uint32_t attribute_count;
    view *views; /* attributes, indices, images */
    size_t view_count;
    uint64_t *index_offsets; /* [primitive], inside the view of indices */
    uint64_t bin_size;
} writer;

static uint64_t align4(uint64_t size) {
    return (size + 3) & ~UINT64_C(3);
}

/* 65535 itself restarts a primitive. */
static uint32_t index_size(const bwi_draw_primitive *primitive) {
    return primitive->vertex_count <= UINT16_MAX ? 2 : 4;
}

static uint32_t element_size(const attribute *a) {
    return a->components * (a->type == TYPE_U16 ? 2 : 4);
}

static attribute *add_attribute(writer *w, const char *name, int set, uint32_t components, const float *data) {
    attribute *a = &w->attributes[w->attribute_count++];
    *a = (attribute){.components = components, .type = TYPE_F32, .data = (const uint8_t *)data};
    snprintf(a->name, sizeof a->name, set < 0 ? "%s" : "%s_%d", name, set);
    a->stride = element_size(a);
    return a;
}

/* Four of the influences that a vertex has. */
static void add_influences(writer *w, const char *name, int set, const uint16_t *data) {
    attribute *a = add_attribute(w, name, set, 4, NULL);
    a->type = TYPE_U16;
    a->data = (const uint8_t *)(data + 4 * set);
    a->stride = w->list->influence_count * sizeof *data;
}

static bw_result list_attributes(writer *w) {
    const bwi_draw_list *list = w->list;
    size_t most = (size_t)3 + list->uv_set_count + list->color_count + list->influence_count / 2 + list->scalar_count;
    w->attributes = bwi_arena_alloc(w->arena, most, sizeof *w->attributes);
    if (!w->attributes)
        return bwi_fail_memory(w->error, w->path, w->mem, most * sizeof *w->attributes);
    add_attribute(w, "POSITION", -1, 3, list->positions);
    if (list->normals)
        add_attribute(w, "NORMAL", -1, 3, list->normals);
    if (list->tangents)
        add_attribute(w, "TANGENT", -1, 4, list->tangents);
    for (uint32_t k = 0; k < list->uv_set_count; k++)
        add_attribute(w, "TEXCOORD", (int)k, 2, list->uv_sets[k]);
    for (uint32_t k = 0; k < list->color_count; k++)
        add_attribute(w, "COLOR", (int)k, 4, list->colors[k]);
    for (int set = 0; 4 * (uint32_t)set < list->influence_count; set++) {
        add_influences(w, "JOINTS", set, list->joints);
        add_influences(w, "WEIGHTS", set, list->weights);
    }
    for (uint32_t k = 0; k < list->scalar_count; k++)
        add_attribute(w, list->scalars[k].name, -1, 1, list->scalars[k].values);
    return BW_OK;
}

static bw_result fail_too_large(writer *w, uint64_t size) {
    return bwi_fail(w->error, BW_ERR_TOO_LARGE, w->path, -1,
                    "would take %" PRIu64
                    " bytes, a GLB holds at most 4 GiB; bake fewer nodes (--include) or drop images "
                    "(--materials=none)",
                    size);
}

/* Where everything lies in the binary chunk. */
static bw_result lay_out(writer *w) {
    const bwi_draw_list *list = w->list;
    w->view_count = (size_t)w->attribute_count + 1 + w->materials.images.count;
    w->views = bwi_arena_alloc(w->arena, w->view_count, sizeof *w->views);
    w->index_offsets = bwi_arena_alloc(w->arena, list->primitive_count, sizeof *w->index_offsets);
    if (!w->views || !w->index_offsets)
        return bwi_fail_memory(w->error, w->path, w->mem, w->view_count * sizeof *w->views);
    uint64_t end = 0;
    view *next = w->views;
    for (uint32_t k = 0; k < w->attribute_count; k++) {
        *next = (view){end, (uint64_t)list->vertex_count * element_size(&w->attributes[k])};
        end += (next++)->size;
    }
    uint64_t index_bytes = 0;
    for (uint32_t k = 0; k < list->primitive_count; k++) {
        const bwi_draw_primitive *primitive = &list->primitives[k];
        w->index_offsets[k] = index_bytes;
        index_bytes += align4((uint64_t)primitive->index_count * index_size(primitive));
    }
    *next++ = (view){end, index_bytes};
    end += index_bytes;
    for (size_t k = 0; k < w->materials.images.count; k++) {
        uint64_t size = w->opts->scene->images.data[w->materials.images.data[k]].size;
        if (size > UINT32_MAX)
            return fail_too_large(w, size);
        *next++ = (view){end, size};
        end = align4(end + size);
    }
    w->bin_size = end;
    return end <= UINT32_MAX ? BW_OK : fail_too_large(w, end);
}

/* ---- the JSON chunk ---- */

static void write_names(bwi_json_writer *j, const char *key, const json_t *names) {
    if (json_array_size(names) == 0)
        return;
    bwi_json_key(j, key);
    bwi_json_value(j, names);
}

static void write_groups(const writer *w, bwi_json_writer *j) {
    const bw_string_list *groups = &w->opts->groups;
    if (groups->count == 0)
        return;
    bwi_json_key(j, "extras");
    bwi_json_begin_object(j);
    bwi_json_key(j, "groups");
    bwi_json_begin_array(j);
    for (size_t k = 0; k < groups->count; k++)
        bwi_json_string(j, groups->data[k]);
    bwi_json_end_array(j);
    bwi_json_end_object(j);
}

static void write_mesh(const writer *w, bwi_json_writer *j) {
    static const unsigned MODES[] = {4, 1, 0};
    uint32_t stride = w->attribute_count + 1; /* accessors a primitive: attributes, indices */
    bwi_json_key(j, "meshes");
    bwi_json_begin_array(j);
    bwi_json_begin_object(j);
    bwi_json_key_string(j, "name", w->opts->name);
    bwi_json_key(j, "primitives");
    bwi_json_begin_array(j);
    for (uint32_t p = 0; p < w->list->primitive_count; p++) {
        const bwi_draw_primitive *primitive = &w->list->primitives[p];
        uint64_t first = (uint64_t)p * stride;
        bwi_json_begin_object(j);
        bwi_json_key(j, "attributes");
        bwi_json_begin_object(j);
        for (uint32_t a = 0; a < w->attribute_count; a++)
            bwi_json_key_uint(j, w->attributes[a].name, first + a);
        bwi_json_end_object(j);
        bwi_json_key_uint(j, "indices", first + w->attribute_count);
        bwi_json_key_uint(j, "mode", MODES[primitive->mode]);
        if (w->opts->scene && primitive->material != BW_NO_INDEX)
            bwi_json_key_uint(j, "material", w->materials.material_index[primitive->material]);
        bwi_json_end_object(j);
    }
    bwi_json_end_array(j);
    write_groups(w, j);
    bwi_json_end_object(j);
    bwi_json_end_array(j);
}

/* Least and greatest of a primitive's positions, with all digits of the floats: readers that keep doubles get the same
 * values. */
static void write_extremes(const writer *w, bwi_json_writer *j, const bwi_draw_primitive *primitive) {
    const float *positions = w->list->positions + (size_t)3 * primitive->first_vertex;
    float min[3], max[3];
    memcpy(min, positions, sizeof min);
    memcpy(max, positions, sizeof max);
    for (size_t v = 1; v < primitive->vertex_count; v++) {
        for (size_t k = 0; k < 3; k++) {
            float x = positions[3 * v + k];
            min[k] = x < min[k] ? x : min[k];
            max[k] = x > max[k] ? x : max[k];
        }
    }
    for (int side = 0; side < 2; side++) {
        bwi_json_key(j, side ? "max" : "min");
        bwi_json_begin_array(j);
        for (size_t k = 0; k < 3; k++)
            bwi_json_double(j, (double)(side ? max[k] : min[k]));
        bwi_json_end_array(j);
    }
}

static void write_accessors(const writer *w, bwi_json_writer *j) {
    static const char *const TYPES[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    bwi_json_key(j, "accessors");
    bwi_json_begin_array(j);
    for (uint32_t p = 0; p < w->list->primitive_count; p++) {
        const bwi_draw_primitive *primitive = &w->list->primitives[p];
        for (uint32_t a = 0; a < w->attribute_count; a++) {
            const attribute *values = &w->attributes[a];
            bwi_json_begin_object(j);
            bwi_json_key_uint(j, "bufferView", a);
            bwi_json_key_uint(j, "byteOffset", (uint64_t)primitive->first_vertex * element_size(values));
            bwi_json_key_uint(j, "componentType", values->type);
            if (strncmp(values->name, "WEIGHTS", 7) == 0)
                bwi_json_key_bool(j, "normalized", true);
            bwi_json_key_uint(j, "count", primitive->vertex_count);
            bwi_json_key_string(j, "type", TYPES[values->components]);
            if (a == 0)
                write_extremes(w, j, primitive);
            bwi_json_end_object(j);
        }
        bwi_json_begin_object(j);
        bwi_json_key_uint(j, "bufferView", w->attribute_count);
        bwi_json_key_uint(j, "byteOffset", w->index_offsets[p]);
        bwi_json_key_uint(j, "componentType", index_size(primitive) == 2 ? TYPE_U16 : TYPE_U32);
        bwi_json_key_uint(j, "count", primitive->index_count);
        bwi_json_key_string(j, "type", "SCALAR");
        bwi_json_end_object(j);
    }
    bwi_json_end_array(j);
}

static void write_views(const writer *w, bwi_json_writer *j) {
    bwi_json_key(j, "bufferViews");
    bwi_json_begin_array(j);
    for (size_t k = 0; k < w->view_count; k++) {
        bwi_json_begin_object(j);
        bwi_json_key_uint(j, "buffer", 0);
        bwi_json_key_uint(j, "byteOffset", w->views[k].offset);
        bwi_json_key_uint(j, "byteLength", w->views[k].size);
        if (k < w->attribute_count)
            bwi_json_key_uint(j, "byteStride", element_size(&w->attributes[k]));
        if (k <= w->attribute_count)
            bwi_json_key_uint(j, "target", k < w->attribute_count ? ARRAY_BUFFER : ELEMENT_ARRAY_BUFFER);
        bwi_json_end_object(j);
    }
    bwi_json_end_array(j);
    bwi_json_key(j, "buffers");
    bwi_json_begin_array(j);
    bwi_json_begin_object(j);
    bwi_json_key_uint(j, "byteLength", w->bin_size);
    bwi_json_end_object(j);
    bwi_json_end_array(j);
}

static void write_images(const writer *w, bwi_json_writer *j) {
    if (w->materials.images.count == 0)
        return;
    bwi_json_key(j, "images");
    bwi_json_begin_array(j);
    for (size_t k = 0; k < w->materials.images.count; k++) {
        const bw_image *image = &w->opts->scene->images.data[w->materials.images.data[k]];
        bwi_json_begin_object(j);
        bwi_json_key_string(j, "name", image->name);
        bwi_json_key_uint(j, "bufferView", (uint64_t)w->attribute_count + 1 + k);
        bwi_json_key_string(j, "mimeType", image->mime);
        bwi_json_end_object(j);
    }
    bwi_json_end_array(j);
}

static void write_document(const writer *w, bwi_json_writer *j) {
    bwi_json_begin_object(j);
    bwi_json_key(j, "asset");
    bwi_json_begin_object(j);
    bwi_json_key_string(j, "version", "2.0");
    bwi_json_key_string(j, "generator", "Bakewell " VERSION_TEXT(BW_VERSION_MAJOR, BW_VERSION_MINOR));
    bwi_json_end_object(j);
    write_names(j, "extensionsUsed", w->materials.extensions_used);
    write_names(j, "extensionsRequired", w->materials.extensions_required);
    bwi_json_key_uint(j, "scene", 0);
    bwi_json_key(j, "scenes");
    bwi_json_raw(j, "[{\"nodes\":[0]}]");
    bwi_json_key(j, "nodes");
    bwi_json_begin_array(j);
    bwi_json_begin_object(j);
    bwi_json_key_string(j, "name", w->opts->name);
    bwi_json_key_uint(j, "mesh", 0);
    bwi_json_end_object(j);
    bwi_json_end_array(j);
    write_mesh(w, j);
    write_names(j, "materials", w->materials.materials);
    write_names(j, "textures", w->materials.textures);
    write_images(w, j);
    write_names(j, "samplers", w->materials.samplers);
    write_accessors(w, j);
    write_views(w, j);
    bwi_json_end_object(j);
}

/* ---- the file ---- */

static bw_result put(writer *w, const void *data, size_t size) {
    if (size && fwrite(data, 1, size, w->file) != size)
        return bwi_fail(w->error, BW_ERR_FILE_WRITE, w->path, -1,
                        "could not be written whole; free some space or choose another folder");
    return BW_OK;
}

static bw_result put_padding(writer *w, uint64_t size, char with) {
    const char padding[3] = {with, with, with};
    return put(w, padding, (size_t)(align4(size) - size));
}

static bw_result put_words(writer *w, const uint32_t *words, size_t count) {
    return put(w, words, count * sizeof *words);
}

static bw_result put_indices(writer *w, const bwi_draw_primitive *primitive) {
    bw_result result = BW_OK;
    uint32_t size = index_size(primitive);
    for (uint32_t first = 0; first < primitive->index_count && result == BW_OK; first += INDEX_BATCH) {
        uint32_t left = primitive->index_count - first, count = left < INDEX_BATCH ? left : INDEX_BATCH;
        const uint32_t *indices = primitive->indices + first;
        uint16_t shorts[INDEX_BATCH];
        uint32_t longs[INDEX_BATCH];
        for (uint32_t k = 0; k < count; k++) {
            uint32_t index = indices[k] - primitive->first_vertex;
            assert(index < primitive->vertex_count);
            longs[k] = index;
            shorts[k] = (uint16_t)index;
        }
        result = put(w, size == 2 ? (const void *)shorts : longs, (size_t)count * size);
    }
    return result == BW_OK ? put_padding(w, (uint64_t)primitive->index_count * size, 0) : result;
}

static bw_result put_attribute(writer *w, const attribute *a) {
    const size_t size = element_size(a), count = w->list->vertex_count;
    if (a->stride == size)
        return put(w, a->data, count * size);
    uint8_t batch[4096];
    bw_result result = BW_OK;
    for (size_t first = 0; first < count && result == BW_OK;) {
        size_t filled = 0;
        for (; first < count && filled + size <= sizeof batch; first++, filled += size)
            memcpy(batch + filled, a->data + first * a->stride, size);
        result = put(w, batch, filled);
    }
    return result;
}

static bw_result put_binary(writer *w) {
    bw_result result = put_words(w, (const uint32_t[]){(uint32_t)w->bin_size, CHUNK_BIN}, 2);
    for (uint32_t k = 0; k < w->attribute_count && result == BW_OK; k++)
        result = put_attribute(w, &w->attributes[k]);
    for (uint32_t k = 0; k < w->list->primitive_count && result == BW_OK; k++)
        result = put_indices(w, &w->list->primitives[k]);
    for (size_t k = 0; k < w->materials.images.count && result == BW_OK; k++) {
        const bw_image *image = &w->opts->scene->images.data[w->materials.images.data[k]];
        result = put(w, image->data, image->size);
        if (result == BW_OK)
            result = put_padding(w, image->size, 0);
    }
    return result;
}

static bw_result put_glb(writer *w) {
    char *text;
    size_t size;
    bwi_json_writer *j = bwi_json_writer_create(w->mem, NULL, 0);
    if (!j)
        return bwi_fail_memory(w->error, w->path, w->mem, 0);
    write_document(w, j);
    if (!bwi_json_writer_end(j, &text, &size))
        return bwi_fail_memory(w->error, w->path, w->mem, 0);
    uint64_t total = 12 + 8 + align4(size) + 8 + w->bin_size;
    bw_result result;
    if (total > UINT32_MAX) {
        result = fail_too_large(w, total);
    } else {
        uint32_t head[] = {MAGIC, 2, (uint32_t)total, (uint32_t)align4(size), CHUNK_JSON};
        result = put_words(w, head, 5);
        if (result == BW_OK)
            result = put(w, text, size);
        if (result == BW_OK)
            result = put_padding(w, size, ' ');
        if (result == BW_OK)
            result = put_binary(w);
    }
    bwi_free(w->mem, text);
    return result;
}

bw_result bwi_write_glb(FILE *file, const char *path, const bwi_draw_list *list, const bwi_glb_opts *opts,
                        const bwi_env *env, bw_error *error) {
    assert(list->vertex_count > 0 && list->primitive_count > 0);
    bwi_arena *arena = bwi_arena_create(env->mem);
    if (!arena)
        return bwi_fail_memory(error, path, env->mem, 0);
    writer w = {
        .file = file, .path = path, .list = list, .opts = opts, .arena = arena, .mem = env->mem, .error = error};
    bw_result result = list_attributes(&w);
    if (result == BW_OK)
        result = bwi_glb_materials_collect(&w.materials, arena, list, opts->scene, error);
    if (result == BW_OK)
        result = lay_out(&w);
    if (result == BW_OK)
        result = put_glb(&w);
    bwi_glb_materials_free(&w.materials);
    bwi_arena_free(arena);
    return result;
}
