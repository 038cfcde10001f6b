/* SPDX-License-Identifier: MIT
 * Which schema an object follows, and what objects of every schema may have. */
#include "alembic/schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "alembic/alembic_priv.h"

bwi_abc_schema bwi_abc_schema_of(const bw_alembic_object *object) {
    static const struct {
        const char *prefix;
        bwi_abc_schema schema;
    } rows[] = {
        {"AbcGeom_Xform_", BWI_ABC_XFORM},  {"AbcGeom_PolyMesh_", BWI_ABC_POLYMESH},
        {"AbcGeom_SubD_", BWI_ABC_SUBD},    {"AbcGeom_Points_", BWI_ABC_POINTS},
        {"AbcGeom_Curve_", BWI_ABC_CURVES}, {"AbcGeom_FaceSet_", BWI_ABC_FACESET},
    };
    const char *schema = bw_alembic_meta_value(object->metadata, "schema");
    if (!schema || !*schema)
        return BWI_ABC_NONE;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(schema, rows[i].prefix, strlen(rows[i].prefix)) == 0)
            return rows[i].schema;
    return BWI_ABC_OTHER;
}

bw_result bwi_abc_fail(bw_error *error, bw_result result, const bw_alembic *archive, const bw_alembic_object *object,
                       const bw_alembic_property *property, int64_t sample, const char *format, ...) {
    const bwi_alembic_place place = {archive->state, object, property, sample, error};
    const uint64_t offset = property ? property->offset : object ? object->offset : 0;
    char text[640];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return bwi_alembic_fail(&place, result, offset, "%s", text);
}

double bwi_abc_time(const bw_alembic *archive, const bw_alembic_property *property, uint32_t index) {
    return property ? bw_alembic_time(&archive->time_samplings.data[property->time_sampling], index) : 0.0;
}

uint32_t bwi_abc_index_at(const bw_alembic *archive, const bw_alembic_property *property, double time_s) {
    return property ? bw_alembic_near_index(&archive->time_samplings.data[property->time_sampling],
                                            property->sample_count, time_s)
                    : 0;
}

bool bwi_abc_is_animated(const bw_alembic_property *property) {
    return property && property->sample_count > 1 && property->last_changed > 0;
}

/* Here, so that loops over samples are loops over words. */
static uint32_t u32_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

float bwi_abc_float(const bw_alembic_sample *sample, uint64_t value) {
    const uint32_t bits = u32_at(sample->bytes + 4 * value);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

int32_t bwi_abc_int(const bw_alembic_sample *sample, uint64_t value) {
    const uint32_t bits = u32_at(sample->bytes + 4 * value);
    int32_t number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

void bwi_abc_gather(float *vectors, const bw_alembic_sample *sample, const uint32_t *points, size_t count) {
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < 3; i++) {
            const uint32_t bits = u32_at(sample->bytes + 12 * (size_t)points[k] + 4 * i);
            memcpy(&vectors[3 * k + i], &bits, sizeof bits);
        }
}

/* A float's exponent is all ones where it is infinite or no number.  Blocks are looked at whole, then the one that holds it by its values. */
static bool all_finite(const bw_alembic_sample *sample, uint64_t *bad) {
    enum { BLOCK = 1024 };
    uint64_t from = 0;
    for (; from + BLOCK <= sample->value_count; from += BLOCK) {
        uint32_t found = 0;
        for (uint64_t k = from; k < from + BLOCK; k++)
            found |= (u32_at(sample->bytes + 4 * k) & 0x7F800000U) == 0x7F800000U;
        if (found)
            break;
    }
    for (uint64_t k = from; k < sample->value_count; k++) {
        if ((u32_at(sample->bytes + 4 * k) & 0x7F800000U) == 0x7F800000U) {
            *bad = k;
            return false;
        }
    }
    return true;
}

bw_result bwi_abc_vectors_view(bw_alembic_sample *vectors, const bw_alembic *archive,
                               const bw_alembic_property *property, uint32_t index, bw_error *error) {
    uint64_t bad = 0;
    bw_alembic_sample sample;
    if (property->sample_count == 0)
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, property->object, property, -1,
                            "holds no sample; export the file again");
    const uint32_t at = index < property->sample_count ? index : property->sample_count - 1;
    bw_result result = bw_alembic_view(&sample, archive, property, at, error);
    if (result != BW_OK)
        return result;
    if (!all_finite(&sample, &bad))
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, property->object, property, at,
                            "component %u of point %llu is not finite; export the file again without NaN or infinity",
                            (unsigned)(bad % 3), (unsigned long long)(bad / 3));
    *vectors = sample;
    return BW_OK;
}

bw_result bwi_abc_visibility_open(const bw_alembic_property **visible, bw_alembic *archive,
                                  const bw_alembic_object *object, bw_error *error) {
    const bw_alembic_property *found = NULL;
    bw_result result = bw_alembic_find_property(&found, archive, object, "visible", error);
    if (result != BW_OK)
        return result;
    if (found && (found->kind != BW_ALEMBIC_SCALAR || found->pod != BW_ALEMBIC_INT8 || found->extent != 1))
        return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, object, found, -1,
                            "visibility is no scalar of one int8; export the file again");
    *visible = found && found->sample_count > 0 ? found : NULL;
    return BW_OK;
}

bw_result bwi_abc_visibility(int *visible, const bw_alembic *archive, const bw_alembic_property *property,
                             uint32_t index, bw_error *error) {
    bw_alembic_sample sample;
    bw_result result = bw_alembic_view(&sample, archive, property, index, error);
    if (result != BW_OK)
        return result;
    const int8_t value = (int8_t)sample.bytes[0];
    *visible = value < 0 ? -1 : value > 0;
    return BW_OK;
}

bw_result bwi_abc_extras_open(const bw_alembic_property **arbitrary, const bw_alembic_property **user,
                              bw_alembic *archive, const bw_alembic_object *object, bw_error *error) {
    const bool moves = bwi_abc_schema_of(object) == BWI_ABC_XFORM;
    const bw_alembic_property *found[2] = {NULL, NULL};
    static const char *const paths[2][2] = {{".geom/.arbGeomParams", ".geom/.userProperties"},
                                            {".xform/.arbGeomParams", ".xform/.userProperties"}};
    for (size_t k = 0; k < 2; k++) {
        bw_result result = bw_alembic_find_property(&found[k], archive, object, paths[moves][k], error);
        if (result != BW_OK)
            return result;
        if (found[k] && found[k]->kind != BW_ALEMBIC_COMPOUND)
            return bwi_abc_fail(error, BW_ERR_MALFORMED, archive, object, found[k], -1,
                                "is no compound of attributes; export the file again");
    }
    *arbitrary = found[0];
    *user = found[1];
    return BW_OK;
}
