/* SPDX-License-Identifier: MIT
 * Third-party models: every file comes out as tests/golden/gltf_outcomes.tsv says, and files that hold the same thing read the same. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <unistd.h>

#include "base/mem.h"
#include "read/read.h"

static const char *data_folder(void) {
    const char *set = getenv("BW_TEST_DATA");
    return set && set[0] ? set : BW_SOURCE_DIR "/../shared/data";
}

/* Skips the test where the data are absent. */
static void need_data(void) {
    char path[1024];
    snprintf(path, sizeof(path), "%s/models/gltf", data_folder());
    if (access(path, R_OK) != 0) {
        print_message("skip: no third-party models at %s\n", path);
        skip();
    }
}

/* path relative to the folder `models`. */
static bw_result read_model(bw_scene **scene, const char *path, bw_error *error) {
    char full[2048];
    snprintf(full, sizeof(full), "%s/models/%s", data_folder(), path);
    return bwi_read_scene(scene, full, NULL, error);
}

static bw_scene *must_read(const char *path) {
    bw_scene *scene;
    bw_error error;
    if (read_model(&scene, path, &error) != BW_OK) {
        fail_msg("%s", error.message);
    }
    return scene;
}

/* The row of the table as this build finds it. */
static void describe(char *row, size_t size, const char *path) {
    bw_scene *scene;
    bw_error error;
    bw_result result = read_model(&scene, path, &error);
    int used = snprintf(row, size, "%s\t%s", path, bw_result_name(result));
    if (result != BW_OK) {
        /* The message without the part that depends on where the data lie. */
        const char *name = strrchr(path, '/') + 1;
        const char *message = strstr(error.message, name);
        message = message ? message + strlen(name) + 2 : error.message;
        snprintf(row + used, size - (size_t)used, "\t-\t-\t-\t-\t-\t-\t%s", message);
        return;
    }
    size_t primitives = 0, vertices = 0;
    for (size_t m = 0; m < scene->meshes.count; m++) {
        const bw_mesh *mesh = &scene->meshes.data[m];
        primitives += mesh->primitives.count;
        for (size_t p = 0; p < mesh->primitives.count; p++) {
            vertices += mesh->primitives.data[p].vertex_count;
        }
    }
    used += snprintf(row + used, size - (size_t)used, "\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t", scene->nodes.count,
                     scene->meshes.count, primitives, scene->skins.count, scene->clips.count, vertices);
    for (size_t w = 0; w < scene->warnings.count; w++) {
        used += snprintf(row + used, size - (size_t)used, "%s%s:%llu", w ? " " : "", scene->warnings.data[w].code,
                         (unsigned long long)scene->warnings.data[w].count);
    }
    if (scene->warnings.count == 0) {
        snprintf(row + used, size - (size_t)used, "-");
    }
    bwi_arena_free(scene->arena);
}

enum { MOST_ROWS = 512, ROW_SIZE = 1024 };

typedef struct table {
    char rows[MOST_ROWS][ROW_SIZE];
    size_t count;
} table;

static void read_table(table *t) {
    FILE *file = fopen(BW_SOURCE_DIR "/tests/golden/gltf_outcomes.tsv", "r");
    assert_non_null(file);
    while (t->count < MOST_ROWS && fgets(t->rows[t->count], ROW_SIZE, file)) {
        char *row = t->rows[t->count];
        row[strcspn(row, "\n")] = 0;
        t->count += row[0] && row[0] != '#';
    }
    fclose(file);
}

static void data_outcomes(void **state) {
    (void)state;
    need_data();
    static table t;
    read_table(&t);
    assert_true(t.count > 0);
    size_t wrong = 0;
    for (size_t i = 0; i < t.count; i++) {
        char path[512], found[ROW_SIZE];
        snprintf(path, sizeof(path), "%.*s", (int)strcspn(t.rows[i], "\t"), t.rows[i]);
        describe(found, sizeof(found), path);
        if (strcmp(found, t.rows[i]) != 0) {
            print_error("wanted %s\nfound  %s\n", t.rows[i], found);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static bool in_table(const table *t, const char *path) {
    for (size_t i = 0; i < t->count; i++) {
        if (strncmp(t->rows[i], path, strlen(path)) == 0 && t->rows[i][strlen(path)] == '\t') {
            return true;
        }
    }
    return false;
}

/* No model is forgotten: each .gltf and .glb of the two folders has a row. */
static void data_table_is_whole(void **state) {
    (void)state;
    need_data();
    static const char *const folders[] = {"gltf", "gltf_malformed"};
    static table t;
    read_table(&t);
    size_t seen = 0;
    for (size_t f = 0; f < 2; f++) {
        char path[2048];
        snprintf(path, sizeof(path), "%s/models/%s", data_folder(), folders[f]);
        DIR *outer = opendir(path);
        assert_non_null(outer);
        for (struct dirent *asset; (asset = readdir(outer));) {
            char inner_path[4096];
            snprintf(inner_path, sizeof(inner_path), "%s/%s", path, asset->d_name);
            DIR *inner = asset->d_name[0] == '.' ? NULL : opendir(inner_path);
            for (struct dirent *file; inner && (file = readdir(inner));) {
                const char *suffix = strrchr(file->d_name, '.');
                if (suffix && (strcmp(suffix, ".gltf") == 0 || strcmp(suffix, ".glb") == 0)) {
                    char name[1024];
                    snprintf(name, sizeof(name), "%s/%s/%s", folders[f], asset->d_name, file->d_name);
                    if (!in_table(&t, name)) {
                        fail_msg("%s has no row", name);
                    }
                    seen++;
                }
            }
            if (inner) {
                closedir(inner);
            }
        }
        closedir(outer);
    }
    assert_int_equal(seen, t.count);
}

/* ---- Files that hold the same thing. ---- */

static void expect_same_floats(const float *a, const float *b, size_t count, const char *what) {
    if (!a != !b) {
        fail_msg("%s: only one has them", what);
    }
    for (size_t i = 0; a && i < count; i++) {
        /* −0 and +0 are one value: sparse accessors lose the sign of zeros. */
        if (!(a[i] == b[i])) {
            fail_msg("%s: %zu: %.9g and %.9g", what, i, (double)a[i], (double)b[i]);
        }
    }
}

static void expect_same_primitive(const bw_primitive *a, const bw_primitive *b) {
    size_t n = a->vertex_count;
    assert_int_equal(n, b->vertex_count);
    expect_same_floats(a->positions, b->positions, 3 * n, "positions");
    expect_same_floats(a->normals, b->normals, 3 * n, "normals");
    expect_same_floats(a->tangents, b->tangents, 4 * n, "tangents");
    assert_int_equal(a->indices.count, b->indices.count);
    assert_memory_equal(a->indices.data, b->indices.data, a->indices.count * sizeof(uint32_t));
    assert_int_equal(a->influence_count, b->influence_count);
    expect_same_floats(a->weights, b->weights, n * a->influence_count, "weights");
    if (a->influence_count) {
        assert_memory_equal(a->joints, b->joints, n * a->influence_count * sizeof(uint32_t));
    }
    assert_int_equal(a->targets.count, b->targets.count);
    for (size_t i = 0; i < a->targets.count; i++) {
        expect_same_floats(a->targets.data[i].positions, b->targets.data[i].positions, 3 * n, "target positions");
        expect_same_floats(a->targets.data[i].normals, b->targets.data[i].normals, 3 * n, "target normals");
        expect_same_floats(a->targets.data[i].tangents, b->targets.data[i].tangents, 3 * n, "target tangents");
    }
}

static void expect_same_clip(const bw_clip *a, const bw_clip *b) {
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->channels.count, b->channels.count);
    for (size_t i = 0; i < a->channels.count; i++) {
        const bw_channel *x = &a->channels.data[i], *y = &b->channels.data[i];
        assert_int_equal(x->node, y->node);
        assert_int_equal(x->path, y->path);
        assert_int_equal(x->interpolation, y->interpolation);
        assert_int_equal(x->key_count, y->key_count);
        size_t values =
            (size_t)x->key_count * x->component_count * (x->interpolation == BW_INTERPOLATION_CUBICSPLINE ? 3 : 1);
        expect_same_floats(x->times_s, y->times_s, x->key_count, "times");
        expect_same_floats(x->values, y->values, values, "values");
    }
}

static void expect_same_scene(const char *first, const char *second) {
    bw_scene *a = must_read(first), *b = must_read(second);
    assert_int_equal(a->meshes.count, b->meshes.count);
    for (size_t m = 0; m < a->meshes.count; m++) {
        assert_int_equal(a->meshes.data[m].primitives.count, b->meshes.data[m].primitives.count);
        for (size_t p = 0; p < a->meshes.data[m].primitives.count; p++) {
            expect_same_primitive(&a->meshes.data[m].primitives.data[p], &b->meshes.data[m].primitives.data[p]);
        }
    }
    assert_int_equal(a->skins.count, b->skins.count);
    for (size_t s = 0; s < a->skins.count; s++) {
        assert_int_equal(a->skins.data[s].joints.count, b->skins.data[s].joints.count);
        expect_same_floats(a->skins.data[s].inverse_bind, b->skins.data[s].inverse_bind,
                           16 * a->skins.data[s].joints.count, "inverse bind");
    }
    assert_int_equal(a->clips.count, b->clips.count);
    for (size_t c = 0; c < a->clips.count; c++) {
        expect_same_clip(&a->clips.data[c], &b->clips.data[c]);
    }
    bwi_arena_free(a->arena);
    bwi_arena_free(b->arena);
}

static void data_same_scenes(void **state) {
    (void)state;
    need_data();
    expect_same_scene("gltf/greenman/greenman.glb", "gltf/greenman_separate/greenman_separate.gltf");
    expect_same_scene("gltf/MorphStressTest/MorphStressTest.gltf",
                      "gltf/MorphStressTest_sparse/MorphStressTest_sparse.glb");
    expect_same_scene("gltf/EXT_meshopt_compression_meshopt-fallback/meshopt-fallback.gltf",
                      "gltf/EXT_meshopt_compression_meshopt-no-fallback/meshopt-no-fallback.gltf");
    expect_same_scene("gltf/EXT_meshopt_compression_meshopt-fallback/meshopt-fallback.gltf",
                      "gltf/KHR_meshopt_compression_meshopt-no-fallback/meshopt-no-fallback.gltf");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_outcomes),
        cmocka_unit_test(data_table_is_whole),
        cmocka_unit_test(data_same_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
