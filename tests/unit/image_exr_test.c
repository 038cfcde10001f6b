/* SPDX-License-Identifier: MIT
 * OpenEXR: what other writers may write, and what is refused before a pixel is decoded. */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <openexr.h>
#include <stdlib.h>
#include <string.h>

#include "image_fixture.h"

enum { WIDTH = 21, HEIGHT = 45 };

static bwi_mem mem;
static const bwi_env env = {&mem, 2, NULL};

static int fresh_mem(void **state) {
    (void)state;
    bwi_mem_init(&mem, 0);
    return 0;
}

static int mem_is_empty(void **state) {
    (void)state;
    return mem.used == 0 ? 0 : -1;
}

/* A file by the library's own writer. */
typedef struct foreign {
    exr_compression_t compression;
    int channel_count;
    const char *names[5]; /* in the order that the file has them: sorted */
    exr_pixel_type_t types[5];
    int32_t left, top;     /* of the data window */
    int32_t display_right; /* added to the display window's */
} foreign;

static const foreign plain = {
    .compression = EXR_COMPRESSION_ZIP,
    .channel_count = 4,
    .names = {"A", "B", "G", "R"},
    .types = {EXR_PIXEL_HALF, EXR_PIXEL_HALF, EXR_PIXEL_HALF, EXR_PIXEL_HALF},
};

static size_t component_of(const char *name) {
    const char *at = strchr("RGBA", *name);
    return at ? (size_t)(at - "RGBA") : 0;
}

static void write_chunk(exr_context_t context, const foreign *f, int32_t y, const bwi_texels *texels) {
    const size_t texel_size = bwi_texel_size(texels->type);
    exr_chunk_info_t info;
    exr_encode_pipeline_t pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
    assert_int_equal(exr_write_scanline_chunk_info(context, 0, y, &info), EXR_ERR_SUCCESS);
    assert_int_equal(exr_encoding_initialize(context, 0, &info, &pipeline), EXR_ERR_SUCCESS);
    for (int c = 0; c < f->channel_count; ++c) {
        exr_coding_channel_info_t *channel = &pipeline.channels[c];
        channel->encode_from_ptr = (const uint8_t *)texels->data + (size_t)(y - f->top) * texels->width * texel_size +
                                   component_of(f->names[c]) * (texel_size / 4);
        channel->user_pixel_stride = (int32_t)texel_size;
        channel->user_line_stride = (int32_t)(texels->width * texel_size);
        channel->user_bytes_per_element = channel->bytes_per_element;
        channel->user_data_type = channel->data_type;
    }
    assert_int_equal(exr_encoding_choose_default_routines(context, 0, &pipeline), EXR_ERR_SUCCESS);
    assert_int_equal(exr_encoding_run(context, 0, &pipeline), EXR_ERR_SUCCESS);
    assert_int_equal(exr_encoding_destroy(context, &pipeline), EXR_ERR_SUCCESS);
}

static void write_foreign(const char *path, const foreign *f, const bwi_texels *texels) {
    exr_context_t context;
    exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
    int part, lines;
    const int32_t right = f->left + (int32_t)texels->width - 1, bottom = f->top + (int32_t)texels->height - 1;
    const exr_attr_box2i_t data = {.min.x = f->left, .min.y = f->top, .max.x = right, .max.y = bottom};
    exr_attr_box2i_t display = data;
    display.max.x += f->display_right;
    const exr_attr_v2f_t centre = {.x = 0, .y = 0};
    assert_int_equal(exr_start_write(&context, path, EXR_WRITE_FILE_DIRECTLY, &setup), EXR_ERR_SUCCESS);
    assert_int_equal(exr_add_part(context, NULL, EXR_STORAGE_SCANLINE, &part), EXR_ERR_SUCCESS);
    assert_int_equal(exr_initialize_required_attr(context, 0, &display, &data, 1, &centre, 1,
                                                  EXR_LINEORDER_INCREASING_Y, f->compression),
                     EXR_ERR_SUCCESS);
    for (int c = 0; c < f->channel_count; ++c) {
        assert_int_equal(exr_add_channel(context, 0, f->names[c], f->types[c], EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1),
                         EXR_ERR_SUCCESS);
    }
    assert_int_equal(exr_attr_set_string(context, 0, "comments", "by another program"), EXR_ERR_SUCCESS);
    assert_int_equal(exr_write_header(context), EXR_ERR_SUCCESS);
    assert_int_equal(exr_get_scanlines_per_chunk(context, 0, &lines), EXR_ERR_SUCCESS);
    for (int32_t y = f->top; y <= bottom; y += lines)
        write_chunk(context, f, y, texels);
    assert_int_equal(exr_finish(&context), EXR_ERR_SUCCESS);
}

static void every_lossless_compression_is_read(void **state) {
    (void)state;
    static const exr_compression_t compressions[] = {EXR_COMPRESSION_NONE, EXR_COMPRESSION_RLE, EXR_COMPRESSION_ZIPS,
                                                     EXR_COMPRESSION_ZIP, EXR_COMPRESSION_PIZ};
    for (int is_float = 0; is_float < 2; ++is_float)
        for (size_t c = 0; c < sizeof compressions / sizeof *compressions; ++c) {
            foreign f = plain;
            f.compression = compressions[c];
            f.left = -5;
            f.top = 7;
            for (int i = 0; i < 4; ++i)
                f.types[i] = is_float ? EXR_PIXEL_FLOAT : EXR_PIXEL_HALF;
            bwi_texels made = image_make(WIDTH, HEIGHT, is_float ? BWI_TEXEL_F32 : BWI_TEXEL_F16, 6);
            write_foreign(image_path("lossless.exr"), &f, &made);
            bwi_texels read = {0};
            bw_error error = {0};
            if (bwi_image_read(&read, image_path("lossless.exr"), BWI_CONTAINER_EXR, &made, &env, &error) != BW_OK)
                fail_msg("compression %d: %s", (int)compressions[c], error.message);
            assert_memory_equal(read.data, made.data, image_size(&made));
            bwi_texels_free(&read, &mem);
            free(made.data);
        }
}

/* Blender, and so OpenVAT, writes no alpha; a sampler then returns 1. */
static void alpha_that_is_missing_is_one(void **state) {
    (void)state;
    for (int is_float = 0; is_float < 2; ++is_float) {
        const exr_pixel_type_t type = is_float ? EXR_PIXEL_FLOAT : EXR_PIXEL_HALF;
        const foreign f = {.compression = EXR_COMPRESSION_ZIP,
                           .channel_count = 3,
                           .names = {"B", "G", "R"},
                           .types = {type, type, type}};
        bwi_texels made = image_make(WIDTH, HEIGHT, is_float ? BWI_TEXEL_F32 : BWI_TEXEL_F16, 6);
        write_foreign(image_path("rgb.exr"), &f, &made);
        for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; ++i) {
            if (is_float)
                ((float *)made.data)[4 * i + 3] = 1.0f;
            else
                ((uint16_t *)made.data)[4 * i + 3] = 0x3C00;
        }
        bwi_texels read = {0};
        bw_error error = {0};
        if (bwi_image_read(&read, image_path("rgb.exr"), BWI_CONTAINER_EXR, &made, &env, &error) != BW_OK)
            fail_msg("%s", error.message);
        assert_memory_equal(read.data, made.data, image_size(&made));
        bwi_texels_free(&read, &mem);
        free(made.data);
    }
}

static void check_refused(const char *path, bw_result wanted, const char *said) {
    bwi_texels read = {0};
    bw_error error = {0};
    bw_result result = bwi_image_read(&read, path, BWI_CONTAINER_EXR, NULL, &env, &error);
    if (result != wanted || !strstr(error.message, said))
        fail_msg("wanted \"%s\": %s, \"%s\"", said, bw_result_name(result), error.message);
    assert_null(read.data);
}

static void other_contents_are_refused_by_name(void **state) {
    (void)state;
    bwi_texels made = image_make(WIDTH, HEIGHT, BWI_TEXEL_F32, 6); /* room for the widest type */
    foreign cases[8];
    static const char *const said[8] = {"exactly R, G and B", "exactly R, G and B", "exactly R, G and B", "one type",
                                        "integers",           "data window",        "with loss",          "with loss"};
    for (int i = 0; i < 8; ++i)
        cases[i] = plain;
    cases[0].channel_count = 3; /* A, B, G */
    cases[1].channel_count = 5, cases[1].names[4] = "Z", cases[1].types[4] = EXR_PIXEL_FLOAT;
    cases[2].names[3] = "X";
    cases[3].types[3] = EXR_PIXEL_FLOAT;
    for (int i = 0; i < 4; ++i)
        cases[4].types[i] = EXR_PIXEL_UINT;
    cases[5].display_right = 3;
    cases[6].compression = EXR_COMPRESSION_PXR24;
    cases[7].compression = EXR_COMPRESSION_B44;
    for (int i = 0; i < 8; ++i) {
        write_foreign(image_path("refused.exr"), &cases[i], &made);
        check_refused(image_path("refused.exr"), BW_ERR_UNSUPPORTED, said[i]);
    }
    free(made.data);
}

static uint8_t *make_plain(uint32_t height, size_t *size) {
    bwi_texels made = image_make(WIDTH, height, BWI_TEXEL_F16, 8);
    write_foreign(image_path("plain.exr"), &plain, &made);
    free(made.data);
    return image_read_bytes(image_path("plain.exr"), size);
}

static void other_storage_is_refused_by_its_flag(void **state) {
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
        const char *said;
    } rows[] = {
        {4, 3, "version"},          {5, 0x02, "tiled"},         {5, 0x08, "deep"},
        {5, 0x10, "several parts"}, {5, 0x20, "later version"}, {6, 1, "later version"},
    };
    size_t size;
    uint8_t *file = make_plain(3, &size);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const uint8_t kept = file[rows[i].at];
        file[rows[i].at] = rows[i].value;
        image_write_bytes(image_path("flag.exr"), file, size);
        check_refused(image_path("flag.exr"), BW_ERR_UNSUPPORTED, rows[i].said);
        file[rows[i].at] = kept;
    }
    free(file);
}

static void put32(uint8_t *to, uint32_t value) {
    for (int i = 0; i < 4; ++i)
        to[i] = (uint8_t)(value >> (8 * i));
}

/* Where the value of an attribute is; each of the names is once in the header. */
static uint8_t *attribute(uint8_t *file, size_t size, const char *name, const char *type) {
    char wanted[64];
    size_t name_size = strlen(name) + 1, type_size = strlen(type) + 1;
    memcpy(wanted, name, name_size);
    memcpy(wanted + name_size, type, type_size);
    for (size_t i = 0; i + name_size + type_size + 4 < size; ++i)
        if (memcmp(file + i, wanted, name_size + type_size) == 0)
            return file + i + name_size + type_size + 4;
    fail_msg("no %s", name);
    return NULL;
}

/* Bent from a plain file: OpenEXRCore 3.1.5 writes past its buffer when it packs subsampled rows. */
static void subsampled_channels_are_refused(void **state) {
    (void)state;
    size_t size;
    uint8_t *file = make_plain(48, &size);
    /* An entry is a name of one letter, its zero, type, linearity, x and y sampling. */
    uint8_t *red = attribute(file, size, "channels", "chlist") + 3 * 18;
    assert_string_equal((const char *)red, "R");
    put32(red + 14, 3);
    image_write_bytes(image_path("subsampled.exr"), file, size);
    check_refused(image_path("subsampled.exr"), BW_ERR_UNSUPPORTED, "subsampled");
    free(file);
}

static void claims_are_judged_by_the_file_size(void **state) {
    (void)state;
    static const struct {
        uint32_t right, bottom;
        bw_result result;
    } rows[] = {
        {29999, 29999, BW_ERR_TRUNCATED},
        {65535, 65535, BW_ERR_TRUNCATED},
        {65536, 0, BW_ERR_TOO_LARGE},
        {0x3FFFFFFE, 0x3FFFFFFE, BW_ERR_TOO_LARGE},
        {0x7FFFFFFF, 0x7FFFFFFF, BW_ERR_MALFORMED},
        {0xFFFFFFFE, 5, BW_ERR_MALFORMED},
    };
    size_t size;
    uint8_t *file = make_plain(3, &size);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        static const char *const windows[] = {"dataWindow", "displayWindow"};
        for (int w = 0; w < 2; ++w) {
            uint8_t *box = attribute(file, size, windows[w], "box2i");
            put32(box + 8, rows[i].right);
            put32(box + 12, rows[i].bottom);
        }
        image_write_bytes(image_path("claim.exr"), file, size);
        check_refused(image_path("claim.exr"), rows[i].result, "");
        assert_int_equal(mem.peak, 0);
    }
    free(file);
}

/* One chunk at the end of the file, and before it the table with its place. */
static void chunks_that_cannot_be_are_refused(void **state) {
    (void)state;
    size_t size, chunk = 0;
    uint8_t *file = make_plain(3, &size);
    for (size_t at = 8; at + 16 < size; ++at)
        if ((file[at] | (size_t)file[at + 1] << 8) == at + 8 && file[at + 2] == 0 && file[at + 7] == 0)
            chunk = at + 8;
    assert_true(chunk > 0);
    const uint32_t unpacked = 3 * WIDTH * 8;
    static const struct {
        size_t at; /* after the chunk's place; SIZE_MAX: the place itself */
        uint32_t value;
    } rows[] = {
        {0, 16},           {4, 0},  {4, 0xFFFFFFFF}, {4, 0x7FFFFFFF},        {4, unpacked},
        {4, unpacked + 1}, {4, 10}, {SIZE_MAX, 0},   {SIZE_MAX, 0xFFFFFFFF},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        uint8_t kept[16];
        memcpy(kept, file + chunk - 8, 16);
        put32(rows[i].at == SIZE_MAX ? file + chunk - 8 : file + chunk + rows[i].at, rows[i].value);
        image_write_bytes(image_path("chunk.exr"), file, size);
        bwi_texels read = {0};
        bw_result result = bwi_image_read(&read, image_path("chunk.exr"), BWI_CONTAINER_EXR, NULL, &env, NULL);
        if (result != BW_ERR_MALFORMED && result != BW_ERR_TRUNCATED)
            fail_msg("case %zu: %s", i, bw_result_name(result));
        memcpy(file + chunk - 8, kept, 16);
    }
    free(file);
}

/* Two writes are the same bytes: no date, no host, no version of the program. */
static void headers_hold_nothing_that_changes(void **state) {
    (void)state;
    const image_kind kind = {"exr16", BWI_CONTAINER_EXR, BWI_TEXEL_F16};
    bwi_texels made = image_make(4, 3, kind.type, 1);
    assert_int_equal(image_save(image_path("header.exr"), &kind, &made, &env, NULL), BW_OK);
    size_t size;
    uint8_t *file = image_read_bytes(image_path("header.exr"), &size);
    static const char *const names[] = {"channels",           "compression",       "dataWindow",
                                        "displayWindow",      "lineOrder",         "pixelAspectRatio",
                                        "screenWindowCenter", "screenWindowWidth", "type"};
    bool seen[9] = {false};
    size_t at = 8;
    while (file[at]) {
        int found = -1;
        for (int i = 0; i < 9; ++i)
            if (strcmp((const char *)file + at, names[i]) == 0)
                found = i;
        if (found < 0)
            fail_msg("attribute %s", (const char *)file + at);
        seen[found] = true;
        at += strlen((const char *)file + at) + 1;
        at += strlen((const char *)file + at) + 1;
        at += 4 + (file[at] | (size_t)file[at + 1] << 8);
    }
    for (int i = 0; i < 8; ++i)
        assert_true(seen[i]); /* "type" may be left out of a file of one part */
    free(file);
    free(made.data);
}

/* Of these some deflate to exactly as many bytes as they had, which readers take for bytes that were never packed. */
static void chunks_that_do_not_shrink_are_read_as_they_were(void **state) {
    (void)state;
    const image_kind kind = {"exr32", BWI_CONTAINER_EXR, BWI_TEXEL_F32};
    uint32_t noise = 1;
    for (uint32_t k = 0; k < 2000; ++k) {
        float values[12];
        for (size_t i = 0; i < 12; ++i) {
            noise = noise * 1664525u + 1013904223u;
            values[i] = (float)(noise >> 29) * 0.5f - 1.0f;
        }
        const bwi_texels texels = {1 + k % 3, 1, BWI_TEXEL_F32, values};
        bwi_texels found = {0};
        const char *path = image_path("small.exr");
        assert_int_equal(image_save(path, &kind, &texels, &env, NULL), BW_OK);
        assert_int_equal(bwi_image_read(&found, path, BWI_CONTAINER_EXR, NULL, &env, NULL), BW_OK);
        assert_memory_equal(found.data, values, image_size(&texels));
        bwi_texels_free(&found, &mem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_lossless_compression_is_read, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(alpha_that_is_missing_is_one, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(other_contents_are_refused_by_name, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(other_storage_is_refused_by_its_flag, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(subsampled_channels_are_refused, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(claims_are_judged_by_the_file_size, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(chunks_that_do_not_shrink_are_read_as_they_were, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(chunks_that_cannot_be_are_refused, fresh_mem, mem_is_empty),
        cmocka_unit_test_setup_teardown(headers_hold_nothing_that_changes, fresh_mem, mem_is_empty),
    };
    return cmocka_run_group_tests_name("image_exr", tests, image_make_folder, image_remove_folder);
}
