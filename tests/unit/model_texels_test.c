/* SPDX-License-Identifier: MIT
 * Sizes of texels, and the table of formats: complete, and agreeing with the choices of --format. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "model/texels.h"

static void sizes_and_codes(void **state) {
    (void)state;
    static const struct {
        bwi_texel_type type;
        size_t size;
        bool is_float;
        uint32_t max_code;
    } rows[] = {
        {BWI_TEXEL_U8, 4, false, 255}, {BWI_TEXEL_U16, 8, false, 65535}, {BWI_TEXEL_U10, 4, false, 1023},
        {BWI_TEXEL_F16, 8, true, 0},   {BWI_TEXEL_F32, 16, true, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        assert_int_equal(bwi_texel_size(rows[i].type), rows[i].size);
        assert_int_equal(bwi_texel_is_float(rows[i].type), rows[i].is_float);
        assert_int_equal(bwi_texel_max_code(rows[i].type), rows[i].max_code);
    }
}

static const char *format_choices(void) {
#define BW_OPT(key, field, kind, ctype, metavar, choices, preset, min, max, help) \
    if (strcmp(key, "format") == 0)                                               \
        return choices;
#include "bakewell/options_vat.def"
#undef BW_OPT
    return "";
}

static void every_choice_has_its_row(void **state) {
    (void)state;
    char choices[256];
    (void)strncpy(choices, format_choices(), sizeof choices - 1);
    choices[sizeof choices - 1] = 0;
    int format = BW_VAT_FORMAT_DEFAULT;
    for (char *name = strtok(choices, "|"); name; name = strtok(NULL, "|")) {
        const bwi_format_info *info = bwi_format_info_named(name);
        assert_non_null(info);
        assert_string_equal(info->name, name);
        assert_int_equal(info->format, ++format);
        assert_ptr_equal(bwi_format_info_of(info->format), info);
    }
    assert_int_equal(format, BW_VAT_FORMAT_RAW_F32);
}

static void other_values_have_none(void **state) {
    (void)state;
    assert_null(bwi_format_info_of(BW_VAT_FORMAT_DEFAULT));
    assert_null(bwi_format_info_of((bw_vat_format)(BW_VAT_FORMAT_RAW_F32 + 1)));
    assert_null(bwi_format_info_named(""));
    assert_null(bwi_format_info_named("PNG16"));
    assert_null(bwi_format_info_named("png1"));
}

static void containers_and_types(void **state) {
    (void)state;
    const bwi_format_info *png16 = bwi_format_info_named("png16"), *exr16 = bwi_format_info_named("exr16"),
                          *u10 = bwi_format_info_named("ktx2-u10"), *raw = bwi_format_info_named("raw");
    assert_true(png16->container == BWI_CONTAINER_PNG && png16->type == BWI_TEXEL_U16);
    assert_true(exr16->container == BWI_CONTAINER_EXR && exr16->type == BWI_TEXEL_F16);
    assert_true(u10->container == BWI_CONTAINER_KTX2 && u10->type == BWI_TEXEL_U10);
    assert_true(raw->container == BWI_CONTAINER_RAW && raw->type == BWI_TEXEL_U16);
    assert_string_equal(png16->extension, "png");
    assert_string_equal(u10->extension, "ktx2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_codes),
        cmocka_unit_test(every_choice_has_its_row),
        cmocka_unit_test(other_values_have_none),
        cmocka_unit_test(containers_and_types),
    };
    return cmocka_run_group_tests_name("model_texels", tests, NULL, NULL);
}
