/* SPDX-License-Identifier: MIT
 * Whole walks over bakes made by hand: planted errors are found where they are, of the size they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bake_fixture.h"
#include "expect.h"
#include "image_fixture.h"
#include "list_fixture.h"
#include "metric/metric.h"
#include "scene_builder.h"

enum { V = 6, FRAMES = 7 };

/* Two triangles, "low" and "high" (1 m up).  Clip "A" moves both along x, 1 m a second for 2 s; clip "B" moves "high" along z for 3 s, in
 * steps where asked.  Texels are floats: frame k of a clip is k seconds after its start. */
typedef struct walk_fixture {
    bake_fixture bake;
    scene_builder b;
    list_fixture list;
    float texels[FRAMES][V][4];
    bw_error_report report;
} walk_fixture;

static const float REST[V][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {1, 1, 0}, {0, 2, 0}};
static const float TWO[] = {10, 12}, ALONG[] = {0, 0, 0, 2, 0, 0}, UP_ALONG[] = {0, 1, 0, 2, 1, 0};
static const float THREE[] = {0, 3}, AWAY[] = {0, 1, 0, 0, 1, 3};
static const float STEPS[] = {0, 1.5f, 3}, STEPPED[] = {0, 1, 0, 0, 1, 2, 0, 1, 2};

static void make_source(walk_fixture *w, bool steps) {
    builder_init(&w->b);
    const uint32_t low = builder_triangle(&w->b, "low", BW_NO_INDEX),
                   high = builder_triangle(&w->b, "high", BW_NO_INDEX);
    w->b.nodes[high].translation[1] = 1;
    const uint32_t a = builder_clip(&w->b, "A"), b = builder_clip(&w->b, "B");
    builder_channel(&w->b, a, low, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, TWO, ALONG);
    builder_channel(&w->b, a, high, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, TWO, UP_ALONG);
    if (steps)
        builder_channel(&w->b, b, high, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_STEP, 3, STEPS, STEPPED);
    else
        builder_channel(&w->b, b, high, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 2, THREE, AWAY);
    assert_int_equal(fixture_open(&w->list, builder_finish(&w->b), NULL), BW_OK);
    assert_int_equal(w->list.list->vertex_count, V);
}

static void make_bake(walk_fixture *w, bool steps) {
    static const char *const names[] = {"A", "B"};
    memset(w, 0, sizeof *w);
    make_source(w, steps);
    bake_fixture *f = &w->bake;
    bake_begin(f, V, FRAMES, FRAMES);
    for (size_t i = 0; i < V; i++)
        for (size_t frame = 0; frame < FRAMES; frame++) {
            float *texel = w->texels[frame][i];
            memcpy(texel, REST[i], sizeof REST[i]);
            if (frame < 3)
                texel[0] += (float)frame;
            else if (i >= 3)
                texel[2] += steps ? (frame < 5 ? 0 : 2) : (float)(frame - 3);
            texel[3] = 1;
        }
    memcpy(f->positions, REST, sizeof REST);
    f->clips[0].frame_count = 3;
    f->clips[0].source_start_s = 10;
    f->clips[0].source_end_s = 12;
    f->clips[1] = (bwi_manifest_clip){
        .name = "B", .first_frame = 3, .frame_count = 4, .rate_fps = 1, .duration_s = 3, .source_end_s = 3};
    f->manifest.clips.count = 2;
    for (size_t c = 0; c < 2; c++) {
        const float max[] = {c ? 1 : 3, 2, c ? (steps ? 2 : 3) : 0};
        memset(f->clips[c].bounds_min, 0, sizeof f->clips[c].bounds_min);
        memcpy(f->clips[c].bounds_max, max, sizeof max);
        f->clips[c].source_names = (bw_string_list){&names[c], 1};
    }
    f->manifest.bounds_max[0] = 3;
    f->manifest.bounds_max[1] = 2;
    f->manifest.bounds_max[2] = steps ? 2 : 3;
    bake_texture(f, BWI_ROLE_POSITION, 0, V, FRAMES, BW_VAT_FORMAT_KTX2_F32, BWI_DECODE_ABSOLUTE, w->texels);
}

/* The same as two pieces that travel, their pivots the origins of the nodes. */
static void make_pieces(walk_fixture *w, float texels[FRAMES + 1][4][4]) {
    make_bake(w, false);
    bake_fixture *f = &w->bake;
    f->manifest.textures.count = 0;
    bake_bones(f, BW_VAT_MODE_RIGID, 2, 2, BW_VAT_SKIN_IN_DEFAULT, 1);
    for (int block = 0; block <= FRAMES; block++)
        for (int piece = 0; piece < 2; piece++) {
            float(*at)[4] = &texels[block][2 * piece];
            const int frame = block - 1;
            memset(at, 0, 2 * sizeof *at);
            at[0][0] = block == 0 || frame >= 3 ? 0 : (float)frame;
            at[0][1] = (float)piece;
            at[0][2] = piece && frame >= 3 ? (float)(frame - 3) : 0;
            at[0][3] = at[1][3] = 1;
        }
    for (size_t i = 0; i < V; i++) {
        f->uvs[2 * i] = i < 3 ? 0.125f : 0.625f;
        f->uvs[2 * i + 1] = 0.5f / (FRAMES + 1);
    }
    bake_texture(f, BWI_ROLE_BONES, 0, 4, FRAMES + 1, BW_VAT_FORMAT_EXR32, BWI_DECODE_BONE_QUATERNION, texels);
}

static bw_result walk(walk_fixture *w, bool with_source) {
    bake_fixture *f = &w->bake;
    bake_write_files(f);
    bake_write_manifest(f);
    if (bake_open(f) != BW_OK || f->findings.count)
        fail_msg("%s", f->findings.count ? f->findings.data[0].message : f->error.message);
    w->report = (bw_error_report){0};
    return bwi_metric_walk(&w->report, f->decoder, with_source ? w->list.list : NULL, &f->env, &f->findings, &f->error);
}

static void close_all(walk_fixture *w) {
    bake_end(&w->bake);
    fixture_close(&w->list);
}

static void a_true_bake_has_no_error(void **state) {
    (void)state;
    walk_fixture w;
    make_bake(&w, false);
    assert_int_equal(walk(&w, true), BW_OK);
    assert_int_equal(w.bake.findings.count, 0);
    assert_int_equal(w.report.stored.count, FRAMES * V);
    assert_int_equal(w.report.between.count, 5 * V); /* two intervals and three; none from clip to clip */
    assert_int_equal(w.report.between_step.count, 0);
    assert_true(w.report.stored.max == 0 && w.report.between.max == 0);
    assert_int_equal(walk(&w, false), BW_OK);
    assert_int_equal(w.report.stored.count, 0);
    close_all(&w);
}

static void a_wrong_texel_is_named(void **state) {
    (void)state;
    walk_fixture w;
    make_bake(&w, false);
    w.texels[5][4][1] += 0.25f; /* clip B, frame 2, element 4 of part "high"; inside the bounds */
    w.texels[1][0][2] -= 0.0f;
    assert_int_equal(walk(&w, true), BW_OK);
    assert_int_equal(w.bake.findings.count, 0);
    const bw_error_stats *stored = &w.report.stored, *between = &w.report.between;
    assert_true(stored->max == 0.25);
    assert_string_equal(stored->worst.clip, "B");
    assert_string_equal(stored->worst.part, "high");
    assert_int_equal(stored->worst.frame, 2);
    assert_int_equal(stored->worst.vertex, 4);
    assert_true(stored->worst.time_s == 2);
    EXPECT1(stored->rms, 0.25 / sqrt(FRAMES * V), 1e-12);
    EXPECT1(stored->max_relative, 0.25 / sqrt(1 + 4 + 9), 1e-7);
    assert_true(between->max == 0.125); /* half-way to it and from it */
    assert_int_equal(between->worst.frame, 1);
    assert_true(between->worst.time_s == 1); /* the earlier frame's */
    close_all(&w);
}

/* The step at 1.5 s lies in B's second interval: half-way is the very key, so the true pose is the new one and the mixed one lags by half. */
static void steps_are_counted_apart(void **state) {
    (void)state;
    walk_fixture w;
    make_bake(&w, true);
    assert_int_equal(walk(&w, true), BW_OK);
    assert_int_equal(w.bake.findings.count, 0);
    assert_true(w.report.stored.max == 0 && w.report.between.max == 0);
    assert_int_equal(w.report.between.count, 4 * V);
    assert_int_equal(w.report.between_step.count, V);
    assert_true(w.report.between_step.max == 1);
    assert_string_equal(w.report.between_step.worst.clip, "B");
    assert_string_equal(w.report.between_step.worst.part, "high");
    assert_int_equal(w.report.between_step.worst.frame, 1);
    close_all(&w);
}

/* Bounds are checked without a source too, by clip and axis. */
static void wrong_bounds_are_found(void **state) {
    (void)state;
    for (int with_source = 0; with_source < 2; with_source++) {
        walk_fixture w;
        make_bake(&w, false);
        w.bake.clips[1].bounds_max[2] = w.bake.manifest.bounds_max[2] = 2.999f;
        assert_int_equal(walk(&w, with_source), BW_OK);
        assert_int_equal(w.bake.findings.count, 1);
        assert_int_equal(bake_found(&w.bake, "bounds"), 1);
        assert_non_null(strstr(w.bake.findings.data[0].first, "clip 'B', axis z: 0 … 3, expected 0 … 2.999"));
        close_all(&w);

        make_bake(&w, false);
        w.bake.clips[0].bounds_min[1] = w.bake.manifest.bounds_min[1] =
            -0.5f; /* too large is wrong too: texels would not fill it */
        assert_int_equal(walk(&w, with_source), BW_OK);
        assert_non_null(strstr(w.bake.findings.data[0].first, "clip 'A', axis y"));
        close_all(&w);

        make_bake(&w, false);
        w.texels[4][2][0] = NAN; /* in the middle, where comparisons pass over it */
        assert_int_equal(walk(&w, with_source), BW_OK);
        assert_int_equal(bake_found(&w.bake, "bounds"), 3);
        assert_true(!with_source || isinf(w.report.stored.max));
        close_all(&w);
    }
}

static void bounds_of_all_clips(void **state) {
    (void)state;
    walk_fixture w;
    make_bake(&w, false);
    w.bake.manifest.bounds_max[0] = 1; /* B's alone */
    assert_int_equal(walk(&w, false), BW_OK);
    assert_int_equal(w.bake.findings.count, 1);
    assert_int_equal(bake_found(&w.bake, "bounds-of-clips"), 1);
    assert_non_null(strstr(w.bake.findings.data[0].first, "axis x: 0 … 1, expected 0 … 3"));
    close_all(&w);
}

/* Probes tell without a source: floats to the bit, codes to a step. */
static void probes_are_decoded(void **state) {
    (void)state;
    walk_fixture w;
    make_bake(&w, false);
    bwi_probe probes[] = {{0, 0, 0, {0, 0, 0}}, {4, 0, 2, {3, 1, 0}}, {5, 1, 3, {0, 2, 3}}};
    w.bake.manifest.probes.data = probes;
    w.bake.manifest.probes.count = 3;
    assert_int_equal(walk(&w, false), BW_OK);
    assert_int_equal(w.bake.findings.count, 0);
    probes[1].position[0] = 3.0000002f;
    probes[2].frame = 2;
    assert_int_equal(walk(&w, false), BW_OK);
    assert_int_equal(w.bake.findings.count, 1);
    assert_int_equal(bake_found(&w.bake, "probes"), 2);
    assert_non_null(strstr(w.bake.findings.data[0].first, "clip 'A', frame 2, element 4: 3 1 0, expected 3 1 0"));
    probes[1].position[0] = 3;
    probes[2].frame = 3;
    w.texels[6][5][1] = NAN;
    assert_int_equal(walk(&w, false), BW_OK);
    assert_int_equal(bake_found(&w.bake, "probes"), 1);
    close_all(&w);
}

/* Integer codes: bounds fit to a code. */
static void bounds_of_codes(void **state) {
    (void)state;
    static uint16_t codes[FRAMES][V][4];
    walk_fixture w;
    make_bake(&w, false);
    for (size_t frame = 0; frame < FRAMES; frame++)
        for (size_t i = 0; i < V; i++)
            for (size_t k = 0; k < 3; k++) {
                const bwi_manifest_clip *clip = &w.bake.clips[frame < 3 ? 0 : 1];
                const float side = clip->bounds_max[k] - clip->bounds_min[k];
                codes[frame][i][k] = side > 0 ? (uint16_t)(w.texels[frame][i][k] / side * 65535 + 0.5f) : 0;
            }
    w.bake.manifest.textures.count = 0;
    bake_texture(&w.bake, BWI_ROLE_POSITION, 0, V, FRAMES, BW_VAT_FORMAT_PNG16, BWI_DECODE_BOUNDS, codes);
    assert_int_equal(walk(&w, true), BW_OK);
    assert_int_equal(w.bake.findings.count, 0);
    /* At most half a code on each axis that has an extent: 3, 2 and 3 m. */
    assert_true(w.report.stored.max > 1e-6 && w.report.stored.max <= 0.5 / 65535 * sqrt(9 + 4 + 9));
    bwi_probe probe = {4, 1, 1, {1, 1, 1.00002f}}; /* a third of the bounds is not quite a code */
    w.bake.manifest.probes.data = &probe;
    w.bake.manifest.probes.count = 1;
    assert_int_equal(walk(&w, false), BW_OK);
    assert_int_equal(w.bake.findings.count, 0);
    w.bake.clips[1].bounds_max[2] = w.bake.manifest.bounds_max[2] =
        3.01f; /* codes fill whatever bounds they are read over */
    assert_int_equal(walk(&w, false), BW_OK);
    assert_int_equal(w.bake.findings.count, 1);
    assert_int_equal(bake_found(&w.bake, "probes"), 1);
    w.bake.clips[1].bounds_max[2] = w.bake.manifest.bounds_max[2] = 3;
    codes[6][3][2] -= 3; /* nothing reaches the bound any more, but by the other two vertices */
    assert_int_equal(walk(&w, true), BW_OK);
    assert_int_equal(w.bake.findings.count, 0);
    EXPECT1(w.report.stored.max, 9.0 / 65535, 1e-6);
    codes[6][4][2] -= 3;
    codes[6][5][2] -= 3;
    assert_int_equal(walk(&w, true), BW_OK);
    assert_int_equal(bake_found(&w.bake, "bounds"), 1);
    close_all(&w);
}

/* A closing copy is compared with the first frame; the way into it has no counterpart in the source. */
static void pieces_are_compared(void **state) {
    (void)state;
    walk_fixture w;
    static float texels[FRAMES + 1][4][4];
    make_pieces(&w, texels);
    assert_int_equal(walk(&w, true), BW_OK);
    assert_int_equal(w.bake.findings.count, 0);
    assert_int_equal(w.report.stored.count, FRAMES * V);
    assert_int_equal(w.report.between.count, 2 * 5 * V); /* half-way and a fifth of the way */
    EXPECT1(w.report.stored.max, 0, 1e-6);
    EXPECT1(w.report.between.max, 0, 1e-6);
    texels[1][2][1] += 0.25f; /* the pivot of "high" in the first frame of "A" */
    assert_int_equal(walk(&w, true), BW_OK);
    EXPECT1(w.report.stored.max, 0.25, 1e-6);
    EXPECT1(w.report.between.max, 0.2, 1e-6); /* four fifths of it, a fifth of the way on */
    assert_string_equal(w.report.stored.worst.part, "high");
    close_all(&w);
}

/* Bounds are the source's: what bones cannot follow moves vertices past them, but no farther than the error that is known. */
static void bounds_of_pieces(void **state) {
    (void)state;
    walk_fixture w;
    static float texels[FRAMES + 1][4][4];
    make_pieces(&w, texels);
    texels[3][0][0] += 0.25f; /* "low" at the end of "A": x up to 3.25 */
    assert_int_equal(walk(&w, true), BW_OK);
    assert_int_equal(bake_found(&w.bake, "bounds"), 0);
    w.bake.clips[0].bounds_max[0] = w.bake.manifest.bounds_max[0] = 2.5f;
    assert_int_equal(walk(&w, true), BW_OK);
    assert_int_equal(bake_found(&w.bake, "bounds"), 1);
    w.bake.clips[0].bounds_max[0] = w.bake.manifest.bounds_max[0] = 3;
    assert_int_equal(walk(&w, false), BW_OK);
    assert_int_equal(bake_found(&w.bake, "bounds"), 0); /* no error was ever measured */
    w.bake.manifest.has_error = true;
    w.bake.manifest.error.stored = (bw_error_stats){42, 0.25, 0.25, 0.1, 0.1, 0, {"A", 2, 2, 0, "low"}};
    assert_int_equal(walk(&w, false), BW_OK);
    assert_int_equal(bake_found(&w.bake, "bounds"), 0);
    w.bake.manifest.error.stored.max = 0.2;
    assert_int_equal(walk(&w, false), BW_OK);
    assert_int_equal(bake_found(&w.bake, "bounds"), 1);
    w.bake.manifest.has_error = false;
    w.bake.manifest.space.unit = "m";
    texels[3][1][0] = NAN;
    assert_int_equal(walk(&w, false), BW_OK);
    assert_int_equal(bake_found(&w.bake, "bounds"), 3); /* whatever is known, no position may be none */
    close_all(&w);
}

static void closing_copies(void **state) {
    (void)state;
    walk_fixture w;
    make_bake(&w, false);
    bwi_manifest_clip *b = &w.bake.clips[1];
    b->closed = b->loop = true;
    b->source_end_s = 2; /* frames at 0, 1, 2 s, and the first again */
    b->bounds_max[2] = w.bake.manifest.bounds_max[2] = 2;
    memcpy(w.texels[6], w.texels[3], sizeof w.texels[3]);
    assert_int_equal(walk(&w, true), BW_OK);
    assert_int_equal(w.bake.findings.count, 0);
    assert_true(w.report.stored.max == 0 && w.report.between.max == 0);
    assert_int_equal(w.report.stored.count, FRAMES * V);
    assert_int_equal(w.report.between.count, 4 * V);
    close_all(&w);
}

/* Pages share a frame; each pair is measured once, on the page that holds both. */
static void pages_overlap(void **state) {
    (void)state;
    walk_fixture w;
    make_bake(&w, false);
    bake_fixture *f = &w.bake;
    f->manifest.textures.count = 0;
    f->manifest.frames_per_page = 3;
    for (uint32_t page = 0; page < 3; page++)
        bake_texture(f, BWI_ROLE_POSITION, page, V, 3, BW_VAT_FORMAT_KTX2_F32, BWI_DECODE_ABSOLUTE, w.texels[2 * page]);
    for (size_t i = 0; i < V; i++)
        f->uvs[2 * i + 1] = 0.5f / 3;
    w.texels[4][3][0] += 0.5f; /* the last frame of page 1 and the first of page 2 */
    assert_int_equal(walk(&w, true), BW_OK);
    assert_int_equal(w.report.between.count, 5 * V);
    assert_true(w.report.stored.max == 0.5 && w.report.between.max == 0.25);
    assert_string_equal(w.report.stored.worst.clip, "B");
    assert_int_equal(w.report.stored.worst.frame, 1);
    close_all(&w);
}

static void other_sources_differ(void **state) {
    (void)state;
    walk_fixture w;
    make_bake(&w, false);
    w.b.clips[1].name = "Swim";
    assert_int_equal(walk(&w, true), BW_ERR_DIFFERS);
    assert_non_null(strstr(w.bake.error.message, "no clip 'B'"));
    w.b.clips[1].name = "B";
    assert_int_equal(walk(&w, true), BW_OK);
    bwi_vertex_list fewer = *w.list.list;
    fewer.vertex_count = 3;
    assert_int_equal(bwi_metric_walk(&w.report, w.bake.decoder, &fewer, &w.bake.env, &w.bake.findings, &w.bake.error),
                     BW_ERR_DIFFERS);
    assert_non_null(strstr(w.bake.error.message, "the source has 3 vertices with the bake's options, the bake has 6"));
    close_all(&w);
}

static void threads_do_not_show(void **state) {
    (void)state;
    walk_fixture w;
    make_bake(&w, false);
    for (size_t frame = 0; frame < FRAMES; frame++)
        for (size_t i = 0; i < V; i++)
            w.texels[frame][i][1] += (float)((frame * 5 + i * 3) % 7) * 1e-3f;
    assert_int_equal(walk(&w, true), BW_OK);
    const bw_error_report one = w.report;
    assert_true(one.stored.p99 > 0);
    w.bake.env.thread_count = 4;
    assert_int_equal(walk(&w, true), BW_OK);
    assert_true(one.stored.rms == w.report.stored.rms && one.stored.p99 == w.report.stored.p99 &&
                one.stored.max == w.report.stored.max);
    assert_true(one.between.rms == w.report.between.rms && one.stored.worst.vertex == w.report.stored.worst.vertex);
    assert_int_equal(one.stored.worst.frame, w.report.stored.worst.frame);
    close_all(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_bake_has_no_error),
        cmocka_unit_test(a_wrong_texel_is_named),
        cmocka_unit_test(steps_are_counted_apart),
        cmocka_unit_test(wrong_bounds_are_found),
        cmocka_unit_test(bounds_of_all_clips),
        cmocka_unit_test(probes_are_decoded),
        cmocka_unit_test(bounds_of_codes),
        cmocka_unit_test(pieces_are_compared),
        cmocka_unit_test(bounds_of_pieces),
        cmocka_unit_test(closing_copies),
        cmocka_unit_test(pages_overlap),
        cmocka_unit_test(other_sources_differ),
        cmocka_unit_test(threads_do_not_show),
    };
    return cmocka_run_group_tests(tests, image_make_folder, image_remove_folder);
}
