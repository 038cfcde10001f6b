/* SPDX-License-Identifier: MIT
 * Counting a scene: what rides on joints, what hides outside the default scene, influences that are used. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "bakewell/info.h"

/* root > joint > (holder > hat), body; hat is unskinned below a joint, body is skinned, rock is neither and hidden. */
enum { ROOT, JOINT, HOLDER, HAT, BODY, ROCK, NODE_COUNT };

static const bw_primitive skinned = {
    .vertex_count = 2,
    .influence_count = 8,
    .weights = (const float[16]){1, 0, 0, 0, 0, 0, 0, 0, 0.25f, 0.25f, 0, 0.25f, 0, 0.25f, 0, 0},
    .indices = {(const uint32_t[6]){0, 1, 0, 1, 0, 1}, 6},
    .uv_sets = {(const float *const[2]){NULL, (const float[4]){0}}, 2},
};
static const bw_primitive points = {
    .mode = BW_PRIMITIVE_POINTS, .vertex_count = 5, .indices = {(const uint32_t[3]){0, 1, 2}, 3}};

static void counts_are_exact(void **state) {
    (void)state;
    const bw_primitive body[] = {skinned, skinned};
    const bw_mesh meshes[] = {{.name = "Body", .primitives = {body, 2}, .target_count = 3},
                              {.name = "Hat", .primitives = {&points, 1}}};
    const uint32_t none = BW_NO_INDEX;
    const bw_node nodes[NODE_COUNT] = {
        [ROOT] = {.name = "root", .parent = none, .mesh = none, .skin = none, .in_scene = true},
        [JOINT] = {.name = "joint", .parent = ROOT, .mesh = none, .skin = none, .in_scene = true},
        [HOLDER] = {.name = "holder", .parent = JOINT, .mesh = none, .skin = none, .in_scene = true},
        [HAT] = {.name = "hat", .parent = HOLDER, .mesh = 1, .skin = none, .in_scene = true},
        [BODY] = {.name = "body", .parent = JOINT, .mesh = 0, .skin = 0, .in_scene = true},
        [ROCK] = {.name = "rock", .parent = none, .mesh = 1, .skin = none},
    };
    const uint32_t joint = JOINT;
    const bw_skin skin = {.joints = {&joint, 1}};
    const uint32_t order[NODE_COUNT] = {ROOT, ROCK, JOINT, BODY, HOLDER, HAT};
    const bw_channel channels[] = {{.interpolation = BW_INTERPOLATION_STEP},
                                   {.interpolation = BW_INTERPOLATION_CUBICSPLINE},
                                   {.interpolation = BW_INTERPOLATION_STEP}};
    const bw_clip clip = {
        .name = "Move", .channels = {channels, 3}, .start_s = 0.5f, .end_s = 2.0f, .key_rate_fps = 24.0};
    const bw_scene scene = {.path = "a.glb",
                            .format = "glb",
                            .generator = "",
                            .nodes = {nodes, NODE_COUNT},
                            .node_order = {order, NODE_COUNT},
                            .meshes = {meshes, 2},
                            .skins = {&skin, 1},
                            .clips = {&clip, 1}};
    bw_scene_info *info = NULL;
    assert_int_equal(bw_scene_describe(&info, &scene, NULL), BW_OK);

    assert_int_equal(info->node_count, NODE_COUNT);
    assert_int_equal(info->hidden_node_count, 1);
    assert_int_equal(info->meshes.data[0].vertex_count, 4);
    assert_int_equal(info->meshes.data[0].triangle_count, 4);
    assert_int_equal(info->meshes.data[0].influence_count, 4);
    assert_int_equal(info->meshes.data[0].joint_count, 1);
    assert_int_equal(info->meshes.data[0].target_count, 3);
    assert_int_equal(info->meshes.data[0].uv_set_count, 1); /* a gap is no set */
    assert_int_equal(info->meshes.data[1].triangle_count, 0);
    assert_int_equal(info->meshes.data[1].node_count, 2);
    assert_int_equal(info->clips.data[0].step_count, 2);
    assert_int_equal(info->clips.data[0].cubic_count, 1);
    assert_int_equal(info->clips.data[0].linear_count, 0);
    assert_int_equal(info->attachments.count, 1);
    assert_string_equal(info->attachments.data[0].node, "hat");
    assert_string_equal(info->attachments.data[0].mesh, "Hat");
    assert_string_equal(info->attachments.data[0].joint, "joint");
    bw_free_scene_info(info);
}

static void an_empty_scene_has_nothing(void **state) {
    (void)state;
    const bw_scene scene = {.path = "a.glb", .format = "glb", .generator = ""};
    bw_scene_info *info = NULL;
    assert_int_equal(bw_scene_describe(&info, &scene, NULL), BW_OK);
    assert_int_equal(info->meshes.count + info->clips.count + info->attachments.count + info->node_count, 0);
    bw_free_scene_info(info);
    bw_free_scene_info(NULL);
}

/* One strand of two points, nothing else: a header of defaults, one of which is no number. */
static const char *write_hair(void) {
    static const char path[] = "api_info_test.hair";
    static const float values[5] = {NAN, 0.5f, 0.125f, 0.25f, 0.375f};
    static const float places[6] = {0, 0, 0, NAN, 2, INFINITY};
    static const unsigned char counts[16] = {1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0};
    static const char text[88] = "x";
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite("HAIR", 1, 4, file) + fwrite(counts, 1, 16, file), 20);
    assert_int_equal(fwrite(values, 4, 5, file) + fwrite(text, 1, 88, file) + fwrite(places, 4, 6, file), 99);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void hair_tells_arrays_from_defaults(void **state) {
    (void)state;
    bw_hair_info *info = NULL;
    assert_int_equal(bw_hair_describe(&info, write_hair(), NULL, NULL), BW_OK);
    assert_int_equal(info->array_count, 5);
    assert_string_equal(info->arrays[1].name, "points");
    assert_true(info->arrays[1].stored && !info->arrays[0].stored && !info->arrays[4].stored);
    assert_true(isnan(info->arrays[2].min[0]) && isnan(info->arrays[2].max[0]));
    for (int c = 0; c < 3; c++) { /* of a coordinate that is not finite the others count */
        static const float least[3] = {0, 0, 0}, most[3] = {0, 2, 0};
        assert_true(info->arrays[1].min[c] <= least[c] && info->arrays[1].min[c] >= least[c]);
        assert_true(info->arrays[1].max[c] <= most[c] && info->arrays[1].max[c] >= most[c]);
    }
    assert_true(info->arrays[4].max[2] >= 0.375f && info->arrays[4].max[2] <= 0.375f);
    bw_free_hair_info(info);
    bw_free_hair_info(NULL);
}

static void hair_is_refused_without_memory(void **state) {
    (void)state;
    const char *path = write_hair();
    bw_result result = BW_ERR_MEMORY;
    size_t refused = 0;
    for (uint64_t limit = 1; result != BW_OK; limit = limit * 5 / 4 + 1) {
        const bw_run_opts run = {.memory_limit = limit};
        bw_hair_info *info = NULL;
        bw_error error;
        result = bw_hair_describe(&info, path, &run, &error);
        refused += result == BW_ERR_MEMORY;
        assert_true(result == BW_OK ? info != NULL : result == BW_ERR_MEMORY && info == NULL);
        bw_free_hair_info(info);
    }
    assert_true(refused > 10);
    assert_int_equal(remove(path), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(an_empty_scene_has_nothing),
        cmocka_unit_test(hair_tells_arrays_from_defaults),
        cmocka_unit_test(hair_is_refused_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
