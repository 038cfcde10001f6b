/* SPDX-License-Identifier: MIT
 * Lint: strands one by one: counts, groups, guides, sizes. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "groom/groom_fix_priv.h"
#include "groom/groom_judge_priv.h"

enum { MOST_POINTS = 255, MOST_STRANDS = 4194303, MOST_GROUP_POINTS = 16777215 };

/* ---- counts ---- */

static void tell_spline(bwi_judge *judge, const bwi_hair_curves *c) {
    if (!c->known_basis)
        bwi_judge_tell(judge, BWI_RULE_SPLINE_UNKNOWN, c->object, NULL, c->curve_count,
                       "its curve type, wrap and basis are %d, %d and %d, which mean nothing", c->raw_basis[0],
                       c->raw_basis[1], c->raw_basis[2]);
    else if (c->type != BWI_HAIR_LINEAR)
        bwi_judge_tell(
            judge, BWI_RULE_SPLINE, c->object, NULL, c->curve_count,
            "%s: control points become the polyline, so that strands shrink or kink",
            bwi_judge_count(judge, c->curve_count, c->type == BWI_HAIR_CUBIC ? "cubic curve" : "NURBS curve"));
    if (c->periodic)
        bwi_judge_tell(judge, BWI_RULE_SPLINE_PERIODIC, c->object, NULL, c->curve_count,
                       "%s, which the importer leaves open", bwi_judge_count(judge, c->curve_count, "closed curve"));
    if (c->order_count + c->knot_count + c->weight_count > 0)
        bwi_judge_tell(judge, BWI_RULE_SPLINE_KNOTS, c->object, NULL, c->knot_count,
                       "its knots, orders or weights are not used to shape strands");
}

/* What the counts of an object are. */
typedef struct count_sums {
    uint64_t sum, negative, empty, single, cut;
} count_sums;

static void tell_counts(bwi_judge *judge, const bwi_judge_curves *curves, const count_sums *s) {
    const bwi_hair_curves *c = curves->curves;
    const uint64_t lost = c->curve_count - curves->strand_count;
    if (s->negative > 0)
        bwi_judge_tell(judge, BWI_RULE_COUNTS_NEGATIVE, c->object, NULL, s->negative,
                       "%s of points below zero: the running total wraps and the importer reads out of bounds",
                       bwi_judge_count(judge, s->negative, "count"));
    else if (lost > 0)
        bwi_judge_tell(judge, BWI_RULE_COUNTS_PAST, c->object, NULL, lost,
                       "strand %llu ends past the %s of the object: it and the later ones, %s, are dropped",
                       (unsigned long long)curves->strand_count, bwi_judge_count(judge, c->point_count, "point"),
                       bwi_judge_count(judge, lost, "strand"));
    else if (s->sum < c->point_count)
        bwi_judge_tell(judge, BWI_RULE_COUNTS_LEFT, c->object, NULL, c->point_count - s->sum,
                       "its counts add up to %llu, expected %llu, the points it has: no strand takes the last %s",
                       (unsigned long long)s->sum, (unsigned long long)c->point_count,
                       bwi_judge_count(judge, c->point_count - s->sum, "point"));
    if (s->empty > 0)
        bwi_judge_tell(judge, BWI_RULE_STRAND_EMPTY, c->object, NULL, s->empty, "%s without points: %s",
                       bwi_judge_count(judge, s->empty, "strand"),
                       judge->habits->is_unity ? "the whole set is discarded" : "nothing comes in for them");
    if (s->single > 0)
        bwi_judge_tell(judge, BWI_RULE_STRAND_ONE_POINT, c->object, NULL, s->single,
                       "%s of one point, expected at least two: %s", bwi_judge_count(judge, s->single, "strand"),
                       judge->habits->is_unity ? "the whole set is discarded" : "building the groom asserts");
    if (s->cut > 0)
        bwi_judge_tell(judge, BWI_RULE_STRAND_LONG, c->object, NULL, s->cut,
                       "%s of more than %d points: the importer cuts them off there",
                       bwi_judge_count(judge, s->cut, "strand"), MOST_POINTS);
}

void bwi_judge_walk(bwi_judge_curves *curves, bwi_judge *judge, size_t index, bool tell) {
    const bwi_hair_curves *c = &judge->hair->curves.data[index];
    memset(curves, 0, sizeof *curves);
    curves->curves = c;
    curves->object = &judge->hair->objects.data[c->object];
    curves->left_out = curves->object->problem != NULL;
    const bwi_mat4 world = bwi_hair_world(judge->hair, c->object);
    bwi_mat4 m;
    memcpy(m.m, judge->space->to_unreal, sizeof m.m);
    curves->to_cm = bwi_mat4_mul(&m, &world);
    curves->native_cm = judge->space->unit_cm * bwi_fix_scale(&world);
    count_sums s = {0};
    bool walking = true;
    for (uint64_t i = 0; i < c->curve_count; i++) {
        const int32_t n = c->counts[i];
        s.negative += n < 0;
        s.sum += n > 0 ? (uint64_t)n : 0;
        walking &= n >= 0 && s.sum <= c->point_count;
        if (!walking)
            continue;
        curves->strand_count = i + 1;
        if (n > 0)
            curves->root_count = curves->point_count + 1;
        curves->point_count = s.sum;
        s.empty += n == 0;
        s.single += n == 1;
        s.cut += n > MOST_POINTS;
    }
    if (judge->habits->is_unity)
        curves->left_out |= s.empty + s.single + s.negative > 0 || s.sum != c->point_count;
    if (!tell)
        return;
    if (curves->object->problem && c->point_count == 0)
        return; /* it is told of */
    tell_counts(judge, curves, &s);
    tell_spline(judge, c);
}

/* ---- groups ---- */

/* A group, with what is needed to judge it. */
typedef struct group {
    bw_groom_group_report report;
    int64_t name_key;
    bool has_names, mixed;
} group;

/* All strands on one walk. */
typedef struct strands_walk {
    bwi_judge *judge;
    group *groups;
    size_t group_count, group_capacity;
    bwi_judge_map of_key, ids, guide_ids;
    bwi_judge_sample lengths, widths, roots[3];
    bwi_vec3 hang;     /* sum of directions from root to tip, in Unreal's axes */
    uint64_t straight; /* strands in it */
    uint64_t duplicates, negative_group, huge_group;
    int64_t least_group, largest_group;
    bool any_group_name_twice;
    uint32_t first_object; /* with strands */
} strands_walk;

static int64_t key_of_text(const char *text) {
    const bwi_hash128 hash = bwi_hash(text, strlen(text));
    int64_t key;
    memcpy(&key, hash.bytes, sizeof key);
    return key;
}

static group *find_group(strands_walk *w, int64_t key, int64_t id, const char *name) {
    bool is_new;
    const uint32_t *at = bwi_judge_map_put(w->judge, &w->of_key, key, (uint32_t)w->group_count, &is_new);
    if (!at)
        return NULL;
    if (!is_new)
        return &w->groups[*at];
    if (w->group_count == w->group_capacity) {
        const size_t more = w->group_capacity ? 2 * w->group_capacity : 16;
        group *grown = bwi_realloc(w->judge->mem, w->groups, more, sizeof *grown);
        if (!grown) {
            w->judge->out_of_memory = true;
            return NULL;
        }
        w->groups = grown;
        w->group_capacity = more;
    }
    group *g = &w->groups[w->group_count++];
    *g = (group){.report = {.id = id, .name = name}};
    return g;
}

/* By id, in the order they come up; without any id by name; without both one. */
static group *group_of(strands_walk *w, const bwi_judge_curves *c, uint64_t strand) {
    bwi_judge *judge = w->judge;
    const bwi_judge_view *ids = &c->strand[BWI_ROW_GROUP_ID], *names = &c->strand[BWI_ROW_GROUP_NAME];
    if (judge->habits->is_unity)
        return find_group(w, c->curves->object, (int64_t)w->group_count, c->object->path);
    const char *name = names->attribute ? bwi_judge_string(names, strand) : "";
    if (judge->has_ids) {
        const int64_t id = ids->attribute ? (int64_t)bwi_judge_number(ids, strand, 0) : 0;
        w->negative_group += id < 0;
        w->huge_group += id > UINT16_MAX;
        if (w->group_count == 0)
            w->least_group = w->largest_group = id;
        w->least_group = id < w->least_group ? id : w->least_group;
        w->largest_group = id > w->largest_group ? id : w->largest_group;
        group *g = find_group(w, id, id, NULL);
        if (!g || !judge->has_names)
            return g;
        const int64_t key = key_of_text(name);
        g->mixed |= g->has_names && g->name_key != key;
        if (!g->has_names) {
            g->report.name = name;
            g->name_key = key;
        }
        g->has_names = true;
        return g;
    }
    if (judge->has_names)
        return find_group(w, key_of_text(name), (int64_t)w->group_count, name);
    return find_group(w, 0, 0, "Group_0");
}

static bool names_repeat(strands_walk *w) {
    bwi_judge_map names = {0};
    bool repeat = false;
    for (size_t i = 0; i < w->group_count && !repeat && !w->judge->out_of_memory; i++) {
        bool is_new = true;
        bwi_judge_map_put(w->judge, &names, w->groups[i].name_key, 0, &is_new);
        repeat = !is_new;
    }
    bwi_judge_map_free(w->judge, &names);
    return repeat;
}

static void tell_ids(strands_walk *w) {
    bwi_judge *judge = w->judge;
    const uint32_t at = w->first_object;
    if (w->negative_group > 0)
        bwi_judge_tell(judge, BWI_RULE_GROUP_ID_NEGATIVE, at, "groom_group_id", w->negative_group,
                       "%s with a negative group id, down to %lld; ids begin at 0",
                       bwi_judge_count(judge, w->negative_group, "strand"), (long long)w->least_group);
    if (w->huge_group > 0)
        bwi_judge_tell(judge, BWI_RULE_GROUP_ID_HUGE, at, "groom_group_id", w->huge_group,
                       "%s with group ids up to %lld, for %s: expected ids from 0 to %zu",
                       bwi_judge_count(judge, w->huge_group, "strand"), (long long)w->largest_group,
                       bwi_judge_count(judge, w->group_count, "group"), w->group_count - 1);
    else if (w->negative_group == 0 && w->largest_group >= (int64_t)w->group_count)
        bwi_judge_tell(judge, BWI_RULE_GROUP_IDS_GAPS, at, "groom_group_id", w->group_count,
                       "%s with ids up to %lld; Unreal may count them anew",
                       bwi_judge_count(judge, w->group_count, "group"), (long long)w->largest_group);
}

static void tell_groups(strands_walk *w) {
    bwi_judge *judge = w->judge;
    uint64_t mixed = 0, unnamed = 0, hairless = 0;
    const char *name_of_hairless = "";
    for (size_t i = 0; i < w->group_count; i++) {
        const group *g = &w->groups[i];
        mixed += g->mixed;
        unnamed += judge->has_names && g->report.name && *g->report.name == 0;
        if (g->report.strands == 0 && g->report.guides > 0 && hairless++ == 0)
            name_of_hairless = g->report.name ? g->report.name : "";
        if (g->report.strands > MOST_STRANDS || g->report.points > MOST_GROUP_POINTS)
            bwi_judge_tell(judge, BWI_RULE_STRANDS_MANY, w->first_object, NULL, g->report.strands,
                           "group %s has %s and %s, at most 4,194,303 and 16,777,215 can be held",
                           g->report.name ? g->report.name : "", bwi_judge_count(judge, g->report.strands, "strand"),
                           bwi_judge_count(judge, g->report.points, "point"));
    }
    if (judge->has_ids && w->group_count > 0)
        tell_ids(w);
    if (w->group_count > BWI_JUDGE_GROUPS_MAX)
        bwi_judge_tell(judge, BWI_RULE_GROUPS_MANY, w->first_object, NULL, w->group_count,
                       "there are %zu groups, expected at most %d", w->group_count, BWI_JUDGE_GROUPS_MAX);
    if (mixed > 0 || (judge->has_ids && judge->has_names && names_repeat(w)))
        bwi_judge_tell(judge, BWI_RULE_GROUP_NAMES, w->first_object, "groom_group_name", mixed,
                       "%s of several names, or ids share one: groups go by id, each with the first name it has",
                       bwi_judge_count(judge, mixed, "group id"));
    if (unnamed > 0)
        bwi_judge_tell(judge, BWI_RULE_GROUP_NAME_EMPTY, w->first_object, "groom_group_name", unnamed,
                       "%s with an empty name", bwi_judge_count(judge, unnamed, "group"));
    if (judge->verdict.strands == 0 && judge->verdict.guides > 0)
        bwi_judge_tell(judge, BWI_RULE_GUIDES_ONLY, w->first_object, NULL, judge->verdict.guides,
                       "%s, all of them guides and none hair: no asset can be made of it",
                       bwi_judge_count(judge, judge->verdict.guides, "strand"));
    else if (hairless > 0)
        bwi_judge_tell(judge, BWI_RULE_GROUP_GUIDES_ONLY, w->first_object, NULL, hairless,
                       "%s (first %s) of guides without hair: the dialog says that groups have 0 curves, or building "
                       "asserts",
                       bwi_judge_count(judge, hairless, "group"), name_of_hairless);
    if (!judge->has_ids && !judge->has_names && judge->curve_objects > 1)
        bwi_judge_tell(judge, BWI_RULE_GROUPS_NONE, w->first_object, NULL, judge->curve_objects,
                       "%llu objects have no group ids or names: all strands come in as one group",
                       (unsigned long long)judge->curve_objects);
}

/* ---- guides ---- */

static bool is_guide(const bwi_judge_curves *c, uint64_t strand) {
    const bwi_judge_view *view = &c->strand[BWI_ROW_GUIDE];
    return view->attribute && bwi_judge_number(view, strand, 0) == 1;
}

static void note_id(strands_walk *w, const bwi_judge_curves *c, uint64_t strand, bool guide) {
    const bwi_judge_view *view = &c->strand[BWI_ROW_ID];
    if (!view->attribute)
        return;
    bool is_new = true;
    const int64_t id = (int64_t)bwi_judge_number(view, strand, 0);
    bwi_judge_map_put(w->judge, &w->ids, id, 0, &is_new);
    w->duplicates += !is_new;
    if (guide)
        bwi_judge_map_put(w->judge, &w->guide_ids, id, 0, &is_new);
}

static void tell_guides(strands_walk *w) {
    bwi_judge *judge = w->judge;
    const uint32_t at = w->first_object;
    if (w->duplicates > 0)
        bwi_judge_tell(judge, BWI_RULE_ID_DUPLICATE, at, "groom_id", w->duplicates,
                       "%s with an id that another has: closest guides find the last of them",
                       bwi_judge_count(judge, w->duplicates, "strand"));
    if (judge->verdict.guides == 0 && judge->verdict.strands > 0)
        bwi_judge_tell(judge, BWI_RULE_GUIDES_NONE, at, NULL, judge->verdict.strands,
                       "no strand is marked as guide: the engine picks some of the strands");
    const bool closest = judge->with_row[BWI_ROW_CLOSEST] > 0, weights = judge->with_row[BWI_ROW_WEIGHTS] > 0;
    if (!closest && !weights)
        return;
    if (!closest || !weights || judge->with_row[BWI_ROW_ID] == 0 || judge->verdict.guides == 0) {
        bwi_judge_tell(judge, BWI_RULE_CLOSEST_INCOMPLETE, at, closest ? "groom_closest_guides" : "groom_guide_weights",
                       1, "it counts only together with%s%s%s%s: it is unused", closest ? "" : " groom_closest_guides",
                       weights ? "" : " groom_guide_weights", judge->with_row[BWI_ROW_ID] ? "" : " groom_id",
                       judge->verdict.guides ? "" : " guides");
        return;
    }
    bwi_judge_tell(judge, BWI_RULE_WEIGHTS_UNREAD, at, "groom_guide_weights", 1,
                   "engines since 5.4 take two guides a strand, and seem to read given weights as zeros");
    for (size_t i = 0; i < judge->hair->curves.count; i++) {
        bwi_judge_curves c;
        bwi_judge_walk(&c, judge, i, false);
        bwi_judge_resolve(&c, judge, i, false);
        const bwi_judge_view *view = &c.strand[BWI_ROW_CLOSEST];
        uint64_t unknown = 0;
        for (uint64_t s = 0; view->attribute && !c.left_out && s < c.strand_count; s++) {
            bool found = true;
            for (uint32_t k = 0; k < 3; k++) {
                const double id = bwi_judge_number(view, s, k);
                found &= fabs(id) < 1e15 && bwi_judge_map_has(&w->guide_ids, (int64_t)id);
            }
            unknown += !found && !is_guide(&c, s);
        }
        if (unknown > 0)
            bwi_judge_tell(judge, BWI_RULE_CLOSEST_UNKNOWN, c.curves->object, view->attribute->name, unknown,
                           "%s with closest guides that are the groom_id of no guide: the first guide is taken instead",
                           bwi_judge_count(judge, unknown, "strand"));
    }
}

/* ---- strands ---- */

/* Length in cm; NaN: some point is not finite. */
static double measure(const bwi_judge_curves *c, uint64_t first, uint64_t count, bwi_vec3 *root, bwi_vec3 *tip) {
    double length = 0;
    for (uint64_t i = first; i < first + count; i++) {
        const float *p = c->curves->positions + 3 * i;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            return (double)NAN;
        const bwi_vec3 at = bwi_mat4_point(&c->to_cm, (bwi_vec3){(double)p[0], (double)p[1], (double)p[2]});
        if (i == first)
            *root = at;
        else
            length += bwi_vec3_length(bwi_vec3_sub(at, *tip));
        *tip = at;
    }
    return length;
}

static void sample_widths(strands_walk *w, const bwi_judge_curves *c, uint64_t strand, uint64_t first) {
    const bool at_vertex = c->width_vertex.attribute != NULL;
    const bwi_judge_view *view = at_vertex ? &c->width_vertex : &c->width_strand;
    if (!view->attribute)
        return;
    const double factor = view->attribute->place == BWI_HAIR_NATIVE ? c->native_cm : 1;
    const double width = bwi_judge_number(view, at_vertex ? first : strand, 0) * factor;
    if (isfinite(width) && width > 0)
        bwi_judge_sample_add(&w->widths, width);
}

/* What one object's strands gave. */
typedef struct tally {
    uint64_t not_finite, flat;
} tally;

static void walk_strand(strands_walk *w, tally *t, const bwi_judge_curves *c, uint64_t strand, uint64_t first,
                        uint64_t count) {
    bwi_judge *judge = w->judge;
    bwi_vec3 root, tip;
    const double length = measure(c, first, count, &root, &tip);
    if (isnan(length)) {
        t->not_finite++;
        if (judge->habits->drops_not_finite)
            return;
    } else if (isfinite(length)) {
        t->flat += length <= 0 && count > 1;
        bwi_judge_sample_add(&w->lengths, length);
        bwi_judge_sample_add(&w->roots[0], root.x);
        bwi_judge_sample_add(&w->roots[1], root.y);
        bwi_judge_sample_add(&w->roots[2], root.z);
        if (length > 0) {
            w->hang = bwi_vec3_add(w->hang, bwi_vec3_scale(bwi_vec3_sub(tip, root), 1 / length));
            w->straight++;
        }
    }
    sample_widths(w, c, strand, first);
    const bool guide = is_guide(c, strand);
    group *g = group_of(w, c, strand);
    if (!g)
        return;
    const uint64_t kept = count > MOST_POINTS && !judge->habits->is_unity ? MOST_POINTS : count;
    g->report.points += kept;
    judge->verdict.points += kept;
    *(guide ? &g->report.guides : &g->report.strands) += 1;
    *(guide ? &judge->verdict.guides : &judge->verdict.strands) += 1;
    note_id(w, c, strand, guide);
}

static void walk_object(strands_walk *w, size_t index) {
    bwi_judge *judge = w->judge;
    bwi_judge_curves c;
    bwi_judge_walk(&c, judge, index, false);
    bwi_judge_resolve(&c, judge, index, false);
    tally t = {0};
    uint64_t first = 0;
    if (c.left_out)
        return;
    for (uint64_t i = 0; i < c.strand_count && !judge->out_of_memory; i++) {
        const uint64_t count = (uint64_t)c.curves->counts[i];
        if (count > 0) {
            if (w->first_object == BW_NO_INDEX)
                w->first_object = c.curves->object;
            walk_strand(w, &t, &c, i, first, count);
        }
        first += count;
    }
    if (t.not_finite > 0)
        bwi_judge_tell(judge, BWI_RULE_STRAND_NOT_FINITE, c.curves->object, NULL, t.not_finite,
                       "%s with points that are not finite: %s", bwi_judge_count(judge, t.not_finite, "strand"),
                       judge->habits->drops_not_finite ? "they are dropped, the dialog warns"
                                                       : "the bounds break and the groom is not seen");
    if (t.flat > 0)
        bwi_judge_tell(judge, BWI_RULE_STRAND_NO_LENGTH, c.curves->object, NULL, t.flat,
                       "%s with all points in one place", bwi_judge_count(judge, t.flat, "strand"));
}

/* ---- sizes ---- */

static bool plausible(double length, double width) {
    return length >= 0.2 && length <= 200 && (width <= 0 || (width >= 0.001 && width <= 0.15));
}

/* The unit by which lengths and widths would be those of hair. */
static const char *guess_units(double length, double width, double unit_cm) {
    static const struct {
        const char *name;
        double cm;
    } UNITS[] = {{"m", 100}, {"cm", 1}, {"mm", 0.1}, {"in", 2.54}, {"ft", 30.48}};
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        const double factor = UNITS[i].cm / unit_cm;
        if (fabs(factor - 1) > 1e-6 && plausible(length * factor, width * factor))
            return UNITS[i].name;
    }
    return NULL;
}

static void tell_sizes(strands_walk *w) {
    bwi_judge *judge = w->judge;
    const uint32_t at = w->first_object;
    const double length = bwi_judge_sample_at(&w->lengths, 0.5), width = bwi_judge_sample_at(&w->widths, 0.5);
    const char *units = judge->hair->has_transform ? NULL : guess_units(length, width, judge->space->unit_cm);
    if (length > 0 && (length < 0.1 || length > 500))
        bwi_judge_tell(judge, BWI_RULE_SCALE_SUSPECT, at, NULL, w->lengths.seen,
                       "half of the strands are %s than %.3g cm%s%s%s", length < 0.1 ? "shorter" : "longer", length,
                       units ? ": try --units=" : ", which is no length of hair", units ? units : "", "");
    if (width > 0 && (width < 0.0005 || width > 0.2))
        bwi_judge_tell(judge, BWI_RULE_WIDTH_SUSPECT, at, NULL, w->widths.seen,
                       "the median width is %.3g cm, %s: hair is 0.005 to 0.02 cm%s%s", width,
                       width > 0.2 ? "which is rope" : "too thin to be seen",
                       units ? "; try --units=" : "; width is a diameter in the file's unit, check it in the source",
                       units ? units : "");
    if (width > 0 && w->widths.max > 63 * width)
        bwi_judge_tell(judge, BWI_RULE_WIDTH_FAT, at, NULL, 1,
                       "the widest strand has %.3g cm and the median %.3g cm: radii are kept in 6 bits of the largest, "
                       "and nothing is left for the others",
                       w->widths.max, width);
    const double *hang = (const double[3]){w->hang.x, w->hang.y, w->hang.z};
    const bool unknown = judge->space->text && strncmp(judge->space->text, "unknown", 7) == 0;
    if (unknown && w->straight > 0 && hang[1] < -0.5 * (double)w->straight && fabs(hang[2]) < 0.3 * (double)w->straight)
        bwi_judge_tell(judge, BWI_RULE_UP_SUSPECT, at, NULL, w->straight,
                       "strands hang along -y, expected -z, and nothing in the file says which axis is up");
    double low[3], high[3], size = 0, away = 0, stray = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = bwi_judge_sample_at(&w->roots[k], 0.05);
        high[k] = bwi_judge_sample_at(&w->roots[k], 0.95);
        size = fmax(size, high[k] - low[k]);
        away = fmax(away, fabs(low[k] + high[k]) / 2);
        stray = fmax(stray, fmax(low[k] - w->roots[k].min, w->roots[k].max - high[k]));
    }
    size = fmax(size, length);
    if (w->lengths.seen >= 10 && size > 0 && stray > 20 * size)
        bwi_judge_tell(judge, BWI_RULE_STRAY, at, NULL, 1,
                       "a root is %.3g cm away from the others, which take up %.3g cm: positions are kept as halves of "
                       "the whole extent, 1 part in 2,048",
                       stray, size);
    if (size > 0 && away > 20 * size && away > 1000)
        bwi_judge_tell(judge, BWI_RULE_FAR, at, NULL, 1,
                       "the hair is %.3g cm away from the origin and takes up %.3g cm", away, size);
}

/* ---- the whole ---- */

static void tell_partial(bwi_judge *judge, uint32_t at) {
    static const bwi_judge_row ROWS[] = {BWI_ROW_GUIDE, BWI_ROW_GROUP_ID,  BWI_ROW_GROUP_NAME,
                                         BWI_ROW_ID,    BWI_ROW_CLOSEST,   BWI_ROW_WEIGHTS,
                                         BWI_ROW_COLOR, BWI_ROW_ROUGHNESS, BWI_ROW_AO};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const uint64_t with = judge->with_row[ROWS[i]];
        /* Guides as objects of their own are how many export them. */
        if (with > 0 && with < judge->curve_objects && ROWS[i] != BWI_ROW_GUIDE)
            bwi_judge_tell(judge, BWI_RULE_ATTRIBUTE_PARTIAL, at, bwi_groom_schemas[ROWS[i]].name,
                           judge->curve_objects - with, "%llu of %llu objects without it: their strands get 0",
                           (unsigned long long)(judge->curve_objects - with), (unsigned long long)judge->curve_objects);
    }
}

static bool keep_groups(strands_walk *w) {
    bwi_judge *judge = w->judge;
    judge->verdict.groups.data = bwi_arena_alloc(judge->arena, w->group_count, sizeof *judge->verdict.groups.data);
    if (!judge->verdict.groups.data)
        return false;
    for (size_t i = 0; i < w->group_count; i++) {
        bw_groom_group_report *report = &judge->verdict.groups.data[i];
        *report = w->groups[i].report;
        if (!report->name)
            report->name = bwi_judge_text(judge, "Group_%lld", (long long)report->id);
    }
    judge->verdict.groups.count = w->group_count;
    return true;
}

void bwi_judge_strands(bwi_judge *judge) {
    strands_walk *w = bwi_alloc(judge->mem, 1, sizeof *w);
    if (!w) {
        judge->out_of_memory = true;
        return;
    }
    w->judge = judge;
    w->first_object = BW_NO_INDEX;
    judge->has_ids = judge->with_row[BWI_ROW_GROUP_ID] > 0;
    judge->has_names = judge->with_row[BWI_ROW_GROUP_NAME] > 0;
    for (size_t i = 0; i < judge->hair->curves.count && !judge->out_of_memory; i++) {
        walk_object(w, i);
        if (!bwi_progress_step(judge->env->progress, 0))
            break;
    }
    if (judge->verdict.strands + judge->verdict.guides == 0) {
        if (judge->hair->curves.count > 0)
            bwi_judge_tell(judge, BWI_RULE_NO_STRANDS, judge->hair->curves.data[0].object, NULL, 0,
                           "%s of curves without a strand that comes in: the asset would be empty",
                           bwi_judge_count(judge, judge->hair->curves.count, "object"));
    } else {
        tell_groups(w);
        tell_guides(w);
        tell_sizes(w);
        tell_partial(judge, w->first_object);
        if (judge->curve_objects > 1000 && w->lengths.seen < 4 * judge->curve_objects)
            bwi_judge_tell(judge, BWI_RULE_OBJECTS_MANY, w->first_object, NULL, judge->curve_objects,
                           "%llu objects hold %llu strands: importing is slow",
                           (unsigned long long)judge->curve_objects, (unsigned long long)w->lengths.seen);
    }
    judge->out_of_memory |= !keep_groups(w);
    bwi_judge_map_free(judge, &w->of_key);
    bwi_judge_map_free(judge, &w->ids);
    bwi_judge_map_free(judge, &w->guide_ids);
    bwi_free(judge->mem, w->groups);
    bwi_free(judge->mem, w);
}
