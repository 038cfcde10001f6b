/* SPDX-License-Identifier: MIT
 * Attributes of every type, scope, extent and way of storing become what the schema has; what stands before what; what is missing or odd is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"
#include "hair_builder.h"

enum { S = 2, V = 5 };

static const int32_t COUNTS[] = {2, 3};
static const float POINTS[] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 2};

static void start(hair_builder *b) {
    hair_init(b);
    hair_curves(b, "/hair", BW_NO_INDEX, COUNTS, S, POINTS, V);
}

static bool changed_only(const hair_fix *f, const char *codes) {
    for (size_t i = 0; i < f->changes.count; i++) {
        if (!strstr(codes, f->changes.data[i].code))
            fail_msg("unexpected change: %s", f->changes.data[i].code);
    }
    size_t wanted = *codes != 0;
    for (const char *c = codes; *c; c++)
        wanted += *c == ' ';
    return f->changes.count == wanted;
}

typedef struct value_case {
    const char *name;
    bw_alembic_pod pod;
    uint32_t extent;
    bw_alembic_scope scope;
    uint64_t count;
    const void *values;
    double wanted[V]; /* of roughness; NaN: there is none */
    const char *changes;
} value_case;

#define VTX BW_ALEMBIC_SCOPE_VERTEX
#define UNI BW_ALEMBIC_SCOPE_UNIFORM
#define CON BW_ALEMBIC_SCOPE_CONSTANT
#define VAR BW_ALEMBIC_SCOPE_VARYING
#define FVR BW_ALEMBIC_SCOPE_FACEVARYING
#define ODD BW_ALEMBIC_SCOPE_UNKNOWN

/* https://github.com/alembic/alembic/pull/239: a value for all, a strand, a point, whatever the file calls it. */
static void each_type_and_scope_is_taken(void **state) {
    (void)state;
    static const float f5[] = {1, 2, 3, 4, 5, 6, 7}, pairs[] = {1, 9, 2, 9, 3, 9, 4, 9, 5, 9};
    static const double d5[] = {1, 2, 3, 4, 5};
    static const int8_t i8[] = {1, 2, 3, 4, 5};
    static const int16_t i16[] = {1, 2, 3, 4, 5};
    static const int32_t i32[] = {1, 2, 3, 4, 5};
    static const uint32_t u32[] = {1, 2, 3, 4, 5};
    static const int64_t i64[] = {1, 2, 3, 4, 5};
    static const uint64_t u64[] = {1, 2, 3, 4, 5};
    static const uint8_t u8[] = {0, 51, 102, 153, 255}, truth[] = {0, 1, 1, 0, 1};
    static const uint16_t u16[] = {0, 13107, 26214, 39321, 65535}, half[] = {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500};
    static const float odd[] = {1, -2, INFINITY, 4, 5};
    static const value_case CASES[] = {
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, VTX, 5, f5, {1, 2, 3, 4, 5}, ""},
        {"GROOM_Roughness", BW_ALEMBIC_FLOAT32, 1, VTX, 5, f5, {1, 2, 3, 4, 5}, ""},
        {"groom_roughness", BW_ALEMBIC_FLOAT64, 1, VTX, 5, d5, {1, 2, 3, 4, 5}, ""},
        {"groom_rough", BW_ALEMBIC_FLOAT32, 1, VTX, 5, f5, {1, 2, 3, 4, 5}, "attributes-renamed"},
        {"roughness", BW_ALEMBIC_FLOAT32, 1, VTX, 5, f5, {1, 2, 3, 4, 5}, "attributes-renamed"},
        {"groom_roughness", BW_ALEMBIC_FLOAT16, 1, VTX, 5, half, {1, 2, 3, 4, 5}, "attributes-retyped"},
        {"groom_roughness", BW_ALEMBIC_INT8, 1, VTX, 5, i8, {1, 2, 3, 4, 5}, "attributes-retyped"},
        {"groom_roughness", BW_ALEMBIC_INT16, 1, VTX, 5, i16, {1, 2, 3, 4, 5}, "attributes-retyped"},
        {"groom_roughness", BW_ALEMBIC_INT32, 1, VTX, 5, i32, {1, 2, 3, 4, 5}, "attributes-retyped"},
        {"groom_roughness", BW_ALEMBIC_UINT32, 1, VTX, 5, u32, {1, 2, 3, 4, 5}, "attributes-retyped"},
        {"groom_roughness", BW_ALEMBIC_INT64, 1, VTX, 5, i64, {1, 2, 3, 4, 5}, "attributes-retyped"},
        {"groom_roughness", BW_ALEMBIC_UINT64, 1, VTX, 5, u64, {1, 2, 3, 4, 5}, "attributes-retyped"},
        {"groom_roughness", BW_ALEMBIC_BOOL, 1, VTX, 5, truth, {0, 1, 1, 0, 1}, "attributes-retyped"},
        {"groom_roughness", BW_ALEMBIC_UINT8, 1, VTX, 5, u8, {0, 0.2, 0.4, 0.6, 1}, "attributes-retyped"},
        {"groom_roughness", BW_ALEMBIC_UINT16, 1, VTX, 5, u16, {0, 0.2, 0.4, 0.6, 1}, "attributes-retyped"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, UNI, 2, f5, {1, 1, 2, 2, 2}, "attributes-rescoped"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, CON, 1, f5, {1, 1, 1, 1, 1}, "attributes-rescoped"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, CON, 5, f5, {1, 2, 3, 4, 5}, "attributes-rescoped"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, VTX, 2, f5, {1, 1, 2, 2, 2}, "attributes-rescoped"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, FVR, 5, f5, {1, 2, 3, 4, 5}, "attributes-rescoped"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, ODD, 5, f5, {1, 2, 3, 4, 5}, "attributes-rescoped"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, VTX, 4, f5, {1, 2, 3, 4, 4}, "attributes-too-short"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, VTX, 7, f5, {1, 2, 3, 4, 5}, "attributes-too-long"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, ODD, 4, f5, {NAN}, "attributes-left-out"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, VTX, 0, f5, {NAN}, "attributes-left-out"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 2, VTX, 5, pairs, {1, 2, 3, 4, 5}, "attributes-reshaped"},
        {"groom_roughness", BW_ALEMBIC_FLOAT32, 1, VTX, 5, odd, {1, 0, 0, 4, 5}, "values-mended"},
        {"groom_hardness", BW_ALEMBIC_FLOAT32, 1, VTX, 5, f5, {NAN}, ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const value_case *c = &CASES[i];
        hair_builder b;
        hair_fix f;
        start(&b);
        hair_attribute(&b, c->name, c->pod, c->extent, c->scope, c->count, c->values);
        assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
        if (isnan(c->wanted[0])) {
            assert_null(f.groom->roughness);
        } else {
            assert_non_null(f.groom->roughness);
            for (int p = 0; p < V; p++)
                EXPECT1(f.groom->roughness[p], c->wanted[p], 1e-6);
        }
        if (!changed_only(&f, c->changes))
            fail_msg("case %zu, %s: %zu changes", i, c->name, f.changes.count);
        hair_close(&f);
    }
}

/* https://github.com/daz3d/DazToUnreal/issues/68: white hair, for the colour was of another scope and shape. */
static void colours_of_any_shape(void **state) {
    (void)state;
    static const float rgba[] = {1, 2, 3, 4, 5, 6, 7, 8}, grey[] = {7, 8}, flat[] = {1, 2, 3, 5, 6, 7};
    static const struct {
        const char *name;
        uint32_t extent;
        uint64_t count;
        const float *values;
    } CASES[] = {
        {"groom_color", 4, 2, rgba}, {"Cd", 4, 2, rgba}, {"groom_color", 1, 6, flat}, {"groom_color", 3, 2, flat}};
    hair_builder b;
    hair_fix f;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        start(&b);
        hair_attribute(&b, CASES[i].name, BW_ALEMBIC_FLOAT32, CASES[i].extent, UNI, CASES[i].count, CASES[i].values);
        assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
        EXPECT3(f.groom->colors + 3, 1, 2, 3, 0);
        EXPECT3(f.groom->colors + 6, 5, 6, 7, 0);
        assert_int_equal(hair_change(&f, "attributes-reshaped"), i != 3);
        assert_int_equal(hair_change(&f, "attributes-renamed"), i == 1);
        hair_close(&f);
    }
    start(&b);
    hair_attribute(&b, "groom_color", BW_ALEMBIC_FLOAT32, 1, UNI, 2, grey);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    EXPECT3(f.groom->colors, 7, 7, 7, 0);
    EXPECT3(f.groom->colors + 12, 8, 8, 8, 0);
    hair_close(&f);
}

static void indexed_attributes_are_expanded(void **state) {
    (void)state;
    static const float values[] = {0.5f, 0.25f};
    static const uint32_t indices[] = {1, 0, 0, 9, 1};
    static const char *const names[] = {"brow", "lash"};
    static const uint32_t of[] = {1, 0};
    hair_builder b;
    hair_fix f;
    start(&b);
    bwi_hair_attribute *a = hair_attribute(&b, "groom_ao", BW_ALEMBIC_FLOAT32, 1, VTX, 2, values);
    a->indices = indices;
    a->count = V;
    a->is_compound = true;
    a = hair_texts(&b, "groom_group_name", UNI, 2, names);
    a->indices = of;
    a->is_compound = true;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    const float wanted[] = {0.25f, 0.5f, 0.5f, 0, 0.25f};
    assert_memory_equal(f.groom->ao, wanted, sizeof wanted);
    assert_int_equal(hair_change(&f, "attributes-expanded"), 2);
    assert_int_equal(hair_change(&f, "indices-past-values"), 1);
    assert_string_equal(f.groom->groups.data[0].name, "lash");
    assert_int_equal(f.groom->group_of[1], 1);
    hair_close(&f);
}

/* What beats what: as the importer has it. */
static void precedence_of_widths_and_uvs(void **state) {
    (void)state;
    static const float vertex[] = {1, 2, 3, 4, 5}, strands[] = {8, 9}, uv[] = {0.1f, 0.2f, 0.3f, 0.4f},
                       own[] = {0.5f, 0.6f, 0.7f, 0.8f};
    static const float corners[] = {0.1f, 0.2f, 9, 9, 0.3f, 0.4f, 9, 9, 9, 9}, s[] = {0.1f, 0.3f}, t[] = {0.2f, 0.4f};
    static const struct {
        bool groom_vertex, groom_strand, native_vertex, native_strand;
        float first;
    } CASES[] = {{true, false, false, true, 1},
                 {false, true, true, false, 1},
                 {false, true, false, true, 8},
                 {false, false, true, false, 1},
                 {false, false, false, true, 8}};
    hair_builder b;
    hair_fix f;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        start(&b);
        if (CASES[i].native_vertex || CASES[i].native_strand)
            hair_attribute(&b, "width", BW_ALEMBIC_FLOAT32, 1, CASES[i].native_vertex ? VTX : UNI,
                           CASES[i].native_vertex ? V : S, CASES[i].native_vertex ? vertex : strands)
                ->place = BWI_HAIR_NATIVE;
        if (CASES[i].groom_vertex || CASES[i].groom_strand)
            hair_attribute(&b, "groom_width", BW_ALEMBIC_FLOAT32, 1, CASES[i].groom_vertex ? VTX : UNI,
                           CASES[i].groom_vertex ? V : S, CASES[i].groom_vertex ? vertex : strands);
        assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
        EXPECT1(f.groom->widths[0], CASES[i].first, 0);
        hair_close(&f);
    }
    start(&b); /* of vertex scope: of the root */
    hair_attribute(&b, "uv", BW_ALEMBIC_FLOAT32, 2, VTX, V, corners)->place = BWI_HAIR_NATIVE;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_memory_equal(f.groom->root_uvs, uv, sizeof uv);
    assert_true(changed_only(&f, ""));
    hair_close(&f);
    hair_attribute(&b, "groom_rootUV", BW_ALEMBIC_FLOAT32, 2, UNI, S, own);
    assert_int_equal(hair_repair(&f, &b, &(bw_groom_opts){.flip_v = true}, 1), BW_OK);
    EXPECT1(f.groom->root_uvs[0], 0.5f, 0);
    EXPECT1(f.groom->root_uvs[1], 1 - 0.6f, 1e-7);
    assert_true(changed_only(&f, "attributes-renamed root-uvs-flipped"));
    hair_close(&f);
    start(&b);
    hair_attribute(&b, "s", BW_ALEMBIC_FLOAT32, 1, UNI, S, s);
    hair_attribute(&b, "t", BW_ALEMBIC_FLOAT32, 1, UNI, S, t);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_memory_equal(f.groom->root_uvs, uv, sizeof uv);
    hair_close(&f);
}

static void widths_that_are_none(void **state) {
    (void)state;
    static const float widths[] = {0, -1, 0.5f, NAN, -3};
    static const float good[] = {0, 0.5f, 0.25f, 0.5f, 0}; /* a tip of 0 is a taper */
    hair_builder b;
    hair_fix f;
    start(&b);
    hair_attribute(&b, "groom_width", BW_ALEMBIC_FLOAT32, 1, VTX, V, widths);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_true(isnan(f.groom->widths[0]) && isnan(f.groom->widths[1]));
    EXPECT3(f.groom->widths + 2, 0.5, 0, 0, 0);
    assert_true(changed_only(&f, "widths-replaced widths-mended"));
    hair_close(&f);
    b.attributes[0].bytes = (const uint8_t *)good;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_memory_equal(f.groom->widths, good, sizeof good);
    assert_true(changed_only(&f, ""));
    hair_close(&f);
}

/* Some objects have it, others do not: told apart for completing, never 0. */
static void objects_without_leave_gaps(void **state) {
    (void)state;
    static const float widths[] = {1, 2, 3, 4, 5}, uvs[] = {0.1f, 0.2f, 0.3f, 0.4f};
    static const int32_t clumps[] = {70000, 3, 5, -1, 2, 4};
    hair_builder b;
    hair_fix f;
    start(&b);
    hair_attribute(&b, "groom_width", BW_ALEMBIC_FLOAT32, 1, VTX, V, widths);
    hair_attribute(&b, "groom_root_uv", BW_ALEMBIC_FLOAT32, 2, UNI, S, uvs);
    hair_attribute(&b, "groom_clumpid", BW_ALEMBIC_INT32, 3, UNI, S, clumps);
    hair_curves(&b, "/bare", BW_NO_INDEX, COUNTS, S, POINTS, V);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    const bw_groom *g = f.groom;
    assert_memory_equal(g->widths, widths, sizeof widths);
    assert_true(isnan(g->widths[V]) && isnan(g->widths[2 * V - 1]));
    assert_true(isnan(g->root_uvs[4]) && isnan(g->root_uvs[7]));
    assert_int_equal(g->clump_width, 3);
    const int32_t wanted[] = {65535, 3, 5, 0, 2, 4, 0, 0, 0, 0, 0, 0};
    assert_memory_equal(g->clump_ids, wanted, sizeof wanted);
    assert_int_equal(hair_change(&f, "clump-ids-clamped"), 2);
    hair_close(&f);
}

/* Values of the whole groom stand on a transform above it. */
static void values_above_the_curves(void **state) {
    (void)state;
    static const float width[] = {0.3f};
    static const char *const tool[] = {"Groomer 2"};
    hair_builder b;
    hair_fix f;
    hair_init(&b);
    const uint32_t top = hair_xform(&b, "/groom", BW_NO_INDEX, NULL);
    hair_curves(&b, "/groom/hair", top, COUNTS, S, POINTS, V);
    bwi_hair_attribute *a = hair_attribute(&b, "groom_width", BW_ALEMBIC_FLOAT32, 1, CON, 1, width);
    a->object = top;
    a->place = BWI_HAIR_USER;
    a->is_scalar = true;
    a = hair_texts(&b, "groom_tool", CON, 1, tool);
    a->object = top;
    a->place = BWI_HAIR_USER;
    a = hair_attribute(&b, "Width", BW_ALEMBIC_FLOAT32, 1, CON, 1, (const float[]){77}); /* XGen's own */
    a->object = top;
    a->place = BWI_HAIR_USER;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    for (int p = 0; p < V; p++)
        EXPECT1(f.groom->widths[p], 0.3f, 0);
    assert_string_equal(f.groom->tool, "Groomer 2");
    assert_true(changed_only(&f, "attributes-moved"));
    hair_close(&f);
}

/* https://github.com/Autodesk/arnold-usd/issues/917: widths that there are only over time. */
static void widths_over_time_are_taken_at_the_first(void **state) {
    (void)state;
    static const float widths[] = {1, 2, 3, 4, 5};
    hair_builder b;
    hair_fix f;
    start(&b);
    bwi_hair_attribute *a = hair_attribute(&b, "width", BW_ALEMBIC_FLOAT32, 1, VTX, V, widths);
    a->place = BWI_HAIR_NATIVE;
    a->sample_count = 24;
    a->moves = true;
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    assert_memory_equal(f.groom->widths, widths, sizeof widths);
    assert_true(changed_only(&f, "attributes-stand-still"));
    hair_close(&f);
}

static void text_that_is_a_number(void **state) {
    (void)state;
    static const char *const ids[] = {"1", "0"};
    static const int32_t names[] = {12, 7};
    hair_builder b;
    hair_fix f;
    start(&b);
    hair_texts(&b, "groom_id", UNI, S, ids);
    hair_attribute(&b, "groom_group_name", BW_ALEMBIC_INT32, 1, UNI, S, names);
    assert_int_equal(hair_repair(&f, &b, NULL, 1), BW_OK);
    const int32_t wanted[] = {1, 0};
    assert_memory_equal(f.groom->ids, wanted, sizeof wanted);
    assert_string_equal(f.groom->groups.data[f.groom->group_of[0]].name, "Group_12");
    hair_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_and_scope_is_taken),
        cmocka_unit_test(colours_of_any_shape),
        cmocka_unit_test(indexed_attributes_are_expanded),
        cmocka_unit_test(precedence_of_widths_and_uvs),
        cmocka_unit_test(widths_that_are_none),
        cmocka_unit_test(objects_without_leave_gaps),
        cmocka_unit_test(values_above_the_curves),
        cmocka_unit_test(widths_over_time_are_taken_at_the_first),
        cmocka_unit_test(text_that_is_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
