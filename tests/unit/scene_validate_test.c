/* SPDX-License-Identifier: MIT
 * Every promise of bakewell/scene.h, broken one at a time in a scene that keeps them all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "scene/scene.h"
#include "scene_builder.h"

/* A scene that uses every kind of thing; arrays may be changed. */
typedef struct whole_scene {
    scene_builder b;
    bwi_mem mem;
    float positions[9], normals[9], tangents[12], uvs[6], colors[12], weights[12], displacements[3][9];
    uint32_t indices[3], influences[12], joints[2];
    float inverse_bind[32], times[3], values[9], weight_values[6], default_weights[2];
    const float *uv_sets[2], *color_sets[1];
    const char *target_names[2];
    bw_morph_target targets[2];
    bw_instance instance;
    bw_texture texture;
    bw_image image;
    const char *sampler, *extension;
    bw_source_file file;
    bw_warning warning;
    bw_channel *move, *morph;
    bw_primitive *primitive;
} whole_scene;

static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
static const float tangents[] = {1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1};

/* nodes: 0 body (mesh 0, skin 0), 1 hip, 2 knee (child of hip), 3 grass (mesh 0, instances) */
static void make(whole_scene *w) {
    memset(w, 0, sizeof *w);
    scene_builder *b = &w->b;
    builder_init(b);
    memcpy(w->positions, positions, sizeof positions);
    memcpy(w->normals, normals, sizeof normals);
    memcpy(w->tangents, tangents, sizeof tangents);
    memcpy(w->indices, (uint32_t[]){0, 1, 2}, sizeof w->indices);
    uint32_t body = builder_node(b, "body", BW_NO_INDEX);
    uint32_t hip = builder_node(b, "hip", BW_NO_INDEX), knee = builder_node(b, "knee", hip);
    uint32_t grass = builder_node(b, "grass", BW_NO_INDEX);
    uint32_t mesh = builder_mesh(b, "mesh", 2);
    b->nodes[body].mesh = b->nodes[grass].mesh = mesh;
    b->nodes[grass].weights = (bw_float_list){w->default_weights, 2};
    w->instance = (bw_instance){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    b->nodes[grass].instances.data = &w->instance;
    b->nodes[grass].instances.count = 1;
    memcpy(w->joints, (uint32_t[]){hip, knee}, sizeof w->joints);
    b->nodes[body].skin = builder_skin(b, w->joints, 2, w->inverse_bind);
    w->target_names[0] = "smile";
    w->target_names[1] = "frown";
    b->meshes[mesh].weights.data = w->default_weights;
    b->meshes[mesh].target_names = (bw_string_list){w->target_names, 2};

    w->primitive = builder_primitive(b, mesh, 3, w->positions, w->normals, w->indices, 3);
    w->primitive->material = 1;
    w->primitive->tangents = w->tangents;
    w->uv_sets[1] = w->uvs;
    w->primitive->uv_sets.data = w->uv_sets;
    w->primitive->uv_sets.count = 2;
    w->color_sets[0] = w->colors;
    w->primitive->colors.data = w->color_sets;
    w->primitive->colors.count = 1;
    for (size_t v = 0; v < 3; v++) {
        w->weights[4 * v] = 0.25f;
        w->weights[4 * v + 1] = 0.75f;
        w->influences[4 * v + 1] = 1;
    }
    w->primitive->influence_count = 4;
    w->primitive->joints = w->influences;
    w->primitive->weights = w->weights;
    w->targets[0] = (bw_morph_target){w->displacements[0], w->displacements[1], w->displacements[2]};
    w->primitive->targets.data = w->targets;
    w->primitive->targets.count = 2;

    memcpy(w->times, (float[]){0.5f, 1, 2}, sizeof w->times);
    uint32_t clip = builder_clip(b, "walk");
    builder_channel(b, clip, body, BW_CHANNEL_WEIGHTS, BW_INTERPOLATION_STEP, 3, w->times, w->weight_values);
    w->morph = &b->channels[clip][0];
    w->move =
        builder_channel(b, clip, hip, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_CUBICSPLINE, 1, w->times, w->values);
    builder_channel(b, builder_clip(b, "run"), hip, BW_CHANNEL_TRANSLATION, BW_INTERPOLATION_LINEAR, 3, w->times,
                    w->values);
    b->clips[0].key_rate_fps = 30;

    w->texture = (bw_texture){"{}", 0};
    w->image = (bw_image){"bark", "image/png", "x", 1};
    w->sampler = w->extension = "KHR_texture_transform";
    w->file.path = "test.gltf";
    w->warning = (bw_warning){"code", "message", "place", 1};
    b->scene.textures.data = &w->texture;
    b->scene.images.data = &w->image;
    b->scene.samplers.data = &w->sampler;
    b->scene.files.data = &w->file;
    b->scene.textures.count = b->scene.images.count = b->scene.samplers.count = b->scene.files.count = 1;
    b->scene.material_extensions = (bw_string_list){&w->extension, 1};
    b->scene.warnings = (bw_warning_list){&w->warning, 1};
    builder_finish(b);
}

static const double cache_times[] = {0.5, 1, 2};
static builder_cache caches[4];

/* Adds a node whose mesh, place and visibility are cached, and a clip that plays it. */
static bw_primitive *add_caches(whole_scene *whole) {
    scene_builder *b = &whole->b;
    const uint32_t node = builder_node(b, "cloth", BW_NO_INDEX), mesh = builder_mesh(b, "cloth", 0);
    bw_primitive *primitive = builder_primitive(b, mesh, 3, positions, normals, whole->indices, 3);
    b->nodes[node].mesh = mesh;
    b->nodes[node].has_matrix = true;
    b->nodes[node].matrix_cache = builder_cached(&caches[0], 3, cache_times, NULL, 16);
    b->nodes[node].visibility_cache = builder_cached(&caches[1], 1, cache_times, NULL, 1);
    primitive->position_cache = builder_cached(&caches[2], 2, cache_times, NULL, 9);
    primitive->normal_cache = builder_cached(&caches[3], 2, cache_times, NULL, 9);
    builder_cached_clip(b, "play", 0.5, 2, 29.97);
    builder_finish(b);
    return primitive;
}

static void a_scene_that_keeps_every_promise_passes(void **state) {
    (void)state;
    whole_scene w;
    make(&w);
    bw_error error;
    if (bwi_scene_validate(&w.b.scene, &error) != BW_OK) {
        fail_msg("%s", error.message);
    }
    bw_primitive *cached = add_caches(&w);
    assert_int_equal(bwi_scene_validate(&w.b.scene, &error), BW_OK);
    cached->topology_changes = true;
    cached->velocity_cache = cached->normal_cache;
    assert_int_equal(bwi_scene_validate(&w.b.scene, &error), BW_OK);
    scene_builder empty;
    builder_init(&empty);
    assert_int_equal(bwi_scene_validate(&empty.scene, &error), BW_OK);
}

static whole_scene w; /* what the rows below break */

#define BREAK(name, ...)     \
    static void name(void) { \
        __VA_ARGS__;         \
    }

/* What a file can cause. */
BREAK(parent_range, w.b.nodes[2].parent = 4)
BREAK(mesh_range, w.b.nodes[0].mesh = 1)
BREAK(skin_range, w.b.nodes[0].skin = 1)
BREAK(own_parent, w.b.nodes[1].parent = 1)
BREAK(cycle, w.b.nodes[1].parent = 2)
BREAK(matrix_nan, w.b.nodes[1].matrix[7] = NAN)
BREAK(translation_infinite, w.b.nodes[1].translation[2] = INFINITY)
BREAK(rotation_nan, w.b.nodes[1].rotation[0] = NAN)
BREAK(scale_nan, w.b.nodes[1].scale[1] = -INFINITY)
BREAK(node_weight_nan, w.default_weights[1] = NAN; w.b.meshes[0].weights.data = w.uvs)
BREAK(node_weight_count, w.b.nodes[3].weights.count = 1)
BREAK(instance_nan, w.instance.scale[0] = NAN)
BREAK(instance_place_nan, w.instance.translation[2] = NAN)
BREAK(instance_rotation_nan, w.instance.rotation[1] = NAN)
BREAK(mesh_weight_nan, w.default_weights[1] = NAN; w.b.nodes[3].weights.count = 0)
BREAK(material_range, w.primitive->material = 8)
BREAK(position_nan, w.positions[8] = NAN)
BREAK(normal_nan, w.normals[8] = NAN)
BREAK(tangent_nan, w.tangents[8] = NAN)
BREAK(uv_nan, w.uvs[5] = NAN)
BREAK(color_nan, w.colors[11] = NAN)
BREAK(displacement_nan, w.displacements[0][8] = NAN)
BREAK(normal_displacement_nan, w.displacements[1][8] = NAN)
BREAK(tangent_displacement_nan, w.displacements[2][8] = NAN)
BREAK(target_count, w.primitive->targets.count = 1)
BREAK(weight_negative, w.weights[0] = -0.25f; w.weights[1] = 1.25f)
BREAK(weight_sum, w.weights[9] = 0.7f)
BREAK(weight_sum_zero, w.weights[8] = w.weights[9] = 0; w.influences[9] = 0)
BREAK(weight_nan, w.weights[9] = NAN)
BREAK(joint_range, w.influences[9] = 2)
BREAK(skin_joint_range, w.joints[1] = 4)
BREAK(inverse_bind_nan, w.inverse_bind[31] = NAN)
BREAK(index_range, w.indices[2] = 3)
BREAK(index_count, w.primitive->indices.count = 2)
BREAK(line_count, w.primitive->mode = BW_PRIMITIVE_LINES)
BREAK(channel_node, w.move->node = 4)
BREAK(channel_matrix, w.b.nodes[1].has_matrix = true)
BREAK(channel_components, w.move->component_count = 4)
BREAK(channel_targets, w.morph->component_count = 1)
BREAK(channel_no_mesh, w.morph->node = 1)
BREAK(time_nan, w.times[0] = NAN)
BREAK(times_equal, w.times[1] = 2)
BREAK(times_falling, w.times[1] = 3)
BREAK(key_nan, w.values[8] = NAN)
BREAK(texture_image, w.texture.image = 1)

/* What only a reader can. */
BREAK(no_path, w.b.scene.path = NULL)
BREAK(no_format, w.b.scene.format = NULL)
BREAK(no_generator, w.b.scene.generator = NULL)
BREAK(no_nodes, w.b.scene.nodes.data = NULL)
BREAK(no_meshes, w.b.scene.meshes.data = NULL)
BREAK(no_skins, w.b.scene.skins.data = NULL)
BREAK(no_clips, w.b.scene.clips.data = NULL)
BREAK(node_name, w.b.nodes[1].name = NULL)
BREAK(no_instances, w.b.nodes[3].instances.data = NULL)
BREAK(instance_unit, w.instance.rotation[3] = 0.9f)
BREAK(order_short, w.b.scene.node_order.count = 3)
BREAK(order_twice, w.b.order[3] = w.b.order[0])
BREAK(order_range, w.b.order[3] = 4)
BREAK(order_child_first, w.b.order[1] = 2; w.b.order[2] = 1)
BREAK(mesh_name, w.b.meshes[0].name = NULL)
BREAK(mesh_weights, w.b.meshes[0].weights.count = 1)
BREAK(target_name_count, w.b.meshes[0].target_names.count = 1)
BREAK(target_name, w.target_names[1] = NULL)
BREAK(no_primitives, w.b.meshes[0].primitives.data = NULL)
BREAK(no_positions, w.primitive->positions = NULL)
BREAK(no_indices, w.primitive->indices.count = 0)
BREAK(no_targets, w.primitive->targets.data = NULL)
BREAK(mode, w.primitive->mode = (bw_primitive_mode)3)
BREAK(normal_unit, w.normals[8] = 1.001f)
BREAK(tangent_unit, w.tangents[8] = 0.9f)
BREAK(tangent_w, w.tangents[11] = 0.5f)
BREAK(influences_of_three, w.primitive->influence_count = 3)
BREAK(no_joints, w.primitive->joints = NULL)
BREAK(no_weights, w.primitive->weights = NULL)
BREAK(unused_joint, w.influences[11] = 1)
BREAK(skin_name, w.b.skins[0].name = NULL)
BREAK(skin_no_joints, w.b.skins[0].joints.count = 0)
BREAK(skin_no_matrices, w.b.skins[0].inverse_bind = NULL)
BREAK(clip_name, w.b.clips[0].name = NULL)
BREAK(clip_names_equal, w.b.clips[1].name = "walk")
BREAK(clip_no_channels, w.b.clips[0].channels.count = 0)
BREAK(clip_start, w.b.clips[0].start_s = 0)
BREAK(clip_end, w.b.clips[0].end_s = 1)
BREAK(clip_rate, w.b.clips[0].key_rate_fps = 29.97)
BREAK(channel_twice, w.b.channels[0][2] = *w.move; w.b.clips[0].channels.count = 3)
BREAK(channel_path, w.move->path = (bw_channel_path)0)
BREAK(channel_interpolation, w.move->interpolation = (bw_interpolation)3)
BREAK(no_keys, w.move->key_count = 0)
BREAK(no_times, w.move->times_s = NULL)
BREAK(no_values, w.move->values = NULL)
BREAK(no_materials, w.b.scene.materials.data = NULL)
BREAK(no_textures, w.b.scene.textures.data = NULL)
BREAK(no_images, w.b.scene.images.data = NULL)
BREAK(no_files, w.b.scene.files.data = NULL)
BREAK(no_warnings, w.b.scene.warnings.data = NULL)
BREAK(material_json, w.b.materials[2].json = NULL)
BREAK(texture_json, w.texture.json = NULL)
BREAK(image_mime, w.image.mime = NULL)
BREAK(image_data, w.image.data = NULL)
BREAK(sampler_text, w.sampler = NULL)
BREAK(extension_name, w.b.scene.material_extensions.data = NULL)
BREAK(file_path, w.file.path = NULL)
BREAK(warning_place, w.warning.first = NULL)
BREAK(warning_count, w.warning.count = 0)

/* Of caches. */
static const double falling_times[] = {1, 0.5, 2}, late_times[] = {0.5, 1.5};
#define BREAK_CACHED(name, ...)           \
    static void name(void) {              \
        bw_primitive *p = add_caches(&w); \
        (void)p;                          \
        __VA_ARGS__;                      \
    }
BREAK_CACHED(cache_times_falling, caches[0].cache.times_s = falling_times)
BREAK_CACHED(cache_empty, caches[1].cache.sample_count = 0)
BREAK_CACHED(cache_without_reader, caches[2].cache.read = NULL)
BREAK_CACHED(cache_without_times, caches[3].cache.times_s = NULL)
BREAK_CACHED(cached_matrix_of_trs, w.b.nodes[4].has_matrix = false)
BREAK_CACHED(cached_normals_alone, p->normals = NULL)
BREAK_CACHED(cached_tangents, p->tangents = tangents)
BREAK_CACHED(cached_skin, p->influence_count = 4; p->joints = w.influences; p->weights = w.weights)
BREAK_CACHED(velocities_of_one_topology, p->velocity_cache = p->position_cache)
BREAK_CACHED(topology_without_cache, p->topology_changes = true; p->position_cache = NULL)
BREAK_CACHED(topology_of_points, p->topology_changes = true; p->mode = BW_PRIMITIVE_POINTS)
BREAK_CACHED(topology_shared, p->topology_changes = true; w.indices[2] = 1)
BREAK_CACHED(topology_normals_late, p->topology_changes = true; caches[3].cache.times_s = late_times)
BREAK_CACHED(topology_velocities_many, p->topology_changes = true; p->velocity_cache = &caches[0].cache)
BREAK_CACHED(cached_clip_short, w.b.clips[2].end_s = 1)
BREAK_CACHED(cached_clip_early, w.b.clips[2].start_s = 0)
BREAK_CACHED(cached_clip_rate, w.b.clips[2].key_rate_fps = NAN)
BREAK_CACHED(cached_clip_twice, w.b.clips[1] = w.b.clips[2]; w.b.clips[1].name = "again")
BREAK(cached_clip_of_nothing, w.b.clips[1].plays_caches = true)

typedef struct row {
    const char *name;
    void (*spoil)(void);
} row;

#define ROW(name) \
    { #name, name }

static const row malformed[] = {
    ROW(cache_times_falling),
    ROW(parent_range),
    ROW(mesh_range),
    ROW(skin_range),
    ROW(own_parent),
    ROW(cycle),
    ROW(matrix_nan),
    ROW(translation_infinite),
    ROW(rotation_nan),
    ROW(scale_nan),
    ROW(node_weight_nan),
    ROW(node_weight_count),
    ROW(instance_nan),
    ROW(instance_place_nan),
    ROW(instance_rotation_nan),
    ROW(mesh_weight_nan),
    ROW(material_range),
    ROW(position_nan),
    ROW(normal_nan),
    ROW(tangent_nan),
    ROW(uv_nan),
    ROW(color_nan),
    ROW(displacement_nan),
    ROW(normal_displacement_nan),
    ROW(tangent_displacement_nan),
    ROW(target_count),
    ROW(weight_negative),
    ROW(weight_sum),
    ROW(weight_sum_zero),
    ROW(weight_nan),
    ROW(joint_range),
    ROW(skin_joint_range),
    ROW(inverse_bind_nan),
    ROW(index_range),
    ROW(index_count),
    ROW(line_count),
    ROW(channel_node),
    ROW(channel_matrix),
    ROW(channel_components),
    ROW(channel_targets),
    ROW(channel_no_mesh),
    ROW(time_nan),
    ROW(times_equal),
    ROW(times_falling),
    ROW(key_nan),
    ROW(texture_image),
};

static const row bugs[] = {
    ROW(cache_empty),
    ROW(cache_without_reader),
    ROW(cache_without_times),
    ROW(cached_matrix_of_trs),
    ROW(cached_normals_alone),
    ROW(cached_tangents),
    ROW(cached_skin),
    ROW(velocities_of_one_topology),
    ROW(topology_without_cache),
    ROW(topology_of_points),
    ROW(topology_shared),
    ROW(topology_normals_late),
    ROW(topology_velocities_many),
    ROW(cached_clip_short),
    ROW(cached_clip_early),
    ROW(cached_clip_rate),
    ROW(cached_clip_twice),
    ROW(cached_clip_of_nothing),
    ROW(no_path),
    ROW(no_format),
    ROW(no_generator),
    ROW(no_nodes),
    ROW(no_meshes),
    ROW(no_skins),
    ROW(no_clips),
    ROW(node_name),
    ROW(no_instances),
    ROW(instance_unit),
    ROW(order_short),
    ROW(order_twice),
    ROW(order_range),
    ROW(order_child_first),
    ROW(mesh_name),
    ROW(mesh_weights),
    ROW(target_name_count),
    ROW(target_name),
    ROW(no_primitives),
    ROW(no_positions),
    ROW(no_indices),
    ROW(no_targets),
    ROW(mode),
    ROW(normal_unit),
    ROW(tangent_unit),
    ROW(tangent_w),
    ROW(influences_of_three),
    ROW(no_joints),
    ROW(no_weights),
    ROW(unused_joint),
    ROW(skin_name),
    ROW(skin_no_joints),
    ROW(skin_no_matrices),
    ROW(clip_name),
    ROW(clip_names_equal),
    ROW(clip_no_channels),
    ROW(clip_start),
    ROW(clip_end),
    ROW(clip_rate),
    ROW(channel_twice),
    ROW(channel_path),
    ROW(channel_interpolation),
    ROW(no_keys),
    ROW(no_times),
    ROW(no_values),
    ROW(no_materials),
    ROW(no_textures),
    ROW(no_images),
    ROW(no_files),
    ROW(no_warnings),
    ROW(material_json),
    ROW(texture_json),
    ROW(image_mime),
    ROW(image_data),
    ROW(sampler_text),
    ROW(extension_name),
    ROW(file_path),
    ROW(warning_place),
    ROW(warning_count),
};

static void refuse_all(const row *rows, size_t count, bw_result wanted) {
    for (size_t i = 0; i < count; i++) {
        make(&w);
        rows[i].spoil();
        bw_error error = {.result = BW_OK};
        bw_result result = bwi_scene_validate(&w.b.scene, &error);
        if (result != wanted || error.result != wanted || error.message[0] == '\0') {
            fail_msg("%s: found %s (%s)", rows[i].name, bw_result_name(result), error.message);
        }
    }
}

static void what_a_file_can_cause_is_malformed(void **state) {
    (void)state;
    refuse_all(malformed, sizeof malformed / sizeof malformed[0], BW_ERR_MALFORMED);
}

static void what_only_a_reader_can_cause_is_internal(void **state) {
    (void)state;
    refuse_all(bugs, sizeof bugs / sizeof bugs[0], BW_ERR_INTERNAL);
}

static void messages_name_the_place(void **state) {
    (void)state;
    static const struct {
        void (*spoil)(void);
        const char *text;
    } cases[] = {
        {position_nan, "test.gltf: mesh 0 (mesh), primitive 0: value 2 of position of vertex 2 is not a finite number"},
        {joint_range, "mesh 0 (mesh), primitive 0: vertex 2 names joint 2 of a skin with 2 joints"},
        {cycle, "node 1 (hip): is among its own ancestors"},
        {times_falling, "clip 0 (walk), channel 0: key 2 is at 2 s, not after the one before it at 3 s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make(&w);
        cases[i].spoil();
        bw_error error;
        assert_int_equal(bwi_scene_validate(&w.b.scene, &error), BW_ERR_MALFORMED);
        if (strstr(error.message, cases[i].text) == NULL) {
            fail_msg("\"%s\" does not say \"%s\"", error.message, cases[i].text);
        }
    }
}

/* The mesh is used with a skin of two joints and one of a single joint: the smaller counts. */
static void joints_are_checked_against_every_skin_of_the_mesh(void **state) {
    (void)state;
    make(&w);
    w.b.nodes[3].skin = builder_skin(&w.b, w.joints, 1, w.inverse_bind);
    bw_error error;
    assert_int_equal(bwi_scene_validate(&w.b.scene, &error), BW_ERR_MALFORMED);
    w.b.skins[1].joints.count = 2;
    assert_int_equal(bwi_scene_validate(&w.b.scene, &error), BW_OK);
}

static void a_failed_allocation_is_reported(void **state) {
    (void)state;
    bwi_arena *arena = bwi_arena_create_owning(0);
    make(&w);
    w.b.scene.arena = arena;
    bwi_arena_mem(arena)->fail_after = 0;
    bw_error error;
    assert_int_equal(bwi_scene_validate(&w.b.scene, &error), BW_ERR_MEMORY);
    bwi_arena_mem(arena)->fail_after = -1;
    assert_int_equal(bwi_scene_validate(&w.b.scene, &error), BW_OK);
    bwi_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_that_keeps_every_promise_passes),
        cmocka_unit_test(what_a_file_can_cause_is_malformed),
        cmocka_unit_test(what_only_a_reader_can_cause_is_internal),
        cmocka_unit_test(messages_name_the_place),
        cmocka_unit_test(joints_are_checked_against_every_skin_of_the_mesh),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
