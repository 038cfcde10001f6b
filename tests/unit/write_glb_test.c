/* SPDX-License-Identifier: MIT
 * The GLB writer: every array is found again in the file, every reference points where it did. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/error.h"
#include "write/write.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- reading a GLB by hand ---- */

typedef struct glb {
    char *bytes;
    size_t size;
    json_t *json;
    const char *bin;
    size_t bin_size;
} glb;

static uint32_t word(const char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static bw_result write_bytes(char **bytes, size_t *size, const bwi_draw_list *list, const bw_scene *scene,
                             bw_error *error) {
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    bwi_env env = {.mem = &mem, .thread_count = 1};
    bwi_glb_opts opts = {.name = "hero", .scene = scene};
    FILE *file = open_memstream(bytes, size);
    assert_non_null(file);
    bw_result result = bwi_write_glb(file, "out/hero_vat.glb", list, &opts, &env, error);
    fclose(file);
    assert_int_equal(mem.used, 0);
    return result;
}

static glb write_and_open(const bwi_draw_list *list, const bw_scene *scene) {
    glb g = {0};
    bw_error error = {0};
    if (write_bytes(&g.bytes, &g.size, list, scene, &error) != BW_OK)
        fail_msg("%s", error.message);
    assert_memory_equal(g.bytes, "glTF\2\0\0\0", 8);
    assert_int_equal(word(g.bytes + 8), g.size);
    uint32_t json_size = word(g.bytes + 12);
    assert_int_equal(json_size % 4, 0);
    assert_memory_equal(g.bytes + 16, "JSON", 4);
    g.json = json_loadb(g.bytes + 20, json_size, 0, NULL);
    assert_non_null(g.json);
    const char *chunk = g.bytes + 20 + json_size;
    g.bin_size = word(chunk);
    assert_int_equal(g.bin_size % 4, 0);
    assert_memory_equal(chunk + 4, "BIN\0", 4);
    g.bin = chunk + 8;
    assert_ptr_equal(g.bin + g.bin_size, g.bytes + g.size);
    return g;
}

static void close_glb(glb *g) {
    json_decref(g->json);
    free(g->bytes);
}

/* "meshes.0.primitives.1.material" */
static json_t *at(const glb *g, const char *place) {
    char copy[120], *save;
    snprintf(copy, sizeof copy, "%s", place);
    json_t *value = g->json;
    for (char *part = strtok_r(copy, ".", &save); part && value; part = strtok_r(NULL, ".", &save))
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(part)) : json_object_get(value, part);
    return value;
}

static json_int_t int_at(const glb *g, const char *place) {
    json_t *value = at(g, place);
    if (!json_is_integer(value))
        fail_msg("%s is no whole number", place);
    return json_integer_value(value);
}

static const char *string_at(const glb *g, const char *place) {
    const char *value = json_string_value(at(g, place));
    if (!value)
        fail_msg("%s is no string", place);
    return value;
}

static json_int_t get_int(const json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

/* The bytes of an accessor, which must be tight, aligned and inside its view; the view inside the chunk. */
static const char *accessor(const glb *g, json_int_t index, json_int_t component_type, const char *type,
                            json_int_t count, size_t element_size, json_int_t target) {
    const json_t *a = json_array_get(json_object_get(g->json, "accessors"), (size_t)index);
    assert_int_equal(get_int(a, "componentType"), component_type);
    assert_string_equal(json_string_value(json_object_get(a, "type")), type);
    assert_int_equal(get_int(a, "count"), count);
    const json_t *view = json_array_get(json_object_get(g->json, "bufferViews"), (size_t)get_int(a, "bufferView"));
    assert_int_equal(get_int(view, "buffer"), 0);
    assert_int_equal(get_int(view, "target"), target);
    const json_t *stride = json_object_get(view, "byteStride");
    if (target == 34962)
        assert_int_equal(json_integer_value(stride), element_size);
    else
        assert_null(stride);
    json_int_t offset = get_int(view, "byteOffset") + get_int(a, "byteOffset");
    assert_int_equal(offset % 4, 0);
    assert_true(get_int(a, "byteOffset") + count * (json_int_t)element_size <= get_int(view, "byteLength"));
    assert_true(get_int(view, "byteOffset") + get_int(view, "byteLength") <= int_at(g, "buffers.0.byteLength"));
    assert_true(int_at(g, "buffers.0.byteLength") <= (json_int_t)g->bin_size);
    return g->bin + offset;
}

static void check_attribute(const glb *g, const json_t *attributes, const char *name, const float *data,
                            unsigned components, const bwi_draw_primitive *primitive) {
    static const char *const TYPES[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    json_t *index = json_object_get(attributes, name);
    if (!data) {
        assert_null(index);
        return;
    }
    assert_true(json_is_integer(index));
    size_t element = components * sizeof(float);
    const char *bytes =
        accessor(g, json_integer_value(index), 5126, TYPES[components], primitive->vertex_count, element, 34962);
    assert_memory_equal(bytes, data + (size_t)primitive->first_vertex * components, primitive->vertex_count * element);
}

/* Four influences of a set, 16 bits each. */
static void check_influences(const glb *g, const json_t *attributes, const char *name, uint32_t set, bool normalised,
                             const uint16_t *data, uint32_t influences, const bwi_draw_primitive *primitive) {
    char key[24];
    snprintf(key, sizeof key, "%s_%u", name, set);
    json_int_t index = get_int(attributes, key);
    const char *bytes = accessor(g, index, 5123, "VEC4", primitive->vertex_count, 8, 34962);
    const json_t *a = json_array_get(json_object_get(g->json, "accessors"), (size_t)index);
    assert_true(json_is_true(json_object_get(a, "normalized")) == normalised);
    for (size_t v = 0; v < primitive->vertex_count; v++)
        assert_memory_equal(bytes + 8 * v, data + (primitive->first_vertex + v) * influences + 4 * set, 8);
}

static void check_extremes(const glb *g, json_int_t position, const bwi_draw_list *list,
                           const bwi_draw_primitive *primitive) {
    const json_t *a = json_array_get(json_object_get(g->json, "accessors"), (size_t)position);
    for (size_t k = 0; k < 3; k++) {
        float min = list->positions[3 * (size_t)primitive->first_vertex + k], max = min;
        for (size_t v = 0; v < primitive->vertex_count; v++) {
            float x = list->positions[3 * (primitive->first_vertex + v) + k];
            min = x < min ? x : min;
            max = x > max ? x : max;
        }
        assert_true(json_number_value(json_array_get(json_object_get(a, "min"), k)) == (double)min);
        assert_true(json_number_value(json_array_get(json_object_get(a, "max"), k)) == (double)max);
    }
}

/* Everything of the list stands in the file, and nothing else does. */
static void check_list(const glb *g, const bwi_draw_list *list) {
    const json_t *primitives = at(g, "meshes.0.primitives");
    assert_int_equal(json_array_size(primitives), list->primitive_count);
    assert_int_equal(json_array_size(at(g, "meshes")), 1);
    assert_int_equal(json_array_size(at(g, "nodes")), 1);
    size_t attribute_count =
        1u + !!list->normals + !!list->tangents + list->uv_set_count + list->color_count + list->influence_count / 2;
    assert_int_equal(json_array_size(at(g, "accessors")), list->primitive_count * (attribute_count + 1));
    for (uint32_t p = 0; p < list->primitive_count; p++) {
        static const json_int_t MODES[] = {4, 1, 0};
        const bwi_draw_primitive *primitive = &list->primitives[p];
        const json_t *json = json_array_get(primitives, p), *attributes = json_object_get(json, "attributes");
        assert_int_equal(json_object_size(attributes), attribute_count);
        assert_int_equal(get_int(json, "mode"), MODES[primitive->mode]);
        check_attribute(g, attributes, "POSITION", list->positions, 3, primitive);
        check_extremes(g, get_int(attributes, "POSITION"), list, primitive);
        check_attribute(g, attributes, "NORMAL", list->normals, 3, primitive);
        check_attribute(g, attributes, "TANGENT", list->tangents, 4, primitive);
        for (uint32_t k = 0; k < list->uv_set_count + list->color_count; k++) {
            char name[24];
            bool uv = k < list->uv_set_count;
            uint32_t set = uv ? k : k - list->uv_set_count;
            snprintf(name, sizeof name, "%s_%u", uv ? "TEXCOORD" : "COLOR", set);
            check_attribute(g, attributes, name, uv ? list->uv_sets[set] : list->colors[set], uv ? 2 : 4, primitive);
        }
        for (uint32_t set = 0; 4 * set < list->influence_count; set++) {
            check_influences(g, attributes, "JOINTS", set, false, list->joints, list->influence_count, primitive);
            check_influences(g, attributes, "WEIGHTS", set, true, list->weights, list->influence_count, primitive);
        }
        bool shorts = primitive->vertex_count <= 65535; /* 65535 restarts */
        const char *indices = accessor(g, get_int(json, "indices"), shorts ? 5123 : 5125, "SCALAR",
                                       primitive->index_count, shorts ? 2 : 4, 34963);
        for (size_t k = 0; k < primitive->index_count; k++) {
            uint16_t low;
            memcpy(&low, indices + 2 * k, sizeof low);
            uint32_t index = shorts ? low : word(indices + 4 * k);
            assert_int_equal(index, primitive->indices[k] - primitive->first_vertex);
        }
    }
}

/* ---- lists ---- */

static float *noise(size_t count, unsigned seed) {
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (size_t k = 0; k < count; k++) {
        seed = seed * 1664525u + 1013904223u;
        values[k] = (float)(int32_t)seed / 123456.7f;
    }
    return values;
}

static const uint32_t TRIANGLE[] = {2, 0, 1};
static const float TRIANGLE_POSITIONS[] = {0.1f, 0, -1, 1.0000001f, 2, 3e-9f, -7, 16777216, 0.3f};
static const bwi_draw_primitive ONE_TRIANGLE = {BW_PRIMITIVE_TRIANGLES, BW_NO_INDEX, 0, 3, TRIANGLE, 3};

static void smallest_file(void **state) {
    (void)state;
    bwi_draw_list list = {
        .vertex_count = 3, .positions = TRIANGLE_POSITIONS, .primitives = &ONE_TRIANGLE, .primitive_count = 1};
    glb g = write_and_open(&list, NULL);
    check_list(&g, &list);
    assert_string_equal(string_at(&g, "asset.version"), "2.0");
    assert_string_equal(string_at(&g, "asset.generator"), "Bakewell 0.1");
    assert_int_equal(int_at(&g, "scene"), 0);
    assert_int_equal(int_at(&g, "scenes.0.nodes.0"), 0);
    assert_int_equal(int_at(&g, "nodes.0.mesh"), 0);
    assert_string_equal(string_at(&g, "nodes.0.name"), "hero");
    assert_string_equal(string_at(&g, "meshes.0.name"), "hero");
    /* glTF allows no empty list at the top. */
    static const char *const ABSENT[] = {"materials",
                                         "textures",
                                         "images",
                                         "samplers",
                                         "extensionsUsed",
                                         "extensionsRequired",
                                         "meshes.0.primitives.0.material"};
    for (size_t k = 0; k < COUNT(ABSENT); k++)
        assert_null(at(&g, ABSENT[k]));
    assert_int_equal(g.bin_size, 9 * 4 + 8);
    close_glb(&g);
}

static void every_attribute_and_mode(void **state) {
    (void)state;
    enum { V = 12 };
    static const uint32_t FIRST[] = {0, 1, 2, 2, 1, 3}, LINES[] = {4, 5, 6, 5}, POINTS[] = {9, 7, 8},
                          LAST[] = {10, 11, 10};
    static const bwi_draw_primitive PRIMITIVES[] = {{BW_PRIMITIVE_TRIANGLES, BW_NO_INDEX, 0, 4, FIRST, 6},
                                                    {BW_PRIMITIVE_LINES, BW_NO_INDEX, 4, 3, LINES, 4},
                                                    {BW_PRIMITIVE_POINTS, BW_NO_INDEX, 7, 3, POINTS, 3},
                                                    {BW_PRIMITIVE_TRIANGLES, BW_NO_INDEX, 10, 2, LAST, 3}};
    float *data[8];
    for (unsigned k = 0; k < 8; k++)
        data[k] = noise(V * 4, k);
    const float *uv_sets[] = {data[3], data[4], data[5]}, *colors[] = {data[6], data[7]};
    bwi_draw_list list = {.vertex_count = V,
                          .positions = data[0],
                          .normals = data[1],
                          .tangents = data[2],
                          .uv_sets = uv_sets,
                          .uv_set_count = 3,
                          .colors = colors,
                          .color_count = 2,
                          .primitives = PRIMITIVES,
                          .primitive_count = 4};
    glb g = write_and_open(&list, NULL);
    check_list(&g, &list);
    close_glb(&g);
    /* Joints and weights, as any numbers; there is no skin. */
    list.joints = (const uint16_t *)data[6];
    list.weights = (const uint16_t *)data[7];
    for (list.influence_count = 4; list.influence_count <= 8; list.influence_count += 4) {
        g = write_and_open(&list, NULL);
        check_list(&g, &list);
        assert_null(at(&g, "skins"));
        assert_null(at(&g, "nodes.0.skin"));
        close_glb(&g);
    }
    for (unsigned k = 0; k < 8; k++)
        free(data[k]);
}

/* Eight influences of many vertices are taken apart in batches. */
static void many_vertices_with_eight_influences(void **state) {
    (void)state;
    enum { V = 5000 };
    uint16_t *numbers = malloc(V * 16 * sizeof *numbers);
    assert_non_null(numbers);
    for (size_t k = 0; k < V * 16; k++)
        numbers[k] = (uint16_t)(k * 7919);
    float *positions = noise(V * 3, 1);
    const bwi_draw_primitive primitives[] = {{BW_PRIMITIVE_TRIANGLES, BW_NO_INDEX, 0, V, TRIANGLE, 3}};
    const bwi_draw_list list = {.vertex_count = V,
                                .positions = positions,
                                .influence_count = 8,
                                .joints = numbers,
                                .weights = numbers + 8 * V,
                                .primitives = primitives,
                                .primitive_count = 1};
    glb g = write_and_open(&list, NULL);
    check_list(&g, &list);
    close_glb(&g);
    free(positions);
    free(numbers);
}

static void indices_of_16_bits_where_they_fit(void **state) {
    (void)state;
    for (uint32_t count = 65534; count <= 65537; count++) {
        float *positions = noise((size_t)3 * (count + 3), 5);
        uint32_t *indices = malloc(sizeof *indices * count * 3);
        assert_non_null(indices);
        for (uint32_t k = 0; k < 3 * count; k++)
            indices[k] = 3 + (k * 7919u) % count;
        indices[0] = 3 + count - 1;
        const bwi_draw_primitive primitives[] = {ONE_TRIANGLE,
                                                 {BW_PRIMITIVE_TRIANGLES, BW_NO_INDEX, 3, count, indices, 3 * count}};
        bwi_draw_list list = {
            .vertex_count = count + 3, .positions = positions, .primitives = primitives, .primitive_count = 2};
        glb g = write_and_open(&list, NULL);
        check_list(&g, &list);
        close_glb(&g);
        free(positions);
        free(indices);
    }
}

/* ---- materials ---- */

static const bw_material MATERIALS[] = {
    {"unused", "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}"},
    {"skin",
     "{\"name\":\"skin\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.1,1.0,1,0.25],\"baseColorTexture\":{"
     "\"index\":5,\"texCoord\":1,"
     "\"extensions\":{\"KHR_texture_transform\":{\"offset\":[0.5,0]}}},\"metallicRoughnessTexture\":{\"index\":2}},"
     "\"normalTexture\":{\"index\":3,\"scale\":2},\"extras\":{\"someTexture\":{\"index\":0},\"extensions\":{\"NOT_"
     "one\":{}}},"
     "\"extensions\":{\"KHR_materials_clearcoat\":{\"clearcoatTexture\":{\"index\":4},\"clearcoatNormalTexture\":{"
     "\"index\":2}},"
     "\"MSFT_lod\":{\"ids\":[0]}}}"},
    {"glass", "{\"alphaMode\":\"BLEND\",\"emissiveTexture\":{\"index\":9},\"occlusionTexture\":{\"index\":-1},"
              "\"extensions\":{\"MSFT_lod\":{\"ids\":[1]}}}"},
};
static const bw_texture TEXTURES[] = {
    {"{\"sampler\":0,\"name\":\"unused\"}", 0},
    {"{}", 1},
    {"{\"sampler\":2,\"name\":\"rough\"}", 3},
    {"{\"extensions\":{\"KHR_texture_basisu\":{\"source\":2}}}", BW_NO_INDEX},
    {"{\"sampler\":1,\"extensions\":{\"EXT_texture_webp\":{\"source\":4}}}", 3},
    {"{\"sampler\":7,\"extensions\":{\"EXT_texture_avif\":{\"source\":1}}}", 1},
};
static const bw_image IMAGES[] = {{"unused", "image/png", "PNG0", 4},
                                  {"missing", "image/png", NULL, 0},
                                  {"basis", "image/ktx2", "KTX2-", 5},
                                  {"rough", "image/jpeg", "JPG", 3},
                                  {"web", "image/webp", "WEBP!!", 6}};
static const char *const SAMPLERS[] = {"{\"wrapS\":33071}", "{\"wrapS\":33648}", "{\"magFilter\":9728}"};

static bw_scene material_scene(void) {
    bw_scene scene = {.path = "hero.gltf"};
    scene.materials.data = MATERIALS;
    scene.materials.count = COUNT(MATERIALS);
    scene.textures.data = TEXTURES;
    scene.textures.count = COUNT(TEXTURES);
    scene.images.data = IMAGES;
    scene.images.count = COUNT(IMAGES);
    scene.samplers.data = SAMPLERS;
    scene.samplers.count = COUNT(SAMPLERS);
    return scene;
}

static const bwi_draw_primitive TWO_MATERIALS[] = {{BW_PRIMITIVE_TRIANGLES, 2, 0, 3, TRIANGLE, 3},
                                                   {BW_PRIMITIVE_TRIANGLES, 1, 0, 3, TRIANGLE, 3},
                                                   {BW_PRIMITIVE_TRIANGLES, BW_NO_INDEX, 0, 3, TRIANGLE, 3}};
static const bwi_draw_list MATERIAL_LIST = {
    .vertex_count = 3, .positions = TRIANGLE_POSITIONS, .primitives = TWO_MATERIALS, .primitive_count = 3};

static void expect_names(const glb *g, const char *key, const char *const *names, size_t count) {
    assert_int_equal(json_array_size(at(g, key)), count);
    for (size_t k = 0; k < count; k++)
        assert_string_equal(json_string_value(json_array_get(at(g, key), k)), names[k]);
}

static void expect_image(const glb *g, size_t index, const bw_image *image) {
    const json_t *json = json_array_get(at(g, "images"), index);
    assert_string_equal(json_string_value(json_object_get(json, "name")), image->name);
    assert_string_equal(json_string_value(json_object_get(json, "mimeType")), image->mime);
    const json_t *view = json_array_get(at(g, "bufferViews"), (size_t)get_int(json, "bufferView"));
    assert_int_equal(get_int(view, "byteLength"), image->size);
    assert_null(json_object_get(view, "target"));
    assert_int_equal(get_int(view, "byteOffset") % 4, 0);
    assert_memory_equal(g->bin + get_int(view, "byteOffset"), image->data, image->size);
}

static void materials_are_carried_and_renumbered(void **state) {
    (void)state;
    bw_scene scene = material_scene();
    glb g = write_and_open(&MATERIAL_LIST, &scene);
    check_list(&g, &MATERIAL_LIST);
    assert_int_equal(json_array_size(at(&g, "materials")), 2);
    assert_int_equal(int_at(&g, "meshes.0.primitives.0.material"), 1);
    assert_int_equal(int_at(&g, "meshes.0.primitives.1.material"), 0);
    assert_null(at(&g, "meshes.0.primitives.2.material"));

    /* Textures 2, 3, 4, 5 are used and become 0 … 3. */
    assert_string_equal(string_at(&g, "materials.0.name"), "skin");
    assert_int_equal(int_at(&g, "materials.0.pbrMetallicRoughness.baseColorTexture.index"), 3);
    assert_int_equal(int_at(&g, "materials.0.pbrMetallicRoughness.baseColorTexture.texCoord"), 1);
    assert_true(json_number_value(at(&g, "materials.0.pbrMetallicRoughness.baseColorFactor.0")) == 0.1);
    assert_int_equal(int_at(&g, "materials.0.pbrMetallicRoughness.metallicRoughnessTexture.index"), 0);
    assert_int_equal(int_at(&g, "materials.0.normalTexture.index"), 1);
    assert_int_equal(int_at(&g, "materials.0.normalTexture.scale"), 2);
    assert_int_equal(int_at(&g, "materials.0.extensions.KHR_materials_clearcoat.clearcoatTexture.index"), 2);
    assert_int_equal(int_at(&g, "materials.0.extensions.KHR_materials_clearcoat.clearcoatNormalTexture.index"), 0);
    assert_int_equal(int_at(&g, "materials.0.extras.someTexture.index"), 0); /* not ours to touch */

    /* References to nothing are left out, and extensions that point at other materials. */
    assert_null(at(&g, "materials.0.extensions.MSFT_lod"));
    assert_null(at(&g, "materials.1.extensions"));
    assert_null(at(&g, "materials.1.emissiveTexture"));
    assert_null(at(&g, "materials.1.occlusionTexture"));
    assert_string_equal(string_at(&g, "materials.1.alphaMode"), "BLEND");

    /* Images 2, 3, 4 are used and become 0 … 2; samplers 1, 2 become 0, 1; the missing image leaves no source. */
    assert_int_equal(json_array_size(at(&g, "textures")), 4);
    assert_int_equal(int_at(&g, "textures.0.source"), 1);
    assert_int_equal(int_at(&g, "textures.0.sampler"), 1);
    assert_null(at(&g, "textures.1.source"));
    assert_int_equal(int_at(&g, "textures.1.extensions.KHR_texture_basisu.source"), 0);
    assert_int_equal(int_at(&g, "textures.2.source"), 1);
    assert_int_equal(int_at(&g, "textures.2.sampler"), 0);
    assert_int_equal(int_at(&g, "textures.2.extensions.EXT_texture_webp.source"), 2);
    assert_int_equal(json_object_size(at(&g, "textures.3")), 0);
    assert_int_equal(json_array_size(at(&g, "images")), 3);
    expect_image(&g, 0, &IMAGES[2]);
    expect_image(&g, 1, &IMAGES[3]);
    expect_image(&g, 2, &IMAGES[4]);
    assert_int_equal(json_array_size(at(&g, "samplers")), 2);
    assert_int_equal(int_at(&g, "samplers.0.wrapS"), 33648);
    assert_int_equal(int_at(&g, "samplers.1.magFilter"), 9728);

    static const char *const USED[] = {"EXT_texture_webp", "KHR_materials_clearcoat", "KHR_texture_basisu",
                                       "KHR_texture_transform"};
    static const char *const REQUIRED[] = {"KHR_texture_basisu"};
    expect_names(&g, "extensionsUsed", USED, 4);
    expect_names(&g, "extensionsRequired", REQUIRED, 1);
    close_glb(&g);
}

static void same_bytes_each_time(void **state) {
    (void)state;
    bw_scene scene = material_scene();
    glb a = write_and_open(&MATERIAL_LIST, &scene), b = write_and_open(&MATERIAL_LIST, &scene);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, a.size);
    close_glb(&a);
    close_glb(&b);
}

/* As deep as the parser reads; the JSON writer once ended at 64 levels. */
static void deep_material_is_carried(void **state) {
    (void)state;
    enum { DEPTH = 2040 };
    static char json[DEPTH * 7 + 10];
    for (int k = 0; k < DEPTH; k++)
        strcat(json, "{\"a\":");
    strcat(json, "1");
    for (int k = 0; k < DEPTH; k++)
        strcat(json, "}");
    bw_material materials[3] = {MATERIALS[0], {"deep", json}, MATERIALS[2]};
    bw_scene scene = material_scene();
    scene.materials.data = materials;
    glb g = write_and_open(&MATERIAL_LIST, &scene);
    const json_t *value = at(&g, "materials.0");
    for (int k = 0; k < DEPTH; k++)
        value = json_object_get(value, "a");
    assert_int_equal(json_integer_value(value), 1);
    close_glb(&g);
}

/* ---- limits ---- */

/* Nothing of the arrays is read before the size is known. */
static void four_gigabytes_are_too_many(void **state) {
    (void)state;
    bwi_draw_primitive primitive = {BW_PRIMITIVE_POINTS, BW_NO_INDEX, 0, 357913942, TRIANGLE, 3}; /* × 12 > 2^32 */
    bwi_draw_list list = {
        .vertex_count = 357913942, .positions = TRIANGLE_POSITIONS, .primitives = &primitive, .primitive_count = 1};
    char *bytes;
    size_t size;
    bw_error error;
    assert_int_equal(write_bytes(&bytes, &size, &list, NULL, &error), BW_ERR_TOO_LARGE);
    assert_int_equal(size, 0);
    assert_non_null(strstr(error.message, "4 GiB"));
    free(bytes);
    bw_image image = {"huge", "image/png", TRIANGLE_POSITIONS, (size_t)1 << 33};
    bw_texture texture = {"{}", 0};
    bw_material material = {"m", "{\"normalTexture\":{\"index\":0}}"};
    bw_scene scene = {.path = "a.glb"};
    scene.materials.data = &material;
    scene.textures.data = &texture;
    scene.images.data = &image;
    scene.materials.count = scene.textures.count = scene.images.count = 1;
    bwi_draw_primitive textured = ONE_TRIANGLE;
    textured.material = 0;
    list = (bwi_draw_list){
        .vertex_count = 3, .positions = TRIANGLE_POSITIONS, .primitives = &textured, .primitive_count = 1};
    assert_int_equal(write_bytes(&bytes, &size, &list, &scene, &error), BW_ERR_TOO_LARGE);
    free(bytes);
}

static void a_full_disk_is_told(void **state) {
    (void)state;
    FILE *full = fopen("/dev/full", "wb");
    if (!full) {
        print_message("skip: no /dev/full\n");
        skip();
    }
    setvbuf(full, NULL, _IONBF, 0);
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    bwi_env env = {.mem = &mem, .thread_count = 1};
    bwi_glb_opts opts = {.name = "hero"};
    bw_error error;
    assert_int_equal(bwi_write_glb(full, "out/hero_vat.glb", &MATERIAL_LIST, &opts, &env, &error), BW_ERR_FILE_WRITE);
    assert_string_equal(error.path, "out/hero_vat.glb");
    assert_int_equal(mem.used, 0);
    fclose(full);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    bw_scene scene = material_scene();
    bwi_glb_opts opts = {.name = "hero", .scene = &scene};
    int failures = 0;
    for (bool done = false; !done; failures += !done) {
        bwi_mem mem;
        bwi_mem_init(&mem, 0);
        mem.fail_after = failures;
        bwi_env env = {.mem = &mem, .thread_count = 1};
        FILE *file = fopen("/dev/null", "wb");
        bw_result result = bwi_write_glb(file, "out", &MATERIAL_LIST, &opts, &env, NULL);
        fclose(file);
        done = result == BW_OK;
        assert_true(done || result == BW_ERR_MEMORY);
        assert_int_equal(mem.used, 0);
        assert_true(failures < 1000);
    }
    assert_true(failures > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_file),
        cmocka_unit_test(every_attribute_and_mode),
        cmocka_unit_test(many_vertices_with_eight_influences),
        cmocka_unit_test(indices_of_16_bits_where_they_fit),
        cmocka_unit_test(materials_are_carried_and_renumbered),
        cmocka_unit_test(same_bytes_each_time),
        cmocka_unit_test(deep_material_is_carried),
        cmocka_unit_test(four_gigabytes_are_too_many),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
