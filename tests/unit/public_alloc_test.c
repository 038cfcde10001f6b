/* SPDX-License-Identifier: MIT
 * A bake and a check in which each allocation in turn fails: the answer is BW_ERR_MEMORY, nothing leaks, no file appears.
 * The linker puts wrappers between the library and libc's calloc, realloc and free (cmake/tests.cmake). */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "bakewell/bakewell.h"

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static long left = -1; /* allocations that succeed; < 0: all */
static long live;      /* blocks */

static int may_allocate(void) {
    if (left < 0)
        return 1;
    return left > 0 ? (left--, 1) : 0;
}

void *__wrap_calloc(size_t count, size_t size) {
    void *block = may_allocate() ? __real_calloc(count, size) : NULL;
    live += block != NULL;
    return block;
}

void *__wrap_realloc(void *block, size_t size) {
    void *grown = may_allocate() ? __real_realloc(block, size) : NULL;
    live += grown && !block;
    return grown;
}

void __wrap_free(void *block) {
    live -= block != NULL;
    __real_free(block);
}

static char scene_path[512], folder[512], manifest_path[700];

static int set_up(void **state) {
    (void)state;
    const char *assets = getenv("ASSETS"), *tmp = getenv("TMPDIR");
    snprintf(scene_path, sizeof scene_path, "%s/crates.glb", assets ? assets : ".");
    snprintf(folder, sizeof folder, "%s/alloc-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    strncat(folder, "/out", sizeof folder - strlen(folder) - 1);
    snprintf(manifest_path, sizeof manifest_path, "%s/crates_vat.json", folder);
    return access(scene_path, R_OK);
}

static bw_vat_opts opts_of(bw_vat_layout layout, bw_vat_format format, bw_vat_normals normals) {
    return (bw_vat_opts){.mode = BW_VAT_MODE_VERTEX,
                         .layout = layout,
                         .format = format,
                         .normals = normals,
                         .fps = layout == BW_VAT_LAYOUT_SEED ? 0 : 5,
                         .run = {.threads = 1}};
}

/* Fails the k-th allocation for k = 0, 1, … until the bake gets through. */
static void bake_with_failures(const bw_vat_opts *opts) {
    for (long k = 0;; k++) {
        bw_vat_report *report = NULL;
        bw_error error = {0};
        const long before = live;
        left = k;
        const bw_result result = bw_vat_bake(&report, scene_path, folder, opts, &error);
        left = -1;
        if (result == BW_OK) {
            bw_free_vat_report(report);
            assert_int_equal(live, before);
            assert_true(k > 50); /* a bake allocates more than that: the wrappers are in place */
            break;
        }
        if (result != BW_ERR_MEMORY || !*error.message)
            fail_msg("allocation %ld: %s: %s", k, bw_result_name(result), error.message);
        assert_null(report);
        struct stat status;
        if (stat(folder, &status) == 0)
            fail_msg("allocation %ld: the folder of the outputs is there", k);
        if (live != before)
            fail_msg("allocation %ld: %ld blocks leaked", k, live - before);
    }
}

static void remove_outputs(void) {
    char command[600];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void bake_native_png(void **state) {
    (void)state;
    const bw_vat_opts opts = opts_of(BW_VAT_LAYOUT_NATIVE, BW_VAT_FORMAT_PNG16, BW_VAT_NORMALS_SEPARATE);
    bake_with_failures(&opts);
    remove_outputs();
}

static void bake_with_tracks(void **state) {
    (void)state;
    const char *attach[] = {"Fixed,T*", "Mirrored"};
    const bw_vat_event event = {"Tumble", "creak", 0.5};
    bw_vat_opts opts = opts_of(BW_VAT_LAYOUT_NATIVE, BW_VAT_FORMAT_PNG16, BW_VAT_NORMALS_DEFAULT);
    opts.root_motion = BW_VAT_ROOT_MOTION_EXTRACT;
    opts.root = "Turner";
    opts.attach = (bw_string_list){attach, 2};
    opts.events.data = &event;
    opts.events.count = 1;
    bake_with_failures(&opts);
    remove_outputs();
}

/* Clips and a level from a copy of the scene. */
static void bake_with_files(void **state) {
    (void)state;
    char copy[600], command[1300];
    snprintf(copy, sizeof copy, "%.*s/copy.glb", (int)(strlen(folder) - strlen("/out")), folder);
    snprintf(command, sizeof command, "cp '%s' '%s'", scene_path, copy);
    assert_int_equal(system(command), 0);
    const char *files[] = {copy};
    bw_vat_opts opts = opts_of(BW_VAT_LAYOUT_NATIVE, BW_VAT_FORMAT_PNG16, BW_VAT_NORMALS_DEFAULT);
    opts.anim = opts.lod = (bw_string_list){files, 1};
    bake_with_failures(&opts);
    remove_outputs();
}

static void bake_native_ktx2(void **state) {
    (void)state;
    const bw_vat_opts opts = opts_of(BW_VAT_LAYOUT_NATIVE, BW_VAT_FORMAT_KTX2_F16, BW_VAT_NORMALS_DEFAULT);
    bake_with_failures(&opts);
    remove_outputs();
}

/* The smallest way misses the bound, the next one keeps it. */
static void bake_auto(void **state) {
    (void)state;
    bw_vat_opts opts = opts_of(BW_VAT_LAYOUT_NATIVE, BW_VAT_FORMAT_DEFAULT, BW_VAT_NORMALS_OFF);
    opts.mode = BW_VAT_MODE_AUTO;
    opts.max_error = (bw_length){1e-5, BW_LENGTH_RELATIVE};
    bake_with_failures(&opts);
    remove_outputs();
}

static void bake_dry(void **state) {
    (void)state;
    bw_vat_opts opts = opts_of(BW_VAT_LAYOUT_NATIVE, BW_VAT_FORMAT_PNG16, BW_VAT_NORMALS_DEFAULT);
    opts.mode = BW_VAT_MODE_AUTO;
    opts.write.dry_run = true;
    bake_with_failures(&opts);
}

static void bake_seed_exr(void **state) {
    (void)state;
    const bw_vat_opts opts = opts_of(BW_VAT_LAYOUT_SEED, BW_VAT_FORMAT_EXR16, BW_VAT_NORMALS_DEFAULT);
    bake_with_failures(&opts);
    remove_outputs();
}

static void bake_openvat_exr(void **state) {
    (void)state;
    const bw_vat_opts opts = opts_of(BW_VAT_LAYOUT_OPENVAT, BW_VAT_FORMAT_EXR16, BW_VAT_NORMALS_SEPARATE);
    bake_with_failures(&opts);
    remove_outputs();
}

static void verify_with_failures(const bw_vat_opts *bake, const char *path, const char *against) {
    bw_vat_report *baked = NULL;
    assert_int_equal(bw_vat_bake(&baked, scene_path, folder, bake, NULL), BW_OK);
    bw_free_vat_report(baked);
    const bw_verify_opts opts = {.against = against, .run = {.threads = 1}};
    for (long k = 0;; k++) {
        bw_verify_report *report = NULL;
        bw_error error = {0};
        const long before = live;
        left = k;
        const bw_result result = bw_verify(&report, path, &opts, &error);
        left = -1;
        if (result == BW_OK) {
            assert_int_equal(report->findings.count, 0);
            assert_true(report->foreign || (report->compared && report->error.stored.count > 0));
            bw_free_verify_report(report);
            assert_int_equal(live, before);
            assert_true(k > 50);
            break;
        }
        if (result != BW_ERR_MEMORY || !*error.message)
            fail_msg("allocation %ld: %s: %s", k, bw_result_name(result), error.message);
        assert_null(report);
        if (live != before)
            fail_msg("allocation %ld: %ld blocks leaked", k, live - before);
    }
    remove_outputs();
}

static void verify_against(void **state) {
    (void)state;
    const bw_vat_opts bake = opts_of(BW_VAT_LAYOUT_NATIVE, BW_VAT_FORMAT_PNG16, BW_VAT_NORMALS_SEPARATE);
    verify_with_failures(&bake, manifest_path, scene_path);
}

static void verify_openvat(void **state) {
    (void)state;
    const bw_vat_opts bake = opts_of(BW_VAT_LAYOUT_OPENVAT, BW_VAT_FORMAT_PNG16, BW_VAT_NORMALS_DEFAULT);
    char path[600];
    snprintf(path, sizeof path, "%s/crates-remap_info.json", folder);
    verify_with_failures(&bake, path, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bake_native_png),  cmocka_unit_test(bake_with_tracks), cmocka_unit_test(bake_with_files),
        cmocka_unit_test(bake_native_ktx2), cmocka_unit_test(bake_auto),        cmocka_unit_test(bake_dry),
        cmocka_unit_test(bake_seed_exr),    cmocka_unit_test(bake_openvat_exr), cmocka_unit_test(verify_against),
        cmocka_unit_test(verify_openvat),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
