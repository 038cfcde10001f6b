/* SPDX-License-Identifier: MIT
 * Bones made by hand, texel by texel: where vertices go by docs/FORMATS.md §11, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bake_fixture.h"
#include "base/hash.h"
#include "expect.h"
#include "image_fixture.h"

/* A float's rounding of numbers below 8. */
#define TOLERANCE 1e-6
/* And of hundreds, where the unit is a centimetre. */
#define TOLERANCE_CM 1e-4

/* Codes of a quaternion: nothing, a quarter turn about z (any length will do), half a turn about y. */
#define STILL 32768, 32768, 32768, 65535
#define QUARTER_Z 32768, 32768, 32768 + 20000, 32768 + 20000
#define QUARTER_Z_OTHER_SIDE 32768, 32768, 32768 - 20000, 32768 - 20000
#define HALF_Y 32768, 65535, 32768, 32768
#define ROOT_HALF 0.70710678118654752

static float positions[3 * BAKE_VERTICES], normals[3 * BAKE_VERTICES], scratch[1024];

static void set3(float *v, double x, double y, double z) {
    v[0] = (float)x;
    v[1] = (float)y;
    v[2] = (float)z;
}

static void write_all(bake_fixture *f) {
    bake_write_files(f);
    bake_write_manifest(f);
}

static void open_page(bake_fixture *f, uint32_t page) {
    write_all(f);
    if (bake_open(f) != BW_OK || f->findings.count ||
        bwi_decoder_load_page(f->decoder, page, &f->env, &f->error) != BW_OK)
        fail_msg("%s %s", f->findings.count ? f->findings.data[0].message : f->error.message,
                 f->findings.count ? f->findings.data[0].first : "");
    assert_true(bwi_decoder_scratch_size(f->decoder) <= sizeof scratch / sizeof *scratch);
}

static bwi_decoded cleared(const bake_fixture *f) {
    for (size_t k = 0; k < 3 * BAKE_VERTICES; k++)
        positions[k] = normals[k] = NAN;
    return (bwi_decoded){positions, f->has_normals ? normals : NULL, NULL};
}

/* Decodes a frame; each vertex alone must come out as among the others. */
static void decode(bake_fixture *f, uint32_t clip, uint32_t frame) {
    const bwi_decoded out = cleared(f);
    bwi_decoder_frame(f->decoder, &out, clip, frame, scratch);
    for (uint32_t i = 0; i < f->manifest.element_count; i++) {
        float alone[3];
        bwi_decoder_position(f->decoder, alone, clip, frame, i);
        assert_memory_equal(alone, positions + 3 * i, sizeof alone);
    }
}

static void decode_between(bake_fixture *f, uint32_t clip, uint32_t frame, float t) {
    float at_positions[3 * BAKE_VERTICES], at_normals[3 * BAKE_VERTICES];
    const bwi_decoded at = {at_positions, f->has_normals ? at_normals : NULL, NULL}, out = cleared(f);
    bwi_decoder_frame(f->decoder, &at, clip, frame, scratch);
    bwi_decoder_between(f->decoder, &out, &at, clip, frame, t, scratch);
}

/* Two pieces, pivots (0, 0, 0) and (2, 0, 0); reference block, then two frames.  Scales are parts of 2. */
static const uint16_t PIECES[3][4][4] = {
    {{0, 0, 0, 65535}, {STILL}, {65535, 0, 0, 65535}, {STILL}},
    {{0, 0, 0, 65535}, {STILL}, {65535, 0, 0, 0}, {STILL}},
    {{0, 0, 65535, 65535}, {QUARTER_Z_OTHER_SIDE}, {65535, 0, 0, 65535}, {HALF_Y}},
};

/* Vertex 0 at (1, 0, 0) of the first, 1 at (3, 1, 0) of the second. */
static void make_pieces(bake_fixture *f) {
    bake_begin(f, 2, 3, 2);
    bake_bones(f, BW_VAT_MODE_RIGID, 2, 2, BW_VAT_SKIN_IN_DEFAULT, 1);
    set3(f->positions, 1, 0, 0);
    set3(f->positions + 3, 3, 1, 0);
    set3(f->normals, 1, 0, 0);
    set3(f->normals + 3, 0, ROOT_HALF, ROOT_HALF);
    f->has_normals = true;
    const float uvs[] = {0.5f / 4, 0.5f / 3, 2.5f / 4, 0.5f / 3};
    memcpy(f->uvs, uvs, sizeof uvs);
    set3(f->manifest.bones.pivot_max, 2, 0, 0);
    set3(f->clips[0].pivot_max, 2, 0, 4);
    f->clips[0].max_scale = 2;
    bake_texture(f, BWI_ROLE_BONES, 0, 4, 3, BW_VAT_FORMAT_RAW, BWI_DECODE_BONE_QUATERNION, PIECES);
}

static void pieces_turn_about_their_pivots(void **state) {
    (void)state;
    bake_fixture f;
    make_pieces(&f);
    open_page(&f, 0);
    assert_true(bwi_decoder_has_normals(f.decoder) && !bwi_decoder_has_tangents(f.decoder));
    decode(&f, 0, 0);
    EXPECT3(positions, 2, 0, 0, TOLERANCE);
    EXPECT3(positions + 3, 2, 0, 0, 0); /* it has vanished into its pivot, exactly */
    EXPECT3(normals, 1, 0, 0, TOLERANCE);
    EXPECT3(normals + 3, 0, ROOT_HALF, ROOT_HALF, TOLERANCE); /* and has no direction but the mesh's */
    decode(&f, 0, 1);
    EXPECT3(positions, 0, 2, 4, TOLERANCE);
    EXPECT3(positions + 3, 0, 2, 0, TOLERANCE);
    EXPECT3(normals, 0, 1, 0, TOLERANCE);
    EXPECT3(normals + 3, 0, ROOT_HALF, -ROOT_HALF, TOLERANCE);
    bake_end(&f);
}

/* Bones are mixed, then vertices follow: an eighth of a turn keeps its radius, which the middle of two vertices would not. */
static void bones_are_mixed_first(void **state) {
    (void)state;
    bake_fixture f;
    make_pieces(&f);
    open_page(&f, 0);
    decode_between(&f, 0, 0, 0.5f);
    EXPECT3(positions, 2 * ROOT_HALF, 2 * ROOT_HALF, 2, TOLERANCE); /* though its quaternions are on two sides */
    EXPECT3(positions + 3, 2, 1, -1, TOLERANCE);                    /* a quarter turn about y, scale 1 */
    EXPECT3(normals, ROOT_HALF, ROOT_HALF, 0, TOLERANCE);
    decode_between(&f, 0, 0, 0);
    EXPECT3(positions, 2, 0, 0, TOLERANCE);
    decode_between(&f, 0, 0, 1);
    EXPECT3(positions, 0, 2, 4, TOLERANCE);
    bake_end(&f);
}

/* The three bones of the skins below, for every type: (0, 0, 0), (2, 0, 0), (0, 2, 0); in the frame the second is 1 higher, the third makes a
 * quarter turn. */
static const uint16_t SKIN_CODES[2][6][4] = {
    {{0, 0, 0, 65535}, {STILL}, {65535, 0, 0, 65535}, {STILL}, {0, 65535, 0, 65535}, {STILL}},
    {{0, 0, 0, 65535}, {STILL}, {65535, 0, 65535, 65535}, {STILL}, {0, 65535, 0, 65535}, {QUARTER_Z}}};
static const float SKIN_FLOATS[2][6][4] = {
    {{0, 0, 0, 1}, {0, 0, 0, 1}, {2, 0, 0, 1}, {0, 0, 0, 1}, {0, 2, 0, 1}, {0, 0, 0, 1}},
    {{0, 0, 0, 1}, {0, 0, 0, 3}, {2, 0, 1, 1}, {0, 0, 0, 1}, {0, 2, 0, 1}, {0, 0, 0.5f, 0.5f}}};
/* Halves: 1 is 3C00, 2 4000, ½ 3800. */
static const uint16_t SKIN_HALVES[2][6][4] = {{{0, 0, 0, 0x3C00},
                                               {0, 0, 0, 0x3C00},
                                               {0x4000, 0, 0, 0x3C00},
                                               {0, 0, 0, 0x3C00},
                                               {0, 0x4000, 0, 0x3C00},
                                               {0, 0, 0, 0x3C00}},
                                              {{0, 0, 0, 0x3C00},
                                               {0, 0, 0, 0x3C00},
                                               {0x4000, 0, 0x3C00, 0x3C00},
                                               {0, 0, 0, 0x3C00},
                                               {0, 0x4000, 0, 0x3C00},
                                               {0, 0, 0x3800, 0x3800}}};

/* Three vertices at (1, 2, 0): wholly of bone 2; half of 0, half of 1, a code apart; a fifth of 0, a fifth of 1, the rest of 2. */
static const uint16_t SKIN_BONES[3][4] = {{2, 0, 0, 0}, {0, 1, 0, 0}, {2, 0, 1, 0}};
static const uint16_t SKIN_WEIGHTS[3][4] = {{65535, 0, 0, 0}, {32768, 32767, 0, 0}, {39321, 13107, 13107, 0}};

static void make_skin(bake_fixture *f, bw_vat_format format, const void *texels, bw_vat_skin_in in) {
    bake_begin(f, 3, 2, 1);
    bake_bones(f, BW_VAT_MODE_BONE, 3, 2, in, 4);
    for (int i = 0; i < 3; i++)
        set3(f->positions + 3 * i, 1, 2, 0);
    set3(f->manifest.bones.pivot_max, 2, 2, 0);
    set3(f->clips[0].pivot_max, 2, 2, 1);
    bake_texture(f, BWI_ROLE_BONES, 0, 6, 2, format, BWI_DECODE_BONE_QUATERNION, texels);
    if (in == BW_VAT_SKIN_IN_MESH) {
        memcpy(f->joints, SKIN_BONES, sizeof SKIN_BONES);
        memcpy(f->weights, SKIN_WEIGHTS, sizeof SKIN_WEIGHTS);
    }
}

static void expect_skin(bake_fixture *f, double tolerance) {
    open_page(f, 0);
    decode(f, 0, 0);
    EXPECT3(positions, 0, 3, 0, tolerance);
    EXPECT3(positions + 3, 1, 2, 32767 / 65535.0, tolerance);
    EXPECT3(positions + 6, 0.4, 2.6, 0.2, tolerance);
}

static void weights_of_a_texture(void **state) {
    (void)state;
    static uint16_t codes[2][3][4];
    static float floats[4][2][4]; /* two rows a block: element 2 is the first of the second */
    memcpy(codes[0], SKIN_BONES, sizeof SKIN_BONES);
    memcpy(codes[1], SKIN_WEIGHTS, sizeof SKIN_WEIGHTS);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            floats[i / 2][i % 2][k] = SKIN_BONES[i][k];
            floats[2 + i / 2][i % 2][k] = SKIN_WEIGHTS[i][k];
        }
    static const struct {
        bw_vat_format format;
        const void *texels;
    } ROWS[] = {{BW_VAT_FORMAT_RAW, SKIN_CODES},      {BW_VAT_FORMAT_PNG16, SKIN_CODES},
                {BW_VAT_FORMAT_KTX2_U16, SKIN_CODES}, {BW_VAT_FORMAT_EXR32, SKIN_FLOATS},
                {BW_VAT_FORMAT_RAW_F32, SKIN_FLOATS}, {BW_VAT_FORMAT_EXR16, SKIN_HALVES}};
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++)
        for (int wrapped = 0; wrapped < 2; wrapped++) {
            bake_fixture f;
            make_skin(&f, ROWS[k].format, ROWS[k].texels, BW_VAT_SKIN_IN_TEXTURE);
            if (wrapped) {
                const float uvs[] = {0.25f, 0.125f, 0.75f, 0.125f, 0.25f, 0.375f};
                memcpy(f.uvs, uvs, sizeof uvs);
                bake_texture(&f, BWI_ROLE_WEIGHTS, 0, 2, 4, BW_VAT_FORMAT_EXR32, BWI_DECODE_WEIGHTS, floats);
            } else {
                bake_texture(&f, BWI_ROLE_WEIGHTS, 0, 3, 2, BW_VAT_FORMAT_PNG16, BWI_DECODE_WEIGHTS, codes);
            }
            expect_skin(&f, TOLERANCE);
            bake_end(&f);
        }
}

static void weights_of_the_mesh(void **state) {
    (void)state;
    bake_fixture f;
    make_skin(&f, BW_VAT_FORMAT_RAW, SKIN_CODES, BW_VAT_SKIN_IN_MESH);
    expect_skin(&f, TOLERANCE);
    assert_null(bwi_decoder_level_elements(f.decoder, 0));
    bake_end(&f);

    /* Eight: all of the last vertex by its eighth. */
    make_skin(&f, BW_VAT_FORMAT_RAW, SKIN_CODES, BW_VAT_SKIN_IN_MESH);
    f.manifest.bones.influence_count = f.influences = 8;
    memset(f.joints, 0, sizeof f.joints);
    memset(f.weights, 0, sizeof f.weights);
    f.weights[0] = f.weights[8 + 1] = f.weights[16 + 7] = 65535;
    f.joints[8 + 1] = 1;
    f.joints[16 + 7] = 2;
    open_page(&f, 0);
    decode(&f, 0, 0);
    EXPECT3(positions, 1, 2, 0, TOLERANCE);
    EXPECT3(positions + 3, 1, 2, 1, TOLERANCE);
    EXPECT3(positions + 6, 0, 3, 0, TOLERANCE);
    bake_end(&f);
}

/* Eight influences in a texture: two blocks of bones, then two of weights. */
static void the_second_four_have_blocks_of_their_own(void **state) {
    (void)state;
    static const uint16_t codes[4][3][4] = {{{0, 0, 0, 0}, {0}, {1}},
                                            {{0}, {2}, {0, 0, 0, 2}},
                                            {{65535}, {32768}, {32768}},
                                            {{0}, {32767}, {0, 0, 0, 32767}}};
    bake_fixture f;
    make_skin(&f, BW_VAT_FORMAT_RAW, SKIN_CODES, BW_VAT_SKIN_IN_TEXTURE);
    f.manifest.bones.influence_count = 8;
    for (int i = 0; i < 3; i++)
        f.uvs[2 * i + 1] = 0.125f;
    bake_texture(&f, BWI_ROLE_WEIGHTS, 0, 3, 4, BW_VAT_FORMAT_PNG16, BWI_DECODE_WEIGHTS, codes);
    open_page(&f, 0);
    decode(&f, 0, 0);
    const double half = 32767 / 65535.0;
    EXPECT3(positions, 1, 2, 0, TOLERANCE);
    EXPECT3(positions + 3, 1 - half, 2 + half, 0, TOLERANCE);
    EXPECT3(positions + 6, 1 - half, 2 + half, 1 - half, TOLERANCE);
    bake_end(&f);
}

/* A bone that mirrors x, shears y into x and is twice as long in z; pivot (1, 0, 0), posed at (0, 5, 0).  The next frame is its negative. */
static void matrices_shear_and_mirror(void **state) {
    (void)state;
    static const float texels[3][3][4] = {{{1, 0, 0, 1}, {0, 1, 0, 0}, {0, 0, 1, 0}},
                                          {{-1, 0.5f, 0, 0}, {0, 1, 0, 5}, {0, 0, 2, 0}},
                                          {{1, -0.5f, 0, 0}, {0, -1, 0, 7}, {0, 0, -2, 0}}};
    bake_fixture f;
    bake_begin(&f, 2, 3, 2);
    bake_bones(&f, BW_VAT_MODE_RIGID, 1, 3, BW_VAT_SKIN_IN_DEFAULT, 1);
    set3(f.positions, 2, 2, 1);
    set3(f.positions + 3, 1, 0, 0);
    set3(f.normals, 1, 0, 0);
    set3(f.normals + 3, 0, 1, 0);
    f.has_normals = true;
    for (int i = 0; i < 2; i++) {
        f.uvs[2 * i] = 0.5f / 3;
        f.uvs[2 * i + 1] = 0.5f / 3;
    }
    bake_texture(&f, BWI_ROLE_BONES, 0, 3, 3, BW_VAT_FORMAT_EXR32, BWI_DECODE_BONE_MATRIX, texels);
    open_page(&f, 0);
    decode(&f, 0, 0);
    EXPECT3(positions, 0, 7, 2, TOLERANCE); /* (1, 2, 1) becomes (-1 + 1, 2, 2) */
    EXPECT3(positions + 3, 0, 5, 0, 0);
    /* Normals by the inverse transpose: of [[-1, ½], [0, 1]] that is [[-1, 0], [½, 1]]. */
    EXPECT3(normals, -2 / sqrt(5), 1 / sqrt(5), 0, TOLERANCE);
    EXPECT3(normals + 3, 0, 1, 0, TOLERANCE);
    decode(&f, 0, 1);
    EXPECT3(normals, 2 / sqrt(5), -1 / sqrt(5), 0, TOLERANCE);
    decode_between(&f, 0, 0, 0.25f);
    EXPECT3(positions, 0, 5.5 + 1, 1, TOLERANCE); /* half of the matrix; the pivot goes on its own way */
    decode_between(&f, 0, 0, 0.5f);
    EXPECT3(positions, 0, 6, 0, TOLERANCE);
    EXPECT3(normals, 1, 0, 0, TOLERANCE); /* nothing is left of the matrix: no NaN */
    bake_end(&f);
}

/* Rows that wrap, pages with a reference block each, clips with ranges of their own. */
static void bones_wrap_into_rows_and_pages(void **state) {
    (void)state;
    /* Three bones, two a row: the third stands in the second.  Frames 0 and 1, then 1 and 2. */
    static uint16_t pages[2][6][4][4];
    for (int page = 0; page < 2; page++)
        for (int block = 0; block < 3; block++)
            for (int b = 0; b < 3; b++) {
                const uint16_t still[] = {STILL};
                uint16_t(*at)[4] = &pages[page][2 * block + b / 2][2 * (b % 2)];
                const int frame = page + block - 1;
                at[0][0] = (uint16_t)(block == 0 ? 0 : 6553.5 * 2 * (b + frame)); /* 0.2 of the range for each */
                at[0][3] = 65535;
                memcpy(at[1], still, sizeof still);
            }
    bake_fixture f;
    bake_begin(&f, 3, 6, 3);
    bake_bones(&f, BW_VAT_MODE_RIGID, 3, 2, BW_VAT_SKIN_IN_DEFAULT, 1);
    f.manifest.bones.per_row = 2;
    f.manifest.rows_per_frame = 2;
    f.manifest.frames_per_page = 2;
    f.clips[0].frame_count = 1;
    f.clips[1].name = "B";
    f.clips[1].first_frame = 1;
    f.clips[1].frame_count = 2;
    f.manifest.clips.count = 2;
    set3(f.clips[1].pivot_min, -10, 0, 0);
    set3(f.clips[1].pivot_max, 90, 0, 0);
    const float uvs[] = {0.125f, 0.5f / 6, 0.625f, 0.5f / 6, 0.125f, 1.5f / 6};
    memcpy(f.uvs, uvs, sizeof uvs);
    memset(f.positions, 0, sizeof f.positions);
    bake_texture(&f, BWI_ROLE_BONES, 0, 4, 6, BW_VAT_FORMAT_RAW, BWI_DECODE_BONE_QUATERNION, pages[0]);
    bake_texture(&f, BWI_ROLE_BONES, 1, 4, 6, BW_VAT_FORMAT_RAW, BWI_DECODE_BONE_QUATERNION, pages[1]);
    open_page(&f, 0);
    decode(&f, 0, 0);
    EXPECT3(((float[]){positions[0], positions[3], positions[6]}), 0, 0.2, 0.4, TOLERANCE);
    decode(&f, 1, 1);
    EXPECT3(((float[]){positions[0], positions[3], positions[6]}), 10, 30, 50, 1e-5);
    assert_int_equal(bwi_decoder_load_page(f.decoder, 1, &f.env, NULL), BW_OK);
    decode(&f, 1, 1);
    EXPECT3(((float[]){positions[0], positions[3], positions[6]}), 10, 30, 50, 1e-5);
    decode(&f, 1, 2);
    EXPECT3(((float[]){positions[0], positions[3], positions[6]}), 30, 50, 70, 1e-5);
    decode_between(&f, 1, 1, 0.25f);
    EXPECT3(((float[]){positions[0], positions[3], positions[6]}), 15, 35, 55, 1e-5);
    bake_end(&f);
}

/* x is in glTF's axes and metres, bones in the engine's: Unreal has (x, z, y) · 100. */
static void meshes_are_turned_to_the_space_of_the_bones(void **state) {
    (void)state;
    static const float texels[2][2][4] = {{{100, 0, 0, 1}, {0, 0, 0, 1}}, {{100, 0, 50, 1}, {0, 0, 1, 1}}};
    bake_fixture f;
    bake_begin(&f, 1, 2, 1);
    bake_bones(&f, BW_VAT_MODE_RIGID, 1, 2, BW_VAT_SKIN_IN_DEFAULT, 1);
    f.manifest.space = (bwi_space_name){"z", "left", "cm"};
    set3(f.positions, 3, 1, 0); /* (300, 0, 100) there; 200 beside the pivot */
    set3(f.normals, 0, 0, 1);   /* (0, 1, 0) */
    f.has_normals = true;
    f.uvs[0] = 0.25f;
    f.uvs[1] = 0.25f;
    bake_texture(&f, BWI_ROLE_BONES, 0, 2, 2, BW_VAT_FORMAT_EXR32, BWI_DECODE_BONE_QUATERNION, texels);
    open_page(&f, 0);
    decode(&f, 0, 0);
    EXPECT3(positions, 100, 200, 150, TOLERANCE_CM);
    EXPECT3(normals, -1, 0, 0, TOLERANCE);
    bwi_decoder_to_gltf(f.decoder, &(bwi_decoded){positions, normals, NULL}, 1);
    EXPECT3(positions, 1, 1.5, 2, TOLERANCE);
    EXPECT3(normals, -1, 0, 0, TOLERANCE);
    bake_end(&f);
}

/* A level has places of its own, and its vertices follow what its UVs say. */
static void levels_keep_their_places(void **state) {
    (void)state;
    bake_fixture f;
    make_pieces(&f);
    bake_write_files(&f);
    const bwi_manifest_file base = f.manifest.mesh;
    bwi_manifest_level level = {.mesh = {"level.glb", 0, {0}}, .vertex_count = 1};
    float uvs[2] = {f.uvs[2], f.uvs[3]}, kept[8];
    memcpy(kept, f.uvs, sizeof kept);
    set3(f.positions, 3, 4, 0);
    memcpy(f.uvs, uvs, sizeof uvs);
    f.manifest.element_count = 1;
    f.manifest.mesh.file = "level.glb";
    bake_write_mesh(&f);
    level.mesh = f.manifest.mesh;
    bwi_hasher hasher;
    bwi_hasher_init(&hasher);
    bwi_hasher_add_floats(&hasher, f.positions, 3);
    const bwi_hash128 hash = bwi_hasher_end(&hasher);
    memcpy(level.order_hash, hash.bytes, sizeof hash.bytes);
    f.manifest.element_count = 2;
    f.manifest.mesh = base;
    f.manifest.levels.data = &level;
    f.manifest.levels.count = 1;
    bake_write_manifest(&f);
    assert_int_equal(bake_open(&f), BW_OK);
    assert_int_equal(f.findings.count, 0);
    assert_int_equal(bwi_decoder_load_page(f.decoder, 0, &f.env, NULL), BW_OK);
    bwi_decoder_level_frame(f.decoder, 0, positions, 0, 1, scratch);
    EXPECT3(positions, 2 - 2, 8, 0, TOLERANCE); /* (1, 4, 0) from the pivot, half a turn about y, twice as large */
    bake_end(&f);
}

/* ---- what does not fit ---- */

static void uvs_of_pieces(void **state) {
    (void)state;
    bake_fixture f;
    make_pieces(&f);
    f.uvs[2] = 3.5f / 4; /* the quaternion of the second piece */
    write_all(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "bone-index", 1, "vertex 1: bone 2 of 2");
    f.uvs[2] = 2.52f / 4;
    write_all(&f);
    bake_expect_found(&f, BW_OK, "uv-centre", 1, "element 1");
    f.uvs[2] = 2.5f / 4;
    f.uvs[3] = 1.5f / 3; /* a row of a frame */
    write_all(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "uv-outside", 1, "element 1");
    bake_end(&f);

    /* A row with room for four bones, of which there are two. */
    static const uint16_t wide[3][8][4] = {{{0}}};
    make_pieces(&f);
    f.textures[0].width = 8;
    f.texels[0] = wide;
    f.manifest.bones.per_row = 4;
    f.uvs[0] = 0.5f / 8;
    f.uvs[2] = 4.5f / 8;
    write_all(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "bone-index", 1, "vertex 1: bone 2 of 2");
    bake_end(&f);
}

/* Three texels a bone leave a fourth column over, which is no bone of the next row. */
static void columns_that_are_left_over(void **state) {
    (void)state;
    static const float texels[4][4][4] = {{{0}}};
    bake_fixture f;
    bake_begin(&f, 2, 4, 1);
    bake_bones(&f, BW_VAT_MODE_RIGID, 2, 3, BW_VAT_SKIN_IN_DEFAULT, 1);
    f.manifest.options.pow2 = true;
    f.manifest.bones.per_row = 1;
    f.manifest.rows_per_frame = 2;
    const float uvs[] = {0.125f, 0.125f, 0.125f, 0.375f};
    memcpy(f.uvs, uvs, sizeof uvs);
    bake_texture(&f, BWI_ROLE_BONES, 0, 4, 4, BW_VAT_FORMAT_EXR32, BWI_DECODE_BONE_MATRIX, texels);
    open_page(&f, 0);
    f.uvs[0] = 0.875f;
    write_all(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "bone-index", 1, "vertex 0: bone 2 of 2");
    bake_end(&f);
}

static void bones_that_are_not_there(void **state) {
    (void)state;
    static uint16_t codes[2][3][4];
    bake_fixture f;
    memcpy(codes[0], SKIN_BONES, sizeof SKIN_BONES);
    memcpy(codes[1], SKIN_WEIGHTS, sizeof SKIN_WEIGHTS);
    codes[0][1][1] = 3;
    codes[0][2][3] = 65535; /* with weight 0: a shader would fetch it all the same */
    make_skin(&f, BW_VAT_FORMAT_RAW, SKIN_CODES, BW_VAT_SKIN_IN_TEXTURE);
    bake_texture(&f, BWI_ROLE_WEIGHTS, 0, 3, 2, BW_VAT_FORMAT_PNG16, BWI_DECODE_WEIGHTS, codes);
    write_all(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "bone-index", 2, "vertex 1: bone 3 of 3");
    bake_end(&f);

    static const float floats[2][3][4] = {{{NAN}, {0.5f}, {-1}}, {{65535}, {65535}, {65535}}};
    make_skin(&f, BW_VAT_FORMAT_RAW, SKIN_CODES, BW_VAT_SKIN_IN_TEXTURE);
    bake_texture(&f, BWI_ROLE_WEIGHTS, 0, 3, 2, BW_VAT_FORMAT_EXR32, BWI_DECODE_WEIGHTS, floats);
    write_all(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "bone-index", 3, "vertex 0: bone nan of 3");
    bake_end(&f);

    make_skin(&f, BW_VAT_FORMAT_RAW, SKIN_CODES, BW_VAT_SKIN_IN_MESH);
    f.joints[0] = 3;
    write_all(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "bone-index", 1, "vertex 0: bone 3 of 3");
    f.joints[0] = 2;
    f.influences = 0;
    write_all(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "joints-missing", 1, "0, expected 4");
    bake_end(&f);
}

static void weights_that_do_not_sum_to_one(void **state) {
    (void)state;
    static uint16_t codes[2][3][4];
    static float floats[2][3][4];
    bake_fixture f;
    memcpy(codes[0], SKIN_BONES, sizeof SKIN_BONES);
    memcpy(codes[1], SKIN_WEIGHTS, sizeof SKIN_WEIGHTS);
    codes[1][1][1]--;
    make_skin(&f, BW_VAT_FORMAT_RAW, SKIN_CODES, BW_VAT_SKIN_IN_TEXTURE);
    bake_texture(&f, BWI_ROLE_WEIGHTS, 0, 3, 2, BW_VAT_FORMAT_PNG16, BWI_DECODE_WEIGHTS, codes);
    write_all(&f);
    bake_expect_found(&f, BW_OK, "weights", 1, "vertex 1: 0.99998");
    bake_end(&f);

    for (int i = 0; i < 3; i++)
        floats[1][i][0] = (float[]){NAN, INFINITY, 65535}[i];
    make_skin(&f, BW_VAT_FORMAT_RAW, SKIN_CODES, BW_VAT_SKIN_IN_TEXTURE);
    bake_texture(&f, BWI_ROLE_WEIGHTS, 0, 3, 2, BW_VAT_FORMAT_EXR32, BWI_DECODE_WEIGHTS, floats);
    write_all(&f);
    bake_expect_found(&f, BW_OK, "weights", 2, "vertex 0: nan");
    bake_end(&f);

    make_skin(&f, BW_VAT_FORMAT_RAW, SKIN_CODES, BW_VAT_SKIN_IN_MESH);
    f.weights[0]++; /* wraps to 0 */
    f.weights[4]++;
    write_all(&f);
    bake_expect_found(&f, BW_OK, "weights", 2, "vertex 0: 0");
    bake_end(&f);
}

static void pages_are_alike(void **state) {
    (void)state;
    static const uint16_t tall[4][4][4] = {{{0}}};
    bake_fixture f;
    make_pieces(&f);
    f.manifest.frame_count = f.clips[0].frame_count = 3;
    f.manifest.frames_per_page = 2;
    bake_texture(&f, BWI_ROLE_BONES, 1, 4, 4, BW_VAT_FORMAT_RAW, BWI_DECODE_BONE_QUATERNION, tall);
    write_all(&f);
    bake_expect_found(&f, BW_ERR_DIFFERS, "texture-differs", 1, "texture.1");
    bake_end(&f);
}

/* Nothing is as large as the manifest says before the mesh is; whatever fails leaves nothing behind. */
static void memory_may_fail(void **state) {
    (void)state;
    static uint16_t codes[2][3][4];
    bake_fixture f;
    memcpy(codes[0], SKIN_BONES, sizeof SKIN_BONES);
    memcpy(codes[1], SKIN_WEIGHTS, sizeof SKIN_WEIGHTS);
    make_skin(&f, BW_VAT_FORMAT_RAW, SKIN_CODES, BW_VAT_SKIN_IN_TEXTURE);
    bake_texture(&f, BWI_ROLE_WEIGHTS, 0, 3, 2, BW_VAT_FORMAT_PNG16, BWI_DECODE_WEIGHTS, codes);
    write_all(&f);
    bool done = false;
    for (int64_t k = 0; !done; k++) {
        assert_true(k < 1000);
        f.mem.fail_after = k;
        const bw_result result = bake_open(&f);
        f.mem.fail_after = -1;
        done = result == BW_OK && f.findings.count == 0;
        assert_true(done || result == BW_ERR_MEMORY || f.findings.lost);
    }
    bake_end(&f);
}

static void resolution_is_that_of_the_farthest_vertex(void **state) {
    (void)state;
    bake_fixture f;
    make_pieces(&f);
    open_page(&f, 0);
    float step[3];
    bwi_decoder_resolution(f.decoder, 0, step);
    /* The second vertex is √2 from its pivot; scales reach 2. */
    const double far = 2 * sqrt(2), turn = far * 2 / 32767;
    EXPECT3(step, (2 + far) / 65535 + turn, far / 65535 + turn, (4 + far) / 65535 + turn, 2e-5);
    for (uint32_t frame = 0; frame < 2;
         frame++) { /* the true positions of what was rounded to these codes lie inside */
        decode(&f, 0, frame);
        assert_true(fabsf(positions[0] - (frame ? 0 : 2)) <= step[0]);
    }
    bake_end(&f);

    make_skin(&f, BW_VAT_FORMAT_EXR16, SKIN_HALVES, BW_VAT_SKIN_IN_MESH);
    open_page(&f, 0);
    bwi_decoder_resolution(f.decoder, 0, step);
    /* The first pivot is √5 from the vertex; posed pivots are up to 2. */
    EXPECT1(step[0], (2 + 2 * sqrt(5)) / 1024, 2e-5);
    bake_end(&f);

    make_skin(&f, BW_VAT_FORMAT_RAW_F32, SKIN_FLOATS, BW_VAT_SKIN_IN_MESH);
    open_page(&f, 0);
    bwi_decoder_resolution(f.decoder, 0, step);
    assert_true(step[0] > 0 && step[0] < 2e-5f);
    bake_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_turn_about_their_pivots),
        cmocka_unit_test(bones_are_mixed_first),
        cmocka_unit_test(weights_of_a_texture),
        cmocka_unit_test(weights_of_the_mesh),
        cmocka_unit_test(the_second_four_have_blocks_of_their_own),
        cmocka_unit_test(matrices_shear_and_mirror),
        cmocka_unit_test(bones_wrap_into_rows_and_pages),
        cmocka_unit_test(meshes_are_turned_to_the_space_of_the_bones),
        cmocka_unit_test(levels_keep_their_places),
        cmocka_unit_test(uvs_of_pieces),
        cmocka_unit_test(columns_that_are_left_over),
        cmocka_unit_test(bones_that_are_not_there),
        cmocka_unit_test(weights_that_do_not_sum_to_one),
        cmocka_unit_test(pages_are_alike),
        cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(resolution_is_that_of_the_farthest_vertex),
    };
    return cmocka_run_group_tests(tests, image_make_folder, image_remove_folder);
}
