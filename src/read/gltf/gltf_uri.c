/* SPDX-License-Identifier: MIT
 * URIs: data URIs (RFC 2397) and files below the asset's folder. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdlib.h>
#include <string.h>

#include "read/gltf/gltf_priv.h"

static int hex_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Decodes %XX into out (as long as text at most), returns the length.  A '%' that no two hex digits follow stands for itself. */
static size_t percent_decode(char *out, const char *text) {
    size_t used = 0;
    for (const char *c = text; *c; c++) {
        if (c[0] == '%' && hex_value(c[1]) >= 0 && hex_value(c[2]) >= 0) {
            out[used++] = (char)(hex_value(c[1]) * 16 + hex_value(c[2]));
            c += 2;
        } else {
            out[used++] = *c;
        }
    }
    out[used] = 0;
    return used;
}

static int base64_value(unsigned char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    /* The URL-safe alphabet differs in these two only. */
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* In place.  False: a character outside the alphabet, or bits left over. */
static bool base64_decode(uint8_t *data, size_t *size) {
    size_t length = *size, used = 0;
    while (length > 0 && data[length - 1] == '=') {
        length--;
    }
    uint32_t bits = 0, bit_count = 0;
    for (size_t i = 0; i < length; i++) {
        int value = base64_value(data[i]);
        if (value < 0) {
            return false;
        }
        bits = (bits << 6 | (uint32_t)value) & 0xffffffu;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            data[used++] = (uint8_t)(bits >> bit_count);
        }
    }
    *size = used;
    return length % 4 != 1;
}

static bw_result decode_data_uri(bwi_gltf *g, const uint8_t **data, size_t *size, const char **mime,
                                 const bwi_gltf_place *place, const char *uri) {
    const char *media = uri + strlen("data:");
    const char *comma = strchr(media, ',');
    if (!comma) {
        return bwi_gltf_malformed(g, place, "its data URI has no comma, expected \"data:type;base64,...\"");
    }
    size_t media_length = (size_t)(comma - media);
    static const char marker[] = ";base64";
    size_t marker_length = sizeof(marker) - 1;
    bool base64 = media_length >= marker_length && memcmp(comma - marker_length, marker, marker_length) == 0;
    char *bytes = bwi_gltf_alloc(g, g->scratch, strlen(comma + 1) + 1, 1);
    if (!bytes) {
        return BW_ERR_MEMORY;
    }
    size_t length = percent_decode(bytes, comma + 1);
    if (base64 && !base64_decode((uint8_t *)bytes, &length)) {
        return bwi_gltf_malformed(g, place, "its data URI is no base64 text");
    }
    if (mime) {
        size_t type_length = strcspn(media, ";,");
        *mime = type_length ? bwi_arena_string(g->scratch, media, type_length) : NULL;
        if (type_length && !*mime) {
            return bwi_fail_memory(g->error, g->path, g->mem, type_length + 1);
        }
    }
    *data = (const uint8_t *)bytes;
    *size = length;
    return BW_OK;
}

/* "http:", "file:", "C:": letters, digits, '+', '-', '.', then a colon (RFC 3986 §3.1). */
static bool has_scheme(const char *uri) {
    size_t length = strspn(uri, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
    return length > 0 && uri[length] == ':';
}

static bw_result fail_outside(bwi_gltf *g, const bwi_gltf_place *place, const char *uri) {
    return bwi_gltf_fail(
        g, BW_ERR_MALFORMED, place,
        "\"%s\" lies outside the model's folder, expected a file below it; move it there and name it so", uri);
}

/* Links inside the folder may point out of it: the real paths are compared. */
static bool really_below(const char *folder, const char *path) {
    char *real_folder = realpath(folder, NULL);
    char *real_path = realpath(path, NULL);
    bool below = true; /* what does not exist is reported as missing when it is opened */
    if (real_folder && real_path) {
        size_t length = strlen(real_folder);
        below = strncmp(real_folder, real_path, length) == 0 &&
                (real_path[length] == '/' || (length > 0 && real_folder[length - 1] == '/'));
    }
    free(real_folder);
    free(real_path);
    return below;
}

static bw_result open_file(bwi_gltf *g, bwi_gltf_file **file, const bwi_gltf_place *place, const char *name) {
    bwi_gltf_file *entry = NULL;
    for (size_t i = 0; i < g->file_count; i++) {
        if (strcmp(g->files[i].path, name) == 0) {
            entry = &g->files[i];
        }
    }
    if (entry && entry->map.data) {
        *file = entry;
        return BW_OK;
    }
    char *path =
        name[0] == '/' ? bwi_arena_string(g->scratch, name, SIZE_MAX) : bwi_path_join(g->scratch, g->folder, name);
    if (!path) {
        return bwi_fail_memory(g->error, g->path, g->mem, strlen(name));
    }
    if (!g->any_folder && !really_below(g->folder, path)) {
        return fail_outside(g, place, name);
    }
    bw_error inner = {0};
    bwi_map map;
    bw_result result = bwi_map_open(&map, path, g->mem, &inner);
    bool absent = result == BW_ERR_FILE_MISSING || result == BW_ERR_EMPTY;
    if (!entry && (result == BW_OK || absent)) {
        /* Sized by the lists of buffers and images when the call began: each opens one file at most.  One that is missing counts too, as
         * empty: the scene is another once it is there. */
        entry = &g->files[g->file_count++];
        *entry = (bwi_gltf_file){.path = name};
    }
    if (result != BW_OK) {
        return bwi_gltf_fail(g, result, place, "%s", inner.message);
    }
    entry->map = map;
    *file = entry;
    return BW_OK;
}

bw_result bwi_gltf_read_uri(bwi_gltf *g, const uint8_t **data, size_t *size, bwi_gltf_file **file, const char **mime,
                            const bwi_gltf_place *place, const char *uri) {
    *file = NULL;
    if (strncmp(uri, "data:", 5) == 0) {
        return decode_data_uri(g, data, size, mime, place, uri);
    }
    if (has_scheme(uri)) {
        return bwi_gltf_fail(
            g, BW_ERR_UNSUPPORTED, place,
            "\"%.200s\" is no relative path, expected a file beside the model; download it there and name it so", uri);
    }
    if (!g->folder) {
        return bwi_gltf_fail(g, BW_ERR_UNSUPPORTED, place,
                             "names the file \"%.200s\", but this model is read from memory; embed its data", uri);
    }
    char *name = bwi_gltf_alloc(g, g->scratch, strlen(uri) + 1, 1);
    if (!name) {
        return BW_ERR_MEMORY;
    }
    size_t length = percent_decode(name, uri);
    if (length == 0 || strlen(name) != length) {
        return bwi_gltf_malformed(g, place, "its uri \"%.200s\" is no file name", uri);
    }
    if (!g->any_folder && !bwi_path_is_below(name)) {
        return fail_outside(g, place, name);
    }
    BWI_GLTF_TRY(open_file(g, file, place, name));
    *data = (*file)->map.data;
    *size = (*file)->map.size;
    return BW_OK;
}

void bwi_gltf_close_files(bwi_gltf *g) {
    for (size_t i = 0; i < g->file_count; i++) {
        bwi_map_close(&g->files[i].map);
    }
    g->file_count = 0;
}
