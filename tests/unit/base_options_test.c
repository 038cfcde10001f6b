/* SPDX-License-Identifier: MIT
 * The option table over a struct of every kind: texts taken and refused, ranges, messages. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "bakewell/options.h"

typedef enum fruit { FRUIT_DEFAULT = 0, FRUIT_APPLE, FRUIT_PEAR, FRUIT_PLUM } fruit;

typedef struct sample {
    bool flag;
    uint32_t max_size, from_zero;
    double fps;
    uint64_t bytes;
    bw_length max_error;
    const char *name;
    bw_string_list clip;
    fruit fruit;
} sample;

#define FIELD(field) offsetof(sample, field), sizeof(((sample *)0)->field)

static const bw_option ROWS[] = {
    {"flag", BW_OPTION_FLAG, NULL, NULL, NULL, 0, 0, "a flag", FIELD(flag)},
    {"max_size", BW_OPTION_UINT, "N", NULL, "4096", 4, 16384, "a size", FIELD(max_size)},
    {"from_zero", BW_OPTION_UINT, "N", NULL, NULL, 0, 4294967295.0, "any number", FIELD(from_zero)},
    {"fps", BW_OPTION_REAL, "N", NULL, NULL, 0.01, 1000, "a rate", FIELD(fps)},
    {"max_bytes", BW_OPTION_BYTES, "SIZE", NULL, NULL, 1024, 1125899906842624.0, "bytes", FIELD(bytes)},
    {"max_error", BW_OPTION_LENGTH, "LENGTH", NULL, NULL, 0, 1000000, "a length", FIELD(max_error)},
    {"name", BW_OPTION_STRING, "NAME", NULL, NULL, 0, 0, "a name", FIELD(name)},
    {"clip", BW_OPTION_STRINGS, "NAME", NULL, NULL, 0, 0, "names", FIELD(clip)},
    {"fruit", BW_OPTION_CHOICE, "NAME", "apple|pear|plum", "apple", 0, 0, "a fruit", FIELD(fruit)},
};
static const bw_option_list TABLE = {ROWS, sizeof(ROWS) / sizeof(ROWS[0])};

static void rows_are_found_by_key_and_flag(void **state) {
    (void)state;
    assert_ptr_equal(bw_option_find(TABLE, "max_size"), &ROWS[1]);
    assert_ptr_equal(bw_option_find(TABLE, "max-size"), &ROWS[1]);
    assert_ptr_equal(bw_option_find(TABLE, "--max-size"), &ROWS[1]);
    static const char *const NONE[] = {"", "--", "max", "max_sizes", "max.size", "MAX_SIZE", "-max-size"};
    for (size_t i = 0; i < sizeof(NONE) / sizeof(NONE[0]); i++) {
        assert_null(bw_option_find(TABLE, NONE[i]));
    }
}

static bw_result set(sample *opts, const char *key, const char *text, bw_error *error) {
    const bw_option *option = bw_option_find(TABLE, key);
    assert_non_null(option);
    return bw_option_set(opts, option, text, error);
}

static void good_texts_are_taken(void **state) {
    (void)state;
    sample opts = {0};
    assert_int_equal(set(&opts, "flag", NULL, NULL), BW_OK);
    assert_true(opts.flag);
    assert_int_equal(set(&opts, "flag", "false", NULL), BW_OK);
    assert_false(opts.flag);
    assert_int_equal(set(&opts, "flag", "true", NULL), BW_OK);
    assert_true(opts.flag);
    static const struct {
        const char *text;
        uint32_t value;
    } UINTS[] = {{"4", 4}, {"16384", 16384}, {"1e3", 1000}, {"0100", 100}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(set(&opts, "max_size", UINTS[i].text, NULL), BW_OK);
        assert_int_equal(opts.max_size, UINTS[i].value);
    }
    assert_int_equal(set(&opts, "from_zero", "4294967295", NULL), BW_OK);
    assert_int_equal(opts.from_zero, UINT32_MAX);
    assert_int_equal(set(&opts, "from_zero", "0", NULL), BW_OK);
    assert_int_equal(opts.from_zero, 0);
    assert_int_equal(set(&opts, "fps", "29.97", NULL), BW_OK);
    assert_true(opts.fps == 29.97);
    static const struct {
        const char *text;
        uint64_t value;
    } BYTES[] = {{"1024", 1024},
                 {"2KiB", 2048},
                 {"512MiB", UINT64_C(512) << 20},
                 {"1GiB", UINT64_C(1) << 30},
                 {"64kB", 64000},
                 {"1.5MB", 1500000},
                 {"3GB", UINT64_C(3000000000)},
                 {"1125899906842624", UINT64_C(1) << 50},
                 {"0.5GiB", 1u << 29}};
    for (size_t i = 0; i < sizeof(BYTES) / sizeof(BYTES[0]); i++) {
        assert_int_equal(set(&opts, "max_bytes", BYTES[i].text, NULL), BW_OK);
        assert_true(opts.bytes == BYTES[i].value);
    }
    static const char name[] = "hero";
    assert_int_equal(set(&opts, "name", name, NULL), BW_OK);
    assert_ptr_equal(opts.name, name);
    assert_int_equal(set(&opts, "fruit", "apple", NULL), BW_OK);
    assert_int_equal(opts.fruit, FRUIT_APPLE);
    assert_int_equal(set(&opts, "fruit", "plum", NULL), BW_OK);
    assert_int_equal(opts.fruit, FRUIT_PLUM);
    static const char *const CLIPS[] = {"Run", "Walk", "Idle"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(set(&opts, "clip", CLIPS[i], NULL), BW_OK);
    }
    assert_int_equal(opts.clip.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_ptr_equal(opts.clip.data[i], CLIPS[i]);
    }
    assert_int_equal(bw_options_check(TABLE, &opts, NULL), BW_OK);
    bw_options_free(TABLE, &opts);
    assert_null(opts.clip.data);
    assert_int_equal(opts.clip.count, 0);
    assert_string_equal(opts.name, "hero");
    bw_options_free(TABLE, &opts);
    bw_options_free(TABLE, NULL);
}

static void bad_texts_are_refused_with_a_next_step(void **state) {
    (void)state;
    static const struct {
        const char *key, *text, *message;
    } CASES[] = {
        {"flag", "yes", "--flag=yes takes no such value; give true, false or nothing"},
        {"flag", "", "--flag= takes no such value; give true, false or nothing"},
        {"max_size", "3", "--max-size=3 is below 4; give 4 to 16384"},
        {"max_size", "0", "--max-size=0 is below 4; give 4 to 16384"},
        {"max_size", "-5", "--max-size=-5 is below 4; give 4 to 16384"},
        {"max_size", "16385", "--max-size=16385 is above 16384; give 4 to 16384"},
        {"max_size", "1e30", "--max-size=1e30 is above 16384; give 4 to 16384"},
        {"max_size", "4.5", "--max-size=4.5 is not a whole number; give one without a fraction"},
        {"max_size", "12x", "--max-size=12x is not understood; give a whole number"},
        {"max_size", " 12", "--max-size= 12 is not understood; give a whole number"},
        {"max_size", "12 ", "--max-size=12  is not understood; give a whole number"},
        {"max_size", "0x10", "--max-size=0x10 is not understood; give a whole number"},
        {"max_size", "", "--max-size needs a value: --max-size=N"},
        {"max_size", NULL, "--max-size needs a value: --max-size=N"},
        {"fps", "nan", "--fps=nan is not understood; give a number"},
        {"fps", "inf", "--fps=inf is not understood; give a number"},
        {"fps", "1e999", "--fps=1e999 is not understood; give a number"},
        {"fps", "0", "--fps=0 is below 0.01; give 0.01 to 1000"},
        {"fps", "1,5", "--fps=1,5 is not understood; give a number"},
        {"from_zero", "4294967296", "--from-zero=4294967296 is above 4294967295; give 0 to 4294967295"},
        {"max_bytes", "1023", "--max-bytes=1023 is below 1024 bytes; give 1024 to 1125899906842624"},
        {"max_bytes", "512M",
         "--max-bytes=512M is not understood; give a size in bytes, or with KiB, MiB, GiB, kB, MB or GB, as in 512MiB"},
        {"max_bytes", "1024.5", "--max-bytes=1024.5 is not a whole number; give one without a fraction"},
        {"max_bytes", "2000000GiB",
         "--max-bytes=2000000GiB is above 1125899906842624 bytes; give 1024 to 1125899906842624"},
        {"max_error", "5", "--max-error=5 has no unit; write 5mm, 5cm, 5m or 5%"},
        {"max_error", "five", "--max-error=five is no length; write a number and mm, cm, m or %, as in 0.5mm"},
        {"max_error", "5in", "--max-error=5in is no length; write a number and mm, cm, m or %, as in 0.5mm"},
        {"max_error", "-1mm", "--max-error=-1mm is below 0mm; give 0 to 1000000"},
        {"max_error", "1000001%", "--max-error=1000001% is above 1000000%; give 0 to 1000000"},
        {"name", "", "--name needs a value: --name=NAME"},
        {"clip", NULL, "--clip needs a value: --clip=NAME"},
        {"fruit", "cherry", "--fruit=cherry is no choice; give one of apple, pear, plum"},
        {"fruit", "app", "--fruit=app is no choice; give one of apple, pear, plum"},
        {"fruit", "apple|pear", "--fruit=apple|pear is no choice; give one of apple, pear, plum"},
        {"fruit", "", "--fruit needs a value: --fruit=NAME"},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        sample opts;
        sample before;
        memset(&opts, 0x11, sizeof(opts));
        memcpy(&before, &opts, sizeof(opts));
        bw_error error;
        assert_int_equal(set(&opts, CASES[i].key, CASES[i].text, &error), BW_ERR_USAGE);
        assert_string_equal(error.message, CASES[i].message);
        assert_memory_equal(&opts, &before, sizeof(opts));
        assert_int_equal(set(&opts, CASES[i].key, CASES[i].text, NULL), BW_ERR_USAGE);
    }
}

static void lengths_have_units(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
        bw_length_unit unit;
    } GOOD[] = {{"0.5mm", 0.0005, BW_LENGTH_METRE}, {"2cm", 0.02, BW_LENGTH_METRE},
                {"1m", 1.0, BW_LENGTH_METRE},       {"0.05%", 0.0005, BW_LENGTH_RELATIVE},
                {"0mm", 0.0, BW_LENGTH_METRE},      {"1e-3m", 0.001, BW_LENGTH_METRE}};
    for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++) {
        bw_length length = {0};
        assert_int_equal(bw_length_parse(&length, GOOD[i].text, NULL), BW_OK);
        assert_true(length.value == GOOD[i].value); /* the nearest double, not 0.5 · 0.001 */
        assert_int_equal(length.unit, GOOD[i].unit);
        sample opts = {0};
        assert_int_equal(set(&opts, "max_error", GOOD[i].text, NULL), BW_OK);
        assert_true(opts.max_error.value == length.value && opts.max_error.unit == length.unit);
    }
    static const char *const BAD[] = {"",      "5",    "mm",     "5 mm", "5mm ", "-5mm",
                                      "nanmm", "infm", "1e999m", "5MM",  "5%%",  "0x5m"};
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        bw_length length = {7.0, BW_LENGTH_METRE};
        bw_error error;
        assert_int_equal(bw_length_parse(&length, BAD[i], &error), BW_ERR_USAGE);
        assert_true(length.value == 7.0);
        assert_true(strlen(error.message) > strlen(BAD[i]));
    }
}

static void assert_unchecked(const sample *opts, const char *message) {
    bw_error error;
    assert_int_equal(bw_options_check(TABLE, opts, &error), BW_ERR_USAGE);
    assert_string_equal(error.message, message);
}

static void fields_set_by_hand_are_checked(void **state) {
    (void)state;
    sample opts = {0};
    assert_int_equal(bw_options_check(TABLE, &opts, NULL), BW_OK); /* {0} is the default of all */
    opts = (sample){.max_size = 3};
    assert_unchecked(&opts, "max_size 3 is below 4; give 4 to 16384");
    opts = (sample){.max_size = 16385};
    assert_unchecked(&opts, "max_size 16385 is above 16384; give 4 to 16384");
    opts = (sample){.fps = NAN};
    assert_unchecked(&opts, "fps (not finite) is below 0.01; give 0.01 to 1000");
    opts = (sample){.fps = -1.0};
    assert_unchecked(&opts, "fps -1 is below 0.01; give 0.01 to 1000");
    opts = (sample){.bytes = UINT64_MAX};
    assert_int_equal(bw_options_check(TABLE, &opts, NULL), BW_ERR_USAGE);
    opts = (sample){.max_error = {0.5, BW_LENGTH_NONE}};
    assert_unchecked(&opts, "max_error has no unit; set it to metres or relative");
    opts = (sample){.max_error = {0.5, (bw_length_unit)9}};
    assert_unchecked(&opts, "max_error has no unit; set it to metres or relative");
    static const double LENGTHS[] = {-0.5, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        opts = (sample){.max_error = {LENGTHS[i], BW_LENGTH_METRE}};
        assert_unchecked(&opts, "max_error is negative, not finite or too large; give 0 or more");
    }
    opts = (sample){.fruit = (fruit)4};
    assert_unchecked(&opts, "fruit is 4; give 0 for the default, or one of apple, pear, plum");
    opts = (sample){.clip = {NULL, 2}};
    assert_unchecked(&opts, "clip holds a NULL at 0; expected text");
    static const char *const NAMES[] = {"a", NULL};
    opts = (sample){.clip = {NAMES, 2}};
    assert_unchecked(&opts, "clip holds a NULL at 1; expected text");
    opts = (sample){.clip = {NAMES, 1},
                    .fruit = FRUIT_PLUM,
                    .max_error = {0.5, BW_LENGTH_RELATIVE},
                    .fps = 0.01,
                    .max_size = 4,
                    .bytes = 1024};
    assert_int_equal(bw_options_check(TABLE, &opts, NULL), BW_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_key_and_flag),         cmocka_unit_test(good_texts_are_taken),
        cmocka_unit_test(bad_texts_are_refused_with_a_next_step), cmocka_unit_test(lengths_have_units),
        cmocka_unit_test(fields_set_by_hand_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
