/* SPDX-License-Identifier: MIT
 * Opening a bake: every finding planted, and found; a whole bake has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bake_fixture.h"
#include "image_fixture.h"

/* Three elements, two frames, 16 bits. */
static const uint16_t TEXELS[2][3][4] = {{{0, 0, 0, 1}, {1, 2, 3, 4}, {5, 6, 7, 8}},
                                         {{9, 9, 9, 9}, {8, 8, 8, 8}, {7, 7, 7, 65535}}};

static void make(bake_fixture *f) {
    bake_begin(f, 3, 2, 2);
    bake_texture(f, BWI_ROLE_POSITION, 0, 3, 2, BW_VAT_FORMAT_RAW, BWI_DECODE_BOUNDS, TEXELS);
    bake_texture(f, BWI_ROLE_NORMAL, 0, 3, 2, BW_VAT_FORMAT_PNG16, BWI_DECODE_OCT, TEXELS);
    bake_write_files(f);
    bake_write_manifest(f);
}

static void a_whole_bake_has_no_finding(void **state) {
    (void)state;
    bake_fixture f;
    make(&f);
    assert_int_equal(bake_open(&f), BW_OK);
    assert_int_equal(f.findings.count, 0);
    assert_true(bwi_decoder_has_normals(f.decoder) && !bwi_decoder_has_tangents(f.decoder));
    assert_int_equal(bwi_decoder_page_count(f.decoder), 1);
    assert_int_equal(bwi_decoder_page_range(f.decoder, 0).frame_count, 2);
    bake_end(&f);
}

static void files_that_are_not_the_bakes(void **state) {
    (void)state;
    bake_fixture f;
    make(&f);
    f.textures[0].bytes++;
    bake_write_manifest(&f);
    bake_expect_found(&f, BW_OK, "file-size", 1, "texture.0: 48 bytes, expected 49");
    f.textures[0].bytes--;
    f.textures[1].hash[3] ^= 1;
    f.manifest.mesh.hash[15] ^= 128;
    bake_write_manifest(&f);
    bake_expect_found(&f, BW_OK, "file-hash", 2, "mesh.glb");
    f.textures[1].hash[3] ^= 1;
    f.manifest.mesh.hash[15] ^= 128;
    bake_write_manifest(&f);
    assert_int_equal(remove(image_path("texture.1")), 0);
    bake_expect_found(&f, BW_OK, "file-unreadable", 1, "texture.1");
    assert_int_equal(bwi_decoder_load_page(f.decoder, 0, &f.env, &f.error), BW_ERR_FILE_MISSING);
    bake_end(&f);

    make(&f);
    f.textures[0].file = f.textures[1].file; /* of another type */
    f.textures[0].bytes = f.textures[1].bytes;
    memcpy(f.textures[0].hash, f.textures[1].hash, 16);
    bake_write_manifest(&f);
    assert_int_equal(bake_open(&f), BW_OK);
    assert_int_not_equal(bwi_decoder_load_page(f.decoder, 0, &f.env, &f.error), BW_OK);
    bake_end(&f);
}

static void textures_that_do_not_fit(void **state) {
    (void)state;
    static const uint16_t tall[3][3][4] = {{{0}}};
    static const float floats[2][3][4] = {{{0}}};
    bake_fixture f;
    make(&f);
    f.textures[1].height = 3;
    f.texels[1] = tall;
    bake_write_files(&f);
    bake_write_manifest(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "texture-differs", 1, "texture.1");
    bake_end(&f);

    /* Formats that cannot hold what the manifest says they mean. */
    static const struct {
        bwi_texture_decode position, normal;
        bw_vat_format format;
        const void *texels;
        uint64_t count;
    } ROWS[] = {
        {BWI_DECODE_ABSOLUTE, BWI_DECODE_OCT, BW_VAT_FORMAT_PNG16, TEXELS, 1},
        {BWI_DECODE_BOUNDS, BWI_DECODE_OCT, BW_VAT_FORMAT_EXR32, floats, 1},
        {BWI_DECODE_BOUNDS_OCT8, BWI_DECODE_OCT, BW_VAT_FORMAT_PNG8, TEXELS, 1},
        {BWI_DECODE_BOUNDS, BWI_DECODE_OCT_OCT, BW_VAT_FORMAT_KTX2_U10, TEXELS, 1},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        bake_begin(&f, 3, 2, 2);
        bake_texture(&f, BWI_ROLE_POSITION, 0, 3, 2, ROWS[k].format, ROWS[k].position, ROWS[k].texels);
        bake_texture(&f, BWI_ROLE_NORMAL, 0, 3, 2, ROWS[k].format, ROWS[k].normal, ROWS[k].texels);
        bake_write_files(&f);
        bake_write_manifest(&f);
        bake_expect_found(&f, BW_ERR_DIFFERS, "texture-differs", ROWS[k].count, "texture.");
        bake_end(&f);
    }

    /* A second page that means something else. */
    bake_begin(&f, 3, 2, 3);
    f.manifest.frames_per_page = 2;
    bake_texture(&f, BWI_ROLE_POSITION, 0, 3, 2, BW_VAT_FORMAT_RAW, BWI_DECODE_BOUNDS, TEXELS);
    bake_texture(&f, BWI_ROLE_POSITION, 1, 3, 2, BW_VAT_FORMAT_RAW, BWI_DECODE_BOUNDS_OCT8, TEXELS);
    bake_write_files(&f);
    bake_write_manifest(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "texture-differs", 1, "texture.1");
    f.textures[1].decode = BWI_DECODE_BOUNDS;
    bake_write_manifest(&f);
    assert_int_equal(bake_open(&f), BW_OK);
    assert_int_equal(f.findings.count, 0);
    assert_int_equal(bwi_decoder_page_count(f.decoder), 2);
    assert_int_equal(bwi_decoder_page_range(f.decoder, 1).first_frame, 1); /* the frame between is on both */
    bake_end(&f);

    bake_begin(&f, 3, 4, 2);
    f.manifest.rows_per_frame = 2;
    static const uint16_t doubled[4][3][4] = {{{0}}};
    bake_texture(&f, BWI_ROLE_POSITION, 0, 3, 4, BW_VAT_FORMAT_RAW, BWI_DECODE_BOUNDS, doubled);
    bake_write_files(&f);
    bake_write_manifest(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "rows", 1, "2 rows, expected 1 for 3 elements in 3 columns");
    bake_end(&f);
}

static void meshes_that_do_not_fit(void **state) {
    (void)state;
    bake_fixture f;
    make(&f);
    f.uvs[2] += 0.01f / 3; /* a hundredth of a texel: as half floats would round it at 16 columns and more */
    bake_write_mesh(&f);
    bake_write_manifest(&f);
    bake_expect_found(&f, BW_OK, "uv-centre", 1, "element 1");
    f.uvs[2] -= 0.01f / 3;
    f.uvs[2] += 0.0005f / 3; /* what a float rounds at 16,384 columns is no finding */
    f.uvs[3] += 0.01f / 2;
    bake_write_mesh(&f);
    bake_write_manifest(&f);
    bake_expect_found(&f, BW_OK, "uv-centre", 1, "element 1");
    f.uvs[3] -= 0.01f / 2;
    f.uvs[0] = -0.5f;
    f.uvs[5] = 0.75f; /* the second row: another frame's */
    bake_write_mesh(&f);
    bake_write_manifest(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "uv-outside", 2, "element 0, TEXCOORD_1");
    bake_end(&f);

    make(&f);
    f.manifest.uv_set = 3; /* the mesh has none such */
    bake_write_manifest(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "uv-outside", 3, "TEXCOORD_3");
    bake_end(&f);

    make(&f);
    f.positions[4] = 0.5f; /* the order hash is of the mesh before */
    bake_write_mesh(&f);
    bake_write_manifest(&f);
    bake_expect_found(&f, BW_OK, "order-hash", 1, "mesh.glb");
    f.positions[4] = -0.0f; /* -0 is +0 */
    bake_write_mesh(&f);
    bake_write_manifest(&f);
    assert_int_equal(bake_open(&f), BW_OK);
    assert_int_equal(f.findings.count, 0);
    f.manifest.element_count = 4;
    f.uvs[6] = f.uvs[4];
    f.uvs[7] = f.uvs[5];
    bake_write_mesh(&f);
    f.manifest.element_count = 3;
    bake_write_manifest(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "element-count", 1, "4, expected 3");
    bake_end(&f);
}

/* A mesh that cannot be read is no crash, and memory that runs out is no missing file. */
static void what_cannot_be_read(void **state) {
    (void)state;
    bake_fixture f;
    make(&f);
    image_write_bytes(image_path("mesh.glb"), "glTF", 4);
    bake_expect_found(&f, BW_ERR_TRUNCATED, "file-size", 1, "mesh.glb: 4 bytes");
    bake_end(&f);
    make(&f);
    for (int64_t k = 0; k < 8; k++) {
        f.mem.fail_after = k;
        const bw_result result = bake_open(&f);
        f.mem.fail_after = -1;
        if (result == BW_OK)
            break;
        assert_int_equal(result, BW_ERR_MEMORY);
        assert_int_equal(bake_found(&f, "file-unreadable"), 0);
    }
    bake_end(&f);
}

/* A manifest's counts are claims: nothing is as large as they say before the mesh is. */
static void claims_are_not_allocated(void **state) {
    (void)state;
    bake_fixture f;
    bake_begin(&f, 3, 1, 1);
    bake_texture(&f, BWI_ROLE_POSITION, 0, 3, 1, BW_VAT_FORMAT_RAW, BWI_DECODE_BOUNDS, TEXELS);
    bake_write_files(&f);
    f.manifest.element_count = 200000000;
    f.manifest.rows_per_frame = 12208;
    f.textures[0].width = 16384;
    f.textures[0].height = 12208;
    bake_write_manifest(&f);
    f.mem.limit = 8 << 20;
    bake_expect_found(&f, BW_ERR_DIFFERS, "element-count", 1, "3, expected 200000000");
    assert_true(f.mem.peak < f.mem.limit);
    bake_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_bake_has_no_finding), cmocka_unit_test(files_that_are_not_the_bakes),
        cmocka_unit_test(textures_that_do_not_fit),    cmocka_unit_test(meshes_that_do_not_fit),
        cmocka_unit_test(what_cannot_be_read),         cmocka_unit_test(claims_are_not_allocated),
    };
    return cmocka_run_group_tests(tests, image_make_folder, image_remove_folder);
}
