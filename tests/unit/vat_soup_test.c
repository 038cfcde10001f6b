/* SPDX-License-Identifier: MIT
 * Soup mode: triangles that are others in every frame.  The texels are those of docs/FORMATS.md §12. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan_fixture.h"
#include "scene_builder.h"

static const double times[] = {0, 0.5};
/* One triangle, and three corners that are left over; then two. */
static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0};
static const uint32_t indices[] = {0, 1, 2, 3, 4, 5};

static const bw_scene *splash(scene_builder *b, builder_cache *cache) {
    builder_init(b);
    const uint32_t node = builder_node(b, "splash", BW_NO_INDEX), mesh = builder_mesh(b, "splash", 0);
    b->nodes[node].mesh = mesh;
    bw_primitive *primitive = builder_primitive(b, mesh, 6, corners, NULL, indices, 6);
    primitive->topology_changes = true;
    primitive->position_cache = builder_cached(cache, 2, times, corners, 18);
    builder_cached_clip(b, "cache", 0, 0.5, 2);
    return builder_finish(b);
}

static void texels_are_those_of_the_document(void **state) {
    (void)state;
    scene_builder b;
    builder_cache cache;
    plan_fixture f;
    assert_int_equal(plan_open(&f, splash(&b, &cache), &(bw_vat_opts){.mode = BW_VAT_MODE_SOUP}), BW_OK);
    assert_int_equal(f.plan.settings.mode, BW_VAT_MODE_SOUP);
    assert_int_equal(f.plan.frame_count, 2);
    assert_int_equal(plan_encode(&f, 0), BW_OK);
    assert_int_equal(f.positions.width, 6);
    assert_int_equal(f.positions.height, 2);
    enum { FRONT = 0x8080, NONE = 0xFF80 }; /* normals (0, 0, 1), and (0, 1, 0) of what has no area */
    static const uint16_t wanted[2][6][4] = {
        {{0, 0, 0, FRONT},
         {65535, 0, 0, FRONT},
         {0, 65535, 0, FRONT},
         {0, 0, 0, NONE},
         {0, 0, 0, NONE},
         {0, 0, 0, NONE}},
        {{0, 0, 0, FRONT},
         {65535, 0, 0, FRONT},
         {0, 65535, 0, FRONT},
         {0, 65535, 0, FRONT},
         {65535, 0, 0, FRONT},
         {65535, 65535, 0, FRONT}},
    };
    assert_memory_equal(f.positions.data, wanted, sizeof wanted);
    plan_close(&f);
}

/* At four times the rate each sample is shown until the next is due. */
static void frames_between_show_the_sample_before(void **state) {
    (void)state;
    scene_builder b;
    builder_cache cache;
    plan_fixture f;
    assert_int_equal(plan_open(&f, splash(&b, &cache), &(bw_vat_opts){.mode = BW_VAT_MODE_SOUP, .fps = 8}), BW_OK);
    assert_int_equal(f.plan.frame_count, 5);
    assert_int_equal(plan_encode(&f, 0), BW_OK);
    const uint16_t *texels = f.positions.data;
    for (size_t k = 1; k < 4; k++)
        assert_memory_equal(texels + 24 * k, texels, 24 * sizeof *texels);
    assert_memory_not_equal(texels + 24 * 4, texels, 24 * sizeof *texels);
    plan_close(&f);
}

static bw_result candidates(size_t *count, bwi_vat_candidate *first, list_fixture *f, bw_vat_mode mode,
                            bw_vat_layout layout) {
    bwi_vat_candidate *list = NULL;
    const bw_result result =
        bwi_vat_candidates(&list, count, f->arena, f->list, &(bw_vat_opts){.mode = mode, .layout = layout}, &f->error);
    if (result == BW_OK)
        *first = list[0];
    return result;
}

static void the_mode_follows_the_mesh(void **state) {
    (void)state;
    scene_builder b;
    builder_cache cache;
    list_fixture f;
    size_t count = 0;
    bwi_vat_candidate first = {0};
    assert_int_equal(fixture_open(&f, splash(&b, &cache), NULL), BW_OK);
    static const bw_vat_mode free[] = {BW_VAT_MODE_DEFAULT, BW_VAT_MODE_AUTO, BW_VAT_MODE_SOUP};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(candidates(&count, &first, &f, free[k], BW_VAT_LAYOUT_DEFAULT), BW_OK);
        assert_int_equal(first.mode, BW_VAT_MODE_SOUP);
    }
    static const bw_vat_mode others[] = {BW_VAT_MODE_VERTEX, BW_VAT_MODE_BONE, BW_VAT_MODE_RIGID};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(candidates(&count, &first, &f, others[k], BW_VAT_LAYOUT_DEFAULT), BW_ERR_UNSUPPORTED);
        assert_non_null(strstr(f.error.message, "'splash'"));
        assert_non_null(strstr(f.error.message, "use --mode=soup"));
    }
    assert_int_equal(candidates(&count, &first, &f, BW_VAT_MODE_DEFAULT, BW_VAT_LAYOUT_SEED), BW_ERR_UNSUPPORTED);
    assert_non_null(strstr(f.error.message, "--layout=native"));
    assert_int_equal(candidates(&count, &first, &f, BW_VAT_MODE_SOUP, BW_VAT_LAYOUT_SEED), BW_ERR_USAGE);
    fixture_close(&f);

    builder_init(&b);
    builder_triangle(&b, "tri", BW_NO_INDEX);
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(candidates(&count, &first, &f, BW_VAT_MODE_SOUP, BW_VAT_LAYOUT_DEFAULT), BW_ERR_UNSUPPORTED);
    assert_non_null(strstr(f.error.message, "use --mode=vertex"));
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texels_are_those_of_the_document),
        cmocka_unit_test(frames_between_show_the_sample_before),
        cmocka_unit_test(the_mode_follows_the_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
