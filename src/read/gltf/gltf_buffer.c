/* SPDX-License-Identifier: MIT
 * Buffers and buffer views: ranges are checked against declared sizes when the file is opened, declared sizes against the bytes that are there
 * when a buffer is first used. */
#include "read/gltf/gltf_priv.h"

/* byteStride is at most 252 by the specification; larger strides are harmless, so only what no accessor could mean is refused. */
enum { LARGEST_STRIDE = 65535 };

static bool is_placeholder(const json_t *json) {
    return json_is_true(json_object_get(bwi_gltf_extension(json, "EXT_meshopt_compression"), "fallback")) ||
           json_is_true(json_object_get(bwi_gltf_extension(json, "KHR_meshopt_compression"), "fallback"));
}

static bw_result fail_short(bwi_gltf *g, const bwi_gltf_place *place, const char *holder, uint64_t found,
                            uint64_t expected) {
    return bwi_gltf_fail(g, BW_ERR_TRUNCATED, place,
                         "\"byteLength\" says %llu bytes, but %s holds %llu; copy or export the file again",
                         (unsigned long long)expected, holder, (unsigned long long)found);
}

static bw_result read_buffer(bwi_gltf *g, uint32_t index) {
    const json_t *json = json_array_get(g->buffers_json, index);
    bwi_gltf_place place = bwi_gltf_place_of(NULL, "buffer", index, json);
    bwi_gltf_buffer *buffer = &g->buffers[index];
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &buffer->size, &place, json, "byteLength", BWI_GLTF_REQUIRED));
    BWI_GLTF_TRY(bwi_gltf_get_string(g, &buffer->uri, &place, json, "uri"));
    buffer->placeholder = is_placeholder(json);
    if (index == 0 && !buffer->uri && g->chunk) {
        if (buffer->size > g->chunk_size) {
            return fail_short(g, &place, "the binary chunk", g->chunk_size, buffer->size);
        }
        buffer->data = g->chunk;
    }
    return BW_OK;
}

bw_result bwi_gltf_buffer_data(bwi_gltf *g, const uint8_t **data, const bwi_gltf_place *place, uint32_t index) {
    bwi_gltf_buffer *buffer = &g->buffers[index];
    if (!buffer->data) {
        const bwi_gltf_place here = {place, "buffer", index, NULL};
        if (!buffer->uri) {
            return bwi_gltf_malformed(g, &here,
                                      buffer->placeholder
                                          ? "it stands for compressed data and holds none, but something reads it"
                                          : "it has no uri, and the file has no binary chunk for it");
        }
        const uint8_t *bytes;
        size_t size;
        bwi_gltf_file *file;
        BWI_GLTF_TRY(bwi_gltf_read_uri(g, &bytes, &size, &file, NULL, &here, buffer->uri));
        if (size < buffer->size) {
            return fail_short(g, &here, file ? file->path : "its data URI", size, buffer->size);
        }
        buffer->data = bytes;
    }
    *data = buffer->data;
    return BW_OK;
}

static bw_result read_view(bwi_gltf *g, uint32_t index) {
    const json_t *json = json_array_get(g->views_json, index);
    bwi_gltf_place place = bwi_gltf_place_of(NULL, "buffer view", index, json);
    bwi_gltf_view *view = &g->views[index];
    uint64_t stride;
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &view->buffer, &place, json, "buffer", g->buffers_json));
    if (view->buffer == BW_NO_INDEX) {
        return bwi_gltf_malformed(g, &place, "\"buffer\" is missing");
    }
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &view->offset, &place, json, "byteOffset", 0));
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &view->size, &place, json, "byteLength", BWI_GLTF_REQUIRED));
    BWI_GLTF_TRY(bwi_gltf_get_uint(g, &stride, &place, json, "byteStride", 0));
    if (stride > LARGEST_STRIDE) {
        return bwi_gltf_malformed(g, &place, "\"byteStride\" is %llu, expected at most 252",
                                  (unsigned long long)stride);
    }
    view->stride = (uint32_t)stride;
    const bwi_gltf_buffer *buffer = &g->buffers[view->buffer];
    if (view->offset > buffer->size || view->size > buffer->size - view->offset) {
        return bwi_gltf_malformed(g, &place, "it ends at byte %llu, but buffer %u has %llu",
                                  (unsigned long long)(view->offset + view->size), view->buffer,
                                  (unsigned long long)buffer->size);
    }
    return bwi_gltf_read_meshopt(g, view, &place, json);
}

bw_result bwi_gltf_read_buffers(bwi_gltf *g) {
    size_t buffer_count = json_array_size(g->buffers_json);
    size_t view_count = json_array_size(g->views_json);
    g->buffers = bwi_gltf_alloc(g, g->scratch, buffer_count, sizeof(*g->buffers));
    g->views = bwi_gltf_alloc(g, g->scratch, view_count, sizeof(*g->views));
    g->files = bwi_gltf_alloc(g, g->scratch, buffer_count + json_array_size(g->images_json), sizeof(*g->files));
    if (!g->buffers || !g->views || !g->files) {
        return BW_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < buffer_count; i++) {
        BWI_GLTF_TRY(read_buffer(g, i));
    }
    for (uint32_t i = 0; i < view_count; i++) {
        BWI_GLTF_TRY(read_view(g, i));
    }
    return BW_OK;
}

bw_result bwi_gltf_view_data(bwi_gltf *g, const uint8_t **data, const bwi_gltf_place *place, uint32_t index) {
    bwi_gltf_view *view = &g->views[index];
    if (!view->data) {
        const bwi_gltf_place here = {place, "buffer view", index, NULL};
        if (view->meshopt.present) {
            BWI_GLTF_TRY(bwi_gltf_decompress(g, &view->data, &here, view));
        } else {
            const uint8_t *bytes;
            BWI_GLTF_TRY(bwi_gltf_buffer_data(g, &bytes, &here, view->buffer));
            view->data = bytes + view->offset;
        }
    }
    *data = view->data;
    return BW_OK;
}
