/* SPDX-License-Identifier: MIT
 * Animation samplers: keys that ascend strictly, values to match.
 *
 * Keys out of order are sorted.  Keys at one time are a jump: viewers come from the first of them and go on from the last, so those two stay,
 * the first moved back by the smallest step a float can make; at the very start, where nothing leads up to it, only the last stays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/gltf/gltf_priv.h"

typedef struct key {
    float time_s;
    uint32_t index; /* in the file */
} key;

/* By time, then by place in the file: a total order, so qsort's result is one and the same everywhere. */
static int compare_keys(const void *a, const void *b) {
    const key *x = a, *y = b;
    if (x->time_s != y->time_s) {
        return x->time_s < y->time_s ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool ascends(const float *times, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        if (!(times[i - 1] < times[i])) {
            return false;
        }
    }
    return true;
}

/* Keeps of each group of equal times what the file's head says; returns how many keys are left, in place. */
static uint32_t resolve_equal(key *keys, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t first = 0; first < count;) {
        uint32_t last = first;
        while (last + 1 < count && keys[last + 1].time_s == keys[first].time_s) {
            last++;
        }
        float before = nextafterf(keys[first].time_s, -INFINITY);
        if (last > first && kept > 0 && keys[kept - 1].time_s < before) {
            keys[kept++] = (key){before, keys[first].index};
        }
        keys[kept++] = keys[last];
        first = last + 1;
    }
    return kept;
}

/* Sorted keys of irregular times, in scratch. */
static bw_result sort_keys(bwi_gltf *g, key **out, uint32_t *kept, const float *times, uint32_t count,
                           const bwi_gltf_place *place) {
    key *keys = bwi_gltf_alloc(g, g->scratch, count, sizeof(*keys));
    if (!keys) {
        return BW_ERR_MEMORY;
    }
    uint64_t descents = 0, repeats = 0;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = (key){times[i], i};
        descents += i > 0 && times[i] < times[i - 1];
    }
    qsort(keys, count, sizeof(*keys), compare_keys);
    for (uint32_t i = 1; i < count; i++) {
        repeats += keys[i].time_s == keys[i - 1].time_s;
    }
    if (descents) {
        bwi_gltf_warn(g, "keys-unsorted", descents, place, "key times do not ascend; they were sorted");
    }
    if (repeats) {
        bwi_gltf_warn(g, "keys-duplicate", repeats, place,
                      "keys share a time; they were played as a jump from the first to the last of them");
    }
    *kept = resolve_equal(keys, count);
    *out = keys;
    return BW_OK;
}

static bw_result arrange(bwi_gltf *g, bw_channel *channel, const key *keys, uint32_t kept, const float *values,
                         size_t key_floats) {
    float *new_times = bwi_gltf_alloc(g, g->arena, kept, sizeof(float));
    float *new_values = new_times ? bwi_gltf_alloc(g, g->arena, kept, key_floats * sizeof(float)) : NULL;
    if (!new_values) {
        return BW_ERR_MEMORY;
    }
    for (size_t i = 0; i < kept; i++) {
        new_times[i] = keys[i].time_s;
        memcpy(new_values + i * key_floats, values + keys[i].index * key_floats, key_floats * sizeof(float));
    }
    channel->times_s = new_times;
    channel->values = new_values;
    channel->key_count = kept;
    return BW_OK;
}

static bw_result read_interpolation(bwi_gltf *g, bw_interpolation *out, const bwi_gltf_place *place,
                                    const json_t *sampler) {
    const char *name;
    BWI_GLTF_TRY(bwi_gltf_get_string(g, &name, place, sampler, "interpolation"));
    if (!name || strcmp(name, "LINEAR") == 0) {
        *out = BW_INTERPOLATION_LINEAR;
    } else if (strcmp(name, "STEP") == 0) {
        *out = BW_INTERPOLATION_STEP;
    } else if (strcmp(name, "CUBICSPLINE") == 0) {
        *out = BW_INTERPOLATION_CUBICSPLINE;
    } else {
        return bwi_gltf_malformed(g, place, "\"interpolation\" is \"%.40s\", expected LINEAR, STEP or CUBICSPLINE",
                                  name);
    }
    return BW_OK;
}

/* Cubic keys stay as they are, since tangents fit only those values; what is evaluated from them is normalised. */
static uint64_t count_not_unit(const float *values, size_t key_count, double tolerance) {
    uint64_t off = 0;
    for (size_t i = 0; i < key_count; i++) {
        float value[4];
        memcpy(value, values + 12 * i + 4, sizeof(value));
        off += bwi_gltf_normalise_quats(value, 1, tolerance);
    }
    return off;
}

/* Values as the file orders them: component_count floats a key, three times that for cubic keys. */
static bw_result read_values(bwi_gltf *g, float **out, bwi_arena *arena, const bw_channel *channel,
                             const bwi_gltf_place *place, uint32_t accessor, uint32_t key_count) {
    const bwi_gltf_place here = {place, "output", BW_NO_INDEX, NULL};
    const bwi_gltf_accessor *a = &g->accessors[accessor];
    bool rotation = channel->path == BW_CHANNEL_ROTATION, weights = channel->path == BW_CHANNEL_WEIGHTS;
    bool cubic = channel->interpolation == BW_INTERPOLATION_CUBICSPLINE;
    bwi_gltf_type type = weights ? BWI_GLTF_SCALAR : rotation ? BWI_GLTF_VEC4 : BWI_GLTF_VEC3;
    BWI_GLTF_TRY(
        bwi_gltf_expect(g, &here, accessor, BWI_GLTF_BIT(type), BWI_GLTF_ANY_COMPONENT & ~BWI_GLTF_BIT(BWI_GLTF_U32)));
    uint64_t expected = (uint64_t)key_count * (cubic ? 3u : 1u);
    /* key_count < 2^32, so times 3 times a list's length (< 2^27, its text would be as long) stays below 2^61. */
    expected *= weights ? channel->component_count : 1u;
    if (a->count != expected) {
        return bwi_gltf_malformed(g, &here, "it has %u elements, expected %llu for %u keys", a->count,
                                  (unsigned long long)expected, key_count);
    }
    BWI_GLTF_TRY(bwi_gltf_floats(g, out, arena, &here, accessor, rotation || weights, BWI_GLTF_REFUSE_NOT_FINITE));
    if (rotation) {
        double tolerance = bwi_gltf_unit_tolerance(a->component);
        uint64_t off =
            cubic ? count_not_unit(*out, key_count, tolerance) : bwi_gltf_normalise_quats(*out, key_count, tolerance);
        if (off) {
            bwi_gltf_warn(g, "rotation-keys-not-unit", off, place,
                          "rotation keys are no unit quaternions; they are normalised");
        }
    }
    return BW_OK;
}

bw_result bwi_gltf_read_sampler(bwi_gltf *g, bw_channel *channel, const bwi_gltf_place *place, const json_t *sampler) {
    uint32_t input, output;
    const float *times;
    const bwi_gltf_place input_place = {place, "input", BW_NO_INDEX, NULL};
    BWI_GLTF_TRY(read_interpolation(g, &channel->interpolation, place, sampler));
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &input, place, sampler, "input", g->accessors_json));
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &output, place, sampler, "output", g->accessors_json));
    if (input == BW_NO_INDEX || output == BW_NO_INDEX) {
        return bwi_gltf_malformed(g, place, "its sampler has no \"%s\"", input == BW_NO_INDEX ? "input" : "output");
    }
    BWI_GLTF_TRY(bwi_gltf_attribute(g, &times, &input_place, input, BWI_GLTF_KEY_TIMES));
    uint32_t key_count = g->accessors[input].count;
    bool regular = ascends(times, key_count);
    float *values;
    BWI_GLTF_TRY(read_values(g, &values, regular ? g->arena : g->scratch, channel, place, output, key_count));
    if (regular) {
        channel->times_s = times;
        channel->values = values;
        channel->key_count = key_count;
    } else {
        key *keys;
        uint32_t kept;
        size_t key_floats =
            (size_t)channel->component_count * (channel->interpolation == BW_INTERPOLATION_CUBICSPLINE ? 3u : 1u);
        BWI_GLTF_TRY(sort_keys(g, &keys, &kept, times, key_count, place));
        BWI_GLTF_TRY(arrange(g, channel, keys, kept, values, key_floats));
    }
    if (key_count == 1 && channel->interpolation == BW_INTERPOLATION_CUBICSPLINE) {
        bwi_gltf_warn(g, "cubic-single-key", 1, place, "a cubic spline of one key, which glTF forbids, holds still");
    }
    if (channel->key_count > 0 && channel->times_s[0] < 0.0f) {
        bwi_gltf_warn(g, "keys-negative", 1, place,
                      "key times begin before 0, which glTF forbids; they were taken as they are");
    }
    return BW_OK;
}
