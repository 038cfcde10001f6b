/* SPDX-License-Identifier: MIT
 * The repair of a groom: objects chosen, transforms and axes baked, then strands, values, groups, ids and motion in turn. */
#include <stdio.h>
#include <string.h>

#include "groom/groom_fix_priv.h"
#include "sample/sample.h"

/* ---- objects ---- */

bool bwi_hair_path_matches(const char *pattern, const char *path) {
    if (bwi_name_matches(pattern, path))
        return true;
    while (*path) {
        char part[512];
        while (*path == '/')
            path++;
        const char *slash = strchr(path, '/');
        const size_t length = slash ? (size_t)(slash - path) : strlen(path);
        if (length > 0 && length < sizeof part) {
            memcpy(part, path, length);
            part[length] = 0;
            if (bwi_name_matches(pattern, part))
                return true;
        }
        path += length;
    }
    return false;
}

static bool matches_any(const bw_string_list *patterns, const char *path) {
    for (size_t i = 0; i < patterns->count; i++) {
        if (bwi_hair_path_matches(patterns->data[i], path))
            return true;
    }
    return false;
}

/* A pattern that names nothing is a mistake. */
static bw_result check_patterns(const bwi_hair *hair, const bw_string_list *patterns, const char *option,
                                bw_error *error) {
    for (size_t i = 0; i < patterns->count; i++) {
        bool found = false;
        for (size_t k = 0; k < hair->curves.count && !found; k++)
            found = bwi_hair_path_matches(patterns->data[i], hair->objects.data[hair->curves.data[k].object].path);
        if (found)
            continue;
        char names[256] = "";
        size_t used = 0;
        for (size_t k = 0; k < hair->curves.count && k < 5 && used < sizeof names; k++)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "",
                                     hair->objects.data[hair->curves.data[k].object].path);
        return bwi_fail(error, BW_ERR_USAGE, hair->path, -1,
                        "--%s=%s matches no object with curves; there %s %zu: %s%s", option, patterns->data[i],
                        hair->curves.count == 1 ? "is" : "are", hair->curves.count, names,
                        hair->curves.count > 5 ? " ..." : "");
    }
    return BW_OK;
}

/* Says what a file without curves holds. */
static bw_result fail_without_curves(const bwi_hair *hair, bw_error *error) {
    static const struct {
        bwi_hair_kind kind;
        const char *one, *many;
    } KINDS[] = {{BWI_HAIR_MESH, "polygon mesh", "polygon meshes"},
                 {BWI_HAIR_SUBD, "subdivision surface", "subdivision surfaces"},
                 {BWI_HAIR_POINTS, "set of points", "sets of points"},
                 {BWI_HAIR_OTHER, "other object", "other objects"},
                 {BWI_HAIR_XFORM, "transform", "transforms"},
                 {BWI_HAIR_CURVES, "object of curves that cannot be read", "objects of curves that cannot be read"}};
    char text[400] = "nothing";
    size_t used = 0;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        size_t count = 0;
        for (size_t i = 0; i < hair->objects.count; i++)
            count += hair->objects.data[i].kind == KINDS[k].kind;
        if (count)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu %s", used ? ", " : "", count,
                                     count == 1 ? KINDS[k].one : KINDS[k].many);
    }
    return bwi_fail(
        error, BW_ERR_NO_CURVES, hair->path, -1,
        "holds %s and no curves; export the strands as curves, not as a mesh, points or a description of hair", text);
}

bwi_mat4 bwi_hair_world(const bwi_hair *hair, uint32_t object) {
    bwi_mat4 world = bwi_mat4_identity();
    for (uint32_t o = object; o != BW_NO_INDEX; o = hair->objects.data[o].parent) {
        if (hair->objects.data[o].kind != BWI_HAIR_XFORM)
            continue;
        bwi_mat4 local;
        memcpy(local.m, hair->objects.data[o].matrix, sizeof local.m);
        world = bwi_mat4_mul(&local, &world);
        if (!hair->objects.data[o].inherits)
            break;
    }
    return world;
}

static bool is_identity(const bwi_mat4 *m) {
    const bwi_mat4 one = bwi_mat4_identity();
    return memcmp(m->m, one.m, sizeof one.m) == 0;
}

double bwi_fix_scale(const bwi_mat4 *m) {
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        const bwi_vec3 axis = {m->m[4 * c], m->m[4 * c + 1], m->m[4 * c + 2]};
        sum += bwi_vec3_dot(axis, axis);
    }
    const double scale = bwi_sqrt(sum / 3);
    return scale > 0.999999 && scale < 1.000001 ? 1 : scale; /* rotations are not exact */
}

/* ---- knots and weights of an object ---- */

static uint32_t order_of(const bwi_hair_curves *c, uint64_t i) {
    const uint32_t order = c->type == BWI_HAIR_VARIABLE_ORDER && i < c->order_count ? c->orders[i] : 4;
    return order < 2 ? 2 : order;
}

/* Finds how the knots of an object are laid out, by their number. */
static bw_result fit_knots(bwi_fix *fix, bwi_source *source, bw_error *error) {
    const bwi_hair_curves *c = source->curves;
    const bool wants =
        c->type == BWI_HAIR_VARIABLE_ORDER || (c->type == BWI_HAIR_CUBIC && c->basis == BWI_HAIR_BSPLINE);
    source->weights_fit = c->weight_count > 0 && c->weight_count == c->point_count;
    if (c->weight_count > 0 && !source->weights_fit)
        bwi_warn(fix->changes, "weights-left-out", 1, "weights that are not as many as points were left out", "%s",
                 source->object->path);
    if (!wants || c->curve_count == 0)
        return BW_OK;
    uint64_t whole = 0;
    bool same = true;
    for (uint64_t i = 0; i < c->curve_count; i++) {
        if (c->counts[i] < 0)
            continue;
        whole += (uint64_t)c->counts[i] + order_of(c, i);
        same = same && c->counts[i] == c->counts[0] && order_of(c, i) == order_of(c, 0);
    }
    const uint64_t one = (uint64_t)(c->counts[0] < 0 ? 0 : c->counts[0]) + order_of(c, 0);
    if (c->knot_count == whole)
        source->knots = BWI_KNOTS_WHOLE;
    else if (c->knot_count + 2 * c->curve_count == whole)
        source->knots = BWI_KNOTS_SHORT;
    else if (same && c->knot_count == one)
        source->knots = BWI_KNOTS_SHARED;
    else if (same && c->knot_count + 2 == one)
        source->knots = BWI_KNOTS_SHARED_SHORT;
    if (c->knot_count == 0)
        source->knots = BWI_KNOTS_NONE;
    if (source->knots == BWI_KNOTS_NONE && (c->knot_count > 0 || c->type == BWI_HAIR_VARIABLE_ORDER))
        bwi_warn(fix->changes, "knots-replaced", c->curve_count,
                 "strands whose knots are missing, or of another number than their points and orders need, were given "
                 "uniform ones",
                 "%s", source->object->path);
    if (source->knots == BWI_KNOTS_NONE)
        return BW_OK;
    uint64_t *first = bwi_arena_alloc(fix->arena, (size_t)c->curve_count, sizeof *first);
    if (!first)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, (size_t)c->curve_count * sizeof *first);
    const uint64_t less = source->knots == BWI_KNOTS_SHORT ? 2 : 0;
    uint64_t next = 0;
    for (uint64_t i = 0; i < c->curve_count; i++) {
        first[i] = source->knots >= BWI_KNOTS_SHARED ? 0 : next;
        if (c->counts[i] >= 0)
            next += (uint64_t)c->counts[i] + order_of(c, i) - less;
    }
    source->first_knots = first;
    return BW_OK;
}

/* ---- choosing ---- */

static bw_result add_source(bwi_fix *fix, const bwi_hair_curves *curves, const bwi_groom_space *space,
                            bw_error *error) {
    bwi_source *source = &fix->sources.data[fix->sources.count++];
    *source = (bwi_source){.curves = curves, .object = &fix->hair->objects.data[curves->object]};
    const bwi_mat4 world = bwi_hair_world(fix->hair, curves->object);
    source->world = bwi_mat4_mul(&fix->to_unreal, &world);
    source->scale = space->unit_cm * bwi_fix_scale(&world);
    if (!is_identity(&world))
        bwi_warn(fix->changes, "transforms-baked", 1, "objects whose transforms were brought into their points", "%s",
                 source->object->path);
    if (!curves->known_basis)
        bwi_warn(fix->changes, "basis-unknown", 1,
                 "objects of curves whose type or basis has no meaning: their points became polylines", "%s",
                 source->object->path);
    return fit_knots(fix, source, error);
}

static bool is_chosen(const bw_groom_opts *opts, const bwi_hair_object *object) {
    return (opts->include.count == 0 || matches_any(&opts->include, object->path)) &&
           !matches_any(&opts->exclude, object->path);
}

static bw_result choose_objects(bwi_fix *fix, const bwi_groom_space *space, bw_error *error) {
    const bwi_hair *hair = fix->hair;
    const bw_groom_opts *opts = fix->opts;
    bw_result result = check_patterns(hair, &opts->include, "include", error);
    if (result == BW_OK)
        result = check_patterns(hair, &opts->exclude, "exclude", error);
    if (result == BW_OK)
        result = check_patterns(hair, &opts->guide_objects, "guide-objects", error);
    if (result != BW_OK)
        return result;
    if (hair->curves.count == 0)
        return fail_without_curves(hair, error);
    fix->sources.data = bwi_arena_alloc(fix->scratch, hair->curves.count, sizeof *fix->sources.data);
    if (!fix->sources.data)
        return bwi_fail_memory(error, hair->path, fix->env->mem, hair->curves.count * sizeof *fix->sources.data);
    /* Where all that is chosen is hidden, it is what is meant. */
    size_t shown = 0, chosen = 0;
    for (size_t k = 0; k < hair->curves.count; k++) {
        const bwi_hair_object *object = &hair->objects.data[hair->curves.data[k].object];
        chosen += is_chosen(opts, object);
        shown += is_chosen(opts, object) && !object->hidden;
    }
    if (chosen == 0)
        return bwi_fail(error, BW_ERR_NO_CURVES, hair->path, -1,
                        "--include and --exclude leave none of %zu objects of curves; choose others",
                        hair->curves.count);
    for (size_t k = 0; k < hair->curves.count; k++) {
        const bwi_hair_object *object = &hair->objects.data[hair->curves.data[k].object];
        if (!is_chosen(opts, object))
            continue;
        if (object->hidden && shown > 0 && opts->include.count == 0) {
            bwi_warn(fix->changes, "hidden-left-out", 1,
                     "objects that are hidden were left out; an importer takes them; --include brings them back", "%s",
                     object->path);
            continue;
        }
        if (object->hidden)
            bwi_warn(fix->changes, "hidden-shown", 1, "objects that are hidden were kept as if they were not", "%s",
                     object->path);
        result = add_source(fix, &hair->curves.data[k], space, error);
        if (result != BW_OK)
            return result;
    }
    for (size_t i = 0; i < hair->objects.count; i++) {
        const bwi_hair_object *o = &hair->objects.data[i];
        if (o->problem)
            bwi_warn(fix->changes, "objects-unreadable", 1,
                     "objects that programs refuse, or that are damaged, were taken as far as they can be read",
                     "%s: %s", o->path, o->problem);
        else if (o->kind == BWI_HAIR_MESH || o->kind == BWI_HAIR_SUBD || o->kind == BWI_HAIR_POINTS ||
                 o->kind == BWI_HAIR_OTHER)
            bwi_warn(fix->changes, "objects-left-out", 1,
                     "objects that are no hair were left out; a mesh makes an importer refuse the file", "%s", o->path);
    }
    if (fix->sources.count > 1)
        bwi_warn(fix->changes, "objects-merged", fix->sources.count, "objects of curves became one", "%s",
                 fix->sources.data[0].object->path);
    return BW_OK;
}

static void tell_space(bwi_fix *fix, const bwi_groom_space *space) {
    if (is_identity(&fix->to_unreal))
        return;
    char text[512];
    (void)snprintf(text, sizeof text, "axes and units (%s) were turned into Unreal's: z up, left-handed, cm",
                   space->text ? space->text : "");
    bwi_warn(fix->changes, "axes-turned", fix->sources.count, text, "%s", fix->sources.data[0].object->path);
}

/* Lists which attributes each object has: a file may have an object a strand. */
static bw_result list_attributes(bwi_fix *fix, bw_error *error) {
    const bwi_hair *hair = fix->hair;
    fix->attribute_starts = bwi_arena_alloc(fix->scratch, hair->objects.count + 1, sizeof *fix->attribute_starts);
    fix->attributes_of = bwi_arena_alloc(fix->scratch, hair->attributes.count, sizeof *fix->attributes_of);
    if (!fix->attribute_starts || !fix->attributes_of)
        return bwi_fail_memory(error, hair->path, fix->env->mem,
                               (hair->objects.count + hair->attributes.count) * sizeof *fix->attributes_of);
    for (size_t i = 0; i < hair->attributes.count; i++)
        fix->attribute_starts[hair->attributes.data[i].object]++;
    uint32_t sum = 0;
    for (size_t o = 0; o <= hair->objects.count; o++) {
        const uint32_t count = fix->attribute_starts[o];
        fix->attribute_starts[o] = sum;
        sum += o < hair->objects.count ? count : 0;
    }
    for (size_t i = 0; i < hair->attributes.count; i++)
        fix->attributes_of[fix->attribute_starts[hair->attributes.data[i].object]++] = (uint32_t)i;
    for (size_t o = hair->objects.count; o > 0; o--)
        fix->attribute_starts[o] = fix->attribute_starts[o - 1];
    fix->attribute_starts[0] = 0;
    return BW_OK;
}

/* ---- options ---- */

static double diagonal_cm(const bwi_fix *fix) {
    bwi_vec3 least = {0, 0, 0}, most = {0, 0, 0};
    bool any = false;
    for (size_t s = 0; s < fix->sources.count; s++) {
        const bwi_source *source = &fix->sources.data[s];
        for (uint64_t i = 0; i < source->curves->point_count; i++) {
            const float *p = source->curves->positions + 3 * i;
            const bwi_vec3 q = bwi_mat4_point(&source->world, (bwi_vec3){(double)p[0], (double)p[1], (double)p[2]});
            if (!bwi_is_finite(q.x) || !bwi_is_finite(q.y) || !bwi_is_finite(q.z))
                continue;
            if (!any)
                least = most = q;
            any = true;
            least =
                (bwi_vec3){q.x < least.x ? q.x : least.x, q.y < least.y ? q.y : least.y, q.z < least.z ? q.z : least.z};
            most = (bwi_vec3){q.x > most.x ? q.x : most.x, q.y > most.y ? q.y : most.y, q.z > most.z ? q.z : most.z};
        }
    }
    return bwi_vec3_length(bwi_vec3_sub(most, least));
}

static double tolerance_cm(const bwi_fix *fix) {
    const bw_length given = fix->opts->tolerance;
    if (given.unit == BW_LENGTH_RELATIVE)
        return given.value * diagonal_cm(fix);
    return given.unit == BW_LENGTH_METRE ? given.value * 100 : 0.01;
}

static bw_result check_options(const bwi_hair *hair, const bw_groom_opts *opts, bw_error *error) {
    if (opts->points == 1 || opts->points > BWI_MAX_STRAND_POINTS)
        return bwi_fail(error, BW_ERR_USAGE, hair->path, -1, "a strand may have 2 to %d points, not %u",
                        BWI_MAX_STRAND_POINTS, opts->points);
    return BW_OK;
}

/* ---- properties of the whole groom ---- */

static const char *find_text(const bwi_fix *fix, const char *name) {
    for (size_t i = 0; i < fix->hair->attributes.count; i++) {
        const bwi_hair_attribute *a = &fix->hair->attributes.data[i];
        const char *text = strcmp(a->name, name) == 0 && a->count == 1 ? bwi_hair_text(a, 0) : NULL;
        if (text && text[0])
            return text;
    }
    return NULL;
}

static bw_result fix_properties(bwi_fix *fix, bw_error *error) {
    const char *tool = find_text(fix, "groom_tool"), *properties = find_text(fix, "groom_properties");
    fix->groom->tool = tool ? bwi_arena_string(fix->arena, tool, SIZE_MAX) : NULL;
    fix->groom->properties = properties ? bwi_arena_string(fix->arena, properties, SIZE_MAX) : NULL;
    if ((tool && !fix->groom->tool) || (properties && !fix->groom->properties))
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, 64);
    return BW_OK;
}

/* ---- all of it ---- */

static bw_result run(bwi_fix *fix, const bwi_groom_space *space, bw_error *error) {
    bw_result result = choose_objects(fix, space, error);
    if (result != BW_OK)
        return result;
    fix->tolerance_cm = tolerance_cm(fix);
    tell_space(fix, space);
    result = bwi_fix_strands(fix, error);
    if (result == BW_OK && fix->groom->strand_count == 0) {
        const bw_warning *first =
            fix->changes && fix->changes->count ? &fix->changes->data[fix->changes->count - 1] : NULL;
        result = bwi_fail(error, BW_ERR_NO_CURVES, fix->hair->path, -1,
                          "holds no strand that can be kept%s%s%s%s; export strands of two points and more",
                          first ? ": " : "", first ? first->message : "", first ? ", the first " : "",
                          first ? first->first : "");
    }
    if (result == BW_OK)
        result = list_attributes(fix, error);
    if (result == BW_OK)
        result = bwi_fix_values(fix, error);
    if (result == BW_OK)
        result = bwi_fix_groups(fix, error);
    if (result == BW_OK)
        result = bwi_fix_ids(fix, error);
    if (result == BW_OK)
        result = fix_properties(fix, error);
    if (result == BW_OK)
        result = bwi_fix_motion(fix, error);
    return result;
}

bw_result bwi_groom_fix(bw_groom **groom, bwi_groom_measures *measures, bwi_warnings *changes, bwi_arena *arena,
                        const bwi_hair *hair, const bw_groom_opts *opts, const bwi_groom_space *space,
                        const bwi_env *env, bw_error *error) {
    static const bw_groom_opts DEFAULTS = {0};
    bwi_fix fix = {.hair = hair, .opts = opts ? opts : &DEFAULTS, .env = env, .arena = arena, .changes = changes};
    bw_result result = check_options(hair, fix.opts, error);
    if (result != BW_OK)
        return result;
    memcpy(fix.to_unreal.m, space->to_unreal, sizeof fix.to_unreal.m);
    fix.groom = bwi_arena_alloc(arena, 1, sizeof *fix.groom);
    fix.scratch = bwi_arena_create(env->mem);
    if (!fix.groom || !fix.scratch) {
        bwi_arena_free(fix.scratch);
        return bwi_fail_memory(error, hair->path, env->mem, sizeof *fix.groom);
    }
    result = run(&fix, space, error);
    bwi_arena_free(fix.scratch);
    if (result != BW_OK)
        return result;
    measures->shape_error_cm = fix.shape_error_cm;
    *groom = fix.groom;
    return BW_OK;
}
