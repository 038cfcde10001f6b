/* SPDX-License-Identifier: MIT
 * Attributes as a file has them, read as the schema means them: whatever their spelling, type, scope, extent and way of storing. */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "groom/groom_fix_priv.h"

/* Other spellings, as letters alone: of names with "groom_" before them, and of those without. */
static const struct {
    const char *name, *spelling;
    bool bare;     /* also without "groom_" */
    double factor; /* to a diameter; 0: not a length */
} SPELLINGS[] = {
    {"groom_width", "width", true, 1},
    {"groom_width", "widths", true, 1},
    {"groom_width", "pscale", true, 2},
    {"groom_width", "radius", true, 2},
    {"groom_guide", "guide", true, 0},
    {"groom_guide", "guides", true, 0},
    {"groom_guide", "isguide", true, 0},
    {"groom_group_id", "groupid", true, 0},
    {"groom_group_id", "groupids", true, 0},
    {"groom_group_id", "group", false, 0},
    {"groom_group_id", "groups", false, 0},
    {"groom_group_name", "groupname", true, 0},
    {"groom_group_name", "groupnames", true, 0},
    {"groom_group_name", "group", false, 0},
    {"groom_group_cards_id", "groupcardsid", true, 0},
    {"groom_group_cards_id", "cardsid", true, 0},
    {"groom_id", "id", true, 0},
    {"groom_id", "ids", false, 0},
    {"groom_id", "strandid", true, 0},
    {"groom_id", "hairid", true, 0},
    {"groom_root_uv", "rootuv", true, 0},
    {"groom_root_uv", "rootuvs", true, 0},
    {"groom_root_uv", "uv", false, 0},
    {"groom_root_uv", "st", true, 0},
    {"groom_color", "color", true, 0},
    {"groom_color", "colour", true, 0},
    {"groom_color", "colors", false, 0},
    {"groom_color", "cd", true, 0},
    {"groom_roughness", "roughness", true, 0},
    {"groom_roughness", "rough", false, 0},
    {"groom_ao", "ao", true, 0},
    {"groom_ao", "occlusion", false, 0},
    {"groom_clumpid", "clumpid", true, 0},
    {"groom_clumpid", "clumpids", true, 0},
    {"groom_clumpid", "clump", false, 0},
    {"groom_closest_guides", "closestguides", true, 0},
    {"groom_closest_guides", "closestguide", true, 0},
    {"groom_guide_weights", "guideweights", true, 0},
    {"groom_guide_weights", "guideweight", true, 0},
};

/* From the best to the worst. */
typedef enum rank { RANK_EXACT, RANK_SPELT, RANK_NATIVE, RANK_BARE, RANK_ABOVE, RANK_NONE } rank;

/* Whether a name spells a word, whatever the case, underscores, dashes and spaces. */
static bool spells(const char *name, const char *word) {
    for (; *name; name++) {
        if (*name == '_' || *name == '-' || *name == ' ')
            continue;
        if (tolower((unsigned char)*name) != *word)
            return false;
        word++;
    }
    return *word == 0;
}

static bool is_text(const bwi_hair_attribute *a) {
    return a->strings != NULL;
}

static rank rank_of(double *factor, const bwi_hair_attribute *a, const bwi_groom_schema *row, bool above) {
    *factor = 1;
    if (a->place == BWI_HAIR_NATIVE) {
        const bool stands = (strcmp(a->name, "width") == 0 && strcmp(row->name, "groom_width") == 0) ||
                            (strcmp(a->name, "uv") == 0 && strcmp(row->name, "groom_root_uv") == 0);
        return stands ? RANK_NATIVE : RANK_NONE;
    }
    const bool prefixed = strncasecmp(a->name, "groom_", 6) == 0;
    if (strcasecmp(a->name, row->name) == 0)
        return above ? RANK_ABOVE : RANK_EXACT;
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof *SPELLINGS; i++) {
        if (strcmp(SPELLINGS[i].name, row->name) != 0 ||
            !spells(prefixed ? a->name + 6 : a->name, SPELLINGS[i].spelling))
            continue;
        /* "group" is a name or a number. */
        if (strcmp(SPELLINGS[i].spelling, "group") == 0 && is_text(a) != (row->type == BWI_GROOM_NAME))
            continue;
        *factor = SPELLINGS[i].factor > 0 ? SPELLINGS[i].factor : 1;
        if (prefixed)
            return above ? RANK_ABOVE : RANK_SPELT;
        /* Properties that programs keep for themselves bear such names too. */
        return SPELLINGS[i].bare && !above && a->place == BWI_HAIR_ARBITRARY ? RANK_BARE : RANK_NONE;
    }
    return RANK_NONE;
}

/* ---- scope ---- */

/* Values of varying scope: one at each end of a segment. */
static uint64_t varying_count(const bwi_source *source, int64_t cv_count) {
    if (cv_count < 2)
        return cv_count == 1;
    const bwi_hair_curves *c = source->curves;
    bwi_curve curve = {.closed = c->periodic, .cv_count = (uint32_t)cv_count};
    if (c->type == BWI_HAIR_CUBIC && c->basis == BWI_HAIR_BEZIER)
        curve.form = BWI_FORM_BEZIER;
    else if (c->type == BWI_HAIR_CUBIC && c->basis == BWI_HAIR_HERMITE)
        curve.form = BWI_FORM_HERMITE;
    else if (c->type == BWI_HAIR_CUBIC && c->basis == BWI_HAIR_POWER)
        curve.form = BWI_FORM_POWER;
    else if (c->type == BWI_HAIR_CUBIC && c->basis != BWI_HAIR_NO_BASIS)
        curve.form = BWI_FORM_BSPLINE;
    bwi_curve_prepare(&curve);
    return curve.segment_count + (curve.closed ? 0 : 1);
}

static bw_result number_varying(bwi_fix *fix, bwi_source *source, bw_error *error) {
    const bwi_hair_curves *c = source->curves;
    if (source->first_varying)
        return BW_OK;
    uint64_t *first = bwi_arena_alloc(fix->scratch, (size_t)c->curve_count + 1, sizeof *first);
    if (!first)
        return bwi_fail_memory(error, fix->hair->path, fix->env->mem, ((size_t)c->curve_count + 1) * sizeof *first);
    for (uint64_t i = 0; i < c->curve_count; i++)
        first[i + 1] = first[i] + varying_count(source, c->counts[i]);
    source->first_varying = first;
    return BW_OK;
}

/* The scope by what the file says where its count fits, else by the count, else by what it says.  Out: fits — the count is that scope's. */
static bwi_view_scope find_scope(bool *fits, const bwi_hair_attribute *a, const bwi_source *source, uint64_t n) {
    const bwi_hair_curves *c = source->curves;
    const uint64_t of[] = {[BWI_VIEW_NONE] = UINT64_MAX,
                           [BWI_VIEW_CONSTANT] = 1,
                           [BWI_VIEW_STRAND] = c->curve_count,
                           [BWI_VIEW_VERTEX] = c->point_count,
                           [BWI_VIEW_VARYING] = source->first_varying[c->curve_count]};
    static const bwi_view_scope SAID[] = {
        [BW_ALEMBIC_SCOPE_CONSTANT] = BWI_VIEW_CONSTANT,   [BW_ALEMBIC_SCOPE_UNIFORM] = BWI_VIEW_STRAND,
        [BW_ALEMBIC_SCOPE_VARYING] = BWI_VIEW_VARYING,     [BW_ALEMBIC_SCOPE_VERTEX] = BWI_VIEW_VERTEX,
        [BW_ALEMBIC_SCOPE_FACEVARYING] = BWI_VIEW_VARYING, [BW_ALEMBIC_SCOPE_UNKNOWN] = BWI_VIEW_NONE,
    };
    static const bwi_view_scope ORDER[] = {BWI_VIEW_STRAND, BWI_VIEW_VERTEX, BWI_VIEW_VARYING, BWI_VIEW_CONSTANT};
    *fits = true;
    if (a->is_scalar || n == 0)
        return n == 0 ? BWI_VIEW_NONE : BWI_VIEW_CONSTANT;
    const bwi_view_scope said = a->has_scope ? SAID[a->scope] : BWI_VIEW_NONE;
    if (n == of[said])
        return said;
    for (size_t i = 0; i < sizeof ORDER / sizeof *ORDER; i++) {
        if (n == of[ORDER[i]])
            return ORDER[i];
    }
    *fits = false;
    return said == BWI_VIEW_VARYING ? BWI_VIEW_NONE : said;
}

/* ---- finding ---- */

/* How the numbers of an attribute make elements of the row's width.  False: they cannot. */
static bool find_width(bwi_view *view, const bwi_groom_schema *row, const bwi_source *source) {
    const bwi_hair_attribute *a = view->attribute;
    const uint64_t strands = source->curves->curve_count, points = source->curves->point_count;
    const bool is_clump = strcmp(row->name, "groom_clumpid") == 0, is_color = strcmp(row->name, "groom_color") == 0;
    view->width = is_clump && a->extent >= 3 ? 3 : row->width;
    view->count = a->count;
    if (view->second || a->extent >= view->width)
        return true;
    const uint64_t whole = a->count / view->width;
    if (a->extent != 1)
        return false;
    if (is_color && (a->count == 1 || a->count == strands || a->count == points)) {
        view->width = 1; /* grey */
        return true;
    }
    view->flat = true;
    view->count = whole;
    return a->count % view->width == 0 && (whole == 1 || whole == strands || whole == points);
}

static bool right_type(const bwi_hair_attribute *a, const bwi_groom_schema *row) {
    if (row->type == BWI_GROOM_NAME)
        return a->pod == BW_ALEMBIC_STRING;
    if (row->type == BWI_GROOM_INT)
        return a->pod == BW_ALEMBIC_INT32 ||
               (row->width == 1 && (a->pod == BW_ALEMBIC_INT8 || a->pod == BW_ALEMBIC_INT16));
    return a->pod == BW_ALEMBIC_FLOAT32 || a->pod == BW_ALEMBIC_FLOAT64;
}

/* Whether any of it can be read as the row's type. */
static bool readable(const bwi_hair_attribute *a) {
    return (a->bytes || a->strings) && a->extent > 0 && a->value_count > 0;
}

/* The number that a text begins with; NaN without one. */
static double number_of_text(const char *text) {
    double value;
    return text && bwi_parse_decimal(&value, text) ? value : (double)NAN;
}

static void tell(bwi_fix *fix, const bwi_source *source, const bwi_view *view, const bwi_groom_schema *row, rank r,
                 bool fits) {
    const bwi_hair_attribute *a = view->attribute;
    const char *path = fix->hair->objects.data[a->object].path;
    bwi_warnings *changes = fix->changes;
    (void)source;
    if (r == RANK_SPELT || r == RANK_BARE)
        bwi_warn(changes, "attributes-renamed", 1, "attributes whose names the schema lacks were given its own",
                 "%s, %s to %s", path, a->name, row->name);
    if (!right_type(a, row))
        bwi_warn(changes, "attributes-retyped", 1, "attributes of a type that the importer ignores were converted",
                 "%s, %s: %s", path, a->name, bw_alembic_pod_name(a->pod));
    if (!view->second && (a->extent != view->width || view->flat))
        bwi_warn(changes, "attributes-reshaped", 1,
                 "attributes of other extents than the schema's were brought to these", "%s, %s: %u values an element",
                 path, a->name, a->extent);
    if (a->is_compound && a->place != BWI_HAIR_NATIVE)
        bwi_warn(changes, "attributes-expanded", 1, "indexed attributes were expanded; the importer ignores them",
                 "%s, %s", path, a->name);
    if (view->count == 0)
        return;
    static const unsigned BITS[] = {[BWI_VIEW_NONE] = 0,
                                    [BWI_VIEW_CONSTANT] = BWI_GROOM_C | BWI_GROOM_U,
                                    [BWI_VIEW_STRAND] = BWI_GROOM_U,
                                    [BWI_VIEW_VERTEX] = BWI_GROOM_V,
                                    [BWI_VIEW_VARYING] = 0};
    static const bw_alembic_scope SAID[] = {
        [BWI_VIEW_CONSTANT] = BW_ALEMBIC_SCOPE_CONSTANT,
        [BWI_VIEW_STRAND] = BW_ALEMBIC_SCOPE_UNIFORM,
        [BWI_VIEW_VERTEX] = BW_ALEMBIC_SCOPE_VERTEX,
        [BWI_VIEW_VARYING] = BW_ALEMBIC_SCOPE_VARYING,
    };
    const bool native_uv = a->place == BWI_HAIR_NATIVE && row->width == 2 && view->scope == BWI_VIEW_VERTEX;
    if (r != RANK_ABOVE && !native_uv && fits &&
        ((row->scopes & BITS[view->scope]) == 0 ||
         (a->has_scope ? a->scope != SAID[view->scope] : view->scope >= BWI_VIEW_VERTEX) || a->is_scalar))
        bwi_warn(
            changes, "attributes-rescoped", 1,
            "attributes of a scope that the schema lacks, or that their count belies, were brought to the right one",
            "%s, %s", path, a->name);
    if (r == RANK_ABOVE)
        bwi_warn(changes, "attributes-moved", 1, "attributes of the whole groom were given to its curves", "%s, %s",
                 path, a->name);
    if (!fits) {
        const bwi_hair_curves *c = source->curves;
        const uint64_t want = view->scope == BWI_VIEW_CONSTANT ? 1
                              : view->scope == BWI_VIEW_STRAND ? c->curve_count
                                                               : c->point_count;
        if (view->count < want)
            bwi_warn(changes, "attributes-too-short", 1,
                     "attributes with fewer values than strands or points: what lacks one takes the last",
                     "%s, %s: %llu of %llu", path, a->name, (unsigned long long)view->count, (unsigned long long)want);
        else
            bwi_warn(changes, "attributes-too-long", 1,
                     "attributes with more values than strands or points: the first were taken", "%s, %s: %llu of %llu",
                     path, a->name, (unsigned long long)view->count, (unsigned long long)want);
    }
    if (strcmp(row->name, "groom_width") == 0 && (view->factor < 1 || view->factor > 1))
        bwi_warn(changes, "widths-scaled", 1,
                 "widths became diameters in cm: by the file's unit, by what transforms scale the points, and by two "
                 "from a radius",
                 "%s, %s: %g times", path, a->name, view->factor);
    if (a->moves)
        bwi_warn(changes, "attributes-stand-still", 1,
                 "attributes that move keep the values of their first sample; importers read no other", "%s, %s", path,
                 a->name);
    uint64_t past = 0;
    for (uint64_t i = 0; a->indices && i < a->count; i++)
        past += a->indices[i] >= a->value_count;
    if (past)
        bwi_warn(changes, "indices-past-values", past, "elements whose index is past the values became 0", "%s, %s",
                 path, a->name);
}

typedef struct candidate {
    bwi_view view;
    rank r;
    bool fits;
} candidate;

static const bwi_hair_attribute *find_second(const bwi_fix *fix, const bwi_hair_attribute *s) {
    for (uint32_t k = fix->attribute_starts[s->object]; k < fix->attribute_starts[s->object + 1]; k++) {
        const bwi_hair_attribute *t = &fix->hair->attributes.data[fix->attributes_of[k]];
        if (t->place == BWI_HAIR_ARBITRARY && strcmp(t->name, "t") == 0 && t->count == s->count && readable(t))
            return t;
    }
    return NULL;
}

static bool is_better(const candidate *a, const candidate *b, const bwi_groom_schema *row) {
    if (b->r == RANK_NONE)
        return true;
    /* A width at each point beats one a strand, whichever name it has: so does the importer. */
    const bool is_width = (row->scopes & BWI_GROOM_V) && (row->scopes & BWI_GROOM_U);
    const bool a_fine = a->view.scope >= BWI_VIEW_VERTEX, b_fine = b->view.scope >= BWI_VIEW_VERTEX;
    if (is_width && a_fine != b_fine && a->r <= RANK_NATIVE && b->r <= RANK_NATIVE)
        return a_fine;
    return a->r < b->r;
}

static bw_result consider(candidate *best, bwi_fix *fix, bwi_source *source, const bwi_groom_schema *row,
                          const bwi_hair_attribute *a, bool above, bw_error *error) {
    candidate c = {.view = {.attribute = a}};
    double factor = 1;
    c.r = rank_of(&factor, a, row, above);
    if (c.r == RANK_NONE && row->width == 2 && !above && a->place == BWI_HAIR_ARBITRARY && strcmp(a->name, "s") == 0) {
        c.view.second = find_second(fix, a);
        c.r = c.view.second ? RANK_BARE : RANK_NONE;
    }
    if (c.r == RANK_NONE)
        return BW_OK;
    const char *path = fix->hair->objects.data[a->object].path;
    const bw_result result = number_varying(fix, source, error);
    if (result != BW_OK)
        return result;
    const bool can =
        readable(a) && find_width(&c.view, row, source) && (row->type != BWI_GROOM_NAME || is_text(a) || a->bytes);
    if (can)
        c.view.scope = above ? BWI_VIEW_CONSTANT : find_scope(&c.fits, a, source, c.view.count);
    if (above)
        c.fits = true;
    if (c.view.scope == BWI_VIEW_NONE) {
        bwi_warn(fix->changes, "attributes-left-out", 1,
                 "attributes without values, or with as many as neither strands nor points, were left out",
                 "%s, %s: %llu of %s[%u]", path, a->name, (unsigned long long)a->count, bw_alembic_pod_name(a->pod),
                 a->extent);
        return BW_OK;
    }
    if (strcmp(row->name, "groom_width") == 0) {
        /* The schema's own is in centimetres whatever the file's unit; all others are lengths of the file. */
        const bool in_cm = c.r == RANK_EXACT || c.r == RANK_SPELT || c.r == RANK_ABOVE;
        factor *= in_cm && factor < 2 ? 1 : source->scale;
    } else if (row->type == BWI_GROOM_FLOAT && (a->pod == BW_ALEMBIC_UINT8 || a->pod == BW_ALEMBIC_UINT16)) {
        factor = a->pod == BW_ALEMBIC_UINT8 ? 1 / 255.0 : 1 / 65535.0;
    }
    c.view.factor = factor;
    if (is_better(&c, best, row))
        *best = c;
    return BW_OK;
}

bw_result bwi_fix_find(bwi_view *view, bwi_fix *fix, bwi_source *source, const char *name, bw_error *error) {
    const bwi_groom_schema *row = bwi_groom_schema_find(name);
    candidate best = {.r = RANK_NONE};
    const uint32_t own = source->curves->object;
    for (uint32_t object = own; object != BW_NO_INDEX; object = fix->hair->objects.data[object].parent) {
        for (uint32_t k = fix->attribute_starts[object]; k < fix->attribute_starts[object + 1]; k++) {
            const bwi_hair_attribute *a = &fix->hair->attributes.data[fix->attributes_of[k]];
            const bw_result result =
                consider(&best, fix, source, row, a, object != own || a->place == BWI_HAIR_USER, error);
            if (result != BW_OK)
                return result;
        }
        if (best.r != RANK_NONE)
            break;
    }
    *view = best.view;
    if (best.r == RANK_NONE) {
        *view = (bwi_view){.scope = BWI_VIEW_NONE};
        return BW_OK;
    }
    tell(fix, source, view, row, best.r, best.fits);
    return BW_OK;
}

/* ---- reading ---- */

double bwi_view_number(const bwi_view *view, uint64_t element, uint32_t component) {
    const bwi_hair_attribute *a = view->second && component == 1 ? view->second : view->attribute;
    if (view->scope == BWI_VIEW_CONSTANT)
        element = 0;
    else if (element >= view->count)
        element = view->count - 1;
    if (view->second || view->width == 1)
        component = 0;
    if (view->flat) {
        element = element * view->width + component;
        component = 0;
    }
    if (a->strings)
        return number_of_text(bwi_hair_text(a, element));
    return bwi_hair_number(a, element, component) * view->factor;
}

static uint64_t root_element(const bwi_view *view, const bwi_source *source, const bwi_strand *strand) {
    switch (view->scope) {
    case BWI_VIEW_STRAND:
        return strand->index;
    case BWI_VIEW_VERTEX:
        return strand->first;
    case BWI_VIEW_VARYING:
        return source->first_varying[strand->index];
    default:
        return 0;
    }
}

double bwi_view_strand_number(const bwi_view *view, const bwi_source *source, const bwi_strand *strand,
                              uint32_t component) {
    return bwi_view_number(view, root_element(view, source, strand), component);
}

const char *bwi_view_strand_text(const bwi_view *view, const bwi_source *source, const bwi_strand *strand) {
    const uint64_t element = root_element(view, source, strand);
    return bwi_hair_text(view->attribute, element < view->count ? element : view->count - 1);
}

void bwi_view_point_numbers(float *out, const bwi_view *view, const bwi_source *source, const bwi_strand *strand,
                            const bwi_curve_point *places) {
    const uint32_t n = strand->point_count, w = view->width;
    if (view->scope < BWI_VIEW_VERTEX) {
        for (uint32_t c = 0; c < w; c++) {
            const float value = (float)bwi_view_strand_number(view, source, strand, c);
            for (uint32_t k = 0; k < n; k++)
                out[k * w + c] = value;
        }
        return;
    }
    const uint64_t first = root_element(view, source, strand);
    if (!places) {
        for (uint32_t k = 0; k < n * w; k++)
            out[k] = (float)bwi_view_number(view, first + k / w, k % w);
        return;
    }
    const bwi_curve curve = bwi_strand_curve(source, strand);
    for (uint32_t k = 0; k < n; k++) {
        bwi_curve_mix mix;
        if (view->scope == BWI_VIEW_VERTEX) {
            bwi_curve_mix_at(&mix, &curve, places[k]);
        } else {
            const uint64_t ends = source->first_varying[strand->index + 1] - first;
            mix.count = 2;
            for (uint32_t j = 0; j < 2; j++)
                mix.cvs[j] = (places[k].segment + j) % (uint32_t)ends;
            mix.values[0] = 1 - (double)places[k].t;
            mix.values[1] = (double)places[k].t;
        }
        for (uint32_t c = 0; c < w; c++) {
            double sum = 0;
            for (uint32_t j = 0; j < mix.count; j++) {
                if (mix.values[j] > 0)
                    sum += mix.values[j] * bwi_view_number(view, first + mix.cvs[j], c);
            }
            out[k * w + c] = (float)sum;
        }
    }
}

const char *bwi_fix_meant(const bwi_hair_attribute *attribute) {
    for (const bwi_groom_schema *row = bwi_groom_schemas; row->name; row++) {
        double factor;
        const rank r = rank_of(&factor, attribute, row, false);
        if (r == RANK_SPELT || r == RANK_BARE)
            return row->name;
    }
    return NULL;
}
