/* SPDX-License-Identifier: MIT
 * The three option tables: every row is sound, covers its field, shows a default it takes, and holds its range at
 * both ends. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <string.h>

#include "bakewell/options.h"
#include "bakewell/vat.h"
#include "bakewell/verify.h"
#include "base/json.h"
#include "base/mem.h"

/* Room for any of the three structs. */
typedef union any_opts {
    bw_run_opts run;
    bw_vat_opts vat;
    bw_verify_opts verify;
} any_opts;

static bw_option_list tables[3];

static int fill_tables(void **state) {
    (void)state;
    tables[0] = bw_run_options();
    tables[1] = bw_vat_options();
    tables[2] = bw_verify_options();
    return 0;
}

static void rows_are_sound(void **state) {
    (void)state;
    static const size_t SIZES[] = {sizeof(bw_run_opts), sizeof(bw_vat_opts), sizeof(bw_verify_opts)};
    static const size_t FIELD_SIZES[] = {0,
                                         sizeof(bool),
                                         sizeof(uint32_t),
                                         sizeof(double),
                                         sizeof(uint64_t),
                                         sizeof(bw_length),
                                         sizeof(char *),
                                         sizeof(bw_string_list),
                                         sizeof(int)};
    for (size_t t = 0; t < 3; t++) {
        assert_true(tables[t].count > 0);
        size_t end = 0;
        for (size_t i = 0; i < tables[t].count; i++) {
            const bw_option *row = &tables[t].data[i];
            assert_int_equal(row->size, FIELD_SIZES[row->kind]);
            assert_true(row->offset >= end && row->offset + row->size <= SIZES[t]);
            end = row->offset + row->size;
            assert_true((row->metavar == NULL) == (row->kind == BW_OPTION_FLAG));
            assert_true((row->choices != NULL) == (row->kind == BW_OPTION_CHOICE));
            assert_true(row->help[0] != 0 && row->help[strlen(row->help) - 1] != '.');
            assert_ptr_equal(bw_option_find(tables[t], row->key), row); /* so no key stands twice */
            for (const char *c = row->key; *c; c++) {
                assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_');
            }
        }
    }
}

static void no_key_is_in_run_and_in_a_command(void **state) {
    (void)state;
    for (size_t i = 0; i < tables[0].count; i++) {
        assert_null(bw_option_find(tables[1], tables[0].data[i].key));
        assert_null(bw_option_find(tables[2], tables[0].data[i].key));
    }
}

static void ranges_hold_at_both_ends(void **state) {
    (void)state;
    for (size_t t = 0; t < 3; t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            const bw_option *row = &tables[t].data[i];
            bool number = row->kind == BW_OPTION_UINT || row->kind == BW_OPTION_REAL || row->kind == BW_OPTION_BYTES;
            if (!number && row->kind != BW_OPTION_LENGTH) {
                continue;
            }
            const char *unit = number ? "" : "m";
            double step = row->kind == BW_OPTION_UINT || row->kind == BW_OPTION_BYTES ? 1.0
                          : row->min > 0.0                                            ? row->min / 2.0
                                                                                      : 1.0;
            const double inside[] = {row->min, row->max};
            const double outside[] = {row->min - step, row->max + (row->kind == BW_OPTION_BYTES ? 2.0 : 1.0)};
            for (size_t k = 0; k < 2; k++) {
                any_opts opts;
                memset(&opts, 0, sizeof(opts));
                char text[40];
                (void)strcpy(text + bwi_format_double(text, inside[k]), unit);
                assert_int_equal(bw_option_set(&opts, row, text, NULL), BW_OK);
                assert_int_equal(bw_options_check(tables[t], &opts, NULL), BW_OK);
                (void)strcpy(text + bwi_format_double(text, outside[k]), unit);
                assert_int_equal(bw_option_set(&opts, row, text, NULL), BW_ERR_USAGE);
            }
        }
    }
}

static void choices_are_their_enums(void **state) {
    (void)state;
    static const struct {
        const char *key, *text;
        int value;
    } CASES[] = {
        {"engine", "generic", BW_ENGINE_GENERIC},       {"engine", "playcanvas", BW_ENGINE_PLAYCANVAS},
        {"engine", "unreal", BW_ENGINE_UNREAL},         {"layout", "seed", BW_VAT_LAYOUT_SEED},
        {"format", "png8", BW_VAT_FORMAT_PNG8},         {"format", "exr32", BW_VAT_FORMAT_EXR32},
        {"format", "ktx2-f32", BW_VAT_FORMAT_KTX2_F32}, {"format", "raw", BW_VAT_FORMAT_RAW},
        {"format", "raw-f32", BW_VAT_FORMAT_RAW_F32},   {"loop", "no", BW_VAT_LOOP_NO},
        {"normals", "off", BW_VAT_NORMALS_OFF},         {"tangents", "off", BW_VAT_TANGENTS_OFF},
        {"materials", "none", BW_VAT_MATERIALS_NONE},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        bw_vat_opts opts = {0};
        const bw_option *row = bw_option_find(tables[1], CASES[i].key);
        assert_non_null(row);
        assert_int_equal(bw_option_set(&opts, row, CASES[i].text, NULL), BW_OK);
        int value;
        memcpy(&value, (const unsigned char *)&opts + row->offset, sizeof(value));
        assert_int_equal(value, CASES[i].value);
        assert_int_equal(bw_options_check(tables[1], &opts, NULL), BW_OK);
    }
}

static void the_shown_memory_limit_is_the_one_used(void **state) {
    (void)state;
    const bw_option *row = bw_option_find(tables[0], "memory_limit");
    assert_non_null(row);
    bw_run_opts run = {0};
    assert_int_equal(bw_option_set(&run, row, row->preset, NULL), BW_OK);
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    assert_int_equal(mem.limit, run.memory_limit);
}

static void zeroed_structs_are_the_default(void **state) {
    (void)state;
    any_opts opts;
    memset(&opts, 0, sizeof(opts));
    for (size_t t = 0; t < 3; t++) {
        assert_int_equal(bw_options_check(tables[t], &opts, NULL), BW_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sound),
        cmocka_unit_test(no_key_is_in_run_and_in_a_command),
        cmocka_unit_test(ranges_hold_at_both_ends),
        cmocka_unit_test(choices_are_their_enums),
        cmocka_unit_test(the_shown_memory_limit_is_the_one_used),
        cmocka_unit_test(zeroed_structs_are_the_default),
    };
    return cmocka_run_group_tests(tests, fill_tables, NULL);
}
