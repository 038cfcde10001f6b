/* SPDX-License-Identifier: MIT
 * Materials, textures, samplers and images pass through. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/mem.h"
#include "gltf_text.h"
#include "read/read.h"

static void pass_through(void **state) {
    (void)state;
    gltf_text t;
    text_init(&t);
    text_add(&t,
             "'images':[{'bufferView':%u,'mimeType':'image/webp','name':'skin'},{'uri':'data:image/jpeg;base64,/9j/"
             "4A=='},{'name':'lost'}]",
             text_view(&t, "\x89PNG\r\n\x1a\n", 8, NULL));
    text_add(&t, "'samplers':[{'magFilter':9729}],"
                 "'textures':[{'sampler':0,'source':1,'name':'a'},{'extensions':{'KHR_texture_basisu':{'source':0}}}],"
                 "'materials':[{'name':'cloth','doubleSided':true,'alphaCutoff':0.1,'pbrMetallicRoughness':{'"
                 "baseColorFactor':[1,0.8,1e-7,1],"
                 "'baseColorTexture':{'index':1,'extensions':{'KHR_texture_transform':{'offset':[0.5,0]}}}},'"
                 "extensions':{'KHR_materials_sheen':"
                 "{'sheenColorTexture':{'index':0}}},'extras':{'extensions':{'not_one':1},'myTexture':{'index':77},'"
                 "none':null}},{}]");
    EXPECT_READ(&t);
    const bw_scene *s = t.scene;
    assert_int_equal(s->materials.count, 2);
    assert_string_equal(s->materials.data[0].name, "cloth");
    assert_string_equal(
        s->materials.data[0].json,
        "{\"name\":\"cloth\",\"doubleSided\":true,\"alphaCutoff\":0.1,\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,"
        "0.8,1e-7,1],"
        "\"baseColorTexture\":{\"index\":1,\"extensions\":{\"KHR_texture_transform\":{\"offset\":[0.5,0]}}}},"
        "\"extensions\":"
        "{\"KHR_materials_sheen\":{\"sheenColorTexture\":{\"index\":0}}},\"extras\":{\"extensions\":{\"not_one\":1},"
        "\"myTexture\":{\"index\":77},\"none\":null}}");
    assert_string_equal(s->materials.data[1].name, "material 1");
    assert_string_equal(s->materials.data[1].json, "{}");
    assert_int_equal(s->textures.count, 2);
    assert_string_equal(s->textures.data[0].json, "{\"sampler\":0,\"name\":\"a\"}");
    assert_int_equal(s->textures.data[0].image, 1);
    assert_int_equal(s->textures.data[1].image, BW_NO_INDEX);
    assert_string_equal(s->samplers.data[0], "{\"magFilter\":9729}");
    static const char *const extensions[] = {"KHR_texture_transform", "KHR_materials_sheen", "KHR_texture_basisu"};
    assert_int_equal(s->material_extensions.count, 3);
    for (size_t k = 0; k < 3; k++) {
        bool found = false;
        for (size_t i = 0; i < 3; i++) {
            found = found || strcmp(s->material_extensions.data[i], extensions[k]) == 0;
        }
        assert_true(found);
    }
    assert_int_equal(s->images.count, 3);
    assert_string_equal(s->images.data[0].name, "skin");
    assert_string_equal(s->images.data[0].mime, "image/png"); /* what it is, not what it says */
    assert_int_equal(s->images.data[0].size, 8);
    assert_memory_equal(s->images.data[0].data, "\x89PNG\r\n\x1a\n", 8);
    assert_string_equal(s->images.data[1].name, "image 1");
    assert_string_equal(s->images.data[1].mime, "image/jpeg");
    assert_memory_equal(s->images.data[1].data, "\xff\xd8\xff\xe0", 4);
    assert_null(s->images.data[2].data);
    assert_string_equal(s->images.data[2].mime, "application/octet-stream");
    text_close(&t);
}

static void errors(void **state) {
    (void)state;
    static const struct {
        const char *json, *part;
    } cases[] = {
        {"'materials':[{'name':'m','emissiveTexture':{'index':0}}]",
         "material 0 (m), emissiveTexture: \"index\" is 0, expected an index below 0"},
        {"'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':-1}}}]",
         "\"index\" is -1, expected an index"},
        {"'textures':[{'source':0}]", "texture 0: \"source\" is 0, expected an index below 0"},
        {"'textures':[{'sampler':0}]", "texture 0: \"sampler\" is 0, expected an index below 0"},
        {"'images':[{'bufferView':0}]", "image 0: \"bufferView\" is 0, expected an index below 0"},
        {"'images':[{'uri':3}]", "image 0: \"uri\" is 3, expected text"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gltf_text t;
        text_init(&t);
        text_add(&t, "%s", cases[i].json);
        EXPECT_FAILURE(&t, BW_ERR_MALFORMED, cases[i].part);
        text_close(&t);
    }
}

/* A bake does not need images: what cannot be had is left out, and said. */
static void images_left_out(void **state) {
    (void)state;
    char folder[] = "/tmp/bw-gltf-XXXXXX", model[64], image[64];
    assert_non_null(mkdtemp(folder));
    snprintf(model, sizeof(model), "%s/model.gltf", folder);
    snprintf(image, sizeof(image), "%s/a.png", folder);
    FILE *file = fopen(image, "wb");
    assert_int_equal(fwrite("\x89PNG", 1, 4, file), 4);
    fclose(file);
    file = fopen(model, "wb");
    fputs("{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"a.png\"},{\"uri\":\"none.jpg\"},{\"uri\":\"../"
          "x.png\"},{\"uri\":\"https://a.b/c.png\"},"
          "{\"uri\":\"a.png\"}]}",
          file);
    fclose(file);
    bw_scene *scene;
    bw_error error;
    assert_int_equal(bwi_read_scene(&scene, model, NULL, &error), BW_OK);
    assert_int_equal(scene_warned(scene, "image-missing"), 3);
    assert_int_equal(scene->images.data[0].size, 4);
    assert_string_equal(scene->images.data[1].mime, "image/jpeg");
    for (size_t i = 1; i < 4; i++) {
        assert_null(scene->images.data[i].data);
    }
    assert_ptr_equal(scene->images.data[4].data, scene->images.data[0].data); /* kept once */
    /* A missing one is listed as empty: a bake is another once it is there. */
    static const uint8_t none[16] = {0};
    assert_int_equal(scene->files.count, 3);
    assert_string_equal(scene->files.data[1].path, "a.png");
    assert_string_equal(scene->files.data[2].path, "none.jpg");
    assert_int_equal(scene->files.data[2].bytes, 0);
    assert_memory_equal(scene->files.data[2].hash, none, 16);
    bwi_arena_free(scene->arena);
    bw_scene_opts opts = {.no_images = true};
    assert_int_equal(bwi_read_scene(&scene, model, &opts, &error), BW_OK);
    assert_int_equal(scene->warnings.count, 0);
    assert_int_equal(scene->images.count, 5);
    assert_null(scene->images.data[0].data);
    assert_string_equal(scene->images.data[0].mime, "image/png");
    assert_int_equal(scene->files.count, 1);
    bwi_arena_free(scene->arena);
    unlink(model);
    unlink(image);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pass_through),
        cmocka_unit_test(errors),
        cmocka_unit_test(images_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
