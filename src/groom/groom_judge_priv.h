/* SPDX-License-Identifier: MIT
 * What the files of lint share: an engine's habits, findings on their way, attributes as an engine ends up with them. */
#ifndef BWI_GROOM_JUDGE_PRIV_H
#define BWI_GROOM_JUDGE_PRIV_H

#include "base/math.h"
#include "groom/groom.h"

typedef enum bwi_rule {
#define BWI_GROOM_RULE(id, code, levels, doubtful, summary, fix) BWI_RULE_##id,
#include "groom/groom_findings.def"
#undef BWI_GROOM_RULE
    BWI_RULE_END
} bwi_rule;

/* What differs between engines beyond the levels of rules. */
typedef struct bwi_judge_engine {
    bool is_unity;
    bool reads_native_uv;    /* Alembic's own uv */
    bool reads_indexed_text; /* strings behind indices, one a strand */
    bool drops_not_finite;   /* strands, in place of keeping them */
} bwi_judge_engine;

enum { BWI_JUDGE_SAMPLES = 4096, BWI_JUDGE_GROUPS_MAX = 64, BWI_JUDGE_ROWS_MAX = 16 };

/* Numbers of which a median is wanted: every stride-th is kept, the stride growing. */
typedef struct bwi_judge_sample {
    double data[BWI_JUDGE_SAMPLES];
    uint32_t count;
    uint64_t seen, stride;
    double min, max;
} bwi_judge_sample;
void bwi_judge_sample_add(bwi_judge_sample *sample, double value);
/* Sorts the numbers; 0 without any.  In: part — 0 the least, 0.5 the median, 1 the largest. */
double bwi_judge_sample_at(bwi_judge_sample *sample, double part);

/* Numbers by number, growing. */
typedef struct bwi_judge_map {
    int64_t *keys;
    uint32_t *values;
    size_t count, capacity; /* a power of two, or 0 */
} bwi_judge_map;
typedef struct bwi_judge bwi_judge;
/* The value of a key, `value` if it is new.  Out: is_new.  NULL: memory. */
uint32_t *bwi_judge_map_put(bwi_judge *judge, bwi_judge_map *map, int64_t key, uint32_t value, bool *is_new);
bool bwi_judge_map_has(const bwi_judge_map *map, int64_t key);
void bwi_judge_map_free(bwi_judge *judge, bwi_judge_map *map);

/* As what an importer keeps a value. */
typedef enum bwi_judge_kind {
    BWI_KIND_NONE = 0, BWI_KIND_BOOL, BWI_KIND_INT, BWI_KIND_FLOAT, BWI_KIND_VEC2, BWI_KIND_VEC3, BWI_KIND_NAME
} bwi_judge_kind;
typedef enum bwi_judge_scope { BWI_AT_NONE = 0, BWI_AT_STRAND, BWI_AT_VERTEX } bwi_judge_scope;

/* An attribute as an engine has it. */
typedef struct bwi_judge_view {
    const bwi_hair_attribute *attribute; /* NULL: there is none */
    bool broadcast;                      /* its first value is for all */
} bwi_judge_view;

/* One object's curves as an engine has them. */
typedef struct bwi_judge_curves {
    const bwi_hair_curves *curves;
    const bwi_hair_object *object;
    uint64_t strand_count; /* that are walked: the first of curves->counts */
    uint64_t point_count;  /* of those */
    uint64_t root_count;   /* points up to the last strand's first */
    bool left_out;         /* nothing of it is read */
    bwi_judge_view strand[BWI_JUDGE_ROWS_MAX], vertex[BWI_JUDGE_ROWS_MAX]; /* by row of bwi_groom_schemas, of the type asked for */
    bwi_judge_view width_strand, width_vertex; /* after precedence */
    bool has_uv;
    bwi_mat4 to_cm;        /* its points to Unreal's axes and cm, as they are meant */
    double native_cm;      /* Alembic's own width to cm; groom_width is in cm whatever the file's unit */
} bwi_judge_curves;

/* Rows of the schema that lint asks for by name. */
typedef enum bwi_judge_row {
    BWI_ROW_WIDTH = 0, BWI_ROW_GUIDE, BWI_ROW_GROUP_ID, BWI_ROW_GROUP_NAME, BWI_ROW_CARDS_ID, BWI_ROW_ID, BWI_ROW_ROOT_UV, BWI_ROW_COLOR,
    BWI_ROW_ROUGHNESS, BWI_ROW_AO, BWI_ROW_CLUMP_ID, BWI_ROW_CLOSEST, BWI_ROW_WEIGHTS, BWI_ROW_END
} bwi_judge_row;

struct bwi_judge {
    bwi_groom_verdict verdict; /* filled on the way */
    bwi_arena *arena;          /* of the verdict */
    bwi_mem *mem;
    const bwi_hair *hair;
    bw_groom_engine engine;
    const bwi_judge_engine *habits;
    const bwi_groom_space *space;
    const bwi_env *env;
    bool out_of_memory;
    struct bwi_judge_note *notes; /* findings, growing */
    size_t note_count, note_capacity;
    uint32_t rule_counts[BWI_RULE_END];
    bw_groom_attribute_report *reports; /* growing */
    size_t report_count, report_capacity;
    double groom_width;        /* of the whole groom; 0: none */
    uint64_t with_row[BWI_ROW_END], curve_objects; /* objects whose strands have a row; all with strands */
    bool has_ids, has_names;   /* of groups, in any object */
};

/* Adds a finding if the engine has the rule.  In: object — BW_NO_INDEX: the file; attribute — NULL: the object itself; count — strands, points or
 * values; text — a sentence without a full stop.  A rule is told of up to 50 objects, the last of which counts all others too. */
void bwi_judge_tell(bwi_judge *judge, bwi_rule rule, uint32_t object, const char *attribute, uint64_t count, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Whether findings of the rule are wanted. */
bool bwi_judge_has(const bwi_judge *judge, bwi_rule rule);
const char *bwi_judge_text(bwi_judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "1 strand", "2 strands".  In: noun — in the singular, one that takes an s, or es after sh. */
const char *bwi_judge_count(bwi_judge *judge, uint64_t count, const char *noun);

/* A number as importers read it: value `element` of single ones where they overlook the extent. */
double bwi_judge_number(const bwi_judge_view *view, uint64_t element, uint32_t component);
const char *bwi_judge_string(const bwi_judge_view *view, uint64_t element);

/* ---- groom_judge_objects.c ---- */
void bwi_judge_objects(bwi_judge *judge);
void bwi_judge_properties(bwi_judge *judge);
void bwi_judge_motion(bwi_judge *judge);
/* ---- groom_judge_attributes.c ---- */
/* Fills a curves' views.  In: tell — add rows of the report and findings. */
void bwi_judge_resolve(bwi_judge_curves *curves, bwi_judge *judge, size_t index, bool tell);
/* ---- groom_judge_strands.c, groom_judge_values.c ---- */
/* Which strands are walked; with `tell`, findings of counts and splines. */
void bwi_judge_walk(bwi_judge_curves *curves, bwi_judge *judge, size_t index, bool tell);
void bwi_judge_strands(bwi_judge *judge);
/* Findings about the numbers of one object's attributes. */
void bwi_judge_values(bwi_judge *judge, const bwi_judge_curves *curves);

#endif
