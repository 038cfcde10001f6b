/* SPDX-License-Identifier: MIT
 * The table of results, messages and warnings. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "bakewell/common.h"
#include "base/error.h"

static void the_table_has_every_result(void **state) {
    (void)state;
    assert_string_equal(bw_result_name(BW_OK), "BW_OK");
    assert_int_equal(bw_result_exit_status(BW_OK), 0);
    assert_string_equal(bw_result_name(BW_ERR_JSON), "BW_ERR_JSON");
    static const struct {
        bw_result result;
        int status;
    } STATUSES[] = {{BW_ERR_BOUND_MISSED, 1}, {BW_ERR_USAGE, 2},  {BW_ERR_FILE_WRITE, 3}, {BW_ERR_JSON, 4},
                    {BW_ERR_UNSUPPORTED, 5},  {BW_ERR_MEMORY, 6}, {BW_ERR_CANCELLED, 7},  {BW_ERR_INTERNAL, 8}};
    for (size_t i = 0; i < sizeof(STATUSES) / sizeof(STATUSES[0]); i++) {
        assert_int_equal(bw_result_exit_status(STATUSES[i].result), STATUSES[i].status);
    }
    for (int i = 0; i < BW_RESULT_COUNT; i++) {
        assert_true(bw_result_sentence((bw_result)i)[0] != 0);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(bw_result_name((bw_result)i), bw_result_name((bw_result)k));
        }
    }
    static const int UNKNOWN[] = {-1, BW_RESULT_COUNT, 1000000};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(bw_result_name((bw_result)UNKNOWN[i]), "BW_ERR_INTERNAL");
        assert_int_equal(bw_result_exit_status((bw_result)UNKNOWN[i]), 8);
        assert_string_equal(bw_result_sentence((bw_result)UNKNOWN[i]), bw_result_sentence(BW_ERR_INTERNAL));
    }
}

static void the_version_is_that_of_the_header(void **state) {
    (void)state;
    char expected[32];
    (void)snprintf(expected, sizeof(expected), "%d.%d.%d", BW_VERSION_MAJOR, BW_VERSION_MINOR, BW_VERSION_PATCH);
    assert_string_equal(bw_version(), expected);
}

static void fail_fills_every_field(void **state) {
    (void)state;
    bw_error error;
    memset(&error, 0x5A, sizeof(error));
    assert_int_equal(bwi_fail(&error, BW_ERR_MALFORMED, "a/b.glb", 12, "accessor %d: found %s", 3, "NaN"),
                     BW_ERR_MALFORMED);
    assert_int_equal(error.result, BW_ERR_MALFORMED);
    assert_int_equal(error.offset, 12);
    assert_string_equal(error.path, "a/b.glb");
    assert_string_equal(error.message, "a/b.glb: accessor 3: found NaN");
    assert_int_equal(bwi_fail(&error, BW_ERR_USAGE, NULL, -1, "plain"), BW_ERR_USAGE);
    assert_string_equal(error.path, "");
    assert_string_equal(error.message, "plain");
    (void)bwi_fail(&error, BW_ERR_USAGE, "", -1, "plain");
    assert_string_equal(error.message, "plain");
    assert_int_equal(bwi_fail(NULL, BW_ERR_JSON, "x", 0, "unseen"), BW_ERR_JSON);
}

static void fail_may_wrap_its_own_error(void **state) {
    (void)state;
    bw_error error;
    (void)bwi_fail(&error, BW_ERR_JSON, "in", 5, "first");
    (void)bwi_fail(&error, BW_ERR_MALFORMED, error.path, error.offset, "again: %s", error.message);
    assert_string_equal(error.message, "in: again: in: first");
    assert_string_equal(error.path, "in");
    assert_int_equal(error.offset, 5);
}

static void control_characters_become_question_marks(void **state) {
    (void)state;
    bw_error error;
    (void)bwi_fail(&error, BW_ERR_JSON, "a\x1b[2J", -1, "name '%s'", "x\n\x7f\xc2\x9b!\xc2\xa0");
    assert_string_equal(error.message, "a?[2J: name 'x??"
                                       "??"
                                       "!\xc2\xa0'");
    assert_string_equal(error.path, "a\x1b[2J"); /* the path itself must still open the file */
}

static void long_text_is_cut_at_a_character(void **state) {
    (void)state;
    bw_error error;
    static const char *const SEQUENCES[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8e\x82"};
    for (size_t kind = 0; kind < 4; kind++) {
        for (size_t shift = 0; shift < 4; shift++) {
            char text[3000] = "xxxx";
            text[shift] = 0;
            size_t length = strlen(SEQUENCES[kind]);
            for (size_t used = shift; used + length < sizeof(text) - 1; used += length) {
                memcpy(text + used, SEQUENCES[kind], length + 1);
            }
            (void)bwi_fail(&error, BW_ERR_USAGE, NULL, -1, "%s", text);
            size_t got = strlen(error.message);
            assert_true(got <= 1023 && got > 1023 - length);
            assert_int_equal((got - shift) % length, 0);
            assert_memory_equal(error.message, text, got);
            (void)bwi_fail(&error, BW_ERR_USAGE, text, -1, "the reason");
            assert_int_equal((strlen(error.path) - shift) % length, 0);
            assert_non_null(strstr(error.message, ": the reason"));
            assert_memory_equal(error.message, "...", 3);
        }
    }
}

static void memory_messages_name_the_numbers(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 1000);
    void *block = bwi_alloc(&mem, 900, 1);
    bw_error error;
    assert_int_equal(bwi_fail_memory(&error, "f", &mem, 150), BW_ERR_MEMORY);
    assert_string_equal(error.message, "f: needs 50 bytes more than the memory limit of 1000; raise --memory-limit");
    assert_int_equal(bwi_fail_memory(&error, NULL, &mem, 100), BW_ERR_MEMORY);
    assert_non_null(strstr(error.message, "the system refused 100 bytes"));
    assert_int_equal(bwi_fail_memory(NULL, NULL, &mem, SIZE_MAX), BW_ERR_MEMORY);
    /* A caller that knows of 8 bytes, in a block that takes more: the limit refused, not the system. */
    assert_null(bwi_alloc(&mem, 400, 1));
    assert_int_equal(bwi_fail_memory(&error, NULL, &mem, 8), BW_ERR_MEMORY);
    assert_string_equal(error.message, "needs 300 bytes more than the memory limit of 1000; raise --memory-limit");
    assert_null(bwi_realloc(&mem, block, 1200, 1));
    assert_int_equal(bwi_fail_memory(&error, NULL, &mem, 8), BW_ERR_MEMORY);
    assert_string_equal(error.message, "needs 200 bytes more than the memory limit of 1000; raise --memory-limit");
    bwi_free(&mem, block);
}

static void warnings_are_counted_by_code(void **state) {
    (void)state;
    bwi_arena *arena = bwi_arena_create_owning(0);
    bwi_warnings warnings;
    bwi_warnings_init(&warnings, arena);
    assert_int_equal(bwi_warnings_list(&warnings).count, 0);
    bwi_warn(&warnings, "weights", 2, "Weights did not sum to one.", "mesh %d (%s)", 1, "Bo\tdy");
    bwi_warn(&warnings, "weights", 3, "Another text.", "mesh 2");
    static const char *const CODES[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"};
    for (size_t i = 0; i < 10; i++) {
        bwi_warn(&warnings, CODES[i], 1, "m", "p%zu", i);
    }
    bwi_warn(NULL, "none", 1, "m", "p");
    bw_warning_list list = bwi_warnings_list(&warnings);
    assert_int_equal(list.count, 11);
    assert_string_equal(list.data[0].code, "weights");
    assert_string_equal(list.data[0].message, "Weights did not sum to one.");
    assert_string_equal(list.data[0].first, "mesh 1 (Bo?dy)");
    assert_int_equal(list.data[0].count, 5);
    assert_string_equal(list.data[10].first, "p9");
    assert_false(warnings.lost);
    bwi_arena_free(arena);
}

static void lost_warnings_are_told(void **state) {
    (void)state;
    bool complete = false;
    for (int64_t k = 1; !complete; k++) {
        assert_true(k < 20);
        bwi_mem mem;
        bwi_mem_init(&mem, 0);
        mem.fail_after = k;
        bwi_arena *arena = bwi_arena_create(&mem);
        bwi_warnings warnings;
        bwi_warnings_init(&warnings, arena);
        bwi_warn(&warnings, "one", 1, "m", "%0*d", 300, 1);
        bwi_warn(&warnings, "two", 1, "m", "p");
        bwi_warn(&warnings, "one", 1, "m", "p");
        complete = !warnings.lost;
        assert_int_equal(bwi_warnings_list(&warnings).count, complete ? 2 : 0);
        bwi_arena_free(arena);
        assert_int_equal(mem.used, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_every_result),
        cmocka_unit_test(the_version_is_that_of_the_header),
        cmocka_unit_test(fail_fills_every_field),
        cmocka_unit_test(fail_may_wrap_its_own_error),
        cmocka_unit_test(control_characters_become_question_marks),
        cmocka_unit_test(long_text_is_cut_at_a_character),
        cmocka_unit_test(memory_messages_name_the_numbers),
        cmocka_unit_test(warnings_are_counted_by_code),
        cmocka_unit_test(lost_warnings_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
