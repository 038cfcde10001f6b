/* SPDX-License-Identifier: MIT
 * How large hair is: by hand, and medians against sorting. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "groom/groom.h"
#include "strand_fixture.h"

typedef struct hair_of_one {
    bwi_hair hair;
    bwi_hair_object object;
    bwi_hair_curves curves;
    bwi_hair_attribute width;
    bwi_groom_space space;
} hair_of_one;

static void make(hair_of_one *h, const int32_t *counts, size_t curve_count, const float *positions, size_t point_count,
                 const float *widths, size_t width_count) {
    memset(h, 0, sizeof *h);
    h->object = (bwi_hair_object){
        .path = "/hair", .schema = "", .parent = BW_NO_INDEX, .kind = BWI_HAIR_CURVES, .inherits = true};
    h->curves = (bwi_hair_curves){.counts = counts,
                                  .curve_count = curve_count,
                                  .positions = positions,
                                  .point_count = point_count,
                                  .sample_count = 7};
    h->width = (bwi_hair_attribute){.name = "width",
                                    .pod = BW_ALEMBIC_FLOAT32,
                                    .extent = 1,
                                    .value_count = width_count,
                                    .count = width_count,
                                    .bytes = (const uint8_t *)widths};
    h->hair = (bwi_hair){.path = "hair.abc", .format = "alembic", .made_by = ""};
    h->hair.objects.data = &h->object;
    h->hair.curves.data = &h->curves;
    h->hair.attributes.data = &h->width;
    h->hair.objects.count = h->hair.curves.count = 1;
    h->hair.attributes.count = widths != NULL;
    for (int k = 0; k < 4; k++)
        h->object.matrix[5 * k] = 1;
    /* Metres with y up. */
    h->space.unit_cm = 100;
    h->space.to_unreal[0] = h->space.to_unreal[6] = h->space.to_unreal[9] = 100;
    h->space.to_unreal[15] = 1;
}

static void by_hand(void **state) {
    (void)state;
    static const int32_t counts[5] = {3, 1, 2, 0, 2};
    static const float positions[8][3] = {{0, 0, 0}, {0, 3, 4},   {0, 3, 5},  {9, 0, 0},
                                          {1, 2, 3}, {1, 2, NAN}, {0, -1, 0}, {0, -1, 2}};
    static const float widths[5] = {0.5f, 0.125f, NAN, -0.25f, 2};
    hair_of_one h;
    strand_fixture f;
    strands_open(&f, 1, 2, 1);
    make(&h, counts, 5, positions[0], 8, widths, 5);
    bwi_groom_sizes sizes;
    assert_int_equal(bwi_groom_sizes_of(&sizes, &h.hair, &h.space, &f.env, &f.error), BW_OK);
    EXPECT1(sizes.length_cm.min, 200, 1e-5);
    EXPECT1(sizes.length_cm.median, 600, 1e-5);
    EXPECT1(sizes.length_cm.max, 600, 1e-5);
    EXPECT1(sizes.width_cm.min, -25, 0);
    EXPECT1(sizes.width_cm.median, 50, 0); /* of −25, 12.5, 50, 200 the upper one in the middle */
    EXPECT1(sizes.width_cm.max, 200, 0);
    EXPECT3(sizes.bounds_min, 0, 0, -100, 0);
    EXPECT3(sizes.bounds_max, 900, 500, 300, 0); /* of points of one-point curves, too */
    assert_int_equal(sizes.frames, 7);
    strands_close(&f);
}

/* Alembic's own width is a length of the file, scaled by its unit and transforms as points are; groom_width is in cm by the schema. */
static void widths_of_the_schema_are_in_cm(void **state) {
    (void)state;
    static const int32_t counts[1] = {2};
    static const float positions[6] = {0, 0, 0, 0, 1, 0}, widths[1] = {0.25f};
    hair_of_one h;
    strand_fixture f;
    strands_open(&f, 1, 2, 1);
    make(&h, counts, 1, positions, 2, widths, 1);
    for (int k = 0; k < 3; k++)
        h.object.matrix[5 * k] = 2;
    h.object.kind = BWI_HAIR_XFORM; /* the curves' own object stands for the transform above them */
    bwi_groom_sizes sizes;
    assert_int_equal(bwi_groom_sizes_of(&sizes, &h.hair, &h.space, &f.env, &f.error), BW_OK);
    EXPECT1(sizes.width_cm.max, 50, 1e-12);
    EXPECT1(sizes.length_cm.max, 200, 1e-5);
    h.width.name = "groom_width";
    h.width.place = BWI_HAIR_ARBITRARY;
    assert_int_equal(bwi_groom_sizes_of(&sizes, &h.hair, &h.space, &f.env, &f.error), BW_OK);
    EXPECT1(sizes.width_cm.max, 0.25, 0);
    strands_close(&f);
}

static int by_size(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void medians_agree_with_sorting(void **state) {
    (void)state;
    enum { MOST = 3000 };
    static float widths[MOST], sorted[MOST];
    static const int32_t counts[1] = {2};
    static const float positions[6] = {0};
    strand_fixture f;
    strands_open(&f, 1, 2, 1);
    for (size_t n = 1; n <= MOST; n = n * 2 + n % 3) {
        for (int kind = 0; kind < 3; kind++) {
            for (size_t i = 0; i < n; i++) { /* any floats, floats near each other, few values */
                const float r = strands_random(&f);
                const float values[3] = {(r - 0.5f) * ldexpf(1, (int)(200 * strands_random(&f)) - 100), 1 + r * 1e-5f,
                                         floorf(3 * r) - 1};
                widths[i] = values[kind];
                sorted[i] = (float)((double)widths[i] * 100);
            }
            qsort(sorted, n, sizeof *sorted, by_size);
            hair_of_one h;
            make(&h, counts, 1, positions, 2, widths, n);
            bwi_groom_sizes sizes;
            assert_int_equal(bwi_groom_sizes_of(&sizes, &h.hair, &h.space, &f.env, &f.error), BW_OK);
            EXPECT1(sizes.width_cm.min, sorted[0], 0);
            EXPECT1(sizes.width_cm.median, sorted[n / 2], 0);
            EXPECT1(sizes.width_cm.max, sorted[n - 1], 0);
        }
    }
    strands_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(widths_of_the_schema_are_in_cm),
                                       cmocka_unit_test(medians_agree_with_sorting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
