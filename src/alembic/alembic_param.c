/* SPDX-License-Identifier: MIT
 * Attributes of geometry: values of their own or chosen by indices, in one of five scopes. */
#include <stdlib.h>
#include <string.h>

#include "alembic/alembic_priv.h"
#include "alembic/schema.h"

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* How many points of the property make one element; exporters leave it out for 1. */
static bool array_extent(uint32_t *extent, const bw_alembic_property *property) {
    const char *text = bw_alembic_meta_value(property->metadata, "arrayExtent");
    *extent = 1;
    if (!text)
        return true;
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end || value == 0 || value > 65536)
        return false;
    *extent = (uint32_t)value;
    return true;
}

static bw_result find_members(bwi_abc_param *param, bw_alembic *archive, const bw_alembic_property *compound,
                              bw_error *error) {
    bw_alembic_property_list members;
    bw_result result = bw_alembic_members(&members, archive, compound, error);
    for (size_t k = 0; result == BW_OK && k < members.count; k++) {
        const bw_alembic_property *member = &members.data[k];
        if (member->kind != BW_ALEMBIC_ARRAY)
            continue;
        if (strcmp(member->name, ".vals") == 0)
            param->values = member;
        else if (strcmp(member->name, ".indices") == 0 && member->pod == BW_ALEMBIC_UINT32 && member->extent == 1)
            param->indices = member;
    }
    if (result == BW_OK && (!param->values || !param->indices))
        return bwi_abc_fail(
            error, BW_ERR_MALFORMED, archive, compound->object, compound, -1,
            "is an attribute without values (.vals) or uint32 indices (.indices); export the file again");
    return result;
}

bw_result bwi_abc_param_open(bwi_abc_param *param, bw_alembic *archive, const bw_alembic_property *property,
                             bw_error *error) {
    bwi_abc_param found = {0};
    uint32_t extent = 1;
    if (!property) {
        *param = found;
        return BW_OK;
    }
    if (property->kind == BW_ALEMBIC_ARRAY) {
        found.values = property;
    } else if (property->kind == BW_ALEMBIC_COMPOUND) {
        bw_result result = find_members(&found, archive, property, error);
        if (result != BW_OK)
            return result;
    } else {
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, property->object, property, -1,
                            "is a scalar, expected an attribute; export the file again");
    }
    if (!array_extent(&extent, property))
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, property->object, property, -1,
                            "has the arrayExtent %.20s, expected 1 to 65536; export the file again",
                            bw_alembic_meta_value(property->metadata, "arrayExtent"));
    found.scope = bw_alembic_property_scope(property);
    found.width = found.values->extent * extent;
    found.sample_count = larger(found.values->sample_count, found.indices ? found.indices->sample_count : 0);
    *param = found;
    return BW_OK;
}

bw_result bwi_abc_param_view(bwi_abc_param_sample *sample, const bw_alembic *archive, const bwi_abc_param *param,
                             uint32_t index, bw_error *error) {
    bwi_abc_param_sample found = {.width = param->width};
    uint32_t at = 0, indices_at = 0;
    bw_result result = bwi_abc_view_last(&found.values, &at, archive, param->values, index, error);
    if (result == BW_OK && param->indices)
        result = bwi_abc_view_last(&found.indices, &indices_at, archive, param->indices, index, error);
    if (result != BW_OK)
        return result;
    if (found.values.value_count % param->width)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, param->values->object, param->values, at,
                            "has %llu numbers, expected whole elements of %u; export the file again",
                            (unsigned long long)found.values.value_count, param->width);
    found.indexed = param->indices && found.indices.point_count > 0;
    found.value_count = found.values.value_count / param->width;
    found.count = found.indexed ? found.indices.point_count : found.value_count;
    *sample = found;
    return BW_OK;
}

uint64_t bwi_abc_param_element(const bwi_abc_param_sample *sample, uint64_t element) {
    const uint64_t stored = sample->indexed ? bwi_alembic_u32(sample->indices.bytes + 4 * element) : element;
    return stored < sample->value_count ? stored : UINT64_MAX;
}

bool bwi_abc_param_fits(const bwi_abc_param_sample *sample, bw_alembic_scope scope, const bwi_abc_counts *counts) {
    if (scope >= BW_ALEMBIC_SCOPE_UNKNOWN || sample->count != counts->of_scope[scope])
        return false;
    for (uint64_t k = 0; sample->indexed && k < sample->count; k++)
        if (bwi_abc_param_element(sample, k) == UINT64_MAX)
            return false;
    return true;
}
