/* SPDX-License-Identifier: MIT
 * OpenVAT's JSON as its tools write it and as people edit it. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/openvat.h"

static bw_result parse(bwi_openvat_info **info, bwi_arena *arena, const char *text, bw_error *error) {
    return bwi_openvat_parse(info, arena, text, strlen(text), "a-remap_info.json", error);
}

static void edited_files_are_read(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"os-remap\": {\"Min\": [-4.3, 0, -8.6,], \"Max\": [4.3, 0.0, 0,], \"Frames\": 150, \"Position\": [0, 3.9, "
        "0],},}",
        "\xEF\xBB\xBF{\"os-remap\":{\"Min\":[-4.3,0,-8.6],\"Max\":[4.3,0,0],\"Frames\":150.0},\"animations\":{}}",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_openvat_info *info = NULL;
        bw_error error = {0};
        assert_true(bwi_openvat_recognise(texts[k], strlen(texts[k])));
        if (parse(&info, arena, texts[k], &error) != BW_OK)
            fail_msg("text %zu: %s", k, error.message);
        assert_true(info->min[0] == -4.3f && info->min[2] == -8.6f && info->max[0] == 4.3f && info->max[2] == 0.0f);
        assert_int_equal(info->frame_count, 150);
        assert_int_equal(info->clips.count, 0);
        bwi_arena_free(arena);
    }
}

static void animations_keep_their_order(void **state) {
    (void)state;
    static const char text[] =
        "{\"os-remap\":{\"Min\":[0,0,0],\"Max\":[0,0,1],\"Frames\":120},\"animations\":{"
        "\"Break, then,}\":{\"startFrame\":26,\"endFrame\":120,\"framerate\":24,\"looping\":true,},"
        "\"A\\\"]\":{\"startFrame\":1,\"endFrame\":120,\"framerate\":29.97,\"looping\":false,},},}";
    bwi_arena *arena = bwi_arena_create_owning(0);
    bwi_openvat_info *info = NULL;
    bw_error error = {0};
    if (parse(&info, arena, text, &error) != BW_OK)
        fail_msg("%s", error.message);
    assert_int_equal(info->clips.count, 2);
    assert_string_equal(info->clips.data[0].name, "Break, then,}");
    assert_int_equal(info->clips.data[0].start_frame, 26);
    assert_int_equal(info->clips.data[0].end_frame, 120);
    assert_true(info->clips.data[0].loop && info->clips.data[0].rate_fps == 24.0);
    assert_string_equal(info->clips.data[1].name, "A\"]");
    assert_true(!info->clips.data[1].loop && info->clips.data[1].rate_fps == 29.97);
    bwi_arena_free(arena);
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bw_result result;
        const char *said;
    } rows[] = {
        {"{\"os-remap\":{\"Min\":[0,0],\"Max\":[0,0,1],\"Frames\":1}}", BW_ERR_MALFORMED, "os-remap.Min"},
        {"{\"os-remap\":{\"Min\":[0,0,0],\"Max\":[0,0,1e39],\"Frames\":1}}", BW_ERR_MALFORMED, "os-remap.Max"},
        {"{\"os-remap\":{\"Min\":[0,0,0],\"Max\":[0,0,1],\"Frames\":0}}", BW_ERR_MALFORMED, "os-remap.Frames"},
        {"{\"os-remap\":{\"Min\":[0,0,0],\"Max\":[0,0,1],\"Frames\":1e9}}", BW_ERR_MALFORMED, "os-remap.Frames"},
        {"{\"os-remap\":{\"Min\":[0,0,0],\"Max\":[0,0,1],\"Frames\":1.5}}", BW_ERR_MALFORMED, "os-remap.Frames"},
        {"{\"os-remap\":7}", BW_ERR_MALFORMED, "os-remap.Min"},
        {"{\"os-remap\":{\"Min\":[0,0,0],\"Max\":[0,0,1],\"Frames\":1},\"animations\":[]}", BW_ERR_MALFORMED,
         "animations"},
        {"{\"os-remap\":{\"Min\":[0,0,0],\"Max\":[0,0,1],\"Frames\":1},\"animations\":{\"a\":{\"startFrame\":1}}}",
         BW_ERR_MALFORMED, "endFrame"},
        {"{\"os-remap\":{\"Min\":[0,,0],\"Max\":[0,0,1],\"Frames\":1}}", BW_ERR_JSON, "line 1"},
        {"{\"os-remap\":{\"Min\":[0,0,0],", BW_ERR_JSON, "JSON error"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_openvat_info *info = NULL;
        bw_error error = {0};
        const bw_result result = parse(&info, arena, rows[k].text, &error);
        if (result != rows[k].result || !strstr(error.message, rows[k].said) || info)
            fail_msg("row %zu: %s, \"%s\"", k, bw_result_name(result), error.message);
        bwi_arena_free(arena);
    }
    static const char ours[] = "{\"schema\": \"bakewell/bake/1\", \"clips\": [{\"name\": \"os-remap\"}]}";
    assert_false(bwi_openvat_recognise(ours, strlen(ours)));
    assert_false(bwi_openvat_recognise("{}", 2));
}

static void what_is_written_is_read(void **state) {
    (void)state;
    bwi_openvat_clip clips[] = {{"Idle", 1, 59, 30, true}, {"Wave \"hi\"", 60, 60, 23.976, false}};
    bwi_openvat_info info = {.min = {-0.7f, -5.8f, 0.0f}, .max = {1.0f, 0.9f, 0.0f}, .frame_count = 60};
    info.clips.data = clips;
    info.clips.count = 2;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bwi_arena *arena = bwi_arena_create_owning(0);
    assert_int_equal(bwi_openvat_write(file, "a", &info, bwi_arena_mem(arena), NULL), BW_OK);
    fclose(file);
    assert_non_null(strstr(text, "\"Min\": [-0.7, -5.8, 0]"));
    bwi_openvat_info *read = NULL;
    assert_int_equal(parse(&read, arena, text, NULL), BW_OK);
    assert_memory_equal(read->min, info.min, sizeof info.min);
    assert_memory_equal(read->max, info.max, sizeof info.max);
    assert_int_equal(read->frame_count, 60);
    assert_int_equal(read->clips.count, 2);
    assert_string_equal(read->clips.data[1].name, "Wave \"hi\"");
    assert_int_equal(read->clips.data[1].start_frame, 60);
    assert_true(read->clips.data[1].rate_fps == 23.976 && read->clips.data[0].loop);
    free(text);
    bwi_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edited_files_are_read),
        cmocka_unit_test(animations_keep_their_order),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(what_is_written_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
