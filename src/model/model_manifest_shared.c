/* SPDX-License-Identifier: MIT
 * What the manifests of all families share: head, space, files, source. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "model/model_priv.h"

/* ---- writing ---- */

void bwi_put_family(bwi_json_writer *w, const char *generator, const char *family) {
    bwi_json_key_string(w, "schema", BWI_MANIFEST_SCHEMA);
    bwi_json_key_string(w, "generator", generator);
    bwi_json_key_string(w, "family", family);
}

void bwi_put_hash(bwi_json_writer *w, const uint8_t hash[16]) {
    char hex[33];
    bwi_hash_hex(hex, hash);
    bwi_json_key_string(w, "hash", hex);
}

void bwi_put_vec3(bwi_json_writer *w, const char *key, const float v[3]) {
    bwi_json_key(w, key);
    bwi_json_begin_array(w);
    for (int k = 0; k < 3; k++)
        bwi_json_float(w, v[k]);
    bwi_json_end_array(w);
}

/* A value of an enum whose name an option row holds. */
void bwi_put_choice(bwi_json_writer *w, const char *key, int value) {
    char name[64] = "";
    const bw_option *option = bw_option_find(bw_vat_options(), key);
    bool known = option && bwi_choice_name(name, option, value);
    assert(known);
    (void)known;
    bwi_json_key_string(w, key, name);
}

void bwi_put_file(bwi_json_writer *w, const bwi_manifest_file *file) {
    bwi_json_key_string(w, "file", file->file);
    bwi_json_key_uint(w, "bytes", file->bytes);
    bwi_put_hash(w, file->hash);
}

void bwi_put_space(bwi_json_writer *w, const bwi_space_name *space) {
    bwi_json_key(w, "space");
    bwi_json_begin_object(w);
    bwi_json_key_string(w, "up", space->up);
    bwi_json_key_string(w, "handedness", space->handedness);
    bwi_json_key_string(w, "unit", space->unit);
    bwi_json_end_object(w);
}

void bwi_put_source(bwi_json_writer *w, const bwi_manifest_file *files, size_t count) {
    bwi_json_key(w, "source");
    bwi_json_begin_object(w);
    bwi_put_file(w, &files[0]);
    bwi_json_key(w, "files");
    bwi_json_begin_array(w);
    for (size_t k = 1; k < count; k++) {
        bwi_json_begin_object(w);
        bwi_put_file(w, &files[k]);
        bwi_json_end_object(w);
    }
    bwi_json_end_array(w);
    bwi_json_end_object(w);
}

bw_result bwi_put_end(bwi_json_writer *w, FILE *file, const char *path, bwi_mem *mem, bw_error *error) {
    if (!bwi_json_writer_end(w, NULL, NULL) && !ferror(file))
        return bwi_fail_memory(error, path, mem, 0);
    if (ferror(file))
        return bwi_fail(error, BW_ERR_FILE_WRITE, path, -1,
                        "could not be written whole; free some space or choose another folder");
    return BW_OK;
}

/* ---- reading ---- */

bool bwi_get_family(bwi_reader *r, const char **generator, const json_t *root, const char *family) {
    const char *text = NULL;
    char expected[32];
    if (!bwi_get_raw_string(r, &text, NULL, root, "schema"))
        return false;
    if (strcmp(text, BWI_MANIFEST_SCHEMA) != 0) {
        r->result = bwi_fail(r->error, BW_ERR_UNSUPPORTED, r->path, -1,
                             "schema is \"%.60s\", this version reads \"" BWI_MANIFEST_SCHEMA
                             "\"; use the version of Bakewell that made the "
                             "bake, or bake again",
                             text);
        return false;
    }
    if (!bwi_get_string(r, generator, NULL, root, "generator") || !bwi_get_raw_string(r, &text, NULL, root, "family"))
        return false;
    (void)snprintf(expected, sizeof expected, "\"%s\"", family);
    return strcmp(text, family) == 0 || bwi_refuse_as(r, BW_ERR_UNSUPPORTED, &(bwi_place){NULL, "family", 0},
                                                      json_object_get(root, "family"), expected);
}

bool bwi_get_space(bwi_reader *r, bwi_space_name *out, const json_t *root) {
    static const bwi_place space_at = {NULL, "space", 0};
    static const char *const ups[] = {"y", "z", NULL}, *const hands[] = {"right", "left", NULL},
                             *const units[] = {"m", "cm", NULL};
    const json_t *space;
    return bwi_get_object(r, &space, NULL, root, "space") && bwi_keep_name(r, &out->up, &space_at, space, "up", ups) &&
           bwi_keep_name(r, &out->handedness, &space_at, space, "handedness", hands) &&
           bwi_keep_name(r, &out->unit, &space_at, space, "unit", units);
}

bool bwi_get_file(bwi_reader *r, bwi_manifest_file *file, const bwi_place *at, const json_t *object, bool plain) {
    return (plain ? bwi_get_file_name(r, &file->file, at, object, "file")
                  : bwi_get_string(r, &file->file, at, object, "file")) &&
           bwi_get_uint64(r, &file->bytes, at, object, "bytes", 0, INT64_MAX) &&
           bwi_get_hash(r, file->hash, at, object, "hash");
}

bool bwi_get_mesh(bwi_reader *r, bwi_manifest_file *mesh, const json_t *root) {
    static const bwi_place mesh_at = {NULL, "mesh", 0};
    const json_t *object;
    return bwi_get_object(r, &object, NULL, root, "mesh") && bwi_get_file(r, mesh, &mesh_at, object, true);
}

bool bwi_get_source(bwi_reader *r, bwi_manifest_file **out, size_t *out_count, const json_t *root) {
    static const bwi_place source_at = {NULL, "source", 0}, files_at = {&source_at, "files", 0};
    const json_t *source, *files;
    if (!bwi_get_object(r, &source, NULL, root, "source") || !bwi_get_array(r, &files, &source_at, source, "files"))
        return false;
    size_t count = json_array_size(files) + 1;
    bwi_manifest_file *list = bwi_take(r, count, sizeof *list);
    if (!list)
        return false;
    if (!bwi_get_file(r, &list[0], &source_at, source, true))
        return false;
    for (size_t k = 1; k < count; k++) {
        bwi_place at = {&files_at, NULL, k - 1};
        const json_t *item = json_array_get(files, k - 1);
        if (!json_is_object(item))
            return bwi_refuse(r, &at, item, "an object");
        if (!bwi_get_file(r, &list[k], &at, item, false))
            return false;
    }
    *out = list;
    *out_count = count;
    return true;
}

/* JSON errors would mislead where another file than a manifest was named: a scene, a texture. */
static bool begins_object(const char *text, size_t size) {
    size_t i = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < size && strchr(" \t\r\n", text[i]) && text[i])
        i++;
    return i < size && text[i] == '{';
}

bw_result bwi_manifest_json(json_t **root, const char *text, size_t size, const bwi_mem *mem, const char *path,
                            bw_error *error) {
    if (!begins_object(text, size))
        return bwi_fail(error, BW_ERR_MALFORMED, path, -1,
                        "holds no JSON object, so it is no manifest; name the .json file of a bake");
    return bwi_json_parse(root, text, size, mem, path, error);
}

bool bwi_manifest_recognise(const void *data, size_t size) {
    static const char schema[] = "\"bakewell/bake/"; /* the first key's value */
    const size_t length = sizeof(schema) - 1, beginning = 256;
    for (size_t i = 0; i < beginning && i + length <= size; ++i)
        if (memcmp((const char *)data + i, schema, length) == 0)
            return true;
    return false;
}

bool bwi_manifest_is_of(const void *data, size_t size, const char *family) {
    char wanted[48];
    const size_t beginning = 512, length = (size_t)snprintf(wanted, sizeof wanted, "\"family\": \"%s\"", family);
    for (size_t i = 0; i < beginning && i + length <= size; ++i)
        if (memcmp((const char *)data + i, wanted, length) == 0)
            return bwi_manifest_recognise(data, size);
    return false;
}
