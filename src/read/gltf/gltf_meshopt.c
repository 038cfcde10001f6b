/* SPDX-License-Identifier: MIT
 * EXT_meshopt_compression and KHR_meshopt_compression: everything that libmeshoptimizer asserts is checked first, and no size is believed
 * that the compressed bytes could not produce. */
#include <meshoptimizer.h>
#include <string.h>

#include "read/gltf/gltf_priv.h"

static const char *const names[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};

/* First byte of each codec's stream: kind in the high half, version in the low. */
enum { VERTEX_STREAM = 0xa0, TRIANGLE_STREAM = 0xe0, INDEX_STREAM = 0xd0 };

bw_result bwi_gltf_read_meshopt(bwi_gltf *g, bwi_gltf_view *view, const bwi_gltf_place *place,
                                const json_t *view_json) {
    const json_t *json = NULL;
    bwi_gltf_meshopt *m = &view->meshopt;
    for (size_t i = 0; i < 2 && !json; i++) {
        json = bwi_gltf_extension(view_json, names[i]);
        m->extension = names[i];
    }
    if (!json) {
        return BW_OK;
    }
    const bwi_gltf_place here = {place, m->extension, BW_NO_INDEX, NULL};
    uint64_t stride;
    m->present = true;
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &m->buffer, &here, json, "buffer", g->buffers_json));
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &m->offset, &here, json, "byteOffset", 0));
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &m->size, &here, json, "byteLength", BWI_GLTF_REQUIRED));
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &stride, &here, json, "byteStride", BWI_GLTF_REQUIRED));
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &m->count, &here, json, "count", BWI_GLTF_REQUIRED));
    BWI_GLTF_TRY(bwi_gltf_get_string(g, &m->mode, &here, json, "mode"));
    BWI_GLTF_TRY(bwi_gltf_get_string(g, &m->filter, &here, json, "filter"));
    if (m->buffer == BW_NO_INDEX || !m->mode) {
        return bwi_gltf_malformed(g, &here, "\"%s\" is missing", m->mode ? "buffer" : "mode");
    }
    const bwi_gltf_buffer *buffer = &g->buffers[m->buffer];
    if (m->offset > buffer->size || m->size > buffer->size - m->offset) {
        return bwi_gltf_malformed(g, &here, "it ends at byte %llu, but buffer %u has %llu",
                                  (unsigned long long)(m->offset + m->size), m->buffer,
                                  (unsigned long long)buffer->size);
    }
    /* Within these bounds count × stride cannot overflow: counts are below 2^53. */
    if (stride == 0 || stride > 256 || m->count > UINT32_MAX) {
        return bwi_gltf_malformed(g, &here, "it has %llu elements of %llu bytes, expected elements of 1 to 256 bytes",
                                  (unsigned long long)m->count, (unsigned long long)stride);
    }
    m->stride = (uint32_t)stride;
    if (m->count * stride != view->size) {
        return bwi_gltf_malformed(g, &here, "%llu elements of %llu bytes are not the view's %llu bytes",
                                  (unsigned long long)m->count, (unsigned long long)stride,
                                  (unsigned long long)view->size);
    }
    if (!m->filter) {
        m->filter = "NONE";
    }
    return BW_OK;
}

/* Why the stream cannot be decoded at all: a codec version or filter of a later library. */
static bw_result check_supported(bwi_gltf *g, const bwi_gltf_place *place, const bwi_gltf_meshopt *m, unsigned kind,
                                 unsigned newest, unsigned first_byte) {
    static const char advice[] = "pack the model again with \"gltfpack -cc\" or export it uncompressed";
    if ((first_byte & 0xf0u) != kind) {
        return bwi_gltf_malformed(g, place, "its data begin with 0x%02x, expected 0x%02x for mode %s", first_byte, kind,
                                  m->mode);
    }
    if ((first_byte & 0x0fu) > newest) {
        return bwi_gltf_fail(g, BW_ERR_UNSUPPORTED, place,
                             "%s data of codec version %u are not supported, expected at most %u; %s", m->extension,
                             first_byte & 0x0fu, newest, advice);
    }
    if (strcmp(m->filter, "COLOR") == 0) {
        return bwi_gltf_fail(g, BW_ERR_UNSUPPORTED, place, "the filter COLOR of %s is not supported; %s", m->extension,
                             advice);
    }
    return BW_OK;
}

typedef struct codec {
    const char *mode;
    unsigned kind, newest;
    uint64_t most_per_byte; /* elements: what one compressed byte can become at most */
} codec;

/* Vertex streams spend at least 2 bits on 16 bytes, triangles a byte each, index sequences a byte an index. */
static const codec codecs[] = {
    {"ATTRIBUTES", VERTEX_STREAM, 0, 0}, {"TRIANGLES", TRIANGLE_STREAM, 1, 3}, {"INDICES", INDEX_STREAM, 1, 1}};

static bw_result check_shape(bwi_gltf *g, const bwi_gltf_place *place, const bwi_gltf_meshopt *m, const codec **found) {
    const codec *c = NULL;
    for (size_t i = 0; i < 3; i++) {
        c = strcmp(m->mode, codecs[i].mode) == 0 ? &codecs[i] : c;
    }
    if (!c) {
        return bwi_gltf_malformed(g, place, "\"mode\" is \"%.40s\", expected ATTRIBUTES, TRIANGLES or INDICES",
                                  m->mode);
    }
    bool attributes = c->kind == VERTEX_STREAM;
    if (attributes ? m->stride % 4 != 0 : m->stride != 2 && m->stride != 4) {
        return bwi_gltf_malformed(g, place, "\"byteStride\" is %u, expected %s", m->stride,
                                  attributes ? "a multiple of 4" : "2 or 4");
    }
    if (c->kind == TRIANGLE_STREAM && m->count % 3 != 0) {
        return bwi_gltf_malformed(g, place, "\"count\" is %llu, expected a multiple of 3",
                                  (unsigned long long)m->count);
    }
    bool known = strcmp(m->filter, "NONE") == 0 || strcmp(m->filter, "COLOR") == 0 ||
                 strcmp(m->filter, "EXPONENTIAL") == 0 || strcmp(m->filter, "OCTAHEDRAL") == 0 ||
                 strcmp(m->filter, "QUATERNION") == 0;
    if (!known || (!attributes && strcmp(m->filter, "NONE") != 0)) {
        return bwi_gltf_malformed(g, place, "\"filter\" is \"%.40s\", which mode %s does not have", m->filter, m->mode);
    }
    if ((strcmp(m->filter, "OCTAHEDRAL") == 0 && m->stride != 4 && m->stride != 8) ||
        (strcmp(m->filter, "QUATERNION") == 0 && m->stride != 8)) {
        return bwi_gltf_malformed(g, place, "\"byteStride\" is %u, which filter %s does not have", m->stride,
                                  m->filter);
    }
    uint64_t most = attributes ? m->size * 64 / m->stride : m->size * c->most_per_byte;
    if (m->size == 0 || m->count > most) {
        return bwi_gltf_malformed(g, place, "%llu bytes cannot hold the %llu elements that \"count\" says",
                                  (unsigned long long)m->size, (unsigned long long)m->count);
    }
    *found = c;
    return BW_OK;
}

static bw_result decode(bwi_gltf *g, uint8_t *out, const bwi_gltf_place *place, const bwi_gltf_meshopt *m,
                        const codec *c, const uint8_t *bytes) {
    size_t count = (size_t)m->count, size = (size_t)m->size;
    int failure = c->kind == VERTEX_STREAM     ? meshopt_decodeVertexBuffer(out, count, m->stride, bytes, size)
                  : c->kind == TRIANGLE_STREAM ? meshopt_decodeIndexBuffer(out, count, m->stride, bytes, size)
                                               : meshopt_decodeIndexSequence(out, count, m->stride, bytes, size);
    if (failure) {
        return bwi_gltf_malformed(g, place, "its %zu bytes do not decode to %zu elements of %u bytes", size, count,
                                  m->stride);
    }
    if (strcmp(m->filter, "OCTAHEDRAL") == 0) {
        meshopt_decodeFilterOct(out, count, m->stride);
    } else if (strcmp(m->filter, "QUATERNION") == 0) {
        meshopt_decodeFilterQuat(out, count, m->stride);
    } else if (strcmp(m->filter, "EXPONENTIAL") == 0) {
        meshopt_decodeFilterExp(out, count, m->stride);
    }
    return BW_OK;
}

bw_result bwi_gltf_decompress(bwi_gltf *g, const uint8_t **data, const bwi_gltf_place *place,
                              const bwi_gltf_view *view) {
    const bwi_gltf_meshopt *m = &view->meshopt;
    const bwi_gltf_buffer *uncompressed = &g->buffers[view->buffer];
    const bwi_gltf_place here = {place, m->extension, BW_NO_INDEX, NULL};
    const codec *c = NULL;
    const uint8_t *bytes;
    BWI_GLTF_TRY(check_shape(g, &here, m, &c));
    BWI_GLTF_TRY(bwi_gltf_buffer_data(g, &bytes, &here, m->buffer));
    bytes += m->offset;
    bw_result supported = check_supported(g, &here, m, c->kind, c->newest, bytes[0]);
    if (supported == BW_ERR_UNSUPPORTED && !uncompressed->placeholder && (uncompressed->uri || uncompressed->data)) {
        bwi_gltf_warn(g, "meshopt-fallback", 1, place,
                      "data compressed in an unsupported way were taken from their uncompressed copy");
        BWI_GLTF_TRY(bwi_gltf_buffer_data(g, &bytes, place, view->buffer));
        *data = bytes + view->offset;
        return BW_OK;
    }
    if (supported != BW_OK) {
        return supported;
    }
    uint8_t *out = bwi_gltf_alloc(g, g->scratch, (size_t)m->count, m->stride);
    if (!out) {
        return BW_ERR_MEMORY;
    }
    BWI_GLTF_TRY(decode(g, out, &here, m, c, bytes));
    *data = out;
    return BW_OK;
}
