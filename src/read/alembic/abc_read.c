/* SPDX-License-Identifier: MIT
 * The walk over an archive's objects: transforms and what they move become nodes, instances are walked again where they stand. */
#include "read/alembic/abc.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "read/alembic/abc_priv.h"
#include "scene/scene.h"

/* Objects of a scene, instances included: a few that show one another can make any number. */
enum { OBJECTS_MAX = 1000000, DEPTH_MAX = 2000, HOPS_MAX = 16 };

/* An object on the way to the one that is walked. */
typedef struct level {
    const struct level *up;
    const bw_alembic_object *object;    /* an instance's source */
    const bw_alembic_property *visible; /* NULL: it leaves it to its parent */
    uint32_t node;                      /* that its children hang on, or BW_NO_INDEX */
    uint32_t depth;
    bool in_instance;
} level;

bool bwi_abc_recognise(const uint8_t *data, size_t size) {
    return size >= 5 && (memcmp(data, "Ogawa", 5) == 0 || memcmp(data, "\x89HDF\r", 5) == 0);
}

void *bwi_abc_alloc(const bwi_abc_reader *r, bwi_arena *arena, size_t count, size_t size) {
    void *block = bwi_arena_alloc(arena, count, size);
    if (!block)
        bwi_fail_memory(r->error, r->archive->path, r->mem, count * size);
    return block;
}

static bw_result add_node(uint32_t *index, bwi_abc_reader *r, const char *name, uint32_t parent) {
    if (r->node_count == r->node_capacity) {
        const size_t capacity = r->node_capacity ? 2 * r->node_capacity : 64;
        bw_node *nodes = bwi_abc_alloc(r, r->arena, capacity, sizeof *nodes);
        if (!nodes)
            return BW_ERR_MEMORY;
        if (r->node_count > 0)
            memcpy(nodes, r->nodes, r->node_count * sizeof *nodes);
        r->nodes = nodes;
        r->node_capacity = capacity;
    }
    bw_node *node = &r->nodes[r->node_count];
    *node = (bw_node){.name = name, /* the archive's, which is there as long as the scene */
                      .parent = parent,
                      .mesh = BW_NO_INDEX,
                      .skin = BW_NO_INDEX,
                      .in_scene = true,
                      .has_matrix = true,
                      .rotation = {0, 0, 0, 1},
                      .scale = {1, 1, 1}};
    const bwi_mat4 matrix = parent == BW_NO_INDEX ? r->axes : bwi_mat4_identity();
    for (size_t k = 0; k < 16; k++)
        node->matrix[k] = (float)matrix.m[k];
    *index = (uint32_t)r->node_count++;
    return BW_OK;
}

static bw_result add_xform(uint32_t *index, bwi_abc_reader *r, const bw_alembic_object *object, const char *name,
                           uint32_t parent) {
    bwi_abc_matrices *ctx = bwi_abc_alloc(r, r->arena, 1, sizeof *ctx);
    if (!ctx)
        return BW_ERR_MEMORY;
    bwi_mat4 matrix;
    bool inherits = true;
    BWI_ABC_TRY(bwi_abc_xform_open(&ctx->xform, r->archive, object, r->error));
    BWI_ABC_TRY(bwi_abc_xform_sample(&matrix, &inherits, r->archive, &ctx->xform, 0, r->error));
    if (bwi_abc_is_animated(ctx->xform.inherits))
        bwi_warn(r->warnings, "inheriting-changes", 1,
                 "transforms that change whether they follow their parent keep to what the first sample says",
                 "object %s", name);
    parent = inherits ? parent : BW_NO_INDEX;
    BWI_ABC_TRY(add_node(index, r, name, parent));
    bw_node *node = &r->nodes[*index];
    ctx->archive = r->archive;
    ctx->before = parent == BW_NO_INDEX ? r->axes : bwi_mat4_identity();
    BWI_ABC_TRY(bwi_abc_read_matrix(ctx, 0, node->matrix, r->error));
    if (ctx->xform.value_count == 0 || !bwi_abc_is_animated(ctx->xform.values))
        return BW_OK;
    node->matrix_cache = bwi_abc_cache(r, ctx->xform.values, bwi_abc_read_matrix, ctx);
    return node->matrix_cache ? BW_OK : r->error->result;
}

static int compare_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Adds the times at which a property can change, and its last.  Its claim of changes must be kept by what is stored. */
static bw_result add_times(double *times, size_t *count, const bwi_abc_reader *r, const bw_alembic_property *property) {
    int unused;
    BWI_ABC_TRY(bwi_abc_visibility(&unused, r->archive, property, property->last_changed, r->error));
    for (uint32_t k = 0; k < UINT32_MAX; k = bwi_abc_next_change(property, k))
        times[(*count)++] = bwi_abc_time(r->archive, property, k);
    times[(*count)++] = bwi_abc_time(r->archive, property, property->sample_count - 1);
    return BW_OK;
}

/* The times at which any of the properties can change, each once, and the last of all. */
static bw_result collect_times(bw_cache *cache, bwi_abc_reader *r, const bwi_abc_shown *shown) {
    uint64_t total = 0;
    for (size_t k = 0; k < shown->count; k++)
        if (bwi_abc_is_animated(shown->properties[k]))
            total += (uint64_t)shown->properties[k]->last_changed - shown->properties[k]->first_changed + 3;
    if (total > BWI_ABC_SAMPLES_MAX)
        return bwi_abc_fail(r->error, BW_ERR_TOO_LARGE, r->archive, shown->properties[0]->object, shown->properties[0],
                            -1, "claims more than %d samples; export fewer frames at a time", BWI_ABC_SAMPLES_MAX);
    double *times = bwi_abc_alloc(r, r->arena, (size_t)total, sizeof *times);
    if (!times)
        return BW_ERR_MEMORY;
    size_t count = 0;
    for (size_t k = 0; k < shown->count; k++)
        if (bwi_abc_is_animated(shown->properties[k]))
            BWI_ABC_TRY(add_times(times, &count, r, shown->properties[k]));
    qsort(times, count, sizeof *times, compare_times);
    size_t kept = 1;
    for (size_t k = 1; k < count; k++)
        if (times[k] > times[kept - 1])
            times[kept++] = times[k];
    cache->times_s = times;
    cache->sample_count = (uint32_t)kept;
    return BW_OK;
}

/* What decides of an object's visibility: the nearest on the way up that says something.  One that never changes and says something ends the way.
 * Out: shown — where none on it changes; properties — NULL: they are only counted. */
static bw_result look_up(int *shown, bool *moves, size_t *count, const bw_alembic_property **properties,
                         const bwi_abc_reader *r, const level *from) {
    bool known = false;
    for (const level *at = from; at && !known; at = at->up) {
        if (!at->visible)
            continue;
        if (properties)
            properties[*count] = at->visible;
        ++*count;
        if (bwi_abc_is_animated(at->visible)) {
            *moves = true;
            continue;
        }
        BWI_ABC_TRY(bwi_abc_visibility(shown, r->archive, at->visible, 0, r->error));
        known = *shown >= 0;
    }
    return BW_OK;
}

static bw_result show(bw_node *node, bwi_abc_reader *r, const level *from) {
    bool moves = false;
    int shown = -1;
    size_t count = 0;
    BWI_ABC_TRY(look_up(&shown, &moves, &count, NULL, r, from));
    if (!moves) {
        node->in_scene = shown != 0;
        if (shown == 0)
            bwi_warn(r->warnings, "hidden-objects", 1, "objects that the file hides are left out", "object %s",
                     node->name);
        return BW_OK;
    }
    bwi_abc_shown *ctx = bwi_abc_alloc(r, r->arena, 1, sizeof *ctx);
    const bw_alembic_property **properties = ctx ? bwi_abc_alloc(r, r->arena, count, sizeof *properties) : NULL;
    bw_cache *cache = properties ? bwi_abc_alloc(r, r->arena, 1, sizeof *cache) : NULL;
    if (!cache)
        return BW_ERR_MEMORY;
    *ctx = (bwi_abc_shown){.archive = r->archive, .properties = properties};
    BWI_ABC_TRY(look_up(&shown, &moves, &ctx->count, properties, r, from));
    cache->read = bwi_abc_read_shown;
    cache->ctx = ctx;
    BWI_ABC_TRY(collect_times(cache, r, ctx));
    ctx->times_s = cache->times_s;
    node->visibility_cache = cache;
    return BW_OK;
}

static bw_result find_mesh(uint32_t *mesh, bwi_abc_reader *r, const bw_alembic_object *object, bwi_abc_build *build) {
    for (size_t k = 0; k < r->mesh_count; k++) {
        if (r->mesh_objects[k] == object) {
            *mesh = (uint32_t)k;
            return BW_OK;
        }
    }
    return bwi_abc_add_mesh(mesh, r, object, build);
}

static bw_result add_mesh_node(bwi_abc_reader *r, const level *at, const char *name, bwi_abc_build *build) {
    uint32_t mesh, node;
    /* Only where there are instances can an object be met twice. */
    BWI_ABC_TRY(at->in_instance ? find_mesh(&mesh, r, at->object, build)
                                : bwi_abc_add_mesh(&mesh, r, at->object, build));
    if (mesh == BW_NO_INDEX)
        return BW_OK;
    BWI_ABC_TRY(add_node(&node, r, name, at->node));
    r->nodes[node].mesh = mesh;
    return show(&r->nodes[node], r, at);
}

/* The object that an instance shows; the object itself if it is none; NULL: it shows nothing that can be found, and is left out. */
static bw_result resolve(const bw_alembic_object **object, bwi_abc_reader *r, const level *up) {
    static const char code[] = "instances-broken",
                      message[] = "instances that lead nowhere or into themselves are left out";
    const bw_alembic_object *instance = *object;
    bw_error why;
    for (int hops = 0;; hops++) {
        const char *path = NULL;
        const bw_alembic_object *source = NULL;
        BWI_ABC_TRY(bw_alembic_instance_source(&path, r->archive, *object, r->error));
        if (!path)
            break;
        BWI_ABC_TRY(bw_alembic_find_object(&source, r->archive, path, r->error));
        *object = hops > HOPS_MAX ? NULL : source;
        if (!*object) {
            bwi_abc_fail(&why, BW_ERR_MALFORMED, r->archive, instance, NULL, -1,
                         source ? "is an instance of an instance of an instance, and so on; export the file again"
                                : "is an instance of %.200s, which is not in the file; export the file again",
                         path);
            bwi_abc_leave_out(r, code, message, &why);
            return BW_OK;
        }
    }
    for (const level *at = up; *object && *object != instance && at; at = at->up) {
        if (at->object == *object) {
            bwi_abc_fail(&why, BW_ERR_MALFORMED, r->archive, instance, NULL, -1,
                         "is an instance of an object that it is in, which has no end; export the file again");
            bwi_abc_leave_out(r, code, message, &why);
            *object = NULL;
        }
    }
    return BW_OK;
}

/* Objects that hold nothing to bake and are no groups. */
static void warn_of_other(const bwi_abc_reader *r, const bw_alembic_object *object) {
    char path[256];
    bw_alembic_object_path(path, sizeof path, object);
    bwi_warn(r->warnings, "objects-left-out", 1,
             "cameras, lights and other objects that are no meshes, curves or points are left out", "object %s, %s",
             path, bw_alembic_meta_value(object->metadata, "schema"));
}

static bw_result walk(bwi_abc_reader *r, const bw_alembic_object *object, const level *up) {
    level at = {.up = up, .object = object, .node = up ? up->node : BW_NO_INDEX, .depth = up ? up->depth + 1 : 0};
    const char *name = object->name;
    if (at.depth > DEPTH_MAX)
        return bwi_abc_fail(r->error, BW_ERR_UNSUPPORTED, r->archive, object, NULL, -1,
                            "is nested deeper than %d with its instances; flatten the tree", DEPTH_MAX);
    if (r->walked++ == OBJECTS_MAX)
        return bwi_fail(r->error, BW_ERR_TOO_LARGE, r->archive->path, -1,
                        "shows more than %d objects with all its instances; bake parts of it apart", OBJECTS_MAX);
    if (!bwi_progress_step(r->progress, 0))
        return bwi_fail_cancelled(r->error);
    BWI_ABC_TRY(resolve(&at.object, r, up));
    if (!at.object)
        return BW_OK;
    at.in_instance = up && (up->in_instance || at.object->parent != up->object);
    BWI_ABC_TRY(bwi_abc_visibility_open(&at.visible, r->archive, at.object, r->error));
    static bwi_abc_build *const builds[BWI_ABC_OTHER + 1] = {[BWI_ABC_POLYMESH] = bwi_abc_build_mesh,
                                                             [BWI_ABC_SUBD] = bwi_abc_build_mesh,
                                                             [BWI_ABC_CURVES] = bwi_abc_build_curves,
                                                             [BWI_ABC_POINTS] = bwi_abc_build_points};
    const bwi_abc_schema schema = bwi_abc_schema_of(at.object);
    if (schema == BWI_ABC_XFORM)
        BWI_ABC_TRY(add_xform(&at.node, r, at.object, name, at.node));
    else if (builds[schema])
        BWI_ABC_TRY(add_mesh_node(r, &at, name, builds[schema]));
    else if (schema == BWI_ABC_OTHER)
        warn_of_other(r, at.object);
    bw_alembic_object_list children;
    BWI_ABC_TRY(bw_alembic_children(&children, r->archive, at.object, r->error));
    for (size_t k = 0; k < children.count; k++)
        BWI_ABC_TRY(walk(r, &children.data[k], &at));
    return BW_OK;
}

static bw_result finish(bw_scene *scene, bwi_abc_reader *r, const uint8_t *data, size_t size) {
    uint32_t *order = bwi_abc_alloc(r, r->arena, r->node_count, sizeof *order);
    bw_clip *clip = order ? bwi_abc_alloc(r, r->arena, 1, sizeof *clip) : NULL;
    bw_source_file *file = clip ? bwi_abc_alloc(r, r->arena, 1, sizeof *file) : NULL;
    if (!file)
        return BW_ERR_MEMORY;
    for (uint32_t k = 0; k < r->node_count; k++)
        order[k] = k; /* parents were added before their children */
    scene->nodes.data = r->nodes;
    scene->nodes.count = r->node_count;
    scene->node_order = (bw_index_list){order, r->node_count};
    scene->meshes.data = r->meshes;
    scene->meshes.count = r->mesh_count;
    scene->materials.data = r->materials;
    scene->materials.count = r->material_count;
    if (bwi_scene_cache_span(scene, &clip->start_s, &clip->end_s)) {
        clip->name = "cache";
        clip->plays_caches = true;
        clip->key_rate_fps = r->rate_fps > 0.0 ? r->rate_fps : r->archive->fps;
        scene->clips.data = clip;
        scene->clips.count = 1;
        if (r->rates_differ)
            bwi_warn(r->warnings, "rates-differ", 1, "objects are sampled at several rates; the highest is the clip's",
                     "%g a second", r->rate_fps);
    }
    const bwi_hash128 hash = bwi_hash(data, size);
    *file = (bw_source_file){.path = bwi_arena_string(r->arena, bwi_path_basename(r->archive->path), SIZE_MAX),
                             .bytes = size};
    memcpy(file->hash, hash.bytes, sizeof file->hash);
    scene->files.data = file;
    scene->files.count = 1;
    scene->path = bwi_arena_string(r->arena, r->archive->path, SIZE_MAX);
    scene->format = "alembic";
    scene->generator = bwi_arena_string(r->arena, r->archive->application ? r->archive->application : "", SIZE_MAX);
    if (!scene->path || !scene->generator || !file->path || r->warnings->lost)
        return bwi_fail_memory(r->error, r->archive->path, r->mem, strlen(r->archive->path));
    scene->warnings = bwi_warnings_list(r->warnings);
    return bwi_scene_validate(scene, r->error);
}

/* Programs that count in centimetres. */
static bw_unit unit_of_program(const char *program) {
    static const char *const centimetres[] = {"Maya", "Cinema4D", "Cinema 4D", "3ds Max", "3dsMax", "3ds max"};
    for (size_t k = 0; program && k < sizeof centimetres / sizeof centimetres[0]; k++)
        if (strstr(program, centimetres[k]))
            return BW_UNIT_CM;
    return BW_UNIT_M;
}

/* Archives say neither which axis is up nor how long a unit is: what was not stated is told every time. */
static void choose_axes(bwi_abc_reader *r, const bw_scene_opts *opts) {
    static const double metres[] = {
        [BW_UNIT_M] = 1.0, [BW_UNIT_CM] = 0.01, [BW_UNIT_MM] = 0.001, [BW_UNIT_IN] = 0.0254, [BW_UNIT_FT] = 0.3048};
    static const char *const names[] = {
        [BW_UNIT_M] = "m", [BW_UNIT_CM] = "cm", [BW_UNIT_MM] = "mm", [BW_UNIT_IN] = "in", [BW_UNIT_FT] = "ft"};
    const char *program = r->archive->application;
    const bw_unit unit = opts->units ? opts->units : unit_of_program(program);
    const bw_up up = opts->up ? opts->up : BW_UP_Y;
    const double s = metres[unit];
    /* Z up: x stays, z becomes y, y becomes −z. */
    static const bwi_quat still = {0, 0, 0, 1}, turned = {-0.70710678118654752440, 0, 0, 0.70710678118654752440};
    r->axes = bwi_mat4_from_trs((bwi_vec3){0, 0, 0}, still, (bwi_vec3){s, s, s});
    if (up == BW_UP_Z) {
        bwi_mat4 turn = bwi_mat4_from_trs((bwi_vec3){0, 0, 0}, turned, (bwi_vec3){1, 1, 1});
        for (size_t k = 0; k < 16; k++) /* a quarter turn is exact */
            turn.m[k] = turn.m[k] > 0.5 ? 1.0 : turn.m[k] < -0.5 ? -1.0 : 0.0;
        r->axes = bwi_mat4_mul(&turn, &r->axes);
    }
    if (!opts->units || !opts->up)
        bwi_warn(
            r->warnings, "axes-assumed", 1,
            "Alembic files do not say what is up and how long a unit is; where that is wrong, --up and --units tell",
            "%s up%s, %s%s%s", up == BW_UP_Z ? "Z" : "Y", opts->up ? " as told" : "", names[unit],
            opts->units          ? " as told"
            : unit == BW_UNIT_CM ? " as is usual in "
                                 : "",
            opts->units || unit != BW_UNIT_CM ? "" : program);
}

static void close_archive(void *archive) {
    bw_free_alembic(archive);
}

/* A pipe gives its bytes once; what is mapped is mapped again, so that a large cache takes no memory. */
bw_result bwi_abc_open_map(bw_alembic **archive, bwi_arena *arena, const char *path, const bwi_map *map,
                           const bw_run_opts *run, bw_error *error) {
    if (!map->mem)
        return bw_alembic_open(archive, path, run, error);
    uint8_t *kept = bwi_arena_alloc(arena, map->size, 1);
    if (!kept)
        return bwi_fail_memory(error, path, bwi_arena_mem(arena), map->size);
    memcpy(kept, map->data, map->size);
    return bw_alembic_open_bytes(archive, kept, map->size, path, run, error);
}

bw_result bwi_read_alembic(bw_scene **scene, const char *path, const bwi_map *map, const bw_scene_opts *opts,
                           bw_error *error) {
    static const bw_scene_opts defaults = {0};
    opts = opts ? opts : &defaults;
    bw_error own;
    error = error ? error : &own;
    bwi_mem refused;
    bwi_mem_init(&refused, opts->run.memory_limit);
    bwi_arena *arena = bwi_arena_create_owning(opts->run.memory_limit);
    bw_alembic *archive = NULL;
    bw_result result = arena ? bwi_abc_open_map(&archive, arena, path, map, &opts->run, error)
                             : bwi_fail_memory(error, path, &refused, sizeof **scene);
    if (result != BW_OK) {
        bwi_arena_free(arena);
        return result;
    }
    bwi_mem *mem = bwi_arena_mem(arena);
    bwi_warnings warnings;
    bwi_abc_reader r = {.archive = archive,
                        .arena = arena,
                        .mem = mem,
                        .warnings = &warnings,
                        .error = error,
                        .axes = bwi_mat4_identity()};
    bw_scene *made = bwi_arena_alloc(arena, 1, sizeof *made);
    r.scratch = made ? bwi_arena_create(mem) : NULL;
    r.progress = r.scratch ? bwi_progress_create(mem, &opts->run) : NULL;
    if (r.progress) {
        bwi_warnings_init(&warnings, arena);
        choose_axes(&r, opts);
        bwi_progress_begin(r.progress, "reading", 1);
        made->arena = arena;
        made->close = close_archive;
        made->close_ctx = archive;
        result = walk(&r, archive->top, NULL);
        if (result == BW_OK && r.mesh_count == 0 && r.left_out.result != BW_OK) {
            *error = r.left_out;
            result = error->result;
        }
        result = result == BW_OK ? finish(made, &r, map->data, map->size) : result;
    } else {
        result = bwi_fail_memory(error, path, mem, sizeof *made);
    }
    bwi_progress_free(r.progress);
    bwi_arena_free(r.scratch);
    if (result != BW_OK) {
        bw_free_alembic(archive);
        bwi_arena_free(arena);
        return result;
    }
    *scene = made;
    return BW_OK;
}
