/* SPDX-License-Identifier: MIT
 * Widths, groups, ids, guides, closest guides and weights that a groom lacks, by hand and against all pairs. */
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

static bw_result complete(strand_fixture *f) {
    return bwi_groom_complete(&f->groom, &f->changes, f->arena, &f->opts, NULL, &f->env, &f->error);
}

/* What bakewell/groom.h promises of a groom. */
static void expect_whole(const bw_groom *g) {
    assert_true(g->groups.count > 0);
    assert_non_null(g->ids);
    assert_non_null(g->widths);
    assert_non_null(g->root_uvs);
    for (uint32_t i = 0; i < g->strand_count; i++) {
        assert_true(g->ids[i] >= 0);
        for (uint32_t j = 0; j < i && g->strand_count < 500; j++)
            assert_int_not_equal(g->ids[i], g->ids[j]);
        assert_true(bwi_group_of(g, i) < g->groups.count);
        for (uint32_t c = 0; c < 2; c++)
            assert_true(isfinite(g->root_uvs[2 * i + c]));
        if (!g->closest_guides)
            continue;
        const float *w = g->guide_weights + 3 * i;
        assert_true((w[0] + w[1]) + w[2] == 1 && w[0] + (w[1] + w[2]) == 1);
        assert_true(w[0] >= 0 && w[1] >= 0 && w[2] >= 0);
    }
    for (uint32_t i = 0; i < g->point_count; i++)
        assert_true(isfinite(g->widths[i]));
}

static void a_bare_groom_gets_everything(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 200, 5, 2);
    strands_scatter(&f);
    f.groom.groups.data[1].name = NULL;
    assert_int_equal(complete(&f), BW_OK);
    expect_whole(&f.groom);
    assert_int_equal(f.groom.strand_count, 220); /* a tenth of each group's hundred, copied */
    assert_string_equal(f.groom.groups.data[0].name, "hair");
    assert_string_equal(f.groom.groups.data[1].name, "Group_1");
    for (uint32_t i = 0; i < 220; i++) {
        assert_int_equal(bwi_is_guide(&f.groom, i), i >= 200);
        assert_int_equal(f.groom.ids[i], i);
    }
    assert_int_equal(strands_changed(&f, "guides-added"), 20);
    assert_int_equal(strands_changed(&f, "ids-added"), 200);
    assert_int_equal(strands_changed(&f, "widths-added"), 200);
    assert_int_equal(strands_changed(&f, "root-uvs-added"), 200);
    assert_int_equal(strands_changed(&f, "closest-guides-added"), 220);
    strands_close(&f);
}

/* Copies are what they were copied from, and hair that has its guide follows it alone. */
static void guides_are_copies(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 60, 4, 1);
    strands_scatter(&f);
    assert_int_equal(complete(&f), BW_OK);
    const bw_groom *g = &f.groom;
    for (uint32_t i = 60; i < g->strand_count; i++) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < 60; j++) {
            if (memcmp(strands_root(g, i), strands_root(g, j), 4 * 3 * sizeof(float)) != 0)
                continue;
            same++;
            assert_int_equal(g->closest_guides[3 * j], g->ids[i]);
            EXPECT3(g->guide_weights + 3 * j, 1, 0, 0, 0);
            assert_memory_equal(g->root_uvs + 2 * i, g->root_uvs + 2 * j, 2 * sizeof(float));
        }
        assert_int_equal(same, 1);
        for (int j = 0; j < 3; j++)
            assert_int_equal(g->closest_guides[3 * i + (uint32_t)j], g->ids[i]);
        EXPECT3(g->guide_weights + 3 * i, 1, 0, 0, 0);
    }
    strands_close(&f);
}

static void completing_again_changes_nothing(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 300, 6, 3);
    strands_scatter(&f);
    assert_int_equal(complete(&f), BW_OK);
    const bw_groom once = f.groom;
    bwi_warnings_init(&f.changes, f.arena);
    assert_int_equal(complete(&f), BW_OK);
    assert_int_equal(f.changes.count, 0);
    assert_int_equal(f.groom.strand_count, once.strand_count);
    assert_memory_equal(f.groom.widths, once.widths, once.point_count * sizeof(float));
    assert_memory_equal(f.groom.ids, once.ids, once.strand_count * sizeof(int32_t));
    assert_memory_equal(f.groom.root_uvs, once.root_uvs, once.strand_count * 2 * sizeof(float));
    assert_memory_equal(f.groom.closest_guides, once.closest_guides, once.strand_count * 3 * sizeof(int32_t));
    assert_memory_equal(f.groom.guide_weights, once.guide_weights, once.strand_count * 3 * sizeof(float));
    strands_close(&f);
}

static void threads_change_nothing(void **state) {
    (void)state;
    strand_fixture f[2];
    for (int k = 0; k < 2; k++) {
        strands_open(&f[k], 9000, 4, 2);
        strands_scatter(&f[k]);
        f[k].env.thread_count = k ? 4 : 1;
        assert_int_equal(complete(&f[k]), BW_OK);
    }
    const bw_groom *a = &f[0].groom, *b = &f[1].groom;
    assert_int_equal(a->strand_count, b->strand_count);
    assert_memory_equal(a->closest_guides, b->closest_guides, a->strand_count * 3 * sizeof(int32_t));
    assert_memory_equal(a->guide_weights, b->guide_weights, a->strand_count * 3 * sizeof(float));
    assert_memory_equal(a->root_uvs, b->root_uvs, a->strand_count * 2 * sizeof(float));
    strands_close(&f[0]);
    strands_close(&f[1]);
}

static void widths_taper(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 2, 5, 1);
    f.opts.width = 0.02;
    f.opts.taper = 0.25;
    f.groom.widths = bwi_arena_alloc(f.arena, 10, sizeof(float));
    for (int k = 0; k < 10; k++)
        f.groom.widths[k] = k < 5 ? 0.5f : NAN;
    assert_int_equal(complete(&f), BW_OK);
    for (int k = 0; k < 5; k++)
        EXPECT1(f.groom.widths[k], 0.5, 0);
    const double wanted[5] = {0.02, 0.01625, 0.0125, 0.00875, 0.005};
    for (int k = 0; k < 5; k++)
        EXPECT1(f.groom.widths[5 + k], (float)wanted[k], 0);
    assert_int_equal(strands_changed(&f, "widths-added"), 1);
    strands_close(&f);
    strands_open(&f, 1, 2, 1);
    assert_int_equal(complete(&f), BW_OK);
    EXPECT1(f.groom.widths[0], 0.01f, 0);
    EXPECT1(f.groom.widths[1], 0.01f, 0);
    strands_close(&f);
}

static void ids_are_made_sound(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 7, 3, 1);
    uint8_t *guides = strands_add_guides(&f);
    guides[1] = guides[3] = guides[5] = guides[6] = 1;
    const int32_t given[7] = {5, 5, -3, 2, 0, 2, 16777217};
    memcpy(strands_add_ids(&f), given, sizeof given);
    assert_int_equal(complete(&f), BW_OK);
    /* Guides before hair, of two guides the last; the rest gets 1, 3, 4 … which are free. */
    const int32_t wanted[7] = {1, 5, 3, 4, 0, 2, 6};
    assert_memory_equal(f.groom.ids, wanted, sizeof wanted);
    assert_int_equal(strands_changed(&f, "ids-changed"), 4);
    assert_int_equal(strands_changed(&f, "guides-added"), 0);
    strands_close(&f);
}

/* A group of guides alone gets hair; Unity, which draws all, gets no copies. */
static void guides_alone(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 4, 3, 2);
    memset(strands_add_guides(&f), 1, 4);
    f.groom.guides[1] = 0;
    assert_int_equal(complete(&f), BW_OK);
    assert_int_equal(f.groom.strand_count, 6);
    assert_int_equal(strands_changed(&f, "hair-added"), 2);
    const uint8_t wanted[6] = {1, 0, 1, 1, 0, 0};
    assert_memory_equal(f.groom.guides, wanted, 6);
    expect_whole(&f.groom);
    strands_close(&f);

    strands_open(&f, 40, 3, 2);
    f.opts.engine = BW_GROOM_UNITY;
    assert_int_equal(complete(&f), BW_OK);
    assert_int_equal(f.groom.strand_count, 40);
    assert_null(f.groom.closest_guides);
    assert_null(f.groom.guide_weights);
    strands_close(&f);
}

static void few_guides(void **state) {
    (void)state;
    for (uint32_t guides = 1; guides <= 3; guides++) {
        strand_fixture f;
        strands_open(&f, 6, 3, 1);
        strands_add_guides(&f);
        for (uint32_t i = 0; i < 6; i++) {
            f.groom.guides[i] = i < guides;
            strands_move(&f, i, (float)i, 0, 0);
        }
        assert_int_equal(complete(&f), BW_OK);
        expect_whole(&f.groom);
        assert_int_equal(f.groom.strand_count, 6);
        /* Strand 4 is 4, 3, 2 away from guides 0, 1, 2. */
        const int32_t *ids = f.groom.closest_guides + 12;
        const float *w = f.groom.guide_weights + 12;
        const double parts[3] = {1.0 / (5 - guides), guides > 1 ? 1.0 / (6 - guides) : 0, guides > 2 ? 1.0 / 4 : 0};
        const double sum = parts[0] + parts[1] + parts[2];
        assert_int_equal(ids[0], guides - 1);
        assert_int_equal(ids[1], guides > 1 ? guides - 2 : 0);
        assert_int_equal(ids[2], guides > 2 ? 0 : guides - 1);
        for (int j = 0; j < 3; j++)
            EXPECT1(w[j], parts[j] / sum, 1e-6); /* whole multiples of 2^-20 */
        strands_close(&f);
    }
}

static void one_strand(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 1, 2, 1);
    assert_int_equal(complete(&f), BW_OK);
    assert_int_equal(f.groom.strand_count, 2);
    expect_whole(&f.groom);
    EXPECT1(f.groom.root_uvs[0], 0.5, 0);
    EXPECT1(f.groom.root_uvs[1], 0.5, 0);
    strands_close(&f);
}

static void coincident_roots(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 20000, 2, 1);
    f.opts.guides = 0.5;
    assert_int_equal(complete(&f), BW_OK); /* in a blink: all pairs would be 2 · 10^8 */
    assert_int_equal(f.groom.strand_count, 30000);
    expect_whole(&f.groom);
    strands_close(&f);
}

/* The mean distance, root to root and what comes apart after that; the three least of the eight guides nearest by root. */
static void closest_agree_with_all_pairs(void **state) {
    (void)state;
    strand_fixture f;
    enum { N = 3000, POINTS = 8 };
    strands_open(&f, N, POINTS, 2);
    strands_scatter(&f);
    strands_add_guides(&f);
    for (uint32_t i = 0; i < N; i += 1 + i % 7)
        f.groom.guides[i] = 1;
    assert_int_equal(complete(&f), BW_OK);
    const bw_groom *g = &f.groom;
    for (uint32_t i = 0; i < N; i++) {
        if (g->guides[i])
            continue;
        double best[9];
        uint32_t near[9], count = 0;
        for (uint32_t j = 0; j < N; j++) {
            if (!g->guides[j] || g->group_of[j] != g->group_of[i])
                continue;
            double squared = 0;
            for (int c = 0; c < 3; c++) {
                const double off = (double)strands_root(g, j)[c] - (double)strands_root(g, i)[c];
                squared += off * off;
            }
            uint32_t at = count;
            for (; at > 0 && squared < best[at - 1]; at--) {
                best[at] = best[at - 1];
                near[at] = near[at - 1];
            }
            best[at] = squared;
            near[at] = j;
            count += count < 8;
        }
        double apart[9];
        uint32_t like[9], kept = 0;
        for (uint32_t k = 0; k < count; k++) {
            double sum = 0;
            for (uint32_t p = 1; p < POINTS; p++) {
                for (uint32_t c = 0; c < 3; c++) {
                    const float *a = strands_root(g, i), *b = strands_root(g, near[k]);
                    const double off = ((double)a[3 * p + c] - (double)b[3 * p + c]) - ((double)a[c] - (double)b[c]);
                    sum += off * off;
                }
            }
            const double score = sqrt(best[k]) + sqrt(sum / (POINTS - 1));
            uint32_t at = kept++;
            for (; at > 0 && score < apart[at - 1]; at--) {
                apart[at] = apart[at - 1];
                like[at] = like[at - 1];
            }
            apart[at] = score;
            like[at] = near[k];
        }
        double sum = 0;
        for (int j = 0; j < 3; j++)
            sum += 1 / apart[j];
        for (uint32_t j = 0; j < 3; j++) {
            assert_int_equal(g->closest_guides[3 * i + j], g->ids[like[j]]);
            EXPECT1(g->guide_weights[3 * i + j], 1 / apart[j] / sum,
                    3e-6); /* multiples of 2^-20, the largest takes what is left */
        }
    }
    strands_close(&f);
}

/* What a file names stays where it holds; the rest is replaced, strand by strand. */
static void closest_of_the_file(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 9, 3, 2);
    strands_add_guides(&f);
    strands_add_ids(&f);
    for (uint32_t i = 0; i < 9; i++)
        strands_move(&f, i, (float)i, 0, 0);
    memcpy(f.groom.guides, (uint8_t[]){1, 1, 1, 1, 1, 0, 0, 0, 0}, 9); /* of group 0: 0, 2, 4; of group 1: 1, 3 */
    f.groom.closest_guides = bwi_arena_alloc(f.arena, 27, sizeof(int32_t));
    f.groom.guide_weights = bwi_arena_alloc(f.arena, 27, sizeof(float));
    const int32_t given[4][3] = {{1, 3, 1}, {0, 2, 4}, {1, 0, 3}, {4, 8, -1}};
    const float weights[4][3] = {{0.25f, 0.75f, 0}, {2, 1, 1}, {0.5f, 0.25f, 0.25f}, {1, 0, 0}};
    memcpy(f.groom.closest_guides + 15, given, sizeof given);
    memcpy(f.groom.guide_weights + 15, weights, sizeof weights);
    for (uint32_t i = 0; i < 15; i++)
        f.groom.closest_guides[i] = -1;
    assert_int_equal(complete(&f), BW_OK);
    expect_whole(&f.groom);
    const int32_t *ids = f.groom.closest_guides + 15;
    const float *w = f.groom.guide_weights + 15;
    assert_memory_equal(ids, given[0], sizeof given[0]); /* holds */
    assert_memory_equal(w, weights[0], sizeof weights[0]);
    assert_memory_equal(ids + 3, given[1], sizeof given[1]); /* sums to 4 */
    EXPECT3(w + 3, 0.5, 0.25, 0.25, 0);
    assert_true(ids[6] % 2 == 1 && ids[7] % 2 == 1 && ids[8] % 2 == 1); /* 0 is of the other group */
    assert_int_equal(ids[9], 4);                                        /* 8 and −1 weigh nothing */
    assert_int_equal(ids[10], 4);
    assert_int_equal(ids[11], 4);
    EXPECT3(w + 9, 1, 0, 0, 0);
    assert_int_equal(strands_changed(&f, "guide-weights-changed"), 1);
    assert_int_equal(strands_changed(&f, "closest-guides-replaced"), 2);
    assert_int_equal(strands_changed(&f, "closest-guides-added"), 5);
    strands_close(&f);
}

/* Wherever an allocation fails the groom is as it was. */
static void failing_allocations(void **state) {
    (void)state;
    bw_result result = BW_ERR_MEMORY;
    for (int64_t k = 0; result != BW_OK; k++) {
        assert_true(k < 200);
        strand_fixture f;
        strands_open(&f, 3000, 4, 2);
        strands_scatter(&f);
        const bw_groom before = f.groom;
        f.mem.fail_after = k;
        result = complete(&f);
        f.mem.fail_after = -1;
        if (result != BW_OK) {
            assert_int_equal(result, BW_ERR_MEMORY);
            assert_memory_equal(&before, &f.groom, sizeof before);
        }
        strands_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_groom_gets_everything),
        cmocka_unit_test(guides_are_copies),
        cmocka_unit_test(completing_again_changes_nothing),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(widths_taper),
        cmocka_unit_test(ids_are_made_sound),
        cmocka_unit_test(guides_alone),
        cmocka_unit_test(few_guides),
        cmocka_unit_test(one_strand),
        cmocka_unit_test(coincident_roots),
        cmocka_unit_test(closest_agree_with_all_pairs),
        cmocka_unit_test(closest_of_the_file),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
