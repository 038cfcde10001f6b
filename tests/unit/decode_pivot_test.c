/* SPDX-License-Identifier: MIT
 * Pivot Painter 2 as the stock functions read it: packed indices, look-ups, chains of parents, wind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
#include "base/math.h"
#include "decode/pivot.h"

/* A row of texels. */
enum { MAX_TEXELS = 16 };
typedef struct row {
    float positions[MAX_TEXELS][4], axes[MAX_TEXELS][4];
    bwi_pivot_maps maps;
} row;

static float packed(uint32_t parent) {
    return bwi_half_to_float((uint16_t)(parent + 1024));
}

static void put(row *r, uint32_t at, uint32_t parent, const float pivot[3], const float axis[3], float extent_code) {
    memcpy(r->positions[at], pivot, 3 * sizeof(float));
    r->positions[at][3] = packed(parent);
    memcpy(r->axes[at], axis, 3 * sizeof(float));
    r->axes[at][3] = extent_code;
}

static void make_row(row *r, uint32_t width) {
    memset(r, 0, sizeof *r);
    r->maps = (bwi_pivot_maps){width, 1, r->positions[0], r->axes[0]};
}

static void uv_at(const row *r, uint32_t at, float uv[2]) {
    uv[0] = ((float)at + 0.5f) / (float)r->maps.width;
    uv[1] = 0.5f;
}

/* Index, half bits and value, as any table of binary16 has them. */
static void test_packed_indices(void **state) {
    (void)state;
    static const struct {
        uint32_t index, bits;
        float value;
    } VECTORS[] = {
        {0, 0x0400, 6.103515625e-05f},    {1, 0x0401, 6.109476089e-05f},    {84, 0x0454, 6.604194641e-05f},
        {1023, 0x07FF, 1.220107079e-04f}, {1024, 0x0800, 1.220703125e-04f}, {2048, 0x0C00, 2.44140625e-04f},
        {10000, 0x2B10, 0.05517578125f},  {14430, 0x3C5E, 1.091796875f},    {15360, 0x4000, 2.0f},
        {30000, 0x7930, 42496.0f},        {30719, 0x7BFF, 65504.0f},
    };
    for (size_t i = 0; i < sizeof VECTORS / sizeof VECTORS[0]; i++) {
        assert_int_equal(VECTORS[i].index + 1024, VECTORS[i].bits);
        assert_true(fabsf(bwi_half_to_float((uint16_t)VECTORS[i].bits) - VECTORS[i].value) <=
                    5e-10f * fmaxf(1, VECTORS[i].value * 1e4f));
        assert_int_equal(bwi_pivot_parent_of(bwi_half_to_float((uint16_t)VECTORS[i].bits)), VECTORS[i].index);
    }
    for (uint32_t index = 0; index < 30720; index++)
        assert_int_equal(bwi_pivot_parent_of(packed(index)), index);
    /* What padding may hold: 0, 1 and infinity give what no texture has. */
    assert_int_equal(bwi_pivot_parent_of(0.0f), 4294851584u);
    assert_int_equal(bwi_pivot_parent_of(1.0f), 14336);
    assert_int_equal(bwi_pivot_parent_of(INFINITY), 145408);
}

/* The row of element i is floor(i × (1 / width)) in float: widths for which that is wrong somewhere, of 30,720 elements. */
static void test_unsafe_widths(void **state) {
    (void)state;
    static const uint32_t FIRST[] = {41, 47, 55, 61, 82, 83, 94, 97, 107, 109, 110, 115, 121, 122, 123, 141};
    uint32_t found = 0;
    for (uint32_t width = 1; width <= 2048; width++) {
        bwi_pivot_maps maps = {.width = width, .height = 32768 / width + 1};
        bool safe = true;
        for (uint32_t i = 0; i < 30720 && safe; i++) {
            float uv[2];
            bwi_pivot_uv_of(&maps, i, uv);
            safe = (uint32_t)(uv[1] * (float)maps.height) == i / width;
        }
        if (safe)
            continue;
        if (found < sizeof FIRST / sizeof FIRST[0])
            assert_int_equal(width, FIRST[found]);
        assert_int_not_equal(width & (width - 1), 0); /* never a power of two */
        found++;
    }
    assert_int_equal(found, 280);
}

/* Trunk 0, branch 1, twig 2, leaf 3; a fifth below. */
static void make_limbs(row *r) {
    static const float up[3] = {0.5f, 0.5f, 1};
    make_row(r, 8);
    for (uint32_t i = 0; i < 5; i++)
        put(r, i, i ? i - 1 : 0, (float[3]){(float)i, 0, 0}, up, 1);
}

/* The article's four cases: which element is which level of each kind of vertex.  A fifth level loses the root in the stock chain. */
static void test_chains(void **state) {
    (void)state;
    row r;
    make_limbs(&r);
    static const struct {
        uint32_t element, count;
        double first, last;
    } CASES[] = {
        {0, 1, 0, 0}, {1, 2, 0, 1}, {2, 3, 0, 2}, {3, 4, 0, 3}, {4, 4, 1, 4},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        bwi_pivot_texel chain[BWI_PIVOT_CHAIN_MAX];
        float uv[2];
        uv_at(&r, CASES[i].element, uv);
        assert_int_equal(bwi_pivot_element_at(&r.maps, uv), CASES[i].element);
        assert_int_equal(bwi_pivot_chain(chain, &r.maps, uv, 4), CASES[i].count);
        for (uint32_t k = 0; k < CASES[i].count; k++)
            assert_true(chain[k].pivot[0] == CASES[i].first + k);
        assert_true(chain[CASES[i].count - 1].pivot[0] == CASES[i].last);
        assert_int_equal(bwi_pivot_chain(chain, &r.maps, uv, BWI_PIVOT_CHAIN_MAX), CASES[i].element + 1);
    }
}

/* Parents in a circle, and one outside the texture, end the chain. */
static void test_broken_chains(void **state) {
    (void)state;
    row r;
    make_limbs(&r);
    bwi_pivot_texel chain[BWI_PIVOT_CHAIN_MAX];
    float uv[2];
    uv_at(&r, 2, uv);
    r.positions[1][3] = packed(2);
    assert_int_equal(bwi_pivot_chain(chain, &r.maps, uv, BWI_PIVOT_CHAIN_MAX), BWI_PIVOT_CHAIN_MAX);
    r.positions[1][3] = packed(8);
    assert_int_equal(bwi_pivot_chain(chain, &r.maps, uv, BWI_PIVOT_CHAIN_MAX), 2);
    r.positions[1][3] = 0;
    assert_int_equal(bwi_pivot_chain(chain, &r.maps, uv, BWI_PIVOT_CHAIN_MAX), 2);
}

typedef struct golden {
    float pivot[3], axis[3], extent_code, at[3];
    float map[4];
    double offset[3];
} golden;

/* Offsets of one element in a wind along X, computed apart from this code from the formulas of docs/PIVOT.md, to seven digits. */
static void test_offsets(void **state) {
    (void)state;
    static const golden GOLDENS[] = {
        {{0, 0, 0}, {0.5f, 0.5f, 1}, 12 / 255.0f, {0, 0, 100}, {0.5f, 0.5f, 0.5f, 1}, {1.659628, 0, -0.013773}},
        {{0, 0, 0},
         {128 / 255.0f, 128 / 255.0f, 1},
         12 / 255.0f,
         {0, 0, 100},
         {0.5f, 0.5f, 0.5f, 1},
         {1.654383, -0.0000537, -0.0136859}},
        {{10, -20, 50},
         {1, 0.5f, 0.5f},
         25 / 255.0f,
         {110, -20, 50},
         {0.5f, 0.5f, 0.5f, 0.5f},
         {-0.0000317, 0, -0.0796658}},
        {{10, -20, 50},
         {0.5f, 0, 0.5f},
         25 / 255.0f,
         {10, -120, 50},
         {0.25f, 0.5f, 0.75f, 0.5f},
         {0.3976405, 0.0007933, 0.0233906}},
    };
    for (size_t i = 0; i < sizeof GOLDENS / sizeof GOLDENS[0]; i++) {
        row r;
        make_row(&r, 1);
        put(&r, 0, 0, GOLDENS[i].pivot, GOLDENS[i].axis, GOLDENS[i].extent_code);
        bw_wind wind;
        bw_wind_default(&wind);
        wind.map = (bw_wind_map){1, 1, GOLDENS[i].map};
        /* The third golden's angle is that of the branch in the wind's lee: the stock shelter. */
        wind.levels[0].use_shelter = true;
        bwi_wind_sampler sampler;
        assert_int_equal(bwi_wind_sampler_make(&sampler, &wind, NULL, NULL), BW_OK);
        float uv[2], out[3];
        uv_at(&r, 0, uv);
        for (int evaluator = BW_WIND_STOCK; evaluator <= BW_WIND_CHAINED; evaluator++) {
            bwi_pivot_evaluate(out, NULL, &r.maps, &sampler, (bw_wind_evaluator)evaluator, uv, GOLDENS[i].at, NULL, 1);
            for (int c = 0; c < 3; c++) /* seven digits of the goldens, and a float at 120 cm */
                assert_true(fabs((double)out[c] - (double)GOLDENS[i].at[c] - GOLDENS[i].offset[c]) < 8e-6);
        }
    }
}

/* A limb of four elements end to end, 100 cm each, leaning; wind of any strength. */
static void make_arm(row *r) {
    make_row(r, 4);
    static const float axes[4][3] = {{0.5f, 0.5f, 1}, {1, 0.5f, 0.5f}, {0.5f, 1, 0.5f}, {0.85f, 0.15f, 0.5f}};
    float pivot[3] = {0, 0, 0};
    for (uint32_t i = 0; i < 4; i++) {
        put(r, i, i ? i - 1 : 0, pivot, axes[i], 100.0f / 2048);
        float length = 0;
        for (int c = 0; c < 3; c++)
            length += (axes[i][c] - 0.5f) * (axes[i][c] - 0.5f);
        for (int c = 0; c < 3; c++)
            pivot[c] += 100 * (axes[i][c] - 0.5f) / sqrtf(length);
    }
}

static void arm_wind(bw_wind *wind, double turns, double dampening) {
    static const float steady[4] = {0.5f, 0.5f, 0.5f, 1};
    bw_wind_default(wind);
    wind->map = (bw_wind_map){1, 1, steady};
    for (int i = 0; i < BW_WIND_LEVELS; i++) {
        wind->levels[i].max_rotation = turns;
        wind->levels[i].dampening = dampening;
        memset(wind->levels[i].inherit, 0, sizeof wind->levels[i].inherit);
    }
}

static void evaluate_arm(float out[3], const row *r, uint32_t element, const float at[3], double turns,
                         double dampening, bw_wind_evaluator evaluator) {
    bw_wind wind;
    arm_wind(&wind, turns, dampening);
    bwi_wind_sampler sampler;
    assert_int_equal(bwi_wind_sampler_make(&sampler, &wind, NULL, NULL), BW_OK);
    float uv[2];
    uv_at(r, element, uv);
    bwi_pivot_evaluate(out, NULL, &r->maps, &sampler, evaluator, uv, at, NULL, 1);
}

/* Sums and compositions of rotations differ in the second order: by a quarter where the angle is half. */
static void test_evaluators_meet(void **state) {
    (void)state;
    row r;
    make_arm(&r);
    const float *pivot = r.positions[3];
    double gaps[3];
    for (int k = 0; k < 3; k++) {
        double turns = 0.008 / (1 << k);
        float stock[3], chained[3];
        evaluate_arm(stock, &r, 3, pivot, turns, 1, BW_WIND_STOCK);
        evaluate_arm(chained, &r, 3, pivot, turns, 1, BW_WIND_CHAINED);
        double square = 0;
        for (int c = 0; c < 3; c++)
            square += ((double)stock[c] - (double)chained[c]) * ((double)stock[c] - (double)chained[c]);
        gaps[k] = sqrt(square);
    }
    assert_true(gaps[0] > 0.01);
    for (int k = 0; k < 2; k++)
        assert_true(gaps[k] / gaps[k + 1] > 3.8 &&
                    gaps[k] / gaps[k + 1] < 4.2); /* what is of third order, at these angles */
}

/* At 30 degrees a child's pivot, moved as a vertex of the child and as one of its parent, is the same place. */
static void test_chained_stays_attached(void **state) {
    (void)state;
    row r;
    make_arm(&r);
    for (uint32_t child = 1; child < 4; child++) {
        const float *pivot = r.positions[child];
        float as_child[3], as_parent[3];
        evaluate_arm(as_child, &r, child, pivot, 30.0 / 360, 1, BW_WIND_CHAINED);
        evaluate_arm(as_parent, &r, child - 1, pivot, 30.0 / 360, 1, BW_WIND_CHAINED);
        for (int c = 0; c < 3; c++)
            assert_true(fabsf(as_child[c] - as_parent[c]) < 1e-4f); /* rounding of floats at 300 cm */
    }
}

static double arm_length(const row *r, uint32_t element, bw_wind_evaluator evaluator) {
    float pivot[3], tip[3];
    evaluate_arm(pivot, r, element, r->positions[element], 30.0 / 360, 0.001, evaluator);
    evaluate_arm(tip, r, element, r->positions[element + 1], 30.0 / 360, 0.001, evaluator);
    double square = 0;
    for (int c = 0; c < 3; c++)
        square += ((double)tip[c] - (double)pivot[c]) * ((double)tip[c] - (double)pivot[c]);
    return sqrt(square);
}

/* Limbs that turn as wholes keep their length when chained; in the stock sum they stretch. */
static void test_chained_keeps_lengths(void **state) {
    (void)state;
    row r;
    make_arm(&r);
    for (uint32_t element = 0; element < 3; element++)
        assert_true(fabs(arm_length(&r, element, BW_WIND_CHAINED) - 100) < 1e-4); /* rounding of floats at 300 cm */
    assert_true(fabs(arm_length(&r, 1, BW_WIND_STOCK) - 100) > 20);
}

/* Normals turn with the limb; an instance that is turned and scaled moves as its world has it. */
static void test_instance(void **state) {
    (void)state;
    row r;
    make_row(&r, 1);
    put(&r, 0, 0, (float[3]){0, 0, 0}, (float[3]){0.5f, 0.5f, 1}, 100.0f / 2048);
    bw_wind wind;
    arm_wind(&wind, 0.25, 1); /* the tip turns by the whole angle */
    /* Twice as large, a quarter turn about Z, 500 cm along X. */
    const double transform[16] = {0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 500, 0, 0, 1};
    memcpy(wind.transform, transform, sizeof transform);
    bwi_wind_sampler sampler;
    assert_int_equal(bwi_wind_sampler_make(&sampler, &wind, NULL, NULL), BW_OK);
    float uv[2], out[3], normal[3];
    uv_at(&r, 0, uv);
    bwi_pivot_evaluate(out, normal, &r.maps, &sampler, BW_WIND_STOCK, uv, (float[3]){0, 0, 100}, (float[3]){0, 0, 1},
                       1);
    /* The tip, 200 cm up, falls flat along the wind; its normal with it. */
    const float expected[3] = {700, 0, 0}, expected_normal[3] = {1, 0, 0};
    for (int c = 0; c < 3; c++) {
        assert_true(fabsf(out[c] - expected[c]) < 1e-3f); /* floats at 700 cm */
        assert_true(fabsf(normal[c] - expected_normal[c]) < 1e-6f);
    }
}

/* Where axis and wind are parallel and nothing strays there is no axis to turn about: nothing moves, and nothing is NaN. */
static void test_no_axis(void **state) {
    (void)state;
    row r;
    make_row(&r, 1);
    put(&r, 0, 0, (float[3]){0, 0, 0}, (float[3]){0, 0.5f, 0.5f}, 1);
    bw_wind wind;
    arm_wind(&wind, 0.1, 1);
    bwi_wind_sampler sampler;
    assert_int_equal(bwi_wind_sampler_make(&sampler, &wind, NULL, NULL), BW_OK);
    float uv[2], out[3];
    uv_at(&r, 0, uv);
    bwi_pivot_evaluate(out, NULL, &r.maps, &sampler, BW_WIND_STOCK, uv, (float[3]){-50, 3, 4}, NULL, 1);
    assert_true(out[0] == -50 && out[1] == 3 && out[2] == 4);
}

static void test_refusals(void **state) {
    (void)state;
    bw_wind wind;
    bwi_wind_sampler sampler;
    bw_error error;
    static float scratch[BW_WIND_MAP_SIDE * BW_WIND_MAP_SIDE * 4];
    bw_wind_default(&wind);
    assert_int_equal(bwi_wind_sampler_make(&sampler, &wind, scratch, &error), BW_OK);
    wind.transform[10] = 0;
    assert_int_equal(bwi_wind_sampler_make(&sampler, &wind, scratch, &error), BW_ERR_USAGE);
    assert_non_null(strstr(error.message, "inverted"));
    bw_wind_default(&wind);
    wind.gust_world_scale = 0;
    assert_int_equal(bwi_wind_sampler_make(&sampler, &wind, scratch, &error), BW_ERR_USAGE);
    bw_wind_default(&wind);
    wind.levels[2].dampening = 0;
    assert_int_equal(bwi_wind_sampler_make(&sampler, &wind, scratch, &error), BW_ERR_USAGE);
    assert_non_null(strstr(error.message, "level 3"));
    bw_wind_default(&wind);
    wind.time_s = NAN;
    assert_int_equal(bwi_wind_sampler_make(&sampler, &wind, scratch, &error), BW_ERR_USAGE);
    bw_wind_default(&wind);
    wind.direction[0] = 8;
    assert_int_equal(bwi_wind_sampler_make(&sampler, &wind, scratch, &error), BW_ERR_USAGE);
}

/* The made map repeats without a seam and stays in the range that it is said to have. */
static void test_made_map(void **state) {
    (void)state;
    static float rgba[BW_WIND_MAP_SIDE][BW_WIND_MAP_SIDE][4];
    bw_wind_make_map(rgba[0][0]);
    float least = 1, most = 0, step = 0;
    for (int y = 0; y < BW_WIND_MAP_SIDE; y++) {
        for (int x = 0; x < BW_WIND_MAP_SIDE; x++) {
            least = fminf(least, rgba[y][x][3]);
            most = fmaxf(most, rgba[y][x][3]);
            for (int c = 0; c < 4; c++) {
                assert_true(rgba[y][x][c] > 0 && rgba[y][x][c] < 1);
                step = fmaxf(step, fabsf(rgba[y][x][c] - rgba[y][(x + 1) % BW_WIND_MAP_SIDE][c]));
                step = fmaxf(step, fabsf(rgba[y][x][c] - rgba[(y + 1) % BW_WIND_MAP_SIDE][x][c]));
            }
        }
    }
    assert_true(least > 0.26f && least < 0.275f && most > 0.705f && most < 0.72f);
    assert_true(step < 0.15f); /* a seam would be up to 1 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_indices),
        cmocka_unit_test(test_unsafe_widths),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_broken_chains),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_evaluators_meet),
        cmocka_unit_test(test_chained_stays_attached),
        cmocka_unit_test(test_chained_keeps_lengths),
        cmocka_unit_test(test_instance),
        cmocka_unit_test(test_no_axis),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_made_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
