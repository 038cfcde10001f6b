/* SPDX-License-Identifier: MIT
 * Root motion: which node is taken for the root, and its track about the corners of the arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "list_fixture.h"
#include "scene_builder.h"
#include "vat/vat.h"

static const float TIMES[3] = {0.0f, 0.1f, 0.2f};
static const float MOVES[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, STILL[9] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
static const float IDENTITY[48] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0,
                                   0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const uint32_t JOINTS[12] = {0};
static const float WEIGHTS[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

typedef struct fixture {
    scene_builder b;
    list_fixture list;
    const bw_clip *clip;
    bwi_vat_clip clips[1];
    bwi_vat_plan plan;
    bw_error error;
} fixture;

static void begin(fixture *f) {
    memset(f, 0, sizeof *f);
    builder_init(&f->b);
    builder_clip(&f->b, "Walk");
}

static void move(fixture *f, uint32_t node, const float *values) {
    builder_channel(&f->b, 0, node, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 3, TIMES, values);
}

/* A triangle that hangs on the first joint of the skin. */
static void skin_triangle(fixture *f, const char *name, const uint32_t *joints, size_t count) {
    const uint32_t node = builder_triangle(&f->b, name, BW_NO_INDEX);
    f->b.nodes[node].skin = builder_skin(&f->b, joints, count, IDENTITY);
    bw_primitive *p = &f->b.primitives[f->b.nodes[node].mesh][0];
    p->influence_count = 4;
    p->joints = JOINTS;
    p->weights = WEIGHTS;
}

static bw_result choose(fixture *f, const bw_vat_opts *opts) {
    const bw_scene *scene = builder_finish(&f->b);
    assert_int_equal(fixture_open(&f->list, scene, NULL), BW_OK);
    f->clip = &scene->clips.data[0];
    f->clips[0] = (bwi_vat_clip){
        .out = {.name = "Walk", .frame_count = 3, .rate_fps = 10, .duration_s = 0.2, .source_end_s = (double)0.2f},
        .mix = {&f->clip, 1}};
    f->plan = (bwi_vat_plan){.list = f->list.list, .clips = f->clips, .clip_count = 1};
    f->plan.settings.layout = BW_VAT_LAYOUT_NATIVE;
    f->plan.settings.engine = bwi_engine_info_of(opts->engine);
    return bwi_vat_choose_tracks(&f->plan, f->list.arena, opts, &f->error);
}

static void end(fixture *f) {
    fixture_close(&f->list);
}

static const bw_vat_opts EXTRACT = {.root_motion = BW_VAT_ROOT_MOTION_EXTRACT};

/* Exporters key every joint: a joint whose keys are all the same is not the root. */
static void constant_channels_are_no_motion(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t root = builder_node(&f.b, "root", BW_NO_INDEX), hips = builder_node(&f.b, "hips", root);
    const uint32_t spine = builder_node(&f.b, "spine", hips);
    const uint32_t joints[3] = {spine, root, hips};
    skin_triangle(&f, "body", joints, 3);
    move(&f, root, STILL);
    move(&f, spine, MOVES);
    move(&f, hips, MOVES);
    assert_int_equal(choose(&f, &EXTRACT), BW_OK);
    assert_int_equal(f.plan.root, hips);
    end(&f);
}

/* A head with a skin of its own hangs below the body's root. */
static void parts_of_one_figure_share_a_root(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t hips = builder_node(&f.b, "hips", BW_NO_INDEX), neck = builder_node(&f.b, "neck", hips);
    skin_triangle(&f, "head", &neck, 1);
    skin_triangle(&f, "body", &hips, 1);
    move(&f, hips, MOVES);
    move(&f, neck, MOVES);
    assert_int_equal(choose(&f, &EXTRACT), BW_OK);
    assert_int_equal(f.plan.root, hips);
    end(&f);
}

static void two_figures_need_a_name(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t left = builder_node(&f.b, "left", BW_NO_INDEX), right = builder_node(&f.b, "right", BW_NO_INDEX);
    skin_triangle(&f, "a", &left, 1);
    skin_triangle(&f, "b", &right, 1);
    move(&f, left, MOVES);
    move(&f, right, MOVES);
    assert_int_equal(choose(&f, &EXTRACT), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "'left' and 'right'"));
    end(&f);
    const bw_vat_opts named = {.root_motion = BW_VAT_ROOT_MOTION_EXTRACT, .root = "right"};
    assert_int_equal(choose(&f, &named), BW_OK);
    assert_int_equal(f.plan.root, right);
    end(&f);
}

static void nodes_carry_every_mesh(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t world = builder_node(&f.b, "world", BW_NO_INDEX), cart = builder_node(&f.b, "cart", world);
    const uint32_t wheel = builder_triangle(&f.b, "wheel", cart);
    builder_triangle(&f.b, "box", cart);
    move(&f, wheel, MOVES);
    assert_int_equal(choose(&f, &EXTRACT), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "animated are: wheel;"));
    end(&f);
    move(&f, cart, MOVES);
    assert_int_equal(choose(&f, &EXTRACT), BW_OK);
    assert_int_equal(f.plan.root, cart);
    end(&f);
}

static void names_are_checked(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t cart = builder_triangle(&f.b, "cart", BW_NO_INDEX);
    builder_node(&f.b, "seat.L", cart);
    const uint32_t right = builder_node(&f.b, "seat.R", cart);
    move(&f, cart, MOVES);
    const bw_vat_opts unknown = {.root_motion = BW_VAT_ROOT_MOTION_EXTRACT, .root = "card"}, alone = {.root = "cart"};
    assert_int_equal(choose(&f, &unknown), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "--root=card names no node; nearest are \"cart\""));
    end(&f);
    assert_int_equal(choose(&f, &alone), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "--root-motion=extract"));
    end(&f);
    const char *names[] = {"seat*,cart", "seat.R"}, *wrong[] = {"cart,sofa"};
    const bw_vat_opts attach = {.attach = {names, 2}}, missing = {.attach = {wrong, 1}};
    assert_int_equal(choose(&f, &attach), BW_OK);
    assert_int_equal(f.plan.root, BW_NO_INDEX);
    assert_int_equal(f.plan.attachment_count, 3);
    assert_int_equal(f.plan.attachments[2], right);
    end(&f);
    assert_int_equal(choose(&f, &missing), BW_ERR_USAGE);
    assert_non_null(strstr(f.error.message, "--attach=sofa matches no node"));
    end(&f);
}

static void events_are_sorted_and_checked(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    move(&f, builder_triangle(&f.b, "cart", BW_NO_INDEX), MOVES);
    const bw_vat_event events[] = {{"Walk", "c", 0.2}, {"Walk", "b", 0.1}, {"Walk", "a", 0.0}, {"Walk", "b2", 0.1}};
    const bw_vat_opts good = {.events = {events, 4}};
    assert_int_equal(choose(&f, &good), BW_OK);
    assert_int_equal(f.clips[0].out.events.count, 4);
    static const char *const ORDER[] = {"a", "b", "b2", "c"};
    for (int k = 0; k < 4; k++)
        assert_string_equal(f.clips[0].out.events.data[k].name, ORDER[k]);
    end(&f);
    static const struct {
        bw_vat_event event;
        bw_result result;
        const char *says;
    } CASES[] = {
        {{"Run", "a", 0.0}, BW_ERR_UNKNOWN_CLIP, "there are: Walk"},
        {{"Walk", "a", 0.3}, BW_ERR_USAGE, "lasts 0.2 s"},
        {{"Walk", "a", -0.1}, BW_ERR_USAGE, "outside clip 'Walk'"},
        {{"Walk", "a", 0.0 / 1.0 - 1e300 * 1e300}, BW_ERR_USAGE, "outside"},
        {{"Walk", "", 0.0}, BW_ERR_USAGE, "no clip, or no name"},
        {{"Walk", "\xff", 0.0}, BW_ERR_USAGE, "UTF-8"},
        {{NULL, "a", 0.0}, BW_ERR_USAGE, "no clip, or no name"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        const bw_vat_opts bad = {.events = {&CASES[k].event, 1}};
        assert_int_equal(choose(&f, &bad), CASES[k].result);
        if (!strstr(f.error.message, CASES[k].says))
            fail_msg("case %zu: %s", k, f.error.message);
        end(&f);
    }
}

/* A quarter turn a frame, mirrored and with uneven scale above it; in Unity's space the other way round. */
static void tracks_unwrap(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t mirror = builder_node(&f.b, "mirror", BW_NO_INDEX), cart = builder_triangle(&f.b, "cart", mirror);
    f.b.nodes[mirror].scale[0] = -2;
    f.b.nodes[mirror].translation[0] = 5;
    f.b.nodes[mirror].translation[1] = 7;
    const float q = 0.70710678f, turns[12] = {0, 0, 0, 1, 0, q, 0, q, 0, 1, 0, 0};
    builder_channel(&f.b, 0, cart, BW_CHANNEL_ROTATION, BW_INTERPOLATION_LINEAR, 3, TIMES, turns);
    move(&f, cart, MOVES);
    for (int unity = 0; unity < 2; unity++) {
        const bw_vat_opts opts = {.root_motion = BW_VAT_ROOT_MOTION_EXTRACT,
                                  .root = "cart",
                                  .engine = unity ? BW_ENGINE_UNITY : BW_ENGINE_GENERIC};
        assert_int_equal(choose(&f, &opts), BW_OK);
        assert_int_equal(bwi_vat_track_root(&f.plan, f.list.arena, &f.list.env, &f.error), BW_OK);
        const bwi_root_track *root = &f.clips[0].out.root;
        const float hand = unity ? -1.0f : 1.0f;
        assert_true(root->pivot[0] == hand * 5.0f && root->pivot[1] == 0.0f);
        assert_true(root->translation[0] == 0.0f && root->translation[3] == -2.0f * hand &&
                    root->translation[6] == -4.0f * hand);
        /* the mirror turns the turn about: a quarter, then half, in glTF's space to the other side */
        assert_float_equal(root->yaw_rad[1], hand * -1.5707963f, 1e-5);
        assert_float_equal(root->yaw_rad[2], hand * -3.1415927f, 1e-5);
        assert_float_equal(root->yaw_rad[3] - root->yaw_rad[2], root->yaw_rad[2] - root->yaw_rad[1],
                           1e-5); /* of a closing frame */
        assert_true(f.clips[0].end.yaw_rad == root->yaw_rad[2]);
        end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_channels_are_no_motion),
        cmocka_unit_test(parts_of_one_figure_share_a_root),
        cmocka_unit_test(two_figures_need_a_name),
        cmocka_unit_test(nodes_carry_every_mesh),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(events_are_sorted_and_checked),
        cmocka_unit_test(tracks_unwrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
