/* SPDX-License-Identifier: MIT
 * Tracks and events of the manifest's clips: what is written reads back, and nothing that contradicts itself is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model_priv.h"

static bwi_manifest_clip read_clip; /* of the last parse */

static bw_result parse(const char *text, bw_error *error, bwi_arena *arena) {
    json_t *item = json_loads(text, 0, NULL);
    assert_non_null(item);
    read_clip = (bwi_manifest_clip){.name = "Run", .frame_count = 3, .duration_s = 2.0};
    const bw_result result = bwi_manifest_tracks_read(&read_clip, arena, item, 4, "a_vat.json", error);
    json_decref(item);
    return result;
}

static char *written(const bwi_manifest_clip *clip) {
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    bwi_json_writer *w = bwi_json_writer_create(&mem, NULL, 0);
    assert_non_null(w);
    bwi_json_begin_object(w);
    bwi_manifest_tracks_write(w, clip);
    bwi_json_end_object(w);
    char *text;
    size_t size;
    assert_true(bwi_json_writer_end(w, &text, &size));
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    copy[size] = 0;
    bwi_free(&mem, text);
    return copy;
}

#define ROOT                                                                                                          \
    "\"root\":{\"node\":\"hips\",\"pivot\":[1,0,-2.5],\"translation\":[[0,0,0],[0.1,0,0],[0.2,0,-3]],\"yaw_rad\":[0," \
    "3.5,7],\"cycle\":{\"translation\":[0.25,0,-3],\"yaw_rad\":8}}"
#define ATTACHMENT                                                                                                     \
    "{\"node\":\"hand\",\"translation\":[[0,0,0],[1,2,3],[4,5,6]],\"rotation\":[[0,0.6,0,0.8]],\"scale\":[[1,1,1],[2," \
    "2,2],[-1,1,0]]}"
#define EVENTS "\"events\":[{\"name\":\"step\",\"time_s\":0},{\"name\":\"step\",\"time_s\":2}]"

static void everything_reads_back(void **state) {
    (void)state;
    static const char text[] = "{" ROOT ",\"attachments\":[" ATTACHMENT "]," EVENTS "}";
    bwi_arena *arena = bwi_arena_create_owning(0);
    bw_error error = {0};
    if (parse(text, &error, arena) != BW_OK)
        fail_msg("%s", error.message);
    assert_string_equal(read_clip.root.node, "hips");
    assert_true(read_clip.root.pivot[2] == -2.5f);
    assert_true(read_clip.root.translation[8] == -3.0f);
    assert_true(read_clip.root.yaw_rad[2] == 7.0f);
    assert_true(read_clip.root.cycle_translation[0] == 0.25f && read_clip.root.cycle_yaw_rad == 8.0f);
    assert_int_equal(read_clip.attachments.count, 1);
    assert_int_equal(read_clip.attachments.data[0].translation.count, 3);
    assert_int_equal(read_clip.attachments.data[0].rotation.count, 1);
    assert_true(read_clip.attachments.data[0].scale.data[6] == -1.0f);
    assert_int_equal(read_clip.events.count, 2);
    assert_true(read_clip.events.data[1].time_s == 2.0);
    char *again = written(&read_clip);
    bwi_arena *second = bwi_arena_create_owning(0);
    assert_int_equal(parse(again, &error, second), BW_OK);
    char *third = written(&read_clip);
    assert_string_equal(again, third);
    free(third);
    free(again);
    bwi_arena_free(second);
    bwi_arena_free(arena);
}

static void nothing_is_written_of_nothing(void **state) {
    (void)state;
    const bwi_manifest_clip clip = {.name = "Run", .frame_count = 3};
    char *text = written(&clip);
    assert_string_equal(text, "{}\n");
    free(text);
    bwi_arena *arena = bwi_arena_create_owning(0);
    assert_int_equal(parse("{}", NULL, arena), BW_OK);
    assert_null(read_clip.root.node);
    assert_int_equal(read_clip.attachments.count + read_clip.events.count, 0);
    bwi_arena_free(arena);
}

static void contradictions_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *where;
    } CASES[] = {
        {"{\"root\":7}", "clips[4].root.node"},
        {"{\"root\":null}", "clips[4].root.node"},
        {"{\"root\":{\"node\":\"\"}}", "clips[4].root.node"},
        {"{\"root\":{\"node\":\"a\",\"pivot\":[1,2]}}", "clips[4].root.pivot"},
        {"{\"root\":{\"node\":\"a\",\"pivot\":[1,2,\"3\"]}}", "clips[4].root.pivot"},
        {"{\"root\":{\"node\":\"a\",\"pivot\":[1,2,3],\"translation\":{}}}", "clips[4].root.translation"},
        {"{\"root\":{\"node\":\"a\",\"pivot\":[1,2,3],\"translation\":[[0,0,0]]}}", "clips[4].root.translation"},
        {"{\"root\":{\"node\":\"a\",\"pivot\":[1,2,3],\"translation\":[0,0,0]}}", "clips[4].root.translation"},
        {"{\"root\":{\"node\":\"a\",\"pivot\":[1,2,3],\"translation\":[[0,0,0],[0,0,0],[0,0,0]],\"yaw_rad\":[[0],[0],["
         "0]]}}",
         "clips[4].root.yaw_rad"},
        {"{\"root\":{\"node\":\"a\",\"pivot\":[1,2,3],\"translation\":[[0,0,0],[0,0,0],[0,0,0]],\"yaw_rad\":[0,0]}}",
         "clips[4].root.yaw_rad"},
        {"{\"root\":{\"node\":\"a\",\"pivot\":[1,2,3],\"translation\":[[0,0,0],[0,0,0],[0,0,0]],\"yaw_rad\":[0,0,0]}}",
         "clips[4].root.cycle"},
        {"{" ROOT ",\"attachments\":{}}", "clips[4].attachments"},
        {"{\"attachments\":[7]}", "clips[4].attachments[0].node"},
        {"{\"attachments\":[" ATTACHMENT ",{\"node\":\"b\",\"translation\":[[0,0,0],[0,0,0]]}]}",
         "clips[4].attachments[1].translation"},
        {"{\"attachments\":[{\"node\":\"b\",\"translation\":[[0,0,0]],\"rotation\":[[0,0,0,0.99]]}]}",
         "clips[4].attachments[0].rotation"},
        {"{\"attachments\":[{\"node\":\"b\",\"translation\":[[0,0,0]],\"rotation\":[[0,0,0,1]]}]}",
         "clips[4].attachments[0].scale"},
        {"{\"events\":[{\"name\":\"a\",\"time_s\":2.1}]}", "clips[4].events[0].time_s"},
        {"{\"events\":[{\"name\":\"a\",\"time_s\":-1}]}", "clips[4].events[0].time_s"},
        {"{\"events\":[{\"name\":\"a\"}]}", "clips[4].events[0].time_s"},
        {"{\"events\":[{\"time_s\":1}]}", "clips[4].events[0].name"},
        {"{\"events\":7}", "clips[4].events"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        bwi_arena *arena = bwi_arena_create_owning(0);
        bw_error error = {0};
        const bw_result result = parse(CASES[k].text, &error, arena);
        char begin[120];
        snprintf(begin, sizeof begin, "a_vat.json: %s is not ", CASES[k].where);
        if (result != BW_ERR_MALFORMED || strncmp(error.message, begin, strlen(begin)) != 0)
            fail_msg("%s: %s: %s", CASES[k].text, bw_result_name(result), error.message);
        bwi_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_reads_back),
        cmocka_unit_test(nothing_is_written_of_nothing),
        cmocka_unit_test(contradictions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
