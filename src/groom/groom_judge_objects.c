/* SPDX-License-Identifier: MIT
 * Lint: what the file holds beside strands: objects, transforms, axes, properties of the whole groom, and motion. */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "groom/groom_fix_priv.h"
#include "groom/groom_judge_priv.h"

/* ---- objects ---- */

typedef struct inventory {
    uint64_t of_kind[BWI_HAIR_OTHER + 1], first[BWI_HAIR_OTHER + 1], hidden, first_hidden, instances, first_instance;
} inventory;

static void count_first(uint64_t *count, uint64_t *first, size_t i) {
    if ((*count)++ == 0)
        *first = i;
}

static void tell_problem(bwi_judge *judge, uint32_t i, const bwi_hair_object *o) {
    const bool is_hair = o->kind == BWI_HAIR_CURVES || o->kind == BWI_HAIR_XFORM;
    if (is_hair)
        bwi_judge_tell(judge, BWI_RULE_OBJECT_UNREADABLE, i, NULL, 1,
                       "%s: the importer's library throws, and nothing comes in", o->problem);
    else
        bwi_judge_tell(judge, BWI_RULE_OBJECT_DAMAGED, i, NULL, 1, "%s; it is passed over", o->problem);
}

static const char *say_held(bwi_judge *judge, const inventory *in) {
    static const char *const NAMES[] = {"group",       "transform",   "curve", "polygon mesh", "subdivision surface",
                                        "point cloud", "other object"};
    char text[256] = "";
    size_t size = 0;
    for (int k = BWI_HAIR_GROUP; k <= BWI_HAIR_OTHER; k++) {
        if (in->of_kind[k] == 0)
            continue;
        const char *part =
            bwi_judge_text(judge, "%s%s", size ? ", " : "", bwi_judge_count(judge, in->of_kind[k], NAMES[k]));
        const size_t length = strlen(part);
        if (size + length < sizeof text) {
            memcpy(text + size, part, length + 1);
            size += length;
        }
    }
    return bwi_judge_text(judge, "%s", size ? text : "no objects");
}

static void tell_inventory(bwi_judge *judge, const inventory *in) {
    const uint64_t skipped = in->of_kind[BWI_HAIR_SUBD] + in->of_kind[BWI_HAIR_POINTS] + in->of_kind[BWI_HAIR_OTHER];
    const uint64_t curves = in->of_kind[BWI_HAIR_CURVES];
    if (curves == 0)
        bwi_judge_tell(
            judge, BWI_RULE_NO_CURVES, BW_NO_INDEX, NULL, 0,
            "the file holds no curves, but %s: the import offers no groom%s", say_held(judge, in),
            in->of_kind[BWI_HAIR_POINTS] ? "; strands that were saved as points have lost which points belong together"
            : in->of_kind[BWI_HAIR_XFORM]
                ? "; transforms without curves are what is left of hair that was never generated or converted to curves"
                : "");
    if (in->of_kind[BWI_HAIR_MESH] > 0)
        bwi_judge_tell(judge, BWI_RULE_MESH_IN_FILE, (uint32_t)in->first[BWI_HAIR_MESH], NULL,
                       in->of_kind[BWI_HAIR_MESH],
                       "%s beside the hair, expected none: the file is taken for a geometry cache and no groom options "
                       "are shown",
                       bwi_judge_count(judge, in->of_kind[BWI_HAIR_MESH], "polygon mesh"));
    if (skipped > 0) {
        uint64_t first = UINT64_MAX;
        for (int k = BWI_HAIR_SUBD; k <= BWI_HAIR_OTHER; k++) {
            if (in->of_kind[k] > 0 && in->first[k] < first)
                first = in->first[k];
        }
        bwi_judge_tell(judge, BWI_RULE_OBJECTS_SKIPPED, (uint32_t)first, NULL, skipped,
                       "%s that the importer passes over: no hair", bwi_judge_count(judge, skipped, "object"));
    }
    if (in->hidden > 0)
        bwi_judge_tell(judge, BWI_RULE_OBJECTS_HIDDEN, (uint32_t)in->first_hidden, NULL, in->hidden,
                       "%s of curves hidden in the source, which the importer takes all the same",
                       bwi_judge_count(judge, in->hidden, "object"));
    if (in->instances > 0)
        bwi_judge_tell(judge, BWI_RULE_INSTANCES, (uint32_t)in->first_instance, NULL, in->instances,
                       "%s of curves, whose strands come in once for each",
                       bwi_judge_count(judge, in->instances, "instance"));
}

/* ---- transforms ---- */

/* How the importer multiplies: the inner transform last, whatever is said of inheriting. */
static bwi_mat4 engine_world(const bwi_hair *hair, uint32_t object, uint32_t *xforms, bool *inherits) {
    bwi_mat4 world = bwi_mat4_identity();
    *xforms = 0;
    *inherits = true;
    for (uint32_t o = object; o != BW_NO_INDEX; o = hair->objects.data[o].parent) {
        const bwi_hair_object *at = &hair->objects.data[o];
        if (at->kind != BWI_HAIR_XFORM)
            continue;
        bwi_mat4 local;
        memcpy(local.m, at->matrix, sizeof local.m);
        world = bwi_mat4_mul(&world, &local);
        *inherits &= at->inherits || at->parent == BW_NO_INDEX;
        ++*xforms;
    }
    return world;
}

static bool matrices_differ(const bwi_mat4 *a, const bwi_mat4 *b) {
    for (int k = 0; k < 16; k++) {
        if (!(fabs(a->m[k] - b->m[k]) <= 1e-6 * (1 + fabs(a->m[k]))))
            return true;
    }
    return false;
}

static void judge_transforms(bwi_judge *judge, uint32_t object) {
    const bwi_hair *hair = judge->hair;
    uint32_t xforms;
    bool inherits;
    const bwi_mat4 theirs = engine_world(hair, object, &xforms, &inherits), right = bwi_hair_world(hair, object);
    for (uint32_t o = object; o != BW_NO_INDEX; o = hair->objects.data[o].parent) {
        if (hair->objects.data[o].kind == BWI_HAIR_XFORM && hair->objects.data[o].moves) {
            bwi_judge_tell(judge, BWI_RULE_XFORM_MOVES, object, NULL, 1,
                           "the transform %s moves; only its first sample is taken, and caches ignore it",
                           hair->objects.data[o].path);
            break;
        }
    }
    if (!inherits)
        bwi_judge_tell(judge, BWI_RULE_XFORM_INHERITS, object, NULL, 1,
                       "a transform above it leaves out its parents'; the importer multiplies them all the same");
    else if (xforms > 1 && matrices_differ(&right, &theirs))
        bwi_judge_tell(judge, BWI_RULE_XFORM_NESTED, object, NULL, xforms,
                       "%u transforms stand above it, which the importer multiplies the wrong way round: the hair ends "
                       "up elsewhere",
                       (unsigned)xforms);
    const double volume = fabs(bwi_mat4_det3(&right));
    double largest = 0;
    for (int k = 0; k < 12; k++)
        largest = k % 4 < 3 && fabs(right.m[k]) > largest ? fabs(right.m[k]) : largest;
    if (!(volume > 1e-12 * largest * largest * largest) || !isfinite(volume))
        bwi_judge_tell(judge, BWI_RULE_XFORM_FLAT, object, NULL, 1,
                       "the transforms above it have no volume (determinant %g): strands are flattened", volume);
}

/* What to type into the import dialog. */
static const char *say_dialog(bwi_judge *judge) {
    const double *m = judge->space->to_unreal, u = judge->space->unit_cm;
    const bool y_up = fabs(m[6]) > 0.5 * u, mirrored = (m[0] < 0) != (m[9] < 0);
    if (y_up && m[0] > 0 && m[9] > 0)
        return bwi_judge_text(judge, "rotation X 90, scale (%g, %g, %g)", u, -u, u);
    if (!y_up && m[0] > 0 && m[5] < 0)
        return bwi_judge_text(judge, "scale (%g, %g, %g)", u, -u, u);
    if (!y_up && m[0] > 0 && m[5] > 0)
        return bwi_judge_text(judge, "scale (%g, %g, %g)", u, u, u);
    return bwi_judge_text(judge, "rotation X 90, scale (%g, %g, %g)", mirrored ? -u : u, -u, u);
}

static void judge_axes(bwi_judge *judge) {
    const bwi_mat4 one = bwi_mat4_identity();
    bwi_mat4 m;
    memcpy(m.m, judge->space->to_unreal, sizeof m.m);
    if (judge->hair->curves.count > 0 && matrices_differ(&one, &m))
        bwi_judge_tell(judge, BWI_RULE_AXES, BW_NO_INDEX, NULL, 1,
                       "the file is %s (%s), expected z up, left-handed, cm: as it is the hair comes in turned, "
                       "mirrored or of the wrong size; type %s",
                       judge->space->text ? judge->space->text : "in other axes",
                       judge->space->reason ? judge->space->reason : "", say_dialog(judge));
}

void bwi_judge_objects(bwi_judge *judge) {
    inventory in = {{0}, {0}, 0, 0, 0, 0};
    for (size_t i = 0; i < judge->hair->objects.count; i++) {
        const bwi_hair_object *o = &judge->hair->objects.data[i];
        count_first(&in.of_kind[o->kind], &in.first[o->kind], i);
        if (o->problem)
            tell_problem(judge, (uint32_t)i, o);
        if (o->kind != BWI_HAIR_CURVES)
            continue;
        if (o->hidden)
            count_first(&in.hidden, &in.first_hidden, i);
        if (o->is_instance)
            count_first(&in.instances, &in.first_instance, i);
        judge_transforms(judge, (uint32_t)i);
    }
    tell_inventory(judge, &in);
    judge_axes(judge);
}

/* ---- properties of the whole groom ---- */

static bool is_groom_name(const char *name) {
    return strncasecmp(name, "groom_", 6) == 0;
}

/* Where the importer looks: on the walk down, the first object that has any user properties, or a transform any geometry parameters. */
static bool find_source(uint32_t *object, bwi_hair_place *place, const bwi_judge *judge) {
    const bwi_hair *hair = judge->hair;
    bool found = false;
    for (size_t i = 0; i < hair->attributes.count; i++) {
        const bwi_hair_attribute *a = &hair->attributes.data[i];
        const bool is_curves = hair->objects.data[a->object].kind == BWI_HAIR_CURVES;
        if (a->place == BWI_HAIR_NATIVE || (is_curves && a->place == BWI_HAIR_ARBITRARY))
            continue;
        const bool sooner = !found || a->object < *object;
        if (!sooner && !(a->object == *object && a->place == BWI_HAIR_USER))
            continue;
        *object = a->object;
        *place = a->place;
        found = true;
    }
    return found;
}

static const char *judge_property(bwi_judge *judge, const bwi_hair_attribute *a, bool *used) {
    const bool is_float = a->pod >= BW_ALEMBIC_FLOAT16 && a->pod <= BW_ALEMBIC_FLOAT64;
    const char *pod = bw_alembic_pod_name(a->pod);
    *used = false;
    if (a->problem || a->is_compound)
        return "it cannot be read";
    if (a->is_scalar && is_float) {
        bwi_judge_tell(
            judge, BWI_RULE_GROOM_FLOAT, a->object, a->name, 1,
            "it is a %s scalar, expected int16, int32 or string: the importer's library throws and nothing comes in",
            pod);
        return "a float scalar makes the library throw";
    }
    if (!a->is_scalar && a->count != 1) {
        bwi_judge_tell(judge, BWI_RULE_GROOM_COUNT, a->object, a->name, a->count,
                       "it is an array of %llu values, expected one: it is ignored", (unsigned long long)a->count);
        return "an array of other than one value";
    }
    if (a->pod != BW_ALEMBIC_INT16 && a->pod != BW_ALEMBIC_INT32 && a->pod != BW_ALEMBIC_STRING &&
        (a->is_scalar || !is_float)) {
        bwi_judge_tell(judge, BWI_RULE_GROOM_TYPE, a->object, a->name, 1,
                       "it is %s, expected int16, int32 or string: it is ignored", pod ? pod : "of no type");
        return "its type is ignored";
    }
    *used = true;
    return "";
}

static void report_property(bwi_judge *judge, const bwi_hair_attribute *a, bool used, const char *reason) {
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
    const char *pod = bw_alembic_pod_name(a->pod);
    judge->reports[judge->report_count++] =
        (bw_groom_attribute_report){.name = a->name,
                                    .object = judge->hair->objects.data[a->object].path,
                                    .type = pod ? pod : "compound",
                                    .extent = a->extent,
                                    .scope = "groom",
                                    .count = a->count,
                                    .used = used,
                                    .reason = reason};
}

static void judge_version(bwi_judge *judge, const bwi_hair_attribute *major, const bwi_hair_attribute *minor) {
    const double a = major ? bwi_hair_number(major, 0, 0) : 0, b = minor ? bwi_hair_number(minor, 0, 0) : 0;
    if (!major || !minor)
        bwi_judge_tell(judge, BWI_RULE_GROOM_VERSION, BW_NO_INDEX, NULL, 1,
                       "%s is missing where the importer looks for it; no engine refuses the file for that",
                       major ? "groom_version_minor" : "groom_version_major");
    else if (a != 1 || b < 0 || b > 5)
        bwi_judge_tell(judge, BWI_RULE_GROOM_VERSION, major->object, major->name, 1,
                       "the schema is said to be %g.%g, expected 1.0 to 1.5; no engine looks", a, b);
}

void bwi_judge_properties(bwi_judge *judge) {
    const bwi_hair *hair = judge->hair;
    uint32_t object = BW_NO_INDEX;
    bwi_hair_place place = BWI_HAIR_USER;
    if (judge->habits->is_unity || hair->curves.count == 0)
        return;
    const bool found = find_source(&object, &place, judge);
    const bwi_hair_attribute *major = NULL, *minor = NULL;
    for (size_t i = 0; i < hair->attributes.count; i++) {
        const bwi_hair_attribute *a = &hair->attributes.data[i];
        const bool is_curves = hair->objects.data[a->object].kind == BWI_HAIR_CURVES;
        if (!is_groom_name(a->name) || a->place == BWI_HAIR_NATIVE || (is_curves && a->place == BWI_HAIR_ARBITRARY))
            continue;
        const bool general = !bwi_groom_schema_find(a->name);
        if (!found || a->object != object || a->place != place) {
            if (!general && is_curves)
                continue; /* told of with the attributes of strands */
            bwi_judge_tell(judge, BWI_RULE_GROOM_HIDDEN, a->object, a->name, 1,
                           "it is not read: the importer looks at %s, and no further",
                           found ? bwi_judge_text(judge, "the %s of %s",
                                                  place == BWI_HAIR_USER ? "user properties" : "geometry parameters",
                                                  hair->objects.data[object].path)
                                 : "nothing else");
            report_property(judge, a, false, "the importer looks elsewhere");
            continue;
        }
        bool used;
        const char *reason = judge_property(judge, a, &used);
        if (used && !general && strcasecmp(a->name, "groom_width") != 0) {
            bwi_judge_tell(judge, BWI_RULE_ATTRIBUTE_PLACE, a->object, a->name, 1,
                           "it stands with the properties of the whole groom, where nothing asks for it; expected a "
                           "geometry parameter of the curves");
            used = false;
            reason = "nothing asks for it there";
        } else if (used && !general && a->count == 1) {
            const double width = bwi_hair_number(a, 0, 0);
            judge->groom_width = isfinite(width) && width > 0 ? width : 0;
        }
        if (used && strcasecmp(a->name, "groom_version_major") == 0)
            major = a;
        if (used && strcasecmp(a->name, "groom_version_minor") == 0)
            minor = a;
        report_property(judge, a, used, reason);
    }
    judge_version(judge, major, minor);
}

/* ---- motion ---- */

static double own_step(const bwi_hair_curves *c) {
    return c->times_s && c->sample_count > 1 ? (c->times_s[c->sample_count - 1] - c->times_s[0]) / (c->sample_count - 1)
                                             : 0;
}

void bwi_judge_motion(bwi_judge *judge) {
    const bwi_hair *hair = judge->hair;
    const bwi_hair_curves *moving = NULL, *still = NULL;
    for (size_t i = 0; i < hair->curves.count; i++) {
        const bwi_hair_curves *c = &hair->curves.data[i];
        if (c->topology_moves)
            bwi_judge_tell(judge, BWI_RULE_CACHE_TOPOLOGY, c->object, NULL, c->sample_count,
                           "the number of strands or points changes over its %u samples: a groom cache is dropped",
                           (unsigned)c->sample_count);
        if (c->moves && !moving)
            moving = c;
        if (c->only_attributes_move && !still)
            still = c;
    }
    if (!moving) {
        if (still)
            bwi_judge_tell(judge, BWI_RULE_CACHE_STILL, still->object, NULL, 1,
                           "its attributes move and its positions don't: no groom cache can be made of it");
        return;
    }
    const size_t index = hair->samplings.count > 1 ? 1 : 0;
    if (hair->samplings.count == 0)
        return;
    const bwi_hair_sampling *s = &hair->samplings.data[index];
    const double step = own_step(moving);
    if (s->kind != BW_ALEMBIC_UNIFORM || !(s->time_per_cycle_s > 0))
        bwi_judge_tell(judge, BWI_RULE_CACHE_NO_STEP, moving->object, NULL, 1,
                       "time sampling %zu of the file is not uniform, and groom caches take their step from it: there "
                       "is no usable range of frames",
                       index);
    else if (step > 0 && fabs(step - s->time_per_cycle_s) > 1e-4 * step)
        bwi_judge_tell(judge, BWI_RULE_CACHE_OTHER_STEP, moving->object, NULL, 1,
                       "positions are %g s apart and time sampling %zu of the file says %g s: a groom cache plays at "
                       "the wrong rate",
                       step, index, s->time_per_cycle_s);
    if (moving->times_s && moving->sample_count > 0 && moving->times_s[0] < -1e-9)
        bwi_judge_tell(judge, BWI_RULE_CACHE_NEGATIVE, moving->object, NULL, 1,
                       "motion begins at %g s; a groom cache begins at frame 0", moving->times_s[0]);
    if (judge->verdict.strands == 0 && judge->verdict.guides > 0)
        bwi_judge_tell(judge, BWI_RULE_CACHE_GUIDES, moving->object, NULL, judge->verdict.guides,
                       "only guides move: it makes a guides cache for an asset that is there already");
}
