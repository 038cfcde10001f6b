/* SPDX-License-Identifier: MIT
 * Lint on hair of any content: bytes become objects, curves and attributes whose counts, types and values need not go together.  Each engine's
 * verdict must add up, and nothing be read past an array: arrays have their exact size. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groom/groom.h"

enum { OBJECTS = 16, ATTRIBUTES = 48, BLOCKS = 512 };

typedef struct input {
    const uint8_t *data;
    size_t size;
} input;

typedef struct made {
    bwi_hair hair;
    bwi_hair_object objects[OBJECTS];
    bwi_hair_curves curves[OBJECTS];
    bwi_hair_attribute attributes[ATTRIBUTES];
    bwi_hair_sampling samplings[3];
    void *blocks[BLOCKS];
    size_t block_count;
} made;

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "groom_judge_fuzz: %s\n", what);
        abort();
    }
}

static uint32_t take(input *in) {
    if (in->size == 0)
        return 0;
    --in->size;
    return *in->data++;
}

static uint32_t take_word(input *in) {
    return take(in) | take(in) << 8 | take(in) << 16 | take(in) << 24;
}

/* Small whole numbers as well as any bits. */
static float take_float(input *in) {
    const uint32_t shape = take(in);
    if (shape < 200)
        return (float)((int)shape - 100) / 8;
    const uint32_t bits = take_word(in);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int32_t take_count(input *in) {
    const uint32_t shape = take(in);
    return shape < 240 ? (int32_t)(shape % 7) : (int32_t)take_word(in);
}

static void *block(made *m, size_t size) {
    void *data = malloc(size > 0 ? size : 1);
    check(data != NULL && m->block_count < BLOCKS, "no memory for the input");
    m->blocks[m->block_count++] = data;
    return data;
}

static void make_attribute(made *m, input *in, uint32_t object, bool is_native) {
    static const char *const names[] = {
        "groom_width",
        "groom_guide",
        "groom_group_id",
        "groom_group_name",
        "groom_id",
        "groom_root_uv",
        "groom_color",
        "groom_closest_guides",
        "groom_guide_weights",
        "groom_clumpid",
        "groom_roughness",
        "groom_ao",
        "groom_group_cards_id",
        "groom_version_major",
        "groom_version_minor",
        "groom_guides",
        "Cd",
        "GROOM_ID",
        "groom_",
        "",
    };
    static const char *const native[] = {"width", "uv", "N"};
    static const char *const texts[] = {"", "a", "b", "brow"};
    if (m->hair.attributes.count == ATTRIBUTES)
        return;
    bwi_hair_attribute *a = &m->attributes[m->hair.attributes.count++];
    const uint32_t flags = take(in), shape = take(in);
    *a = (bwi_hair_attribute){.name = names[take(in) % (sizeof names / sizeof *names)], .object = object};
    if (is_native)
        a->name = native[flags % 3];
    a->place = is_native ? BWI_HAIR_NATIVE : flags & 1 ? BWI_HAIR_USER : BWI_HAIR_ARBITRARY;
    a->pod = (bw_alembic_pod)(shape % BW_ALEMBIC_POD_END);
    a->extent = take(in) % 5;
    a->is_scalar = (flags & 14) == 2;
    a->is_compound = (flags & 14) == 4;
    a->has_scope = (flags & 16) != 0;
    a->scope = (bw_alembic_scope)(take(in) % (BW_ALEMBIC_SCOPE_UNKNOWN + 1));
    a->sample_count = take(in);
    a->moves = (flags & 32) != 0;
    a->count = a->value_count = take(in) % 40;
    if ((flags & 192) == 192)
        a->problem = "its sample is damaged";
    const bool is_text = a->pod == BW_ALEMBIC_STRING || a->pod == BW_ALEMBIC_WSTRING;
    const size_t values = (size_t)a->value_count * a->extent;
    if (a->problem || a->pod == BW_ALEMBIC_NO_POD) {
        a->count = a->value_count = 0;
    } else if (is_text) {
        const char **strings = block(m, values * sizeof *strings);
        for (size_t i = 0; i < values; i++)
            strings[i] = texts[take(in) % 4];
        a->strings = strings;
    } else {
        const size_t size = values * bw_alembic_pod_size(a->pod);
        uint8_t *bytes = block(m, size);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)take(in);
        if (a->pod == BW_ALEMBIC_FLOAT32) {
            for (size_t i = 0; i < values; i++) {
                const float value = take_float(in);
                memcpy(bytes + i * sizeof value, &value, sizeof value);
            }
        }
        a->bytes = bytes;
    }
    if ((a->is_compound || (flags & 192) == 128) && a->value_count > 0) {
        a->count = take(in) % 40;
        uint32_t *indices = block(m, (size_t)a->count * sizeof *indices);
        for (size_t i = 0; i < a->count; i++)
            indices[i] = (uint32_t)take_count(in);
        a->indices = indices;
    }
}

static void make_curves(made *m, input *in, uint32_t object) {
    bwi_hair_curves *c = &m->curves[m->hair.curves.count++];
    const uint32_t shape = take(in);
    *c = (bwi_hair_curves){.object = object, .curve_count = take(in) % 24, .point_count = take(in) % 64};
    int32_t *counts = block(m, (size_t)c->curve_count * sizeof *counts);
    for (size_t i = 0; i < c->curve_count; i++)
        counts[i] = take_count(in);
    float *positions = block(m, (size_t)c->point_count * 3 * sizeof *positions);
    for (size_t i = 0; i < 3 * c->point_count; i++)
        positions[i] = take_float(in);
    c->counts = c->curve_count > 0 ? counts : NULL;
    c->positions = c->point_count > 0 ? positions : NULL;
    c->type = (bwi_hair_type)(shape % 3);
    c->basis = (bwi_hair_basis)(shape / 3 % 6);
    c->periodic = shape & 64;
    c->known_basis = (shape & 128) == 0;
    c->knot_count = take(in) % 2;
    c->knots = positions;
    const uint32_t motion = take(in);
    c->sample_count = motion % 4;
    double *times = block(m, c->sample_count * sizeof *times);
    for (size_t i = 0; i < c->sample_count; i++)
        times[i] = (double)take_float(in);
    c->times_s = c->sample_count > 0 ? times : NULL;
    c->moves = motion & 16;
    c->topology_moves = motion & 32;
    c->only_attributes_move = motion & 64;
    c->first_attribute = (uint32_t)m->hair.attributes.count;
    const uint32_t natives = take(in) % 4, others = take(in) % 10;
    for (uint32_t i = 0; i < natives + others; i++)
        make_attribute(m, in, object, i < natives);
    c->attribute_count = (uint32_t)m->hair.attributes.count - c->first_attribute;
}

static void make(made *m, input *in) {
    static const char *const paths[] = {"/groom", "/groom/hair", "/a", "/b"};
    m->hair = (bwi_hair){.path = "fuzz.abc", .format = "alembic", .made_by = take(in) & 1 ? "Maya" : ""};
    m->hair.objects.data = m->objects;
    m->hair.curves.data = m->curves;
    m->hair.attributes.data = m->attributes;
    m->hair.samplings.data = m->samplings;
    m->hair.samplings.count = take(in) % 4;
    for (size_t i = 0; i < m->hair.samplings.count; i++)
        m->samplings[i] =
            (bwi_hair_sampling){(bw_alembic_time_kind)(take(in) % 3), (double)take_float(in), (double)take_float(in)};
    const uint32_t count = 1 + take(in) % OBJECTS;
    for (uint32_t i = 0; i < count; i++) {
        bwi_hair_object *o = &m->objects[i];
        const uint32_t kind = take(in), flags = take(in);
        *o = (bwi_hair_object){.path = paths[flags % 4],
                               .schema = "",
                               .parent = BW_NO_INDEX,
                               .kind = (bwi_hair_kind)(kind % (BWI_HAIR_OTHER + 1))};
        if (kind >= 128)
            o->kind = kind & 1 ? BWI_HAIR_CURVES : BWI_HAIR_XFORM;
        if (i > 0 && flags & 4)
            o->parent = take(in) % i;
        for (int k = 0; k < 16; k++)
            o->matrix[k] = o->kind == BWI_HAIR_XFORM && flags & 8 ? (double)take_float(in) : k % 5 == 0;
        o->inherits = flags & 16;
        o->moves = flags & 32;
        o->hidden = flags & 64;
        o->is_instance = flags & 128;
        if (kind % 32 == 31)
            o->problem = "it cannot be read";
        m->hair.objects.count = i + 1;
        if (o->kind == BWI_HAIR_CURVES)
            make_curves(m, in, i);
        else if (o->kind == BWI_HAIR_XFORM)
            for (uint32_t k = flags % 3; k > 0; k--)
                make_attribute(m, in, i, false);
    }
}

static const bwi_groom_rule *find_rule(const char *code) {
    for (const bwi_groom_rule *rule = bwi_groom_rules; rule->code; rule++) {
        if (strcmp(rule->code, code) == 0)
            return rule;
    }
    return NULL;
}

static void check_verdict(const bwi_groom_verdict *v, bw_groom_engine engine) {
    uint64_t strands = 0, guides = 0, points = 0;
    for (size_t i = 0; i < v->groups.count; i++) {
        strands += v->groups.data[i].strands;
        guides += v->groups.data[i].guides;
        points += v->groups.data[i].points;
        check(v->groups.data[i].name != NULL, "a group has no name");
        check(v->groups.data[i].strands + v->groups.data[i].guides > 0, "a group is empty");
    }
    check(strands == v->strands && guides == v->guides && points == v->points, "groups don't add up");
    bool fails = false;
    for (size_t i = 0; i < v->findings.count; i++) {
        const bw_groom_finding *f = &v->findings.data[i];
        const bwi_groom_rule *rule = find_rule(f->code);
        check(rule != NULL, "a finding is of no rule");
        const char letter = rule->levels[engine - BW_GROOM_UNREAL_5_0];
        check(letter == (f->level == BW_GROOM_ERROR     ? 'E'
                         : f->level == BW_GROOM_WARNING ? 'W'
                                                        : 'I'),
              "a finding's level is not its rule's");
        check(i == 0 || v->findings.data[i - 1].level >= f->level, "errors don't come first");
        check(f->place && f->message && *f->message && f->fix, "a finding lacks a text");
        fails |= f->level == BW_GROOM_ERROR;
    }
    check(v->accepted == !fails, "accepted and errors don't go together");
    check(v->accepted ? v->strands + v->guides > 0 : 1, "nothing is accepted");
    for (size_t i = 0; i < v->attributes.count; i++)
        check(v->attributes.data[i].reason && (v->attributes.data[i].used || *v->attributes.data[i].reason),
              "an unused attribute has no reason");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    made *m = calloc(1, sizeof *m);
    check(m != NULL, "no memory for the input");
    make(m, &in);
    for (bw_groom_engine engine = BW_GROOM_UNREAL_5_0; engine <= BW_GROOM_UNITY; engine++) {
        bwi_mem mem;
        bw_error error;
        bwi_mem_init(&mem, 64 << 20);
        bwi_arena *arena = bwi_arena_create(&mem);
        const bwi_env env = {&mem, 1, NULL};
        bwi_groom_space space;
        bwi_groom_verdict verdict;
        check(bwi_groom_space_find(&space, arena, &m->hair, NULL, &error) == BW_OK, "no space is found");
        check(bwi_groom_judge(&verdict, arena, &m->hair, engine, &space, &env, &error) == BW_OK, "no verdict");
        check_verdict(&verdict, engine);
        bwi_arena_free(arena);
        check(mem.used == 0, "memory is kept");
    }
    for (size_t i = 0; i < m->block_count; i++)
        free(m->blocks[i]);
    free(m);
    return 0;
}
