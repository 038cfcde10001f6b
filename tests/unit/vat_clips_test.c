/* SPDX-License-Identifier: MIT
 * Which clips are baked, in how many frames, sampled when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vat/vat.h"

typedef struct fixture {
    bwi_arena *arena;
    bw_scene scene;
    bw_clip clips[4];
    bwi_warnings warnings;
    bwi_vat_settings settings;
    bwi_vat_clip *chosen;
    uint32_t count;
    bw_error error;
} fixture;

static const bw_channel TURN_HEAD = {.node = 1, .path = BW_CHANNEL_ROTATION};
static const bw_channel MOVE_ROOT = {.node = 0, .path = BW_CHANNEL_TRANSLATION};

static bw_clip clip_of(const char *name, float start_s, float end_s, double rate_fps, const bw_channel *channel) {
    return (bw_clip){
        .name = name, .channels = {channel, 1}, .start_s = start_s, .end_s = end_s, .key_rate_fps = rate_fps};
}

static void begin(fixture *f, bw_vat_layout layout) {
    *f = (fixture){.arena = bwi_arena_create_owning(0)};
    f->clips[0] = clip_of("Run", 1.0f, 2.0f, 24.0, &MOVE_ROOT);
    f->clips[1] = clip_of("Wave", 0.0f, 2.0f, 0.0, &TURN_HEAD);
    f->clips[2] = clip_of("A+B", 0.5f, 0.5f, 0.0, &TURN_HEAD);
    f->clips[3] = clip_of("Hop", 0.0f, 3.0f, 60.0, &MOVE_ROOT);
    f->scene = (bw_scene){.path = "hero.glb", .clips = {f->clips, 4}};
    bwi_warnings_init(&f->warnings, f->arena);
    f->settings.layout = layout;
}

static bw_result choose(fixture *f, const bw_vat_opts *opts) {
    f->settings.fps = opts->fps;
    f->settings.start_s = opts->start;
    f->settings.end_s = opts->end;
    return bwi_vat_choose_clips(&f->chosen, &f->count, f->arena, &f->scene, &f->settings, opts, &f->warnings,
                                &f->error);
}

static void every_clip_at_its_keys_rate(void **state) {
    (void)state;
    fixture f;
    begin(&f, BW_VAT_LAYOUT_NATIVE);
    assert_int_equal(choose(&f, &(bw_vat_opts){0}), BW_OK);
    assert_int_equal(f.count, 4);
    assert_string_equal(f.chosen[0].out.name, "Run");
    assert_int_equal(f.chosen[0].out.frame_count, 25);
    assert_true(f.chosen[0].out.rate_fps == 24.0);
    assert_true(f.chosen[0].out.source_start_s == 1.0);
    assert_int_equal(f.chosen[1].out.frame_count, 61); /* no grid: 30 */
    assert_int_equal(f.chosen[2].out.frame_count, 1);  /* no length: one frame, no division by zero */
    assert_true(f.chosen[2].out.duration_s == 0.0);
    assert_int_equal(f.chosen[3].out.frame_count, 181);
    bwi_arena_free(f.arena);
}

/* d·r on the rounding edge: n = floor(d·r + ½), and the true rate is n/d.  Guards meshoptimizer pull 37: a 0.1 s clip at 15 a second keeps its
 * last frame. */
static void frames_round_to_nearest(void **state) {
    (void)state;
    static const struct {
        float end_s;
        double fps;
        uint32_t frames;
    } CASES[] = {
        {0.1f, 15.0, 3},       /* float 0.1 is above 0.1: d·r = 1.50000002, n = 2 */
        {0.5f, 3.0, 3},        /* exactly 1.5 rounds up: n = 2 */
        {0.5f, 2.9999, 2},     /* just below: n = 1 */
        {1.0f, 0.49, 2},       /* never below one interval */
        {1.0f, 30.5, 32},      /* 30.5 -> 31 */
        {0.0000001f, 30.0, 2}, /* a clip of no visible length keeps both ends */
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        fixture f;
        begin(&f, BW_VAT_LAYOUT_NATIVE);
        f.clips[0] = clip_of("x", 0.0f, CASES[k].end_s, 0.0, &MOVE_ROOT);
        f.scene.clips.count = 1;
        assert_int_equal(choose(&f, &(bw_vat_opts){.fps = CASES[k].fps}), BW_OK);
        assert_int_equal(f.chosen[0].out.frame_count, CASES[k].frames);
        const double d = (double)CASES[k].end_s;
        assert_true(f.chosen[0].out.rate_fps == (double)(CASES[k].frames - 1) / d);
        /* The last sample is the end pose, exactly. */
        assert_true(bwi_manifest_clip_time(BW_VAT_LAYOUT_NATIVE, &f.chosen[0].out, CASES[k].frames - 1) == d);
        bwi_arena_free(f.arena);
    }
}

/* (int)(60.0f * (float)length), as the article's engine computes it. */
static void seed_height_rounds_as_a_float(void **state) {
    (void)state;
    static const struct {
        float end_s;
        uint32_t rows;
    } CASES[] = {
        {1.0f, 60},      {0.999999f, 59}, {0.0166666f, 1 /* 0.999996 -> none, so one with a warning */},
        {0.0166667f, 1}, {2.5f, 150},     {0.35f, 21 /* 0.35f · 60.0f is 21 in float, 20.9999… in double */},
        {0.0f, 1},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        fixture f;
        begin(&f, BW_VAT_LAYOUT_SEED);
        f.clips[0] = clip_of("x", 0.0f, CASES[k].end_s, 0.0, &MOVE_ROOT);
        f.scene.clips.count = 1;
        assert_int_equal(choose(&f, &(bw_vat_opts){0}), BW_OK);
        assert_int_equal(f.chosen[0].out.frame_count, CASES[k].rows);
        const bool warned = bwi_warnings_list(&f.warnings).count == 1;
        assert_int_equal(warned, (int)(60.0f * CASES[k].end_s) == 0);
        assert_true(bwi_manifest_clip_time(BW_VAT_LAYOUT_SEED, &f.chosen[0].out, 5) == 5.0 / 60.0);
        bwi_arena_free(f.arena);
    }
}

static void spans_are_cut_after_the_first_key(void **state) {
    (void)state;
    fixture f;
    const char *run[] = {"Run"};
    begin(&f, BW_VAT_LAYOUT_NATIVE);
    assert_int_equal(choose(&f, &(bw_vat_opts){.clip = {run, 1}, .start = 0.25, .end = 0.75, .fps = 10}), BW_OK);
    assert_true(f.chosen[0].out.source_start_s == 1.25);
    assert_true(f.chosen[0].out.source_end_s == 1.75);
    assert_int_equal(f.chosen[0].out.frame_count, 6);
    assert_int_equal(choose(&f, &(bw_vat_opts){.clip = {run, 1}, .start = 1.5}), BW_ERR_USAGE);
    assert_int_equal(choose(&f, &(bw_vat_opts){.clip = {run, 1}, .start = 0.5, .end = 0.25}), BW_ERR_USAGE);
    assert_int_equal(choose(&f, &(bw_vat_opts){.clip = {run, 1}, .end = 9.0}), BW_OK);
    assert_true(f.chosen[0].out.source_end_s == 2.0);
    assert_string_equal(bwi_warnings_list(&f.warnings).data[0].code, "end-past-clip");
    bwi_arena_free(f.arena);
}

static void unknown_clips_are_listed(void **state) {
    (void)state;
    fixture f;
    const char *names[] = {"Fly"};
    begin(&f, BW_VAT_LAYOUT_NATIVE);
    assert_int_equal(choose(&f, &(bw_vat_opts){.clip = {names, 1}}), BW_ERR_UNKNOWN_CLIP);
    assert_string_equal(f.error.message, "hero.glb: no clip is named 'Fly'; there are: Run, Wave, A+B, Hop");
    assert_int_equal(choose(&f, &(bw_vat_opts){.merge_clips = {names, 1}}), BW_ERR_UNKNOWN_CLIP);
    f.scene.clips.count = 0;
    assert_int_equal(choose(&f, &(bw_vat_opts){0}), BW_ERR_NO_CLIP);
    assert_non_null(strstr(f.error.message, "--static"));
    assert_int_equal(choose(&f, &(bw_vat_opts){.static_pose = true}), BW_OK);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.chosen[0].out.frame_count, 1);
    assert_int_equal(f.chosen[0].mix.count, 0);
    bwi_arena_free(f.arena);
}

static void merged_clips_share_the_files_time(void **state) {
    (void)state;
    fixture f;
    const char *merge[] = {"Run+A+B"};
    begin(&f, BW_VAT_LAYOUT_NATIVE);
    assert_int_equal(choose(&f, &(bw_vat_opts){.merge_clips = {merge, 1}}), BW_OK);
    assert_int_equal(f.count, 3); /* the mix, Wave, Hop */
    assert_string_equal(f.chosen[0].out.name, "Run+A+B");
    assert_int_equal(f.chosen[0].mix.count, 2); /* 'A+B' is a clip's name here, not two */
    assert_true(f.chosen[0].out.source_start_s == 0.5);
    assert_true(f.chosen[0].out.source_end_s == 2.0);
    assert_int_equal(bwi_warnings_list(&f.warnings).count, 0);
    bwi_arena_free(f.arena);

    const char *clash[] = {"Run+Hop"}, *twice[] = {"Run+Run"};
    begin(&f, BW_VAT_LAYOUT_NATIVE);
    assert_int_equal(choose(&f, &(bw_vat_opts){.merge_clips = {clash, 1}}), BW_OK);
    assert_string_equal(bwi_warnings_list(&f.warnings).data[0].code, "merged-clips-overlap");
    assert_int_equal(choose(&f, &(bw_vat_opts){.merge_clips = {twice, 1}}), BW_ERR_USAGE);
    bwi_arena_free(f.arena);
}

/* 'all' is every clip there is, which may be none; two clips of a bake cannot have one name, since the manifest goes by names. */
static void merging_all_and_twice(void **state) {
    (void)state;
    fixture f;
    const char *all[] = {"all"}, *run[] = {"Run"}, *pair[] = {"Run+Wave", "Run+Wave"};
    begin(&f, BW_VAT_LAYOUT_NATIVE);
    assert_int_equal(choose(&f, &(bw_vat_opts){.merge_clips = {all, 1}}), BW_OK);
    assert_int_equal(f.count, 1);
    assert_string_equal(f.chosen[0].out.name, "all");
    assert_int_equal(f.chosen[0].mix.count, 4);
    assert_int_equal(choose(&f, &(bw_vat_opts){.merge_clips = {all, 1}, .clip = {run, 1}}), BW_OK);
    assert_int_equal(f.count, 2); /* asked for by name, it comes once more */
    assert_int_equal(choose(&f, &(bw_vat_opts){.merge_clips = {pair, 2}}), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "two clips of the bake would be named 'Run+Wave'"));
    assert_int_equal(choose(&f, &(bw_vat_opts){.merge_clips = {run, 1}, .clip = {run, 1}}), BW_ERR_USAGE);
    f.scene.clips.count = 0;
    assert_int_equal(choose(&f, &(bw_vat_opts){.merge_clips = {all, 1}}), BW_ERR_NO_CLIP);
    assert_int_equal(choose(&f, &(bw_vat_opts){.merge_clips = {all, 1}, .static_pose = true}), BW_OK);
    assert_int_equal(f.chosen[0].mix.count, 0);
    bwi_arena_free(f.arena);
}

static void endless_clips_are_refused(void **state) {
    (void)state;
    fixture f;
    begin(&f, BW_VAT_LAYOUT_NATIVE);
    f.clips[0].end_s = 3e38f;
    assert_int_equal(choose(&f, &(bw_vat_opts){0}), BW_ERR_TOO_LARGE);
    assert_non_null(strstr(f.error.message, "--fps"));
    bwi_arena_free(f.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_clip_at_its_keys_rate),   cmocka_unit_test(frames_round_to_nearest),
        cmocka_unit_test(seed_height_rounds_as_a_float), cmocka_unit_test(spans_are_cut_after_the_first_key),
        cmocka_unit_test(unknown_clips_are_listed),      cmocka_unit_test(merged_clips_share_the_files_time),
        cmocka_unit_test(merging_all_and_twice),         cmocka_unit_test(endless_clips_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
