/* SPDX-License-Identifier: MIT
 * Images: encoded files carried through.  A bake does not need them, so one that cannot be read is a warning. */
#include <string.h>

#include "read/gltf/gltf_priv.h"

static const struct {
    const char *mime, *suffix;
    size_t offset;
    const char *magic;
} kinds[] = {
    {"image/png", ".png", 0, "\x89PNG"},          {"image/jpeg", ".jpg", 0, "\xFF\xD8\xFF"},
    {"image/jpeg", ".jpeg", 0, "\xFF\xD8\xFF"},   {"image/webp", ".webp", 8, "WEBP"},
    {"image/ktx2", ".ktx2", 0, "\xABKTX 20\xBB"}, {"image/avif", ".avif", 4, "ftypavif"},
    {"image/vnd-ms.dds", ".dds", 0, "DDS "},
};
static const char unknown_mime[] = "application/octet-stream";

/* By the first bytes, else as the file says, else by the name's end. */
static const char *mime_of(const bw_image *image, const char *declared, const char *uri) {
    const uint8_t *bytes = image->data;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t length = strlen(kinds[i].magic);
        if (bytes && image->size >= kinds[i].offset + length &&
            memcmp(bytes + kinds[i].offset, kinds[i].magic, length) == 0) {
            return kinds[i].mime;
        }
    }
    if (declared) {
        return declared;
    }
    size_t uri_length = uri && strncmp(uri, "data:", 5) != 0 ? strlen(uri) : 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t length = strlen(kinds[i].suffix);
        if (uri_length > length && strcmp(uri + uri_length - length, kinds[i].suffix) == 0) {
            return kinds[i].mime;
        }
    }
    return unknown_mime;
}

static bw_result keep_bytes(bwi_gltf *g, bw_image *image, const uint8_t *data, size_t size, bwi_gltf_file *file) {
    if (file && file->kept) {
        image->data = file->kept;
    } else {
        uint8_t *copy = bwi_gltf_alloc(g, g->arena, size, 1);
        if (!copy) {
            return BW_ERR_MEMORY;
        }
        memcpy(copy, data, size);
        image->data = copy;
        if (file) {
            file->kept = copy;
        }
    }
    image->size = size;
    return BW_OK;
}

static bw_result read_bytes(bwi_gltf *g, bw_image *image, const char **mime, const bwi_gltf_place *place,
                            const char *uri, uint32_t view) {
    const uint8_t *data;
    size_t size;
    bwi_gltf_file *file = NULL;
    if (uri) {
        BWI_GLTF_TRY(bwi_gltf_read_uri(g, &data, &size, &file, mime, place, uri));
    } else {
        BWI_GLTF_TRY(bwi_gltf_view_data(g, &data, place, view));
        size = (size_t)g->views[view].size;
    }
    return keep_bytes(g, image, data, size, file);
}

static bw_result read_image(bwi_gltf *g, bw_image *image, uint32_t index) {
    const json_t *json = json_array_get(g->images_json, index);
    bwi_gltf_place place = bwi_gltf_place_of(NULL, "image", index, json);
    const char *uri, *declared, *uri_mime = NULL;
    uint32_t view;
    BWI_GLTF_TRY(bwi_gltf_copy_name(g, &image->name, place.name, "image", index));
    BWI_GLTF_TRY(bwi_gltf_get_string(g, &uri, &place, json, "uri"));
    BWI_GLTF_TRY(bwi_gltf_get_string(g, &declared, &place, json, "mimeType"));
    BWI_GLTF_TRY(bwi_gltf_get_index(g, &view, &place, json, "bufferView", g->views_json));
    if (!g->no_images && (uri || view != BW_NO_INDEX)) {
        bw_error *outer = g->error;
        bw_error inner = {0};
        g->error = &inner;
        bw_result result = read_bytes(g, image, &uri_mime, &place, uri, view);
        g->error = outer;
        if (result == BW_ERR_MEMORY) {
            return bwi_fail(outer, result, NULL, -1, "%s", inner.message);
        }
        if (result != BW_OK) {
            bwi_gltf_warn(g, "image-missing", 1, &place,
                          "images that are missing, damaged or outside the model's folder were left out");
        }
    }
    const char *mime = mime_of(image, declared ? declared : uri_mime, uri);
    image->mime = bwi_arena_string(g->arena, mime, SIZE_MAX);
    return image->mime ? BW_OK : bwi_fail_memory(g->error, g->path, g->mem, strlen(mime) + 1);
}

bw_result bwi_gltf_read_images(bwi_gltf *g) {
    size_t count = json_array_size(g->images_json);
    bw_image *images = bwi_gltf_alloc(g, g->arena, count, sizeof(*images));
    if (!images) {
        return BW_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        BWI_GLTF_TRY(read_image(g, &images[i], i));
        if (!bwi_progress_step(g->progress, 1)) {
            return bwi_fail_cancelled(g->error);
        }
    }
    g->scene->images.data = images;
    g->scene->images.count = count;
    return BW_OK;
}
