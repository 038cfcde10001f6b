/* SPDX-License-Identifier: MIT
 * The vertex list: order, what is left out, filters, attributes, refusals. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "expect.h"
#include "list_fixture.h"
#include "scene_builder.h"

static const float square[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
static const float square_normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
static const uint32_t low_half[] = {0, 1, 2}, high_half[] = {3, 2, 1};

/* Materials in file order, none last; then modes; then nodes, primitives, instances. */
static void parts_are_ordered_by_material_mode_node_primitive_instance(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    uint32_t first = builder_node(&b, "first", BW_NO_INDEX), second = builder_node(&b, "second", BW_NO_INDEX);
    uint32_t mesh = builder_mesh(&b, "mesh", 0);
    b.nodes[first].mesh = b.nodes[second].mesh = mesh;
    static const struct {
        bw_primitive_mode mode;
        uint32_t material;
    } made[] = {
        {BW_PRIMITIVE_TRIANGLES, BW_NO_INDEX}, {BW_PRIMITIVE_POINTS, 0},
        {BW_PRIMITIVE_TRIANGLES, 1},           {BW_PRIMITIVE_LINES, 0},
        {BW_PRIMITIVE_TRIANGLES, 0},           {BW_PRIMITIVE_TRIANGLES, 1},
    };
    for (size_t i = 0; i < 6; i++) {
        static const uint32_t indices[] = {0, 1, 2, 3, 2, 1};
        bw_primitive *primitive = builder_primitive(&b, mesh, 4, square, square_normals, indices, 6);
        primitive->mode = made[i].mode;
        primitive->material = made[i].material;
    }
    static const bw_instance instances[] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}, {{0, 0, 1}, {0, 0, 0, 1}, {1, 1, 1}}};
    b.nodes[second].instances.data = instances;
    b.nodes[second].instances.count = 2;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    /* primitive of the list: material, mode; its parts: node, primitive, instance */
    static const struct {
        uint32_t material;
        bw_primitive_mode mode;
        uint32_t parts;
    } primitives[] = {
        {0, BW_PRIMITIVE_TRIANGLES, 3},
        {0, BW_PRIMITIVE_LINES, 3},
        {0, BW_PRIMITIVE_POINTS, 3},
        {1, BW_PRIMITIVE_TRIANGLES, 6},
        {BW_NO_INDEX, BW_PRIMITIVE_TRIANGLES, 3},
    };
    static const uint32_t parts[][3] = {
        {0, 4, BW_NO_INDEX}, {1, 4, 0}, {1, 4, 1}, {0, 3, BW_NO_INDEX}, {1, 3, 0},           {1, 3, 1},
        {0, 1, BW_NO_INDEX}, {1, 1, 0}, {1, 1, 1}, {0, 2, BW_NO_INDEX}, {0, 5, BW_NO_INDEX}, {1, 2, 0},
        {1, 2, 1},           {1, 5, 0}, {1, 5, 1}, {0, 0, BW_NO_INDEX}, {1, 0, 0},           {1, 0, 1},
    };
    assert_int_equal(f.list->primitive_count, 5);
    assert_int_equal(f.list->part_count, 18);
    uint32_t part = 0, vertex = 0;
    for (uint32_t p = 0; p < 5; p++) {
        const bwi_list_primitive *primitive = &f.list->primitives[p];
        assert_int_equal(primitive->material, primitives[p].material);
        assert_int_equal(primitive->mode, primitives[p].mode);
        assert_int_equal(primitive->part_count, primitives[p].parts);
        assert_int_equal(primitive->first_part, part);
        assert_int_equal(primitive->first_vertex, vertex);
        assert_int_equal(primitive->vertex_count, 4 * primitive->part_count);
        assert_int_equal(primitive->index_count, 6 * primitive->part_count);
        for (uint32_t i = 0; i < primitive->index_count; i++) {
            uint32_t owner = vertex + 4 * (i / 6);
            assert_in_range(primitive->indices[i], owner, owner + 3);
        }
        part += primitive->part_count;
        vertex += primitive->vertex_count;
    }
    for (uint32_t i = 0; i < 18; i++) {
        assert_int_equal(f.list->parts[i].node, parts[i][0]);
        assert_int_equal(f.list->parts[i].primitive, parts[i][1]);
        assert_int_equal(f.list->parts[i].instance, parts[i][2]);
        assert_int_equal(f.list->parts[i].first_vertex, 4 * i);
    }
    assert_string_equal(bwi_part_name(f.list, 0), "first");
    assert_string_equal(bwi_part_name(f.list, 3), "first");
    assert_string_equal(bwi_part_name(f.list, 4), "second");
    assert_string_equal(bwi_part_name(f.list, 71), "second");
    fixture_close(&f);
}

/* Two primitives share four vertices; each takes its own three, in the file's order. */
static void only_used_vertices_are_listed(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    uint32_t node = builder_node(&b, "a", BW_NO_INDEX);
    b.nodes[node].mesh = builder_mesh(&b, "a", 0);
    builder_primitive(&b, 0, 4, square, square_normals, low_half, 3);
    builder_primitive(&b, 0, 4, square, square_normals, high_half, 3);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(f.list->vertex_count, 6);
    assert_int_equal(fixture_warned(&f, "vertices-unused"), 2);
    static const uint32_t sources[] = {0, 1, 2, 1, 2, 3}, indices[] = {0, 1, 2, 5, 4, 3};
    assert_memory_equal(f.list->parts[0].source_vertices, sources, 3 * sizeof *sources);
    assert_memory_equal(f.list->parts[1].source_vertices, sources + 3, 3 * sizeof *sources);
    assert_memory_equal(f.list->primitives[0].indices, indices, sizeof indices);
    fixture_evaluate(&f, NULL, 0);
    EXPECT3(f.positions + 9, 1, 0, 0, 0);
    EXPECT3(f.positions + 15, 1, 1, 0, 0);
    fixture_close(&f);
}

static void attributes_come_in_list_order(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    uint32_t node = builder_node(&b, "a", BW_NO_INDEX);
    b.nodes[node].mesh = builder_mesh(&b, "a", 0);
    static const float uv[] = {0, 1, 2, 3, 4, 5, 6, 7},
                       colors[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const float *const uv_sets[] = {NULL, uv, NULL}, *const color_sets[] = {NULL, colors};
    bw_primitive *primitive = builder_primitive(&b, 0, 4, square, square_normals, high_half, 3);
    primitive->uv_sets.data = uv_sets;
    primitive->uv_sets.count = 3;
    primitive->colors.data = color_sets;
    primitive->colors.count = 2;
    builder_primitive(&b, 0, 4, square, square_normals, low_half, 3);
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(bwi_vertex_list_uv_set_count(f.list), 2);
    assert_false(bwi_vertex_list_has_uv(f.list, 0));
    assert_true(bwi_vertex_list_has_uv(f.list, 1));
    assert_false(bwi_vertex_list_has_uv(f.list, 2));
    assert_false(bwi_vertex_list_has_uv(f.list, 3));
    assert_int_equal(bwi_vertex_list_color_count(f.list), 2);
    float found_uv[12], found_colors[24];
    bwi_vertex_list_uv(f.list, 1, found_uv);
    static const float wanted_uv[] = {2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0};
    assert_memory_equal(found_uv, wanted_uv, sizeof wanted_uv);
    bwi_vertex_list_color(f.list, 1, found_colors);
    static const float wanted_colors[] = {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_memory_equal(found_colors, wanted_colors, sizeof wanted_colors);
    bwi_vertex_list_color(f.list, 7, found_colors);
    assert_true(found_colors[0] == 1.0f);
    fixture_close(&f);
}

static void nodes_outside_the_scene_are_left_out(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    builder_triangle(&b, "in", BW_NO_INDEX);
    builder_triangle(&b, "out", BW_NO_INDEX);
    b.nodes[1].in_scene = false;
    list_fixture f;
    assert_int_equal(fixture_open(&f, builder_finish(&b), NULL), BW_OK);
    assert_int_equal(f.list->part_count, 1);
    assert_int_equal(f.list->parts[0].node, 0);
    fixture_close(&f);
}

/* Nodes Sword, Shield, Swörd; their meshes' names end in _mesh. */
static void armoury(scene_builder *b) {
    builder_init(b);
    builder_triangle(b, "Sword", BW_NO_INDEX);
    builder_triangle(b, "Shield", BW_NO_INDEX);
    builder_triangle(b, "Sw\xC3\xB6rd", BW_NO_INDEX);
    b->meshes[0].name = "sword_mesh";
    b->meshes[1].name = "shield_mesh";
    b->meshes[2].name = "swoerd_mesh";
    builder_finish(b);
}

static void patterns_choose_nodes(void **state) {
    (void)state;
    static const struct {
        const char *include[2], *exclude[2];
        const char *nodes;
    } cases[] = {
        {{NULL}, {NULL}, "012"},
        {{"Sword"}, {NULL}, "0"},
        {{"S*d"}, {NULL}, "012"},
        {{"*"}, {NULL}, "012"},
        {{"**el*d**"}, {NULL}, "1"},
        {{"Sw?rd"}, {NULL}, "02"}, /* one character, not one byte */
        {{"*_mesh"}, {NULL}, "012"},
        {{"s?ield_mesh"}, {NULL}, "1"},
        {{"Sword", "Shield"}, {NULL}, "01"},
        {{NULL}, {"Sw*"}, "1"},
        {{"*o*"}, {"*\xC3\xB6*"}, "0"},
        {{NULL}, {"Sword", "Shield"}, "2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scene_builder b;
        armoury(&b);
        bwi_node_filter filter = {{cases[i].include, 0}, {cases[i].exclude, 0}};
        while (filter.include.count < 2 && cases[i].include[filter.include.count] != NULL) {
            filter.include.count++;
        }
        while (filter.exclude.count < 2 && cases[i].exclude[filter.exclude.count] != NULL) {
            filter.exclude.count++;
        }
        list_fixture f;
        assert_int_equal(fixture_open(&f, &b.scene, &filter), BW_OK);
        assert_int_equal(f.list->part_count, strlen(cases[i].nodes));
        for (uint32_t p = 0; p < f.list->part_count; p++) {
            assert_int_equal(f.list->parts[p].node, cases[i].nodes[p] - '0');
        }
        fixture_close(&f);
    }
}

static void refuse(const bw_scene *scene, const char *include, const char *exclude, bw_result wanted,
                   const char *text) {
    bwi_node_filter filter = {{&include, include != NULL ? 1 : 0}, {&exclude, exclude != NULL ? 1 : 0}};
    list_fixture f;
    assert_int_equal(fixture_open(&f, scene, &filter), wanted);
    assert_null(f.list);
    if (strstr(f.error.message, text) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", f.error.message, text);
    }
    fixture_close(&f);
}

static void refusals_name_what_there_is(void **state) {
    (void)state;
    scene_builder b;
    armoury(&b);
    refuse(&b.scene, "sword", NULL, BW_ERR_USAGE,
           "--include=sword matches no node with a mesh; nearest are \"Sword\", \"Sw\xC3\xB6rd\"");
    refuse(&b.scene, NULL, "Shiled", BW_ERR_USAGE,
           "--exclude=Shiled matches no node with a mesh; nearest are \"Shield\"");
    refuse(&b.scene, "Sword", "Sw*", BW_ERR_NO_MESH, "\"Sword\", \"Shield\", \"Sw\xC3\xB6rd\"");
    for (uint32_t i = 0; i < 3; i++) {
        b.nodes[i].in_scene = false;
    }
    refuse(&b.scene, NULL, NULL, BW_ERR_NO_MESH,
           "none of the 3 nodes in the default scene shows one (the file holds 3 meshes");
    scene_builder empty;
    builder_init(&empty);
    refuse(&empty.scene, NULL, NULL, BW_ERR_NO_MESH, "none of the 0 nodes");
}

static void too_many_instances_are_refused_before_memory_is_asked_for(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    builder_triangle(&b, "grass", BW_NO_INDEX);
    b.nodes[0].instances.count = (size_t)1 << 31;
    refuse(builder_finish(&b), NULL, NULL, BW_ERR_TOO_LARGE, "2147483648 parts");
}

/* A scene that makes every allocation: flat, welded and unused vertices, skin, two materials. */
static void a_failed_allocation_is_reported(void **state) {
    (void)state;
    scene_builder b;
    builder_init(&b);
    builder_triangle(&b, "face", BW_NO_INDEX);
    static const float lift[] = {0, 0, 0, 0, 0, 0, 0, 0, 1}, weight[] = {1};
    const bw_morph_target target = {.positions = lift};
    b.meshes[0].target_count = 1;
    b.meshes[0].weights = (bw_float_list){weight, 1};
    b.primitives[0][0].targets.data = &target;
    b.primitives[0][0].targets.count = 1;
    builder_triangle(&b, "flat", BW_NO_INDEX);
    b.primitives[1][0].normals = NULL;
    static const uint32_t joints[] = {0}, influences[12];
    static const float weights[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    static const float identity[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    b.nodes[1].skin = builder_skin(&b, joints, 1, identity);
    b.primitives[1][0].influence_count = 4;
    b.primitives[1][0].joints = influences;
    b.primitives[1][0].weights = weights;
    const bw_scene *scene = builder_finish(&b);
    int64_t k = 0;
    for (bw_result result = BW_ERR_MEMORY; result != BW_OK; k++) {
        bwi_mem mem;
        bwi_mem_init(&mem, 0);
        bwi_arena *arena = bwi_arena_create(&mem);
        bwi_env env = {&mem, 1, NULL};
        bw_error error = {.result = BW_OK};
        bwi_vertex_list *list = NULL;
        bwi_sampler *sampler = NULL;
        mem.fail_after = k;
        result = bwi_vertex_list_build(&list, arena, scene, NULL, &env, NULL, &error);
        assert_true((result == BW_OK) == (list != NULL));
        if (result == BW_OK) {
            result = bwi_sampler_create(&sampler, list, &mem, &error);
            assert_true((result == BW_OK) == (sampler != NULL));
        }
        if (result != BW_OK) {
            assert_int_equal(result, BW_ERR_MEMORY);
            assert_int_equal(error.result, BW_ERR_MEMORY);
        }
        bwi_sampler_free(sampler);
        bwi_arena_free(arena);
        assert_int_equal(mem.used, 0);
        assert_true(k < 1000);
    }
    assert_true(k > 3); /* some did fail */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_ordered_by_material_mode_node_primitive_instance),
        cmocka_unit_test(only_used_vertices_are_listed),
        cmocka_unit_test(attributes_come_in_list_order),
        cmocka_unit_test(nodes_outside_the_scene_are_left_out),
        cmocka_unit_test(patterns_choose_nodes),
        cmocka_unit_test(refusals_name_what_there_is),
        cmocka_unit_test(too_many_instances_are_refused_before_memory_is_asked_for),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
