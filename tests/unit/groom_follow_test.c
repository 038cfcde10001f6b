/* SPDX-License-Identifier: MIT
 * Strands that follow guides: the worked example of docs/FORMATS.md, a plain evaluation in double, animations; and fewer strands of a groom. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "groom/groom_complete_priv.h"
#include "scene_builder.h"
#include "strand_fixture.h"

/* Reads `most` points "(x, y, z)" of a line. */
static uint32_t read_points(float *points, uint32_t most, const char *line) {
    uint32_t count = 0;
    for (const char *at = strchr(line, '('); at && count < most; at = strchr(at + 1, '('))
        count += sscanf(at, "(%f, %f, %f)", points + 3 * count, points + 3 * count + 1, points + 3 * count + 2) == 3;
    return count;
}

/* The lines "strand at rest …", "guide 7 at rest …", "guide 7 now …" … of the section. */
static void the_worked_example(void **state) {
    (void)state;
    FILE *file = fopen(BW_SOURCE_DIR "/docs/FORMATS.md", "r");
    assert_non_null(file);
    char line[512];
    bool in_section = false;
    float rest[9 * 3], now[9 * 3], wanted[4 * 3], found[9 * 3], weights[3];
    uint32_t seen = 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "## ", 3) == 0)
            in_section = strstr(line, "Strands from their guides") != NULL;
        if (!in_section)
            continue;
        if (strncmp(line, "strand at rest", 14) == 0)
            seen += read_points(rest, 4, line);
        if (strncmp(line, "guide 7 at rest", 15) == 0)
            seen += read_points(rest + 12, 3, line);
        if (strncmp(line, "guide 9 at rest", 15) == 0)
            seen += read_points(rest + 21, 2, line);
        if (strncmp(line, "guide 7 now", 11) == 0)
            seen += read_points(now + 12, 3, line);
        if (strncmp(line, "guide 9 now", 11) == 0)
            seen += read_points(now + 21, 2, line);
        if (strncmp(line, "strand now", 10) == 0)
            seen += read_points(wanted, 4, line);
        if (strncmp(line, "follows", 7) == 0)
            seen += read_points(weights, 1, strstr(line, "by"));
    }
    fclose(file);
    assert_int_equal(seen, 19);
    uint32_t first_points[4] = {0, 4, 7, 9};
    uint8_t guides[3] = {0, 1, 1};
    int32_t ids[3] = {0, 7, 9}, closest[9] = {7, 9, 7, 7, 7, 7, 9, 9, 9};
    float all_weights[9] = {weights[0], weights[1], weights[2], 1, 0, 0, 1, 0, 0};
    const bw_groom groom = {.strand_count = 3,
                            .point_count = 9,
                            .first_points = first_points,
                            .positions = rest,
                            .guides = guides,
                            .ids = ids,
                            .closest_guides = closest,
                            .guide_weights = all_weights};
    memset(now, 0x7f, 4 * 3 * sizeof *now); /* not read */
    assert_int_equal(bw_groom_follow(found, &groom, now, NULL), BW_OK);
    for (int k = 0; k < 4; k++)
        EXPECT3(found + 3 * k, wanted[3 * k], wanted[3 * k + 1], wanted[3 * k + 2],
                5e-6); /* printed with five places */
    assert_memory_equal(found + 12, now + 12, 5 * 3 * sizeof *now);
    /* In place, as animations are read. */
    memcpy(found, now, sizeof found);
    assert_int_equal(bw_groom_follow(found, &groom, found, NULL), BW_OK);
    EXPECT3(found + 9, wanted[9], wanted[10], wanted[11], 5e-6);
    /* At rest nothing is rounded. */
    assert_int_equal(bw_groom_follow(found, &groom, rest, NULL), BW_OK);
    assert_memory_equal(found, rest, sizeof rest);
}

static void complete(strand_fixture *f) {
    assert_int_equal(bwi_groom_complete(&f->groom, &f->changes, f->arena, &f->opts, NULL, &f->env, &f->error), BW_OK);
}

static void agrees_with_the_formula(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 300, 7, 2);
    strands_scatter(&f);
    complete(&f);
    const bw_groom *g = &f.groom;
    float *now = calloc(g->point_count, 3 * sizeof *now), *found = calloc(g->point_count, 3 * sizeof *found);
    for (uint32_t i = 0; i < 3 * g->point_count; i++)
        now[i] = g->positions[i] + strands_random(&f);
    assert_int_equal(bw_groom_follow(found, g, now, &f.error), BW_OK);
    for (uint32_t i = 0; i < g->strand_count; i++) {
        for (uint32_t k = 0; k < 7 && !bwi_is_guide(g, i); k++) {
            for (uint32_t c = 0; c < 3; c++) {
                double p = (double)strands_root(g, i)[3 * k + c];
                for (uint32_t j = 0; j < 3; j++) {
                    for (uint32_t guide = 0; guide < g->strand_count; guide++) {
                        if (!bwi_is_guide(g, guide) || g->ids[guide] != g->closest_guides[3 * i + j])
                            continue;
                        const uint32_t at = 3 * (g->first_points[guide] + k) + c; /* as many points: u falls on them */
                        p += (double)g->guide_weights[3 * i + j] * ((double)now[at] - (double)g->positions[at]);
                    }
                }
                EXPECT1(found[3 * (g->first_points[i] + k) + c], p, 1e-5); /* floats of 30 cm */
            }
        }
    }
    free(now);
    free(found);
    strands_close(&f);
}

static void what_it_needs(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 20, 3, 1);
    complete(&f);
    float *out = calloc(f.groom.point_count, 3 * sizeof *out);
    bw_groom g = f.groom;
    g.ids = NULL;
    assert_int_equal(bw_groom_follow(out, &g, g.positions, &f.error), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "lacks"));
    g = f.groom;
    g.closest_guides[4] = 3; /* an id, but of hair */
    assert_int_equal(bw_groom_follow(out, &g, g.positions, &f.error), BW_ERR_USAGE);
    assert_string_equal(f.error.message, "strand 1 follows 3, which is the id of no guide; complete the groom first");
    free(out);
    strands_close(&f);
}

/* Three samples: rest, all moved alike, and the same with one strand 3 cm elsewhere. */
static void an_animation_of_guides_alone(void **state) {
    (void)state;
    enum { N = 50, POINTS = 4 };
    strand_fixture f;
    strands_open(&f, N, POINTS, 1);
    strands_scatter(&f);
    const double times_s[3] = {0, 0.5, 1};
    float *values = calloc(3 * N * POINTS * 3, sizeof *values);
    for (uint32_t s = 0; s < 3; s++) {
        for (uint32_t i = 0; i < N * POINTS * 3; i++)
            values[s * N * POINTS * 3 + i] = f.groom.positions[i] + (i % 3 == 0 ? 2.0f * (float)s : 0);
    }
    builder_cache cache;
    f.groom.animation = builder_cached(&cache, 3, times_s, values, N * POINTS * 3);
    complete(&f);
    assert_true(f.groom.animation->sample_count == 3 && f.groom.animation != &cache.cache);
    uint32_t strayed = BW_NO_INDEX;
    for (uint32_t i = 0; i < N && strayed == BW_NO_INDEX; i++)
        strayed = f.groom.guide_weights[3 * i] < 0.99f ? i : strayed;
    assert_true(strayed < N); /* no guide is its copy */
    for (uint32_t k = 0; k < POINTS; k++)
        values[(2 * N * POINTS + strayed * POINTS + k) * 3 + 1] += 3;
    double max_cm, rms_cm;
    f.env.thread_count = 2;
    assert_int_equal(bwi_groom_guides_only(&f.groom, &max_cm, &rms_cm, f.arena, &f.env, &f.error), BW_OK);
    EXPECT1(max_cm, 3, 1e-5); /* floats of 30 cm */
    EXPECT1(rms_cm, sqrt(9.0 * POINTS / (3.0 * N * POINTS)), 1e-5);
    float *read = calloc(f.groom.point_count, 3 * sizeof *read),
          *wanted = calloc(f.groom.point_count, 3 * sizeof *read);
    assert_int_equal(f.groom.animation->read(f.groom.animation->ctx, 2, read, &f.error), BW_OK);
    assert_int_equal(bw_groom_follow(wanted, &f.groom, read, &f.error), BW_OK);
    assert_memory_equal(read, wanted, f.groom.point_count * 3 * sizeof *read);
    for (uint32_t i = 0; i < N * POINTS * 3; i++)
        EXPECT1(read[i], f.groom.positions[i] + (i % 3 == 0 ? 4 : 0), 1e-5);
    /* What cannot be read is told. */
    cache.fails_at = 1;
    assert_int_not_equal(f.groom.animation->read(f.groom.animation->ctx, 1, read, &f.error), BW_OK);
    assert_int_not_equal(bwi_groom_guides_only(&f.groom, &max_cm, &rms_cm, f.arena, &f.env, &f.error), BW_OK);
    free(read);
    free(wanted);
    free(values);
    strands_close(&f);
}

static void a_still_groom_has_no_error(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 5, 2, 1);
    complete(&f);
    double max_cm = 1, rms_cm = 1;
    assert_int_equal(bwi_groom_guides_only(&f.groom, &max_cm, &rms_cm, f.arena, &f.env, &f.error), BW_OK);
    EXPECT1(max_cm, 0, 0);
    EXPECT1(rms_cm, 0, 0);
    assert_null(f.groom.animation);
    strands_close(&f);
}

static void fewer_strands_cover_as_much(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 303, 4, 3);
    strands_scatter(&f);
    for (uint32_t i = 0; i < 300; i++) /* group 2 keeps one of group 0's */
        f.groom.group_of[i] = i % 3 == 2 && i > 2 ? 0 : i % 3;
    complete(&f);
    const bw_groom before = f.groom;
    double covered[3] = {0};
    uint32_t strands[3] = {0}, guides = 0;
    for (uint32_t i = 0; i < before.strand_count; i++) {
        guides += before.guides[i];
        strands[before.group_of[i]] += !before.guides[i];
        covered[before.group_of[i]] += before.guides[i] ? 0 : (double)before.widths[before.first_points[i]];
    }
    assert_int_equal(bwi_groom_decimate(&f.groom, &f.changes, f.arena, 0.25, &f.env, &f.error), BW_OK);
    const bw_groom *g = &f.groom;
    double now[3] = {0};
    uint32_t left[3] = {0}, guides_left = 0, old = 0;
    for (uint32_t i = 0; i < g->strand_count; i++) {
        guides_left += g->guides[i];
        left[g->group_of[i]] += !g->guides[i];
        now[g->group_of[i]] += g->guides[i] ? 0 : (double)g->widths[g->first_points[i]];
        if (g->guides[i])
            EXPECT1(g->widths[g->first_points[i]], 0.01f, 0); /* nothing is drawn of them */
        assert_int_equal(g->ids[i], i);                       /* without gaps, as the repair keeps them */
        while (memcmp(strands_root(g, i), strands_root(&before, old), 4 * 3 * sizeof(float)) != 0 ||
               g->guides[i] != before.guides[old])
            old++; /* in their old order */
        assert_true(old < before.strand_count);
        for (uint32_t j = 0; j < 3; j++) {
            const uint32_t guide = (uint32_t)g->closest_guides[3 * i + j],
                           was = (uint32_t)before.closest_guides[3 * old + j];
            assert_memory_equal(strands_root(g, guide), strands_root(&before, was), 4 * 3 * sizeof(float));
            EXPECT1(g->guide_weights[3 * i + j], before.guide_weights[3 * old + j], 0);
        }
    }
    assert_int_equal(guides_left, guides);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(left[k], strands[k] < 4 ? 1 : (strands[k] + 2) / 4);
        EXPECT1(now[k], covered[k], 1e-6 * covered[k]); /* float widths */
    }
    assert_int_equal(strands_changed(&f, "strands-decimated"), before.strand_count - g->strand_count);
    float *out = calloc(g->point_count, 3 * sizeof *out);
    assert_int_equal(bw_groom_follow(out, g, g->positions, &f.error), BW_OK); /* closest guides still hold */
    free(out);
    strands_close(&f);
}

static void a_group_alone(void **state) {
    (void)state;
    strand_fixture f;
    strands_open(&f, 60, 4, 2);
    strands_scatter(&f);
    complete(&f);
    /* One strand of group 1 follows a guide of group 0. */
    uint32_t foreign = 0;
    while (!f.groom.guides[foreign] || f.groom.group_of[foreign] != 0)
        foreign++;
    f.groom.closest_guides[3] = f.groom.ids[foreign];
    bw_groom *part = NULL;
    assert_int_equal(bwi_groom_take_group(&part, f.arena, &f.groom, 1, &f.error), BW_OK);
    assert_int_equal(part->strand_count, 33);
    assert_int_equal(part->groups.count, 1);
    assert_int_equal(part->groups.data[0].id, 1);
    assert_null(part->group_of);
    for (uint32_t i = 0, k = 0; i < f.groom.strand_count; i++) {
        if (f.groom.group_of[i] != 1)
            continue;
        assert_int_equal(part->ids[k], k);
        assert_memory_equal(strands_root(part, k), strands_root(&f.groom, i), 4 * 3 * sizeof(float));
        for (uint32_t j = 0; j < 3 && i != 1; j++) {
            const uint32_t guide = (uint32_t)part->closest_guides[3 * k + j],
                           was = (uint32_t)f.groom.closest_guides[3 * i + j];
            assert_memory_equal(strands_root(part, guide), strands_root(&f.groom, was), 4 * 3 * sizeof(float));
        }
        k++;
    }
    float *out = calloc(part->point_count, 3 * sizeof *out);
    assert_int_equal(bw_groom_follow(out, part, part->positions, &f.error), BW_OK);
    free(out);
    strands_close(&f);
}

typedef bw_result part_fn(strand_fixture *f, bw_groom **part);

static bw_result decimate(strand_fixture *f, bw_groom **part) {
    (void)part;
    return bwi_groom_decimate(&f->groom, &f->changes, f->arena, 0.5, &f->env, &f->error);
}
static bw_result take_group(strand_fixture *f, bw_groom **part) {
    return bwi_groom_take_group(part, f->arena, &f->groom, 0, &f->error);
}
static bw_result keep_guides(strand_fixture *f, bw_groom **part) {
    (void)part;
    double max_cm, rms_cm;
    return bwi_groom_guides_only(&f->groom, &max_cm, &rms_cm, f->arena, &f->env, &f->error);
}

static void failing_allocations(void **state) {
    (void)state;
    part_fn *const calls[] = {decimate, take_group, keep_guides};
    const double times_s[2] = {0, 1};
    static float values[2 * 900 * 4 * 3];
    for (size_t c = 0; c < 3; c++) {
        bw_result result = BW_ERR_MEMORY;
        int64_t failed = 0;
        for (; result != BW_OK; failed++) {
            assert_true(failed < 100);
            strand_fixture f;
            strands_open(&f, 900, 4, 2);
            strands_scatter(&f);
            builder_cache cache;
            f.groom.animation = builder_cached(&cache, 2, times_s, values, 900 * 4 * 3);
            complete(&f);
            const bw_groom before = f.groom;
            bw_groom *part = NULL;
            f.mem.fail_after = failed;
            result = calls[c](&f, &part);
            f.mem.fail_after = -1;
            if (result != BW_OK) {
                assert_int_equal(result, BW_ERR_MEMORY);
                assert_memory_equal(&before, &f.groom, sizeof before);
                assert_null(part);
            }
            strands_close(&f);
        }
        assert_true(failed > 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example),
        cmocka_unit_test(agrees_with_the_formula),
        cmocka_unit_test(what_it_needs),
        cmocka_unit_test(an_animation_of_guides_alone),
        cmocka_unit_test(a_still_groom_has_no_error),
        cmocka_unit_test(fewer_strands_cover_as_much),
        cmocka_unit_test(a_group_alone),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
