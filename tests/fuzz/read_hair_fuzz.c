/* SPDX-License-Identifier: MIT
 * Hair of archives, of cyHair files and of glTF, and of archives made of other bytes: refused with a message, or every value of it can be read. */
#include <stdlib.h>
#include <string.h>

#include "read/alembic/abc.h"
#include "read/cyhair/cyhair.h"
#include "read/gltf/gltf.h"
#include "schema_fuzz.h"

enum { MEMORY_LIMIT = 64 << 20 };

static double looked_at; /* what is read must not be left out by the compiler */

static void look_at_attribute(const bwi_hair *hair, const bwi_hair_attribute *a) {
    schema_fuzz_must(a->object < hair->objects.count, "an attribute's object");
    schema_fuzz_must(!a->problem || a->count == 0, "values of what cannot be read");
    schema_fuzz_must(a->indices || a->count == a->value_count, "a count without indices");
    schema_fuzz_must(!a->bytes || !a->strings, "numbers or strings");
    for (uint64_t k = 0; k <= a->count; k++) { /* one past all too */
        for (uint32_t i = 0; i <= a->extent; i++)
            looked_at += bwi_hair_number(a, k, i);
        const char *text = bwi_hair_text(a, k);
        looked_at += text ? (double)strlen(text) : 0.0;
    }
}

static void look_at_object(const bwi_hair *hair, uint32_t index) {
    const bwi_hair_object *o = &hair->objects.data[index];
    schema_fuzz_must(o->path[0] == '/' && o->schema, "an object's names");
    schema_fuzz_must(o->parent == BW_NO_INDEX || o->parent < index, "parents come first");
    schema_fuzz_must(!o->moves || (o->times_s && o->read && o->sample_count > 0), "a transform that moves");
    for (uint32_t pick = 0; o->moves && pick < SCHEMA_FUZZ_PICKS; pick++) {
        const uint32_t sample = schema_fuzz_pick(pick, o->sample_count);
        double matrix[16];
        bool inherits;
        bw_error error = {0};
        if (sample >= o->sample_count)
            continue;
        looked_at += o->times_s[sample];
        if (schema_fuzz_went_well(o->read(o->ctx, sample, matrix, &inherits, &error), &error))
            looked_at += matrix[5];
    }
}

static void look_at_curves(const bwi_hair *hair, const bwi_hair_curves *c) {
    schema_fuzz_must(c->object < hair->objects.count && hair->objects.data[c->object].kind == BWI_HAIR_CURVES,
                     "an object of curves");
    schema_fuzz_must(c->first_attribute + (size_t)c->attribute_count <= hair->attributes.count, "attributes");
    for (uint64_t k = 0; k < c->curve_count; k++)
        looked_at += c->counts[k];
    for (uint64_t k = 0; k < 3 * c->point_count; k++)
        looked_at += (double)c->positions[k];
    for (uint64_t k = 0; k < c->order_count; k++)
        looked_at += c->orders[k];
    for (uint64_t k = 0; k < c->knot_count; k++)
        looked_at += (double)c->knots[k];
    for (uint64_t k = 0; k < c->weight_count; k++)
        looked_at += (double)c->weights[k];
    float *positions = malloc(3 * (size_t)c->point_count * sizeof *positions + 1);
    schema_fuzz_must(positions != NULL, "memory");
    for (uint32_t pick = 0; c->sample_count > 0 && pick < SCHEMA_FUZZ_PICKS; pick++) {
        const uint32_t sample = schema_fuzz_pick(pick, c->sample_count);
        bw_error error = {0};
        if (sample >= c->sample_count)
            continue;
        looked_at += c->times_s[sample];
        if (schema_fuzz_went_well(c->read(c->ctx, sample, positions, &error), &error) && c->point_count > 0)
            looked_at += (double)positions[3 * c->point_count - 1];
    }
    free(positions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const schema_fuzz_plan plan = {{BWI_ABC_CURVES, BWI_ABC_XFORM, BWI_ABC_CURVES, BWI_ABC_POLYMESH}};
    const bw_run_opts run = {.memory_limit = MEMORY_LIMIT};
    bwi_hair *hair = NULL;
    bw_error error = {0};
    bw_result result;
    uint8_t *bytes = NULL;
    if (bwi_cyhair_recognise(data, size)) {
        result = bwi_read_cyhair(&hair, "fuzz.abc" /* the name that messages are looked through for */, data, size,
                                 &run, &error);
    } else if (bwi_gltf_recognise(data, size)) {
        result = bwi_read_gltf_hair(&hair, "fuzz.abc", NULL, data, size, &run, &error);
        schema_fuzz_must(result == BW_OK || (error.result == result && error.message[0]), "failed without a message");
        if (result != BW_OK)
            return 0;
    } else {
        size_t byte_count;
        bwi_mem mem;
        schema_fuzz_build(&bytes, &byte_count, &plan, data, size);
        bwi_mem_init(&mem, 0);
        const bwi_map map = {bytes, byte_count, &mem}; /* as of a pipe */
        result = bwi_read_alembic_hair(&hair, "fuzz.abc", &map, &run, &error);
    }
    if (schema_fuzz_went_well(result, &error)) {
        for (uint32_t k = 0; k < hair->objects.count; k++)
            look_at_object(hair, k);
        for (size_t k = 0; k < hair->curves.count; k++)
            look_at_curves(hair, &hair->curves.data[k]);
        for (size_t k = 0; k < hair->attributes.count; k++)
            look_at_attribute(hair, &hair->attributes.data[k]);
    }
    bwi_hair_free(hair);
    free(bytes);
    return 0;
}
