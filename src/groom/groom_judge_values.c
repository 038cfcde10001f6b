/* SPDX-License-Identifier: MIT
 * Lint: the numbers of an object's attributes against what engines can hold. */
#include <math.h>

#include "groom/groom_judge_priv.h"

/* A row whose values are looked at. */
typedef struct values {
    const bwi_judge_view *view;
    uint64_t count; /* elements to look at */
    uint32_t width;
    const char *name;
} values;

static values values_of(const bwi_judge_curves *c, bwi_judge_row row, uint32_t width) {
    const bool at_vertex = c->vertex[row].attribute != NULL;
    values v = {at_vertex ? &c->vertex[row] : &c->strand[row], at_vertex ? c->point_count : c->strand_count, width,
                NULL};
    if (!v.view->attribute) {
        v.count = 0;
        return v;
    }
    v.name = v.view->attribute->name;
    if (v.view->broadcast)
        v.count = v.count > 0;
    if (v.count > v.view->attribute->count)
        v.count = v.view->attribute->count;
    return v;
}

/* Values with a component below least or above most, and (apart) those not finite. */
static uint64_t count_outside(const values *v, double least, double most, uint64_t *not_finite) {
    uint64_t outside = 0;
    for (uint64_t i = 0; i < v->count; i++) {
        bool out = false, bad = false;
        for (uint32_t k = 0; k < v->width; k++) {
            const double x = bwi_judge_number(v->view, i, k);
            bad |= !isfinite(x);
            out |= x < least || x > most;
        }
        outside += out && !bad;
        *not_finite += bad;
    }
    return outside;
}

static void tell_not_finite(bwi_judge *judge, const bwi_judge_curves *c, const char *name, uint64_t count) {
    if (count > 0)
        bwi_judge_tell(judge, BWI_RULE_ATTRIBUTE_NOT_FINITE, c->curves->object, name, count,
                       "%s not finite: no number, or infinite", bwi_judge_count(judge, count, "value"));
}

static void judge_ranges(bwi_judge *judge, const bwi_judge_curves *c) {
    static const struct {
        bwi_judge_row row;
        uint32_t width;
        double least, most;
        bwi_rule rule;
    } ROWS[] = {
        {BWI_ROW_COLOR, 3, 0, 1, BWI_RULE_VALUE_RANGE},        {BWI_ROW_ROUGHNESS, 1, 0, 1, BWI_RULE_VALUE_RANGE},
        {BWI_ROW_AO, 1, 0, 1, BWI_RULE_VALUE_RANGE},           {BWI_ROW_ROOT_UV, 2, 0, 32, BWI_RULE_UV_RANGE},
        {BWI_ROW_CLUMP_ID, 1, 0, 65535, BWI_RULE_CLUMP_RANGE}, {BWI_ROW_ID, 1, 0, 2147483647, BWI_RULE_ID_NEGATIVE},
        {BWI_ROW_GUIDE, 1, 0, 1, BWI_RULE_GUIDE_VALUE},
    };
    for (size_t r = 0; r < sizeof ROWS / sizeof *ROWS; r++) {
        values v = values_of(c, ROWS[r].row, ROWS[r].width);
        if (v.count == 0)
            continue;
        if (v.width == 1 && v.view->attribute->extent == 3)
            v.width = 3;
        uint64_t not_finite = 0;
        const uint64_t outside = count_outside(&v, ROWS[r].least, ROWS[r].most, &not_finite);
        tell_not_finite(judge, c, v.name, not_finite);
        if (outside > 0)
            bwi_judge_tell(judge, ROWS[r].rule, c->curves->object, v.name, outside, "%s outside %g to %g",
                           bwi_judge_count(judge, outside, "value"), ROWS[r].least, ROWS[r].most);
    }
}

static void judge_weights(bwi_judge *judge, const bwi_judge_curves *c) {
    const values v = values_of(c, BWI_ROW_WEIGHTS, 3);
    uint64_t off = 0, not_finite = 0;
    for (uint64_t i = 0; i < v.count; i++) {
        double sum = 0, least = 0;
        for (uint32_t k = 0; k < 3; k++) {
            const double x = bwi_judge_number(v.view, i, k);
            sum += x;
            least = x < least ? x : least;
        }
        if (!isfinite(sum))
            not_finite++;
        else
            off += least < 0 || fabs(sum - 1) > 1e-3; /* float32 thirds, and more */
    }
    tell_not_finite(judge, c, v.name, not_finite);
    if (off > 0)
        bwi_judge_tell(judge, BWI_RULE_WEIGHTS_SUM, c->curves->object, v.name, off,
                       "the weights of %s are negative or don't sum to 1: strands shrink, grow or fly off",
                       bwi_judge_count(judge, off, "strand"));
    const values closest = values_of(c, BWI_ROW_CLOSEST, 3);
    uint64_t ignored = 0;
    const uint64_t inexact = count_outside(&closest, -16777216, 16777216, &ignored);
    if (inexact > 0)
        bwi_judge_tell(judge, BWI_RULE_CLOSEST_INEXACT, c->curves->object, closest.name, inexact,
                       "%s over 16,777,216, the last integer that a float holds exactly",
                       bwi_judge_count(judge, inexact, "value"));
}

static void judge_widths(bwi_judge *judge, const bwi_judge_curves *c) {
    const bool at_vertex = c->width_vertex.attribute != NULL;
    const bwi_judge_view *view = at_vertex ? &c->width_vertex : &c->width_strand;
    if (!view->attribute) {
        if (judge->groom_width <= 0 && c->strand_count > 0)
            bwi_judge_tell(judge, BWI_RULE_WIDTH_NONE, c->curves->object, NULL, c->strand_count,
                           "it has neither width nor groom_width: the importer takes 0.01 for its %s (Unreal's "
                           "documentation says 1 cm, like ropes)",
                           bwi_judge_count(judge, c->strand_count, "strand"));
        return;
    }
    uint64_t count = view->broadcast ? 1 : at_vertex ? c->point_count : c->strand_count, zero = 0, not_finite = 0;
    if (count > view->attribute->count)
        count = view->attribute->count;
    for (uint64_t i = 0; i < count; i++) {
        const double x = bwi_judge_number(view, i, 0);
        not_finite += isfinite(x) ? 0 : 1;
        zero += x <= 0;
    }
    tell_not_finite(judge, c, view->attribute->name, not_finite);
    /* Tips may well end in nothing: roots may not. */
    if (zero == count || (!at_vertex && zero > 0)) {
        if (count > 0)
            bwi_judge_tell(judge, BWI_RULE_WIDTH_ZERO, c->curves->object, view->attribute->name, zero,
                           "%s of zero or less: nothing is seen there", bwi_judge_count(judge, zero, "width"));
        return;
    }
    uint64_t negative = 0;
    for (uint64_t i = 0; i < count; i++)
        negative += bwi_judge_number(view, i, 0) < 0;
    if (negative > 0)
        bwi_judge_tell(judge, BWI_RULE_WIDTH_ZERO, c->curves->object, view->attribute->name, negative, "%s below zero",
                       bwi_judge_count(judge, negative, "width"));
}

void bwi_judge_values(bwi_judge *judge, const bwi_judge_curves *curves) {
    judge_ranges(judge, curves);
    judge_weights(judge, curves);
    judge_widths(judge, curves);
    if (!curves->has_uv && curves->strand_count > 0)
        bwi_judge_tell(judge, BWI_RULE_UV_NONE, curves->curves->object, NULL, curves->strand_count,
                       "it has no root UV: %s",
                       judge->engine == BW_GROOM_UNREAL_5_0 ? "a sphere's is made up"
                                                            : "textures along the scalp are looked up at 0");
}
