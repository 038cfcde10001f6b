/* SPDX-License-Identifier: MIT
 * Accessors (glTF 2.0 §3.6.2): every type, stride, normalisation and sparse form turns into plain arrays here, and only here. */
#include <math.h>
#include <string.h>

#include "read/gltf/gltf_priv.h"

static const struct {
    const char *name;
    uint8_t rows, columns;
} types[BWI_GLTF_TYPE_COUNT] = {
    [BWI_GLTF_SCALAR] = {"SCALAR", 1, 1}, [BWI_GLTF_VEC2] = {"VEC2", 2, 1}, [BWI_GLTF_VEC3] = {"VEC3", 3, 1},
    [BWI_GLTF_VEC4] = {"VEC4", 4, 1},     [BWI_GLTF_MAT2] = {"MAT2", 2, 2}, [BWI_GLTF_MAT3] = {"MAT3", 3, 3},
    [BWI_GLTF_MAT4] = {"MAT4", 4, 4},
};

static const struct {
    const char *name;
    uint32_t code; /* componentType */
    uint8_t size;
} components[BWI_GLTF_COMPONENT_COUNT] = {
    [BWI_GLTF_I8] = {"8-bit signed", 5120, 1},     [BWI_GLTF_U8] = {"8-bit unsigned", 5121, 1},
    [BWI_GLTF_I16] = {"16-bit signed", 5122, 2},   [BWI_GLTF_U16] = {"16-bit unsigned", 5123, 2},
    [BWI_GLTF_U32] = {"32-bit unsigned", 5125, 4}, [BWI_GLTF_F32] = {"32-bit float", 5126, 4},
};

/* Columns of matrices start at multiples of four bytes. */
static uint32_t column_stride(bwi_gltf_type type, bwi_gltf_component component) {
    uint32_t size = (uint32_t)types[type].rows * components[component].size;
    return types[type].columns > 1 ? (size + 3u) & ~3u : size;
}

/* ---- The table: JSON and ranges, no data yet. ---- */

static bw_result read_component(bwi_gltf *g, bwi_gltf_component *out, const bwi_gltf_place *place, const json_t *json) {
    uint64_t code;
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &code, place, json, "componentType", BWI_GLTF_REQUIRED));
    for (unsigned i = 0; i < BWI_GLTF_COMPONENT_COUNT; i++) {
        if (components[i].code == code) {
            *out = (bwi_gltf_component)i;
            return BW_OK;
        }
    }
    return bwi_gltf_malformed(g, place, "\"componentType\" is %llu, expected 5120 to 5123, 5125 or 5126",
                              (unsigned long long)code);
}

static bw_result read_type(bwi_gltf *g, bwi_gltf_type *out, const bwi_gltf_place *place, const json_t *json) {
    const char *name;
    BWI_GLTF_TRY(bwi_gltf_get_string(g, &name, place, json, "type"));
    for (unsigned i = 0; name && i < BWI_GLTF_TYPE_COUNT; i++) {
        if (strcmp(name, types[i].name) == 0) {
            *out = (bwi_gltf_type)i;
            return BW_OK;
        }
    }
    return bwi_gltf_malformed(g, place, "\"type\" is %s%.40s%s, expected SCALAR, VEC2 to VEC4 or MAT2 to MAT4",
                              name ? "\"" : "", name ? name : "missing", name ? "\"" : "");
}

/* Checks that count elements from offset on lie inside the view. */
static bw_result check_range(bwi_gltf *g, const bwi_gltf_place *place, uint32_t view, uint64_t offset, uint64_t stride,
                             uint64_t element_size, uint32_t count) {
    uint64_t size = g->views[view].size;
    /* offset < 2^53 + 1, count < 2^32, stride < 2^16: no overflow. */
    uint64_t end = count ? offset + stride * (count - 1u) + element_size : offset;
    if (end > size) {
        return bwi_gltf_malformed(g, place, "its %u elements end at byte %llu, but buffer view %u has %llu", count,
                                  (unsigned long long)end, view, (unsigned long long)size);
    }
    return BW_OK;
}

static bw_result read_sparse_part(bwi_gltf *g, const bwi_gltf_place *place, const json_t *sparse, const char *key,
                                  uint32_t *view, uint64_t *offset, json_t **part) {
    BWI_GLTF_TRY(bwi_gltf_get_object(g, part, place, sparse, key));
    if (!*part) {
        return bwi_gltf_malformed(g, place, "\"sparse\" has no \"%s\"", key);
    }
    const bwi_gltf_place here = {place, key, BW_NO_INDEX, NULL};
    BWI_GLTF_TRY(bwi_gltf_get_index(g, view, &here, *part, "bufferView", g->views_json));
    if (*view == BW_NO_INDEX) {
        return bwi_gltf_malformed(g, &here, "\"bufferView\" is missing");
    }
    return bwi_gltf_get_uint(g, offset, &here, *part, "byteOffset", 0);
}

static bw_result read_sparse(bwi_gltf *g, bwi_gltf_accessor *a, const bwi_gltf_place *accessor_place,
                             const json_t *json) {
    json_t *sparse, *part;
    uint64_t count;
    BWI_GLTF_TRY(bwi_gltf_get_object(g, &sparse, accessor_place, json, "sparse"));
    if (!sparse) {
        return BW_OK;
    }
    const bwi_gltf_place place = {accessor_place, "sparse", BW_NO_INDEX, NULL};
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &count, &place, sparse, "count", BWI_GLTF_REQUIRED));
    if (count == 0 || count > a->count) {
        return bwi_gltf_malformed(g, &place, "\"count\" is %llu, expected 1 to the accessor's %u",
                                  (unsigned long long)count, a->count);
    }
    a->sparse_count = (uint32_t)count;
    BWI_GLTF_TRY(read_sparse_part(g, &place, sparse, "indices", &a->sparse_index_view, &a->sparse_index_offset, &part));
    BWI_GLTF_TRY(read_component(g, &a->sparse_index_component, &place, part));
    if (a->sparse_index_component != BWI_GLTF_U8 && a->sparse_index_component != BWI_GLTF_U16 &&
        a->sparse_index_component != BWI_GLTF_U32) {
        return bwi_gltf_malformed(g, &place, "its indices are %s, expected unsigned integers",
                                  components[a->sparse_index_component].name);
    }
    uint64_t index_size = components[a->sparse_index_component].size;
    BWI_GLTF_TRY(
        check_range(g, &place, a->sparse_index_view, a->sparse_index_offset, index_size, index_size, a->sparse_count));
    BWI_GLTF_TRY(read_sparse_part(g, &place, sparse, "values", &a->sparse_value_view, &a->sparse_value_offset, &part));
    return check_range(g, &place, a->sparse_value_view, a->sparse_value_offset, a->element_size, a->element_size,
                       a->sparse_count);
}

static bw_result read_accessor(bwi_gltf *g, uint32_t index) {
    const json_t *json = json_array_get(g->accessors_json, index);
    bwi_gltf_place place = bwi_gltf_place_of(NULL, "accessor", index, json);
    bwi_gltf_accessor *a = &g->accessors[index];
    uint64_t count;
    a->name = place.name;
    BWI_GLTF_TRY(read_component(g, &a->component, &place, json));
    BWI_GLTF_TRY(read_type(g, &a->type, &place, json));
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &count, &place, json, "count", BWI_GLTF_REQUIRED));
    if (count >= UINT32_MAX) {
        return bwi_gltf_malformed(g, &place, "\"count\" is %llu, expected less than 2^32 - 1",
                                  (unsigned long long)count);
    }
    a->count = (uint32_t)count;
    BWI_GLTF_TRY(bwi_gltf_get_bool(g, &a->normalized, &place, json, "normalized"));
    a->component_count = (uint32_t)types[a->type].rows * types[a->type].columns;
    a->element_size = column_stride(a->type, a->component) * types[a->type].columns;
    a->stride = a->element_size;
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &a->view, &place, json, "bufferView", g->views_json));
    if (a->view != BW_NO_INDEX) {
        BWI_GLTF_TRY(bwi_gltf_get_uint(g, &a->offset, &place, json, "byteOffset", 0));
        uint32_t stride = g->views[a->view].stride;
        if (stride && stride < a->element_size) {
            return bwi_gltf_malformed(g, &place,
                                      "its elements of %u bytes do not fit buffer view %u's byteStride of %u",
                                      a->element_size, a->view, stride);
        }
        a->stride = stride ? stride : a->element_size;
        BWI_GLTF_TRY(check_range(g, &place, a->view, a->offset, a->stride, a->element_size, a->count));
    }
    return read_sparse(g, a, &place, json);
}

bw_result bwi_gltf_read_accessors(bwi_gltf *g) {
    size_t count = json_array_size(g->accessors_json);
    g->accessors = bwi_gltf_alloc(g, g->scratch, count, sizeof(*g->accessors));
    g->decoded = bwi_gltf_alloc(g, g->scratch, count, BWI_GLTF_MEANING_COUNT * sizeof(*g->decoded));
    if (!g->accessors || !g->decoded) {
        return BW_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        BWI_GLTF_TRY(read_accessor(g, i));
    }
    return BW_OK;
}

/* ---- Data. ---- */

bw_result bwi_gltf_expect(bwi_gltf *g, const bwi_gltf_place *place, uint32_t accessor, unsigned type_set,
                          unsigned component_set) {
    const bwi_gltf_accessor *a = &g->accessors[accessor];
    if ((type_set & BWI_GLTF_BIT(a->type)) && (component_set & BWI_GLTF_BIT(a->component))) {
        return BW_OK;
    }
    const bwi_gltf_place here = {place, "accessor", accessor, a->name};
    if (!(type_set & BWI_GLTF_BIT(a->type))) {
        for (unsigned i = 0; i < BWI_GLTF_TYPE_COUNT; i++) {
            if (type_set & BWI_GLTF_BIT(i)) {
                return bwi_gltf_malformed(g, &here, "its type is %s, expected %s", types[a->type].name, types[i].name);
            }
        }
    }
    return bwi_gltf_malformed(g, &here, "its numbers are %s, which glTF does not allow here",
                              components[a->component].name);
}

/* One component as stored.  Callers loop over elements, so the switch is predicted. */
static inline uint32_t load_uint(const uint8_t *bytes, bwi_gltf_component component) {
    if (component == BWI_GLTF_U8 || component == BWI_GLTF_I8) {
        return bytes[0];
    }
    uint32_t low = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
    return component == BWI_GLTF_U16 || component == BWI_GLTF_I16
               ? low
               : low | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline float load_float(const uint8_t *bytes, bwi_gltf_component component, bool normalise) {
    uint32_t bits = load_uint(bytes, component);
    float value;
    switch (component) {
    case BWI_GLTF_I8:
        value = (float)(int8_t)bits;
        return normalise ? fmaxf(value / 127.0f, -1.0f) : value;
    case BWI_GLTF_I16:
        value = (float)(int16_t)bits;
        return normalise ? fmaxf(value / 32767.0f, -1.0f) : value;
    case BWI_GLTF_U8:
        return normalise ? (float)bits / 255.0f : (float)bits;
    case BWI_GLTF_U16:
        return normalise ? (float)bits / 65535.0f : (float)bits;
    case BWI_GLTF_U32:
        return (float)bits;
    default:
        memcpy(&value, &bits, sizeof(value));
        return value;
    }
}

/* Where values go: floats or integers, never both. */
typedef struct sink {
    float *floats;
    uint32_t *uints;
    bool normalise;
} sink;

static void store_element(const sink *out, size_t element, const uint8_t *bytes, const bwi_gltf_accessor *a) {
    uint32_t rows = types[a->type].rows, columns = types[a->type].columns, size = components[a->component].size;
    uint32_t next_column = column_stride(a->type, a->component);
    size_t at = element * a->component_count;
    for (uint32_t column = 0; column < columns; column++) {
        for (uint32_t row = 0; row < rows; row++) {
            const uint8_t *source = bytes + column * next_column + row * size;
            if (out->floats) {
                out->floats[at++] = load_float(source, a->component, out->normalise);
            } else {
                out->uints[at++] = load_uint(source, a->component);
            }
        }
    }
}

static bw_result store_sparse(bwi_gltf *g, const sink *out, const bwi_gltf_place *place, const bwi_gltf_accessor *a) {
    const uint8_t *indices, *values;
    BWI_GLTF_TRY(bwi_gltf_view_data(g, &indices, place, a->sparse_index_view));
    BWI_GLTF_TRY(bwi_gltf_view_data(g, &values, place, a->sparse_value_view));
    indices += a->sparse_index_offset;
    values += a->sparse_value_offset;
    uint64_t unsorted = 0;
    uint32_t index_size = components[a->sparse_index_component].size, previous = 0;
    for (uint32_t i = 0; i < a->sparse_count; i++) {
        uint32_t index = load_uint(indices + (size_t)i * index_size, a->sparse_index_component);
        if (index >= a->count) {
            return bwi_gltf_malformed(g, place, "sparse index %u is %u, expected one below the count of %u", i, index,
                                      a->count);
        }
        unsorted += i > 0 && index <= previous;
        previous = index;
        store_element(out, index, values + (size_t)i * a->element_size, a);
    }
    if (unsorted) {
        bwi_gltf_warn(g, "sparse-indices-unsorted", unsorted, place,
                      "sparse indices do not ascend; they were taken in the order of the file");
    }
    return BW_OK;
}

static bw_result store_all(bwi_gltf *g, const sink *out, const bwi_gltf_place *place, const bwi_gltf_accessor *a) {
    if (a->view != BW_NO_INDEX) {
        const uint8_t *bytes;
        BWI_GLTF_TRY(bwi_gltf_view_data(g, &bytes, place, a->view));
        bytes += a->offset;
        for (size_t i = 0; i < a->count; i++) {
            store_element(out, i, bytes + i * a->stride, a);
        }
    }
    return a->sparse_count ? store_sparse(g, out, place, a) : BW_OK;
}

static bw_result check_finite(bwi_gltf *g, float *values, const bwi_gltf_place *place, const bwi_gltf_accessor *a,
                              bwi_gltf_not_finite policy) {
    uint64_t repaired = 0;
    for (size_t i = 0; i < (size_t)a->count * a->component_count; i++) {
        if (isfinite(values[i])) {
            continue;
        }
        if (policy == BWI_GLTF_REFUSE_NOT_FINITE) {
            return bwi_gltf_malformed(g, place, "element %zu holds %s, expected finite numbers", i / a->component_count,
                                      isnan(values[i]) ? "NaN" : "infinity");
        }
        values[i] = 0.0f;
        repaired++;
    }
    if (repaired) {
        bwi_gltf_warn(g, "values-not-finite", repaired, place, "NaN or infinite values were set to 0");
    }
    return BW_OK;
}

bw_result bwi_gltf_floats(bwi_gltf *g, float **out, bwi_arena *arena, const bwi_gltf_place *place, uint32_t accessor,
                          bool normalise, bwi_gltf_not_finite policy) {
    const bwi_gltf_accessor *a = &g->accessors[accessor];
    const bwi_gltf_place here = {place, "accessor", accessor, a->name};
    float *values = bwi_gltf_alloc(g, arena, a->count, a->component_count * sizeof(float));
    if (!values) {
        return BW_ERR_MEMORY;
    }
    bool integers = a->component != BWI_GLTF_F32 && a->component != BWI_GLTF_U32;
    if (normalise && integers && !a->normalized) {
        bwi_gltf_warn(g, "integers-taken-as-normalised", 1, &here,
                      "integers that can only be fractions here were read as normalised ones");
    }
    const sink into = {.floats = values, .normalise = integers && (a->normalized || normalise)};
    BWI_GLTF_TRY(store_all(g, &into, &here, a));
    if (a->component == BWI_GLTF_F32) {
        BWI_GLTF_TRY(check_finite(g, values, &here, a, policy));
    }
    *out = values;
    return BW_OK;
}

bw_result bwi_gltf_uints(bwi_gltf *g, uint32_t **out, bwi_arena *arena, const bwi_gltf_place *place,
                         uint32_t accessor) {
    const bwi_gltf_accessor *a = &g->accessors[accessor];
    const bwi_gltf_place here = {place, "accessor", accessor, a->name};
    uint32_t *values = bwi_gltf_alloc(g, arena, a->count, a->component_count * sizeof(uint32_t));
    if (!values) {
        return BW_ERR_MEMORY;
    }
    const sink into = {.uints = values};
    BWI_GLTF_TRY(store_all(g, &into, &here, a));
    *out = values;
    return BW_OK;
}
