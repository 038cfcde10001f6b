/* SPDX-License-Identifier: MIT
 * What becomes one piece, by nodes, by joints and by vertices; where the mesh is written; at which rate pieces are sampled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "list_fixture.h"
#include "scene_builder.h"
#include "vat/vat_priv.h"

typedef struct fixture {
    scene_builder b;
    list_fixture list;
    bwi_vat_plan plan;
    bw_result result;
} fixture;

static void begin(fixture *f) {
    memset(f, 0, sizeof *f);
    builder_init(&f->b);
    builder_clip(&f->b, "Clip");
}

/* Allocations of the search for pieces that succeed; < 0: all. */
static int64_t fail_after = -1;

/* Everything that a bake does before it lays out, in rigid mode. */
static void bake(fixture *f, double fps) {
    const bw_scene *scene = builder_finish(&f->b);
    const bw_vat_opts opts = {.mode = BW_VAT_MODE_RIGID, .fps = fps};
    bwi_vat_plan *plan = &f->plan;
    assert_int_equal(fixture_open(&f->list, scene, NULL), BW_OK);
    plan->list = f->list.list;
    plan->root = BW_NO_INDEX;
    assert_int_equal(bwi_vat_resolve(&plan->settings, &opts, NULL, true, false, &f->list.error), BW_OK);
    assert_int_equal(bwi_vat_choose_clips(&plan->clips, &plan->clip_count, f->list.arena, scene, &plan->settings, &opts,
                                          &f->list.warnings, &f->list.error),
                     BW_OK);
    f->list.mem.fail_after = fail_after;
    f->result = bwi_vat_palette_of_pieces(plan, f->list.arena, &f->list.env, &f->list.warnings, &f->list.error);
}

static void end(fixture *f) {
    fixture_close(&f->list);
}

static uint32_t bone_of(const fixture *f, uint32_t vertex) {
    return f->plan.palette->indices[vertex];
}

static const float TIMES[3] = {0, 0.5f, 1};
static const float FALLS[9] = {0, 0, 0, 0, -1, 0, 0, -4, 0};

static void move(fixture *f, uint32_t node, bw_channel_path path, bw_interpolation interpolation, const float *values) {
    builder_channel(&f->b, 0, node, path, interpolation, 3, TIMES, values);
}

/* ---- by nodes and joints ---- */

static void what_a_node_carries_is_one_piece(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t crate = builder_triangle(&f.b, "crate", BW_NO_INDEX), lid = builder_triangle(&f.b, "lid", crate);
    builder_triangle(&f.b, "floor", BW_NO_INDEX);
    builder_triangle(&f.b, "wall", BW_NO_INDEX);
    const uint32_t ball = builder_triangle(&f.b, "ball", BW_NO_INDEX);
    f.b.nodes[lid].translation[1] = 1;
    f.b.nodes[ball].translation[0] = 2;
    move(&f, crate, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, FALLS);
    move(&f, ball, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, FALLS);
    bake(&f, 0);
    assert_int_equal(f.result, BW_OK);
    const bwi_palette *palette = f.plan.palette;
    assert_int_equal(palette->bone_count, 3);
    assert_null(palette->members);
    assert_int_equal(bone_of(&f, 0), bone_of(&f, 3)); /* crate and lid */
    assert_int_equal(bone_of(&f, 6), bone_of(&f, 9)); /* floor and wall */
    assert_int_not_equal(bone_of(&f, 0), bone_of(&f, 6));
    assert_int_not_equal(bone_of(&f, 0), bone_of(&f, 12));
    assert_string_equal(palette->bones[bone_of(&f, 0)].name, "crate");
    assert_int_equal(palette->weights[0], 65535);
    EXPECT3(palette->positions + 9, 0, 1, 0, 0);                   /* the lid where it is at rest */
    EXPECT3(palette->bones[bone_of(&f, 12)].pivot, 2, 0, 0, 0);    /* a node's origin */
    EXPECT3(palette->bones[bone_of(&f, 6)].pivot, 0.5, 0.5, 0, 0); /* the middle of what has none */
    end(&f);
}

static const uint32_t FIRST[12] = {0}, SECOND[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
static const float SINGLE[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
static const float IDENTITY[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                                   1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static void a_vertex_with_one_joint_is_of_its_piece(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t a = builder_node(&f.b, "a", BW_NO_INDEX), b = builder_node(&f.b, "b", BW_NO_INDEX);
    const uint32_t joints[2] = {a, b}, skin = builder_skin(&f.b, joints, 2, IDENTITY);
    for (int k = 0; k < 2; ++k) {
        const uint32_t node = builder_triangle(&f.b, k ? "two" : "one", BW_NO_INDEX);
        bw_primitive *p = &f.b.primitives[f.b.nodes[node].mesh][0];
        f.b.nodes[node].skin = skin;
        p->influence_count = 4;
        p->joints = k ? SECOND : FIRST;
        p->weights = SINGLE;
    }
    move(&f, a, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, FALLS);
    bake(&f, 0);
    assert_int_equal(f.result, BW_OK);
    assert_int_equal(f.plan.palette->bone_count, 2);
    assert_string_equal(f.plan.palette->bones[bone_of(&f, 0)].name, "a");
    assert_string_equal(f.plan.palette->bones[bone_of(&f, 3)].name, "b");
    assert_null(f.plan.palette->members);
    end(&f);
}

/* ---- by vertices ---- */

/* Two flat tetrahedra that share three corners at rest; every face has corners of its own.  The morph lifts and turns the second. */
enum { CORNERS = 24 };
static const float TETRA[2][4][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
                                     {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}}};
static const int FACES[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};

typedef struct baked {
    float rest[3 * CORNERS], deltas[8][3 * CORNERS], weights[9 * 8];
    uint32_t indices[CORNERS];
    bw_morph_target targets[8];
} baked;

/* In: count — frames behind the first; pose — where a corner of piece 0 or 1 is in one. */
static void make_morphs(fixture *f, baked *m, uint32_t count, bwi_vec3 (*pose)(int piece, bwi_vec3 p, uint32_t frame)) {
    static const float seconds[9] = {0, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f};
    memset(m, 0, sizeof *m);
    for (uint32_t v = 0; v < CORNERS; ++v) {
        m->indices[v] = v;
        const float *x = TETRA[v / 12][FACES[v % 12]];
        const bwi_vec3 rest = pose((int)v / 12, (bwi_vec3){(double)x[0], (double)x[1], (double)x[2]}, 0);
        m->rest[3 * v] = (float)rest.x;
        m->rest[3 * v + 1] = (float)rest.y;
        m->rest[3 * v + 2] = (float)rest.z;
        for (uint32_t k = 0; k < count; ++k) {
            const bwi_vec3 p = pose((int)v / 12, (bwi_vec3){(double)x[0], (double)x[1], (double)x[2]}, k + 1);
            m->deltas[k][3 * v] = (float)(p.x - rest.x);
            m->deltas[k][3 * v + 1] = (float)(p.y - rest.y);
            m->deltas[k][3 * v + 2] = (float)(p.z - rest.z);
        }
    }
    begin(f);
    const uint32_t node = builder_node(&f->b, "block", BW_NO_INDEX), mesh = builder_mesh(&f->b, "block", count);
    bw_primitive *p = builder_primitive(&f->b, mesh, CORNERS, m->rest, NULL, m->indices, CORNERS);
    for (uint32_t k = 0; k < count; ++k) {
        m->targets[k].positions = m->deltas[k];
        m->weights[(k + 1) * count + k] = 1;
    }
    p->targets.data = m->targets;
    p->targets.count = count;
    f->b.nodes[node].mesh = mesh;
    builder_channel(&f->b, 0, node, BW_CHANNEL_WEIGHTS, BW_INTERPOLATION_LINEAR, count + 1, seconds, m->weights);
}

static void bake_morphs(fixture *f, baked *m, uint32_t count, bwi_vec3 (*pose)(int piece, bwi_vec3 p, uint32_t frame),
                        double fps) {
    make_morphs(f, m, count, pose);
    bake(f, fps);
}

static bwi_quat about_x(double angle) {
    return (bwi_quat){sin(0.5 * angle), 0, 0, cos(0.5 * angle)};
}

static bwi_vec3 lift_second(int piece, bwi_vec3 p, uint32_t frame) {
    return piece == 0 || frame == 0
               ? p
               : bwi_vec3_add(bwi_quat_rotate(about_x(0.3 * frame), p), (bwi_vec3){0, 0, 0.5 * frame});
}

static void what_parts_is_two_pieces(void **state) {
    (void)state;
    fixture f;
    baked m;
    bake_morphs(&f, &m, 4, lift_second, 10);
    assert_int_equal(f.result, BW_OK);
    const bwi_palette *palette = f.plan.palette;
    assert_int_equal(palette->bone_count, 2);
    for (uint32_t v = 0; v < CORNERS; ++v)
        assert_int_equal(bone_of(&f, v), v / 12); /* "static" first: the first tetrahedron never moves */
    assert_false(palette->bones[0].fitted);
    assert_true(palette->bones[1].fitted);
    assert_string_equal(palette->bones[1].name, "block.1");
    assert_int_equal(palette->first_member[1], 0);
    assert_int_equal(palette->first_member[2], 12);
    assert_int_equal(palette->members[0], 12);
    assert_int_equal(fixture_warned(&f.list, "pieces-fitted"), 1);
    EXPECT3(palette->bones[1].pivot, 0.5, 0.5, 0.5, 0);
    assert_int_equal(f.plan.clips[0].out.frame_count, 5);
    end(&f);
}

static bwi_vec3 lift_both(int piece, bwi_vec3 p, uint32_t frame) {
    (void)piece;
    return lift_second(1, p, frame);
}

/* What moves as one and touches is one. */
static void what_stays_together_is_one_piece(void **state) {
    (void)state;
    fixture f;
    baked m;
    bake_morphs(&f, &m, 4, lift_both, 10);
    assert_int_equal(f.result, BW_OK);
    assert_int_equal(f.plan.palette->bone_count, 1);
    end(&f);
}

static bwi_vec3 stretch_second(int piece, bwi_vec3 p, uint32_t frame) {
    return piece == 0 ? lift_second(1, p, frame) : (bwi_vec3){p.x * (1 + 0.2 * frame) + 0.01 * frame, p.y, p.z + 9};
}

static void what_stretches_is_named(void **state) {
    (void)state;
    fixture f;
    baked m;
    bake_morphs(&f, &m, 4, stretch_second, 10);
    assert_int_equal(f.result, BW_ERR_UNSUPPORTED);
    assert_non_null(strstr(f.list.error.message, "1 of 2 pieces"));
    assert_non_null(strstr(f.list.error.message, "'block.2' of 12 vertices by "));
    assert_non_null(strstr(f.list.error.message, "--mode=vertex"));
    assert_null(f.plan.palette);
    end(&f);
}

static bwi_vec3 be_born(int piece, bwi_vec3 p, uint32_t frame) {
    const double size = piece == 0 ? 1 : frame < 2 ? 0 : frame == 2 ? 0.5 : 1;
    return bwi_vec3_add(bwi_vec3_scale(p, size), (bwi_vec3){0, 0.1 * frame * piece, 0});
}

/* A piece that is nothing at rest is written as it is in the first frame that shows it. */
static void what_appears_is_written_where_it_does(void **state) {
    (void)state;
    fixture f;
    baked m;
    bake_morphs(&f, &m, 4, be_born, 10);
    assert_int_equal(f.result, BW_OK);
    assert_int_equal(f.plan.palette->bone_count, 2);
    /* Corner 1 of its first face is (0, 1, 0): half of that, and twice a tenth up. */
    EXPECT3(f.plan.palette->positions + 3 * 13, 0, 0.7, 0, 1e-6);
    bwi_mat4 poses[2];
    float positions[3 * CORNERS];
    f.plan.clips[0].out.first_frame = 0;
    for (uint32_t frame = 0; frame < 5; ++frame) {
        bwi_palette_pose(poses, &f.plan, f.list.sampler, &f.plan.clips[0], frame, positions);
        EXPECT1(poses[1].m[0], frame < 2 ? 0 : frame == 2 ? 1 : 2, frame < 2 ? 0 : 1e-6);
    }
    end(&f);
}

static bwi_vec3 grow_from_speck(int piece, bwi_vec3 p, uint32_t frame) {
    const double size = piece == 0 ? 1 : frame < 2 ? 0.01 : frame == 2 ? 0.5 : 1;
    return bwi_vec3_add(bwi_vec3_scale(p, size), (bwi_vec3){0, 0.1 * frame * piece, 0});
}

/* The same of a speck: from floats so small nothing large could be made again. */
static void what_grows_is_written_large(void **state) {
    (void)state;
    fixture f;
    baked m;
    bake_morphs(&f, &m, 4, grow_from_speck, 10);
    assert_int_equal(f.result, BW_OK);
    EXPECT3(f.plan.palette->positions + 3 * 13, 0, 0.7, 0, 1e-6);
    end(&f);
}

static bwi_vec3 spin_second(int piece, bwi_vec3 p, uint32_t frame) {
    return piece == 0 ? p : bwi_vec3_add(bwi_quat_rotate(about_x(2.2 * frame), p), (bwi_vec3){frame ? 2 : 0, 0, 0});
}

/* Between the frames of a vertex animation vertices are mixed, and a piece that turns is not rigid there: no rate helps. */
static void a_vertex_animation_keeps_its_rate(void **state) {
    (void)state;
    fixture f;
    baked m;
    bake_morphs(&f, &m, 4, spin_second, 10);
    assert_int_equal(f.result, BW_OK);
    assert_int_equal(f.plan.clips[0].out.frame_count, 5);
    assert_int_equal(fixture_warned(&f.list, "rate-raised"), 0);
    assert_int_equal(fixture_warned(&f.list, "rate-kept") + fixture_warned(&f.list, "turns-jump"), 1);
    end(&f);
}

/* A frame of the raised rate was once told by the time it has at the rate that was kept: past the end, here 0 s. */
static void a_jump_is_told_at_its_time(void **state) {
    (void)state;
    static const float spins_s[9] = {0, 0.05f, 0.1f, 0.15f, 0.2f, 0.25f, 0.3f, 0.35f, 0.4f},
                       jumps_s[4] = {0, 0.32f, 0.3201f, 0.4f},
                       jumps[16] = {0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0};
    float spins[36] = {0};
    for (int k = 0; k < 9; ++k) {
        const bwi_quat q = about_x(1.6 * k);
        spins[4 * k] = (float)q.x;
        spins[4 * k + 3] = (float)q.w;
    }
    fixture f;
    baked m;
    make_morphs(&f, &m, 4, spin_second);
    const uint32_t fast = builder_triangle(&f.b, "fast", BW_NO_INDEX),
                   door = builder_triangle(&f.b, "door", BW_NO_INDEX);
    builder_channel(&f.b, 0, fast, BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR, 9, spins_s, spins);
    builder_channel(&f.b, 0, door, BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR, 4, jumps_s, jumps);
    bake(&f, 10);
    assert_int_equal(f.result, BW_OK);
    assert_int_equal(fixture_warned(&f.list, "rate-kept"), 1);
    assert_int_equal(fixture_warned(&f.list, "turns-jump"), 1);
    for (size_t k = 0; k < f.list.warnings.count; ++k)
        if (strcmp(f.list.warnings.data[k].code, "turns-jump") == 0)
            assert_string_equal(f.list.warnings.data[k].first, "clip 'Clip', piece 'door', at 0.3 s");
    end(&f);
}

/* Whichever allocation fails, that is the answer, and there is no palette. */
static void memory_may_run_out(void **state) {
    (void)state;
    baked m;
    bw_result result = BW_ERR_MEMORY;
    for (fail_after = 0; result == BW_ERR_MEMORY; ++fail_after) {
        fixture f;
        bake_morphs(&f, &m, 4, be_born, 10);
        result = f.result;
        if (result == BW_ERR_MEMORY)
            assert_null(f.plan.palette);
        end(&f);
    }
    assert_int_equal(result, BW_OK);
    assert_true(fail_after > 30); /* a search allocates more than that */
    fail_after = -1;
}

/* ---- rates ---- */

/* A crate that turns by `degrees` a second, with 24 keys a second. */
static void bake_spin(fixture *f, double degrees, double fps, bw_interpolation interpolation) {
    enum { KEYS = 25 };
    static float seconds[KEYS], turns[4 * KEYS];
    begin(f);
    const uint32_t crate = builder_triangle(&f->b, "crate", BW_NO_INDEX);
    for (int k = 0; k < KEYS; ++k) {
        const bwi_quat q = about_x(degrees * BWI_PI / 180.0 * k / (KEYS - 1));
        const double sign = q.w < 0 ? -1 : 1;
        seconds[k] = (float)k / (KEYS - 1);
        turns[4 * k] = (float)(sign * q.x);
        turns[4 * k + 3] = (float)(sign * q.w);
    }
    builder_channel(&f->b, 0, crate, BW_CHANNEL_ROTATION, interpolation, KEYS, seconds, turns);
    bake(f, fps);
    assert_int_equal(f->result, BW_OK);
}

static void fast_pieces_raise_the_rate(void **state) {
    (void)state;
    static const struct {
        double degrees, fps;
        uint32_t frames;
    } cases[] = {
        {24 * 119.0, 24, 25}, /* slow enough */
        {24 * 125.0, 24, 49}, /* once */
        {12 * 350.0, 12, 49}, /* almost round: 350° is no −10° */
        {12 * 360.0, 12, 49}, /* all round, which looks like rest */
        {6 * 720.0, 6, 49},   /* twice round a frame, at an explicit rate */
        {-12 * 350.0, 12, 49},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        fixture f;
        bake_spin(&f, cases[k].degrees, cases[k].fps, BW_INTERPOLATION_LINEAR);
        const bwi_manifest_clip *clip = &f.plan.clips[0].out;
        assert_int_equal(clip->frame_count, cases[k].frames);
        EXPECT1(clip->rate_fps, cases[k].frames - 1, 0);
        EXPECT1(clip->duration_s, 1, 0);
        assert_int_equal(fixture_warned(&f.list, "rate-raised"), cases[k].frames > cases[k].fps + 1);
        end(&f);
    }
}

/* Steps are no turns. */
static void stepped_keys_keep_the_rate(void **state) {
    (void)state;
    fixture f;
    bake_spin(&f, 24 * 170.0, 24, BW_INTERPOLATION_STEP);
    assert_int_equal(f.plan.clips[0].out.frame_count, 25);
    assert_int_equal(fixture_warned(&f.list, "rate-raised"), 0);
    assert_int_equal(fixture_warned(&f.list, "turns-jump"), 0);
    end(&f);
}

/* Two keys a tenth of a millisecond apart are a step by another name. */
static void jumps_keep_the_rate(void **state) {
    (void)state;
    static const float seconds[4] = {0, 0.51f, 0.5101f, 1},
                       turns[16] = {0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0};
    fixture f;
    begin(&f);
    const uint32_t crate = builder_triangle(&f.b, "crate", BW_NO_INDEX);
    builder_channel(&f.b, 0, crate, BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR, 4, seconds, turns);
    bake(&f, 24);
    assert_int_equal(f.result, BW_OK);
    assert_int_equal(f.plan.clips[0].out.frame_count, 25);
    assert_int_equal(fixture_warned(&f.list, "turns-jump"), 1);
    end(&f);
}

/* What is as good as gone turns unseen: by 340° in each of the three steps for which it is gone. */
static void vanished_pieces_keep_the_rate(void **state) {
    (void)state;
    enum { KEYS = 9 };
    static const float size_times[4] = {0, 0.25f, 0.75f, 1},
                       sizes[12] = {1, 1, 1, 1e-4f, 1e-4f, 1e-4f, 1, 1, 1, 1, 1, 1};
    static float turn_times[KEYS], turns[4 * KEYS];
    for (int gone = 0; gone < 2; ++gone) {
        fixture f;
        begin(&f);
        const uint32_t crate = builder_triangle(&f.b, "crate", BW_NO_INDEX);
        for (int k = 0; k < KEYS; ++k) {
            const bwi_quat q = about_x(170.0 * BWI_PI / 180.0 * (k < 6 ? k : 6));
            turn_times[k] = 0.25f + 0.0625f * (float)k;
            turns[4 * k] = (float)q.x;
            turns[4 * k + 3] = (float)q.w;
        }
        builder_channel(&f.b, 0, crate, BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR, KEYS, turn_times, turns);
        if (gone)
            builder_channel(&f.b, 0, crate, BW_CHANNEL_SCALE, BW_INTERPOLATION_STEP, 4, size_times, sizes);
        bake(&f, 8);
        assert_int_equal(f.result, BW_OK);
        assert_int_equal(fixture_warned(&f.list, "rate-raised"), !gone);
        end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_node_carries_is_one_piece),
        cmocka_unit_test(a_vertex_with_one_joint_is_of_its_piece),
        cmocka_unit_test(what_parts_is_two_pieces),
        cmocka_unit_test(what_stays_together_is_one_piece),
        cmocka_unit_test(what_stretches_is_named),
        cmocka_unit_test(what_appears_is_written_where_it_does),
        cmocka_unit_test(what_grows_is_written_large),
        cmocka_unit_test(a_vertex_animation_keeps_its_rate),
        cmocka_unit_test(a_jump_is_told_at_its_time),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(fast_pieces_raise_the_rate),
        cmocka_unit_test(stepped_keys_keep_the_rate),
        cmocka_unit_test(jumps_keep_the_rate),
        cmocka_unit_test(vanished_pieces_keep_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
