/* SPDX-License-Identifier: MIT
 * Curves of an archive as they stand there: counts that do not add up and values of odd types are for lint to judge, so that nothing of what the
 * typed layer insists on is asked for. */
#include <string.h>

#include "read/alembic/abc_hair_priv.h"

/* What positions of later samples are read from. */
typedef struct positions_source {
    const bw_alembic *archive;
    const bw_alembic_property *property;
    uint64_t point_count; /* of every sample */
} positions_source;

const bw_alembic_property *bwi_abc_hair_find(const bw_alembic_property_list *list, const char *name) {
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->data[k].name, name) == 0)
            return &list->data[k];
    return NULL;
}

static const char *say(const bwi_abc_hair *h, const char *name, const bw_alembic_property *property,
                       const char *expected) {
    if (!property)
        return bwi_arena_printf(h->arena, "it has no %s", name);
    if (property->kind == BW_ALEMBIC_COMPOUND)
        return bwi_arena_printf(h->arena, "its %s is a compound, expected %s", name, expected);
    return bwi_arena_printf(h->arena, "its %s is %s of %u %s, expected %s", name,
                            property->kind == BW_ALEMBIC_SCALAR ? "a scalar" : "an array", (unsigned)property->extent,
                            bw_alembic_pod_name(property->pod), expected);
}

static bool is_array(const bw_alembic_property *p, bw_alembic_pod pod, uint32_t extent) {
    return p && p->kind == BW_ALEMBIC_ARRAY && p->pod == pod && p->extent == extent;
}

static bool is_float(bw_alembic_pod pod) {
    return pod == BW_ALEMBIC_FLOAT16 || pod == BW_ALEMBIC_FLOAT32 || pod == BW_ALEMBIC_FLOAT64;
}

static bool is_integer(bw_alembic_pod pod) {
    return pod >= BW_ALEMBIC_UINT8 && pod <= BW_ALEMBIC_INT64;
}

/* A property of that type, to be read; of another one the object's problem. */
static bw_result take(const bw_alembic_property **found, const char **problem, const bwi_abc_hair *h,
                      const bw_alembic_property_list *geometry, const char *name, bw_alembic_pod pod, uint32_t extent,
                      bool needed, const char *expected) {
    const bw_alembic_property *p = bwi_abc_hair_find(geometry, name);
    *found = p && p->kind == BW_ALEMBIC_ARRAY ? p : NULL;
    if (*problem || (!p && !needed) || is_array(p, pod, extent))
        return BW_OK;
    *problem = say(h, name, p, expected);
    return *problem ? BW_OK : bwi_fail_memory(h->error, h->archive->path, h->mem, strlen(name));
}

/* The first sample of an array; a count of 0: it has none, or it cannot be read (the object's problem). */
static bw_result view_first(bw_alembic_sample *sample, const char **problem, bwi_abc_hair *h,
                            const bw_alembic_property *property) {
    *sample = (bw_alembic_sample){0};
    if (!property || property->sample_count == 0)
        return BW_OK;
    bw_result result = bw_alembic_view(sample, h->archive, property, 0, h->error);
    return result != BW_OK && bwi_abc_hair_is_fatal(problem, h, result) ? result : BW_OK;
}

static void convert(float *dst, const bw_alembic_sample *sample, bw_alembic_pod pod) {
    const size_t size = bw_alembic_pod_size(pod);
    if (pod == BW_ALEMBIC_FLOAT32 && sample->values) {
        memcpy(dst, sample->values, (size_t)sample->value_count * sizeof *dst);
        return;
    }
    for (uint64_t k = 0; k < sample->value_count; k++)
        dst[k] = (float)bw_alembic_float(sample->bytes + k * size, pod);
}

static bw_result read_positions(const void *ctx, uint32_t sample, float *dst, bw_error *error) {
    const positions_source *c = ctx;
    bw_alembic_sample points;
    bw_result result = bw_alembic_view(&points, c->archive, c->property, sample, error);
    if (result != BW_OK)
        return result;
    if (points.point_count != c->point_count)
        return bwi_abc_fail(error, BW_ERR_UNSUPPORTED, c->archive, c->property->object, c->property, sample,
                            "has %llu points, the first sample has %llu; hair must keep its points over time",
                            (unsigned long long)points.point_count, (unsigned long long)c->point_count);
    if (points.point_count > 0)
        convert(dst, &points, c->property->pod);
    return BW_OK;
}

/* Positions that are no float32 are converted: programs refuse them, a repair need not. */
static bw_result take_positions(bwi_hair_curves *c, bwi_abc_hair *h, const bw_alembic_property *property,
                                const bw_alembic_sample *sample) {
    if (sample->point_count == 0)
        return BW_OK;
    if (property->pod == BW_ALEMBIC_FLOAT32) {
        c->positions = bwi_abc_hair_values(h, sample);
        if (!c->positions)
            return BW_ERR_MEMORY;
    } else {
        float *positions = bwi_abc_hair_alloc(h, (size_t)sample->value_count, sizeof *positions);
        if (!positions)
            return BW_ERR_MEMORY;
        convert(positions, sample, property->pod);
        c->positions = positions;
    }
    c->point_count = sample->point_count;
    return BW_OK;
}

static bw_result take_counts(bwi_hair_curves *c, bwi_abc_hair *h, const bw_alembic_property *property,
                             const bw_alembic_sample *sample) {
    if (sample->point_count == 0)
        return BW_OK;
    if (property->pod == BW_ALEMBIC_INT32) {
        c->counts = bwi_abc_hair_values(h, sample);
        if (!c->counts)
            return BW_ERR_MEMORY;
    } else {
        int32_t *counts = bwi_abc_hair_alloc(h, (size_t)sample->value_count, sizeof *counts);
        if (!counts)
            return BW_ERR_MEMORY;
        const size_t size = bw_alembic_pod_size(property->pod);
        for (uint64_t k = 0; k < sample->value_count; k++) {
            const int64_t count = bw_alembic_int(sample->bytes + k * size, property->pod);
            counts[k] = count > INT32_MAX ? INT32_MAX : count < INT32_MIN ? INT32_MIN : (int32_t)count;
        }
        c->counts = counts;
    }
    c->curve_count = sample->point_count;
    return BW_OK;
}

static bw_result take_basis(bwi_hair_curves *c, const char **problem, bwi_abc_hair *h,
                            const bw_alembic_property *property) {
    for (size_t k = 0; k < 4; k++)
        c->raw_basis[k] = -1;
    if (!property || property->kind != BW_ALEMBIC_SCALAR || property->pod != BW_ALEMBIC_UINT8 ||
        property->extent != 4) {
        if (*problem)
            return BW_OK;
        *problem = say(h, "curveBasisAndType", property, "a scalar of 4 uint8");
        return *problem ? BW_OK : bwi_fail_memory(h->error, h->archive->path, h->mem, 1);
    }
    bw_alembic_sample sample;
    bw_result result = view_first(&sample, problem, h, property);
    if (result != BW_OK || sample.value_count != 4)
        return result;
    static const bwi_hair_type types[] = {BWI_HAIR_CUBIC, BWI_HAIR_LINEAR, BWI_HAIR_VARIABLE_ORDER};
    const uint8_t *raw = sample.bytes;
    for (size_t k = 0; k < 4; k++)
        c->raw_basis[k] = raw[k];
    c->known_basis = raw[0] <= 2 && raw[1] <= 1 && raw[2] <= BWI_HAIR_POWER;
    if (c->known_basis) {
        c->type = types[raw[0]];
        c->periodic = raw[1] == 1;
        c->basis = (bwi_hair_basis)raw[2];
    }
    return BW_OK;
}

/* What goes with control vertices; of another type it is left out, which the object's problem says. */
static bw_result take_spline(bwi_hair_curves *c, const char **problem, bwi_abc_hair *h,
                             const bw_alembic_property_list *geometry) {
    const bw_alembic_property *orders, *knots, *weights;
    bw_alembic_sample sample;
    bw_result result = take(&orders, problem, h, geometry, ".orders", BW_ALEMBIC_UINT8, 1, false, "an array of uint8");
    if (result == BW_OK)
        result = take(&knots, problem, h, geometry, ".knots", BW_ALEMBIC_FLOAT32, 1, false, "an array of float32");
    if (result == BW_OK)
        result = take(&weights, problem, h, geometry, "w", BW_ALEMBIC_FLOAT32, 1, false, "an array of float32");
    if (result == BW_OK && is_array(orders, BW_ALEMBIC_UINT8, 1)) {
        result = view_first(&sample, problem, h, orders);
        c->orders = sample.bytes;
        c->order_count = sample.point_count;
    }
    if (result == BW_OK && is_array(knots, BW_ALEMBIC_FLOAT32, 1)) {
        result = view_first(&sample, problem, h, knots);
        if (result == BW_OK && sample.point_count > 0) {
            c->knots = bwi_abc_hair_values(h, &sample);
            result = c->knots ? BW_OK : BW_ERR_MEMORY;
        }
        c->knot_count = sample.point_count;
    }
    if (result == BW_OK && is_array(weights, BW_ALEMBIC_FLOAT32, 1)) {
        result = view_first(&sample, problem, h, weights);
        if (result == BW_OK && sample.point_count > 0) {
            c->weights = bwi_abc_hair_values(h, &sample);
            result = c->weights ? BW_OK : BW_ERR_MEMORY;
        }
        c->weight_count = sample.point_count;
    }
    return result;
}

/* Whether an array has another size (or, with `all`, other values) in some sample than in the first.  What cannot be read shows when it is. */
static bool changes(bwi_abc_hair *h, const bw_alembic_property *property, bool all) {
    if (!bwi_abc_is_animated(property))
        return false;
    bw_alembic_sample first, other;
    if (bw_alembic_view(&first, h->archive, property, 0, NULL) != BW_OK)
        return false;
    for (uint32_t k = property->first_changed; k <= property->last_changed && k < property->sample_count; k++) {
        if (bw_alembic_view(&other, h->archive, property, k, NULL) != BW_OK)
            return true;
        if (other.point_count != first.point_count)
            return true;
        if (all && other.offset != first.offset && first.size > 0 &&
            memcmp(first.key, other.key, sizeof first.key) != 0 && memcmp(first.bytes, other.bytes, first.size) != 0)
            return true;
    }
    return false;
}

static bw_result take_samples(bwi_hair_curves *c, const char **problem, bwi_abc_hair *h,
                              const bw_alembic_property *positions, const bw_alembic_property *counts) {
    if (!positions || positions->sample_count == 0)
        return BW_OK;
    bw_result result = BW_OK;
    c->times_s = bwi_abc_hair_times(&result, h, positions->time_sampling, positions->sample_count);
    c->sample_count = c->times_s ? positions->sample_count : 0;
    if (!c->times_s) {
        if (result != BW_OK)
            return result;
        if (!*problem)
            *problem = "it claims more samples than can be read";
        return BW_OK;
    }
    c->moves = bwi_abc_is_animated(positions);
    c->topology_moves = changes(h, positions, false) || changes(h, counts, true);
    positions_source *source = bwi_abc_hair_alloc(h, 1, sizeof *source);
    if (!source)
        return BW_ERR_MEMORY;
    *source = (positions_source){h->archive, positions, c->point_count};
    c->read = read_positions;
    c->ctx = source;
    return BW_OK;
}

/* Alembic's own attributes, of another type than which its library throws. */
static const struct {
    const char *name;
    uint32_t extent;
    const char *expected;
} natives[] = {
    {"width", 1, "an array of float32"}, {"uv", 2, "an array of 2 float32"}, {"N", 3, "an array of 3 float32"}};

static bw_result add_native(const char **problem, bwi_abc_hair *h, uint32_t object, size_t k,
                            const bw_alembic_property *property) {
    bw_result result = bwi_abc_hair_add_attribute(h, object, BWI_HAIR_NATIVE, property);
    if (result != BW_OK || *problem)
        return result;
    const bwi_hair_attribute *a = &h->attributes[h->attribute_count - 1];
    if (!a->is_scalar && a->pod == BW_ALEMBIC_FLOAT32 && a->extent == natives[k].extent)
        return BW_OK;
    *problem = a->is_compound
                   ? bwi_arena_printf(h->arena, "its %s is chosen from %u %s by indices, expected %s", natives[k].name,
                                      (unsigned)a->extent, bw_alembic_pod_name(a->pod), natives[k].expected)
                   : say(h, natives[k].name, property, natives[k].expected);
    return *problem ? BW_OK : bwi_fail_memory(h->error, h->archive->path, h->mem, 1);
}

static bw_result add_attributes(bwi_hair_curves *c, const char **problem, bwi_abc_hair *h, uint32_t object,
                                const bw_alembic_property_list *geometry) {
    bw_result result = BW_OK;
    c->first_attribute = (uint32_t)h->attribute_count;
    for (size_t k = 0; result == BW_OK && k < sizeof natives / sizeof natives[0]; k++) {
        const bw_alembic_property *property = bwi_abc_hair_find(geometry, natives[k].name);
        if (property)
            result = add_native(problem, h, object, k, property);
    }
    if (result == BW_OK)
        result = bwi_abc_hair_add_extras(problem, h, object, geometry);
    c->attribute_count = (uint32_t)h->attribute_count - c->first_attribute;
    for (size_t k = c->first_attribute; k < h->attribute_count; k++)
        c->only_attributes_move = c->only_attributes_move || h->attributes[k].moves;
    c->only_attributes_move = c->only_attributes_move && !c->moves;
    return result;
}

bw_result bwi_abc_hair_add_curves(const char **problem, bwi_abc_hair *h, uint32_t object,
                                  const bw_alembic_property_list *geometry) {
    bwi_hair_curves c = {.object = object};
    const bw_alembic_property *positions, *counts, *bounds = bwi_abc_hair_find(geometry, ".selfBnds");
    bw_alembic_sample sample;
    bw_result result =
        take(&positions, problem, h, geometry, "P", BW_ALEMBIC_FLOAT32, 3, true, "an array of 3 float32");
    if (result == BW_OK)
        result = take(&counts, problem, h, geometry, "nVertices", BW_ALEMBIC_INT32, 1, true, "an array of int32");
    if (result != BW_OK)
        return result;
    positions = positions && is_float(positions->pod) && positions->extent == 3 ? positions : NULL;
    counts = counts && is_integer(counts->pod) && counts->extent == 1 ? counts : NULL;
    result = view_first(&sample, problem, h, positions);
    if (result == BW_OK)
        result = take_positions(&c, h, positions, &sample);
    if (result == BW_OK)
        result = view_first(&sample, problem, h, counts);
    if (result == BW_OK)
        result = take_counts(&c, h, counts, &sample);
    if (result == BW_OK)
        result = take_basis(&c, problem, h, bwi_abc_hair_find(geometry, "curveBasisAndType"));
    if (result == BW_OK)
        result = take_spline(&c, problem, h, geometry);
    if (result == BW_OK)
        result = take_samples(&c, problem, h, positions, counts);
    if (result == BW_OK && !*problem &&
        (!bounds || bounds->kind != BW_ALEMBIC_SCALAR || bounds->pod != BW_ALEMBIC_FLOAT64 || bounds->extent != 6)) {
        *problem = say(h, ".selfBnds", bounds, "a scalar of 6 float64");
        result = *problem ? BW_OK : bwi_fail_memory(h->error, h->archive->path, h->mem, 1);
    }
    if (result == BW_OK)
        result = add_attributes(&c, problem, h, object, geometry);
    if (result == BW_OK)
        result = bwi_abc_hair_grow((void **)&h->curves, &h->curve_capacity, h->curve_count, sizeof *h->curves, h);
    if (result == BW_OK)
        h->curves[h->curve_count++] = c;
    return result;
}
