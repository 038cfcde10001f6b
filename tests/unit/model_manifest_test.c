/* SPDX-License-Identifier: MIT
 * The manifest: what is written reads back to the same bytes, and nothing that contradicts itself is taken. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/json.h"
#include "model/manifest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- a manifest with every key ---- */

typedef struct sample {
    bwi_manifest_texture textures[4];
    bwi_manifest_clip clips[2];
    bwi_probe probes[2];
    bwi_manifest_level levels[2];
    bwi_manifest_file source[2];
    const char *names[2];
    const char *wanted[2], *bones[3];
    bwi_manifest manifest;
} sample;

/* What a manifest may be of. */
enum { VERTEX, BONE, BONE_IN_MESH, RIGID, KINDS };

static void fill_hash(uint8_t hash[16], unsigned seed) {
    for (unsigned k = 0; k < 16; k++)
        hash[k] = (uint8_t)(seed * 37 + k * 29);
}

/* Five elements in two rows of three; nine frames on two pages of five: 0 … 4 and 4 … 8. */
static void make_sample(sample *s) {
    *s = (sample){0};
    static const char *const FILES[] = {"a_vat_pos.png", "a_vat_pos.1.png", "a_vat_nrm.png", "a_vat_nrm.1.png"};
    for (unsigned k = 0; k < 4; k++) {
        s->textures[k] = (bwi_manifest_texture){.file = FILES[k],
                                                .role = k < 2 ? BWI_ROLE_POSITION : BWI_ROLE_NORMAL,
                                                .page = k % 2,
                                                .width = 3,
                                                .height = 10,
                                                .format = BW_VAT_FORMAT_PNG16,
                                                .decode = k < 2 ? BWI_DECODE_BOUNDS : BWI_DECODE_OCT,
                                                .bytes = 100 + k};
        fill_hash(s->textures[k].hash, k);
    }
    s->names[0] = "Lauf \"schnell\"";
    s->names[1] = "Winken";
    s->wanted[0] = "Run*";
    s->wanted[1] = "é";
    s->clips[0] = (bwi_manifest_clip){.name = "Run",
                                      .first_frame = 0,
                                      .frame_count = 6,
                                      .rate_fps = 30.0000012,
                                      .duration_s = 5 / 30.0000012,
                                      .loop = true,
                                      .bounds_min = {-0.1f, 1e-30f, -3},
                                      .bounds_max = {0.7f, 2.3f, 16777216},
                                      .source_names = {s->names, 2},
                                      .source_start_s = -0.25,
                                      .source_end_s = 0.1,
                                      .closed = true};
    s->clips[1] = (bwi_manifest_clip){.name = "rest", .first_frame = 6, .frame_count = 3, .rate_fps = 0};
    s->probes[0] = (bwi_probe){4, 1, 2, {0.1f, -0.2f, 0.33333334f}};
    s->probes[1] = (bwi_probe){0, 0, 5, {0, 0, 3.4e38f}};
    s->levels[0] = (bwi_manifest_level){.mesh = {"a_vat.lod1.glb", 77, {0}},
                                        .vertex_count = 9, /* more than the base has */
                                        .has_error = true,
                                        .rest_max = 0.125,
                                        .rest_rms = 0.1,
                                        .frames = {81, 0.5, 0.4, 0.3, 0.2, 0, {"rest", 0, 2, 8, "Hut"}}};
    s->levels[1] = (bwi_manifest_level){.mesh = {"a_vat.lod2.glb", 7, {0}}, .vertex_count = 1};
    fill_hash(s->levels[0].order_hash, 11);
    s->source[0] = (bwi_manifest_file){"a.gltf", 12, {0}};
    s->source[1] = (bwi_manifest_file){"textures/a b.bin", UINT64_C(1) << 40, {0}};
    fill_hash(s->source[0].hash, 7);
    fill_hash(s->source[1].hash, 8);
    bwi_manifest *m = &s->manifest;
    m->generator = "Bakewell 0.1";
    m->mode = BW_VAT_MODE_VERTEX;
    m->layout = BW_VAT_LAYOUT_NATIVE;
    m->engine = BW_ENGINE_UNITY;
    m->format = BW_VAT_FORMAT_PNG16;
    m->space = (bwi_space_name){"y", "left", "m"};
    m->options.engine = BW_ENGINE_UNITY;
    m->options.normals = BW_VAT_NORMALS_SEPARATE;
    m->options.fps = 29.97;
    m->options.max_size = 10;
    m->options.pow2 = true;
    m->options.max_bytes = UINT64_C(5) << 30;
    m->options.max_error = (bw_length){0.0005, BW_LENGTH_METRE};
    m->options.max_between = (bw_length){0.07 / 100, BW_LENGTH_RELATIVE};
    m->options.name = "a";
    m->options.include = (bw_string_list){s->wanted, 2};
    m->mesh = (bwi_manifest_file){"a_vat.glb", 4242, {0}};
    fill_hash(m->mesh.hash, 9);
    m->textures.data = s->textures;
    m->textures.count = 4;
    m->uv_set = 2;
    m->element_count = 5;
    fill_hash(m->order_hash, 10);
    m->frame_count = 9;
    m->rows_per_frame = 2;
    m->frames_per_page = 5;
    m->clips.data = s->clips;
    m->clips.count = 2;
    memcpy(m->bounds_min, s->clips[0].bounds_min, sizeof m->bounds_min);
    memcpy(m->bounds_max, s->clips[0].bounds_max, sizeof m->bounds_max);
    m->has_error = true;
    m->error.stored = (bw_error_stats){45, 1e-5, 9.5e-6, 3.3e-6, 1.25e-6, 0.004, {"Run", 0.1, 3, 4, "Körper"}};
    m->error.between = (bw_error_stats){35, 0.01, 0.009, 0.003, 0.00125, 1.5, {"rest", 0, 1, 0, "Hut"}};
    m->levels.data = s->levels;
    m->levels.count = 2;
    m->probes.data = s->probes;
    m->probes.count = 2;
    m->source.data = s->source;
    m->source.count = 2;
}

/* Three bones on two pages; as powers of two 2 texels each are a row of 8, 3 texels each need no such row. */
static void make_kind(sample *s, int kind) {
    make_sample(s);
    if (kind == VERTEX)
        return;
    const bool matrix = kind == BONE_IN_MESH;
    bwi_manifest *m = &s->manifest;
    for (unsigned k = 0; k < 2; k++) {
        s->textures[k].role = BWI_ROLE_BONES;
        s->textures[k].decode = matrix ? BWI_DECODE_BONE_MATRIX : BWI_DECODE_BONE_QUATERNION;
        s->textures[k].format = matrix ? BW_VAT_FORMAT_RAW_F32 : BW_VAT_FORMAT_PNG16;
        s->textures[k].width = matrix ? 6 : 8;
        s->textures[k].height = matrix ? 12 : 8;
    }
    s->textures[2] = (bwi_manifest_texture){.file = "a_vat_weights.png",
                                            .role = BWI_ROLE_WEIGHTS,
                                            .width = 4,
                                            .height = 8,
                                            .format = BW_VAT_FORMAT_PNG16,
                                            .decode = BWI_DECODE_WEIGHTS,
                                            .bytes = 7};
    s->bones[0] = "Hüfte";
    s->bones[1] = "";
    s->bones[2] = "Hüfte";
    m->mode = kind == RIGID ? BW_VAT_MODE_RIGID : BW_VAT_MODE_BONE;
    m->format = s->textures[0].format;
    m->textures.count = kind == BONE ? 3 : 2;
    m->rows_per_frame = matrix ? 2 : 1;
    m->options.pow2 = !matrix;
    m->bones = (bwi_manifest_bones){.count = 3,
                                    .texel_count = matrix ? 3 : 2,
                                    .per_row = matrix ? 2 : 4,
                                    .influence_count = kind == RIGID  ? 1
                                                       : kind == BONE ? 8
                                                                      : 4,
                                    .skin_in = kind == BONE           ? BW_VAT_SKIN_IN_TEXTURE
                                               : kind == BONE_IN_MESH ? BW_VAT_SKIN_IN_MESH
                                                                      : BW_VAT_SKIN_IN_DEFAULT,
                                    .pivot_min = {-1, 0, 0},
                                    .pivot_max = {1, 0.1f, 0},
                                    .names = s->bones};
    if (kind == BONE_IN_MESH)
        m->uv_set = BW_NO_INDEX;
    for (unsigned k = 0; k < 2 && !matrix; k++) {
        s->clips[k].pivot_min[2] = -0.3f;
        s->clips[k].pivot_max[2] = 0.7f;
        s->clips[k].max_scale = k ? 1.0f : 1e-3f;
    }
}

static char *write_text(const bwi_manifest *manifest, size_t *size) {
    char *text = NULL;
    bwi_mem mem;
    bw_error error;
    bwi_mem_init(&mem, 0);
    FILE *file = open_memstream(&text, size);
    assert_non_null(file);
    assert_int_equal(bwi_manifest_write(file, "a_vat.json", manifest, &mem, &error), BW_OK);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(mem.used, 0);
    return text;
}

static bw_result parse_text(const char *text, size_t size, bw_error *error) {
    bwi_arena *arena = bwi_arena_create_owning(0);
    bwi_manifest *manifest;
    bw_result result = bwi_manifest_parse(&manifest, arena, text, size, "a_vat.json", error);
    bwi_arena_free(arena);
    return result;
}

/* ---- tests ---- */

static void same_bytes_again(void **state) {
    (void)state;
    sample s;
    make_sample(&s);
    for (int variant = 0; variant < 4; variant++) {
        if (variant == 1) { /* no error measured, no normals, no probe, no option */
            s.manifest.has_error = false;
            s.manifest.textures.count = 2;
            s.manifest.probes.count = 0;
            s.manifest.levels.count = 0;
            s.manifest.source.count = 1;
            s.manifest.options = (bw_vat_opts){0};
        } else if (variant == 2) { /* seed: one page a clip */
            s.manifest.layout = BW_VAT_LAYOUT_SEED;
            s.manifest.rows_per_frame = 1;
            s.manifest.frames_per_page = 0;
            for (int k = 0; k < 2; k++) {
                s.textures[k].width = 8;
                s.textures[k].height = s.clips[k].frame_count;
                s.textures[k].decode = BWI_DECODE_ABSOLUTE;
            }
        } else if (variant == 3) { /* openvat: one page, rows of a frame apart, its own file */
            s.manifest.layout = BW_VAT_LAYOUT_OPENVAT;
            s.manifest.frames_per_page = s.manifest.frame_count;
            s.manifest.textures.count = 1;
            s.textures[0].height = 4 * s.manifest.frame_count;
            s.textures[0].decode = BWI_DECODE_OFFSET_NORMAL;
            s.manifest.offset_min[0] = -4.3f;
            s.manifest.remap_info = (bwi_manifest_file){"a-remap_info.json", 99, {7}};
        }
        size_t size, again_size;
        char *text = write_text(&s.manifest, &size);
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_manifest *read;
        bw_error error;
        bw_result result = bwi_manifest_parse(&read, arena, text, size, "a_vat.json", &error);
        if (result != BW_OK)
            fail_msg("variant %d: %s\n%s", variant, error.message, text);
        char *again = write_text(read, &again_size);
        assert_string_equal(text, again);
        free(text);
        free(again);
        bwi_arena_free(arena);
    }
}

static void bones_give_the_same_bytes(void **state) {
    (void)state;
    for (int kind = VERTEX; kind < KINDS; kind++) {
        sample s;
        make_kind(&s, kind);
        size_t size, again_size;
        char *text = write_text(&s.manifest, &size);
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_manifest *read;
        bw_error error;
        if (bwi_manifest_parse(&read, arena, text, size, "a_vat.json", &error) != BW_OK)
            fail_msg("kind %d: %s\n%s", kind, error.message, text);
        const bwi_manifest_bones *a = &s.manifest.bones, *b = &read->bones;
        assert_true(read->mode == s.manifest.mode && read->uv_set == s.manifest.uv_set);
        assert_true(a->count == b->count && a->texel_count == b->texel_count && a->per_row == b->per_row);
        assert_true(a->influence_count == b->influence_count && a->skin_in == b->skin_in);
        assert_memory_equal(a->pivot_max, b->pivot_max, sizeof a->pivot_max);
        for (uint32_t k = 0; k < a->count; k++)
            assert_string_equal(a->names[k], b->names[k]);
        assert_memory_equal(read->clips.data[0].pivot_min, s.clips[0].pivot_min, sizeof s.clips[0].pivot_min);
        assert_true(read->clips.data[0].max_scale == s.clips[0].max_scale);
        char *again = write_text(read, &again_size);
        assert_string_equal(text, again);
        free(text);
        free(again);
        bwi_arena_free(arena);
    }
}

static void values_survive(void **state) {
    (void)state;
    sample s;
    make_sample(&s);
    size_t size;
    char *text = write_text(&s.manifest, &size);
    bwi_arena *arena = bwi_arena_create_owning(0);
    bwi_manifest *m;
    assert_int_equal(bwi_manifest_parse(&m, arena, text, size, "a", NULL), BW_OK);
    free(text);
    assert_string_equal(m->space.handedness, "left");
    assert_int_equal(m->engine, BW_ENGINE_UNITY);
    assert_int_equal(m->options.engine, BW_ENGINE_UNITY);
    assert_int_equal(m->options.layout, BW_VAT_LAYOUT_DEFAULT);
    assert_int_equal(m->options.normals, BW_VAT_NORMALS_SEPARATE);
    assert_true(m->options.fps == 29.97);
    assert_int_equal(m->options.max_size, 10);
    assert_true(m->options.pow2 && !m->options.static_pose);
    assert_true(m->options.max_bytes == UINT64_C(5) << 30);
    assert_int_equal(m->options.max_error.unit, BW_LENGTH_METRE);
    assert_true(m->options.max_error.value == 0.0005);
    assert_int_equal(m->options.max_between.unit, BW_LENGTH_RELATIVE);
    assert_true(m->options.max_between.value == 0.07 / 100);
    assert_int_equal(m->options.include.count, 2);
    assert_string_equal(m->options.include.data[1], "é");
    assert_int_equal(m->options.clip.count, 0);
    assert_memory_equal(m->mesh.hash, s.manifest.mesh.hash, 16);
    assert_memory_equal(m->order_hash, s.manifest.order_hash, 16);
    assert_int_equal(m->textures.data[3].page, 1);
    assert_int_equal(m->textures.data[3].decode, BWI_DECODE_OCT);
    assert_memory_equal(m->clips.data[0].bounds_min, s.clips[0].bounds_min, 12);
    assert_memory_equal(m->clips.data[0].bounds_max, s.clips[0].bounds_max, 12);
    assert_true(m->clips.data[0].rate_fps == s.clips[0].rate_fps);
    assert_true(m->clips.data[0].duration_s == s.clips[0].duration_s);
    assert_true(m->clips.data[0].source_end_s == 0.1);
    assert_string_equal(m->clips.data[0].source_names.data[0], "Lauf \"schnell\"");
    assert_int_equal(m->error.stored.count, 45);
    assert_true(m->error.stored.p99 == 9.5e-6);
    assert_string_equal(m->error.stored.worst.part, "Körper");
    assert_int_equal(m->error.between_step.count, 0);
    assert_int_equal(m->levels.count, 2);
    assert_string_equal(m->levels.data[1].mesh.file, "a_vat.lod2.glb");
    assert_memory_equal(m->levels.data[0].order_hash, s.levels[0].order_hash, 16);
    assert_true(m->levels.data[0].rest_max == 0.125 && m->levels.data[0].rest_rms == 0.1);
    assert_true(m->levels.data[0].frames.max == 0.5 && m->levels.data[0].frames.worst.vertex == 8);
    assert_true(m->levels.data[0].has_error && !m->levels.data[1].has_error);
    assert_int_equal(m->probes.data[0].clip, 1);
    assert_memory_equal(m->probes.data[0].position, s.probes[0].position, 12);
    assert_true(m->source.data[1].bytes == UINT64_C(1) << 40);
    bwi_arena_free(arena);
}

/* Percentages for which ÷100 then ×100 gives another number are among these. */
static void lengths_read_back_exactly(void **state) {
    (void)state;
    sample s;
    make_sample(&s);
    for (int k = 1; k <= 2000; k++) {
        double value = k * 0.00037 / 100;
        s.manifest.options.max_between = (bw_length){value, BW_LENGTH_RELATIVE};
        size_t size;
        char *text = write_text(&s.manifest, &size);
        bwi_arena *arena = bwi_arena_create_owning(0);
        bwi_manifest *m;
        assert_int_equal(bwi_manifest_parse(&m, arena, text, size, "a", NULL), BW_OK);
        assert_true(m->options.max_between.value == value);
        bwi_arena_free(arena);
        free(text);
    }
}

/* Walks every key of a document; calls back with its parent and path.  Keys under "options" may all be absent. */
typedef void (*key_fn)(void *ctx, json_t *root, json_t *parent, const char *key, const char *path);

static void each_key(json_t *root, json_t *value, const char *path, key_fn fn, void *ctx) {
    char below[256];
    if (json_is_array(value)) {
        for (size_t k = 0; k < json_array_size(value); k++) {
            snprintf(below, sizeof below, "%s[%zu]", path, k);
            each_key(root, json_array_get(value, k), below, fn, ctx);
        }
        return;
    }
    const char *key;
    json_t *child, *members = json_copy(value); /* keys that stay while the callback takes them out */
    json_object_foreach(members, key, child) {
        snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", key);
        fn(ctx, root, value, key, below);
        json_object_set(value, key, child);
        if (strcmp(below, "options") != 0)
            each_key(root, child, below, fn, ctx);
    }
    json_decref(members);
}

static void expect(const json_t *root, bw_result result, const char *fragment) {
    char *text = json_dumps(root, JSON_COMPACT);
    bw_error error = {0};
    bw_result found = parse_text(text, strlen(text), &error);
    if (found != result || !strstr(error.message, fragment))
        fail_msg("expected %s and '%s', found %s: %s", bw_result_name(result), fragment, bw_result_name(found),
                 error.message);
    assert_string_equal(error.path, "a_vat.json");
    free(text);
}

static void without_key(void *ctx, json_t *root, json_t *parent, const char *key, const char *path) {
    if (strcmp(path, "lods") == 0) /* there need be no levels */
        return;
    json_object_del(parent, key);
    expect(root, BW_ERR_MALFORMED, path);
    expect(root, BW_ERR_MALFORMED, "missing");
    ++*(int *)ctx;
}

static void with_other_type(void *ctx, json_t *root, json_t *parent, const char *key, const char *path) {
    bool is_number = json_is_number(json_object_get(parent, key));
    json_object_set_new(parent, key, is_number ? json_string("7") : json_integer(7));
    expect(root, BW_ERR_MALFORMED, path);
    json_object_set_new(parent, key, is_number ? json_object() : json_null());
    /* null says that an error was not measured */
    bool may_be_null =
        (strncmp(path, "error", 5) == 0 && strlen(path) <= strlen("error.between_step") && !strstr(path, "unit")) ||
        (strncmp(path, "lods", 4) == 0 && strlen(path) <= strlen("lods[0].error.frames") && strstr(path, "error") &&
         !strstr(path, "unit") && !strstr(path, "rest"));
    if (!may_be_null)
        expect(root, BW_ERR_MALFORMED, path);
    ++*(int *)ctx;
}

static json_t *sample_json(int kind) {
    sample s;
    make_kind(&s, kind);
    size_t size;
    char *text = write_text(&s.manifest, &size);
    json_t *root = json_loadb(text, size, 0, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

static void every_key_is_needed(void **state) {
    (void)state;
    for (int kind = VERTEX; kind < KINDS; kind++) {
        json_t *root = sample_json(kind);
        int count = 0;
        each_key(root, root, "", without_key, &count);
        assert_true(count > 110);
        json_decref(root);
    }
}

static void every_type_is_checked(void **state) {
    (void)state;
    for (int kind = VERTEX; kind < KINDS; kind++) {
        json_t *root = sample_json(kind);
        int count = 0;
        each_key(root, root, "", with_other_type, &count);
        assert_true(count > 110);
        json_decref(root);
    }
}

static void unknown_keys_are_passed_over(void **state) {
    (void)state;
    json_t *root = sample_json(VERTEX);
    json_object_set_new(root, "later", json_integer(1));
    json_object_set_new(json_object_get(root, "options"), "later", json_object());
    json_object_set_new(json_array_get(json_object_get(root, "clips"), 0), "notes", json_array());
    char *text = json_dumps(root, 0);
    assert_int_equal(parse_text(text, strlen(text), NULL), BW_OK);
    free(text);
    json_decref(root);
}

/* A place in the document ("clips.0.name"), what is put there, and what comes of it. */
typedef struct contradiction {
    const char *place, *value;
    bw_result result;
    const char *fragment;
} contradiction;

static const contradiction CONTRADICTIONS[] = {
    {"schema", "\"bakewell/bake/2\"", BW_ERR_UNSUPPORTED, "schema is \"bakewell/bake/2\""},
    {"family", "\"pivot\"", BW_ERR_UNSUPPORTED, "family is \"pivot\""},
    {"mode", "\"foam\"", BW_ERR_UNSUPPORTED, "mode is \"foam\""},
    {"mode", "\"auto\"", BW_ERR_MALFORMED, "mode is \"auto\""},
    {"mode", "\"bone\"", BW_ERR_MALFORMED, "bones is missing"},
    {"layout", "\"houdini3\"", BW_ERR_UNSUPPORTED, "layout is \"houdini3\""},
    {"engine", "\"quake\"", BW_ERR_MALFORMED, "engine is \"quake\""},
    {"format", "\"png12\"", BW_ERR_MALFORMED, "format is \"png12\""},
    {"space.up", "\"x\"", BW_ERR_MALFORMED, "space.up is \"x\", expected one of y, z"},
    {"space.unit", "\"\"", BW_ERR_MALFORMED, "space.unit"},
    {"options.fps", "0.001", BW_ERR_MALFORMED, "options.fps"},
    {"options.fps", "\"30\"", BW_ERR_MALFORMED, "options.fps is not a number"},
    {"options.max_size", "16385", BW_ERR_MALFORMED, "options.max_size"},
    {"options.max_size", "-1", BW_ERR_MALFORMED, "options.max_size"},
    {"options.max_size", "10.5", BW_ERR_MALFORMED, "options.max_size"},
    {"options.pow2", "1", BW_ERR_MALFORMED, "options.pow2"},
    {"options.max_error", "\"5\"", BW_ERR_MALFORMED, "options.max_error"},
    {"options.normals", "\"best\"", BW_ERR_MALFORMED, "options.normals"},
    {"options.include", "\"a\"", BW_ERR_MALFORMED, "options.include"},
    {"options.include.0", "3", BW_ERR_MALFORMED, "options.include"},
    {"mesh.file", "\"../a.glb\"", BW_ERR_MALFORMED, "mesh.file is \"../a.glb\", expected a plain file name"},
    {"mesh.file", "\"..\"", BW_ERR_MALFORMED, "mesh.file"},
    {"mesh.file", "\".\"", BW_ERR_MALFORMED, "mesh.file"},
    {"mesh.file", "\"\"", BW_ERR_MALFORMED, "mesh.file"},
    {"mesh.file", "\"a\\\\b\"", BW_ERR_MALFORMED, "mesh.file"},
    {"mesh.bytes", "-1", BW_ERR_MALFORMED, "mesh.bytes"},
    {"mesh.hash", "\"ABCDEF0123456789abcdef0123456789\"", BW_ERR_MALFORMED, "mesh.hash"},
    {"mesh.hash", "\"0123456789abcdef\"", BW_ERR_MALFORMED, "mesh.hash"},
    {"textures", "[]", BW_ERR_MALFORMED, "textures is an array of 0, expected 2 pages"},
    {"textures.1", "4", BW_ERR_MALFORMED, "textures[1] is 4"},
    {"textures.2.width", "0", BW_ERR_MALFORMED, "textures[2].width is 0"},
    {"textures.2.width", "16385", BW_ERR_MALFORMED, "textures[2].width is 16385"},
    {"textures.2.width", "2", BW_ERR_MALFORMED, "textures[2].width is 2"},
    {"textures.2.width", "4", BW_ERR_MALFORMED, "textures[2].width is 4"},
    {"textures.2.width", "3.0", BW_ERR_MALFORMED, "textures[2].width is 3"},
    {"textures.0.height", "9", BW_ERR_MALFORMED, "textures[0].height is 9"},
    {"textures.1.page", "2", BW_ERR_MALFORMED, "textures[1].page is 2"},
    {"textures.1.page", "0", BW_ERR_MALFORMED, "textures[1].page is 0"},
    {"textures.3.page", "4294967295", BW_ERR_MALFORMED, "textures[3].page is 4294967295"},
    {"textures.0.role", "\"colour\"", BW_ERR_MALFORMED,
     "textures[0].role is \"colour\", expected one of position, normal"},
    {"textures.0.role", "\"normal\"", BW_ERR_MALFORMED, "textures[0].decode"},
    {"textures.0.decode", "\"oct\"", BW_ERR_MALFORMED, "textures[0].decode"},
    {"textures.0.file", "\"/etc/passwd\"", BW_ERR_MALFORMED, "textures[0].file"},
    {"uv_set", "64", BW_ERR_MALFORMED, "uv_set is 64"},
    {"elements.count", "0", BW_ERR_MALFORMED, "elements.count is 0"},
    {"elements.count", "7", BW_ERR_MALFORMED, "textures[0].width is 3"},
    {"elements.count", "1e9", BW_ERR_MALFORMED, "elements.count"},
    {"elements.kind", "\"joint\"", BW_ERR_MALFORMED, "elements.kind"},
    {"frames.count", "0", BW_ERR_MALFORMED, "frames.count is 0"},
    {"frames.count", "8", BW_ERR_MALFORMED, "clips[1].frame_count is 3, expected a whole number from 1 to 2"},
    {"frames.count", "2147483647", BW_ERR_MALFORMED, "clips is an array of 2, expected clips that hold every frame"},
    {"frames.count", "6", BW_ERR_MALFORMED, "clips is an array of 2, expected no clip after the last frame"},
    {"frames.per_page", "1", BW_ERR_MALFORMED, "textures is an array of 4"},
    {"frames.per_page", "0", BW_ERR_MALFORMED, "frames.per_page is 0"},
    {"frames.rows_per_frame", "0", BW_ERR_MALFORMED, "frames.rows_per_frame is 0"},
    {"frames.rows_per_frame", "3", BW_ERR_MALFORMED, "textures[0].height is 10"},
    {"clips", "[]", BW_ERR_MALFORMED, "clips is an array of 0"},
    {"clips.0", "null", BW_ERR_MALFORMED, "clips[0] is null"},
    {"clips.1.name", "\"Run\"", BW_ERR_MALFORMED, "clips[1].name is \"Run\""},
    {"clips.1.first_frame", "9", BW_ERR_MALFORMED, "clips[1].first_frame is 9"},
    {"clips.1.first_frame", "5", BW_ERR_MALFORMED, "clips[1].first_frame is 5, expected a whole number from 6 to 6"},
    {"clips.1.frame_count", "4", BW_ERR_MALFORMED, "clips[1].frame_count is 4"},
    {"clips.0.rate", "-1", BW_ERR_MALFORMED, "clips[0].rate is -1"},
    {"clips.0.bounds.max", "[1, 2]", BW_ERR_MALFORMED, "clips[0].bounds.max is an array of 2"},
    {"clips.0.bounds.max.1", "1e39", BW_ERR_MALFORMED, "clips[0].bounds.max[1]"},
    {"clips.0.bounds.max.1", "-1", BW_ERR_MALFORMED, "clips[0].bounds.min[1]"},
    {"clips.0.source.names.1", "0", BW_ERR_MALFORMED, "clips[0].source.names[1] is 0"},
    {"clips.0.source.end_s", "-1", BW_ERR_MALFORMED, "clips[0].source.end_s is -1"},
    {"bounds.min.2", "true", BW_ERR_MALFORMED, "bounds.min[2] is true"},
    {"error.unit", "\"cm\"", BW_ERR_MALFORMED, "error.unit"},
    {"error.stored.count", "0", BW_ERR_MALFORMED, "error.stored.count is 0"},
    {"error.stored.worst.clip", "\"Walk\"", BW_ERR_MALFORMED, "error.stored.worst.clip is \"Walk\""},
    {"error.stored.worst.frame", "6", BW_ERR_MALFORMED, "error.stored.worst.frame is 6"},
    {"error.stored.worst.vertex", "5", BW_ERR_MALFORMED, "error.stored.worst.vertex is 5"},
    {"lods", "{}", BW_ERR_MALFORMED, "lods is an object"},
    {"lods.1", "null", BW_ERR_MALFORMED, "lods[1] is null"},
    {"lods.0.file", "\"../a.glb\"", BW_ERR_MALFORMED, "lods[0].file"},
    {"lods.0.vertex_count", "0", BW_ERR_MALFORMED, "lods[0].vertex_count is 0"},
    {"lods.0.error.unit", "\"cm\"", BW_ERR_MALFORMED, "lods[0].error.unit"},
    {"lods.0.error.rest.max", "-1", BW_ERR_MALFORMED, "lods[0].error.rest.max is -1"},
    {"lods.0.error.frames.worst.vertex", "9", BW_ERR_MALFORMED, "lods[0].error.frames.worst.vertex is 9"},
    {"lods.0.error.frames.worst.clip", "\"Lauf\"", BW_ERR_MALFORMED, "lods[0].error.frames.worst.clip"},
    {"probes.0", "[]", BW_ERR_MALFORMED, "probes[0] is an array of 0"},
    {"probes.0.element", "5", BW_ERR_MALFORMED, "probes[0].element is 5"},
    {"probes.0.frame", "3", BW_ERR_MALFORMED, "probes[0].frame is 3"},
    {"probes.0.clip", "\"Rest\"", BW_ERR_MALFORMED, "probes[0].clip is \"Rest\""},
    {"source.file", "\"x/a.gltf\"", BW_ERR_MALFORMED, "source.file"},
    {"source.files.0", "\"b\"", BW_ERR_MALFORMED, "source.files[0] is \"b\""},
};

/* The same, of manifests with bones. */
static const struct {
    int kind;
    contradiction is;
} BONE_CONTRADICTIONS[] = {
    {BONE, {"mode", "\"vertex\"", BW_ERR_MALFORMED, "textures is an array of 3"}},
    {RIGID, {"mode", "\"vertex\"", BW_ERR_MALFORMED, "textures[0].role is \"bones\""}},
    {BONE, {"layout", "\"seed\"", BW_ERR_MALFORMED, "layout is \"seed\", expected native"}},
    {BONE, {"bones.count", "0", BW_ERR_MALFORMED, "bones.count is 0"}},
    {BONE, {"bones.count", "65536", BW_ERR_MALFORMED, "bones.count is 65536, expected a whole number from 1 to 65535"}},
    {BONE, {"bones.count", "4", BW_ERR_MALFORMED, "bones.names is an array of 3, expected a name for each bone"}},
    {BONE, {"bones.names.1", "3", BW_ERR_MALFORMED, "bones.names[1] is 3"}},
    {BONE, {"bones.texels", "1", BW_ERR_MALFORMED, "bones.texels is 1"}},
    {BONE, {"bones.texels", "4", BW_ERR_MALFORMED, "bones.texels is 4"}},
    {BONE, {"bones.texels", "3", BW_ERR_MALFORMED, "textures[0].decode is \"pivot+quaternion\""}},
    {BONE_IN_MESH, {"bones.texels", "2", BW_ERR_MALFORMED, "clips[0].pivots is missing"}},
    {BONE, {"bones.per_row", "0", BW_ERR_MALFORMED, "bones.per_row is 0"}},
    {BONE, {"bones.per_row", "5", BW_ERR_MALFORMED, "textures[0].width is 8, expected bones.texels × bones.per_row"}},
    {BONE, {"bones.per_row", "2", BW_ERR_MALFORMED, "frames.rows_per_frame is 1"}},
    {BONE, {"bones.pivots.min.1", "1", BW_ERR_MALFORMED, "bones.pivots.min[1] is 1"}},
    {BONE, {"bones.pivots.max.0", "1e40", BW_ERR_MALFORMED, "bones.pivots.max[0]"}},
    {BONE, {"skin.in", "\"file\"", BW_ERR_MALFORMED, "skin.in is \"file\", expected one of texture, mesh"}},
    {BONE, {"skin.in", "\"mesh\"", BW_ERR_MALFORMED, "textures is an array of 3, expected 2 pages of bones"}},
    {BONE_IN_MESH, {"skin.in", "\"texture\"", BW_ERR_MALFORMED, "uv_set is missing"}},
    {BONE, {"skin.influences", "6", BW_ERR_MALFORMED, "skin.influences is 6"}},
    {BONE, {"skin.influences", "12", BW_ERR_MALFORMED, "skin.influences is 12"}},
    {BONE, {"clips.1.pivots.max_scale", "0", BW_ERR_MALFORMED, "clips[1].pivots.max_scale is 0"}},
    {BONE, {"clips.1.pivots.max_scale", "-1", BW_ERR_MALFORMED, "clips[1].pivots.max_scale is -1"}},
    {BONE, {"clips.1.pivots.max_scale", "1e-60", BW_ERR_MALFORMED, "clips[1].pivots.max_scale"}},
    {BONE, {"clips.1.pivots.max_scale", "1e39", BW_ERR_MALFORMED, "clips[1].pivots.max_scale"}},
    {BONE, {"clips.0.pivots.min.2", "1", BW_ERR_MALFORMED, "clips[0].pivots.min[2] is 1"}},
    {BONE, {"frames.rows_per_frame", "2", BW_ERR_MALFORMED, "frames.rows_per_frame is 2"}},
    {BONE, {"textures.0.width", "16", BW_ERR_MALFORMED, "textures[0].width is 16"}},
    {BONE_IN_MESH, {"textures.0.width", "7", BW_ERR_MALFORMED, "textures[0].width is 7"}},
    {BONE, {"textures.0.height", "5", BW_ERR_MALFORMED, "textures[0].height is 5, expected room for the reference"}},
    {BONE, {"textures.1.page", "0", BW_ERR_MALFORMED, "textures[1].page is 0"}},
    {BONE, {"textures.2.page", "1", BW_ERR_MALFORMED, "textures[2].page is 1"}},
    {BONE, {"textures.2.height", "7", BW_ERR_MALFORMED, "textures[2].height is 7, expected blocks of equal"}},
    {BONE, {"textures.2.height", "9", BW_ERR_MALFORMED, "textures[2].height is 9, expected blocks of equal"}},
    {BONE, {"textures.2.width", "1", BW_ERR_MALFORMED, "textures[2].height is 8"}},
    {BONE, {"textures.2.format", "\"png8\"", BW_ERR_MALFORMED, "textures[2].format is \"png8\""}},
    {BONE, {"textures.2.format", "\"exr16\"", BW_ERR_MALFORMED, "textures[2].format is \"exr16\""}},
    {BONE, {"textures.2.role", "\"bones\"", BW_ERR_MALFORMED, "textures[2].decode"}},
    {BONE, {"textures.0.format", "\"png8\"", BW_ERR_MALFORMED, "textures[0].decode is \"pivot+quaternion\""}},
    {BONE, {"textures.0.format", "\"raw\"", BW_ERR_MALFORMED, "textures[0].format is \"raw\", expected the format"}},
    {BONE_IN_MESH, {"textures.1.format", "\"exr16\"", BW_ERR_MALFORMED, "textures[1].decode is \"matrix+pivot\""}},
    {RIGID, {"textures.1", "7", BW_ERR_MALFORMED, "textures[1] is 7"}},
};

static void put_at(json_t *root, const char *place, json_t *value) {
    char copy[100], *save, *part, *next;
    snprintf(copy, sizeof copy, "%s", place);
    json_t *at = root;
    for (part = strtok_r(copy, ".", &save); (next = strtok_r(NULL, ".", &save)); part = next)
        at = json_is_array(at) ? json_array_get(at, (size_t)atoi(part)) : json_object_get(at, part);
    int failed =
        json_is_array(at) ? json_array_set_new(at, (size_t)atoi(part), value) : json_object_set_new(at, part, value);
    assert_int_equal(failed, 0);
}

static void contradictions_are_named(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(CONTRADICTIONS); k++) {
        const contradiction *c = &CONTRADICTIONS[k];
        json_t *root = sample_json(VERTEX), *value = json_loads(c->value, JSON_DECODE_ANY, NULL);
        assert_non_null(value);
        put_at(root, c->place, value);
        expect(root, c->result, c->fragment);
        json_decref(root);
    }
    for (size_t k = 0; k < COUNT(BONE_CONTRADICTIONS); k++) {
        const contradiction *c = &BONE_CONTRADICTIONS[k].is;
        json_t *root = sample_json(BONE_CONTRADICTIONS[k].kind), *value = json_loads(c->value, JSON_DECODE_ANY, NULL);
        assert_non_null(value);
        put_at(root, c->place, value);
        expect(root, c->result, c->fragment);
        json_decref(root);
    }
}

static void text_that_is_no_manifest(void **state) {
    (void)state;
    bw_error error;
    assert_int_equal(parse_text("[]", 2, &error), BW_ERR_MALFORMED);
    assert_int_equal(parse_text("{", 1, &error), BW_ERR_JSON);
    assert_int_equal(parse_text("{}", 2, &error), BW_ERR_MALFORMED);
    assert_non_null(strstr(error.message, "schema is missing"));
}

static void files_are_read(void **state) {
    (void)state;
    char path[] = "/tmp/bakewell-manifest-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    sample s;
    make_sample(&s);
    FILE *file = fdopen(descriptor, "wb");
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    assert_int_equal(bwi_manifest_write(file, path, &s.manifest, &mem, NULL), BW_OK);
    fclose(file);
    bwi_arena *arena = bwi_arena_create(&mem);
    bwi_manifest *read = NULL;
    assert_int_equal(bwi_manifest_read(&read, arena, path, NULL), BW_OK);
    assert_int_equal(read->element_count, 5);
    unlink(path);
    bw_error error;
    read = NULL;
    assert_int_equal(bwi_manifest_read(&read, arena, path, &error), BW_ERR_FILE_MISSING);
    assert_null(read);
    bwi_arena_free(arena);
    assert_int_equal(mem.used, 0);
}

static void a_full_disk_is_told(void **state) {
    (void)state;
    FILE *full = fopen("/dev/full", "wb");
    if (!full) {
        print_message("skip: no /dev/full\n");
        skip();
    }
    setvbuf(full, NULL, _IONBF, 0);
    sample s;
    make_sample(&s);
    bwi_mem mem;
    bw_error error;
    bwi_mem_init(&mem, 0);
    assert_int_equal(bwi_manifest_write(full, "a_vat.json", &s.manifest, &mem, &error), BW_ERR_FILE_WRITE);
    assert_string_equal(error.path, "a_vat.json");
    assert_int_equal(mem.used, 0);
    fclose(full);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    sample s;
    make_sample(&s);
    size_t size;
    char *text = write_text(&s.manifest, &size);
    bool done = false;
    int failures = 0;
    for (int k = 0; !done; k++) {
        assert_true(k < 1000);
        bwi_mem mem;
        bwi_mem_init(&mem, 0);
        mem.fail_after = k;
        bwi_arena *arena = bwi_arena_create(&mem);
        bwi_manifest *read = NULL;
        if (arena) {
            bw_result result = bwi_manifest_parse(&read, arena, text, size, "a", NULL);
            done = result == BW_OK;
            assert_true(done || (result == BW_ERR_MEMORY && !read));
        }
        failures += !done;
        bwi_arena_free(arena);
        assert_int_equal(mem.used, 0);
    }
    assert_true(failures > 0);
    for (int k = 0; k < 2; k++) { /* the writer's own block and its text */
        bwi_mem mem;
        bwi_mem_init(&mem, 0);
        mem.fail_after = k;
        FILE *file = fopen("/dev/null", "wb");
        assert_int_not_equal(bwi_manifest_write(file, "a", &s.manifest, &mem, NULL), BW_OK);
        assert_int_equal(mem.used, 0);
        fclose(file);
    }
    free(text);
}

/* Long text in small memory: refused before jansson blows it up. */
static void text_beyond_the_limit_is_refused(void **state) {
    (void)state;
    sample s;
    make_sample(&s);
    size_t size;
    char *text = write_text(&s.manifest, &size);
    bwi_mem mem;
    bw_error error;
    bwi_mem_init(&mem, size * 64 - 64);
    bwi_arena *arena = bwi_arena_create(&mem);
    bwi_manifest *read = NULL;
    assert_int_equal(bwi_manifest_parse(&read, arena, text, size, "a", &error), BW_ERR_MEMORY);
    bwi_arena_free(arena);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_again),
        cmocka_unit_test(bones_give_the_same_bytes),
        cmocka_unit_test(values_survive),
        cmocka_unit_test(lengths_read_back_exactly),
        cmocka_unit_test(every_key_is_needed),
        cmocka_unit_test(every_type_is_checked),
        cmocka_unit_test(unknown_keys_are_passed_over),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(text_that_is_no_manifest),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(text_beyond_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
