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

/* ---- hair ---- */

static char hair_path[700];

static void put(bw_alembic_writer *w, bw_alembic_id parent, const char *name, bw_alembic_kind kind, bw_alembic_pod pod,
                uint32_t extent, const void *values, uint64_t count, uint32_t samples) {
    bw_alembic_id id;
    const bw_alembic_property_opts opts = {.kind = kind, .pod = pod, .extent = extent};
    assert_int_equal(bw_alembic_add_property(&id, w, parent, name, &opts, NULL), BW_OK);
    for (uint32_t k = 0; k < samples; k++)
        assert_int_equal(bw_alembic_put(w, id, (const float *)values + k, count, NULL), BW_OK);
}

/* Three strands with a colour, below a transform, in two samples. */
static void write_hair(void) {
    static const float points[20] = {0, 0, 1, 0, 0, 2, 1, 0, 1, 1, 0, 3, 0, 1, 1, 0, 2, 2, 3, 4};
    static const int32_t counts[3] = {2, 2, 2};
    static const uint8_t linear[4] = {1, 0, 0, 0};
    static const double bounds[6] = {0, 0, 0, 4, 4, 4};
    const bw_alembic_meta xform = {"schema", "AbcGeom_Xform_v3"}, curve = {"schema", "AbcGeom_Curve_v2"};
    const bw_alembic_metadata of_xform = {.data = &xform, .count = 1}, of_curve = {.data = &curve, .count = 1};
    bw_alembic_writer *w;
    bw_alembic_id groom, hair, geometry, arbitrary;
    snprintf(hair_path, sizeof hair_path, "%.*s/hair.abc", (int)(strlen(folder) - strlen("/out")), folder);
    assert_int_equal(bw_alembic_create(&w, hair_path, NULL, NULL), BW_OK);
    assert_int_equal(bw_alembic_add_object(&groom, w, BW_ALEMBIC_TOP, "groom", &of_xform, NULL), BW_OK);
    assert_int_equal(bw_alembic_add_object(&hair, w, groom, "hair", &of_curve, NULL), BW_OK);
    assert_int_equal(bw_alembic_add_property(&geometry, w, hair, ".geom", NULL, NULL), BW_OK);
    put(w, geometry, ".selfBnds", BW_ALEMBIC_SCALAR, BW_ALEMBIC_FLOAT64, 6, bounds, 1, 1);
    put(w, geometry, "P", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, points, 6, 2);
    put(w, geometry, "nVertices", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, counts, 3, 1);
    put(w, geometry, "curveBasisAndType", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, 4, linear, 1, 1);
    assert_int_equal(bw_alembic_add_property(&arbitrary, w, geometry, ".arbGeomParams", NULL, NULL), BW_OK);
    put(w, arbitrary, "groom_color", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, points, 6, 1);
    assert_int_equal(bw_alembic_finish(w, NULL), BW_OK);
    bw_free_alembic_writer(w);
}

/* In: out — NULL: the check alone.  Repairs are hidden in a folder of their own, so that a file or a rest of one shows. */
static void groom_with_failures(const char *out) {
    const bw_groom_opts opts = {.from = BW_GROOM_FROM_MAYA, .run = {.threads = 1}};
    char out_path[700];
    snprintf(out_path, sizeof out_path, "%s/%s", folder, out ? out : "");
    write_hair();
    for (long k = 0;; k++) {
        bw_groom_report *report = NULL;
        bw_error error = {0};
        const long before = live;
        left = k;
        const bw_result result = out ? bw_groom_repair(&report, hair_path, out_path, &opts, &error)
                                     : bw_groom_check(&report, hair_path, &opts, &error);
        left = -1;
        if (result == BW_OK) {
            bw_free_groom_report(report);
            assert_int_equal(live, before);
            assert_true(k > 8); /* arenas and archives: the wrappers are in place */
            break;
        }
        if (result != BW_ERR_MEMORY || !*error.message)
            fail_msg("allocation %ld: %s: %s", k, bw_result_name(result), error.message);
        assert_null(report);
        struct stat status;
        if (stat(folder, &status) == 0)
            fail_msg("allocation %ld: the folder of the output is there", k);
        if (live != before)
            fail_msg("allocation %ld: %ld blocks leaked", k, live - before);
    }
    if (out) {
        assert_int_equal(access(out_path, R_OK), 0);
        remove_outputs();
    }
}

static void groom_check(void **state) {
    (void)state;
    groom_with_failures(NULL);
}

static void groom_abc(void **state) {
    (void)state;
    groom_with_failures("a.abc");
}

static void groom_glb(void **state) {
    (void)state;
    groom_with_failures("a.glb");
}

static void groom_cyhair(void **state) {
    (void)state;
    groom_with_failures("a.hair");
}

static void groom_usda(void **state) {
    (void)state;
    groom_with_failures("a.usda");
}

static void plan_with_failures(bw_pivot_elements elements, const char *override_file) {
    const bw_pivot_opts opts = {
        .elements = elements, .max_elements = 5, .override_file = override_file, .run = {.threads = 1}};
    for (long k = 0;; k++) {
        bw_pivot_plan *plan = NULL;
        bw_error error = {0};
        const long before = live;
        left = k;
        const bw_result result = bw_pivot_plan_make(&plan, scene_path, &opts, &error);
        left = -1;
        if (result == BW_OK) {
            bw_free_pivot_plan(plan);
            assert_int_equal(live, before);
            assert_true(k > 8);
            break;
        }
        if (result != BW_ERR_MEMORY || !*error.message)
            fail_msg("allocation %ld: %s: %s", k, bw_result_name(result), error.message);
        assert_null(plan);
        if (live != before)
            fail_msg("allocation %ld: %ld blocks leaked", k, live - before);
    }
}

/* The bake, then a second one that finds it up to date, then verify with its source. */
static void trees_with_failures(bool of_plan) {
    const bw_string_list rgb = {(const char *const[]){"origin"}, 1}, alpha = {(const char *const[]){"random"}, 1};
    const bw_pivot_opts opts = {.name = "t", .uv_set = 2, .rgb = rgb, .alpha = alpha, .run = {.threads = 1}};
    const bw_verify_opts against = {.against = scene_path, .run = {.threads = 1}};
    char manifest[700];
    snprintf(manifest, sizeof manifest, "%s/t_pivot.json", folder);
    bw_pivot_plan *plan = NULL;
    assert_int_equal(bw_pivot_plan_make(&plan, scene_path, &opts, NULL), BW_OK);
    enum { BAKE, AGAIN, VERIFY, STEPS };
    for (int step = BAKE; step < (of_plan ? AGAIN : STEPS); step++) {
        for (long k = 0;; k++) {
            bw_pivot_report *report = NULL;
            bw_verify_report *verified = NULL;
            bw_error error = {0};
            const long before = live;
            left = k;
            const bw_result result = step == VERIFY ? bw_verify(&verified, manifest, &against, &error)
                                     : of_plan      ? bw_pivot_write(&report, plan, folder, &opts, &error)
                                                    : bw_pivot_bake(&report, scene_path, folder, &opts, &error);
            left = -1;
            /* Where memory fails in the look whether a bake is up to date, it bakes. */
            if (result == BW_OK && (step != AGAIN || report->up_to_date)) {
                bw_free_pivot_report(report);
                bw_free_verify_report(verified);
                assert_int_equal(live, before);
                assert_true(k > 8);
                break;
            }
            if (result != BW_OK && (result != BW_ERR_MEMORY || !*error.message))
                fail_msg("step %d, allocation %ld: %s: %s", step, k, bw_result_name(result), error.message);
            struct stat status;
            if (step == BAKE && stat(manifest, &status) == 0)
                fail_msg("allocation %ld: a manifest is there", k);
            bw_free_pivot_report(report);
            if (live != before)
                fail_msg("step %d, allocation %ld: %ld blocks leaked", step, k, live - before);
        }
    }
    bw_free_pivot_plan(plan);
    remove_outputs();
}

static void tree_baked(void **state) {
    (void)state;
    trees_with_failures(false);
}

static void plan_written(void **state) {
    (void)state;
    trees_with_failures(true);
}

static void plan_of_nodes(void **state) {
    (void)state;
    plan_with_failures(BW_PIVOT_ELEMENTS_NODES, NULL);
}

static void plan_of_parts(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%.*s/override.json", (int)(strlen(folder) - strlen("/out")), folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs("{}", file) >= 0 && fclose(file) == 0);
    plan_with_failures(BW_PIVOT_ELEMENTS_PARTS, path);
    assert_int_equal(remove(path), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bake_native_png),  cmocka_unit_test(bake_with_tracks), cmocka_unit_test(bake_with_files),
        cmocka_unit_test(bake_native_ktx2), cmocka_unit_test(bake_auto),        cmocka_unit_test(bake_dry),
        cmocka_unit_test(bake_seed_exr),    cmocka_unit_test(bake_openvat_exr), cmocka_unit_test(verify_against),
        cmocka_unit_test(verify_openvat),   cmocka_unit_test(groom_check),      cmocka_unit_test(groom_abc),
        cmocka_unit_test(groom_glb),        cmocka_unit_test(groom_cyhair),     cmocka_unit_test(groom_usda),
        cmocka_unit_test(plan_of_nodes),    cmocka_unit_test(plan_of_parts),    cmocka_unit_test(tree_baked),
        cmocka_unit_test(plan_written),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
