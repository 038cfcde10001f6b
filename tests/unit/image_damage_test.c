/* SPDX-License-Identifier: MIT
 * Files that are cut, bent, missing or false, memory that fails, disks that are full: always an error that says so,
 * never a crash. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "image/image_priv.h"
#include "image_fixture.h"

enum { WIDTH = 23, HEIGHT = 19 };

static bw_result read_source(bwi_texels *read, const image_kind *kind, const bwi_image_source *source,
                             const bwi_texels *expected, const bwi_env *env, bw_error *error) {
    switch (kind->container) {
    case BWI_CONTAINER_PNG:
        return bwi_png_read(read, source, expected, env, error);
    case BWI_CONTAINER_EXR:
        return bwi_exr_read(read, source, expected, env, error);
    case BWI_CONTAINER_KTX2:
        return bwi_ktx2_read(read, source, expected, env, error);
    case BWI_CONTAINER_TGA:
        return bwi_tga_read(read, source, expected, env, error);
    case BWI_CONTAINER_RAW:
        break;
    }
    return bwi_raw_read(read, source, expected, env, error);
}

/* From a block of exactly the file's size, so that a sanitizer sees the first byte read past it.  Every failed read: a
 * message that names the file, nothing read, no memory kept. */
static bw_result read_damaged(const image_kind *kind, const void *data, size_t size, const bwi_texels *expected) {
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    const bwi_env env = {&mem, 1, NULL};
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, data, size);
    const bwi_image_source source = {copy, size, "damaged"};
    bw_error error = {0};
    bwi_texels read = {0};
    bw_result result = read_source(&read, kind, &source, expected, &env, &error);
    free(copy);
    if (result == BW_OK) {
        assert_non_null(read.data);
        bwi_texels_free(&read, &mem);
    } else {
        assert_null(read.data);
        assert_int_equal(error.result, result);
        assert_non_null(strstr(error.message, "damaged"));
    }
    assert_int_equal(mem.used, 0);
    return result;
}

static uint8_t *make_file(const image_kind *kind, bwi_texels *made, size_t *size) {
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    const bwi_env env = {&mem, 1, NULL};
    *made = image_make(WIDTH, HEIGHT, kind->type, 9);
    assert_int_equal(image_save(image_path("whole"), kind, made, &env, NULL), BW_OK);
    return image_read_bytes(image_path("whole"), size);
}

static void files_cut_anywhere_are_refused(void **state) {
    (void)state;
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k) {
        const image_kind *kind = &image_kinds[k];
        bwi_texels made;
        size_t size;
        uint8_t *whole = make_file(kind, &made, &size);
        /* All lengths near the ends, where headers and last chunks are; every 97th between. */
        for (size_t cut = 1; cut < size; cut += cut < 64 || cut + 98 > size ? 1 : 97) {
            bw_result result = read_damaged(kind, whole, cut, &made);
            if (result != BW_ERR_TRUNCATED && result != BW_ERR_MALFORMED)
                fail_msg("%s cut to %zu of %zu bytes: %s", kind->name, cut, size, bw_result_name(result));
        }
        assert_int_equal(read_damaged(kind, whole, size, &made), BW_OK);
        free(whole);
        free(made.data);
    }
}

/* With sums over their data, PNG and ZIP-packed EXR see nearly every change; the others only changes of structure. 
 * Here it counts that no byte, changed to any of a few values, makes a reader crash or keep memory. */
static void bent_bytes_do_no_harm(void **state) {
    (void)state;
    static const uint8_t changes[] = {0x01, 0x80, 0xFF};
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k) {
        const image_kind *kind = &image_kinds[k];
        bwi_texels made;
        size_t size, refused = 0;
        uint8_t *whole = make_file(kind, &made, &size);
        for (size_t at = 0; at < size; at += at < 400 ? 1 : 31)
            for (size_t c = 0; c < sizeof changes; ++c) {
                whole[at] ^= changes[c];
                refused += read_damaged(kind, whole, size,
                                        at % 2                                 ? &made
                                        : kind->container == BWI_CONTAINER_RAW ? &made
                                                                               : NULL) != BW_OK;
                whole[at] ^= changes[c];
            }
        if (kind->container != BWI_CONTAINER_RAW)
            assert_true(refused > 60);
        free(whole);
        free(made.data);
    }
}

static void a_changed_texel_of_a_png_is_seen(void **state) {
    (void)state;
    bwi_texels made;
    size_t size;
    uint8_t *whole = make_file(&image_kinds[1], &made, &size);
    whole[size / 2] ^= 4;
    assert_int_equal(read_damaged(&image_kinds[1], whole, size, &made), BW_ERR_MALFORMED);
    free(whole);
    free(made.data);
}

static void other_files_are_refused(void **state) {
    (void)state;
    static const char text[] =
        "{\"schema\": \"bakewell/bake/1\", \"padding\": \"                                    \"}";
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k)
        if (image_kinds[k].container != BWI_CONTAINER_RAW)
            assert_int_equal(read_damaged(&image_kinds[k], text, sizeof text, NULL), BW_ERR_MALFORMED);
}

static void files_that_are_none_are_named(void **state) {
    (void)state;
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    const bwi_env env = {&mem, 1, NULL};
    bwi_texels read = {0};
    bw_error error = {0};
    assert_int_equal(bwi_image_read(&read, image_path("none.png"), BWI_CONTAINER_PNG, NULL, &env, &error),
                     BW_ERR_FILE_MISSING);
    assert_non_null(strstr(error.message, "none.png"));
    assert_int_equal(bwi_image_read(&read, "/", BWI_CONTAINER_EXR, NULL, &env, &error), BW_ERR_FILE_IS_FOLDER);
    image_write_bytes(image_path("empty"), "", 0);
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k) {
        const bwi_texels expected = {1, 1, image_kinds[k].type, NULL};
        assert_int_equal(bwi_image_read(&read, image_path("empty"), image_kinds[k].container, &expected, &env, &error),
                         BW_ERR_EMPTY);
    }
}

static void failing_memory_is_an_error(void **state) {
    (void)state;
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k) {
        const image_kind *kind = &image_kinds[k];
        bwi_texels made = image_make(WIDTH, HEIGHT, kind->type, 2);
        bool written = false, was_read = false;
        for (int64_t allowed = 0; !written || !was_read; ++allowed) {
            assert_true(allowed < 100);
            bwi_mem mem;
            bwi_mem_init(&mem, 0);
            const bwi_env env = {&mem, 2, NULL};
            if (!written) {
                mem.fail_after = allowed;
                bw_result result = image_save(image_path("memory"), kind, &made, &env, NULL);
                written = result == BW_OK;
                if (!written)
                    assert_int_equal(result, BW_ERR_MEMORY);
                assert_int_equal(mem.used, 0);
                if (written)
                    allowed = 0;
            } else {
                mem.fail_after = allowed - 1;
                bwi_texels read = {0};
                bw_result result = bwi_image_read(&read, image_path("memory"), kind->container, &made, &env, NULL);
                was_read = result == BW_OK;
                if (was_read)
                    assert_memory_equal(read.data, made.data, image_size(&made));
                else
                    assert_int_equal(result, BW_ERR_MEMORY);
                bwi_texels_free(&read, &mem);
                assert_int_equal(mem.used, 0);
            }
        }
        free(made.data);
    }
}

static void the_memory_limit_holds(void **state) {
    (void)state;
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k) {
        bwi_texels made;
        size_t size;
        free(make_file(&image_kinds[k], &made, &size));
        bwi_mem mem;
        bwi_mem_init(&mem, image_size(&made) - 1);
        const bwi_env env = {&mem, 1, NULL};
        bwi_texels read = {0};
        assert_int_equal(bwi_image_read(&read, image_path("whole"), image_kinds[k].container, &made, &env, NULL),
                         BW_ERR_MEMORY);
        assert_true(mem.peak < image_size(&made));
        free(made.data);
    }
}

static void a_full_disk_is_an_error(void **state) {
    (void)state;
    FILE *full = fopen("/dev/full", "wb");
    if (!full) {
        print_message("skip: this system has no /dev/full\n");
        skip();
    }
    fclose(full);
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    const bwi_env env = {&mem, 2, NULL};
    static const uint32_t sides[][2] = {{1, 1}, {400, 300}}; /* fails in the last flush, and in the middle */
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k)
        for (int s = 0; s < 2; ++s) {
            bwi_texels made = image_make(sides[s][0], sides[s][1], image_kinds[k].type, 3);
            full = fopen("/dev/full", "wb");
            assert_non_null(full);
            bw_error error = {0};
            bw_result result = bwi_image_write(full, "out.image", image_kinds[k].container, &made, &env, &error);
            if (result != BW_ERR_FILE_WRITE)
                fail_msg("%s: %s", image_kinds[k].name, bw_result_name(result));
            assert_non_null(strstr(error.message, "out.image"));
            assert_non_null(strstr(error.message, "No space left"));
            fclose(full);
            free(made.data);
        }
    assert_int_equal(mem.used, 0);
}

/* A few bytes that claim gigabytes: refused by the file's size, without a try at the memory. */
static void claims_are_judged_by_the_file_size(void **state) {
    (void)state;
    for (int k = 0; k < IMAGE_KIND_COUNT; ++k) {
        const image_kind *kind = &image_kinds[k];
        if (kind->container == BWI_CONTAINER_RAW || kind->container == BWI_CONTAINER_EXR)
            continue; /* no claim; image_exr_test.c */
        bwi_texels made;
        size_t size;
        uint8_t *whole = make_file(kind, &made, &size);
        const size_t side = kind->container == BWI_CONTAINER_PNG ? 18 : 20; /* both sides become 16384 more */
        const size_t high = kind->container == BWI_CONTAINER_PNG ? 0 : 1;
        whole[side + high] |= 0x40;
        whole[side + 4 + high] |= 0x40;
        bwi_mem mem;
        bwi_mem_init(&mem, 0);
        const bwi_env env = {&mem, 1, NULL};
        image_write_bytes(image_path("claim"), whole, size);
        bwi_texels read = {0};
        bw_result result = bwi_image_read(&read, image_path("claim"), kind->container, NULL, &env, NULL);
        assert_true(result == BW_ERR_TRUNCATED || result == BW_ERR_MALFORMED);
        assert_true(mem.peak < 1 << 20);
        free(whole);
        free(made.data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_cut_anywhere_are_refused),
        cmocka_unit_test(bent_bytes_do_no_harm),
        cmocka_unit_test(a_changed_texel_of_a_png_is_seen),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(files_that_are_none_are_named),
        cmocka_unit_test(failing_memory_is_an_error),
        cmocka_unit_test(the_memory_limit_holds),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(claims_are_judged_by_the_file_size),
    };
    return cmocka_run_group_tests_name("image_damage", tests, image_make_folder, image_remove_folder);
}
