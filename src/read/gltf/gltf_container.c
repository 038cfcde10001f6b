/* SPDX-License-Identifier: MIT
 * The outside of a file: GLB header and chunks (glTF 2.0 §4), or plain JSON. */
#include <string.h>

#include "read/gltf/gltf.h"
#include "read/gltf/gltf_priv.h"

enum { HEADER_SIZE = 12, CHUNK_HEADER_SIZE = 8 };
#define CHUNK_JSON 0x4E4F534Au
#define CHUNK_BIN 0x004E4942u

static uint32_t read_u32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool is_glb(const uint8_t *data, size_t size) {
    return size >= 4 && memcmp(data, "glTF", 4) == 0;
}

bool bwi_gltf_recognise(const uint8_t *data, size_t size) {
    if (is_glb(data, size)) {
        return true;
    }
    size_t i = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < size && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r')) {
        i++;
    }
    return i < size && data[i] == '{';
}

static bw_result parse_json(bwi_gltf *g, const uint8_t *data, size_t size) {
    /* Some exporters pad the chunk with zeros where spaces are due. */
    while (size > 0 && data[size - 1] == 0) {
        size--;
    }
    BWI_GLTF_TRY(bwi_json_parse(&g->root, (const char *)data, size, g->mem, g->path, g->error));
    if (!json_is_object(g->root)) {
        return bwi_gltf_malformed(g, NULL, "the JSON text holds no object, expected glTF's top-level object");
    }
    return BW_OK;
}

/* Chunks after the first: the first BIN is kept, kinds that are not known are passed over as the specification asks. */
static bw_result read_chunks(bwi_gltf *g, const uint8_t *data, size_t length, const uint8_t **json, size_t *json_size) {
    size_t at = HEADER_SIZE;
    for (uint32_t index = 0; at < length; index++) {
        bwi_gltf_place place = {NULL, "chunk", index, NULL};
        if (length - at < CHUNK_HEADER_SIZE) {
            if (index > 0) {
                bwi_gltf_warn(g, "glb-trailing-bytes", length - at, NULL, "bytes after the last chunk were ignored");
                break;
            }
            return bwi_gltf_fail(g, BW_ERR_TRUNCATED, &place,
                                 "%zu bytes are left for its header, expected %d; copy or export the file again",
                                 length - at, CHUNK_HEADER_SIZE);
        }
        uint32_t size = read_u32(data + at);
        uint32_t kind = read_u32(data + at + 4);
        at += CHUNK_HEADER_SIZE;
        if (size > length - at) {
            return bwi_gltf_fail(g, BW_ERR_TRUNCATED, &place,
                                 "its header says %u bytes, but %zu are left; copy or export the file again", size,
                                 length - at);
        }
        if (size % 4 != 0) {
            bwi_gltf_warn(g, "glb-chunk-unaligned", 1, &place, "a chunk's length is no multiple of 4");
        }
        if (index == 0) {
            if (kind != CHUNK_JSON) {
                return bwi_gltf_malformed(g, &place, "its kind is 0x%08x, expected JSON (0x%08x) first", kind,
                                          CHUNK_JSON);
            }
            *json = data + at;
            *json_size = size;
        } else if (kind == CHUNK_BIN && !g->chunk) {
            g->chunk = data + at;
            g->chunk_size = size;
        }
        at += size;
    }
    if (!*json) {
        return bwi_gltf_fail(g, BW_ERR_TRUNCATED, NULL,
                             "ends after the GLB header, expected a JSON chunk; copy or export the file again");
    }
    return BW_OK;
}

static bw_result open_glb(bwi_gltf *g, const uint8_t *data, size_t size) {
    if (size < HEADER_SIZE) {
        return bwi_gltf_fail(g, BW_ERR_TRUNCATED, NULL,
                             "is %zu bytes long, expected a GLB header of %d; copy or export the file again", size,
                             HEADER_SIZE);
    }
    uint32_t version = read_u32(data + 4);
    uint32_t length = read_u32(data + 8);
    if (version != 2) {
        return bwi_gltf_fail(g, BW_ERR_UNSUPPORTED, NULL, "is GLB version %u, expected 2; export it as glTF 2.0",
                             version);
    }
    if (length > size) {
        return bwi_gltf_fail(g, BW_ERR_TRUNCATED, NULL,
                             "its header says %u bytes, but the file has %zu; copy or export the file again", length,
                             size);
    }
    if (length < size) {
        bwi_gltf_warn(g, "glb-trailing-bytes", size - length, NULL,
                      "bytes after the length in the GLB header were ignored");
    }
    const uint8_t *json = NULL;
    size_t json_size = 0;
    BWI_GLTF_TRY(read_chunks(g, data, length, &json, &json_size));
    return parse_json(g, json, json_size);
}

bw_result bwi_gltf_open_container(bwi_gltf *g, const uint8_t *data, size_t size) {
    if (is_glb(data, size)) {
        g->format = "glb";
        return open_glb(g, data, size);
    }
    g->format = "gltf";
    return parse_json(g, data, size);
}
