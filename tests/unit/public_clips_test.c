/* SPDX-License-Identifier: MIT
 * Clips of other files through the public calls: bw_scene_add_clips, and levels in a report. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bakewell/bakewell.h"

static char crates[512], hero[512], folder[512], copy[600];

static int set_up(void **state) {
    (void)state;
    const char *assets = getenv("ASSETS"), *tmp = getenv("TMPDIR");
    char command[1300];
    snprintf(crates, sizeof crates, "%s/crates.glb", assets ? assets : ".");
    snprintf(hero, sizeof hero, "%s/hero.glb", assets ? assets : ".");
    snprintf(folder, sizeof folder, "%s/clips-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(copy, sizeof copy, "%s/more.glb", folder);
    snprintf(command, sizeof command, "cp '%s' '%s'", crates, copy);
    return system(command);
}

static void clips_are_added(void **state) {
    (void)state;
    bw_scene *scene = NULL;
    bw_error error;
    assert_int_equal(bw_scene_load(&scene, crates, NULL, &error), BW_OK);
    const size_t own = scene->clips.count, files = scene->files.count;
    const bw_clip first = scene->clips.data[0];
    char pattern[700];
    snprintf(pattern, sizeof pattern, "%s/*.glb", folder);
    const char *names[] = {pattern, crates}; /* the scene's own file is passed over */
    if (bw_scene_add_clips(scene, (bw_string_list){names, 2}, NULL, NULL, &error) != BW_OK)
        fail_msg("%s", error.message);
    assert_int_equal(scene->clips.count, 2 * own);
    assert_int_equal(scene->files.count, files + 1);
    char name[300];
    snprintf(name, sizeof name, "more.%s", first.name);
    assert_string_equal(scene->clips.data[own].name, name);
    assert_string_equal(scene->clips.data[0].name, first.name);
    assert_int_equal(scene->clips.data[own].channels.count, first.channels.count);
    for (size_t k = 0; k < first.channels.count; k++) {
        const bw_channel *a = &first.channels.data[k], *b = &scene->clips.data[own].channels.data[k];
        assert_true(a->node == b->node && a->path == b->path && a->key_count == b->key_count);
        assert_memory_equal(a->times_s, b->times_s, a->key_count * sizeof(float));
    }
    bw_free_scene(scene);
}

static void a_scene_that_gets_none_is_untouched(void **state) {
    (void)state;
    bw_scene *scene = NULL;
    bw_error error;
    assert_int_equal(bw_scene_load(&scene, crates, NULL, &error), BW_OK);
    const bw_scene before = *scene;
    const char *fits_then_not[] = {copy, hero}, *missing[] = {"nowhere.glb"}, *nothing[] = {"none-*.glb"};
    const struct {
        const char **names;
        size_t count;
        bw_result result;
    } rows[] = {{fits_then_not, 2, BW_ERR_NO_CLIP},
                {missing, 1, BW_ERR_FILE_MISSING},
                {nothing, 1, BW_ERR_FILE_MISSING},
                {NULL, 0, BW_OK}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_int_equal(bw_scene_add_clips(scene, (bw_string_list){rows[k].names, rows[k].count}, NULL, NULL, &error),
                         rows[k].result);
        assert_memory_equal(scene, &before, sizeof before);
    }
    bw_free_scene(scene);
}

static void levels_are_reported(void **state) {
    (void)state;
    char out[600];
    snprintf(out, sizeof out, "%s/out", folder);
    const char *levels[] = {copy};
    const bw_vat_opts opts = {.mode = BW_VAT_MODE_VERTEX, .fps = 5, .lod = {levels, 1}};
    bw_vat_report *report = NULL;
    bw_error error;
    for (int again = 0; again < 2; again++) {
        if (bw_vat_bake(&report, crates, out, &opts, &error) != BW_OK)
            fail_msg("%s", error.message);
        assert_int_equal(report->up_to_date, again);
        assert_int_equal(report->levels.count, 1);
        const bw_baked_level *level = &report->levels.data[0];
        assert_string_equal(level->file, "crates_vat.lod1.glb");
        assert_int_equal(level->vertex_count, report->vertex_count);
        /* The same mesh: it loses what the base loses. */
        assert_true(level->rest_max == 0 && level->frames.max == report->error.stored.max);
        assert_string_equal(level->frames.worst.clip, report->error.stored.worst.clip);
        assert_int_equal(level->frames.count, report->error.stored.count);
        if (!again)
            bw_free_vat_report(report);
    }
    bw_verify_report *verified = NULL;
    const bw_verify_opts plain = {0}, against = {.against = crates, .lod = {levels, 1}};
    assert_int_equal(bw_verify(&verified, report->manifest, &plain, &error), BW_OK);
    assert_int_equal(verified->levels.count, 1);
    assert_int_equal(verified->levels.data[0].frames.count, 0);
    bw_free_verify_report(verified);
    if (bw_verify(&verified, report->manifest, &against, &error) != BW_OK)
        fail_msg("%s", error.message);
    assert_true(verified->levels.data[0].frames.max == report->levels.data[0].frames.max);
    bw_free_verify_report(verified);
    bw_free_vat_report(report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_are_added),
        cmocka_unit_test(a_scene_that_gets_none_is_untouched),
        cmocka_unit_test(levels_are_reported),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
