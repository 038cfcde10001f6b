/* SPDX-License-Identifier: MIT
 * The hair of an archive: a walk over its objects that fails for none of them; instances are walked again where they stand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/alembic/abc.h"
#include "read/alembic/abc_hair_priv.h"
#include "read/alembic/abc_priv.h"

/* Objects, instances included: a few that show one another can make any number. */
enum { OBJECTS_MAX = 1000000, PATHS_MAX = 256 << 20, DEPTH_MAX = 2000, HOPS_MAX = 16 };

/* An object on the way to the one that is walked. */
typedef struct level {
    const struct level *up;
    const bw_alembic_object *object; /* an instance's source */
    uint32_t index;                  /* BW_NO_INDEX: the top */
    uint32_t depth;
    bool hidden, is_instance;
} level;

void *bwi_abc_hair_alloc(const bwi_abc_hair *h, size_t count, size_t size) {
    void *block = bwi_arena_alloc(h->arena, count, size);
    if (!block)
        bwi_fail_memory(h->error, h->archive->path, h->mem, count * size);
    return block;
}

bw_result bwi_abc_hair_grow(void **data, size_t *capacity, size_t count, size_t size, const bwi_abc_hair *h) {
    if (count < *capacity)
        return BW_OK;
    const size_t more = *capacity ? 2 * *capacity : 64;
    void *grown = bwi_abc_hair_alloc(h, more, size);
    if (!grown)
        return BW_ERR_MEMORY;
    if (count > 0)
        memcpy(grown, *data, count * size);
    *data = grown;
    *capacity = more;
    return BW_OK;
}

/* Drops a beginning that a message has. */
static void skip(const char **text, const char *beginning) {
    const size_t size = strlen(beginning);
    if (strncmp(*text, beginning, size) == 0)
        *text += size;
}

bool bwi_abc_hair_is_fatal(const char **problem, bwi_abc_hair *h, bw_result result) {
    if (result == BW_ERR_MEMORY || result == BW_ERR_CANCELLED)
        return true;
    if (*problem)
        return false;
    const char *text = h->error->message;
    skip(&text, h->archive->path);
    skip(&text, ": ");
    if (strncmp(text, "object ", 7) == 0 && strstr(text, ": ")) {
        const char *property = strstr(text, ", property ");
        text = property && property < strstr(text, ": ") ? property + 2 : strstr(text, ": ") + 2;
    }
    *problem = bwi_arena_string(h->arena, text, SIZE_MAX);
    return *problem == NULL;
}

const void *bwi_abc_hair_values(const bwi_abc_hair *h, const bw_alembic_sample *sample) {
    if (sample->values)
        return sample->values;
    void *copy = bwi_abc_hair_alloc(h, sample->size, 1);
    if (copy)
        memcpy(copy, sample->bytes, sample->size);
    return copy;
}

const double *bwi_abc_hair_times(bw_result *result, bwi_abc_hair *h, uint32_t sampling, uint32_t count) {
    if (count > BWI_ABC_SAMPLES_MAX)
        return NULL;
    if (h->times[sampling].count < count) {
        double *times = bwi_abc_hair_alloc(h, count, sizeof *times);
        if (!times) {
            *result = BW_ERR_MEMORY;
            return NULL;
        }
        for (uint32_t k = 0; k < count; k++)
            times[k] = bw_alembic_time(&h->archive->time_samplings.data[sampling], k);
        h->times[sampling].data = times;
        h->times[sampling].count = count;
    }
    return h->times[sampling].data;
}

static bwi_hair_kind kind_of(const bw_alembic_object *object) {
    switch (bwi_abc_schema_of(object)) {
    case BWI_ABC_NONE:
        return BWI_HAIR_GROUP;
    case BWI_ABC_XFORM:
        return BWI_HAIR_XFORM;
    case BWI_ABC_POLYMESH:
        return BWI_HAIR_MESH;
    case BWI_ABC_SUBD:
        return BWI_HAIR_SUBD;
    case BWI_ABC_POINTS:
        return BWI_HAIR_POINTS;
    case BWI_ABC_CURVES:
        return BWI_HAIR_CURVES;
    default:
        return BWI_HAIR_OTHER;
    }
}

/* ---- transforms ---- */

typedef struct xform_source {
    const bw_alembic *archive;
    bwi_abc_xform xform;
} xform_source;

static bw_result read_xform(const void *ctx, uint32_t sample, double matrix[16], bool *inherits, bw_error *error) {
    const xform_source *c = ctx;
    bwi_mat4 m;
    bw_result result = bwi_abc_xform_sample(&m, inherits, c->archive, &c->xform, sample, error);
    if (result == BW_OK)
        memcpy(matrix, m.m, sizeof m.m);
    return result;
}

static bw_result add_xform(bwi_hair_object *o, bwi_abc_hair *h, const bw_alembic_object *object) {
    xform_source source = {.archive = h->archive};
    bw_result result = bwi_abc_xform_open(&source.xform, h->archive, object, h->error);
    if (result == BW_OK)
        result = read_xform(&source, 0, o->matrix, &o->inherits, h->error);
    if (result != BW_OK)
        return bwi_abc_hair_is_fatal(&o->problem, h, result) ? result : BW_OK;
    if (!bwi_abc_xform_is_animated(&source.xform))
        return BW_OK;
    const bwi_abc_xform *x = &source.xform;
    const bw_alembic_property *timed = x->value_count > 0 ? x->values : x->inherits;
    o->times_s = bwi_abc_hair_times(&result, h, timed->time_sampling, x->sample_count);
    if (!o->times_s) {
        o->problem = result == BW_OK ? "it claims more samples than can be read" : NULL;
        return result;
    }
    xform_source *kept = bwi_abc_hair_alloc(h, 1, sizeof *kept);
    if (!kept)
        return BW_ERR_MEMORY;
    *kept = source;
    o->moves = true;
    o->sample_count = x->sample_count;
    o->read = read_xform;
    o->ctx = kept;
    return BW_OK;
}

/* ---- the walk ---- */

/* The object that an instance shows; the object itself if it is none.  Out: problem — it cannot be found, or holds the instance. */
static bw_result resolve(const bw_alembic_object **object, const char **problem, bwi_abc_hair *h, const level *up) {
    const bw_alembic_object *instance = *object, *source = instance;
    for (int hops = 0; !*problem; hops++) {
        const char *path = NULL;
        bw_result result = bw_alembic_instance_source(&path, h->archive, source, h->error);
        const bw_alembic_object *next = NULL;
        if (result == BW_OK && path)
            result = bw_alembic_find_object(&next, h->archive, path, h->error);
        if (result != BW_OK)
            return bwi_abc_hair_is_fatal(problem, h, result) ? result : BW_OK;
        if (!path)
            break;
        if (!next || hops == HOPS_MAX) {
            *problem = next ? "it is an instance of an instance of an instance, and so on"
                            : bwi_arena_printf(h->arena, "it is an instance of %.200s, which is not in the file", path);
            return *problem ? BW_OK : bwi_fail_memory(h->error, h->archive->path, h->mem, 200);
        }
        source = next;
    }
    for (const level *at = up; source != instance && at; at = at->up) {
        if (at->object == source) {
            *problem = "it is an instance of an object that it is in, which has no end";
            return BW_OK;
        }
    }
    *object = source;
    return BW_OK;
}

/* The nearest on the way up that says something decides; -1 leaves it to those above. */
static bool is_hidden(const bwi_abc_hair *h, const bw_alembic_property_list *properties, bool above) {
    const bw_alembic_property *visible = bwi_abc_hair_find(properties, "visible");
    int shown = -1;
    if (visible && visible->kind == BW_ALEMBIC_SCALAR && visible->pod == BW_ALEMBIC_INT8 && visible->extent == 1 &&
        visible->sample_count > 0 && bwi_abc_visibility(&shown, h->archive, visible, 0, NULL) == BW_OK && shown >= 0)
        return shown == 0;
    return above;
}

/* What the object's schema holds: geometry, or a transform. */
static bw_result list_schema(bw_alembic_property_list *schema, const char **problem, bwi_abc_hair *h,
                             const bw_alembic_property_list *properties, const char *name) {
    const bw_alembic_property *compound = bwi_abc_hair_find(properties, name);
    *schema = (bw_alembic_property_list){0};
    if (!compound || compound->kind != BW_ALEMBIC_COMPOUND)
        return BW_OK;
    bw_result result = bw_alembic_members(schema, h->archive, compound, h->error);
    if (result == BW_OK)
        return BW_OK;
    *schema = (bw_alembic_property_list){0};
    return bwi_abc_hair_is_fatal(problem, h, result) ? result : BW_OK;
}

static bw_result add_object(level *at, bwi_abc_hair *h, const bw_alembic_object *object) {
    static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    if (h->object_count == OBJECTS_MAX)
        return bwi_fail(h->error, BW_ERR_TOO_LARGE, h->archive->path, -1,
                        "shows more than %d objects with all its instances; split the file", OBJECTS_MAX);
    bwi_hair_object o = {.parent = at->up->index, .inherits = true};
    memcpy(o.matrix, identity, sizeof identity);
    bw_result result = resolve(&at->object, &o.problem, h, at->up);
    if (result != BW_OK)
        return result;
    const char *schema = bw_alembic_meta_value(at->object->metadata, "schema");
    const char *above = at->up->index == BW_NO_INDEX ? "" : h->objects[at->up->index].path;
    h->path_size += strlen(above) + strlen(object->name) + 2;
    if (h->path_size > PATHS_MAX)
        return bwi_fail(h->error, BW_ERR_TOO_LARGE, h->archive->path, -1,
                        "has objects whose paths take more than %d bytes with all its instances; split the file",
                        PATHS_MAX);
    o.path = bwi_arena_printf(h->arena, "%s/%s", above, object->name);
    if (!o.path)
        return bwi_fail_memory(h->error, h->archive->path, h->mem, strlen(above) + strlen(object->name) + 2);
    o.schema = schema ? schema : "";
    o.kind = kind_of(at->object);
    at->is_instance = o.is_instance = at->up->is_instance || at->object != object;
    bw_alembic_property_list properties = {0}, held = {0};
    if (!o.problem) {
        result = bw_alembic_properties(&properties, h->archive, at->object, h->error);
        if (result != BW_OK) {
            properties = (bw_alembic_property_list){0};
            if (bwi_abc_hair_is_fatal(&o.problem, h, result))
                return result;
        }
    }
    at->hidden = o.hidden = is_hidden(h, &properties, at->up->hidden);
    at->index = (uint32_t)h->object_count;
    result = bwi_abc_hair_grow((void **)&h->objects, &h->object_capacity, h->object_count, sizeof *h->objects, h);
    if (result != BW_OK)
        return result;
    if (o.kind == BWI_HAIR_XFORM) {
        result = o.problem ? BW_OK : add_xform(&o, h, at->object);
        if (result == BW_OK)
            result = list_schema(&held, &o.problem, h, &properties, ".xform");
        if (result == BW_OK)
            result = bwi_abc_hair_add_extras(&o.problem, h, at->index, &held);
    } else if (o.kind == BWI_HAIR_CURVES) {
        result = list_schema(&held, &o.problem, h, &properties, ".geom");
        if (result == BW_OK)
            result = bwi_abc_hair_add_curves(&o.problem, h, at->index, &held);
    }
    if (result != BW_OK)
        return result;
    h->objects[h->object_count++] = o;
    return BW_OK;
}

static bw_result walk(bwi_abc_hair *h, const bw_alembic_object *object, const level *up) {
    level at = {.up = up, .object = object, .index = BW_NO_INDEX, .depth = up ? up->depth + 1 : 0};
    if (!bwi_progress_step(h->progress, 0))
        return bwi_fail_cancelled(h->error);
    if (up)
        BWI_ABC_TRY(add_object(&at, h, object));
    const char *none = NULL, **problem = up ? &h->objects[at.index].problem : &none;
    if (at.depth > DEPTH_MAX) {
        *problem = "it is nested too deep with its instances: what is below it is left out";
        return BW_OK;
    }
    bw_alembic_object_list children = {0};
    bw_result result = bw_alembic_children(&children, h->archive, at.object, h->error);
    if (result != BW_OK && (!up || bwi_abc_hair_is_fatal(problem, h, result)))
        return result;
    for (size_t k = 0; result == BW_OK && k < children.count; k++)
        BWI_ABC_TRY(walk(h, &children.data[k], &at));
    return BW_OK;
}

/* ---- what made it ---- */

static bool contains(const char *text, const char *word) {
    const size_t size = strlen(word);
    for (; text && *text; text++) {
        size_t k = 0;
        while (k < size && text[k] && (text[k] | 0x20) == (word[k] | 0x20))
            k++;
        if (k == size)
            return true;
    }
    return false;
}

static bool is_known(const char *text) {
    static const char *const programs[] = {"maya",    "xgen", "blender",   "houdini", "ornatrix", "yeti",
                                           "3ds max", "max",  "cinema 4d", "unreal",  "bakewell", "daz"};
    for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++)
        if (contains(text, programs[k]))
            return true;
    return false;
}

/* The application, unless it is one nobody knows and the tool that made the hair names one.  Not the description: paths and titles stand there. */
static const char *find_maker(const bwi_abc_hair *h) {
    const char *const said[] = {h->archive->application, h->tool};
    const char *first = NULL;
    for (size_t k = 0; k < sizeof said / sizeof said[0]; k++) {
        if (is_known(said[k]))
            return said[k];
        if (!first && said[k] && *said[k])
            first = said[k];
    }
    return first ? first : "";
}

static void close_archive(void *archive) {
    bw_free_alembic(archive);
}

static bw_result finish(bwi_hair *hair, bwi_abc_hair *h) {
    const size_t count = h->archive->time_samplings.count;
    bwi_hair_sampling *samplings = bwi_abc_hair_alloc(h, count, sizeof *samplings);
    if (!samplings)
        return BW_ERR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        const bw_alembic_time_sampling *s = &h->archive->time_samplings.data[k];
        samplings[k] = (bwi_hair_sampling){s->kind, s->time_per_cycle_s, bw_alembic_time(s, 0)};
    }
    hair->path = h->archive->path;
    hair->format = "alembic";
    hair->made_by = find_maker(h);
    hair->objects.data = h->objects;
    hair->objects.count = h->object_count;
    hair->curves.data = h->curves;
    hair->curves.count = h->curve_count;
    hair->attributes.data = h->attributes;
    hair->attributes.count = h->attribute_count;
    hair->samplings.data = samplings;
    hair->samplings.count = count;
    for (size_t k = 0; k < 4; k++)
        hair->transform[5 * k] = 1.0;
    return BW_OK;
}

bw_result bwi_read_alembic_hair(bwi_hair **hair, const char *path, const bwi_map *map, const bw_run_opts *run,
                                bw_error *error) {
    static const bw_run_opts defaults = {0};
    run = run ? run : &defaults;
    bw_error own;
    error = error ? error : &own;
    bwi_mem refused;
    bwi_mem_init(&refused, run->memory_limit);
    bwi_arena *arena = bwi_arena_create_owning(run->memory_limit);
    bw_alembic *archive = NULL;
    bw_result result = arena ? bwi_abc_open_map(&archive, arena, path, map, run, error)
                             : bwi_fail_memory(error, path, &refused, sizeof **hair);
    if (result != BW_OK) {
        bwi_arena_free(arena);
        return result;
    }
    bwi_abc_hair h = {.archive = archive, .arena = arena, .mem = bwi_arena_mem(arena), .error = error};
    bwi_hair *made = bwi_abc_hair_alloc(&h, 1, sizeof *made);
    h.times = made ? bwi_abc_hair_alloc(&h, archive->time_samplings.count, sizeof *h.times) : NULL;
    h.progress = h.times ? bwi_progress_create(h.mem, run) : NULL;
    if (h.progress) {
        bwi_progress_begin(h.progress, "reading", 1);
        result = walk(&h, archive->top, NULL);
        result = result == BW_OK ? finish(made, &h) : result;
    } else {
        result = bwi_fail_memory(error, path, h.mem, sizeof *made);
    }
    bwi_progress_free(h.progress);
    if (result != BW_OK) {
        bw_free_alembic(archive);
        bwi_arena_free(arena);
        return result;
    }
    made->arena = arena;
    made->close = close_archive;
    made->close_ctx = archive;
    *hair = made;
    return BW_OK;
}
