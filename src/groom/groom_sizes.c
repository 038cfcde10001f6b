/* SPDX-License-Identifier: MIT
 * How large hair is: lengths, widths and bounds, in centimetres by the axes and units that a file is taken to have. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/math.h"
#include "groom/groom_fix_priv.h"

/* Bits of a float as a number that is larger for a larger float. */
static uint32_t rank_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & UINT32_C(1) << 31 ? ~bits : bits | UINT32_C(1) << 31;
}

/* The float that stands at a place in sorted order: its bits are found eleven at a time by counting, which takes as long for any values. */
static float value_at(const float *values, size_t count, size_t place) {
    static const unsigned SHIFTS[3] = {21, 10, 0};
    uint32_t known = 0, mask = 0;
    for (size_t pass = 0; pass < 3; pass++) {
        const uint32_t digits = pass == 2 ? 0x3ff : 0x7ff;
        size_t counts[0x800] = {0};
        for (size_t i = 0; i < count; i++) {
            const uint32_t bits = rank_bits(values[i]);
            if ((bits & mask) == known)
                counts[bits >> SHIFTS[pass] & digits]++;
        }
        uint32_t digit = 0;
        for (; place >= counts[digit]; digit++)
            place -= counts[digit];
        known |= digit << SHIFTS[pass];
        mask |= digits << SHIFTS[pass];
    }
    const uint32_t bits = known & UINT32_C(1) << 31 ? known ^ UINT32_C(1) << 31 : ~known;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bw_groom_numbers numbers_of(const float *values, size_t count) {
    if (count == 0)
        return (bw_groom_numbers){0, 0, 0};
    float least = values[0], most = values[0];
    for (size_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    return (bw_groom_numbers){(double)least, (double)value_at(values, count, count / 2), (double)most};
}

static bool is_finite3(const float *p) {
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

typedef struct measuring {
    bwi_groom_sizes *sizes;
    float *lengths;
    size_t length_count;
    bool any_point;
} measuring;

/* In the order of bwi_mat4_point, without its calls: this is most of what a report takes. */
static void take_curve(measuring *m, const bwi_mat4 *to_cm, const float *points, uint32_t count) {
    const double *a = to_cm->m;
    double length = 0, before[3] = {0, 0, 0};
    for (uint32_t k = 0; k < count; k++) {
        if (!is_finite3(points + 3 * (size_t)k))
            return;
    }
    for (uint32_t k = 0; k < count; k++) {
        const float *p = points + 3 * (size_t)k;
        const double x = (double)p[0], y = (double)p[1], z = (double)p[2];
        double squared = 0;
        for (int c = 0; c < 3; c++) {
            const double at = a[c] * x + a[4 + c] * y + a[8 + c] * z + a[12 + c];
            const float place = (float)at;
            if (!m->any_point || place < m->sizes->bounds_min[c])
                m->sizes->bounds_min[c] = place;
            if (!m->any_point || place > m->sizes->bounds_max[c])
                m->sizes->bounds_max[c] = place;
            squared += (at - before[c]) * (at - before[c]);
            before[c] = at;
        }
        m->any_point = true;
        length += k > 0 ? sqrt(squared) : 0;
    }
    if (count >= 2)
        m->lengths[m->length_count++] = (float)length;
}

static void take_curves(measuring *m, const bwi_hair_curves *curves, const bwi_mat4 *to_cm) {
    uint64_t at = 0;
    for (uint64_t i = 0; i < curves->curve_count; i++) {
        const int32_t count = curves->counts[i];
        if (count < 0 || (uint64_t)count > curves->point_count - at)
            return;
        take_curve(m, to_cm, curves->positions + 3 * at, (uint32_t)count);
        at += (uint64_t)count;
    }
}

static bool is_width(const bwi_hair_attribute *attribute) {
    const bool named = attribute->place == BWI_HAIR_NATIVE ? strcmp(attribute->name, "width") == 0
                                                           : strcasecmp(attribute->name, "groom_width") == 0;
    return named && !attribute->strings && attribute->extent == 1;
}

static bw_result measure_widths(bwi_groom_sizes *sizes, const bwi_hair *hair, const bwi_groom_space *space,
                                bwi_mem *mem, bw_error *error) {
    uint64_t count = 0;
    for (size_t i = 0; i < hair->attributes.count; i++)
        count += is_width(&hair->attributes.data[i]) ? hair->attributes.data[i].value_count : 0;
    float *widths = count < SIZE_MAX ? bwi_alloc(mem, (size_t)count + 1, sizeof *widths) : NULL;
    if (!widths)
        return bwi_fail_memory(error, hair->path, mem, (size_t)count * sizeof *widths);
    size_t taken = 0;
    for (size_t i = 0; i < hair->attributes.count; i++) {
        bwi_hair_attribute attribute = hair->attributes.data[i];
        if (!is_width(&attribute))
            continue;
        attribute.indices = NULL; /* values as stored, each once */
        attribute.count = attribute.value_count;
        /* As a repair takes them: the schema's own is in centimetres, Alembic's a length of the file. */
        double factor = 1;
        if (attribute.place == BWI_HAIR_NATIVE) {
            const bwi_mat4 world = bwi_hair_world(hair, attribute.object);
            factor = space->unit_cm * bwi_fix_scale(&world);
        }
        for (uint64_t k = 0; k < attribute.value_count; k++) {
            const double width = bwi_hair_number(&attribute, k, 0) * factor;
            if (bwi_is_finite(width))
                widths[taken++] = (float)width;
        }
    }
    sizes->width_cm = numbers_of(widths, taken);
    bwi_free(mem, widths);
    return BW_OK;
}

bw_result bwi_groom_sizes_of(bwi_groom_sizes *sizes, const bwi_hair *hair, const bwi_groom_space *space,
                             const bwi_env *env, bw_error *error) {
    *sizes = (bwi_groom_sizes){.frames = 1};
    uint64_t strands = 0;
    for (size_t i = 0; i < hair->curves.count; i++) {
        strands += hair->curves.data[i].curve_count;
        if (hair->curves.data[i].sample_count > sizes->frames)
            sizes->frames = hair->curves.data[i].sample_count;
    }
    measuring m = {.sizes = sizes, .lengths = bwi_alloc(env->mem, (size_t)strands + 1, sizeof(float))};
    bw_result result =
        m.lengths ? BW_OK : bwi_fail_memory(error, hair->path, env->mem, (size_t)strands * sizeof(float));
    for (size_t i = 0; result == BW_OK && i < hair->curves.count; i++) {
        bwi_mat4 to_unreal;
        memcpy(to_unreal.m, space->to_unreal, sizeof to_unreal.m);
        const bwi_mat4 world = bwi_hair_world(hair, hair->curves.data[i].object);
        const bwi_mat4 to_cm = bwi_mat4_mul(&to_unreal, &world);
        take_curves(&m, &hair->curves.data[i], &to_cm);
        if (!bwi_progress_step(env->progress, 0))
            result = bwi_fail_cancelled(error);
    }
    if (result == BW_OK) {
        sizes->length_cm = numbers_of(m.lengths, m.length_count);
        result = measure_widths(sizes, hair, space, env->mem, error);
    }
    bwi_free(env->mem, m.lengths);
    return result;
}
