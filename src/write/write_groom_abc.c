/* SPDX-License-Identifier: MIT
 * Grooms as Alembic, by the schema that Unreal's importer reads (docs/GROOM.md): a transform that says the version, below it one object of curves. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "alembic/write_file.h"
#include "base/mem.h"
#include "model/hair.h"
#include "write/write_priv.h"

#define TEXT_OF_VALUE(x) #x
#define TEXT_OF(x) TEXT_OF_VALUE(x)
static const char program[] = "Bakewell " TEXT_OF(BW_VERSION_MAJOR) "." TEXT_OF(BW_VERSION_MINOR);

/* Of the schema. */
enum { VERSION_MAJOR = 1, VERSION_MINOR = 5 };
/* Times that differ by less are equal: what frame / rate rounds to. */
static const double SAME_TIME = 1e-5;
/* A cache put on even times has at most so many samples for each of its own. */
enum { EVEN_MAX = 16 };

typedef struct abc_writer {
    bw_alembic_writer *to;
    const bw_groom *groom;
    const bwi_env *env;
    bwi_arena *scratch;
    const char *path;
    bw_error *error;
    uint32_t sampling; /* of positions */
    bw_alembic_id xform, object, geometry, arbitrary, positions, counts, basis, bounds;
} abc_writer;

#define TRY(call)                 \
    do {                          \
        bw_result try_r = (call); \
        if (try_r != BW_OK)       \
            return try_r;         \
    } while (0)

static void *scratch_alloc(const abc_writer *w, size_t count, size_t size) {
    void *block = bwi_arena_alloc(w->scratch, count, size);
    if (!block)
        bwi_fail_memory(w->error, w->path, w->env->mem, count * size);
    return block;
}

/* ---- times ---- */

/* Even times, and which samples of the cache they lie between. */
typedef struct even_times {
    double first_s, step_s;
    double moved_s; /* by which they are later than the cache's */
    uint32_t count;
    bool is_own; /* sample k is the cache's own k */
} even_times;

/* The rate that a step is meant to be, exact: of whole frames a second, of film on video, else a step that rounding leaves alone, so that what is read
 * from a file that was written gives the same file. */
static double name_step(double step) {
    for (int rate = 1; rate <= 1000; rate++) {
        const double whole = 1.0 / rate, video = 1.001 / rate;
        if (fabs(step - whole) <= 1e-6 * whole)
            return whole;
        if (fabs(step - video) <= 1e-6 * video)
            return video;
    }
    return (double)(float)step;
}

static bool are_even(const bw_cache *cache, double step) {
    for (uint32_t k = 1; k < cache->sample_count; k++)
        if (fabs(cache->times_s[k] - (cache->times_s[0] + k * step)) > SAME_TIME)
            return false;
    return true;
}

/* Caches are played by the archive's second time sampling, a step at a time from 0: uneven times break them, those before 0 are lost. */
static even_times find_times(const bw_cache *cache, bwi_warnings *warnings) {
    const uint32_t count = cache->sample_count;
    const double first = cache->times_s[0], last = cache->times_s[count - 1];
    even_times e = {.first_s = first, .step_s = 1.0, .count = count, .is_own = true};
    if (count < 2)
        return e;
    e.step_s = name_step((last - first) / (count - 1));
    if (!are_even(cache, e.step_s)) {
        double least = last - first;
        for (uint32_t k = 1; k < count; k++)
            least = fmin(least, cache->times_s[k] - cache->times_s[k - 1]);
        e.step_s = name_step(fmax(least, (last - first) / ((double)EVEN_MAX * count)));
        e.first_s = e.step_s * floor(first / e.step_s + 0.5);
        e.count = (uint32_t)floor((last - e.first_s) / e.step_s + 0.5) + 1;
        e.is_own = false;
        bwi_warn(warnings, "times-evened", e.count,
                 "samples were put at even times, without which an importer drops the motion", "%g samples a second",
                 1.0 / e.step_s);
    }
    if (e.first_s < -SAME_TIME) {
        bwi_warn(warnings, "times-moved", e.count,
                 "samples were moved to begin at 0, since an importer drops what is before", "by %g s", -e.first_s);
        e.moved_s = -e.first_s;
        e.first_s = 0.0;
    }
    return e;
}

/* ---- objects and properties ---- */

/* Metadata of up to eight pairs; a value that is empty is not written. */
static bw_result add_property(bw_alembic_id *property, const abc_writer *w, bw_alembic_id parent, const char *name,
                              bw_alembic_kind kind, bw_alembic_pod pod, uint32_t extent, uint32_t sampling,
                              const bw_alembic_meta *pairs, size_t count) {
    const bw_alembic_metadata metadata = {.data = pairs, .count = count};
    const bw_alembic_property_opts opts = {kind, pod, extent, sampling, &metadata};
    return bw_alembic_add_property(property, w->to, parent, name, &opts, w->error);
}

static bw_result add_user(const abc_writer *w, bw_alembic_id parent, const char *name, bw_alembic_pod pod,
                          int16_t number, const char *text) {
    bw_alembic_id property;
    TRY(add_property(&property, w, parent, name, BW_ALEMBIC_SCALAR, pod, 1, 0, NULL, 0));
    return pod == BW_ALEMBIC_STRING ? bw_alembic_put_strings(w->to, property, &text, 1, w->error)
                                    : bw_alembic_put(w->to, property, &number, 1, w->error);
}

/* No operations: the identity. */
static bw_result add_xform(abc_writer *w, const char *name) {
    static const bw_alembic_meta xform[] = {{"schema", "AbcGeom_Xform_v3"},
                                            {"schemaObjTitle", "AbcGeom_Xform_v3:.xform"}};
    const bw_alembic_metadata metadata = {.data = xform, .count = 2};
    bw_alembic_id compound, user;
    char *safe = bwi_arena_string(w->scratch, name && *name ? name : "groom", SIZE_MAX);
    if (!safe)
        return bwi_fail_memory(w->error, w->path, w->env->mem, strlen(name) + 1);
    for (char *c = safe; *c; c++)
        *c = *c == '/' ? '_' : *c;
    TRY(bw_alembic_add_object(&w->xform, w->to, BW_ALEMBIC_TOP, safe, &metadata, w->error));
    TRY(add_property(&compound, w, w->xform, ".xform", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0, 0, xform, 1));
    TRY(add_property(&user, w, compound, ".userProperties", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0, 0, NULL, 0));
    TRY(add_user(w, user, "groom_version_major", BW_ALEMBIC_INT16, VERSION_MAJOR, NULL));
    TRY(add_user(w, user, "groom_version_minor", BW_ALEMBIC_INT16, VERSION_MINOR, NULL));
    TRY(add_user(w, user, "groom_tool", BW_ALEMBIC_STRING, 0,
                 w->groom->tool && *w->groom->tool ? w->groom->tool : program));
    if (!w->groom->properties || !*w->groom->properties)
        return BW_OK;
    return add_user(w, user, "groom_properties", BW_ALEMBIC_STRING, 0, w->groom->properties);
}

static bw_result add_curves(abc_writer *w) {
    static const bw_alembic_meta object[] = {{"schema", "AbcGeom_Curve_v2"},
                                             {"schemaBaseType", "AbcGeom_GeomBase_v1"},
                                             {"schemaObjTitle", "AbcGeom_Curve_v2:.geom"}};
    static const bw_alembic_meta box[] = {{"interpretation", "box"}};
    static const bw_alembic_meta points[] = {{"geoScope", "vtx"}, {"interpretation", "point"}};
    const bw_alembic_metadata metadata = {.data = object, .count = 3};
    const uint32_t at = w->sampling;
    TRY(bw_alembic_add_object(&w->object, w->to, w->xform, "strands", &metadata, w->error));
    TRY(add_property(&w->geometry, w, w->object, ".geom", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0, 0, object, 2));
    TRY(add_property(&w->bounds, w, w->geometry, ".selfBnds", BW_ALEMBIC_SCALAR, BW_ALEMBIC_FLOAT64, 6, at, box, 1));
    TRY(add_property(&w->positions, w, w->geometry, "P", BW_ALEMBIC_ARRAY, BW_ALEMBIC_FLOAT32, 3, at, points, 2));
    TRY(add_property(&w->counts, w, w->geometry, "nVertices", BW_ALEMBIC_ARRAY, BW_ALEMBIC_INT32, 1, at, NULL, 0));
    return add_property(&w->basis, w, w->geometry, "curveBasisAndType", BW_ALEMBIC_SCALAR, BW_ALEMBIC_UINT8, 4, at,
                        NULL, 0);
}

/* ---- attributes ---- */

/* As exporters built on the reference library describe an attribute of geometry. */
static bw_result add_param(bw_alembic_id *property, const abc_writer *w, bw_alembic_id parent, const char *name,
                           bw_alembic_pod pod, uint32_t extent, unsigned scope) {
    char digit[2] = {(char)('0' + extent), 0};
    const bw_alembic_meta pairs[] = {
        {"arrayExtent", "1"},
        {"geoScope", scope == BWI_GROOM_V   ? "vtx"
                     : scope == BWI_GROOM_U ? "uni"
                                            : "con"},
        {"interpretation", extent > 1 ? "vector" : ""},
        {"isGeomParam", "true"},
        {"podExtent", digit},
        {"podName", pod == BW_ALEMBIC_FLOAT32 ? "float32_t"
                    : pod == BW_ALEMBIC_INT32 ? "int32_t"
                    : pod == BW_ALEMBIC_INT16 ? "int16_t"
                                              : "string"},
    };
    return add_property(property, w, parent, name, BW_ALEMBIC_ARRAY, pod, extent, 0, pairs,
                        sizeof pairs / sizeof pairs[0]);
}

/* One text a strand: that of its group. */
static bw_result put_names(const abc_writer *w, const bwi_groom_schema *row, bool cards) {
    const bw_groom *g = w->groom;
    if (g->groups.count == 0 || (cards && !bwi_groom_has_cards(g)))
        return BW_OK;
    const char **texts = scratch_alloc(w, g->strand_count, sizeof *texts);
    if (!texts)
        return BW_ERR_MEMORY;
    for (uint32_t k = 0; k < g->strand_count; k++) {
        const bw_groom_group *group = &g->groups.data[g->group_of ? g->group_of[k] : 0];
        texts[k] = cards ? group->cards_id : group->name;
        texts[k] = texts[k] ? texts[k] : "";
    }
    bw_alembic_id property;
    TRY(add_param(&property, w, w->arbitrary, row->name, BW_ALEMBIC_STRING, 1, row->written_scope));
    TRY(bw_alembic_put_strings(w->to, property, texts, g->strand_count, w->error));
    return bw_alembic_end(w->to, property, w->error);
}

static bw_result put_attribute(const abc_writer *w, const bwi_groom_schema *row) {
    const bw_groom *g = w->groom;
    if (row->type == BWI_GROOM_NAME)
        return put_names(w, row, strcmp(row->name, "groom_group_cards_id") == 0);
    const void *values;
    memcpy(&values, (const char *)g + row->offset, sizeof values);
    bw_alembic_pod pod = row->type == BWI_GROOM_FLOAT ? BW_ALEMBIC_FLOAT32 : BW_ALEMBIC_INT32;
    uint32_t extent = row->width;
    const uint64_t count = row->written_scope == BWI_GROOM_V ? g->point_count : g->strand_count;
    if (values == g->guides && values) {
        int16_t *flags = scratch_alloc(w, g->strand_count, sizeof *flags);
        if (!flags)
            return BW_ERR_MEMORY;
        for (uint32_t k = 0; k < g->strand_count; k++)
            flags[k] = g->guides[k] != 0;
        pod = BW_ALEMBIC_INT16;
        values = flags;
    } else if (row->offset == offsetof(bw_groom, group_of) && !values) {
        values = scratch_alloc(w, g->strand_count, sizeof(int32_t)); /* all of the first */
        if (!values)
            return BW_ERR_MEMORY;
    } else if (row->offset == offsetof(bw_groom, clump_ids)) {
        extent = g->clump_width;
    }
    if (!values || extent == 0)
        return BW_OK;
    bw_alembic_id property;
    TRY(add_param(&property, w, w->arbitrary, row->name, pod, extent, row->written_scope));
    TRY(bw_alembic_put(w->to, property, values, count, w->error));
    return bw_alembic_end(w->to, property, w->error);
}

/* Widths also as Alembic's own, which programs outside the engine read. */
static bw_result put_attributes(abc_writer *w) {
    bw_alembic_id width;
    if (w->groom->widths) {
        TRY(add_param(&width, w, w->geometry, "width", BW_ALEMBIC_FLOAT32, 1, BWI_GROOM_V));
        TRY(bw_alembic_put(w->to, width, w->groom->widths, w->groom->point_count, w->error));
    }
    TRY(add_property(&w->arbitrary, w, w->geometry, ".arbGeomParams", BW_ALEMBIC_COMPOUND, BW_ALEMBIC_NO_POD, 0, 0,
                     NULL, 0));
    for (const bwi_groom_schema *row = bwi_groom_schemas; row->name; row++)
        TRY(put_attribute(w, row));
    return BW_OK;
}

/* ---- positions ---- */

static bw_result put_positions(const abc_writer *w, const float *positions) {
    double box[6] = {0};
    for (uint32_t k = 0; k < w->groom->point_count; k++) {
        for (size_t i = 0; i < 3; i++) {
            const double x = (double)positions[3 * (size_t)k + i];
            box[i] = k == 0 || x < box[i] ? x : box[i];
            box[3 + i] = k == 0 || x > box[3 + i] ? x : box[3 + i];
        }
    }
    TRY(bw_alembic_put(w->to, w->positions, positions, w->groom->point_count, w->error));
    return bw_alembic_put(w->to, w->bounds, box, 1, w->error);
}

static bw_result put_topology(const abc_writer *w) {
    static const uint8_t linear[4] = {1, 0, 0, 0}; /* open, without a basis */
    int32_t *counts = scratch_alloc(w, w->groom->strand_count, sizeof *counts);
    if (!counts)
        return BW_ERR_MEMORY;
    for (uint32_t k = 0; k < w->groom->strand_count; k++)
        counts[k] = (int32_t)(w->groom->first_points[k + 1] - w->groom->first_points[k]);
    TRY(bw_alembic_put(w->to, w->counts, counts, w->groom->strand_count, w->error));
    return bw_alembic_put(w->to, w->basis, linear, 1, w->error);
}

/* Two neighbouring samples of a cache. */
typedef struct pair {
    float *values[2];
    uint32_t index[2]; /* BW_NO_INDEX: none yet */
    float *between;
} pair;

static bw_result read_one(float **values, pair *p, const bw_cache *cache, uint32_t index, uint32_t other,
                          bw_error *error) {
    for (size_t k = 0; k < 2; k++) {
        if (p->index[k] == index) {
            *values = p->values[k];
            return BW_OK;
        }
    }
    const size_t at = p->index[0] == other;
    p->index[at] = BW_NO_INDEX;
    TRY(cache->read(cache->ctx, index, p->values[at], error));
    p->index[at] = index;
    *values = p->values[at];
    return BW_OK;
}

/* Positions at a time, linearly between samples. */
static bw_result read_at(const float **positions, const abc_writer *w, pair *p, double time_s, uint32_t *from) {
    const bw_cache *cache = w->groom->animation;
    while (*from + 2 < cache->sample_count && cache->times_s[*from + 1] <= time_s)
        ++*from;
    const uint32_t to = *from + 1 < cache->sample_count ? *from + 1 : *from;
    const double span = cache->times_s[to] - cache->times_s[*from];
    const double part = span > 0 ? fmin(fmax((time_s - cache->times_s[*from]) / span, 0.0), 1.0) : 0.0;
    float *a, *b;
    TRY(read_one(&a, p, cache, *from, to, w->error));
    TRY(read_one(&b, p, cache, to, *from, w->error));
    for (size_t k = 0; k < 3 * (size_t)w->groom->point_count; k++)
        p->between[k] = (float)((double)a[k] + part * ((double)b[k] - (double)a[k]));
    *positions = p->between;
    return BW_OK;
}

static bw_result put_samples(const abc_writer *w, const even_times *times) {
    const bw_cache *cache = w->groom->animation;
    pair p = {.index = {BW_NO_INDEX, BW_NO_INDEX}};
    uint32_t from = 0;
    const size_t count = 3 * (size_t)w->groom->point_count;
    p.values[0] = scratch_alloc(w, count, sizeof(float));
    p.values[1] = p.values[0] && !times->is_own ? scratch_alloc(w, count, sizeof(float)) : p.values[0];
    p.between = p.values[1] && !times->is_own ? scratch_alloc(w, count, sizeof(float)) : p.values[1];
    if (!p.between)
        return BW_ERR_MEMORY;
    for (uint32_t k = 0; k < times->count; k++) {
        const float *positions = p.values[0];
        if (!bwi_progress_step(w->env->progress, 0))
            return bwi_fail_cancelled(w->error);
        if (times->is_own)
            TRY(cache->read(cache->ctx, k, p.values[0], w->error));
        else
            TRY(read_at(&positions, w, &p, times->first_s - times->moved_s + k * times->step_s, &from));
        TRY(put_positions(w, positions));
        if (k > 0) {
            TRY(bw_alembic_repeat(w->to, w->counts, w->error));
            TRY(bw_alembic_repeat(w->to, w->basis, w->error));
        }
    }
    return BW_OK;
}

static bw_result write_all(abc_writer *w, const char *name, bwi_warnings *warnings) {
    const bw_cache *cache = w->groom->animation;
    const bool moves = cache && cache->sample_count > 1;
    even_times times = {0};
    if (moves) {
        times = find_times(cache, warnings);
        const bw_alembic_time_sampling sampling = {.time_per_cycle_s = times.step_s, .times_s = {&times.first_s, 1}};
        TRY(bw_alembic_add_time_sampling(&w->sampling, w->to, &sampling, w->error));
    }
    TRY(add_xform(w, name));
    TRY(add_curves(w));
    TRY(put_topology(w));
    TRY(put_attributes(w));
    TRY(moves ? put_samples(w, &times) : put_positions(w, w->groom->positions));
    return bw_alembic_finish(w->to, w->error);
}

bw_result bwi_write_groom_abc(FILE *file, const char *path, const bw_groom *groom, const char *name,
                              bw_groom_engine engine, const bwi_env *env, bwi_warnings *warnings, bw_error *error) {
    static const bw_alembic_meta made_by[] = {{"_ai_Application", program}};
    const bw_alembic_metadata metadata = {.data = made_by, .count = 1};
    const bw_alembic_write_opts opts = {.metadata = &metadata, .run = {.memory_limit = bwi_mem_left(env->mem)}};
    (void)engine; /* attributes that an older one does not know are passed over by it */
    abc_writer w = {.groom = groom, .env = env, .path = path, .error = error, .scratch = bwi_arena_create(env->mem)};
    if (!w.scratch)
        return bwi_fail_memory(error, path, env->mem, 1);
    bw_result result = bwi_alembic_create_in(&w.to, file, path, &opts, error);
    if (result == BW_OK)
        result = write_all(&w, name, warnings);
    bw_free_alembic_writer(w.to);
    bwi_arena_free(w.scratch);
    return result;
}
