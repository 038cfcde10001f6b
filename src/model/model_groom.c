/* SPDX-License-Identifier: MIT
 * Hair as a file has it: reading values; and the table of the schema's attributes. */
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "model/hair.h"

#define BWI_GROOM_ATTRIBUTE(name, type, width, scopes, written, since, field) \
    {"groom_" name, type, width, scopes, written, since, offsetof(bw_groom, field)},
const bwi_groom_schema bwi_groom_schemas[] = {
#include "model/groom_attributes.def"
    {NULL, BWI_GROOM_FLOAT, 0, 0, 0, BW_GROOM_ENGINE_DEFAULT, 0}};
#undef BWI_GROOM_ATTRIBUTE

const bwi_groom_schema *bwi_groom_schema_find(const char *name) {
    for (const bwi_groom_schema *row = bwi_groom_schemas; row->name; row++) {
        if (strcasecmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

const char *bwi_groom_engine_name(bw_groom_engine engine) {
    static const char *const NAMES[] = {NULL, "unreal5.0", "unreal5.3", "unreal5.4", "unreal5.8", "unity"};
    return engine >= BW_GROOM_UNREAL_5_0 && engine <= BW_GROOM_UNITY ? NAMES[engine] : NULL;
}

const char *bw_groom_level_name(bw_groom_level level) {
    return level == BW_GROOM_ERROR ? "error" : level == BW_GROOM_WARNING ? "warning" : "info";
}

static bool find_value(const bwi_hair_attribute *attribute, uint64_t element, uint64_t *value) {
    *value = element;
    if (element >= attribute->count)
        return false;
    if (attribute->indices)
        *value = attribute->indices[element];
    return *value < attribute->value_count;
}

double bwi_hair_number(const bwi_hair_attribute *attribute, uint64_t element, uint32_t component) {
    uint64_t value;
    if (!attribute->bytes || component >= attribute->extent || !find_value(attribute, element, &value))
        return 0;
    const uint8_t *bytes =
        attribute->bytes + (value * attribute->extent + component) * bw_alembic_pod_size(attribute->pod);
    bool is_float = attribute->pod >= BW_ALEMBIC_FLOAT16 && attribute->pod <= BW_ALEMBIC_FLOAT64;
    return is_float ? bw_alembic_float(bytes, attribute->pod) : (double)bw_alembic_int(bytes, attribute->pod);
}

const char *bwi_hair_text(const bwi_hair_attribute *attribute, uint64_t element) {
    uint64_t value;
    return attribute->strings && attribute->extent > 0 && find_value(attribute, element, &value)
               ? attribute->strings[value * attribute->extent]
               : NULL;
}

void bwi_hair_free(bwi_hair *hair) {
    if (!hair)
        return;
    if (hair->close)
        hair->close(hair->close_ctx);
    bwi_arena_free(hair->arena);
}
