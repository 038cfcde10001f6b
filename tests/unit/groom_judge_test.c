/* SPDX-License-Identifier: MIT
 * Lint, rule by rule: hair that nothing is wrong with, and one thing changed at a time.  Every rule of the table must be found by some case. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hair_builder.h"

enum { STRANDS = 4, POINTS = 12, MANY = 1001 };

/* Four strands of three points, 10 cm long, the last of them a guide; all attributes as the schema has them. */
typedef struct rig {
    hair_builder b;
    bwi_hair_curves *c;
    int32_t counts[STRANDS];
    float positions[3 * POINTS], widths[POINTS], colors[3 * POINTS], uvs[2 * STRANDS], weights[3 * STRANDS], knots[4];
    int32_t guides[STRANDS], groups[STRANDS], ids[STRANDS], closest[3 * STRANDS], clumps[STRANDS], numbers[80];
    float floats[80];
    const char *names[STRANDS];
    uint32_t indices[STRANDS];
    double times[4];
    bwi_hair_sampling samplings[2];
    int16_t major, minor;
    bwi_groom_space space;
    bwi_hair_object *many_objects;
    bwi_hair_curves *many_curves;
    int32_t *many_counts;
    float *many_positions;
} rig;

static bwi_hair_attribute *find(rig *r, const char *name) {
    for (size_t i = 0; i < r->b.hair.attributes.count; i++) {
        if (strcmp(r->b.attributes[i].name, name) == 0)
            return &r->b.attributes[i];
    }
    fail_msg("no attribute %s", name);
    return NULL;
}

static bwi_hair_attribute *add_property(rig *r, const char *name, bw_alembic_pod pod, const void *value) {
    bwi_hair_attribute *a = &r->b.attributes[r->b.hair.attributes.count++];
    *a = (bwi_hair_attribute){.name = name,
                              .object = 0,
                              .place = BWI_HAIR_USER,
                              .pod = pod,
                              .extent = 1,
                              .is_scalar = true,
                              .sample_count = 1,
                              .value_count = 1,
                              .count = 1,
                              .bytes = value};
    return a;
}

static void make(rig *r) {
    memset(r, 0, sizeof *r);
    hair_init(&r->b);
    r->major = 1;
    r->minor = 5;
    const uint32_t top = hair_xform(&r->b, "/groom", BW_NO_INDEX, NULL);
    add_property(r, "groom_version_major", BW_ALEMBIC_INT16, &r->major);
    add_property(r, "groom_version_minor", BW_ALEMBIC_INT16, &r->minor);
    for (int i = 0; i < STRANDS; i++) {
        r->counts[i] = 3;
        r->ids[i] = i;
        r->guides[i] = i == 3;
        r->names[i] = "brow";
        r->indices[i] = 0;
        r->clumps[i] = i;
        r->uvs[2 * i] = r->uvs[2 * i + 1] = 0.25f * (float)i;
        r->weights[3 * i] = 1;
        for (int k = 0; k < 3; k++) {
            r->closest[3 * i + k] = 3;
            float *p = r->positions + 9 * i + 3 * k;
            p[0] = (float)i;
            p[2] = 100 - 5 * (float)k;
            r->widths[3 * i + k] = 0.01f;
        }
    }
    for (int i = 0; i < 3 * POINTS; i++)
        r->colors[i] = 0.5f;
    r->c = hair_curves(&r->b, "/groom/hair", top, r->counts, STRANDS, r->positions, POINTS);
    hair_attribute(&r->b, "groom_width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, POINTS, r->widths);
    hair_attribute(&r->b, "groom_color", BW_ALEMBIC_FLOAT32, 3, BW_ALEMBIC_SCOPE_VERTEX, POINTS, r->colors);
    hair_attribute(&r->b, "groom_root_uv", BW_ALEMBIC_FLOAT32, 2, BW_ALEMBIC_SCOPE_UNIFORM, STRANDS, r->uvs);
    hair_attribute(&r->b, "groom_guide", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, STRANDS, r->guides);
    hair_attribute(&r->b, "groom_group_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, STRANDS, r->groups);
    hair_texts(&r->b, "groom_group_name", BW_ALEMBIC_SCOPE_UNIFORM, STRANDS, r->names);
    hair_attribute(&r->b, "groom_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, STRANDS, r->ids);
    hair_attribute(&r->b, "groom_closest_guides", BW_ALEMBIC_INT32, 3, BW_ALEMBIC_SCOPE_UNIFORM, STRANDS, r->closest);
    hair_attribute(&r->b, "groom_guide_weights", BW_ALEMBIC_FLOAT32, 3, BW_ALEMBIC_SCOPE_UNIFORM, STRANDS, r->weights);
    hair_attribute(&r->b, "groom_clumpid", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, STRANDS, r->clumps);
    r->b.hair.samplings.data = r->samplings;
    r->b.hair.samplings.count = 2;
    r->samplings[0] = r->samplings[1] = (bwi_hair_sampling){BW_ALEMBIC_UNIFORM, 1.0 / 24, 0};
    for (int i = 0; i < 4; i++)
        r->times[i] = i / 24.0;
    for (int i = 0; i < 80; i++)
        r->numbers[i] = i;
    bw_error error;
    bwi_mem mem;
    bwi_mem_init(&mem, 0);
    bwi_arena *arena = bwi_arena_create(&mem);
    assert_int_equal(bwi_groom_space_find(&r->space, arena, &r->b.hair, NULL, &error), BW_OK);
    r->space.text = "unknown: z up, left-handed, cm";
    r->space.reason = "nothing is known";
    bwi_arena_free(arena);
}

/* A second object of the same strands. */
static bwi_hair_curves *add_curves(rig *r, const char *path, uint32_t parent) {
    return hair_curves(&r->b, path, parent, r->counts, STRANDS, r->positions, POINTS);
}

static bwi_hair_attribute *add(rig *r, const char *name, bw_alembic_pod pod, uint32_t extent, bw_alembic_scope scope,
                               uint64_t count) {
    return hair_attribute(&r->b, name, pod, extent, scope, count,
                          pod == BW_ALEMBIC_FLOAT32 ? (void *)r->floats : (void *)r->numbers);
}

static void drop(rig *r, const char *name) {
    find(r, name)->name = "other";
}

static void move(rig *r) {
    r->c->moves = true;
    r->c->times_s = r->times;
    r->c->sample_count = 4;
}

#define CASE(name) static void name(rig *r)

CASE(no_curves) {
    r->b.hair.curves.count = 0;
    r->b.hair.attributes.count = 0;
    r->b.objects[1].kind = BWI_HAIR_POINTS;
}
CASE(no_strands) {
    r->c->curve_count = 0;
}
CASE(all_nan) {
    for (int i = 0; i < STRANDS; i++)
        r->positions[9 * i] = (float)NAN;
}
CASE(mesh) {
    hair_object(&r->b, "/head", BW_NO_INDEX, BWI_HAIR_MESH);
}
CASE(unreadable) {
    r->b.objects[1].problem = "it has no P";
}
CASE(damaged) {
    r->b.objects[hair_object(&r->b, "/copy", BW_NO_INDEX, BWI_HAIR_GROUP)].problem = "it is an instance of nothing";
}
CASE(skipped) {
    hair_object(&r->b, "/camera", BW_NO_INDEX, BWI_HAIR_OTHER);
}
CASE(hidden) {
    r->b.objects[1].hidden = true;
}
CASE(instance) {
    r->b.objects[1].is_instance = true;
}
CASE(many) {
    r->many_objects = calloc(MANY, sizeof *r->many_objects);
    r->many_curves = calloc(MANY, sizeof *r->many_curves);
    assert_non_null(r->many_objects);
    assert_non_null(r->many_curves);
    for (uint32_t i = 0; i < MANY; i++) {
        r->many_objects[i] = r->b.objects[1];
        r->many_objects[i].parent = BW_NO_INDEX;
        r->many_curves[i] = *r->c;
        r->many_curves[i].object = i;
        r->many_curves[i].curve_count = 1;
        r->many_curves[i].attribute_count = 0;
    }
    r->b.hair.objects.data = r->many_objects;
    r->b.hair.curves.data = r->many_curves;
    r->b.hair.objects.count = r->b.hair.curves.count = MANY;
    r->b.hair.attributes.count = 0;
}
CASE(groom_float) {
    find(r, "groom_version_major")->pod = BW_ALEMBIC_FLOAT32;
    find(r, "groom_version_major")->bytes = (const uint8_t *)r->floats;
}
CASE(groom_type) {
    find(r, "groom_version_major")->pod = BW_ALEMBIC_UINT8;
}
CASE(groom_count) {
    bwi_hair_attribute *a = find(r, "groom_version_major");
    a->is_scalar = false;
    a->count = a->value_count = 0;
}
CASE(groom_hidden) {
    /* A property of the program itself stands where the importer looks first. */
    r->b.objects[1].parent = hair_xform(&r->b, "/second", 0, NULL);
    find(r, "groom_version_major")->object = 2;
}
CASE(groom_version) {
    r->minor = 7;
}
CASE(misspelt) {
    find(r, "groom_guide")->name = "groom_guides";
}
CASE(misspelt_uv) {
    find(r, "groom_root_uv")->name = "groom_rootUV";
}
CASE(misspelt_cd) {
    find(r, "groom_color")->name = "Cd";
}
CASE(misspelt_pscale) {
    find(r, "groom_width")->name = "pscale";
}
CASE(unknown) {
    add(r, "groom_target_mesh", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, STRANDS);
}
CASE(capitals) {
    find(r, "groom_id")->name = "Groom_ID";
}
CASE(new_attribute) {
    (void)r;
}
CASE(place) {
    find(r, "groom_id")->place = BWI_HAIR_USER;
}
CASE(scalar) {
    find(r, "groom_clumpid")->is_scalar = true;
}
CASE(type) {
    find(r, "groom_clumpid")->pod = BW_ALEMBIC_UINT32;
}
CASE(type_half) {
    find(r, "groom_color")->pod = BW_ALEMBIC_FLOAT16;
}
CASE(bool_type) {
    find(r, "groom_guide")->pod = BW_ALEMBIC_BOOL;
}
CASE(other_type) {
    find(r, "groom_id")->pod = BW_ALEMBIC_FLOAT32;
}
CASE(extent) {
    bwi_hair_attribute *a = find(r, "groom_color");
    a->extent = 4;
    a->count = a->value_count = 9;
}
CASE(flat) {
    bwi_hair_attribute *a = find(r, "groom_clumpid");
    a->pod = BW_ALEMBIC_INT16;
    a->extent = 2;
}
CASE(indexed) {
    bwi_hair_attribute *a = find(r, "groom_id");
    a->is_compound = true;
    a->indices = r->indices;
}
CASE(indexed_name) {
    bwi_hair_attribute *a = find(r, "groom_group_name");
    a->is_compound = true;
    a->indices = r->indices;
}
CASE(index_range) {
    indexed_name(r);
    r->indices[2] = 9;
}
CASE(scope) {
    bwi_hair_attribute *a = find(r, "groom_clumpid");
    a->scope = BW_ALEMBIC_SCOPE_VARYING;
    a->count = a->value_count = 3;
}
CASE(scope_native) {
    hair_attribute(&r->b, "width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VARYING, POINTS, r->widths)->place =
        BWI_HAIR_NATIVE;
}
CASE(wrong_scope) {
    bwi_hair_attribute *a = find(r, "groom_color");
    a->scope = BW_ALEMBIC_SCOPE_UNIFORM;
    a->count = a->value_count = STRANDS;
}
CASE(no_scope) {
    bwi_hair_attribute *a = find(r, "groom_id");
    a->has_scope = false;
    a->scope = BW_ALEMBIC_SCOPE_CONSTANT;
}
CASE(broadcast) {
    bwi_hair_attribute *a = find(r, "groom_clumpid");
    a->has_scope = false;
    a->scope = BW_ALEMBIC_SCOPE_CONSTANT;
    a->count = a->value_count = 3;
}
CASE(ambiguous) {
    for (int i = 0; i < STRANDS; i++)
        r->counts[i] = 1;
    r->c->point_count = STRANDS;
    bwi_hair_attribute *a = find(r, "groom_width");
    a->count = a->value_count = STRANDS;
}
CASE(short_strand) {
    bwi_hair_attribute *a = find(r, "groom_id");
    a->count = a->value_count = STRANDS - 1;
}
CASE(short_point) {
    bwi_hair_attribute *a = find(r, "groom_width");
    a->count = a->value_count = POINTS - 1;
}
CASE(short_native) {
    hair_attribute(&r->b, "width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 2, r->widths)->place =
        BWI_HAIR_NATIVE;
}
CASE(long_strand) {
    bwi_hair_attribute *a = add(r, "groom_clumpid", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 9);
    (void)a;
}
CASE(partial) {
    add_curves(r, "/groom/more", 0);
}
CASE(attribute_unreadable) {
    find(r, "groom_id")->problem = "its sample is damaged";
}
CASE(native) {
    hair_attribute(&r->b, "width", BW_ALEMBIC_FLOAT64, 1, BW_ALEMBIC_SCOPE_UNIFORM, 1, r->numbers)->place =
        BWI_HAIR_NATIVE;
}
CASE(attribute_moves) {
    find(r, "groom_color")->moves = true;
}
CASE(not_finite) {
    r->colors[4] = (float)NAN;
}
CASE(unity) {
    (void)r;
}
CASE(nested) {
    static const double turn[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                        shift[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1};
    const uint32_t in = hair_xform(&r->b, "/groom/in", 0, shift);
    memcpy(r->b.objects[0].matrix, turn, sizeof turn);
    r->b.objects[1].parent = in;
}
CASE(inherits) {
    nested(r);
    r->b.objects[2].inherits = false;
}
CASE(xform_moves) {
    r->b.objects[0].moves = true;
}
CASE(flat_xform) {
    r->b.objects[0].matrix[0] = 0;
}
CASE(axes) {
    const bw_groom_opts opts = {.from = BW_GROOM_FROM_BLENDER};
    bwi_mem mem;
    bw_error error;
    bwi_mem_init(&mem, 0);
    bwi_arena *arena = bwi_arena_create(&mem);
    assert_int_equal(bwi_groom_space_find(&r->space, arena, &r->b.hair, &opts, &error), BW_OK);
    r->space.text = "blender: y up, right-handed, m";
    r->space.reason = "given";
    bwi_arena_free(arena);
}
CASE(up) {
    for (int i = 0; i < POINTS; i++) {
        r->positions[3 * i + 1] = r->positions[3 * i + 2];
        r->positions[3 * i + 2] = 0;
    }
}
CASE(scale) {
    for (int i = 0; i < 3 * POINTS; i++)
        r->positions[i] *= 0.001f;
}
CASE(rope) {
    for (int i = 0; i < POINTS; i++)
        r->widths[i] = 1;
}
CASE(stray) {
    /* Strands of one object far away from many others. */
    for (int i = 0; i < 5; i++)
        add_curves(r, "/groom/more", 0);
    static const double far[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1e5, 0, 0, 1};
    for (int i = 0; i < 12; i++)
        add_curves(r, "/groom/more", 0);
    add_curves(r, "/away/hair", hair_xform(&r->b, "/away", BW_NO_INDEX, far))->curve_count = 1;
}
CASE(far_away) {
    r->b.objects[0].matrix[12] = 1e5;
}
CASE(uv_none) {
    drop(r, "groom_root_uv");
}
CASE(uv_overridden) {
    hair_attribute(&r->b, "uv", BW_ALEMBIC_FLOAT32, 2, BW_ALEMBIC_SCOPE_UNIFORM, STRANDS, r->uvs)->place =
        BWI_HAIR_NATIVE;
}
CASE(uv_range) {
    r->uvs[0] = -1;
}
CASE(width_none) {
    drop(r, "groom_width");
}
CASE(width_overridden) {
    hair_attribute(&r->b, "width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, POINTS, r->colors)->place =
        BWI_HAIR_NATIVE;
}
CASE(width_beaten) {
    hair_attribute(&r->b, "width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, STRANDS, r->widths)->place =
        BWI_HAIR_NATIVE;
}
CASE(width_zero) {
    r->widths[3] = -1;
}
CASE(width_fat) {
    r->widths[0] = 2;
}
CASE(counts_past) {
    r->counts[3] = 4;
}
CASE(counts_negative) {
    r->counts[2] = -4;
}
CASE(counts_left) {
    r->c->curve_count = 3;
}
CASE(empty) {
    r->counts[0] = 0;
    r->counts[1] = 6;
}
CASE(one_point) {
    r->counts[0] = 1;
    r->counts[1] = 5;
}
CASE(point_nan) {
    r->positions[4] = (float)NAN;
}
CASE(long_strands) {
    static float positions[3 * 300];
    for (int i = 0; i < 300; i++)
        positions[3 * i + 2] = 100 - 0.1f * (float)i;
    r->c->positions = positions;
    r->c->point_count = 300;
    r->counts[0] = 300;
    r->c->curve_count = 1;
    r->c->attribute_count = 0;
}
CASE(no_length) {
    for (int i = 0; i < 3; i++)
        r->positions[i] = r->positions[3 + i] = r->positions[6 + i];
}
CASE(strands_many) {
    enum { TOO_MANY = 4194304 };
    r->many_counts = malloc(TOO_MANY * sizeof *r->many_counts);
    r->many_positions = calloc(TOO_MANY, 3 * sizeof *r->many_positions);
    assert_non_null(r->many_counts);
    assert_non_null(r->many_positions);
    for (size_t i = 0; i < TOO_MANY; i++)
        r->many_counts[i] = 1;
    r->c->counts = r->many_counts;
    r->c->positions = r->many_positions;
    r->c->curve_count = r->c->point_count = TOO_MANY;
    r->c->attribute_count = 0;
}
CASE(spline) {
    r->c->type = BWI_HAIR_CUBIC;
    r->c->basis = BWI_HAIR_BSPLINE;
}
CASE(periodic) {
    r->c->periodic = true;
}
CASE(knots) {
    r->c->knots = r->knots;
    r->c->knot_count = 4;
}
CASE(unknown_basis) {
    r->c->known_basis = false;
}
CASE(id_huge) {
    r->groups[0] = 2147483647;
}
CASE(id_negative_group) {
    r->groups[0] = -1;
}
CASE(gaps) {
    r->groups[0] = 1000;
}
CASE(groups_many) {
    static int32_t counts[65];
    static float positions[65 * 6];
    for (int i = 0; i < 65; i++) {
        counts[i] = 2;
        positions[6 * i + 5] = 5;
    }
    r->c->counts = counts;
    r->c->positions = positions;
    r->c->curve_count = 65;
    r->c->point_count = 130;
    r->c->attribute_count = 0;
    add(r, "groom_group_id", BW_ALEMBIC_INT32, 1, BW_ALEMBIC_SCOPE_UNIFORM, 65);
    r->c->first_attribute = (uint32_t)r->b.hair.attributes.count - 1;
}
CASE(group_guides) {
    r->groups[3] = 1;
    r->names[3] = "lash";
}
CASE(all_guides) {
    for (int i = 0; i < STRANDS; i++)
        r->guides[i] = 1;
}
CASE(group_names) {
    r->names[1] = "lash";
}
CASE(name_empty) {
    for (int i = 0; i < STRANDS; i++)
        r->names[i] = "";
}
CASE(groups_none) {
    drop(r, "groom_group_id");
    drop(r, "groom_group_name");
    add_curves(r, "/groom/more", 0);
}
CASE(guides_none) {
    r->guides[3] = 0;
}
CASE(guide_value) {
    r->guides[0] = 255;
}
CASE(duplicate) {
    r->ids[1] = 0;
}
CASE(id_negative) {
    r->ids[1] = -2;
}
CASE(incomplete) {
    drop(r, "groom_id");
}
CASE(closest_unknown) {
    r->closest[0] = 2;
}
CASE(inexact) {
    r->closest[0] = 16777217;
}
CASE(weights_sum) {
    r->weights[0] = 0.5f;
}
CASE(unread) {
    (void)r;
}
CASE(clump_range) {
    r->clumps[0] = 65536;
}
CASE(value_range) {
    r->colors[0] = 1.5f;
}
CASE(no_step) {
    move(r);
    r->samplings[1].kind = BW_ALEMBIC_ACYCLIC;
}
CASE(other_step) {
    move(r);
    r->samplings[1].time_per_cycle_s = 1.0 / 30;
}
CASE(negative_time) {
    move(r);
    for (int i = 0; i < 4; i++)
        r->times[i] -= 1;
}
CASE(topology) {
    move(r);
    r->c->topology_moves = true;
}
CASE(cache_guides) {
    move(r);
    all_guides(r);
}
CASE(cache_still) {
    r->c->only_attributes_move = true;
}

/* E error, W warning, I info, by the engine; what lint must say of the case. */
static const struct {
    const char *code;
    void (*change)(rig *);
    bw_groom_engine engine;
    char level;
    const char *place; /* or a part of it; NULL: anywhere */
    uint64_t count;    /* 0: any */
} CASES[] = {
#define U0 BW_GROOM_UNREAL_5_0
#define U3 BW_GROOM_UNREAL_5_3
#define U4 BW_GROOM_UNREAL_5_4
#define U8 BW_GROOM_UNREAL_5_8
#define UN BW_GROOM_UNITY
    {"no-curves", no_curves, U8, 'E', "", 0},
    {"no-strands", no_strands, U8, 'E', "/groom/hair", 0},
    {"no-strands", all_nan, U8, 'E', "/groom/hair", 0},
    {"mesh-in-file", mesh, U8, 'E', "/head", 1},
    {"object-unreadable", unreadable, U8, 'E', "/groom/hair", 1},
    {"object-damaged", damaged, U8, 'W', "/copy", 1},
    {"objects-skipped", skipped, U8, 'I', "/camera", 1},
    {"objects-hidden", hidden, U8, 'I', "/groom/hair", 1},
    {"instances", instance, U8, 'I', "/groom/hair", 1},
    {"objects-many", many, U8, 'I', NULL, MANY},
    {"groom-float", groom_float, U8, 'E', "/groom, groom_version_major", 1},
    {"groom-property-type", groom_type, U8, 'W', "/groom, groom_version_major", 1},
    {"groom-property-count", groom_count, U8, 'W', "/groom, groom_version_major", 0},
    {"groom-property-hidden", groom_hidden, U8, 'W', "/second, groom_version_major", 1},
    {"groom-version", groom_version, U8, 'I', "/groom, groom_version_major", 1},
    {"attribute-misspelt", misspelt, U8, 'W', "groom_guides", STRANDS},
    {"attribute-misspelt", misspelt_uv, U8, 'W', "groom_rootUV", STRANDS},
    {"attribute-misspelt", misspelt_cd, U8, 'W', "Cd", POINTS},
    {"attribute-misspelt", misspelt_pscale, U8, 'W', "pscale", POINTS},
    {"attribute-unknown", unknown, U8, 'I', "groom_target_mesh", STRANDS},
    {"attribute-case", capitals, U8, 'I', "Groom_ID", 1},
    {"attribute-new", new_attribute, U0, 'I', "groom_clumpid", STRANDS},
    {"attribute-place", place, U8, 'W', "groom_id", STRANDS},
    {"attribute-scalar", scalar, U8, 'W', "groom_clumpid", 1},
    {"attribute-type", type, U8, 'W', "groom_clumpid", STRANDS},
    {"attribute-type", type_half, U8, 'W', "groom_color", POINTS},
    {"attribute-bool", bool_type, U8, 'W', "groom_guide", STRANDS},
    {"attribute-other-type", other_type, U8, 'W', "groom_id", STRANDS},
    {"attribute-extent", extent, U8, 'W', "groom_color", 9},
    {"attribute-flat", flat, U8, 'W', "groom_clumpid", STRANDS},
    {"attribute-indexed", indexed, U8, 'W', "groom_id", STRANDS},
    {"attribute-indexed", indexed_name, U3, 'W', "groom_group_name", STRANDS},
    {"attribute-index-range", index_range, U4, 'E', "groom_group_name", 1},
    {"attribute-scope", scope, U8, 'W', "groom_clumpid", 3},
    {"attribute-scope", scope_native, U8, 'W', "/groom/hair, width", POINTS},
    {"attribute-wrong-scope", wrong_scope, U8, 'W', "groom_color", STRANDS},
    {"attribute-no-scope", no_scope, U8, 'I', "groom_id", STRANDS},
    {"attribute-broadcast", broadcast, U8, 'W', "groom_clumpid", 3},
    {"attribute-ambiguous", ambiguous, U8, 'I', "groom_width", STRANDS},
    {"attribute-short", short_strand, U8, 'E', "groom_id", 1},
    {"attribute-short", short_point, U8, 'E', "groom_width", 1},
    {"attribute-short", short_native, U8, 'E', "/groom/hair, width", 2},
    {"attribute-long", long_strand, U8, 'W', "groom_clumpid", 5},
    {"attribute-partial", partial, U8, 'W', "groom_group_id", 1},
    {"attribute-unreadable", attribute_unreadable, U8, 'W', "groom_id", 1},
    {"attribute-native", native, U8, 'E', "/groom/hair, width", 1},
    {"attribute-moves", attribute_moves, U8, 'W', "groom_color", 1},
    {"attribute-not-finite", not_finite, U8, 'W', "groom_color", 1},
    {"attributes-unity", unity, UN, 'I', "/groom/hair", 10},
    {"xform-nested", nested, U8, 'W', "/groom/hair", 2},
    {"xform-inherits", inherits, U8, 'W', "/groom/hair", 1},
    {"xform-moves", xform_moves, U8, 'W', "/groom/hair", 1},
    {"xform-flat", flat_xform, U8, 'W', "/groom/hair", 1},
    {"axes", axes, U8, 'W', "", 1},
    {"up-suspect", up, U8, 'I', NULL, 0},
    {"scale-suspect", scale, U8, 'I', NULL, STRANDS},
    {"width-suspect", rope, U8, 'I', NULL, STRANDS},
    {"stray", stray, U8, 'I', NULL, 1},
    {"far", far_away, U8, 'I', NULL, 1},
    {"uv-none", uv_none, U8, 'I', "/groom/hair", STRANDS},
    {"uv-overridden", uv_overridden, U8, 'I', "/groom/hair, uv", STRANDS},
    {"uv-range", uv_range, U8, 'I', "groom_root_uv", 1},
    {"width-none", width_none, U8, 'W', "/groom/hair", STRANDS},
    {"width-overridden", width_overridden, U8, 'W', "/groom/hair, width", POINTS},
    {"width-overridden", width_beaten, U8, 'W', "/groom/hair, width", STRANDS},
    {"width-zero", width_zero, U8, 'W', "groom_width", 1},
    {"width-fat", width_fat, U8, 'I', NULL, 1},
    {"counts-past", counts_past, U8, 'W', "/groom/hair", 1},
    {"counts-past", counts_past, UN, 'E', "/groom/hair", 1},
    {"counts-negative", counts_negative, U8, 'E', "/groom/hair", 1},
    {"counts-left", counts_left, U8, 'W', "/groom/hair", 3},
    {"counts-left", counts_left, UN, 'E', "/groom/hair", 3},
    {"strand-empty", empty, U8, 'W', "/groom/hair", 1},
    {"strand-empty", empty, UN, 'E', "/groom/hair", 1},
    {"strand-one-point", one_point, U8, 'E', "/groom/hair", 1},
    {"strand-one-point", one_point, UN, 'E', "/groom/hair", 1},
    {"strand-not-finite", point_nan, U8, 'W', "/groom/hair", 1},
    {"strand-long", long_strands, U8, 'W', "/groom/hair", 1},
    {"strand-no-length", no_length, U8, 'W', "/groom/hair", 1},
    {"strands-many", strands_many, U8, 'E', NULL, 0},
    {"spline", spline, U8, 'W', "/groom/hair", STRANDS},
    {"spline-periodic", periodic, U8, 'W', "/groom/hair", STRANDS},
    {"spline-knots", knots, U8, 'I', "/groom/hair", 4},
    {"spline-unknown", unknown_basis, U8, 'W', "/groom/hair", STRANDS},
    {"group-id-huge", id_huge, U8, 'E', "groom_group_id", 1},
    {"group-id-huge", id_huge, U3, 'I', "groom_group_id", 1},
    {"group-id-negative", id_negative_group, U8, 'E', "groom_group_id", 1},
    {"group-id-negative", id_negative_group, U0, 'W', "groom_group_id", 1},
    {"group-ids-gaps", gaps, U8, 'I', "groom_group_id", 2},
    {"groups-many", groups_many, U8, 'E', NULL, 65},
    {"group-guides-only", group_guides, U8, 'E', NULL, 1},
    {"guides-only", all_guides, U8, 'E', NULL, STRANDS},
    {"group-names", group_names, U8, 'W', "groom_group_name", 1},
    {"group-name-empty", name_empty, U8, 'I', "groom_group_name", 1},
    {"groups-none", groups_none, U8, 'I', NULL, 2},
    {"guides-none", guides_none, U8, 'I', NULL, STRANDS},
    {"guide-value", guide_value, U8, 'W', "groom_guide", 1},
    {"id-duplicate", duplicate, U8, 'W', "groom_id", 1},
    {"id-negative", id_negative, U8, 'W', "groom_id", 1},
    {"closest-incomplete", incomplete, U8, 'W', "groom_closest_guides", 1},
    {"closest-unknown", closest_unknown, U8, 'W', "groom_closest_guides", 1},
    {"closest-inexact", inexact, U8, 'W', "groom_closest_guides", 1},
    {"weights-sum", weights_sum, U8, 'W', "groom_guide_weights", 1},
    {"weights-unread", unread, U8, 'I', "groom_guide_weights", 1},
    {"clump-range", clump_range, U8, 'W', "groom_clumpid", 1},
    {"value-range", value_range, U8, 'I', "groom_color", 1},
    {"cache-no-step", no_step, U8, 'W', "/groom/hair", 1},
    {"cache-other-step", other_step, U8, 'W', "/groom/hair", 1},
    {"cache-negative", negative_time, U8, 'W', "/groom/hair", 1},
    {"cache-topology", topology, U8, 'W', "/groom/hair", 4},
    {"cache-guides", cache_guides, U8, 'I', "/groom/hair", STRANDS},
    {"cache-still", cache_still, U8, 'W', "/groom/hair", 1},
};

/* A verdict and what owns it. */
typedef struct judged {
    bwi_mem mem;
    bwi_arena *arena;
    bwi_groom_verdict verdict;
} judged;

static void judge(judged *j, rig *r, bw_groom_engine engine) {
    bw_error error;
    bwi_mem_init(&j->mem, 0);
    j->arena = bwi_arena_create(&j->mem);
    const bwi_env env = {&j->mem, 1, NULL};
    assert_int_equal(bwi_groom_judge(&j->verdict, j->arena, &r->b.hair, engine, &r->space, &env, &error), BW_OK);
}

static void done(judged *j, rig *r) {
    bwi_arena_free(j->arena);
    assert_int_equal(j->mem.used, 0);
    free(r->many_objects);
    free(r->many_curves);
    free(r->many_counts);
    free(r->many_positions);
    free(r);
}

static rig *make_new(void) {
    rig *r = malloc(sizeof *r);
    assert_non_null(r);
    make(r);
    return r;
}

static const bw_groom_finding *find_finding(const judged *j, const char *code) {
    for (size_t i = 0; i < j->verdict.findings.count; i++) {
        if (strcmp(j->verdict.findings.data[i].code, code) == 0)
            return &j->verdict.findings.data[i];
    }
    return NULL;
}

static const bwi_groom_rule *find_rule(const char *code) {
    for (const bwi_groom_rule *rule = bwi_groom_rules; rule->code; rule++) {
        if (strcmp(rule->code, code) == 0)
            return rule;
    }
    return NULL;
}

/* ---- tests ---- */

static void nothing_is_wrong_with_the_rig(void **state) {
    (void)state;
    for (bw_groom_engine engine = BW_GROOM_UNREAL_5_0; engine <= BW_GROOM_UNITY; engine++) {
        rig *r = make_new();
        judged j;
        judge(&j, r, engine);
        for (size_t i = 0; i < j.verdict.findings.count; i++) {
            const bw_groom_finding *f = &j.verdict.findings.data[i];
            /* Clumps are newer than 5.0; Unity has no width of Alembic's own here. */
            if (f->level != BW_GROOM_INFO && strcmp(f->code, "attribute-new") != 0 && engine != BW_GROOM_UNITY)
                fail_msg("%s: %s: %s", bwi_groom_engine_name(engine), f->code, f->message);
        }
        assert_true(j.verdict.accepted);
        assert_int_equal(j.verdict.points, POINTS);
        assert_int_equal(j.verdict.strands, engine == BW_GROOM_UNITY ? 4 : 3);
        assert_int_equal(j.verdict.guides, engine == BW_GROOM_UNITY ? 0 : 1);
        assert_int_equal(j.verdict.groups.count, 1);
        assert_string_equal(j.verdict.groups.data[0].name, engine == BW_GROOM_UNITY ? "/groom/hair" : "brow");
        assert_int_equal(j.verdict.attributes.count, 10 + (engine == BW_GROOM_UNITY ? 0 : 2));
        done(&j, r);
    }
}

static void each_case_is_found(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        rig *r = make_new();
        judged j;
        CASES[i].change(r);
        judge(&j, r, CASES[i].engine);
        const bw_groom_finding *f = find_finding(&j, CASES[i].code);
        if (!f)
            fail_msg("case %zu: %s is not found", i, CASES[i].code);
        const char level = f->level == BW_GROOM_ERROR ? 'E' : f->level == BW_GROOM_WARNING ? 'W' : 'I';
        if (level != CASES[i].level || (CASES[i].place && !strstr(f->place, CASES[i].place)) ||
            (CASES[i].count && f->count != CASES[i].count))
            fail_msg("case %zu: %s: level %c, place %s, count %llu: %s", i, f->code, level, f->place,
                     (unsigned long long)f->count, f->message);
        assert_true(f->message[0] && f->fix[0]);
        assert_int_equal(strstr(f->message, "doubtful") != NULL, f->doubtful);
        if (level == 'E')
            assert_false(j.verdict.accepted);
        done(&j, r);
    }
}

/* Without the change, nothing of it is said: a case shows its own rule and not what always is. */
static void no_case_is_found_without_its_change(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        if (CASES[i].change == new_attribute || CASES[i].change == unity || CASES[i].change == unread)
            continue;
        rig *r = make_new();
        judged j;
        judge(&j, r, CASES[i].engine);
        if (find_finding(&j, CASES[i].code))
            fail_msg("%s is found where nothing is wrong", CASES[i].code);
        done(&j, r);
    }
}

static void every_rule_has_a_case(void **state) {
    (void)state;
    size_t rules = 0;
    for (const bwi_groom_rule *rule = bwi_groom_rules; rule->code; rule++, rules++) {
        bool has_case = false;
        for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
            has_case |= strcmp(CASES[i].code, rule->code) == 0;
        if (!has_case)
            fail_msg("no case finds %s", rule->code);
        assert_int_equal(strlen(rule->levels), 5);
        assert_int_equal(strspn(rule->levels, "EWI-"), 5);
        assert_ptr_equal(find_rule(rule->code), rule);
    }
    assert_true(rules > 90);
}

static void an_engine_says_nothing_of_rules_it_lacks(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *levels = find_rule(CASES[i].code)->levels;
        for (int k = 0; k < 5; k++) {
            if (levels[k] != '-')
                continue;
            rig *r = make_new();
            judged j;
            CASES[i].change(r);
            judge(&j, r, (bw_groom_engine)(BW_GROOM_UNREAL_5_0 + k));
            assert_null(find_finding(&j, CASES[i].code));
            done(&j, r);
        }
    }
}

static void width_units_are_suggested_that_make_hair_of_it(void **state) {
    (void)state;
    rig *r = make_new();
    judged j;
    for (int i = 0; i < 3 * POINTS; i++)
        r->positions[i] *= 0.01f; /* metres taken for centimetres */
    for (int i = 0; i < POINTS; i++)
        r->widths[i] = 0.0001f;
    for (int i = 0; i < STRANDS; i++)
        r->counts[i] = 3;
    for (int i = 0; i < 3 * POINTS; i++)
        r->positions[i] *= 0.9f;
    judge(&j, r, BW_GROOM_UNREAL_5_8);
    assert_non_null(find_finding(&j, "scale-suspect"));
    assert_non_null(strstr(find_finding(&j, "scale-suspect")->message, "--units=m"));
    assert_non_null(strstr(find_finding(&j, "width-suspect")->message, "--units=m"));
    done(&j, r);
    r = make_new();
    rope(r);
    judge(&j, r, BW_GROOM_UNREAL_5_8);
    assert_non_null(strstr(find_finding(&j, "width-suspect")->message, "rope"));
    done(&j, r);
}

static void a_width_written_twice_alike_is_no_finding(void **state) {
    (void)state;
    rig *r = make_new();
    judged j;
    hair_attribute(&r->b, "width", BW_ALEMBIC_FLOAT32, 1, BW_ALEMBIC_SCOPE_VERTEX, POINTS, r->widths)->place =
        BWI_HAIR_NATIVE;
    judge(&j, r, BW_GROOM_UNREAL_5_8);
    assert_null(find_finding(&j, "width-overridden"));
    done(&j, r);
}

static void findings_are_few_however_many_objects_there_are(void **state) {
    (void)state;
    rig *r = make_new();
    judged j;
    many(r);
    judge(&j, r, BW_GROOM_UNREAL_5_8);
    uint64_t places = 0, strands = 0;
    for (size_t i = 0; i < j.verdict.findings.count; i++) {
        if (strcmp(j.verdict.findings.data[i].code, "width-none") != 0)
            continue;
        places++;
        strands += j.verdict.findings.data[i].count;
    }
    assert_int_equal(places, 50);
    assert_int_equal(strands, MANY);
    done(&j, r);
}

static void errors_come_first(void **state) {
    (void)state;
    rig *r = make_new();
    judged j;
    unknown(r);
    drop(r, "groom_root_uv");
    one_point(r);
    point_nan(r);
    judge(&j, r, BW_GROOM_UNREAL_5_8);
    for (size_t i = 1; i < j.verdict.findings.count; i++)
        assert_true(j.verdict.findings.data[i - 1].level >= j.verdict.findings.data[i].level);
    assert_int_equal(j.verdict.findings.data[0].level, BW_GROOM_ERROR);
    done(&j, r);
}

/* Every allocation may fail: an error, no crash, and all memory back. */
static void memory_may_run_out(void **state) {
    (void)state;
    bool whole = false;
    for (int64_t k = 0; k < 400 && !whole; k++) {
        rig *r = make_new();
        bw_error error;
        bwi_mem mem;
        bwi_groom_verdict verdict;
        bwi_mem_init(&mem, 0);
        bwi_arena *arena = bwi_arena_create(&mem);
        const bwi_env env = {&mem, 1, NULL};
        one_point(r);
        mem.fail_after = k;
        const bw_result result =
            bwi_groom_judge(&verdict, arena, &r->b.hair, BW_GROOM_UNREAL_5_8, &r->space, &env, &error);
        whole = result == BW_OK;
        assert_true(whole || result == BW_ERR_MEMORY);
        bwi_arena_free(arena);
        assert_int_equal(mem.used, 0);
        free(r);
    }
    assert_true(whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_wrong_with_the_rig),
        cmocka_unit_test(each_case_is_found),
        cmocka_unit_test(no_case_is_found_without_its_change),
        cmocka_unit_test(every_rule_has_a_case),
        cmocka_unit_test(an_engine_says_nothing_of_rules_it_lacks),
        cmocka_unit_test(width_units_are_suggested_that_make_hair_of_it),
        cmocka_unit_test(a_width_written_twice_alike_is_no_finding),
        cmocka_unit_test(findings_are_few_however_many_objects_there_are),
        cmocka_unit_test(errors_come_first),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
