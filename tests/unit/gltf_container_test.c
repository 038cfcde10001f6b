/* SPDX-License-Identifier: MIT
 * The outside of glTF files: GLB chunks, JSON errors, versions, extensions, what is no glTF at all. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "gltf_text.h"
#include "read/gltf/gltf.h"
#include "read/read.h"

static bw_result read_bytes(const void *data, size_t size, bw_error *error) {
    bw_scene *scene = NULL;
    *error = (bw_error){0};
    /* A copy of exactly that size, so that a sanitizer sees the first byte read past it. */
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    bw_result result = bwi_read_gltf(&scene, "test.glb", NULL, copy, size, NULL, error);
    free(copy);
    if (result == BW_OK) {
        bwi_arena_free(scene->arena);
    } else {
        assert_null(scene);
    }
    return result;
}

static void expect_bytes(const void *data, size_t size, bw_result wanted, const char *part) {
    bw_error error;
    bw_result result = read_bytes(data, size, &error);
    assert_string_equal(bw_result_name(result), bw_result_name(wanted));
    if (part && !strstr(error.message, part)) {
        fail_msg("message \"%s\" lacks \"%s\"", error.message, part);
    }
}

static void expect_json(const char *json, bw_result wanted, const char *part) {
    size_t size;
    uint8_t *glb = make_glb(json, NULL, 0, &size);
    expect_bytes(glb, size, wanted, part);
    free(glb);
}

static const char least[] = "{'asset':{'version':'2.0'}}";

static void glb_headers(void **state) {
    (void)state;
    size_t size;
    uint8_t *glb = make_glb(least, "abcd", 4, &size);
    expect_bytes(glb, size, BW_OK, NULL);
    expect_bytes(glb, 8, BW_ERR_TRUNCATED, "is 8 bytes long, expected a GLB header of 12");
    glb[4] = 1;
    expect_bytes(glb, size, BW_ERR_UNSUPPORTED, "GLB version 1");
    glb[4] = 2;
    glb[8] = (uint8_t)(size + 1);
    char numbers[64];
    snprintf(numbers, sizeof(numbers), "says %zu bytes, but the file has %zu", size + 1, size);
    expect_bytes(glb, size, BW_ERR_TRUNCATED, numbers);
    glb[8] = (uint8_t)size;
    glb[12] = 200; /* the JSON chunk's length */
    expect_bytes(glb, size, BW_ERR_TRUNCATED, "chunk 0: its header says 200 bytes");
    glb[12] = (uint8_t)(size - 20 - 12);
    glb[16] = 'X';
    expect_bytes(glb, size, BW_ERR_MALFORMED, "chunk 0: its kind is");
    free(glb);
    uint8_t header[12] = {'g', 'l', 'T', 'F', 2, 0, 0, 0, 12, 0, 0, 0};
    expect_bytes(header, 12, BW_ERR_TRUNCATED, "ends after the GLB header");
}

/* Every prefix of a good file is refused: nothing is read past its end (a sanitizer would tell). */
static void every_truncation(void **state) {
    (void)state;
    gltf_text t;
    text_init(&t);
    uint32_t positions = text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':%u}}]}]", positions);
    size_t size;
    uint8_t *glb = text_glb(&t, &size);
    bw_error error;
    assert_int_equal(read_bytes(glb, size, &error), BW_OK);
    for (size_t i = 4; i < size; i++) {
        assert_int_equal(read_bytes(glb, i, &error), BW_ERR_TRUNCATED);
    }
    /* With the length in the header cut too. */
    for (size_t i = 12; i < size; i++) {
        glb[8] = (uint8_t)i;
        glb[9] = (uint8_t)(i >> 8);
        bw_result result = read_bytes(glb, i, &error);
        assert_true(result == BW_ERR_TRUNCATED || result == BW_ERR_MALFORMED || result == BW_ERR_JSON);
    }
    free(glb);
}

static void odd_but_readable(void **state) {
    (void)state;
    size_t size;
    uint8_t *glb = make_glb(least, "abcd", 4, &size);
    uint8_t longer[256] = {0};
    memcpy(longer, glb, size);
    bw_scene *scene;
    bw_error error;
    /* Bytes after the header's length. */
    assert_int_equal(bwi_read_gltf(&scene, "test.glb", NULL, longer, size + 5, NULL, &error), BW_OK);
    assert_int_equal(scene_warned(scene, "glb-trailing-bytes"), 5);
    assert_string_equal(scene->format, "glb");
    bwi_arena_free(scene->arena);
    /* A chunk of an unknown kind. */
    memcpy(longer + size, "\x04\0\0\0WHATdata", 12);
    longer[8] = (uint8_t)(size + 12);
    assert_int_equal(bwi_read_gltf(&scene, "test.glb", NULL, longer, size + 12, NULL, &error), BW_OK);
    assert_int_equal(scene->warnings.count, 0);
    bwi_arena_free(scene->arena);
    /* Zeros where spaces are due, a byte order mark, white space in front. */
    static const char padded[] = "\xEF\xBB\xBF \n{\"asset\":{\"version\":\"2.0\"}}\0\0";
    assert_true(bwi_gltf_recognise((const uint8_t *)padded, sizeof(padded) - 1));
    assert_int_equal(
        bwi_read_gltf(&scene, "test.gltf", NULL, (const uint8_t *)padded, sizeof(padded) - 1, NULL, &error), BW_OK);
    assert_string_equal(scene->format, "gltf");
    assert_int_equal(scene->files.count, 1);
    assert_string_equal(scene->files.data[0].path, "test.gltf");
    assert_int_equal(scene->files.data[0].bytes, sizeof(padded) - 1);
    bwi_arena_free(scene->arena);
    free(glb);
}

static void json_errors(void **state) {
    (void)state;
    expect_json("{'asset':{'version':'2.0'},\n\n  oops}", BW_ERR_JSON, "line 3");
    expect_json("{'asset':{'version':'2.0'}", BW_ERR_JSON, "line 1");
    expect_json("{'asset':{'version':'2.0','version':'2.0'}}", BW_ERR_JSON, "duplicate");
    expect_json("[]", BW_ERR_MALFORMED, "top-level object");
    expect_json("{'asset':[]}", BW_ERR_MALFORMED, "\"asset\" is a list, expected an object");
    expect_json("{'asset':{'version':'2.0'},'nodes':{}}", BW_ERR_MALFORMED, "\"nodes\" is an object, expected a list");
    expect_json("{'asset':{'version':'2.0'},'nodes':[7]}", BW_ERR_MALFORMED, "\"nodes\" holds something at 0");
    expect_json("{'asset':{'version':'2.0'},'scene':1.5,'scenes':[{}]}", BW_ERR_MALFORMED,
                "\"scene\" is 1.5, expected an index");
    expect_json("{'asset':{'version':'2.0'},'scene':-1,'scenes':[{}]}", BW_ERR_MALFORMED,
                "\"scene\" is -1, expected an index");
    expect_json("{'asset':{'version':'2.0'},'scene':1,'scenes':[{}]}", BW_ERR_MALFORMED,
                "\"scene\" is 1, expected an index below 1");
    expect_json("{'asset':{'version':'2.0'},'scene':0.0,'scenes':[{}]}", BW_OK, NULL);
}

static void versions(void **state) {
    (void)state;
    expect_json("{}", BW_ERR_UNRECOGNISED, "without \"asset\"");
    expect_json("{'asset':{}}", BW_ERR_MALFORMED, "\"version\" is missing");
    expect_json("{'asset':{'version':'1.0'}}", BW_ERR_UNSUPPORTED, "\"version\" is \"1.0\"");
    expect_json("{'asset':{'version':'2.1','minVersion':'2.1'}}", BW_ERR_UNSUPPORTED, "\"minVersion\" is \"2.1\"");
    expect_json("{'asset':{'version':'2.1','minVersion':'2.0'}}", BW_OK, NULL);
}

static void extensions(void **state) {
    (void)state;
    expect_json("{'asset':{'version':'2.0'},'extensionsRequired':['KHR_mesh_quantization','ACME_magic']}",
                BW_ERR_UNSUPPORTED, "requires the extension ACME_magic, which is not supported");
    expect_json("{'asset':{'version':'2.0'},'extensionsRequired':['KHR_draco_mesh_compression']}", BW_ERR_UNSUPPORTED,
                "decompress it with \"npx @gltf-transform/cli copy in.glb out.glb\"");
    expect_json("{'asset':{'version':'2.0'},'extensionsRequired':[3]}", BW_ERR_MALFORMED, "extensionsRequired");
    expect_json("{'asset':{'version':'2.0'},'extensionsRequired':['KHR_texture_basisu','KHR_materials_unlit','KHR_"
                "lights_punctual']}",
                BW_OK, NULL);
    gltf_text t;
    text_init(&t);
    text_add(&t, "'extensionsUsed':['ACME_magic','KHR_materials_unlit','ACME_more','KHR_lights_punctual']");
    EXPECT_READ(&t);
    assert_int_equal(t.scene->warnings.count, 2);
    assert_int_equal(scene_warned(t.scene, "extension-unknown"), 2);
    assert_int_equal(scene_warned(t.scene, "extension-ignored"), 1);
    assert_non_null(strstr(t.scene->warnings.data[0].message, "ACME_magic, ACME_more"));
    text_close(&t);
}

static void write_file(char *path, size_t size, const char *folder, const char *name, const void *data,
                       size_t data_size) {
    snprintf(path, size, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, data_size, file), data_size);
    assert_int_equal(fclose(file), 0);
}

static void expect_path(const char *path, bw_result wanted, const char *part) {
    bw_scene *scene = NULL;
    bw_error error = {0};
    assert_string_equal(bw_result_name(bwi_read_scene(&scene, path, NULL, &error)), bw_result_name(wanted));
    assert_null(scene);
    assert_non_null(strstr(error.message, path));
    if (!strstr(error.message, part)) {
        fail_msg("message \"%s\" lacks \"%s\"", error.message, part);
    }
    /* A caller may want no message. */
    assert_int_equal(bwi_read_scene(&scene, path, NULL, NULL), wanted);
}

static void files_that_are_no_scenes(void **state) {
    (void)state;
    char folder[] = "/tmp/bw-gltf-XXXXXX", path[300];
    assert_non_null(mkdtemp(folder));
    expect_path(folder, BW_ERR_FILE_IS_FOLDER, "folder");
    snprintf(path, sizeof(path), "%s/none.glb", folder);
    expect_path(path, BW_ERR_FILE_MISSING, "none.glb");
    static const struct {
        const char *bytes;
        size_t size;
        bw_result wanted;
        const char *part;
    } cases[] = {
        {"", 0, BW_ERR_EMPTY, "empty"},
        {"glTX\2\0\0\0", 8, BW_ERR_UNRECOGNISED,
         "starts with the bytes 67 6c 54 58, expected \"glTF\", JSON or \"Ogawa\""},
        {"x", 1, BW_ERR_UNRECOGNISED, "starts with the bytes 78"},
        {"Kaydara FBX Binary  ", 20, BW_ERR_UNRECOGNISED, "is an FBX file"},
        {"version https://git-lfs.github.com", 34, BW_ERR_UNRECOGNISED, "Git LFS pointer"},
        {"  \n {", 5, BW_ERR_JSON, "line 2"},
        {"glTF\2\0\0\0", 8, BW_ERR_TRUNCATED, "is 8 bytes long"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        write_file(path, sizeof(path), folder, "case.glb", cases[i].bytes, cases[i].size);
        expect_path(path, cases[i].wanted, cases[i].part);
    }
    unlink(path);
    rmdir(folder);
}

static void memory_limits(void **state) {
    (void)state;
    gltf_text t;
    text_init(&t);
    uint32_t positions = text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':%u}}]}],'nodes':[{'mesh':0}]", positions);
    bool read = false;
    /* From nothing up: each allocation is the one that fails once. */
    for (uint64_t limit = 64; !read; limit += 61) {
        bw_scene_opts opts = {.run.memory_limit = limit};
        bw_result result = text_read(&t, &opts);
        read = result == BW_OK;
        assert_true(read || result == BW_ERR_MEMORY);
        assert_true(limit < 1000000);
    }
    text_close(&t);
}

static bool cancel(void *ctx, const char *phase, uint64_t done, uint64_t total) {
    (void)ctx, (void)phase, (void)done, (void)total;
    return false;
}

static void cancelling(void **state) {
    (void)state;
    gltf_text t;
    text_init(&t);
    uint32_t positions = text_floats(&t, "VEC3", 3, triangle_positions, 9);
    text_add(
        &t,
        "'meshes':[{'primitives':[{'attributes':{'POSITION':%u}}]},{'primitives':[{'attributes':{'POSITION':%u}}]}]",
        positions, positions);
    bw_scene_opts opts = {.run.progress = cancel};
    assert_int_equal(text_read(&t, &opts), BW_ERR_CANCELLED);
    text_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glb_headers),
        cmocka_unit_test(every_truncation),
        cmocka_unit_test(odd_but_readable),
        cmocka_unit_test(json_errors),
        cmocka_unit_test(versions),
        cmocka_unit_test(extensions),
        cmocka_unit_test(files_that_are_no_scenes),
        cmocka_unit_test(memory_limits),
        cmocka_unit_test(cancelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
