/* SPDX-License-Identifier: MIT
 * Which nodes count as moved, which of them carries a part, and the pose that the mesh is written in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "list_fixture.h"
#include "scene_builder.h"
#include "vat/vat_priv.h"

static const float TIMES[3] = {0.0f, 0.5f, 1.0f};

typedef struct fixture {
    scene_builder b;
    list_fixture list;
    const bw_clip *clip;
    bwi_vat_clip clips[1];
    bwi_vat_plan plan;
    bool moved[BUILDER_NODES];
    bwi_mat4 reference[BUILDER_NODES];
} fixture;

static void begin(fixture *f) {
    memset(f, 0, sizeof *f);
    builder_init(&f->b);
    builder_clip(&f->b, "Fall");
}

static void move(fixture *f, uint32_t node, bw_channel_path path, const float *values) {
    builder_channel(&f->b, 0, node, path, BW_INTERPOLATION_LINEAR, 3, TIMES, values);
}

static void look(fixture *f) {
    const bw_scene *scene = builder_finish(&f->b);
    assert_int_equal(fixture_open(&f->list, scene, NULL), BW_OK);
    f->clip = &scene->clips.data[0];
    f->clips[0] =
        (bwi_vat_clip){.out = {.name = "Fall", .frame_count = 5, .rate_fps = 4, .duration_s = 1, .source_end_s = 1},
                       .mix = {&f->clip, 1}};
    f->plan = (bwi_vat_plan){.list = f->list.list, .clips = f->clips, .clip_count = 1};
    f->plan.settings.layout = BW_VAT_LAYOUT_NATIVE;
    bwi_moved_nodes(f->moved, &f->plan);
    assert_int_equal(bwi_carrier_references(f->reference, &f->plan, f->moved, &f->list.env, &f->list.error), BW_OK);
}

static void end(fixture *f) {
    fixture_close(&f->list);
}

static const float FALLS[9] = {0, 0, 0, 0, -1, 0, 0, -4, 0}, STAYS[9] = {1, 2, 3, 1, 2, 3, 1, 2, 3};

/* Exporters key everything; keys that say what rest says move nothing, but a constant that rest does not know does. */
static void keys_that_repeat_rest_move_nothing(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t still = builder_triangle(&f.b, "still", BW_NO_INDEX),
                   aside = builder_triangle(&f.b, "aside", BW_NO_INDEX);
    const uint32_t turned = builder_triangle(&f.b, "turned", BW_NO_INDEX),
                   slow = builder_triangle(&f.b, "slow", BW_NO_INDEX);
    const uint32_t shown = builder_triangle(&f.b, "shown", BW_NO_INDEX),
                   bent = builder_triangle(&f.b, "bent", BW_NO_INDEX);
    memcpy(f.b.nodes[still].translation, STAYS, sizeof f.b.nodes[still].translation);
    move(&f, still, BW_CHANNEL_TRANSLATION, STAYS);
    move(&f, aside, BW_CHANNEL_TRANSLATION, STAYS);
    /* The opposite quaternion, off by the last place of a float. */
    static const float OPPOSITE[12] = {0, 0, 0, -1, 0, 0, 5.9604645e-8f, -1, 0, 0, 0, -0.99999994f};
    static const float SLOW[12] = {0, 0, 0, 1, 0, 0, 1e-5f, 1, 0, 0, 0, 1};
    move(&f, turned, BW_CHANNEL_ROTATION, OPPOSITE);
    move(&f, slow, BW_CHANNEL_ROTATION, SLOW);
    static const float WINKS[9] = {1, 1, 1, 1, 0, 1, 1, 1, 1};
    move(&f, shown, BW_CHANNEL_SCALE, WINKS);
    /* All values are those of rest, but the tangents swing out. */
    static const float SPLINE[27] = {[8] = 0.5f, [9] = -0.5f};
    builder_channel(&f.b, 0, bent, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_CUBICSPLINE, 3, TIMES, SPLINE);
    look(&f);
    assert_false(f.moved[still]);
    assert_true(f.moved[aside]);
    assert_false(f.moved[turned]);
    assert_true(f.moved[slow]);
    assert_true(f.moved[shown]);
    assert_true(f.moved[bent]);
    end(&f);
}

static void the_nearest_moved_node_carries(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t top = builder_node(&f.b, "top", BW_NO_INDEX), arm = builder_node(&f.b, "arm", top);
    const uint32_t hand = builder_node(&f.b, "hand", arm), part = builder_triangle(&f.b, "part", hand);
    const uint32_t ground = builder_triangle(&f.b, "ground", BW_NO_INDEX);
    move(&f, top, BW_CHANNEL_TRANSLATION, FALLS);
    move(&f, arm, BW_CHANNEL_TRANSLATION, FALLS);
    look(&f);
    const bw_scene *scene = &f.b.scene;
    assert_int_equal(bwi_carrier(f.moved, scene, part), arm);
    assert_int_equal(bwi_carrier(f.moved, scene, arm), arm);
    assert_int_equal(bwi_carrier(f.moved, scene, top), top);
    assert_int_equal(bwi_carrier(f.moved, scene, ground), BW_NO_INDEX);
    end(&f);
}

/* Under an uneven scale and a moved node: as the scene stands without clips. */
static void the_reference_is_rest(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t top = builder_node(&f.b, "top", BW_NO_INDEX), part = builder_triangle(&f.b, "part", top);
    memcpy(f.b.nodes[top].scale, (float[]){2, 1, 1}, sizeof f.b.nodes[top].scale);
    memcpy(f.b.nodes[part].translation, STAYS, sizeof f.b.nodes[part].translation);
    move(&f, part, BW_CHANNEL_TRANSLATION, FALLS);
    look(&f);
    EXPECT3(&f.reference[part].m[12], 2, 2, 3, 0);
    EXPECT1(f.reference[part].m[0], 2, 0);
    EXPECT1(f.reference[part].m[5], 1, 0);
    end(&f);
}

/* Debris that comes into being, or is there only as a speck at rest, is written in the first frame that shows it. */
static void what_is_nothing_at_rest_is_taken_from_a_clip(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    const uint32_t born = builder_triangle(&f.b, "born", BW_NO_INDEX),
                   speck = builder_triangle(&f.b, "speck", BW_NO_INDEX);
    const uint32_t never = builder_triangle(&f.b, "never", BW_NO_INDEX),
                   flat = builder_triangle(&f.b, "flat", BW_NO_INDEX);
    memset(f.b.nodes[born].scale, 0, sizeof f.b.nodes[born].scale);
    memset(f.b.nodes[never].scale, 0, sizeof f.b.nodes[never].scale);
    memcpy(f.b.nodes[flat].scale, (float[]){1, 1, 0}, sizeof f.b.nodes[flat].scale);
    memcpy(f.b.nodes[flat].rotation, (float[]){0.36f, 0.48f, 0.64f, 0.48f}, sizeof f.b.nodes[flat].rotation);
    for (int k = 0; k < 3; ++k)
        f.b.nodes[speck].scale[k] = 1e-4f;
    static const float BORN[9] = {0, 0, 0, 0.5f, 0.5f, 0.5f, 1, 1, 1};
    move(&f, born, BW_CHANNEL_SCALE, BORN);
    move(&f, born, BW_CHANNEL_TRANSLATION, FALLS);
    move(&f, speck, BW_CHANNEL_SCALE, BORN);
    move(&f, never, BW_CHANNEL_TRANSLATION, FALLS);
    move(&f, flat, BW_CHANNEL_TRANSLATION, FALLS);
    look(&f);
    /* Frame 1, at 0.25 s, has a quarter of the last frame's size, which is enough. */
    EXPECT1(f.reference[born].m[0], 0.25, 0);
    EXPECT3(&f.reference[born].m[12], 0, -0.5, 0, 0);
    EXPECT1(f.reference[speck].m[0], 0.25, 0);
    EXPECT1(f.reference[never].m[0], 1, 0);
    EXPECT1(f.reference[never].m[13], 0, 0);
    EXPECT1(f.reference[flat].m[0], 1, 0); /* no frame gives it a third dimension */
    EXPECT1(f.reference[flat].m[1], 0, 0);
    end(&f);
}

static bw_result read_zeros(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    (void)sample;
    (void)error;
    memset(dst, 0, *(const size_t *)ctx);
    return BW_OK;
}

/* Caches, where a clip plays them: a node's matrix moves it; a mesh's points and a node's visibility change the part itself. */
static void caches_move_and_deform(void **state) {
    (void)state;
    static const double times[2] = {0, 1};
    static const size_t sizes[3] = {16 * sizeof(float), 9 * sizeof(float), sizeof(float)};
    const bw_cache matrix = {times, 2, read_zeros, &sizes[0]}, points = {times, 2, read_zeros, &sizes[1]},
                   shown = {times, 2, read_zeros, &sizes[2]}, still = {times, 1, read_zeros, &sizes[1]};
    for (int plays = 0; plays < 2; ++plays) {
        fixture f;
        begin(&f);
        const uint32_t moved = builder_triangle(&f.b, "moved", BW_NO_INDEX),
                       bent = builder_triangle(&f.b, "bent", BW_NO_INDEX);
        const uint32_t hidden = builder_triangle(&f.b, "hidden", BW_NO_INDEX),
                       rigid = builder_triangle(&f.b, "rigid", BW_NO_INDEX);
        f.b.nodes[moved].has_matrix = true;
        f.b.nodes[moved].matrix_cache = &matrix;
        f.b.nodes[hidden].visibility_cache = &shown;
        f.b.primitives[f.b.nodes[bent].mesh][0].position_cache = &points;
        f.b.primitives[f.b.nodes[rigid].mesh][0].position_cache = &still;
        f.b.clips[0].plays_caches = plays;
        move(&f, rigid, BW_CHANNEL_TRANSLATION, FALLS);
        look(&f);
        assert_int_equal(f.moved[moved], plays);
        assert_false(f.moved[bent]);
        assert_false(f.moved[hidden]);
        assert_true(f.moved[rigid]);
        const bool deformed[4] = {false, plays, plays, false};
        for (uint32_t p = 0; p < 4; ++p)
            assert_int_equal(bwi_is_deformed(&f.plan, &f.list.list->parts[p]), deformed[p]);
        end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_that_repeat_rest_move_nothing),
        cmocka_unit_test(caches_move_and_deform),
        cmocka_unit_test(the_nearest_moved_node_carries),
        cmocka_unit_test(the_reference_is_rest),
        cmocka_unit_test(what_is_nothing_at_rest_is_taken_from_a_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
