/* SPDX-License-Identifier: MIT
 * Texels made by hand, decoded to positions and directions worked out by hand from docs/FORMATS.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bake_fixture.h"
#include "expect.h"
#include "image_fixture.h"

/* A float's rounding of numbers below 8. */
#define TOLERANCE 1e-6

static float positions[3 * BAKE_VERTICES], normals[3 * BAKE_VERTICES], tangents[3 * BAKE_VERTICES];

static void open_page(bake_fixture *f, uint32_t page) {
    bake_write_files(f);
    bake_write_manifest(f);
    if (bake_open(f) != BW_OK || f->findings.count ||
        bwi_decoder_load_page(f->decoder, page, &f->env, &f->error) != BW_OK)
        fail_msg("%s", f->findings.count ? f->findings.data[0].message : f->error.message);
}

static void decode(bake_fixture *f, uint32_t clip, uint32_t frame) {
    for (size_t k = 0; k < 3 * BAKE_VERTICES; k++)
        positions[k] = normals[k] = tangents[k] = NAN;
    const bwi_decoded out = {positions, bwi_decoder_has_normals(f->decoder) ? normals : NULL,
                             bwi_decoder_has_tangents(f->decoder) ? tangents : NULL};
    bwi_decoder_frame(f->decoder, &out, clip, frame, NULL); /* no levels: no scratch */
}

static void set_bounds(bake_fixture *f, uint32_t clip, float x0, float y0, float z0, float x1, float y1, float z1) {
    const float min[] = {x0, y0, z0}, max[] = {x1, y1, z1};
    memcpy(f->clips[clip].bounds_min, min, sizeof min);
    memcpy(f->clips[clip].bounds_max, max, sizeof max);
}

/* 32768/65535 is ½ + 1/131070. */
static void codes_of_16_bits_with_packed_normals(void **state) {
    (void)state;
    static const uint16_t texels[2][4][4] = {
        {{0, 7, 65535, 255 << 8 | 255},
         {65535, 7, 0, 128},
         {32768, 7, 32768, 128 << 8 | 255},
         {1, 0, 0, 200 << 8 | 255}},
        {{65535, 0, 0, 0}, {0, 0, 65535, 128 << 8}, {0, 0, 0, 64 << 8 | 64}, {0, 0, 0, 255 << 8}}};
    bake_fixture f;
    bake_begin(&f, 4, 2, 2);
    set_bounds(&f, 0, -1, 5, 2, 3, 5, 6);
    bake_texture(&f, BWI_ROLE_POSITION, 0, 4, 2, BW_VAT_FORMAT_RAW, BWI_DECODE_BOUNDS_OCT8, texels);
    open_page(&f, 0);
    decode(&f, 0, 0);
    EXPECT3(positions, -1, 5, 6, TOLERANCE); /* an axis without extent is its bound, whatever the code */
    EXPECT3(positions + 3, 3, 5, 2, TOLERANCE);
    EXPECT3(positions + 6, 1 + 4.0 / 131070, 5, 4 + 4.0 / 131070, TOLERANCE);
    EXPECT3(positions + 9, -1 + 4.0 / 65535, 5, 2, TOLERANCE);
    EXPECT3(normals, 0, 0, -1, TOLERANCE); /* a corner: (1, 1), z = -1; the fold brings x and y to 0 */
    /* (128/255, 0): x = 1/255, y = -1, z = -1/255; folded: x = (1 - 1) · 1 = 0, y = -(1 - 1/255). */
    EXPECT3(normals + 3, 0, -254 / sqrt(254.0 * 254 + 1), -1 / sqrt(254.0 * 254 + 1), TOLERANCE);
    EXPECT3(normals + 6, 254 / sqrt(254.0 * 254 + 1), 0, -1 / sqrt(254.0 * 254 + 1), TOLERANCE);
    /* (1, 200/255): x = 1, y = 145/255, z = -145/255; folded: x = 110/255, y = 0. */
    EXPECT3(normals + 9, 110 / sqrt(110.0 * 110 + 145 * 145), 0, -145 / sqrt(110.0 * 110 + 145 * 145), TOLERANCE);
    decode(&f, 0, 1);
    EXPECT3(positions, 3, 5, 2, TOLERANCE);
    EXPECT3(positions + 3, -1, 5, 6, TOLERANCE);
    EXPECT3(normals, 0, 0, -1, TOLERANCE);
    /* (64/255, 64/255): x = y = -127/255, z = 1/255. */
    EXPECT3(normals + 6, -127 / sqrt(2 * 127.0 * 127 + 1), -127 / sqrt(2 * 127.0 * 127 + 1),
            1 / sqrt(2 * 127.0 * 127 + 1), TOLERANCE);
    EXPECT3(normals + 9, 0, 0, -1, TOLERANCE);
    bake_end(&f);
}

/* The same two texels in every other type: a position, a normal and a tangent. */
static void every_type(void **state) {
    (void)state;
    static const uint8_t p8[2][4] = {{0, 255, 51, 255}, {255, 0, 102, 255}},
                         n8[2][4] = {{255, 255, 0, 255}, {0, 0, 0, 255}};
    static const uint16_t p16[2][4] = {{0, 65535, 13107, 65535}, {65535, 0, 26214, 65535}};
    static const uint16_t n16[2][4] = {{65535, 65535, 0, 0}, {0, 0, 65535, 65535}};
    static const uint32_t p10[2] = {0U | 1023U << 10 | 1023U / 3 << 20 | 3U << 30, 1023U | 0U << 10 | 2U * 341 << 20};
    static const uint32_t n10[2] = {1023U | 1023U << 10 | 3U << 30, 0};
    static const uint16_t pf16[2][4] = {{0x0000, 0x3C00, 0x3555, 0x3C00}, {0xBC00, 0x4000, 0x7BFF, 0x3C00}};
    static const uint16_t nf16[2][4] = {{0x3C00, 0x3C00, 0x3800, 0x3C00}, {0, 0, 0x3C00, 0x3800}};
    static const float pf32[2][4] = {{0.1f, -2e9f, 3, 1}, {1e-30f, 0, 7, 1}};
    static const float nf32[2][4] = {{1, 1, 0.5f, 0.5f}, {0.5f, 0.5f, 0, 0.5f}};
    static const struct {
        bw_vat_format format;
        bool tangents;
        const void *position, *normal;
        float p[6], n[6], t[6];
    } ROWS[] = {
        /* Bounds (0, 0, 0) … (10, 10, 10). */
        {BW_VAT_FORMAT_PNG8, false, p8, n8, {0, 10, 2, 10, 0, 4}, {0, 0, -1, 0, 0, -1}, {0}},
        {BW_VAT_FORMAT_PNG16, true, p16, n16, {0, 10, 2, 10, 0, 4}, {0, 0, -1, 0, 0, -1}, {0, 0, -1, 0, 0, -1}},
        {BW_VAT_FORMAT_KTX2_U16, true, p16, n16, {0, 10, 2, 10, 0, 4}, {0, 0, -1, 0, 0, -1}, {0, 0, -1, 0, 0, -1}},
        {BW_VAT_FORMAT_KTX2_U10, false, p10, n10, {0, 10, 10 / 3.0f, 10, 0, 20 / 3.0f}, {0, 0, -1, 0, 0, -1}, {0}},
        {BW_VAT_FORMAT_EXR16,
         true,
         pf16,
         nf16,
         {0, 1, 0.33325195f, -1, 2, 65504},
         {0, 0, -1, 0, 0, -1},
         {0, 1, 0, 1, 0, 0}},
        {BW_VAT_FORMAT_KTX2_F16,
         true,
         pf16,
         nf16,
         {0, 1, 0.33325195f, -1, 2, 65504},
         {0, 0, -1, 0, 0, -1},
         {0, 1, 0, 1, 0, 0}},
        {BW_VAT_FORMAT_EXR32,
         true,
         pf32,
         nf32,
         {0.1f, -2e9f, 3, 1e-30f, 0, 7},
         {0, 0, -1, 0, 0, 1},
         {0, 0, 1, -1, 0, 0}},
        {BW_VAT_FORMAT_KTX2_F32,
         true,
         pf32,
         nf32,
         {0.1f, -2e9f, 3, 1e-30f, 0, 7},
         {0, 0, -1, 0, 0, 1},
         {0, 0, 1, -1, 0, 0}},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        bake_fixture f;
        const bool floats = bwi_texel_is_float(bwi_format_info_of(ROWS[k].format)->type);
        bake_begin(&f, 2, 1, 1);
        set_bounds(&f, 0, 0, 0, 0, 10, 10, 10);
        bake_texture(&f, BWI_ROLE_POSITION, 0, 2, 1, ROWS[k].format, floats ? BWI_DECODE_ABSOLUTE : BWI_DECODE_BOUNDS,
                     ROWS[k].position);
        bake_texture(&f, BWI_ROLE_NORMAL, 0, 2, 1, ROWS[k].format,
                     ROWS[k].tangents ? BWI_DECODE_OCT_OCT : BWI_DECODE_OCT, ROWS[k].normal);
        open_page(&f, 0);
        decode(&f, 0, 0);
        print_message("%s\n", bwi_format_info_of(ROWS[k].format)->name);
        for (size_t i = 0; i < 6; i++) {
            EXPECT1(positions[i], ROWS[k].p[i], floats ? 0 : 2 * TOLERANCE);
            EXPECT1(normals[i], ROWS[k].n[i], TOLERANCE);
            if (ROWS[k].tangents)
                EXPECT1(tangents[i], ROWS[k].t[i], TOLERANCE);
        }
        bake_end(&f);
    }
}

/* An element is where its UV points, not where its number would be; rows wrap, pages overlap, each clip has its own bounds. */
static void texels_are_found_by_uv(void **state) {
    (void)state;
    /* Three elements in two columns: two rows a frame; two frames a page. */
    static const uint16_t pages[2][4][2][4] = {{{{0}, {65535}}, {{13107}, {1}}, {{26214}, {39321}}, {{52428}, {1}}},
                                               {{{26214}, {39321}}, {{52428}, {1}}, {{65535}, {0}}, {{13107}, {1}}}};
    bake_fixture f;
    bake_begin(&f, 3, 4, 3);
    f.manifest.rows_per_frame = 2;
    f.manifest.frames_per_page = 2;
    f.clips[0].frame_count = 1;
    f.clips[1] = f.clips[0];
    f.clips[1].name = "B";
    f.clips[1].first_frame = 1;
    f.clips[1].frame_count = 2;
    f.manifest.clips.count = 2;
    set_bounds(&f, 0, 0, 0, 0, 10, 0, 0);
    set_bounds(&f, 1, -5, 0, 0, 95, 0, 0);
    /* Element 0 in column 1, 1 in the second row, 2 in column 0. */
    static const float uvs[] = {0.75f, 0.125f, 0.25f, 0.375f, 0.25f, 0.125f};
    memcpy(f.uvs, uvs, sizeof uvs);
    bake_texture(&f, BWI_ROLE_POSITION, 0, 2, 4, BW_VAT_FORMAT_RAW, BWI_DECODE_BOUNDS, pages[0]);
    bake_texture(&f, BWI_ROLE_POSITION, 1, 2, 4, BW_VAT_FORMAT_RAW, BWI_DECODE_BOUNDS, pages[1]);
    open_page(&f, 0);
    decode(&f, 0, 0);
    EXPECT3(((float[]){positions[0], positions[3], positions[6]}), 10, 2, 0, TOLERANCE);
    decode(&f, 1, 1);
    EXPECT3(((float[]){positions[0], positions[3], positions[6]}), 55, 75, 35, 1e-5); /* -5 + 100 · 0.6, 0.8, 0.4 */
    assert_int_equal(bwi_decoder_load_page(f.decoder, 1, &f.env, NULL), BW_OK);
    decode(&f, 1, 1);
    EXPECT3(((float[]){positions[0], positions[3], positions[6]}), 55, 75, 35, 1e-5);
    decode(&f, 1, 2);
    EXPECT3(((float[]){positions[0], positions[3], positions[6]}), -5, 15, 95, 1e-5);
    bake_end(&f);
}

static void the_seed_grows_upwards(void **state) {
    (void)state;
    static const float tall[3][4][4] = {{{20}, {21}}, {{10}, {11}}, {{0}, {1}}}, flat[1][4][4] = {{{30}, {31}}};
    bake_fixture f;
    bake_begin(&f, 2, 1, 4);
    f.manifest.layout = BW_VAT_LAYOUT_SEED;
    f.manifest.frames_per_page = 0;
    f.clips[0].frame_count = 3;
    f.clips[1] = f.clips[0];
    f.clips[1].name = "B";
    f.clips[1].first_frame = 3;
    f.clips[1].frame_count = 1;
    f.manifest.clips.count = 2;
    static const float uvs[] = {0.125f, 0.5f, 0.375f, 0.5f};
    memcpy(f.uvs, uvs, sizeof uvs);
    bake_texture(&f, BWI_ROLE_POSITION, 0, 4, 3, BW_VAT_FORMAT_EXR32, BWI_DECODE_ABSOLUTE, tall);
    bake_texture(&f, BWI_ROLE_POSITION, 1, 4, 1, BW_VAT_FORMAT_EXR32, BWI_DECODE_ABSOLUTE, flat);
    open_page(&f, 0);
    for (uint32_t frame = 0; frame < 3; frame++) {
        decode(&f, 0, frame);
        assert_true(positions[0] == 10 * (float)frame && positions[3] == 10 * (float)frame + 1);
    }
    assert_int_equal(bwi_decoder_load_page(f.decoder, 1, &f.env, NULL), BW_OK);
    decode(&f, 1, 3);
    assert_true(positions[0] == 30 && positions[3] == 31);
    assert_false(bwi_decoder_has_normals(f.decoder));
    bake_end(&f);
}

static void spaces_turn_back_to_gltf(void **state) {
    (void)state;
    /* Where (1, 2, 3) m of glTF is in each space. */
    static const struct {
        bwi_space_name name;
        float there[3];
    } ROWS[] = {{{"y", "right", "m"}, {1, 2, 3}},
                {{"y", "left", "m"}, {-1, 2, 3}},
                {{"z", "left", "cm"}, {100, 300, 200}},
                {{"z", "right", "m"}, {1, -3, 2}}};
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        float texels[1][1][4];
        memcpy(texels[0][0], ROWS[k].there, sizeof ROWS[k].there);
        texels[0][0][3] = 1;
        bake_fixture f;
        bake_begin(&f, 1, 1, 1);
        f.manifest.space = ROWS[k].name;
        bake_texture(&f, BWI_ROLE_POSITION, 0, 1, 1, BW_VAT_FORMAT_EXR32, BWI_DECODE_ABSOLUTE, texels);
        open_page(&f, 0);
        decode(&f, 0, 0);
        EXPECT3(positions, ROWS[k].there[0], ROWS[k].there[1], ROWS[k].there[2], 0);
        memcpy(normals, positions, sizeof normals);
        bwi_decoder_to_gltf(f.decoder, &(bwi_decoded){positions, normals, NULL}, 1);
        EXPECT3(positions, 1, 2, 3, TOLERANCE);
        const float scale = strcmp(ROWS[k].name.unit, "cm") == 0 ? 100 : 1; /* directions have no unit */
        EXPECT3(normals, scale * 1, scale * 2, scale * 3, TOLERANCE);
        bake_end(&f);
    }
}

/* Both frames are decoded, then mixed: the codes' middle would be another direction altogether. */
static void mixing_comes_after_decoding(void **state) {
    (void)state;
    /* Either side of -z: (1, 250/255) and (0, 250/255) unfold to x = ±10/255, z = -245/255.  Half-way between the codes lies (½, …), which is +y. */
    static const uint16_t texels[2][1][4] = {{{0, 0, 0, 250 << 8 | 255}}, {{65535, 0, 0, 250 << 8 | 0}}};
    bake_fixture f;
    bake_begin(&f, 1, 2, 2);
    bake_texture(&f, BWI_ROLE_POSITION, 0, 1, 2, BW_VAT_FORMAT_RAW, BWI_DECODE_BOUNDS_OCT8, texels);
    open_page(&f, 0);
    decode(&f, 0, 0);
    float next_positions[3], next_normals[3];
    const bwi_decoded a = {positions, normals, NULL}, b = {next_positions, next_normals, NULL};
    bwi_decoder_frame(f.decoder, &b, 0, 1, NULL);
    EXPECT1(normals[0], 10 / sqrt(10.0 * 10 + 245 * 245), TOLERANCE);
    assert_true(normals[0] > 0 && next_normals[0] < 0 && normals[2] < -0.99f && next_normals[2] < -0.99f);
    bwi_decoder_between(f.decoder, &b, &a, 0, 0, 0.5f, NULL);
    EXPECT3(next_normals, 0, 0, -1, TOLERANCE);
    EXPECT3(next_positions, 0.5, 0, 0, TOLERANCE);
    bake_end(&f);
}

static void directions_stay_of_length_one(void **state) {
    (void)state;
    /* Directions (u, v) of normal and tangent: (1, ½) is +x, (0, ½) -x, (½, 1) +y, (½, ½) +z. */
    static const float still[2][4][4] = {{{0}}};
    static const float texels[2][4][4] = {
        {{1, 0.5f, 1, 0.5f}, {1, 0.5f, 1, 0.5f}, {0.5f, 0.5f, 0.5f, 0.5f}, {0.5f, 1, 0.5f, 1}},
        {{0.5f, 1, 0.5f, 1}, {0, 0.5f, 0, 0.5f}, {0.5f, 0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f, 0.5f}}};
    bake_fixture f;
    bake_begin(&f, 4, 2, 2);
    bake_texture(&f, BWI_ROLE_POSITION, 0, 4, 2, BW_VAT_FORMAT_EXR32, BWI_DECODE_ABSOLUTE, still);
    bake_texture(&f, BWI_ROLE_NORMAL, 0, 4, 2, BW_VAT_FORMAT_EXR32, BWI_DECODE_OCT_OCT, texels);
    open_page(&f, 0);
    decode(&f, 0, 0);
    float p[12], n[12], t[12];
    const bwi_decoded at = {positions, normals, tangents}, out = {p, n, t};
    bwi_decoder_between(f.decoder, &out, &at, 0, 0, 0.5f, NULL);
    EXPECT3(n, sqrt(0.5), sqrt(0.5), 0, TOLERANCE);
    EXPECT3(n + 3, 1, 0, 0, 0); /* opposite directions have no middle: the earlier stays, and no NaN */
    EXPECT3(n + 6, 0, 0, 1, TOLERANCE);
    EXPECT3(n + 9, 0, sqrt(0.5), sqrt(0.5), TOLERANCE);
    bwi_decoder_between(f.decoder, &out, &at, 0, 0, 0.25f, NULL);
    EXPECT3(n, 3 / sqrt(10), 1 / sqrt(10), 0, TOLERANCE);
    EXPECT3(n + 3, 1, 0, 0, 0);
    EXPECT3(t, 3 / sqrt(10), 1 / sqrt(10), 0, TOLERANCE); /* tangents alike */
    bake_end(&f);
}

static void resolution_is_a_code_or_a_rounding(void **state) {
    (void)state;
    static const uint16_t codes[1][1][4] = {{{0}}};
    static const uint8_t bytes[1][1][4] = {{{0}}};
    static const uint16_t halves[1][1][4] = {{{0}}};
    static const float floats[1][1][4] = {{{0}}};
    static const struct {
        bw_vat_format format;
        const void *texels;
        double step[3];
    } ROWS[] = {{BW_VAT_FORMAT_RAW, codes, {6 / 65535.0, 0, 1 / 65535.0}},
                {BW_VAT_FORMAT_PNG8, bytes, {6 / 255.0, 0, 1 / 255.0}},
                {BW_VAT_FORMAT_EXR16, halves, {4 / 1024.0, 9 / 1024.0, 1 / 1024.0}},
                {BW_VAT_FORMAT_EXR32, floats, {0, 0, 0}}};
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++) {
        bake_fixture f;
        const bool absolute = bwi_texel_is_float(bwi_format_info_of(ROWS[k].format)->type);
        bake_begin(&f, 1, 1, 1);
        set_bounds(&f, 0, -4, 9, 0, 2, 9, 1);
        bake_texture(&f, BWI_ROLE_POSITION, 0, 1, 1, ROWS[k].format, absolute ? BWI_DECODE_ABSOLUTE : BWI_DECODE_BOUNDS,
                     ROWS[k].texels);
        open_page(&f, 0);
        float step[3];
        bwi_decoder_resolution(f.decoder, 0, step);
        EXPECT3(step, ROWS[k].step[0], ROWS[k].step[1], ROWS[k].step[2], 1e-7);
        bake_end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_of_16_bits_with_packed_normals),
        cmocka_unit_test(every_type),
        cmocka_unit_test(texels_are_found_by_uv),
        cmocka_unit_test(the_seed_grows_upwards),
        cmocka_unit_test(spaces_turn_back_to_gltf),
        cmocka_unit_test(mixing_comes_after_decoding),
        cmocka_unit_test(directions_stay_of_length_one),
        cmocka_unit_test(resolution_is_a_code_or_a_rounding),
    };
    return cmocka_run_group_tests(tests, image_make_folder, image_remove_folder);
}
