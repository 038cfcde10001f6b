/* SPDX-License-Identifier: MIT
 * Bounds over every frame, clips that end where they begin, clips that are closed, and what no container can hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "plan_fixture.h"
#include "scene_builder.h"

/* A triangle of builder_triangle: (0,0,0) (1,0,0) (0,1,0), moved along x by keys. */
static const bw_scene *moved(scene_builder *b, uint32_t key_count, const float *times, const float *places) {
    builder_init(b);
    const uint32_t node = builder_triangle(b, "tri", BW_NO_INDEX);
    builder_channel(b, builder_clip(b, "Move"), node, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, key_count, times,
                    places);
    return builder_finish(b);
}

/* The extremes lie inside the clip, not at its ends, and are the exact floats. */
static void bounds_hold_every_frame(void **state) {
    (void)state;
    static const float times[] = {0, 1, 2, 3}, places[] = {0, 0, 0, -7.1f, 0, 0, 3.3f, 0, 9, 0, 0, 0};
    scene_builder b;
    plan_fixture f;
    assert_int_equal(plan_open(&f, moved(&b, 4, times, places), &(bw_vat_opts){.fps = 1}), BW_OK);
    const bwi_manifest_clip *clip = &f.plan.clips[0].out;
    assert_int_equal(clip->frame_count, 4);
    assert_true(clip->bounds_min[0] == -7.1f && clip->bounds_min[1] == 0 && clip->bounds_min[2] == 0);
    assert_true(clip->bounds_max[0] == 4.3f && clip->bounds_max[1] == 1 && clip->bounds_max[2] == 9);
    EXPECT1(f.plan.clips[0].diagonal, sqrt(11.4 * 11.4 + 1 + 81), 1e-5);
    plan_close(&f);

    /* In the engine's axes and unit; the diagonal stays in metres. */
    assert_int_equal(plan_open(&f, moved(&b, 4, times, places), &(bw_vat_opts){.fps = 1, .engine = BW_ENGINE_UNREAL}),
                     BW_OK);
    clip = &f.plan.clips[0].out;
    EXPECT3(clip->bounds_min, -710, 0, 0, 1e-4);
    EXPECT3(clip->bounds_max, 430, 900, 100, 1e-4);
    EXPECT1(f.plan.clips[0].diagonal, sqrt(11.4 * 11.4 + 1 + 81), 1e-5);
    plan_close(&f);
}

/* Ends within 1e-4 of the diagonal are one pose.  The clip goes out to x = 9, so its diagonal is sqrt(10² + 1). */
static void loops_are_found_by_their_ends(void **state) {
    (void)state;
    static const struct {
        float end;
        bool loops;
    } ROWS[] = {{0, true}, {0.00100f, true}, {0.00101f, false}, {-0.00100f, true}, {-0.0011f, false}};
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        const float times[] = {0, 1, 2}, places[] = {0, 0, 0, 9, 0, 0, ROWS[k].end, 0, 0};
        for (bw_vat_loop loop = BW_VAT_LOOP_DEFAULT; loop <= BW_VAT_LOOP_NO; loop++) {
            scene_builder b;
            plan_fixture f;
            assert_int_equal(plan_open(&f, moved(&b, 3, times, places), &(bw_vat_opts){.fps = 5, .loop = loop}), BW_OK);
            const bwi_manifest_clip *clip = &f.plan.clips[0].out;
            const bool closed = loop == BW_VAT_LOOP_YES && !ROWS[k].loops;
            print_message("end %g, mode %d\n", (double)ROWS[k].end, (int)loop);
            assert_int_equal(clip->loop, loop == BW_VAT_LOOP_YES || (loop != BW_VAT_LOOP_NO && ROWS[k].loops));
            assert_int_equal(clip->closed, closed);
            assert_int_equal(clip->frame_count, 11 + closed);
            assert_int_equal(f.plan.frame_count, 11 + closed); /* laid out again */
            assert_true(clip->rate_fps == 5);
            EXPECT1(clip->duration_s, closed ? 2.2 : 2.0, 1e-12);
            if (closed) {
                assert_true(bwi_manifest_clip_time(BW_VAT_LAYOUT_NATIVE, clip, 10) == 2);
                assert_true(bwi_manifest_clip_time(BW_VAT_LAYOUT_NATIVE, clip, 11) == 0);
            }
            plan_close(&f);
        }
    }
}

/* --start and --end decide which poses are compared; a clip of one frame never loops. */
static void loops_follow_the_span(void **state) {
    (void)state;
    static const float times[] = {0, 1, 2, 3}, places[] = {0, 0, 0, 5, 0, 0, 5, 0, 0, 0, 0, 0};
    scene_builder b;
    plan_fixture f;
    assert_int_equal(plan_open(&f, moved(&b, 4, times, places), &(bw_vat_opts){.fps = 2, .start = 0.5, .end = 2.5}),
                     BW_OK);
    assert_true(f.plan.clips[0].out.loop);
    plan_close(&f);
    assert_int_equal(plan_open(&f, moved(&b, 4, times, places), &(bw_vat_opts){.fps = 2, .start = 0.5}), BW_OK);
    assert_false(f.plan.clips[0].out.loop);
    plan_close(&f);
    assert_int_equal(
        plan_open(&f, moved(&b, 4, times, places), &(bw_vat_opts){.start = 1, .end = 1, .loop = BW_VAT_LOOP_YES}),
        BW_OK);
    assert_int_equal(f.plan.clips[0].out.frame_count, 1);
    assert_false(f.plan.clips[0].out.loop || f.plan.clips[0].out.closed);
    plan_close(&f);
}

static void several_clips_are_bounded_apart(void **state) {
    (void)state;
    static const float times[] = {0, 1}, left[] = {0, 0, 0, -4, 0, 0}, up[] = {0, 0, 0, 0, 6, 0};
    scene_builder b;
    plan_fixture f;
    builder_init(&b);
    const uint32_t node = builder_triangle(&b, "tri", BW_NO_INDEX);
    builder_channel(&b, builder_clip(&b, "Left"), node, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, times,
                    left);
    builder_channel(&b, builder_clip(&b, "Up"), node, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, times, up);
    assert_int_equal(plan_open(&f, builder_finish(&b), &(bw_vat_opts){.fps = 3, .loop = BW_VAT_LOOP_YES}), BW_OK);
    assert_int_equal(f.plan.clips[1].out.first_frame, 5); /* after the first clip was closed */
    assert_int_equal(f.plan.frame_count, 10);
    assert_true(f.plan.clips[0].out.bounds_min[0] == -4 && f.plan.clips[0].out.bounds_max[1] == 1);
    assert_true(f.plan.clips[1].out.bounds_min[0] == 0 && f.plan.clips[1].out.bounds_max[1] == 7);
    uint32_t local = 99;
    assert_ptr_equal(bwi_vat_clip_of_frame(&f.plan, 4, &local), &f.plan.clips[0]);
    assert_int_equal(local, 4);
    assert_ptr_equal(bwi_vat_clip_of_frame(&f.plan, 5, &local), &f.plan.clips[1]);
    assert_int_equal(local, 0);
    plan_close(&f);
}

static void what_floats_cannot_hold_is_refused(void **state) {
    (void)state;
    static const float times[] = {0, 1}, far[] = {0, 0, 0, 65503, 0, 0}, farther[] = {0, 0, 0, -65505, 0, 0},
                       hundred[] = {0, 0, 0, 1000, 0, 0}, wide[] = {-2e38f, 0, 0, 2e38f, 0, 0},
                       endless[] = {0, 0, 0, 3.4e37f, 0, 0};
    const bw_vat_opts half = {.fps = 1, .format = BW_VAT_FORMAT_EXR16},
                      seed = {.layout = BW_VAT_LAYOUT_SEED, .engine = BW_ENGINE_UNREAL};
    scene_builder b;
    plan_fixture f;
    assert_int_equal(plan_open(&f, moved(&b, 2, times, far), &half), BW_OK); /* 65504 is the last */
    plan_close(&f);
    assert_int_equal(plan_open(&f, moved(&b, 2, times, farther), &half), BW_ERR_TOO_LARGE);
    assert_non_null(strstr(f.list.error.message, "clip 'Move' reaches 65505 m from the origin"));
    assert_non_null(strstr(f.list.error.message, "--format=exr32"));
    plan_close(&f);
    assert_int_equal(plan_open(&f, moved(&b, 2, times, hundred), &seed), BW_ERR_TOO_LARGE); /* a kilometre in cm */
    plan_close(&f);
    assert_int_equal(plan_open(&f, moved(&b, 2, times, farther), &(bw_vat_opts){.fps = 1}), BW_OK);
    plan_close(&f);
    assert_int_equal(plan_open(&f, moved(&b, 2, times, wide), &(bw_vat_opts){.fps = 1}), BW_ERR_MALFORMED);
    assert_non_null(strstr(f.list.error.message, "farther than a float can hold"));
    plan_close(&f);
    assert_int_equal(plan_open(&f, moved(&b, 2, times, endless), &(bw_vat_opts){.fps = 1, .engine = BW_ENGINE_UNREAL}),
                     BW_ERR_MALFORMED);
    assert_non_null(strstr(f.list.error.message, "beyond what a float can hold at 1 s"));
    plan_close(&f);
}

/* The bake's numbers do not depend on how frames fall to threads. */
static void threads_do_not_show(void **state) {
    (void)state;
    static const float times[] = {0, 1, 2, 3}, places[] = {0, 0, 0, -7.1f, 0, 0, 3.3f, 0, 9, 0, 0, 0};
    scene_builder b;
    plan_fixture one, many;
    const bw_vat_opts opts = {.fps = 30};
    assert_int_equal(plan_open(&one, moved(&b, 4, times, places), &opts), BW_OK);
    assert_int_equal(plan_open(&many, &b.scene, &opts), BW_OK);
    many.list.env.thread_count = 5;
    assert_int_equal(bwi_vat_measure(&many.plan, &many.list.env, NULL), BW_OK);
    assert_memory_equal(one.plan.clips[0].out.bounds_min, many.plan.clips[0].out.bounds_min, 6 * sizeof(float));
    assert_int_equal(plan_encode(&one, 0), BW_OK);
    assert_int_equal(plan_encode(&many, 0), BW_OK);
    assert_memory_equal(one.positions.data, many.positions.data,
                        (size_t)one.positions.width * one.positions.height * 8);
    plan_close(&one);
    plan_close(&many);
}

/* A cached triangle that moves one metre a sample. */
static const bw_scene *cached(scene_builder *b, builder_cache *cache) {
    static const double times[] = {1.5, 1.5 + 1 / 29.97, 1.5 + 2 / 29.97};
    static const float values[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0, 0, 1, 1, 0, 2, 0, 0, 3, 0, 0, 2, 1, 0};
    builder_init(b);
    const uint32_t node = builder_triangle(b, "tri", BW_NO_INDEX);
    b->primitives[b->nodes[node].mesh][0].position_cache = builder_cached(cache, 3, times, values, 9);
    builder_cached_clip(b, "Play", times[0], times[2], 29.97);
    return builder_finish(b);
}

/* Frames of a cache are its samples, at whatever rate it has: a frame is one read, and none is mixed. */
static void frames_of_a_cache_are_its_samples(void **state) {
    (void)state;
    scene_builder b;
    builder_cache cache;
    plan_fixture f;
    assert_int_equal(plan_open(&f, cached(&b, &cache), &(bw_vat_opts){0}), BW_OK);
    const bwi_manifest_clip *clip = &f.plan.clips[0].out;
    assert_int_equal(clip->frame_count, 3);
    EXPECT1(clip->rate_fps, 29.97, 1e-9);
    assert_true(clip->bounds_min[0] == 0 && clip->bounds_max[0] == 3);
    cache.reads = 0;
    assert_int_equal(plan_encode(&f, 0), BW_OK);
    assert_int_equal(cache.reads, 3);
    plan_close(&f);
}

/* Damage in the middle of a file ends the walk with what the reader says of it. */
static void a_sample_that_cannot_be_read_ends_the_walk(void **state) {
    (void)state;
    scene_builder b;
    builder_cache cache;
    plan_fixture f;
    cached(&b, &cache);
    cache.fails_at = 1;
    assert_int_equal(plan_open(&f, &b.scene, &(bw_vat_opts){0}), BW_ERR_MALFORMED);
    assert_string_equal(f.list.error.message, "test.abc: sample 1 is damaged");
    assert_int_equal(f.list.error.offset, 65);
    plan_close(&f);
    cached(&b, &cache);
    assert_int_equal(plan_open(&f, &b.scene, &(bw_vat_opts){0}), BW_OK);
    cache.fails_at = 2;
    assert_int_equal(plan_encode(&f, 0), BW_ERR_MALFORMED);
    plan_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_every_frame),
        cmocka_unit_test(loops_are_found_by_their_ends),
        cmocka_unit_test(loops_follow_the_span),
        cmocka_unit_test(several_clips_are_bounded_apart),
        cmocka_unit_test(what_floats_cannot_hold_is_refused),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(frames_of_a_cache_are_its_samples),
        cmocka_unit_test(a_sample_that_cannot_be_read_ends_the_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
