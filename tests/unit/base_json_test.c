/* SPDX-License-Identifier: MIT
 * The JSON writer's exact text, the shortest numbers, and the parser's refusals. */
#define _POSIX_C_SOURCE 200809L

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"

static bwi_mem mem;

static int fresh_mem(void **state) {
    (void)state;
    bwi_mem_init(&mem, 64 << 20);
    return 0;
}

static int mem_is_empty(void **state) {
    (void)state;
    return mem.used == 0 ? 0 : -1;
}

/* Ends the writer and compares its whole text. */
static void assert_text(bwi_json_writer *w, const char *expected) {
    char *text;
    size_t size;
    assert_true(bwi_json_writer_end(w, &text, &size));
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
    bwi_free(&mem, text);
}

static void write_sample(bwi_json_writer *w) {
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "name", "a");
    bwi_json_key(w, "numbers");
    bwi_json_begin_array(w);
    bwi_json_uint(w, UINT64_MAX);
    bwi_json_int(w, INT64_MIN);
    bwi_json_double(w, 0.1);
    bwi_json_float(w, 0.1f);
    bwi_json_end_array(w);
    bwi_json_key(w, "list");
    bwi_json_begin_array(w);
    bwi_json_begin_object(w);
    bwi_json_key_bool(w, "yes", true);
    bwi_json_key_uint(w, "n", 3);
    bwi_json_end_object(w);
    bwi_json_begin_array(w);
    bwi_json_end_array(w);
    bwi_json_raw(w, "{\"raw\":1}");
    bwi_json_end_array(w);
    bwi_json_key(w, "empty");
    bwi_json_begin_object(w);
    bwi_json_end_object(w);
    bwi_json_key_double(w, "d", -2.5);
    bwi_json_key_float(w, "f", 1e10f);
    bwi_json_key_string(w, "none", NULL);
    bwi_json_end_object(w);
}

static const char COMPACT[] = "{\"name\":\"a\",\"numbers\":[18446744073709551615,-9223372036854775808,0.1,0.1],"
                              "\"list\":[{\"yes\":true,\"n\":3},[],"
                              "{\"raw\":1}],\"empty\":{},\"d\":-2.5,\"f\":10000000000,\"none\":null}\n";

static void one_line_and_indented(void **state) {
    (void)state;
    bwi_json_writer *w = bwi_json_writer_create(&mem, NULL, 0);
    write_sample(w);
    assert_text(w, COMPACT);
    w = bwi_json_writer_create(&mem, NULL, 2);
    write_sample(w);
    assert_text(w, "{\n"
                   "  \"name\": \"a\",\n"
                   "  \"numbers\": [18446744073709551615, -9223372036854775808, 0.1, 0.1],\n"
                   "  \"list\": [\n"
                   "    {\n"
                   "      \"yes\": true,\n"
                   "      \"n\": 3\n"
                   "    },\n"
                   "    [],\n"
                   "    {\"raw\":1}\n"
                   "  ],\n"
                   "  \"empty\": {},\n"
                   "  \"d\": -2.5,\n"
                   "  \"f\": 10000000000,\n"
                   "  \"none\": null\n"
                   "}\n");
}

static void strings_are_escaped_and_made_valid(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } CASES[] = {
        {"", "\"\""},
        {"\"\\/\b\f\n\r\t\x01\x1f\x7f", "\"\\\"\\\\/\\u0008\\u000c\\n\\u000d\\t\\u0001\\u001f\x7f\""},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\x82\xf4\x8f\xbf\xbf",
         "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\x82\xf4\x8f\xbf\xbf\""},
        {"a\x80z", "\"a\xef\xbf\xbdz\""}, /* a stray continuation */
        {"\xc3", "\"\xef\xbf\xbd\""},     /* cut off */
        {"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* overlong */
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* a surrogate */
        {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xe0\x9f\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xff\"", "\"\xef\xbf\xbd\\\"\""},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        bwi_json_writer *w = bwi_json_writer_create(&mem, NULL, 0);
        bwi_json_string(w, CASES[i].in);
        char *text;
        assert_true(bwi_json_writer_end(w, &text, NULL));
        size_t length = strlen(CASES[i].out);
        assert_memory_equal(text, CASES[i].out, length);
        assert_string_equal(text + length, "\n");
        json_t *parsed = json_loads(text, JSON_DECODE_ANY, NULL);
        assert_non_null(parsed);
        json_decref(parsed);
        bwi_free(&mem, text);
    }
}

static void a_file_gets_the_same_text(void **state) {
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    bwi_json_writer *w = bwi_json_writer_create(&mem, file, 0);
    bwi_json_begin_array(w);
    for (int i = 0; i < 5000; i++) {
        bwi_json_int(w, i);
    }
    bwi_json_end_array(w);
    char *text = (char *)1;
    size_t size = 1;
    assert_true(bwi_json_writer_end(w, &text, &size));
    assert_null(text);
    assert_int_equal(size, 0);
    assert_int_equal(ftell(file), 10 + 2 * 90 + 3 * 900 + 4 * 4000 + 4999 + 3);
    rewind(file);
    json_t *parsed = json_loadf(file, 0, NULL);
    assert_int_equal(json_array_size(parsed), 5000);
    assert_int_equal(json_integer_value(json_array_get(parsed, 4999)), 4999);
    json_decref(parsed);
    (void)fclose(file);
}

static void a_failing_file_is_told(void **state) {
    (void)state;
    FILE *file = fopen("/dev/full", "w");
    assert_non_null(file);
    (void)setvbuf(file, NULL, _IONBF, 0);
    bwi_json_writer *w = bwi_json_writer_create(&mem, file, 0);
    bwi_json_begin_array(w);
    for (int i = 0; i < 5000; i++) {
        bwi_json_int(w, i);
    }
    bwi_json_end_array(w);
    assert_false(bwi_json_writer_end(w, NULL, NULL));
    (void)fclose(file);
}

static void every_allocation_of_the_writer_may_fail(void **state) {
    (void)state;
    bool good = false;
    int64_t k = 0;
    for (; !good; k++) {
        assert_true(k < 20);
        mem.fail_after = k;
        bwi_json_writer *w = bwi_json_writer_create(&mem, NULL, 0);
        bwi_json_begin_object(w); /* all of them take the NULL of a failed create */
        bwi_json_key(w, "k");
        bwi_json_begin_array(w);
        for (int i = 0; i < 3000; i++) {
            bwi_json_string(w, "text");
        }
        bwi_json_end_array(w);
        bwi_json_end_object(w);
        char *text = (char *)1;
        good = bwi_json_writer_end(w, &text, NULL);
        assert_true(good == (text != NULL));
        bwi_free(&mem, text);
        assert_int_equal(mem.used, 0);
    }
    assert_int_equal(k - 1, 5); /* head, 4, 8, 16, 32 KiB */
}

static void numbers_are_shortest(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } CASES[] = {
        {0.0, "0"},
        {-0.0, "-0.0"},
        {1.0, "1"},
        {1000.0, "1000"},
        {-1e6, "-1000000"},
        {123456789.0, "123456789"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e16, "10000000000000000"},
        {1e17, "1e17"},
        {1.5e300, "1.5e300"},
        {0.00001, "0.00001"},
        {1e-7, "1e-7"},
        {-1.25e-9, "-1.25e-9"},
        {9007199254740993.0, "9007199254740992"},
        {DBL_MAX, "1.7976931348623157e308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {0x1p-1074, "5e-324"},
        {1.0 / 3.0, "0.3333333333333333"},
        {NAN, "null"},
        {INFINITY, "null"},
        {-INFINITY, "null"},
    };
    char text[32];
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        assert_int_equal(bwi_format_double(text, CASES[i].value), strlen(CASES[i].text));
        assert_string_equal(text, CASES[i].text);
    }
    static const struct {
        float value;
        const char *text;
    } FLOATS[] = {{0.1f, "0.1"},   {16777216.0f, "16777216"},   {FLT_MAX, "3.4028235e38"}, {0x1p-149f, "1e-45"},
                  {-0.0f, "-0.0"}, {1.0f / 3.0f, "0.33333334"}, {INFINITY, "null"}};
    for (size_t i = 0; i < sizeof(FLOATS) / sizeof(FLOATS[0]); i++) {
        assert_int_equal(bwi_format_float(text, FLOATS[i].value), strlen(FLOATS[i].text));
        assert_string_equal(text, FLOATS[i].text);
    }
}

static void random_numbers_read_back(void **state) {
    (void)state;
    uint64_t random_state = 7;
    char text[32];
    for (int i = 0; i < 20000; i++) {
        random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double value;
        memcpy(&value, &random_state, sizeof(value));
        if (isfinite(value)) {
            assert_true(bwi_format_double(text, value) < sizeof(text));
            assert_true(strtod(text, NULL) == value);
            json_t *parsed = json_loads(text, JSON_DECODE_ANY, NULL);
            assert_non_null(parsed);
            assert_true(json_number_value(parsed) == value);
            json_decref(parsed);
        }
        uint32_t bits = (uint32_t)(random_state >> 32);
        float single;
        memcpy(&single, &bits, sizeof(single));
        if (isfinite(single)) {
            assert_true(bwi_format_float(text, single) <= 24);
            assert_true(strtof(text, NULL) == single);
        }
    }
}

/* Sets a locale with a decimal comma: an installed one, or one compiled for the test where its source is installed. */
static bool set_comma_locale(void) {
    static const char *const NAMES[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR"};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (setlocale(LC_ALL, NAMES[i])) {
            return true;
        }
    }
    char folder[] = "/tmp/bakewell-locale-XXXXXX";
    char command[256];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    bool compiled = system(command) == 0;
    (void)setenv("LOCPATH", folder, 1);
    bool set = compiled && setlocale(LC_ALL, "de_DE.UTF-8");
    (void)unsetenv("LOCPATH");
    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    return set;
}

static void the_locale_does_not_matter(void **state) {
    (void)state;
    if (!set_comma_locale()) {
        print_message("skip: no locale with a decimal comma is installed, nor can one be made (package locales)\n");
        skip();
    }
    assert_string_equal(localeconv()->decimal_point, ",");
    char text[32];
    (void)bwi_format_double(text, -1.25e-9);
    assert_string_equal(text, "-1.25e-9");
    (void)bwi_format_float(text, 0.1f);
    assert_string_equal(text, "0.1");
    double value = 0.0;
    const char *rest = bwi_parse_decimal(&value, "12.5x");
    assert_non_null(rest);
    assert_string_equal(rest, "x");
    assert_true(value == 12.5);
    rest = bwi_parse_decimal(&value, "1,5");
    assert_string_equal(rest, ",5");
    json_t *root;
    assert_int_equal(bwi_json_parse(&root, "[0.5]", 5, &mem, "f", NULL), BW_OK);
    assert_true(json_real_value(json_array_get(root, 0)) == 0.5);
    json_decref(root);
    (void)setlocale(LC_ALL, "C");
}

static void decimals_are_read_strictly(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
        const char *rest;
    } GOOD[] = {
        {"1", 1, ""},     {"-2.5e3mm", -2500, "mm"}, {"+.5", 0.5, ""},     {"5.", 5, ""},           {"1e", 1, "e"},
        {"1e+", 1, "e+"}, {"0x10", 0, "x10"},        {"1E-2%", 0.01, "%"}, {"1e999", INFINITY, ""}, {"7 ", 7, " "}};
    for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++) {
        double value = -1.0;
        const char *rest = bwi_parse_decimal(&value, GOOD[i].text);
        assert_non_null(rest);
        assert_string_equal(rest, GOOD[i].rest);
        assert_true(value == GOOD[i].value);
    }
    char endless[200];
    memset(endless, '1', sizeof(endless));
    endless[199] = 0;
    const char *const BAD[] = {"", ".", "-", "+", "e5", "inf", "nan", " 1", "--1", "mm", "-.e1", endless};
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        double value = -1.0;
        assert_null(bwi_parse_decimal(&value, BAD[i]));
        assert_true(value == -1.0);
    }
}

static void good_text_is_parsed(void **state) {
    (void)state;
    json_t *root = NULL;
    static const char WITH_BOM[] = "\xef\xbb\xbf {\"a\": [1, 2.5, \"\xc3\xa9\"]} \n";
    assert_int_equal(bwi_json_parse(&root, WITH_BOM, sizeof(WITH_BOM) - 1, &mem, "f.json", NULL), BW_OK);
    assert_int_equal(json_array_size(json_object_get(root, "a")), 3);
    json_decref(root);
}

static void assert_refused(const char *text, size_t size, int64_t offset, const char *part) {
    bw_error error;
    json_t *root = (json_t *)&error;
    assert_int_equal(bwi_json_parse(&root, text, size, &mem, "f.json", &error), BW_ERR_JSON);
    assert_ptr_equal(root, &error);
    assert_int_equal(error.result, BW_ERR_JSON);
    assert_string_equal(error.path, "f.json");
    if (!strstr(error.message, part)) {
        print_error("message: %s\n", error.message);
        fail();
    }
    assert_memory_equal(error.message, "f.json: ", 8);
    if (error.offset != offset) {
        print_error("offset %lld: %s\n", (long long)error.offset, error.message);
    }
    assert_int_equal(error.offset, offset);
}

#define REFUSED(text, offset, part) assert_refused(text, sizeof(text) - 1, offset, part)

static void bad_text_is_refused_with_its_place(void **state) {
    (void)state;
    REFUSED("{\n  \"a\": 1,\n  \"b\": x\n}", 20, "line 3, column 8");
    REFUSED("\xef\xbb\xbf{\"a\" 1}", 9, "line 1, column 6");
    REFUSED("", 0, "line 1");
    REFUSED("[1, 2", 5, "line 1");
    REFUSED("{\"a\": 1, \"a\": 2}", 12, "duplicate");
    REFUSED("[1] x", 5, "end of file expected");
    REFUSED("[1]\0", 4, "line 1"); /* NUL bytes are no end */
    REFUSED("[\"a\0b\"]", 3, "line 1");
    REFUSED("[\"a\\u0000b\"]", 11, "line 1");
    REFUSED("[\"\xff\"]", 2, "line 1");
    REFUSED("[1e999]", 6, "real number overflow");
    REFUSED("[NaN]", 4, "line 1");
    REFUSED("[01]", 2, "line 1");
    REFUSED("1", 1, "line 1");
    static char deep[100000];
    memset(deep, '[', sizeof(deep));
    assert_refused(deep, sizeof(deep), 2049, "depth");
}

static void text_beyond_the_memory_limit_is_refused(void **state) {
    (void)state;
    bwi_mem small;
    bwi_mem_init(&small, 640);
    json_t *root = NULL;
    bw_error error;
    assert_int_equal(bwi_json_parse(&root, "[1,2,3,4 ] ", 11, &small, "f", &error), BW_ERR_MEMORY);
    assert_non_null(strstr(error.message, "11 bytes is over the 10"));
    assert_int_equal(bwi_json_parse(&root, "[1,2,3,4 ]", 10, &small, "f", &error), BW_OK);
    json_decref(root);
}

static void utf8_is_told_from_other_bytes(void **state) {
    (void)state;
    static const char *const GOOD[] = {"",
                                       "a",
                                       "\x7F",
                                       "\xC2\x80",
                                       "\xE0\xA0\x80",
                                       "\xED\x9F\xBF",
                                       "\xF0\x90\x80\x80",
                                       "\xF4\x8F\xBF\xBF",
                                       "a\xE2\x98\x83z"};
    static const char *const BAD[] = {"\x80",         "a\xFF",        "\xC0\x80",         "\xC2",
                                      "\xE0\x9F\x80", "\xED\xA0\x80", "\xF0\x8F\x80\x80", "\xF4\x90\x80\x80",
                                      "\xE2\x98z"};
    for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++) {
        assert_true(bwi_is_utf8(GOOD[i]));
    }
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        assert_false(bwi_is_utf8(BAD[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_line_and_indented, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(strings_are_escaped_and_made_valid, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(a_file_gets_the_same_text, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(a_failing_file_is_told, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(every_allocation_of_the_writer_may_fail, fresh_mem, mem_is_empty),
        cmocka_unit_test(numbers_are_shortest),
        cmocka_unit_test(random_numbers_read_back),
        cmocka_unit_test_setup_teardown(the_locale_does_not_matter, fresh_mem, mem_is_empty),
        cmocka_unit_test(decimals_are_read_strictly),
        cmocka_unit_test_setup_teardown(good_text_is_parsed, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(bad_text_is_refused_with_its_place, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(text_beyond_the_memory_limit_is_refused, fresh_mem, mem_is_empty),
        cmocka_unit_test(utf8_is_told_from_other_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
