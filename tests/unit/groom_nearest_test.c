/* SPDX-License-Identifier: MIT
 * The tree of boxes against a search of all pairs, and how even choices are. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "groom/groom_complete_priv.h"
#include "strand_fixture.h"

enum { MOST = 4000, KEPT = 8 };

typedef struct cloud {
    float p[MOST][3];
    uint32_t count;
} cloud;

static double distance(const void *ctx, uint32_t item, const double p[3]) {
    const cloud *c = ctx;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double off = (double)c->p[item][k] - p[k];
        sum += off * off;
    }
    return sum;
}

/* All pairs, kept sorted by distance, then number. */
static uint32_t search_all(uint32_t *items, double *squared, const cloud *c, const double p[3]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const double d = distance(c, i, p);
        uint32_t at = count < KEPT ? count++ : KEPT;
        for (; at > 0 && (at == KEPT ? d < squared[KEPT - 1] : d < squared[at - 1]); at--) {
            if (at < KEPT) {
                squared[at] = squared[at - 1];
                items[at] = items[at - 1];
            }
        }
        if (at < KEPT) {
            squared[at] = d;
            items[at] = i;
        }
    }
    return count;
}

static void compare_with_all(const cloud *c, strand_fixture *f) {
    bwi_box_tree tree;
    assert_int_equal(bwi_box_tree_build(&tree, f->arena, c->p[0], c->p[0], 3, c->count, &f->error), BW_OK);
    for (int q = 0; q < 3000; q++) {
        double p[3], squared[KEPT], wanted_squared[KEPT];
        uint32_t items[KEPT], wanted[KEPT];
        for (int k = 0; k < 3; k++)
            p[k] = q % 3 ? (double)(24 * strands_random(f) - 2) : (double)c->p[(uint32_t)q % c->count][k];
        const uint32_t count = bwi_box_tree_nearest(items, squared, &tree, p, KEPT, HUGE_VAL, 0, distance, c);
        assert_int_equal(count, search_all(wanted, wanted_squared, c, p));
        assert_memory_equal(items, wanted, count * sizeof *items);
        assert_memory_equal(squared, wanted_squared, count * sizeof *squared);
    }
}

static void nearest_agrees_with_all_pairs(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 1, 2, 1);
    static cloud c;
    for (uint32_t count = 1; count <= MOST; count = count * 3 + 1) {
        c.count = count;
        for (uint32_t i = 0; i < count; i++) {
            for (int k = 0; k < 3; k++)
                c.p[i][k] = 20 * strands_random(&f);
        }
        compare_with_all(&c, &f);
    }
    strands_close(&f);
}

/* On a coarse lattice most distances are equal, and many points share a place. */
static void equal_distances_go_by_number(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 1, 2, 1);
    static cloud c;
    c.count = MOST;
    for (uint32_t i = 0; i < c.count; i++) {
        for (int k = 0; k < 3; k++)
            c.p[i][k] = floorf(6 * strands_random(&f)) * 4;
    }
    compare_with_all(&c, &f);
    /* One point far away must not make the others one cell. */
    c.p[7][0] = 1e8f;
    compare_with_all(&c, &f);
    strands_close(&f);
}

static uint64_t looked_at;

static double counted_distance(const void *ctx, uint32_t item, const double p[3]) {
    looked_at++;
    return distance(ctx, item, p);
}

static void coincident_points_are_not_all_looked_at(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 1, 2, 1);
    static cloud c;
    memset(&c, 0, sizeof c);
    c.count = MOST;
    bwi_box_tree tree;
    assert_int_equal(bwi_box_tree_build(&tree, f.arena, c.p[0], c.p[0], 3, c.count, &f.error), BW_OK);
    const double p[3] = {0, 0, 0};
    uint32_t items[KEPT];
    double squared[KEPT];
    looked_at = 0;
    assert_int_equal(bwi_box_tree_nearest(items, squared, &tree, p, KEPT, HUGE_VAL, 0, counted_distance, &c), KEPT);
    for (uint32_t k = 0; k < KEPT; k++)
        assert_int_equal(items[k], k);
    assert_true(looked_at < 64); /* a leaf or a few; all would be 4,000 */
    strands_close(&f);
}

/* Distance of each chosen spot to the next, in the mean, over that of points thrown at random: Clark and Evans' index, 1 for a random choice. */
static double evenness(const cloud *c, const uint32_t *chosen, uint32_t count, double area) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double least = HUGE_VAL;
        for (uint32_t j = 0; j < count; j++) {
            const float *a = c->p[chosen[i]], *b = c->p[chosen[j]];
            const double off = hypot((double)a[0] - (double)b[0], (double)a[1] - (double)b[1]);
            least = j != i && off < least ? off : least;
        }
        sum += least;
    }
    return sum / count / (0.5 * sqrt(area / count));
}

static void choices_are_more_even_than_chance(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 1, 2, 1);
    static cloud c;
    static bwi_spot spots[MOST];
    static uint32_t chosen[MOST], random[MOST];
    c.count = MOST;
    for (uint32_t i = 0; i < c.count; i++) {
        c.p[i][0] = 20 * strands_random(&f);
        c.p[i][1] = 20 * strands_random(&f);
    }
    const uint32_t shares[] = {40, 399, 1000};
    for (size_t s = 0; s < 3; s++) {
        for (uint32_t i = 0; i < c.count; i++) {
            memcpy(spots[i].p, c.p[i], sizeof spots[i].p);
            spots[i].item = i;
        }
        bwi_spread(chosen, spots, c.count, shares[s]);
        for (uint32_t i = 1; i < shares[s]; i++)
            assert_true(chosen[i] > chosen[i - 1] && chosen[i] < c.count);
        for (uint32_t i = 0; i < shares[s]; i++)
            random[i] = i; /* the points themselves are random */
        const double even = evenness(&c, chosen, shares[s], 400), chance = evenness(&c, random, shares[s], 400);
        print_message("%u of %u: evenness %.2f, by chance %.2f\n", shares[s], c.count, even, chance);
        assert_true(even > 1.2 * chance); /* 1.27 to 1.36 times seen; the border adds to both where points are few */
    }
    strands_close(&f);
}

/* Where roots are dense, as many more are chosen: every cell stands for as many strands. */
static void choices_keep_the_density(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 1, 2, 1);
    static bwi_spot spots[MOST];
    static uint32_t chosen[MOST];
    for (uint32_t i = 0; i < MOST; i++) {
        const bool dense = i % 4 != 0; /* three quarters in a hundredth of the area */
        spots[i].p[0] = (dense ? 1.0f : 10.0f) * strands_random(&f) + (dense ? 0 : 5);
        spots[i].p[1] = (dense ? 1.0f : 10.0f) * strands_random(&f);
        spots[i].item = i;
    }
    bwi_spread(chosen, spots, MOST, 400);
    uint32_t dense = 0;
    for (uint32_t i = 0; i < 400; i++)
        dense += chosen[i] % 4 != 0;
    assert_in_range(dense, 290, 310); /* 300 ± cells that lie across */
    strands_close(&f);
}

static void choices_at_the_ends(void **state) {
    (void)state;
    bwi_spot spots[5] = {{{0}, 3}, {{0}, 9}, {{0}, 1}, {{0}, 7}, {{0}, 5}};
    uint32_t chosen[5];
    bwi_spread(chosen, spots, 5, 1);
    assert_int_equal(chosen[0], 1); /* all as near: the least number */
    bwi_spread(chosen, spots, 5, 5);
    for (uint32_t k = 0; k < 5; k++)
        assert_int_equal(chosen[k], 2 * k + 1);
    assert_int_equal(bwi_share(10, 0.1), 1);
    assert_int_equal(bwi_share(10, 0.00001), 1);
    assert_int_equal(bwi_share(10, 1), 10);
    assert_int_equal(bwi_share(10, 0.25), 3);
    assert_int_equal(bwi_share(UINT32_MAX, 1), UINT32_MAX);
}

static int by_x(const void *a, const void *b) {
    const bwi_spot *x = a, *y = b;
    if (x->p[0] != y->p[0])
        return x->p[0] < y->p[0] ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/* Against qsort: sorted, reversed, equal, few values, and an organ pipe, which is bad for medians of three. */
static void splits_agree_with_sorting(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 1, 2, 1);
    static bwi_spot spots[1000], sorted[1000];
    for (int kind = 0; kind < 6; kind++) {
        for (size_t nth = 0; nth <= 1000; nth += 37) {
            for (uint32_t i = 0; i < 1000; i++) {
                const float values[] = {(float)i,
                                        (float)(1000 - i),
                                        5,
                                        floorf(4 * strands_random(&f)),
                                        (float)(i < 500 ? i : 1000 - i),
                                        strands_random(&f)};
                spots[i] = sorted[i] = (bwi_spot){{values[kind], 0, 0}, (i * 7919) % 1000};
            }
            qsort(sorted, 1000, sizeof *sorted, by_x);
            bwi_spots_split(spots, 1000, nth, 0);
            qsort(spots, nth, sizeof *spots, by_x);
            qsort(spots + nth, 1000 - nth, sizeof *spots, by_x);
            for (size_t i = 0; i < 1000; i++)
                assert_int_equal(spots[i].item, sorted[i].item);
        }
    }
    strands_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_agrees_with_all_pairs),
        cmocka_unit_test(equal_distances_go_by_number),
        cmocka_unit_test(coincident_points_are_not_all_looked_at),
        cmocka_unit_test(choices_are_more_even_than_chance),
        cmocka_unit_test(choices_keep_the_density),
        cmocka_unit_test(choices_at_the_ends),
        cmocka_unit_test(splits_agree_with_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
