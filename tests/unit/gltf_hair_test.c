/* SPDX-License-Identifier: MIT
 * Line primitives as hair: strands from lists, strips and loops, what its own writer adds, nodes above them. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "gltf_text.h"
#include "read/gltf/gltf.h"

static const float points[6][3] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {5, 0, 0}, {5, 1, 0}, {5, 2, 0}};

static bwi_hair *read_it(const gltf_text *t) {
    size_t size;
    uint8_t *bytes = text_glb(t, &size);
    bwi_hair *hair = NULL;
    bw_error error = {0};
    if (bwi_read_gltf_hair(&hair, "a.glb", NULL, bytes, size, NULL, &error) != BW_OK)
        fail_msg("%s", error.message);
    free(bytes);
    return hair;
}

static const bwi_hair_attribute *find(const bwi_hair *hair, const char *name) {
    for (size_t k = 0; k < hair->attributes.count; k++)
        if (strcmp(hair->attributes.data[k].name, name) == 0)
            return &hair->attributes.data[k];
    return NULL;
}

static void expect_values(const bwi_hair *hair, const char *name, bw_alembic_pod pod, bw_alembic_scope scope,
                          const double *values, uint64_t count, uint32_t extent) {
    const bwi_hair_attribute *a = find(hair, name);
    if (!a)
        fail_msg("%s is missing", name);
    assert_int_equal(a->pod, pod);
    assert_int_equal(a->scope, scope);
    assert_int_equal(a->count, count);
    assert_int_equal(a->extent, extent);
    for (uint64_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < extent; i++)
            EXPECT1(bwi_hair_number(a, k, i), values[k * extent + i], 1e-7); /* 1 - v in floats */
}

/* Mode 1 over two strands of three, 3 and 2 over the first three points. */
static void lines_become_strands(void **state) {
    (void)state;
    static const uint16_t pairs[] = {0, 1, 1, 2, 3, 4, 4, 5}, strip[] = {2, 1, 0};
    gltf_text *t = calloc(1, sizeof *t);
    assert_non_null(t);
    text_init(t);
    const uint32_t position = text_floats(t, "VEC3", 6, points[0], 18);
    const uint32_t list = text_data(t, "SCALAR", U16, 8, pairs, sizeof pairs, false);
    const uint32_t line = text_data(t, "SCALAR", U16, 3, strip, sizeof strip, false);
    text_add(t,
             "'meshes': [{'name': 'hair', 'primitives': ["
             "{'attributes': {'POSITION': %u}, 'indices': %u, 'mode': 1},"
             "{'attributes': {'POSITION': %u}, 'indices': %u, 'mode': 3},"
             "{'attributes': {'POSITION': %u}, 'indices': %u, 'mode': 2}]}]",
             position, list, position, line, position, line);
    text_add(t,
             "'nodes': [{'name': 'head', 'translation': [1, 2, 3], 'children': [1]}, {'name': 'strands', 'mesh': 0}], "
             "'scenes': [{'nodes': [0]}], 'scene': 0");
    bwi_hair *hair = read_it(t);
    static const int32_t counts[] = {3, 3, 3, 4};
    static const uint32_t order[] = {0, 1, 2, 3, 4, 5, 2, 1, 0, 2, 1, 0, 2};
    assert_string_equal(hair->format, "glb");
    assert_true(hair->has_transform);
    assert_non_null(hair->scene);
    assert_int_equal(hair->objects.count, 3);
    assert_string_equal(hair->objects.data[2].path, "/head/strands/hair");
    assert_int_equal(hair->objects.data[2].parent, 1);
    assert_int_equal(hair->objects.data[1].parent, 0);
    EXPECT3(hair->objects.data[0].matrix + 12, 1, 2, 3, 0);
    assert_int_equal(hair->curves.count, 1);
    const bwi_hair_curves *c = &hair->curves.data[0];
    assert_int_equal(c->object, 2);
    assert_int_equal(c->curve_count, 4);
    assert_memory_equal(c->counts, counts, sizeof counts);
    assert_int_equal(c->point_count, 13);
    float positions[13][3];
    assert_int_equal(c->read(c->ctx, 0, positions[0], NULL), BW_OK);
    for (size_t k = 0; k < 13; k++) {
        assert_memory_equal(c->positions + 3 * k, points[order[k]], 12);
        assert_memory_equal(positions[k], points[order[k]], 12);
    }
    assert_int_equal(hair->attributes.count, 0);
    bwi_hair_free(hair);
    text_close(t);
    free(t);
}

static void own_attributes_come_back(void **state) {
    (void)state;
    static const uint16_t pairs[] = {0, 1, 1, 2, 3, 4, 4, 5};
    static const float ids[] = {7, 7, 7, 9, 9, 9}, groups[] = {1, 1, 1, 0, 0, 0}, guides[] = {0, 0, 0, 1, 1, 1};
    static const float widths[] = {.25f, .5f, .125f, 1, 2, 3};
    static const float uvs[6][2] = {{.25f, .75f}, {.25f, .75f}, {.25f, .75f}, {.5f, 0}, {.5f, 0}, {.5f, 0}};
    static const float colors[6][3] = {{0, .25f, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {.5f, .5f, .5f}, {1, 1, 1}};
    gltf_text *t = calloc(1, sizeof *t);
    assert_non_null(t);
    text_init(t);
    const uint32_t position = text_floats(t, "VEC3", 6, points[0], 18);
    const uint32_t list = text_data(t, "SCALAR", U16, 8, pairs, sizeof pairs, false);
    const uint32_t id = text_floats(t, "SCALAR", 6, ids, 6), group = text_floats(t, "SCALAR", 6, groups, 6);
    const uint32_t guide = text_floats(t, "SCALAR", 6, guides, 6), width = text_floats(t, "SCALAR", 6, widths, 6);
    const uint32_t uv = text_floats(t, "VEC2", 6, uvs[0], 12), color = text_floats(t, "VEC3", 6, colors[0], 18);
    text_add(
        t,
        "'meshes': [{'extras': {'groups': ['neck', 'fringe']}, 'primitives': [{'indices': %u, 'mode': 1, 'attributes': "
        "{'POSITION': %u, '_STRAND': %u, '_GROUP_ID': %u, '_GUIDE': %u, '_WIDTH': %u, 'TEXCOORD_0': %u, "
        "'COLOR_0': %u, '_AO': %u, '_ROUGHNESS': %u}}]}]",
        list, position, id, group, guide, width, uv, color, width, uv);
    text_add(t, "'nodes': [{'mesh': 0}, {'mesh': 0}], 'scenes': [{'nodes': [0]}], 'scene': 0");
    bwi_hair *hair = read_it(t);
    static const double want_ids[] = {7, 9}, want_groups[] = {1, 0}, want_guides[] = {0, 1};
    static const double want_uvs[] = {.25, .25, .5, 1}, want_widths[] = {.25, .5, .125, 1, 2, 3};
    double want_colors[18];
    for (size_t k = 0; k < 18; k++)
        want_colors[k] = (double)colors[k / 3][k % 3];
    expect_values(hair, "groom_id", BW_ALEMBIC_INT32, BW_ALEMBIC_SCOPE_UNIFORM, want_ids, 2, 1);
    expect_values(hair, "groom_group_id", BW_ALEMBIC_INT32, BW_ALEMBIC_SCOPE_UNIFORM, want_groups, 2, 1);
    expect_values(hair, "groom_guide", BW_ALEMBIC_INT32, BW_ALEMBIC_SCOPE_UNIFORM, want_guides, 2, 1);
    expect_values(hair, "groom_root_uv", BW_ALEMBIC_FLOAT32, BW_ALEMBIC_SCOPE_UNIFORM, want_uvs, 2, 2);
    expect_values(hair, "width", BW_ALEMBIC_FLOAT32, BW_ALEMBIC_SCOPE_VERTEX, want_widths, 6, 1);
    expect_values(hair, "groom_ao", BW_ALEMBIC_FLOAT32, BW_ALEMBIC_SCOPE_VERTEX, want_widths, 6, 1);
    expect_values(hair, "groom_color", BW_ALEMBIC_FLOAT32, BW_ALEMBIC_SCOPE_VERTEX, want_colors, 6, 3);
    assert_string_equal(bwi_hair_text(find(hair, "groom_group_name"), 0), "fringe");
    assert_string_equal(bwi_hair_text(find(hair, "groom_group_name"), 1), "neck");
    assert_int_equal(find(hair, "width")->place, BWI_HAIR_NATIVE);
    assert_null(find(hair, "groom_roughness")); /* it is a pair of numbers */
    /* The node that no scene shows is hidden, and shares all but its attributes' object. */
    assert_int_equal(hair->curves.count, 2);
    assert_false(hair->objects.data[hair->curves.data[0].object].hidden);
    assert_true(hair->objects.data[hair->curves.data[1].object].hidden);
    assert_ptr_equal(hair->curves.data[0].positions, hair->curves.data[1].positions);
    assert_int_equal(hair->curves.data[1].first_attribute, 8);
    assert_int_equal(hair->attributes.data[8].object, hair->curves.data[1].object);
    bwi_hair_free(hair);
    text_close(t);
    free(t);
}

static void what_is_no_hair_is_told(void **state) {
    (void)state;
    gltf_text *t = calloc(1, sizeof *t);
    assert_non_null(t);
    text_init(t);
    const uint32_t position = text_floats(t, "VEC3", 3, points[0], 9);
    text_add(t,
             "'meshes': [{'primitives': [{'attributes': {'POSITION': %u}}]}, "
             "{'primitives': [{'attributes': {'POSITION': %u}, 'mode': 0}]}, "
             "{'primitives': [{'attributes': {'POSITION': %u}, 'mode': 3, 'targets': [{'POSITION': %u}]}]}]",
             position, position, position, position);
    text_add(t, "'nodes': [{'mesh': 0}, {'mesh': 1}, {'mesh': 2}], 'scenes': [{'nodes': [0, 1, 2]}], 'scene': 0");
    bwi_hair *hair = read_it(t);
    static const bwi_hair_kind kinds[] = {BWI_HAIR_XFORM,  BWI_HAIR_MESH,  BWI_HAIR_XFORM,
                                          BWI_HAIR_POINTS, BWI_HAIR_XFORM, BWI_HAIR_CURVES};
    assert_int_equal(hair->objects.count, 6);
    for (size_t k = 0; k < 6; k++)
        assert_int_equal(hair->objects.data[k].kind, kinds[k]);
    assert_string_equal(hair->objects.data[5].problem,
                        "its skin, morph targets and copies are left out: it is taken as it rests");
    bwi_hair_free(hair);
    text_close(t);
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_strands),
        cmocka_unit_test(own_attributes_come_back),
        cmocka_unit_test(what_is_no_hair_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
