/* SPDX-License-Identifier: MIT
 * Root motion, attachments and events through the public calls. */
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

#include "bakewell/bakewell.h"

static char hero[512], folder[512];

static int set_up(void **state) {
    (void)state;
    const char *assets = getenv("ASSETS"), *tmp = getenv("TMPDIR");
    snprintf(hero, sizeof hero, "%s/hero.glb", assets ? assets : ".");
    snprintf(folder, sizeof folder, "%s/motion-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static void events_and_tracks_reach_the_manifest(void **state) {
    (void)state;
    const char *clips[] = {"Run", "Walk"}, *attach[] = {"Sword"};
    const bw_vat_event events[] = {{"Run", "left", 0.5}, {"Walk", "step", 4.0}, {"Run", "right", 0.25}};
    bw_vat_opts opts = {.mode = BW_VAT_MODE_VERTEX,
                        .clip = {clips, 2},
                        .attach = {attach, 1},
                        .root_motion = BW_VAT_ROOT_MOTION_EXTRACT};
    opts.events.data = events;
    opts.events.count = 3;
    bw_vat_report *report = NULL;
    bw_error error;
    if (bw_vat_bake(&report, hero, folder, &opts, &error) != BW_OK)
        fail_msg("%s", error.message);
    assert_string_equal(report->root_node, "root");
    json_t *manifest = json_load_file(report->manifest, 0, NULL);
    assert_non_null(manifest);
    const json_t *run = json_array_get(json_object_get(manifest, "clips"), 0);
    const json_t *walk = json_array_get(json_object_get(manifest, "clips"), 1);
    assert_string_equal(json_string_value(json_object_get(run, "name")), "Run");
    const json_t *list = json_object_get(run, "events");
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "name")), "right");
    assert_true(json_real_value(json_object_get(json_array_get(list, 0), "time_s")) == 0.25);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "name")), "left");
    assert_int_equal(json_array_size(json_object_get(walk, "events")), 1);
    assert_null(json_object_get(json_object_get(manifest, "options"), "events"));
    assert_int_equal(json_array_size(json_object_get(run, "attachments")), 1);
    assert_non_null(json_object_get(walk, "root"));
    json_decref(manifest);

    bw_verify_report *verified = NULL;
    const bw_verify_opts against = {.against = hero, .max_error = {1e-4, BW_LENGTH_METRE}};
    if (bw_verify(&verified, report->manifest, &against, &error) != BW_OK)
        fail_msg("%s", error.message);
    assert_int_equal(verified->findings.count, 0);
    bw_free_verify_report(verified);
    bw_free_vat_report(report);

    /* The same events, given in another order, leave the bake up to date; another time or one less does not. */
    bw_vat_event again[] = {events[2], events[1], events[0]};
    opts.events.data = again;
    for (int k = 0; k < 4; k++) {
        again[0].time_s = k == 2 ? 0.3 : 0.25;
        opts.events.count = k == 3 ? 2 : 3;
        assert_int_equal(bw_vat_bake(&report, hero, folder, &opts, &error), BW_OK);
        assert_int_equal(report->up_to_date, k < 2);
        assert_string_equal(report->root_node, "root");
        bw_free_vat_report(report);
    }
}

static void refused_before_work(void **state) {
    (void)state;
    static const struct {
        bw_vat_event event;
        bw_result result;
    } CASES[] = {
        {{"Run", "late", 0.8}, BW_ERR_USAGE},     {{"Run", "early", -0.01}, BW_ERR_USAGE},
        {{"Rum", "x", 0.0}, BW_ERR_UNKNOWN_CLIP}, {{"Walk", "not baked", 0}, BW_ERR_UNKNOWN_CLIP},
        {{"Run", NULL, 0.0}, BW_ERR_USAGE},
    };
    const char *clips[] = {"Run"};
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        bw_vat_opts opts = {.mode = BW_VAT_MODE_VERTEX, .clip = {clips, 1}};
        opts.events.data = &CASES[k].event;
        opts.events.count = 1;
        bw_vat_report *report = NULL;
        bw_error error;
        assert_int_equal(bw_vat_bake(&report, hero, folder, &opts, &error), CASES[k].result);
        assert_null(report);
        assert_int_equal(bw_result_exit_status(error.result), 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_and_tracks_reach_the_manifest),
        cmocka_unit_test(refused_before_work),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
