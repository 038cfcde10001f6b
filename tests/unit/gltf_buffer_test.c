/* SPDX-License-Identifier: MIT
 * Buffers: data URIs, files below the folder and no others, ranges, meshopt compression. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <meshoptimizer.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "gltf_text.h"
#include "read/read.h"

static void expect_message(const bw_error *error, const char *part) {
    if (!strstr(error->message, part)) {
        fail_msg("message \"%s\" lacks \"%s\"", error->message, part);
    }
}

/* ---- Files. ---- */

typedef struct folder {
    char path[64], model[128];
} folder;

static void put_file(const folder *f, const char *name, const void *data, size_t size) {
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", f->path, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A model.gltf of one triangle whose 36 bytes are where uri says. */
static void put_model(const folder *f, const char *uri) {
    char json[1024];
    snprintf(json, sizeof(json),
             "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}],\"bufferViews\":[{"
             "\"buffer\":0,\"byteLength\":36}],"
             "\"accessors\":[{\"type\":\"VEC3\",\"componentType\":5126,\"count\":3,\"bufferView\":0}],"
             "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
             uri);
    put_file(f, "model.gltf", json, strlen(json));
}

static void open_folder(folder *f) {
    snprintf(f->path, sizeof(f->path), "/tmp/bw-gltf-XXXXXX");
    assert_non_null(mkdtemp(f->path));
    snprintf(f->model, sizeof(f->model), "%s/inner", f->path);
    assert_int_equal(mkdir(f->model, 0700), 0);
    put_file(f, "outside.bin", triangle_positions, sizeof(triangle_positions));
    snprintf(f->path + strlen(f->path), sizeof(f->path) - strlen(f->path), "/inner");
    snprintf(f->model, sizeof(f->model), "%s/model.gltf", f->path);
    put_file(f, "tri angle%.bin", triangle_positions, sizeof(triangle_positions));
    put_file(f, "short.bin", triangle_positions, 35);
    put_file(f, "empty.bin", "", 0);
    char link[128];
    snprintf(link, sizeof(link), "%s/link.bin", f->path);
    assert_int_equal(symlink("../outside.bin", link), 0);
    snprintf(link, sizeof(link), "%s/near.bin", f->path);
    assert_int_equal(symlink("tri angle%.bin", link), 0);
}

static void close_folder(folder *f) {
    static const char *const names[] = {"model.gltf", "tri angle%.bin", "short.bin",     "empty.bin",
                                        "link.bin",   "near.bin",       "../outside.bin"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/%s", f->path, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(f->path), 0);
    *strrchr(f->path, '/') = 0;
    assert_int_equal(rmdir(f->path), 0);
}

static void expect_uri(const folder *f, const char *uri, bool any_folder, bw_result wanted, const char *part) {
    put_model(f, uri);
    bw_scene *scene = NULL;
    bw_error error = {0};
    bw_scene_opts opts = {.any_folder = any_folder};
    bw_result result = bwi_read_scene(&scene, f->model, &opts, &error);
    if (result != wanted) {
        fail_msg("%s: found %s (%s), wanted %s", uri, bw_result_name(result), error.message, bw_result_name(wanted));
    }
    if (wanted != BW_OK) {
        expect_message(&error, part);
        return;
    }
    assert_memory_equal(scene->meshes.data[0].primitives.data[0].positions, triangle_positions,
                        sizeof(triangle_positions));
    bool is_data = strncmp(uri, "data:", 5) == 0;
    assert_int_equal(scene->files.count, is_data ? 1 : 2);
    assert_string_equal(scene->files.data[0].path, "model.gltf");
    if (!is_data) {
        assert_string_equal(scene->files.data[1].path, part);
        assert_int_equal(scene->files.data[1].bytes, 36);
    }
    bwi_arena_free(scene->arena);
}

static void uris(void **state) {
    (void)state;
    folder f;
    open_folder(&f);
    /* A '%' that escapes nothing stands for itself. */
    expect_uri(&f, "tri%20angle%25.bin", false, BW_OK, "tri angle%.bin");
    expect_uri(&f, "tri angle%.bin", false, BW_OK, "tri angle%.bin");
    expect_uri(&f, "near.bin", false, BW_OK, "near.bin");
    expect_uri(&f, "../outside.bin", false, BW_ERR_MALFORMED, "lies outside the model's folder");
    expect_uri(&f, "..%2Foutside.bin", false, BW_ERR_MALFORMED, "\"../outside.bin\" lies outside the model's folder");
    expect_uri(&f, "%2e%2e/outside.bin", false, BW_ERR_MALFORMED, "lies outside the model's folder");
    expect_uri(&f, "link.bin", false, BW_ERR_MALFORMED, "\"link.bin\" lies outside the model's folder");
    expect_uri(&f, "/etc/passwd", false, BW_ERR_MALFORMED, "lies outside the model's folder");
    expect_uri(&f, "../outside.bin", true, BW_OK, "../outside.bin");
    expect_uri(&f, "link.bin", true, BW_OK, "link.bin");
    expect_uri(&f, "http://example.com/a.bin", true, BW_ERR_UNSUPPORTED,
               "\"http://example.com/a.bin\" is no relative path");
    expect_uri(&f, "file:///etc/passwd", false, BW_ERR_UNSUPPORTED, "is no relative path");
    expect_uri(&f, "C:/a.bin", false, BW_ERR_UNSUPPORTED, "is no relative path");
    expect_uri(&f, "a%00.bin", false, BW_ERR_MALFORMED, "is no file name");
    expect_uri(&f, "", false, BW_ERR_MALFORMED, "is no file name");
    expect_uri(&f, "none.bin", false, BW_ERR_FILE_MISSING, "buffer 0: ");
    expect_uri(&f, "empty.bin", false, BW_ERR_EMPTY, "empty.bin");
    expect_uri(&f, "short.bin", false, BW_ERR_TRUNCATED, "\"byteLength\" says 36 bytes, but short.bin holds 35");
    expect_uri(&f, ".", false, BW_ERR_MALFORMED, "lies outside the model's folder");
    close_folder(&f);
}

static void data_uris(void **state) {
    (void)state;
    folder f;
    open_folder(&f);
    /* The triangle: zeros, 1.0f = 00 00 80 3f. */
    static const char base64[] = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    char uri[512];
    snprintf(uri, sizeof(uri), "data:application/octet-stream;base64,%s", base64);
    expect_uri(&f, uri, false, BW_OK, NULL);
    snprintf(uri, sizeof(uri), "data:;base64,%.46s%%41%%3d", base64);
    expect_uri(&f, uri, false, BW_ERR_TRUNCATED, "\"byteLength\" says 36 bytes, but its data URI holds 35");
    char percent[512] = "data:,";
    for (size_t i = 0; i < 36; i++) {
        snprintf(percent + strlen(percent), 4, "%%%02X", (unsigned)((const uint8_t *)triangle_positions)[i]);
    }
    expect_uri(&f, percent, false, BW_OK, NULL);
    expect_uri(&f, "data:application/octet-stream;base64", false, BW_ERR_MALFORMED, "its data URI has no comma");
    expect_uri(&f, "data:;base64,AAA!", false, BW_ERR_MALFORMED, "its data URI is no base64 text");
    expect_uri(&f, "data:;base64,AAAAA", false, BW_ERR_MALFORMED, "its data URI is no base64 text");
    close_folder(&f);
}

static void ranges(void **state) {
    (void)state;
    static const struct {
        const char *json;
        bw_result wanted;
        const char *part;
    } cases[] = {
        {"'buffers':[{'byteLength':17}]", BW_ERR_TRUNCATED,
         "buffer 0: \"byteLength\" says 17 bytes, but the binary chunk holds 16"},
        {"'buffers':[{}]", BW_ERR_MALFORMED, "\"byteLength\" is missing"},
        {"'buffers':[{'byteLength':16}],'bufferViews':[{'buffer':0,'byteLength':17}]", BW_ERR_MALFORMED,
         "buffer view 0: it ends at byte 17, but buffer 0 has 16"},
        {"'buffers':[{'byteLength':16}],'bufferViews':[{'buffer':0,'byteLength':8,'byteOffset':9007199254740992}]",
         BW_ERR_MALFORMED, "buffer view 0: it ends at byte 9007199254741000"},
        {"'buffers':[{'byteLength':16}],'bufferViews':[{'buffer':1,'byteLength':8}]", BW_ERR_MALFORMED,
         "\"buffer\" is 1, expected an index below 1"},
        {"'buffers':[{'byteLength':16}],'bufferViews':[{'byteLength':8}]", BW_ERR_MALFORMED, "\"buffer\" is missing"},
        {"'buffers':[{'byteLength':16}],'bufferViews':[{'buffer':0,'byteLength':8,'byteStride':99999}]",
         BW_ERR_MALFORMED, "\"byteStride\" is 99999"},
        {"'buffers':[{'byteLength':16},{'byteLength':12}],'bufferViews':[{'buffer':1,'byteLength':12}],'accessors':[{'"
         "type':'VEC3',"
         "'componentType':5126,'count':1,'bufferView':0}],'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':"
         "0}}]}]",
         BW_ERR_MALFORMED, "buffer 1: it has no uri, and the file has no binary chunk for it"},
        {"'buffers':[{'byteLength':16}]", BW_OK, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char json[1024];
        size_t size;
        snprintf(json, sizeof(json), "{'asset':{'version':'2.0'},%s}", cases[i].json);
        uint8_t *glb = make_glb(json, "0123456789abcdef", 16, &size);
        char path[64] = "/tmp/bw-gltf-XXXXXX";
        int file = mkstemp(path);
        assert_int_equal(write(file, glb, size), size);
        close(file);
        bw_scene *scene;
        bw_error error = {0};
        assert_string_equal(bw_result_name(bwi_read_scene(&scene, path, NULL, &error)),
                            bw_result_name(cases[i].wanted));
        if (cases[i].wanted != BW_OK) {
            expect_message(&error, cases[i].part);
        } else {
            bwi_arena_free(scene->arena);
        }
        unlink(path);
        free(glb);
    }
}

/* ---- Compression. ---- */

enum { VERTICES = 300 }; /* more than one block of the codec */

typedef struct packed {
    uint8_t data[8192];
    size_t size;
} packed;

static packed pack_vertices(const void *vertices, size_t count, size_t stride) {
    packed p;
    p.size = meshopt_encodeVertexBuffer(p.data, sizeof(p.data), vertices, count, stride);
    assert_true(p.size > 0);
    return p;
}

/* A view that decompresses p; its declared place is in a placeholder buffer. */
static uint32_t packed_view(gltf_text *t, const packed *p, const char *extension, size_t count, size_t stride,
                            const char *mode, const char *filter) {
    size_t at = t->bin_size;
    memcpy(t->bin + at, p->data, p->size);
    t->bin_size += (p->size + 3) / 4 * 4;
    int length = snprintf(t->views + t->views_size, sizeof(t->views) - t->views_size,
                          "%s{'buffer':1,'byteLength':%zu,'extensions':{'%s':{'buffer':0,'byteOffset':%zu,'byteLength':"
                          "%zu,'byteStride':%zu,"
                          "'count':%zu,'mode':'%s'%s%s%s}}}",
                          t->view_count ? "," : "", count * stride, extension, at, p->size, stride, count, mode,
                          filter ? ",'filter':'" : "", filter ? filter : "", filter ? "'" : "");
    t->views_size += (size_t)length;
    return t->view_count++;
}

/* Reads with a second buffer: a placeholder, or one with data. */
static bw_result read_packed(gltf_text *t, const char *second_buffer) {
    char json[1 << 16];
    snprintf(json, sizeof(json),
             "{'asset':{'version':'2.0'},'buffers':[{'byteLength':%zu},%s],'bufferViews':[%s],'accessors':[%s]%s}",
             t->bin_size, second_buffer, t->views, t->accessors, t->rest);
    size_t size;
    uint8_t *glb = make_glb(json, t->bin, t->bin_size, &size);
    char path[64] = "/tmp/bw-gltf-XXXXXX";
    int file = mkstemp(path);
    assert_int_equal(write(file, glb, size), size);
    close(file);
    text_close(t);
    bw_result result = bwi_read_scene(&t->scene, path, NULL, &t->error);
    unlink(path);
    free(glb);
    return result;
}

static const char placeholder[] = "{'byteLength':1000000,'extensions':{'EXT_meshopt_compression':{'fallback':true}}}";

static void fill_positions(float positions[VERTICES][3]) {
    for (int i = 0; i < VERTICES; i++) {
        positions[i][0] = (float)i * 0.25f;
        positions[i][1] = (float)(i * i % 97);
        positions[i][2] = 1.0f;
    }
}

static void meshopt_streams(void **state) {
    (void)state;
    static float positions[VERTICES][3];
    fill_positions(positions);
    static uint32_t indices[3 * (VERTICES - 2)];
    for (uint32_t i = 0; i < VERTICES - 2; i++) {
        indices[3 * i] = i;
        indices[3 * i + 1] = i + 1;
        indices[3 * i + 2] = i + 2;
    }
    enum { INDICES = 3 * (VERTICES - 2) };
    static const char *const names[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
    for (int kind = 0; kind < 4; kind++) {
        gltf_text t;
        text_init(&t);
        packed vertices = pack_vertices(positions, VERTICES, sizeof(positions[0]));
        packed list;
        bool triangles = kind < 2;
        list.size = triangles ? meshopt_encodeIndexBuffer(list.data, sizeof(list.data), indices, INDICES)
                              : meshopt_encodeIndexSequence(list.data, sizeof(list.data), indices, INDICES);
        size_t index_size = kind % 2 ? 2 : 4;
        packed_view(&t, &vertices, names[kind % 2], VERTICES, 12, "ATTRIBUTES", NULL);
        packed_view(&t, &list, names[kind % 2], INDICES, index_size, triangles ? "TRIANGLES" : "INDICES", NULL);
        text_accessor(&t, "'type':'VEC3','componentType':5126,'count':%d,'bufferView':0", VERTICES);
        text_accessor(&t, "'type':'SCALAR','componentType':%d,'count':%d,'bufferView':1", kind % 2 ? U16 : U32,
                      INDICES);
        text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]");
        if (read_packed(&t, placeholder) != BW_OK) {
            fail_msg("%s", t.error.message);
        }
        const bw_primitive *primitive = &t.scene->meshes.data[0].primitives.data[0];
        assert_memory_equal(primitive->positions, positions, sizeof(positions));
        assert_int_equal(primitive->indices.count, INDICES);
        for (size_t i = 0; i < INDICES; i += 3) {
            /* The triangle codec may turn a triangle, not mirror it. */
            size_t turn = primitive->indices.data[i] == indices[i]       ? 0
                          : primitive->indices.data[i] == indices[i + 1] ? 1
                                                                         : 2;
            for (size_t k = 0; k < 3; k++) {
                assert_int_equal(primitive->indices.data[i + k], indices[i + (k + turn) % 3]);
            }
            assert_true(triangles || turn == 0);
        }
        text_close(&t);
    }
}

static void meshopt_filters(void **state) {
    (void)state;
    enum { COUNT = 5 };
    static const float quats[COUNT][4] = {
        {0, 0, 0, 1}, {0.6f, 0, 0, 0.8f}, {0, 0.6f, 0, 0.8f}, {0.5f, 0.5f, 0.5f, 0.5f}, {0, 0, 1, 0}};
    static const float normals[COUNT][4] = {
        {0, 0, 1, 0}, {1, 0, 0, 0}, {0, 0.6f, 0.8f, 0}, {0, -1, 0, 0}, {-0.6f, 0, -0.8f, 0}};
    static const float points[COUNT][3] = {{0, 0, 0}, {1, 2, 3}, {-0.5f, 0.25f, 1024}, {7, 8, 9}, {1, 0, 0}};
    static const float times[COUNT] = {0, 1, 2, 3, 4};
    uint16_t packed_quats[COUNT][4];
    int16_t packed_normals[COUNT][4];
    uint32_t packed_points[COUNT][3];
    meshopt_encodeFilterQuat(packed_quats, COUNT, 8, 16, &quats[0][0]);
    meshopt_encodeFilterOct(packed_normals, COUNT, 8, 16, &normals[0][0]);
    meshopt_encodeFilterExp(packed_points, COUNT, 12, 24, &points[0][0]);
    gltf_text t;
    text_init(&t);
    packed p = pack_vertices(packed_points, COUNT, 12), n = pack_vertices(packed_normals, COUNT, 8),
           q = pack_vertices(packed_quats, COUNT, 8);
    packed_view(&t, &p, "EXT_meshopt_compression", COUNT, 12, "ATTRIBUTES", "EXPONENTIAL");
    packed_view(&t, &n, "EXT_meshopt_compression", COUNT, 8, "ATTRIBUTES", "OCTAHEDRAL");
    packed_view(&t, &q, "EXT_meshopt_compression", COUNT, 8, "ATTRIBUTES", "QUATERNION");
    text_accessor(&t, "'type':'VEC3','componentType':5126,'count':%d,'bufferView':0", COUNT);
    text_accessor(&t, "'type':'VEC3','componentType':5122,'normalized':true,'count':%d,'bufferView':3", COUNT);
    text_accessor(&t, "'type':'VEC4','componentType':5122,'normalized':true,'count':%d,'bufferView':2", COUNT);
    /* The octahedral filter writes four components; its view is read with that stride. */
    size_t length = strlen(t.views);
    snprintf(t.views + length, sizeof(t.views) - length,
             ",{'buffer':1,'byteLength':%d,'byteStride':8,'extensions':{'EXT_meshopt_compression':{'buffer':0,'"
             "byteOffset':%zu,'byteLength':%zu,"
             "'byteStride':8,'count':%d,'mode':'ATTRIBUTES','filter':'OCTAHEDRAL'}}}",
             COUNT * 8, (p.size + 3) / 4 * 4, n.size, COUNT);
    t.view_count++;
    t.views_size = strlen(t.views);
    uint32_t time_view = text_view(&t, times, sizeof(times), NULL);
    text_accessor(&t, "'type':'SCALAR','componentType':5126,'count':%d,'bufferView':%u", COUNT, time_view);
    text_add(&t, "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0,'NORMAL':1}}]}],'nodes':[{'mesh':0}],'"
                 "animations':[{'channels':["
                 "{'sampler':0,'target':{'node':0,'path':'rotation'}}],'samplers':[{'input':3,'output':2}]}]");
    if (read_packed(&t, placeholder) != BW_OK) {
        fail_msg("%s", t.error.message);
    }
    const bw_primitive *primitive = &t.scene->meshes.data[0].primitives.data[0];
    const float *keys = t.scene->clips.data[0].channels.data[0].values;
    for (size_t i = 0; i < COUNT; i++) {
        double quat_dot = 0;
        for (size_t k = 0; k < 3; k++) {
            assert_true(primitive->positions[3 * i + k] == points[i][k]); /* few bits: exact */
            /* 16-bit steps: 1 / 32767 in each of a few components. */
            assert_true(fabs((double)primitive->normals[3 * i + k] - (double)normals[i][k]) < 1e-4);
        }
        for (size_t k = 0; k < 4; k++) {
            quat_dot += (double)keys[4 * i + k] * (double)quats[i][k];
        }
        assert_true(fabs(quat_dot) > 1 - 1e-8); /* the filter may change a quaternion's sign */
    }
    text_close(&t);
}

static void meshopt_errors(void **state) {
    (void)state;
    static float positions[VERTICES][3];
    fill_positions(positions);
    const packed good = pack_vertices(positions, VERTICES, 12);
    packed later = good, broken = good, cut = good;
    later.data[0] = 0xa1;
    broken.data[0] = 0xe0;
    cut.size = good.size - 1;
    static const char *const ext = "EXT_meshopt_compression", *const khr = "KHR_meshopt_compression";
    const struct {
        const packed *data;
        const char *extension;
        size_t count, stride;
        const char *mode, *filter;
        bw_result wanted;
        const char *part;
    } cases[] = {
        {&later, khr, VERTICES, 12, "ATTRIBUTES", NULL, BW_ERR_UNSUPPORTED,
         "KHR_meshopt_compression data of codec version 1 are not supported"},
        {&good, khr, VERTICES, 12, "ATTRIBUTES", "COLOR", BW_ERR_UNSUPPORTED,
         "the filter COLOR of KHR_meshopt_compression is not supported"},
        {&broken, ext, VERTICES, 12, "ATTRIBUTES", NULL, BW_ERR_MALFORMED,
         "its data begin with 0xe0, expected 0xa0 for mode ATTRIBUTES"},
        {&cut, ext, VERTICES, 12, "ATTRIBUTES", NULL, BW_ERR_MALFORMED, "do not decode to 300 elements of 12 bytes"},
        {&good, ext, VERTICES, 12, "VERTICES", NULL, BW_ERR_MALFORMED, "\"mode\" is \"VERTICES\""},
        {&good, ext, VERTICES, 12, "ATTRIBUTES", "OCTAHEDRAL", BW_ERR_MALFORMED,
         "\"byteStride\" is 12, which filter OCTAHEDRAL does not have"},
        {&good, ext, VERTICES, 12, "ATTRIBUTES", "QUATERNION", BW_ERR_MALFORMED,
         "\"byteStride\" is 12, which filter QUATERNION does not have"},
        {&good, ext, VERTICES, 12, "ATTRIBUTES", "WAVELET", BW_ERR_MALFORMED, "\"filter\" is \"WAVELET\""},
        {&good, ext, VERTICES, 6, "ATTRIBUTES", NULL, BW_ERR_MALFORMED,
         "\"byteStride\" is 6, expected a multiple of 4"},
        {&good, ext, VERTICES, 12, "TRIANGLES", NULL, BW_ERR_MALFORMED, "\"byteStride\" is 12, expected 2 or 4"},
        {&good, ext, 301, 4, "TRIANGLES", NULL, BW_ERR_MALFORMED, "\"count\" is 301, expected a multiple of 3"},
        {&good, ext, 300, 4, "INDICES", "OCTAHEDRAL", BW_ERR_MALFORMED,
         "\"filter\" is \"OCTAHEDRAL\", which mode INDICES does not have"},
        {&good, ext, VERTICES, 260, "ATTRIBUTES", NULL, BW_ERR_MALFORMED, "elements of 260 bytes"},
        {&good, ext, 80000, 12, "ATTRIBUTES", NULL, BW_ERR_MALFORMED, "cannot hold the 80000 elements"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gltf_text t;
        text_init(&t);
        packed_view(&t, cases[i].data, cases[i].extension, cases[i].count, cases[i].stride, cases[i].mode,
                    cases[i].filter);
        text_accessor(&t, "'type':'SCALAR','componentType':5121,'count':1,'bufferView':0");
        text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':%u},'indices':0}]}]",
                 text_accessor(&t, "'type':'VEC3','componentType':5126,'count':3"));
        bw_result result = read_packed(&t, placeholder);
        assert_string_equal(bw_result_name(result), bw_result_name(cases[i].wanted));
        expect_message(&t.error, cases[i].part);
        text_close(&t);
    }
}

/* What cannot be decompressed is taken from the uncompressed copy, if there is one. */
static void meshopt_fallback(void **state) {
    (void)state;
    static float positions[VERTICES][3];
    fill_positions(positions);
    packed later = pack_vertices(positions, VERTICES, 12);
    later.data[0] = 0xa1;
    gltf_text t;
    text_init(&t);
    packed_view(&t, &later, "KHR_meshopt_compression", 3, 12, "ATTRIBUTES", NULL);
    text_accessor(&t, "'type':'VEC3','componentType':5126,'count':3,'bufferView':0");
    text_add(&t, "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]");
    assert_int_equal(
        read_packed(&t, "{'byteLength':36,'uri':'data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA'}"),
        BW_OK);
    assert_int_equal(scene_warned(t.scene, "meshopt-fallback"), 1);
    assert_memory_equal(t.scene->meshes.data[0].primitives.data[0].positions, triangle_positions,
                        sizeof(triangle_positions));
    assert_int_equal(read_packed(&t, placeholder), BW_ERR_UNSUPPORTED);
    text_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uris),
        cmocka_unit_test(data_uris),
        cmocka_unit_test(ranges),
        cmocka_unit_test(meshopt_streams),
        cmocka_unit_test(meshopt_filters),
        cmocka_unit_test(meshopt_errors),
        cmocka_unit_test(meshopt_fallback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
