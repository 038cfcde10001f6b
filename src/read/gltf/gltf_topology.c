/* SPDX-License-Identifier: MIT
 * Index lists: strips, fans and loops become lists (glTF 2.0 §3.7.2.1), and no index points past the vertices. */
#include "read/gltf/gltf_priv.h"

/* glTF's primitive.mode. */
enum { POINTS = 0, LINES = 1, LINE_LOOP = 2, LINE_STRIP = 3, TRIANGLES = 4, TRIANGLE_STRIP = 5, TRIANGLE_FAN = 6 };

static const struct {
    uint32_t least; /* indices of the smallest whole one */
    uint32_t step;  /* further indices come in this number */
} modes[] = {[POINTS] = {1, 1},    [LINES] = {2, 2},          [LINE_LOOP] = {2, 1},   [LINE_STRIP] = {2, 1},
             [TRIANGLES] = {3, 3}, [TRIANGLE_STRIP] = {3, 1}, [TRIANGLE_FAN] = {3, 1}};

static uint64_t list_count(uint32_t mode, uint64_t count) {
    switch (mode) {
    case LINE_LOOP:
        return 2 * count;
    case LINE_STRIP:
        return 2 * (count - 1);
    case TRIANGLE_STRIP:
    case TRIANGLE_FAN:
        return 3 * (count - 2);
    default:
        return count;
    }
}

static void write_list(uint32_t *out, uint32_t mode, const uint32_t *source, uint32_t count) {
    size_t used = 0;
    switch (mode) {
    case LINE_LOOP:
    case LINE_STRIP:
        for (uint32_t i = 0; i + 1 < count; i++) {
            out[used++] = source[i];
            out[used++] = source[i + 1];
        }
        if (mode == LINE_LOOP) {
            out[used++] = source[count - 1];
            out[used++] = source[0];
        }
        break;
    case TRIANGLE_STRIP:
        for (uint32_t i = 0; i + 2 < count; i++) {
            out[used++] = source[i];
            out[used++] = source[i + 1 + i % 2];
            out[used++] = source[i + 2 - i % 2];
        }
        break;
    case TRIANGLE_FAN:
        for (uint32_t i = 0; i + 2 < count; i++) {
            out[used++] = source[i + 1];
            out[used++] = source[i + 2];
            out[used++] = source[0];
        }
        break;
    default:
        break; /* lists stay as they are */
    }
}

static bw_result check_indices(bwi_gltf *g, const uint32_t *indices, uint32_t count, uint32_t vertex_count,
                               bwi_gltf_component component, const bwi_gltf_place *place) {
    uint32_t restart = component == BWI_GLTF_U8 ? UINT8_MAX : component == BWI_GLTF_U16 ? UINT16_MAX : UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (indices[i] >= vertex_count) {
            return bwi_gltf_malformed(g, place, "index %u is %u%s, expected one below the %u vertices", i, indices[i],
                                      indices[i] == restart ? " (primitive restart, which glTF does not have)" : "",
                                      vertex_count);
        }
    }
    return BW_OK;
}

bw_result bwi_gltf_indices(bwi_gltf *g, bw_index_list *out, const bwi_gltf_place *place, uint32_t accessor,
                           uint32_t mode, uint32_t vertex_count) {
    bool is_list = mode == POINTS || mode == LINES || mode == TRIANGLES;
    bwi_arena *arena = is_list ? g->arena : g->scratch;
    uint32_t count = vertex_count;
    uint32_t *source;
    if (accessor != BW_NO_INDEX) {
        const bwi_gltf_place here = {place, "indices", BW_NO_INDEX, NULL};
        BWI_GLTF_TRY(
            bwi_gltf_expect(g, &here, accessor, BWI_GLTF_BIT(BWI_GLTF_SCALAR),
                            BWI_GLTF_BIT(BWI_GLTF_U8) | BWI_GLTF_BIT(BWI_GLTF_U16) | BWI_GLTF_BIT(BWI_GLTF_U32)));
        count = g->accessors[accessor].count;
        BWI_GLTF_TRY(bwi_gltf_uints(g, &source, arena, &here, accessor));
        BWI_GLTF_TRY(check_indices(g, source, count, vertex_count, g->accessors[accessor].component, &here));
    } else {
        source = bwi_gltf_alloc(g, arena, count, sizeof(uint32_t));
        if (!source) {
            return BW_ERR_MEMORY;
        }
        for (uint32_t i = 0; i < count; i++) {
            source[i] = i;
        }
    }
    uint32_t whole = count < modes[mode].least ? 0 : count - (count - modes[mode].least) % modes[mode].step;
    if (whole != count) {
        bwi_gltf_warn(g, "primitive-incomplete", 1, place,
                      "the last line or triangle of a primitive lacks corners; it was left out");
    }
    if (whole == 0) {
        *out = (bw_index_list){NULL, 0};
        return BW_OK;
    }
    if (is_list) {
        *out = (bw_index_list){source, whole};
        return BW_OK;
    }
    uint64_t length = list_count(mode, whole);
    uint32_t *list =
        length > SIZE_MAX / sizeof(uint32_t) ? NULL : bwi_gltf_alloc(g, g->arena, (size_t)length, sizeof(uint32_t));
    if (!list) {
        return BW_ERR_MEMORY;
    }
    write_list(list, mode, source, whole);
    *out = (bw_index_list){list, (size_t)length};
    return BW_OK;
}
