/* SPDX-License-Identifier: MIT
 * Clips of one scene put into another: which node a channel finds, what is copied, what is said of the rest. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "scene/scene.h"
#include "scene_builder.h"

static const float times[] = {0.5f, 1, 1.5f}, other_times[] = {0, 2};
static const float values[3 * 3 * 4] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
static const float turns[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t triangle[] = {0, 1, 2};
static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const uint32_t joints[] = {2, 3};
static const float inverse_binds[2 * 16]; /* of no account here */

/* The scene that gets clips: 0 "hips" (a prop of that name), 1 "body" with a mesh of 2 targets, 2 "hips" and 3 "knee", joints; one clip "Run". */
typedef struct fixture {
    scene_builder to, from;
    bwi_arena *arena, *scratch;
    bw_scene *scene;
    bwi_warnings warnings;
    bwi_clip_adopter *adopter;
    bw_error error;
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    builder_init(&f->to);
    builder_init(&f->from);
    builder_node(&f->to, "hips", BW_NO_INDEX);
    uint32_t body = builder_node(&f->to, "body", BW_NO_INDEX), mesh = builder_mesh(&f->to, "mesh", 0);
    builder_primitive(&f->to, mesh, 3, corners, NULL, triangle, 3);
    f->to.nodes[body].mesh = mesh;
    uint32_t hips = builder_node(&f->to, "hips", BW_NO_INDEX);
    builder_node(&f->to, "knee", hips);
    builder_skin(&f->to, joints, 2, inverse_binds);
    builder_channel(&f->to, builder_clip(&f->to, "Run"), hips, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 3,
                    times, values);
    f->from.scene.path = "clips/walk.glb";
    f->to.scene.path = "hero.glb";
    f->arena = bwi_arena_create_owning(0);
    f->scratch = bwi_arena_create_owning(0);
    f->scene = &f->to.scene;
    bwi_warnings_init(&f->warnings, f->scratch);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    bwi_arena_free(f->arena);
    bwi_arena_free(f->scratch);
    free(f);
    return 0;
}

static void begin(fixture *f, const char *prefix) {
    builder_finish(&f->to);
    f->scene->arena = f->arena;
    assert_int_equal(bwi_clip_adopter_begin(&f->adopter, f->scratch, f->scene, prefix, &f->error), BW_OK);
}

static bw_result add(fixture *f) {
    return bwi_clip_adopter_add(f->adopter, builder_finish(&f->from), &f->warnings, &f->error);
}

static void add_and_end(fixture *f, const char *prefix) {
    begin(f, prefix);
    assert_int_equal(add(f), BW_OK);
    assert_int_equal(bwi_clip_adopter_end(f->adopter, &f->error), BW_OK);
}

static void clip_of(fixture *f, const char *clip, const char *node) {
    uint32_t n = builder_node(&f->from, node, BW_NO_INDEX);
    builder_channel(&f->from, builder_clip(&f->from, clip), n, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 3,
                    times, values);
}

static const bw_warning *warned(const fixture *f, const char *code) {
    for (size_t k = 0; k < f->warnings.count; k++)
        if (strcmp(f->warnings.data[k].code, code) == 0)
            return &f->warnings.data[k];
    return NULL;
}

static void joints_come_first(void **state) {
    fixture *f = *state;
    clip_of(f, "Walk", "hips");
    add_and_end(f, NULL);
    assert_int_equal(f->scene->clips.count, 2);
    const bw_clip *clip = &f->scene->clips.data[1];
    assert_string_equal(clip->name, "Walk");
    assert_int_equal(clip->channels.count, 1);
    assert_int_equal(clip->channels.data[0].node, 2); /* not the prop */
    assert_null(warned(f, "clip-node-ambiguous"));
    assert_int_equal(f->warnings.count, 0);
}

static void channels_are_copied(void **state) {
    fixture *f = *state;
    uint32_t clip = builder_clip(&f->from, "Walk"), knee = builder_node(&f->from, "knee", BW_NO_INDEX);
    builder_channel(&f->from, clip, knee, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_CUBICSPLINE, 3, times, values);
    builder_channel(&f->from, clip, knee, BW_CHANNEL_ROTATION, BW_INTERPOLATION_STEP, 3, times, turns);
    builder_channel(&f->from, clip, knee, BW_CHANNEL_SCALE, BW_INTERPOLATION_LINEAR, 2, other_times, values);
    add_and_end(f, NULL);
    const bw_clip *out = &f->scene->clips.data[1];
    assert_int_equal(out->channels.count, 3);
    for (size_t k = 0; k < 3; k++) {
        const bw_channel *channel = &out->channels.data[k], *source = &f->from.channels[clip][k];
        const size_t components =
            channel->component_count * (channel->interpolation == BW_INTERPOLATION_CUBICSPLINE ? 3u : 1u);
        assert_int_equal(channel->node, 3);
        assert_int_equal(channel->path, source->path);
        assert_int_equal(channel->interpolation, source->interpolation);
        assert_ptr_not_equal(channel->values, source->values);
        assert_memory_equal(channel->times_s, source->times_s, source->key_count * sizeof(float));
        assert_memory_equal(channel->values, source->values, source->key_count * components * sizeof(float));
    }
    assert_ptr_equal(out->channels.data[0].times_s, out->channels.data[1].times_s); /* shared there, shared here */
    assert_true(out->start_s == 0 && out->end_s == 2);
    assert_true(out->key_rate_fps == 24);
}

static void span_is_of_what_is_used(void **state) {
    fixture *f = *state;
    clip_of(f, "Walk", "knee");
    uint32_t other = builder_node(&f->from, "tail", BW_NO_INDEX);
    builder_channel(&f->from, 0, other, BW_CHANNEL_SCALE, BW_INTERPOLATION_LINEAR, 2, other_times, values);
    builder_channel(&f->from, 0, other, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, other_times, values);
    add_and_end(f, NULL);
    assert_true(f->scene->clips.data[1].start_s == 0.5f && f->scene->clips.data[1].end_s == 1.5f);
    assert_int_equal(warned(f, "clip-node-unknown")->count, 2);
    assert_string_equal(warned(f, "clip-node-unknown")->first, "walk.glb: tail");
}

static void prefix_is_dropped_on_both_sides(void **state) {
    fixture *f = *state;
    f->to.nodes[3].name = "rig:knee";
    clip_of(f, "Walk", "knee");
    uint32_t hips = builder_node(&f->from, "rig:hips", BW_NO_INDEX);
    builder_channel(&f->from, 0, hips, BW_CHANNEL_SCALE, BW_INTERPOLATION_LINEAR, 3, times, values);
    add_and_end(f, "rig:");
    assert_int_equal(f->scene->clips.data[1].channels.data[0].node, 3);
    assert_int_equal(f->scene->clips.data[1].channels.data[1].node, 2);
}

static void prefix_is_only_advised(void **state) {
    fixture *f = *state;
    clip_of(f, "Walk", "mixamorig:knee");
    begin(f, NULL);
    assert_int_equal(add(f), BW_ERR_NO_CLIP);
    assert_string_equal(f->error.path, "clips/walk.glb");
    assert_non_null(strstr(f->error.message, "they drive mixamorig:knee, expected names such as hips, knee; "));
    assert_non_null(strstr(f->error.message, "--anim-prefix=mixamorig:"));
}

static void nothing_fits(void **state) {
    fixture *f = *state;
    const char *names[] = {"a", "b", "c", "d", "e", "f"};
    for (int k = 0; k < 6; k++) {
        uint32_t n = builder_node(&f->from, names[k], BW_NO_INDEX);
        if (k == 0)
            builder_clip(&f->from, "Walk");
        builder_channel(&f->from, 0, n, BW_CHANNEL_SCALE, BW_INTERPOLATION_LINEAR, 3, times, values);
    }
    begin(f, NULL);
    assert_int_equal(add(f), BW_ERR_NO_CLIP);
    assert_non_null(strstr(f->error.message, "they drive a, b, c, d and 2 more, expected names such as hips, knee; "));
    assert_null(strstr(f->error.message, "--anim-prefix"));
}

static void file_without_clips(void **state) {
    fixture *f = *state;
    builder_node(&f->from, "knee", BW_NO_INDEX);
    begin(f, NULL);
    assert_int_equal(add(f), BW_ERR_NO_CLIP);
    assert_non_null(strstr(f->error.message, "holds no animation clip"));
}

static void matrix_nodes_stay(void **state) {
    fixture *f = *state;
    f->to.nodes[3].has_matrix = true;
    for (int k = 0; k < 16; k += 5)
        f->to.nodes[3].matrix[k] = 1;
    clip_of(f, "Walk", "knee");
    clip_of(f, "Sit", "hips");
    add_and_end(f, NULL);
    assert_int_equal(f->scene->clips.count, 2);
    assert_string_equal(f->scene->clips.data[1].name, "Sit");
    assert_string_equal(warned(f, "clip-node-matrix")->first, "walk.glb: node knee");
    assert_string_equal(warned(f, "clip-without-nodes")->first, "walk.glb: clip Walk");
}

static void morphs_need_equal_counts(void **state) {
    fixture *f = *state;
    clip_of(f, "Walk", "knee");
    uint32_t body = builder_node(&f->from, "body", BW_NO_INDEX);
    f->from.nodes[body].mesh = builder_mesh(&f->from, "mesh", 2);
    builder_channel(&f->from, 0, body, BW_CHANNEL_WEIGHTS, BW_INTERPOLATION_LINEAR, 3, times, values);
    add_and_end(f, NULL);
    assert_int_equal(f->scene->clips.data[1].channels.count, 1);
    assert_string_equal(warned(f, "clip-morphs-differ")->first, "walk.glb: node body, 2 targets, expected 0");
}

static void names_that_are_there_twice(void **state) {
    fixture *f = *state;
    builder_node(&f->to, "knee", BW_NO_INDEX); /* no joint: passed over */
    builder_node(&f->to, "prop", BW_NO_INDEX);
    builder_node(&f->to, "prop", BW_NO_INDEX);
    clip_of(f, "Walk", "prop");
    clip_of(f, "Sit", "knee");
    uint32_t again = builder_node(&f->from, "knee", BW_NO_INDEX);
    builder_channel(&f->from, 1, again, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, other_times, values);
    add_and_end(f, NULL);
    assert_int_equal(f->scene->clips.data[1].channels.data[0].node, 5);
    assert_int_equal(f->scene->clips.data[2].channels.count, 1);
    assert_int_equal(f->scene->clips.data[2].channels.data[0].key_count, 3);
    assert_int_equal(warned(f, "clip-node-ambiguous")->count, 1);
    assert_int_equal(warned(f, "clip-node-twice")->count, 1);
}

static void rest_poses_are_compared(void **state) {
    fixture *f = *state;
    clip_of(f, "Walk", "knee");
    uint32_t hips = builder_node(&f->from, "hips", BW_NO_INDEX);
    f->from.nodes[0].translation[1] = 0.00005f; /* rounding */
    f->from.nodes[hips].translation[0] = 0.03f; /* not driven, but a joint */
    f->from.nodes[hips].rotation[2] = 0.7071068f;
    f->from.nodes[hips].rotation[3] = -0.7071068f;
    f->from.nodes[hips].scale[1] = 1.5f;
    add_and_end(f, NULL);
    assert_int_equal(warned(f, "rest-pose-differs")->count, 1);
    assert_string_equal(warned(f, "rest-pose-differs")->first,
                        "walk.glb: hips by 30.00 mm, 90.0 degrees, 50.0 % of scale; at most "
                        "30.00 mm, 90.0 degrees, 50.0 %");
}

static void opposite_quaternions_are_one_pose(void **state) {
    fixture *f = *state;
    clip_of(f, "Walk", "knee");
    f->from.nodes[0].rotation[3] = -1;
    add_and_end(f, NULL);
    assert_null(warned(f, "rest-pose-differs"));
}

static void names_of_files(void **state) {
    fixture *f = *state;
    clip_of(f, "Run", "knee");
    begin(f, NULL);
    assert_int_equal(add(f), BW_OK); /* walk.glb holds one clip */
    f->from.scene.path = "more/all.glb";
    clip_of(f, "Jump", "knee");
    assert_int_equal(add(f), BW_OK); /* two: Run and Jump */
    f->from.scene.path = "third.glb";
    assert_int_equal(add(f), BW_OK);
    f->from.scene.path = "again/all.glb";
    assert_int_equal(add(f), BW_OK);
    assert_int_equal(bwi_clip_adopter_end(f->adopter, &f->error), BW_OK);
    const char *const names[] = {"Run",       "walk",       "all.Run",   "all.Jump",
                                 "third.Run", "third.Jump", "all.Run.1", "all.Jump.1"};
    assert_int_equal(f->scene->clips.count, sizeof names / sizeof *names);
    for (size_t k = 0; k < f->scene->clips.count; k++)
        assert_string_equal(f->scene->clips.data[k].name, names[k]);
}

static void scene_is_whole_or_untouched(void **state) {
    fixture *f = *state;
    clip_of(f, "Walk", "hips");
    clip_of(f, "Run", "knee");
    builder_finish(&f->to);
    builder_finish(&f->from);
    const bw_clip *before = f->scene->clips.data;
    for (int64_t k = 0;; k++) {
        bwi_mem mem;
        bwi_mem_init(&mem, 0);
        bwi_arena *arena = bwi_arena_create(&mem);
        f->scene->arena = arena;
        mem.fail_after = k;
        bwi_warnings warnings;
        bwi_warnings_init(&warnings, arena);
        bw_result result = bwi_clip_adopter_begin(&f->adopter, arena, f->scene, "x", &f->error);
        if (result == BW_OK)
            result = bwi_clip_adopter_add(f->adopter, &f->from.scene, &warnings, &f->error);
        if (result == BW_OK)
            result = bwi_clip_adopter_end(f->adopter, &f->error);
        if (result != BW_OK) {
            assert_int_equal(result, BW_ERR_MEMORY);
            assert_ptr_equal(f->scene->clips.data, before);
            assert_int_equal(f->scene->clips.count, 1);
        }
        bwi_arena_free(arena);
        if (result == BW_OK) {
            assert_true(k > 0);
            return;
        }
    }
}

static void fit_is_counted(void **state) {
    fixture *f = *state;
    clip_of(f, "Walk", "knee");
    clip_of(f, "Sit", "tail");
    clip_of(f, "Lie", "body"); /* a node, no joint */
    begin(f, NULL);
    uint32_t fitting = 0, driven = 0;
    assert_int_equal(bwi_clip_adopter_fit(f->adopter, builder_finish(&f->from), &fitting, &driven, NULL), BW_OK);
    assert_int_equal(fitting, 1);
    assert_int_equal(driven, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(joints_come_first), TEST(channels_are_copied),         TEST(span_is_of_what_is_used),
        TEST(nothing_fits),      TEST(file_without_clips),          TEST(prefix_is_dropped_on_both_sides),
        TEST(matrix_nodes_stay), TEST(prefix_is_only_advised),      TEST(morphs_need_equal_counts),
        TEST(names_of_files),    TEST(names_that_are_there_twice),  TEST(rest_poses_are_compared),
        TEST(fit_is_counted),    TEST(scene_is_whole_or_untouched), TEST(opposite_quaternions_are_one_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
