/* SPDX-License-Identifier: MIT
 * Lint: which attributes of curves an engine finds, as what type and scope, and why it doesn't find the others. */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "groom/groom_fix_priv.h"
#include "groom/groom_judge_priv.h"

/* What the builder asks for by row: type and scope. */
static const struct {
    bwi_judge_kind kind, other_kind;
    bool at_strand, at_vertex;
} ASKED[] = {
    [BWI_ROW_WIDTH] = {BWI_KIND_FLOAT, BWI_KIND_FLOAT, true, true},
    [BWI_ROW_GUIDE] = {BWI_KIND_INT, BWI_KIND_INT, true, false},
    [BWI_ROW_GROUP_ID] = {BWI_KIND_INT, BWI_KIND_INT, true, false},
    [BWI_ROW_GROUP_NAME] = {BWI_KIND_NAME, BWI_KIND_NAME, true, false},
    [BWI_ROW_CARDS_ID] = {BWI_KIND_NAME, BWI_KIND_NAME, true, false},
    [BWI_ROW_ID] = {BWI_KIND_INT, BWI_KIND_INT, true, false},
    [BWI_ROW_ROOT_UV] = {BWI_KIND_VEC2, BWI_KIND_VEC2, true, false},
    [BWI_ROW_COLOR] = {BWI_KIND_VEC3, BWI_KIND_VEC3, false, true},
    [BWI_ROW_ROUGHNESS] = {BWI_KIND_FLOAT, BWI_KIND_FLOAT, false, true},
    [BWI_ROW_AO] = {BWI_KIND_FLOAT, BWI_KIND_FLOAT, false, true},
    [BWI_ROW_CLUMP_ID] = {BWI_KIND_INT, BWI_KIND_VEC3, true, false},
    [BWI_ROW_CLOSEST] = {BWI_KIND_VEC3, BWI_KIND_VEC3, true, false},
    [BWI_ROW_WEIGHTS] = {BWI_KIND_VEC3, BWI_KIND_VEC3, true, false},
};
static const char *const KIND_NAMES[] = {"nothing", "bool", "int32", "float32", "float32[2]", "float32[3]", "string"};
static const char *const SCOPE_NAMES[] = {"constant", "uniform", "varying", "vertex", "facevarying", "unknown"};

/* An attribute on its way to a view. */
typedef struct look {
    bwi_judge *judge;
    bwi_judge_curves *curves;
    const bwi_hair_attribute *a;
    bool tell;
} look;

#define TELL(l, rule, count, ...)                                                               \
    do {                                                                                        \
        if ((l)->tell)                                                                          \
            bwi_judge_tell((l)->judge, rule, (l)->a->object, (l)->a->name, count, __VA_ARGS__); \
    } while (0)

static void report(const look *l, bool used, const char *reason) {
    bwi_judge *judge = l->judge;
    if (!l->tell || judge->out_of_memory)
        return;
    if (judge->report_count == judge->report_capacity) {
        const size_t more = judge->report_capacity ? 2 * judge->report_capacity : 64;
        bw_groom_attribute_report *grown = bwi_realloc(judge->mem, judge->reports, more, sizeof *grown);
        if (!grown) {
            judge->out_of_memory = true;
            return;
        }
        judge->reports = grown;
        judge->report_capacity = more;
    }
    const char *pod = bw_alembic_pod_name(l->a->pod);
    judge->reports[judge->report_count++] =
        (bw_groom_attribute_report){.name = l->a->name,
                                    .object = l->curves->object->path,
                                    .type = l->a->pod != BW_ALEMBIC_NO_POD && pod ? pod : "compound",
                                    .extent = l->a->extent,
                                    .scope = l->a->place == BWI_HAIR_USER ? "groom" : SCOPE_NAMES[l->a->scope],
                                    .count = l->a->count,
                                    .used = used,
                                    .reason = reason};
}

/* ---- type ---- */

/* "float32[3]", as reports write it. */
static const char *type_name(const look *l) {
    const char *pod = bw_alembic_pod_name(l->a->pod);
    if (l->a->pod == BW_ALEMBIC_NO_POD || !pod)
        return "a compound";
    return l->a->extent == 1 ? pod : bwi_judge_text(l->judge, "%s[%u]", pod, (unsigned)l->a->extent);
}

/* As what the importer keeps the values; NONE: not at all, and why. */
static bwi_judge_kind kind_of(const look *l, const char **reason) {
    const bwi_hair_attribute *a = l->a;
    const char *pod = bw_alembic_pod_name(a->pod);
    if (a->problem) {
        TELL(l, BWI_RULE_ATTRIBUTE_UNREADABLE, 1, "%s: it is passed over", a->problem);
        *reason = "it cannot be read";
        return BWI_KIND_NONE;
    }
    if (a->is_scalar) {
        TELL(l, BWI_RULE_ATTRIBUTE_SCALAR, 1, "it is a scalar property, expected an array: it is ignored");
        *reason = "a scalar property";
        return BWI_KIND_NONE;
    }
    if (a->is_compound) {
        const bool text = a->pod == BW_ALEMBIC_STRING && a->indices && a->count == l->curves->curves->curve_count;
        if (text && l->judge->habits->reads_indexed_text)
            return BWI_KIND_NAME;
        TELL(l, BWI_RULE_ATTRIBUTE_INDEXED, a->count,
             "its values stand behind indices, expected an array of values: it is ignored%s",
             text ? "; strings are read from 5.4 on" : "");
        *reason = "its values stand behind indices";
        return BWI_KIND_NONE;
    }
    const bool floats = a->pod == BW_ALEMBIC_FLOAT32 || a->pod == BW_ALEMBIC_FLOAT64;
    const bool loose = a->pod == BW_ALEMBIC_BOOL || a->pod == BW_ALEMBIC_INT8 || a->pod == BW_ALEMBIC_INT16 ||
                       a->pod == BW_ALEMBIC_STRING;
    if (!floats && !loose && a->pod != BW_ALEMBIC_INT32) {
        TELL(l, BWI_RULE_ATTRIBUTE_TYPE, a->count, "it is %s: the importer ignores that type",
             pod ? pod : "of no type");
        *reason = "its type is ignored";
        return BWI_KIND_NONE;
    }
    if ((floats && (a->extent < 1 || a->extent > 3)) ||
        (a->pod == BW_ALEMBIC_INT32 && a->extent != 1 && a->extent != 3)) {
        TELL(l, BWI_RULE_ATTRIBUTE_EXTENT, a->count, "it has %u %s a value: the importer ignores that",
             (unsigned)a->extent, pod);
        *reason = "its extent is ignored";
        return BWI_KIND_NONE;
    }
    if (loose && a->extent != 1)
        TELL(l, BWI_RULE_ATTRIBUTE_FLAT, a->count, "it has %u %s a value; the importer reads them one after the other",
             (unsigned)a->extent, pod);
    if (a->pod == BW_ALEMBIC_BOOL)
        return BWI_KIND_BOOL;
    if (a->pod == BW_ALEMBIC_STRING)
        return BWI_KIND_NAME;
    if (floats)
        return a->extent == 1 ? BWI_KIND_FLOAT : a->extent == 2 ? BWI_KIND_VEC2 : BWI_KIND_VEC3;
    return a->pod == BW_ALEMBIC_INT32 && a->extent == 3 ? BWI_KIND_VEC3 : BWI_KIND_INT;
}

/* ---- scope ---- */

static bwi_judge_scope scope_of(const look *l, bool *broadcast) {
    const bwi_hair_attribute *a = l->a;
    const uint64_t n = a->count, strands = l->curves->curves->curve_count, points = l->curves->curves->point_count;
    *broadcast = false;
    if (a->scope == BW_ALEMBIC_SCOPE_UNIFORM || a->scope == BW_ALEMBIC_SCOPE_CONSTANT || n == strands) {
        *broadcast = a->scope == BW_ALEMBIC_SCOPE_CONSTANT && n != strands;
        if (a->scope == BW_ALEMBIC_SCOPE_VERTEX && points == strands && points > 0)
            TELL(l, BWI_RULE_ATTRIBUTE_AMBIGUOUS, n,
                 "there are as many points as strands, %llu: its values are taken for those of strands",
                 (unsigned long long)n);
        if (*broadcast && n > 1)
            TELL(l, BWI_RULE_ATTRIBUTE_BROADCAST, n,
                 "it has %llu values%s, and strands are %llu: the first is taken for all", (unsigned long long)n,
                 a->has_scope ? " of constant scope" : " and says no scope", (unsigned long long)strands);
        else if (!a->has_scope && n > 1)
            TELL(l, BWI_RULE_ATTRIBUTE_NO_SCOPE, n,
                 "it says no scope; that its count is that of the strands makes it one a strand");
        return BWI_AT_STRAND;
    }
    return a->scope == BW_ALEMBIC_SCOPE_VERTEX || n == points ? BWI_AT_VERTEX : BWI_AT_NONE;
}

/* Values against what is read.  In: roots — of points, the first of each strand alone. */
static void check_count(const look *l, bwi_judge_scope scope, bool broadcast, bool roots) {
    const uint64_t n = l->a->count;
    const uint64_t of_points = roots ? l->curves->root_count : l->curves->point_count;
    const uint64_t wanted = broadcast ? 1 : scope == BWI_AT_STRAND ? l->curves->strand_count : of_points;
    const uint64_t all = scope == BWI_AT_STRAND ? l->curves->curves->curve_count : l->curves->curves->point_count;
    const char *each = broadcast ? "object" : scope == BWI_AT_STRAND ? "strand" : "point";
    if (n < wanted) {
        TELL(l, BWI_RULE_ATTRIBUTE_SHORT, wanted - n,
             "it has %s, expected %llu, one a%s %s: the importer reads past the end and crashes, or takes what lies "
             "there",
             bwi_judge_count(l->judge, n, "value"), (unsigned long long)wanted, broadcast ? "n" : "", each);
        return;
    }
    if (!broadcast && n > all)
        TELL(l, BWI_RULE_ATTRIBUTE_LONG, n - all, "it has %s, expected %llu, one a %s: those past the end are unused",
             bwi_judge_count(l->judge, n, "value"), (unsigned long long)all, each);
}

/* ---- names ---- */

static bool has_capitals(const char *name) {
    for (; *name; name++) {
        if (isupper((unsigned char)*name))
            return true;
    }
    return false;
}

/* Attributes that are none of the schema. */
static void look_at_stranger(const look *l) {
    const char *meant = bwi_fix_meant(l->a);
    if (meant) {
        TELL(l, BWI_RULE_ATTRIBUTE_MISSPELT, l->a->count, "the importer doesn't know the name; %s seems to be meant",
             meant);
        report(l, false, "its name is not of the schema; it seems to be a misspelling");
    } else if (strncasecmp(l->a->name, "groom_", 6) == 0) {
        TELL(l, BWI_RULE_ATTRIBUTE_UNKNOWN, l->a->count, "nothing asks for an attribute of that name");
        report(l, false, "nothing asks for an attribute of that name");
    } else {
        report(l, false, "its name does not begin with groom_");
    }
}

static void look_at_schema(const look *l, const bwi_groom_schema *schema) {
    const size_t row = (size_t)(schema - bwi_groom_schemas);
    const bwi_hair_attribute *a = l->a;
    const char *reason = "";
    if (has_capitals(a->name))
        TELL(l, BWI_RULE_ATTRIBUTE_CASE, 1, "names are lower case in the schema; this one seems to be taken for %s",
             schema->name);
    const bwi_judge_kind kind = kind_of(l, &reason);
    if (kind == BWI_KIND_NONE) {
        report(l, false, reason);
        return;
    }
    bool broadcast;
    const bwi_judge_scope scope = scope_of(l, &broadcast);
    if (scope == BWI_AT_NONE) {
        TELL(l, BWI_RULE_ATTRIBUTE_SCOPE, a->count,
             "it has %s scope and %s, which is neither one a strand (%llu) nor one a point (%llu): it is dropped",
             SCOPE_NAMES[a->scope], bwi_judge_count(l->judge, a->count, "value"),
             (unsigned long long)l->curves->curves->curve_count, (unsigned long long)l->curves->curves->point_count);
        report(l, false, "its scope is dropped");
        return;
    }
    /* What is found is copied, whether the builder asks for it or not. */
    check_count(l, scope, broadcast, false);
    for (uint64_t i = 0; a->indices && i < a->count; i++) {
        if (a->indices[i] >= a->value_count) {
            TELL(l, BWI_RULE_ATTRIBUTE_INDEX_RANGE, 1, "index %u is past its %s: the importer reads past the end",
                 (unsigned)a->indices[i], bwi_judge_count(l->judge, a->value_count, "value"));
            break;
        }
    }
    if (a->moves)
        TELL(l, BWI_RULE_ATTRIBUTE_MOVES, a->sample_count, "it changes over %u samples; only the first is read",
             (unsigned)a->sample_count);
    if (l->judge->engine < schema->since) {
        TELL(l, BWI_RULE_ATTRIBUTE_NEW, a->count, "%s came about with a later engine: it is ignored", schema->name);
        report(l, false, "this engine is too old for it");
    } else if (kind == BWI_KIND_BOOL) {
        TELL(l, BWI_RULE_ATTRIBUTE_BOOL, a->count, "it is bool, expected %s: it is read and then asked for by nothing",
             KIND_NAMES[ASKED[row].kind]);
        report(l, false, "nothing asks for a bool");
    } else if (kind != ASKED[row].kind && kind != ASKED[row].other_kind) {
        TELL(l, BWI_RULE_ATTRIBUTE_OTHER_TYPE, a->count, "it is %s, expected %s: it is read and then not found",
             type_name(l), KIND_NAMES[ASKED[row].kind]);
        report(l, false, "its type is not the one asked for");
    } else if (!(scope == BWI_AT_STRAND ? ASKED[row].at_strand : ASKED[row].at_vertex)) {
        TELL(l, BWI_RULE_ATTRIBUTE_WRONG_SCOPE, a->count,
             "it has values a %s, expected values a %s: it is read and then not found",
             scope == BWI_AT_STRAND ? "strand" : "point", scope == BWI_AT_STRAND ? "point" : "strand");
        report(l, false, "its scope is not the one asked for");
    } else {
        bwi_judge_view *view = scope == BWI_AT_STRAND ? &l->curves->strand[row] : &l->curves->vertex[row];
        *view = (bwi_judge_view){a, broadcast};
        report(l, true, broadcast && a->count > 1 ? "its first value, for all strands" : "");
    }
}

/* ---- Alembic's own ---- */

/* Width, uv and N: of a wrong type the library throws already while opening the curves. */
static bool check_native_type(const look *l) {
    const bwi_hair_attribute *a = l->a;
    const uint32_t extent = strcmp(a->name, "width") == 0 ? 1 : strcmp(a->name, "uv") == 0 ? 2 : 3;
    if (!a->is_scalar && a->pod == BW_ALEMBIC_FLOAT32 && a->extent == extent && !a->problem)
        return true;
    if (a->problem)
        TELL(l, BWI_RULE_ATTRIBUTE_NATIVE, 1, "%s: the importer's library throws, and nothing comes in", a->problem);
    else
        TELL(l, BWI_RULE_ATTRIBUTE_NATIVE, 1,
             "it is %s%s, expected an array of %s: the importer's library throws, and nothing comes in",
             a->is_scalar ? "a scalar " : "", type_name(l),
             extent == 1   ? "float32"
             : extent == 2 ? "float32[2]"
                           : "float32[3]");
    report(l, false, "the library throws on its type");
    l->curves->left_out = true;
    return false;
}

/* Whether two attributes store the same numbers of the same type: then it does not matter which one counts. */
static bool says_the_same(const bwi_hair_attribute *a, const bwi_hair_attribute *b) {
    const size_t size = bw_alembic_pod_size(a->pod);
    return a->pod == b->pod && a->extent == b->extent && a->value_count == b->value_count && !a->indices &&
           !b->indices && a->bytes && b->bytes &&
           memcmp(a->bytes, b->bytes, (size_t)a->value_count * a->extent * size) == 0;
}

static void look_at_native(const look *l) {
    const bwi_hair_attribute *a = l->a;
    const bool is_uv = strcmp(a->name, "uv") == 0;
    if (!check_native_type(l))
        return;
    if (!is_uv && strcmp(a->name, "width") != 0) {
        report(l, false, "normals of curves are not read");
        return;
    }
    if (is_uv && !l->judge->habits->reads_native_uv) {
        report(l, false, "Alembic's own uv is read since 5.3");
        return;
    }
    if (a->scope != BW_ALEMBIC_SCOPE_CONSTANT && a->scope != BW_ALEMBIC_SCOPE_UNIFORM &&
        a->scope != BW_ALEMBIC_SCOPE_VERTEX) {
        TELL(l, BWI_RULE_ATTRIBUTE_SCOPE, a->count,
             "it has %s scope, expected constant, uniform or vertex: it is ignored", SCOPE_NAMES[a->scope]);
        report(l, false, "its scope is dropped");
        return;
    }
    /* A constant uv is read once a strand; of uv a point, the first of each strand is taken. */
    const bool broadcast = a->scope == BW_ALEMBIC_SCOPE_CONSTANT && !is_uv;
    const bwi_judge_scope scope = a->scope == BW_ALEMBIC_SCOPE_VERTEX ? BWI_AT_VERTEX : BWI_AT_STRAND;
    if (broadcast && a->count > 1)
        TELL(l, BWI_RULE_ATTRIBUTE_BROADCAST, a->count,
             "it has %llu values of constant scope: the first is taken for all", (unsigned long long)a->count);
    check_count(l, scope, broadcast, is_uv);
    if (a->moves)
        TELL(l, BWI_RULE_ATTRIBUTE_MOVES, a->sample_count, "it changes over %u samples; only the first is read",
             (unsigned)a->sample_count);
    const bwi_judge_row row = is_uv ? BWI_ROW_ROOT_UV : BWI_ROW_WIDTH;
    bwi_judge_curves *curves = l->curves;
    const bwi_judge_view view = {a, broadcast};
    if (is_uv) {
        if (curves->strand[row].attribute)
            TELL(l, BWI_RULE_UV_OVERRIDDEN, a->count, "it is replaced by groom_root_uv");
        curves->has_uv = true;
        report(l, !curves->strand[row].attribute,
               curves->strand[row].attribute ? "groom_root_uv replaces it" : "as root UV");
        return;
    }
    bwi_judge_view *same = scope == BWI_AT_VERTEX ? &curves->width_vertex : &curves->width_strand;
    const bool replaced = same->attribute != NULL, beaten = scope == BWI_AT_STRAND && curves->width_vertex.attribute;
    if ((replaced && !says_the_same(a, same->attribute)) || beaten)
        TELL(l, BWI_RULE_WIDTH_OVERRIDDEN, a->count, "groom_width %s it",
             replaced ? "of the same scope replaces" : "a point goes before");
    else if (scope == BWI_AT_VERTEX && curves->width_strand.attribute)
        TELL(l, BWI_RULE_WIDTH_OVERRIDDEN, a->count, "values a point go before groom_width a strand, which is unused");
    if (!replaced)
        *same = view;
    report(l, !replaced && !beaten, replaced || beaten ? "groom_width goes before it" : "as width");
}

/* ---- all of an object ---- */

void bwi_judge_resolve(bwi_judge_curves *curves, bwi_judge *judge, size_t index, bool tell) {
    const bwi_hair_curves *c = curves->curves;
    const bwi_hair_attribute *own = judge->hair->attributes.data + c->first_attribute;
    uint64_t strangers = 0;
    (void)index;
    for (uint32_t i = 0; i < c->attribute_count; i++) {
        const look l = {judge, curves, &own[i], tell};
        const bwi_groom_schema *schema = bwi_groom_schema_find(own[i].name);
        if (own[i].place == BWI_HAIR_NATIVE)
            continue;
        if (judge->habits->is_unity) {
            strangers += strncasecmp(own[i].name, "groom_", 6) == 0;
            report(&l, false, "Unity's hair package seems to read none but Alembic's own");
        } else if (own[i].place == BWI_HAIR_USER) {
            if (schema && strcmp(schema->name, "groom_width") != 0) {
                TELL(&l, BWI_RULE_ATTRIBUTE_PLACE, own[i].count,
                     "it stands among user properties, expected a geometry parameter: it is ignored");
                report(&l, false, "it stands among user properties");
            } else if (strncasecmp(own[i].name, "groom_", 6) != 0) {
                report(&l, false, "its name does not begin with groom_");
            }
        } else if (schema) {
            look_at_schema(&l, schema);
        } else {
            look_at_stranger(&l);
        }
    }
    if (strangers > 0 && tell)
        bwi_judge_tell(judge, BWI_RULE_ATTRIBUTES_UNITY, c->object, NULL, strangers,
                       "%s of groom_ names, which Unity's hair package seems not to read",
                       bwi_judge_count(judge, strangers, "attribute"));
    curves->width_strand = curves->strand[BWI_ROW_WIDTH];
    curves->width_vertex = curves->vertex[BWI_ROW_WIDTH];
    curves->has_uv = curves->strand[BWI_ROW_ROOT_UV].attribute != NULL;
    for (uint32_t i = 0; i < c->attribute_count; i++) {
        const look l = {judge, curves, &own[i], tell};
        if (own[i].place == BWI_HAIR_NATIVE)
            look_at_native(&l);
    }
    if (!tell || curves->left_out || curves->strand_count == 0)
        return;
    judge->curve_objects++;
    for (size_t row = 0; row < BWI_ROW_END; row++)
        judge->with_row[row] += curves->strand[row].attribute || curves->vertex[row].attribute;
}
